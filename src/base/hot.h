/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* For *.hot.c files, which are compiled once per instruction set: generic x86-64, v3 (AVX2, FMA) and v4
 * (AVX-512). Such a file keeps its functions static and exports one table of pointers,
 *
 *     const struct sphere_kernels HOT(sphere_kernels) = {.log = log_rows, …};
 *
 * and the plain file beside it picks one with MST_PICK(sphere_kernels). Loops run over lanes (lanes.h),
 * always full ones, so that the arithmetic of a row, and with it every bit of the result, does not depend on
 * the rows around it. */
#ifndef MST_BASE_HOT_H
#define MST_BASE_HOT_H

#define HOT_JOIN_(name, isa) name##_##isa
#define HOT_JOIN(name, isa) HOT_JOIN_(name, isa)
#define HOT(name) HOT_JOIN(name, MST_ISA)

/* Independent iterations: lanes never overlap. clang's word for it would also let sums be reordered. */
#if defined __clang__
#define MST_SIMD
#else
#define MST_SIMD _Pragma("GCC ivdep")
#endif

#endif
