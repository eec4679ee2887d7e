/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdio.h>

enum { ITEM = 1024 };

/* Shared by the threads of one mst_parallel_blocks. */
typedef struct split {
    size_t n, block, blocks;
    mst_block_function *run;
    void *context;
    bool shared; /* with more than one thread, if they come */
    atomic_size_t next;
    atomic_uint_fast64_t done; /* in ITEM-ths of an item */
    atomic_bool stop;
    atomic_flag recording;
    atomic_size_t shortages; /* of all threads */
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
    size_t slot;
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

size_t mst_parallel_slot(void)
{
    return here != NULL ? here->slot : 0;
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

/* ---- Small work ----
 *
 * Waking a thread takes as long as many calls do. A call begins alone if the last one of its kind with as
 * many items was short, and shares what is left if it takes longer this time. */

enum { KINDS = 16 };

static _Thread_local struct {
    mst_block_function *run;
    size_t n;
} small[KINDS];

static size_t kind_of(mst_block_function *run)
{
    return (uintptr_t)run / 16 % KINDS;
}

static bool was_small(const split *s)
{
    return small[kind_of(s->run)].run == s->run && s->n <= small[kind_of(s->run)].n;
}

static void remember(const split *s, bool is_small)
{
    size_t k = kind_of(s->run);
    if (is_small && !was_small(s)) {
        small[k].run = s->run;
        small[k].n = s->n;
    } else if (!is_small && was_small(s)) {
        small[k].run = NULL;
    }
}

/* ---- Blocks ---- */

static mst_status run_block(place *p, size_t b)
{
    split *s = p->s;
    size_t begin = b * s->block;
    size_t end = s->n - begin < s->block ? s->n : begin + s->block;
    p->ticked = 0;
    mst_status status = s->run(s->context, begin, end);
    uint64_t whole = (end - begin) * (uint64_t)ITEM;
    if (status == MST_OK)
        status = advance(p, whole > p->ticked ? whole - p->ticked : 0);
    return status;
}

/* Runs blocks until all are taken. If `offer` is not null, it is made when the clock has reached
 * `share_from`. */
static void run_blocks(split *s, place p, pool_offer *offer, long long share_from)
{
    place *outer = here;
    size_t before = mst_shortages();
    here = &p;
    while (!atomic_load(&s->stop)) {
        if (offer != NULL && pool_clock() >= share_from) {
            pool_make_offer(offer);
            offer = NULL;
        }
        size_t b = atomic_fetch_add(&s->next, 1);
        if (b >= s->blocks)
            break;
        mst_status status = run_block(&p, b);
        if (status != MST_OK && !p.gave_up)
            record_failure(s, b, status);
    }
    if (mst_shortages() != before)
        atomic_fetch_add(&s->shortages, mst_shortages() - before);
    here = outer;
}

/* On a thread of the pool. */
static void join_in(void *context, size_t slot)
{
    run_blocks(context, (place){.s = context, .slot = slot}, NULL, 0);
}

static void share_blocks(split *s, place p, size_t threads)
{
    pool_offer offer = {.run = join_in, .context = s, .places = threads - 1};
    long long begin = pool_clock();
    run_blocks(s, p, &offer, was_small(s) ? begin + POOL_WAIT : begin);
    pool_withdraw_offer(&offer);
    remember(s, pool_clock() - begin < POOL_WAIT);
}

mst_status mst_parallel_blocks(size_t n, size_t block, int threads, mst_progress progress,
                               mst_block_function *run, void *context)
{
    split s = {.n = n,
               .block = block,
               .blocks = n / block + (n % block != 0),
               .run = run,
               .context = context,
               .recording = ATOMIC_FLAG_INIT,
               .failed_block = SIZE_MAX};
    place p = {.s = &s, .progress = progress};
    size_t before = mst_shortages(), count = (size_t)mst_thread_count(threads);
    count = count < s.blocks ? count : s.blocks;
    bool nested = here != NULL && here->s->shared;
    s.shared = nested || count > 1;
    if (count > 1 && !nested)
        share_blocks(&s, p, count);
    else
        run_blocks(&s, p, NULL, 0);
    mst_shortages_add(before + atomic_load(&s.shortages) - mst_shortages());
    if (s.failed_block != SIZE_MAX)
        return mst_fail(s.status, "%s", s.detail);
    return MST_OK;
}
