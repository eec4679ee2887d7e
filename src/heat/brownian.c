/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion: the geodesic walk, Euler steps in a chart, and exact draws where the law is simple. Work
 * is split into blocks of paths that do not depend on the number of threads; the noise of a path depends on
 * its number alone. */
#include "base/linalg.h"
#include "base/options.h"
#include "base/random_kernels.h"
#include "heat/radial_law.h"
#include "manifold/leaving.h"

#include <inttypes.h>
#include <manistat/brownian.h>
#include <math.h>
#include <string.h>

/* A multiple of MST_LANES, so that paths keep their lanes; small enough to keep both
 * cores busy to the end. */
enum { BLOCK = 8 * MST_LANES };

/* Steps between two looks at whether to stop: well below a second on any manifold. */
enum { PATIENCE = 256 };

typedef struct job {
    const mst_manifold *m;
    const double *start;
    double time;
    const mst_brownian_options *options;
    bool whole;            /* paths rather than end points */
    double *out;           /* (n, D) or (n, steps + 1, D) */
    const radial_law *law; /* of a step of exact sampling on a curved manifold, else null */
} job;

mst_brownian_options mst_brownian_options_default(void)
{
    return (mst_brownian_options){.size = sizeof(mst_brownian_options),
                                  .method = MST_BROWNIAN_TANGENT,
                                  .steps = 100,
                                  .seed = 2712};
}

bool mst_brownian_has_exact(const mst_manifold *m)
{
    return mst_manifold_is_flat(m) || radial_law_fits(m);
}

/* Row k of the paths of a lane group, from rows x. */
static void record(const job *j, size_t begin, size_t n, size_t k, const double *x)
{
    size_t D = j->m->ambient, length = j->options->steps + 1;
    for (size_t i = 0; i < n; i++)
        memcpy(j->out + ((begin + i) * length + k) * D, x + i * D, D * sizeof *x);
}

/* Steps per end point: one where steps of any length are exact. */
static size_t step_count(const job *j)
{
    return j->options->method == MST_BROWNIAN_EXACT && !j->whole ? 1 : j->options->steps;
}

/* The radius of an exact step has its own random numbers, far behind those of the directions. */
static const uint64_t radius_numbers = UINT64_C(1) << 62;

/* One exact step in place of up to MST_LANES points: a uniform direction, and a distance
 * drawn from its law. */
static mst_status exact_step(const job *j, size_t n, double *x, mst_noise noise)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    size_t d = j->m->dim, even = (d + 1) / 2 * 2;
    double *work, u[MST_LANES];
    MST_TRY(mst_allocate(&work, MST_LANES * (even + d + j->m->ambient)));
    double(*z)[MST_LANES] = (double(*)[MST_LANES])work;
    double *c = work + MST_LANES * even, *v = c + MST_LANES * d;
    random->step(noise.seed, noise.first_path, noise.first_step, d, z);
    random->step_uniform(noise.seed, noise.first_path, radius_numbers + noise.first_step, u);
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 0; k < d; k++)
            square += z[k][i] * z[k][i];
        double scale = radial_law_quantile(j->law, u[i]) / sqrt(square);
        for (size_t k = 0; k < d; k++)
            c[i * d + k] = scale * z[k][i];
    }
    mst_status status = mst_manifold_from_frame(j->m, n, x, c, v);
    if (status == MST_OK)
        status = mst_manifold_exp(j->m, n, x, v, x);
    mst_release(work);
    return status;
}

/* The steps of paths begin … begin+n−1: geodesic ones, which are exact on a flat manifold, or exact ones. */
static mst_status walk_group(const job *j, size_t begin, size_t n, double *x)
{
    const mst_brownian_options *o = j->options;
    size_t steps = step_count(j);
    double h = j->time / (double)steps;
    size_t stride = j->whole || j->law != NULL ? 1 : PATIENCE;
    mst_noise noise = {o->seed, o->first_path + begin, 0};
    for (size_t k = 0, count; k < steps; k += count) {
        count = steps - k < stride ? steps - k : stride;
        noise.first_step = k;
        mst_status status = j->law != NULL ? exact_step(j, n, x, noise)
                                           : mst_manifold_walk(j->m, n, x, h, count, noise);
        if (status == MST_OK && !mst_can_be_left(j->m) && !mst_all_finite(n * j->m->ambient, x))
            status = MST_BREAKDOWN;
        if (status == MST_DOMAIN || status == MST_BREAKDOWN)
            return mst_fail(
                MST_BREAKDOWN,
                "paths on %s ran so far that doubles no longer resolve them; take a shorter time%s",
                j->m->spec, mst_brownian_has_exact(j->m) ? " or the method exact" : "");
        MST_TRY(status);
        if (j->whole)
            record(j, begin, n, k + 1, x);
        MST_TRY(mst_parallel_tick((double)n * (double)count / (double)steps));
    }
    return MST_OK;
}

/* Up to MST_LANES walkers, each in a chart of its own. Those who have left the domain rest at the start. */
typedef struct charts {
    bool lost[MST_LANES];
    double (*z)[MST_LANES]; /* noise */
    double *centre, *point; /* (n, D) */
    double *u, *b, *sigma;  /* (n, d), (n, d), (n, d, d) */
    double *memory;
} charts;

static mst_status charts_new(charts *s, size_t d, size_t D)
{
    size_t noise = (d + 1) / 2 * 2;
    MST_TRY(mst_allocate(&s->memory, MST_LANES * (noise + 2 * D + 2 * d + d * d)));
    s->z = (double(*)[MST_LANES])s->memory;
    s->centre = s->memory + noise * MST_LANES;
    s->point = s->centre + MST_LANES * D;
    s->u = s->point + MST_LANES * D;
    s->b = s->u + MST_LANES * d;
    s->sigma = s->b + MST_LANES * d;
    return MST_OK;
}

/* u ← u + b h + σ √h ξ for walker i; the squared length of the new u. */
static double euler_step(size_t i, size_t d, double h, double root, charts *s)
{
    double square = 0;
    for (size_t a = 0; a < d; a++) {
        double sum = 0;
        for (size_t k = 0; k < d; k++)
            sum += s->sigma[(i * d + a) * d + k] * s->z[k][i];
        double u = s->u[i * d + a] + s->b[i * d + a] * h + root * sum;
        s->u[i * d + a] = u;
        square += u * u;
    }
    return square;
}

static void chart_lose(const job *j, size_t i, charts *s)
{
    s->lost[i] = true;
    mst_manifold_start(j->m, s->centre + i * j->m->ambient);
    memset(s->u + i * j->m->dim, 0, j->m->dim * sizeof *s->u);
}

/* A failure at walker i in step k, counted from 0. */
static mst_status chart_failed(const job *j, size_t path, size_t i, size_t k, mst_status status,
                               charts *s)
{
    if (status != MST_DOMAIN)
        return status;
    if (!mst_can_be_left(j->m))
        return mst_fail(MST_BREAKDOWN,
                        "path %" PRIu64 " (counted from 1) left its chart in step %zu; take more "
                        "steps or the method tangent",
                        j->options->first_path + path + 1, k + 1);
    chart_lose(j, i, s);
    return MST_OK;
}

/* The points of all walkers into s->point; who has none is lost. */
static mst_status chart_points(const job *j, size_t begin, size_t n, size_t k, charts *s)
{
    size_t d = j->m->dim, D = j->m->ambient;
    mst_status status = mst_manifold_chart_point(j->m, n, s->centre, s->u, s->point);
    for (size_t i = 0; status == MST_DOMAIN && i < n; i++) {
        double *point = s->point + i * D;
        MST_TRY(chart_failed(
            j, begin + i, i, k,
            mst_manifold_chart_point(j->m, 1, s->centre + i * D, s->u + i * d, point), s));
    }
    for (size_t i = 0; i < n; i++)
        if (s->lost[i])
            mst_lose(D, s->point + i * D);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* Drift and roots where the walkers are. */
static mst_status chart_rates(const job *j, size_t begin, size_t n, size_t k, charts *s)
{
    const mst_manifold *m = j->m;
    size_t d = m->dim, D = m->ambient;
    mst_status status = mst_manifold_chart_diffusion(m, n, s->centre, s->u, s->b, s->sigma);
    if (status != MST_DOMAIN)
        return status;
    for (size_t i = 0; i < n; i++)
        MST_TRY(chart_failed(j, begin + i, i, k - (k > 0),
                             mst_manifold_chart_diffusion(m, 1, s->centre + i * D, s->u + i * d,
                                                          s->b + i * d, s->sigma + i * d * d),
                             s));
    return MST_OK;
}

/* The group's paths in charts; a walker whose coordinates get large moves to the chart
 * centred at its point. */
static mst_status chart_group(const job *j, size_t begin, size_t n, double *x, charts *s)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    const mst_brownian_options *o = j->options;
    size_t d = j->m->dim, D = j->m->ambient;
    double h = j->time / (double)o->steps, root = sqrt(h), radius = mst_manifold_chart_radius(j->m);
    memcpy(s->centre, x, n * D * sizeof *x);
    memset(s->u, 0, n * d * sizeof *s->u);
    memset(s->lost, 0, sizeof s->lost);
    for (size_t k = 0; k < o->steps; k++) {
        random->step(o->seed, o->first_path + begin, k, d, s->z);
        MST_TRY(chart_rates(j, begin, n, k, s));
        for (size_t i = 0; i < n; i++) {
            if (s->lost[i] || euler_step(i, d, h, root, s) <= radius * radius)
                continue;
            mst_status status =
                mst_manifold_chart_point(j->m, 1, s->centre + i * D, s->u + i * d, s->point);
            MST_TRY(chart_failed(j, begin + i, i, k, status, s));
            if (status != MST_OK)
                continue;
            memcpy(s->centre + i * D, s->point, D * sizeof *s->point);
            memset(s->u + i * d, 0, d * sizeof *s->u);
        }
        if (j->whole) {
            MST_TRY(chart_points(j, begin, n, k, s));
            record(j, begin, n, k + 1, s->point);
        }
        if (k % PATIENCE == PATIENCE - 1)
            MST_TRY(mst_parallel_tick((double)n * PATIENCE / (double)o->steps));
    }
    MST_TRY(chart_points(j, begin, n, o->steps - 1, s));
    memcpy(x, s->point, n * D * sizeof *x);
    return MST_OK;
}

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    size_t D = j->m->ambient;
    bool in_charts = j->options->method == MST_BROWNIAN_CHART;
    charts s = {0};
    if (in_charts)
        MST_TRY(charts_new(&s, j->m->dim, D));
    double *x;
    mst_status status = mst_allocate(&x, MST_LANES * D);
    for (size_t at = begin; status == MST_OK && at < end; at += MST_LANES) {
        size_t n = end - at < MST_LANES ? end - at : MST_LANES;
        memcpy(x, j->start + at * D, n * D * sizeof *x);
        if (j->whole)
            record(j, at, n, 0, x);
        status = in_charts ? chart_group(j, at, n, x, &s) : walk_group(j, at, n, x);
        if (!j->whole)
            memcpy(j->out + at * D, x, n * D * sizeof *x);
    }
    mst_release(x);
    mst_release(s.memory);
    return status;
}

/* By the last rows of the paths. */
static size_t count_lost(const job *j, size_t n)
{
    size_t D = j->m->ambient, length = j->whole ? j->options->steps + 1 : 1, lost = 0;
    for (size_t i = 0; mst_can_be_left(j->m) && i < n; i++)
        lost += mst_is_lost(D, j->out + ((i + 1) * length - 1) * D);
    return lost;
}

static mst_status run(job *j, size_t n, const mst_brownian_options *options)
{
    mst_brownian_options taken;
    MST_TRY(MST_TAKE_OPTIONS(&taken, mst_brownian_options, options));
    const mst_brownian_options *o = j->options = &taken;
    if (!(j->time > 0) || !isfinite(j->time))
        return mst_fail(MST_ARGUMENT, "the time must be positive and finite, not %g", j->time);
    if (o->steps < 1 || o->steps > 1000000000)
        return mst_fail(MST_ARGUMENT, "the number of steps must be from 1 to 10^9, not %zu",
                        o->steps);
    if (o->method != MST_BROWNIAN_TANGENT && o->method != MST_BROWNIAN_CHART &&
        o->method != MST_BROWNIAN_EXACT)
        return mst_fail(MST_ARGUMENT, "there is no method number %d", (int)o->method);
    if (o->method == MST_BROWNIAN_EXACT && !mst_brownian_has_exact(j->m))
        return mst_fail(MST_UNABLE, "no exact sampling on %s; use the methods tangent or chart",
                        j->m->spec);
    radial_law law = {0};
    double h = j->time / (double)step_count(j);
    /* For shorter steps the geodesic step, whose error is of the order (d h)², is exact to rounding. */
    bool curved = !mst_manifold_is_flat(j->m) && h * (double)j->m->dim > 1e-8;
    if (o->method == MST_BROWNIAN_EXACT && curved) {
        MST_TRY(radial_law_new(&law, j->m, h));
        j->law = &law;
    }
    mst_status status = mst_parallel_blocks(n, BLOCK, o->threads, o->progress, run_block, j);
    radial_law_release(&law);
    if (status == MST_OK && o->left != NULL)
        *o->left = count_lost(j, n);
    return status;
}

mst_status mst_brownian_endpoints(const mst_manifold *m, size_t n, const double *start, double time,
                                  const mst_brownian_options *options, double *end)
{
    return run(&(job){.m = m, .start = start, .time = time, .out = end}, n, options);
}

mst_status mst_brownian_paths(const mst_manifold *m, size_t n, const double *start, double time,
                              const mst_brownian_options *options, double *path)
{
    return run(&(job){.m = m, .start = start, .time = time, .whole = true, .out = path}, n,
               options);
}
