/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* k-means: seeding of Arthur and Vassilvitskii (2007) with squared geodesic distances, then Lloyd's iteration. While
 * labels move, a centre takes one Newton step per iteration; once they rest, centres are brought to their means and the
 * labels must survive that. */
#include "base/options.h"
#include "stat/cluster_parts.h"
#include "stat/fit.h"
#include "stat/mean_parts.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };
static const size_t no_label = SIZE_MAX;

mst_kmeans_options mst_kmeans_options_default(void)
{
    return (mst_kmeans_options){
        .size = sizeof(mst_kmeans_options), .restarts = 10, .iterations = 300, .seed = 2712};
}

/* ---- Assignment ---- */

typedef struct assignment {
    const mst_manifold *m;
    size_t k;
    const double *centres, *x;
    size_t *labels; /* read as well: a label stays where another centre is as near */
    double *squared;
} assignment;

static mst_status assign_block(void *context, size_t begin, size_t end)
{
    const assignment *a = context;
    size_t D = mst_manifold_ambient(a->m);
    double *y, r[ROWS], best[ROWS];
    size_t label[ROWS];
    MST_TRY(mst_allocate(&y, ROWS * D));
    mst_status status = MST_OK;
    for (size_t at = begin; at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        for (size_t i = 0; i < n; i++) {
            best[i] = INFINITY;
            label[i] = 0;
        }
        for (size_t c = 0; status == MST_OK && c < a->k; c++) {
            for (size_t i = 0; i < n; i++)
                memcpy(y + i * D, a->centres + c * D, D * sizeof *y);
            status = mst_manifold_dist(a->m, n, a->x + at * D, y, r);
            for (size_t i = 0; status == MST_OK && i < n; i++)
                if (r[i] < best[i] || (r[i] == best[i] && c == a->labels[at + i])) {
                    best[i] = r[i];
                    label[i] = c;
                }
        }
        if (status != MST_OK)
            break;
        memcpy(a->labels + at, label, n * sizeof *label);
        for (size_t i = 0; a->squared != NULL && i < n; i++)
            a->squared[at + i] = best[i] * best[i];
    }
    mst_release(y);
    return status;
}

static mst_status assign(assignment a, size_t n, int threads)
{
    return mst_parallel_blocks(n, BLOCK, threads, (mst_progress){0}, assign_block, &a);
}

mst_status mst_kmeans_assign(const mst_manifold *m, size_t k, const double *centres, size_t n,
                             const double *x, int threads, size_t *labels, double *squared)
{
    if (k < 1)
        return mst_fail(MST_ARGUMENT, "there are no centres");
    /* Into memory of our own first: a failure leaves the outputs as they are. */
    size_t *found;
    double *distances;
    MST_TRY(mst_allocate(&found, n));
    mst_status status = mst_allocate(&distances, n);
    for (size_t i = 0; i < n; i++)
        found[i] = no_label;
    if (status == MST_OK)
        status = assign((assignment){m, k, centres, x, found, distances}, n, threads);
    if (status == MST_OK && n > 0) {
        memcpy(labels, found, n * sizeof *labels);
        if (squared != NULL)
            memcpy(squared, distances, n * sizeof *squared);
    }
    mst_release(distances);
    mst_release(found);
    return status;
}

/* ---- One restart ---- */

typedef struct lloyd {
    const mst_manifold *m;
    const mst_score *source;
    const mst_kmeans_options *o;
    size_t n, d, D, k;
    const double *x;
    int threads;
    size_t *labels, *previous; /* (n) */
    double *squared;           /* (n), to the own centre */
    double *rows, *weights;    /* of one cluster: (n, D), (n) */
    double *centres, *times;   /* the caller's: (k, D), (k) */
    double *mass;              /* (k), Σ w of the clusters */
    unsigned char *settled;    /* (k): the centre is the mean of these very rows */
} lloyd;

static double weight_of(const lloyd *l, size_t i)
{
    return l->o->weights != NULL ? l->o->weights[i] : 1;
}

static void lloyd_free(lloyd *l)
{
    mst_release(l->labels);
    mst_release(l->squared);
    mst_release(l->rows);
    mst_release(l->settled);
}

static mst_status lloyd_new(lloyd *l)
{
    MST_TRY(mst_allocate(&l->labels, 2 * l->n));
    l->previous = l->labels + l->n;
    MST_TRY(mst_allocate(&l->squared, l->n + l->k));
    l->mass = l->squared + l->n;
    MST_TRY(mst_allocate(&l->rows, l->n * (l->D + 1)));
    l->weights = l->rows + l->n * l->D;
    return mst_allocate_zero(&l->settled, l->k);
}

/* The row at `share` of the total of w·squared, all of it in (0, 1); rows without any are never chosen. */
static size_t pick_row(const lloyd *l, const double *squared, double share)
{
    double total = 0, sum = 0;
    size_t last = no_label;
    for (size_t i = 0; i < l->n; i++)
        total += weight_of(l, i) * (squared != NULL ? squared[i] : 1);
    for (size_t i = 0; i < l->n; i++) {
        double part = weight_of(l, i) * (squared != NULL ? squared[i] : 1);
        if (!(part > 0))
            continue;
        last = i;
        sum += part;
        if (sum > share * total)
            break;
    }
    return last;
}

static void put_centre(lloyd *l, size_t c, size_t row)
{
    memcpy(l->centres + c * l->D, l->x + row * l->D, l->D * sizeof *l->x);
}

/* Each seed is a row drawn with probability ∝ w·dist² to the seeds so far. */
static mst_status seed(lloyd *l, size_t restart)
{
    double share, *nearest = l->squared, *newest = l->weights;
    mst_random r = {l->o->seed, restart};
    size_t row = no_label;
    for (size_t c = 0; c < l->k; c++) {
        mst_random_uniforms(r, c, 1, &share);
        row = pick_row(l, c > 0 ? nearest : NULL, share);
        if (row == no_label) /* fewer different points than k: a copy, which stays empty */
            row = pick_row(l, NULL, share);
        put_centre(l, c, row);
        assignment a = {l->m, 1, l->centres + c * l->D, l->x, l->labels, c > 0 ? newest : nearest};
        MST_TRY(assign(a, l->n, l->threads));
        for (size_t i = 0; c > 0 && i < l->n; i++)
            nearest[i] = fmin(nearest[i], newest[i]);
    }
    return MST_OK;
}

static void weigh_clusters(lloyd *l)
{
    memset(l->mass, 0, l->k * sizeof *l->mass);
    for (size_t i = 0; i < l->n; i++)
        l->mass[l->labels[i]] += weight_of(l, i);
}

/* Each cluster without weight takes the point that is farthest from its centre, if any is off its centre, and not from
 * a cluster that has no other: that one would be empty then. */
static void refill_empty(lloyd *l)
{
    weigh_clusters(l);
    for (size_t c = 0; c < l->k; c++) {
        if (l->mass[c] > 0)
            continue;
        size_t farthest = no_label;
        for (size_t i = 0; i < l->n; i++)
            if (weight_of(l, i) > 0 && l->squared[i] > 0 &&
                l->mass[l->labels[i]] > weight_of(l, i) &&
                (farthest == no_label || l->squared[i] > l->squared[farthest]))
                farthest = i;
        if (farthest == no_label)
            continue;
        l->mass[l->labels[farthest]] -= weight_of(l, farthest);
        l->mass[c] = weight_of(l, farthest);
        l->labels[farthest] = c;
        l->squared[farthest] = 0;
        put_centre(l, c, farthest);
    }
}

/* Compare with the labels before; a cluster that gained or lost a row is not settled. */
static bool compare_labels(lloyd *l)
{
    bool changed = false;
    for (size_t i = 0; i < l->n; i++)
        if (l->labels[i] != l->previous[i]) {
            changed = true;
            l->settled[l->labels[i]] = 0;
            if (l->previous[i] != no_label)
                l->settled[l->previous[i]] = 0;
        }
    memcpy(l->previous, l->labels, l->n * sizeof *l->labels);
    return changed;
}

/* Copies the rows of cluster c that carry weight, all at once and one after another. */
static size_t gather(lloyd *l, size_t c)
{
    size_t count = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->labels[i] == c && weight_of(l, i) > 0) {
            memcpy(l->rows + count * l->D, l->x + i * l->D, l->D * sizeof *l->x);
            l->weights[count++] = weight_of(l, i);
        }
    return count;
}

static bool all_the_same(const lloyd *l, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (memcmp(l->rows, l->rows + i * l->D, l->D * sizeof *l->rows) != 0)
            return false;
    return true;
}

/* One Newton step, or all it takes. */
static mst_status fit_centre(lloyd *l, size_t c, bool tight)
{
    double *centre = l->centres + c * l->D, *time = l->times + c, spread;
    size_t count = gather(l, c);
    l->settled[c] = 1;
    if (count == 0)
        return MST_OK;
    if (all_the_same(l, count)) {
        memcpy(centre, l->rows, l->D * sizeof *centre);
        *time = fit_clamp_time(l->source, 0);
        return MST_OK;
    }
    MST_TRY(mean_squared_distance(l->m, count, l->rows, l->weights, centre, l->threads, &spread));
    if (!(*time > 0) || !isfinite(*time))
        *time = spread > 0 ? spread / (double)l->d : 1;
    double only = fit_given_time(l->source, 0);
    *time = only > 0 ? only : *time;
    fit_group group = {.n = count, .x = l->rows, .weights = l->weights};
    fit_problem problem = {.source = l->source,
                           .groups = 1,
                           .group = &group,
                           .means = 1,
                           .times = 1,
                           .time_is_free = mst_score_gives(l->source, MST_GIVES_TIME) && only == 0,
                           .threads = l->threads};
    /* The gradient of −½ dist² is a length, that of log p an inverse one: the tolerance is relative to either. */
    fit_options climb = {
        .method = MST_MEAN_NEWTON,
        .tolerance = mst_score_gives(l->source, MST_GIVES_TIME) ? 1e-9 : 1e-11 * sqrt(spread),
        .rate = 0.1,
        .iterations = tight ? 100 : 1};
    fit_outcome outcome;
    MST_TRY(fit_climb(&problem, &(fit_state){centre, time}, &climb, &outcome));
    if (outcome.limit == MST_TIME_INFINITY)
        *time = INFINITY;
    /* Cut off by the number of steps, it must go on; what stopped by itself can do no better. */
    l->settled[c] = tight && outcome.iterations < climb.iterations;
    return MST_OK;
}

typedef struct outcome {
    double inertia;
    size_t iterations;
    bool converged;
} outcome;

/* With millions of rows some label always moves: an iteration that gains less than this share of the inertia is the
 * last one. */
static const double least_gain = 1e-8;

static double inertia_of(const lloyd *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += weight_of(l, i) * l->squared[i];
    return sum;
}

static mst_status iterate(lloyd *l, outcome *out)
{
    for (size_t i = 0; i < l->n; i++)
        l->labels[i] = l->previous[i] = no_label;
    assignment a = {l->m, l->k, l->centres, l->x, l->labels, l->squared};
    bool tight = false;
    double before = INFINITY;
    for (;; out->iterations++) {
        MST_TRY(assign(a, l->n, l->threads));
        refill_empty(l);
        bool changed = compare_labels(l);
        out->inertia = inertia_of(l);
        bool stalled =
            changed && out->inertia <= before && before - out->inertia < least_gain * before;
        out->converged = stalled || (tight && !changed && memchr(l->settled, 0, l->k) == NULL);
        if (out->converged || out->iterations >= l->o->iterations)
            return MST_OK;
        before = out->inertia;
        tight = !changed;
        for (size_t c = 0; c < l->k; c++)
            if (!l->settled[c])
                MST_TRY(fit_centre(l, c, tight));
        MST_TRY(mst_parallel_tick(1 / ((double)l->o->iterations + 1)));
    }
}

/* ---- All restarts ---- */

typedef struct search {
    lloyd start; /* what all have in common */
    double *centres, *times;
    outcome *outcomes;
} search;

static mst_status run_restart(void *context, size_t begin, size_t end)
{
    const search *s = context;
    for (size_t r = begin; r < end; r++) {
        lloyd l = s->start;
        l.centres = s->centres + r * l.k * l.D;
        l.times = s->times + r * l.k;
        for (size_t c = 0; c < l.k; c++)
            l.times[c] = 0;
        s->outcomes[r] = (outcome){0};
        mst_status status = lloyd_new(&l);
        if (status == MST_OK)
            status = seed(&l, r);
        if (status == MST_OK)
            status = iterate(&l, &s->outcomes[r]);
        lloyd_free(&l);
        MST_TRY(status);
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

/* Number clusters by decreasing size, ties by the first row, the empty ones last: from[c] is the old number of the new
 * number c, and sizes (k) are filled. key, order: (k) each of scratch. */
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

/* The best restart into the result. Labels are made afresh, so that they are what mst_kmeans_assign says. */
static mst_status describe(const search *s, mst_kmeans_result *result, size_t *scratch, double *key)
{
    const lloyd *l = &s->start;
    size_t best = 0, n = l->n, k = l->k, D = l->D;
    size_t *labels = scratch, *from = labels + n, *order = from + k, *place = order + k;
    for (size_t r = 1; r < l->o->restarts; r++)
        if (s->outcomes[r].inertia < s->outcomes[best].inertia)
            best = r;
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
        result->inertia += weight_of(l, i) * squared[i];
    }
    result->converged = s->outcomes[best].converged;
    result->iterations = s->outcomes[best].iterations;
    result->restarts = l->o->restarts;
    return MST_OK;
}

/* Everything between the arguments and the result. */
static mst_status fit(const mst_manifold *m, const mst_score *source, size_t n, const double *x,
                      const mst_kmeans_options *o, mst_kmeans_result *result)
{
    cluster_threads threads = cluster_split_threads(o->restarts, o->threads);
    size_t k = o->k, D = mst_manifold_ambient(m), *scratch = NULL;
    double *key = NULL;
    search s = {.start = {.m = m,
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
        status = mst_allocate(&scratch, n + 3 * k);
    if (status == MST_OK)
        status = mst_allocate(&key, n + k);
    if (status == MST_OK) {
        s.times = s.centres + o->restarts * k * D;
        status =
            mst_parallel_blocks(o->restarts, 1, threads.restarts, o->progress, run_restart, &s);
    }
    if (status == MST_OK)
        status = describe(&s, result, scratch, key);
    mst_release(key);
    mst_release(scratch);
    mst_release(s.outcomes);
    mst_release(s.centres);
    return status;
}

mst_status mst_kmeans_fit(mst_kmeans_result **out, const mst_manifold *m, size_t n, const double *x,
                          const mst_kmeans_options *options)
{
    *out = NULL;
    double begin = rows_clock();
    mst_kmeans_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_kmeans_options, options));
    MST_TRY(cluster_check(m, n, x, o.k, o.weights, o.restarts, o.iterations));
    if (o.kind != NULL &&
        mst_manifold_ambient(mst_score_manifold(o.kind)) != mst_manifold_ambient(m))
        return mst_fail(MST_ARGUMENT, "the score source belongs to another manifold, %s",
                        mst_manifold_spec(mst_score_manifold(o.kind)));
    mst_score *own = NULL;
    mst_kmeans_result *result;
    MST_TRY(result_new(&result, n, o.k, mst_manifold_ambient(m)));
    mst_status status = o.kind == NULL ? mst_score_log_new(&own, m) : MST_OK;
    if (status == MST_OK)
        status = fit(m, own != NULL ? own : o.kind, n, x, &o, result);
    mst_score_free(own);
    if (status != MST_OK) {
        mst_kmeans_result_free(result);
        return status;
    }
    result->seconds = rows_clock() - begin;
    *out = result;
    if (!result->converged)
        return mst_fail(MST_CONVERGENCE, "the labels still move after %zu iterations",
                        result->iterations);
    return MST_OK;
}
