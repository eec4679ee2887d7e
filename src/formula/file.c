/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/file.h"

#include "formula/file_reader.h"
#include "util/message.h"
#include "util/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COORDINATES = 1000, MOST_BOUNDS = 1000 };

void formula_file_release(formula_file *f)
{
    mst_release(f->name);
    formula_graph_release(&f->graph);
    mst_release(f->formulas);
    mst_release(f->bounds);
    mst_release(f->period);
    mst_release(f->start);
    for (size_t k = 0; k < f->charts; k++) {
        mst_release(f->chart[k].formulas);
        mst_release(f->chart[k].bounds);
    }
    for (size_t k = 0; k < f->transitions; k++)
        mst_release(f->transition[k].formulas);
    mst_release(f->chart);
    mst_release(f->leave);
    mst_release(f->transition);
    *f = (formula_file){0};
}

mst_status file_need_coordinates(const file_reader *s)
{
    if (s->f->coordinates == 0)
        return reader_complain(&s->r, "the coordinates must be named first: coordinates u v");
    return MST_OK;
}

static mst_status end_statement(const file_reader *s)
{
    if (reader_next(&s->r)->kind != TOKEN_LINE)
        return reader_complain(&s->r, "the statement should end here");
    return MST_OK;
}

/* ---- name, coordinates, parameters ---- */

static mst_status read_title(file_reader *s)
{
    MST_TRY(reader_expect(&s->r, '='));
    const token *t = reader_next(&s->r);
    if (s->f->name != NULL)
        return reader_complain(&s->r, "there is a name already");
    MST_TRY(mst_allocate(&s->f->name, t->length + 1));
    memcpy(s->f->name, s->r.text->bytes + t->at, t->length);
    s->f->name[t->length] = '\0';
    s->r.at++;
    return MST_OK;
}

static mst_status read_coordinates(file_reader *s)
{
    formula_file *f = s->f;
    if (f->coordinates > 0)
        return reader_complain(&s->r, "the coordinates are named already");
    while (reader_next(&s->r)->kind == TOKEN_NAME) {
        token word = *reader_next(&s->r);
        double family = 0;
        formula_node node;
        s->r.at++;
        if (reader_is_sign(&s->r, '[')) {
            s->r.at++;
            size_t at = reader_next(&s->r)->at;
            MST_TRY(reader_number(&s->r, &family));
            if (!(family >= 1 && family <= MOST_COORDINATES) || family != floor(family))
                return formula_complain(s->r.text, at, "how many? a whole number from 1 to %d",
                                        MOST_COORDINATES);
            MST_TRY(reader_expect(&s->r, ']'));
        }
        MST_TRY(formula_variable(&f->graph, f->coordinates, &node));
        MST_TRY(reader_define(&s->r, &word, node, (size_t)family));
        for (size_t k = 1; k < (size_t)family; k++)
            MST_TRY(formula_variable(&f->graph, f->coordinates + k, &node));
        f->coordinates += family > 0 ? (size_t)family : 1;
        if (f->coordinates > MOST_COORDINATES)
            return formula_complain(s->r.text, word.at, "more than %d coordinates",
                                    MOST_COORDINATES);
        if (reader_is_sign(&s->r, ','))
            s->r.at++;
    }
    if (f->coordinates == 0)
        return reader_complain(&s->r, "the names of the coordinates are missing here");
    return mst_allocate_zero(&f->period, f->coordinates);
}

/* The value of the spec, if it has one for this parameter. */
static mst_status override_value(file_reader *s, const token *word, double *value)
{
    for (size_t i = 0; i < s->overrides; i++) {
        const formula_override *o = &s->given[i];
        if (strlen(o->key) != word->length ||
            memcmp(o->key, s->r.text->bytes + word->at, word->length) != 0)
            continue;
        s->used[i] = 1;
        if (!mst_parse_double(o->value, strlen(o->value), value) || !isfinite(*value))
            return mst_fail(MST_ARGUMENT, "%s?%s=%s: the value must be a number", s->r.text->path,
                            o->key, o->value);
    }
    return MST_OK;
}

static mst_status read_parameter(file_reader *s)
{
    token word = *reader_next(&s->r);
    double value;
    formula_node node;
    s->r.at++;
    MST_TRY(reader_expect(&s->r, '='));
    MST_TRY(reader_number(&s->r, &value));
    MST_TRY(override_value(s, &word, &value));
    MST_TRY(formula_constant(&s->f->graph, value, &node));
    return reader_define(&s->r, &word, node, 0);
}

static mst_status read_let(file_reader *s)
{
    token word = *reader_next(&s->r);
    formula_node node;
    s->r.at++;
    MST_TRY(reader_expect(&s->r, '='));
    MST_TRY(reader_formula(&s->r, &node));
    return reader_define(&s->r, &word, node, 0);
}

/* ---- Where it is ---- */

static mst_status read_period(file_reader *s)
{
    formula_node node;
    double value;
    size_t at = reader_next(&s->r)->at;
    MST_TRY(file_need_coordinates(s));
    if (s->f->charts > 0)
        return reader_complain(&s->r, "charts have no periods; a transition does it");
    if (reader_next(&s->r)->kind != TOKEN_NAME)
        return reader_complain(&s->r, "which coordinate has the period?");
    /* A name and an index; the formula of it must be the coordinate. */
    size_t begin = s->r.at;
    const token *word = reader_next(&s->r);
    const formula_name *name = reader_find(&s->r, s->r.text->bytes + word->at, word->length);
    if (name == NULL || s->f->graph.nodes[name->node].op != FORMULA_VARIABLE)
        return reader_complain(&s->r, "this is no coordinate");
    if (name->family > 0) {
        size_t first = s->f->graph.nodes[name->node].a;
        double index;
        s->r.at++;
        MST_TRY(reader_expect(&s->r, '['));
        MST_TRY(reader_number(&s->r, &index));
        MST_TRY(reader_expect(&s->r, ']'));
        if (!(index >= 1 && index <= (double)name->family) || index != floor(index))
            return formula_complain(s->r.text, at, "there is no such coordinate");
        node = (formula_node)(first + (size_t)index - 1);
    } else {
        node = s->f->graph.nodes[name->node].a;
        s->r.at = begin + 1;
    }
    at = reader_next(&s->r)->at;
    MST_TRY(reader_number(&s->r, &value));
    if (!(value > 0))
        return formula_complain(s->r.text, at, "a period must be positive, not %g", value);
    s->f->period[node] = value;
    return MST_OK;
}

mst_status file_read_comparison(file_reader *s, formula_node *left, formula_node *positive)
{
    formula_node right;
    bool less = reader_is_sign(&s->r, '<');
    if (!less && !reader_is_sign(&s->r, '>'))
        return reader_complain(&s->r, "a < or > is missing here");
    s->r.at++;
    if (reader_is_sign(&s->r, '='))
        s->r.at++; /* the border does not matter */
    MST_TRY(reader_formula(&s->r, &right));
    MST_TRY(formula_apply(&s->f->graph, FORMULA_SUBTRACT, less ? right : *left,
                          less ? *left : right, positive));
    *left = right;
    return MST_OK;
}

/* a < b < c or a > b: differences that are positive inside. */
static mst_status read_domain(file_reader *s)
{
    formula_file *f = s->f;
    formula_node left, difference;
    MST_TRY(file_need_coordinates(s));
    MST_TRY(reader_formula(&s->r, &left));
    do {
        MST_TRY(file_read_comparison(s, &left, &difference));
        if (f->bounds_count >= MOST_BOUNDS)
            return reader_complain(&s->r, "more than %d bounds", MOST_BOUNDS);
        MST_TRY(mst_grow(&f->bounds, f->bounds_count, &s->bounds_capacity));
        f->bounds[f->bounds_count++] = difference;
    } while (reader_is_sign(&s->r, '<') || reader_is_sign(&s->r, '>'));
    return MST_OK;
}

static mst_status read_start(file_reader *s)
{
    size_t at = reader_next(&s->r)->at, k = 0;
    MST_TRY(file_need_coordinates(s));
    MST_TRY(reader_expect(&s->r, '='));
    s->f->start_at = reader_next(&s->r)->at;
    if (s->f->start == NULL)
        MST_TRY(mst_allocate(&s->f->start, s->f->coordinates));
    do {
        double value;
        s->r.at += k > 0 ? 1 : 0;
        MST_TRY(reader_number(&s->r, &value));
        if (k < s->f->coordinates)
            s->f->start[k] = value;
        k++;
    } while (reader_is_sign(&s->r, ','));
    for (size_t i = 1; k == 1 && i < s->f->coordinates; i++)
        s->f->start[i] = s->f->start[0];
    if (k != s->f->coordinates && k != 1)
        return formula_complain(s->r.text, at,
                                "the start has %zu number%s, but there are %zu "
                                "coordinates",
                                k, k == 1 ? "" : "s", s->f->coordinates);
    s->has_start = true;
    return MST_OK;
}

/* ---- What is known ---- */

static mst_status read_answer(file_reader *s, formula_answer *out)
{
    MST_TRY(reader_expect(&s->r, '='));
    if (!reader_is_word(&s->r, "yes") && !reader_is_word(&s->r, "no"))
        return reader_complain(&s->r, "yes or no?");
    *out = reader_is_word(&s->r, "yes") ? FORMULA_YES : FORMULA_NO;
    s->r.at++;
    return MST_OK;
}

static mst_status read_compact(file_reader *s)
{
    return read_answer(s, &s->f->compact);
}

static mst_status read_hadamard(file_reader *s)
{
    return read_answer(s, &s->f->hadamard);
}

static mst_status read_injectivity(file_reader *s)
{
    MST_TRY(reader_expect(&s->r, '='));
    size_t at = reader_next(&s->r)->at;
    MST_TRY(reader_number(&s->r, &s->f->injectivity));
    if (!(s->f->injectivity > 0))
        return formula_complain(s->r.text, at, "the injectivity radius must be positive");
    return MST_OK;
}

/* ---- The formulas ---- */

static mst_status add_formula(file_reader *s, formula_node node)
{
    MST_TRY(mst_grow(&s->f->formulas, s->f->count, &s->formulas_capacity));
    s->f->formulas[s->f->count++] = node;
    return MST_OK;
}

/* Formulas joined by commas; the number of them. */
static mst_status read_list(file_reader *s, size_t *count)
{
    for (*count = 0;; (*count)++) {
        formula_node node;
        if (*count > 0 && !reader_is_sign(&s->r, ','))
            return MST_OK;
        s->r.at += *count > 0 ? 1 : 0;
        MST_TRY(reader_formula(&s->r, &node));
        MST_TRY(add_formula(s, node));
    }
}

static mst_status begin_kind(file_reader *s, formula_kind kind)
{
    s->f->kind_at = s->r.text->tokens[s->r.at - 1].at;
    if (s->has_kind)
        return formula_complain(s->r.text, s->f->kind_at,
                                "a %s has one embedding, metric, cometric or constraint",
                                s->f->charts > 0 ? "chart" : "file");
    if (s->f->charts > 0 && kind == FORMULA_CONSTRAINT)
        return formula_complain(s->r.text, s->f->kind_at, "a constraint needs no charts");
    s->has_kind = true;
    s->f->kind = kind;
    MST_TRY(file_need_coordinates(s));
    return reader_expect(&s->r, '=');
}

static mst_status read_embedding(file_reader *s)
{
    size_t count;
    MST_TRY(begin_kind(s, FORMULA_EMBEDDING));
    MST_TRY(read_list(s, &count));
    if (count < s->f->coordinates)
        return formula_complain(s->r.text, s->f->kind_at,
                                "%zu component%s cannot hold %zu dimensions", count,
                                count == 1 ? "" : "s", s->f->coordinates);
    return MST_OK;
}

static mst_status read_constraint(file_reader *s)
{
    size_t count;
    MST_TRY(begin_kind(s, FORMULA_CONSTRAINT));
    MST_TRY(read_list(s, &count));
    if (count >= s->f->coordinates)
        return formula_complain(s->r.text, s->f->kind_at,
                                "%zu constraints on %zu coordinates leave no dimension", count,
                                s->f->coordinates);
    return MST_OK;
}

/* The formulas read so far as a diagonal, a lower triangle or a whole matrix become the whole matrix. */
static mst_status fill_matrix(file_reader *s, const size_t *widths, size_t rows)
{
    formula_file *f = s->f;
    size_t d = f->coordinates, read = f->count;
    formula_node zero, *given = f->formulas;
    MST_TRY(formula_constant(&f->graph, 0, &zero));
    bool scalar = read == 1 && d > 1, triangle = rows == d, whole = rows == d;
    for (size_t i = 0; i < rows; i++) {
        triangle = triangle && widths[i] == i + 1;
        whole = whole && widths[i] == d;
    }
    if (!scalar && !triangle && !whole && !(rows == 0 && read == d))
        return formula_complain(s->r.text, s->f->kind_at,
                                "%zu coordinates need %zu rows, whole or a lower triangle, "
                                "separated by semicolons; or diag(...); or one formula",
                                d, d);
    f->formulas = NULL;
    f->count = s->formulas_capacity = 0;
    for (size_t i = 0; i < d * d; i++) {
        size_t row = i / d, column = i % d, high = row > column ? row : column;
        size_t low = row > column ? column : row;
        formula_node node = scalar || rows == 0 ? row == column ? given[scalar ? 0 : row] : zero
                            : whole             ? given[i]
                                                : given[high * (high + 1) / 2 + low];
        mst_status status = add_formula(s, node);
        if (status != MST_OK) {
            mst_release(given);
            return status;
        }
    }
    bool symmetric = true;
    for (size_t i = 0; whole && i < d * d; i++)
        symmetric = symmetric && given[i] == given[i % d * d + i / d];
    mst_release(given);
    if (!symmetric)
        return formula_complain(s->r.text, s->f->kind_at,
                                "the matrix is not symmetric; give its lower triangle");
    return MST_OK;
}

static mst_status read_matrix(file_reader *s, formula_kind kind)
{
    MST_TRY(begin_kind(s, kind));
    size_t count, rows = 0, capacity = 0, *widths = NULL;
    mst_status status = MST_OK;
    if (reader_is_word(&s->r, "diag")) {
        s->r.at++;
        MST_TRY(reader_expect(&s->r, '('));
        MST_TRY(read_list(s, &count));
        MST_TRY(reader_expect(&s->r, ')'));
        return fill_matrix(s, NULL, 0);
    }
    do {
        s->r.at += rows > 0 ? 1 : 0;
        status = read_list(s, &count);
        if (status == MST_OK)
            status = mst_grow(&widths, rows, &capacity);
        if (status == MST_OK)
            widths[rows++] = count;
    } while (status == MST_OK && reader_is_sign(&s->r, ';'));
    if (status == MST_OK)
        status = fill_matrix(s, widths, rows);
    mst_release(widths);
    return status;
}

static mst_status read_metric(file_reader *s)
{
    return read_matrix(s, FORMULA_METRIC);
}

static mst_status read_cometric(file_reader *s)
{
    return read_matrix(s, FORMULA_COMETRIC);
}

/* ---- The file ---- */

static const struct {
    const char *word;
    mst_status (*read)(file_reader *s);
} statements[] = {
    {"name", read_title},
    {"coordinates", read_coordinates},
    {"parameter", read_parameter},
    {"let", read_let},
    {"period", read_period},
    {"domain", read_domain},
    {"start", read_start},
    {"compact", read_compact},
    {"hadamard", read_hadamard},
    {"injectivity", read_injectivity},
    {"embedding", read_embedding},
    {"constraint", read_constraint},
    {"metric", read_metric},
    {"cometric", read_cometric},
    {"chart", file_read_chart},
    {"leave", file_read_leave},
    {"transition", file_read_transition},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static mst_status read_statement(file_reader *s)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        if (reader_is_word(&s->r, statements[i].word)) {
            s->r.at++;
            MST_TRY(statements[i].read(s));
            return end_statement(s);
        }
    return reader_complain(
        &s->r, "a statement begins with name, coordinates, parameter, let, period, domain, "
               "start, compact, hadamard, injectivity, embedding, metric, cometric, "
               "constraint, chart, leave or transition");
}

static mst_status check_overrides(const file_reader *s)
{
    for (size_t i = 0; i < s->overrides; i++)
        if (!s->used[i])
            return mst_fail(MST_ARGUMENT, "%s has no parameter '%.40s'", s->r.text->path,
                            s->given[i].key);
    return MST_OK;
}

static mst_status read_statements(file_reader *s)
{
    while (reader_next(&s->r)->kind != TOKEN_END) {
        if (reader_next(&s->r)->kind == TOKEN_LINE)
            s->r.at++;
        else
            MST_TRY(read_statement(s));
    }
    if (s->f->coordinates == 0)
        return reader_complain(&s->r, "the statement 'coordinates' is missing");
    if (s->f->charts > 0)
        MST_TRY(file_end_charts(s));
    if (!s->has_kind)
        return reader_complain(&s->r, "an embedding, metric, cometric or constraint is missing");
    if (!s->has_start)
        return reader_complain(&s->r, "the statement 'start' is missing");
    return check_overrides(s);
}

mst_status formula_file_read(formula_file *f, const char *path, const char *text, size_t length,
                             size_t overrides, const formula_override *given)
{
    *f = (formula_file){.injectivity = NAN};
    formula_text words;
    file_reader s = {.f = f, .overrides = overrides, .given = given};
    MST_TRY(formula_graph_new(&f->graph));
    mst_status status = formula_text_read(&words, path, text, length);
    s.r = (formula_reader){.text = &words, .graph = &f->graph};
    if (status == MST_OK)
        status = mst_allocate_zero(&s.used, overrides);
    if (status == MST_OK)
        status = read_statements(&s);
    mst_release(s.used);
    formula_reader_release(&s.r);
    formula_text_release(&words);
    return status;
}
