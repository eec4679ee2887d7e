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

static mst_status move(const mixture_em *e, size_t j, const double *from, double *c, double *to)
{
    const mst_manifold *m = mst_score_manifold(e->source);
    size_t k = e->k, D = e->D, d = e->d;
    const double *centre = from + 2 * k + j * D;
    for (size_t a = 0; a < d; a++)
        c[a] *= sqrt(from[k + j]);
    MST_TRY(mst_manifold_from_frame(m, 1, centre, c, e->trial));
    MST_TRY(mst_manifold_exp(m, 1, centre, e->trial, to + 2 * k + j * D));
    to[k + j] = fit_clamp_time(e->source, fmax(e->least_time, from[k + j] * exp(c[d])));
    to[j] = from[j] * exp(c[d + 1]);
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

/* Components that have lost their points, or stand at the least time, do not move as a sequence does. */
static bool is_regular(const mixture_em *e)
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
    double *r = e->past + 3 * size, *v = r + k * width, *kept = e->past + 2 * size;
    double rr = 0, vv = 0, total = 0, before = e->log_likelihood;
    if (!is_regular(e))
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
    memcpy(kept, e->shares, size * sizeof *kept);
    for (size_t j = 0; status == MST_OK && j < k; j++) {
        for (size_t a = j * width; a < (j + 1) * width; a++)
            r[a] = 2 * length * r[a] + length * length * v[a];
        status = move(e, j, e->past, r + j * width, e->shares);
        total += e->shares[j];
    }
    for (size_t j = 0; j < k; j++)
        e->shares[j] /= total;
    if (status == MST_OK)
        status = mixture_expect(e);
    if (status == MST_OK && e->log_likelihood >= before)
        return MST_OK;
    if (status == MST_MEMORY || status == MST_INTERRUPTED)
        return status;
    memcpy(e->shares, kept, size * sizeof *kept);
    return mixture_expect(e);
}
