/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels on manifolds from the radial functions of radial.h. A family is told by how it finds, for a block of
 * pairs, the distance and the direction of x seen from y; products add up. */
#include "heat/kernel_parts.h"
#include "manifold/internal.h"

#include <manistat/heat.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* The parts, first match wins. */
static const heat_part parts[] = {
    {heat_gaussian_fits, heat_gaussian}, {heat_torus_fits, heat_torus},
    {heat_radial_fits, heat_radial},     {heat_spd2_fits, heat_spd2},
    {heat_product_fits, heat_product},
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
                    "spd:1, spd:2, spd:n?metric=log-euclidean and their products have one",
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

/* Beyond these, derivatives of size 1/t² leave the range of doubles on the way; Gaussians do without. */
static const double least_time = 1e-50, largest_time = 1e50;

typedef struct job {
    const mst_manifold *m;
    const double *x, *y, *times;
    double time;
    bool per_row; /* a time per row, or one for all */
    const mst_heat_values *out;
} job;

/* NaN and infinities would go through minima and maxima and come out as numbers. By the bits, because such a loop
 * vectorises. */
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

static mst_status check_rows(const job *j, size_t at, size_t n)
{
    const double *const points[] = {j->x, j->y};
    size_t D = j->m->ambient;
    for (int k = 0; k < 2; k++)
        if (!all_finite(n * D, points[k] + at * D)) {
            size_t row = at;
            while (all_finite(D, points[k] + row * D))
                row++;
            return mst_fail(MST_DOMAIN, "row %zu: a coordinate of %c is not finite", row + 1,
                            "xy"[k]);
        }
    return MST_OK;
}

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t D = j->m->ambient;
    double same[HEAT_BLOCK];
    for (size_t at = begin; at < end; at += HEAT_BLOCK) {
        size_t n = end - at < HEAT_BLOCK ? end - at : HEAT_BLOCK;
        for (size_t i = 0; !j->per_row && i < n; i++)
            same[i] = j->time;
        MST_TRY(check_rows(j, at, n));
        mst_heat_values out = heat_values_at(j->out, j->m, at);
        MST_TRY(heat_block(j->m, n, j->x + at * D, j->y + at * D, j->per_row ? j->times + at : same,
                           &out));
    }
    return MST_OK;
}

static mst_status run(const job *j, size_t n, int threads)
{
    MST_TRY(mst_heat_require_exact(j->m));
    bool limited = !heat_gaussian_fits(j->m);
    for (size_t i = 0; i < (j->per_row ? n : 1); i++) {
        double t = j->per_row ? j->times[i] : j->time;
        if (!(t > 0) || !isfinite(t))
            return mst_fail(MST_ARGUMENT, "row %zu: the time must be positive and finite, not %g",
                            i + 1, t);
        if (limited && (t < least_time || t > largest_time))
            return mst_fail(MST_ARGUMENT,
                            "row %zu: the time %g is out of range; it must be from %g to %g", i + 1,
                            t, least_time, largest_time);
    }
    return mst_parallel_blocks(n, 4 * HEAT_BLOCK, threads, (mst_progress){0}, run_block, (void *)j);
}

mst_status mst_heat_kernel(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double time, int threads, const mst_heat_values *out)
{
    return run(&(job){m, x, y, NULL, time, false, out}, n, threads);
}

mst_status mst_heat_kernel_times(const mst_manifold *m, size_t n, const double *x, const double *y,
                                 const double *times, int threads, const mst_heat_values *out)
{
    return run(&(job){m, x, y, times, 0, true, out}, n, threads);
}
