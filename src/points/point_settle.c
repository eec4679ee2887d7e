/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points and vectors are tested and brought onto the manifold. A point that is on it already keeps its bits,
 * so that what was written comes back unchanged. */
#include "base/linalg.h"
#include "points/matrix_rows.h"
#include "points/point_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change by this much, relative to the largest coordinate, is the rounding of the projection itself, and is
 * not made. Taking the symmetric part does not round, so symmetric matrices come out exactly symmetric. */
#define ROUNDING (16 * DBL_EPSILON)

static double largest(size_t n, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double largest_difference(size_t n, const double *x, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* Euclidean, without overflow; the norm of x if y is null. */
static double distance(size_t n, const double *x, const double *y)
{
    double most = y != NULL ? largest_difference(n, x, y) : largest(n, x), sum = 0;
    if (!(most > 0))
        return most;
    for (size_t i = 0; i < n; i++) {
        double part = (x[i] - (y != NULL ? y[i] : 0)) / most;
        sum += part * part;
    }
    return most * sqrt(sum);
}

/* Would this matrix, read as an upper triangle, be a point if the triangle were the lower one? */
static bool fits_as_lower(const mst_point_decoder *d, const double *x)
{
    size_t D = mst_manifold_ambient(d->m), order = mst_matrix_order(D), row, at = 0;
    double *a;
    if (!d->guessed_triangle || mst_allocate(&a, D) != MST_OK)
        return false;
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++, at++) {
            /* Number `at` of the row, which would stand at (r, c), c ≤ r. */
            size_t r = (size_t)((sqrt(8 * (double)at + 1) - 1) / 2), c = at - r * (r + 1) / 2;
            a[r * order + c] = a[c * order + r] = x[i * order + j];
        }
    bool fits = mst_manifold_validate(d->m, 1, a, &row) == MST_OK;
    mst_release(a);
    return fits;
}

static mst_status refuse_point(const mst_point_decoder *d, size_t k, const double *x)
{
    char what[400];
    snprintf(what, sizeof what, "%s", mst_error_detail());
    bool lower = fits_as_lower(d, x);
    if (!lower && !mst_point_is_singular(d, x))
        return mst_point_off(d, k, what, true);
    strncat(what,
            lower ? "; as a lower triangle it is: pass `triangle` lower"
                  : "; pass `shrink` VALUE or oas (or ledoit-wolf to 'manistat cov', on the "
                    "signals), or `project`",
            sizeof what - strlen(what) - 1);
    return mst_point_off(d, k, what, false);
}

/* Takes down whether the projection of a symmetric matrix x to y has raised an eigenvalue. MST_DOMAIN, unless
 * forced, if it was far below zero: one of this size is no noise. */
static mst_status judge_spectrum(const mst_point_decoder *d, size_t k, size_t width,
                                 const double *x, const double *y)
{
    const double most = 0.1;
    size_t order = mst_matrix_order(width);
    double *a;
    MST_TRY(mst_allocate(&a, width + order));
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j < order; j++)
            a[i * order + j] = 0.5 * x[i * order + j] + 0.5 * x[j * order + i];
    bool same = largest_difference(width, a, y) <= ROUNDING * largest(width, a);
    double *values = a + width;
    mst_status status = same ? MST_OK : mst_eigen_symmetric(1, order, a, values, a, NULL);
    if (status == MST_OK && !same) {
        mst_notice_raised(d->notices, mst_point_row(d, k));
        if (values[0] < -most * values[order - 1] && !d->options.force) {
            char what[160];
            snprintf(what, sizeof what,
                     "the eigenvalues go from %.3g to %.3g, too far from positive to be projected; "
                     "correct it or pass `force`",
                     values[0], values[order - 1]);
            status = mst_point_off(d, k, what, false);
        }
    }
    mst_release(a);
    return status;
}

/* Takes down which of the points x (n, D) are off the manifold, and how far from `onto`. */
static mst_status notice_moves(const mst_point_decoder *d, size_t n, const double *x,
                               const double *onto)
{
    size_t D = mst_manifold_ambient(d->m), row;
    for (size_t i = 0; i < n; i++) {
        if (mst_manifold_validate(d->m, 1, x + i * D, &row) == MST_OK)
            continue;
        double move = 0;
        for (size_t l = 0; l < d->leaf_count; l++) {
            size_t width = d->leaves[l].width, at = i * D + d->leaves[l].offset;
            double norm = distance(width, x + at, NULL);
            move = fmax(move, distance(width, x + at, onto + at) / (norm > 0 ? norm : 1));
            if (d->leaves[l].rows == MST_ROWS_SYMMETRIC)
                MST_TRY(judge_spectrum(d, i, width, x + at, onto + at));
        }
        MST_TRY(mst_notice_move(d->notices, move, mst_point_row(d, i)));
    }
    return MST_OK;
}

mst_status mst_settle_points(const mst_point_decoder *d, size_t n, double *x, double *onto)
{
    size_t D = mst_manifold_ambient(d->m), row = 0;
    /* A vector is one at the row as it stands, which must therefore not be turned. */
    bool any_row = d->m->traits.any_row && strchr(d->layout, 'v') == NULL;
    MST_TRY(mst_shrink_points(d, n, x));
    if (!d->options.project && !any_row) {
        mst_status status = mst_manifold_validate(d->m, n, x, &row);
        if (status == MST_DOMAIN)
            return refuse_point(d, row, x + row * D);
        MST_TRY(status);
    }
    mst_status status = mst_manifold_project(d->m, n, x, onto);
    if (status == MST_DOMAIN) {
        /* Which row was it? */
        for (row = 0; row < n; row++)
            if (mst_manifold_project(d->m, 1, x + row * D, onto) == MST_DOMAIN)
                break;
        const char *what = mst_error_detail(), *prefix = "row 1: ";
        if (strncmp(what, prefix, strlen(prefix)) == 0)
            what += strlen(prefix);
        return mst_point_off(d, row, what, false);
    }
    MST_TRY(status);
    if (d->options.project && !any_row)
        MST_TRY(notice_moves(d, n, x, onto));
    MST_TRY(mst_notice_singular_points(d, n, x));
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < d->leaf_count; l++) {
            size_t width = d->leaves[l].width, at = i * D + d->leaves[l].offset;
            double unit = d->leaves[l].rows == MST_ROWS_SYMMETRIC ? 0 : ROUNDING;
            if (largest_difference(width, x + at, onto + at) > unit * largest(width, x + at))
                memcpy(x + at, onto + at, width * sizeof *x);
        }
    return MST_OK;
}

/* ---- Landmarks ---- */

/* The mean over `count` landmarks of how far the nearest other one is. */
static double gap_of_row(size_t count, size_t dim, const double *q)
{
    double sum = 0;
    for (size_t a = 0; a < count; a++) {
        double nearest = INFINITY;
        for (size_t b = 0; b < count; b++)
            if (b != a)
                nearest =
                    fmin(nearest, dim == 2 ? hypot(q[2 * a] - q[2 * b], q[2 * a + 1] - q[2 * b + 1])
                                           : distance(3, q + 3 * a, q + 3 * b));
        sum += nearest / (double)count;
    }
    return sum;
}

static double two_digits(double x)
{
    double unit = pow(10, floor(log10(x)) - 1);
    return round(x / unit) * unit;
}

mst_status mst_check_kernel(const mst_point_decoder *d, size_t n, const double *x)
{
    enum { ENOUGH = 64 };
    const double reach = 6, close = 0.01; /* exp(−6²/2) = 1.5e-8 */
    size_t rows = n < ENOUGH ? n : ENOUGH, D = mst_manifold_ambient(d->m), at = 0;
    for (size_t f = 0; f < d->leaf_count; at += d->leaves[f++].width) {
        const mst_manifold *factor = mst_manifold_factor(d->m, f);
        size_t dim = factor->traits.landmark_dim, count = dim > 0 ? factor->ambient / dim : 0;
        double width = factor->traits.kernel_width, gap = 0;
        if (count < 2 || !(width > 0))
            continue;
        for (size_t i = 0; i < rows; i++)
            gap += gap_of_row(count, dim, x + i * D + at) / (double)rows;
        d->notices->neighbour_gap = fmax(d->notices->neighbour_gap, gap / width);
        bool far = gap > reach * width, near = gap < close * width;
        if (!d->options.check_kernel || !(far || near))
            continue;
        char what[400];
        snprintf(what, sizeof what,
                 "neighbouring landmarks are %.3g apart, but the kernel of landmarks:%zux%zu has "
                 "the width %g where none is given, so that %s; give a width, as in "
                 "landmarks:%zux%zu?sigma=%g",
                 gap, count, dim, width,
                 far ? "each would move by itself and a mean be that of the coordinates"
                     : "its matrix would be lost in rounding",
                 count, dim, two_digits(1.5 * gap));
        return mst_point_off(d, 0, what, false);
    }
    return MST_OK;
}

/* The tangent part of vectors w (n, D) that stand alone: only symmetry does not depend on the point. */
static void tangent_anywhere(const mst_point_decoder *d, size_t n, const double *w, double *v)
{
    size_t D = mst_manifold_ambient(d->m);
    memcpy(v, w, n * D * sizeof *v);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < d->leaf_count; l++) {
            if (d->leaves[l].rows != MST_ROWS_SYMMETRIC)
                continue;
            size_t order = mst_matrix_order(d->leaves[l].width);
            double *a = v + i * D + d->leaves[l].offset;
            for (size_t r = 0; r < order; r++)
                for (size_t c = 0; c < r; c++)
                    a[r * order + c] = a[c * order + r] =
                        0.5 * a[r * order + c] + 0.5 * a[c * order + r];
        }
}

mst_status mst_settle_vectors(const mst_point_decoder *d, size_t n, const double *x, double *w,
                              double *onto)
{
    size_t D = mst_manifold_ambient(d->m);
    if (x != NULL)
        MST_TRY(mst_manifold_tangent(d->m, n, x, w, onto));
    else
        tangent_anywhere(d, n, w, onto);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < d->leaf_count; l++) {
            mst_row_kind rows = d->leaves[l].rows;
            size_t width = d->leaves[l].width, at = i * D + d->leaves[l].offset;
            double change = distance(width, w + at, onto + at);
            double norm = distance(width, w + at, NULL), scale = 1;
            /* The Lorentz product with x loses x₀² eps, as it does for points. */
            if (rows == MST_ROWS_HYPERBOLOID && x != NULL)
                scale = x[at] * x[at];
            double allowed = MST_POINT_TOLERANCE * fmax(1, norm) * scale;
            if (rows == MST_ROWS_SYMMETRIC) {
                /* The tangent part is the symmetric part, half of the asymmetry away. */
                change = largest_difference(width, onto + at, w + at);
                allowed = 0.5 * MST_SYMMETRY_TOLERANCE * largest(width, w + at);
            }
            if (!d->options.project && !(change <= allowed)) {
                char what[80];
                snprintf(what, sizeof what, "the vector is not %s (off by %.3g)",
                         rows == MST_ROWS_SYMMETRIC ? "a symmetric matrix" : "tangent", change);
                return mst_point_off(d, i, what, true);
            }
            if (!(change <= allowed))
                MST_TRY(mst_notice_move(d->notices, change / (norm > 0 ? norm : 1),
                                        mst_point_row(d, i)));
            if (change > (rows == MST_ROWS_SYMMETRIC ? 0 : ROUNDING * norm * scale))
                memcpy(w + at, onto + at, width * sizeof *w);
        }
    return MST_OK;
}
