/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/internal.h"
#include "support/support.h"

#include <string.h>

/* The address sanitizer would stop the program instead of returning null for absurd sizes. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

START_TEST(blocks_are_aligned_and_writable)
{
    static const size_t counts[] = {1, 7, 8, 9, 64, 1000, 100001};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double *x = NULL;
        ASSERT_OK(mst_allocate(&x, counts[i]));
        ck_assert_uint_eq((uintptr_t)x % 64, 0);
        memset(x, 0xa5, counts[i] * sizeof *x);
        mst_release(x);
        ASSERT_OK(mst_allocate_zero(&x, counts[i]));
        ck_assert_uint_eq((uintptr_t)x % 64, 0);
        for (size_t k = 0; k < counts[i]; k++)
            ck_assert(x[k] == 0 && !signbit(x[k]));
        mst_release(x);
    }
}
END_TEST

START_TEST(lists_grow)
{
    enum { N = 1000 };
    size_t *list = NULL, capacity = 0, moves = 0;
    for (size_t i = 0; i < N; i++) {
        size_t *before = list;
        ASSERT_OK(mst_grow(&list, i, &capacity));
        moves += list != before;
        ck_assert_uint_gt(capacity, i);
        list[i] = i;
    }
    for (size_t i = 0; i < N; i++)
        ck_assert_uint_eq(list[i], i);
    ck_assert_uint_le(moves, 10);
    /* A size that no memory has: the list stays as it is. */
    size_t *before = list, huge = SIZE_MAX / 16;
    ASSERT_FAILS(MST_MEMORY, mst_grow(&list, huge, &huge));
    ck_assert_ptr_eq(list, before);
    ck_assert_uint_eq(huge, SIZE_MAX / 16);
    mst_release(list);
}
END_TEST

START_TEST(zero_items_are_a_block)
{
    double *x = NULL;
    ASSERT_OK(mst_allocate(&x, 0));
    ck_assert_ptr_nonnull(x);
    mst_release(x);
    ASSERT_OK(mst_allocate_zero(&x, 0));
    ck_assert_ptr_nonnull(x);
    mst_release(x);
    mst_release(NULL);
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    static const struct {
        size_t count, size;
    } sizes[] = {{SIZE_MAX, 8},       {SIZE_MAX / 8 + 1, 8}, {SIZE_MAX, 1},
                 {SIZE_MAX - 63, 1},  {PTRDIFF_MAX, 1},      {PTRDIFF_MAX / 2 + 1, 2},
                 {(size_t)1 << 60, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *p = &p;
        ASSERT_FAILS(MST_MEMORY, mst_allocate_bytes(&p, sizes[i].count, sizes[i].size));
        ck_assert_ptr_null(p);
        p = &p;
        ASSERT_FAILS(MST_MEMORY, mst_allocate_zero_bytes(&p, sizes[i].count, sizes[i].size));
        ck_assert_ptr_null(p);
    }
}
END_TEST

START_TEST(strings_are_copied)
{
    char *copy = NULL;
    const char *text = "product(sphere:2,circle)";
    ASSERT_OK(mst_copy_string(&copy, text));
    ck_assert_str_eq(copy, text);
    ck_assert_ptr_ne(copy, text);
    mst_release(copy);
    ASSERT_OK(mst_copy_string(&copy, ""));
    ck_assert_str_eq(copy, "");
    mst_release(copy);
}
END_TEST

int main(void)
{
    return RUN_SUITE("memory", 20, {blocks_are_aligned_and_writable, 0}, {lists_grow, 0},
                     {zero_items_are_a_block, 0}, {sizes_that_overflow_are_refused, 0},
                     {strings_are_copied, 0});
}
