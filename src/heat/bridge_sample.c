/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Bridges as paths: of many led ones, one is drawn by the weights. */
#include "base/options.h"
#include "heat/bridge_parts.h"

#include <math.h>
#include <string.h>

typedef struct job {
    const mst_manifold *m; /* a factor, at the columns `offset` of rows of `width` */
    size_t offset, width;
    const mst_bridge_options *o;
    uint64_t seed;
    const double *from, *to; /* (D) of the factor */
    double time;
    bridge_grid grid;
    bool log;
    double *path; /* (n, steps + 1, width) */
    double *ess;  /* (n), the least of the factors so far */
} job;

typedef struct room {
    double *y, *x, *t, *xi, *log_weight, *point;
    double *memory;
} room;

static mst_status room_new(room *r, const job *j)
{
    size_t D = j->m->ambient, d = j->m->dim, steps = j->grid.steps;
    MST_TRY(mst_allocate(&r->memory, MST_LANES * (2 * D + 2 + steps * (d + 1) + (steps + 1) * D)));
    r->xi = r->memory;
    r->y = r->xi + MST_LANES * steps * (d + 1);
    r->x = r->y + MST_LANES * D;
    r->t = r->x + MST_LANES * D;
    r->log_weight = r->t + MST_LANES;
    r->point = r->log_weight + MST_LANES;
    mst_repeat_point(MST_LANES, D, j->from, r->y);
    mst_repeat_point(MST_LANES, D, j->to, r->x);
    for (size_t i = 0; i < MST_LANES; i++)
        r->t[i] = j->time;
    return MST_OK;
}

/* What has been seen of the led paths so far: one of them, and log Σ w, log Σ w². */
typedef struct choice {
    double sum, squares;
} choice;

static double log_add(double a, double b)
{
    double top = fmax(a, b);
    return top == -INFINITY ? top : top + log(exp(a - top) + exp(b - top));
}

/* Each path takes the place of the one before with the probability w/Σw. */
static void choose(const job *j, size_t number, size_t n, const room *r, const double *u, choice *c)
{
    size_t D = j->m->ambient, steps = j->grid.steps;
    for (size_t i = 0; i < n; i++) {
        double w = r->log_weight[i];
        if (w == -INFINITY)
            continue;
        c->sum = log_add(c->sum, w);
        c->squares = log_add(c->squares, 2 * w);
        if (!(log(u[i]) <= w - c->sum))
            continue;
        for (size_t k = 0; k <= steps; k++)
            memcpy(j->path + (number * (steps + 1) + k) * j->width + j->offset,
                   r->point + (k * n + i) * D, D * sizeof *r->point);
    }
}

static mst_status draw_one(const job *j, size_t number, room *r)
{
    choice c = {-INFINITY, -INFINITY};
    for (size_t at = 0; at < j->o->paths; at += MST_LANES) {
        size_t n = j->o->paths - at < MST_LANES ? j->o->paths - at : MST_LANES;
        double u[MST_LANES];
        bridge_block b = {.m = j->m,
                          .grid = &j->grid,
                          .log = j->log,
                          .n = n,
                          .y = r->y,
                          .x = r->x,
                          .t = r->t,
                          .noise = {j->seed, (j->o->first + number) * j->o->paths + at, 0},
                          .xi = r->xi,
                          .log_weight = r->log_weight,
                          .point = r->point};
        bridge_draw(&b, r->xi);
        bridge_uniform(&b, SIZE_MAX >> 8, u);
        MST_TRY(bridge_run(&b));
        choose(j, number, n, r, u, &c);
    }
    if (c.sum == -INFINITY)
        return mst_fail(MST_BREAKDOWN, "all of %zu bridges left the domain of %s", j->o->paths,
                        j->m->spec);
    j->ess[number] = fmin(j->ess[number], exp(2 * c.sum - c.squares));
    return MST_OK;
}

static mst_status run(void *context, size_t begin, size_t end)
{
    const job *j = context;
    room r;
    MST_TRY(room_new(&r, j));
    mst_status status = MST_OK;
    for (size_t i = begin; status == MST_OK && i < end; i++)
        status = draw_one(j, i, &r);
    mst_release(r.memory);
    return status;
}

static mst_status run_factor(job *j, size_t n)
{
    MST_TRY(bridge_grid_new(&j->grid, j->o->steps));
    mst_status status = mst_parallel_blocks(n, 1, j->o->threads, j->o->progress, run, j);
    bridge_grid_free(&j->grid);
    return status;
}

mst_status mst_bridge_sample(const mst_manifold *m, size_t n, const double *from, const double *to,
                             double time, const mst_bridge_options *options, double *path,
                             double *times, double *ess)
{
    mst_bridge_options o;
    double *least, sum = 0;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_bridge_options, options));
    mst_pairs one = {.n = 0, .t = &time};
    MST_TRY(mst_bridge_pairs(m, &one, &o, &(mst_bridge_values){0})); /* checks the options */
    o.paths = o.paths > 0 ? o.paths : BRIDGE_USUAL_PATHS;
    if (!(time > 0) || !isfinite(time))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", time);
    MST_TRY(mst_allocate(&least, n));
    for (size_t i = 0; i < n; i++)
        least[i] = INFINITY;
    mst_status status = MST_OK;
    size_t offset = 0;
    for (size_t f = 0; status == MST_OK && f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        job j = {.m = factor,
                 .offset = offset,
                 .width = m->ambient,
                 .o = &o,
                 .seed = bridge_factor_seed(o.seed, f),
                 .from = from + offset,
                 .to = to + offset,
                 .time = time,
                 .log = bridge_by_log(factor, o.guide),
                 .path = path,
                 .ess = least};
        status = run_factor(&j, n);
        offset += factor->ambient;
    }
    for (size_t i = 0; i < n; i++)
        sum += least[i] / (double)n;
    if (status == MST_OK && ess != NULL)
        *ess = sum;
    for (size_t k = 0; times != NULL && k <= o.steps; k++) {
        double left = (double)(o.steps - k) / (double)o.steps;
        times[k] = time * (1 - left * left);
    }
    mst_release(least);
    return status;
}
