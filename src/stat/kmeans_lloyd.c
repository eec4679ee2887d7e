/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One restart of k-means: seeding of Arthur and Vassilvitskii (2007) with squared geodesic distances, then
 * Lloyd's iteration. While labels move, a centre takes one Newton step per iteration; once they rest, centres
 * are brought to their means and the labels must survive that. */
#include "stat/cluster_parts.h"
#include "stat/kmeans_parts.h"
#include "stat/rows.h"

#include <manistat/geodesic.h>

#include <math.h>
#include <string.h>

static void lloyd_free(kmeans_lloyd *l)
{
    mst_release(l->labels);
    mst_release(l->squared);
    mst_release(l->rows);
    mst_release(l->settled);
    mst_release(l->bounds.lower);
    mst_release(l->past);
    kmeans_kept_free(&l->kept);
    bfgs_free(&l->steps);
}

/* Does a sweep over the rows take less than a time slice or so? Then a team is no gain, and on a busy machine
 * a loss: it waits for the one of its threads that is not running. */
static bool is_brief(const kmeans_lloyd *l)
{
    const size_t brief = (size_t)1 << 20; /* milliseconds where distances have closed forms */
    return l->n < brief / (l->D * l->D) && kmeans_can_bound(l->m, l->distances) &&
           !mst_geodesic_is_searched(l->m) && !mst_score_gives(l->source, MST_GIVES_TIME);
}

static mst_status lloyd_new(kmeans_lloyd *l)
{
    if (is_brief(l))
        l->threads = 1;
    MST_TRY(mst_allocate(&l->labels, 2 * l->n + l->k + 1));
    l->previous = l->labels + l->n;
    l->first = l->previous + l->n;
    MST_TRY(mst_allocate(&l->squared, l->n + 2 * l->k));
    l->mass = l->squared + l->n;
    l->spread = l->mass + l->k;
    MST_TRY(mst_allocate(&l->rows, l->n * (l->D + 1)));
    l->weights = l->rows + l->n * l->D;
    MST_TRY(mst_allocate_zero(&l->settled, l->k));
    MST_TRY(kmeans_kept_new(&l->kept, l->m, l->distances, l->n, l->k));
    if (l->k < 2 || !kmeans_can_bound(l->m, l->distances))
        return MST_OK;
    MST_TRY(mst_allocate(&l->bounds.lower, l->n + l->k * l->D));
    l->bounds.before = l->bounds.lower + l->n;
    return MST_OK;
}

/* More rows than this: labels move on a sample first, all rows have the last word, and centres leap. Fewer
 * are not worth other last digits. */
enum { MANY_ROWS = 50000, SAMPLE_ROWS = 20000 };

/* The row at `share` of the total of w·squared, all of it in (0, 1); rows without any are never chosen. */
static size_t pick_row(const kmeans_lloyd *l, const double *squared, double share)
{
    double total = 0, sum = 0;
    size_t last = kmeans_no_label;
    for (size_t i = 0; i < l->n; i++)
        total += kmeans_weight(l, i) * (squared != NULL ? squared[i] : 1);
    for (size_t i = 0; i < l->n; i++) {
        double part = kmeans_weight(l, i) * (squared != NULL ? squared[i] : 1);
        if (!(part > 0))
            continue;
        last = i;
        sum += part;
        if (sum > share * total)
            break;
    }
    return last;
}

static void put_centre(kmeans_lloyd *l, size_t c, size_t row)
{
    memcpy(l->centres + c * l->D, l->x + row * l->D, l->D * sizeof *l->x);
}

/* Each seed is a row drawn with probability ∝ w·dist² to the seeds so far. */
static mst_status seed(kmeans_lloyd *l, size_t restart)
{
    double share, *nearest = l->squared, *newest = l->weights;
    mst_random r = {l->o->seed, restart};
    size_t row = kmeans_no_label;
    for (size_t c = 0; c < l->k; c++) {
        mst_random_uniforms(r, c, 1, &share);
        row = pick_row(l, c > 0 ? nearest : NULL, share);
        if (row == kmeans_no_label) /* fewer different points than k: a copy, which stays empty */
            row = pick_row(l, NULL, share);
        put_centre(l, c, row);
        kmeans_assignment a = {l->m,
                               l->distances,
                               1,
                               l->centres + c * l->D,
                               l->x,
                               l->labels,
                               c > 0 ? newest : nearest,
                               kmeans_kept_of(&l->kept, c)};
        MST_TRY(kmeans_assign(a, l->n, l->threads));
        for (size_t i = 0; c > 0 && i < l->n; i++)
            nearest[i] = fmin(nearest[i], newest[i]);
    }
    return MST_OK;
}

static void weigh_clusters(kmeans_lloyd *l)
{
    memset(l->mass, 0, l->k * sizeof *l->mass);
    for (size_t i = 0; i < l->n; i++)
        l->mass[l->labels[i]] += kmeans_weight(l, i);
}

/* Each cluster without weight takes the point that is farthest from its centre, if any is off its centre, and
 * not from a cluster that has no other: that one would be empty then. */
static void refill_empty(kmeans_lloyd *l)
{
    weigh_clusters(l);
    for (size_t c = 0; c < l->k; c++) {
        if (l->mass[c] > 0)
            continue;
        size_t farthest = kmeans_no_label;
        for (size_t i = 0; i < l->n; i++)
            if (kmeans_weight(l, i) > 0 && l->squared[i] > 0 &&
                l->mass[l->labels[i]] > kmeans_weight(l, i) &&
                (farthest == kmeans_no_label || l->squared[i] > l->squared[farthest]))
                farthest = i;
        if (farthest == kmeans_no_label)
            continue;
        l->mass[l->labels[farthest]] -= kmeans_weight(l, farthest);
        l->mass[c] = kmeans_weight(l, farthest);
        l->labels[farthest] = c;
        l->squared[farthest] = 0;
        if (l->bounds.lower != NULL)
            l->bounds.lower[farthest] = -INFINITY;
        put_centre(l, c, farthest);
    }
}

/* Compare with the labels before; a cluster that gained or lost a row is not settled. */
static bool compare_labels(kmeans_lloyd *l)
{
    bool changed = false;
    for (size_t i = 0; i < l->n; i++)
        if (l->labels[i] != l->previous[i]) {
            changed = true;
            l->settled[l->labels[i]] = 0;
            if (l->previous[i] != kmeans_no_label)
                l->settled[l->previous[i]] = 0;
        }
    memcpy(l->previous, l->labels, l->n * sizeof *l->labels);
    return changed;
}

static double inertia_of(const kmeans_lloyd *l)
{
    double sum = 0;
    for (size_t i = 0; i < l->n; i++)
        sum += kmeans_weight(l, i) * l->squared[i];
    return sum;
}

static mst_status assign(kmeans_lloyd *l)
{
    kmeans_assignment a = {l->m, l->distances, l->k,       l->centres,
                           l->x, l->labels,    l->squared, l->kept};
    MST_TRY(l->bounds.lower != NULL ? kmeans_assign_near(a, l->n, l->threads, &l->bounds)
                                    : kmeans_assign(a, l->n, l->threads));
    refill_empty(l);
    return MST_OK;
}

/* Labels for the present centres. A leap that has not lowered the inertia is taken back. */
static mst_status find_labels(kmeans_lloyd *l, double before, kmeans_outcome *out)
{
    MST_TRY(assign(l));
    out->inertia = inertia_of(l);
    if (!l->leapt || out->inertia < before)
        return MST_OK;
    l->leapt = false;
    l->rounded = true;
    memcpy(l->centres, l->past, l->k * l->D * sizeof *l->centres);
    MST_TRY(assign(l));
    out->inertia = inertia_of(l);
    return MST_OK;
}

/* All rows in turn with rounds that look at few of them, which are only as good as their quadratics. */
static mst_status fit_centres(kmeans_lloyd *l, bool tight, size_t *since)
{
    size_t size = l->k * l->D;
    if (!tight && !l->rounded && !l->careful && kmeans_has_rounds(l)) {
        *since = 0;
        MST_TRY(kmeans_rounds(l));
        if (l->leapt)
            return MST_OK;
    }
    l->rounded = false;
    l->steps.count = 0;
    if (l->past != NULL)
        memcpy(l->past + *since * size, l->centres, size * sizeof *l->past);
    kmeans_gather(l);
    for (size_t c = 0; c < l->k; c++)
        if (!l->settled[c])
            MST_TRY(kmeans_fit_centre(l, c, tight));
    l->leapt = false;
    *since = tight || l->past == NULL ? 0 : *since + 1;
    if (*since < 2)
        return MST_OK;
    *since = 0;
    return kmeans_leap(l);
}

static mst_status iterate(kmeans_lloyd *l, kmeans_outcome *out)
{
    for (size_t i = 0; i < l->n; i++)
        l->labels[i] = l->previous[i] = kmeans_no_label;
    bool tight = false;
    double before = INFINITY;
    l->careful = !kmeans_can_bound(l->m, l->distances);
    for (size_t since = 0;; out->iterations++) {
        MST_TRY(find_labels(l, before, out));
        bool changed = compare_labels(l);
        bool stalled = changed && !l->leapt && out->inertia <= before &&
                       before - out->inertia < kmeans_least_gain * before;
        bool settled = tight && !changed && memchr(l->settled, 0, l->k) == NULL;
        out->end = settled ? MST_FIT_SETTLED : stalled ? MST_FIT_ROUNDING : MST_FIT_OUT_OF_STEPS;
        if (settled || stalled || out->iterations >= l->o->iterations)
            return MST_OK;
        l->careful = l->careful || out->inertia > before;
        before = out->inertia;
        /* Rounds that ended because centres went too far go on from there. */
        tight = !changed && !(l->leapt && !l->rounded);
        MST_TRY(fit_centres(l, tight, &since));
        MST_TRY(mst_parallel_tick(1 / ((double)l->o->iterations + 1)));
    }
}

static bool can_leap(const kmeans_lloyd *l)
{
    return l->n >= SAMPLE_ROWS && !mst_score_gives(l->source, MST_GIVES_TIME);
}

static mst_status leaps_new(kmeans_lloyd *l)
{
    MST_TRY(mst_allocate(&l->past, 2 * l->k * l->D));
    return bfgs_new(&l->steps, l->k * l->d, BFGS_MOST);
}

static mst_status iterate_all(kmeans_lloyd *l, kmeans_outcome *out)
{
    mst_status status = lloyd_new(l);
    if (status == MST_OK && can_leap(l))
        status = leaps_new(l);
    if (status == MST_OK)
        status = iterate(l, out);
    lloyd_free(l);
    return status;
}

/* The centres of `l`, from those it has, by a random sample of n of its rows. */
static mst_status iterate_sample(const kmeans_lloyd *l, size_t n)
{
    cluster_sample some;
    mst_kmeans_options o = *l->o;
    kmeans_lloyd part = *l;
    kmeans_outcome ignored = {0};
    part.o = &o;
    part.n = n;
    part.bounds = (kmeans_bounds){0};
    part.past = NULL;
    part.steps = (bfgs){0};
    part.labels = NULL;
    part.squared = part.rows = NULL;
    part.settled = NULL;
    part.kept = (kmeans_kept){0};
    /* The seeds have the streams of their own numbers. */
    mst_random stream = {l->o->seed ^ UINT64_C(0x9e3779b97f4a7c15), 0};
    mst_status status = cluster_sample_draw(&some, stream, n, l->n, l->D, l->x, l->o->weights);
    part.x = some.x;
    o.weights = some.weights;
    if (status == MST_OK && rows_weight(n, some.weights) > 0)
        status = iterate_all(&part, &ignored);
    cluster_sample_free(&some);
    return status;
}

mst_status kmeans_run(kmeans_lloyd l, size_t restart, kmeans_outcome *out)
{
    *out = (kmeans_outcome){0};
    for (size_t c = 0; c < l.k; c++)
        l.times[c] = 0;
    mst_status status = lloyd_new(&l);
    if (status == MST_OK)
        status = seed(&l, restart);
    if (status == MST_OK && l.n > MANY_ROWS && can_leap(&l))
        status = leaps_new(&l);
    if (status == MST_OK)
        status = iterate(&l, out);
    lloyd_free(&l);
    return status;
}

mst_status kmeans_go_on(kmeans_lloyd l, kmeans_outcome *out)
{
    mst_status status = lloyd_new(&l);
    for (size_t n = 4 * CLUSTER_SOME; status == MST_OK && n <= l.n / 2; n *= 4)
        status = iterate_sample(&l, n);
    if (status == MST_OK && can_leap(&l))
        status = leaps_new(&l);
    if (status == MST_OK)
        status = iterate(&l, out);
    lloyd_free(&l);
    return status;
}
