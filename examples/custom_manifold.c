/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold of your own in one file: the normal distributions N(mu, sigma²) with the Fisher–Rao metric
 *
 *     ds² = (dmu² + 2 dsigma²) / sigma²,
 *
 * which is twice the metric of the hyperbolic half-plane in the coordinates (mu/√2, sigma). Five functions
 * are enough; frames, logarithm, distance, transport, charts, Ricci curvature and Brownian motion come from
 * the fall-backs. The program compares two of them with closed forms and fails if they disagree. */
#include <complex.h>
#include <manistat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void start(const mst_manifold *m, double *x)
{
    (void)m;
    x[0] = 0;
    x[1] = 1;
}

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    (void)m;
    for (size_t i = 0; i < n; i++) {
        if (!(x[2 * i + 1] > 0) || !isfinite(x[2 * i]))
            return mst_fail(MST_DOMAIN, "sigma is %g, not positive", x[2 * i + 1]);
        y[2 * i] = x[2 * i];
        y[2 * i + 1] = x[2 * i + 1];
    }
    return MST_OK;
}

static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    (void)m, (void)x;
    for (size_t i = 0; i < 2 * n; i++)
        v[i] = w[i];
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i += 2)
        out[i / 2] = (u[i] * v[i] + 2 * u[i + 1] * v[i + 1]) / (x[i + 1] * x[i + 1]);
    return MST_OK;
}

/* In the half-plane, geodesics from i are the images of s ↦ i e^s under the rotations about i. */
static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    (void)m;
    for (size_t i = 0; i < 2 * n; i += 2) {
        double mean = x[i], sigma = x[i + 1], a = v[i] / sqrt(2) / sigma, b = v[i + 1] / sigma;
        double half = 0.5 * atan2(-a, b), c = cos(half), s = sin(half);
        double complex up = I * exp(hypot(a, b)), z = (c * up + s) / (c - s * up);
        y[i] = mean + sqrt(2) * sigma * creal(z);
        y[i + 1] = sigma * cimag(z);
    }
    return MST_OK;
}

static const mst_manifold_ops normal_laws = {
    .size = sizeof(mst_manifold_ops),
    .name = "normal-laws",
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = exponential,
};

/* cosh of the half-plane distance of two laws. */
static double cosh_distance(const double *p, const double *q)
{
    double a = (p[0] - q[0]) / sqrt(2), b = p[1] - q[1];
    return 1 + (a * a + b * b) / (2 * p[1] * q[1]);
}

static void check(mst_status status)
{
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", mst_status_sentence(status), mst_error_detail());
        exit(1);
    }
}

int main(void)
{
    mst_manifold *m;
    check(mst_manifold_new(&m, &normal_laws, "normal-laws", 2, 2, NULL));

    const double p[2] = {0, 1}, q[2] = {1, 2};
    double distance, exact = sqrt(2) * acosh(cosh_distance(p, q));
    check(mst_manifold_dist(m, 1, p, q, &distance));
    printf("Fisher-Rao distance of N(0,1) and N(1,4): %.12f by shooting, %.12f exactly\n", distance,
           exact);

    /* Brownian motion of generator ½Δ runs at half speed in the half-plane, where E cosh
     * r = e^s at time s. */
    enum { PATHS = 2000 };
    static double begin[PATHS][2], end[PATHS][2];
    const double time = 0.5;
    for (int i = 0; i < PATHS; i++)
        mst_manifold_start(m, begin[i]);
    mst_brownian_options options = mst_brownian_options_default();
    options.steps = 10;
    check(mst_brownian_endpoints(m, PATHS, begin[0], time, &options, end[0]));
    double mean = 0, square = 0;
    for (int i = 0; i < PATHS; i++) {
        double value = cosh_distance(begin[i], end[i]);
        mean += value / PATHS;
        square += value * value / PATHS;
    }
    double error = sqrt((square - mean * mean) / PATHS), expected = exp(time / 2);
    printf("Brownian motion to time %g: E cosh r = %.3f ± %.3f, exactly %.3f\n", time, mean, error,
           expected);

    mst_manifold_free(m);
    /* Five standard errors: one false alarm in two million seeds, and the seed is fixed. */
    return fabs(distance - exact) < 1e-9 && fabs(mean - expected) < 5 * error ? 0 : 1;
}
