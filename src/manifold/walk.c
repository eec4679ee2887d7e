/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The geodesic random walk of any manifold, from its frame, Ricci tensor and exponential map. It is the
 * reference of the tuned walks. */
#include "base/random_kernels.h"
#include "manifold/fallback.h"
#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

/* Up to MST_LANES walkers with their workspace. */
typedef struct walkers {
    double (*z)[MST_LANES]; /* normals, component by component */
    double *c;              /* frame coordinates, (n, d) */
    double *v, *w, *w2;     /* the step, Ric of it, and Ric of that, (n, D) */
    bool lost[MST_LANES];   /* who has left the domain; they rest at the start until the end */
} walkers;

/* The steps themselves, in place. */
static mst_status follow(const mst_manifold *m, size_t n, double *x, walkers *s)
{
    size_t D = m->ambient;
    mst_status ends[MST_LANES];
    if (!mst_can_be_left(m))
        return mst_manifold_exp(m, n, x, s->v, x);
    MST_TRY(mst_exp_each(m, n, x, s->v, x, ends));
    /* A short geodesic that cannot be followed to its end has met a place without a metric, too. */
    for (size_t i = 0; i < n; i++)
        if (ends[i] != MST_OK) {
            s->lost[i] = true;
            mst_manifold_start(m, x + i * D);
        }
    return MST_OK;
}

static mst_status step(const mst_manifold *m, size_t n, double *x, double h, walkers *s)
{
    size_t d = m->dim, D = m->ambient;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++)
            s->c[i * d + j] = s->lost[i] ? 0 : s->z[j][i];
    MST_TRY(mst_manifold_from_frame(m, n, x, s->c, s->v));
    /* A geodesic step of covariance h has the generator ½Δ + (h/12)∇·Ric∇ + …; the factor I − A + ½A² takes
     * that out, A = (h/12) Ric. */
    double root = sqrt(h), a = h / 12;
    if (!mst_manifold_is_flat(m)) {
        MST_TRY(mst_ricci_twice(m, n, x, s->v, s->w, s->w2));
        for (size_t i = 0; i < n * D; i++)
            s->v[i] = s->v[i] - a * s->w[i] + a * a / 2 * s->w2[i];
    }
    for (size_t i = 0; i < n * D; i++)
        s->v[i] *= root;
    return follow(m, n, x, s);
}

/* Those that were lost before the walk rest, too; and at the end of it all are told. */
static void enter(const mst_manifold *m, size_t n, double *x, walkers *s)
{
    for (size_t i = 0; i < n; i++) {
        s->lost[i] = mst_is_lost(m->ambient, x + i * m->ambient);
        if (s->lost[i])
            mst_manifold_start(m, x + i * m->ambient);
    }
}

static void leave(const mst_manifold *m, size_t n, double *x, const walkers *s)
{
    for (size_t i = 0; i < n; i++)
        if (s->lost[i])
            mst_lose(m->ambient, x + i * m->ambient);
}

mst_status mst_fallback_walk(const mst_manifold *m, size_t n, double *x, double h, size_t steps,
                             mst_noise noise)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    size_t d = m->dim, D = m->ambient;
    double *work;
    size_t noise_size = (d + 1) / 2 * 2 * MST_LANES;
    MST_TRY(mst_allocate(&work, noise_size + MST_LANES * (d + 3 * D)));
    walkers s = {.z = (double(*)[MST_LANES])work,
                 .c = work + noise_size,
                 .v = work + noise_size + MST_LANES * d,
                 .w = work + noise_size + MST_LANES * (d + D),
                 .w2 = work + noise_size + MST_LANES * (d + 2 * D)};
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        enter(m, count, x + i * D, &s);
        for (size_t k = 0; status == MST_OK && k < steps; k++) {
            random->step(noise.seed, noise.first_path + i, noise.first_step + k, d, s.z);
            status = step(m, count, x + i * D, h, &s);
        }
        leave(m, count, x + i * D, &s);
    }
    mst_release(work);
    return status;
}
