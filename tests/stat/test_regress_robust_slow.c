/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Regressions on rows that are not what the model takes them for: clusters with covariates that do not vary
 * in them, rows that are not spread alike, few rows. How often a column that does nothing is called
 * something, and how often bands, regions and intervals hold what they should. */
#include "stat/regress_support.h"
#include "support/rates.h"

#include <stdio.h>

enum { MOST = 400, COLUMNS = 6 };

typedef enum asked { TEST, BAND, NEW_POINT, NOISE, SPEED, EQUAL } asked;
typedef enum design { BY_CLUSTER, WITHIN, NORMAL, SMALL_LEVEL, UNIFORM } design;
/* The standard deviation of a row: alike, three times as large in the small level, growing with |x|, or
 * log-linear. */
typedef enum scatter { ALIKE, BY_LEVEL, BY_SIZE, BY_EXP } scatter;

typedef struct law {
    asked asked;
    const char *spec, *name;
    bool distances;                    /* least squares */
    size_t clusters, rows, first_rows; /* rows of a cluster, and of the first one if it is larger */
    design design;
    double shared; /* standard deviation of clusters; that of rows is 0.1 */
    scatter scatter;
    mst_covariance_kind covariance;
    size_t columns;
    bool loglinear, follows_model;
} law;

/* Sizes of clusters 1, 2, … in turn where `rows` is 0. */
static size_t rows_of(const law *l, size_t cluster)
{
    if (cluster == 0 && l->first_rows > 0)
        return l->first_rows;
    return l->rows > 0 ? l->rows : 1 + cluster % 12;
}

typedef struct sample {
    size_t n, clusters[MOST];
    double x[COLUMNS * MOST], y[10 * MOST];
} sample;

/* y is at Exp_f(b + e), f = Exp_o(Σ x v). */
static void place(const setting *s, const double *start, const double *velocity, double along,
                  const double *local, double *y)
{
    double u[10], f[10], v[10];
    for (size_t a = 0; a < s->D; a++)
        u[a] = along * velocity[a];
    ASSERT_OK(mst_manifold_exp(s->m, 1, start, u, f));
    ASSERT_OK(mst_manifold_from_frame(s->m, 1, f, local, v));
    ASSERT_OK(mst_manifold_exp(s->m, 1, f, v, y));
}

static double covariate(const law *l, size_t i, size_t cluster, size_t c, const double *by_cluster,
                        dice *rng)
{
    switch (l->design) {
    case BY_CLUSTER:
        return by_cluster[COLUMNS * cluster + c];
    case SMALL_LEVEL:
        return i < 3;
    case UNIFORM:
        return c == 0 ? dice_uniform(rng, -1, 1) : dice_normal(rng);
    default:
        return dice_normal(rng);
    }
}

static void draw_rows(const law *l, const setting *s, const double *start, const double *velocity,
                      dice *rng, sample *to)
{
    double by_cluster[COLUMNS * MOST], local[9], shared[9] = {0};
    to->n = 0;
    for (size_t k = 0; k < COLUMNS * MOST; k++)
        by_cluster[k] = dice_normal(rng);
    for (size_t g = 0; g < l->clusters; g++) {
        for (size_t a = 0; a < s->d; a++)
            shared[a] = l->shared * dice_normal(rng);
        for (size_t r = 0; r < rows_of(l, g); r++) {
            size_t i = to->n++;
            double *x = to->x + i * l->columns, sd = 0.1;
            for (size_t c = 0; c < l->columns; c++)
                x[c] = covariate(l, i, g, c, by_cluster, rng);
            if (l->scatter == BY_LEVEL)
                sd *= x[0] > 0.5 ? 3 : 1;
            if (l->scatter == BY_SIZE)
                sd *= 0.3 + fabs(x[0]);
            if (l->scatter == BY_EXP)
                sd *= exp(0.8 * x[0]);
            for (size_t a = 0; a < s->d; a++)
                local[a] = shared[a] + sd * dice_normal(rng);
            to->clusters[i] = g;
            place(s, start, velocity, x[0], local, to->y + i * s->D);
        }
    }
}

/* The band at x = 1, a new point there from a new cluster, the noise, or the first velocity. */
static outcome judge(const law *l, const setting *s, const mst_score *source, const double *start,
                     const double *velocity, dice *rng, const mst_regress_result *r)
{
    outcome o = {.answered = true};
    double at[COLUMNS] = {1}, local[9] = {0}, y[10], point[10], reach, distance;
    if (l->asked == TEST) {
        o.answered = !isnan(r->p_values[0]);
        o.hit = r->p_values[0] < 0.05;
    } else if (l->asked == EQUAL) {
        o.answered = !isnan(r->equal_noise.p_value);
        o.hit = r->equal_noise.p_value < 0.05;
    } else if (l->asked == NOISE) {
        o.answered = !isnan(r->noise_low);
        o.hit = r->noise_low <= 0.01 && 0.01 <= r->noise_high;
    } else if (l->asked == SPEED) {
        double v[9], w[9];
        ASSERT_OK(mst_manifold_to_frame(s->m, 1, r->intercept, r->velocities, v));
        ASSERT_OK(mst_manifold_to_frame(s->m, 1, start, velocity, w));
        double gap = fabs(v[0] - w[0]), factor = r->interval_factors[s->d];
        o.answered = !isnan(factor);
        o.hit = gap <= factor * r->standard_errors[s->d];
    } else {
        mst_prediction wanted = {.points = point};
        if (l->asked == BAND)
            wanted.band = &reach;
        else
            wanted.region = &reach;
        ASSERT_OK(mst_regress_predict(r, source, 1, at, &wanted));
        for (size_t a = 0; l->asked == NEW_POINT && a < s->d; a++)
            local[a] = l->shared * dice_normal(rng) + 0.1 * dice_normal(rng);
        place(s, start, velocity, 1, local, y);
        ASSERT_OK(mst_manifold_dist(s->m, 1, point, y, &distance));
        o.answered = !isnan(reach);
        o.hit = distance <= reach;
    }
    return o;
}

static outcome one_set(const void *context, size_t set)
{
    const law *l = context;
    setting s = setting_open(l->spec);
    const mst_score *source = l->distances ? s.log : s.exact;
    dice rng = {1000 + set};
    double start[10], velocity[10], frame[9] = {0};
    sample *rows = malloc(sizeof *rows);
    mst_manifold_start(s.m, start);
    frame[0] = l->asked == TEST ? 0 : 0.2;
    ASSERT_OK(mst_manifold_from_frame(s.m, 1, start, frame, velocity));
    draw_rows(l, &s, start, velocity, &rng, rows);
    mst_regress_options o = mst_regress_options_default();
    o.threads = 1;
    o.covariance = l->covariance;
    o.noise = l->loglinear ? MST_REGRESS_LOGLINEAR : MST_REGRESS_CONSTANT;
    o.without_tests = l->asked != TEST && l->asked != EQUAL;
    o.clusters = l->shared > 0 ? rows->clusters : NULL;
    mst_regress_result *r = NULL;
    outcome out = {0};
    if (mst_regress_fit(&r, source, rows->n, rows->y, l->columns, rows->x, &o) == MST_OK) {
        out = judge(l, &s, source, start, velocity, &rng, r);
        out.flagged = (r->notes & (MST_REGRESS_FEW_CLUSTERS | MST_REGRESS_FEW_LABELLINGS |
                                   MST_REGRESS_UNEQUAL_SPREAD)) != 0;
    }
    mst_regress_result_free(r);
    free(rows);
    setting_close(&s);
    return out;
}

#define SHARED .shared = 0.1, .columns = 1
static const law laws[] = {
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "8 clusters of 6",
     .clusters = 8,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "8 clusters of 6, least squares",
     .distances = true,
     .clusters = 8,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "5 clusters of 6",
     .clusters = 5,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "20 clusters of 6",
     .clusters = 20,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "a cluster of 40 and seven of 4",
     .clusters = 8,
     .rows = 4,
     .first_rows = 40,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "so3",
     .name = "12 clusters of 1 to 12",
     .clusters = 12,
     .rows = 0,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "so3",
     .name = "50 clusters of 4",
     .clusters = 50,
     .rows = 4,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "8 clusters of 6, x varies",
     .clusters = 8,
     .rows = 6,
     .design = WITHIN,
     SHARED},
    {.asked = TEST,
     .spec = "so3",
     .name = "5 clusters of 6, x varies",
     .clusters = 5,
     .rows = 6,
     .design = WITHIN,
     SHARED},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "8 clusters of 6",
     .clusters = 8,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "20 clusters of 6",
     .clusters = 20,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "a cluster of 40 and seven of 4",
     .clusters = 8,
     .rows = 4,
     .first_rows = 40,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = SPEED,
     .spec = "sphere:2",
     .name = "8 clusters of 6",
     .clusters = 8,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = SPEED,
     .spec = "sphere:2",
     .name = "5 clusters of 6",
     .clusters = 5,
     .rows = 6,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = SPEED,
     .spec = "so3",
     .name = "12 clusters of 1 to 12",
     .clusters = 12,
     .rows = 0,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = NEW_POINT,
     .spec = "euclidean:2",
     .name = "8 clusters of 10",
     .clusters = 8,
     .rows = 10,
     .design = BY_CLUSTER,
     SHARED},
    {.asked = NEW_POINT,
     .spec = "euclidean:2",
     .name = "8 clusters of 10, x varies",
     .clusters = 8,
     .rows = 10,
     .design = WITHIN,
     SHARED},
#define SANDWICH .covariance = MST_COVARIANCE_SANDWICH, .columns = 1
#define LEVEL .clusters = 30, .rows = 1, .design = SMALL_LEVEL, .scatter = BY_LEVEL
#define SIZE .rows = 1, .design = NORMAL, .scatter = BY_SIZE
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "sandwich, a small level, three times the spread",
     LEVEL,
     SANDWICH},
    {.asked = TEST,
     .spec = "so3",
     .name = "sandwich, a small level, three times the spread",
     LEVEL,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "least squares, a small level, three times the spread",
     .distances = true,
     LEVEL,
     SANDWICH},
    {.asked = TEST,
     .spec = "so3",
     .name = "least squares, a small level, three times the spread",
     .distances = true,
     LEVEL,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "sandwich, spread with |x|, 30 rows",
     .clusters = 30,
     SIZE,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "sandwich, spread with |x|, 200 rows",
     .clusters = 200,
     SIZE,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "least squares, spread with |x|, 30 rows",
     .distances = true,
     .clusters = 30,
     SIZE,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "sandwich, rows alike, 10 rows",
     .clusters = 10,
     .rows = 1,
     .design = NORMAL,
     SANDWICH},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "sandwich, rows alike, 10 rows",
     .clusters = 10,
     .rows = 1,
     .design = UNIFORM,
     SANDWICH},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "sandwich, spread with |x|, 30 rows",
     .clusters = 30,
     SIZE,
     SANDWICH},
    {.asked = SPEED,
     .spec = "sphere:2",
     .name = "sandwich, a small level, three times the spread",
     LEVEL,
     SANDWICH},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "sandwich, a small level, rows alike",
     .clusters = 30,
     .rows = 1,
     .design = SMALL_LEVEL,
     SANDWICH},
#define MODEL .rows = 1, .columns = 1, .follows_model = true
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "a small level, three times the spread",
     LEVEL,
     .columns = 1},
    {.asked = TEST,
     .spec = "so3",
     .name = "a small level, three times the spread",
     LEVEL,
     .columns = 1},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "spread with |x|, 30 rows",
     .clusters = 30,
     SIZE,
     .columns = 1},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "spread with |x|, 200 rows",
     .clusters = 200,
     SIZE,
     .columns = 1},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "the model, 30 rows",
     .clusters = 30,
     .design = NORMAL,
     MODEL},
    {.asked = TEST,
     .spec = "so3",
     .name = "the model, 200 rows",
     .clusters = 200,
     .design = NORMAL,
     MODEL},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "the model, a small level",
     .clusters = 30,
     .design = SMALL_LEVEL,
     MODEL},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "the model, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     MODEL},
#define FEW .rows = 1, .design = NORMAL, .follows_model = true
    {.asked = NOISE,
     .spec = "euclidean:2",
     .name = "10 rows, 3 columns",
     .clusters = 10,
     .columns = 3,
     FEW},
    {.asked = NOISE,
     .spec = "sphere:2",
     .name = "12 rows, 6 columns",
     .clusters = 12,
     .columns = 6,
     FEW},
    {.asked = NOISE,
     .spec = "so3",
     .name = "10 rows, 3 columns",
     .clusters = 10,
     .columns = 3,
     FEW},
    {.asked = NOISE, .spec = "so3", .name = "30 rows, 1 column", .clusters = 30, .columns = 1, FEW},
#define LOGLINEAR .rows = 1, .columns = 1, .loglinear = true, .follows_model = true
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "log-linear noise, 30 rows",
     .clusters = 30,
     .design = NORMAL,
     LOGLINEAR},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "log-linear noise, 30 rows",
     .clusters = 30,
     .design = NORMAL,
     LOGLINEAR},
    {.asked = NEW_POINT,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = SPEED,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = NOISE,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = TEST,
     .spec = "sphere:2",
     .name = "log-linear noise that is, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     .scatter = BY_EXP,
     LOGLINEAR},
    {.asked = TEST,
     .spec = "so3",
     .name = "log-linear noise that is, 30 rows",
     .clusters = 30,
     .design = UNIFORM,
     .scatter = BY_EXP,
     LOGLINEAR},
    {.asked = BAND,
     .spec = "sphere:2",
     .name = "log-linear noise that is, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     .scatter = BY_EXP,
     LOGLINEAR},
    {.asked = EQUAL,
     .spec = "sphere:2",
     .name = "log-linear noise, 10 rows",
     .clusters = 10,
     .design = UNIFORM,
     LOGLINEAR},
    {.asked = EQUAL,
     .spec = "sphere:2",
     .name = "log-linear noise, 30 rows",
     .clusters = 30,
     .design = NORMAL,
     LOGLINEAR},
    {.asked = NOISE,
     .spec = "sphere:2",
     .name = "sandwich, 10 rows",
     .clusters = 10,
     .design = NORMAL,
     .rows = 1,
     SANDWICH},
};
enum { LAWS = sizeof laws / sizeof *laws };

START_TEST(what_is_promised_is_kept)
{
    const law *l = &laws[_i];
    static const char *const words[] = {"test",  "band",  "new point",
                                        "noise", "speed", "equal noise"};
    char name[200];
    if (!is_simulated(_i))
        return;
    snprintf(name, sizeof name, "%s, %s, %s", words[l->asked], l->spec, l->name);
    rates r = simulate(one_set, l);
    bool test = l->asked == TEST || l->asked == EQUAL;
    if (l->follows_model)
        (test ? assert_rejections_of_model : assert_coverage_of_model)(name, r);
    else
        (test ? assert_rejections : assert_coverage)(name, r);
}
END_TEST

int main(void)
{
    return RUN_SUITE("regression of other rows", 1750, {what_is_promised_is_kept, LAWS});
}
