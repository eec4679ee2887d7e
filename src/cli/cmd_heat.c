/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "pairs.h"

#include <stdlib.h>

static const char *const sources[] = {"exact", NULL};

static const option option_time = {
    .name = "time",
    .kind = OPTION_POSITIVE,
    .value = "T",
    .example = "0.5",
    .help = "the time of all rows, which then have no t column",
};

static const option option_score = {
    .name = "score",
    .kind = OPTION_CHOICE,
    .choices = sources,
    .value = "SOURCE",
    .fallback = "exact",
    .example = "exact",
    .help = "where the numbers come from: exact (the closed form, where there is one)",
};

/* The library counts the rows of a chunk; the message has to count those of the file. */
static mst_status check_times(const pair_job *job, size_t n)
{
    size_t i = 0;
    while (i < n && job->numbers[i] > 0)
        i++;
    if (i == n)
        return MST_OK;
    const char *path;
    mst_status status = input_path(job->inv, 0, &path);
    if (status != MST_OK)
        return status;
    unsigned long long row = job->before + i + 1;
    return mst_fail(MST_DOMAIN,
                    "%s, row %llu: the time is %g; the last column, t, must be positive",
                    shown_path(path), row, job->numbers[i]);
}

static mst_status heat_rows(pair_job *job, size_t n)
{
    double *log_p, *dt, time = option_get(job->inv, &option_time)->number;
    int threads = (int)option_get(job->inv, &option_threads)->count;
    mst_status status = new_doubles(&log_p, n, 2);
    if (status != MST_OK)
        return status;
    dt = log_p + n;
    const mst_heat_values values = {.log_p = log_p, .dt_log_p = dt, .score = job->v};
    if (!job->operation->number) {
        status = mst_heat_kernel(job->m, n, job->x, job->y, time, threads, &values);
    } else {
        status = check_times(job, n);
        if (status == MST_OK)
            status =
                mst_heat_kernel_times(job->m, n, job->x, job->y, job->numbers, threads, &values);
    }
    if (status == MST_OK) {
        place_columns(n, 1, log_p, job->cols, 0, job->rows);
        place_columns(n, 1, dt, job->cols, 1, job->rows);
        status = pair_send(job, n, job->v, 2);
    }
    free(log_p);
    return status;
}

static void members(const pair_job *job, mst_json *json)
{
    if (option_given(job->inv, &option_time)) {
        mst_json_key(json, "time");
        mst_json_number(json, option_get(job->inv, &option_time)->number);
    }
    mst_json_key(json, "score");
    mst_json_string(json, option_get(job->inv, &option_score)->text);
}

static mst_status run(invocation *inv)
{
    bool one_time = option_given(inv, &option_time);
    if (!one_time && inv->operand_count > 1)
        return mst_fail(MST_ARGUMENT, "two files hold no times; give one for all rows: --time %s",
                        option_time.example);
    const pair_operation operation = {.second = 'p',
                                      .number = !one_time,
                                      .lead = "logp,dt_logp",
                                      .prefix = "score",
                                      .coordinates = PAIR_VECTORS,
                                      .header = true,
                                      .check = mst_heat_require_exact,
                                      .rows = heat_rows,
                                      .members = members};
    return run_pairs(inv, &operation);
}

const command command_heat = {
    .name = "heat",
    .summary = "evaluates heat kernels: x, y, t -> log p and its derivatives",
    .usage = PAIR_USAGE,
    .description =
        "A row holds two points x and y and a time t > 0. p_t(x, y) is the density, with respect "
        "to volume, of Brownian motion (generator half the Laplace-Beltrami operator) that starts "
        "at x and is looked at after the time t; in flat space it is the normal density with "
        "variance t. The answer is a table with the header logp,dt_logp,score_1,...: for each "
        "row log p, its derivative with respect to t, and the score, which is the gradient of "
        "log p with respect to y, a tangent vector at y that points towards x when t is small. "
        "All numbers keep their digits where p itself is too small for a double.\n\n"
        "'manistat manifolds' says which manifolds have a closed form (column heat). With "
        "--degrees points and score are in degrees, but t stays in radians squared.\n\n"
        "With --time rows hold x and y only. " PAIR_FILES,
    .options = (const option *const[]){&option_manifold, &option_time, &option_score, POINT_OPTIONS,
                                       &option_threads, &option_seed_unused, OUTPUT_OPTIONS, NULL},
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"From the north pole of the sphere to the equator in the time 0.5:",
             "echo 0,0,1,1,0,0,0.5 | manistat heat --manifold sphere:2"},
            {"How likely is each point of a file after the time 0.2, starting at the pole?",
             "echo 0,0,1 | manistat heat --manifold sphere:2 --time 0.2 - points.csv"},
            {"Two covariance matrices, given as upper triangles, and the time 1:",
             "echo 2,0,1,1,0.5,3,1 | manistat heat --manifold spd:2"},
            {NULL, NULL},
        },
    .run = run,
};
