/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Logarithms and distances of Bures and Wasserstein. Of all factors of Q = B Bᵀ, the end of the horizontal
 * line from Z, P = Z Zᵀ, is the nearest to Z (Procrustes): with Zᵀ B = U Σ Vᵀ it is Y = B V Uᵀ. Then
 * Log_P(Q) = Z (Y − Z)ᵀ + (Y − Z) Zᵀ, and the distance is |Y − Z|: no square root of a
 * product, and no inverse.
 *
 * The difference Y − Z would lose the digits of neighbours. For these L is found from L P + P L = E − L P L,
 * E = Q − P, by iteration: in units of P, S = P^−½ E P^−½, it converges if |S| < ¼, by a factor 2|S| or
 * better. */
#include "base/linalg.h"
#include "manifold/bures.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 40 };

/* The turned E of row k, and whether it is small. */
static bool is_near(bures *w, size_t k, const double *x, const double *y, double *turned)
{
    const double *p = spd_values(&w->base, k);
    double square = 0;
    for (size_t e = 0; e < w->D; e++)
        turned[e] = y[e] - x[e];
    bures_turn(w, k, turned, turned);
    for (size_t e = 0; e < w->D; e++)
        square += turned[e] / p[e / w->n] * turned[e] / p[e % w->n];
    return square <= 1.0 / 256;
}

/* The squared length of a turned L: Σ L_ij² p_j. */
static double square_length(const bures *w, size_t k, const double *l)
{
    const double *p = spd_values(&w->base, k);
    double sum = 0;
    for (size_t e = 0; e < w->D; e++)
        sum += l[e] * l[e] * p[e % w->n];
    return sum;
}

/* L of a neighbour into single[1] and 2 L P L into single[2]; single[0] has the turned E. */
static void iterate(bures *w, size_t k)
{
    double *e = w->single[0], *l = w->single[1], *twice = w->single[2], *next = w->single[3];
    memcpy(l, e, w->D * sizeof *l);
    bures_divide(w, k, l);
    double change = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double before = change;
        bures_sandwich(w, k, l, l, twice);
        for (size_t a = 0; a < w->D; a++)
            next[a] = e[a] - 0.5 * twice[a];
        bures_divide(w, k, next);
        for (size_t a = 0; a < w->D; a++)
            l[a] = next[a] - l[a];
        change = square_length(w, k, l);
        memcpy(l, next, w->D * sizeof *l);
        /* A change by rounding is followed by none that is smaller. */
        double small = DBL_EPSILON / 4;
        if (change <= small * small * square_length(w, k, l) || !(change < before))
            break;
    }
    bures_sandwich(w, k, l, l, twice);
}

/* Turned Y − Z of the rows of the chunk into w->c: w->a becomes the factors B. */
static mst_status nearest_factors(bures *w, size_t row, size_t count, const double *y)
{
    size_t n = w->n, D = w->D, bad = 0;
    mst_status status = mst_cholesky(count, n, y, w->a, &bad);
    if (status != MST_OK && status != MST_DOMAIN)
        return status;
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the second point is not positive definite",
                        row + bad + 1);
    for (size_t k = 0; k < count; k++) {
        const double *p = spd_values(&w->base, k);
        double *turned = w->a + k * D;
        mst_multiply(n, spd_vectors(&w->base, k), turned, w->product);
        memcpy(turned, w->product, D * sizeof *turned);
        for (size_t e = 0; e < D; e++)
            w->b[k * D + e] = sqrt(p[e / n]) * turned[e];
    }
    MST_TRY(mst_svd(count, n, w->b, w->b, w->values, w->c, NULL));
    for (size_t k = 0; k < count; k++) {
        const double *p = spd_values(&w->base, k);
        mst_multiply_nt(n, w->a + k * D, w->c + k * D, w->product);
        mst_multiply_nt(n, w->product, w->b + k * D, w->c + k * D);
        for (size_t i = 0; i < n; i++)
            w->c[k * D + i * (n + 1)] -= sqrt(p[i]);
    }
    return MST_OK;
}

static mst_status prepare(bures *w, size_t i, size_t count, const double *x, const double *y)
{
    MST_TRY(spd_spectra_take(&w->base, i, count, x, NULL));
    return nearest_factors(w, i, count, y);
}

mst_status mst_bures_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *v, unsigned char *flag)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = prepare(&w, i, count, x + i * w.D, y + i * w.D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            size_t at = (i + k) * w.D;
            const double *p = spd_values(&w.base, k), *step = w.c + k * w.D;
            double *s = w.single[2];
            if (is_near(&w, k, x + at, y + at, w.single[0])) {
                iterate(&w, k);
                bures_turn_back(&w, k, s, s);
                for (size_t e = 0; e < w.D; e++)
                    v[at + e] = y[at + e] - x[at + e] - 0.5 * s[e];
                continue;
            }
            for (size_t e = 0; e < w.D; e++) {
                size_t a = e / w.n, b = e % w.n;
                s[e] = sqrt(p[a]) * step[b * w.n + a] + step[e] * sqrt(p[b]);
            }
            bures_turn_back(&w, k, s, v + at);
        }
    }
    if (status == MST_OK && flag != NULL)
        memset(flag, 0, n);
    return bures_close(&w, status);
}

mst_status mst_bures_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *r)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = prepare(&w, i, count, x + i * w.D, y + i * w.D);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            size_t at = (i + k) * w.D;
            double sum = 0;
            for (size_t e = k * w.D; e < (k + 1) * w.D; e++)
                sum += w.c[e] * w.c[e];
            if (is_near(&w, k, x + at, y + at, w.single[0])) {
                iterate(&w, k);
                sum = square_length(&w, k, w.single[1]);
            }
            r[i + k] = sqrt(sum);
        }
    }
    return bures_close(&w, status);
}
