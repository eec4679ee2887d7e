/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files from memory. The header is made in memory first, for its length stands before it and
 * pipes cannot be rewritten. */
#include "io/internal.h"
#include "io/tensors_internal.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdio.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors files are little-endian");

enum { PADDED_TO = 8 };

/* Text that is first counted (`bytes` null) and then written. */
typedef struct draft {
    char *bytes;
    size_t length;
} draft;

static void put(draft *t, const char *bytes, size_t n)
{
    if (t->bytes != NULL)
        memcpy(t->bytes + t->length, bytes, n);
    t->length += n;
}

static void put_plain(draft *t, const char *string)
{
    put(t, string, strlen(string));
}

static void put_integer(draft *t, size_t x)
{
    char digits[24];
    put(t, digits, (size_t)snprintf(digits, sizeof digits, "%zu", x));
}

/* In quotes. What is not UTF-8, a path for instance, is replaced so that the file stays valid. */
static void put_string(draft *t, const char *string)
{
    size_t left = strlen(string), n;
    put(t, "\"", 1);
    for (; left > 0; string += n, left -= n) {
        unsigned char c = (unsigned char)*string;
        char escape[8];
        n = mst_utf8_length(string, left);
        if (n == 0) {
            put_plain(t, "\xef\xbf\xbd");
            n = 1;
        } else if (c == '"' || c == '\\') {
            put(t, (const char[]){'\\', *string}, 2);
        } else if (c < 0x20 || c == 0x7f) {
            put(t, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", c));
        } else {
            put(t, string, n);
        }
    }
    put(t, "\"", 1);
}

static void put_metadata(draft *t, size_t texts, const tensor_text *text)
{
    put_plain(t, "\"" TENSORS_METADATA "\":{");
    for (size_t i = 0; i < texts; i++) {
        if (i > 0)
            put(t, ",", 1);
        put_string(t, text[i].key);
        put(t, ":", 1);
        put_string(t, text[i].value);
    }
    put(t, "}", 1);
}

static void put_tensor(draft *t, const tensor *x, size_t begin, size_t end)
{
    put_string(t, x->name);
    put_plain(t, ":{\"dtype\":\"");
    put_plain(t, tensor_types[x->type].name);
    put_plain(t, "\",\"shape\":[");
    for (size_t i = 0; i < x->rank; i++) {
        if (i > 0)
            put(t, ",", 1);
        put_integer(t, x->shape[i]);
    }
    put_plain(t, "],\"data_offsets\":[");
    put_integer(t, begin);
    put(t, ",", 1);
    put_integer(t, end);
    put_plain(t, "]}");
}

static void put_header(draft *t, size_t count, const tensor *list, size_t texts,
                       const tensor_text *text)
{
    size_t end = 0, bytes;
    put(t, "{", 1);
    if (texts > 0)
        put_metadata(t, texts, text);
    for (size_t i = 0; i < count; i++, end += bytes) {
        if (i > 0 || texts > 0)
            put(t, ",", 1);
        (void)tensor_bytes(&list[i], &bytes);
        put_tensor(t, &list[i], end, end + bytes);
    }
    put(t, "}", 1);
    while (t->length % PADDED_TO != 0)
        put(t, " ", 1);
}

/* ---- What cannot be written ---- */

static bool is_utf8(const char *name)
{
    size_t left = strlen(name), n;
    for (; left > 0; name += n, left -= n)
        if ((n = mst_utf8_length(name, left)) == 0)
            return false;
    return true;
}

static mst_status refuse(const char *what, const char *name, const char *why)
{
    char quoted[MST_QUOTED_TEXT];
    return mst_fail(MST_ARGUMENT, "%s %s cannot be written: %s", what,
                    mst_quote_text(name, strlen(name), quoted), why);
}

/* Sorts the names. They are not mended as values are: two might become the same. */
static mst_status check_names(const char *what, size_t count, const char **names)
{
    for (size_t i = 0; i < count; i++)
        if (!is_utf8(names[i]))
            return refuse(what, names[i], "its name is not UTF-8");
    const char *twice = tensors_duplicate(count, names);
    return twice == NULL ? MST_OK : refuse(what, twice, "its name is there twice");
}

static mst_status check_tensors(size_t count, const tensor *list)
{
    size_t total = 0, bytes;
    for (size_t i = 0; i < count; i++) {
        const tensor *t = &list[i];
        if (strcmp(t->name, TENSORS_METADATA) == 0)
            return refuse("tensor", t->name, "the format reserves this name");
        if (t->rank > TENSOR_RANK || (unsigned)t->type >= TENSOR_TYPES)
            return refuse("tensor", t->name, "its rank or type is unknown");
        if (!tensor_bytes(t, &bytes) || __builtin_add_overflow(total, bytes, &total))
            return refuse("tensor", t->name, "its shape is too large for any memory");
    }
    return MST_OK;
}

static mst_status check(size_t count, const tensor *list, size_t texts, const tensor_text *text)
{
    const char **names;
    MST_TRY(check_tensors(count, list));
    MST_TRY(mst_allocate(&names, count > texts ? count : texts));
    for (size_t i = 0; i < count; i++)
        names[i] = list[i].name;
    mst_status status = check_names("tensor", count, names);
    for (size_t i = 0; i < texts; i++)
        names[i] = text[i].key;
    if (status == MST_OK)
        status = check_names("metadata", texts, names);
    mst_release(names);
    return status;
}

/* ---- The file ---- */

static mst_status write_file(mst_output *o, const draft *header, size_t count, const tensor *list)
{
    unsigned char length[TENSORS_LENGTH_SIZE];
    for (size_t i = 0; i < TENSORS_LENGTH_SIZE; i++)
        length[i] = (unsigned char)(header->length >> 8 * i);
    MST_TRY(mst_output_write(o, length, sizeof length));
    MST_TRY(mst_output_write(o, header->bytes, header->length));
    for (size_t i = 0; i < count; i++) {
        size_t bytes;
        (void)tensor_bytes(&list[i], &bytes);
        MST_TRY(mst_output_write(o, list[i].data, bytes));
    }
    return mst_output_commit(o);
}

/* The header, checked. To be released. */
static mst_status make_header(draft *header, size_t count, const tensor *list, size_t texts,
                              const tensor_text *text)
{
    *header = (draft){0};
    MST_TRY(check(count, list, texts, text));
    put_header(header, count, list, texts, text);
    if (header->length > TENSORS_MOST_HEADER)
        return mst_fail(MST_ARGUMENT,
                        "the names and metadata of %zu tensors take %zu bytes; at most %" PRIu64
                        " are allowed",
                        count, header->length, TENSORS_MOST_HEADER);
    MST_TRY(mst_allocate(&header->bytes, header->length));
    header->length = 0;
    put_header(header, count, list, texts, text);
    return MST_OK;
}

mst_status tensors_write(const char *path, mst_output_rule rule, size_t count, const tensor *list,
                         size_t texts, const tensor_text *text)
{
    draft header;
    mst_output *o;
    MST_TRY(make_header(&header, count, list, texts, text));
    mst_status status = mst_output_open(&o, path, rule);
    if (status == MST_OK) {
        status = write_file(o, &header, count, list);
        mst_output_free(o);
    }
    mst_release(header.bytes);
    return status;
}

mst_status tensors_pack(char **out, size_t *size, size_t count, const tensor *list, size_t texts,
                        const tensor_text *text)
{
    draft header, all = {0};
    size_t bytes;
    *out = NULL;
    MST_TRY(make_header(&header, count, list, texts, text));
    size_t length = TENSORS_LENGTH_SIZE + header.length;
    for (size_t i = 0; i < count; i++) {
        (void)tensor_bytes(&list[i], &bytes);
        length += bytes;
    }
    mst_status status = mst_allocate(&all.bytes, length);
    if (status == MST_OK) {
        for (size_t i = 0; i < TENSORS_LENGTH_SIZE; i++)
            put(&all, (const char[]){(char)(header.length >> 8 * i)}, 1);
        put(&all, header.bytes, header.length);
        for (size_t i = 0; i < count; i++) {
            (void)tensor_bytes(&list[i], &bytes);
            if (bytes > 0)
                put(&all, list[i].data, bytes);
        }
        *out = all.bytes;
        *size = length;
    }
    mst_release(header.bytes);
    return status;
}
