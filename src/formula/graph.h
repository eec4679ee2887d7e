/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas as a graph. Each node is a constant, a variable or an operation on earlier nodes, and no two
 * nodes are the same: what is written twice is computed once, and so is what two derivatives share. Nodes
 * are simplified as they are made, so zeros drop out. Since a node stands behind its arguments, whatever
 * goes over a graph is a loop and no recursion, however deep the formula. */
#ifndef MST_FORMULA_GRAPH_H
#define MST_FORMULA_GRAPH_H

#include "base/internal.h"

#include <stdbool.h>
#include <stdint.h>

/* More nodes than this are refused: a formula that blows up. */
enum { FORMULA_MOST_NODES = 1000000 };

/* Name of the operation, number of arguments, name in formulas or null where it has a sign or none. */
#define FORMULA_OPERATIONS(X)    \
    X(CONSTANT, 0, NULL)         \
    X(VARIABLE, 0, NULL)         \
    X(ADD, 2, NULL)              \
    X(SUBTRACT, 2, NULL)         \
    X(MULTIPLY, 2, NULL)         \
    X(DIVIDE, 2, NULL)           \
    X(POWER, 2, NULL)            \
    X(NEGATE, 1, NULL)           \
    X(EXP, 1, "exp")             \
    X(LOG, 1, "log")             \
    X(SQRT, 1, "sqrt")           \
    X(SIN, 1, "sin")             \
    X(COS, 1, "cos")             \
    X(TAN, 1, "tan")             \
    X(ASIN, 1, "asin")           \
    X(ACOS, 1, "acos")           \
    X(ATAN, 1, "atan")           \
    X(ATAN2, 2, "atan2")         \
    X(SINH, 1, "sinh")           \
    X(COSH, 1, "cosh")           \
    X(TANH, 1, "tanh")           \
    X(ASINH, 1, "asinh")         \
    X(ACOSH, 1, "acosh")         \
    X(ATANH, 1, "atanh")         \
    X(LGAMMA, 1, "lgamma")       \
    X(POLYGAMMA, 2, "polygamma") \
    X(ABS, 1, "abs")             \
    X(SIGN, 1, "sign")           \
    X(MIN, 2, "min")             \
    X(MAX, 2, "max")             \
    X(LESS, 2, NULL)

typedef enum formula_operation {
#define FORMULA_ENUM(name, arguments, word) FORMULA_##name,
    FORMULA_OPERATIONS(FORMULA_ENUM)
#undef FORMULA_ENUM
        FORMULA_OPERATION_COUNT
} formula_operation;

typedef uint32_t formula_node; /* its place in the graph */

typedef struct formula_entry {
    formula_operation op;
    formula_node a, b; /* arguments; the number of a variable is a */
    double value;      /* of a constant */
} formula_entry;

typedef struct formula_graph {
    formula_entry *nodes;
    size_t count, capacity;
    uint32_t *table; /* open addressing; 0: empty, else node + 1 */
    size_t slots;
} formula_graph;

/* Release it also after a failure. */
MST_MUST_USE mst_status formula_graph_new(formula_graph *g);
void formula_graph_release(formula_graph *g);

size_t formula_arguments(formula_operation op);
/* The operation of this name, or FORMULA_OPERATION_COUNT. */
formula_operation formula_named(const char *word, size_t length);
/* What the operation makes of numbers; b is 0 where it has one argument. */
double formula_value(formula_operation op, double a, double b);

/* ---- Making nodes. MST_DOMAIN: there are too many. ---- */
MST_MUST_USE mst_status formula_constant(formula_graph *g, double value, formula_node *out);
MST_MUST_USE mst_status formula_variable(formula_graph *g, size_t number, formula_node *out);
/* op(a, b), simplified; b is ignored where there is one argument. */
MST_MUST_USE mst_status formula_apply(formula_graph *g, formula_operation op, formula_node a,
                                      formula_node b, formula_node *out);

static inline bool formula_is_constant(const formula_graph *g, formula_node n, double value)
{
    return g->nodes[n].op == FORMULA_CONSTANT && g->nodes[n].value == value;
}

/* ---- Derivatives ---- */

/* For each of the `count` nodes its derivative when variable k changes at the rate seeds[k] (a node), for k <
 * variables; others stay as they are. */
MST_MUST_USE mst_status formula_tangents(formula_graph *g, size_t variables,
                                         const formula_node *seeds, size_t count,
                                         const formula_node *nodes, formula_node *out);
/* Partial derivatives of one node by the variables first … first + count − 1, by reverse mode: the cost is a
 * few times that of the node itself, however many variables there are. */
MST_MUST_USE mst_status formula_gradient(formula_graph *g, formula_node node, size_t first,
                                         size_t count, formula_node *out);

/* Which nodes the given ones depend on, themselves included: marks (nodes up to the largest, + 1), release
 * them; *end is their number. */
MST_MUST_USE mst_status formula_reach(const formula_graph *g, size_t count,
                                      const formula_node *nodes, unsigned char **marks,
                                      size_t *end);

#endif
