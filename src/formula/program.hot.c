/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The loops of a program, one for each instruction. Rows come in eights, so that every row is computed by
 * the same vector instructions whatever stands beside it. */
#include "base/hot.h"
#include "base/vecmath.h"
#include "formula/program_kernels.h"

#include <stddef.h>
#include <string.h>

#define EACH_ROW \
    MST_SIMD     \
    for (size_t k = 0; k < rows; k++)

/* Registers never overlap: the compiler of programs does not reuse a register in the instruction that reads
 * it last. */
typedef struct operands {
    double *restrict to, *restrict other;
    const double *a, *b, *c;
} operands;

/* Functions without a loop of their own, row by row; but rows that fill up a block repeat the last one. */
static void plain(formula_operation op, bool two, size_t rows, operands r)
{
    for (size_t k = 0; k < rows; k++) {
        bool again = k > 0 && vm_bits(r.a[k]) == vm_bits(r.a[k - 1]) &&
                     (!two || vm_bits(r.b[k]) == vm_bits(r.b[k - 1]));
        r.to[k] = again ? r.to[k - 1] : formula_value(op, r.a[k], two ? r.b[k] : 0);
    }
}

/* The vector functions have a range. Rows outside it are done again one by one, so that a row does not depend
 * on its neighbours. */
static bool is_angle(double x)
{
    return vm_abs(x) <= VM_SINCOS_LIMIT;
}

static bool is_normal(double x)
{
    return x >= 2.3e-308 && x < 1e308;
}

static bool all_rows(size_t rows, const double *x, bool (*in_range)(double))
{
    bool good = true;
    for (size_t k = 0; k < rows; k++)
        good &= in_range(x[k]);
    return good;
}

static void redo_rows(formula_operation op, size_t rows, const double *x, bool (*in_range)(double),
                      double *to)
{
    for (size_t k = 0; k < rows; k++)
        if (!in_range(x[k]))
            to[k] = formula_value(op, x[k], 0);
}

static void sine_cosine(size_t rows, operands r)
{
    EACH_ROW vm_sincos(r.a[k], &r.to[k], &r.other[k]);
    if (all_rows(rows, r.a, is_angle))
        return;
    redo_rows(FORMULA_SIN, rows, r.a, is_angle, r.to);
    redo_rows(FORMULA_COS, rows, r.a, is_angle, r.other);
}

static void sine(size_t rows, operands r)
{
    EACH_ROW
    {
        double c;
        vm_sincos(r.a[k], &r.to[k], &c);
    }
    if (!all_rows(rows, r.a, is_angle))
        redo_rows(FORMULA_SIN, rows, r.a, is_angle, r.to);
}

static void cosine(size_t rows, operands r)
{
    EACH_ROW
    {
        double s;
        vm_sincos(r.a[k], &s, &r.to[k]);
    }
    if (!all_rows(rows, r.a, is_angle))
        redo_rows(FORMULA_COS, rows, r.a, is_angle, r.to);
}

static void exponential(size_t rows, operands r)
{
    EACH_ROW
    {
        double y = vm_exp(r.a[k]);
        r.to[k] = r.a[k] == r.a[k] ? y : r.a[k];
    }
}

static void logarithm(size_t rows, operands r)
{
    EACH_ROW r.to[k] = vm_log(r.a[k]);
    if (!all_rows(rows, r.a, is_normal))
        redo_rows(FORMULA_LOG, rows, r.a, is_normal, r.to);
}

static void execute(const formula_instruction *i, size_t rows, operands r)
{
    switch (i->op) {
    case FORMULA_ADD:
        EACH_ROW r.to[k] = r.a[k] + r.b[k];
        return;
    case FORMULA_SUBTRACT:
        EACH_ROW r.to[k] = r.a[k] - r.b[k];
        return;
    case FORMULA_MULTIPLY:
        EACH_ROW r.to[k] = r.a[k] * r.b[k];
        return;
    case FORMULA_DIVIDE:
        EACH_ROW r.to[k] = r.a[k] / r.b[k];
        return;
    case FORMULA_NEGATE:
        EACH_ROW r.to[k] = -r.a[k];
        return;
    case FORMULA_SQRT:
        EACH_ROW r.to[k] = sqrt(r.a[k]);
        return;
    case FORMULA_ABS:
        EACH_ROW r.to[k] = vm_abs(r.a[k]);
        return;
    case FORMULA_MIN:
        EACH_ROW r.to[k] = vm_min(r.a[k], r.b[k]);
        return;
    case FORMULA_MAX:
        EACH_ROW r.to[k] = vm_max(r.a[k], r.b[k]);
        return;
    case FORMULA_LESS:
        EACH_ROW r.to[k] = r.a[k] < r.b[k] ? 1 : 0;
        return;
    case FORMULA_EXP:
        exponential(rows, r);
        return;
    case FORMULA_LOG:
        logarithm(rows, r);
        return;
    case FORMULA_SIN:
        sine(rows, r);
        return;
    case FORMULA_COS:
        cosine(rows, r);
        return;
    case FORMULA_MULTIPLY_ADD:
        EACH_ROW r.to[k] = r.a[k] * r.b[k] + r.c[k];
        return;
    case FORMULA_MULTIPLY_SUBTRACT:
        EACH_ROW r.to[k] = r.a[k] * r.b[k] - r.c[k];
        return;
    case FORMULA_SUBTRACT_MULTIPLY:
        EACH_ROW r.to[k] = r.c[k] - r.a[k] * r.b[k];
        return;
    case FORMULA_SINE_COSINE:
        sine_cosine(rows, r);
        return;
    default:
        plain((formula_operation)i->op, formula_arguments((formula_operation)i->op) > 1, rows, r);
    }
}

static void run(size_t length, const formula_instruction *code, size_t rows, double *registers)
{
    for (size_t n = 0; n < length; n++) {
        const formula_instruction *i = &code[n];
        execute(i, rows,
                (operands){registers + (size_t)i->to * FORMULA_ROWS,
                           registers + (size_t)i->other * FORMULA_ROWS,
                           registers + (size_t)i->a * FORMULA_ROWS,
                           registers + (size_t)i->b * FORMULA_ROWS,
                           registers + (size_t)i->c * FORMULA_ROWS});
    }
}

/* Strides that are known beforehand make vector loops, and rows of two or three numbers
 * are the usual ones. */
#define STRIDES(copy)                         \
    switch (stride) {                         \
    case 1:                                   \
        memcpy(to, from, count * sizeof *to); \
        return;                               \
    case 2:                                   \
        for (size_t i = 0; i < count; i++)    \
            copy(2);                          \
        return;                               \
    case 3:                                   \
        for (size_t i = 0; i < count; i++)    \
            copy(3);                          \
        return;                               \
    case 4:                                   \
        for (size_t i = 0; i < count; i++)    \
            copy(4);                          \
        return;                               \
    default:                                  \
        for (size_t i = 0; i < count; i++)    \
            copy(stride);                     \
    }
#define FROM_ROW(wide) to[i] = from[i * (wide)]
#define TO_ROW(wide) to[i * (wide)] = from[i]

static void gather(size_t count, size_t stride, const double *restrict from, double *restrict to)
{
    STRIDES(FROM_ROW)
}

static void scatter(size_t count, size_t stride, const double *restrict from, double *restrict to)
{
    STRIDES(TO_ROW)
}

const struct formula_kernels HOT(formula_kernels) = {
    .run = run, .gather = gather, .scatter = scatter};
