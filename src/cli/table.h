/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A table for people: columns are as wide as their widest cell. */
#ifndef MST_CLI_TABLE_H
#define MST_CLI_TABLE_H

#include "options.h"

#include <stdio.h>

typedef struct table {
    size_t cols, count, capacity;
    char **cells; /* (count), row by row */
    bool failed;  /* out of memory */
} table;

/* The next cell of the row; the row ends by itself. */
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number with `digits` significant digits, or a dash if there is none. */
void table_number(table *t, double x, int digits);
/* "0.02", or "<= 0.001" where `floor` says that p cannot come out smaller; p that rounds to 0 is below the
 * least double. */
#define P_VALUE_TEXT 32
const char *p_value_text(double p, bool floor, int digits, char text[P_VALUE_TEXT]);
/* The first column is flush left, the others flush right. Frees the cells. */
MST_MUST_USE mst_status table_print(table *t, FILE *out);

#endif
