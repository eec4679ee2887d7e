/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels on manifolds from the radial functions of radial.h. What a manifold says of itself (its
 * traits) decides which part computes its kernel; products add up. */
#include "heat/kernel_parts.h"
#include "manifold/internal.h"

#include <manistat/heat.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The parts, first match wins. */
static const heat_part parts[] = {
    {heat_gaussian_fits, heat_gaussian}, {heat_product_fits, heat_product},
    {heat_torus_fits, heat_torus},       {heat_radial_fits, heat_radial},
    {heat_line_fits, heat_line},
};

static const heat_part *find_part(const mst_manifold *m)
{
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].fits(m))
            return &parts[k];
    return NULL;
}

bool mst_heat_has_exact(const mst_manifold *m)
{
    return find_part(m) != NULL;
}

mst_status mst_heat_require_exact(const mst_manifold *m)
{
    if (mst_heat_has_exact(m))
        return MST_OK;
    return mst_fail(MST_UNABLE,
                    "%s has no closed-form heat kernel; euclidean, circle, torus, sphere, "
                    "hyperbolic, so3, sym, "
                    "spd:1, spd:2, spd:n?metric=log-euclidean, log-cholesky or frobenius and their "
                    "products have one",
                    m->spec);
}

mst_status heat_block(const mst_manifold *m, size_t n, const double *x, const double *y,
                      const double *t, const mst_heat_values *out)
{
    return find_part(m)->run(m, n, x, y, t, out);
}

mst_heat_values heat_values_at(const mst_heat_values *v, const mst_manifold *m, size_t row)
{
    return (mst_heat_values){
        .log_p = v->log_p != NULL ? v->log_p + row : NULL,
        .dt_log_p = v->dt_log_p != NULL ? v->dt_log_p + row : NULL,
        .score = v->score != NULL ? v->score + row * m->ambient : NULL,
        .hessian = v->hessian != NULL ? v->hessian + row * m->dim * m->dim : NULL,
    };
}

mst_pairs mst_pairs_rows(const mst_manifold *m, size_t n, const double *x, const double *y,
                         const double *t)
{
    return (mst_pairs){.n = n, .x = x, .y = y, .t = t, .y_stride = m->ambient, .t_stride = 1};
}

mst_pairs mst_pairs_part(const mst_manifold *m, const mst_pairs *pairs, size_t at, size_t n)
{
    mst_pairs part = *pairs;
    part.n = n;
    part.x += at * m->ambient;
    part.y += at * pairs->y_stride;
    part.t = pairs->t != NULL ? pairs->t + at * pairs->t_stride : NULL;
    part.first += at;
    return part;
}

/* Beyond these, derivatives of size 1/t² leave the range of doubles on the way; Gaussians do without. */
static const double least_time = 1e-50, largest_time = 1e50;

typedef struct job {
    const mst_manifold *m;
    mst_pairs pairs;
    const mst_heat_values *out;
} job;

/* NaN and infinities would go through minima and maxima and come out as numbers. By the bits, because such a
 * loop vectorises. */
static bool all_finite(size_t n, const double *x)
{
    const uint64_t exponent = UINT64_C(0x7ff) << 52;
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits & exponent) == exponent;
    }
    return bad == 0;
}

static mst_status check_rows(const mst_manifold *m, const mst_pairs *p, size_t at)
{
    size_t D = m->ambient;
    const struct {
        const double *points;
        size_t stride;
    } side[] = {{p->x, D}, {p->y, p->y_stride}};
    for (int k = 0; k < 2; k++) {
        const double *points = side[k].points;
        if (all_finite((side[k].stride > 0 ? p->n : 1) * D, points))
            continue;
        size_t row = 0;
        while (all_finite(D, points + row * D))
            row++;
        return mst_fail(MST_DOMAIN, "row %zu: a coordinate of %c is not finite", at + row + 1,
                        "xy"[k]);
    }
    return MST_OK;
}

/* The parts know rows only. What all rows share is repeated here, as often as a block needs it, in `shared`
 * (HEAT_BLOCK·(D + 1)). */
static mst_status run_rows(const job *j, size_t begin, size_t end, double *shared)
{
    size_t D = j->m->ambient, most = end - begin < HEAT_BLOCK ? end - begin : HEAT_BLOCK;
    const mst_pairs *all = &j->pairs;
    double *y = shared, *t = y + (all->y_stride == 0 ? most * D : 0);
    if (all->y_stride == 0)
        mst_repeat_point(most, D, all->y, y);
    for (size_t i = 0; all->t_stride == 0 && i < most; i++)
        t[i] = *all->t;
    for (size_t at = begin; at < end; at += HEAT_BLOCK) {
        mst_pairs p = mst_pairs_part(j->m, all, at, end - at < HEAT_BLOCK ? end - at : HEAT_BLOCK);
        MST_TRY(check_rows(j->m, &p, at));
        mst_heat_values out = heat_values_at(j->out, j->m, at);
        MST_TRY(
            heat_block(j->m, p.n, p.x, p.y_stride == 0 ? y : p.y, p.t_stride == 0 ? t : p.t, &out));
    }
    return MST_OK;
}

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    const mst_pairs *p = &j->pairs;
    size_t rows = end - begin < HEAT_BLOCK ? end - begin : HEAT_BLOCK;
    size_t width = (p->y_stride == 0 ? j->m->ambient : 0) + (p->t_stride == 0 ? 1 : 0);
    double *shared;
    MST_TRY(mst_allocate(&shared, rows * width));
    mst_status status = run_rows(j, begin, end, shared);
    mst_release(shared);
    return status;
}

static mst_status check_times(const mst_manifold *m, const mst_pairs *p)
{
    bool limited = !heat_gaussian_fits(m);
    for (size_t i = 0; i < (p->t_stride > 0 ? p->n : 1); i++) {
        double t = p->t[i];
        if (!(t > 0) || !isfinite(t))
            return mst_fail(MST_ARGUMENT, "row %zu: the time must be positive and finite, not %g",
                            i + 1, t);
        if (limited && (t < least_time || t > largest_time))
            return mst_fail(MST_ARGUMENT,
                            "row %zu: the time %g is out of range; it must be from %g to %g", i + 1,
                            t, least_time, largest_time);
    }
    return MST_OK;
}

mst_status mst_heat_pairs(const mst_manifold *m, const mst_pairs *pairs, int threads,
                          const mst_heat_values *out)
{
    MST_TRY(mst_heat_require_exact(m));
    MST_TRY(check_times(m, pairs));
    job j = {m, *pairs, out};
    return mst_parallel_blocks(pairs->n, 4 * HEAT_BLOCK, threads, (mst_progress){0}, run_block, &j);
}

mst_status mst_heat_kernel(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double time, int threads, const mst_heat_values *out)
{
    mst_pairs pairs = mst_pairs_rows(m, n, x, y, &time);
    pairs.t_stride = 0;
    return mst_heat_pairs(m, &pairs, threads, out);
}

mst_status mst_heat_kernel_times(const mst_manifold *m, size_t n, const double *x, const double *y,
                                 const double *times, int threads, const mst_heat_values *out)
{
    mst_pairs pairs = mst_pairs_rows(m, n, x, y, times);
    return mst_heat_pairs(m, &pairs, threads, out);
}
