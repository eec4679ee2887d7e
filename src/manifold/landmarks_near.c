/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slot `near_log` of a few landmarks. */
#include "manifold/landmarks_near.h"

#include "manifold/landmarks.h"
#include "manifold/landmarks_roll.h"

mst_status landmark_near_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *v)
{
    enum { GROUP = LANDMARK_ROLL_PATHS, SIZE = LANDMARK_ROLL_DIM * GROUP };
    /* Beyond this, pairs for which it converges are none the better, and others are worse. */
    static const landmark_near_effort effort = {
        .rounds = 4, .chords = LANDMARK_NEAR_CHORDS, .steps = 4};
    const landmarks *l = mst_manifold_data(m);
    const struct landmark_near_kernels *kernels = MST_PICK(landmark_near_kernels);
    size_t d = m->dim;
    double from[SIZE], to[SIZE], out[SIZE];
    for (size_t at = 0; at < n; at += GROUP) {
        for (size_t i = 0; i < GROUP; i++) {
            size_t row = at + i < n ? at + i : n - 1;
            for (size_t k = 0; k < d; k++) {
                from[k * GROUP + i] = x[row * d + k];
                to[k * GROUP + i] = y[row * d + k];
            }
        }
        kernels->near_log(&l->shape, from, to, &effort, out);
        for (size_t i = 0; i < GROUP && at + i < n; i++)
            for (size_t k = 0; k < d; k++)
                v[(at + i) * d + k] = out[k * GROUP + i];
    }
    return MST_OK;
}
