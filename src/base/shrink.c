/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include <manistat/shrink.h>
#include <math.h>

const char *mst_shrink_name(mst_shrink shrink)
{
    static const char *const names[] = {"none", "value", "oas", "ledoit-wolf"};
    return (size_t)shrink < sizeof names / sizeof *names ? names[shrink] : "unknown";
}

double mst_shrink_oas(size_t p, const double *s, double samples)
{
    double largest = 0, trace = 0, off = 0, size = (double)p;
    for (size_t k = 0; k < p * p; k++)
        largest = fmax(largest, fabs(s[k]));
    if (!(largest > 0))
        return 0;
    /* In units of the largest entry, as squares of small ones would be lost. */
    for (size_t i = 0; i < p; i++)
        trace += s[i * p + i] / largest;
    /* tr S² − tr²S/p, which is the square of the distance from the target, without a difference. */
    for (size_t k = 0; k < p * p; k++) {
        double d = s[k] / largest - (k % (p + 1) == 0 ? trace / size : 0);
        off += d * d;
    }
    double squares = off + trace * trace / size;
    double above = (1 - 2 / size) * squares + trace * trace;
    double below = (samples + 1 - 2 / size) * off;
    return above < below ? fmax(above / below, 0) : 1;
}

void mst_shrink_matrix(size_t p, double intensity, double *s)
{
    double target = 0;
    for (size_t i = 0; i < p; i++)
        target += s[i * p + i] / (double)p;
    for (size_t k = 0; k < p * p; k++)
        s[k] *= 1 - intensity;
    for (size_t i = 0; i < p; i++)
        s[i * p + i] += intensity * target;
}
