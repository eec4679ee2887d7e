/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The two loops of BFGS with limited memory (Nocedal 1980). */
#include "stat/bfgs.h"

#include <string.h>

mst_status bfgs_new(bfgs *m, size_t q, size_t capacity)
{
    *m = (bfgs){.q = q, .capacity = capacity};
    MST_TRY(mst_allocate(&m->s, 2 * capacity * q));
    m->y = m->s + capacity * q;
    return MST_OK;
}

void bfgs_free(bfgs *m)
{
    mst_release(m->s);
}

static double dot(size_t q, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < q; k++)
        sum += a[k] * b[k];
    return sum;
}

void bfgs_remember(bfgs *m, const double *step, const double *change)
{
    size_t at = m->count % m->capacity;
    double curvature = dot(m->q, step, change);
    if (!(curvature > 0))
        return;
    memcpy(m->s + at * m->q, step, m->q * sizeof *step);
    memcpy(m->y + at * m->q, change, m->q * sizeof *change);
    m->rho[at] = 1 / curvature;
    m->count++;
}

static size_t pairs_of(const bfgs *m)
{
    return m->count < m->capacity ? m->count : m->capacity;
}

void bfgs_begin(const bfgs *m, double *direction, double alpha[BFGS_MOST])
{
    for (size_t k = 0; k < pairs_of(m); k++) {
        size_t at = (m->count - 1 - k) % m->capacity;
        alpha[k] = m->rho[at] * dot(m->q, m->s + at * m->q, direction);
        for (size_t a = 0; a < m->q; a++)
            direction[a] -= alpha[k] * m->y[at * m->q + a];
    }
}

void bfgs_end(const bfgs *m, const double alpha[BFGS_MOST], double *direction)
{
    for (size_t k = pairs_of(m); k-- > 0;) {
        size_t at = (m->count - 1 - k) % m->capacity;
        double beta = m->rho[at] * dot(m->q, m->y + at * m->q, direction);
        for (size_t a = 0; a < m->q; a++)
            direction[a] += m->s[at * m->q + a] * (alpha[k] - beta);
    }
}

double bfgs_scale(const bfgs *m)
{
    if (m->count == 0)
        return 1;
    size_t at = (m->count - 1) % m->capacity;
    const double *y = m->y + at * m->q;
    return 1 / (m->rho[at] * dot(m->q, y, y));
}
