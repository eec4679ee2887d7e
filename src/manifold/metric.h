/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files that make a manifold of a metric share. Vectors and covectors are packed here, (n, d)
 * without the column of the chart; points are rows (n, D).
 *
 * Geodesics are integrated as the Euler–Lagrange equations in (x, p), p = ∂L/∂v: x' = v = g⁻¹p, p' = ∂L/∂x.
 * In this form their linearisation needs the second derivatives of L only. */
#ifndef MST_MANIFOLD_METRIC_H
#define MST_MANIFOLD_METRIC_H

#include "manifold/internal.h"

#include <manistat/metric.h>

struct mst_metric {
    mst_metric_ops ops;
};

/* Up to this dimension matrices of second derivatives are formed. */
enum { METRIC_DENSE = 12 };
/* And up to this one the slot `derivatives` is asked. */
enum { METRIC_DIRECTIONS = 4 };

/* ---- Evaluation (metric_eval.c) ---- */

/* Scratch for up to `rows` points with up to `fields` vectors each. */
typedef struct metric_work {
    size_t rows;
    double *x, *a, *b, *c;   /* (rows·most, D): what slots are called with */
    double *l, *l_x, *l_v;   /* (rows·most), (rows·most, D) twice: what they give */
    double *g, *l_xv, *l_xx; /* (rows, d, d) */
    double *first, *second;  /* (rows·most, d) */
    double *block;
} metric_work;
MST_MUST_USE mst_status metric_work_new(metric_work *w, const mst_manifold *m, size_t rows,
                                        size_t fields);
void metric_work_free(metric_work *w);

/* Is each row a finite point of the domain? */
void metric_inside(const mst_manifold *m, size_t n, const double *x, unsigned char *inside);
/* g (n, d, d), from w->rows points at most. */
MST_MUST_USE mst_status metric_tensor(const mst_manifold *m, size_t n, const double *x,
                                      metric_work *w, double *g);
/* Its Cholesky factors, lower triangles; NAN where g is not positive definite. */
MST_MUST_USE mst_status metric_factor(const mst_manifold *m, size_t n, const double *x,
                                      metric_work *w, double *factor);
/* ∂L/∂x and p = g v (n, d). l_x may be null. */
MST_MUST_USE mst_status metric_slope(const mst_manifold *m, size_t n, const double *x,
                                     const double *v, metric_work *w, double *l_x, double *p);
/* The Hessian of L at (x, v), applied to `fields` pairs (dx, dv) a point, all (n·fields, d); v has one row a
 * point, or with `each` one a pair. dx or dv null: zero. */
MST_MUST_USE mst_status metric_hvp(const mst_manifold *m, size_t n, size_t fields, const double *x,
                                   const double *v, bool each, const double *dx, const double *dv,
                                   metric_work *w, double *dl_x, double *dl_v);
/* ½(∂g(v, u) + sign·(∂_u g v − ∂_v g u)), a covector, for `fields` vectors u a point. Sign −1: the derivative
 * of g u for parallel u along v. Sign 1: what ∇_u v lacks of δp, the change of p = g v when x moves along u:
 * δp = g ∇_u v + that. */
MST_MUST_USE mst_status metric_turn(const mst_manifold *m, size_t n, size_t fields, const double *x,
                                    const double *v, const double *u, double sign, metric_work *w,
                                    double *out);
/* The covectors g Γ(u, u) (n·fields, d). */
MST_MUST_USE mst_status metric_bend(const mst_manifold *m, size_t n, size_t fields, const double *x,
                                    const double *u, metric_work *w, double *out);

/* C of one matrix g = C Cᵀ, zeros above; NAN if there is none. */
void metric_cholesky(size_t d, const double *g, double *c);
/* With a factor C of g: v = g⁻¹ p (in place allowed), Cᵀ v, C⁻¹ p, and C⁻ᵀ ξ. */
void metric_raise(size_t d, const double *c, const double *p, double *v);
void metric_lower_root(size_t d, const double *c, const double *v, double *xi);
void metric_momentum_root(size_t d, const double *c, const double *p, double *xi);
void metric_raise_root(size_t d, const double *c, const double *xi, double *v);
double metric_length(size_t n, const double *a);

/* Rows (n, D) to packed ones and back; the chart's column becomes 0. */
void metric_pack(const mst_manifold *m, size_t n, const double *rows, double *packed);
void metric_unpack(const mst_manifold *m, size_t n, const double *packed, double *rows);

/* Coordinates, or differences of them, by the nearest to 0 that are the same modulo the periods; room (d). */
void metric_wrap(const mst_manifold *m, double *x, double *room);
/* The chart that x should be in. */
double metric_chart_for(const mst_manifold *m, const double *x);
/* One point in the chart `to`, with `count` packed vectors at it, in place. MST_DOMAIN if
 * the chart does not reach it. */
MST_MUST_USE mst_status metric_change_chart(const mst_manifold *m, double to, double *x,
                                            size_t count, double *vectors);

/* The relative size of the rounding in what it says; 0: that of doubles, or it has no metric. */
static inline double metric_precision(const mst_manifold *m)
{
    return m->metric != NULL ? m->metric->ops.precision : 0;
}

/* ---- Integration (metric_flow.c) ---- */

/* What goes along with geodesics: nothing; Jacobi fields (δx, δp); parallel covectors. */
typedef enum flow_kind { FLOW_ALONE, FLOW_JACOBI, FLOW_CARRY } flow_kind;

enum { FLOW_ROWS = 16 };

typedef struct flow {
    const mst_manifold *m;
    flow_kind kind;
    size_t fields, share,
        width;        /* a row has `fields` fields of `share` numbers, and `width` in all */
    double tolerance; /* of a step, against the length of the geodesic; set by flow_new */
    size_t most;      /* steps before it gives up; set by flow_new */
    metric_work room;
    double *stage, *point; /* (13, rows, width), (rows, D) */
    double *now, *trial, *base, *momenta,
        *speeds;            /* (rows, width) twice, (rows, D), (rows, d) twice */
    double *factor, *first; /* (rows, d, d): of the stage, of the step's beginning */
    double *field, *slope;  /* (rows·fields, 2d) */
    double *block;
} flow;
MST_MUST_USE mst_status flow_new(flow *f, const mst_manifold *m, flow_kind kind, size_t fields);
void flow_free(flow *f);

/* Geodesics over the parameter from 0 to 1, n ≤ FLOW_ROWS. state (n, width): the way from `base` (n, D) in
 * coordinates, 0 on entry; p; the fields. base + way is the end point: after more than one step, or in
 * another chart, base is a point on the way. */
MST_MUST_USE mst_status flow_run(flow *f, size_t n, double *base, double *state);
/* One step of length h (n) by the classical method of order four, in the same chart. */
MST_MUST_USE mst_status flow_once(flow *f, size_t n, const double *base, const double *h,
                                  double *state);
/* The end point as a row. */
void flow_end(const flow *f, const double *base, const double *state, double *y);

/* Jacobi fields given by packed J and ∇_v J to (δx, δp) at (x, p) and back, `fields` of them at one point. */
MST_MUST_USE mst_status flow_set_fields(flow *f, const double *x, const double *p, const double *j,
                                        const double *dj, double *field);
MST_MUST_USE mst_status flow_get_fields(flow *f, const double *x, const double *p,
                                        const double *field, double *j, double *dj);

/* ---- Slots of mst_manifold_ops ---- */
mst_status metric_exp(const mst_manifold *m, size_t n, const double *x, const double *v, double *y);
mst_status metric_transport(const mst_manifold *m, size_t n, const double *x, const double *v,
                            const double *u, double *out);
mst_status metric_exp_derivative(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dy);
/* Rows that come in runs of one length with the same x and v are fields along the same geodesic: that length,
 * or an equal part of it with at most so many. */
size_t metric_fields_of(const mst_manifold *m, size_t n, const double *x, const double *v,
                        size_t most);
mst_status metric_exp_adjoint(const mst_manifold *m, size_t n, const double *x, const double *v,
                              const double *w, double *dx, double *dv);
mst_status metric_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                         double *f, double *v, double *laplacian);
/* The same through a map into Euclidean space (metric_toward_map.c). */
mst_status metric_map_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                             double *f, double *v, double *laplacian);
mst_status metric_step(const mst_manifold *m, size_t n, const double *x, const double *xi,
                       const double *h, double *y, double *arrived);
mst_status metric_step_adjoint(const mst_manifold *m, size_t n, const double *x, const double *xi,
                               const double *h, const double *w, double *out);
mst_status metric_log(const mst_manifold *m, size_t n, const double *x, const double *y, double *v,
                      unsigned char *flag);
mst_status metric_from_frame(const mst_manifold *m, size_t n, const double *x, const double *c,
                             double *v);
mst_status metric_to_frame(const mst_manifold *m, size_t n, const double *x, const double *v,
                           double *c);
mst_status metric_ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out);
/* Are second derivatives matrices? Then R_jl (n, d, d), and Cholesky factors of g (metric_ricci_dense.c). */
bool metric_ricci_is_dense(const mst_manifold *m);
MST_MUST_USE mst_status metric_ricci_dense(const mst_manifold *m, size_t n, const double *x,
                                           double *ricci, double *factor);
/* Can the slot `derivatives` be called? */
bool metric_has_derivatives(const mst_manifold *m);
/* What that slot gives, by calls of lagrangian_blocks. */
mst_status metric_derivatives_by_blocks(const mst_manifold *m, size_t n, const double *x, double *g,
                                        double *first, double *second);
/* Of one point, from what that slot gives: the factor and the inverse of g; Γ_nij and Γⁿ_ij at (n, i, j); and
 * R_jl, room `mean` (d). */
void metric_invert(size_t d, const double *g, double *factor, double *inverse);
void metric_connection(size_t d, const double *inverse, const double *first, double *low,
                       double *high);
void metric_ricci_tensor(size_t d, const double *inverse, const double *low, const double *high,
                         const double *second, double *mean, double *ricci);
mst_status metric_near_log(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *v);
/* Gives the manifold the slots `roll`, `walk` and `near_log`, if it has those derivatives (metric_roll.c). */
void metric_attach_roll(mst_manifold *m);
/* Ric(e, e) of the vectors of the frames at x, out (n, d). */
mst_status metric_ricci_diagonal(const mst_manifold *m, size_t n, const double *x, double *out);
mst_status metric_chart_coords(const mst_manifold *m, size_t n, const double *c, const double *x,
                               double *u);
mst_status metric_chart_point(const mst_manifold *m, size_t n, const double *c, const double *u,
                              double *x);
mst_status metric_chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *g);
mst_status metric_chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *gamma);
mst_status metric_chart_diffusion(const mst_manifold *m, size_t n, const double *c, const double *u,
                                  double *b, double *sigma);

#endif
