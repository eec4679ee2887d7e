/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/expression.h"
#include "formula/program.h"
#include "util/message.h"

#include <manistat/terms.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct term {
    char *text;
    char *column;  /* of a plain column or a factor; null: a formula */
    char **levels; /* (level_count) of a factor, the reference first; else null */
    size_t level_count;
    formula_program program; /* of a formula */
} term;

typedef struct column {
    char *name;
    size_t term, level; /* level of a factor, from 1 */
} column;

struct mst_terms {
    term *terms;
    size_t count, capacity;
    column *columns;
    size_t column_count, column_capacity;
    char **names; /* (name_count) of the table: the variables of formulas */
    size_t name_count;
};

void mst_terms_free(mst_terms *t)
{
    if (t == NULL)
        return;
    for (size_t k = 0; k < t->count; k++) {
        for (size_t l = 0; l < t->terms[k].level_count; l++)
            mst_release(t->terms[k].levels[l]);
        mst_release(t->terms[k].levels);
        mst_release(t->terms[k].text);
        mst_release(t->terms[k].column);
        formula_program_release(&t->terms[k].program);
    }
    for (size_t k = 0; k < t->column_count; k++)
        mst_release(t->columns[k].name);
    for (size_t k = 0; t->names != NULL && k < t->name_count; k++)
        mst_release(t->names[k]);
    mst_release(t->names);
    mst_release(t->columns);
    mst_release(t->terms);
    mst_release(t);
}

/* ---- Making terms ---- */

static mst_status no_such_column(const mst_table *table, const char *name)
{
    char quoted[MST_QUOTED_TEXT], names[200] = "";
    for (size_t i = 0, used = 0; i < table->cols && used + 8 < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 table->columns[i].name);
    return mst_fail(MST_ARGUMENT, "%s has no column %s; it has %s", table->path,
                    mst_quote_text(name, strlen(name), quoted), names);
}

static mst_status add_column(mst_terms *t, size_t level, const char *name)
{
    MST_TRY(mst_grow(&t->columns, t->column_count, &t->column_capacity));
    column *c = &t->columns[t->column_count];
    *c = (column){.term = t->count - 1, .level = level};
    MST_TRY(mst_copy_string(&c->name, name));
    t->column_count++;
    return MST_OK;
}

static mst_status add_level(term *new, const char *level)
{
    MST_TRY(mst_copy_string(&new->levels[new->level_count], level));
    new->level_count++;
    return MST_OK;
}

static mst_status add_levels(mst_terms *t, const mst_table *table, size_t count, char *const *names)
{
    term *new = &t->terms[t->count - 1];
    MST_TRY(mst_allocate_zero(&new->levels, count));
    for (size_t l = 0; l < count; l++)
        if (!mst_is_missing(names[l]))
            MST_TRY(add_level(new, names[l]));
    if (new->level_count < 2)
        return mst_fail(MST_ARGUMENT,
                        "\"%s\" of %s has one level only, %s: a factor needs two; leave it out",
                        new->column, table->path, new->level_count > 0 ? new->levels[0] : "none");
    for (size_t l = 1; l < new->level_count; l++) {
        char name[200];
        snprintf(name, sizeof name, "%.90s[%.90s]", new->column, new->levels[l]);
        MST_TRY(add_column(t, l, name));
    }
    return MST_OK;
}

/* A column of numbers as a factor: its different values, in order. */
static mst_status add_number_levels(mst_terms *t, const mst_table *table, const double *x)
{
    enum { MOST = 1000 };
    char **names, text[32];
    double last = -INFINITY;
    size_t count = 0;
    MST_TRY(mst_allocate_zero(&names, MOST));
    mst_status status = MST_OK;
    for (;;) {
        double next = INFINITY;
        for (size_t i = 0; i < table->n; i++)
            if (x[i] > last && x[i] < next)
                next = x[i];
        if (isinf(next) || status != MST_OK || count == MOST)
            break;
        snprintf(text, sizeof text, "%.17g", next);
        status = mst_copy_string(&names[count], text);
        count += status == MST_OK;
        last = next;
    }
    if (status == MST_OK)
        status = add_levels(t, table, count, names);
    for (size_t k = 0; k < count; k++)
        mst_release(names[k]);
    mst_release(names);
    return status;
}

static mst_status add_plain(mst_terms *t, const mst_table *table, const mst_table_column *c,
                            bool factor)
{
    term *new = &t->terms[t->count - 1];
    MST_TRY(mst_copy_string(&new->column, c->name));
    if (c->labels != NULL)
        return add_levels(t, table, c->labels->count, c->labels->names);
    return factor ? add_number_levels(t, table, c->numbers) : add_column(t, 0, new->text);
}

/* ---- Formulas ---- */

/* Does the formula use this variable? */
static mst_status is_used(const formula_graph *g, formula_node node, size_t variable, bool *used)
{
    unsigned char *marks;
    size_t end;
    MST_TRY(formula_reach(g, 1, &node, &marks, &end));
    *used = false;
    for (size_t k = 0; k < end; k++)
        *used = *used ||
                (marks[k] != 0 && g->nodes[k].op == FORMULA_VARIABLE && g->nodes[k].a == variable);
    mst_release(marks);
    return MST_OK;
}

static mst_status check_variables(const mst_table *table, const formula_graph *g, formula_node node,
                                  const char *text)
{
    bool any = false;
    for (size_t c = 0; c < table->cols; c++) {
        bool used;
        MST_TRY(is_used(g, node, c, &used));
        any = any || used;
        if (used && table->columns[c].labels != NULL)
            return mst_fail(MST_ARGUMENT,
                            "\"%s\" has words for values: it may be a term, but not a part of %s",
                            table->columns[c].name, text);
    }
    return any ? MST_OK
               : mst_fail(MST_ARGUMENT,
                          "the term %s has no column in it: the intercept is there "
                          "without being named",
                          text);
}

static mst_status read_formula(formula_reader *r, const mst_table *table, const char *text,
                               formula_program *program)
{
    formula_node node;
    MST_TRY(mst_allocate(&r->names, table->cols));
    r->names_capacity = table->cols;
    for (size_t c = 0; c < table->cols; c++) {
        MST_TRY(formula_variable(r->graph, c, &node));
        r->names[r->names_count++] = (formula_name){
            .word = table->columns[c].name, .length = strlen(table->columns[c].name), .node = node};
    }
    r->at = 1; /* behind the beginning of the line */
    MST_TRY(reader_formula(r, &node));
    if (reader_next(r)->kind != TOKEN_END && reader_next(r)->kind != TOKEN_LINE)
        return reader_complain(r, "this does not belong to the term");
    MST_TRY(check_variables(table, r->graph, node, text));
    return formula_compile(program, r->graph, 1, &node);
}

static mst_status add_formula(mst_terms *t, const mst_table *table)
{
    term *new = &t->terms[t->count - 1];
    formula_text text = {0};
    formula_graph graph = {0};
    mst_status status = formula_text_read(&text, "terms", new->text, strlen(new->text));
    if (status == MST_OK)
        status = formula_graph_new(&graph);
    formula_reader r = {.text = &text, .graph = &graph};
    if (status == MST_OK)
        status = read_formula(&r, table, new->text, &new->program);
    formula_reader_release(&r);
    formula_graph_release(&graph);
    formula_text_release(&text);
    return status == MST_OK ? add_column(t, 0, t->terms[t->count - 1].text) : status;
}

/* ---- Texts ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* A name alone that is a column, a factor of one, or else a formula. */
static mst_status add_term(mst_terms *t, const mst_table *table, const char *text, size_t length)
{
    while (length > 0 && is_blank(*text))
        text++, length--;
    while (length > 0 && is_blank(text[length - 1]))
        length--;
    if (length == 0)
        return mst_fail(MST_ARGUMENT, "a term is empty: terms are joined by +, as in age + age^2");
    MST_TRY(mst_grow(&t->terms, t->count, &t->capacity));
    term *new = &t->terms[t->count++];
    *new = (term){0};
    MST_TRY(mst_allocate(&new->text, length + 1));
    memcpy(new->text, text, length);
    new->text[length] = '\0';
    for (size_t k = 0; k + 1 < t->count; k++)
        if (strcmp(t->terms[k].text, new->text) == 0)
            return mst_fail(MST_ARGUMENT, "the term %s is there twice", new->text);
    const mst_table_column *c = NULL;
    for (size_t k = 0; k < table->cols && c == NULL; k++)
        c = strcmp(table->columns[k].name, new->text) == 0 ? &table->columns[k] : NULL;
    if (c != NULL)
        return add_plain(t, table, c, false);
    if (length > 8 && strncmp(new->text, "factor(", 7) == 0 && new->text[length - 1] == ')') {
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)(length - 8), new->text + 7);
        c = mst_table_find(table, name);
        return c != NULL ? add_plain(t, table, c, true) : no_such_column(table, name);
    }
    return add_formula(t, table);
}

static mst_status open_terms(mst_terms **out, const mst_table *table)
{
    mst_terms *t;
    MST_TRY(mst_allocate_zero(&t, 1));
    *out = t;
    MST_TRY(mst_allocate_zero(&t->names, table->cols));
    t->name_count = table->cols;
    for (size_t c = 0; c < table->cols; c++)
        MST_TRY(mst_copy_string(&t->names[c], table->columns[c].name));
    return MST_OK;
}

static mst_status close_terms(mst_terms **out, mst_terms *t, mst_status status)
{
    if (status != MST_OK)
        mst_terms_free(t);
    *out = status == MST_OK ? t : NULL;
    return status;
}

mst_status mst_terms_new(mst_terms **out, const mst_table *table, const char *text)
{
    mst_terms *t = NULL;
    mst_status status = open_terms(&t, table);
    size_t begin = 0, open = 0, length = strlen(text);
    for (size_t i = 0; status == MST_OK && i <= length; i++) {
        open += text[i] == '(';
        open -= text[i] == ')' && open > 0;
        /* 1e+3 is one number. */
        bool exponent = i > 1 && text[i] == '+' && (text[i - 1] == 'e' || text[i - 1] == 'E') &&
                        text[i - 2] >= '0' && text[i - 2] <= '9';
        if (i < length && (text[i] != '+' || open > 0 || exponent))
            continue;
        status = add_term(t, table, text + begin, i - begin);
        begin = i + 1;
    }
    return close_terms(out, t, status);
}

mst_status mst_terms_of_columns(mst_terms **out, const mst_table *table, size_t count,
                                const char *const *names)
{
    mst_terms *t = NULL;
    mst_status status = open_terms(&t, table);
    for (size_t k = 0; status == MST_OK && k < count; k++) {
        const mst_table_column *c = mst_table_find(table, names[k]);
        status = c != NULL ? add_term(t, table, c->name, strlen(c->name))
                           : no_such_column(table, names[k]);
    }
    return close_terms(out, t, status);
}

/* ---- What they are ---- */

size_t mst_terms_columns(const mst_terms *t)
{
    return t->column_count;
}

const char *mst_terms_column(const mst_terms *t, size_t c)
{
    return t->columns[c].name;
}

size_t mst_terms_term_of(const mst_terms *t, size_t c)
{
    return t->columns[c].term;
}

size_t mst_terms_count(const mst_terms *t)
{
    return t->count;
}

const char *mst_terms_text(const mst_terms *t, size_t k)
{
    return t->terms[k].text;
}

const char *mst_terms_reference(const mst_terms *t, size_t k)
{
    return t->terms[k].levels != NULL ? t->terms[k].levels[0] : NULL;
}

/* ---- The matrix ---- */

/* The number of a level, or SIZE_MAX. */
static size_t find_level(const term *f, const char *name)
{
    for (size_t l = 0; l < f->level_count; l++)
        if (strcmp(f->levels[l], name) == 0)
            return l;
    return SIZE_MAX;
}

static mst_status fill_factor(const mst_terms *t, size_t c, const mst_table *table, double *x)
{
    const term *f = &t->terms[t->columns[c].term];
    const mst_table_column *from = mst_table_find(table, f->column);
    char number[32];
    for (size_t i = 0; i < table->n; i++) {
        const char *name = number;
        if (from->labels != NULL)
            name = from->labels->names[from->labels->index[i]];
        else
            snprintf(number, sizeof number, "%.17g", from->numbers[i]);
        size_t level = find_level(f, name);
        if (level == SIZE_MAX && !mst_is_missing(name))
            return mst_fail(
                MST_ARGUMENT, "%s, row %zu: the fit has seen no \"%s\" of %s; it knows %s … %s",
                table->path, i + 1, name, f->column, f->levels[0], f->levels[f->level_count - 1]);
        x[i * t->column_count + c] = level == SIZE_MAX ? NAN : level == t->columns[c].level;
    }
    return MST_OK;
}

static mst_status fill_formula(const mst_terms *t, size_t c, const mst_table *table, double *x)
{
    const term *f = &t->terms[t->columns[c].term];
    formula_input *in;
    formula_output out = {x + c, t->column_count};
    MST_TRY(mst_allocate_zero(&in, t->name_count));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < f->program.loads_count; k++) {
        size_t variable = f->program.loads[k].variable;
        const mst_table_column *from = mst_table_find(table, t->names[variable]);
        if (from == NULL)
            status = no_such_column(table, t->names[variable]);
        else if (from->numbers == NULL)
            status = mst_fail(MST_ARGUMENT, "%s: \"%s\" should have numbers, not words",
                              table->path, from->name);
        else
            in[variable] = (formula_input){from->numbers, 1};
    }
    if (status == MST_OK)
        status = formula_run(&f->program, table->n, in, &out);
    mst_release(in);
    return status;
}

static mst_status fill_plain(const mst_terms *t, size_t c, const mst_table *table, double *x)
{
    const term *f = &t->terms[t->columns[c].term];
    const mst_table_column *from = mst_table_find(table, f->column);
    if (from->numbers == NULL)
        return mst_fail(MST_ARGUMENT, "%s: \"%s\" should have numbers, not words", table->path,
                        from->name);
    for (size_t i = 0; i < table->n; i++)
        x[i * t->column_count + c] = from->numbers[i];
    return MST_OK;
}

mst_status mst_terms_matrix(const mst_terms *t, const mst_table *table, double *x)
{
    for (size_t c = 0; c < t->column_count; c++) {
        const term *f = &t->terms[t->columns[c].term];
        if (f->column == NULL) {
            MST_TRY(fill_formula(t, c, table, x));
            continue;
        }
        if (mst_table_find(table, f->column) == NULL)
            return no_such_column(table, f->column);
        MST_TRY(f->levels != NULL ? fill_factor(t, c, table, x) : fill_plain(t, c, table, x));
    }
    return MST_OK;
}
