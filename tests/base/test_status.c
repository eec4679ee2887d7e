/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/support.h"

#include <manistat/version.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define COUNT_STATUS(name, value, sentence) +1
enum { STATUS_COUNT = MST_STATUS_LIST(COUNT_STATUS) };

START_TEST(the_list_is_complete_and_distinct)
{
    static const struct {
        mst_status status;
        int value;
        const char *name, *sentence;
    } list[STATUS_COUNT] = {
#define ROW(name, value, sentence) {MST_##name, value, "MST_" #name, sentence},
        MST_STATUS_LIST(ROW)
#undef ROW
    };
    for (int i = 0; i < STATUS_COUNT; i++) {
        ck_assert_int_eq((int)list[i].status, list[i].value);
        ck_assert_int_eq(list[i].value, -i);
        ck_assert_str_eq(mst_status_name(list[i].status), list[i].name);
        ck_assert_str_eq(mst_status_sentence(list[i].status), list[i].sentence);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(list[i].sentence, list[j].sentence);
    }
}
END_TEST

START_TEST(numbers_outside_the_list_have_a_name_too)
{
    ck_assert_str_eq(mst_status_name((mst_status)1), "unknown status");
    ck_assert_str_eq(mst_status_sentence((mst_status)(-STATUS_COUNT)), "unknown status");
}
END_TEST

START_TEST(fail_keeps_status_and_detail)
{
    ck_assert_str_eq(mst_error_detail(), "");
    ck_assert_int_eq(mst_fail(MST_DOMAIN, "row %d, %s", 7, "column 2"), MST_DOMAIN);
    ck_assert_str_eq(mst_error_detail(), "row 7, column 2");
    /* Adding to the current detail is how callers say where a failure happened. */
    ck_assert_int_eq(mst_fail(MST_IO, "file x: %s", mst_error_detail()), MST_IO);
    ck_assert_str_eq(mst_error_detail(), "file x: row 7, column 2");
}
END_TEST

START_TEST(long_details_are_cut)
{
    char text[2000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ck_assert_int_eq(mst_fail(MST_FORMAT, "%s", text), MST_FORMAT);
    ck_assert_uint_eq(strlen(mst_error_detail()), 511);
    ck_assert_int_eq(strncmp(mst_error_detail(), text, 511), 0);
}
END_TEST

static void *fail_elsewhere(void *seen)
{
    *(int *)seen = mst_error_detail()[0] == '\0';
    (void)mst_fail(MST_UNABLE, "on the other thread");
    return NULL;
}

START_TEST(details_belong_to_their_thread)
{
    (void)mst_fail(MST_ARGUMENT, "on this thread");
    pthread_t thread;
    int started_empty = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, fail_elsewhere, &started_empty), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(started_empty, 1);
    ck_assert_str_eq(mst_error_detail(), "on this thread");
}
END_TEST

START_TEST(the_version_has_three_numbers)
{
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", MST_VERSION_MAJOR, MST_VERSION_MINOR,
             MST_VERSION_PATCH);
    ck_assert_str_eq(MST_VERSION, version);
    ck_assert_str_eq(mst_version(), version);
    const char *isa = mst_instruction_set();
    ck_assert(strcmp(isa, "generic") == 0 || strcmp(isa, "v3") == 0 || strcmp(isa, "v4") == 0);
    ck_assert_int_eq(MST_VERSION_NUMBER / 10000, MST_VERSION_MAJOR);
    ck_assert_int_eq(MST_VERSION_NUMBER / 100 % 100, MST_VERSION_MINOR);
    ck_assert_int_eq(MST_VERSION_NUMBER % 100, MST_VERSION_PATCH);
}
END_TEST

int main(void)
{
    return RUN_SUITE("status", 20, {the_list_is_complete_and_distinct, 0},
                     {numbers_outside_the_list_have_a_name_too, 0},
                     {fail_keeps_status_and_detail, 0}, {long_details_are_cut, 0},
                     {details_belong_to_their_thread, 0}, {the_version_has_three_numbers, 0});
}
