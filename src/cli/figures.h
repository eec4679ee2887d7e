/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The paper's figures again. A figure is a list of steps, most of them command lines of this program, each of
 * which leaves one file; and a last one that draws them. A step whose file is there is not done again, which
 * is how a run that was killed goes on. */
#ifndef MST_CLI_FIGURES_H
#define MST_CLI_FIGURES_H

#include "common.h"
#include "util/json.h"

typedef struct figure_run {
    invocation *inv;
    const char *data;   /* the folder with the data sets; null: figures of real data are left out */
    const char *out;    /* where pictures go, with all results in OUT/results */
    const char *models; /* where networks go; null: OUT/models */
    const char *ending; /* of the pictures: "png" */
    const char *resolution; /* of the pictures, in dots per inch */
    uint64_t seed;
    int threads;
    progress *progress;
} figure_run;

/* Writes the file of a step. */
typedef mst_status figure_maker(const figure_run *run, const char *path);

/* In a line, words that begin with data:, results: and models: are files in those folders. What the command
 * prints is the file, unless the line is that of a maker. */
typedef struct figure_step {
    const char *makes; /* the file of the step in OUT/results; null ends the list */
    const char *line;  /* or null */
    figure_maker *make;
} figure_step;

enum { FIGURE_NEEDS = 4, FIGURE_STEPS = 12 };
typedef struct figure {
    const char *name;
    const char *title;               /* what is to be seen, on top of the picture */
    const char *note;                /* what a reader must know of the data; null: nothing */
    const char *needs[FIGURE_NEEDS]; /* files of --data */
    figure_step steps[FIGURE_STEPS];
    const char *plot; /* results, and options of `plot` */
} figure;
extern const figure figures[];
extern const size_t figure_count;

/* How a figure ended. */
enum { FIGURE_NOTE = 300 };
typedef struct figure_result {
    const figure *figure;
    char *file;             /* the picture; null: there is none */
    char note[FIGURE_NOTE]; /* why there is none, or "" */
    double seconds;         /* of the processor, in this run */
    size_t done, steps;     /* steps that were done in this run, of how many */
} figure_result;

/* Makes one figure. MST_OK also for one that is left out because its data are missing; *r says. */
MST_MUST_USE mst_status figure_make(const figure_run *run, const figure *f, figure_result *r);

/* ---- What makers share ---- */
/* "FOLDER/name" of one of the three folders, for "data:name" and so on; any other word as it is. free(). */
MST_MUST_USE mst_status figure_path(const figure_run *run, const char *word, char **path);
/* The numbers of a table in the folder, (rows, cols); free(). */
MST_MUST_USE mst_status figure_table(const figure_run *run, const char *word, double **x,
                                     size_t *rows, size_t *cols);
/* Writes rows as CSV, with a header of names joined by commas, or null. */
MST_MUST_USE mst_status figure_write(const char *path, const char *header, size_t rows, size_t cols,
                                     const double *x);

/* A panel of a figure as JSON: begun with what every panel has, and ended. */
typedef struct figure_panel {
    mst_output *sink;
    mst_json *json;
} figure_panel;
MST_MUST_USE mst_status figure_panel_open(figure_panel *p, const char *path, const char *manifold,
                                          const char *title, const char *caption);
MST_MUST_USE mst_status figure_panel_end(figure_panel *p);
void figure_panel_close(figure_panel *p);

/* Where the face looks that is to the left (-1), ahead (0) or to the right (1), and its row from 0. */
MST_MUST_USE mst_status figure_true_look(const figure_run *run, int side, double look[3],
                                         size_t *row);

/* The makers. Data: points of a ring and half of it, poses that turn the head, four swarms on the sphere, a
 * geodesic with noise, outlines of 20 landmarks, faces and where they look. */
figure_maker figure_ring, figure_half_ring, figure_poses, figure_swarms, figure_line_x,
    figure_line_y, figure_outlines, figure_faces, figure_looks, figure_new_faces;
/* Panels: the score of a network, the time over the iterations, predicted directions, errors over
 * the dimension. */
figure_maker figure_field, figure_sphere_trace, figure_landmark_trace, figure_left_look,
    figure_ahead_look, figure_right_look, figure_errors;

#endif
