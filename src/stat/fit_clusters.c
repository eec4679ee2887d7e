/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Gradients of rows, one by one and added up over those that depend on each other. */
#include "stat/fit_sums.h"

#include "manifold/internal.h"

#include <string.h>

typedef struct gradient_job {
    fit_sum_job sum;
    double *out; /* (n, d + 1) */
} gradient_job;

static mst_status block_gradients(void *context, size_t begin, size_t end)
{
    const gradient_job *j = context;
    const fit_rows *rows = &j->sum.model->rows[j->sum.group];
    const mst_manifold *m = mst_score_manifold(j->sum.model->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), n = end - begin;
    fit_row_work s;
    MST_TRY(fit_row_work_new(&s, &j->sum, n));
    mst_heat_values values = fit_wanted(&j->sum, &s);
    mst_pairs pairs = {.n = n,
                       .x = rows->x + begin * D,
                       .y = j->sum.y,
                       .t = &j->sum.time,
                       .first = rows->first + begin};
    mst_status status = mst_score_evaluate(j->sum.model->source, &pairs, &values);
    if (status == MST_OK)
        status = mst_to_frame_at(m, n, j->sum.y, s.score, s.c);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double *out = j->out + (begin + i) * (d + 1);
        memcpy(out, s.c + i * d, d * sizeof *out);
        out[d] = j->sum.time * s.dt[i];
    }
    mst_release(s.memory);
    return status;
}

mst_status fit_row_gradients(const fit_model *m, const double *state, size_t group,
                             double *gradients)
{
    size_t D = mst_manifold_ambient(mst_score_manifold(m->source));
    double *y, time;
    if (m->ops->per_row)
        return mst_fail(MST_UNABLE, "rows with a prediction each have no gradients in common");
    MST_TRY(mst_allocate(&y, D));
    mst_status status = m->ops->predict(m, state, group, 0, 1, y, &time);
    gradient_job j = {.sum = {.model = m,
                              .state = state,
                              .group = group,
                              .y = y,
                              .time = mst_score_gives(m->source, MST_GIVES_TIME) ? time : 1},
                      .out = gradients};
    if (status == MST_OK)
        status = mst_parallel_blocks(m->rows[group].n, FIT_ROWS, m->threads, (mst_progress){0},
                                     block_gradients, &j);
    mst_release(y);
    return status;
}

/* Adds the rows of a group; local (n, d + 1) are their gradients. */
static mst_status add_group(const fit_model *m, const double *state, size_t group, const size_t *of,
                            double *local, double *sums)
{
    const fit_rows *rows = &m->rows[group];
    size_t L = mst_manifold_dim(mst_score_manifold(m->source)) + 1;
    for (size_t i = 0; i < rows->n; i++) {
        double weight = rows->weights != NULL ? rows->weights[i] : 1;
        fit_slice slice = {.group = group, .first = i, .n = 1};
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
    size_t L = mst_manifold_dim(mst_score_manifold(m->source)) + 1, most = 0;
    for (size_t g = 0; g < m->groups; g++)
        most = m->rows[g].n > most ? m->rows[g].n : most;
    double *local;
    MST_TRY(mst_allocate(&local, most * L));
    memset(sums, 0, count * m->parameters * sizeof *sums);
    mst_status status = MST_OK;
    for (size_t g = 0; status == MST_OK && g < m->groups; g++) {
        status = fit_row_gradients(m, state, g, local);
        if (status == MST_OK)
            status = add_group(m, state, g, of, local, sums);
    }
    mst_release(local);
    return status;
}
