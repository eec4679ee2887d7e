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

/* Each of n points goes along a normal vector of this scale. */
static void move_points(const setting *s, size_t n, double scale, dice *die, double *x)
{
    double *v = doubles(s->D + s->d);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < s->d; k++)
            v[s->D + k] = scale * dice_normal(die);
        ASSERT_OK(mst_manifold_from_frame(s->m, 1, x + i * s->D, v + s->D, v));
        ASSERT_OK(mst_manifold_exp(s->m, 1, x + i * s->D, v, x + i * s->D));
    }
    free(v);
}

/* Labels and distances are the same to the last bit while centres move: far at first, then less and less, in
 * the end not at all, and one of them suddenly to a row. */
START_TEST(bounds_change_nothing)
{
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, N, NULL, 0.5, 3), *centres = doubles(K * s.D);
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
        kmeans_assignment a = {s.m, mst_dist_to, K, centres, x, plain, squares, {0}}, b = a;
        b.labels = near;
        b.squared = squares + N;
        ASSERT_OK(kmeans_assign(a, N, 1));
        ASSERT_OK(kmeans_assign_near(b, N, 1, &bounds));
        ck_assert_msg(memcmp(plain, near, N * sizeof *near) == 0, "%s, call %zu", specs[_i], call);
        ck_assert_msg(memcmp(squares, squares + N, N * sizeof *squares) == 0, "%s, call %zu",
                      specs[_i], call);
        double length = call < CALLS - 2 ? pow(0.5, (double)call) : 0;
        move_points(&s, K, length, &die, centres);
        if (call == 7)
            memcpy(centres, x + 100 * s.D, s.D * sizeof *x);
    }
    free(x);
    free(centres);
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
    double *x = draw(&s, N, NULL, 0.5, 3), *centres = doubles(K * s.D);
    size_t *plain = calloc(2 * N, sizeof *plain), *near = plain + N, untouched = 0;
    double *squares = doubles(N), *bound = doubles(2 * N + K * s.D);
    kmeans_bounds bounds = {.lower = bound, .upper = bound + N, .before = bound + 2 * N};
    dice die = {6};
    ck_assert_ptr_nonnull(plain);
    memcpy(centres, x, K * s.D * sizeof *x);
    for (size_t i = 0; i < N; i++)
        plain[i] = near[i] = kmeans_no_label;
    kmeans_assignment a = {s.m, mst_dist_to, K, centres, x, near, squares, {0}}, b = a;
    b.labels = plain;
    b.squared = NULL;
    ASSERT_OK(kmeans_assign_near(a, N, 1, &bounds));
    for (size_t call = 0; call < CALLS; call++) {
        move_points(&s, K, 0.03, &die, centres);
        for (size_t i = 0; i < N; i++)
            squares[i] = -1;
        ASSERT_OK(kmeans_assign(b, N, 1));
        ASSERT_OK(kmeans_assign_loosely(a, N, 1, &bounds));
        ck_assert_msg(memcmp(plain, near, N * sizeof *near) == 0, "%s, call %zu", specs[_i], call);
        for (size_t i = 0; i < N; i++)
            untouched += squares[i] < 0;
    }
    ck_assert_uint_gt(untouched, CALLS * N / 3);
    free(x), free(centres), free(plain), free(squares), free(bound);
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

/* Where distances are searches that begin with what the last one found, labels are the same, and distances
 * are to twice the tolerance of either. */
START_TEST(kept_geodesics_change_no_label)
{
    enum { ROWS = 60, CENTRES = 3, MOVES = 6 };
    setting s = setting_open("landmarks:4x2?sigma=1");
    double *x = draw(&s, ROWS, NULL, 0.1, 4), *centres = doubles(CENTRES * s.D);
    size_t plain[ROWS], near[ROWS];
    double squares[ROWS], kept[ROWS], *lower = doubles(ROWS + CENTRES * s.D);
    kmeans_bounds bounds = {.lower = lower, .before = lower + ROWS};
    kmeans_kept own;
    ASSERT_OK(kmeans_kept_new(&own, s.m, mst_dist_to, ROWS, CENTRES));
    ck_assert_ptr_nonnull(own.numbers);
    dice die = {7};
    for (size_t i = 0; i < ROWS; i++)
        plain[i] = near[i] = kmeans_no_label;
    memcpy(centres, x, CENTRES * s.D * sizeof *x);
    kmeans_assignment a = {s.m, mst_dist_to, CENTRES, centres, x, plain, squares, {0}}, b = a;
    b.labels = near;
    b.squared = kept;
    b.kept = own;
    for (size_t move = 0; move < MOVES; move++) {
        ASSERT_OK(kmeans_assign(a, ROWS, 1));
        ASSERT_OK(kmeans_assign_near(b, ROWS, 1, &bounds));
        ck_assert_msg(memcmp(plain, near, sizeof plain) == 0, "move %zu", move);
        for (size_t i = 0; i < ROWS; i++)
            assert_near(kept[i], squares[i], 4 * kmeans_kept_tolerance * squares[i], "row %zu", i);
        for (size_t i = 0; i < CENTRES * ROWS * own.keep && move == 0; i++)
            ck_assert_msg(isfinite(own.numbers[i]), "number %zu is not kept", i);
        move_points(&s, CENTRES, 0.1 * pow(0.3, (double)move), &die, centres);
    }
    kmeans_kept_free(&own);
    free(x), free(centres), free(lower);
    setting_close(&s);
    s = setting_open("sphere:2");
    ASSERT_OK(kmeans_kept_new(&own, s.m, mst_dist_to, ROWS, CENTRES));
    ck_assert_ptr_null(own.numbers);
    setting_close(&s);
}
END_TEST

/* The end of it all: each row with its nearest centre, each centre the mean of its rows. */
START_TEST(landmarks_end_at_means)
{
    enum { ROWS = 40 };
    setting s = setting_open("landmarks:4x2?sigma=1");
    double *x = draw(&s, ROWS, NULL, 0.1, 5), squares[ROWS], inertia = 0;
    size_t labels[ROWS];
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = 3;
    o.restarts = 2;
    mst_kmeans_result *r;
    ASSERT_OK(mst_kmeans_fit(&r, s.m, ROWS, x, &o));
    ASSERT_OK(mst_kmeans_assign(s.m, o.k, r->centres, ROWS, x, 1, labels, squares));
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_uint_eq(labels[i], r->labels[i]);
        inertia += squares[i];
    }
    assert_near(r->inertia, inertia, 1e-12 * inertia, "inertia");
    for (size_t c = 0; c < o.k; c++) {
        double *sum = doubles(2 * s.D), *v = sum + s.D, length, count = 0;
        memset(sum, 0, s.D * sizeof *sum);
        for (size_t i = 0; i < ROWS; i++)
            if (labels[i] == c) {
                ASSERT_OK(mst_manifold_log(s.m, 1, r->centres + c * s.D, x + i * s.D, v, NULL));
                for (size_t k = 0; k < s.D; k++)
                    sum[k] += v[k];
                count++;
            }
        ck_assert_double_gt(count, 1);
        ASSERT_OK(mst_manifold_norm(s.m, 1, r->centres + c * s.D, sum, &length));
        /* Climbs end at 1e-11 of the spread, which is below one. */
        assert_near(length / count, 0, 2e-11, "centre %zu", c);
        free(sum);
    }
    free(x);
    mst_kmeans_result_free(r);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("kmeans_bounds", 60, {bounds_change_nothing, SPECS},
                     {loose_bounds_change_no_label, SPECS}, {all_rows_have_the_last_word, CROWDS},
                     {kept_geodesics_change_no_label, 0}, {landmarks_end_at_means, 0});
}
