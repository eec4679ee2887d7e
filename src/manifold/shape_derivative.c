/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives of Exp in shape spaces: Jacobi fields of the sphere or of R^(k·dim), seen from the quotient. */
#include "manifold/shape_space.h"

#include <math.h>
#include <string.h>

/* What a row of them needs. */
typedef struct jet {
    shape_spin here, there; /* at x, and at the end before it is turned */
    double r, turn[9];
    double *end, *unit, *late; /* (D): the end, v/|v| and the unit velocity at the end */
} jet;

static mst_status jet_open(jet *j, const shape_space *s, size_t row, const double *x,
                           const double *v)
{
    MST_TRY(shape_arrive(s, row, x, v, j->end));
    if (!shape_spin_open(s, x, &j->here) || !shape_spin_open(s, j->end, &j->there))
        return shape_lower_rank(row);
    j->r = shape_norm(s, v);
    for (size_t k = 0; k < s->width; k++) {
        j->unit[k] = j->r > 0 ? v[k] / j->r : 0;
        j->late[k] = cos(j->r) * j->unit[k] - sin(j->r) * x[k];
    }
    return shape_place(s, j->end, j->turn);
}

/* out (width) = f · a where it is orthogonal to x and v, plus its part along v times `late` */
static void add_field(const shape_space *s, const jet *j, const double *x, double f,
                      const double *along, const double *a, double *out)
{
    double part = shape_dot(s, a, along), radial = shape_dot(s, a, x),
           across = shape_dot(s, a, j->unit);
    const double *to = along == j->unit ? j->late : j->unit;
    for (size_t k = 0; k < s->width; k++)
        out[k] += f * (a[k] - radial * x[k] - across * j->unit[k]) + part * to[k];
}

static double sinc(double r)
{
    return r > 0 ? sin(r) / r : 1;
}

/* dx or dv may be null. The lift of v that is carried along in the quotient changes by x A as well. */
static void push(const shape_space *s, const jet *j, const double *x, const double *v,
                 const double *dx, const double *dv, double *slope, double *out)
{
    memset(slope, 0, s->width * sizeof *slope);
    memset(out, 0, s->width * sizeof *out);
    if (dv != NULL)
        memcpy(slope, dv, s->width * sizeof *slope);
    if (dx != NULL)
        shape_add_turn(s, -1, x, shape_solve(s, &j->here, shape_torque(s, dx, v)), slope);
    if (s->unit && j->r > 0) {
        if (dx != NULL)
            add_field(s, j, x, cos(j->r), j->unit, dx, out);
        add_field(s, j, x, sinc(j->r), j->unit, slope, out);
    } else {
        for (size_t k = 0; k < s->width; k++)
            out[k] = slope[k] + (dx != NULL ? dx[k] : 0);
    }
    shape_horizontal(s, j->end, &j->there, out);
    shape_rotate(s, out, j->turn, out);
}

/* The adjoint of the same. */
static void pull(const shape_space *s, const jet *j, const double *x, const double *v, double *w,
                 double *slope, double *dx, double *dv)
{
    double back[9];
    for (size_t a = 0; a < s->dim; a++)
        for (size_t b = 0; b < s->dim; b++)
            back[a * s->dim + b] = j->turn[b * s->dim + a];
    shape_rotate(s, w, back, w);
    bool curved = s->unit && j->r > 0;
    memset(slope, 0, s->width * sizeof *slope);
    if (curved)
        add_field(s, j, x, sinc(j->r), j->late, w, slope);
    else
        memcpy(slope, w, s->width * sizeof *slope);
    if (dx != NULL) {
        memset(dx, 0, s->width * sizeof *dx);
        if (curved)
            add_field(s, j, x, cos(j->r), j->late, w, dx);
        else
            memcpy(dx, w, s->width * sizeof *dx);
        shape_add_turn(s, 1, v, shape_solve(s, &j->here, shape_torque(s, x, slope)), dx);
        shape_horizontal(s, x, &j->here, dx);
    }
    if (dv != NULL) {
        memcpy(dv, slope, s->width * sizeof *dv);
        shape_horizontal(s, x, &j->here, dv);
    }
}

mst_status shape_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                const double *dx, const double *dv, double *dy)
{
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, 5 * D));
    jet j = {.end = work, .unit = work + D, .late = work + 2 * D};
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n * D; i += D) {
        status = jet_open(&j, m->data, i / D, x + i, v + i);
        if (status != MST_OK)
            break;
        push(m->data, &j, x + i, v + i, dx != NULL ? dx + i : NULL, dv != NULL ? dv + i : NULL,
             work + 3 * D, work + 4 * D);
        memcpy(dy + i, work + 4 * D, D * sizeof *dy);
    }
    mst_release(work);
    return status;
}

mst_status shape_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                             const double *w, double *dx, double *dv)
{
    size_t D = m->ambient;
    double *work;
    MST_TRY(mst_allocate(&work, 7 * D));
    jet j = {.end = work, .unit = work + D, .late = work + 2 * D};
    double *first = work + 5 * D, *second = work + 6 * D;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n * D; i += D) {
        status = jet_open(&j, m->data, i / D, x + i, v + i);
        if (status != MST_OK)
            break;
        memcpy(work + 3 * D, w + i, D * sizeof *w);
        pull(m->data, &j, x + i, v + i, work + 3 * D, work + 4 * D, dx != NULL ? first : NULL,
             dv != NULL ? second : NULL);
        if (dx != NULL)
            memcpy(dx + i, first, D * sizeof *dx);
        if (dv != NULL)
            memcpy(dv + i, second, D * sizeof *dv);
    }
    mst_release(work);
    return status;
}
