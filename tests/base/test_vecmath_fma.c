/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fused multiply-adds change roundings, and the kernels for v3 and v4 use them: test those too. */
#if defined __x86_64__
#pragma GCC target("avx2,fma")
#define VECMATH_NEEDS_FMA
#endif
#include "test_vecmath.c"
