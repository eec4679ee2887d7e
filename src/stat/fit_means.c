/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The model of means and times: the prediction is a copy, and everything else is linear. */
#include "stat/fit.h"

#include <math.h>
#include <string.h>

static const fit_means *means_of(const fit_model *model)
{
    return (const fit_means *)model;
}

static const mst_manifold *manifold_of(const fit_model *model)
{
    return mst_score_manifold(model->source);
}

static size_t mean_of(const fit_means *m, size_t group)
{
    return m->mean_of != NULL ? m->mean_of[group] : 0;
}

static size_t time_of(const fit_means *m, size_t group)
{
    return m->time_of != NULL ? m->time_of[group] : 0;
}

static const double *times_in(const fit_means *m, const double *state)
{
    return state + m->means * mst_manifold_ambient(manifold_of(&m->model));
}

static mst_status predict(const fit_model *model, const double *state, size_t group, size_t first,
                          size_t n, double *y, double *t)
{
    const fit_means *m = means_of(model);
    size_t D = mst_manifold_ambient(manifold_of(model));
    (void)first;
    (void)n;
    memcpy(y, state + mean_of(m, group) * D, D * sizeof *y);
    *t = times_in(m, state)[time_of(m, group)];
    return MST_OK;
}

/* Where the local coordinate k of a group stands among the parameters. */
static size_t place(const fit_means *m, size_t group, size_t d, size_t k)
{
    return k < d ? mean_of(m, group) * d + k : m->means * d + time_of(m, group);
}

static mst_status pull(const fit_model *model, const double *state, const fit_slice *rows,
                       const double *local, double *gradient)
{
    const fit_means *m = means_of(model);
    size_t d = mst_manifold_dim(manifold_of(model)), used = model->time_is_free ? d + 1 : d;
    (void)state;
    for (size_t k = 0; k < used; k++)
        gradient[place(m, rows->group, d, k)] += local[k];
    return MST_OK;
}

static mst_status pull_matrix(const fit_model *model, const double *state, const fit_slice *rows,
                              const double *local, double *matrix)
{
    const fit_means *m = means_of(model);
    size_t d = mst_manifold_dim(manifold_of(model)), used = model->time_is_free ? d + 1 : d;
    (void)state;
    for (size_t u = 0; u < used; u++) {
        double *row = matrix + place(m, rows->group, d, u) * model->parameters;
        for (size_t v = 0; v < used; v++)
            row[place(m, rows->group, d, v)] += local[u * (d + 1) + v];
    }
    return MST_OK;
}

static mst_status move(const fit_model *model, const double *from, const double *step, double *to)
{
    const fit_means *m = means_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    for (size_t k = 0; k < m->means; k++) {
        double *mean = to + k * D;
        MST_TRY(mst_manifold_from_frame(manifold, 1, from + k * D, step + k * d, mean));
        MST_TRY((m->retract ? mst_manifold_retract : mst_manifold_exp)(manifold, 1, from + k * D,
                                                                       mean, mean));
    }
    const double *time = times_in(m, from);
    for (size_t k = 0; k < m->times; k++)
        to[m->means * D + k] =
            model->time_is_free
                ? fit_clamp_time(model->source, time[k] * exp(step[m->means * d + k]))
                : time[k];
    return MST_OK;
}

/* The factors of a mean, mean after mean, then the log times. A compact factor is no wider than twice its
 * injectivity radius or so, whatever the others are. */
static fit_part part(const fit_model *model, size_t k)
{
    const fit_means *m = means_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), factors = mst_manifold_factor_count(manifold);
    if (k >= m->means * factors) {
        size_t number = k - m->means * factors;
        return (fit_part){.first = m->means * d + number,
                          .count = 1,
                          .log_time = true,
                          .time = m->means * mst_manifold_ambient(manifold) + number,
                          .reach = INFINITY};
    }
    fit_part out = {.first = k / factors * d};
    for (size_t f = 0; f < k % factors; f++)
        out.first += mst_manifold_dim(mst_manifold_factor(manifold, f));
    const mst_manifold *factor = mst_manifold_factor(manifold, k % factors);
    double radius = mst_manifold_injectivity(factor);
    out.count = mst_manifold_dim(factor);
    out.reach = isfinite(radius) ? radius / 2 : INFINITY;
    return out;
}

/* A mean that several groups share has the time of the first one. */
static void units(const fit_model *model, const double *state, double *out)
{
    const fit_means *m = means_of(model);
    size_t d = mst_manifold_dim(manifold_of(model));
    for (size_t k = 0; k < model->parameters; k++)
        out[k] = 1;
    for (size_t g = model->groups; mst_score_gives(model->source, MST_GIVES_TIME) && g-- > 0;) {
        double unit = sqrt(times_in(m, state)[time_of(m, g)]);
        for (size_t k = 0; k < d; k++)
            out[mean_of(m, g) * d + k] = unit;
    }
}

/* A mean arrives with the velocity that it left with, carried along; a time may have been
 * stopped by its range. */
static mst_status velocities(const fit_model *model, const double *from, const double *step,
                             const double *to, double *leaving, double *arriving)
{
    const fit_means *m = means_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    double *v;
    MST_TRY(mst_allocate(&v, 2 * D));
    mst_status status = MST_OK;
    memcpy(leaving, step, model->parameters * sizeof *leaving);
    for (size_t k = 0; status == MST_OK && k < m->means; k++) {
        const double *mean = from + k * D;
        status = mst_manifold_from_frame(manifold, 1, mean, step + k * d, v);
        if (status == MST_OK)
            status = mst_manifold_transport(manifold, 1, mean, v, v, v + D);
        if (status == MST_OK)
            status = mst_manifold_to_frame(manifold, 1, to + k * D, v + D, arriving + k * d);
    }
    for (size_t k = 0; model->time_is_free && k < m->times; k++)
        leaving[m->means * d + k] = arriving[m->means * d + k] =
            log(times_in(m, to)[k] / times_in(m, from)[k]);
    mst_release(v);
    return status;
}

/* Along the geodesic, v (2, D) for work. */
static mst_status along_geodesic(const mst_manifold *m, const double *from, const double *to,
                                 double share, double *point, double *velocity, double *v)
{
    size_t D = mst_manifold_ambient(m);
    double *part_of = v + D;
    MST_TRY(mst_manifold_log(m, 1, from, to, v, NULL));
    for (size_t a = 0; a < D; a++)
        part_of[a] = share * v[a];
    MST_TRY(mst_manifold_exp(m, 1, from, part_of, point));
    MST_TRY(mst_manifold_transport(m, 1, from, part_of, v, v));
    return mst_manifold_to_frame(m, 1, point, v, velocity);
}

static mst_status on_chord(const mst_manifold *m, const double *from, const double *to,
                           double share, double *point)
{
    for (size_t a = 0; a < mst_manifold_ambient(m); a++)
        point[a] = from[a] + share * (to[a] - from[a]);
    return mst_manifold_project(m, 1, point, point);
}

/* Along the projected straight line, where there is no logarithm: any way will do. The
 * velocity is a difference. */
static mst_status along_chord(const mst_manifold *m, const double *from, const double *to,
                              double share, double *point, double *velocity, double *v)
{
    const double h = 1e-5;
    size_t D = mst_manifold_ambient(m);
    MST_TRY(on_chord(m, from, to, share - h, v));
    MST_TRY(on_chord(m, from, to, share + h, v + D));
    MST_TRY(on_chord(m, from, to, share, point));
    for (size_t a = 0; a < D; a++)
        v[a] = (v[D + a] - v[a]) / (2 * h);
    MST_TRY(mst_manifold_tangent(m, 1, point, v, v));
    return mst_manifold_to_frame(m, 1, point, v, velocity);
}

/* Log times go along a straight line. */
static mst_status between(const fit_model *model, const double *from, const double *to,
                          double share, double *state, double *velocity)
{
    const fit_means *m = means_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    double *v;
    MST_TRY(mst_allocate(&v, 2 * D));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < m->means; k++) {
        const double *one = from + k * D, *other = to + k * D;
        status = along_geodesic(manifold, one, other, share, state + k * D, velocity + k * d, v);
        if (status != MST_OK && status != MST_MEMORY)
            status = along_chord(manifold, one, other, share, state + k * D, velocity + k * d, v);
    }
    for (size_t k = 0; k < m->times; k++) {
        double before = times_in(m, from)[k], *time = state + m->means * D + k;
        double log_ratio = model->time_is_free ? log(times_in(m, to)[k] / before) : 0;
        *time = fit_clamp_time(model->source, before * exp(share * log_ratio));
        if (model->time_is_free)
            velocity[m->means * d + k] = log_ratio;
    }
    mst_release(v);
    return status;
}

/* By the logarithm; where there is none, by the projected difference, which is the same to first order. */
static mst_status difference(const fit_model *model, const double *from, const double *to,
                             double *step)
{
    const fit_means *m = means_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    double *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < m->means; k++) {
        const double *one = from + k * D, *other = to + k * D;
        status = mst_manifold_log(manifold, 1, one, other, v, NULL);
        if (status != MST_OK && status != MST_MEMORY) {
            for (size_t a = 0; a < D; a++)
                v[a] = other[a] - one[a];
            status = mst_manifold_tangent(manifold, 1, one, v, v);
        }
        if (status == MST_OK)
            status = mst_manifold_to_frame(manifold, 1, one, v, step + k * d);
    }
    for (size_t k = 0; model->time_is_free && k < m->times; k++)
        step[m->means * d + k] = log(times_in(m, to)[k] / times_in(m, from)[k]);
    mst_release(v);
    return status;
}

static const fit_model_ops table = {
    .predict = predict,
    .pull = pull,
    .pull_matrix = pull_matrix,
    .move = move,
    .part = part,
    .units = units,
    .velocities = velocities,
    .between = between,
    .difference = difference,
};

/* What follows from the rest. */
static void count_parameters(fit_means *m)
{
    const mst_manifold *manifold = manifold_of(&m->model);
    size_t free_times = m->model.time_is_free ? m->times : 0;
    m->model.size = m->means * mst_manifold_ambient(manifold) + m->times;
    m->model.parameters = m->means * mst_manifold_dim(manifold) + free_times;
    m->model.parts = m->means * mst_manifold_factor_count(manifold) + free_times;
}

fit_means fit_many_means(const mst_score *source, size_t groups, const fit_rows *rows, size_t means,
                         const size_t *mean_numbers, size_t times, const size_t *time_numbers,
                         bool time_is_free, int threads)
{
    fit_means m = {.model = {.ops = &table,
                             .source = source,
                             .groups = groups,
                             .rows = rows,
                             .time_is_free = time_is_free,
                             .threads = threads},
                   .means = means,
                   .times = times,
                   .mean_of = mean_numbers,
                   .time_of = time_numbers};
    count_parameters(&m);
    return m;
}

fit_means fit_one_mean(const mst_score *source, const fit_rows *rows, bool time_is_free,
                       int threads)
{
    return fit_many_means(source, 1, rows, 1, NULL, 1, NULL, time_is_free, threads);
}

fit_means fit_with_fixed_times(const fit_means *means)
{
    fit_means m = *means;
    m.model.time_is_free = false;
    count_parameters(&m);
    return m;
}
