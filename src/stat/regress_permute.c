/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Permutation tests of columns where there are more coordinates than rows. In the tangent space at the mean
 * the residuals of the regression without the tested columns change places (Freedman and Lane), and the share
 * of their square that the tested columns explain is compared. All of it goes by inner products of rows, of
 * which there are n², however many coordinates there are. */
#include "base/linalg.h"
#include "stat/regress_parts.h"

#include <manistat/random.h>
#include <math.h>
#include <string.h>

static const uint64_t permutation_stream = UINT64_C(0x7265677265) << 20;

size_t regress_add_orthonormal(size_t n, const double *column, size_t stride, size_t found,
                               double *q)
{
    double *u = q + found * n, norm = 0;
    for (size_t i = 0; i < n; i++)
        u[i] = column != NULL ? column[i * stride] : 1;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < found; k++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += u[i] * q[k * n + i];
            for (size_t i = 0; i < n; i++)
                u[i] -= along * q[k * n + i];
        }
    for (size_t i = 0; i < n; i++)
        norm += u[i] * u[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n; i++)
        u[i] /= norm;
    return found + 1;
}

/* Σ_k q_kᵀ G q_k over columns begin … end, with the rows of G in another order. */
static double explained(size_t n, size_t begin, size_t end, const double *q, const double *gram,
                        const size_t *order)
{
    double sum = 0;
    for (size_t k = begin; k < end; k++)
        for (size_t a = 0; a < n; a++) {
            double row = 0;
            const double *g = gram + order[a] * n;
            for (size_t b = 0; b < n; b++)
                row += g[order[b]] * q[k * n + b];
            sum += q[k * n + a] * row;
        }
    return sum;
}

/* gram (n, n) of the rows' logarithms at the mean. */
static mst_status inner_products(const regress_job *j, const double *mean, double *gram)
{
    size_t n = j->n, D = j->D, d = j->d;
    double *base;
    MST_TRY(mst_allocate(&base, n * (2 * D + d)));
    double *v = base + n * D, *c = v + n * D;
    for (size_t i = 0; i < n; i++)
        memcpy(base + i * D, mean, D * sizeof *base);
    mst_status status = mst_manifold_log(j->m, n, base, j->y, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(j->m, n, base, v, c);
    for (size_t a = 0; status == MST_OK && a < n; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += c[a * d + k] * c[b * d + k];
            gram[a * n + b] = gram[b * n + a] = sum;
        }
    mst_release(base);
    return status;
}

/* gram ← (1 − P) gram (1 − P), P the projection to the first `kept` columns of q. */
static void leave_residuals(size_t n, size_t kept, const double *q, double *gram)
{
    for (size_t side = 0; side < 2; side++) {
        for (size_t a = 0; a < n; a++)
            for (size_t k = 0; k < kept; k++) {
                double along = 0;
                for (size_t b = 0; b < n; b++)
                    along += gram[a * n + b] * q[k * n + b];
                for (size_t b = 0; b < n; b++)
                    gram[a * n + b] -= along * q[k * n + b];
            }
        mst_transpose(n, gram);
    }
}

/* The share of the rest that the tested columns explain, whatever the other columns make of the order. */
static double statistic_of(size_t n, size_t kept, size_t all, const double *q, const double *gram,
                           double total, const size_t *order)
{
    double rest = total - explained(n, 0, kept, q, gram, order);
    return explained(n, kept, all, q, gram, order) / rest;
}

mst_status regress_permute(const regress_job *j, const double *mean, const unsigned char *marked,
                           mst_regress_test *test)
{
    size_t n = j->n, k = j->k, found = 0, kept;
    double *gram, total = 0;
    size_t *order, above = 1;
    MST_TRY(mst_allocate(&gram, n * n + (k + 1) * n));
    double *q = gram + n * n;
    mst_status status = mst_allocate(&order, n);
    found = regress_add_orthonormal(n, NULL, 0, found, q);
    for (size_t c = 0; c < k; c++)
        if (!marked[c])
            found = regress_add_orthonormal(n, j->z + c, k, found, q);
    kept = found;
    for (size_t c = 0; c < k; c++)
        if (marked[c])
            found = regress_add_orthonormal(n, j->z + c, k, found, q);
    if (status == MST_OK)
        status = inner_products(j, mean, gram);
    if (status == MST_OK) {
        leave_residuals(n, kept, q, gram);
        for (size_t i = 0; i < n; i++) {
            order[i] = i;
            total += gram[i * n + i];
        }
        double here = statistic_of(n, kept, found, q, gram, total, order);
        for (size_t b = 0; b < j->o->resamples; b++) {
            mst_random_permutation((mst_random){j->o->seed, permutation_stream + b}, n, order);
            above += statistic_of(n, kept, found, q, gram, total, order) >= here * (1 - 1e-12);
        }
        test->method = MST_REGRESS_PERMUTATION;
        test->statistic = here;
        test->p_value = (double)above / (double)(j->o->resamples + 1);
    }
    mst_release(order);
    mst_release(gram);
    return status;
}
