/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Separate fits against a common one. The hypothesis says which of mean and time the groups of the common
 * model share. */
#include "score/score_internal.h"
#include "stat/distances.h"
#include "stat/distributions.h"
#include "stat/extrinsic.h"
#include "stat/sample_test_parts.h"

#include <math.h>
#include <string.h>

mst_status comparison_new(comparison *c, const samples *t)
{
    size_t k = t->groups, state = k * (t->D + 1);
    double *numbers;
    size_t *sizes;
    *c = (comparison){0};
    MST_TRY(mst_allocate_zero(&numbers, 3 * state + 3 * k));
    c->memory[0] = numbers;
    c->null = numbers;
    c->separate = c->null + state;
    c->trial = c->separate + state;
    c->value = c->trial + state;
    c->start_time = c->value + k;
    c->precision = c->start_time + k;
    MST_TRY(mst_allocate(&c->rows, k));
    c->memory[1] = c->rows;
    MST_TRY(mst_allocate(&sizes, 2 * k));
    c->memory[2] = sizes;
    c->mean_of = sizes;
    c->time_of = sizes + k;
    for (size_t g = 0; g < k; g++) {
        c->mean_of[g] = g < null_means(t) ? g : 0;
        c->time_of[g] = g < null_times(t) ? g : 0;
    }
    return MST_OK;
}

void comparison_free(comparison *c)
{
    for (size_t k = 0; k < 3; k++)
        mst_release(c->memory[k]);
}

/* The state of a group by itself: mean (D), time. */
static double *separate_state(const samples *t, const comparison *c, size_t g)
{
    return c->separate + g * (t->D + 1);
}

/* What the common state says of a group. */
static void copy_common(const samples *t, const comparison *c, size_t g, double *state)
{
    memcpy(state, c->null + c->mean_of[g] * t->D, t->D * sizeof *state);
    state[t->D] = c->null[null_means(t) * t->D + c->time_of[g]];
}

/* Σ dist²/(n d) about `mean`, the time of flat space; the fixed one if there is one. */
static mst_status first_time(const samples *t, const fit_rows *rows, const double *mean,
                             double *time)
{
    *time = t->time;
    if (!t->time_is_free)
        return MST_OK;
    MST_TRY(mean_squared_size(t->m, rows->n, rows->x, rows->weights, mean, t->threads, time));
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

/* One group from the start in `state`; *value is INFINITY where all its points are one
 * and the time is free. */
static mst_status fit_one(const samples *t, const fit_rows *rows, double *state, double *value,
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

/* The groups by themselves, each from the mean of its coordinates, or where that has no direction from the
 * pooled mean. */
static mst_status fit_separate(const samples *t, comparison *c)
{
    c->separate_value = 0;
    for (size_t g = 0; g < t->groups; g++) {
        double *state = separate_state(t, c, g);
        const fit_rows *rows = &c->rows[g];
        bool found = false;
        if (fit_has_centre(t->source, rows->n))
            MST_TRY(fit_centre(t->source, rows, t->pooled, climb.tolerance, t->threads, state,
                               &c->value[g], &found));
        if (found) {
            state[t->D] = t->time;
            c->separate_value += c->value[g];
            continue;
        }
        mst_status status = mean_extrinsic(t->m, rows->n, rows->x, rows->weights, state);
        if (status == MST_DOMAIN)
            memcpy(state, t->pooled, t->D * sizeof *state);
        else
            MST_TRY(status);
        MST_TRY(first_time(t, rows, state, state + t->D));
        MST_TRY(fit_one(t, rows, state, &c->value[g], &c->separate_converged));
        c->separate_value += c->value[g];
    }
    return MST_OK;
}

/* The common mean by a way of its own: groups stand one after the other. */
static mst_status find_null(const samples *t, comparison *c, bool *found)
{
    fit_rows all = c->rows[0];
    all.n = t->n;
    MST_TRY(fit_centre(t->source, &all, t->pooled, climb.tolerance, t->threads, c->null,
                       &c->null_value, found));
    if (!*found) {
        c->null_value = -INFINITY;
        return MST_OK;
    }
    for (size_t k = 0; k < null_times(t); k++)
        c->null[t->D + k] = t->time;
    c->null_end = MST_FIT_SETTLED;
    return MST_OK;
}

/* The common fit from one mean (null: each group from its own), kept if it is the best so far. */
static mst_status try_null(const samples *t, const double *start, comparison *c)
{
    size_t means = null_means(t), times = null_times(t);
    double *time = c->trial + means * t->D, *each = c->start_time;
    for (size_t g = 0; g < t->groups; g++) {
        const double *mean = start != NULL ? start : separate_state(t, c, g);
        if (g < means)
            memcpy(c->trial + g * t->D, mean, t->D * sizeof *mean);
        MST_TRY(first_time(t, &c->rows[g], mean, &each[g]));
    }
    if (times == 1) {
        double sum = 0;
        for (size_t g = 0; g < t->groups; g++)
            sum += (double)c->rows[g].n * each[g];
        each[0] = sum / (double)t->n;
    }
    memcpy(time, each, times * sizeof *time);
    fit_means model = fit_many_means(t->source, t->groups, c->rows, means, c->mean_of, times,
                                     c->time_of, t->time_is_free, t->threads);
    fit_outcome outcome;
    MST_TRY(fit_climb(&model.model, c->trial, &climb, &outcome));
    if (outcome.value > c->null_value) {
        c->null_value = outcome.value;
        memcpy(c->null, c->trial, t->groups * (t->D + 1) * sizeof *c->null);
        c->null_end = outcome.end;
        c->null_converged = has_value(&outcome);
    }
    return MST_OK;
}

/* Without log p only the difference of the two is known: from the common state to the separate one of each
 * group. */
static mst_status compare_by_gradients(const samples *t, comparison *c)
{
    if (mst_score_gives(t->source, MST_GIVES_LOG_P))
        return MST_OK;
    c->null_value = c->separate_value = 0;
    for (size_t g = 0; g < t->groups; g++) {
        fit_means model = fit_one_mean(t->source, &c->rows[g], t->time_is_free, t->threads);
        double difference, variation;
        copy_common(t, c, g, c->trial);
        MST_TRY(fit_difference(&model.model, c->trial, separate_state(t, c, g), &difference,
                               &variation));
        c->separate_value += difference;
    }
    return MST_OK;
}

/* The separate fits missed their maxima: they do at least as well from the common one. */
static mst_status fit_separate_again(const samples *t, comparison *c)
{
    c->separate_value = 0;
    c->separate_converged = true;
    for (size_t g = 0; g < t->groups; g++) {
        double *state = separate_state(t, c, g);
        copy_common(t, c, g, state);
        MST_TRY(fit_one(t, &c->rows[g], state, &c->value[g], &c->separate_converged));
        c->separate_value += c->value[g];
    }
    return compare_by_gradients(t, c);
}

mst_status samples_scatter(const samples *t, const fit_rows *rows, const double *mean, size_t units,
                           const size_t *ends, double *out)
{
    double *state;
    size_t begin = 0;
    MST_TRY(mst_allocate(&state, t->D + 1 + t->d));
    memcpy(state, mean, t->D * sizeof *state);
    state[t->D] = 1;
    mst_status status = MST_OK;
    fit_rows part = *rows;
    *out = 0;
    for (size_t k = 0; status == MST_OK && k < (ends != NULL ? units : 1); k++) {
        if (ends != NULL) {
            part.x = rows->x + begin * t->D;
            part.n = ends[k] - begin;
            begin = ends[k];
        }
        fit_means model = fit_one_mean(t->source, &part, false, t->threads);
        fit_sums sums = {.gradient = state + t->D + 1};
        status = fit_evaluate(&model.model, state, &sums);
        double square = 0;
        for (size_t a = 0; a < t->d; a++)
            square += sums.gradient[a] * sums.gradient[a];
        *out += ends != NULL ? square : sums.score_square;
    }
    mst_release(state);
    return status;
}

/* A group that hardly scatters is not allowed to be all that counts: its share is no less than 1e-12 of the
 * pooled scatter. */
double samples_scale(const samples *t, double n, size_t units, double scatter)
{
    double least = 1e-12 * t->pooled_square * n / (double)t->n, few = (double)units - 1;
    scatter = fmax(scatter, least);
    return scatter > 0 ? n * few / (scatter * (double)units) : 1;
}

static mst_status standardise(const samples *t, const test_arrangement *a, comparison *c)
{
    const test_units *u = t->units;
    size_t first = 0, *ends = a->work;
    for (size_t g = 0; g < t->groups; g++) {
        const size_t *place = u->group_places + g;
        size_t units = place[1] - place[0];
        double n = (double)c->rows[g].n, scatter;
        for (size_t k = 0; k < units; k++)
            ends[k] = a->ends[place[0] + k] - first;
        scatter = -2 * c->value[g]; /* rows that count one each: known already */
        if (u->clusters > 0 || !score_is_log(t->source))
            MST_TRY(samples_scatter(t, &c->rows[g], separate_state(t, c, g), units,
                                    u->clusters > 0 ? ends : NULL, &scatter));
        double scale = samples_scale(t, n, units, scatter);
        for (size_t i = 0; i < c->rows[g].n; i++)
            a->standard[first + i] = scale;
        c->rows[g].weights = a->standard + first;
        c->precision[g] = n * scale;
        c->value[g] *= scale;
        first += c->rows[g].n;
    }
    c->separate_value = 0;
    for (size_t g = 0; g < t->groups; g++)
        c->separate_value += c->value[g];
    return MST_OK;
}

mst_status samples_compare(const samples *t, const test_arrangement *a, bool thorough,
                           comparison *c)
{
    size_t means = null_means(t), first = 0;
    for (size_t g = 0; g < t->groups; first += a->sizes[g], g++)
        c->rows[g] = (fit_rows){.n = a->sizes[g],
                                .first = first,
                                .x = a->x + first * t->D,
                                .weights = a->weights != NULL ? a->weights + first : NULL};
    if (t->flat != NULL)
        return samples_compare_flat(t, a, thorough, c);
    c->null_converged = c->separate_converged = true;
    c->null_value = -INFINITY;
    MST_TRY(fit_separate(t, c));
    if (isinf(c->separate_value))
        return MST_OK;
    if (t->standardised)
        MST_TRY(standardise(t, a, c));
    bool found = false;
    if (means == 1 && fit_has_centre(t->source, t->n))
        MST_TRY(find_null(t, c, &found));
    if (found)
        return MST_OK;
    MST_TRY(try_null(t, means > 1 ? NULL : t->pooled, c));
    /* Which start led highest is for log p to tell. */
    thorough = thorough && mst_score_gives(t->source, MST_GIVES_LOG_P);
    for (size_t g = 0; thorough && means == 1 && g < t->groups; g++)
        MST_TRY(try_null(t, separate_state(t, c, g), c));
    MST_TRY(compare_by_gradients(t, c));
    return c->null_value <= c->separate_value ? MST_OK : fit_separate_again(t, c);
}

double samples_statistic(const comparison *c)
{
    return fmax(0, 2 * (c->separate_value - c->null_value));
}

test_rank samples_rank(const samples *t, const comparison *c, double slack)
{
    bool times = t->time_is_free && t->o->hypothesis == MST_EQUAL_MEANS && t->units->clusters == 0;
    double k = (double)t->groups, statistic = samples_statistic(c) + slack, total = 0, h = 0;
    const size_t *places = t->units->group_places;
    if (!times && !t->standardised)
        return (test_rank){1 / (1 + statistic), INFINITY};
    for (size_t g = 0; g < t->groups; g++) {
        if (times) /* a unit is a row */
            c->precision[g] =
                (double)(places[g + 1] - places[g]) / c->separate[g * (t->D + 1) + t->D];
        total += c->precision[g];
    }
    for (size_t g = 0; g < t->groups; g++) {
        double others = 1 - c->precision[g] / total;
        h += others * others / ((double)t->d * (double)(places[g + 1] - places[g] - 1));
    }
    double q = (double)t->d * (k - 1), freedom = (k * k - 1) / (3 * h);
    double ratio = times ? freedom / q * expm1(statistic / (freedom + q))
                         : statistic / (k - 1) / (1 + 2 * (k - 2) * h / (k * k - 1));
    return (test_rank){mst_f_survival(ratio, q, freedom), freedom};
}
