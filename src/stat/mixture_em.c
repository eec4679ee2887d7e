/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Generalised EM (Dempster, Laird and Rubin 1977): the M-step is a few Newton steps on each component, which
 * never lower its part of the expected log-likelihood, and so the log-likelihood never falls. */
#include "heat/radial_table.h"
#include "stat/fit.h"
#include "stat/mixture_parts.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };
enum { NEWTON_STEPS = 1 };

/* How a component steps: it looks at where that leads; it does not; nor at second derivatives by the time,
 * those of the last step being as good. */
typedef enum step { GUARDED, BLIND, BLIND_AGAIN } step;

/* A component with less than this share of the points has lost them. */
static const double lost_share = 1e-8;
/* Rows with less responsibility than this are left out of the M-step: what they add to a sum is less than
 * its rounding, or nearly. */
static const double negligible = 1e-25;

mst_status mixture_em_new(mixture_em *e)
{
    size_t blocks = e->n / BLOCK + 1;
    size_t past = 2 * mixture_size(e->k, e->D) + 2 * e->k * (e->d + 2);
    size_t kept = mixture_size(e->k, e->D) + e->n * e->k, q = e->d + 1;
    MST_TRY(mst_allocate(&e->memory, e->n * (e->k + e->D + 1) + (e->D + 1) + q + blocks + past +
                                         kept + e->k * q * q));
    e->responsibilities = e->memory;
    e->rows = e->responsibilities + e->n * e->k;
    e->weights = e->rows + e->n * e->D;
    e->trial = e->weights + e->n;
    e->gradient = e->trial + e->D + 1;
    e->partial = e->gradient + e->d + 1;
    e->past = e->partial + blocks;
    e->kept = e->past + past;
    e->kept_responsibilities = e->kept + mixture_size(e->k, e->D);
    e->hessians = e->kept + kept;
    return mst_allocate_zero(&e->tables, e->k);
}

void mixture_em_free(mixture_em *e)
{
    if (e->tables != NULL)
        mixture_drop_tables(e);
    mst_release(e->tables);
    mst_release(e->memory);
    e->tables = NULL;
    e->memory = NULL;
}

mst_status mixture_make_tables(mixture_em *e)
{
    for (size_t j = 0; fit_takes_tables(e->source, e->n) && j < e->k; j++)
        MST_TRY(radial_tables_new(&e->tables[j], mst_score_manifold(e->source),
                                  e->centres + j * e->D, e->times[j]));
    return MST_OK;
}

void mixture_drop_tables(mixture_em *e)
{
    for (size_t j = 0; j < e->k; j++) {
        radial_tables_free(e->tables[j]);
        e->tables[j] = NULL;
    }
}

/* Turns log(π_j p_j) of one row into responsibilities and gives log Σ_j π_j p_j. */
static double normalise_row(size_t k, double *r)
{
    double largest = -INFINITY, sum = 0;
    for (size_t j = 0; j < k; j++)
        largest = fmax(largest, r[j]);
    for (size_t j = 0; j < k; j++) {
        r[j] = exp(r[j] - largest);
        sum += r[j];
    }
    for (size_t j = 0; j < k; j++)
        r[j] /= sum;
    return largest + log(sum);
}

/* log(π_j p_j) of rows at … at + n − 1 for all components. */
static mst_status fill_logs(const mixture_em *e, size_t at, size_t n)
{
    double log_p[ROWS];
    for (size_t j = 0; j < e->k; j++) {
        mst_pairs pairs = {.n = n,
                           .x = e->x + at * e->D,
                           .y = e->centres + j * e->D,
                           .t = &e->times[j],
                           .first = at};
        MST_TRY(e->tables[j] != NULL
                    ? radial_tables_rows(e->tables[j], n, pairs.x, log_p, NULL)
                    : mst_score_evaluate(e->source, &pairs, &(mst_heat_values){.log_p = log_p}));
        if (e->shapes != NULL)
            MST_TRY(mixture_tilt(e, j, at, n, log_p));
        double log_share = log(e->shares[j]);
        for (size_t i = 0; i < n; i++)
            e->responsibilities[(at + i) * e->k + j] = log_share + log_p[i];
    }
    return MST_OK;
}

static mst_status expect_block(void *context, size_t begin, size_t end)
{
    const mixture_em *e = context;
    double sum = 0;
    for (size_t at = begin; at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        MST_TRY(fill_logs(e, at, n));
        for (size_t i = at; i < at + n; i++) {
            double value = normalise_row(e->k, e->responsibilities + i * e->k);
            if (!isfinite(value))
                return mst_fail(MST_BREAKDOWN,
                                "row %zu has no finite log-likelihood in the mixture", i + 1);
            sum += mixture_weight(e, i) * value;
            if (e->values != NULL)
                e->values[i] = value;
        }
    }
    e->partial[begin / BLOCK] = sum;
    return MST_OK;
}

mst_status mixture_expect(mixture_em *e)
{
    mst_status status = mixture_make_tables(e);
    if (status == MST_OK)
        status = mst_parallel_blocks(e->n, BLOCK, e->threads, (mst_progress){0}, expect_block, e);
    mixture_drop_tables(e);
    MST_TRY(status);
    e->log_likelihood = 0;
    for (size_t b = 0; b * BLOCK < e->n; b++)
        e->log_likelihood += e->partial[b];
    return MST_OK;
}

/* Rows and weights of component j; gives the sum of the weights. */
static double gather(const mixture_em *e, size_t j, fit_rows *rows)
{
    double mass = 0;
    *rows = (fit_rows){.x = e->rows, .weights = e->weights};
    for (size_t i = 0; i < e->n; i++) {
        double w = mixture_weight(e, i) * e->responsibilities[i * e->k + j];
        mass += w;
        if (w <= negligible * mixture_weight(e, i))
            continue;
        memcpy(e->rows + rows->n * e->D, e->x + i * e->D, e->D * sizeof *e->x);
        e->weights[rows->n++] = w;
    }
    return mass;
}

/* From the present parameters of component j to trial, at the time `time` if that is not 0. */
static mst_status climb(const mixture_em *e, size_t j, const fit_rows *rows, double time, step how,
                        double *value)
{
    size_t q = e->d + 1;
    double *hessian = e->hessians + j * q * q;
    memcpy(e->trial, e->centres + j * e->D, e->D * sizeof *e->trial);
    e->trial[e->D] = time > 0 ? time : e->times[j];
    bool time_is_free = !(time > 0) && fit_given_time(e->source, 0) == 0;
    fit_means model = fit_one_mean(e->source, rows, time_is_free, e->threads);
    fit_options options = {.method = MST_MEAN_NEWTON,
                           .tolerance = 1e-12,
                           .rate = 0.1,
                           .iterations = NEWTON_STEPS,
                           .blind = how != GUARDED,
                           .hessian = time_is_free && how != GUARDED ? hessian : NULL,
                           .near = time_is_free && how == BLIND_AGAIN ? hessian : NULL};
    fit_outcome outcome;
    MST_TRY(fit_climb(&model.model, e->trial, &options, &outcome));
    *value = outcome.value;
    return MST_OK;
}

static mst_status value_now(const mixture_em *e, size_t j, const fit_rows *rows, double *value)
{
    fit_means model = fit_one_mean(e->source, rows, false, e->threads);
    fit_sums sums = {.gradient = e->gradient};
    memcpy(e->trial, e->centres + j * e->D, e->D * sizeof *e->trial);
    e->trial[e->D] = e->times[j];
    MST_TRY(fit_evaluate(&model.model, e->trial, &sums));
    *value = sums.value;
    return MST_OK;
}

static mst_status improve(mixture_em *e, size_t j, step how)
{
    fit_rows rows;
    double mass = gather(e, j, &rows), value, before;
    e->shares[j] = mass / e->total;
    if (e->shares[j] < lost_share || rows.n == 0)
        return MST_OK;
    MST_TRY(climb(e, j, &rows, 0, how, &value));
    if (!(e->trial[e->D] >= e->least_time)) {
        /* Stop at the least time. Should that be worse than before, keep the time and move the mean only. */
        MST_TRY(value_now(e, j, &rows, &before));
        MST_TRY(climb(e, j, &rows, e->least_time, GUARDED, &value));
        if (!(value >= before))
            MST_TRY(climb(e, j, &rows, e->times[j], GUARDED, &value));
    }
    memcpy(e->centres + j * e->D, e->trial, e->D * sizeof *e->trial);
    e->times[j] = e->trial[e->D];
    return MST_OK;
}

static mst_status improve_all(mixture_em *e, step how)
{
    for (size_t j = 0; j < e->k; j++)
        MST_TRY(improve(e, j, how));
    return mixture_expect(e);
}

mst_status mixture_improve(mixture_em *e)
{
    for (size_t j = 0; j < e->k; j++)
        MST_TRY(improve(e, j, GUARDED));
    return MST_OK;
}

void mixture_keep(mixture_em *e)
{
    memcpy(e->kept, e->shares, mixture_size(e->k, e->D) * sizeof *e->kept);
    memcpy(e->kept_responsibilities, e->responsibilities,
           e->n * e->k * sizeof *e->responsibilities);
    e->kept_log_likelihood = e->log_likelihood;
}

void mixture_return(mixture_em *e)
{
    memcpy(e->shares, e->kept, mixture_size(e->k, e->D) * sizeof *e->kept);
    memcpy(e->responsibilities, e->kept_responsibilities,
           e->n * e->k * sizeof *e->responsibilities);
    e->log_likelihood = e->kept_log_likelihood;
}

/* Blind steps are half the work, and hardly ever lower the log-likelihood. Those that do are taken back and
 * made with care. */
static mst_status step_once(mixture_em *e, bool again)
{
    mixture_keep(e);
    mst_status status = improve_all(e, again ? BLIND_AGAIN : BLIND);
    if (status == MST_OK && e->log_likelihood >= e->kept_log_likelihood)
        return MST_OK;
    if (status == MST_MEMORY || status == MST_INTERRUPTED)
        return status;
    mixture_return(e);
    return improve_all(e, GUARDED);
}

mst_status mixture_iterate(mixture_em *e)
{
    /* The first steps find the points; others begin when they creep. */
    enum { PLAIN_STEPS = 10 };
    bool settled = false;
    size_t size = mixture_size(e->k, e->D), since = 0;
    e->radius = 0.5;
    MST_TRY(mixture_expect(e));
    while (!settled && e->iterations < e->o->iterations) {
        double before = e->log_likelihood;
        double least = e->o->tolerance * fmax(e->total / (double)e->n, fabs(before));
        bool creeps = e->iterations >= PLAIN_STEPS, newton = creeps && mixture_can_newton(e);
        if (newton)
            MST_TRY(mixture_newton(e));
        since = newton ? 0 : since + creeps;
        /* EM has the last word on whether there is anything to gain. */
        if (!(e->log_likelihood - before > least)) {
            memcpy(e->past + (since == 2 ? size : 0), e->shares, size * sizeof *e->past);
            MST_TRY(step_once(e, since == 2));
        }
        e->iterations++;
        settled = e->log_likelihood - before <= least;
        if (!settled && since == 2)
            MST_TRY(mixture_leap(e));
        since %= 2;
        MST_TRY(mst_parallel_tick(1 / ((double)e->o->iterations + 1)));
    }
    e->end = settled ? MST_FIT_SETTLED : MST_FIT_OUT_OF_STEPS;
    for (size_t j = 0; j < e->k; j++)
        e->degenerate |= e->shares[j] < lost_share || e->times[j] <= e->least_time;
    return MST_OK;
}
