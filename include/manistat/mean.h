/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Diffusion means and Fréchet means with error bars. The diffusion mean and variance of x₁ … x_N with weights
 * w are the (μ, t) that maximise Σ wᵢ log p_t(xᵢ, μ); the Fréchet mean is the same with the source of
 * mst_score_log_new, which has no time. Convergence is certified by the gradient; a mean that is not unique
 * is reported as the set that was found. */
#ifndef MANISTAT_MEAN_H
#define MANISTAT_MEAN_H

#include <manistat/score.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mst_mean_method {
    MST_MEAN_NEWTON,   /* Newton in a trust region; quasi-Newton where the source has no Hessian */
    MST_MEAN_GRADIENT, /* plain gradient ascent, as published */
    MST_MEAN_ADAM,     /* Adam on the tangent spaces */
} mst_mean_method;

typedef enum mst_covariance_kind {
    MST_COVARIANCE_OBSERVED,  /* inverse of the observed information, jointly in (μ, t) */
    MST_COVARIANCE_SANDWICH,  /* robust against a wrong model */
    MST_COVARIANCE_BOOTSTRAP, /* of refitted resamples */
} mst_covariance_kind;

/* What a weight says. Means, times and verdicts are the same either way, and do not change when all weights
 * are multiplied by one number. */
typedef enum mst_weight_meaning {
    MST_WEIGHTS_COUNTS, /* a weight of 3 is the row three times: errors, log-likelihood, AIC scale with it */
    MST_WEIGHTS_RELATIVE, /* only ratios count: errors are those of (Σw)²/Σw² rows of equal weight */
} mst_weight_meaning;

typedef enum mst_time_limit {
    MST_TIME_FINITE,
    MST_TIME_ZERO,     /* all the points are one: the likelihood grows without bound as t → 0 */
    MST_TIME_INFINITY, /* the likelihood grows towards the uniform law */
    /* The source knows a range of times only (mst_score_time_range), and the likelihood still grows beyond
     * its edge, where the fit has stopped: time is the edge, and the mean is the best one
     * there. Such a fit converges. */
    MST_TIME_LEAST,
    MST_TIME_LARGEST,
    /* The source, as the expansion for small times, is by its own validity numbers wrong by as much as the
     * scores themselves for half of the rows where the likelihood is greatest, and less so at shorter times:
     * there is no time, and mean and likelihood mean nothing. */
    MST_TIME_LONG,
} mst_time_limit;

/* Why a fit stopped. */
typedef enum mst_fit_end {
    MST_FIT_SETTLED, /* the gradient is below the tolerance, at a maximum */
    /* no step gets further, for rounding or noise of the source; at a maximum all the same */
    MST_FIT_ROUNDING,
    MST_FIT_EDGE,         /* a maximum with a time at the edge of the source's range */
    MST_FIT_SADDLE,       /* gradient ascent or Adam came to rest where no maximum is */
    MST_FIT_UNIFORM,      /* the likelihood grows towards the uniform law */
    MST_FIT_COLLAPSED,    /* all the points are one */
    MST_FIT_STALLED,      /* no step gets further, though the gradient is above the tolerance */
    MST_FIT_OUT_OF_STEPS, /* the iterations ran out */
} mst_fit_end;            /* the first three have converged */

/* Why `unique` says what it says. */
typedef enum mst_uniqueness {
    MST_UNIQUENESS_PROVEN,   /* by a theorem, or because all optima were listed */
    MST_UNIQUENESS_SEARCHED, /* by a search whose rate of misses is measured (docs/means.md) */
    /* Another optimum is so nearly as good that other data of the same law might prefer it, or the search is
     * none that was measured. */
    MST_UNIQUENESS_NOT_ESTABLISHED,
} mst_uniqueness;

/* What to know about a mean besides its numbers; bits of `notes`. */
typedef enum mst_mean_note {
    MST_NOTE_MAYBE_UNIFORM = 1 << 0, /* the data cannot be told from the uniform law */
    MST_NOTE_TIME_BIASED = 1 << 1, /* the mean was fitted to noise in part: trust time_corrected */
    MST_NOTE_HARDLY_DETERMINED = 1 << 2, /* the error of the mean is of the size of the space */
    MST_NOTE_SMEARY =
        1 << 3, /* so many points lie near the cut locus that errors need more than 1/√n */
    MST_NOTE_UNEQUAL_TIMES = 1 << 4,      /* the factors of the product have different times */
    MST_NOTE_WEIGHTS_SUM_TO_ONE = 1 << 5, /* weights that look relative were taken as counts */
    MST_NOTE_FEW_CLUSTERS = 1 << 6,       /* too few of them for a covariance to be relied on */
    /* Rows lie beyond the injectivity radius of a manifold whose cut locus is not known, and the errors do
     * not allow for what they do there; the bootstrap does. */
    MST_NOTE_CUT_LOCUS = 1 << 7,
    /* The points are not spread like Brownian motion of that time, and errors that are those of the model
     * (MST_COVARIANCE_OBSERVED) are too short; the sandwich does not rely on it. */
    MST_NOTE_MODEL = 1 << 8,
    /* Some coordinates of the points cannot be told from the uniform law, though others
     * can: uniform_first. */
    MST_NOTE_UNIFORM_PART = 1 << 9,
    /* Rows were written down several times: they are equal in at least eight digits, or each different row
     * occurs a multiple of some number of times, which chance would not do. Equal rows are a cluster, and
     * `clusters` is `different_rows`. */
    MST_NOTE_COPIES = 1 << 10,
    /* More than 0.3 of the standard errors is noise of the bridges (bridge_share): more paths make them
     * shorter. */
    MST_NOTE_SIMULATION = 1 << 11,
    /* Relative weights are so unequal that few rows count, and errors cannot be relied on. */
    MST_NOTE_FEW_WEIGHTS = 1 << 12,
    /* Rows lie farther out than any Brownian motion takes them: they carry the time, and its interval, which
     * is not that of the model, does not know how many more of them there may be. */
    MST_NOTE_FAR_ROWS = 1 << 13,
} mst_mean_note;

/* Why there is no covariance. */
typedef enum mst_no_errors {
    MST_ERRORS_GIVEN,
    MST_ERRORS_NOT_CONVERGED,
    MST_ERRORS_NOT_UNIQUE,
    MST_ERRORS_TOO_FEW_ROWS, /* points or clusters that weigh: one has no spread */
    MST_ERRORS_SINGULAR,     /* the information is not positive definite */
    MST_ERRORS_TOO_DEAR, /* a Hessian by differences in so many dimensions; the bootstrap does without */
    MST_ERRORS_RESAMPLES, /* too many resamples had no estimate */
    MST_ERRORS_UNIFORM,   /* the data cannot be told from the uniform law, which has no mean */
} mst_no_errors;

/* What the confidence region for the mean is. */
typedef enum mst_region_kind {
    MST_REGION_NONE,
    MST_REGION_ELLIPSOID, /* {Exp_μ(v) : vᵀ C⁻¹ v ≤ region_radius2} */
    /* {y : n ḡᵀ C̄⁻¹ ḡ ≤ region_radius2}, ḡ and C̄ mean and spread of the rows' scores at y: holds for any
     * time, however badly the mean is determined. mst_mean_region_holds tells. */
    MST_REGION_SCORE,
    MST_REGION_WHOLE, /* the same, and it is all of the manifold */
} mst_region_kind;

/* Why there is none though there are errors. */
typedef enum mst_no_region {
    MST_REGION_GIVEN,
    MST_REGION_FEW_ROWS, /* no more observations, Σw with counts, than dimensions */
    MST_REGION_FEW_CLUSTERS,
    MST_REGION_FEW_WEIGHTS, /* relative weights so unequal that few rows count */
    MST_REGION_FEW_COUNTS,  /* counts that sum to one observation or less */
    MST_REGION_OF_FACTOR,   /* one of the factors, each with its time, has none */
    /* the mean of one factor, each with its time, is so uncertain that its region is one of scores */
    MST_REGION_FACTOR_WIDE,
    MST_REGION_NOT_ASKED, /* so many dimensions that the covariance is formed for those who ask */
    /* the data do not tell the mean from others (`set`), and it would leave them out */
    MST_REGION_OTHER_MEANS,
} mst_no_region;

/* Why a score region has no semi-axes. */
typedef enum mst_no_axes {
    MST_AXES_GIVEN,
    MST_AXES_ROUND,  /* it reaches round the manifold, to the cut locus of the mean */
    MST_AXES_PIECES, /* it is not one piece about the mean */
} mst_no_axes;

typedef struct mst_mean_options {
    size_t size;            /* set by the default: how much of the struct the program knows */
    mst_mean_method method; /* default MST_MEAN_NEWTON */
    /* default 0: fit it; else the fixed time. Not used by sources without a time. Outside the range of the
     * source: MST_DOMAIN. A source with one time only has that one fixed. */
    double time;
    const double *weights; /* default null: all 1; (n), ≥ 0, not all 0 */
    const double *start;   /* default null: the projected mean of coordinates; else one point (D) */
    /* default 4, 1 … 1000. 1: a climb from the start, and nobody looks for other optima. More: the search for
     * the global optimum (docs/means.md); where there is none for the source or the method, and of numbers
     * above the default, this many different starts. */
    size_t starts;
    /* default 1e-10: of the gradient of the mean log-likelihood in (μ, log t), with μ in units of √t
     * (Fréchet means: of the spread). For a source with a precision it is at least 4 times that precision in
     * units of the rows' own gradients, about √d: less is rounding. */
    double tolerance;
    size_t iterations;              /* default 100 (gradient, adam: 10000): at most, per start */
    double rate;                    /* default 0.1: step of gradient and adam */
    mst_covariance_kind covariance; /* default MST_COVARIANCE_OBSERVED */
    size_t resamples;               /* default 1000: of the bootstrap */
    double confidence;              /* default 0.95: of region and interval */
    uint64_t seed;                  /* default 2712: of starts and bootstrap */
    int threads;                    /* default 0: all cores; the result does not depend on it */
    mst_progress progress;          /* default none */
    mst_weight_meaning weights_are; /* default MST_WEIGHTS_COUNTS */
    /* default null: rows are independent; (n): which cluster each is of, any numbers. Rows of one cluster may
     * depend on each other: the sandwich, over clusters, takes the place of OBSERVED, and the bootstrap draws
     * whole clusters. Without weights and clusters, rows that were written down several times are clusters.
     */
    const size_t *clusters;
    /* default false; true: each factor of a product has a time of its own. MST_UNABLE for sources that know
     * the product as a whole only. */
    bool time_per_factor;
    /* default false; true: the mean moves by mst_manifold_retract, a step in a chart or a projection, instead
     * of along geodesics. It ends in the same place, to the tolerance. Sources without log_p, which compare
     * points by what they integrate along geodesics, do not take it. */
    bool retract;
    /* default false; true: steps of MST_MEAN_GRADIENT have the length `rate` whatever that of the gradient,
     * as published for Fréchet means. Such a walk comes as near as its step, and no nearer. */
    bool normalise;
    /* default 0: as the scatter of the points tells; else the time that climbs begin with */
    double start_time;
} mst_mean_options;

MST_API mst_mean_options mst_mean_options_default(void);

/* One member of the set of means. */
typedef struct mst_mean_point {
    double *mean;          /* (D) */
    double time;           /* NAN without one */
    double log_likelihood; /* NAN if the source has none */
} mst_mean_point;

typedef struct mst_mean_result {
    double *mean;              /* (D) */
    double time;               /* fitted or given; NAN if it ran away or the source has none */
    mst_time_limit time_limit; /* where it ran to, or the edge it stopped at */
    double log_likelihood;     /* Σ wᵢ log p; NAN if the source has none. Fréchet: NAN */
    double variance;           /* Σ w d²/Σ w about the mean; NAN if the manifold has no log */
    mst_fit_end end;           /* of the best start */
    bool converged;            /* it ended at a maximum */
    size_t iterations;         /* of the best start */
    /* of the mean log-likelihood in (μ, log t); in μ if t stopped at an edge */
    double gradient_norm;
    double decrement; /* Newton decrement of the mean log-likelihood: ½ gᵀH⁻¹g there */
    /* Sources without log_p: maxima are compared by the gradient integrated along the way from one to the
     * other, and differences below 1 % of the ups and downs on it count as ties. */
    bool unique; /* of those that are NOT_ESTABLISHED: false */
    mst_uniqueness uniqueness;
    /* Members of the set found, at least 1: optima of the same value if it is not unique; if that is not
     * established, optima that the data do not tell from the best, and on spheres its opposite. */
    size_t set_size;
    mst_mean_point *set; /* best first */
    double *basis;       /* (d, D), orthonormal tangent basis at the mean */
    /* (d, d) of the mean in that basis; NANs where it is not defined. Both null where the options ask for no
     * `covariance` of matrices of order 8 and more: then there is the standard error alone. */
    double *covariance;
    /* the kind it is of: what was asked for, but for sources without a time, and with clusters, the sandwich
     * instead of OBSERVED; and the bootstrap instead of that where rows of a Fréchet mean lie beyond the
     * injectivity radius and nobody knows the cut locus */
    mst_covariance_kind covariance_kind;
    double standard_error;      /* root of its trace */
    double time_standard_error; /* NAN for a fixed time and at an edge */
    double time_low, time_high; /* the interval for t; the upper end may be INFINITY */
    double region_radius2; /* {v : vᵀ C⁻¹ v ≤ region_radius2} is the region, see region_kind */
    double region_volume; /* in the tangent space */
    size_t parameters;
    double aic, bic; /* NAN without a likelihood; the number of observations is Σ w */
    size_t n;
    uint64_t seed; /* of starts and bootstrap */
    double seconds;
    unsigned notes;          /* of mst_mean_note */
    mst_no_errors no_errors; /* why covariance and errors are NAN */
    double
        effective_n; /* the number of independent rows that the errors are those of; of one cluster NAN */
    size_t clusters; /* 0: none were given, and rows are not copies of each other */
    /* The maximum of the likelihood integrated over all μ; INFINITY if the uniform law is as good; NAN where
     * it is not known. [time_low, time_high] is the interval of that likelihood where there is one. */
    double time_corrected;
    /* Test of the uniform law on compact spaces, else NAN. */
    double uniform_statistic, uniform_p_value;
    mst_region_kind region_kind;
    double
        region_share; /* of the manifold's volume, of a score region on a compact manifold, by some hundred
                       * points at random: 0 is too little for that; else NAN */
    /* On products, where the source is a sum over the factors and times are fitted: the time that each factor
     * has by itself, INFINITY or 0 if it runs away; else null. With time_per_factor they are what was fitted,
     * `time` is NAN, and there are standard errors and intervals. */
    size_t times_count;
    double *times, *times_standard_error, *times_low, *times_high;
    /* Likelihood ratio of a time per factor against one time, χ² of times_count − 1 degrees of freedom; NAN
     * for clusters of rows. */
    double equal_times_statistic, equal_times_p_value;
    /* Of the covariance where it is learnt from clusters: G − 1 if they are of one size, else fewer; region
     * and interval allow for it. likewise of unequal relative
     * weights. Else INFINITY. */
    double degrees_of_freedom;
    double region_time;      /* at which a score region takes its scores; NAN for other regions */
    mst_no_region no_region; /* why region_kind is none though there is a standard error */
    /* Where MST_NOTE_MAYBE_UNIFORM is set, the test against second moments of uniformity.h: if it rejects,
     * the points are not uniform, but those about opposite points are alike. Else NAN. */
    double axial_p_value;
    /* Where MST_NOTE_UNIFORM_PART is set: of the factor of a product, or the angle of a torus, that looks
     * most uniform, the first coordinate, their number, and the p-value of its test. Else 0, 0 and NAN. */
    size_t uniform_first, uniform_count;
    double uniform_part_p_value;
    size_t different_rows; /* with MST_NOTE_COPIES; else n */
    /* (n): distances of the rows from the mean, NAN where no geodesic was found, on manifolds that search for
     * their geodesics in a way of their own (landmarks), and validity numbers as mst_score_validity has them;
     * else null. */
    double *distances, *validity;
    mst_no_axes no_axes; /* of an MST_REGION_SCORE */
    /* (d, d), of an MST_REGION_SCORE with axes, else null: E in `basis`, with which {Exp_μ(v) : vᵀE⁻¹v ≤
     * 1} is the smallest such ellipsoid about μ, a little enlarged, that holds the region */
    double *region_ellipsoid;
    /* Of an MST_REGION_SCORE: the edge, as mst_mean_region_boundary returns it; 0 parts: not known. */
    size_t boundary_parts, *boundary_end;
    double *boundary;
    /* Of a source of bridges: the paths of a pair, chosen by the noise or given, and what share of the
     * standard errors their noise makes, root of the mean square over all parameters; that noise is in the
     * errors. Else, and for resamples, 0 and NAN. */
    size_t bridge_paths;
    double bridge_share;
    bool uniform_p_value_is_floor; /* no simulated sample reached the statistic */
    size_t
        no_region_factor; /* with MST_REGION_OF_FACTOR and MST_REGION_FACTOR_WIDE: the first such */
} mst_mean_result;

/* Fit to x (n, D), n ≥ 1. MST_CONVERGENCE still fills the result with the best found; then and on success
 * release it with mst_mean_result_free. */
MST_API MST_MUST_USE mst_status mst_mean_fit(mst_mean_result **out, const mst_score *source,
                                             size_t n, const double *x,
                                             const mst_mean_options *options);
MST_API void mst_mean_result_free(mst_mean_result *result);

/* Semi-axes of the region, decreasing: axes (d) of a manifold that is no product, with `factor` 0; of a
 * product those of the region's shadow in the tangent space of one factor, axes (dimension of the factor).
 * Those of an MST_REGION_SCORE are of an ellipsoid that holds it (`region_ellipsoid`). MST_UNABLE if there
 * are none. */
MST_API MST_MUST_USE mst_status mst_mean_region_axes(const mst_mean_result *r,
                                                     const mst_manifold *m, size_t factor,
                                                     double *axes);

/* The directions of these axes, directions (as many as axes, D): unit tangent vectors at the mean. */
MST_API MST_MUST_USE mst_status mst_mean_region_directions(const mst_mean_result *r,
                                                           const mst_manifold *m, size_t factor,
                                                           double *directions);

/* The edge of a region: part k is points end[k − 1] … end[k] − 1 of points (end[parts − 1], D), end[−1]
 * being 0. d = 1: the two ends of an interval. d = 2: a closed curve, whose last point is its first; a
 * region may have several pieces and holes, and then it has several curves. d ≥ 3: points where the
 * semi-axes' directions, either way, and others leave the region for the last time. */
typedef struct mst_region_boundary {
    size_t parts, *end;
    double *points;
} mst_region_boundary;
/* MST_UNABLE with the reason if there is no region, it is everything, or its edge is not known. Release it
 * with mst_region_boundary_free. */
MST_API MST_MUST_USE mst_status mst_mean_region_boundary(mst_region_boundary **out,
                                                         const mst_mean_result *r,
                                                         const mst_manifold *m);
MST_API void mst_region_boundary_free(mst_region_boundary *boundary);

/* Is y (D) in the confidence region of a result, whatever its kind? With what mst_mean_fit was given.
 * MST_UNABLE if the result has no region. */
MST_API MST_MUST_USE mst_status mst_mean_region_holds(bool *holds, const mst_mean_result *r,
                                                      const mst_score *source, size_t n,
                                                      const double *x,
                                                      const mst_mean_options *options,
                                                      const double *y);

/* What was found by mst_mean_examine, bits of `notes`. */
typedef enum mst_mean_examined {
    MST_EXAMINED_FLAT = 1 << 0, /* the metric is flat in practice: this is the arithmetic mean */
    MST_EXAMINED_GEODESICS = 1 << 1,    /* no geodesics to some rows, which are the far ones */
    MST_EXAMINED_CURVED = 1 << 2,       /* the expansion is carried far: the time may be off */
    MST_EXAMINED_NOT_BROWNIAN = 1 << 3, /* squared distances scatter more than the model says */
    MST_EXAMINED_LOST = 1 << 4,         /* simulated paths came where the metric is singular */
    MST_EXAMINED_SIMULATION = 1 << 5,   /* data simulated from the fit do not lead back to it */
    MST_EXAMINED_BRIDGES = 1 << 6,      /* bridges to some rows disagree with the expansion */
    MST_EXAMINED_EVEN = 1 << 7,         /* squared distances scatter less than the model says */
} mst_mean_examined;

typedef struct mst_mean_examination {
    size_t n, failed; /* rows, and those without a geodesic from the mean */
    double curvature; /* 12 t <a₁>/d: what the last term of the expansion is to the first */
    double coupling;  /* the strongest tie between parts of the mean; 0: it is flat space */
    double spread; /* of squared distances, against what the model says: √(2/d) of their mean */
    /* Paths from the mean for the time of the fit, those that were lost, and those without a geodesic; the
     * time fitted to their ends against the true one, with its standard error; and n|mean Log|²/t, which is
     * χ² of d degrees of freedom. */
    size_t simulated, lost, simulated_failed;
    double simulated_time, simulated_error, simulated_square;
    /* Rows that bridges went to, near, median and far ones; how far log p of the expansion is above theirs,
     * the largest in size, and by what share the time of the fit is too large, with its standard error; the
     * least effective size of the bridges, as a share of them. NAN without any, and where
     * some lost their way. */
    size_t bridged;
    double bridge_log_p, bridge_time, bridge_error, bridge_ess;
    unsigned notes;   /* of mst_mean_examined */
    unsigned refused; /* those of them for which the fit should not be used */
} mst_mean_examination;

/* Examines a diffusion mean of x (n, D) by the expansion; `paths` are simulated, 0: none, and no bridges
 * either. MST_UNABLE on manifolds where the expansion is checked in other ways. */
MST_API MST_MUST_USE mst_status mst_mean_examine(mst_mean_examination *out, const mst_score *source,
                                                 size_t n, const double *x,
                                                 const mst_mean_result *r, size_t paths,
                                                 uint64_t seed, int threads);

/* One metric among several for the same rows, numbers in R^D. */
typedef struct mst_metric_score {
    /* of the fit, with respect to Lebesgue measure, per number of the data: what metrics are compared by; NAN
     * if there is none */
    double log_likelihood;
    double time, curvature; /* as in mst_mean_examination */
    size_t failed;          /* rows without a geodesic */
} mst_metric_score;
/* Fits diffusion means by the expansion to at most 60 of the rows x (n, D) on each of `count` manifolds whose
 * rows are coordinates, D = d for all. */
MST_API MST_MUST_USE mst_status mst_mean_compare_metrics(size_t count, const mst_manifold *const *m,
                                                         size_t n, const double *x, int threads,
                                                         mst_progress progress,
                                                         mst_metric_score *out);

typedef enum mst_mean_kind { MST_MEAN_DIFFUSION, MST_MEAN_FRECHET } mst_mean_kind;
/* The kind of mean to take where nobody says which: the diffusion mean if the likelihood is known, else the
 * Fréchet mean. `source` is null for the exact kernel of m. A small-time limit is not a likelihood, nor is a
 * network that knows one small time only, unless the data are of that time. */
MST_API mst_mean_kind mst_mean_default_kind(const mst_manifold *m, const mst_score *source);

/* The errors to take where nobody says which: the sandwich where data are known to be unlike the model as a
 * rule, as landmarks are, else those of the observed information. */
MST_API mst_covariance_kind mst_mean_default_covariance(const mst_manifold *m);

#ifdef __cplusplus
}
#endif
#endif
