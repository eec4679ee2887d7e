/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pairs.h"
#include "util/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One of the two files. Two rows are read ahead, which is what it takes to know whether it has only one. */
typedef struct side {
    mst_points_reader *reader;
    mst_points_report report;
    const char *path;
    size_t ambient;
    double *ahead; /* (2, ambient) */
    size_t ahead_count, ahead_used;
    bool constant; /* its only row serves for all */
} side;

typedef struct pair_input {
    const mst_manifold *m;
    bool vectors;
    bool rotation_vectors;    /* three numbers, in the frame at the point */
    bool project;             /* take away what is not tangent instead of refusing it */
    uint64_t before;          /* rows handed out */
    mst_points_reader *both;  /* one file with whole pairs, else null */
    mst_points_report report; /* of that */
    side sides[2];
} pair_input;

const option option_rotation_vectors = {
    .name = "rotation-vectors",
    .kind = OPTION_FLAG,
    .help =
        "so3: tangent vectors are rotation vectors, the three numbers axis times angle "
        "(radians) in the axes of the rotation x: y = x exp([w]), where [w] is the matrix of the "
        "cross product with w",
};

/* As mst_points_next, but short only at the end of the file. */
static mst_status fill_rows(mst_points_reader *reader, size_t ambient, size_t max, double *rows,
                            size_t *got)
{
    *got = 0;
    while (*got < max) {
        double *const parts[] = {rows + *got * ambient};
        size_t more;
        mst_status status = mst_points_next(reader, max - *got, parts, &more);
        if (status != MST_OK)
            return status;
        if (more == 0)
            break;
        *got += more;
    }
    return MST_OK;
}

static mst_status side_open(side *s, const mst_manifold *m, const char *layout, const char *path,
                            const mst_points_options *options)
{
    mst_points_options own = *options;
    own.report = &s->report;
    s->path = path;
    s->ambient = strcmp(layout, "w") == 0 ? 3 : mst_manifold_ambient(m);
    mst_status status = new_doubles(&s->ahead, 2, s->ambient);
    if (status == MST_OK)
        status = mst_points_open(&s->reader, m, layout, path, &own);
    if (status == MST_OK)
        status = fill_rows(s->reader, s->ambient, 2, s->ahead, &s->ahead_count);
    return status;
}

static mst_status side_next(side *s, size_t max, double *rows, size_t *got)
{
    size_t size = s->ambient * sizeof *rows;
    for (*got = 0; *got < max && (s->constant || s->ahead_used < s->ahead_count); (*got)++) {
        memcpy(rows + *got * s->ambient, s->ahead + s->ahead_used * s->ambient, size);
        s->ahead_used += !s->constant;
    }
    size_t more;
    mst_status status =
        fill_rows(s->reader, s->ambient, max - *got, rows + *got * s->ambient, &more);
    *got += more;
    return status;
}

/* Rows of another width may hold rotation vectors. */
static mst_status with_advice(const pair_input *in, mst_status status)
{
    const char *detail = mst_error_detail();
    if (status != MST_FORMAT || !in->vectors || in->rotation_vectors ||
        strstr(detail, "; so3 needs ") == NULL)
        return status;
    return mst_fail(status, "%s; vectors of three numbers need --rotation-vectors", detail);
}

static mst_status input_open(pair_input *in, const invocation *inv, const mst_manifold *m,
                             const pair_operation *operation, const mst_points_options *options)
{
    char second = operation->second;
    *in = (pair_input){.m = m, .vectors = second == 'v', .project = options->project};
    in->rotation_vectors = in->vectors && option_given(inv, &option_rotation_vectors);
    if (in->rotation_vectors)
        second = 'w';
    const char *path[2];
    mst_status status = input_path(inv, 0, &path[0]);
    if (status != MST_OK)
        return status;
    const char whole[] = {'p', second, operation->number ? 's' : '\0', '\0'};
    mst_points_options own = *options;
    own.report = &in->report;
    if (inv->operand_count < 2)
        return with_advice(in, mst_points_open(&in->both, m, whole, path[0], &own));
    path[1] = inv->operands[1];
    if (strcmp(path[0], "-") == 0 && strcmp(path[1], "-") == 0)
        return mst_fail(MST_ARGUMENT, "standard input cannot be both files; name one of them");
    for (int k = 0; k < 2 && status == MST_OK; k++) {
        const char part[] = {whole[k], '\0'};
        status = side_open(&in->sides[k], m, part, path[k], options);
    }
    status = with_advice(in, status);
    /* Two single rows are one pair, not an endless supply. */
    in->sides[0].constant = in->sides[0].ahead_count == 1 && in->sides[1].ahead_count != 1;
    in->sides[1].constant = in->sides[1].ahead_count == 1 && in->sides[0].ahead_count != 1;
    return status;
}

/* Vectors from a file of their own meet their points here only; the tolerance is that of the reader of
 * whole rows. */
static mst_status make_tangent(const pair_input *in, size_t n, const double *x, double *v)
{
    const double tolerance = 1e-6;
    const side *vectors = &in->sides[1];
    size_t D = vectors->ambient;
    double *tangent;
    mst_status status = new_doubles(&tangent, n, D);
    if (status == MST_OK)
        status = mst_manifold_tangent(in->m, n, x, v, tangent);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double change = 0, norm = 0, size = 1;
        for (size_t j = i * D; j < (i + 1) * D; j++) {
            change = hypot(change, tangent[j] - v[j]);
            norm = hypot(norm, v[j]);
            size = fmax(size, fabs(x[j]));
        }
        /* Rounding grows with the square of the coordinates on the hyperboloid. */
        if (!in->project && change > tolerance * fmax(1, norm) * size * size)
            status = mst_fail(
                MST_DOMAIN,
                "%s, row %llu: the vector is not tangent (off by %.3g); correct it or "
                "pass --project",
                shown_path(vectors->path),
                vectors->constant ? 1ULL : (unsigned long long)(in->before + i + 1), change);
    }
    if (status == MST_OK)
        memcpy(v, tangent, n * D * sizeof *v);
    free(tangent);
    return status;
}

/* Rotation vectors (n, 3) to vectors at the points x (n, D), in place. */
static mst_status to_ambient(const pair_input *in, size_t n, const double *x, double *v)
{
    double *w;
    mst_status status = new_doubles(&w, n, 3);
    if (status == MST_OK) {
        memcpy(w, v, n * 3 * sizeof *w);
        status = mst_manifold_from_frame(in->m, n, x, w, v);
    }
    free(w);
    return status;
}

static mst_status read_next(pair_input *in, size_t max, double *x, double *y, double *numbers,
                            size_t *got)
{
    if (in->both != NULL) {
        double *const parts[] = {x, y, numbers};
        return mst_points_next(in->both, max, parts, got);
    }
    side *a = &in->sides[0], *b = &in->sides[1];
    size_t count[2];
    mst_status status = side_next(a, max, x, &count[0]);
    if (status == MST_OK)
        status = side_next(b, max, y, &count[1]);
    if (status != MST_OK)
        return status;
    *got = count[0] < count[1] ? count[0] : count[1];
    if (count[0] != count[1] && !a->constant && !b->constant)
        return mst_fail(
            MST_FORMAT, "%s has fewer rows than %s; give as many in both files, or a single one",
            count[0] < count[1] ? a->path : b->path, count[0] < count[1] ? b->path : a->path);
    status = in->vectors && !in->rotation_vectors ? make_tangent(in, *got, x, y) : MST_OK;
    in->before += *got;
    return status;
}

static mst_status input_next(pair_input *in, size_t max, double *x, double *y, double *numbers,
                             size_t *got)
{
    mst_status status = read_next(in, max, x, y, numbers, got);
    return status == MST_OK && in->rotation_vectors ? to_ambient(in, *got, x, y) : status;
}

static void input_tell(const pair_input *in, const invocation *inv)
{
    const char *path = inv->operand_count > 0 ? inv->operands[0] : "-";
    if (in->both != NULL)
        tell_points(inv, in->m, path, &in->report);
    for (int k = 0; k < 2 && in->both == NULL; k++)
        tell_points(inv, in->m, in->sides[k].path, &in->sides[k].report);
}

static void input_close(pair_input *in)
{
    mst_points_reader_free(in->both);
    for (int k = 0; k < 2; k++) {
        mst_points_reader_free(in->sides[k].reader);
        free(in->sides[k].ahead);
    }
}

/* A source that estimates its errors has them stand in JSON. */
static bool is_judged(const pair_job *job)
{
    const mst_score *source = job->model.source;
    return job->operation->valid && source != NULL && mst_score_gives(source, MST_GIVES_VALIDITY);
}

/* Are geodesics of the manifold a closed form, so that every row has an answer? */
static bool is_closed(const mst_manifold *m)
{
    return (mst_manifold_traits_of(m)->closed & MST_CLOSED_EXP) != 0;
}

static mst_status job_open(pair_job *job, invocation *inv, const pair_operation *operation)
{
    *job = (pair_job){.inv = inv, .operation = operation, .options = points_options(inv)};
    mst_status status = model_open(&job->model, inv);
    if (status != MST_OK)
        return status;
    job->m = job->model.m;
    job->model.pairs = true;
    if (operation->check != NULL) {
        status = operation->check(&job->model);
        if (status != MST_OK)
            return status;
    }
    job->ambient = mst_manifold_ambient(job->m);
    job->rotation_vectors = option_given(inv, &option_rotation_vectors);
    if (job->rotation_vectors && mst_manifold_traits_of(job->m)->rows != MST_ROWS_ROTATIONS)
        return mst_fail(MST_ARGUMENT, "--rotation-vectors needs so3, not %s",
                        mst_manifold_spec(job->m));
    if (operation->coordinates == PAIR_POINTS)
        job->width = mst_points_width(job->m, &job->options);
    else if (operation->coordinates == PAIR_VECTORS)
        job->width = job->rotation_vectors ? 3 : job->ambient;
    const result_layout layout = {
        .lead = operation->lead,
        .prefix = operation->prefix,
        .width = job->width,
        .json_tail = is_judged(job) ? "validity" : operation->json_tail,
        .header = operation->header,
        .status = operation->valid ? is_judged(job) : operation->status && !is_closed(job->m),
        .landmark_dim = operation->coordinates == PAIR_POINTS && operation->lead == NULL
                            ? landmark_dim(job->m)
                            : 0};
    status = result_open(&job->result, inv, &layout);
    if (status != MST_OK)
        return status;
    job->cols = result_cols(job->result);
    job->chunk = chunk_rows(job->ambient > job->cols ? job->ambient : job->cols);
    double **const buffers[] = {&job->x, &job->y, &job->v, &job->numbers, &job->coded, &job->rows};
    const size_t cols[] = {job->ambient, job->ambient, job->ambient, 1, job->width, job->cols};
    for (size_t i = 0; i < sizeof cols / sizeof *cols && status == MST_OK; i++)
        status = new_doubles(buffers[i], job->chunk, cols[i]);
    job->flags = malloc(job->chunk);
    if (operation->status)
        job->status = calloc(job->chunk, sizeof *job->status);
    job->ends = malloc(job->chunk * sizeof *job->ends);
    if (status == MST_OK &&
        (job->flags == NULL || job->ends == NULL || (operation->status && job->status == NULL)))
        status = mst_fail(MST_MEMORY, "not enough memory for %zu rows", job->chunk);
    return status;
}

static void job_close(pair_job *job)
{
    free(job->x);
    free(job->y);
    free(job->v);
    free(job->numbers);
    free(job->coded);
    free(job->rows);
    free(job->flags);
    free(job->validity);
    free(job->status);
    free(job->ends);
    result_free(job->result);
    model_close(&job->model);
}

const char pair_by_network[] = "by the network";

mst_status pair_judge(pair_job *job, size_t n)
{
    const mst_pairs pairs = mst_pairs_rows(job->m, n, job->y, job->x, NULL);
    return model_judge(&job->model, job->before, &pairs, 0);
}

mst_status pair_network_log(pair_job *job, size_t n, double *square)
{
    mst_status status = pair_judge(job, n);
    return status == MST_OK
               ? mst_score_network_log(job->model.source, n, job->x, job->y, job->v, square)
               : status;
}

/* By the solver, as mst_manifold_log and mst_manifold_dist do, which do not tell the status of rows. */
static mst_status solve_pairs(pair_job *job, size_t n, double *lengths)
{
    mst_geodesic_options options = mst_geodesic_options_default();
    mst_geodesic_output out = {.length = lengths, .status = job->ends};
    options.best = option_given(job->inv, &option_force);
    options.threads = (int)option_get(job->inv, &option_threads)->count; /* 0: not an option here */
    if (lengths == NULL) {
        options.log_tolerance = 1e-12;
        out.log_x = job->v;
        out.tie = job->flags;
    } else {
        options.tolerance = 1e-10;
    }
    return mst_geodesic_solve(job->m, n, job->x, job->y, &options, &out);
}

/* One by one, to see which rows have no answer. */
static mst_status try_rows(pair_job *job, size_t n, double *lengths)
{
    mst_status status = MST_OK;
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        size_t at = i * job->ambient;
        const double *x = job->x + at, *y = job->y + at;
        status = lengths != NULL ? mst_manifold_dist(job->m, 1, x, y, lengths + i)
                                 : mst_manifold_log(job->m, 1, x, y, job->v + at, job->flags + i);
        if (status != MST_CONVERGENCE)
            continue;
        status = MST_OK;
        job->ends[i] = MST_GEODESIC_NOT_CONVERGED;
        for (size_t k = 0; lengths == NULL && k < job->ambient; k++)
            job->v[at + k] = NAN;
        if (lengths != NULL)
            lengths[i] = NAN;
    }
    return status;
}

static bool is_found(mst_geodesic_status end)
{
    return end <= MST_GEODESIC_LOCAL || end == MST_GEODESIC_ARRIVED;
}

const char pair_beyond_numbers[] = "beyond the range of numbers";

void pair_decline_overflow(pair_job *job, size_t n, size_t cols, double *values)
{
    for (size_t i = 0; i < n; i++) {
        bool finite = true;
        for (size_t k = i * cols; k < (i + 1) * cols; k++)
            finite = finite && isfinite(values[k]);
        if (finite ||
            !is_found(job->ends[i])) /* that rows have no answer was said by who did not find it */
            continue;
        for (size_t k = i * cols; k < (i + 1) * cols; k++)
            values[k] = NAN;
        job->ends[i] = MST_GEODESIC_NOT_CONVERGED;
        job->status[i] = pair_beyond_numbers;
        row_tally_add(&job->tally, job->before + i + 1, job->status[i]);
    }
}

/* job->v and job->flags or, if they are not null, lengths (n); with the status of every row. */
static mst_status find_geodesics(pair_job *job, size_t n, double *lengths)
{
    mst_status status;
    for (size_t i = 0; i < n; i++)
        job->ends[i] = is_closed(job->m) ? MST_GEODESIC_MINIMAL : MST_GEODESIC_LOCAL;
    if (mst_geodesic_is_searched(job->m))
        status = solve_pairs(job, n, lengths);
    else if (lengths != NULL)
        status = mst_manifold_dist(job->m, n, job->x, job->y, lengths);
    else
        status = mst_manifold_log(job->m, n, job->x, job->y, job->v, job->flags);
    if (status == MST_CONVERGENCE)
        status = try_rows(job, n, lengths);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        job->status[i] = mst_geodesic_status_words(job->ends[i]);
        if (!is_found(job->ends[i]))
            row_tally_add(&job->tally, job->before + i + 1, job->status[i]);
    }
    if (status == MST_OK)
        pair_decline_overflow(job, n, lengths != NULL ? 1 : job->ambient,
                              lengths != NULL ? lengths : job->v);
    return status;
}

mst_status pair_log(pair_job *job, size_t n)
{
    if (job->model.net != NULL) {
        memset(job->flags, 0, n);
        for (size_t i = 0; i < n; i++)
            job->status[i] = pair_by_network;
        return pair_network_log(job, n, NULL);
    }
    mst_status status = find_geodesics(job, n, NULL);
    for (size_t i = 0; i < n && status == MST_OK; i++)
        if ((job->flags[i] & MST_LOG_CUT) != 0 && job->cut_count++ == 0)
            job->cut_first = job->before + i + 1;
    return status;
}

mst_status pair_dist(pair_job *job, size_t n)
{
    return find_geodesics(job, n, job->rows);
}

mst_status pair_send(pair_job *job, size_t n, const double *coordinates, size_t first_column)
{
    mst_status status = MST_OK;
    if (job->operation->coordinates == PAIR_POINTS)
        status = mst_points_encode(job->m, n, coordinates, &job->options, job->coded);
    else if (job->operation->coordinates == PAIR_VECTORS && job->rotation_vectors)
        status = mst_manifold_to_frame(job->m, n, job->x, coordinates, job->coded);
    else if (job->operation->coordinates == PAIR_VECTORS)
        status = mst_points_encode_vectors(job->m, n, coordinates, &job->options, job->coded);
    if (status != MST_OK)
        return status;
    place_columns(n, job->width, job->coded, job->cols, first_column, job->rows);
    return job->status != NULL ? result_rows_status(job->result, n, job->rows, job->status)
                               : result_rows(job->result, n, job->rows);
}

/* Row numbers of a failure count the rows of earlier chunks too. */
static mst_status renumber(const pair_job *job, mst_status status)
{
    unsigned long long row;
    int end = 0;
    const char *detail = mst_error_detail();
    if (job->before == 0 || sscanf(detail, "row %llu:%n", &row, &end) != 1 || end == 0)
        return status;
    return mst_fail(status, "row %llu:%s", row + job->before, detail + end);
}

static mst_status work(pair_job *job, pair_input *in, progress *p)
{
    for (;;) {
        size_t n;
        mst_status status = input_next(in, job->chunk, job->x, job->y, job->numbers, &n);
        if (status != MST_OK || n == 0)
            return status;
        status = job->operation->rows(job, n);
        status = status == MST_OK ? status : renumber(job, status);
        if (status == MST_OK)
            status = progress_advance(p, (double)n);
        if (status != MST_OK)
            return status;
        job->before += n;
    }
}

static mst_status finish(pair_job *job)
{
    mst_json *json = result_json(job->result, mst_manifold_spec(job->m));
    if (json != NULL) {
        mst_json_key(json, "n");
        mst_json_integer(json, job->before);
        mst_json_key(json, "score");
        mst_json_string(json, job->model.score);
        if (job->model.outside.of > 0)
            model_json_outside(&job->model, json);
        if (job->operation->members != NULL)
            job->operation->members(job, json);
    }
    mst_status status = result_finish(job->result);
    if (status == MST_OK && job->cut_count > 0)
        warn(job->inv,
             "warning: %llu %s at the cut locus (the first is row %llu), where several shortest "
             "geodesics exist or their direction is lost in rounding; one was chosen",
             (unsigned long long)job->cut_count, job->cut_count == 1 ? "row" : "rows",
             (unsigned long long)job->cut_first);
    status = row_tally_conclude(&job->tally, job->inv, job->before, "rows", status);
    return model_conclude(&job->model, status);
}

mst_status run_pairs(invocation *inv, const pair_operation *operation)
{
    pair_job job;
    pair_input in = {0};
    progress p = progress_start(inv, "rows", 0);
    mst_status status = job_open(&job, inv, operation);
    if (status == MST_OK)
        status = input_open(&in, inv, job.m, operation, &job.options);
    if (status == MST_OK)
        status = work(&job, &in, &p);
    progress_end(&p);
    if (status == MST_OK)
        input_tell(&in, inv);
    if (status == MST_OK)
        status = finish(&job);
    input_close(&in);
    job_close(&job);
    return status;
}
