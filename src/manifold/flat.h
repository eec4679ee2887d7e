/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Slots of manifolds whose ambient coordinates are flat ones (D = d, metric the identity). */
#ifndef MST_MANIFOLD_FLAT_H
#define MST_MANIFOLD_FLAT_H

#include <manistat/manifold.h>

void mst_flat_start(const mst_manifold *m, double *x);
mst_status mst_flat_validate(const mst_manifold *m, size_t n, const double *x, size_t *row);
mst_status mst_flat_tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                            double *v);
mst_status mst_flat_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                          const double *v, double *out);
mst_status mst_flat_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                          double *v);
mst_status mst_flat_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *u, double *out);
/* y = x + v, v = y − x: flat coordinates that do not wrap. */
mst_status mst_flat_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *y);
mst_status mst_flat_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                        double *v, unsigned char *flag);
double mst_flat_injectivity(const mst_manifold *m); /* INFINITY */
/* Of flat manifolds that Exp maps one-to-one and that have a parallel frame. */
void mst_flat_traits(const mst_manifold *m, mst_manifold_traits *out);
/* The same for matrices: sym.c. */
void mst_flat_symmetric_traits(const mst_manifold *m, mst_manifold_traits *out);
/* The four below do not look at D: any flat manifold in flat coordinates may use them
 * (ricci: (n, D) zeros). */
mst_status mst_flat_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                          double *out);
mst_status mst_flat_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                           double *g);
mst_status mst_flat_christoffel(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *gamma);
mst_status mst_flat_diffusion(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *b, double *sigma);
double mst_flat_radius(const mst_manifold *m);

#endif
