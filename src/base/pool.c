/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/pool.h"

#include "base/cores.h"

#include <signal.h>
#include <time.h>

static struct {
    pthread_mutex_t lock;
    pthread_cond_t offered;
    pool_offer *offers;
    /* places in all offers, for threads that look without the lock */
    atomic_size_t open;
    size_t threads;
    /* when the last offer was made */
    size_t cores;
    /* threads that look for an offer, or are about to */
    size_t looking;
    size_t asleep;
    /* of those asleep, how many have been woken and have not noticed yet */
    size_t woken;
    /* threads that have made an offer or joined one */
    size_t busy;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .offered = PTHREAD_COND_INITIALIZER};

/* ---- Waiting ---- */

static inline void relax(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

long long pool_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000LL * t.tv_sec + t.tv_nsec;
}

/* Waits for *number to become 0, or not 0. */
static void spin(atomic_size_t *number, bool until_zero)
{
    enum { BETWEEN_LOOKS = 16 };
    for (long long end = pool_clock() + POOL_WAIT; pool_clock() < end;)
        for (int i = 0; i < BETWEEN_LOOKS; i++) {
            if ((atomic_load_explicit(number, memory_order_acquire) == 0) == until_zero)
                return;
            relax();
        }
}

/* ---- Threads; all with the lock ---- */

static void *serve(void *unused);

static bool start_thread(void)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool started = pthread_create(&thread, &attributes, serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Sees to it that one more thread looks for an offer, if there is a place and a core for it. It calls one
 * more in its turn, so that short work is over before many have been woken. */
static void call_one(void)
{
    size_t coming = pool.looking + pool.woken;
    if (atomic_load(&pool.open) <= coming || pool.busy + coming >= pool.cores)
        return;
    if (pool.asleep > pool.woken) {
        pool.woken++;
        pthread_cond_signal(&pool.offered);
    } else if (pool.threads + 1 < pool.cores && start_thread()) {
        pool.threads++;
        pool.looking++;
    }
}

static pool_offer *open_offer(void)
{
    pool_offer *o = pool.offers;
    while (o != NULL && o->places == 0)
        o = o->next;
    return pool.busy < pool.cores ? o : NULL;
}

static void join(pool_offer *o)
{
    size_t slot = ++o->joined;
    o->places--;
    atomic_fetch_sub(&pool.open, 1);
    atomic_fetch_add(&o->inside, 1);
    pool.busy++;
    call_one();
    pthread_mutex_unlock(&pool.lock);
    o->run(o->context, slot);
    pthread_mutex_lock(&pool.lock);
    pool.busy--;
    /* The offer is gone as soon as none is inside, unless its thread sleeps, which needs
     * the lock to go on. */
    bool waiting = o->waiting;
    if (atomic_fetch_sub(&o->inside, 1) == 1 && waiting)
        pthread_cond_signal(&o->left);
}

static void wait_for_offer(void)
{
    pool.looking++;
    pthread_mutex_unlock(&pool.lock);
    spin(&pool.open, false);
    pthread_mutex_lock(&pool.lock);
    pool.looking--;
    if (open_offer() != NULL)
        return;
    pool.asleep++;
    while (pool.woken == 0)
        pthread_cond_wait(&pool.offered, &pool.lock);
    pool.woken--;
    pool.asleep--;
}

static void *serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.lock);
    pool.looking--;
    for (;;) {
        pool_offer *o = open_offer();
        if (o != NULL)
            join(o);
        else
            wait_for_offer();
    }
    return NULL;
}

/* ---- Offers ---- */

void pool_make_offer(pool_offer *o)
{
    o->made = true;
    o->left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    size_t cores = (size_t)mst_cores();
    pthread_mutex_lock(&pool.lock);
    pool.cores = cores;
    o->next = pool.offers;
    pool.offers = o;
    pool.busy++;
    atomic_fetch_add(&pool.open, o->places);
    call_one();
    pthread_mutex_unlock(&pool.lock);
}

void pool_withdraw_offer(pool_offer *o)
{
    if (!o->made)
        return;
    pthread_mutex_lock(&pool.lock);
    pool_offer **at = &pool.offers;
    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    atomic_fetch_sub(&pool.open, o->places);
    pool.busy--;
    call_one(); /* for the offers of other threads */
    bool joined = o->joined > 0;
    pthread_mutex_unlock(&pool.lock);
    if (!joined)
        return;
    spin(&o->inside, true);
    if (atomic_load_explicit(&o->inside, memory_order_acquire) == 0)
        return;
    pthread_mutex_lock(&pool.lock);
    o->waiting = true;
    while (atomic_load(&o->inside) > 0)
        pthread_cond_wait(&o->left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

size_t pool_threads(void)
{
    pthread_mutex_lock(&pool.lock);
    size_t threads = pool.threads;
    pthread_mutex_unlock(&pool.lock);
    return threads;
}

/* ---- Forks: the child has the calling thread alone ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void after_fork_in_child(void)
{
    pool.offered = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.offers = NULL;
    atomic_store(&pool.open, 0);
    pool.threads = pool.looking = pool.asleep = pool.woken = pool.busy = 0;
    pthread_mutex_unlock(&pool.lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}
