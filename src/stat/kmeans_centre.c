/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The centre of a cluster. */
#include "score/score_internal.h"
#include "stat/fit.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

void kmeans_gather(kmeans_lloyd *l)
{
    size_t D = l->D, *first = l->first;
    memset(first, 0, (l->k + 1) * sizeof *first);
    for (size_t c = 0; c < l->k; c++)
        l->spread[c] = l->mass[c] = 0;
    for (size_t i = 0; i < l->n; i++)
        first[l->labels[i] + 1] += kmeans_weight(l, i) > 0;
    for (size_t c = 0; c < l->k; c++)
        first[c + 1] += first[c];
    /* The beginnings move to the ends while rows come, and back. */
    for (size_t i = 0; i < l->n; i++) {
        double w = kmeans_weight(l, i);
        if (!(w > 0))
            continue;
        size_t at = first[l->labels[i]]++;
        for (size_t a = 0; a < D; a++)
            l->rows[at * D + a] = l->x[i * D + a];
        l->weights[at] = w;
        l->spread[l->labels[i]] += w * l->squared[i];
        l->mass[l->labels[i]] += w;
    }
    for (size_t c = 0; c < l->k; c++)
        l->spread[c] /= l->mass[c];
    for (size_t c = l->k; c > 0; c--)
        first[c] = first[c - 1];
    first[0] = 0;
}

static bool all_the_same(size_t count, size_t D, const double *rows)
{
    for (size_t i = 1; i < count; i++)
        if (memcmp(rows, rows + i * D, D * sizeof *rows) != 0)
            return false;
    return true;
}

/* Where a cluster's time starts: as it was or, in flat space, at the mean squared distance per dimension. */
static double first_time(const kmeans_lloyd *l, double time, double spread)
{
    double only = fit_given_time(l->source, 0);
    if (only > 0)
        return only;
    return time > 0 && isfinite(time) ? time : spread > 0 ? spread / (double)l->d : 1;
}

/* Is the centre the mean of logarithms that are kept? */
static bool steps_by_kept(const kmeans_lloyd *l)
{
    return l->kept.numbers != NULL && score_is_log(l->source);
}

/* Near the mean: what is left is a part `near` of the scatter, or falls no more. */
static mst_status come_near(kmeans_lloyd *l, size_t c, double near)
{
    double part = INFINITY, before;
    do {
        before = part;
        MST_TRY(kmeans_kept_step(l, c, &part));
    } while (part > near && part < 0.8 * before);
    return MST_OK;
}

/* A source that remembers rows, with first guesses where there are some. */
static mst_status remember(const kmeans_lloyd *l, size_t c, size_t count, mst_score **memory)
{
    double *numbers;
    MST_TRY(mst_score_remember(memory, l->source, count));
    if (!steps_by_kept(l))
        return MST_OK;
    MST_TRY(mst_allocate(&numbers, count * l->kept.keep));
    kmeans_kept_gather(l, c, numbers);
    score_hint_log(*memory, numbers);
    mst_release(numbers);
    return MST_OK;
}

mst_status kmeans_fit_centre(kmeans_lloyd *l, size_t c, bool tight)
{
    double *centre = l->centres + c * l->D, *time = l->times + c, spread = 0, *state;
    size_t count = l->first[c + 1] - l->first[c];
    const double *x = l->rows + l->first[c] * l->D, *weights = l->weights + l->first[c];
    l->settled[c] = 1;
    if (count == 0)
        return MST_OK;
    if (all_the_same(count, l->D, x)) {
        memcpy(centre, x, l->D * sizeof *centre);
        *time = fit_clamp_time(l->source, 0);
        return MST_OK;
    }
    if (steps_by_kept(l) && !tight) {
        double part;
        MST_TRY(kmeans_kept_step(l, c, &part));
        l->settled[c] = 0;
        if (isfinite(part))
            return MST_OK;
    } else if (steps_by_kept(l)) {
        MST_TRY(come_near(l, c, 1e-7));
    }
    bool timed = mst_score_gives(l->source, MST_GIVES_TIME);
    if (!timed)
        spread = l->spread[c];
    else if (!(*time > 0) || !isfinite(*time))
        MST_TRY(mean_squared_size(l->m, count, x, weights, centre, l->threads, &spread));
    MST_TRY(mst_allocate(&state, l->D + 1));
    memcpy(state, centre, l->D * sizeof *state);
    state[l->D] = first_time(l, *time, spread);
    fit_rows rows = {.n = count, .x = x, .weights = weights};
    bool found = false;
    double value;
    if (tight && fit_has_centre(l->source, count)) {
        mst_status known =
            fit_centre(l->source, &rows, centre, 1e-11, l->threads, state, &value, &found);
        if (known == MST_OK && found)
            memcpy(centre, state, l->D * sizeof *centre);
        if (known != MST_OK || found) {
            mst_release(state);
            return known;
        }
        memcpy(state, centre, l->D * sizeof *state);
    }
    fit_means model =
        fit_one_mean(l->source, &rows, timed && fit_given_time(l->source, 0) == 0, l->threads);
    /* The gradient of −½ dist² is a length, that of log p an inverse one: the tolerance is relative to
     * either. Where a manifold ends somewhere, that of lengths is so by itself. */
    bool ends = mst_manifold_traits_of(l->m)->has_border;
    fit_options climb = {.method = MST_MEAN_NEWTON,
                         .tolerance = timed ? 1e-9 : 1e-11 * (ends ? 1 : sqrt(spread)),
                         .rate = 0.1,
                         .iterations = tight ? 100 : 1,
                         .blind = !tight && !timed && !l->careful};
    fit_outcome outcome;
    mst_score *memory = NULL;
    mst_status status = MST_OK;
    if (tight)
        status = remember(l, c, count, &memory);
    model.model.memory = memory;
    if (status == MST_OK)
        status = fit_climb(&model.model, state, &climb, &outcome);
    if (climb.blind && status != MST_OK && status != MST_MEMORY) {
        climb.blind = false;
        memcpy(state, centre, l->D * sizeof *state);
        status = fit_climb(&model.model, state, &climb, &outcome);
    }
    if (status == MST_OK) {
        memcpy(centre, state, l->D * sizeof *centre);
        *time = outcome.end == MST_FIT_UNIFORM ? INFINITY : state[l->D];
        /* Cut off by the number of steps, it must go on; what stopped by itself can do no better. */
        l->settled[c] = tight && outcome.iterations < climb.iterations;
    }
    mst_score_free(memory);
    mst_release(state);
    return status;
}
