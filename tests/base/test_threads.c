/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/cores.h"
#include "base/internal.h"
#include "base/pool.h"
#include "support/support.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
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

/* Blocks that end only when two have begun, each on a thread of its own. The sleep is for calls that begin
 * alone because the last one was short: no other part of the library waits for another block. */
typedef struct meeting {
    atomic_int here;
    size_t from; /* those before this one only sleep */
} meeting;

static mst_status meet(void *context, size_t begin, size_t end)
{
    meeting *m = context;
    (void)end;
    if (atomic_load(&m->here) < 2)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    if (begin < m->from)
        return MST_OK;
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < 2)
        sched_yield();
    return MST_OK;
}

static mst_status two_meet(void)
{
    meeting m = {.from = 0};
    return mst_parallel_blocks(2, 1, 2, silent, meet, &m);
}

/* ---- How many threads ---- */

enum { CORES = 4 };

/* On one processor there is one thread, whatever is asked for. */
static int works_on_one_processor(void)
{
    cpu_set_t one;
    work w;
    mst_set_machine_cores(0);
    if (sched_getaffinity(0, sizeof one, &one) != 0)
        return 77;
    size_t first = 0;
    while (!CPU_ISSET(first, &one))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return 77;
    return mst_thread_count(8) != 1 || mst_thread_count(0) != 1 || work_by_three(&w) != MST_OK ||
           pool_threads() != 0;
}

START_TEST(affinity_counts)
{
    int status = in_a_child(works_on_one_processor);
    ck_assert(status == 0 || status == 77);
}
END_TEST

/* ---- Forks ---- */

static int has_threads(void)
{
    work w;
    return pool_threads() != 0 || work_by_three(&w) != MST_OK || atomic_load(&w.blocks) != 100 ||
           two_meet() != MST_OK || pool_threads() == 0;
}

#if !defined __SANITIZE_THREAD__ /* which lets no child of several threads start any */
static int has_a_child_with_threads(void)
{
    return has_threads() != 0 || in_a_child(has_threads) != 0;
}

START_TEST(children_have_threads_of_their_own)
{
    work w;
    ck_assert_int_eq(in_a_child(has_threads), 0);
    ASSERT_OK(two_meet());
    ck_assert_int_ge((int)pool_threads(), 1);
    ck_assert_int_eq(in_a_child(has_threads), 0);
    ck_assert_int_eq(in_a_child(has_a_child_with_threads), 0);
    /* The parent keeps its own. */
    ASSERT_OK(work_by_three(&w));
    ASSERT_OK(two_meet());
}
END_TEST

static atomic_bool over;

static mst_status do_nothing(void *context, size_t begin, size_t end)
{
    (void)context, (void)begin, (void)end;
    return MST_OK;
}

static void *work_on(void *failed)
{
    mst_status status = MST_OK;
    while (!atomic_load(&over) && status == MST_OK)
        status = mst_parallel_blocks(100, 1, 3, silent, do_nothing, NULL);
    return status == MST_OK ? NULL : failed;
}

/* A sanitizer of addresses needs many of them, and its allocator does not survive a fork beside threads that
 * allocate. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#if defined __SANITIZE_ADDRESS__
#define IS_SANITIZED true
#endif
#if !defined IS_SANITIZED
#define IS_SANITIZED false
#endif

/* Of a thread that shares work at the moment of the fork the child has nothing. */
START_TEST(forks_while_others_work)
{
    pthread_t other;
    void *failed;
    ck_assert_int_eq(pthread_create(&other, NULL, work_on, (void *)""), 0);
    for (int i = 0; !IS_SANITIZED && i < 20; i++)
        ck_assert_int_eq(in_a_child(has_threads), 0);
    atomic_store(&over, true);
    pthread_join(other, &failed);
    ck_assert_ptr_null(failed);
}
END_TEST

/* Where no thread can be started the calling one does it all. */
static int works_without_threads(void)
{
    work w;
    struct rlimit space = {1 << 20, 1 << 20};
    if (IS_SANITIZED || setrlimit(RLIMIT_AS, &space) != 0)
        return 77;
    return work_by_three(&w) != MST_OK || atomic_load(&w.blocks) != 100 || pool_threads() != 0;
}

START_TEST(threads_are_not_needed)
{
    int status = in_a_child(works_without_threads);
    ck_assert(status == 0 || status == 77);
}
END_TEST
#endif

/* ---- Calls inside of calls, and beside each other ---- */

typedef struct nest {
    pthread_t thread;
    atomic_int elsewhere;
} nest;

static mst_status note_thread(void *context, size_t begin, size_t end)
{
    nest *n = context;
    (void)begin, (void)end;
    ck_assert(mst_in_parallel_block());
    ck_assert_uint_eq(mst_parallel_slot(), 0);
    if (!pthread_equal(n->thread, pthread_self()))
        atomic_fetch_add(&n->elsewhere, 1);
    return MST_OK;
}

static mst_status call_again(void *context, size_t begin, size_t end)
{
    (void)context, (void)end;
    work w;
    nest n = {.thread = pthread_self()};
    size_t slot = mst_parallel_slot();
    ASSERT_OK(mst_parallel_blocks(50, 1, 4, silent, note_thread, &n));
    ck_assert_int_eq(atomic_load(&n.elsewhere), 0);
    ck_assert_uint_eq(mst_parallel_slot(), slot);
    ASSERT_OK(work_by_three(&w));
    for (size_t i = 0; i < ITEMS; i++)
        ck_assert_int_eq(atomic_load(&w.visits[i]), 1);
    return begin == 7 ? mst_fail(MST_DOMAIN, "block at 7") : MST_OK;
}

START_TEST(calls_in_blocks_stay_on_their_thread)
{
    ASSERT_OK(mst_parallel_blocks(7, 1, 4, silent, call_again, NULL));
    ASSERT_FAILS(MST_DOMAIN, mst_parallel_blocks(20, 1, 4, silent, call_again, NULL));
    ck_assert_str_eq(mst_error_detail(), "block at 7");
    ck_assert(!mst_in_parallel_block());
}
END_TEST

static mst_status meet_inside(void *context, size_t begin, size_t end)
{
    (void)context, (void)begin, (void)end;
    return two_meet();
}

/* A call that has one thread only leaves the others to the calls in it. */
START_TEST(calls_in_a_lonely_block_are_shared)
{
    ASSERT_OK(mst_parallel_blocks(1, 1, 4, silent, meet_inside, NULL));
    ASSERT_OK(mst_parallel_blocks(3, 1, 1, silent, meet_inside, NULL));
}
END_TEST

static void *call_often(void *failures)
{
    for (int i = 0; i < 100; i++) {
        work w;
        if (work_by_three(&w) != MST_OK)
            atomic_fetch_add((atomic_int *)failures, 1);
        for (size_t k = 0; k < ITEMS; k++)
            if (atomic_load(&w.visits[k]) != 1)
                atomic_fetch_add((atomic_int *)failures, 1);
    }
    return NULL;
}

START_TEST(many_callers_at_once)
{
    enum { CALLERS = 8 };
    pthread_t callers[CALLERS];
    atomic_int failures = 0;
    for (size_t i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_create(&callers[i], NULL, call_often, &failures), 0);
    for (size_t i = 0; i < CALLERS; i++)
        pthread_join(callers[i], NULL);
    ck_assert_int_eq(atomic_load(&failures), 0);
    ck_assert_uint_lt(pool_threads(), CORES);
    ASSERT_OK(two_meet()); /* the threads are still there */
}
END_TEST

/* ---- Slots, signals, small work, sums ---- */

typedef struct slots {
    atomic_int taken[CORES];
    atomic_int wrong;
} slots;

static mst_status take_slot(void *context, size_t begin, size_t end)
{
    slots *s = context;
    size_t slot = mst_parallel_slot();
    (void)begin, (void)end;
    if (slot >= CORES || atomic_fetch_add(&s->taken[slot], 1) != 0)
        atomic_fetch_add(&s->wrong, 1);
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    atomic_fetch_sub(&s->taken[slot < CORES ? slot : 0], 1);
    return MST_OK;
}

START_TEST(a_slot_is_of_one_thread)
{
    slots s = {.wrong = 0};
    ASSERT_OK(mst_parallel_blocks(500, 1, 4096, silent, take_slot, &s));
    ck_assert_int_eq(atomic_load(&s.wrong), 0);
    ck_assert_uint_lt(pool_threads(), CORES);
    ck_assert_uint_eq(mst_parallel_slot(), 0);
}
END_TEST

static mst_status look_at_mask(void *context, size_t begin, size_t end)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    if (mst_parallel_slot() > 0 && !sigismember(&mask, SIGINT))
        return mst_fail(MST_DOMAIN, "signals come on this thread");
    if (mst_parallel_slot() == 0 && sigismember(&mask, SIGINT))
        return mst_fail(MST_DOMAIN, "signals do not come on this thread");
    return meet(context, begin, end);
}

START_TEST(signals_come_on_threads_of_the_host)
{
    meeting m = {.from = 0};
    ASSERT_OK(mst_parallel_blocks(2, 1, 2, silent, look_at_mask, &m));
}
END_TEST

/* A call that begins alone, because the one before it was short, shares what is left when it takes long. */
START_TEST(long_work_is_shared_late)
{
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 20; k++) {
            meeting over_already = {.here = 2};
            ASSERT_OK(mst_parallel_blocks(4, 1, 2, silent, meet, &over_already));
        }
        meeting m = {.from = 2};
        ASSERT_OK(mst_parallel_blocks(4, 1, 2, silent, meet, &m));
    }
}
END_TEST

#if !defined MST_SANITIZED
static mst_status work_shortly(void *context, size_t begin, size_t end)
{
    (void)end;
    double *x = context;
    for (int i = 0; i < 50; i++)
        x[begin] = sqrt(x[begin] + 1);
    if (mst_parallel_slot() > 0)
        x[ITEMS] = 1;
    return MST_OK;
}

/* Of short calls hardly any is shared: one that was held up by others is followed by a shared one. */
START_TEST(short_work_is_not_shared)
{
    enum { CALLS = 2000 };
    static double x[ITEMS + 1];
    int shared = 0;
    ASSERT_OK(two_meet());
    for (int i = 0; i < CALLS; i++) {
        x[ITEMS] = 0;
        ASSERT_OK(mst_parallel_blocks(20, 1, 2, silent, work_shortly, x));
        shared += x[ITEMS] > 0;
    }
    ck_assert_int_lt(shared, CALLS / 5);
}
END_TEST
#endif

static mst_status add_up(void *context, size_t begin, size_t end)
{
    double *sum = context;
    for (size_t i = begin; i < end; i++)
        sum[begin / 16] += 1 / (1 + (double)i);
    return MST_OK;
}

START_TEST(same_bytes_for_every_number_of_threads)
{
    enum { N = 100000, BLOCKS = N / 16 };
    static double want[BLOCKS], got[BLOCKS];
    ASSERT_OK(mst_parallel_blocks(N, 16, 1, silent, add_up, want));
    for (int threads = 2; threads <= CORES + 2; threads++) {
        memset(got, 0, sizeof got);
        ASSERT_OK(mst_parallel_blocks(N, 16, threads, silent, add_up, got));
        ck_assert_mem_eq(got, want, sizeof got);
    }
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
    mst_set_machine_cores(CORES);
    return RUN_SUITE("threads", 60,
#if !defined __SANITIZE_THREAD__
                     {children_have_threads_of_their_own, 0}, {forks_while_others_work, 0},
                     {threads_are_not_needed, 0},
#endif
#if !defined MST_SANITIZED
                     {short_work_is_not_shared, 0},
#endif
                     {affinity_counts, 0}, {calls_in_blocks_stay_on_their_thread, 0},
                     {calls_in_a_lonely_block_are_shared, 0}, {many_callers_at_once, 0},
                     {a_slot_is_of_one_thread, 0}, {signals_come_on_threads_of_the_host, 0},
                     {long_work_is_shared_late, 0}, {same_bytes_for_every_number_of_threads, 0},
                     {shortages_of_all_threads_are_known, 0}, {blocks_cover_the_range_exactly, 0},
                     {the_lowest_failing_block_is_reported, 0},
                     {a_late_failure_of_a_lower_block_wins, 0},
                     {a_block_that_gives_up_is_not_the_failure, 0},
                     {progress_is_reported_on_the_calling_thread, 0}, {a_report_can_interrupt, 0},
                     {a_failure_below_the_interruption_is_reported, 0});
}
