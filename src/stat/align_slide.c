/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Semilandmarks (Bookstein 1997; Gunz, Mitteroecker and Bookstein 2005). A semilandmark lies on the straight
 * line through its place in the data, in the direction from the landmark before it to the one behind it, both
 * as in the data. So nothing drifts away from its curve however many steps are made, and each step is a
 * linear problem: the positions t on the lines U make (x + U t − m)ᵀ L (x + U t − m) least, where m is the
 * mean in the place of the specimen, and L the bending energy of the mean, or the identity. */
#include "base/linalg.h"
#include "stat/align_parts.h"

#include <math.h>
#include <string.h>

struct align_slides {
    size_t count;
    double *tangent; /* (n, count, dim): unit vectors in the frames of the originals */
    double *bending; /* (k, k) */
    double *spline;  /* (k + dim + 1)², and as many right-hand sides */
    double *side;
    double *normal, *t; /* (count, count), (count) */
    double *gap;        /* (width): original − target */
};

mst_status align_slides_new(align_slides **out, const align_work *a)
{
    size_t count = a->o.slider_count, dim = a->dim, order = a->k + dim + 1;
    bool bends = a->o.slide_by == MST_SLIDE_BENDING;
    align_slides *s;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->count = count;
    mst_status status = mst_allocate(&s->tangent, a->n * count * dim);
    if (status == MST_OK)
        status = mst_allocate(&s->gap, a->width);
    if (status == MST_OK)
        status = mst_allocate(&s->t, count);
    if (status == MST_OK && bends)
        status = mst_allocate(&s->bending, a->k * a->k);
    if (status == MST_OK && bends)
        status = mst_allocate(&s->spline, order * order);
    if (status == MST_OK && bends)
        status = mst_allocate(&s->side, a->k * order);
    if (status == MST_OK && bends)
        status = mst_allocate(&s->normal, count * count);
    for (size_t i = 0; status == MST_OK && i < a->n; i++)
        for (size_t j = 0; j < count; j++) {
            const mst_slider *l = &a->o.sliders[j];
            const double *x = a->original + i * a->width;
            double *u = s->tangent + (i * count + j) * dim, norm = 0;
            for (size_t c = 0; c < dim; c++) {
                u[c] = x[l->after * dim + c] - x[l->before * dim + c];
                norm += u[c] * u[c];
            }
            norm = sqrt(norm);
            if (!(norm > 0)) {
                status = mst_fail(MST_DOMAIN,
                                  "specimen %zu: landmarks %zu and %zu, between which landmark %zu "
                                  "slides, coincide",
                                  i + 1, l->before + 1, l->after + 1, l->slide + 1);
                break;
            }
            for (size_t c = 0; c < dim; c++)
                u[c] /= norm;
        }
    if (status != MST_OK)
        align_slides_free(s);
    else
        *out = s;
    return status;
}

void align_slides_free(align_slides *s)
{
    if (s == NULL)
        return;
    mst_release(s->tangent);
    mst_release(s->bending);
    mst_release(s->spline);
    mst_release(s->side);
    mst_release(s->normal);
    mst_release(s->t);
    mst_release(s->gap);
    mst_release(s);
}

/* The kernel of the thin-plate spline, with the sign that makes the bending energy positive. */
static double kernel(size_t dim, double square)
{
    if (!(square > 0))
        return 0;
    return dim == 2 ? square * log(square) : -sqrt(square);
}

/* The bending energy matrix of the mean: the upper left block of the inverse of [K P; Pᵀ 0]. */
static mst_status find_bending(align_slides *s, const align_work *a)
{
    size_t k = a->k, dim = a->dim, order = k + dim + 1;
    memset(s->spline, 0, order * order * sizeof *s->spline);
    memset(s->side, 0, k * order * sizeof *s->side);
    for (size_t p = 0; p < k; p++) {
        double *row = s->spline + p * order;
        for (size_t q = 0; q < k; q++) {
            double square = 0;
            for (size_t c = 0; c < dim; c++) {
                double d = a->mean[p * dim + c] - a->mean[q * dim + c];
                square += d * d;
            }
            row[q] = kernel(dim, square);
        }
        row[k] = s->spline[k * order + p] = 1;
        for (size_t c = 0; c < dim; c++)
            row[k + 1 + c] = s->spline[(k + 1 + c) * order + p] = a->mean[p * dim + c];
        s->side[p * order + p] = 1;
    }
    if (mst_solve(1, order, k, s->spline, s->side, s->side, NULL) != MST_OK)
        return mst_fail(MST_BREAKDOWN,
                        "the mean has no bending energy: two of its landmarks coincide, or all lie "
                        "on a line; slide by distance instead");
    for (size_t p = 0; p < k; p++)
        for (size_t q = 0; q < k; q++)
            s->bending[p * k + q] = s->side[p * order + q];
    return MST_OK;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* t for the bending energy, from gap = original − target. */
static mst_status solve_bending(align_slides *s, const align_work *a, const double *tangent,
                                double *pulled)
{
    size_t count = s->count, k = a->k, dim = a->dim;
    for (size_t i = 0; i < count; i++) {
        const double *row = s->bending + a->o.sliders[i].slide * k;
        double sum[3] = {0};
        for (size_t p = 0; p < k; p++)
            for (size_t c = 0; c < dim; c++)
                sum[c] += row[p] * s->gap[p * dim + c];
        pulled[i] = -dot(dim, sum, tangent + i * dim);
        for (size_t j = 0; j < count; j++)
            s->normal[i * count + j] =
                row[a->o.sliders[j].slide] * dot(dim, tangent + i * dim, tangent + j * dim);
    }
    mst_status status = mst_cholesky(1, count, s->normal, s->normal, NULL);
    if (status == MST_DOMAIN)
        return mst_fail(MST_BREAKDOWN,
                        "where the semilandmarks should slide to is not determined by the bending "
                        "energy: too few landmarks stay");
    MST_TRY(status);
    for (size_t i = 0; i < count; i++) { /* L y = b */
        for (size_t j = 0; j < i; j++)
            pulled[i] -= s->normal[i * count + j] * pulled[j];
        pulled[i] /= s->normal[i * count + i];
    }
    for (size_t i = count; i-- > 0;) { /* Lᵀ t = y */
        for (size_t j = i + 1; j < count; j++)
            pulled[i] -= s->normal[j * count + i] * pulled[j];
        pulled[i] /= s->normal[i * count + i];
    }
    return MST_OK;
}

mst_status align_slide(align_slides *s, align_work *a)
{
    size_t dim = a->dim;
    bool bends = a->o.slide_by == MST_SLIDE_BENDING;
    if (bends)
        MST_TRY(find_bending(s, a));
    for (size_t i = 0; i < a->n; i++) {
        const double *original = a->original + i * a->width, *r = a->rotation + i * dim * dim;
        const double *tangent = s->tangent + i * s->count * dim;
        double *x = a->x + i * a->width;
        for (size_t p = 0; p < a->k; p++)
            for (size_t c = 0; c < dim; c++) {
                double back = dot(dim, a->mean + p * dim, r + c * dim) / a->fit[i];
                s->gap[p * dim + c] =
                    original[p * dim + c] - (a->stretch[i] * back + a->shift[i * dim + c]);
            }
        if (bends)
            MST_TRY(solve_bending(s, a, tangent, s->t));
        memcpy(x, original, a->width * sizeof *x);
        for (size_t j = 0; j < s->count; j++) {
            size_t p = a->o.sliders[j].slide;
            if (!bends)
                s->t[j] = -dot(dim, tangent + j * dim, s->gap + p * dim);
            for (size_t c = 0; c < dim; c++)
                x[p * dim + c] += s->t[j] * tangent[j * dim + c];
        }
        align_normalise(a, x, a->shift + i * dim, &a->stretch[i]);
        if (!(a->stretch[i] > 0))
            return mst_fail(MST_BREAKDOWN, "specimen %zu: its landmarks slid into one point",
                            i + 1);
    }
    return MST_OK;
}
