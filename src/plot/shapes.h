/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Configurations of landmarks as they are drawn: those that stand for shapes are laid over the first mean. */
#ifndef MST_PLOT_SHAPES_H
#define MST_PLOT_SHAPES_H

#include "plot/picture.h"

typedef struct shapes {
    size_t landmarks, dim, D; /* D = landmarks·dim */
    size_t n;
    double *x; /* (n, D), those of the picture; NAN: it cannot be laid over the mean */
    size_t mean_count;
    double *means; /* (mean_count, D) */
    /* (mean_count, landmarks, dim, dim): the covariance of each landmark of a mean times the square of the
     * radius of its own confidence region; NAN: it has none */
    double *covariance;
    bool *has_covariance; /* (mean_count) */
    size_t *next;         /* (landmarks): which one it is joined to; `landmarks`: none */
    bool joined;          /* some are */
    bool unit;            /* sizes are 1 */
} shapes;

/* Landmarks in the plane or in space, with a mean to lay them over. */
bool shapes_suits(const mst_picture *p);
/* Notes what was left out. To be freed in either case. */
MST_MUST_USE mst_status shapes_open(shapes *s, canvas *c, const mst_picture *p);
void shapes_close(shapes *s);

/* Sets s->next by the text of an option, or by the first mean if it is null. */
MST_MUST_USE mst_status shapes_join(shapes *s, const char *outline);

/* Coordinates a and b of the landmarks on the page: (x, y) = (left + scale·(a − low[0]), …), b upward. */
typedef struct shape_view {
    size_t a, b;
    double low[2], high[2];
    double left, top, scale;
} shape_view;
/* Takes all configurations (count, D) into the range. */
void shape_view_take(shape_view *v, const shapes *s, size_t count, const double *x);
void shape_view_place(const shape_view *v, const double *landmark, double xy[2]);
/* The lines between the landmarks of one configuration (D) as a path. */
void shape_path(canvas *c, const shapes *s, const shape_view *v, const double *x);
/* A bar of a round length below the view, with its length in words; its height on the page. */
double shape_scale_bar(canvas *c, const shapes *s, double left, double top, double width,
                       double scale);

/* χ² of `coordinates` of the d coordinates of a mean, for their confidence region by itself: what the radius
 * of the whole one is over that of the chi-square law, for few rows, is taken over. NAN: there is none. */
double plot_part_radius2(const mst_manifold *m, const mst_picture_mean *mean, size_t coordinates);

#endif
