/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of mst_mean_fit: climbs from several starts, the candidates that they end
 * with, the best of them. */
#ifndef MST_STAT_MEAN_SEARCH_H
#define MST_STAT_MEAN_SEARCH_H

#include "stat/fit.h"
#include "stat/mean_cut_locus.h"

#include <manistat/geodesic.h>

/* A climb and where it ended. */
typedef struct mean_candidate {
    double *state; /* mean (D), time */
    fit_outcome outcome;
    double *hessian; /* (q, q) at the end */
    double *outer;   /* (q, q): Σ w g gᵀ there; or null: nobody knows */
    double doubt;    /* values that differ by less are the same */
    bool crossed;    /* mean_flip has been beyond the walls next to it */
} mean_candidate;

/* What is known of other maxima than those that were found. */
typedef enum mean_scope {
    MEAN_LOCAL,    /* nothing: a start or two */
    MEAN_SEARCHED, /* they were looked for */
    MEAN_LISTED,   /* they are among the candidates, as far as they can be the mean */
    MEAN_ONLY,     /* there are none */
} mean_scope;

/* The Fréchet mean, roughly, where each row takes a search for a geodesic, and its terms several times that
 * (mean_first_log.c). */
typedef struct mean_near {
    bool found, lost;    /* lost: too many rows have no geodesic */
    double *at;          /* (D) */
    double square;       /* mean squared distance of the rows */
    mst_geodesics *kept; /* from there to the rows, or null */
} mean_near;

typedef struct mean_search {
    fit_means model;
    const mean_near *near; /* or null; the first start is its */
    mst_score *memory;     /* of the model */
    fit_rows rows;
    fit_options climb;
    fit_tolerances tolerances;
    const mst_mean_options *o;
    const mst_manifold *m;
    size_t d, D;
    double time; /* the fixed one, 0: to be fitted */
    double total_weight;
    double squared_distance;    /* the mean one, if it is known already; else NAN */
    size_t count, room;         /* candidates, and for how many there is room */
    mean_candidate *candidates; /* each with memory of its own, at `state` */
    mean_scope scope;
    size_t ties;        /* after mean_judge: so many share the highest value */
    size_t members;     /* and so many, those among them, the data do not tell from the best */
    size_t *start_rows; /* (starts) rows drawn as starts */
    size_t different;   /* so many before they repeat */
    fit_rows sample;    /* for a first look; all rows if there are few */
    double *sample_x, *sample_weights;
    double *about; /* of the rows, if it is not null there */
    /* The manifold has a way of its own to the mean; its total error only is wanted; and what it found. */
    bool by_centre, total_only;
    struct mst_barycentre *centre;
} mean_search;

static inline double *mean_time(const mean_search *s, const mean_candidate *c)
{
    return c->state + s->D;
}

/* Is there a time to tell, if only the edge of a range? */
static inline bool mean_has_time(mst_time_limit limit)
{
    return limit != MST_TIME_ZERO && limit != MST_TIME_INFINITY && limit != MST_TIME_LONG;
}

/* All candidates, each different from the others; at least one. */
MST_MUST_USE mst_status mean_search_new(mean_search *s, const mst_score *source, size_t n,
                                        const double *x, const mst_mean_options *o,
                                        const mean_near *near);
MST_MUST_USE mst_status mean_search_run(mean_search *s);
void mean_search_free(mean_search *s);
/* A candidate to fill, behind those that count. Pointers to others are lost. */
MST_MUST_USE mst_status mean_next_candidate(mean_search *s, mean_candidate **out);
/* Climb from the mean in the next candidate and keep it if it is new. `look`: first see on a sample, if there
 * is one, whether that is worth while. */
MST_MUST_USE mst_status mean_climb_next(mean_search *s, bool look);

/* ---- Where the answer is known ---- */

/* Is the mean that of coordinates? */
bool mean_is_flat(const mean_search *s);
/* That candidate, without a climb; not found where rounding is in the way, or all rows are one. */
MST_MUST_USE mst_status mean_flat(mean_search *s, bool *found);

/* Has the manifold a way of its own, and how much of its errors is wanted? */
void mean_plan_centre(mean_search *s);
/* The candidate that it leads to; not found where it fails. */
MST_MUST_USE mst_status mean_by_centre(mean_search *s, bool *found);
/* The standard error of such a mean, the root of the trace of its covariance, to one or two per cent; no
 * matrix is formed. */
MST_MUST_USE mst_status mean_total_error(mst_mean_result *result, const fit_means *model);

/* ---- Starts ---- */

/* The rows to start from and those for a first look. */
MST_MUST_USE mst_status mean_draw_starts(mean_search *s);
/* Point number k to start from: the given or extrinsic mean first, then rows of the data drawn at random, and
 * when there are no more of them, points around them. */
MST_MUST_USE mst_status mean_choose_start(const mean_search *s, size_t k, double *mean);
/* In flat space t is the mean squared distance per dimension; curvature is left to the climb. */
MST_MUST_USE mst_status mean_first_time(const mean_search *s, const fit_rows *rows,
                                        const double *mean, double *time);

/* The climb from a candidate, begun on some of the rows where that saves sweeps over all of them. */
MST_MUST_USE mst_status mean_climb(const mean_search *s, mean_candidate *c,
                                   const fit_options *options);

/* ---- The search for other maxima, from the first candidate on ---- */

/* Is the first candidate the only one there can be? */
MST_MUST_USE mst_status mean_prove(mean_search *s);
/* Look for others wherever they may be, part by part where log p is a sum. Leaves the scope as it is where
 * the source or the manifold does not allow for it. */
MST_MUST_USE mst_status mean_look_around(mean_search *s);
/* After the usual starts of a source that allows no more: some others, if the rows are such that those are
 * not enough. Where the cut locus is a wall nothing is. */
MST_MUST_USE mst_status mean_look_farther(mean_search *s);
/* Fréchet means of angles, listed, and parts of other kinds, each by a search of its own. */
MST_MUST_USE mst_status mean_look_in_parts(mean_search *s);
/* The whole mean: points all over a compact manifold are looked at, and the best of them climb. */
MST_MUST_USE mst_status mean_explore(mean_search *s);
/* From one maximum to the next: those next to the best candidates, across the cut loci of rows. */
MST_MUST_USE mst_status mean_flip(mean_search *s);
/* Do so many rows lie so far from candidate number k that others may be anywhere? Unknown is no. */
MST_MUST_USE mst_status mean_is_rough(const mean_search *s, size_t k, bool *rough);
/* Σ w log p at a time for each of the points y (count, D), into values (count). */
MST_MUST_USE mst_status mean_values(const mean_search *s, const fit_rows *rows, double time,
                                    size_t count, const double *y, double *values);
/* The log p of all rows (n) at a state. */
MST_MUST_USE mst_status mean_row_values(const mean_search *s, const double *state, double *log_p);

/* ---- A first look from another start than the first ---- */

/* How far the rows scatter about a candidate: √t, or the root of the mean squared distance without a time. */
double mean_scatter(const mean_search *s, const mean_candidate *c);
/* How far apart two estimates may be and still count as one: a quarter of the injectivity radius, and where
 * that is unknown of the scatter. */
double mean_same_place(const mean_search *s);
/* Is the mean of `c` one of the candidates already, to this share of the scatter? Where all rows are one,
 * rounding alone tells means apart. */
MST_MUST_USE mst_status mean_is_known(const mean_search *s, const mean_candidate *c, double share,
                                      bool *known);
/* Does the start in `c` lead to a mean that is known? It moves on the way. */
MST_MUST_USE mst_status mean_look_first(const mean_search *s, mean_candidate *c, bool *known);

/* ---- The best ---- */

/* The candidates by falling value, as far as values can be told. */
MST_MUST_USE mst_status mean_rank(mean_search *s);
/* The set of means, to the front: candidates that share the highest value, and those that other rows of the
 * same law might prefer. */
MST_MUST_USE mst_status mean_judge(mean_search *s);

/* From the ranked candidates to a result without error bars. */
MST_MUST_USE mst_status mean_describe(const mean_search *s, mst_mean_result **out);

/* ---- Products ---- */

/* mst_mean_fit of arguments that are right and rows that are no copies but by their clusters. */
MST_MUST_USE mst_status mean_fit_rows(mst_mean_result **out, const mst_score *source, size_t n,
                                      const double *x, const mst_mean_options *options);
/* Times of the factors and the test of equal ones, where that can be done. */
MST_MUST_USE mst_status mean_compare_times(mst_mean_result *result, const fit_means *model,
                                           const mst_mean_options *options);
/* A fit with a time per factor. The status is that of finding a result; *out may not have converged. */
MST_MUST_USE mst_status mean_fit_per_factor(mst_mean_result **out, const mst_score *source,
                                            size_t n, const double *x,
                                            const mst_mean_options *options);
/* Room for a result of dimensions d and D with `set_size` members, everything unknown; with basis and
 * covariance only if there is to be a `matrix`. */
MST_MUST_USE mst_status mean_result_new(mst_mean_result **out, size_t d, size_t D, bool matrix,
                                        size_t set_size);

/* ---- Error bars ---- */

/* Standard error, region and its volume from the covariance of the result. `spread`: how many numbers of each
 * row the time was fitted to; 0: it was given, or there is none. */
MST_MUST_USE mst_status mean_fill_region(mst_mean_result *result, size_t d, size_t spread,
                                         double confidence);

/* Hessian (d, d) of Σ w log p in the mean, by central differences of step h. Of squared distances it is the
 * mean of the rows' own, without what they do at the cut locus. */
MST_MUST_USE mst_status mean_difference_hessian(const fit_means *model, const double *state,
                                                double h, double *hessian);

/* Basis, covariance, standard errors, interval and region of the result at its mean. `hessian` (q, q) is what
 * the climb has left there, for sources with a Hessian or a time; *cut is what was seen of the cut locus. */
MST_MUST_USE mst_status mean_add_errors(mst_mean_result *result, const fit_means *model,
                                        const mst_mean_options *options, const double *hessian,
                                        mean_cut_term *cut);
/* Notes if the rows, of a fit with the Hessian of this candidate and its error bars, are not spread as those
 * take them to be. Where directions may be unlike, *ratio is by what the variance of log t is larger than the
 * model says, and the region has grown; else 1. */
MST_MUST_USE mst_status mean_judge_model(mst_mean_result *result, const fit_means *model,
                                         const mst_mean_options *options,
                                         const mean_candidate *candidate, double *ratio);
/* Few rows tell nothing of their skewness: regions that no model stands behind may miss a quarter as often
 * then, if rows are normal. */
double mean_confidence_of_few(double rows, double confidence);
/* Regions by the sandwich of few skew rows: in one dimension Hotelling's quantile is too small by about 2γ²/n
 * of itself, γ the skewness (Johnson 1978), and few rows show a part of theirs, so that the factor is up
 * to 16 of what is beyond chance, per dimension. */
MST_MUST_USE mst_status mean_allow_for_skewness(mst_mean_result *result, const fit_means *model,
                                                double confidence);
/* Covariance (q, q) of the parameters from refitted resamples; not defined if too many of
 * them have no estimate. With `restart` each of them is searched for as the mean was, and *radius2 is the
 * quantile of their squared distances in units of the covariance; else, or where they are too few, NAN. */
MST_MUST_USE mst_status mean_bootstrap(const fit_means *model, const double *state,
                                       const mst_mean_options *options, bool restart,
                                       double *covariance, double *radius2, bool *defined);

/* The covariance (q, q) of the deviations (count, q) of resamples that are there, those of the others being
 * NAN; false if more than one in twenty is not there, for then the estimate itself is in doubt. centre (q) is
 * their mean. */
bool mean_deviation_covariance(size_t count, size_t q, const double *deviation, double *centre,
                               double *covariance);

/* ---- What a resample is made of ---- */

/* Each draw takes one of `units` with the same chance, or an observation of `total` with the chances of the
 * rows' counts. */
typedef struct mean_draws {
    size_t n;
    size_t draws; /* per resample */
    size_t units;
    size_t *unit_of;       /* (n), SIZE_MAX: of none; null: row i is unit i */
    const double *weights; /* (n) of the rows of a unit, or null: 1 */
    double *below;         /* (n) sum of the counts of earlier rows; null: units */
    double total;          /* of the counts */
    bool whole;            /* they are whole numbers, and a resample has as many observations */
    double scale;          /* what the covariance of resamples is to be multiplied by */
} mean_draws;

MST_MUST_USE mst_status mean_draws_new(mean_draws *d, const fit_rows *rows,
                                       const mst_mean_options *options);
void mean_draws_free(mean_draws *d);
/* counts (n), the weights of the rows in resample `number`. */
void mean_draw(const mean_draws *d, uint64_t seed, size_t number, double *counts);

/* ---- Where geodesics are searched for ---- */

/* `roughly`: of a few of the rows, and nothing is kept. */
MST_MUST_USE mst_status mean_near_new(mean_near *near, const mst_manifold *m, const fit_rows *rows,
                                      bool roughly, int threads);
void mean_near_free(mean_near *near);
/* Log_y(x_i) (n, D) and its lengths (n), NAN where none is found, with what is kept of the geodesics. */
MST_MUST_USE mst_status mean_measure(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double tolerance, int threads,
                                     mst_geodesics *kept, double *log, double *length);

/* How many paths bridges need for the rows of a search that has drawn its starts, by two trials at a state
 * (D + 1): so many that their noise is a tenth of the standard errors, from 16 to 1000. */
MST_MUST_USE mst_status mean_choose_paths(const mean_search *s, const double *state, size_t *paths);

/* And after a fit with fewer than that: more, or as many where they were enough. */
size_t mean_more_paths(const mst_mean_result *result);

/* outer (q, q): the spread of Σ w g that comes from the random numbers of the source at the state; *random
 * false: it has none. */
MST_MUST_USE mst_status mean_simulation_spread(const fit_means *model, const double *state,
                                               double *outer, bool *random);

#endif
