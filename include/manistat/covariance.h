/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Covariance matrices of signals, plain or shrunk toward a multiple of the identity. With the samples x_1 …
 * x_T (columns of p channels), less their mean if that is wanted, and a divisor ν,
 *     S = (1/ν) Σ x_k x_kᵀ,   result (1 − a) S + a (tr S / p) I.
 * The unit of the signals does not matter: entries of 1e-27 (V²) are as good as others. */
#ifndef MANISTAT_COVARIANCE_H
#define MANISTAT_COVARIANCE_H

#include <manistat/shrink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_covariance_options {
    size_t size; /* set by the default: how much of the struct the program knows */
    bool centre; /* default true: the mean of each channel is subtracted */
    /* default true: ν = T − 1 with `centre`, T without; false: ν = T. The estimators of the intensity take ν
     * for the number of samples. */
    bool unbiased;
    /* default MST_SHRINK_NONE, a = 0. MST_SHRINK_OAS: as mst_shrink_oas. MST_SHRINK_LEDOIT_WOLF (2004):
     *     a = min(1, b/d),  b = (1/ν) ((1/ν) Σ |x_k|⁴ − |S|²),  d = |S − (tr S / p) I|²,
     * norms of Frobenius: b estimates the mean squared error of S, d how far it is from the target. Both
     * take the samples to be independent. */
    mst_shrink shrink;
    double intensity; /* default 0; a of MST_SHRINK_VALUE, from 0 to 1 */
} mst_covariance_options;

MST_API mst_covariance_options mst_covariance_options_default(void);

/* What became of one epoch. */
typedef struct mst_covariance_info {
    size_t divisor;   /* ν */
    double intensity; /* a */
    size_t rank;      /* of S, up to rounding */
    /* S is singular, because the sum of all channels does not vary: an average reference */
    bool sums_to_zero;
} mst_covariance_info;

/* The covariance s (channels, channels) of x (channels, samples). `twin` (channels) or null: for each channel
 * the first one that has the same signal up to a factor, itself if there is none before it, SIZE_MAX if it
 * is constant. MST_ARGUMENT for options that make no sense, no samples, or one that should be centred;
 * MST_DOMAIN for numbers that are not finite; MST_BREAKDOWN where squares leave the range of double. */
MST_API MST_MUST_USE mst_status mst_covariance(size_t channels, size_t samples, const double *x,
                                               const mst_covariance_options *options, double *s,
                                               mst_covariance_info *info, size_t *twin);

#ifdef __cplusplus
}
#endif
#endif
