/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's step by conjugate gradients, for metrics of many dimensions, where the Hessian is not formed: its
 * products come from the slot lagrangian_hvp. The preconditioner is the energy of the same polynomials with
 * the metric γ_i I at node i, γ = g(v, v)/|v|²: exact where the metric is conformal. */
#include "geodesic/krylov.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 400 };

mst_status krylov_new(krylov *c, const geodesic_problem *p, const rule *r, size_t elements)
{
    size_t d = p->d, points = elements * (r->p + 1), nodes = elements * r->p + 1, wide = d * nodes;
    *c = (krylov){0};
    MST_TRY(mesh_new(&c->line, r, elements, 1));
    size_t total =
        4 * d * points + points + 5 * wide + d + 2 * c->line.unknowns + c->line.size + nodes + 1;
    MST_TRY(mst_allocate_zero(&c->memory, total));
    eight *next = c->memory;
    struct {
        eight **at;
        size_t count;
    } shares[] = {{&c->sq, d * points},
                  {&c->rate, d * points},
                  {&c->dl_x, d * points},
                  {&c->dl_v, d * points},
                  {&c->unused, points},
                  {&c->residual, wide},
                  {&c->ready, wide},
                  {&c->way, wide},
                  {&c->image, wide},
                  {&c->sum, wide},
                  {&c->zero, d},
                  {&c->b, c->line.unknowns},
                  {&c->inverse, c->line.unknowns},
                  {&c->matrix, c->line.size},
                  {&c->scale, nodes},
                  {&c->energy, 1}};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        *shares[k].at = next;
        next += shares[k].count;
    }
    return metric_work_new(&c->work, p->m, 1, 1);
}

void krylov_free(krylov *c)
{
    mesh_free(&c->line);
    mst_release(c->memory);
    metric_work_free(&c->work);
}

mst_status krylov_product(sweeper *s, const eight *field, eight *image)
{
    krylov *c = s->many;
    sweep_room r = s->r; /* the field in the place of the path */
    r.base = c->zero;
    r.x = (eight *)field;
    r.xq = c->sq;
    r.vq = c->rate;
    s->k->metric_points(&r);
    MST_TRY(problem_hvp(s->p, &s->rows, r.points * EIGHT, (const double *)s->r.xq,
                        (const double *)s->r.vq, (const double *)c->sq, (const double *)c->rate,
                        (double *)c->dl_x, (double *)c->dl_v));
    r.l = c->unused;
    r.l_x = c->dl_x;
    r.l_v = c->dl_v;
    r.gradient = image;
    r.energy = c->energy;
    s->k->metric_gradient(&r);
    return MST_OK;
}

/* ---- The preconditioner ---- */

/* 1/√γ at the nodes, and the factor of the matrix of scalar polynomials. */
static void prepare(sweeper *s)
{
    krylov *c = s->many;
    const mesh *g = &s->g;
    size_t d = g->d, p = g->r->p, P = p + 1, n = s->r.points;
    for (size_t i = 0; i < g->nodes; i++) {
        size_t e = i == 0 ? 0 : (i - 1) / p, q = e * P + i - e * p;
        eight square = {0}, scale;
        for (size_t k = 0; k < d; k++)
            square += s->r.vq[k * n + q] * s->r.vq[k * n + q];
        for (size_t k = 0; k < EIGHT; k++) {
            double gamma = 2 * s->r.l[q][k] / square[k];
            scale[k] = gamma > 0 && isfinite(gamma) ? 1 / sqrt(gamma) : 1;
        }
        c->scale[i] = scale;
    }
    for (size_t e = 0; e < g->elements; e++)
        for (size_t i = e == 0 ? 1 : 0; i <= p && e * p + i + 1 < g->nodes; i++)
            for (size_t j = e == 0 ? 1 : 0; j <= i; j++) {
                eight *at = c->matrix + c->line.line[e * p + i - 1] + (ptrdiff_t)(e * p + j - 1);
                eight entry = g->r->stiffness[i * P + j] * s->r.per_h[e];
                *at = i == 0 ? *at + entry : entry;
            }
    eight ok = {1, 1, 1, 1, 1, 1, 1, 1};
    s->c->factor(&c->line, c->matrix, c->inverse, &ok);
}

static void precondition(sweeper *s, const eight *from, eight *to)
{
    krylov *c = s->many;
    size_t n = s->g.nodes;
    for (size_t k = 0; k < s->g.d; k++) {
        for (size_t i = 1; i + 1 < n; i++)
            c->b[i - 1] = c->scale[i] * from[k * n + i];
        s->c->solve(&c->line, c->matrix, c->inverse, c->b);
        to[k * n] = to[k * n + n - 1] = (eight){0};
        for (size_t i = 1; i + 1 < n; i++)
            to[k * n + i] = c->scale[i] * c->b[i - 1];
    }
}

/* ---- The step ---- */

static void inner(size_t n, const eight *a, const eight *b, eight *out)
{
    eight sum = {0};
    for (size_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    *out = sum;
}

/* a ← a + factor·b in the lanes that go on. */
static void add(size_t n, const eight_mask *mask, const eight *factor, const eight *b, eight *a)
{
    for (size_t j = 0; j < n; j++) {
        eight there = a[j] + *factor * b[j];
        a[j] = EIGHT_CHOOSE(*mask, there, a[j]);
    }
}

/* Which lanes go on, by the curvature along the way and what is left; the others keep what they have. */
typedef struct search {
    unsigned char active[EIGHT];
    eight first, left; /* r·z at the beginning and now */
    double share[EIGHT];
} search;

static void begin(sweeper *s, const unsigned char *ready, search *a)
{
    krylov *c = s->many;
    size_t wide = s->g.d * s->g.nodes, n = s->g.nodes;
    for (size_t k = 0; k < s->g.d; k++)
        for (size_t i = 0; i < n; i++)
            c->residual[k * n + i] = i == 0 || i + 1 == n ? (eight){0} : -s->r.gradient[k * n + i];
    memset(c->sum, 0, wide * sizeof *c->sum);
    prepare(s);
    precondition(s, c->residual, c->way);
    inner(wide, c->residual, c->way, &a->first);
    a->left = a->first;
    for (size_t k = 0; k < EIGHT; k++) {
        double rest = a->first[k] / (2 * s->lane[k].energy);
        a->active[k] = ready[k] && a->first[k] > 0;
        a->share[k] = fmin(fmax(rest, 1e-6), 0.01);
        s->lane[k].full = true;
    }
}

/* The length of the next stretch; lanes where the energy bends down stop before it. */
static bool stretch(sweeper *s, search *a, int round, eight *length, eight_mask *mask)
{
    krylov *c = s->many;
    size_t wide = s->g.d * s->g.nodes;
    eight bend;
    bool any = false;
    inner(wide, c->way, c->image, &bend);
    for (size_t k = 0; k < EIGHT; k++) {
        (*length)[k] = 0;
        (*mask)[k] = 0;
        if (!a->active[k])
            continue;
        bool down = !(bend[k] > 0);
        if (down) {
            s->lane[k].full = false;
            a->active[k] = 0;
        }
        if (down && round > 0)
            continue;
        (*length)[k] = down ? 1 : a->left[k] / bend[k]; /* at first, the gradient itself will do */
        (*mask)[k] = -1;
        any = any || !down;
    }
    return any;
}

mst_status krylov_direct(sweeper *s, const unsigned char *ready)
{
    krylov *c = s->many;
    size_t wide = s->g.d * s->g.nodes;
    search a;
    begin(s, ready, &a);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        eight length, ratio, left;
        eight_mask mask;
        MST_TRY(krylov_product(s, c->way, c->image));
        bool any = stretch(s, &a, round, &length, &mask);
        add(wide, &mask, &length, c->way, c->sum);
        if (!any)
            break;
        length = -length;
        add(wide, &mask, &length, c->image, c->residual);
        precondition(s, c->residual, c->ready);
        inner(wide, c->residual, c->ready, &left);
        any = false;
        for (size_t k = 0; k < EIGHT; k++) {
            ratio[k] = left[k] / a.left[k];
            a.active[k] = a.active[k] && left[k] > a.share[k] * a.share[k] * a.first[k];
            a.left[k] = left[k];
            mask[k] = a.active[k] ? -1 : 0;
            any = any || a.active[k];
        }
        if (!any)
            break;
        for (size_t j = 0; j < wide; j++) {
            eight there = c->ready[j] + ratio * c->way[j];
            c->way[j] = EIGHT_CHOOSE(mask, there, c->way[j]);
        }
    }
    eight_mask wanted;
    for (size_t k = 0; k < EIGHT; k++)
        wanted[k] = ready[k] ? -1 : 0;
    for (size_t j = 0; j < wide; j++)
        s->step[j] = EIGHT_CHOOSE(wanted, c->sum[j], s->step[j]);
    return MST_OK;
}

/* ---- At the ends ---- */

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* out = g_x u. */
static mst_status lower(const geodesic_problem *p, krylov *c, const double *x, const double *u,
                        double *out)
{
    double l;
    return p->metric->lagrangian(p->m, 1, x, u, &l, c->work.l_x, out);
}

mst_status krylov_raise(const sweeper *s, size_t lane, bool last, const double *slope, double *out,
                        double *length)
{
    krylov *c = s->many;
    const sweep_room *r = &s->r;
    size_t d = s->g.d, point = last ? r->points - 1 : 0;
    double *x = c->work.a, *residual = x + d, *way = residual + d, *image = way + d;
    for (size_t k = 0; k < d; k++) {
        x[k] = r->xq[k * r->points + point][lane];
        out[k] = (last ? -1 : 1) * r->vq[k * r->points + point][lane]; /* nearly right already */
    }
    MST_TRY(lower(s->p, c, x, out, image));
    for (size_t k = 0; k < d; k++)
        way[k] = residual[k] = -slope[k] - image[k];
    double left = dot(d, residual, residual), enough = 1e-30 * dot(d, slope, slope);
    for (size_t round = 0; left > enough && round < 4 * d; round++) {
        MST_TRY(lower(s->p, c, x, way, image));
        double a = left / dot(d, way, image), before = left;
        for (size_t k = 0; k < d; k++) {
            out[k] += a * way[k];
            residual[k] -= a * image[k];
        }
        left = dot(d, residual, residual);
        for (size_t k = 0; k < d; k++)
            way[k] = residual[k] + left / before * way[k];
    }
    double square = -dot(d, out, slope);
    *length = left <= 1e6 * enough && square >= 0 ? sqrt(square) : NAN;
    return MST_OK;
}
