/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "spectral/surface.h"

#include "manifold/in_space.h"

mst_status closed_surface_new(closed_surface **out, const mst_manifold *m, size_t functions)
{
    MST_TRY(mst_allocate_zero(out, 1));
    (*out)->m = m;
    mst_status status = MST_OK;
    if (mst_manifold_dim(m) != 2 || !mst_has_root(m))
        status =
            mst_fail(MST_UNABLE,
                     "eigenfunctions are found on closed surfaces from a formula file: charts with "
                     "two periods, or one constraint in three coordinates; %s is none",
                     mst_manifold_spec(m));
    else
        status = mst_has_equations(m) ? surface_of_rays(*out, functions)
                                      : surface_of_waves(*out, functions);
    if (status != MST_OK) {
        closed_surface_free(*out);
        *out = NULL;
    }
    return status;
}

void closed_surface_free(closed_surface *s)
{
    if (s != NULL)
        mst_release(s->pair);
    mst_release(s);
}
