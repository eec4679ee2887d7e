/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* JSON (RFC 8259), one value on one line. */
#include "base/internal.h"
#include "util/json.h"
#include "util/number_text.h"
#include "util/utf8.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct mst_json {
    mst_output *sink;
    mst_status status;
    char detail[512]; /* of the failure; finish may find another message of the thread */
    char *open;       /* '{' or '[' per open container */
    size_t depth, capacity;
    bool first;   /* nothing stands in the innermost container yet */
    bool key;     /* a key stands before the next value */
    bool started; /* the top-level value is there */
    bool in_page; /* '<' is an escape */
};

void mst_json_in_page(mst_json *j)
{
    j->in_page = true;
}

mst_status mst_json_new(mst_json **out, mst_output *sink)
{
    mst_json *j;
    MST_TRY(mst_allocate_zero(&j, 1));
    j->sink = sink;
    j->first = true;
    *out = j;
    return MST_OK;
}

void mst_json_free(mst_json *j)
{
    if (j == NULL)
        return;
    mst_release(j->open);
    mst_release(j);
}

static void stick(mst_json *j, mst_status status)
{
    if (j->status != MST_OK || status == MST_OK)
        return;
    j->status = status;
    snprintf(j->detail, sizeof j->detail, "%s", mst_error_detail());
}

static void misuse(mst_json *j, const char *what)
{
    if (j->status == MST_OK)
        stick(j, mst_fail(MST_ARGUMENT, "JSON: %s", what));
}

static void put(mst_json *j, const char *bytes, size_t n)
{
    if (j->status == MST_OK)
        stick(j, mst_output_write(j->sink, bytes, n));
}

static bool in_object(const mst_json *j)
{
    return j->depth > 0 && j->open[j->depth - 1] == '{';
}

/* What goes before a value: a comma in an array, nothing after a key. */
static void before_value(mst_json *j)
{
    if (in_object(j) ? !j->key : j->depth == 0 && j->started)
        misuse(j, in_object(j) ? "a value without a key in an object" : "a second value");
    if (j->depth > 0 && !j->key && !j->first)
        put(j, ",", 1);
    j->key = false;
    j->first = false;
    j->started = true;
}

static void begin(mst_json *j, char bracket)
{
    before_value(j);
    mst_status status = mst_grow(&j->open, j->depth, &j->capacity);
    stick(j, status);
    if (status != MST_OK)
        return;
    j->open[j->depth++] = bracket;
    j->first = true;
    put(j, &bracket, 1);
}

void mst_json_object(mst_json *j)
{
    begin(j, '{');
}

void mst_json_array(mst_json *j)
{
    begin(j, '[');
}

void mst_json_end(mst_json *j)
{
    /* After a failure the depth need not match the calls any more. */
    if (j->depth == 0 || j->key) {
        misuse(j, j->key ? "a key without a value" : "an end without a beginning");
        return;
    }
    put(j, in_object(j) ? "}" : "]", 1);
    j->depth--;
    j->first = false;
}

static void put_string(mst_json *j, const char *utf8)
{
    put(j, "\"", 1);
    const unsigned char *s = (const unsigned char *)utf8;
    while (*s != '\0') {
        static const char plain[] = "btn.fr"; /* \b \t \n, no \v, \f \r: bytes 8 to 13 */
        size_t n = mst_utf8_length((const char *)s, SIZE_MAX);
        char escape[8];
        if (n == 0) {
            /* A file name may hold any bytes; the output stays valid. */
            put(j, "\xef\xbf\xbd", 3);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            put(j, (const char[]){'\\', (char)*s}, 2);
        } else if (*s >= 8 && *s <= 13 && *s != 11) {
            put(j, (const char[]){'\\', plain[*s - 8]}, 2);
        } else if (*s < 0x20 || *s == 0x7f || (*s == '<' && j->in_page)) {
            put(j, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *s));
        } else {
            put(j, (const char *)s, n);
        }
        s += n;
    }
    put(j, "\"", 1);
}

void mst_json_key(mst_json *j, const char *key)
{
    if (!in_object(j) || j->key)
        misuse(j, in_object(j) ? "two keys in a row" : "a key outside of an object");
    if (!j->first)
        put(j, ",", 1);
    put_string(j, key);
    put(j, ":", 1);
    j->key = true;
}

void mst_json_string(mst_json *j, const char *utf8)
{
    before_value(j);
    put_string(j, utf8);
}

void mst_json_number(mst_json *j, double x)
{
    before_value(j);
    char text[MST_DOUBLE_TEXT];
    if (isfinite(x))
        put(j, text, mst_format_double(x, text));
    else
        put(j, "null", 4);
}

void mst_json_integer(mst_json *j, uint64_t x)
{
    before_value(j);
    char text[24];
    put(j, text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)x));
}

void mst_json_bool(mst_json *j, bool x)
{
    before_value(j);
    put(j, x ? "true" : "false", x ? 4 : 5);
}

void mst_json_null(mst_json *j)
{
    before_value(j);
    put(j, "null", 4);
}

void mst_json_numbers(mst_json *j, size_t n, const double *x, size_t stride)
{
    mst_json_array(j);
    for (size_t i = 0; i < n; i++)
        mst_json_number(j, x[i * stride]);
    mst_json_end(j);
}

mst_status mst_json_finish(mst_json *j)
{
    if (j->depth > 0 || j->key || !j->started)
        misuse(j, "the value is not complete");
    put(j, "\n", 1);
    return j->status == MST_OK ? MST_OK : mst_fail(j->status, "%s", j->detail);
}
