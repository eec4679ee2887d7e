/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Permutation tests of columns where there are few rows for each coordinate, or few clusters. In the tangent
 * space at the mean the residuals of the regression without the tested columns change places (Freedman and
 * Lane). What the tested columns explain is compared in units of its own error, which residuals of the full
 * regression tell (HC2, for all coordinates alike): rows need not be spread alike. */
#include "base/linalg.h"
#include "stat/regress_parts.h"

#include <manistat/random.h>
#include <math.h>
#include <string.h>

static const uint64_t permutation_stream = UINT64_C(0x7265677265) << 20;

size_t regress_add_orthonormal(size_t n, const double *column, size_t stride, size_t found,
                               double *q)
{
    const double rounding = 1e-9;
    double *u = q + found * n, norm = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        u[i] = column != NULL ? column[i * stride] : 1;
        before += u[i] * u[i];
    }
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
    if (!(norm > rounding * sqrt(before)))
        return found;
    for (size_t i = 0; i < n; i++)
        u[i] /= norm;
    return found + 1;
}

typedef struct permutation {
    size_t n, d, kept, all; /* columns of q: those that stay come first */
    double *q;              /* (n, all): orthonormal columns */
    double *left;           /* (n): 1/(1 − leverage), 0 where nothing is left */
    double *e;              /* (n, d): residuals of the columns that stay */
    double *along;          /* (d, all) */
    double *spread;         /* (tested, tested), and as much room again */
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

/* e less what the columns that stay explain. */
static void leave_residuals(permutation *p)
{
    project(p);
    for (size_t i = 0; i < p->n; i++)
        for (size_t a = 0; a < p->d; a++)
            for (size_t k = 0; k < p->kept; k++)
                p->e[i * p->d + a] -= p->along[a * p->all + k] * p->q[i * p->all + k];
}

/* spread (tested, tested): Σ r_i²/(1 − h_i) q_i q_iᵀ of the residuals r of all columns. */
static void add_spread(const permutation *p)
{
    size_t tested = p->all - p->kept;
    memset(p->spread, 0, tested * tested * sizeof *p->spread);
    for (size_t i = 0; i < p->n; i++) {
        const double *q = p->q + i * p->all, *e = p->e + p->order[i] * p->d;
        double square = 0;
        for (size_t a = 0; a < p->d; a++) {
            double rest = e[a];
            for (size_t k = 0; k < p->all; k++)
                rest -= p->along[a * p->all + k] * q[k];
            square += rest * rest;
        }
        square *= p->left[i] / (double)p->d;
        for (size_t k = 0; k < tested; k++)
            for (size_t l = 0; l <= k; l++)
                p->spread[k * tested + l] += square * q[p->kept + k] * q[p->kept + l];
    }
}

/* Σ bᵀ S⁻¹ b over the coordinates, b what the tested columns explain and S its spread; 0 where that is
 * singular. */
static double statistic_of(const permutation *p)
{
    size_t tested = p->all - p->kept;
    double sum = 0, *l = p->spread + tested * tested;
    project(p);
    add_spread(p);
    if (mst_cholesky(1, tested, p->spread, l, NULL) != MST_OK)
        return 0;
    for (size_t a = 0; a < p->d; a++) {
        double *b = p->along + a * p->all + p->kept;
        for (size_t k = 0; k < tested; k++) {
            for (size_t e = 0; e < k; e++)
                b[k] -= l[k * tested + e] * b[e];
            b[k] /= l[k * tested + k];
            sum += b[k] * b[k];
        }
    }
    return sum;
}

/* Orthonormal columns of z (n, k), those that stay first, from (all, n) in `room` to q. */
static void fill_columns(permutation *p, size_t k, const double *z, const unsigned char *marked,
                         double *room)
{
    size_t n = p->n, found = regress_add_orthonormal(n, NULL, 0, 0, room);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t c = 0; c < k; c++)
            if (marked[c] == pass)
                found = regress_add_orthonormal(n, z + c, k, found, room);
        if (pass == 0)
            p->kept = found;
    }
    p->all = found;
    for (size_t i = 0; i < n; i++) {
        double left = 1;
        for (size_t c = 0; c < p->all; c++) {
            p->q[i * p->all + c] = room[c * n + i];
            left -= room[c * n + i] * room[c * n + i];
        }
        p->left[i] = left > 1e-6 ? 1 / left : 0;
    }
}

/* ← the means (count, width) of clusters of the rows x (n, width). */
static void average(size_t n, size_t width, size_t count, const size_t *of, double *x,
                    double *means)
{
    memset(means, 0, count * (width + 1) * sizeof *means);
    double *rows = means + count * width;
    for (size_t i = 0; i < n; i++) {
        rows[of[i]]++;
        for (size_t a = 0; a < width; a++)
            means[of[i] * width + a] += (x[i * width + a] - means[of[i] * width + a]) / rows[of[i]];
    }
    memcpy(x, means, count * width * sizeof *x);
}

/* Permutations until all are done, or so many reach the value that the columns explain nothing. */
static void count(permutation *p, const mst_regress_options *o, mst_regress_test *test)
{
    for (size_t i = 0; i < p->n; i++)
        p->order[i] = i;
    leave_residuals(p);
    double here = statistic_of(p);
    if (!(here > 0))
        return;
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

mst_status regress_permute(const regress_job *j, const double *mean, size_t clusters,
                           const size_t *of, const unsigned char *marked, mst_regress_test *test)
{
    size_t n = j->n, k = j->k, m = k + 1, wide = j->d > k ? j->d : k, tested = 0;
    permutation p = {.n = of != NULL ? clusters : n, .d = j->d};
    for (size_t c = 0; c < k; c++)
        tested += marked[c];
    MST_TRY(mst_allocate(&p.q, 2 * n * m + n + n * j->d + j->d * m + 2 * m * m + n * k +
                                   clusters * (wide + 1)));
    double *room = p.q + n * m;
    p.left = room + n * m;
    p.e = p.left + n;
    p.along = p.e + n * j->d;
    p.spread = p.along + j->d * m;
    double *z = p.spread + 2 * m * m, *means = z + n * k;
    mst_status status = mst_allocate(&p.order, p.n);
    memcpy(z, j->z, n * k * sizeof *z);
    if (status == MST_OK)
        status = seen_from_mean(j, mean, p.e);
    if (status == MST_OK && of != NULL) {
        average(n, k, clusters, of, z, means);
        average(n, j->d, clusters, of, p.e, means);
    }
    fill_columns(&p, k, z, marked, room);
    if (status == MST_OK && p.all - p.kept == tested && p.all < p.n)
        count(&p, j->o, test);
    mst_release(p.order);
    mst_release(p.q);
    return status;
}
