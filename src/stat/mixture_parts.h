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
    double *past;                     /* room for leaps: three states, then two steps */
    double *memory;                   /* of all but the first three */
    double log_likelihood;
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

/* The workspace; release `memory`. */
MST_MUST_USE mst_status mixture_em_new(mixture_em *e);

/* The times below which no component falls. */
MST_MUST_USE mst_status mixture_choose_least_time(mixture_em *e);
/* Shares, times and centres to start from. */
MST_MUST_USE mst_status mixture_start(mixture_em *e, size_t restart);
/* Responsibilities and log-likelihood of the present components. */
MST_MUST_USE mst_status mixture_expect(mixture_em *e);
/* After two steps of EM, from the states e->past (2, …) to the present one: as far on as they point. */
MST_MUST_USE mst_status mixture_leap(mixture_em *e);
/* EM to the end. */
MST_MUST_USE mst_status mixture_iterate(mixture_em *e);

#endif
