/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The scalar curvature of the metric (K ⊗ I)⁻¹, and its differential by reverse mode, in O(N³). With
 * φ = log √det g and D^ij_k = ∂_k g^ij, in any coordinates
 *   Scal = −∂_i∂_j g^ij − 2 ∂_i g^ij ∂_j φ − 2 g^ij ∂_i∂_j φ − |∂φ|² − ¼ g^kl g_ia g_jb D_k^ij D_l^ab
 *          + ½ D_l^ij g_jb D_i^bl,
 * which is the Einstein–Hilbert Lagrangian of first derivatives and a divergence. For g^ij = K ⊗ I in R^m all
 * sums are over matrices of order N: with e = 2k'·D of each coordinate (antisymmetric), M = e K⁻¹,
 * G = e K⁻¹ eᵀ, F_a = Σ_b K⁻¹_ab e_ab, s_a = Σ_b e_ab, Δk the Laplacian of the kernel in R^m and
 * w_ab = K_aa + K_bb − 2K_ab,
 *   Scal = Σ_{a≠b} Δk_ab + Σ (m K⁻¹_ab Δk_ab w_ab) − 2m s·F − m² FᵀKF
 *          − (5m/2) Σ K_ab (M_ab M_ba + G_ab K⁻¹_ab) + ½ (tr G − Σ e_ab² K⁻¹_ab). */
#include "manifold/landmarks_curvature.h"

#include <math.h>
#include <string.h>

mst_status landmark_curvature_new(landmark_curvature *c, const landmark_shape *s)
{
    size_t square = s->count * s->wide;
    *c = (landmark_curvature){0};
    MST_TRY(landmark_place_new(&c->at, s));
    mst_status status =
        mst_allocate_zero(&c->memory, (7 + 3 * s->space) * square + 2 * s->space * s->wide);
    if (status != MST_OK) {
        landmark_place_free(&c->at);
        return status;
    }
    double **const parts[] = {&c->inverse, &c->to_k, &c->to_inverse, &c->to_laplace,
                              &c->to_e,    &c->work, &c->other};
    double *at = c->memory;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, at += square)
        *parts[k] = at;
    for (size_t i = 0; i < s->space; i++) {
        c->e[i] = at;
        c->m[i] = at + square;
        c->g[i] = at + 2 * square;
        at += 3 * square;
    }
    for (size_t i = 0; i < s->space; i++, at += 2 * s->wide) {
        c->f[i] = at;
        c->s[i] = at + s->wide;
    }
    return MST_OK;
}

void landmark_curvature_free(landmark_curvature *c)
{
    landmark_place_free(&c->at);
    mst_release(c->memory);
    *c = (landmark_curvature){0};
}

/* out = A B, or out += A B, of matrices (count, wide). */
static void product(const landmark_curvature *c, const double *a, const double *b, double *out,
                    bool add)
{
    const landmark_shape *s = c->at.shape;
    c->at.kernels->multiply(s->count, s->count, s->wide, a, s->wide, b, s->wide, out, s->wide, add);
}

/* What the sums are made of; false: K is singular. */
static bool prepare(landmark_curvature *c, const double *q, bool differential)
{
    landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    if (!landmark_place_columns(at, q, differential ? 3 : 2))
        return false;
    landmark_inverse(at, c->inverse);
    for (size_t i = 0; i < s->space; i++) {
        const double *x = at->q + i * wide;
        double *e = c->e[i];
        for (size_t a = 0; a < n; a++) {
            double f = 0, sum = 0;
            for (size_t b = 0; b < n; b++) {
                double value = at->pair[1][a * wide + b] * (x[a] - x[b]);
                e[a * wide + b] = value;
                sum += value;
                f += value * c->inverse[a * wide + b];
            }
            c->f[i][a] = f;
            c->s[i][a] = sum;
        }
        product(c, e, c->inverse, c->m[i], false);
        product(c, c->m[i], e, c->g[i], false);
        for (size_t k = 0; k < n * wide; k++) /* eᵀ = −e */
            c->g[i][k] = -c->g[i][k];
    }
    return true;
}

/* |q_a − q_b|² and Δk of a pair. */
static double square_of(const landmark_place *at, size_t a, size_t b)
{
    const landmark_shape *s = at->shape;
    double u = 0;
    for (size_t i = 0; i < s->space; i++) {
        double gap = at->q[i * s->wide + a] - at->q[i * s->wide + b];
        u += gap * gap;
    }
    return u;
}

static double laplacian(const landmark_place *at, size_t a, size_t b)
{
    size_t k = a * at->shape->wide + b;
    return at->pair[2][k] * square_of(at, a, b) + (double)at->shape->space * at->pair[1][k];
}

static double add_up(const landmark_curvature *c)
{
    const landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    double m = (double)s->space, sum = 0;
    const double *k = at->pair[0], *inverse = c->inverse;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t ab = a * wide + b, ba = b * wide + a;
            double w = k[a * wide + a] + k[b * wide + b] - 2 * k[ab];
            if (a != b)
                sum += laplacian(at, a, b) * (1 + m * inverse[ab] * w);
            for (size_t i = 0; i < s->space; i++)
                sum -= m * m * c->f[i][a] * k[ab] * c->f[i][b] +
                       2.5 * m * k[ab] * (c->m[i][ab] * c->m[i][ba] + c->g[i][ab] * inverse[ab]) +
                       0.5 * c->e[i][ab] * c->e[i][ab] * inverse[ab];
        }
    for (size_t i = 0; i < s->space; i++)
        for (size_t a = 0; a < n; a++)
            sum += 0.5 * c->g[i][a * wide + a] - 2 * m * c->s[i][a] * c->f[i][a];
    return sum;
}

/* to_k, to_inverse and to_laplace of the terms without a chain through e, M or G. */
static void reverse_pairs(landmark_curvature *c)
{
    const landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    double m = (double)s->space, beta = -2.5 * m;
    const double *k = at->pair[0], *inverse = c->inverse;
    memset(c->to_k, 0, n * wide * sizeof *k);
    memset(c->to_inverse, 0, n * wide * sizeof *k);
    memset(c->to_laplace, 0, n * wide * sizeof *k);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t ab = a * wide + b, ba = b * wide + a;
            if (a != b) {
                double w = k[a * wide + a] + k[b * wide + b] - 2 * k[ab];
                double laplace = laplacian(at, a, b);
                c->to_laplace[ab] = 1 + m * inverse[ab] * w;
                c->to_inverse[ab] += m * laplace * w;
                c->to_k[ab] -= 2 * m * inverse[ab] * laplace;
            }
            for (size_t i = 0; i < s->space; i++) {
                c->to_k[ab] -= m * m * c->f[i][a] * c->f[i][b];
                c->to_k[ab] += beta * (c->m[i][ab] * c->m[i][ba] + c->g[i][ab] * inverse[ab]);
                c->to_inverse[ab] += beta * k[ab] * c->g[i][ab] - 0.5 * c->e[i][ab] * c->e[i][ab];
            }
        }
}

/* Coordinate i: to_e complete, to_inverse added to, and what e gives to the points. */
static void reverse_coordinate(landmark_curvature *c, size_t i)
{
    const landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    double m = (double)s->space, beta = -2.5 * m;
    const double *k = at->pair[0], *inverse = c->inverse, *e = c->e[i];
    double *to_g = c->work, *to_m = c->other;
    memset(to_g, 0, n * wide * sizeof *k);
    memset(to_m, 0, n * wide * sizeof *k);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            to_g[a * wide + b] =
                beta * k[a * wide + b] * inverse[a * wide + b] + (a == b ? 0.5 : 0);
            to_m[a * wide + b] = 2 * beta * k[a * wide + b] * c->m[i][b * wide + a];
        }
    /* G = e K⁻¹ eᵀ: 2 to_g M to e, eᵀ to_g e to K⁻¹; M = e K⁻¹: to_m K⁻¹ and eᵀ to_m. */
    for (size_t j = 0; j < n * wide; j++)
        to_g[j] *= 2;
    product(c, to_g, c->m[i], c->to_e, false);
    product(c, to_m, inverse, c->to_e, true);
    for (size_t j = 0; j < n * wide; j++)
        to_g[j] *= -0.5;
    double *half = c->g[i]; /* G is done with */
    product(c, to_g, e, half, false);
    for (size_t j = 0; j < n * wide; j++)
        half[j] -= to_m[j];
    product(c, e, half, c->to_inverse, true);
    for (size_t a = 0; a < n; a++) {
        double to_f = -2 * m * c->s[i][a], to_s = -2 * m * c->f[i][a];
        for (size_t b = 0; b < n; b++)
            to_f -= 2 * m * m * k[a * wide + b] * c->f[i][b];
        for (size_t b = 0; b < n; b++) {
            size_t ab = a * wide + b;
            c->to_e[ab] += to_f * inverse[ab] + to_s - e[ab] * inverse[ab];
            c->to_inverse[ab] += to_f * e[ab];
        }
    }
}

/* A form of the pairs' difference D: adds its differential to the two points. */
static void add_gap(const landmark_shape *s, size_t a, size_t b, const double *gap, double *out)
{
    for (size_t i = 0; i < s->space; i++) {
        out[i * s->wide + a] += gap[i];
        out[i * s->wide + b] -= gap[i];
    }
}

/* e_i = 2k' D_i of each pair. */
static void reverse_e(const landmark_curvature *c, size_t i, double *out)
{
    const landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            size_t ab = a * s->wide + b;
            double gap[LANDMARK_SPACE], to = c->to_e[ab];
            double along = to * at->pair[2][ab] * (at->q[i * s->wide + a] - at->q[i * s->wide + b]);
            for (size_t j = 0; j < s->space; j++)
                gap[j] = along * (at->q[j * s->wide + a] - at->q[j * s->wide + b]) +
                         (i == j ? to * at->pair[1][ab] : 0);
            if (a != b)
                add_gap(s, a, b, gap, out);
        }
}

double landmark_scalar(landmark_curvature *c, const double *q, double *differential)
{
    landmark_place *at = &c->at;
    const landmark_shape *s = at->shape;
    size_t n = s->count, wide = s->wide;
    if (!prepare(c, q, differential != NULL))
        return NAN;
    double value = add_up(c);
    if (differential == NULL)
        return value;
    memset(differential, 0, at->half * sizeof *differential);
    reverse_pairs(c);
    for (size_t i = 0; i < s->space; i++) {
        reverse_coordinate(c, i);
        reverse_e(c, i, differential);
    }
    product(c, c->inverse, c->to_inverse, c->work, false);
    product(c, c->work, c->inverse, c->other, false);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            size_t ab = a * wide + b;
            double m = (double)s->space, u = square_of(at, a, b), gap[LANDMARK_SPACE];
            double factor = (c->to_k[ab] - c->other[ab]) * at->pair[1][ab] +
                            c->to_laplace[ab] * (at->pair[3][ab] * u + (2 + m) * at->pair[2][ab]);
            for (size_t i = 0; i < s->space; i++)
                gap[i] = factor * (at->q[i * wide + a] - at->q[i * wide + b]);
            if (a != b)
                add_gap(s, a, b, gap, differential);
        }
    return value;
}
