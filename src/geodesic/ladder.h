/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* From coarse to fine: which first paths of which pairs are improved on which mesh, and what is believed in
 * the end. */
#ifndef MST_GEODESIC_LADDER_H
#define MST_GEODESIC_LADDER_H

#include "geodesic/start.h"
#include "geodesic/sweeper.h"

#include <manistat/geodesic.h>

/* A path that is kept for the next time. */
typedef struct kept_path {
    path path;
    size_t level;
    int starts, agreed;
    double conjugate;
    double rival; /* the least energy of another when they were looked for; see pair */
    double drift; /* how far the ends have moved since */
    bool filled;
} kept_path;

typedef struct ladder_task {
    const geodesic_problem *problem;
    const mst_geodesic_options *options;
    const mst_geodesic_output *out;
    size_t n;
    const double *x, *y; /* (n, width) */
    kept_path *kept;     /* (n, several) or null */
    size_t sweeps;       /* out: of all lanes */
} ladder_task;

/* Kept paths, of pair `first` on. */
kept_path *geodesics_kept(mst_geodesics *g, size_t first);
/* How many geodesics a pair may have. */
size_t ladder_several(const mst_geodesic_options *options);
/* Writes what `out` has room for; in a chart `hessian` is that of coordinates, not covariant. */
MST_MUST_USE mst_status ladder_run(ladder_task *task);

#endif
