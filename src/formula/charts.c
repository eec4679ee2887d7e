/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Chart blocks of a formula file, and the ways from one to another. */
#include "formula/file_reader.h"
#include "util/message.h"

#include <string.h>

enum { MOST_CHARTS = 100, MOST_WAYS = 10000 };

static size_t find_chart(const file_reader *s, const token *word)
{
    const char *bytes = s->r.text->bytes;
    for (size_t k = 0; k < s->f->charts; k++)
        if (s->f->chart[k].length == word->length &&
            memcmp(bytes + s->f->chart[k].at, bytes + word->at, word->length) == 0)
            return k;
    return s->f->charts;
}

/* What was read since the last `chart` belongs to it. */
static mst_status end_chart(file_reader *s)
{
    formula_file *f = s->f;
    formula_chart *c = &f->chart[f->charts - 1];
    char quoted[MST_QUOTED_TEXT];
    if (!s->has_kind)
        return formula_complain(s->r.text, c->at, "chart %s has no embedding, metric or cometric",
                                mst_quote_text(s->r.text->bytes + c->at, c->length, quoted));
    c->kind = f->kind;
    c->formulas = f->formulas;
    c->count = f->count;
    c->bounds = f->bounds;
    c->bounds_count = f->bounds_count;
    f->formulas = f->bounds = NULL;
    f->count = f->bounds_count = s->formulas_capacity = s->bounds_capacity = 0;
    s->has_kind = false;
    return MST_OK;
}

mst_status file_read_chart(file_reader *s)
{
    formula_file *f = s->f;
    token word = *reader_next(&s->r);
    MST_TRY(file_need_coordinates(s));
    if (f->charts == 0 && (s->has_kind || f->bounds_count > 0))
        return reader_complain(&s->r, "formulas and domains must stand below their chart");
    for (size_t k = 0; k < f->coordinates; k++)
        if (f->period[k] > 0)
            return reader_complain(&s->r, "charts have no periods; a transition does it");
    if (f->charts > 0)
        MST_TRY(end_chart(s));
    if (word.kind != TOKEN_NAME)
        return reader_complain(&s->r, "the name of the chart is missing here");
    if (find_chart(s, &word) < f->charts)
        return reader_complain(&s->r, "there is a chart of this name already");
    if (f->charts >= MOST_CHARTS)
        return reader_complain(&s->r, "more than %d charts", MOST_CHARTS);
    MST_TRY(mst_grow(&f->chart, f->charts, &s->charts_capacity));
    f->chart[f->charts++] = (formula_chart){.at = word.at, .length = word.length};
    s->r.at++;
    return MST_OK;
}

/* The name of a chart that was begun above. */
static mst_status read_chart_name(file_reader *s, size_t *chart)
{
    const token *word = reader_next(&s->r);
    *chart = word->kind == TOKEN_NAME ? find_chart(s, word) : s->f->charts;
    if (*chart == s->f->charts)
        return reader_complain(&s->r, "the name of a chart above is needed here");
    s->r.at++;
    return MST_OK;
}

static mst_status expect_arrow(file_reader *s)
{
    if (reader_next(&s->r)->kind != TOKEN_ARROW)
        return reader_complain(&s->r, "a -> is missing here");
    s->r.at++;
    return MST_OK;
}

mst_status file_read_leave(file_reader *s)
{
    formula_file *f = s->f;
    formula_node left;
    formula_leave leave = {.at = s->r.text->tokens[s->r.at - 1].at};
    if (f->charts == 0)
        return formula_complain(s->r.text, leave.at, "leave stands below a chart");
    leave.from = f->charts - 1;
    MST_TRY(reader_formula(&s->r, &left));
    MST_TRY(file_read_comparison(s, &left, &leave.positive));
    MST_TRY(expect_arrow(s));
    const token *word = reader_next(&s->r);
    if (word->kind != TOKEN_NAME)
        return reader_complain(&s->r, "the name of a chart is missing here");
    leave.to = word->at; /* the chart may stand below: found at the end */
    s->r.at++;
    if (f->leaves >= MOST_WAYS)
        return reader_complain(&s->r, "more than %d of them", MOST_WAYS);
    MST_TRY(mst_grow(&f->leave, f->leaves, &s->leaves_capacity));
    f->leave[f->leaves++] = leave;
    return MST_OK;
}

mst_status file_read_transition(file_reader *s)
{
    formula_file *f = s->f;
    formula_transition t = {.at = s->r.text->tokens[s->r.at - 1].at};
    MST_TRY(read_chart_name(s, &t.from));
    MST_TRY(expect_arrow(s));
    MST_TRY(read_chart_name(s, &t.to));
    if (t.from == t.to)
        return formula_complain(s->r.text, t.at, "a transition leads to another chart");
    for (size_t k = 0; k < f->transitions; k++)
        if (f->transition[k].from == t.from && f->transition[k].to == t.to)
            return formula_complain(s->r.text, t.at, "there is such a transition already");
    MST_TRY(reader_expect(&s->r, '='));
    if (f->transitions >= MOST_WAYS)
        return reader_complain(&s->r, "more than %d of them", MOST_WAYS);
    MST_TRY(mst_grow(&f->transition, f->transitions, &s->transitions_capacity));
    MST_TRY(mst_allocate_zero(&t.formulas, f->coordinates));
    f->transition[f->transitions++] = t;
    for (size_t k = 0; k < f->coordinates; k++) {
        if (k > 0)
            MST_TRY(reader_expect(&s->r, ','));
        MST_TRY(reader_formula(&s->r, &t.formulas[k]));
    }
    return MST_OK;
}

static bool has_transition(const formula_file *f, size_t from, size_t to)
{
    for (size_t k = 0; k < f->transitions; k++)
        if (f->transition[k].from == from && f->transition[k].to == to)
            return true;
    return false;
}

static mst_status check_ways(file_reader *s)
{
    formula_file *f = s->f;
    for (size_t k = 0; k < f->leaves; k++) {
        formula_leave *l = &f->leave[k];
        size_t name = 0;
        while (s->r.text->tokens[name].at != l->to || s->r.text->tokens[name].kind != TOKEN_NAME)
            name++;
        l->to = find_chart(s, &s->r.text->tokens[name]);
        if (l->to == f->charts)
            return formula_complain(s->r.text, s->r.text->tokens[name].at,
                                    "there is no such chart");
        if (l->to == l->from || !has_transition(f, l->from, l->to))
            return formula_complain(s->r.text, l->at, "there is no transition to that chart");
    }
    for (size_t k = 0; k < f->transitions; k++)
        if (!has_transition(f, f->transition[k].to, f->transition[k].from))
            return formula_complain(s->r.text, f->transition[k].at,
                                    "there is no transition back from there");
    return MST_OK;
}

static mst_status gather(file_reader *s, formula_node node)
{
    MST_TRY(mst_grow(&s->f->formulas, s->f->count, &s->formulas_capacity));
    s->f->formulas[s->f->count++] = node;
    return MST_OK;
}

static mst_status gather_number(file_reader *s, size_t number)
{
    formula_node node;
    MST_TRY(formula_constant(&s->f->graph, (double)number, &node));
    return gather(s, node);
}

/* All formulas one after the other, for those who compare files. */
static mst_status gather_all(file_reader *s)
{
    formula_file *f = s->f;
    for (size_t k = 0; k < f->charts; k++) {
        const formula_chart *c = &f->chart[k];
        MST_TRY(gather_number(s, (size_t)c->kind));
        MST_TRY(gather_number(s, c->count));
        for (size_t i = 0; i < c->count; i++)
            MST_TRY(gather(s, c->formulas[i]));
        for (size_t i = 0; i < c->bounds_count; i++)
            MST_TRY(gather(s, c->bounds[i]));
    }
    for (size_t k = 0; k < f->leaves; k++) {
        MST_TRY(gather_number(s, f->leave[k].from * f->charts + f->leave[k].to));
        MST_TRY(gather(s, f->leave[k].positive));
    }
    for (size_t k = 0; k < f->transitions; k++) {
        MST_TRY(gather_number(s, f->transition[k].from * f->charts + f->transition[k].to));
        for (size_t i = 0; i < f->coordinates; i++)
            MST_TRY(gather(s, f->transition[k].formulas[i]));
    }
    return MST_OK;
}

mst_status file_end_charts(file_reader *s)
{
    MST_TRY(end_chart(s));
    if (s->f->charts < 2)
        return formula_complain(s->r.text, s->f->chart[0].at,
                                "one chart needs no block; leave the line out");
    MST_TRY(check_ways(s));
    s->f->kind = s->f->chart[0].kind;
    s->has_kind = true;
    return gather_all(s);
}
