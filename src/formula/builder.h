/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas written as calls. */
#ifndef MST_FORMULA_BUILDER_H
#define MST_FORMULA_BUILDER_H

#include "formula/graph.h"

/* Makes nodes one after the other until something fails; then the rest is skipped, and the caller looks at
 * the status once. */
typedef struct builder {
    formula_graph *g;
    mst_status status;
} builder;

static inline formula_node constant(builder *b, double value)
{
    formula_node out = 0;
    if (b->status == MST_OK)
        b->status = formula_constant(b->g, value, &out);
    return out;
}

static inline formula_node apply(builder *b, formula_operation op, formula_node x, formula_node y)
{
    formula_node out = 0;
    if (b->status == MST_OK)
        b->status = formula_apply(b->g, op, x, y, &out);
    return out;
}

static inline formula_node times(builder *b, formula_node x, formula_node y)
{
    return apply(b, FORMULA_MULTIPLY, x, y);
}

static inline formula_node plus(builder *b, formula_node x, formula_node y)
{
    return apply(b, FORMULA_ADD, x, y);
}

static inline formula_node minus(builder *b, formula_node x, formula_node y)
{
    return apply(b, FORMULA_SUBTRACT, x, y);
}

static inline formula_node over(builder *b, formula_node x, formula_node y)
{
    return apply(b, FORMULA_DIVIDE, x, y);
}

static inline formula_node of(builder *b, formula_operation op, formula_node x)
{
    return apply(b, op, x, 0);
}

#endif
