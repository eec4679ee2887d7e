/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that a command has no answer for: they are nan, --status and JSON say why, and at the end one line
 * tells their number. */
#ifndef MST_CLI_ROW_STATUS_H
#define MST_CLI_ROW_STATUS_H

#include "common.h"

typedef struct row_tally {
    uint64_t none, first; /* how many, and the number of the first, from 1 */
    uint64_t with;        /* if it is a pair, that of its second point; else 0 */
    const char *why;      /* of the first */
} row_tally;

/* Row number `row`, from 1, has no answer. */
void row_tally_add(row_tally *t, uint64_t row, const char *why);
/* The same for the pair of two points. */
void row_tally_add_pair(row_tally *t, uint64_t row, uint64_t with, const char *why);
/* Once the result is written: MST_CONVERGENCE with their number among so many `things` ("rows"), if there are
 * any; with --force a warning. A failure that there is already stays what it is. */
MST_MUST_USE mst_status row_tally_conclude(const row_tally *t, const invocation *inv, uint64_t of,
                                           const char *things, mst_status status);

#endif
