/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Gradients of rows, one by one and added up over those that depend on each other. */
#include "stat/fit_sums.h"

#include "manifold/internal.h"

#include <string.h>

typedef struct gradient_job {
    fit_sum_job sum;
    double *out;       /* (n, d + 1) */
    double *y, *times; /* (n, D), (n): predictions of the rows where each has its own; else null */
} gradient_job;

static mst_status block_gradients(void *context, size_t begin, size_t end)
{
    const gradient_job *j = context;
    const fit_rows *rows = &j->sum.model->rows[j->sum.group];
    const mst_manifold *m = mst_score_manifold(j->sum.model->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), n = end - begin;
    const fit_model *model = j->sum.model;
    bool per_row = model->ops->per_row, timed = mst_score_gives(model->source, MST_GIVES_TIME);
    double *t = j->times != NULL ? j->times + begin : NULL;
    fit_row_work s;
    MST_TRY(fit_row_work_new(&s, &j->sum, n));
    mst_heat_values values = fit_wanted(&j->sum, &s);
    mst_pairs pairs = {.n = n,
                       .x = rows->x + begin * D,
                       .y = per_row ? j->y + begin * D : j->sum.y,
                       .t = per_row ? t : &j->sum.time,
                       .y_stride = per_row ? D : 0,
                       .t_stride = per_row ? 1 : 0,
                       .first = rows->first + begin};
    mst_status status = MST_OK;
    if (per_row)
        status =
            model->ops->predict(model, j->sum.state, j->sum.group, begin, n, j->y + begin * D, t);
    for (size_t i = 0; per_row && !timed && i < n; i++)
        t[i] = 1;
    if (status == MST_OK)
        status = mst_score_evaluate(fit_source(model), &pairs, &values);
    if (status == MST_OK)
        status = per_row ? mst_manifold_to_frame(m, n, pairs.y, s.score, s.c)
                         : mst_to_frame_at(m, n, j->sum.y, s.score, s.c);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double *out = j->out + (begin + i) * (d + 1);
        memcpy(out, s.c + i * d, d * sizeof *out);
        out[d] = (per_row ? t[i] : j->sum.time) * s.dt[i];
    }
    mst_release(s.memory);
    return status;
}

/* y: (D), or (n, D) where rows have a prediction each. */
static mst_status gradients_of(const fit_model *m, const double *state, size_t group, double *y,
                               double *gradients)
{
    double time = 1, *times = NULL;
    mst_status status = m->ops->per_row ? mst_allocate(&times, m->rows[group].n)
                                        : m->ops->predict(m, state, group, 0, 1, y, &time);
    gradient_job j = {.sum = {.model = m,
                              .state = state,
                              .group = group,
                              .y = y,
                              .time = mst_score_gives(m->source, MST_GIVES_TIME) ? time : 1},
                      .out = gradients,
                      .y = y,
                      .times = times};
    if (status == MST_OK)
        status = mst_parallel_blocks(m->rows[group].n, fit_is_slow(m->source) ? 32 : FIT_ROWS,
                                     m->threads, (mst_progress){0}, block_gradients, &j);
    mst_release(times);
    return status;
}

static size_t predictions(const fit_model *m, size_t group)
{
    size_t D = mst_manifold_ambient(mst_score_manifold(m->source));
    return m->ops->per_row ? m->rows[group].n * D : D;
}

mst_status fit_row_gradients(const fit_model *m, const double *state, size_t group,
                             double *gradients)
{
    double *y;
    MST_TRY(mst_allocate(&y, predictions(m, group)));
    mst_status status = gradients_of(m, state, group, y, gradients);
    mst_release(y);
    return status;
}

/* Adds the rows of a group; local (n, d + 1) are their gradients, y what was predicted. */
static mst_status add_group(const fit_model *m, const double *state, size_t group, const size_t *of,
                            const double *y, double *local, double *sums)
{
    const fit_rows *rows = &m->rows[group];
    size_t D = mst_manifold_ambient(mst_score_manifold(m->source));
    size_t L = mst_manifold_dim(mst_score_manifold(m->source)) + 1;
    for (size_t i = 0; i < rows->n; i++) {
        double weight = rows->weights != NULL ? rows->weights[i] : 1;
        fit_slice slice = {
            .group = group, .first = i, .n = 1, .y = m->ops->per_row ? y + i * D : y};
        size_t number = of != NULL ? of[rows->first + i] : rows->first + i;
        if (weight == 0)
            continue;
        for (size_t k = 0; k < L; k++)
            local[i * L + k] *= weight;
        MST_TRY(m->ops->pull(m, state, &slice, local + i * L, sums + number * m->parameters));
    }
    return MST_OK;
}

mst_status fit_cluster_gradients(const fit_model *m, const double *state, size_t count,
                                 const size_t *of, double *sums)
{
    size_t L = mst_manifold_dim(mst_score_manifold(m->source)) + 1, most = 0, points = 0;
    for (size_t g = 0; g < m->groups; g++) {
        most = m->rows[g].n > most ? m->rows[g].n : most;
        points = predictions(m, g) > points ? predictions(m, g) : points;
    }
    double *local;
    MST_TRY(mst_allocate(&local, most * L + points));
    double *y = local + most * L;
    memset(sums, 0, count * m->parameters * sizeof *sums);
    mst_status status = MST_OK;
    for (size_t g = 0; status == MST_OK && g < m->groups; g++) {
        status = gradients_of(m, state, g, y, local);
        if (status == MST_OK)
            status = add_group(m, state, g, of, y, local, sums);
    }
    mst_release(local);
    return status;
}
