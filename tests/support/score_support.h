/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points, vectors and networks with random weights for the tests of scores. */
#ifndef TESTS_SCORE_SUPPORT_H
#define TESTS_SCORE_SUPPORT_H

#include "score/network.h"
#include "support/support.h"

#include <manistat/manifold.h>
#include <stdlib.h>
#include <string.h>

/* Defined in tests/support/manifolds.h, whose other names are not wanted here. */
mst_status bare_sphere_new(mst_manifold **out);

/* From a spec, or "bare": the sphere of radius 2 with nothing but the required slots. */
static inline mst_manifold *open_manifold(const char *spec)
{
    mst_manifold *m = NULL;
    if (strcmp(spec, "bare") == 0)
        ASSERT_OK(bare_sphere_new(&m));
    else
        ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

static inline double length_of(const mst_manifold *m, const double *x, const double *v)
{
    double r;
    ASSERT_OK(mst_manifold_norm(m, 1, x, v, &r));
    return r;
}

/* A tangent vector at x of this length in a random direction. */
static inline void random_vector(const mst_manifold *m, dice *die, const double *x, double length,
                                 double *v)
{
    size_t d = mst_manifold_dim(m);
    double *c = doubles(d), norm;
    for (size_t k = 0; k < d; k++)
        c[k] = dice_normal(die);
    norm = euclidean_norm(d, c);
    for (size_t k = 0; k < d; k++)
        c[k] *= length / norm;
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    free(c);
}

/* A point at this distance (along a geodesic) from x. */
static inline void random_neighbour(const mst_manifold *m, dice *die, const double *x,
                                    double distance, double *y)
{
    double *v = doubles(mst_manifold_ambient(m));
    random_vector(m, die, x, distance, v);
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
    free(v);
}

/* A point somewhere around the default start. */
static inline void random_place(const mst_manifold *m, dice *die, double *y)
{
    double *start = doubles(mst_manifold_ambient(m));
    mst_manifold_start(m, start);
    random_neighbour(m, die, start, dice_uniform(die, 0.5, 1.3), y);
    free(start);
}

/* Exp_y(length·v). */
static inline void move(const mst_manifold *m, const double *y, double length, const double *v,
                        double *out)
{
    size_t D = mst_manifold_ambient(m);
    double *step = doubles(D);
    for (size_t k = 0; k < D; k++)
        step[k] = length * v[k];
    ASSERT_OK(mst_manifold_exp(m, 1, y, step, out));
    free(step);
}

/* Central differences of order four: f(−2h), f(−h), f(h), f(2h), each (width), and their derivative. */
static const double stencil_at[] = {-2, -1, 1, 2};
static inline double stencil(const double *f, size_t width, size_t k, double h)
{
    return (f[k] - 8 * f[width + k] + 8 * f[2 * width + k] - f[3 * width + k]) / (12 * h);
}

/* Random weights of a size that makes the network a curved function of order one. */
static inline mst_network *random_network(const mst_manifold *m, network_design design,
                                          uint64_t seed)
{
    mst_network *net = NULL;
    if (design.width == 0)
        design.width = 16;
    if (design.depth == 0)
        design.depth = 2;
    ASSERT_OK(network_new(&net, m, &design));
    mlp_initialise(&net->shape, (mst_random){seed, 1}, 1, net->theta);
    for (size_t k = 0; k <= design.depth; k++) {
        mlp_layer layer = mlp_layer_at(&net->shape, k);
        for (size_t i = 0; i < layer.rows; i++)
            net->theta[layer.bias + i] = 0.3F * sinf((float)(i + 3 * k + seed));
    }
    net->info.t_min = 0.01;
    net->info.t_max = 2;
    return net;
}

#endif
