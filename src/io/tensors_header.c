/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The header of a safetensors file: an object of tensors and an object of strings, in JSON. It is not read
 * by the general reader of JSON, which knows numbers as doubles and objects as small: offsets have 64 bits,
 * and a header may have a million names. */
#include "io/internal.h"
#include "io/tensors_internal.h"
#include "util/json_scanner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct parser {
    const char *name; /* of the file */
    json_scanner at;
    tensors *t;
    char *free_text; /* where the next string goes */
} parser;

static mst_status refuse(const parser *s, const char *what)
{
    return mst_fail(MST_FORMAT, "%s: damaged, or not a safetensors file (header, byte %zu: %s)",
                    s->name, (size_t)(s->at.p - s->at.begin) + 1, what);
}

static mst_status refuse_tensor(const parser *s, const tensor *t, const char *what)
{
    char quoted[MST_QUOTED_TEXT];
    return mst_fail(MST_FORMAT, "%s: tensor %s: %s", s->name,
                    mst_quote_text(t->name, strlen(t->name), quoted), what);
}

/* `text` has a place for all strings of the header, because none is longer than what it is decoded from. */
static mst_status take_string(parser *s, const char **out)
{
    *out = s->free_text;
    if (!json_take(&s->at, '"'))
        return refuse(s, "a string in quotes expected");
    const char *wrong = json_take_string(&s->at, &s->free_text);
    return wrong == NULL ? MST_OK : refuse(s, wrong);
}

static mst_status take_key(parser *s, const char **key)
{
    MST_TRY(take_string(s, key));
    return json_take(&s->at, ':') ? MST_OK : refuse(s, "a colon expected");
}

/* Behind an element: whether another one follows. */
static mst_status take_end(parser *s, char close, bool *more)
{
    *more = json_take(&s->at, ',');
    if (*more || json_take(&s->at, close))
        return MST_OK;
    return refuse(s, close == '}' ? "a comma or } expected" : "a comma or ] expected");
}

/* ---- A tensor ---- */

/* At most `most` integers of 64 bits without a sign; `*count` says how many. */
static mst_status take_integers(parser *s, const tensor *t, const char *what, size_t most,
                                uint64_t *out, size_t *count)
{
    char message[80];
    *count = 0;
    if (!json_take(&s->at, '['))
        return refuse(s, "an array of whole numbers expected");
    for (bool more = !json_take(&s->at, ']'); more;) {
        uint64_t value;
        if (*count == most) {
            snprintf(message, sizeof message, "its %s has more than %zu numbers", what, most);
            return refuse_tensor(s, t, message);
        }
        json_skip_space(&s->at);
        if (!json_take_integer(&s->at, &value))
            return refuse(s, "a whole number from 0 to 2^64-1 expected");
        out[(*count)++] = value;
        MST_TRY(take_end(s, ']', &more));
    }
    return MST_OK;
}

static mst_status find_type(const parser *s, tensor *t, const char *dtype)
{
    char quoted[MST_QUOTED_TEXT], message[160];
    for (int i = 0; i < TENSOR_TYPES; i++)
        if (strcmp(tensor_types[i].name, dtype) == 0) {
            t->type = (tensor_type)i;
            return MST_OK;
        }
    snprintf(message, sizeof message, "its type is %s; save it as F32, F64 or U64",
             mst_quote_text(dtype, strlen(dtype), quoted));
    return refuse_tensor(s, t, message);
}

/* Size and offsets must say the same. */
static mst_status check_span(const parser *s, const tensor *t, const tensor_span *span)
{
    char message[160];
    size_t bytes;
    if (!tensor_bytes(t, &bytes))
        return refuse_tensor(s, t, "its shape is too large for any memory");
    if (span->begin <= span->end && span->end - span->begin == bytes)
        return MST_OK;
    snprintf(message, sizeof message,
             "its shape needs %zu bytes, its data_offsets are %" PRIu64 " to %" PRIu64, bytes,
             span->begin, span->end);
    return refuse_tensor(s, t, message);
}

enum { SEEN_TYPE = 1, SEEN_SHAPE = 2, SEEN_OFFSETS = 4, SEEN_ALL = 7 };

static mst_status take_property(parser *s, tensor *t, tensor_span *span, unsigned *seen)
{
    const char *key, *dtype;
    uint64_t numbers[TENSOR_RANK];
    size_t count;
    unsigned before = *seen;
    MST_TRY(take_key(s, &key));
    if (strcmp(key, "dtype") == 0) {
        *seen |= SEEN_TYPE;
        MST_TRY(take_string(s, &dtype));
        MST_TRY(find_type(s, t, dtype));
    } else if (strcmp(key, "shape") == 0) {
        *seen |= SEEN_SHAPE;
        MST_TRY(take_integers(s, t, key, TENSOR_RANK, numbers, &t->rank));
        for (size_t i = 0; i < t->rank; i++)
            t->shape[i] = numbers[i];
    } else if (strcmp(key, "data_offsets") == 0) {
        *seen |= SEEN_OFFSETS;
        MST_TRY(take_integers(s, t, key, 2, numbers, &count));
        if (count != 2)
            return refuse(s, "data_offsets are two numbers, begin and end");
        span->begin = numbers[0];
        span->end = numbers[1];
    }
    /* A name that is unknown, or known and seen before. */
    return *seen != before ? MST_OK
                           : refuse(s, "dtype, shape and data_offsets expected, each once");
}

static mst_status take_tensor(parser *s, const char *name)
{
    tensors *all = s->t;
    size_t capacity = all->capacity;
    MST_TRY(mst_grow(&all->list, all->count, &capacity));
    MST_TRY(mst_grow(&all->spans, all->count, &all->capacity));
    tensor *t = &all->list[all->count];
    tensor_span *span = &all->spans[all->count];
    *t = (tensor){.name = name};
    *span = (tensor_span){.index = all->count++};
    unsigned seen = 0;
    if (!json_take(&s->at, '{'))
        return refuse(s, "an object that describes a tensor expected");
    for (bool more = !json_take(&s->at, '}'); more;) {
        MST_TRY(take_property(s, t, span, &seen));
        MST_TRY(take_end(s, '}', &more));
    }
    if (seen != SEEN_ALL)
        return refuse_tensor(s, t, "the header does not give its dtype, shape and data_offsets");
    return check_span(s, t, span);
}

/* ---- The whole ---- */

static mst_status take_metadata(parser *s)
{
    tensors *t = s->t;
    if (!json_take(&s->at, '{'))
        return refuse(s, "an object of strings expected");
    for (bool more = !json_take(&s->at, '}'); more;) {
        tensor_text text;
        MST_TRY(take_key(s, &text.key));
        MST_TRY(take_string(s, &text.value));
        MST_TRY(mst_grow(&t->texts, t->text_count, &t->text_capacity));
        t->texts[t->text_count++] = text;
        MST_TRY(take_end(s, '}', &more));
    }
    return MST_OK;
}

static mst_status take_header(parser *s)
{
    bool metadata = false;
    /* The format wants the brace in the first byte. */
    if (s->at.p == s->at.end || *s->at.p != '{')
        return refuse(s, "{ expected");
    s->at.p++;
    for (bool more = !json_take(&s->at, '}'); more;) {
        const char *key;
        MST_TRY(take_key(s, &key));
        if (strcmp(key, TENSORS_METADATA) != 0) {
            MST_TRY(take_tensor(s, key));
        } else {
            if (metadata)
                return refuse(s, TENSORS_METADATA " for the second time");
            metadata = true;
            MST_TRY(take_metadata(s));
        }
        MST_TRY(take_end(s, '}', &more));
    }
    json_skip_space(&s->at);
    return s->at.p == s->at.end ? MST_OK : refuse(s, "text after the last }");
}

static mst_status check_names(const parser *s)
{
    const tensors *t = s->t;
    size_t most = t->count > t->text_count ? t->count : t->text_count;
    const char **names, *twice, *what = "tensor";
    char quoted[MST_QUOTED_TEXT];
    MST_TRY(mst_allocate(&names, most));
    for (size_t i = 0; i < t->count; i++)
        names[i] = t->list[i].name;
    twice = tensors_duplicate(t->count, names);
    if (twice == NULL) {
        what = "metadata";
        for (size_t i = 0; i < t->text_count; i++)
            names[i] = t->texts[i].key;
        twice = tensors_duplicate(t->text_count, names);
    }
    mst_release(names);
    if (twice == NULL)
        return MST_OK;
    return mst_fail(MST_FORMAT, "%s: %s %s is there twice", s->name, what,
                    mst_quote_text(twice, strlen(twice), quoted));
}

static int compare_spans(const void *a, const void *b)
{
    const tensor_span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static mst_status order_spans(const parser *s, uint64_t *data_size)
{
    const tensors *t = s->t;
    uint64_t end = 0;
    char message[160];
    if (t->count > 0)
        qsort(t->spans, t->count, sizeof *t->spans, compare_spans);
    for (size_t i = 0; i < t->count; end = t->spans[i].end, i++) {
        if (t->spans[i].begin == end)
            continue;
        snprintf(message, sizeof message,
                 "its data begin at byte %" PRIu64 ", those before it end at byte %" PRIu64
                 "; no overlaps and no gaps are allowed",
                 t->spans[i].begin, end);
        return refuse_tensor(s, &t->list[t->spans[i].index], message);
    }
    *data_size = end;
    return MST_OK;
}

mst_status tensors_read_header(tensors *t, const char *name, const char *bytes, size_t size,
                               uint64_t *data_size)
{
    MST_TRY(mst_allocate(&t->text, size + 1));
    parser s = {.name = name, .at = {bytes, bytes, bytes + size}, .t = t, .free_text = t->text};
    MST_TRY(take_header(&s));
    MST_TRY(check_names(&s));
    return order_spans(&s, data_size);
}
