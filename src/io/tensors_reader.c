/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files into memory. Nothing is allocated for data that a header only
 * announces; they must arrive first. */
#include "io/internal.h"
#include "io/tensors_internal.h"

#include <inttypes.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors files are little-endian");

enum { BOUNDARY = 64 };

static mst_status refuse_start(const mst_source *s, uint64_t length)
{
    if (s->regular && length > s->size)
        return mst_fail(MST_FORMAT,
                        "%s: not a safetensors file (the header would be %" PRIu64
                        " bytes, the file has %" PRIu64 ")",
                        s->name, length, s->size);
    if (length > TENSORS_MOST_HEADER)
        return mst_fail(MST_FORMAT,
                        "%s: not a safetensors file (the header would be %" PRIu64
                        " bytes, at most %" PRIu64 " are allowed)",
                        s->name, length, TENSORS_MOST_HEADER);
    return mst_fail(MST_FORMAT, "%s: not a safetensors file (the header does not begin with {)",
                    s->name);
}

/* Takes the length of the header, and looks at the byte after it to tell damage from other kinds of file. */
static mst_status take_length(mst_source *s, uint64_t *length)
{
    MST_TRY(mst_source_fill(s, TENSORS_LENGTH_SIZE + 1));
    const unsigned char *b = (const unsigned char *)mst_source_bytes(s);
    size_t available = mst_source_available(s);
    if (available == 0)
        return mst_fail(MST_FORMAT, "%s: not a safetensors file (it is empty)", s->name);
    if (available < TENSORS_LENGTH_SIZE)
        return mst_fail(MST_FORMAT, "%s: not a safetensors file (it has only %zu byte%s)", s->name,
                        available, available == 1 ? "" : "s");
    *length = 0;
    for (size_t i = TENSORS_LENGTH_SIZE; i-- > 0;)
        *length = *length << 8 | b[i];
    if (*length > TENSORS_MOST_HEADER ||
        (available > TENSORS_LENGTH_SIZE && b[TENSORS_LENGTH_SIZE] != '{'))
        return refuse_start(s, *length);
    mst_source_skip(s, TENSORS_LENGTH_SIZE);
    return MST_OK;
}

/* Makes the next `want` bytes available; MST_FORMAT if there are fewer. */
static mst_status fetch(mst_source *s, uint64_t want, const char *what)
{
    MST_TRY(mst_source_fill(s, want));
    size_t there = mst_source_available(s);
    if (there >= want)
        return MST_OK;
    return mst_fail(MST_FORMAT,
                    "%s: the file ends early: %" PRIu64
                    " bytes of %s announced, %zu there (an incomplete copy?)",
                    s->name, want, what, there);
}

/* Every tensor gets its own boundary in memory; in the file it may begin at any byte. */
static mst_status copy_data(tensors *t, const char *from)
{
    size_t total = 0, at = 0;
    for (size_t i = 0; i < t->count; i++)
        total += (t->spans[i].end - t->spans[i].begin + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    MST_TRY(mst_allocate(&t->data, total));
    for (size_t i = 0; i < t->count; i++) {
        const tensor_span *span = &t->spans[i];
        size_t bytes = span->end - span->begin;
        t->list[span->index].data = t->data + at;
        if (bytes > 0)
            memcpy(t->data + at, from + span->begin, bytes);
        at += (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    }
    return MST_OK;
}

static mst_status load(tensors *t, mst_source *s)
{
    uint64_t length = 0, data_size = 0;
    MST_TRY(take_length(s, &length));
    MST_TRY(fetch(s, length, "header"));
    MST_TRY(tensors_read_header(t, s->name, mst_source_bytes(s), length, &data_size));
    mst_source_skip(s, length);
    MST_TRY(fetch(s, data_size, "data"));
    /* What was fetched is in memory, so adding one does not overflow. */
    MST_TRY(mst_source_fill(s, data_size + 1));
    if (mst_source_available(s) > data_size)
        return mst_fail(MST_FORMAT,
                        "%s: damaged (the file goes on after the %" PRIu64
                        " bytes of data that its header announces)",
                        s->name, data_size);
    return copy_data(t, mst_source_bytes(s));
}

static mst_status load_new(tensors **out, mst_source *s)
{
    tensors *t;
    MST_TRY(mst_allocate_zero(&t, 1));
    mst_status status = load(t, s);
    if (status != MST_OK) {
        tensors_free(t);
        return status;
    }
    *out = t;
    return MST_OK;
}

mst_status tensors_read(tensors **out, const char *path)
{
    mst_source source;
    MST_TRY(mst_source_open(&source, path));
    mst_status status = load_new(out, &source);
    mst_source_close(&source);
    return status;
}

mst_status tensors_parse(tensors **out, const char *name, const void *bytes, size_t size)
{
    /* A source that has read all of its input already; it never writes to the buffer then. */
    mst_source source = {.fd = -1,
                         .regular = true,
                         .size = size,
                         .buffer = (char *)bytes,
                         .capacity = size,
                         .end = size,
                         .ended = true};
    MST_TRY(mst_path_for_messages(&source.name, name));
    mst_status status = load_new(out, &source);
    mst_release(source.name);
    return status;
}

void tensors_free(tensors *t)
{
    if (t == NULL)
        return;
    mst_release(t->text);
    mst_release(t->list);
    mst_release(t->spans);
    mst_release(t->texts);
    mst_release(t->data);
    mst_release(t);
}

const tensor *tensors_find(const tensors *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->list[i].name, name) == 0)
            return &t->list[i];
    return NULL;
}

const char *tensors_text(const tensors *t, const char *key)
{
    for (size_t i = 0; i < t->text_count; i++)
        if (strcmp(t->texts[i].key, key) == 0)
            return t->texts[i].value;
    return NULL;
}

size_t tensors_count(const tensors *t)
{
    return t->count;
}

const tensor *tensors_at(const tensors *t, size_t i)
{
    return &t->list[i];
}

size_t tensors_text_count(const tensors *t)
{
    return t->text_count;
}

tensor_text tensors_text_at(const tensors *t, size_t i)
{
    return t->texts[i];
}
