/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A closed surface and smooth functions on it, of which eigenfunctions are made. There are two kinds: charts
 * with two periods, whose functions are waves; and surfaces in R³ by one equation that every ray from a
 * centre meets once, whose functions are spherical harmonics of the direction. */
#ifndef MST_SPECTRAL_SURFACE_H
#define MST_SPECTRAL_SURFACE_H

#include "base/internal.h"
#include "pde/plane.h"

/* What is known of a function at a point: its value, its derivatives along the frame of mst_manifold_frame,
 * and its second covariant derivatives 11, 12, 22 there. */
enum { SURFACE_VALUE, SURFACE_FIRST, SURFACE_SECOND = 3, SURFACE_ROWS = 6 };

typedef struct closed_surface closed_surface;

typedef struct surface_kind {
    /* Points (D) and positive weights that integrate products of the functions with respect to the
     * area; the caller releases both. */
    mst_status (*nodes)(const closed_surface *s, size_t *n, double **points, double **weights);
    /* The first `rows` of the above at one point x (D), rows (rows, functions); `frame` is that of x,
     * `work` has surface_work numbers. */
    mst_status (*functions)(const closed_surface *s, const double *x, const double *frame,
                            size_t rows, double *work, double *out);
} surface_kind;

struct closed_surface {
    const surface_kind *kind;
    const mst_manifold *m; /* borrowed */
    size_t functions;
    size_t work; /* numbers that `functions` needs */
    /* Waves: the chart, and up to how many periods each coordinate has; the pairs of numbers of waves that
     * are taken, (k, l) with k = 0, then cosine and sine of 1, 2 …, in turn. */
    pde_plane plane;
    size_t waves[2];
    unsigned short *pair; /* (functions, 2) */
    /* Rays: where they come from and how wide the surface is along the axes; the harmonics are those of the
     * direction of (x − centre)/width. How far rays are looked along, and the degree of the harmonics. */
    double centre[3], width[3];
    size_t far;
    size_t degree;
};

/* With about so many functions. MST_UNABLE, with the reason, where the manifold is something else. */
MST_MUST_USE mst_status closed_surface_new(closed_surface **out, const mst_manifold *m,
                                           size_t functions);
void closed_surface_free(closed_surface *s); /* null allowed */

/* The two kinds; the surface has its manifold. */
MST_MUST_USE mst_status surface_of_waves(closed_surface *s, size_t functions);
MST_MUST_USE mst_status surface_of_rays(closed_surface *s, size_t functions);

#endif
