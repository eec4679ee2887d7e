/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the solver of geodesics asks of a manifold, in three forms: its metric, a map into R^D of which it is
 * the image, or equations in R^D. The last two are preferred where they are known: paths are then polynomials
 * in R^D, which charts do not distort. Points go by columns: number k of point i of n at k·n + i. */
#ifndef MST_GEODESIC_PROBLEM_H
#define MST_GEODESIC_PROBLEM_H

#include "formula/columns.h"
#include "manifold/internal.h"

#include <manistat/constraint.h>
#include <manistat/metric.h>

typedef enum geodesic_form { FORM_METRIC, FORM_EMBEDDING, FORM_CONSTRAINT } geodesic_form;

typedef struct geodesic_problem {
    const mst_manifold *m;
    geodesic_form form;
    size_t d;     /* unknowns of a node */
    size_t width; /* numbers of a node: d, or D of a constraint */
    size_t space; /* D of the embedding or constraint; 0: a metric */
    size_t count; /* constraints */
    const mst_metric_ops *metric;
    const mst_constraint_ops *constraint;
    formula_columns columns; /* programs in the place of slots */
    double *period;          /* (d); null: no coordinate is periodic */
    bool hadamard;
    bool general; /* the manifold itself asks, whose own way did not get there */
    double injectivity;
} geodesic_problem;

/* The form that is best for the manifold; MST_UNABLE if it has none of them or several charts. */
MST_MUST_USE mst_status problem_new(geodesic_problem *p, const mst_manifold *m);
/* The same for given equations, `count` in R^space; m goes to the slots. */
MST_MUST_USE mst_status problem_of_constraint(geodesic_problem *p, const mst_manifold *m,
                                              const mst_constraint_ops *ops, size_t space,
                                              size_t count);
/* As a bare metric, whatever else is known. */
MST_MUST_USE mst_status problem_of_metric(geodesic_problem *p, const mst_manifold *m);
void problem_free(geodesic_problem *p);

/* Room for calls with up to n points. Zero it first; it grows as needed. */
typedef struct problem_rows {
    size_t size;
    double *block;
    unsigned char *inside;
    size_t inside_size;
    struct {
        const formula_program *program;
        double *registers;
    } ready[6]; /* programs that have run here */
    formula_input *in;
    formula_output *out;
    size_t ports;
} problem_rows;
void problem_rows_free(problem_rows *r);

/* Points where a slot fails have NAN. Failures are lack of memory. */
MST_MUST_USE mst_status problem_lagrangian(const geodesic_problem *p, problem_rows *r, size_t n,
                                           const double *x, const double *v, double *l, double *l_x,
                                           double *l_v);
MST_MUST_USE mst_status problem_blocks(const geodesic_problem *p, problem_rows *r, size_t n,
                                       const double *x, const double *v, double *l_vv, double *l_xv,
                                       double *l_xx);
/* The Hessian of L times (dx, dv). */
MST_MUST_USE mst_status problem_hvp(const geodesic_problem *p, problem_rows *r, size_t n,
                                    const double *x, const double *v, const double *dx,
                                    const double *dv, double *dl_x, double *dl_v);
/* Both at once. */
MST_MUST_USE mst_status problem_second_order(const geodesic_problem *p, problem_rows *r, size_t n,
                                             const double *x, const double *v,
                                             double *const out[6]);
/* jacobian may be null. */
MST_MUST_USE mst_status problem_embedding(const geodesic_problem *p, problem_rows *r, size_t n,
                                          const double *x, double *f, double *jacobian);
MST_MUST_USE mst_status problem_bend(const geodesic_problem *p, problem_rows *r, size_t n,
                                     const double *x, const double *c, double *bend);
MST_MUST_USE mst_status problem_constraint(const geodesic_problem *p, problem_rows *r, size_t n,
                                           const double *x, double *h, double *gradient);
MST_MUST_USE mst_status problem_constraint_hessian(const geodesic_problem *p, problem_rows *r,
                                                   size_t n, const double *x, const double *lambda,
                                                   double *hessian);
/* r->inside (n): is the point finite and in the domain? */
MST_MUST_USE mst_status problem_inside(const geodesic_problem *p, problem_rows *r, size_t n,
                                       const double *x);
/* Has the domain an end at all? */
bool problem_is_bounded(const geodesic_problem *p);

#endif
