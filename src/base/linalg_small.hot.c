/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/linalg_small.h"
#include "base/linalg_kernels.h"

/* Put p and q in ascending order (sign = 1) or descending order (−1); `take` says in which lanes they changed
 * places, for `exchange` of what belongs to them. */
static void exchange_keys(double sign, double *restrict p, double *restrict q,
                          double *restrict take)
{
    LANES_LOOP
    {
        double a = p[k], b = q[k];
        int swap = sign * a > sign * b;
        take[k] = swap ? 1 : 0;
        p[k] = swap ? b : a;
        q[k] = swap ? a : b;
    }
}

static void exchange(const double *take, double *restrict p, double *restrict q)
{
    LANES_LOOP
    {
        double a = p[k], b = q[k];
        p[k] = take[k] != 0 ? b : a;
        q[k] = take[k] != 0 ? a : b;
    }
}

static void eigen(size_t count, size_t n, const double *a, double *values, double *vectors)
{
    LANES(m, LANES_ENTRIES);
    LANES(v, LANES_ENTRIES);
    LANES(w, LANES_ORDER);
    _Alignas(64) lanes take;
    lanes_load(n, count, a, 1, m);
    lanes_eigen(n, m, w, v);
    for (size_t end = n; end > 1; end--)
        for (size_t i = 0; i + 1 < end; i++) {
            exchange_keys(1, w[i], w[i + 1], take);
            for (size_t j = 0; j < n; j++)
                exchange(take, v[i * n + j], v[(i + 1) * n + j]);
        }
    lanes_store_rows(n, count, w, values);
    lanes_store_rows(n * n, count, v, vectors);
}

static size_t cholesky(size_t count, size_t n, const double *a, double *l)
{
    LANES(m, LANES_ENTRIES);
    LANES(r, LANES_ORDER);
    _Alignas(64) lanes ok;
    lanes_load(n, count, a, 1, m);
    lanes_fill(&ok, 1, 1);
    lanes_cholesky(n, m, m, r, ok);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            lanes_fill(&m[i * n + j], 1, 0);
    lanes_store_rows(n * n, count, m, l);
    return lanes_first_bad(ok, count);
}

static void svd(size_t count, size_t n, const double *a, double *u, double *sigma, double *vt)
{
    LANES(m, LANES_ENTRIES);
    LANES(v, LANES_ENTRIES);
    LANES(vt_lanes, LANES_ENTRIES);
    LANES(norms, LANES_ORDER);
    _Alignas(64) lanes f, inverse, take;
    lanes_load(n, count, a, 1, m);
    lanes_range(n * n, m, f, inverse);
    for (size_t e = 0; e < n * n; e++) {
        lanes_scale(f, m[e]);
        lanes_fill(&v[e], 1, e % (n + 1) == 0 ? 1 : 0);
    }
    lanes_orthogonalise(n, m, v, norms);
    for (size_t end = n; end > 1; end--)
        for (size_t i = 0; i + 1 < end; i++) {
            exchange_keys(-1, norms[i], norms[i + 1], take);
            for (size_t j = 0; j < n; j++) {
                exchange(take, m[j * n + i], m[j * n + i + 1]);
                exchange(take, v[j * n + i], v[j * n + i + 1]);
            }
        }
    for (size_t i = 0; i < n; i++) {
        double *restrict s = norms[i], *restrict t = take;
        LANES_LOOP
        {
            /* Below this, products of two squared lengths may have underflowed. */
            double length = s[k] < 0x1p-450 ? 0 : sqrt(s[k]);
            t[k] = 1 / length;
            s[k] = length * inverse[k];
        }
        for (size_t j = 0; j < n; j++) {
            lanes_scale(take, m[j * n + i]);
            lanes_copy(v[j * n + i], vt_lanes[i * n + j]);
        }
    }
    lanes_store_rows(n * n, count, m, u);
    lanes_store_rows(n, count, norms, sigma);
    lanes_store_rows(n * n, count, vt_lanes, vt);
}

/* Gaussian elimination. A pivot is found by letting each row below take the place of the pivot row if its
 * entry is larger: partial pivoting with another order of the remaining rows. */
static size_t solve(size_t count, size_t n, size_t sides, const double *a, const double *b,
                    double *x)
{
    LANES(m, LANES_ENTRIES);
    LANES(c, LANES_ORDER);
    _Alignas(64) lanes ok, take, factor;
    lanes_fill(&ok, 1, 1);
    for (size_t side = 0; side < sides; side++) {
        lanes_load(n, count, a, 1, m);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < MST_LANES; k++)
                c[i][k] = k < count ? b[(k * sides + side) * n + i] : 0;
        for (size_t j = 0; j < n; j++) {
            double *restrict pivot = m[j * n + j];
            for (size_t i = j + 1; i < n; i++) {
                const double *below = m[i * n + j];
                LANES_LOOP take[k] = vm_abs(below[k]) > vm_abs(pivot[k]) ? 1 : 0;
                for (size_t e = j; e < n; e++)
                    exchange(take, m[j * n + e], m[i * n + e]);
                exchange(take, c[j], c[i]);
            }
            LANES_LOOP ok[k] = pivot[k] != 0 ? ok[k] : 0;
            for (size_t i = j + 1; i < n; i++) {
                const double *below = m[i * n + j];
                LANES_LOOP factor[k] = below[k] / pivot[k];
                for (size_t e = j + 1; e < n; e++)
                    lanes_subtract_product(factor, m[j * n + e], m[i * n + e]);
                lanes_subtract_product(factor, c[j], c[i]);
            }
        }
        for (size_t i = n; i-- > 0;) {
            for (size_t e = i + 1; e < n; e++)
                lanes_subtract_product(m[i * n + e], c[e], c[i]);
            double *restrict out = c[i];
            const double *pivot = m[i * n + i];
            LANES_LOOP out[k] /= pivot[k];
        }
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < n; i++)
                x[(k * sides + side) * n + i] = c[i][k];
    }
    return lanes_first_bad(ok, count);
}

const struct linalg_kernels HOT(linalg_kernels) = {
    .eigen = eigen,
    .cholesky = cholesky,
    .svd = svd,
    .solve = solve,
};
