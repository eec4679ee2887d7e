/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* NumPy's array format, versions 1 to 3 (numpy.lib.format): a Python dictionary as text, then the numbers.
 * Rows run along the first axis; the other axes are flattened into columns. C order is streamed. Fortran
 * order needs all columns at once: a file is mapped, anything else is read whole. */
#include "io/internal.h"

#include <inttypes.h>
#include <sys/mman.h>

enum { MOST_AXES = 32, MOST_HEADER = 1 << 20 };

typedef struct npy_array {
    char kind;         /* 'f', 'i', 'u', 'b' */
    size_t item;       /* bytes of a number */
    bool swapped;      /* byte order is not the machine's */
    uint64_t rows;     /* in the file */
    const char *whole; /* Fortran order: the array, in a mapping or in the source's buffer */
    uint64_t *offset;  /* Fortran order: (cols) number of the first item of a column */
    void *map;
    size_t map_size;
} npy_array;

typedef struct header {
    char descr[32];
    bool has_descr, has_order, has_shape;
    bool fortran;
    size_t axes;
    uint64_t shape[MOST_AXES];
} header;

/* ---- The dictionary ---- */

typedef struct text {
    const char *p, *end;
} text;

static void skip_space(text *t)
{
    while (t->p < t->end && (*t->p == ' ' || *t->p == '\n' || *t->p == '\t'))
        t->p++;
}

static bool take(text *t, char c)
{
    skip_space(t);
    if (t->p == t->end || *t->p != c)
        return false;
    t->p++;
    return true;
}

static bool take_word(text *t, const char *word)
{
    skip_space(t);
    size_t n = strlen(word);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
        return false;
    t->p += n;
    return true;
}

/* A string without escapes, cut to `size`. */
static bool take_string(text *t, char *out, size_t size)
{
    char quote = take(t, '\'') ? '\'' : '"';
    if (quote == '"' && !take(t, '"'))
        return false;
    const char *close = memchr(t->p, quote, (size_t)(t->end - t->p));
    if (close == NULL)
        return false;
    size_t n = (size_t)(close - t->p);
    n = n < size ? n : size - 1;
    memcpy(out, t->p, n);
    out[n] = '\0';
    t->p = close + 1;
    return true;
}

static bool take_shape(text *t, header *h)
{
    if (!take(t, '('))
        return false;
    h->axes = 0;
    while (!take(t, ')')) {
        skip_space(t);
        uint64_t value = 0;
        const char *start = t->p;
        for (; t->p < t->end && *t->p >= '0' && *t->p <= '9'; t->p++)
            if (__builtin_mul_overflow(value, 10, &value) ||
                __builtin_add_overflow(value, (uint64_t)(*t->p - '0'), &value))
                return false;
        if (t->p == start || h->axes == MOST_AXES)
            return false;
        h->shape[h->axes++] = value;
        take(t, 'L'); /* Python 2 wrote long integers so */
        if (!take(t, ',')) {
            if (!take(t, ')'))
                return false;
            break;
        }
    }
    return true;
}

static bool take_entry(text *t, header *h)
{
    char key[24];
    if (!take_string(t, key, sizeof key) || !take(t, ':'))
        return false;
    if (strcmp(key, "descr") == 0) {
        h->has_descr = true;
        if (take_string(t, h->descr, sizeof h->descr))
            return true;
        /* A list describes records; find_type refuses it, so its contents do not matter. */
        strcpy(h->descr, "[");
        skip_space(t);
        int depth = 0;
        for (; t->p < t->end && (depth > 0 || (*t->p != ',' && *t->p != '}')); t->p++)
            depth += *t->p == '[' || *t->p == '(' ? 1 : *t->p == ']' || *t->p == ')' ? -1 : 0;
        return true;
    }
    if (strcmp(key, "fortran_order") == 0) {
        h->has_order = true;
        h->fortran = take_word(t, "True");
        return h->fortran || take_word(t, "False");
    }
    if (strcmp(key, "shape") == 0) {
        h->has_shape = true;
        return take_shape(t, h);
    }
    return false;
}

static bool parse_header(const char *bytes, size_t length, header *h)
{
    text t = {bytes, bytes + length};
    *h = (header){.axes = 0};
    if (!take(&t, '{'))
        return false;
    while (!take(&t, '}')) {
        if (!take_entry(&t, h))
            return false;
        if (!take(&t, ',')) {
            if (!take(&t, '}'))
                return false;
            break;
        }
    }
    skip_space(&t);
    return t.p == t.end && h->has_descr && h->has_order && h->has_shape;
}

/* ---- Opening ---- */

/* Reads magic, version and dictionary, and leaves the source at the first number. */
static mst_status read_header(mst_source *s, header *h)
{
    enum { VERSION_END = MST_NPY_MAGIC_SIZE + 2 };
    MST_TRY(mst_source_fill(s, VERSION_END + 4));
    const unsigned char *b = (const unsigned char *)mst_source_bytes(s);
    size_t available = mst_source_available(s);
    unsigned version = available >= VERSION_END ? b[MST_NPY_MAGIC_SIZE] : 1;
    if (version < 1 || version > 3)
        return mst_fail(MST_FORMAT, "%s is NPY version %u; versions 1 to 3 can be read", s->name,
                        version);
    size_t start = VERSION_END + (version == 1 ? 2 : 4);
    if (available < start)
        return mst_fail(MST_FORMAT, "%s ends in the middle of its NPY header", s->name);
    b += VERSION_END;
    size_t length = (size_t)b[0] | (size_t)b[1] << 8;
    if (version > 1)
        length |= (size_t)b[2] << 16 | (size_t)b[3] << 24;
    if (length > MOST_HEADER)
        return mst_fail(MST_FORMAT, "%s: an NPY header of %zu bytes is implausible", s->name,
                        length);
    MST_TRY(mst_source_fill(s, start + length));
    if (mst_source_available(s) < start + length)
        return mst_fail(MST_FORMAT, "%s ends in the middle of its NPY header", s->name);
    if (!parse_header(mst_source_bytes(s) + start, length, h))
        return mst_fail(MST_FORMAT, "%s: the NPY header cannot be understood", s->name);
    mst_source_skip(s, start + length);
    return MST_OK;
}

static bool machine_is_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static mst_status find_type(const mst_source *s, const char *descr, npy_array *npy)
{
    if (descr[0] == '[')
        return mst_fail(MST_FORMAT, "%s holds records; save one plain array of numbers", s->name);
    const char *type = descr;
    char order = '=';
    if (*type == '<' || *type == '>' || *type == '=' || *type == '|')
        order = *type++;
    if (type[0] == 'O')
        return mst_fail(MST_FORMAT, "%s holds Python objects; save one plain array of numbers",
                        s->name);
    static const char known[][3] = {"f8", "f4", "i8", "i4", "i2", "i1",
                                    "u8", "u4", "u2", "u1", "b1"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(type, known[i]) == 0) {
            npy->kind = type[0];
            npy->item = (size_t)(type[1] - '0');
            npy->swapped = npy->item > 1 && ((order == '<' && !machine_is_little_endian()) ||
                                             (order == '>' && machine_is_little_endian()));
            return MST_OK;
        }
    }
    char quoted[MST_QUOTED_TEXT];
    return mst_fail(MST_FORMAT, "%s holds numbers of type %s; save them as float64", s->name,
                    mst_quote_text(descr, strlen(descr), quoted));
}

/* rows·cols·item bytes; MST_FORMAT if that is no size. */
static mst_status find_size(mst_reader *r, const header *h, uint64_t *bytes)
{
    const char *name = r->source.name;
    npy_array *npy = r->data;
    if (h->axes == 0)
        return mst_fail(MST_FORMAT, "%s holds a single number, not a table (shape ())", name);
    npy->rows = h->shape[0];
    uint64_t cols = 1;
    bool overflow = false;
    for (size_t i = 1; i < h->axes; i++)
        overflow |= __builtin_mul_overflow(cols, h->shape[i], &cols);
    overflow |= __builtin_mul_overflow(cols, npy->item, bytes);
    overflow |= __builtin_mul_overflow(*bytes, npy->rows, bytes);
    if (overflow || *bytes > PTRDIFF_MAX)
        return mst_fail(MST_FORMAT, "%s: the shape in the NPY header is too large", name);
    if (cols == 0 || npy->rows == 0)
        return mst_fail(MST_FORMAT, "%s is empty: no %s of numbers", name,
                        cols == 0 ? "columns" : "rows");
    r->cols = (size_t)cols;
    return MST_OK;
}

static mst_status ends_early(const mst_source *s, uint64_t bytes, uint64_t promised)
{
    return mst_fail(MST_FORMAT,
                    "%s ends early: %" PRIu64 " bytes of numbers, its header promises %" PRIu64,
                    s->name, bytes, promised);
}

static mst_status has_more(const mst_source *s)
{
    return mst_fail(MST_FORMAT, "%s goes on after the array that its header describes", s->name);
}

static mst_status map_or_read_whole(mst_reader *r, uint64_t bytes)
{
    mst_source *s = &r->source;
    npy_array *npy = r->data;
    if (s->regular) {
        size_t start = (size_t)s->consumed;
        npy->map_size = start + (size_t)bytes;
        void *map = mmap(NULL, npy->map_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
        if (map != MAP_FAILED) {
            npy->map = map;
            npy->whole = (const char *)map + start;
            return MST_OK;
        }
    }
    MST_TRY(mst_source_fill(s, (size_t)bytes + 1));
    if (mst_source_available(s) < bytes)
        return ends_early(s, mst_source_available(s), bytes);
    if (mst_source_available(s) > bytes)
        return has_more(s);
    npy->whole = mst_source_bytes(s);
    return MST_OK;
}

/* Column numbers count the last axis fastest; in Fortran order items count the first axis fastest. */
static mst_status find_column_offsets(mst_reader *r, const header *h)
{
    npy_array *npy = r->data;
    MST_TRY(mst_allocate(&npy->offset, r->cols));
    for (size_t c = 0; c < r->cols; c++) {
        uint64_t rest = c, offset = 0;
        uint64_t stride = npy->rows * r->cols;
        for (size_t axis = h->axes; axis-- > 1;) {
            stride /= h->shape[axis];
            offset += rest % h->shape[axis] * stride;
            rest /= h->shape[axis];
        }
        npy->offset[c] = offset;
    }
    return MST_OK;
}

static reader_answer recognise(const char *bytes, size_t n)
{
    if (memcmp(bytes, MST_NPY_MAGIC, n < MST_NPY_MAGIC_SIZE ? n : MST_NPY_MAGIC_SIZE) != 0)
        return READER_NO;
    return n < MST_NPY_MAGIC_SIZE ? READER_MORE : READER_YES;
}

static mst_status open_array(mst_reader *r)
{
    mst_source *s = &r->source;
    npy_array *npy;
    header h;
    uint64_t bytes = 0;
    MST_TRY(mst_allocate_zero(&npy, 1));
    r->data = npy;
    MST_TRY(read_header(s, &h));
    MST_TRY(find_type(s, h.descr, npy));
    MST_TRY(find_size(r, &h, &bytes));
    r->axes = h.axes;
    for (size_t i = 0; i < h.axes && i < READER_AXES; i++)
        r->shape[i] = h.shape[i];
    if (s->regular) {
        uint64_t there = s->size > s->consumed ? s->size - s->consumed : 0;
        if (there < bytes)
            return ends_early(s, there, bytes);
        if (there > bytes)
            return has_more(s);
    }
    if (h.fortran && h.axes > 1) {
        MST_TRY(map_or_read_whole(r, bytes));
        MST_TRY(find_column_offsets(r, &h));
    }
    return MST_OK;
}

/* ---- Numbers ---- */

#define CONVERT(type, bits, swap)                           \
    for (size_t i = 0; i < n; i++) {                        \
        bits word;                                          \
        type value;                                         \
        memcpy(&word, from + i * sizeof word, sizeof word); \
        if (swapped)                                        \
            word = (bits)swap(word);                        \
        memcpy(&value, &word, sizeof value);                \
        out[i * stride] = (double)value;                    \
    }                                                       \
    break

#define KEEP(word) (word)

/* n consecutive items to out[0], out[stride], … */
static void convert(const npy_array *npy, const char *from, size_t n, double *out, size_t stride)
{
    bool swapped = npy->swapped;
    if (npy->kind == 'f' && npy->item == 8 && !swapped && stride == 1) {
        memcpy(out, from, n * sizeof *out);
        return;
    }
    switch (npy->kind << 4 | (int)npy->item) {
    case 'f' << 4 | 8:
        CONVERT(double, uint64_t, __builtin_bswap64);
    case 'f' << 4 | 4:
        CONVERT(float, uint32_t, __builtin_bswap32);
    case 'i' << 4 | 8:
        CONVERT(int64_t, uint64_t, __builtin_bswap64);
    case 'i' << 4 | 4:
        CONVERT(int32_t, uint32_t, __builtin_bswap32);
    case 'i' << 4 | 2:
        CONVERT(int16_t, uint16_t, __builtin_bswap16);
    case 'i' << 4 | 1:
        CONVERT(int8_t, uint8_t, KEEP);
    case 'u' << 4 | 8:
        CONVERT(uint64_t, uint64_t, __builtin_bswap64);
    case 'u' << 4 | 4:
        CONVERT(uint32_t, uint32_t, __builtin_bswap32);
    case 'u' << 4 | 2:
        CONVERT(uint16_t, uint16_t, __builtin_bswap16);
    case 'u' << 4 | 1:
        CONVERT(uint8_t, uint8_t, KEEP);
    case 'b' << 4 | 1:
        CONVERT(uint8_t, uint8_t, KEEP);
    }
}

static mst_status stream_rows(mst_reader *r, size_t n, double *rows)
{
    mst_source *s = &r->source;
    const npy_array *npy = r->data;
    size_t left = n * r->cols;
    while (left > 0) {
        MST_TRY(mst_source_fill(s, npy->item));
        size_t items = mst_source_available(s) / npy->item;
        if (items == 0) {
            uint64_t row_bytes = (uint64_t)r->cols * npy->item;
            uint64_t had = (r->row + n) * row_bytes - left * npy->item;
            return ends_early(s, had + mst_source_available(s), npy->rows * row_bytes);
        }
        items = items < left ? items : left;
        convert(npy, mst_source_bytes(s), items, rows, 1);
        mst_source_skip(s, items * npy->item);
        rows += items;
        left -= items;
    }
    return MST_OK;
}

static mst_status next_rows(mst_reader *r, size_t max, double *rows, size_t *got)
{
    npy_array *npy = r->data;
    uint64_t left = npy->rows - r->row;
    size_t n = left < max ? (size_t)left : max;
    if (npy->whole != NULL) {
        for (size_t c = 0; c < r->cols; c++)
            convert(npy, npy->whole + (npy->offset[c] + r->row) * npy->item, n, rows + c, r->cols);
    } else {
        MST_TRY(stream_rows(r, n, rows));
        if (n == left) {
            MST_TRY(mst_source_fill(&r->source, 1));
            if (mst_source_available(&r->source) > 0)
                return has_more(&r->source);
        }
    }
    *got = n;
    return MST_OK;
}

static void close_array(mst_reader *r)
{
    npy_array *npy = r->data;
    if (npy == NULL)
        return;
    if (npy->map != NULL)
        munmap(npy->map, npy->map_size);
    mst_release(npy->offset);
    mst_release(npy);
}

const reader_format reader_npy = {
    .name = "NPY",
    .recognise = recognise,
    .open = open_array,
    .next = next_rows,
    .close = close_array,
};
