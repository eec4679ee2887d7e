/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/spd_spectra.h"

#include "base/linalg.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <string.h>

mst_status spd_spectra_new(spd_spectra *s, const mst_manifold *m)
{
    size_t D = m->ambient, n = symmetric_order(D), most = symmetric_chunk(D);
    *s = (spd_spectra){.n = n};
    MST_TRY(mst_allocate(&s->at, most));
    MST_TRY(mst_allocate(&s->memory, most * (3 * D + 2 * n) + D));
    s->w = s->memory;
    s->factor = s->w + most * D;
    s->right = s->factor + most * D;
    s->p = s->right + most * D;
    s->log = s->p + most * n;
    s->last = s->log + most * n;
    return MST_OK;
}

void spd_spectra_free(spd_spectra *s)
{
    mst_release(s->memory);
    mst_release(s->at);
}

/* The first row that has spectrum number k. */
static size_t row_of(const spd_spectra *s, size_t k)
{
    size_t row = 0;
    while (s->at[row] < k)
        row++;
    return row;
}

/* Do these rows go on with the point that all of the chunk before them had? */
static bool is_still(const spd_spectra *s, size_t count, const double *x)
{
    size_t D = s->n * s->n;
    bool same = s->single;
    for (size_t i = 0; same && i < count; i++)
        same = memcmp(x + i * D, s->last, D * sizeof *x) == 0;
    return same;
}

/* By the singular values σ of the Cholesky factor, p = σ²: small eigenvalues keep twice as many digits as in
 * an eigenproblem for P. */
mst_status spd_spectra_take(spd_spectra *s, size_t row, size_t count, const double *x, bool *fresh)
{
    size_t n = s->n, D = n * n, different = 0, bad = 0;
    bool still = is_still(s, count, x);
    if (fresh != NULL)
        *fresh = !still;
    if (still) {
        memset(s->at, 0, count * sizeof *s->at);
        return MST_OK;
    }
    s->single = false;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || memcmp(x + i * D, x + (i - 1) * D, D * sizeof *x) != 0)
            memcpy(s->factor + different++ * D, x + i * D, D * sizeof *x);
        s->at[i] = different - 1;
    }
    mst_status status = mst_cholesky(different, n, s->factor, s->factor, &bad);
    if (status != MST_OK && status != MST_DOMAIN)
        return status;
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the point is not positive definite",
                        row + row_of(s, bad) + 1);
    MST_TRY(mst_svd(different, n, s->factor, s->w, s->p, s->right, NULL));
    for (size_t i = 0; i < different; i++) {
        mst_transpose(n, s->w + i * D);
        for (size_t k = i * n; k < (i + 1) * n; k++) {
            if (!(s->p[k] > 0))
                return mst_fail(MST_DOMAIN, "row %zu: the point is singular",
                                row + row_of(s, i) + 1);
            s->log[k] = 2 * log(s->p[k]);
            s->p[k] *= s->p[k];
        }
    }
    s->single = different == 1;
    memcpy(s->last, x, D * sizeof *x);
    return MST_OK;
}
