/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Gauss's rule. */
#ifndef MST_BASE_GAUSS_H
#define MST_BASE_GAUSS_H

#include <stddef.h>

/* Nodes, ascending, and weights (n) on [0, 1]: polynomials of degree 2n − 1 are integrated exactly. */
void mst_gauss_rule(size_t n, double *node, double *weight);

#endif
