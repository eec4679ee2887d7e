/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results of `reproduce`: the panels of figures, which hold all that there is to see, and the table of run
 * times. */
#include "plot/saved.h"

#include "base/internal.h"

#include <math.h>
#include <string.h>

/* A text of the result, or null. */
static mst_status read_text(mst_saved *s, const mst_json_value *where, const char *key,
                            const char **out)
{
    const char *text = stored_string(where, key);
    char *copy;
    *out = NULL;
    if (text == NULL)
        return MST_OK;
    MST_TRY(stored_new(s, &copy, strlen(text) + 1));
    strcpy(copy, text);
    *out = copy;
    return MST_OK;
}

/* ---- Numbers over numbers ---- */

static mst_status read_series(mst_saved *s, const mst_json_value *list)
{
    mst_picture_series *series;
    size_t k = 0, others;
    MST_TRY(stored_new(s, &series, mst_json_length(list) + 1));
    for (const mst_json_value *v = mst_json_first(list); v != NULL; v = mst_json_next(v), k++) {
        MST_TRY(read_text(s, v, "name", &series[k].name));
        MST_TRY(stored_numbers(s, v, "x", &series[k].x, &series[k].count));
        MST_TRY(stored_numbers(s, v, "y", &series[k].y, &others));
        if (others != series[k].count)
            return mst_fail(MST_FORMAT, "%s: a series has %zu numbers \"x\" and %zu \"y\"", s->name,
                            series[k].count, others);
    }
    s->picture.series = series;
    s->picture.series_count = k;
    return MST_OK;
}

static mst_picture_over over_of(const char *word)
{
    if (word == NULL)
        return MST_OVER_NOTHING;
    return strcmp(word, "steps") == 0       ? MST_OVER_STEPS
           : strcmp(word, "dimension") == 0 ? MST_OVER_DIMENSION
                                            : MST_OVER_NOTHING;
}

/* The columns of the table `timing` that are seconds, over the dimension. */
static mst_status read_table(mst_saved *s, const mst_json_value *rows)
{
    static const struct {
        const char *key, *name;
    } wanted[] = {{"exact_seconds", "closed form"},
                  {"network_seconds", "network"},
                  {"bridge_seconds", "bridges"}};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    mst_picture_series *series;
    size_t n = mst_json_length(rows), count = 0;
    MST_TRY(stored_new(s, &series, WANTED));
    for (size_t k = 0; k < WANTED; k++) {
        double *x;
        size_t i = 0;
        bool any = false;
        MST_TRY(stored_new(s, &x, 2 * n + 1));
        for (const mst_json_value *v = mst_json_first(rows); v != NULL; v = mst_json_next(v), i++) {
            x[i] = stored_number(v, "dim");
            x[n + i] = stored_number(v, wanted[k].key);
            any = any || isfinite(x[n + i]);
        }
        if (any)
            series[count++] = (mst_picture_series){wanted[k].name, n, x, x + n, NULL, NULL};
    }
    if (count == 0)
        return mst_fail(MST_FORMAT, "%s: the rows of the table have no run times", s->name);
    s->picture.series = series;
    s->picture.series_count = count;
    s->picture.over = MST_OVER_DIMENSION;
    s->picture.x_log = s->picture.y_log = true;
    s->picture.x_name = "dimension";
    s->picture.y_name = "processor seconds";
    s->picture.title = "Run time of an estimate over the dimension";
    s->picture.caption = "Processor seconds from the published start to convergence.";
    return MST_OK;
}

/* ---- Points, means and arrows on a manifold ---- */

static mst_status read_means(mst_saved *s, const mst_json_value *list)
{
    size_t D = mst_manifold_ambient(s->picture.m), k = 0;
    mst_picture_mean *means;
    double *points;
    MST_TRY(stored_new(s, &means, mst_json_length(list) + 1));
    MST_TRY(stored_new(s, &points, D * mst_json_length(list) + 1));
    for (const mst_json_value *v = mst_json_first(list); v != NULL; v = mst_json_next(v), k++) {
        const mst_json_value *at;
        MST_TRY(stored_need(s, v, "mean", MST_JSON_ARRAY, &at));
        MST_TRY(stored_point(s, at, "mean", points + k * D));
        MST_TRY(read_text(s, v, "name", &means[k].name));
        means[k].at = points + k * D;
        means[k].time = stored_number(v, "time");
        means[k].weight = stored_number(v, "weight");
    }
    s->picture.means = means;
    s->picture.mean_count = k;
    return MST_OK;
}

static mst_status read_field(mst_saved *s, const mst_json_value *field)
{
    size_t count;
    MST_TRY(stored_points(s, field, "at", &s->picture.field_at, &s->picture.field_count));
    MST_TRY(stored_numbers(s, field, "vectors", &s->picture.field_vectors, &count));
    MST_TRY(read_text(s, field, "name", &s->picture.field_name));
    if (count != s->picture.field_count * mst_manifold_ambient(s->picture.m))
        return mst_fail(MST_FORMAT, "%s: the field has %zu points and %zu numbers of vectors",
                        s->name, s->picture.field_count, count);
    return MST_OK;
}

static mst_status read_points(mst_saved *s, const mst_json_value *top)
{
    const mst_json_value *means = mst_json_member(top, "means"),
                         *field = mst_json_member(top, "field");
    size_t count;
    if (mst_json_member(top, "points") != NULL)
        MST_TRY(stored_points(s, top, "points", &s->picture.x, &s->picture.n));
    if (means != NULL)
        MST_TRY(read_means(s, means));
    if (mst_json_member(top, "labels") != NULL) {
        MST_TRY(stored_labels(s, top, "labels", s->picture.mean_count, &s->picture.labels, &count));
        if (count != s->picture.n)
            return mst_fail(MST_FORMAT, "%s: there are %zu labels for %zu points", s->name, count,
                            s->picture.n);
    }
    if (field != NULL)
        MST_TRY(read_field(s, field));
    if (mst_json_member(top, "centre") != NULL) {
        double *centre;
        MST_TRY(stored_new(s, &centre, mst_manifold_ambient(s->picture.m)));
        MST_TRY(stored_point(s, mst_json_member(top, "centre"), "centre", centre));
        s->picture.centre = centre;
    }
    s->rows = s->picture.n;
    stored_open_source(s, top);
    return MST_OK;
}

mst_status stored_read_reproduce(mst_saved *s, const mst_json_value *top)
{
    const mst_json_value *series = mst_json_member(top, "series"),
                         *rows = mst_json_member(top, "rows");
    const char *table = stored_string(top, "table"), *word;
    if (table != NULL && strcmp(table, "timing") != 0)
        return mst_fail(MST_UNABLE,
                        "%s is the table '%.40s', of which there is no picture; there "
                        "is of timing",
                        s->name, table);
    if (table != NULL)
        return read_table(s, rows);
    if (s->picture.m == NULL && series == NULL)
        return mst_fail(MST_FORMAT,
                        "%s has no \"manifold\" and no \"series\": it is no panel of a "
                        "figure",
                        s->name);
    if (series != NULL) {
        MST_TRY(read_series(s, series));
        s->picture.over = over_of(stored_string(top, "over"));
        s->picture.x_log = mst_json_as_bool(mst_json_member(top, "x_log"));
        s->picture.y_log = mst_json_as_bool(mst_json_member(top, "y_log"));
    } else {
        MST_TRY(read_points(s, top));
    }
    MST_TRY(read_text(s, top, "x_name", &s->picture.x_name));
    MST_TRY(read_text(s, top, "y_name", &s->picture.y_name));
    MST_TRY(read_text(s, top, "mean_word", &word));
    if (word != NULL)
        s->picture.mean_word = word;
    MST_TRY(read_text(s, top, "point_word", &word));
    if (word != NULL)
        s->picture.point_word = word;
    MST_TRY(read_text(s, top, "title", &s->picture.title));
    return read_text(s, top, "caption", &s->picture.caption);
}
