/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics of a metric, and what goes along with them, by the Runge–Kutta pair 8(7) of Prince and Dormand
 * (1981). Each row has steps of its own, so results do not depend on the rows beside it. */
#include "manifold/metric.h"
#include "manifold/runge_kutta.h"

#include <math.h>
#include <string.h>

/* Error of a step, by the pair's difference, against the length of the whole geodesic. What goes on is the
 * result of higher order, which is better. */
static const double usual_tolerance = 2e-14;
/* Of a step of a field, against the field, times what rounding of the metric does to the tolerance above:
 * below that, steps would grow shorter without end. It is looser, so that fields shorten steps only where the
 * geodesic says nothing of how it bends, and its end is the same with and without them elsewhere. */
static const double field_tolerance = 1e-12;

mst_status flow_new(flow *f, const mst_manifold *m, flow_kind kind, size_t fields)
{
    size_t d = m->dim, rows = FLOW_ROWS, most = fields > 0 ? fields : 1;
    *f = (flow){.m = m, .kind = kind, .fields = kind == FLOW_ALONE ? 0 : fields};
    f->tolerance = fmax(usual_tolerance, metric_precision(m));
    f->most = 200000;
    f->share = kind == FLOW_JACOBI ? 2 * d : d;
    f->width = 2 * d + f->fields * f->share;
    MST_TRY(metric_work_new(&f->room, m, rows, most));
    mst_status status =
        mst_allocate(&f->block, rows * ((RK_STAGES + 2) * f->width + 2 * m->ambient + 2 * d +
                                        2 * d * d + 4 * most * d));
    if (status != MST_OK) {
        metric_work_free(&f->room);
        return status;
    }
    f->stage = f->block;
    f->now = f->stage + RK_STAGES * rows * f->width;
    f->trial = f->now + rows * f->width;
    f->point = f->trial + rows * f->width;
    f->base = f->point + rows * m->ambient;
    f->momenta = f->base + rows * m->ambient;
    f->speeds = f->momenta + rows * d;
    f->factor = f->speeds + rows * d;
    f->first = f->factor + rows * d * d;
    f->field = f->first + rows * d * d;
    f->slope = f->field + 2 * rows * most * d;
    return MST_OK;
}

void flow_free(flow *f)
{
    metric_work_free(&f->room);
    mst_release(f->block);
    *f = (flow){0};
}

void flow_end(const flow *f, const double *base, const double *state, double *y)
{
    size_t d = f->m->dim;
    for (size_t k = 0; k < d; k++)
        y[k] = base[k] + state[k];
    if (f->m->ambient > d)
        y[d] = base[d];
}

/* One of the two halves of the Jacobi fields of n rows, packed (n·fields, d), and back. */
static void gather(const flow *f, size_t n, size_t part, const double *state, double *out)
{
    size_t d = f->m->dim;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f->fields; k++, out += d)
            memcpy(out, state + i * f->width + 2 * d + k * f->share + part * d, d * sizeof *out);
}

static void scatter(const flow *f, size_t n, size_t part, const double *in, double *state)
{
    size_t d = f->m->dim;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f->fields; k++, in += d)
            memcpy(state + i * f->width + 2 * d + k * f->share + part * d, in, d * sizeof *in);
}

/* δx' = δv = g⁻¹(δp − ∂_δx g v), δp' = the Hessian of L. */
static mst_status jacobi_slopes(flow *f, size_t n, const double *state, double *out)
{
    size_t d = f->m->dim, count = n * f->fields;
    double *dx = f->field, *dv = dx + count * d, *lx = f->slope, *lv = lx + count * d;
    gather(f, n, 0, state, dx);
    gather(f, n, 1, state, dv);
    MST_TRY(metric_hvp(f->m, n, f->fields, f->point, f->speeds, false, dx, NULL, &f->room, lx, lv));
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i * d; k < (i + 1) * d; k++)
            dv[k] -= lv[k];
        metric_raise(d, f->factor + i / f->fields * d * d, dv + i * d, dv + i * d);
    }
    MST_TRY(metric_hvp(f->m, n, f->fields, f->point, f->speeds, false, dx, dv, &f->room, lx, lv));
    scatter(f, n, 0, dv, out);
    scatter(f, n, 1, lx, out);
    return MST_OK;
}

static mst_status carried_slopes(flow *f, size_t n, const double *state, double *out)
{
    size_t d = f->m->dim, count = n * f->fields;
    gather(f, n, 0, state, f->field);
    for (size_t i = 0; i < count; i++)
        metric_raise(d, f->factor + i / f->fields * d * d, f->field + i * d, f->field + i * d);
    MST_TRY(metric_turn(f->m, n, f->fields, f->point, f->speeds, f->field, -1, &f->room, f->slope));
    scatter(f, n, 0, f->slope, out);
    return MST_OK;
}

/* The right-hand side at n states; rows where there is none become NAN. */
static mst_status slopes(flow *f, size_t n, const double *state, double *out)
{
    const mst_manifold *m = f->m;
    size_t d = m->dim, D = m->ambient, width = f->width;
    for (size_t i = 0; i < n; i++)
        flow_end(f, f->base + i * D, state + i * width, f->point + i * D);
    MST_TRY(metric_factor(m, n, f->point, &f->room, f->factor));
    for (size_t i = 0; i < n; i++)
        metric_raise(d, f->factor + i * d * d, state + i * width + d, f->speeds + i * d);
    MST_TRY(metric_slope(m, n, f->point, f->speeds, &f->room, NULL, f->momenta));
    for (size_t i = 0; i < n; i++) {
        memcpy(out + i * width, f->speeds + i * d, d * sizeof *out);
        metric_pack(m, 1, f->room.l_x + i * D, out + i * width + d);
    }
    return f->kind == FLOW_JACOBI  ? jacobi_slopes(f, n, state, out)
           : f->kind == FLOW_CARRY ? carried_slopes(f, n, state, out)
                                   : MST_OK;
}

/* One step of length h[i] of each row, from f->now to f->trial. */
static mst_status attempt(flow *f, size_t n, const double *h)
{
    size_t width = f->width, size = n * width, square = f->m->dim * f->m->dim;
    for (size_t s = 0; s < RK_STAGES; s++) {
        memcpy(f->trial, f->now, size * sizeof *f->trial);
        for (size_t j = 0; j < s; j++)
            for (size_t i = 0; rk_weights[s][j] != 0 && i < n; i++) {
                double factor = h[i] * rk_weights[s][j];
                const double *from = f->stage + j * size + i * width;
                for (size_t k = 0; k < width; k++)
                    f->trial[i * width + k] += factor * from[k];
            }
        MST_TRY(slopes(f, n, f->trial, f->stage + s * size));
        if (s == 0)
            memcpy(f->first, f->factor, n * square * sizeof *f->first);
    }
    memcpy(f->trial, f->now, size * sizeof *f->trial);
    for (size_t s = 0; s < RK_STAGES; s++)
        for (size_t i = 0; rk_eighth[s] != 0 && i < n; i++)
            for (size_t k = 0; k < width; k++)
                f->trial[i * width + k] += h[i] * rk_eighth[s] * f->stage[s * size + i * width + k];
    return MST_OK;
}

/* Error of the way and of p of row i, the larger one, in the metric at the beginning of the step; NAN if the
 * step led nowhere. */
static double step_error(flow *f, size_t n, size_t i, double h)
{
    size_t d = f->m->dim, width = f->width;
    const double *factor = f->first + i * d * d;
    double *error = f->field, *root = f->slope, length[2];
    for (size_t part = 0; part < 2; part++) {
        memset(error, 0, d * sizeof *error);
        for (size_t s = 0; s < RK_STAGES; s++)
            for (size_t k = 0; k < d; k++)
                error[k] +=
                    (rk_eighth[s] - rk_seventh[s]) * f->stage[(s * n + i) * width + part * d + k];
        (part == 0 ? metric_lower_root : metric_momentum_root)(d, factor, error, root);
        length[part] = h * metric_length(d, root);
    }
    return isnan(length[0]) || isnan(length[1]) ? NAN : fmax(length[0], length[1]);
}

/* The larger of the relative errors of the fields of row i: where coordinates run straight, along an equator,
 * the geodesic itself has no error that could tell how long a step may be. */
static double field_error(flow *f, size_t n, size_t i, double h)
{
    size_t d = f->m->dim, width = f->width, parts = f->share / d;
    const double *factor = f->first + i * d * d;
    double *error = f->field, *root = f->slope, worst = 0;
    for (size_t k = 0; f->kind != FLOW_ALONE && k < f->fields; k++) {
        double off = 0, size = 0;
        for (size_t part = 0; part < parts; part++) {
            size_t at = 2 * d + k * f->share + part * d;
            bool vector = f->kind == FLOW_JACOBI && part == 0;
            memset(error, 0, d * sizeof *error);
            for (size_t s = 0; s < RK_STAGES; s++)
                for (size_t a = 0; a < d; a++)
                    error[a] +=
                        (rk_eighth[s] - rk_seventh[s]) * f->stage[(s * n + i) * width + at + a];
            (vector ? metric_lower_root : metric_momentum_root)(d, factor, error, root);
            off = fmax(off, h * metric_length(d, root));
            (vector ? metric_lower_root : metric_momentum_root)(d, factor,
                                                                f->trial + i * width + at, root);
            size = fmax(size, metric_length(d, root));
        }
        if (size > 0)
            worst = isnan(off) ? NAN : fmax(worst, off / size);
    }
    return worst;
}

/* How each geodesic stands: its place in the caller's rows, parameter, next step, length, and steps tried;
 * `mark` is where it was a while ago. */
typedef struct runner {
    size_t row;
    double at, step, length, mark;
    size_t tried;
} runner;

/* Does it creep? Near a place where the metric ceases to be one steps shrink with the distance to it until
 * rounding is all that they see. At fifty times this pace no geodesic would come to its end. */
static bool is_stuck(runner *r)
{
    enum { WHILE = 1024 };
    if (r->tried == 0 || r->tried % WHILE != 0)
        return false;
    bool creeps = r->at - r->mark < 1e-4;
    r->mark = r->at;
    return creeps;
}

/* p and the fields of one state follow the point x into the chart it should be in; `x`
 * becomes the row there. */
static mst_status follow_chart(flow *f, double *x, double *state)
{
    const mst_manifold *m = f->m;
    size_t d = m->dim, n = f->fields, count = 1 + n * f->share / d;
    double to = metric_chart_for(m, x);
    if (m->ambient == d || to == x[d])
        return MST_OK;
    /* As vectors: v, then J and ∇J, or what is carried. */
    double *vectors, *p = state + d;
    MST_TRY(mst_allocate(&vectors, count * d));
    mst_status status = metric_factor(m, 1, x, &f->room, f->factor);
    double *rest = vectors + d;
    metric_raise(d, f->factor, p, vectors);
    if (status == MST_OK && f->kind == FLOW_JACOBI)
        status = flow_get_fields(f, x, p, state + 2 * d, rest, rest + n * d);
    for (size_t k = 0; f->kind == FLOW_CARRY && k < n; k++)
        metric_raise(d, f->factor, state + (2 + k) * d, rest + k * d);
    if (status == MST_OK)
        status = metric_change_chart(m, to, x, count, vectors);
    if (status == MST_OK)
        status = metric_slope(m, 1, x, vectors, &f->room, NULL, p);
    if (status == MST_OK && f->kind == FLOW_JACOBI)
        status = flow_set_fields(f, x, p, rest, rest + n * d, state + 2 * d);
    for (size_t k = 0; status == MST_OK && f->kind == FLOW_CARRY && k < n; k++)
        status = metric_slope(m, 1, x, rest + k * d, &f->room, NULL, state + (2 + k) * d);
    mst_release(vectors);
    return status;
}

/* Takes the trial of row i, or not; the next step. */
static mst_status judge(flow *f, size_t n, size_t i, runner *r, double *base, double *state)
{
    const mst_manifold *m = f->m;
    size_t d = m->dim, D = m->ambient;
    double error = step_error(f, n, i, r->step), *end = f->point + i * D;
    double ratio = error > 0 ? error / (f->tolerance * r->length) : error;
    double beside =
        field_error(f, n, i, r->step) / (field_tolerance * (f->tolerance / usual_tolerance));
    ratio = isnan(ratio) || isnan(beside) ? NAN : fmax(ratio, beside);
    unsigned char inside;
    flow_end(f, f->base + i * D, f->trial + i * f->width, end);
    metric_inside(m, 1, end, &inside);
    /* The error falls with the step wherever there is a geodesic at all. */
    if ((r->step < 1e-14 && !(ratio <= 1 && inside)) || is_stuck(r))
        return mst_fail(MST_DOMAIN,
                        "a geodesic of length %g left the domain of the metric after %.3g of it",
                        r->length, r->at);
    if (++r->tried > f->most)
        return mst_fail(MST_CONVERGENCE,
                        "a geodesic of length %g could be followed over %.3g of it only", r->length,
                        r->at);
    double grow = isfinite(ratio) ? 0.9 * pow(fmax(ratio, 1e-10), -1.0 / 8) : 0.2;
    grow = fmin(fmax(grow, 0.2), 5);
    if (!(ratio <= 1) || !inside) {
        r->step *= fmin(grow, 0.5);
        return MST_OK;
    }
    r->at += r->step;
    r->step = fmin(r->step * grow, 1 - r->at);
    memcpy(state, f->trial + i * f->width, f->width * sizeof *state);
    if (D == d || metric_chart_for(m, end) == end[d])
        return MST_OK;
    MST_TRY(follow_chart(f, end, state));
    memcpy(base, end, D * sizeof *base);
    memset(state, 0, d * sizeof *state);
    return MST_OK;
}

static mst_status measure(flow *f, size_t n, const double *base, const double *state,
                          runner *runners)
{
    size_t d = f->m->dim;
    MST_TRY(metric_factor(f->m, n, base, &f->room, f->factor));
    for (size_t i = 0; i < n; i++) {
        metric_momentum_root(d, f->factor + i * d * d, state + i * f->width + d, f->slope);
        double length = metric_length(d, f->slope);
        if (!isfinite(length))
            return mst_fail(MST_DOMAIN, "the length of a vector is %g", length);
        runners[i] = (runner){.row = i, .step = length > 0.5 ? 0.5 / length : 1, .length = length};
    }
    return MST_OK;
}

mst_status flow_run(flow *f, size_t n, double *base, double *state)
{
    size_t d = f->m->dim, D = f->m->ambient, width = f->width;
    runner runners[FLOW_ROWS];
    double h[FLOW_ROWS];
    MST_TRY(measure(f, n, base, state, runners));
    while (n > 0) {
        for (size_t i = 0; i < n; i++) {
            double *from = base + runners[i].row * D, *at = state + runners[i].row * width;
            if (runners[i].at > 0) { /* near a border of the chart coordinates get small */
                flow_end(f, from, at, from);
                memset(at, 0, d * sizeof *at);
            }
            memcpy(f->base + i * D, from, D * sizeof *base);
            memcpy(f->now + i * width, at, width * sizeof *state);
            h[i] = runners[i].step;
        }
        MST_TRY(attempt(f, n, h));
        size_t left = 0;
        for (size_t i = 0; i < n; i++) {
            runner *r = &runners[i];
            MST_TRY(judge(f, n, i, r, base + r->row * D, state + r->row * width));
            if (r->at < 1 && r->step > 0)
                runners[left++] = *r;
        }
        n = left;
    }
    return MST_OK;
}

mst_status flow_once(flow *f, size_t n, const double *base, const double *h, double *state)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    size_t width = f->width, size = n * width;
    memcpy(f->base, base, n * f->m->ambient * sizeof *base);
    memcpy(f->now, state, size * sizeof *state);
    for (size_t s = 0; s < 4; s++) {
        for (size_t k = 0; k < size; k++)
            f->trial[k] = f->now[k] + (s > 0 ? h[k / width] * at[s] * f->stage[k] : 0);
        MST_TRY(slopes(f, n, f->trial, f->stage));
        for (size_t k = 0; k < size; k++)
            state[k] += h[k / width] * weight[s] * f->stage[k];
    }
    return MST_OK;
}

/* δx = J, δp = g ∇J + metric_turn. */
mst_status flow_set_fields(flow *f, const double *x, const double *p, const double *j,
                           const double *dj, double *field)
{
    const mst_manifold *m = f->m;
    size_t d = m->dim, n = f->fields;
    double *v = f->speeds, *turn = f->field;
    MST_TRY(metric_factor(m, 1, x, &f->room, f->factor));
    metric_raise(d, f->factor, p, v);
    MST_TRY(metric_turn(m, 1, n, x, v, j, 1, &f->room, turn));
    for (size_t k = 0; k < n; k++) {
        double *to = field + k * f->share;
        MST_TRY(metric_slope(m, 1, x, dj + k * d, &f->room, NULL, to + d));
        for (size_t a = 0; a < d; a++) {
            to[a] = j[k * d + a];
            to[d + a] += turn[k * d + a];
        }
    }
    return MST_OK;
}

mst_status flow_get_fields(flow *f, const double *x, const double *p, const double *field,
                           double *j, double *dj)
{
    const mst_manifold *m = f->m;
    size_t d = m->dim, n = f->fields;
    double *v = f->speeds, *turn = f->field;
    MST_TRY(metric_factor(m, 1, x, &f->room, f->factor));
    metric_raise(d, f->factor, p, v);
    for (size_t k = 0; k < n; k++)
        memcpy(j + k * d, field + k * f->share, d * sizeof *j);
    MST_TRY(metric_turn(m, 1, n, x, v, j, 1, &f->room, turn));
    for (size_t k = 0; k < n; k++) {
        for (size_t a = 0; a < d; a++)
            dj[k * d + a] = field[k * f->share + d + a] - turn[k * d + a];
        metric_raise(d, f->factor, dj + k * d, dj + k * d);
    }
    return MST_OK;
}
