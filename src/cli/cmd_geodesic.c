/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "pairs.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option option_steps = {
    .name = "steps",
    .kind = OPTION_COUNT,
    .value = "K",
    .fallback = "10",
    .example = "20",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "divide each geodesic into K equal pieces, K+1 rows",
};

static size_t steps_of(const pair_job *job)
{
    return (size_t)option_get(job->inv, &option_steps)->count;
}

/* Was a geodesic found? */
static bool has_curve(const pair_job *job, size_t pair)
{
    return !isnan(job->v[pair * job->ambient]);
}

/* Rows first … first+n−1 of all, every pair having steps+1 of them; base and tangent (n, D) are scratch. */
static mst_status send_points(pair_job *job, uint64_t first, size_t n, double *base,
                              double *tangent)
{
    size_t D = job->ambient, steps = steps_of(job), size = D * sizeof *base;
    for (size_t i = 0; i < n; i++) {
        size_t pair = (size_t)((first + i) / (steps + 1)), k = (size_t)((first + i) % (steps + 1));
        double s = (double)k / (double)steps;
        memcpy(base + i * D, job->x + pair * D, size);
        for (size_t j = 0; j < D; j++)
            tangent[i * D + j] = has_curve(job, pair) ? s * job->v[pair * D + j] : 0;
        job->status[i] = mst_geodesic_status_words(job->ends[pair]);
        job->rows[i * job->cols] = (double)(job->before + pair);
        job->rows[i * job->cols + 1] = s;
    }
    mst_status status = mst_manifold_exp(job->m, n, base, tangent, tangent);
    if (status != MST_OK)
        return status;
    /* The ends are known without rounding. */
    for (size_t i = 0; i < n; i++) {
        size_t pair = (size_t)((first + i) / (steps + 1)), k = (size_t)((first + i) % (steps + 1));
        if (k == 0 || k == steps)
            memcpy(tangent + i * D, (k == 0 ? job->x : job->y) + pair * D, size);
        for (size_t j = 0; j < D && !has_curve(job, pair); j++)
            tangent[i * D + j] = NAN;
    }
    return pair_send(job, n, tangent, 2);
}

static mst_status geodesic_rows(pair_job *job, size_t n)
{
    double *base = NULL, *tangent = NULL;
    mst_status status = pair_log(job, n);
    if (status == MST_OK)
        status = new_doubles(&base, job->chunk, job->ambient);
    if (status == MST_OK)
        status = new_doubles(&tangent, job->chunk, job->ambient);
    uint64_t total = (uint64_t)n * (steps_of(job) + 1);
    for (uint64_t first = 0; first < total && status == MST_OK; first += job->chunk) {
        uint64_t left = total - first;
        size_t piece = left < job->chunk ? (size_t)left : job->chunk;
        status = interrupted() ? mst_fail(MST_INTERRUPTED, "interrupted")
                               : send_points(job, first, piece, base, tangent);
    }
    free(base);
    free(tangent);
    return status;
}

/* ---- By a model: c' = Log_c(y)/(1 − s), with the network's Log ---- */

/* Pieces of pairs that go forward together, all (pairs, D). */
typedef struct walk {
    pair_job *job;
    mst_score *log; /* the network's, one for all steps because it keeps its memory */
    size_t pairs;
    const double *y;
    double *at;   /* where the curves are */
    double *rows; /* (job->chunk, D), what is waiting to be sent */
} walk;

static mst_status walk_new(walk *w, pair_job *job)
{
    *w = (walk){.job = job};
    mst_status status = mst_score_network_limit_new(&w->log, job->model.source);
    if (status == MST_OK)
        status = new_doubles(&w->at, job->chunk, job->ambient);
    return status == MST_OK ? new_doubles(&w->rows, job->chunk, job->ambient) : status;
}

static void walk_free(walk *w)
{
    mst_score_free(w->log);
    free(w->at);
    free(w->rows);
}

/* The points of w->pairs curves from pair `first` on; a single one may be longer than
 * what fits into w->rows. */
static mst_status walk_pairs(walk *w, size_t first)
{
    pair_job *job = w->job;
    size_t D = job->ambient, steps = steps_of(job), sent = 0;
    mst_status status = MST_OK;
    w->y = job->y + first * D;
    memcpy(w->at, job->x + first * D, w->pairs * D * sizeof *w->at);
    for (size_t k = 0; k <= steps && status == MST_OK; k++) {
        const double *points = k < steps ? w->at : w->y;
        for (size_t i = 0; i < w->pairs; i++) {
            size_t row = i * (steps + 1) + k - sent;
            memcpy(w->rows + row * D, points + i * D, D * sizeof *points);
            job->rows[row * job->cols] = (double)(job->before + first + i);
            job->rows[row * job->cols + 1] = (double)k / (double)steps;
            job->status[row] = pair_by_network;
        }
        size_t ready = w->pairs == 1 ? k + 1 - sent : 0;
        if (k == steps || ready == job->chunk) {
            ready = k == steps ? w->pairs * (steps + 1) - sent : ready;
            status = pair_send(job, ready, w->rows, 2);
            sent += ready;
        }
        if (status == MST_OK && k + 1 < steps)
            status = interrupted() ? mst_fail(MST_INTERRUPTED, "interrupted")
                                   : mst_score_geodesic_step(w->log, w->pairs, w->y,
                                                             (double)k / (double)steps,
                                                             1 / (double)steps, w->at);
    }
    return status;
}

static mst_status walk_rows(pair_job *job, size_t n)
{
    walk w;
    mst_status status = walk_new(&w, job);
    if (status == MST_OK)
        status = pair_judge(job, n);
    size_t together = job->chunk / (steps_of(job) + 1);
    for (size_t first = 0; first < n && status == MST_OK; first += w.pairs) {
        w.pairs = together == 0 ? 1 : n - first < together ? n - first : together;
        status = walk_pairs(&w, first);
    }
    walk_free(&w);
    return status;
}

static mst_status rows_of(pair_job *job, size_t n)
{
    return job->model.net != NULL ? walk_rows(job, n) : geodesic_rows(job, n);
}

static void geodesic_members(const pair_job *job, mst_json *json)
{
    mst_json_key(json, "steps");
    mst_json_integer(json, steps_of(job));
}

static mst_status run(invocation *inv)
{
    static const pair_operation operation = {.second = 'p',
                                             .lead = "pair,s",
                                             .prefix = "x",
                                             .coordinates = PAIR_POINTS,
                                             .header = true,
                                             .status = true,
                                             .rows = rows_of,
                                             .members = geodesic_members};
    return run_pairs(inv, &operation);
}

const command command_geodesic = {
    .name = "geodesic",
    .summary = "draws shortest curves from x to y",
    .usage = PAIR_USAGE,
    .description =
        "A row holds two points x and y. The result is a table with the header pair,s,x_1,...: "
        "for each row, counted from 0 in the column 'pair', the K+1 points Exp_x(s Log_x(y)) at "
        "s = 0, 1/K, ..., 1. They are equally spaced; the first is x, the last is y. "
        "At the cut locus one of several shortest geodesics is chosen, with a "
        "warning.\n\n"
        "With --score FILE the curve follows the network's Log, taken at its least time, from x to "
        "y: c' = Log_c(y)/(1 - s), by K steps of a Runge-Kutta method.\n\n" PAIR_SEARCH PAIR_FILES,
    .options =
        (const option *const[]){&option_space, &option_steps, &option_status, PAIR_OPTIONS, NULL},
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"The half-way point between two directions:",
             "echo 1,0,0,0,1,0 | manistat geodesic --manifold sphere:2 --steps 2"},
            {"Interpolation between two covariance matrices, given as upper triangles:",
             "echo 2,0,1,1,0.5,3 | manistat geodesic --manifold spd:2 --steps 4"},
            {NULL, NULL},
        },
    .run = run,
};
