/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a kind of picture is. A new one is a file that defines `const plot_kind
 * kind_NAME`, and a line here. */
#ifndef MST_PLOT_PICTURE_H
#define MST_PLOT_PICTURE_H

#include "plot/canvas.h"

typedef struct plot_kind {
    mst_plot_kind info;
    /* Can it draw this? Asks the traits of the manifold, never its name. */
    bool (*suits)(const mst_picture *p);
    /* Sets the height and draws. MST_UNABLE for a picture that has nothing of what this kind shows. */
    mst_status (*draw)(canvas *c, const mst_picture *p);
    /* Is it drawn only if somebody asks for it, because it says more of the points than
     * is known? Null: no. */
    bool (*only_by_name)(const mst_picture *p);
} plot_kind;

/* In the order of preference: the first that suits is drawn if nobody asks for another. */
/* clang-format off */
#define PLOT_KIND_LIST(X) \
    X(sphere) \
    X(stereonet) \
    X(map) \
    X(curve) \
    X(rose) \
    X(ramachandran) \
    X(surface) \
    X(latent) \
    X(plane) \
    X(disc) \
    X(landmarks) \
    X(grid) \
    X(ellipsoids) \
    X(matrix) \
    X(rotations) \
    X(tangent) \
    X(loss) \
    X(over_time)
/* clang-format on */

#define DECLARE_PLOT_KIND(name) extern const plot_kind kind_##name;
PLOT_KIND_LIST(DECLARE_PLOT_KIND)
#undef DECLARE_PLOT_KIND

/* Draws pictures as panels, `columns` beside each other, and gives the words of all their captions, to be
 * released. */
MST_MUST_USE mst_status plot_sheet(canvas *c, size_t count, const mst_picture *const *pictures,
                                   const plot_kind *const *kinds, size_t columns, char **words);

/* ---- Points of the manifold on the page ---- */
typedef struct projection projection;
struct projection {
    const mst_manifold *m; /* or null */
    const void *data;
    /* Coordinates xy (n, 2) in the frame of the points x (n, D), NAN if they are not in the picture, and
     * whether they are on the side that faces the reader, front (n). */
    void (*place)(const projection *p, size_t n, const double *x, double *xy, unsigned char *front);
    /* The reverse, for densities: x (n, D) of places in the frame, and whether there is a point at all,
     * inside (n). Null: contours cannot be drawn. */
    void (*lift)(const projection *p, size_t n, const double *xy, double *x, unsigned char *inside);
    /* Neighbours on a line that are farther apart on the page are at two sides of a seam. */
    double seam;
    double left, top, width, height; /* the part of the frame with points in it */
    const char *back; /* what the legend calls points that are not in front: "behind" */
};

/* Density, data, curves, confidence regions and means, in this order, with their lines in the legend and what
 * is to be said about them in the caption. */
MST_MUST_USE mst_status plot_layers(canvas *c, const mst_picture *p, const projection *to);

/* A line through n points of the manifold; the part that is not in front is drawn with `behind`. */
MST_MUST_USE mst_status plot_line(canvas *c, const mst_picture *p, const projection *to, size_t n,
                                  const double *x, pen front, pen behind);

/* The arrows of the picture's field, if it has one. */
MST_MUST_USE mst_status plot_field(canvas *c, const mst_picture *p, const projection *to);

/* ---- Regions ---- */
enum { OUTLINE_POINTS = 361 };
/* The outline of the confidence region of a mean on a manifold of two dimensions, x (OUTLINE_POINTS, D), the
 * last point being the first: Exp of the ellipse. MST_UNABLE with the reason where it is
 * none, or wraps around. */
MST_MUST_USE mst_status plot_region_outline(const mst_manifold *m, const mst_picture_mean *mean,
                                            double *x);
/* Has it the edge of an MST_REGION_SCORE? */
bool plot_has_boundary(const mst_picture_mean *mean);
/* On a curve (d = 1): the half-width of the interval; NAN if there is none. */
double plot_interval(const mst_picture_mean *mean);

/* ---- Bands ---- */
/* On a manifold of two dimensions the two sides of the band about a curve, perpendicular to it: left and
 * right (count, D). MST_UNABLE where it reaches around the space. */
MST_MUST_USE mst_status plot_band_sides(const mst_manifold *m, const mst_picture_curve *curve,
                                        double *left, double *right);

/* ---- Densities ---- */
/* Is there one to draw? */
bool plot_has_density(const mst_picture *p);
/* Its logarithm at x (n, D). */
MST_MUST_USE mst_status plot_log_density(const mst_picture *p, size_t n, const double *x,
                                         double *out);
/* The values of log p whose level sets enclose these shares of the law, by simulation. */
MST_MUST_USE mst_status plot_density_levels(const mst_picture *p, size_t count,
                                            const double *shares, double *levels);
/* Level sets by marching squares. */
MST_MUST_USE mst_status plot_contours(canvas *c, const mst_picture *p, const projection *to);

/* ---- Styles ---- */
/* Of the data of a group and of its mean: one look where there is one mean, else those of the group. */
group_style plot_data_style(const mst_picture *p, size_t group);
paint plot_mean_paint(const mst_picture *p, size_t mean);
/* What a view is turned to: the first mean, or the middle of the first curve; null without them. */
const double *plot_centre(const mst_picture *p);

#endif
