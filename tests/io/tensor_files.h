/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files made by hand, and what the tests of reading and refusing them share. */
#ifndef TESTS_IO_TENSOR_FILES_H
#define TESTS_IO_TENSOR_FILES_H

#include "io/tensors.h"
#include "support/scratch.h"
#include "support/support.h"

enum { LARGEST = 4096 };

typedef struct bytes {
    char b[LARGEST];
    size_t size;
} bytes;

/* Length, header, and as many bytes of data 1, 2, 3, … */
static inline bytes file_of(const char *header, size_t data)
{
    bytes f = {.size = 8 + strlen(header) + data};
    ck_assert_uint_le(f.size, sizeof f.b);
    f.b[0] = (char)(strlen(header) & 255);
    f.b[1] = (char)(strlen(header) >> 8);
    memcpy(f.b + 8, header, strlen(header));
    for (size_t i = 0; i < data; i++)
        f.b[8 + strlen(header) + i] = (char)(i + 1);
    return f;
}

/* From a copy of the exact size, so that a sanitizer sees every step beyond the end. */
static inline mst_status parse(tensors **out, const void *b, size_t size)
{
    char *exact = malloc(size > 0 ? size : 1);
    memcpy(exact, b, size);
    mst_status status = tensors_parse(out, "m.safetensors", exact, size);
    free(exact);
    return status;
}

static inline void refused(const char *header, size_t data, const char *detail)
{
    tensors *t = NULL;
    bytes f = file_of(header, data);
    ASSERT_FAILS(MST_FORMAT, parse(&t, f.b, f.size));
    ck_assert_ptr_null(t);
    ck_assert_detail("m.safetensors: ");
    ck_assert_detail(detail);
}

static inline tensors *accepted(const char *header, size_t data)
{
    tensors *t = NULL;
    bytes f = file_of(header, data);
    ASSERT_OK(parse(&t, f.b, f.size));
    return t;
}

#define ENTRY(dtype, shape, offsets) \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const float f32[6] = {1.5f, -0.0f, INFINITY, NAN, 5e-45f, 6};
static const uint64_t u64[6] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 42, 7};

static const tensor_text sample_texts[] = {
    {"format", "1"},
    {"says", "\"hello\",\n\tback\\slash \b\f\r\x1f\x7f"},
    {"ünï", "日本 😀 \xf4\x8f\xbf\xbf"},
    {"empty", ""},
    {"", "empty key"},
};

static inline int run_tensor_tests(const char *name, size_t count, const TTest *const *const *tests)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(c, *tests[i]);
    return run_case(name, c);
}

#endif
