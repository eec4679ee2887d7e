/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Rows that depend on each other, and the spread of the gradients that goes with them. */
#include "stat/mean_clusters.h"

#include <math.h>
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

mst_status mean_cluster_spread(const fit_model *m, const double *state, size_t count,
                               const size_t *of, double *outer)
{
    size_t q = m->parameters;
    double *sums;
    MST_TRY(mst_allocate(&sums, count * q));
    mst_status status = fit_cluster_gradients(m, state, count, of, sums);
    memset(outer, 0, q * q * sizeof *outer);
    for (size_t c = 0; status == MST_OK && c < count; c++)
        for (size_t a = 0; a < q; a++)
            for (size_t b = 0; b < q; b++)
                outer[a * q + b] += sums[c * q + a] * sums[c * q + b];
    mst_release(sums);
    return status;
}

/* Of K = M D Mᵀ, D = diag(v) and M = I − h 1ᵀ, the trace and that of its square. */
typedef struct traces {
    double one, square, total; /* total: Σ v */
} traces;

static traces traces_of(size_t count, const double *h, const double *v)
{
    double total = 0, vv = 0, hh = 0, hv = 0, vvh = 0, vhh = 0;
    for (size_t c = 0; c < count; c++) {
        total += v[c];
        vv += v[c] * v[c];
        hh += h[c] * h[c];
        hv += h[c] * v[c];
        vvh += v[c] * v[c] * h[c];
        vhh += v[c] * h[c] * h[c];
    }
    return (traces){.one = total - 2 * hv + total * hh,
                    .square = vv + 2 * (hv * hv + hh * vv) + total * total * hh * hh - 4 * vvh +
                              2 * total * vhh - 4 * total * hv * hh,
                    .total = total};
}

mst_status mean_cluster_precision(const mean_clusters *clusters, size_t n, const double *weights,
                                  bool relative, double of_rows, double of_clusters,
                                  mean_precision *out)
{
    size_t g = clusters->count;
    double *h, weight = 0, rows = 0, squares = 0;
    MST_TRY(mst_allocate_zero(&h, 2 * g));
    double *v = h + g;
    for (size_t i = 0; i < n; i++) {
        double w = weights != NULL ? weights[i] : 1;
        if (clusters->of[i] == SIZE_MAX)
            continue;
        h[clusters->of[i]] += w;
        v[clusters->of[i]] += relative ? w * w : w;
    }
    for (size_t c = 0; c < g; c++) {
        weight += h[c];
        rows += v[c];
        squares += h[c] * h[c];
    }
    /* The spread of a row is its share between clusters and the rest within. */
    double row = of_rows / rows, grown = of_clusters * (double)g / ((double)g - 1);
    double between = squares > rows ? (grown - of_rows) / (squares - rows) : 0;
    between = fmin(fmax(between, 0), row);
    for (size_t c = 0; c < g; c++) {
        v[c] = (row - between) * v[c] + between * h[c] * h[c];
        h[c] /= weight;
    }
    traces k = traces_of(g, h, v);
    bool none = !(k.one > 0 && of_clusters > 0);
    *out = (mean_precision){.factor = none ? 1 : k.total / k.one,
                            .degrees = none ? (double)g - 1 : k.one * k.one / k.square};
    /* Chance, and rows of a cluster that make up for each other, make the clusters alike: rows are then worth
     * what they are. */
    out->effective_n = none ? weight : fmin(weight * of_rows / (out->factor * of_clusters), weight);
    mst_release(h);
    return MST_OK;
}

mst_status mean_weights_precision(size_t n, const double *weights, mean_precision *out)
{
    mean_clusters alone;
    size_t *names;
    MST_TRY(mst_allocate(&names, n));
    for (size_t i = 0; i < n; i++)
        names[i] = i;
    mst_status status = mean_clusters_new(&alone, n, weights, names);
    mst_release(names);
    if (status == MST_OK)
        status = mean_cluster_precision(&alone, n, weights, true, 1, 1, out);
    mean_clusters_free(&alone);
    return status;
}
