/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Normal coordinates u ↦ Exp_c(E u) as the chart of a manifold that has none, their metric by differences of
 * `exp`, and the Ricci tensor from that metric. */
#include "base/linalg.h"
#include "manifold/fallback.h"
#include "manifold/jacobi.h"

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

mst_status mst_fallback_chart_point(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *x)
{
    MST_TRY(mst_manifold_from_frame(m, n, c, u, x));
    return mst_manifold_exp(m, n, c, x, x);
}

/* g_ij(u) = ⟨∂_i, ∂_j⟩ in normal coordinates at the point of j. */
static mst_status normal_metric(const mst_manifold *m, jacobi *j, const double *u, double *g)
{
    size_t d = m->dim, D = m->ambient;
    MST_TRY(jacobi_along(j, m, u));
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k <= i; k++) {
            MST_TRY(mst_manifold_inner(m, 1, j->point, j->field + i * D, j->field + k * D,
                                       &g[i * d + k]));
            g[k * d + i] = g[i * d + k];
        }
    return MST_OK;
}

mst_status mst_fallback_chart_metric(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *g)
{
    size_t d = m->dim, D = m->ambient;
    jacobi j;
    MST_TRY(jacobi_new(&j, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = jacobi_at(&j, m, c + i * D);
        if (status == MST_OK)
            status = normal_metric(m, &j, u + i * d, g + i * d * d);
    }
    jacobi_free(&j);
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
    jacobi j;
    MST_TRY(jacobi_new(&j, m));
    double *slope;
    mst_status status = mst_allocate(&slope, 2 * d * d * d + 2 * d * d + d);
    double *lower = slope + d * d * d, *g = lower + d * d * d, *shifted = g + d * d,
           *at = shifted + d * d;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        memset(slope, 0, d * d * d * sizeof *slope);
        memcpy(at, u + i * d, d * sizeof *at);
        status = jacobi_at(&j, m, c + i * D);
        for (size_t l = 0; status == MST_OK && l < d; l++) {
            for (int e = 0; status == MST_OK && e < 4; e++) {
                at[l] = u[i * d + l] + mst_difference_at[e] * h;
                status = normal_metric(m, &j, at, shifted);
                for (size_t a = 0; a < d * d; a++)
                    slope[l * d * d + a] += mst_difference_weight[e] / h * shifted[a];
            }
            at[l] = u[i * d + l];
        }
        if (status == MST_OK)
            status = normal_metric(m, &j, at, g);
        if (status == MST_OK)
            status = christoffel_from_slope(d, g, slope, lower, gamma + i * d * d * d);
    }
    mst_release(slope);
    jacobi_free(&j);
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
    double *work;
    MST_TRY(mst_allocate(&work, 2 * square + square * d));
    double *l = work, *inverse = l + square, *gamma = inverse + square;
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
    mst_release(work);
    return status;
}

/* Ric(w, w) for a vector w in frame coordinates, from tr g(s w) = d − ⅓ s² Ric(w, w) + O(s⁴) on average over
 * ±s; a second, doubled s removes the s⁴ term. */
static mst_status ricci_form(const mst_manifold *m, jacobi *j, const double *w, double *u,
                             double *value)
{
    size_t d = m->dim, D = m->ambient;
    const double step = 0.02;
    double quotient[2] = {0, 0};
    for (int e = 0; e < 4; e++) {
        double at = mst_difference_at[e] * step, trace = 0;
        for (size_t k = 0; k < d; k++)
            u[k] = at * w[k];
        MST_TRY(jacobi_along(j, m, u));
        for (size_t k = 0; k < d; k++) {
            double square;
            const double *field = j->field + k * D;
            MST_TRY(mst_manifold_inner(m, 1, j->point, field, field, &square));
            trace += square;
        }
        quotient[e / 2] += 0.5 * 3 * ((double)d - trace) / (at * at);
    }
    *value = (4 * quotient[0] - quotient[1]) / 3;
    return MST_OK;
}

/* The matrix of Ric in the frame at x, by polarisation. A surface has one curvature, a
 * curve none. `work` (2d). */
static mst_status ricci_matrix(const mst_manifold *m, jacobi *j, const double *x, double *work,
                               double *ric)
{
    size_t d = m->dim, directions = d == 1 ? 0 : d == 2 ? 1 : d;
    double *w = work, *u = w + d;
    memset(w, 0, d * sizeof *w);
    memset(ric, 0, d * d * sizeof *ric);
    MST_TRY(jacobi_at(j, m, x));
    for (size_t i = 0; i < directions; i++) {
        w[i] = 1;
        MST_TRY(ricci_form(m, j, w, u, &ric[i * d + i]));
        w[i] = 0;
    }
    if (d == 2)
        ric[3] = ric[0];
    for (size_t i = 0; i < directions; i++)
        for (size_t k = 0; k < i; k++) {
            double sum;
            w[i] = w[k] = sqrt(0.5);
            MST_TRY(ricci_form(m, j, w, u, &sum));
            w[i] = w[k] = 0;
            ric[i * d + k] = ric[k * d + i] = sum - 0.5 * (ric[i * d + i] + ric[k * d + k]);
        }
    return MST_OK;
}

/* out = Ric v, in coordinates of the frame of j. */
static mst_status apply_ricci(const mst_manifold *m, const jacobi *j, const double *ric,
                              const double *v, double *work, double *out)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t k = 0; k < d; k++)
        MST_TRY(mst_manifold_inner(m, 1, j->base, j->frame + k * D, v, &work[k]));
    memset(out, 0, D * sizeof *out);
    for (size_t i = 0; i < d; i++) {
        double c = 0;
        for (size_t k = 0; k < d; k++)
            c += ric[i * d + k] * work[k];
        for (size_t a = 0; a < D; a++)
            out[a] += c * j->frame[i * D + a];
    }
    return MST_OK;
}

mst_status mst_fallback_ricci_twice(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *first, double *second)
{
    size_t d = m->dim, D = m->ambient;
    jacobi j;
    MST_TRY(jacobi_new(&j, m));
    double *work;
    mst_status status = mst_allocate(&work, 2 * d + d * d);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double *ric = work + 2 * d;
        status = ricci_matrix(m, &j, x + i * D, work, ric);
        if (status == MST_OK)
            status = apply_ricci(m, &j, ric, v + i * D, work, first + i * D);
        if (status == MST_OK && second != NULL)
            status = apply_ricci(m, &j, ric, first + i * D, work, second + i * D);
    }
    mst_release(work);
    jacobi_free(&j);
    return status;
}

mst_status mst_fallback_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *out)
{
    return mst_fallback_ricci_twice(m, n, x, v, out, NULL);
}
