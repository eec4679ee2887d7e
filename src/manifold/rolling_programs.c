/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Making the programs of rolling paths, and giving them to a manifold. */
#include "manifold/internal.h"
#include "manifold/rolling.h"

mst_status rolling_compile(builder *b, formula_program *p, size_t count, const formula_node *nodes)
{
    MST_TRY(b->status);
    return formula_compile(p, b->g, count, nodes);
}

void rolling_release(rolling *r)
{
    formula_program_release(&r->slope);
    formula_program_release(&r->arrive);
    formula_program_release(&r->pull);
    *r = (rolling){0};
}

void rolling_attach(mst_manifold *m, rolling *r, formula_columns *columns, const double *period)
{
    if (r->d == 0)
        return;
    r->bounds = columns->bounds;
    r->period = period;
    columns->rolling = r;
    m->ops.roll = mst_rolling_roll;
    m->ops.walk = mst_rolling_walk;
}

mst_status rolling_settle(rolling *r, mst_status status)
{
    if (status != MST_OK)
        rolling_release(r);
    return status == MST_DOMAIN ? MST_OK : status;
}

formula_node rolling_variable(builder *b, size_t number)
{
    formula_node out = 0;
    if (b->status == MST_OK)
        b->status = formula_variable(b->g, number, &out);
    return out;
}

void rolling_derive(builder *b, size_t D, const formula_node *along, size_t count,
                    const formula_node *nodes, formula_node *out)
{
    if (b->status == MST_OK)
        b->status = formula_tangents(b->g, D, along, count, nodes, out);
}
