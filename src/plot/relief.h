/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Surfaces in R^3 as triangles, and triangles as a shaded image that knows what is in front. */
#ifndef MST_PLOT_RELIEF_H
#define MST_PLOT_RELIEF_H

#include "plot/picture.h"

typedef struct relief {
    size_t count, capacity; /* of corners, three to a triangle */
    double *at, *normal;    /* (count, 3) */
} relief;
void relief_free(relief *g);

/* Is it a surface in R^3, by a map or by an equation? */
bool relief_suits(const mst_manifold *m);
/* The points of the surface in R^3, (n, 3). */
MST_MUST_USE mst_status relief_points(const mst_manifold *m, size_t n, const double *x,
                                      double *out);
/* Of the whole surface if it closes, else of the part about the points of the picture; *part says which. */
MST_MUST_USE mst_status relief_of_map(relief *g, const mst_picture *p, bool *part);
MST_MUST_USE mst_status relief_of_equation(relief *g, const mst_picture *p, bool *part);
MST_MUST_USE mst_status relief_add(relief *g, const double *const at[3],
                                   const double *const normal[3]);

/* All points of the picture in the coordinates of the manifold: calls `take` with batches. */
typedef void relief_taker(void *context, size_t n, const double *x);
void relief_visit(const mst_picture *p, relief_taker *take, void *context);

typedef struct relief_view {
    double right[3], up[3], toward[3];
    double low[2], high[2], deep; /* ranges on the page, and how deep the surface is */
    double left, top, scale;      /* on the page */
    size_t columns, rows;
    double dots;
    double *depth; /* (rows, columns), along `toward`; −∞: nothing is there */
} relief_view;
/* Seen from the side of the normal at x, tilted so that the third axis points up. */
void relief_view_turn(relief_view *v, const double *middle, const double *x, const double *normal);
/* Draws the surface as wide as `width`, and keeps the depths. Free them with mst_release. */
MST_MUST_USE mst_status relief_draw(relief_view *v, canvas *c, const relief *g, double left,
                                    double top, double width);
/* Where a point of R^3 is on the page; true if nothing is in front of it. */
bool relief_view_place(const relief_view *v, const double *at, double xy[2]);

#endif
