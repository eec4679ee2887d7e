/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds given by equations: projection, tangent spaces, curvature, and the table. */
#include "manifold/constraint.h"

#include "base/linalg.h"
#include "geodesic/log.h"
#include "manifold/fallback.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 };

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ---- What is known at points ---- */

mst_status constraint_room_new(constraint_room *r, const mst_manifold *m, size_t rows)
{
    size_t c = m->constraint->count, D = m->ambient;
    *r = (constraint_room){.rows = rows};
    MST_TRY(mst_allocate(&r->block,
                         rows * (2 * c + 2 * c * D + c * D * D) + c * (c + 2) + 3 * D + c * D));
    r->h = r->block;
    r->gradient = r->h + rows * c;
    r->normal = r->gradient + rows * c * D;
    r->hessian = r->normal + rows * c * D;
    r->lambda = r->hessian + rows * c * D * D;
    r->work = r->lambda + rows * c;
    return MST_OK;
}

void constraint_room_free(constraint_room *r)
{
    mst_release(r->block);
    r->block = NULL;
}

/* M⁻¹ G of one point. */
static void dual_gradients(size_t c, size_t D, const double *g, double *work, double *normal)
{
    double *gram = work, *columns = work + c * c;
    if (c == 1) {
        double inverse = 1 / dot(D, g, g);
        for (size_t a = 0; a < D; a++)
            normal[a] = isfinite(inverse) ? g[a] * inverse : NAN;
        return;
    }
    for (size_t i = 0; i < c; i++)
        for (size_t k = 0; k < c; k++)
            gram[i * c + k] = dot(D, g + i * D, g + k * D);
    bool good = mst_all_finite(c * c, gram);
    /* Right-hand sides are the columns of G. */
    for (size_t a = 0; good && a < D; a++) {
        for (size_t i = 0; i < c; i++)
            columns[i] = g[i * D + a];
        good = mst_solve(1, c, 1, gram, columns, columns + c, NULL) == MST_OK;
        for (size_t i = 0; i < c; i++)
            normal[i * D + a] = columns[c + i];
    }
    for (size_t k = 0; !good && k < c * D; k++)
        normal[k] = NAN;
}

mst_status constraint_gradients(const mst_manifold *m, size_t n, const double *x,
                                constraint_room *r)
{
    size_t c = m->constraint->count, D = m->ambient;
    MST_TRY(m->constraint->ops.constraint(m, n, x, r->h, r->gradient));
    for (size_t i = 0; i < n; i++)
        dual_gradients(c, D, r->gradient + i * c * D, r->work, r->normal + i * c * D);
    return MST_OK;
}

mst_status constraint_hessians(const mst_manifold *m, size_t n, const double *x, constraint_room *r)
{
    size_t c = m->constraint->count, D = m->ambient;
    MST_TRY(constraint_gradients(m, n, x, r));
    for (size_t k = 0; k < c; k++) {
        memset(r->lambda, 0, n * c * sizeof *r->lambda);
        for (size_t i = 0; i < n; i++)
            r->lambda[i * c + k] = 1;
        MST_TRY(m->constraint->ops.constraint_hessian(m, n, x, r->lambda,
                                                      r->hessian + k * r->rows * D * D));
    }
    return MST_OK;
}

void constraint_make_tangent(const mst_manifold *m, const constraint_room *r, size_t i, double *w)
{
    size_t c = m->constraint->count, D = m->ambient;
    for (size_t k = 0; k < c; k++) {
        double part = dot(D, r->normal + (i * c + k) * D, w);
        r->lambda[k] = part;
    }
    for (size_t k = 0; k < c; k++)
        for (size_t a = 0; a < D; a++)
            w[a] -= r->lambda[k] * r->gradient[(i * c + k) * D + a];
}

static const double *hessian_of(const mst_manifold *m, const constraint_room *r, size_t k, size_t i)
{
    return r->hessian + (k * r->rows + i) * m->ambient * m->ambient;
}

static double form(size_t D, const double *a, const double *matrix, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < D; i++)
        sum += a[i] * dot(D, matrix + i * D, b);
    return sum;
}

void constraint_bend(const mst_manifold *m, const constraint_room *r, size_t i, const double *a,
                     const double *b, double *out)
{
    size_t c = m->constraint->count, D = m->ambient;
    memset(out, 0, D * sizeof *out);
    for (size_t k = 0; k < c; k++) {
        double size = form(D, a, hessian_of(m, r, k, i), b);
        for (size_t e = 0; e < D; e++)
            out[e] -= size * r->normal[(i * c + k) * D + e];
    }
}

/* <R(j, v)v, w> = <II(v, v), II(j, w)> − <II(j, v), II(v, w)>, and <ν, II(a, w)> = −Σ_k
 * (M⁻¹Gν)_k wᵀ A_k a. */
void constraint_curvature(const mst_manifold *m, const constraint_room *r, size_t i,
                          const double *j, const double *v, double *out)
{
    size_t c = m->constraint->count, D = m->ambient;
    double *own = r->work, *mixed = own + D;
    constraint_bend(m, r, i, v, v, own);
    constraint_bend(m, r, i, j, v, mixed);
    memset(out, 0, D * sizeof *out);
    for (size_t k = 0; k < c; k++) {
        const double *dual = r->normal + (i * c + k) * D, *a = hessian_of(m, r, k, i);
        double one = dot(D, dual, own), other = dot(D, dual, mixed);
        for (size_t e = 0; e < D; e++)
            out[e] += other * dot(D, a + e * D, v) - one * dot(D, a + e * D, j);
    }
    constraint_make_tangent(m, r, i, out);
}

/* ---- Points ---- */

mst_status constraint_project(const mst_manifold *m, size_t n, const double *x, double *y,
                              size_t *row)
{
    enum { MOST = 50 };
    size_t c = m->constraint->count, D = m->ambient;
    constraint_room r;
    MST_TRY(constraint_room_new(&r, m, 1));
    memmove(y, x, n * D * sizeof *y);
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double last = INFINITY, size = 0, *at = y + i * D;
        for (size_t step = 0; status == MST_OK && step < MOST; step++) {
            status = constraint_gradients(m, 1, at, &r);
            double moved = 0, scale = 0;
            for (size_t a = 0; status == MST_OK && a < D; a++) {
                double by = 0;
                for (size_t k = 0; k < c; k++)
                    by += r.h[k] * r.normal[k * D + a];
                at[a] -= by;
                moved += by * by;
                scale += at[a] * at[a];
            }
            size = sqrt(moved);
            /* Rounding of the point itself is as near as one gets. */
            if (!(size > 4e-16 * fmax(1e-300, sqrt(scale))) || (size < 1e-13 && size >= last) ||
                isnan(size))
                break;
            last = size;
        }
        *row = i;
        if (status == MST_OK && !(size < 1e-8))
            status = mst_fail(MST_DOMAIN, "no point of the manifold is found nearby");
    }
    constraint_room_free(&r);
    return status;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    size_t row = 0;
    mst_status status = constraint_project(m, n, x, y, &row);
    return status == MST_DOMAIN ? mst_fail(status, "row %zu: %s", row + 1, mst_error_detail())
                                : status;
}

/* How far the point is off, to first order, against its size. */
static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    size_t c = m->constraint->count, D = m->ambient;
    constraint_room r;
    MST_TRY(constraint_room_new(&r, m, 1));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *at = x + i * D;
        double off = 0, scale = dot(D, at, at);
        unsigned char inside = mst_all_finite(D, at);
        *row = i;
        if (inside && m->constraint->ops.domain != NULL)
            m->constraint->ops.domain(m, 1, at, &inside);
        if (!inside)
            status = mst_fail(MST_DOMAIN, "the coordinates are not finite, or outside the domain");
        if (status == MST_OK)
            status = constraint_gradients(m, 1, at, &r);
        for (size_t a = 0; status == MST_OK && a < D; a++) {
            double by = 0;
            for (size_t k = 0; k < c; k++)
                by += r.h[k] * r.normal[k * D + a];
            off += by * by;
        }
        if (status == MST_OK && !(sqrt(off) <= 1e-6 * fmax(1, sqrt(scale))))
            status = mst_fail(MST_DOMAIN, "the point is off the manifold by about %.2g", sqrt(off));
    }
    constraint_room_free(&r);
    return status;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    size_t D = m->ambient;
    constraint_room r;
    MST_TRY(constraint_room_new(&r, m, BLOCK));
    memmove(v, w, n * D * sizeof *v);
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        status = constraint_gradients(m, count, x + at * D, &r);
        for (size_t i = 0; status == MST_OK && i < count; i++)
            constraint_make_tangent(m, &r, i, v + (at + i) * D);
    }
    constraint_room_free(&r);
    return status;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)x;
    for (size_t i = 0; i < n; i++)
        out[i] = dot(m->ambient, u + i * m->ambient, v + i * m->ambient);
    return MST_OK;
}

/* ---- Curvature ---- */

/* Ric v = Σ_e R(v, e)e over an orthonormal frame: for each constraint pair, traces of Hessians on the tangent
 * space. */
static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    size_t d = m->dim, D = m->ambient;
    constraint_room r;
    double *frame;
    MST_TRY(mst_allocate(&frame, d * D + 2 * D));
    double *part = frame + d * D, *sum = part + D;
    mst_status status = constraint_room_new(&r, m, 1);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = constraint_hessians(m, 1, x + i * D, &r);
        if (status == MST_OK)
            status = mst_manifold_frame(m, 1, x + i * D, frame);
        memset(sum, 0, D * sizeof *sum);
        for (size_t e = 0; status == MST_OK && e < d; e++) {
            constraint_curvature(m, &r, 0, v + i * D, frame + e * D, part);
            for (size_t a = 0; a < D; a++)
                sum[a] += part[a];
        }
        memcpy(out + i * D, sum, D * sizeof *sum);
    }
    constraint_room_free(&r);
    mst_release(frame);
    return status;
}

/* Along the gradients back to the manifold: the value x and the derivative of Exp at 0. */
static mst_status retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *y)
{
    for (size_t k = 0; k < n * m->ambient; k++)
        y[k] = x[k] + v[k];
    return project(m, n, y, y);
}

/* ---- Construction ---- */

static const mst_manifold_ops adapter = {
    .size = sizeof(mst_manifold_ops),
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = constraint_exp,
    .validate = validate,
    .log = geodesic_log,
    .dist = geodesic_dist,
    .transport = constraint_transport,
    .exp_derivative = constraint_exp_derivative,
    .retract = retract,
    .ricci = ricci,
};

mst_status mst_constraint_new(mst_manifold **out, const mst_constraint_ops *ops, const char *spec,
                              size_t ambient, size_t constraints, void *data)
{
    *out = NULL;
    struct mst_constraint *own;
    mst_constraint_ops table = {0};
    memcpy(&table, ops, ops->size < sizeof table ? ops->size : sizeof table);
    bool whole = table.name != NULL && table.start != NULL && table.constraint != NULL &&
                 table.constraint_hessian != NULL;
    mst_status status =
        !whole
            ? mst_fail(MST_ARGUMENT, "%s: a required slot of the table is empty, or its size", spec)
        : constraints < 1 || constraints >= ambient
            ? mst_fail(MST_ARGUMENT, "%s: %zu constraints in %zu dimensions", spec, constraints,
                       ambient)
            : mst_allocate(&own, 1);
    if (status != MST_OK) {
        if (table.free_data != NULL)
            table.free_data(data);
        return status;
    }
    *own = (struct mst_constraint){table, constraints};
    mst_manifold_ops filled = adapter;
    filled.name = table.name;
    filled.start = table.start;
    filled.injectivity = table.injectivity;
    filled.free_data = table.free_data;
    status = mst_manifold_new(out, &filled, spec, ambient - constraints, ambient, data);
    if (status != MST_OK) {
        mst_release(own);
        return status;
    }
    (*out)->constraint = own;
    /* Geodesics take an integration and logarithms a search. */
    (*out)->traits.closed &= MST_CLOSED_RICCI;
    (*out)->traits.embedding = 1;
    if (table.traits != NULL)
        table.traits(*out, &(*out)->traits);
    return MST_OK;
}
