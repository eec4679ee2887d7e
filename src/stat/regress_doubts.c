/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Data that hold no answer, that one row decides, or that the model does not fit. */
#include "stat/distributions.h"
#include "stat/regress_parts.h"
#include "stat/uniformity.h"

#include <manistat/random.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The mean of the first eigenfunctions of a compact piece after a time t is e^(−λt/2) of what it was. Above
 * this λσ² permutations take the place of the laws for little noise. */
static const double spread = 0.5;
/* Above this p value a hypothesis has not been rejected. */
static const double rejected = 0.05;
/* For each column; of fewer the slopes of the noise fit so well that the weights of the rows are not to be
 * relied on: likelihood ratios of ten rows reject twice as often as they should. */
static const size_t few_rows = 25;
/* A row that moves the curve by more than its region (Cook), or whose prediction is mostly itself while
 * others' are not. */
static const double far_moved = 1, mostly_itself = 0.5, times_the_mean = 3;

static const uint64_t spread_stream = UINT64_C(0x73707264) << 24;

/* u (n) of row i in the frame at the intercept: Σ z_c v_c. */
static double turn_of(const regress_model *m, size_t i, const double *v, const stat_piece *piece,
                      size_t d)
{
    const double *z = m->design->z + i * m->design->columns;
    double square = 0;
    for (size_t a = piece->first; a < piece->first + piece->dim; a++) {
        double u = 0;
        for (size_t c = 0; c < m->curve; c++)
            u += z[m->curve_columns != NULL ? m->curve_columns[c] : c] * v[c * d + a];
        square += u * u;
    }
    return sqrt(square) * piece->scale;
}

mst_status regress_winds(const regress_job *j, const regress_model *m, const double *state,
                         bool *winds)
{
    size_t d = j->d, D = j->D;
    double *v;
    *winds = false;
    if (m->curve == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&v, m->curve * d));
    mst_status status = MST_OK;
    for (size_t c = 0; status == MST_OK && c < m->curve; c++)
        status = mst_manifold_to_frame(j->m, 1, state, state + (1 + c) * D, v + c * d);
    for (size_t k = 0; status == MST_OK && k < j->pieces.count; k++)
        for (size_t i = 0; j->pieces.piece[k].features > 0 && i < j->n && !*winds; i++)
            *winds = turn_of(m, i, v, &j->pieces.piece[k], d) > 2 * M_PI;
    mst_release(v);
    return status;
}

static mst_status ask_uniformity(const regress_job *j, mst_regress_result *r)
{
    const stat_pieces *pieces = &j->pieces;
    mst_uniformity found;
    mst_uniformity_options o = mst_uniformity_options_default();
    if (!pieces->compact)
        return MST_OK;
    o.clusters = j->o->clusters;
    o.seed = j->o->seed;
    MST_TRY(uniform_test(&found, j->m, pieces, j->n, j->y, &o));
    r->uniform_statistic = found.statistic;
    r->uniform_p_value = found.p_value;
    return MST_OK;
}

/* The largest noise of a row, in units of the fastest decay. */
static double largest_decay(const regress_job *j, const mst_regress_result *r)
{
    double fastest = 0, noise = 0;
    for (size_t k = 0; k < j->pieces.count; k++)
        fastest = fmax(fastest, stat_decay(&j->pieces.piece[k]));
    for (size_t i = 0; i < j->n; i++)
        noise = fmax(noise, r->fitted_noise[i]);
    return fastest * noise;
}

static void ask_rows(const regress_job *j, mst_regress_result *r)
{
    double K = (double)(j->k + 1), mean = K / (double)j->n, most = 0, cook = 0;
    size_t by_leverage = 0, by_cook = 0;
    for (size_t i = 0; i < j->n; i++) {
        double h = r->leverage[i], e = r->distances[i] / (1 - h);
        double moved = e * e * h / ((double)j->d * K * r->noise_unbiased);
        if (h > most) {
            most = h;
            by_leverage = i;
        }
        if (moved > cook) {
            cook = moved;
            by_cook = i;
        }
    }
    bool itself = most > mostly_itself && most > times_the_mean * mean;
    if (!itself && !(cook > far_moved && times_the_mean * mean < 1))
        return;
    r->notes |= MST_REGRESS_INFLUENTIAL;
    r->influential = itself ? by_leverage : by_cook;
    r->influence = cook;
}

/* Mardia's kurtosis of isotropic residuals: mean |r|⁴/σ⁴ is d(d + 2) under a normal law, with the variance
 * 8d(d + 2)/n. */
static void ask_tails(const regress_job *j, mst_regress_result *r)
{
    const double many_deviations = 4, much = 1.5;
    double n = (double)j->n, d = (double)j->d, fourth = 0, second = 0;
    for (size_t i = 0; i < j->n; i++) {
        double square = r->distances[i] * r->distances[i] / r->fitted_noise[i];
        second += square / n;
        fourth += square * square / n;
    }
    r->kurtosis = fourth / (second * second) * d / (d + 2);
    if (r->kurtosis > fmax(much, 1 + many_deviations * sqrt(8 / (d * (d + 2) * n))))
        r->notes |= MST_REGRESS_HEAVY_TAILS;
}

/* ---- Are rows spread alike? ---- */

typedef struct equal_spread {
    size_t n, m, all; /* columns of q: the first m are those of the curve */
    double *q;        /* (all, n), orthonormal; the last one is the leverage */
    double *u;        /* (n): squared residuals, leverage allowed for */
    double *left;     /* (n): 1 − leverage */
} equal_spread;

/* The score of Breusch and Pagan: what the columns explain of u, whose mean is made 1 and whose variance is
 * 2/d under a normal law. */
static double spread_score(const equal_spread *s, double d)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < s->n; i++)
        mean += s->u[i] / (double)s->n;
    for (size_t c = 1; c < s->all; c++) {
        double along = 0;
        for (size_t i = 0; i < s->n; i++)
            along += s->q[c * s->n + i] * s->u[i] / mean;
        sum += along * along;
    }
    return sum * d / 2;
}

/* u of normal residuals that a curve was fitted to in flat space; e (n). */
static void draw_spread(const equal_spread *s, size_t d, mst_random random, double *e)
{
    size_t n = s->n;
    memset(s->u, 0, n * sizeof *s->u);
    for (size_t a = 0; a < d; a++) {
        mst_random_normals(random, a * n, n, e);
        for (size_t c = 0; c < s->m; c++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += s->q[c * n + i] * e[i];
            for (size_t i = 0; i < n; i++)
                e[i] -= along * s->q[c * n + i];
        }
        for (size_t i = 0; i < n; i++)
            s->u[i] += e[i] * e[i] / s->left[i];
    }
}

/* Does the spread of the residuals depend on the columns, or on the distance from the middle of them? By chi-
 * square; where that is in doubt and few rows are too skew for it, by simulated residuals. */
static mst_status ask_spread(regress_job *j, mst_regress_result *r)
{
    const double in_doubt = 0.6, most = 2e7, differs = 0.01, few_decide = 2;
    const size_t draws = 999;
    size_t n = j->n, k = j->k, above = 1;
    equal_spread s = {.n = n, .m = k + 1};
    MST_TRY(mst_allocate(&s.q, (k + 5) * n));
    s.u = s.q + (k + 2) * n;
    s.left = s.u + n;
    double *e = s.left + n;
    size_t found = regress_add_orthonormal(n, NULL, 0, 0, s.q);
    for (size_t c = 0; c < k; c++)
        found = regress_add_orthonormal(n, j->z + c, k, found, s.q);
    for (size_t i = 0; i < n; i++) {
        s.left[i] = 1;
        for (size_t c = 0; c < found; c++)
            s.left[i] -= s.q[c * n + i] * s.q[c * n + i];
        s.left[i] = fmax(s.left[i], 1e-6);
        s.u[i] = r->distances[i] * r->distances[i] / s.left[i];
    }
    s.all = regress_add_orthonormal(n, s.left, 1, found, s.q);
    double mean = 0, decisive = 0; /* are rows that decide spread more than others? */
    for (size_t i = 0; i < n; i++)
        mean += s.u[i] / (double)n;
    double leverage = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        double h = 1 - s.left[i];
        decisive += h * (s.u[i] / mean - 1);
        leverage += h;
        square += h * h;
    }
    /* Rows of one level, or evenly over a range, have 1.2 at most; three in thirty 2.8. */
    double not_sure = (double)n * square / (leverage * leverage) > few_decide ? 0.5 : 0.1;
    double here = spread_score(&s, (double)j->d);
    r->spread_p_value = mst_chi_square_survival(here, (double)(s.all - 1));
    double work = (double)(draws * n * j->d * s.all);
    if (r->spread_p_value < in_doubt && work < most) {
        for (size_t b = 0; b < draws; b++) {
            draw_spread(&s, j->d, (mst_random){j->o->seed, spread_stream + b}, e);
            above += spread_score(&s, (double)j->d) >= here;
        }
        r->spread_p_value = (double)above / (double)(draws + 1);
    }
    if (r->spread_p_value <= differs)
        r->notes |= MST_REGRESS_UNEQUAL_SPREAD;
    /* Then the sandwich costs little, and the rest is wrong: the test has to be sure of the contrary. */
    j->unlike = r->spread_p_value <= differs || (r->spread_p_value < not_sure && decisive > 0);
    mst_release(s.q);
    return MST_OK;
}

/* ---- Circles ---- */

static bool has_circle(const regress_job *j)
{
    bool found = false;
    for (size_t k = 0; k < j->pieces.count; k++)
        found = found || (j->pieces.piece[k].kind == PIECE_ROUND && j->pieces.piece[k].dim == 1);
    return found;
}

/* The step of the grid on which the values of a column lie, by Euclid on their differences; 0 if that is too
 * fine to be one, or has two values only. */
static double grid_step(size_t n, size_t stride, const double *x)
{
    const double most_steps = 1000, rounding = 1e-9;
    double least = x[0], largest = x[0], step = 0;
    bool between = false;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, x[i * stride]);
        largest = fmax(largest, x[i * stride]);
    }
    double nothing = fmax(rounding * (largest - least), 1e-15 * fmax(fabs(least), fabs(largest)));
    for (size_t i = 0; i < n; i++) {
        double a = x[i * stride] - least, b = step;
        between = between || (a > nothing && a < largest - least - nothing);
        while (a > most_steps * nothing) {
            double rest = b - a * floor(b / a + 0.5);
            b = a;
            a = fabs(rest);
        }
        step = b;
    }
    return between && step * most_steps >= largest - least ? step : 0;
}

static void find_aliases(const regress_job *j, mst_regress_result *r)
{
    for (size_t c = 0; has_circle(j) && c < j->k; c++) {
        double step = grid_step(j->n, j->k, j->x + c);
        r->aliases[c] = step > 0 ? 2 * M_PI / step : NAN;
    }
}

mst_status regress_add_doubts(regress_job *j, mst_regress_result *r)
{
    find_aliases(j, r);
    MST_TRY(ask_uniformity(j, r));
    if (!r->converged)
        return MST_OK;
    ask_rows(j, r);
    j->doubtful = r->beyond_cut > 0 || largest_decay(j, r) > spread;
    if (j->doubtful) {
        r->notes |= MST_REGRESS_SPREAD | (has_circle(j) ? MST_REGRESS_STEEPER : 0);
        return MST_OK;
    }
    ask_tails(j, r);
    bool rests = j->free_time && mst_score_gives(j->source, MST_GIVES_LOG_P) &&
                 j->o->clusters == NULL && j->o->covariance == MST_COVARIANCE_OBSERVED;
    if (rests && j->o->noise == MST_REGRESS_LOGLINEAR)
        j->unlike = j->n < few_rows * (j->k + 1);
    else if (rests && j->n > j->k + 3)
        return ask_spread(j, r);
    return MST_OK;
}

void regress_conclude_doubts(const regress_job *j, mst_regress_result *r)
{
    bool curve = r->whole.p_value <= rejected;
    if (!j->doubtful || curve || !(r->uniform_p_value > rejected))
        return;
    r->notes |= MST_REGRESS_NO_CURVE;
    regress_leave_errors(r);
}
