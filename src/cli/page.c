/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "page.h"

#include "util/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void put_bytes(page *p, const char *bytes, size_t n)
{
    if (p->status == MST_OK)
        p->status = mst_output_write(p->sink, bytes, n);
}

void put_text(page *p, const char *html)
{
    put_bytes(p, html, strlen(html));
}

void put_format(page *p, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        put_bytes(p, text, (size_t)length);
        free(text);
    } else if (p->status == MST_OK) {
        p->status = mst_fail(MST_MEMORY, "not enough memory for a page");
    }
}

static const char *entity(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void put_escaped(page *p, const char *text)
{
    for (size_t n; *text != '\0'; text += n) {
        n = mst_utf8_length(text, SIZE_MAX);
        unsigned char c = (unsigned char)*text;
        if (entity(*text) != NULL)
            put_text(p, entity(*text));
        else if (n == 0 || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            put_text(p, "\xef\xbf\xbd");
        else
            put_bytes(p, text, n);
        n = n > 0 ? n : 1;
    }
}

void put_number(page *p, const mst_json_value *v)
{
    if (mst_json_kind_of(v) == MST_JSON_NUMBER)
        put_format(p, "%.6g", mst_json_as_number(v));
    else
        put_text(p, "\xe2\x80\x93");
}

void put_value(page *p, const mst_json_value *v)
{
    enum { LONGEST = 12 };
    size_t count = mst_json_length(v), i = 0;
    switch (mst_json_kind_of(v)) {
    case MST_JSON_NULL:
    case MST_JSON_NUMBER:
        put_number(p, v);
        return;
    case MST_JSON_BOOL:
        put_text(p, mst_json_as_bool(v) ? "yes" : "no");
        return;
    case MST_JSON_STRING:
        put_escaped(p, mst_json_as_string(v));
        return;
    case MST_JSON_OBJECT:
        put_format(p, "%zu values, in the JSON", count);
        return;
    case MST_JSON_ARRAY:
        break;
    }
    put_text(p, "(");
    for (const mst_json_value *w = mst_json_first(v); w != NULL && i < LONGEST;
         w = mst_json_next(w), i++) {
        put_text(p, i > 0 ? ", " : "");
        put_value(p, w);
    }
    if (count > LONGEST)
        put_format(p, ", \xe2\x80\xa6 %zu in all", count);
    put_text(p, ")");
}
