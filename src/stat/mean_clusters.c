/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that depend on each other, and the spread of the gradients that goes with them. */
#include "stat/mean_clusters.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct member {
    size_t name, row;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *one = a, *two = b;
    if (one->name != two->name)
        return one->name < two->name ? -1 : 1;
    return (one->row > two->row) - (one->row < two->row);
}

mst_status mean_clusters_new(mean_clusters *c, size_t n, const double *weights, const size_t *names)
{
    *c = (mean_clusters){0};
    if (names == NULL)
        return MST_OK;
    member *members;
    MST_TRY(mst_allocate(&members, n));
    mst_status status = mst_allocate(&c->of, n);
    for (size_t i = 0; i < n; i++)
        members[i] = (member){names[i], i};
    if (status == MST_OK && n > 0)
        qsort(members, n, sizeof *members, compare_members);
    /* The first row of each that weighs stands for it, then gets the number. */
    size_t first = SIZE_MAX;
    for (size_t k = 0; status == MST_OK && k < n; k++) {
        size_t row = members[k].row;
        if (k > 0 && members[k].name != members[k - 1].name)
            first = SIZE_MAX;
        if (weights != NULL && weights[row] == 0) {
            c->of[row] = SIZE_MAX;
            continue;
        }
        first = first == SIZE_MAX ? row : first;
        c->of[row] = first;
    }
    for (size_t i = 0; status == MST_OK && i < n; i++)
        if (c->of[i] != SIZE_MAX)
            c->of[i] = c->of[i] == i ? c->count++ : c->of[c->of[i]];
    mst_release(members);
    return status;
}

void mean_clusters_free(mean_clusters *c)
{
    mst_release(c->of);
}

/* outer (q, q) = factor Σ g gᵀ of sums (count, q). */
static void add_squares(size_t q, size_t count, const double *sums, double factor, double *outer)
{
    memset(outer, 0, q * q * sizeof *outer);
    for (size_t c = 0; c < count; c++)
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                outer[a * q + b] += factor * sums[c * q + a] * sums[c * q + b];
}

mst_status mean_cluster_spread(const fit_model *m, const double *state, size_t count,
                               const size_t *of, double *outer)
{
    double *sums, g = (double)count;
    MST_TRY(mst_allocate(&sums, count * m->parameters));
    mst_status status = fit_cluster_gradients(m, state, count, of, sums);
    if (status == MST_OK)
        add_squares(m->parameters, count, sums, of != NULL ? g / (g - 1) : 1, outer);
    mst_release(sums);
    return status;
}
