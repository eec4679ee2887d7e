/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Preloaded: the allocation of number MST_FAIL_AT fails, and every one after it for MST_FAIL_AFTER; how many
 * there were goes to the file MST_FAIL_COUNT. With MST_FAIL_OWN only those count that the program itself
 * makes, and not those of its shared libraries. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long number;
static long at, after;
static uintptr_t low, high = UINTPTR_MAX; /* callers that count */

/* The first object is the program. */
static int find_program(struct dl_phdr_info *object, size_t size, void *user)
{
    (void)size, (void)user;
    low = UINTPTR_MAX, high = 0;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        uintptr_t begin = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
        uintptr_t end = begin + object->dlpi_phdr[k].p_memsz;
        if (object->dlpi_phdr[k].p_type == PT_LOAD) {
            low = begin < low ? begin : low;
            high = end > high ? end : high;
        }
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *one = getenv("MST_FAIL_AT"), *all = getenv("MST_FAIL_AFTER");
    at = one != NULL ? atol(one) : 0;
    after = all != NULL ? atol(all) : 0;
    if (getenv("MST_FAIL_OWN") != NULL)
        dl_iterate_phdr(find_program, NULL);
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

static int fails(void *caller)
{
    if ((uintptr_t)caller < low || (uintptr_t)caller >= high)
        return 0;
    long k = atomic_fetch_add(&number, 1) + 1;
    if ((at <= 0 || k != at) && (after <= 0 || k < after))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(__builtin_return_address(0)))
        return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out != NULL ? 0 : ENOMEM;
}
