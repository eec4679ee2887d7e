/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A barrier for short waits between the threads of a parallel region. Those of OpenMP spin for milliseconds,
 * which on a busy machine keeps the very thread they wait for from running; this one soon lets others run. */
#ifndef MST_BASE_BARRIER_H
#define MST_BASE_BARRIER_H

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct barrier {
    atomic_size_t waiting;
    atomic_uint round;
} barrier;

/* All `threads` of the team must call it; then all go on. Each names the size of the team, so that nothing
 * has to be shared before the first wait. */
static inline void barrier_wait(barrier *b, size_t threads)
{
    enum { SPINS = 20000 }; /* some ten microseconds */
    unsigned round = atomic_load(&b->round);
    if (atomic_fetch_add(&b->waiting, 1) + 1 == threads) {
        atomic_store(&b->waiting, 0);
        atomic_store(&b->round, round + 1);
        return;
    }
    for (int spins = 0; atomic_load_explicit(&b->round, memory_order_acquire) == round; spins++)
        if (spins > SPINS)
            sched_yield();
}

#endif
