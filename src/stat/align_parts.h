/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of alignment share. */
#ifndef MST_STAT_ALIGN_PARTS_H
#define MST_STAT_ALIGN_PARTS_H

#include "base/internal.h"

#include <manistat/align.h>

typedef struct align_work {
    size_t n, k, dim, width; /* width = k·dim */
    mst_align_options o;
    double *weights;  /* (k) */
    double *original; /* (n, width): centred, and of size 1 if scaled; no semilandmark has moved */
    double *x;        /* (n, width): the same after sliding */
    double *shift; /* (n, dim) and (n): x = (original with its sliders moved − shift)/stretch */
    double *stretch;
    double *products, *rotation; /* (n, dim, dim) */
    double *fit;                 /* (n): the factor that fits x to the mean; 1 unless scaled */
    double *mean, *next;         /* (width) */
} align_work;

/* Weighted sums over one specimen: Σ w <a, b>, and the centroid. */
double align_inner(const align_work *a, const double *x, const double *y);
void align_centroid(const align_work *a, const double *x, double *centroid);
/* Takes away the centroid and, if sizes do not count, divides by the size; what was taken away goes to shift
 * (dim) and *stretch. */
void align_normalise(const align_work *a, double *x, double *shift, double *stretch);

/* align_slide.c: moves the semilandmarks of all specimens along their tangents to where the criterion is
 * least for the mean as it stands. */
typedef struct align_slides align_slides;
MST_MUST_USE mst_status align_slides_new(align_slides **out, const align_work *a);
MST_MUST_USE mst_status align_slide(align_slides *s, align_work *a);
void align_slides_free(align_slides *s);

#endif
