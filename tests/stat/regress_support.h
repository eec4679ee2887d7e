/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the tests of regressions share: rows about a geodesic. */
#ifndef TEST_REGRESS_SUPPORT_H
#define TEST_REGRESS_SUPPORT_H

#include "stat/mean_support.h"

#include <manistat/regress.h>

/* A curve: point and velocities (k, D), the noise. */
typedef struct true_curve {
    size_t k;
    double *point, *velocities, noise;
} true_curve;

/* A point at random and velocities of the length `speed` each. */
static inline true_curve curve_at_random(const setting *s, size_t k, double speed, double noise,
                                         uint64_t seed)
{
    true_curve c = {.k = k, .noise = noise, .velocities = doubles(k * s->D)};
    c.point = draw(s, 1, NULL, 0.05, seed);
    dice rng = {seed};
    for (size_t j = 0; j < k; j++) {
        double *frame = doubles(s->d), length = 0;
        for (size_t a = 0; a < s->d; a++) {
            frame[a] = dice_normal(&rng);
            length += frame[a] * frame[a];
        }
        for (size_t a = 0; a < s->d; a++)
            frame[a] *= length > 0 ? speed / sqrt(length) : 0;
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, c.point, frame, c.velocities + j * s->D));
        free(frame);
    }
    return c;
}

static inline void curve_free(true_curve *c)
{
    free(c->point);
    free(c->velocities);
}

/* y (n, D): Brownian motion from the curve at x (n, k), origin 0, number `set` of many. */
static inline mst_status rows_about(const setting *s, const true_curve *c, size_t n,
                                    const double *x, size_t set, double *y)
{
    double u[64];
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        memset(u, 0, sizeof u);
        for (size_t j = 0; j < c->k; j++)
            for (size_t a = 0; a < s->D; a++)
                u[a] += x[i * c->k + j] * c->velocities[j * s->D + a];
        status = mst_manifold_exp(s->m, 1, c->point, u, y + i * s->D);
    }
    mst_brownian_options o = mst_brownian_options_default();
    o.method = mst_brownian_has_exact(s->m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    o.steps = 10;
    o.first_path = set * n;
    o.threads = 1;
    if (status == MST_OK && c->noise > 0)
        status = mst_brownian_endpoints(s->m, n, y, c->noise, &o, y);
    return status;
}

static inline mst_regress_result *fit_curve(mst_status expected, const mst_score *source, size_t n,
                                            const double *y, size_t k, const double *x,
                                            const mst_regress_options *o)
{
    mst_regress_result *r = NULL;
    mst_status status = mst_regress_fit(&r, source, n, y, k, x, o);
    ck_assert_msg(status == expected, "%s: %s", mst_status_name(status), mst_error_detail());
    ck_assert((r != NULL) == (status == MST_OK || status == MST_CONVERGENCE));
    return r;
}

#endif
