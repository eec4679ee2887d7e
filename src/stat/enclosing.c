/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/enclosing.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

double square_in(size_t d, const double *l, const double *b, double *z)
{
    double sum = 0;
    for (size_t a = 0; a < d; a++) {
        z[a] = b[a];
        for (size_t k = 0; k < a; k++)
            z[a] -= l[a * d + k] * z[k];
        z[a] /= l[a * d + a];
        sum += z[a] * z[a];
    }
    return sum;
}

mst_status smallest_ellipsoid(size_t d, size_t count, const double *points, double *l)
{
    /* Some milliseconds at the most. */
    size_t rounds = (size_t)fmin(fmax(1e7 / (double)(count * d * d + d * d * d), 10), 200);
    double *p, largest = 0;
    MST_TRY(mst_allocate(&p, count + d));
    double *z = p + count;
    for (size_t k = 0; k < count; k++)
        p[k] = 1 / (double)count;
    mst_status status = MST_OK;
    for (size_t round = 0; round <= rounds && status == MST_OK; round++) {
        memset(l, 0, d * d * sizeof *l);
        for (size_t k = 0; k < count; k++)
            for (size_t a = 0; a < d; a++)
                for (size_t c = 0; c <= a; c++)
                    l[a * d + c] += p[k] * points[k * d + a] * points[k * d + c];
        status = mst_cholesky(1, d, l, l, NULL);
        largest = 0;
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            double q = square_in(d, l, points + k * d, z);
            largest = fmax(largest, q);
            p[k] *= q / (double)d;
        }
    }
    for (size_t k = 0; k < d * d; k++)
        l[k] *= sqrt(largest);
    mst_release(p);
    return status;
}
