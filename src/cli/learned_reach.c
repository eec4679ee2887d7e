/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned_reach.h"

#include <math.h>
#include <stdio.h>

/* In squared units of the manifold. */
static const double long_time = 0.05;

double learned_long_time(const mst_manifold *m)
{
    mst_learned_info info;
    if (!mst_manifold_is_learned(m) || mst_learned_describe(m, &info) != MST_OK || isnan(info.tube))
        return INFINITY;
    return long_time * info.unit * info.unit;
}

const char *learned_long_time_text(const mst_manifold *m, char text[LONG_TIME_TEXT])
{
    snprintf(text, LONG_TIME_TEXT,
             "from a time of about %.3g on, networks on manifolds of Gaussian processes were "
             "measured to make times too short: 277 instead of 407, and 1.21 instead of 2.21, on "
             "two rings of data; %s",
             learned_long_time(m),
             mst_manifold_dim(m) == 2 ? "--score pde solves the heat equation here"
                                      : "compare --score bridge");
    return text;
}

void learned_warn(const invocation *inv, const mst_manifold *m, double t_max)
{
    char text[LONG_TIME_TEXT];
    if (t_max >= learned_long_time(m))
        warn(inv, "warning: %s", learned_long_time_text(m, text));
}

void learned_json_warnings(mst_json *j, const mst_manifold *m, double t_max)
{
    mst_json_key(j, "warnings");
    mst_json_array(j);
    if (t_max >= learned_long_time(m))
        mst_json_string(j, LONG_TIME_WORD);
    mst_json_end(j);
}

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
