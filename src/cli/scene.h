/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a report shows of a result: points, curves and named marks in two or three dimensions, made of points
 * on any manifold. The page's script turns it, and the still picture draws it, without
 * knowing of manifolds. */
#ifndef MST_CLI_SCENE_H
#define MST_CLI_SCENE_H

#include "saved_result.h"

#include <stdio.h>

typedef enum scene_frame {
    SCENE_NONE,   /* there is no picture; the note says why */
    SCENE_BALL,   /* on a unit sphere that hides what is behind it */
    SCENE_SPACE,  /* in R^3, with axes */
    SCENE_CIRCLE, /* about a unit circle */
    SCENE_SQUARE, /* angles from -π to π */
    SCENE_DISC,   /* inside a unit circle */
    SCENE_PLANE,  /* in R^2, with axes */
} scene_frame;

enum { SCENE_TEXT = 512 };

typedef struct scene_mark {
    double at[3];
    size_t group;
    char *name;
    bool other; /* one more that is as good */
} scene_mark;

typedef struct scene_line {
    size_t first, count; /* in `path` */
    size_t group;
    bool thin; /* a specimen, the grid of a surface */
} scene_line;

typedef struct scene {
    scene_frame frame;
    size_t dim;         /* 2 or 3 */
    char axes[2][64];   /* names of the axes; of a plane */
    size_t total;       /* rows of the data */
    size_t shown;       /* of which these are drawn, */
    size_t *row;        /* (shown) with these numbers, from 0, */
    size_t dots, each;  /* as so many dots in all and of each row */
    double *points;     /* (dots, dim) */
    size_t *group;      /* (dots), or null: all of group 0 */
    size_t width;       /* columns of `values`; 0: too many to read */
    double *values;     /* (shown, width), as in the file */
    size_t group_count; /* at least 1 */
    bool by_axis;       /* the three dots of a rotation are three groups */
    char **names;       /* (group_count), or null */
    size_t mark_count, line_count, path_count;
    scene_mark *marks;
    scene_line *lines;
    double *path;          /* (path_count, dim) */
    char note[SCENE_TEXT]; /* sentences on what is drawn */
    double look[3];        /* where the eye is, seen from the origin; three dimensions */
} scene;

/* Of a saved result; its points may be missing, and then `without` says why: copied to the note.
 * Free it in either case. */
MST_MUST_USE mst_status scene_make(scene *s, const saved_result *r, const estimation *e,
                                   const labelled_rows *rows, const char *without);
void scene_free(scene *s);
/* Adds a mark, or a line from the points path (count, dim). */
MST_MUST_USE mst_status scene_add_mark(scene *s, const double *at, size_t group, const char *name,
                                       bool other);
MST_MUST_USE mst_status scene_add_line(scene *s, size_t count, const double *path, size_t group,
                                       bool thin);
/* A still picture of it, SVG that takes its colours from the style of the page. */
void scene_svg(const scene *s, FILE *out, const char *id, const char *title);
/* The same for the script. */
void scene_json(const scene *s, mst_json *j);
extern const char *const scene_frames[]; /* "none", "ball", … */

#endif
