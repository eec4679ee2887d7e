/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the regression share: the curve as a model of the optimiser, and the steps of a fit. */
#ifndef MST_STAT_REGRESS_PARTS_H
#define MST_STAT_REGRESS_PARTS_H

#include "stat/fit.h"
#include "stat/pieces.h"

#include <manistat/regress.h>

/* The covariates, each about its origin and in units of its size, so that steps of velocities are of the size
 * of steps of points. */
typedef struct regress_design {
    size_t n, columns;
    const double *z; /* (n, columns) */
} regress_design;

/* State: μ (D), velocities (curve, D), t, slopes of log t (slopes). Parameters: frame coordinates at μ of
 * the point and of the velocities, log t and the slopes, if times are free. */
typedef struct regress_model {
    fit_model model;
    const regress_design *design;
    size_t curve, slopes; /* columns that the curve and the noise depend on */
    const size_t
        *curve_columns; /* (curve), null: all of them in order; those of the noise are all */
} regress_model;

regress_model regress_model_of(const mst_score *source, const fit_rows *rows,
                               const regress_design *design, size_t curve,
                               const size_t *curve_columns, bool time_is_free, bool loglinear,
                               int threads);
/* The derivative of the prediction of n rows from `first` on by point and velocities: point (n, d, d), row a
 * of a matrix that of coordinate a at y, by the frame at μ; speed (n, d, d) by Σ z_j v_j. */
MST_MUST_USE mst_status regress_derivative(const regress_model *m, const double *state,
                                           size_t first, size_t n, const double *y, double *point,
                                           double *speed);
/* The step between two states, to first order. */
MST_MUST_USE mst_status regress_difference(const regress_model *m, const double *from,
                                           const double *to, double *step);

/* Least squares where the source of distances has no Hessian: the same source with −1 for one, which makes
 * Newton's method that of Gauss. Null if it is of no use; `source` is borrowed. */
MST_MUST_USE mst_status regress_gauss_source(mst_score **out, const mst_score *source);

/* One regression. */
typedef struct regress_job {
    const mst_score *source; /* the caller's */
    const mst_score *climbs; /* what the optimiser asks */
    const mst_score *memory; /* the same for one climb at a time, or null */
    const mst_manifold *m;
    const mst_regress_options *o;
    size_t n, k, d, D;
    double rounding; /* of the rows, as a squared distance */
    const double *y;
    const double *x;        /* (n, k), as given */
    double *z;              /* (n, k) about `origin` in units of `scale` */
    double *origin, *scale; /* (k) */
    regress_design design;
    fit_rows rows;
    bool timed;     /* the source has a time */
    bool free_time; /* which is fitted */
    bool gauss;     /* climbs is that of regress_gauss_source */
    double *mean;   /* state of the fit without columns, constant noise */
    double mean_value;
    stat_pieces pieces;
    /* regress_add_doubts: the laws of the tests do not hold; or the noise of the rows is not known well
     * enough for the information */
    bool doubtful, unlike;
} regress_job;

/* A model of these columns of the job, null for all. */
regress_model regress_job_model(const regress_job *j, size_t curve, const size_t *columns,
                                bool loglinear);
/* A first state: the mean of the rows, or another place, and linear regression in its tangent space; or
 * `candidate`, if it is not null and better. */
MST_MUST_USE mst_status regress_start(const regress_job *j, const regress_model *m,
                                      const double *candidate, double *state);
/* Climb from there, by a model that has the same state: `m` itself, or where it has no columns a mean. */
MST_MUST_USE mst_status regress_climb(const regress_job *j, const regress_model *m,
                                      const fit_model *climbs, double *state, fit_outcome *out);
/* Design matrix about an origin, in units of the columns' size. */
void regress_centre(regress_job *j, const double *origin);
/* Columns that are constant or combinations of others: MST_ARGUMENT. */
MST_MUST_USE mst_status regress_check_columns(const regress_job *j);

/* Solves the least-squares problem [1 z] b = u for weights (n) or null: b (1 + columns, width), the
 * constants first. Ridge of rounding only. */
MST_MUST_USE mst_status regress_least_squares(size_t n, size_t columns, const double *z,
                                              const double *weights, size_t width, const double *u,
                                              double *b);

/* Squared radius of the region for p numbers whose covariance is known by so many degrees of freedom, those
 * of the result for example; NAN: no such region. And the p value of the squared length w. */
double regress_radius2(const mst_regress_result *r, size_t p, double degrees);
double regress_tail(const mst_regress_result *r, size_t p, double degrees, double w);

/* The same for balls, whose squared radius and length are those of the numbers themselves, of covariance c
 * (p, p): where few degrees of freedom do not tell a matrix, they tell its trace. */
double regress_ball2(const mst_regress_result *r, size_t p, double degrees, const double *c);
double regress_ball_tail(size_t p, double degrees, const double *c, double square);

/* What the spread of the gradients of rows or clusters is worth, see regress_spread.c; `of` (n) is the number
 * of a row's cluster, null for independent rows, and noise (n) the σ² of each. */
typedef struct mst_regress_spread mst_regress_spread;
MST_MUST_USE mst_status regress_spread_new(mst_regress_spread **out, const regress_job *j,
                                           size_t units, const size_t *of, const double *noise);
void regress_spread_free(mst_regress_spread *w);
/* The gradient u (k + 1, d) of a cluster by the point and the velocities as it would be if the curve were not
 * fitted to the same rows; room (k + 1, d). Returns what that adds to the square of its residuals. */
double regress_spread_adjust(const mst_regress_spread *w, size_t unit, size_t d, double *u,
                             double *room);
/* The noise of a row of a new cluster, from the squares of all residuals, what the adjustment adds to them,
 * and the squares of their sums over clusters: the factor of noise_unbiased, and degrees of freedom by the
 * shares of rows and clusters in it. */
MST_MUST_USE mst_status regress_spread_add_noise(mst_regress_spread *w, size_t d, double squares,
                                                 double more, double between);
void regress_spread_noise(const mst_regress_spread *w, double *factor, double *degrees);
/* b (k + 1): a unit vector for the point of the curve at covariates z (k) about the origin, in units of the
 * caller, or where z is null for column number `column`, the first being 1; and its length before. */
double regress_spread_contrast(const mst_regress_spread *w, size_t column, const double *z,
                               double *b);
/* Degrees of freedom of the covariance of c such contrasts b (c, k + 1), which must be orthonormal, in `dim`
 * coordinates each; 0 where a unit alone decides, so that there is nothing to learn it from. */
MST_MUST_USE mst_status regress_spread_degrees(const mst_regress_spread *w, size_t c,
                                               const double *b, double dim, double *degrees);
/* ← at most those of independent rows whose variances are as their leverages, of each contrast alone. */
MST_MUST_USE mst_status regress_spread_least_degrees(const mst_regress_spread *w, size_t c,
                                                     const double *b, double *degrees);

/* Covariance, errors and intervals, in units of the design; then those of the caller. */
MST_MUST_USE mst_status regress_add_errors(const regress_job *j, const regress_model *m,
                                           const double *state, mst_regress_result *r);
/* There are none. */
void regress_leave_errors(mst_regress_result *r);
/* Residuals, leverage, R². */
MST_MUST_USE mst_status regress_add_residuals(const regress_job *j, const regress_model *m,
                                              const double *state, mst_regress_result *r);
/* Tests of groups of columns, of all of them, and of the noise. */
MST_MUST_USE mst_status regress_add_tests(const regress_job *j, const regress_model *m,
                                          const double *state, mst_regress_result *r);
MST_MUST_USE mst_status regress_bootstrap(const regress_job *j, const regress_model *m,
                                          const double *state, double *covariance, bool *defined);
/* A first state of all columns and the climb from there. */
MST_MUST_USE mst_status regress_fit_columns(const regress_job *j, bool loglinear, double *state,
                                            fit_outcome *out);
/* Does the curve go more than once round a compact piece of the manifold to one side of its intercept, within
 * the data? Rows between which it turns as it will are no trend, and no search looks there. */
MST_MUST_USE mst_status regress_winds(const regress_job *j, const regress_model *m,
                                      const double *state, bool *winds);
/* Is the noise so large, or the curve so long, on a compact space that nothing holds that holds for little
 * noise? And rows that the curve depends on more than on all others. */
MST_MUST_USE mst_status regress_add_doubts(regress_job *j, mst_regress_result *r);
/* After the tests: where there is no curve there are no errors. */
void regress_conclude_doubts(const regress_job *j, mst_regress_result *r);
/* p value of the columns with mark 1 by permutations of them, each with a fit. */
MST_MUST_USE mst_status regress_shuffle(const regress_job *j, const unsigned char *marked,
                                        mst_regress_test *test);
/* The sum of squared distances of the rows from a curve; INFINITY where it cannot be had. */
MST_MUST_USE mst_status regress_square(const regress_job *j, const regress_model *m,
                                       const double *state, double *square);
/* Orthonormal columns: q (found, n) of columns that are `stride` apart, null for the constant, extended by
 * one, unless it is a combination of them. */
size_t regress_add_orthonormal(size_t n, const double *column, size_t stride, size_t found,
                               double *q);
/* p value of the columns with mark 1 by permutations in the tangent space at `mean`, of rows or of the means
 * of clusters, `of` (n). */
MST_MUST_USE mst_status regress_permute(const regress_job *j, const double *mean, size_t clusters,
                                        const size_t *of, const unsigned char *marked,
                                        mst_regress_test *test);

MST_MUST_USE mst_status regress_result_new(mst_regress_result **out, const regress_job *j);

#endif
