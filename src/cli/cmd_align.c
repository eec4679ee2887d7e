/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"
#include "result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option option_scale = {
    .name = "scale",
    .kind = OPTION_FLAG,
    .help = "sizes do not count: specimens are scaled, too, and the mean has size 1 (full "
            "Procrustes); default: they are moved and turned and keep their sizes",
};

static const option option_reflect = {
    .name = "reflect",
    .kind = OPTION_FLAG,
    .help = "specimens may be mirrored as well, left wings to right ones",
};

static const option option_dim = {
    .name = "dim",
    .kind = OPTION_COUNT,
    .minimum = 2,
    .maximum = 3,
    .value = "K",
    .example = "3",
    .help = "coordinates of a landmark in a table, 2 or 3; TPS files say it themselves. Needed "
            "where the number of columns allows both",
};

static const option option_landmark_weights = {
    .name = "weights",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "weights.csv",
    .help = "a weight for each landmark in all sums of squares, one number per line; default: 1",
};

static const option option_slide = {
    .name = "slide",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "sliders.csv",
    .help = "semilandmarks that slide along their curves: lines of three landmarks before,slide,"
            "after, counted from 1",
};

/* As in mst_slide_criterion. */
static const char *const criteria[] = {"bending", "distance", NULL};
static const option option_slide_by = {
    .name = "slide-by",
    .kind = OPTION_CHOICE,
    .choices = criteria,
    .fallback = "bending",
    .value = "WHAT",
    .example = "distance",
    .help =
        "what sliding makes least: the bending energy from the mean, or the Procrustes distance "
        "to it",
};

static const option option_drop_missing = {
    .name = "drop-missing",
    .kind = OPTION_FLAG,
    .help = "leave out specimens with missing points (NA, empty cells); default: they are an error",
};

static const option option_mean_file = {
    .name = "mean",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "mean.tps",
    .help = "write the mean shape to FILE",
};

static const option option_report = {
    .name = "report",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "report.csv",
    .help = "write a table to FILE: centroid size and residual of each specimen, and its ID or row",
};

typedef struct job {
    invocation *inv;
    const char *path;
    mst_landmarks *data;
    size_t n, k, dim;
    size_t *row;        /* (n): the row of the file that a specimen is, from 0 */
    const char **names; /* (n), or null */
    size_t dropped;
    double *weights;
    mst_slider *sliders;
    size_t slider_count;
    mst_alignment *result;
} job;

/* "gorilla.tps, specimen 3 (ID)". */
enum { WHERE = 320 };
static const char *where(const job *j, size_t row, char text[WHERE])
{
    const mst_labels *labels = j->data->labels;
    const char *name = labels != NULL ? labels->names[labels->index[row]] : "";
    snprintf(text, WHERE, "%.180s, specimen %zu%s%.80s%s", shown_path(j->path), row + 1,
             *name != '\0' ? " (ID=" : "", name, *name != '\0' ? ")" : "");
    return text;
}

/* ---- Input ---- */

static mst_status find_dim(job *j)
{
    const mst_landmarks *l = j->data;
    const option_value *given = option_get(j->inv, &option_dim);
    j->dim = given->given ? (size_t)given->count : l->dim;
    if (given->given && l->dim > 0 && l->dim != j->dim)
        return mst_fail(MST_ARGUMENT, "--dim %zu, but the landmarks of %s have %zu coordinates",
                        j->dim, shown_path(j->path), l->dim);
    if (j->dim == 0 && l->cols % 2 == 0 && l->cols % 3 == 0)
        return mst_fail(MST_ARGUMENT,
                        "%s: %zu columns may be %zu landmarks in the plane or %zu in space; say "
                        "--dim 2 or --dim 3",
                        shown_path(j->path), l->cols, l->cols / 2, l->cols / 3);
    if (j->dim == 0)
        j->dim = l->cols % 2 == 0 ? 2 : 3;
    if (l->cols % j->dim != 0)
        return mst_fail(MST_FORMAT, "%s: %zu columns are no landmarks of %zu coordinates",
                        shown_path(j->path), l->cols, j->dim);
    j->k = l->cols / j->dim;
    return MST_OK;
}

/* Specimens with missing points go, if that is wanted; the rest moves up. */
static mst_status settle_missing(job *j)
{
    mst_landmarks *l = j->data;
    size_t cols = l->cols;
    char text[WHERE];
    j->row = calloc(l->n + 1, sizeof *j->row);
    if (j->row == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows", l->n);
    for (size_t i = 0; i < l->n; i++) {
        size_t c = 0;
        while (c < cols && !isnan(l->x[i * cols + c]))
            c++;
        if (c < cols && !option_given(j->inv, &option_drop_missing))
            return mst_fail(MST_FORMAT,
                            "%s: point %zu is missing; --drop-missing leaves such specimens out",
                            where(j, i, text), c / j->dim + 1);
        if (c < cols)
            continue;
        memmove(l->x + j->n * cols, l->x + i * cols, cols * sizeof *l->x);
        j->row[j->n++] = i;
    }
    j->dropped = l->n - j->n;
    if (j->n == 0)
        return mst_fail(MST_FORMAT, "%s: every specimen has missing points", shown_path(j->path));
    if (l->labels == NULL)
        return MST_OK;
    j->names = calloc(j->n, sizeof *j->names);
    if (j->names == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu names", j->n);
    for (size_t i = 0; i < j->n; i++)
        j->names[i] = l->labels->names[l->labels->index[j->row[i]]];
    return MST_OK;
}

/* A whole table of so many columns. */
static mst_status read_table(const char *path, size_t cols, const char *what, double **x, size_t *n)
{
    mst_reader *r;
    size_t got = 1, capacity = 0;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    if (mst_reader_cols(r) != cols)
        status = mst_fail(MST_FORMAT, "%s has %zu columns; %s", mst_reader_path(r),
                          mst_reader_cols(r), what);
    while (status == MST_OK && got > 0) {
        if (*n == capacity) {
            capacity = capacity == 0 ? 64 : 2 * capacity;
            double *more = realloc(*x, capacity * cols * sizeof **x);
            if (more == NULL) {
                status = mst_fail(MST_MEMORY, "not enough memory for %s", path);
                break;
            }
            *x = more;
        }
        status = mst_reader_next(r, capacity - *n, *x + *n * cols, &got);
        *n += status == MST_OK ? got : 0;
    }
    mst_reader_free(r);
    return status;
}

static mst_status read_weights(job *j)
{
    const char *path = option_get(j->inv, &option_landmark_weights)->text;
    size_t n = 0;
    if (path == NULL)
        return MST_OK;
    mst_status status = read_table(path, 1, "weights need one", &j->weights, &n);
    if (status == MST_OK && n != j->k)
        status = mst_fail(MST_FORMAT, "%s has %zu weights for %zu landmarks", path, n, j->k);
    return status;
}

static mst_status read_sliders(job *j)
{
    const char *path = option_get(j->inv, &option_slide)->text;
    double *x = NULL;
    if (path == NULL)
        return MST_OK;
    mst_status status =
        read_table(path, 3, "sliders need three: before,slide,after", &x, &j->slider_count);
    j->sliders = calloc(j->slider_count + 1, sizeof *j->sliders);
    if (status == MST_OK && j->sliders == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu sliders", j->slider_count);
    for (size_t i = 0; i < 3 * j->slider_count && status == MST_OK; i++) {
        size_t *to[] = {&j->sliders[i / 3].before, &j->sliders[i / 3].slide,
                        &j->sliders[i / 3].after};
        if (!(x[i] >= 1 && x[i] <= (double)j->k && x[i] == floor(x[i])))
            status = mst_fail(MST_FORMAT, "%s, row %zu, column %zu: %g is no landmark, 1 to %zu",
                              path, i / 3 + 1, i % 3 + 1, x[i], j->k);
        else
            *to[i % 3] = (size_t)x[i] - 1;
    }
    free(x);
    return status;
}

/* One line for the first specimen that has two landmarks at one place, and how many there are. */
static mst_status tell_coincident(const job *j)
{
    size_t count = 0, first = 0, pair[2] = {0};
    for (size_t i = 0; i < j->n; i++) {
        bool found;
        size_t a, b;
        mst_status status =
            mst_landmarks_coincide(j->k, j->dim, j->data->x + i * j->data->cols, &found, &a, &b);
        if (status != MST_OK)
            return status;
        if (found && count++ == 0) {
            first = i;
            pair[0] = a;
            pair[1] = b;
        }
    }
    char text[WHERE];
    if (count > 0)
        warn(j->inv, "%s: landmarks %zu and %zu coincide%s", where(j, j->row[first], text),
             pair[0] + 1, pair[1] + 1, count > 1 ? "" : "; alignment does not mind");
    if (count > 1)
        warn(j->inv, "%zu specimens have coincident landmarks; alignment does not mind", count);
    return MST_OK;
}

static mst_status job_open(job *j, invocation *inv)
{
    *j = (job){.inv = inv};
    mst_landmarks_options options = mst_landmarks_options_default();
    options.missing_negative = option_given(inv, &option_missing_negative);
    mst_status status = input_path(inv, 0, &j->path);
    if (status == MST_OK)
        status = mst_landmarks_read(&j->data, j->path, &options);
    if (status == MST_OK)
        status = find_dim(j);
    if (status == MST_OK)
        status = settle_missing(j);
    if (status == MST_OK)
        status = read_weights(j);
    if (status == MST_OK)
        status = read_sliders(j);
    return status;
}

static void job_close(job *j)
{
    mst_alignment_free(j->result);
    mst_landmarks_free(j->data);
    free(j->row);
    free(j->names);
    free(j->weights);
    free(j->sliders);
}

static mst_status align(job *j)
{
    mst_align_options o = mst_align_options_default();
    o.scale = option_given(j->inv, &option_scale);
    o.reflect = option_given(j->inv, &option_reflect);
    o.weights = j->weights;
    o.sliders = j->sliders;
    o.slider_count = j->slider_count;
    o.slide_by = (mst_slide_criterion)option_get(j->inv, &option_slide_by)->choice;
    mst_status status = mst_align(&j->result, j->n, j->k, j->dim, j->data->x, &o);
    if (status == MST_DOMAIN || status == MST_ARGUMENT)
        return mst_fail(status, "%s: %s", shown_path(j->path), mst_error_detail());
    return status;
}

/* ---- Output ---- */

static void write_members(const job *j, mst_json *json)
{
    const mst_alignment *a = j->result;
    json_member_integer(json, "n", a->n);
    json_member_integer(json, "landmarks", a->landmarks);
    json_member_integer(json, "dimension", a->dim);
    json_member_bool(json, "scale", option_given(j->inv, &option_scale));
    json_member_bool(json, "reflect", option_given(j->inv, &option_reflect));
    json_member_integer(json, "sliders", j->slider_count);
    json_member_integer(json, "dropped", j->dropped);
    json_member_integer(json, "mirrored", a->reflected);
    json_member_bool(json, "converged", a->converged);
    json_member_integer(json, "iterations", a->iterations);
    json_member_number(json, "sum_of_squares", a->sum_of_squares);
    json_member_numbers(json, "mean", a->landmarks * a->dim, a->mean);
    json_member_numbers(json, "centroid_sizes", a->n, a->sizes);
    json_member_numbers(json, "residuals", a->n, a->residuals);
    json_member_numbers(json, "landmark_residuals", a->landmarks, a->landmark_residuals);
    if (j->names == NULL)
        return;
    mst_json_key(json, "ids");
    mst_json_array(json);
    for (size_t i = 0; i < a->n; i++)
        mst_json_string(json, j->names[i]);
    mst_json_end(json);
}

static mst_status write_mean(job *j)
{
    const char *path = option_get(j->inv, &option_mean_file)->text;
    mst_writer *w = NULL;
    if (path == NULL)
        return MST_OK;
    mst_status status = mst_writer_open_landmarks(&w, path, j->data->cols, j->dim,
                                                  option_given(j->inv, &option_force));
    if (status == MST_OK)
        status = mst_writer_specimens(w, 1, j->result->mean, (const char *const[]){"mean"});
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return note_output(j->inv, status);
}

static mst_status write_report(job *j)
{
    static const char *const names[] = {"centroid_size", "residual", "specimen"};
    const char *path = option_get(j->inv, &option_report)->text;
    mst_writer *w = NULL;
    if (path == NULL)
        return MST_OK;
    mst_status status =
        mst_writer_open_words(&w, path, 3, names, option_given(j->inv, &option_force));
    for (size_t i = 0; i < j->n && status == MST_OK; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", j->row[i] + 1);
        const char *name = j->names != NULL ? j->names[i] : number;
        status = mst_writer_rows_words(
            w, 1, (const double[]){j->result->sizes[i], j->result->residuals[i]}, &name);
    }
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return note_output(j->inv, status);
}

/* What people want to know at once; the numbers of each specimen are in --report and JSON. */
static void tell(const job *j)
{
    const mst_alignment *a = j->result;
    size_t worst = 0, loose = 0;
    double least = INFINITY, most = 0;
    char text[WHERE];
    for (size_t i = 0; i < a->n; i++) {
        worst = a->residuals[i] > a->residuals[worst] ? i : worst;
        least = fmin(least, a->sizes[i]);
        most = fmax(most, a->sizes[i]);
    }
    for (size_t p = 0; p < a->landmarks; p++)
        loose = a->landmark_residuals[p] > a->landmark_residuals[loose] ? p : loose;
    if (j->dropped > 0)
        warn(j->inv, "%zu of %zu specimens have missing points and are left out", j->dropped,
             j->dropped + j->n);
    warn(j->inv, "%zu specimens of %zu landmarks in %zu-D; centroid sizes %.6g to %.6g%s", a->n,
         a->landmarks, a->dim, least, most,
         option_given(j->inv, &option_scale) ? ", taken away" : ", kept");
    warn(j->inv,
         "root mean square residual %.6g; the largest is %.6g, %s; loosest landmark %zu (%.6g)",
         sqrt(a->sum_of_squares / (double)a->n), a->residuals[worst], where(j, j->row[worst], text),
         loose + 1, a->landmark_residuals[loose]);
    if (a->reflected > 0)
        warn(j->inv, "%zu specimens were mirrored", a->reflected);
}

static mst_status send(job *j, result *r)
{
    mst_status status = result_specimens(r, j->n, j->result->aligned, j->names);
    mst_json *json = result_json(r, NULL);
    if (status == MST_OK && json != NULL)
        write_members(j, json);
    if (status == MST_OK)
        status = write_mean(j);
    if (status == MST_OK)
        status = write_report(j);
    return status == MST_OK ? result_finish(r) : status;
}

static mst_status run(invocation *inv)
{
    job j;
    result *r = NULL;
    mst_status status = job_open(&j, inv);
    if (status == MST_OK) {
        const result_layout layout = {.prefix = "x", .width = j.data->cols, .landmark_dim = j.dim};
        status = result_open(&r, inv, &layout);
    }
    if (status == MST_OK)
        status = tell_coincident(&j);
    if (status == MST_OK)
        status = align(&j);
    if (status == MST_OK)
        status = send(&j, r);
    if (status == MST_OK)
        tell(&j);
    if (status == MST_OK && !j.result->converged)
        status = mst_fail(MST_CONVERGENCE, "the alignment still moves after %zu steps",
                          j.result->iterations);
    result_free(r);
    job_close(&j);
    return status;
}

const command command_align = {
    .name = "align",
    .summary = "aligns configurations of landmarks (Procrustes)",
    .usage = "[options] [FILE]",
    .description =
        "Generalised Procrustes analysis. A row of FILE, or a specimen of a TPS file, is a "
        "configuration of landmarks x1,y1,x2,y2,... They are moved and turned so that the sum of "
        "squares about their mean is least, and written in this position, centred at 0. With "
        "--scale they are scaled as well: the mean has size 1, and a specimen the size that fits "
        "it best.\n\n"
        "Standard error tells the range of centroid sizes and what fits worst; --report, --mean "
        "and "
        "--json have the numbers of each specimen. With --slide semilandmarks move along the "
        "tangents of their curves.",
    .options = (const option *const[]){&option_scale, &option_reflect, &option_dim,
                                       &option_landmark_weights, &option_slide, &option_slide_by,
                                       &option_drop_missing, &option_mean_file, &option_report,
                                       &option_missing_negative, OUTPUT_OPTIONS,
                                       &option_seed_unused, &option_threads_unused, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Skulls from tpsDig as shapes, and their sizes:",
             "manistat align --scale skulls.tps --quiet -o aligned.tps --report r.csv"},
            {"Their mean with its size:", "manistat align skulls.tps --quiet --mean mean.csv"},
            {NULL, NULL},
        },
    .run = run,
};
