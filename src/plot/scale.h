/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Numbers as colours, with a bar that says which. */
#ifndef MST_PLOT_SCALE_H
#define MST_PLOT_SCALE_H

#include "plot/canvas.h"

typedef struct colour_scale {
    double low, high;
    bool log;
    bool
        diverging; /* from blue over white, which is 0, to vermilion; else from white to dark blue */
    double pale;   /* mixed with so much white, 0 … 1, for what is drawn on it */
    const char *name;
} colour_scale;

paint scale_paint(const colour_scale *s, double value);
/* A horizontal bar with its ends and its middle named, from (left, top) on; its height. */
MST_MUST_USE mst_status scale_bar(canvas *c, const colour_scale *s, double left, double top,
                                  double width, double *height);

#endif
