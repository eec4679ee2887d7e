/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/radial_law.h"

#include "heat/model.h"
#include "manifold/internal.h"

#include <math.h>

enum { INTERVALS = 2048, POINTS = 3 };

bool radial_law_fits(const mst_manifold *m)
{
    return heat_model_of(m).kind != HEAT_NO_MODEL;
}

/* Beyond this distance lies less than e^−50 of the mass: ten spreads past the drift
 * (d−1)t/2 that curvature −1 adds. */
static double reach(const heat_model *model, double t)
{
    double d = (double)model->dim, far = sqrt(t) * (sqrt(d) + 10);
    return model->kind == HEAT_HYPERBOLIC ? far + model->scale * (d - 1) * t / 2
                                          : fmin(far, heat_model_cut_distance(model));
}

/* Density of the distance at the n points r: p_t(r) times the area of the geodesic
 * sphere, in the log domain. */
static mst_status densities(const heat_model *model, double t, size_t n, const double *r,
                            double *out)
{
    double *work;
    MST_TRY(mst_allocate(&work, 3 * n));
    double *rest = work, *time = rest + n, *log_p = time + n;
    for (size_t i = 0; i < n; i++) {
        rest[i] = fmax(heat_model_cut_distance(model) - r[i], 0);
        time[i] = t;
    }
    heat_model_kernel(model, n, r, rest, time, &(mst_radial_out){.logp = log_p});
    double d = (double)model->dim, log_area = log(2) + d / 2 * log(M_PI) - lgamma(d / 2);
    for (size_t i = 0; i < n; i++) {
        double radius = heat_model_sine(model, r[i]);
        out[i] = radius > 0 || model->dim == 1
                     ? exp(log_p[i] + log_area + (model->dim > 1 ? (d - 1) * log(radius) : 0))
                     : 0;
    }
    mst_release(work);
    return MST_OK;
}

/* Gauss–Legendre points of an interval and their weights, as fractions of its width. */
static const double place[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double weight[POINTS] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

static mst_status tabulate(radial_law *law, const heat_model *model, double t)
{
    size_t n = law->intervals;
    double *r;
    MST_TRY(mst_allocate(&r, 2 * POINTS * n + n + 1));
    double *value = r + POINTS * n, *node = value + POINTS * n;
    for (size_t k = 0; k < n; k++)
        for (int e = 0; e < POINTS; e++)
            r[POINTS * k + (size_t)e] = law->width * ((double)k + place[e]);
    for (size_t k = 0; k <= n; k++)
        node[k] = law->width * (double)k;
    mst_status status = densities(model, t, POINTS * n, r, value);
    if (status == MST_OK)
        status = densities(model, t, n + 1, node, law->density);
    law->cdf[0] = 0;
    for (size_t k = 0; status == MST_OK && k < n; k++) {
        law->cdf[k + 1] = law->cdf[k];
        for (int e = 0; e < POINTS; e++)
            law->cdf[k + 1] += law->width * weight[e] * value[POINTS * k + (size_t)e];
    }
    mst_release(r);
    return status;
}

mst_status radial_law_new(radial_law *law, const mst_manifold *m, double t)
{
    heat_model model = heat_model_of(m);
    *law = (radial_law){.intervals = INTERVALS, .width = reach(&model, t) / INTERVALS};
    MST_TRY(mst_allocate(&law->cdf, 2 * (law->intervals + 1)));
    law->density = law->cdf + law->intervals + 1;
    mst_status status = tabulate(law, &model, t);
    double total = law->cdf[law->intervals];
    if (status == MST_OK && !(fabs(total - 1) < 1e-9))
        status =
            mst_fail(MST_BREAKDOWN, "the law of the distance on %s at time %g adds up to %.12g",
                     m->spec, t, total);
    for (size_t k = 0; status == MST_OK && k <= law->intervals; k++) {
        law->cdf[k] /= total;
        law->density[k] /= total;
    }
    if (status != MST_OK)
        radial_law_release(law);
    return status;
}

void radial_law_release(radial_law *law)
{
    mst_release(law->cdf);
    law->cdf = NULL;
}

/* In its interval the distribution function is the cubic with the right values and slopes at both ends; solve
 * by bisection guarded Newton. */
double radial_law_quantile(const radial_law *law, double u)
{
    size_t low = 0, high = law->intervals;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (law->cdf[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    double rise = law->cdf[high] - law->cdf[low], goal = u - law->cdf[low];
    double a = law->density[low] * law->width, b = law->density[high] * law->width;
    double left = 0, right = 1, s = rise > 0 ? goal / rise : 0.5;
    for (int iteration = 0; iteration < 50 && right - left > 1e-15; iteration++) {
        double value = s * (a + s * (3 * rise - 2 * a - b + s * (a + b - 2 * rise))) - goal;
        double slope = a + s * (2 * (3 * rise - 2 * a - b) + 3 * s * (a + b - 2 * rise));
        if (value > 0)
            right = s;
        else
            left = s;
        double next = s - value / slope;
        if (!(next > left && next < right))
            next = 0.5 * (left + right);
        if (fabs(next - s) < 1e-15)
            break;
        s = next;
    }
    return law->width * ((double)low + s);
}
