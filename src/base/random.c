/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"
#include "base/random_kernels.h"

#include <manistat/random.h>
#include <string.h>

/* Copy numbers first … first+n−1 out of whole runs of 2·MST_LANES. */
#define COPY_FROM_RUNS(type, kernel)                                      \
    do {                                                                  \
        enum { RUN = 2 * MST_LANES };                                     \
        const struct random_kernels *k = MST_PICK(random_kernels);        \
        type run[RUN];                                                    \
        for (size_t done = 0; done < n;) {                                \
            uint64_t block = (first + done) / 2;                          \
            size_t skip = (size_t)((first + done) % 2);                   \
            size_t count = n - done < RUN - skip ? n - done : RUN - skip; \
            k->kernel(r.seed, r.stream, block, run);                      \
            memcpy(out + done, run + skip, count * sizeof *out);          \
            done += count;                                                \
        }                                                                 \
    } while (0)

void mst_random_bits(mst_random r, uint64_t first, size_t n, uint64_t *out)
{
    COPY_FROM_RUNS(uint64_t, bits);
}

void mst_random_uniforms(mst_random r, uint64_t first, size_t n, double *out)
{
    COPY_FROM_RUNS(double, uniforms);
}

void mst_random_normals(mst_random r, uint64_t first, size_t n, double *out)
{
    COPY_FROM_RUNS(double, normals);
}

/* Unbiased integers one after another: a cursor over the bits of a stream. */
typedef struct cursor {
    mst_random r;
    uint64_t next;
    size_t left;
    uint64_t words[2 * MST_LANES];
} cursor;

/* Uniform on 0 … bound−1 (Lemire's multiplication with rejection). */
static uint64_t draw_below(cursor *c, uint64_t bound)
{
    for (;;) {
        enum { RUN = 2 * MST_LANES };
        if (c->left == 0) {
            mst_random_bits(c->r, c->next, RUN, c->words);
            c->next += RUN;
            c->left = RUN;
        }
        __extension__ unsigned __int128 product =
            (unsigned __int128)c->words[RUN - c->left--] * bound;
        if ((uint64_t)product >= -bound % bound)
            return (uint64_t)(product >> 64);
    }
}

void mst_random_permutation(mst_random r, size_t n, size_t *out)
{
    cursor c = {.r = r};
    for (size_t i = 0; i < n; i++) {
        size_t j = (size_t)draw_below(&c, i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* A sparse Fisher–Yates shuffle: `key` remembers which slots of the virtual array 0 … n−1 were swapped. */
typedef struct slot {
    size_t key, value;
    bool used;
} slot;

static slot *find_slot(slot *table, size_t mask, size_t key)
{
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & mask;
    while (table[at].used && table[at].key != key)
        at = (at + 1) & mask;
    return &table[at];
}

mst_status mst_random_choice(mst_random r, size_t n, size_t k, size_t *out)
{
    if (k > n)
        return mst_fail(MST_ARGUMENT, "cannot choose %zu different ones out of %zu", k, n);
    size_t size = 4;
    while (size / 2 < k)
        size *= 2;
    slot *table;
    MST_TRY(mst_allocate_zero(&table, size));
    cursor c = {.r = r};
    for (size_t i = 0; i < k; i++) {
        size_t j = i + (size_t)draw_below(&c, n - i);
        slot *from = find_slot(table, size - 1, j);
        out[i] = from->used ? from->value : j;
        /* Position i is never drawn again, so only what j now holds has to be remembered. */
        slot *at_i = find_slot(table, size - 1, i);
        size_t moved = at_i->used ? at_i->value : i;
        *from = (slot){.key = j, .value = moved, .used = true};
    }
    mst_release(table);
    return MST_OK;
}
