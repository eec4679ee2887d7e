/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"
#include "support/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 1000 };

typedef struct work {
    size_t n, block;
    atomic_int visits[ITEMS];
    atomic_size_t blocks;
    size_t fail_from, fail_to; /* blocks that begin in here fail */
} work;

static mst_status visit(void *context, size_t begin, size_t end)
{
    work *w = context;
    ck_assert_uint_eq(begin % w->block, 0);
    ck_assert(begin < end && end <= w->n);
    ck_assert(end - begin == w->block || end == w->n);
    atomic_fetch_add(&w->blocks, 1);
    for (size_t i = begin; i < end; i++)
        atomic_fetch_add(&w->visits[i], 1);
    if (begin >= w->fail_from && begin < w->fail_to)
        return mst_fail(MST_DOMAIN, "block at %zu", begin);
    return MST_OK;
}

static const mst_progress silent = {0};

START_TEST(blocks_cover_the_range_exactly)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 999, 1000};
    static const size_t blocks[] = {1, 7, 64, 1000, 5000};
    for (size_t a = 0; a < sizeof sizes / sizeof *sizes; a++)
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            for (int threads = 0; threads <= 5; threads++) {
                work w = {.n = sizes[a], .block = blocks[b]};
                ASSERT_OK(mst_parallel_blocks(w.n, w.block, threads, silent, visit, &w));
                for (size_t i = 0; i < ITEMS; i++)
                    ck_assert_int_eq(atomic_load(&w.visits[i]), i < w.n ? 1 : 0);
                ck_assert_uint_eq(atomic_load(&w.blocks), (w.n + w.block - 1) / w.block);
            }
}
END_TEST

START_TEST(the_lowest_failing_block_is_reported)
{
    for (int threads = 1; threads <= 4; threads++) {
        work w = {.n = ITEMS, .block = 10, .fail_from = 300, .fail_to = ITEMS};
        ASSERT_FAILS(MST_DOMAIN, mst_parallel_blocks(w.n, w.block, threads, silent, visit, &w));
        /* Blocks start in order, so block 300 is always among those that ran. */
        ck_assert_str_eq(mst_error_detail(), "block at 300");
        ck_assert_uint_le(atomic_load(&w.blocks), 30 + (size_t)threads);
        for (size_t i = 0; i < 300; i++)
            ck_assert_int_eq(atomic_load(&w.visits[i]), 1);
    }
}
END_TEST

/* Block 300 fails last: it waits while the others, which started after it, fail. */
static mst_status visit_slowly(void *context, size_t begin, size_t end)
{
    if (begin == 300)
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return visit(context, begin, end);
}

START_TEST(a_late_failure_of_a_lower_block_wins)
{
    for (int threads = 2; threads <= 4; threads++) {
        work w = {.n = ITEMS, .block = 10, .fail_from = 300, .fail_to = ITEMS};
        ASSERT_FAILS(MST_DOMAIN,
                     mst_parallel_blocks(w.n, w.block, threads, silent, visit_slowly, &w));
        ck_assert_str_eq(mst_error_detail(), "block at 300");
    }
}
END_TEST

typedef struct reports {
    pthread_t caller;
    double last, total;
    int count, stop_after;
} reports;

static int report(void *user, double done, double total)
{
    reports *r = user;
    ck_assert(pthread_equal(r->caller, pthread_self()));
    ck_assert(done > r->last && done <= total);
    r->last = done;
    r->total = total;
    return ++r->count == r->stop_after;
}

/* Block 0 works until it is told to stop; block 1 is why. */
static mst_status wait_or_fail(void *context, size_t begin, size_t end)
{
    (void)context, (void)end;
    if (begin > 0)
        return mst_fail(MST_DOMAIN, "the reason");
    mst_status status = MST_OK;
    while (status == MST_OK)
        status = mst_parallel_tick(0);
    return status;
}

START_TEST(a_block_that_gives_up_is_not_the_failure)
{
    ASSERT_FAILS(MST_DOMAIN, mst_parallel_blocks(2, 1, 2, (mst_progress){0}, wait_or_fail, NULL));
    ck_assert_str_eq(mst_error_detail(), "the reason");
    ASSERT_OK(mst_parallel_tick(1)); /* outside a block it does nothing */
}
END_TEST

START_TEST(progress_is_reported_on_the_calling_thread)
{
    for (int threads = 1; threads <= 3; threads++) {
        work w = {.n = ITEMS, .block = 10};
        reports r = {.caller = pthread_self()};
        mst_progress progress = {report, &r};
        ASSERT_OK(mst_parallel_blocks(w.n, w.block, threads, progress, visit, &w));
        ck_assert(r.total == ITEMS || r.count == 0);
        /* On one thread every block reports; with more the caller may see only some. */
        if (threads == 1)
            ck_assert(r.count == 100 && r.last == ITEMS);
    }
}
END_TEST

START_TEST(a_report_can_interrupt)
{
    work w = {.n = ITEMS, .block = 10};
    reports r = {.caller = pthread_self(), .stop_after = 3};
    mst_progress progress = {report, &r};
    ASSERT_FAILS(MST_INTERRUPTED, mst_parallel_blocks(w.n, w.block, 1, progress, visit, &w));
    ck_assert_uint_eq(atomic_load(&w.blocks), 3);
    ck_assert_int_eq(r.count, 3);
}
END_TEST

START_TEST(a_failure_below_the_interruption_is_reported)
{
    work w = {.n = ITEMS, .block = 10, .fail_from = 10, .fail_to = 20};
    reports r = {.caller = pthread_self(), .stop_after = 2};
    mst_progress progress = {report, &r};
    ASSERT_FAILS(MST_DOMAIN, mst_parallel_blocks(w.n, w.block, 1, progress, visit, &w));
    ck_assert_str_eq(mst_error_detail(), "block at 10");
    ck_assert_int_eq(r.count, 1);
}
END_TEST

START_TEST(thread_counts)
{
    ck_assert_int_eq(mst_thread_count(3), 3);
    ck_assert_int_ge(mst_thread_count(0), 1);
    ck_assert_int_eq(mst_thread_count(-1), mst_thread_count(0));
}
END_TEST

/* The exit status of a child that runs `run`; it has ten seconds. */
static int in_a_child(int (*run)(void))
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        alarm(10);
        _exit(run());
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "the child was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static mst_status work_by_three(work *w)
{
    *w = (work){.n = ITEMS, .block = 10};
    return mst_parallel_blocks(w->n, w->block, 3, silent, visit, w);
}

static int works_alone(void)
{
    work w;
    if (work_by_three(&w) != MST_OK || atomic_load(&w.blocks) != 100 || mst_thread_count(3) != 1)
        return 1;
    for (size_t i = 0; i < ITEMS; i++)
        if (atomic_load(&w.visits[i]) != 1)
            return 2;
    return 0;
}

#if !defined __SANITIZE_THREAD__ /* which has a thread of its own */
static int has_threads(void)
{
    work w;
    return mst_thread_count(3) != 3 || work_by_three(&w) != MST_OK;
}
#endif

static int has_a_child_that_works_alone(void)
{
    return works_alone() != 0 || in_a_child(works_alone) != 0;
}

START_TEST(children_work_after_a_fork)
{
#if !defined __SANITIZE_THREAD__
    /* Nothing has been started yet, and so nothing is lost; this child starts a team of its own. */
    ck_assert_int_eq(in_a_child(has_threads), 0);
#endif
    work w;
    ASSERT_OK(work_by_three(&w));
    ck_assert_int_eq(in_a_child(works_alone), 0);
    ck_assert_int_eq(in_a_child(has_a_child_that_works_alone), 0);
    /* The parent keeps its threads. */
    ck_assert_int_eq(mst_thread_count(3), 3);
    ASSERT_OK(work_by_three(&w));
}
END_TEST

/* The host's own code has had a team, of which the library knows nothing. */
START_TEST(children_of_other_openmp_code)
{
    atomic_int calls = 0;
#pragma omp parallel num_threads(2)
    atomic_fetch_add(&calls, 1);
    ck_assert_int_eq(atomic_load(&calls), 2);
    ck_assert_int_eq(in_a_child(works_alone), 0);
}
END_TEST

/* Called by every thread of a team of the host's. */
static int works_within_a_team(void)
{
    atomic_int wrong = 0;
#pragma omp parallel num_threads(2)
    {
        work w;
        if (work_by_three(&w) != MST_OK || atomic_load(&w.blocks) != 100)
            atomic_fetch_add(&wrong, 1);
        for (size_t i = 0; i < ITEMS; i++)
            if (atomic_load(&w.visits[i]) != 1)
                atomic_fetch_add(&wrong, 1);
    }
    return atomic_load(&wrong);
}

START_TEST(nested_in_other_openmp_code)
{
    ck_assert_int_eq(works_within_a_team(), 0);
    ck_assert_int_eq(in_a_child(works_alone), 0);
}
END_TEST

/* One block in three gets no memory and goes on without. */
static mst_status go_short(void *context, size_t begin, size_t end)
{
    (void)context;
    char *p;
    for (size_t i = begin; i < end; i++)
        if (i % 3 == 0)
            ck_assert_int_eq(mst_allocate(&p, SIZE_MAX / 4), MST_MEMORY);
    return MST_OK;
}

START_TEST(shortages_of_all_threads_are_known)
{
    for (int threads = 1; threads <= 4; threads++) {
        size_t before = mst_shortages();
        ASSERT_OK(mst_parallel_blocks(300, 1, threads, silent, go_short, NULL));
        ck_assert_uint_eq(mst_shortages() - before, 100);
    }
}
END_TEST

int main(void)
{
    /* Forks come first: without processes of their own, tests share the threads of those before them. */
    return RUN_SUITE(
        "threads", 60, {children_work_after_a_fork, 0}, {children_of_other_openmp_code, 0},
        {nested_in_other_openmp_code, 0}, {shortages_of_all_threads_are_known, 0},
        {blocks_cover_the_range_exactly, 0}, {the_lowest_failing_block_is_reported, 0},
        {a_late_failure_of_a_lower_block_wins, 0}, {a_block_that_gives_up_is_not_the_failure, 0},
        {progress_is_reported_on_the_calling_thread, 0}, {a_report_can_interrupt, 0},
        {a_failure_below_the_interruption_is_reported, 0}, {thread_counts, 0});
}
