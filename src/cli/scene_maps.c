/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "scene_maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Principal geodesic coordinates ---- */

/* Log at the base in its frame, c (n, d); rows without one are NAN. */
static mst_status logs_at_base(const scene_map *map, size_t n, const double *x, double *c)
{
    size_t d = mst_manifold_dim(map->m), D = mst_manifold_ambient(map->m);
    double *v;
    mst_status status = new_doubles(&v, 2, D);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        unsigned char flag = 0;
        memcpy(v + D, x + i * D, D * sizeof *v);
        mst_status one = mst_manifold_log(map->m, 1, map->base, v + D, v, &flag);
        if (one == MST_OK)
            one = mst_manifold_to_frame(map->m, 1, map->base, v, c + i * d);
        for (size_t k = 0; k < d; k++)
            if (one != MST_OK || !isfinite(c[i * d + k]))
                c[i * d] = NAN;
        if (one == MST_MEMORY)
            status = one;
    }
    free(v);
    return status;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* u ← Σ c ⟨c, u⟩ over the rows, then perpendicular to `other` (or null) and of length 1;
 * its length before. */
static double multiply(size_t n, size_t d, const double *c, const double *other, double *u,
                       double *next)
{
    memset(next, 0, d * sizeof *next);
    for (size_t i = 0; i < n; i++) {
        if (isnan(c[i * d]))
            continue;
        double along = dot(d, c + i * d, u);
        for (size_t k = 0; k < d; k++)
            next[k] += along * c[i * d + k];
    }
    double off = other != NULL ? dot(d, next, other) : 0;
    for (size_t k = 0; k < d && other != NULL; k++)
        next[k] -= off * other[k];
    double length = sqrt(dot(d, next, next));
    for (size_t k = 0; k < d; k++)
        u[k] = length > 0 ? next[k] / length : 0;
    return length;
}

/* The two leading directions of the rows c (n, d) about 0, by powers of their matrix of second moments. */
static mst_status principal(scene_map *map, size_t n, const double *c)
{
    enum { POWERS = 200 };
    size_t d = mst_manifold_dim(map->m);
    double *next, total = 0;
    mst_status status = new_doubles(&next, 1, d);
    if (status != MST_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        if (isnan(c[i * d]))
            map->unreachable++;
        else
            total += dot(d, c + i * d, c + i * d);
    }
    for (size_t k = 0; k < 2; k++) {
        double *u = map->directions + k * d, length = 0;
        const double *other = k == 1 ? map->directions : NULL;
        for (size_t i = 0; i < d; i++) /* a start that no axis is perpendicular to */
            u[i] = 1 / (1.0 + (double)((i + k) % d));
        for (int p = 0; p < POWERS; p++)
            length = multiply(n, d, c, other, u, next);
        map->share[k] = total > 0 ? length / total : 0;
    }
    free(next);
    return MST_OK;
}

static mst_status lay_tangent(scene_map *map, size_t n, const double *x)
{
    size_t d = mst_manifold_dim(map->m);
    double *c;
    map->in_tangent = true;
    map->frame = SCENE_PLANE;
    map->dim = 2;
    mst_status status = new_doubles(&map->directions, 2, d);
    if (status != MST_OK)
        return status;
    status = new_doubles(&c, n, d);
    if (status == MST_OK)
        status = logs_at_base(map, n, x, c);
    if (status == MST_OK)
        status = principal(map, n, c);
    free(c);
    return status;
}

static mst_status map_tangent(const scene_map *map, size_t n, const double *x, double *out)
{
    size_t d = mst_manifold_dim(map->m);
    double *c;
    mst_status status = new_doubles(&c, n, d);
    if (status == MST_OK)
        status = logs_at_base(map, n, x, c);
    for (size_t i = 0; i < n && status == MST_OK; i++)
        for (size_t k = 0; k < 2; k++)
            out[2 * i + k] = isnan(c[i * d]) ? NAN : dot(d, c + i * d, map->directions + k * d);
    free(c);
    return status;
}

/* ---- Maps of the rows themselves ---- */

static void choose(scene_map *map)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(map->m);
    size_t d = mst_manifold_dim(map->m), D = mst_manifold_ambient(map->m);
    map->each = 1;
    if (mst_manifold_factor(map->m, 0) != map->m) {
        map->frame = SCENE_NONE;
    } else if (mst_manifold_space_dim(map->m) == 3 && d == 2) {
        map->frame = SCENE_SPACE;
        map->in_space = true;
    } else if (t->rows == MST_ROWS_ANGLES && d == 1) {
        map->frame = SCENE_CIRCLE;
    } else if (t->rows == MST_ROWS_ANGLES && d == 2) {
        map->frame = SCENE_SQUARE;
    } else if (t->unit_rows && d == 2) {
        map->frame = SCENE_BALL;
    } else if (t->rows == MST_ROWS_ROTATIONS) {
        map->frame = SCENE_BALL;
        map->each = 3;
    } else if (t->rows == MST_ROWS_HYPERBOLOID && d == 2) {
        map->frame = SCENE_DISC;
    } else if (t->landmark_dim > 0 && !t->any_row) {
        map->frame = t->landmark_dim == 2 ? SCENE_PLANE : SCENE_SPACE;
        map->each = D / t->landmark_dim;
    } else if ((t->unrolls || !isnan(t->embedding)) && D == 2) {
        map->frame = SCENE_PLANE;
    } else if ((t->unrolls || !isnan(t->embedding)) && D == 3) {
        map->frame = SCENE_SPACE;
    }
    map->dim = map->frame == SCENE_BALL || map->frame == SCENE_SPACE ? 3 : 2;
}

mst_status scene_map_make(scene_map *map, const mst_manifold *m, size_t n, const double *x,
                          const double *base)
{
    *map = (scene_map){.m = m, .base = base};
    choose(map);
    if (map->frame != SCENE_NONE || n == 0 || base == NULL)
        return MST_OK;
    return lay_tangent(map, n, x);
}

void scene_map_free(scene_map *map)
{
    free(map->directions);
}

static void map_row(const scene_map *map, const double *x, double *out)
{
    size_t D = mst_manifold_ambient(map->m);
    switch (map->frame) {
    case SCENE_CIRCLE:
        out[0] = cos(x[0]);
        out[1] = sin(x[0]);
        return;
    case SCENE_SQUARE:
        for (size_t k = 0; k < 2; k++)
            out[k] = remainder(x[k], 2 * M_PI);
        return;
    case SCENE_DISC: /* Poincaré's: stereographic from (-1, 0, 0) */
        for (size_t k = 0; k < 2; k++)
            out[k] = x[k + 1] / (1 + x[0]);
        return;
    case SCENE_BALL:
        if (map->each == 3) { /* where a rotation takes the three axes: its columns */
            for (size_t k = 0; k < 9; k++)
                out[k] = x[k % 3 * 3 + k / 3];
            return;
        }
        break;
    case SCENE_NONE:
    case SCENE_PLANE:
    case SCENE_SPACE:
        break;
    }
    memcpy(out, x, D * sizeof *out);
}

mst_status scene_map_points(const scene_map *map, size_t n, const double *x, double *out)
{
    size_t D = mst_manifold_ambient(map->m);
    if (map->in_tangent)
        return map_tangent(map, n, x, out);
    if (map->in_space)
        return mst_manifold_in_space(map->m, n, x, out);
    for (size_t i = 0; i < n; i++)
        map_row(map, x + i * D, out + i * map->each * map->dim);
    return MST_OK;
}
