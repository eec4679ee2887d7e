/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is known at the end of Newton's method. The last step is still taken, and energy and end velocities
 * are corrected for it to first order in the gradient, which saves the last evaluation.
 *
 * The error estimate of the length is the largest of what four ways of looking at it say: the velocities at
 * the ends are as long as the path; the energy density is constant at the nodes; and the Legendre series of
 * velocity and momentum have ended. Nodes alone are blind between nodes, ends alone in the middle. */
#include "geodesic/sweeper.h"

#include "geodesic/krylov.h"
#include "manifold/metric.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- For all lanes at once ---- */

/* The unknowns of a field and back; ends 0. */
static void gather(const sweeper *s, const eight *field, eight *b)
{
    size_t n = s->g.nodes, d = s->g.d;
    for (size_t i = 1; i + 1 < n; i++)
        for (size_t a = 0; a < d; a++)
            b[(i - 1) * d + a] = field[a * n + i];
}

static void scatter(const sweeper *s, const eight *b, eight *field)
{
    size_t n = s->g.nodes, d = s->g.d;
    for (size_t a = 0; a < d; a++) {
        field[a * n] = field[a * n + n - 1] = (eight){0};
        for (size_t i = 1; i + 1 < n; i++)
            field[a * n + i] = b[(i - 1) * d + a];
    }
}

/* The point of an element where node i ≥ 1 is. */
static size_t point_of(const sweeper *s, size_t i)
{
    size_t p = s->g.r->p, e = (i - 1) / p;
    return e * (p + 1) + i - e * p;
}

/* The velocity turned by a right angle, for surfaces: (−p₂, p₁) of the momentum in a
 * chart, n × v in space. */
static void turned(const sweeper *s, size_t i, const eight *height)
{
    const sweep_room *r = &s->r;
    size_t n = s->g.nodes, q = point_of(s, i), points = r->points;
    eight p[2] = {{0}};
    if (s->p->form == FORM_CONSTRAINT) {
        const eight *g = r->normal, *v = r->vq;
        eight square = {0};
        for (size_t k = 0; k < 3; k++)
            square += g[k * n + i] * g[k * n + i];
        for (size_t k = 0; k < 3; k++) {
            size_t a = (k + 1) % 3, b = (k + 2) % 3;
            eight w = g[a * n + i] * v[b * points + q] - g[b * n + i] * v[a * points + q];
            for (size_t e = 0; e < 2; e++)
                p[e] += r->frame[(k * 2 + e) * n + i] * w / square;
        }
        s->field[i] = p[0] * *height;
        s->field[n + i] = p[1] * *height;
        return;
    }
    for (size_t a = 0; a < 2; a++)
        if (s->p->form == FORM_METRIC)
            p[a] = r->l_v[a * points + q];
        else
            for (size_t k = 0; k < r->space; k++)
                p[a] += r->frame[(k * 2 + a) * n + i] * r->vq[k * points + q];
    s->field[i] = -p[1] * *height;
    s->field[n + i] = p[0] * *height;
}

/* Some direction less its part along the path. */
static void across(const sweeper *s, size_t i, const eight *height)
{
    const sweep_room *r = &s->r;
    size_t n = s->g.nodes, d = s->g.d, q = point_of(s, i), points = r->points;
    bool metric = s->p->form == FORM_METRIC;
    size_t space = metric ? d : r->space;
    eight square = {0}, along = {0};
    for (size_t k = 0; k < space; k++) {
        const eight *v = r->vq + k * points, *momentum = metric ? r->l_v + k * points : v;
        square += v[q] * momentum[q];
        along += cos(0.4 + 1.3 * (double)k) * momentum[q];
    }
    for (size_t a = 0; a < d; a++)
        s->field[a * n + i] = (eight){0};
    for (size_t k = 0; k < space; k++) {
        eight w = (cos(0.4 + 1.3 * (double)k) - r->vq[k * points + q] * along / square) * *height;
        for (size_t a = 0; a < d; a++)
            if (!metric)
                s->field[a * n + i] += r->frame[(k * d + a) * n + i] * w;
            else if (a == k)
                s->field[a * n + i] = w;
    }
}

/* The least eigenvalue of H v = λ H₀ v, H₀ the positive part, by inverse iteration. */
static void find_ratio(sweeper *s)
{
    size_t n = s->g.nodes, d = s->g.d, p = s->g.r->p;
    eight start = {0};
    for (size_t i = 1; i + 1 < n; i++) {
        size_t e = (i - 1) / p;
        eight t = start + s->r.h[e] * s->g.r->t[i - e * p];
        eight height = t * (1 - t);
        if (d == 2 && (s->p->form != FORM_CONSTRAINT || s->r.space == 3))
            turned(s, i, &height);
        else
            across(s, i, &height);
        if (i % p == 0)
            start += s->r.h[e];
    }
    for (size_t a = 0; a < d; a++)
        s->field[a * n] = s->field[a * n + n - 1] = (eight){0};
    sweeper_product(s, false, s->field, s->image);
    eight above = {0}, below = {0};
    for (int round = 0; round < (d == 2 ? 3 : 5); round++) {
        gather(s, s->image, s->b);
        s->c->solve(&s->g, s->matrix, s->inverse, s->b);
        scatter(s, s->b, s->field);
        above = (eight){0};
        for (size_t j = 0; j < d * n; j++)
            above += s->field[j] * s->image[j]; /* v H v, as H v is the old image */
        sweeper_product(s, false, s->field, s->image);
        below = (eight){0};
        for (size_t j = 0; j < d * n; j++)
            below += s->field[j] * s->image[j];
    }
    *s->ratio = above / below;
}

/* With y = H_II⁻¹ H_I0 e: the field (e, −y) has the images S e at x and −Bᵀ e at y. */
static void find_seconds(sweeper *s)
{
    size_t n = s->g.nodes, d = s->g.d;
    for (size_t a = 0; a < d; a++) {
        memset(s->field, 0, d * n * sizeof *s->field);
        s->field[a * n] += 1;
        sweeper_product(s, true, s->field, s->image);
        gather(s, s->image, s->b);
        s->c->solve(&s->g, s->matrix, s->inverse, s->b);
        for (size_t j = 0; j < s->g.unknowns; j++)
            s->b[j] = -s->b[j];
        scatter(s, s->b, s->field);
        s->field[a * n] += 1;
        sweeper_product(s, true, s->field, s->image);
        for (size_t b = 0; b < d; b++) {
            s->seconds[b * d + a] = s->image[b * n];
            s->seconds[d * d + a * d + b] = -s->image[b * n + n - 1];
        }
    }
}

/* ---- For one ---- */

/* The derivative of the energy in the end `node`, after the last step. */
static void end_slope(const sweeper *s, size_t lane, size_t node, double *out)
{
    size_t n = s->g.nodes;
    for (size_t a = 0; a < s->g.d; a++)
        out[a] = s->r.gradient[a * n + node][lane] + s->other[a * n + node][lane];
}

static bool factor_small(size_t d, double *g)
{
    for (size_t j = 0; j < d; j++)
        for (size_t i = j; i < d; i++) {
            double sum = g[i * d + j];
            for (size_t k = 0; k < j; k++)
                sum -= g[i * d + k] * g[j * d + k];
            if (i == j && !(sum > 0))
                return false;
            g[i * d + j] = i == j ? sqrt(sum) : sum / g[j * d + j];
        }
    return true;
}

/* The factor of the metric at the first or last node. */
static bool end_factor(const sweeper *s, size_t lane, bool last, double *g)
{
    const sweep_room *r = &s->r;
    size_t d = s->g.d, n = s->g.nodes, node = last ? n - 1 : 0, point = last ? r->points - 1 : 0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            g[i * d + j] = 0;
            if (s->p->form == FORM_METRIC)
                g[i * d + j] = r->l_vv[(i * d + j) * r->points + point][lane];
            for (size_t k = 0; s->p->form == FORM_EMBEDDING && k < r->space; k++)
                g[i * d + j] +=
                    r->frame[(k * d + i) * n + node][lane] * r->frame[(k * d + j) * n + node][lane];
        }
    return factor_small(d, g);
}

/* The vector of the covector −slope at the first or last node, and its length; g becomes the factor of the
 * metric there, and *volume √det g. */
static double raise(const sweeper *s, size_t lane, bool last, const double *slope, double *g,
                    double *volume, double *out)
{
    const sweep_room *r = &s->r;
    size_t d = s->g.d, n = s->g.nodes, node = last ? n - 1 : 0;
    double square = 0;
    *volume = 1;
    if (s->many != NULL) {
        double length;
        return krylov_raise(s, lane, last, slope, out, &length) == MST_OK ? length : NAN;
    }
    if (s->p->form == FORM_CONSTRAINT) {
        for (size_t k = 0; k < r->space; k++) {
            out[k] = 0;
            for (size_t a = 0; a < d; a++)
                out[k] -= r->frame[(k * d + a) * n + node][lane] * slope[a];
        }
        for (size_t a = 0; a < d; a++)
            square += slope[a] * slope[a];
        return sqrt(square);
    }
    if (!end_factor(s, lane, last, g))
        return NAN;
    metric_raise(d, g, slope, out);
    for (size_t k = 0; k < d; k++) {
        *volume *= g[k * d + k];
        square += out[k] * slope[k];
        out[k] = -out[k];
    }
    return sqrt(square);
}

/* Σ_q w h (density/E − 1)². */
static double unevenness(const sweeper *s, size_t lane, double energy)
{
    const sweep_room *r = &s->r;
    size_t P = s->g.r->p + 1;
    double sum = 0;
    for (size_t q = 0; q < r->points; q++) {
        double density = 0;
        if (s->p->form == FORM_METRIC)
            density = r->l[q][lane];
        else
            for (size_t k = 0; k < r->space; k++)
                density += 0.5 * r->vq[k * r->points + q][lane] * r->vq[k * r->points + q][lane];
        double off = density / energy - 1;
        sum += s->g.r->w[q % P] * r->h[q / P][lane] * off * off;
    }
    return sum;
}

static double coefficient(const sweeper *s, size_t which, const eight *values, size_t lane)
{
    size_t P = s->g.r->p + 1;
    const double *row = s->g.r->legendre + which * P;
    double sum = 0;
    for (size_t q = 0; q < P; q++)
        sum += row[q] * values[q][lane];
    return fabs(sum);
}

/* What the last coefficients of velocity and momentum leave out. */
static double tail(const sweeper *s, size_t lane, double length)
{
    const sweep_room *r = &s->r;
    size_t p = s->g.r->p, P = p + 1;
    bool metric = s->p->form == FORM_METRIC;
    double sum = 0;
    for (size_t e = 0; e < s->g.elements; e++)
        for (size_t k = 0; k < (metric ? s->g.d : r->space); k++) {
            const eight *v = r->vq + k * r->points + e * P,
                        *m = metric ? r->l_v + k * r->points + e * P : v;
            double left = coefficient(s, 1, v, lane) + coefficient(s, 0, v, lane);
            double right = coefficient(s, 2, m, lane) + coefficient(s, 1, m, lane);
            sum += r->h[e][lane] * left * right;
        }
    return sum / (2 * (double)p * length);
}

static void copy_frame(const sweeper *s, size_t lane, size_t node, double *out)
{
    size_t n = s->g.nodes;
    for (size_t j = 0; s->p->form == FORM_CONSTRAINT && j < s->r.space * s->g.d; j++)
        out[j] = s->r.frame[j * n + node][lane];
}

/* By elimination; a is overwritten. */
static double determinant(size_t d, double *a)
{
    double product = 1;
    for (size_t k = 0; k < d; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < d; i++)
            if (fabs(a[i * d + k]) > fabs(a[pivot * d + k]))
                pivot = i;
        for (size_t j = 0; pivot != k && j < d; j++) {
            double old = a[k * d + j];
            a[k * d + j] = a[pivot * d + j];
            a[pivot * d + j] = old;
        }
        product *= (pivot != k ? -1 : 1) * a[k * d + k];
        for (size_t i = k + 1; i < d; i++)
            for (size_t j = d; j-- > k;)
                a[i * d + j] -= a[i * d + k] / a[k * d + k] * a[k * d + j];
    }
    return product;
}

/* What may be believed is looked at more closely, once for all lanes that have arrived together. */
static void look_closer(sweeper *s, size_t lane)
{
    size_t d = s->g.d;
    landing *out = &s->landed;
    if (s->lane[lane].flat) {
        out->conjugate = 1;
        for (size_t j = 0; out->hessian != NULL && j < d * d; j++)
            out->hessian[j] = out->mixed[j] = NAN;
        return;
    }
    if (!s->closer) {
        *s->ratio = (eight){0} + 1; /* without a matrix nobody knows */
        if (s->conjugate && s->many == NULL)
            find_ratio(s);
        if (s->second_order && s->many == NULL)
            find_seconds(s);
        s->closer = true;
    }
    out->conjugate = s->conjugate ? sqrt(fmax(0, 1 - (*s->ratio)[lane])) : 0;
    for (size_t j = 0; out->hessian != NULL && j < d * d; j++) {
        out->hessian[j] = s->seconds[j][lane];
        out->mixed[j] = s->seconds[d * d + j][lane];
    }
}

static mst_status land_whole(sweeper *s, size_t lane)
{
    size_t d = s->g.d, n = s->g.nodes;
    landing *out = &s->landed;
    double *slope = s->small, *g = slope + d, volume_x, volume_y, length = out->length;
    end_slope(s, lane, 0, slope);
    double at_x = raise(s, lane, false, slope, g, &volume_x, out->log_x);
    end_slope(s, lane, n - 1, slope);
    double at_y = raise(s, lane, true, slope, g, &volume_y, out->log_y);
    double worst = fmax(fabs(at_x - length), fabs(at_y - length));
    worst = fmax(worst, length * unevenness(s, lane, out->energy));
    out->error = fmax(fmax(worst, tail(s, lane, length)), 4 * DBL_EPSILON * length);
    out->conjugate = NAN;
    if (isnan(at_x) || isnan(at_y))
        out->error = NAN;
    if (!(out->error <= s->lane[lane].plan.enough * length))
        return MST_OK;
    look_closer(s, lane);
    if (out->hessian != NULL) {
        memcpy(g, out->mixed, d * d * sizeof *g);
        out->van_vleck = fabs(determinant(d, g)) / (volume_x * volume_y); /* frames have no sides */
    }
    copy_frame(s, lane, 0, out->frame_x);
    copy_frame(s, lane, n - 1, out->frame_y);
    return MST_OK;
}

mst_status sweeper_land(sweeper *s, const unsigned char *lanes, size_t which)
{
    size_t first = 0, n = s->g.nodes;
    bool whole = false;
    while (!lanes[first])
        first++;
    for (size_t k = 0; k < EIGHT; k++)
        whole = whole || (lanes[k] && s->lane[k].plan.whole);
    if (which == first && whole) {
        if (s->many != NULL)
            MST_TRY(krylov_product(s, s->step, s->other));
        else if (s->p->form == FORM_METRIC)
            s->k->metric_ends(&s->r, s->step, s->other);
        else
            s->k->ambient_ends(&s->r, s->step, s->other);
        s->closer = false;
    }
    s->landed.energy = fmax(0, s->landed.energy - 0.5 * s->lane[which].decrease);
    s->landed.length = sqrt(2 * s->landed.energy);
    if (s->lane[which].plan.whole)
        MST_TRY(land_whole(s, which));
    for (size_t k = 0; k < s->r.width; k++)
        for (size_t i = 1; i + 1 < n; i++)
            s->r.x[k * n + i][which] += s->move[k * n + i][which];
    return MST_OK;
}
