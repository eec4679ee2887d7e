/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A regression in JSON and for people. */
#ifndef MST_CLI_REGRESS_OUTPUT_H
#define MST_CLI_REGRESS_OUTPUT_H

#include "regress_data.h"

/* Predicted points, and what is known of them; members may be null. */
typedef struct regress_predictions {
    size_t n;
    mst_prediction at;
} regress_predictions;

MST_MUST_USE mst_status regress_predictions_new(regress_predictions *p, size_t n, size_t d,
                                                size_t D);
void regress_predictions_free(regress_predictions *p);

MST_MUST_USE mst_status regress_json(const estimation *e, mst_json *j, const regress_rows *rows,
                                     const mst_regress_result *r, const regress_predictions *p);
MST_MUST_USE mst_status regress_page(const estimation *e, FILE *out, const regress_rows *rows,
                                     const mst_regress_result *r, const regress_predictions *p);
MST_MUST_USE mst_status regress_json_predictions(const estimation *e, mst_json *j,
                                                 const regress_predictions *p);
MST_MUST_USE mst_status regress_print_predictions(const estimation *e, FILE *out,
                                                  const regress_predictions *p, double confidence);
void regress_json_calibration(mst_json *j, const mst_calibration *c);
void regress_print_calibration(FILE *out, const mst_calibration *c);
/* Warnings of what the numbers do not tell. */
void regress_warn(const estimation *e, const regress_rows *rows, const mst_regress_result *r,
                  const regress_predictions *p);

#endif
