/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A program as formulas again, for those who want derivatives that nobody had in mind
 * when it was compiled. */
#include "formula/builder.h"
#include "formula/program.h"

/* The node that an instruction computes from those in the registers. */
static formula_node replay_one(builder *b, const formula_instruction *i, formula_node *at)
{
    formula_node product;
    switch (i->op) {
    case FORMULA_MULTIPLY_ADD:
        product = times(b, at[i->a], at[i->b]);
        return plus(b, product, at[i->c]);
    case FORMULA_MULTIPLY_SUBTRACT:
        product = times(b, at[i->a], at[i->b]);
        return minus(b, product, at[i->c]);
    case FORMULA_SUBTRACT_MULTIPLY:
        product = times(b, at[i->a], at[i->b]);
        return minus(b, at[i->c], product);
    default:
        return apply(b, (formula_operation)i->op, at[i->a],
                     formula_arguments((formula_operation)i->op) > 1 ? at[i->b] : 0);
    }
}

mst_status formula_replay(const formula_program *p, formula_graph *g, formula_node *nodes)
{
    builder b = {.g = g};
    formula_node *at;
    MST_TRY(mst_allocate_zero(&at, p->registers + 1));
    for (size_t k = 0; k < p->constants_count; k++)
        at[k] = constant(&b, p->constants[k]);
    for (size_t k = 0; b.status == MST_OK && k < p->loads_count; k++)
        b.status = formula_variable(g, p->loads[k].variable, &at[p->loads[k].to]);
    for (size_t k = 0; b.status == MST_OK && k < p->length; k++) {
        const formula_instruction *i = &p->code[k];
        if (i->op == FORMULA_SINE_COSINE) {
            formula_node angle = at[i->a];
            at[i->to] = of(&b, FORMULA_SIN, angle);
            at[i->other] = of(&b, FORMULA_COS, angle);
        } else {
            at[i->to] = replay_one(&b, i, at);
        }
    }
    for (size_t k = 0; k < p->outputs; k++)
        nodes[k] = at[p->results[k]];
    mst_release(at);
    return b.status;
}
