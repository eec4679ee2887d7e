/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The centre of a cluster. */
#include "stat/fit.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

/* Copies the rows of cluster c that carry weight, all at once and one after another. */
static size_t gather(kmeans_lloyd *l, size_t c)
{
    size_t count = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->labels[i] == c && kmeans_weight(l, i) > 0) {
            memcpy(l->rows + count * l->D, l->x + i * l->D, l->D * sizeof *l->x);
            l->weights[count++] = kmeans_weight(l, i);
        }
    return count;
}

/* Mean of the squared distances from the centre, which the labels were found by. */
static double own_spread(const kmeans_lloyd *l, size_t c)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->labels[i] == c && kmeans_weight(l, i) > 0) {
            sum += kmeans_weight(l, i) * l->squared[i];
            total += kmeans_weight(l, i);
        }
    return sum / total;
}

static bool all_the_same(const kmeans_lloyd *l, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (memcmp(l->rows, l->rows + i * l->D, l->D * sizeof *l->rows) != 0)
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

mst_status kmeans_fit_centre(kmeans_lloyd *l, size_t c, bool tight)
{
    double *centre = l->centres + c * l->D, *time = l->times + c, spread = 0, *state;
    size_t count = gather(l, c);
    l->settled[c] = 1;
    if (count == 0)
        return MST_OK;
    if (all_the_same(l, count)) {
        memcpy(centre, l->rows, l->D * sizeof *centre);
        *time = fit_clamp_time(l->source, 0);
        return MST_OK;
    }
    bool timed = mst_score_gives(l->source, MST_GIVES_TIME);
    if (!timed)
        spread = own_spread(l, c);
    else if (!(*time > 0) || !isfinite(*time))
        MST_TRY(mean_squared_size(l->m, count, l->rows, l->weights, centre, l->threads, &spread));
    MST_TRY(mst_allocate(&state, l->D + 1));
    memcpy(state, centre, l->D * sizeof *state);
    state[l->D] = first_time(l, *time, spread);
    fit_rows rows = {.n = count, .x = l->rows, .weights = l->weights};
    fit_means model =
        fit_one_mean(l->source, &rows, timed && fit_given_time(l->source, 0) == 0, l->threads);
    /* The gradient of −½ dist² is a length, that of log p an inverse one: the tolerance
     * is relative to either. */
    fit_options climb = {.method = MST_MEAN_NEWTON,
                         .tolerance = timed ? 1e-9 : 1e-11 * sqrt(spread),
                         .rate = 0.1,
                         .iterations = tight ? 100 : 1,
                         .blind = !tight && !timed && !l->careful};
    fit_outcome outcome;
    mst_status status = fit_climb(&model.model, state, &climb, &outcome);
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
    mst_release(state);
    return status;
}
