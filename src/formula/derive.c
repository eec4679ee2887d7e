/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives of formulas, as nodes of the same graph. */
#include "formula/builder.h"

#include <string.h>

mst_status formula_reach(const formula_graph *g, size_t count, const formula_node *nodes,
                         unsigned char **marks, size_t *end)
{
    *end = 0;
    for (size_t i = 0; i < count; i++)
        *end = nodes[i] >= *end ? nodes[i] + (size_t)1 : *end;
    MST_TRY(mst_allocate_zero(marks, *end));
    for (size_t i = 0; i < count; i++)
        (*marks)[nodes[i]] = 1;
    for (size_t n = *end; n-- > 0;) {
        size_t arguments = (*marks)[n] ? formula_arguments(g->nodes[n].op) : 0;
        if (arguments > 0)
            (*marks)[g->nodes[n].a] = 1;
        if (arguments > 1)
            (*marks)[g->nodes[n].b] = 1;
    }
    return MST_OK;
}

/* f'(a) of the function f at the node n = f(a). */
static formula_node slope(builder *b, formula_node n, formula_entry e)
{
    formula_node one = constant(b, 1), a = e.a;
    switch (e.op) {
    case FORMULA_NEGATE:
        return constant(b, -1);
    case FORMULA_EXP:
        return n;
    case FORMULA_LOG:
        return over(b, one, a);
    case FORMULA_SQRT:
        return over(b, constant(b, 0.5), n);
    case FORMULA_SIN:
        return of(b, FORMULA_COS, a);
    case FORMULA_COS:
        return of(b, FORMULA_NEGATE, of(b, FORMULA_SIN, a));
    case FORMULA_TAN:
        return plus(b, one, times(b, n, n));
    case FORMULA_ASIN:
        return over(b, one, of(b, FORMULA_SQRT, minus(b, one, times(b, a, a))));
    case FORMULA_ACOS:
        return of(b, FORMULA_NEGATE,
                  over(b, one, of(b, FORMULA_SQRT, minus(b, one, times(b, a, a)))));
    case FORMULA_ATAN:
        return over(b, one, plus(b, one, times(b, a, a)));
    case FORMULA_SINH:
        return of(b, FORMULA_COSH, a);
    case FORMULA_COSH:
        return of(b, FORMULA_SINH, a);
    case FORMULA_TANH:
        return minus(b, one, times(b, n, n));
    case FORMULA_ASINH:
        return over(b, one, of(b, FORMULA_SQRT, plus(b, times(b, a, a), one)));
    case FORMULA_ACOSH:
        return over(b, one, of(b, FORMULA_SQRT, minus(b, times(b, a, a), one)));
    case FORMULA_ATANH:
        return over(b, one, minus(b, one, times(b, a, a)));
    case FORMULA_LGAMMA:
        return apply(b, FORMULA_POLYGAMMA, constant(b, 0), a);
    case FORMULA_ABS:
        return of(b, FORMULA_SIGN, a);
    default: /* SIGN: a step is flat */
        return constant(b, 0);
    }
}

/* The partial derivatives of the node n by its arguments. */
static void slopes(builder *b, formula_node n, formula_node *by_a, formula_node *by_b)
{
    formula_entry e = b->g->nodes[n];
    formula_node one = constant(b, 1), square;
    *by_b = constant(b, 0);
    switch (e.op) {
    case FORMULA_ADD:
        *by_a = *by_b = one;
        return;
    case FORMULA_SUBTRACT:
        *by_a = one;
        *by_b = constant(b, -1);
        return;
    case FORMULA_MULTIPLY:
        *by_a = e.b;
        *by_b = e.a;
        return;
    case FORMULA_DIVIDE:
        *by_a = over(b, one, e.b);
        *by_b = of(b, FORMULA_NEGATE, over(b, n, e.b));
        return;
    case FORMULA_POWER:
        *by_a = times(b, e.b, apply(b, FORMULA_POWER, e.a, minus(b, e.b, one)));
        if (b->status == MST_OK && b->g->nodes[e.b].op != FORMULA_CONSTANT)
            *by_b = times(b, n, of(b, FORMULA_LOG, e.a));
        return;
    case FORMULA_ATAN2:
        square = plus(b, times(b, e.a, e.a), times(b, e.b, e.b));
        *by_a = over(b, e.b, square);
        *by_b = of(b, FORMULA_NEGATE, over(b, e.a, square));
        return;
    case FORMULA_POLYGAMMA:
        *by_a = constant(b, 0);
        *by_b = apply(b, FORMULA_POLYGAMMA, plus(b, e.a, one), e.b);
        return;
    case FORMULA_MIN:
        *by_a = apply(b, FORMULA_LESS, e.a, e.b);
        *by_b = minus(b, one, *by_a);
        return;
    case FORMULA_MAX:
        *by_b = apply(b, FORMULA_LESS, e.a, e.b);
        *by_a = minus(b, one, *by_b);
        return;
    case FORMULA_LESS:
        *by_a = constant(b, 0);
        return;
    default:
        *by_a = slope(b, n, e);
    }
}

/* d(a/b) = (da − n db)/b and the like: one division instead of two, and products that are skipped where a
 * derivative is zero. */
static formula_node tangent_of(builder *b, formula_node n, const formula_node *tangents)
{
    formula_entry e = b->g->nodes[n];
    formula_node da = tangents[e.a];
    if (formula_arguments(e.op) == 1)
        return formula_is_constant(b->g, da, 0) ? da : times(b, slope(b, n, e), da);
    formula_node db = tangents[e.b], by_a, by_b;
    switch (e.op) {
    case FORMULA_ADD:
        return plus(b, da, db);
    case FORMULA_SUBTRACT:
        return minus(b, da, db);
    case FORMULA_MULTIPLY:
        return plus(b, times(b, e.b, da), times(b, e.a, db));
    case FORMULA_DIVIDE:
        return over(b, minus(b, da, times(b, n, db)), e.b);
    default:
        if (formula_is_constant(b->g, da, 0) && formula_is_constant(b->g, db, 0))
            return da;
        slopes(b, n, &by_a, &by_b);
        return plus(b, times(b, by_a, da), times(b, by_b, db));
    }
}

mst_status formula_tangents(formula_graph *g, size_t variables, const formula_node *seeds,
                            size_t count, const formula_node *nodes, formula_node *out)
{
    builder b = {.g = g};
    unsigned char *marks;
    formula_node *tangents = NULL;
    size_t end;
    MST_TRY(formula_reach(g, count, nodes, &marks, &end));
    b.status = mst_allocate(&tangents, end);
    formula_node zero = constant(&b, 0);
    for (size_t n = 0; b.status == MST_OK && n < end; n++) {
        formula_entry e = g->nodes[n];
        tangents[n] = zero;
        if (marks[n] && e.op == FORMULA_VARIABLE && e.a < variables)
            tangents[n] = seeds[e.a];
        else if (marks[n] && formula_arguments(e.op) > 0)
            tangents[n] = tangent_of(&b, (formula_node)n, tangents);
    }
    for (size_t i = 0; b.status == MST_OK && i < count; i++)
        out[i] = tangents[nodes[i]];
    mst_release(tangents);
    mst_release(marks);
    return b.status;
}

mst_status formula_gradient(formula_graph *g, formula_node node, size_t first, size_t count,
                            formula_node *out)
{
    builder b = {.g = g};
    unsigned char *marks;
    formula_node *adjoints = NULL;
    size_t end;
    MST_TRY(formula_reach(g, 1, &node, &marks, &end));
    b.status = mst_allocate(&adjoints, end);
    formula_node zero = constant(&b, 0);
    for (size_t n = 0; b.status == MST_OK && n < end; n++)
        adjoints[n] = n == node ? constant(&b, 1) : zero;
    for (size_t i = 0; i < count; i++)
        out[i] = zero;
    for (size_t n = end; b.status == MST_OK && n-- > 0;) {
        formula_entry e = g->nodes[n];
        formula_node by_a, by_b;
        if (!marks[n] || formula_is_constant(g, adjoints[n], 0))
            continue;
        if (e.op == FORMULA_VARIABLE && e.a >= first && e.a - first < count)
            out[e.a - first] = adjoints[n];
        if (formula_arguments(e.op) == 0)
            continue;
        slopes(&b, (formula_node)n, &by_a, &by_b);
        if (b.status == MST_OK)
            adjoints[e.a] = plus(&b, adjoints[e.a], times(&b, by_a, adjoints[n]));
        if (b.status == MST_OK && formula_arguments(e.op) > 1)
            adjoints[e.b] = plus(&b, adjoints[e.b], times(&b, by_b, adjoints[n]));
    }
    mst_release(adjoints);
    mst_release(marks);
    return b.status;
}
