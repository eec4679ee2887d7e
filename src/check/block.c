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

mst_status check_score(const mst_score *source, size_t n, const double *x, const double *y,
                       const double *t, uint64_t first, double *score)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = mst_manifold_ambient(m);
    mst_pairs pairs = mst_pairs_rows(m, n, x, y, t);
    pairs.first = first;
    MST_TRY(mst_score_evaluate(source, &pairs, &(mst_heat_values){.score = score}));
    for (size_t k = 0; !mst_score_gives(source, MST_GIVES_TIME) && k < n * D; k++)
        score[k] /= t[k / D];
    return MST_OK;
}

/* What the score and that of the baseline have to do with the targets. */
static mst_status targets(const check_subject *s, size_t n, double t, uint64_t first,
                          const workspace *r, check_sums *sums)
{
    double loss = 0, baseline = 0, *square = r->other;
    if (s->baseline != NULL) {
        MST_TRY(check_score(s->baseline, n, r->x, r->y, r->t, first, r->score));
        MST_TRY(add_squares(s, n, r, r->score, r->w, &baseline));
    }
    MST_TRY(check_score(s->source, n, r->x, r->y, r->t, first, r->score));
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

/* The time derivative (left in r->time), both ways round and against its targets. */
static mst_status times(const check_subject *s, size_t n, uint64_t first, const workspace *r,
                        check_sums *sums)
{
    mst_pairs back = mst_pairs_rows(s->m, n, r->y, r->x, r->t);
    mst_pairs there = mst_pairs_rows(s->m, n, r->x, r->y, r->t);
    back.first = there.first = first;
    MST_TRY(mst_score_evaluate(s->source, &back, &(mst_heat_values){.dt_log_p = r->other}));
    MST_TRY(mst_score_evaluate(s->source, &there, &(mst_heat_values){.dt_log_p = r->time}));
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

bool check_times_compare(const check_subject *s)
{
    return s->time && s->reference != NULL && mst_score_gives(s->reference, MST_GIVES_TIME);
}

/* Rows that the reference itself does not trust: both scores are made equal, and count for nothing. */
static mst_status leave_out(const check_subject *s, size_t n, uint64_t first, const workspace *r,
                            check_sums *sums)
{
    mst_pairs pairs = mst_pairs_rows(s->m, n, r->x, r->y, r->t);
    double v[CHECK_BLOCK];
    pairs.first = first;
    if (!mst_score_gives(s->reference, MST_GIVES_VALIDITY))
        return MST_OK;
    MST_TRY(mst_score_validity(s->reference, &pairs, &(mst_heat_values){.dt_log_p = r->other}, v));
    for (size_t i = 0; i < n; i++) {
        if (v[i] < MST_VALIDITY_LIMIT)
            continue;
        sums->left_out++;
        r->time[i] = r->other[i] = 0;
        for (size_t k = i * s->D; k < (i + 1) * s->D; k++)
            r->score[k] = r->w[k] = 0;
    }
    return MST_OK;
}

/* With w and s̃ independent given the pair, both of mean s: <w − ŝ, s̃ − ŝ> has the mean |s − ŝ|². w is the
 * random target or, with much less noise, the score by other bridges. */
static mst_status against_judge(const check_subject *s, size_t n, size_t time_rows, uint64_t first,
                                const workspace *r, check_sums *sums)
{
    mst_pairs pairs = mst_pairs_rows(s->m, n, r->x, r->y, r->t);
    pairs.first = first;
    MST_TRY(mst_score_evaluate(s->judge, &pairs,
                               &(mst_heat_values){.score = r->difference, .dt_log_p = r->other}));
    if (s->twin != NULL)
        MST_TRY(mst_score_evaluate(s->twin, &pairs,
                                   &(mst_heat_values){.score = r->w, .dt_log_p = r->u}));
    for (size_t i = 0; s->time && i < time_rows; i++) {
        double c = (r->u[i] - r->time[i]) * (r->other[i] - r->time[i]), e = r->u[i] * r->other[i];
        sums->c += c;
        sums->e += e;
        sums->c_c += c * c;
        sums->c_e += c * e;
        sums->e_e += e * e;
    }
    MST_TRY(mst_manifold_inner(s->m, n, r->y, r->w, r->difference, r->other));
    for (size_t k = 0; k < n * s->D; k++) {
        r->w[k] -= r->score[k];
        r->difference[k] -= r->score[k];
    }
    MST_TRY(mst_manifold_inner(s->m, n, r->y, r->w, r->difference, r->inner));
    for (size_t i = 0; i < n; i++) {
        double a = r->inner[i], b = r->other[i];
        sums->a += a;
        sums->b += b;
        sums->a_a += a * a;
        sums->a_b += a * b;
        sums->b_b += b * b;
    }
    return MST_OK;
}

/* After the others: the reference's score takes the place of the targets. */
static mst_status against_reference(const check_subject *s, size_t n, size_t time_rows,
                                    uint64_t first, const workspace *r, check_sums *sums)
{
    bool compare = check_times_compare(s);
    MST_TRY(check_score(s->reference, n, r->x, r->y, r->t, first, r->w));
    if (compare) {
        mst_pairs pairs = mst_pairs_rows(s->m, time_rows, r->x, r->y, r->t);
        pairs.first = first;
        MST_TRY(mst_score_evaluate(s->reference, &pairs, &(mst_heat_values){.dt_log_p = r->other}));
    }
    MST_TRY(leave_out(s, n, first, r, sums));
    for (size_t i = 0; compare && i < time_rows; i++) {
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
    /* Every interval has numbers of its own. */
    uint64_t first = ((uint64_t)interval << 32) + (uint64_t)block * CHECK_BLOCK;
    MST_TRY(targets(s, n, t, first, r, sums));
    if (s->time)
        MST_TRY(times(s, time_rows, first, r, sums));
    if (s->time && (!s->fixed_time || !s->formula))
        MST_TRY(check_heat(s, heat_rows, r->x, r->y, t, r->time,
                           check_seed(s, interval, CHECK_DIRECTIONS), (uint64_t)block * CHECK_BLOCK,
                           sums));
    if (s->twin != NULL) { /* many paths of few pairs tell more than few of many */
        n = (n + 3) / 4;
        time_rows = n < time_rows ? n : time_rows;
    }
    if (s->judge != NULL)
        return against_judge(s, n, time_rows, first, r, sums);
    return s->reference != NULL ? against_reference(s, n, time_rows, first, r, sums) : MST_OK;
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

/* A relative error √q from an estimate of q = error²/size² and its standard error: that of √q and, unless
 * null, what √q exceeds in one case of 40. */
static double root_of(double q, double error, double *root_error, double *bound)
{
    double root = sqrt(fmax(q, 0));
    *root_error = error / (2 * fmax(root, sqrt(error / 2)));
    if (bound != NULL)
        *bound = sqrt(fmax(q, 0) + 2 * error);
    return root;
}

static void summarise_judge(const check_subject *s, const check_sums *u, mst_check_band *b)
{
    double error, q = slope_of(u->a, u->b, u->a_a, u->a_b, u->b_b, &error);
    b->score_error = root_of(q, error, &b->score_error_se, &b->score_bound);
    if (!s->time || !mst_score_gives(s->judge, MST_GIVES_TIME))
        return;
    q = slope_of(u->c, u->e, u->c_c, u->c_e, u->e_e, &error);
    b->time_error = root_of(q, error, &b->time_error_se, NULL);
}

void check_summarise(const check_subject *s, const check_sums *u, mst_check_band *b)
{
    /* On flat manifolds the baseline may be exact and its targets without noise; networks compute in single
     * precision, and below it there is nothing to compare. */
    b->excess = u->baseline_loss > 1e-10 * u->rows ? u->loss / u->baseline_loss - 1 : NAN;
    b->slope = slope_of(u->ws, u->ss, u->ws_ws, u->ws_ss, u->ss_ss, &b->slope_error);
    b->time_slope = slope_of(u->up, u->pp, u->up_up, u->up_pp, u->pp_pp, &b->time_slope_error);
    b->asymmetry = sqrt(u->twist / u->pp);
    b->heat_residual = s->fixed_time ? NAN : sqrt(u->residual / u->motion);
    if (!s->formula && (s->fixed_time || !isnan(b->heat_residual)))
        b->heat_residual = fmax(b->heat_residual, sqrt(u->head_error / u->head_size));
    b->score_error = s->reference != NULL ? sqrt(u->error / u->size) : NAN;
    b->compared = s->reference != NULL || s->judge != NULL ? 1 - u->left_out / u->rows : NAN;
    b->time_error = check_times_compare(s) ? sqrt(u->time_error / u->time_size) : NAN;
    b->mean_shift = b->time_shift = b->mean_gap = b->time_gap = NAN;
    b->score_error_se = b->time_error_se = b->score_bound = NAN;
    if (s->judge != NULL)
        summarise_judge(s, u, b);
}
