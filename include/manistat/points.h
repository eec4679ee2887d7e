/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points and tangent vectors of a manifold in files: the reader turns the accepted forms of a row
 * (triangles, quaternions, degrees) into ambient coordinates and checks that the points lie on the manifold;
 * the writer does the reverse. */
#ifndef MANISTAT_POINTS_H
#define MANISTAT_POINTS_H

#include <manistat/io.h>
#include <manistat/manifold.h>
#include <manistat/shrink.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the n(n+1)/2 entries of a symmetric matrix stand in a row. */
typedef enum mst_triangle {
    MST_TRIANGLE_ANY,   /* as the header says (xx, yx, yy or a11, a21, a22), without one as UPPER */
    MST_TRIANGLE_UPPER, /* a11, a12, …, a22, a23, … */
    MST_TRIANGLE_LOWER, /* a11, a21, a22, a31, … */
} mst_triangle;

/* Do angles look as if they had another unit than the options say? */
typedef enum mst_angle_doubt {
    MST_ANGLES_FINE,
    MST_ANGLES_LIKE_RADIANS, /* read as degrees, but spread over the range of radians and no farther */
    MST_ANGLES_LIKE_DEGREES, /* read as radians, but most lie beyond a turn and all within 360 */
} mst_angle_doubt;

/* What was noticed while rows were read. */
typedef struct mst_points_report {
    uint64_t rows;
    uint64_t moved; /* with `project`: rows that would have been refused without */
    /* of those: how far, relative to the size of the row */
    double median_move, largest_move;
    uint64_t largest_row;  /* the row of the largest move, counted from 1 */
    mst_triangle triangle; /* MST_TRIANGLE_ANY: rows are no triangles */
    bool longitude_first;  /* the header names longitude, latitude, and was obeyed */
    /* The header names angles by the compass (dec, inc; trend, plunge; azimuth, dip): read as longitude and
     * latitude of a direction, x to the north, y to the east, z where the second angle is positive. */
    bool directions;
    mst_angle_doubt angles; /* of five rows or more */
    /* of those moved: matrices that were not positive definite, and have a tiny eigenvalue now. On spd such a
     * point is very far from all others. */
    uint64_t raised, raised_row; /* how many, and the last of them, counted from 1 */
    /* Positive definite matrices whose smallest eigenvalues are rounding errors: how many, the first of them,
     * and its rank and order. */
    uint64_t singular, singular_row;
    size_t rank, order;
    /* Of landmarks:NxD, how far the neighbour of a landmark is, in multiples of the width of the kernel: the
     * mean over the first rows; else 0. */
    double neighbour_gap;
    /* with `shrink`: how many rows, and how much */
    uint64_t shrunk;
    double least_intensity, most_intensity;
} mst_points_report;

typedef struct mst_points_options {
    size_t size;  /* set by the default: how much of the struct the program knows */
    bool project; /* default false: bring rows off the manifold onto it instead of refusing them */
    bool degrees; /* default false: angles (circle, torus) in degrees */
    bool latlon;  /* default false: sphere:2 points as latitude, longitude in degrees */
    bool quaternion; /* default false: write so3 as w, x, y, z (reading finds out by itself) */
    mst_points_report
        *report;           /* default null; else filled by those who read, with each batch anew */
    mst_triangle triangle; /* default MST_TRIANGLE_ANY: how triangles are read */
    /* default false: with `project`, refuse a matrix that has an eigenvalue below −1/10 of its largest where
     * it should be positive definite; true: project that one, too */
    bool force;
    /* default 0; else a negative coordinate in a TPS file says that the point is missing; MST_ARGUMENT
     * for other files */
    int missing_negative;
    /* default MST_SHRINK_NONE: shrink the matrices of spd:n that points are, all rows of a file alike. Not
     * MST_SHRINK_LEDOIT_WOLF, which needs the signals (mst_covariance). An indefinite matrix is MST_DOMAIN
     * unless `force`. */
    mst_shrink shrink;
    double intensity; /* default 0; of MST_SHRINK_VALUE, from 0 to 1 */
    size_t
        samples; /* default 0; for MST_SHRINK_OAS how many samples each matrix is the covariance of */
    /* default false; true: MST_DOMAIN for landmarks:NxD whose neighbours in the first rows are more than six
     * widths of the kernel apart, or less than a hundredth. For a kernel that has its default width. */
    bool check_kernel;
} mst_points_options;

MST_API mst_points_options mst_points_options_default(void);

typedef struct mst_points_reader mst_points_reader;
/* `layout` says what stands in a row, one letter each: 'p' a point, 'v' a tangent vector at the point before
 * it, 's' a number, 'w' a rotation vector. "pp" reads x_1…x_D, y_1…y_D. A row has either the full width of
 * all parts or, for spd and sym, n(n+1)/2 columns per point and vector, for so3 quaternions (points only).
 * A rotation vector, for so3, is axis × angle in the axes of the rotation x that it is at, three numbers w:
 * Exp_x = x exp([w]×). Names in the header that are known (docs/files.md) are obeyed in any order. MST_FORMAT
 * if they contradict the usual one. */
MST_API MST_MUST_USE mst_status mst_points_open(mst_points_reader **out, const mst_manifold *m,
                                                const char *layout, const char *path,
                                                const mst_points_options *options);
/* Up to max rows, fewer only at the end of the file; parts[k] is (max, D), or (max) for an 's', (max, 3) for
 * a 'w'. Points within the tolerances (docs/files.md) are brought onto the manifold, vectors onto the tangent
 * space at the point before them; what is there up to rounding keeps its bits. A vector without a point
 * before it is only tested for symmetry (spd, sym). MST_FORMAT for NaN, infinities and wrong widths,
 * MST_DOMAIN for rows off the manifold; the detail names file, row, line and column. */
MST_API MST_MUST_USE mst_status mst_points_next(mst_points_reader *r, size_t max,
                                                double *const *parts, size_t *got);
MST_API void mst_points_reader_free(mst_points_reader *r);

/* All points of a file, *x (n, D), to be freed with mst_points_free. */
MST_API MST_MUST_USE mst_status mst_points_read(double **x, size_t *n, const mst_manifold *m,
                                                const char *path,
                                                const mst_points_options *options);
/* The same for a file that has a column of labels among those of the points; `column` is its number,
 * counted from 1, or its name in the header; null: the labels that rows have of their own, MST_UNABLE if
 * the format has none. */
MST_API MST_MUST_USE mst_status mst_points_read_by(double **x, size_t *n, mst_labels **labels,
                                                   const mst_manifold *m, const char *path,
                                                   const char *column,
                                                   const mst_points_options *options);
/* The same for several columns of labels, up to four and each once; labels is (columns). */
MST_API MST_MUST_USE mst_status mst_points_read_labelled(double **x, size_t *n, size_t columns,
                                                         const char *const *column,
                                                         mst_labels **labels, const mst_manifold *m,
                                                         const char *path,
                                                         const mst_points_options *options);
MST_API void mst_points_free(double *x);

/* ---- Landmarks, not yet points of a manifold ---- */
typedef struct mst_landmarks_options {
    size_t size;          /* set by the default: how much of the struct the program knows */
    int missing_negative; /* default 0; else as in mst_points_options */
} mst_landmarks_options;

MST_API mst_landmarks_options mst_landmarks_options_default(void);

typedef struct mst_landmarks {
    size_t n, cols;
    size_t dim; /* coordinates of a landmark, if the file says it; else 0 */
    double *x;  /* (n, cols); missing points, and empty cells of a table, are not-a-number */
    mst_labels *labels; /* those that the rows have of their own, or null */
} mst_landmarks;

/* All rows of a TPS file or another table. Free with mst_landmarks_free, which accepts null. */
MST_API MST_MUST_USE mst_status mst_landmarks_read(mst_landmarks **out, const char *path,
                                                   const mst_landmarks_options *options);
MST_API void mst_landmarks_free(mst_landmarks *l);

/* Columns of a written point under these options, and n points x (n, D) → text (n, width). Angles come out in
 * (−π, π]. */
MST_API size_t mst_points_width(const mst_manifold *m, const mst_points_options *options);
MST_API MST_MUST_USE mst_status mst_points_encode(const mst_manifold *m, size_t n, const double *x,
                                                  const mst_points_options *options, double *text);
/* Tangent vectors as they are written, v (n, D) → text (n, D), which may alias: with `degrees` the angles of
 * circle and torus in degrees, not reduced; all else as it is. */
MST_API MST_MUST_USE mst_status mst_points_encode_vectors(const mst_manifold *m, size_t n,
                                                          const double *v,
                                                          const mst_points_options *options,
                                                          double *text);
/* One point from numbers that did not come from a file, row (cols) in any form that a file may have, to
 * x (D); checked and brought onto the manifold as by mst_points_next, with the same failures. */
MST_API MST_MUST_USE mst_status mst_points_decode(const mst_manifold *m, size_t cols,
                                                  const double *row,
                                                  const mst_points_options *options, double *x);

#ifdef __cplusplus
}
#endif
#endif
