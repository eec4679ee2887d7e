/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A regression on one column as a curve over it, for pictures. */
#ifndef MST_CLI_REGRESS_LINE_H
#define MST_CLI_REGRESS_LINE_H

#include "regress_output.h"

typedef struct regress_line {
    regress_predictions at; /* none if there are several columns */
    double *x;              /* (at.n), from the least to the largest of the rows */
} regress_line;

MST_MUST_USE mst_status regress_line_make(regress_line *line, const estimation *e,
                                          const regress_rows *rows, const mst_regress_result *r);
/* The member "line", if there is one. */
MST_MUST_USE mst_status regress_line_json(const estimation *e, mst_json *j,
                                          const regress_rows *rows, const regress_line *line);
void regress_line_free(regress_line *line);

#endif
