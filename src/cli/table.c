/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "table.h"

#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_cell(table *t, const char *format, ...)
{
    if (t->count == t->capacity) {
        size_t capacity = t->capacity == 0 ? 64 : 2 * t->capacity;
        char **larger = realloc(t->cells, capacity * sizeof *larger);
        if (larger == NULL) {
            t->failed = true;
            return;
        }
        t->cells = larger;
        t->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    char *cell;
    if (vasprintf(&cell, format, arguments) < 0)
        t->failed = true;
    else
        t->cells[t->count++] = cell;
    va_end(arguments);
}

void table_number(table *t, double x, int digits)
{
    if (isnan(x))
        table_cell(t, "-");
    else
        table_cell(t, "%.*g", digits, x + 0.0); /* zeros have no sign */
}

const char *p_value_text(double p, bool floor, int digits, char text[P_VALUE_TEXT])
{
    if (p == 0)
        return "<= 1e-300";
    snprintf(text, P_VALUE_TEXT, "%s%.*g", floor ? "<= " : "", digits, p);
    return text;
}

static mst_status column_widths(const table *t, size_t **widths)
{
    *widths = calloc(t->cols, sizeof **widths);
    if (*widths == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for a table of %zu columns", t->cols);
    for (size_t i = 0; i < t->count; i++) {
        size_t width = text_width(t->cells[i], strlen(t->cells[i]));
        if (width > (*widths)[i % t->cols])
            (*widths)[i % t->cols] = width;
    }
    return MST_OK;
}

mst_status table_print(table *t, FILE *out)
{
    size_t *widths = NULL;
    mst_status status =
        t->failed ? mst_fail(MST_MEMORY, "not enough memory") : column_widths(t, &widths);
    for (size_t i = 0; i < t->count; i++) {
        size_t col = i % t->cols, length = strlen(t->cells[i]);
        if (status == MST_OK) {
            /* No blanks at the end of a line. */
            bool last = col + 1 == t->cols, left = col == 0, blank = last && length == 0;
            int padding = blank ? 0 : (int)(widths[col] - text_width(t->cells[i], length));
            fprintf(out, "%s%*s%s%*s%s", left || blank ? "" : "  ", left ? 0 : padding, "",
                    t->cells[i], left && !last ? padding : 0, "", last ? "\n" : "");
        }
        free(t->cells[i]);
    }
    free(t->cells);
    free(widths);
    *t = (table){.cols = t->cols};
    return status;
}
