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

void formula_domain_check(const formula_domain *d, size_t columns, size_t n, const double *x,
                          unsigned char *inside)
{
    memset(inside, d->count == 0, n); /* without memory nothing is inside */
    if (d->count == 0)
        return;
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
