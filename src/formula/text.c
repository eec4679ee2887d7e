/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/text.h"

#include "util/number_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void formula_text_release(formula_text *t)
{
    mst_release(t->tokens);
    t->tokens = NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

mst_status formula_complain(const formula_text *t, size_t at, const char *format, ...)
{
    enum { SHOWN = 72 };
    char what[256];
    size_t line = 1, begin = 0, end;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    at = at < t->length ? at : t->length;
    for (size_t i = 0; i < at; i++)
        if (t->bytes[i] == '\n') {
            line++;
            begin = i + 1;
        }
    for (end = at; end < t->length && t->bytes[end] != '\n';)
        end++;
    /* Of a long line the part around the place. */
    size_t from = at - begin > SHOWN / 2 ? at - SHOWN / 2 : begin;
    size_t length = end - from < SHOWN ? end - from : SHOWN;
    mst_status status =
        mst_fail(MST_FORMAT, "%s, line %zu, column %zu: %s", t->path, line, at - begin + 1, what);
    mst_error_show(t->bytes + from, length, at - from);
    return status;
}

/* The sign that a byte is, or 0. */
static char sign_of(char c)
{
    return c != 0 && strchr("+-*/^()[],;=<>", c) != NULL ? c : 0;
}

static mst_status add(formula_text *t, token one)
{
    MST_TRY(mst_grow(&t->tokens, t->count, &t->capacity));
    t->tokens[t->count++] = one;
    return MST_OK;
}

/* Does a statement go on behind its last word? */
static bool goes_on(const formula_text *t, size_t open)
{
    const token *last = &t->tokens[t->count - 1];
    return open > 0 || (last->kind == TOKEN_SIGN && strchr("+-*/^,;=<>", last->sign) != NULL);
}

/* `name =` at the beginning of a statement: the rest of the line is text. */
static mst_status take_title(formula_text *t, size_t *at)
{
    size_t n = t->count;
    if (n < 2 || t->tokens[n - 1].sign != '=' || t->tokens[n - 2].kind != TOKEN_NAME ||
        t->tokens[n - 2].length != 4 || memcmp(t->bytes + t->tokens[n - 2].at, "name", 4) != 0 ||
        (n > 2 && t->tokens[n - 3].kind != TOKEN_LINE))
        return MST_OK;
    size_t begin = *at, end;
    while (begin < t->length && is_blank(t->bytes[begin]))
        begin++;
    for (end = begin; end < t->length && t->bytes[end] != '\n' && t->bytes[end] != '#';)
        end++;
    *at = end;
    while (end > begin && is_blank(t->bytes[end - 1]))
        end--;
    return add(t, (token){.kind = TOKEN_NAME, .at = begin, .length = end - begin});
}

static mst_status take_word(formula_text *t, size_t *at)
{
    const char *bytes = t->bytes, *stop;
    size_t i = *at;
    token one = {.at = i};
    if (is_letter(bytes[i])) {
        while (i < t->length && (is_letter(bytes[i]) || is_digit(bytes[i])))
            i++;
        one.kind = TOKEN_NAME;
    } else if (is_digit(bytes[i]) || bytes[i] == '.') {
        stop = mst_parse_prefix(bytes + i, bytes + t->length, &one.number);
        if (stop == NULL)
            return formula_complain(t, i, "this is no number");
        i = (size_t)(stop - bytes);
        if (i < t->length && is_letter(bytes[i]))
            return formula_complain(t, i,
                                    "a number and a name stand side by side; write a * "
                                    "between them");
        one.kind = TOKEN_NUMBER;
    } else if (bytes[i] == '-' && i + 1 < t->length && bytes[i + 1] == '>') {
        one.kind = TOKEN_ARROW;
        i += 2;
    } else {
        one.kind = TOKEN_SIGN;
        one.sign = sign_of(bytes[i]);
        if (one.sign == 0)
            return formula_complain(t, i, "this sign has no meaning here");
        i++;
    }
    one.length = i - *at;
    *at = i;
    MST_TRY(add(t, one));
    return one.sign == '=' ? take_title(t, at) : MST_OK;
}

mst_status formula_text_read(formula_text *t, const char *path, const char *bytes, size_t length)
{
    *t = (formula_text){.path = path, .bytes = bytes, .length = length};
    size_t open = 0, i = 0;
    if (length > FORMULA_LONGEST_FILE)
        return mst_fail(MST_FORMAT, "%s has more than %d bytes", path, FORMULA_LONGEST_FILE);
    MST_TRY(add(t, (token){.kind = TOKEN_LINE}));
    while (i < length) {
        if (is_blank(bytes[i])) {
            i++;
        } else if (bytes[i] == '#') {
            while (i < length && bytes[i] != '\n')
                i++;
        } else if (bytes[i] == '\n') {
            if (!goes_on(t, open) && t->tokens[t->count - 1].kind != TOKEN_LINE)
                MST_TRY(add(t, (token){.kind = TOKEN_LINE, .at = i}));
            i++;
        } else {
            MST_TRY(take_word(t, &i));
            char sign = t->tokens[t->count - 1].sign;
            if (sign == '(' || sign == '[')
                open++;
            else if ((sign == ')' || sign == ']') && open > 0)
                open--;
        }
    }
    MST_TRY(add(t, (token){.kind = TOKEN_LINE, .at = length}));
    return add(t, (token){.kind = TOKEN_END, .at = length});
}
