/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Labels of rows: every different text gets a number. A hash table with open addressing finds the number
 * while rows come in; names are sorted at the end. */
#include "io/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* The public part first, so that the two have the same address. */
typedef struct label_set {
    mst_labels public;
    size_t row_capacity, name_capacity;
    size_t *slots; /* (slot_count), a power of two: number of the name plus 1, or 0 */
    size_t slot_count;
} label_set;

/* FNV-1a. */
static size_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(h ^ h >> 32);
}

mst_status mst_labels_new(mst_labels **out)
{
    label_set *s;
    MST_TRY(mst_allocate_zero(&s, 1));
    *out = &s->public;
    return MST_OK;
}

void mst_labels_free(mst_labels *labels)
{
    if (labels == NULL)
        return;
    for (size_t i = 0; i < labels->count; i++)
        mst_release(labels->names[i]);
    mst_release(labels->names);
    mst_release(labels->index);
    mst_release(((label_set *)labels)->slots);
    mst_release(labels);
}

/* The slot of the text, or the free one where it belongs. */
static size_t *find_slot(const label_set *s, const char *text, size_t length)
{
    size_t i = hash(text, length);
    for (;; i++) {
        size_t *slot = &s->slots[i & (s->slot_count - 1)];
        if (*slot == 0)
            return slot;
        const char *name = s->public.names[*slot - 1];
        if (strncmp(name, text, length) == 0 && name[length] == '\0')
            return slot;
    }
}

/* At most half of the slots are taken. */
static mst_status make_slots(label_set *s)
{
    if (2 * s->public.count < s->slot_count)
        return MST_OK;
    size_t *old = s->slots, count = s->slot_count == 0 ? 64 : 2 * s->slot_count;
    size_t *slots;
    MST_TRY(mst_allocate_zero(&slots, count));
    s->slots = slots;
    s->slot_count = count;
    for (size_t i = 0; i < s->public.count; i++)
        *find_slot(s, s->public.names[i], strlen(s->public.names[i])) = i + 1;
    mst_release(old);
    return MST_OK;
}

mst_status mst_labels_add(mst_labels *labels, const char *text, size_t length)
{
    label_set *s = (label_set *)labels;
    MST_TRY(make_slots(s));
    MST_TRY(mst_grow(&labels->index, labels->n, &s->row_capacity));
    size_t *slot = find_slot(s, text, length);
    if (*slot == 0) {
        MST_TRY(mst_grow(&labels->names, labels->count, &s->name_capacity));
        char *name;
        MST_TRY(mst_allocate(&name, length + 1));
        memcpy(name, text, length);
        name[length] = '\0';
        labels->names[labels->count++] = name;
        *slot = labels->count;
    }
    labels->index[labels->n++] = *slot - 1;
    return MST_OK;
}

/* ---- Order ---- */

typedef struct ranked {
    char *name;
    double number;
    size_t before; /* its place before sorting */
} ranked;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const ranked *)a)->name, ((const ranked *)b)->name);
}

/* Texts of the same number, "1" and "1.0", are different labels and need an order as well. */
static int compare_numbers(const void *a, const void *b)
{
    double x = ((const ranked *)a)->number, y = ((const ranked *)b)->number;
    return x < y ? -1 : x > y ? 1 : compare_names(a, b);
}

mst_status mst_labels_finish(mst_labels *labels)
{
    size_t count = labels->count, *place;
    ranked *order;
    MST_TRY(mst_allocate(&order, count));
    mst_status status = mst_allocate(&place, count);
    if (status != MST_OK) {
        mst_release(order);
        return status;
    }
    bool numbers = true;
    for (size_t i = 0; i < count; i++) {
        order[i] = (ranked){.name = labels->names[i], .before = i};
        numbers = numbers &&
                  mst_parse_double(labels->names[i], strlen(labels->names[i]), &order[i].number);
    }
    if (count > 0)
        qsort(order, count, sizeof *order, numbers ? compare_numbers : compare_names);
    for (size_t i = 0; i < count; i++) {
        labels->names[i] = order[i].name;
        place[order[i].before] = i;
    }
    for (size_t i = 0; i < labels->n; i++)
        labels->index[i] = place[labels->index[i]];
    mst_release(order);
    mst_release(place);
    return MST_OK;
}

/* ---- Files of labels ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* A line without blanks and quotes around it. */
static void strip(const char **text, size_t *length)
{
    while (*length > 0 && is_space((*text)[*length - 1]))
        --*length;
    while (*length > 0 && is_space(**text))
        ++*text, --*length;
    if (*length >= 2 && **text == '"' && (*text)[*length - 1] == '"')
        ++*text, *length -= 2;
}

/* Separators that each line has equally often, outside of quotes, make columns. */
typedef struct column_count {
    const char *first; /* the first line, or null */
    size_t length;
    size_t counts[3]; /* of each separator, 0 once lines differ */
} column_count;
static const char separators[] = "\t;,";

static size_t count_separators(const char *text, size_t length, char separator)
{
    size_t count = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        quoted ^= text[i] == '"';
        count += !quoted && text[i] == separator;
    }
    return count;
}

static void count_columns(column_count *c, const char *text, size_t length)
{
    for (size_t k = 0; k < 3; k++) {
        size_t count = count_separators(text, length, separators[k]);
        if (c->first == NULL)
            c->counts[k] = count;
        else if (count != c->counts[k])
            c->counts[k] = 0;
    }
    if (c->first == NULL) {
        c->first = text;
        c->length = length;
    }
}

/* MST_FORMAT if there are several columns; their names are listed if the first line has any. */
static mst_status refuse_columns(const mst_source *s, const column_count *c)
{
    size_t k = 0;
    while (k < 3 && c->counts[k] == 0)
        k++;
    if (k == 3)
        return MST_OK;
    static const char *const hints[] = {"cut -f1", "cut -d';' -f1", "cut -d, -f1"};
    char names[200] = "";
    double number;
    const char *cell = c->first, *end = c->first + c->length;
    for (size_t used = 0; cell <= end && used + 4 < sizeof names;) {
        const char *stop = memchr(cell, separators[k], (size_t)(end - cell)), *text = cell;
        size_t length = (size_t)((stop != NULL ? stop : end) - cell);
        cell += length + 1;
        strip(&text, &length);
        if (mst_parse_double(text, length, &number)) {
            names[0] = '\0';
            break;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                                 used > 0 ? ", " : ": ", (int)(length < 40 ? length : 40), text);
    }
    return mst_fail(MST_FORMAT,
                    "%s has %zu columns%s; labels need one: keep the one that is meant "
                    "(%s), or put texts in quotes",
                    s->name, c->counts[k] + 1, names, hints[k]);
}

static mst_status read_lines(mst_source *s, mst_labels *labels)
{
    MST_TRY(mst_source_fill(s, MST_SOURCE_MOST_TEXT));
    if (!s->ended && mst_source_available(s) >= MST_SOURCE_MOST_TEXT)
        return mst_fail(MST_FORMAT, "%s: labels take at most %d bytes", s->name,
                        MST_SOURCE_MOST_TEXT);
    column_count columns = {0};
    const char *p = mst_source_bytes(s), *end = p + mst_source_available(s);
    if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
        p += 3;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *text = p;
        size_t length = (size_t)((stop != NULL ? stop : end) - p);
        p += length + (stop != NULL);
        if (memchr(text, '\0', length) != NULL)
            return mst_fail(MST_FORMAT, "%s: a zero byte; this is not a text file", s->name);
        const char *whole = text;
        size_t whole_length = length;
        strip(&text, &length);
        if (length > 0 && *text != '#') {
            count_columns(&columns, whole, whole_length);
            MST_TRY(mst_labels_add(labels, text, length));
        }
    }
    return columns.first != NULL ? refuse_columns(s, &columns) : MST_OK;
}

static mst_status read_array(const char *path, mst_labels *labels)
{
    mst_reader *r;
    MST_TRY(mst_reader_open(&r, path));
    mst_status status = mst_reader_set_labels(r, "1", labels);
    if (status == MST_OK && mst_reader_cols(r) != 1)
        status = mst_fail(MST_FORMAT, "%s has %zu columns; labels need one", mst_reader_path(r),
                          mst_reader_cols(r));
    for (size_t got = 1; status == MST_OK && got > 0;)
        status = mst_reader_next(r, 512, (double[512]){0}, &got);
    mst_reader_free(r);
    return status;
}

/* The first line is a header; if no other row has its text, the text goes too. */
static void drop_header(mst_labels *labels)
{
    size_t first = 0; /* the first row's text is the first name */
    labels->n--;
    memmove(labels->index, labels->index + 1, labels->n * sizeof *labels->index);
    for (size_t i = 0; i < labels->n; i++)
        if (labels->index[i] == first)
            return;
    mst_release(labels->names[0]);
    labels->count--;
    memmove(labels->names, labels->names + 1, labels->count * sizeof *labels->names);
    for (size_t i = 0; i < labels->n; i++)
        labels->index[i]--;
}

mst_status mst_labels_read(mst_labels **out, const char *path, size_t n)
{
    mst_source source;
    MST_TRY(mst_source_open(&source, path));
    mst_labels *labels = NULL;
    mst_status status = mst_labels_new(&labels);
    const reader_format *format = NULL;
    if (status == MST_OK)
        status = reader_find_format(&source, &format);
    bool array = status == MST_OK && source.regular && !format->text;
    if (status == MST_OK)
        status = array ? read_array(path, labels) : read_lines(&source, labels);
    if (status == MST_OK && !array && labels->n == n + 1 && n > 0)
        drop_header(labels);
    if (status == MST_OK && labels->n != n)
        status = mst_fail(MST_FORMAT, "%s has %zu label%s for %zu row%s; give one per row",
                          source.name, labels->n, labels->n == 1 ? "" : "s", n, n == 1 ? "" : "s");
    if (status == MST_OK)
        status = mst_labels_finish(labels);
    mst_source_close(&source);
    if (status != MST_OK) {
        mst_labels_free(labels);
        return status;
    }
    *out = labels;
    return MST_OK;
}
