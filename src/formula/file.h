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
    double injectivity; /* NAN: unknown */
} formula_file;

/* Reads the text; `path` is for messages. Release it also after a failure. MST_FORMAT points at the place;
 * MST_ARGUMENT for overrides of what is no parameter. */
MST_MUST_USE mst_status formula_file_read(formula_file *f, const char *path, const char *text,
                                          size_t length, size_t overrides,
                                          const formula_override *given);
void formula_file_release(formula_file *f);

#endif
