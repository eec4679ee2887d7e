/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Means on manifolds that are R^d by their chart: an average, and the same as the climb that knows nothing of
 * it. */
#include "stat/mean_support.h"
#include "stat/veiled_source.h"

#include <manistat/brownian.h>

static const char *const specs[] = {"euclidean:1",
                                    "euclidean:3",
                                    "sym:3",
                                    "spd:3?metric=log-euclidean",
                                    "spd:3?metric=log-cholesky",
                                    "product(euclidean:2,spd:2?metric=log-euclidean)"};
enum { SPECS = sizeof specs / sizeof *specs, N = 40 };

typedef struct data {
    mst_manifold *m;
    mst_score *known, *veiled;
    size_t D, d;
    double *x, *weights;
} data;

/* Points about a place that is not the default start. */
static data open_data(const char *spec, bool frechet)
{
    data p = {0};
    ASSERT_OK(mst_manifold_parse(&p.m, spec));
    p.D = mst_manifold_ambient(p.m);
    p.d = mst_manifold_dim(p.m);
    ASSERT_OK(frechet ? mst_score_log_new(&p.known, p.m) : mst_score_exact_new(&p.known, p.m));
    ASSERT_OK(mst_score_new(&p.veiled, &veiled_ops, p.m, p.known));
    p.x = doubles(N * p.D);
    p.weights = doubles(N);
    double *start = doubles(p.D);
    ASSERT_OK(mst_manifold_random_point(p.m, (mst_random){7, 1}, 0, 1, start));
    for (size_t i = 0; i < N; i++) {
        memcpy(p.x + i * p.D, start, p.D * sizeof *start);
        p.weights[i] = (double)(i % 4);
    }
    mst_brownian_options o = mst_brownian_options_default();
    ASSERT_OK(mst_brownian_endpoints(p.m, N, p.x, 0.3, &o, p.x));
    free(start);
    return p;
}

static void close_data(data *p)
{
    mst_score_free(p->veiled);
    mst_score_free(p->known);
    mst_manifold_free(p->m);
    free(p->x);
    free(p->weights);
}

static void compare(const data *p, const mst_mean_options *o, const char *what)
{
    mst_mean_result *a, *b;
    ASSERT_OK(mst_mean_fit(&a, p->known, N, p->x, o));
    ASSERT_OK(mst_mean_fit(&b, p->veiled, N, p->x, o));
    const char *spec = mst_manifold_spec(p->m);
    ck_assert_msg(a->iterations == 1 && a->converged && a->unique && a->set_size == 1, "%s, %s",
                  spec, what);
    for (size_t k = 0; k < p->D; k++)
        assert_near(a->mean[k], b->mean[k], 1e-9, "%s, %s: mean", spec, what);
    assert_near(a->variance, b->variance, 1e-12 * b->variance, "%s, %s: variance", spec, what);
    if (isfinite(b->time)) {
        assert_near(a->time, b->time, 1e-10 * b->time, "%s, %s: time", spec, what);
        assert_near(a->log_likelihood, b->log_likelihood, 1e-10 * fabs(b->log_likelihood) + 1e-10,
                    "%s, %s: log-likelihood", spec, what);
    }
    /* Second derivatives by log t are differences in the climb. */
    if (isfinite(b->time_standard_error))
        assert_near(a->time_standard_error, b->time_standard_error, 1e-6 * b->time_standard_error,
                    "%s, %s: its error", spec, what);
    ck_assert(isfinite(a->time_standard_error) == isfinite(b->time_standard_error));
    double size = 0;
    for (size_t k = 0; k < p->d * p->d; k++)
        size = fmax(size, fabs(b->covariance[k]));
    ck_assert(size > 0);
    for (size_t k = 0; k < p->d * p->d; k++)
        assert_near(a->covariance[k], b->covariance[k], 1e-7 * size, "%s, %s: covariance", spec,
                    what);
    assert_near(log(a->region_volume), log(b->region_volume), 1e-6 * (double)p->d, "%s, %s: volume",
                spec, what);
    mst_mean_result_free(a);
    mst_mean_result_free(b);
}

START_TEST(the_climb_comes_to_the_average)
{
    for (int frechet = 0; frechet < 2; frechet++) {
        data p = open_data(specs[_i], frechet == 1);
        mst_mean_options o = mst_mean_options_default();
        o.threads = 1;
        compare(&p, &o, "as it is");
        o.covariance = MST_COVARIANCE_SANDWICH;
        compare(&p, &o, "sandwich");
        o.weights = p.weights;
        compare(&p, &o, "weights");
        o.time = frechet == 1 ? 0 : 0.7;
        compare(&p, &o, "a fixed time");
        close_data(&p);
    }
}
END_TEST

/* What only a climb can say is left to it. */
START_TEST(no_average)
{
    data p = open_data("euclidean:3", false);
    mst_mean_result *r;
    mst_mean_options o = mst_mean_options_default();
    o.method = MST_MEAN_GRADIENT;
    o.tolerance = 1e-6;
    o.start = p.x;
    ASSERT_OK(mst_mean_fit(&r, p.known, N, p.x, &o));
    ck_assert(r->iterations > 1);
    mst_mean_result_free(r);
    for (size_t i = 3; i < N * 3; i++)
        p.x[i] = p.x[i % 3];
    o = mst_mean_options_default();
    ASSERT_FAILS(MST_CONVERGENCE, mst_mean_fit(&r, p.known, N, p.x, &o));
    ck_assert(r->time_limit == MST_TIME_ZERO && r->mean[1] == p.x[1]);
    mst_mean_result_free(r);
    close_data(&p);
}
END_TEST

/* A place far from the origin costs no digits of the spread. */
START_TEST(far_away)
{
    data p = open_data("euclidean:3", false);
    mst_mean_result *near, *far;
    for (size_t i = 0; i < N * 3; i++)
        p.x[i] = round(p.x[i] * 1024) / 1024;
    ASSERT_OK(mst_mean_fit(&near, p.known, N, p.x, NULL));
    for (size_t i = 0; i < N * 3; i++)
        p.x[i] += 0x1p20;
    ASSERT_OK(mst_mean_fit(&far, p.known, N, p.x, NULL));
    assert_near(far->time, near->time, 1e-13 * near->time, "time");
    mst_mean_result_free(far);
    /* Nor the verdict, where the mean is off by its last digit. */
    for (size_t i = 0; i < N * 3; i++)
        p.x[i] += 0x1p36 - 0x1p20 + (double)(i % 3) * 0x1p34;
    ASSERT_OK(mst_mean_fit(&far, p.known, N, p.x, NULL));
    ck_assert(far->converged && far->unique);
    assert_near(far->time, near->time, 1e-9 * near->time, "time of rows very far away");
    assert_near(far->standard_error, near->standard_error, 1e-9, "error of rows very far away");
    assert_near(far->mean[1], near->mean[1] + 0x1p36 + 0x1p34, 0x1p-15, "mean of them");
    mst_mean_result_free(near);
    mst_mean_result_free(far);
    close_data(&p);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_flat", 60, {the_climb_comes_to_the_average, SPECS}, {no_average, 0},
                     {far_away, 0});
}
