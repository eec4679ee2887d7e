/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Pictures of data and of what was estimated from them: SVG, PDF and PNG from one drawing code, the same
 * bytes for the same picture. A picture is what there is to see; a kind ("sphere", "rose") is a way to draw
 * it, and says by itself which manifolds it suits. Nothing is drawn that was not estimated: what is missing,
 * or cannot be drawn, is said in the caption. */
#ifndef MANISTAT_PLOT_H
#define MANISTAT_PLOT_H

#include <manistat/mean.h>
#include <manistat/points.h>
#include <manistat/score.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What there is to see. All pointers are borrowed. ---- */

/* A mean, or the centre of a cluster. */
typedef struct mst_picture_mean {
    const char *name; /* of its group; null: it is the only one */
    const double *at; /* (D) */
    double time;      /* diffusion variance; NAN: there is none, and no density */
    double weight;    /* share of the density, 0 … 1 */
    /* The confidence region, of MST_REGION_ELLIPSOID in this basis (d, D) with this covariance (d, d). */
    mst_region_kind region;
    const double *basis, *covariance;
    double radius2, confidence;
    /* Of MST_REGION_SCORE: its edge, as in mst_region_boundary; 0 parts: not known. */
    size_t boundary_parts;
    const size_t *boundary_end;
    const double *boundary;
    const char *no_region; /* why there is none: a phrase for the caption, or null */
    /* Other means that are as good, or that the data do not tell from this one: (others, D). */
    size_t others;
    const double *set;
} mst_picture_mean;

/* A curve on the manifold. */
typedef struct mst_picture_curve {
    const char *name; /* or null */
    size_t count;
    const double *points; /* (count, D), neighbours joined */
    const double *s;      /* (count): what the curve is over; null: nothing */
    /* (count): the radius of the band about each point, perpendicular to the curve; null: no band */
    const double *band;
} mst_picture_curve;

/* Numbers over numbers, for pictures that are not of a manifold. */
typedef struct mst_picture_series {
    const char *name; /* or null */
    size_t count;
    const double *x, *y;
    const double *low, *high; /* (count): the ends of error bars or bands; null: none */
} mst_picture_series;

/* What series, and curves with an `s`, are over. */
typedef enum mst_picture_over {
    MST_OVER_NOTHING,
    MST_OVER_STEPS,     /* of a training */
    MST_OVER_TIME,      /* t of heat kernels */
    MST_OVER_COVARIATE, /* of a regression */
    MST_OVER_DIMENSION,
} mst_picture_over;

typedef struct mst_picture {
    size_t size;           /* set by the default: how much of the struct the program knows */
    const mst_manifold *m; /* default null: the picture is one of series */
    const char *title;     /* default null; one line: what was estimated, and where */
    const char *caption;   /* default null; sentences: n, units, what the error bars are */
    size_t n;              /* default 0: the data are not at hand */
    const double *x;       /* (n, D) */
    const double *weights; /* default null: all alike; (n), ≥ 0: the area of a marker */
    const size_t *labels;  /* default null: one group; (n), which of the means, from 0 */
    size_t mean_count;
    const mst_picture_mean *means;
    const char *mean_word; /* default "mean": what legends call them */
    size_t curve_count;
    const mst_picture_curve *curves;
    /* default null: no density. Else that of the law Σ weight_j p_{time_j}(mean_j, ·) of the means, if
     * the source gives log_p. */
    const mst_score *source;
    size_t series_count;
    const mst_picture_series *series;
    const char *x_name, *y_name; /* default null; of the axes of series, and of a plane */
    bool x_log, y_log;           /* default false */
    bool degrees;                /* default false: angles are labelled in radians */
    mst_picture_over over;       /* default MST_OVER_NOTHING */
    const double *s;             /* default null; (n): the covariate of each row */
    /* default 0: none; a field of tangent vectors (field_count, D) at points (field_count, D), drawn as
     * arrows in one scale. */
    size_t field_count;
    const double *field_at, *field_vectors;
    const char *field_name; /* default null; in the legend */
    const double *centre; /* default null: the means or the curve; (D): what a view is turned to */
    const char *point_word; /* default "data": what legends call the points */
} mst_picture;
MST_API mst_picture mst_picture_default(void);

/* ---- Kinds ---- */
typedef struct mst_plot_kind {
    const char *name;  /* "stereonet" */
    const char *what;  /* "lower-hemisphere equal-area projection" */
    const char *suits; /* "sphere:2" */
} mst_plot_kind;
/* All of them, in the order of preference. */
MST_API size_t mst_plot_kind_count(void);
MST_API const mst_plot_kind *mst_plot_kind_at(size_t i);
/* Can this kind draw the picture? MST_ARGUMENT for a name that does not exist, MST_UNABLE if it does not
 * suit; the detail lists those that do. */
MST_API MST_MUST_USE mst_status mst_plot_suits(const char *kind, const mst_picture *p);
/* The first kind that suits, or null. */
MST_API const char *mst_plot_default_kind(const mst_picture *p);

/* ---- Drawing ---- */
typedef enum mst_plot_format { MST_PLOT_SVG, MST_PLOT_PDF, MST_PLOT_PNG } mst_plot_format;
/* By the ending of a path; MST_ARGUMENT lists the endings. */
MST_API MST_MUST_USE mst_status mst_plot_format_of(mst_plot_format *out, const char *path);

typedef struct mst_plot_options {
    size_t size;      /* set by the default: how much of the struct the program knows */
    const char *kind; /* default null: the first that suits */
    double width;     /* default 84, of a journal's column; in millimetres, 40 … 400 */
    double
        resolution; /* default 300: dots per inch of PNG and of layers with many points, 72 … 1200 */
    bool words;     /* default true; false: a picture without any text */
    /* default null: none. Put before every id of an SVG, so that several can stand on one page */
    const char *id;
    bool force; /* default false; mst_plot_write: replace a file that is there */
    /* default 0: the one farthest from the mean; else the row, from 1, that pictures of one specimen show */
    size_t specimen;
    /* default null: landmarks are joined where neighbours in a row are neighbours in space. Else "none",
     * "open" or "closed", of all landmarks or of pieces: "closed:1-25,26-50" */
    const char *outline;
    const char *title; /* default null: that of the picture */
    const char *note;  /* default null; sentences that the caption begins with */
    size_t columns;    /* default 0: up to three; of several pictures, how many beside each other */
} mst_plot_options;
MST_API mst_plot_options mst_plot_options_default(void);

/* The bytes of a file, with a final 0 that does not count, to be released with mst_plot_free. MST_UNABLE if
 * no kind suits, and for what has no picture in this case; the detail says why. */
MST_API MST_MUST_USE mst_status mst_plot_draw(char **bytes, size_t *length, const mst_picture *p,
                                              mst_plot_format format,
                                              const mst_plot_options *options);
MST_API void mst_plot_free(char *bytes);
/* Several pictures as panels of one, lettered (a), (b), …, each of the kind of its number; a null among
 * `kinds`, or instead of them, is the first that suits. `kind` of the options is not
 * looked at; 1 to 26 pictures. */
MST_API MST_MUST_USE mst_status mst_plot_draw_sheet(char **bytes, size_t *length, size_t count,
                                                    const mst_picture *const *pictures,
                                                    const char *const *kinds,
                                                    mst_plot_format format,
                                                    const mst_plot_options *options);
/* To a file, whole or not at all, in the format of its ending. */
MST_API MST_MUST_USE mst_status mst_plot_write(const char *path, const mst_picture *p,
                                               const mst_plot_options *options);

/* ---- Results that commands have saved with --json ---- */
typedef struct mst_saved mst_saved;
/* Of a file ("-": standard input), or of n bytes of text that messages call `name`. `m` is the manifold of
 * the result, borrowed; null: made of what the result says. MST_FORMAT for what is no result with a picture,
 * and if something is missing; the detail says what. */
MST_API MST_MUST_USE mst_status mst_saved_read(mst_saved **out, const char *path);
MST_API MST_MUST_USE mst_status mst_saved_parse(mst_saved **out, const char *name, size_t n,
                                                const char *text, const mst_manifold *m);
MST_API void mst_saved_free(mst_saved *s);
/* Its picture, without the data points, which only those of `sample` hold: copy it, and set x, n and weights.
 * Belongs to the result. */
MST_API const mst_picture *mst_saved_picture(const mst_saved *s);
/* How its points are written, and most likely those of the data too. */
MST_API mst_points_options mst_saved_forms(const mst_saved *s);
/* The number of rows that it was estimated from; 0: unknown. */
MST_API size_t mst_saved_rows(const mst_saved *s);

#ifdef __cplusplus
}
#endif
#endif
