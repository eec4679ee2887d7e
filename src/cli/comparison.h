/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Samples that `test` compares, and what it writes of them. */
#ifndef MST_CLI_COMPARISON_H
#define MST_CLI_COMPARISON_H

#include "estimate.h"
#include "labelled.h"

extern const char *const test_methods[], *const test_hypotheses[];

typedef struct comparison {
    estimation e;
    bool frechet;
    mst_test_options options;
    report report;
    labelled_rows rows;
    size_t groups;
    const char **names; /* (groups) */
    size_t *group;      /* (rows) */
    size_t *sizes;      /* (groups) */
    mst_test_result *result;
} comparison;

/* The members of the result, and the page for people. */
MST_MUST_USE mst_status comparison_json(comparison *c, mst_json *j);
MST_MUST_USE mst_status comparison_page(comparison *c, FILE *out);

#endif
