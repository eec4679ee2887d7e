/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Why a symmetric matrix is no point of spd: what it is instead and, where that shows,
 * what has made it so. */
#include "base/spectrum.h"
#include "manifold/spd_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CAUSE = 120 };

/* "; rows and columns 3, 7 are zero": those of channels without a signal. */
static bool name_zero_rows(size_t n, const double *x, char text[CAUSE])
{
    enum { MOST = 8 };
    char list[MOST * 8] = "";
    size_t found = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        bool zero = true;
        for (size_t j = 0; j < n && zero; j++)
            zero = x[i * n + j] == 0;
        if (zero && found++ < MOST)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%zu", used > 0 ? ", " : "",
                                     i + 1);
    }
    if (found > 0)
        snprintf(text, CAUSE, "; %s %s%s are zero",
                 found > 1 ? "rows and columns" : "row and column", list,
                 found > MOST ? ", …" : "");
    return found > 0;
}

/* The sum of all channels has no variance: 1ᵀX1 = 0 up to the rounding of a few digits. */
static bool sums_to_zero(size_t n, const double *x)
{
    double sum = 0, sizes = 0;
    for (size_t k = 0; k < n * n; k++) {
        sum += x[k];
        sizes += fabs(x[k]);
    }
    return n > 2 && fabs(sum) <= 1e-6 * sizes;
}

mst_status mst_spd_explain(size_t n, const double *x)
{
    mst_spectrum s;
    char cause[CAUSE] = "";
    MST_TRY(mst_spectrum_of(n, x, &s));
    if (s.indefinite)
        return mst_fail(MST_DOMAIN, "matrix is not positive definite (smallest eigenvalue %.3g)",
                        s.least);
    if (s.rank == 0)
        return mst_fail(MST_DOMAIN, "matrix is zero");
    if (!name_zero_rows(n, x, cause) && s.rank < n && sums_to_zero(n, x))
        snprintf(cause, sizeof cause, "; its rows sum to zero, as with an average reference");
    return mst_fail(MST_DOMAIN, "matrix is singular, of rank %zu instead of %zu%s",
                    s.rank < n ? s.rank : n - 1, n, cause);
}
