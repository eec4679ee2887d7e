/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fused multiply-adds change roundings, and the kernels for v3 and v4 use them: test those too. */
#if defined __x86_64__
#define VECMATH_NEEDS_FMA
#if defined __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#endif
#include "test_vecmath.c"
#if defined __x86_64__ && defined __clang__
#pragma clang attribute pop
#endif
