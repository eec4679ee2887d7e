/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a manifold from formulas says, kept for those who pass it on and for those who compare. */
#ifndef MST_MANIFOLD_FORMULA_CONTENT_H
#define MST_MANIFOLD_FORMULA_CONTENT_H

#include "formula/file.h"
#include "formula/program.h"

#include <manistat/manifold.h>

typedef struct mst_formula_content {
    char *text; /* of the file; the spec has the parameters that were changed */
    formula_kind kind;
    size_t coordinates;
    formula_program formulas, bounds;
    double *numbers; /* start and period, (2, coordinates) */
    formula_answer compact, hadamard;
    double injectivity; /* NAN: unknown */
} mst_formula_content;

MST_MUST_USE mst_status mst_formula_content_new(mst_formula_content **out, const formula_file *f,
                                                const char *text, size_t length);
void mst_formula_content_free(mst_formula_content *c); /* null allowed */

/* Do the two say the same, whatever their names, comments and parameters? */
bool mst_formula_content_same(const mst_formula_content *a, const mst_formula_content *b);

/* What the file it was made of says, as text: that of a formula file, or the bytes of a learned manifold in
 * base64. Null: it was made of none. */
const char *mst_manifold_content(const mst_manifold *m);
/* Is this its spec, letter by letter, and is a part of it made of a file? */
bool mst_has_spec(const mst_manifold *m, const char *spec);
bool mst_has_content(const mst_manifold *m);

/* A manifold whose files are not opened: their texts, in the order of the spec, are these.
 * MST_FORMAT if there are fewer of them. */
MST_MUST_USE mst_status mst_manifold_parse_texts(mst_manifold **out, const char *spec, size_t count,
                                                 const char *const *texts);

#endif
