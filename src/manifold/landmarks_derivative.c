/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The derivative of Exp: Jacobi fields as columns of the matrix that goes along with a geodesic, all fields
 * of one geodesic together. */
#include "manifold/landmarks.h"
#include "manifold/metric.h"
#include "manifold/runge_kutta.h"

#include <math.h>
#include <string.h>

/* Of a step: of the geodesic against its length in coordinates, and of a field against the field, as
 * metric_flow.c has them. */
static const double geodesic_tolerance = 2e-14, field_tolerance = 1e-12;
enum { MOST_STEPS = 1024 };

typedef struct derivative_work {
    const mst_manifold *m;
    landmark_place at;
    landmark_flow along;
    flow room;                /* for (J, ∇J) as (δq, δp) */
    size_t fields;            /* of a geodesic */
    double length;            /* of the geodesic's velocity in coordinates */
    double *q, *p;            /* (half): by columns */
    double *row_p;            /* (d): by rows */
    double *j, *dj, *columns; /* (fields, d) twice, (fields, 2d): by rows */
    double *block;
} derivative_work;

static void work_free(derivative_work *w)
{
    landmark_place_free(&w->at);
    landmark_flow_free(&w->along);
    flow_free(&w->room);
    mst_release(w->block);
}

static mst_status work_new(derivative_work *w, const mst_manifold *m, const landmark_shape *s,
                           size_t fields)
{
    size_t d = m->dim, lead = (d + 7) / 8 * 8;
    *w = (derivative_work){.m = m, .fields = fields};
    mst_status status = landmark_place_new(&w->at, s);
    if (status == MST_OK)
        status = landmark_flow_new(&w->along, s, (fields + lead - 1) / lead);
    if (status == MST_OK)
        status = flow_new(&w->room, m, FLOW_JACOBI, fields);
    if (status == MST_OK)
        status = mst_allocate(&w->block, 2 * w->along.half + d + 4 * fields * d);
    if (status != MST_OK) {
        work_free(w);
        return status;
    }
    w->q = w->block;
    w->p = w->q + w->along.half;
    w->row_p = w->p + w->along.half;
    w->j = w->row_p + d;
    w->dj = w->j + fields * d;
    w->columns = w->dj + fields * d;
    return MST_OK;
}

/* The columns at the beginning: (δq, δp) of each field. */
static void begin(derivative_work *w)
{
    landmark_flow *f = &w->along;
    landmark_flow_start(f, w->q, w->p);
    memset(f->matrix, 0, 2 * f->d * f->width * sizeof *f->matrix);
    for (size_t k = 0; k < w->fields; k++)
        for (size_t a = 0; a < 2 * f->d; a++)
            f->matrix[a * f->width + k] = w->columns[k * 2 * f->d + a];
}

/* The error of the last step in δq, against the largest δq of its field. */
static double field_error(const derivative_work *w, double h)
{
    const landmark_flow *f = &w->along;
    size_t size = 2 * f->d * f->width;
    double worst = 0;
    for (size_t k = 0; k < w->fields; k++) {
        double most = 0, largest = 0;
        for (size_t a = 0; a < f->d; a++) {
            size_t at = a * f->width + k;
            double error = 0;
            for (size_t s = 0; s < RK_STAGES; s++)
                error += (rk_eighth[s] - rk_seventh[s]) * f->matrix_stage[s * size + at];
            most = fmax(most, fabs(h * error));
            largest = fmax(largest, fabs(f->matrix[at]));
            if (isnan(error))
                return NAN;
        }
        if (largest > 0)
            worst = fmax(worst, most / largest);
    }
    return worst;
}

/* All the way by so many equal steps; false: they are too long. */
static bool advance(derivative_work *w, size_t steps, bool with_fields)
{
    double h = 1.0 / (double)steps;
    begin(w);
    for (size_t k = 0; k < steps; k++) {
        landmark_advance(&w->along, h, with_fields);
        if (!(w->along.error <= geodesic_tolerance * w->length) ||
            (with_fields && !(field_error(w, h) <= field_tolerance)))
            return false;
    }
    return true;
}

/* The fields of one geodesic; dx, dv and dy (fields, d). */
static mst_status derive(derivative_work *w, const double *x, const double *v, const double *dx,
                         const double *dv, double *dy, bool *arrived)
{
    size_t d = w->m->dim, bytes = w->fields * d * sizeof *dx, steps = 1;
    *arrived = false;
    if (!landmark_place_at(&w->at, x, 0))
        return mst_fail(MST_DOMAIN, "a geodesic starts where the metric is singular");
    memcpy(w->q, w->at.q, w->along.half * sizeof *w->q);
    w->length = 0;
    for (size_t a = 0; a < d; a++)
        w->length = hypot(w->length, v[a]);
    landmark_columns(w->at.shape, v, w->p);
    landmark_lower(&w->at, w->p);
    landmark_row(w->at.shape, w->p, w->row_p);
    memset(w->j, 0, 2 * bytes);
    if (dx != NULL)
        memcpy(w->j, dx, bytes);
    if (dv != NULL)
        memcpy(w->dj, dv, bytes);
    MST_TRY(flow_set_fields(&w->room, x, w->row_p, w->j, w->dj, w->columns));
    while (steps <= MOST_STEPS && !advance(w, steps, false))
        steps *= 2;
    while (steps <= MOST_STEPS && !(*arrived = advance(w, steps, true)))
        steps *= 2;
    for (size_t k = 0; *arrived && k < w->fields; k++)
        for (size_t a = 0; a < d; a++)
            dy[k * d + a] = w->along.matrix[a * w->along.width + k];
    return MST_OK;
}

mst_status landmark_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *dx, const double *dv, double *dy)
{
    size_t d = m->dim, fields = metric_fields_of(m, n, x, v, 2 * d), step = fields * d;
    derivative_work w;
    if (n == 0)
        return MST_OK;
    MST_TRY(work_new(&w, m, &((const landmarks *)mst_manifold_data(m))->shape, fields));
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n * d; at += step) {
        bool arrived;
        const double *j = dx != NULL ? dx + at : NULL, *dj = dv != NULL ? dv + at : NULL;
        status = derive(&w, x + at, v + at, j, dj, dy + at, &arrived);
        /* Where equal steps are not enough: steps of the geodesic's own, or why there are none. */
        if (status == MST_OK && !arrived)
            status = metric_exp_derivative(m, fields, x + at, v + at, j, dj, dy + at);
    }
    work_free(&w);
    return status;
}
