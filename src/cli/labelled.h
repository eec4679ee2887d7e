/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points with the labels of --by and --cluster. */
#ifndef MST_CLI_LABELLED_H
#define MST_CLI_LABELLED_H

#include "estimate.h"

extern const option option_by, option_cluster;

typedef struct labelled_rows {
    size_t n;
    double *x;       /* (n, D) */
    mst_labels *by;  /* of --by, or null */
    size_t *cluster; /* (n), numbers of the clusters of --cluster, or null */
    /* With several files: where each begins, (files + 1). */
    size_t files, *first;
} labelled_rows;

/* All operands, one after the other, standard input if there are none. A column of --cluster stands in each
 * file, and the same label in two of them is the same cluster; a file of clusters has a label for every row
 * of all of them. --by goes with one operand. Release it in either case. */
MST_MUST_USE mst_status read_labelled(estimation *e, labelled_rows *rows);
void labelled_free(labelled_rows *rows);

#endif
