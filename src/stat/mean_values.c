/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Values at many points, none of which is worth a gradient yet. */
#include "heat/radial_table.h"
#include "manifold/internal.h"
#include "score/score_internal.h"
#include "stat/mean_search.h"

enum { ROWS = 256, POINTS = 4 };

typedef struct job {
    const mean_search *s;
    const fit_rows *rows;
    double time;
    const double *y;
    double *values;
    radial_tables *tables; /* of the one point; or null */
} job;

/* Distances are cheaper than logarithms. Sources of your own may take it for granted that somebody wants the
 * score. */
static mst_status row_values(const job *j, size_t at, size_t n, const double *y, double *score,
                             double *log_p)
{
    const mst_score *source = fit_source(&j->s->model.model);
    const double *x = j->rows->x + at * j->s->D;
    if (j->tables != NULL)
        return radial_tables_rows(j->tables, n, x, log_p, NULL);
    if (!score_is_log(source)) {
        mst_pairs pairs = {.n = n, .x = x, .y = y, .t = &j->time, .first = j->rows->first + at};
        mst_heat_values values = {.log_p = log_p, .score = score_is_exact(source) ? NULL : score};
        return mst_score_evaluate(source, &pairs, &values);
    }
    MST_TRY(mst_dist_to(j->s->m, n, x, y, log_p));
    for (size_t i = 0; i < n; i++)
        log_p[i] *= -0.5 * log_p[i];
    return MST_OK;
}

/* Σ w log p at one point, or the log p of all rows where `each` is not null; room (ROWS, D). */
static mst_status sum_rows(const job *all, const double *y, double *room, double *each, double *sum)
{
    job j = *all;
    double log_p[ROWS];
    *sum = 0;
    if (fit_takes_tables(j.s->model.model.source, j.rows->n))
        MST_TRY(radial_tables_new(&j.tables, j.s->m, y, j.time));
    mst_status status = MST_OK;
    for (size_t at = 0; at < j.rows->n && status == MST_OK; at += ROWS) {
        size_t n = j.rows->n - at < ROWS ? j.rows->n - at : ROWS;
        const double *w = j.rows->weights != NULL ? j.rows->weights + at : NULL;
        double *values = each != NULL ? each + at : log_p;
        status = row_values(&j, at, n, y, room, values);
        for (size_t i = 0; i < n && status == MST_OK; i++)
            *sum += w == NULL ? values[i] : w[i] > 0 ? w[i] * values[i] : 0;
    }
    radial_tables_free(j.tables);
    return status;
}

static mst_status run_points(void *context, size_t begin, size_t end)
{
    const job *j = context;
    double *room;
    MST_TRY(mst_allocate(&room, ROWS * j->s->D));
    mst_status status = MST_OK;
    for (size_t k = begin; status == MST_OK && k < end; k++)
        status = sum_rows(j, j->y + k * j->s->D, room, NULL, &j->values[k]);
    mst_release(room);
    return status;
}

mst_status mean_values(const mean_search *s, const fit_rows *rows, double time, size_t count,
                       const double *y, double *values)
{
    job j = {.s = s, .rows = rows, .time = time, .y = y, .values = values};
    return mst_parallel_blocks(count, POINTS, s->o->threads, (mst_progress){0}, run_points, &j);
}

mst_status mean_row_values(const mean_search *s, const double *state, double *log_p)
{
    job j = {.s = s, .rows = &s->rows, .time = state[s->D]};
    double *room, sum;
    MST_TRY(mst_allocate(&room, ROWS * s->D));
    mst_status status = sum_rows(&j, state, room, log_p, &sum);
    mst_release(room);
    return status;
}
