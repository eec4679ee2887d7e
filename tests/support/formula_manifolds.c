/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas of each kind for the conformance suite, with curvatures near one, which its
 * tolerances are made for. */
#include "manifold/formula_metric.h"
#include "support/manifolds.h"

#include <string.h>

static mst_status from_text(mst_manifold **out, const char *text)
{
    return mst_formula_manifold_new(out, "text.manifold", "text", text, strlen(text), 0, NULL);
}

mst_status formula_torus_new(mst_manifold **out)
{
    return from_text(out, "coordinates u v\nperiod u 2*pi\nperiod v 2*pi\n"
                          "embedding = (2.5 + cos(v))*cos(u), (2.5 + cos(v))*sin(u), sin(v)\n"
                          "compact = yes\nstart = 0, 0");
}

mst_status formula_half_plane_new(mst_manifold **out)
{
    return from_text(out, "coordinates a b\nmetric = 1/b^2\ndomain b > 0\ncompact = no\n"
                          "hadamard = yes\nstart = 0, 1");
}

mst_status formula_cometric_new(mst_manifold **out)
{
    return from_text(out, "coordinates a b\ncometric = b^2\ndomain b > 0\ncompact = no\n"
                          "hadamard = yes\nstart = 0, 1");
}

mst_status formula_ellipsoid_new(mst_manifold **out)
{
    return from_text(out, "coordinates x y z\nconstraint = x^2 + y^2 + (z/0.95)^2 - 1\n"
                          "compact = yes\nstart = 1, 0, 0");
}

/* A flat torus in R⁴, by two equations. */
mst_status formula_clifford_new(mst_manifold **out)
{
    return from_text(out, "coordinates x y z w\nconstraint = x^2 + y^2 - 1, z^2 + w^2 - 1\n"
                          "compact = yes\ninjectivity = pi\nstart = 1, 0, 1, 0");
}
