/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points to estimate from, and what the tests of estimators compare. */
#ifndef TEST_STAT_SAMPLES_H
#define TEST_STAT_SAMPLES_H

#include "support/support.h"

#include <manistat/brownian.h>
#include <manistat/score.h>
#include <stdlib.h>
#include <string.h>

typedef struct space {
    mst_manifold *m;
    mst_score *exact, *log;
    size_t d, D;
} space;

static inline space space_open(const char *spec)
{
    space s;
    ASSERT_OK(mst_manifold_parse(&s.m, spec));
    s.d = mst_manifold_dim(s.m);
    s.D = mst_manifold_ambient(s.m);
    s.exact = NULL;
    if (mst_heat_has_exact(s.m))
        ASSERT_OK(mst_score_exact_new(&s.exact, s.m));
    ASSERT_OK(mst_score_log_new(&s.log, s.m));
    return s;
}

static inline void space_close(space *s)
{
    mst_score_free(s->exact);
    mst_score_free(s->log);
    mst_manifold_free(s->m);
}

/* Exp at the default start of `length` times the unit vector of the frame number `axis`. */
static inline void point_along(const space *s, size_t axis, double length, double *out)
{
    double *c = doubles(s->d + s->D), *start = c + s->d;
    memset(c, 0, s->d * sizeof *c);
    c[axis % s->d] = length;
    mst_manifold_start(s->m, start);
    ASSERT_OK(mst_manifold_from_frame(s->m, 1, start, c, out));
    ASSERT_OK(mst_manifold_exp(s->m, 1, start, out, out));
    free(c);
}

/* Brownian end points from one point; the walk of 20 steps is off by 1e-3 of the law at
 * most at the times used here. */
static inline void brownian_rows(const space *s, const double *start, double time, size_t n,
                                 uint64_t seed, double *out)
{
    mst_brownian_options o = mst_brownian_options_default();
    o.seed = seed;
    o.steps = 20;
    o.threads = 1;
    double *starts = doubles(n * s->D);
    for (size_t i = 0; i < n; i++)
        memcpy(starts + i * s->D, start, s->D * sizeof *starts);
    ASSERT_OK(mst_brownian_endpoints(s->m, n, starts, time, &o, out));
    free(starts);
}

/* n rows around each of k points `apart` from the default start along different axes and directions. */
static inline void clusters_of_rows(const space *s, size_t k, size_t n, double apart, double time,
                                    uint64_t seed, double *out)
{
    double *centre = doubles(s->D);
    for (size_t c = 0; c < k; c++) {
        point_along(s, c / 2, c % 2 == 0 ? apart : -apart, centre);
        brownian_rows(s, centre, time, n, seed + c, out + c * n * s->D);
    }
    free(centre);
}

/* Rows in another order, row i of the result being row order[i]. */
static inline void reorder_rows(size_t n, size_t D, const size_t *order, const double *x,
                                double *out)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * D, x + order[i] * D, D * sizeof *x);
}

static inline double distance_of(const space *s, const double *x, const double *y)
{
    double r;
    ASSERT_OK(mst_manifold_dist(s->m, 1, x, y, &r));
    return r;
}

static inline void assert_same_bits(size_t bytes, const void *a, const void *b, const char *what)
{
    ck_assert_msg(memcmp(a, b, bytes) == 0, "%s differ", what);
}

/* Stops a computation at once. */
static inline int stop_now(void *user, double done, double total)
{
    (void)user;
    (void)done;
    (void)total;
    return 1;
}

#endif
