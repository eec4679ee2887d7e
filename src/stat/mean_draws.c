/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How resamples are drawn. Rows have the same chance; a row that counts three times is three rows; rows of
 * relative weights are drawn as they are and keep their weights; clusters are drawn whole. */
#include "stat/mean_clusters.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* Resample b draws from this stream and the ones after it. */
static const uint64_t bootstrap_stream = UINT64_C(1) << 32;

/* Of large counts fewer observations are drawn than they are, and the covariance is scaled. */
enum { DRAWS_PER_ROW = 20, MANY_DRAWS = 10000 };

/* The rows that weigh, as units of their own. */
static mst_status take_rows(mean_draws *d, const double *weights)
{
    MST_TRY(mst_allocate(&d->unit_of, d->n));
    d->weights = weights;
    for (size_t i = 0; i < d->n; i++)
        d->unit_of[i] = weights[i] > 0 ? d->units++ : SIZE_MAX;
    d->draws = d->units;
    return MST_OK;
}

/* Counts that are no whole numbers, or sum to less than there are rows, are chances: what they sum to is then
 * in the scale alone. */
static mst_status take_counts(mean_draws *d, const double *counts)
{
    size_t rows = 0;
    MST_TRY(mst_allocate(&d->below, d->n));
    d->whole = true;
    for (size_t i = 0; i < d->n; i++) {
        d->below[i] = d->total;
        d->total += counts[i];
        rows += counts[i] > 0;
        d->whole = d->whole && counts[i] == floor(counts[i]);
    }
    double most = fmax((double)rows * DRAWS_PER_ROW, MANY_DRAWS);
    d->draws = (size_t)fmin(fmax(round(d->total), (double)rows), most);
    d->whole = d->whole && (double)d->draws == d->total;
    d->scale = (double)d->draws / d->total;
    return MST_OK;
}

/* Whole clusters, with the weights of their rows. */
static mst_status take_clusters(mean_draws *d, const double *weights, const size_t *names)
{
    mean_clusters clusters;
    MST_TRY(mean_clusters_new(&clusters, d->n, weights, names));
    d->unit_of = clusters.of;
    d->draws = d->units = clusters.count;
    d->weights = weights;
    return MST_OK;
}

mst_status mean_draws_new(mean_draws *d, const fit_rows *rows, const mst_mean_options *o)
{
    *d = (mean_draws){.n = rows->n, .draws = rows->n, .units = rows->n, .scale = 1};
    if (o->clusters != NULL)
        return take_clusters(d, rows->weights, o->clusters);
    if (rows->weights == NULL)
        return MST_OK;
    if (o->weights_are == MST_WEIGHTS_COUNTS)
        return take_counts(d, rows->weights);
    d->units = 0;
    return take_rows(d, rows->weights);
}

void mean_draws_free(mean_draws *d)
{
    mst_release(d->unit_of);
    mst_release(d->below);
}

/* A number below `most`. Multiplication in place of the remainder: the bias, most/2^64, cannot be seen. */
static size_t number_below(size_t most, uint64_t bits)
{
    __extension__ unsigned __int128 product = (unsigned __int128)bits * most;
    return (size_t)(product >> 64);
}

/* The last row that begins at `place` or before, which has a count. */
static size_t row_at(const mean_draws *d, double place)
{
    size_t low = 0, high = d->n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (d->below[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t draw_one(const mean_draws *d, uint64_t bits)
{
    if (d->below == NULL)
        return number_below(d->units, bits);
    double place = d->whole ? (double)number_below(d->draws, bits)
                            : ldexp((double)(bits >> 11), -53) * d->total;
    return row_at(d, fmin(place, nextafter(d->total, 0)));
}

/* Units are counted where their number stands, which is below that of the rows; then rows take the count of
 * their unit, from the last on: no row has a unit of a higher number than its own. */
static void spread_counts(const mean_draws *d, double *counts)
{
    for (size_t i = d->n; d->unit_of != NULL && i-- > 0;)
        counts[i] = d->unit_of[i] == SIZE_MAX ? 0 : counts[d->unit_of[i]];
    for (size_t i = 0; d->weights != NULL && i < d->n; i++)
        counts[i] *= d->weights[i];
}

void mean_draw(const mean_draws *d, uint64_t seed, size_t number, double *counts)
{
    enum { RUN = 256 };
    uint64_t bits[RUN];
    mst_random stream = {seed, bootstrap_stream + number};
    memset(counts, 0, d->n * sizeof *counts);
    for (size_t i = 0; i < d->draws; i++) {
        if (i % RUN == 0)
            mst_random_bits(stream, i, RUN, bits);
        counts[draw_one(d, bits[i % RUN])] += 1;
    }
    spread_counts(d, counts);
}
