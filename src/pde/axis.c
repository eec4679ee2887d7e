/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/axis.h"

#include <math.h>
#include <string.h>

enum { P = PDE_DEGREE };

mst_status pde_axis_new(pde_axis *a, size_t cells, const double *at, double period)
{
    *a = (pde_axis){.period = period, .cells = cells, .count = period > 0 ? cells : cells + P};
    MST_TRY(mst_allocate(&a->knot, cells + 1 + 2 * P));
    double *knot = a->knot + P;
    memcpy(knot, at, (cells + 1) * sizeof *at);
    for (size_t k = 1; k <= P; k++) {
        knot[-(ptrdiff_t)k] = period > 0 ? knot[cells - k] - period : at[0];
        knot[cells + k] = period > 0 ? knot[k] + period : at[cells];
    }
    return MST_OK;
}

void pde_axis_free(pde_axis *a)
{
    mst_release(a->knot);
    *a = (pde_axis){0};
}

double pde_axis_begin(const pde_axis *a, size_t cell)
{
    return a->knot[P + cell];
}

size_t pde_axis_cell(const pde_axis *a, double *u)
{
    const double *knot = a->knot + P;
    if (a->period > 0) {
        *u -= a->period * floor((*u - knot[0]) / a->period);
        if (!(*u < knot[a->cells]))
            *u = knot[0];
    }
    if (!(*u >= knot[0] && *u < knot[a->cells]))
        return SIZE_MAX;
    size_t low = 0, high = a->cells;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(knot[middle] <= *u ? &low : &high) = middle;
    }
    return low;
}

size_t pde_axis_function(const pde_axis *a, size_t cell, size_t k)
{
    return a->period > 0 ? (cell + k + a->cells - P) % a->cells : cell + k;
}

void pde_axis_support(const pde_axis *a, size_t function, size_t *first, size_t *last)
{
    *first = a->period > 0 ? function : function > P ? function - P : 0;
    *last = a->period > 0 ? function + P : function < a->cells - 1 ? function : a->cells - 1;
}

bool pde_axis_at_end(const pde_axis *a, size_t function)
{
    const size_t few = 3;
    return a->period == 0 && (function < few || function + few >= a->count);
}

/* One derivative of functions that begin with knot number `first` + k, from those of degree q − 1. */
static void differentiate(size_t q, const double *knot, const double *lower, double *out)
{
    for (size_t k = 0; k <= q; k++) {
        out[k] = 0;
        if (k > 0 && knot[k + q] > knot[k])
            out[k] += (double)q * lower[k - 1] / (knot[k + q] - knot[k]);
        if (k < q && knot[k + q + 1] > knot[k + 1])
            out[k] -= (double)q * lower[k] / (knot[k + q + 1] - knot[k + 1]);
    }
}

void pde_axis_values(const pde_axis *a, size_t cell, double u, double b[3][PDE_SIDE])
{
    const double *knot = a->knot + cell; /* number P begins the cell */
    double left[P + 1], right[P + 1], lower[2][P + 1], slope[P + 1];
    b[0][0] = 1;
    for (size_t q = 1; q <= P; q++) {
        if (q + 2 > P)
            memcpy(lower[P - q], b[0], q * sizeof *b[0]);
        left[q] = u - knot[P + 1 - q];
        right[q] = knot[P + q] - u;
        double saved = 0;
        for (size_t k = 0; k < q; k++) {
            double part = b[0][k] / (right[k + 1] + left[q - k]);
            b[0][k] = saved + right[k + 1] * part;
            saved = left[q - k] * part;
        }
        b[0][q] = saved;
    }
    /* lower[0] has degree P − 1, its functions begin one knot later; lower[1] degree P − 2. */
    differentiate(P, knot, lower[0], b[1]);
    differentiate(P - 1, knot + 1, lower[1], slope);
    differentiate(P, knot, slope, b[2]);
}
