/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/isa.h"

#include <manistat/version.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"generic", "v3", "v4"};

const char *mst_isa_name(enum mst_isa isa)
{
    return names[isa];
}

/* The names of whole levels are gcc's; clang is asked for what stands for them. */
#if defined __x86_64__ && defined __clang__
#define HAS_V3                                                          \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && \
     __builtin_cpu_supports("bmi2"))
#define HAS_V4                                                                             \
    (HAS_V3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") && \
     __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
#elif defined __x86_64__
#define HAS_V3 __builtin_cpu_supports("x86-64-v3")
#define HAS_V4 __builtin_cpu_supports("x86-64-v4")
#endif

static enum mst_isa best_here(void)
{
    enum mst_isa best = MST_ISA_GENERIC;
#if defined MST_HAS_LEVELS
    __builtin_cpu_init();
    if (HAS_V3)
        best = MST_ISA_V3;
#if !defined MST_WITHOUT_V4
    if (HAS_V4)
        best = MST_ISA_V4;
#endif
#endif
    return best;
}

/* −1 until somebody asks. Threads that ask at the same time find the same answer, so no order is needed. */
static atomic_int chosen = -1;

void mst_isa_choose(const char *name)
{
    enum mst_isa best = best_here();
    int isa = (int)best;
    const char *wish = name != NULL ? name : getenv("MANISTAT_ISA");
    for (int i = 0; wish != NULL && i < (int)best; i++)
        if (strcmp(wish, names[i]) == 0)
            isa = i;
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
}

enum mst_isa mst_isa(void)
{
    int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (isa < 0) {
        mst_isa_choose(NULL);
        isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    }
    return (enum mst_isa)isa;
}

const char *mst_instruction_set(void)
{
    return mst_isa_name(mst_isa());
}
