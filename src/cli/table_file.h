/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A table of numbers, whole in memory. */
#ifndef MST_CLI_TABLE_FILE_H
#define MST_CLI_TABLE_FILE_H

#include "options.h"

typedef struct table_file {
    size_t rows, cols;
    double *x; /* (rows, cols) */
} table_file;
/* MST_FORMAT for numbers that are not finite, by row and column. Free it in either case. */
MST_MUST_USE mst_status table_file_read(table_file *t, const char *path);
void table_file_free(table_file *t);

#endif
