/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of two-sample tests. */
#ifndef MST_STAT_TWO_SAMPLE_PARTS_H
#define MST_STAT_TWO_SAMPLE_PARTS_H

#include "stat/fit.h"

#include <manistat/two_sample.h>

typedef struct two_samples {
    const mst_score *source;
    const mst_manifold *m;
    const mst_test_options *o;
    size_t n[2], d, D;
    const double *x;      /* both samples, one after the other */
    const double *pooled; /* (D): the mean of all rows */
    bool time_is_free;
    double time; /* the fixed one, else 0 */
    int threads;
    double observed;        /* statistic of the samples as they came */
    unsigned char *exceeds; /* (permutations) */
} two_samples;

/* Of the hypothesis. */
static inline size_t null_means(const two_samples *t)
{
    return t->o->hypothesis == MST_EQUAL_TIMES ? 2 : 1;
}
static inline size_t null_times(const two_samples *t)
{
    return t->o->hypothesis == MST_EQUAL_MEANS ? 2 : 1;
}

/* The fits of one split of the rows. `null` is a state of the common model: its means, then its times;
 * `separate` holds a mean and a time for each sample. */
typedef struct comparison {
    double null_value, separate_value;
    double *null, *separate, *trial;
    bool null_converged, separate_converged;
    mst_fit_end null_end;
    double *memory;
} comparison;

MST_MUST_USE mst_status comparison_new(comparison *c, size_t D);

/* The fits of a split, as a function of its rows and of nothing else but the pooled mean, which no split
 * changes: that makes the permutation test exact. With `thorough` the common fit starts
 * at the separate means as well. */
MST_MUST_USE mst_status two_sample_compare(const two_samples *t, const double *x, bool thorough,
                                           comparison *c);
/* 2 (log L of two fits − of the common one). */
double two_sample_statistic(const comparison *c);

#endif
