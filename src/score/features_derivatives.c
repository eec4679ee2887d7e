/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives in y of what the network reads, and of the maps P_y, by central differences in double precision
 * along geodesics: no manifold has to bring derivatives of its own. */
#include "score/features.h"

#include "manifold/in_space.h"

#include <math.h>
#include <string.h>

/* Inputs change on the scale √t, so steps are a fraction of it: truncation and rounding
 * both stay below 1e-8. */
static const double relative_step = 1e-4;

mst_status features_differentiate(const features *s, size_t n, size_t directions, const double *x,
                                  const double *y, const double *t, const double *v, double *inputs,
                                  double *baseline)
{
    size_t D = s->D, rows = n * directions;
    double *work;
    MST_TRY(mst_allocate(&work, rows * (4 * D + s->inputs + s->base + 1)));
    double *from = work, *at = from + rows * D, *step = at + rows * D, *to = step + rows * D;
    double *times = to + rows * D, *in[2] = {inputs, times + rows};
    double *c[2] = {baseline, in[1] + rows * s->inputs};
    mst_status status = MST_OK;
    for (size_t r = 0; r < rows; r++) {
        memcpy(from + r * D, x + r / directions * D, D * sizeof *x);
        memcpy(at + r * D, y + r / directions * D, D * sizeof *y);
        times[r] = t[r / directions];
    }
    for (int side = 0; status == MST_OK && side < 2; side++) {
        for (size_t r = 0; r < rows; r++)
            for (size_t k = 0; k < D; k++)
                step[r * D + k] =
                    (side == 0 ? 1 : -1) * relative_step * fmin(sqrt(times[r]), 1) * v[r * D + k];
        status = mst_nudge(s->m, rows, at, step, to);
        if (status == MST_OK)
            status = features_read(s, rows, from, to, times, in[side], c[side]);
    }
    for (size_t r = 0; status == MST_OK && r < rows; r++) {
        double inverse = 0.5 / (relative_step * fmin(sqrt(times[r]), 1));
        for (size_t k = 0; k < s->inputs; k++)
            in[0][r * s->inputs + k] =
                (in[0][r * s->inputs + k] - in[1][r * s->inputs + k]) * inverse;
        for (size_t k = 0; k < s->base; k++)
            c[0][r * s->base + k] = (c[0][r * s->base + k] - c[1][r * s->base + k]) * inverse;
    }
    mst_release(work);
    return status;
}

/* The fields P e_k, k < q, at one point, (q, D). */
static mst_status fields(const features *s, const double *y, double *work, double *out)
{
    size_t q = s->outputs;
    double *points = work, *c = points + q * s->D;
    memset(c, 0, q * q * sizeof *c);
    for (size_t k = 0; k < q; k++) {
        memcpy(points + k * s->D, y, s->D * sizeof *y);
        c[k * q + k] = 1;
    }
    return features_from_outputs(s, q, points, c, out);
}

/* fields(Exp_y(±step)) brought back to y, in frame coordinates (q, d). */
static mst_status carried_fields(const features *s, const double *y, const double *step,
                                 double *work, double *out)
{
    size_t q = s->outputs, D = s->D;
    double *end = work, *back = end + q * D, *vectors = back + q * D, *points = vectors + q * D;
    double *rest = points + q * D;
    MST_TRY(mst_manifold_exp(s->m, 1, y, step, end));
    MST_TRY(fields(s, end, rest, vectors));
    /* The velocity at the end, turned round, leads back to y. */
    MST_TRY(mst_manifold_transport(s->m, 1, y, step, step, back));
    for (size_t k = 0; k < D; k++)
        back[k] = -back[k];
    for (size_t k = 0; k < q; k++) {
        memmove(end + k * D, end, D * sizeof *end);
        memmove(back + k * D, back, D * sizeof *back);
        memcpy(points + k * D, y, D * sizeof *y);
    }
    MST_TRY(mst_manifold_transport(s->m, q, end, back, vectors, vectors));
    return mst_manifold_to_frame(s->m, q, points, vectors, out);
}

mst_status features_connection(const features *s, const double *y, double *omega)
{
    size_t d = s->d, D = s->D, q = s->outputs;
    double *work, length = relative_step;
    bool done;
    MST_TRY(features_closed_connection(s, y, omega, &done));
    if (done)
        return MST_OK;
    MST_TRY(mst_allocate(&work, d * D + D + 2 * q * d + 5 * q * D + q * q));
    double *frame = work, *step = frame + d * D, *plus = step + D, *minus = plus + q * d;
    double *rest = minus + q * d;
    mst_status status = mst_manifold_frame(s->m, 1, y, frame);
    for (size_t b = 0; status == MST_OK && b < d; b++) {
        for (size_t k = 0; k < D; k++)
            step[k] = length * frame[b * D + k];
        status = carried_fields(s, y, step, rest, plus);
        for (size_t k = 0; k < D; k++)
            step[k] = -step[k];
        if (status == MST_OK)
            status = carried_fields(s, y, step, rest, minus);
        for (size_t a = 0; status == MST_OK && a < d; a++)
            for (size_t k = 0; k < q; k++)
                omega[(b * d + a) * q + k] = (plus[k * d + a] - minus[k * d + a]) / (2 * length);
    }
    mst_release(work);
    return status;
}

mst_status features_divergence(const features *s, size_t n, const double *y, double *delta)
{
    bool done;
    MST_TRY(features_closed_divergence(s, n, y, delta, &done));
    if (done)
        return MST_OK;
    size_t d = s->d, q = s->outputs;
    double *omega;
    MST_TRY(mst_allocate(&omega, d * d * q));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = features_connection(s, y + i * s->D, omega);
        for (size_t k = 0; status == MST_OK && k < q; k++) {
            delta[i * q + k] = 0;
            for (size_t a = 0; a < d; a++)
                delta[i * q + k] += omega[(a * d + a) * q + k];
        }
    }
    mst_release(omega);
    return status;
}
