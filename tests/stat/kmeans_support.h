/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the tests of k-means share. */
#ifndef TEST_STAT_KMEANS_SUPPORT_H
#define TEST_STAT_KMEANS_SUPPORT_H

#include "stat/samples.h"

#include <manistat/cluster.h>

static inline mst_kmeans_result *fit(const space *s, size_t n, const double *x,
                                     mst_kmeans_options o)
{
    mst_kmeans_result *r;
    ASSERT_OK(mst_kmeans_fit(&r, s->m, n, x, &o));
    return r;
}

static inline mst_kmeans_options options(size_t k, size_t restarts)
{
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = k;
    o.restarts = restarts;
    o.threads = 1;
    return o;
}

/* What must hold for every result: labels are those of the nearest centre, the inertia is their sum, sizes
 * count them and fall, ties in the order of the first rows. */
static inline void assert_consistent(const space *s, size_t n, const double *x,
                                     const double *weights, const mst_kmeans_result *r)
{
    size_t *labels = malloc((n + 1) * sizeof *labels), *first = calloc(r->k, sizeof *first);
    double *squared = doubles(n), sum = 0;
    ASSERT_OK(mst_kmeans_assign(s->m, r->k, r->centres, n, x, 1, labels, squared));
    size_t *count = calloc(r->k, sizeof *count);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_lt(r->labels[i], r->k);
        double own = distance_of(s, x + i * s->D, r->centres + r->labels[i] * s->D);
        assert_near(own * own, squared[i], 0, "row %zu is not with its nearest centre", i);
        if (count[r->labels[i]]++ == 0)
            first[r->labels[i]] = i;
        sum += (weights != NULL ? weights[i] : 1) * squared[i];
    }
    assert_near(r->inertia, sum, 1e-13 * (sum + DBL_MIN), "inertia");
    for (size_t c = 0; c < r->k; c++) {
        ck_assert_uint_eq(count[c], r->sizes[c]);
        if (c > 0)
            ck_assert(
                r->sizes[c - 1] > r->sizes[c] ||
                (r->sizes[c - 1] == r->sizes[c] && (r->sizes[c] == 0 || first[c - 1] < first[c])));
    }
    free(count);
    free(squared);
    free(first);
    free(labels);
}

/* |mean of Log_c(x)| over the rows with one label: zero exactly where c is the Fréchet
 * mean (or another critical point). */
static inline double mean_logarithm(const space *s, size_t n, const double *x, const size_t *labels,
                                    size_t label, const double *centre)
{
    double *v = doubles(2 * s->D), *sum = v + s->D, length, count = 0;
    memset(sum, 0, s->D * sizeof *sum);
    for (size_t i = 0; i < n; i++)
        if (labels[i] == label) {
            ASSERT_OK(mst_manifold_log(s->m, 1, centre, x + i * s->D, v, NULL));
            for (size_t a = 0; a < s->D; a++)
                sum[a] += v[a];
            count++;
        }
    ASSERT_OK(mst_manifold_norm(s->m, 1, centre, sum, &length));
    free(v);
    return length / count;
}

static const char *const specs[] = {"euclidean:2", "circle",  "sphere:2",
                                    "sphere:3",    "torus:2", "hyperbolic:2",
                                    "so3",         "spd:2",   "product(sphere:2,euclidean:1)"};
enum { SPECS = sizeof specs / sizeof *specs };

#endif
