/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/fit_sums.h"

#include "manifold/internal.h"
#include "score/score_internal.h"

#include <math.h>
#include <string.h>

/* Rows of one block. Slow ones are worth a thread's start for fewer, and then all threads
 * should have some. */
static size_t block_rows(const mst_score *source, size_t n)
{
    enum { BLOCKS = 4, LEAST = 32 };
    size_t part = (n + BLOCKS - 1) / BLOCKS;
    if (!fit_is_slow(source))
        return 16 * FIT_ROWS;
    return part < LEAST ? LEAST : part > FIT_ROWS ? FIT_ROWS : part;
}

static fit_layout layout_of(size_t width, size_t side, bool hessian, bool outer, bool cross)
{
    fit_layout l = {.width = width, .side = side, .gradient = FIT_SCALARS};
    l.hessian = l.gradient + width;
    l.outer = l.hessian + (hessian ? side * side : 0);
    l.cross = l.outer + (outer ? width * width : 0);
    l.size = l.cross + (cross ? width : 0);
    return l;
}

mst_status fit_row_work_new(fit_row_work *s, const fit_sum_job *j, size_t rows)
{
    const mst_manifold *m = mst_score_manifold(j->model->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    MST_TRY(mst_allocate(&s->memory, rows * (2 + D + d + (j->hessian ? d * d : 0))));
    s->log_p = s->memory;
    s->dt = s->log_p + rows;
    s->score = s->dt + rows;
    s->c = s->score + rows * D;
    s->hessian = j->hessian ? s->c + rows * d : NULL;
    memset(s->log_p, 0, 2 * rows * sizeof *s->log_p);
    return MST_OK;
}

mst_heat_values fit_wanted(const fit_sum_job *j, const fit_row_work *s)
{
    const mst_score *source = j->model->source;
    bool timed = j->model->time_is_free && mst_score_gives(source, MST_GIVES_TIME);
    return (mst_heat_values){
        .log_p = j->value && mst_score_gives(source, MST_GIVES_LOG_P) ? s->log_p : NULL,
        .dt_log_p = timed ? s->dt : NULL,
        .score = s->score,
        .hessian = s->hessian};
}

/* Rows that share their prediction: sums of local derivatives. */
static void add_rows(const fit_sum_job *j, const fit_row_work *s, const double *w, size_t n,
                     double *sum)
{
    const fit_layout *l = &j->layout;
    size_t d = l->side;
    double *gradient = sum + l->gradient, *hessian = sum + l->hessian, *outer = sum + l->outer;
    for (size_t i = 0; i < n; i++) {
        double weight = w != NULL ? w[i] : 1, a = j->time * s->dt[i], square = 0;
        if (weight == 0) /* whatever the row is, even beyond the range of doubles */
            continue;
        const double *c = s->c + i * d;
        sum[FIT_VALUE] += weight * s->log_p[i];
        sum[FIT_WEIGHT] += weight;
        for (size_t k = 0; k < d; k++) {
            gradient[k] += weight * c[k];
            square += c[k] * c[k];
        }
        gradient[d] += weight * a;
        sum[FIT_SQUARE] += weight * (square * j->time + a * a);
        for (size_t k = 0; j->hessian && k < d * d; k++)
            hessian[k] += weight * s->hessian[i * d * d + k];
        for (size_t u = 0; j->outer && u < l->width; u++)
            for (size_t v = 0; v < l->width; v++)
                outer[u * l->width + v] += weight * (u < d ? c[u] : a) * (v < d ? c[v] : a);
    }
}

/* The same from tables. */
static mst_status add_tabled(const fit_sum_job *j, size_t at, size_t n, double *sum)
{
    const fit_rows *rows = &j->model->rows[j->group];
    const double *w = rows->weights != NULL ? rows->weights + at : NULL;
    size_t D = mst_manifold_ambient(mst_score_manifold(j->model->source));
    for (size_t i = 0; i < n; i++)
        sum[FIT_WEIGHT] += w != NULL ? w[i] : 1;
    return radial_tables_add(j->tables, n, rows->x + at * D, w,
                             &(radial_sums){.log_p = &sum[FIT_VALUE],
                                            .square = &sum[FIT_SQUARE],
                                            .gradient = sum + j->layout.gradient,
                                            .hessian = j->hessian ? sum + j->layout.hessian : NULL,
                                            .outer = j->outer ? sum + j->layout.outer : NULL,
                                            .cross = j->cross ? sum + j->layout.cross : NULL});
}

static mst_status sum_block(void *context, size_t begin, size_t end)
{
    const fit_sum_job *j = context;
    const fit_rows *rows = &j->model->rows[j->group];
    const mst_manifold *m = mst_score_manifold(j->model->source);
    size_t D = mst_manifold_ambient(m);
    fit_row_work s;
    MST_TRY(fit_row_work_new(&s, j, end - begin < FIT_ROWS ? end - begin : FIT_ROWS));
    double *sum = j->partial + begin / j->block * j->layout.size;
    memset(sum, 0, j->layout.size * sizeof *sum);
    mst_heat_values values = fit_wanted(j, &s);
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += FIT_ROWS) {
        mst_pairs pairs = {.n = end - at < FIT_ROWS ? end - at : FIT_ROWS,
                           .x = rows->x + at * D,
                           .y = j->y,
                           .t = &j->time,
                           .first = rows->first + at};
        if (j->tables != NULL) {
            status = add_tabled(j, at, pairs.n, sum);
            continue;
        }
        status = score_evaluate_curved(fit_source(j->model), &pairs, &values);
        if (status == MST_OK)
            status = mst_to_frame_at(m, pairs.n, j->y, s.score, s.c);
        if (status == MST_OK)
            add_rows(j, &s, rows->weights != NULL ? rows->weights + at : NULL, pairs.n, sum);
    }
    mst_release(s.memory);
    return status;
}

/* The sums of the job's group into sum (layout.size). */
static mst_status sum_group(fit_sum_job *j, double *sum)
{
    size_t n = j->model->rows[j->group].n, size = j->layout.size;
    j->block = block_rows(j->model->source, n);
    size_t blocks = n / j->block + (n % j->block != 0);
    MST_TRY(mst_allocate(&j->partial, (blocks > 0 ? blocks : 1) * size));
    mst_status status = mst_parallel_blocks(n, j->block, j->model->threads, (mst_progress){0},
                                            j->y != NULL ? sum_block : fit_sum_rows, j);
    memset(sum, 0, size * sizeof *sum);
    for (size_t b = 0; status == MST_OK && b < blocks; b++) {
        const double *part = j->partial + b * size;
        double longest = fmax(sum[FIT_TIME], part[FIT_TIME]);
        for (size_t k = 0; k < size; k++)
            sum[k] += part[k];
        sum[FIT_TIME] = longest;
    }
    mst_release(j->partial);
    return status;
}

/* Step of the forward difference in log t: its truncation (the step itself) and its rounding (1e-16/step)
 * leave the Hessian seven digits, more than Newton's method and standard errors need, for one more sweep over
 * the rows. A source of less precision needs the longer step √precision, which is taken in 1/t: in flat space
 * the gradient is linear in that, and so the difference has no truncation at all. Where the range of the
 * source ends the step goes backwards. */
static const double time_step = 1e-7;

double fit_time_beside(const mst_score *source, double time, double *divisor)
{
    const mst_score_info *info = mst_score_describe(source);
    double precision = fmax(info->precision, info->noise);
    if (!(precision > 0)) {
        double there = time * exp(time_step);
        *divisor = time_step;
        if (fit_clamp_time(source, there) == there)
            return there;
    }
    double step = precision > 0 ? sqrt(precision) : time_step;
    bool back = time * exp(step) > info->t_largest && time / info->t_least > info->t_largest / time;
    double there = fit_clamp_time(source, time * exp(back ? -step : step));
    *divisor = 1 - time / there;
    return there;
}

/* Second derivatives that involve log t: the change of the gradient `now` (d + 1). */
static mst_status time_derivative(const fit_sum_job *here, const double *now, double *cross)
{
    fit_sum_job j = *here;
    j.layout = layout_of(here->layout.width, here->layout.side, false, false, false);
    j.value = j.hessian = j.outer = false;
    double *sum, divisor;
    MST_TRY(mst_allocate(&sum, j.layout.size));
    j.time = fit_time_beside(j.model->source, here->time, &divisor);
    mst_status status = sum_group(&j, sum);
    for (size_t k = 0; status == MST_OK && k < j.layout.width; k++)
        cross[k] = (sum[j.layout.gradient + k] - now[k]) / divisor;
    mst_release(sum);
    return status;
}

/* The local Hessian (d + 1, d + 1) of a group from that by the mean and what involves log t. */
static void put_together(const fit_layout *l, const double *sum, const double *cross, double *local)
{
    size_t d = l->side, width = l->width;
    for (size_t u = 0; u < width; u++)
        for (size_t v = 0; v < width; v++)
            local[u * width + v] =
                u < d && v < d ? sum[l->hessian + u * d + v] : cross[u < d ? u : v];
}

/* What a group with one prediction adds: local sums, pulled back once. */
static mst_status pull_group(const fit_sum_job *j, const double *sum, double *work, fit_sums *out)
{
    const fit_model *m = j->model;
    const fit_layout *l = &j->layout;
    fit_slice slice = {.group = j->group, .n = 1, .y = j->y};
    double *cross = work, *local = work + l->width;
    memset(cross, 0, l->width * sizeof *cross);
    if (j->cross && j->tables != NULL)
        memcpy(cross, sum + l->cross, l->width * sizeof *cross);
    else if (j->cross)
        MST_TRY(time_derivative(j, sum + l->gradient, cross));
    MST_TRY(m->ops->pull(m, j->state, &slice, sum + l->gradient, out->gradient));
    if (out->outer != NULL)
        MST_TRY(m->ops->pull_matrix(m, j->state, &slice, sum + l->outer, out->outer));
    if (!j->hessian)
        return MST_OK;
    put_together(l, sum, cross, local);
    return m->ops->pull_matrix(m, j->state, &slice, local, out->hessian);
}

/* What a group with a prediction per row adds: its sums are by the parameters already. */
static void add_pulled(const fit_sum_job *j, const double *sum, fit_sums *out)
{
    const fit_layout *l = &j->layout;
    size_t q = l->width;
    for (size_t k = 0; k < q; k++)
        out->gradient[k] += sum[l->gradient + k];
    for (size_t k = 0; out->outer != NULL && k < q * q; k++)
        out->outer[k] += sum[l->outer + k];
    for (size_t k = 0; j->hessian && k < q * q; k++)
        out->hessian[k] += sum[l->hessian + k];
}

/* A source that solves for all rows at once does so now, by all threads: within the sum it would be by
 * those that have rows, and few rows are one block. */
static mst_status solve_first(const fit_sum_job *j)
{
    const fit_rows *rows = &j->model->rows[j->group];
    double log_p;
    if (!score_solves(j->model->source) || j->y == NULL || rows->n == 0)
        return MST_OK;
    return mst_score_evaluate(j->model->source,
                              &(mst_pairs){.n = 1, .x = rows->x, .y = j->y, .t = &j->time},
                              &(mst_heat_values){.log_p = &log_p});
}

bool fit_takes_tables(const mst_score *source, size_t n)
{
    return n >= RADIAL_TABLE_PAYS && score_is_exact(source) &&
           radial_tables_fit(mst_score_manifold(source));
}

static mst_status add_group(const fit_model *m, const double *state, size_t group, fit_sums *out)
{
    const mst_manifold *manifold = mst_score_manifold(m->source);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold), L = d + 1;
    bool timed = mst_score_gives(m->source, MST_GIVES_TIME);
    bool hessian = out->hessian != NULL && !(out->near != NULL && fit_takes_differences(m->source));
    bool outer = out->outer != NULL;
    bool cross = hessian && m->time_is_free && out->near == NULL;
    fit_layout l = m->ops->per_row ? layout_of(m->parameters, m->parameters, hessian, outer, false)
                                   : layout_of(L, d, hessian, outer, cross);
    double *sum;
    MST_TRY(mst_allocate(&sum, l.size + L + L * L + D));
    double *work = sum + l.size, *y = work + L + L * L, time = 1;
    radial_tables *tables = NULL;
    mst_status status = MST_OK;
    if (!m->ops->per_row)
        status = m->ops->predict(m, state, group, 0, 1, y, &time);
    if (status == MST_OK && !m->ops->per_row && fit_takes_tables(m->source, m->rows[group].n))
        status = radial_tables_new(&tables, manifold, y, time);
    fit_sum_job j = {.model = m,
                     .state = state,
                     .group = group,
                     .y = m->ops->per_row ? NULL : y,
                     .time = timed ? time : 1,
                     .layout = l,
                     .value = true,
                     .hessian = hessian,
                     .outer = outer,
                     .cross = cross,
                     .tables = tables};
    if (status == MST_OK)
        status = solve_first(&j);
    if (status == MST_OK)
        status = sum_group(&j, sum);
    if (status == MST_OK && m->ops->per_row)
        add_pulled(&j, sum, out);
    else if (status == MST_OK)
        status = pull_group(&j, sum, work, out);
    if (status == MST_OK) {
        out->value += sum[FIT_VALUE];
        out->total_weight += sum[FIT_WEIGHT];
        out->score_square += sum[FIT_SQUARE];
        double longest = m->ops->per_row ? sum[FIT_TIME] : time;
        out->longest_time = fmax(out->longest_time, timed ? longest : 0);
    }
    radial_tables_free(tables);
    mst_release(sum);
    return status;
}

/* Whatever involves a log time. */
static void copy_time_rows(const fit_model *m, const double *from, double *to)
{
    size_t q = m->parameters;
    for (size_t k = 0; k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        for (size_t a = 0; part.log_time && a < q; a++) {
            to[a * q + part.first] = from[a * q + part.first];
            to[part.first * q + a] = from[part.first * q + a];
        }
    }
}

/* The part that is the log time; false: there is none, or more than one. */
static bool find_time(const fit_model *m, fit_part *time)
{
    size_t found = 0;
    *time = (fit_part){0};
    for (size_t k = 0; k < m->parts; k++) {
        fit_part part = m->ops->part(m, k);
        if (part.log_time && found++ == 0)
            *time = part;
    }
    return found == 1;
}

bool fit_has_one_time(const fit_model *m)
{
    fit_part time;
    return m->time_is_free && !m->ops->per_row && mst_score_gives(m->source, MST_GIVES_TIME) &&
           find_time(m, &time);
}

mst_status fit_add_time_row(const fit_model *m, const double *state, const fit_sums *sums)
{
    size_t q = m->parameters;
    fit_part time;
    double *gradient, divisor;
    if (!find_time(m, &time))
        return MST_OK;
    MST_TRY(mst_allocate(&gradient, q + m->size));
    double *beside = gradient + q;
    memcpy(beside, state, m->size * sizeof *state);
    beside[time.time] = fit_time_beside(m->source, state[time.time], &divisor);
    mst_status status = fit_evaluate(m, beside, &(fit_sums){.gradient = gradient});
    for (size_t k = 0; status == MST_OK && k < q; k++)
        sums->hessian[k * q + time.first] = sums->hessian[time.first * q + k] =
            (gradient[k] - sums->gradient[k]) / divisor;
    mst_release(gradient);
    return status;
}

mst_status fit_evaluate(const fit_model *m, const double *state, fit_sums *out)
{
    size_t q = m->parameters;
    bool differences = fit_takes_differences(m->source);
    if (m->ops->per_row &&
        !differences) /* only there the times of all rows are known to be log times */
        out->near = NULL;
    out->value = out->total_weight = out->score_square = out->longest_time = 0;
    memset(out->gradient, 0, q * sizeof *out->gradient);
    if (out->hessian != NULL)
        memset(out->hessian, 0, q * q * sizeof *out->hessian);
    if (out->outer != NULL)
        memset(out->outer, 0, q * q * sizeof *out->outer);
    for (size_t g = 0; g < m->groups; g++)
        MST_TRY(add_group(m, state, g, out));
    if (out->hessian != NULL && out->near != NULL && differences)
        memcpy(out->hessian, out->near, q * q * sizeof *out->hessian);
    else if (out->hessian != NULL && out->near != NULL)
        copy_time_rows(m, out->near, out->hessian);
    return MST_OK;
}
