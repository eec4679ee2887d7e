/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where rows are on a table, and what it says there. */
#include "heat/radial_kernels.h"

#include "base/hot.h"
#include "heat/kernel_parts.h"

#include <math.h>
#include <string.h>

/* |x − y|² is summed as it is; the rest is a product with a small matrix. */
static void chords(const radial_place *p, size_t n, const double *restrict x, double *restrict z,
                   double *restrict c)
{
    for (size_t i = 0; i < n; i++)
        z[i] = 0;
    for (size_t k = 0; k < p->dim; k++)
        memset(c + k * HEAT_BLOCK, 0, n * sizeof *c);
    double difference[HEAT_BLOCK];
    for (size_t a = 0; a < p->ambient; a++) {
        double y = p->y[a];
        MST_SIMD
        for (size_t i = 0; i < n; i++) {
            difference[i] = x[i * p->stride + a] - y;
            z[i] += difference[i] * difference[i];
        }
        for (size_t k = 0; k < p->dim; k++) {
            double by = p->c[k * p->ambient + a];
            double *to = c + k * HEAT_BLOCK;
            MST_SIMD
            for (size_t i = 0; i < n; i++)
                to[i] += by * difference[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        z[i] *= p->half;
}

/* cosh r − 1 from sinh² r = |c|², which keeps the digits of far points. */
static void boosts(const radial_place *p, size_t n, double *restrict z, const double *restrict c)
{
    for (size_t i = 0; i < n; i++)
        z[i] = 0;
    for (size_t k = 0; k < p->dim; k++) {
        const double *from = c + k * HEAT_BLOCK;
        MST_SIMD
        for (size_t i = 0; i < n; i++)
            z[i] += from[i] * from[i];
    }
    MST_SIMD
    for (size_t i = 0; i < n; i++)
        z[i] = z[i] / (1 + sqrt(1 + z[i]));
}

static void angles(const radial_place *p, size_t n, const double *restrict x, double *restrict z,
                   double *restrict c)
{
    const double two_pi = 6.283185307179586, two_pi_low = 2.4492935982947064e-16;
    double y = p->y[0];
    MST_SIMD
    for (size_t i = 0; i < n; i++) {
        double difference = x[i * p->stride] - y, turns = rint(difference / two_pi);
        double angle = (difference - turns * two_pi) - turns * two_pi_low;
        c[i] = angle;
        z[i] = fabs(angle);
    }
}

static void place(const radial_place *p, size_t n, const double *x, double *z, double *c)
{
    x += p->column;
    if (p->kind == RADIAL_ANGLE) {
        angles(p, n, x, z, c);
        return;
    }
    chords(p, n, x, z, c);
    if (p->kind == RADIAL_BOOST)
        boosts(p, n, z, c);
}

static void look_up(const radial_table *t, size_t n, const double *restrict z,
                    double *restrict values)
{
    double s[HEAT_BLOCK];
    const double *term[HEAT_BLOCK];
    double sign = t->top > 0 ? -1 : 1, from = t->top > 0 ? t->top : 1;
    for (size_t i = 0; i < n; i++) {
        double at = z[i] < t->last ? z[i] : t->last, w = from + sign * at;
        uint64_t bits;
        memcpy(&bits, &w, sizeof bits);
        bool near = at < t->edge || (t->top > 0 && w >= 1); /* rounding may have the edge */
        size_t octave = (size_t)((bits >> RADIAL_OCTAVE_SHIFT) - t->first),
               uniform = (size_t)(at * t->per_unit),
               piece = !near                  ? t->uniform + octave
                       : uniform < t->uniform ? uniform
                                              : t->uniform - 1;
        s[i] = ((near ? at : w) - t->centre[piece]) * t->steepness[piece];
        term[i] = t->term + piece * RADIAL_TERMS * RADIAL_VALUES;
    }
    for (size_t i = 0; i < n; i++) {
        double sum[RADIAL_VALUES], by = s[i];
        const double *a = term[i] + (RADIAL_TERMS - 1) * RADIAL_VALUES;
        for (int k = 0; k < RADIAL_VALUES; k++)
            sum[k] = a[k];
        for (int j = 1; j < RADIAL_TERMS; j++) {
            a -= RADIAL_VALUES;
            for (int k = 0; k < RADIAL_VALUES; k++)
                sum[k] = sum[k] * by + a[k];
        }
        for (int k = 0; k < RADIAL_VALUES; k++)
            values[i * RADIAL_VALUES + (size_t)k] = sum[k];
    }
}

const struct radial_table_kernels HOT(radial_table_kernels) = {
    .place = place,
    .look_up = look_up,
};
