/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Random points of compact manifolds are uniform, those of the others Exp of a standard normal vector. Five
 * standard errors per mean, that is a false-alarm rate of 6e-7 each. */
#include "support/manifolds.h"
#include "support/statistics.h"

#include <stdlib.h>

enum { N = 40000 };

/* Coordinates whose means vanish and whose covariance is `second` times the identity under the uniform law:
 * entries of unit vectors and rotations; cosine and sine of angles. Products have their
 * parts one after another. */
static const struct {
    const char *spec;
    bool angles;
    double second;
} compact[] = {
    {"circle", true, 1.0 / 2},    {"torus:3", true, 1.0 / 2},
    {"sphere:1", false, 1.0 / 2}, {"sphere:2", false, 1.0 / 3},
    {"sphere:3", false, 1.0 / 4}, {"sphere:10", false, 1.0 / 11},
    {"so3", false, 1.0 / 3},      {"product(sphere:2,so3,sphere:2)", false, 1.0 / 3},
};
enum { COMPACT = sizeof compact / sizeof *compact };

START_TEST(compact_manifolds_are_covered_evenly)
{
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, compact[_i].spec));
    size_t D = mst_manifold_ambient(m), width = compact[_i].angles ? 2 * D : D;
    double *x = doubles(N * D), c[COORDINATES];
    covariance sample = {.width = width};
    ASSERT_OK(mst_manifold_random_point(m, (mst_random){17, 3}, 5, N, x));
    for (size_t i = 0; i < N; i++) {
        for (size_t a = 0; a < width; a++) {
            double angle = x[i * D + a % D] - (a < D ? 0 : M_PI_2);
            c[a] = compact[_i].angles ? cos(angle) : x[i * D + a];
        }
        covariance_add(&sample, c);
    }
    assert_isotropic(&sample, compact[_i].second, compact[_i].spec);
    free(x);
    mst_manifold_free(m);
}
END_TEST

static const char *const open_spaces[] = {
    "euclidean:3", "hyperbolic:2", "spd:2", "spd:6", "sym:2", "spd:2?metric=log-euclidean"};
enum { OPEN = sizeof open_spaces / sizeof *open_spaces };

START_TEST(elsewhere_logarithms_are_normal)
{
    enum { FEWER = 4000 };
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, open_spaces[_i]));
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *x = doubles(FEWER * D), *start = doubles(D), *v = doubles(D), *c = doubles(d);
    covariance sample = {.width = d};
    ASSERT_OK(mst_manifold_random_point(m, (mst_random){18, 4}, 0, FEWER, x));
    mst_manifold_start(m, start);
    for (size_t i = 0; i < FEWER; i++) {
        ASSERT_OK(mst_manifold_log(m, 1, start, x + i * D, v, NULL));
        ASSERT_OK(mst_manifold_to_frame(m, 1, start, v, c));
        covariance_add(&sample, c);
    }
    assert_isotropic(&sample, 1, open_spaces[_i]);
    free(x);
    free(start);
    free(v);
    free(c);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("uniform", 60, {compact_manifolds_are_covered_evenly, COMPACT},
                     {elsewhere_logarithms_are_normal, OPEN});
}
