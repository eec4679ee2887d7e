/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/formula_content.h"

#include "learned/learned.h"
#include "manifold/internal.h"

#include <math.h>
#include <string.h>

void mst_formula_content_free(mst_formula_content *c)
{
    if (c == NULL)
        return;
    formula_program_release(&c->formulas);
    formula_program_release(&c->bounds);
    mst_release(c->text);
    mst_release(c->numbers);
    mst_release(c);
}

/* A zero can stand in a comment, and would end the text for its readers. */
static mst_status copy_text(char **out, const char *text, size_t length)
{
    MST_TRY(mst_allocate(out, length + 1));
    for (size_t i = 0; i < length; i++)
        (*out)[i] = text[i] != 0 ? text[i] : ' ';
    (*out)[length] = 0;
    return MST_OK;
}

mst_status mst_formula_content_new(mst_formula_content **out, const formula_file *f,
                                   const char *text, size_t length)
{
    size_t columns = f->coordinates;
    MST_TRY(mst_allocate_zero(out, 1));
    mst_formula_content *c = *out;
    *c = (mst_formula_content){.kind = f->kind,
                               .coordinates = columns,
                               .compact = f->compact,
                               .hadamard = f->hadamard,
                               .injectivity = f->injectivity};
    mst_status status = copy_text(&c->text, text, length);
    if (status == MST_OK)
        status = mst_allocate(&c->numbers, 2 * columns);
    if (status == MST_OK) {
        memcpy(c->numbers, f->start, columns * sizeof *f->start);
        memcpy(c->numbers + columns, f->period, columns * sizeof *f->period);
        status = formula_compile(&c->formulas, &f->graph, f->count, f->formulas);
    }
    if (status == MST_OK && f->bounds_count > 0)
        status = formula_compile(&c->bounds, &f->graph, f->bounds_count, f->bounds);
    if (status != MST_OK) {
        mst_formula_content_free(c);
        *out = NULL;
    }
    return status;
}

static bool same_numbers(size_t n, const double *a, const double *b)
{
    for (size_t i = 0; i < n; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
            return false;
    return true;
}

static bool same_programs(const formula_program *a, const formula_program *b)
{
    if (a->length != b->length || a->registers != b->registers || a->outputs != b->outputs ||
        a->loads_count != b->loads_count || a->constants_count != b->constants_count)
        return false;
    return (a->length == 0 || memcmp(a->code, b->code, a->length * sizeof *a->code) == 0) &&
           (a->loads_count == 0 ||
            memcmp(a->loads, b->loads, a->loads_count * sizeof *a->loads) == 0) &&
           (a->outputs == 0 ||
            memcmp(a->results, b->results, a->outputs * sizeof *a->results) == 0) &&
           same_numbers(a->constants_count, a->constants, b->constants);
}

bool mst_formula_content_same(const mst_formula_content *a, const mst_formula_content *b)
{
    return a->kind == b->kind && a->coordinates == b->coordinates && a->compact == b->compact &&
           a->hadamard == b->hadamard && same_numbers(1, &a->injectivity, &b->injectivity) &&
           same_numbers(2 * a->coordinates, a->numbers, b->numbers) &&
           same_programs(&a->formulas, &b->formulas) && same_programs(&a->bounds, &b->bounds);
}

const char *mst_manifold_formula(const mst_manifold *m)
{
    return m->formula != NULL ? m->formula->text : NULL;
}

const char *mst_manifold_content(const mst_manifold *m)
{
    return m->learned != NULL ? m->learned->content : mst_manifold_formula(m);
}

bool mst_has_spec(const mst_manifold *m, const char *spec)
{
    return strcmp(m->spec, spec) == 0;
}

bool mst_has_content(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (mst_manifold_content(mst_manifold_factor(m, f)) != NULL)
            return true;
    return false;
}

static bool is_same_factor(const mst_manifold *p, const mst_manifold *q)
{
    if (p->formula != NULL && q->formula != NULL)
        return mst_formula_content_same(p->formula, q->formula);
    if (p->learned != NULL && q->learned != NULL)
        return strcmp(p->learned->content, q->learned->content) == 0 &&
               strcmp(p->learned->options, q->learned->options) == 0;
    return p->formula == q->formula && p->learned == q->learned && strcmp(p->spec, q->spec) == 0;
}

bool mst_manifold_is_same(const mst_manifold *a, const mst_manifold *b)
{
    size_t count = mst_manifold_factor_count(a);
    if (a == b)
        return true;
    if (count != mst_manifold_factor_count(b))
        return false;
    for (size_t f = 0; f < count; f++)
        if (!is_same_factor(mst_manifold_factor(a, f), mst_manifold_factor(b, f)))
            return false;
    return true;
}
