/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A row is turned into ambient coordinates, tested, and brought onto the manifold. A point that is on it
 * already keeps its bits, so that what was written comes back unchanged. */
#include "points/point_decoder.h"

#include "base/options.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change by this much, relative to the largest coordinate, is the rounding of the projection itself, and is
 * not made. Taking the symmetric part does not round, so symmetric matrices come out exactly symmetric. */
#define ROUNDING (16 * DBL_EPSILON)

enum { DESCRIPTION = 256, PLACE = 320 };

/* Columns offset … offset+width−1 of a point, those of a factor. */
struct mst_point_leaf {
    mst_row_kind rows;
    size_t offset, width;
};

/* ---- What rows are ---- */

static mst_status find_leaves(mst_point_decoder *d)
{
    size_t offset = 0;
    d->leaf_count = mst_manifold_factor_count(d->m);
    MST_TRY(mst_allocate(&d->leaves, d->leaf_count));
    for (size_t f = 0; f < d->leaf_count; f++) {
        const mst_manifold *factor = mst_manifold_factor(d->m, f);
        d->leaves[f] = (mst_point_leaf){factor->traits.rows, offset, factor->ambient};
        offset += factor->ambient;
    }
    return MST_OK;
}

static bool has_angles(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (mst_manifold_factor(m, f)->traits.rows == MST_ROWS_ANGLES)
            return true;
    return false;
}

bool mst_is_two_sphere(const mst_manifold *m)
{
    return m->traits.rows == MST_ROWS_UNIT_VECTORS && m->ambient == 3;
}

mst_status mst_points_check_options(const mst_manifold *m, const mst_points_options *options)
{
    const char *spec = mst_manifold_spec(m);
    if (options->degrees && !has_angles(m))
        return mst_fail(MST_ARGUMENT, "`degrees` needs circle or torus, not %s", spec);
    if (options->latlon && !mst_is_two_sphere(m))
        return mst_fail(MST_ARGUMENT, "`latlon` needs sphere:2, not %s", spec);
    if (options->quaternion && m->traits.rows != MST_ROWS_ROTATIONS)
        return mst_fail(MST_ARGUMENT, "`quaternion` needs so3, not %s", spec);
    return MST_OK;
}

static size_t matrix_order(size_t ambient)
{
    size_t n = (size_t)sqrt((double)ambient);
    return n * n < ambient ? n + 1 : n;
}

/* ---- Widths ---- */

static size_t part_width(const mst_manifold *m, mst_point_form f, char letter)
{
    size_t D = mst_manifold_ambient(m);
    if (letter == 's')
        return 1;
    if (f == MST_FORM_TRIANGLE)
        return matrix_order(D) * (matrix_order(D) + 1) / 2;
    if (letter == 'v' || f == MST_FORM_FULL)
        return D;
    return f == MST_FORM_QUATERNION ? 4 : 2;
}

static size_t row_width(const mst_manifold *m, mst_point_form f, const char *layout)
{
    size_t width = 0;
    for (const char *c = layout; *c != '\0'; c++)
        width += part_width(m, f, *c);
    return width;
}

/* "x_1…x_3, y_1…y_3". */
static void describe_row(const mst_manifold *m, mst_point_form f, const char *layout, char *text)
{
    size_t D = mst_manifold_ambient(m), n = 0;
    int points = 0;
    text[0] = '\0';
    for (const char *c = layout; *c != '\0' && n < DESCRIPTION; c++) {
        char *t = text + n;
        size_t left = DESCRIPTION - n;
        const char *comma = c == layout ? "" : ", ";
        char name = *c == 'v' ? 'v' : (char)('x' + points);
        points += *c == 'p' && points < 2;
        int k;
        if (*c == 's')
            k = snprintf(t, left, "%sa number", comma);
        else if (*c == 'p' && f == MST_FORM_LATLON)
            k = snprintf(t, left, "%slatitude, longitude", comma);
        else if (D == 1)
            k = snprintf(t, left, "%s%c_1", comma, name);
        else
            k = snprintf(t, left, "%s%c_1…%c_%zu", comma, name, name, D);
        n += (size_t)k;
    }
}

static mst_status wrong_width(const mst_manifold *m, mst_point_form preferred,
                              mst_point_form compact, const char *layout, size_t cols,
                              const char *source)
{
    char row[DESCRIPTION], other[64] = "";
    describe_row(m, preferred, layout, row);
    if (compact != preferred)
        snprintf(other, sizeof other, ", or %zu with %s", row_width(m, compact, layout),
                 compact == MST_FORM_TRIANGLE ? "upper triangles" : "quaternions w, x, y, z");
    bool latlon = preferred == MST_FORM_FULL && mst_is_two_sphere(m) &&
                  cols == row_width(m, MST_FORM_LATLON, layout);
    return mst_fail(MST_FORMAT, "%s%s%zu column%s; %s needs %zu (%s)%s%s", source,
                    *source != '\0' ? " has " : "", cols, cols == 1 ? "" : "s",
                    mst_manifold_spec(m), row_width(m, preferred, layout), row, other,
                    latlon ? "; pass `latlon` for latitude, longitude" : "");
}

mst_status mst_point_decoder_open(mst_point_decoder *d, const mst_manifold *m, const char *layout,
                                  size_t cols, const mst_points_options *options,
                                  const mst_reader *reader)
{
    *d = (mst_point_decoder){
        .m = m, .layout = layout, .cols = cols, .reader = reader, .left_out = SIZE_MAX};
    MST_TRY(MST_TAKE_OPTIONS(&d->options, mst_points_options, options));
    MST_TRY(mst_points_check_options(m, &d->options));
    mst_point_form preferred = d->options.latlon ? MST_FORM_LATLON : MST_FORM_FULL;
    mst_point_form compact = preferred;
    if (m->traits.rows == MST_ROWS_SYMMETRIC)
        compact = MST_FORM_TRIANGLE;
    else if (m->traits.rows == MST_ROWS_ROTATIONS && strchr(layout, 'p') != NULL)
        compact = MST_FORM_QUATERNION;
    if (cols == row_width(m, preferred, layout))
        d->form = preferred;
    else if (cols == row_width(m, compact, layout))
        d->form = compact;
    else
        return wrong_width(m, preferred, compact, layout, cols,
                           reader != NULL ? mst_reader_path(reader) : "");
    return find_leaves(d);
}

void mst_point_decoder_close(mst_point_decoder *d)
{
    mst_release(d->leaves);
}

/* ---- Messages ---- */

/* "data.csv, row 7 (line 8)", empty without a file. */
static const char *place(const mst_point_decoder *d, size_t k, char text[PLACE])
{
    uint64_t row, line;
    text[0] = '\0';
    if (d->reader == NULL)
        return text;
    mst_reader_where(d->reader, k, &row, &line);
    const char *path = mst_reader_path(d->reader);
    if (line > 0)
        snprintf(text, PLACE, "%s, row %" PRIu64 " (line %" PRIu64 ")", path, row, line);
    else
        snprintf(text, PLACE, "%s, row %" PRIu64, path, row);
    return text;
}

/* MST_DOMAIN about row k; `advice` if `project` would help. */
static mst_status off_manifold(const mst_point_decoder *d, size_t k, const char *what, bool advice)
{
    char text[PLACE];
    place(d, k, text);
    return mst_fail(MST_DOMAIN, "%s%s%s%s", text, *text != '\0' ? ": " : "", what,
                    advice ? "; correct it or pass `project`" : "");
}

static mst_status check_finite(const mst_point_decoder *d, size_t n, const double *rows)
{
    for (size_t i = 0; i < n * d->cols; i++) {
        if (isfinite(rows[i]))
            continue;
        char text[PLACE];
        size_t col = i % d->cols;
        place(d, i / d->cols, text);
        return mst_fail(MST_FORMAT, "%s%scolumn %zu: %s is not a finite number", text,
                        *text != '\0' ? ", " : "", col + 1 + (col >= d->left_out),
                        isnan(rows[i]) ? "nan" : (rows[i] < 0 ? "-inf" : "inf"));
    }
    return MST_OK;
}

/* ---- Forms of a point ---- */

static void from_triangle(size_t order, const double *c, double *a)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++)
            a[i * order + j] = a[j * order + i] = *c++;
}

/* Multiples of 90 degrees give exact zeros (no negative ones, hence 0 − a) and ones. */
static void sine_cosine_degrees(double degrees, double *s, double *c)
{
    int quarter;
    double rest = remquo(degrees, 90, &quarter) * MST_DEGREE;
    double a = sin(rest), b = cos(rest);
    switch (quarter & 3) {
    case 0:
        *s = a, *c = b;
        break;
    case 1:
        *s = b, *c = 0 - a;
        break;
    case 2:
        *s = 0 - a, *c = -b;
        break;
    default:
        *s = -b, *c = a;
    }
}

static mst_status from_latlon(const mst_point_decoder *d, size_t k, const double *row, double *x)
{
    if (!(fabs(row[0]) <= 90)) {
        char what[80];
        snprintf(what, sizeof what, "latitude %.9g is not between -90 and 90", row[0]);
        return off_manifold(d, k, what, false);
    }
    double sin_lat, cos_lat, sin_lon, cos_lon;
    sine_cosine_degrees(row[0], &sin_lat, &cos_lat);
    sine_cosine_degrees(row[1], &sin_lon, &cos_lon);
    x[0] = cos_lat * cos_lon;
    x[1] = cos_lat * sin_lon;
    x[2] = sin_lat;
    return MST_OK;
}

static mst_status from_quaternion(const mst_point_decoder *d, size_t k, const double *row,
                                  double *x)
{
    double norm = hypot(hypot(row[0], row[1]), hypot(row[2], row[3])), q[4];
    bool usable = norm > 0 && isfinite(norm);
    if (!usable || (!d->options.project && !(fabs(norm - 1) <= MST_POINT_TOLERANCE))) {
        char what[80];
        snprintf(what, sizeof what, "the norm of the quaternion is %.7g, not 1", norm);
        return off_manifold(d, k, what, usable);
    }
    for (int i = 0; i < 4; i++)
        q[i] = row[i] / norm;
    mst_so3_from_quaternion(q, x);
    return MST_OK;
}

/* Part of row k to ambient coordinates. */
static mst_status from_form(const mst_point_decoder *d, char letter, size_t k, const double *row,
                            double *x)
{
    size_t D = mst_manifold_ambient(d->m);
    if (d->form == MST_FORM_TRIANGLE) {
        from_triangle(matrix_order(D), row, x);
        return MST_OK;
    }
    if (letter == 'p' && d->form == MST_FORM_QUATERNION)
        return from_quaternion(d, k, row, x);
    if (letter == 'p' && d->form == MST_FORM_LATLON)
        return from_latlon(d, k, row, x);
    memcpy(x, row, D * sizeof *x);
    for (size_t l = 0; d->options.degrees && l < d->leaf_count; l++)
        if (d->leaves[l].rows == MST_ROWS_ANGLES)
            for (size_t a = d->leaves[l].offset; a < d->leaves[l].offset + d->leaves[l].width; a++)
                /* Whole turns taken off a point in degrees leave it exact. */
                x[a] = (letter == 'p' ? remainder(x[a], 360) : x[a]) * MST_DEGREE;
    return MST_OK;
}

/* ---- Onto the manifold ---- */

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

/* Points (n, D), near the manifold or to be projected. `onto` is workspace (n, D). */
static mst_status settle_points(const mst_point_decoder *d, size_t n, double *x, double *onto)
{
    size_t D = mst_manifold_ambient(d->m), row = 0;
    if (!d->options.project) {
        mst_status status = mst_manifold_validate(d->m, n, x, &row);
        if (status == MST_DOMAIN)
            return off_manifold(d, row, mst_error_detail(), true);
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
        return off_manifold(d, row, what, false);
    }
    MST_TRY(status);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < d->leaf_count; l++) {
            size_t width = d->leaves[l].width, at = i * D + d->leaves[l].offset;
            double unit = d->leaves[l].rows == MST_ROWS_SYMMETRIC ? 0 : ROUNDING;
            if (largest_difference(width, x + at, onto + at) > unit * largest(width, x + at))
                memcpy(x + at, onto + at, width * sizeof *x);
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
            size_t order = matrix_order(d->leaves[l].width);
            double *a = v + i * D + d->leaves[l].offset;
            for (size_t r = 0; r < order; r++)
                for (size_t c = 0; c < r; c++)
                    a[r * order + c] = a[c * order + r] =
                        0.5 * a[r * order + c] + 0.5 * a[c * order + r];
        }
}

/* Vectors w (n, D) at the points x, or at no known points if x is null. `onto` is workspace (n, D). */
static mst_status settle_vectors(const mst_point_decoder *d, size_t n, const double *x, double *w,
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
                return off_manifold(d, i, what, true);
            }
            if (change > (rows == MST_ROWS_SYMMETRIC ? 0 : ROUNDING * norm * scale))
                memcpy(w + at, onto + at, width * sizeof *w);
        }
    return MST_OK;
}

/* n rows of the file to parts[k] + done rows. `onto` is workspace (n, D). */
mst_status mst_point_decode_rows(const mst_point_decoder *d, size_t n, const double *rows,
                                 double *const *parts, size_t done, double *onto)
{
    size_t D = mst_manifold_ambient(d->m), column = 0;
    const double *base = NULL;
    MST_TRY(check_finite(d, n, rows));
    for (size_t k = 0; d->layout[k] != '\0'; k++) {
        char letter = d->layout[k];
        size_t width = letter == 's' ? 1 : D;
        double *x = parts[k] + done * width;
        for (size_t i = 0; i < n; i++) {
            const double *row = rows + i * d->cols + column;
            if (letter == 's')
                x[i] = *row;
            else
                MST_TRY(from_form(d, letter, i, row, x + i * D));
        }
        if (letter == 'p') {
            MST_TRY(settle_points(d, n, x, onto));
            base = x;
        } else if (letter == 'v') {
            MST_TRY(settle_vectors(d, n, base, x, onto));
        }
        column += part_width(d->m, d->form, letter);
    }
    return MST_OK;
}
