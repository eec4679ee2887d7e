/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a network has not seen: times outside its range, points and pairs that are farther out than its
 * training went. */
#include "score/network.h"

#include <math.h>
#include <string.h>

bool mst_time_within(double t, double least, double largest)
{
    const double rounding = 1e-9;
    return t >= least * (1 - rounding) && t <= largest * (1 + rounding);
}

mst_status mst_network_outside(const mst_network *net, size_t n, const double *x, mst_outside *out)
{
    enum { BLOCK = 1024 };
    /* Training sees a little more than the paths that `reach` was measured with. */
    const double margin = 1.1;
    size_t D = mst_manifold_ambient(net->m);
    double *centre, *r;
    *out = (mst_outside){0};
    if (net->centre == NULL || n == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&centre, BLOCK * (D + 1)));
    r = centre + BLOCK * D;
    for (size_t i = 0; i < BLOCK; i++)
        memcpy(centre + i * D, net->centre, D * sizeof *centre);
    mst_status status = MST_OK;
    for (size_t at = 0; at < n && status == MST_OK; at += BLOCK) {
        size_t rows = n - at < BLOCK ? n - at : BLOCK;
        status = mst_manifold_dist(net->m, rows, centre, x + at * D, r);
        for (size_t i = 0; i < rows && status == MST_OK; i++) {
            if (!(r[i] > margin * net->info.reach))
                continue;
            out->rows++;
            if (r[i] > out->distance) {
                out->distance = r[i];
                out->farthest = at + i;
            }
        }
    }
    mst_release(centre);
    return status;
}

double mst_network_span(const mst_network *net, double t)
{
    /* A path of time t goes √(d t) far, and next to none goes farther by 5 √t. */
    t = t > 0 ? t : net->info.t_min;
    return sqrt(t) * (sqrt((double)mst_manifold_dim(net->m)) + 5);
}
