/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/scratch.h"
#include "util/lock.h"

#include <signal.h>
#include <sys/wait.h>

/* Locks in a child, which then waits to be killed. */
static pid_t holder(const char *path)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        mst_lock *lock;
        if (mst_lock_take(&lock, path) != MST_OK || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char ready;
    ck_assert_int_eq((int)read(ends[0], &ready, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return child;
}

START_TEST(one_at_a_time)
{
    mst_lock *lock;
    const char *path = scratch("model");
    pid_t child = holder(path);
    ck_assert_int_eq(mst_lock_take(&lock, path), MST_IO);
    ck_assert_ptr_null(lock);
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "another process is writing"));
    ASSERT_OK(mst_lock_take(&lock, scratch("other")));
    mst_lock_free(lock);
    /* A killed holder is none, though its file is there. */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_uint_eq(scratch_count(), 1);
    ASSERT_OK(mst_lock_take(&lock, path));
    mst_lock_free(lock);
    mst_lock_free(NULL);
    ck_assert_uint_eq(scratch_count(), 0);
}
END_TEST

START_TEST(links_are_not_followed)
{
    mst_lock *lock;
    ck_assert_int_eq(symlink(scratch("elsewhere"), scratch("model.lock")), 0);
    ck_assert_int_eq(mst_lock_take(&lock, scratch("model")), MST_IO);
    ck_assert_int_ne(access(scratch("elsewhere"), F_OK), 0);
    ck_assert_int_eq(mst_lock_take(&lock, scratch("no/such/model")), MST_IO);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, scratch_open, scratch_close);
    tcase_add_test(c, one_at_a_time);
    tcase_add_test(c, links_are_not_followed);
    return run_case("lock", c);
}
