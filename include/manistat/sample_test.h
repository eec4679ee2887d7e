/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Do several samples have the same mean, or the same time? */
#ifndef MANISTAT_SAMPLE_TEST_H
#define MANISTAT_SAMPLE_TEST_H

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
    MST_TEST_PERMUTATION, /* a statistic against that of relabelled samples */
    /* The likelihood ratio of equal means where its law holds in large samples; else permutations: of sources
     * without a time, of clusters, of times, whose law depends on tails that samples hardly show, and where
     * the law has more degrees of freedom than there are rows, less one per group. */
    MST_TEST_AUTOMATIC,
} mst_test_method;

typedef struct mst_test_options {
    size_t size;               /* set by the default: how much of the struct the program knows */
    mst_hypothesis hypothesis; /* default MST_EQUAL_MEANS */
    mst_test_method method;    /* default MST_TEST_AUTOMATIC */
    double time;               /* default 0: fit; else one fixed time for all samples */
    size_t permutations;   /* default 999: at most; if there are no more than that, all of them */
    uint64_t seed;         /* default 2712 */
    int threads;           /* default 0 */
    mst_progress progress; /* default none */
    /* default null: rows are independent; (n): which cluster each is of, any numbers. If each cluster lies
     * in one group, whole clusters change groups; if each meets several, the test is paired: its rows of one
     * group change places with those of another. Permutations only. */
    const size_t *clusters;
} mst_test_options;

MST_API mst_test_options mst_test_options_default(void);

/* What to know about a p-value; bits of `notes`. */
typedef enum mst_test_note {
    /* The samples are so small that the χ² law rejects more than about 7 % of true hypotheses at 5 %. */
    MST_TEST_NOTE_SMALL = 1 << 0,
    /* no labelling, or no result of so few permutations, could have had a p-value below 0.05 */
    MST_TEST_NOTE_TOO_FEW = 1 << 1,
    /* The points are not spread like Brownian motion, equally in all directions and with its tails, so that
     * the χ² law rejects more than 7 % of true hypotheses at 5 %. */
    MST_TEST_NOTE_MODEL = 1 << 2,
    /* Rows of a sample were written down several times (MST_NOTE_COPIES of mean.h). Copies of a row in one
     * sample are a cluster, `clusters` is the number of different rows, and MST_TEST_AUTOMATIC permutes. The
     * likelihood ratio, where it was asked for, takes copies for independent: its p-value is too small. */
    MST_TEST_NOTE_COPIES = 1 << 3,
} mst_test_note;

typedef struct mst_test_result {
    /* 2 (log L of separate fits − of the common one). Permutations of equal times: Σ_g (log t_g − l)²/s_g²
     * with standard errors s_g from the rows of each group and the l that makes it least. Sources without a
     * time: Σ_g |μ_g − μ|²/s_g², the sum over groups of the squared distance of their mean from the common
     * one in units of its squared standard error, as the reduction of Σ d² with rows in units of their
     * group's spread; in paired tests, and where a group is a single row or cluster, the reduction of Σ d²
     * itself. */
    double statistic;
    double degrees_of_freedom; /* of χ²; NAN for a source without a time */
    double p_value;
    double least_p_value; /* that any labelling could have had; NAN for lr */
    size_t groups;
    mst_mean_result **fits; /* (groups): each by itself */
    double *common_mean;    /* (D), or null where the hypothesis has none */
    double common_time;     /* or NAN */
    double log_likelihood_null, log_likelihood_alternative; /* NAN without a time or log_p */
    mst_fit_end end;                                        /* of the common fit */
    bool converged;      /* all fits; a law that becomes uniform counts */
    size_t permutations; /* done; 0 for lr */
    bool exhaustive;     /* those were all there are, besides the samples as they came */
    size_t clusters;     /* 0: none were given */
    bool paired;
    unsigned notes; /* of mst_test_note */
    uint64_t seed;
    double seconds;
    mst_test_method method; /* the one that was used, never MST_TEST_AUTOMATIC */
    bool
        p_value_is_floor; /* no permutation reached the statistic: more of them may have a smaller p */
} mst_test_result;

/* Rows x (n, D), of which row i is of group[i] < groups; two groups at least, none of them empty. Without
 * log_p the statistic is the gradient of the log-likelihood integrated along the way from the common fit to
 * the separate ones, which needs none. Failures: MST_UNABLE for MST_TEST_LR without a time, with clusters,
 * or, where times are fitted, with more degrees of freedom than rows less groups. MST_DOMAIN if the points of
 * a sample all coincide and the time is fitted, or if the time is outside the source's range. MST_ARGUMENT if
 * some clusters lie in one group and others in several. MST_CONVERGENCE fills the result as well. A time at
 * an edge of the range (see `fits`) makes χ² an approximation. */
MST_API MST_MUST_USE mst_status mst_sample_test(mst_test_result **out, const mst_score *source,
                                                size_t n, const double *x, size_t groups,
                                                const size_t *group,
                                                const mst_test_options *options);
MST_API void mst_test_result_free(mst_test_result *result);

#ifdef __cplusplus
}
#endif
#endif
