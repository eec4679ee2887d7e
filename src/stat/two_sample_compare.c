/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two fits against a common one. The hypothesis says which of mean and time the two
 * groups of the common model share. */
#include "stat/distances.h"
#include "stat/extrinsic.h"
#include "stat/two_sample_parts.h"

#include <math.h>
#include <string.h>

mst_status comparison_new(comparison *c, size_t D)
{
    size_t size = 2 * D + 2;
    *c = (comparison){0};
    MST_TRY(mst_allocate_zero(&c->memory, 3 * size));
    c->null = c->memory;
    c->separate = c->null + size;
    c->trial = c->separate + size;
    return MST_OK;
}

/* The state of sample s by itself: mean (D), time. */
static double *separate_state(const two_samples *t, const comparison *c, size_t s)
{
    return c->separate + s * (t->D + 1);
}

/* Which mean and time of the common model a sample has. */
static size_t null_mean_of(const two_samples *t, size_t s)
{
    return s < null_means(t) ? s : 0;
}

static size_t null_time_of(const two_samples *t, size_t s)
{
    return s < null_times(t) ? s : 0;
}

/* What the common state says of sample s. */
static void copy_common(const two_samples *t, const comparison *c, size_t s, double *state)
{
    memcpy(state, c->null + null_mean_of(t, s) * t->D, t->D * sizeof *state);
    state[t->D] = c->null[null_means(t) * t->D + null_time_of(t, s)];
}

/* Σ dist²/(n d) about `mean`, the time of flat space; the fixed one if there is one. */
static mst_status first_time(const two_samples *t, const fit_rows *rows, const double *mean,
                             double *time)
{
    *time = t->time;
    if (!t->time_is_free)
        return MST_OK;
    MST_TRY(mean_squared_size(t->m, rows->n, rows->x, NULL, mean, t->threads, time));
    *time = fit_clamp_time(t->source, *time / (double)t->d);
    return MST_OK;
}

/* The value is second order in the gradient: 1e-8 leaves 1e-16 per row. */
static const fit_options climb = {
    .method = MST_MEAN_NEWTON, .tolerance = 1e-8, .rate = 0.1, .iterations = 100};

/* A law that becomes uniform has a value as well. */
static bool has_value(const fit_outcome *out)
{
    return fit_has_converged(out->end) || out->end == MST_FIT_UNIFORM;
}

/* One sample from the start in `state`; *value is INFINITY where all its points are one
 * and the time is free. */
static mst_status fit_one(const two_samples *t, const fit_rows *rows, double *state, double *value,
                          bool *converged)
{
    fit_outcome outcome;
    if (!(state[t->D] >= 1e-29) && t->time_is_free) {
        *value = INFINITY;
        return MST_OK;
    }
    fit_means model = fit_one_mean(t->source, rows, t->time_is_free, t->threads);
    MST_TRY(fit_climb(&model.model, state, &climb, &outcome));
    *value = outcome.value;
    *converged &= has_value(&outcome);
    return MST_OK;
}

/* Both samples by themselves, each from the mean of its coordinates, or where that has no direction from the
 * pooled mean. */
static mst_status fit_separate(const two_samples *t, const fit_rows *rows, comparison *c)
{
    c->separate_value = 0;
    for (size_t s = 0; s < 2; s++) {
        double *state = separate_state(t, c, s), value;
        mst_status status = mean_extrinsic(t->m, rows[s].n, rows[s].x, NULL, state);
        if (status == MST_DOMAIN)
            memcpy(state, t->pooled, t->D * sizeof *state);
        else
            MST_TRY(status);
        MST_TRY(first_time(t, &rows[s], state, state + t->D));
        MST_TRY(fit_one(t, &rows[s], state, &value, &c->separate_converged));
        c->separate_value += value;
    }
    return MST_OK;
}

/* The common fit from one mean (null: each sample from its own), kept if it is the best so far. */
static mst_status try_null(const two_samples *t, const fit_rows *rows, const double *start,
                           comparison *c)
{
    size_t size = 2 * t->D + 2, means = null_means(t), times = null_times(t);
    double *time = c->trial + means * t->D, each[2];
    for (size_t s = 0; s < 2; s++) {
        const double *mean = start != NULL ? start : separate_state(t, c, s);
        if (s < means)
            memcpy(c->trial + s * t->D, mean, t->D * sizeof *mean);
        MST_TRY(first_time(t, &rows[s], mean, &each[s]));
    }
    double n1 = (double)t->n[0], n2 = (double)t->n[1];
    if (times == 1)
        each[0] = (n1 * each[0] + n2 * each[1]) / (n1 + n2);
    memcpy(time, each, times * sizeof *time);
    const size_t mean_of[] = {0, null_mean_of(t, 1)}, time_of[] = {0, null_time_of(t, 1)};
    fit_means model = fit_many_means(t->source, 2, rows, means, mean_of, times, time_of,
                                     t->time_is_free, t->threads);
    fit_outcome outcome;
    MST_TRY(fit_climb(&model.model, c->trial, &climb, &outcome));
    if (outcome.value > c->null_value) {
        c->null_value = outcome.value;
        memcpy(c->null, c->trial, size * sizeof *c->null);
        c->null_end = outcome.end;
        c->null_converged = has_value(&outcome);
    }
    return MST_OK;
}

/* Without log p only the difference of the two is known: from the common state to the
 * separate one of each sample. */
static mst_status compare_by_gradients(const two_samples *t, const fit_rows *rows, comparison *c)
{
    if (mst_score_gives(t->source, MST_GIVES_LOG_P))
        return MST_OK;
    c->null_value = c->separate_value = 0;
    for (size_t s = 0; s < 2; s++) {
        fit_means model = fit_one_mean(t->source, &rows[s], t->time_is_free, t->threads);
        double difference, variation;
        copy_common(t, c, s, c->trial);
        MST_TRY(fit_difference(&model.model, c->trial, separate_state(t, c, s), &difference,
                               &variation));
        c->separate_value += difference;
    }
    return MST_OK;
}

/* The separate fits missed their maxima: they do at least as well from the common one. */
static mst_status fit_separate_again(const two_samples *t, const fit_rows *rows, comparison *c)
{
    c->separate_value = 0;
    c->separate_converged = true;
    for (size_t s = 0; s < 2; s++) {
        double value, *state = separate_state(t, c, s);
        copy_common(t, c, s, state);
        MST_TRY(fit_one(t, &rows[s], state, &value, &c->separate_converged));
        c->separate_value += value;
    }
    return compare_by_gradients(t, rows, c);
}

mst_status two_sample_compare(const two_samples *t, const double *x, bool thorough, comparison *c)
{
    size_t means = null_means(t);
    fit_rows rows[2] = {{.n = t->n[0], .x = x},
                        {.n = t->n[1], .first = t->n[0], .x = x + t->n[0] * t->D}};
    c->null_converged = c->separate_converged = true;
    c->null_value = -INFINITY;
    MST_TRY(fit_separate(t, rows, c));
    if (isinf(c->separate_value))
        return MST_OK;
    MST_TRY(try_null(t, rows, means == 2 ? NULL : t->pooled, c));
    /* Which start led highest is for log p to tell. */
    thorough = thorough && mst_score_gives(t->source, MST_GIVES_LOG_P);
    for (size_t s = 0; thorough && means == 1 && s < 2; s++)
        MST_TRY(try_null(t, rows, separate_state(t, c, s), c));
    MST_TRY(compare_by_gradients(t, rows, c));
    return c->null_value <= c->separate_value ? MST_OK : fit_separate_again(t, rows, c);
}

double two_sample_statistic(const comparison *c)
{
    return fmax(0, 2 * (c->separate_value - c->null_value));
}
