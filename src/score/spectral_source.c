/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat kernel of closed surfaces by their eigenfunctions, as a score source. Two sets of these, from more
 * and from fewer functions, tell how right a row is. */
#include "base/options.h"
#include "heat/kernel_parts.h"
#include "score/solved.h"
#include "spectral/modes.h"

#include <manistat/score.h>
#include <math.h>
#include <string.h>

typedef struct spectral_data {
    spectral_modes *modes[2]; /* from more and from fewer functions */
} spectral_data;

/* Of the functions, those of the second set. */
static const double fewer = 0.7;
/* Where p is less than this part of the sum of its terms' sizes nothing is left of it but rounding. */
static const double least_share = 1e-11;
/* What the first mode that there is not has lost by then, as a logarithm: before, the sum is not yet a
 * density, and estimators are better off with the stand-in. */
static const double least_decay = 8;
/* Errors of scores are compared with their own size, or with this part of 1/√t. */
static const double least_score = 0.02;

/* ---- A row ---- */

/* p and its derivatives: SURFACE_ROWS sums over modes, that of the time, and the sum of sizes. */
typedef struct sums {
    double p[SURFACE_ROWS], dt, size;
} sums;

static sums add_up(size_t count, size_t rows, double t, const double *lambda, const double *at_x,
                   const double *at_y)
{
    sums out = {.p = {0}};
    for (size_t k = 0; k < count; k++) {
        double rate = 0.5 * lambda[k], share = exp(-rate * t) * at_x[k], term = share * at_y[k];
        out.dt -= rate * term;
        out.size += fabs(term);
        for (size_t j = 0; j < rows; j++)
            out.p[j] += share * at_y[j * count + k];
    }
    return out;
}

/* log p and its derivatives; vectors and matrices in the frame. */
typedef struct answer {
    bool known;
    double log_p, dt, score[2], hessian[3];
} answer;

static answer answer_of(const sums *s)
{
    answer a = {.known = s->p[0] > least_share * s->size};
    if (!a.known)
        return a;
    a.log_p = log(s->p[0]);
    a.dt = s->dt / s->p[0];
    for (size_t k = 0; k < 2; k++)
        a.score[k] = s->p[SURFACE_FIRST + k] / s->p[0];
    for (size_t k = 0; k < 3; k++)
        a.hessian[k] = s->p[SURFACE_SECOND + k] / s->p[0] - a.score[k / 2] * a.score[(k + 1) / 2];
    return a;
}

/* The relative error of the score, or the error of log p or of t ∂_t log p if that is more: twice the
 * difference of the two sets, which is more than the first is wrong by in all but a few rows. */
static double judge(double t, const answer *a, const answer *b)
{
    if (!a->known || !b->known)
        return INFINITY;
    double apart = hypot(a->score[0] - b->score[0], a->score[1] - b->score[1]);
    double size = fmax(hypot(a->score[0], a->score[1]), least_score / sqrt(t));
    double wrong = fmax(apart / size, fabs(a->log_p - b->log_p));
    return 2 * fmax(wrong, t * fabs(a->dt - b->dt) / (1 + t * fabs(a->dt)));
}

static mst_status put(const mst_manifold *m, const double *y, const answer *a,
                      const mst_heat_values *out)
{
    if (out->log_p != NULL)
        *out->log_p = a->log_p;
    if (out->dt_log_p != NULL)
        *out->dt_log_p = a->dt;
    if (out->hessian != NULL)
        memcpy(out->hessian, (double[]){a->hessian[0], a->hessian[1], a->hessian[1], a->hessian[2]},
               4 * sizeof *out->hessian);
    return out->score != NULL ? mst_manifold_from_frame(m, 1, y, a->score, out->score) : MST_OK;
}

/* ---- Rows ---- */

/* Of one set of modes: those that count, and their values at the last y, which many rows share. */
typedef struct shelf {
    const spectral_modes *modes;
    size_t *keep, kept;
    double *lambda, *at_y;
} shelf;

typedef struct desk {
    shelf shelf[2];
    size_t shelves;
    const double *y;
    size_t rows; /* of SURFACE_ROWS that are wanted */
    double *at_x, *work;
} desk;

static void desk_free(desk *d)
{
    for (size_t k = 0; k < 2; k++) {
        mst_release(d->shelf[k].keep);
        mst_release(d->shelf[k].lambda);
    }
    mst_release(d->work);
}

static mst_status shelf_new(shelf *s, const spectral_modes *modes, double t, size_t rows)
{
    s->modes = modes;
    MST_TRY(mst_allocate(&s->keep, modes->blocks));
    MST_TRY(mst_allocate(&s->lambda, (1 + rows) * modes->count));
    s->at_y = s->lambda + modes->count;
    s->kept = spectral_modes_keep(modes, t, s->keep, s->lambda);
    return MST_OK;
}

/* For times from t on. */
static mst_status desk_new(desk *d, const spectral_data *s, bool hessian, double t, bool judged)
{
    size_t count = s->modes[0]->count, work = spectral_modes_work(s->modes[0]);
    *d = (desk){.rows = hessian ? SURFACE_ROWS : SURFACE_SECOND, .shelves = judged ? 2 : 1};
    mst_status status = mst_allocate(&d->work, work + count);
    d->at_x = d->work + work;
    for (size_t k = 0; status == MST_OK && k < d->shelves; k++)
        status = shelf_new(&d->shelf[k], s->modes[k], t, d->rows);
    if (status != MST_OK)
        desk_free(d);
    return status;
}

static mst_status run_row(const mst_manifold *m, desk *d, const double *x, const double *y,
                          double t, const mst_heat_values *out, double *v)
{
    answer found[2] = {{0}};
    bool moved = d->y != y;
    d->y = y;
    for (size_t k = 0; k < d->shelves; k++) {
        shelf *s = &d->shelf[k];
        if (moved)
            MST_TRY(
                spectral_modes_values(s->modes, y, d->rows, s->keep, s->kept, d->work, s->at_y));
        MST_TRY(spectral_modes_values(s->modes, x, 1, s->keep, s->kept, d->work, d->at_x));
        if (0.5 * s->modes->largest * t < least_decay)
            continue;
        sums sum = add_up(s->kept, d->rows, t, s->lambda, d->at_x, s->at_y);
        found[k] = answer_of(&sum);
    }
    if (v != NULL)
        *v = judge(t, &found[0], &found[1]);
    if (!found[0].known)
        return solved_stand_in(m, x, y, t, out);
    return put(m, y, &found[0], out);
}

static mst_status run(const mst_score *score, const mst_pairs *p, const mst_heat_values *out,
                      double *v)
{
    const spectral_data *s = mst_score_data(score);
    const mst_manifold *m = mst_score_manifold(score);
    size_t D = mst_manifold_ambient(m);
    double least;
    desk d;
    MST_TRY(solved_check_rows(m, p, "eigenfunctions", &least));
    MST_TRY(desk_new(&d, s, out->hessian != NULL, least, v != NULL));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        mst_heat_values values = heat_values_at(out, m, i);
        status = run_row(m, &d, p->x + i * D, p->y + i * p->y_stride, p->t[i * p->t_stride],
                         &values, v != NULL ? v + i : NULL);
    }
    desk_free(&d);
    return status;
}

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    return run(s, pairs, out, NULL);
}

/* ---- The object ---- */

static void describe(const mst_score *s, mst_score_info *info)
{
    const spectral_data *d = mst_score_data(s);
    double products = 0;
    for (size_t k = 0; k < d->modes[0]->blocks; k++)
        products += (double)(d->modes[0]->block[k].size * d->modes[0]->block[k].size);
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN;
    info->precision = 1e-8;
    info->cost = 20 + 3e-4 * products;
    info->beyond = "at times too short for the eigenfunctions that there are";
    info->none = "at times too short, or too far apart, for the eigenfunctions that there are";
}

static void free_data(void *data)
{
    spectral_data *d = data;
    for (size_t k = 0; d != NULL && k < 2; k++)
        spectral_modes_free(d->modes[k]);
    mst_release(d);
}

static const mst_score_ops spectral_ops = {
    .size = sizeof spectral_ops,
    .name = "spectral",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_data,
    .validity = run,
};

/* The first set of about so many functions, the second of fewer. */
static mst_status find_sets(spectral_data *d, const mst_manifold *m, double functions)
{
    MST_TRY(spectral_modes_new(&d->modes[1], m, (size_t)(fewer * functions)));
    return spectral_modes_new(&d->modes[0], m, (size_t)functions);
}

/* As many as take a second or so: fewer on surfaces without symmetries, whose modes are of all functions. */
static mst_status find_usual_sets(spectral_data *d, const mst_manifold *m)
{
    const size_t usual = 900, large = 300;
    size_t largest = 0;
    MST_TRY(spectral_modes_new(&d->modes[1], m, (size_t)(fewer * (double)usual)));
    for (size_t k = 0; k < d->modes[1]->blocks; k++) {
        size_t size = d->modes[1]->block[k].size;
        largest = size > largest ? size : largest;
    }
    if (largest < large)
        return spectral_modes_new(&d->modes[0], m, usual);
    d->modes[0] = d->modes[1];
    d->modes[1] = NULL;
    return spectral_modes_new(&d->modes[1], m, (size_t)(fewer * fewer * (double)usual));
}

/* Surfaces that have no end, or that the functions are too few for, have another area by every set. */
static mst_status compare_areas(const spectral_data *d, const mst_manifold *m)
{
    const double most = 1e-3;
    double a = d->modes[0]->area, b = d->modes[1]->area;
    if (fabs(a - b) <= most * a)
        return MST_OK;
    return mst_fail(
        MST_UNABLE,
        "%s has no end, or is too crooked for so few functions: its area is %g by some and %g by "
        "more of them; take the expansion or a network",
        mst_manifold_spec(m), b, a);
}

mst_status mst_score_spectral_new(mst_score **out, const mst_manifold *m, size_t functions)
{
    const size_t few = 100, most = 4000;
    spectral_data *d;
    *out = NULL;
    if (functions > 0 && (functions < few || functions > most))
        return mst_fail(MST_ARGUMENT, "the option functions must be from %zu to %zu, not %zu", few,
                        most, functions);
    MST_TRY(mst_allocate_zero(&d, 1));
    mst_status status = functions > 0 ? find_sets(d, m, (double)functions) : find_usual_sets(d, m);
    if (status == MST_OK)
        status = compare_areas(d, m);
    if (status != MST_OK) {
        free_data(d);
        return status;
    }
    return mst_score_new(out, &spectral_ops, m, d);
}
