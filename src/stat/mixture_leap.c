/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* EM in leaps (Varadhan and Roland 2008): two plain steps tell where the sequence goes, and the components
 * are taken on along it. A leap that does not raise the log-likelihood is taken back, so it never falls. */
#include "stat/fit.h"
#include "stat/mixture_parts.h"

#include <math.h>
#include <string.h>

/* One component as coordinates about where it was: its centre in units of √t in the frame there, log t and
 * the logarithm of its share; (d + 2). */
static mst_status coordinates_of(const mixture_em *e, size_t j, const double *from,
                                 const double *to, double *c)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    size_t k = e->k, D = e->D, d = e->d;
    const double *centre = from + 2 * k + j * D;
    MST_TRY(mst_manifold_log(m, 1, centre, to + 2 * k + j * D, e->trial, NULL));
    MST_TRY(mst_manifold_to_frame(m, 1, centre, e->trial, c));
    for (size_t a = 0; a < d; a++)
        c[a] /= sqrt(from[k + j]);
    c[d] = log(to[k + j] / from[k + j]);
    c[d + 1] = log(to[j] / from[j]);
    return MST_OK;
}

static mst_status move(mixture_em *e, size_t j, const double *from, double *c)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    size_t k = e->k, D = e->D, d = e->d;
    const double *centre = from + 2 * k + j * D;
    for (size_t a = 0; a < d; a++)
        c[a] *= sqrt(from[k + j]);
    MST_TRY(mst_manifold_from_frame(m, 1, centre, c, e->trial));
    MST_TRY(mst_manifold_exp(m, 1, centre, e->trial, e->centres + j * D));
    e->times[j] = fit_clamp_time(e->source, fmax(e->least_time, from[k + j] * exp(c[d])));
    e->shares[j] = from[j] * exp(c[d + 1]);
    return MST_OK;
}

mst_status mixture_move(mixture_em *e, const double *from, double *steps)
{
    double total = 0;
    for (size_t j = 0; j < e->k; j++) {
        MST_TRY(move(e, j, from, steps + j * (e->d + 2)));
        total += e->shares[j];
    }
    for (size_t j = 0; j < e->k; j++)
        e->shares[j] /= total;
    return MST_OK;
}

/* Steps r = θ₁ − θ₀ and their change v = θ₂ − θ₁ − r, all components (k, d + 2) each. */
static mst_status find_steps(const mixture_em *e, double *r, double *v)
{
    size_t width = e->d + 2, size = mixture_size(e->k, e->D);
    const double *first = e->past, *second = first + size;
    for (size_t j = 0; j < e->k; j++) {
        MST_TRY(coordinates_of(e, j, first, second, r + j * width));
        MST_TRY(coordinates_of(e, j, first, e->shares, v + j * width));
    }
    for (size_t a = 0; a < e->k * width; a++)
        v[a] -= 2 * r[a];
    return MST_OK;
}

bool mixture_is_regular(const mixture_em *e)
{
    bool regular = true;
    for (size_t j = 0; j < e->k; j++)
        regular = regular && e->shares[j] > 1e-6 && e->times[j] > 1.01 * e->least_time;
    return regular;
}

mst_status mixture_leap(mixture_em *e)
{
    const double longest = 256; /* steps at once */
    size_t k = e->k, width = e->d + 2, size = mixture_size(k, e->D);
    double *r = e->past + 2 * size, *v = r + k * width;
    double rr = 0, vv = 0;
    if (!mixture_is_regular(e))
        return MST_OK;
    mst_status status = find_steps(e, r, v);
    for (size_t a = 0; status == MST_OK && a < k * width; a++) {
        rr += r[a] * r[a];
        vv += v[a] * v[a];
    }
    double length = sqrt(rr / vv);
    if (status != MST_OK || !(length > 1) || !isfinite(length))
        return status == MST_MEMORY ? status : MST_OK; /* a logarithm may not be known */
    length = fmin(length, longest);
    mixture_keep(e);
    for (size_t a = 0; a < k * width; a++)
        r[a] = 2 * length * r[a] + length * length * v[a];
    status = mixture_move(e, e->past, r);
    if (status == MST_OK)
        status = mixture_expect(e);
    if (status == MST_OK && e->log_likelihood >= e->kept_log_likelihood)
        return MST_OK;
    if (status == MST_MEMORY || status == MST_INTERRUPTED)
        return status;
    mixture_return(e);
    return MST_OK;
}
