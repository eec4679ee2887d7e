/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Global optima of means, and what is called unique. Rates over thousands of sets are in
 * test_mean_global_slow.c. */
#include "stat/angle_mean.h"
#include "stat/mean_proof.h"
#include "stat/mean_support.h"

static double weight(const double *w, size_t i)
{
    return w != NULL ? w[i] : 1;
}

/* Σ w d²/Σ w over the circle. */
static double variance_at(size_t n, const double *x, size_t stride, const double *w, double mean)
{
    double square = 0, total = 0;
    for (size_t i = 0; i < n; i++) {
        double r = remainder(x[i * stride] - mean, 2 * M_PI);
        square += weight(w, i) * r * r;
        total += weight(w, i);
    }
    return square / total;
}

/* The least of it: the circle is cut at every angle, and the mean beyond the cut taken. */
static double least_variance(size_t n, const double *x, size_t stride, const double *w)
{
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        double sum = 0, total = 0;
        for (size_t i = 0; i < n; i++) {
            sum += weight(w, i) * fmod(x[i * stride] - x[k * stride] + 8 * M_PI, 2 * M_PI);
            total += weight(w, i);
        }
        least = fmin(least, variance_at(n, x, stride, w, x[k * stride] + sum / total));
    }
    return least;
}

/* Uniform angles, or two heaps of them. */
static void draw_angles(dice *die, size_t n, bool heaps, double *x)
{
    double apart = dice_uniform(die, 1, M_PI);
    for (size_t i = 0; i < n; i++)
        x[i] = heaps ? (i % 5 < 2 ? apart : 0) + 0.6 * dice_normal(die)
                     : dice_uniform(die, -M_PI, M_PI);
}

/* Of such sets one in ten had the wrong mean when starts were drawn at random. */
START_TEST(angles_have_their_global_mean)
{
    static const size_t counts[] = {1, 2, 3, 5, 20, 100, 300};
    setting s = setting_open("circle");
    dice die = {2601};
    double x[300], w[300];
    for (size_t k = 0; k < 140; k++) {
        size_t n = counts[k % 7];
        draw_angles(&die, n, k % 2 == 0, x);
        for (size_t i = 0; i < n; i++)
            w[i] = k % 3 == 0 ? 1 + (double)(i % 4) : dice_uniform(&die, 0.01, 3);
        mst_mean_options o = mst_mean_options_default();
        o.weights = k % 4 < 2 ? w : NULL;
        mst_mean_result *r = fit(s.log, n, x, &o);
        double least = least_variance(n, x, 1, o.weights);
        assert_near(r->variance, least, 1e-12 * (1 + least), "set %zu of %zu", k, n);
        angle_mean means[4];
        size_t count;
        ASSERT_OK(angle_means(n, x, 1, o.weights, 4, means, &count));
        ck_assert_uint_ge(count, 1);
        for (size_t m = 0; m < count; m++) {
            assert_near(means[m].variance, variance_at(n, x, 1, o.weights, means[m].mean), 1e-12,
                        "variance %zu", m);
            ck_assert(m == 0 || means[m].variance >= means[m - 1].variance);
        }
        mst_mean_result_free(r);
    }
    setting_close(&s);
}
END_TEST

/* Any multiple of 2π may be added, rows without a weight do not count, and equal angles are one place. */
START_TEST(angles_of_all_kinds)
{
    static const double x[] = {0.1, 6 * M_PI + 0.3, 2.5, -4 * M_PI + 0.2, 0.1};
    static const double w[] = {1, 2, 0, 1, 0};
    angle_mean means[8];
    size_t count;
    ASSERT_OK(angle_means(5, x, 1, w, 8, means, &count));
    assert_near(means[0].mean, (0.1 + 0.6 + 0.2) / 4, 1e-14, "mean");
    /* As many means as angles. */
    double even[1000];
    for (size_t i = 0; i < 1000; i++)
        even[i] = 2 * M_PI * (double)i / 1000;
    ASSERT_OK(angle_means(1000, even, 1, NULL, 8, means, &count));
    ck_assert_uint_eq(count, 8);
    assert_near(means[7].variance, means[0].variance, 1e-12, "ties");
    /* Two, half way between opposite angles. */
    static const double opposite[] = {0.4, 0.4 + M_PI};
    ASSERT_OK(angle_means(2, opposite, 1, NULL, 8, means, &count));
    ck_assert_uint_eq(count, 2);
    assert_near(fabs(remainder(means[0].mean - means[1].mean, 2 * M_PI)), M_PI, 1e-12, "two");
}
END_TEST

START_TEST(tori_have_their_global_mean)
{
    static const char *const specs[] = {"torus:4", "sphere:1",
                                        "product(circle,euclidean:1,torus:2)"};
    enum { N = 60 };
    for (size_t k = 0; k < 24; k++) {
        setting s = setting_open(specs[k % 3]);
        dice die = {2700 + k};
        double *x = doubles(N * s.D), w[N], angle[N], least = 0;
        for (size_t i = 0; i < N; i++)
            w[i] = k < 12 ? 1 : dice_uniform(&die, 0.01, 3);
        for (size_t a = 0; a < s.d; a++) {
            draw_angles(&die, N, k % 2 == 0, angle);
            for (size_t i = 0; i < N; i++)
                if (k % 3 == 1) {
                    x[2 * i] = cos(angle[i]);
                    x[2 * i + 1] = sin(angle[i]);
                } else {
                    x[i * s.D + a] = angle[i];
                }
            if (k % 3 != 2 || a != 1) {
                least += least_variance(N, angle, 1, w);
                continue;
            }
            double sum = 0, square = 0, total = 0;
            for (size_t i = 0; i < N; i++) {
                sum += w[i] * angle[i];
                square += w[i] * angle[i] * angle[i];
                total += w[i];
            }
            least += square / total - sum * sum / (total * total);
        }
        mst_mean_options o = mst_mean_options_default();
        o.weights = w;
        mst_mean_result *r = fit(s.log, N, x, &o);
        assert_near(r->variance, least, 1e-11, "%s, set %zu", specs[k % 3], k);
        mst_mean_result_free(r);
        free(x);
        setting_close(&s);
    }
}
END_TEST

/* Uniform rows have an optimum in every cell between the cut loci. Other random numbers find the same. */
static void assert_found(const char *spec, bool diffusion, size_t n, uint64_t seed)
{
    setting s = setting_open(spec);
    double *x = doubles(n * s.D), best = INFINITY, own = 0;
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){seed, 7}, 0, n, x));
    for (uint64_t k = 0; k < 4; k++) {
        mst_mean_options o = mst_mean_options_default();
        o.seed += k;
        o.starts = k == 1 ? 60 : o.starts;
        mst_mean_result *r = fit(diffusion ? s.exact : s.log, n, x, &o);
        double bad = diffusion ? -r->log_likelihood / (double)n : r->variance;
        own = k == 0 ? bad : own;
        best = fmin(best, bad);
        mst_mean_result_free(r);
    }
    assert_near(own, best, 1e-9, "%s of %zu rows, seed %d", spec, n, (int)seed);
    free(x);
    setting_close(&s);
}

START_TEST(scattered_rotations_have_their_global_mean)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        assert_found("so3", false, 100, seed);
        assert_found("so3", true, 60, seed);
        assert_found("product(so3,circle)", false, 40, seed);
    }
    assert_found("sphere:2", false, 100, 3);
    assert_found("product(sphere:2,so3)", false, 40, 3);
}
END_TEST

/* Sets of 500 uniform rotations whose least variance a search had missed that looked at points all over the
 * space, but not again beside the best of them. */
START_TEST(many_rotations_have_their_global_mean)
{
    static const struct {
        uint64_t set;
        double variance;
    } missed[] = {
        {35, 5.04978754415046},
        {77, 5.00093810280198},
        {175, 5.04414906557549},
        {194, 4.90839689911111},
    };
    enum { N = 500 };
    setting s = setting_open("so3");
    double *x = doubles(N * s.D);
    for (size_t k = 0; k < sizeof missed / sizeof *missed; k++) {
        ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){missed[k].set, 101}, 0, N, x));
        mst_mean_result *r = fit(s.log, N, x, NULL);
        ck_assert_msg(r->variance <= missed[k].variance + 1e-9, "set %d: variance %.12g",
                      (int)missed[k].set, r->variance);
        mst_mean_result_free(r);
    }
    free(x);
    setting_close(&s);
}
END_TEST

/* ---- Unique or not ---- */

static mst_mean_result *fit_heap(const char *spec, bool diffusion, size_t n, double time,
                                 uint64_t seed, bool signs)
{
    setting s = setting_open(spec);
    double *x = draw(&s, n, NULL, time, seed);
    dice die = {seed};
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0, turn = signs && dice_uniform(&die, 0, 1) < 0.5; turn && a < s.D; a++)
            x[i * s.D + a] *= -1;
    mst_mean_result *r = fit(diffusion ? s.exact : s.log, n, x, NULL);
    free(x);
    setting_close(&s);
    return r;
}

/* As many rows on each side: the law does not tell a point from its opposite, though one sample of it may. */
START_TEST(axes_have_no_unique_mean)
{
    for (uint64_t k = 0; k < 80; k++) {
        mst_mean_result *r = fit_heap(k % 4 == 3 ? "sphere:4" : "sphere:2", k % 2 == 1,
                                      k % 3 == 0 ? 30 : 200, k < 40 ? 0.02 : 0.1, 300 + k, true);
        ck_assert_msg(!r->unique, "set %d: unique", (int)k);
        /* What was found is one mean: that is no reason to have no error. */
        ck_assert(r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED ||
                  (r->set_size > 1 && r->no_errors != MST_ERRORS_NOT_UNIQUE));
        mst_mean_result_free(r);
    }
}
END_TEST

/* The same for angles, where the likelihood of such rows has one maximum only: it is next to flat. */
START_TEST(axes_in_the_plane_have_no_unique_mean)
{
    static const char *const specs[] = {"circle", "torus:2", "product(euclidean:1,circle)"};
    enum { ROWS = 100 };
    for (uint64_t k = 0; k < 60; k++) {
        setting s = setting_open(specs[k % 3]);
        double x[2 * ROWS];
        dice die = {900 + k};
        for (size_t i = 0; i < ROWS; i++)
            for (size_t a = 0; a < s.D; a++)
                x[i * s.D + a] = 0.3 * dice_normal(&die) +
                                 (a + 1 == s.D && dice_uniform(&die, 0, 1) < 0.5 ? M_PI : 0);
        mst_mean_result *r = fit(k % 2 == 0 ? s.exact : s.log, ROWS, x, NULL);
        ck_assert_msg(!r->unique && r->set_size > 1, "%s, set %d: unique", specs[k % 3], (int)k);
        mst_mean_result_free(r);
        setting_close(&s);
    }
}
END_TEST

START_TEST(heaps_have_a_unique_mean)
{
    static const struct {
        const char *spec;
        bool diffusion;
        double time;
        mst_uniqueness how;
    } cases[] = {{"hyperbolic:2", false, 2, MST_UNIQUENESS_PROVEN},
                 {"hyperbolic:2", true, 2, MST_UNIQUENESS_PROVEN},
                 {"spd:2", false, 1, MST_UNIQUENESS_PROVEN},
                 {"spd:2", true, 1, MST_UNIQUENESS_SEARCHED},
                 {"euclidean:3", true, 5, MST_UNIQUENESS_PROVEN},
                 {"circle", false, 0.3, MST_UNIQUENESS_PROVEN},
                 {"circle", false, 1, MST_UNIQUENESS_PROVEN},
                 {"circle", true, 0.3, MST_UNIQUENESS_SEARCHED},
                 {"sphere:2", false, 0.05, MST_UNIQUENESS_PROVEN},
                 {"sphere:2", false, 0.4, MST_UNIQUENESS_SEARCHED},
                 {"sphere:2", true, 0.3, MST_UNIQUENESS_SEARCHED},
                 {"so3", false, 0.1, MST_UNIQUENESS_PROVEN},
                 {"so3", false, 0.6, MST_UNIQUENESS_SEARCHED},
                 {"so3", true, 0.3, MST_UNIQUENESS_SEARCHED},
                 {"product(sphere:2,euclidean:2)", false, 0.05, MST_UNIQUENESS_PROVEN}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_mean_result *r =
            fit_heap(cases[k].spec, cases[k].diffusion, 200, cases[k].time, 41, false);
        ck_assert_msg(r->unique && r->set_size == 1 && r->uniqueness == cases[k].how,
                      "%s, case %zu: unique %d, %d", cases[k].spec, k, r->unique,
                      (int)r->uniqueness);
        mst_mean_result_free(r);
    }
}
END_TEST

/* Two heaps of nearly the same weight: the mean lies between them on either side, and a few rows decide. */
START_TEST(nearly_equal_means_are_not_told_apart)
{
    setting s = setting_open("circle");
    enum { N = 201 };
    double x[N], w[N];
    dice die = {2611};
    for (size_t i = 0; i < N; i++) {
        x[i] = (i % 2 == 0 ? 0 : M_PI) + 0.3 * dice_normal(&die);
        w[i] = 1e-3;
    }
    mst_mean_options o = mst_mean_options_default();
    for (size_t k = 0; k < 2; k++) {
        o.weights = k == 0 ? NULL : w; /* a common factor makes no difference */
        mst_mean_result *r = fit(s.log, N, x, &o);
        ck_assert(!r->unique && r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED &&
                  r->set_size == 2);
        assert_near(fabs(remainder(r->set[0].mean[0] - r->set[1].mean[0], 2 * M_PI)), M_PI, 0.3,
                    "opposite sides");
        ck_assert(r->no_errors != MST_ERRORS_NOT_UNIQUE);
        mst_mean_result_free(r);
    }
    /* Nobody looked for others; the opposite is no search. */
    o.starts = 1;
    mst_mean_result *r = fit(s.log, N, x, &o);
    ck_assert(!r->unique && r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED && r->set_size == 2);
    assert_near(fabs(r->set[0].mean[0] - r->set[1].mean[0]), M_PI, 1e-9, "opposite");
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* Two ties in each of two factors. */
START_TEST(ties_of_factors_combine)
{
    setting s = setting_open("product(circle,euclidean:1,circle)");
    static const double x[] = {0, 1, 1, M_PI, 2, 1 + M_PI, 0, 3, 1 + M_PI, M_PI, 4, 1};
    mst_mean_result *r = fit(s.log, 4, x, NULL);
    ck_assert(!r->unique && r->uniqueness == MST_UNIQUENESS_PROVEN);
    ck_assert_uint_eq(r->set_size, 4);
    for (size_t k = 0; k < 4; k++) {
        const double *mean = r->set[k].mean;
        assert_near(fabs(mean[0]), M_PI / 2, 1e-9, "first angle");
        assert_near(mean[1], 2.5, 1e-9, "number");
        assert_near(fabs(remainder(mean[2] - 1, 2 * M_PI)), M_PI / 2, 1e-9, "second angle");
    }
    ck_assert(isnan(r->standard_error));
    mst_mean_result_free(r);
    setting_close(&s);
}
END_TEST

/* What is proven is true: on the circle all minima can be listed. */
START_TEST(proofs_hold)
{
    dice die = {2621};
    size_t proven = 0, wide = 0;
    for (size_t k = 0; k < 4000; k++) {
        enum { N = 40 };
        double x[N], r[N], far = dice_uniform(&die, 0.2, 1.5), farthest = 0;
        size_t n = 3 + k % (N - 2), count;
        for (size_t i = 0; i < n; i++)
            x[i] = i % 9 == 8 ? dice_uniform(&die, -M_PI, M_PI) : far * dice_normal(&die);
        angle_mean means[2];
        ASSERT_OK(angle_means(n, x, 1, NULL, 2, means, &count));
        /* Any local minimum may be asked about. */
        double mean = means[k % count].mean;
        for (size_t i = 0; i < n; i++) {
            r[i] = fabs(remainder(x[i] - mean, 2 * M_PI));
            farthest = fmax(farthest, r[i]);
        }
        bool only = frechet_mean_is_only(M_PI, 0, n, r, NULL);
        proven += only;
        wide += only && farthest > M_PI / 2;
        ck_assert_msg(!only || mean == means[0].mean, "set %zu", k);
        ck_assert(!only || count == 1 || means[1].variance > means[0].variance + 1e-9);
    }
    ck_assert_uint_gt(proven, 500);
    ck_assert_uint_gt(wide, 100);
    /* Of nothing known nothing follows. */
    const double near[] = {0.1, 0.1};
    ck_assert(!frechet_mean_is_only(NAN, 0, 2, near, NULL));
    ck_assert(!frechet_mean_is_only(1, NAN, 2, near, NULL));
    ck_assert(frechet_mean_is_only(1, 1, 2, near, NULL));
}
END_TEST

int main(void)
{
    return RUN_SUITE(
        "mean_global", 120, {angles_have_their_global_mean, 0}, {angles_of_all_kinds, 0},
        {tori_have_their_global_mean, 0}, {scattered_rotations_have_their_global_mean, 0},
        {many_rotations_have_their_global_mean, 0}, {axes_have_no_unique_mean, 0},
        {axes_in_the_plane_have_no_unique_mean, 0}, {heaps_have_a_unique_mean, 0},
        {nearly_equal_means_are_not_told_apart, 0}, {ties_of_factors_combine, 0}, {proofs_hold, 0});
}
