/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Equations from formulas. */
#include "manifold/formula_metric.h"

#include "formula/columns.h"
#include "manifold/internal.h"
#include "manifold/rolling.h"

#include <manistat/constraint.h>
#include <string.h>

/* Variables of the programs: x (D), λ (c). */
typedef struct formula_constraint {
    formula_common common; /* first */
    size_t c;
    formula_program value; /* h, then ∇h */
    formula_program bend;  /* Σ λ ∇²h */
    rolling rolling;
    formula_columns columns;
} formula_constraint;

static void free_data(void *data)
{
    formula_constraint *f = data;
    formula_common_release(&f->common);
    formula_program_release(&f->value);
    formula_program_release(&f->bend);
    rolling_release(&f->rolling);
    mst_release(f);
}

static mst_status constraint(const mst_manifold *m, size_t n, const double *x, double *h,
                             double *gradient)
{
    const formula_constraint *f = mst_manifold_data(m);
    size_t D = f->common.columns;
    return formula_run_blocks(&f->value, n, 1, &(formula_block){D, x}, 2,
                              (formula_block_out[]){{f->c, h}, {f->c * D, gradient}});
}

static mst_status constraint_hessian(const mst_manifold *m, size_t n, const double *x,
                                     const double *lambda, double *hessian)
{
    const formula_constraint *f = mst_manifold_data(m);
    size_t D = f->common.columns;
    return formula_run_blocks(&f->bend, n, 2, (formula_block[]){{D, x}, {f->c, lambda}}, 1,
                              &(formula_block_out){D * D, hessian});
}

static const mst_constraint_ops ops = {
    .size = sizeof ops,
    .name = "formula",
    .start = formula_start,
    .constraint = constraint,
    .constraint_hessian = constraint_hessian,
    .domain = formula_inside,
    .traits = formula_traits,
    .injectivity = formula_injectivity,
    .free_data = free_data,
};

static mst_status build(formula_constraint *f, formula_file *file)
{
    formula_graph *g = &file->graph;
    size_t D = file->coordinates, c = f->c;
    formula_node *nodes, sum;
    MST_TRY(mst_allocate(&nodes, c + c * D + D * D));
    formula_node *gradient = nodes + c, *bend = gradient + c * D;
    memcpy(nodes, file->formulas, c * sizeof *nodes);
    mst_status status = formula_combine(g, D, c, nodes, &sum);
    for (size_t k = 0; status == MST_OK && k < c; k++)
        status = formula_gradient(g, nodes[k], 0, D, gradient + k * D);
    if (status == MST_OK)
        status = formula_second(g, sum, D, bend);
    if (status == MST_OK)
        status = formula_compile(&f->value, g, c + c * D, nodes);
    if (status == MST_OK)
        status = formula_compile(&f->bend, g, D * D, bend);
    if (status == MST_OK)
        status = rolling_of_constraint(&f->rolling, file);
    if (status == MST_OK)
        status = formula_common_take(&f->common, file);
    mst_release(nodes);
    return status;
}

mst_status formula_constraint_new(mst_manifold **out, formula_file *file, const char *spec)
{
    formula_constraint *f;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&f, 1));
    f->c = file->count;
    mst_status status = build(f, file);
    if (status != MST_OK) {
        free_data(f);
        return status;
    }
    MST_TRY(mst_constraint_new(out, &ops, spec, file->coordinates, f->c, f));
    f->columns =
        (formula_columns){.value = &f->value,
                          .curl = &f->bend,
                          .bounds = f->common.domain.count > 0 ? &f->common.domain.bounds : NULL,
                          .here = true};
    (*out)->columns = &f->columns;
    rolling_attach(*out, &f->rolling, &f->columns, NULL);
    return MST_OK;
}
