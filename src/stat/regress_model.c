/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The curve f(z) = Exp_μ(Σ z_j v_j) with its noise as a model of the optimiser. The derivative is that of the
 * exponential map: closed where the manifold has one, else the adjoint of the geodesic equation. */
#include "stat/regress_parts.h"

#include <math.h>
#include <string.h>

static const regress_model *regression_of(const fit_model *m)
{
    return (const regress_model *)m;
}

static const mst_manifold *manifold_of(const fit_model *m)
{
    return mst_score_manifold(m->source);
}

static double covariate(const regress_model *m, size_t row, size_t j)
{
    const double *z = m->design->z + row * m->design->columns;
    return z[m->curve_columns != NULL ? m->curve_columns[j] : j];
}

static size_t time_place(const regress_model *m)
{
    return (1 + m->curve) * mst_manifold_ambient(manifold_of(&m->model));
}

/* base (n, D): μ in every row. u (n, D): Σ z_j v_j. */
static void fill_vectors(const regress_model *m, const double *state, size_t first, size_t n,
                         double *base, double *u)
{
    size_t D = mst_manifold_ambient(manifold_of(&m->model));
    memset(u, 0, n * D * sizeof *u);
    for (size_t i = 0; i < n; i++) {
        memcpy(base + i * D, state, D * sizeof *base);
        for (size_t j = 0; j < m->curve; j++) {
            double z = covariate(m, first + i, j);
            const double *v = state + (1 + j) * D;
            for (size_t a = 0; a < D; a++)
                u[i * D + a] += z * v[a];
        }
    }
}

static mst_status predict(const fit_model *model, const double *state, size_t group, size_t first,
                          size_t n, double *y, double *t)
{
    const regress_model *m = regression_of(model);
    size_t D = mst_manifold_ambient(manifold_of(model)), place = time_place(m);
    double *base;
    (void)group;
    MST_TRY(mst_allocate(&base, 2 * n * D));
    fill_vectors(m, state, first, n, base, base + n * D);
    mst_status status = mst_manifold_exp(manifold_of(model), n, base, base + n * D, y);
    for (size_t i = 0; i < n; i++) {
        double log_ratio = 0;
        for (size_t j = 0; j < m->slopes; j++)
            log_ratio += m->design->z[(first + i) * m->design->columns + j] * state[place + 1 + j];
        t[i] = m->slopes > 0 ? fit_clamp_time(model->source, state[place] * exp(log_ratio))
                             : state[place];
    }
    mst_release(base);
    return status;
}

/* The part of a row's gradient that belongs to time and slopes. */
static void add_time(const regress_model *m, size_t row, double by_log_time, double *gradient)
{
    double *at = gradient + (1 + m->curve) * mst_manifold_dim(manifold_of(&m->model));
    if (!m->model.time_is_free)
        return;
    at[0] += by_log_time;
    for (size_t j = 0; j < m->slopes; j++)
        at[1 + j] += by_log_time * m->design->z[row * m->design->columns + j];
}

/* The derivative of all rows by what the unit vectors of the frame at μ become at y, of the point and of the
 * velocity. Those of one row stand together: they are fields along one geodesic, which is integrated once. */
static mst_status push_units(const mst_manifold *m, size_t n, const double *base, const double *u,
                             const double *y, double *point, double *speed)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), fields = 2 * d, all = n * fields;
    double *x;
    MST_TRY(mst_allocate_zero(&x, all * (6 * D + d)));
    double *v = x + all * D, *ends = v + all * D, *dx = ends + all * D, *dv = dx + all * D,
           *dy = dv + all * D, *c = dy + all * D;
    for (size_t k = 0; k < all; k++) {
        size_t i = k / fields;
        memcpy(x + k * D, base + i * D, D * sizeof *x);
        memcpy(v + k * D, u + i * D, D * sizeof *v);
        memcpy(ends + k * D, y + i * D, D * sizeof *ends);
        c[k * d + k % d] = 1;
    }
    mst_status status = mst_manifold_from_frame(m, all, x, c, dx);
    for (size_t k = 0; k < all; k++)
        if (k % fields >= d) {
            memcpy(dv + k * D, dx + k * D, D * sizeof *dv);
            memset(dx + k * D, 0, D * sizeof *dx);
        }
    if (status == MST_OK)
        status = mst_manifold_exp_derivative(m, all, x, v, dx, dv, dy);
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, all, ends, dy, c);
    for (size_t k = 0; status == MST_OK && k < all; k++) {
        double *to = k % fields < d ? point : speed;
        for (size_t b = 0; b < d; b++)
            to[(k / fields * d + b) * d + k % d] = c[k * d + b];
    }
    mst_release(x);
    return status;
}

/* Row a of the derivative for all rows, by the adjoint of a unit vector at y. */
static mst_status pull_unit(const mst_manifold *m, size_t n, size_t a, const double *base,
                            const double *u, const double *y, double *point, double *speed,
                            double *work)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *w = work, *dx = w + n * D, *dv = dx + n * D, *c = dv + n * D, *e = c + n * d;
    for (size_t k = 0; k < n * d; k++)
        c[k] = k % d == a;
    MST_TRY(mst_manifold_from_frame(m, n, y, c, w));
    MST_TRY(mst_manifold_exp_adjoint(m, n, base, u, w, dx, dv));
    MST_TRY(mst_manifold_to_frame(m, n, base, dx, c));
    MST_TRY(mst_manifold_to_frame(m, n, base, dv, e));
    for (size_t i = 0; i < n; i++) {
        memcpy(point + (i * d + a) * d, c + i * d, d * sizeof *c);
        memcpy(speed + (i * d + a) * d, e + i * d, d * sizeof *e);
    }
    return MST_OK;
}

/* Where the derivative takes an integration of the geodesic equation, one along is some seven times faster
 * than one of the adjoint. */
static bool pushes(const mst_manifold *m)
{
    return (mst_manifold_traits_of(m)->closed & MST_CLOSED_EXP_DERIVATIVE) == 0;
}

/* Rows whose fields are pushed at a time. */
enum { PUSHED = 64 };

mst_status regress_derivative(const regress_model *m, const double *state, size_t first, size_t n,
                              const double *y, double *point, double *speed)
{
    const mst_manifold *manifold = manifold_of(&m->model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    double *base;
    MST_TRY(mst_allocate(&base, n * (5 * D + 2 * d)));
    double *u = base + n * D, *work = u + n * D;
    fill_vectors(m, state, first, n, base, u);
    mst_status status = MST_OK;
    bool along = pushes(manifold);
    for (size_t at = 0; status == MST_OK && along && at < n; at += PUSHED) {
        size_t rows = n - at < PUSHED ? n - at : PUSHED, squares = at * d * d;
        status = push_units(manifold, rows, base + at * D, u + at * D, y + at * D, point + squares,
                            speed + squares);
    }
    for (size_t a = 0; status == MST_OK && !along && a < d; a++)
        status = pull_unit(manifold, n, a, base, u, y, point, speed, work);
    mst_release(base);
    return status;
}

/* c (n, d) and e (n, d): what vectors at y, `local` (n, d + 1) in their frames, are at μ, for point and
 * velocity. */
static mst_status pull_vectors(const regress_model *m, const double *state, const fit_slice *rows,
                               const double *local, double *c, double *e)
{
    const mst_manifold *manifold = manifold_of(&m->model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold), n = rows->n;
    double *base;
    MST_TRY(mst_allocate(&base, n * 5 * D));
    double *u = base + n * D, *w = u + n * D, *dx = w + n * D, *dv = dx + n * D;
    fill_vectors(m, state, rows->first, n, base, u);
    for (size_t i = 0; i < n; i++)
        memcpy(c + i * d, local + i * (d + 1), d * sizeof *c);
    mst_status status = mst_manifold_from_frame(manifold, n, rows->y, c, w);
    if (status == MST_OK)
        status = mst_manifold_exp_adjoint(manifold, n, base, u, w, dx, dv);
    if (status == MST_OK)
        status = mst_manifold_to_frame(manifold, n, base, dx, c);
    if (status == MST_OK)
        status = mst_manifold_to_frame(manifold, n, base, dv, e);
    mst_release(base);
    return status;
}

/* The same from the derivative, (n, d, d) each. */
static void pull_through(size_t d, size_t n, const double *point, const double *speed,
                         const double *local, double *c, double *e)
{
    memset(c, 0, n * d * sizeof *c);
    memset(e, 0, n * d * sizeof *e);
    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < d; b++)
            for (size_t a = 0; a < d; a++) {
                c[i * d + a] += local[i * (d + 1) + b] * point[(i * d + b) * d + a];
                e[i * d + a] += local[i * (d + 1) + b] * speed[(i * d + b) * d + a];
            }
}

static mst_status pull_by_derivative(const regress_model *m, const double *state,
                                     const fit_slice *rows, const double *local, double *c,
                                     double *e)
{
    size_t d = mst_manifold_dim(manifold_of(&m->model)), n = rows->n;
    double *point;
    MST_TRY(mst_allocate(&point, 2 * n * d * d));
    double *speed = point + n * d * d;
    mst_status status = regress_derivative(m, state, rows->first, n, rows->y, point, speed);
    if (status == MST_OK)
        pull_through(d, n, point, speed, local, c, e);
    mst_release(point);
    return status;
}

/* Up to this dimension 2 d derivatives cost less than an adjoint. */
enum { FEW_DIMENSIONS = 3 };

/* Adds what pull_vectors has found. */
static void add_gradient(const regress_model *m, const fit_slice *rows, const double *local,
                         const double *c, const double *e, double *gradient)
{
    size_t d = mst_manifold_dim(manifold_of(&m->model));
    for (size_t i = 0; i < rows->n; i++) {
        for (size_t a = 0; a < d; a++)
            gradient[a] += c[i * d + a];
        for (size_t j = 0; j < m->curve; j++) {
            double z = covariate(m, rows->first + i, j), *to = gradient + (1 + j) * d;
            for (size_t a = 0; a < d; a++)
                to[a] += z * e[i * d + a];
        }
        add_time(m, rows->first + i, local[i * (d + 1) + d], gradient);
    }
}

static mst_status pull(const fit_model *model, const double *state, const fit_slice *rows,
                       const double *local, double *gradient)
{
    const regress_model *m = regression_of(model);
    size_t d = mst_manifold_dim(manifold_of(model)), n = rows->n;
    double *c;
    MST_TRY(mst_allocate(&c, 2 * n * d));
    double *e = c + n * d;
    bool along = d <= FEW_DIMENSIONS && pushes(manifold_of(model));
    mst_status status = along ? pull_by_derivative(m, state, rows, local, c, e)
                              : pull_vectors(m, state, rows, local, c, e);
    if (status == MST_OK)
        add_gradient(m, rows, local, c, e, gradient);
    mst_release(c);
    return status;
}

/* out (2d + 1, 2d + 1) = [A B 0; 0 0 1]ᵀ H [A B 0; 0 0 1] of one row, H (d + 1, d + 1). */
static void sandwich_row(size_t d, const double *point, const double *speed, const double *h,
                         double *half, double *out)
{
    size_t L = d + 1, W = 2 * d + 1;
    /* half (L, W) = H [A B 0; 0 0 1] */
    for (size_t a = 0; a < L; a++) {
        double *to = half + a * W;
        memset(to, 0, W * sizeof *to);
        for (size_t b = 0; b < d; b++) {
            double f = h[a * L + b];
            for (size_t c = 0; c < d; c++) {
                to[c] += f * point[b * d + c];
                to[d + c] += f * speed[b * d + c];
            }
        }
        to[2 * d] = h[a * L + d];
    }
    memset(out, 0, W * W * sizeof *out);
    for (size_t b = 0; b < d; b++)
        for (size_t c = 0; c < d; c++) {
            double *one = out + c * W, *two = out + (d + c) * W;
            double p = point[b * d + c], s = speed[b * d + c];
            for (size_t e = 0; e < W; e++) {
                one[e] += p * half[b * W + e];
                two[e] += s * half[b * W + e];
            }
        }
    memcpy(out + 2 * d * W, half + d * W, W * sizeof *out);
}

/* Where block number k of the parameters begins, which part of a row it comes from, and its factor: the
 * point, the velocities, log t and the slopes. */
typedef struct block {
    size_t first, from, count;
    double factor;
} block;

static block block_at(const regress_model *m, size_t row, size_t d, size_t k)
{
    if (k == 0)
        return (block){0, 0, d, 1};
    if (k <= m->curve)
        return (block){k * d, d, d, covariate(m, row, k - 1)};
    size_t slope = k - m->curve - 1;
    double z = slope == 0 ? 1 : m->design->z[row * m->design->columns + slope - 1];
    return (block){(1 + m->curve) * d + slope, 2 * d, 1, z};
}

static size_t block_count(const regress_model *m)
{
    return 1 + m->curve + (m->model.time_is_free ? 1 + m->slopes : 0);
}

/* Adds Σ Jᵀ local J, local (n, L, L); room (L W + W²) with L = d + 1 and W = 2 d + 1. */
static void add_matrix(const regress_model *m, const fit_slice *rows, const double *point,
                       const double *speed, const double *local, double *room, double *matrix)
{
    size_t d = mst_manifold_dim(manifold_of(&m->model)), L = d + 1, W = 2 * d + 1;
    size_t q = m->model.parameters, blocks = block_count(m);
    double *half = room, *product = half + L * W;
    for (size_t i = 0; i < rows->n; i++) {
        sandwich_row(d, point + i * d * d, speed + i * d * d, local + i * L * L, half, product);
        for (size_t k = 0; k < blocks; k++) {
            block one = block_at(m, rows->first + i, d, k);
            for (size_t l = 0; l < blocks; l++) {
                block two = block_at(m, rows->first + i, d, l);
                double factor = one.factor * two.factor;
                for (size_t a = 0; a < one.count; a++)
                    for (size_t b = 0; b < two.count; b++)
                        matrix[(one.first + a) * q + two.first + b] +=
                            factor * product[(one.from + a) * W + two.from + b];
            }
        }
    }
}

/* Gradient, unless it is null, and matrix with one derivative for both. */
static mst_status pull_both(const fit_model *model, const double *state, const fit_slice *rows,
                            const double *local, const double *local_matrix, double *gradient,
                            double *matrix)
{
    const regress_model *m = regression_of(model);
    size_t d = mst_manifold_dim(manifold_of(model)), L = d + 1, W = 2 * d + 1, n = rows->n;
    double *point;
    MST_TRY(mst_allocate(&point, 2 * n * d * d + 2 * n * d + L * W + W * W));
    double *speed = point + n * d * d, *c = speed + n * d * d, *e = c + n * d, *room = e + n * d;
    mst_status status = regress_derivative(m, state, rows->first, n, rows->y, point, speed);
    if (status == MST_OK && gradient != NULL) {
        pull_through(d, n, point, speed, local, c, e);
        add_gradient(m, rows, local, c, e, gradient);
    }
    if (status == MST_OK)
        add_matrix(m, rows, point, speed, local_matrix, room, matrix);
    mst_release(point);
    return status;
}

static mst_status pull_matrix(const fit_model *model, const double *state, const fit_slice *rows,
                              const double *local, double *matrix)
{
    return pull_both(model, state, rows, NULL, local, NULL, matrix);
}

/* Velocities go along with the point in parallel, and change by their own parts of the step. */
static mst_status move(const fit_model *model, const double *from, const double *step, double *to)
{
    const regress_model *m = regression_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    size_t place = time_place(m), count = 1 + m->curve, last = count * d;
    double *v;
    MST_TRY(mst_allocate(&v, 2 * count * D));
    double *base = v + count * D;
    for (size_t j = 0; j < count; j++)
        memcpy(base + j * D, from, D * sizeof *base);
    mst_status status = mst_manifold_from_frame(manifold, count, base, step, v);
    if (status == MST_OK)
        status = mst_manifold_exp(manifold, 1, from, v, to);
    for (size_t j = 1; status == MST_OK && j < count; j++) {
        for (size_t a = 0; a < D; a++)
            v[j * D + a] += from[j * D + a];
        status = mst_manifold_transport(manifold, 1, from, v, v + j * D, to + j * D);
    }
    to[place] = model->time_is_free ? fit_clamp_time(model->source, from[place] * exp(step[last]))
                                    : from[place];
    for (size_t j = 0; j < m->slopes; j++)
        to[place + 1 + j] = from[place + 1 + j] + (model->time_is_free ? step[last + 1 + j] : 0);
    mst_release(v);
    return status;
}

static fit_part part(const fit_model *model, size_t k)
{
    const regress_model *m = regression_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), last = (1 + m->curve) * d;
    if (k > m->curve) {
        size_t slope = k - m->curve - 1;
        return (fit_part){.first = last + slope,
                          .count = 1,
                          .log_time = slope == 0,
                          .time = time_place(m),
                          .reach = slope == 0 ? INFINITY : 1};
    }
    double radius = mst_manifold_injectivity(manifold);
    return (fit_part){
        .first = k * d, .count = d, .reach = isfinite(radius) ? radius / 2 : INFINITY};
}

static void units(const fit_model *model, const double *state, double *out)
{
    const regress_model *m = regression_of(model);
    size_t curve = (1 + m->curve) * mst_manifold_dim(manifold_of(model));
    double unit = mst_score_gives(model->source, MST_GIVES_TIME) ? sqrt(state[time_place(m)]) : 1;
    for (size_t k = 0; k < model->parameters; k++)
        out[k] = k < curve ? unit : 1;
}

/* What arrives is what left, carried along. */
static mst_status velocities(const fit_model *model, const double *from, const double *step,
                             const double *to, double *leaving, double *arriving)
{
    const regress_model *m = regression_of(model);
    const mst_manifold *manifold = manifold_of(model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    double *v;
    MST_TRY(mst_allocate(&v, 3 * D));
    double *u = v + D, *carried = u + D;
    memcpy(leaving, step, model->parameters * sizeof *leaving);
    memcpy(arriving, step, model->parameters * sizeof *arriving);
    mst_status status = mst_manifold_from_frame(manifold, 1, from, step, v);
    for (size_t j = 0; status == MST_OK && j <= m->curve; j++) {
        status = mst_manifold_from_frame(manifold, 1, from, step + j * d, u);
        if (status == MST_OK)
            status = mst_manifold_transport(manifold, 1, from, v, u, carried);
        if (status == MST_OK)
            status = mst_manifold_to_frame(manifold, 1, to, carried, arriving + j * d);
    }
    size_t place = time_place(m), last = (1 + m->curve) * d;
    if (model->time_is_free)
        leaving[last] = arriving[last] = log(to[place] / from[place]);
    mst_release(v);
    return status;
}

mst_status regress_difference(const regress_model *m, const double *from, const double *to,
                              double *step)
{
    const mst_manifold *manifold = manifold_of(&m->model);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    size_t place = time_place(m), last = (1 + m->curve) * d;
    double *v;
    MST_TRY(mst_allocate(&v, 3 * D));
    double *back = v + D, *u = back + D;
    mst_status status = mst_manifold_log(manifold, 1, from, to, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(manifold, 1, from, v, step);
    if (status == MST_OK)
        status = mst_manifold_log(manifold, 1, to, from, back, NULL);
    for (size_t j = 1; status == MST_OK && j <= m->curve; j++) {
        status = mst_manifold_transport(manifold, 1, to, back, to + j * D, u);
        for (size_t a = 0; a < D; a++)
            u[a] -= from[j * D + a];
        if (status == MST_OK)
            status = mst_manifold_to_frame(manifold, 1, from, u, step + j * d);
    }
    if (m->model.time_is_free) {
        step[last] = log(to[place] / from[place]);
        for (size_t j = 0; j < m->slopes; j++)
            step[last + 1 + j] = to[place + 1 + j] - from[place + 1 + j];
    }
    mst_release(v);
    return status;
}

#define COMMON_SLOTS                                                                               \
    .per_row = true, .predict = predict, .pull = pull, .move = move, .part = part, .units = units, \
    .velocities = velocities
static const fit_model_ops with_matrices = {COMMON_SLOTS, .pull_matrix = pull_matrix,
                                            .pull_both = pull_both};
static const fit_model_ops without_matrices = {COMMON_SLOTS};

/* Beyond this dimension, or this many parameters of the curve, matrices take more time than they save. */
enum { MOST_DIMENSIONS = 40, MOST_MATRIX = 600 };

regress_model regress_model_of(const mst_score *source, const fit_rows *rows,
                               const regress_design *design, size_t curve,
                               const size_t *curve_columns, bool time_is_free, bool loglinear,
                               int threads)
{
    const mst_manifold *manifold = mst_score_manifold(source);
    size_t d = mst_manifold_dim(manifold), D = mst_manifold_ambient(manifold);
    size_t slopes = time_is_free && loglinear ? design->columns : 0;
    size_t times = time_is_free ? 1 + slopes : 0;
    bool small = d <= MOST_DIMENSIONS && d * (1 + curve) <= MOST_MATRIX;
    return (regress_model){.model = {.ops = small ? &with_matrices : &without_matrices,
                                     .source = source,
                                     .groups = 1,
                                     .rows = rows,
                                     .size = (1 + curve) * D + 1 + slopes,
                                     .parameters = (1 + curve) * d + times,
                                     .parts = 1 + curve + times,
                                     .time_is_free = time_is_free,
                                     .threads = threads},
                           .design = design,
                           .curve = curve,
                           .slopes = slopes,
                           .curve_columns = curve_columns};
}
