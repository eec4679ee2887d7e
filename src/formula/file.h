/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A formula file, read: docs/formulas.md has the grammar. */
#ifndef MST_FORMULA_FILE_H
#define MST_FORMULA_FILE_H

#include "formula/graph.h"

typedef enum formula_kind {
    FORMULA_EMBEDDING,
    FORMULA_METRIC,
    FORMULA_COMETRIC,
    FORMULA_CONSTRAINT,
    FORMULA_KINDS,
} formula_kind;

/* What a file says of itself, or does not. */
typedef enum formula_answer { FORMULA_UNSAID, FORMULA_NO, FORMULA_YES } formula_answer;

/* A parameter that the spec changes: R=3. */
typedef struct formula_override {
    const char *key, *value;
} formula_override;

/* One of several charts, with formulas of its own. */
typedef struct formula_chart {
    size_t at, length; /* its name in the text */
    formula_kind kind;
    size_t count, bounds_count;
    formula_node *formulas, *bounds; /* as those of a file */
} formula_chart;

/* Points of chart `from` where the node is positive should be written in chart `to`. */
typedef struct formula_leave {
    size_t from, to, at; /* at: where it stands in the text */
    formula_node positive;
} formula_leave;

typedef struct formula_transition {
    size_t from, to, at;
    formula_node *formulas; /* (coordinates) */
} formula_transition;

typedef struct formula_file {
    char *name;          /* or null */
    formula_graph graph; /* variables 0 … coordinates − 1 */
    size_t coordinates;
    formula_kind kind;
    size_t count;
    formula_node *formulas; /* (count): components, constraints, or the whole matrix, row by row */
    size_t bounds_count;
    formula_node *bounds; /* positive inside the domain */
    double *period;       /* (coordinates); 0: none */
    double *start;        /* (coordinates) */
    formula_answer compact, hadamard;
    double injectivity;       /* NAN: unknown */
    size_t kind_at, start_at; /* where the formulas and the start stand in the text */
    /* An atlas, or 0: one chart. `formulas` of an atlas holds everything in it, with numbers between that
     * tell what is what, and `bounds` nothing. */
    size_t charts, leaves, transitions;
    formula_chart *chart;
    formula_leave *leave;
    formula_transition *transition;
} formula_file;

/* Reads the text; `path` is for messages. Release it also after a failure. MST_FORMAT points at the place;
 * MST_ARGUMENT for overrides of what is no parameter. */
MST_MUST_USE mst_status formula_file_read(formula_file *f, const char *path, const char *text,
                                          size_t length, size_t overrides,
                                          const formula_override *given);
void formula_file_release(formula_file *f);

#endif
