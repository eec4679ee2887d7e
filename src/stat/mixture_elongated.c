/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Would fewer heaps do, if each had a spread of its own in every direction? A Brownian motion spreads equally
 * in all directions, so that a long heap takes several components, each well inside it.
 *
 * The density of an elongated heap is p_t(x, μ) N(v; S)/N(v; s I) with v = Log_μ x, S the scatter of v and
 * s = tr S/d: in flat space, where t = s, the normal law with covariance S, and for S = s I the Brownian one
 * on every manifold. It is normalised as if p_t were N(v; t I). */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "stat/fit.h"
#include "stat/mixture_parts.h"

#include <math.h>
#include <string.h>

/* Strong evidence, as a difference of BIC (Kass and Raftery 1995). */
static const double strong_evidence = 6;
/* Steps of EM at most, and the change of the log-likelihood below which they end: far below what a comparison
 * of BIC needs. */
enum { STEPS = 60 };
static const double least_change = 0.01;

/* The scatter of heap j as the eigenvectors of S (d, d), in rows, and its eigenvalues (d). */
typedef struct mixture_shape {
    double *vectors, *values;
} mixture_shape;

static mixture_shape shape_of(const mixture_em *e, size_t j)
{
    double *at = e->shapes + j * e->d * (e->d + 1);
    return (mixture_shape){at, at + e->d * e->d};
}

enum { ROWS = 256 };

/* Room for logarithms of a block of rows. */
typedef struct logarithms {
    double *centre, *v, *c; /* (ROWS, D) twice, (ROWS, d) */
} logarithms;

static mst_status logarithms_new(logarithms *l, const mixture_em *e, size_t j)
{
    MST_TRY(mst_allocate(&l->centre, ROWS * (2 * e->D + e->d)));
    l->v = l->centre + ROWS * e->D;
    l->c = l->v + ROWS * e->D;
    mst_repeat_point(ROWS, e->D, e->centres + j * e->D, l->centre);
    return MST_OK;
}

/* c (n, d): Log_μ x in the frame at the centre μ of the heap, of rows at … at + n − 1, n ≤ ROWS. */
static mst_status find_logarithms(const logarithms *l, const mixture_em *e, size_t at, size_t n)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    MST_TRY(mst_manifold_log(m, n, l->centre, e->x + at * e->D, l->v, NULL));
    return mst_manifold_to_frame(m, n, l->centre, l->v, l->c);
}

/* log of N(v; S)/N(v; s I) less its integral; NAN if that is infinite. */
static double log_tilt(const mixture_em *e, size_t j, const double *c)
{
    mixture_shape shape = shape_of(e, j);
    size_t d = e->d;
    double s = 0, out = 0;
    for (size_t a = 0; a < d; a++)
        s += shape.values[a] / (double)d;
    double excess = e->times[j] / s - 1;
    for (size_t a = 0; a < d; a++) {
        double value = shape.values[a], y = 0;
        for (size_t b = 0; b < d; b++)
            y += shape.vectors[a * d + b] * c[b];
        out += 0.5 *
               (y * y * (1 / s - 1 / value) + log(s / value) + log(1 + excess * (1 - value / s)));
    }
    return out;
}

mst_status mixture_tilt(const mixture_em *e, size_t j, size_t at, size_t n, double *log_p)
{
    logarithms l;
    MST_TRY(logarithms_new(&l, e, j));
    mst_status status = MST_OK;
    for (size_t begin = 0; begin < n && status == MST_OK; begin += ROWS) {
        size_t count = n - begin < ROWS ? n - begin : ROWS;
        status = find_logarithms(&l, e, at + begin, count);
        for (size_t i = 0; i < count && status == MST_OK; i++)
            log_p[begin + i] += log_tilt(e, j, l.c + i * e->d);
    }
    mst_release(l.centre);
    return status;
}

/* The scatter of heap j about its centre by the present responsibilities. MST_DOMAIN if it is flat, or of
 * hardly more rows than it has directions. */
static mst_status find_shape(mixture_em *e, size_t j)
{
    mixture_shape shape = shape_of(e, j);
    size_t d = e->d;
    double mass = 0;
    logarithms l;
    MST_TRY(logarithms_new(&l, e, j));
    mst_status status = MST_OK;
    memset(shape.vectors, 0, d * d * sizeof *shape.vectors);
    for (size_t at = 0; at < e->n && status == MST_OK; at += ROWS) {
        size_t n = e->n - at < ROWS ? e->n - at : ROWS;
        status = find_logarithms(&l, e, at, n);
        for (size_t i = 0; i < n && status == MST_OK; i++) {
            const double *c = l.c + i * d;
            double weight = mixture_weight(e, at + i) * e->responsibilities[(at + i) * e->k + j];
            for (size_t a = 0; a < d; a++)
                for (size_t b = 0; b < d; b++)
                    shape.vectors[a * d + b] += weight * c[a] * c[b];
            mass += weight;
        }
    }
    mst_release(l.centre);
    for (size_t a = 0; a < d * d; a++)
        shape.vectors[a] /= mass;
    if (status == MST_OK)
        status = mst_eigen_symmetric(1, d, shape.vectors, shape.values, shape.vectors, NULL);
    if (status == MST_OK && !(mass >= 2 * (double)(d + 1) && shape.values[0] > e->least_time))
        status = MST_DOMAIN;
    return status;
}

/* ---- Which components make up a heap ---- */

/* Components and what was made of them: a mass, a mean (d) and a scatter (d, d) in the tangent space at one
 * point, where components are round. */
typedef struct heap_pieces {
    size_t k, d, left;
    double *mass, *mean, *scatter, *work;
    size_t *
        heap; /* (k): which one each component is in; those that are left are numbered as their first */
} heap_pieces;

static void join_moments(const heap_pieces *p, size_t i, size_t j, double *mass, double *mean,
                         double *scatter)
{
    size_t d = p->d;
    double a = p->mass[i], b = p->mass[j];
    *mass = a + b;
    for (size_t k = 0; k < d; k++)
        mean[k] = (a * p->mean[i * d + k] + b * p->mean[j * d + k]) / *mass;
    for (size_t k = 0; k < d; k++)
        for (size_t l = 0; l < d; l++) {
            double gap = (p->mean[i * d + k] - p->mean[j * d + k]) *
                         (p->mean[i * d + l] - p->mean[j * d + l]);
            scatter[k * d + l] = (a * p->scatter[(i * d + k) * d + l] +
                                  b * p->scatter[(j * d + k) * d + l] + a * b / *mass * gap) /
                                 *mass;
        }
}

/* What a heap adds to the log-likelihood of rows that are known to be its own, but for a constant. */
static double heap_value(size_t d, double mass, const double *scatter, double *work)
{
    double half_log_det = 0;
    if (!mst_dense_cholesky(d, scatter, work))
        return INFINITY;
    for (size_t a = 0; a < d; a++)
        half_log_det += log(work[a * d + a]);
    return mass * (log(mass) - half_log_det);
}

/* Joins the two heaps that are worst apart from each other. */
static void join_two(heap_pieces *p)
{
    size_t d = p->d, first = 0, second = 0;
    double best = -INFINITY, mass, *mean = p->work, *scatter = mean + d, *room = scatter + d * d;
    for (size_t i = 0; i < p->k; i++)
        for (size_t j = i + 1; j < p->k; j++) {
            if (p->heap[i] != i || p->heap[j] != j)
                continue;
            join_moments(p, i, j, &mass, mean, scatter);
            double gain = heap_value(d, mass, scatter, room) -
                          heap_value(d, p->mass[i], p->scatter + i * d * d, room) -
                          heap_value(d, p->mass[j], p->scatter + j * d * d, room);
            if (gain > best || second == 0) {
                best = gain;
                first = i;
                second = j;
            }
        }
    join_moments(p, first, second, &mass, mean, scatter);
    p->mass[first] = mass;
    memcpy(p->mean + first * d, mean, d * sizeof *mean);
    memcpy(p->scatter + first * d * d, scatter, d * d * sizeof *mean);
    for (size_t j = 0; j < p->k; j++)
        if (p->heap[j] == second)
            p->heap[j] = first;
    p->left--;
}

/* Components of the result, in the tangent space at the heaviest. */
static mst_status start_pieces(heap_pieces *p, const mixture_em *e, const mst_mixture_result *r)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    size_t k = p->k, d = p->d;
    MST_TRY(mst_allocate_zero(&p->mass, k * (1 + d + d * d) + d + 2 * d * d + e->D));
    p->mean = p->mass + k;
    p->scatter = p->mean + k * d;
    p->work = p->scatter + k * d * d;
    double *v = p->work + d + 2 * d * d;
    p->left = k;
    for (size_t j = 0; j < k; j++) {
        p->heap[j] = j;
        p->mass[j] = fmax(r->weights[j] * e->total, 1e-9 * e->total);
        MST_TRY(mst_manifold_log(m, 1, r->centres, r->centres + j * e->D, v, NULL));
        MST_TRY(mst_manifold_to_frame(m, 1, r->centres, v, p->mean + j * d));
        for (size_t a = 0; a < d; a++)
            p->scatter[(j * d + a) * d + a] = r->times[j];
    }
    return MST_OK;
}

/* ---- EM ---- */

/* Responsibilities, times and centres of `left` heaps from their moments. */
static mst_status start_heaps(const heap_pieces *p, const mst_mixture_result *r, mixture_em *e)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    memset(e->responsibilities, 0, e->n * e->k * sizeof *e->responsibilities);
    for (size_t j = 0, number = 0; j < p->k; j++) {
        if (p->heap[j] != j)
            continue;
        double trace = 0;
        for (size_t a = 0; a < p->d; a++)
            trace += p->scatter[(j * p->d + a) * p->d + a];
        e->times[number] = fit_clamp_time(e->source, trace / (double)p->d);
        double *centre = e->centres + number * e->D;
        MST_TRY(mst_manifold_from_frame(m, 1, r->centres, p->mean + j * p->d, centre));
        MST_TRY(mst_manifold_exp(m, 1, r->centres, centre, centre));
        for (size_t i = 0; i < e->n; i++)
            for (size_t c = 0; c < p->k; c++)
                if (p->heap[c] == j)
                    e->responsibilities[i * e->k + number] += r->responsibilities[i * p->k + c];
        number++;
    }
    return MST_OK;
}

/* The log-likelihood of the heaps; MST_DOMAIN or NAN where they have none. */
static mst_status fit_heaps(mixture_em *e, double *log_likelihood)
{
    double before = -INFINITY;
    *log_likelihood = -INFINITY;
    for (size_t step = 0; step < STEPS; step++) {
        MST_TRY(mixture_improve(e));
        for (size_t j = 0; j < e->k && e->shapes != NULL; j++)
            MST_TRY(find_shape(e, j));
        MST_TRY(mixture_expect(e));
        *log_likelihood = fmax(*log_likelihood, e->log_likelihood);
        if (fabs(e->log_likelihood - before) <= least_change)
            break;
        before = e->log_likelihood;
    }
    return MST_OK;
}

static mst_status find_bic(mixture_em *e, size_t parameters, double *bic)
{
    double value;
    mst_status status = fit_heaps(e, &value);
    *bic = status == MST_OK && isfinite(value)
               ? (double)(e->k * parameters - 1) * log(e->total) - 2 * value
               : INFINITY;
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}

/* BIC of as many heaps as are left, round and long, or INFINITY. */
static mst_status judge_heaps(const heap_pieces *p, const mixture_em *start,
                              const mst_mixture_result *r, double *round, double *elongated)
{
    mixture_em e = *start;
    size_t d = e.d;
    double *own;
    e.k = p->left;
    MST_TRY(mst_allocate(&own, mixture_size(e.k, e.D) + e.k * d * (d + 1)));
    mixture_place(&e, own);
    mst_status status = mixture_em_new(&e);
    if (status == MST_OK)
        status = start_heaps(p, r, &e);
    if (status == MST_OK)
        status = find_bic(&e, d + 2, round);
    e.shapes = own + mixture_size(e.k, e.D);
    if (status == MST_OK)
        status = find_bic(&e, d + 2 + d * (d + 1) / 2 - 1, elongated);
    mixture_em_free(&e);
    mst_release(own);
    return status;
}

mst_status mixture_find_elongated(const mixture_em *start, mst_mixture_result *r, double *round_bic)
{
    heap_pieces p = {.k = start->k, .d = start->d};
    r->elongated = 0;
    r->elongated_bic = NAN;
    if (p.d == 1 || fit_given_time(start->source, 0) > 0 || start->total < 2 * (double)(p.d + 1))
        return MST_OK;
    MST_TRY(mst_allocate(&p.heap, p.k));
    mst_status status = start_pieces(&p, start, r);
    for (; status == MST_OK; join_two(&p)) {
        double round, elongated;
        status = judge_heaps(&p, start, r, &round, &elongated);
        if (status == MST_OK && isfinite(elongated) && !(elongated >= r->elongated_bic)) {
            r->elongated = p.left;
            r->elongated_bic = elongated;
        }
        if (status == MST_OK)
            *round_bic = fmin(*round_bic, round);
        if (p.left == 1)
            break;
    }
    r->is_elongated = r->elongated_bic < *round_bic - strong_evidence;
    mst_release(p.mass);
    mst_release(p.heap);
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}
