/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A rectangle with axes. */
#ifndef MST_PLOT_AXES_H
#define MST_PLOT_AXES_H

#include "plot/picture.h"

typedef struct axis {
    double low, high; /* of the data; widened to whole steps by axes_open */
    bool log;
    const char *name; /* or null */
    bool exact;       /* do not widen */
    /* Labels for an axis that is not of numbers: ticks at these places; null: made by itself. */
    size_t ticks;
    const double *at;
    const char *const *labels;
} axis;

typedef struct axes {
    axis x, y;
    double left, top, width, height; /* of the rectangle */
} axes;

/* Takes a value into the range; begin with low = high = NAN. */
void axis_take(axis *a, double value);
/* Lays out the rectangle in the frame, of the given height over width, and draws it with ticks, names and
 * grid. With `equal` both axes have one scale, and the range of one of them grows. */
void axes_open(axes *a, canvas *c, double ratio, bool equal);
double axes_x(const axes *a, double value);
double axes_y(const axes *a, double value);
/* The reverse. */
double axes_x_value(const axes *a, double x);
double axes_y_value(const axes *a, double y);
/* Is it within the rectangle? */
bool axes_inside(const axes *a, double x, double y);

/* The layers of a picture within the rectangle, which becomes the part of the frame of the projection. */
MST_MUST_USE mst_status axes_layers(const axes *a, canvas *c, const mst_picture *p, projection to);

#endif
