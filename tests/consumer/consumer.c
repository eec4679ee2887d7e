/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include <manistat.h>
#include <stdio.h>

int main(void)
{
    mst_manifold *circle = NULL;
    double a = 3, b = -3, r = 0;
    if (mst_circle_new(&circle) != MST_OK || mst_manifold_dist(circle, 1, &a, &b, &r) != MST_OK)
        return 1;
    printf("manistat %s: %s, distance %.6f\n", mst_version(), mst_manifold_spec(circle), r);
    mst_manifold_free(circle);
    return !(r > 0.283185 && r < 0.283186); /* 2π − 6 */
}
