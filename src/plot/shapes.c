/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/shapes.h"

#include "base/linalg.h"
#include "stat/distributions.h"

#include <math.h>
#include <string.h>

bool shapes_suits(const mst_picture *p)
{
    if (p->m == NULL || p->mean_count == 0 || mst_manifold_factor_count(p->m) != 1)
        return false;
    const mst_manifold_traits *t = mst_manifold_traits_of(p->m);
    return t->landmark_dim == 2 || t->landmark_dim == 3;
}

double plot_part_radius2(const mst_manifold *m, const mst_picture_mean *mean, size_t coordinates)
{
    if (mean->region != MST_REGION_ELLIPSOID || mean->no_region != NULL ||
        mean->covariance == NULL || mean->basis == NULL)
        return NAN;
    double few =
        mean->radius2 / mst_chi_square_quantile(mean->confidence, (double)mst_manifold_dim(m));
    return fmax(1, few) * mst_chi_square_quantile(mean->confidence, (double)coordinates);
}

/* ---- Laying over ---- */

/* Where any row stands for a point, as a configuration stands for its shape, Exp(Log) at the mean gives the
 * one of these rows that lies nearest to it. */
static mst_status lay_over(const mst_manifold *m, const double *mean, size_t n, const double *x,
                           double *y, size_t *lost)
{
    size_t D = mst_manifold_ambient(m);
    double *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        status = mst_manifold_log(m, 1, mean, x + i * D, v, NULL);
        if (status == MST_OK)
            status = mst_manifold_exp(m, 1, mean, v, y + i * D);
        if (status != MST_OK && status != MST_MEMORY) {
            for (size_t j = 0; j < D; j++)
                y[i * D + j] = NAN;
            ++*lost;
            status = MST_OK;
        }
    }
    mst_release(v);
    return status;
}

/* The linear map a (dim, dim) with a·from ≈ to for all landmarks: a rotation where one was laid over the
 * other. False if the landmarks do not span the space. */
static bool turn_between(size_t landmarks, size_t dim, const double *from, const double *to,
                         double *a)
{
    double square[9] = {0}, product[9] = {0};
    for (size_t k = 0; k < landmarks; k++)
        for (size_t i = 0; i < dim; i++)
            for (size_t j = 0; j < dim; j++) {
                square[i * dim + j] += from[k * dim + i] * from[k * dim + j];
                product[i * dim + j] += to[k * dim + i] * from[k * dim + j];
            }
    return mst_solve(1, dim, dim, square, product, a, NULL) == MST_OK;
}

/* The block of one landmark of Bᵀ C B, turned by a. */
static void landmark_covariance(const shapes *s, const mst_picture_mean *mean, size_t d,
                                size_t landmark, const double *a, double scale, double *out)
{
    size_t dim = s->dim;
    double block[9] = {0}, half[9] = {0};
    for (size_t p = 0; p < d; p++)
        for (size_t q = 0; q < d; q++)
            for (size_t i = 0; i < dim; i++)
                for (size_t j = 0; j < dim; j++)
                    block[i * dim + j] += mean->basis[p * s->D + landmark * dim + i] *
                                          mean->covariance[p * d + q] *
                                          mean->basis[q * s->D + landmark * dim + j];
    mst_multiply(dim, a, block, half);
    mst_multiply_nt(dim, half, a, out);
    for (size_t i = 0; i < dim * dim; i++)
        out[i] *= scale;
}

static void take_covariance(shapes *s, const mst_picture *p, size_t mean)
{
    const mst_picture_mean *k = &p->means[mean];
    double radius2 = plot_part_radius2(p->m, k, s->dim), a[9];
    if (isnan(radius2) || !turn_between(s->landmarks, s->dim, k->at, s->means + mean * s->D, a))
        return;
    for (size_t i = 0; i < s->landmarks; i++)
        landmark_covariance(s, k, mst_manifold_dim(p->m), i, a, radius2,
                            s->covariance + (mean * s->landmarks + i) * s->dim * s->dim);
    s->has_covariance[mean] = true;
}

/* A shape has no direction on the page: in the plane the long way of the first mean goes across, with the
 * first landmark above the middle. */
static void stand_up(shapes *s)
{
    double xx = 0, xy = 0, yy = 0, centre[2] = {0};
    for (size_t k = 0; k < 2 * s->landmarks; k++)
        centre[k % 2] += s->means[k] / (double)s->landmarks;
    for (size_t k = 0; k < s->landmarks; k++) {
        double a = s->means[2 * k] - centre[0], b = s->means[2 * k + 1] - centre[1];
        xx += a * a;
        xy += a * b;
        yy += b * b;
    }
    double angle = -atan2(2 * xy, xx - yy) / 2, cosine = cos(angle), sine = sin(angle);
    if (sine * (s->means[0] - centre[0]) + cosine * (s->means[1] - centre[1]) < 0) {
        cosine = -cosine;
        sine = -sine;
    }
    for (int part = 0; part < 2; part++) {
        double *x = part == 0 ? s->x : s->means;
        size_t count = (part == 0 ? s->n : s->mean_count) * s->landmarks;
        for (size_t i = 0; i < count; i++) {
            double a = x[2 * i], b = x[2 * i + 1];
            x[2 * i] = cosine * a - sine * b;
            x[2 * i + 1] = sine * a + cosine * b;
        }
    }
}

static mst_status fill(shapes *s, canvas *c, const mst_picture *p)
{
    size_t lost = 0, missed = 0;
    bool stands_for = mst_manifold_traits_of(p->m)->any_row;
    if (stands_for) {
        MST_TRY(lay_over(p->m, p->means[0].at, p->n, p->x, s->x, &lost));
        for (size_t k = 0; k < p->mean_count; k++)
            MST_TRY(
                lay_over(p->m, p->means[0].at, 1, p->means[k].at, s->means + k * s->D, &missed));
    } else {
        if (p->n > 0)
            memcpy(s->x, p->x, p->n * s->D * sizeof *s->x);
        for (size_t k = 0; k < p->mean_count; k++)
            memcpy(s->means + k * s->D, p->means[k].at, s->D * sizeof *s->means);
    }
    if (stands_for && s->dim == 2)
        stand_up(s);
    for (size_t k = 0; k < p->mean_count; k++)
        take_covariance(s, p, k);
    double size2 = 0;
    for (size_t j = 0; j < s->D; j++)
        size2 += s->means[j] * s->means[j];
    s->unit = stands_for && fabs(size2 - 1) < 1e-9;
    if (stands_for && (p->n > 0 || p->mean_count > 1))
        canvas_note(c, "Configurations are turned%s onto the %s%s.",
                    s->unit ? ", moved and scaled" : " and moved",
                    p->mean_count > 1 ? "first " : "", p->mean_word);
    if (lost > 0)
        canvas_note(c, "%zu of them could not be, and %s not drawn.", lost,
                    lost == 1 ? "is" : "are");
    return MST_OK;
}

mst_status shapes_open(shapes *s, canvas *c, const mst_picture *p)
{
    size_t D = mst_manifold_ambient(p->m), dim = mst_manifold_traits_of(p->m)->landmark_dim;
    *s = (shapes){.landmarks = D / dim, .dim = dim, .D = D, .n = p->n, .mean_count = p->mean_count};
    MST_TRY(mst_allocate(&s->x, p->n * D));
    MST_TRY(mst_allocate(&s->means, p->mean_count * D));
    MST_TRY(mst_allocate_zero(&s->covariance, p->mean_count * D * dim));
    MST_TRY(mst_allocate_zero(&s->has_covariance, p->mean_count));
    MST_TRY(mst_allocate(&s->next, s->landmarks));
    MST_TRY(fill(s, c, p));
    return shapes_join(s, canvas_options(c)->outline);
}

void shapes_close(shapes *s)
{
    mst_release(s->x);
    mst_release(s->means);
    mst_release(s->covariance);
    mst_release(s->has_covariance);
    mst_release(s->next);
}

/* ---- On the page ---- */

void shape_view_take(shape_view *v, const shapes *s, size_t count, const double *x)
{
    for (size_t i = 0; i < count * s->landmarks; i++)
        for (int k = 0; k < 2; k++) {
            double value = x[i * s->dim + (k == 0 ? v->a : v->b)];
            v->low[k] = fmin(v->low[k], value); /* not a number: the other one */
            v->high[k] = fmax(v->high[k], value);
        }
}

void shape_view_place(const shape_view *v, const double *landmark, double xy[2])
{
    xy[0] = v->left + v->scale * (landmark[v->a] - v->low[0]);
    xy[1] = v->top + v->scale * (v->high[1] - landmark[v->b]);
}

void shape_path(canvas *c, const shapes *s, const shape_view *v, const double *x)
{
    double xy[2];
    for (size_t i = 0; i < s->landmarks; i++) {
        size_t to = s->next[i];
        if (to == s->landmarks)
            continue;
        if (i == 0 || s->next[i - 1] != i) {
            shape_view_place(v, x + i * s->dim, xy);
            canvas_move(c, xy[0], xy[1]);
        }
        shape_view_place(v, x + to * s->dim, xy);
        canvas_draw_to(c, xy[0], xy[1]);
    }
}

double shape_scale_bar(canvas *c, const shapes *s, double left, double top, double width,
                       double scale)
{
    double raw = width / 4 / scale, power = pow(10, floor(log10(raw))), lead = raw / power;
    double length = power * (lead < 2 ? 1 : lead < 5 ? 2 : 5);
    canvas_move(c, left, top + 5);
    canvas_draw_to(c, left + length * scale, top + 5);
    canvas_stroke(c, (pen){paint_ink, 1.4, false});
    canvas_text(c, left + length * scale + 4, top + 5, ANCHOR_LEFT, "%g %s", length,
                s->unit ? "of the centroid size" : "in units of the data");
    return 11;
}
