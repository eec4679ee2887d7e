/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Permutation tests of columns where there are few rows for each coordinate. In the tangent space at the mean
 * the residuals of the regression without the tested columns change places (Freedman and Lane), and the share
 * of their square that the tested columns explain is compared. */
#include "stat/regress_parts.h"

#include <manistat/random.h>
#include <math.h>
#include <string.h>

static const uint64_t permutation_stream = UINT64_C(0x7265677265) << 20;

size_t regress_add_orthonormal(size_t n, const double *column, size_t stride, size_t found,
                               double *q)
{
    double *u = q + found * n, norm = 0;
    for (size_t i = 0; i < n; i++)
        u[i] = column != NULL ? column[i * stride] : 1;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < found; k++) {
            double along = 0;
            for (size_t i = 0; i < n; i++)
                along += u[i] * q[k * n + i];
            for (size_t i = 0; i < n; i++)
                u[i] -= along * q[k * n + i];
        }
    for (size_t i = 0; i < n; i++)
        norm += u[i] * u[i];
    norm = sqrt(norm);
    for (size_t i = 0; i < n; i++)
        u[i] /= norm;
    return found + 1;
}

typedef struct permutation {
    size_t n, d, kept, all; /* columns of q: those that stay come first */
    double *q;              /* (n, all): orthonormal columns */
    double *e;              /* (n, d): residuals of the columns that stay */
    double *along;          /* (d, all) */
    double total;           /* Σ e² */
    size_t *order;          /* (n) */
} permutation;

/* Coordinates of the rows at the mean, e (n, d). */
static mst_status seen_from_mean(const regress_job *j, const double *mean, double *e)
{
    size_t n = j->n, D = j->D;
    double *base;
    MST_TRY(mst_allocate(&base, 2 * n * D));
    double *v = base + n * D;
    for (size_t i = 0; i < n; i++)
        memcpy(base + i * D, mean, D * sizeof *base);
    mst_status status = mst_manifold_log(j->m, n, base, j->y, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(j->m, n, base, v, e);
    mst_release(base);
    return status;
}

/* along (d, all) = (qᵀ e)ᵀ with the rows of e in the order. The innermost loop has no sum in it. */
static void project(const permutation *p)
{
    memset(p->along, 0, p->d * p->all * sizeof *p->along);
    for (size_t i = 0; i < p->n; i++) {
        const double *q = p->q + i * p->all, *e = p->e + p->order[i] * p->d;
        for (size_t a = 0; a < p->d; a++) {
            double *to = p->along + a * p->all;
            for (size_t k = 0; k < p->all; k++)
                to[k] += e[a] * q[k];
        }
    }
}

/* e less what the columns that stay explain, and its square. */
static void leave_residuals(permutation *p)
{
    project(p);
    p->total = 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t a = 0; a < p->d; a++) {
            double *e = p->e + i * p->d + a;
            for (size_t k = 0; k < p->kept; k++)
                *e -= p->along[a * p->all + k] * p->q[i * p->all + k];
            p->total += *e * *e;
        }
}

/* The share of the rest that the tested columns explain, whatever the other columns make of the order. */
static double statistic_of(const permutation *p)
{
    double tested = 0, others = 0;
    project(p);
    for (size_t a = 0; a < p->d; a++)
        for (size_t k = 0; k < p->all; k++) {
            double along = p->along[a * p->all + k];
            *(k < p->kept ? &others : &tested) += along * along;
        }
    return tested / (p->total - others);
}

/* Orthonormal columns, those that stay first, from (all, n) in `room` to q. */
static void fill_columns(permutation *p, const regress_job *j, const unsigned char *marked,
                         double *room)
{
    size_t n = p->n, k = j->k, found = regress_add_orthonormal(n, NULL, 0, 0, room);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < k; c++)
            if (marked[c] == pass)
                found = regress_add_orthonormal(n, j->z + c, k, found, room);
        if (pass == 0)
            p->kept = found;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < p->all; c++)
            p->q[i * p->all + c] = room[c * n + i];
}

/* Permutations until all are done, or so many reach the value that the columns explain nothing. */
static void count(permutation *p, const mst_regress_options *o, mst_regress_test *test)
{
    for (size_t i = 0; i < p->n; i++)
        p->order[i] = i;
    leave_residuals(p);
    double here = statistic_of(p);
    size_t done = 0, reached = 0, enough = o->resamples / 20 > 20 ? o->resamples / 20 : 20;
    while (done < o->resamples && reached < enough) {
        mst_random_permutation((mst_random){o->seed, permutation_stream + done}, p->n, p->order);
        reached += statistic_of(p) >= here * (1 - 1e-12);
        done++;
    }
    test->method = MST_REGRESS_PERMUTATION;
    test->statistic = here;
    test->p_value = (double)(reached + 1) / (double)(done + 1);
}

mst_status regress_permute(const regress_job *j, const double *mean, const unsigned char *marked,
                           mst_regress_test *test)
{
    permutation p = {.n = j->n, .d = j->d, .all = j->k + 1};
    MST_TRY(mst_allocate(&p.q, 2 * p.n * p.all + p.n * p.d + p.d * p.all));
    double *room = p.q + p.n * p.all;
    p.e = room + p.n * p.all;
    p.along = p.e + p.n * p.d;
    mst_status status = mst_allocate(&p.order, p.n);
    fill_columns(&p, j, marked, room);
    if (status == MST_OK)
        status = seen_from_mean(j, mean, p.e);
    if (status == MST_OK)
        count(&p, j->o, test);
    mst_release(p.order);
    mst_release(p.q);
    return status;
}
