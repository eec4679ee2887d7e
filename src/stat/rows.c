/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/rows.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
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

/* ---- Copies ---- */

/* Shorter numbers are rounded ones, of which rows may be equal by chance. */
enum { FEW_DIGITS = 7 };
static const double largest_integer = 1e7;

static uint64_t hash_row(size_t D, const double *x)
{
    uint64_t hash = 0, word;
    for (size_t a = 0; a < D; a++) {
        memcpy(&word, x + a, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* first (n): the first row that is equal to row i in all bits; *different of them are their own. */
static mst_status find_equal_rows(size_t n, size_t D, const double *x, size_t *first,
                                  size_t *different)
{
    size_t places = 2, *table;
    while (places < 2 * n)
        places *= 2;
    MST_TRY(mst_allocate_zero(&table, places)); /* row + 1; 0: free */
    *different = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = hash_row(D, x + i * D) & (places - 1);
        while (table[at] != 0 && memcmp(x + (table[at] - 1) * D, x + i * D, D * sizeof *x) != 0)
            at = (at + 1) & (places - 1);
        if (table[at] == 0) {
            table[at] = i + 1;
            ++*different;
        }
        first[i] = table[at] - 1;
    }
    mst_release(table);
    return MST_OK;
}

static bool has_few_digits(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", FEW_DIGITS, x);
    return strtod(text, NULL) == x;
}

/* Has a number of radians few digits in degrees? It is known to half a unit of the last digit that was
 * written. */
static bool has_few_degrees_at(double x)
{
    const double degrees = 57.29577951308232, rounding = 4 * DBL_EPSILON;
    char text[32];
    int digits = FEW_DIGITS;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, x);
    while (digits < DBL_DECIMAL_DIG && fabs(strtod(text, NULL) - x) > rounding);
    double error = fmax(0.5 * pow(10, 1 - digits) * fabs(x), rounding) * degrees;
    snprintf(text, sizeof text, "%.*g", FEW_DIGITS, degrees * x);
    return fabs(strtod(text, NULL) - degrees * x) <= 2 * error;
}

/* Angles may have been written from 0 on and be read from −π on. */
static bool has_few_degrees(double x)
{
    return has_few_degrees_at(x) || (x < 0 && has_few_degrees_at(x + 2 * M_PI));
}

/* Is x/y a quotient of integers below 10^7, as of rounded numbers in any unit? By continued fractions: about
 * one in fifty numbers of all digits is so by chance. */
static bool has_common_unit(double x, double y)
{
    double ratio = fabs(x) < fabs(y) ? fabs(x / y) : fabs(y / x), rest = ratio;
    double before = 0, q = 1;
    while (q < largest_integer) {
        if (fabs(ratio * q - round(ratio * q)) <= 4 * DBL_EPSILON * ratio * q)
            return true;
        rest = 1 / (rest - floor(rest));
        double next = floor(rest) * q + before;
        before = q;
        q = next;
    }
    return false;
}

/* Are the numbers of a row short themselves, or in the unit of their columns, or in one of the row, as
 * unit vectors are that were rounded before they were scaled? largest (D) is of the columns. */
static bool is_rounded(size_t D, const double *row, const double *largest)
{
    double most = 0;
    bool columns = true, whole = true, several = false;
    for (size_t a = 0; a < D; a++)
        most = fabs(row[a]) > fabs(most) ? row[a] : most;
    for (size_t a = 0; a < D; a++) {
        bool other = fabs(row[a]) != fabs(largest[a]);
        bool multiple = other && has_common_unit(row[a], largest[a]);
        columns = columns &&
                  (row[a] == 0 || multiple || has_few_digits(row[a]) || has_few_degrees(row[a]));
        if (row[a] == 0 || fabs(row[a]) == fabs(most))
            continue;
        several = true;
        whole = whole && has_common_unit(row[a], most);
    }
    return columns || (several && whole);
}

static int compare_numbers(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

/* So many of the different rows share their number in column a with another one; none if the column is
 * constant or of short numbers. work (n). */
static size_t shared_numbers(size_t n, size_t D, const double *x, const size_t *first, size_t a,
                             double *work)
{
    size_t count = 0, values = 1, rounded = 0;
    for (size_t i = 0; i < n; i++)
        if (first[i] == i)
            work[count++] = x[i * D + a];
    qsort(work, count, sizeof *work, compare_numbers);
    rounded = has_few_digits(work[0]);
    for (size_t i = 1; i < count; i++)
        if (work[i] != work[i - 1]) {
            values++;
            rounded += has_few_digits(work[i]);
        }
    return values == 1 || 2 * rounded > values ? 0 : count - values;
}

/* Would rows that are equal be surprising, and not be those of a grid? At least so many, `extra`, are. */
static mst_status are_long(size_t n, size_t D, const double *x, const size_t *first,
                           const size_t *times, size_t extra, bool *out)
{
    enum { ENOUGH = 200 };
    double *largest;
    size_t seen = 0, rounded = 0;
    /* Two rows agree in eight digits of one number with a chance of about 1e-8. */
    *out = (double)extra > 2e-8 * (double)n * (double)n;
    if (!*out)
        return MST_OK;
    MST_TRY(mst_allocate_zero(&largest, n + D));
    for (size_t k = 0; k < n * D; k++)
        largest[k % D] = fabs(x[k]) > fabs(largest[k % D]) ? x[k] : largest[k % D];
    for (size_t i = 0; i < n && seen < ENOUGH; i++)
        if (first[i] == i && times[i] > 1) {
            seen++;
            rounded += is_rounded(D, x + i * D, largest);
        }
    *out = 2 * rounded < seen;
    /* On a grid of angles that were turned into unit vectors other rows are equal in part. */
    for (size_t a = 0; *out && a < D; a++)
        *out = shared_numbers(n, D, x, first, a, largest + D) < extra;
    mst_release(largest);
    return MST_OK;
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

/* Were counts divisible by g by chance, all but one of them would be with a probability of 1/g each. */
static bool are_multiples(size_t n, const size_t *first, const size_t *times, size_t different)
{
    size_t divisor = 0;
    for (size_t i = 0; i < n && divisor != 1; i++)
        if (first[i] == i)
            divisor = common_divisor(times[i], divisor);
    return (double)(different - 1) * log2((double)divisor) >= 8;
}

mst_status rows_copies(size_t n, size_t D, const double *x, size_t **names, size_t *different)
{
    size_t *first;
    bool copies = false;
    *names = NULL;
    *different = n;
    MST_TRY(mst_allocate_zero(&first, 2 * n));
    size_t *times = first + n;
    mst_status status = find_equal_rows(n, D, x, first, different);
    for (size_t i = 0; i < n; i++)
        times[first[i]]++;
    if (status == MST_OK && *different > 1 && *different < n) {
        copies = are_multiples(n, first, times, *different);
        if (!copies)
            status = are_long(n, D, x, first, times, n - *different, &copies);
    }
    if (status == MST_OK && copies) {
        *names = first;
        return MST_OK;
    }
    *different = n;
    mst_release(first);
    return status;
}
