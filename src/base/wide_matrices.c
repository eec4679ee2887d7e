/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/wide_matrices.h"

#include "base/linalg.h"

void wide_load(size_t n, size_t side, size_t count, const double *rows, double *a)
{
    for (size_t k = 0; k < side; k++)
        for (size_t e = 0; e < n * n; e++)
            a[e * side + k] = k < count ? rows[k * n * n + e] : e % (n + 1) == 0 ? 1 : 0;
}

void wide_store_symmetric(size_t n, size_t side, size_t k, const double *a, double *row)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            row[i * n + j] = row[j * n + i] = a[(i * n + j) * side + k];
}

/* Eigenvalue number i of lane k with its vector, in ascending order: insertion into those before. */
static void insert(size_t side, size_t k, size_t i, const double *values, double *sorted,
                   size_t *from)
{
    double value = values[i * side + k];
    size_t at = i;
    for (; at > 0 && sorted[at - 1] > value; at--) {
        sorted[at] = sorted[at - 1];
        from[at] = from[at - 1];
    }
    sorted[at] = value;
    from[at] = i;
}

mst_status wide_eigen(size_t count, size_t n, const double *a, double *values, double *vectors,
                      unsigned char *failed)
{
    const struct wide_eigen_kernels *kernels = MST_PICK(wide_eigen_kernels);
    size_t side = kernels->lanes, matrix = n * n * side, *from;
    double *memory;
    MST_TRY(mst_allocate(&from, n));
    mst_status status = mst_allocate(&memory, 2 * matrix + 7 * n * side);
    for (size_t at = 0; status == MST_OK && at < count; at += side) {
        double *batch = memory, *z = batch + matrix, *found = z + matrix, *room = found + n * side;
        size_t part = count - at < side ? count - at : side;
        wide_load(n, side, part, a + at * n * n, batch);
        unsigned bad = kernels->eigen(n, batch, found, z, room);
        for (size_t k = 0; k < part; k++) {
            failed[at + k] = (unsigned char)(bad >> k & 1U);
            if (failed[at + k] != 0) /* a, which may be `vectors`, is still needed */
                continue;
            double *sorted = values + (at + k) * n, *out = vectors + (at + k) * n * n;
            for (size_t i = 0; i < n; i++)
                insert(side, k, i, found, sorted, from);
            /* Rotations by nothing, which the other lanes decide on, change the sign of zeros. */
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    out[i * n + j] = z[(j * n + from[i]) * side + k] + 0.0;
        }
    }
    mst_release(memory);
    mst_release(from);
    return status;
}

mst_status wide_cholesky(size_t count, size_t n, const double *a, double *l, size_t *bad)
{
    const struct wide_kernels *kernels = MST_PICK(wide_kernels);
    size_t side = MST_PICK(wide_eigen_kernels)->lanes;
    double *batch;
    *bad = count;
    MST_TRY(mst_allocate(&batch, n * n * side));
    for (size_t at = 0; *bad == count && at < count; at += side) {
        size_t part = count - at < side ? count - at : side;
        wide_load(n, side, part, a + at * n * n, batch);
        unsigned failed = kernels->cholesky(n, batch);
        for (size_t k = part; k-- > 0;)
            *bad = (failed >> k & 1U) != 0 ? at + k : *bad;
        for (size_t k = 0; k < part; k++)
            for (size_t e = 0; e < n * n; e++)
                l[(at + k) * n * n + e] = batch[e * side + k];
    }
    mst_release(batch);
    return MST_OK;
}
