/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score sources: for a batch of (x, y, t), log p_t(x, y) if the source knows it, the score
 * s = ∇_y log p_t(x, y) and the time derivative ∂_t log p. Estimators see this interface only and never ask
 * where the numbers come from. */
#ifndef MANISTAT_SCORE_H
#define MANISTAT_SCORE_H

#include <manistat/heat.h>
#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_score mst_score;

/* What a source may give besides the score. */
#define MST_GIVES_LOG_P 1u
#define MST_GIVES_TIME 2u /* it has a time: gives dt_log_p, and its values depend on t */
#define MST_GIVES_HESSIAN 4u

/* What one source can do, how well and at what price. */
typedef struct mst_score_info {
    unsigned gives;
    double t_least, t_largest; /* the times for which it may be used; 0 and INFINITY: all */
    double precision;          /* relative size of the rounding in its values; 0: that of doubles */
    double noise;              /* relative standard error of values found at random; 0: none */
    /* Time of one row's score on one core, in microseconds as far as one can say. From 0.25 on estimators
     * economise rows: they cut them into smaller blocks for more threads and look at fewer of them when they
     * search for a start. */
    double cost;
} mst_score_info;

/* The table of a source. `size` is sizeof(mst_score_ops) of whoever fills it; what a later library knows
 * beyond that is null. */
typedef struct mst_score_ops {
    size_t size;
    const char *name; /* "exact", "log" */
    /* Called once, by mst_score_new, with an info that says: the score alone, at all times, in doubles, free
     * of noise, at the cost 0.1. Null: that it is. */
    void (*describe)(const mst_score *s, mst_score_info *info);
    /* pairs->n ≥ 1 rows; only what is not null in `out` and what the source can give is asked for. Called
     * from several threads at once. t may be null where the source has no time. */
    mst_status (*evaluate)(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out);
    void (*free_data)(void *data); /* or null */
    /* For a source on a product whose log p is the sum of those of the factors: the source of factor i alone,
     * a new object on a borrowed factor. Null: it is no such sum. */
    mst_status (*factor)(const mst_score *s, size_t i, mst_score **out);
} mst_score_ops;

/* A source of your own. The table is copied, the manifold borrowed: it must outlive the source. `data` goes
 * to free_data, also on failure. MST_ARGUMENT for a table without its size or without `evaluate`. */
MST_API MST_MUST_USE mst_status mst_score_new(mst_score **out, const mst_score_ops *ops,
                                              const mst_manifold *m, void *data);
/* The exact heat kernel; MST_UNABLE where there is no closed form. */
MST_API MST_MUST_USE mst_status mst_score_exact_new(mst_score **out, const mst_manifold *m);
/* The small-time limit: log_p = −½ dist², score = Log_y(x). It has no time; its mean is the Fréchet mean. The
 * Hessian is given on flat manifolds, spheres, hyperbolic spaces, so3 and products of these. */
MST_API MST_MUST_USE mst_status mst_score_log_new(mst_score **out, const mst_manifold *m);
/* By name: "exact", "log", or the path of a model (<manistat/network.h>), which the source then owns. Options
 * follow a question mark, joined by &. A model has
 *   beyond=yes   times outside its range are allowed
 *   t=T, t=least its small-time limit, a source without a time, at the time T or at its least
 * `m` is borrowed; null: that of the model. MST_ARGUMENT for names and options that do not exist, with a list
 * of those that do. */
MST_API MST_MUST_USE mst_status mst_score_open(mst_score **out, const char *text,
                                               const mst_manifold *m);
/* Is the text, without its options, the name of a source rather than that of a file?
 * Those need a manifold. */
MST_API bool mst_score_is_name(const char *text);
MST_API void mst_score_free(mst_score *s);

/* What it is made of: its name, its manifold (borrowed) and its data. */
MST_API const char *mst_score_name(const mst_score *s);
MST_API const mst_manifold *mst_score_manifold(const mst_score *s);
MST_API void *mst_score_data(const mst_score *s);
/* What it can do; belongs to the source. */
MST_API const mst_score_info *mst_score_describe(const mst_score *s);
/* Does it give all of these (MST_GIVES_…)? */
MST_API bool mst_score_gives(const mst_score *s, unsigned what);

/* The source of one factor of a product, which adds up to this one; release it. MST_UNABLE where the source
 * knows the product as a whole only. A manifold that is no product is its own single factor. */
MST_API MST_MUST_USE mst_status mst_score_factor(mst_score **out, const mst_score *s, size_t i);

/* The rows through the table; none are allowed. */
MST_API MST_MUST_USE mst_status mst_score_evaluate(const mst_score *s, const mst_pairs *pairs,
                                                   const mst_heat_values *out);
/* The same for rows x and y (n, D) and times t (n), counted from 0. */
MST_API MST_MUST_USE mst_status mst_score_evaluate_rows(const mst_score *s, size_t n,
                                                        const double *x, const double *y,
                                                        const double *t,
                                                        const mst_heat_values *out);

/* Curves from x to y (n, D) that follow a small-time limit, a source without a time: c' = Log_c(y)/(1 − s)
 * with Log_c(y) = score of (y, c), by `steps` ≥ 1 steps of a Runge–Kutta method of order 4. points (n,
 * steps+1, D): at s = k/steps, the first is x, the last y. With the exact Log they are geodesics to rounding.
 * MST_ARGUMENT for a source with a time. */
MST_API MST_MUST_USE mst_status mst_score_geodesic(const mst_score *limit, size_t n,
                                                   const double *x, const double *y, size_t steps,
                                                   double *points);
/* One of its steps, for curves that are too long to hold: at (n, D) goes from s to s + h < 1. */
MST_API MST_MUST_USE mst_status mst_score_geodesic_step(const mst_score *limit, size_t n,
                                                        const double *y, double s, double h,
                                                        double *at);

#ifdef __cplusplus
}
#endif
#endif
