/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/log.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

/* Vectors to rounding, nearly: a tolerance of 1e-10 would leave errors of 1e-11. */
static mst_geodesic_options options_for(size_t n, bool vectors)
{
    mst_geodesic_options options = mst_geodesic_options_default();
    options.tolerance = vectors ? 1e-8 : 1e-10;
    options.log_tolerance = vectors ? 1e-12 : 0;
    /* Whoever splits the work already does not want more threads. */
    options.threads = n < 256 || mst_in_parallel_block() ? 1 : 0;
    return options;
}

/* Names the first row without an answer. */
static mst_status first_failure(size_t n, const mst_geodesic_status *status)
{
    for (size_t i = 0; i < n; i++)
        if (status[i] > MST_GEODESIC_LOCAL)
            return mst_fail(MST_CONVERGENCE, "no geodesic was found for pair %zu: %s", i + 1,
                            mst_geodesic_status_words(status[i]));
    return MST_OK;
}

mst_status geodesic_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, unsigned char *flag)
{
    size_t width = n * m->ambient;
    mst_geodesic_status *status;
    double *vectors; /* v may be y, which is read to the end */
    MST_TRY(mst_allocate(&status, n));
    mst_status answer = mst_allocate(&vectors, width);
    if (answer == MST_OK) {
        mst_geodesic_options options = options_for(n, true);
        mst_geodesic_output out = {.log_x = vectors, .status = status, .tie = flag};
        answer = mst_geodesic_solve(m, n, x, y, &options, &out);
    }
    if (answer == MST_OK) {
        for (size_t i = 0; i < width; i++)
            v[i] = isfinite(vectors[i]) ? vectors[i] : 0;
        answer = first_failure(n, status);
    }
    mst_release(vectors);
    mst_release(status);
    return answer;
}

mst_status geodesic_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *r)
{
    mst_geodesic_status *status;
    MST_TRY(mst_allocate(&status, n));
    mst_geodesic_options options = options_for(n, false);
    mst_geodesic_output out = {.length = r, .status = status};
    mst_status answer = mst_geodesic_solve(m, n, x, y, &options, &out);
    if (answer == MST_OK)
        answer = first_failure(n, status);
    mst_release(status);
    return answer;
}
