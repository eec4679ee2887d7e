/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/surface.h"

#include "formula/builder.h"
#include "manifold/formula_content.h"
#include "manifold/internal.h"

#include <string.h>

enum { DIM = 2 };

/* Variables: x (D), v (D), u (D). */
typedef struct making {
    builder b;
    size_t D, count;
    formula_node *formulas; /* (count) of the manifold */
    formula_node *v, *u;    /* (D) each */
    formula_node *a;        /* (D), the acceleration of geodesics */
    formula_node k;         /* K */
    formula_node *block;
} making;

/* The derivatives of nodes when x moves along `dx` and v along `dv`; null: they stay. */
static void derive(making *m, const formula_node *dx, const formula_node *dv, size_t count,
                   const formula_node *nodes, formula_node *out)
{
    formula_node *seeds, zero = constant(&m->b, 0);
    if (m->b.status == MST_OK)
        m->b.status = mst_allocate(&seeds, 2 * m->D);
    if (m->b.status != MST_OK)
        return;
    for (size_t k = 0; k < m->D; k++) {
        seeds[k] = dx != NULL ? dx[k] : zero;
        seeds[m->D + k] = dv != NULL ? dv[k] : zero;
    }
    m->b.status = formula_tangents(m->b.g, 2 * m->D, seeds, count, nodes, out);
    mst_release(seeds);
}

/* The derivative of one node by x_k. */
static formula_node by(making *m, formula_node node, size_t k)
{
    formula_node unit[64], out = 0, zero = constant(&m->b, 0);
    for (size_t a = 0; a < m->D; a++)
        unit[a] = a == k ? constant(&m->b, 1) : zero;
    derive(m, unit, NULL, 1, &node, &out);
    return out;
}

static formula_node product_sum(builder *b, size_t n, const formula_node *x, const formula_node *y)
{
    formula_node sum = constant(b, 0);
    for (size_t k = 0; k < n; k++)
        sum = plus(b, sum, times(b, x[k], y[k]));
    return sum;
}

/* ---- In a chart ---- */

typedef struct chart {
    formula_node g[DIM][DIM], inverse[DIM][DIM], det;
    formula_node low[DIM][DIM][DIM]; /* Γ_k,ij */
    formula_node apart;              /* K det g less the products of Γ */
} chart;

static void invert(builder *b, formula_node m[DIM][DIM], formula_node *det,
                   formula_node inverse[DIM][DIM])
{
    *det = minus(b, times(b, m[0][0], m[1][1]), times(b, m[0][1], m[1][0]));
    inverse[0][0] = over(b, m[1][1], *det);
    inverse[1][1] = over(b, m[0][0], *det);
    inverse[0][1] = inverse[1][0] = of(b, FORMULA_NEGATE, over(b, m[0][1], *det));
}

/* Of a map f: g_ij = f_i·f_j, Γ_k,ij = f_k·f_ij, and K det g = f_11·f_22 − f_12·f_12 + …: second derivatives
 * are enough. */
static void chart_of_map(making *m, chart *c)
{
    builder *b = &m->b;
    size_t E = m->count;
    formula_node *rows, *slope[DIM], *bend[DIM][DIM];
    if (b->status == MST_OK)
        b->status = mst_allocate(&rows, 6 * E);
    if (b->status != MST_OK)
        return;
    for (size_t i = 0; i < DIM; i++) {
        slope[i] = rows + i * E;
        for (size_t e = 0; e < E; e++)
            slope[i][e] = by(m, m->formulas[e], i);
    }
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++) {
            bend[i][j] = rows + (2 + i + j) * E;
            for (size_t e = 0; i <= j && e < E; e++)
                bend[i][j][e] = by(m, slope[i][e], j);
        }
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++) {
            c->g[i][j] = product_sum(b, E, slope[i], slope[j]);
            for (size_t k = 0; k < DIM; k++)
                c->low[k][i][j] = product_sum(b, E, slope[k], bend[i][j]);
        }
    c->apart = minus(b, product_sum(b, E, bend[0][0], bend[1][1]),
                     product_sum(b, E, bend[0][1], bend[0][1]));
    mst_release(rows);
}

/* Of a metric: K det g = ∂₁∂₂g₁₂ − ½∂₁∂₁g₂₂ − ½∂₂∂₂g₁₁ + … */
static void chart_of_metric(making *m, bool dual, chart *c)
{
    builder *b = &m->b;
    formula_node given[DIM][DIM], det, half = constant(b, 0.5), slope[DIM][DIM][DIM];
    for (size_t i = 0; i < DIM; i++)
        for (size_t j = 0; j < DIM; j++)
            given[i][j] = m->formulas[i * DIM + j];
    if (dual)
        invert(b, given, &det, c->g);
    else
        memcpy(c->g, given, sizeof given);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                slope[k][i][j] = by(m, c->g[i][j], k);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                c->low[k][i][j] = times(
                    b, half, minus(b, plus(b, slope[i][k][j], slope[j][k][i]), slope[k][i][j]));
    c->apart = minus(b, by(m, slope[0][0][1], 1),
                     times(b, half, plus(b, by(m, slope[0][1][1], 0), by(m, slope[1][0][0], 1))));
}

static void make_in_chart(making *m, formula_kind kind)
{
    builder *b = &m->b;
    chart c;
    if (kind == FORMULA_EMBEDDING)
        chart_of_map(m, &c);
    else
        chart_of_metric(m, kind == FORMULA_COMETRIC, &c);
    if (b->status != MST_OK)
        return;
    invert(b, c.g, &c.det, c.inverse);
    formula_node high[DIM][DIM][DIM]; /* Γ^k_ij */
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                high[k][i][j] = plus(b, times(b, c.inverse[k][0], c.low[0][i][j]),
                                     times(b, c.inverse[k][1], c.low[1][i][j]));
    formula_node sum = c.apart;
    for (size_t k = 0; k < DIM; k++)
        sum = plus(b, sum,
                   minus(b, times(b, c.low[k][0][1], high[k][0][1]),
                         times(b, c.low[k][0][0], high[k][1][1])));
    m->k = over(b, sum, c.det);
    for (size_t k = 0; k < DIM; k++) {
        formula_node total = constant(b, 0);
        for (size_t i = 0; i < DIM; i++)
            for (size_t j = 0; j < DIM; j++)
                total = plus(b, total, times(b, high[k][i][j], times(b, m->v[i], m->v[j])));
        m->a[k] = of(b, FORMULA_NEGATE, total);
    }
}

/* ---- By equations ---- */

/* Gradients G (c, D), Hessians A (c, D, D), A_k G_a (c, c, D), and (G Gᵀ)⁻¹ (c, c). */
typedef struct equations {
    formula_node *g, *hessian, *moved, *inverse, *block;
} equations;

/* Gauss–Jordan; pivots of a positive definite matrix are positive. work (c, 2c). */
static void invert_any(builder *b, size_t c, const formula_node *given, formula_node *work,
                       formula_node *inverse)
{
    for (size_t i = 0; i < c; i++)
        for (size_t j = 0; j < c; j++) {
            work[i * 2 * c + j] = given[i * c + j];
            work[i * 2 * c + c + j] = constant(b, i == j);
        }
    for (size_t p = 0; p < c; p++) {
        formula_node pivot = work[p * 2 * c + p];
        for (size_t j = 0; j < 2 * c; j++)
            work[p * 2 * c + j] = over(b, work[p * 2 * c + j], pivot);
        for (size_t i = 0; i < c; i++) {
            formula_node factor = work[i * 2 * c + p];
            for (size_t j = 0; i != p && j < 2 * c; j++)
                work[i * 2 * c + j] =
                    minus(b, work[i * 2 * c + j], times(b, factor, work[p * 2 * c + j]));
        }
    }
    for (size_t i = 0; i < c; i++)
        for (size_t j = 0; j < c; j++)
            inverse[i * c + j] = work[i * 2 * c + c + j];
}

static void find_equations(making *m, equations *e)
{
    builder *b = &m->b;
    size_t c = m->count, D = m->D;
    if (b->status == MST_OK)
        b->status = mst_allocate(&e->block, c * D + c * D * D + c * c * D + 4 * c * c);
    if (b->status != MST_OK)
        return;
    e->g = e->block;
    e->hessian = e->g + c * D;
    e->moved = e->hessian + c * D * D;
    e->inverse = e->moved + c * c * D;
    formula_node *gram = e->inverse + c * c, *work = gram + c * c;
    for (size_t k = 0; k < c; k++)
        for (size_t i = 0; i < D; i++) {
            e->g[k * D + i] = by(m, m->formulas[k], i);
            for (size_t j = 0; j <= i; j++)
                e->hessian[(k * D + i) * D + j] = e->hessian[(k * D + j) * D + i] =
                    by(m, e->g[k * D + i], j);
        }
    for (size_t k = 0; k < c; k++)
        for (size_t a = 0; a < c; a++) {
            gram[k * c + a] = product_sum(b, D, e->g + k * D, e->g + a * D);
            for (size_t i = 0; i < D; i++)
                e->moved[(k * c + a) * D + i] =
                    product_sum(b, D, e->hessian + (k * D + i) * D, e->g + a * D);
        }
    invert_any(b, c, gram, work, e->inverse);
}

/* tr(P A_k P A_l) with P = I − Gᵀ(G Gᵀ)⁻¹G. */
static formula_node projected_trace(making *m, const equations *e, size_t k, size_t l)
{
    builder *b = &m->b;
    size_t c = m->count, D = m->D;
    formula_node sum = product_sum(b, D * D, e->hessian + k * D * D, e->hessian + l * D * D);
    for (size_t p = 0; p < c; p++)
        for (size_t q = 0; q < c; q++) {
            formula_node both =
                product_sum(b, D, e->moved + (k * c + p) * D, e->moved + (l * c + q) * D);
            formula_node weight = e->inverse[p * c + q];
            sum = minus(b, sum, times(b, constant(b, 2), times(b, weight, both)));
            for (size_t r = 0; r < c; r++)
                for (size_t s = 0; s < c; s++) {
                    /* Gᵀ_q A_k G_r and Gᵀ_s A_l G_p */
                    formula_node one = product_sum(b, D, e->g + q * D, e->moved + (k * c + r) * D);
                    formula_node two = product_sum(b, D, e->g + s * D, e->moved + (l * c + p) * D);
                    formula_node pair = times(b, weight, e->inverse[r * c + s]);
                    sum = plus(b, sum, times(b, pair, times(b, one, two)));
                }
        }
    return sum;
}

/* tr(P A_k). */
static formula_node single_trace(making *m, const equations *e, size_t k)
{
    builder *b = &m->b;
    size_t c = m->count, D = m->D;
    formula_node sum = constant(b, 0);
    for (size_t i = 0; i < D; i++)
        sum = plus(b, sum, e->hessian[(k * D + i) * D + i]);
    for (size_t p = 0; p < c; p++)
        for (size_t q = 0; q < c; q++)
            sum = minus(b, sum,
                        times(b, e->inverse[p * c + q],
                              product_sum(b, D, e->g + p * D, e->moved + (k * c + q) * D)));
    return sum;
}

/* 2K = Σ (GGᵀ)⁻¹_kl (tr(PA_k) tr(PA_l) − tr(PA_k PA_l)), by Gauss's equation, and a =
 * −Gᵀ(GGᵀ)⁻¹(vᵀA_k v)_k. */
static void make_by_equations(making *m)
{
    builder *b = &m->b;
    size_t c = m->count, D = m->D;
    equations e = {0};
    find_equations(m, &e);
    if (b->status != MST_OK) {
        mst_release(e.block);
        return;
    }
    formula_node sum = constant(b, 0), zero = sum;
    for (size_t k = 0; k < c; k++)
        for (size_t l = 0; l < c; l++) {
            formula_node traces = times(b, single_trace(m, &e, k), single_trace(m, &e, l));
            formula_node part = minus(b, traces, projected_trace(m, &e, k, l));
            sum = plus(b, sum, times(b, e.inverse[k * c + l], part));
        }
    m->k = times(b, constant(b, 0.5), sum);
    for (size_t i = 0; i < D; i++)
        m->a[i] = zero;
    for (size_t k = 0; k < c; k++) {
        formula_node form = zero, weight;
        for (size_t i = 0; i < D; i++)
            form = plus(b, form,
                        times(b, m->v[i], product_sum(b, D, e.hessian + (k * D + i) * D, m->v)));
        for (size_t l = 0; l < c; l++) {
            weight = times(b, e.inverse[l * c + k], form);
            for (size_t i = 0; i < D; i++)
                m->a[i] = minus(b, m->a[i], times(b, weight, e.g[l * D + i]));
        }
    }
    mst_release(e.block);
}

/* ---- Programs ---- */

static void compile_spray(making *m, surface *s)
{
    builder *b = &m->b;
    formula_node *out = m->a + m->D, half = constant(b, 0.5);
    memcpy(out, m->a, m->D * sizeof *out);
    /* −Γ(v, u) is half of the derivative of −Γ(v, v) along u. */
    derive(m, NULL, m->u, m->D, m->a, out + m->D);
    for (size_t k = m->D; k < 2 * m->D; k++)
        out[k] = times(b, half, out[k]);
    if (b->status == MST_OK)
        b->status = formula_compile(&s->spray, b->g, 2 * m->D, out);
}

static void compile_jet(making *m, surface *s)
{
    builder *b = &m->b;
    formula_node out[JET_COUNT] = {[JET_K] = m->k};
    derive(m, m->v, m->a, 1, &out[JET_K], &out[JET_N]);
    derive(m, m->v, m->a, 1, &out[JET_N], &out[JET_NN]);
    derive(m, m->v, m->a, 1, &out[JET_NN], &out[JET_NNN]);
    derive(m, m->u, NULL, 1, &out[JET_K], &out[JET_T]);
    derive(m, NULL, m->u, 1, &out[JET_NN], &out[JET_NT]);
    out[JET_NT] = times(b, constant(b, 0.5), out[JET_NT]);
    if (b->status == MST_OK)
        b->status = formula_compile(&s->jet, b->g, JET_COUNT, out);
}

/* S S K and S S S K are forms in v, quadratic and cubic; with v = ν their derivatives along u = T give the
 * forms in both. */
static void compile_diagonal(making *m, surface *s)
{
    builder *b = &m->b;
    formula_node first, second, third, tt[2], across[3], out[DIAGONAL_COUNT] = {0};
    formula_node half = constant(b, 0.5), sixth = constant(b, 1.0 / 6);
    derive(m, m->v, m->a, 1, &m->k, &first);
    derive(m, m->v, m->a, 1, &first, &second);
    derive(m, m->v, m->a, 1, &second, &third);
    derive(m, NULL, m->u, 1, &second, &tt[0]);
    derive(m, NULL, m->u, 1, &tt[0], &tt[1]);
    derive(m, NULL, m->u, 1, &third, &across[0]);
    derive(m, NULL, m->u, 1, &across[0], &across[1]);
    derive(m, NULL, m->u, 1, &across[1], &across[2]);
    if (b->status != MST_OK)
        return;
    out[DIAGONAL_LAPLACIAN] = plus(b, second, times(b, half, tt[1]));
    out[DIAGONAL_N] = plus(b, third, times(b, sixth, across[1]));
    out[DIAGONAL_T] =
        plus(b, times(b, constant(b, 1.0 / 3), across[0]), times(b, sixth, across[2]));
    if (b->status == MST_OK)
        b->status = formula_compile(&s->diagonal, b->g, DIAGONAL_COUNT, out);
}

static mst_status make(making *m, surface *s, const mst_formula_content *content)
{
    MST_TRY(formula_replay(&content->formulas, m->b.g, m->formulas));
    for (size_t k = 0; k < m->D; k++) {
        MST_TRY(formula_variable(m->b.g, m->D + k, &m->v[k]));
        MST_TRY(formula_variable(m->b.g, 2 * m->D + k, &m->u[k]));
    }
    if (content->kind == FORMULA_CONSTRAINT)
        make_by_equations(m);
    else
        make_in_chart(m, content->kind);
    compile_spray(m, s);
    compile_jet(m, s);
    compile_diagonal(m, s);
    return m->b.status;
}

bool surface_fits(const mst_manifold *m)
{
    return m->dim == DIM && m->formula != NULL && m->ambient <= 16;
}

mst_status surface_new(surface *s, const mst_manifold *m)
{
    const mst_formula_content *content = m->formula;
    formula_graph graph;
    making work = {.b = {.g = &graph}, .D = m->ambient, .count = content->formulas.outputs};
    *s = (surface){.D = m->ambient};
    mst_status status = formula_graph_new(&graph);
    if (status == MST_OK)
        status = mst_allocate(&work.block, work.count + 5 * work.D);
    if (status == MST_OK) {
        work.formulas = work.block;
        work.v = work.formulas + work.count;
        work.u = work.v + work.D;
        work.a = work.u + work.D;
        status = make(&work, s, content);
    }
    mst_release(work.block);
    formula_graph_release(&graph);
    return status;
}

void surface_release(surface *s)
{
    formula_program_release(&s->spray);
    formula_program_release(&s->jet);
    formula_program_release(&s->diagonal);
}
