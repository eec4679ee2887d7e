/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the readers of the statements of a formula file share. */
#ifndef MST_FORMULA_FILE_READER_H
#define MST_FORMULA_FILE_READER_H

#include "formula/expression.h"
#include "formula/file.h"

typedef struct file_reader {
    formula_reader r;
    formula_file *f;
    size_t overrides;
    const formula_override *given;
    unsigned char *used; /* (overrides) */
    bool has_kind, has_start;
    size_t formulas_capacity, bounds_capacity, charts_capacity, leaves_capacity,
        transitions_capacity;
} file_reader;

MST_MUST_USE mst_status file_need_coordinates(const file_reader *s);
/* a < b or a > b, behind the sign of which the reader stands if `left` has been read: what is positive where
 * it holds; `left` becomes b. */
MST_MUST_USE mst_status file_read_comparison(file_reader *s, formula_node *left,
                                             formula_node *positive);

/* ---- Chart blocks (charts.c) ---- */
MST_MUST_USE mst_status file_read_chart(file_reader *s);
MST_MUST_USE mst_status file_read_leave(file_reader *s);
MST_MUST_USE mst_status file_read_transition(file_reader *s);
/* At the end of the file: is the atlas whole? */
MST_MUST_USE mst_status file_end_charts(file_reader *s);

#endif
