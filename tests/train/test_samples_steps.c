/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples of manifolds given by their metrics, whose weights come from the derivatives of their steps. */
#include "sample_sets.h"
#include "support/metric_manifolds.h"
#include "support/statistics.h"

#include <manistat/heat.h>
#include <string.h>

enum { WIDE = 3 };

/* Steps of 1/8 and 1/32: the targets are right to second order. */
static const struct {
    size_t twin;
    double t;
    size_t steps, paths;
    double bias; /* of slopes, for score and time derivative */
} cases[] = {
    {HALF_PLANE, 0.5, 4, 16000, 0.004},
    {HALF_PLANE, 0.5, 16, 16000, 0.001},
    {CHART_SPHERE, 0.5, 4, 8000, 0.006},
    {CHART_SPHERE, 0.5, 16, 4000, 0.001},
};
enum { CASES = sizeof cases / sizeof *cases };

/* E[<target, score> − |score|²] = 0, the slope of the target on the exact score less one, and the same for
 * the time derivative and its mean. Six standard errors beside the bias: a false alarm in 5e8. */
START_TEST(slopes_are_one)
{
    const metric_twin *twin = &metric_twins[cases[_i].twin];
    sample_options o = sample_test_options();
    o.t_min = o.t_max = cases[_i].t;
    o.steps = cases[_i].steps;
    o.slots = 1;
    sample_set s = {0};
    mst_manifold *closed;
    ASSERT_OK(twin->make(&s.m));
    ASSERT_OK(mst_manifold_parse(&closed, twin->spec));
    ASSERT_OK(sample_plan_new(&s.plan, s.m, &o));
    s.D = mst_manifold_ambient(s.m);
    sample_set_draw(&s, 0, cases[_i].paths);
    size_t n = s.rows;
    double *x = doubles(n * WIDE), *y = doubles(n * WIDE), *w = doubles(n * WIDE),
           *score = doubles(n * WIDE), *dt = doubles(n), *product = doubles(n),
           *square = doubles(n);
    twin->there(n, s.at.x, x);
    twin->there(n, s.at.y, y);
    twin->push(n, s.at.y, s.at.target, w);
    ASSERT_OK(mst_heat_kernel_times(closed, n, x, y, s.at.t, 1,
                                    &(mst_heat_values){.score = score, .dt_log_p = dt}));
    ASSERT_OK(mst_manifold_inner(closed, n, y, w, score, product));
    ASSERT_OK(mst_manifold_inner(closed, n, y, score, score, square));
    moments error = {0}, time_error = {0}, mean = {0};
    double signal = 0, time_signal = 0;
    for (size_t i = 0; i < n; i++) {
        moments_add(&error, product[i] - square[i]);
        moments_add(&time_error, (s.at.time_target[i] - dt[i]) * dt[i]);
        moments_add(&mean, s.at.time_target[i]);
        signal += square[i] / (double)n;
        time_signal += dt[i] * dt[i] / (double)n;
    }
    assert_mean(&error, 0, cases[_i].bias * signal, "%s: score", twin->spec);
    assert_mean(&time_error, 0, cases[_i].bias * time_signal, "%s: time", twin->spec);
    assert_mean(&mean, 0, cases[_i].bias * sqrt(time_signal), "%s: mean of time", twin->spec);
    free(x), free(y), free(w), free(score), free(dt), free(product), free(square);
    sample_set_free(&s);
    mst_manifold_free(closed);
}
END_TEST

/* The adjoint against differences of the step; and the step takes its increment c along to `arrived`: since
 * the length of the geodesic does not depend on x, Aᵀ arrived = c by the first variation of energy. */
START_TEST(adjoint_of_a_step)
{
    const metric_twin *twin = &metric_twins[_i];
    mst_manifold *m;
    ASSERT_OK(twin->make(&m));
    const mst_manifold_ops *ops = mst_manifold_table(m);
    size_t D = mst_manifold_ambient(m), changes = 0;
    dice die = {91};
    for (size_t round = 0; round < 100; round++) {
        double x[WIDE], y[WIDE], arrived[WIDE], w[WIDE], out[WIDE], c[WIDE], u[WIDE], ends[2][WIDE],
            none[WIDE], start[WIDE], xi[2], h = 0.02, left, right;
        mst_manifold_start(m, start);
        for (size_t k = 0; k < 2; k++)
            xi[k] = dice_uniform(&die, -1.8, 1.8);
        ASSERT_OK(mst_manifold_from_frame(m, 1, start, xi, u));
        ASSERT_OK(mst_manifold_exp(m, 1, start, u, x));
        for (size_t k = 0; k < 2; k++)
            xi[k] = dice_normal(&die);
        ASSERT_OK(ops->step(m, 1, x, xi, &h, y, arrived));
        changes += D == 3 && x[2] != y[2];
        ASSERT_OK(ops->step_adjoint(m, 1, x, xi, &h, arrived, out));
        ASSERT_OK(mst_manifold_from_frame(m, 1, x, xi, c));
        for (size_t k = 0; k < D; k++) {
            c[k] *= sqrt(h);
            /* up to the error of a step of order four */
            assert_near(out[k], c[k], 0.2 * pow(sqrt(h) * euclidean_norm(2, xi), 5) + 1e-7,
                        "%s: adjoint of what arrives", twin->spec);
        }
        for (size_t k = 0; k < 2; k++)
            xi[k] = dice_normal(&die);
        double step[2] = {dice_normal(&die), dice_normal(&die)}, noise[2] = {xi[0], xi[1]};
        ASSERT_OK(ops->step(m, 1, x, noise, &h, y, arrived));
        ASSERT_OK(mst_manifold_from_frame(m, 1, x, step, u));
        ASSERT_OK(mst_manifold_from_frame(m, 1, y, xi, w));
        const double small = 1e-4;
        for (int side = 0; side < 2; side++) {
            double at[WIDE];
            for (size_t k = 0; k < D; k++)
                at[k] = x[k] + (side == 0 ? -small : small) * u[k];
            ASSERT_OK(ops->step(m, 1, at, noise, &h, ends[side], none));
            ambient_difference(m, y, ends[side], ends[side]);
        }
        for (size_t k = 0; k < D; k++)
            u[k] *= small, ends[1][k] = (ends[1][k] - ends[0][k]) / 2;
        ASSERT_OK(ops->step_adjoint(m, 1, x, noise, &h, w, out));
        ASSERT_OK(mst_manifold_inner(m, 1, x, out, u, &left));
        ASSERT_OK(mst_manifold_inner(m, 1, y, w, ends[1], &right));
        assert_near(left / small, right / small, 1e-6, "%s: <Aᵀw, u> = <w, Au>", twin->spec);
    }
    ck_assert(D == 2 || changes > 0); /* some steps changed the chart */
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples of steps", 60, {slopes_are_one, CASES},
                     {adjoint_of_a_step, METRIC_TWINS});
}
