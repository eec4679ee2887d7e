/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor of a metric whose second derivatives come as matrices, in few dimensions: the Hessian of L
 * at the vectors v = e_a and e_a + e_b holds all first and second derivatives of g, and
 *
 *     R_jl = g^ik (½(∂_j∂_k g_il + ∂_i∂_l g_jk − ∂_i∂_k g_jl − ∂_j∂_l g_ik) + Γ_njk Γⁿ_il − Γ_njl Γⁿ_ik). */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256 };

typedef struct dense {
    const mst_manifold *m;
    size_t d, vectors, most;    /* vectors a point: d(d + 1)/2; points at a time */
    double *x, *v;              /* (most·vectors, D) */
    double *l_vv, *l_xv, *l_xx; /* (most·vectors, d, d) */
    double *factor, *inverse;   /* (d, d): of g, of one point */
    double *first, *second;     /* (d, d, d), (d, d, d, d): ∂_k g_ij, ∂_k∂_l g_ij, i j k l */
    double *low, *high, *mean;  /* (d, d, d): Γ_nij and Γⁿ_ij, n i j; (d): g^ik Γⁿ_ik */
    double *ricci;              /* (d, d): R_jl */
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
    s->ricci = s->inverse + square;
    s->first = s->ricci + square;
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
        for (size_t a = 0; a < d; a++)
            s->v[row++ * D + a] = 1;
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < a; b++, row++)
                s->v[row * D + a] = s->v[row * D + b] = 1;
    }
    return s->m->metric->ops.lagrangian_blocks(s->m, n * s->vectors, s->x, s->v, s->l_vv, s->l_xv,
                                               s->l_xx);
}

/* ∂_k g_ij and ∂_k∂_l g_ij of point number `at`, and g⁻¹. */
static void differentiate(dense *s, size_t at)
{
    size_t d = s->d, square = d * d, row = at * s->vectors;
    const double *g = s->l_vv + row * square;
    metric_cholesky(d, g, s->factor);
    memset(s->inverse, 0, square * sizeof *s->inverse);
    for (size_t a = 0; a < d; a++) {
        s->inverse[a * d + a] = 1;
        metric_raise(d, s->factor, s->inverse + a * d, s->inverse + a * d);
        for (size_t k = 0; k < d; k++)
            for (size_t j = 0; j < d; j++)
                s->first[(k * d + j) * d + a] = s->l_xv[((row + a) * d + k) * d + j];
        for (size_t kl = 0; kl < square; kl++)
            s->second[(a * d + a) * square + kl] = 2 * s->l_xx[(row + a) * square + kl];
    }
    size_t mixed = row + d;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < a; b++, mixed++)
            for (size_t kl = 0; kl < square; kl++)
                s->second[(a * d + b) * square + kl] = s->second[(b * d + a) * square + kl] =
                    s->l_xx[mixed * square + kl] - s->l_xx[(row + a) * square + kl] -
                    s->l_xx[(row + b) * square + kl];
}

/* Γ_nij = ½(∂_i g_nj + ∂_j g_ni − ∂_n g_ij). */
static void connect(dense *s)
{
    size_t d = s->d;
    for (size_t n = 0; n < d; n++)
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                s->low[(n * d + i) * d + j] =
                    0.5 * (s->first[(i * d + n) * d + j] + s->first[(j * d + n) * d + i] -
                           s->first[(n * d + i) * d + j]);
    memset(s->high, 0, d * d * d * sizeof *s->high);
    memset(s->mean, 0, d * sizeof *s->mean);
    for (size_t n = 0; n < d; n++) {
        for (size_t q = 0; q < d; q++)
            for (size_t ij = 0; ij < d * d; ij++)
                s->high[n * d * d + ij] += s->inverse[n * d + q] * s->low[q * d * d + ij];
        for (size_t ij = 0; ij < d * d; ij++)
            s->mean[n] += s->inverse[ij] * s->high[n * d * d + ij];
    }
}

static double second(const dense *s, size_t i, size_t j, size_t k, size_t l)
{
    return s->second[((i * s->d + j) * s->d + k) * s->d + l];
}

static double entry(const dense *s, size_t j, size_t l)
{
    size_t d = s->d;
    double sum = 0;
    for (size_t n = 0; n < d; n++)
        sum -= s->low[(n * d + j) * d + l] * s->mean[n];
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++) {
            double part = 0.5 * (second(s, i, l, j, k) + second(s, j, k, i, l) -
                                 second(s, j, l, i, k) - second(s, i, k, j, l));
            for (size_t n = 0; n < d; n++)
                part += s->low[(n * d + j) * d + k] * s->high[(n * d + i) * d + l];
            sum += s->inverse[i * d + k] * part;
        }
    return sum;
}

bool metric_ricci_is_dense(const mst_manifold *m)
{
    return m->metric->ops.lagrangian_blocks != NULL && m->dim <= METRIC_DENSE;
}

mst_status metric_ricci_dense(const mst_manifold *m, size_t n, const double *x, double *ricci,
                              double *factor)
{
    dense s;
    size_t d = m->dim, square = d * d;
    MST_TRY(dense_new(&s, m));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += s.most) {
        size_t some = n - at < s.most ? n - at : s.most;
        status = evaluate(&s, some, x + at * m->ambient);
        for (size_t i = 0; status == MST_OK && i < some; i++) {
            differentiate(&s, i);
            connect(&s);
            double *out = ricci + (at + i) * square;
            for (size_t j = 0; j < d; j++)
                for (size_t l = 0; l <= j; l++)
                    out[j * d + l] = out[l * d + j] = entry(&s, j, l);
            memcpy(factor + (at + i) * square, s.factor, square * sizeof *factor);
        }
    }
    mst_release(s.block);
    return status;
}
