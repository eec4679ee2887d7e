/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/kmeans_support.h"

#include <string.h>

START_TEST(separate_clusters_are_found)
{
    space s = space_open(specs[_i]);
    enum { EACH = 40, K = 2 };
    double *x = doubles(K * EACH * s.D);
    /* Centres 2.4 apart and clouds of width 0.1: no row is nearer to the other. */
    clusters_of_rows(&s, K, EACH, 1.2, 0.01, 77, x);
    mst_kmeans_result *r = fit(&s, K * EACH, x, options(K, 5));
    assert_consistent(&s, K * EACH, x, NULL, r);
    ck_assert(r->converged);
    for (size_t i = 0; i < K * EACH; i++)
        ck_assert_uint_eq(r->labels[i], i / EACH);
    for (size_t c = 0; c < K; c++) {
        assert_near(mean_logarithm(&s, K * EACH, x, r->labels, c, r->centres + c * s.D), 0, 1e-10,
                    "centre %zu", c);
        ck_assert(isnan(r->times[c]));
    }
    mst_kmeans_result_free(r);
    free(x);
    space_close(&s);
}
END_TEST

/* Σ dist² of the rows of one part to their mean. */
static double part_cost(const space *s, size_t n, const double *x, unsigned part)
{
    double *rows = doubles(n * s->D);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (part >> i & 1)
            memcpy(rows + count++ * s->D, x + i * s->D, s->D * sizeof *rows);
    double cost = 0;
    if (count > 0) {
        mst_mean_options o = mst_mean_options_default();
        mst_mean_result *mean;
        o.starts = 8;
        o.threads = 1;
        mst_status status = mst_mean_fit(&mean, s->log, count, rows, &o);
        ck_assert(status == MST_OK || status == MST_CONVERGENCE);
        cost = mean->variance * (double)count;
        mst_mean_result_free(mean);
    }
    free(rows);
    return cost;
}

/* All partitions of eight points into two parts: with many restarts k-means finds the best. */
START_TEST(the_best_partition_is_found)
{
    enum { N = 8 };
    space s = space_open(specs[_i]);
    double *x = doubles(N * s.D), best = INFINITY;
    double *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.3, N, 5, x);
    for (unsigned part = 0; part < 1u << (N - 1); part++)
        best = fmin(best, part_cost(&s, N, x, part) + part_cost(&s, N, x, ~part & ((1u << N) - 1)));
    mst_kmeans_result *r = fit(&s, N, x, options(2, 60));
    assert_near(r->inertia, best, 1e-9 * best, "%s", specs[_i]);
    assert_consistent(&s, N, x, NULL, r);
    mst_kmeans_result_free(r);
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

static void assert_same_result(const space *s, const mst_kmeans_result *a,
                               const mst_kmeans_result *b)
{
    assert_same_bits(a->n * sizeof *a->labels, a->labels, b->labels, "labels");
    assert_same_bits(a->k * s->D * sizeof *a->centres, a->centres, b->centres, "centres");
    assert_same_bits(a->k * sizeof *a->sizes, a->sizes, b->sizes, "sizes");
    assert_same_bits(sizeof a->inertia, &a->inertia, &b->inertia, "inertias");
    ck_assert_uint_eq(a->iterations, b->iterations);
}

/* Both ways to share the work: restarts side by side, and rows. */
START_TEST(threads_change_no_bit)
{
    space s = space_open("sphere:3");
    enum { EACH = 2000, K = 3 };
    double *x = doubles(K * EACH * s.D);
    clusters_of_rows(&s, K, EACH, 0.7, 0.2, 3, x);
    for (size_t restarts = 1; restarts <= 4; restarts += 3) {
        mst_kmeans_options o = options(K, restarts);
        o.kind = restarts == 1 ? s.exact : NULL;
        size_t n = restarts == 1 ? K * EACH : K * EACH / 6;
        mst_kmeans_result *one = fit(&s, n, x, o);
        for (int threads = 2; threads <= 4; threads++) {
            o.threads = threads;
            mst_kmeans_result *more = fit(&s, n, x, o);
            assert_same_result(&s, one, more);
            mst_kmeans_result_free(more);
        }
        mst_kmeans_result_free(one);
    }
    free(x);
    space_close(&s);
}
END_TEST

/* The order of the rows chooses other seeds but not another optimum. */
START_TEST(rows_may_come_in_any_order)
{
    space s = space_open("sphere:3");
    enum { EACH = 60, K = 4, N = K * EACH };
    double *x = doubles(N * s.D), *y = doubles(N * s.D);
    size_t order[N];
    clusters_of_rows(&s, K, EACH, 0.8, 0.02, 9, x);
    mst_random_permutation((mst_random){1, 2}, N, order);
    reorder_rows(N, s.D, order, x, y);
    mst_kmeans_result *a = fit(&s, N, x, options(K, 20)), *b = fit(&s, N, y, options(K, 20));
    assert_near(a->inertia, b->inertia, 1e-10 * a->inertia, "inertia");
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_int_eq(b->labels[i] == b->labels[j],
                             a->labels[order[i]] == a->labels[order[j]]);
    mst_kmeans_result_free(a);
    mst_kmeans_result_free(b);
    free(x);
    free(y);
    space_close(&s);
}
END_TEST

/* A row of weight three is the row three times; a row of weight zero is labelled and changes nothing. */
START_TEST(weights_are_repeated_rows)
{
    space s = space_open("hyperbolic:2");
    enum { N = 60 };
    double x[N * 3], many[3 * N * 3], weights[N + 1], with_zero[(N + 1) * 3];
    size_t count = 0;
    clusters_of_rows(&s, 2, N / 2, 0.9, 0.05, 21, x);
    for (size_t i = 0; i < N; i++) {
        weights[i] = (double)(1 + i % 3);
        for (size_t j = 0; j < 1 + i % 3; j++)
            memcpy(many + 3 * count++, x + 3 * i, 3 * sizeof *x);
    }
    mst_kmeans_options o = options(3, 30);
    mst_kmeans_result *repeated = fit(&s, count, many, o);
    o.weights = weights;
    mst_kmeans_result *weighted = fit(&s, N, x, o);
    assert_consistent(&s, N, x, weights, weighted);
    assert_near(weighted->inertia, repeated->inertia, 1e-10 * repeated->inertia, "inertia");
    memcpy(with_zero, x, sizeof x);
    point_along(&s, 0, 30, with_zero + 3 * N);
    weights[N] = 0;
    mst_kmeans_result *zero = fit(&s, N + 1, with_zero, o);
    assert_consistent(&s, N + 1, with_zero, weights, zero);
    assert_near(zero->inertia, weighted->inertia, 1e-10 * repeated->inertia, "inertia");
    mst_kmeans_result_free(zero);
    mst_kmeans_result_free(weighted);
    mst_kmeans_result_free(repeated);
    space_close(&s);
}
END_TEST

START_TEST(one_cluster_is_the_mean)
{
    space s = space_open(specs[_i]);
    enum { N = 50 };
    double *x = doubles(N * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.1, N, 31, x);
    for (int diffusion = 0; diffusion < 2; diffusion++) {
        mst_kmeans_options o = options(1, 3);
        mst_mean_options mean_options = mst_mean_options_default();
        mst_mean_result *mean;
        o.kind = diffusion ? s.exact : NULL;
        mst_kmeans_result *r = fit(&s, N, x, o);
        ASSERT_OK(mst_mean_fit(&mean, diffusion ? s.exact : s.log, N, x, &mean_options));
        ck_assert_double_lt(distance_of(&s, mean->mean, r->centres), 1e-8);
        assert_near(r->inertia, mean->variance * N, 1e-8 * r->inertia, "inertia");
        if (diffusion)
            assert_near(r->times[0], mean->time, 1e-7 * mean->time, "time");
        mst_mean_result_free(mean);
        mst_kmeans_result_free(r);
    }
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(diffusion_centres_are_diffusion_means)
{
    space s = space_open("sphere:2");
    enum { EACH = 80, K = 3 };
    double x[K * EACH * 3], rows[K * EACH * 3];
    clusters_of_rows(&s, K, EACH, 1.0, 0.1, 41, x);
    mst_kmeans_options o = options(K, 10);
    o.kind = s.exact;
    mst_kmeans_result *r = fit(&s, K * EACH, x, o);
    assert_consistent(&s, K * EACH, x, NULL, r);
    for (size_t c = 0; c < K; c++) {
        size_t count = 0;
        for (size_t i = 0; i < K * EACH; i++)
            if (r->labels[i] == c)
                memcpy(rows + 3 * count++, x + 3 * i, 3 * sizeof *x);
        mst_mean_options mean_options = mst_mean_options_default();
        mst_mean_result *mean;
        ASSERT_OK(mst_mean_fit(&mean, s.exact, count, rows, &mean_options));
        ck_assert_double_lt(distance_of(&s, mean->mean, r->centres + 3 * c), 1e-8);
        assert_near(r->times[c], mean->time, 1e-7, "time");
        mst_mean_result_free(mean);
    }
    mst_kmeans_result_free(r);
    space_close(&s);
}
END_TEST

/* Multiplying Euclidean coordinates multiplies the inertia by the square and leaves the labels. */
START_TEST(flat_space_has_no_scale)
{
    space s = space_open("euclidean:3");
    enum { N = 90 };
    double x[N * 3], y[N * 3];
    clusters_of_rows(&s, 3, N / 3, 4, 0.5, 51, x);
    mst_kmeans_result *unit = fit(&s, N, x, options(3, 10));
    static const double scales[] = {1e-6, 1e4, 1e9};
    for (size_t k = 0; k < 3; k++)
        for (int diffusion = 0; diffusion < 2; diffusion++) {
            for (size_t a = 0; a < N * 3; a++)
                y[a] = scales[k] * x[a];
            mst_kmeans_options o = options(3, 10);
            o.kind = diffusion ? s.exact : NULL;
            mst_kmeans_result *r = fit(&s, N, y, o);
            assert_near(r->inertia / (scales[k] * scales[k]), unit->inertia, 1e-9 * unit->inertia,
                        "inertia at scale %g", scales[k]);
            assert_same_bits(N * sizeof *r->labels, r->labels, unit->labels, "labels");
            mst_kmeans_result_free(r);
        }
    mst_kmeans_result_free(unit);
    space_close(&s);
}
END_TEST

/* Restarts on a sample of many rows lead to the minimum of all rows, whatever the sample was; where hardly
 * any row has a weight, it is that of those. */
START_TEST(samples_lead_to_the_minimum_of_all_rows)
{
    enum { EACH = 22000, K = 3, N = K * EACH, FEW = 60 };
    space s = space_open(_i == 0 ? "sphere:2" : "euclidean:3");
    double *x = doubles(N * s.D), *weights = doubles(N), *few = doubles(FEW * s.D), first = 0;
    clusters_of_rows(&s, K, EACH, 1.2, 0.2, 5, x);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        mst_kmeans_options o = options(K, 5);
        o.seed = seed;
        mst_kmeans_result *r = fit(&s, N, x, o);
        if (seed == 1)
            first = r->inertia;
        assert_near(r->inertia, first, 1e-7 * first, "inertia");
        mst_kmeans_result_free(r);
    }
    for (size_t i = 0; i < N; i++)
        weights[i] = i % (N / FEW) == 0 ? 1 : 0;
    for (size_t k = 0; k < FEW; k++)
        memcpy(few + k * s.D, x + k * (N / FEW) * s.D, s.D * sizeof *x);
    mst_kmeans_options o = options(K, 20);
    mst_kmeans_result *want = fit(&s, FEW, few, o);
    o.weights = weights;
    mst_kmeans_result *r = fit(&s, N, x, o);
    assert_near(r->inertia, want->inertia, 1e-9 * want->inertia, "inertia of few");
    mst_kmeans_result_free(r);
    mst_kmeans_result_free(want);
    free(few);
    free(weights);
    free(x);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("kmeans", 60, {separate_clusters_are_found, SPECS},
                     {the_best_partition_is_found, SPECS}, {threads_change_no_bit, 0},
                     {rows_may_come_in_any_order, 0}, {weights_are_repeated_rows, 0},
                     {one_cluster_is_the_mean, SPECS}, {diffusion_centres_are_diffusion_means, 0},
                     {flat_space_has_no_scale, 0}, {samples_lead_to_the_minimum_of_all_rows, 2});
}
