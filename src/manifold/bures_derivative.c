/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Jacobi fields of the metric of Bures and Wasserstein, in closed form. Let y = T P T, T = I + L, L = L_P[v].
 * When P moves along dx, N = L_P[dx], and v is carried in parallel, L changes so that the horizontal part of
 * the lift does not: by −L_P[L N P + P N L]. So
 *     dy = dL P T + T P dL + T dx T,   dL = L_P[dv − (L N P + P N L)].
 * The adjoint follows with H = L_y[w], ⟨w, dy⟩ = ½ tr(H dy):
 *     dv = P T H + H T P =: X,   dx = P (T H T) + (T H T) P − (P M L + L M P),   M = L_P[X]. */
#include "base/linalg.h"
#include "manifold/bures.h"
#include "manifold/internal.h"
#include "manifold/symmetric.h"

#include <string.h>

/* Into single[0] the turned L of v, into single[1] T. */
static void lift(bures *w, size_t k, const double *v)
{
    double *l = w->single[0], *t = w->single[1];
    bures_turn(w, k, v, l);
    bures_divide(w, k, l);
    for (size_t e = 0; e < w->D; e++)
        t[e] = l[e] + (e % (w->n + 1) == 0);
}

/* out = A B A for symmetric A and B; overlaps nothing. */
static void congruence(bures *w, const double *a, const double *b, double *out)
{
    mst_multiply(w->n, a, b, w->product);
    mst_multiply(w->n, w->product, a, out);
    symmetric_part(w->n, out, out);
}

/* dx or dv may be null. single[0] and [1] as `lift` leaves them. */
static void derivative_row(bures *w, size_t k, const double *dx, const double *dv, double *dy)
{
    const double *l = w->single[0], *t = w->single[1];
    double *dl = w->single[2], *moved = w->single[3], *turned = w->single[4], *s = w->single[5];
    memset(dl, 0, w->D * sizeof *dl);
    memset(moved, 0, w->D * sizeof *moved);
    if (dv != NULL)
        bures_turn(w, k, dv, dl);
    if (dx != NULL) {
        bures_turn(w, k, dx, turned);
        congruence(w, t, turned, moved);
        bures_divide(w, k, turned);
        mst_multiply(w->n, l, turned, s); /* L N P + P N L */
        const double *p = spd_values(&w->base, k);
        for (size_t i = 0; i < w->n; i++)
            for (size_t j = 0; j < w->n; j++)
                dl[i * w->n + j] -= s[i * w->n + j] * p[j] + s[j * w->n + i] * p[i];
    }
    bures_divide(w, k, dl);
    bures_sandwich(w, k, dl, t, s);
    for (size_t e = 0; e < w->D; e++)
        s[e] += moved[e];
    bures_turn_back(w, k, s, dy);
}

mst_status mst_bures_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *dx, const double *dv, double *dy)
{
    bures w;
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            size_t at = (i + k) * w.D;
            lift(&w, k, v + at);
            derivative_row(&w, k, dx != NULL ? dx + at : NULL, dv != NULL ? dv + at : NULL,
                           w.a + k * w.D);
        }
        if (status == MST_OK)
            memcpy(dy + i * w.D, w.a, count * w.D * sizeof *dy);
    }
    return bures_close(&w, status);
}

/* single[0] and [1] as `lift` leaves them; h is the turned H. */
static void adjoint_row(bures *w, size_t k, const double *h, double *dx, double *dv)
{
    size_t n = w->n;
    const double *l = w->single[0], *t = w->single[1], *p = spd_values(&w->base, k);
    double *x = w->single[3], *moved = w->single[4], *s = w->single[5];
    mst_multiply(n, t, h, s); /* T H */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            x[i * n + j] = p[i] * s[i * n + j] + p[j] * s[j * n + i];
    if (dv != NULL)
        bures_turn_back(w, k, x, dv);
    if (dx == NULL)
        return;
    congruence(w, t, h, moved);
    bures_multiply(w, k, moved);
    bures_divide(w, k, x);
    mst_multiply(n, x, l, s); /* M L */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            moved[i * n + j] -= p[i] * s[i * n + j] + p[j] * s[j * n + i];
    bures_turn_back(w, k, moved, dx);
}

/* The ends y of the geodesics, and H = L_y[u] of u (n, D) there, into h. */
static mst_status dual_vectors(const mst_manifold *m, size_t n, const double *x, const double *v,
                               const double *u, double *h)
{
    bures w;
    MST_TRY(mst_manifold_exp(m, n, x, v, h));
    mst_status status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, h + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            bures_turn(&w, k, u + (i + k) * w.D, w.a);
            bures_divide(&w, k, w.a);
            bures_turn_back(&w, k, w.a, h + (i + k) * w.D);
        }
    }
    return bures_close(&w, status);
}

mst_status mst_bures_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *u, double *dx, double *dv)
{
    double *h;
    bures w;
    MST_TRY(mst_allocate(&h, n * m->ambient));
    mst_status status = dual_vectors(m, n, x, v, u, h);
    if (status != MST_OK) {
        mst_release(h);
        return status;
    }
    status = bures_open(&w, m);
    BURES_CHUNKS(w, n, status)
    {
        status = spd_spectra_take(&w.base, i, count, x + i * w.D, NULL);
        for (size_t k = 0; k < count && status == MST_OK; k++) {
            size_t at = (i + k) * w.D;
            lift(&w, k, v + at);
            bures_turn(&w, k, h + at, w.single[2]);
            adjoint_row(&w, k, w.single[2], dx != NULL ? dx + at : NULL,
                        dv != NULL ? dv + at : NULL);
        }
    }
    mst_release(h);
    return bures_close(&w, status);
}
