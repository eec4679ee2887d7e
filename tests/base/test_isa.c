/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/isa.h"
#include "support/support.h"

#include <pthread.h>
#include <stdlib.h>

START_TEST(the_environment_is_read_once)
{
    setenv("MANISTAT_ISA", "generic", 1);
    ck_assert_int_eq(mst_isa(), MST_ISA_GENERIC);
    unsetenv("MANISTAT_ISA");
    ck_assert_int_eq(mst_isa(), MST_ISA_GENERIC);
    mst_isa_choose(NULL);
    enum mst_isa best = mst_isa();
    setenv("MANISTAT_ISA", "generic", 1);
    ck_assert_int_eq(mst_isa(), best);
    mst_isa_choose(NULL);
    ck_assert_int_eq(mst_isa(), MST_ISA_GENERIC);
}
END_TEST

/* A name lowers the choice; the processor's best is the limit, and what is no name changes nothing. */
START_TEST(names_lower_the_choice)
{
    unsetenv("MANISTAT_ISA");
    mst_isa_choose(NULL);
    enum mst_isa best = mst_isa();
    for (int i = MST_ISA_GENERIC; i <= MST_ISA_V4; i++) {
        mst_isa_choose(mst_isa_name((enum mst_isa)i));
        ck_assert_int_eq(mst_isa(), i < (int)best ? i : (int)best);
    }
    mst_isa_choose("v9");
    ck_assert_int_eq(mst_isa(), best);
}
END_TEST

static void *ask(void *out)
{
    *(enum mst_isa *)out = mst_isa();
    return NULL;
}

START_TEST(threads_may_ask_first)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    enum mst_isa seen[THREADS];
    setenv("MANISTAT_ISA", "generic", 1);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, &seen[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(seen[i], MST_ISA_GENERIC);
    }
}
END_TEST

int main(void)
{
    /* Without processes of their own the first test asks first, and the others find its answer. */
    return RUN_SUITE("isa", 20, {threads_may_ask_first, 0}, {the_environment_is_read_once, 0},
                     {names_lower_the_choice, 0});
}
