/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian paths of manifolds from formulas or a metric. A path takes an orthonormal frame along by parallel
 * transport, and its noise is given in that frame, as if the manifold rolled on R^d: what belongs to
 * different points of the path is then compared by coordinates in the frame, and nothing has to be carried
 * back. Points and frames stand by columns, and every program works on all paths of a block at once. */
#ifndef MST_MANIFOLD_ROLLING_H
#define MST_MANIFOLD_ROLLING_H

#include "formula/builder.h"
#include "formula/columns.h"
#include "formula/file.h"
#include "formula/program.h"

#include <manistat/manifold.h>

/* Larger ones are left to the general walks. */
enum { ROLLING_DIM = 4, ROLLING_AMBIENT = 12 };

/* Variables of the programs: the point x (D), the vectors of the frame e (d, D), the way b (d) in the frame.
 * Vectors have D components, D = d in a chart. */
/* Instead of programs, with states (D + d·D, n) of points and frames by columns: the derivatives of the state
 * along the ways b (d, n); and frames (d, D, n) with their Ricci tensors (·, n), `frame` null: not wanted.
 * Both may leave a path alone, whose numbers are then not looked at: the first where b is 0. */
typedef mst_status rolling_slopes(const mst_manifold *m, size_t n, const double *state,
                                  const double *b, double *out);
typedef mst_status rolling_arrival(const mst_manifold *m, size_t n, const double *state,
                                   double *frame, double *ricci);

typedef struct rolling {
    size_t d, D; /* d = 0: there are no programs */
    bool projects;
    formula_program slope; /* (x, e, b) to the derivatives of x and e along the geodesic */
    formula_program
        arrive;           /* (x, e) to an orthonormal frame next to e, and the Ricci tensor in it */
    formula_program pull; /* of constraints: x to a point much nearer to the manifold */
    const formula_program *bounds; /* or null */
    rolling_slopes *slopes;        /* both, or null: by programs */
    rolling_arrival *arrival;
    const double *period; /* (D) or null */
} rolling;

/* Numbers of a Ricci tensor: Gauss's curvature of a surface, else the lower triangle by rows. */
static inline size_t rolling_ricci_size(size_t d)
{
    return d == 2 ? 1 : d * (d + 1) / 2;
}

/* From the formulas of a metric, cometric or embedding in two coordinates, and from constraints. Where the
 * manifold is too large, or its formulas become so, d = 0. */
MST_MUST_USE mst_status rolling_of_surface(rolling *r, formula_file *file);
MST_MUST_USE mst_status rolling_of_constraint(rolling *r, formula_file *file);
void rolling_release(rolling *r);
/* Gives the manifold the slots below, if there are programs; `period` (D) may be null. */
void rolling_attach(mst_manifold *m, rolling *r, formula_columns *columns, const double *period);

/* What the two share (rolling_programs.c): the program of these nodes, unless making them failed. */
MST_MUST_USE mst_status rolling_compile(builder *b, formula_program *p, size_t count,
                                        const formula_node *nodes);
/* Gives up what was too large, and lets other failures through. */
MST_MUST_USE mst_status rolling_settle(rolling *r, mst_status status);
formula_node rolling_variable(builder *b, size_t number);
/* The derivatives of nodes when the variables x (D) move at the rates `along`. */
void rolling_derive(builder *b, size_t D, const formula_node *along, size_t count,
                    const formula_node *nodes, formula_node *out);

/* The slots below with other programs than those of the manifold's columns. */
MST_MUST_USE mst_status rolling_roll(const mst_manifold *m, const rolling *r,
                                     const mst_rolling_paths *paths);
MST_MUST_USE mst_status rolling_walk(const mst_manifold *m, const rolling *r, size_t n, double *x,
                                     double h, size_t steps, mst_noise noise);

/* ---- Slots ---- */
mst_status mst_rolling_roll(const mst_manifold *m, const mst_rolling_paths *paths);
mst_status mst_rolling_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                            mst_noise noise);

#endif
