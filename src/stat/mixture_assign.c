/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* New points in the components of a mixture that is known: one E-step. */
#include "stat/mixture_parts.h"

#include <math.h>
#include <string.h>

static mst_status check_components(const mst_score *source, size_t k, const double *weights,
                                   const double *times)
{
    if (k < 1)
        return mst_fail(MST_ARGUMENT, "there are no components");
    if (!mst_score_gives(source, MST_GIVES_LOG_P) || !mst_score_gives(source, MST_GIVES_TIME))
        return mst_fail(MST_UNABLE, "a mixture needs log p and a time, which %s has not",
                        mst_score_name(source));
    double sum = 0;
    for (size_t j = 0; j < k; j++) {
        if (!(weights[j] >= 0) || !isfinite(weights[j]))
            return mst_fail(MST_ARGUMENT, "weight %zu is %g; it must be 0 or more", j, weights[j]);
        if (!(times[j] > 0) || !isfinite(times[j]))
            return mst_fail(MST_ARGUMENT, "time %zu is %g; it must be positive", j, times[j]);
        sum += weights[j];
    }
    return sum > 0 ? MST_OK : mst_fail(MST_ARGUMENT, "all weights are 0");
}

mst_status mst_mixture_assign(const mst_score *source, size_t k, const double *weights,
                              const double *centres, const double *times, size_t n, const double *x,
                              int threads, size_t *labels, double *responsibilities,
                              double *log_likelihood)
{
    MST_TRY(check_components(source, k, weights, times));
    MST_TRY(mst_score_prepare(source, n, x));
    const mst_manifold *m = mst_score_manifold(source);
    const mst_mixture_options options = mst_mixture_options_default();
    size_t D = mst_manifold_ambient(m);
    mixture_em e = {.source = source,
                    .o = &options,
                    .n = n,
                    .k = k,
                    .d = mst_manifold_dim(m),
                    .D = D,
                    .x = x,
                    .threads = threads};
    double *parameters, sum = 0;
    MST_TRY(mst_allocate(&parameters, mixture_size(k, D)));
    mixture_place(&e, parameters);
    for (size_t j = 0; j < k; j++)
        sum += weights[j];
    for (size_t j = 0; j < k; j++)
        e.shares[j] = weights[j] / sum;
    memcpy(e.times, times, k * sizeof *times);
    memcpy(e.centres, centres, k * D * sizeof *centres);
    mst_status status = mixture_em_new(&e);
    if (status == MST_OK)
        status = mixture_expect(&e);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *r = e.responsibilities + i * k;
        labels[i] = 0;
        for (size_t j = 1; j < k; j++)
            if (r[j] > r[labels[i]])
                labels[i] = j;
    }
    if (status == MST_OK && responsibilities != NULL && n > 0)
        memcpy(responsibilities, e.responsibilities, n * k * sizeof *responsibilities);
    if (status == MST_OK && log_likelihood != NULL)
        *log_likelihood = e.log_likelihood;
    mixture_em_free(&e);
    mst_release(parameters);
    return status;
}
