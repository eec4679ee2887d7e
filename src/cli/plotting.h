/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* --plot: the picture of a result. It is made from the JSON of the result, as `plot` makes it from a file, so
 * that the two cannot differ. */
#ifndef MST_CLI_PLOTTING_H
#define MST_CLI_PLOTTING_H

#include "result.h"
#include "util/json.h"

extern const option option_plot, option_plot_kind, option_resolution;
#define PLOT_OPTIONS &option_plot, &option_plot_kind

enum { PLOTTING_WHY = 512 };

typedef struct plotting {
    invocation *inv;
    const char *path; /* null: no picture is wanted */
    mst_plot_options options;
    mst_plot_format format;
    mst_output *file;   /* the picture */
    mst_output *memory; /* the JSON */
    mst_json *json;
    mst_status failed; /* why there is no picture, if there is none */
    char why[PLOTTING_WHY];
} plotting;

/* Makes sure before the work that there is such a kind of picture, and that the file can be written. Close it
 * in either case. */
MST_MUST_USE mst_status plotting_open(plotting *p, invocation *inv);
/* Begins the object that the command writes its members to, as it does for --json. */
MST_MUST_USE mst_status plotting_begin(plotting *p);
/* Ends it and writes the picture, with the data x (n, D) and their weights, or null. `labels` (n) are taken
 * if the result has none. A picture that cannot be drawn or written is no failure of the result: it is MST_OK
 * here, and told by plotting_conclude. */
MST_MUST_USE mst_status plotting_end(plotting *p, const mst_manifold *m, size_t n, const double *x,
                                     const double *weights, const size_t *labels);
/* The end of a command whose result is out and that ends with `status`: the failure of the picture if there
 * is no other; else the picture has a line of its own. */
MST_MUST_USE mst_status plotting_conclude(const plotting *p, mst_status status);
void plotting_close(plotting *p);

/* Draws a picture and writes it to a file that is open. */
MST_MUST_USE mst_status plotting_draw(invocation *inv, const mst_picture *picture,
                                      mst_plot_format format, const mst_plot_options *options,
                                      mst_output *file);
/* The same for several, as panels of one. */
MST_MUST_USE mst_status plotting_draw_sheet(invocation *inv, size_t count,
                                            const mst_picture *const *pictures,
                                            const char *const *kinds, mst_plot_format format,
                                            const mst_plot_options *options, mst_output *file);

#endif
