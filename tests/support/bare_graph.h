/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The graph of a quadratic function with the required slots only, and its closed forms. */
#ifndef TEST_BARE_GRAPH_H
#define TEST_BARE_GRAPH_H

#include "support/manifolds.h"

enum { GRAPH_COLUMNS = 4 };
mst_status bare_graph_new(mst_manifold **out);

/* Ric u at x, by Gauss's equation. */
void graph_ricci(const double *x, const double *u, double *out);

/* y = Exp_x(v), and u carried there by parallel transport. */
void graph_carry(const double *x, const double *v, const double *u, double *y, double *out);

#endif
