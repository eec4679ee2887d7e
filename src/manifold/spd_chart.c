/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The chart of spd:n at c = L Lᵀ: P = L (I + U) Lᵀ, u being the coordinates of the symmetric U in the basis
 * of symmetric.h. With R = I + U and E_a that basis, metric and Christoffel symbols are
 *     g_ab = tr(R⁻¹E_a R⁻¹E_b),   Γ(E_a, E_b) = −½ (E_a R⁻¹E_b + E_b R⁻¹E_a).
 * Congruence by L is an isometry, so c does not enter. */
#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <string.h>

/* Within this |u| ≥ ‖U‖ the eigenvalues of R lie in [0.7, 1.3]; to leave the chart from there, a step of
 * standard deviation 0.1 would have to be seven times as long. */
double mst_spd_chart_radius(const mst_manifold *m)
{
    (void)m;
    return 0.3;
}

mst_status mst_spd_chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                                double *u)
{
    size_t D = m->ambient, most = symmetric_chunk(D);
    double *v;
    MST_TRY(mst_allocate(&v, most * D));
    mst_status status = MST_OK;
    for (size_t i = 0, count; i < n && status == MST_OK; i += count) {
        count = n - i < most ? n - i : most;
        for (size_t k = 0; k < count * D; k++)
            v[k] = x[i * D + k] - c[i * D + k];
        status = m->ops.to_frame(m, count, c + i * D, v, u + i * m->dim);
    }
    mst_release(v);
    return status;
}

/* R = I + U for one row. */
static void shifted(size_t n, const double *u, double *r)
{
    symmetric_unpack(n, u, r);
    for (size_t i = 0; i < n; i++)
        r[i * (n + 1)] += 1;
}

static mst_status left_chart(size_t row)
{
    return mst_fail(MST_DOMAIN, "row %zu: the chart's coordinates have left the chart", row + 1);
}

/* Cholesky factors g (count, n, n) of the matrices R; MST_DOMAIN where u is not in the chart. */
static mst_status factor(size_t n, size_t first, size_t count, const double *u, double *g)
{
    for (size_t i = 0; i < count; i++)
        shifted(n, u + i * symmetric_dim(n), g + i * n * n);
    size_t bad;
    mst_status status = mst_cholesky(count, n, g, g, &bad);
    return status == MST_DOMAIN ? left_chart(first + bad) : status;
}

mst_status mst_spd_chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *x)
{
    size_t D = m->ambient, most = symmetric_chunk(D), d = m->dim;
    double *g;
    MST_TRY(mst_allocate(&g, most * D));
    mst_status status = MST_OK;
    for (size_t i = 0, count; i < n && status == MST_OK; i += count) {
        count = n - i < most ? n - i : most;
        status = factor(symmetric_order(D), i, count, u + i * d, g);
        if (status == MST_OK)
            status = m->ops.from_frame(m, count, c + i * D, u + i * d, x + i * D);
        for (size_t k = i * D; k < (i + count) * D && status == MST_OK; k++)
            x[k] += c[k];
    }
    mst_release(g);
    return status;
}

/* Call `fill` for every row with a matrix made from its R: the inverse or the Cholesky factor. */
typedef void row_function(size_t n, const double *matrix, const double *u, double *out,
                          double *out2);

static mst_status for_rows(const mst_manifold *m, size_t n, const double *u, bool invert,
                           row_function *fill, double *out, size_t width, double *out2,
                           size_t width2)
{
    size_t D = m->ambient, most = symmetric_chunk(D), d = m->dim, order = symmetric_order(D);
    double *g;
    MST_TRY(mst_allocate(&g, (most + 2) * D));
    double *w = g + most * D, *inverse = w + D;
    mst_status status = MST_OK;
    for (size_t i = 0, count; i < n && status == MST_OK; i += count) {
        count = n - i < most ? n - i : most;
        status = factor(order, i, count, u + i * d, g);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            const double *matrix = g + k * D;
            if (invert) {
                memset(w, 0, D * sizeof *w);
                for (size_t j = 0; j < order; j++)
                    w[j * (order + 1)] = 1;
                mst_lower_solve(order, matrix, w);
                mst_multiply_tn(order, w, w, inverse);
                matrix = inverse;
            }
            fill(order, matrix, u + (i + k) * d, out + (i + k) * width,
                 out2 != NULL ? out2 + (i + k) * width2 : NULL);
        }
    }
    mst_release(g);
    return status;
}

/* With r the inverse of R, E_a = s_a (e_i e_jᵀ + e_j e_iᵀ) and E_b likewise with (k, l), s = ½ if the two
 * indices are equal and 1/√2 otherwise: tr(r E_a r E_b) = 2 s_a s_b (r_jk r_li + r_jl r_ki). */
static void fill_metric(size_t n, const double *r, const double *u, double *g, double *unused)
{
    (void)u, (void)unused;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = k; l < n; l++) {
                    double s =
                        (i == j ? 0.5 : SYMMETRIC_SQRT_HALF) * (k == l ? 0.5 : SYMMETRIC_SQRT_HALF);
                    *g++ = 2 * s * (r[j * n + k] * r[l * n + i] + r[j * n + l] * r[k * n + i]);
                }
}

/* Add s (e_p e_qᵀ + e_q e_pᵀ)/2 to the symbols Γ^·_ab, `to` being the entry (0, a, b). */
static void add_symbol(size_t n, size_t p, size_t q, double s, double *to)
{
    size_t d = symmetric_dim(n);
    to[symmetric_index(n, p, q) * d * d] += p == q ? s : s * SYMMETRIC_SQRT_HALF;
}

/* −½ (E_a r E_b + E_b r E_a) is the symmetric part of −E_a r E_b, and E_a r E_b = s_a s_b (r_jk e_i e_lᵀ +
 * r_jl e_i e_kᵀ + r_ik e_j e_lᵀ + r_il e_j e_kᵀ). */
static void fill_christoffel(size_t n, const double *r, const double *u, double *gamma,
                             double *unused)
{
    (void)u, (void)unused;
    size_t d = symmetric_dim(n);
    memset(gamma, 0, d * d * d * sizeof *gamma);
    double *to = gamma;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = k; l < n; l++, to++) {
                    double s = -(i == j ? 0.5 : SYMMETRIC_SQRT_HALF) *
                               (k == l ? 0.5 : SYMMETRIC_SQRT_HALF);
                    add_symbol(n, i, l, s * r[j * n + k], to);
                    add_symbol(n, i, k, s * r[j * n + l], to);
                    add_symbol(n, j, l, s * r[i * n + k], to);
                    add_symbol(n, j, k, s * r[i * n + l], to);
                }
}

/* R = G Gᵀ, and G E_a Gᵀ is an orthonormal frame at R: the columns of σ. Since Σ_a E_a² = (n+1)/2 I, the
 * drift −½ Σ_a Γ(G E_a Gᵀ, G E_a Gᵀ) = ½ Σ_a G E_a² Gᵀ is (n+1)/4 R. */
static void fill_diffusion(size_t n, const double *g, const double *u, double *b, double *sigma)
{
    double quarter = 0.25 * (double)(n + 1);
    size_t d = symmetric_dim(n);
    for (size_t p = 0; p < n; p++)
        for (size_t q = p; q < n; q++)
            *b++ = quarter * (*u++ + (p == q ? 1 : 0));
    for (size_t p = 0; p < n; p++)
        for (size_t q = p; q < n; q++, sigma += d) {
            double *to = sigma;
            for (size_t i = 0; i < n; i++)
                for (size_t j = i; j < n; j++) {
                    double s = (i == j ? 0.5 : SYMMETRIC_SQRT_HALF) *
                               (p == q ? 1 : 2 * SYMMETRIC_SQRT_HALF);
                    *to++ = s * (g[p * n + i] * g[q * n + j] + g[p * n + j] * g[q * n + i]);
                }
        }
}

mst_status mst_spd_chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *g)
{
    (void)c;
    return for_rows(m, n, u, true, fill_metric, g, m->dim * m->dim, NULL, 0);
}

mst_status mst_spd_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *gamma)
{
    (void)c;
    return for_rows(m, n, u, true, fill_christoffel, gamma, m->dim * m->dim * m->dim, NULL, 0);
}

mst_status mst_spd_chart_diffusion(const mst_manifold *m, size_t n, const double *c,
                                   const double *u, double *b, double *sigma)
{
    (void)c;
    return for_rows(m, n, u, false, fill_diffusion, b, m->dim, sigma, m->dim * m->dim);
}
