/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_FORMULA_PROGRAM_KERNELS_H
#define MST_FORMULA_PROGRAM_KERNELS_H

#include "base/isa.h"
#include "formula/program.h"

/* Runs the code on registers (·, FORMULA_ROWS) of which the first `rows` entries count, a multiple of 8. */
struct formula_kernels {
    void (*run)(size_t length, const formula_instruction *code, size_t rows, double *registers);
    /* Every stride-th number from `from` on, and back. */
    void (*gather)(size_t count, size_t stride, const double *restrict from, double *restrict to);
    void (*scatter)(size_t count, size_t stride, const double *restrict from, double *restrict to);
};
MST_DECLARE_HOT(struct formula_kernels, formula_kernels);

#endif
