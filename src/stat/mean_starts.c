/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where the climbs to a mean begin. */
#include "score/score_internal.h"
#include "stat/distances.h"
#include "stat/extrinsic.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* More rows than this: look for other maxima on a sample of them first. */
enum { MANY_ROWS = 20000, SAMPLE_ROWS = 4000 };
/* The same where a row takes long, and where it takes so long that it is remembered. */
enum { PROBE_ROWS = 256, SEARCHED_ROWS = 32 };

/* Streams of random numbers, one purpose each. */
enum { STREAM_STARTS = 1, STREAM_SAMPLE = 2, STREAM_MOVES = 3 };

/* x moved in a random direction by about one radian (curvature makes no difference on smaller scales). */
static mst_status move_at_random(const mean_search *s, size_t number, double *x)
{
    size_t d = s->d;
    double *c;
    MST_TRY(mst_allocate(&c, d + s->D));
    mst_random_normals((mst_random){s->o->seed, STREAM_MOVES}, number * (d + d % 2), d, c);
    mst_status status = mst_manifold_from_frame(s->m, 1, x, c, c + d);
    if (status == MST_OK)
        status = mst_manifold_exp(s->m, 1, x, c + d, x);
    mst_release(c);
    return status;
}

mst_status mean_choose_start(const mean_search *s, size_t k, double *mean)
{
    size_t D = s->D;
    if (k == 0 && s->o->start != NULL) {
        memcpy(mean, s->o->start, D * sizeof *mean);
        return MST_OK;
    }
    if (k == 0) {
        size_t row;
        mst_status status = mean_extrinsic(s->m, s->rows.n, s->rows.x, s->rows.weights, mean);
        /* A mean of matrices that are very far apart may be singular to rounding. */
        if (status == MST_OK)
            status = mst_manifold_validate(s->m, 1, mean, &row);
        if (status != MST_DOMAIN)
            return status;
    }
    memcpy(mean, s->rows.x + s->start_rows[k] * D, D * sizeof *mean);
    return k < s->different ? MST_OK : move_at_random(s, k, mean);
}

mst_status mean_first_time(const mean_search *s, const fit_rows *rows, const double *mean,
                           double *time)
{
    if (s->time > 0) {
        *time = s->time;
        return MST_OK;
    }
    if (!s->model.model.time_is_free) {
        *time = 1; /* there is none */
        return MST_OK;
    }
    if (s->o->start_time > 0) {
        *time = fit_clamp_time(s->model.model.source, s->o->start_time);
        return MST_OK;
    }
    if (s->near != NULL && memcmp(mean, s->near->at, s->D * sizeof *mean) == 0)
        *time = s->near->square;
    else if (score_solves(s->model.model.source) && s->count > 0)
        *time = (double)s->d * *mean_time(s, &s->candidates[0]); /* it is solved for */
    else
        MST_TRY(
            mean_squared_size(s->m, rows->n, rows->x, rows->weights, mean, s->o->threads, time));
    *time = fit_clamp_time(s->model.model.source, *time / (double)s->d);
    if (!(*time > 0) || !isfinite(*time))
        *time = 1;
    return MST_OK;
}

/* Rows that carry weight, `starts` of them in random order. */
static mst_status draw_rows(mean_search *s)
{
    size_t n = s->rows.n, wanted = s->o->starts, *rows = s->start_rows;
    mst_random stream = {s->o->seed, STREAM_STARTS};
    if (s->rows.weights == NULL) {
        s->different = wanted < n ? wanted : n;
        MST_TRY(mst_random_choice(stream, n, s->different, rows));
    } else {
        size_t *order;
        MST_TRY(mst_allocate(&order, n));
        mst_random_permutation(stream, n, order);
        for (size_t i = 0; i < n && s->different < wanted; i++)
            if (s->rows.weights[order[i]] > 0)
                rows[s->different++] = order[i];
        mst_release(order);
    }
    for (size_t i = s->different; i < wanted; i++)
        rows[i] = rows[i % s->different];
    return MST_OK;
}

/* A random sample of the rows for a first look at other maxima; all rows where hardly any has a weight. */
static mst_status draw_sample(mean_search *s, size_t count)
{
    size_t D = s->D, *rows;
    double weight = 0;
    MST_TRY(mst_allocate(&s->sample_x, count * D));
    if (s->rows.weights != NULL)
        MST_TRY(mst_allocate(&s->sample_weights, count));
    MST_TRY(mst_allocate(&rows, count));
    mst_status status =
        mst_random_choice((mst_random){s->o->seed, STREAM_SAMPLE}, s->rows.n, count, rows);
    for (size_t i = 0; status == MST_OK && i < count; i++) {
        memcpy(s->sample_x + i * D, s->rows.x + rows[i] * D, D * sizeof *s->sample_x);
        if (s->sample_weights != NULL)
            weight += s->sample_weights[i] = s->rows.weights[rows[i]];
    }
    mst_release(rows);
    if (s->sample_weights == NULL || weight > 0)
        s->sample = (fit_rows){
            .n = count, .first = FIT_DRAWN_FIRST, .x = s->sample_x, .weights = s->sample_weights};
    return status;
}

mst_status mean_draw_starts(mean_search *s)
{
    bool slow = fit_is_slow(s->model.model.source);
    size_t many = s->memory != NULL ? SEARCHED_ROWS : slow ? PROBE_ROWS : MANY_ROWS;
    MST_TRY(mst_allocate(&s->start_rows, s->o->starts));
    MST_TRY(draw_rows(s));
    s->sample = s->rows;
    if (s->rows.n <= many || (s->o->starts == 1 && !slow))
        return MST_OK;
    return draw_sample(s, slow ? many : SAMPLE_ROWS);
}
