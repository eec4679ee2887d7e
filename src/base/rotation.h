/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The rotation that brings one configuration of points onto another (Procrustes). */
#ifndef MST_BASE_ROTATION_H
#define MST_BASE_ROTATION_H

#include "base/internal.h"

/* For matrices g (count, n, n), n ≥ 2, the rotations r (count, n, n) that maximise tr(rᵀg). With g = XᵀY the
 * configuration X r, X (points, n), is as near as can be to Y. trace (count): the maximum, which is Σσ with
 * the sign of the determinant at the smallest singular value. gap (count): the sum of the last two terms;
 * where it is 0 the rotation is not the only one. With `reflect` reflections count as rotations, and gap is
 * the smallest singular value. trace and gap may be null. MST_DOMAIN for entries that are
 * not finite, MST_MEMORY. */
MST_MUST_USE mst_status mst_fit_rotation(size_t count, size_t n, const double *g, bool reflect,
                                         double *r, double *trace, double *gap);

#endif
