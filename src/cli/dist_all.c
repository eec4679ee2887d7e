/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "dist_all.h"

#include "pairs.h"

#include "model.h"
#include "result.h"
#include "row_status.h"

#include <manistat/distances.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const option option_all = {
    .name = "all",
    .kind = OPTION_FLAG,
    .help = "the distances of all pairs of points: one FILE of points gives a symmetric matrix, "
            "two give one with a row for each point of the first and a column for each of the "
            "second",
};

/* The points of one file. */
typedef struct points {
    const char *path;
    size_t n;
    double *x; /* (n, D) */
    mst_points_report report;
} points;

typedef struct all_job {
    invocation *inv;
    model model;
    bool square; /* one file: every pair once */
    points rows, cols;
    double *distances;           /* (rows, cols) */
    mst_geodesic_status *status; /* the same; null if every pair has an answer */
    result *table;               /* without --json */
    mst_output *sink;            /* with it */
    mst_json *json;
} all_job;

static mst_status check_options(all_job *job)
{
    if (option_given(job->inv, &option_status))
        return mst_fail(MST_ARGUMENT,
                        "--status is a column of words, which a matrix of distances has no place "
                        "for; with --json instead, --all gives the status of every pair");
    mst_status status = model_open(&job->model, job->inv);
    if (status == MST_OK && job->model.net != NULL)
        status = mst_fail(MST_ARGUMENT,
                          "--all measures on the manifold, not by a model; leave out --score, or "
                          "leave out --all and give the pairs as rows");
    return status;
}

static mst_status read_points(all_job *job, size_t operand, points *p)
{
    mst_points_options options = points_options(job->inv);
    options.report = &p->report;
    mst_status status = input_path(job->inv, operand, &p->path);
    return status == MST_OK ? mst_points_read(&p->x, &p->n, job->model.m, p->path, &options)
                            : status;
}

static mst_status read_all(all_job *job)
{
    const invocation *inv = job->inv;
    job->square = inv->operand_count < 2;
    if (!job->square && strcmp(inv->operands[0], "-") == 0 && strcmp(inv->operands[1], "-") == 0)
        return mst_fail(MST_ARGUMENT,
                        "standard input cannot be both files; name it once for the distances "
                        "within it");
    mst_status status = read_points(job, 0, &job->rows);
    if (status == MST_OK && !job->square)
        status = read_points(job, 1, &job->cols);
    if (status == MST_OK && job->square && job->rows.n < 2)
        status = mst_fail(MST_FORMAT,
                          "%s has a single row, which makes no pair; give more rows, or a second "
                          "FILE with the points to measure to",
                          shown_path(job->rows.path));
    return status;
}

static size_t col_count(const all_job *job)
{
    return job->square ? job->rows.n : job->cols.n;
}

static uint64_t pair_count(const all_job *job)
{
    uint64_t n = job->rows.n;
    return job->square ? n * (n - 1) / 2 : n * job->cols.n;
}

/* Has every pair an answer, by a formula? */
static bool always_answers(const mst_manifold *m)
{
    const unsigned both = MST_CLOSED_EXP | MST_CLOSED_DIST;
    return (mst_manifold_traits_of(m)->closed & both) == both && !mst_geodesic_is_searched(m);
}

/* Room for the matrix, unless it is larger than the memory of the machine: an allocation may succeed even
 * then, and the process be killed hours later. */
static mst_status new_matrix(all_job *job)
{
    bool closed = always_answers(job->model.m);
    size_t bytes = sizeof *job->distances + (closed ? 0 : sizeof *job->status);
    double gigabytes = 1e-9 * (double)job->rows.n * (double)col_count(job) * (double)bytes;
    double memory = 1e-9 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (gigabytes > memory)
        return mst_fail(MST_MEMORY,
                        "the distances of %zu by %zu points take %.3g GB, and there are %.3g GB of "
                        "memory; measure from a part of the points at a time: dist --all PART FILE",
                        job->rows.n, col_count(job), gigabytes, memory);
    if (gigabytes > 1)
        warn(job->inv, "the distances of %zu by %zu points take %.3g GB of memory", job->rows.n,
             col_count(job), gigabytes);
    mst_status status = new_doubles(&job->distances, job->rows.n, col_count(job));
    if (status == MST_OK && !closed) {
        job->status = calloc(job->rows.n, col_count(job) * sizeof *job->status);
        if (job->status == NULL)
            status = mst_fail(MST_MEMORY, "not enough memory for the status of %zu by %zu pairs",
                              job->rows.n, col_count(job));
    }
    return status;
}

static mst_status open_output(all_job *job)
{
    if (option_given(job->inv, &option_json))
        return json_begin(job->inv, &job->sink, &job->json);
    const result_layout layout = {.prefix = "dist", .width = col_count(job)};
    return result_open(&job->table, job->inv, &layout);
}

static mst_status measure(all_job *job)
{
    double pairs = (double)pair_count(job);
    progress p = progress_start(job->inv, "pairs", pairs);
    mst_distances_options o = mst_distances_options_default();
    o.threads = (int)option_get(job->inv, &option_threads)->count;
    o.best = option_given(job->inv, &option_force);
    o.progress = progress_callback(&p, pairs);
    mst_status status =
        job->square ? mst_distance_matrix(job->model.m, job->rows.n, job->rows.x, &o,
                                          job->distances, job->status)
                    : mst_distances_between(job->model.m, job->rows.n, job->rows.x, job->cols.n,
                                            job->cols.x, &o, job->distances, job->status);
    progress_end(&p);
    /* Far points lead beyond what doubles can hold. */
    for (size_t k = 0; status == MST_OK && k < job->rows.n * col_count(job); k++)
        if (isinf(job->distances[k]))
            job->distances[k] = NAN;
    return status;
}

static void write_json(const all_job *job)
{
    mst_json *j = job->json;
    size_t cols = col_count(job);
    json_member_string(j, "manifold", mst_manifold_spec(job->model.m));
    json_member_integer(j, "n", job->rows.n);
    json_member_integer(j, "columns", cols);
    json_member_string(j, "score", job->model.score);
    mst_json_key(j, "distances");
    mst_json_array(j);
    for (size_t i = 0; i < job->rows.n; i++)
        mst_json_numbers(j, cols, job->distances + i * cols, 1);
    mst_json_end(j);
    if (job->status == NULL)
        return;
    mst_json_key(j, "status");
    mst_json_array(j);
    for (size_t i = 0; i < job->rows.n; i++) {
        mst_json_array(j);
        for (size_t k = 0; k < cols; k++)
            mst_json_string(j, mst_geodesic_status_words(job->status[i * cols + k]));
        mst_json_end(j);
    }
    mst_json_end(j);
}

static mst_status write_matrix(all_job *job)
{
    if (job->json != NULL) {
        write_json(job);
        json_end(job->inv, &job->sink, &job->json);
        return MST_OK;
    }
    mst_status status = result_rows(job->table, job->rows.n, job->distances);
    return status == MST_OK ? result_finish(job->table) : status;
}

/* Pairs without an answer, each once. */
static mst_status conclude(const all_job *job)
{
    row_tally tally = {0};
    size_t cols = col_count(job);
    for (size_t i = 0; i < job->rows.n; i++)
        for (size_t k = job->square ? i + 1 : 0; k < cols; k++)
            if (job->status != NULL && job->status[i * cols + k] > MST_GEODESIC_LOCAL)
                row_tally_add_pair(&tally, i + 1, k + 1,
                                   mst_geodesic_status_words(job->status[i * cols + k]));
            else if (isnan(job->distances[i * cols + k]))
                row_tally_add_pair(&tally, i + 1, k + 1, pair_beyond_numbers);
    return row_tally_conclude(&tally, job->inv, pair_count(job), "pairs", MST_OK);
}

mst_status run_dist_all(invocation *inv)
{
    all_job job = {.inv = inv};
    mst_status status = check_options(&job);
    if (status == MST_OK)
        status = read_all(&job);
    if (status == MST_OK)
        status = new_matrix(&job);
    if (status == MST_OK)
        status = open_output(&job);
    if (status == MST_OK)
        status = measure(&job);
    if (status == MST_OK) {
        tell_points(inv, job.model.m, job.rows.path, &job.rows.report);
        if (!job.square)
            tell_points(inv, job.model.m, job.cols.path, &job.cols.report);
        status = write_matrix(&job);
    }
    if (status == MST_OK)
        status = conclude(&job);
    mst_points_free(job.rows.x);
    mst_points_free(job.cols.x);
    free(job.distances);
    free(job.status);
    result_free(job.table);
    mst_json_free(job.json);
    mst_output_free(job.sink);
    model_close(&job.model);
    return status;
}
