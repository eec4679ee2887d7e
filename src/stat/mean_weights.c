/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What weights say. Everything after this takes them as counts; relative ones become counts of as many
 * observations as they are worth. Copies of a row are a cluster. */
#include "stat/mean_weights.h"
#include "stat/rows.h"

#include <math.h>

mst_status mean_take_weights(size_t n, const double **weights, mst_weight_meaning meaning,
                             double **copy)
{
    *copy = NULL;
    if (*weights == NULL || meaning == MST_WEIGHTS_COUNTS)
        return MST_OK;
    if (meaning != MST_WEIGHTS_RELATIVE)
        return mst_fail(MST_ARGUMENT, "weights are counts or relative, not %d", (int)meaning);
    MST_TRY(mst_allocate(copy, n));
    /* by the largest first, lest squares leave the range of doubles */
    double largest = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, (*weights)[i]);
    for (size_t i = 0; i < n; i++) {
        double w = (*weights)[i] / largest;
        sum += w;
        squares += w * w;
    }
    for (size_t i = 0; i < n; i++)
        (*copy)[i] = (*weights)[i] / largest * (sum / squares);
    *weights = *copy;
    return MST_OK;
}

mst_status mean_take_copies(size_t n, size_t D, const double *x, mst_mean_options *o,
                            size_t **names, size_t *different)
{
    *names = NULL;
    *different = n;
    if (o->weights != NULL || o->clusters != NULL)
        return MST_OK;
    MST_TRY(rows_copies(n, D, x, names, different));
    o->clusters = *names;
    return MST_OK;
}

bool mean_weights_look_relative(const mst_mean_options *o, size_t n)
{
    if (o->weights == NULL || o->weights_are != MST_WEIGHTS_COUNTS)
        return false;
    size_t rows = 0;
    for (size_t i = 0; i < n; i++)
        rows += o->weights[i] > 0;
    double sum = rows_weight(n, o->weights);
    return rows >= 2 && (fabs(sum - 1) < 0.01 || (rows > 2 && sum < 2));
}
