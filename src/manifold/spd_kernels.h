/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the manifold of symmetric positive definite matrices share. */
#ifndef MST_MANIFOLD_SPD_KERNELS_H
#define MST_MANIFOLD_SPD_KERNELS_H

#include "base/isa.h"
#include "base/lanes.h"

#include <manistat/manifold.h>

/* Up to MST_LANES rows of order n ≤ 4: base points x, then one or two operands, each (count, n, n) or frame
 * coordinates (count, n(n+1)/2); `b` is null where there is one. They return the first row that fails,
 * because a point is not positive definite or the result leaves the range of double, or count; after a
 * failure nothing is written. The output may be an input of the same shape. */
typedef size_t spd_kernel(size_t n, size_t count, const double *x, const double *a, const double *b,
                          double *out);
struct spd_kernels {
    spd_kernel *inner; /* a, b vectors; out (count) */
    spd_kernel *exp;   /* a a vector */
    spd_kernel *log;   /* a points */
    spd_kernel *dist;  /* a points; out (count) */
    spd_kernel *transport;
    spd_kernel *ricci;
    spd_kernel *from_frame;
    spd_kernel *to_frame;
    /* The walk of mst_manifold_ops with steps √h (trace part + factor · trace-free part). */
    size_t (*walk)(size_t n, size_t count, double *x, double root_h, double factor, size_t steps,
                   mst_noise noise);
};
MST_DECLARE_HOT(struct spd_kernels, spd_kernels);

/* The reference: the same manifold through LAPACK for every n, also for those that mst_spd_new gives to the
 * kernels above. */
MST_MUST_USE mst_status mst_spd_plain_new(mst_manifold **out, size_t n);

/* Slots that do not depend on the metric. */
void mst_spd_start(const mst_manifold *m, double *x);
mst_status mst_spd_project(const mst_manifold *m, size_t n, const double *x, double *y);
mst_status mst_spd_validate(const mst_manifold *m, size_t n, const double *x, size_t *row);
/* MST_DOMAIN with the reason why the symmetric matrix x (n, n) has no Cholesky factor. */
mst_status mst_spd_explain(size_t n, const double *x);
double mst_spd_injectivity(const mst_manifold *m);

/* spd_plain.c: slots of any order. */
mst_status mst_spd_plain_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                               const double *v, double *out);
mst_status mst_spd_plain_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *y);
mst_status mst_spd_plain_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *v, unsigned char *flag);
mst_status mst_spd_plain_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *r);
mst_status mst_spd_plain_transport(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *u, double *out);
mst_status mst_spd_plain_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *out);
mst_status mst_spd_plain_from_frame(const mst_manifold *m, size_t n, const double *x,
                                    const double *c, double *v);
mst_status mst_spd_plain_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *c);

/* spd_wide.c: orders 5 to WIDE_ORDER. */
mst_status mst_spd_wide_exp(const mst_manifold *m, size_t n, const double *x, const double *v,
                            double *y);
mst_status mst_spd_wide_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag);
mst_status mst_spd_wide_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r);

size_t mst_spd_wide_prepared_size(const mst_manifold *m);
mst_status mst_spd_wide_prepare(const mst_manifold *m, size_t n, const double *x, double *prepared);
mst_status mst_spd_wide_dist_prepared(const mst_manifold *m, size_t n, const double *x,
                                      const double *y, double *r);

/* spd_derivative.c: Jacobi fields of the affine-invariant metric. */
mst_status mst_spd_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *dx, const double *dv, double *dy);
mst_status mst_spd_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                               const double *u, double *dx, double *dv);
mst_status mst_spd_retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *y);
mst_status mst_spd_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *f, double *v, double *laplacian);

/* spd_chart.c: the chart of the affine-invariant metric. */
/* weighted_spd.c, orders up to MST_SMALL_ORDER */
mst_status mst_spd_weighted_walk(const mst_manifold *m, const mst_weighted_paths *paths);

mst_status mst_spd_chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                                double *u);
mst_status mst_spd_chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *x);
mst_status mst_spd_chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                                double *g);
mst_status mst_spd_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *gamma);
mst_status mst_spd_chart_diffusion(const mst_manifold *m, size_t n, const double *c,
                                   const double *u, double *b, double *sigma);
double mst_spd_chart_radius(const mst_manifold *m);

#endif
