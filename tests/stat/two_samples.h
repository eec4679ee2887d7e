/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* mst_sample_test for two arrays of rows. */
#ifndef TEST_STAT_TWO_SAMPLES_H
#define TEST_STAT_TWO_SAMPLES_H

#include "support/support.h"

#include <manistat/sample_test.h>
#include <stdlib.h>
#include <string.h>

static inline mst_status two_samples(mst_test_result **out, const mst_score *source, size_t n1,
                                     const double *x1, size_t n2, const double *x2,
                                     const mst_test_options *options)
{
    size_t D = mst_manifold_ambient(mst_score_manifold(source));
    double *x = doubles((n1 + n2) * D + 1);
    size_t *group = calloc(n1 + n2 + 1, sizeof *group);
    ck_assert_ptr_nonnull(group);
    memcpy(x, x1, n1 * D * sizeof *x);
    memcpy(x + n1 * D, x2, n2 * D * sizeof *x);
    for (size_t i = n1; i < n1 + n2; i++)
        group[i] = 1;
    mst_status status = mst_sample_test(out, source, n1 + n2, x, 2, group, options);
    free(group);
    free(x);
    return status;
}

#endif
