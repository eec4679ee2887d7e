/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/regress_parts.h"

#include <math.h>

mst_status regress_result_new(mst_regress_result **out, const regress_job *j)
{
    size_t n = j->n, k = j->k, d = j->d, D = j->D;
    bool slopes = j->free_time && j->o->noise == MST_REGRESS_LOGLINEAR;
    size_t q = d * (k + 1) + (j->timed ? 1 : 0) + (slopes ? k : 0);
    mst_regress_result *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    double *at = NULL;
    mst_status status = mst_allocate(&r->tests, k);
    size_t count = D + k * D + k + k + k + d * D + q * q + 2 * q + k + 2 * n * D + 3 * n;
    if (status == MST_OK)
        status = mst_allocate(&at, count);
    if (status != MST_OK) {
        mst_release(r->tests);
        mst_release(r);
        return status;
    }
    for (size_t i = 0; i < count; i++)
        at[i] = NAN;
    double **parts[] = {&r->intercept, &r->velocities,       &r->origin,          &r->noise_slopes,
                        &r->basis,     &r->covariance,       &r->standard_errors, &r->p_values,
                        &r->fitted,    &r->residuals,        &r->fitted_noise,    &r->distances,
                        &r->leverage,  &r->interval_factors, &r->aliases};
    size_t sizes[] = {D, k * D, k, k, d * D, q * q, q, k, n * D, n * D, n, n, n, q, k};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; at += sizes[i++])
        *parts[i] = at;
    if (!slopes)
        r->noise_slopes = NULL;
    r->n = n;
    r->columns = k;
    r->dim = d;
    r->ambient = D;
    r->parameters = q;
    r->noise = r->noise_unbiased = r->noise_standard_error = r->noise_low = r->noise_high = NAN;
    r->log_likelihood = r->aic = r->bic = r->r_squared = r->gradient_norm = NAN;
    r->degrees_of_freedom = r->interval_factor = r->labellings = r->spread_p_value = NAN;
    r->least_p_value = 1 / (1 + (double)j->o->resamples);
    r->uniform_statistic = r->uniform_p_value = r->influence = r->kurtosis = NAN;
    mst_regress_test none = {.method = MST_REGRESS_NO_TEST, .statistic = NAN, .p_value = NAN};
    r->whole = r->equal_noise = none;
    for (size_t i = 0; i < k; i++)
        r->tests[i] = none;
    r->confidence = j->o->confidence;
    r->seed = j->o->seed;
    *out = r;
    return MST_OK;
}

void mst_regress_result_free(mst_regress_result *r)
{
    if (r == NULL)
        return;
    regress_spread_free(r->spread);
    mst_release(r->intercept);
    mst_release(r->tests);
    mst_release(r);
}
