/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Centres, weights and times from a result that was saved as JSON. */
#include "clusters.h"
#include "util/json.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

const option option_assign = {
    .name = "assign",
    .kind = OPTION_FILE,
    .value = "RESULT",
    .example = "clusters.json",
    .help = "label the points by what is in RESULT, a file that the same command has written with "
            "--json, instead of fitting",
};

static mst_status unfit(const estimation *e, const char *path, const char *what)
{
    return mst_fail(MST_FORMAT, "--assign: %s %s; give a file that %s --json has written", path,
                    what, e->inv->command->name);
}

/* The numbers of an array; *count of them. */
static mst_status read_numbers(const estimation *e, const char *path, const mst_json_value *row,
                               double *numbers, size_t *count)
{
    *count = 0;
    for (const mst_json_value *v = mst_json_first(row); v != NULL; v = mst_json_next(v)) {
        if (mst_json_kind_of(v) != MST_JSON_NUMBER)
            return unfit(e, path, "has centres that are not numbers");
        numbers[(*count)++] = mst_json_as_number(v);
    }
    return MST_OK;
}

/* One centre, in the form that its file says it has. */
static mst_status read_centre(const estimation *e, const char *path, const mst_json_value *row,
                              const mst_points_options *form, double *numbers, double *x)
{
    size_t cols;
    mst_status status = read_numbers(e, path, row, numbers, &cols);
    if (status != MST_OK)
        return status;
    status = mst_points_decode(e->m, cols, numbers, form, x);
    return status == MST_OK
               ? status
               : mst_fail(status, "--assign: %s, a centre: %s", path, mst_error_detail());
}

static mst_status read_centres(const estimation *e, const char *path, const mst_json_value *top,
                               saved_clusters *s)
{
    const mst_json_value *rows = mst_json_member(top, "centres");
    mst_points_options form = mst_points_options_default();
    form.project = true; /* written numbers are off by rounding at most */
    form.degrees = mst_json_as_bool(mst_json_member(top, "degrees"));
    form.latlon = mst_json_as_bool(mst_json_member(top, "latlon"));
    size_t longest = 1, k = 0;
    double *numbers;
    s->k = mst_json_length(rows);
    if (s->k == 0)
        return unfit(e, path, "has no centres");
    for (const mst_json_value *row = mst_json_first(rows); row != NULL; row = mst_json_next(row))
        longest = mst_json_length(row) > longest ? mst_json_length(row) : longest;
    mst_status status = new_doubles(&s->centres, s->k, e->ambient);
    if (status != MST_OK)
        return status;
    status = new_doubles(&numbers, longest, 1);
    for (const mst_json_value *row = mst_json_first(rows); row != NULL && status == MST_OK;
         row = mst_json_next(row))
        status = read_centre(e, path, row, &form, numbers, s->centres + k++ * e->ambient);
    free(numbers);
    return status;
}

/* A number for each component, above `least`. */
static mst_status read_parameters(const estimation *e, const char *path, const mst_json_value *top,
                                  const char *key, double least, size_t k, double **out)
{
    const mst_json_value *row = mst_json_member(top, key);
    size_t count;
    if (mst_json_length(row) != k)
        return unfit(e, path, "has not as many weights and times as centres");
    mst_status status = new_doubles(out, k, 1);
    if (status == MST_OK)
        status = read_numbers(e, path, row, *out, &count);
    for (size_t i = 0; i < k && status == MST_OK; i++)
        if (!((*out)[i] > least))
            status = unfit(e, path, "has weights or times that are not positive");
    return status;
}

mst_status saved_read(const estimation *e, bool mixture, saved_clusters *s)
{
    const char *path = option_get(e->inv, &option_assign)->text, *name = e->inv->command->name;
    mst_json_value *top;
    *s = (saved_clusters){0};
    mst_status status = mst_json_read(&top, path);
    if (status != MST_OK)
        return status;
    const char *writer = mst_json_as_string(mst_json_member(top, "command"));
    const char *spec = mst_json_as_string(mst_json_member(top, "manifold"));
    char what[64];
    snprintf(what, sizeof what, "is not a result of %s", name);
    if (writer == NULL || strcmp(writer, name) != 0 || spec == NULL)
        status = unfit(e, path, what);
    else if (strcmp(spec, mst_manifold_spec(e->m)) != 0)
        status = mst_fail(MST_ARGUMENT, "%s is about %s, not %s; pass --manifold '%s'", path, spec,
                          mst_manifold_spec(e->m), spec);
    else
        status = read_centres(e, path, top, s);
    if (status == MST_OK && mixture)
        status = read_parameters(e, path, top, "weights", -DBL_MIN, s->k, &s->weights);
    if (status == MST_OK && mixture)
        status = read_parameters(e, path, top, "times", 0, s->k, &s->times);
    mst_json_value_free(top);
    return status;
}

void saved_free(saved_clusters *s)
{
    free(s->centres);
    free(s->weights);
    free(s->times);
}
