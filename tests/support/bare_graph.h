/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The graph of a quadratic function with the required slots only, and its closed forms. */
#ifndef TEST_BARE_GRAPH_H
#define TEST_BARE_GRAPH_H

#include "support/manifolds.h"

mst_status bare_graph_new(mst_manifold **out);

/* The Gauss curvature at x. */
double graph_curvature(const double *x);

/* y = Exp_x(v), and u carried there by parallel transport. */
void graph_carry(const double *x, const double *v, const double *u, double *y, double *out);

#endif
