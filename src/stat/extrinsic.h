/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_STAT_EXTRINSIC_H
#define MST_STAT_EXTRINSIC_H

#include "base/internal.h"

#include <manistat/manifold.h>

/* The mean of the coordinates brought onto the manifold (angles: the direction of the mean of their unit
 * vectors); MST_DOMAIN where it has no direction, as for antipodes. */
MST_MUST_USE mst_status mean_extrinsic(const mst_manifold *m, size_t n, const double *x,
                                       const double *weights, double *out);

#endif
