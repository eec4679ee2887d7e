/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the pictures of the two-sphere share. Rows are (x, y, z): x and y span the
 * equator, and z is the axis. */
#ifndef MST_PLOT_SPHERE_VIEW_H
#define MST_PLOT_SPHERE_VIEW_H

#include "plot/picture.h"

/* Unit vectors of R^3 with its metric. */
bool sphere_view_suits(const mst_picture *p);

/* Meridians every `step` degrees and circles of latitude, each as a line of points. */
enum { GRATICULE_POINTS = 181 };
MST_MUST_USE mst_status sphere_graticule(canvas *c, const mst_picture *p, const projection *to,
                                         int step, pen front, pen behind);

#endif
