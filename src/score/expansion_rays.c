/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion on manifolds that find geodesics with the terms of the expansion themselves. */
#include "geodesic/own.h"
#include "score/expansion.h"

#include <math.h>
#include <string.h>

enum { SEVERAL = 4 };

bool expansion_rays_fits(const mst_manifold *m)
{
    return m->own != NULL && m->own->rays != NULL && !mst_manifold_is_flat(m);
}

typedef struct ray_room {
    void *own;
    mst_ray rays[SEVERAL];
    double *score, *frame; /* (D), (2, d): of one geodesic */
    double *memory;
} ray_room;

static mst_status room_new(ray_room *r, const mst_manifold *m, bool curved)
{
    size_t D = m->ambient, d = m->dim, keep = m->own->keep(m), square = curved ? d * d : 0;
    *r = (ray_room){0};
    MST_TRY(m->own->room(m, &r->own));
    mst_status status =
        mst_allocate_zero(&r->memory, SEVERAL * (3 * D + keep + square) + D + 2 * d);
    double *at = r->memory;
    for (size_t k = 0; status == MST_OK && k < SEVERAL; k++) {
        r->rays[k].log = at;
        r->rays[k].slope_b = at + D;
        r->rays[k].slope_a = at + 2 * D;
        r->rays[k].keep = at + 3 * D;
        r->rays[k].hessian = curved ? at + 3 * D + keep : NULL;
        at += 3 * D + keep + square;
    }
    r->score = at;
    r->frame = at + D;
    return status;
}

static void room_free(ray_room *r, const mst_manifold *m)
{
    m->own->release(r->own);
    mst_release(r->memory);
}

/* Adds weight·(H + s sᵀ) of one geodesic in the frame, and with `total` takes off that of the sum. */
static mst_status add_hessian(const mst_manifold *m, const double *y, const double *score,
                              const double *form, double weight, double t, double *c, double *out)
{
    size_t d = m->dim;
    MST_TRY(mst_manifold_to_frame(m, 1, y, score, c));
    for (size_t k = 0; k < d * d; k++)
        out[k] += weight * (c[k / d] * c[k % d] - (form != NULL ? form[k] / t : 0));
    return MST_OK;
}

/* The row from its rays. The error is that of the term that comes next: what t a₁ is to the terms before it,
 * c = 12 t a₁/d, it is to t a₁ (docs/expansion.md). */
static mst_status sum_row(const mst_manifold *m, const expansion_block *b, size_t i, ray_room *r,
                          size_t count)
{
    const double two_pi_log = 1.8378770664093454836;
    size_t D = m->ambient, d = m->dim;
    double t = b->t[i], half_d = 0.5 * (double)d, high = -INFINITY, total = 0, value[SEVERAL];
    double *s = b->score + i * D, error = 0, best = 0, *form = NULL;
    const double *y = b->y + i * D;
    for (size_t k = 0; k < count; k++) {
        const mst_ray *a = &r->rays[k];
        value[k] = -a->square / (2 * t) - half_d * (two_pi_log + log(t)) + a->b + t * a->a;
        high = fmax(high, value[k]);
    }
    for (size_t k = 0; k < count; k++)
        total += exp(value[k] - high);
    memset(s, 0, D * sizeof *s);
    if (b->hessian != NULL) {
        form = b->hessian + i * d * d;
        memset(form, 0, d * d * sizeof *form);
    }
    b->dt[i] = 0;
    for (size_t k = 0; k < count; k++) {
        const mst_ray *a = &r->rays[k];
        double w = exp(value[k] - high) / total, turn;
        for (size_t e = 0; e < D; e++)
            r->score[e] = a->log[e] / t + a->slope_b[e] + t * a->slope_a[e];
        for (size_t e = 0; e < D; e++)
            s[e] += w * r->score[e];
        b->dt[i] += w * (a->square / (2 * t * t) - half_d / t + a->a);
        MST_TRY(mst_manifold_norm(m, 1, y, a->slope_a, &turn));
        error += w * t * turn * EXPANSION_RAY_ERROR * fabs(12 * t * a->a) / (double)d;
        best = fmax(best, w);
        if (form != NULL)
            MST_TRY(add_hessian(m, y, r->score, a->hessian, w, t, r->frame, form));
    }
    if (form != NULL)
        MST_TRY(add_hessian(m, y, s, NULL, -1, t, r->frame, form));
    b->log_p[i] = high + log(total);
    b->error[i] = error;
    b->doubt[i] = 1 - best;
    return MST_OK;
}

/* What is kept of a row: the manifold's own first guess (score_hint puts it there); then, since nothing but
 * the sums depends on the time, y and the terms of the geodesic there, if it is the only one. */
typedef struct kept_row {
    double *guess, *y, *numbers, *log, *slope_b, *slope_a,
        *hessian; /* numbers: r², b, a, how much; less than 0: minus how often there was no geodesic */
} kept_row;
enum { KEPT_NOTHING, KEPT_TERMS, KEPT_HESSIAN };
/* A search that ends with nothing takes a hundred times as long as one that does not, and a climb evaluates
 * rows often: it is made at first and after 16, 256, ... failures, and between them only what is quick. */
enum { PATIENCE = 16 };

size_t expansion_rays_keep(const mst_manifold *m)
{
    return m->own->keep(m) + 4 * m->ambient + 4 + m->dim * m->dim;
}

static kept_row row_of(const mst_manifold *m, double *kept)
{
    size_t D = m->ambient;
    kept_row r = {.guess = kept};
    r.y = kept + m->own->keep(m);
    r.log = r.y + D;
    r.slope_b = r.log + D;
    r.slope_a = r.slope_b + D;
    r.numbers = r.slope_a + D;
    r.hessian = r.numbers + 4;
    return r;
}

static bool recall(const mst_manifold *m, const kept_row *k, const double *y, mst_ray *out)
{
    size_t D = m->ambient, square = m->dim * m->dim;
    if (!(k->numbers[3] >= (out->hessian != NULL ? KEPT_HESSIAN : KEPT_TERMS)) ||
        memcmp(k->y, y, D * sizeof *y) != 0)
        return false;
    out->square = k->numbers[0];
    out->b = k->numbers[1];
    out->a = k->numbers[2];
    memcpy(out->log, k->log, D * sizeof *y);
    memcpy(out->slope_b, k->slope_b, D * sizeof *y);
    memcpy(out->slope_a, k->slope_a, D * sizeof *y);
    if (out->hessian != NULL)
        memcpy(out->hessian, k->hessian, square * sizeof *y);
    return true;
}

static void keep_row(const mst_manifold *m, const kept_row *k, const double *y, const mst_ray *ray,
                     size_t count)
{
    size_t D = m->ambient;
    k->numbers[3] = count == 0 ? fmin(k->numbers[3], 0) - 1 : KEPT_NOTHING;
    if (isfinite(ray->keep[0]))
        memcpy(k->guess, ray->keep, m->own->keep(m) * sizeof *y);
    if (count != 1)
        return;
    memcpy(k->y, y, D * sizeof *y);
    k->numbers[0] = ray->square;
    k->numbers[1] = ray->b;
    k->numbers[2] = ray->a;
    k->numbers[3] = ray->hessian != NULL ? KEPT_HESSIAN : KEPT_TERMS;
    memcpy(k->log, ray->log, D * sizeof *y);
    memcpy(k->slope_b, ray->slope_b, D * sizeof *y);
    memcpy(k->slope_a, ray->slope_a, D * sizeof *y);
    if (ray->hessian != NULL)
        memcpy(k->hessian, ray->hessian, m->dim * m->dim * sizeof *y);
}

/* Is a long search not worth its time now? */
static bool is_hasty(const kept_row *k)
{
    double due = PATIENCE, failures = -k->numbers[3];
    while (due < failures)
        due *= PATIENCE;
    return failures > 0 && failures != due;
}

static mst_status find_rays(const mst_manifold *m, const expansion_block *b, size_t i, ray_room *r,
                            size_t *count)
{
    size_t D = m->ambient;
    const double *y = b->y + i * D, *x = b->x + i * D;
    if (b->kept == NULL)
        return m->own->rays(m, r->own, y, x, NULL, false, SEVERAL, r->rays, count);
    kept_row kept = row_of(m, b->kept + i * expansion_rays_keep(m));
    *count = 1;
    if (recall(m, &kept, y, &r->rays[0]))
        return MST_OK;
    MST_TRY(m->own->rays(m, r->own, y, x, kept.guess, is_hasty(&kept), SEVERAL, r->rays, count));
    keep_row(m, &kept, y, &r->rays[0], *count);
    return MST_OK;
}

mst_status expansion_rays(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    size_t count;
    ray_room r;
    mst_status status = room_new(&r, m, b->hessian != NULL);
    for (size_t i = 0; status == MST_OK && i < b->n; i++) {
        status = find_rays(m, b, i, &r, &count);
        if (status == MST_OK)
            status = count > 0 ? sum_row(m, b, i, &r, count) : expansion_give_up(m, b, i);
    }
    room_free(&r, m);
    return status;
}
