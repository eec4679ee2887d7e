/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of fit_evaluate: sums over the rows of a group, in fixed blocks that are added up in order, so
 * that the result does not depend on the number of threads. */
#ifndef MST_STAT_FIT_SUMS_H
#define MST_STAT_FIT_SUMS_H

#include "heat/radial_table.h"
#include "stat/fit.h"

enum { FIT_ROWS = 256 }; /* rows that are evaluated at once */

/* The sums of a block: value, Σ w, Σ w(|s|²t + a²), the longest time, then gradient (width), Hessian (side,
 * side), outer products (width, width) and derivatives of the gradient by log t (width) as far as they are
 * wanted. Where a group has one prediction these are local, width = d + 1 and side = d;
 * else they are by the parameters. */
typedef struct fit_layout {
    size_t width, side, gradient, hessian, outer, cross, size;
} fit_layout;
enum { FIT_VALUE, FIT_WEIGHT, FIT_SQUARE, FIT_TIME, FIT_SCALARS };

typedef struct fit_sum_job {
    const fit_model *model;
    const double *state;
    size_t group, block; /* rows of one block */
    const double *y;     /* the prediction of the group, (D) and one time; null: one per row */
    double time;
    fit_layout layout;
    bool value, hessian, outer, cross; /* what is wanted; cross: second derivatives by log t */
    /* what answers in the place of the source; or null. Gives second derivatives by log t as well. */
    radial_tables *tables;
    double *partial; /* (blocks, layout.size) */
} fit_sum_job;

/* What of a source is asked for, of rows. */
typedef struct fit_row_work {
    double *log_p, *dt;          /* (rows) */
    double *score, *c, *hessian; /* (rows, D), (rows, d), (rows, d, d) or null */
    double *memory;
} fit_row_work;
MST_MUST_USE mst_status fit_row_work_new(fit_row_work *s, const fit_sum_job *j, size_t rows);
mst_heat_values fit_wanted(const fit_sum_job *j, const fit_row_work *s);

/* A block of rows with a prediction each, pulled back row by row. */
MST_MUST_USE mst_status fit_sum_rows(void *job, size_t begin, size_t end);

/* The other time of a difference in log t, and what the change of the gradient is to be divided by. */
double fit_time_beside(const mst_score *source, double time, double *divisor);

#endif
