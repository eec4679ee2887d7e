/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat kernels of many sources for times from `time` to twice that, on two grids: the second is coarser
 * and reaches farther, and the difference tells the error.
 *
 * With A = ½M⁻¹K and B = (I + γA)⁻¹ the kernel is e^{−tA} M⁻¹b = g(B) (M + ½γK)⁻¹ b, b the values of the
 * products at the source, g(x) = e^{−(t/γ)(1/x − 1)}/x. All eigenvalues of B lie in (0, 1], where g is a
 * series of Chebyshev polynomials that converges fast: 36 solutions with one and the same factor give all
 * times to 1e-13. Modes that the grid does not resolve have x → 0 and vanish, as they do in an L-stable
 * method. In time the solutions are interpolated by a polynomial at Chebyshev's points, to 1e-12. */
#ifndef MST_PDE_WINDOW_H
#define MST_PDE_WINDOW_H

#include "pde/kernels.h"

typedef struct pde_window {
    double time;
    size_t n; /* sources */
    pde_grid grid[2];
    double *fields[2]; /* (n, unknowns, PDE_TIMES) */
    double *lost[2];   /* (n, PDE_TIMES): the share of the heat at or beyond the rim */
    double *series;    /* (terms, PDE_TIMES) */
    bool at_edge;      /* the domain ends where there still is heat */
} pde_window;

typedef struct pde_limits {
    double refine; /* cells are shorter by this */
    size_t unknowns, bytes;
} pde_limits;

/* Grids for sources (n, 2), and room for their fields. MST_UNABLE where there would be too many unknowns, and
 * MST_MEMORY where the fields would be larger than the limit. */
MST_MUST_USE mst_status pde_window_new(pde_window **out, const pde_plane *p, size_t n,
                                       const double *x, double time, const pde_limits *limits);
void pde_window_free(pde_window *w);
size_t pde_window_bytes(const pde_window *w);

/* The work is done by blocks in any order, by any threads. */
size_t pde_window_blocks(const pde_window *w);
MST_MUST_USE mst_status pde_window_block(pde_window *w, const double *x, size_t block);

/* Weights of the kept times for a time and for the derivative there. */
void pde_window_weights(const pde_window *w, double t, double weight[2 * PDE_TIMES]);

/* p, ∂_t p and the derivatives of p by u, v, uu, uv, vv. */
typedef struct pde_value {
    double p, dt, first[2], second[3];
} pde_value;
pde_value pde_window_value(const pde_window *w, size_t grid, size_t source, const pde_stencil *s,
                           const double *weight);
/* The share of a source's heat that is at the rim of the grid, or has left. */
double pde_window_lost(const pde_window *w, size_t source, const double *weight);

#endif
