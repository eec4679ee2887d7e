/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/near.h"

#include "manifold/metric.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The squares of curvature times distance that count as nothing, as errors of the length. */
static const double ENOUGH = 1e-6;

/* ½d² ≈ L((x + y)/2, y − x), right to second order; its derivatives are the covectors at the ends. */
static mst_status by_metric(const geodesic_problem *p, const double *x, const double *y,
                            near_answer *out, bool *found)
{
    size_t d = p->d;
    problem_rows rows = {0};
    metric_work w = {0};
    double *room;
    MST_TRY(mst_allocate(&room, 6 * d + d * d));
    double *middle = room, *v = middle + d, *l_x = v + d, *l_v = l_x + d, *slope = l_v + d,
           *factor = slope + 2 * d, at_x = NAN, l = NAN;
    for (size_t k = 0; k < d; k++) {
        v[k] = y[k] - x[k];
        middle[k] = x[k] + 0.5 * v[k];
    }
    mst_status status = problem_lagrangian(p, &rows, 1, x, v, &at_x, l_x, l_v);
    if (status == MST_OK)
        status = problem_lagrangian(p, &rows, 1, middle, v, &l, l_x, l_v);
    double change = fabs(at_x - l) / l;
    *found = status == MST_OK && change <= ENOUGH;
    if (*found)
        status = metric_work_new(&w, p->m, 1, 1);
    for (size_t end = 0; status == MST_OK && *found && end < 2; end++) {
        double side = end == 0 ? 1 : -1, *to = end == 0 ? out->log_x : out->log_y;
        status = metric_factor(p->m, 1, end == 0 ? x : y, &w, factor);
        for (size_t k = 0; k < d; k++)
            slope[k] = side * l_v[k] - 0.5 * l_x[k];
        if (status == MST_OK)
            metric_raise(d, factor, slope, to);
    }
    out->length = sqrt(2 * l);
    out->error = out->length * (change * change + 8 * DBL_EPSILON);
    metric_work_free(&w);
    problem_rows_free(&rows);
    mst_release(room);
    return status;
}

/* w less its part along the gradients (c, D), which are overwritten by orthonormal ones. */
static void make_tangent(size_t D, size_t c, double *gradient, double *w)
{
    for (size_t a = 0; a < c; a++) {
        double *n = gradient + a * D, length = 0, dot = 0;
        for (size_t b = 0; b < a; b++) {
            const double *before = gradient + b * D;
            double part = 0;
            for (size_t k = 0; k < D; k++)
                part += n[k] * before[k];
            for (size_t k = 0; k < D; k++)
                n[k] -= part * before[k];
        }
        for (size_t k = 0; k < D; k++)
            length += n[k] * n[k];
        for (size_t k = 0; k < D; k++) {
            n[k] /= sqrt(length);
            dot += n[k] * w[k];
        }
        for (size_t k = 0; k < D; k++)
            w[k] -= dot * n[k];
    }
}

/* The chord, turned into the tangent spaces at its ends; how far it is out of them says how bent the space
 * is. */
static mst_status by_constraint(const geodesic_problem *p, const double *x, const double *y,
                                near_answer *out, bool *found)
{
    size_t D = p->space, c = p->count;
    problem_rows rows = {0};
    double *gradient, chord = 0, scale = 0;
    MST_TRY(mst_allocate(&gradient, 2 * c * D + c));
    double *other = gradient + c * D, *h = other + c * D, turn = 0, size = 0;
    mst_status status = problem_constraint(p, &rows, 1, x, h, gradient);
    if (status == MST_OK)
        status = problem_constraint(p, &rows, 1, y, h, other);
    for (size_t k = 0; k < D; k++) {
        out->log_x[k] = y[k] - x[k];
        out->log_y[k] = x[k] - y[k];
        chord += out->log_x[k] * out->log_x[k];
        scale = fmax(scale, fabs(x[k]));
    }
    for (size_t j = 0; j < c * D; j++) {
        turn += (gradient[j] - other[j]) * (gradient[j] - other[j]);
        size += gradient[j] * gradient[j];
    }
    chord = sqrt(chord);
    double bent = sqrt(turn / size); /* curvature times distance, roughly */
    *found = status == MST_OK && bent <= ENOUGH && chord <= 1e-6 * scale;
    make_tangent(D, c, gradient, out->log_x);
    make_tangent(D, c, other, out->log_y);
    out->length = chord;
    out->error = chord * bent * bent + 2 * DBL_EPSILON * chord;
    problem_rows_free(&rows);
    mst_release(gradient);
    return status;
}

mst_status near_solve(const geodesic_problem *p, const double *x, const double *y, near_answer *out,
                      bool *found)
{
    double gap = 0, size = 0;
    *found = false;
    for (size_t k = 0; k < p->width; k++) {
        gap = fmax(gap, fabs(x[k] - y[k]));
        size = fmax(size, fabs(x[k]));
    }
    if (p->form == FORM_METRIC || !(gap <= 1e-5 * size))
        return MST_OK;
    return p->form == FORM_EMBEDDING ? by_metric(p, x, y, out, found)
                                     : by_constraint(p, x, y, out, found);
}
