/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"
#include "util/json.h"
#include "util/output.h"

#include <manistat/io.h>
#include <math.h>

static mst_json_value *parse(const char *text)
{
    mst_json_value *top = NULL;
    mst_status status = mst_json_read(&top, scratch_text("t.json", text));
    ck_assert_msg(status == MST_OK, "%s: %s", text, mst_error_detail());
    return top;
}

static void refuse(const char *text, const char *detail)
{
    mst_json_value *top = NULL;
    mst_status status = mst_json_read(&top, scratch_text("t.json", text));
    ck_assert_msg(status == MST_FORMAT, "%s: %s", text, mst_status_name(status));
    ck_assert_ptr_null(top);
    ck_assert_detail("t.json, line ");
    ck_assert_detail(detail);
}

START_TEST(test_structure)
{
    mst_json_value *top = parse(" {\"a\" : [1, [2, 3], {\"b\": []}, null, true],\n\"c\":{},"
                                "\"d\":false,\"e\":\"x\"}\r\n");
    ck_assert_int_eq(mst_json_kind_of(top), MST_JSON_OBJECT);
    ck_assert_uint_eq(mst_json_length(top), 4);
    const mst_json_value *a = mst_json_member(top, "a");
    ck_assert_int_eq(mst_json_kind_of(a), MST_JSON_ARRAY);
    ck_assert_uint_eq(mst_json_length(a), 5);
    static const mst_json_kind kinds[] = {MST_JSON_NUMBER, MST_JSON_ARRAY, MST_JSON_OBJECT,
                                          MST_JSON_NULL, MST_JSON_BOOL};
    const mst_json_value *v = mst_json_first(a);
    for (size_t i = 0; i < 5; i++, v = mst_json_next(v)) {
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(mst_json_kind_of(v), kinds[i]);
        if (i == 1)
            ck_assert_double_eq(mst_json_as_number(mst_json_next(mst_json_first(v))), 3);
        if (i == 2)
            ck_assert_uint_eq(mst_json_length(mst_json_member(v, "b")), 0);
    }
    ck_assert_ptr_null(v);
    ck_assert_ptr_null(mst_json_first(mst_json_member(top, "c")));
    ck_assert_ptr_null(mst_json_member(mst_json_member(top, "c"), "x"));
    ck_assert(!mst_json_as_bool(mst_json_member(top, "d")));
    ck_assert_str_eq(mst_json_as_string(mst_json_member(top, "e")), "x");
    ck_assert_ptr_null(mst_json_next(top));
    mst_json_value_free(top);
}
END_TEST

/* What is asked of a value of another kind, or of none. */
START_TEST(test_other_kinds)
{
    mst_json_value *top = parse("\"text\"");
    ck_assert_double_eq(mst_json_as_number(top), 0);
    ck_assert(!mst_json_as_bool(top));
    ck_assert_uint_eq(mst_json_length(top), 0);
    ck_assert_ptr_null(mst_json_member(top, "a"));
    ck_assert_ptr_null(mst_json_first(top));
    mst_json_value_free(top);
    ck_assert_int_eq(mst_json_kind_of(NULL), MST_JSON_NULL);
    ck_assert_ptr_null(mst_json_as_string(NULL));
    ck_assert_ptr_null(mst_json_member(NULL, "a"));
    ck_assert_ptr_null(mst_json_next(NULL));
    mst_json_value_free(NULL);
}
END_TEST

START_TEST(test_numbers)
{
    static const struct {
        const char *text;
        double x;
    } good[] = {{"0", 0},           {"-0", -0.0},
                {"12", 12},         {"0.1", 0.1},
                {"-1.5e3", -1500},  {"2E+2", 200},
                {"5e-324", 5e-324}, {"1.7976931348623157e308", 1.7976931348623157e308}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        mst_json_value *top = parse(good[i].text);
        ck_assert_int_eq(mst_json_kind_of(top), MST_JSON_NUMBER);
        double x = mst_json_as_number(top);
        ck_assert_msg(memcmp(&x, &good[i].x, sizeof x) == 0, "%s", good[i].text);
        mst_json_value_free(top);
    }
    static const char *const bad[] = {"-", "1.", "1e", "1e+", "-x", "1e999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i], "malformed or too large");
    refuse("01", "after the value");
    refuse(".5", "not a value");
    refuse("+1", "not a value");
    refuse("NaN", "not a value");
}
END_TEST

START_TEST(test_strings)
{
    mst_json_value *top =
        parse("[\"\", \"a\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\","
              "\"é\"]");
    static const char *const expected[] = {"", "a\"\\/\b\f\n\r\t", "Aé€😀", "é"};
    const mst_json_value *v = mst_json_first(top);
    for (size_t i = 0; i < 4; i++, v = mst_json_next(v))
        ck_assert_str_eq(mst_json_as_string(v), expected[i]);
    mst_json_value_free(top);
    refuse("\"a", "an unterminated string");
    refuse("\"a\nb\"", "control character");
    refuse("\"a\xff\"", "not UTF-8");
    refuse("\"\xc3\"", "not UTF-8");
    refuse("\"\\x\"", "an invalid escape");
    refuse("\"\\u12g4\"", "an invalid escape");
    refuse("\"\\u0000\"", "an invalid escape");
    refuse("\"\\udc00\"", "an invalid escape");
    refuse("\"\\ud800\"", "an invalid escape");
    refuse("\"\\ud800\\u0041\"", "an invalid escape");
}
END_TEST

START_TEST(test_refused)
{
    refuse("", "ends early");
    refuse("[", "ends early");
    refuse("[1,]", "not a value");
    refuse("[1 2]", "an unterminated array");
    refuse("{\"a\" 1}", "no colon");
    refuse("{a: 1}", "without a name");
    refuse("{\"a\": 1,}", "without a name");
    refuse("{\"a\": [1], \"b\": {\"a\": 2}, \"a\": 1}", "twice");
    refuse("[1]\n\n[2]", "line 3: text after");
    refuse("tru", "not a value");
    char deep[300];
    memset(deep, '[', 150);
    memset(deep + 150, ']', 150);
    deep[299] = '\0';
    refuse(deep, "too many levels");
    mst_json_value *top = NULL;
    ck_assert_int_eq(mst_json_read(&top, scratch("none.json")), MST_IO);
    ck_assert_ptr_null(top);
}
END_TEST

/* A text in memory ends where its length says, not at a zero. */
START_TEST(test_memory)
{
    static const char text[] = {'[', '1', '2', ',', '"', 'a', '"', ']', 'x', '5'};
    mst_json_value *top = NULL;
    ck_assert_int_eq(mst_json_parse(&top, "here", 8, text), MST_OK);
    ck_assert_uint_eq(mst_json_length(top), 2);
    ck_assert_double_eq(mst_json_as_number(mst_json_first(top)), 12);
    ck_assert_str_eq(mst_json_as_string(mst_json_next(mst_json_first(top))), "a");
    mst_json_value_free(top);
    for (size_t n = 0; n < sizeof text; n++)
        if (n != 8) {
            top = NULL;
            ck_assert_int_eq(mst_json_parse(&top, "here", n, text), MST_FORMAT);
            ck_assert_ptr_null(top);
            ck_assert_detail("here, line 1: ");
        }
}
END_TEST

/* Doubles make the round trip through the writer. */
START_TEST(test_round_trip)
{
    enum { N = 1000 };
    double x[N];
    uint64_t state = 2712;
    for (size_t i = 0; i < N; i++)
        do {
            uint64_t bits = scramble(&state);
            memcpy(&x[i], &bits, sizeof bits);
        } while (!isfinite(x[i]));
    mst_output *o;
    mst_json *j;
    ck_assert_int_eq(mst_output_open(&o, scratch("x.json"), true), MST_OK);
    ck_assert_int_eq(mst_json_new(&j, o), MST_OK);
    mst_json_numbers(j, N, x, 1);
    ck_assert_int_eq(mst_json_finish(j), MST_OK);
    ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_json_free(j);
    mst_output_free(o);
    mst_json_value *top;
    ck_assert_int_eq(mst_json_read(&top, scratch("x.json")), MST_OK);
    ck_assert_uint_eq(mst_json_length(top), N);
    const mst_json_value *v = mst_json_first(top);
    for (size_t i = 0; i < N; i++, v = mst_json_next(v))
        ck_assert_double_eq(mst_json_as_number(v), x[i]);
    mst_json_value_free(top);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_structure);
    tcase_add_test(c, test_other_kinds);
    tcase_add_test(c, test_numbers);
    tcase_add_test(c, test_strings);
    tcase_add_test(c, test_refused);
    tcase_add_test(c, test_memory);
    tcase_add_test(c, test_round_trip);
    return run_case("json_reader", c);
}
