/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files that are good, and what is in the way of reading and writing them. */
#include "tensor_files.h"

#include <signal.h>
#include <sys/resource.h>

/* ---- What a file may hold ---- */

static const double f64[6] = {-1e308, 5e-324, -INFINITY, NAN, 0.1, -0.0};

/* Every rank, odd sizes of floats before doubles, empty tensors. */
static const tensor samples[] = {
    {"rank 0", TENSOR_F64, 0, {0}, f64},
    {"layers.0.weight", TENSOR_F32, 2, {3, 1}, f32},
    {"unaligned", TENSOR_F64, 1, {6}, f64},
    {"empty", TENSOR_F32, 3, {2, 0, 5}, NULL},
    {"\"quoted\" \\ \n\x7f é 😀", TENSOR_U64, 3, {1, 3, 2}, u64},
    {"", TENSOR_F32, 4, {1, 1, 5, 1}, f32},
    {"nothing at the end", TENSOR_U64, 1, {0}, NULL},
};
enum { SAMPLES = sizeof samples / sizeof *samples };
static const size_t sample_bytes[SAMPLES] = {8, 12, 48, 0, 48, 20, 0};

enum { TEXTS = sizeof sample_texts / sizeof *sample_texts };

static void check_samples(const tensors *t)
{
    ck_assert_uint_eq(tensors_count(t), SAMPLES);
    for (size_t i = 0; i < SAMPLES; i++) {
        const tensor *x = tensors_at(t, i), *want = &samples[i];
        ck_assert_str_eq(x->name, want->name);
        ck_assert_ptr_eq(tensors_find(t, want->name), x);
        ck_assert_int_eq(x->type, want->type);
        ck_assert_uint_eq(x->rank, want->rank);
        for (size_t k = 0; k < x->rank; k++)
            ck_assert_uint_eq(x->shape[k], want->shape[k]);
        ck_assert_ptr_nonnull(x->data);
        ck_assert_uint_eq((uintptr_t)x->data % 64, 0);
        if (sample_bytes[i] > 0)
            ck_assert_mem_eq(x->data, want->data, sample_bytes[i]);
    }
    ck_assert_uint_eq(tensors_text_count(t), TEXTS);
    for (size_t i = 0; i < TEXTS; i++) {
        ck_assert_str_eq(tensors_text_at(t, i).key, sample_texts[i].key);
        ck_assert_str_eq(tensors_text_at(t, i).value, sample_texts[i].value);
        ck_assert_str_eq(tensors_text(t, sample_texts[i].key), sample_texts[i].value);
    }
    ck_assert_ptr_null(tensors_find(t, "layers.0"));
    ck_assert_ptr_null(tensors_text(t, "nothing"));
}

START_TEST(test_round_trip)
{
    tensors *t;
    const char *path = scratch("a.safetensors");
    ASSERT_OK(tensors_write(path, false, SAMPLES, samples, TEXTS, sample_texts));
    ASSERT_OK(tensors_read(&t, path));
    check_samples(t);
    tensors_free(t);
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

START_TEST(test_bytes_of_a_file)
{
    static const char expected[] =
        "\x88\0\0\0\0\0\0\0{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"F32\","
        "\"shape\":[],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"U64\",\"shape\":[1,1],"
        "\"data_offsets\":[4,12]}}  \0\0\xc0\x3f\x2a\0\0\0\0\0\0\0";
    const tensor list[] = {{"a", TENSOR_F32, 0, {0}, f32}, {"b", TENSOR_U64, 2, {1, 1}, u64 + 4}};
    size_t n;
    ASSERT_OK(tensors_write(scratch("a"), false, 2, list, 1, (const tensor_text[]){{"k", "v"}}));
    char *got = scratch_read(scratch("a"), &n);
    ck_assert_str_eq(got + 8, expected + 8);
    ck_assert_uint_eq(n, sizeof expected - 1);
    ck_assert_mem_eq(got, expected, n);
    free(got);
    char *packed;
    ASSERT_OK(tensors_pack(&packed, &n, 2, list, 1, (const tensor_text[]){{"k", "v"}}));
    ck_assert_uint_eq(n, sizeof expected - 1);
    ck_assert_mem_eq(packed, expected, n);
    mst_release(packed);
}
END_TEST

START_TEST(test_no_tensors)
{
    tensors *t;
    ASSERT_OK(tensors_write(scratch("a"), false, 0, NULL, 0, NULL));
    ASSERT_OK(tensors_read(&t, scratch("a")));
    ck_assert_uint_eq(tensors_count(t), 0);
    ck_assert_uint_eq(tensors_text_count(t), 0);
    ck_assert_ptr_null(tensors_find(t, ""));
    tensors_free(t);
    tensors_free(NULL);
}
END_TEST

START_TEST(test_size)
{
    static const size_t sizes[SAMPLES] = {1, 3, 6, 0, 6, 5, 0};
    for (size_t i = 0; i < SAMPLES; i++)
        ck_assert_uint_eq(tensor_size(&samples[i]), sizes[i]);
}
END_TEST

/* More than the buffers of input and output hold. */
START_TEST(test_large)
{
    enum { N = 200000 };
    double *x = doubles(N);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)i / 3;
    const tensor list[] = {{"x", TENSOR_F64, 2, {N / 10, 10}, x}, {"y", TENSOR_F64, 1, {N}, x}};
    tensors *t;
    ASSERT_OK(tensors_write(scratch("a"), false, 2, list, 0, NULL));
    ASSERT_OK(tensors_read(&t, scratch("a")));
    ck_assert_mem_eq(tensors_find(t, "x")->data, x, N * sizeof *x);
    ck_assert_mem_eq(tensors_find(t, "y")->data, x, N * sizeof *x);
    tensors_free(t);
    free(x);
}
END_TEST

/* Through standard output and input, where no size is known. */
START_TEST(test_pipe)
{
    int ends[2], out = dup(STDOUT_FILENO);
    tensors *t;
    ck_assert_int_eq(pipe(ends), 0);
    dup2(ends[1], STDOUT_FILENO);
    mst_status status = tensors_write("-", false, SAMPLES, samples, TEXTS, sample_texts);
    dup2(out, STDOUT_FILENO);
    close(out);
    close(ends[1]);
    ASSERT_OK(status);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    ASSERT_OK(tensors_read(&t, "-"));
    check_samples(t);
    tensors_free(t);
}
END_TEST

static void refused_from_pipe(const bytes *f, size_t size, const char *detail)
{
    int ends[2];
    tensors *t;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], f->b, size), (ssize_t)size);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    ASSERT_FAILS(MST_FORMAT, tensors_read(&t, "-"));
    ck_assert_detail("standard input: ");
    ck_assert_detail(detail);
}

START_TEST(test_pipe_with_something_else)
{
    bytes f = file_of("{\"a\":" ENTRY("F64", "[2]", "[0,16]") "}", 17);
    refused_from_pipe(&f, 0, "it is empty");
    refused_from_pipe(&f, 3, "only 3 bytes");
    refused_from_pipe(&f, 20, "ends early: 55 bytes of header announced, 12 there");
    refused_from_pipe(&f, f.size - 2, "ends early: 16 bytes of data announced, 15 there");
    refused_from_pipe(&f, f.size, "goes on after the 16 bytes");
    /* The announced data do not exist, and no memory is taken for them. */
    f = file_of("{\"a\":" ENTRY("F64", "[576460752303423488]", "[0,4611686018427387904]") "}", 9);
    refused_from_pipe(&f, f.size, "4611686018427387904 bytes of data announced, 9 there");
    memcpy(f.b, "ABCDEFGH", 8);
    refused_from_pipe(&f, f.size,
                      "the header would be 5208208757389214273 bytes, at most 100000000");
}
END_TEST

/* ---- Foreign headers ---- */

START_TEST(test_other_orders_and_spaces)
{
    tensors *t =
        accepted("{ \"b\" :\n{\"data_offsets\":[ 4 , 8],\t\"shape\":[ ],\"dtype\":\"F32\"}\r"
                 ",\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"__metadata__\":{ } }  \n ",
                 8);
    ck_assert_str_eq(tensors_at(t, 0)->name, "b");
    ck_assert_mem_eq(tensors_find(t, "a")->data, "\1\2\3\4", 4);
    ck_assert_mem_eq(tensors_find(t, "b")->data, "\5\6\7\10", 4);
    tensors_free(t);
}
END_TEST

START_TEST(test_empty_tensors_between_others)
{
    tensors *t = accepted("{\"a\":" ENTRY("F32", "[1]", "[0,4]") ",\"c\":" ENTRY(
                              "F32", "[1]", "[4,8]") ",\"b\":" ENTRY("F64", "[0]", "[4,4]") "}",
                          8);
    ck_assert_mem_eq(tensors_find(t, "c")->data, "\5\6\7\10", 4);
    ck_assert_uint_eq(tensor_size(tensors_find(t, "b")), 0);
    tensors_free(t);
    refused("{\"a\":" ENTRY("F32", "[2]", "[0,8]") ",\"b\":" ENTRY("F64", "[0]", "[4,4]") "}", 8,
            "tensor \"b\": its data begin at byte 4, those before it end at byte 8");
    refused("{\"b\":" ENTRY("F64", "[0]", "[4,4]") "}", 4, "no overlaps and no gaps");
}
END_TEST

START_TEST(test_escapes)
{
    tensors *t = accepted("{\"__metadata__\":{\"\\u00e9\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041"
                          "\\u20aC\\ud83d\\uDE00\"}}",
                          0);
    ck_assert_str_eq(tensors_text(t, "é"), "\"\\/\b\f\n\r\tA€😀");
    tensors_free(t);
    static const char *const wrong[] = {
        "\\x",     "\\u12",      "\\u12g4",   "\\u0000",        "\\udc00",
        "\\ud83d", "\\ud83d\\n", "\\ud83dxx", "\\ud83d\\u00e9", "\\ud83d\\ue000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char header[100];
        snprintf(header, sizeof header, "{\"__metadata__\":{\"a\":\"%s\"}}", wrong[i]);
        refused(header, 0, "an invalid escape");
    }
    refused("{\"__metadata__\":{\"a\":\"\\", 0, "an invalid escape");
}
END_TEST

START_TEST(test_utf8)
{
    static const char *const wrong[] = {"\x80",         "\xc1\xbf",         "\xc3",
                                        "\xc3(",        "\xe0\x9f\xbf",     "\xed\xa0\x80",
                                        "\xe2\x82",     "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                                        "\xf0\x9f\x98", "\xf5\x80\x80\x80", "\xff"};
    static const char *const right[] = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
                                        "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xef\xbf\xbf",
                                        "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    char header[100];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(header, sizeof header, "{\"__metadata__\":{\"a\":\"%s\"}}", wrong[i]);
        refused(header, 0, "not UTF-8");
    }
    refused("{\"\xc3", 0, "not UTF-8"); /* and the header ends there */
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        snprintf(header, sizeof header, "{\"__metadata__\":{\"a\":\"%s\"}}", right[i]);
        tensors *t = accepted(header, 0);
        ck_assert_str_eq(tensors_text(t, "a"), right[i]);
        tensors_free(t);
    }
}
END_TEST

/* ---- Files that cannot be read or written ---- */

START_TEST(test_paths)
{
    tensors *t;
    ASSERT_FAILS(MST_IO, tensors_read(&t, scratch("none")));
    ck_assert_detail("none: No such file");
    ASSERT_FAILS(MST_IO, tensors_read(&t, scratch_directory));
    ck_assert_detail("is a directory");
    ASSERT_FAILS(MST_FORMAT, tensors_read(&t, scratch_text("empty", "")));
    ck_assert_detail("empty: not a safetensors file (it is empty)");
    ASSERT_FAILS(MST_FORMAT, tensors_read(&t, scratch_text("a.csv", "x,y,z\n1,2,3\n4,5,6\n")));
    ck_assert_detail("a.csv: not a safetensors file (the header would be");
    ASSERT_FAILS(MST_FORMAT, tensors_read(&t, "/dev/null"));
    ASSERT_FAILS(MST_IO, tensors_write(scratch("none/a"), false, 0, NULL, 0, NULL));
    ck_assert_detail("its directory does not exist");
}
END_TEST

START_TEST(test_replace)
{
    const char *path = scratch_text("a", "old");
    ASSERT_FAILS(MST_IO, tensors_write(path, false, SAMPLES, samples, 0, NULL));
    ck_assert_detail("a exists");
    char *text = scratch_read(path, NULL);
    ck_assert_str_eq(text, "old");
    free(text);
    tensors *t;
    ASSERT_OK(tensors_write(path, true, SAMPLES, samples, TEXTS, sample_texts));
    ASSERT_OK(tensors_read(&t, path));
    check_samples(t);
    tensors_free(t);
    ck_assert_uint_eq(scratch_count(), 1);
}
END_TEST

/* The disk is full in the middle of the data: the old file stays and nothing else does. */
START_TEST(test_failure_while_writing)
{
    enum { N = 100000 };
    double *x = doubles(N);
    memset(x, 0, N * sizeof *x);
    const tensor list = {"x", TENSOR_F64, 1, {N}, x};
    const char *path = scratch_text("a", "old");
    struct rlimit limit = {N, N};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ASSERT_FAILS(MST_IO, tensors_write(path, true, 1, &list, 0, NULL));
    ck_assert_detail("cannot write");
    ASSERT_FAILS(MST_IO, tensors_write(scratch("new"), false, 1, &list, 0, NULL));
    ck_assert_uint_eq(scratch_count(), 1);
    char *text = scratch_read(path, NULL);
    ck_assert_str_eq(text, "old");
    free(text);
    free(x);
}
END_TEST

static void not_written(const tensor *list, size_t count, const char *detail)
{
    ASSERT_FAILS(MST_ARGUMENT, tensors_write(scratch("a"), true, count, list, 0, NULL));
    ck_assert_detail(detail);
    ck_assert_uint_eq(scratch_count(), 0);
}

START_TEST(test_arguments)
{
    const tensor twice[] = {{"x", TENSOR_F32, 0, {0}, f32},
                            {"y", TENSOR_F32, 0, {0}, f32},
                            {"x", TENSOR_F64, 0, {0}, f64}};
    not_written(twice, 3, "tensor \"x\" cannot be written: its name is there twice");
    not_written(&(tensor){"__metadata__", TENSOR_F32, 0, {0}, f32}, 1, "reserves this name");
    not_written(&(tensor){"x", TENSOR_F32, 5, {0}, f32}, 1, "rank or type");
    not_written(&(tensor){"x", (tensor_type)3, 0, {0}, f32}, 1, "rank or type");
    not_written(&(tensor){"x", TENSOR_F32, 2, {SIZE_MAX, 2}, f32}, 1, "too large");
    not_written(&(tensor){"x\xff", TENSOR_F32, 0, {0}, f32}, 1, "not UTF-8");
    const size_t half = (size_t)1 << 61;
    const tensor sum[] = {{"x", TENSOR_F32, 1, {half - 1}, f32},
                          {"y", TENSOR_F32, 1, {half - 1}, f32},
                          {"z", TENSOR_F32, 1, {half - 1}, f32}};
    not_written(sum, 3, "tensor \"z\" cannot be written: its shape is too large");
    const tensor_text keys[] = {{"k", "1"}, {"k", "2"}};
    ASSERT_FAILS(MST_ARGUMENT, tensors_write(scratch("a"), true, 0, NULL, 2, keys));
    ck_assert_detail("metadata \"k\" cannot be written: its name is there twice");
}
END_TEST

START_TEST(test_header_over_the_limit)
{
    enum { N = 100000000 };
    char *value = malloc(N);
    memset(value, 'x', N - 1);
    value[N - 1] = '\0';
    const tensor_text text = {"k", value};
    ASSERT_FAILS(MST_ARGUMENT, tensors_write(scratch("a"), false, 0, NULL, 1, &text));
    ck_assert_detail("take 100000024 bytes; at most 100000000 are allowed");
    ck_assert_uint_eq(scratch_count(), 0);
    free(value);
}
END_TEST

/* A path may be any bytes; a model that took hours must not be lost because of one. */
START_TEST(test_values_are_mended)
{
    tensors *t;
    const tensor_text text = {"path", "caf\xe9.csv"};
    ASSERT_OK(tensors_write(scratch("a"), false, 0, NULL, 1, &text));
    ASSERT_OK(tensors_read(&t, scratch("a")));
    ck_assert_str_eq(tensors_text(t, "path"), "caf\xef\xbf\xbd.csv");
    tensors_free(t);
}
END_TEST

/* A header of millions of bytes takes no time that grows with its square. */
START_TEST(test_many_names)
{
    enum { N = 100000 };
    static char names[N][12];
    static tensor list[N];
    tensors *t;
    for (size_t i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "t%zu", (i * 7919) % N);
        list[i] = (tensor){names[i], TENSOR_U64, 0, {0}, &u64[i % 6]};
    }
    ASSERT_OK(tensors_write(scratch("a"), false, N, list, 0, NULL));
    ASSERT_OK(tensors_read(&t, scratch("a")));
    ck_assert_uint_eq(tensors_count(t), N);
    for (size_t i = 0; i < N; i++)
        ck_assert_mem_eq(tensors_at(t, i)->data, &u64[i % 6], 8);
    tensors_free(t);
}
END_TEST

int main(void)
{
    static const TTest *const *const tests[] = {&test_round_trip,
                                                &test_bytes_of_a_file,
                                                &test_no_tensors,
                                                &test_size,
                                                &test_large,
                                                &test_pipe,
                                                &test_pipe_with_something_else,
                                                &test_other_orders_and_spaces,
                                                &test_empty_tensors_between_others,
                                                &test_escapes,
                                                &test_utf8,
                                                &test_paths,
                                                &test_replace,
                                                &test_failure_while_writing,
                                                &test_arguments,
                                                &test_values_are_mended,
                                                &test_header_over_the_limit,
                                                &test_many_names};
    return run_tensor_tests("tensors", sizeof tests / sizeof *tests, tests);
}
