/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What can be fitted. The optimiser maximises Σ w_i log p_{t_i}(x_i, y_i); a model says how the points y_i
 * and the times t_i follow from its state θ, how θ moves, and how derivatives by (y_i, t_i) become
 * derivatives by θ. One mean is the model whose prediction is a copy of θ; a regression predicts a point of
 * its own for each row. The optimiser knows nothing else of a model, so a new one is a table of functions.
 *
 * The state is `size` doubles, whatever they mean. Steps, gradients and matrices have `parameters`
 * coordinates q, in which the state can be moved. They fall into parts: a part is a tangent vector, of a
 * point or any other, or one log time. */
#ifndef MST_STAT_FIT_MODEL_H
#define MST_STAT_FIT_MODEL_H

#include "base/internal.h"

#include <manistat/score.h>

/* Rows x (n, D) with weights (n) or null. `first` is the number of the first one among
 * those of all groups. `flat` are their coordinates (n, d) about the mean where the mean is that of
 * coordinates and somebody will ask again; else null. */
typedef struct fit_rows {
    size_t n, first;
    const double *x, *weights;
    const double *about; /* (n, d) coordinates of the rows about the mean, in its frame; or null */
} fit_rows;

/* The first number of rows that were drawn for a look: no row of a data set has it, so a source that draws
 * random numbers by the number of a row never mixes the two up. */
#define FIT_DRAWN_FIRST ((size_t)1 << 62)

typedef struct fit_part {
    size_t first, count; /* coordinates of a step */
    bool log_time;       /* one log time, count = 1 */
    size_t time;         /* then: where the time itself stands in the state */
    double reach; /* a step should be no longer at once, however wide the data; or INFINITY */
} fit_part;

/* Rows `first` … of a group for which the model has predicted y (n, D); of a group with
 * one prediction, n = 1. */
typedef struct fit_slice {
    size_t group, first, n;
    const double *y;
} fit_slice;

typedef struct fit_model fit_model;

/* Local derivatives are by (y, log t): d coordinates in the frame of the manifold at y,
 * then one of log t; L = d + 1. */
typedef struct fit_model_ops {
    /* Each row has a prediction of its own; else those of a group share one, and the
     * slices below have n = 1. */
    bool per_row;
    /* y (n, D) and t (n) of rows first … first + n − 1. Called from several threads at
     * once, as the next two are. */
    mst_status (*predict)(const fit_model *m, const double *state, size_t group, size_t first,
                          size_t n, double *y, double *t);
    /* gradient (q) += Σ_i J_iᵀ local_i, local (n, L), J_i the derivative of (y_i, log
     * t_i) by the parameters. */
    mst_status (*pull)(const fit_model *m, const double *state, const fit_slice *rows,
                       const double *local, double *gradient);
    /* matrix (q, q) += Σ_i J_iᵀ local_i J_i, local (n, L, L): the Hessian where predictions are linear, else
     * that of Gauss and Newton. Null: too many parameters for matrices, and the climb does without. */
    mst_status (*pull_matrix)(const fit_model *m, const double *state, const fit_slice *rows,
                              const double *local, double *matrix);
    /* The two before at once, for models in which they share most of the work; local_matrix (n, L, L). Null:
     * one after the other. */
    mst_status (*pull_both)(const fit_model *m, const double *state, const fit_slice *rows,
                            const double *local, const double *local_matrix, double *gradient,
                            double *matrix);
    /* `to`, another state, is `from` moved by a step; times stay in the range of the source. */
    mst_status (*move)(const fit_model *m, const double *from, const double *step, double *to);
    fit_part (*part)(const fit_model *m, size_t k); /* k < parts */
    /* Natural units (q) of the parameters, in which second derivatives per row are of order one whatever the
     * scale of the data: √t for points (1 for sources without a time), 1 for log times. */
    void (*units)(const fit_model *m, const double *state, double *units);
    /* The velocities (q) with which the step from `from` to `to` = move(from, step) left and arrived, for
     * sources without log p. Null: those are the step itself, which is true to first order. */
    mst_status (*velocities)(const fit_model *m, const double *from, const double *step,
                             const double *to, double *leaving, double *arriving);
    /* The state at `share` of a way from one to another and the velocity (q) there, for comparing values by
     * gradients. Null or a failure: no way is known. */
    mst_status (*between)(const fit_model *m, const double *from, const double *to, double share,
                          double *state, double *velocity);
    /* The step that leads from one state to another, at least to first order. Null: unknown. */
    mst_status (*difference)(const fit_model *m, const double *from, const double *to,
                             double *step);
} fit_model_ops;

/* The first member of the models themselves. */
struct fit_model {
    const fit_model_ops *ops;
    const mst_score *source;
    /* what mst_score_remember made of it for these rows, or null; used by one climb at a time */
    const mst_score *memory;
    size_t groups;
    const fit_rows *rows; /* (groups) */
    size_t size, parameters, parts;
    bool time_is_free; /* times depend on the state; else they are given */
    int threads;
};

/* What answers for the rows of the model. */
static inline const mst_score *fit_source(const fit_model *m)
{
    return m->memory != NULL ? m->memory : m->source;
}

/* ---- Means and times, each of them shared by some groups of rows ---- */

/* State: means (means, D), then times (times), which are there also if they are fixed or of no use.
 * Parameters: frame coordinates of the means, then log times if they are free. A mean on
 * a product has a part per factor. */
typedef struct fit_means {
    fit_model model;
    size_t means, times;
    const size_t *mean_of, *time_of;     /* (groups); null: all have the first */
    bool retract;                        /* means move by mst_manifold_retract */
    const struct mst_barycentre *centre; /* how the mean was found, or null */
} fit_means;

/* One mean and time of the rows. Copies are models as well. */
fit_means fit_one_mean(const mst_score *source, const fit_rows *rows, bool time_is_free,
                       int threads);
/* Several, of groups of rows. */
fit_means fit_many_means(const mst_score *source, size_t groups, const fit_rows *rows, size_t means,
                         const size_t *mean_numbers, size_t times, const size_t *time_numbers,
                         bool time_is_free, int threads);
/* The same with its times fixed. */
fit_means fit_with_fixed_times(const fit_means *means);

#endif
