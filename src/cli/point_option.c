/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"
#include "util/number_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t parse_numbers(const char *text, double *numbers)
{
    size_t count = 0;
    for (;;) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, ","), end = length;
        while (end > 0 && strchr(" \t", text[end - 1]) != NULL)
            end--;
        if (!mst_parse_double(text, end, &numbers[count]))
            return 0;
        count++;
        if (text[length] == '\0')
            return count;
        text += length + 1;
    }
}

static mst_status from_numbers(const option *o, const mst_manifold *m,
                               const mst_points_options *points, size_t cols, const double *numbers,
                               double **x)
{
    char word[OPTION_WORD];
    mst_status status = new_doubles(x, 1, mst_manifold_ambient(m));
    if (status == MST_OK)
        status = mst_points_decode(m, cols, numbers, points, *x);
    if (status == MST_FORMAT || status == MST_DOMAIN)
        status = mst_fail(status, "%s: %s", option_word(o, word), mst_error_detail());
    return status;
}

static mst_status from_file(const invocation *inv, const mst_manifold *m,
                            const mst_points_options *points, const char *path, double **x,
                            size_t *n)
{
    double *read = NULL;
    size_t D = mst_manifold_ambient(m);
    mst_points_options options = *points;
    mst_points_report report = {0};
    options.report = &report;
    mst_status status = mst_points_read(&read, n, m, path, &options);
    if (inv->command->max_operands > 0)
        report.shrunk = 0; /* beside the data, and not counted among them */
    if (status == MST_OK)
        tell_points(inv, m, path, &report);
    if (status == MST_OK)
        status = new_doubles(x, *n, D);
    if (status == MST_OK)
        memcpy(*x, read, *n * D * sizeof **x);
    mst_points_free(read);
    return status;
}

mst_status read_point_option(const invocation *inv, const option *o, const mst_manifold *m,
                             double **x, size_t *n)
{
    return read_points_text(inv, o, option_get(inv, o)->text, m, x, n);
}

mst_status read_points_text(const invocation *inv, const option *o, const char *text,
                            const mst_manifold *m, double **x, size_t *n)
{
    const mst_points_options points = points_options(inv);
    double *numbers;
    char word[OPTION_WORD];
    *x = NULL;
    mst_status status = new_doubles(&numbers, strlen(text) / 2 + 1, 1);
    if (status != MST_OK)
        return status;
    size_t cols = parse_numbers(text, numbers);
    *n = 1;
    if (cols > 0)
        status = from_numbers(o, m, &points, cols, numbers, x);
    else if (strcmp(text, "-") == 0 || access(text, F_OK) == 0)
        status = from_file(inv, m, &points, text, x, n);
    else
        status = mst_fail(MST_ARGUMENT,
                          "%s '%s' is neither numbers joined by commas nor a file; for example "
                          "%s %s",
                          option_word(o, word), text, word, o->example);
    free(numbers);
    return status;
}
