/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Of what kind is a symmetric matrix that should be a covariance matrix: definite, singular or indefinite? */
#ifndef MST_BASE_SPECTRUM_H
#define MST_BASE_SPECTRUM_H

#include "base/internal.h"

typedef struct mst_spectrum {
    double least, largest; /* eigenvalues */
    /* Eigenvalues that are not zero up to rounding, after scaling to a unit diagonal: units of single rows do
     * not count. What single precision or six digits of text leave behind counts as rounding if a negative
     * eigenvalue shows it. Of no meaning if the matrix is indefinite. */
    size_t rank;
    bool indefinite; /* an eigenvalue is below zero by more than such rounding */
} mst_spectrum;

/* Of the symmetric part of a (n, n), which is finite. */
MST_MUST_USE mst_status mst_spectrum_of(size_t n, const double *a, mst_spectrum *out);
/* May the matrix be singular up to rounding? Quick, for all rows of a file: false is sure. `work` (n, n). */
bool mst_spectrum_suspect(size_t n, const double *a, double *work);

#endif
