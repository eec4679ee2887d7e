/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Generalised Procrustes analysis: configurations of landmarks are moved, turned and, if that is wanted,
 * scaled so that Σᵢ |Xᵢ − M|² is least, M being their mean. With `scale` the mean has size 1, and in the
 * plane it is the full Procrustes mean, the leading eigenvector of Σ zz*∕|z|²; specimens are the full
 * Procrustes fits, of size cos ρᵢ. Without it specimens keep their sizes, and the mean is their arithmetic
 * mean. Semilandmarks may slide along the tangents of their curves.
 *
 * Shapes: n specimens of k landmarks in R^dim, rows x (n, k·dim) of x1, y1, x2, y2, … */
#ifndef MANISTAT_ALIGN_H
#define MANISTAT_ALIGN_H

#include <manistat/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A semilandmark and its neighbours on the curve, landmarks counted from 0. It moves in the direction from
 * `before` to `after`. */
typedef struct mst_slider {
    size_t before, slide, after;
} mst_slider;

/* What sliding makes least, for the mean as it stands. */
typedef enum mst_slide_criterion {
    MST_SLIDE_BENDING, /* the bending energy of the thin-plate spline from the mean to the specimen */
    MST_SLIDE_DISTANCE, /* the Procrustes distance to the mean */
} mst_slide_criterion;

typedef struct mst_align_options {
    size_t size;  /* set by the default: how much of the struct the program knows */
    bool scale;   /* default false: sizes are kept */
    bool reflect; /* default false: a specimen and its mirror image are different shapes */
    const double
        *weights; /* default null: all 1; (k), ≥ 0: of the landmarks in all sums of squares */
    size_t slider_count; /* default 0 */
    const mst_slider *sliders;
    mst_slide_criterion slide_by; /* default MST_SLIDE_BENDING */
    /* default 0, which is 1e-14, the most that the mean may move in the last step, relative to its size; with
     * sliders 1e-4, the most that the sum of squares may change, relative to itself: semilandmarks all around
     * a curve can slide together almost for nothing, and their last digits mean nothing */
    double tolerance;
    size_t max_iterations; /* default 1000 */
} mst_align_options;

MST_API mst_align_options mst_align_options_default(void);

typedef struct mst_alignment {
    size_t n, landmarks, dim;
    double *aligned; /* (n, k·dim), centred at 0 */
    double *mean;    /* (k·dim) */
    double *sizes; /* (n): centroid sizes of the specimens as they came, √Σ w |x − centroid|² */
    double *residuals;          /* (n): how far from the mean, √Σ w |x − m|² */
    double *landmark_residuals; /* (k): root mean square over the specimens, without weights */
    double sum_of_squares;      /* Σ residuals² */
    size_t reflected;           /* specimens that were mirrored */
    size_t iterations;
    bool converged;
} mst_alignment;

/* n ≥ 1 specimens of k > dim landmarks, dim 2 or more. MST_ARGUMENT for weights and sliders that make no
 * sense, MST_DOMAIN for a specimen whose landmarks all coincide (the detail names it, counted from 1) and
 * numbers that are not finite. An alignment that has not converged is a result, too. To be freed with
 * mst_alignment_free, which accepts null. */
MST_API MST_MUST_USE mst_status mst_align(mst_alignment **out, size_t n, size_t landmarks,
                                          size_t dim, const double *x,
                                          const mst_align_options *options);
MST_API void mst_alignment_free(mst_alignment *a);

/* Do two landmarks of a specimen x (k·dim) coincide? Then the first such pair, counted from 0. Their order in
 * the row does not matter for the time it takes, k log k. MST_MEMORY. */
MST_API MST_MUST_USE mst_status mst_landmarks_coincide(size_t landmarks, size_t dim,
                                                       const double *x, bool *found, size_t *first,
                                                       size_t *second);

#ifdef __cplusplus
}
#endif
#endif
