/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/kmeans_support.h"

START_TEST(as_many_clusters_as_points)
{
    space s = space_open(specs[_i]);
    enum { N = 9 };
    double *x = doubles(N * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.5, N, 61, x);
    /* One restart: k-means++ must never choose a point twice. Duplicates then: N/3 different points. */
    for (size_t repeat = 1; repeat <= N; repeat *= 3) {
        for (size_t i = 0; i < N; i++)
            memcpy(x + i * s.D, x + i / repeat * repeat * s.D, s.D * sizeof *x);
        for (size_t k = N / repeat; k <= N; k++)
            for (int diffusion = 0; diffusion < 2; diffusion++) {
                mst_kmeans_options o = options(k, 1);
                o.kind = diffusion ? s.exact : NULL;
                mst_kmeans_result *r = fit(&s, N, x, o);
                ck_assert_double_le(r->inertia, 1e-14);
                for (size_t c = 0; c < k; c++)
                    ck_assert_int_eq(r->sizes[c] > 0, c < N / repeat);
                ck_assert(all_finite(k * s.D, r->centres));
                mst_kmeans_result_free(r);
            }
    }
    mst_kmeans_result *one = fit(&s, 1, x, options(1, 2));
    ck_assert(one->sizes[0] == 1 && one->labels[0] == 0 && one->inertia <= 1e-15);
    mst_kmeans_result_free(one);
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

/* Small sets and many clusters: where there are enough different points no cluster stays empty, and the
 * inertia never rises with the number of restarts. */
START_TEST(no_cluster_stays_empty)
{
    space s = space_open("euclidean:1");
    dice d = {8};
    for (int round = 0; round < 300; round++) {
        double x[12], last = INFINITY;
        for (size_t i = 0; i < 12; i++)
            x[i] = (double)i + dice_uniform(&d, 0, round % 2 == 0 ? 0 : 0.5); /* a grid: ties */
        for (size_t restarts = 1; restarts <= 16; restarts *= 4) {
            mst_kmeans_options o = options(2 + (size_t)round % 9, restarts);
            o.seed = (uint64_t)round;
            mst_kmeans_result *r = fit(&s, 12, x, o);
            assert_consistent(&s, 12, x, NULL, r);
            for (size_t c = 0; c < r->k; c++)
                ck_assert_uint_gt(r->sizes[c], 0);
            ck_assert_double_le(r->inertia, last);
            last = r->inertia;
            mst_kmeans_result_free(r);
        }
    }
    space_close(&s);
}
END_TEST

/* From any seeding, also a bad one, the end is a fixed point: no cluster is empty and each centre is the mean
 * of its rows. Uniform points on the sphere make clusters so wide that one Newton step is
 * not the whole way. */
START_TEST(every_end_is_a_fixed_point)
{
    space s = space_open(_i == 0 ? "euclidean:2" : "sphere:2");
    enum { N = 40 };
    double x[3 * N];
    for (size_t round = 0; round < 400; round++) {
        ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){round, 1}, 0, N, x));
        mst_kmeans_options o = options(2 + round % (_i == 0 ? 24 : 4), 1);
        o.seed = round;
        mst_kmeans_result *r = fit(&s, N, x, o);
        assert_consistent(&s, N, x, NULL, r);
        for (size_t c = 0; c < r->k; c++) {
            ck_assert_uint_gt(r->sizes[c], 0);
            assert_near(mean_logarithm(&s, N, x, r->labels, c, r->centres + c * s.D), 0, 1e-9,
                        "centre %zu of round %zu", c, round);
        }
        mst_kmeans_result_free(r);
    }
    space_close(&s);
}
END_TEST

/* A start, found by search, from which a cluster runs empty on the way. */
START_TEST(an_empty_cluster_is_filled_again)
{
    space s = space_open("sphere:2");
    enum { N = 9, SEED = 13714 };
    double x[3 * N], weights[N];
    mst_random_normals((mst_random){SEED, 1}, 0, 3 * N, x);
    mst_random_normals((mst_random){SEED, 2}, 0, N, weights);
    ASSERT_OK(mst_manifold_project(s.m, N, x, x));
    for (size_t i = 0; i < N; i++)
        weights[i] = exp(2 * weights[i]);
    mst_kmeans_options o = options(4, 1);
    o.weights = weights;
    o.seed = SEED;
    mst_kmeans_result *r = fit(&s, N, x, o);
    assert_consistent(&s, N, x, weights, r);
    ck_assert_uint_gt(r->sizes[3], 0);
    mst_kmeans_result_free(r);
    space_close(&s);
}
END_TEST

/* Five clusters of width 0.1 at distances of 10 and more. A seeding leaves one out with probability about
 * 5·(0.1/10)²·log-terms < 0.01; in 200 of them more than 10 failures have probability below 1e-4. One
 * iteration cannot repair it: the inertia then is in the hundreds, not below ten. */
START_TEST(seeds_lie_apart)
{
    space s = space_open("euclidean:1");
    enum { EACH = 20, K = 5 };
    double x[K * EACH];
    dice d = {10};
    size_t failures = 0;
    for (size_t i = 0; i < K * EACH; i++)
        x[i] = 10 * (double)(i / EACH) + 0.1 * dice_normal(&d);
    for (uint64_t round = 0; round < 200; round++) {
        mst_kmeans_options o = options(K, 1);
        mst_kmeans_result *r;
        o.seed = round;
        o.iterations = 1;
        mst_status status = mst_kmeans_fit(&r, s.m, K * EACH, x, &o);
        ck_assert(status == MST_OK || status == MST_CONVERGENCE);
        failures += r->inertia > 10;
        mst_kmeans_result_free(r);
    }
    ck_assert_uint_le(failures, 10);
    space_close(&s);
}
END_TEST

START_TEST(an_unfinished_fit_says_so)
{
    space s = space_open("sphere:2");
    double x[300 * 3];
    clusters_of_rows(&s, 3, 100, 0.5, 0.3, 71, x);
    mst_kmeans_options o = options(5, 1);
    o.iterations = 1;
    mst_kmeans_result *r;
    ASSERT_FAILS(MST_CONVERGENCE, mst_kmeans_fit(&r, s.m, 300, x, &o));
    ck_assert_ptr_nonnull(r);
    ck_assert(!r->converged && r->iterations == 1);
    assert_consistent(&s, 300, x, NULL, r);
    mst_kmeans_result_free(r);
    o.iterations = 300;
    o.progress.report = stop_now;
    ASSERT_FAILS(MST_INTERRUPTED, mst_kmeans_fit(&r, s.m, 300, x, &o));
    ck_assert_ptr_null(r);
    space_close(&s);
}
END_TEST

START_TEST(bad_arguments)
{
    space s = space_open("sphere:2"), other = space_open("euclidean:2");
    double x[6] = {1, 0, 0, 0, 1, 0}, weights[2] = {1, 1};
    mst_kmeans_result *r;
    mst_kmeans_options good = options(1, 1), o = good;
#define BAD(change)                                                    \
    do {                                                               \
        o = good;                                                      \
        change;                                                        \
        ASSERT_FAILS(MST_ARGUMENT, mst_kmeans_fit(&r, s.m, 2, x, &o)); \
        ck_assert_ptr_null(r);                                         \
    } while (0)
    BAD(o.k = 0);
    BAD(o.k = 3);
    BAD(o.restarts = 0);
    BAD(o.iterations = 0);
    BAD(o.kind = other.exact);
    BAD(weights[1] = -1; o.weights = weights);
    BAD(weights[1] = NAN; o.weights = weights);
    BAD(weights[0] = weights[1] = 0; o.weights = weights);
    BAD(x[4] = NAN);
    x[4] = 1;
#undef BAD
    ASSERT_FAILS(MST_ARGUMENT, mst_kmeans_fit(&r, s.m, 0, x, &good));
    size_t label = 7;
    ASSERT_FAILS(MST_ARGUMENT, mst_kmeans_assign(s.m, 0, x, 1, x, 1, &label, NULL));
    ck_assert_uint_eq(label, 7);
    ASSERT_OK(mst_kmeans_assign(s.m, 2, x, 0, x, 1, NULL, NULL));
    ASSERT_OK(mst_kmeans_assign(s.m, 2, x, 1, x + 3, 1, &label, NULL));
    ck_assert_uint_eq(label, 1);
    /* Equal distances: the first centre. */
    double middle[3] = {M_SQRT1_2, M_SQRT1_2, 0}, twice[6] = {1, 0, 0, 1, 0, 0};
    ASSERT_OK(mst_kmeans_assign(s.m, 2, twice, 1, middle, 1, &label, NULL));
    ck_assert_uint_eq(label, 0);
    mst_kmeans_result_free(NULL);
    space_close(&other);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("kmeans_corners", 60, {as_many_clusters_as_points, SPECS},
                     {no_cluster_stays_empty, 0}, {every_end_is_a_fixed_point, 2},
                     {an_empty_cluster_is_filled_again, 0}, {seeds_lie_apart, 0},
                     {an_unfinished_fit_says_so, 0}, {bad_arguments, 0});
}
