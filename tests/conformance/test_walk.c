/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Random walks on every manifold: the tuned loops against their definition, and what Brownian motion promises
 * about threads, pieces and whole paths. */
#include "support/manifolds.h"

#include <manistat/brownian.h>
#include <string.h>

/* The definition of manifold.h, row by row: x ← Exp_x(√h (I − A + ½A²) E ξ), A = (h/12) Ric, the normals
 * being those that mst_noise names. */
static void defined_walk(subject *s, size_t n, double *x, double h, size_t steps, mst_noise noise)
{
    size_t d = s->d, D = s->D, even = d + d % 2;
    double *c = scratch(s, d), *v = scratch(s, D), *w = scratch(s, D);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < steps; k++) {
            mst_random stream = {noise.seed, noise.first_path + i};
            mst_random_normals(stream, (noise.first_step + k) * even, d, c);
            ASSERT_OK(mst_manifold_from_frame(s->m, 1, x + i * D, c, v));
            ASSERT_OK(mst_manifold_ricci(s->m, 1, x + i * D, v, w));
            for (size_t a = 0; a < D; a++)
                v[a] -= h / 12 * w[a];
            ASSERT_OK(mst_manifold_ricci(s->m, 1, x + i * D, w, w));
            for (size_t a = 0; a < D; a++)
                v[a] = sqrt(h) * (v[a] + h * h / 288 * w[a]);
            ASSERT_OK(mst_manifold_exp(s->m, 1, x + i * D, v, x + i * D));
        }
}

START_TEST(walk_is_what_its_definition_says)
{
    subject s = subject_open((size_t)_i);
    TAKES_PART(!s.entry->rolls);
    if (s.entry->rolls) {
        subject_close(&s);
        return;
    }
    enum { N = 70, STEPS = 4 };
    double *start = scratch(&s, N * s.D), *got = scratch(&s, N * s.D), *want = scratch(&s, N * s.D);
    dice d = {61};
    for (size_t i = 0; i < N; i++)
        corner_point(&s, &d, i % 5, start + i * s.D);
    static const double h[] = {1e-6, 0.01, 0.2};
    for (size_t k = 0; k < 3; k++) {
        mst_noise noise = {.seed = 8, .first_path = (uint64_t)1 << 40, .first_step = 1000 * k};
        memcpy(got, start, N * s.D * sizeof *got);
        memcpy(want, start, N * s.D * sizeof *want);
        ASSERT_OK(mst_manifold_walk(s.m, N, got, h[k], STEPS, noise));
        defined_walk(&s, N, want, h[k], STEPS, noise);
        for (size_t i = 0; i < N; i++) {
            /* The error of one step grows with the steps after it; the walk's length is
             * about √(steps h d). */
            double length = STEPS * sqrt(h[k] * (double)s.d);
            double tolerance = STEPS * rounding(&s, start + i * s.D, want + i * s.D, length) +
                               h[k] * s.entry->chart_error[2];
            assert_near(point_gap(&s, want + i * s.D, got + i * s.D), 0, tolerance,
                        "%s: walk of path %zu, h = %g", s.entry->spec, i, h[k]);
        }
        /* In two parts. */
        memcpy(want, start, N * s.D * sizeof *want);
        ASSERT_OK(mst_manifold_walk(s.m, N, want, h[k], 1, noise));
        noise.first_step++;
        ASSERT_OK(mst_manifold_walk(s.m, N, want, h[k], STEPS - 1, noise));
        ck_assert_msg(memcmp(want, got, N * s.D * sizeof *got) == 0,
                      "%s: a walk in two parts differs", s.entry->spec);
    }
    subject_close(&s);
}
END_TEST

static const mst_brownian_method methods[] = {MST_BROWNIAN_TANGENT, MST_BROWNIAN_CHART,
                                              MST_BROWNIAN_EXACT};
enum { METHODS = 3 };

/* Method k, or false where the manifold lacks it: then it must say so. */
static bool choose_method(const subject *s, size_t k, mst_brownian_options *o, const double *start,
                          double *end)
{
    *o = mst_brownian_options_default();
    o->method = methods[k];
    o->steps = 3;
    if (o->method != MST_BROWNIAN_EXACT || mst_brownian_has_exact(s->m))
        return true;
    ASSERT_FAILS(MST_UNABLE, mst_brownian_endpoints(s->m, 1, start, 1, o, end));
    return false;
}

START_TEST(threads_and_pieces_change_nothing)
{
    subject s = subject_open((size_t)_i);
    TAKES_PART(mst_brownian_has_exact(s.m)); /* in all three methods */
    enum { N = 1100 };                       /* three blocks of work, the last a short one */
    size_t D = s.D, bytes = N * D * sizeof(double);
    double *start = scratch(&s, N * D), *whole = scratch(&s, N * D), *again = scratch(&s, N * D);
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(s.m, start + i * D);
    mst_brownian_options o;
    for (size_t k = 0; k < METHODS; k++) {
        if (!choose_method(&s, k, &o, start, whole) ||
            (s.entry->slow_chart && o.method == MST_BROWNIAN_CHART))
            continue;
        o.threads = 1;
        ASSERT_OK(mst_brownian_endpoints(s.m, N, start, 0.1, &o, whole));
        for (o.threads = 0; o.threads <= 3; o.threads++) {
            ASSERT_OK(mst_brownian_endpoints(s.m, N, start, 0.1, &o, again));
            ck_assert_msg(memcmp(whole, again, bytes) == 0, "%s: method %zu with %d threads",
                          s.entry->spec, k, o.threads);
        }
        memset(again, 0, bytes);
        static const size_t cuts[] = {0, 1, 64, 129, 700, N};
        for (size_t p = 0; p + 1 < sizeof cuts / sizeof *cuts; p++) {
            o.first_path = cuts[p];
            o.threads = (int)p % 3;
            ASSERT_OK(mst_brownian_endpoints(s.m, cuts[p + 1] - cuts[p], start, 0.1, &o,
                                             again + cuts[p] * D));
        }
        ck_assert_msg(memcmp(whole, again, bytes) == 0, "%s: method %zu in pieces", s.entry->spec,
                      k);
        o.first_path = 0;
        o.seed++;
        ASSERT_OK(mst_brownian_endpoints(s.m, N, start, 0.1, &o, again));
        for (size_t i = 0; i < N; i++)
            ck_assert_msg(memcmp(whole + i * D, again + i * D, D * sizeof *again) != 0,
                          "%s: another seed, the same path", s.entry->spec);
        ASSERT_OK(mst_brownian_endpoints(s.m, 0, start, 0.1, &o, again));
    }
    subject_close(&s);
}
END_TEST

START_TEST(paths_begin_at_the_start_and_end_at_the_end_points)
{
    subject s = subject_open((size_t)_i);
    enum { N = 70, STEPS = 5 };
    size_t D = s.D, row = 0;
    double *start = scratch(&s, N * D), *end = scratch(&s, N * D),
           *path = scratch(&s, N * (STEPS + 1) * D);
    dice d = {62};
    for (size_t i = 0; i < N; i++)
        corner_point(&s, &d, i % 4, start + i * D);
    mst_brownian_options o;
    for (size_t k = 0; k < METHODS; k++) {
        if (!choose_method(&s, k, &o, start, end))
            continue;
        o.steps = STEPS;
        ASSERT_OK(mst_brownian_endpoints(s.m, N, start, 0.2, &o, end));
        ASSERT_OK(mst_brownian_paths(s.m, N, start, 0.2, &o, path));
        ASSERT_OK(mst_manifold_validate(s.m, N * (STEPS + 1), path, &row));
        for (size_t i = 0; i < N; i++) {
            const double *first = path + i * (STEPS + 1) * D, *last = first + STEPS * D;
            ck_assert_msg(memcmp(first, start + i * D, D * sizeof *first) == 0,
                          "%s: first row of a path, method %zu", s.entry->spec, k);
            ck_assert_msg(o.method == MST_BROWNIAN_EXACT ||
                              memcmp(last, end + i * D, D * sizeof *last) == 0,
                          "%s: last row of a path, method %zu", s.entry->spec, k);
        }
        /* Shorter paths with the same step are beginnings of the longer ones. */
        o.steps = 2;
        ASSERT_OK(mst_brownian_endpoints(s.m, N, start, 2 * (0.2 / STEPS), &o, end));
        for (size_t i = 0; i < N && o.method != MST_BROWNIAN_EXACT; i++) {
            const double *third = path + (i * (STEPS + 1) + 2) * D;
            assert_near(point_gap(&s, end + i * D, third), 0,
                        4 * rounding(&s, start + i * D, third, 1) + s.entry->chart_error[1],
                        "%s: beginning of a path, method %zu", s.entry->spec, k);
        }
    }
    subject_close(&s);
}
END_TEST

/* Rows without NAN, moved together; how many. */
static size_t keep_finite(size_t n, size_t D, double *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (all_finite(D, rows + i * D))
            memmove(rows + kept++ * D, rows + i * D, D * sizeof *rows);
    return kept;
}

/* However coarse the step, the result is a point of the manifold; only Euler steps may leave their chart, and
 * then they must say so. */
START_TEST(coarse_steps_stay_on_the_manifold)
{
    subject s = subject_open((size_t)_i);
    enum { N = 300 };
    size_t D = s.D, row = 0, left;
    double *start = scratch(&s, N * D), *end = scratch(&s, N * D);
    for (size_t i = 0; i < N; i++)
        mst_manifold_start(s.m, start + i * D);
    static const double times[] = {1e-300, 1e-20, 0.03, 1, 4};
    mst_brownian_options o;
    for (size_t k = 0; k < METHODS; k++)
        for (size_t t = 0; t < 5; t++) {
            if (!choose_method(&s, k, &o, start, end) ||
                (s.entry->slow_chart && o.method == MST_BROWNIAN_CHART))
                continue;
            o.left = &left;
            mst_status status = mst_brownian_endpoints(s.m, N, start, times[t], &o, end);
            if (o.method == MST_BROWNIAN_CHART && times[t] >= 1 && status != MST_OK) {
                ck_assert(status == MST_BREAKDOWN || status == MST_DOMAIN);
                assert_one_line(s.entry->spec);
                continue;
            }
            ck_assert_msg(status == MST_OK, "%s: method %zu, time %g: %s", s.entry->spec, k,
                          times[t], mst_error_detail());
            size_t stayed = keep_finite(N, D, end);
            ck_assert_msg(stayed + left == N && (left == 0 || (k == 1 && times[t] >= 1)),
                          "%s: method %zu, time %g: %zu rows", s.entry->spec, k, times[t], stayed);
            ck_assert_msg(mst_manifold_validate(s.m, stayed, end, &row) == MST_OK,
                          "%s: method %zu, time %g, row %zu: %s", s.entry->spec, k, times[t], row,
                          mst_error_detail());
        }
    subject_close(&s);
}
END_TEST

/* Rounding must not add up: without renormalising, 2e4 steps leave the manifold by √2e4 ε and more. */
START_TEST(long_walks_do_not_drift_off)
{
    subject s = subject_open((size_t)_i);
    size_t steps = s.entry->log_error > 0 || s.D > 20 ? 2000 : 20000;
    double *x = scratch(&s, s.D);
    dice d = {63};
    corner_point(&s, &d, 3, x);
    ASSERT_OK(mst_manifold_walk(s.m, 1, x, 1e-6, steps, (mst_noise){.seed = 9}));
    assert_near(off_manifold(&s, x), 0, 8 * sqrt((double)s.D) * DBL_EPSILON, "%s: after %zu steps",
                s.entry->spec, steps);
    subject_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("walk", 60, {walk_is_what_its_definition_says, manifold_case_count},
                     {threads_and_pieces_change_nothing, manifold_case_count},
                     {paths_begin_at_the_start_and_end_at_the_end_points, manifold_case_count},
                     {coarse_steps_stay_on_the_manifold, manifold_case_count},
                     {long_walks_do_not_drift_off, manifold_case_count});
}
