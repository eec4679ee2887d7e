/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor of landmark manifolds. Along the geodesic of p, dots being derivatives along it, K for
 * K ⊗ I and C = ∂q'/∂q, with M = (K' − K Cᵀ)K⁻¹, P = C + M and
 *   tr Q = tr C' − tr(M C) − tr(K H_qq):
 *   Ric(v, v) = −tr Q − ¼ tr P² + ½ (log det K ⊗ I)'',
 * which is the equation for log det of Jacobi fields at its start; the tensor by polarisation. */
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

typedef struct ricci_room {
    landmark_place at;
    landmark_flow flow;
    size_t n;                          /* d rounded up to eight */
    double *inverse, *speed, *moved;   /* K⁻¹, K' and K⁻¹K' (count, wide) */
    double *c, *kc, *m, *p;            /* (d, lead) */
    double *rate, *force, *bend, *own; /* q', p', q'' and p (half) */
    double *memory;
} ricci_room;

static mst_status room_new(ricci_room *r, const landmark_shape *s)
{
    *r = (ricci_room){0};
    MST_TRY(landmark_place_new(&r->at, s));
    mst_status status = landmark_flow_new(&r->flow, s, 1);
    size_t square = s->count * s->wide, matrix = r->flow.d * r->flow.lead;
    if (status == MST_OK)
        status = mst_allocate_zero(&r->memory, 3 * square + 4 * matrix + 4 * r->at.half);
    if (status != MST_OK)
        return status;
    r->inverse = r->memory;
    r->speed = r->inverse + square;
    r->moved = r->speed + square;
    r->c = r->moved + square;
    r->kc = r->c + matrix;
    r->m = r->kc + matrix;
    r->p = r->m + matrix;
    r->rate = r->p + matrix;
    r->force = r->rate + r->at.half;
    r->bend = r->force + r->at.half;
    r->own = r->bend + r->at.half;
    return MST_OK;
}

static void room_free(ricci_room *r)
{
    landmark_place_free(&r->at);
    landmark_flow_free(&r->flow);
    mst_release(r->memory);
}

/* At a row: what does not depend on p. */
static bool settle(ricci_room *r, const double *x)
{
    if (!landmark_place_at(&r->at, x, 2))
        return false;
    landmark_inverse(&r->at, r->inverse);
    return true;
}

/* (A ⊗ I) B for A (count, wide) and B (d, lead). */
static void spread(const ricci_room *r, const double *a, const double *b, double *out)
{
    const landmark_shape *s = r->at.shape;
    size_t lead = r->flow.lead, space = s->space;
    for (size_t i = 0; i < r->flow.d; i++) {
        memset(out + i * lead, 0, lead * sizeof *out);
        for (size_t k = 0; k < s->count; k++) {
            double factor = a[i / space * s->wide + k];
            const double *from = b + (k * space + i % space) * lead;
            for (size_t j = 0; j < r->flow.d; j++)
                out[i * lead + j] += factor * from[j];
        }
    }
}

/* tr(A B) of matrices (d, lead). */
static double trace_of(const ricci_room *r, const double *a, const double *b)
{
    double sum = 0;
    size_t lead = r->flow.lead;
    for (size_t i = 0; i < r->flow.d; i++)
        for (size_t j = 0; j < r->flow.d; j++)
            sum += a[i * lead + j] * b[j * lead + i];
    return sum;
}

/* tr C', tr(K H_qq), and K' and the sum tr(K⁻¹ K'') on the way. */
static void pair_sums(ricci_room *r, const double *p, double *turn, double *stiff, double *second)
{
    const landmark_place *at = &r->at;
    const landmark_shape *s = at->shape;
    size_t wide = s->wide;
    *turn = *stiff = *second = 0;
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            size_t ab = a * wide + b;
            double k1 = at->pair[1][ab], k2 = at->pair[2][ab], u = 0, along = 0, fast = 0, far = 0;
            double dot = 0, to_p = 0, rate_p = 0, to_force = 0;
            for (size_t c = 0; c < s->space; c++) {
                size_t i = c * wide + a, j = c * wide + b;
                double gap = at->q[i] - at->q[j], rate = r->rate[i] - r->rate[j];
                u += gap * gap;
                along += gap * rate;
                fast += rate * rate;
                far += gap * (r->bend[i] - r->bend[j]);
                dot += p[i] * p[j];
                to_p += gap * p[j];
                rate_p += rate * p[j];
                to_force += gap * r->force[j];
            }
            r->speed[ab] = k1 * along;
            *second += r->inverse[ab] * (k2 * along * along + k1 * (fast + far));
            *turn += k2 * along * to_p + k1 * (rate_p + to_force);
            *stiff += dot * ((double)s->space * k1 + k2 * u) *
                      (at->pair[0][a * wide + a] - at->pair[0][ab]);
        }
}

/* q'' = K' p + K p', from q' and p'; K' directly, since r->speed comes later. */
static void accelerate(ricci_room *r, const double *p)
{
    const landmark_place *at = &r->at;
    const landmark_shape *s = at->shape;
    size_t wide = s->wide;
    memset(r->bend, 0, at->half * sizeof *r->bend);
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            double along = 0;
            for (size_t c = 0; c < s->space; c++) {
                size_t i = c * wide + a, j = c * wide + b;
                along += (at->q[i] - at->q[j]) * (r->rate[i] - r->rate[j]);
            }
            along *= at->pair[1][a * wide + b];
            for (size_t c = 0; c < s->space; c++)
                r->bend[c * wide + a] +=
                    along * p[c * wide + b] + at->pair[0][a * wide + b] * r->force[c * wide + b];
        }
}

/* Ric(v, v) of v = K p, p by columns. */
static double form(ricci_room *r, const double *p)
{
    const landmark_shape *s = r->at.shape;
    landmark_flow *f = &r->flow;
    size_t d = f->d, lead = f->lead, wide = s->wide;
    double turn, stiff, second;
    f->kernels->slopes(s, r->at.q, p, r->rate, r->force, f->room);
    accelerate(r, p);
    pair_sums(r, p, &turn, &stiff, &second);
    landmark_linearise(f, r->at.q, p);
    /* C, and Cᵀ in the place of P. */
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            r->c[i * lead + j] = f->slope[i * 2 * lead + j];
            r->p[j * lead + i] = r->c[i * lead + j];
        }
    spread(r, r->at.pair[0], r->p, r->kc);
    /* Mᵀ = K⁻¹ (K' − C K), in m; traces are those of M with factors transposed. */
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            r->p[i * lead + j] =
                -r->kc[j * lead + i] +
                (i % s->space == j % s->space ? r->speed[i / s->space * wide + j / s->space] : 0);
    spread(r, r->inverse, r->p, r->m);
    /* tr(M C) = tr(Mᵀ Cᵀ); P = C + M. */
    double mixed = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            mixed += r->m[i * lead + j] * r->c[i * lead + j];
            r->p[i * lead + j] = r->c[j * lead + i] + r->m[i * lead + j];
        }
    r->at.kernels->multiply(s->count, s->count, wide, r->inverse, wide, r->speed, wide, r->moved,
                            wide, false);
    double squared = 0;
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++)
            squared += r->moved[a * wide + b] * r->moved[b * wide + a];
    return -(turn - mixed - stiff) - 0.25 * trace_of(r, r->p, r->p) +
           0.5 * (double)s->space * (second - squared);
}

static void ricci_row(ricci_room *r, const double *v, double *out)
{
    const landmark_shape *s = r->at.shape;
    size_t half = r->at.half, wide = s->wide;
    double *p = r->at.room, *unit = p + half, *moved = unit + half, *c = moved + half, size = 0;
    landmark_columns(s, v, p);
    landmark_whiten(&r->at, p);
    for (size_t k = 0; k < half; k++)
        size += p[k] * p[k];
    size = sqrt(size);
    landmark_momentum(&r->at, p);
    memset(c, 0, half * sizeof *c);
    for (size_t a = 0; size > 0 && a < s->count; a++)
        for (size_t i = 0; i < s->space; i++) {
            double value[2];
            memset(unit, 0, half * sizeof *unit);
            unit[i * wide + a] = size;
            landmark_momentum(&r->at, unit);
            for (int sign = 0; sign < 2; sign++) {
                for (size_t k = 0; k < half; k++)
                    r->own[k] = p[k] + (sign == 0 ? unit[k] : -unit[k]);
                value[sign] = form(r, r->own);
            }
            c[i * wide + a] = (value[0] - value[1]) / (4 * size);
        }
    landmark_colour(&r->at, c);
    landmark_row(s, c, out);
}

mst_status landmark_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *out)
{
    const landmarks *l = mst_manifold_data(m);
    size_t d = m->dim;
    ricci_room r;
    mst_status status = room_new(&r, &l->shape);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        if (settle(&r, x + i * d))
            ricci_row(&r, v + i * d, out + i * d);
        else
            for (size_t k = 0; k < d; k++)
                out[i * d + k] = NAN;
    room_free(&r);
    return status;
}
