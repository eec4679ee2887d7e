/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/gauss.h"

#include <math.h>

/* Zeros of the Legendre polynomial by Newton's method. */
void mst_gauss_rule(size_t n, double *node, double *weight)
{
    const double pi = 3.14159265358979323846, order = (double)n;
    for (size_t k = 0; k < n; k++) {
        double x = cos(pi * ((double)k + 0.75) / (order + 0.5)), slope = 1;
        for (size_t step = 0; step < 20; step++) {
            double a = 1, b = x;
            for (size_t q = 2; q <= n; q++) {
                double c = ((2 * (double)q - 1) * x * b - ((double)q - 1) * a) / (double)q;
                a = b;
                b = c;
            }
            slope = order * (x * b - a) / (x * x - 1);
            x -= b / slope;
        }
        node[k] = 0.5 * (1 - x);
        weight[k] = 1 / ((1 - x * x) * slope * slope);
    }
}
