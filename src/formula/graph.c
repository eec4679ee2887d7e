/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/graph.h"

#include "formula/special.h"

#include <math.h>
#include <string.h>

static const struct {
    size_t arguments;
    const char *word;
} operations[] = {
#define FORMULA_ROW(name, arguments, word) [FORMULA_##name] = {arguments, word},
    FORMULA_OPERATIONS(FORMULA_ROW)
#undef FORMULA_ROW
};

size_t formula_arguments(formula_operation op)
{
    return operations[op].arguments;
}

formula_operation formula_named(const char *word, size_t length)
{
    for (size_t op = 0; op < FORMULA_OPERATION_COUNT; op++)
        if (operations[op].word != NULL && strlen(operations[op].word) == length &&
            memcmp(operations[op].word, word, length) == 0)
            return (formula_operation)op;
    return FORMULA_OPERATION_COUNT;
}

mst_status formula_graph_new(formula_graph *g)
{
    *g = (formula_graph){.slots = 1024};
    return mst_allocate_zero(&g->table, g->slots);
}

void formula_graph_release(formula_graph *g)
{
    mst_release(g->nodes);
    mst_release(g->table);
    *g = (formula_graph){0};
}

double formula_value(formula_operation op, double a, double b)
{
    switch (op) {
    case FORMULA_ADD:
        return a + b;
    case FORMULA_SUBTRACT:
        return a - b;
    case FORMULA_MULTIPLY:
        return a * b;
    case FORMULA_DIVIDE:
        return a / b;
    case FORMULA_POWER:
        return pow(a, b);
    case FORMULA_NEGATE:
        return -a;
    case FORMULA_EXP:
        return exp(a);
    case FORMULA_LOG:
        return log(a);
    case FORMULA_SQRT:
        return sqrt(a);
    case FORMULA_SIN:
        return sin(a);
    case FORMULA_COS:
        return cos(a);
    case FORMULA_TAN:
        return tan(a);
    case FORMULA_ASIN:
        return asin(a);
    case FORMULA_ACOS:
        return acos(a);
    case FORMULA_ATAN:
        return atan(a);
    case FORMULA_ATAN2:
        return atan2(a, b);
    case FORMULA_SINH:
        return sinh(a);
    case FORMULA_COSH:
        return cosh(a);
    case FORMULA_TANH:
        return tanh(a);
    case FORMULA_ASINH:
        return asinh(a);
    case FORMULA_ACOSH:
        return acosh(a);
    case FORMULA_ATANH:
        return atanh(a);
    case FORMULA_LGAMMA:
        return formula_lgamma(a);
    case FORMULA_POLYGAMMA:
        return formula_polygamma(a, b);
    case FORMULA_ABS:
        return fabs(a);
    case FORMULA_SIGN:
        return isnan(a) ? a : (double)(a > 0) - (double)(a < 0);
    case FORMULA_MIN:
        return a < b ? a : b;
    case FORMULA_MAX:
        return a > b ? a : b;
    case FORMULA_LESS:
        return a < b;
    case FORMULA_CONSTANT:
    case FORMULA_VARIABLE:
    case FORMULA_OPERATION_COUNT:
        break;
    }
    return NAN;
}

/* ---- One node for each thing ---- */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t hash_of(const formula_entry *e)
{
    uint64_t h = (uint64_t)e->op * UINT64_C(0x9e3779b97f4a7c15) ^ bits_of(e->value);
    h = (h ^ e->a) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 29) ^ e->b) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 32);
}

static bool is_same(const formula_entry *x, const formula_entry *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && bits_of(x->value) == bits_of(y->value);
}

static mst_status rehash(formula_graph *g)
{
    uint32_t *table;
    size_t slots = 4 * g->slots;
    MST_TRY(mst_allocate_zero(&table, slots));
    for (size_t n = 0; n < g->count; n++) {
        size_t at = hash_of(&g->nodes[n]) & (slots - 1);
        while (table[at] != 0)
            at = (at + 1) & (slots - 1);
        table[at] = (uint32_t)n + 1;
    }
    mst_release(g->table);
    g->table = table;
    g->slots = slots;
    return MST_OK;
}

static mst_status intern(formula_graph *g, formula_entry e, formula_node *out)
{
    size_t at = hash_of(&e) & (g->slots - 1);
    for (; g->table[at] != 0; at = (at + 1) & (g->slots - 1))
        if (is_same(&g->nodes[g->table[at] - 1], &e)) {
            *out = g->table[at] - 1;
            return MST_OK;
        }
    if (g->count >= FORMULA_MOST_NODES)
        return mst_fail(MST_DOMAIN,
                        "the formulas and their derivatives have more than %d operations",
                        FORMULA_MOST_NODES);
    MST_TRY(mst_grow(&g->nodes, g->count, &g->capacity));
    *out = (formula_node)g->count;
    g->nodes[g->count++] = e;
    g->table[at] = *out + 1;
    return 2 * g->count > g->slots ? rehash(g) : MST_OK;
}

mst_status formula_constant(formula_graph *g, double value, formula_node *out)
{
    /* Of the two zeros one is enough. */
    return intern(g, (formula_entry){.op = FORMULA_CONSTANT, .value = value + 0.0}, out);
}

mst_status formula_variable(formula_graph *g, size_t number, formula_node *out)
{
    return intern(g, (formula_entry){.op = FORMULA_VARIABLE, .a = (formula_node)number}, out);
}

/* ---- Simplification ---- */

static formula_entry entry(const formula_graph *g, formula_node n)
{
    return g->nodes[n];
}

static mst_status make(formula_graph *g, formula_operation op, formula_node a, formula_node b,
                       formula_node *out)
{
    bool commutes = op == FORMULA_ADD || op == FORMULA_MULTIPLY;
    if (formula_arguments(op) < 2)
        b = 0;
    return intern(
        g,
        (formula_entry){.op = op, .a = commutes && b < a ? b : a, .b = commutes && b < a ? a : b},
        out);
}

static mst_status apply_sum(formula_graph *g, formula_node a, formula_node b, formula_node *out)
{
    if (formula_is_constant(g, a, 0) || formula_is_constant(g, b, 0)) {
        *out = formula_is_constant(g, a, 0) ? b : a;
        return MST_OK;
    }
    if (entry(g, b).op == FORMULA_NEGATE)
        return formula_apply(g, FORMULA_SUBTRACT, a, entry(g, b).a, out);
    if (entry(g, a).op == FORMULA_NEGATE)
        return formula_apply(g, FORMULA_SUBTRACT, b, entry(g, a).a, out);
    if (a == b) {
        formula_node two;
        MST_TRY(formula_constant(g, 2, &two));
        return formula_apply(g, FORMULA_MULTIPLY, two, a, out);
    }
    return make(g, FORMULA_ADD, a, b, out);
}

static mst_status apply_difference(formula_graph *g, formula_node a, formula_node b,
                                   formula_node *out)
{
    if (formula_is_constant(g, b, 0)) {
        *out = a;
        return MST_OK;
    }
    if (a == b)
        return formula_constant(g, 0, out);
    if (formula_is_constant(g, a, 0))
        return formula_apply(g, FORMULA_NEGATE, b, 0, out);
    if (entry(g, b).op == FORMULA_NEGATE)
        return formula_apply(g, FORMULA_ADD, a, entry(g, b).a, out);
    return make(g, FORMULA_SUBTRACT, a, b, out);
}

static mst_status apply_product(formula_graph *g, formula_node a, formula_node b, formula_node *out)
{
    if (formula_is_constant(g, a, 0) || formula_is_constant(g, b, 0))
        return formula_constant(g, 0, out);
    if (formula_is_constant(g, a, 1) || formula_is_constant(g, b, 1)) {
        *out = formula_is_constant(g, a, 1) ? b : a;
        return MST_OK;
    }
    /* Signs move outwards, so that they meet and cancel. */
    bool first = entry(g, a).op == FORMULA_NEGATE, second = entry(g, b).op == FORMULA_NEGATE;
    if (first || second) {
        formula_node product;
        MST_TRY(formula_apply(g, FORMULA_MULTIPLY, first ? entry(g, a).a : a,
                              second ? entry(g, b).a : b, &product));
        if (first && second) {
            *out = product;
            return MST_OK;
        }
        return formula_apply(g, FORMULA_NEGATE, product, 0, out);
    }
    if (formula_is_constant(g, a, -1) || formula_is_constant(g, b, -1))
        return formula_apply(g, FORMULA_NEGATE, formula_is_constant(g, a, -1) ? b : a, 0, out);
    return make(g, FORMULA_MULTIPLY, a, b, out);
}

static mst_status apply_quotient(formula_graph *g, formula_node a, formula_node b,
                                 formula_node *out)
{
    if (formula_is_constant(g, b, 1)) {
        *out = a;
        return MST_OK;
    }
    if (formula_is_constant(g, a, 0))
        return formula_constant(g, 0, out);
    if (entry(g, a).op == FORMULA_NEGATE) {
        formula_node quotient;
        MST_TRY(formula_apply(g, FORMULA_DIVIDE, entry(g, a).a, b, &quotient));
        return formula_apply(g, FORMULA_NEGATE, quotient, 0, out);
    }
    /* Quotients with one denominator share its inverse, and the derivative of an inverse takes no division at
     * all; the price is a rounding. */
    if (!formula_is_constant(g, a, 1)) {
        formula_node one, inverse;
        MST_TRY(formula_constant(g, 1, &one));
        MST_TRY(formula_apply(g, FORMULA_DIVIDE, one, b, &inverse));
        return formula_apply(g, FORMULA_MULTIPLY, a, inverse, out);
    }
    return make(g, FORMULA_DIVIDE, a, b, out);
}

/* x^n for a whole number n by squaring. */
static mst_status whole_power(formula_graph *g, formula_node a, unsigned n, formula_node *out)
{
    formula_node square = a;
    MST_TRY(formula_constant(g, 1, out));
    for (; n > 0; n >>= 1) {
        if ((n & 1) != 0)
            MST_TRY(formula_apply(g, FORMULA_MULTIPLY, *out, square, out));
        if (n > 1)
            MST_TRY(formula_apply(g, FORMULA_MULTIPLY, square, square, &square));
    }
    return MST_OK;
}

static mst_status apply_power(formula_graph *g, formula_node a, formula_node b, formula_node *out)
{
    enum { MOST = 64 };
    formula_entry exponent = entry(g, b);
    if (exponent.op != FORMULA_CONSTANT)
        return make(g, FORMULA_POWER, a, b, out);
    double n = fabs(exponent.value);
    formula_node power, one;
    if (n > MOST || (n != floor(n) && n - floor(n) != 0.5))
        return make(g, FORMULA_POWER, a, b, out);
    MST_TRY(whole_power(g, a, (unsigned)floor(n), &power));
    if (n != floor(n)) {
        formula_node root;
        MST_TRY(formula_apply(g, FORMULA_SQRT, a, 0, &root));
        MST_TRY(formula_apply(g, FORMULA_MULTIPLY, power, root, &power));
    }
    *out = power;
    if (exponent.value >= 0)
        return MST_OK;
    MST_TRY(formula_constant(g, 1, &one));
    return formula_apply(g, FORMULA_DIVIDE, one, power, out);
}

mst_status formula_apply(formula_graph *g, formula_operation op, formula_node a, formula_node b,
                         formula_node *out)
{
    bool two = formula_arguments(op) == 2;
    formula_entry x = entry(g, a), y = two ? entry(g, b) : x;
    if (x.op == FORMULA_CONSTANT && y.op == FORMULA_CONSTANT)
        return formula_constant(g, formula_value(op, x.value, two ? y.value : 0), out);
    switch (op) {
    case FORMULA_ADD:
        return apply_sum(g, a, b, out);
    case FORMULA_SUBTRACT:
        return apply_difference(g, a, b, out);
    case FORMULA_MULTIPLY:
        return apply_product(g, a, b, out);
    case FORMULA_DIVIDE:
        return apply_quotient(g, a, b, out);
    case FORMULA_POWER:
        return apply_power(g, a, b, out);
    case FORMULA_NEGATE:
        if (x.op == FORMULA_NEGATE) {
            *out = x.a;
            return MST_OK;
        }
        if (x.op == FORMULA_SUBTRACT)
            return formula_apply(g, FORMULA_SUBTRACT, x.b, x.a, out);
        return make(g, op, a, 0, out);
    default:
        return make(g, op, a, b, out);
    }
}
