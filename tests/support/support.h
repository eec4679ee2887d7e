/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What all test programs share: running a suite, comparing numbers, random input. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <check.h>
#include <float.h>
#include <manistat/status.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A Check test that runs once for each loop value 0 … times−1 (times = 0: once). */
typedef struct test_entry {
    const TTest *test;
    size_t times;
} test_entry;

/* The tests of one case, in a suite of this name: the exit status of the program. */
int run_case(const char *name, TCase *c);
/* Run the tests, each in its own process with the time limit in seconds, and give the exit status. */
int run_suite(const char *name, double seconds, size_t count, const test_entry *tests);
#define RUN_SUITE(name, seconds, ...)                                                      \
    run_suite((name), (seconds), sizeof((test_entry[]){__VA_ARGS__}) / sizeof(test_entry), \
              (test_entry[]){__VA_ARGS__})

/* In a test that is not about all of its loop values: does it say something about this one? The suite prints
 * for how many it did, and fails if that is none. */
#define TAKES_PART(does) takes_part(__func__, (does))
void takes_part(const char *function, bool does);

/* The status is MST_OK, or the test stops and prints the detail. */
#define ASSERT_OK(call)                                                       \
    do {                                                                      \
        mst_status assert_ok_status = (call);                                 \
        ck_assert_msg(assert_ok_status == MST_OK, "%s: %s: %s", #call,        \
                      mst_status_name(assert_ok_status), mst_error_detail()); \
    } while (0)

/* The status is the expected failure, with one line of detail. */
#define ASSERT_FAILS(expected, call)                                                    \
    do {                                                                                \
        mst_status assert_fails_status = (call);                                        \
        ck_assert_msg(assert_fails_status == (expected), "%s: %s instead of %s", #call, \
                      mst_status_name(assert_fails_status), mst_status_name(expected)); \
        assert_one_line(#call);                                                         \
    } while (0)
void assert_one_line(const char *what);

/* |got − want| ≤ tolerance; a NaN fails. The message is a printf format that names the case. */
void assert_near(double got, double want, double tolerance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool all_finite(size_t n, const double *x);
double max_abs(size_t n, const double *x);
double euclidean_norm(size_t n, const double *x);
double dot(size_t n, const double *x, const double *y);

/* How many data sets a slow test simulates: the number in the environment variable MST_SETS, which is what
 * ./run coverage sets, else the usual one, which its limits are made for. */
size_t simulated_sets(size_t usual);
/* The number of the first of them, MST_FIRST_SET or 0: parts of a long run may go side by side. */
size_t first_simulated_set(void);
/* Is case number i wanted? MST_COVERAGE_CASE is the number of the only one. */
bool is_simulated(int i);

/* Calls f(data, i) for i = 0 … n−1, on all cores, each on one thread of the library. */
void each_in_parallel(size_t n, void (*f)(void *data, size_t i), void *data);

/* malloc that fails the test instead of returning null; release with free. */
double *doubles(size_t n);

/* A generator for inputs that shares nothing with the one under test (splitmix64). */
typedef struct dice {
    uint64_t state;
} dice;
uint64_t dice_bits(dice *d);
double dice_uniform(dice *d, double low, double high);
double dice_normal(dice *d);
size_t dice_below(dice *d, size_t bound);

#endif
