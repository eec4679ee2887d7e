/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Single formulas of x, y and z for tests. */
#ifndef TESTS_FORMULA_SUPPORT_H
#define TESTS_FORMULA_SUPPORT_H

#include "formula/expression.h"
#include "formula/program.h"
#include "support/support.h"

#include <string.h>

enum { VARIABLES = 3 };

typedef struct formula {
    formula_graph graph;
    formula_text text;
    formula_node node;
} formula;

/* The formula of x, y, z; the status of reading it. */
static inline mst_status read_formula(formula *f, const char *written)
{
    static const char *const names[VARIABLES] = {"x", "y", "z"};
    *f = (formula){0};
    ASSERT_OK(formula_graph_new(&f->graph));
    mst_status status = formula_text_read(&f->text, "test", written, strlen(written));
    formula_reader r = {.text = &f->text, .graph = &f->graph, .at = 1};
    for (size_t k = 0; k < VARIABLES; k++) {
        formula_node node;
        ASSERT_OK(formula_variable(&f->graph, k, &node));
        ASSERT_OK(mst_grow(&r.names, r.names_count, &r.names_capacity));
        r.names[r.names_count++] = (formula_name){.word = names[k], .length = 1, .node = node};
    }
    if (status == MST_OK)
        status = reader_formula(&r, &f->node);
    if (status == MST_OK && reader_next(&r)->kind != TOKEN_LINE)
        status = MST_FORMAT;
    formula_reader_release(&r);
    return status;
}

static inline void close_formula(formula *f)
{
    formula_text_release(&f->text);
    formula_graph_release(&f->graph);
}

#endif
