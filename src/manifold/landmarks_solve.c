/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics of landmarks for mst_geodesic_solve: shooting first; where it fails, and where landmarks turn
 * around each other so that they might as well pass on the other side, the general solver, whose answers
 * shooting then polishes. */
#include "geodesic/own.h"
#include "geodesic/solve.h"
#include "manifold/landmarks_rays.h"

#include <math.h>
#include <string.h>

/* The general solver takes half a second for four crowded landmarks of the plane, a minute for eight, and
 * more for thirty, of which it has not joined any that shooting could not join. */
enum { GENERAL_COORDINATES = 12 };

static size_t keep(const mst_manifold *m)
{
    return m->dim;
}

bool landmark_may_pass(const landmark_shape *s, const double *y, const double *x)
{
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = a + 1; b < s->count; b++) {
            double dot = 0, at_y = 0, at_x = 0;
            for (size_t c = 0; c < s->space; c++) {
                double v = y[a * s->space + c] - y[b * s->space + c];
                double w = x[a * s->space + c] - x[b * s->space + c];
                dot += v * w;
                at_y += v * v;
                at_x += w * w;
            }
            /* They turn by more than 120°, and feel each other. Near each other a turn by θ is about θ·sigma
             * long, so that the other way around has the weight exp(−2π(π − θ) sigma²/t) beside it. */
            double reach = 3 * s->sigma;
            if (dot < -0.5 * sqrt(at_x * at_y) && fmin(at_x, at_y) < reach * reach)
                return true;
        }
    return false;
}

mst_status landmark_other_ways(const mst_manifold *m, const double *y, const double *x, int starts,
                               size_t several, double *p, size_t *found)
{
    geodesic_problem problem;
    size_t d = m->dim;
    double *v;
    mst_geodesic_status *status;
    *found = 0;
    MST_TRY(mst_allocate(&v, several * d));
    mst_status answer = mst_allocate(&status, several);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.starts = starts;
    o.several = (int)several;
    o.threads = 1;
    o.tolerance = 1e-6;
    mst_geodesic_output out = {.log_x = v, .status = status};
    if (answer == MST_OK)
        answer = problem_of_metric(&problem, m);
    if (answer == MST_OK) {
        problem.general = true;
        answer = geodesic_solve(&problem, 1, y, x, &o, &out);
        problem_free(&problem);
    }
    landmark_place at = {0};
    if (answer == MST_OK)
        answer = landmark_place_new(&at, &((const landmarks *)mst_manifold_data(m))->shape);
    if (answer == MST_OK && landmark_place_at(&at, y, 0))
        for (size_t k = 0; k < several; k++)
            if (status[k] <= MST_GEODESIC_LOCAL) {
                landmark_columns(at.shape, v + k * d, at.room);
                landmark_lower(&at, at.room);
                landmark_row(at.shape, at.room, p + (*found)++ * d);
            }
    landmark_place_free(&at);
    mst_release(v);
    mst_release(status);
    return answer;
}

/* Is p the start of a geodesic that is there already? */
static bool is_known(const landmark_ray *rays, size_t count, double square, size_t d,
                     const double *p)
{
    for (size_t k = 0; k < count; k++) {
        double apart = 0, size = 0;
        for (size_t i = 0; i < d; i++) {
            apart += (p[i] - rays[k].p[i]) * (p[i] - rays[k].p[i]);
            size += p[i] * p[i];
        }
        if (apart <= 1e-8 * size && fabs(square - rays[k].square) <= 1e-6 * square)
            return true;
    }
    return false;
}

static void insert(landmark_ray *rays, size_t *count, size_t most, const landmark_ray *ray,
                   size_t d)
{
    size_t at = *count < most ? (*count)++ : most - 1;
    if (at == most - 1 && *count == most && rays[at].square <= ray->square && rays[at].taken)
        return;
    double *room = rays[at].p;
    for (; at > 0 && rays[at - 1].square > ray->square; at--) {
        double *kept = rays[at].p;
        rays[at] = rays[at - 1];
        rays[at].p = kept;
        memcpy(kept, rays[at - 1].p, d * sizeof *kept);
    }
    room = rays[at].p;
    rays[at] = *ray;
    rays[at].p = room;
    rays[at].taken = true;
    memcpy(room, ray->p, d * sizeof *room);
}

mst_status landmark_rays_find(landmark_shooter *s, const mst_manifold *m, const double *y,
                              const double *x, const landmark_search *how, landmark_ray *rays,
                              size_t *count)
{
    const landmark_shape *shape = &((const landmarks *)mst_manifold_data(m))->shape;
    size_t d = m->dim, found = 0;
    double *guess;
    landmark_ray ray;
    MST_TRY(mst_allocate(&guess, (LANDMARK_WAYS + 1) * d));
    ray.p = guess + LANDMARK_WAYS * d;
    *count = 0;
    for (size_t k = 0; k < how->several; k++)
        rays[k].taken = false;
    bool warm = how->warm != NULL && isfinite(how->warm[0]);
    memcpy(ray.p, warm ? how->warm : x, d * sizeof *ray.p);
    landmark_shot shot;
    landmark_shoot(s, y, x, how->tolerance, how->within, warm, ray.p, &shot);
    if (!shot.found && warm) /* the guess was bad */
        landmark_shoot(s, y, x, how->tolerance, how->within, false, ray.p, &shot);
    if (shot.found) {
        ray.square = shot.square;
        ray.error = shot.error;
        ray.steps = shot.steps;
        insert(rays, count, how->several, &ray, d);
    }
    mst_status status = MST_OK;
    bool general = d <= GENERAL_COORDINATES;
    bool look = general && how->starts != 1 && !warm && landmark_may_pass(shape, y, x);
    rays[0].starts = look ? 2 : 1;
    if (!how->hasty && ((general && !shot.found) || look))
        status = landmark_other_ways(m, y, x, how->starts, LANDMARK_WAYS, guess, &found);
    for (size_t k = 0; status == MST_OK && k < found; k++) {
        memcpy(ray.p, guess + k * d, d * sizeof *ray.p);
        landmark_shoot(s, y, x, how->tolerance, how->within, true, ray.p, &shot);
        if (!shot.found || is_known(rays, *count, shot.square, d, ray.p))
            continue;
        ray.square = shot.square;
        ray.error = shot.error;
        ray.steps = shot.steps;
        insert(rays, count, how->several, &ray, d);
        rays[0].starts = look ? (int)found + 1 : 1;
    }
    mst_release(guess);
    return status;
}

/* ---- Outputs ---- */

typedef struct solve_room {
    landmark_shooter *s;
    landmark_flow flow;
    landmark_ray *rays;
    double *momenta, *state;
} solve_room;

static void put_path(solve_room *r, const double *y, const landmark_ray *ray, size_t points,
                     double *path)
{
    landmark_flow *f = &r->flow;
    landmark_columns(f->shape, y, r->state);
    landmark_columns(f->shape, ray->p, f->state + f->half);
    landmark_flow_start(f, r->state, NULL);
    size_t steps = ray->steps / (points > 1 ? points - 1 : 1) + 1;
    for (size_t k = 0; k < points; k++) {
        landmark_row(f->shape, landmark_flow_point(f), path + k * f->d);
        for (size_t j = 0; k + 1 < points && j < steps; j++)
            landmark_advance(f, 1 / (double)((points - 1) * steps), false);
    }
}

/* Velocities at both ends, of the geodesic from x to y with momentum ray->p. */
static void put_ends(solve_room *r, const double *x, const landmark_ray *ray, double *log_x,
                     double *log_y)
{
    landmark_flow *f = &r->flow;
    landmark_columns(f->shape, x, r->state);
    landmark_columns(f->shape, ray->p, f->state + f->half);
    landmark_flow_start(f, r->state, NULL);
    double *dq = r->state, *dp = dq + f->half;
    f->kernels->slopes(f->shape, landmark_flow_point(f), f->state + f->half, dq, dp, f->room);
    if (log_x != NULL)
        landmark_row(f->shape, dq, log_x);
    if (log_y == NULL)
        return;
    for (size_t k = 0; k < ray->steps; k++)
        landmark_advance(f, 1 / (double)ray->steps, false);
    f->kernels->slopes(f->shape, landmark_flow_point(f), f->state + f->half, dq, dp, f->room);
    for (size_t k = 0; k < f->half; k++)
        dq[k] = -dq[k];
    landmark_row(f->shape, dq, log_y);
}

static void put_nothing(const mst_geodesic_output *out, size_t at, size_t d, bool first)
{
    double *const single[] = {out->length, out->error, out->conjugate, out->van_vleck};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++)
        if (single[k] != NULL)
            single[k][at] = NAN;
    double *const wide[] = {out->log_x, out->log_y, out->path};
    const size_t widths[] = {d, d, out->points * d};
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        for (size_t i = 0; wide[k] != NULL && i < widths[k]; i++)
            wide[k][at * widths[k] + i] = NAN;
    if (out->status != NULL)
        out->status[at] = first ? MST_GEODESIC_NOT_CONVERGED : MST_GEODESIC_NO_OTHER;
}

static void put_ray(solve_room *r, const double *x, const landmark_ray *ray, bool first, bool least,
                    size_t at, const mst_geodesic_output *out)
{
    size_t d = r->flow.d;
    double r2 = ray->square;
    if (out->length != NULL)
        out->length[at] = sqrt(r2);
    if (out->error != NULL)
        out->error[at] = 0.5 * ray->error * sqrt(r2);
    if (out->conjugate != NULL)
        out->conjugate[at] = NAN;
    if (out->status != NULL)
        out->status[at] = first && least ? MST_GEODESIC_LEAST : MST_GEODESIC_LOCAL;
    double theta;
    if (out->van_vleck != NULL)
        out->van_vleck[at] =
            landmark_distortion(r->s, x, ray->p, ray->steps, &theta) ? exp(-theta) : NAN;
    if (out->log_x != NULL || out->log_y != NULL)
        put_ends(r, x, ray, out->log_x != NULL ? out->log_x + at * d : NULL,
                 out->log_y != NULL ? out->log_y + at * d : NULL);
    if (out->path != NULL)
        put_path(r, x, ray, out->points, out->path + at * out->points * d);
}

static mst_status room_new(solve_room *r, const mst_manifold *m, size_t several)
{
    const landmark_shape *shape = &((const landmarks *)mst_manifold_data(m))->shape;
    *r = (solve_room){0};
    MST_TRY(landmark_shooter_new(&r->s, m));
    mst_status status = landmark_flow_new(&r->flow, shape, 0);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->rays, several);
    if (status == MST_OK)
        status = mst_allocate(&r->momenta, several * m->dim);
    if (status == MST_OK)
        status = mst_allocate(&r->state, 2 * r->flow.half);
    for (size_t k = 0; status == MST_OK && k < several; k++)
        r->rays[k].p = r->momenta + k * m->dim;
    return status;
}

static void room_free(solve_room *r)
{
    landmark_shooter_free(r->s);
    landmark_flow_free(&r->flow);
    mst_release(r->rays);
    mst_release(r->momenta);
    mst_release(r->state);
}

static mst_status solve(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const mst_geodesic_options *o, bool hasty, double *kept,
                        const mst_geodesic_output *out)
{
    size_t d = m->dim, several = o->several > 1 ? (size_t)o->several : 1;
    solve_room r;
    mst_status status = room_new(&r, m, several);
    landmark_search how = {.several = several, .starts = o->starts, .hasty = hasty};
    /* An end that is missed by ε makes errors of about ε in vectors, and of ε² in lengths. */
    how.tolerance = o->log_tolerance > 0 ? o->log_tolerance : fmax(o->tolerance / 10, 1e-12);
    bool lengths_alone =
        out->log_x == NULL && out->log_y == NULL && out->path == NULL && out->van_vleck == NULL;
    how.within = lengths_alone ? fmax(how.tolerance, 0.1 * sqrt(how.tolerance)) : how.tolerance;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        size_t count;
        double *keeping = kept != NULL ? kept + i * several * d : NULL;
        how.warm = keeping != NULL && !o->again ? keeping : NULL;
        status = landmark_rays_find(r.s, m, x + i * d, y + i * d, &how, r.rays, &count);
        /* In haste nobody looked for other ways; a guess would say that they are known. */
        bool settled = !hasty || r.rays[0].starts == 1;
        for (size_t k = 0; status == MST_OK && k < several; k++) {
            bool within = k < count && r.rays[k].square <= r.rays[0].square + o->window;
            if (within)
                put_ray(&r, x + i * d, &r.rays[k], k == 0, r.rays[0].starts > 1, i * several + k,
                        out);
            else
                put_nothing(out, i * several + k, d, k == 0);
            if (out->starts != NULL)
                out->starts[i * several + k] = r.rays[0].starts;
            if (out->agreed != NULL)
                out->agreed[i * several + k] = within;
            if (out->tie != NULL)
                out->tie[i * several + k] =
                    count > 1 && r.rays[1].square <= r.rays[0].square * (1 + 2e-8);
            for (size_t j = 0; keeping != NULL && j < d; j++)
                keeping[k * d + j] = within && settled ? r.rays[k].p[j] : NAN;
        }
        if (status == MST_OK)
            status = mst_parallel_tick(1);
    }
    room_free(&r);
    return status;
}

/* The largest K_ab/alpha, a ≠ b. */
static mst_status coupling(const mst_manifold *m, const double *x, double *out)
{
    const landmark_shape *s = &((const landmarks *)mst_manifold_data(m))->shape;
    landmark_place at;
    MST_TRY(landmark_place_new(&at, s));
    landmark_columns(s, x, at.q);
    at.kernels->pairs(s, at.q, 0, at.pair);
    *out = 0;
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < a; b++)
            *out = fmax(*out, at.pair[0][a * s->wide + b] / s->alpha);
    landmark_place_free(&at);
    return MST_OK;
}

const mst_own_geodesics landmark_geodesics = {
    .advice = "take a nugget, as in nugget=0.01, or a smaller sigma",
    .coupling = coupling,
    .keep = keep,
    .solve = solve,
    .room = landmark_expansion_room,
    .release = landmark_expansion_release,
    .rays = landmark_expansion_rays,
};
