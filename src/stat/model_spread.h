/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Are rows spread like Brownian motion, as errors and χ² laws of the model take them to be? Their gradients
 * tell: λ are the eigenvalues of A⁻¹B, information A and spread B of the gradients by the mean, which are 1
 * if the model is right. */
#ifndef MST_STAT_MODEL_SPREAD_H
#define MST_STAT_MODEL_SPREAD_H

#include "base/internal.h"

typedef struct model_spread {
    double sum,
        squares; /* Σλ, and Σλ² less what the n directions of rows would be unequal by chance */
    double
        sphericity; /* John's statistic, χ² if directions are alike; one row is spent on the mean */
    double tails;   /* the same ratio for log t; 1 if there is none */
} model_spread;

/* Of n rows, from the Hessian of their log-likelihood and Σ g gᵀ by q parameters, the d coordinates of the
 * mean and, if q = d + 1, log t. NANs where the information is not positive definite. */
MST_MUST_USE mst_status model_spread_find(size_t d, size_t q, double n, const double *hessian,
                                          const double *outer, model_spread *out);
/* Σλ and Σλ² of n rows are known. */
void model_spread_set(size_t d, double n, double sum, double squares, model_spread *out);

/* Only what cannot be chance counts, at 0.5 %: directions by John's test with so many degrees of freedom in
 * all, tails by the kurtosis of Mardia: in flat space the ratio of log t has the variance 2 (d + 2)/(d n),
 * and a law that is skew, from 6 of its standard deviations in one dimension to 2 in many. */
bool model_directions_differ(double sphericity, double freedom);
bool model_tails_are_heavy(size_t d, double n, double tails);

/* P(Σ λ χ² > limit), by a χ² of other scale and freedom (Satterthwaite). */
double model_survival(double limit, double sum, double squares);

#endif
