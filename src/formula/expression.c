/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/expression.h"

#include "util/message.h"

#include <math.h>
#include <string.h>

/* A parenthesis in a parenthesis … needs a stack; sums in sums need time. */
enum { DEEPEST = 500, MOST_WORK = 5000000, LONGEST_SUM = 1000000, MOST_NAMES = 10000 };

void formula_reader_release(formula_reader *r)
{
    mst_release(r->names);
}

/* ---- Words ---- */

bool reader_is_sign(const formula_reader *r, char sign)
{
    const token *t = reader_next(r);
    return t->kind == TOKEN_SIGN && t->sign == sign;
}

static bool is_text(const formula_reader *r, const token *t, const char *word)
{
    return t->kind == TOKEN_NAME && t->length == strlen(word) &&
           memcmp(r->text->bytes + t->at, word, t->length) == 0;
}

bool reader_is_word(const formula_reader *r, const char *word)
{
    return is_text(r, reader_next(r), word);
}

mst_status reader_expect(formula_reader *r, char sign)
{
    if (!reader_is_sign(r, sign))
        return reader_complain(r, "a '%c' is missing here", sign);
    r->at++;
    return MST_OK;
}

/* ---- Names ---- */

const formula_name *reader_find(const formula_reader *r, const char *word, size_t length)
{
    for (size_t i = r->names_count; i-- > 0;)
        if (r->names[i].length == length && memcmp(r->names[i].word, word, length) == 0)
            return &r->names[i];
    return NULL;
}

static mst_status push_name(formula_reader *r, formula_name name)
{
    MST_TRY(mst_grow(&r->names, r->names_count, &r->names_capacity));
    r->names[r->names_count++] = name;
    return MST_OK;
}

mst_status reader_define(formula_reader *r, const token *word, formula_node node, size_t family)
{
    const char *text = r->text->bytes + word->at;
    char quoted[MST_QUOTED_TEXT];
    if (word->kind != TOKEN_NAME)
        return formula_complain(r->text, word->at, "a name is missing here");
    if (formula_named(text, word->length) != FORMULA_OPERATION_COUNT || is_text(r, word, "sum") ||
        is_text(r, word, "prod") || is_text(r, word, "pi"))
        return formula_complain(r->text, word->at, "%s has a meaning already; take another name",
                                mst_quote_text(text, word->length, quoted));
    if (r->names_count >= MOST_NAMES)
        return formula_complain(r->text, word->at, "more than %d names", MOST_NAMES);
    if (reader_find(r, text, word->length) != NULL)
        return formula_complain(r->text, word->at, "%s is defined twice",
                                mst_quote_text(text, word->length, quoted));
    return push_name(r, (formula_name){text, word->length, node, family});
}

/* ---- Formulas ---- */

static mst_status read_sum(formula_reader *r, formula_node *out);

/* The index of a family, or the bound of a sum. */
static mst_status whole_number(formula_reader *r, const char *what, double *out)
{
    const token *begin = reader_next(r);
    MST_TRY(reader_number(r, out));
    if (*out != floor(*out) || fabs(*out) > 1e15)
        return formula_complain(r->text, begin->at, "%s must be a whole number, not %g", what,
                                *out);
    return MST_OK;
}

static mst_status read_name(formula_reader *r, formula_node *out)
{
    const token *t = reader_next(r);
    const char *word = r->text->bytes + t->at;
    const formula_name *found = reader_find(r, word, t->length);
    char quoted[MST_QUOTED_TEXT];
    if (found == NULL && is_text(r, t, "pi")) {
        r->at++;
        return formula_constant(r->graph, 3.14159265358979323846, out);
    }
    if (found == NULL)
        return reader_complain(r, "the name %s is not defined",
                               mst_quote_text(word, t->length, quoted));
    formula_name name = *found;
    r->at++;
    if (name.family == 0) {
        if (reader_is_sign(r, '['))
            return reader_complain(r, "%s has no index", mst_quote_text(word, t->length, quoted));
        *out = name.node;
        return MST_OK;
    }
    double index;
    MST_TRY(reader_expect(r, '['));
    const token *place = reader_next(r);
    MST_TRY(whole_number(r, "an index", &index));
    if (!(index >= 1 && index <= (double)name.family))
        return formula_complain(r->text, place->at, "the index %g is not in 1 ... %zu", index,
                                name.family);
    MST_TRY(reader_expect(r, ']'));
    size_t first = r->graph->nodes[name.node].a;
    return formula_variable(r->graph, first + (size_t)index - 1, out);
}

/* Behind the comma of argument number k, whose formula is skipped: the token after the matching ')'. */
static size_t skip_argument(const formula_reader *r, size_t at)
{
    size_t open = 0;
    for (;; at++) {
        const token *t = &r->text->tokens[at];
        if (t->kind == TOKEN_END || t->kind == TOKEN_LINE)
            return at;
        if (t->sign == '(' || t->sign == '[')
            open++;
        if ((t->sign == ')' || t->sign == ']') && open-- == 0)
            return at;
    }
}

/* sum(i, from, to, formula) and prod: the formula is read once for each i. */
static mst_status read_series(formula_reader *r, bool product, formula_node *out)
{
    double from, to;
    r->at++;
    MST_TRY(reader_expect(r, '('));
    token index = *reader_next(r);
    if (index.kind != TOKEN_NAME)
        return reader_complain(r, "the name of the index is missing here");
    r->at++;
    MST_TRY(reader_expect(r, ','));
    MST_TRY(whole_number(r, "the first index", &from));
    MST_TRY(reader_expect(r, ','));
    size_t bound = reader_next(r)->at;
    MST_TRY(whole_number(r, "the last index", &to));
    if (to - from >= LONGEST_SUM)
        return formula_complain(r->text, bound, "that are %g terms; at most %d are allowed",
                                to - from + 1, LONGEST_SUM);
    MST_TRY(reader_expect(r, ','));
    size_t begin = r->at, names = r->names_count;
    MST_TRY(formula_constant(r->graph, product ? 1 : 0, out));
    for (double i = from; i <= to; i++) {
        formula_node node, term;
        r->at = begin;
        MST_TRY(formula_constant(r->graph, i, &node));
        MST_TRY(push_name(r, (formula_name){r->text->bytes + index.at, index.length, node, 0}));
        MST_TRY(read_sum(r, &term));
        r->names_count = names;
        MST_TRY(formula_apply(r->graph, product ? FORMULA_MULTIPLY : FORMULA_ADD, *out, term, out));
    }
    if (from > to)
        r->at = skip_argument(r, begin);
    return reader_expect(r, ')');
}

static mst_status read_call(formula_reader *r, formula_operation op, formula_node *out)
{
    formula_node arguments[2] = {0};
    size_t count = formula_arguments(op);
    r->at++;
    MST_TRY(reader_expect(r, '('));
    for (size_t k = 0; k < count; k++) {
        if (k > 0)
            MST_TRY(reader_expect(r, ','));
        MST_TRY(read_sum(r, &arguments[k]));
    }
    MST_TRY(reader_expect(r, ')'));
    return formula_apply(r->graph, op, arguments[0], arguments[1], out);
}

static mst_status read_primary(formula_reader *r, formula_node *out)
{
    const token *t = reader_next(r);
    if (++r->work > MOST_WORK)
        return reader_complain(r, "the sums have too many terms in all");
    if (t->kind == TOKEN_NUMBER) {
        r->at++;
        return formula_constant(r->graph, t->number, out);
    }
    if (reader_is_sign(r, '(')) {
        r->at++;
        MST_TRY(read_sum(r, out));
        return reader_expect(r, ')');
    }
    if (t->kind != TOKEN_NAME)
        return reader_complain(r, "a formula is missing here");
    if (reader_is_word(r, "sum") || reader_is_word(r, "prod"))
        return read_series(r, reader_is_word(r, "prod"), out);
    formula_operation op = formula_named(r->text->bytes + t->at, t->length);
    return op == FORMULA_OPERATION_COUNT ? read_name(r, out) : read_call(r, op, out);
}

/* A sign binds less than a power: −x² is −(x²), and 2^−1 is ½. */
static mst_status read_factor(formula_reader *r, formula_node *out)
{
    bool minus = false;
    while (reader_is_sign(r, '+') || reader_is_sign(r, '-')) {
        minus ^= reader_is_sign(r, '-');
        r->at++;
    }
    if (++r->depth > DEEPEST)
        return reader_complain(r, "formulas may be nested %d deep and no deeper", DEEPEST);
    MST_TRY(read_primary(r, out));
    if (reader_is_sign(r, '^')) {
        formula_node exponent;
        r->at++;
        MST_TRY(read_factor(r, &exponent));
        MST_TRY(formula_apply(r->graph, FORMULA_POWER, *out, exponent, out));
    }
    r->depth--;
    return minus ? formula_apply(r->graph, FORMULA_NEGATE, *out, 0, out) : MST_OK;
}

static mst_status read_product(formula_reader *r, formula_node *out)
{
    MST_TRY(read_factor(r, out));
    while (reader_is_sign(r, '*') || reader_is_sign(r, '/')) {
        formula_operation op = reader_is_sign(r, '*') ? FORMULA_MULTIPLY : FORMULA_DIVIDE;
        formula_node right;
        r->at++;
        MST_TRY(read_factor(r, &right));
        MST_TRY(formula_apply(r->graph, op, *out, right, out));
    }
    return MST_OK;
}

static mst_status read_sum(formula_reader *r, formula_node *out)
{
    MST_TRY(read_product(r, out));
    while (reader_is_sign(r, '+') || reader_is_sign(r, '-')) {
        formula_operation op = reader_is_sign(r, '+') ? FORMULA_ADD : FORMULA_SUBTRACT;
        formula_node right;
        r->at++;
        MST_TRY(read_product(r, &right));
        MST_TRY(formula_apply(r->graph, op, *out, right, out));
    }
    return MST_OK;
}

mst_status reader_formula(formula_reader *r, formula_node *out)
{
    size_t begin = reader_next(r)->at;
    mst_status status = read_sum(r, out);
    /* The graph knows that it is too large, but not where. */
    if (status == MST_DOMAIN)
        return formula_complain(r->text, begin, "%s", mst_error_detail());
    if (status == MST_OK && r->graph->nodes[*out].op == FORMULA_CONSTANT &&
        !isfinite(r->graph->nodes[*out].value))
        return formula_complain(r->text, begin, "this formula is %g, not a number",
                                r->graph->nodes[*out].value);
    return status;
}

mst_status reader_number(formula_reader *r, double *out)
{
    formula_node node;
    size_t begin = reader_next(r)->at;
    MST_TRY(reader_formula(r, &node));
    if (r->graph->nodes[node].op != FORMULA_CONSTANT)
        return formula_complain(r->text, begin, "a number is needed here, without coordinates");
    *out = r->graph->nodes[node].value;
    return MST_OK;
}
