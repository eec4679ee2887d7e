/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Does the score solve the heat equation? With φ = ½(div s + |s|²), which is ∂_t log p, it reads
 * ∂_t s = ∇φ. Both sides by central differences along a random direction; networks compute in float, and
 * steps of a hundredth of the natural scales keep both rounding and truncation near 1e-4. */
#include "check/parts.h"

#include <math.h>
#include <string.h>

static const double time_step = 0.01, space_step = 0.01;
/* Sources without a Hessian have a divergence by differences only, and then differences of these. */
static const double energy_step = 0.05;

enum { ROWS = CHECK_HEAT_ROWS };

typedef struct workspace {
    double *direction, *move, *point, *score, *back; /* (ROWS, D) */
    double *frame, *hessian;                         /* (ROWS, d, D) and (ROWS, d, d) */
    double *t, *along, *change, *phi, *inner;        /* (ROWS) */
} workspace;

static mst_status workspace_new(workspace *r, size_t d, size_t D)
{
    MST_TRY(mst_allocate(&r->direction, ROWS * (5 * D + d * D + d * d + 5)));
    r->move = r->direction + ROWS * D;
    r->point = r->move + ROWS * D;
    r->score = r->point + ROWS * D;
    r->back = r->score + ROWS * D;
    r->frame = r->back + ROWS * D;
    r->hessian = r->frame + ROWS * d * D;
    r->t = r->hessian + ROWS * d * d;
    r->along = r->t + ROWS;
    r->change = r->along + ROWS;
    r->phi = r->change + ROWS;
    r->inner = r->phi + ROWS;
    return MST_OK;
}

static double step_of(const check_subject *s, double t)
{
    bool hessian = mst_score_gives(s->source, MST_GIVES_HESSIAN);
    return (hessian ? space_step : energy_step) * sqrt(t);
}

/* Unit vectors at y. */
static mst_status choose_directions(const check_subject *s, size_t n, const double *y,
                                    uint64_t seed, uint64_t first, const workspace *r)
{
    double *c = r->hessian;
    size_t d = s->d;
    mst_random_normals((mst_random){seed, 0}, first * d, n * d, c);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < d; a++)
            square += c[i * d + a] * c[i * d + a];
        for (size_t a = 0; a < d; a++)
            c[i * d + a] /= sqrt(square);
    }
    return mst_manifold_from_frame(s->m, n, y, c, r->direction);
}

static void set_times(size_t n, double t, const workspace *r)
{
    for (size_t i = 0; i < n; i++)
        r->t[i] = t;
}

/* <∂_t s, v>, to r->along. */
static mst_status time_side(const check_subject *s, size_t n, const double *x, const double *y,
                            double t, const workspace *r)
{
    const mst_score_info *info = mst_score_describe(s->source);
    double low = t * (1 - time_step), high = t * (1 + time_step), span = 2 * time_step * t;
    if (low < info->t_least || high > info->t_largest) {
        low = fmax(low, info->t_least);
        high = fmin(high, info->t_largest);
        span = high - low;
    }
    memset(r->along, 0, n * sizeof *r->along);
    for (int sign = -1; sign <= 1; sign += 2) {
        set_times(n, sign < 0 ? low : high, r);
        MST_TRY(mst_score_evaluate_rows(s->source, n, x, y, r->t,
                                        &(mst_heat_values){.score = r->score}));
        MST_TRY(mst_manifold_inner(s->m, n, y, r->score, r->direction, r->inner));
        for (size_t i = 0; i < n; i++)
            r->along[i] += sign * r->inner[i] / span;
    }
    set_times(n, t, r);
    return MST_OK;
}

/* div s at z by differences: <∇_a s, E_a> is the derivative of <s, γ'> along the geodesic
 * γ of E_a. Added to phi. */
static mst_status add_divergence(const check_subject *s, size_t n, const double *x, const double *z,
                                 const workspace *r, double *q)
{
    size_t D = s->D;
    double h = step_of(s, r->t[0]);
    MST_TRY(mst_manifold_frame(s->m, n, z, r->frame));
    for (size_t k = 0; k < 2 * s->d; k++) {
        double sign = k % 2 == 0 ? 1 : -1;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < D; j++)
                r->move[i * D + j] = sign * h * r->frame[(i * s->d + k / 2) * D + j];
        MST_TRY(mst_manifold_exp(s->m, n, z, r->move, q));
        MST_TRY(mst_manifold_transport(s->m, n, z, r->move, r->move, r->back));
        MST_TRY(mst_score_evaluate_rows(s->source, n, x, q, r->t,
                                        &(mst_heat_values){.score = r->score}));
        MST_TRY(mst_manifold_inner(s->m, n, q, r->score, r->back, r->inner));
        /* The vector is ±h γ', and the difference of the two ends is divided by 2h. */
        for (size_t i = 0; i < n; i++)
            r->phi[i] += r->inner[i] / (2 * h * h);
    }
    return MST_OK;
}

/* φ at z by the formula, to r->phi, whatever the source says its time derivative is. */
static mst_status formula(const check_subject *s, size_t n, const double *x, const double *z,
                          const workspace *r)
{
    bool hessian = mst_score_gives(s->source, MST_GIVES_HESSIAN);
    if (s->formula)
        return mst_score_evaluate_rows(s->source, n, x, z, r->t,
                                       &(mst_heat_values){.dt_log_p = r->phi});
    memset(r->phi, 0, n * sizeof *r->phi);
    if (!hessian) {
        double *q;
        MST_TRY(mst_allocate(&q, n * s->D));
        mst_status status = add_divergence(s, n, x, z, r, q);
        mst_release(q);
        MST_TRY(status);
    }
    mst_heat_values values = {.score = r->score, .hessian = hessian ? r->hessian : NULL};
    MST_TRY(mst_score_evaluate_rows(s->source, n, x, z, r->t, &values));
    MST_TRY(mst_manifold_inner(s->m, n, z, r->score, r->score, r->inner));
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < s->d && hessian; a++)
            r->phi[i] += r->hessian[(i * s->d + a) * s->d + a];
        r->phi[i] = 0.5 * (r->phi[i] + r->inner[i]);
    }
    return MST_OK;
}

/* <∇φ, v>, to r->change. */
static mst_status space_side(const check_subject *s, size_t n, const double *x, const double *y,
                             const workspace *r)
{
    double h = step_of(s, r->t[0]);
    memset(r->change, 0, n * sizeof *r->change);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t k = 0; k < n * s->D; k++)
            r->move[k] = sign * h * r->direction[k];
        MST_TRY(mst_manifold_exp(s->m, n, y, r->move, r->point));
        MST_TRY(formula(s, n, x, r->point, r));
        for (size_t i = 0; i < n; i++)
            r->change[i] += sign * r->phi[i] / (2 * h);
    }
    return MST_OK;
}

static mst_status compare(const check_subject *s, size_t n, const double *x, const double *y,
                          double t, const double *time_derivative, const workspace *r,
                          check_sums *sums)
{
    set_times(n, t, r);
    if (!s->formula) {
        MST_TRY(formula(s, n, x, y, r));
        for (size_t i = 0; i < n; i++) {
            double error = time_derivative[i] - r->phi[i];
            sums->head_error += error * error;
            sums->head_size += time_derivative[i] * time_derivative[i];
        }
    }
    if (s->fixed_time)
        return MST_OK;
    MST_TRY(time_side(s, n, x, y, t, r));
    MST_TRY(space_side(s, n, x, y, r));
    for (size_t i = 0; i < n; i++) {
        double error = r->along[i] - r->change[i];
        sums->residual += error * error;
        sums->motion += r->along[i] * r->along[i];
    }
    return MST_OK;
}

mst_status check_heat(const check_subject *s, size_t n, const double *x, const double *y, double t,
                      const double *time_derivative, uint64_t seed, uint64_t first,
                      check_sums *sums)
{
    workspace r;
    MST_TRY(workspace_new(&r, s->d, s->D));
    mst_status status = choose_directions(s, n, y, seed, first, &r);
    if (status == MST_OK)
        status = compare(s, n, x, y, t, time_derivative, &r, sums);
    mst_release(r.direction);
    return status;
}
