/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers side by side in one register, for *.hot.c files that keep many of them there: as many as the
 * instruction set holds, because wider vectors are taken apart badly. What happens in a lane never depends on
 * the others. Never passed by value: that has no fixed convention. */
#ifndef MST_BASE_WIDE_H
#define MST_BASE_WIDE_H

#include <math.h>
#include <string.h>

#if defined __AVX512F__
enum { WIDE = 8 };
#elif defined __AVX2__
enum { WIDE = 4 };
#else
enum { WIDE = 2 };
#endif

typedef double wide __attribute__((vector_size(WIDE * sizeof(double))));

/* What comparisons give, −1 or 0 in each lane, and a choice by it. */
typedef long long wide_mask __attribute__((vector_size(WIDE * sizeof(long long))));
#define WIDE_CHOOSE(mask, yes, no) \
    ((wide)(((mask) & (wide_mask)(yes)) | (~(mask) & (wide_mask)(no))))

#define EACH_WIDE for (size_t k = 0; k < WIDE; k++)
#define INLINE static inline __attribute__((always_inline))

static const wide zero;

INLINE void wide_root(wide *a)
{
    _Alignas(64) double of[WIDE];
    memcpy(of, a, sizeof of);
    EACH_WIDE of[k] = sqrt(of[k]);
    memcpy(a, of, sizeof of);
}

#endif
