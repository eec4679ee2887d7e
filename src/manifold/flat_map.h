/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Slots of symmetric positive definite matrices that a map φ makes flat: an isometry from the matrices, rows
 * of D numbers, to all of R^d. The frame is that of the coordinates, at every point. */
#ifndef MST_MANIFOLD_FLAT_MAP_H
#define MST_MANIFOLD_FLAT_MAP_H

#include <manistat/manifold.h>

/* φ, chunk by chunk of points: at most symmetric_chunk(D) at once. A workspace holds what φ needs to know of
 * two chunks, in the places 0 and 1; points in it are counted from 0, and `row` is the number of the first
 * one in messages. */
typedef struct flat_map {
    mst_status (*open)(const mst_manifold *m, void **workspace); /* whole, or null */
    void (*close)(void *workspace);
    /* Take points x (count, D) into a place. Place 0 may remember those that it had before. */
    mst_status (*take)(void *workspace, int place, size_t row, size_t count, const double *x);
    /* u = φ of point k (d), and φ(point k of place 1) − φ(that of place 0), which keeps the digits of
     * neighbours; x and y are these points. */
    void (*value)(void *workspace, int place, size_t k, double *u);
    void (*difference)(void *workspace, size_t k, const double *x, const double *y, double *u);
    /* Dφ at point k: v (D) to u (d), and back. */
    void (*push)(void *workspace, int place, size_t k, const double *v, double *u);
    void (*pull)(void *workspace, int place, size_t k, const double *u, double *v);
    /* The points with the coordinates u (count, d): into place 1, and from there into rows y (count, D). */
    mst_status (*reach)(void *workspace, size_t row, size_t count, const double *u);
    void (*points)(void *workspace, size_t count, double *y);
} flat_map;

/* The manifold of n×n matrices with the metric of the map, which has static life. */
MST_MUST_USE mst_status mst_flat_map_new(mst_manifold **out, size_t n, const char *metric,
                                         const flat_map *map);

#endif
