/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds given by their metric in coordinates instead of by their exponential map. The metric comes as the
 * Lagrangian L(x, v) = ½ g_x(v, v) and its derivatives, which is what a formula engine or a program for
 * learned metrics can give without forming Christoffel symbols; everything else of a manifold is found from
 * it: geodesics by integration, their end points' derivatives and parallel transport by the linearised
 * equations, logarithms by following Exp from near to far, curvature from the second derivatives.
 *
 * Rows. A manifold with one chart has rows of its d coordinates, D = d. With an atlas a row is the d
 * coordinates and the number of the chart they belong to, D = d + 1. Rows of vectors and covectors have D
 * columns too; the last one of an atlas is 0 on entry, and need not be written. Slots are called with points
 * of the domain, n ≥ 1, and outputs that overlap no inputs, and may be called from several threads. They are
 * to treat each row as if it were alone. */
#ifndef MANISTAT_METRIC_H
#define MANISTAT_METRIC_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The table. `size`, `name`, `start`, `lagrangian` and `lagrangian_hvp` are required; each other slot
 * may be null and then has the fall-back named beside it. ---- */
typedef struct mst_metric_ops {
    size_t size; /* sizeof(mst_metric_ops): how much of the table the program that fills it knows */
    const char *name; /* family */

    /* The default start, one point. */
    void (*start)(const mst_manifold *m, double *x);
    /* l (n) = L = ½ g_x(v, v), l_x = ∂L/∂x, l_v = ∂L/∂v = g v. */
    mst_status (*lagrangian)(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v);
    /* Their directional derivatives when (x, v) moves along (dx, dv): the Hessian of L applied to it. */
    mst_status (*lagrangian_hvp)(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v);
    /* The Hessian itself, (n, d, d) each: l_vv = g, l_xv with ∂²L/∂x_a ∂v_b at (a, b), l_xx. Only asked for d
     * ≤ 12. Fall-back: columns of lagrangian_hvp. */
    mst_status (*lagrangian_blocks)(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx);

    /* inside (n): is the row a point of the manifold, where the metric is defined? Called with finite rows
     * and valid chart numbers. Fall-back: all are. */
    void (*domain)(const mst_manifold *m, size_t n, const double *x, unsigned char *inside);
    /* As in mst_manifold_ops. What is not closed is not counted as closed; fall-back: unknown. */
    void (*traits)(const mst_manifold *m, mst_manifold_traits *traits);
    /* As in mst_manifold_ops. With it or the trait hadamard, `log` knows when it has
     * found the minimal geodesic. */
    double (*injectivity)(const mst_manifold *m);

    /* An atlas: how many charts there are; 0 or 1: one, and the two slots below are not called. */
    size_t charts;
    /* chart (n): the chart in which the point x should be written, its own or another. Called after every
     * step of an integration or a walk, so steps may lead a little beyond. */
    void (*leave)(const mst_manifold *m, size_t n, const double *x, double *chart);
    /* The points x in the charts `to` (n), y, and vectors v there, w; v and w are null, or both given. NAN in
     * y: the chart does not reach the point. */
    void (*transition)(const mst_manifold *m, size_t n, const double *x, const double *v,
                       const double *to, double *y, double *w);

    /* v = σ ξ with σ σᵀ = g⁻¹, an orthonormal frame, ξ (n, d); and back, ξ = σ⁻¹ v. The two go together.
     * Fall-back: σ = C⁻ᵀ of the Cholesky factor g = C Cᵀ. */
    mst_status (*root)(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       double *v);
    mst_status (*root_inverse)(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *xi);
    /* The drift of Brownian motion in the chart, b = −½ g^jk Γ^i_jk. Fall-back: from lagrangian_hvp. */
    mst_status (*drift)(const mst_manifold *m, size_t n, const double *x, double *b);
    /* The Ricci tensor as an endomorphism. Fall-back: from lagrangian_hvp; d² calls of it for a vector, or d³
     * for all vectors of a point, and the Gauss curvature for d = 2. */
    mst_status (*ricci)(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out);
    /* One step of Brownian motion of time h[i] in the chart, of weak order two, from normals xi (n, d): y, in
     * the chart of x however far that leads, and the vector `arrived` at y to which it carries c = √h σ(x) ξ:
     * the parallel transport to leading order. And reverse mode through it, with xi and h held fixed: for
     * covectors λ at y, Aᵀλ, A = ∂y/∂x. The two go together. Fall-back: a geodesic step with a correction for
     * the Ricci tensor, of which the adjoint is found by differences. */
    mst_status (*step)(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       const double *h, double *y, double *arrived);
    mst_status (*step_adjoint)(const mst_manifold *m, size_t n, const double *x, const double *xi,
                               const double *h, const double *lambda, double *out);

    /* Free the data. Fall-back: the data are not owned. */
    void (*free_data)(void *data);

    /* period (d): coordinates x_k and x_k + period_k are the same point; 0: not periodic. One chart only.
     * Fall-back: none is. */
    void (*period)(const mst_manifold *m, double *period);
    /* A map into R^embedded whose pull-back the metric is, if one is known: f (n, embedded) and jacobian (n,
     * embedded, d), each may be null; and bend (n, d, d) = Σ_k c_k ∂²f_k for c (n, embedded). Geodesics are
     * found faster with it. The two go together; `embedded` is 0 without them. */
    size_t embedded;
    mst_status (*embedding)(const mst_manifold *m, size_t n, const double *x, double *f,
                            double *jacobian);
    mst_status (*embedding_bend)(const mst_manifold *m, size_t n, const double *x, const double *c,
                                 double *bend);

    /* A polygon from x to y that short ways may follow, for metrics that have valleys, where the straight
     * line is a poor first guess: geodesics are sought from both. points (way_points, d) with the ends, along
     * (way_points) its length up to each; *count: how many, 0: none is known that is worth a try. One chart
     * only; `way_points` is 0 without it. */
    size_t way_points;
    mst_status (*way)(const mst_manifold *m, const double *x, const double *y, double *points,
                      double *along, size_t *count);
    /* The relative size of the rounding in L, where large numbers cancel: searches and integrations do not
     * ask for more. 0: that of doubles. */
    double precision;
    /* As in mst_manifold_ops. */
    size_t (*remarks)(const mst_manifold *m, const double *x, double t, size_t most,
                      mst_remark *out);
    /* The metric and its derivatives in all directions at once: g (n, d, d), `first` (n, d, d, d) with ∂_k
     * g_ij at (k, i, j), `second` (n, d, d, d, d) with ∂_k ∂_l g_ij at (k, l, i, j). Either may be null, and
     * if `first` is, so is `second`. Only asked for d ≤ 4 and one chart. With it Brownian paths take a
     * parallel frame along, which makes training fast (`roll` of mst_manifold_ops).
     * Fall-back: they do not. */
    mst_status (*derivatives)(const mst_manifold *m, size_t n, const double *x, double *g,
                              double *first, double *second);
} mst_metric_ops;

/* A manifold of dimension dim from its metric. The table is copied; `data`, which is mst_manifold_data of the
 * manifold in the slots, goes to free_data, also on failure. MST_ARGUMENT if a required
 * slot is empty or the dimension is 0. */
MST_API MST_MUST_USE mst_status mst_metric_new(mst_manifold **out, const mst_metric_ops *ops,
                                               const char *spec, size_t dim, void *data);

/* ---- In space ---- */
/* The dimension of the space that the manifold is mapped into; 0: none is known. */
MST_API size_t mst_manifold_space_dim(const mst_manifold *m);
/* The images f (n, mst_manifold_space_dim) of rows x (n, D). MST_UNABLE if there is no map. */
MST_API MST_MUST_USE mst_status mst_manifold_in_space(const mst_manifold *m, size_t n,
                                                      const double *x, double *f);
/* The periods (d) of its coordinates, 0 for those that have none; all 0 if it has no coordinates. */
MST_API void mst_manifold_periods(const mst_manifold *m, double *period);

#ifdef __cplusplus
}
#endif
#endif
