/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A row for each of several means. */
#include "estimate.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_REASONS = 5 };

static size_t point_columns(const estimation *e)
{
    size_t count = columns_shown(e);
    return count <= MOST_POINT_COLUMNS ? count : 0;
}

static void add_header(const estimation *e, table *t, size_t times)
{
    char name[COLUMN_NAME];
    table_cell(t, "group");
    table_cell(t, "n");
    for (size_t k = 0; point_columns(e) > 0 && k < e->width; k++)
        if (column_shown(e, k))
            table_cell(t, "%s", column_name(e, k, name));
    for (size_t f = 0; f < error_columns(e); f++)
        table_cell(t, "%s", error_name(e, f, "error", name));
    for (size_t k = 0; k < times; k++) {
        if (times > 1)
            table_cell(t, "time_%zu%s", k + 1, factor_in_degrees(e, k) ? " (rad^2)" : "");
        else
            table_cell(t, "time%s", squared_unit(e));
        table_cell(t, "error");
    }
    if (times == 0)
        table_cell(t, "variance%s", squared_unit(e));
    table_cell(t, "converged");
}

static mst_status add_row(const estimation *e, table *t, size_t times, const named_mean *m,
                          double *coded)
{
    const mst_mean_result *r = m->result;
    table_cell(t, "%s", m->name);
    table_cell(t, "%zu", r->n);
    mst_status status = mst_points_encode(e->m, 1, r->mean, &e->points, coded);
    for (size_t k = 0; point_columns(e) > 0 && k < e->width; k++)
        if (column_shown(e, k))
            table_number(t, coded[k], 8);
    for (size_t f = 0; f < error_columns(e); f++)
        table_number(t, error_in_column(e, r, f), 4);
    for (size_t k = 0; k < times; k++) {
        table_number(t, times > 1 ? r->times[k] : r->time, 6);
        table_number(t, times > 1 ? r->times_standard_error[k] : r->time_standard_error, 4);
    }
    if (times == 0)
        table_number(t, r->variance, 6);
    table_cell(t, "%s",
               !r->converged                                     ? "no"
               : r->unique                                       ? "yes"
               : r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED ? "maybe not unique"
                                                                 : "not unique");
    return status;
}

/* Below the table, why a row has no error. */
static void print_reasons(FILE *out, size_t count, const named_mean *means)
{
    size_t missing = 0;
    for (size_t i = 0; i < count; i++)
        if (isnan(means[i].result->standard_error) && missing_errors(means[i].result) != NULL &&
            missing++ < MOST_REASONS)
            fprintf(out, "%sno error for '%s': %s\n", missing == 1 ? "\n" : "", means[i].name,
                    missing_errors(means[i].result));
    if (missing > MOST_REASONS)
        fprintf(out, "and for %zu more\n", missing - MOST_REASONS);
}

mst_status print_means(const estimation *e, FILE *out, size_t count, const named_mean *means,
                       size_t times)
{
    size_t rest = times > 0 ? 2 * times : 1;
    table t = {.cols = 3 + point_columns(e) + error_columns(e) + rest};
    double *coded;
    mst_status status = new_doubles(&coded, 1, e->width);
    add_header(e, &t, times);
    for (size_t i = 0; i < count && status == MST_OK; i++)
        status = add_row(e, &t, times, &means[i], coded);
    free(coded);
    mst_status printed = table_print(&t, out);
    if (point_columns(e) == 0)
        fprintf(out, "\nthe means have %zu numbers each; --json has them\n", columns_shown(e));
    print_reasons(out, count, means);
    return status == MST_OK ? printed : status;
}
