/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on positive definite matrices of order n with the affine-invariant metric, a symmetric space
 * whose geometry along Log_y(x) is told by its eigenvalues λ. With s = (λ_i − λ_j)/2 for every pair i < j and
 * G = coth s/s − 1/s²,
 *   b₀ = −½ Σ log(sinh s/s),   a₁ = Scal/12 + Σ (⅓ − G(s))/16,   Scal = −(n/4)(n(n+1)/2 − 1).
 * a₁ is the transport integral itself: q = ½(Δb₀ + |∇b₀|²) is a sum over the pairs, for the products of
 * different pairs add up to a constant. There are no other geodesics. */
#include "base/linalg.h"
#include "manifold/symmetric.h"
#include "score/expansion.h"

#include <math.h>
#include <string.h>

/* G and its derivative, and the derivative of sG = coth s − 1/s. */
typedef struct pair_terms {
    double g, slope, bend, log_sinc;
} pair_terms;

static pair_terms terms_at(double s)
{
    double z = s * s;
    if (fabs(s) < 0.3) { /* the next term is below 1e-11 */
        static const double c[] = {1.0 / 3, -1.0 / 45, 2.0 / 945, -1.0 / 4725, 2.0 / 93555};
        pair_terms t = {.log_sinc = 0};
        for (int k = 4; k >= 0; k--) {
            t.g = t.g * z + c[k];
            t.bend = t.bend * z + (2 * k + 1) * c[k];
            t.log_sinc = t.log_sinc * z + c[k] / (2 * k + 2);
            if (k > 0)
                t.slope = t.slope * z + 2 * k * c[k];
        }
        t.slope *= s;
        t.log_sinc *= z;
        return t;
    }
    double r = fabs(s), inverse = 1 / tanh(s), other = 1 / sinh(s);
    return (pair_terms){
        .g = inverse / s - 1 / z,
        .slope = -other * other / s - inverse / z + 2 / (z * s),
        .bend = 1 / z - other * other,
        .log_sinc = r + log1p(-exp(-2 * r)) - log(2 * r),
    };
}

/* One row: room for n eigenvalues, their vectors and the derivatives of b₀ and a₁ by them. */
typedef struct matrix_room {
    size_t n;
    double *matrix, *vectors; /* (n, n) */
    double *values, *b0, *a1; /* (n) */
    double *bend;             /* (n, n): second derivatives of b₀ */
    double *pair, *block;     /* (d) */
} matrix_room;

static mst_status room_new(matrix_room *r, size_t n, size_t d)
{
    *r = (matrix_room){.n = n};
    MST_TRY(mst_allocate(&r->block, 3 * n * n + 3 * n + d));
    r->matrix = r->block;
    r->vectors = r->matrix + n * n;
    r->bend = r->vectors + n * n;
    r->values = r->bend + n * n;
    r->b0 = r->values + n;
    r->a1 = r->b0 + n;
    r->pair = r->a1 + n;
    return MST_OK;
}

/* Into b0, a1 and bend; *b0 and *a1 the values. */
static void sum_pairs(matrix_room *r, double *b0, double *a1)
{
    size_t n = r->n;
    double dim = (double)symmetric_dim(n);
    *b0 = 0;
    *a1 = -(double)n / 4 * (dim - 1) / 12;
    memset(r->b0, 0, n * sizeof *r->b0);
    memset(r->a1, 0, n * sizeof *r->a1);
    memset(r->bend, 0, n * n * sizeof *r->bend);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double s = 0.5 * (r->values[i] - r->values[j]);
            pair_terms t = terms_at(s);
            *b0 -= 0.5 * t.log_sinc;
            *a1 += (1.0 / 3 - t.g) / 16;
            r->b0[i] -= 0.25 * s * t.g;
            r->b0[j] += 0.25 * s * t.g;
            r->a1[i] -= t.slope / 32;
            r->a1[j] += t.slope / 32;
            r->bend[i * n + i] -= 0.125 * t.bend;
            r->bend[j * n + j] -= 0.125 * t.bend;
            r->bend[i * n + j] += 0.125 * t.bend;
            r->bend[j * n + i] += 0.125 * t.bend;
        }
}

static double norm(size_t n, const double *v)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += v[k] * v[k];
    return sqrt(sum);
}

/* The coordinates of (v_i v_jᵀ + v_j v_iᵀ)/√2, or of v_i v_iᵀ. */
static void pack_pair(matrix_room *r, size_t i, size_t j)
{
    size_t n = r->n;
    double scale = i == j ? 0.5 : SYMMETRIC_SQRT_HALF;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            r->matrix[a * n + b] = scale * (r->vectors[i * n + a] * r->vectors[j * n + b] +
                                            r->vectors[j * n + a] * r->vectors[i * n + b]);
    symmetric_pack(n, r->matrix, r->pair);
}

/* −∇²½r²/t + ∇²b₀ in the frame. Across the eigenvectors i and j a function of the
 * eigenvalues has the second derivative ½ coth s (∂_i − ∂_j). */
static void bend_row(matrix_room *r, size_t d, double t, double *diagonal, double *h)
{
    size_t n = r->n;
    memset(h, 0, d * d * sizeof *h);
    for (size_t i = 0; i < n; i++) {
        pack_pair(r, i, i);
        memcpy(diagonal + i * d, r->pair, d * sizeof *diagonal);
        for (size_t j = 0; j < i; j++) {
            double s = 0.5 * (r->values[i] - r->values[j]), value;
            double limit = r->bend[i * n + i] + r->bend[j * n + j] - 2 * r->bend[i * n + j];
            if (fabs(s) < 1e-4)
                value = -1 / t + 0.5 * limit;
            else
                value = 0.5 / tanh(s) * (-2 * s / t + r->b0[i] - r->b0[j]);
            pack_pair(r, i, j);
            for (size_t e = 0; e < d * d; e++)
                h[e] += value * r->pair[e / d] * r->pair[e % d];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double value = r->bend[i * n + j] - (i == j ? 1 / t : 0);
            for (size_t e = 0; e < d * d; e++)
                h[e] += value * diagonal[i * d + e / d] * diagonal[j * d + e % d];
        }
}

/* Row i; c (d) is Log_y(x) in the frame, and becomes the score. */
static mst_status run_row(const mst_manifold *m, const expansion_block *b, size_t i, double *c,
                          matrix_room *r, double *diagonal)
{
    const double two_pi_log = 1.8378770664093454836;
    size_t n = r->n, d = m->dim;
    double t = b->t[i], b0, a1, dim = (double)d, square;
    symmetric_unpack(n, c, r->matrix);
    MST_TRY(mst_eigen_symmetric(1, n, r->matrix, r->values, r->vectors, NULL));
    sum_pairs(r, &b0, &a1);
    square = norm(n, r->values) * norm(n, r->values);
    b->log_p[i] = -square / (2 * t) - 0.5 * dim * (two_pi_log + log(t)) + b0 + t * a1;
    b->dt[i] = (square / t - dim) / (2 * t) + a1;
    if (b->hessian != NULL)
        bend_row(r, d, t, diagonal, b->hessian + i * d * d);
    double turns = norm(n, r->b0), first = t * norm(n, r->a1), size = 0;
    memset(r->matrix, 0, n * n * sizeof *r->matrix);
    for (size_t k = 0; k < n; k++) {
        /* λ falls where y comes nearer. */
        double by = r->values[k] / t - r->b0[k] - t * r->a1[k];
        size += by * by;
        for (size_t e = 0; e < n * n; e++)
            r->matrix[e] += by * r->vectors[k * n + e / n] * r->vectors[k * n + e % n];
    }
    symmetric_pack(n, r->matrix, c);
    /* What comes next is smaller than t∇a₁ by about t times ∇b₀ against the way, and where x = y it is no
     * more than t²|Ric|²/720 in log p. */
    double ricci = (double)n / 4 * sqrt(dim - 1), way = sqrt(square);
    double rate = way > 0 ? turns / way : (double)n / 24;
    b->error[i] = first * fmax(t * rate, turns / fmax(sqrt(size), EXPANSION_LEAST_SCORE / sqrt(t)));
    b->doubt[i] = 0.25 * t * t * ricci * ricci / 720;
    return MST_OK;
}

bool expansion_matrices_fits(const mst_manifold *m)
{
    return mst_is_affine_invariant(m) && m->dim > 1;
}

mst_status expansion_matrices(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    size_t d = m->dim, n = symmetric_order(m->ambient);
    matrix_room r = {0};
    double *c;
    MST_TRY(mst_allocate(&c, b->n * d + n * d));
    mst_status status = room_new(&r, n, d);
    if (status == MST_OK)
        status = mst_manifold_log(m, b->n, b->y, b->x, b->score, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, b->n, b->y, b->score, c);
    for (size_t i = 0; status == MST_OK && i < b->n; i++)
        status = run_row(m, b, i, c + i * d, &r, c + b->n * d);
    if (status == MST_OK)
        status = mst_manifold_from_frame(m, b->n, b->y, c, b->score);
    mst_release(r.block);
    mst_release(c);
    return status;
}
