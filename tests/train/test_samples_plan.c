/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a plan promises about its samples apart from their means: times, starts, independence of the way they
 * are asked for, refusals, and clean failure without memory (the library allocates through aligned_alloc
 * only, which this program replaces). */
#include "sample_sets.h"
#include "support/manifolds.h"
#include "support/statistics.h"

#include <errno.h>
#include <string.h>

static size_t fail_at = SIZE_MAX, asked;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (asked++ == fail_at) {
        errno = ENOMEM;
        return NULL;
    }
    return posix_memalign(&p, alignment, size) == 0 ? p : NULL;
}

static const struct {
    const char *spec;
    bool sweep;
    sample_kind kind;
} kinds[] = {
    {"sphere:5", false, SAMPLE_BEL}, {"hyperbolic:3", false, SAMPLE_BEL},
    {"so3", false, SAMPLE_BEL},      {"spd:2", false, SAMPLE_BEL},
    {"spd:3", false, SAMPLE_BEL},    {"spd:4", false, SAMPLE_BEL},
    {"torus:3", false, SAMPLE_BEL},  {"product(sphere:2,spd:2)", false, SAMPLE_BEL},
    {"sphere:2", true, SAMPLE_BEL},  {"product(sphere:2,euclidean:2)", false, SAMPLE_LAST_STEP}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void assert_same(size_t width, const double *got, const double *want, size_t row,
                        size_t expected, const char *what)
{
    if (want != NULL)
        ck_assert_msg(memcmp(got + row * width, want + expected * width, width * sizeof *got) == 0,
                      "%s: row %zu differs from row %zu", what, row, expected);
}

START_TEST(pieces_give_the_same_bits)
{
    sample_options o = sample_test_options();
    o.kind = kinds[_i].kind;
    o.steps = 12;
    o.slots = 3;
    for (int fixed = 0; fixed < 2; fixed++) {
        o.t_min = fixed ? o.t_max : o.t_min;
        sample_set s = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
        sample_set part = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
        sample_set_draw(&s, 1000, 150);
        const size_t cuts[] = {0, 1, 38, 110, 150};
        for (size_t c = 0; c < 4; c++) {
            sample_set_draw(&part, 1000 + cuts[c], cuts[c + 1] - cuts[c]);
            for (size_t r = 0; r < part.rows; r++) {
                size_t expected = r / part.n * s.n + cuts[c] + r % part.n;
                assert_same(s.D, part.at.x, s.at.x, r, expected, "x");
                assert_same(s.D, part.at.y, s.at.y, r, expected, "y");
                assert_same(1, part.at.t, s.at.t, r, expected, "t");
                assert_same(s.D, part.at.target, s.at.target, r, expected, "target");
                assert_same(1, part.at.time_target, s.at.time_target, r, expected, "time target");
                assert_same(s.D, part.at.previous, s.at.previous, r, expected, "previous");
                assert_same(s.D, part.at.step, s.at.step, r, expected, "step");
                assert_same(s.D, part.at.arrived, s.at.arrived, r, expected, "arrived");
                assert_same(1, part.at.h, s.at.h, r, expected, "h");
            }
        }
        /* Points on the manifold, nothing twice. */
        ASSERT_OK(mst_manifold_validate(s.m, s.rows, s.at.x, NULL));
        ASSERT_OK(mst_manifold_validate(s.m, s.rows, s.at.y, NULL));
        double *w = doubles(s.D);
        for (size_t r = 0; r < s.rows; r++) {
            ck_assert(fixed ? s.at.t[r] == o.t_max : s.at.t[r] >= o.t_min && s.at.t[r] <= o.t_max);
            for (size_t q = 0; q < r; q++) /* strata may share the step at their border */
                ck_assert((!fixed && q % s.n == r % s.n && s.at.t[q] == s.at.t[r]) ||
                          memcmp(s.at.y + r * s.D, s.at.y + q * s.D, s.D * sizeof(double)) != 0);
            const double *v = o.kind == SAMPLE_BEL ? s.at.target : s.at.arrived;
            ASSERT_OK(mst_manifold_tangent(s.m, 1, s.at.y + r * s.D, v + r * s.D, w));
            for (size_t a = 0; a < s.D; a++)
                assert_near(w[a], v[r * s.D + a], 1e-9 * (1 + max_abs(s.D, w)), "tangent");
        }
        free(w);
        sample_set_free(&part);
        sample_set_free(&s);
    }
}
END_TEST

START_TEST(what_is_not_wanted_changes_nothing)
{
    sample_options o = sample_test_options();
    o.kind = kinds[_i].kind;
    o.steps = 8;
    sample_set s = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
    sample_set_draw(&s, 0, 70);
    ASSERT_OK(sample_draw(s.plan, 0, 70, &(sample_rows){0}));
    double *y = doubles(s.rows * s.D);
    ASSERT_OK(sample_draw(s.plan, 0, 70, &(sample_rows){.y = y}));
    ck_assert(memcmp(y, s.at.y, s.rows * s.D * sizeof *y) == 0);
    o.seed++;
    sample_set other = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
    ASSERT_OK(sample_draw(other.plan, 0, 70, &(sample_rows){.y = y}));
    ck_assert(memcmp(y, s.at.y, s.rows * s.D * sizeof *y) != 0);
    free(y);
    sample_set_free(&other);
    sample_set_free(&s);
}
END_TEST

/* Last-step paths have one horizon, so the step numbers show the strata: 25 … 64 in four parts of ten. */
START_TEST(times_are_stratified)
{
    sample_options o = sample_test_options();
    o.kind = SAMPLE_LAST_STEP;
    o.steps = 64;
    o.t_max = 2;
    o.t_min = 24.5 / 32;
    sample_set s = sample_set_plan("euclidean:1", false, &o);
    sample_set_draw(&s, 5, 4000);
    size_t counts[40] = {0};
    for (size_t r = 0; r < s.rows; r++) {
        size_t j = (size_t)lround(s.at.t[r] * 32);
        ck_assert(j >= 25 && j <= 64);
        ck_assert_uint_eq((j - 25) / 10, (r / s.n + 5 + r % s.n) % 4);
        counts[j - 25]++;
    }
    assert_equally_likely(40, counts, "step numbers");
    sample_set_free(&s);
}
END_TEST

/* Horizons are uniform in [0.1, 2] t_max, or from where one step reaches t_min, and cut at t_max: with one
 * step per path they are the times themselves. Those that fall short of t_max are uniform below it. */
static const double horizon_low = 0.15, horizon_high = 2;
static double horizon_cdf(double t)
{
    return fmin(fmax((t - horizon_low) / (horizon_high - horizon_low), 0), 1);
}

START_TEST(horizons_follow_their_law)
{
    sample_options o = sample_test_options();
    o.steps = o.slots = 1;
    o.t_min = horizon_low;
    o.t_max = horizon_high;
    sample_set s = sample_set_plan("sphere:2", false, &o);
    sample_set_draw(&s, 0, 5000);
    size_t below = 0;
    for (size_t i = 0; i < s.rows; i++)
        if (s.at.t[i] < o.t_max)
            s.at.t[below++] = s.at.t[i];
    /* Binomial; five standard errors, false alarm 6e-7. */
    double p = (horizon_high - horizon_low) / (2 * horizon_high - horizon_low);
    assert_near((double)below / 5000, p, 5 * sqrt(p * (1 - p) / 5000), "short horizons");
    assert_distribution(below, s.at.t, horizon_cdf, "horizons");
    sample_set_free(&s);
    /* t_min rules where it is longer, and fewer admissible steps than slots are repeated. */
    o.t_min = 1.9;
    o.steps = 10;
    o.slots = 8;
    s = sample_set_plan("sphere:2", false, &o);
    sample_set_draw(&s, 0, 500);
    for (size_t r = 0; r < s.rows; r++)
        ck_assert(s.at.t[r] >= 1.9 && s.at.t[r] <= 2);
    sample_set_free(&s);
}
END_TEST

START_TEST(compact_spaces_start_uniformly)
{
    sample_options o = sample_test_options();
    o.steps = 4;
    sample_set s = sample_set_plan("product(sphere:2,so3)", false, &o);
    sample_set_draw(&s, 0, 4000);
    covariance point = {.width = 3}, frame = {.width = 9};
    for (size_t r = 0; r < s.rows; r++) {
        covariance_add(&point, s.at.y + r * s.D);
        covariance_add(&frame, s.at.y + r * s.D + 3);
    }
    assert_isotropic(&point, 1.0 / 3, "sphere");
    assert_isotropic(&frame, 1.0 / 3, "rotations");
    sample_set_free(&s);
}
END_TEST

START_TEST(given_starts_are_used)
{
    static const double starts[] = {0, 0, 1, 5, 1, 0, 0, 6, 0, 1, 0, 7};
    for (int sweep = 0; sweep < 2; sweep++) {
        sample_options o = sample_test_options();
        o.t_min = o.t_max = 0.3; /* the sweep's y is the start of the path only then */
        o.steps = 4;
        o.starts = 3;
        o.start = starts;
        o.spread = 0;
        sample_set s = sample_set_plan("product(sphere:2,euclidean:1)", sweep == 1, &o);
        sample_set_draw(&s, 0, 1000);
        size_t counts[3] = {0};
        for (size_t r = 0; r < s.rows; r++) {
            size_t k = (size_t)lround(s.at.y[4 * r + 3]) - 5; /* the factors keep together */
            ck_assert(k < 3 && memcmp(s.at.y + 4 * r, starts + 4 * k, 4 * sizeof *starts) == 0);
            counts[k]++;
        }
        assert_equally_likely(3, counts, "starts");
        sample_set_free(&s);
    }
}
END_TEST

/* Brownian motion for a time uniform in [0, spread]: E|y − start|² = d spread/2, E|y −
 * start|⁴ = d (d + 2) spread²/3. */
START_TEST(starts_are_spread)
{
    sample_options o = sample_test_options();
    o.spread = 0.6;
    o.starts = 1;
    o.start = (double[]){4, -2, 1};
    sample_set s = sample_set_plan("euclidean:3", false, &o);
    sample_set_draw(&s, 0, 4000);
    moments second = {0}, fourth = {0};
    for (size_t r = 0; r < s.rows; r++) {
        double square = 0;
        for (size_t a = 0; a < 3; a++)
            square += pow(s.at.y[3 * r + a] - o.start[a], 2);
        moments_add(&second, square);
        moments_add(&fourth, square * square);
    }
    assert_mean(&second, 3 * 0.3, 0, "second moment");
    assert_mean(&fourth, 15 * 0.12, 0, "fourth moment");
    sample_set_free(&s);
    o.starts = 0;
    o.spread = 0;
    s = sample_set_plan("hyperbolic:2", false, &o);
    sample_set_draw(&s, 0, 10);
    for (size_t r = 0; r < s.rows; r++)
        ck_assert(s.at.y[3 * r] == 1 && s.at.y[3 * r + 1] == 0 && s.at.y[3 * r + 2] == 0);
    sample_set_free(&s);
}
END_TEST

/* Somebody else's manifold simulates by its own slot: lengths doubled and times times four make the same
 * paths, and a quarter of each target. All factors are powers of two, so the bits agree. */
START_TEST(users_manifolds_use_their_slot)
{
    static const char *const specs[] = {"sphere:3", "hyperbolic:2", "so3", "spd:3"};
    sample_options o = sample_test_options(), own = o;
    own.t_min *= 4;
    own.t_max *= 4;
    own.spread *= 4;
    sample_set base = sample_set_plan(specs[_i], false, &o), s = {.D = base.D};
    ASSERT_OK(scaled_new(&s.m, specs[_i], 2));
    ASSERT_OK(sample_plan_new(&s.plan, s.m, &own));
    ck_assert(s.plan->factor[0].run == sample_weighted);
    ck_assert_int_eq(sample_plan_is_uniform(s.plan), sample_plan_is_uniform(base.plan));
    sample_set_draw(&base, 3, 70);
    sample_set_draw(&s, 3, 70);
    for (size_t i = 0; i < s.rows * s.D; i++) {
        ck_assert_double_eq(s.at.x[i], base.at.x[i]);
        ck_assert_double_eq(s.at.y[i], base.at.y[i]);
        ck_assert_double_eq(4 * s.at.target[i], base.at.target[i]);
    }
    for (size_t i = 0; i < s.rows; i++)
        ck_assert_double_eq(4 * s.at.time_target[i], base.at.time_target[i]);
    sample_set_free(&base);
    sample_set_free(&s);
}
END_TEST

/* A manifold with the required slots only: every fall-back at work, and the mean Ricci
 * tensor found (radius 2: ¼). */
START_TEST(bare_manifolds_are_swept)
{
    mst_manifold *m;
    sample_plan *plan;
    sample_options o = sample_test_options();
    o.steps = 4;
    ASSERT_OK(bare_sphere_new(&m));
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    assert_near(plan->factor[0].mean_ricci, 0.25, 1e-4, "Ricci");
    assert_near(plan->factor[0].kappa, -0.25, 1e-4, "kappa");
    double x[3 * 4 * 5], y[3 * 4 * 5], target[3 * 4 * 5];
    ASSERT_OK(sample_draw(plan, 0, 5, &(sample_rows){.x = x, .y = y, .target = target}));
    ASSERT_OK(mst_manifold_validate(m, 20, x, NULL));
    for (size_t r = 0; r < 20; r++)
        assert_near(dot(3, y + 3 * r, target + 3 * r), 0, 1e-6, "tangent");
    sample_plan_free(plan);
    mst_manifold_free(m);
}
END_TEST

START_TEST(nonsense_is_refused)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:4"));
    sample_options good = sample_test_options(), bad[9];
    for (size_t k = 0; k < 9; k++)
        bad[k] = good;
    bad[0].t_min = 0;
    bad[1].t_max = good.t_min / 2;
    bad[2].t_max = INFINITY;
    bad[3].steps = 0;
    bad[4].slots = 0;
    bad[5].spread = -1;
    bad[6].kind = (sample_kind)7;
    bad[7].t_max = 6, bad[7].steps = 1;      /* too coarse */
    bad[8].t_max = 200, bad[8].steps = 1000; /* too long */
    for (size_t k = 0; k < 9; k++) {
        sample_plan *plan = (sample_plan *)&m;
        ASSERT_FAILS(MST_ARGUMENT, sample_plan_new(&plan, m, &bad[k]));
        ck_assert_ptr_null(plan);
    }
    sample_plan_free(NULL);
    mst_manifold_free(m);
}
END_TEST

START_TEST(without_memory)
{
    sample_options o = sample_test_options();
    o.kind = kinds[_i].kind;
    o.steps = 3;
    sample_set s = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
    sample_set_draw(&s, 0, 70);
    size_t failures = 0;
    for (;; failures++) {
        sample_plan *plan = (sample_plan *)&o;
        asked = 0, fail_at = failures;
        mst_status status = sample_plan_new(&plan, s.m, &o);
        fail_at = SIZE_MAX;
        if (status == MST_OK) {
            sample_plan_free(plan);
            break;
        }
        ck_assert_int_eq(status, MST_MEMORY);
        ck_assert_ptr_null(plan);
    }
    ck_assert(failures >= 3);
    for (failures = 0;; failures++) {
        asked = 0, fail_at = failures;
        mst_status status = sample_draw(s.plan, 0, 70, &s.at);
        fail_at = SIZE_MAX;
        if (status == MST_OK)
            break;
        ck_assert_int_eq(status, MST_MEMORY);
    }
    ck_assert(failures >= 3);
    sample_set_free(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("samples_plan", 60, {pieces_give_the_same_bits, KINDS},
                     {what_is_not_wanted_changes_nothing, KINDS}, {times_are_stratified, 0},
                     {horizons_follow_their_law, 0}, {compact_spaces_start_uniformly, 0},
                     {given_starts_are_used, 0}, {starts_are_spread, 0},
                     {users_manifolds_use_their_slot, 4}, {bare_manifolds_are_swept, 0},
                     {nonsense_is_refused, 0}, {without_memory, KINDS});
}
