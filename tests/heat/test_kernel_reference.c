/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points against tables of values that were computed with high precision: tests/data/reference/heat_*.csv.
 *
 * The bars are those of heat.h. A table gives a distance r, the test has to make points at that distance. The
 * base is the default start and the far point is written down in closed form, so r keeps its digits to a few
 * DBL_EPSILON at both ends (sin r is accurate next to π); that moves log p by |∂_r log p| r ε ≈ 2 |log p| ε
 * and the score by ε of its size, far below the bars. Only tangent vectors at a far point y of the
 * hyperboloid need an allowance: their coordinates are larger than their length by y₀, and each has a
 * rounding error, so a row of doubles holds the score to y₀ ε only. */
#include "support/support.h"

#include <manistat/heat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 51 }; /* ambient coordinates of sphere:50 */

/* ---- Tables ---- */
typedef struct table {
    FILE *file;
    char line[1024], *cell[16];
    size_t row;
} table;

static table table_open(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/reference/heat_%s.csv", MST_TEST_DATA, name);
    table t = {.file = fopen(path, "r")};
    ck_assert_msg(t.file != NULL, "%s cannot be read", path);
    ck_assert_ptr_nonnull(fgets(t.line, sizeof t.line, t.file)); /* the header */
    return t;
}

static bool table_next(table *t)
{
    if (fgets(t->line, sizeof t->line, t->file) == NULL) {
        fclose(t->file);
        return false;
    }
    t->row++;
    char *rest = t->line;
    for (size_t k = 0; k < sizeof t->cell / sizeof *t->cell; k++)
        t->cell[k] = strsep(&rest, ",\n");
    return true;
}

static double number(const table *t, size_t cell)
{
    return strtod(t->cell[cell], NULL);
}

/* Numbers joined by semicolons. */
static size_t numbers(const char *text, double *out)
{
    size_t count = 0;
    for (char *end;; text = end + 1) {
        out[count++] = strtod(text, &end);
        if (*end != ';')
            return count;
    }
}

/* ---- Comparison ---- */
typedef struct expected {
    double log_p, dt;
    double score[MOST]; /* ambient */
    double spread;      /* coordinates over length of tangent vectors at y, 0: no allowance */
} expected;

/* Largest error of each kind, in units of its bar. */
typedef struct record {
    const char *name;
    size_t count;
    double log_p, score, dt;
} record;

static void compare(const mst_manifold *m, const double *x, const double *y, double t,
                    const expected *want, size_t row, record *worst)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double log_p, dt, score[MOST], c[MOST], wanted[MOST];
    mst_heat_values values = {.log_p = &log_p, .dt_log_p = &dt, .score = score};
    ASSERT_OK(mst_heat_kernel(m, 1, x, y, t, 1, &values));
    ck_assert_msg(isfinite(log_p) && isfinite(dt) && all_finite(D, score), "%s, row %zu",
                  worst->name, row);
    ASSERT_OK(mst_manifold_to_frame(m, 1, y, score, c));
    ASSERT_OK(mst_manifold_to_frame(m, 1, y, want->score, wanted));
    double size = euclidean_norm(d, wanted);
    for (size_t k = 0; k < d; k++)
        c[k] -= wanted[k];
    double log_p_bar = 1e-12 * fmax(1, fabs(want->log_p));
    double dt_bar = 1e-10 * fmax(fabs(want->dt), 1 / t);
    double score_bar = 1e-10 * fmax(size, 1 / sqrt(t)) + 8 * DBL_EPSILON * want->spread * size;
    double gap = euclidean_norm(d, c);
    const char *spec = mst_manifold_spec(m);
    assert_near(log_p, want->log_p, log_p_bar, "%s, row %zu, %s: log p", worst->name, row, spec);
    assert_near(gap, 0, score_bar, "%s, row %zu, %s: score", worst->name, row, spec);
    assert_near(dt, want->dt, dt_bar, "%s, row %zu, %s: dt", worst->name, row, spec);
    worst->log_p = fmax(worst->log_p, fabs(log_p - want->log_p) / log_p_bar);
    worst->score = fmax(worst->score, gap / score_bar);
    worst->dt = fmax(worst->dt, fabs(dt - want->dt) / dt_bar);
    worst->count++;
}

static void report(const record *worst)
{
    ck_assert_uint_gt(worst->count, 100);
    printf("%-12s %5zu evaluations, worst error over bar: log p %.1e, score %.1e, dt %.1e\n",
           worst->name, worst->count, worst->log_p, worst->score, worst->dt);
    fflush(stdout);
}

/* ---- Radial tables: columns space, m, r, t, logp, dr_logp, dt_logp ---- */
/* The base point, a point at distance r, and the unit tangent vectors at both that point
 * away from the other. */
typedef struct couple {
    double base[MOST], far[MOST], at_base[MOST], at_far[MOST];
} couple;

static void place_flat(size_t m, double r, couple *p)
{
    (void)m;
    p->far[0] = r;
    p->at_far[0] = 1;
    p->at_base[0] = -1;
}

static void place_sphere(size_t m, double r, couple *p)
{
    bool antipodes = r == M_PI; /* stands for π itself */
    p->base[m] = 1;
    p->far[0] = antipodes ? 0 : sin(r);
    p->far[m] = antipodes ? -1 : cos(r);
    p->at_far[0] = p->far[m];
    p->at_far[m] = -p->far[0];
    p->at_base[0] = -1;
}

static void place_hyperbolic(size_t m, double r, couple *p)
{
    (void)m;
    p->base[0] = 1;
    p->far[0] = p->at_far[1] = cosh(r);
    p->far[1] = p->at_far[0] = sinh(r);
    p->at_base[1] = -1;
}

static void place_so3(size_t m, double r, couple *p)
{
    (void)m;
    bool half_turn = r == M_PI;
    double c = half_turn ? -1 : cos(r), s = half_turn ? 0 : sin(r);
    memcpy(p->base, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof(double));
    memcpy(p->far, (double[]){c, -s, 0, s, c, 0, 0, 0, 1}, 9 * sizeof(double));
    memcpy(p->at_far, (double[]){-s, -c, 0, c, -s, 0, 0, 0, 0}, 9 * sizeof(double));
    memcpy(p->at_base, (double[]){0, 1, 0, -1, 0, 0, 0, 0, 0}, 9 * sizeof(double));
}

typedef struct radial_table {
    const char *name, *family;
    void (*place)(size_t m, double r, couple *p);
} radial_table;

static const radial_table radial_tables[] = {
    {"euclid", "euclidean", place_flat},
    {"sphere", "sphere", place_sphere},
    {"sphere", "circle", place_flat}, /* rows m = 1 */
    {"hyperbolic", "hyperbolic", place_hyperbolic},
    {"so3", "so3", place_so3},
};

START_TEST(radial)
{
    const radial_table *which = &radial_tables[_i];
    bool circle = strcmp(which->family, "circle") == 0;
    /* With y the far point, and with y the base. */
    record worst[] = {{.name = which->family}, {.name = which->family}};
    mst_manifold *m = NULL;
    char spec[40] = "";
    for (table rows = table_open(which->name); table_next(&rows);) {
        size_t order = (size_t)number(&rows, 1);
        double r = number(&rows, 2), t = number(&rows, 3), dr = number(&rows, 5);
        if (circle && order != 1)
            continue;
        char next[40];
        snprintf(next, sizeof next, circle || which->place == place_so3 ? "%s" : "%s:%zu",
                 which->family, order);
        if (strcmp(next, spec) != 0) {
            mst_manifold_free(m);
            memcpy(spec, next, sizeof spec);
            ASSERT_OK(mst_manifold_parse(&m, spec));
        }
        couple p = {0};
        which->place(order, r, &p);
        for (int swap = 0; swap < 2; swap++) {
            expected want = {.log_p = number(&rows, 4), .dt = number(&rows, 6)};
            if (which->place == place_hyperbolic && swap == 0)
                want.spread = p.far[0];
            const double *away = swap ? p.at_base : p.at_far;
            for (size_t a = 0; a < MOST; a++)
                want.score[a] = dr * away[a];
            compare(m, swap ? p.far : p.base, swap ? p.base : p.far, t, &want, rows.row,
                    &worst[swap]);
        }
    }
    mst_manifold_free(m);
    report(&worst[0]);
    report(&worst[1]);
}
END_TEST

/* space, m, delta, t, logp, score, dt_logp */
START_TEST(torus)
{
    record worst = {.name = "torus"};
    for (table rows = table_open("torus"); table_next(&rows);) {
        mst_manifold *m;
        expected want = {.log_p = number(&rows, 4), .dt = number(&rows, 6)};
        double zero[MOST] = {0}, delta[MOST];
        size_t order = numbers(rows.cell[2], delta);
        ck_assert_uint_eq(numbers(rows.cell[5], want.score), order);
        ASSERT_OK(mst_torus_new(&m, order));
        compare(m, zero, delta, number(&rows, 3), &want, rows.row, &worst);
        for (size_t k = 0; k < order; k++)
            want.score[k] = -want.score[k];
        compare(m, delta, zero, number(&rows, 3), &want, rows.row, &worst);
        mst_manifold_free(m);
    }
    report(&worst);
}
END_TEST

/* space, l1, l2, t, distance, logp, dsigma_logp, ddq_logp, dt_logp: P = I and Q = diag(e^l1, e^l2), where the
 * unit vectors of σ and d_Q are Q/√2 and Q diag(±1, ∓1)/√2. */
START_TEST(spd2)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, 2));
    record worst = {.name = "spd2"};
    for (table rows = table_open("spd2"); table_next(&rows);) {
        double l[2] = {number(&rows, 1), number(&rows, 2)}, t = number(&rows, 3);
        double sigma = M_SQRT1_2 * number(&rows, 6), q = M_SQRT1_2 * number(&rows, 7);
        q = l[0] < l[1] ? -q : q;
        expected want = {.log_p = number(&rows, 5), .dt = number(&rows, 8)};
        double one[] = {1, 0, 0, 1}, far[] = {exp(l[0]), 0, 0, exp(l[1])};
        for (int swap = 0; swap < 2; swap++) {
            want.score[0] = swap ? -(sigma + q) : far[0] * (sigma + q);
            want.score[3] = swap ? -(sigma - q) : far[3] * (sigma - q);
            compare(m, swap ? far : one, swap ? one : far, t, &want, rows.row, &worst);
        }
    }
    mst_manifold_free(m);
    report(&worst);
}
END_TEST

/* p11, p12, p22, q11, q12, q22, t, distance, logp, g11, g12, g22, dt_logp */
START_TEST(spd2_pairs)
{
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, 2));
    record worst = {.name = "spd2_pairs"};
    for (table rows = table_open("spd2_pairs"); table_next(&rows);) {
        double c[13];
        for (size_t k = 0; k < 13; k++)
            c[k] = number(&rows, k);
        double p[] = {c[0], c[1], c[1], c[2]}, q[] = {c[3], c[4], c[4], c[5]};
        expected want = {.log_p = c[8], .dt = c[12], .score = {c[9], c[10], c[10], c[11]}};
        compare(m, p, q, c[6], &want, rows.row, &worst);
    }
    mst_manifold_free(m);
    report(&worst);
}
END_TEST

int main(void)
{
    return RUN_SUITE("kernel reference", 60, {radial, sizeof radial_tables / sizeof *radial_tables},
                     {torus, 0}, {spd2, 0}, {spd2_pairs, 0});
}
