/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What every estimator asks of its rows, and a clock. */
#ifndef MST_STAT_ROWS_H
#define MST_STAT_ROWS_H

#include "base/internal.h"

#include <manistat/manifold.h>

/* n ≥ 1 rows x (n, D) of finite numbers, weights (n) or null that are ≥ 0 and not all 0:
 * else MST_ARGUMENT. */
MST_MUST_USE mst_status rows_check(const mst_manifold *m, size_t n, const double *x,
                                   const double *weights);
/* Σ w; n without weights. */
double rows_weight(size_t n, const double *weights);
/* How many have a weight above 0. */
size_t rows_weighing(size_t n, const double *weights);
/* The squared distance that rounding of the coordinates alone may make, a thousand units in the last place of
 * the largest in a row that has a weight: rows that differ by less are one point. Of positive definite
 * matrices, whose entries are known each to its own scale, that of their size: most of
 * their metrics do not see units. */
MST_MUST_USE mst_status rows_rounding(const mst_manifold *m, size_t n, const double *x,
                                      const double *weights, double *square);
/* Were rows written down several times? Rows that are equal in all digits are copies if their numbers have at
 * least eight digits, not those of a grid in whatever unit, or if each different row occurs a
 * multiple of some number of times, which chance would do in less than one set of 256. Then *names (n) is the
 * first row that each is equal to, to be released, and *different how many there are; else null and n. */
MST_MUST_USE mst_status rows_copies(size_t n, size_t D, const double *x, size_t **names,
                                    size_t *different);

#endif
