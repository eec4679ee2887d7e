/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "estimate.h"
#include "util/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const mean_kinds[] = {"diffusion", "frechet", NULL};
static const char *const fit_words[] = {"fit", NULL};

const option option_time_fit = {
    .name = "time",
    .kind = OPTION_POSITIVE,
    .choices = fit_words,
    .value = "T",
    .fallback = "fit",
    .example = "0.5",
    .help = "the time (diffusion variance): fit estimates it, a number T > 0 fixes it",
};

const option option_weights = {
    .name = "weights",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "weights.csv",
    .help = "a file with one weight per row, 0 or more; a weight of 3 is the row three times",
};

/* In the order of mst_weight_meaning. */
static const char *const weight_meanings[] = {"counts", "relative", NULL};

const option option_weights_are = {
    .name = "weights-are",
    .kind = OPTION_CHOICE,
    .choices = weight_meanings,
    .value = "KIND",
    .fallback = "counts",
    .example = "relative",
    .help = "counts (how often a row was seen) or relative (only ratios count, and W = sum of "
            "weights stands for W^2 / sum of squares rows)",
};

const option option_iterations = {
    .name = "iterations",
    .kind = OPTION_COUNT,
    .value = "N",
    .example = "200",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "give up after N iterations (default: newton 100, gradient and adam 10000, kmeans 300, "
            "mixture 500)",
};

const char *const covariance_words[] = {"observed", "sandwich", "bootstrap", NULL};

const option option_covariance = {
    .name = "covariance",
    .kind = OPTION_CHOICE,
    .choices = covariance_words,
    .value = "KIND",
    .fallback = "observed",
    .example = "sandwich",
    .help = "standard errors from the observed information, the sandwich formula (robust against "
            "a wrong model; by clusters with --cluster) or the bootstrap",
};

const option option_confidence = {
    .name = "confidence",
    .kind = OPTION_POSITIVE,
    .value = "C",
    .fallback = "0.95",
    .example = "0.9",
    .help = "probability of regions, intervals and bands",
};

const option option_resamples = {
    .name = "resamples",
    .kind = OPTION_COUNT,
    .value = "B",
    .fallback = "1000",
    .example = "500",
    .minimum = 2,
    .maximum = 10000000,
    .help = "number of resamples of the bootstrap, and of permutations where there are any",
};

/* ---- The data ---- */

/* What reads from standard input, of operands and options alike. */
static mst_status check_standard_input(const invocation *inv)
{
    size_t readers = inv->operand_count == 0 && inv->command->max_operands > 0;
    for (size_t i = 0; i < inv->operand_count; i++)
        readers += strcmp(inv->operands[i], "-") == 0;
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        readers += o != &option_output && inv->values[i].given && inv->values[i].text != NULL &&
                   strcmp(inv->values[i].text, "-") == 0;
    }
    if (readers > 1)
        return mst_fail(MST_ARGUMENT,
                        "standard input cannot be several files at once; name all but one");
    return MST_OK;
}

mst_status estimation_open(estimation *e, invocation *inv)
{
    *e = (estimation){.inv = inv,
                      .points = points_options(inv),
                      .threads = (int)option_get(inv, &option_threads)->count,
                      .seed = option_get(inv, &option_seed)->count};
    e->points.report = &e->report;
    mst_status status = model_open(&e->model, inv);
    if (status != MST_OK)
        return status;
    e->m = e->model.m;
    e->ambient = mst_manifold_ambient(e->m);
    e->width = mst_points_width(e->m, &e->points);
    return check_standard_input(inv);
}

void estimation_close(estimation *e)
{
    mst_score_free(e->owned);
    model_close(&e->model);
}

mst_status open_source(estimation *e, bool frechet, const char *instead)
{
    model *o = &e->model;
    mst_status status = frechet ? MST_OK : model_require_time(o);
    if (status == MST_OK && !frechet)
        status = model_open_likelihood(o);
    if (status == MST_OK)
        e->source = o->source;
    if (status == MST_OK && frechet && o->net != NULL)
        status = mst_score_network_limit_new(&e->owned, o->source);
    else if (status == MST_OK && (frechet || e->source == NULL))
        status = mst_score_open(&e->owned, frechet ? "log" : o->score, e->m);
    if (e->owned != NULL)
        e->source = e->owned;
    if (status == MST_UNABLE)
        status = mst_fail(status, "%s; %s", mst_error_detail(), instead);
    return status;
}

/* Of --score log there is no source yet. Who names a time asks for a likelihood: of a model of one time, or
 * of the expansion. */
bool default_is_frechet(const estimation *e)
{
    const model *o = &e->model;
    if (!model_has_time(o))
        return true;
    if (option_given(e->inv, &option_time_fit))
        return false;
    return mst_mean_default_kind(e->m, o->source) == MST_MEAN_FRECHET;
}

const char *score_name(const estimation *e)
{
    return e->model.net != NULL ? e->model.score : mst_score_name(e->source);
}

mst_status given_time(const estimation *e, double *time)
{
    const option_value *value = option_get(e->inv, &option_time_fit);
    char what[64];
    *time = value->number;
    if (!(*time > 0))
        return MST_OK;
    snprintf(what, sizeof what, "--time %.40s", value->text);
    return model_check_time(&e->model, what, *time);
}

const char *operand_name(const invocation *inv, size_t index)
{
    if (index >= inv->operand_count || strcmp(inv->operands[index], "-") == 0)
        return "standard input";
    return inv->operands[index];
}

mst_status read_points(estimation *e, size_t index, double **x, size_t *n)
{
    const char *path;
    mst_status status = input_path(e->inv, index, &path);
    if (status == MST_OK)
        status = mst_points_read(x, n, e->m, path, &e->points);
    if (status == MST_OK)
        tell_points(e->inv, e->m, path, &e->report);
    return status;
}

static mst_status check_weights(const mst_reader *r, size_t n, const double *weights)
{
    for (size_t i = 0; i < n; i++) {
        if (weights[i] >= 0 && isfinite(weights[i]))
            continue;
        uint64_t row, line;
        mst_reader_where(r, i, &row, &line);
        return mst_fail(MST_DOMAIN,
                        "%s, row %llu: the weight is %g; weights are numbers, 0 or more",
                        mst_reader_path(r), (unsigned long long)row, weights[i]);
    }
    return MST_OK;
}

mst_status read_weights(const estimation *e, size_t n, double **weights)
{
    *weights = NULL;
    if (!option_given(e->inv, &option_weights))
        return MST_OK;
    mst_reader *r;
    mst_status status = mst_reader_open(&r, option_get(e->inv, &option_weights)->text);
    if (status != MST_OK)
        return status;
    if (mst_reader_cols(r) != 1)
        status = mst_fail(MST_FORMAT, "%s has %zu columns; weights need one", mst_reader_path(r),
                          mst_reader_cols(r));
    /* Room for one more, to notice a file that is too long. */
    size_t got = 0;
    if (status == MST_OK)
        status = new_doubles(weights, n + 1, 1);
    if (status == MST_OK)
        status = mst_reader_next(r, n + 1, *weights, &got);
    if (status == MST_OK && got > n)
        status = mst_fail(MST_FORMAT, "%s has more weights than the %zu point%s; give one per row",
                          mst_reader_path(r), n, n == 1 ? "" : "s");
    if (status == MST_OK && got != n)
        status = mst_fail(MST_FORMAT, "%s has %zu weight%s for %zu point%s; give one per row",
                          mst_reader_path(r), got, got == 1 ? "" : "s", n, n == 1 ? "" : "s");
    if (status == MST_OK)
        status = check_weights(r, n, *weights);
    mst_reader_free(r);
    return status;
}

mst_status check_k(const invocation *inv, uint64_t k, size_t n)
{
    if (k <= n)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "-k %llu is more than the %zu point%s of %s",
                    (unsigned long long)k, n, n == 1 ? "" : "s", operand_name(inv, 0));
}

/* ---- JSON ---- */

void json_forms(const estimation *e, mst_json *j)
{
    const option *const forms[] = {&option_degrees, &option_latlon, &option_quaternion};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (option_given(e->inv, forms[i]))
            json_member_bool(j, forms[i]->name, true);
}

mst_status json_member_points(const estimation *e, mst_json *j, const char *key, size_t n,
                              const double *x)
{
    double *coded;
    mst_status status = new_doubles(&coded, n, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, n, x, &e->points, coded);
    if (status == MST_OK)
        json_member_matrix(j, key, n, e->width, coded);
    free(coded);
    return status;
}

mst_status json_member_point(const estimation *e, mst_json *j, const char *key, const double *x)
{
    double *coded;
    mst_status status = new_doubles(&coded, 1, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, 1, x, &e->points, coded);
    if (status == MST_OK)
        json_member_numbers(j, key, e->width, coded);
    free(coded);
    return status;
}

/* ---- Points in the file of -o ---- */

mst_status report_open_points(report *r, const estimation *e, bool named)
{
    const char *path = report_table(e->inv), **names = NULL;
    if (path == NULL)
        return report_open(r, e->inv);
    mst_status status = report_open_to(r, e->inv, "-");
    bool force = option_given(e->inv, &option_force), words = false;
    size_t dim = landmark_dim(e->m);
    char(*text)[COLUMN_NAME] = calloc(e->width, sizeof *text);
    names = calloc(e->width + 1, sizeof *names);
    if (status == MST_OK && (text == NULL || names == NULL))
        status = mst_fail(MST_MEMORY, "not enough memory for the names of columns");
    if (status == MST_OK) {
        size_t length = strlen(path);
        const char *ending = path + length - 4;
        words = named && (strcmp(ending, ".csv") == 0 || strcmp(ending, ".tsv") == 0);
        for (size_t k = 0; k < e->width; k++)
            names[k] = column_name(e, k, text[k]);
        names[e->width] = "group";
        status = words     ? mst_writer_open_words(&r->points, path, e->width + 1, names, force)
                 : dim > 0 ? mst_writer_open_landmarks(&r->points, path, e->width, dim, force)
                           : mst_writer_open(&r->points, path, e->width, NULL, force);
        r->words = words;
        status = note_output(e->inv, status);
    }
    free(text);
    free(names);
    return status;
}

mst_status report_points(report *r, const estimation *e, size_t n, const double *x,
                         const char *const *names)
{
    double *coded;
    if (r->points == NULL)
        return MST_OK;
    mst_status status = new_doubles(&coded, n, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, n, x, &e->points, coded);
    if (status == MST_OK)
        status = note_output(e->inv, r->words ? mst_writer_rows_words(r->points, n, coded, names)
                                              : mst_writer_specimens(r->points, n, coded, names));
    free(coded);
    return status;
}
