/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Are components told from pieces of long heaps? */
#include "stat/laws.h"

#include <manistat/cluster.h>

static mst_mixture_options options(size_t k, size_t restarts)
{
    mst_mixture_options o = mst_mixture_options_default();
    o.k = k;
    o.restarts = restarts;
    o.threads = 1;
    return o;
}

/* −2 log-likelihood of the normal law of n rows of the plane with their own covariance. */
static double normal_deviance(size_t n, const double *x)
{
    double mean[2] = {0}, c[3] = {0}, rows = (double)n;
    for (size_t i = 0; i < 2 * n; i++)
        mean[i % 2] += x[i] / rows;
    for (size_t i = 0; i < n; i++) {
        double u = x[2 * i] - mean[0], v = x[2 * i + 1] - mean[1];
        c[0] += u * u / rows;
        c[1] += u * v / rows;
        c[2] += v * v / rows;
    }
    return rows * (2 * log(2 * M_PI) + log(c[0] * c[2] - c[1] * c[1]) + 2);
}

/* In flat space a long heap is a normal law, with five parameters in the plane. */
START_TEST(a_long_heap_in_closed_form)
{
    enum { ROWS = 80 };
    space s = space_open("euclidean:2");
    row_law law = {LAW_LONG, 1, 3};
    double x[ROWS * 2], centre[2] = {4, -1};
    law_rows(&s, &law, centre, ROWS, (mst_random){5, 0}, x);
    for (size_t i = 0; i < ROWS; i++) /* not along a coordinate */
        x[2 * i + 1] += 0.5 * x[2 * i];
    double want = normal_deviance(ROWS, x) + 5 * log(ROWS);
    for (size_t k = 1; k <= 4; k++) {
        mst_mixture_options o = options(k, 2);
        mst_mixture_result *r;
        ASSERT_OK(mst_mixture_fit(&r, s.exact, ROWS, x, &o));
        /* A step of EM that gains 0.01 is the last: twice that in BIC, and as much to be gained. */
        ck_assert_double_le(r->elongated_bic, want + 0.1);
        ck_assert(r->elongated > 1 || r->elongated_bic > want - 1e-6);
        ck_assert(r->is_elongated);
        mst_mixture_result_free(r);
    }
    space_close(&s);
}
END_TEST

/* Two heaps, long or round, in as many components and in more. */
START_TEST(long_heaps_are_told)
{
    enum { EACH = 60, ROWS = 2 * EACH };
    static const char *const spaces[] = {"sphere:2", "so3", "hyperbolic:2"};
    space s = space_open(spaces[_i]);
    double *x = doubles(ROWS * s.D), *centre = doubles(s.D);
    for (int longer = 0; longer < 2; longer++) {
        row_law law = {LAW_LONG, 0.15, longer ? 4 : 1};
        for (size_t g = 0; g < 2; g++) {
            point_along(&s, 0, g == 0 ? -0.6 : 0.6, centre);
            law_rows(&s, &law, centre, EACH, (mst_random){6 + g, 0}, x + g * EACH * s.D);
        }
        for (size_t k = 1; k <= 5; k += 2) {
            mst_mixture_options o = options(k + (k == 1), 2);
            mst_mixture_result *r;
            ASSERT_OK(mst_mixture_fit(&r, s.exact, ROWS, x, &o));
            ck_assert_msg(r->is_elongated == (longer == 1), "%zu round: %g, %zu long: %g", r->k,
                          r->bic, r->elongated, r->elongated_bic);
            ck_assert(longer == 0 || r->elongated == 2);
            mst_mixture_result_free(r);
        }
    }
    free(centre);
    free(x);
    space_close(&s);
}
END_TEST

/* There is no long heap in one dimension, and none of hardly any points. */
START_TEST(no_long_heaps)
{
    space line = space_open("circle"), plane = space_open("euclidean:2");
    double x[10] = {0.1, 0.5, -0.2, 0.4, 1.1, 0.7, -0.3, 0.9, 0.2, 0.3};
    mst_mixture_options o = options(2, 1);
    mst_mixture_result *r;
    ASSERT_OK(mst_mixture_fit(&r, line.exact, 10, x, &o));
    ck_assert(isnan(r->elongated_bic) && r->elongated == 0);
    mst_mixture_result_free(r);
    ASSERT_OK(mst_mixture_fit(&r, plane.exact, 5, x, &o));
    ck_assert(isnan(r->elongated_bic) && r->elongated == 0);
    mst_mixture_result_free(r);
    space_close(&plane);
    space_close(&line);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mixture_elongated", 60, {a_long_heap_in_closed_form, 0},
                     {long_heaps_are_told, 3}, {no_long_heaps, 0});
}
