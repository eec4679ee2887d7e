/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges: exact where nothing is random, unbiased elsewhere; random numbers by row; refusals. The large
 * statistical checks are in test_bridge_slow.c. */
#include "heat/bridge_cases.h"

static const struct {
    const char *spec;
    double fixed; /* uniform pairs at this time, or 0 */
} cases[] = {
    {"sphere:2", 0}, {"sphere:3", 0}, {"hyperbolic:2", 0}, {"torus:2", 0},
    {"torus:2", 3},  {"so3", 0},      {"so3", 2},          {"spd:2", 0},
    {"circle", 0},   {"sphere:2", 1}, {"hyperbolic:3", 0}, {"product(sphere:2,euclidean:1)", 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* With 40 pairs more than two of them are beyond three standard errors with probability 2e-4 (the score,
 * which has two and more components, less often); the mean of 40 squares is within 0.45 … 1.8 but for 5e-4.
 * Effective sizes are near the number of paths: the guides are good. */
START_TEST(agree_with_closed_forms)
{
    mst_manifold *m = open_manifold(cases[_i].spec);
    dice die = {31 + (uint64_t)_i};
    mst_bridge_options o = mst_bridge_options_default();
    o.steps = 32;
    o.paths = cases[_i].fixed > 0 ? 2000 : 500; /* ways around carry little, and must be seen */
    bridge_pairs_of p = exact_pairs(m, 40, cases[_i].fixed, &die);
    bridge_verdict v = judge_bridges(m, &p, &o);
    for (int k = 0; k < 3; k++) {
        ck_assert_msg(v.within[k] >= 0.95, "%s: value %d: %g within 3 standard errors",
                      cases[_i].spec, k, v.within[k]);
        ck_assert_msg(v.square[k] < 1.8, "%s: value %d: mean z² %g", cases[_i].spec, k,
                      v.square[k]);
    }
    ck_assert_msg(v.ess > 0.7 * (double)o.paths, "%s: effective size %g", cases[_i].spec, v.ess);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* In flat space every path has the same weight, and nothing is left to chance. */
START_TEST(exact_in_flat_space)
{
    static const char *const specs[] = {"euclidean:1", "euclidean:4", "sym:2",
                                        "spd:2?metric=log-euclidean"};
    mst_manifold *m = open_manifold(specs[_i]);
    dice die = {5};
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 8;
    bridge_pairs_of p = exact_pairs(m, 20, 0, &die);
    bridge_verdict v = judge_bridges(m, &p, &o);
    for (int k = 0; k < 3; k++) {
        ck_assert(v.within[k] > 0.999);
        assert_near(v.error[k], 0, 1e-9, "%s: standard error %d", specs[_i], k);
    }
    assert_near(v.ess, 8, 1e-9, "%s", specs[_i]);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* The error of the steps that half of them tell, on a sphere where a few steps are coarse: it goes down four
 * times with twice the steps, and tells the true error. */
START_TEST(step_errors)
{
    mst_manifold *m = open_manifold("sphere:6");
    dice die = {9};
    bridge_pairs_of p = exact_pairs(m, 4, 0.4, &die);
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 4000;
    double told[2], log_p[4], step[4], off[2] = {0}, se[4], scatter = 0;
    for (int k = 0; k < 2; k++) {
        o.steps = k == 0 ? 8 : 16;
        mst_pairs pairs = mst_pairs_rows(m, p.n, p.x, p.y, p.t);
        ASSERT_OK(mst_bridge_pairs(
            m, &pairs, &o,
            &(mst_bridge_values){.log_p = log_p, .step_error = step, .log_p_se = se}));
        told[k] = 0;
        for (size_t i = 0; i < p.n; i++) {
            told[k] += step[i] / 4;
            off[k] += (log_p[i] - p.log_p[i]) / 4;
            scatter = fmax(scatter, se[i]);
        }
    }
    /* Four independent pairs; the coupled difference scatters less than the values do. */
    assert_near(off[0], -told[0], 5 * scatter / 2 + 0.5 * fabs(told[0]), "told %g", told[0]);
    ck_assert_msg(fabs(told[1]) < fabs(told[0]) / 2 + 2 * scatter, "%g, then %g", told[0], told[1]);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* Whatever is cut into calls and threads, a row is the same to the last bit; another seed is another draw. */
START_TEST(rows_have_their_own_numbers)
{
    mst_manifold *m = open_manifold("sphere:2");
    dice die = {3};
    bridge_pairs_of p = exact_pairs(m, 9, 0, &die);
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 70;
    o.steps = 12;
    double all[9], score[27], part[9], dt[9], other[9];
    mst_pairs pairs = mst_pairs_rows(m, 9, p.x, p.y, p.t);
    ASSERT_OK(mst_bridge_pairs(m, &pairs, &o,
                               &(mst_bridge_values){.log_p = all, .score = score, .dt_log_p = dt}));
    o.threads = 1;
    for (size_t at = 0; at < 9; at += 4) {
        mst_pairs some = mst_pairs_part(m, &pairs, at, 9 - at < 4 ? 9 - at : 4);
        ASSERT_OK(mst_bridge_pairs(m, &some, &o, &(mst_bridge_values){.log_p = part + at}));
    }
    ck_assert_mem_eq(all, part, sizeof all);
    o.seed++;
    ASSERT_OK(mst_bridge_pairs(m, &pairs, &o, &(mst_bridge_values){.log_p = other}));
    for (int i = 0; i < 9; i++)
        ck_assert(other[i] != all[i]);
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* With the same random numbers the estimate is smooth: its slope along the score is that of the estimate of
 * the score, up to their errors, and second differences are small. */
START_TEST(smooth_in_y_and_t)
{
    mst_manifold *m = open_manifold("hyperbolic:2");
    dice die = {77};
    bridge_pairs_of p = exact_pairs(m, 1, 0.3, &die);
    const double h = 1e-3;
    double y[5][3], t[5], f[5], v[3], step[3], slope;
    random_vector(m, &die, p.y, 1, v);
    mst_bridge_options o = mst_bridge_options_default();
    for (int k = 0; k < 5; k++) {
        for (int a = 0; a < 3; a++)
            step[a] = h * (k - 2) * v[a];
        ASSERT_OK(mst_manifold_exp(m, 1, p.y, step, y[k]));
        t[k] = p.t[0] * (1 + h * (k - 2));
        mst_pairs pair = mst_pairs_rows(m, 1, p.x, y[k], &t[k]);
        ASSERT_OK(mst_bridge_pairs(m, &pair, &o, &(mst_bridge_values){.log_p = &f[k]}));
    }
    ASSERT_OK(mst_manifold_inner(m, 1, p.y, p.score, v, &slope));
    slope += p.t[0] * p.dt[0];
    assert_near((f[3] - f[1]) / (2 * h), slope, 0.1 * (fabs(slope) + 1), "slope");
    double second = f[3] - 2 * f[2] + f[1], wide = (f[4] - 2 * f[2] + f[0]) / 4;
    assert_near(second, wide, 1e-2 * fabs(wide) + 1e-9, "a kink");
    bridge_pairs_free(&p);
    mst_manifold_free(m);
}
END_TEST

/* Any guide estimates the same: on the flat torus Log jumps at the cut locus, next to
 * which these pairs are. */
START_TEST(guides_agree)
{
    mst_manifold *m = open_manifold("torus:1");
    enum { N = 6 };
    double x[N], y[N], t[N], log_p[3][N], se[3][N], exact[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = 0.4;
        y[i] = 0.4 + 2.2 + 0.3 * (double)i;
        t[i] = 1.5;
    }
    ASSERT_OK(mst_heat_kernel_times(m, N, x, y, t, 1, &(mst_heat_values){.log_p = exact}));
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 1000;
    for (int g = 0; g < 3; g++) {
        o.guide = (mst_bridge_guide)g;
        mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
        ASSERT_OK(mst_bridge_pairs(m, &pairs, &o,
                                   &(mst_bridge_values){.log_p = log_p[g], .log_p_se = se[g]}));
        for (size_t i = 0; i < N; i++)
            assert_near(log_p[g][i], exact[i], 4 * se[g][i] + 1e-12, "guide %d, pair %zu", g, i);
    }
    mst_manifold_free(m);
}
END_TEST

/* Paths of bridges: they begin and end where they should, and in between they have the moments of a bridge of
 * flat space: at the share s of the time the mean x + s(y − x) and the variance s(1 − s)T. */
START_TEST(paths_of_bridges)
{
    enum { N = 2000, STEPS = 8 };
    mst_manifold *m = open_manifold("product(euclidean:1,sphere:2)");
    const double from[] = {1, 0, 0, 1}, to[] = {4, 1, 0, 0}, T = 2;
    double *path = doubles(N * (STEPS + 1) * 4), times[STEPS + 1], ess;
    mst_bridge_options o = mst_bridge_options_default();
    o.paths = 16;
    o.steps = STEPS;
    ASSERT_OK(mst_bridge_sample(m, N, from, to, T, &o, path, times, &ess));
    ck_assert(times[0] == 0 && times[STEPS] == T && ess > 8 && ess <= 16);
    for (size_t k = 0; k <= STEPS; k++) {
        double s = times[k] / T, mean = 0, square = 0, spread = sqrt(s * (1 - s) * T);
        for (size_t i = 0; i < N; i++) {
            const double *at = path + (i * (STEPS + 1) + k) * 4;
            double off = at[0] - 1 - 3 * s;
            mean += off / N;
            square += off * off / N;
            assert_near(dot(3, at + 1, at + 1), 1, 1e-12, "on the sphere");
            for (int a = 0; (k == 0 || k == STEPS) && a < 4; a++)
                assert_near(at[a], (k == 0 ? from : to)[a], 1e-12, "the ends");
        }
        assert_near(mean, 0, 5 * spread / sqrt(N) + 1e-12, "mean at %g", s);
        assert_near(square, spread * spread, 5 * spread * spread * sqrt(2.0 / N) + 1e-12,
                    "variance at %g", s);
    }
    free(path);
    mst_manifold_free(m);
}
END_TEST

START_TEST(refusals)
{
    mst_manifold *m = open_manifold("sphere:2");
    const double x[] = {0, 0, 1}, y[] = {1, 0, 0}, bad = -1, good = 1;
    double log_p, path[3 * 200], times[200];
    mst_bridge_values out = {.log_p = &log_p};
    mst_pairs pair = mst_pairs_rows(m, 1, x, y, &good), late = mst_pairs_rows(m, 1, x, y, &bad);
    mst_bridge_options o = mst_bridge_options_default();
    ASSERT_FAILS(MST_ARGUMENT, mst_bridge_pairs(m, &late, &o, &out));
    ASSERT_FAILS(MST_ARGUMENT, mst_bridge_sample(m, 1, x, y, bad, &o, path, times, NULL));
    o.paths = 1;
    ASSERT_FAILS(MST_ARGUMENT, mst_bridge_pairs(m, &pair, &o, &out));
    o = mst_bridge_options_default();
    o.steps = 7;
    ASSERT_FAILS(MST_ARGUMENT, mst_bridge_pairs(m, &pair, &o, &out));
    o = mst_bridge_options_default();
    o.guide = (mst_bridge_guide)9;
    ASSERT_FAILS(MST_ARGUMENT, mst_bridge_pairs(m, &pair, &o, &out));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("bridges", 60, {agree_with_closed_forms, CASES}, {exact_in_flat_space, 4},
                     {step_errors, 0}, {rows_have_their_own_numbers, 0}, {smooth_in_y_and_t, 0},
                     {guides_agree, 0}, {paths_of_bridges, 0}, {refusals, 0});
}
