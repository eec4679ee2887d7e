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

static const option option_errors = {
    .name = "errors",
    .kind = OPTION_FLAG,
    .help = "with --score bridge: four more columns after dt_logp, the standard errors logp_se, "
            "dt_logp_se and score_se (the root of the sum over the components) and the effective "
            "number of paths, ess; --json always has them",
};

/* The library counts the rows of a chunk; the message has to count those of the file. */
static const char valid[] = "valid";

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

/* A row without an answer: with --force the best there is. */
static void decline_row(pair_job *job, size_t i, const char *why, const mst_heat_values *values)
{
    job->status[i] = why;
    row_tally_add(&job->tally, job->before + i + 1, why);
    if (option_given(job->inv, &option_force))
        return;
    values->log_p[i] = values->dt_log_p[i] = NAN;
    for (size_t k = i * job->ambient; k < (i + 1) * job->ambient; k++)
        values->score[k] = NAN;
}

static void judge_row(pair_job *job, size_t i, const mst_heat_values *values)
{
    double v = job->validity[i];
    const mst_score_info *info = mst_score_describe(job->model.source);
    if (!(v < MST_VALIDITY_LIMIT))
        decline_row(job, i, isinf(v) ? info->none : info->beyond, values);
}

/* Far points and extreme times lead beyond what doubles can hold. */
static void decline_overflow(pair_job *job, size_t n, const mst_heat_values *values)
{
    const mst_score *s = job->model.source;
    bool knows_log_p = s == NULL || mst_score_gives(s, MST_GIVES_LOG_P);
    for (size_t i = 0; i < n; i++) {
        bool finite = isfinite(values->dt_log_p[i]) && (isfinite(values->log_p[i]) || !knows_log_p);
        for (size_t k = i * job->ambient; k < (i + 1) * job->ambient; k++)
            finite = finite && isfinite(values->score[k]);
        if (!finite && job->status[i] == valid)
            decline_row(job, i, pair_beyond_numbers, values);
    }
}

static mst_status judged_rows(pair_job *job, size_t n, const mst_heat_values *values)
{
    const mst_pairs pairs = mst_pairs_rows(job->m, n, job->x, job->y, job->numbers);
    mst_status status = job->validity == NULL ? new_doubles(&job->validity, job->chunk, 1) : MST_OK;
    if (status == MST_OK)
        status = mst_score_validity(job->model.source, &pairs, values, job->validity);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        judge_row(job, i, values);
        if (job->cols > job->width + 2)
            job->rows[(i + 1) * job->cols - 1] = job->validity[i];
    }
    return status;
}

/* A source may not know log p, as networks do not. */
static mst_status source_rows(pair_job *job, size_t n, const mst_heat_values *values)
{
    mst_heat_values known = *values;
    if (mst_score_gives(job->model.source, MST_GIVES_VALIDITY))
        return judged_rows(job, n, values);
    for (size_t i = 0; i < n; i++)
        values->log_p[i] = NAN;
    if (!mst_score_gives(job->model.source, MST_GIVES_LOG_P))
        known.log_p = NULL;
    return mst_score_evaluate_rows(job->model.source, n, job->x, job->y, job->numbers, &known);
}

/* Do rows have standard errors, behind the first two columns? */
static bool has_errors(const invocation *inv)
{
    return asks_for_bridges(inv) &&
           (option_given(inv, &option_errors) || option_given(inv, &option_json));
}

enum { ERRORS = 4 };

/* Few paths carry the weight of such a row: its standard errors are not to be trusted. */
static const double least_ess = 30;
/* And such a row is answered by a path or two, which tells nothing; unless no more were asked for. */
static const double hopeless_ess = 3, hopeless_share = 0.1;

static void warn_ess(pair_job *job, size_t n, const double *ess)
{
    size_t few = 0, first = 0;
    for (size_t i = n; i-- > 0;)
        if (ess[i] < least_ess) {
            few++;
            first = i;
        }
    if (few > 0)
        warn(job->inv,
             "warning: row %llu%s: the effective number of paths is %.3g, below %g, and values "
             "and errors are not to be trusted; take more: --score bridge?paths=%zu",
             (unsigned long long)job->before + first + 1, few > 1 ? " and others" : "", ess[first],
             least_ess, 10 * mst_score_bridge(job->model.source)->paths);
}

static void decline_hopeless(pair_job *job, size_t n, const mst_heat_values *values, double *errors)
{
    size_t paths = mst_score_bridge(job->model.source)->paths;
    const double *ess = errors + 3 * n;
    for (size_t i = 0; i < n; i++) {
        if (ess[i] >= fmin(hopeless_ess, hopeless_share * (double)paths))
            continue;
        decline_row(job, i, "one or two of the bridges carry all the weight", values);
        for (size_t k = 0; k < 3 && !option_given(job->inv, &option_force); k++)
            errors[k * n + i] = NAN;
    }
}

static mst_status bridge_rows(pair_job *job, size_t n, const mst_heat_values *values)
{
    mst_bridge_options o = *mst_score_bridge(job->model.source);
    mst_pairs pairs = mst_pairs_rows(job->m, n, job->x, job->y, job->numbers);
    double *errors;
    pairs.first = job->before;
    o.threads = (int)option_get(job->inv, &option_threads)->count;
    mst_status status = new_doubles(&errors, n, ERRORS);
    mst_bridge_values all = {.log_p = values->log_p,
                             .dt_log_p = values->dt_log_p,
                             .score = values->score,
                             .log_p_se = errors,
                             .dt_log_p_se = errors + n,
                             .score_se = errors + 2 * n,
                             .ess = errors + 3 * n};
    if (status == MST_OK)
        status = mst_bridge_pairs(job->m, &pairs, &o, &all);
    if (status == MST_OK) {
        warn_ess(job, n, all.ess);
        decline_hopeless(job, n, values, errors);
    }
    for (size_t k = 0; status == MST_OK && has_errors(job->inv) && k < ERRORS; k++)
        place_columns(n, 1, errors + k * n, job->cols, 2 + k, job->rows);
    free(errors);
    return status;
}

static mst_status evaluate(pair_job *job, size_t n, const mst_heat_values *values)
{
    int threads = (int)option_get(job->inv, &option_threads)->count;
    if (job->model.source != NULL && mst_score_bridge(job->model.source) != NULL)
        return bridge_rows(job, n, values);
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
    for (size_t i = 0; i < n; i++)
        job->status[i] = valid;
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
    if (status == MST_OK)
        decline_overflow(job, n, &values);
    if (status == MST_OK && with_energy)
        status = mst_network_energy(job->model.net, n, job->x, job->y, job->numbers, energy);
    if (status == MST_OK) {
        place_columns(n, 1, log_p, job->cols, 0, job->rows);
        place_columns(n, 1, dt, job->cols, 1, job->rows);
        if (with_energy)
            place_columns(n, 1, energy, job->cols, 2, job->rows);
        status = pair_send(job, n, job->v, with_energy ? 3 : has_errors(job->inv) ? 2 + ERRORS : 2);
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

static mst_status check(model *o)
{
    const option_value *time = option_get(o->inv, &option_time);
    char what[64];
    mst_status status = model_require_time(o);
    if (status == MST_OK)
        status = model_open_likelihood(o);
    if (status != MST_OK)
        return status;
    if (option_given(o->inv, &option_energy) && (o->net == NULL || !o->info.energy))
        return mst_fail(MST_ARGUMENT,
                        "--energy is for models that are energies (train --energy)%s%s",
                        o->net == NULL ? "; pass one with --score" : ", and this is none: ",
                        o->net == NULL ? "" : o->score);
    if (option_given(o->inv, &option_errors) && !asks_for_bridges(o->inv))
        return mst_fail(
            MST_ARGUMENT,
            "--errors is for --score bridge: the other sources have no standard errors");
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
        .lead = option_given(inv, &option_energy) ? "logp,dt_logp,energy"
                : has_errors(inv)                 ? "logp,dt_logp,logp_se,dt_logp_se,score_se,ess"
                                                  : "logp,dt_logp",
        .prefix = "score",
        .coordinates = PAIR_VECTORS,
        .header = true,
        .status = true,
        .valid = true,
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
        "'manistat manifolds' says which manifolds have a closed form (column heat). Elsewhere, or "
        "with --score expansion, the expansion for small times answers, and estimates its own "
        "relative error row by row (validity in --json): rows from 0.01 on are nan, a message "
        "counts them, the exit status is 1, and --force prints the best values instead. --score "
        "pde solves the heat equation itself, on surfaces that have one chart, and judges its rows "
        "by a second grid in the same way; --score spectral sums over eigenfunctions, on closed "
        "surfaces and at times that are not short. A model "
        "(--score FILE) gives the derivatives of log p only, and logp is nan. --score bridge "
        "simulates on any manifold, with standard errors (--errors). With "
        "--degrees points and score are in degrees, but t stays in radians squared.\n\n"
        "With --time rows hold x and y only. " PAIR_FILES,
    .options =
        (const option *const[]){&option_space, &option_time, &option_score, &option_errors,
                                &option_energy, &option_status, POINT_OPTIONS, SHRINK_OPTIONS,
                                &option_seed, &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = PAIR_OPERANDS,
    .examples =
        (const example[]){
            {"From the north pole of the sphere to the equator in time 0.5:",
             "echo 0,0,1,1,0,0,0.5 | manistat heat --manifold sphere:2"},
            {"How likely is each point of a file after time 0.2, starting at the pole?",
             "echo 0,0,1 | manistat heat --manifold sphere:2 --time 0.2 - points.csv"},
            {"By simulated bridges, which need no closed form:",
             "echo 0,0,1,1,0,0,1 | manistat heat --manifold sphere:2 --score bridge"},
            {"Two covariance matrices, given as upper triangles, and the time 1:",
             "echo 2,0,1,1,0.5,3,1 | manistat heat --manifold spd:2"},
            {NULL, NULL},
        },
    .run = run,
};
