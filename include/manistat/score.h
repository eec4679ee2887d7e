/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Score sources: for a batch of (x, y, t), log p_t(x, y) if the source knows it, the score s = ∇_y log p_t(x, y) and
 * the time derivative ∂_t log p. Estimators see this interface only and never ask where the numbers come from. */
#ifndef MANISTAT_SCORE_H
#define MANISTAT_SCORE_H

#include <manistat/heat.h>
#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_score mst_score;

/* The table of a source; all rows are n, shapes as in mst_heat_values. */
typedef struct mst_score_ops {
    const char *name; /* "exact", "log" */
    bool log_p;       /* can give log_p */
    bool time;        /* has a time: gives dt_log_p and its values depend on t */
    bool hessian;     /* can give the Hessian */
    /* Relative size of the rounding in its values; 0: that of doubles. Networks compute in float. */
    double precision;
    /* The times for which it may be used; null: all. */
    void (*time_range)(const mst_score *s, double *least, double *largest);
    /* Rows x and y (n, D), times t (n); only what is not null in `out` and what the source can give is asked for.
     * Called from several threads at once. */
    mst_status (*evaluate)(const mst_score *s, size_t n, const double *x, const double *y,
                           const double *t, const mst_heat_values *out);
    void (*free_data)(void *data); /* or null */
} mst_score_ops;

/* A source of your own; the manifold is borrowed and must outlive it. `data` goes to free_data, also on failure. */
MST_API MST_MUST_USE mst_status mst_score_new(mst_score **out, const mst_score_ops *ops,
                                              const mst_manifold *m, void *data);
/* The exact heat kernel; MST_UNABLE where there is no closed form. */
MST_API MST_MUST_USE mst_status mst_score_exact_new(mst_score **out, const mst_manifold *m);
/* The small-time limit: log_p = −½ dist², score = Log_y(x). It has no time; its mean is the Fréchet mean. The Hessian is
 * given on flat manifolds, spheres, hyperbolic spaces, so3 and products of these. */
MST_API MST_MUST_USE mst_status mst_score_log_new(mst_score **out, const mst_manifold *m);
MST_API void mst_score_free(mst_score *s);

/* What it is made of: its table, its manifold (borrowed) and its data. */
MST_API const mst_score_ops *mst_score_table(const mst_score *s);
MST_API const mst_manifold *mst_score_manifold(const mst_score *s);
MST_API void *mst_score_data(const mst_score *s);

/* The times for which it may be used; 0 and INFINITY where there is no bound. */
MST_API void mst_score_time_range(const mst_score *s, double *least, double *largest);

/* Rows x and y (n, D) and times t (n) through the table; n = 0 is allowed. */
MST_API MST_MUST_USE mst_status mst_score_evaluate(const mst_score *s, size_t n, const double *x,
                                                   const double *y, const double *t,
                                                   const mst_heat_values *out);

#ifdef __cplusplus
}
#endif
#endif
