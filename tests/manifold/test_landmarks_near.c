/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Almost the logarithm of a few landmarks, against the logarithm. */
#include "manifold/internal.h"
#include "manifold/landmarks.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

static const char *const specs[] = {
    "landmarks:2x2?sigma=0.5",
    "landmarks:3x2?sigma=0.5&nugget=0.02",
    "landmarks:5x2?sigma=0.6&alpha=0.7",
    "landmarks:4x3?sigma=0.9&kernel=matern52",
};
enum { SPECS = sizeof specs / sizeof *specs, MOST = 12, ROWS = 19 };

/* Crowded points y, and points x so many kernel widths away. */
static void make_rows(const mst_manifold *m, double away, double *y, double *x)
{
    const landmark_shape *s = &((const landmarks *)mst_manifold_data(m))->shape;
    dice die = {31};
    for (size_t k = 0; k < ROWS * m->dim; k++) {
        size_t c = k % m->dim;
        y[k] =
            s->sigma * (c % s->space == 0 ? (double)(c / s->space) : 0) + 0.1 * dice_normal(&die);
        x[k] = y[k] + away * s->sigma * dice_normal(&die);
    }
}

static void assert_relative(const mst_manifold *m, const double *y, const double *v,
                            const double *log, double tolerance, size_t row)
{
    double off[MOST], error, size;
    for (size_t k = 0; k < m->dim; k++)
        off[k] = v[k] - log[k];
    ASSERT_OK(mst_manifold_inner(m, 1, y, off, off, &error));
    ASSERT_OK(mst_manifold_inner(m, 1, y, log, log, &size));
    ck_assert_msg(sqrt(error / size) < tolerance, "%s, row %zu: off by %g", mst_manifold_spec(m),
                  row, sqrt(error / size));
}

START_TEST(near_points_have_their_logarithm)
{
    mst_manifold *m;
    double x[ROWS * MOST], y[ROWS * MOST], v[ROWS * MOST], log[ROWS * MOST];
    ASSERT_OK(mst_manifold_parse(&m, specs[_i]));
    size_t d = mst_manifold_dim(m);
    make_rows(m, 0.08, y, x);
    ASSERT_OK(mst_near_log(m, ROWS, y, x, v));
    ASSERT_OK(mst_manifold_log(m, ROWS, y, x, log, NULL));
    for (size_t i = 0; i < ROWS; i++) {
        assert_relative(m, y + i * d, v + i * d, log + i * d, 2e-3, i);
    }
    mst_manifold_free(m);
}
END_TEST

/* Two crowded landmarks that go six kernel widths and turn around each other by a right angle, where steps by
 * the mean of K do not contract. Four steps of order four along such ways leave a few per cent. */
START_TEST(landmarks_that_turn)
{
    enum { TURNS = 3, DIM = 4 };
    static const double y[TURNS * DIM] = {-1.97,  3.03,   -1.815, 3.1145, -1.594,  0.0665,
                                          -1.269, 0.0797, -1.79,  1.697,  -1.9624, 1.3094};
    static const double x[TURNS * DIM] = {-1.5726, 2.0798, -1.7061, 2.2911, -0.0982, -0.2045,
                                          -0.0614, 0.0428, -2.7236, 2.2025, -2.2789, 1.974};
    mst_manifold *m;
    double v[TURNS * DIM], log[TURNS * DIM];
    ASSERT_OK(mst_manifold_parse(&m, "landmarks:2x2?sigma=0.5"));
    ASSERT_OK(mst_near_log(m, TURNS, y, x, v));
    ASSERT_OK(mst_manifold_log(m, TURNS, y, x, log, NULL));
    for (size_t i = 0; i < TURNS; i++)
        assert_relative(m, y + i * DIM, v + i * DIM, log + i * DIM, 0.05, i);
    mst_manifold_free(m);
}
END_TEST

/* Far pairs: whatever it is, it is finite, and the same whatever stands beside. */
START_TEST(far_points_have_something)
{
    mst_manifold *m;
    double x[ROWS * MOST], y[ROWS * MOST], v[ROWS * MOST], one[MOST];
    ASSERT_OK(mst_manifold_parse(&m, specs[_i]));
    size_t d = mst_manifold_dim(m);
    make_rows(m, 2, y, x);
    ASSERT_OK(mst_near_log(m, ROWS, y, x, v));
    for (size_t i = 0; i < ROWS; i++) {
        ASSERT_OK(mst_near_log(m, 1, y + i * d, x + i * d, one));
        for (size_t k = 0; k < d; k++) {
            ck_assert_double_eq(one[k], v[i * d + k]);
            ck_assert_msg(fabs(one[k]) < 100, "%s, row %zu: %g", specs[_i], i, one[k]);
        }
    }
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("landmarks_near", 60, {near_points_have_their_logarithm, SPECS},
                     {landmarks_that_turn, 0}, {far_points_have_something, SPECS});
}
