/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where rows are on a table, and what it says there. */
#include "heat/radial_kernels.h"

#include "base/hot.h"

#include <math.h>
#include <string.h>

/* |x − y|² is summed as it is; the rest is a product with a small matrix. */
static void chords(const radial_place *p, size_t n, const double *restrict x, double *restrict z,
                   double *restrict c)
{
    for (size_t i = 0; i < n; i++)
        z[i] = 0;
    for (size_t k = 0; k < p->dim; k++)
        memset(c + k * RADIAL_ROWS, 0, n * sizeof *c);
    double difference[RADIAL_ROWS];
    for (size_t a = 0; a < p->ambient; a++) {
        double y = p->y[a];
        MST_SIMD
        for (size_t i = 0; i < n; i++) {
            difference[i] = x[i * p->stride + a] - y;
            z[i] += difference[i] * difference[i];
        }
        for (size_t k = 0; k < p->dim; k++) {
            double by = p->c[k * p->ambient + a];
            double *to = c + k * RADIAL_ROWS;
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
        const double *from = c + k * RADIAL_ROWS;
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
    double s[RADIAL_ROWS];
    const double *term[RADIAL_ROWS];
    for (size_t i = 0; i < n; i++) {
        double at = z[i] < t->last ? z[i] : t->last, w = t->top > 0 ? t->top - at : INFINITY;
        bool far = w < 1, near = at < t->low;
        double by = far ? w : at;
        uint64_t bits;
        memcpy(&bits, &by, sizeof bits);
        size_t eighth = bits >> RADIAL_OCTAVE_SHIFT, uniform = (size_t)(at * t->per_unit);
        uniform = uniform < t->uniform ? uniform : t->uniform - 1; /* rounding may have the end */
        size_t piece = far    ? t->far + (eighth - t->first_w)
                       : near ? uniform
                              : t->uniform + (eighth - t->first_z);
        s[i] = (by - t->centre[piece]) * t->steepness[piece];
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
        for (size_t k = 0; k < RADIAL_VALUES - 1; k++)
            values[k * RADIAL_ROWS + i] = sum[k];
    }
}

/* In eight sums, whose order does not depend on the machine. */
static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double sum[8] = {0};
    for (size_t i = 0; i < n; i += 8)
        for (size_t k = 0; k < 8; k++)
            sum[k] += a[i + k] * b[i + k];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static void multiply(size_t n, const double *restrict a, const double *restrict b,
                     double *restrict out)
{
    MST_SIMD
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

/* Scores (d), the same with weights (d), and t ∂_t log p. */
static void fill_gradients(const radial_block *b, double *score, double *weighted, double *by_time)
{
    size_t n = b->n;
    memset(by_time, 0, n * sizeof *by_time);
    for (size_t f = 0; f < b->factors; f++) {
        const radial_factor_rows *r = &b->factor[f];
        const double *g = r->values + RADIAL_G * RADIAL_ROWS,
                     *dt = r->values + RADIAL_DT * RADIAL_ROWS;
        for (size_t a = 0; a < r->dim; a++) {
            const double *c = r->c + a * RADIAL_ROWS;
            double *s = score + (r->first + a) * RADIAL_ROWS;
            MST_SIMD
            for (size_t i = 0; i < n; i++)
                s[i] = -g[i] * c[i];
            multiply(n, s, b->weights, weighted + (r->first + a) * RADIAL_ROWS);
        }
        MST_SIMD
        for (size_t i = 0; i < n; i++)
            by_time[i] += b->t * dt[i];
    }
}

static void add_outer(const radial_block *b, const double *score, const double *weighted,
                      const double *by_time, double *outer)
{
    size_t n = b->n, d = b->d, width = d + 1;
    for (size_t k = 0; k < d; k++) {
        const double *w = weighted + k * RADIAL_ROWS;
        for (size_t l = 0; l <= k; l++) {
            double sum = dot(n, w, score + l * RADIAL_ROWS);
            outer[k * width + l] += sum;
            outer[l * width + k] += l < k ? sum : 0;
        }
        double sum = dot(n, w, by_time);
        outer[k * width + d] += sum;
        outer[d * width + k] += sum;
    }
}

static void add_hessian(const radial_block *b, double *room, double *hessian)
{
    size_t n = b->n, d = b->d;
    for (size_t f = 0; f < b->factors; f++) {
        const radial_factor_rows *r = &b->factor[f];
        const double *mixed = r->values + RADIAL_MIXED * RADIAL_ROWS;
        double across = dot(n, b->weights, r->values + RADIAL_ACROSS * RADIAL_ROWS);
        double *weighted = room + RADIAL_ROWS;
        multiply(n, mixed, b->weights, weighted);
        for (size_t k = 0; k < r->dim; k++) {
            size_t row = r->first + k;
            multiply(n, weighted, r->c + k * RADIAL_ROWS, room);
            for (size_t l = 0; l <= k; l++) {
                double sum = dot(n, room, r->c + l * RADIAL_ROWS);
                hessian[row * d + r->first + l] += sum;
                hessian[(r->first + l) * d + row] += l < k ? sum : 0;
            }
            hessian[row * d + row] += across;
        }
    }
}

static void add_cross(const radial_block *b, double *room, double *cross)
{
    size_t n = b->n;
    double t = b->t;
    for (size_t f = 0; f < b->factors; f++) {
        const radial_factor_rows *r = &b->factor[f];
        const double *w = b->weights, *g_dt = r->values + RADIAL_G_DT * RADIAL_ROWS;
        multiply(n, g_dt, w, room);
        for (size_t k = 0; k < r->dim; k++)
            cross[r->first + k] -= t * dot(n, room, r->c + k * RADIAL_ROWS);
        cross[b->d] += t * (dot(n, w, r->values + RADIAL_DT * RADIAL_ROWS) +
                            t * dot(n, w, r->values + RADIAL_DTT * RADIAL_ROWS));
    }
}

static void add(const radial_block *b, const radial_sums *sums)
{
    size_t n = b->n, d = b->d;
    double *score = b->room, *weighted = score + d * RADIAL_ROWS;
    double *by_time = weighted + d * RADIAL_ROWS, *room = by_time + RADIAL_ROWS;
    for (size_t f = 0; sums->log_p != NULL && f < b->factors; f++)
        *sums->log_p += dot(n, b->weights, b->factor[f].values + RADIAL_LOG_P * RADIAL_ROWS);
    if (sums->gradient != NULL) {
        fill_gradients(b, score, weighted, by_time);
        for (size_t k = 0; k < d; k++)
            sums->gradient[k] += dot(n, b->weights, score + k * RADIAL_ROWS);
        sums->gradient[d] += dot(n, b->weights, by_time);
        multiply(n, by_time, b->weights, room);
        double squares = dot(n, room, by_time);
        *sums->square += squares;
        for (size_t k = 0; k < d; k++)
            *sums->square += b->t * dot(n, weighted + k * RADIAL_ROWS, score + k * RADIAL_ROWS);
        if (sums->outer != NULL) {
            add_outer(b, score, weighted, by_time, sums->outer);
            sums->outer[(d + 1) * (d + 1) - 1] += squares;
        }
    }
    if (sums->hessian != NULL)
        add_hessian(b, room, sums->hessian);
    if (sums->cross != NULL)
        add_cross(b, room, sums->cross);
}

const struct radial_table_kernels HOT(radial_table_kernels) = {
    .place = place,
    .look_up = look_up,
    .add = add,
};
