/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The programs of a manifold given by equations. With G the gradients, M = G Gᵀ and A_k the Hessians of the
 * constraints, the second fundamental form is II(u, v) = −Gᵀ M⁻¹ (uᵀA_k v)_k; a parallel vector has e' =
 * II(x', e), and Ric(u, v) = Σ_a <II(u, v), II(e_a, e_a)> − <II(u, e_a), II(v, e_a)>. */
#include "manifold/rolling.h"

#include <string.h>

enum { MOST = ROLLING_AMBIENT };

typedef struct level {
    builder b;
    size_t d, D, c;
    formula_node gradient[MOST][MOST]; /* (c, D) */
    formula_node factor[MOST][MOST];   /* M = C Cᵀ */
} level;

static formula_node dot(builder *b, size_t n, const formula_node *u, const formula_node *v)
{
    formula_node sum = constant(b, 0);
    for (size_t k = 0; k < n; k++)
        sum = plus(b, sum, times(b, u[k], v[k]));
    return sum;
}

static void find_gradients(level *s, const formula_file *f)
{
    builder *b = &s->b;
    for (size_t k = 0; k < s->c; k++)
        if (b->status == MST_OK)
            b->status = formula_gradient(b->g, f->formulas[k], 0, s->D, s->gradient[k]);
    for (size_t j = 0; j < s->c; j++)
        for (size_t i = j; i < s->c; i++) {
            formula_node rest = minus(b, dot(b, s->D, s->gradient[i], s->gradient[j]),
                                      dot(b, j, s->factor[i], s->factor[j]));
            s->factor[i][j] = i == j ? of(b, FORMULA_SQRT, rest) : over(b, rest, s->factor[j][j]);
        }
}

/* C⁻¹ v, then C⁻ᵀ of it, in place. */
static void solve_lower(level *s, formula_node *v)
{
    builder *b = &s->b;
    for (size_t i = 0; i < s->c; i++)
        v[i] = over(b, minus(b, v[i], dot(b, i, s->factor[i], v)), s->factor[i][i]);
}

static void solve_upper(level *s, formula_node *v)
{
    builder *b = &s->b;
    for (size_t i = s->c; i-- > 0;) {
        for (size_t k = i + 1; k < s->c; k++)
            v[i] = minus(b, v[i], times(b, s->factor[k][i], v[k]));
        v[i] = over(b, v[i], s->factor[i][i]);
    }
}

/* w ← w − Gᵀ M⁻¹ v; v is lost. */
static void subtract_normal(level *s, formula_node *v, formula_node *w)
{
    builder *b = &s->b;
    solve_lower(s, v);
    solve_upper(s, v);
    for (size_t a = 0; a < s->D; a++)
        for (size_t k = 0; k < s->c; k++)
            w[a] = minus(b, w[a], times(b, v[k], s->gradient[k][a]));
}

/* uᵀA_k v for the vectors v (count, D): out (count, c). */
static void forms(level *s, const formula_node *u, size_t count, formula_node (*v)[MOST],
                  formula_node (*out)[MOST])
{
    builder *b = &s->b;
    for (size_t k = 0; k < s->c; k++) {
        formula_node turned[MOST];
        rolling_derive(b, s->D, u, s->D, s->gradient[k], turned);
        for (size_t a = 0; a < count; a++)
            out[a][k] = dot(b, s->D, turned, v[a]);
    }
}

static void frame_variables(level *s, formula_node (*e)[MOST])
{
    for (size_t a = 0; a < s->d; a++)
        for (size_t k = 0; k < s->D; k++)
            e[a][k] = rolling_variable(&s->b, s->D + a * s->D + k);
}

static void find_slopes(level *s, formula_node *out)
{
    builder *b = &s->b;
    formula_node e[ROLLING_DIM][MOST], sizes[ROLLING_DIM][MOST];
    size_t d = s->d, D = s->D;
    frame_variables(s, e);
    for (size_t k = 0; k < D; k++) {
        out[k] = constant(b, 0);
        for (size_t a = 0; a < d; a++)
            out[k] = plus(b, out[k], times(b, rolling_variable(b, D + d * D + a), e[a][k]));
    }
    forms(s, out, d, e, sizes);
    for (size_t a = 0; a < d; a++) {
        formula_node *bent = out + D + a * D;
        for (size_t k = 0; k < D; k++)
            bent[k] = constant(b, 0);
        subtract_normal(s, sizes[a], bent);
    }
}

/* C⁻¹ of the forms of all pairs of e, so that products of II are products of them. */
static void find_ricci(level *s, formula_node (*e)[MOST], formula_node *out)
{
    builder *b = &s->b;
    size_t d = s->d;
    formula_node second[ROLLING_DIM][ROLLING_DIM][MOST];
    for (size_t i = 0; i < d; i++) {
        forms(s, e[i], d, e, second[i]);
        for (size_t j = 0; j < d; j++)
            solve_lower(s, second[i][j]);
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            formula_node sum = constant(b, 0);
            for (size_t a = 0; a < d; a++)
                sum = plus(b, sum,
                           minus(b, dot(b, s->c, second[i][j], second[a][a]),
                                 dot(b, s->c, second[i][a], second[j][a])));
            *out++ = sum;
            if (d == 2)
                return;
        }
}

static void find_arrival(level *s, formula_node *out)
{
    builder *b = &s->b;
    formula_node e[ROLLING_DIM][MOST];
    size_t d = s->d, D = s->D;
    frame_variables(s, e);
    for (size_t a = 0; a < d; a++) {
        formula_node normal[MOST];
        for (size_t k = 0; k < s->c; k++)
            normal[k] = dot(b, D, s->gradient[k], e[a]);
        subtract_normal(s, normal, e[a]);
        for (size_t other = 0; other < a; other++) {
            formula_node part = dot(b, D, e[other], e[a]);
            for (size_t k = 0; k < D; k++)
                e[a][k] = minus(b, e[a][k], times(b, part, e[other][k]));
        }
        formula_node length = of(b, FORMULA_SQRT, dot(b, D, e[a], e[a]));
        for (size_t k = 0; k < D; k++)
            e[a][k] = over(b, e[a][k], length);
        memcpy(out + a * D, e[a], D * sizeof *out);
    }
    find_ricci(s, e, out + d * D);
}

/* A step of Newton's method. */
static void find_pull(level *s, const formula_file *f, formula_node *out)
{
    formula_node h[MOST];
    memcpy(h, f->formulas, s->c * sizeof *h);
    for (size_t k = 0; k < s->D; k++)
        out[k] = rolling_variable(&s->b, k);
    subtract_normal(s, h, out);
}

mst_status rolling_of_constraint(rolling *r, formula_file *file)
{
    size_t D = file->coordinates, d = D - file->count;
    *r = (rolling){0};
    if (file->count >= D || D > MOST || d < 2 || d > ROLLING_DIM)
        return MST_OK;
    level s = {.b = {&file->graph, MST_OK}, .d = d, .D = D, .c = file->count};
    *r = (rolling){.d = d, .D = D, .projects = true};
    formula_node nodes[MOST * (ROLLING_DIM + 1) + ROLLING_DIM * ROLLING_DIM];
    find_gradients(&s, file);
    find_slopes(&s, nodes);
    mst_status status = rolling_compile(&s.b, &r->slope, D + d * D, nodes);
    if (status == MST_OK) {
        find_arrival(&s, nodes);
        status = rolling_compile(&s.b, &r->arrive, d * D + rolling_ricci_size(d), nodes);
    }
    if (status == MST_OK) {
        find_pull(&s, file, nodes);
        status = rolling_compile(&s.b, &r->pull, D, nodes);
    }
    return rolling_settle(r, status);
}
