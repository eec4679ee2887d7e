/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rows of a regression: points, covariates and clusters, each from its file. */
#ifndef MST_CLI_REGRESS_DATA_H
#define MST_CLI_REGRESS_DATA_H

#include "estimate.h"

extern const option option_y, option_x, option_columns, option_terms, option_drop_missing,
    option_regress_cluster, option_origin, option_predict;

typedef struct regress_rows {
    size_t n, k, dropped;
    double *y;       /* (n, D) */
    double *x;       /* (n, k) */
    size_t *cluster; /* (n) or null */
    mst_terms *terms;
    const char **names; /* (k), of the terms */
    size_t *groups;     /* (k): the term of a column */
    size_t *kept;       /* (n): their numbers in the files, from 0 */
} regress_rows;

/* Release it in either case. */
MST_MUST_USE mst_status regress_read(estimation *e, regress_rows *rows);
void regress_rows_free(regress_rows *rows);
/* The origin of --origin, (k), or null for the means; free(). */
MST_MUST_USE mst_status regress_read_origin(const invocation *inv, size_t k, double **origin);
/* The rows of --predict, x (n, k); *n = 0 without it. */
MST_MUST_USE mst_status regress_read_predict(const invocation *inv, const mst_terms *terms,
                                             size_t *n, double **x);

#endif
