/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/samples.h"
#include "stat/two_samples.h"
#include "support/statistics.h"

static const mst_hypothesis hypotheses[] = {MST_EQUAL_MEANS, MST_EQUAL_TIMES, MST_EQUAL_BOTH};

static mst_test_options options(mst_hypothesis hypothesis, mst_test_method method)
{
    mst_test_options o = mst_test_options_default();
    o.hypothesis = hypothesis;
    o.method = method;
    o.threads = 1;
    return o;
}

static mst_test_result *run(const mst_score *source, size_t n1, const double *x1, size_t n2,
                            const double *x2, mst_test_options o)
{
    mst_test_result *r;
    ASSERT_OK(two_samples(&r, source, n1, x1, n2, x2, &o));
    ck_assert(r->converged && r->statistic >= 0 && r->p_value >= 0 && r->p_value <= 1);
    ck_assert_int_eq(r->common_mean == NULL, o.hypothesis == MST_EQUAL_TIMES);
    ck_assert_uint_eq(r->permutations, o.method == MST_TEST_LR ? 0 : o.permutations);
    ck_assert(r->groups == 2 && r->clusters == 0 && !r->paired);
    ck_assert_int_eq(isnan(r->least_p_value), o.method == MST_TEST_LR);
    return r;
}

/* Mean (D) and Σ |x − mean|² of rows of Rᴰ. */
static double scatter(size_t n, size_t D, const double *x, double *mean)
{
    double sum = 0;
    memset(mean, 0, D * sizeof *mean);
    for (size_t i = 0; i < n * D; i++)
        mean[i % D] += x[i] / (double)n;
    for (size_t i = 0; i < n * D; i++)
        sum += (x[i] - mean[i % D]) * (x[i] - mean[i % D]);
    return sum;
}

enum { D = 3, N1 = 20, N2 = 35 };

/* max over one mean of −½ Σ_s n_s d log t_s, t_s = (S_s + n_s |m_s − μ|²)/(n_s d): μ is the mean of the two
 * weighted by n/t, which a fixed-point iteration finds. Gives Σ n d log t. */
static double common_mean_part(double s1, double s2, const double *m1, const double *m2)
{
    double share = 0.5, gap = 0, t1 = 0, t2 = 0;
    for (size_t a = 0; a < D; a++)
        gap += (m1[a] - m2[a]) * (m1[a] - m2[a]);
    for (int k = 0; k < 500; k++) {
        t1 = (s1 + N1 * gap * (1 - share) * (1 - share)) / (N1 * D);
        t2 = (s2 + N2 * gap * share * share) / (N2 * D);
        share = (N1 / t1) / (N1 / t1 + N2 / t2);
    }
    return N1 * D * log(t1) + N2 * D * log(t2);
}

/* In flat space the maxima are closed forms: log L = −½ Σ n d (log 2πt + 1). */
START_TEST(flat_space_in_closed_form)
{
    space s = space_open("euclidean:3");
    double x1[N1 * D], x2[N2 * D], all[(N1 + N2) * D], m1[D], m2[D], mean[D];
    double start[D] = {0}, shifted[D] = {0.3, -0.2, 0.1};
    brownian_rows(&s, start, 0.5, N1, 1, x1);
    brownian_rows(&s, shifted, 0.8, N2, 2, x2);
    memcpy(all, x1, sizeof x1);
    memcpy(all + N1 * D, x2, sizeof x2);
    double s1 = scatter(N1, D, x1, m1), s2 = scatter(N2, D, x2, m2);
    double s12 = scatter(N1 + N2, D, all, mean), n = N1 + N2;
    double apart = N1 * D * log(s1 / (N1 * D)) + N2 * D * log(s2 / (N2 * D));
    double want[3] = {common_mean_part(s1, s2, m1, m2) - apart,
                      n * D * log((s1 + s2) / (n * D)) - apart, n * D * log(s12 / (n * D)) - apart};
    static const double degrees[3] = {D, 1, D + 1};
    for (size_t h = 0; h < 3; h++) {
        mst_test_result *r = run(s.exact, N1, x1, N2, x2, options(hypotheses[h], MST_TEST_LR));
        assert_near(r->statistic, want[h], 1e-10 * n, "hypothesis %zu", h);
        ck_assert_double_eq(r->degrees_of_freedom, degrees[h]);
        assert_near(r->log_likelihood_alternative, -0.5 * (apart + n * D * (log(2 * M_PI) + 1)),
                    1e-10 * n, "log-likelihood");
        assert_near(2 * (r->log_likelihood_alternative - r->log_likelihood_null), r->statistic,
                    1e-12, "statistic");
        assert_near(r->fits[0]->time, s1 / (N1 * D), 1e-9, "time");
        assert_near(r->fits[1]->time, s2 / (N2 * D), 1e-9, "time");
        ck_assert_int_eq(isnan(r->common_time), h == 0);
        if (h == 2)
            assert_near(r->common_time, s12 / (n * D), 1e-9, "common time");
        if (h == 2)
            ck_assert_double_lt(distance_of(&s, r->common_mean, mean), 1e-9);
        mst_test_result_free(r);
    }
    /* χ² with one degree of freedom is the square of a normal number. */
    mst_test_result *times = run(s.exact, N1, x1, N2, x2, options(MST_EQUAL_TIMES, MST_TEST_LR));
    assert_near(times->p_value, erfc(sqrt(times->statistic / 2)), 1e-12, "p");
    mst_test_result_free(times);
    /* A fixed time: T = n₁n₂/(n₁ + n₂) |m₁ − m₂|²/t, the same for "both". */
    for (size_t h = 0; h < 3; h += 2) {
        mst_test_options o = options(hypotheses[h], MST_TEST_LR);
        o.time = 0.6;
        double gap = 0;
        for (size_t a = 0; a < D; a++)
            gap += (m1[a] - m2[a]) * (m1[a] - m2[a]);
        mst_test_result *r = run(s.exact, N1, x1, N2, x2, o);
        assert_near(r->statistic, N1 * N2 / n * gap / 0.6, 1e-9, "fixed time");
        ck_assert_double_eq(r->degrees_of_freedom, D);
        ck_assert_double_eq(r->common_time, 0.6);
        mst_test_result_free(r);
    }
    space_close(&s);
}
END_TEST

static const char *const specs[] = {"euclidean:2", "circle", "sphere:2", "hyperbolic:2", "so3"};
enum { SPECS = sizeof specs / sizeof *specs };

/* The two samples are alike, their rows have no order, and a sample against itself is no news. */
START_TEST(symmetries)
{
    space s = space_open(specs[_i]);
    enum { A = 15, B = 25 };
    double *x = doubles((A + B) * s.D), *y = doubles(A * s.D), *centre = doubles(s.D);
    size_t order[A];
    point_along(&s, 0, 0.3, centre);
    brownian_rows(&s, centre, 0.1, A, 5, x);
    point_along(&s, 0, 0.5, centre);
    brownian_rows(&s, centre, 0.2, B, 6, x + A * s.D);
    mst_random_permutation((mst_random){1, 1}, A, order);
    reorder_rows(A, s.D, order, x, y);
    for (size_t h = 0; h < 3; h++) {
        mst_test_options o = options(hypotheses[h], MST_TEST_LR);
        const double *second = x + A * s.D;
        mst_test_result *r = run(s.exact, A, x, B, second, o);
        mst_test_result *swapped = run(s.exact, B, second, A, x, o);
        mst_test_result *shuffled = run(s.exact, A, y, B, second, o);
        mst_test_result *itself = run(s.exact, A, x, A, x, o);
        assert_near(swapped->statistic, r->statistic, 1e-9, "swapped");
        assert_near(shuffled->statistic, r->statistic, 1e-9, "shuffled");
        assert_near(itself->statistic, 0, 1e-9, "itself");
        assert_near(itself->p_value, 1, 1e-4, "itself");
        mst_test_result_free(itself);
        mst_test_result_free(shuffled);
        mst_test_result_free(swapped);
        mst_test_result_free(r);
    }
    free(centre);
    free(y);
    free(x);
    space_close(&s);
}
END_TEST

/* Permutations have the statistic of the likelihood ratio, but for times, whose own errors from the rows are
 * near those of the model here. */
START_TEST(both_methods_have_one_statistic)
{
    space s = space_open(specs[_i]);
    enum { A = 20, B = 20 };
    double *x = doubles((A + B) * s.D);
    clusters_of_rows(&s, 2, A, 0.4, 0.1, 15, x);
    for (size_t h = 0; h < 3; h++) {
        mst_test_options o = options(hypotheses[h], MST_TEST_LR);
        mst_test_result *lr = run(s.exact, A, x, B, x + A * s.D, o);
        o.method = MST_TEST_PERMUTATION;
        o.permutations = 19;
        mst_test_result *r = run(s.exact, A, x, B, x + A * s.D, o);
        double slack = h == 1 ? 0.3 : 1e-8;
        assert_near(r->statistic, lr->statistic, slack * (1 + lr->statistic), "hypothesis %zu", h);
        if (h != 1) /* means 0.8 apart, six standard errors: no permutation comes near */
            ck_assert(r->p_value == 0.05 && lr->p_value < 1e-4);
        mst_test_result_free(r);
        mst_test_result_free(lr);
    }
    free(x);
    space_close(&s);
}
END_TEST

/* Variance about the mean of the rows, and the variance of its logarithm from that of the squares. */
static void log_variance(size_t n, const double *x, double *log_variance, double *error)
{
    double mean[D], v = scatter(n, D, x, mean) / ((double)n - 1) / D, spread = 0, rows = (double)n;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < D; a++)
            square += pow(x[i * D + a] - mean[a], 2) / D * rows / (rows - 1);
        spread += (square - v) * (square - v);
    }
    *log_variance = log(v);
    *error = spread / (rows * (rows - 1)) / (v * v);
}

/* In flat space: (log t₁ − log t₂)²/(s₁² + s₂²). The information on log t is a difference of gradients. */
START_TEST(times_in_units_of_their_errors)
{
    space s = space_open("euclidean:3");
    double x1[N1 * D], x2[N2 * D], start[D] = {0}, shifted[D] = {3, -2, 1}, t1, t2, e1, e2;
    brownian_rows(&s, start, 0.5, N1, 1, x1);
    brownian_rows(&s, shifted, 0.8, N2, 2, x2);
    mst_test_options o = options(MST_EQUAL_TIMES, MST_TEST_PERMUTATION);
    mst_test_result *r = run(s.exact, N1, x1, N2, x2, o), *moved;
    log_variance(N1, x1, &t1, &e1);
    log_variance(N2, x2, &t2, &e2);
    assert_near(r->statistic, (t1 - t2) * (t1 - t2) / (e1 + e2), 1e-6, "statistic");
    /* Where the samples stand does not matter. */
    for (size_t i = 0; i < N2 * D; i++)
        x2[i] -= shifted[i % D];
    moved = run(s.exact, N1, x1, N2, x2, o);
    ck_assert_double_eq(moved->p_value, r->p_value);
    mst_test_result_free(moved);
    mst_test_result_free(r);
    space_close(&s);
}
END_TEST

/* The statistic of one split of the line: (m₁ − m₂)²/(s₁² + s₂²) of the means and their squared standard
 * errors, or at a fixed time that of flat space. */
static double split_statistic(size_t n, const double *x, unsigned first, double time)
{
    double sum[2] = {0}, square[2] = {0}, count[2] = {0}, errors = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned s = first >> i & 1 ? 0 : 1;
        sum[s] += x[i];
        square[s] += x[i] * x[i];
        count[s] += 1;
    }
    double gap = sum[0] / count[0] - sum[1] / count[1];
    for (int s = 0; s < 2; s++)
        errors += (square[s] - sum[s] * sum[s] / count[s]) / (count[s] * (count[s] - 1));
    return time > 0 ? gap * gap * count[0] * count[1] / (count[0] + count[1]) / time
                    : gap * gap / errors;
}

/* All 20 ways to split six points on the line, by the source without a time and by a fixed time. */
START_TEST(permutations_against_all_splits)
{
    space s = space_open("euclidean:1");
    double x[6] = {0.1, 0.5, 0.7, 0.9, 1.6, 2.3};
    for (int kind = 0; kind < 2; kind++) {
        mst_test_options o = options(MST_EQUAL_MEANS, MST_TEST_PERMUTATION);
        o.time = kind == 0 ? 0 : 0.5;
        double observed = split_statistic(6, x, 7, o.time), above = 0;
        for (unsigned first = 0; first < 64; first++)
            if (__builtin_popcount(first) == 3)
                above += split_statistic(6, x, first, o.time) >= observed - 1e-12;
        const mst_score *source = kind == 0 ? s.log : s.exact;
        o.permutations = 19;
        mst_test_result *r = run(source, 3, x, 3, x + 3, o);
        assert_near(r->statistic, observed, 1e-12 * observed, "statistic");
        ck_assert(r->exhaustive && r->p_value == above / 20 && r->least_p_value == 0.1);
        ck_assert_int_eq(isnan(r->degrees_of_freedom), kind == 0);
        ck_assert_int_eq(isnan(r->log_likelihood_null), kind == 0);
        ck_assert_uint_eq(r->notes, MST_TEST_NOTE_TOO_FEW);
        mst_test_result_free(r);
        /* Drawn at random, some of them several times. */
        o.permutations = 18;
        double mean = 0;
        enum { DRAWS = 40 };
        for (o.seed = 0; o.seed < DRAWS; o.seed++) {
            r = run(source, 3, x, 3, x + 3, o);
            ck_assert(!r->exhaustive);
            mean += (19 * r->p_value - 1) / 18 / DRAWS;
            mst_test_result_free(r);
        }
        double p = above / 20;
        assert_near(mean, p, Z_LIMIT * sqrt(p * (1 - p) / (18 * DRAWS)), "p");
    }
    /* Each permutation is drawn anew: eight of them are not all above or all below. */
    size_t between = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        mst_test_options o = options(MST_EQUAL_MEANS, MST_TEST_PERMUTATION);
        o.permutations = 8;
        o.seed = seed;
        mst_test_result *r = run(s.log, 3, x + 1, 2, x + 4, o);
        between += r->p_value > 1.5 / 9 && r->p_value < 8.5 / 9;
        mst_test_result_free(r);
    }
    ck_assert_uint_gt(between, 5);
    space_close(&s);
}
END_TEST

/* Three groups of rows in any order, in closed form: one time for all, and one mean and time. */
START_TEST(three_groups_in_closed_form)
{
    enum { ROWS = 60, GROUPS = 3 };
    space s = space_open("euclidean:3");
    double x[ROWS * D], start[D] = {0}, mean[D], apart = 0, within = 0;
    size_t group[ROWS], n[GROUPS] = {0};
    brownian_rows(&s, start, 0.5, ROWS, 41, x);
    for (size_t i = 0; i < ROWS; i++) {
        group[i] = i * i % 7 % GROUPS;
        n[group[i]]++;
    }
    double all = scatter(ROWS, D, x, mean);
    for (size_t g = 0; g < GROUPS; g++) {
        double rows[ROWS * D];
        for (size_t i = 0, at = 0; i < ROWS; i++)
            if (group[i] == g)
                memcpy(rows + D * at++, x + D * i, sizeof mean);
        double size = (double)n[g] * D, sum = scatter(n[g], D, rows, mean);
        apart += size * log(sum / size);
        within += sum;
    }
    static const double degrees[] = {2 * D, 2, 2 * D + 2};
    double total = ROWS * D,
           want[] = {NAN, total * log(within / total) - apart, total * log(all / total) - apart};
    for (size_t h = 0; h < 3; h++) {
        mst_test_options o = options(hypotheses[h], MST_TEST_LR);
        mst_test_result *r;
        ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
        if (h > 0)
            assert_near(r->statistic, want[h], 1e-10 * ROWS, "hypothesis %zu", h);
        ck_assert(r->groups == GROUPS && r->degrees_of_freedom == degrees[h]);
        for (size_t g = 0; g < GROUPS; g++)
            ck_assert_uint_eq(r->fits[g]->n, n[g]);
        mst_test_result_free(r);
    }
    space_close(&s);
}
END_TEST

/* Groups may have any names, and rows any order. */
START_TEST(names_of_groups_do_not_count)
{
    enum { ROWS = 24, GROUPS = 4 };
    static const size_t renamed[GROUPS] = {2, 0, 3, 1};
    space s = space_open(specs[_i]);
    double *x = doubles(2 * ROWS * s.D), *y = x + ROWS * s.D;
    size_t group[ROWS], other[ROWS], order[ROWS];
    clusters_of_rows(&s, 2, ROWS / 2, 0.2, 0.1, 43, x);
    mst_random_permutation((mst_random){1, 1}, ROWS, order);
    reorder_rows(ROWS, s.D, order, x, y);
    for (size_t i = 0; i < ROWS; i++)
        group[i] = i % GROUPS;
    for (size_t i = 0; i < ROWS; i++)
        other[i] = renamed[group[order[i]]];
    for (size_t h = 0; h < 3; h++) {
        mst_test_options o = options(hypotheses[h], MST_TEST_LR);
        mst_test_result *r, *again;
        ASSERT_OK(mst_sample_test(&r, s.exact, ROWS, x, GROUPS, group, &o));
        ASSERT_OK(mst_sample_test(&again, s.exact, ROWS, y, GROUPS, other, &o));
        assert_near(again->statistic, r->statistic, 1e-9, "renamed");
        mst_test_result_free(again);
        mst_test_result_free(r);
    }
    free(x);
    space_close(&s);
}
END_TEST

/* Three groups of two on the line: all 90 labellings, of which any six differ by names only. */
START_TEST(all_labellings_of_three_groups)
{
    enum { ROWS = 6, LABELLINGS = 90 };
    space s = space_open("euclidean:1");
    double x[ROWS] = {0.1, 0.35, 0.9, 1.05, 2.3, 2.6}, observed = 0, above = 0, count = 0;
    for (unsigned code = 0; code < 729; code++) {
        double sum[3] = {0}, square[3] = {0}, top = 0, bottom = 0, statistic = 0;
        size_t n[3] = {0};
        for (unsigned i = 0, rest = code == 0 ? 0 + 0 * 3 + 9 + 27 + 2 * 81 + 2 * 243 : code - 1;
             i < ROWS; i++, rest /= 3) {
            sum[rest % 3] += x[i];
            square[rest % 3] += x[i] * x[i];
            n[rest % 3]++;
        }
        if (n[0] != 2 || n[1] != 2 || n[2] != 2)
            continue;
        for (int g = 0; g < 3; g++) {
            square[g] = (square[g] - sum[g] * sum[g] / 2) / 2;
            top += sum[g] / 2 / square[g];
            bottom += 1 / square[g];
        }
        for (int g = 0; g < 3; g++)
            statistic += pow(sum[g] / 2 - top / bottom, 2) / square[g];
        if (code == 0)
            observed = statistic;
        above += code > 0 && statistic >= observed * (1 - 1e-12);
        count += code > 0;
    }
    ck_assert_double_eq(count, LABELLINGS);
    size_t group[ROWS] = {0, 0, 1, 1, 2, 2};
    mst_test_options o = options(MST_EQUAL_MEANS, MST_TEST_PERMUTATION);
    mst_test_result *r;
    ASSERT_OK(mst_sample_test(&r, s.log, ROWS, x, 3, group, &o));
    assert_near(r->statistic, observed, 1e-9 * observed, "statistic");
    ck_assert(r->exhaustive && r->permutations == LABELLINGS - 1);
    assert_near(r->p_value, above / LABELLINGS, 1e-12, "p");
    assert_near(r->least_p_value, 6.0 / LABELLINGS, 1e-12, "least p");
    mst_test_result_free(r);
    space_close(&s);
}
END_TEST

START_TEST(threads_change_no_bit)
{
    space s = space_open("sphere:2");
    double x[60 * 3];
    clusters_of_rows(&s, 2, 30, 0.1, 0.2, 25, x);
    for (size_t h = 0; h < 3; h++) {
        mst_test_options o = options(hypotheses[h], MST_TEST_PERMUTATION);
        o.permutations = 50;
        mst_test_result *one = run(s.exact, 30, x, 30, x + 90, o);
        for (o.threads = 2; o.threads <= 4; o.threads += 2) {
            mst_test_result *more = run(s.exact, 30, x, 30, x + 90, o);
            assert_same_bits(sizeof one->p_value, &one->p_value, &more->p_value, "p-values");
            assert_same_bits(sizeof one->statistic, &one->statistic, &more->statistic,
                             "statistics");
            mst_test_result_free(more);
        }
        o.seed = 1;
        mst_test_result *other = run(s.exact, 30, x, 30, x + 90, o);
        ck_assert_double_eq(other->statistic, one->statistic);
        mst_test_result_free(other);
        mst_test_result_free(one);
    }
    space_close(&s);
}
END_TEST

/* Both samples from one law: p is uniform. The χ² law is off by O(1/n), far below what 150 values can show
 * (the false-alarm rate of assert_distribution is 1e-7). */
START_TEST(the_likelihood_ratio_is_calibrated)
{
    enum { ROUNDS = 150, A = 50, B = 70 };
    static const char *const cases[] = {"sphere:3", "circle", "hyperbolic:3"};
    space s = space_open(cases[_i]);
    double p[ROUNDS], *x = doubles((A + B) * s.D), *start = doubles(s.D);
    mst_manifold_start(s.m, start);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        brownian_rows(&s, start, 0.3, A + B, 1000 + round, x);
        mst_test_result *r =
            run(s.exact, A, x, B, x + A * s.D, options(hypotheses[_i], MST_TEST_LR));
        p[round] = r->p_value;
        mst_test_result_free(r);
    }
    assert_distribution(ROUNDS, p, uniform_cdf, cases[_i]);
    free(start);
    free(x);
    space_close(&s);
}
END_TEST

/* Permutations are exact for any n: P(p ≤ k/20) = k/20 with 19 of them. Counts are binomial; Z_LIMIT. */
START_TEST(permutations_are_calibrated)
{
    enum { ROUNDS = 60, A = 5, B = 8 };
    space s = space_open("sphere:3");
    double x[(A + B) * 4], start[4] = {0, 0, 0, 1}, count[3] = {0};
    for (uint64_t round = 0; round < ROUNDS; round++) {
        brownian_rows(&s, start, 0.3, A + B, 5000 + round, x);
        mst_test_options o = options(hypotheses[_i], MST_TEST_PERMUTATION);
        o.permutations = 19;
        o.seed = round;
        const mst_score *source = s.exact;
        if (_i == 0)
            source = s.log;
        mst_test_result *r = NULL;
        mst_status status = two_samples(&r, source, A, x, B, x + A * 4, &o);
        ck_assert(status == MST_OK || status == MST_CONVERGENCE);
        for (int k = 0; k < 3; k++)
            count[k] += r->p_value <= 0.25 * (k + 1) + 1e-9;
        mst_test_result_free(r);
    }
    for (int k = 0; k < 3; k++) {
        double want = 0.25 * (k + 1);
        assert_near(count[k] / ROUNDS, want, Z_LIMIT * sqrt(want * (1 - want) / ROUNDS), "p ≤ %g",
                    want);
    }
    space_close(&s);
}
END_TEST

/* Samples around opposite points: the common fit is far from both, and the separate ones
 * must find their ways. */
START_TEST(opposite_samples)
{
    space s = space_open("sphere:2");
    double x[40 * 3], start[3] = {0, 0, 1};
    brownian_rows(&s, start, 0.05, 20, 35, x);
    for (size_t a = 0; a < 60; a++)
        x[60 + a] = -x[a];
    for (int method = 0; method < 2; method++)
        for (size_t h = 0; h < 3; h += 2) {
            mst_test_options o =
                options(hypotheses[h], method == 0 ? MST_TEST_LR : MST_TEST_PERMUTATION);
            o.permutations = 39;
            mst_test_result *r;
            mst_status status = two_samples(&r, s.exact, 20, x, 20, x + 60, &o);
            ck_assert(status == MST_OK || status == MST_CONVERGENCE);
            /* Each fit beats the uniform law, 1/4π, by about 2 per row. */
            ck_assert_double_gt(r->statistic, 80);
            ck_assert_double_le(r->p_value, 1.0 / 40);
            mst_test_result_free(r);
        }
    space_close(&s);
}
END_TEST

START_TEST(bad_arguments)
{
    space s = space_open("sphere:2");
    double x[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, same[6] = {1, 0, 0, 1, 0, 0};
    mst_test_result *r;
    mst_test_options o = options(MST_EQUAL_MEANS, MST_TEST_LR);
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.exact, 0, x, 2, x, &o));
    ck_assert_ptr_null(r);
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.exact, 2, x, 0, x, &o));
    ASSERT_FAILS(MST_UNABLE, two_samples(&r, s.log, 2, x, 2, x, &o));
    /* A sample of one point or of equal points has no time. */
    ASSERT_FAILS(MST_DOMAIN, two_samples(&r, s.exact, 1, x, 3, x, &o));
    ASSERT_FAILS(MST_DOMAIN, two_samples(&r, s.exact, 3, x, 2, same, &o));
    ck_assert_ptr_null(r);
    o.time = -1;
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.exact, 2, x, 2, x, &o));
    o.time = NAN;
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.exact, 2, x, 2, x, &o));
    o.time = 0.1;
    r = run(s.exact, 1, x, 1, x + 3, o);
    mst_test_result_free(r);
    r = run(s.exact, 2, same, 2, same, o);
    assert_near(r->statistic, 0, 1e-12, "equal points");
    mst_test_result_free(r);
    o.hypothesis = MST_EQUAL_TIMES;
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.exact, 2, x, 2, x, &o));
    o = options(MST_EQUAL_TIMES, MST_TEST_PERMUTATION);
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.log, 2, x, 2, x, &o));
    o = options(MST_EQUAL_MEANS, MST_TEST_PERMUTATION);
    o.permutations = 0;
    ASSERT_FAILS(MST_ARGUMENT, two_samples(&r, s.log, 2, x, 2, x, &o));
    o.permutations = 99;
    o.progress.report = stop_now;
    ASSERT_FAILS(MST_INTERRUPTED, two_samples(&r, s.log, 2, x, 3, x, &o));
    ck_assert_ptr_null(r);
    o = options(MST_EQUAL_MEANS, MST_TEST_LR);
    size_t one[3] = {0}, gap[3] = {0, 2, 2}, beyond[3] = {0, 1, 2};
    ASSERT_FAILS(MST_ARGUMENT, mst_sample_test(&r, s.exact, 3, x, 1, one, &o));
    ASSERT_FAILS(MST_ARGUMENT, mst_sample_test(&r, s.exact, 3, x, 3, gap, &o));
    ASSERT_FAILS(MST_ARGUMENT, mst_sample_test(&r, s.exact, 3, x, 2, beyond, &o));
    mst_test_result_free(NULL);
    space_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("sample_test", 60, {flat_space_in_closed_form, 0}, {symmetries, SPECS},
                     {both_methods_have_one_statistic, SPECS}, {times_in_units_of_their_errors, 0},
                     {permutations_against_all_splits, 0}, {three_groups_in_closed_form, 0},
                     {names_of_groups_do_not_count, SPECS}, {all_labellings_of_three_groups, 0},
                     {threads_change_no_bit, 0}, {the_likelihood_ratio_is_calibrated, 3},
                     {permutations_are_calibrated, 3}, {opposite_samples, 0}, {bad_arguments, 0});
}
