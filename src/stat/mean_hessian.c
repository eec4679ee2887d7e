/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Second derivatives of the log-likelihood in the mean by differences of gradients. */
#include "stat/fit_steps.h"
#include "stat/mean_cut_locus.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* The gradient at Exp of `step` (d), carried back to the mean: back (d). It comes home the way it went,
 * backwards, so that no logarithm is needed. work: 4 D + 1 + d. */
static mst_status gradient_beside(const fit_means *model, const double *state, const double *step,
                                  double *back, double *work)
{
    const mst_manifold *m = mst_score_manifold(model->model.source);
    size_t D = mst_manifold_ambient(m);
    double *moved = work, *v = moved + D + 1, *home = v + D, *carried = home + D;
    fit_sums sums = {.gradient = carried + D};
    MST_TRY(mst_manifold_from_frame(m, 1, state, step, v));
    MST_TRY(mst_manifold_exp(m, 1, state, v, moved));
    moved[D] = state[D];
    MST_TRY(mst_manifold_transport(m, 1, state, v, v, home));
    for (size_t a = 0; a < D; a++)
        home[a] = -home[a];
    MST_TRY(fit_evaluate(&model->model, moved, &sums));
    MST_TRY(mst_manifold_from_frame(m, 1, moved, sums.gradient, v));
    MST_TRY(mst_manifold_transport(m, 1, moved, home, v, carried));
    return mst_manifold_to_frame(m, 1, state, carried, back);
}

/* Hessian of Σ w log p in the mean by central differences of the gradient. */
static mst_status difference_sums(const fit_means *model, const double *state, double h,
                                  double *hessian)
{
    const mst_manifold *m = mst_score_manifold(model->model.source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *c;
    MST_TRY(mst_allocate(&c, 3 * d + 4 * D + 1 + d * d));
    double *back = c + d, *raw = back + d, *work = raw + d * d;
    mst_status status = MST_OK;
    memset(raw, 0, d * d * sizeof *raw);
    for (size_t k = 0; status == MST_OK && k < 2 * d; k++) {
        double step = k % 2 == 0 ? h : -h;
        memset(c, 0, d * sizeof *c);
        c[k / 2] = step;
        status = gradient_beside(model, state, c, back, work);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            raw[(k / 2) * d + a] += back[a] / (2 * step);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            hessian[i * d + k] = 0.5 * (raw[i * d + k] + raw[k * d + i]);
    mst_release(c);
    return status;
}

/* ---- Row by row, where one may jump ---- */

/* Where to look, and what carries frame coordinates there back: (d, d). */
typedef struct place_beside {
    double *state, *back, *rows; /* (D + 1), (d, d), (n, d + 1) */
} place_beside;

/* The place at Exp of `step` (d) and the rows' gradients there. work: 4 D + d. */
static mst_status rows_beside(const fit_means *model, const double *state, const double *step,
                              place_beside *p, double *work)
{
    const mst_manifold *m = mst_score_manifold(model->model.source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *v = work, *home = v + D, *u = home + D, *carried = u + D, *c = carried + D;
    MST_TRY(mst_manifold_from_frame(m, 1, state, step, v));
    MST_TRY(mst_manifold_exp(m, 1, state, v, p->state));
    p->state[D] = state[D];
    MST_TRY(mst_manifold_transport(m, 1, state, v, v, home));
    for (size_t a = 0; a < D; a++)
        home[a] = -home[a];
    for (size_t a = 0; a < d; a++) {
        memset(c, 0, d * sizeof *c);
        c[a] = 1;
        MST_TRY(mst_manifold_from_frame(m, 1, p->state, c, u));
        MST_TRY(mst_manifold_transport(m, 1, p->state, home, u, carried));
        MST_TRY(mst_manifold_to_frame(m, 1, state, carried, c));
        for (size_t e = 0; e < d; e++)
            p->back[e * d + a] = c[e];
    }
    return fit_row_gradients(&model->model, p->state, 0, p->rows);
}

static double carried_back(const place_beside *p, size_t d, size_t row, size_t a)
{
    double sum = 0;
    for (size_t e = 0; e < d; e++)
        sum += p->back[a * d + e] * p->rows[row * (d + 1) + e];
    return sum;
}

/* The change (d) of the mean gradient from one place to the other, without the rows that jump: those between
 * whose places the cut locus lies. What they do is mean_cut_locus's to say. */
static void add_changes(const fit_rows *rows, size_t d, double h, const place_beside *ahead,
                        const place_beside *behind, double *change, double *sum)
{
    double total = 0, kept = 0;
    memset(sum, 0, d * sizeof *sum);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1, size = 0, length = 0;
        for (size_t a = 0; a < d; a++) {
            double one = carried_back(ahead, d, i, a), two = carried_back(behind, d, i, a);
            change[a] = one - two;
            size += change[a] * change[a];
            length += one * one;
        }
        total += w;
        if (w == 0 || sqrt(size) > fmax(100 * h, 0.1 * sqrt(length)))
            continue;
        kept += w;
        for (size_t a = 0; a < d; a++)
            sum[a] += w * change[a];
    }
    for (size_t a = 0; a < d; a++)
        sum[a] *= kept > 0 ? total / kept : NAN;
}

static mst_status difference_rows(const fit_means *model, const double *state, double h,
                                  double *hessian)
{
    const mst_manifold *m = mst_score_manifold(model->model.source);
    const fit_rows *rows = &model->model.rows[0];
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    size_t each = D + 1 + d * d + rows->n * (d + 1);
    double *memory;
    MST_TRY(mst_allocate(&memory, 2 * each + 4 * D + 4 * d + d * d));
    place_beside side[2];
    for (size_t k = 0; k < 2; k++) {
        side[k].state = memory + k * each;
        side[k].back = side[k].state + D + 1;
        side[k].rows = side[k].back + d * d;
    }
    double *raw = memory + 2 * each, *c = raw + d * d, *change = c + d, *sum = change + d,
           *work = sum + d;
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < d; k++) {
        for (size_t s = 0; status == MST_OK && s < 2; s++) {
            memset(c, 0, d * sizeof *c);
            c[k] = s == 0 ? h : -h;
            status = rows_beside(model, state, c, &side[s], work);
        }
        if (status == MST_OK)
            add_changes(rows, d, h, &side[0], &side[1], change, sum);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            raw[k * d + a] = sum[a] / (2 * h);
    }
    for (size_t i = 0; status == MST_OK && i < d; i++)
        for (size_t k = 0; k < d; k++)
            hessian[i * d + k] = 0.5 * (raw[i * d + k] + raw[k * d + i]);
    mst_release(memory);
    return status;
}

/* The step of a Fréchet mean on a manifold that ends somewhere goes by the spread of the rows if that is
 * small: nothing else tells its scale. */
static mst_status fit_step(const fit_means *model, const double *state, double *h)
{
    const fit_model *m = &model->model;
    const mst_manifold *manifold = mst_score_manifold(m->source);
    if (!mst_manifold_traits_of(manifold)->has_border || mst_score_gives(m->source, MST_GIVES_TIME))
        return MST_OK;
    double *gradient;
    MST_TRY(mst_allocate(&gradient, m->parameters));
    fit_sums sums = {.gradient = gradient};
    mst_status status = fit_evaluate(m, state, &sums);
    mst_release(gradient);
    double spread = status == MST_OK ? fit_spread(m, &sums) : 0;
    if (spread > 0) /* other factors of a product have their scale */
        *h *= mst_manifold_factor_count(manifold) == 1 ? spread : fmin(1, spread);
    return status;
}

mst_status mean_difference_hessian(const fit_means *model, const double *state, double h,
                                   double *hessian)
{
    MST_TRY(fit_step(model, state, &h));
    return mean_has_cut_locus(model->model.source) ? difference_rows(model, state, h, hessian)
                                                   : difference_sums(model, state, h, hessian);
}
