/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks beside the expansion. On manifolds from formulas or a metric the expansion along geodesics is far
 * better than a network at short times, and knows how good it is; at long times it is the other way round. So
 * the expansion answers where its validity number is below the limit, the network where it is twice the limit
 * or more, and in between both have a share, so that estimators see no jump. */
#include "heat/kernel_parts.h"
#include "manifold/in_space.h"
#include "score/network.h"

#include <math.h>

enum { ROWS = 128, PAIRS = 6 };

/* Of the expansion. */
static double share_of(double validity)
{
    double beyond = validity / MST_VALIDITY_LIMIT - 1;
    return isnan(beyond) ? 0 : fmin(fmax(1 - beyond, 0), 1);
}

/* Rows of `width` numbers, null if they are not wanted. A share of nothing may be of what is no number. */
static void blend(size_t n, size_t width, const double *share, const double *from, double *to)
{
    for (size_t k = 0; to != NULL && k < n * width; k++)
        if (share[k / width] > 0)
            to[k] += share[k / width] * (from[k] - to[k]);
}

bool network_has_short_times(const mst_network *net)
{
    return !net->info.plain && (net->features->sharp || mst_has_root(net->m));
}

/* A pair about as far apart as Brownian motion goes in a time t, number k of a few that lie about; false:
 * there is none, because the way leaves the domain. */
static bool make_pair(const mst_manifold *m, size_t k, double t, double *x, double *y, double *work)
{
    const uint64_t seed = 5;
    size_t d = mst_manifold_dim(m);
    double *c = work, *v = work + d, *z;
    mst_manifold_start(m, x);
    for (int move = 0; move < 2; move++, z = x, x = y, y = z) {
        mst_random_normals((mst_random){seed, (uint64_t)move}, k * d, d, c);
        for (size_t a = 0; a < d; a++)
            c[a] *= move == 0 ? (k > 0) : sqrt(t);
        if (mst_manifold_from_frame(m, 1, x, c, v) != MST_OK ||
            mst_manifold_exp(m, 1, x, v, y) != MST_OK || isnan(y[0]))
            return false;
    }
    return true;
}

/* Does the expansion have a share in one of a few pairs? */
static mst_status has_share(const mst_score *expansion, double t, double *work, bool *any)
{
    const mst_manifold *m = mst_score_manifold(expansion);
    size_t D = mst_manifold_ambient(m);
    *any = false;
    for (size_t k = 0; k < PAIRS && !*any; k++) {
        double v, *x = work, *y = x + D;
        if (!make_pair(m, k, t, x, y, y + D)) {
            *any = true;
            break;
        }
        mst_pairs pair = mst_pairs_rows(m, 1, x, y, &t);
        MST_TRY(mst_score_validity(expansion, &pair, &(mst_heat_values){0}, &v));
        *any = share_of(v) > 0;
    }
    return MST_OK;
}

mst_status network_short_until(const mst_network *net, const mst_score *expansion, double *until)
{
    double *work;
    bool any = true;
    mst_status status = MST_OK;
    MST_TRY(mst_allocate(&work, 3 * mst_manifold_ambient(net->m) + mst_manifold_dim(net->m)));
    *until = fmax(net->info.t_min, 1e-4);
    while (status == MST_OK && any && *until < net->info.t_max) {
        *until *= M_SQRT2;
        status = has_share(expansion, *until, work, &any);
    }
    mst_release(work);
    return status;
}

/* From row `at` on, up to ROWS rows side by side whose times are short enough; *at moves to their first. */
static size_t next_run(const mst_pairs *pairs, double until, size_t *at)
{
    size_t end = *at;
    while (*at < pairs->n && pairs->t[*at * pairs->t_stride] > until)
        end = ++*at;
    while (end < pairs->n && end - *at < ROWS && pairs->t[end * pairs->t_stride] <= until)
        end++;
    return end - *at;
}

mst_status network_join(const mst_score *expansion, double until, const mst_pairs *pairs,
                        const mst_heat_values *out)
{
    const mst_manifold *m = mst_score_manifold(expansion);
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    size_t matrix = out->hessian != NULL ? d * d : 0;
    double *work;
    MST_TRY(mst_allocate(&work, ROWS * (D + 2 + matrix)));
    double *share = work + ROWS, *score = share + ROWS;
    mst_heat_values short_times = {
        .dt_log_p = work, .score = score, .hessian = matrix > 0 ? score + ROWS * D : NULL};
    mst_status status = MST_OK;
    for (size_t at = 0, n; status == MST_OK && (n = next_run(pairs, until, &at)) > 0; at += n) {
        mst_pairs part = mst_pairs_part(m, pairs, at, n);
        mst_heat_values values = heat_values_at(out, m, at);
        status = mst_score_validity(expansion, &part, &short_times, share);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            share[i] = share_of(share[i]);
        if (status != MST_OK)
            break;
        blend(n, D, share, short_times.score, values.score);
        blend(n, 1, share, short_times.dt_log_p, values.dt_log_p);
        blend(n, d * d, share, short_times.hessian, values.hessian);
    }
    mst_release(work);
    return status;
}
