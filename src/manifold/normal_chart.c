/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Normal coordinates u ↦ Exp_c(E u) as the chart of a manifold that has none, their metric by differences of `exp`,
 * and the Ricci tensor from that metric. */
#include "base/linalg.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

mst_status mst_fallback_chart_coords(const mst_manifold *m, size_t n, const double *c,
                                     const double *x, double *u)
{
    size_t D = m->ambient, d = m->dim;
    double *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = mst_manifold_log(m, 1, c + i * D, x + i * D, v, NULL);
        if (status == MST_OK)
            status = mst_manifold_to_frame(m, 1, c + i * D, v, u + i * d);
    }
    mst_release(v);
    return status;
}

static mst_status normal_point(const mst_manifold *m, const double *c, const double *u, double *x)
{
    MST_TRY(mst_manifold_from_frame(m, 1, c, u, x));
    return mst_manifold_exp(m, 1, c, x, x);
}

mst_status mst_fallback_chart_point(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *x)
{
    for (size_t i = 0; i < n; i++)
        MST_TRY(normal_point(m, c + i * m->ambient, u + i * m->dim, x + i * m->ambient));
    return MST_OK;
}

/* Room for one metric. */
typedef struct stencil {
    double *u;     /* (d) */
    double *point; /* (D) */
    double *push;  /* (d, D), the derivatives of the point by the coordinates */
    double *shift; /* (D) */
    double *block;
} stencil;

static mst_status stencil_new(stencil *s, size_t d, size_t D)
{
    MST_TRY(mst_allocate(&s->block, d + 2 * D + d * D));
    s->u = s->block;
    s->point = s->u + d;
    s->shift = s->point + D;
    s->push = s->shift + D;
    return MST_OK;
}

/* Weights of the fourth-order central difference at ±1, ±2 steps. */
static const double offset[4] = {1, -1, 2, -2};
static const double weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};

/* g_ij(u) = ⟨∂_i, ∂_j⟩ in normal coordinates at c. The step 1e-3 makes truncation (h⁴) and rounding (ε/h) both about
 * 1e-12. */
static mst_status normal_metric(const mst_manifold *m, const double *c, const double *u, stencil *s,
                                double *g)
{
    size_t d = m->dim, D = m->ambient;
    const double h = 1e-3;
    memcpy(s->u, u, d * sizeof *u);
    MST_TRY(normal_point(m, c, u, s->point));
    memset(s->push, 0, d * D * sizeof *s->push);
    for (size_t k = 0; k < d; k++) {
        for (int e = 0; e < 4; e++) {
            s->u[k] = u[k] + offset[e] * h;
            MST_TRY(normal_point(m, c, s->u, s->shift));
            for (size_t a = 0; a < D; a++)
                s->push[k * D + a] += weight[e] / h * s->shift[a];
        }
        s->u[k] = u[k];
        /* What the difference has off the tangent space is rounding. */
        MST_TRY(mst_manifold_tangent(m, 1, s->point, s->push + k * D, s->push + k * D));
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            MST_TRY(mst_manifold_inner(m, 1, s->point, s->push + i * D, s->push + j * D,
                                       &g[i * d + j]));
            g[j * d + i] = g[i * d + j];
        }
    return MST_OK;
}

mst_status mst_fallback_chart_metric(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *g)
{
    size_t d = m->dim, D = m->ambient;
    stencil s;
    MST_TRY(stencil_new(&s, d, D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = normal_metric(m, c + i * D, u + i * d, &s, g + i * d * d);
    mst_release(s.block);
    return status;
}

/* Γ^i_jk = ½ g^il (∂_j g_lk + ∂_k g_lj − ∂_l g_jk). `slope` (d, d, d) holds ∂_l g_jk at (l, j, k). */
static mst_status christoffel_from_slope(size_t d, const double *g, const double *slope,
                                         double *lower, double *gamma)
{
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            for (size_t l = 0; l < d; l++)
                lower[(j * d + k) * d + l] =
                    0.5 * (slope[(j * d + l) * d + k] + slope[(k * d + l) * d + j] -
                           slope[(l * d + j) * d + k]);
    MST_TRY(mst_solve(1, d, d * d, g, lower, lower, NULL));
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            for (size_t i = 0; i < d; i++)
                gamma[(i * d + j) * d + k] = lower[(j * d + k) * d + i];
    return MST_OK;
}

mst_status mst_fallback_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                          const double *u, double *gamma)
{
    size_t d = m->dim, D = m->ambient;
    const double h = 1e-2; /* the metric carries 1e-12 of noise */
    stencil s;
    MST_TRY(stencil_new(&s, d, D));
    double *slope;
    mst_status status = mst_allocate(&slope, 2 * d * d * d + 2 * d * d + d);
    double *lower = slope + d * d * d, *g = lower + d * d * d, *shifted = g + d * d,
           *at = shifted + d * d;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        memset(slope, 0, d * d * d * sizeof *slope);
        memcpy(at, u + i * d, d * sizeof *at);
        for (size_t l = 0; status == MST_OK && l < d; l++) {
            for (int e = 0; status == MST_OK && e < 4; e++) {
                at[l] = u[i * d + l] + offset[e] * h;
                status = normal_metric(m, c + i * D, at, &s, shifted);
                for (size_t a = 0; a < d * d; a++)
                    slope[l * d * d + a] += weight[e] / h * shifted[a];
            }
            at[l] = u[i * d + l];
        }
        if (status == MST_OK)
            status = normal_metric(m, c + i * D, at, &s, g);
        if (status == MST_OK)
            status = christoffel_from_slope(d, g, slope, lower, gamma + i * d * d * d);
    }
    mst_release(slope);
    mst_release(s.block);
    return status;
}

double mst_fallback_chart_radius(const mst_manifold *m)
{
    double radius = mst_manifold_injectivity(m);
    return isfinite(radius) ? fmin(0.5, radius / 4) : 0.5;
}

/* b^i = −½ g^jk Γ^i_jk; σ = L⁻ᵀ for g = L Lᵀ. */
mst_status mst_fallback_chart_diffusion(const mst_manifold *m, size_t n, const double *c,
                                        const double *u, double *b, double *sigma)
{
    size_t d = m->dim, D = m->ambient, square = d * d;
    double *block;
    MST_TRY(mst_allocate(&block, 2 * square + square * d));
    double *l = block, *inverse = l + square, *gamma = inverse + square;
    mst_status status = MST_OK;
    for (size_t row = 0; status == MST_OK && row < n; row++) {
        double *root = sigma + row * square;
        status = mst_manifold_chart_metric(m, 1, c + row * D, u + row * d, l);
        if (status == MST_OK)
            status = mst_cholesky(1, d, l, l, NULL);
        if (status == MST_OK)
            status = mst_manifold_chart_christoffel(m, 1, c + row * D, u + row * d, gamma);
        if (status != MST_OK)
            break;
        memset(root, 0, square * sizeof *root);
        for (size_t k = 0; k < d; k++)
            root[k * d + k] = 1;
        mst_lower_solve(d, l, root);
        mst_transpose(d, root);
        mst_multiply_nt(d, root, root, inverse);
        for (size_t i = 0; i < d; i++) {
            b[row * d + i] = 0;
            for (size_t jk = 0; jk < square; jk++)
                b[row * d + i] -= 0.5 * inverse[jk] * gamma[i * square + jk];
        }
    }
    mst_release(block);
    return status;
}

/* Ric(w, w) for a vector w in frame coordinates, from tr g(s w) = d − ⅓ s² Ric(w, w) + O(s⁴) on average over ±s; a
 * second, doubled s removes the s⁴ term. */
static mst_status ricci_form(const mst_manifold *m, const double *x, const double *w, stencil *s,
                             double *u, double *g, double *value)
{
    size_t d = m->dim;
    const double step = 0.02;
    double quotient[2] = {0, 0};
    for (int e = 0; e < 4; e++) {
        double at = offset[e] * step, trace = 0;
        for (size_t k = 0; k < d; k++)
            u[k] = at * w[k];
        MST_TRY(normal_metric(m, x, u, s, g));
        for (size_t k = 0; k < d; k++)
            trace += g[k * d + k];
        quotient[e / 2] += 0.5 * 3 * ((double)d - trace) / (at * at);
    }
    *value = (4 * quotient[0] - quotient[1]) / 3;
    return MST_OK;
}

/* The matrix of Ric by polarisation, applied to the vector's coordinates. */
static mst_status ricci_row(const mst_manifold *m, const double *x, stencil *s, double *room,
                            double *v)
{
    size_t d = m->dim;
    double *c = room, *out = c + d, *w = out + d, *u = w + d, *diagonal = u + d, *g = diagonal + d;
    MST_TRY(mst_manifold_to_frame(m, 1, x, v, c));
    memset(w, 0, d * sizeof *w);
    for (size_t i = 0; i < d; i++) {
        w[i] = 1;
        MST_TRY(ricci_form(m, x, w, s, u, g, &diagonal[i]));
        w[i] = 0;
        out[i] = diagonal[i] * c[i];
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++) {
            double sum;
            w[i] = w[j] = sqrt(0.5);
            MST_TRY(ricci_form(m, x, w, s, u, g, &sum));
            w[i] = w[j] = 0;
            double mixed = sum - 0.5 * (diagonal[i] + diagonal[j]);
            out[i] += mixed * c[j];
            out[j] += mixed * c[i];
        }
    return mst_manifold_from_frame(m, 1, x, out, v);
}

mst_status mst_fallback_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *out)
{
    size_t d = m->dim, D = m->ambient;
    stencil s;
    MST_TRY(stencil_new(&s, d, D));
    double *room;
    mst_status status = mst_allocate(&room, 5 * d + d * d);
    if (status == MST_OK && out != v)
        memcpy(out, v, n * D * sizeof *out);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = ricci_row(m, x + i * D, &s, room, out + i * D);
    mst_release(room);
    mst_release(s.block);
    return status;
}
