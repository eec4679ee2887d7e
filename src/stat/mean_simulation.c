/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the noise of a simulated source does to a mean. The gradient of a row is g + e, e with the random
 * numbers of the row; the same row with others is g + e', so half of the spread of the difference is the
 * variance of e. Summed over the rows that is well determined, however few paths a row has. */
#include "stat/mean_search.h"

#include <string.h>

/* Σ w² ½ δ δᵀ (q, q), δ the differences (n, d + 1) that stand in `one`. */
static void add_up(const fit_model *m, size_t d, const double *one, double *outer)
{
    const fit_rows *rows = &m->rows[0];
    size_t q = m->parameters;
    memset(outer, 0, q * q * sizeof *outer);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        const double *delta = one + i * (d + 1);
        for (size_t a = 0; w > 0 && a < q; a++)
            for (size_t b = 0; b < q; b++)
                outer[a * q + b] += 0.5 * w * w * delta[a] * delta[b];
    }
}

mst_status mean_simulation_spread(const fit_means *model, const double *state, double *outer,
                                  bool *random)
{
    const fit_model *m = &model->model;
    const mst_bridge_options *bridge = mst_score_bridge(m->source);
    *random = bridge != NULL;
    if (!*random)
        return MST_OK;
    mst_bridge_options other = *bridge;
    other.seed ^=
        UINT64_C(0x9e3779b97f4a7c15); /* bits of the golden ratio: no neighbour of the seed */
    size_t d = mst_manifold_dim(mst_score_manifold(m->source)), n = m->rows[0].n;
    double *one, *two;
    mst_score *source;
    MST_TRY(mst_score_bridge_new(&source, mst_score_manifold(m->source), &other));
    mst_status status = mst_allocate(&one, 2 * n * (d + 1));
    if (status == MST_OK) {
        two = one + n * (d + 1);
        fit_means again = *model;
        again.model.source = source;
        again.model.memory = NULL;
        status = fit_row_gradients(m, state, 0, one);
        if (status == MST_OK)
            status = fit_row_gradients(&again.model, state, 0, two);
        for (size_t k = 0; status == MST_OK && k < n * (d + 1); k++)
            one[k] -= two[k];
        if (status == MST_OK)
            add_up(m, d, one, outer);
        mst_release(one);
    }
    mst_score_free(source);
    return status;
}
