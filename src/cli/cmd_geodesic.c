/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "pairs.h"

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
            tangent[i * D + j] = s * job->v[pair * D + j];
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
                                             .rows = geodesic_rows,
                                             .members = geodesic_members};
    return run_pairs(inv, &operation);
}

const command command_geodesic = {
    .name = "geodesic",
    .summary = "draws shortest curves from x to y",
    .usage = PAIR_USAGE,
    .description =
        "A row holds two points x and y. The answer is a table with the header pair,s,x_1,...: "
        "for each row, counted from 0 in the column 'pair', the K+1 points Exp_x(s Log_x(y)) at "
        "s = 0, 1/K, ..., 1. They are equally far from each other; the first is x, the last is y. "
        "At the cut locus one of several shortest geodesics is chosen, with a "
        "warning.\n\n" PAIR_FILES,
    .options = (const option *const[]){&option_manifold, &option_steps, PAIR_OPTIONS, NULL},
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
