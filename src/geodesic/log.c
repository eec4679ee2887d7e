/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/log.h"

#include "geodesic/own.h"
#include "geodesic/solve.h"
#include "manifold/metric.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <string.h>

/* Vectors to rounding, nearly: a tolerance of 1e-10 would leave errors of 1e-11. */
static mst_geodesic_options options_for(const mst_manifold *m, size_t n, bool vectors)
{
    mst_geodesic_options options = mst_geodesic_options_default();
    double rounding = metric_precision(m);
    options.tolerance = fmax(vectors ? 1e-8 : 1e-10, 10 * rounding);
    options.log_tolerance = vectors ? fmax(1e-12, 100 * rounding) : 0;
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

bool mst_geodesic_is_searched(const mst_manifold *m)
{
    return m->ops.log == geodesic_log;
}

mst_status geodesic_log_again(const mst_manifold *m, mst_geodesics *kept, size_t first, size_t n,
                              const double *x, const double *y, double *v)
{
    geodesic_problem p;
    mst_geodesic_status *ends;
    mst_geodesic_options options = options_for(m, n, true);
    options.warm = kept;
    MST_TRY(mst_allocate(&ends, n));
    mst_geodesic_output out = {.log_x = v, .status = ends};
    mst_status status = problem_new(&p, m);
    if (status == MST_OK)
        status = geodesic_solve_from(&p, first, n, x, y, &options, &out);
    if (status == MST_OK)
        status = first_failure(n, ends);
    problem_free(&p);
    mst_release(ends);
    return status;
}

typedef struct own_search {
    const mst_manifold *m;
    const double *x, *y;
    const mst_geodesic_options *options;
    const mst_geodesic_output *out;
    double *kept;
} own_search;

static mst_status run_own(void *context, size_t begin, size_t end)
{
    const own_search *s = context;
    return s->m->own->solve(s->m, end - begin, s->x, s->y, s->options, false, s->kept, s->out);
}

mst_status geodesic_own_again(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double tolerance, double *kept, double *r, double *v)
{
    mst_geodesic_status *ends;
    mst_geodesic_options options = mst_geodesic_options_default();
    options.tolerance = tolerance;
    MST_TRY(mst_allocate(&ends, n));
    mst_geodesic_output out = {.length = r, .log_x = v, .status = ends};
    own_search s = {m, x, y, &options, &out, kept};
    /* One block, so that its pairs are not counted as the caller's items. */
    mst_status status = mst_parallel_blocks(n, n, 1, (mst_progress){0}, run_own, &s);
    if (status == MST_OK)
        status = first_failure(n, ends);
    mst_release(ends);
    return status;
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
        mst_geodesic_options options = options_for(m, n, true);
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

mst_status geodesic_lengths(const mst_manifold *m, size_t n, const double *x, const double *y,
                            bool best, double *r, mst_geodesic_status *status)
{
    mst_geodesic_options options = options_for(m, n, false);
    mst_geodesic_output out = {.length = r, .status = status};
    options.best = best;
    return mst_geodesic_solve(m, n, x, y, &options, &out);
}

mst_status geodesic_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *r)
{
    mst_geodesic_status *status;
    MST_TRY(mst_allocate(&status, n));
    mst_status answer = geodesic_lengths(m, n, x, y, false, r, status);
    if (answer == MST_OK)
        answer = first_failure(n, status);
    mst_release(status);
    return answer;
}

mst_status geodesic_log_or_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                                  double *v)
{
    size_t D = m->ambient;
    mst_geodesic_options o = mst_geodesic_options_default();
    o.threads = 1;
    MST_TRY(mst_geodesic_solve(m, n, x, y, &o, &(mst_geodesic_output){.log_x = v}));
    for (size_t i = 0; i < n; i++)
        if (isnan(v[i * D]))
            MST_TRY(mst_manifold_toward(m, 1, x + i * D, y + i * D, NULL, v + i * D, NULL));
    return MST_OK;
}
