/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a regression begins, and its climb. */
#include "base/linalg.h"
#include "stat/fit_steps.h"
#include "stat/regress_parts.h"
#include "stat/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Columns ---- */

void regress_centre(regress_job *j, const double *origin)
{
    for (size_t c = 0; c < j->k; c++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < j->n; i++)
            mean += j->x[i * j->k + c] / (double)j->n;
        j->origin[c] = origin != NULL ? origin[c] : mean;
        for (size_t i = 0; i < j->n; i++) {
            double z = j->x[i * j->k + c] - j->origin[c];
            square += z * z / (double)j->n;
        }
        j->scale[c] = square > 0 ? sqrt(square) : 1;
        for (size_t i = 0; i < j->n; i++)
            j->z[i * j->k + c] = (j->x[i * j->k + c] - j->origin[c]) / j->scale[c];
    }
}

/* The name of a column in a message. */
static const char *column_name(const regress_job *j, size_t c, char text[40])
{
    if (j->o->names != NULL)
        return j->o->names[c];
    snprintf(text, 40, "column %zu", c + 1);
    return text;
}

/* Gram and Schmidt: a column of which the earlier ones leave nothing is a combination of them. `basis` and
 * `share` are work. The names of those that it is made of have a coefficient beyond rounding. */
static mst_status complain_of_combination(const regress_job *j, size_t c, const double *share)
{
    char one[40], other[40], list[240] = "";
    size_t used = 0;
    for (size_t e = 0; e < c && used + 60 < sizeof list; e++)
        if (fabs(share[e]) > 1e-6)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.48s",
                                     used > 0 ? ", " : "", column_name(j, e, other));
    return mst_fail(
        MST_ARGUMENT,
        "\"%s\" is a combination of %s: their velocities cannot be told apart; leave one out",
        column_name(j, c, one), list);
}

/* share (c): coefficients of column c in the earlier ones, by least squares; *rest the norm that is left of
 * its norm √n. */
static mst_status explain_column(const regress_job *j, size_t c, double *share, double *rest)
{
    size_t n = j->n, k = j->k;
    double *z, square = 0;
    MST_TRY(mst_allocate(&z, n * c + n));
    double *u = z + n * c;
    for (size_t i = 0; i < n; i++) {
        memcpy(z + i * c, j->z + i * k, c * sizeof *z);
        u[i] = j->z[i * k + c];
    }
    mst_status status = regress_least_squares(n, c, z, NULL, 1, u, share);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double e = u[i] - share[0];
        for (size_t a = 0; a < c; a++)
            e -= share[1 + a] * z[i * c + a];
        square += e * e / (double)n;
    }
    *rest = sqrt(square);
    mst_release(z);
    return status;
}

mst_status regress_check_columns(const regress_job *j)
{
    char one[40];
    double *share;
    for (size_t k = 0; k < j->n * j->k; k++)
        if (!isfinite(j->x[k]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is not a value of \"%s\"", k / j->k + 1,
                            j->x[k], column_name(j, k % j->k, one));
    for (size_t c = 0; c < j->k; c++) {
        bool same = true;
        for (size_t i = 1; i < j->n; i++)
            same = same && j->x[i * j->k + c] == j->x[c];
        if (same)
            return mst_fail(MST_ARGUMENT,
                            "\"%s\" is %g in every row: a constant has no velocity; leave it out",
                            column_name(j, c, one), j->x[c]);
    }
    if (j->n <= j->k + 1)
        return mst_fail(MST_ARGUMENT,
                        "%zu row%s cannot determine an intercept, %zu velocit%s and the noise; "
                        "at least %zu are needed",
                        j->n, j->n == 1 ? "" : "s", j->k, j->k == 1 ? "y" : "ies", j->k + 2);
    MST_TRY(mst_allocate(&share, j->k + 1));
    mst_status status = MST_OK;
    for (size_t c = 0; status == MST_OK && c < j->k; c++) {
        double rest;
        status = explain_column(j, c, share, &rest);
        /* Columns have unit size: what is left below this is rounding of the columns themselves. */
        if (status == MST_OK && rest < 1e-7)
            status = complain_of_combination(j, c, share + 1);
    }
    mst_release(share);
    return status;
}

/* ---- Least squares ---- */

mst_status regress_least_squares(size_t n, size_t columns, const double *z, const double *weights,
                                 size_t width, const double *u, double *b)
{
    size_t q = columns + 1;
    double *gram;
    MST_TRY(mst_allocate_zero(&gram, q * q + q * width + q));
    double *right = gram + q * q, *row = right + q * width;
    for (size_t i = 0; i < n; i++) {
        double w = weights != NULL ? weights[i] : 1;
        if (w == 0)
            continue;
        row[0] = 1;
        memcpy(row + 1, z + i * columns, columns * sizeof *row);
        for (size_t a = 0; a < q; a++) {
            for (size_t c = 0; c < q; c++)
                gram[a * q + c] += w * row[a] * row[c];
            for (size_t c = 0; c < width; c++)
                right[c * q + a] += w * row[a] * u[i * width + c];
        }
    }
    mst_status status = mst_solve(1, q, width, gram, right, right, NULL);
    for (size_t c = 0; status == MST_OK && c < width; c++)
        for (size_t a = 0; a < q; a++)
            b[a * width + c] = right[c * q + a];
    mst_release(gram);
    return status;
}

/* ---- The start ---- */

/* Coordinates u (n, d) of the rows seen from p. */
static mst_status seen_from(const regress_job *j, const double *p, double *u)
{
    double *base;
    MST_TRY(mst_allocate(&base, 2 * j->n * j->D));
    double *v = base + j->n * j->D;
    for (size_t i = 0; i < j->n; i++)
        memcpy(base + i * j->D, p, j->D * sizeof *base);
    mst_status status = mst_manifold_log(j->m, j->n, base, j->y, v, NULL);
    if (status != MST_OK && status != MST_MEMORY)
        status = mst_manifold_toward(j->m, j->n, base, j->y, NULL, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(j->m, j->n, base, v, u);
    mst_release(base);
    return status;
}

mst_status regress_square(const regress_job *j, const regress_model *m, const double *state,
                          double *square)
{
    double *y;
    MST_TRY(mst_allocate(&y, j->n * (j->D + 2)));
    double *t = y + j->n * j->D, *r = t + j->n, sum = 0;
    mst_status status = m->model.ops->predict(&m->model, state, 0, 0, j->n, y, t);
    if (status == MST_OK)
        status = mst_manifold_dist(j->m, j->n, y, j->y, r);
    for (size_t i = 0; status == MST_OK && i < j->n; i++)
        sum += r[i] * r[i];
    *square = status == MST_OK && isfinite(sum) ? sum : INFINITY;
    mst_release(y);
    return status == MST_MEMORY ? status : MST_OK;
}

typedef struct start_work {
    const regress_job *j;
    const regress_model *m;
    double *u, *z, *b, *weights, *trial;
    double *best, best_square;
} start_work;

/* Linear regression in the tangent space at p, of the rows that weigh; kept if it is the best so far. */
static mst_status try_place(start_work *w, const double *p, const double *weights)
{
    const regress_job *j = w->j;
    const regress_model *m = w->m;
    size_t d = j->d, D = j->D;
    double square, *state = w->trial;
    mst_status status = seen_from(j, p, w->u);
    if (status == MST_OK)
        status = regress_least_squares(j->n, m->curve, w->z, weights, d, w->u, w->b);
    for (size_t c = 0; status == MST_OK && c <= m->curve; c++)
        status = mst_manifold_from_frame(j->m, 1, p, w->b + c * d, state + c * D);
    for (size_t c = 1; status == MST_OK && c <= m->curve; c++)
        status = mst_manifold_transport(j->m, 1, p, state, state + c * D, state + c * D);
    if (status == MST_OK)
        status = mst_manifold_exp(j->m, 1, p, state, state);
    bool winds = false;
    if (status == MST_OK)
        status = regress_winds(j, m, state, &winds);
    if (status == MST_OK && !winds)
        status = regress_square(j, m, state, &square);
    if (status == MST_MEMORY)
        return status;
    if (status == MST_OK && !winds && square < w->best_square) {
        w->best_square = square;
        memcpy(w->best, state, m->model.size * sizeof *state);
    }
    return MST_OK;
}

static mst_status coordinate_mean(const regress_job *j, double *p)
{
    memset(p, 0, j->D * sizeof *p);
    for (size_t i = 0; i < j->n; i++)
        for (size_t a = 0; a < j->D; a++)
            p[a] += j->y[i * j->D + a] / (double)j->n;
    mst_status status = mst_manifold_project(j->m, 1, p, p);
    if (status == MST_DOMAIN || status == MST_CONVERGENCE || !mst_all_finite(j->D, p)) {
        memcpy(p, j->y, j->D * sizeof *p);
        return MST_OK;
    }
    return status;
}

typedef struct ranked_row {
    double size;
    size_t row;
} ranked_row;

static int by_size(const void *a, const void *b)
{
    const ranked_row *one = a, *two = b;
    if (one->size != two->size)
        return one->size < two->size ? -1 : 1;
    return (one->row > two->row) - (one->row < two->row);
}

/* The squares of the rows about their mean in the tangent space that was seen last, and what the linear
 * regression there leaves of them. */
static void tangent_squares(const start_work *w, double *total, double *rest)
{
    size_t d = w->j->d, n = w->j->n, curve = w->m->curve;
    *total = *rest = 0;
    for (size_t a = 0; a < d; a++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++)
            mean += w->u[i * d + a] / (double)n;
        for (size_t i = 0; i < n; i++) {
            double e = w->u[i * d + a] - w->b[a], centred = w->u[i * d + a] - mean;
            for (size_t c = 0; c < curve; c++)
                e -= w->z[i * curve + c] * w->b[(1 + c) * d + a];
            *total += centred * centred;
            *rest += e * e;
        }
    }
}

/* Does the tangent space of the place that was tried last, with all rows, see them as they are, so that no
 * other place is better by much? It does where they lie within half the injectivity radius; where that is not
 * known, if the regression there leaves little of them, and they are as far from the curve as it says. */
static bool is_near(const start_work *w)
{
    size_t d = w->j->d;
    double radius = mst_manifold_injectivity(w->j->m), longest = 0, total, rest;
    if (isnan(radius)) {
        tangent_squares(w, &total, &rest);
        return rest < total / 2 && fabs(w->best_square - rest) < rest / 4;
    }
    for (size_t i = 0; i < w->j->n; i++) {
        double square = 0;
        for (size_t a = 0; a < d; a++)
            square += w->u[i * d + a] * w->u[i * d + a];
        longest = fmax(longest, square);
    }
    return longest <= radius * radius / 4;
}

/* From the mean; and, if rows are far from it, from the observation whose covariates are nearest to the
 * origin, with all rows and for a curve with the nearer half and quarter of them, which see no cut locus
 * where it is long. */
static mst_status try_places(start_work *w, double *p)
{
    const regress_job *j = w->j;
    ranked_row *order;
    MST_TRY(mst_allocate(&order, j->n));
    for (size_t i = 0; i < j->n; i++) {
        order[i] = (ranked_row){0, i};
        for (size_t c = 0; c < w->m->curve; c++)
            order[i].size += w->z[i * w->m->curve + c] * w->z[i * w->m->curve + c];
    }
    qsort(order, j->n, sizeof *order, by_size);
    mst_status status = coordinate_mean(j, p);
    if (status == MST_OK)
        status = try_place(w, p, NULL);
    if (isfinite(w->best_square) && is_near(w))
        goto done;
    memcpy(p, j->y + order[0].row * j->D, j->D * sizeof *p);
    for (size_t part = 1; status == MST_OK && part <= (w->m->curve > 0 ? 4 : 1); part *= 2) {
        for (size_t i = 0; i < j->n; i++)
            w->weights[order[i].row] = i < j->n / part;
        if (j->n / part > w->m->curve + 1)
            status = try_place(w, p, w->weights);
    }
done:
    mst_release(order);
    return status;
}

mst_status regress_start(const regress_job *j, const regress_model *m, const double *candidate,
                         double *state)
{
    size_t size = m->model.size, curve = m->curve;
    double *memory;
    MST_TRY(
        mst_allocate(&memory, j->n * (j->d + curve + 1) + (1 + curve) * j->d + 2 * size + j->D));
    start_work w = {.j = j, .m = m, .u = memory, .best = state, .best_square = INFINITY};
    w.z = w.u + j->n * j->d;
    w.weights = w.z + j->n * curve;
    w.b = w.weights + j->n;
    w.trial = w.b + (1 + curve) * j->d;
    double *p = w.trial + size;
    for (size_t i = 0; i < j->n; i++)
        for (size_t c = 0; c < curve; c++)
            w.z[i * curve + c] =
                j->z[i * j->k + (m->curve_columns != NULL ? m->curve_columns[c] : c)];
    /* The place of the time and its slopes, which no place changes. */
    memset(w.trial, 0, size * sizeof *w.trial);
    w.trial[(1 + curve) * j->D] = 1;
    memcpy(state, w.trial, size * sizeof *state);
    mst_status status = try_places(&w, p);
    double square = INFINITY;
    if (status == MST_OK && candidate != NULL)
        status = regress_square(j, m, candidate, &square);
    if (status == MST_OK && candidate != NULL && square <= w.best_square) {
        w.best_square = square;
        memcpy(state, candidate, size * sizeof *state);
    }
    if (status == MST_OK && isinf(w.best_square))
        status = coordinate_mean(j, state); /* a point and no velocity: better than nothing */
    double time = w.best_square / (double)(j->n * j->d);
    if (j->timed)
        state[(1 + curve) * j->D] =
            fit_clamp_time(j->source, isfinite(time) ? fmax(time, 1e-300) : 1);
    mst_release(memory);
    return status;
}

/* ---- The climb ---- */

regress_model regress_job_model(const regress_job *j, size_t curve, const size_t *columns,
                                bool loglinear)
{
    regress_model m = regress_model_of(j->climbs, &j->rows, &j->design, curve, columns,
                                       j->free_time, loglinear, j->o->threads);
    m.model.memory = j->memory;
    return m;
}

/* Is the noise no more than rounding of the rows? Then there is no likelihood to climb. */
static bool is_collapsed(const regress_job *j, const regress_model *m, const double *state)
{
    return m->model.time_is_free && state[(1 + m->curve) * j->D] * (double)j->d <= j->rounding;
}

mst_status regress_climb(const regress_job *j, const regress_model *m, const fit_model *climbs,
                         double *state, fit_outcome *out)
{
    *out = (fit_outcome){.end = MST_FIT_COLLAPSED, .value = NAN, .gradient_norm = NAN};
    if (is_collapsed(j, m, state))
        return MST_OK;
    fit_options o = {.method = MST_MEAN_NEWTON,
                     .tolerance = j->o->tolerance,
                     .rate = 0.1,
                     .iterations = j->o->iterations,
                     .progress = j->o->progress};
    mst_status status = fit_climb(climbs, state, &o, out);
    if (fit_is_too_far(status) && is_collapsed(j, m, state)) {
        out->end = MST_FIT_COLLAPSED;
        return MST_OK;
    }
    return status;
}
