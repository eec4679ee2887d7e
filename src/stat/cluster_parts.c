/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/cluster_parts.h"

#include "stat/rows.h"

#include <manistat/random.h>
#include <string.h>

mst_status cluster_check(const mst_manifold *m, size_t n, const double *x, size_t k,
                         const double *weights, size_t restarts, size_t iterations)
{
    MST_TRY(rows_check(m, n, x, weights));
    if (k == 0)
        return mst_fail(MST_ARGUMENT,
                        "k is missing: give the options how many clusters, from 1 to %zu", n);
    if (k > n)
        return mst_fail(MST_ARGUMENT, "k must be from 1 to the number of points, %zu, not %zu", n,
                        k);
    if (restarts < 1 || iterations < 1)
        return mst_fail(MST_ARGUMENT, "restarts and iterations must be at least 1");
    return MST_OK;
}

cluster_threads cluster_split_threads(size_t restarts, int threads)
{
    int count = mst_thread_count(threads);
    bool side_by_side = restarts >= (size_t)count;
    return (cluster_threads){side_by_side ? count : 1, side_by_side ? 1 : count};
}

/* Rows of a cluster, on average, that a sample has to have. */
enum { SAMPLE_EACH = 100 };

bool cluster_has_sample(size_t n, size_t k)
{
    return n / 4 >= CLUSTER_SOME && k <= CLUSTER_SOME / SAMPLE_EACH;
}

mst_status cluster_sample_draw(cluster_sample *s, mst_random stream, size_t some, size_t n,
                               size_t D, const double *x, const double *weights)
{
    *s = (cluster_sample){.n = some};
    MST_TRY(mst_allocate(&s->rows, some));
    MST_TRY(mst_allocate(&s->x, some * (D + 1)));
    s->weights = s->x + some * D;
    MST_TRY(mst_random_choice(stream, n, some, s->rows));
    for (size_t i = 0; i < some; i++) {
        memcpy(s->x + i * D, x + s->rows[i] * D, D * sizeof *s->x);
        s->weights[i] = weights != NULL ? weights[s->rows[i]] : 1;
    }
    return MST_OK;
}

bool cluster_sample_is_fair(const cluster_sample *s, size_t k)
{
    size_t weighty = 0;
    for (size_t i = 0; i < s->n; i++)
        weighty += s->weights[i] > 0 ? 1 : 0;
    return weighty >= SAMPLE_EACH * k;
}

void cluster_sample_free(cluster_sample *s)
{
    mst_release(s->rows);
    mst_release(s->x);
    *s = (cluster_sample){0};
}

bool cluster_is_worse(const cluster_sample *s, const double *first, const double *second)
{
    const double surely = 5;
    double sum = 0, square = 0;
    for (size_t i = 0; i < s->n; i++) {
        double difference = s->weights[i] * (second[i] - first[i]);
        sum += difference;
        square += difference * difference;
    }
    return sum > 0 && sum * sum > surely * surely * (square - sum * sum / (double)s->n);
}

void cluster_order(size_t k, const double *key, size_t *order)
{
    for (size_t i = 0; i < k; i++) {
        size_t at = i;
        for (; at > 0 && key[order[at - 1]] < key[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
