/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lloyd's iteration in leaps (Varadhan and Roland 2008): where rows have no clusters the centres creep, and
 * two steps of theirs tell where to. */
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

/* From centre c of the first of three states to that of another, in the frame there. */
static mst_status coordinates_of(const kmeans_lloyd *l, size_t c, const double *to, double *work,
                                 double *out)
{
    const double *from = l->past + c * l->D;
    MST_TRY(mst_manifold_log(l->m, 1, from, to + c * l->D, work, NULL));
    return mst_manifold_to_frame(l->m, 1, from, work, out);
}

/* Steps r = θ₁ − θ₀ and their change v = θ₂ − θ₁ − r, (k, d) each; gives |r|/|v|. */
static mst_status find_steps(const kmeans_lloyd *l, double *r, double *v, double *work,
                             double *ratio)
{
    double rr = 0, vv = 0;
    for (size_t c = 0; c < l->k; c++) {
        MST_TRY(coordinates_of(l, c, l->past + l->k * l->D, work, r + c * l->d));
        MST_TRY(coordinates_of(l, c, l->centres, work, v + c * l->d));
    }
    for (size_t a = 0; a < l->k * l->d; a++) {
        v[a] -= 2 * r[a];
        rr += r[a] * r[a];
        vv += v[a] * v[a];
    }
    *ratio = sqrt(rr / vv);
    return MST_OK;
}

static mst_status leap(kmeans_lloyd *l, double *memory)
{
    const double longest = 64; /* steps at once */
    double *r = memory, *v = r + l->k * l->d, *work = v + l->k * l->d, *to = work + l->D, ratio;
    MST_TRY(find_steps(l, r, v, work, &ratio));
    if (!(ratio > 1) || !isfinite(ratio))
        return MST_OK;
    ratio = fmin(ratio, longest);
    for (size_t a = 0; a < l->k * l->d; a++)
        r[a] = 2 * ratio * r[a] + ratio * ratio * v[a];
    for (size_t c = 0; c < l->k; c++) {
        MST_TRY(mst_manifold_from_frame(l->m, 1, l->past + c * l->D, r + c * l->d, work));
        MST_TRY(mst_manifold_exp(l->m, 1, l->past + c * l->D, work, to + c * l->D));
    }
    memcpy(l->past, l->centres, l->k * l->D * sizeof *to);
    memcpy(l->centres, to, l->k * l->D * sizeof *to);
    l->leapt = true;
    return MST_OK;
}

mst_status kmeans_leap(kmeans_lloyd *l)
{
    double *memory;
    MST_TRY(mst_allocate(&memory, 2 * l->k * l->d + l->D + l->k * l->D));
    mst_status status = leap(l, memory);
    mst_release(memory);
    return status == MST_MEMORY ? status : MST_OK; /* a logarithm may not be known */
}
