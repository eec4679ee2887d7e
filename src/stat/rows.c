/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/rows.h"

#include <math.h>

/* Beyond these squares and products leave the range of doubles, and estimates would be
 * those of other numbers. */
static const double most_coordinate = 1e150, least_weight = 1e-30, most_weight = 1e30;

mst_status rows_check(const mst_manifold *m, size_t n, const double *x, const double *weights)
{
    size_t D = mst_manifold_ambient(m);
    if (n < 1)
        return mst_fail(MST_ARGUMENT, "there are no points");
    for (size_t k = 0; k < n * D; k++)
        if (!isfinite(x[k]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is not a coordinate", k / D + 1, x[k]);
        else if (fabs(x[k]) > most_coordinate && (weights == NULL || weights[k / D] > 0))
            return mst_fail(
                MST_ARGUMENT,
                "row %zu: %g is too large to compute with, at most %g; use another unit", k / D + 1,
                x[k], most_coordinate);
    for (size_t i = 0; weights != NULL && i < n; i++)
        if (!(weights[i] >= 0) || !isfinite(weights[i]))
            return mst_fail(MST_ARGUMENT, "weight %zu is %g, not a number ≥ 0", i + 1, weights[i]);
    double total = rows_weight(n, weights);
    if (!(total > 0) || !isfinite(total))
        return mst_fail(MST_ARGUMENT, "the sum of the weights must be positive and finite, not %g",
                        total);
    if (total < least_weight || total > most_weight)
        return mst_fail(
            MST_ARGUMENT,
            "the weights sum to %g, which must be from %g to %g; a common factor of the "
            "weights leaves estimates as they are",
            total, least_weight, most_weight);
    return MST_OK;
}

double rows_weight(size_t n, const double *weights)
{
    if (weights == NULL)
        return (double)n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    return sum;
}

double rows_rounding(const mst_manifold *m, size_t n, const double *x, const double *weights)
{
    size_t D = mst_manifold_ambient(m);
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; (weights == NULL || weights[i] > 0) && a < D; a++)
            largest = fmax(largest, fabs(x[i * D + a]));
    return 1e-13 * largest * (1e-13 * largest);
}
