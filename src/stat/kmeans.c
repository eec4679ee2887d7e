/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* k-means: the best of several restarts. */
#include "base/options.h"
#include "manifold/internal.h"
#include "stat/cluster_parts.h"
#include "stat/fit.h"
#include "stat/kmeans_parts.h"
#include "stat/mean_weights.h"
#include "stat/rows.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

mst_kmeans_options mst_kmeans_options_default(void)
{
    return (mst_kmeans_options){
        .size = sizeof(mst_kmeans_options), .restarts = 10, .iterations = 300, .seed = 2712};
}

typedef struct search {
    kmeans_lloyd start; /* what all have in common */
    double *centres, *times;
    kmeans_outcome *outcomes;
} search;

static mst_status run_restart(void *context, size_t begin, size_t end)
{
    const search *s = context;
    for (size_t r = begin; r < end; r++) {
        kmeans_lloyd l = s->start;
        l.centres = s->centres + r * l.k * l.D;
        l.times = s->times + r * l.k;
        MST_TRY(kmeans_run(l, r, &s->outcomes[r]));
    }
    return MST_OK;
}

void mst_kmeans_result_free(mst_kmeans_result *r)
{
    if (r == NULL)
        return;
    mst_release(r->labels);
    mst_release(r->centres);
    mst_release(r);
}

static mst_status result_new(mst_kmeans_result **out, size_t n, size_t k, size_t D)
{
    mst_kmeans_result *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_allocate_zero(&r->labels, n + k);
    if (status == MST_OK)
        status = mst_allocate(&r->centres, k * (D + 1));
    if (status != MST_OK) {
        mst_kmeans_result_free(r);
        return status;
    }
    r->sizes = r->labels + n;
    r->times = r->centres + k * D;
    r->n = n;
    r->k = k;
    *out = r;
    return MST_OK;
}

/* Number clusters by decreasing size, ties by the first row, the empty ones last: from[c] is the old number
 * of the new number c, and sizes (k) are filled. key, order: (k) each, for work. */
static void number_clusters(size_t n, size_t k, const size_t *labels, size_t *from, size_t *sizes,
                            double *key, size_t *order)
{
    memset(sizes, 0, k * sizeof *sizes);
    size_t seen = 0;
    for (size_t i = 0; i < n; i++)
        if (sizes[labels[i]]++ == 0)
            order[seen++] = labels[i];
    for (size_t c = 0; c < k; c++)
        if (sizes[c] == 0)
            order[seen++] = c;
    for (size_t c = 0; c < k; c++)
        key[c] = (double)sizes[order[c]];
    cluster_order(k, key, from);
    for (size_t c = 0; c < k; c++) {
        sizes[c] = (size_t)key[from[c]];
        from[c] = order[from[c]];
    }
}

static size_t best_of(const search *s)
{
    size_t best = 0;
    for (size_t r = 1; r < s->start.o->restarts; r++)
        if (s->outcomes[r].inertia < s->outcomes[best].inertia)
            best = r;
    return best;
}

/* The best restart into the result. Labels are made afresh, so that they are what mst_kmeans_assign says. */
static mst_status describe(const search *s, mst_kmeans_result *result, size_t *work, double *key)
{
    const kmeans_lloyd *l = &s->start;
    size_t best = best_of(s), n = l->n, k = l->k, D = l->D;
    size_t *labels = work, *from = labels + n, *order = from + k, *place = order + k;
    const double *centres = s->centres + best * k * D;
    double *squared = key + k;
    MST_TRY(mst_kmeans_assign(l->m, k, centres, n, l->x, l->o->threads, labels, squared));
    number_clusters(n, k, labels, from, result->sizes, key, order);
    bool has_time = mst_score_gives(l->source, MST_GIVES_TIME);
    for (size_t c = 0; c < k; c++) {
        memcpy(result->centres + c * D, centres + from[c] * D, D * sizeof *centres);
        result->times[c] = has_time ? s->times[best * k + from[c]] : NAN;
        place[from[c]] = c;
    }
    for (size_t i = 0; i < n; i++) {
        result->labels[i] = place[labels[i]];
        result->inertia += kmeans_weight(l, i) * squared[i];
    }
    result->end = s->outcomes[best].end;
    result->converged = fit_has_converged(result->end);
    result->seed = l->o->seed;
    result->iterations = s->outcomes[best].iterations;
    result->restarts = l->o->restarts;
    return MST_OK;
}

/* ---- Many rows ---- */

/* Squared distances (n) of the rows of a sample from the nearest centre of a restart. */
static mst_status sample_distances(const search *s, const kmeans_lloyd *part, size_t restart,
                                   size_t *labels, double *squared)
{
    for (size_t i = 0; i < part->n; i++)
        labels[i] = kmeans_no_label;
    return kmeans_assign((kmeans_assignment){.m = part->m,
                                             .distances = part->distances,
                                             .k = part->k,
                                             .centres = s->centres + restart * part->k * part->D,
                                             .x = part->x,
                                             .labels = labels,
                                             .squared = squared},
                         part->n, part->o->threads);
}

/* Which restarts of the sample go on with all rows: the best, and others that it does not surely beat. The
 * rest has no inertia to speak of. */
static mst_status choose_some(search *s, const kmeans_lloyd *part, const cluster_sample *some)
{
    size_t best = best_of(s), restarts = part->o->restarts, *labels;
    double least = s->outcomes[best].inertia, *squared;
    MST_TRY(mst_allocate(&labels, part->n));
    mst_status status = mst_allocate(&squared, 2 * part->n);
    if (status == MST_OK)
        status = sample_distances(s, part, best, labels, squared);
    for (size_t r = 0; r < restarts && status == MST_OK; r++) {
        double inertia = s->outcomes[r].inertia;
        bool same = inertia - least <= cluster_same * least;
        if (r == best)
            continue;
        for (size_t q = 0; q < r; q++)
            same = same || fabs(inertia - s->outcomes[q].inertia) <= cluster_same * least;
        if (!same)
            status = sample_distances(s, part, r, labels, squared + part->n);
        if (same || (status == MST_OK && cluster_is_worse(some, squared, squared + part->n)))
            s->outcomes[r].inertia = INFINITY;
    }
    mst_release(squared);
    mst_release(labels);
    return status;
}

static mst_status go_on(const search *s)
{
    for (size_t r = 0; r < s->start.o->restarts; r++) {
        kmeans_lloyd l = s->start;
        l.centres = s->centres + r * l.k * l.D;
        l.times = s->times + r * l.k;
        l.threads = l.o->threads;
        if (isfinite(s->outcomes[r].inertia))
            MST_TRY(kmeans_go_on(l, &s->outcomes[r]));
    }
    return MST_OK;
}

/* All restarts on a sample, the good ones on all rows. */
static mst_status run_many(search *s, cluster_threads threads, bool *done)
{
    const kmeans_lloyd all = s->start;
    mst_kmeans_options o = *all.o;
    cluster_sample some;
    mst_status status = cluster_sample_draw(&some, (mst_random){o.seed, CLUSTER_STREAM},
                                            CLUSTER_SOME, all.n, all.D, all.x, o.weights);
    *done = status == MST_OK && cluster_sample_is_fair(&some, all.k);
    if (!*done) {
        cluster_sample_free(&some);
        return status;
    }
    o.weights = some.weights;
    s->start.o = &o;
    s->start.n = some.n;
    s->start.x = some.x;
    status = mst_parallel_blocks(o.restarts, 1, threads.restarts, o.progress, run_restart, s);
    if (status == MST_OK)
        status = choose_some(s, &s->start, &some);
    s->start = all;
    cluster_sample_free(&some);
    return status == MST_OK ? go_on(s) : status;
}

/* Everything between the arguments and the result. */
static mst_status fit(const mst_manifold *m, distance_function *distances, const mst_score *source,
                      size_t n, const double *x, const mst_kmeans_options *o,
                      mst_kmeans_result *result)
{
    cluster_threads threads = cluster_split_threads(o->restarts, o->threads);
    size_t k = o->k, D = mst_manifold_ambient(m), *work = NULL;
    double *key = NULL;
    search s = {.start = {.m = m,
                          .distances = distances,
                          .source = source,
                          .o = o,
                          .n = n,
                          .d = mst_manifold_dim(m),
                          .D = D,
                          .k = k,
                          .x = x,
                          .threads = threads.rows}};
    mst_status status = mst_allocate(&s.centres, o->restarts * k * (D + 1));
    if (status == MST_OK)
        status = mst_allocate(&s.outcomes, o->restarts);
    if (status == MST_OK)
        status = mst_allocate(&work, n + 3 * k);
    if (status == MST_OK)
        status = mst_allocate(&key, n + k);
    if (status == MST_OK) {
        bool done = false;
        s.times = s.centres + o->restarts * k * D;
        if (cluster_has_sample(n, k))
            status = run_many(&s, threads, &done);
        if (status == MST_OK && !done)
            status =
                mst_parallel_blocks(o->restarts, 1, threads.restarts, o->progress, run_restart, &s);
    }
    if (status == MST_OK)
        status = describe(&s, result, work, key);
    mst_release(key);
    mst_release(work);
    mst_release(s.outcomes);
    mst_release(s.centres);
    return status;
}

mst_status mst_kmeans_fit(mst_kmeans_result **out, const mst_manifold *m, size_t n, const double *x,
                          const mst_kmeans_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    mst_kmeans_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_kmeans_options, options));
    MST_TRY(cluster_check(m, n, x, o.k, o.weights, o.restarts, o.iterations));
    if (o.kind != NULL &&
        mst_manifold_ambient(mst_score_manifold(o.kind)) != mst_manifold_ambient(m))
        return mst_fail(MST_ARGUMENT, "the score source belongs to another manifold, %s",
                        mst_manifold_spec(mst_score_manifold(o.kind)));
    mst_score *own = NULL;
    mst_kmeans_result *result;
    double *weights = NULL;
    MST_TRY(result_new(&result, n, o.k, mst_manifold_ambient(m)));
    mst_status status = o.kind == NULL ? mst_score_log_new(&own, m) : MST_OK;
    if (status == MST_OK)
        status = mean_take_weights(n, &o.weights, o.weights_are, &weights);
    if (status == MST_OK)
        status = fit(m, mst_dist_to, own != NULL ? own : o.kind, n, x, &o, result);
    /* Diffusion centres need no logarithm, and chords tell as well which of them is near. */
    if (o.kind != NULL && distances_are_lost(status))
        status = fit(m, chords_to, o.kind, n, x, &o, result);
    mst_score_free(own);
    mst_release(weights);
    if (status != MST_OK) {
        mst_kmeans_result_free(result);
        return status;
    }
    result->seconds = mst_clock_seconds() - begin;
    *out = result;
    if (!result->converged)
        return mst_fail(MST_CONVERGENCE, "the labels still move after %zu iterations",
                        result->iterations);
    return MST_OK;
}
