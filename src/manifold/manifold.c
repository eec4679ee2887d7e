/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The public face of a manifold: each operation takes the slot of the table or its fall-back. */
#include "manifold/fallback.h"
#include "manifold/formula_content.h"
#include "manifold/internal.h"

#include <math.h>
#include <string.h>

/* The part of the table that the program and this library both know; false if the
 * required slots are not in it. */
static bool copy_table(const mst_manifold_ops *from, mst_manifold_ops *to)
{
    *to = (mst_manifold_ops){0};
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    return to->start != NULL && to->project != NULL && to->tangent != NULL && to->inner != NULL &&
           to->exp != NULL;
}

static void find_traits(mst_manifold *m)
{
    const mst_manifold_ops *ops = &m->ops;
    m->traits = (mst_manifold_traits){
        .closed = MST_CLOSED_EXP | (ops->log != NULL ? MST_CLOSED_LOG : 0) |
                  (ops->dist != NULL || ops->log != NULL ? MST_CLOSED_DIST : 0) |
                  (ops->transport != NULL ? MST_CLOSED_TRANSPORT : 0) |
                  (ops->ricci != NULL ? MST_CLOSED_RICCI : 0) |
                  (ops->exp_derivative != NULL ? MST_CLOSED_EXP_DERIVATIVE : 0),
        .curvature = NAN,
        .curvature_above = NAN,
        .beside_line = NAN,
        .embedding = NAN,
    };
    if (m->dim == 1) {
        m->traits.flat = MST_YES;
        m->traits.curvature = m->traits.curvature_above = 0;
        m->traits.frame_is_divergence_free = true;
    }
    if (ops->traits != NULL)
        ops->traits(m, &m->traits);
    if (!isnan(m->traits.curvature) && (m->traits.closed & MST_CLOSED_TRANSPORT) != 0)
        m->traits.closed |= MST_CLOSED_EXP_DERIVATIVE;
}

mst_status mst_manifold_new(mst_manifold **out, const mst_manifold_ops *ops, const char *spec,
                            size_t dim, size_t ambient, void *data)
{
    *out = NULL;
    mst_manifold *m = NULL;
    mst_manifold_ops table;
    mst_status status = MST_OK;
    if (!copy_table(ops, &table))
        status =
            mst_fail(MST_ARGUMENT, "%s: a required slot of the table is empty, or its size", spec);
    else if (dim < 1 || ambient < dim)
        status = mst_fail(MST_ARGUMENT, "%s: dimension %zu in %zu coordinates", spec, dim, ambient);
    if (status == MST_OK)
        status = mst_allocate(&m, 1);
    if (status == MST_OK) {
        *m = (mst_manifold){.ops = table, .dim = dim, .ambient = ambient, .data = data};
        status = mst_copy_string(&m->spec, spec);
    }
    if (status != MST_OK) {
        mst_release(m);
        if (table.free_data != NULL)
            table.free_data(data);
        return status;
    }
    find_traits(m);
    *out = m;
    return MST_OK;
}

void mst_manifold_free(mst_manifold *m)
{
    if (m == NULL)
        return;
    if (m->ops.free_data != NULL)
        m->ops.free_data(m->data);
    mst_release(m->metric);
    mst_release(m->constraint);
    mst_formula_content_free(m->formula);
    mst_release(m->spec);
    mst_release(m);
}

size_t mst_manifold_dim(const mst_manifold *m)
{
    return m->dim;
}

size_t mst_manifold_ambient(const mst_manifold *m)
{
    return m->ambient;
}

const char *mst_manifold_spec(const mst_manifold *m)
{
    return m->spec;
}

const mst_manifold_ops *mst_manifold_table(const mst_manifold *m)
{
    return &m->ops;
}

void *mst_manifold_data(const mst_manifold *m)
{
    return m->data;
}

const mst_manifold_traits *mst_manifold_traits_of(const mst_manifold *m)
{
    return &m->traits;
}

bool mst_manifold_is_flat(const mst_manifold *m)
{
    return m->traits.flat == MST_YES;
}

double mst_manifold_injectivity(const mst_manifold *m)
{
    return m->ops.injectivity != NULL ? m->ops.injectivity(m) : NAN;
}

void mst_manifold_start(const mst_manifold *m, double *x)
{
    m->ops.start(m, x);
    for (size_t i = 0; i < m->ambient; i++)
        x[i] += 0.0; /* it is printed, and a zero has no sign there */
}

/* `slot` of the table with the arguments (m, n, …), or the fall-back of the same name. */
#define SLOT(slot, ...)                                     \
    (n == 0                ? MST_OK                         \
     : m->ops.slot != NULL ? m->ops.slot(m, n, __VA_ARGS__) \
                           : mst_fallback_##slot(m, n, __VA_ARGS__))

mst_status mst_manifold_validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t first_bad = 0;
    mst_status status = SLOT(validate, x, &first_bad);
    if (status != MST_OK && row != NULL)
        *row = first_bad;
    return status;
}

mst_status mst_manifold_project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    return n == 0 ? MST_OK : m->ops.project(m, n, x, y);
}

mst_status mst_manifold_tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                                double *v)
{
    return n == 0 ? MST_OK : m->ops.tangent(m, n, x, w, v);
}

mst_status mst_manifold_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                              const double *v, double *out)
{
    return n == 0 ? MST_OK : m->ops.inner(m, n, x, u, v, out);
}

/* A power of two that brings numbers of this size near one where their squares would
 * leave the range of doubles. */
static double norm_scale(double largest)
{
    bool harmless = largest == 0 || (largest > 1e-140 && largest < 1e140) || !isfinite(largest);
    return harmless ? 1 : scalbn(1, ilogb(largest));
}

mst_status mst_manifold_norm(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *out)
{
    enum { BLOCK = 64 };
    size_t D = m->ambient;
    double *unit, scale[BLOCK];
    MST_TRY(mst_allocate(&unit, BLOCK * D));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        for (size_t i = 0; i < count; i++) {
            const double *row = v + (at + i) * D;
            double largest = 0;
            for (size_t a = 0; a < D; a++)
                largest = fmax(largest, fabs(row[a]));
            scale[i] = norm_scale(largest);
            for (size_t a = 0; a < D; a++)
                unit[i * D + a] = row[a] / scale[i];
        }
        status = m->ops.inner(m, count, x + at * D, unit, unit, out + at);
        for (size_t i = 0; status == MST_OK && i < count; i++)
            out[at + i] = scale[i] * sqrt(fmax(out[at + i], 0));
    }
    mst_release(unit);
    return status;
}

mst_status mst_manifold_from_frame(const mst_manifold *m, size_t n, const double *x,
                                   const double *c, double *v)
{
    return SLOT(from_frame, x, c, v);
}

mst_status mst_manifold_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 double *c)
{
    return SLOT(to_frame, x, v, c);
}

mst_status mst_manifold_frame(const mst_manifold *m, size_t n, const double *x, double *e)
{
    size_t d = m->dim, D = m->ambient;
    double *unit, *base;
    if (m->ops.from_frame == NULL)
        return mst_fallback_frame(m, n, x, e);
    MST_TRY(mst_allocate_zero(&unit, d * d));
    mst_status status = mst_allocate(&base, d * D);
    for (size_t k = 0; status == MST_OK && k < d; k++)
        unit[k * d + k] = 1;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        for (size_t k = 0; k < d; k++)
            for (size_t a = 0; a < D; a++)
                base[k * D + a] = x[i * D + a];
        status = mst_manifold_from_frame(m, d, base, unit, e + i * d * D);
    }
    mst_release(base);
    mst_release(unit);
    return status;
}

mst_status mst_manifold_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            double *y)
{
    return n == 0 ? MST_OK : m->ops.exp(m, n, x, v, y);
}

mst_status mst_manifold_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    return SLOT(log, x, y, v, flag);
}

mst_status mst_manifold_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r)
{
    return SLOT(dist, x, y, r);
}

mst_status mst_manifold_polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *v, double *r, double *rest)
{
    if (isnan(mst_round_curvature(m)))
        return mst_fail(MST_UNABLE, "%s is not known to have constant curvature", m->spec);
    return SLOT(polar, x, y, v, r, rest);
}

mst_status mst_manifold_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *u, double *out)
{
    return SLOT(transport, x, v, u, out);
}

mst_status mst_manifold_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                       const double *v, const double *dx, const double *dv,
                                       double *dy)
{
    return SLOT(exp_derivative, x, v, dx, dv, dy);
}

mst_status mst_manifold_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *w, double *dx, double *dv)
{
    return SLOT(exp_adjoint, x, v, w, dx, dv);
}

mst_status mst_manifold_retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                                double *y)
{
    if (n == 0)
        return MST_OK;
    return (m->ops.retract != NULL ? m->ops.retract : m->ops.exp)(m, n, x, v, y);
}

mst_status mst_manifold_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                               double *f, double *v, double *laplacian)
{
    return SLOT(toward, x, y, f, v, laplacian);
}

mst_status mst_near_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v)
{
    size_t D = m->ambient;
    if (m->ops.near_log == NULL)
        return mst_manifold_toward(m, n, x, y, NULL, v, NULL);
    MST_TRY(m->ops.near_log(m, n, x, y, v));
    for (size_t i = 0; i < n; i++)
        if (isnan(v[i * D]))
            MST_TRY(mst_manifold_toward(m, 1, x + i * D, y + i * D, NULL, v + i * D, NULL));
    return MST_OK;
}

void mst_move_together(const mst_manifold *m, size_t n, double *x, double *y)
{
    size_t space = m->traits.landmark_dim, D = m->ambient;
    for (size_t i = 0; m->traits.moves_together && i < n; i++)
        for (size_t c = 0; c < space; c++) {
            double centre = 0;
            for (size_t k = c; k < D; k += space)
                centre += x[i * D + k] * (double)space / (double)D;
            for (size_t k = c; k < D; k += space) {
                x[i * D + k] -= centre;
                y[i * D + k] -= centre;
            }
        }
}

mst_status mst_manifold_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *out)
{
    return SLOT(ricci, x, v, out);
}

mst_status mst_ricci_twice(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *first, double *second)
{
    if (m->ops.ricci == NULL)
        return mst_fallback_ricci_twice(m, n, x, v, first, second);
    MST_TRY(mst_manifold_ricci(m, n, x, v, first));
    return mst_manifold_ricci(m, n, x, first, second);
}

mst_status mst_manifold_random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                                     double *x)
{
    if (n == 0)
        return MST_OK;
    return m->ops.random_point != NULL ? m->ops.random_point(m, r, first, n, x)
                                       : mst_fallback_random_point(m, r, first, n, x);
}

mst_status mst_manifold_chart_coords(const mst_manifold *m, size_t n, const double *c,
                                     const double *x, double *u)
{
    return SLOT(chart_coords, c, x, u);
}

mst_status mst_manifold_chart_point(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *x)
{
    return SLOT(chart_point, c, u, x);
}

mst_status mst_manifold_chart_metric(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *g)
{
    return SLOT(chart_metric, c, u, g);
}

mst_status mst_manifold_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                          const double *u, double *gamma)
{
    return SLOT(chart_christoffel, c, u, gamma);
}

double mst_manifold_chart_radius(const mst_manifold *m)
{
    return m->ops.chart_radius != NULL ? m->ops.chart_radius(m) : mst_fallback_chart_radius(m);
}

mst_status mst_manifold_chart_diffusion(const mst_manifold *m, size_t n, const double *c,
                                        const double *u, double *b, double *sigma)
{
    return SLOT(chart_diffusion, c, u, b, sigma);
}

mst_status mst_manifold_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                             mst_noise noise)
{
    return SLOT(walk, x, h, steps, noise);
}

size_t mst_manifold_remarks(const mst_manifold *m, const double *x, double t, size_t most,
                            mst_remark *out)
{
    size_t count = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *part = mst_manifold_factor(m, f);
        if (part->ops.remarks != NULL)
            count += part->ops.remarks(part, x, t, most - count, out + count);
        x += part->ambient;
    }
    return count;
}
