/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include <manistat/mean.h>
#include <manistat/network.h>

mst_mean_kind mst_mean_default_kind(const mst_manifold *m, const mst_score *source)
{
    if (source == NULL)
        return mst_heat_has_exact(m) ? MST_MEAN_DIFFUSION : MST_MEAN_FRECHET;
    if (!mst_score_gives(source, MST_GIVES_TIME))
        return MST_MEAN_FRECHET;
    /* Asked of the network, because its source may be one that allows other times. */
    const mst_network *net = mst_score_network(source);
    if (net == NULL)
        return MST_MEAN_DIFFUSION;
    mst_network_info info = mst_network_describe(net);
    return info.t_min == info.t_max ? MST_MEAN_FRECHET : MST_MEAN_DIFFUSION;
}
