/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the tests of means share: a manifold with its sources, simulated rows, fits that
 * must end in a given way. */
#ifndef TEST_MEAN_SUPPORT_H
#define TEST_MEAN_SUPPORT_H

#include "support/manifolds.h"

#include <manistat/brownian.h>
#include <manistat/mean.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    mst_manifold *m;
    mst_score *exact, *log; /* exact is null where there is no closed form */
    size_t d, D;
} setting;

static inline setting setting_of(mst_manifold *m)
{
    setting s = {.m = m, .d = mst_manifold_dim(m), .D = mst_manifold_ambient(m)};
    ASSERT_OK(mst_score_log_new(&s.log, m));
    if (mst_heat_has_exact(m))
        ASSERT_OK(mst_score_exact_new(&s.exact, m));
    return s;
}

static inline setting setting_open(const char *spec)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return setting_of(m);
}

static inline void setting_close(setting *s)
{
    mst_score_free(s->exact);
    mst_score_free(s->log);
    mst_manifold_free(s->m);
}

/* n end points of Brownian motion from `from` (null: the default start); release with free. */
static inline double *draw(const setting *s, size_t n, const double *from, double time,
                           uint64_t seed)
{
    double *x = doubles(n * s->D);
    for (size_t i = 0; i < n; i++)
        if (from != NULL)
            memcpy(x + i * s->D, from, s->D * sizeof *x);
        else
            mst_manifold_start(s->m, x + i * s->D);
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 20;
    o.seed = seed;
    ASSERT_OK(mst_brownian_endpoints(s->m, n, x, time, &o, x));
    return x;
}

/* The result of a fit that must end with `expected`; MST_OK and MST_CONVERGENCE have one. */
static inline mst_mean_result *fit_ending(mst_status expected, const mst_score *source, size_t n,
                                          const double *x, const mst_mean_options *o)
{
    mst_mean_result *r = NULL;
    mst_status status = mst_mean_fit(&r, source, n, x, o);
    ck_assert_msg(status == expected, "%s on %s: %s instead of %s: %s", mst_score_name(source),
                  mst_manifold_spec(mst_score_manifold(source)), mst_status_name(status),
                  mst_status_name(expected), mst_error_detail());
    ck_assert((r != NULL) == (status == MST_OK || status == MST_CONVERGENCE));
    return r;
}

static inline mst_mean_result *fit(const mst_score *source, size_t n, const double *x,
                                   const mst_mean_options *o)
{
    mst_mean_result *r = fit_ending(MST_OK, source, n, x, o);
    ck_assert(r->converged && r->n == n && r->seconds >= 0);
    ck_assert(r->end == MST_FIT_SETTLED || r->end == MST_FIT_ROUNDING || r->end == MST_FIT_EDGE);
    ck_assert(r->seed == (o != NULL ? o->seed : mst_mean_options_default().seed));
    return r;
}

static inline double gap(const setting *s, const double *x, const double *y)
{
    double r;
    ASSERT_OK(mst_manifold_dist(s->m, 1, x, y, &r));
    return r;
}

/* Everything that does not depend on the choice of a frame is the same, up to this relative error. */
static inline void assert_same_fit(const setting *s, const mst_mean_result *a,
                                   const mst_mean_result *b, double tolerance, const char *what)
{
    assert_near(gap(s, a->mean, b->mean), 0, tolerance, "%s: mean", what);
    if (!isnan(b->time)) {
        assert_near(a->time, b->time, tolerance * b->time, "%s: time", what);
        assert_near(a->log_likelihood, b->log_likelihood,
                    tolerance * fmax(1, fabs(b->log_likelihood)), "%s: log-likelihood", what);
    }
    /* Second derivatives are known to seven digits where times are involved. */
    assert_near(a->standard_error, b->standard_error, (tolerance + 1e-6) * b->standard_error,
                "%s: standard error", what);
    if (!isnan(b->time_standard_error))
        assert_near(a->time_standard_error, b->time_standard_error,
                    (tolerance + 1e-6) * b->time_standard_error, "%s: error of the time", what);
}

#endif
