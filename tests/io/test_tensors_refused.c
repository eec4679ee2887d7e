/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* safetensors files that are refused: every rule of the header, cut and damaged files. */
#include "tensor_files.h"

START_TEST(test_spans)
{
#define TWO(x, y) "{\"a\":" ENTRY("F32", "[1]", x) ",\"b\":" ENTRY("F32", "[1]", y) "}"
    refused(TWO("[0,4]", "[0,4]"), 8, "tensor \"b\": its data begin at byte 0, those before");
    refused(TWO("[0,4]", "[3,7]"), 8, "tensor \"b\": its data begin at byte 3");
    refused(TWO("[5,9]", "[0,4]"), 9, "tensor \"a\": its data begin at byte 5");
    refused(TWO("[1,5]", "[5,9]"), 9, "tensor \"a\": its data begin at byte 1");
    refused(TWO("[4,8]", "[0,4]"), 7, "ends early: 8 bytes of data announced, 7 there");
    refused(TWO("[4,8]", "[0,4]"), 9, "goes on after the 8 bytes");
    refused(TWO("[0,5]", "[5,9]"), 9, "tensor \"a\": its shape needs 4 bytes");
    refused(TWO("[4,0]", "[0,4]"), 8, "its data_offsets are 4 to 0");
    refused(TWO("[18446744073709551612,0]", "[0,4]"), 8, "its data_offsets are 1844");
    tensors_free(accepted(TWO("[4,8]", "[0,4]"), 8));
#undef TWO
}
END_TEST

START_TEST(test_numbers)
{
    static const char *const wrong[] = {"[-4,0]",
                                        "[0,4.0]",
                                        "[0,4e0]",
                                        "[0.0,4]",
                                        "[00,4]",
                                        "[0,04]",
                                        "[0,+4]",
                                        "[0,]",
                                        "[,4]",
                                        "[null,4]",
                                        "[0,4",
                                        "[\"0\",4]",
                                        "[[0],[4]]",
                                        "[0 4]",
                                        "{\"0\":4}",
                                        "0",
                                        "[",
                                        "[0,18446744073709551620]",
                                        "[0,184467440737095516150]",
                                        "[0]",
                                        "[]",
                                        "[0,4,8]",
                                        "[0x0,4]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char header[200];
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":%s}}", wrong[i]);
        refused(header, 4, "");
    }
    refused("{\"a\":" ENTRY("F32", "[0]", "[0]") "}", 0, "data_offsets are two numbers");
    refused("{\"a\":" ENTRY("F32", "[1]", "[0,4.5]") "}", 4, "a comma or ] expected");
    refused("{\"a\":" ENTRY("F32", "[-1]", "[0,4]") "}", 4, "header, byte 30: a whole number from");
}
END_TEST

START_TEST(test_shapes)
{
    tensors_free(accepted("{\"a\":" ENTRY("F32", "[1,1,1,1]", "[0,4]") "}", 4));
    refused("{\"a\":" ENTRY("F32", "[1,1,1,1,1]", "[0,4]") "}", 4,
            "tensor \"a\": its shape has more than 4 numbers");
    static const char *const large[] = {"[18446744073709551615]",    "[4294967296,4294967296]",
                                        "[0,4294967296,4294967296]", "[4611686018427387905]",
                                        "[4294967296,4294967296,0]", "[2305843009213693952]"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char header[200];
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[0,0]}}", large[i]);
        refused(header, 0, "tensor \"a\": its shape is too large");
    }
}
END_TEST

START_TEST(test_types)
{
    refused("{\"w\":" ENTRY("BF16", "[2]", "[0,4]") "}", 4,
            "tensor \"w\": its type is \"BF16\"; save it as F32, F64 or U64");
    refused("{\"w\":" ENTRY("f32", "[1]", "[0,4]") "}", 4, "its type is \"f32\"");
    refused("{\"w\\n\":" ENTRY("", "[1]", "[0,4]") "}", 4, "tensor \"w\\x0a\": its type is \"\"");
    refused("{\"w\":{\"dtype\":1}}", 4, "a string in quotes expected");
}
END_TEST

START_TEST(test_properties)
{
    refused("{\"a\":{}}", 0, "does not give its dtype, shape and data_offsets");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, "does not give");
    refused("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "does not give");
    refused("{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4, "does not give");
    refused("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "each once");
    refused("{\"a\":{\"dtype\":\"F32\",\"x\":1}}", 0, "each once");
    refused("{\"a\":{\"shape\":[],\"shape\":[]}}", 0, "each once");
    refused("{\"a\":1}", 0, "an object that describes a tensor expected");
    refused("{\"a\":null}", 0, "an object that describes a tensor expected");
}
END_TEST

START_TEST(test_names_twice)
{
#define EMPTY ENTRY("F32", "[0]", "[0,0]")
    refused("{\"a\":" EMPTY ",\"b\":" EMPTY ",\"\\u0061\":" EMPTY "}", 0,
            "tensor \"a\" is there twice");
    refused("{\"__metadata__\":{\"k\":\"1\",\"j\":\"\",\"k\":\"2\"}}", 0,
            "metadata \"k\" is there twice");
    refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "for the second time");
    /* A tensor and a metadata key may have the same name. */
    tensors_free(accepted("{\"__metadata__\":{\"a\":\"1\"},\"a\":" EMPTY "}", 0));
}
END_TEST

START_TEST(test_metadata)
{
    refused("{\"__metadata__\":{\"a\":1}}", 0, "a string in quotes expected");
    refused("{\"__metadata__\":{\"a\":{\"b\":\"c\"}}}", 0, "a string in quotes expected");
    refused("{\"__metadata__\":null}", 0, "an object of strings expected");
    refused("{\"__metadata__\":{\"a\":\"b\n\"}}", 0, "a control character");
}
END_TEST

START_TEST(test_json)
{
    refused("", 0, "byte 1: { expected");
    refused("", 5, "does not begin with {");
    refused(" {}", 0, "does not begin with {");
    refused("[]", 0, "does not begin with {");
    refused("{", 0, "a string in quotes expected");
    refused("{}x", 0, "header, byte 3: text after the last }");
    refused("{}{}", 0, "text after the last }");
    refused("{\"a\":" EMPTY ",}", 0, "a string in quotes expected");
    refused("{\"a\":" EMPTY "\"b\":" EMPTY "}", 0, "a comma or } expected");
    refused("{\"a\":" EMPTY, 0, "a comma or } expected");
    refused("{\"a\"" EMPTY "}", 0, "a colon expected");
    refused("{'a':" EMPTY "}", 0, "a string in quotes expected");
    refused("{\"a", 0, "an unterminated string");
    refused("{\"a\":" EMPTY ",//\n\"b\":" EMPTY "}", 0, "a string in quotes expected");
    char deep[3000] = "{\"a\":";
    memset(deep + 5, '[', sizeof deep - 6);
    refused(deep, 0, "an object that describes a tensor expected");
    for (size_t i = 5; i + 5 < sizeof deep; i += 5)
        memcpy(deep + i, "{\"a\":", 5);
    refused(deep, 0, "each once");
}
END_TEST

START_TEST(test_lengths)
{
    tensors *t;
    bytes f = file_of("{\"a\":" ENTRY("F32", "[1]", "[0,4]") "}", 4);
    static const struct {
        unsigned char length[8];
        const char *detail;
    } cases[] = {
        {{255, 255, 255, 255, 255, 255, 255, 255}, "would be 18446744073709551615 bytes, the file"},
        {{248, 255, 255, 255, 255, 255, 255, 255}, "would be 18446744073709551608 bytes, the file"},
        {{0, 0, 0, 0, 0, 0, 0, 128}, "would be 9223372036854775808 bytes, the file has 66"},
        {{'A', 'C', 'O', 'N'}, "would be 1313817409 bytes, the file has 66"},
        {{0, 0xe1, 0xf5, 5}, "ends early: 100000000 bytes of header announced, 58 there"},
        {{1, 0xe1, 0xf5, 5}, "would be 100000001 bytes, the file has 66"},
        {{59}, "ends early: 59 bytes of header announced, 58 there"},
        {{58}, "text after the last }"},
        {{53}, "a comma or } expected"},
        {{0}, "byte 1: { expected"},
        {{1}, "a string in quotes expected"},
    };
    ck_assert_uint_eq(f.size, 66);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(f.b, cases[i].length, 8);
        ASSERT_FAILS(MST_FORMAT, parse(&t, f.b, f.size));
        ck_assert_detail(cases[i].detail);
    }
    /* A header over the limit in a file that could hold it; the file has a hole, not the bytes. */
    memcpy(f.b, "\1\xe1\xf5\5\0\0\0\0", 8);
    const char *path = scratch_bytes("a", f.b, f.size);
    ck_assert_int_eq(truncate(path, 200000000), 0);
    ASSERT_FAILS(MST_FORMAT, tensors_read(&t, path));
    ck_assert_detail("would be 100000001 bytes, at most 100000000 are allowed");
}
END_TEST

static bytes small_file(void)
{
    bytes f;
    size_t n;
    const tensor list[] = {{"w", TENSOR_F32, 2, {1, 3}, f32}, {"b", TENSOR_U64, 1, {2}, u64}};
    ASSERT_OK(tensors_write(scratch("small"), true, 2, list, 2, sample_texts));
    char *text = scratch_read(scratch("small"), &n);
    ck_assert_uint_le(n, sizeof f.b);
    memcpy(f.b, text, n);
    f.size = n;
    free(text);
    return f;
}

START_TEST(test_truncations)
{
    tensors *t;
    bytes f = small_file();
    for (size_t n = 0; n < f.size; n++) {
        ASSERT_FAILS(MST_FORMAT, parse(&t, f.b, n));
        ck_assert_detail("m.safetensors: ");
        ck_assert_detail(n < 8 ? "not a safetensors file" : "ends early");
        ASSERT_FAILS(MST_FORMAT, tensors_read(&t, scratch_bytes("cut", f.b, n)));
        ck_assert_detail("cut: ");
    }
    ASSERT_OK(parse(&t, f.b, f.size));
    tensors_free(t);
}
END_TEST

/* Everything that is read can be looked at, whatever was changed. */
START_TEST(test_corruptions)
{
    bytes f = small_file();
    size_t read = 0, refusals = 0;
    for (size_t at = 0; at < f.size; at++)
        for (int value = 0; value < 256; value++) {
            tensors *t;
            char kept = f.b[at];
            f.b[at] = (char)value;
            mst_status status = parse(&t, f.b, f.size);
            f.b[at] = kept;
            if (status != MST_OK) {
                ck_assert_int_eq(status, MST_FORMAT);
                assert_one_line("corruption");
                refusals++;
                continue;
            }
            size_t sum = 0;
            for (size_t i = 0; i < tensors_count(t); i++) {
                const tensor *x = tensors_at(t, i);
                size_t item = x->type == TENSOR_F32 ? 4 : 8;
                for (size_t k = 0; k < item * tensor_size(x); k++)
                    sum += ((const unsigned char *)x->data)[k];
            }
            ck_assert_uint_gt(sum, 0);
            read++;
            tensors_free(t);
        }
    /* The data may be anything (28 bytes), and so may letters of names and texts. */
    ck_assert_uint_gt(read, 256 * 28);
    ck_assert_uint_gt(refusals, 256 * 100);
}
END_TEST

int main(void)
{
    static const TTest *const *const tests[] = {
        &test_spans,      &test_numbers,     &test_shapes,     &test_types,
        &test_properties, &test_names_twice, &test_metadata,   &test_json,
        &test_lengths,    &test_truncations, &test_corruptions};
    return run_tensor_tests("tensors_refused", sizeof tests / sizeof *tests, tests);
}
