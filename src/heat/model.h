/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The spaces of radial.h at any size: which one a manifold of constant curvature is, and its heat kernel in
 * the manifold's own units. Multiplying lengths by s multiplies times by s² and densities by s^−m. */
#ifndef MST_HEAT_MODEL_H
#define MST_HEAT_MODEL_H

#include "heat/radial.h"

#include <manistat/manifold.h>

typedef struct heat_model {
    enum {
        HEAT_NO_MODEL,
        HEAT_SPHERE,     /* of radius 1 */
        HEAT_ROTATIONS,  /* the three-sphere of radius 2, opposite points being one */
        HEAT_HYPERBOLIC, /* of curvature −1 */
    } kind;
    size_t dim;
    double scale; /* lengths of the manifold times this are those of the model */
} heat_model;

/* From the curvature and the injectivity radius. Positive curvature κ with the injectivity radius π/√κ is a
 * sphere, and with half of that a projective space, of which dimension three has a
 * kernel; closed curves are circles. */
heat_model heat_model_of(const mst_manifold *m);
/* The simply connected space of dimension dim ≥ 2 and constant curvature; none for curvature 0. */
heat_model heat_model_simply_connected(size_t dim, double curvature);

/* Infinite on hyperbolic space. */
double heat_model_cut_distance(const heat_model *model);
/* sin_κ r, the radius of a geodesic sphere, and its derivative; `rest` is the distance
 * from r to the cut locus. */
double heat_model_sine(const heat_model *model, double r);
double heat_model_cosine(const heat_model *model, double r, double rest);
/* As the functions of radial.h, with `rest` for eps. */
void heat_model_kernel(const heat_model *model, size_t n, const double *r, const double *rest,
                       const double *t, const mst_radial_out *out);

#endif
