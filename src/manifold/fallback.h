/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a manifold does where its table has no slot; see mst_manifold_ops for what each promises. All of
 * them need the required slots only. */
#ifndef MST_MANIFOLD_FALLBACK_H
#define MST_MANIFOLD_FALLBACK_H

#include "manifold/internal.h"

mst_status mst_fallback_validate(const mst_manifold *m, size_t n, const double *x, size_t *row);

/* frame.c */
mst_status mst_fallback_frame(const mst_manifold *m, size_t n, const double *x, double *e);
mst_status mst_fallback_from_frame(const mst_manifold *m, size_t n, const double *x,
                                   const double *c, double *v);
mst_status mst_fallback_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 double *c);
mst_status mst_fallback_random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                                     double *x);

/* shooting.c */
mst_status mst_fallback_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag);
mst_status mst_fallback_dist(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *r);

/* polar.c */
mst_status mst_fallback_polar(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *v, double *r, double *rest);

/* transport.c */
mst_status mst_fallback_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  const double *u, double *out);

/* derivative.c */
mst_status mst_fallback_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                       const double *v, const double *dx, const double *dv,
                                       double *dy);
mst_status mst_fallback_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *w, double *dx, double *dv);
/* derivative_constant.c: the same where the traits say a constant curvature. */
mst_status mst_constant_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                       const double *v, const double *dx, const double *dv,
                                       double *dy);
mst_status mst_constant_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, const double *w, double *dx, double *dv);

/* toward.c */
mst_status mst_fallback_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                               double *f, double *v, double *laplacian);
/* With a closed `log`: ½r² itself, Log and, by the derivatives of Exp, −div Log. It is smooth up to the cut
 * locus only. */
mst_status mst_log_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                          double *f, double *v, double *laplacian);
/* toward_chord.c: the last resort of it. */
mst_status mst_chord_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *f, double *v, double *laplacian);

/* normal_chart.c */
mst_status mst_fallback_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *out);
mst_status mst_fallback_ricci_twice(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *first, double *second);
mst_status mst_fallback_chart_coords(const mst_manifold *m, size_t n, const double *c,
                                     const double *x, double *u);
mst_status mst_fallback_chart_point(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *x);
mst_status mst_fallback_chart_metric(const mst_manifold *m, size_t n, const double *c,
                                     const double *u, double *g);
mst_status mst_fallback_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                          const double *u, double *gamma);
double mst_fallback_chart_radius(const mst_manifold *m);
mst_status mst_fallback_chart_diffusion(const mst_manifold *m, size_t n, const double *c,
                                        const double *u, double *b, double *sigma);

/* walk.c */
mst_status mst_fallback_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                             mst_noise noise);

#endif
