/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor of a metric, from the second derivatives that the Hessian of L holds. */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* One point x, its frame and what a sum over the frame works on. */
typedef struct curve {
    const mst_manifold *m;
    metric_work room;
    const double *x;
    double *unit, *frame, *same;  /* (d, d), (d, D), (d, D) */
    double *factor;               /* (d, d) */
    double *u, *w, *plus, *minus; /* (d, d): the frame, w in every row, sum and difference */
    double *bend[4], *second[2], *mixed[2], *unused; /* (d, d) */
    double *block;
} curve;

static mst_status curve_new(curve *s, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient;
    *s = (curve){.m = m};
    MST_TRY(metric_work_new(&s->room, m, 1, d));
    mst_status status = mst_allocate(&s->block, 15 * d * d + 2 * d * D);
    if (status != MST_OK) {
        metric_work_free(&s->room);
        return status;
    }
    double *next = s->block,
           **parts[] = {&s->unit,     &s->factor,   &s->u,         &s->w,         &s->plus,
                        &s->minus,    &s->bend[0],  &s->bend[1],   &s->bend[2],   &s->bend[3],
                        &s->mixed[0], &s->mixed[1], &s->second[0], &s->second[1], &s->unused};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++, next += d * d)
        *parts[k] = next;
    s->frame = next;
    s->same = s->frame + d * D;
    memset(s->unit, 0, d * d * sizeof *s->unit);
    for (size_t k = 0; k < d; k++)
        s->unit[k * d + k] = 1;
    return MST_OK;
}

static void curve_free(curve *s)
{
    metric_work_free(&s->room);
    mst_release(s->block);
}

static mst_status curve_at(curve *s, const double *x)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    s->x = x;
    for (size_t k = 0; k < d; k++)
        memcpy(s->same + k * D, x, D * sizeof *x);
    MST_TRY(metric_from_frame(m, d, s->same, s->unit, s->frame));
    metric_pack(m, d, s->frame, s->u);
    return metric_factor(m, 1, x, &s->room, s->factor);
}

static double product(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ∂_s∂_r g(v, v) = 2 r·(∂_s ∂L/∂x): the covectors for the rows v and s, without the factor 2. */
static mst_status second_derivatives(curve *s, const double *v, const double *along, double *out)
{
    return metric_hvp(s->m, 1, s->m->dim, s->x, v, true, along, NULL, &s->room, out, s->unused);
}

/* Ric(w, w) = Σ_a R(e_a, w, w, e_a), with
 *
 *     R(u, w, w, u) = ∂_u∂_w g(u, w) − ½∂_u∂_u g(w, w) − ½∂_w∂_w g(u, u) + |Γ(u, w)|² − g(Γ(u, u), Γ(w, w))
 *
 * and what is mixed by polarisation. w packed. */
static mst_status ricci_form(curve *s, const double *w, double *value)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, rows = d == 2 ? 2 : d;
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < d; k++) {
            s->w[a * d + k] = w[k];
            s->plus[a * d + k] = s->u[a * d + k] + w[k];
            s->minus[a * d + k] = s->u[a * d + k] - w[k];
        }
    const double *vectors[] = {s->u, s->w, s->plus, s->minus};
    for (size_t k = 0; k < 4; k++)
        MST_TRY(metric_bend(m, 1, d, s->x, vectors[k], &s->room, s->bend[k]));
    MST_TRY(second_derivatives(s, s->w, s->u, s->second[0]));
    MST_TRY(second_derivatives(s, s->u, s->w, s->second[1]));
    MST_TRY(second_derivatives(s, s->plus, s->u, s->mixed[0]));
    MST_TRY(second_derivatives(s, s->minus, s->u, s->mixed[1]));
    *value = 0;
    for (size_t a = 0; a < rows; a++) {
        const double *u = s->u + a * d;
        for (size_t k = a * d; k < (a + 1) * d; k++)
            s->plus[k] = 0.25 * (s->bend[2][k] - s->bend[3][k]); /* g Γ(u, w) */
        metric_momentum_root(d, s->factor, s->plus + a * d, s->plus + a * d);
        metric_momentum_root(d, s->factor, s->bend[0] + a * d, s->bend[0] + a * d);
        metric_momentum_root(d, s->factor, s->bend[1] + a * d, s->bend[1] + a * d);
        *value += 0.5 * (product(d, w, s->mixed[0] + a * d) - product(d, w, s->mixed[1] + a * d)) -
                  product(d, u, s->second[0] + a * d) - product(d, w, s->second[1] + a * d) +
                  product(d, s->plus + a * d, s->plus + a * d) -
                  product(d, s->bend[0] + a * d, s->bend[1] + a * d);
    }
    return MST_OK;
}

/* Ric v, rows; `room` (2d). A surface has one curvature. */
static mst_status ricci_row(curve *s, const double *v, double *room, double *out)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim;
    double *w = room, *sum = room + d, plus, minus;
    if (d == 2) {
        MST_TRY(ricci_form(s, s->u, &plus));
        for (size_t k = 0; k < 2; k++)
            sum[k] = plus * v[k];
        metric_unpack(m, 1, sum, out);
        return MST_OK;
    }
    memset(sum, 0, d * sizeof *sum);
    for (size_t j = 0; d > 1 && j < d; j++) {
        const double *e = s->u + j * d;
        for (size_t k = 0; k < d; k++)
            w[k] = v[k] + e[k];
        MST_TRY(ricci_form(s, w, &plus));
        for (size_t k = 0; k < d; k++)
            w[k] = v[k] - e[k];
        MST_TRY(ricci_form(s, w, &minus));
        for (size_t k = 0; k < d; k++)
            sum[k] += 0.25 * (plus - minus) * e[k];
    }
    metric_unpack(m, 1, sum, out);
    return MST_OK;
}

mst_status metric_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    size_t d = m->dim, D = m->ambient;
    if (!isnan(m->traits.curvature)) {
        for (size_t k = 0; k < n * D; k++)
            out[k] = (double)(d - 1) * m->traits.curvature * v[k];
        return MST_OK;
    }
    curve s;
    double *room;
    MST_TRY(mst_allocate(&room, 3 * d));
    mst_status status = curve_new(&s, m);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double *packed = room + 2 * d;
        metric_pack(m, 1, v + i * D, packed);
        status = curve_at(&s, x + i * D);
        if (status == MST_OK)
            status = ricci_row(&s, packed, room, out + i * D);
    }
    if (s.block != NULL)
        curve_free(&s);
    mst_release(room);
    return status;
}

mst_status metric_ricci_diagonal(const mst_manifold *m, size_t n, const double *x, double *out)
{
    size_t d = m->dim, D = m->ambient;
    curve s;
    MST_TRY(curve_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = curve_at(&s, x + i * D);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            status = ricci_form(&s, s.u + a * d, &out[i * d + a]);
    }
    curve_free(&s);
    return status;
}
