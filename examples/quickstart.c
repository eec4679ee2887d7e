/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The program that README.md shows: one Brownian path on S², and how far the motion got. */

#include <manistat.h>
#include <stdio.h>

int main(void)
{
    mst_manifold *sphere = NULL;
    double x[3] = {0, 0, 1}, y[3], r = 0;
    mst_brownian_options options = mst_brownian_options_default();
    if (mst_manifold_parse(&sphere, "sphere:2") != MST_OK ||
        mst_brownian_endpoints(sphere, 1, x, 0.5, &options, y) != MST_OK ||
        mst_manifold_dist(sphere, 1, x, y, &r) != MST_OK)
        fprintf(stderr, "%s\n", mst_error_detail());
    else
        printf("from the pole to (%.3f, %.3f, %.3f), %.3f away\n", y[0], y[1], y[2], r);
    mst_manifold_free(sphere);
    return r > 0 && r < 3.14159265358979 ? 0 : 1;
}
