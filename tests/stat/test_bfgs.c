/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The memory of BFGS: it takes the last change of the gradient to the last step, whatever stands in for the
 * Hessian, and on a quadratic it is the inverse once there are as many conjugate steps as dimensions. */
#include "stat/bfgs.h"
#include "support/support.h"

#include <manistat/random.h>

#include <float.h>
#include <math.h>

enum { Q = 4 };

/* H v with `start` times the identity in place of the Hessian. */
static void apply(const bfgs *m, double start, double v[Q])
{
    double alpha[BFGS_MOST];
    bfgs_begin(m, v, alpha);
    for (size_t a = 0; a < Q; a++)
        v[a] *= start;
    bfgs_end(m, alpha, v);
}

START_TEST(the_last_step_is_known)
{
    enum { CAPACITY = 3, PAIRS = 11 };
    bfgs m;
    ASSERT_OK(bfgs_new(&m, Q, CAPACITY));
    ck_assert(bfgs_scale(&m) == 1);
    for (size_t pair = 0; pair < PAIRS; pair++) {
        double step[Q], change[Q], v[Q], normal[2 * Q], product = 0, square = 0;
        mst_random_normals((mst_random){77, pair}, 0, 2 * Q, normal);
        for (size_t a = 0; a < Q; a++) {
            step[a] = normal[a];
            change[a] = 3 * normal[a] + normal[Q + a] / 2;
            product += step[a] * change[a];
            square += change[a] * change[a];
        }
        size_t before = m.count;
        bfgs_remember(&m, step, change);
        ck_assert_uint_eq(m.count, before + (product > 0));
        if (!(product > 0))
            continue;
        assert_near(bfgs_scale(&m), product / square, 1e-14, "scale");
        for (size_t a = 0; a < Q; a++)
            v[a] = change[a];
        apply(&m, 0.3, v);
        for (size_t a = 0; a < Q; a++)
            assert_near(v[a], step[a], 1e4 * DBL_EPSILON, "pair %zu, %zu", pair, a);
    }
    ck_assert_uint_gt(m.count, CAPACITY);
    bfgs_free(&m);
}
END_TEST

/* Unit vectors are conjugate for a diagonal matrix. Steps along which the function curves upwards are not
 * kept: the memory stays positive definite. */
START_TEST(a_quadratic_is_learnt)
{
    static const double curvature[Q] = {1, 20, 0.3, 7};
    bfgs m;
    ASSERT_OK(bfgs_new(&m, Q, Q));
    for (size_t a = 0; a < Q; a++) {
        double step[Q] = {0}, change[Q] = {0}, wrong[Q] = {0};
        step[a] = 0.5;
        change[a] = 0.5 * curvature[a];
        wrong[a] = -1;
        bfgs_remember(&m, step, change);
        bfgs_remember(&m, step, wrong);
    }
    ck_assert_uint_eq(m.count, Q);
    double v[Q] = {1, 1, 1, 1};
    apply(&m, 5, v);
    for (size_t a = 0; a < Q; a++)
        assert_near(v[a], 1 / curvature[a], 64 * DBL_EPSILON / curvature[a], "%zu", a);
    bfgs_free(&m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("bfgs", 10, {the_last_step_is_known, 1}, {a_quadratic_is_learnt, 1});
}
