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

/* Relative errors, the largest. */
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
        double off[MOST], error, size;
        for (size_t k = 0; k < d; k++)
            off[k] = v[i * d + k] - log[i * d + k];
        ASSERT_OK(mst_manifold_inner(m, 1, y + i * d, off, off, &error));
        ASSERT_OK(mst_manifold_inner(m, 1, y + i * d, log + i * d, log + i * d, &size));
        ck_assert_msg(sqrt(error / size) < 2e-3, "%s, row %zu: off by %g", specs[_i], i,
                      sqrt(error / size));
    }
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
                     {far_points_have_something, SPECS});
}
