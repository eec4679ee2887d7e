/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sums over one block of fresh samples, and what they say about a band. */
#include "check/parts.h"

#include <math.h>

typedef struct workspace {
    double *x, *y, *w, *score, *difference; /* (CHECK_BLOCK, D) */
    double *t, *u, *inner, *time, *other;   /* (CHECK_BLOCK) */
} workspace;

static mst_status workspace_new(workspace *r, size_t D)
{
    enum { N = CHECK_BLOCK };
    MST_TRY(mst_allocate(&r->x, N * (5 * D + 5)));
    r->y = r->x + N * D;
    r->w = r->y + N * D;
    r->score = r->w + N * D;
    r->difference = r->score + N * D;
    r->t = r->difference + N * D;
    r->u = r->t + N;
    r->inner = r->u + N;
    r->time = r->inner + N;
    r->other = r->time + N;
    return MST_OK;
}

static mst_status draw(const check_subject *s, size_t interval, size_t block, size_t n, double t,
                       const workspace *r)
{
    sample_plan *plan;
    MST_TRY(check_plan(s, t, check_seed(s, interval, CHECK_PATHS), &plan));
    sample_rows rows = {.x = r->x, .y = r->y, .t = r->t, .target = r->w, .time_target = r->u};
    mst_status status = sample_draw(plan, (uint64_t)block * CHECK_BLOCK, n, &rows);
    sample_plan_free(plan);
    return status;
}

/* Σ|a − b|² for tangent vectors at y; the square of b = null is that of zero. */
static mst_status add_squares(const check_subject *s, size_t n, const workspace *r, const double *a,
                              const double *b, double *sum)
{
    for (size_t k = 0; k < n * s->D; k++)
        r->difference[k] = a[k] - (b != NULL ? b[k] : 0);
    MST_TRY(mst_manifold_inner(s->m, n, r->y, r->difference, r->difference, r->inner));
    for (size_t i = 0; i < n; i++)
        *sum += r->inner[i];
    return MST_OK;
}

/* What the network's score and that of the baseline have to do with the targets. */
static mst_status targets(const check_subject *s, size_t n, double t, const workspace *r,
                          check_sums *sums)
{
    double loss = 0, baseline = 0, *square = r->other;
    MST_TRY(mst_score_evaluate_rows(s->baseline, n, r->x, r->y, r->t,
                                    &(mst_heat_values){.score = r->score}));
    MST_TRY(add_squares(s, n, r, r->score, r->w, &baseline));
    MST_TRY(mst_score_evaluate_rows(s->network, n, r->x, r->y, r->t,
                                    &(mst_heat_values){.score = r->score}));
    MST_TRY(add_squares(s, n, r, r->score, r->w, &loss));
    sums->loss += t * loss / (double)s->d;
    sums->baseline_loss += t * baseline / (double)s->d;
    MST_TRY(mst_manifold_inner(s->m, n, r->y, r->w, r->score, r->inner));
    MST_TRY(mst_manifold_inner(s->m, n, r->y, r->score, r->score, square));
    for (size_t i = 0; i < n; i++) {
        double a = r->inner[i], b = square[i];
        sums->ws += a;
        sums->ss += b;
        sums->ws_ws += a * a;
        sums->ws_ss += a * b;
        sums->ss_ss += b * b;
    }
    return MST_OK;
}

/* The network's time derivative (left in r->time), both ways round and against its targets. */
static mst_status times(const check_subject *s, size_t n, const workspace *r, check_sums *sums)
{
    MST_TRY(mst_score_evaluate_rows(s->network, n, r->y, r->x, r->t,
                                    &(mst_heat_values){.dt_log_p = r->other}));
    MST_TRY(mst_score_evaluate_rows(s->network, n, r->x, r->y, r->t,
                                    &(mst_heat_values){.dt_log_p = r->time}));
    for (size_t i = 0; i < n; i++) {
        double p = r->time[i], twist = p - r->other[i], a = r->u[i] * p, b = p * p;
        sums->twist += twist * twist;
        sums->up += a;
        sums->pp += b;
        sums->up_up += a * a;
        sums->up_pp += a * b;
        sums->pp_pp += b * b;
    }
    return MST_OK;
}

/* After the others: the exact score takes the place of the targets. */
static mst_status against_exact(const check_subject *s, size_t n, size_t time_rows,
                                const workspace *r, check_sums *sums)
{
    MST_TRY(mst_heat_kernel_times(s->m, n, r->x, r->y, r->t, 1,
                                  &(mst_heat_values){.score = r->w, .dt_log_p = r->other}));
    for (size_t i = 0; i < time_rows; i++) {
        double error = r->time[i] - r->other[i];
        sums->time_error += error * error;
        sums->time_size += r->other[i] * r->other[i];
    }
    MST_TRY(add_squares(s, n, r, r->score, r->w, &sums->error));
    return add_squares(s, n, r, r->w, NULL, &sums->size);
}

static mst_status sum_up(const check_subject *s, size_t interval, size_t block, size_t n, double t,
                         const workspace *r, check_sums *sums)
{
    size_t time_rows = n < CHECK_TIME_ROWS ? n : CHECK_TIME_ROWS;
    size_t heat_rows = n < CHECK_HEAT_ROWS ? n : CHECK_HEAT_ROWS;
    MST_TRY(draw(s, interval, block, n, t, r));
    sums->rows += (double)n;
    MST_TRY(targets(s, n, t, r, sums));
    MST_TRY(times(s, time_rows, r, sums));
    if (!s->fixed_time || s->net->info.time_head)
        MST_TRY(check_heat(s, heat_rows, r->x, r->y, t, r->time,
                           check_seed(s, interval, CHECK_DIRECTIONS), (uint64_t)block * CHECK_BLOCK,
                           sums));
    return s->exact ? against_exact(s, n, time_rows, r, sums) : MST_OK;
}

mst_status check_block(const check_subject *s, size_t interval, size_t block, size_t n, double t,
                       check_sums *sums)
{
    workspace r;
    MST_TRY(workspace_new(&r, s->D));
    mst_status status = sum_up(s, interval, block, n, t, &r, sums);
    mst_release(r.x);
    return status;
}

/* The slope Σa/Σb, and its standard error from the rows' own scatter about it. */
static double slope_of(double a, double b, double aa, double ab, double bb, double *error)
{
    double slope = a / b;
    *error = sqrt(fmax(0, aa - 2 * slope * ab + slope * slope * bb)) / b;
    return slope;
}

void check_summarise(const check_subject *s, const check_sums *u, mst_check_band *b)
{
    bool head = s->net->info.time_head;
    /* On flat manifolds the baseline may be exact and its targets without noise. */
    b->excess = u->baseline_loss > 1e-20 * u->rows ? u->loss / u->baseline_loss - 1 : NAN;
    b->slope = slope_of(u->ws, u->ss, u->ws_ws, u->ws_ss, u->ss_ss, &b->slope_error);
    b->time_slope = slope_of(u->up, u->pp, u->up_up, u->up_pp, u->pp_pp, &b->time_slope_error);
    b->asymmetry = sqrt(u->twist / u->pp);
    b->heat_residual = s->fixed_time ? NAN : sqrt(u->residual / u->motion);
    if (head && (s->fixed_time || !isnan(b->heat_residual)))
        b->heat_residual = fmax(b->heat_residual, sqrt(u->head_error / u->head_size));
    b->score_error = s->exact ? sqrt(u->error / u->size) : NAN;
    b->time_error = s->exact ? sqrt(u->time_error / u->time_size) : NAN;
    b->mean_shift = b->time_shift = b->mean_gap = b->time_gap = NAN;
}
