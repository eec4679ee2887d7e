/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The loops of a program, one for each instruction. Rows come in eights, so that every row is computed by
 * the same vector instructions whatever stands beside it. */
#include "base/hot.h"
#include "base/vecmath.h"
#include "formula/program_kernels.h"

#include <stddef.h>

#define EACH_ROW \
    MST_SIMD     \
    for (size_t k = 0; k < rows; k++)

/* Registers never overlap: the compiler of programs does not reuse a register in the instruction that reads
 * it last. */
typedef struct operands {
    double *restrict to, *restrict other;
    const double *a, *b, *c;
} operands;

/* Functions without a loop of their own, row by row. */
static void plain(formula_operation op, bool two, size_t rows, operands r)
{
    for (size_t k = 0; k < rows; k++)
        r.to[k] = formula_value(op, r.a[k], two ? r.b[k] : 0);
}

static bool all_below(size_t rows, const double *x, double limit)
{
    double largest = 0;
    bool good = true;
    for (size_t k = 0; k < rows; k++) {
        double size = vm_abs(x[k]);
        good &= size <= limit;
        largest = size > largest ? size : largest;
    }
    return good;
}

static void sine_cosine(size_t rows, operands r)
{
    if (all_below(rows, r.a, VM_SINCOS_LIMIT)) {
        EACH_ROW vm_sincos(r.a[k], &r.to[k], &r.other[k]);
        return;
    }
    for (size_t k = 0; k < rows; k++) {
        r.to[k] = sin(r.a[k]);
        r.other[k] = cos(r.a[k]);
    }
}

static void sine(size_t rows, operands r, bool cosine)
{
    if (!all_below(rows, r.a, VM_SINCOS_LIMIT)) {
        plain(cosine ? FORMULA_COS : FORMULA_SIN, false, rows, r);
        return;
    }
    if (cosine)
        EACH_ROW
        {
            double s, c;
            vm_sincos(r.a[k], &s, &c);
            r.to[k] = c;
        }
    else
        EACH_ROW
        {
            double s, c;
            vm_sincos(r.a[k], &s, &c);
            r.to[k] = s;
        }
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
    bool normal = true;
    for (size_t k = 0; k < rows; k++)
        normal &= r.a[k] >= 2.3e-308 && r.a[k] < 1e308;
    if (normal)
        EACH_ROW r.to[k] = vm_log(r.a[k]);
    else
        plain(FORMULA_LOG, false, rows, r);
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
    case FORMULA_COS:
        sine(rows, r, i->op == FORMULA_COS);
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

const struct formula_kernels HOT(formula_kernels) = {.run = run};
