/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor of a metric, from the second derivatives that the Hessian of L holds; many points at a
 * time, because slots are fast in blocks. */
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* Rows that slots are called with, about. */
enum { SLOT_ROWS = 256 };

/* Points x, their frames, and what sums over the frames work on: for every point `forms` vectors w, for each
 * of them the d vectors u of the frame. */
typedef struct curve {
    const mst_manifold *m;
    metric_work room;
    size_t most, forms;
    double *unit, *frame, *same;  /* (most·d, …): d, D, D */
    double *e, *factor;           /* (most, d, d): the frames; Cholesky factors */
    double *w, *value;            /* (most, forms, d), (most, forms) */
    double *u, *v, *plus, *minus; /* (most, forms, d, d): u, w, their sum and difference */
    double *bend[4], *second[2], *mixed[2], *unused; /* the same */
    double *block;
} curve;

static mst_status curve_new(curve *s, const mst_manifold *m, size_t forms)
{
    size_t d = m->dim, D = m->ambient, most = SLOT_ROWS / (forms * d);
    *s = (curve){.m = m, .most = most > 0 ? most : 1, .forms = forms};
    size_t frame = s->most * d * d, all = frame * forms;
    MST_TRY(metric_work_new(&s->room, m, s->most, forms * d));
    size_t wide = s->most * d * D, vectors = s->most * forms * d;
    mst_status status =
        mst_allocate(&s->block, 13 * all + 3 * frame + 2 * wide + vectors + s->most * forms);
    if (status != MST_OK) {
        metric_work_free(&s->room);
        return status;
    }
    const struct {
        double **part;
        size_t size;
    } parts[] = {{&s->unit, frame},    {&s->e, frame},
                 {&s->factor, frame},  {&s->frame, wide},
                 {&s->same, wide},     {&s->w, vectors},
                 {&s->u, all},         {&s->v, all},
                 {&s->plus, all},      {&s->minus, all},
                 {&s->bend[0], all},   {&s->bend[1], all},
                 {&s->bend[2], all},   {&s->bend[3], all},
                 {&s->second[0], all}, {&s->second[1], all},
                 {&s->mixed[0], all},  {&s->mixed[1], all},
                 {&s->unused, all},    {&s->value, s->most * forms}};
    double *next = s->block;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; next += parts[k++].size)
        *parts[k].part = next;
    memset(s->unit, 0, frame * sizeof *s->unit);
    for (size_t k = 0; k < s->most * d; k++)
        s->unit[k * d + k % d] = 1;
    return MST_OK;
}

static void curve_free(curve *s)
{
    metric_work_free(&s->room);
    mst_release(s->block);
}

/* Frames and factors at n ≤ most points. */
static mst_status curve_at(curve *s, size_t n, const double *x)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, D = m->ambient;
    for (size_t k = 0; k < n * d; k++)
        memcpy(s->same + k * D, x + k / d * D, D * sizeof *x);
    MST_TRY(metric_from_frame(m, n * d, s->same, s->unit, s->frame));
    metric_pack(m, n * d, s->frame, s->e);
    return metric_factor(m, n, x, &s->room, s->factor);
}

static double product(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ∂_s∂_r g(v, v) = 2 r·(∂_s ∂L/∂x): the covectors for the rows v and s, without the factor 2. */
static mst_status second_derivatives(curve *s, size_t n, const double *x, const double *v,
                                     const double *along, double *out)
{
    return metric_hvp(s->m, n, s->forms * s->m->dim, x, v, true, along, NULL, &s->room, out,
                      s->unused);
}

/* The term of one u and w, by the row where they stand. */
static double sectional(curve *s, const double *factor, size_t row)
{
    size_t d = s->m->dim, at = row * d;
    const double *u = s->u + at, *w = s->v + at;
    for (size_t k = at; k < at + d; k++)
        s->plus[k] = 0.25 * (s->bend[2][k] - s->bend[3][k]); /* g Γ(u, w) */
    metric_momentum_root(d, factor, s->plus + at, s->plus + at);
    metric_momentum_root(d, factor, s->bend[0] + at, s->bend[0] + at);
    metric_momentum_root(d, factor, s->bend[1] + at, s->bend[1] + at);
    return 0.5 * (product(d, w, s->mixed[0] + at) - product(d, w, s->mixed[1] + at)) -
           product(d, u, s->second[0] + at) - product(d, w, s->second[1] + at) +
           product(d, s->plus + at, s->plus + at) - product(d, s->bend[0] + at, s->bend[1] + at);
}

/* The values Ric(w, w) = Σ_a R(e_a, w, w, e_a), with
 *
 *     R(u, w, w, u) = ∂_u∂_w g(u, w) − ½∂_u∂_u g(w, w) − ½∂_w∂_w g(u, u) + |Γ(u, w)|² − g(Γ(u, u), Γ(w, w))
 *
 * and what is mixed by polarisation. */
static mst_status ricci_forms(curve *s, size_t n, const double *x)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, fields = s->forms * d;
    for (size_t row = 0; row < n * fields; row++) {
        const double *e = s->e + (row / fields * d + row % d) * d, *w = s->w + row / d * d;
        for (size_t k = 0; k < d; k++) {
            s->u[row * d + k] = e[k];
            s->v[row * d + k] = w[k];
            s->plus[row * d + k] = e[k] + w[k];
            s->minus[row * d + k] = e[k] - w[k];
        }
    }
    const double *vectors[] = {s->u, s->v, s->plus, s->minus};
    for (size_t k = 0; k < 4; k++)
        MST_TRY(metric_bend(m, n, fields, x, vectors[k], &s->room, s->bend[k]));
    MST_TRY(second_derivatives(s, n, x, s->v, s->u, s->second[0]));
    MST_TRY(second_derivatives(s, n, x, s->u, s->v, s->second[1]));
    MST_TRY(second_derivatives(s, n, x, s->plus, s->u, s->mixed[0]));
    MST_TRY(second_derivatives(s, n, x, s->minus, s->u, s->mixed[1]));
    memset(s->value, 0, n * s->forms * sizeof *s->value);
    for (size_t row = 0; row < n * fields; row++)
        s->value[row / d] += sectional(s, s->factor + row / fields * d * d, row);
    return MST_OK;
}

/* The forms that Ric v needs: (v + e)·Ric (v + e) and that of v − e for every e of the frame. A surface has
 * one curvature. */
static size_t forms_of(size_t d)
{
    return d == 2 ? 1 : 2 * d;
}

static void choose_forms(curve *s, size_t n, const double *v)
{
    size_t d = s->m->dim;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < s->forms; j++) {
            const double *e = s->e + (i * d + (d == 2 ? 0 : j / 2)) * d;
            double *w = s->w + (i * s->forms + j) * d, sign = j % 2 == 0 ? 1 : -1;
            for (size_t k = 0; k < d; k++)
                w[k] = d == 2 ? e[k] : v[i * s->m->ambient + k] + sign * e[k];
        }
}

/* Ric v from the forms, rows. */
static void gather(const curve *s, size_t n, const double *v, double *out)
{
    size_t d = s->m->dim, D = s->m->ambient;
    for (size_t i = 0; i < n; i++) {
        const double *value = s->value + i * s->forms;
        double *sum = s->unused; /* v may be out */
        for (size_t k = 0; k < d; k++) {
            sum[k] = d == 2 ? value[0] * v[i * D + k] : 0;
            for (size_t j = 0; d > 2 && j < d; j++)
                sum[k] += 0.25 * (value[2 * j] - value[2 * j + 1]) * s->e[(i * d + j) * d + k];
        }
        metric_unpack(s->m, 1, sum, out + i * D);
    }
}

/* Ric v, or Ric(e, e) of the vectors e of the frame where v is null, from whole matrices. */
static mst_status by_matrices(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *out)
{
    size_t d = m->dim, D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, n * 2 * d * d + 2 * d));
    double *ricci = work, *factor = ricci + n * d * d, *e = factor + n * d * d, *sum = e + d;
    mst_status status = metric_ricci_dense(m, n, x, ricci, factor);
    for (size_t i = 0; status == MST_OK && i < n; i++, ricci += d * d, factor += d * d) {
        for (size_t j = 0; v != NULL && j < d; j++)
            sum[j] = product(d, ricci + j * d, v + i * D);
        if (v != NULL) {
            metric_raise(d, factor, sum, sum);
            metric_unpack(m, 1, sum, out + i * D);
            continue;
        }
        for (size_t a = 0; a < d; a++) {
            memset(e, 0, d * sizeof *e);
            e[a] = 1;
            metric_raise_root(d, factor, e, e);
            out[i * d + a] = 0;
            for (size_t j = 0; j < d; j++)
                out[i * d + a] += e[j] * product(d, ricci + j * d, e);
        }
    }
    mst_release(work);
    return status;
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
    if (metric_ricci_is_dense(m))
        return by_matrices(m, n, x, v, out);
    curve s;
    MST_TRY(curve_new(&s, m, forms_of(d)));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += s.most) {
        size_t some = n - at < s.most ? n - at : s.most;
        status = curve_at(&s, some, x + at * D);
        if (status == MST_OK) {
            choose_forms(&s, some, v + at * D);
            status = ricci_forms(&s, some, x + at * D);
        }
        if (status == MST_OK)
            gather(&s, some, v + at * D, out + at * D);
    }
    curve_free(&s);
    return status;
}

mst_status metric_ricci_diagonal(const mst_manifold *m, size_t n, const double *x, double *out)
{
    size_t d = m->dim, D = m->ambient;
    if (metric_ricci_is_dense(m))
        return by_matrices(m, n, x, NULL, out);
    curve s;
    MST_TRY(curve_new(&s, m, d));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += s.most) {
        size_t some = n - at < s.most ? n - at : s.most;
        status = curve_at(&s, some, x + at * D);
        memcpy(s.w, s.e, some * d * d * sizeof *s.w);
        if (status == MST_OK)
            status = ricci_forms(&s, some, x + at * D);
        memcpy(out + at * d, s.value, some * d * sizeof *out);
    }
    curve_free(&s);
    return status;
}
