/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The words of a formula file, and messages that point at them. */
#ifndef MST_FORMULA_TEXT_H
#define MST_FORMULA_TEXT_H

#include "base/internal.h"

#include <stdbool.h>

typedef enum token_kind {
    TOKEN_NUMBER,
    TOKEN_NAME,
    TOKEN_SIGN,  /* one of + - * / ^ ( ) [ ] , ; = < > */
    TOKEN_ARROW, /* -> */
    TOKEN_LINE,  /* the end of a statement */
    TOKEN_END,
} token_kind;

typedef struct token {
    token_kind kind;
    char sign;
    size_t at, length; /* in the text */
    double number;
} token;

typedef struct formula_text {
    const char *path; /* for messages */
    const char *bytes;
    size_t length;
    token *tokens; /* ends with a TOKEN_END */
    size_t count, capacity;
} formula_text;

enum { FORMULA_LONGEST_FILE = 1 << 20 };

/* Cuts the text into words; it is borrowed. Release it also after a failure. MST_FORMAT for signs that mean
 * nothing. The free text after `name =` is one token of its own, a TOKEN_NAME. */
MST_MUST_USE mst_status formula_text_read(formula_text *t, const char *path, const char *bytes,
                                          size_t length);
void formula_text_release(formula_text *t);

/* MST_FORMAT with the line and column of the place, and the line with a caret as the excerpt. */
MST_MUST_USE mst_status formula_complain(const formula_text *t, size_t at, const char *format, ...)
#if defined __GNUC__
    __attribute__((format(printf, 3, 4), cold))
#endif
    ;

#endif
