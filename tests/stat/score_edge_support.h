/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What tests of score regions share: points in and around the ellipsoid of a result. */
#ifndef TEST_SCORE_EDGE_SUPPORT_H
#define TEST_SCORE_EDGE_SUPPORT_H

#include "stat/mean_support.h"

#include <math.h>

static inline bool region_holds_point(const setting *s, const mst_mean_result *r, size_t n,
                                      const double *x, const double *y)
{
    bool found;
    mst_mean_options o = mst_mean_options_default();
    ASSERT_OK(mst_mean_region_holds(&found, r, s->exact, n, x, &o, y));
    return found;
}

/* L of E = LLᵀ. */
static inline void factor_ellipsoid(size_t d, const double *e, double *l)
{
    memset(l, 0, d * d * sizeof *l);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double q = e[i * d + j];
            for (size_t k = 0; k < j; k++)
                q -= l[i * d + k] * l[j * d + k];
            l[i * d + j] = i == j ? sqrt(q) : q / l[j * d + j];
        }
}

/* cᵀE⁻¹c. */
static inline double square_by(size_t d, const double *e, const double *c)
{
    double *l = doubles(d * d), *z = doubles(d), sum = 0;
    factor_ellipsoid(d, e, l);
    for (size_t i = 0; i < d; i++) {
        z[i] = c[i];
        for (size_t k = 0; k < i; k++)
            z[i] -= l[i * d + k] * z[k];
        z[i] /= l[i * d + i];
        sum += z[i] * z[i];
    }
    free(l), free(z);
    return sum;
}

/* The same of Log y, whose coordinates go to c (d). */
static inline double square_in_ellipsoid(const setting *s, const mst_mean_result *r,
                                         const double *y, double *c)
{
    double *v = doubles(s->D);
    ASSERT_OK(mst_manifold_log(s->m, 1, r->mean, y, v, NULL));
    ASSERT_OK(mst_manifold_to_frame(s->m, 1, r->mean, v, c));
    free(v);
    return square_by(s->d, r->region_ellipsoid, c);
}

/* How many points of the region were found outside the ellipsoid, of `count`: a third anywhere on the
 * manifold, and the others from its surface to half as far again and to three times as far. */
static inline size_t held_outside(const setting *s, const mst_mean_result *r, size_t n,
                                  const double *x, size_t count, uint64_t seed)
{
    double *l = doubles(s->d * s->d), *z = doubles(2 * s->d), *v = doubles(2 * s->D);
    double *c = z + s->d, *y = v + s->D;
    size_t found = 0;
    factor_ellipsoid(s->d, r->region_ellipsoid, l);
    for (size_t k = 0; k < count; k++) {
        double length = 0, far = k % 3 == 1 ? 0.5 : 2;
        mst_random_normals((mst_random){seed, 77}, k * (s->d + s->d % 2), s->d, z);
        for (size_t a = 0; a < s->d; a++)
            length += z[a] * z[a];
        far = (1 + far * (double)(k / 3 % 40) / 40) / sqrt(length);
        for (size_t a = 0; a < s->d; a++) {
            c[a] = 0;
            for (size_t i = 0; i <= a; i++)
                c[a] += l[a * s->d + i] * z[i] * far;
        }
        if (k % 3 == 0) {
            ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){seed, 78}, k, 1, y));
        } else {
            ASSERT_OK(mst_manifold_from_frame(s->m, 1, r->mean, c, v));
            ASSERT_OK(mst_manifold_exp(s->m, 1, r->mean, v, y));
        }
        if (region_holds_point(s, r, n, x, y) && square_in_ellipsoid(s, r, y, c) > 1)
            found++;
    }
    free(l), free(z), free(v);
    return found;
}

#endif
