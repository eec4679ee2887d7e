/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/spectrum.h"

#include "base/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* An eigenvalue below this part of the largest is no rounding any more: n·2⁻²⁴ is 7.6e-6 for the order 128
 * in single precision. */
#define NEGATIVE 1e-5

/* The symmetric part of a, as it is or with a unit diagonal. Rows without a positive diagonal stay in the
 * unit of the largest entry. False: a 2×2 minor is clearly negative, and the rest is not filled in. */
static bool scaled_part(size_t n, const double *a, bool unit, double *out)
{
    double largest = 0;
    for (size_t k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(a[k]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = 0.5 * a[i * n + j] + 0.5 * a[j * n + i];
            double di = a[i * (n + 1)] > 0 ? a[i * (n + 1)] : largest;
            double dj = a[j * (n + 1)] > 0 ? a[j * (n + 1)] : largest;
            /* Each root for itself: their product may be below the range of double. */
            if (unit && x != 0)
                x = x / sqrt(di) / sqrt(dj);
            if (unit && !(fabs(x) <= 1 + NEGATIVE))
                return false;
            out[i * n + j] = x;
        }
    return true;
}

mst_status mst_spectrum_of(size_t n, const double *a, mst_spectrum *out)
{
    double *work, *values;
    MST_TRY(mst_allocate(&work, n * n + n));
    values = work + n * n;
    scaled_part(n, a, false, work);
    mst_status status = mst_eigen_symmetric(1, n, work, values, work, NULL);
    if (status == MST_OK) {
        *out = (mst_spectrum){.least = values[0], .largest = values[n - 1]};
        if (!scaled_part(n, a, true, work))
            out->indefinite = true;
        else
            status = mst_eigen_symmetric(1, n, work, values, work, NULL);
    }
    if (status == MST_OK) {
        double largest = values[n - 1], noise = fmax(8 * (double)n * DBL_EPSILON * largest, 0);
        out->indefinite |= values[0] < -NEGATIVE * fmax(largest, 0);
        noise = fmax(noise, -2 * values[0]);
        for (size_t i = 0; i < n; i++)
            out->rank += values[i] > noise;
    }
    mst_release(work);
    return status;
}

/* A pivot of Cholesky's factor of the matrix with unit diagonal is what is left of a row when those before
 * it are known. Of a singular matrix one is zero, up to rounding that earlier small pivots have magnified.
 * Row by row of the upper factor, so that the inner loop is one along a row. */
bool mst_spectrum_suspect(size_t n, const double *a, double *work)
{
    const double small = 1e-9;
    memcpy(work, a, n * n * sizeof *work);
    for (size_t i = 0; i < n; i++) {
        const double *restrict row = work + i * n;
        if (!(row[i] > small * a[i * (n + 1)]))
            return true;
        double inverse = 1 / row[i];
        for (size_t j = i + 1; j < n; j++) {
            double *restrict below = work + j * n, factor = row[j] * inverse;
            for (size_t k = j; k < n; k++)
                below[k] -= factor * row[k];
        }
    }
    return false;
}
