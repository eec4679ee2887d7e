/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of mixtures. */
#ifndef MST_STAT_MIXTURE_PARTS_H
#define MST_STAT_MIXTURE_PARTS_H

#include "base/internal.h"

#include <manistat/cluster.h>

/* What a restart works on and ends with. */
typedef struct mixture_em {
    const mst_score *source;
    const mst_mixture_options *o;
    size_t n, k, d, D;
    const double *x;
    double total, least_time;
    int threads;
    double *shares, *times, *centres; /* (k), (k), (k, D): one after another */
    double *responsibilities;         /* (n, k) */
    double *rows, *weights;           /* of one component: (n, D), (n) */
    double *trial, *gradient;         /* (D + 1), (d + 1) */
    double *partial;                  /* a sum per block of rows */
    double *values;                   /* (n): log-likelihood of each row, or null: nobody asks */
    double *past;                     /* room for leaps: two states, then two steps */
    double *kept;                     /* shares, times and centres to return to */
    double *kept_responsibilities;    /* (n, k) */
    double *hessians;                 /* of the last M-step, (k, d + 1, d + 1) */
    double *memory;                   /* of all but the first three */
    /* (k): what answers for the components as they are, or nulls */
    struct radial_tables **tables;
    double *shapes; /* of elongated heaps (mixture_tilt), or null */
    double radius;  /* of Newton's steps, in natural units */
    double log_likelihood, kept_log_likelihood;
    size_t iterations;
    mst_fit_end end;
    bool degenerate;
} mixture_em;

/* Shares, times and centres: so many doubles, at `at`. */
static inline size_t mixture_size(size_t k, size_t D)
{
    return k * (D + 2);
}
static inline void mixture_place(mixture_em *e, double *at)
{
    e->shares = at;
    e->times = at + e->k;
    e->centres = at + 2 * e->k;
}

static inline double mixture_weight(const mixture_em *e, size_t i)
{
    return e->o->weights != NULL ? e->o->weights[i] : 1;
}

/* The workspace. */
MST_MUST_USE mst_status mixture_em_new(mixture_em *e);
void mixture_em_free(mixture_em *e);
/* Tables of the present components, where rows are many; until the next call, or none. */
MST_MUST_USE mst_status mixture_make_tables(mixture_em *e);
void mixture_drop_tables(mixture_em *e);

/* The times below which no component falls. */
MST_MUST_USE mst_status mixture_choose_least_time(mixture_em *e);
/* Shares, times and centres to start from. */
MST_MUST_USE mst_status mixture_start(mixture_em *e, size_t restart);
/* Responsibilities and log-likelihood of the present components. */
MST_MUST_USE mst_status mixture_expect(mixture_em *e);
/* Keep the present components, and return to them. */
void mixture_keep(mixture_em *e);
void mixture_return(mixture_em *e);
/* Components that have lost their points, or stand at the least time, do not move as a sequence does. */
bool mixture_is_regular(const mixture_em *e);
/* From the state `from` along steps (k, d + 2): of the centre in units of √t in the frame there, of log t and
 * of the logarithm of the share. The steps are used up. */
MST_MUST_USE mst_status mixture_move(mixture_em *e, const double *from, double *steps);
/* May Newton's method be used on the present components? */
bool mixture_can_newton(const mixture_em *e);
/* A step of it, if there is one that raises the log-likelihood. */
MST_MUST_USE mst_status mixture_newton(mixture_em *e);
/* After two steps of EM, from the states e->past (2, …) to the present one: as far on as they point. */
MST_MUST_USE mst_status mixture_leap(mixture_em *e);
/* An M-step, with the steps of components guarded. */
MST_MUST_USE mst_status mixture_improve(mixture_em *e);
/* Adds to log_p (n) of component j at the rows from `at` on what makes its heap as long as its shape. */
MST_MUST_USE mst_status mixture_tilt(const mixture_em *e, size_t j, size_t at, size_t n,
                                     double *log_p);
/* `elongated` and `elongated_bic` of a result that has everything else. *round_bic is the least BIC of round
 * components that is known, and becomes less where one is found. */
MST_MUST_USE mst_status mixture_find_elongated(const mixture_em *start, mst_mixture_result *r,
                                               double *round_bic);
/* EM to the end. */
MST_MUST_USE mst_status mixture_iterate(mixture_em *e);

#endif
