/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Riemannian k-means, and mixtures of Brownian motions by EM. */
#ifndef MANISTAT_CLUSTER_H
#define MANISTAT_CLUSTER_H

#include <manistat/mean.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- k-means: each point to the nearest centre, each centre the mean of its points ---- */
typedef struct mst_kmeans_options {
    size_t size; /* set by the default: how much of the struct the program knows */
    size_t k;    /* required, 1 … n */
    /* default null: Fréchet centres; else diffusion centres by this source, log_p or not */
    const mst_score *kind;
    size_t restarts;       /* default 10: of k-means++ seeding; the least inertia wins */
    size_t iterations;     /* default 300: at most, per restart */
    const double *weights; /* default null: all 1 */
    uint64_t seed;         /* default 2712 */
    int threads;           /* default 0 */
    mst_progress progress; /* default none */
    mst_weight_meaning
        weights_are; /* default MST_WEIGHTS_COUNTS; the inertia has them for a factor */
} mst_kmeans_options;
MST_API mst_kmeans_options mst_kmeans_options_default(void);

typedef struct mst_kmeans_result {
    size_t k, n;
    size_t *labels;  /* (n), from 0; clusters are ordered by decreasing size, ties by first row */
    double *centres; /* (k, D) */
    /* (k), diffusion variances, 0 and INFINITY or the edges of the source's range as
     * limits; NAN with Fréchet centres */
    double *times;
    size_t *sizes; /* (k) */
    /* sum of squared distances to the own centre; of chords, as are the labels, where
     * distances cannot be had */
    double inertia;
    /* of the best restart: MST_FIT_SETTLED, or ROUNDING for an inertia that changes by less than 1e-8 of
     * itself while some labels still move; OUT_OF_STEPS */
    mst_fit_end end;
    bool converged; /* not OUT_OF_STEPS */
    size_t iterations, restarts;
    uint64_t seed;
    double seconds;
} mst_kmeans_result;
/* Fit to x (n, D). MST_CONVERGENCE (the labels still move) fills the result as well; then and on success
 * release it with mst_kmeans_result_free. With fewer different points than k the last clusters are empty. */
MST_API MST_MUST_USE mst_status mst_kmeans_fit(mst_kmeans_result **out, const mst_manifold *m,
                                               size_t n, const double *x,
                                               const mst_kmeans_options *options);
MST_API void mst_kmeans_result_free(mst_kmeans_result *result);
/* Labels of new points by the nearest of k centres; squared distances (n) or null. Where the manifold has no
 * distances, by chords: √(2f) of mst_manifold_toward. */
MST_API MST_MUST_USE mst_status mst_kmeans_assign(const mst_manifold *m, size_t k,
                                                  const double *centres, size_t n, const double *x,
                                                  int threads, size_t *labels, double *squared);

/* ---- Mixture: p(x) = Σ_j π_j p_{t_j}(x, μ_j) ---- */
typedef struct mst_mixture_options {
    size_t size;       /* set by the default: how much of the struct the program knows */
    size_t k;          /* required, 1 … n */
    size_t restarts;   /* default 5: of k-means seeding */
    size_t iterations; /* default 500: EM steps at most */
    double tolerance;  /* default 1e-9: relative change of the log-likelihood */
    /* default 0: automatic; times of components are kept above, so that none collapses on a point */
    double least_time;
    const double *weights; /* default null: all 1 */
    uint64_t seed;         /* default 2712 */
    int threads;           /* default 0 */
    mst_progress progress; /* default none */
    mst_weight_meaning
        weights_are; /* default MST_WEIGHTS_COUNTS; likelihood, AIC, BIC go by them */
} mst_mixture_options;
MST_API mst_mixture_options mst_mixture_options_default(void);

typedef struct mst_mixture_result {
    size_t k, n;
    double *weights;          /* (k), add up to 1, decreasing */
    double *centres;          /* (k, D) */
    double *times;            /* (k) */
    double *responsibilities; /* (n, k) */
    size_t *labels;           /* (n), the most responsible component */
    double log_likelihood, aic, bic;
    size_t parameters;
    mst_fit_end end; /* MST_FIT_SETTLED or OUT_OF_STEPS */
    bool converged;  /* settled */
    bool degenerate; /* a component hit least_time or lost its points */
    size_t iterations;
    uint64_t seed;
    double seconds;
    /* On circles, tori, spheres, so3 and products of these: the log-likelihood of the uniform law, which has
     * no parameters, and so −2 times this is its BIC; else NAN. */
    double uniform_log_likelihood;
    /* The least BIC of up to k heaps that have a spread of their own in every direction, and their number;
     * NAN and 0 in one dimension, where no logarithm is known, and of too few points. Heaps are found by
     * merging the components. */
    double elongated_bic;
    size_t elongated;
    /* That BIC is below `bic` and below those of the merged components as round heaps, by more than 6, which
     * is strong evidence (Kass and Raftery 1995): components are pieces of long heaps, or do not show their
     * shape. */
    bool is_elongated;
} mst_mixture_result;
/* Fit to x (n, D). The source must have log_p and a time, else MST_UNABLE; times stay in its range.
 * MST_CONVERGENCE fills the result as well. */
MST_API MST_MUST_USE mst_status mst_mixture_fit(mst_mixture_result **out, const mst_score *source,
                                                size_t n, const double *x,
                                                const mst_mixture_options *options);
MST_API void mst_mixture_result_free(mst_mixture_result *result);
/* New points x (n, D) in a mixture of k components that is known: the most responsible component of each, and
 * responsibilities (n, k) and the log-likelihood of all, either of which may be null. Weights are 0 or more
 * and need not add up to 1. */
MST_API MST_MUST_USE mst_status mst_mixture_assign(const mst_score *source, size_t k,
                                                   const double *weights, const double *centres,
                                                   const double *times, size_t n, const double *x,
                                                   int threads, size_t *labels,
                                                   double *responsibilities,
                                                   double *log_likelihood);

#ifdef __cplusplus
}
#endif
#endif
