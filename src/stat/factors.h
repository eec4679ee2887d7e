/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A product seen factor by factor: where log p is a sum over the factors, each of them can be fitted by
 * itself. */
#ifndef MST_STAT_FACTORS_H
#define MST_STAT_FACTORS_H

#include "base/internal.h"

#include <manistat/score.h>

typedef struct factor_view {
    mst_score *source;      /* of the factor, owned */
    const mst_manifold *m;  /* its manifold */
    size_t d, D;            /* its dimensions */
    size_t first, first_at; /* its first tangent coordinate and its first column in the product */
    double *x;              /* (n, D): its columns of the rows, owned */
} factor_view;

/* Factor i and its columns of x. Close it in either case. MST_UNABLE if the source is no sum over factors. */
MST_MUST_USE mst_status factor_open(factor_view *v, const mst_score *source, size_t i, size_t n,
                                    const double *x);
void factor_close(factor_view *v);

#endif
