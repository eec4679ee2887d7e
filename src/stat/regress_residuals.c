/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fitted points, residuals, leverage and R². */
#include "base/linalg.h"
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

/* Distances, NAN where there is none to be had. */
static mst_status distances_or_nan(const mst_manifold *m, size_t n, const double *x,
                                   const double *y, double *distance)
{
    size_t D = mst_manifold_ambient(m);
    mst_status status = mst_manifold_dist(m, n, x, y, distance);
    for (size_t i = 0; status != MST_OK && status != MST_MEMORY && n > 1 && i < n; i++)
        MST_TRY(distances_or_nan(m, 1, x + i * D, y + i * D, distance + i));
    if (status != MST_OK && n == 1)
        *distance = NAN;
    return status == MST_MEMORY ? status : MST_OK;
}

/* Rows whose prediction is farther along its geodesic than that is minimal. */
static mst_status look_beyond(const regress_job *j, mst_regress_result *r)
{
    double radius = mst_manifold_injectivity(j->m), *base;
    size_t n = j->n, D = j->D;
    if (mst_manifold_traits_of(j->m)->hadamard == MST_YES || isinf(radius))
        return MST_OK;
    MST_TRY(mst_allocate_zero(&base, n * (2 * D + 2)));
    double *u = base + n * D, *length = u + n * D, *distance = length + n;
    bool far = isnan(radius);
    for (size_t i = 0; i < n; i++) {
        memcpy(base + i * D, r->intercept, D * sizeof *base);
        for (size_t c = 0; c < j->k; c++)
            for (size_t a = 0; a < D; a++)
                u[i * D + a] += (j->x[i * j->k + c] - r->origin[c]) * r->velocities[c * D + a];
    }
    mst_status status = mst_manifold_norm(j->m, n, base, u, length);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        far = far || length[i] > radius;
    /* Only a bound is known, or nothing: the distance itself decides. */
    if (status == MST_OK && far)
        status = distances_or_nan(j->m, n, base, r->fitted, distance);
    for (size_t i = 0; status == MST_OK && far && i < n; i++) {
        bool asked = length[i] > radius || isnan(radius);
        if (asked && distance[i] < length[i] * (1 - 1e-6) && r->beyond_cut++ == 0)
            r->first_beyond = i;
    }
    if (r->beyond_cut > 0)
        r->notes |= MST_REGRESS_BEYOND_CUT;
    mst_release(base);
    return status;
}

static mst_status fill_residuals(const regress_job *j, const regress_model *m, const double *state,
                                 mst_regress_result *r)
{
    unsigned char *flag;
    MST_TRY(mst_allocate_zero(&flag, j->n));
    mst_status status =
        m->model.ops->predict(&m->model, state, 0, 0, j->n, r->fitted, r->fitted_noise);
    if (status == MST_OK)
        status = mst_manifold_log(j->m, j->n, r->fitted, j->y, r->residuals, flag);
    if (status == MST_OK)
        status = mst_manifold_norm(j->m, j->n, r->fitted, r->residuals, r->distances);
    for (size_t i = 0; i < j->n; i++)
        if ((flag[i] & MST_LOG_CUT) != 0)
            r->notes |= MST_REGRESS_RESIDUALS_AT_CUT;
    mst_release(flag);
    return status;
}

/* Σ dist² about the mean. */
static mst_status total_square(const regress_job *j, double *total)
{
    double *base;
    MST_TRY(mst_allocate(&base, j->n * (j->D + 1)));
    double *dist = base + j->n * j->D;
    for (size_t i = 0; i < j->n; i++)
        memcpy(base + i * j->D, j->mean, j->D * sizeof *base);
    mst_status status = mst_manifold_dist(j->m, j->n, base, j->y, dist);
    *total = 0;
    for (size_t i = 0; status == MST_OK && i < j->n; i++)
        *total += dist[i] * dist[i];
    mst_release(base);
    return status;
}

/* Row i: the derivative (d, d (k + 1)) of its prediction by the curve. */
static void fill_row(const regress_job *j, size_t i, const double *point, const double *speed,
                     double *row)
{
    size_t d = j->d, p = d * (j->k + 1);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            row[a * p + b] = point[a * d + b];
            for (size_t c = 0; c < j->k; c++)
                row[a * p + (1 + c) * d + b] = j->z[i * j->k + c] * speed[a * d + b];
        }
}

/* The share of a row in its own prediction: tr(w J M⁻¹ Jᵀ)/d with M = Σ w JᵀJ, w = 1/σ². */
static mst_status fill_leverage(const regress_job *j, const regress_model *m, const double *state,
                                mst_regress_result *r)
{
    size_t d = j->d, p = d * (j->k + 1);
    double *gram;
    MST_TRY(mst_allocate_zero(&gram, p * p + 2 * j->n * d * d + 2 * d * p));
    double *point = gram + p * p, *speed = point + j->n * d * d, *row = speed + j->n * d * d,
           *half = row + d * p;
    mst_status status = regress_derivative(m, state, 0, j->n, r->fitted, point, speed);
    for (size_t i = 0; status == MST_OK && i < j->n; i++) {
        double w = j->timed ? 1 / r->fitted_noise[i] : 1;
        fill_row(j, i, point + i * d * d, speed + i * d * d, row);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < p; b++)
                for (size_t c = 0; c < p; c++)
                    gram[b * p + c] += w * row[a * p + b] * row[a * p + c];
    }
    if (status == MST_OK)
        status = mst_cholesky(1, p, gram, gram, NULL);
    for (size_t i = 0; status == MST_OK && i < j->n; i++) {
        double w = j->timed ? 1 / r->fitted_noise[i] : 1, sum = 0;
        fill_row(j, i, point + i * d * d, speed + i * d * d, row);
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < p; b++) {
                double e = row[a * p + b];
                for (size_t c = 0; c < b; c++)
                    e -= gram[b * p + c] * half[a * p + c];
                half[a * p + b] = e / gram[b * p + b];
                sum += half[a * p + b] * half[a * p + b];
            }
        r->leverage[i] = w * sum / (double)d;
    }
    mst_release(gram);
    return status == MST_DOMAIN ? MST_OK : status;
}

mst_status regress_add_residuals(const regress_job *j, const regress_model *m, const double *state,
                                 mst_regress_result *r)
{
    double rest = 0, total;
    MST_TRY(fill_residuals(j, m, state, r));
    MST_TRY(total_square(j, &total));
    for (size_t i = 0; i < j->n; i++)
        rest += r->distances[i] * r->distances[i];
    r->r_squared = total > 0 ? 1 - rest / total : NAN;
    if (!j->timed) {
        r->noise = rest / (double)(j->n * j->d);
        for (size_t i = 0; i < j->n; i++)
            r->fitted_noise[i] = r->noise;
    }
    MST_TRY(look_beyond(j, r));
    return m->model.ops->pull_matrix != NULL ? fill_leverage(j, m, state, r) : MST_OK;
}
