/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A potential toward y in a chart; where a map into Euclidean space is known, its chord is one. With δ = x −
 * y, A = L(x, δ) and B = L(y, δ) it is h = √(A B), the geometric mean of ½|δ|² in the metrics at both ends:
 * ½r² + O(r⁴), and half the squared chord where the chart is conformal to one of a space of constant
 * curvature: 1 − cos r on spheres, cosh r − 1 on hyperbolic space. Where the traits know a constant curvature
 * κ, f is the function of h that makes ½r² of it, as far as that is smooth. */
#include "manifold/metric.h"
#include "manifold/toward.h"

#include <math.h>
#include <string.h>

typedef struct potential {
    const mst_manifold *m;
    metric_work room;
    double *from, *to;                         /* (D): x and y in one chart */
    double *delta, *slope_a, *slope_b, *slope; /* (d): δ, dA, dB, df */
    double *period, *first, *second;           /* (d): 0: none; derivatives of δ by x */
    double *bent_a, *bent_b;                   /* (d): dA and dB by δ, times `second` */
    double *turned;                            /* (d, d): frame times `first` */
    double *factor, *frame, *lx, *lv;          /* (d, d) */
    double *block;
} potential;

static mst_status potential_new(potential *s, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient;
    *s = (potential){.m = m};
    MST_TRY(metric_work_new(&s->room, m, 1, d));
    mst_status status = mst_allocate_zero(&s->block, 2 * D + 9 * d + 5 * d * d);
    if (status != MST_OK) {
        metric_work_free(&s->room);
        return status;
    }
    s->from = s->block;
    s->to = s->from + D;
    s->delta = s->to + D;
    s->slope_a = s->delta + d;
    s->slope_b = s->slope_a + d;
    s->slope = s->slope_b + d;
    s->period = s->slope + d;
    s->first = s->period + d;
    s->second = s->first + d;
    s->bent_a = s->second + d;
    s->bent_b = s->bent_a + d;
    s->factor = s->bent_b + d;
    s->frame = s->factor + d * d;
    s->lx = s->frame + d * d;
    s->lv = s->lx + d * d;
    s->turned = s->lv + d * d;
    if (m->metric->ops.period != NULL)
        m->metric->ops.period(m, s->period);
    return MST_OK;
}

static void potential_free(potential *s)
{
    metric_work_free(&s->room);
    mst_release(s->block);
}

/* f(h), f' and f''. */
static void shape(double curvature, double h, double out[3])
{
    double k = isnan(curvature) ? 0 : curvature;
    if (k > 0) {
        out[0] = toward_potential(k * h) / k;
        out[1] = toward_factor(k * h);
        out[2] = k / 3;
    } else if (k < 0) {
        /* r = acosh(1 + z), z = −k h, from sinh(r/2)² = z/2: f = r²/2, f' = r/sinh r by z. */
        double z = -k * h, r = 2 * asinh(sqrt(0.5 * z)), s = sinh(r);
        bool near = r < 1e-2;
        double first = near ? 1 - r * r / 6 * (1 - 7 * r * r / 60) : r / s;
        double second = near ? -1.0 / 3 + r * r * 2 / 15 : (1 - first * cosh(r)) / (s * s);
        out[0] = 0.5 * r * r / -k;
        out[1] = first;
        out[2] = -k * second;
    } else {
        out[0] = h;
        out[1] = 1;
        out[2] = 0;
    }
}

static double product(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Both points in the chart of x, or that of y if it has them nearer to its centre. */
static mst_status meet(potential *s, const double *x, const double *y, bool *at_y)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim, bytes = m->ambient * sizeof *x;
    memcpy(s->from, x, bytes);
    memcpy(s->to, y, bytes);
    *at_y = false;
    if (m->ambient == d || x[d] == y[d])
        return MST_OK;
    mst_status first = metric_change_chart(m, x[d], s->to, 0, NULL);
    double far = first == MST_OK ? metric_length(d, s->to) : INFINITY;
    mst_status second = metric_change_chart(m, y[d], s->from, 0, NULL);
    if (second == MST_OK && metric_length(d, s->from) < far) {
        memcpy(s->to, y, bytes);
        *at_y = true;
        return MST_OK;
    }
    memcpy(s->from, x, bytes);
    return first;
}

/* δ = x − y. Of a coordinate with the period p it is p/2π sin a (1 + (1 − cos a)/3), a = 2π(x − y)/p, which
 * is x − y + O((x − y)⁵) and smooth at half a period. */
static void differences(potential *s)
{
    for (size_t k = 0; k < s->m->dim; k++) {
        double delta = s->from[k] - s->to[k], turn = 6.283185307179586 / s->period[k];
        s->delta[k] = delta;
        s->first[k] = 1;
        s->second[k] = 0;
        if (!(s->period[k] > 0))
            continue;
        double sine = sin(turn * delta), far = 1 - cos(turn * delta);
        s->delta[k] = toward_factor(far) * sine / turn;
        s->first[k] = toward_second(far);
        s->second[k] = -4 * turn * sine * far / 3;
    }
}

/* A, B and their differentials by x; the factor of g at x. */
static mst_status evaluate(potential *s, double *a, double *b)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim;
    differences(s);
    MST_TRY(metric_slope(m, 1, s->to, s->delta, &s->room, NULL, s->slope_b));
    *b = s->room.l[0];
    MST_TRY(metric_slope(m, 1, s->from, s->delta, &s->room, s->lx, s->slope_a));
    *a = s->room.l[0];
    for (size_t k = 0; k < d; k++) {
        s->bent_a[k] = s->slope_a[k] * s->second[k];
        s->bent_b[k] = s->slope_b[k] * s->second[k];
        s->slope_a[k] = s->slope_a[k] * s->first[k] + s->lx[k];
        s->slope_b[k] *= s->first[k];
    }
    return metric_factor(m, 1, s->from, &s->room, s->factor);
}

/* Δf = Σ d²f(e, e) − df(Γ(e, e)) over the frame e = C⁻ᵀ at x. */
static mst_status trace(potential *s, double a, double b, const double *by_h, double *laplacian)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim;
    double up = sqrt(b / a), down = sqrt(a / b), h = sqrt(a) * sqrt(b);
    memset(s->frame, 0, d * d * sizeof *s->frame);
    for (size_t k = 0; k < d; k++) {
        s->frame[k * d + k] = 1;
        metric_raise_root(d, s->factor, s->frame + k * d, s->frame + k * d);
        for (size_t i = 0; i < d; i++)
            s->turned[k * d + i] = s->frame[k * d + i] * s->first[i];
    }
    *laplacian = 0;
    MST_TRY(
        metric_hvp(m, 1, d, s->from, s->delta, false, s->frame, s->turned, &s->room, s->lx, s->lv));
    for (size_t k = 0; k < d; k++) {
        const double *e = s->frame + k * d, *turned = s->turned + k * d;
        double da = product(d, s->slope_a, e), db = product(d, s->slope_b, e);
        double second = product(d, s->lx + k * d, e) + product(d, s->lv + k * d, turned);
        double dh = 0.5 * (up * da + down * db), twice;
        MST_TRY(metric_slope(m, 1, s->to, turned, &s->room, NULL, s->lv + k * d));
        twice = 2 * s->room.l[0]; /* d²B */
        for (size_t i = 0; i < d; i++) {
            second += s->bent_a[i] * e[i] * e[i];
            twice += s->bent_b[i] * e[i] * e[i];
        }
        double ddh = da * db / h + 0.5 * (up * second + down * twice) - dh * dh / h;
        *laplacian += by_h[1] * ddh + by_h[2] * dh * dh;
    }
    MST_TRY(metric_bend(m, 1, d, s->from, s->frame, &s->room, s->lx));
    for (size_t k = 0; k < d; k++) {
        metric_raise(d, s->factor, s->lx + k * d, s->lx + k * d);
        *laplacian -= product(d, s->slope, s->lx + k * d);
    }
    return MST_OK;
}

static mst_status toward_row(potential *s, const double *x, const double *y, double *f, double *v,
                             double *laplacian)
{
    const mst_manifold *m = s->m;
    size_t d = m->dim;
    bool at_y;
    double a, b, by_h[3];
    MST_TRY(meet(s, x, y, &at_y));
    MST_TRY(evaluate(s, &a, &b));
    bool same = !(a > 0 && b > 0);
    shape(m->traits.curvature, same ? 0 : sqrt(a) * sqrt(b), by_h);
    double up = same ? 0 : sqrt(b / a), down = same ? 0 : sqrt(a / b);
    for (size_t k = 0; k < d; k++)
        s->slope[k] = 0.5 * by_h[1] * (up * s->slope_a[k] + down * s->slope_b[k]);
    if (laplacian != NULL)
        *laplacian = (double)d;
    if (laplacian != NULL && !same)
        MST_TRY(trace(s, a, b, by_h, laplacian));
    if (f != NULL)
        *f = by_h[0];
    if (v == NULL)
        return MST_OK;
    double *step = s->slope;
    if (!same)
        metric_raise(d, s->factor, s->slope, step);
    for (size_t k = 0; k < d; k++) /* neighbours: to first order */
        step[k] = same ? -s->delta[k] : -step[k];
    if (at_y)
        MST_TRY(metric_change_chart(m, x[d], s->from, 1, step));
    metric_unpack(m, 1, step, v);
    return MST_OK;
}

mst_status metric_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *f, double *v, double *laplacian)
{
    size_t D = m->ambient;
    potential s;
    if (m->metric->ops.embedded > 0)
        return metric_map_toward(m, n, x, y, f, v, laplacian);
    MST_TRY(potential_new(&s, m));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = toward_row(&s, x + i * D, y + i * D, f != NULL ? f + i : NULL,
                            v != NULL ? v + i * D : NULL, laplacian != NULL ? laplacian + i : NULL);
    potential_free(&s);
    return status;
}
