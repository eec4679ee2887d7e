/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The fuzz targets on seeded mutations of small inputs: a few seconds, the same every time. Build it with the
 * sanitizers to look for more than crashes. */
#include "../../fuzz/formulas.c"
#include "../../fuzz/learned.c"
#include "../../fuzz/network.c"
#include "../../fuzz/number_text.c"
#include "../../fuzz/readers.c"
#include "../../fuzz/saved.c"
#include "../../fuzz/signals.c"
#include "../../fuzz/specs.c"

#include "support/scratch.h"

enum { LONGEST = 2000 };

typedef struct input {
    const char *bytes;
    size_t size;
} input;

#define INPUT(text)           \
    {                         \
        text, sizeof text - 1 \
    }

static const input numbers[] = {
    INPUT("0"),
    INPUT("-1.5e-7"),
    INPUT("1.7976931348623157e308"),
    INPUT("nan"),
    INPUT("infinity"),
    INPUT("5e-324"),
    INPUT("9007199254740993"),
    INPUT(".5"),
    INPUT("0.1"),
    INPUT("2.4703282292062327208e-324"),
    INPUT("123456789012345678901234567890.123456789e-10"),
};

static const input texts[] = {
    INPUT("x,y,z\n1,2,3\n4.5,-6e7,nan\n"),
    INPUT("# c\n1 2\n\n3 4\n"),
    INPUT("1;2\r\n3;4\r\n"),
    INPUT("\"a, b\",\"c\"\"d\"\n1,2,\n"),
    INPUT("1\t2\n3\t4"),
    INPUT("\xef\xbb\xbf"
          "1\n2\n3\n"),
};

/* After the magic: version, length of the header, header, numbers. */
static const input arrays[] = {
    INPUT("\1\0\x3a\0{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}\n"
          "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40"),
    INPUT("\1\0\x39\0{'descr': '>i2', 'fortran_order': True, 'shape': (3, 2)}\n"
          "\0\1\0\2\0\3\0\4\0\5\0\6"),
    INPUT("\2\0\x3c\0\0\0{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 1)}\n"
          "\1\2\3\4"),
    INPUT("\3\0\x37\0\0\0{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}\n"
          "\0\0\x80\x3f"),
};

/* Whole files. */
static const input signal_files[] = {
    INPUT("\x93NUMPY\1\0\x3b\0{'descr': '<i2', 'fortran_order': False, 'shape': (2,2,3)}\n"
          "\1\0\2\0\3\0\4\0\6\0\5\0\7\0\0\0\x9\0\1\0\2\0\1\0"),
    INPUT("\x93NUMPY\1\0\x39\0{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}\n"
          "0123456789abcdefghijklmn"),
    INPUT("Fz,Cz\n1,2\n3,4.5\n-1e-6,nan\n7,8\n"),
};

/* After LM=. */
static const input landmarks[] = {
    INPUT("2\n1 2\n-3 4.5\nIMAGE=a.jpg\nID=first\nSCALE=\nLM=2\n5 6\n7 8\nID=b\n"),
    INPUT("1\r\n1 2 3\r\nSCALE=0.5\r\nLM3=1\r\n1 2 3\r\nSCALE=2\r\n"),
    INPUT("1\n1 2\nCURVES=2\nPOINTS=2\n3 4\nNA NA\nPOINTS=1\n7 8\nID=c\n"),
    INPUT("0\nOUTLINES=1\nPOINTS=2\n3 4\n5 6\nCOMMENT=x\n"),
};

static const input formula_files[] = {
    INPUT("name = t\ncoordinates u v\nperiod u 2*pi\nparameter R = 1\nlet q = R + cos(v)/2\n"
          "embedding = q*cos(u), q*sin(u), sum(i, 1, 3, sin(v)^i)\ndomain -1 < u < 1\n"
          "compact = yes\nstart = 0, 0\n"),
    INPUT("coordinates x[3]\nconstraint = sum(i, 1, 3, x[i]^2) - 1 # sphere\nstart = 1, 0, 0\n"
          "injectivity = pi\nhadamard = no"),
    INPUT("coordinates x y z w\nconstraint = x^2 + y^2 - 1, z^2 + w^2 - 1\nstart = 1, 0, 1, 0"),
    INPUT("coordinates a b\nlet c = polygamma(1, a + b)\n"
          "metric = polygamma(1, a) - c; -c, polygamma(1, b) - c\ndomain a > 0\nstart = 1, 1"),
    INPUT("coordinates x y\ncometric = diag(y^2, y^1.5 + abs(x))\ndomain y > 0\nstart = 0.5, 1"),
    INPUT(
        "coordinates x y\nmetric = max(1, x) + exp(-y)*atan2(y, 1 + x^2) + prod(i, 1, 3, 2 + x^i)\n"
        "start = 0.1, 0.2"),
};

static const input objects[] = {
    INPUT("{\"command\":\"kmeans\",\"k\":2,\"centres\":[[0.1,-2e5],[null,true]],\"a\":{}}\n"),
    INPUT("[\"\\u00e9\\ud83d\\ude00\\n\", [[[]]], {\"a\": {\"a\": 1}}]"),
};

/* Header and data; the target puts the length before them. */
static const input tensor_files[] = {
    INPUT("{\"w\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
          "\"b\":{\"dtype\":\"U64\",\"shape\":[],\"data_offsets\":[8,16]}}0123456789abcdef"),
    INPUT("{\"__metadata__\":{\"a\":\"\\u00e9\\ud83d\\ude00\\n\",\"é\":\"\"},"
          "\"x\":{\"dtype\":\"F64\",\"shape\":[0,3],\"data_offsets\":[0,0]}}"),
    INPUT(
        "\x38\0\0\0\0\0\0\0{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  0123"),
};

/* Three latent points on a line, two numbers at each: all that is zero here makes coincident points, which
 * the noise explains. */
#define DOUBLES "abcdefg?hijklmn?opqrstu?vwxyzab?cdefghi?jklmnop?qrstuvw?xyzabcd?efghijk?"
static const input learned_files[] = {
    INPUT("{\"__metadata__\":{\"format\":\"manistat gp "
          "1\",\"variance\":\"1\",\"length_scale\":\"0.5\","
          "\"noise\":\"0.1\",\"centre\":\"1\",\"height\":\"1\",\"width\":\"2\"},"
          "\"latent\":{\"dtype\":\"F64\",\"shape\":[3,1],\"data_offsets\":[0,24]},"
          "\"data\":{\"dtype\":\"F64\",\"shape\":[3,2],\"data_offsets\":[24,72]}}\n" DOUBLES),
    INPUT("{\"__metadata__\":{\"format\":\"manistat decoder 1\",\"activation\":\"silu\"},"
          "\"mean.0.weight\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[0,16]},"
          "\"mean.0.bias\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,32]},"
          "\"mean.2.weight\":{\"dtype\":\"F64\",\"shape\":[1,2],\"data_offsets\":[32,48]},"
          "\"mean.2.bias\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[48,56]},"
          "\"latent\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[56,72]}}\n" DOUBLES),
};

static const input saved_results[] = {
    INPUT(
        "{\"command\":\"mean\",\"manifold\":\"circle\",\"kind\":\"diffusion\",\"score\":\"exact\","
        "\"n\":3,\""
        "mean\":[0.3],\"time\":0.03,\"time_corrected\":0.04,\"log_likelihood\":1.06,\"variance\":0"
        ".03,\"converged\":true,\"time_standard_error\":0.02,\"time_interval\":[0.01,0.8],\"mean"
        "_covariance\":[[0.01]],\"mean_standard_error\":0.1,\"basis\":[[1]],\"confidence\":0.95,"
        "\"region_kind\":\"score\",\"region_share\":0.2,\"region_time\":0.04,\"region_radius2\":18."
        "5,\"region_volume\":null,\"region_boundary\":[{\"points\":[[0.1],[0.5]]}],\"region_semi_"
        "axes\":null,\"unique\":true,\"mean_set\":[{\"mean\""
        ":[0.3],\"time\":0.03}]}"),
    INPUT(
        "{\"command\":\"sample\",\"manifold\":\"euclidean:2\",\"n\":2,\"time\":0.2,\"start\":[0,0],"
        "\"x_1\":[0,1],\"x_2\":[1,2]}"),
};

static const input specs[] = {
    INPUT("sphere:2\nbridge?paths=4&steps=8&guide=log"),
    INPUT("product(sphere:2,euclidean:1)^2\nexact"),
    INPUT("spd:3?metric=log-euclidean\nexpansion"),
    INPUT("landmarks:3x2?sigma=0.5&eps=1e-3"),
    INPUT("kendall:5x2\nlog"),
};

/* Pieces that mean something to one of the parsers. */
static const input tokens[] = {
    INPUT(","),          INPUT(";"),       INPUT("\t"),    INPUT(" "),          INPUT("\n"),
    INPUT("\r\n"),       INPUT("\""),      INPUT("#"),     INPUT("e"),          INPUT("-"),
    INPUT("."),          INPUT("\0"),      INPUT("9"),     INPUT("1e308"),      INPUT("1e-320"),
    INPUT("nan"),        INPUT("inf"),     INPUT("0x1p3"), INPUT("é"),          INPUT("000000"),
    INPUT("9999999999"), INPUT("(2,)"),    INPUT("()"),    INPUT("True"),       INPUT("'"),
    INPUT("'shape'"),    INPUT("'>f8'"),   INPUT("'|O'"),  INPUT("[('a',"),     INPUT("}"),
    INPUT("["),          INPUT("{\"a\":"), INPUT("]"),     INPUT("\\u"),        INPUT("null"),
    INPUT("[0,4]"),      INPUT("[4,8]"),   INPUT("F64"),   INPUT("\"b\":"),     INPUT("{}"),
    INPUT("LM="),        INPUT("LM3=1\n"), INPUT("NA"),    INPUT("POINTS=2\n"), INPUT("SCALE="),
};

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)(scramble(state) % n);
}

/* Replaces `removed` bytes at `at` by a piece, if the result is not too long. */
static size_t replace(uint8_t *bytes, size_t size, size_t at, size_t removed, const void *piece,
                      size_t length)
{
    if (size - removed + length > LONGEST)
        return size;
    memmove(bytes + at + length, bytes + at + removed, size - at - removed);
    memcpy(bytes + at, piece, length);
    return size - removed + length;
}

static size_t mutate(uint64_t *state, uint8_t *bytes, size_t size)
{
    size_t at = below(state, size + 1), left = size - at;
    const input *token = &tokens[below(state, sizeof tokens / sizeof *tokens)];
    uint8_t copy[LONGEST];
    size_t length = left == 0 ? 0 : below(state, left < 64 ? left : 64);
    memcpy(copy, bytes + at, length);
    switch (below(state, 7)) {
    case 0:
        if (left > 0)
            bytes[at] ^= (uint8_t)(1u << below(state, 8));
        return size;
    case 1:
        if (left > 0)
            bytes[at] = (uint8_t)scramble(state);
        return size;
    case 2:
        return replace(bytes, size, at, length, "", 0);
    case 3:
        return replace(bytes, size, at, 0, token->bytes, token->size);
    case 4:
        return replace(bytes, size, at, token->size < left ? token->size : left, token->bytes,
                       token->size);
    case 5:
        return replace(bytes, size, below(state, size + 1), 0, copy, length);
    default:
        return below(state, 4) == 0 ? at : size;
    }
}

static void run(int target(const uint8_t *, size_t), const input *inputs, size_t count, int runs)
{
    uint64_t state = 2712;
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(target((const uint8_t *)inputs[i].bytes, inputs[i].size), 0);
    ck_assert_int_eq(target(NULL, 0), 0);
    for (int k = 0; k < runs; k++) {
        uint8_t bytes[LONGEST + 64];
        const input *start = &inputs[below(&state, count)];
        size_t size = start->size;
        memcpy(bytes, start->bytes, size);
        for (size_t m = 1 + below(&state, 8); m > 0; m--)
            size = mutate(&state, bytes, size);
        /* A copy of its exact size, so that a sanitizer sees every step beyond the end. */
        uint8_t *exact = malloc(size > 0 ? size : 1);
        memcpy(exact, bytes, size);
        ck_assert_int_eq(target(exact, size), 0);
        free(exact);
    }
}

START_TEST(test_number_text)
{
    run(fuzz_number_text, numbers, sizeof numbers / sizeof *numbers, 500000);
}
END_TEST

START_TEST(test_csv_reader)
{
    run(fuzz_csv_reader, texts, sizeof texts / sizeof *texts, 10000);
}
END_TEST

START_TEST(test_npy_reader)
{
    /* The lengths in the headers above are right. */
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char bytes[200] = "\x93NUMPY";
        memcpy(bytes + 6, arrays[i].bytes, arrays[i].size);
        table t;
        ck_assert_msg(read_bytes(bytes, arrays[i].size + 6, &t), "%zu: %s", i, mst_error_detail());
        free(t.x);
    }
    run(fuzz_npy_reader, arrays, sizeof arrays / sizeof *arrays, 10000);
}
END_TEST

START_TEST(test_tps_reader)
{
    run(fuzz_tps_reader, landmarks, sizeof landmarks / sizeof *landmarks, 10000);
}
END_TEST

/* Found by libFuzzer: next to no noise, and a metric that rounding made negative. */
START_TEST(test_learned)
{
    uint8_t bytes[LONGEST];
    FILE *f = fopen(MST_TEST_DATA "/models/negative_metric.framed", "rb");
    ck_assert_ptr_nonnull(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    ck_assert_uint_gt(size, 0);
    ck_assert_int_eq(fuzz_learned(bytes, size), 0);
    run(fuzz_learned, learned_files, sizeof learned_files / sizeof *learned_files, 6000);
}
END_TEST

START_TEST(test_signals)
{
    for (size_t i = 0; i < sizeof signal_files / sizeof *signal_files; i++) {
        mst_signals *s;
        int fd = memory_file(signal_files[i].bytes, signal_files[i].size);
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        mst_signals_options o = mst_signals_options_default();
        o.drop_missing = true;
        ck_assert_msg(mst_signals_open(&s, path, &o) == MST_OK, "%zu: %s", i, mst_error_detail());
        ck_assert_uint_eq(mst_signals_channels(s), 2);
        mst_signals_free(s);
        close(fd);
    }
    run(fuzz_signals, signal_files, sizeof signal_files / sizeof *signal_files, 8000);
}
END_TEST

START_TEST(test_json_reader)
{
    run(fuzz_json_reader, objects, sizeof objects / sizeof *objects, 50000);
}
END_TEST

START_TEST(test_tensors)
{
    /* The inputs above are what they should be. */
    for (size_t i = 0; i < sizeof tensor_files / sizeof *tensor_files; i++) {
        char bytes[300] = "";
        const input *f = &tensor_files[i];
        bool whole = f->bytes[0] != '{';
        const char *end = memrchr(f->bytes, '}', f->size);
        bytes[0] = (char)(end + 1 - f->bytes);
        memcpy(bytes + 8, f->bytes, f->size);
        tensors *t;
        ck_assert_msg(tensors_parse(&t, "input", whole ? f->bytes : bytes,
                                    whole ? f->size : f->size + 8) == MST_OK,
                      "%zu: %s", i, mst_error_detail());
        tensors_free(t);
    }
    run(fuzz_tensors, tensor_files, sizeof tensor_files / sizeof *tensor_files, 10000);
}
END_TEST

START_TEST(test_formulas)
{
    for (size_t i = 0; i < sizeof formula_files / sizeof *formula_files; i++) {
        mst_manifold *m;
        ck_assert_msg(mst_formula_manifold_new(&m, "input", "input", formula_files[i].bytes,
                                               formula_files[i].size, 0, NULL) == MST_OK,
                      "%zu: %s", i, mst_error_detail());
        mst_manifold_free(m);
    }
    run(fuzz_formulas, formula_files, sizeof formula_files / sizeof *formula_files, 6000);
}
END_TEST

/* The file of the first version, so that the weights are there too. */
START_TEST(test_network)
{
    uint8_t bytes[LONGEST];
    FILE *f = fopen(MST_TEST_DATA "/models/sphere2_format1.safetensors", "rb");
    ck_assert_ptr_nonnull(f);
    size_t size = fread(bytes, 1, sizeof bytes, f), header = (size_t)bytes[0] + 256u * bytes[1];
    fclose(f);
    ck_assert_uint_lt(8 + header, size);
    memmove(bytes, bytes + 8, header);
    bytes[header] = '\n';
    memmove(bytes + header + 1, bytes + 8 + header, size - 8 - header);
    tensors *t;
    mst_network *net;
    ASSERT_OK(framed_tensors(&t, bytes, size - 7));
    ASSERT_OK(network_from_tensors(&net, "input", t, NULL));
    mst_network_free(net);
    tensors_free(t);
    run(fuzz_network, &(input){(const char *)bytes, size - 7}, 1, 6000);
}
END_TEST

START_TEST(test_saved)
{
    for (size_t i = 0; i < sizeof saved_results / sizeof *saved_results; i++) {
        mst_saved *s;
        ck_assert_msg(mst_saved_parse(&s, "input", saved_results[i].size, saved_results[i].bytes,
                                      NULL) == MST_OK,
                      "%zu: %s", i, mst_error_detail());
        mst_saved_free(s);
    }
    run(fuzz_saved, saved_results, sizeof saved_results / sizeof *saved_results, 3000);
}
END_TEST

START_TEST(test_specs)
{
    run(fuzz_specs, specs, sizeof specs / sizeof *specs, 4000);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, test_number_text);
    tcase_add_test(c, test_csv_reader);
    tcase_add_test(c, test_npy_reader);
    tcase_add_test(c, test_tps_reader);
    tcase_add_test(c, test_json_reader);
    tcase_add_test(c, test_tensors);
    tcase_add_test(c, test_formulas);
    tcase_add_test(c, test_learned);
    tcase_add_test(c, test_signals);
    tcase_add_test(c, test_network);
    tcase_add_test(c, test_saved);
    tcase_add_test(c, test_specs);
    return run_case("fuzz_smoke", c);
}
