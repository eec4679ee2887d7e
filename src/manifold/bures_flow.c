/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Parallel transport of Bures and Wasserstein, which has no closed form. The geodesic is lifted to the line
 * Z(t) = (I + tL) Z(0), and the vector to U, which stays horizontal, Zᵀ U symmetric, and changes by vertical
 * vectors only: U' = Z K with the skew K that solves G K + K G = Uᵀ Z' − Z'ᵀ U, G = ZᵀZ. |U| is the length of
 * the vector, and the end is U Zᵀ + Z Uᵀ. The equation is integrated by Runge–Kutta steps of order eight
 * whose error, relative to |U|, is controlled; where all matrices commute, K is zero and
 * one step is exact. */
#include "base/linalg.h"
#include "manifold/bures.h"
#include "manifold/internal.h"
#include "manifold/runge_kutta.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <string.h>

static const double tolerance = 1e-14;
enum { MOST_STEPS = 2000 };

/* A state is U, t, Z(0) and Z', all turned to the eigenbasis of the base point. */
typedef struct flow {
    size_t n, D;
    double *z, *x, *y, *gamma; /* (RK_ROWS, n, n) three times, (RK_ROWS, n) */
    double *c, *work;          /* (n, n) */
    double *memory;
} flow;

static size_t state_width(size_t D)
{
    return 3 * D + 1;
}

static mst_status flow_new(flow *f, size_t n)
{
    size_t D = n * n;
    *f = (flow){.n = n, .D = D};
    MST_TRY(mst_allocate(&f->memory, RK_ROWS * (3 * D + n) + 2 * D));
    f->z = f->memory;
    f->x = f->z + RK_ROWS * D;
    f->y = f->x + RK_ROWS * D;
    f->gamma = f->y + RK_ROWS * D;
    f->c = f->gamma + RK_ROWS * n;
    f->work = f->c + D;
    return MST_OK;
}

/* With Z = X diag(γ) Y, K̃ = Y K Yᵀ has the entries C̃_ij/(γ_i² + γ_j²), and U' = X diag(γ) K̃ Y. */
static void slope_row(flow *f, size_t row, const double *state, double *out)
{
    size_t n = f->n, D = f->D;
    const double *u = state, *speed = state + 2 * D + 1, *x = f->x + row * D, *y = f->y + row * D,
                 *gamma = f->gamma + row * n;
    mst_multiply_tn(n, u, speed, f->work);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f->c[i * n + j] = f->work[i * n + j] - f->work[j * n + i];
    mst_multiply(n, y, f->c, f->work);
    mst_multiply_nt(n, f->work, y, f->c);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f->c[i * n + j] *= gamma[i] / (gamma[i] * gamma[i] + gamma[j] * gamma[j]);
    mst_multiply(n, x, f->c, f->work);
    mst_multiply(n, f->work, y, out);
    memset(out + D, 0, (2 * D + 1) * sizeof *out);
    out[D] = 1;
}

static mst_status slopes(void *context, size_t rows, const double *state, double *out)
{
    flow *f = context;
    size_t D = f->D, width = state_width(D);
    for (size_t i = 0; i < rows; i++) {
        const double *from = state + i * width, *z = from + D + 1, *speed = z + D;
        for (size_t e = 0; e < D; e++)
            f->z[i * D + e] = z[e] + from[D] * speed[e];
    }
    MST_TRY(mst_svd(rows, f->n, f->z, f->x, f->gamma, f->y, NULL));
    for (size_t i = 0; i < rows; i++)
        slope_row(f, i, state + i * width, out + i * width);
    return MST_OK;
}

/* The state of row k of the chunk: v carries u, which is scaled to length one; *length is what it was. */
static void begin(bures *w, size_t k, const double *v, const double *u, double *state,
                  double *length)
{
    size_t n = w->n, D = w->D;
    const double *p = spd_values(&w->base, k);
    double *carried = state, *z = state + D + 1, *speed = z + D, square = 0;
    bures_turn(w, k, u, carried);
    bures_turn(w, k, v, speed);
    bures_divide(w, k, carried);
    bures_divide(w, k, speed);
    memset(z, 0, D * sizeof *z);
    for (size_t i = 0; i < n; i++)
        z[i * (n + 1)] = sqrt(p[i]);
    double largest = 0;
    for (size_t e = 0; e < D; e++) {
        carried[e] *= sqrt(p[e % n]);
        speed[e] *= sqrt(p[e % n]);
        largest = fmax(largest, fabs(carried[e]));
    }
    for (size_t e = 0; largest > 0 && e < D; e++) {
        carried[e] /= largest; /* squares of small numbers would be zero */
        square += carried[e] * carried[e];
    }
    *length = largest * sqrt(square);
    for (size_t e = 0; largest > 0 && e < D; e++)
        carried[e] /= sqrt(square);
    state[D] = 0;
}

/* U Zᵀ + Z Uᵀ of the state at the end, turned back. */
static void finish(bures *w, size_t k, const double *state, double length, double *out)
{
    size_t n = w->n, D = w->D;
    double *z = w->single[0], *s = w->single[1];
    for (size_t e = 0; e < D; e++)
        z[e] = state[D + 1 + e] + state[2 * D + 1 + e];
    mst_multiply_nt(n, state, z, s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            s[i * n + j] = s[j * n + i] = length * (s[i * n + j] + s[j * n + i]);
    bures_turn_back(w, k, s, out);
}

/* Up to RK_ROWS rows from row k of the chunk, which begins with number i. */
static mst_status carry(bures *w, flow *f, size_t i, size_t k, size_t rows, const double *v,
                        const double *u, double *state, double *out)
{
    size_t width = state_width(w->D);
    double length[RK_ROWS], unit[RK_ROWS];
    mst_status ends[RK_ROWS];
    rk_system system = {.width = width,
                        .judged = w->D,
                        .slopes = slopes,
                        .context = f,
                        .tolerance = tolerance,
                        .most = MOST_STEPS};
    for (size_t r = 0; r < rows; r++) {
        unit[r] = 1;
        begin(w, k + r, v + (k + r) * w->D, u + (k + r) * w->D, state + r * width, &length[r]);
    }
    MST_TRY(rk_run(&system, rows, unit, state, ends));
    for (size_t r = 0; r < rows; r++) {
        if (ends[r] != MST_OK)
            return mst_fail(ends[r],
                            "row %zu: the geodesic is too near to the singular matrices "
                            "for a parallel transport",
                            i + k + r + 1);
        finish(w, k + r, state + r * width, length[r], out + (k + r) * w->D);
    }
    return MST_OK;
}

mst_status mst_bures_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                               const double *u, double *out)
{
    bures w;
    flow f = {0};
    double *state = NULL;
    mst_status status = bures_open(&w, m);
    if (status == MST_OK)
        status = flow_new(&f, w.n);
    if (status == MST_OK)
        status = mst_allocate(&state, RK_ROWS * state_width(w.D));
    BURES_CHUNKS(w, n, status)
    {
        /* That the geodesic stays inside is Exp's to say. */
        status = mst_manifold_exp(m, count, x + i * w.D, v + i * w.D, w.a);
        if (status == MST_OK)
            status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k += RK_ROWS) {
            size_t rows = count - k < RK_ROWS ? count - k : RK_ROWS;
            status = carry(&w, &f, i, k, rows, v + i * w.D, u + i * w.D, state, out + i * w.D);
        }
    }
    mst_release(state);
    mst_release(f.memory);
    return bures_close(&w, status);
}
