/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The slot `roll` of a few landmarks: columns of n paths to groups of eight and back. */
#include "manifold/landmarks_roll.h"

#include "base/lanes.h"
#include "base/random_kernels.h"
#include "manifold/landmarks.h"

#include <math.h>
#include <string.h>

enum { GROUP = LANDMARK_ROLL_PATHS };

typedef struct roller {
    const landmark_shape *shape;
    const struct landmark_roll_kernels *kernels;
    size_t d, ricci, paths, group; /* numbers of a Ricci tensor, of a group */
    double *groups, *before;       /* (groups, group), (group) */
    double *b, *h;                 /* (d, GROUP), (GROUP) */
    double *memory;
} roller;

static mst_status roller_new(roller *r, const landmark_shape *s, size_t n)
{
    size_t d = s->count * s->space, groups = (n + GROUP - 1) / GROUP;
    *r = (roller){.shape = s,
                  .kernels = MST_PICK(landmark_roll_kernels),
                  .d = d,
                  .ricci = d * (d + 1) / 2,
                  .paths = n};
    r->group = GROUP * (d + 2 * d * d + r->ricci);
    MST_TRY(mst_allocate(&r->memory, (groups + 1) * r->group + (d + 1) * GROUP));
    r->groups = r->memory;
    r->before = r->groups + groups * r->group;
    r->b = r->before + r->group;
    r->h = r->b + d * GROUP;
    return MST_OK;
}

static landmark_roll_group group_at(const roller *r, size_t k)
{
    size_t d = r->d;
    double *at = r->groups + k * r->group;
    return (landmark_roll_group){.q = at,
                                 .alpha = at + GROUP * d,
                                 .frame = at + GROUP * (d + d * d),
                                 .ricci = at + GROUP * (d + 2 * d * d)};
}

/* Columns (count, n) to those of the group that begins at path `first`, and back; the paths that a group has
 * too many are the last one again. */
static void gather(size_t n, size_t first, size_t count, const double *columns, double *group)
{
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < GROUP; i++)
            group[c * GROUP + i] = columns[c * n + (first + i < n ? first + i : n - 1)];
}

static void scatter(size_t n, size_t first, size_t count, const double *group, double *columns)
{
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < GROUP && first + i < n; i++)
            columns[c * n + first + i] = group[c * GROUP + i];
}

static void put(const roller *r, size_t k, const mst_rolling_paths *p)
{
    size_t n = r->paths, d = r->d;
    for (size_t first = 0; first < n; first += GROUP) {
        landmark_roll_group g = group_at(r, first / GROUP);
        scatter(n, first, d, g.q, p->x + k * d * n);
        scatter(n, first, d * d, g.frame, p->frame + k * d * d * n);
        scatter(n, first, r->ricci, g.ricci, p->ricci + k * r->ricci * n);
    }
}

/* Path i of a group is where the metric is singular, or its curvature unknown: it is lost, and waits where it
 * was, of which `before` has a copy. */
static void restore(const roller *r, size_t first, unsigned char *left)
{
    double *at = r->groups + first / GROUP * r->group;
    size_t size = r->group / GROUP;
    for (size_t i = 0; i < GROUP && first + i < r->paths; i++) {
        for (size_t c = 0; c < size && !left[first + i]; c++)
            left[first + i] = (unsigned char)!(fabs(at[c * GROUP + i]) <= 1e150);
        for (size_t c = 0; c < size && left[first + i]; c++)
            at[c * GROUP + i] = r->before[c * GROUP + i];
    }
}

static void step(const roller *r, const mst_rolling_paths *p, const double *h, const double *b)
{
    size_t n = r->paths;
    for (size_t first = 0; first < n; first += GROUP) {
        landmark_roll_group g = group_at(r, first / GROUP);
        memcpy(r->before, g.q, r->group * sizeof *r->before);
        gather(n, first, r->d, b, r->b);
        gather(n, first, 1, h, r->h);
        r->kernels->step(r->shape, p->plain ? NULL : r->h, r->b, &g);
        restore(r, first, p->left);
    }
}

static mst_status increments(const roller *r, const mst_rolling_paths *p, size_t k, const double *h,
                             double *b)
{
    size_t n = p->n, d = r->d;
    LANES(z, LANDMARK_ROLL_DIM);
    if (p->lead != NULL)
        return p->lead(p->context, k, p->x + k * d * n, p->frame + k * d * d * n,
                       p->ricci + k * r->ricci * n, b);
    MST_PICK(random_kernels)
        ->step(p->noise.seed, p->noise.first_path, p->noise.first_step + k, d, z);
    for (size_t e = 0; e < d * n; e++)
        b[e] = sqrt(h[e % n]) * z[e / n][e % n] + (p->push ? h[e % n] * p->push[e] : 0);
    return MST_OK;
}

mst_status landmark_roll(const mst_manifold *m, const mst_rolling_paths *p)
{
    const landmarks *l = mst_manifold_data(m);
    size_t n = p->n, d = m->dim;
    roller r;
    MST_TRY(roller_new(&r, &l->shape, n));
    memset(p->left, 0, n);
    for (size_t first = 0; first < n; first += GROUP) {
        landmark_roll_group g = group_at(&r, first / GROUP);
        gather(n, first, d, p->x, g.q);
        r.kernels->begin(r.shape, &g);
    }
    put(&r, 0, p);
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < p->steps; k++) {
        double *b = p->increment + k * d * n, h[MST_LANES];
        for (size_t i = 0; i < n; i++)
            h[i] = p->h[i] * (p->part != NULL ? p->part[k] : 1);
        status = increments(&r, p, k, h, b);
        if (status == MST_OK) {
            step(&r, p, h, b);
            put(&r, k + 1, p);
        }
    }
    mst_release(r.memory);
    return status;
}
