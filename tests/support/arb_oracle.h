/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Radial heat kernels in ball arithmetic, rounded to double; built from other formulas than the library's. */
#ifndef MST_TEST_ARB_ORACLE_H
#define MST_TEST_ARB_ORACLE_H

#include <stddef.h>

typedef struct oracle_row {
    double logp, dr, dr_over_sin, dt, drr; /* as in heat/radial.h */
} oracle_row;

/* The distance is r if r < 1.6 and π − eps otherwise. */
oracle_row oracle_sphere(size_t m, double r, double eps, double t);
oracle_row oracle_so3(double r, double eps, double t);
oracle_row oracle_hyperbolic(size_t m, double r, double t);
/* The eigenfunction series, which is affordable for t > 0.01. */
oracle_row oracle_sphere_series(size_t m, double r, double eps, double t);

#endif
