/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions of rows that depend on each other. */
#include "stat/distributions.h"
#include "stat/regress_support.h"

/* Rows that are there four times each, as clusters, have the errors of the rows alone; by resamples as well,
 * to the 5 % of 400 of them. */
START_TEST(clusters_are_what_counts)
{
    enum { N = 40, TIMES = 4 };
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0.4, 0.05, 7);
    double x[N], y[3 * N], many_x[N * TIMES], many_y[3 * N * TIMES];
    size_t cluster[N * TIMES], row[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = 2 * (double)i / (N - 1) - 1;
        row[i] = i;
    }
    ASSERT_OK(rows_about(&s, &c, N, x, 1, y));
    for (size_t i = 0; i < N * TIMES; i++) {
        many_x[i] = x[i % N];
        memcpy(many_y + 3 * i, y + 3 * (i % N), 3 * sizeof *y);
        cluster[i] = 100 + i % N;
    }
    mst_regress_options o = mst_regress_options_default();
    o.clusters = row;
    mst_regress_result *alone = fit_curve(MST_OK, s.exact, N, y, 1, x, &o);
    o.clusters = cluster;
    mst_regress_result *r = fit_curve(MST_OK, s.exact, N * TIMES, many_y, 1, many_x, &o);
    ck_assert(r->clusters == N && r->covariance_kind == MST_COVARIANCE_SANDWICH && isnan(r->aic));
    ck_assert(r->whole.method == MST_REGRESS_WALD);
    assert_near(r->degrees_of_freedom, alone->degrees_of_freedom, 1e-6, "degrees of freedom");
    for (size_t a = 0; a < 4; a++)
        assert_near(r->standard_errors[a], alone->standard_errors[a], 1e-5 * r->standard_errors[a],
                    "error %zu", a);
    o.covariance = MST_COVARIANCE_BOOTSTRAP;
    o.resamples = 400;
    mst_regress_result *b = fit_curve(MST_OK, s.exact, N * TIMES, many_y, 1, many_x, &o);
    for (size_t a = 0; a < 4; a++)
        assert_near(b->standard_errors[a] / r->standard_errors[a], 1, 0.2, "bootstrap %zu", a);
    mst_regress_result_free(alone);
    mst_regress_result_free(r);
    mst_regress_result_free(b);
    curve_free(&c);
    setting_close(&s);
}
END_TEST

/* Two groups of 3 and 7 clusters of four rows each, on the line: the error of their difference is that of the
 * clusters' means by Welch, s²/3 + t²/7, with the degrees of freedom that this has if
 * both are spread alike. */
START_TEST(two_groups_are_those_of_welch)
{
    enum { G = 10, SMALL = 3, ROWS = 4, N = G * ROWS };
    setting s = setting_open("euclidean:1");
    double x[N], y[N], means[G] = {0}, error = 0;
    size_t cluster[N];
    dice rng = {8};
    for (size_t i = 0; i < N; i++) {
        cluster[i] = i / ROWS;
        x[i] = cluster[i] < SMALL;
        y[i] = dice_normal(&rng);
        means[cluster[i]] += y[i] / ROWS;
    }
    for (size_t first = 0, size = SMALL; first < G; first += size, size = G - SMALL) {
        double mean = 0, n = (double)size;
        for (size_t g = first; g < first + size; g++)
            mean += means[g] / n;
        for (size_t g = first; g < first + size; g++)
            error += (means[g] - mean) * (means[g] - mean) / (n - 1) / n;
    }
    mst_regress_options o = mst_regress_options_default();
    o.clusters = cluster;
    mst_regress_result *r = fit_curve(MST_OK, s.log, N, y, 1, x, &o);
    assert_near(r->standard_errors[1], sqrt(error), 1e-6, "error of the difference");
    double a = 1.0 / SMALL, b = 1.0 / (G - SMALL);
    double degrees = (a + b) * (a + b) / (a * a / (SMALL - 1) + b * b / (G - SMALL - 1));
    assert_near(r->interval_factors[1], sqrt(mst_f_quantile(0.95, 1, degrees)), 1e-8, "factor");
    mst_regress_result_free(r);
    setting_close(&s);
}
END_TEST

/* Clusters in which the column does not vary: five may be permuted in 120 ways, four of two kinds in six,
 * which are too few for 5 %. A new point lies farther out than the curve. */
START_TEST(few_clusters_are_permuted_or_declined)
{
    enum { ROWS = 6, MOST_ROWS = 5 * ROWS };
    setting s = setting_open("sphere:2");
    true_curve c = curve_at_random(&s, 1, 0, 0.05, 9);
    double x[MOST_ROWS], y[3 * MOST_ROWS], band, region;
    size_t cluster[MOST_ROWS];
    mst_regress_options o = mst_regress_options_default();
    o.clusters = cluster;
    for (size_t g = 5; g >= 4; g--) {
        size_t n = g * ROWS;
        for (size_t i = 0; i < n; i++) {
            cluster[i] = i / ROWS;
            x[i] = (double)(g == 5 ? cluster[i] : cluster[i] / 2);
        }
        ASSERT_OK(rows_about(&s, &c, n, x, 1, y));
        mst_regress_result *r = fit_curve(MST_OK, s.exact, n, y, 1, x, &o);
        bool declined = (r->notes & MST_REGRESS_FEW_LABELLINGS) != 0;
        ck_assert_int_eq(r->whole.method, g == 5 ? MST_REGRESS_PERMUTATION : MST_REGRESS_NO_TEST);
        ck_assert(declined == (g == 4) && isnan(r->p_values[0]) == declined);
        ck_assert(declined ? r->labellings == 6 : r->whole.p_value > 0.01);
        mst_prediction wanted = {.band = &band, .region = &region};
        ASSERT_OK(mst_regress_predict(r, s.exact, 1, x, &wanted));
        ck_assert(region > 1.05 * band);
        mst_regress_result_free(r);
    }
    curve_free(&c);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression of clusters", 60, {clusters_are_what_counts, 0},
                     {two_groups_are_those_of_welch, 0},
                     {few_clusters_are_permuted_or_declined, 0});
}
