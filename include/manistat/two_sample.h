/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Do two samples have the same mean, or the same time? */
#ifndef MANISTAT_TWO_SAMPLE_H
#define MANISTAT_TWO_SAMPLE_H

#include <manistat/mean.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mst_hypothesis {
    MST_EQUAL_MEANS, /* one μ; each sample keeps its own time */
    MST_EQUAL_TIMES, /* one t; each sample keeps its own mean */
    MST_EQUAL_BOTH,
} mst_hypothesis;

typedef enum mst_test_method {
    MST_TEST_LR,          /* likelihood ratio against χ² */
    MST_TEST_PERMUTATION, /* the same statistic against relabelled samples */
} mst_test_method;

typedef struct mst_test_options {
    size_t size;               /* set by the default: how much of the struct the program knows */
    mst_hypothesis hypothesis; /* default MST_EQUAL_MEANS */
    mst_test_method method;    /* default MST_TEST_LR */
    double time;               /* default 0: fit; else one fixed time for both samples */
    size_t permutations;       /* default 999 */
    uint64_t seed;             /* default 2712 */
    int threads;               /* default 0 */
    mst_progress progress;     /* default none */
} mst_test_options;

MST_API mst_test_options mst_test_options_default(void);

typedef struct mst_test_result {
    double statistic; /* 2 (log L of two fits − of the common one); Fréchet: reduction of Σ d² */
    double degrees_of_freedom; /* of χ²; NAN for a source without a time */
    double p_value;
    mst_mean_result *first, *second; /* the separate fits */
    double *common_mean;             /* (D), or null where the hypothesis has none */
    double common_time;              /* or NAN */
    double log_likelihood_null, log_likelihood_alternative; /* NAN without a time or log_p */
    mst_fit_end end;                                        /* of the common fit */
    bool converged;      /* all fits; a law that becomes uniform counts */
    size_t permutations; /* done; 0 for lr */
    uint64_t seed;
    double seconds;
} mst_test_result;

/* Rows x1 (n1, D) and x2 (n2, D). Without log_p the statistic is the gradient of the log-likelihood
 * integrated along the way from the common fit to the separate ones, which needs none. MST_UNABLE for the
 * likelihood ratio without a time; MST_DOMAIN if the points of a sample are all one and the time is fitted,
 * or if the time is outside the source's range; MST_CONVERGENCE fills the result as well. A time at an edge
 * of the range (see `first`, `second`) makes χ² an approximation. */
MST_API MST_MUST_USE mst_status mst_two_sample_test(mst_test_result **out, const mst_score *source,
                                                    size_t n1, const double *x1, size_t n2,
                                                    const double *x2,
                                                    const mst_test_options *options);
MST_API void mst_test_result_free(mst_test_result *result);

#ifdef __cplusplus
}
#endif
#endif
