/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where a manifold from formulas is. */
#include "manifold/formula_metric.h"

#include <string.h>

mst_status formula_domain_compile(formula_domain *d, const formula_file *file)
{
    d->count = file->bounds_count;
    return d->count == 0 ? MST_OK
                         : formula_compile(&d->bounds, &file->graph, d->count, file->bounds);
}

void formula_domain_release(formula_domain *d)
{
    formula_program_release(&d->bounds);
}

/* One block of rows on the stack: most domains are small, and then memory cannot be the reason for a point to
 * be outside. */
enum { STACK_REGISTERS = 24, STACK_BOUNDS = 8, STACK_COLUMNS = 16 };

static void check_on_stack(const formula_domain *d, size_t columns, size_t n, const double *x,
                           unsigned char *inside)
{
    double registers[STACK_REGISTERS * FORMULA_ROWS], value[STACK_BOUNDS][FORMULA_ROWS];
    formula_prepare(&d->bounds, registers);
    for (size_t at = 0; at < n; at += FORMULA_ROWS) {
        size_t count = n - at < FORMULA_ROWS ? n - at : FORMULA_ROWS;
        formula_input in[STACK_COLUMNS];
        formula_output out[STACK_BOUNDS];
        for (size_t k = 0; k < columns; k++)
            in[k] = (formula_input){x + at * columns + k, columns};
        for (size_t k = 0; k < d->count; k++)
            out[k] = (formula_output){value[k], 1};
        formula_run_in(&d->bounds, count, in, out, registers);
        for (size_t i = 0; i < count; i++) {
            inside[at + i] = 1;
            for (size_t k = 0; k < d->count; k++)
                inside[at + i] = inside[at + i] && value[k][i] > 0;
        }
    }
}

void formula_domain_check(const formula_domain *d, size_t columns, size_t n, const double *x,
                          unsigned char *inside)
{
    memset(inside, d->count == 0, n); /* without memory nothing is inside */
    if (d->count == 0)
        return;
    if (d->bounds.registers <= STACK_REGISTERS && d->count <= STACK_BOUNDS &&
        columns <= STACK_COLUMNS) {
        check_on_stack(d, columns, n, x, inside);
        return;
    }
    double *value;
    if (mst_allocate(&value, n * d->count) != MST_OK)
        return;
    if (formula_run_blocks(&d->bounds, n, 1, &(formula_block){columns, x}, 1,
                           &(formula_block_out){d->count, value}) == MST_OK)
        for (size_t i = 0; i < n; i++) {
            inside[i] = 1;
            for (size_t k = 0; k < d->count; k++)
                inside[i] = inside[i] && value[i * d->count + k] > 0;
        }
    mst_release(value);
}
