/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond these squares and products leave the range of doubles, and estimates would be
 * those of other numbers. */
static const double most_coordinate = 1e150, least_coordinate = 1e-150, least_weight = 1e-30,
                    most_weight = 1e30;

/* Coordinates of which the largest is so small are differences of nothing. */
static mst_status check_size(size_t count, const double *x)
{
    double largest = 0;
    for (size_t k = 0; k < count && largest < least_coordinate; k++)
        largest = fmax(largest, fabs(x[k]));
    return largest == 0 || largest >= least_coordinate
               ? MST_OK
               : mst_fail(MST_ARGUMENT,
                          "all coordinates are below %g, too small to compute with; use another "
                          "unit",
                          least_coordinate);
}

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
    MST_TRY(check_size(n * D, x));
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

size_t rows_weighing(size_t n, const double *weights)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += weights == NULL || weights[i] > 0;
    return count;
}

/* The row with a weight whose columns from `begin` hold the largest coordinate, and that. */
static double largest_coordinate(const mst_manifold *m, size_t begin, size_t columns, size_t n,
                                 const double *x, const double *weights, const double **row)
{
    size_t D = mst_manifold_ambient(m);
    double largest = -1;
    for (size_t i = 0; i < n; i++)
        for (size_t a = begin; (weights == NULL || weights[i] > 0) && a < begin + columns; a++)
            if (fabs(x[i * D + a]) > largest) {
                largest = fabs(x[i * D + a]);
                *row = x + i * D + begin;
            }
    return fmax(largest, 0);
}

mst_status rows_rounding(const mst_manifold *m, size_t n, const double *x, const double *weights,
                         double *square)
{
    const double rounding = 1e-13, *row = x;
    double largest = 0, matrices = 0;
    for (size_t f = 0, at = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *part = mst_manifold_factor(m, f);
        size_t columns = mst_manifold_ambient(part);
        double most = largest_coordinate(m, at, columns, n, x, weights, &row), size = 0;
        /* P is a tangent vector at P, and P + εP what becomes of it when its entries are rounded. */
        if (mst_manifold_traits_of(part)->positive_definite)
            MST_TRY(mst_manifold_inner(part, 1, row, row, row, &size));
        else
            largest = fmax(largest, most);
        matrices = fmax(matrices, size);
        at += columns;
    }
    *square = rounding * rounding * fmax(largest * largest, matrices);
    return MST_OK;
}

typedef struct row {
    const double *x;
    size_t D;
} row;

static int compare(const void *a, const void *b)
{
    const row *p = a, *q = b;
    return memcmp(p->x, q->x, p->D * sizeof *p->x);
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b > 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

mst_status rows_copies(size_t n, size_t D, const double *x, size_t *copies)
{
    row *rows;
    size_t first = 0, same = 0, different = 0, divisor = 0;
    *copies = 1;
    /* Most data have no row twice, and the first one tells. */
    for (size_t i = 0; i < n; i++)
        first += memcmp(x, x + i * D, D * sizeof *x) == 0;
    if (first < 2 || first == n)
        return MST_OK;
    MST_TRY(mst_allocate(&rows, n));
    for (size_t i = 0; i < n; i++)
        rows[i] = (row){x + i * D, D};
    qsort(rows, n, sizeof *rows, compare);
    for (size_t i = 0; i < n && divisor != 1; i++) {
        same++;
        if (i + 1 < n && compare(&rows[i], &rows[i + 1]) == 0)
            continue;
        divisor = common_divisor(same, divisor);
        different++;
        same = 0;
    }
    mst_release(rows);
    /* Were counts divisible by g by chance, all but one of them would be with a probability of 1/g each. */
    if ((double)(different - 1) * log2((double)divisor) >= 8)
        *copies = divisor;
    return MST_OK;
}
