/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/rotation.h"

#include "base/linalg.h"

#include <math.h>

/* In the plane the best rotation is the angle of (g₁₁ + g₂₂) + i (g₁₂ − g₂₁), and the best reflection that of
 * (g₁₁ − g₂₂) + i (g₁₂ + g₂₁). */
static void fit_in_plane(const double *g, bool reflect, double *r, double *trace, double *gap)
{
    double c = g[0] + g[3], s = g[1] - g[2], turned = hypot(c, s);
    double mirrored_c = g[0] - g[3], mirrored_s = g[1] + g[2];
    double mirrored = hypot(mirrored_c, mirrored_s);
    bool mirror = reflect && mirrored > turned;
    double best = mirror ? mirrored : turned;
    if (mirror)
        c = mirrored_c, s = mirrored_s;
    if (best > 0) {
        c /= best;
        s /= best;
    } else {
        c = 1, s = 0;
    }
    r[0] = c;
    r[1] = s;
    r[2] = mirror ? s : -s;
    r[3] = mirror ? -c : c;
    *trace = best;
    *gap = reflect ? 0.5 * fabs(turned - mirrored) : turned;
}

static double determinant_sign(size_t n, const double *a, double *work)
{
    /* Elimination with pivots; a is orthogonal, so that no pivot is tiny. */
    double sign = 1;
    for (size_t i = 0; i < n * n; i++)
        work[i] = a[i];
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(work[i * n + k]) > fabs(work[pivot * n + k]))
                pivot = i;
        for (size_t j = k; pivot != k && j < n; j++) {
            double t = work[k * n + j];
            work[k * n + j] = work[pivot * n + j];
            work[pivot * n + j] = t;
        }
        sign = pivot != k ? -sign : sign;
        sign = work[k * n + k] < 0 ? -sign : sign;
        for (size_t i = k + 1; i < n; i++) {
            double f = work[i * n + k] / work[k * n + k];
            for (size_t j = k; j < n; j++)
                work[i * n + j] -= f * work[k * n + j];
        }
    }
    return sign;
}

mst_status mst_fit_rotation(size_t count, size_t n, const double *g, bool reflect, double *r,
                            double *trace, double *gap)
{
    double t, least;
    if (n == 2) {
        for (size_t i = 0; i < count; i++) {
            if (!mst_all_finite(4, g + 4 * i))
                return mst_fail(MST_DOMAIN, "row %zu: not finite", i + 1);
            fit_in_plane(g + 4 * i, reflect, r + 4 * i, &t, &least);
            if (trace != NULL)
                trace[i] = t;
            if (gap != NULL)
                gap[i] = least;
        }
        return MST_OK;
    }
    double *u, *vt, *sigma, *work;
    size_t square = n * n;
    MST_TRY(mst_allocate(&u, count * (2 * square + n) + square));
    vt = u + count * square;
    sigma = vt + count * square;
    work = sigma + count * n;
    mst_status status = mst_svd(count, n, g, u, sigma, vt, NULL);
    for (size_t i = 0; status == MST_OK && i < count; i++) {
        double *ui = u + i * square, *values = sigma + i * n, sum = 0;
        const double *vi = vt + i * square;
        mst_multiply(n, ui, vi, r + i * square);
        if (!reflect && determinant_sign(n, r + i * square, work) < 0) {
            for (size_t k = 0; k < n; k++)
                ui[k * n + n - 1] = -ui[k * n + n - 1];
            values[n - 1] = -values[n - 1];
            mst_multiply(n, ui, vi, r + i * square);
        }
        for (size_t k = 0; k < n; k++)
            sum += values[k];
        if (trace != NULL)
            trace[i] = sum;
        if (gap != NULL)
            gap[i] = reflect ? values[n - 1] : values[n - 2] + values[n - 1];
    }
    mst_release(u);
    return status;
}
