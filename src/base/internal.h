/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What every layer uses and no user sees: memory, threads, error passing. */
#ifndef MST_BASE_INTERNAL_H
#define MST_BASE_INTERNAL_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stdint.h>

/* Return from the enclosing function on failure. */
#define MST_TRY(call)                       \
    do {                                    \
        mst_status mst_try_status = (call); \
        if (mst_try_status != MST_OK)       \
            return mst_try_status;          \
    } while (0)

/* count·size bytes on a 64-byte boundary, not cleared; *out is null exactly on failure (MST_MEMORY), also
 * when the product overflows. count = 0 gives a pointer to free. Release with mst_release. */
MST_MUST_USE mst_status mst_allocate_bytes(void **out, size_t count, size_t size);
#define mst_allocate(out, count) mst_allocate_bytes((void **)(out), (count), sizeof **(out))
/* The same, cleared. */
MST_MUST_USE mst_status mst_allocate_zero_bytes(void **out, size_t count, size_t size);
#define mst_allocate_zero(out, count) \
    mst_allocate_zero_bytes((void **)(out), (count), sizeof **(out))
void mst_release(void *p);
/* How often this thread, or a block that it ran on others, got no memory. Who asks many questions whose
 * answer may be "cannot be told" compares before and after: what cannot be told for want
 * of memory is an error. */
size_t mst_shortages(void);
void mst_shortages_add(size_t count);
/* Makes sure that a list of `count` items has a place for one more: when its capacity is used up it moves to
 * a place of twice the size (16 items at first; *list may be null then). On failure nothing has changed. */
MST_MUST_USE mst_status mst_grow_bytes(void **list, size_t count, size_t *capacity, size_t size);
#define mst_grow(list, count, capacity) \
    mst_grow_bytes((void **)(list), (count), (capacity), sizeof **(list))
/* A copy of a string; release with mst_release. */
MST_MUST_USE mst_status mst_copy_string(char **out, const char *text);

/* Make `line` (length bytes) the excerpt of the last failure, with a caret below the byte `at`. */
void mst_error_show(const char *line, size_t length, size_t at);

/* Split 0 … n−1 into blocks of `block` (the last may be shorter) and run them on the calling thread and on up
 * to `threads` − 1 threads of the pool (mst_thread_count), as far as they come. Blocks do not depend on the
 * number of threads, so neither do results. A call inside a block of a shared call runs on the thread of that
 * block. After the first failure no new block starts; the failure of the lowest failing block that ran is
 * returned, with its detail. Progress is reported in items, on the calling thread. */
typedef mst_status mst_block_function(void *context, size_t begin, size_t end);
MST_MUST_USE mst_status mst_parallel_blocks(size_t n, size_t block, int threads,
                                            mst_progress progress, mst_block_function *run,
                                            void *context);

/* For long blocks, called from inside one: `items` more of its items are done (fractions count).
 * MST_INTERRUPTED when the block should give up because somebody asked to stop or another block failed.
 * Outside a block: MST_OK. */
MST_MUST_USE mst_status mst_parallel_tick(double items);

/* Is this thread in such a block? */
bool mst_in_parallel_block(void);

/* For workspaces: the number of this thread among those that run the blocks of the call, below
 * mst_thread_count(threads). The calling thread is 0. */
size_t mst_parallel_slot(void);

/* The number of threads that may work for an option `threads`: as many as it says, or, for 0 or less, as many
 * as the environment variable MANISTAT_THREADS or else OMP_NUM_THREADS says, or else one per core; and in all
 * cases at most one per core that the process may use (base/cores.h). */
int mst_thread_count(int threads);

#endif
