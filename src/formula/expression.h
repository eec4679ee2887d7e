/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Formulas read from text into a graph. */
#ifndef MST_FORMULA_EXPRESSION_H
#define MST_FORMULA_EXPRESSION_H

#include "formula/graph.h"
#include "formula/text.h"

/* A name that formulas may use: one node, or several with an index from 1. */
typedef struct formula_name {
    const char *word; /* in the text, or a constant */
    size_t length;
    formula_node node; /* of the first; a family has consecutive variables */
    size_t family;     /* 0: no index; else how many */
} formula_name;

typedef struct formula_reader {
    const formula_text *text;
    formula_graph *graph;
    size_t at; /* the token that comes next */
    formula_name *names;
    size_t names_count, names_capacity;
    size_t depth, work;
} formula_reader;

void formula_reader_release(formula_reader *r);

/* ---- Words ---- */
static inline const token *reader_next(const formula_reader *r)
{
    return &r->text->tokens[r->at];
}
bool reader_is_sign(const formula_reader *r, char sign);
bool reader_is_word(const formula_reader *r, const char *word);
/* Takes the sign, or complains of what stands in its place. */
MST_MUST_USE mst_status reader_expect(formula_reader *r, char sign);
/* MST_FORMAT at the token that comes next. */
#define reader_complain(r, ...) formula_complain((r)->text, reader_next(r)->at, __VA_ARGS__)

/* ---- Names ---- */
/* The name, or null. Later ones hide earlier ones. */
const formula_name *reader_find(const formula_reader *r, const char *word, size_t length);
/* A new name, which no other and no function may have. */
MST_MUST_USE mst_status reader_define(formula_reader *r, const token *word, formula_node node,
                                      size_t family);

/* ---- Formulas ---- */
MST_MUST_USE mst_status reader_formula(formula_reader *r, formula_node *out);
/* A formula without coordinates: a number. */
MST_MUST_USE mst_status reader_number(formula_reader *r, double *out);

#endif
