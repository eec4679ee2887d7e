/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The errors of a mean, as lengths that one can picture. */
#include "estimate.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>

#define LABEL "  %-16s"

/* Are lengths angles that are printed in radians? */
static bool is_angular(const mst_manifold *m)
{
    mst_row_kind rows = mst_manifold_traits_of(m)->rows;
    return rows == MST_ROWS_ANGLES || rows == MST_ROWS_UNIT_VECTORS || rows == MST_ROWS_ROTATIONS;
}

/* "3.1 by 2"; of many only the ends. */
enum { FEW_AXES = 3 };
static void print_axes(FILE *out, size_t d, const double *axes, double unit)
{
    if (d > FEW_AXES)
        fprintf(out, "%.3g to %.3g", axes[0] / unit, axes[d - 1] / unit);
    for (size_t i = 0; d <= FEW_AXES && i < d; i++)
        fprintf(out, "%s%.3g", i > 0 ? " by " : "", axes[i] / unit);
}

/* `label` is "region", or what comes before an ellipsoid that holds another region; `trail` follows the
 * axes of the first factor. */
static mst_status print_ellipsoid(const estimation *e, FILE *out, const mst_mean_result *r,
                                  size_t factor, const char *label, const char *within,
                                  const char *trail)
{
    const double degree = M_PI / 180;
    const mst_manifold *m = mst_manifold_factor(e->m, factor);
    size_t d = mst_manifold_dim(m);
    double *axes;
    mst_status status = new_doubles(&axes, d, 1);
    if (status == MST_OK)
        status = mst_mean_region_axes(r, e->m, factor, axes);
    if (status == MST_OK) {
        fprintf(out, LABEL "%s%s", factor == 0 ? label : "", within, d == 1 ? "+- " : "");
        print_axes(out, d, axes, factor_unit(e, factor));
        if (factor_in_degrees(e, factor)) {
            fprintf(out, " degrees");
        } else if (is_angular(m)) {
            fprintf(out, " radians, ");
            print_axes(out, d, axes, degree);
            fprintf(out, " degrees");
        }
        if (d > FEW_AXES)
            fprintf(out, " (largest and smallest of %zu semi-axes%s%s)", d,
                    trail != NULL ? ", " : "", trail != NULL ? trail : "");
        else if (d > 1 || trail != NULL)
            fprintf(out, " (%s%s%s)", d > 1 ? "semi-axes" : "", d > 1 && trail != NULL ? ", " : "",
                    trail != NULL ? trail : "");
        if (m == e->m)
            fprintf(out, "\n");
        else
            fprintf(out, ", %s\n", mst_manifold_spec(m));
    }
    free(axes);
    return status;
}

/* Why a score region has no semi-axes; null: it has, or is another. */
static const char *missing_axes(const mst_mean_result *r)
{
    if (r->region_kind != MST_REGION_SCORE)
        return NULL;
    switch (r->no_axes) {
    case MST_AXES_GIVEN:
        return NULL;
    case MST_AXES_ROUND:
        return "the region reaches round the space";
    case MST_AXES_PIECES:
        return "the region has other pieces than that about the mean";
    }
    return NULL;
}

/* Where the scores balance: its share, and what holds it. */
static mst_status print_score_region(const estimation *e, FILE *out, const mst_mean_result *r,
                                     double confidence)
{
    mst_status status = MST_OK;
    fprintf(out, LABEL "where the scores balance", "region");
    if (r->region_share == 0) /* none of some hundred points is in it */
        fprintf(out, ", a small part of the space");
    else if (!isnan(r->region_share))
        fprintf(out, ", %.3g %% of the space", 100 * r->region_share);
    fprintf(out, " (confidence %g)\n", confidence);
    if (missing_axes(r) != NULL)
        fprintf(out, LABEL "no semi-axes: %s; see --holds\n", "", missing_axes(r));
    for (size_t f = 0;
         missing_axes(r) == NULL && f < mst_manifold_factor_count(e->m) && status == MST_OK; f++)
        status = print_ellipsoid(e, out, r, f, "", "within ", NULL);
    return status;
}

/* Why there is no region though there are errors, and what helps; null: another reason, or there is one. */
static const char *missing_region(const estimation *e, const mst_mean_result *r, size_t size,
                                  char *text)
{
    size_t d = mst_manifold_dim(e->m);
    if (r->region_kind != MST_REGION_NONE || isnan(r->standard_error))
        return NULL;
    switch (r->no_region) {
    case MST_REGION_GIVEN:
        return NULL;
    case MST_REGION_FEW_ROWS:
        snprintf(text, size, "no more rows than dimensions (%.6g for %zu); give more",
                 r->effective_n, d);
        return text;
    case MST_REGION_FEW_CLUSTERS:
        snprintf(text, size, "no more %s than dimensions (%zu for %zu); give more",
                 r->different_rows < r->n ? "different rows" : "clusters", r->clusters, d);
        return text;
    case MST_REGION_FEW_WEIGHTS:
        snprintf(text, size,
                 "with such unequal weights the rows have %.3g degrees of freedom, too few for %zu "
                 "dimensions; give more rows",
                 r->degrees_of_freedom, d);
        return text;
    case MST_REGION_FEW_COUNTS:
        snprintf(text, size,
                 "the weights sum to %.3g observations; give counts, or --weights-are relative",
                 r->effective_n);
        return text;
    case MST_REGION_OF_FACTOR:
        snprintf(text, size, "factor %zu, %s, has none; fit it by itself to see why",
                 r->no_region_factor + 1,
                 mst_manifold_spec(mst_manifold_factor(e->m, r->no_region_factor)));
        return text;
    case MST_REGION_FACTOR_WIDE:
        snprintf(text, size,
                 "the mean of factor %zu, %s, is too uncertain for an ellipsoid; fit it by itself, "
                 "and its region is that of the scores",
                 r->no_region_factor + 1,
                 mst_manifold_spec(mst_manifold_factor(e->m, r->no_region_factor)));
        return text;
    case MST_REGION_OTHER_MEANS:
        return "the data do not tell this mean from others, and an ellipsoid about it would leave "
               "them "
               "out; give more rows";
    case MST_REGION_NOT_ASKED:
        return "many dimensions; --covariance sandwich forms the matrix and the region";
    }
    return NULL;
}

enum { REASON = 160 };

static mst_status print_region(const estimation *e, FILE *out, const mst_mean_result *r,
                               double confidence)
{
    mst_status status = MST_OK;
    char text[REASON], trail[32];
    const char *reason = missing_region(e, r, sizeof text, text);
    snprintf(trail, sizeof trail, "confidence %g", confidence);
    switch (r->region_kind) {
    case MST_REGION_NONE:
        if (reason != NULL)
            fprintf(out, LABEL "none: %s\n", "region", reason);
        break;
    case MST_REGION_ELLIPSOID:
        for (size_t f = 0; f < mst_manifold_factor_count(e->m) && status == MST_OK; f++)
            status = print_ellipsoid(e, out, r, f, "region", "", trail);
        break;
    case MST_REGION_SCORE:
        status = print_score_region(e, out, r, confidence);
        break;
    case MST_REGION_WHOLE:
        fprintf(out, LABEL "the whole space (confidence %g)\n", "region", confidence);
        break;
    }
    return status;
}

mst_status print_errors(const estimation *e, FILE *out, const mst_mean_result *r, double confidence)
{
    if (!isnan(r->standard_error) && !units_differ(e))
        fprintf(out, LABEL "%.6g%s\n", "standard error", r->standard_error / length_unit(e),
                lengths_in_degrees(e) ? " degrees" : "");
    for (size_t f = 0;
         !isnan(r->standard_error) && units_differ(e) && f < mst_manifold_factor_count(e->m); f++)
        fprintf(out, LABEL "%.6g%s, %s\n", f == 0 ? "standard error" : "",
                factor_error(e, r, f) / factor_unit(e, f),
                factor_in_degrees(e, f) ? " degrees" : "",
                mst_manifold_spec(mst_manifold_factor(e->m, f)));
    if (isnan(r->standard_error) && missing_errors(r) != NULL)
        fprintf(out, LABEL "none: %s\n", "standard error", missing_errors(r));
    const char *clusters = r->different_rows < r->n ? "different rows" : "clusters";
    if (r->clusters > 0 && isnan(r->effective_n))
        fprintf(out, LABEL "%zu\n", clusters, r->clusters);
    else if (r->clusters > 0)
        fprintf(out, LABEL "%zu, worth %.4g independent rows\n", clusters, r->clusters,
                r->effective_n);
    return print_region(e, out, r, confidence);
}

/* ---- JSON ---- */

/* Of score regions with the directions: those of ellipsoids are in the covariance. */
static mst_status json_axes(const estimation *e, mst_json *j, const mst_mean_result *r,
                            size_t factor)
{
    size_t d = mst_manifold_dim(mst_manifold_factor(e->m, factor));
    double *axes;
    if (r->region_kind != MST_REGION_ELLIPSOID && r->region_ellipsoid == NULL) {
        mst_json_key(j, "region_semi_axes");
        mst_json_null(j);
        return MST_OK;
    }
    mst_status status = new_doubles(&axes, d, 1 + e->ambient);
    if (status == MST_OK)
        status = mst_mean_region_axes(r, e->m, factor, axes);
    for (size_t i = 0; i < d && status == MST_OK; i++)
        axes[i] /= factor_unit(e, factor);
    if (status == MST_OK)
        json_member_numbers(j, "region_semi_axes", d, axes);
    if (status == MST_OK && r->region_kind == MST_REGION_SCORE) {
        status = mst_mean_region_directions(r, e->m, factor, axes + d);
        if (status == MST_OK)
            json_member_matrix(j, "region_directions", d, e->ambient, axes + d);
    }
    free(axes);
    return status;
}

/* Of score regions: an array of points for each part. */
static mst_status json_boundary(const estimation *e, mst_json *j, const mst_mean_result *r)
{
    mst_region_boundary *b;
    mst_status status = MST_OK;
    if (r->region_kind != MST_REGION_SCORE || r->boundary_parts == 0)
        return MST_OK;
    status = mst_mean_region_boundary(&b, r, e->m);
    if (status != MST_OK)
        return status;
    mst_json_key(j, "region_boundary");
    mst_json_array(j);
    for (size_t k = 0, first = 0; k < b->parts && status == MST_OK; first = b->end[k++]) {
        mst_json_object(j);
        status =
            json_member_points(e, j, "points", b->end[k] - first, b->points + first * e->ambient);
        mst_json_end(j);
    }
    mst_json_end(j);
    mst_region_boundary_free(b);
    return status;
}

/* Of products: what each factor has of the errors. */
static mst_status json_factors(const estimation *e, mst_json *j, const mst_mean_result *r)
{
    mst_status status = MST_OK;
    mst_json_key(j, "factors");
    mst_json_array(j);
    for (size_t f = 0; f < mst_manifold_factor_count(e->m) && status == MST_OK; f++) {
        mst_json_object(j);
        json_member_string(j, "manifold", mst_manifold_spec(mst_manifold_factor(e->m, f)));
        json_member_number(j, "mean_standard_error", factor_error(e, r, f) / factor_unit(e, f));
        status = json_axes(e, j, r, f);
        if (factor_in_degrees(e, f))
            json_member_string(j, "units", "degrees");
        mst_json_end(j);
    }
    mst_json_end(j);
    return status;
}

/* Null where it has not been formed. */
static mst_status json_covariance(mst_json *j, size_t d, double unit, const double *from)
{
    double *covariance;
    if (from == NULL) {
        json_member_number(j, "mean_covariance", NAN);
        return MST_OK;
    }
    mst_status status = new_doubles(&covariance, d, d);
    if (status != MST_OK)
        return status;
    for (size_t i = 0; i < d * d; i++)
        covariance[i] = from[i] / (unit * unit);
    json_member_matrix(j, "mean_covariance", d, d, covariance);
    free(covariance);
    return MST_OK;
}

mst_status json_region(const estimation *e, mst_json *j, const mst_mean_result *r,
                       double confidence)
{
    static const char *const kinds[] = {"none", "ellipsoid", "score", "whole"};
    size_t d = mst_manifold_dim(e->m);
    double unit = length_unit(e);
    mst_status status = json_covariance(j, d, unit, r->covariance);
    if (status != MST_OK)
        return status;
    json_member_number(j, "mean_standard_error", r->standard_error / unit);
    if (missing_errors(r) != NULL)
        json_member_string(j, "missing_errors", missing_errors(r));
    if (lengths_in_degrees(e))
        json_member_string(j, "units", "degrees");
    if (r->basis != NULL)
        json_member_matrix(j, "basis", d, e->ambient, r->basis);
    else
        json_member_number(j, "basis", NAN);
    json_member_number(j, "confidence", confidence);
    json_member_string(j, "region_kind", kinds[r->region_kind]);
    char text[REASON];
    const char *reason = missing_region(e, r, sizeof text, text);
    if (reason != NULL)
        json_member_string(j, "missing_region", reason);
    if (missing_axes(r) != NULL)
        json_member_string(j, "missing_axes", missing_axes(r));
    json_member_number(j, "region_share", r->region_share);
    json_member_number(j, "region_time", r->region_time);
    json_member_number(j, "region_radius2", r->region_radius2);
    json_member_number(j, "region_volume", r->region_volume / pow(unit, (double)d));
    status = json_boundary(e, j, r);
    if (status != MST_OK)
        return status;
    return mst_manifold_factor(e->m, 0) == e->m ? json_axes(e, j, r, 0) : json_factors(e, j, r);
}
