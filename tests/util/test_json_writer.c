/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"
#include "util/json.h"
#include "util/output.h"

#include <manistat/io.h>
#include <math.h>

typedef void builder(mst_json *j);

static mst_status build(builder *b)
{
    mst_output *o;
    mst_json *j;
    ck_assert_int_eq(mst_output_open(&o, scratch("t.json"), true), MST_OK);
    ck_assert_int_eq(mst_json_new(&j, o), MST_OK);
    b(j);
    mst_status status = mst_json_finish(j);
    mst_json_free(j);
    if (status == MST_OK)
        ck_assert_int_eq(mst_output_commit(o), MST_OK);
    mst_output_free(o);
    return status;
}

static void check_text(builder *b, const char *expected)
{
    ck_assert_int_eq(build(b), MST_OK);
    char *text = scratch_read(scratch("t.json"), NULL);
    ck_assert_str_eq(text, expected);
    free(text);
}

static void everything(mst_json *j)
{
    static const double x[] = {1, 0.5, NAN, -1e300, INFINITY, -0.0};
    mst_json_object(j);
    mst_json_key(j, "command");
    mst_json_string(j, "mean");
    mst_json_key(j, "n");
    mst_json_integer(j, UINT64_MAX);
    mst_json_key(j, "time");
    mst_json_null(j);
    mst_json_key(j, "ok");
    mst_json_bool(j, true);
    mst_json_key(j, "unique");
    mst_json_bool(j, false);
    mst_json_key(j, "all");
    mst_json_numbers(j, 6, x, 1);
    mst_json_key(j, "every other");
    mst_json_numbers(j, 3, x, 2);
    mst_json_key(j, "none");
    mst_json_numbers(j, 0, NULL, 1);
    mst_json_key(j, "nested");
    mst_json_array(j);
    mst_json_object(j);
    mst_json_end(j);
    mst_json_array(j);
    mst_json_number(j, 0.1);
    mst_json_end(j);
    mst_json_object(j);
    mst_json_key(j, "a");
    mst_json_number(j, 1e-7);
    mst_json_key(j, "b");
    mst_json_number(j, 3);
    mst_json_end(j);
    mst_json_end(j);
    mst_json_key(j, "last");
    mst_json_string(j, "");
    mst_json_end(j);
}

START_TEST(test_structure)
{
    check_text(
        everything,
        "{\"command\":\"mean\",\"n\":18446744073709551615,\"time\":null,\"ok\":true,"
        "\"unique\":false,\"all\":[1,0.5,null,-1e+300,null,-0],\"every other\":[1,null,null],"
        "\"none\":[],\"nested\":[{},[0.1],{\"a\":1e-07,\"b\":3}],\"last\":\"\"}\n");
}
END_TEST

static void strings(mst_json *j)
{
    mst_json_array(j);
    mst_json_string(j, "quote \" slash \\ / tab \t line \n return \r feed \f back \b");
    mst_json_string(j, "\x01\x0b\x1f\x7f");
    mst_json_string(j, "é € 𝄞");
    /* Cut short, stray, overlong, surrogate, beyond U+10FFFF. */
    mst_json_string(j, "\xe2\x82");
    mst_json_string(j, "a\x80z\xff");
    mst_json_string(j, "\xc0\xaf");
    mst_json_string(j, "\xed\xa0\x80");
    mst_json_string(j, "\xf4\x90\x80\x80");
    mst_json_string(j, "\xf0\x8f\xbf\xbf");
    mst_json_end(j);
}

START_TEST(test_strings)
{
#define R "\xef\xbf\xbd"
    check_text(strings,
               "[\"quote \\\" slash \\\\ / tab \\t line \\n return \\r feed \\f back \\b\","
               "\"\\u0001\\u000b\\u001f\\u007f\",\"é € 𝄞\",\"" R R "\",\"a" R "z" R "\",\"" R R
               "\",\"" R R R "\",\"" R R R R "\",\"" R R R R "\"]\n");
#undef R
}
END_TEST

static void single_number(mst_json *j)
{
    mst_json_number(j, 1.5);
}

static void deep(mst_json *j)
{
    for (int i = 0; i < 1000; i++)
        mst_json_array(j);
    for (int i = 0; i < 1000; i++)
        mst_json_end(j);
}

START_TEST(test_single_and_deep)
{
    check_text(single_number, "1.5\n");
    char expected[2002];
    memset(expected, '[', 1000);
    memset(expected + 1000, ']', 1000);
    strcpy(expected + 2000, "\n");
    check_text(deep, expected);
}
END_TEST

static void nothing(mst_json *j)
{
    (void)j;
}

static void unfinished(mst_json *j)
{
    mst_json_object(j);
}

static void two_values(mst_json *j)
{
    mst_json_null(j);
    mst_json_null(j);
}

static void no_key(mst_json *j)
{
    mst_json_object(j);
    mst_json_null(j);
    mst_json_end(j);
}

static void two_keys(mst_json *j)
{
    mst_json_object(j);
    mst_json_key(j, "a");
    mst_json_key(j, "b");
    mst_json_null(j);
    mst_json_end(j);
}

static void key_in_array(mst_json *j)
{
    mst_json_array(j);
    mst_json_key(j, "a");
    mst_json_null(j);
    mst_json_end(j);
}

static void key_only(mst_json *j)
{
    mst_json_object(j);
    mst_json_key(j, "a");
    mst_json_end(j);
}

static void too_many_ends(mst_json *j)
{
    mst_json_array(j);
    mst_json_end(j);
    mst_json_end(j);
}

START_TEST(test_misuse)
{
    static builder *const wrong[] = {nothing,  unfinished,   two_values, no_key,
                                     two_keys, key_in_array, key_only,   too_many_ends};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_msg(build(wrong[i]) == MST_ARGUMENT, "case %zu was accepted", i);
        ck_assert_detail("JSON: ");
    }
}
END_TEST

/* The first failure is the one that finish reports, whatever happened since. */
START_TEST(test_errors_stick)
{
    mst_output *o;
    mst_json *j;
    static double x[40000];
    ck_assert_int_eq(mst_output_open(&o, "/dev/full", false), MST_OK);
    ck_assert_int_eq(mst_json_new(&j, o), MST_OK);
    mst_json_array(j);
    for (int i = 0; i < 10; i++)
        mst_json_numbers(j, 40000, x, 1);
    mst_json_end(j);
    mst_json_end(j);
    mst_status other = mst_fail(MST_DOMAIN, "something else");
    ck_assert_int_eq(other, MST_DOMAIN);
    ck_assert_int_eq(mst_json_finish(j), MST_IO);
    ck_assert_detail("/dev/full");
    mst_json_free(j);
    mst_json_free(NULL);
    mst_output_free(o);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, test_structure);
    tcase_add_test(c, test_strings);
    tcase_add_test(c, test_single_and_deep);
    tcase_add_test(c, test_misuse);
    tcase_add_test(c, test_errors_stick);
    return run_case("json_writer", c);
}
