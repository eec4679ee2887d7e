/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The programs of a surface in a chart. With g_ij the metric and Γ_k,ij = ½(∂_i g_kj + ∂_j g_ki − ∂_k g_ij),
 * a parallel vector has e' = −Γ(x', e), and by Gauss's equation for the coordinate vectors
 *
 *     K det g = ∂₁∂₂g₁₂ − ½∂₁∂₁g₂₂ − ½∂₂∂₂g₁₁ + <Γ₁₂, Γ₁₂> − <Γ₁₁, Γ₂₂>. */
#include "manifold/formula_metric.h"
#include "manifold/rolling.h"

#include <string.h>

enum { DIM = 2, E = 2, B = 6 }; /* first variables of frame and way */

typedef struct surface {
    builder b;
    formula_node g[DIM][DIM], det, inverse[DIM][DIM];
    formula_node low[DIM][DIM][DIM], high[DIM][DIM][DIM]; /* Γ_k,ij and Γ^k_ij */
} surface;

static formula_node derivative(builder *b, formula_node node, size_t by)
{
    formula_node seeds[DIM], out = 0;
    if (b->status == MST_OK)
        b->status = formula_unit_seeds(b->g, DIM, by, seeds);
    rolling_derive(b, DIM, seeds, 1, &node, &out);
    return out;
}

/* The metric of an embedding: products of the derivatives of the map. */
static formula_node pulled_back(builder *b, const formula_file *f, size_t i, size_t j)
{
    formula_node sum = constant(b, 0);
    for (size_t k = 0; k < f->count; k++)
        sum = plus(b, sum,
                   times(b, derivative(b, f->formulas[k], i), derivative(b, f->formulas[k], j)));
    return sum;
}

static void inverse_of(builder *b, formula_node m[DIM][DIM], formula_node *det,
                       formula_node inverse[DIM][DIM])
{
    *det = minus(b, times(b, m[0][0], m[1][1]), times(b, m[0][1], m[0][1]));
    inverse[0][0] = over(b, m[1][1], *det);
    inverse[1][1] = over(b, m[0][0], *det);
    inverse[0][1] = inverse[1][0] = of(b, FORMULA_NEGATE, over(b, m[0][1], *det));
}

static void find_metric(surface *s, const formula_file *f)
{
    builder *b = &s->b;
    formula_node given[DIM][DIM], det;
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++)
            given[i][j] =
                f->kind == FORMULA_EMBEDDING ? pulled_back(b, f, i, j) : f->formulas[i * DIM + j];
    if (f->kind == FORMULA_COMETRIC)
        inverse_of(b, given, &det, s->g);
    else
        memcpy(s->g, given, sizeof given);
    inverse_of(b, s->g, &s->det, s->inverse);
}

static void find_connection(surface *s)
{
    builder *b = &s->b;
    formula_node slope[DIM][DIM][DIM], half = constant(b, 0.5);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                slope[k][i][j] = derivative(b, s->g[i][j], k);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                s->low[k][i][j] = times(
                    b, half, minus(b, plus(b, slope[i][k][j], slope[j][k][i]), slope[k][i][j]));
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                s->high[k][i][j] = plus(b, times(b, s->inverse[k][0], s->low[0][i][j]),
                                        times(b, s->inverse[k][1], s->low[1][i][j]));
}

static formula_node curvature(surface *s)
{
    builder *b = &s->b;
    formula_node half = constant(b, 0.5), products = constant(b, 0);
    for (size_t k = 0; k < DIM; k++)
        products = plus(b, products,
                        minus(b, times(b, s->low[k][0][1], s->high[k][0][1]),
                              times(b, s->low[k][0][0], s->high[k][1][1])));
    formula_node mixed = derivative(b, derivative(b, s->g[0][1], 0), 1),
                 first = derivative(b, derivative(b, s->g[1][1], 0), 0),
                 second = derivative(b, derivative(b, s->g[0][0], 1), 1);
    formula_node sum = minus(b, mixed, times(b, half, plus(b, first, second)));
    return over(b, plus(b, sum, products), s->det);
}

static formula_node product(surface *s, const formula_node *u, const formula_node *v)
{
    builder *b = &s->b;
    formula_node sum = constant(b, 0);
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++)
            sum = plus(b, sum, times(b, s->g[i][j], times(b, u[i], v[j])));
    return sum;
}

/* x' = Σ b_a e_a and e_a' = −Γ(x', e_a). */
static void find_slopes(surface *s, formula_node *out)
{
    builder *b = &s->b;
    formula_node e[DIM][DIM];
    for (size_t k = 0; k < DIM; k++) {
        out[k] = constant(b, 0);
        for (size_t a = 0; a < DIM; a++) {
            e[a][k] = rolling_variable(b, E + a * DIM + k);
            out[k] = plus(b, out[k], times(b, rolling_variable(b, B + a), e[a][k]));
        }
    }
    for (size_t a = 0; a < DIM; a++)
        for (size_t k = 0; k < DIM; k++) {
            formula_node sum = constant(b, 0);
            for (size_t i = 0; i < DIM; i++)
                for (size_t j = 0; j < DIM; j++)
                    sum = plus(b, sum, times(b, s->high[k][i][j], times(b, out[i], e[a][j])));
            out[DIM + a * DIM + k] = of(b, FORMULA_NEGATE, sum);
        }
}

/* Gram and Schmidt. */
static void find_arrival(surface *s, formula_node *out)
{
    builder *b = &s->b;
    for (size_t a = 0; a < DIM; a++) {
        formula_node e[DIM];
        for (size_t k = 0; k < DIM; k++)
            e[k] = rolling_variable(b, E + a * DIM + k);
        if (a > 0) {
            formula_node part = product(s, out, e);
            for (size_t k = 0; k < DIM; k++)
                e[k] = minus(b, e[k], times(b, part, out[k]));
        }
        formula_node length = of(b, FORMULA_SQRT, product(s, e, e));
        for (size_t k = 0; k < DIM; k++)
            out[a * DIM + k] = over(b, e[k], length);
    }
    out[DIM * DIM] = curvature(s);
}

mst_status rolling_of_surface(rolling *r, formula_file *file)
{
    *r = (rolling){0};
    if (file->coordinates != DIM)
        return MST_OK;
    surface s = {.b = {&file->graph, MST_OK}};
    formula_node slopes[DIM + DIM * DIM], arrival[DIM * DIM + 1];
    *r = (rolling){.d = DIM, .D = DIM};
    find_metric(&s, file);
    find_connection(&s);
    find_slopes(&s, slopes);
    find_arrival(&s, arrival);
    mst_status status = rolling_compile(&s.b, &r->slope, DIM + DIM * DIM, slopes);
    if (status == MST_OK)
        status = rolling_compile(&s.b, &r->arrive, DIM * DIM + 1, arrival);
    return rolling_settle(r, status);
}
