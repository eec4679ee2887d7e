/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The fitted law: a mixture of heat kernels, one for each mean. */
#include "base/internal.h"
#include "plot/picture.h"

#include <manistat/brownian.h>
#include <math.h>
#include <stdlib.h>

bool plot_has_density(const mst_picture *p)
{
    if (p->source == NULL || p->m == NULL || p->mean_count == 0 ||
        !mst_score_gives(p->source, MST_GIVES_LOG_P | MST_GIVES_TIME))
        return false;
    for (size_t i = 0; i < p->mean_count; i++)
        if (!(p->means[i].time > 0) || !isfinite(p->means[i].time) || !(p->means[i].weight >= 0))
            return false;
    return true;
}

/* log(eᵃ + eᵇ) */
static double add_logs(double a, double b)
{
    double larger = fmax(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(fmin(a, b) - larger));
}

mst_status plot_log_density(const mst_picture *p, size_t n, const double *x, double *out)
{
    double *part;
    MST_TRY(mst_allocate(&part, n));
    for (size_t i = 0; i < n; i++)
        out[i] = -INFINITY;
    mst_status status = MST_OK;
    for (size_t k = 0; k < p->mean_count && status == MST_OK; k++) {
        const mst_picture_mean *mean = &p->means[k];
        mst_pairs pairs = {.n = n, .x = x, .y = mean->at, .t = &mean->time};
        if (mean->weight == 0)
            continue;
        status = mst_score_evaluate(p->source, &pairs, &(mst_heat_values){.log_p = part});
        for (size_t i = 0; i < n && status == MST_OK; i++)
            out[i] = add_logs(out[i], log(mean->weight) + part[i]);
    }
    mst_release(part);
    return status;
}

static int decreasing(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Points of the law, about `n` of them; *got. */
static mst_status simulate(const mst_picture *p, size_t n, double *start, double *x, size_t *got)
{
    size_t D = mst_manifold_ambient(p->m);
    mst_brownian_options o = mst_brownian_options_default();
    double total = 0, used = 0;
    o.method = mst_brownian_has_exact(p->m) ? MST_BROWNIAN_EXACT : MST_BROWNIAN_TANGENT;
    *got = 0;
    for (size_t k = 0; k < p->mean_count; k++)
        total += p->means[k].weight;
    for (size_t k = 0; k < p->mean_count; k++) {
        used += p->means[k].weight / total;
        size_t end = (size_t)lround(used * (double)n), count = end > *got ? end - *got : 0;
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < D; j++)
                start[i * D + j] = p->means[k].at[j];
        o.first_path = *got;
        if (count > 0)
            MST_TRY(mst_brownian_endpoints(p->m, count, start, p->means[k].time, &o, x + *got * D));
        *got += count;
    }
    return MST_OK;
}

mst_status plot_density_levels(const mst_picture *p, size_t count, const double *shares,
                               double *levels)
{
    /* Shares are then right to about 1 %, which no eye sees. */
    enum { SIMULATED = 4000 };
    size_t D = mst_manifold_ambient(p->m), got = 0, kept = 0;
    double *start, *x, *values;
    MST_TRY(mst_allocate(&start, SIMULATED * (2 * D + 1)));
    x = start + SIMULATED * D;
    values = x + SIMULATED * D;
    mst_status status = simulate(p, SIMULATED, start, x, &got);
    if (status == MST_OK)
        status = plot_log_density(p, got, x, values);
    for (size_t i = 0; i < got && status == MST_OK; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    if (status == MST_OK && kept < SIMULATED / 2)
        status = mst_fail(MST_UNABLE, "the density is not known where the law is");
    if (status == MST_OK)
        qsort(values, kept, sizeof *values, decreasing);
    for (size_t k = 0; k < count && status == MST_OK; k++)
        levels[k] = values[(size_t)(shares[k] * (double)(kept - 1))];
    mst_release(start);
    return status;
}
