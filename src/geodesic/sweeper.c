/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/sweeper.h"

#include "manifold/metric.h"

#include "geodesic/krylov.h"

#include <math.h>
#include <string.h>

/* ---- Room ---- */

typedef struct share {
    eight **at;
    size_t count;
} share;

mst_status sweeper_new(sweeper *s, const geodesic_problem *p, const rule *r, size_t elements,
                       bool second_order)
{
    *s = (sweeper){.p = p,
                   .k = MST_PICK(sweep_kernels),
                   .c = MST_PICK(cholesky_kernels),
                   .second_order = second_order};
    MST_TRY(mesh_new(&s->g, r, elements, p->d));
    size_t d = p->d, n = s->g.nodes, q = elements * (r->p + 1), D = p->space, c = p->count;
    bool metric = p->form == FORM_METRIC, equations = p->form == FORM_CONSTRAINT;
    size_t mq = metric ? q : 0, an = metric ? 0 : n, cn = equations ? n : 0;
    bool many = metric && d > METRIC_DENSE;
    size_t bq = many ? 0 : mq, size = many ? 0 : s->g.size;
    s->r = (sweep_room){.g = &s->g, .width = p->width, .space = D, .count = c, .points = q};
    sweep_room *z = &s->r;
    share shares[] = {
        {&z->h, elements},
        {&z->per_h, elements},
        {&z->base, p->width},
        {&z->x, p->width * n},
        {&z->energy, 1},
        {&z->gradient, d * n},
        {&z->xq, d * mq},
        {&z->vq, (metric ? d : D) * q},
        {&z->l, mq},
        {&z->l_x, d * mq},
        {&z->l_v, d * mq},
        {&z->l_vv, d * d * bq},
        {&z->l_xv, d * d * bq},
        {&z->l_xx, d * d * bq},
        {&z->f, equations ? 0 : D * an},
        {&z->force, D * an},
        {&z->frame, D * d * an},
        {&z->bend, d * d * an},
        {&z->value, c * cn},
        {&z->normal, c * D * cn},
        {&z->lambda, c * cn},
        {&z->curl, D * D * cn},
        {&z->room, 2 * (D > d ? D : d) * q + n + c * (D + c + 3) + (D + 1) * (d + 3)},
        {&s->old, p->width * n},
        {&s->move, p->width * n},
        {&s->step, d * n},
        {&s->matrix, size},
        {&s->inverse, s->g.unknowns},
        {&s->spare, size},
        {&s->whole, size},
        {&s->spare_inverse, s->g.unknowns},
        {&s->b, s->g.unknowns},
        {&s->other, d * n},
        {&s->field, d * n},
        {&s->image, d * n},
        {&s->seconds, 2 * d * d},
        {&s->ratio, 1},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        total += shares[i].count;
    MST_TRY(mst_allocate_zero(&s->memory, total));
    eight *next = s->memory;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        *shares[i].at = next;
        next += shares[i].count;
    }
    if (equations)
        z->f = z->x;
    size_t w = p->width;
    MST_TRY(mst_allocate_zero(&s->numbers, 2 * w + 3 * d * d + 2 * w * d + d));
    s->landed.log_x = s->numbers;
    s->landed.log_y = s->landed.log_x + w;
    s->landed.hessian = second_order ? s->landed.log_y + w : NULL;
    s->landed.mixed = second_order ? s->landed.log_y + w + d * d : NULL;
    s->landed.frame_x = s->landed.log_y + w + 2 * d * d;
    s->landed.frame_y = s->landed.frame_x + w * d;
    s->small = s->landed.frame_y + w * d;
    if (many) {
        MST_TRY(mst_allocate_zero(&s->many, 1));
        return krylov_new(s->many, p, r, elements);
    }
    return MST_OK;
}

void sweeper_free(sweeper *s)
{
    mesh_free(&s->g);
    mst_release(s->memory);
    mst_release(s->numbers);
    problem_rows_free(&s->rows);
    if (s->many != NULL)
        krylov_free(s->many);
    mst_release(s->many);
}

/* ---- Lanes ---- */

static void load_lane(sweeper *s, size_t lane, const path *p)
{
    size_t n = s->g.nodes, width = s->r.width;
    for (size_t e = 0; e < s->g.elements; e++) {
        s->r.h[e][lane] = p->breaks[e + 1] - p->breaks[e];
        s->r.per_h[e][lane] = 1 / s->r.h[e][lane];
    }
    /* Near points keep the digits of their difference. By Sterbenz's theorem it is exact, and the sum too. */
    const double *last = p->x + (n - 1) * width;
    for (size_t k = 0; k < width; k++) {
        bool near = s->p->form == FORM_METRIC && fabs(last[k] - p->x[k]) <= 0.5 * fabs(last[k]);
        double base = near ? p->x[k] : 0;
        s->r.base[k][lane] = base;
        for (size_t i = 0; i < n; i++)
            s->r.x[k * n + i][lane] = p->x[i * width + k] - base;
    }
}

static void store_lane(const sweeper *s, size_t lane, path *p)
{
    size_t n = s->g.nodes, width = s->r.width;
    for (size_t i = 1; i + 1 < n; i++)
        for (size_t k = 0; k < width; k++)
            p->x[i * width + k] = s->r.base[k][lane] + s->r.x[k * n + i][lane];
}

/* ---- Evaluation ---- */

static mst_status onto_constraint(sweeper *s)
{
    size_t n = s->g.nodes * EIGHT;
    const double *x = (const double *)s->r.x;
    for (int round = 0; round < 8; round++) {
        MST_TRY(
            problem_constraint(s->p, &s->rows, n, x, (double *)s->r.value, (double *)s->r.normal));
        if (!s->k->project(&s->r))
            return MST_OK;
    }
    return problem_constraint(s->p, &s->rows, n, x, NULL, (double *)s->r.normal);
}

static mst_status look_at_domain(sweeper *s)
{
    bool metric = s->p->form == FORM_METRIC;
    size_t n = (metric ? s->r.points : s->g.nodes) * EIGHT;
    memset(s->outside, 0, sizeof s->outside);
    if (!problem_is_bounded(s->p))
        return MST_OK;
    MST_TRY(problem_inside(s->p, &s->rows, n, (const double *)(metric ? s->r.xq : s->r.x)));
    for (size_t i = 0; i < n; i++)
        if (!s->rows.inside[i])
            s->outside[i % EIGHT] = 1;
    return MST_OK;
}

static mst_status evaluate(sweeper *s)
{
    const sweep_room *r = &s->r;
    size_t n = s->g.nodes * EIGHT, q = r->points * EIGHT;
    const double *x = (const double *)r->x, *xq = (const double *)r->xq,
                 *vq = (const double *)r->vq;
    if (s->p->form == FORM_METRIC) {
        s->k->metric_points(r);
        double *const out[6] = {(double *)r->l,    (double *)r->l_x,  (double *)r->l_v,
                                (double *)r->l_vv, (double *)r->l_xv, (double *)r->l_xx};
        if (s->many != NULL)
            MST_TRY(problem_lagrangian(s->p, &s->rows, q, xq, vq, out[0], out[1], out[2]));
        else
            MST_TRY(problem_second_order(s->p, &s->rows, q, xq, vq, out));
        s->k->metric_gradient(r);
    } else if (s->p->form == FORM_EMBEDDING) {
        MST_TRY(problem_embedding(s->p, &s->rows, n, x, (double *)r->f, (double *)r->frame));
        s->k->motion(r);
        s->k->ambient_gradient(r);
        MST_TRY(problem_bend(s->p, &s->rows, n, x, (const double *)r->force, (double *)r->bend));
    } else {
        MST_TRY(onto_constraint(s));
        s->k->motion(r);
        s->k->tangent_frames(r);
        s->k->ambient_gradient(r);
        MST_TRY(problem_constraint_hessian(s->p, &s->rows, n, x, (const double *)r->lambda,
                                           (double *)r->curl));
        s->k->frame_bend(r);
    }
    return look_at_domain(s);
}

static void build(sweeper *s, bool full, eight *matrix)
{
    if (s->p->form == FORM_METRIC)
        s->k->metric_matrix(&s->r, full, matrix);
    else
        s->k->ambient_matrix(&s->r, full, matrix);
}

void sweeper_product(sweeper *s, bool full, const eight *field, eight *image)
{
    if (s->p->form == FORM_METRIC)
        s->k->metric_product(&s->r, full, field, image);
    else
        s->k->ambient_product(&s->r, full, field, image);
}

/* ---- Newton's step ---- */

static void mask_of(const unsigned char *lanes, eight_mask *mask)
{
    for (size_t k = 0; k < EIGHT; k++)
        (*mask)[k] = lanes[k] ? -1 : 0;
}

/* The paths of lanes that move, a step of length a away from the old ones. */
static void go(sweeper *s)
{
    size_t n = s->g.nodes;
    unsigned char moving[EIGHT];
    eight_mask mask;
    eight a;
    for (size_t k = 0; k < EIGHT; k++) {
        moving[k] = s->lane[k].moves;
        a[k] = s->lane[k].a;
        s->lane[k].moves = false;
    }
    mask_of(moving, &mask);
    for (size_t k = 0; k < s->r.width; k++)
        for (size_t i = 1; i + 1 < n; i++) {
            eight there = s->old[k * n + i] + a * s->move[k * n + i];
            s->r.x[k * n + i] = EIGHT_CHOOSE(mask, there, s->r.x[k * n + i]);
        }
}

/* Is the energy of a trial low enough? If not, the next trial. */
static bool judge(sweeper *s, size_t k, double energy, bool fine)
{
    sweep_lane *l = &s->lane[k];
    double rounding = fmax(1e-14, metric_precision(s->p->m)) * l->energy;
    double expected = l->energy + 1e-4 * l->a * l->slope + rounding;
    if (fine && energy <= expected)
        return true;
    double shorter = 0.1;
    if (fine) {
        shorter = -l->slope * l->a / (2 * (energy - l->energy - l->a * l->slope));
        shorter = fmin(fmax(shorter, 0.1), 0.5);
    }
    l->a *= shorter;
    if (l->a < 1e-8)
        l->end = LANE_STUCK;
    l->moves = true;
    return false;
}

/* Which lanes want a direction? */
static bool look(sweeper *s, unsigned char *ready)
{
    bool any = false;
    for (size_t k = 0; k < EIGHT; k++) {
        sweep_lane *l = &s->lane[k];
        ready[k] = 0;
        if (l->end != LANE_BUSY || l->plan.job == NULL)
            continue;
        double energy = (*s->r.energy)[k];
        bool fine = isfinite(energy) && energy >= 0 && !s->outside[k];
        l->sweeps++;
        s->sweeps++;
        if (l->fresh && !fine)
            l->end = LANE_OUTSIDE;
        else if (l->fresh || judge(s, k, energy, fine)) {
            l->energy = energy;
            ready[k] = 1;
            any = true;
        }
        if (l->sweeps >= l->plan.most && l->end == LANE_BUSY) {
            l->end = LANE_STUCK;
            ready[k] = 0;
        }
    }
    return any;
}

/* s->b ← −G at the unknowns. */
static void take_gradient(const sweeper *s, eight *b)
{
    size_t n = s->g.nodes, d = s->g.d;
    for (size_t i = 1; i + 1 < n; i++)
        for (size_t a = 0; a < d; a++)
            b[(i - 1) * d + a] = -s->r.gradient[a * n + i];
}

/* Unknowns as a field that vanishes at the ends, in the lanes that are wanted. */
static void put_field(const sweeper *s, const eight *b, const unsigned char *lanes, eight *field)
{
    size_t n = s->g.nodes, d = s->g.d;
    eight_mask mask;
    mask_of(lanes, &mask);
    for (size_t a = 0; a < d; a++) {
        field[a * n] = field[a * n + n - 1] = (eight){0};
        for (size_t i = 1; i + 1 < n; i++)
            field[a * n + i] = EIGHT_CHOOSE(mask, b[(i - 1) * d + a], field[a * n + i]);
    }
}

/* s->spare, the positive part, becomes H + shift·H₀ in the lanes that shift. */
static void add_shifted(sweeper *s, const unsigned char *lame)
{
    eight part, shift;
    bool any = false;
    for (size_t k = 0; k < EIGHT; k++) {
        bool shifts = lame[k] && s->lane[k].plan.shifts;
        part[k] = shifts ? 1 : 0;
        shift[k] = shifts ? s->lane[k].shift : 1;
        any = any || shifts;
    }
    if (!any)
        return;
    build(s, true, s->whole);
    for (size_t j = 0; j < s->g.size; j++)
        s->spare[j] = shift * s->spare[j] + part * s->whole[j];
}

/* s->step by the Hessian where it is positive definite and by its positive part elsewhere. */
static void direct_by_matrix(sweeper *s, const unsigned char *ready)
{
    eight ok = {1, 1, 1, 1, 1, 1, 1, 1}, fine = ok;
    build(s, true, s->matrix);
    s->c->factor(&s->g, s->matrix, s->inverse, &ok);
    take_gradient(s, s->b);
    s->c->solve(&s->g, s->matrix, s->inverse, s->b);
    unsigned char lame[EIGHT];
    bool any = false;
    for (size_t k = 0; k < EIGHT; k++) {
        s->lane[k].full = ok[k] != 0;
        lame[k] = ready[k] && !s->lane[k].full;
        any = any || lame[k];
    }
    put_field(s, s->b, ready, s->step);
    if (!any)
        return;
    build(s, false, s->spare);
    add_shifted(s, lame);
    s->c->factor(&s->g, s->spare, s->spare_inverse, &fine);
    take_gradient(s, s->other);
    s->c->solve(&s->g, s->spare, s->spare_inverse, s->other);
    put_field(s, s->other, lame, s->step);
    for (size_t k = 0; k < EIGHT; k++) {
        sweep_lane *l = &s->lane[k];
        if (lame[k] && fine[k] == 0 && !l->plan.shifts)
            l->end = LANE_OUTSIDE;
        if (lame[k] && l->plan.shifts) {
            l->weak = fine[k] == 0; /* no step yet */
            l->shift = l->weak ? 4 * l->shift : fmax(l->shift / 3, 0.01);
            if (l->shift > 1e9)
                l->end = LANE_OUTSIDE;
        }
    }
}

static mst_status direct(sweeper *s, const unsigned char *ready)
{
    size_t n = s->g.nodes, d = s->g.d;
    if (s->many != NULL)
        MST_TRY(krylov_direct(s, ready));
    else
        direct_by_matrix(s, ready);
    eight dot = {0};
    for (size_t j = 0; j < d * n; j++)
        dot -= s->r.gradient[j] * s->step[j];
    for (size_t k = 0; k < EIGHT; k++)
        s->lane[k].decrease = dot[k];
    if (s->p->form != FORM_CONSTRAINT) {
        memcpy(s->move, s->step, d * n * sizeof *s->move);
        return MST_OK;
    }
    eight_mask mask;
    mask_of(ready, &mask);
    for (size_t c = 0; c < s->r.space; c++)
        for (size_t i = 0; i < n; i++) {
            eight sum = {0};
            for (size_t a = 0; a < d; a++)
                sum += s->r.frame[(c * d + a) * n + i] * s->step[a * n + i];
            s->move[c * n + i] = EIGHT_CHOOSE(mask, sum, s->move[c * n + i]);
        }
    return MST_OK;
}

/* Off a saddle: a bump whose direction changes from push to push, a tenth of the path high. */
static void push(sweeper *s, size_t lane)
{
    size_t n = s->g.nodes, width = s->r.width, p = s->g.r->p;
    sweep_lane *l = &s->lane[lane];
    double size = 0, t = 0;
    for (size_t k = 0; k < width; k++)
        size = hypot(size, s->r.x[k * n + n / 2][lane] - s->r.x[k * n][lane]);
    size_t axis = (size_t)l->pushes % width;
    for (size_t i = 1; i + 1 < n; i++) {
        size_t e = (i - 1) / p;
        t = 0;
        for (size_t before = 0; before < e; before++)
            t += s->r.h[before][lane];
        t += s->r.h[e][lane] * s->g.r->t[i - e * p];
        for (size_t k = 0; k < width; k++) {
            double along = k == axis ? 1 : 0.3 * cos((double)(k + 1));
            s->r.x[k * n + i][lane] += 0.1 * size * sin(M_PI * t) * along;
        }
    }
    l->pushes++;
    l->fresh = true;
}

/* A minimum, a saddle to be pushed off, or a valley of paths that are all as long. */
static void meet_stationary(sweeper *s, size_t lane)
{
    sweep_lane *l = &s->lane[lane];
    l->flat = !l->full && l->pushes > 0 && l->energy >= (1 - 1e-8) * l->saddle;
    if (l->full || l->flat) {
        l->end = LANE_CONVERGED;
    } else if (l->pushes < 3) {
        l->saddle = l->energy;
        push(s, lane);
    } else {
        l->end = LANE_SADDLE;
    }
}

static void advance(sweeper *s, const unsigned char *ready)
{
    size_t n = s->g.nodes;
    unsigned char starts[EIGHT] = {0};
    for (size_t k = 0; k < EIGHT; k++) {
        sweep_lane *l = &s->lane[k];
        if (!ready[k] || l->end != LANE_BUSY)
            continue;
        if (l->weak) { /* the same path with a larger shift */
            l->weak = false;
            l->fresh = true;
        } else if (!isfinite(l->decrease)) {
            l->end = LANE_STUCK;
        } else if (l->decrease <= l->plan.tolerance * 2 * l->energy) {
            meet_stationary(s, k);
        } else {
            starts[k] = 1;
            l->fresh = false;
            l->moves = true;
            l->a = 1;
            l->slope = -l->decrease;
        }
    }
    eight_mask mask;
    mask_of(starts, &mask);
    for (size_t j = 0; j < s->r.width * n; j++)
        s->old[j] = EIGHT_CHOOSE(mask, s->r.x[j], s->old[j]);
}

/* ---- The loop ---- */

static mst_status fill(sweeper *s, const sweep_source *source, path **paths, bool *busy)
{
    *busy = false;
    for (size_t k = 0; k < EIGHT; k++) {
        sweep_lane *l = &s->lane[k];
        if (l->plan.job == NULL) {
            *l = (sweep_lane){.fresh = true, .shift = 1};
            if (!source->next(source->user, &l->plan, &paths[k])) {
                l->plan.job = NULL;
                continue;
            }
            load_lane(s, k, paths[k]);
            for (size_t rest = k + 1; !*busy && rest < EIGHT; rest++)
                if (s->lane[rest].plan.job == NULL)
                    load_lane(s, rest,
                              paths[k]); /* idle lanes compute too: let them have numbers */
        }
        *busy = true;
    }
    return MST_OK;
}

/* Hands back what has ended. */
static mst_status empty(sweeper *s, const sweep_source *source, path **paths)
{
    unsigned char landing_lanes[EIGHT];
    for (size_t k = 0; k < EIGHT; k++)
        landing_lanes[k] = s->lane[k].plan.job != NULL && s->lane[k].end == LANE_CONVERGED;
    for (size_t k = 0; k < EIGHT; k++) {
        sweep_lane *l = &s->lane[k];
        if (l->plan.job == NULL || l->end == LANE_BUSY)
            continue;
        s->landed.end = l->end;
        s->landed.sweeps = l->sweeps;
        s->landed.energy = l->energy;
        s->landed.length = sqrt(2 * l->energy);
        if (l->end == LANE_CONVERGED) {
            MST_TRY(sweeper_land(s, landing_lanes, k));
            store_lane(s, k, paths[k]);
        }
        flight_plan plan = l->plan;
        l->plan.job = NULL;
        MST_TRY(source->done(source->user, &plan, &s->landed));
    }
    return MST_OK;
}

mst_status sweeper_run(sweeper *s, const sweep_source *source)
{
    path *paths[EIGHT] = {0};
    for (;;) {
        bool busy;
        unsigned char ready[EIGHT];
        MST_TRY(fill(s, source, paths, &busy));
        if (!busy)
            return MST_OK;
        MST_TRY(evaluate(s));
        if (look(s, ready)) {
            MST_TRY(direct(s, ready));
            advance(s, ready);
        }
        go(s);
        MST_TRY(empty(s, source, paths));
    }
}
