/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Slots of products that have a file of their own (product_derivative.c,
 * product_distances.c). */
#ifndef MST_MANIFOLD_PRODUCT_H
#define MST_MANIFOLD_PRODUCT_H

#include <manistat/manifold.h>

mst_status mst_product_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                      const double *v, const double *dx, const double *dv,
                                      double *dy);
mst_status mst_product_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *w, double *dx, double *dv);
mst_status mst_product_retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *y);
mst_status mst_product_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *f, double *v, double *laplacian);

size_t mst_product_prepared_size(const mst_manifold *m);
mst_status mst_product_prepare(const mst_manifold *m, size_t n, const double *x, double *prepared);
mst_status mst_product_dist_prepared(const mst_manifold *m, size_t n, const double *x,
                                     const double *y, double *r);

#endif
