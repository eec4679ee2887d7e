/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The range of the curvature. */
#include "examine/examine.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

/* Beyond this the Ricci tensor is too dear. */
enum { MOST_DIMENSION = 12 };

/* Eigenvalues (d) of the Ricci tensor at x; room (3 d D + 2 d²). */
static bool ricci_at(const examiner *e, const double *x, double *room, double *values)
{
    size_t d = e->d, D = e->D;
    double *frame = room, *out = frame + d * D, *same = out + d * D, *form = same + d * D;
    for (size_t k = 0; k < d; k++)
        memcpy(same + k * D, x, D * sizeof *x);
    if (mst_manifold_frame(e->m, 1, x, frame) != MST_OK ||
        mst_manifold_ricci(e->m, d, same, frame, out) != MST_OK)
        return false;
    for (size_t i = 0; i < d * d; i++)
        if (mst_manifold_inner(e->m, 1, x, frame + i / d * D, out + i % d * D, form + i) != MST_OK)
            return false;
    return mst_all_finite(d * d, form) &&
           mst_eigen_symmetric(1, d, form, values, form + d * d, NULL) == MST_OK;
}

static mst_status keep_positive(examiner *e, const double *x, double curvature)
{
    if (!(curvature > e->positive_curvature))
        return MST_OK;
    if (e->positive_at == NULL)
        MST_TRY(mst_allocate(&e->positive_at, e->D));
    memcpy(e->positive_at, x, e->D * sizeof *x);
    e->positive_curvature = curvature;
    return MST_OK;
}

static mst_status report_range(examiner *e, size_t known, size_t low, size_t high)
{
    const mst_examination *o = e->out;
    char first[POINT_TEXT], second[POINT_TEXT];
    const char *from = finding_point(e, e->x + low * e->D, first);
    const char *to = finding_point(e, e->x + high * e->D, second);
    if (known == 0)
        return finding_add(e, MST_FINDING_WARNING, "curvature", NULL,
                           "could not be computed anywhere");
    /* Second derivatives have lost that much of their digits. */
    double scale = fmax(fabs(o->ricci_min), fabs(o->ricci_max));
    if (scale < 1e-8)
        return finding_add(e, MST_FINDING_OK, "curvature", NULL, "0 at %zu points: flat", known);
    if (o->ricci_max - o->ricci_min < 1e-6 * scale)
        return finding_add(e, MST_FINDING_OK, "curvature", NULL, "%s %.6g at %zu points",
                           e->d == 2 ? "Gauss curvature" : "Ricci curvature", o->ricci_min, known);
    if (e->d == 2)
        return finding_add(e, MST_FINDING_OK, "curvature", NULL,
                           "Gauss curvature from %.4g (at %s) to %.4g (at %s)", o->ricci_min, from,
                           o->ricci_max, to);
    return finding_add(
        e, MST_FINDING_OK, "curvature", NULL,
        "Ricci curvature from %.4g (at %s) to %.4g (at %s), scalar curvature from %.4g to "
        "%.4g",
        o->ricci_min, from, o->ricci_max, to, o->scalar_min, o->scalar_max);
}

mst_status examine_curvature(examiner *e)
{
    enum { MOST = 256 };
    mst_examination *o = e->out;
    size_t d = e->d, known = 0, low = 0, high = 0;
    double *room;
    if (d == 1)
        return finding_add(e, MST_FINDING_OK, "curvature", NULL, "a curve has none");
    if (d > MOST_DIMENSION)
        return finding_add(e, MST_FINDING_NOTE, "curvature", NULL,
                           "not computed in more than %d dimensions", MOST_DIMENSION);
    MST_TRY(mst_allocate(&room, 3 * d * e->D + 2 * d * d + d));
    double *values = room + 3 * d * e->D + 2 * d * d;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < e->n && i < MOST; i++) {
        const double *x = e->x + i * e->D;
        if (!ricci_at(e, x, room, values))
            continue;
        double scalar = 0;
        for (size_t k = 0; k < d; k++)
            scalar += values[k];
        low = known == 0 || values[0] < o->ricci_min ? i : low;
        high = known == 0 || values[d - 1] > o->ricci_max ? i : high;
        o->ricci_min = fmin(o->ricci_min, values[0]);
        o->ricci_max = fmax(o->ricci_max, values[d - 1]);
        o->scalar_min = fmin(o->scalar_min, scalar);
        o->scalar_max = fmax(o->scalar_max, scalar);
        known++;
        status = keep_positive(e, x, values[d - 1]);
    }
    if (status == MST_OK)
        status = report_range(e, known, low, high);
    mst_release(room);
    return status;
}
