/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Led paths on any manifold, row by row. Forward, with g = Log_X(x) or its stand-in in the frame at X and c =
 * h/τ the share of the time that is left, the increment of a step is
 *
 *     b = c g + √(h (1 − c)) ξ,   X ← Exp_X((I − A + ½A²) b),  A = (h/12) Ric,
 *
 * as a bridge of flat space makes it. The free walk has b = √h ξ', so the step multiplies the weight by the
 * ratio of two normal densities, which is exact for every g:
 *
 *     (d/2) log(1 − c) + ½|ξ|² − |b|²/2h.
 *
 * Backward, the sweep of training (train/samples_walk.c, samples_steps.c) with steps of different lengths:
 * with γ = e^(−κs), η = e^(κs),
 *
 *     λ_k = γ_k (I − ¼hR) b_k + μ_k,   μ_k = M P λ_{k+1},   score λ_0/Σ γ_k h_k,
 *     V = Σ η_k <(I + ¼hR) b_k, μ_k> + ½(|b_k|² − d h_k),
 *
 * and V/2 over Σ_k η_k h_k Σ_{l>k} γ_l h_l + ½ h_k² (1 + ρh_k/6) is the time derivative. Manifolds with steps
 * that can be differentiated carry λ back by the adjoint of the step, which takes no transport. */
#include "heat/bridge_parts.h"
#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

typedef struct rows {
    const bridge_block *b;
    const mst_manifold *m;
    size_t n, d, D, steps;
    bool keeps;                   /* what the sweep reads of all steps: scores are wanted */
    bool flows;                   /* by steps that can be differentiated */
    double *x;                    /* (steps, n, D), or (1, n, D): where the paths are */
    double *walked;               /* (steps, n, D): the way, or the normals (n, d) of `step` */
    double *own, *partner;        /* (steps, n, D): (I ∓ ¼hR) b */
    double *square;               /* (steps, n): |b|² */
    double *guide, *c, *r, *r2;   /* (n, D) */
    double *lambda, *back, *next; /* (n, D) */
    double *g, *xi;               /* (n, d) */
    double *half, *number;        /* (n) */
    double *ricci, *ends;         /* (n): tr Ric/d at y and at x */
    double h[MST_LANES];
    bool lost[MST_LANES];
    double *memory;
} rows;

static mst_status rows_new(rows *r, const bridge_block *b)
{
    const mst_manifold *m = b->m;
    size_t n = b->n, d = m->dim, D = m->ambient, steps = b->grid->steps;
    *r = (rows){.b = b, .m = m, .n = n, .d = d, .D = D, .steps = steps};
    r->keeps = b->score != NULL || b->time != NULL;
    r->flows = m->ops.step != NULL && m->ops.step_adjoint != NULL;
    size_t kept = r->keeps ? steps : 1;
    MST_TRY(mst_allocate(&r->memory, n * ((4 * kept + 7) * D + kept + 2 * d + 4)));
    double *next = r->memory;
    double **all[] = {&r->x, &r->walked, &r->own,    &r->partner, &r->guide, &r->c,
                      &r->r, &r->r2,     &r->lambda, &r->back,    &r->next};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        *all[k] = next;
        next += n * D * (k < 4 ? kept : 1);
    }
    r->square = next;
    r->g = r->square + n * kept;
    r->xi = r->g + n * d;
    r->half = r->xi + n * d;
    r->number = r->half + n;
    r->ricci = r->number + n;
    r->ends = r->ricci + n;
    return MST_OK;
}

mst_status bridge_mean_ricci(const mst_manifold *m, size_t n, const double *x, double *out)
{
    size_t d = m->dim, D = m->ambient;
    double *frame, *points, *numbers;
    if (mst_manifold_is_flat(m) || !isnan(m->traits.curvature)) {
        double all = mst_manifold_is_flat(m) ? 0 : m->traits.curvature * ((double)d - 1);
        for (size_t i = 0; i < n; i++)
            out[i] = all;
        return MST_OK;
    }
    MST_TRY(mst_allocate(&frame, 3 * d * D + d));
    points = frame + d * D;
    numbers = frame + 3 * d * D;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        out[i] = i > 0 ? out[i - 1] : 0;
        if (i > 0 && memcmp(x + i * D, x + (i - 1) * D, D * sizeof *x) == 0)
            continue;
        mst_repeat_point(d, D, x + i * D, points);
        status = mst_manifold_frame(m, 1, x + i * D, frame);
        if (status == MST_OK)
            status = mst_manifold_ricci(m, d, points, frame, points + d * D);
        if (status == MST_OK)
            status = mst_manifold_inner(m, d, points, frame, points + d * D, numbers);
        out[i] = 0;
        for (size_t a = 0; status == MST_OK && a < d; a++)
            out[i] += numbers[a] / (double)d;
    }
    mst_release(frame);
    return status;
}

double bridge_last_step(size_t d, double h, double square, double bend, double ricci)
{
    double half = 0.5 * (double)d;
    return -0.5 * square / h - half * log(6.283185307179586477 * h) + bend / 12 +
           h * (double)d * ricci / 12;
}

/* v toward the end from x, its squared length in r->number, and ½r² in r->half. */
static mst_status find_guide(rows *r, const double *x)
{
    const mst_manifold *m = r->m;
    if (r->b->log)
        MST_TRY(mst_manifold_log(m, r->n, x, r->b->x, r->guide, NULL));
    else
        MST_TRY(mst_manifold_toward(m, r->n, x, r->b->x, r->half, r->guide, NULL));
    MST_TRY(mst_manifold_inner(m, r->n, x, r->guide, r->guide, r->number));
    /* With f = ½r² + q r⁴ we have |∇f|² = r² + 8q r⁴, and r² = (8f − |∇f|²)/3 up to r⁶. */
    for (size_t i = 0; i < r->n; i++)
        r->half[i] = r->b->log ? 0.5 * r->number[i] : (4 * r->half[i] - 0.5 * r->number[i]) / 3;
    return MST_OK;
}

/* The guide as strong as it should be when the share `left` of the time is left, by Ricci's tensor. */
static mst_status pull(rows *r, double left, const double *x)
{
    const mst_manifold *m = r->m;
    if (mst_manifold_is_flat(m) || (m->traits.closed & MST_CLOSED_RICCI) == 0)
        return MST_OK;
    MST_TRY(mst_manifold_ricci(m, r->n, x, r->guide, r->r));
    MST_TRY(mst_manifold_inner(m, r->n, x, r->guide, r->r, r->half));
    for (size_t i = 0; i < r->n; i++) {
        double square = r->number[i];
        double by = square > 0 ? bridge_pull(r->half[i] / (3 * square), left * r->b->t[i]) : 1;
        for (size_t a = i * r->D; a < (i + 1) * r->D; a++)
            r->guide[a] *= by;
    }
    return MST_OK;
}

/* The increments of step k to r->g, in the frame at x, and the weights of them. */
static mst_status lead(rows *r, size_t k, const double *x)
{
    const mst_manifold *m = r->m;
    size_t n = r->n, d = r->d;
    bool angles = r->b->log && m->traits.angles;
    bool round = r->b->log && !isnan(m->traits.curvature) && !angles;
    double share = r->b->grid->share[k], left = 1 - r->b->grid->from[k], u[MST_LANES] = {0};
    const double *xi = r->b->xi + k * d * MST_LANES;
    static const bridge_ways one = {.count = 1, .by = {1}, .mass = {1}};
    MST_TRY(find_guide(r, x));
    if (!round)
        MST_TRY(pull(r, left, x));
    MST_TRY(mst_manifold_to_frame(m, n, x, r->guide, r->g));
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++)
            r->xi[i * d + a] = r->lost[i] ? 0 : xi[a * MST_LANES + i];
    if (round && m->traits.cut_is_wall)
        bridge_uniform(r->b, k * d, u);
    for (size_t i = 0; i < n; i++) {
        double tau = left * r->b->t[i], *g = r->g + i * d, *z = r->xi + i * d, square = 0;
        bridge_ways ways = round ? bridge_round_ways(m, sqrt(r->number[i]), tau) : one;
        if (!angles)
            r->b->log_weight[i] += bridge_lead(d, &ways, share, r->h[i], u[i], z, g);
        for (size_t a = 0; r->lost[i] && a < d; a++)
            g[a] = 0;
        for (size_t a = 0; a < d; a++)
            square += g[a] * g[a];
        r->square[r->keeps ? k * n + i : i] = square;
    }
    for (size_t a = 0; angles && a < d; a++) {
        bridge_uniform(r->b, k * d + a, u);
        for (size_t i = 0; i < n; i++) {
            double *g = &r->g[i * d + a], *square = &r->square[r->keeps ? k * n + i : i];
            bridge_ways ways = bridge_angle_ways(*g, left * r->b->t[i]);
            *square -= *g * *g;
            r->b->log_weight[i] +=
                bridge_lead(1, &ways, share, r->h[i], u[i], &r->xi[i * d + a], g);
            *square += *g * *g;
        }
    }
    return MST_OK;
}

/* (I ∓ ¼hR + …) c of step k, c being the increments as vectors at x. */
static void keep(rows *r, size_t k, double sign)
{
    size_t D = r->D, at = r->keeps ? k * r->n * D : 0;
    bool flat = mst_manifold_is_flat(r->m);
    for (size_t i = 0; i < r->n; i++) {
        double quarter = r->h[i] / 4;
        for (size_t a = i * D; a < (i + 1) * D; a++) {
            double even = r->c[a] + (flat ? 0 : quarter * quarter / 2 * r->r2[a]);
            double odd = flat ? 0 : quarter * r->r[a];
            (sign < 0 ? r->own : r->partner)[at + a] = even + sign * odd;
        }
    }
}

/* By geodesics; lost paths have NAN in r->next. */
static mst_status walk(rows *r, size_t k, const double *x)
{
    const mst_manifold *m = r->m;
    size_t n = r->n, D = r->D;
    double *v = r->walked + (r->keeps ? k * n * D : 0);
    MST_TRY(mst_manifold_from_frame(m, n, x, r->g, r->c));
    memcpy(v, r->c, n * D * sizeof *v);
    if (!mst_manifold_is_flat(m)) {
        MST_TRY(mst_ricci_twice(m, n, x, r->c, r->r, r->r2));
        for (size_t i = 0; i < n; i++) {
            double part = r->h[i] / 12;
            for (size_t a = i * D; a < (i + 1) * D; a++)
                v[a] += part * (part / 2 * r->r2[a] - r->r[a]);
        }
    }
    if (r->keeps) {
        keep(r, k, -1);
        keep(r, k, 1);
    }
    mst_status ends[MST_LANES];
    return mst_can_be_left(m) ? mst_exp_each(m, n, x, v, r->next, ends)
                              : mst_manifold_exp(m, n, x, v, r->next);
}

/* By steps that can be differentiated. */
static mst_status flow(rows *r, size_t k, const double *x)
{
    const mst_manifold *m = r->m;
    size_t n = r->n, d = r->d, D = r->D, at = r->keeps ? k * n * D : 0;
    bool bends = (m->traits.closed & MST_CLOSED_RICCI) != 0 && !mst_manifold_is_flat(m);
    double *xi = r->walked + at, *arrived = r->partner + at;
    MST_TRY(mst_manifold_from_frame(m, n, x, r->g, r->c));
    for (size_t i = 0; i < n; i++)
        for (size_t a = i * d; a < (i + 1) * d; a++)
            xi[a] = r->g[a] / sqrt(r->h[i]);
    MST_TRY(m->ops.step(m, n, x, xi, r->h, r->next, arrived));
    if (!r->keeps)
        return MST_OK;
    memset(r->r2, 0, n * D * sizeof *r->r2);
    memset(r->r, 0, n * D * sizeof *r->r);
    if (bends)
        MST_TRY(mst_manifold_ricci(m, n, x, r->c, r->r));
    keep(r, k, -1);
    for (size_t i = 0; i < n; i++)
        if (mst_is_lost(D, r->next + i * D)) {
            memcpy(r->next + i * D, r->b->x + i * D, D * sizeof *r->next);
            memset(arrived + i * D, 0, D * sizeof *arrived);
            r->lost[i] = true;
        }
    if (!bends)
        return MST_OK;
    MST_TRY(mst_manifold_ricci(m, n, r->next, arrived, r->r));
    for (size_t i = 0; i < n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            arrived[a] -= r->h[i] / 4 * r->r[a];
    return MST_OK;
}

/* Lost paths wait at the end, where nothing pulls them. */
static void arrive(rows *r, double *x)
{
    size_t D = r->D;
    for (size_t i = 0; i < r->n; i++) {
        r->lost[i] = r->lost[i] || mst_is_lost(D, r->next + i * D);
        memcpy(x + i * D, (r->lost[i] ? r->b->x : r->next) + i * D, D * sizeof *x);
    }
}

static void record(const rows *r, size_t k, const double *x)
{
    size_t row = r->n * r->D;
    if (r->b->point != NULL)
        memcpy(r->b->point + k * row, x, row * sizeof *x);
}

/* The last step, which ends at the end. */
static mst_status finish(rows *r, size_t k, const double *x)
{
    size_t n = r->n, row = n * r->D;
    double bend[MST_LANES] = {0};
    MST_TRY(find_guide(r, x));
    if (!mst_manifold_is_flat(r->m)) {
        MST_TRY(mst_manifold_ricci(r->m, n, x, r->guide, r->r));
        MST_TRY(mst_manifold_inner(r->m, n, x, r->guide, r->r, bend));
    }
    for (size_t i = 0; i < n; i++)
        r->b->log_weight[i] += bridge_last_step(r->d, r->h[i], 2 * r->half[i], bend[i], r->ends[i]);
    if (r->keeps) {
        memcpy(r->own + k * row, r->guide, row * sizeof *r->own);
        memset(r->partner + k * row, 0, row * sizeof *r->partner);
        memcpy(r->square + k * n, r->number, n * sizeof *r->square);
    }
    record(r, k + 1, r->b->x);
    return MST_OK;
}

static mst_status go_forward(rows *r)
{
    size_t n = r->n, row = n * r->D;
    memcpy(r->x, r->b->y, row * sizeof *r->x);
    memset(r->b->log_weight, 0, n * sizeof *r->b->log_weight);
    for (size_t k = 0; k < r->steps; k++) {
        double *x = r->x + (r->keeps ? k * row : 0);
        for (size_t i = 0; i < n; i++)
            r->h[i] = r->b->t[i] * r->b->grid->part[k];
        record(r, k, x);
        if (k + 1 == r->steps) {
            MST_TRY(finish(r, k, x));
            break;
        }
        MST_TRY(lead(r, k, x));
        MST_TRY(r->flows ? flow(r, k, x) : walk(r, k, x));
        arrive(r, r->keeps ? x + row : x);
    }
    for (size_t i = 0; i < n; i++)
        if (r->lost[i])
            r->b->log_weight[i] = -INFINITY;
    return MST_OK;
}

/* What the sweep reads of lost paths is that they rested all the time. */
static void settle_lost(rows *r)
{
    size_t D = r->D;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; r->lost[i] && k < r->steps; k++) {
            size_t at = (k * r->n + i) * D, bytes = D * sizeof *r->x;
            memcpy(r->x + at, r->b->x + i * D, bytes);
            memset(r->own + at, 0, bytes);
            memset(r->partner + at, 0, bytes);
            r->square[k * r->n + i] = 0;
            if (r->flows)
                memset(r->walked + k * r->n * D + i * r->d, 0, r->d * sizeof *r->walked);
            else
                memset(r->walked + at, 0, bytes);
        }
}

/* λ of the points after step k to those before it; pair (n): with the increments of the step. */
static mst_status carry_back(rows *r, size_t k, double *pair)
{
    const mst_manifold *m = r->m;
    size_t n = r->n, D = r->D, row = n * D;
    const double *x = r->x + k * row, *v = r->walked + k * row;
    if (r->flows) {
        MST_TRY(mst_manifold_inner(m, n, x + row, r->partner + k * row, r->lambda, pair));
        MST_TRY(m->ops.step_adjoint(m, n, x, v, r->h, r->lambda, r->back));
        memcpy(r->lambda, r->back, row * sizeof *r->lambda);
        return MST_OK;
    }
    MST_TRY(mst_manifold_transport(m, n, x, v, v, r->back));
    for (size_t a = 0; a < row; a++)
        r->back[a] = -r->back[a];
    MST_TRY(mst_manifold_transport(m, n, x + row, r->back, r->lambda, r->lambda));
    if (!mst_manifold_is_flat(m)) {
        double curl = m->dim > 1 ? 1 / ((double)m->dim - 1) : 0;
        MST_TRY(mst_ricci_twice(m, n, x, r->lambda, r->r, r->r2));
        for (size_t i = 0; i < n; i++) {
            double half = r->h[i] / 2;
            for (size_t a = i * D; a < (i + 1) * D; a++)
                r->lambda[a] += half * (half / 2 * (1 - curl) * r->r2[a] - r->r[a]);
        }
    }
    return mst_manifold_inner(m, n, x, r->partner + k * row, r->lambda, pair);
}

/* The rate κ of path i: least noise where the Ricci tensor is constant. */
static double rate(const rows *r, size_t i)
{
    const double most = 300; /* e^300 squared is a double */
    return fmin(fmax(-r->ricci[i], -most / r->b->t[i]), most / r->b->t[i]);
}

static mst_status go_back(rows *r)
{
    size_t n = r->n, D = r->D, row = n * D;
    double single[MST_LANES] = {0}, pairs[MST_LANES] = {0}, sum[MST_LANES] = {0}, pair[MST_LANES];
    memset(r->lambda, 0, row * sizeof *r->lambda);
    for (size_t k = r->steps; k-- > 0;) {
        for (size_t i = 0; i < n; i++)
            r->h[i] = r->b->t[i] * r->b->grid->part[k];
        memset(pair, 0, sizeof pair);
        if (k + 1 < r->steps)
            MST_TRY(carry_back(r, k, pair));
        for (size_t i = 0; i < n; i++) {
            double h = r->h[i], gamma = exp(-rate(r, i) * r->b->t[i] * r->b->grid->from[k]);
            sum[i] += pair[i] / gamma + 0.5 * (r->square[k * n + i] - (double)r->d * h);
            pairs[i] += h * single[i] / gamma + 0.5 * h * h * (1 + r->ricci[i] * h / 6);
            single[i] += gamma * h;
            for (size_t a = i * D; a < (i + 1) * D; a++)
                r->lambda[a] += gamma * r->own[k * row + a];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t a = i * D; a < (i + 1) * D; a++)
            r->lambda[a] /= single[i];
        if (r->b->time != NULL)
            r->b->time[i] = 0.5 * sum[i] / pairs[i];
    }
    return r->b->score != NULL ? mst_manifold_to_frame(r->m, n, r->b->y, r->lambda, r->b->score)
                               : MST_OK;
}

mst_status bridge_rows(const bridge_block *b)
{
    rows r;
    MST_TRY(rows_new(&r, b));
    mst_status status = bridge_mean_ricci(b->m, b->n, b->x, r.ends);
    if (status == MST_OK)
        status = go_forward(&r);
    if (status == MST_OK && r.keeps) {
        settle_lost(&r);
        status = bridge_mean_ricci(b->m, b->n, b->y, r.ricci);
        if (status == MST_OK)
            status = go_back(&r);
    }
    mst_release(r.memory);
    return status;
}
