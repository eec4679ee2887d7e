/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A row is turned into ambient coordinates; point_settle.c then tests it and brings it onto the manifold. */
#include "points/point_decoder.h"

#include "base/options.h"
#include "io/internal.h"
#include "points/matrix_rows.h"
#include "points/point_parts.h"
#include "points/row_header.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DESCRIPTION = 256, PLACE = 320 };

/* ---- What rows are ---- */

static mst_status find_leaves(mst_point_decoder *d)
{
    size_t offset = 0;
    d->leaf_count = mst_manifold_factor_count(d->m);
    MST_TRY(mst_allocate(&d->leaves, d->leaf_count));
    for (size_t f = 0; f < d->leaf_count; f++) {
        const mst_manifold *factor = mst_manifold_factor(d->m, f);
        d->leaves[f] = (mst_point_leaf){factor->traits.rows, factor->traits.positive_definite,
                                        offset, factor->ambient};
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

static bool has_positive(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (mst_manifold_factor(m, f)->traits.positive_definite)
            return true;
    return false;
}

static mst_status check_shrinkage(const mst_manifold *m, const mst_points_options *o)
{
    if (o->shrink == MST_SHRINK_NONE)
        return MST_OK;
    if (!has_positive(m))
        return mst_fail(MST_ARGUMENT, "`shrink` needs matrices of spd:n, not %s",
                        mst_manifold_spec(m));
    if (o->shrink == MST_SHRINK_LEDOIT_WOLF)
        return mst_fail(MST_ARGUMENT,
                        "`shrink` ledoit-wolf is found from signals, not from their covariances: "
                        "give it to 'manistat cov', which reads the signals, or take oas");
    if (o->shrink == MST_SHRINK_OAS && o->samples == 0)
        return mst_fail(MST_ARGUMENT, "`shrink` oas needs `samples`, the number of samples that "
                                      "each matrix is the covariance of");
    if (o->shrink == MST_SHRINK_VALUE && !(o->intensity >= 0 && o->intensity <= 1))
        return mst_fail(MST_ARGUMENT, "the `intensity` %g of `shrink` is not between 0 and 1",
                        o->intensity);
    return MST_OK;
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
    return check_shrinkage(m, options);
}

/* ---- Widths ---- */

static size_t part_width(const mst_manifold *m, mst_point_form f, char letter)
{
    size_t D = mst_manifold_ambient(m);
    if (letter == 's' || letter == 'w')
        return letter == 's' ? 1 : 3;
    if (f == MST_FORM_TRIANGLE)
        return mst_matrix_order(D) * (mst_matrix_order(D) + 1) / 2;
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
        else if (*c == 'w')
            k = snprintf(t, left, "%sw_1…w_3", comma);
        else if (*c == 'p' && f == MST_FORM_LATLON)
            k = snprintf(t, left, "%slatitude, longitude", comma);
        else if (D == 1)
            k = snprintf(t, left, "%s%c_1", comma, name);
        else
            k = snprintf(t, left, "%s%c_1…%c_%zu", comma, name, name, D);
        n += (size_t)k;
    }
}

/* " (lat, lon, city)", the names of the first columns that are no labels, or nothing. */
static void name_columns(const mst_reader *reader, char names[DESCRIPTION])
{
    enum { MOST = 8 };
    names[0] = '\0';
    size_t used = 0, named = 0, cols = reader != NULL ? mst_reader_cols(reader) : 0;
    for (size_t i = 0; i < cols && mst_reader_name(reader, i) != NULL; i++) {
        if (reader_labels_of(reader, i) != NULL || named++ >= MOST)
            continue;
        used += (size_t)snprintf(names + used, DESCRIPTION - used, "%s%.20s",
                                 used == 0 ? " (" : ", ", mst_reader_name(reader, i));
    }
    if (used > 0)
        snprintf(names + used, DESCRIPTION - used, "%s)", named > MOST ? ", …" : "");
}

static mst_status wrong_width(const mst_manifold *m, mst_point_form preferred,
                              mst_point_form compact, const char *layout, size_t cols,
                              const mst_reader *reader)
{
    const char *source = reader != NULL ? mst_reader_path(reader) : "";
    char row[DESCRIPTION], names[DESCRIPTION], other[64] = "";
    name_columns(reader, names);
    describe_row(m, preferred, layout, row);
    if (compact != preferred)
        snprintf(other, sizeof other, ", or %zu with %s", row_width(m, compact, layout),
                 compact == MST_FORM_TRIANGLE ? "upper or lower triangles"
                                              : "quaternions w, x, y, z");
    bool latlon = preferred == MST_FORM_FULL && mst_is_two_sphere(m) &&
                  cols == row_width(m, MST_FORM_LATLON, layout);
    return mst_fail(MST_FORMAT, "%s%s%zu column%s%s; %s needs %zu (%s)%s%s", source,
                    *source != '\0' ? " has " : "", cols, cols == 1 ? "" : "s", names,
                    mst_manifold_spec(m), row_width(m, preferred, layout), row, other,
                    latlon ? "; pass `latlon` for latitude, longitude" : "");
}

/* ---- Order of the columns ---- */

/* The column of the file that a column of the rows is, which those of labels are no part of. */
static size_t column_in_file(const mst_point_decoder *d, size_t col)
{
    size_t at = 0;
    for (size_t left = col + 1; d->reader != NULL; at++) {
        left -= reader_labels_of(d->reader, at) == NULL;
        if (left == 0)
            return at;
    }
    return col;
}

/* The name in the header of a column of the rows, or null. */
static const char *column_name(const mst_point_decoder *d, size_t col)
{
    return d->reader != NULL ? mst_reader_name(d->reader, column_in_file(d, col)) : NULL;
}

static mst_header_kind header_kind(const mst_point_decoder *d, const mst_manifold *factor)
{
    if (d->form == MST_FORM_TRIANGLE)
        return MST_HEADER_TRIANGLE;
    if (factor->traits.landmark_dim > 0)
        return MST_HEADER_LANDMARKS;
    switch (factor->traits.rows) {
    case MST_ROWS_SYMMETRIC:
    case MST_ROWS_ROTATIONS:
        return MST_HEADER_MATRIX;
    case MST_ROWS_UNIT_VECTORS:
        return factor->ambient <= 3 ? MST_HEADER_VECTOR : MST_HEADER_NUMBERED;
    default:
        return MST_HEADER_NUMBERED;
    }
}

/* The columns of a factor, or of a whole point in another form, from `column` of the rows on. */
static mst_status order_names(mst_point_decoder *d, const mst_header *kind, size_t column,
                              size_t *columns, bool *told)
{
    const char **names;
    mst_header h = *kind;
    h.path = d->reader != NULL ? mst_reader_path(d->reader) : "";
    MST_TRY(mst_allocate(&names, h.count));
    for (size_t k = 0; k < h.count; k++)
        names[k] = column_name(d, column + k);
    h.names = names;
    mst_status status = mst_header_order(&h, columns, told);
    d->directions |= status == MST_OK && h.kind == MST_HEADER_LATLON &&
                     mst_header_is_direction(names[0], names[1]);
    mst_release(names);
    return status;
}

/* A point or a vector that has all coordinates. Coordinates and angles that have no order of their own stay
 * as they are. */
static mst_status order_coordinates(mst_point_decoder *d, size_t column, size_t *columns)
{
    bool told;
    for (size_t f = 0, at = 0; f < mst_manifold_factor_count(d->m); f++) {
        const mst_manifold *factor = mst_manifold_factor(d->m, f);
        const mst_manifold_traits *t = &factor->traits;
        mst_header h = {.kind = header_kind(d, factor), .count = factor->ambient};
        h.order = t->landmark_dim > 0 ? t->landmark_dim : mst_matrix_order(factor->ambient);
        bool ordered =
            t->landmark_dim > 0 || (t->rows != MST_ROWS_PLAIN && t->rows != MST_ROWS_ANGLES);
        for (size_t k = 0; k < factor->ambient; k++)
            columns[at + k] = k;
        if (ordered)
            MST_TRY(order_names(d, &h, column + at, columns + at, &told));
        for (size_t k = 0; k < factor->ambient; k++)
            columns[at + k] += at;
        at += factor->ambient;
    }
    return MST_OK;
}

static mst_status order_triangle(mst_point_decoder *d, size_t column, size_t *columns)
{
    mst_header h = {.kind = MST_HEADER_TRIANGLE,
                    .count = mst_triangle_size(d),
                    .order = mst_matrix_order(mst_manifold_ambient(d->m))};
    bool told;
    if (d->options.triangle == MST_TRIANGLE_LOWER)
        mst_lower_triangle(h.order, columns);
    if (d->options.triangle != MST_TRIANGLE_ANY)
        return MST_OK;
    MST_TRY(order_names(d, &h, column, columns, &told));
    d->guessed_triangle |= !told;
    return MST_OK;
}

/* Where the numbers of each part stand, as the header says. */
static mst_status order_columns(mst_point_decoder *d)
{
    size_t D = mst_manifold_ambient(d->m), parts = strlen(d->layout), column = 0;
    bool told;
    MST_TRY(mst_allocate(&d->columns, parts * D));
    for (size_t k = 0; k < parts; k++) {
        char letter = d->layout[k];
        size_t width = part_width(d->m, d->form, letter), *columns = d->columns + k * D;
        mst_header h = {.kind = letter == 'w'                ? MST_HEADER_VECTOR
                                : d->form == MST_FORM_LATLON ? MST_HEADER_LATLON
                                                             : MST_HEADER_QUATERNION,
                        .count = width};
        for (size_t i = 0; i < width; i++)
            columns[i] = i;
        if (letter == 's')
            ;
        else if (d->form == MST_FORM_TRIANGLE)
            MST_TRY(order_triangle(d, column, columns));
        else if (letter == 'v' || (letter == 'p' && d->form == MST_FORM_FULL))
            MST_TRY(order_coordinates(d, column, columns));
        else
            MST_TRY(order_names(d, &h, column, columns, &told));
        column += width;
    }
    return MST_OK;
}

mst_status mst_point_decoder_open(mst_point_decoder *d, const mst_manifold *m, const char *layout,
                                  size_t cols, const mst_points_options *options,
                                  const mst_reader *reader)
{
    *d = (mst_point_decoder){.m = m, .layout = layout, .cols = cols, .reader = reader};
    MST_TRY(MST_TAKE_OPTIONS(&d->options, mst_points_options, options));
    MST_TRY(mst_points_check_options(m, &d->options));
    if (m->traits.any_row && d->options.project && strchr(layout, 'v') != NULL)
        return mst_fail(MST_ARGUMENT,
                        "`project` may turn points of %s, but not the vectors at them; project the "
                        "points first",
                        mst_manifold_spec(m));
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
        return wrong_width(m, preferred, compact, layout, cols, reader);
    MST_TRY(mst_allocate(&d->notices, 1));
    mst_notices_begin(d->notices);
    MST_TRY(order_columns(d));
    return find_leaves(d);
}

void mst_point_decoder_close(mst_point_decoder *d)
{
    if (d->notices != NULL)
        mst_notices_end(d->notices);
    mst_release(d->notices);
    mst_release(d->columns);
    mst_release(d->leaves);
}

static bool is_lower(const mst_point_decoder *d)
{
    size_t order = mst_matrix_order(mst_manifold_ambient(d->m)), k = 0;
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++)
            if (d->columns[k++] != j * (j + 1) / 2 + i)
                return false;
    return order > 2; /* below, they are the same */
}

mst_status mst_point_decoder_report(const mst_point_decoder *d)
{
    mst_points_report *report = d->options.report;
    if (report == NULL)
        return MST_OK;
    *report = (mst_points_report){0};
    if (d->form == MST_FORM_TRIANGLE)
        report->triangle =
            d->layout[0] != 's' && is_lower(d) ? MST_TRIANGLE_LOWER : MST_TRIANGLE_UPPER;
    report->directions = d->directions;
    size_t D = mst_manifold_ambient(d->m);
    for (size_t k = 0; d->form == MST_FORM_LATLON && d->layout[k] != '\0'; k++)
        report->longitude_first |= d->layout[k] == 'p' && d->columns[k * D] == 1;
    return mst_notices_report(d->notices, d->options.degrees || d->options.latlon, report);
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

uint64_t mst_point_row(const mst_point_decoder *d, size_t k)
{
    uint64_t row = 0, line;
    if (d->reader != NULL)
        mst_reader_where(d->reader, k, &row, &line);
    return row;
}

mst_status mst_point_off(const mst_point_decoder *d, size_t k, const char *what, bool advice)
{
    char text[PLACE];
    place(d, k, text);
    return mst_fail(MST_DOMAIN, "%s%s%s%s", text, *text != '\0' ? ": " : "", what,
                    advice ? "; correct it or pass `project`" : "");
}

/* The numbers of a part in the usual order. */
static void gather(const mst_point_decoder *d, size_t part, size_t width, const double *row,
                   double *ordered)
{
    const size_t *columns = d->columns + part * mst_manifold_ambient(d->m);
    for (size_t k = 0; k < width; k++)
        ordered[k] = row[columns[k]];
}

/* Where the first of the numbers of row k that are not finite stands or, of a matrix, which channels are
 * missing. */
static mst_status not_finite(const mst_point_decoder *d, size_t k, const double *row, size_t col)
{
    char text[PLACE], missing[MISSING_TEXT];
    size_t part = 0, first = 0, width = part_width(d->m, d->form, d->layout[0]);
    place(d, k, text);
    for (; col >= first + width; width = part_width(d->m, d->form, d->layout[part])) {
        first += width;
        part++;
    }
    const double *x = row + first;
    double *matrix = NULL;
    size_t D = mst_manifold_ambient(d->m), order = mst_matrix_order(D);
    bool symmetric = d->m->traits.rows == MST_ROWS_SYMMETRIC && d->layout[part] != 's';
    if (symmetric && d->form == MST_FORM_TRIANGLE) {
        MST_TRY(mst_allocate(&matrix, 2 * D));
        gather(d, part, width, x, matrix + D);
        mst_from_triangle(order, matrix + D, matrix);
        x = matrix;
    }
    symmetric = symmetric && mst_missing_channels(order, x, missing);
    mst_release(matrix);
    if (symmetric)
        return mst_fail(MST_FORMAT, "%s%s%s", text, *text != '\0' ? ": " : "", missing);
    return mst_fail(MST_FORMAT, "%s%scolumn %zu: %s is not a finite number", text,
                    *text != '\0' ? ", " : "", column_in_file(d, col) + 1,
                    isnan(row[col]) ? "nan" : (row[col] < 0 ? "-inf" : "inf"));
}

static mst_status check_finite(const mst_point_decoder *d, size_t n, const double *rows)
{
    for (size_t i = 0; i < n * d->cols; i++)
        if (!isfinite(rows[i]))
            return not_finite(d, i / d->cols, rows + i / d->cols * d->cols, i % d->cols);
    return MST_OK;
}

/* ---- Forms of a point ---- */

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

static mst_status from_latlon(const mst_point_decoder *d, size_t part, size_t k, const double *row,
                              double *x)
{
    double latitude = row[0], longitude = row[1];
    bool longitude_first = d->columns[part * mst_manifold_ambient(d->m)] == 1;
    if (!(fabs(latitude) <= 90)) {
        char what[160];
        snprintf(what, sizeof what, "latitude %.9g is not between -90 and 90%s", latitude,
                 !longitude_first && fabs(longitude) <= 90
                     ? "; if longitudes come first, say so in a header: lon,lat"
                     : "");
        return mst_point_off(d, k, what, false);
    }
    mst_notice_angle(d->notices, latitude);
    mst_notice_angle(d->notices, longitude);
    d->notices->most_latitude = fmax(d->notices->most_latitude, fabs(latitude));
    double sin_lat, cos_lat, sin_lon, cos_lon;
    sine_cosine_degrees(latitude, &sin_lat, &cos_lat);
    sine_cosine_degrees(longitude, &sin_lon, &cos_lon);
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
        return mst_point_off(d, k, what, usable);
    }
    for (int i = 0; i < 4; i++)
        q[i] = row[i] / norm;
    mst_so3_from_quaternion(q, x);
    double move = fabs(norm - 1);
    return move > MST_POINT_TOLERANCE
               ? mst_notice_move(d->notices, move / norm, mst_point_row(d, k))
               : MST_OK;
}

static void from_angle(const mst_point_decoder *d, char letter, double *x)
{
    if (letter == 'p')
        mst_notice_angle(d->notices, *x);
    if (d->options.degrees)
        /* Whole turns taken off a point in degrees leave it exact. */
        *x = (letter == 'p' ? remainder(*x, 360) : *x) * MST_DEGREE;
}

/* A part of row k to ambient coordinates. */
static mst_status from_form(const mst_point_decoder *d, size_t part, size_t k, const double *row,
                            double *x)
{
    size_t D = mst_manifold_ambient(d->m);
    char letter = d->layout[part];
    if (d->form == MST_FORM_TRIANGLE) {
        mst_from_triangle(mst_matrix_order(D), row, x);
        return MST_OK;
    }
    if (letter == 'p' && d->form == MST_FORM_QUATERNION)
        return from_quaternion(d, k, row, x);
    if (letter == 'p' && d->form == MST_FORM_LATLON)
        return from_latlon(d, part, k, row, x);
    memcpy(x, row, D * sizeof *x);
    for (size_t l = 0; l < d->leaf_count; l++)
        for (size_t a = 0; d->leaves[l].rows == MST_ROWS_ANGLES && a < d->leaves[l].width; a++)
            from_angle(d, letter, x + d->leaves[l].offset + a);
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
        size_t width = letter == 'p' || letter == 'v' ? D : part_width(d->m, d->form, letter);
        double *x = parts[k] + done * width;
        for (size_t i = 0; i < n; i++) {
            const double *row = rows + i * d->cols + column;
            if (letter == 's') {
                x[i] = *row;
                continue;
            }
            gather(d, k, part_width(d->m, d->form, letter), row, onto);
            if (letter == 'w')
                memcpy(x + i * width, onto, width * sizeof *x);
            else
                MST_TRY(from_form(d, k, i, onto, x + i * D));
        }
        if (letter == 'p') {
            MST_TRY(mst_settle_points(d, n, x, onto));
            if (k == 0 && d->notices->rows == 0)
                MST_TRY(mst_check_kernel(d, n, x));
            base = x;
        } else if (letter == 'v') {
            MST_TRY(mst_settle_vectors(d, n, base, x, onto));
        }
        column += part_width(d->m, d->form, letter);
    }
    d->notices->rows += n;
    return MST_OK;
}
