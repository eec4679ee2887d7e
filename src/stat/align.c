/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Generalised Procrustes analysis (Gower 1975; Dryden and Mardia, Statistical Shape Analysis, chapter 7):
 * turn every specimen to the mean, average, and so on. With scale the step is M ← Σ cos ρᵢ Zᵢ Rᵢ made of size
 * 1, which in the plane is the power method for Σ zz*. */
#include "base/options.h"
#include "base/rotation.h"
#include "stat/align_parts.h"

#include <math.h>
#include <string.h>

mst_align_options mst_align_options_default(void)
{
    return (mst_align_options){.size = sizeof(mst_align_options), .max_iterations = 1000};
}

double align_inner(const align_work *a, const double *x, const double *y)
{
    double sum = 0;
    for (size_t p = 0; p < a->k; p++)
        for (size_t c = 0; c < a->dim; c++)
            sum += a->weights[p] * x[p * a->dim + c] * y[p * a->dim + c];
    return sum;
}

void align_centroid(const align_work *a, const double *x, double *centroid)
{
    double total = 0;
    memset(centroid, 0, a->dim * sizeof *centroid);
    for (size_t p = 0; p < a->k; p++) {
        total += a->weights[p];
        for (size_t c = 0; c < a->dim; c++)
            centroid[c] += a->weights[p] * x[p * a->dim + c];
    }
    for (size_t c = 0; c < a->dim; c++)
        centroid[c] /= total;
}

void align_normalise(const align_work *a, double *x, double *shift, double *stretch)
{
    align_centroid(a, x, shift);
    for (size_t j = 0; j < a->width; j++)
        x[j] -= shift[j % a->dim];
    *stretch = a->o.scale ? sqrt(align_inner(a, x, x)) : 1;
    for (size_t j = 0; *stretch > 0 && j < a->width; j++)
        x[j] /= *stretch;
}

/* ---- Checks ---- */

static mst_status check_sliders(const align_work *a)
{
    for (size_t s = 0; s < a->o.slider_count; s++) {
        const mst_slider *l = &a->o.sliders[s];
        size_t largest = l->before > l->after ? l->before : l->after;
        largest = l->slide > largest ? l->slide : largest;
        if (largest >= a->k)
            return mst_fail(MST_ARGUMENT,
                            "slider %zu: there is no landmark %zu, the specimens have %zu", s + 1,
                            largest + 1, a->k);
        if (l->slide == l->before || l->slide == l->after || l->before == l->after)
            return mst_fail(MST_ARGUMENT, "slider %zu: its three landmarks are not different",
                            s + 1);
        for (size_t b = 0; b < s; b++)
            if (a->o.sliders[b].slide == l->slide)
                return mst_fail(MST_ARGUMENT, "landmark %zu slides twice: in sliders %zu and %zu",
                                l->slide + 1, b + 1, s + 1);
    }
    return MST_OK;
}

static mst_status take_weights(align_work *a)
{
    size_t positive = 0;
    for (size_t p = 0; p < a->k; p++) {
        double w = a->o.weights != NULL ? a->o.weights[p] : 1;
        if (!(w >= 0) || isinf(w))
            return mst_fail(MST_ARGUMENT, "the weight of landmark %zu is %g; it may be 0 or more",
                            p + 1, w);
        a->weights[p] = w;
        positive += w > 0;
    }
    return positive > a->dim
               ? MST_OK
               : mst_fail(MST_ARGUMENT, "%zu landmarks have a weight; more than %zu are needed",
                          positive, a->dim);
}

/* ---- Steps ---- */

/* Centred specimens, and their sizes. */
static mst_status take_specimens(align_work *a, const double *x, double *sizes)
{
    for (size_t i = 0; i < a->n; i++) {
        double *z = a->original + i * a->width, largest = 0;
        for (size_t j = 0; j < a->width; j++) {
            z[j] = x[i * a->width + j];
            if (!isfinite(z[j]))
                return mst_fail(MST_DOMAIN, "specimen %zu: landmark %zu is not finite", i + 1,
                                j / a->dim + 1);
            largest = fmax(largest, fabs(z[j]));
        }
        double shift[3];
        align_centroid(a, z, shift);
        for (size_t j = 0; j < a->width; j++)
            z[j] -= shift[j % a->dim];
        sizes[i] = sqrt(align_inner(a, z, z));
        if (!(sizes[i] > 1e-14 * largest))
            return mst_fail(MST_DOMAIN, "specimen %zu: all of its landmarks coincide", i + 1);
        if (!isfinite(sizes[i]))
            return mst_fail(MST_DOMAIN, "specimen %zu: its size overflows; divide the coordinates",
                            i + 1);
        align_normalise(a, z, a->shift + i * a->dim, &a->stretch[i]);
        /* From here on the original is what has just been made. */
        memset(a->shift + i * a->dim, 0, a->dim * sizeof *a->shift);
        a->stretch[i] = 1;
    }
    memcpy(a->x, a->original, a->n * a->width * sizeof *a->x);
    return MST_OK;
}

/* The rotations, and factors, that bring the specimens to the mean. */
static mst_status fit_to_mean(align_work *a)
{
    size_t dim = a->dim, square = dim * dim;
    memset(a->products, 0, a->n * square * sizeof *a->products);
    for (size_t i = 0; i < a->n; i++)
        for (size_t p = 0; p < a->k; p++) {
            const double *x = a->x + i * a->width + p * dim, *m = a->mean + p * dim;
            for (size_t r = 0; r < dim; r++)
                for (size_t c = 0; c < dim; c++)
                    a->products[i * square + r * dim + c] += a->weights[p] * x[r] * m[c];
        }
    MST_TRY(mst_fit_rotation(a->n, dim, a->products, a->o.reflect, a->rotation, a->fit, NULL));
    for (size_t i = 0; !a->o.scale && i < a->n; i++)
        a->fit[i] = 1;
    return MST_OK;
}

static void turned(const align_work *a, size_t i, double *out)
{
    size_t dim = a->dim;
    const double *r = a->rotation + i * dim * dim;
    for (size_t p = 0; p < a->k; p++) {
        const double *x = a->x + i * a->width + p * dim;
        for (size_t c = 0; c < dim; c++) {
            double sum = 0;
            for (size_t b = 0; b < dim; b++)
                sum += x[b] * r[b * dim + c];
            out[p * dim + c] = a->fit[i] * sum;
        }
    }
}

/* The mean of the fitted specimens, and how far it is from the one before, relative to its size. */
static double update_mean(align_work *a, double *row)
{
    memset(a->next, 0, a->width * sizeof *a->next);
    for (size_t i = 0; i < a->n; i++) {
        turned(a, i, row);
        for (size_t j = 0; j < a->width; j++)
            a->next[j] += row[j];
    }
    double size = sqrt(align_inner(a, a->next, a->next));
    double divisor = a->o.scale ? size : (double)a->n, change = 0;
    for (size_t j = 0; divisor > 0 && j < a->width; j++)
        a->next[j] /= divisor;
    for (size_t j = 0; j < a->width; j++) {
        double step = a->next[j] - a->mean[j];
        change += a->weights[j / a->dim] * step * step;
    }
    size = sqrt(align_inner(a, a->next, a->next));
    memcpy(a->mean, a->next, a->width * sizeof *a->mean);
    return size > 0 ? sqrt(change) / size : 0;
}

/* Σ |x − m|² of the fitted specimens. */
static double sum_of_squares(const align_work *a, double *row)
{
    double sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        turned(a, i, row);
        for (size_t j = 0; j < a->width; j++)
            row[j] -= a->mean[j];
        sum += align_inner(a, row, row);
    }
    return sum;
}

static mst_status iterate(align_work *a, mst_alignment *out, double *row)
{
    const double rounding = 1e-12; /* what no longer gets smaller below this is rounding */
    align_slides *slides = NULL;
    bool sliding = a->o.slider_count > 0;
    double tolerance = a->o.tolerance > 0 ? a->o.tolerance : sliding ? 1e-4 : 1e-14;
    double last = INFINITY;
    mst_status status = sliding ? align_slides_new(&slides, a) : MST_OK;
    memcpy(a->mean, a->x, a->width * sizeof *a->mean);
    while (status == MST_OK && !out->converged && out->iterations < a->o.max_iterations) {
        status = fit_to_mean(a);
        /* The first mean is one specimen: no curve should slide to it. */
        if (status == MST_OK && sliding && out->iterations > 0) {
            status = align_slide(slides, a);
            if (status == MST_OK)
                status = fit_to_mean(a);
        }
        if (status != MST_OK)
            break;
        double change = update_mean(a, row);
        double squares = sliding ? sum_of_squares(a, row) : 0;
        out->iterations++;
        out->converged = sliding ? fabs(last - squares) <= tolerance * squares
                                 : change <= tolerance || (change >= last && change < rounding);
        last = sliding ? squares : change;
    }
    align_slides_free(slides);
    return status == MST_OK ? fit_to_mean(a) : status;
}

static void fill_result(const align_work *a, mst_alignment *out)
{
    for (size_t i = 0; i < a->n; i++) {
        double *y = out->aligned + i * a->width, sum = 0;
        turned(a, i, y);
        for (size_t j = 0; j < a->width; j++) {
            double d = y[j] - a->mean[j];
            sum += a->weights[j / a->dim] * d * d;
            out->landmark_residuals[j / a->dim] += d * d / (double)a->n;
        }
        out->residuals[i] = sqrt(sum);
        out->sum_of_squares += sum;
        /* Only a reflection turns the plane of the first two axes over; its determinant tells. */
        const double *r = a->rotation + i * a->dim * a->dim;
        double determinant = a->dim == 2 ? r[0] * r[3] - r[1] * r[2]
                                         : r[0] * (r[4] * r[8] - r[5] * r[7]) -
                                               r[1] * (r[3] * r[8] - r[5] * r[6]) +
                                               r[2] * (r[3] * r[7] - r[4] * r[6]);
        out->reflected += determinant < 0;
    }
    for (size_t p = 0; p < a->k; p++)
        out->landmark_residuals[p] = sqrt(out->landmark_residuals[p]);
    memcpy(out->mean, a->mean, a->width * sizeof *out->mean);
}

/* ---- Life cycle ---- */

static mst_status allocate(align_work *a, double **block)
{
    size_t square = a->dim * a->dim;
    const size_t per_row = 2 * a->width + a->dim + 2 + 2 * square;
    MST_TRY(mst_allocate_zero(block, a->n * per_row + a->k + 2 * a->width));
    double *p = *block;
    a->weights = p, p += a->k;
    a->original = p, p += a->n * a->width;
    a->x = p, p += a->n * a->width;
    a->shift = p, p += a->n * a->dim;
    a->stretch = p, p += a->n;
    a->fit = p, p += a->n;
    a->products = p, p += a->n * square;
    a->rotation = p, p += a->n * square;
    a->mean = p, p += a->width;
    a->next = p;
    return MST_OK;
}

static mst_status allocate_result(mst_alignment **out, const align_work *a)
{
    mst_alignment *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    r->n = a->n;
    r->landmarks = a->k;
    r->dim = a->dim;
    mst_status status = mst_allocate_zero(&r->aligned, a->n * a->width);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->mean, a->width);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->sizes, a->n);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->residuals, a->n);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->landmark_residuals, a->k);
    if (status != MST_OK) {
        mst_alignment_free(r);
        return status;
    }
    *out = r;
    return MST_OK;
}

mst_status mst_align(mst_alignment **out, size_t n, size_t landmarks, size_t dim, const double *x,
                     const mst_align_options *options)
{
    align_work a = {.n = n, .k = landmarks, .dim = dim, .width = landmarks * dim};
    double *block = NULL;
    mst_alignment *result = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&a.o, mst_align_options, options));
    if (n == 0)
        return mst_fail(MST_ARGUMENT, "no specimens to align");
    if (dim < 2 || dim > 3 || landmarks <= dim)
        return mst_fail(
            MST_ARGUMENT,
            "%zu landmarks of %zu coordinates cannot be aligned; coordinates may be 2 or "
            "3, and landmarks must be more",
            landmarks, dim);
    MST_TRY(check_sliders(&a));
    mst_status status = allocate(&a, &block);
    if (status == MST_OK)
        status = take_weights(&a);
    if (status == MST_OK)
        status = allocate_result(&result, &a);
    if (status == MST_OK)
        status = take_specimens(&a, x, result->sizes);
    if (status == MST_OK)
        status = iterate(&a, result, result->aligned); /* its first row is room, for now */
    if (status == MST_OK)
        fill_result(&a, result);
    mst_release(block);
    if (status != MST_OK)
        mst_alignment_free(result);
    else
        *out = result;
    return status;
}

void mst_alignment_free(mst_alignment *a)
{
    if (a == NULL)
        return;
    mst_release(a->aligned);
    mst_release(a->mean);
    mst_release(a->sizes);
    mst_release(a->residuals);
    mst_release(a->landmark_residuals);
    mst_release(a);
}
