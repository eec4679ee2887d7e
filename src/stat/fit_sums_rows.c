/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sums over rows that have a prediction each: local derivatives of every row, weighted, go through the
 * model's pull-back. */
#include "stat/fit_sums.h"

#include "score/score_internal.h"

#include <math.h>
#include <string.h>

/* Workspace for up to `rows` rows, L = d + 1. */
typedef struct rows_work {
    fit_row_work here, beside;          /* at the predicted times, and next to them */
    double *y, *t, *t_beside, *divisor; /* (rows, D), (rows) */
    double *local, *matrix;             /* (rows, L), (rows, L, L) */
    double *memory;
} rows_work;

static void rows_work_free(rows_work *s)
{
    mst_release(s->here.memory);
    mst_release(s->beside.memory);
    mst_release(s->memory);
}

static mst_status rows_work_new(rows_work *s, const fit_sum_job *j, size_t rows)
{
    const mst_manifold *m = mst_score_manifold(j->model->source);
    size_t D = mst_manifold_ambient(m), L = mst_manifold_dim(m) + 1;
    *s = (rows_work){0};
    fit_sum_job first_order = *j;
    first_order.hessian = false;
    mst_status status = fit_row_work_new(&s->here, j, rows);
    if (status == MST_OK && j->cross)
        status = fit_row_work_new(&s->beside, &first_order, rows);
    if (status == MST_OK)
        status = mst_allocate(&s->memory, rows * (D + 3 + L + L * L));
    if (status != MST_OK) {
        rows_work_free(s);
        return status;
    }
    s->y = s->memory;
    s->t = s->y + rows * D;
    s->t_beside = s->t + rows;
    s->divisor = s->t_beside + rows;
    s->local = s->divisor + rows;
    s->matrix = s->local + rows * L;
    return MST_OK;
}

/* The gradient of row i by (y, log t), with no weight yet. */
static double local_entry(const fit_row_work *s, double time, size_t d, size_t i, size_t k)
{
    return k < d ? s->c[i * d + k] : time * s->dt[i];
}

/* Scalars and weighted local gradients. */
static void add_scalars(const rows_work *s, size_t d, const double *w, size_t n, double *sum)
{
    for (size_t i = 0; i < n; i++) {
        double weight = w != NULL ? w[i] : 1, square = 0, *local = s->local + i * (d + 1);
        double a = s->t[i] * s->here.dt[i];
        for (size_t k = 0; k <= d; k++)
            local[k] = weight > 0 ? weight * local_entry(&s->here, s->t[i], d, i, k) : 0;
        if (weight == 0)
            continue;
        for (size_t k = 0; k < d; k++)
            square += s->here.c[i * d + k] * s->here.c[i * d + k];
        sum[FIT_VALUE] += weight * s->here.log_p[i];
        sum[FIT_WEIGHT] += weight;
        sum[FIT_SQUARE] += weight * (square * s->t[i] + a * a);
        sum[FIT_TIME] = fmax(sum[FIT_TIME], s->t[i]);
    }
}

/* Weighted local Hessians: by the source in y, by differences in log t. */
static void fill_hessians(const fit_sum_job *j, const rows_work *s, size_t d, const double *w,
                          size_t n)
{
    size_t L = d + 1;
    for (size_t i = 0; i < n; i++) {
        double weight = w != NULL ? w[i] : 1, *matrix = s->matrix + i * L * L;
        memset(matrix, 0, L * L * sizeof *matrix);
        for (size_t k = 0; weight > 0 && k < d * d; k++)
            matrix[k / d * L + k % d] = weight * s->here.hessian[i * d * d + k];
        for (size_t k = 0; weight > 0 && j->cross && k < L; k++)
            matrix[k * L + d] = matrix[d * L + k] =
                weight *
                (local_entry(&s->beside, s->t_beside[i], d, i, k) -
                 local_entry(&s->here, s->t[i], d, i, k)) /
                s->divisor[i];
    }
}

/* Σ w g gᵀ; the weight is in the local gradient already. */
static void fill_outer(const rows_work *s, size_t L, const double *w, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double weight = w != NULL && w[i] > 0 ? w[i] : 1;
        for (size_t k = 0; k < L * L; k++)
            s->matrix[i * L * L + k] = s->local[i * L + k / L] * s->local[i * L + k % L] / weight;
    }
}

static mst_status evaluate(const fit_sum_job *j, const rows_work *s, size_t at, size_t n)
{
    const fit_model *model = j->model;
    const fit_rows *rows = &model->rows[j->group];
    const mst_manifold *m = mst_score_manifold(model->source);
    size_t D = mst_manifold_ambient(m);
    MST_TRY(model->ops->predict(model, j->state, j->group, at, n, s->y, s->t));
    for (size_t i = 0; !mst_score_gives(model->source, MST_GIVES_TIME) && i < n; i++)
        s->t[i] = 1;
    mst_pairs pairs = mst_pairs_rows(m, n, rows->x + at * D, s->y, s->t);
    pairs.first = rows->first + at;
    mst_heat_values values = fit_wanted(j, &s->here);
    MST_TRY(score_evaluate_curved(fit_source(model), &pairs, &values));
    MST_TRY(mst_manifold_to_frame(m, n, s->y, s->here.score, s->here.c));
    if (!j->cross)
        return MST_OK;
    for (size_t i = 0; i < n; i++)
        s->t_beside[i] = fit_time_beside(model->source, s->t[i], &s->divisor[i]);
    pairs.t = s->t_beside;
    values = fit_wanted(j, &s->beside);
    values.log_p = NULL;
    MST_TRY(mst_score_evaluate(fit_source(model), &pairs, &values));
    return mst_manifold_to_frame(m, n, s->y, s->beside.score, s->beside.c);
}

static mst_status pull_rows(const fit_sum_job *j, const rows_work *s, size_t at, size_t n,
                            double *sum)
{
    const fit_model *m = j->model;
    const fit_rows *rows = &m->rows[j->group];
    size_t d = mst_manifold_dim(mst_score_manifold(m->source));
    const double *w = rows->weights != NULL ? rows->weights + at : NULL;
    fit_slice slice = {.group = j->group, .first = at, .n = n, .y = s->y};
    add_scalars(s, d, w, n, sum);
    bool both = j->hessian && m->ops->pull_both != NULL;
    if (!both)
        MST_TRY(m->ops->pull(m, j->state, &slice, s->local, sum + j->layout.gradient));
    if (j->hessian)
        fill_hessians(j, s, d, w, n);
    if (both) {
        MST_TRY(m->ops->pull_both(m, j->state, &slice, s->local, s->matrix,
                                  sum + j->layout.gradient, sum + j->layout.hessian));
    } else if (j->hessian) {
        MST_TRY(m->ops->pull_matrix(m, j->state, &slice, s->matrix, sum + j->layout.hessian));
    }
    if (j->outer) {
        fill_outer(s, d + 1, w, n);
        MST_TRY(m->ops->pull_matrix(m, j->state, &slice, s->matrix, sum + j->layout.outer));
    }
    return MST_OK;
}

mst_status fit_sum_rows(void *job, size_t begin, size_t end)
{
    const fit_sum_job *j = job;
    rows_work s;
    MST_TRY(rows_work_new(&s, j, end - begin < FIT_ROWS ? end - begin : FIT_ROWS));
    double *sum = j->partial + begin / j->block * j->layout.size;
    memset(sum, 0, j->layout.size * sizeof *sum);
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += FIT_ROWS) {
        size_t n = end - at < FIT_ROWS ? end - at : FIT_ROWS;
        status = evaluate(j, &s, at, n);
        if (status == MST_OK)
            status = pull_rows(j, &s, at, n, sum);
    }
    rows_work_free(&s);
    return status;
}
