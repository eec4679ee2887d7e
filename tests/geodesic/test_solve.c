/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between given points against closed forms, independent tables, the slow search along Exp, and
 * themselves one at a time. */
#include "manifold/formula_metric.h"
#include "manifold/metric.h"
#include "support/geodesic_batch.h"
#include "support/metric_manifolds.h"

#include <stdio.h>
#include <string.h>

/* Lengths to 1e-9, and no error above twice its estimate. Returns how many have an answer. */
static size_t assert_lengths(const batch *b, const char *what)
{
    size_t answers = 0;
    for (size_t i = 0; i < b->n; i++) {
        double off = fabs(b->length[i] - b->truth[i]);
        if (!is_answer(b->status[i])) {
            ck_assert_msg(isnan(b->length[i]), "%s: a length without an answer", what);
            continue;
        }
        answers++;
        ck_assert_msg(off <= 1e-9 * b->truth[i], "%s, pair %zu: %.15g instead of %.15g", what, i,
                      b->length[i], b->truth[i]);
        ck_assert_msg(off <= 2 * b->error[i] + 1e-12 * b->truth[i],
                      "%s, pair %zu: off by %g, estimated %g", what, i, off, b->error[i]);
    }
    return answers;
}

/* ---- Closed forms ---- */

START_TEST(spheres_in_a_chart)
{
    batch *b = batch_open();
    ASSERT_OK(stereographic_new(&b->m, 2));
    draw_sphere(b, true, 0);
    solve(b, 1, 0);
    /* Geodesics that pass the chart's missing point cannot be had. */
    ck_assert_uint_ge(assert_lengths(b, "anywhere"), PAIRS - 3);
    draw_sphere(b, true, 0.99 * M_PI);
    solve(b, 1, 0);
    ck_assert_uint_ge(assert_lengths(b, "nearly opposite"), PAIRS - 4);
    batch_close(b);
}
END_TEST

START_TEST(spheres_by_their_equation)
{
    batch *b = batch_open();
    ASSERT_OK(ellipsoid_equation_new(&b->m, 3, ones));
    draw_sphere(b, false, 0);
    solve(b, 1, 0);
    ck_assert_uint_eq(assert_lengths(b, "anywhere"), PAIRS);
    for (size_t i = 0; i < PAIRS; i++) {
        assert_near(b->conjugate[i], b->truth[i] / M_PI, 0.03, "the way to the antipode");
        const double *x = b->x + 3 * i, *y = b->y + 3 * i;
        double angle = b->truth[i];
        for (size_t k = 0; k < 3; k++) {
            double v = angle / sin(angle) * (y[k] - cos(angle) * x[k]);
            assert_near(b->log_x[3 * i + k], v, 1e-8 / (M_PI - angle), "log over %g", angle);
        }
    }
    draw_sphere(b, false, 0.99 * M_PI);
    solve(b, 1, 0);
    ck_assert_uint_eq(assert_lengths(b, "nearly opposite"), PAIRS);
    batch_close(b);
}
END_TEST

START_TEST(half_planes_near_and_far)
{
    static const double spreads[] = {0.5, 1.2, 2, 4};
    batch *b = batch_open();
    ASSERT_OK(half_plane_new(&b->m));
    for (size_t k = 0; k < 4; k++) {
        draw_half_plane(b, spreads[k]);
        solve(b, 0, 0);
        ck_assert_uint_eq(assert_lengths(b, "half-plane"), PAIRS);
        for (size_t i = 0; i < PAIRS; i++)
            ck_assert_int_eq(b->status[i], MST_GEODESIC_MINIMAL); /* there is no other */
    }
    batch_close(b);
}
END_TEST

/* tr((P⁻¹dP)²) for P = (a b; b c), from the formulas. */
static const char spd_text[] =
    "name = spd\ncoordinates a b c\nlet q = (a*c - b^2)^2\n"
    "metric = c^2/q, -2*b*c/q, b^2/q; -2*b*c/q, 2*(a*c + b^2)/q, -2*a*b/q; b^2/q, -2*a*b/q, "
    "a^2/q\ndomain a > 0\ndomain a*c - b^2 > 0\nstart = 1, 0, 1\n";

START_TEST(positive_definite_matrices_as_formulas)
{
    batch *b = batch_open();
    mst_manifold *closed;
    ASSERT_OK(mst_formula_manifold_new(&b->m, "spd", "spd", spd_text, strlen(spd_text), 0, NULL));
    ASSERT_OK(mst_manifold_parse(&closed, "spd:2"));
    b->n = 100;
    b->die.state = 7;
    for (size_t i = 0; i < b->n; i++) {
        double full[2][4];
        for (int end = 0; end < 2; end++) {
            double *p = (end == 0 ? b->x : b->y) + 3 * i, l[3];
            for (size_t k = 0; k < 3; k++)
                l[k] = dice_normal(&b->die);
            l[0] = exp(0.5 * l[0]);
            l[2] = exp(0.5 * l[2]);
            p[0] = l[0] * l[0];
            p[1] = l[0] * l[1];
            p[2] = l[1] * l[1] + l[2] * l[2];
            memcpy(full[end], (double[]){p[0], p[1], p[1], p[2]}, sizeof full[end]);
        }
        ASSERT_OK(mst_manifold_dist(closed, 1, full[0], full[1], &b->truth[i]));
    }
    solve(b, 1, 0);
    ck_assert_uint_eq(assert_lengths(b, "spd"), b->n);
    mst_manifold_free(closed);
    batch_close(b);
}
END_TEST

/* ---- Tables of surfaces of revolution ---- */

typedef struct surface {
    const char *name;
    mst_status (*make)(mst_manifold **out);
    bool chart;
} surface;

static mst_status flattened(mst_manifold **out)
{
    return ellipsoid_equation_new(out, 3, (double[]){1, 1, 0.6});
}

static mst_status ring(mst_manifold **out)
{
    return torus_equation_new(out, 1, 0.5);
}

static mst_status ring_chart(mst_manifold **out)
{
    return torus_chart_new(out, 1, 0.5, false);
}

static mst_status ring_map(mst_manifold **out)
{
    return torus_chart_new(out, 1, 0.5, true);
}

static mst_status from_text(mst_manifold **out, const char *name)
{
    char file[300];
    snprintf(file, sizeof file, "%s/../../examples/manifolds/%s.manifold", MST_TEST_DATA, name);
    return mst_manifold_parse(out, file);
}

static mst_status ring_text(mst_manifold **out)
{
    return from_text(out, "torus");
}

static mst_status flattened_text(mst_manifold **out)
{
    return from_text(out, "ellipsoid");
}

static mst_status bumpy_text(mst_manifold **out)
{
    return from_text(out, "bumpy");
}

static const surface surfaces[] = {
    {"torus", ring, false},
    {"torus", ring_chart, true},
    {"torus", ring_map, true},
    {"torus", ring_text, true},
    {"ellipsoid", flattened, false},
    {"ellipsoid", flattened_text, false},
    {"bumpy", bumpy_equation_new, false},
    {"bumpy", bumpy_text, false},
};

static void place(const char *name, const double *uv, double *x)
{
    double u = uv[0], v = uv[1], rho = sin(v), z = 0.6 * cos(v);
    if (strcmp(name, "torus") == 0) {
        rho = 1 + 0.5 * cos(v);
        z = 0.5 * sin(v);
    } else if (strcmp(name, "bumpy") == 0) {
        rho = (1 + 0.15 * cos(3 * v)) * sin(v);
        z = (1 + 0.15 * cos(3 * v)) * cos(v);
    }
    memcpy(x, (double[]){rho * cos(u), rho * sin(u), z}, 3 * sizeof *x);
}

/* All distances of the table, at 1e-8, with default options: they are minimal. */
START_TEST(tables_of_surfaces)
{
    const surface *s = &surfaces[_i];
    batch *b = batch_open();
    ASSERT_OK(s->make(&b->m));
    char line[400];
    snprintf(line, sizeof line, "%s/reference/surface_%s.csv", MST_TEST_DATA, s->name);
    FILE *f = fopen(line, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    size_t rows = 0;
    bool more = true;
    while (more) {
        for (b->n = 0; b->n < PAIRS && (more = fgets(line, sizeof line, f) != NULL); b->n++) {
            double v[5];
            ck_assert_int_eq(sscanf(line, "%lf,%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3], &v[4]),
                             5);
            b->truth[b->n] = v[4];
            if (s->chart) {
                memcpy(b->x + 2 * b->n, v, 2 * sizeof *v);
                memcpy(b->y + 2 * b->n, v + 2, 2 * sizeof *v);
            } else {
                place(s->name, v, b->x + 3 * b->n);
                place(s->name, v + 2, b->y + 3 * b->n);
            }
        }
        solve(b, 0, 0);
        for (size_t i = 0; i < b->n; i++) {
            ck_assert_msg(is_answer(b->status[i]), "%s, row %zu: %s", s->name, rows + i,
                          mst_geodesic_status_words(b->status[i]));
            assert_near(b->length[i], b->truth[i], 1e-8 * b->truth[i], "%s, row %zu, c %g", s->name,
                        rows + i, b->conjugate[i]);
        }
        rows += b->n;
    }
    ck_assert_uint_ge(rows, 250);
    fclose(f);
    batch_close(b);
}
END_TEST

/* ---- Corners ---- */

START_TEST(equal_points_and_neighbours)
{
    batch *b = batch_open();
    ASSERT_OK(half_plane_new(&b->m));
    b->n = 3;
    memcpy(b->x, (double[]){0.3, 0.7, 0.3, 0.7, 0, 1}, 6 * sizeof *b->x);
    memcpy(b->y, (double[]){0.3, 0.7, 0.3 + 1e-12, 0.7, 0, 1e-4}, 6 * sizeof *b->y);
    solve(b, 0, 0);
    ck_assert_double_eq(b->length[0], 0);
    ck_assert_double_eq(b->log_x[0], 0);
    ck_assert_int_eq(b->status[0], MST_GEODESIC_MINIMAL);
    double gap = b->y[2] - b->x[2]; /* as it was rounded */
    assert_near(b->length[1], gap / 0.7, 1e-11 * gap, "neighbours");
    assert_near(b->log_x[2], gap, 1e-11 * gap, "neighbours");
    /* An end that is reached as x + (y − x) would be off by 1e-16/1e-4. */
    assert_near(b->length[2], log(1e4), 1e-12, "a small end");
    assert_near(b->log_y[5], 1e-4 * log(1e4), 1e-11, "back from it");
    batch_close(b);
}
END_TEST

/* In space, where differences of near points lose their digits. */
START_TEST(neighbours_in_space)
{
    mst_manifold *manifolds[2];
    ASSERT_OK(ellipsoid_equation_new(&manifolds[0], 3, ones));
    ASSERT_OK(torus_chart_new(&manifolds[1], 1, 0.5, true));
    for (int power = 1; power <= 13; power++) {
        double gap = pow(10, -power), length;
        mst_geodesic_output out = {.length = &length};
        double a[3] = {0.6, 0.8, 0},
               c[3] = {0.6 * cos(gap) - 0.8 * sin(gap), 0.8 * cos(gap) + 0.6 * sin(gap), 0};
        double rounding = 4e-16 + 1e-9 * gap;
        ASSERT_OK(mst_geodesic_solve(manifolds[0], 1, a, c, NULL, &out));
        assert_near(length, gap, rounding, "the sphere over 1e-%d", power);
        double p[2] = {0.5, 1}, q[2] = {0.5, 1 + gap};
        ASSERT_OK(mst_geodesic_solve(manifolds[1], 1, p, q, NULL, &out));
        assert_near(length, 0.5 * (q[1] - p[1]), 1e-9 * gap, "the torus over 1e-%d", power);
    }
    mst_manifold_free(manifolds[0]);
    mst_manifold_free(manifolds[1]);
}
END_TEST

/* A row's bits do not depend on the rows beside it, nor on threads. */
START_TEST(rows_do_not_depend_on_each_other)
{
    batch *b = batch_open();
    ASSERT_OK(_i == 0 ? stereographic_new(&b->m, 2) : flattened(&b->m));
    draw_sphere(b, _i == 0, 0);
    for (size_t i = 0; _i == 1 && i < b->n; i++) {
        b->x[3 * i + 2] *= 0.6;
        b->y[3 * i + 2] *= 0.6;
    }
    solve(b, 0, 1e-9);
    size_t D = mst_manifold_ambient(b->m);
    mst_geodesic_options options = mst_geodesic_options_default();
    options.log_tolerance = 1e-9;
    for (size_t i = 0; i < b->n; i += 3) {
        double length, log_x[3], log_y[3];
        mst_geodesic_output out = {.length = &length, .log_x = log_x, .log_y = log_y};
        ASSERT_OK(mst_geodesic_solve(b->m, 1, b->x + i * D, b->y + i * D, &options, &out));
        ck_assert_mem_eq(&length, &b->length[i], sizeof length);
        ck_assert_mem_eq(log_x, b->log_x + i * D, D * sizeof *log_x);
        ck_assert_mem_eq(log_y, b->log_y + i * D, D * sizeof *log_y);
    }
    double lengths[PAIRS];
    mst_geodesic_output out = {.length = lengths};
    options.threads = 2;
    ASSERT_OK(mst_geodesic_solve(b->m, b->n, b->x, b->y, &options, &out));
    ck_assert_mem_eq(lengths, b->length, sizeof lengths);
    batch_close(b);
}
END_TEST

/* Against the search along Exp, which shares nothing with this. */
START_TEST(the_slow_search_agrees)
{
    batch *b = batch_open();
    ASSERT_OK(_i == 0 ? half_plane_new(&b->m) : torus_chart_new(&b->m, 3, 1, false));
    draw_half_plane(b, 0.7);
    b->n = 60;
    solve(b, 1, 1e-11);
    for (size_t i = 0; i < b->n; i++) {
        double v[2];
        unsigned char flag;
        mst_status status = metric_log(b->m, 1, b->x + 2 * i, b->y + 2 * i, v, &flag);
        if (status != MST_OK || _i == 1)
            continue; /* which of the torus's geodesics it finds is another matter */
        for (size_t k = 0; k < 2; k++)
            assert_near(b->log_x[2 * i + k], v[k], 1e-9 * (1 + fabs(v[k])), "pair %zu", i);
    }
    /* What the solver says is hit by Exp. */
    for (size_t i = 0; i < b->n; i++) {
        double end[2];
        ASSERT_OK(metric_exp(b->m, 1, b->x + 2 * i, b->log_x + 2 * i, end));
        for (size_t k = 0; k < 2; k++) {
            double gap = end[k] - b->y[2 * i + k];
            if (_i == 1)
                gap -= 2 * M_PI * nearbyint(gap / (2 * M_PI));
            assert_near(gap, 0, 1e-8 * (1 + fabs(b->y[2 * i + k])), "end of pair %zu", i);
        }
    }
    batch_close(b);
}
END_TEST

/* Closed logarithms are not searched. */
START_TEST(who_is_searched)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, "sphere:2"));
    ck_assert(!mst_geodesic_is_searched(m));
    mst_manifold_free(m);
    ASSERT_OK(half_plane_new(&m));
    ck_assert(mst_geodesic_is_searched(m));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("geodesics", 60, {spheres_in_a_chart, 0}, {spheres_by_their_equation, 0},
                     {half_planes_near_and_far, 0}, {positive_definite_matrices_as_formulas, 0},
                     {tables_of_surfaces, sizeof surfaces / sizeof *surfaces},
                     {equal_points_and_neighbours, 0}, {neighbours_in_space, 0},
                     {rows_do_not_depend_on_each_other, 2}, {the_slow_search_agrees, 2},
                     {who_is_searched, 0});
}
