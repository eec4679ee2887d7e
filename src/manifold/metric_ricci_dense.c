/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor of a metric whose second derivatives come as matrices, in few dimensions. All first and
 * second derivatives of g are given by the slot `derivatives`, or stand in the Hessian of L at the vectors v
 * = e_a and e_a + e_b, and
 *
 *     R_jl = g^ik (½(∂_j∂_k g_il + ∂_i∂_l g_jk − ∂_i∂_k g_jl − ∂_j∂_l g_ik) + Γ_njk Γⁿ_il − Γ_njl Γⁿ_ik). */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256 };

typedef struct dense {
    const mst_manifold *m;
    size_t d, vectors,
        most;      /* vectors a point: d(d + 1)/2, or only the first d; points at a time */
    double *x, *v; /* (most·vectors, D) */
    double *l_vv, *l_xv, *l_xx; /* (most·vectors, d, d) */
    double *factor, *inverse;   /* (d, d): of g, of one point */
    double *g;                  /* (d, d) */
    double *first, *second; /* (d, d, d), (d, d, d, d): ∂_k g_ij, k i j; ∂_k∂_l g_ij, k l i j */
    double *low, *high, *mean; /* (d, d, d): Γ_nij and Γⁿ_ij, n i j; (d): g^ik Γⁿ_ik */
    double *block;
} dense;

static mst_status dense_new(dense *s, const mst_manifold *m)
{
    size_t d = m->dim, square = d * d, cube = d * square;
    *s = (dense){.m = m, .d = d, .vectors = d * (d + 1) / 2};
    s->most = s->vectors < ROWS ? ROWS / s->vectors : 1;
    size_t rows = s->most * s->vectors;
    MST_TRY(mst_allocate(&s->block, rows * (2 * m->ambient + 3 * square) + 3 * square + 3 * cube +
                                        d * cube + d));
    s->x = s->block;
    s->v = s->x + rows * m->ambient;
    s->l_vv = s->v + rows * m->ambient;
    s->l_xv = s->l_vv + rows * square;
    s->l_xx = s->l_xv + rows * square;
    s->factor = s->l_xx + rows * square;
    s->inverse = s->factor + square;
    s->g = s->inverse + square;
    s->first = s->g + square;
    s->low = s->first + cube;
    s->high = s->low + cube;
    s->second = s->high + cube;
    s->mean = s->second + d * cube;
    return MST_OK;
}

/* Matrices at n ≤ most points, for the vectors e_a, then e_a + e_b with b < a. */
static mst_status evaluate(dense *s, size_t n, const double *x)
{
    size_t d = s->d, D = s->m->ambient;
    memset(s->v, 0, n * s->vectors * D * sizeof *s->v);
    for (size_t i = 0, row = 0; i < n; i++) {
        for (size_t k = 0; k < s->vectors; k++)
            memcpy(s->x + (row + k) * D, x + i * D, D * sizeof *x);
        for (size_t a = 0; a < d && a < s->vectors; a++)
            s->v[row++ * D + a] = 1;
        for (size_t a = 0; a < d && s->vectors > d; a++)
            for (size_t b = 0; b < a; b++, row++)
                s->v[row * D + a] = s->v[row * D + b] = 1;
    }
    return s->m->metric->ops.lagrangian_blocks(s->m, n * s->vectors, s->x, s->v, s->l_vv, s->l_xv,
                                               s->l_xx);
}

/* g, ∂_k g_ij and ∂_k∂_l g_ij of point number `at`. */
static void differentiate(dense *s, size_t at)
{
    size_t d = s->d, square = d * d, row = at * s->vectors;
    memcpy(s->g, s->l_vv + row * square, square * sizeof *s->g);
    for (size_t a = 0; a < d; a++) {
        for (size_t k = 0; k < d; k++)
            for (size_t j = 0; j < d; j++)
                s->first[(k * d + j) * d + a] = s->l_xv[((row + a) * d + k) * d + j];
        for (size_t kl = 0; kl < square; kl++)
            s->second[kl * square + a * d + a] = 2 * s->l_xx[(row + a) * square + kl];
    }
    size_t mixed = row + d;
    for (size_t a = 0; a < d && s->vectors > d; a++)
        for (size_t b = 0; b < a; b++, mixed++)
            for (size_t kl = 0; kl < square; kl++)
                s->second[kl * square + a * d + b] = s->second[kl * square + b * d + a] =
                    s->l_xx[mixed * square + kl] - s->l_xx[(row + a) * square + kl] -
                    s->l_xx[(row + b) * square + kl];
}

mst_status metric_derivatives_by_blocks(const mst_manifold *m, size_t n, const double *x, double *g,
                                        double *first, double *second)
{
    size_t d = m->dim, square = d * d, cube = d * square;
    dense s;
    MST_TRY(dense_new(&s, m));
    s.vectors = second != NULL ? s.vectors : first != NULL ? d : 1;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = evaluate(&s, 1, x + i * m->ambient);
        if (status != MST_OK)
            break;
        memcpy(g + i * square, s.l_vv, square * sizeof *g);
        if (first != NULL)
            differentiate(&s, 0);
        if (first != NULL)
            memcpy(first + i * cube, s.first, cube * sizeof *first);
        if (second != NULL)
            memcpy(second + i * cube * d, s.second, cube * d * sizeof *second);
    }
    mst_release(s.block);
    return status;
}

void metric_invert(size_t d, const double *g, double *factor, double *inverse)
{
    metric_cholesky(d, g, factor);
    memset(inverse, 0, d * d * sizeof *inverse);
    for (size_t a = 0; a < d; a++) {
        inverse[a * d + a] = 1;
        metric_raise(d, factor, inverse + a * d, inverse + a * d);
    }
}

void metric_connection(size_t d, const double *inverse, const double *first, double *low,
                       double *high)
{
    for (size_t n = 0; n < d; n++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                low[(n * d + i) * d + j] =
                    0.5 * (first[(i * d + n) * d + j] + first[(j * d + n) * d + i] -
                           first[(n * d + i) * d + j]);
    memset(high, 0, d * d * d * sizeof *high);
    for (size_t n = 0; n < d; n++)
        for (size_t q = 0; q < d; q++)
            for (size_t ij = 0; ij < d * d; ij++)
                high[n * d * d + ij] += inverse[n * d + q] * low[q * d * d + ij];
}

/* ∂_k ∂_l g_ij. */
static double bent(size_t d, const double *second, size_t i, size_t j, size_t k, size_t l)
{
    return second[((k * d + l) * d + i) * d + j];
}

static double entry(size_t d, const double *inverse, const double *low, const double *high,
                    const double *second, const double *mean, size_t j, size_t l)
{
    double sum = 0;
    for (size_t n = 0; n < d; n++)
        sum -= low[(n * d + j) * d + l] * mean[n];
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++) {
            double part = 0.5 * (bent(d, second, i, l, j, k) + bent(d, second, j, k, i, l) -
                                 bent(d, second, j, l, i, k) - bent(d, second, i, k, j, l));
            for (size_t n = 0; n < d; n++)
                part += low[(n * d + j) * d + k] * high[(n * d + i) * d + l];
            sum += inverse[i * d + k] * part;
        }
    return sum;
}

void metric_ricci_tensor(size_t d, const double *inverse, const double *low, const double *high,
                         const double *second, double *mean, double *ricci)
{
    memset(mean, 0, d * sizeof *mean);
    for (size_t n = 0; n < d; n++)
        for (size_t ij = 0; ij < d * d; ij++)
            mean[n] += inverse[ij] * high[n * d * d + ij];
    for (size_t j = 0; j < d; j++)
        for (size_t l = 0; l <= j; l++)
            ricci[j * d + l] = ricci[l * d + j] = entry(d, inverse, low, high, second, mean, j, l);
}

/* Of the point whose derivatives stand in s. */
static void curve(dense *s, double *ricci, double *factor)
{
    size_t d = s->d;
    metric_invert(d, s->g, s->factor, s->inverse);
    metric_connection(d, s->inverse, s->first, s->low, s->high);
    metric_ricci_tensor(d, s->inverse, s->low, s->high, s->second, s->mean, ricci);
    memcpy(factor, s->factor, d * d * sizeof *factor);
}

bool metric_has_derivatives(const mst_manifold *m)
{
    return m->metric->ops.derivatives != NULL && m->ambient == m->dim &&
           m->dim <= METRIC_DIRECTIONS;
}

bool metric_ricci_is_dense(const mst_manifold *m)
{
    bool blocks = m->metric->ops.lagrangian_blocks != NULL && m->dim <= METRIC_DENSE;
    return blocks || metric_has_derivatives(m);
}

mst_status metric_ricci_dense(const mst_manifold *m, size_t n, const double *x, double *ricci,
                              double *factor)
{
    dense s;
    size_t D = m->ambient, square = m->dim * m->dim;
    bool direct = metric_has_derivatives(m);
    MST_TRY(dense_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; direct && status == MST_OK && i < n; i++) {
        status = m->metric->ops.derivatives(m, 1, x + i * D, s.g, s.first, s.second);
        if (status == MST_OK)
            curve(&s, ricci + i * square, factor + i * square);
    }
    for (size_t at = 0; !direct && status == MST_OK && at < n; at += s.most) {
        size_t some = n - at < s.most ? n - at : s.most;
        status = evaluate(&s, some, x + at * D);
        for (size_t i = 0; status == MST_OK && i < some; i++) {
            differentiate(&s, i);
            curve(&s, ricci + (at + i) * square, factor + (at + i) * square);
        }
    }
    mst_release(s.block);
    return status;
}
