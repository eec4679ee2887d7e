/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does a mean say so when its errors rely on a model that the points do not follow, and when some of its
 * coordinates mean nothing? How often it does so without a reason is counted in test_mean_model_slow.c. */
#include "stat/mean_support.h"

static unsigned notes_of(const mst_score *source, size_t n, const double *x,
                         const mst_mean_options *o)
{
    mst_mean_result *r = fit(source, n, x, o);
    unsigned notes = r->notes;
    mst_mean_result_free(r);
    return notes;
}

static const char *const specs[] = {"euclidean:3", "euclidean:40", "circle", "sphere:2",
                                    "so3",         "torus:2",      "spd:2",  "hyperbolic:2"};
enum { SPECS = sizeof specs / sizeof *specs };

/* One in a hundred sets may be noted; these are not. */
START_TEST(brownian_rows_are_left_alone)
{
    enum { ROWS = 120 };
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, ROWS, NULL, 0.2, 61);
    mst_mean_options o = mst_mean_options_default();
    ck_assert_uint_eq(notes_of(s.exact, ROWS, x, &o) & MST_NOTE_MODEL, 0);
    o.time = 0.2;
    ck_assert_uint_eq(notes_of(s.exact, ROWS, x, &o) & MST_NOTE_MODEL, 0);
    o.time = 0;
    o.covariance = MST_COVARIANCE_SANDWICH;
    ck_assert_uint_eq(notes_of(s.exact, ROWS, x, &o) & MST_NOTE_FAR_ROWS, 0);
    free(x);
    setting_close(&s);
}
END_TEST

/* One row in ten from five times as far: t then has three times the variance that the model says, and more. A
 * time that is given, a hundred times too short, makes errors ten times too short. */
START_TEST(heavy_tails_and_short_times_are_noted)
{
    enum { ROWS = 120, FAR = 12 };
    setting s = setting_open(specs[_i]);
    double *x = draw(&s, ROWS, NULL, 0.01, 62), *far = draw(&s, FAR, NULL, 0.25, 63);
    mst_mean_options o = mst_mean_options_default();
    memcpy(x, far, FAR * s.D * sizeof *x);
    ck_assert_uint_ne(notes_of(s.exact, ROWS, x, &o) & MST_NOTE_MODEL, 0);
    /* The others do not rely on it, nor do means that have no model; but the interval of the sandwich does
     * not know how many more such rows there may be. */
    o.covariance = MST_COVARIANCE_SANDWICH;
    ck_assert_uint_eq(notes_of(s.exact, ROWS, x, &o) & (MST_NOTE_MODEL | MST_NOTE_FAR_ROWS),
                      MST_NOTE_FAR_ROWS);
    o.covariance = MST_COVARIANCE_OBSERVED;
    ck_assert_uint_eq(notes_of(s.log, ROWS, x, &o) & MST_NOTE_MODEL, 0);
    o.time = 1e-4;
    ck_assert_uint_ne(notes_of(s.exact, ROWS, x, &o) & MST_NOTE_MODEL, 0);
    free(x), free(far);
    setting_close(&s);
}
END_TEST

/* One direction of four ten times as wide: more rows than directions, and fewer, of the same manifold. */
START_TEST(unequal_directions_are_noted)
{
    enum { ROWS = 60, FEW = 30 };
    setting s = setting_open("euclidean:40"), p = setting_open("product(euclidean:1,sphere:2)");
    double *x = draw(&s, ROWS, NULL, 1, 64), *y = draw(&p, ROWS, NULL, 0.01, 65);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t a = 0; a < 4; a++)
            x[i * s.D + a] *= 10;
        y[i * p.D] *= 3;
    }
    ck_assert_uint_ne(notes_of(s.exact, ROWS, x, NULL) & MST_NOTE_MODEL, 0);
    ck_assert_uint_ne(notes_of(s.exact, FEW, x, NULL) & MST_NOTE_MODEL, 0);
    /* Where factors are unlike each other the errors are those of the sandwich already. */
    unsigned notes = notes_of(p.exact, ROWS, y, NULL);
    ck_assert_uint_eq(notes & (MST_NOTE_MODEL | MST_NOTE_UNEQUAL_TIMES), MST_NOTE_UNEQUAL_TIMES);
    free(x), free(y);
    setting_close(&s);
    setting_close(&p);
}
END_TEST

/* Ten rows three times as wide in one direction as in the other do not show that at 0.5 %, but the region and
 * the interval of the time allow for it, and only the latter's ends move. */
START_TEST(directions_that_may_be_unlike_widen)
{
    enum { ROWS = 10 };
    setting s = setting_open("euclidean:2");
    double x[2 * ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] = cos(2 * M_PI * (double)i / ROWS);
        x[2 * i + 1] = sin(2 * M_PI * (double)i / ROWS);
    }
    mst_mean_result *round = fit(s.exact, ROWS, x, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        x[2 * i] *= 3 / sqrt(5);
        x[2 * i + 1] *= 1 / sqrt(5);
    }
    mst_mean_result *wide = fit(s.exact, ROWS, x, NULL);
    assert_near(wide->time, round->time, 1e-9, "time");
    assert_near(wide->time_standard_error, round->time_standard_error, 1e-9, "standard error");
    ck_assert_uint_eq(wide->notes & MST_NOTE_MODEL, 0);
    ck_assert(wide->region_radius2 > 1.1 * round->region_radius2);
    ck_assert(wide->region_volume > 1.1 * round->region_volume);
    ck_assert(wide->time_low < 0.95 * round->time_low);
    ck_assert(wide->time_high > 1.05 * round->time_high);
    mst_mean_result_free(round);
    mst_mean_result_free(wide);
    setting_close(&s);
}
END_TEST

/* Nor do five rows of factors that are three times as wide as each other, whose times tell. */
START_TEST(factors_that_may_be_unlike_widen)
{
    enum { ROWS = 5 };
    static const double u[ROWS] = {-1.2, -0.6, 0.1, 0.5, 1.2},
                        v[ROWS] = {0.4, -1.1, 1.3, -0.8, 0.2};
    setting s = setting_open("product(euclidean:1,euclidean:1)");
    double x[2 * ROWS], radius[2];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < ROWS; i++) {
            x[2 * i] = u[i];
            x[2 * i + 1] = v[i] / (k == 0 ? 1 : 3);
        }
        mst_mean_result *r = fit(s.exact, ROWS, x, NULL);
        ck_assert_uint_eq(r->notes & (MST_NOTE_MODEL | MST_NOTE_UNEQUAL_TIMES), 0);
        radius[k] = r->region_radius2;
        mst_mean_result_free(r);
    }
    ck_assert(radius[1] > 1.2 * radius[0]);
    setting_close(&s);
}
END_TEST

/* Weights are counts: a row of weight 2 is two rows, for the model too. */
START_TEST(counts_are_rows)
{
    enum { ROWS = 40 };
    for (size_t k = 0; k < 2; k++) {
        setting s = setting_open(k == 0 ? "euclidean:3" : "sphere:2");
        mst_mean_options o = mst_mean_options_default();
        for (uint64_t seed = 1; seed < 30; seed++) {
            double *x = draw(&s, ROWS, NULL, 0.1, seed), *all = doubles(3 * ROWS * s.D),
                   three[ROWS];
            for (size_t i = 0; i < 3 * ROWS; i++)
                memcpy(all + i * s.D, x + i % ROWS * s.D, s.D * sizeof *x);
            /* Equal rows would be copies. */
            for (size_t i = 0; i < 3 * ROWS; i++)
                all[i * s.D] += 1e-12 * (double)i;
            for (size_t i = 0; i < ROWS; i++)
                three[i] = 3;
            o.weights = three;
            unsigned weighted = notes_of(s.exact, ROWS, x, &o);
            o.weights = NULL;
            ck_assert_uint_eq(weighted, notes_of(s.exact, 3 * ROWS, all, &o));
            free(x), free(all);
        }
        setting_close(&s);
    }
}
END_TEST

typedef struct part_case {
    const char *spec;
    bool per_factor;
    size_t first, count; /* coordinates of the factor that is uniform */
} part_case;

static const part_case parts[] = {
    {"product(sphere:2,euclidean:1)", false, 0, 3},
    {"product(circle,sphere:2)", false, 1, 3},
    {"product(circle,sphere:2)", true, 1, 3},
    {"product(hyperbolic:2,circle)", true, 3, 1},
    {"torus:3", false, 2, 1},
};
enum { PARTS = sizeof parts / sizeof *parts };

/* A factor that says nothing is named, whatever the others say. */
START_TEST(uniform_factors_are_named)
{
    enum { ROWS = 100 };
    const part_case *c = &parts[_i];
    setting s = setting_open(c->spec), u = setting_open(c->count == 3 ? "sphere:2" : "circle");
    double *x = draw(&s, ROWS, NULL, 0.1, 66), *y = doubles(ROWS * u.D);
    mst_mean_options o = mst_mean_options_default();
    o.time_per_factor = c->per_factor;
    mst_mean_result *r = fit(s.exact, ROWS, x, &o);
    ck_assert_uint_eq(r->notes & (MST_NOTE_UNIFORM_PART | MST_NOTE_MAYBE_UNIFORM), 0);
    ck_assert(r->uniform_count == 0 && isnan(r->uniform_part_p_value));
    mst_mean_result_free(r);
    ASSERT_OK(mst_manifold_random_point(u.m, (mst_random){2, 1}, 0, ROWS, y));
    for (size_t i = 0; i < ROWS; i++)
        memcpy(x + i * s.D + c->first, y + i * u.D, u.D * sizeof *x);
    for (size_t kind = 0; kind < (c->per_factor ? 1 : 2); kind++) {
        r = fit(kind == 0 ? s.exact : s.log, ROWS, x, &o);
        ck_assert_uint_eq(r->notes & (MST_NOTE_UNIFORM_PART | MST_NOTE_MAYBE_UNIFORM),
                          MST_NOTE_UNIFORM_PART);
        ck_assert_uint_eq(r->uniform_first, c->first);
        ck_assert_uint_eq(r->uniform_count, c->count);
        ck_assert(r->uniform_part_p_value > 0.05 && r->uniform_part_p_value <= 1);
        ck_assert(!r->unique);
        mst_mean_result_free(r);
    }
    free(x), free(y);
    setting_close(&s);
    setting_close(&u);
}
END_TEST

/* Axes ±a have no mean, but are not uniform. */
START_TEST(axes_are_not_called_uniform)
{
    enum { ROWS = 100 };
    setting s = setting_open(_i == 0 ? "sphere:2" : "circle");
    double *x = draw(&s, ROWS, NULL, 0.05, 67);
    for (size_t i = 0; i < ROWS; i += 2)
        for (size_t a = 0; a < s.D; a++)
            x[i * s.D + a] = _i == 0 ? -x[i * s.D + a] : x[i * s.D + a] + M_PI;
    mst_mean_result *axes = fit(s.log, ROWS, x, NULL), *even;
    ck_assert_uint_ne(axes->notes & MST_NOTE_MAYBE_UNIFORM, 0);
    ck_assert(axes->axial_p_value < 1e-10);
    ASSERT_OK(mst_manifold_random_point(s.m, (mst_random){4, 1}, 0, ROWS, x));
    even = fit(s.log, ROWS, x, NULL);
    ck_assert_uint_ne(even->notes & MST_NOTE_MAYBE_UNIFORM, 0);
    ck_assert(even->axial_p_value > 0.01);
    mst_mean_result_free(axes);
    mst_mean_result_free(even);
    free(x);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("model of means", 60, {brownian_rows_are_left_alone, SPECS},
                     {heavy_tails_and_short_times_are_noted, SPECS},
                     {unequal_directions_are_noted, 0}, {directions_that_may_be_unlike_widen, 0},
                     {factors_that_may_be_unlike_widen, 0}, {counts_are_rows, 0},
                     {uniform_factors_are_named, PARTS}, {axes_are_not_called_uniform, 2});
}
