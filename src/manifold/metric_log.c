/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Log of a metric, by continuation. The end point q(s) goes along a curve from x to y, and v(s) with
 * Exp_x(v(s)) = q(s) follows it from v(0) = 0 by Newton's method with the derivative of Exp, in steps of s so
 * small that the correction of a prediction is small against the step. As long as the curve does not meet the
 * cut locus of x, v(s) is Log_x(q(s)): it does not jump to another geodesic as shooting at y at once may. The
 * first curve is the line in a chart. The geodesic found is minimal if the manifold has no other, or if it is
 * shorter than the injectivity radius; else bent curves are tried too, and the shortest
 * geodesic of all is taken. */
#include "base/linalg.h"
#include "manifold/metric.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One search. Points are rows, vectors packed. */
typedef struct hunt {
    const mst_manifold *m;
    flow f;
    double usual; /* tolerance of the flow */
    const double *x, *y;
    double line_chart;
    double *from, *to,
        *bend;   /* x and y in the chart of the curve, and how far its middle is off the line */
    double *aim; /* q(s), as a row */
    double *base, *state;                     /* of the shot */
    double *v, *trial, *best, *step, *winner; /* (d) */
    double *factor, *gram;                    /* (d, d): of g at x */
    double *matrix, *turned;                  /* (d, d) */
    double *old, old_chart; /* the derivative of Exp at v, in the chart of its end */
    double *block;
} hunt;

static mst_status hunt_new(hunt *h, const mst_manifold *m)
{
    size_t d = m->dim, D = m->ambient;
    *h = (hunt){.m = m};
    MST_TRY(flow_new(&h->f, m, FLOW_JACOBI, d));
    h->usual = h->f.tolerance;
    mst_status status = mst_allocate(&h->block, 4 * D + 6 * d + 5 * d * d + h->f.width);
    if (status != MST_OK) {
        flow_free(&h->f);
        return status;
    }
    double *next = h->block, **rows[] = {&h->from, &h->to, &h->aim, &h->base},
           **vectors[] = {&h->bend, &h->v, &h->trial, &h->best, &h->step, &h->winner},
           **matrices[] = {&h->factor, &h->gram, &h->matrix, &h->turned, &h->old};
    for (size_t k = 0; k < 4; k++, next += D)
        *rows[k] = next;
    for (size_t k = 0; k < 6; k++, next += d)
        *vectors[k] = next;
    for (size_t k = 0; k < 5; k++, next += d * d)
        *matrices[k] = next;
    h->state = next;
    return MST_OK;
}

static void hunt_free(hunt *h)
{
    flow_free(&h->f);
    mst_release(h->block);
}

static double length_at_x(const hunt *h, const double *v)
{
    size_t d = h->m->dim;
    double *root = h->f.slope;
    metric_lower_root(d, h->factor, v, root);
    return metric_length(d, root);
}

/* The end of the shot with the velocity v: base + state. */
static mst_status shoot(hunt *h, const double *v)
{
    size_t d = h->m->dim;
    memcpy(h->base, h->x, h->m->ambient * sizeof *h->base);
    memset(h->state, 0, h->f.width * sizeof *h->state);
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            h->state[d + i] += h->gram[i * d + k] * v[k];
    /* δx = 0, and δv the frame C⁻ᵀ, so that δp are the columns of C. */
    for (size_t k = 0; k < d; k++)
        for (size_t i = k; i < d; i++)
            h->state[2 * d + k * 2 * d + d + i] = h->factor[i * d + k];
    return flow_run(&h->f, 1, h->base, h->state);
}

/* What is left from the end of the shot to the row q, as coordinates at the end, into h->step; its length,
 * and that of the rounding of these coordinates. */
static mst_status miss(hunt *h, const double *q, double *length, double *rounding)
{
    const mst_manifold *m = h->m;
    size_t d = m->dim, D = m->ambient;
    double *end = h->f.point, *moved = h->f.trial; /* rooms that rest between shots */
    memcpy(moved, q, D * sizeof *moved);
    MST_TRY(metric_change_chart(m, D > d ? h->base[d] : 0, moved, 0, NULL));
    /* For neighbours, base is x: the difference is exact, and the way has its digits too. */
    for (size_t k = 0; k < d; k++)
        h->step[k] = moved[k] - h->base[k] - h->state[k];
    flow_end(&h->f, h->base, h->state, end);
    MST_TRY(metric_factor(m, 1, end, &h->f.room, h->f.factor));
    metric_lower_root(d, h->f.factor, h->step, h->f.slope);
    *length = metric_length(d, h->f.slope);
    for (size_t k = 0; k < d; k++)
        h->f.field[k] = fabs(end[k]);
    metric_lower_root(d, h->f.factor, h->f.field, h->f.slope);
    *rounding = 16 * DBL_EPSILON * metric_length(d, h->f.slope);
    return MST_OK;
}

/* A shot or a step that leads nowhere is no failure of the search; lack of memory is. */
static mst_status forgive(mst_status status, bool *lost)
{
    *lost = status != MST_OK;
    return status == MST_MEMORY ? status : MST_OK;
}

/* The derivative of Exp from the frame at x to the chart of the end, (d, d). */
static void derivative(const hunt *h, double *matrix)
{
    size_t d = h->m->dim;
    for (size_t a = 0; a < d; a++)
        for (size_t k = 0; k < d; k++)
            matrix[a * d + k] = h->state[2 * d + k * 2 * d + a];
}

/* Newton's step for what is left, in place of it. */
static mst_status solve(hunt *h)
{
    size_t d = h->m->dim;
    derivative(h, h->matrix);
    MST_TRY(mst_solve(1, d, 1, h->matrix, h->step, h->step, NULL));
    metric_raise_root(d, h->factor, h->step, h->step);
    return MST_OK;
}

/* Has the way from the last velocity passed no conjugate point? There the derivative turns round in some
 * direction, so that M₀⁻¹M₁ + (M₀⁻¹M₁)ᵀ is no longer positive definite. The new
 * derivative takes the place of the old if so. */
static mst_status passes(hunt *h, bool *fine)
{
    const mst_manifold *m = h->m;
    size_t d = m->dim, D = m->ambient;
    double *end = h->f.point, *columns = h->turned, *sum = h->matrix;
    flow_end(&h->f, h->base, h->state, end);
    for (size_t k = 0; k < d; k++)
        memcpy(columns + k * d, h->state + 2 * d + k * 2 * d, d * sizeof *columns);
    bool lost;
    MST_TRY(forgive(metric_change_chart(m, h->old_chart, end, d, columns), &lost));
    if (!lost) /* columns become rows of M₀⁻¹M₁, transposed */
        MST_TRY(forgive(mst_solve(1, d, d, h->old, columns, columns, NULL), &lost));
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            sum[i * d + k] = columns[i * d + k] + columns[k * d + i];
    if (!lost)
        MST_TRY(forgive(mst_cholesky(1, d, sum, sum, NULL), &lost));
    *fine = !lost;
    if (*fine) {
        derivative(h, h->old);
        h->old_chart = D > d ? h->base[d] : 0;
    }
    return MST_OK;
}

/* From h->trial to the velocity that hits q, to a part `enough` of its length or to rounding. Not *hit if
 * Newton's method does not halve what is left in each step, or if later steps have to
 * correct more than half of the first. */
static mst_status correct(hunt *h, const double *q, double enough, bool *hit)
{
    size_t d = h->m->dim;
    double before = INFINITY, most = INFINITY, gap = NAN, rounding = 0, noise = 0, length = 0;
    bool lost;
    *hit = false;
    for (int round = 0; round < 12; round++) {
        MST_TRY(forgive(shoot(h, h->trial), &lost));
        if (!lost)
            MST_TRY(forgive(miss(h, q, &gap, &noise), &lost));
        if (lost || !(gap < 0.5 * before)) { /* at rounding, or on a wrong way */
            *hit = before <= fmax(enough, 1e-10) * length + rounding;
            memcpy(h->trial, h->best, d * sizeof *h->trial);
            return MST_OK;
        }
        memcpy(h->best, h->trial, d * sizeof *h->best);
        before = gap;
        rounding = noise;
        length = length_at_x(h, h->best);
        *hit = gap <= enough * length;
        if (*hit || gap == 0)
            return MST_OK;
        MST_TRY(forgive(solve(h), &lost));
        double step = length_at_x(h, h->step);
        if (lost || !(step <= most))
            return MST_OK;
        most = round == 0 ? step / 2 : most - step;
        for (size_t k = 0; k < d; k++)
            h->trial[k] += h->step[k];
    }
    return MST_OK;
}

/* q(s), in the chart of the curve. */
static void curve_point(hunt *h, double s)
{
    size_t d = h->m->dim;
    for (size_t k = 0; k < d; k++)
        h->aim[k] = h->from[k] + s * (h->to[k] - h->from[k]) + 4 * s * (1 - s) * h->bend[k];
    if (h->m->ambient > d)
        h->aim[d] = h->line_chart;
}

/* The same as a row in the chart where it should be. */
static mst_status aim_at(hunt *h, double s)
{
    const mst_manifold *m = h->m;
    unsigned char inside;
    if (s == 1) {
        memcpy(h->aim, h->y, m->ambient * sizeof *h->aim);
        return MST_OK;
    }
    curve_point(h, s);
    metric_inside(m, 1, h->aim, &inside);
    if (!inside)
        return mst_fail(MST_DOMAIN, "the line between the points leaves the domain");
    return metric_change_chart(m, metric_chart_for(m, h->aim), h->aim, 0, NULL);
}

/* The length of the curve from s to `next`, by the midpoint rule. */
static mst_status curve_length(hunt *h, double s, double next, double *length)
{
    enum { PARTS = 16 };
    const mst_manifold *m = h->m;
    size_t d = m->dim;
    double part = (next - s) / PARTS, *speed = h->step, *p = h->f.momenta;
    *length = 0;
    for (int i = 0; i < PARTS; i++) {
        double at = s + part * (i + 0.5);
        curve_point(h, at);
        for (size_t k = 0; k < d; k++)
            speed[k] = h->to[k] - h->from[k] + 4 * (1 - 2 * at) * h->bend[k];
        MST_TRY(metric_slope(m, 1, h->aim, speed, &h->f.room, NULL, p));
        *length += part * sqrt(2 * h->f.room.l[0]);
    }
    return MST_OK;
}

/* v = 0, where the derivative is the frame at x itself. */
static void begin(hunt *h)
{
    size_t d = h->m->dim;
    memset(h->v, 0, d * sizeof *h->v);
    for (size_t k = 0; k < d; k++) {
        memset(h->step, 0, d * sizeof *h->step);
        h->step[k] = 1;
        metric_raise_root(d, h->factor, h->step, h->step);
        for (size_t a = 0; a < d; a++)
            h->old[a * d + k] = h->step[a];
    }
    h->old_chart = h->m->ambient > d ? h->x[d] : 0;
}

/* Follows the curve; h->v is the velocity at its end if *found. */
static mst_status follow(hunt *h, bool *found)
{
    size_t bytes = h->m->dim * sizeof *h->v;
    double s = 0, step = 1, whole = 0, part = 0;
    bool lost;
    begin(h);
    h->f.tolerance = 1e-6;
    h->f.most = 1000;
    for (int round = 0; s < 1 && step > 1e-6 && round < 400; round++) {
        double next = fmin(1, s + step);
        bool hit = false;
        MST_TRY(forgive(curve_length(h, s, next, &part), &lost));
        if (!lost)
            MST_TRY(forgive(aim_at(h, next), &lost));
        memcpy(h->trial, h->v, bytes);
        if (!lost)
            MST_TRY(correct(h, h->aim, 1e-4, &hit));
        /* No minimal geodesic is longer than the curve. */
        hit = hit && length_at_x(h, h->trial) <= 1.1 * (whole + part);
        if (hit)
            MST_TRY(passes(h, &hit));
        if (!hit) {
            step = (next - s) / 3;
            continue;
        }
        memcpy(h->v, h->trial, bytes);
        whole += part;
        s = next;
        step *= 1.7;
    }
    *found = s == 1;
    if (!*found)
        return MST_OK;
    h->f.tolerance = h->usual;
    h->f.most = 20000;
    MST_TRY(correct(h, h->y, 1e-16, found));
    memcpy(h->v, h->trial, bytes);
    return MST_OK;
}

/* The curve's ends in one chart, that of x or of y, whichever has them nearer to its centre. */
static mst_status choose_chart(hunt *h)
{
    const mst_manifold *m = h->m;
    size_t d = m->dim, bytes = m->ambient * sizeof *h->x;
    bool lost;
    memcpy(h->from, h->x, bytes);
    memcpy(h->to, h->y, bytes);
    h->line_chart = m->ambient > d ? h->x[d] : 0;
    if (m->ambient == d || h->x[d] == h->y[d])
        return MST_OK;
    MST_TRY(forgive(metric_change_chart(m, h->x[d], h->to, 0, NULL), &lost));
    double far = lost ? INFINITY : metric_length(d, h->to);
    memcpy(h->aim, h->x, bytes);
    MST_TRY(forgive(metric_change_chart(m, h->y[d], h->aim, 0, NULL), &lost));
    if (!lost && metric_length(d, h->aim) < far) {
        far = 0;
        memcpy(h->from, h->aim, bytes);
        memcpy(h->to, h->y, bytes);
        h->line_chart = h->y[d];
    }
    return isfinite(far) ? MST_OK : mst_fail(MST_CONVERGENCE, "no chart reaches both points");
}

/* Curves that leave the line to either side along the first axes, where `number` counts
 * them from 0; false: no more. */
static bool choose_bend(hunt *h, size_t number)
{
    size_t d = h->m->dim, axes = d < 4 ? d : 4;
    memset(h->bend, 0, d * sizeof *h->bend);
    if (number == 0)
        return true;
    if (d == 1 || number > 2 * (d == 2 ? 1 : axes))
        return false;
    double length = 0, side = number % 2 == 1 ? 0.7 : -0.7;
    for (size_t k = 0; k < d; k++)
        length = hypot(length, h->to[k] - h->from[k]);
    if (d == 2) {
        h->bend[0] = -side * (h->to[1] - h->from[1]);
        h->bend[1] = side * (h->to[0] - h->from[0]);
    } else {
        h->bend[(number - 1) / 2] = side * length;
    }
    return true;
}

/* v (d), and *cut if y is at the cut locus to rounding; MST_CONVERGENCE if no geodesic was found. */
static mst_status log_row(hunt *h, double *v, bool *cut)
{
    const mst_manifold *m = h->m;
    size_t d = m->dim;
    double radius = mst_manifold_injectivity(m), least = INFINITY;
    *cut = false;
    memset(v, 0, d * sizeof *v);
    if (memcmp(h->x, h->y, m->ambient * sizeof *h->x) == 0)
        return MST_OK;
    MST_TRY(metric_tensor(m, 1, h->x, &h->f.room, h->gram));
    MST_TRY(metric_factor(m, 1, h->x, &h->f.room, h->factor));
    MST_TRY(choose_chart(h));
    bool only = m->traits.hadamard == MST_YES;
    for (size_t k = 0; choose_bend(h, k); k++) {
        bool found;
        MST_TRY(follow(h, &found));
        double length = length_at_x(h, h->v);
        if (found && length < least) {
            least = length;
            memcpy(h->winner, h->v, d * sizeof *v);
        }
        if (least < radius || (only && isfinite(least)))
            break;
    }
    if (!isfinite(least))
        return mst_fail(MST_CONVERGENCE, "no geodesic to the point was found");
    memcpy(v, h->winner, d * sizeof *v);
    *cut = least >= radius * (1 - MST_CUT_TOLERANCE);
    return MST_OK;
}

mst_status metric_log(const mst_manifold *m, size_t n, const double *x, const double *y, double *v,
                      unsigned char *flag)
{
    size_t D = m->ambient;
    hunt h;
    double *packed;
    MST_TRY(mst_allocate(&packed, m->dim));
    mst_status status = hunt_new(&h, m);
    bool fatal = status != MST_OK;
    for (size_t i = 0; !fatal && i < n; i++) {
        bool cut = false;
        h.x = x + i * D;
        h.y = y + i * D;
        mst_status row = log_row(&h, packed, &cut);
        fatal = row != MST_OK && row != MST_CONVERGENCE;
        if (status == MST_OK || fatal)
            status = row;
        metric_unpack(m, 1, packed, v + i * D);
        if (flag != NULL)
            flag[i] = cut ? MST_LOG_CUT : 0;
    }
    if (h.block != NULL)
        hunt_free(&h);
    mst_release(packed);
    return status;
}
