/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Exact kernels do not depend on names: a manifold of somebody else that says what it is has the kernel of
 * the built-in one at its own size. */
#include "heat/model.h"
#include "heat/radial_law.h"
#include "support/manifolds.h"

#include <manistat/brownian.h>
#include <manistat/heat.h>
#include <stdlib.h>

static const struct {
    const char *spec;
    double factor;
} cases[] = {
    {"circle", 3},      {"sphere:1", 0.3},   {"sphere:2", 2},       {"sphere:3", 0.5},
    {"sphere:10", 1.5}, {"hyperbolic:2", 3}, {"hyperbolic:3", 0.4}, {"so3", 2},
    {"so3", 0.5},       {"spd:2", 0.7},
};
enum { CASES = sizeof cases / sizeof *cases, N = 40, LARGEST = 100 };

typedef struct values {
    double log_p[N], dt[N], score[N * 16], hessian[N * LARGEST];
} values;

static mst_heat_values places(values *v)
{
    return (mst_heat_values){v->log_p, v->dt, v->score, v->hessian};
}

/* Lengths times λ: p_t is that of t/λ² over λ^d, and gradients and second derivatives are divided by λ².
 * Rounding of the scaled distance moves log p by |∂_r log p| r ε, and derivatives near
 * the cut locus by more. */
START_TEST(scaled_manifolds_have_scaled_kernels)
{
    static values base_values, values_;
    double factor = cases[_i].factor, square = factor * factor, t[N], base_t[N];
    mst_manifold *base, *m;
    ASSERT_OK(mst_manifold_parse(&base, cases[_i].spec));
    ASSERT_OK(scaled_new(&m, cases[_i].spec, factor));
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *x = doubles(N * D), *y = doubles(N * D);
    ASSERT_OK(mst_manifold_random_point(base, (mst_random){7, 0}, 0, N, x));
    ASSERT_OK(mst_manifold_random_point(base, (mst_random){7, 1}, 0, N, y));
    for (size_t i = 0; i < N; i++) {
        base_t[i] = 0.02 * pow(300, (double)i / N);
        t[i] = square * base_t[i];
    }
    ck_assert_msg(mst_heat_has_exact(m), "no kernel for %s", cases[_i].spec);
    mst_heat_values want = places(&base_values), got = places(&values_);
    ASSERT_OK(mst_heat_kernel_times(base, N, x, y, base_t, 1, &want));
    ASSERT_OK(mst_heat_kernel_times(m, N, x, y, t, 1, &got));
    for (size_t i = 0; i < N; i++) {
        double tolerance = 1e-11 / base_t[i];
        assert_near(got.log_p[i], want.log_p[i] - (double)d * log(factor),
                    tolerance * fmax(1, fabs(want.log_p[i])), "%s: log p", cases[_i].spec);
        assert_near(got.dt_log_p[i] * square, want.dt_log_p[i], tolerance / base_t[i],
                    "%s: time derivative", cases[_i].spec);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            assert_near(got.score[a] * square, want.score[a],
                        tolerance * fmax(1, max_abs(D, want.score + i * D)), "%s: score",
                        cases[_i].spec);
        for (size_t a = i * d * d; a < (i + 1) * d * d; a++)
            assert_near(got.hessian[a] * square, want.hessian[a],
                        tolerance * fmax(1, max_abs(d * d, want.hessian + i * d * d)),
                        "%s: Hessian", cases[_i].spec);
    }
    free(x);
    free(y);
    mst_manifold_free(base);
    mst_manifold_free(m);
}
END_TEST

START_TEST(laws_of_distances_scale)
{
    mst_manifold *base, *m;
    double factor = cases[_i].factor;
    ASSERT_OK(mst_manifold_parse(&base, cases[_i].spec));
    ASSERT_OK(scaled_new(&m, cases[_i].spec, factor));
    ck_assert_int_eq(radial_law_fits(m), mst_manifold_traits_of(m)->line == NULL);
    ck_assert_int_eq(mst_brownian_has_exact(m), mst_manifold_traits_of(m)->line == NULL);
    if (radial_law_fits(m)) {
        radial_law law, base_law;
        ASSERT_OK(radial_law_new(&base_law, base, 0.3));
        ASSERT_OK(radial_law_new(&law, m, 0.3 * factor * factor));
        for (double u = 0.05; u < 1; u += 0.1)
            assert_near(radial_law_quantile(&law, u), factor * radial_law_quantile(&base_law, u),
                        1e-10 * factor, "%s: quantile %g", cases[_i].spec, u);
        radial_law_release(&law);
        radial_law_release(&base_law);
    }
    mst_manifold_free(base);
    mst_manifold_free(m);
}
END_TEST

/* What has too little to be recognised has no kernel: no curvature, or points identified
 * in a way that nobody told. */
START_TEST(unknown_spaces_have_no_kernel)
{
    mst_manifold *m;
    ASSERT_OK(bare_sphere_new(&m));
    ck_assert_int_eq(heat_model_of(m).kind, HEAT_NO_MODEL);
    ck_assert(!mst_heat_has_exact(m) && !mst_brownian_has_exact(m));
    mst_manifold_free(m);
    ASSERT_OK(scaled_new(&m, "torus:2", 2)); /* angles of another unit */
    ck_assert(!mst_heat_has_exact(m) && mst_brownian_has_exact(m));
    mst_manifold_free(m);
    ASSERT_OK(scaled_new(&m, "spd:3", 2));
    ck_assert(!mst_heat_has_exact(m));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("heat model", 60, {scaled_manifolds_have_scaled_kernels, CASES},
                     {laws_of_distances_scale, CASES}, {unknown_spaces_have_no_kernel, 0});
}
