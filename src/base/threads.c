/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

/* A fork copies the calling thread only. OpenMP keeps its threads for the next team and does not notice that
 * they are gone: in the child a team would wait for them forever. So children of a process that has had
 * threads go alone, be they ours or those of other code that uses OpenMP, which is why the library watches
 * from its loading on. */
static atomic_bool had_threads, alone;

/* The folder has a folder of its own for every thread, and its links count them. */
static void before_fork(void)
{
    struct stat tasks;
    enum { ONE_THREAD = 3 };
    atomic_store(&had_threads, stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > ONE_THREAD);
}

static void after_fork_in_child(void)
{
    if (atomic_load(&had_threads))
        atomic_store(&alone, true);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, NULL, after_fork_in_child);
}

int mst_thread_count(int threads)
{
    if (atomic_load(&alone))
        return 1;
    return threads > 0 ? threads : omp_get_num_procs();
}

enum { ITEM = 1024 };

/* Shared by the threads of one mst_parallel_blocks. */
typedef struct split {
    size_t n, block, blocks;
    atomic_size_t next;
    atomic_uint_fast64_t done; /* in ITEM-ths of an item */
    atomic_bool stop;
    atomic_flag recording;
    atomic_size_t shortages; /* of all threads */
    atomic_int gate; /* orders memory accesses for tools that do not see OpenMP's barriers */
    size_t failed_block;
    mst_status status;
    char detail[512];
} split;

static void record_failure(split *s, size_t block, mst_status status)
{
    while (atomic_flag_test_and_set(&s->recording))
        continue; /* another thread is copying a line of text */
    if (block < s->failed_block) {
        s->failed_block = block;
        s->status = status;
        snprintf(s->detail, sizeof s->detail, "%s", mst_error_detail());
    }
    atomic_flag_clear(&s->recording);
    atomic_store(&s->stop, true);
}

/* The block that this thread is in, for mst_parallel_tick. */
typedef struct place {
    split *s;
    mst_progress progress; /* without `report` on all threads but the calling one */
    uint64_t ticked;       /* of this block, in ITEM-ths */
    bool gave_up;          /* because of a failure elsewhere, which is the one to report */
} place;

static _Thread_local place *here;

static mst_status advance(place *p, uint64_t amount)
{
    split *s = p->s;
    uint64_t done = atomic_fetch_add(&s->done, amount) + amount;
    p->ticked += amount;
    if (p->progress.report != NULL &&
        p->progress.report(p->progress.user, (double)done / ITEM, (double)s->n) != 0)
        return mst_fail(MST_INTERRUPTED, "stopped on request");
    return MST_OK;
}

bool mst_in_parallel_block(void)
{
    return here != NULL;
}

mst_status mst_parallel_tick(double items)
{
    if (here == NULL)
        return MST_OK;
    if (atomic_load(&here->s->stop)) {
        here->gave_up = true;
        return mst_fail(MST_INTERRUPTED, "another part of the work has stopped");
    }
    return advance(here, (uint64_t)(items * ITEM));
}

static void run_blocks(split *s, mst_progress progress, mst_block_function *run, void *context)
{
    place p = {.s = s, .progress = progress}, *outer = here;
    size_t before = mst_shortages();
    here = &p;
    (void)atomic_load(&s->gate);
    while (!atomic_load(&s->stop)) {
        size_t b = atomic_fetch_add(&s->next, 1);
        if (b >= s->blocks)
            break;
        size_t begin = b * s->block;
        size_t end = s->n - begin < s->block ? s->n : begin + s->block;
        p.ticked = 0;
        mst_status status = run(context, begin, end);
        uint64_t whole = (end - begin) * (uint64_t)ITEM;
        if (status == MST_OK)
            status = advance(&p, whole > p.ticked ? whole - p.ticked : 0);
        if (status != MST_OK && !p.gave_up)
            record_failure(s, b, status);
    }
    if (mst_shortages() != before)
        atomic_fetch_add(&s->shortages, mst_shortages() - before);
    atomic_fetch_add(&s->gate, 1);
    here = outer;
}

mst_status mst_parallel_blocks(size_t n, size_t block, int threads, mst_progress progress,
                               mst_block_function *run, void *context)
{
    split s = {.n = n,
               .block = block,
               .blocks = n / block + (n % block != 0),
               .recording = ATOMIC_FLAG_INIT};
    size_t before = mst_shortages();
    s.failed_block = SIZE_MAX;
    size_t useful = s.blocks < 1 ? 1 : s.blocks;
    int count = mst_thread_count(threads);
    if ((size_t)count > useful)
        count = (int)useful;
    atomic_store(&s.gate, 0);
    if (mst_thread_count(count) == 1) {
        run_blocks(&s, progress, run, context);
    } else {
#pragma omp parallel num_threads(count)
        run_blocks(&s, omp_get_thread_num() == 0 ? progress : (mst_progress){0}, run, context);
    }
    (void)atomic_load(&s.gate);
    mst_shortages_add(before + atomic_load(&s.shortages) - mst_shortages());
    if (s.failed_block != SIZE_MAX)
        return mst_fail(s.status, "%s", s.detail);
    return MST_OK;
}
