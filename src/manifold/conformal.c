/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/internal.h"

#include <string.h>

static double curvature(const mst_manifold *m)
{
    return *(const double *)m->data;
}

static double squared_length(size_t d, const double *u)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += u[k] * u[k];
    return sum;
}

/* n matrices scale_i · I, where scale = λ^power. */
static void diagonal(double kappa, int power, size_t n, size_t d, const double *u, double *matrix)
{
    memset(matrix, 0, n * d * d * sizeof *matrix);
    for (size_t i = 0; i < n; i++) {
        double inverse = 1 + kappa / 4 * squared_length(d, u + i * d);
        double scale = power == 2 ? 1 / (inverse * inverse) : inverse;
        for (size_t k = 0; k < d; k++)
            matrix[(i * d + k) * d + k] = scale;
    }
}

mst_status mst_conformal_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *g)
{
    (void)c;
    diagonal(curvature(m), 2, n, m->dim, u, g);
    return MST_OK;
}

/* Γ^i_jk = δ_ij φ_k + δ_ik φ_j − δ_jk φ_i with φ = ∇ log λ = −(κ/2) λ u. */
mst_status mst_conformal_christoffel(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *gamma)
{
    (void)c;
    size_t d = m->dim;
    double kappa = curvature(m);
    memset(gamma, 0, n * d * d * d * sizeof *gamma);
    for (size_t row = 0; row < n; row++) {
        const double *p = u + row * d;
        double *g = gamma + row * d * d * d;
        double factor = -kappa / 2 / (1 + kappa / 4 * squared_length(d, p));
        for (size_t i = 0; i < d; i++)
            for (size_t k = 0; k < d; k++) {
                double phi = factor * p[k];
                g[(i * d + i) * d + k] += phi;
                g[(i * d + k) * d + i] += phi;
                g[(k * d + i) * d + i] -= phi;
            }
    }
    return MST_OK;
}

/* b = −½ g^jk Γ^i_jk = ½ (d − 2) λ⁻² φ, σ = λ⁻¹ I. */
mst_status mst_conformal_diffusion(const mst_manifold *m, size_t n, const double *c,
                                   const double *u, double *b, double *sigma)
{
    (void)c;
    size_t d = m->dim;
    double kappa = curvature(m);
    diagonal(kappa, -1, n, d, u, sigma);
    for (size_t i = 0; i < n; i++) {
        double inverse = sigma[i * d * d];
        double factor = -kappa / 4 * ((double)d - 2) * inverse;
        for (size_t k = 0; k < d; k++)
            b[i * d + k] = factor * u[i * d + k];
    }
    return MST_OK;
}
