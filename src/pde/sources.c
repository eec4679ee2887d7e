/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/sources.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef enum entry_state { MAKING, WORKING, READY, FAILED } entry_state;

struct pde_entry {
    pde_entry *next;
    pde_set *set;
    int number;
    entry_state state;
    pde_window *window;
    size_t begun, done; /* blocks */
    size_t users;
    mst_status status; /* of what failed */
    char detail[256];
};

struct pde_set {
    pde_set *next;
    size_t n, users;
    double *x;           /* (n, 2), no two the same */
    size_t slots, *slot; /* hash table of numbers plus one */
    pde_entry *entries;  /* the latest first */
};

struct pde_sources {
    pde_plane plane;
    pde_limits limits;
    pthread_mutex_t lock; /* guards all lists and states */
    pthread_cond_t changed;
    pde_set *sets; /* the latest first */
};

/* ---- Sets ---- */

static uint64_t hash(const double *x)
{
    uint64_t bits[2];
    double clean[2] = {x[0] + 0.0, x[1] + 0.0}; /* −0 is 0 */
    memcpy(bits, clean, sizeof bits);
    uint64_t h = bits[0] * 0x9e3779b97f4a7c15u ^ (bits[1] + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return h ^ h >> 29;
}

static size_t *find_slot(const pde_set *set, const double *x)
{
    size_t at = (size_t)(hash(x) & (set->slots - 1));
    while (set->slot[at] > 0) {
        const double *y = set->x + 2 * (set->slot[at] - 1);
        if (x[0] == y[0] && x[1] == y[1])
            break;
        at = (at + 1) & (set->slots - 1);
    }
    return &set->slot[at];
}

size_t pde_set_find(const pde_set *set, const double *x)
{
    return *find_slot(set, x) - 1; /* 0, an empty place, becomes SIZE_MAX */
}

static void entry_free(pde_entry *e)
{
    pde_window_free(e->window);
    mst_release(e);
}

static void set_free(pde_set *set)
{
    if (set == NULL)
        return;
    for (pde_entry *e = set->entries, *next; e != NULL; e = next) {
        next = e->next;
        entry_free(e);
    }
    mst_release(set->x);
    mst_release(set->slot);
    mst_release(set);
}

static mst_status set_new(pde_set **out, size_t n, const double *x)
{
    pde_set *set;
    MST_TRY(mst_allocate_zero(&set, 1));
    set->slots = 16;
    while (set->slots < 2 * n)
        set->slots *= 2;
    mst_status status = mst_allocate(&set->x, 2 * n);
    if (status == MST_OK)
        status = mst_allocate_zero(&set->slot, set->slots);
    if (status != MST_OK) {
        set_free(set);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        size_t *slot = find_slot(set, x + 2 * i);
        if (*slot > 0)
            continue;
        memcpy(set->x + 2 * set->n, x + 2 * i, 2 * sizeof *x);
        *slot = ++set->n;
    }
    *out = set;
    return MST_OK;
}

static bool has_all(const pde_set *set, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (pde_set_find(set, x + 2 * i) == SIZE_MAX)
            return false;
    return true;
}

/* Sets that nobody uses, but for the latest few. */
static void forget_old(pde_sources *s)
{
    size_t kept = 0;
    for (pde_set **at = &s->sets; *at != NULL;) {
        pde_set *set = *at;
        if (kept++ < 4 || set->users > 0) {
            at = &set->next;
            continue;
        }
        *at = set->next;
        set_free(set);
    }
}

mst_status pde_sources_take(pde_sources *s, size_t n, const double *x, pde_set **out)
{
    mst_status status = MST_OK;
    pthread_mutex_lock(&s->lock);
    pde_set *set = s->sets;
    while (set != NULL && !has_all(set, n, x))
        set = set->next;
    if (set == NULL) {
        status = set_new(&set, n, x);
        if (status == MST_OK) {
            set->next = s->sets;
            s->sets = set;
            forget_old(s);
        }
    }
    if (status == MST_OK)
        set->users++;
    pthread_mutex_unlock(&s->lock);
    *out = set;
    return status;
}

void pde_sources_give_back(pde_sources *s, pde_set *set)
{
    pthread_mutex_lock(&s->lock);
    set->users--;
    pthread_mutex_unlock(&s->lock);
}

/* ---- Windows ---- */

int pde_window_number(double t)
{
    int exponent;
    (void)frexp(t, &exponent);
    return exponent - 1;
}

static void fail(pde_entry *e, mst_status status)
{
    e->state = FAILED;
    e->status = status;
    snprintf(e->detail, sizeof e->detail, "%s", mst_error_detail());
}

/* Windows that nobody uses make room, those of other sets first. */
static void make_room(pde_sources *s, const pde_entry *keep)
{
    size_t total = 0;
    for (const pde_set *set = s->sets; set != NULL; set = set->next)
        for (const pde_entry *e = set->entries; e != NULL; e = e->next)
            total += e->window != NULL ? pde_window_bytes(e->window) : 0;
    for (size_t round = 0; round < 2; round++)
        for (pde_set *set = s->sets; set != NULL; set = set->next)
            for (pde_entry **at = &set->entries; total > s->limits.bytes && *at != NULL;) {
                pde_entry *e = *at;
                if (e == keep || e->users > 0 || (round == 0 && set == keep->set)) {
                    at = &e->next;
                    continue;
                }
                total -= e->window != NULL ? pde_window_bytes(e->window) : 0;
                *at = e->next;
                entry_free(e);
            }
}

/* Blocks of the window until all are begun. Comes and goes with the lock. */
static void work(pde_sources *s, pde_entry *e)
{
    while (e->state == WORKING && e->begun < pde_window_blocks(e->window)) {
        size_t block = e->begun++;
        pthread_mutex_unlock(&s->lock);
        mst_status status = pde_window_block(e->window, e->set->x, block);
        pthread_mutex_lock(&s->lock);
        if (status != MST_OK)
            fail(e, status);
        else if (++e->done == pde_window_blocks(e->window) && e->state == WORKING)
            e->state = READY;
        if (e->state != WORKING)
            pthread_cond_broadcast(&s->changed);
    }
}

/* For threads that would have nothing to do. */
typedef struct crew {
    pde_sources *s;
    pde_entry *e;
} crew;

static mst_status join_in(void *context, size_t begin, size_t end)
{
    crew *c = context;
    (void)begin;
    (void)end;
    pthread_mutex_lock(&c->s->lock);
    work(c->s, c->e);
    pthread_mutex_unlock(&c->s->lock);
    return MST_OK;
}

/* The grids; comes and goes with the lock. */
static void begin(pde_sources *s, pde_entry *e)
{
    pthread_mutex_unlock(&s->lock);
    mst_status status = pde_window_new(&e->window, &s->plane, e->set->n, e->set->x,
                                       ldexp(1, e->number), &s->limits);
    pthread_mutex_lock(&s->lock);
    if (status == MST_OK) {
        e->state = WORKING;
        make_room(s, e);
    } else {
        fail(e, status);
    }
    pthread_cond_broadcast(&s->changed);
    if (status == MST_OK && !mst_in_parallel_block()) {
        size_t threads = (size_t)mst_thread_count(0);
        crew c = {s, e};
        pthread_mutex_unlock(&s->lock);
        mst_status joined = mst_parallel_blocks(threads, 1, 0, (mst_progress){0}, join_in, &c);
        pthread_mutex_lock(&s->lock);
        if (joined != MST_OK)
            fail(e, joined);
    }
}

static mst_status find_entry(pde_set *set, int number, pde_entry **out, bool *is_new)
{
    pde_entry *e = set->entries;
    while (e != NULL && e->number != number)
        e = e->next;
    *is_new = e == NULL;
    if (e == NULL) {
        MST_TRY(mst_allocate_zero(&e, 1));
        e->set = set;
        e->number = number;
        e->next = set->entries;
        set->entries = e;
    }
    e->users++;
    *out = e;
    return MST_OK;
}

mst_status pde_set_window(pde_sources *s, pde_set *set, double t, pde_entry **entry,
                          const pde_window **out)
{
    bool is_new;
    *entry = NULL;
    *out = NULL;
    pthread_mutex_lock(&s->lock);
    mst_status status = find_entry(set, pde_window_number(t), entry, &is_new);
    pde_entry *e = *entry;
    if (status == MST_OK && is_new)
        begin(s, e);
    while (status == MST_OK && e->state != READY && e->state != FAILED) {
        work(s, e);
        if (e->state == MAKING || e->state == WORKING)
            pthread_cond_wait(&s->changed, &s->lock);
    }
    if (status == MST_OK && e->state == FAILED) {
        status = mst_fail(e->status, "%s", e->detail);
        e->users--;
        *entry = NULL;
    } else if (status == MST_OK) {
        *out = e->window;
    }
    pthread_mutex_unlock(&s->lock);
    /* Too large a grid is an answer. */
    return status == MST_UNABLE ? MST_OK : status;
}

void pde_entry_give_back(pde_sources *s, pde_entry *entry)
{
    if (entry == NULL)
        return;
    pthread_mutex_lock(&s->lock);
    entry->users--;
    pthread_mutex_unlock(&s->lock);
}

/* ---- The object ---- */

mst_status pde_sources_new(pde_sources **out, const pde_plane *p, const pde_limits *limits)
{
    pde_sources *s;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->plane = *p;
    s->limits = *limits;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    *out = s;
    return MST_OK;
}

void pde_sources_free(pde_sources *s)
{
    if (s == NULL)
        return;
    for (pde_set *set = s->sets, *next; set != NULL; set = next) {
        next = set->next;
        set_free(set);
    }
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    mst_release(s);
}
