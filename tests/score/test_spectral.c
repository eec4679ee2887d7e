/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sums over eigenfunctions as a source: against closed forms, tables and identities, and
 * what they decline. */
#include "support/pde_support.h"

#include <stdio.h>

#define SHIPPED MST_TEST_DATA "/../../examples/manifolds/"

static const char sphere[] = "coordinates x y z\nconstraint = (x - 0.3)^2 + y^2 + z^2 - 1\n"
                             "compact = yes\nstart = 1.3, 0, 0\n";
/* Without any symmetry. */
static const char egg[] =
    "coordinates x y z\nconstraint = x^2 + 1.3*y^2 + 1.6*z^2 + 0.2*x*y*z + 0.15*x^3 + 0.1*y*z - 1\n"
    "compact = yes\nstart = 0.9363970877872351, 0, 0\n";
/* Flat, with periods that are not at right angles. */
static const char oblique[] = "coordinates u v\nperiod u 2\nperiod v 1\nmetric = 1; 0.3, 2\n"
                              "compact = yes\nstart = 0, 0\n";

/* Pairs of neighbours up to a distance, from a walk that visits all of the surface. */
static void walk_pairs(const mst_manifold *m, dice *die, double reach, double low, double high,
                       double *x, double *y, double *t)
{
    size_t D = mst_manifold_ambient(m);
    for (size_t i = 0; i < ROWS; i++) {
        if (i == 0)
            mst_manifold_start(m, x);
        else
            random_neighbour(m, die, x + (i - 1) * D, 0.7, x + i * D);
        random_neighbour(m, die, x + i * D, dice_uniform(die, 0, reach), y + i * D);
        t[i] = dice_uniform(die, low, high);
    }
}

START_TEST(sphere_has_its_closed_form)
{
    mst_manifold *m = from_text(sphere), *closed = open_manifold("sphere:2");
    mst_score *s = open_pde(m, "spectral"), *exact = open_pde(closed, "exact");
    dice die = {4};
    double x[3 * ROWS], y[3 * ROWS], t[ROWS], a[3 * ROWS], b[3 * ROWS];
    static answers mine, theirs;
    walk_pairs(m, &die, 3, 0.2, 3, x, y, t);
    for (size_t k = 0; k < 3 * ROWS; k++) {
        a[k] = x[k] - (k % 3 == 0 ? 0.3 : 0);
        b[k] = y[k] - (k % 3 == 0 ? 0.3 : 0);
    }
    ask(s, x, y, t, &mine);
    ask(exact, a, b, t, &theirs);
    for (size_t i = 0; i < ROWS; i++) {
        double trace = mine.hessian[i][0] + mine.hessian[i][3];
        ck_assert_double_lt(mine.v[i], MST_VALIDITY_LIMIT);
        ck_assert_double_lt(fabs(mine.log_p[i] - theirs.log_p[i]), 1e-6);
        ck_assert_double_lt(t[i] * fabs(mine.dt[i] - theirs.dt[i]), 1e-5);
        for (size_t k = 0; k < 3; k++)
            ck_assert_double_lt(sqrt(t[i]) * fabs(mine.score[i][k] - theirs.score[i][k]), 1e-5);
        /* Frames are not those of the closed form; the trace needs none. */
        ck_assert_double_lt(t[i] * fabs(trace - theirs.hessian[i][0] - theirs.hessian[i][3]), 1e-4);
    }
    mst_score_free(s);
    mst_score_free(exact);
    mst_manifold_free(m);
    mst_manifold_free(closed);
}
END_TEST

/* Sum over images. */
static double oblique_log_p(const double *x, const double *y, double t)
{
    double sum = 0;
    for (int i = -8; i <= 8; i++)
        for (int j = -14; j <= 14; j++) {
            double u = y[0] - x[0] + 2 * i, v = y[1] - x[1] + j;
            sum += exp(-(u * u + 0.6 * u * v + 2 * v * v) / (2 * t));
        }
    return log(sum / (2 * M_PI * t));
}

START_TEST(flat_torus_is_the_sum_over_images)
{
    mst_manifold *m = from_text(oblique);
    mst_score *s = open_pde(m, "spectral");
    dice die = {8};
    double x[2 * ROWS], y[2 * ROWS], t[ROWS];
    static answers a;
    flat_pairs(&die, 6, 0.02, 0.6, x, y, t);
    ask(s, x, y, t, &a);
    for (size_t i = 0; i < ROWS; i++) {
        ck_assert_double_lt(a.v[i], MST_VALIDITY_LIMIT);
        ck_assert_double_lt(fabs(a.log_p[i] - oblique_log_p(x + 2 * i, y + 2 * i, t[i])), 1e-8);
        for (size_t k = 0; k < 2; k++) { /* g s = d log p */
            const double g[2][2] = {{1, 0.3}, {0.3, 2}}, h = 1e-5;
            double up[2] = {y[2 * i], y[2 * i + 1]}, down[2] = {up[0], up[1]};
            up[k] += h, down[k] -= h;
            double slope =
                (oblique_log_p(x + 2 * i, up, t[i]) - oblique_log_p(x + 2 * i, down, t[i])) /
                (2 * h);
            ck_assert_double_lt(
                fabs(g[k][0] * packed(&a, i)[0] + g[k][1] * packed(&a, i)[1] - slope), 1e-5);
        }
    }
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

/* Rows of the table: number of the surface, ux, vx, uy, vy, t, log p, score along unit vectors, dt. */
typedef struct known {
    double x[3], y[3], unit[2][3];
} known;

static known place(size_t kind, const double *row)
{
    known k = {.x = {0}};
    for (int end = 0; end < 2; end++) {
        double u = row[1 + 2 * end], v = row[2 + 2 * end], *to = end == 0 ? k.x : k.y;
        double bump = kind == 2 ? 1 + 0.15 * cos(3 * v) : 1,
               slope = kind == 2 ? -0.45 * sin(3 * v) : 0;
        double flat = kind == 1 ? 0.6 : 1, rho = slope * sin(v) + bump * cos(v);
        double z = flat * (slope * cos(v) - bump * sin(v)), size = hypot(rho, z);
        if (kind == 0) {
            to[0] = u, to[1] = v;
            memcpy(k.unit, (double[2][3]){{1 / (1 + 0.5 * cos(v))}, {0, 2}}, sizeof k.unit);
            continue;
        }
        memcpy(to, (double[]){bump * sin(v) * cos(u), bump * sin(v) * sin(u), flat * bump * cos(v)},
               sizeof k.x);
        memcpy(
            k.unit,
            (double[2][3]){{-sin(u), cos(u)}, {rho * cos(u) / size, rho * sin(u) / size, z / size}},
            sizeof k.unit);
    }
    return k;
}

START_TEST(rows_of_the_tables_are_right)
{
    static const char *const names[] = {SHIPPED "torus.manifold", SHIPPED "ellipsoid.manifold",
                                        SHIPPED "bumpy.manifold"};
    mst_manifold *m = open_manifold(names[_i]);
    mst_score *s = open_pde(m, "spectral");
    size_t rows = 0, accepted = 0;
    char line[400];
    FILE *f = fopen(MST_TEST_DATA "/reference/surface_kernels.csv", "r");
    ck_assert(f != NULL && fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        double row[10], log_p, dt, score[3], h[4], c[2], v;
        char *at = line;
        for (int k = 0; k < 10; k++, at++)
            row[k] = strtod(at, &at);
        if (row[0] != _i || row[5] < 0.1)
            continue;
        known here = place((size_t)_i, row);
        const mst_pairs pair = mst_pairs_rows(m, 1, here.x, here.y, &row[5]);
        const mst_heat_values out = {
            .log_p = &log_p, .dt_log_p = &dt, .score = score, .hessian = h};
        ASSERT_OK(mst_score_validity(s, &pair, &out, &v));
        rows++;
        if (!(v < MST_VALIDITY_LIMIT))
            continue;
        accepted++;
        for (int k = 0; k < 2; k++)
            ASSERT_OK(mst_manifold_inner(m, 1, here.y, score, here.unit[k], &c[k]));
        double size = fmax(hypot(row[7], row[8]), 0.02 / sqrt(row[5]));
        ck_assert_double_lt(hypot(c[0] - row[7], c[1] - row[8]) / size, 0.005);
        ck_assert_double_lt(fabs(log_p - row[6]), 0.005);
        ck_assert_double_lt(row[5] * fabs(dt - row[9]), 0.03);
        /* The heat equation. */
        double side = 0.5 * (h[0] + h[3] + c[0] * c[0] + c[1] * c[1]);
        ck_assert_double_lt(row[5] * fabs(dt - side), 0.05);
    }
    fclose(f);
    ck_assert_uint_gt(rows, 100);
    ck_assert_msg(10 * accepted >= 9 * rows, "%zu of %zu accepted", accepted, rows);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

/* On a surface that nobody has solved: the heat equation, whose two sides come from eigenvalues and from
 * second derivatives; p(x, y) = p(y, x); the score and the Hessian are derivatives of log p along geodesics;
 * and the expansion says the same where both may speak. */
START_TEST(identities_hold_on_an_egg)
{
    mst_manifold *m = from_text(egg);
    mst_score *s = open_pde(m, "spectral?functions=400"), *expansion = open_pde(m, "expansion");
    dice die = {6};
    double x[3 * ROWS], y[3 * ROWS], t[ROWS];
    static answers a, back, other, ahead, behind;
    size_t common = 0;
    walk_pairs(m, &die, 0.9, 0.2, 1, x, y, t);
    ask(s, x, y, t, &a);
    ask(s, y, x, t, &back);
    ask(expansion, x, y, t, &other);
    double up[3 * ROWS], down[3 * ROWS], v[3], w[3], c[ROWS][2], h = 1e-4;
    for (size_t i = 0; i < ROWS; i++) {
        double turn = dice_uniform(&die, 0, 6);
        c[i][0] = cos(turn), c[i][1] = sin(turn);
        double step[2] = {h * c[i][0], h * c[i][1]}, away[2] = {-step[0], -step[1]};
        ASSERT_OK(mst_manifold_from_frame(m, 1, y + 3 * i, step, v));
        ASSERT_OK(mst_manifold_from_frame(m, 1, y + 3 * i, away, w));
        ASSERT_OK(mst_manifold_exp(m, 1, y + 3 * i, v, up + 3 * i));
        ASSERT_OK(mst_manifold_exp(m, 1, y + 3 * i, w, down + 3 * i));
    }
    ask(s, x, up, t, &ahead);
    ask(s, x, down, t, &behind);
    for (size_t i = 0; i < ROWS; i++) {
        const double *q = a.hessian[i], *e = c[i];
        double square, r[2];
        ck_assert_double_lt(a.v[i], MST_VALIDITY_LIMIT);
        ASSERT_OK(mst_manifold_inner(m, 1, y + 3 * i, a.score[i], a.score[i], &square));
        ASSERT_OK(mst_manifold_to_frame(m, 1, y + 3 * i, a.score[i], r));
        ck_assert_double_lt(fabs(a.log_p[i] - back.log_p[i]), 1e-9);
        ck_assert_double_eq_tol(a.dt[i], 0.5 * (q[0] + q[3] + square), 0.02 * (1 + fabs(a.dt[i])));
        double slope = (ahead.log_p[i] - behind.log_p[i]) / (2 * h);
        double bend = (ahead.log_p[i] - 2 * a.log_p[i] + behind.log_p[i]) / (h * h);
        ck_assert_double_eq_tol(slope, r[0] * e[0] + r[1] * e[1], 1e-5);
        ck_assert_double_eq_tol(
            bend, q[0] * e[0] * e[0] + (q[1] + q[2]) * e[0] * e[1] + q[3] * e[1] * e[1], 1e-4);
        if (other.v[i] < MST_VALIDITY_LIMIT) {
            common++;
            /* The expansion promises as much of rows that it accepts. */
            double gap[3], apart;
            for (size_t k = 0; k < 3; k++)
                gap[k] = a.score[i][k] - other.score[i][k];
            ASSERT_OK(mst_manifold_norm(m, 1, y + 3 * i, gap, &apart));
            ck_assert_double_lt(apart, 0.05 * fmax(sqrt(square), 0.02 / sqrt(t[i])));
        }
    }
    ck_assert_uint_gt(common, 2);
    mst_score_free(s);
    mst_score_free(expansion);
    mst_manifold_free(m);
}
END_TEST

START_TEST(short_times_have_no_answer)
{
    mst_manifold *m = open_manifold(SHIPPED "ellipsoid.manifold");
    mst_score *s = open_pde(m, "spectral?functions=100");
    double x[3] = {1, 0, 0}, y[3] = {0, 0, 0.6}, t = 1e-3, v, log_p, score[3];
    mst_pairs pair = mst_pairs_rows(m, 1, x, y, &t);
    const mst_heat_values out = {.log_p = &log_p, .score = score};
    ASSERT_OK(mst_score_validity(s, &pair, &out, &v));
    ck_assert(v >= MST_VALIDITY_LIMIT && isfinite(log_p) && score[0] > 0);
    /* What estimators get instead is about right, so that they find their way. */
    double near[3], truth;
    mst_score *expansion = open_pde(m, "expansion");
    random_neighbour(m, &(dice){2}, x, 0.04, near);
    pair.y = near;
    ASSERT_OK(mst_score_validity(s, &pair, &out, &v));
    ASSERT_OK(mst_score_evaluate(expansion, &pair, &(mst_heat_values){.log_p = &truth}));
    ck_assert(v >= MST_VALIDITY_LIMIT);
    ck_assert_double_eq_tol(log_p, truth, 0.02);
    mst_score_free(expansion);
    pair.y = y;
    t = 1e49; /* nothing is left but the area */
    ASSERT_OK(mst_score_validity(s, &pair, &out, &v));
    ck_assert(v < MST_VALIDITY_LIMIT && fabs(score[0]) < 1e-9);
    ck_assert_double_eq_tol(exp(-log_p), 9.3894383728, 1e-6);
    t = 0;
    ck_assert_int_eq(mst_score_validity(s, &pair, &out, &v), MST_ARGUMENT);
    t = 1, y[2] = NAN;
    ck_assert_int_eq(mst_score_validity(s, &pair, &out, &v), MST_DOMAIN);
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

START_TEST(other_manifolds_are_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {flat_plane, "has no period"},
        {"coordinates x y z\nconstraint = (sqrt(x^2 + y^2) - 1)^2 + z^2 - 0.2\ncompact = yes\n"
         "start = 1, 0, 0.447213595499958\n",
         "meets once"}, /* a ring */
        {"coordinates x y z\nconstraint = x^2 + y^2 - 1\nstart = 1, 0, 0\n", "compact = yes"},
        {"coordinates x y z\nconstraint = x^2 + y^2 - 1\ncompact = yes\nstart = 1, 0, 0\n",
         "has no end"}, /* whatever the file says */
        {"coordinates x y\nconstraint = x^2 + y^2 - 1\nstart = 1, 0\n", "closed surfaces"},
        {"coordinates x y z w\nconstraint = x^2 + y^2 - 1, z^2 + w^2 - 1\nstart = 1, "
         "0, 1, 0\n",
         "three coordinates"},
        {"coordinates u v\nperiod u 1\nperiod v 1\nmetric = diag(1, sin(2*pi*v)^2)\nstart = 0.1, "
         "0.2\n",
         "no metric at"},
    };
    mst_score *s;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_manifold *m = from_text(cases[k].text);
        ck_assert_int_eq(mst_score_open(&s, "spectral", m), MST_UNABLE);
        ck_assert_msg(strstr(mst_error_detail(), cases[k].says) != NULL, "%s", mst_error_detail());
        mst_manifold_free(m);
    }
    mst_manifold *m = from_text(sphere);
    ck_assert_int_eq(mst_score_spectral_new(&s, m, 99), MST_ARGUMENT);
    ck_assert_int_eq(mst_score_open(&s, "spectral?functions=4001", m), MST_ARGUMENT);
    ck_assert_int_eq(mst_score_open(&s, "spectral?degree=3", m), MST_ARGUMENT);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("spectral", 60, {sphere_has_its_closed_form, 0},
                     {flat_torus_is_the_sum_over_images, 0}, {rows_of_the_tables_are_right, 3},
                     {identities_hold_on_an_egg, 0}, {short_times_have_no_answer, 0},
                     {other_manifolds_are_refused, 0});
}
