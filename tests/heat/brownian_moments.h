/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the fast and the slow tests of Brownian motion share: the moments that are known in closed form. */
#ifndef TEST_BROWNIAN_MOMENTS_H
#define TEST_BROWNIAN_MOMENTS_H

#include "support/statistics.h"
#include "support/support.h"

#include <manistat/brownian.h>
#include <stdlib.h>
#include <string.h>

/* End points of n paths, all from the same point x0; free them. */
static inline double *end_points(const mst_manifold *m, size_t n, const double *x0, double time,
                                 const mst_brownian_options *o)
{
    size_t D = mst_manifold_ambient(m);
    double *start = doubles(n * D), *end = doubles(n * D);
    for (size_t i = 0; i < n; i++)
        memcpy(start + i * D, x0, D * sizeof *x0);
    ASSERT_OK(mst_brownian_endpoints(m, n, start, time, o, end));
    free(start);
    return end;
}

/* E cos(a|ξ|) for sign = −1, E cosh(a|ξ|) for sign = 1, ξ standard normal in R^m:
 * Σ_k (2 sign a²)^k (m/2)_k / (2k)!. */
static inline double gaussian_cosine(double sign, double a, size_t m)
{
    double term = 1, sum = 1;
    for (int k = 0; fabs(term) > 1e-18 && k < 200; k++) {
        term *= 2 * sign * a * a * (0.5 * (double)m + k) / ((2 * k + 1.0) * (2 * k + 2.0));
        sum += term;
    }
    return sum;
}

/* First and second moments of c = ⟨x, y⟩ on S^m (sign −1) and of cosh r on H^m (sign 1) for the geodesic walk
 * with K steps, and for Brownian motion itself (K = 0). c and ((m+1)c² − 1)/m are eigenfunctions of the
 * Laplacian with eigenvalues sign·m and sign·2(m+1), so each step of the walk multiplies
 * their means by a constant. */
static inline void radial_moments(double sign, size_t m, double time, size_t steps, double out[2])
{
    double d = (double)m, first = exp(sign * d * time / 2), second = exp(sign * (d + 1) * time);
    if (steps > 0) {
        double h = time / (double)steps, a = -sign * h * (d - 1) / 12;
        double length = sqrt(h) * (1 - a + a * a / 2);
        double twice = gaussian_cosine(sign, 2 * length, m);
        first = pow(gaussian_cosine(sign, length, m), (double)steps);
        second = pow(((d + 1) * (1 + twice) / 2 - 1) / d, (double)steps);
    }
    out[0] = first;
    out[1] = (1 + d * second) / (d + 1);
}

/* ⟨x0, x⟩ on the sphere, cosh of the distance on the hyperboloid. */
static inline double radial(double sign, size_t D, const double *x0, const double *x)
{
    double c = dot(D, x0, x);
    return sign > 0 ? 2 * x0[0] * x[0] - c : c;
}

/* The same two moments of a sample that started at x0. */
static inline void sample_radial(double sign, const mst_manifold *m, size_t n, const double *x0,
                                 const double *x, moments out[2])
{
    size_t D = mst_manifold_ambient(m);
    memset(out, 0, 2 * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        double c = radial(sign, D, x0, x + i * D);
        moments_add(&out[0], c);
        moments_add(&out[1], c * c);
    }
}

/* The point Exp of the start along (0.3, 0.3, …) in the frame: no symmetry helps the test there. */
static inline double *general_point(const mst_manifold *m)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *x = doubles(D), *v = doubles(D), *c = doubles(d);
    for (size_t k = 0; k < d; k++)
        c[k] = 0.3 + 0.1 * (double)k;
    mst_manifold_start(m, x);
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, x));
    free(v);
    free(c);
    return x;
}

/* The bias of the first moment on S^m or H^m with `steps` and with twice as many steps, in `runs` runs of n
 * paths, gives the weak order. Both biases must stand out of their noise by ten standard errors, which leaves
 * an error of the order of 1.44·√(1/10² + 1/10²)·5 = 1.0 in the worst case; the callers
 * choose cases with more. */
typedef struct order_case {
    const char *spec;
    mst_brownian_method method;
    double time;
    size_t steps;
    double low, high; /* what the order may be */
} order_case;

static inline void assert_order(const order_case *c, size_t n, size_t runs)
{
    mst_manifold *m = NULL;
    ASSERT_OK(mst_manifold_parse(&m, c->spec));
    double sign = c->spec[0] == 's' ? -1 : 1, exact[2], bias[2], *x0 = general_point(m);
    size_t D = mst_manifold_ambient(m);
    radial_moments(sign, mst_manifold_dim(m), c->time, 0, exact);
    mst_brownian_options o = mst_brownian_options_default();
    o.method = c->method;
    for (size_t k = 0; k < 2; k++) {
        moments all = {0};
        o.steps = c->steps << k;
        for (size_t run = 0; run < runs; run++) {
            o.first_path = run * n;
            double *x = end_points(m, n, x0, c->time, &o);
            for (size_t i = 0; i < n; i++)
                moments_add(&all, radial(sign, D, x0, x + i * D));
            free(x);
        }
        bias[k] = all.mean - exact[0];
        ck_assert_msg(fabs(bias[k]) > 10 * moments_error(&all), "%s, %zu steps: bias %g, noise %g",
                      c->spec, o.steps, bias[k], moments_error(&all));
    }
    double order = log2(bias[0] / bias[1]);
    ck_assert_msg(order > c->low && order < c->high, "%s: order %.2f (biases %g, %g)", c->spec,
                  order, bias[0], bias[1]);
    free(x0);
    mst_manifold_free(m);
}

#endif
