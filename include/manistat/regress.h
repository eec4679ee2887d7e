/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Maximum-likelihood regression on manifolds: y_i is where Brownian motion from f(x_i) is at the time
 * σ²(x_i), f(x) = Exp_μ(Σ_j (x_j − o_j) v_j). In flat space this is multivariate linear regression with
 * independent errors of one variance. With the source of mst_score_log_new, which has no time, it is least
 * squares (Fletcher's geodesic regression).
 *
 * Shapes: n rows, k columns of the design matrix, d and D the dimensions of the manifold. */
#ifndef MANISTAT_REGRESS_H
#define MANISTAT_REGRESS_H

#include <manistat/mean.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mst_regress_noise {
    MST_REGRESS_CONSTANT,  /* σ² is one number */
    MST_REGRESS_LOGLINEAR, /* log σ²(x) = log σ² + Σ_j (x_j − o_j) γ_j */
} mst_regress_noise;

typedef struct mst_regress_options {
    size_t size; /* set by the default: how much of the struct the program knows */
    mst_regress_noise
        noise; /* default MST_REGRESS_CONSTANT; sources without a time have no noise to fit */
    /* (k), the covariates of the intercept; default null: their means. With one column another origin is the
     * same curve, with several on a curved space it is another model. */
    const double *origin;
    const size_t
        *groups; /* (k): columns of one number are tested together; default null: each alone */
    const char *const *names; /* (k), of the columns for messages; default null: column 1 … */
    /* default MST_COVARIANCE_OBSERVED; of sources without log p, with clusters, of rows that are not spread
     * alike, and below 25 (k + 1) rows with log-linear noise the sandwich instead */
    mst_covariance_kind covariance;
    /* default null: rows are independent; (n): which cluster each is of, any numbers. The sandwich over
     * clusters takes the place of OBSERVED, the bootstrap draws whole clusters, tests are Wald's; with few
     * clusters permutations of whole ones. */
    const size_t *clusters;
    size_t resamples;      /* default 1000: of the bootstrap and of permutations */
    double confidence;     /* default 0.95 */
    double tolerance;      /* default 1e-10, as of means */
    size_t iterations;     /* default 200: of each climb */
    uint64_t seed;         /* default 2712 */
    int threads;           /* default 0: all cores; the result does not depend on it */
    mst_progress progress; /* default none */
    bool without_tests;    /* default false; true: no refits for tests, whose members are NAN */
} mst_regress_options;

MST_API mst_regress_options mst_regress_options_default(void);

/* How a p value was found. */
typedef enum mst_regress_method {
    MST_REGRESS_NO_TEST,
    MST_REGRESS_LR, /* likelihood ratio; constant noise: by Fisher's law, exact in flat space */
    /* From the covariance, by Hotelling's law; of a sandwich with degrees of freedom for each test. */
    MST_REGRESS_WALD,
    /* Of residuals in the tangent space at the mean, where rows are too few for Wald, or of their means over
     * clusters; or with refits, see MST_REGRESS_SPREAD. */
    MST_REGRESS_PERMUTATION,
} mst_regress_method;

typedef struct mst_regress_test {
    mst_regress_method method;
    /* 2 log of the ratio, or Wald's; of permutations that of Wald with a spread for all coordinates alike,
     * and of those with refits what is maximised: log-likelihood, or minus the sum of squares */
    double statistic;
    size_t degrees; /* of freedom */
    double p_value;
} mst_regress_test;

/* What to know besides the numbers; bits of `notes`. */
typedef enum mst_regress_note {
    /* The curve leaves the part of the space in which geodesics from the intercept are minimal, within the
     * range of the data: other velocities may describe the same points. */
    MST_REGRESS_BEYOND_CUT = 1 << 0,
    MST_REGRESS_FEW_CLUSTERS = 1 << 1,     /* too few for the covariance to be relied on */
    MST_REGRESS_RESIDUALS_AT_CUT = 1 << 2, /* rows lie at the cut locus of their prediction */
    MST_REGRESS_NO_COVARIANCE = 1 << 3,    /* the information cannot be inverted, or is too large */
    /* The points are spread so far over a compact space, or the curve reaches so far round it, that the laws
     * of likelihood ratios and of Wald's statistic do not hold. Tests go by permutations with refits; with
     * clusters there are none. */
    MST_REGRESS_SPREAD = 1 << 4,
    /* The points cannot be told from uniform ones that have nothing to do with the columns: there is no
     * curve, and no errors are given. */
    MST_REGRESS_NO_CURVE = 1 << 5,
    MST_REGRESS_INFLUENTIAL =
        1 << 6, /* the curve depends on the row `influential` as on no other */
    /* More rows are far from the curve than Brownian motion has: outliers, or heavy tails. Errors from the
     * information and likelihood ratios rest on it, the sandwich does not. */
    MST_REGRESS_HEAVY_TAILS = 1 << 7,
    /* Terms have no test: clusters are too few for a law, and for permutations of whole clusters, of which
     * there are only `labellings`, or 0 if the terms vary within clusters. */
    MST_REGRESS_FEW_LABELLINGS = 1 << 8,
    /* Rows are not spread alike where the columns differ, or far from the middle of them (`spread_p_value` is
     * at most 0.01): errors and tests are those of the sandwich, as they are up to 0.1 or 0.5 if the rows
     * that decide are spread more. */
    MST_REGRESS_UNEQUAL_SPREAD = 1 << 9,
    /* With MST_REGRESS_SPREAD, on circles and their products: no search has looked for steeper curves, one of
     * which may fit, however little this one does. */
    MST_REGRESS_STEEPER = 1 << 10,
} mst_regress_note;

typedef struct mst_regress_result {
    size_t n, columns, dim, ambient;
    double *intercept;  /* (D), f at the origin */
    double *velocities; /* (k, D), tangent at the intercept, per unit of the column */
    double *origin;     /* (k) */
    /* σ² at the origin, maximum likelihood; of sources without a time the mean squared residual over d. */
    double noise;
    double noise_unbiased;        /* times n/(n − k − 1) */
    double noise_standard_error;  /* NAN without a time */
    double noise_low, noise_high; /* interval for σ², about the unbiased value */
    double *noise_slopes;         /* (k), γ of log-linear noise; else null */
    double *basis;                /* (d, D), orthonormal at the intercept */
    size_t parameters;            /* q = d (k + 1), 1 with a time, k with log-linear noise */
    /* (q, q) over the intercept, the velocities column by column, both in the basis, log σ², γ. NANs where it
     * is not known. */
    double *covariance;
    double *standard_errors; /* (q), the roots of its diagonal */
    mst_covariance_kind covariance_kind;
    double degrees_of_freedom; /* of the spread behind the covariance as a whole; INFINITY: given */
    double *p_values;          /* (k), of each column */
    mst_regress_test *tests;   /* (groups) */
    size_t groups;             /* different numbers in options.groups, in their order; k without */
    mst_regress_test whole;    /* of all columns */
    mst_regress_test equal_noise;    /* log-linear noise against constant; else NO_TEST */
    double log_likelihood, aic, bic; /* NAN without a likelihood, and with clusters AIC and BIC */
    double
        r_squared; /* 1 − Σ dist²(y, f(x)) / Σ dist²(y, mean); the mean is the fit without columns */
    double *fitted;       /* (n, D) */
    double *fitted_noise; /* (n), σ² of each row */
    double *residuals;    /* (n, D), Log of the observation at the fitted point */
    double *distances;    /* (n), their lengths */
    double
        *leverage; /* (n), the share of a row in its own prediction; sums to k + 1 in flat space */
    mst_fit_end end;
    bool converged;
    size_t iterations;
    double gradient_norm;
    mst_time_limit noise_limit;
    size_t clusters;
    size_t beyond_cut, first_beyond; /* rows of the first note, and the first of them, from 0 */
    unsigned notes;                  /* of mst_regress_note */
    double confidence;
    uint64_t seed;
    double seconds;
    /* The largest of interval_factors; NAN without errors. */
    double interval_factor;
    /* Of the test of uniformity of the responses (mst_uniformity_test) on compact spaces; else NAN. */
    double uniform_statistic, uniform_p_value;
    size_t influential; /* of the last note, from 0 */
    double influence;   /* its distance of Cook */
    double
        kurtosis; /* of the residuals, over that of a normal law; NAN where they were not asked */
    /* (q): standard errors to either side of a number that make its interval of this confidence. They differ
     * where the covariance is learnt from the rows or clusters that move this number. NAN: nothing tells. */
    double *interval_factors;
    struct mst_regress_spread *spread; /* for predictions; or null */
    double labellings;    /* of the least of the tests that clusters are too few for; else NAN */
    double least_p_value; /* that permutations can give */
    /* By Breusch and Pagan's test, of residuals with constant noise and errors from the
     * information; else NAN */
    double spread_p_value;
    /* (k): on circles and their products a column of at least three values that lie on a grid has other
     * speeds along any circle, this many radians per unit of the column more or less, that fit the rows as
     * well; else NAN. */
    double *aliases;
} mst_regress_result;

/* Fit to y (n, D) with the design matrix x (n, k), k ≥ 1 columns without a constant. MST_ARGUMENT, with the
 * names of columns, if one is constant or a combination of others, or for too few rows. MST_CONVERGENCE still
 * fills the result. Release it with mst_regress_result_free. */
MST_API MST_MUST_USE mst_status mst_regress_fit(mst_regress_result **out, const mst_score *source,
                                                size_t n, const double *y, size_t k,
                                                const double *x,
                                                const mst_regress_options *options);
MST_API void mst_regress_result_free(mst_regress_result *r);

/* Predictions for n rows. Arrays may be null: not wanted. */
typedef struct mst_prediction {
    double *points;     /* (n, D) */
    double *noise;      /* (n), σ², unbiased */
    double *covariance; /* (n, d, d), of the predicted point, in the frame of the manifold there */
    /* (n): {Exp(w) : |w| ≤ band} holds the curve at this x, and {dist ≤ region} a new observation, each with
     * the probability `confidence` of the fit. */
    double *band, *region;
    unsigned char
        *beyond; /* (n), 1: farther from the intercept than geodesics are known to be minimal */
} mst_prediction;

/* Predictions of a fit at x (n, k), with the source that it was fitted with. */
MST_API MST_MUST_USE mst_status mst_regress_predict(const mst_regress_result *r,
                                                    const mst_score *source, size_t n,
                                                    const double *x, const mst_prediction *out);

/* The distance within which Brownian motion on m is at time t with this probability: exactly where the law of
 * the distance is known, else as in flat space. */
MST_API MST_MUST_USE mst_status mst_regress_radius(const mst_manifold *m, double t,
                                                   double probability, double *radius);

/* The probability integral transform of the distances between points and their predictions, which is uniform
 * on (0, 1) if the noise is what the model says, with the test of Kolmogorov and Smirnov. */
typedef struct mst_calibration {
    double statistic, p_value;
    double mean; /* ½ if right; above: points are farther out than the model says */
} mst_calibration;
/* Of y (n, D) with predictions (n, D) and σ² (n). `same_rows`: the noise was fitted to them, which the p
 * value allows for. Where the law of the distance is not known it is simulated. pit (n)
 * or null: the transform. */
MST_API MST_MUST_USE mst_status mst_regress_calibrate(mst_calibration *out, const mst_manifold *m,
                                                      size_t n, const double *y,
                                                      const double *fitted, const double *noise,
                                                      bool same_rows, uint64_t seed, double *pit);

#ifdef __cplusplus
}
#endif
#endif
