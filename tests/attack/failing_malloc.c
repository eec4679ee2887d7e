/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Preloaded: the allocation of number MST_FAIL_AT fails, and every one after it for MST_FAIL_AFTER; how many
 * there were goes to the file MST_FAIL_COUNT. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long number;
static long at, after;

__attribute__((constructor)) static void begin(void)
{
    const char *one = getenv("MST_FAIL_AT"), *all = getenv("MST_FAIL_AFTER");
    at = one != NULL ? atol(one) : 0;
    after = all != NULL ? atol(all) : 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("MST_FAIL_COUNT");
    long total = atomic_load(&number);
    FILE *to = path != NULL ? fopen(path, "w") : NULL;
    if (to != NULL) {
        fprintf(to, "%ld\n", total);
        fclose(to);
    }
}

static int fails(void)
{
    long k = atomic_fetch_add(&number, 1) + 1;
    if ((at <= 0 || k != at) && (after <= 0 || k < after))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails())
        return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out != NULL ? 0 : ENOMEM;
}
