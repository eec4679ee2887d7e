/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmark manifolds: the metric of which everything is made, and the constructor. With p = K⁻¹v the
 * Lagrangian is L = H(x, p), ∂L/∂x = −∂H/∂x and ∂L/∂v = p. */
#include "manifold/landmarks.h"

#include "manifold/landmarks_roll.h"
#include "manifold/metric.h"
#include "manifold/runge_kutta.h"
#include "manifold/spec.h"
#include "util/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kernel_names[] = {
    [LANDMARK_GAUSS] = "gauss",
    [LANDMARK_MATERN32] = "matern32",
    [LANDMARK_MATERN52] = "matern52",
    [LANDMARK_LAPLACE] = "laplace",
};
enum { KERNELS = sizeof kernel_names / sizeof *kernel_names, MOST_LANDMARKS = 1000 };

static const landmark_shape *shape_of(const mst_manifold *m)
{
    return &((const landmarks *)mst_manifold_data(m))->shape;
}

/* ---- Slots of the metric ---- */

/* Equally spaced from −5 to 5 on the first axis. */
static void start(const mst_manifold *m, double *x)
{
    const landmark_shape *s = shape_of(m);
    memset(x, 0, m->dim * sizeof *x);
    for (size_t a = 0; a < s->count; a++)
        x[a * s->space] = s->count > 1 ? -5 + 10 * (double)a / (double)(s->count - 1) : 0;
}

/* Rows where there is no metric. */
static void fill(size_t d, double *a, double *b)
{
    for (size_t k = 0; k < d; k++)
        a[k] = b[k] = NAN;
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    landmark_place at;
    size_t d = m->dim;
    MST_TRY(landmark_place_new(&at, shape_of(m)));
    double *p = at.room, *dq = p + at.half, *dp = dq + at.half;
    for (size_t i = 0; i < n; i++) {
        l[i] = NAN;
        if (!landmark_place_at(&at, x + i * d, 0)) {
            fill(d, l_x + i * d, l_v + i * d);
            continue;
        }
        landmark_columns(at.shape, v + i * d, p);
        landmark_lower(&at, p);
        at.kernels->slopes(at.shape, at.q, p, dq, dp, at.pair[0]);
        landmark_row(at.shape, p, l_v + i * d);
        landmark_row(at.shape, dp, l_x + i * d);
        l[i] = 0;
        for (size_t k = 0; k < d; k++)
            l[i] += 0.5 * v[i * d + k] * l_v[i * d + k];
    }
    landmark_place_free(&at);
    return MST_OK;
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    landmark_place at;
    size_t d = m->dim;
    MST_TRY(landmark_place_new(&at, shape_of(m)));
    double *p = at.room, *way = p + at.half, *dp = way + at.half, *out = dp + at.half;
    for (size_t i = 0; i < n; i++) {
        if (!landmark_place_at(&at, x + i * d, 2)) {
            fill(d, dl_x + i * d, dl_v + i * d);
            continue;
        }
        landmark_columns(at.shape, v + i * d, p);
        landmark_columns(at.shape, dx + i * d, way);
        landmark_columns(at.shape, dv + i * d, dp);
        landmark_lower(&at, p);
        landmark_turn(&at, p, way, dp);
        landmark_lower(&at, dp);
        landmark_bend(&at, p, way, dp, out);
        landmark_row(at.shape, dp, dl_v + i * d);
        landmark_row(at.shape, out, dl_x + i * d);
    }
    landmark_place_free(&at);
    return MST_OK;
}

/* Rows through a map by columns at their points. */
static mst_status map_rows(const mst_manifold *m, size_t n, const double *x, const double *in,
                           void (*map)(const landmark_place *p, double *v), double *out)
{
    landmark_place at;
    size_t d = m->dim;
    MST_TRY(landmark_place_new(&at, shape_of(m)));
    for (size_t i = 0; i < n; i++) {
        bool regular = landmark_place_at(&at, x + i * d, 0);
        landmark_columns(at.shape, in + i * d, at.room);
        if (regular)
            map(&at, at.room);
        landmark_row(at.shape, at.room, out + i * d);
        if (!regular)
            fill(d, out + i * d, out + i * d);
    }
    landmark_place_free(&at);
    return MST_OK;
}

static mst_status root(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       double *v)
{
    return map_rows(m, n, x, xi, landmark_colour, v);
}

static mst_status root_inverse(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *xi)
{
    return map_rows(m, n, x, v, landmark_whiten, xi);
}

/* The first two landmarks of a row that coincide, as far as that can be told. */
static bool coincide(const landmark_shape *s, const double *x, size_t *a, size_t *b)
{
    for (*a = 0; *a < s->count; ++*a)
        for (*b = *a + 1; *b < s->count; ++*b)
            if (memcmp(x + *a * s->space, x + *b * s->space, s->space * sizeof *x) == 0)
                return true;
    return false;
}

/* Without a nugget not where landmarks coincide; where they merely are too close for rounding, what is asked
 * of the metric is NAN. */
static void domain(const mst_manifold *m, size_t n, const double *x, unsigned char *inside)
{
    const landmark_shape *s = shape_of(m);
    size_t a, b;
    for (size_t i = 0; i < n; i++)
        inside[i] = s->nugget > 0 || !coincide(s, x + i * m->dim, &a, &b);
}

static void traits(const mst_manifold *m, mst_manifold_traits *t)
{
    bool alone = shape_of(m)->count == 1;
    t->compact = MST_NO;
    t->landmark_dim = shape_of(m)->space;
    t->kernel_width = shape_of(m)->sigma;
    t->moves_together = true;
    t->flat = t->hadamard = alone ? MST_YES : MST_NO;
    if (alone)
        t->curvature = t->curvature_above = 0;
}

static double injectivity(const mst_manifold *m)
{
    return shape_of(m)->count == 1 ? INFINITY : NAN;
}

/* ---- Slots of the manifold ---- */

static mst_status is_regular(const mst_manifold *m, const double *x, bool *regular)
{
    landmark_place at;
    MST_TRY(landmark_place_new(&at, shape_of(m)));
    *regular = landmark_place_at(&at, x, 0);
    landmark_place_free(&at);
    return MST_OK;
}

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    const landmark_shape *s = shape_of(m);
    for (size_t i = 0; i < n; i++) {
        const double *at = x + i * m->dim;
        size_t a, b;
        bool regular;
        *row = i;
        for (size_t k = 0; k < m->dim; k++)
            if (!isfinite(at[k]))
                return mst_fail(MST_DOMAIN, "a coordinate of landmark %zu is not finite",
                                k / s->space + 1);
        if (s->nugget == 0 && coincide(s, at, &a, &b))
            return mst_fail(MST_DOMAIN,
                            "landmarks %zu and %zu coincide, and there the metric is singular; a "
                            "nugget, as in nugget=0.01, allows it",
                            a + 1, b + 1);
        MST_TRY(is_regular(m, at, &regular));
        if (!regular)
            return mst_fail(MST_DOMAIN,
                            "landmarks are so close together for the kernel of width %g that the "
                            "metric is singular in rounding; take a nugget, as in nugget=0.01, or "
                            "a smaller sigma",
                            s->sigma);
    }
    return MST_OK;
}

static mst_status flow_slopes(void *context, size_t n, const double *state, double *out)
{
    landmark_place *at = context;
    size_t half = at->half;
    for (size_t i = 0; i < n; i++, state += 2 * half, out += 2 * half) {
        for (size_t k = 0; k < half; k++)
            at->room[k] = at->q[k] + state[k];
        at->kernels->slopes(at->shape, at->room, state + half, out, out + half, at->pair[0]);
    }
    return MST_OK;
}

/* Row by row; `status` has room for one. */
static mst_status follow_row(landmark_place *at, const double *x, const double *v, double *state,
                             double *y)
{
    const landmark_shape *s = at->shape;
    size_t half = at->half;
    if (!landmark_place_at(at, x, 0))
        return mst_fail(MST_DOMAIN, "a geodesic starts where the metric is singular");
    landmark_columns(s, v, state + half);
    double size = 0;
    for (size_t k = 0; k < half; k++)
        size += state[half + k] * state[half + k];
    size = sqrt(size) / s->sigma;
    if (!isfinite(size))
        return mst_fail(MST_DOMAIN, "the length of a vector is not finite");
    memset(state, 0, half * sizeof *state);
    landmark_lower(at, state + half);
    mst_status end;
    rk_system system = {.width = 2 * half,
                        .judged = half,
                        .slopes = flow_slopes,
                        .context = at,
                        .tolerance = 2e-14 * s->sigma,
                        .most = 20000};
    MST_TRY(rk_run(&system, 1, &size, state, &end));
    for (size_t k = 0; k < half; k++)
        state[k] += at->q[k];
    if (end == MST_OK && !landmark_place_columns(at, state, 0))
        end = MST_DOMAIN;
    if (end != MST_OK)
        return mst_fail(end,
                        "a geodesic of landmarks could not be followed to its end; a nugget, as in "
                        "nugget=0.01, or a smaller sigma makes the metric less singular");
    landmark_row(s, state, y);
    return MST_OK;
}

mst_status landmark_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *y)
{
    landmark_place at;
    double *state;
    size_t d = m->dim;
    MST_TRY(landmark_place_new(&at, shape_of(m)));
    mst_status status = mst_allocate(&state, 2 * at.half);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = follow_row(&at, x + i * d, v + i * d, state, y + i * d);
    mst_release(state);
    landmark_place_free(&at);
    return status;
}

/* ---- Construction ---- */

static void free_data(void *data)
{
    mst_release(data);
}

static const mst_metric_ops metric_ops = {
    .size = sizeof metric_ops,
    .name = "landmarks",
    .start = start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .domain = domain,
    .traits = traits,
    .injectivity = injectivity,
    .root = root,
    .root_inverse = root_inverse,
    .ricci = landmark_ricci,
    .drift = landmark_drift,
    .free_data = free_data,
};

mst_status mst_landmarks_new(mst_manifold **out, size_t count, size_t space, double sigma,
                             double alpha, double nugget, mst_landmark_kernel kernel)
{
    *out = NULL;
    if (count < 1 || count > MOST_LANDMARKS)
        return mst_fail(MST_ARGUMENT,
                        "landmarks:%zux%zu is out of range; from 1 to %d landmarks are possible",
                        count, space, MOST_LANDMARKS);
    if (space != 2 && space != 3)
        return mst_fail(
            MST_ARGUMENT,
            "landmarks:%zux%zu: landmarks are points of the plane, as in landmarks:4x2, "
            "or of space, as in landmarks:4x3",
            count, space);
    if (!(sigma > 0) || !isfinite(sigma))
        return mst_fail(MST_ARGUMENT, "landmarks: the width sigma must be above 0, not %g", sigma);
    if (!(alpha > 0) || !isfinite(alpha))
        return mst_fail(MST_ARGUMENT, "landmarks: the amplitude alpha must be above 0, not %g",
                        alpha);
    if (!(nugget >= 0) || !isfinite(nugget))
        return mst_fail(MST_ARGUMENT, "landmarks: the nugget must be 0 or more, not %g", nugget);
    char spec[200], number[3][MST_DOUBLE_TEXT];
    mst_format_double(sigma, number[0]);
    mst_format_double(alpha, number[1]);
    mst_format_double(nugget, number[2]);
    bool gauss = kernel == MST_LANDMARKS_GAUSS;
    snprintf(spec, sizeof spec, "landmarks:%zux%zu?sigma=%s%s%s%s%s%s%s", count, space, number[0],
             alpha != 1 ? "&alpha=" : "", alpha != 1 ? number[1] : "",
             nugget != 0 ? "&nugget=" : "", nugget != 0 ? number[2] : "",
             gauss ? "" : "&kernel=", gauss ? "" : kernel_names[kernel]);
    landmarks *data;
    MST_TRY(mst_allocate_zero(&data, 1));
    data->d = count * space;
    data->shape = (landmark_shape){.kind = (landmark_kind)kernel,
                                   .sigma = sigma,
                                   .alpha = alpha,
                                   .nugget = nugget,
                                   .count = count,
                                   .wide = (count + 7) / 8 * 8,
                                   .space = space};
    MST_TRY(mst_metric_new(out, &metric_ops, spec, data->d, data));
    (*out)->ops.validate = validate;
    (*out)->ops.exp = landmark_exp;
    (*out)->ops.exp_derivative = landmark_exp_derivative;
    (*out)->ops.toward = landmark_toward;
    (*out)->ops.walk = landmark_walk;
    if (landmark_can_roll(&data->shape)) {
        (*out)->ops.roll = landmark_roll;
        (*out)->ops.near_log = landmark_near_log;
    }
    (*out)->own = &landmark_geodesics;
    return MST_OK;
}

/* A number among the options; as it is where it is not given. */
static mst_status option(const char *text, const char *name, double *value)
{
    if (text == NULL || mst_parse_double(text, strlen(text), value))
        return MST_OK;
    if (strcmp(text, "auto") == 0)
        return mst_fail(MST_ARGUMENT,
                        "landmarks: %s=auto needs data to choose it by; the command mean does that "
                        "with --%s auto",
                        name, name);
    return mst_fail(MST_ARGUMENT, "landmarks: %s must be a number, not \"%.40s\"", name, text);
}

mst_status mst_landmarks_from_spec(mst_manifold **out, const mst_spec_arguments *a)
{
    double sigma = 0.5, alpha = 1, nugget = 0;
    MST_TRY(option(a->value[0], "sigma", &sigma));
    MST_TRY(option(a->value[1], "alpha", &alpha));
    MST_TRY(option(a->value[2], "nugget", &nugget));
    int kernel = 0;
    while (a->value[3] != NULL && kernel < KERNELS &&
           strcmp(kernel_names[kernel], a->value[3]) != 0)
        kernel++;
    if (kernel == KERNELS)
        return mst_fail(MST_ARGUMENT,
                        "landmarks have the kernels gauss, matern32, matern52 and laplace, not "
                        "\"%.40s\"",
                        a->value[3]);
    return mst_landmarks_new(out, a->order[0], a->order[1], sigma, alpha, nugget,
                             (mst_landmark_kernel)kernel);
}
