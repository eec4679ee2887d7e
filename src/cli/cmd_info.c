/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "certificate.h"
#include "commands.h"
#include "learned_report.h"
#include "model.h"
#include "result.h"
#include "shares.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LABEL "  %-14s"

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcmp(path + length - end, ending) == 0;
}

/* ---- Models ---- */

static void print_model(FILE *out, const char *path, const mst_network_info *i)
{
    fprintf(out, "%s, a score network for %s\n\n", path, i->manifold);
    if (i->t_min == i->t_max)
        fprintf(out, LABEL "%g, fixed\n", "time", i->t_min);
    else
        fprintf(out, LABEL "%g to %g\n", "times", i->t_min, i->t_max);
    fprintf(out, LABEL "%zu hidden layer%s of %zu, %s; %zu inputs, %zu output%s, %zu parameters\n",
            "network", i->depth, i->depth == 1 ? "" : "s", i->width,
            i->activation == MST_TANH ? "tanh" : "silu", i->inputs, i->outputs,
            i->outputs == 1 ? "" : "s", i->parameters);
    fprintf(out, LABEL "%s%s\n", "score",
            i->energy  ? "the gradient of an energy"
            : i->plain ? "the output itself"
                       : "the short-time approximation and a correction",
            i->time_head ? "; the time derivative is an output" : "");
    fprintf(out, LABEL "%s, %llu step%s, %llu samples in %.1f s, seed %llu%s\n", "training",
            mst_loss_name(i->loss), (unsigned long long)i->steps, i->steps == 1 ? "" : "s",
            (unsigned long long)i->samples, i->seconds, (unsigned long long)i->seed,
            i->finished ? "" : "; stopped before its end");
    if (i->left > 0)
        fprintf(out, LABEL "%llu samples, whose paths left the domain\n", "left out",
                (unsigned long long)i->left);
    if (!isnan(i->kappa))
        fprintf(out, LABEL "by %s; kappa %.3g\n", "targets", mst_targets_text(i->targets),
                i->kappa);
    if (!isnan(i->excess))
        fprintf(out,
                LABEL "%.4f (held-out loss over that of the short-time approximation, less 1)\n",
                "excess", i->excess);
    if (i->starts > 0)
        fprintf(out, LABEL "around %zu given point%s\n", "paths", i->starts,
                i->starts == 1 ? "" : "s");
    if (i->chained_starts)
        fprintf(out, LABEL "those of a batch began where those of the batch before ended\n",
                i->starts > 0 ? "" : "paths");
    if (!isnan(i->reach))
        fprintf(out, LABEL "paths went up to %.3g from their centre\n", "reach", i->reach);
    fprintf(out, LABEL "manistat %s\n", "made by", i->version);
}

static void model_members(mst_json *j, const mst_network_info *i, size_t ambient)
{
    json_member_string(j, "manifold", i->manifold);
    json_member_number(j, "t_min", i->t_min);
    json_member_number(j, "t_max", i->t_max);
    json_member_string(j, "loss", mst_loss_name(i->loss));
    json_member_string(j, "activation", i->activation == MST_TANH ? "tanh" : "silu");
    json_member_integer(j, "inputs", i->inputs);
    json_member_integer(j, "width", i->width);
    json_member_integer(j, "depth", i->depth);
    json_member_integer(j, "outputs", i->outputs);
    json_member_integer(j, "parameters", i->parameters);
    json_member_bool(j, "energy", i->energy);
    json_member_bool(j, "time_head", i->time_head);
    json_member_bool(j, "plain", i->plain);
    json_member_integer(j, "seed", i->seed);
    json_member_integer(j, "steps", i->steps);
    json_member_integer(j, "samples", i->samples);
    if (i->left > 0)
        json_member_integer(j, "left", i->left);
    json_member_integer(j, "starts", i->starts);
    json_member_bool(j, "chained_starts", i->chained_starts);
    json_member_bool(j, "checkpoint", i->checkpoint);
    json_member_number(j, "training_seconds", i->seconds);
    json_member_bool(j, "finished", i->finished);
    json_member_number(j, "excess", i->excess);
    json_member_string(j, "targets", mst_targets_name(i->targets));
    json_member_number(j, "kappa", i->kappa);
    json_member_number(j, "reach", i->reach);
    mst_json_key(j, "centre");
    if (i->centre != NULL)
        mst_json_numbers(j, ambient, i->centre, 1);
    else
        mst_json_null(j);
    json_member_string(j, "made_by", i->version);
}

/* A model comes from anywhere: nothing of it may speak to the terminal. */
static void print_formula(FILE *out, const mst_manifold *m)
{
    fprintf(out, "\n%s:\n\n    ", mst_manifold_spec(m));
    const char *text = mst_manifold_formula(m);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n' && c[1] != '\0')
            fputs("\n    ", out);
        else if (*c == '\t' || (unsigned char)*c >= ' ')
            fputc(*c != 127 ? *c : '?', out);
        else if (*c != '\n' && *c != '\r')
            fputc('?', out);
    }
    fputc('\n', out);
}

static void tell_formulas(report *r, const mst_manifold *m)
{
    if (r->json != NULL) {
        mst_json_key(r->json, "formulas");
        mst_json_array(r->json);
    }
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *part = mst_manifold_factor(m, f);
        const char *text = mst_manifold_formula(part);
        if (text != NULL && r->json == NULL)
            print_formula(r->text, part);
        if (text == NULL || r->json == NULL)
            continue;
        mst_json_object(r->json);
        json_member_string(r->json, "manifold", mst_manifold_spec(part));
        json_member_string(r->json, "text", text);
        mst_json_end(r->json);
    }
    if (r->json != NULL)
        mst_json_end(r->json);
}

/* A manifold that was learned, by the ending of its name. */
static bool is_learned(const char *path)
{
    return ends_with(path, ".gp") || ends_with(path, ".decoder");
}

static mst_status tell_learned(report *r, const char *path)
{
    mst_manifold *m;
    mst_status status = mst_manifold_parse(&m, path);
    if (status != MST_OK)
        return status;
    status = learned_tell(r, path, m);
    mst_manifold_free(m);
    return status;
}

static mst_status tell_model(report *r, const char *path)
{
    mst_network *net;
    mst_status status = read_model(r->inv, &net, path, NULL);
    if (status != MST_OK)
        return status;
    mst_network_info info = mst_network_describe(net);
    mst_certificate c;
    share_survey shares;
    status = shares_survey(&shares, net);
    if (status != MST_OK) {
        mst_network_free(net);
        return status;
    }
    mst_certificate_standing standing = mst_network_certificate(net, &c);
    bool certified = standing == MST_CERTIFICATE_VALID;
    static const char *const words[] = {
        [MST_CERTIFICATE_VALID] = "see below",
        [MST_CERTIFICATE_NONE] = "none; 'manistat check' makes one",
        [MST_CERTIFICATE_UNREADABLE] = "there is one, but it cannot be read; 'manistat check' "
                                       "makes another",
        [MST_CERTIFICATE_FOREIGN] = "there is one, but not of these weights; 'manistat check' "
                                    "makes another"};
    if (r->json != NULL) {
        json_member_string(r->json, "file", path);
        json_member_string(r->json, "kind", "model");
        model_members(r->json, &info, mst_manifold_ambient(mst_network_manifold(net)));
        shares_json(&shares, r->json);
        tell_formulas(r, mst_network_manifold(net));
        certificate_json(certified ? &c : NULL, r->json);
    } else {
        print_model(r->text, path, &info);
        shares_print(&shares, r->text, 14);
        fprintf(r->text, LABEL "%s\n", "certificate", words[standing]);
        if (certified) {
            fputc('\n', r->text);
            status = certificate_print(&c, r->text);
        }
        tell_formulas(r, mst_network_manifold(net));
    }
    mst_network_free(net);
    return status;
}

/* ---- Data ---- */

/* A manifold that all rows so far could be on. */
typedef struct candidate {
    char spec[32];
    bool angles; /* the numbers have to look like angles */
    mst_manifold *m;
    double *point; /* (D) */
} candidate;

enum { MOST_CANDIDATES = 12 };

typedef struct survey {
    mst_reader *reader;
    size_t cols, count;
    uint64_t rows, missing; /* of them, rows with a number that is not finite */
    candidate candidates[MOST_CANDIDATES];
} survey;

static mst_status add_candidate(survey *s, const char *family, size_t n)
{
    candidate *c = &s->candidates[s->count];
    if (n == 0)
        snprintf(c->spec, sizeof c->spec, "%s", family);
    else
        snprintf(c->spec, sizeof c->spec, "%s:%zu", family, n);
    mst_status status = mst_manifold_parse(&c->m, c->spec);
    if (status != MST_OK) /* a size beyond what there is, unless there is no memory to tell */
        return status == MST_MEMORY ? status : MST_OK;
    c->angles = mst_manifold_traits_of(c->m)->rows == MST_ROWS_ANGLES;
    s->count++;
    return new_doubles(&c->point, 1, mst_manifold_ambient(c->m));
}

/* What this number of columns may be, the most special first. */
static mst_status propose(survey *s)
{
    size_t cols = s->cols;
    mst_status status = MST_OK;
    if (cols == 1)
        status = add_candidate(s, "circle", 0);
    if (status == MST_OK && (cols == 4 || cols == 9))
        status = add_candidate(s, "so3", 0);
    if (status == MST_OK && cols > 1)
        status = add_candidate(s, "sphere", cols - 1);
    if (status == MST_OK && cols > 2)
        status = add_candidate(s, "hyperbolic", cols - 1);
    for (size_t n = 2; n * (n + 1) / 2 <= cols && status == MST_OK; n++)
        if (n * n == cols || n * (n + 1) / 2 == cols) {
            status = add_candidate(s, "spd", n);
            if (status == MST_OK)
                status = add_candidate(s, "sym", n);
        }
    if (status == MST_OK && cols > 1)
        status = add_candidate(s, "torus", cols);
    return status == MST_OK ? add_candidate(s, "euclidean", cols) : status;
}

/* *fits: may the row be a point? That there is no memory to tell is no answer. */
static mst_status row_fits(const survey *s, const candidate *c, const double *row, bool *fits)
{
    const double full_turn = 6.2831853071795865, rounding = 1e-9;
    *fits = false;
    for (size_t k = 0; k < s->cols && c->angles; k++)
        if (fabs(row[k]) > full_turn + rounding)
            return MST_OK;
    const mst_points_options options = mst_points_options_default();
    mst_status status = mst_points_decode(c->m, s->cols, row, &options, c->point);
    *fits = status == MST_OK;
    return status == MST_MEMORY ? status : MST_OK;
}

static void drop(survey *s, size_t k)
{
    mst_manifold_free(s->candidates[k].m);
    free(s->candidates[k].point);
    memmove(s->candidates + k, s->candidates + k + 1, (--s->count - k) * sizeof *s->candidates);
}

static mst_status look_at(survey *s, const double *row)
{
    bool whole = true, fits;
    for (size_t k = 0; k < s->cols; k++)
        whole = whole && isfinite(row[k]);
    s->rows++;
    s->missing += !whole;
    for (size_t k = s->count; whole && k-- > 0;) {
        mst_status status = row_fits(s, &s->candidates[k], row, &fits);
        if (status != MST_OK)
            return status;
        if (!fits)
            drop(s, k);
    }
    return MST_OK;
}

static mst_status survey_file(survey *s, const char *path)
{
    double *rows = NULL;
    size_t got = 1;
    mst_status status = mst_reader_open(&s->reader, path);
    if (status != MST_OK)
        return status;
    s->cols = mst_reader_cols(s->reader);
    size_t max = chunk_rows(s->cols);
    status = propose(s);
    if (status == MST_OK)
        status = new_doubles(&rows, max, s->cols);
    while (status == MST_OK && got > 0) {
        status = mst_reader_next(s->reader, max, rows, &got);
        for (size_t i = 0; i < got && status == MST_OK; i++)
            status = look_at(s, rows + i * s->cols);
        if (status == MST_OK && interrupted())
            status = mst_fail(MST_INTERRUPTED, "interrupted");
    }
    free(rows);
    return status;
}

static void print_data(const survey *s, FILE *out)
{
    enum { SHOWN = 12 };
    fprintf(out, "%s, a table\n\n", mst_reader_path(s->reader));
    fprintf(out, LABEL "%llu\n", "rows", (unsigned long long)s->rows);
    fprintf(out, LABEL "%zu\n", "columns", s->cols);
    fprintf(out, LABEL, "header");
    if (mst_reader_name(s->reader, 0) == NULL)
        fprintf(out, "none");
    for (size_t k = 0; k < s->cols && k < SHOWN && mst_reader_name(s->reader, k) != NULL; k++)
        fprintf(out, "%s%s", k > 0 ? ", " : "", mst_reader_name(s->reader, k));
    fprintf(out, "%s\n", mst_reader_name(s->reader, 0) != NULL && s->cols > SHOWN ? ", ..." : "");
    if (s->missing > 0)
        fprintf(out, LABEL "%llu row%s with numbers that are not finite\n", "missing",
                (unsigned long long)s->missing, s->missing == 1 ? "" : "s");
    fprintf(out, LABEL, "points of");
    for (size_t k = 0; k < s->count; k++)
        fprintf(out, "%s%s", k > 0 ? ", " : "", s->candidates[k].spec);
    fprintf(out, "%s\n", s->count == 0 ? "nothing known" : " (what the numbers allow)");
}

static void data_members(const survey *s, mst_json *j)
{
    json_member_string(j, "file", mst_reader_path(s->reader));
    json_member_string(j, "kind", "table");
    json_member_integer(j, "rows", s->rows);
    json_member_integer(j, "columns", s->cols);
    mst_json_key(j, "header");
    if (mst_reader_name(s->reader, 0) == NULL) {
        mst_json_null(j);
    } else {
        mst_json_array(j);
        for (size_t k = 0; k < s->cols; k++)
            mst_json_string(j, mst_reader_name(s->reader, k));
        mst_json_end(j);
    }
    json_member_integer(j, "missing", s->missing);
    mst_json_key(j, "manifold");
    mst_json_array(j);
    for (size_t k = 0; k < s->count; k++)
        mst_json_string(j, s->candidates[k].spec);
    mst_json_end(j);
}

static mst_status tell_data(report *r, const char *path)
{
    survey s = {0};
    mst_status status = survey_file(&s, path);
    if (status == MST_OK && r->json != NULL)
        data_members(&s, r->json);
    else if (status == MST_OK)
        print_data(&s, r->text);
    while (s.count > 0)
        drop(&s, s.count - 1);
    mst_reader_free(s.reader);
    return status;
}

/* ---- Landmarks ---- */

/* What a TPS file tells: the mean distance of neighbouring landmarks, and how many specimens lack some. */
static double describe_landmarks(const mst_landmarks *l, size_t *missing)
{
    size_t count = l->cols / l->dim, distances = 0;
    double sum = 0;
    *missing = 0;
    for (size_t i = 0; i < l->n; i++) {
        const double *q = l->x + i * l->cols;
        bool whole = true;
        for (size_t a = 0; a < count; a++) {
            double nearest = INFINITY;
            whole = whole && !isnan(q[a * l->dim]);
            for (size_t b = 0; b < count; b++) {
                double square = 0;
                for (size_t k = 0; k < l->dim; k++)
                    square += pow(q[a * l->dim + k] - q[b * l->dim + k], 2);
                if (a != b && square < nearest) /* false for missing ones */
                    nearest = square;
            }
            distances += isfinite(nearest) ? 1 : 0;
            sum += isfinite(nearest) ? sqrt(nearest) : 0;
        }
        *missing += !whole;
    }
    return distances > 0 ? sum / (double)distances : NAN;
}

static void landmark_members(const mst_landmarks *l, const char *path, size_t missing, double gap,
                             const char *const specs[3], mst_json *j)
{
    json_member_string(j, "file", path);
    json_member_string(j, "kind", "landmarks");
    json_member_integer(j, "rows", l->n);
    json_member_integer(j, "columns", l->cols);
    json_member_integer(j, "landmarks", l->cols / l->dim);
    json_member_integer(j, "dimension", l->dim);
    json_member_integer(j, "missing", missing);
    json_member_number(j, "neighbours", gap);
    mst_json_key(j, "labels");
    mst_json_array(j);
    for (size_t i = 0; l->labels != NULL && i < l->n; i++)
        mst_json_string(j, l->labels->names[l->labels->index[i]]);
    mst_json_end(j);
    mst_json_key(j, "manifold");
    mst_json_array(j);
    for (size_t k = 0; k < 3; k++)
        mst_json_string(j, specs[k]);
    mst_json_end(j);
}

static void print_landmarks(const mst_landmarks *l, const char *path, size_t missing, double gap,
                            const char *const specs[3], FILE *out)
{
    enum { SHOWN = 6 };
    fprintf(out, "%s, landmarks (TPS)\n\n", path);
    fprintf(out, LABEL "%zu\n", "specimens", l->n);
    fprintf(out, LABEL "%zu, of %zu coordinates each: rows of %zu numbers\n", "landmarks",
            l->cols / l->dim, l->dim, l->cols);
    if (l->labels != NULL) {
        fprintf(out, LABEL, "labels");
        for (size_t i = 0; i < l->n && i < SHOWN; i++)
            fprintf(out, "%s%s", i > 0 ? ", " : "", l->labels->names[l->labels->index[i]]);
        fprintf(out, "%s\n", l->n > SHOWN ? ", ..." : "");
    }
    if (missing > 0)
        fprintf(out, LABEL "%zu specimen%s with missing points ('manistat align --drop-missing')\n",
                "missing", missing, missing == 1 ? "" : "s");
    if (gap > 0)
        fprintf(out, LABEL "%.4g apart in the mean, in units of the file\n", "neighbours", gap);
    fprintf(out, LABEL "%s (shapes), %s, or %s after 'manistat align'\n", "points of", specs[0],
            specs[1], specs[2]);
}

static mst_status tell_landmarks(report *r, const char *path)
{
    mst_landmarks *l;
    mst_status status = mst_landmarks_read(&l, path, NULL);
    if (status != MST_OK)
        return status;
    size_t missing, count = l->cols / l->dim;
    double gap = describe_landmarks(l, &missing);
    double unit = pow(10, floor(log10(1.5 * gap)) - 1); /* two digits */
    char text[3][64];
    const char *const specs[] = {text[0], text[1], text[2]};
    snprintf(text[0], sizeof text[0], "kendall:%zux%zu", count, l->dim);
    snprintf(text[1], sizeof text[1], "size-and-shape:%zux%zu", count, l->dim);
    snprintf(text[2], sizeof text[2], "landmarks:%zux%zu?sigma=%g", count, l->dim,
             gap > 0 ? round(1.5 * gap / unit) * unit : 1);
    if (r->json != NULL)
        landmark_members(l, path, missing, gap, specs, r->json);
    else
        print_landmarks(l, path, missing, gap, specs, r->text);
    mst_landmarks_free(l);
    return MST_OK;
}

/* ---- Which of them? ---- */

/* The first line that has anything begins with LM= or LM3=. */
static bool looks_like_landmarks(const char *path)
{
    char word[4] = "";
    FILE *file = strcmp(path, "-") != 0 ? fopen(path, "r") : NULL;
    if (file == NULL)
        return false;
    bool fits = fscanf(file, " %3[LMlm]", word) == 1 && strcasecmp(word, "LM") == 0;
    int next = fits ? fgetc(file) : EOF;
    fclose(file);
    return next == '=' || next == '3' || next == ' ';
}

/* A name that says so, or the brace that follows the eight bytes of a safetensors file's header length. */
static bool looks_like_model(const char *path)
{
    static const char ending[] = ".safetensors";
    char head[9] = "";
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return false;
    if (length >= sizeof ending && strcmp(path + length - (sizeof ending - 1), ending) == 0)
        return true;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false; /* the reader of tables says why */
    bool fits = fread(head, 1, sizeof head, file) == sizeof head && head[8] == '{' && head[7] == 0;
    fclose(file);
    return fits;
}

static mst_status run(invocation *inv)
{
    report r;
    const char *path;
    if (inv->operand_count == 0)
        return mst_fail(MST_ARGUMENT,
                        "no FILE given; for example 'manistat info model.safetensors'");
    path = inv->operands[0];
    mst_status status = report_open(&r, inv);
    if (status == MST_OK && (ends_with(path, ".nii") || ends_with(path, ".nii.gz")))
        status = mst_fail(MST_UNABLE,
                          "%s: an image, which manistat does not read yet; write its tensors as a "
                          "table with a row for each voxel and the header xx,xy,xz,yy,yz,zz, for "
                          "spd:3",
                          path);
    if (status == MST_OK)
        status = is_learned(path)             ? tell_learned(&r, path)
                 : looks_like_model(path)     ? tell_model(&r, path)
                 : looks_like_landmarks(path) ? tell_landmarks(&r, path)
                                              : tell_data(&r, path);
    if (status == MST_OK)
        status = report_finish(&r);
    report_close(&r);
    return status;
}

const command command_info = {
    .name = "info",
    .summary = "describes a model or a data file",
    .usage = "FILE [options]",
    .description =
        "A manifold written by learn: what it was learned from, and its metric. A model written by "
        "train: its manifold (with the text of a formula file), the times it is "
        "for, the network, how it was trained and its certificate. A table of numbers (CSV, TSV, "
        "NPY): rows, columns, "
        "header, and the manifolds whose points the rows could be, such as sphere:2 if all of them "
        "have three numbers and norm one. Landmarks (TPS): specimens, landmarks, labels, missing "
        "points, how far neighbours are apart, and the spaces of shapes.",
    .options =
        (const option *const[]){&option_seed_unused, &option_threads_unused, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"What is this model?", "manistat info model.safetensors"},
            {"What could these points be?", "manistat info data.csv"},
            {NULL, NULL},
        },
    .describes = true,
    .run = run,
};
