/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Led paths that take a parallel frame along (the slot `roll`), by columns of n numbers as there. Increments
 * and Ricci tensors in the frame are all that the weights need; they are those of bridge_rows.c, and the
 * backward sweep is arithmetic with a few numbers a step. */
#include "heat/bridge_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_DIM = 16 };

typedef struct frames {
    const bridge_block *b;
    const mst_manifold *m;
    size_t n, d, D, R, steps;
    mst_rolling_paths p;
    double *at, *v, *half, *number; /* (n, D), (n, D), (n), (n) */
    double *g;                      /* (d, n): the guide in the frame */
    double *lambda;                 /* (d, n) */
    unsigned char left[MST_LANES];
    double *memory;
} frames;

static mst_status frames_new(frames *f, const bridge_block *b)
{
    size_t n = b->n, d = b->m->dim, D = b->m->ambient, R = d == 2 ? 1 : d * (d + 1) / 2;
    size_t steps = b->grid->steps - 1; /* that are walked */
    *f = (frames){.b = b, .m = b->m, .n = n, .d = d, .D = D, .R = R, .steps = steps};
    f->p = (mst_rolling_paths){
        .n = n, .steps = steps, .h = b->t, .part = b->grid->part, .left = f->left};
    size_t columns = (steps + 1) * (D + d * D + R + d) + 2 * D + 2 + 2 * d;
    MST_TRY(mst_allocate(&f->memory, columns * n));
    f->p.x = f->memory;
    f->p.frame = f->p.x + (steps + 1) * D * n;
    f->p.ricci = f->p.frame + (steps + 1) * d * D * n;
    f->p.increment = f->p.ricci + (steps + 1) * R * n;
    f->at = f->p.increment + (steps + 1) * d * n;
    f->v = f->at + D * n;
    f->half = f->v + D * n;
    f->number = f->half + n;
    f->g = f->number + n;
    f->lambda = f->g + d * n;
    return MST_OK;
}

static double entry(const frames *f, const double *ricci, size_t a, size_t b, size_t i)
{
    if (f->R == 1)
        return a == b ? ricci[i] : 0;
    size_t row = a > b ? a : b, column = a > b ? b : a;
    return ricci[(row * (row + 1) / 2 + column) * f->n + i];
}

/* out = Ric v of path i. */
static void apply(const frames *f, const double *ricci, size_t i, const double *v, double *out)
{
    for (size_t a = 0; a < f->d; a++) {
        out[a] = 0;
        for (size_t b = 0; b < f->d; b++)
            out[a] += entry(f, ricci, a, b, i) * v[b];
    }
}

static double mean_ricci(const frames *f, const double *ricci, size_t i)
{
    double sum = 0;
    for (size_t a = 0; a < f->d; a++)
        sum += entry(f, ricci, a, a, i);
    return sum / (double)f->d;
}

/* Coordinates of v (D) in the frame of path i. In a chart the frame is a basis of R^d; otherwise it is
 * orthonormal in R^D. */
static void in_frame(const frames *f, const double *frame, size_t i, const double *v, double *c)
{
    size_t d = f->d, D = f->D, n = f->n;
    double a[MOST_DIM][MOST_DIM + 1];
    if (D > d) {
        for (size_t k = 0; k < d; k++) {
            c[k] = 0;
            for (size_t e = 0; e < D; e++)
                c[k] += frame[(k * D + e) * n + i] * v[e];
        }
        return;
    }
    for (size_t e = 0; e < d; e++) {
        for (size_t k = 0; k < d; k++)
            a[e][k] = frame[(k * D + e) * n + i];
        a[e][d] = v[e];
    }
    for (size_t k = 0; k < d; k++) { /* Gauss with pivots */
        size_t pivot = k;
        for (size_t e = k + 1; e < d; e++)
            pivot = fabs(a[e][k]) > fabs(a[pivot][k]) ? e : pivot;
        for (size_t j = k; j <= d; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        for (size_t e = k + 1; e < d; e++) {
            double by = a[e][k] / a[k][k];
            for (size_t j = k; j <= d; j++)
                a[e][j] -= by * a[k][j];
        }
    }
    for (size_t k = d; k-- > 0;) {
        c[k] = a[k][d];
        for (size_t j = k + 1; j < d; j++)
            c[k] -= a[k][j] * c[j];
        c[k] /= a[k][k];
    }
}

/* Guide, squared length and ½r² where the paths are. */
static mst_status find_guide(frames *f, const double *x, const double *frame)
{
    size_t n = f->n, d = f->d, D = f->D;
    double c[MOST_DIM];
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < D; e++)
            f->at[i * D + e] = x[e * n + i];
    MST_TRY(mst_manifold_toward(f->m, n, f->at, f->b->x, f->half, f->v, NULL));
    for (size_t i = 0; i < n; i++) {
        in_frame(f, frame, i, f->v + i * D, c);
        f->number[i] = 0;
        for (size_t a = 0; a < d; a++) {
            f->g[a * n + i] = c[a];
            f->number[i] += c[a] * c[a];
        }
        f->half[i] = (4 * f->half[i] - 0.5 * f->number[i]) / 3; /* see bridge_rows.c */
    }
    return MST_OK;
}

/* Ric(g, g) of path i. */
static double bend_of(const frames *f, const double *ricci, size_t i)
{
    double c[MOST_DIM] = {0}, r[MOST_DIM] = {0}, sum = 0;
    for (size_t a = 0; a < f->d; a++)
        c[a] = f->g[a * f->n + i];
    apply(f, ricci, i, c, r);
    for (size_t a = 0; a < f->d; a++)
        sum += c[a] * r[a];
    return sum;
}

static void record(const frames *f, size_t k)
{
    if (f->b->point != NULL)
        memcpy(f->b->point + k * f->n * f->D, f->at, f->n * f->D * sizeof *f->at);
}

static mst_status lead(void *context, size_t k, const double *x, const double *frame,
                       const double *ricci, double *increment)
{
    frames *f = context;
    size_t n = f->n, d = f->d;
    const bridge_grid *grid = f->b->grid;
    const double *xi = f->b->xi + k * d * MST_LANES;
    MST_TRY(find_guide(f, x, frame));
    record(f, k);
    for (size_t i = 0; i < n; i++) {
        double t = f->b->t[i], z[MOST_DIM], g[MOST_DIM];
        double by = f->number[i] > 0 ? bridge_pull(bend_of(f, ricci, i) / (3 * f->number[i]),
                                                   (1 - grid->from[k]) * t)
                                     : 1;
        bridge_ways way = {.count = 1, .by = {by}, .mass = {1}};
        for (size_t a = 0; a < d; a++) {
            z[a] = xi[a * MST_LANES + i];
            g[a] = f->g[a * n + i];
        }
        f->b->log_weight[i] += bridge_lead(d, &way, grid->share[k], grid->part[k] * t, 0, z, g);
        for (size_t a = 0; a < d; a++)
            increment[a * n + i] = g[a];
    }
    return MST_OK;
}

/* The last step ends at the end. */
static mst_status finish(frames *f)
{
    size_t n = f->n, d = f->d, k = f->steps;
    const double *ricci = f->p.ricci + k * f->R * n;
    MST_TRY(find_guide(f, f->p.x + k * f->D * n, f->p.frame + k * d * f->D * n));
    record(f, k);
    for (size_t i = 0; i < n; i++) {
        double h = f->b->t[i] * f->b->grid->part[k];
        f->b->log_weight[i] +=
            bridge_last_step(d, h, 2 * f->half[i], bend_of(f, ricci, i), mean_ricci(f, ricci, i));
        if (f->left[i])
            f->b->log_weight[i] = -INFINITY;
    }
    memcpy(f->p.increment + k * d * n, f->g, d * n * sizeof *f->g);
    memcpy(f->at, f->b->x, n * f->D * sizeof *f->at);
    record(f, k + 1);
    return MST_OK;
}

/* λ ← M λ of path i over step k, M being e^(−hR/2) less the curl; see train/samples_walk.c. */
static void damp(const frames *f, size_t k, double h, size_t i, double *v)
{
    const double *now = f->p.ricci + k * f->R * f->n, *next = now + f->R * f->n;
    double first[MOST_DIM], other[MOST_DIM], second[MOST_DIM], more[MOST_DIM];
    double curl = f->d > 1 ? 1 / ((double)f->d - 1) : 0;
    apply(f, now, i, v, first);
    apply(f, next, i, v, other);
    for (size_t a = 0; a < f->d; a++)
        first[a] = 0.5 * (first[a] + other[a]);
    apply(f, now, i, first, second);
    apply(f, next, i, first, more);
    for (size_t a = 0; a < f->d; a++)
        v[a] += 0.5 * h * (0.125 * h * (1 - curl) * (second[a] + more[a]) - first[a]);
}

/* Weights of path i, in the frame at its start. */
static void sweep(frames *f, size_t i, double *score, double *time)
{
    const bridge_grid *grid = f->b->grid;
    size_t n = f->n, d = f->d;
    double t = f->b->t[i], single = 0, pairs = 0, sum = 0, lambda[MOST_DIM] = {0}, b[MOST_DIM],
           bent[MOST_DIM];
    double kappa = -mean_ricci(f, f->p.ricci, i), most = 300 / t;
    kappa = fmin(fmax(kappa, -most), most);
    for (size_t k = f->steps + 1; k-- > 0;) {
        const double *ricci = f->p.ricci + k * f->R * n;
        double h = t * grid->part[k], gamma = exp(-kappa * t * grid->from[k]), pair = 0, square = 0;
        if (k < f->steps)
            damp(f, k, h, i, lambda);
        for (size_t a = 0; a < d; a++)
            b[a] = f->p.increment[(k * d + a) * n + i];
        apply(f, ricci, i, b, bent);
        for (size_t a = 0; a < d; a++) {
            square += b[a] * b[a];
            pair += (b[a] + 0.25 * h * bent[a]) * lambda[a];
        }
        sum +=
            pair / gamma + 0.5 * (square - (double)d * h) / (1 + mean_ricci(f, ricci, i) * h / 6);
        pairs += h * single / gamma + 0.5 * h * h;
        single += gamma * h;
        for (size_t a = 0; a < d; a++)
            lambda[a] += gamma * (b[a] - 0.25 * h * bent[a]);
    }
    *time = 0.5 * sum / pairs;
    for (size_t a = 0; a < d; a++)
        score[a] = lambda[a] / single;
}

/* The weights in the frame of mst_manifold_frame. */
static mst_status go_back(frames *f)
{
    size_t n = f->n, d = f->d, D = f->D;
    for (size_t i = 0; i < n; i++) {
        double score[MOST_DIM], time;
        sweep(f, i, score, &time);
        if (f->b->time != NULL)
            f->b->time[i] = time;
        for (size_t e = 0; e < D; e++) {
            double *v = &f->v[i * D + e];
            *v = 0;
            for (size_t a = 0; a < d; a++)
                *v += score[a] * f->p.frame[(a * D + e) * n + i];
        }
    }
    return f->b->score != NULL ? mst_manifold_to_frame(f->m, n, f->b->y, f->v, f->b->score)
                               : MST_OK;
}

mst_status bridge_frames(const bridge_block *b)
{
    frames f;
    if (b->m->dim > MOST_DIM)
        return bridge_rows(b);
    MST_TRY(frames_new(&f, b));
    f.p.lead = lead;
    f.p.left = f.left;
    f.p.context = &f;
    for (size_t i = 0; i < b->n; i++)
        for (size_t e = 0; e < f.D; e++)
            f.p.x[e * b->n + i] = b->y[i * f.D + e];
    memset(b->log_weight, 0, b->n * sizeof *b->log_weight);
    mst_status status = b->m->ops.roll(b->m, &f.p);
    if (status == MST_OK)
        status = finish(&f);
    if (status == MST_OK && (b->score != NULL || b->time != NULL))
        status = go_back(&f);
    mst_release(f.memory);
    return status;
}
