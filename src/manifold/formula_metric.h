/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds from formula files. */
#ifndef MST_MANIFOLD_FORMULA_METRIC_H
#define MST_MANIFOLD_FORMULA_METRIC_H

#include "formula/file.h"
#include "formula/program.h"

#include <manistat/manifold.h>

/* The bounds of a domain. */
typedef struct formula_domain {
    formula_program bounds;
    size_t count;
} formula_domain;
MST_MUST_USE mst_status formula_domain_compile(formula_domain *d, const formula_file *file);
void formula_domain_release(formula_domain *d);
/* inside (n) of rows x with so many columns. */
void formula_domain_check(const formula_domain *d, size_t columns, size_t n, const double *x,
                          unsigned char *inside);

/* What every kind has. */
typedef struct formula_common {
    size_t columns; /* coordinates of a row */
    formula_domain domain;
    double *start, *period; /* (columns) */
    mst_answer compact, hadamard;
    double injectivity;
} formula_common;
/* Takes it from the file, which loses it. */
MST_MUST_USE mst_status formula_common_take(formula_common *c, formula_file *file);
void formula_common_release(formula_common *c);
/* Slots; the data of the manifold must begin with a formula_common. */
void formula_start(const mst_manifold *m, double *x);
void formula_inside(const mst_manifold *m, size_t n, const double *x, unsigned char *inside);
void formula_traits(const mst_manifold *m, mst_manifold_traits *traits);
double formula_injectivity(const mst_manifold *m);
void formula_period(const mst_manifold *m, double *period);

/* Seeds of a derivative by variable `by` alone: 1 there, 0 elsewhere. */
MST_MUST_USE mst_status formula_unit_seeds(formula_graph *g, size_t count, size_t by,
                                           formula_node *seeds);
/* Σ_k (variable `first` + k) · nodes[k]. */
MST_MUST_USE mst_status formula_combine(formula_graph *g, size_t first, size_t count,
                                        const formula_node *nodes, formula_node *out);
/* The second derivatives of a node by variables 0 … d − 1, (d, d). */
MST_MUST_USE mst_status formula_second(formula_graph *g, formula_node node, size_t d,
                                       formula_node *out);

MST_MUST_USE mst_status formula_constraint_new(mst_manifold **out, formula_file *f,
                                               const char *spec);
/* From a file that was read, an embedding, metric or cometric; the constraint has its own. */
MST_MUST_USE mst_status formula_metric_new(mst_manifold **out, formula_file *f, const char *spec);
struct formula_text;
/* Is the start a point of the manifold, and is there a metric? MST_FORMAT points at it in the text. */
MST_MUST_USE mst_status formula_check_start(const mst_manifold *m, const formula_file *f,
                                            const struct formula_text *text);
/* The manifold of a text, as a file has it. `path` is for messages. */
MST_MUST_USE mst_status mst_formula_manifold_new(mst_manifold **out, const char *spec,
                                                 const char *path, const char *text, size_t length,
                                                 size_t overrides, const formula_override *given);

#endif
