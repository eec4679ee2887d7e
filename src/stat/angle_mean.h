/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Fréchet mean of angles, exactly: the global minimum of F(μ) = Σ w d(x, μ)² over the
 * circle, in O(n log n).
 *
 * Cut the circle between two neighbouring points, k of n in order, and lift the first k by 2π: the mean of
 * the lifted numbers, (Σwx + 2πΣ_{i≤k} w)/Σw, has the squared deviation V_k ≥ F there, with equality if its
 * antipode lies in the cut. Every local minimum of F is such a mean, and so the least V_k is the least F
 * (Hotz and Huckemann 2015). */
#ifndef MST_STAT_ANGLE_MEAN_H
#define MST_STAT_ANGLE_MEAN_H

#include "base/internal.h"

typedef struct angle_mean {
    double mean;     /* in (−π, π] */
    double variance; /* F/Σw */
} angle_mean;

/* Angles x[0], x[stride], … (n), any real numbers; weights (n), ≥ 0 and not all 0, or null. Local minima by
 * rising variance into out (most ≥ 1), their number into *count: the least, those that rounding does not tell
 * from it, and of the others the best ones that are π/8 away from those before. */
MST_MUST_USE mst_status angle_means(size_t n, const double *x, size_t stride, const double *weights,
                                    size_t most, angle_mean *out, size_t *count);

#endif
