/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Several geodesics of a pair: each once, the shortest first, and all of them where they can be counted. */
#include "manifold/formula_metric.h"
#include "manifold/metric.h"
#include "support/geodesic_batch.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 9, COUNT = 12 };

typedef struct list {
    double length[COUNT * MANY], error[COUNT * MANY], log_x[3 * COUNT * MANY],
        log_y[3 * COUNT * MANY];
    double van_vleck[COUNT * MANY], way[COUNT * MANY * 3 * 3];
    mst_geodesic_status status[COUNT * MANY];
    unsigned char tie[COUNT * MANY];
} list;

static list *solve_several(const mst_manifold *m, size_t n, const double *x, const double *y,
                           int several, double window, mst_geodesics *warm, bool again)
{
    static list out;
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output wanted = {.length = out.length,
                                  .error = out.error,
                                  .log_x = out.log_x,
                                  .log_y = out.log_y,
                                  .status = out.status,
                                  .tie = out.tie,
                                  .points = 3,
                                  .path = out.way};
    options.several = several;
    options.window = window;
    options.warm = warm;
    options.again = again;
    options.threads = 1;
    options.log_tolerance = 1e-9;
    memset(&out, 0x55, sizeof out);
    ASSERT_OK(mst_geodesic_solve(m, n, x, y, &options, &wanted));
    return &out;
}

static size_t count_answers(const list *l, size_t pair, size_t several)
{
    size_t count = 0;
    while (count < several && is_answer(l->status[pair * several + count]))
        count++;
    for (size_t k = count; k < several; k++) {
        ck_assert(isnan(l->length[pair * several + k]));
        ck_assert_int_eq(l->status[pair * several + k], MST_GEODESIC_NO_OTHER);
    }
    for (size_t k = 1; k < count; k++) {
        ck_assert_int_eq(l->status[pair * several + k], MST_GEODESIC_LOCAL);
        ck_assert_double_ge(l->length[pair * several + k],
                            (1 - 1e-12) * l->length[pair * several + k - 1]);
    }
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The lengths of all lines to y + integers. */
static void lattice_lengths(const double *x, const double *y, bool second, double *out)
{
    double all[81];
    size_t n = 0;
    for (int i = -4; i <= 4; i++)
        for (int j = second ? -4 : 0; j <= (second ? 4 : 0); j++)
            all[n++] = hypot(y[0] - x[0] + i, y[1] - x[1] + j);
    qsort(all, n, sizeof *all, compare);
    memcpy(out, all, MANY * sizeof *out);
}

static mst_manifold *from_text(const char *text)
{
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "text", "text", text, strlen(text), 0, NULL));
    return m;
}

static const char flat_text[] =
    "name = flat\ncoordinates u v\nperiod u 1\nperiod v 1\nmetric = 1\nstart = 0, 0\n";
static const char tube_text[] =
    "name = tube\ncoordinates u v\nperiod u 1\n"
    "embedding = cos(2*pi*u)/(2*pi), sin(2*pi*u)/(2*pi), v\nstart = 0, 0\n";

/* The first `sure` of them must be the shortest. */
static void assert_lattice(const list *l, size_t i, const double *x, const double *y, bool torus,
                           size_t sure, const char *what)
{
    size_t several = torus ? MANY : 4;
    double truth[MANY];
    lattice_lengths(x, y, torus, truth);
    ck_assert_uint_eq(count_answers(l, i, several), several);
    for (size_t k = 0; k < several; k++) {
        const double *v = l->log_x + 2 * (i * several + k),
                     *back = l->log_y + 2 * (i * several + k);
        if (k < sure)
            assert_near(l->length[i * several + k], truth[k], 1e-9, "%s, pair %zu, number %zu",
                        what, i, k);
        for (size_t a = 0; a < 2; a++) {
            double whole = x[a] + v[a] - y[a];
            assert_near(whole, nearbyint(whole), 1e-7, "%s: its end", what);
            assert_near(back[a], -v[a], 1e-7, "%s: the way back", what);
        }
        for (size_t j = 0; j < k; j++) {
            const double *other = l->log_x + 2 * (i * several + j);
            ck_assert_msg(hypot(v[0] - other[0], v[1] - other[1]) > 0.1, "%s: twice the same",
                          what);
        }
    }
}

/* The lines of a flat torus and of a tube, from a point to itself, too; and from kept paths after a move,
 * where the last of them may have become longer than one that was not kept. */
START_TEST(lines_of_lattices)
{
    bool torus = _i == 0;
    int several = torus ? MANY : 4;
    mst_manifold *m = from_text(torus ? flat_text : tube_text);
    mst_geodesics *warm;
    ASSERT_OK(mst_geodesics_new(&warm, m, COUNT));
    dice die = {3};
    double x[2 * COUNT], y[2 * COUNT];
    for (size_t i = 0; i < 2 * COUNT; i++) {
        x[i] = dice_uniform(&die, -1, 1);
        y[i] = i < 2 ? x[i] : dice_uniform(&die, -1, 1);
    }
    y[2] = x[2] + 0.5; /* in the middle of the way round */
    y[3] = x[3];
    for (int round = 0; round < 6; round++) {
        list *l = solve_several(m, COUNT, x, y, several, INFINITY, warm, round == 5);
        for (size_t i = 0; i < COUNT; i++)
            assert_lattice(l, i, x + 2 * i, y + 2 * i, torus, round % 5 == 0 ? (size_t)several : 3,
                           round == 0 ? "cold" : "warm");
        ck_assert_int_eq(l->tie[several], round == 0);
        for (size_t i = 0; i < 2 * COUNT; i++)
            y[i] += 0.01;
    }
    mst_geodesics_free(warm);
    mst_manifold_free(m);
}
END_TEST

/* Only what is little longer: 1 − u against u. */
START_TEST(windows)
{
    mst_manifold *m = from_text(tube_text);
    double x[2] = {0, 0}, y[2] = {0.4, 0};
    double gap = 0.6 * 0.6 - 0.4 * 0.4;
    for (int inside = 0; inside < 2; inside++) {
        list *l = solve_several(m, 1, x, y, 4, gap + (inside ? 1e-6 : -1e-6), NULL, false);
        ck_assert_uint_eq(count_answers(l, 0, 4), inside ? 2 : 1);
    }
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output out = {0};
    options.several = 2;
    options.window = -1;
    ASSERT_FAILS(MST_ARGUMENT, mst_geodesic_solve(m, 1, x, y, &options, &out));
    options = mst_geodesic_options_default();
    options.several = -1;
    ASSERT_FAILS(MST_ARGUMENT, mst_geodesic_solve(m, 1, x, y, &options, &out));
    mst_manifold_free(m);
}
END_TEST

/* Opposite points of the outer equator of a torus: over or under it, to either side; all as long. */
START_TEST(mirror_images_on_a_torus)
{
    mst_manifold *m;
    ASSERT_OK(torus_chart_new(&m, 1, 0.5, _i == 1));
    double x[2] = {0.3, 0}, y[2] = {0.3 + M_PI, 0};
    list *l = solve_several(m, 1, x, y, MANY, INFINITY, NULL, false);
    ck_assert_uint_ge(count_answers(l, 0, MANY), 4);
    for (size_t k = 0; k < 4; k++) {
        assert_near(l->length[k], l->length[0], 1e-8, "number %zu", k);
        ck_assert_double_lt(l->length[k], 1.5 * M_PI - 0.1); /* shorter than the equator */
        ck_assert_int_eq(l->tie[k], 1);
        for (size_t j = 0; j < k; j++)
            ck_assert_double_gt(
                hypot(l->log_x[2 * k] - l->log_x[2 * j], l->log_x[2 * k + 1] - l->log_x[2 * j + 1]),
                0.5);
    }
    ck_assert_double_gt(l->length[4], l->length[0] + 0.1);
    mst_manifold_free(m);
}
END_TEST

/* Each is a geodesic to y by the integrator, and the lists from x to y and from y to x are the same. */
START_TEST(lists_of_a_torus)
{
    mst_manifold *m;
    dice die = {5};
    double x[2 * COUNT], y[2 * COUNT], forth[COUNT * MANY];
    ASSERT_OK(torus_chart_new(&m, 1, 0.5, _i == 1));
    for (size_t i = 0; i < 2 * COUNT; i++) {
        x[i] = dice_uniform(&die, 0, 2 * M_PI);
        y[i] = dice_uniform(&die, 0, 2 * M_PI);
    }
    const int few = 4;
    list *l = solve_several(m, COUNT, x, y, few, INFINITY, NULL, false);
    memcpy(forth, l->length, sizeof forth);
    for (size_t i = 0; i < COUNT; i++) {
        double best;
        mst_geodesic_output one = {.length = &best};
        ck_assert_uint_eq(count_answers(l, i, (size_t)few), (size_t)few);
        ASSERT_OK(mst_geodesic_solve(m, 1, x + 2 * i, y + 2 * i, NULL, &one));
        assert_near(best, forth[i * (size_t)few], 1e-8, "the shortest of pair %zu", i);
        for (size_t k = 0; k < (size_t)few; k++) {
            double end[2];
            ASSERT_OK(metric_exp(m, 1, x + 2 * i, l->log_x + 2 * (i * (size_t)few + k), end));
            for (size_t a = 0; a < 2; a++)
                assert_near(remainder(end[a] - y[2 * i + a], 2 * M_PI), 0, 1e-6,
                            "pair %zu, number %zu", i, k);
        }
    }
    l = solve_several(m, COUNT, y, x, few, INFINITY, NULL, false);
    for (size_t i = 0; i < COUNT * (size_t)few; i++)
        assert_near(l->length[i], forth[i], 1e-8, "back, %zu", i);
    mst_manifold_free(m);
}
END_TEST

/* The cut locus of a point of the equator of a flattened ellipsoid is an arc of the equator round its
 * antipode: from there one geodesic goes over the north, and its image over the south. Off the equator one of
 * them is longer, far off it has gone. */
START_TEST(both_sides_of_a_cut_locus)
{
    mst_manifold *m;
    ASSERT_OK(ellipsoid_equation_new(&m, 3, (double[]){1, 1, 0.6}));
    double x[3] = {1, 0, 0}, angle = M_PI - 0.1;
    for (int side = 0; side < 5; side++) {
        double height = 0.02 * side, r = sqrt(1 - height * height / 0.36);
        double y[3] = {r * cos(angle), r * sin(angle), height};
        list *l = solve_several(m, 1, x, y, 3, INFINITY, NULL, false);
        ck_assert_uint_ge(count_answers(l, 0, 3), 2);
        double north = fabs(l->log_x[2]), sum = l->log_x[2] + l->log_x[5];
        ck_assert_double_lt(l->log_x[2] * l->log_x[5], 0);
        if (side == 0) {
            assert_near(l->length[1], l->length[0], 1e-9, "on the cut locus");
            assert_near(sum, 0, 1e-6 * north, "mirror images");
            ck_assert_int_eq(l->tie[0] && l->tie[1], 1);
        } else {
            ck_assert_double_gt(l->length[1], l->length[0] + 1e-3 * side);
            ck_assert_double_gt(l->log_x[2], 0); /* y is north */
            ck_assert_int_eq(l->tie[0] || l->tie[1], 0);
        }
    }
    double near[3] = {cos(1), sin(1), 0};
    list *l = solve_several(m, 1, x, near, 3, 1, NULL, false);
    ck_assert_uint_eq(count_answers(l, 0, 3), 1);
    mst_manifold_free(m);
}
END_TEST

/* Outputs move together: van Vleck's determinant is 1 for all lines, and middles are those of the vectors. */
START_TEST(outputs_stay_together)
{
    static list out;
    mst_manifold *m = from_text(flat_text);
    double x[2] = {0, 0}, y[2] = {0.3, 0.4};
    double hessian[4 * MANY];
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output wanted = {.log_x = out.log_x,
                                  .van_vleck = out.van_vleck,
                                  .hessian = hessian,
                                  .points = 3,
                                  .path = out.way};
    options.several = MANY;
    ASSERT_OK(mst_geodesic_solve(m, 1, x, y, &options, &wanted));
    for (size_t k = 0; k < MANY; k++) {
        assert_near(out.van_vleck[k], 1, 1e-9, "number %zu", k);
        for (size_t a = 0; a < 2; a++)
            assert_near(out.way[(3 * k + 1) * 2 + a], 0.5 * out.log_x[2 * k + a], 1e-9,
                        "its middle");
        for (size_t a = 0; a < 4; a++)
            assert_near(hessian[4 * k + a], a % 3 == 0, 1e-9, "its Hessian");
    }
    mst_manifold_free(m);
}
END_TEST

/* Where there is no other, none is looked for. */
START_TEST(hadamard_has_one)
{
    batch *b = batch_open();
    ASSERT_OK(
        mst_manifold_parse(&b->m, MST_TEST_DATA "/../../examples/manifolds/half-plane.manifold"));
    list *l = solve_several(b->m, 1, (double[]){0, 1}, (double[]){3, 2}, 3, INFINITY, NULL, false);
    ck_assert_uint_eq(count_answers(l, 0, 3), 1);
    batch_close(b);
}
END_TEST

int main(void)
{
    return RUN_SUITE("several", 60, {lines_of_lattices, 2}, {windows, 0},
                     {mirror_images_on_a_torus, 2}, {lists_of_a_torus, 2},
                     {both_sides_of_a_cut_locus, 0}, {outputs_stay_together, 0},
                     {hadamard_has_one, 0});
}
