/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Brownian motion of landmarks by geodesic steps. A step of covariance h has the generator
 * ½Δ + (h/12) ∇·Ric∇ + …; of the correction for it the isotropic part is taken, Ric ≈ Scal/d, which costs a
 * hundredth of Ric itself and leaves the mean square of the increments right to second order. */
#include "base/lanes.h"
#include "base/random_kernels.h"
#include "manifold/landmarks_curvature.h"
#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

typedef struct walk_room {
    landmark_curvature c;
    landmark_flow flow;
    double *q, *p; /* (half) */
} walk_room;

/* One step from r->q; false: it is lost. */
static bool step(walk_room *r, size_t d, double h, const double (*z)[MST_LANES], size_t lane)
{
    const landmark_shape *s = r->flow.shape;
    double scalar = landmark_scalar(&r->c, r->q, NULL), length = 0;
    double a = h / 12 * scalar / (double)d, factor = sqrt(h) * (1 - a + 0.5 * a * a);
    if (!isfinite(scalar))
        return false;
    memset(r->p, 0, r->flow.half * sizeof *r->p);
    for (size_t i = 0; i < d; i++) {
        double c = factor * z[i][lane];
        r->p[i % s->space * s->wide + i / s->space] = c;
        length += c * c;
    }
    landmark_momentum(&r->c.at, r->p);
    landmark_flow_start(&r->flow, r->q, r->p);
    /* Long steps in parts: the method is of order five. */
    size_t parts = 1 + (size_t)fmin(0.5 * sqrt(length / s->alpha) / s->sigma, 1000);
    for (size_t k = 0; k < parts; k++)
        landmark_advance_roughly(&r->flow, 1 / (double)parts, false);
    memcpy(r->q, landmark_flow_point(&r->flow), r->flow.half * sizeof *r->q);
    for (size_t k = 0; k < r->flow.half; k++)
        if (!isfinite(r->q[k]))
            return false;
    return true;
}

mst_status landmark_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                         mst_noise noise)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    const landmarks *l = mst_manifold_data(m);
    size_t d = m->dim, width = l->shape.space * l->shape.wide;
    walk_room r = {0};
    double *block;
    MST_TRY(mst_allocate(&block, (d + 1) / 2 * 2 * MST_LANES + (MST_LANES + 1) * width));
    double(*z)[MST_LANES] = (double(*)[MST_LANES])block;
    double *points = block + (d + 1) / 2 * 2 * MST_LANES;
    r.p = points + MST_LANES * width;
    mst_status status = landmark_curvature_new(&r.c, &l->shape);
    if (status == MST_OK)
        status = landmark_flow_new(&r.flow, &l->shape, 0);
    for (size_t i = 0; status == MST_OK && i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        bool lost[MST_LANES];
        for (size_t j = 0; j < count; j++) {
            lost[j] = mst_is_lost(d, x + (i + j) * d);
            if (!lost[j])
                landmark_columns(&l->shape, x + (i + j) * d, points + j * width);
        }
        for (size_t k = 0; k < steps; k++) {
            random->step(noise.seed, noise.first_path + i, noise.first_step + k, d, z);
            for (size_t j = 0; j < count; j++) {
                r.q = points + j * width;
                lost[j] = lost[j] || !step(&r, d, h, (const double(*)[MST_LANES])z, j);
            }
        }
        for (size_t j = 0; j < count; j++)
            if (lost[j])
                mst_lose(d, x + (i + j) * d);
            else
                landmark_row(&l->shape, points + j * width, x + (i + j) * d);
    }
    landmark_curvature_free(&r.c);
    landmark_flow_free(&r.flow);
    mst_release(block);
    return status;
}
