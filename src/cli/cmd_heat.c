/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "pairs.h"
#include "util/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const option option_time = {
    .name = "time",
    .kind = OPTION_POSITIVE,
    .value = "T",
    .example = "0.5",
    .help = "the time of all rows, which then have no t column",
};

static const option option_energy = {
    .name = "energy",
    .kind = OPTION_FLAG,
    .help = "with a model made by train --energy: one more column after dt_logp, energy, which is "
            "log p up to a function of x and t",
};

/* The library counts the rows of a chunk; the message has to count those of the file. */
static mst_status check_times(pair_job *job, size_t n)
{
    const char *path;
    mst_status status = input_path(job->inv, 0, &path);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        unsigned long long row = job->before + i + 1;
        double t = job->numbers[i];
        char what[256];
        if (!(t > 0))
            return mst_fail(MST_DOMAIN,
                            "%s, row %llu: the time is %g; the last column, t, must be positive",
                            shown_path(path), row, t);
        if (job->model.net != NULL) {
            snprintf(what, sizeof what, "%.150s, row %llu: the time %g", shown_path(path), row, t);
            status = model_check_time(&job->model, what, t);
            if (status == MST_OK)
                model_warn_time(&job->model, t);
        }
    }
    return status;
}

/* Points where the training has not been. */
static mst_status warn_reach(pair_job *job, size_t n)
{
    const char *path;
    mst_status status = input_path(job->inv, 0, &path);
    if (status == MST_OK)
        status = model_warn_reach(&job->model, path, job->before, n, job->x);
    if (status == MST_OK) {
        path = job->inv->operand_count > 1 ? job->inv->operands[1] : path;
        status = model_warn_reach(&job->model, path, job->before, n, job->y);
    }
    return status;
}

/* A source may not know log p, as networks do not. */
static mst_status source_rows(pair_job *job, size_t n, const mst_heat_values *values)
{
    mst_heat_values known = *values;
    for (size_t i = 0; i < n; i++)
        values->log_p[i] = NAN;
    if (!mst_score_gives(job->model.source, MST_GIVES_LOG_P))
        known.log_p = NULL;
    return mst_score_evaluate_rows(job->model.source, n, job->x, job->y, job->numbers, &known);
}

static mst_status evaluate(pair_job *job, size_t n, const mst_heat_values *values)
{
    int threads = (int)option_get(job->inv, &option_threads)->count;
    if (job->model.source != NULL)
        return source_rows(job, n, values);
    if (job->operation->number)
        return mst_heat_kernel_times(job->m, n, job->x, job->y, job->numbers, threads, values);
    return mst_heat_kernel(job->m, n, job->x, job->y, job->numbers[0], threads, values);
}

static mst_status heat_rows(pair_job *job, size_t n)
{
    double *log_p, *dt, *energy;
    mst_status status = new_doubles(&log_p, n, 3);
    if (status != MST_OK)
        return status;
    dt = log_p + n;
    energy = dt + n;
    bool with_energy = option_given(job->inv, &option_energy);
    const mst_heat_values values = {.log_p = log_p, .dt_log_p = dt, .score = job->v};
    if (job->operation->number)
        status = check_times(job, n);
    else
        for (size_t i = 0; i < n; i++)
            job->numbers[i] = option_get(job->inv, &option_time)->number;
    if (status == MST_OK)
        status = warn_reach(job, n);
    if (status == MST_OK && !job->operation->number)
        model_warn_time(&job->model, job->numbers[0]);
    if (status == MST_OK)
        status = evaluate(job, n, &values);
    if (status == MST_OK && with_energy)
        status = mst_network_energy(job->model.net, n, job->x, job->y, job->numbers, energy);
    if (status == MST_OK) {
        place_columns(n, 1, log_p, job->cols, 0, job->rows);
        place_columns(n, 1, dt, job->cols, 1, job->rows);
        if (with_energy)
            place_columns(n, 1, energy, job->cols, 2, job->rows);
        status = pair_send(job, n, job->v, with_energy ? 3 : 2);
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
}

static mst_status check(const model *o)
{
    const option_value *time = option_get(o->inv, &option_time);
    char what[64];
    mst_status status = model_require_time(o);
    if (status != MST_OK)
        return status;
    if (option_given(o->inv, &option_energy) && (o->net == NULL || !o->info.energy))
        return mst_fail(MST_ARGUMENT,
                        "--energy is for models that are energies (train --energy)%s%s",
                        o->net == NULL ? "; pass one with --score" : ", and this is none: ",
                        o->net == NULL ? "" : o->score);
    if (o->source == NULL)
        return mst_heat_require_exact(o->m);
    if (!time->given)
        return MST_OK;
    snprintf(what, sizeof what, "--time %.40s", time->text);
    return model_check_time(o, what, time->number);
}

static mst_status run(invocation *inv)
{
    bool one_time = option_given(inv, &option_time);
    if (!one_time && inv->operand_count > 1)
        return mst_fail(MST_ARGUMENT, "two files hold no times; give one for all rows: --time %s",
                        option_time.example);
    const pair_operation operation = {
        .second = 'p',
        .number = !one_time,
        .lead = option_given(inv, &option_energy) ? "logp,dt_logp,energy" : "logp,dt_logp",
        .prefix = "score",
        .coordinates = PAIR_VECTORS,
        .header = true,
        .check = check,
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
        "at x, at time t; in flat space it is the normal density with "
        "variance t. The result is a table with the header logp,dt_logp,score_1,...: for each "
        "row log p, its derivative with respect to t, and the score, which is the gradient of "
        "log p with respect to y, a tangent vector at y that points towards x when t is small. "
        "All of them stay accurate where p itself is too small for a double.\n\n"
        "'manistat manifolds' says which manifolds have a closed form (column heat). A model "
        "(--score FILE) gives the derivatives of log p only, and logp is nan. With "
        "--degrees points and score are in degrees, but t stays in radians squared.\n\n"
        "With --time rows hold x and y only. " PAIR_FILES,
    .options = (const option *const[]){&option_space, &option_time, &option_score, &option_energy,
                                       POINT_OPTIONS, &option_threads, &option_seed_unused,
                                       OUTPUT_OPTIONS, NULL},
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"From the north pole of the sphere to the equator in time 0.5:",
             "echo 0,0,1,1,0,0,0.5 | manistat heat --manifold sphere:2"},
            {"How likely is each point of a file after time 0.2, starting at the pole?",
             "echo 0,0,1 | manistat heat --manifold sphere:2 --time 0.2 - points.csv"},
            {"Two covariance matrices, given as upper triangles, and the time 1:",
             "echo 2,0,1,1,0.5,3,1 | manistat heat --manifold spd:2"},
            {NULL, NULL},
        },
    .run = run,
};
