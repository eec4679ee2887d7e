/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CAPACITY = 16 };

static _Thread_local size_t shortages;

size_t mst_shortages(void)
{
    return shortages;
}

void mst_shortages_add(size_t count)
{
    shortages += count;
}

mst_status mst_allocate_bytes(void **out, size_t count, size_t size)
{
    *out = NULL;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGNMENT)
        return mst_fail(MST_MEMORY, "cannot allocate %zu items of %zu bytes", count, size);
    /* aligned_alloc wants a multiple of the alignment, and zero bytes must still be a valid block. */
    bytes = (bytes / ALIGNMENT + 1) * ALIGNMENT;
    *out = aligned_alloc(ALIGNMENT, bytes);
    if (*out == NULL) {
        shortages++;
        return mst_fail(MST_MEMORY, "cannot allocate %zu bytes", bytes);
    }
    return MST_OK;
}

mst_status mst_allocate_zero_bytes(void **out, size_t count, size_t size)
{
    MST_TRY(mst_allocate_bytes(out, count, size));
    memset(*out, 0, count * size);
    return MST_OK;
}

void mst_release(void *p)
{
    free(p);
}

mst_status mst_grow_bytes(void **list, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return MST_OK;
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
    void *moved;
    MST_TRY(mst_allocate_bytes(&moved, larger, size));
    if (count > 0)
        memcpy(moved, *list, count * size);
    mst_release(*list);
    *list = moved;
    *capacity = larger;
    return MST_OK;
}

mst_status mst_copy_string(char **out, const char *text)
{
    size_t size = strlen(text) + 1;
    MST_TRY(mst_allocate(out, size));
    memcpy(*out, text, size);
    return MST_OK;
}
