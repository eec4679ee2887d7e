/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The arithmetic of a sweep over eight paths at once, compiled per instruction set. */
#ifndef MST_GEODESIC_SWEEP_KERNELS_H
#define MST_GEODESIC_SWEEP_KERNELS_H

#include "base/isa.h"
#include "geodesic/eight.h"
#include "geodesic/mesh.h"

/* Everything about eight paths on one mesh. Arrays are by columns: number k of node i stands at k·nodes + i,
 * and of point q of element e at k·points + e·P + q. Interfaces are one node but two points. */
typedef struct sweep_room {
    const mesh *g;
    size_t width;     /* numbers of a node: d, or D of a constraint */
    size_t space;     /* D of the embedding or constraint */
    size_t count;     /* constraints */
    size_t points;    /* elements · P */
    eight *h, *per_h; /* (elements): lengths of the elements, and 1/h */
    eight *base;      /* (width): of the metric form, what x is counted from */
    eight *x;         /* (width, nodes) */
    eight *energy;    /* 1 */
    eight *gradient;  /* (d, nodes), with the ends */
    /* the metric form: points, velocities, L and its derivatives */
    eight *xq, *vq, *l, *l_x, *l_v, *l_vv, *l_xv, *l_xx;
    /* the ambient forms: places f (space, nodes), velocities (space, points) also in vq, forces K f (space,
     * nodes), frames (space·d, nodes), Hessians in them (d·d, nodes) */
    eight *f, *force, *frame, *bend;
    /* constraints: values (count, nodes), gradients (count·space, nodes), multipliers (count, nodes),
     * the Hessian Σ λ ∇²h (space², nodes) */
    eight *value, *normal, *lambda, *curl;
    eight *room; /* 2 space·points + count (space + count + 3) + space (d + 3) */
} sweep_room;

struct sweep_kernels {
    /* The metric form: xq and vq from x; energy and gradient; the matrix, with or without the terms that may
     * make it indefinite; and its product with s (d, nodes), rows of the ends included. */
    void (*metric_points)(const sweep_room *r);
    void (*metric_gradient)(const sweep_room *r);
    void (*metric_matrix)(const sweep_room *r, bool full, eight *matrix);
    void (*metric_product)(const sweep_room *r, bool full, const eight *s, eight *out);
    /* The rows of the ends only, of the whole matrix and for s that is 0 there. */
    void (*metric_ends)(const sweep_room *r, const eight *s, eight *out);
    /* The ambient forms. `motion`: vq, force and energy from f; gradient from force and frame. */
    void (*motion)(const sweep_room *r);
    void (*ambient_gradient)(const sweep_room *r);
    void (*ambient_matrix)(const sweep_room *r, bool full, eight *matrix);
    void (*ambient_product)(const sweep_room *r, bool full, const eight *s, eight *out);
    void (*ambient_ends)(const sweep_room *r, const eight *s, eight *out);
    /* Constraints: frames and multipliers from normals and forces; `bend` from `curl`; one step of Newton's
     * method along the normals, 0 where it is rounding: does any path still move? */
    void (*tangent_frames)(const sweep_room *r);
    void (*frame_bend)(const sweep_room *r);
    bool (*project)(const sweep_room *r);
};

struct cholesky_kernels {
    /* Cholesky's factor in place, with the reciprocal diagonal; ok becomes 0 in lanes without one. And
     * b ← A⁻¹ b. */
    void (*factor)(const mesh *g, eight *matrix, eight *inverse, eight *ok);
    void (*solve)(const mesh *g, const eight *matrix, const eight *inverse, eight *b);
};

MST_DECLARE_HOT(struct sweep_kernels, sweep_kernels);
MST_DECLARE_HOT(struct cholesky_kernels, cholesky_kernels);

#endif
