/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/solved.h"

#include <math.h>

static const double least_time = 1e-50, largest_time = 1e50;

static bool is_finite(size_t n, const double *x)
{
    for (size_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

mst_status solved_check_rows(const mst_manifold *m, const mst_pairs *p, const char *what,
                             double *least)
{
    size_t D = mst_manifold_ambient(m);
    *least = INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        double t = p->t[i * p->t_stride];
        if (!(t >= least_time && t <= largest_time))
            return mst_fail(MST_ARGUMENT, "row %zu: the time must be from %g to %g for %s, not %g",
                            i + 1, least_time, largest_time, what, t);
        bool finite = is_finite(D, p->x + i * D);
        if (!finite || !is_finite(D, p->y + i * p->y_stride))
            return mst_fail(MST_DOMAIN, "row %zu: a coordinate of %c is not finite", i + 1,
                            finite ? 'y' : 'x');
        *least = fmin(*least, t);
    }
    return MST_OK;
}

mst_status solved_stand_in(const mst_manifold *m, const double *x, const double *y, double t,
                           const mst_heat_values *out)
{
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    double f, *v;
    MST_TRY(mst_allocate(&v, D));
    mst_status status = mst_manifold_toward(m, 1, y, x, &f, v, NULL);
    if (status == MST_OK && out->log_p != NULL)
        *out->log_p = -f / t - 0.5 * (double)d * log(6.28318530717958647693 * t);
    if (status == MST_OK && out->dt_log_p != NULL)
        *out->dt_log_p = (f / t - 0.5 * (double)d) / t;
    for (size_t k = 0; status == MST_OK && out->score != NULL && k < D; k++)
        out->score[k] = v[k] / t;
    for (size_t k = 0; status == MST_OK && out->hessian != NULL && k < d * d; k++)
        out->hessian[k] = k % (d + 1) == 0 ? -1 / t : 0;
    mst_release(v);
    return status;
}
