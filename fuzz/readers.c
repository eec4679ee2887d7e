/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include "io/tensors.h"
#include "util/json.h"
#include "util/number_text.h"

#include <manistat/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_COLS = 1 << 12, MOST_ROWS = 1 << 12, MOST_PIPED = 1 << 15 };

typedef struct table {
    size_t rows, cols;
    double *x;
} table;

static void fail(const char *property)
{
    fprintf(stderr, "property does not hold: %s (%s)\n", property, mst_error_detail());
    abort();
}

/* The bytes as a file without a name in any directory. */
static int memory_file(const void *bytes, size_t n)
{
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
        exit(1);
    return fd;
}

static void check_failure(mst_status status, const char *name)
{
    if (status != MST_FORMAT && status != MST_MEMORY)
        fail("a reader refuses bytes with FORMAT");
    if (status == MST_FORMAT && strstr(mst_error_detail(), name) == NULL)
        fail("the message names the file");
    for (const char *p = mst_error_detail(); *p != '\0'; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            fail("the message is one line of printable text");
}

/* Reads everything in batches of changing size. A table that is too large for the test counts as refused. */
static bool read_table(const char *path, const char *name, table *t)
{
    mst_reader *r;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK) {
        check_failure(status, name);
        return false;
    }
    *t = (table){.cols = mst_reader_cols(r)};
    if (t->cols == 0)
        fail("a table has columns");
    bool whole = false;
    if (t->cols <= MOST_COLS) {
        t->x = malloc(MOST_ROWS * t->cols * sizeof *t->x);
        for (size_t batch = 1; t->x != NULL && !whole && t->rows < MOST_ROWS;
             batch = batch % 7 + 1) {
            size_t max = batch < MOST_ROWS - t->rows ? batch : MOST_ROWS - t->rows, got = SIZE_MAX;
            status = mst_reader_next(r, max, t->x + t->rows * t->cols, &got);
            if (status != MST_OK) {
                check_failure(status, name);
                break;
            }
            if (got > max)
                fail("no more rows than asked for");
            uint64_t row, line, last = 0;
            for (size_t k = 0; k < got; k++, last = line) {
                mst_reader_where(r, k, &row, &line);
                if (row != t->rows + k + 1 || (line != 0 && (line < row || line <= last)))
                    fail("rows and lines are counted");
            }
            whole = got == 0;
            t->rows += got;
        }
    }
    mst_reader_free(r);
    if (!whole)
        free(t->x);
    return whole;
}

static bool same(const table *a, const table *b)
{
    if (a->rows != b->rows || a->cols != b->cols)
        return false;
    for (size_t i = 0; i < a->rows * a->cols; i++)
        if (memcmp(&a->x[i], &b->x[i], sizeof(double)) != 0 && !(isnan(a->x[i]) && isnan(b->x[i])))
            return false;
    return true;
}

static bool read_bytes(const void *bytes, size_t n, table *t)
{
    char path[32];
    int fd = memory_file(bytes, n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool whole = read_table(path, path, t);
    close(fd);
    return whole;
}

static bool read_piped(const void *bytes, size_t n, table *t)
{
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], bytes, n) != (ssize_t)n)
        exit(1);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    return read_table("-", "standard input", t);
}

static void check_round_trip(const table *t)
{
    char *text = malloc(t->rows * t->cols * (MST_DOUBLE_TEXT + 1) + 1), *p = text;
    for (size_t i = 0; i < t->rows * t->cols; i++) {
        p += mst_format_double(t->x[i], p);
        *p++ = (i + 1) % t->cols == 0 ? '\n' : ',';
    }
    table again;
    if (!read_bytes(text, (size_t)(p - text), &again))
        fail("what was written is read");
    if (!same(t, &again))
        fail("numbers make the round trip");
    free(again.x);
    free(text);
}

static int check_bytes(const void *bytes, size_t n)
{
    table t, piped;
    bool whole = read_bytes(bytes, n, &t);
    if (n <= MOST_PIPED) {
        if (read_piped(bytes, n, &piped) != whole)
            fail("a pipe is read as a file is");
        if (whole && !same(&t, &piped))
            fail("a pipe gives the same numbers");
        if (whole)
            free(piped.x);
    }
    if (whole) {
        check_round_trip(&t);
        free(t.x);
    }
    return 0;
}

int fuzz_csv_reader(const uint8_t *data, size_t size)
{
    return check_bytes(data, size);
}

/* The bytes behind those by which a format is known. */
static int check_behind(const char *magic, size_t length, const uint8_t *data, size_t size)
{
    char *bytes = malloc(size + length);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, magic, length);
    if (size > 0)
        memcpy(bytes + length, data, size);
    check_bytes(bytes, size + length);
    free(bytes);
    return 0;
}

int fuzz_npy_reader(const uint8_t *data, size_t size)
{
    return check_behind("\x93NUMPY", 6, data, size);
}

int fuzz_tps_reader(const uint8_t *data, size_t size)
{
    return check_behind("LM=", 3, data, size);
}

static size_t count_values(const mst_json_value *v, int depth)
{
    size_t count = 1, elements = 0;
    if (depth > 100)
        fail("values are no deeper than 100 levels");
    for (const mst_json_value *e = mst_json_first(v); e != NULL; e = mst_json_next(e), elements++)
        count += count_values(e, depth + 1);
    if (mst_json_kind_of(v) == MST_JSON_ARRAY && elements != mst_json_length(v))
        fail("an array has as many elements as its length says");
    if (mst_json_kind_of(v) == MST_JSON_NUMBER && !isfinite(mst_json_as_number(v)))
        fail("numbers are finite");
    if (mst_json_kind_of(v) == MST_JSON_OBJECT && mst_json_member(v, "a") != NULL)
        count += count_values(mst_json_member(v, "a"), depth + 1);
    return count;
}

int fuzz_json_reader(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memory_file(data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    mst_json_value *top = NULL;
    mst_status status = mst_json_read(&top, path);
    if (status != MST_OK)
        check_failure(status, path);
    else if (count_values(top, 0) > 2 * size)
        fail("there are no more values than bytes, counting members twice");
    mst_json_value_free(top);
    close(fd);
    return 0;
}

static size_t bytes_of(const tensor *t)
{
    return tensor_size(t) * (t->type == TENSOR_F32 ? 4 : 8);
}

static bool same_tensors(const tensors *a, const tensors *b)
{
    bool equal =
        tensors_count(a) == tensors_count(b) && tensors_text_count(a) == tensors_text_count(b);
    for (size_t i = 0; equal && i < tensors_count(a); i++) {
        const tensor *x = tensors_at(a, i), *y = tensors_at(b, i);
        equal = strcmp(x->name, y->name) == 0 && x->type == y->type && x->rank == y->rank &&
                memcmp(x->shape, y->shape, x->rank * sizeof *x->shape) == 0 &&
                memcmp(x->data, y->data, bytes_of(x)) == 0;
    }
    for (size_t i = 0; equal && i < tensors_text_count(a); i++)
        equal = strcmp(tensors_text_at(a, i).key, tensors_text_at(b, i).key) == 0 &&
                strcmp(tensors_text_at(a, i).value, tensors_text_at(b, i).value) == 0;
    return equal;
}

/* Through a pipe, which also reads without knowing a size. */
static tensors *write_and_read(const tensors *t)
{
    size_t count = tensors_count(t), texts = tensors_text_count(t);
    tensor *list = malloc((count + 1) * sizeof *list);
    tensor_text *text = malloc((texts + 1) * sizeof *text);
    for (size_t i = 0; i < count; i++)
        list[i] = *tensors_at(t, i);
    for (size_t i = 0; i < texts; i++)
        text[i] = tensors_text_at(t, i);
    int ends[2];
    char in[32], out[32];
    if (pipe(ends) != 0)
        exit(1);
    snprintf(out, sizeof out, "/proc/self/fd/%d", ends[1]);
    if (tensors_write(out, false, count, list, texts, text) != MST_OK)
        fail("what was read can be written");
    close(ends[1]);
    snprintf(in, sizeof in, "/proc/self/fd/%d", ends[0]);
    tensors *again = NULL;
    if (tensors_read(&again, in) != MST_OK)
        fail("what was written is read");
    close(ends[0]);
    free(list);
    free(text);
    return again;
}

static void check_tensors(const void *bytes, size_t n)
{
    char path[32];
    int fd = memory_file(bytes, n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    tensors *t = NULL, *parsed = NULL;
    mst_status status = tensors_read(&t, path);
    if (status != MST_OK)
        check_failure(status, path);
    if (tensors_parse(&parsed, path, bytes, n) != status)
        fail("memory is read as a file is");
    if (status == MST_OK) {
        if (!same_tensors(t, parsed))
            fail("memory gives the same tensors");
        /* Written anew, a header may be longer: control characters become escapes. */
        if (6 * n <= MOST_PIPED) {
            tensors *again = write_and_read(t);
            if (!same_tensors(t, again))
                fail("tensors make the round trip");
            tensors_free(again);
        }
    }
    tensors_free(t);
    tensors_free(parsed);
    close(fd);
}

int fuzz_tensors(const uint8_t *data, size_t size)
{
    check_tensors(data, size);
    /* Again with a length before it, so that changes inside the header get past the first check. */
    uint64_t length = size;
    while (length > 0 && data[length - 1] != '}')
        length--;
    char *bytes = malloc(size + sizeof length);
    if (bytes == NULL)
        return 0;
    memcpy(bytes, &length, sizeof length);
    if (size > 0)
        memcpy(bytes + sizeof length, data, size);
    check_tensors(bytes, size + sizeof length);
    free(bytes);
    return 0;
}
