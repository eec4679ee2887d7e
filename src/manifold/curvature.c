/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Ricci tensor on whole frames. */
#include "manifold/internal.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

mst_status mst_frames(const mst_manifold *m, size_t n, const double *x, double *frame)
{
    size_t d = m->dim, D = m->ambient;
    double *unit;
    MST_TRY(mst_allocate_zero(&unit, d));
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; status == MST_OK && a < d; a++) {
            unit[a] = 1;
            status = mst_manifold_from_frame(m, 1, x + i * D, unit, frame + (i * d + a) * D);
            unit[a] = 0;
        }
    mst_release(unit);
    return status;
}

/* By the slot, vector after vector; room (3, d, D). */
static mst_status by_vectors(const mst_manifold *m, const double *x, double *room, double *out)
{
    size_t d = m->dim, D = m->ambient;
    double *same = room, *frame = room + d * D, *image = room + 2 * d * D;
    mst_repeat_point(d, D, x, same);
    MST_TRY(mst_frames(m, 1, x, frame));
    MST_TRY(mst_manifold_ricci(m, d, same, frame, image));
    for (size_t a = 0; a < d; a++)
        MST_TRY(mst_manifold_inner(m, 1, x, frame + a * D, image + a * D, &out[a]));
    return MST_OK;
}

mst_status mst_ricci_diagonal(const mst_manifold *m, size_t n, const double *x, double *out)
{
    size_t d = m->dim, D = m->ambient;
    if (!isnan(m->traits.curvature)) {
        for (size_t k = 0; k < n * d; k++)
            out[k] = (double)(d - 1) * m->traits.curvature;
        return MST_OK;
    }
    if (m->ops.ricci == metric_ricci)
        return metric_ricci_diagonal(m, n, x, out);
    double *room;
    MST_TRY(mst_allocate(&room, 3 * d * D));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = by_vectors(m, x + i * D, room, out + i * d);
    mst_release(room);
    return status;
}
