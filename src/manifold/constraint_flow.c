/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics on manifolds given by equations, and what goes along with them, in R^D: x'' = II(x', x'); a
 * parallel u has u' = II(v, u); a Jacobi field J with K = ∇_v J has J' = K + II(v, J), K'
 * = −R(J, v)v + II(v, K). */
#include "manifold/constraint.h"
#include "manifold/runge_kutta.h"

#include <math.h>
#include <string.h>

typedef enum along { ALONE, CARRY, JACOBI } along;

typedef struct constraint_flow {
    const mst_manifold *m;
    along kind;
    constraint_room room;
    double *x; /* (RK_ROWS, D) */
} constraint_flow;

static void slopes_of(const constraint_flow *f, size_t i, const double *state, double *out)
{
    const mst_manifold *m = f->m;
    size_t D = m->ambient;
    const double *v = state + D;
    memcpy(out, v, D * sizeof *out);
    constraint_bend(m, &f->room, i, v, v, out + D);
    if (f->kind == CARRY)
        constraint_bend(m, &f->room, i, v, state + 2 * D, out + 2 * D);
    if (f->kind != JACOBI)
        return;
    const double *j = state + 2 * D, *k = state + 3 * D;
    double *turn = f->room.work + 2 * D;
    constraint_bend(m, &f->room, i, v, j, out + 2 * D);
    constraint_curvature(m, &f->room, i, j, v, out + 3 * D);
    constraint_bend(m, &f->room, i, v, k, turn);
    for (size_t a = 0; a < D; a++) {
        out[2 * D + a] += k[a];
        out[3 * D + a] = turn[a] - out[3 * D + a];
    }
}

static mst_status slopes(void *context, size_t n, const double *state, double *out)
{
    constraint_flow *f = context;
    size_t D = f->m->ambient, width = (f->kind == ALONE ? 2 : f->kind == CARRY ? 3 : 4) * D;
    for (size_t i = 0; i < n; i++)
        memcpy(f->x + i * D, state + i * width, D * sizeof *state);
    MST_TRY(constraint_hessians(f->m, n, f->x, &f->room));
    for (size_t i = 0; i < n; i++)
        slopes_of(f, i, state + i * width, out + i * width);
    return MST_OK;
}

/* Rows one after the other: x, v and up to two fields a row, (n, D) each or null for zero; what is left of
 * them at the end, each null if it is not wanted. */
typedef struct flow_rows {
    const double *x, *v, *first, *second;
    double *y, *first_out;
} flow_rows;

static void load(size_t D, size_t width, size_t row, const flow_rows *r, double *state)
{
    const double *parts[4] = {r->x, r->v, r->first, r->second};
    for (size_t p = 0; p * D < width; p++)
        if (parts[p] != NULL)
            memcpy(state + p * D, parts[p] + row * D, D * sizeof *state);
        else
            memset(state + p * D, 0, D * sizeof *state);
}

static bool is_inside(void *context, const double *state)
{
    const constraint_flow *f = context;
    unsigned char inside = 1;
    if (f->m->constraint->ops.domain != NULL)
        f->m->constraint->ops.domain(f->m, 1, state, &inside);
    return inside != 0;
}

static mst_status check_end(size_t row, mst_status status, double length)
{
    if (status == MST_DOMAIN)
        return mst_fail(MST_DOMAIN, "row %zu: the geodesic left the domain", row + 1);
    return status == MST_OK
               ? MST_OK
               : mst_fail(MST_CONVERGENCE, "row %zu: a geodesic of length %g could not be followed",
                          row + 1, length);
}

/* One block of rows. */
static mst_status run_block(constraint_flow *f, const rk_system *s, size_t at, size_t n,
                            const flow_rows *r, double *state)
{
    const mst_manifold *m = f->m;
    size_t D = m->ambient, width = s->width;
    double size[RK_ROWS];
    mst_status ends[RK_ROWS];
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        load(D, width, at + i, r, state + i * width);
        for (size_t a = 0; a < D; a++)
            square += r->v[(at + i) * D + a] * r->v[(at + i) * D + a];
        size[i] = sqrt(square);
        if (!isfinite(size[i]))
            return mst_fail(MST_DOMAIN, "row %zu: the length of a vector is %g", at + i + 1,
                            size[i]);
    }
    MST_TRY(rk_run(s, n, size, state, ends));
    for (size_t i = 0; i < n; i++) {
        double *end = state + i * width;
        size_t row;
        MST_TRY(check_end(at + i, ends[i], size[i]));
        MST_TRY(constraint_project(m, 1, end, end, &row));
        if (r->first_out != NULL) {
            MST_TRY(constraint_gradients(m, 1, end, &f->room));
            constraint_make_tangent(m, &f->room, 0, end + 2 * D);
            memcpy(r->first_out + (at + i) * D, end + 2 * D, D * sizeof *end);
        }
        if (r->y != NULL)
            memcpy(r->y + (at + i) * D, end, D * sizeof *end);
    }
    return MST_OK;
}

static mst_status run(const mst_manifold *m, along kind, size_t n, const flow_rows *r)
{
    size_t D = m->ambient, width = (kind == ALONE ? 2 : kind == CARRY ? 3 : 4) * D;
    constraint_flow f = {.m = m, .kind = kind};
    rk_system s = {.width = width,
                   .judged = 2 * D,
                   .slopes = slopes,
                   .inside = is_inside,
                   .context = &f,
                   .tolerance = 2e-14,
                   .most = 200000};
    MST_TRY(mst_allocate(&f.x, RK_ROWS * (D + width)));
    mst_status status = constraint_room_new(&f.room, m, RK_ROWS);
    for (size_t at = 0; status == MST_OK && at < n; at += RK_ROWS)
        status = run_block(&f, &s, at, n - at < RK_ROWS ? n - at : RK_ROWS, r, f.x + RK_ROWS * D);
    constraint_room_free(&f.room);
    mst_release(f.x);
    return status;
}

mst_status constraint_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    return run(m, ALONE, n, &(flow_rows){.x = x, .v = v, .y = y});
}

mst_status constraint_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                const double *u, double *out)
{
    return run(m, CARRY, n, &(flow_rows){.x = x, .v = v, .first = u, .first_out = out});
}

mst_status constraint_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                     const double *v, const double *dx, const double *dv,
                                     double *dy)
{
    return run(m, JACOBI, n,
               &(flow_rows){.x = x, .v = v, .first = dx, .second = dv, .first_out = dy});
}
