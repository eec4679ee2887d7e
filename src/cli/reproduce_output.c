/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The tables on a page, as CSV, LaTeX and JSON. */
#include "reproduce.h"
#include "result.h"
#include "table.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key, *heading;
    unsigned tables;
    int part, digits;
} columns[] = {
#define COLUMN_ROW(id, heading, tables, part, digits) {#id, heading, tables, part, digits},
    PAPER_COLUMNS(COLUMN_ROW)
#undef COLUMN_ROW
};

static bool is_shown(size_t column, paper_table which, int part)
{
    return (columns[column].tables >> which & 1) != 0 && columns[column].part == part;
}

/* "paper:mean" has two lines of heading; the upper one stands where it changes. */
static void heading_cells(table *t, paper_table which, int part, bool upper)
{
    table_cell(t, "%s", "");
    table_cell(t, "%s", upper || part > 0 ? "" : "data");
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
        if (!is_shown(k, which, part))
            continue;
        const char *colon = strchr(columns[k].heading, ':');
        int length = colon != NULL ? (int)(colon - columns[k].heading) : 0;
        if (upper)
            table_cell(t, "%.*s", length, columns[k].heading);
        else
            table_cell(t, "%s", colon != NULL ? colon + 1 : columns[k].heading);
    }
}

static mst_status print_part(FILE *out, paper_table which, int part, size_t count,
                             const paper_result *results)
{
    table t = {.cols = 2};
    for (size_t k = 0; k < COLUMN_COUNT; k++)
        t.cols += is_shown(k, which, part);
    heading_cells(&t, which, part, true);
    heading_cells(&t, which, part, false);
    for (size_t i = 0; i < count; i++) {
        const paper_result *r = &results[i];
        table_cell(&t, "%s", r->row->name);
        table_cell(&t, "%s", part == 0 ? r->data : "");
        for (size_t k = 0; k < COLUMN_COUNT; k++)
            if (is_shown(k, which, part))
                table_number(&t, r->value[k], columns[k].digits);
    }
    return table_print(&t, out);
}

static mst_status print_page(FILE *out, paper_table which, size_t count,
                             const paper_result *results)
{
    mst_status status = print_part(out, which, 0, count, results);
    fprintf(out, "\n");
    if (status == MST_OK)
        status = print_part(out, which, 1, count, results);
    for (size_t i = 0; i < count; i++) {
        const paper_result *r = &results[i];
        if (strcmp(r->reference, "exact") != 0 && strcmp(r->reference, "none") != 0)
            fprintf(out, "%s%s: the exact estimate is that of --score %s\n", i == 0 ? "\n" : "",
                    r->row->name, r->reference);
        if (r->note[0] != '\0')
            fprintf(out, "%s: %s\n", r->row->name, r->note);
    }
    return status;
}

static void print_csv(FILE *out, size_t count, const paper_result *results)
{
    fprintf(out, "row,manifold,data,reference");
    for (size_t k = 0; k < COLUMN_COUNT; k++)
        fprintf(out, ",%s", columns[k].key);
    fprintf(out, "\n");
    for (size_t i = 0; i < count; i++) {
        const paper_result *r = &results[i];
        fprintf(out, "%s,%s,%s,%s", r->row->name, r->row->manifold, r->data, r->reference);
        for (size_t k = 0; k < COLUMN_COUNT; k++)
            if (isnan(r->value[k]))
                fprintf(out, ",");
            else
                fprintf(out, ",%.17g", r->value[k]);
        fprintf(out, "\n");
    }
}

static void print_latex(FILE *out, paper_table which, size_t count, const paper_result *results)
{
    for (int part = 0; part < 2; part++) {
        fprintf(out, "\\begin{tabular}{l");
        for (size_t k = 0; k < COLUMN_COUNT; k++)
            fprintf(out, "%s", is_shown(k, which, part) ? "r" : "");
        fprintf(out, "}\n");
        for (size_t k = 0; k < COLUMN_COUNT; k++)
            if (is_shown(k, which, part)) {
                const char *colon = strchr(columns[k].heading, ':');
                fprintf(out, " & %.*s%s%s", colon ? (int)(colon - columns[k].heading) : 0,
                        columns[k].heading, colon ? " " : "",
                        colon ? colon + 1 : columns[k].heading);
            }
        fprintf(out, " \\\\\n\\hline\n");
        for (size_t i = 0; i < count; i++) {
            fprintf(out, "%s%s", results[i].row->name,
                    strcmp(results[i].data, "simulated") == 0 ? "$^*$" : "");
            for (size_t k = 0; k < COLUMN_COUNT; k++)
                if (is_shown(k, which, part) && isnan(results[i].value[k]))
                    fprintf(out, " & --");
                else if (is_shown(k, which, part))
                    fprintf(out, " & %.*g", columns[k].digits, results[i].value[k]);
            fprintf(out, " \\\\\n");
        }
        fprintf(out, "\\end{tabular}\n%s", part == 0 ? "\n" : "");
    }
    fprintf(out, "%% * simulated, because no published file was there\n");
}

mst_status paper_print(FILE *out, paper_format format, paper_table which, size_t count,
                       const paper_result *results)
{
    if (format == FORMAT_TABLE)
        return print_page(out, which, count, results);
    if (format == FORMAT_CSV)
        print_csv(out, count, results);
    else
        print_latex(out, which, count, results);
    return MST_OK;
}

void paper_json(mst_json *j, paper_table which, size_t count, const paper_result *results)
{
    json_member_string(j, "table", paper_tables[which]);
    mst_json_key(j, "rows");
    mst_json_array(j);
    for (size_t i = 0; i < count; i++) {
        const paper_result *r = &results[i];
        mst_json_object(j);
        json_member_string(j, "row", r->row->name);
        json_member_string(j, "manifold", r->row->manifold);
        json_member_string(j, "data", r->data);
        json_member_string(j, "reference", r->reference);
        for (size_t k = 0; k < COLUMN_COUNT; k++)
            json_member_number(j, columns[k].key, r->value[k]);
        json_member_string(j, "note", r->note);
        mst_json_end(j);
    }
    mst_json_end(j);
}
