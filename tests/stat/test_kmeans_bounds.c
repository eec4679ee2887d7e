/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Shortcuts of k-means against the plain way: bounds instead of all distances, a sample before all rows. */
#include "stat/kmeans_parts.h"

#include "manifold/internal.h"
#include "stat/mean_support.h"

#include <manistat/cluster.h>

static const char *const specs[] = {"sphere:2", "torus:2",     "hyperbolic:2",
                                    "spd:2",    "euclidean:1", "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs, N = 1500, K = 6, CALLS = 12 };

/* Labels and distances are the same to the last bit while centres move: far at first, then less and less, in
 * the end not at all, and one of them suddenly to a row. */
START_TEST(bounds_change_nothing)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, N, NULL, 0.5, 3), *centres = doubles(K * s.D), *v = doubles(s.D + s.d);
    size_t *plain = calloc(2 * N, sizeof *plain), *near = plain + N;
    double *squares = doubles(2 * N), *lower = doubles(N + K * s.D);
    kmeans_bounds bounds = {.lower = lower, .before = lower + N};
    dice die = {5};
    ck_assert(plain != NULL && kmeans_can_bound(s.m, mst_dist_to));
    ck_assert(!kmeans_can_bound(s.m, chords_to));
    memcpy(centres, x, K * s.D * sizeof *x);
    for (size_t i = 0; i < N; i++)
        plain[i] = near[i] = kmeans_no_label;
    for (size_t call = 0; call < CALLS; call++) {
        kmeans_assignment a = {s.m, mst_dist_to, K, centres, x, plain, squares}, b = a;
        b.labels = near;
        b.squared = squares + N;
        ASSERT_OK(kmeans_assign(a, N, 1));
        ASSERT_OK(kmeans_assign_near(b, N, 1, &bounds));
        ck_assert_msg(memcmp(plain, near, N * sizeof *near) == 0, "%s, call %zu", specs[_i], call);
        ck_assert_msg(memcmp(squares, squares + N, N * sizeof *squares) == 0, "%s, call %zu",
                      specs[_i], call);
        double length = call < CALLS - 2 ? pow(0.5, (double)call) : 0;
        for (size_t c = 0; c < K; c++) {
            for (size_t k = 0; k < s.d; k++)
                v[s.D + k] = length * dice_normal(&die);
            ASSERT_OK(mst_manifold_from_frame(s.m, 1, centres + c * s.D, v + s.D, v));
            ASSERT_OK(mst_manifold_exp(s.m, 1, centres + c * s.D, v, centres + c * s.D));
        }
        if (call == 7)
            memcpy(centres, x + 100 * s.D, s.D * sizeof *x);
    }
    free(x);
    free(centres);
    free(v);
    free(plain);
    free(squares);
    free(lower);
    setting_close(&s);
}
END_TEST

/* Without the distances of rows that upper bounds make sure of, labels are the same, and there are few others
 * to look at. */
START_TEST(loose_bounds_change_no_label)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, N, NULL, 0.5, 3), *centres = doubles(K * s.D), *v = doubles(s.D + s.d);
    size_t *plain = calloc(2 * N, sizeof *plain), *near = plain + N, untouched = 0;
    double *squares = doubles(N), *bound = doubles(2 * N + K * s.D);
    kmeans_bounds bounds = {.lower = bound, .upper = bound + N, .before = bound + 2 * N};
    dice die = {6};
    ck_assert_ptr_nonnull(plain);
    memcpy(centres, x, K * s.D * sizeof *x);
    for (size_t i = 0; i < N; i++)
        plain[i] = near[i] = kmeans_no_label;
    kmeans_assignment a = {s.m, mst_dist_to, K, centres, x, near, squares}, b = a;
    b.labels = plain;
    b.squared = NULL;
    ASSERT_OK(kmeans_assign_near(a, N, 1, &bounds));
    for (size_t call = 0; call < CALLS; call++) {
        for (size_t c = 0; c < K; c++) {
            for (size_t k = 0; k < s.d; k++)
                v[s.D + k] = 0.03 * dice_normal(&die);
            ASSERT_OK(mst_manifold_from_frame(s.m, 1, centres + c * s.D, v + s.D, v));
            ASSERT_OK(mst_manifold_exp(s.m, 1, centres + c * s.D, v, centres + c * s.D));
        }
        for (size_t i = 0; i < N; i++)
            squares[i] = -1;
        ASSERT_OK(kmeans_assign(b, N, 1));
        ASSERT_OK(kmeans_assign_loosely(a, N, 1, &bounds));
        ck_assert_msg(memcmp(plain, near, N * sizeof *near) == 0, "%s, call %zu", specs[_i], call);
        for (size_t i = 0; i < N; i++)
            untouched += squares[i] < 0;
    }
    ck_assert_uint_gt(untouched, CALLS * N / 3);
    free(x), free(centres), free(v), free(plain), free(squares), free(bound);
    setting_close(&s);
}
END_TEST

/* So many rows that a sample goes first and centres leap: the end is a fixed point of Lloyd's iteration on
 * all of them. Three heaps, and no clusters at all, where centres creep. */
static const struct {
    double time;
    size_t k;
} crowds[] = {{0.15, 3}, {30, 5}};
enum { CROWDS = sizeof crowds / sizeof *crowds };

START_TEST(all_rows_have_the_last_word)
{
    enum { EACH = 18000, MANY = 3 * EACH };
    static const double starts[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, -0.6, -0.8}};
    setting s = setting_open("sphere:2");
    double *x = doubles(MANY * 3);
    for (size_t c = 0; c < 3; c++) {
        double *part = draw(&s, EACH, starts[c], crowds[_i].time, 10 + c);
        memcpy(x + c * EACH * 3, part, EACH * 3 * sizeof *x);
        free(part);
    }
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = crowds[_i].k;
    o.restarts = 1;
    mst_kmeans_result *r;
    ASSERT_OK(mst_kmeans_fit(&r, s.m, MANY, x, &o));
    ck_assert(r->converged && r->iterations >= 1);
    double *rows = doubles(MANY * 3), inertia = 0;
    for (size_t c = 0; c < o.k; c++) {
        size_t n = 0;
        for (size_t i = 0; i < MANY; i++)
            if (r->labels[i] == c)
                memcpy(rows + 3 * n++, x + 3 * i, 3 * sizeof *x);
        mst_mean_result *mean;
        ck_assert(n > EACH / 2);
        ASSERT_OK(mst_mean_fit(&mean, s.log, n, rows, NULL));
        double apart;
        ASSERT_OK(mst_manifold_dist(s.m, 1, mean->mean, r->centres + 3 * c, &apart));
        /* A gain of 1e-8 of the inertia ends it: twice the root of that, of a spread below one. */
        assert_near(apart, 0, 2e-4, "centre %zu", c);
        inertia += mean->variance * (double)n;
        mst_mean_result_free(mean);
    }
    assert_near(r->inertia, inertia, 1e-7 * inertia, "inertia");
    free(rows);
    free(x);
    mst_kmeans_result_free(r);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("kmeans_bounds", 60, {bounds_change_nothing, SPECS},
                     {loose_bounds_change_no_label, SPECS}, {all_rows_have_the_last_word, CROWDS});
}
