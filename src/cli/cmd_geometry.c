/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "dist_all.h"
#include "pairs.h"

#include <manistat/geodesic.h>
#include <math.h>
#include <stdlib.h>

static const option *const options[] = {&option_space, &option_status, &option_rotation_vectors,
                                        PAIR_OPTIONS, NULL};

static mst_status refuse_model(model *o)
{
    if (o->net == NULL)
        return MST_OK;
    return mst_fail(MST_UNABLE,
                    "a score network gives logarithms and distances, but no geodesic from its "
                    "velocity; leave out --score, Exp needs no model");
}

static mst_status exp_rows(pair_job *job, size_t n)
{
    mst_status status = mst_geodesic_exp(job->m, n, job->x, job->y, job->v, job->ends);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        job->status[i] = mst_geodesic_status_words(job->ends[i]);
        if (job->ends[i] != MST_GEODESIC_ARRIVED)
            row_tally_add(&job->tally, job->before + i + 1, job->status[i]);
    }
    if (status == MST_OK)
        pair_decline_overflow(job, n, job->ambient, job->v);
    return status == MST_OK ? pair_send(job, n, job->v, 0) : status;
}

static mst_status run_exp(invocation *inv)
{
    static const pair_operation operation = {.second = 'v',
                                             .prefix = "y",
                                             .coordinates = PAIR_POINTS,
                                             .status = true,
                                             .check = refuse_model,
                                             .rows = exp_rows};
    return run_pairs(inv, &operation);
}

const command command_exp = {
    .name = "exp",
    .summary = "follows geodesics: x, v -> Exp_x(v)",
    .usage = PAIR_USAGE,
    .description =
        "A row holds a point x and a tangent vector v at x. Each row gives one row: the "
        "point y = Exp_x(v) where the geodesic that leaves x with velocity v is at time 1, so that "
        "dist(x, y) = |v| for short v. A vector that is not tangent is an error; --project removes "
        "the normal part.\n\n"
        "A geodesic that leaves the domain of a manifold from formulas has no end: its row is nan, "
        "--status says so, and the exit status is 1.\n\n" PAIR_FILES,
    .options = options,
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"A quarter of the way round the sphere, from the north pole along the x axis:",
             "echo 0,0,1,1.5707963267948966,0,0 | manistat exp --manifold sphere:2"},
            {"A turn by 1.57 about the z axis, as a rotation vector:",
             "echo 1,0,0,0,0,0,1.57 | manistat exp --manifold so3 "
             "--rotation-vectors"},
            {"A file of points and a file of vectors:",
             "manistat exp --manifold sphere:2 points.csv vectors.csv -o ends.csv"},
            {NULL, NULL},
        },
    .run = run_exp,
};

static mst_status log_rows(pair_job *job, size_t n)
{
    mst_status status = pair_log(job, n);
    if (status != MST_OK)
        return status;
    if (job->cols > job->width)
        for (size_t i = 0; i < n; i++)
            job->rows[(i + 1) * job->cols - 1] = (job->flags[i] & MST_LOG_CUT) != 0;
    return pair_send(job, n, job->v, 0);
}

static mst_status run_log(invocation *inv)
{
    static const pair_operation operation = {.second = 'p',
                                             .prefix = "v",
                                             .coordinates = PAIR_VECTORS,
                                             .json_tail = "cut",
                                             .status = true,
                                             .rows = log_rows};
    return run_pairs(inv, &operation);
}

const command command_log = {
    .name = "log",
    .summary = "finds the tangent vector from x to y: x, y -> Log_x(y)",
    .usage = PAIR_USAGE,
    .description =
        "A row holds two points x and y. Each row gives one row: the tangent vector v at x "
        "with Exp_x(v) = y and |v| = dist(x, y). Where y lies at the cut locus of x (antipodal "
        "points of a sphere) the shortest geodesic is not unique: one is chosen, a warning says "
        "how many rows are affected, and the array 'cut' of --json marks them with "
        "1.\n\n" PAIR_SEARCH PAIR_LIMIT PAIR_FILES,
    .options = options,
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"From the north pole of the sphere towards the x axis:",
             "echo 0,0,1,1,0,0 | manistat log --manifold sphere:2"},
            {"From one rotation to another, as axis times angle:",
             "echo 1,0,0,0,0.8,0.6,0,0 | manistat log --manifold so3 --rotation-vectors"},
            {"From one point to every point of a file:",
             "echo 0,0,1 | manistat log --manifold sphere:2 - points.csv"},
            {NULL, NULL},
        },
    .run = run_log,
};

/* r² = 2t² ∂_t log p + d t at the model's least time t; where rounding leaves nothing of
 * it, the length of t s. */
static mst_status network_distances(pair_job *job, size_t n)
{
    double *norms;
    mst_status status = new_doubles(&norms, n, 1);
    if (status == MST_OK)
        status = pair_network_log(job, n, job->rows);
    if (status == MST_OK)
        status = mst_manifold_norm(job->m, n, job->x, job->v, norms);
    for (size_t i = 0; i < n && status == MST_OK; i++)
        job->rows[i] = job->rows[i] > 0 ? sqrt(job->rows[i]) : norms[i];
    free(norms);
    for (size_t i = 0; i < n; i++)
        job->status[i] = pair_by_network;
    return status == MST_OK ? result_rows_status(job->result, n, job->rows, job->status) : status;
}

static mst_status dist_rows(pair_job *job, size_t n)
{
    if (job->model.net != NULL)
        return network_distances(job, n);
    mst_status status = pair_dist(job, n);
    return status == MST_OK ? result_rows_status(job->result, n, job->rows, job->status) : status;
}

static mst_status run_dist(invocation *inv)
{
    if (option_given(inv, &option_all))
        return run_dist_all(inv);
    static const pair_operation operation = {
        .second = 'p', .lead = "dist", .status = true, .rows = dist_rows};
    return run_pairs(inv, &operation);
}

static const option *const dist_options[] = {
    &option_space,  &option_all,    &option_status,  &option_score_limit, POINT_OPTIONS,
    SHRINK_OPTIONS, OUTPUT_OPTIONS, &option_threads, &option_seed_unused, NULL};

const command command_dist = {
    .name = "dist",
    .summary = "measures geodesic distances: x, y -> dist(x, y)",
    .usage = PAIR_USAGE,
    .description =
        "A row holds two points x and y. The answer is one number per row, the length of the "
        "shortest curve from x to y on the manifold: an angle in radians on circles and spheres, "
        "the rotation angle on so3, the affine-invariant distance on spd.\n\n"
        "With --all rows hold one point each, and the answer is the matrix of the distances of all "
        "pairs, as multidimensional scaling or nearest neighbours need it: of n points n rows and "
        "columns, symmetric with zeros on the diagonal; with two FILEs a row for each point of the "
        "first and a column for each of the second. It is kept in memory, 8 bytes a number, and "
        "refused if it is larger than that.\n\n" PAIR_SEARCH PAIR_LIMIT PAIR_FILES,
    .options = dist_options,
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"A quarter of a great circle, 1.5707963267948966:",
             "echo 0,0,1,1,0,0 | manistat dist --manifold sphere:2"},
            {"From Copenhagen to Sydney, on a globe of radius one:",
             "echo 55.7,12.6,-33.9,151.2 | manistat dist --manifold sphere:2 --latlon"},
            {"The distance matrix of a data set:",
             "manistat dist --manifold sphere:2 --all points.csv -o distances.npy"},
            {NULL, NULL},
        },
    .run = run_dist,
};
