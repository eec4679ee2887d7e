/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The published training. */
#include "manifold/internal.h"

#include <manistat/train.h>

mst_train_options mst_train_options_paper(void)
{
    mst_train_options o = mst_train_options_default();
    o.loss = MST_LOSS_DSM;
    o.width = 512;
    o.depth = 5;
    o.activation = MST_TANH;
    o.plain = true;
    o.batch = 1024 * 100;
    o.rate = 1e-3;
    o.warm_up = 1000;
    o.path_steps = o.path_samples = 100;
    o.t_min = 0.01;
    o.average = 0;
    o.chained_starts = true;
    return o;
}

static bool is_euclidean(const mst_manifold *m)
{
    const mst_manifold_traits *t = &m->traits;
    return t->flat == MST_YES && t->hadamard == MST_YES && t->rows == MST_ROWS_PLAIN;
}

/* A compact curve is the circle. */
static bool is_sphere(const mst_manifold *m)
{
    return m->traits.unit_rows || (m->dim == 1 && m->traits.compact == MST_YES);
}

/* Sym(n), P(n) and landmarks as published; all that the paper has not. */
static bool is_other(const mst_manifold *m)
{
    (void)m;
    return true;
}

/* The published networks. */
static const struct {
    bool (*is)(const mst_manifold *m);
    size_t width, depth;
} networks[] = {
    {is_euclidean, 128, 3},
    {is_sphere, 512, 5},
    {is_other, 512, 3},
};

mst_train_options mst_train_options_paper_for(const mst_manifold *m)
{
    mst_train_options o = mst_train_options_paper();
    size_t k = 0;
    while (!networks[k].is(m))
        k++;
    o.width = networks[k].width;
    o.depth = networks[k].depth;
    return o;
}
