/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion in more than two dimensions by the engine of geodesics: against closed forms, against tables
 * of surfaces with a line beside them, and against its own differences. */
#include "manifold/formula_metric.h"
#include "support/score_support.h"

#include <manistat/score.h>
#include <stdio.h>

static mst_manifold *from_text(const char *text)
{
    mst_manifold *m;
    ASSERT_OK(mst_formula_manifold_new(&m, "text", "text", text, strlen(text), 0, NULL));
    return m;
}

/* ---- Closed forms ---- */

static const struct {
    const char *text, *model; /* and the manifold that it is */
    double reach, limit;      /* of pairs; of the errors of scores at t = 0.3 */
} known[] = {
    {"coordinates x[4]\nconstraint = sum(i, 1, 4, x[i]^2) - 1\ncompact = yes\nstart = 1, 0, 0, 0\n",
     "sphere:3", 1.6, 1e-4},
    {"coordinates x[6]\nconstraint = sum(i, 1, 6, x[i]^2) - 1\ncompact = yes\n"
     "start = 1, 0, 0, 0, 0, 0\n",
     "sphere:5", 1.6, 2e-2},
    {"coordinates a b c\nmetric = 4/(1 + a^2 + b^2 + c^2)^2\nstart = 0\n", "sphere:3", 1.6, 1e-4},
    {"coordinates a b c\ncometric = c^2\ndomain c > 0\nhadamard = yes\nstart = 0, 0, 1\n",
     "hyperbolic:3", 3, 1e-4},
    {"coordinates u v w\nembedding = cos(u), sin(u), v, w\nstart = 0\n", "euclidean:3", 1, 1e-6},
};
enum { KNOWN = sizeof known / sizeof *known };

START_TEST(constant_curvature_is_right)
{
    mst_manifold *m = from_text(known[_i].text), *model = open_manifold(known[_i].model);
    mst_score *s;
    ASSERT_OK(mst_score_expansion_new(&s, m));
    dice die = {5 + (uint64_t)_i};
    for (int k = 0; k < 12; k++) {
        double x[6], y[6], o[6], p[6], v[6], score[6], one, dt, want, want_dt, want_score[6];
        double validity, t = dice_uniform(&die, 0.02, 0.3), share = t * t / 0.09;
        double r = k < 2 ? pow(10, -3 * k) * 1e-2 : dice_uniform(&die, 0.05, known[_i].reach);
        random_place(m, &die, x);
        random_neighbour(m, &die, x, r, y);
        mst_pairs pair = mst_pairs_rows(m, 1, x, y, &t);
        ASSERT_OK(mst_score_validity(
            s, &pair, &(mst_heat_values){.log_p = &one, .dt_log_p = &dt, .score = score},
            &validity));
        mst_manifold_start(model, o);
        random_vector(model, &die, o, r, v);
        ASSERT_OK(mst_manifold_exp(model, 1, o, v, p));
        ASSERT_OK(mst_heat_kernel(
            model, 1, o, p, t, 1,
            &(mst_heat_values){.log_p = &want, .dt_log_p = &want_dt, .score = want_score}));
        double size = length_of(m, y, score), true_size = length_of(model, p, want_score);
        const char *name = known[_i].model;
        assert_near(one, want, known[_i].limit * share + 1e-4 * t + 1e-7,
                    "%s: log p at r = %g, t = %g", name, r, t);
        assert_near(dt, want_dt, (2 * known[_i].limit * share + 1e-4) / t,
                    "%s: time at r = %g, t = %g", name, r, t);
        /* Differences have errors of 1e-5. */
        assert_near(size, true_size, known[_i].limit * share * true_size + 2e-5,
                    "%s: score at r = %g, t = %g", name, r, t);
        ck_assert_msg(validity < MST_VALIDITY_LIMIT || known[_i].limit > 1e-3,
                      "%s: V = %g at r = %g, t = %g", name, validity, r, t);
    }
    mst_score_free(s);
    mst_manifold_free(model);
    mst_manifold_free(m);
}
END_TEST

/* ---- A line beside surfaces whose kernels were computed in another way ---- */

enum { TORUS, ELLIPSOID, BUMPY };
static const char *const beside_line[] = {
    [TORUS] = "coordinates u v w\nperiod u 2*pi\nperiod v 2*pi\n"
              "embedding = (1 + 0.5*cos(v))*cos(u), (1 + 0.5*cos(v))*sin(u), 0.5*sin(v), w\n"
              "start = 0\n",
    [ELLIPSOID] = "coordinates x y z w\nconstraint = x^2 + y^2 + (z/0.6)^2 - 1\n"
                  "start = 1, 0, 0, 0\n",
    [BUMPY] = "coordinates x y z w\nlet r = sqrt(x^2 + y^2 + z^2)\nlet c = z/r\n"
              "constraint = r - 1 - 0.15*(4*c^3 - 3*c)\nstart = 1, 0, 0, 0\n",
};

/* Coordinates u, v of a surface of revolution as a row, and the unit vectors along both. */
static void place(int kind, const double *uv, double *x, double e[2][4])
{
    double u = uv[0], v = uv[1], s = kind == BUMPY ? 1 + 0.15 * cos(3 * v) : 1;
    double s_v = kind == BUMPY ? -0.45 * sin(3 * v) : 0, c = kind == BUMPY ? 1 : 0.6;
    double rho_v = s_v * sin(v) + s * cos(v), z_v = c * (s_v * cos(v) - s * sin(v));
    double size = hypot(rho_v, z_v);
    memset(e, 0, 8 * sizeof(double));
    if (kind == TORUS) {
        memcpy(x, uv, 2 * sizeof *x);
        e[0][0] = 1 / (1 + 0.5 * cos(v));
        e[1][1] = 2;
        return;
    }
    memcpy(x, (double[]){s * sin(v) * cos(u), s * sin(v) * sin(u), c * s * cos(v)}, 3 * sizeof *x);
    memcpy(e[0], (double[]){-sin(u), cos(u)}, 2 * sizeof *x);
    memcpy(e[1], (double[]){rho_v * cos(u) / size, rho_v * sin(u) / size, z_v / size},
           3 * sizeof *x);
}

typedef struct tally {
    size_t rows, accepted, wrong, good, good_accepted;
    double error[1000];
} tally;

/* One row of the table: surface, u and v of x and y, t, log p, score, ∂ₜ; the end is w along the line. */
static void judge(mst_manifold *const *m, mst_score *const *s, const double *row, double w,
                  tally *a)
{
    int kind = (int)row[0];
    double x[4] = {0}, y[4] = {0}, e[2][4], score[4], c[2], validity, t = row[5], line[4] = {0}, up;
    size_t last = kind == TORUS ? 2 : 3;
    place(kind, row + 1, x, e);
    place(kind, row + 3, y, e);
    y[last] = w;
    line[last] = 1;
    mst_pairs pair = mst_pairs_rows(m[kind], 1, x, y, &t);
    ASSERT_OK(mst_score_validity(s[kind], &pair, &(mst_heat_values){.score = score}, &validity));
    for (int k = 0; k < 2; k++)
        ASSERT_OK(mst_manifold_inner(m[kind], 1, y, score, e[k], &c[k]));
    ASSERT_OK(mst_manifold_inner(m[kind], 1, y, score, line, &up));
    double off = hypot(hypot(c[0] - row[7], c[1] - row[8]), up + w / t);
    double error = off / hypot(hypot(row[7], row[8]), w / t);
    a->rows++;
    a->good += error <= 0.05;
    if (!(validity < MST_VALIDITY_LIMIT))
        return;
    a->error[a->accepted++] = error;
    a->wrong += error > 0.05;
    a->good_accepted += error <= 0.05;
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

START_TEST(accepted_rows_beside_a_line_are_right)
{
    char line[400];
    mst_manifold *m[3];
    mst_score *s[3];
    dice die = {41};
    tally *a = calloc(1, sizeof *a);
    for (size_t k = 0; k < 3; k++) {
        m[k] = from_text(beside_line[k]);
        ASSERT_OK(mst_score_expansion_new(&s[k], m[k]));
    }
    FILE *f = fopen(MST_TEST_DATA "/reference/surface_kernels.csv", "r");
    ck_assert(f != NULL && a != NULL && fgets(line, sizeof line, f) != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        double row[10];
        char *at = line;
        for (int k = 0; k < 10; k++, at++)
            row[k] = strtod(at, &at);
        double w = a->rows % 2 == 0 ? 0 : sqrt(row[5]) * dice_normal(&die);
        judge(m, s, row, w, a);
    }
    fclose(f);
    qsort(a->error, a->accepted, sizeof *a->error, rising);
    ck_assert_uint_eq(a->rows, 588);
    ck_assert_msg(a->error[a->accepted / 2] <= 0.005, "median error %g", a->error[a->accepted / 2]);
    ck_assert_msg((double)a->wrong <= 0.02 * (double)a->accepted, "%zu of %zu are wrong, up to %g",
                  a->wrong, a->accepted, a->error[a->accepted - 1]);
    ck_assert_msg((double)a->good_accepted >= 0.6 * (double)a->good,
                  "%zu of %zu good ones accepted", a->good_accepted, a->good);
    for (size_t k = 0; k < 3; k++) {
        mst_score_free(s[k]);
        mst_manifold_free(m[k]);
    }
    free(a);
}
END_TEST

/* ---- Derivatives, and corners ---- */

static double log_p_at(const mst_score *s, const double *x, const double *y, double t)
{
    double value;
    ASSERT_OK(mst_score_evaluate_rows(s, 1, x, y, &t, &(mst_heat_values){.log_p = &value}));
    return value;
}

START_TEST(derivatives_belong_together)
{
    mst_manifold *m = from_text(beside_line[_i]);
    mst_score *s;
    ASSERT_OK(mst_score_open(&s, "expansion", m));
    dice die = {7 + (uint64_t)_i};
    const double h = 0.01;
    for (int k = 0; k < 4; k++) {
        double x[4], y[4], v[4], there[4], score[4], hessian[9], c[3], f[2], slope, dt, bend = 0;
        double t = dice_uniform(&die, 0.05, 0.2), g = 1e-3 * t, here;
        random_place(m, &die, x);
        random_neighbour(m, &die, x, dice_uniform(&die, 0.1, 0.8), y);
        random_vector(m, &die, y, 1, v);
        for (int e = 0; e < 2; e++) {
            move(m, y, e == 0 ? h : -h, v, there);
            f[e] = log_p_at(s, x, there, t);
        }
        here = log_p_at(s, x, y, t);
        ASSERT_OK(mst_score_evaluate_rows(
            s, 1, x, y, &t,
            &(mst_heat_values){.dt_log_p = &dt, .score = score, .hessian = hessian}));
        ASSERT_OK(mst_manifold_inner(m, 1, y, score, v, &slope));
        assert_near(slope, (f[0] - f[1]) / (2 * h), 0.01 / sqrt(t), "%d, pair %d: score", _i, k);
        ASSERT_OK(mst_manifold_to_frame(m, 1, y, v, c));
        for (int e = 0; e < 9; e++)
            bend += hessian[e] * c[e / 3] * c[e % 3];
        /* That of a₁ is left out. */
        assert_near(bend, (f[0] - 2 * here + f[1]) / (h * h), 0.1 / t, "%d, pair %d: Hessian", _i,
                    k);
        double change = (log_p_at(s, x, y, t + g) - log_p_at(s, x, y, t - g)) / (2 * g);
        assert_near(dt, change, 1e-3 / t, "%d, pair %d: time", _i, k);
    }
    mst_score_free(s);
    mst_manifold_free(m);
}
END_TEST

/* Opposite points and long times; and a manifold that the engine cannot help with. */
START_TEST(corners_are_declined)
{
    mst_manifold *m = from_text(known[0].text);
    mst_score *s;
    ASSERT_OK(mst_score_expansion_new(&s, m));
    const double x[] = {1, 0, 0, 0}, far[2][4] = {{-1, 0, 0, 0}, {-cos(1e-3), sin(1e-3), 0, 0}};
    double log_p, score[4], validity;
    for (double t = 1e-3; t < 20; t *= 4)
        for (int k = 0; k < 2; k++) {
            mst_pairs pair = mst_pairs_rows(m, 1, x, far[k], &t);
            ASSERT_OK(mst_score_validity(
                s, &pair, &(mst_heat_values){.log_p = &log_p, .score = score}, &validity));
            ck_assert_msg(validity >= MST_VALIDITY_LIMIT, "V = %g at t = %g", validity, t);
            ck_assert(isfinite(log_p) && all_finite(4, score));
        }
    mst_score_free(s);
    mst_manifold_free(m);
    m = from_text("coordinates x[13]\nmetric = 1 + sum(i, 1, 13, x[i]^2)\nstart = 0\n");
    ck_assert_int_eq(mst_score_expansion_new(&s, m), MST_UNABLE);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("expansion_search", 60, {constant_curvature_is_right, KNOWN},
                     {accepted_rows_beside_a_line_are_right, 0}, {derivatives_belong_together, 3},
                     {corners_are_declined, 0});
}
