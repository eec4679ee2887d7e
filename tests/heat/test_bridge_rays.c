/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges that are led along geodesics, on landmarks: log p against a kernel that is known, against bridges
 * with another guide, and over lengths of steps. */
#include "support/landmarks_reference.h"
#include "support/score_support.h"

#include <manistat/bridge.h>

typedef struct ray_case {
    double log_p, se, ess, step;
} ray_case;

static ray_case run_bridges(const mst_manifold *m, const double *x, const double *y, double t,
                            const mst_bridge_options *o)
{
    ray_case got;
    const mst_pairs pairs = mst_pairs_rows(m, 1, x, y, &t);
    mst_bridge_values values = {
        .log_p = &got.log_p, .log_p_se = &got.se, .ess = &got.ess, .step_error = &got.step};
    ASSERT_OK(mst_bridge_pairs(m, &pairs, o, &values));
    return got;
}

static double scatter(const ray_case *got, const mst_bridge_options *o)
{
    double unseen =
        1 / (double)o->paths; /* other ways to the end, which the error counts as well */
    return sqrt(got->se * got->se - unseen * unseen);
}

/* Weights hardly scatter, and what is off is what their scatter and the steps explain: of twelve rows more
 * than one is beyond three standard errors with probability 5e-4, and the mean of their squares is above 2.8
 * with probability 1e-3. Errors would be seen from a thousandth of log p on. */
START_TEST(two_landmarks)
{
    static reference rows[ROWS];
    size_t n = read_reference(rows), beyond = 0, seen = 0;
    double squares = 0;
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 128;
    o.steps = 16;
    for (size_t i = 0; i < n; i += 15, seen++) {
        char spec[64];
        snprintf(spec, sizeof spec, "landmarks:2x2?sigma=%.17g", rows[i].sigma);
        mst_manifold *m = open_manifold(spec);
        ray_case got = run_bridges(m, rows[i].x, rows[i].y, rows[i].t, &o);
        double z = fmax(fabs(got.log_p - rows[i].log_p) - fabs(got.step), 0) / scatter(&got, &o);
        beyond += z > 3;
        squares += z * z / 12;
        ck_assert_double_ge(got.ess, 0.95 * (double)o.paths);
        ck_assert_double_le(scatter(&got, &o), rows[i].t < 0.2 ? 0.01 : 0.05);
        mst_manifold_free(m);
    }
    ck_assert_uint_eq(seen, 12);
    ck_assert_uint_le(beyond, 1);
    ck_assert_msg(squares < 2.8, "mean of z²: %g", squares);
}
END_TEST

/* Many landmarks, where nothing is known: the smooth guide, whose paths and weights are
 * others, says the same. */
START_TEST(guides_agree)
{
    static const double x[] = {0, 0, 1, 0.1, 0.3, 0.9, 1.2, 1.1};
    static const double y[] = {0.2, 0.1, 1.1, -0.1, 0.5, 0.9, 1.1, 1.4};
    mst_manifold *m = open_manifold("landmarks:4x2?sigma=1&nugget=0.1");
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 100;
    o.steps = 16;
    ray_case rays = run_bridges(m, x, y, 0.2, &o);
    o.guide = MST_GUIDE_SMOOTH;
    o.paths = 400;
    ray_case smooth = run_bridges(m, x, y, 0.2, &o);
    double apart = fabs(rays.log_p - smooth.log_p) - fabs(rays.step) - fabs(smooth.step);
    ck_assert_msg(apart < 3 * smooth.se, "%g and %g +- %g", rays.log_p, smooth.log_p, smooth.se);
    ck_assert_double_ge(rays.ess / 100, smooth.ess / 400);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("bridge rays", 60, {two_landmarks, 0}, {guides_agree, 0});
}
