/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/number_text.h"

#include <check.h>
#include <float.h>
#include <locale.h>
#include <manistat/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 20260101;

static uint64_t scramble(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(2685821657736338717);
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool parse(const char *text, double *x)
{
    return mst_parse_double(text, strlen(text), x);
}

/* Significant digits of a decimal text, without leading and trailing zeros. */
static int significant_digits(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        if (*text == '0') {
            zeros += n > 0;
        } else {
            n += zeros + 1;
            zeros = 0;
        }
    }
    return n;
}

static void check_round_trip(double x)
{
    char text[MST_DOUBLE_TEXT];
    double y = 0.5;
    size_t length = mst_format_double(x, text);
    if (length != strlen(text) || length >= MST_DOUBLE_TEXT)
        ck_abort_msg("%a: length %zu of \"%s\"", x, length, text);
    if (to_bits(strtod(text, NULL)) != to_bits(x))
        ck_abort_msg("%a was written as %s", x, text);
    if (!mst_parse_double(text, length, &y) || to_bits(y) != to_bits(x))
        ck_abort_msg("%s was read as %a, not %a", text, y, x);
}

/* No shorter text reads back, and none of the same length is nearer. */
static void check_shortest(double x)
{
    char text[MST_DOUBLE_TEXT], other[64];
    mst_format_double(x, text);
    int digits = significant_digits(text);
    if (digits > 1) {
        snprintf(other, sizeof other, "%.*e", digits - 2, x);
        if (strtod(other, NULL) == x)
            ck_abort_msg("%s is shorter than %s", other, text);
    }
    /* %.*e gives the nearest decimal with that many digits, so if it reads back it must be ours. */
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    long double a = fabsl(strtold(other, NULL) - (long double)x);
    long double b = fabsl(strtold(text, NULL) - (long double)x);
    if (strtod(other, NULL) == x && b > a * (1 + 0x1p-8L) + 0x1p-62L * fabsl(x))
        ck_abort_msg("%s is nearer than %s", other, text);
}

static void check_parse(const char *text)
{
    double y = 0.5, expected = strtod(text, NULL);
    if (isinf(expected)) {
        if (parse(text, &y))
            ck_abort_msg("%s is too large but was read as %a", text, y);
    } else if (!parse(text, &y) || to_bits(y) != to_bits(expected)) {
        ck_abort_msg("%s was read as %a, not %a", text, y, expected);
    }
}

START_TEST(test_known_texts)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1, "-1"},
        {10, "10"},
        {123456, "123456"},
        {0.1, "0.1"},
        {1.5, "1.5"},
        {-2.25, "-2.25"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {100, "100"},
        {1e15, "1000000000000000"},
        {1e16, "10000000000000000"},
        {1e17, "1e+17"},
        {1.5e17, "1.5e+17"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {9007199254740992, "9007199254740992"},
        {0.00001, "0.00001"},
        {0.000012345678901234567, "0.000012345678901234568"},
        {0.000001, "1e-06"},
        {1.5e-7, "1.5e-07"},
        {1e-100, "1e-100"},
        {1e23, "1e+23"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_TRUE_MIN, "5e-324"},
        /* Exactly between two decimals of 17 digits: the even one. */
        {1125899906842624.25, "1125899906842624.2"},
        {1125899906842624.75, "1125899906842624.8"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MST_DOUBLE_TEXT];
        size_t length = mst_format_double(cases[i].x, text);
        ck_assert_str_eq(text, cases[i].text);
        ck_assert_uint_eq(length, strlen(cases[i].text));
    }
}
END_TEST

START_TEST(test_random_bits_round_trip)
{
    for (int i = 0; i < 2000000; i++) {
        double x = from_bits(scramble());
        if (isfinite(x))
            check_round_trip(x);
    }
    for (int i = 0; i < 300000; i++)
        check_round_trip((double)(int64_t)scramble() * 0x1p-63);
}
END_TEST

START_TEST(test_boundaries)
{
    for (int biased = 0; biased < 0x7ff; biased++) {
        static const uint64_t fractions[] = {
            0, 1, 2, 3, 0x8000000000000, 0x7ffffffffffff, 0xffffffffffffe, 0xfffffffffffff};
        for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
            double x = from_bits((uint64_t)biased << 52 | fractions[i]);
            check_round_trip(x);
            if (x != 0)
                check_shortest(x);
        }
    }
    for (int k = -323; k <= 308; k++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", k);
        double x = strtod(text, NULL);
        check_parse(text);
        check_shortest(x);
        check_round_trip(nextafter(x, 0));
        check_round_trip(nextafter(x, INFINITY));
        check_round_trip(-x);
    }
    for (uint64_t bits = 1; bits < 20000; bits++)
        check_round_trip(from_bits(bits));
    for (int i = 0; i < 100000; i++)
        check_round_trip(from_bits(scramble() >> 12 >> (scramble() % 52)));
    for (uint64_t n = 0; n < 20000; n++)
        check_round_trip((double)n);
    for (int i = 0; i < 100000; i++)
        check_round_trip((double)(scramble() >> (scramble() % 64)));
}
END_TEST

/* Numbers whose rounding interval ends at a short decimal, exactly: b·2^(q−1) with b an odd multiple of 5^j
 * is a multiple of 10^j. Whether the end belongs to the interval decides between that
 * decimal and a longer one. */
START_TEST(test_short_ends_of_the_interval)
{
    uint64_t five = 1;
    for (int j = 1; j <= 22; j++) {
        five *= 5;
        for (int i = 0; i < 40; i++) {
            uint64_t least = (UINT64_C(1) << 53) / five + 1, most = (UINT64_C(1) << 54) / five;
            uint64_t b = five * ((least + scramble() % (most - least)) | 1);
            if (b >= UINT64_C(1) << 54)
                continue;
            for (int q = 3 * j - 3; q <= 4 * j; q++) {
                for (uint64_t c = b / 2; c <= b / 2 + 1; c++) {
                    check_round_trip(ldexp((double)c, q));
                    check_shortest(ldexp((double)c, q));
                }
            }
        }
    }
}
END_TEST

START_TEST(test_shortest)
{
    for (int i = 0; i < 200000; i++) {
        double x = from_bits(scramble());
        if (isfinite(x) && x != 0)
            check_shortest(x);
    }
    for (int i = 0; i < 100000; i++)
        check_shortest((double)(scramble() % 1000000 + 1) / 1000);
}
END_TEST

START_TEST(test_parse_agrees_with_strtod)
{
    char text[128];
    for (int i = 0; i < 300000; i++) {
        double x = from_bits(scramble());
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)(scramble() % 30), x);
        check_parse(text);
    }
    for (int i = 0; i < 300000; i++) {
        snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)scramble(),
                 (unsigned long long)(scramble() >> (scramble() % 64)),
                 (int)(scramble() % 700) - 350);
        check_parse(text);
    }
    for (int i = 0; i < 300000; i++) {
        snprintf(text, sizeof text, "%lluE%d",
                 (unsigned long long)(scramble() >> (scramble() % 64)),
                 (int)(scramble() % 60) - 30);
        check_parse(text);
    }
}
END_TEST

/* Half-way points between neighbouring doubles have up to 767 digits. They, and what lies a hair to either
 * side of them, are where a reader that rounds twice goes wrong. */
START_TEST(test_ties)
{
    static char text[1200];
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = i % 3 == 0 ? scramble() >> 12 : scramble() >> 1;
        if (i % 3 == 1)
            bits = (bits & 0xfffffffffffff) | (uint64_t)(1023 - 30 + bits % 60) << 52;
        double x = from_bits(bits), next = from_bits(bits + 1);
        if (!isfinite(next))
            continue;
        long double half = ((long double)x + (long double)next) / 2;
        /* Every other one with so many zeros that the last digit is only looked at. */
        int length = snprintf(text, sizeof text - 8, "%.*Le", i % 2 == 0 ? 780 : 1100, half);
        check_parse(text);
        char *e = strchr(text, 'e');
        char tail[16];
        snprintf(tail, sizeof tail, "%s", e);
        sprintf(e, "1%s", tail);
        check_parse(text);
        ck_assert_int_lt(length, (int)sizeof text - 16);
    }
    check_parse("9007199254740993");
    check_parse("9007199254740993.0000000000000000000000000000000000000000000000000001");
    check_parse("2.4703282292062327208e-324");
    check_parse("2.4703282292062328e-324");
    check_parse("1.7976931348623158e308");
    check_parse("1.7976931348623159e308");
}
END_TEST

START_TEST(test_very_long_numbers)
{
    enum { N = 100000 };
    char *text = malloc(N + 32);
    double x;
    memset(text, '0', N);
    memcpy(text, "0.", 2);
    text[N] = '\0';
    ck_assert(parse(text, &x) && x == 0);
    text[N - 1] = '7';
    sprintf(text + N, "e%d", N - 2);
    ck_assert(parse(text, &x) && x == 7);
    memset(text, '9', N);
    sprintf(text + N, "e-%d", N);
    ck_assert(parse(text, &x) && x == 1);
    memset(text, '0', N);
    text[0] = '3';
    sprintf(text + N, "e-%d", N - 1);
    ck_assert(parse(text, &x) && x == 3);
    free(text);
}
END_TEST

START_TEST(test_accepted_notations)
{
    static const struct {
        const char *text;
        double x;
    } cases[] = {
        {"1", 1},          {"+1", 1},           {"-1", -1},
        {"1.", 1},         {".5", 0.5},         {"-.5", -0.5},
        {"1e3", 1000},     {"1E+3", 1000},      {"1e-3", 0.001},
        {"007", 7},        {"0e999999", 0},     {"1e-99999999999999999999", 0},
        {"1e-400", 0},     {"0.0", 0},          {"0e-99999999999999999999", 0},
        {"inf", INFINITY}, {"-Inf", -INFINITY}, {"+INFINITY", INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = 0.125;
        ck_assert_msg(parse(cases[i].text, &x), "%s was refused", cases[i].text);
        ck_assert_msg(x == cases[i].x, "%s was read as %g", cases[i].text, x);
    }
    double x;
    ck_assert(parse("-0", &x) && signbit(x));
    ck_assert(parse("nan", &x) && isnan(x));
    ck_assert(parse("-NaN", &x) && isnan(x));
}
END_TEST

START_TEST(test_refused_notations)
{
    static const char *const cases[] = {
        "",
        " ",
        " 1",
        "1 ",
        "+",
        "-",
        ".",
        "e5",
        "1e",
        "1e+",
        "1.2.3",
        "--1",
        "+-1",
        "0x10",
        "1,5",
        "abc",
        "1abc",
        "na",
        "infin",
        "nano",
        "1e5.0",
        "1e999",
        "-2e308",
        "1_000",
        "1e99999999999999999999",
        "\xef\xbc\x91",
        "1d5",
        "nan(1)",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = 0.125;
        ck_assert_msg(!parse(cases[i], &x), "\"%s\" was read as %g", cases[i], x);
        ck_assert(x == 0.125);
    }
    double x;
    ck_assert(!mst_parse_double("1\0", 2, &x));
    ck_assert(!mst_parse_double(NULL, 0, &x));
    /* Only `length` bytes are looked at. */
    ck_assert(mst_parse_double("1234", 2, &x) && x == 12);
}
END_TEST

/* Passes without testing anything where no locale with a decimal comma is installed. */
START_TEST(test_comma_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE",       "fr_FR.UTF-8",
                                        "nl_NL.UTF-8", "da_DK.UTF-8", "sv_SE.UTF-8"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found =
            setlocale(LC_ALL, names[i]) != NULL && strcmp(localeconv()->decimal_point, ",") == 0;
    if (!found)
        return;
    char text[MST_DOUBLE_TEXT];
    double x;
    mst_format_double(1.5, text);
    ck_assert_str_eq(text, "1.5");
    ck_assert(parse("1.5", &x) && x == 1.5);
    /* A tie, which goes the slow way. */
    ck_assert(parse("0.500000000000000055511151231257827021181583404541015625", &x));
    ck_assert_double_eq(x, 0.5);
    setlocale(LC_ALL, "C");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("number_text");
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 300);
    tcase_add_test(c, test_known_texts);
    tcase_add_test(c, test_random_bits_round_trip);
    tcase_add_test(c, test_boundaries);
    tcase_add_test(c, test_short_ends_of_the_interval);
    tcase_add_test(c, test_shortest);
    tcase_add_test(c, test_parse_agrees_with_strtod);
    tcase_add_test(c, test_ties);
    tcase_add_test(c, test_very_long_numbers);
    tcase_add_test(c, test_accepted_notations);
    tcase_add_test(c, test_refused_notations);
    tcase_add_test(c, test_comma_locale);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
