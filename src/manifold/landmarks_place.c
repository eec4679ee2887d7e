/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One point of a landmark manifold: kernel values and Cholesky's factor. */
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 8 };

void landmark_columns(const landmark_shape *s, const double *row, double *columns)
{
    memset(columns, 0, s->space * s->wide * sizeof *columns);
    for (size_t a = 0; a < s->count; a++)
        for (size_t c = 0; c < s->space; c++)
            columns[c * s->wide + a] = row[a * s->space + c];
}

void landmark_row(const landmark_shape *s, const double *columns, double *row)
{
    for (size_t a = 0; a < s->count; a++)
        for (size_t c = 0; c < s->space; c++)
            row[a * s->space + c] = columns[c * s->wide + a];
}

mst_status landmark_place_new(landmark_place *p, const landmark_shape *s)
{
    size_t square = s->count * s->wide;
    *p = (landmark_place){
        .shape = s, .kernels = MST_PICK(landmark_kernels), .half = s->space * s->wide};
    MST_TRY(mst_allocate_zero(&p->memory,
                              (LANDMARK_ORDERS + 1) * square + 5 * p->half + s->count * COLUMNS));
    double *at = p->memory;
    for (int o = 0; o < LANDMARK_ORDERS; o++, at += square)
        p->pair[o] = at;
    p->root = at;
    p->by_rows = at + square;
    p->q = p->by_rows + s->count * COLUMNS;
    p->room = p->q + p->half;
    return MST_OK;
}

void landmark_place_free(landmark_place *p)
{
    mst_release(p->memory);
    *p = (landmark_place){0};
}

bool landmark_place_columns(landmark_place *p, const double *q, int order)
{
    const landmark_shape *s = p->shape;
    memmove(p->q, q, p->half * sizeof *q);
    p->kernels->pairs(s, p->q, order, p->pair);
    memcpy(p->root, p->pair[0], s->count * s->wide * sizeof *q);
    return p->kernels->cholesky(s->count, s->wide, p->root);
}

bool landmark_place_at(landmark_place *p, const double *row, int order)
{
    landmark_columns(p->shape, row, p->q);
    return landmark_place_columns(p, p->q, order);
}

/* Columns of coordinates as a matrix (count, COLUMNS), and back. */
static double *gather(const landmark_place *p, const double *v)
{
    const landmark_shape *s = p->shape;
    memset(p->by_rows, 0, s->count * COLUMNS * sizeof *v);
    for (size_t c = 0; c < s->space; c++)
        for (size_t a = 0; a < s->count; a++)
            p->by_rows[a * COLUMNS + c] = v[c * s->wide + a];
    return p->by_rows;
}

static void scatter(const landmark_place *p, double *v)
{
    const landmark_shape *s = p->shape;
    for (size_t c = 0; c < s->space; c++)
        for (size_t a = 0; a < s->count; a++)
            v[c * s->wide + a] = p->by_rows[a * COLUMNS + c];
}

void landmark_whiten(const landmark_place *p, double *v)
{
    const landmark_shape *s = p->shape;
    p->kernels->solve_lower(s->count, s->wide, p->root, COLUMNS, COLUMNS, gather(p, v));
    scatter(p, v);
}

void landmark_momentum(const landmark_place *p, double *xi)
{
    const landmark_shape *s = p->shape;
    p->kernels->solve_upper(s->count, s->wide, p->root, COLUMNS, COLUMNS, gather(p, xi));
    scatter(p, xi);
}

void landmark_lower(const landmark_place *p, double *v)
{
    landmark_whiten(p, v);
    landmark_momentum(p, v);
}

void landmark_colour(const landmark_place *p, double *xi)
{
    const landmark_shape *s = p->shape;
    for (size_t c = 0; c < s->space; c++) {
        double *column = xi + c * s->wide;
        for (size_t a = s->count; a-- > 0;) {
            double sum = 0;
            for (size_t b = 0; b <= a; b++)
                sum += p->root[b * s->wide + a] * column[b];
            column[a] = sum;
        }
    }
}

void landmark_inverse(const landmark_place *p, double *inverse)
{
    const landmark_shape *s = p->shape;
    size_t n = s->count, wide = s->wide;
    memset(inverse, 0, n * wide * sizeof *inverse);
    for (size_t a = 0; a < n; a++)
        inverse[a * wide + a] = 1;
    p->kernels->solve_lower(n, wide, p->root, wide, wide, inverse);
    p->kernels->solve_upper(n, wide, p->root, wide, wide, inverse);
}

double landmark_log_det(const landmark_place *p)
{
    double sum = 0;
    for (size_t a = 0; a < p->shape->count; a++)
        sum += 2 * log(p->root[a * p->shape->wide + a]);
    return sum;
}

void landmark_turn(const landmark_place *at, const double *p, const double *dx, double *w)
{
    const landmark_shape *s = at->shape;
    size_t wide = s->wide;
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            double change = 0;
            for (size_t c = 0; c < s->space; c++) {
                size_t i = c * wide + a, j = c * wide + b;
                change += (at->q[i] - at->q[j]) * (dx[i] - dx[j]);
            }
            change *= at->pair[1][a * wide + b];
            for (size_t c = 0; c < s->space; c++)
                w[c * wide + a] -= change * p[c * wide + b];
        }
}

void landmark_bend(const landmark_place *at, const double *p, const double *dx, const double *dp,
                   double *out)
{
    const landmark_shape *s = at->shape;
    size_t wide = s->wide;
    memset(out, 0, at->half * sizeof *out);
    for (size_t a = 0; a < s->count; a++)
        for (size_t b = 0; b < s->count; b++) {
            double k1 = at->pair[1][a * wide + b], k2 = at->pair[2][a * wide + b];
            double dot = 0, change = 0, along = 0;
            for (size_t c = 0; c < s->space; c++) {
                size_t i = c * wide + a, j = c * wide + b;
                dot += p[i] * p[j];
                change += dp[i] * p[j] + p[i] * dp[j];
                along += (at->q[i] - at->q[j]) * (dx[i] - dx[j]);
            }
            for (size_t c = 0; c < s->space; c++) {
                size_t i = c * wide + a, j = c * wide + b;
                out[i] -= (change * k1 + dot * k2 * along) * (at->q[i] - at->q[j]) +
                          dot * k1 * (dx[i] - dx[j]);
            }
        }
}
