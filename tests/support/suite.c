/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* How many loop values of a test were asked, and said that they took part. Tests run in processes of their
 * own, so this is memory that they share. */
typedef struct attendance {
    size_t asked, took_part;
} attendance;

static struct {
    const test_entry *tests;
    size_t count;
    attendance *counts;
} running;

void takes_part(const char *function, bool does)
{
    for (size_t i = 0; i < running.count; i++) {
        const char *name = running.tests[i].test->name;
        size_t length = strlen(name);
        if (strncmp(function, name, length) != 0 || strcmp(function + length, "_fn") != 0)
            continue;
        running.counts[i].asked++;
        running.counts[i].took_part += does;
        return;
    }
    ck_abort_msg("%s asks who takes part, but is no test of this suite", function);
}

/* Say for how many cases tests did something; false if one did for none. */
static bool report_attendance(void)
{
    bool all = true;
    for (size_t i = 0; i < running.count; i++) {
        const attendance *a = &running.counts[i];
        if (a->asked == 0)
            continue;
        printf("%s: %zu of %zu cases\n", running.tests[i].test->name, a->took_part, a->asked);
        all = all && a->took_part > 0;
    }
    if (!all)
        printf("A test that does nothing for all of its cases has failed.\n");
    return all;
}

static int run_whole(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_case(const char *name, TCase *c)
{
    Suite *suite = suite_create(name);
    suite_add_tcase(suite, c);
    return run_whole(suite);
}

int run_suite(const char *name, double seconds, size_t count, const test_entry *tests)
{
    Suite *suite = suite_create(name);
    for (size_t i = 0; i < count; i++) {
        TCase *group = tcase_create(tests[i].test->name);
        tcase_set_timeout(group, seconds);
        if (tests[i].times > 0)
            tcase_add_loop_test(group, tests[i].test, 0, (int)tests[i].times);
        else
            tcase_add_test(group, tests[i].test);
        suite_add_tcase(suite, group);
    }
    running.tests = tests;
    running.count = count;
    running.counts = mmap(NULL, count * sizeof *running.counts, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (running.counts == MAP_FAILED) {
        perror("mmap");
        return EXIT_FAILURE;
    }
    int status = run_whole(suite);
    return report_attendance() ? status : EXIT_FAILURE;
}
