/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* mean --holds: are these points in the confidence region? */
#ifndef MST_CLI_MEAN_HOLDS_H
#define MST_CLI_MEAN_HOLDS_H

#include "estimate.h"

extern const option option_holds;

typedef struct asked_points {
    size_t n;
    double *x; /* (n, D) */
} asked_points;

/* Free them also after a failure. */
MST_MUST_USE mst_status asked_points_read(const estimation *e, asked_points *out);
void asked_points_free(asked_points *p);

/* One answer for each point: 1 yes, 0 no, −1 unknown. `why` says why those are unknown that are, or is
 * empty. */
enum { HOLDS_REASON = 256 };
MST_MUST_USE mst_status find_held(const estimation *e, const asked_points *p,
                                  const mst_mean_result *r, size_t n, const double *x,
                                  const mst_mean_options *o, signed char *held,
                                  char why[HOLDS_REASON]);
/* `group` may be null. */
MST_MUST_USE mst_status print_held(const estimation *e, FILE *out, const asked_points *p,
                                   const char *group, const signed char *held, const char *why);
/* The member "holds". */
MST_MUST_USE mst_status json_held(const estimation *e, mst_json *j, const asked_points *p,
                                  const signed char *held, const char *why);

#endif
