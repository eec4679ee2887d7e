/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Shrinkage of covariance matrices toward a multiple of the identity: S → (1 − a) S + a (tr S / p) I. The
 * trace stays, eigenvalues move toward their mean, and for an intensity a > 0 a matrix that was positive
 * semidefinite, of rank one at least, becomes positive definite. */
#ifndef MANISTAT_SHRINK_H
#define MANISTAT_SHRINK_H

#include <manistat/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the intensity comes from. */
typedef enum mst_shrink {
    MST_SHRINK_NONE,
    MST_SHRINK_VALUE,       /* a number from 0 to 1 */
    MST_SHRINK_OAS,         /* from the matrix and the number of samples behind it */
    MST_SHRINK_LEDOIT_WOLF, /* from the signals themselves: mst_covariance */
} mst_shrink;

/* "none", "value", "oas" or "ledoit-wolf". */
MST_API const char *mst_shrink_name(mst_shrink shrink);
/* The intensity, 0 … 1, of the oracle approximating shrinkage (Chen, Wiesel, Eldar and Hero, 2010, equation
 * 23) for the covariance s (p, p) of `samples` > 0 independent normal samples with mean zero; that is one
 * less than there are if their own mean was taken off:
 *     a = min(1, ((1 − 2/p) tr S² + tr²S) / ((n + 1 − 2/p) (tr S² − tr²S/p))).
 * 1 for a multiple of the identity, which any intensity leaves as it is. The unit of s does not matter. */
MST_API double mst_shrink_oas(size_t p, const double *s, double samples);
/* Shrinks s (p, p) in place; intensity from 0 to 1. */
MST_API void mst_shrink_matrix(size_t p, double intensity, double *s);

#ifdef __cplusplus
}
#endif
#endif
