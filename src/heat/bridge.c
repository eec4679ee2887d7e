/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels by bridges: rows, their paths in blocks of lanes, and the weighted means over them. */
#include "base/columns.h"
#include "base/options.h"
#include "base/random_kernels.h"
#include "heat/bridge_parts.h"

#include <math.h>
#include <string.h>

enum { LEAST_STEPS = 4, MOST_STEPS = 100000, MOST_PATHS = 100000000 };

mst_bridge_options mst_bridge_options_default(void)
{
    return (mst_bridge_options){.size = sizeof(mst_bridge_options), .steps = 48, .seed = 2712};
}

mst_status bridge_grid_new(bridge_grid *g, size_t steps)
{
    *g = (bridge_grid){.steps = steps};
    MST_TRY(mst_allocate(&g->from, 3 * steps + 1));
    g->part = g->from + steps + 1;
    g->share = g->part + steps;
    for (size_t k = 0; k <= steps; k++) {
        double left = (double)(steps - k) / (double)steps;
        g->from[k] = 1 - left * left;
    }
    for (size_t k = 0; k < steps; k++) {
        double left = (double)(steps - k), all = (double)steps;
        g->part[k] = (2 * left - 1) / (all * all);
        g->share[k] = (2 * left - 1) / (left * left);
    }
    return MST_OK;
}

void bridge_grid_free(bridge_grid *g)
{
    mst_release(g->from);
}

/* ---- Rows of one factor ---- */

typedef struct job {
    const mst_manifold *m; /* no product */
    const mst_bridge_options *o;
    uint64_t seed;
    const mst_pairs *pairs;
    bridge_grid fine, coarse; /* coarse.steps = 0: not wanted */
    bool log, rays;
    const mst_bridge_values *out;
} job;

/* What is kept of the paths of some rows. */
typedef struct room {
    double *y, *x, *t;                 /* of a block of lanes */
    double *xi, *fewer;                /* noise of a block, and that of half of the steps */
    double *log_weight, *score, *time; /* of all paths */
    double *coarse;
    double *frame; /* (d) */
    double *memory;
} room;

static mst_status room_new(room *r, const job *j, size_t paths)
{
    size_t d = j->m->dim, D = j->m->ambient, noise = j->fine.steps * (d + 1) * MST_LANES;
    MST_TRY(mst_allocate(&r->memory, MST_LANES * (2 * D + 1) + 2 * noise + paths * (d + 3) + d));
    r->xi = r->memory;
    r->fewer = r->xi + noise;
    r->y = r->fewer + noise;
    r->x = r->y + MST_LANES * D;
    r->t = r->x + MST_LANES * D;
    r->log_weight = r->t + MST_LANES;
    r->time = r->log_weight + paths;
    r->coarse = r->time + paths;
    r->score = r->coarse + paths;
    r->frame = r->score + paths * d;
    return MST_OK;
}

void bridge_draw(const bridge_block *b, double *xi)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    size_t d = b->m->dim;
    for (size_t k = 0; k + 1 < b->grid->steps; k++) /* the next overwrites what is beyond d rows */
        random->step(b->noise.seed, b->noise.first_path, k, d,
                     (double(*)[MST_LANES])(xi + k * d * MST_LANES));
}

void bridge_uniform(const bridge_block *b, uint64_t number, double *u)
{
    uint64_t index = (UINT64_C(1) << 61) + number;
    MST_PICK(random_kernels)->step_uniform(b->noise.seed, b->noise.first_path, index, u);
}

/* The same Brownian motion in half of the steps. */
static void merge(const bridge_grid *fine, size_t d, const double *xi, double *out)
{
    size_t width = d * MST_LANES;
    for (size_t k = 0; k + 1 < fine->steps / 2; k++) {
        double first = fine->part[2 * k], second = fine->part[2 * k + 1], all = first + second;
        for (size_t a = 0; a < width; a++)
            out[k * width + a] = sqrt(first / all) * xi[2 * k * width + a] +
                                 sqrt(second / all) * xi[(2 * k + 1) * width + a];
    }
}

/* Lane `lane` of the rows from `begin` on: `paths` to a row. */
static void put_lane(const job *j, size_t row, size_t i, room *r)
{
    size_t D = j->m->ambient;
    const mst_pairs *p = j->pairs;
    memcpy(r->y + i * D, p->y + row * p->y_stride, D * sizeof *r->y);
    memcpy(r->x + i * D, p->x + row * D, D * sizeof *r->x);
    r->t[i] = p->t[row * p->t_stride];
}

static mst_status run_lanes(const job *j, size_t begin, size_t lane, size_t n, room *r)
{
    size_t paths = j->o->paths, d = j->m->dim;
    bool score = j->out->score != NULL || j->out->score_se != NULL;
    bool time = j->out->dt_log_p != NULL || j->out->dt_log_p_se != NULL;
    for (size_t i = 0; i < n; i++)
        put_lane(j, begin + (lane + i) / paths, i, r);
    bridge_block b = {.m = j->m,
                      .grid = &j->coarse,
                      .log = j->log,
                      .rays = j->rays,
                      .n = n,
                      .y = r->y,
                      .x = r->x,
                      .t = r->t,
                      .noise = {j->seed, (j->pairs->first + begin) * paths + lane, 0},
                      .xi = r->fewer,
                      .log_weight = r->coarse + lane};
    b.grid = &j->fine;
    bridge_draw(&b, r->xi);
    b.grid = &j->coarse;
    if (j->coarse.steps > 0) {
        merge(&j->fine, d, r->xi, r->fewer);
        MST_TRY(bridge_run(&b));
    }
    b.grid = &j->fine;
    b.xi = r->xi;
    b.log_weight = r->log_weight + lane;
    b.score = score ? r->score + lane * d : NULL;
    b.time = time ? r->time + lane : NULL;
    return bridge_run(&b);
}

/* log of the mean of e^w, and the relative weights in place; −INFINITY if there is none. */
static double log_mean(size_t n, double *w)
{
    double top = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        top = fmax(top, w[i]);
    if (top == -INFINITY)
        return top;
    for (size_t i = 0; i < n; i++)
        sum += w[i] = exp(w[i] - top);
    for (size_t i = 0; i < n; i++)
        w[i] /= sum;
    return top + log(sum / (double)n);
}

/* The weighted mean of `width` numbers each, and the trace of its covariance. A ratio of means is off by the
 * covariance of weights and values over n; the mean without one path, n times, tells by how much (jackknife),
 * unless one path has most of the weight. */
static double weighted_mean(size_t n, size_t width, const double *w, const double *values,
                            double *mean)
{
    double trace = 0, all = (double)n, largest = 0;
    memset(mean, 0, width * sizeof *mean);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, w[i]);
        for (size_t a = 0; w[i] > 0 && a < width; a++)
            mean[a] += w[i] * values[i * width + a];
    }
    for (size_t a = 0; a < width; a++) {
        double others = 0; /* Σ of (mean without path i) − mean = w (mean − value)/(1 − w) */
        for (size_t i = 0; i < n; i++) {
            double off = w[i] > 0 ? values[i * width + a] - mean[a] : 0;
            trace += w[i] * w[i] * off * off;
            others -= w[i] * off / (1 - fmin(w[i], 0.5));
        }
        mean[a] -= largest < 0.5 ? (all - 1) / all * others : 0;
    }
    return trace * all / (all - 1);
}

static void put(double *out, size_t row, double value)
{
    if (out != NULL)
        out[row] = value;
}

/* Other ways to the end that carry less than about 1/paths of p may not have been seen at all. What they
 * would change: log p by `mass`, the score by `mass·score`, the time derivative by `mass·time`. Where no more
 * is known than that there may be such ways, log p alone counts them. */
typedef struct hidden {
    double mass, score, time;
} hidden;

static mst_status find_hidden(const job *j, size_t row, hidden *h)
{
    const mst_pairs *p = j->pairs;
    double radius = mst_manifold_injectivity(j->m), r = 0, t = p->t[row * p->t_stride];
    *h = (hidden){0};
    bool round =
        !isnan(j->m->traits.curvature) && !j->m->traits.cut_is_wall && !j->m->traits.angles;
    if (isinf(radius) || round) /* on spheres paths get around the antipode by and by */
        return MST_OK;
    if (isfinite(radius))
        MST_TRY(
            mst_manifold_dist(j->m, 1, p->x + row * j->m->ambient, p->y + row * p->y_stride, &r));
    h->mass = fmin(1 / (double)j->o->paths, bridge_unseen(j->m, r, t));
    if (isfinite(radius)) {
        h->score = 2 * radius / t;
        h->time = 2 * radius * fmax(radius - r, 0) / (t * t);
    }
    return MST_OK;
}

/* The results of row `row` from its paths, which begin at `at`. */
static mst_status reduce(const job *j, size_t row, size_t at, room *r)
{
    const mst_bridge_values *o = j->out;
    size_t n = j->o->paths, d = j->m->dim, D = j->m->ambient;
    double *w = r->log_weight + at, all = (double)n, squares = 0, mean;
    double log_p = log_mean(n, w);
    if (!isfinite(log_p))
        return mst_fail(MST_BREAKDOWN,
                        "row %zu: all of %zu bridges left the domain of %s, or doubles do not "
                        "resolve them; take more paths or a longer time",
                        row + 1, n, j->m->spec);
    double scatter = 0;
    for (size_t i = 0; i < n; i++) {
        squares += w[i] * w[i];
        scatter += (w[i] - 1 / all) * (w[i] - 1 / all);
    }
    put(o->log_p, row, log_p);
    put(o->ess, row, 1 / squares);
    hidden far;
    MST_TRY(find_hidden(j, row, &far));
    put(o->log_p_se, row, hypot(far.mass, sqrt(scatter * all / (all - 1))));
    if (o->step_error != NULL) /* the error of half of the steps is four times as large */
        o->step_error[row] = (log_p - log_mean(n, r->coarse + at)) / 3;
    if (o->dt_log_p != NULL || o->dt_log_p_se != NULL) {
        double trace = weighted_mean(n, 1, w, r->time + at, &mean);
        put(o->dt_log_p, row, mean);
        put(o->dt_log_p_se, row, hypot(sqrt(trace), far.mass * far.time));
    }
    if (o->score != NULL || o->score_se != NULL) {
        double trace = weighted_mean(n, d, w, r->score + at * d, r->frame);
        put(o->score_se, row, hypot(sqrt(trace), far.mass * far.score));
        if (o->score != NULL)
            return mst_manifold_from_frame(j->m, 1, j->pairs->y + row * j->pairs->y_stride,
                                           r->frame, o->score + row * D);
    }
    return MST_OK;
}

static mst_status run_rows(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t paths = j->o->paths, all = (end - begin) * paths;
    room r;
    MST_TRY(room_new(&r, j, all));
    mst_status status = MST_OK;
    for (size_t lane = 0; status == MST_OK && lane < all; lane += MST_LANES) {
        size_t n = all - lane < MST_LANES ? all - lane : MST_LANES;
        status = run_lanes(j, begin, lane, n, &r);
        if (status == MST_OK)
            status = mst_parallel_tick((double)n / (double)paths);
    }
    for (size_t row = begin; status == MST_OK && row < end; row++)
        status = reduce(j, row, (row - begin) * paths, &r);
    mst_release(r.memory);
    return status;
}

mst_status bridge_run(const bridge_block *b)
{
    if (b->rays)
        return bridge_rays(b);
    return b->m->ops.roll != NULL && !b->log ? bridge_frames(b) : bridge_rows(b);
}

uint64_t bridge_factor_seed(uint64_t seed, size_t factor)
{
    return seed + UINT64_C(0x9E3779B97F4A7C15) * factor;
}

static bool wants_slopes(const mst_bridge_values *o)
{
    return o->score != NULL || o->score_se != NULL || o->dt_log_p != NULL || o->dt_log_p_se != NULL;
}

static mst_status run_factor(const mst_manifold *m, size_t number, const mst_pairs *pairs,
                             const mst_bridge_options *o, const mst_bridge_values *out)
{
    job j = {.m = m,
             .o = o,
             .seed = bridge_factor_seed(o->seed, number),
             .pairs = pairs,
             .log = bridge_by_log(m, o->guide),
             .rays = o->guide != MST_GUIDE_SMOOTH && bridge_rays_fit(m) && !wants_slopes(out),
             .out = out};
    /* A path along geodesics is work enough for a thread. */
    size_t rows = j.rays ? 1 : 1 + (4 * MST_LANES - 1) / o->paths;
    MST_TRY(bridge_grid_new(&j.fine, o->steps));
    mst_status status = out->step_error != NULL ? bridge_grid_new(&j.coarse, o->steps / 2) : MST_OK;
    if (status == MST_OK)
        status = mst_parallel_blocks(pairs->n, rows, mst_in_parallel_block() ? 1 : o->threads,
                                     o->progress, run_rows, &j);
    bridge_grid_free(&j.fine);
    bridge_grid_free(&j.coarse);
    return status;
}

/* ---- Products: bridges of the factors are independent ---- */

/* Numbers of a factor, (n) each, and its score (n, D). */
typedef struct part {
    double *x, *y, *score, *numbers;
} part;

enum { NUMBERS = 7 };

static void take_numbers(const mst_bridge_values *out, double **to)
{
    double *all[NUMBERS] = {out->log_p,       out->dt_log_p, out->step_error, out->log_p_se,
                            out->dt_log_p_se, out->score_se, out->ess};
    memcpy(to, all, sizeof all);
}

/* Numbers add up, standard errors as squares; of effective sizes the least counts. */
static double add(size_t which, bool first, double sum, double value)
{
    if (first)
        return value;
    return which < 3 ? sum + value : which < 6 ? hypot(sum, value) : fmin(sum, value);
}

static mst_status add_factor(const mst_manifold *m, size_t f, size_t offset, const mst_pairs *pairs,
                             const mst_bridge_options *o, const mst_bridge_values *out, part *p)
{
    const mst_manifold *factor = mst_manifold_factor(m, f);
    size_t n = pairs->n, D = m->ambient, width = factor->ambient;
    double *to[NUMBERS];
    take_numbers(out, to);
    mst_take_columns(n, D, offset, width, pairs->x, p->x);
    mst_take_columns(pairs->y_stride > 0 ? n : 1, D, offset, width, pairs->y, p->y);
    mst_pairs own = *pairs;
    own.x = p->x;
    own.y = p->y;
    own.y_stride = pairs->y_stride > 0 ? width : 0;
    double *of[NUMBERS];
    for (size_t k = 0; k < NUMBERS; k++)
        of[k] = to[k] != NULL ? p->numbers + k * n : NULL;
    mst_bridge_values values = {.score = out->score != NULL ? p->score : NULL,
                                .log_p = of[0],
                                .dt_log_p = of[1],
                                .step_error = of[2],
                                .log_p_se = of[3],
                                .dt_log_p_se = of[4],
                                .score_se = of[5],
                                .ess = of[6]};
    MST_TRY(run_factor(factor, f, &own, o, &values));
    for (size_t k = 0; k < NUMBERS; k++)
        for (size_t i = 0; to[k] != NULL && i < n; i++)
            to[k][i] = add(k, f == 0, to[k][i], of[k][i]);
    if (out->score != NULL)
        mst_put_columns(n, D, offset, width, p->score, out->score);
    return MST_OK;
}

static mst_status run_product(const mst_manifold *m, const mst_pairs *pairs,
                              const mst_bridge_options *o, const mst_bridge_values *out)
{
    size_t n = pairs->n, D = m->ambient, offset = 0;
    part p;
    MST_TRY(mst_allocate(&p.x, n * (3 * D + NUMBERS)));
    p.y = p.x + n * D;
    p.score = p.y + n * D;
    p.numbers = p.score + n * D;
    mst_status status = MST_OK;
    for (size_t f = 0; status == MST_OK && f < mst_manifold_factor_count(m); f++) {
        status = add_factor(m, f, offset, pairs, o, out, &p);
        offset += mst_manifold_factor(m, f)->ambient;
    }
    mst_release(p.x);
    return status;
}

/* ---- The public functions ---- */

static mst_status check(mst_bridge_options *o)
{
    o->paths = o->paths > 0 ? o->paths : BRIDGE_USUAL_PATHS;
    if (o->paths < 2 || o->paths > MOST_PATHS)
        return mst_fail(MST_ARGUMENT, "`paths` must be from 2 to %d, not %zu", (int)MOST_PATHS,
                        o->paths);
    if (o->steps < LEAST_STEPS || o->steps > MOST_STEPS || o->steps % 2 != 0)
        return mst_fail(MST_ARGUMENT, "`steps` must be even and from %d to %d, not %zu",
                        (int)LEAST_STEPS, (int)MOST_STEPS, o->steps);
    if (o->guide < MST_GUIDE_BEST || o->guide > MST_GUIDE_SMOOTH)
        return mst_fail(MST_ARGUMENT, "there is no guide number %d", (int)o->guide);
    return MST_OK;
}

static mst_status check_times(const mst_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n; i++) {
        double t = pairs->t[i * pairs->t_stride];
        if (!(t > 0) || !isfinite(t))
            return mst_fail(MST_ARGUMENT, "row %zu: the time must be positive, not %g", i + 1, t);
        if (pairs->t_stride == 0)
            break;
    }
    return MST_OK;
}

mst_status mst_bridge_pairs(const mst_manifold *m, const mst_pairs *pairs,
                            const mst_bridge_options *options, const mst_bridge_values *out)
{
    mst_bridge_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_bridge_options, options));
    MST_TRY(check(&o));
    MST_TRY(check_times(pairs));
    if (pairs->n == 0)
        return MST_OK;
    return mst_manifold_factor_count(m) > 1 ? run_product(m, pairs, &o, out)
                                            : run_factor(m, 0, pairs, &o, out);
}
