/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Tables of the heat kernel against the kernel itself, for rows near and far, at the cut locus and beside
 * it. Derivatives by log t, which the kernel does not give, are differences of it. */
#include "support/support.h"

#include "heat/kernel_parts.h"
#include "heat/radial_table.h"

#include <manistat/heat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *spec;
    double least, largest; /* times for which there has to be a table */
} spaces[] = {
    {"circle", 1e-4, 10},      {"torus:3", 1e-3, 10},
    {"sphere:2", 1e-4, 10},    {"sphere:3", 1e-4, 10},
    {"sphere:10", 1e-3, 1},    {"so3", 1e-4, 10},
    {"hyperbolic:2", 1e-4, 3}, {"hyperbolic:3", 1e-4, 3},
    {"hyperbolic:5", 1e-2, 1}, {"product(sphere:2,so3,circle)", 1e-3, 3},
};
static const double times[] = {1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1, 3, 10};
enum { TIMES = sizeof times / sizeof *times, ROWS = HEAT_BLOCK };

typedef struct setting {
    mst_manifold *m;
    size_t d, D;
    double *y, *x;
} setting;

/* Rows by Brownian motion, anywhere, and at distances close to the cut locus or to y. */
static setting setting_open(const char *spec, double t)
{
    static const double rests[] = {0, 1e-9, 1e-5, 1e-3, 0.01, 0.1};
    setting s;
    ASSERT_OK(mst_manifold_parse(&s.m, spec));
    s.d = mst_manifold_dim(s.m);
    s.D = mst_manifold_ambient(s.m);
    s.y = doubles(s.D);
    s.x = doubles(ROWS * s.D);
    double *v = doubles(s.D), *c = doubles(s.d);
    dice die = {7};
    mst_random random = {3, 0};
    ASSERT_OK(mst_manifold_random_point(s.m, random, 1000, 1, s.y));
    double radius = mst_manifold_injectivity(s.m);
    for (size_t i = 0; i < ROWS; i++) {
        double length = 0, wanted = sqrt(t) * (double)(i % 7);
        for (size_t k = 0; k < s.d; k++) {
            c[k] = dice_normal(&die);
            length += c[k] * c[k];
        }
        if (i % 3 == 1 && isfinite(radius))
            wanted = radius - rests[i % 6];
        if (i % 11 == 2)
            wanted = rests[i % 6];
        for (size_t k = 0; k < s.d; k++)
            c[k] *= wanted / sqrt(length);
        ASSERT_OK(mst_manifold_from_frame(s.m, 1, s.y, c, v));
        ASSERT_OK(mst_manifold_exp(s.m, 1, s.y, v, s.x + i * s.D));
    }
    free(c);
    free(v);
    return s;
}

static void setting_close(setting *s)
{
    free(s->x);
    free(s->y);
    mst_manifold_free(s->m);
}

/* One row by the kernel: score (d), Hessian (d, d). */
static void by_kernel(const setting *s, const double *x, double t, double *log_p, double *dt,
                      double *score, double *hessian)
{
    double *vector = doubles(s->D);
    mst_heat_values values = {log_p, dt, vector, hessian};
    ASSERT_OK(mst_heat_kernel(s->m, 1, x, s->y, t, 1, &values));
    ASSERT_OK(mst_manifold_to_frame(s->m, 1, s->y, vector, score));
    free(vector);
}

static double largest(size_t n, const double *a)
{
    double most = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(a[k]));
    return most;
}

/* One row as a sum. */
typedef struct row {
    double log_p, square, *gradient, *hessian, *outer, *cross;
} row;

static void compare_row(const setting *s, const char *spec, double t, size_t i, const row *r)
{
    size_t d = s->d;
    const double h = 1e-4, *x = s->x + i * s->D;
    double log_p, dt, other, dt_after, dt_before;
    double *score = doubles(3 * d), *after = score + d, *before = after + d;
    double *hessian = doubles(d * d);
    by_kernel(s, x, t * (1 + h), &other, &dt_after, after, hessian);
    by_kernel(s, x, t * (1 - h), &other, &dt_before, before, hessian);
    by_kernel(s, x, t, &log_p, &dt, score, hessian);
    double size = fmax(largest(d, score), 1 / sqrt(t)), bend = fmax(largest(d * d, hessian), 1 / t);
    ck_assert_msg(fabs(r->log_p - log_p) <= 1e-12 * fmax(1, fabs(log_p)),
                  "%s t=%g row %zu: log p %.17g, not %.17g", spec, t, i, r->log_p, log_p);
    ck_assert_msg(fabs(r->gradient[d] / t - dt) <= 4e-10 * fmax(fabs(dt), 1 / t),
                  "%s t=%g row %zu: by t %.17g, not %.17g", spec, t, i, r->gradient[d] / t, dt);
    for (size_t k = 0; k < d; k++) {
        double cross = r->cross[k], want = (after[k] - before[k]) / (2 * h);
        ck_assert_msg(fabs(r->gradient[k] - score[k]) <= 4e-10 * size,
                      "%s t=%g row %zu: score %.17g, not %.17g", spec, t, i, r->gradient[k],
                      score[k]);
        ck_assert_msg(fabs(cross - want) <= 4e-6 * fmax(size, fabs(want)),
                      "%s t=%g row %zu: score by log t %.17g, not %.17g", spec, t, i, cross, want);
    }
    double both = r->cross[d], want = t * (dt + (dt_after - dt_before) / (2 * h));
    ck_assert_msg(fabs(both - want) <= 4e-6 * fmax(1, fabs(t * dt)),
                  "%s t=%g row %zu: twice by log t %.17g, not %.17g", spec, t, i, both, want);
    for (size_t k = 0; k < d * d; k++)
        ck_assert_msg(fabs(r->hessian[k] - hessian[k]) <= 1e-9 * bend,
                      "%s t=%g row %zu: Hessian %.17g, not %.17g (of %g)", spec, t, i,
                      r->hessian[k], hessian[k], bend);
    free(hessian);
    free(score);
}

/* The products of the gradient, and their trace. */
static void compare_products(const setting *s, double t, const row *r)
{
    size_t d = s->d, width = d + 1;
    double square = 0;
    for (size_t k = 0; k < width; k++) {
        square += r->gradient[k] * r->gradient[k] * (k < d ? t : 1);
        for (size_t l = 0; l < width; l++) {
            double want = r->gradient[k] * r->gradient[l];
            ck_assert_double_le(fabs(r->outer[k * width + l] - want), 1e-14 * fabs(want));
        }
    }
    ck_assert_double_le(fabs(r->square - square), 1e-13 * square);
}

/* Rows together are the sum of single ones, each with its weight; those without one may be anything. */
static void compare_sum(const setting *s, const radial_tables *tables)
{
    size_t d = s->d, width = d + 1, all = 2 * width + d * d + width * width;
    double *memory = doubles(3 * all), *size = memory + 2 * all, value[2] = {0}, square[2] = {0};
    double weights[ROWS], *x = doubles(ROWS * s->D);
    dice die = {5};
    memset(memory, 0, 3 * all * sizeof *memory);
    memcpy(x, s->x, ROWS * s->D * sizeof *x);
    for (size_t i = 0; i < ROWS; i++)
        weights[i] = i % 5 == 3 ? 0 : dice_uniform(&die, 0.5, 2);
    for (size_t part = 0; part < 2; part++) {
        double *m = memory + part * all;
        radial_sums sums = {&value[part],  &square[part],         m,
                            m + 2 * width, m + 2 * width + d * d, m + width};
        for (size_t i = 0; part == 0 && i < ROWS; i++) {
            double before[2] = {value[0], 0};
            ASSERT_OK(radial_tables_add(tables, 1, x + i * s->D, &weights[i], &sums));
            size[0] += fabs(value[0] - before[0]);
        }
        for (size_t i = 0; part == 1 && i < ROWS; i++)
            for (size_t a = 0; weights[i] == 0 && a < s->D; a++)
                x[i * s->D + a] = NAN;
        if (part == 1)
            ASSERT_OK(radial_tables_add(tables, ROWS, x, weights, &sums));
    }
    ck_assert_double_le(fabs(value[0] - value[1]), 1e-13 * size[0]);
    ck_assert_double_le(fabs(square[0] - square[1]), 1e-13 * square[0]);
    for (size_t k = 0; k < width;
         k++) { /* a Hessian is no larger than the sum of squares and n/t */
        double bound = sqrt(square[0] * ROWS) + ROWS;
        ck_assert_double_le(fabs(memory[k] - memory[all + k]), 1e-11 * bound * bound);
    }
    free(x);
    free(memory);
}

START_TEST(rows_are_those_of_the_kernel)
{
    const char *spec = spaces[_i].spec;
    size_t made = 0;
    for (size_t k = 0; k < TIMES; k++) {
        if (times[k] < spaces[_i].least || times[k] > spaces[_i].largest)
            continue;
        setting s = setting_open(spec, times[k]);
        radial_tables *tables;
        ck_assert(radial_tables_fit(s.m));
        ASSERT_OK(radial_tables_new(&tables, s.m, s.y, times[k]));
        ck_assert_msg(tables != NULL, "%s: no table at t = %g", spec, times[k]);
        size_t d = s.d;
        double *memory = doubles(2 * (d + 1) + d * d + (d + 1) * (d + 1)), log_p[ROWS],
               *gradients = doubles(ROWS * (d + 1));
        row r = {.gradient = memory, .cross = memory + d + 1, .hessian = memory + 2 * (d + 1)};
        r.outer = r.hessian + d * d;
        radial_sums sums = {&r.log_p, &r.square, r.gradient, r.hessian, r.outer, r.cross};
        ASSERT_OK(radial_tables_rows(tables, ROWS, s.x, log_p, gradients));
        for (size_t i = 0; i < ROWS; i++) {
            memset(memory, 0, (2 * (d + 1) + d * d + (d + 1) * (d + 1)) * sizeof *memory);
            r.log_p = r.square = 0;
            ASSERT_OK(radial_tables_add(tables, 1, s.x + i * s.D, NULL, &sums));
            compare_row(&s, spec, times[k], i, &r);
            ck_assert_double_le(fabs(log_p[i] - r.log_p),
                                1e-14 * fmax(1, fabs(r.log_p)) / fmin(1, times[k]));
            for (size_t a = 0; a <= d; a++)
                ck_assert_double_le(fabs(gradients[i * (d + 1) + a] - r.gradient[a]),
                                    1e-9 * (fabs(r.gradient[a]) + 1 / sqrt(times[k])));
            compare_products(&s, times[k], &r);
        }
        compare_sum(&s, tables);
        free(gradients);
        free(memory);
        radial_tables_free(tables);
        setting_close(&s);
        made++;
    }
    ck_assert(made > 2);
}
END_TEST

/* What is not radial, or whose rows are others, has none. */
START_TEST(other_spaces_have_none)
{
    static const char *const specs[] = {"euclidean:2", "spd:3", "spd:2", "landmarks:3x2",
                                        "product(sphere:2,euclidean:1)"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        mst_manifold *m;
        ASSERT_OK(mst_manifold_parse(&m, specs[k]));
        ck_assert_msg(!radial_tables_fit(m), "%s", specs[k]);
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("radial_table", 60,
                     {rows_are_those_of_the_kernel, sizeof spaces / sizeof *spaces},
                     {other_spaces_have_none, 0});
}
