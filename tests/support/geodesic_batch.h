/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Many pairs of points with what is known of them, for the tests of geodesics. */
#ifndef TEST_GEODESIC_BATCH_H
#define TEST_GEODESIC_BATCH_H

#include "support/geodesic_manifolds.h"
#include "support/support.h"

#include <manistat/geodesic.h>

enum { PAIRS = 200, WIDE = 4 };

typedef struct batch {
    mst_manifold *m;
    size_t D, n;
    double x[PAIRS * WIDE], y[PAIRS * WIDE], truth[PAIRS];
    double length[PAIRS], error[PAIRS], conjugate[PAIRS], van_vleck[PAIRS];
    double log_x[PAIRS * WIDE], log_y[PAIRS * WIDE];
    double hessian[PAIRS * WIDE * WIDE], mixed[PAIRS * WIDE * WIDE];
    mst_geodesic_status status[PAIRS];
    int starts[PAIRS], agreed[PAIRS];
    unsigned char tie[PAIRS];
    dice die;
    size_t seed; /* added to that of the pairs */
} batch;

batch *batch_open(void);
void batch_close(batch *b);

mst_geodesic_output output_of(batch *b);
void solve(batch *b, int starts, double log_tolerance);
bool is_answer(mst_geodesic_status status);

/* Of the unit sphere, at the angle `apart` or, for 0, anywhere; in the chart or in space. And of the
 * half-plane, with `spread` of the logarithm of the height. With the true lengths. */
void draw_unit(dice *d, double *a);
void draw_sphere(batch *b, bool chart, double apart);
void draw_half_plane(batch *b, double spread);

extern const double ones[3];

#endif
