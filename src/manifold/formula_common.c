/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What manifolds from formulas have in common, whatever the formulas are of. */
#include "manifold/formula_metric.h"

#include <math.h>
#include <string.h>

static mst_answer answer_of(formula_answer said)
{
    return said == FORMULA_YES ? MST_YES : said == FORMULA_NO ? MST_NO : MST_UNKNOWN;
}

mst_status formula_common_take(formula_common *c, formula_file *file)
{
    c->columns = file->coordinates;
    c->compact = answer_of(file->compact);
    c->hadamard = answer_of(file->hadamard);
    c->injectivity = file->injectivity;
    c->start = file->start;
    c->period = file->period;
    file->start = file->period = NULL;
    return formula_domain_compile(&c->domain, file);
}

void formula_common_release(formula_common *c)
{
    formula_domain_release(&c->domain);
    mst_release(c->start);
    mst_release(c->period);
}

static const formula_common *common_of(const mst_manifold *m)
{
    return mst_manifold_data(m);
}

void formula_start(const mst_manifold *m, double *x)
{
    memcpy(x, common_of(m)->start, common_of(m)->columns * sizeof *x);
}

void formula_inside(const mst_manifold *m, size_t n, const double *x, unsigned char *inside)
{
    formula_domain_check(&common_of(m)->domain, common_of(m)->columns, n, x, inside);
}

void formula_traits(const mst_manifold *m, mst_manifold_traits *t)
{
    t->compact = common_of(m)->compact;
    t->hadamard = common_of(m)->hadamard;
    if (t->hadamard == MST_YES && isnan(t->curvature_above))
        t->curvature_above = 0;
}

double formula_injectivity(const mst_manifold *m)
{
    const formula_common *c = common_of(m);
    return isnan(c->injectivity) && c->hadamard == MST_YES ? INFINITY : c->injectivity;
}

void formula_period(const mst_manifold *m, double *period)
{
    memcpy(period, common_of(m)->period, common_of(m)->columns * sizeof *period);
}

mst_status formula_unit_seeds(formula_graph *g, size_t count, size_t by, formula_node *seeds)
{
    formula_node zero, one;
    MST_TRY(formula_constant(g, 0, &zero));
    MST_TRY(formula_constant(g, 1, &one));
    for (size_t k = 0; k < count; k++)
        seeds[k] = k == by ? one : zero;
    return MST_OK;
}

mst_status formula_combine(formula_graph *g, size_t first, size_t count, const formula_node *nodes,
                           formula_node *out)
{
    MST_TRY(formula_constant(g, 0, out));
    for (size_t k = 0; k < count; k++) {
        formula_node factor, term;
        MST_TRY(formula_variable(g, first + k, &factor));
        MST_TRY(formula_apply(g, FORMULA_MULTIPLY, factor, nodes[k], &term));
        MST_TRY(formula_apply(g, FORMULA_ADD, *out, term, out));
    }
    return MST_OK;
}

mst_status formula_second(formula_graph *g, formula_node node, size_t d, formula_node *out)
{
    formula_node *slope;
    MST_TRY(mst_allocate(&slope, 2 * d));
    mst_status status = formula_gradient(g, node, 0, d, slope);
    for (size_t a = 0; status == MST_OK && a < d; a++) {
        status = formula_unit_seeds(g, d, a, slope + d);
        if (status == MST_OK)
            status = formula_tangents(g, d, slope + d, d, slope, out + a * d);
    }
    mst_release(slope);
    return status;
}
