/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned_reach.h"

#include <math.h>

/* The least squared distance of x from n latent points; `but` is left out. */
static double nearest(size_t d, size_t n, const double *latent, const double *x, size_t but)
{
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t a = 0; a < d; a++)
            square += (x[a] - latent[i * d + a]) * (x[a] - latent[i * d + a]);
        if (i != but && square < least)
            least = square;
    }
    return least;
}

/* Squared. Without a length scale, the largest distance of a latent point from its nearest other. */
static double reach(const mst_learned_info *info, size_t d, const double *latent)
{
    double most = 0;
    if (!isnan(info->length_scale))
        return info->length_scale * info->length_scale;
    for (size_t i = 0; i < info->n; i++)
        most = fmax(most, nearest(d, info->n, latent, latent + i * d, i));
    return most;
}

size_t learned_count_lost(const mst_manifold *m, size_t n, const double *x, size_t *first)
{
    mst_learned_info info;
    size_t count = 0, d = mst_manifold_dim(m);
    if (!mst_manifold_is_learned(m) || mst_learned_describe(m, &info) != MST_OK)
        return 0;
    const double *latent = mst_learned_latent(m);
    if (latent == NULL || info.n < 2)
        return 0;
    double most = reach(&info, d, latent);
    for (size_t i = n; i-- > 0;)
        if (nearest(d, info.n, latent, x + i * d, info.n) > most) {
            *first = i;
            count++;
        }
    return count;
}
