/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The threads of the process. A thread with work to share makes an offer, which names how many others may
 * join it, and does the work itself meanwhile: it waits only for those that have joined. Threads without work
 * look for offers for some microseconds, and then sleep. So nothing waits for a thread that a busy machine
 * does not run.
 *
 * The process has at most one thread less than the machine has cores for it (base/cores.h), and threads that
 * share work count as well as those that have joined. All signals are blocked. After a fork the child has no
 * threads and starts new ones. */
#ifndef MST_BASE_POOL_H
#define MST_BASE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Waking a thread takes a few microseconds. So a thread waits this many nanoseconds before it sleeps, and
 * work that takes less is not worth sharing. */
enum { POOL_WAIT = 20000 };

/* Nanoseconds since some moment in the past. */
long long pool_clock(void);

/* Set `run`, `context` and `places`, the rest to 0. */
typedef struct pool_offer {
    /* Called once on each thread that joins, with slot = 1, 2, …, places; returns when no work is left. */
    void (*run)(void *context, size_t slot);
    void *context;
    size_t places;

    bool made;
    size_t joined;
    atomic_size_t inside; /* joined and not left yet */
    bool waiting;         /* the thread that made the offer sleeps until all have left */
    pthread_cond_t left;
    struct pool_offer *next;
} pool_offer;

void pool_make_offer(pool_offer *o);
/* From here on no thread joins. Returns when those that have joined have left. */
void pool_withdraw_offer(pool_offer *o);

/* The number of threads that have been started and not lost by a fork. */
size_t pool_threads(void);

#endif
