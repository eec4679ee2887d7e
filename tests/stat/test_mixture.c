/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/samples.h"

#include <manistat/cluster.h>

static mst_mixture_options options(size_t k, size_t restarts)
{
    mst_mixture_options o = mst_mixture_options_default();
    o.k = k;
    o.restarts = restarts;
    o.threads = 1;
    return o;
}

/* What must hold for every result, from the definition of the mixture. */
static void assert_consistent(const space *s, size_t n, const double *x, const double *weights,
                              const mst_mixture_result *r)
{
    double total = 0, rows = 0, log_likelihood = 0, *log_p = doubles(r->k);
    ck_assert(all_finite(r->k, r->weights) && all_finite(r->k, r->times));
    ck_assert(all_finite(r->k * s->D, r->centres) && all_finite(n * r->k, r->responsibilities));
    for (size_t j = 0; j < r->k; j++) {
        total += r->weights[j];
        ck_assert(r->times[j] > 0 && r->weights[j] >= 0);
        if (j > 0)
            ck_assert_double_le(r->weights[j], r->weights[j - 1]);
    }
    assert_near(total, 1, 1e-12, "weights");
    for (size_t i = 0; i < n; i++) {
        const double *row = r->responsibilities + i * r->k;
        double sum = 0, density = 0, largest = -INFINITY;
        for (size_t j = 0; j < r->k; j++) {
            ASSERT_OK(mst_heat_kernel(s->m, 1, x + i * s->D, r->centres + j * s->D, r->times[j], 1,
                                      &(mst_heat_values){.log_p = log_p + j}));
            log_p[j] += log(r->weights[j]);
            largest = fmax(largest, log_p[j]);
        }
        for (size_t j = 0; j < r->k; j++)
            density += exp(log_p[j] - largest);
        for (size_t j = 0; j < r->k; j++) {
            sum += row[j];
            assert_near(row[j], exp(log_p[j] - largest) / density, 1e-9, "responsibility");
            ck_assert_double_le(row[j], row[r->labels[i]]);
        }
        assert_near(sum, 1, 4 * (double)r->k * DBL_EPSILON, "responsibilities of row %zu", i);
        double weight = weights != NULL ? weights[i] : 1;
        rows += weight;
        log_likelihood += weight * (largest + log(density));
    }
    assert_near(r->log_likelihood, log_likelihood, 1e-10 * (fabs(log_likelihood) + (double)n),
                "log-likelihood");
    size_t parameters = r->k * (s->d + 1) + r->k - 1;
    ck_assert_uint_eq(r->parameters, parameters);
    assert_near(r->aic, 2 * (double)parameters - 2 * r->log_likelihood, 1e-9, "aic");
    assert_near(r->bic, log(rows) * (double)parameters - 2 * r->log_likelihood, 1e-9, "bic");
    free(log_p);
}

static mst_mixture_result *fit(const space *s, size_t n, const double *x, mst_mixture_options o)
{
    mst_mixture_result *r;
    ASSERT_OK(mst_mixture_fit(&r, s->exact, n, x, &o));
    assert_consistent(s, n, x, o.weights, r);
    return r;
}

static const char *const specs[] = {
    "euclidean:2",  "circle", "sphere:2", "torus:2",
    "hyperbolic:2", "so3",    "spd:2",    "product(circle,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

/* The same restart, cut off after 1, 2, 3 … steps: the log-likelihood never falls, beyond rounding of a sum
 * of n logarithms. Components overlap, so that EM has work to do; least_time is active in
 * the second round. */
START_TEST(em_never_goes_down)
{
    space s = space_open(specs[_i]);
    enum { N = 80 };
    double *x = doubles(N * s.D);
    clusters_of_rows(&s, 2, N / 2, 0.5, 0.2, 11, x);
    for (int round = 0; round < 2; round++) {
        double last = -INFINITY, first = 0;
        for (size_t steps = 1; steps <= 15; steps++) {
            mst_mixture_options o = options(3, 1);
            o.iterations = steps;
            o.least_time = round == 0 ? 0 : 0.12;
            o.tolerance = 1e-14;
            mst_mixture_result *r;
            mst_status status = mst_mixture_fit(&r, s.exact, N, x, &o);
            ck_assert(status == MST_OK || status == MST_CONVERGENCE);
            ck_assert_double_ge(r->log_likelihood, last - 1e-11 * N);
            for (size_t j = 0; j < 3; j++)
                ck_assert_double_ge(r->times[j], o.least_time);
            last = r->log_likelihood;
            if (steps == 1)
                first = last;
            mst_mixture_result_free(r);
        }
        ck_assert_double_gt(last, first);
    }
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(one_component_is_the_diffusion_mean)
{
    space s = space_open(specs[_i]);
    enum { N = 60 };
    double *x = doubles(N * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.2, N, 21, x);
    mst_mixture_options o = options(1, 1);
    o.tolerance = 1e-14;
    mst_mixture_result *r = fit(&s, N, x, o);
    mst_mean_options mean_options = mst_mean_options_default();
    mst_mean_result *mean;
    ASSERT_OK(mst_mean_fit(&mean, s.exact, N, x, &mean_options));
    /* A change of L below 1e-14 |L| leaves √(1e-14·|L|/n) in the parameters. */
    ck_assert_double_lt(distance_of(&s, mean->mean, r->centres), 1e-6);
    assert_near(r->times[0], mean->time, 1e-6, "time");
    assert_near(r->log_likelihood, mean->log_likelihood, 1e-10 * N, "log-likelihood");
    assert_near(r->bic, mean->bic, 1e-9 * N, "bic");
    mst_mean_result_free(mean);
    mst_mixture_result_free(r);
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

/* In flat space the stationary equations are those of Gaussian mixtures: π = Σ w r/W, μ = Σ w r x/Σ w r,
 * t = Σ w r |x − μ|²/(d Σ w r). */
START_TEST(flat_mixtures_are_gaussian)
{
    space s = space_open("euclidean:2");
    enum { N = 300, K = 3 };
    double x[2 * N], weights[N];
    clusters_of_rows(&s, K, N / K, 3, 1, 31, x);
    for (size_t i = 0; i < N; i++)
        weights[i] = 0.5 + (double)(i % 4);
    mst_mixture_options o = options(K, 3);
    o.weights = weights;
    o.tolerance = 1e-15;
    o.iterations = 3000;
    mst_mixture_result *r = fit(&s, N, x, o);
    double whole = 0;
    for (size_t i = 0; i < N; i++)
        whole += weights[i];
    for (size_t j = 0; j < K; j++) {
        double mass = 0, mean[2] = {0}, square = 0;
        for (size_t i = 0; i < N; i++) {
            double w = weights[i] * r->responsibilities[i * K + j];
            mass += w;
            mean[0] += w * x[2 * i];
            mean[1] += w * x[2 * i + 1];
        }
        mean[0] /= mass;
        mean[1] /= mass;
        for (size_t i = 0; i < N; i++)
            square += weights[i] * r->responsibilities[i * K + j] *
                      (pow(x[2 * i] - mean[0], 2) + pow(x[2 * i + 1] - mean[1], 2));
        assert_near(r->weights[j], mass / whole, 1e-6, "weight");
        assert_near(r->centres[2 * j], mean[0], 1e-5, "mean");
        assert_near(r->centres[2 * j + 1], mean[1], 1e-5, "mean");
        assert_near(r->times[j], square / (2 * mass), 1e-5, "time");
    }
    mst_mixture_result_free(r);
    space_close(&s);
}
END_TEST

/* Three components of different weights and times. A component of m points is known to √(d t/m) in its
 * centre, to t√(2/(d m)) in its time and its weight to √(π(1 − π)/n), and somewhat worse
 * for the overlap: five times that. */
START_TEST(a_known_mixture_is_recovered)
{
    static const char *const known[] = {"sphere:3", "so3", "hyperbolic:3", "torus:2"};
    static const double times[] = {0.05, 0.02, 0.1}, apart[] = {1.1, -1.1, 1.2};
    static const size_t sizes[] = {500, 300, 200}, axes[] = {0, 0, 1};
    space s = space_open(known[_i]);
    enum { N = 1000, K = 3 };
    double *x = doubles(N * s.D), *centres = doubles(K * s.D);
    for (size_t j = 0, at = 0; j < K; at += sizes[j++]) {
        point_along(&s, axes[j], apart[j], centres + j * s.D);
        brownian_rows(&s, centres + j * s.D, times[j], sizes[j], 41 + j, x + at * s.D);
    }
    mst_mixture_result *r = fit(&s, N, x, options(K, 3));
    ck_assert(r->converged && !r->degenerate);
    for (size_t j = 0; j < K; j++) {
        double m = (double)sizes[j], d = (double)s.d, share = m / N;
        ck_assert_double_lt(distance_of(&s, r->centres + j * s.D, centres + j * s.D),
                            5 * sqrt(d * times[j] / m));
        assert_near(r->times[j], times[j], 5 * times[j] * sqrt(2 / (d * m)), "time %zu", j);
        /* The sizes are given, so that only the overlap is uncertain. */
        assert_near(r->weights[j], share, 5 * sqrt(share * (1 - share) / N), "weight %zu", j);
    }
    /* The right number of components has the least BIC. */
    for (size_t k = K - 1; k <= K + 1; k += 2) {
        mst_mixture_options o = options(k, 1);
        o.tolerance = 1e-6;
        mst_mixture_result *other = fit(&s, N, x, o);
        ck_assert_double_gt(other->bic, r->bic);
        mst_mixture_result_free(other);
    }
    mst_mixture_result_free(r);
    free(centres);
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    space s = space_open("sphere:3");
    enum { N = 6000, K = 2 };
    double *x = doubles(N * s.D);
    clusters_of_rows(&s, K, N / K, 0.7, 0.1, 51, x);
    for (size_t restarts = 1; restarts <= 4; restarts += 3) {
        mst_mixture_options o = options(K, restarts);
        o.tolerance = 1e-6;
        size_t n = restarts == 1 ? N : N / 15;
        const double *rows = x + (N / 2 - n / 2) * s.D;
        mst_mixture_result *one, *more;
        ASSERT_OK(mst_mixture_fit(&one, s.exact, n, rows, &o));
        for (int threads = 2; threads <= 4; threads += 2) {
            o.threads = threads;
            ASSERT_OK(mst_mixture_fit(&more, s.exact, n, rows, &o));
            assert_same_bits(n * K * sizeof(double), one->responsibilities, more->responsibilities,
                             "responsibilities");
            assert_same_bits(K * s.D * sizeof(double), one->centres, more->centres, "centres");
            assert_same_bits(K * sizeof(double), one->times, more->times, "times");
            assert_same_bits(sizeof(double), &one->log_likelihood, &more->log_likelihood,
                             "log-likelihoods");
            mst_mixture_result_free(more);
        }
        mst_mixture_result_free(one);
    }
    free(x);
    space_close(&s);
}
END_TEST

/* Repeated rows, weights and another order: the same maximum. */
START_TEST(weights_are_repeated_rows)
{
    space s = space_open("sphere:2");
    enum { N = 90 };
    double x[3 * N], many[9 * N], shuffled[9 * N], weights[N];
    size_t count = 0, order[3 * N];
    clusters_of_rows(&s, 2, N / 2, 0.8, 0.05, 61, x);
    for (size_t i = 0; i < N; i++) {
        weights[i] = (double)(1 + i % 3);
        for (size_t j = 0; j < 1 + i % 3; j++)
            memcpy(many + 3 * count++, x + 3 * i, 3 * sizeof *x);
    }
    mst_random_permutation((mst_random){3, 4}, count, order);
    reorder_rows(count, 3, order, many, shuffled);
    mst_mixture_options o = options(2, 3);
    o.tolerance = 1e-14;
    mst_mixture_result *repeated = fit(&s, count, shuffled, o);
    o.weights = weights;
    mst_mixture_result *weighted = fit(&s, N, x, o);
    assert_near(weighted->log_likelihood, repeated->log_likelihood, 1e-7, "log-likelihood");
    for (size_t j = 0; j < 2; j++) {
        assert_near(weighted->weights[j], repeated->weights[j], 1e-5, "weight");
        assert_near(weighted->times[j], repeated->times[j], 1e-5, "time");
        ck_assert_double_lt(distance_of(&s, weighted->centres + 3 * j, repeated->centres + 3 * j),
                            1e-5);
    }
    mst_mixture_result_free(weighted);
    mst_mixture_result_free(repeated);
    space_close(&s);
}
END_TEST

/* One point, equal points, as many components as points: an answer without NaN that says it is degenerate. */
START_TEST(degenerate_input)
{
    space s = space_open(specs[_i]);
    enum { N = 6 };
    double *x = doubles(N * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.3, N, 71, x);
    mst_mixture_options o = options(N, 2);
    for (int round = 0; round < 3; round++) {
        size_t n = round == 2 ? 1 : N;
        for (size_t i = 1; round == 1 && i < N; i++)
            memcpy(x + i * s.D, x, s.D * sizeof *x);
        for (o.k = 1; o.k <= n; o.k++) {
            mst_mixture_result *r;
            mst_status status = mst_mixture_fit(&r, s.exact, n, x, &o);
            ck_assert_msg(status == MST_OK || status == MST_CONVERGENCE, "%s", mst_error_detail());
            assert_consistent(&s, n, x, NULL, r);
            if (round > 0 || o.k == N)
                ck_assert(r->degenerate);
            mst_mixture_result_free(r);
        }
    }
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

/* A single outlier may not swallow a component while another restart finds a proper one;
 * alone it is reported. */
START_TEST(least_time_is_kept)
{
    space s = space_open("euclidean:1");
    double x[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 50};
    mst_mixture_options o = options(2, 4);
    o.least_time = 0.125;
    mst_mixture_result *r = fit(&s, 7, x, o);
    ck_assert(r->degenerate);
    ck_assert_double_eq(r->times[0], 0.125);
    ck_assert_double_eq(r->times[1], 0.125);
    assert_near(r->centres[0], 0.25, 1e-9, "centre");
    assert_near(r->centres[1], 50, 1e-9, "centre");
    mst_mixture_result_free(r);
    space_close(&s);
}
END_TEST

/* More restarts never lose, and somewhere they win. Single restarts differ in whether the outlier gets a
 * component of its own; together they choose one where it does not, although that has the
 * lower likelihood. */
START_TEST(the_best_restart_wins)
{
    space s = space_open("euclidean:1");
    enum { N = 41 };
    double x[N];
    dice d = {12};
    size_t alone = 0, wins = 0;
    for (size_t i = 0; i < N; i++)
        x[i] = i == N - 1 ? 9 : (i % 2 == 0 ? 0 : 3) + 0.5 * dice_normal(&d);
    for (uint64_t seed = 0; seed < 30; seed++) {
        double last = -INFINITY;
        bool before = true;
        for (size_t restarts = 1; restarts <= 16; restarts *= 4) {
            mst_mixture_options o = options(2, restarts);
            o.seed = seed;
            mst_mixture_result *r = fit(&s, N, x, o);
            if (before == r->degenerate)
                ck_assert_double_ge(r->log_likelihood, last);
            ck_assert(before || !r->degenerate);
            alone += restarts == 1 && r->degenerate;
            if (restarts == 16)
                ck_assert(!r->degenerate);
            last = r->log_likelihood;
            before = r->degenerate;
            mst_mixture_result_free(r);
        }
    }
    ck_assert_uint_gt(alone, 0);
    space_close(&s);
    s = space_open("euclidean:2");
    double y[2 * 100];
    clusters_of_rows(&s, 4, 25, 1.5, 0.4, 91, y);
    for (uint64_t seed = 0; seed < 10; seed++) {
        mst_mixture_options o = options(6, 1);
        o.seed = seed;
        mst_mixture_result *one = fit(&s, 100, y, o);
        o.restarts = 12;
        mst_mixture_result *more = fit(&s, 100, y, o);
        if (one->degenerate == more->degenerate) {
            ck_assert_double_ge(more->log_likelihood, one->log_likelihood);
            wins += more->log_likelihood > one->log_likelihood + 0.1;
        }
        mst_mixture_result_free(one);
        mst_mixture_result_free(more);
    }
    ck_assert_uint_gt(wins, 0);
    space_close(&s);
}
END_TEST

/* A tight cluster in a uniform background: the time of the background grows until it is uniform to rounding
 * and stays a number. */
START_TEST(a_uniform_component)
{
    space s = space_open("sphere:2");
    enum { N = 600 };
    double x[3 * N], start[3] = {0, 0, 1};
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){5, 6}, 0, N / 2, x));
    brownian_rows(&s, start, 0.01, N / 2, 81, x + 3 * N / 2);
    /* Mirror images make the background's mean exactly undetermined. */
    for (size_t i = 0; i < 3 * N / 4; i++)
        x[3 * N / 4 + i] = -x[i];
    mst_mixture_options o = options(2, 3);
    o.iterations = 2000;
    mst_mixture_result *r;
    mst_status status = mst_mixture_fit(&r, s.exact, N, x, &o);
    ck_assert(status == MST_OK || status == MST_CONVERGENCE);
    assert_consistent(&s, N, x, NULL, r);
    size_t wide = r->times[1] > r->times[0];
    ck_assert(r->times[wide] > 3 && r->times[wide] < 1e4);
    assert_near(r->times[1 - wide], 0.01, 0.003, "time of the cluster");
    assert_near(r->weights[wide], 0.5, 0.05, "weight of the background");
    ck_assert_double_lt(distance_of(&s, start, r->centres + 3 * (1 - wide)), 0.05);
    mst_mixture_result_free(r);
    space_close(&s);
}
END_TEST

/* Rows of the fit get what they had in it; unscaled weights are the same mixture. */
START_TEST(new_points_are_assigned)
{
    space s = space_open(specs[_i]);
    enum { N = 60, K = 2 };
    double *x = doubles(N * s.D), responsibilities[N * K], log_likelihood, weights[K];
    size_t labels[N];
    clusters_of_rows(&s, K, N / K, 1, 0.1, 71, x);
    mst_mixture_result *r = fit(&s, N, x, options(K, 2));
    for (size_t j = 0; j < K; j++)
        weights[j] = 4 * r->weights[j];
    ASSERT_OK(mst_mixture_assign(s.exact, K, weights, r->centres, r->times, N, x, 2, labels,
                                 responsibilities, &log_likelihood));
    assert_near(log_likelihood, r->log_likelihood, 1e-12 * fabs(r->log_likelihood), "likelihood");
    for (size_t i = 0; i < N; i++) {
        ck_assert_uint_eq(labels[i], r->labels[i]);
        for (size_t j = 0; j < K; j++)
            assert_near(responsibilities[i * K + j], r->responsibilities[i * K + j], 1e-12, "row");
    }
    /* A component without weight has no points. */
    weights[0] = 0;
    ASSERT_OK(
        mst_mixture_assign(s.exact, K, weights, r->centres, r->times, N, x, 1, labels, NULL, NULL));
    for (size_t i = 0; i < N; i++)
        ck_assert_uint_eq(labels[i], 1);
    weights[1] = 0;
    ASSERT_FAILS(MST_ARGUMENT, mst_mixture_assign(s.exact, K, weights, r->centres, r->times, N, x,
                                                  1, labels, NULL, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_mixture_assign(s.exact, K, r->weights, r->centres,
                                                  (double[]){1, 0}, N, x, 1, labels, NULL, NULL));
    ASSERT_FAILS(MST_ARGUMENT, mst_mixture_assign(s.exact, 0, r->weights, r->centres, r->times, N,
                                                  x, 1, labels, NULL, NULL));
    ASSERT_FAILS(MST_UNABLE, mst_mixture_assign(s.log, K, r->weights, r->centres, r->times, N, x, 1,
                                                labels, NULL, NULL));
    mst_mixture_result_free(r);
    free(x);
    space_close(&s);
}
END_TEST

START_TEST(bad_arguments)
{
    space s = space_open("sphere:2");
    double x[6] = {1, 0, 0, 0, 1, 0}, weights[2] = {0, 0};
    mst_mixture_result *r;
    mst_mixture_options good = options(1, 1), o = good;
#define BAD(change)                                                         \
    do {                                                                    \
        o = good;                                                           \
        change;                                                             \
        ASSERT_FAILS(MST_ARGUMENT, mst_mixture_fit(&r, s.exact, 2, x, &o)); \
        ck_assert_ptr_null(r);                                              \
    } while (0)
    BAD(o.k = 0);
    BAD(o.k = 3);
    BAD(o.restarts = 0);
    BAD(o.iterations = 0);
    BAD(o.tolerance = 0);
    BAD(o.least_time = -1);
    BAD(o.least_time = NAN);
    BAD(o.weights = weights);
    BAD(x[0] = INFINITY);
    x[0] = 1;
#undef BAD
    ASSERT_FAILS(MST_UNABLE, mst_mixture_fit(&r, s.log, 2, x, &good));
    o = good;
    o.progress.report = stop_now;
    ASSERT_FAILS(MST_INTERRUPTED, mst_mixture_fit(&r, s.exact, 2, x, &o));
    ck_assert_ptr_null(r);
    mst_mixture_result_free(NULL);
    space_close(&s);
}
END_TEST

/* Uniform points have no components, and the uniform law has the lower BIC; heaps have. */
START_TEST(no_components)
{
    enum { ROWS = 200 };
    static const struct {
        const char *spec;
        double log_volume;
    } spaces[] = {{"circle", 1.8378770664093453},   /* 2π */
                  {"sphere:2", 2.5310242469692907}, /* 4π */
                  {"torus:2", 3.6757541328186907},  /* 4π² */
                  {"so3", 4.3689013133786361},      /* 8π² */
                  {"product(circle,so3)", 6.2067783797879814}};
    space s = space_open(spaces[_i].spec), flat = space_open("euclidean:2");
    double *x = doubles(ROWS * s.D), *start = doubles(s.D);
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){7, 1}, 0, ROWS, x));
    for (size_t k = 1; k < 3; k++) {
        mst_mixture_result *r = fit(&s, ROWS, x, options(k, 2));
        assert_near(r->uniform_log_likelihood, -ROWS * spaces[_i].log_volume, 1e-9, "uniform law");
        ck_assert_double_lt(-2 * r->uniform_log_likelihood, r->bic);
        mst_mixture_result_free(r);
    }
    mst_manifold_start(s.m, start);
    brownian_rows(&s, start, 0.1, ROWS, 5, x);
    mst_mixture_result *r = fit(&s, ROWS, x, options(1, 1));
    ck_assert_double_gt(-2 * r->uniform_log_likelihood, r->bic);
    mst_mixture_result_free(r);
    double y[2 * ROWS], zero[2] = {0};
    brownian_rows(&flat, zero, 1, ROWS, 5, y);
    r = fit(&flat, ROWS, y, options(1, 1));
    ck_assert(isnan(r->uniform_log_likelihood));
    mst_mixture_result_free(r);
    free(x), free(start);
    space_close(&s);
    space_close(&flat);
}
END_TEST

/* Of many rows the restarts see a sample, and the maximum is that of all rows whatever the sample was. */
START_TEST(samples_lead_to_the_maximum_of_all_rows)
{
    static const char *const many[] = {"sphere:2", "euclidean:2"};
    enum { EACH = 22000, K = 3, N = K * EACH };
    space s = space_open(many[_i]);
    double *x = doubles(N * s.D), *weights = doubles(N), first = 0;
    clusters_of_rows(&s, K, EACH, 1.5, 0.1, 5, x);
    for (size_t i = 0; i < N; i++)
        weights[i] = i % 7 == 0 ? 2 : 1;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        mst_mixture_options o = options(K, 3);
        o.seed = seed;
        o.weights = weights;
        mst_mixture_result *r;
        ASSERT_OK(mst_mixture_fit(&r, s.exact, N, x, &o));
        for (size_t j = 0; j < K; j++) {
            double mass = 0, total = 0;
            for (size_t i = 0; i < N; i++) {
                mass += weights[i] * r->responsibilities[i * K + j];
                total += weights[i];
            }
            assert_near(r->weights[j], mass / total, 1e-6, "share");
        }
        if (seed == 1)
            first = r->log_likelihood;
        assert_near(r->log_likelihood, first, 1e-8 * fabs(first), "log-likelihood");
        mst_mixture_result_free(r);
    }
    free(weights);
    free(x);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mixture", 60, {no_components, 5}, {em_never_goes_down, SPECS},
                     {one_component_is_the_diffusion_mean, SPECS}, {flat_mixtures_are_gaussian, 0},
                     {a_known_mixture_is_recovered, 4}, {threads_change_no_bit, 0},
                     {weights_are_repeated_rows, 0}, {degenerate_input, SPECS},
                     {least_time_is_kept, 0}, {the_best_restart_wins, 0}, {a_uniform_component, 0},
                     {new_points_are_assigned, SPECS}, {samples_lead_to_the_maximum_of_all_rows, 2},
                     {bad_arguments, 0});
}
