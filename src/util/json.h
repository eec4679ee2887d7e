/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* JSON, written value by value and read as a tree. */
#ifndef MST_UTIL_JSON_H
#define MST_UTIL_JSON_H

#include "util/output.h"

/* Writing: one value, built in order; commas and escapes are taken care of. Not-a-number and
 * infinities become null. Errors stick and are returned by mst_json_finish. */
typedef struct mst_json mst_json;
MST_MUST_USE mst_status mst_json_new(mst_json **out, mst_output *sink);
/* From now on '<' is an escape in strings, so that nothing ends the <script> of a page around it. */
void mst_json_in_page(mst_json *j);
void mst_json_object(mst_json *j);
void mst_json_array(mst_json *j);
void mst_json_end(mst_json *j); /* of the innermost object or array */
void mst_json_key(mst_json *j, const char *key);
void mst_json_string(mst_json *j, const char *utf8);
void mst_json_number(mst_json *j, double x);
void mst_json_integer(mst_json *j, uint64_t x);
void mst_json_bool(mst_json *j, bool x);
void mst_json_null(mst_json *j);
/* An array of n numbers x[0], x[stride], … */
void mst_json_numbers(mst_json *j, size_t n, const double *x, size_t stride);
/* Ends the line and tells what went wrong on the way: MST_IO, MST_MEMORY, or MST_ARGUMENT for calls that do
 * not make one value. The sink is left to be committed. */
MST_MUST_USE mst_status mst_json_finish(mst_json *j);
void mst_json_free(mst_json *j);

/* Reading (RFC 8259), a whole text at a time. Strict: no comments, no trailing commas, no NaN; an object
 * with the same key twice and more than 100 levels are refused too. */
typedef struct mst_json_value mst_json_value;
typedef enum mst_json_kind {
    MST_JSON_NULL,
    MST_JSON_BOOL,
    MST_JSON_NUMBER,
    MST_JSON_STRING,
    MST_JSON_ARRAY,
    MST_JSON_OBJECT,
} mst_json_kind;
/* `path` "-" is standard input. MST_FORMAT names the line. Free the top-level value only. */
MST_MUST_USE mst_status mst_json_read(mst_json_value **out, const char *path);
/* The same for n bytes of text in memory; `name` stands for the file in messages. */
MST_MUST_USE mst_status mst_json_parse(mst_json_value **out, const char *name, size_t n,
                                       const char *text);
void mst_json_value_free(mst_json_value *top);
mst_json_kind mst_json_kind_of(const mst_json_value *v);
/* What the value holds; 0, false and null if it is of another kind or null itself. */
double mst_json_as_number(const mst_json_value *v);
bool mst_json_as_bool(const mst_json_value *v);
const char *mst_json_as_string(const mst_json_value *v);
size_t mst_json_length(const mst_json_value *v); /* elements of an array, members of an object */
/* The member of an object, or null. */
const mst_json_value *mst_json_member(const mst_json_value *object, const char *key);
/* The first element of an array, and the one after an element; null if there is none. */
const mst_json_value *mst_json_first(const mst_json_value *array);
const mst_json_value *mst_json_next(const mst_json_value *element);

#endif
