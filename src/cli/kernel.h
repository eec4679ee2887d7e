/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Options that change the --manifold of the invocation. --sigma and --nugget: the kernel of manifolds whose
 * rows are landmarks, given or chosen by the data. */
#ifndef MST_CLI_KERNEL_H
#define MST_CLI_KERNEL_H

#include "estimate.h"

extern const option option_sigma, option_nugget;

/* One kernel that was tried. */
typedef struct kernel_trial {
    double sigma, nugget;
    mst_metric_score score;
} kernel_trial;

typedef struct kernel_choice {
    char *spec; /* what takes the place of --manifold, or null */
    double gap; /* between neighbours in the mean shape */
    size_t count, best;
    kernel_trial *trials; /* null: nothing was chosen */
} kernel_choice;

/* Puts --sigma and --nugget into the --manifold of the invocation; with `auto` the file is read for it. */
MST_MUST_USE mst_status kernel_resolve(kernel_choice *c, invocation *inv);
void kernel_free(kernel_choice *c);
void kernel_print(const kernel_choice *c, FILE *out);
void kernel_json(const kernel_choice *c, mst_json *j);

/* Puts product(circle,…,circle), which has the same rows and metric, in the place of torus:m; others stay as
 * they are. */
MST_MUST_USE mst_status torus_as_product(invocation *inv);

#endif
