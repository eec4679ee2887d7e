/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths as piecewise polynomials: M elements of degree p over [0, 1], given by their values at the
 * Gauss–Lobatto–Legendre nodes of each element, so that neighbours share a node. */
#ifndef MST_GEODESIC_MESH_H
#define MST_GEODESIC_MESH_H

#include "base/internal.h"

/* The nodes of one element, on [0, 1], all of degree p: arrays of P = p + 1 numbers. */
typedef struct rule {
    size_t p;
    double *t, *w;       /* nodes and weights */
    double *barycentric; /* weights of interpolation */
    double *d;           /* (P, P): derivatives at node q of the polynomial that is 1 at node j */
    double *square;      /* (P, P, P): w_q d_qi d_qj at (i, j, q) */
    double *stiffness;   /* (P, P): their sums over q */
    double *legendre; /* (3, P): coefficients p − 2, p − 1, p of the Legendre series from values */
    double *block;
} rule;
MST_MUST_USE mst_status rule_new(rule *r, size_t p);
void rule_free(rule *r);

/* `elements` of them, of lengths that differ from path to path. Unknowns are numbered node by node, d for
 * each but the first and the last node; the lower half of a matrix is kept by rows, those of node i from the
 * first node of the element whose inside or right end it is. */
typedef struct mesh {
    const rule *r;
    size_t elements, nodes, unknowns; /* nodes counts the ends, unknowns is (nodes − 2) d */
    size_t d;
    size_t *first, *row; /* (nodes): first unknown of the rows of node i, and where they begin */
    ptrdiff_t *line;     /* (unknowns): column c of row r stands at line[r] + c */
    size_t size;         /* of a matrix */
} mesh;
/* Free it also after a failure. */
MST_MUST_USE mst_status mesh_new(mesh *g, const rule *r, size_t elements, size_t d);
void mesh_free(mesh *g);

/* A path on a mesh of its own. */
typedef struct path {
    size_t elements, p, width; /* width: numbers per node */
    double *x;                 /* (nodes, width) */
    double *breaks;            /* (elements + 1), from 0 to 1 */
    size_t room;               /* doubles at x */
    size_t break_room;
} path;
MST_MUST_USE mst_status path_reserve(path *p, size_t elements, size_t degree, size_t width);
void path_free(path *p);
static inline size_t path_nodes(const path *p)
{
    return p->elements * p->p + 1;
}

/* The values of the path, which is of the rule's degree, at t ∈ [0, 1]. */
void path_at(const path *p, const rule *r, double t, double *x);
/* `to` becomes the same path on more elements or of another degree; with more than one element the breaks
 * share out 2 + |x''|/|x'| evenly. Ends are copied bit by bit. */
MST_MUST_USE mst_status path_refine(const path *from, const rule *old, path *to, const rule *r,
                                    size_t elements);

#endif
