/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The kinds of manifolds with a closed-form heat kernel. */
#ifndef MST_HEAT_KERNEL_PARTS_H
#define MST_HEAT_KERNEL_PARTS_H

#include "manifold/internal.h"

#include <manistat/heat.h>

/* Rows of one call of a part. */
enum { HEAT_BLOCK = 256 };

typedef struct heat_part {
    bool (*fits)(const mst_manifold *m);
    mst_status (*run)(const mst_manifold *m, size_t n, const double *x, const double *y,
                      const double *t, const mst_heat_values *out);
} heat_part;

/* Flat and simply connected: Rⁿ, sym, log-Euclidean spd, spd:1, hyperbolic:1. */
bool heat_gaussian_fits(const mst_manifold *m);
mst_status heat_gaussian(const mst_manifold *m, size_t n, const double *x, const double *y,
                         const double *t, const mst_heat_values *out);
/* Circles, one per angle. */
bool heat_torus_fits(const mst_manifold *m);
mst_status heat_torus(const mst_manifold *m, size_t n, const double *x, const double *y,
                      const double *t, const mst_heat_values *out);
/* Constant curvature, and not too many points identified: sphere, hyperbolic, so3. */
bool heat_radial_fits(const mst_manifold *m);
mst_status heat_radial(const mst_manifold *m, size_t n, const double *x, const double *y,
                       const double *t, const mst_heat_values *out);
/* A line beside such a space, as spd:2 is. */
bool heat_line_fits(const mst_manifold *m);
mst_status heat_line(const mst_manifold *m, size_t n, const double *x, const double *y,
                     const double *t, const mst_heat_values *out);
bool heat_product_fits(const mst_manifold *m);
mst_status heat_product(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const double *t, const mst_heat_values *out);

/* `run` on each factor of a product, on its columns of the rows; numbers add up, vectors and matrices stand
 * side by side. */
typedef mst_status heat_block_function(const mst_manifold *m, size_t n, const double *x,
                                       const double *y, const double *t,
                                       const mst_heat_values *out);
mst_status heat_add_factors(const mst_manifold *m, size_t n, const double *x, const double *y,
                            const double *t, const mst_heat_values *out, heat_block_function *run);
/* The Hessian across·I + (along − across) e eᵀ of a radial function, e the direction of c (d), whose square
 * may be beyond the range of doubles; where c vanishes, along = across. */
void heat_radial_hessian(size_t d, const double *c, double along, double across, double *h);
/* Up to HEAT_BLOCK rows of any manifold with a closed form. */
mst_status heat_block(const mst_manifold *m, size_t n, const double *x, const double *y,
                      const double *t, const mst_heat_values *out);
/* The same outputs, from row `row` on. */
mst_heat_values heat_values_at(const mst_heat_values *v, const mst_manifold *m, size_t row);

#endif
