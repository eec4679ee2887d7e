/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lloyd's iteration where rows have no clusters is long, and from one step to the next hardly anything
 * changes: few rows change their labels, and centres creep. So value, gradient and Hessian of Σ −½ w dist²
 * are taken once, at the centres of the beginning. Rows that go from one cluster to another take their terms
 * along, exactly, and each centre is the maximum of the quadratic that its cluster has now. Centres stay
 * within reach of where they were, and so most rows cannot change their labels and are not looked at. */
#include "base/linalg.h"
#include "stat/fit.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 60 };

/* How far a centre may go, in units of the root of its mean squared distance, until the
 * third order counts. */
static const double reach = 0.05;
typedef struct rounds {
    kmeans_lloyd *l;
    double *at;                        /* (k, D): where sums are taken */
    double *value, *gradient, *matrix; /* (k), (k, d), (k, d, d) of the clusters */
    double *place;                     /* (k, d): where centres are, in the frames of `at` */
    double *next;                      /* (k, d) */
    double *past;                      /* (2, k, d): places before */
    double *work;                      /* state, gradient and Hessian: D + 1 + d + d² */
    size_t *first;                     /* (k + 1) */
    size_t n, *row;                    /* rows that may change their labels: (n) their numbers, */
    size_t *labels, *previous;         /* labels now and a round ago, */
    double *x, *squared;               /* coordinates (n, D), a place for squared distances, */
    kmeans_bounds bounds;              /* and bounds */
} rounds;

bool kmeans_has_rounds(const kmeans_lloyd *l)
{
    return l->past != NULL && l->bounds.lower != NULL &&
           mst_score_gives(l->source, MST_GIVES_LOG_P | MST_GIVES_HESSIAN);
}

/* How far centre c may go. */
static double reach_of(const kmeans_lloyd *l, size_t c)
{
    return l->spread[c] > 0 ? reach * sqrt(l->spread[c]) : 0;
}

static bool may_change(const kmeans_lloyd *l, size_t i, double farthest)
{
    return !(sqrt(l->squared[i]) + reach_of(l, l->labels[i]) < l->bounds.lower[i] - farthest);
}

/* The rows that may change their labels while centres stay within reach. */
static mst_status choose_rows(rounds *s)
{
    kmeans_lloyd *l = s->l;
    double farthest = 0;
    for (size_t c = 0; c < l->k; c++)
        farthest = fmax(farthest, reach_of(l, c));
    for (size_t i = 0; i < l->n; i++)
        s->n += may_change(l, i, farthest);
    MST_TRY(mst_allocate(&s->row, 3 * s->n + 1));
    s->labels = s->row + s->n;
    s->previous = s->labels + s->n;
    MST_TRY(mst_allocate(&s->x, s->n * (l->D + 3) + l->k * l->D));
    s->squared = s->x + s->n * l->D;
    s->bounds = (kmeans_bounds){.lower = s->squared + s->n,
                                .upper = s->squared + 2 * s->n,
                                .before = s->squared + 3 * s->n,
                                .begun = true};
    memcpy(s->bounds.before, l->centres, l->k * l->D * sizeof *l->centres);
    for (size_t i = 0, at = 0; i < l->n; i++)
        if (may_change(l, i, farthest)) {
            s->row[at] = i;
            s->labels[at] = s->previous[at] = l->labels[i];
            s->bounds.lower[at] = l->bounds.lower[i];
            s->bounds.upper[at] = sqrt(l->squared[i]);
            memcpy(s->x + at++ * l->D, l->x + i * l->D, l->D * sizeof *l->x);
        }
    return MST_OK;
}

static mst_status rounds_new(rounds *s, kmeans_lloyd *l)
{
    size_t k = l->k, d = l->d, D = l->D;
    *s = (rounds){.l = l};
    MST_TRY(mst_allocate_zero(&s->at, k * (D + 1 + 5 * d + d * d) + D + 1 + d + d * d));
    s->value = s->at + k * D;
    s->gradient = s->value + k;
    s->matrix = s->gradient + k * d;
    s->place = s->matrix + k * d * d;
    s->next = s->place + k * d;
    s->past = s->next + k * d;
    s->work = s->past + 2 * k * d;
    memcpy(s->at, l->centres, k * D * sizeof *s->at);
    MST_TRY(mst_allocate(&s->first, k + 1));
    kmeans_gather(l);
    return choose_rows(s);
}

static void rounds_free(rounds *s)
{
    mst_release(s->at);
    mst_release(s->first);
    mst_release(s->row);
    mst_release(s->x);
}

/* The labels of the end. What is known of a row's distances from other centres holds for its old label. */
static void keep_labels(const rounds *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->l->labels[s->row[i]] != s->labels[i]) {
            s->l->labels[s->row[i]] = s->l->previous[s->row[i]] = s->labels[i];
            s->l->bounds.lower[s->row[i]] = -INFINITY;
        }
}

/* Adds what `count` rows are to cluster c. */
static mst_status add_rows(rounds *s, size_t c, size_t count, const double *x,
                           const double *weights)
{
    const kmeans_lloyd *l = s->l;
    size_t d = l->d;
    double *state = s->work, *gradient = state + l->D + 1, *hessian = gradient + d;
    if (count == 0)
        return MST_OK;
    memcpy(state, s->at + c * l->D, l->D * sizeof *state);
    state[l->D] = 1;
    fit_rows rows = {.n = count, .x = x, .weights = weights};
    fit_means model = fit_one_mean(l->source, &rows, false, l->threads);
    fit_sums sums = {.gradient = gradient, .hessian = hessian};
    MST_TRY(fit_evaluate(&model.model, state, &sums));
    s->value[c] += sums.value;
    for (size_t a = 0; a < d; a++)
        s->gradient[c * d + a] += gradient[a];
    for (size_t a = 0; a < d * d; a++)
        s->matrix[c * d * d + a] -= hessian[a];
    return MST_OK;
}

/* Rows with other labels than before leave one cluster and come to another. The rows that were gathered are
 * not needed any more, and their place is. */
static mst_status move_rows(rounds *s, bool *too_many)
{
    kmeans_lloyd *l = s->l;
    size_t D = l->D, changed = 0, *first = s->first;
    memset(first, 0, (l->k + 1) * sizeof *first);
    for (size_t i = 0; i < s->n; i++)
        if (s->labels[i] != s->previous[i] && kmeans_weight(l, s->row[i]) > 0) {
            first[s->labels[i] + 1]++;
            first[s->previous[i] + 1]++;
            changed++;
        }
    *too_many = changed > l->n / 4;
    if (*too_many)
        return MST_OK;
    for (size_t c = 0; c < l->k; c++)
        first[c + 1] += first[c];
    for (size_t i = 0; i < s->n; i++) {
        if (s->labels[i] == s->previous[i])
            continue;
        double w = kmeans_weight(l, s->row[i]);
        for (int gain = 0; gain < 2 && w > 0; gain++) {
            size_t at = first[gain ? s->labels[i] : s->previous[i]]++;
            memcpy(l->rows + at * D, s->x + i * D, D * sizeof *l->x);
            l->weights[at] = gain ? w : -w;
        }
        s->previous[i] = s->labels[i];
    }
    for (size_t c = 0, begin = 0; c < l->k; begin = first[c], c++)
        MST_TRY(add_rows(s, c, first[c] - begin, l->rows + begin * D, l->weights + begin));
    return MST_OK;
}

/* −2 Σ of the quadratics at the present places. */
static double inertia_of(const rounds *s)
{
    size_t d = s->l->d;
    double sum = 0;
    for (size_t c = 0; c < s->l->k; c++) {
        const double *v = s->place + c * d;
        sum += s->value[c];
        for (size_t a = 0; a < d; a++) {
            double curved = 0;
            for (size_t b = 0; b < d; b++)
                curved += s->matrix[(c * d + a) * d + b] * v[b];
            sum += v[a] * (s->gradient[c * d + a] - curved / 2);
        }
    }
    return -2 * sum;
}

/* Where the quadratics have their maxima; false if one has none, or beyond reach. */
static mst_status find_maxima(rounds *s, bool *found)
{
    const kmeans_lloyd *l = s->l;
    size_t d = l->d;
    *found = true;
    for (size_t c = 0; *found && c < l->k; c++) {
        double *v = s->next + c * d, length2 = 0, most = reach_of(l, c);
        if (!(most > 0))
            continue; /* it is empty, or one point */
        mst_status status = mst_solve(1, d, 1, s->matrix + c * d * d, s->gradient + c * d, v, NULL);
        if (status != MST_OK && status != MST_DOMAIN)
            return status;
        for (size_t a = 0; a < d; a++)
            length2 += v[a] * v[a];
        *found = status == MST_OK && length2 <= most * most;
    }
    return MST_OK;
}

static mst_status put_centres(rounds *s)
{
    const kmeans_lloyd *l = s->l;
    for (size_t c = 0; c < l->k; c++) {
        MST_TRY(mst_manifold_from_frame(l->m, 1, s->at + c * l->D, s->place + c * l->d, s->work));
        MST_TRY(mst_manifold_exp(l->m, 1, s->at + c * l->D, s->work, l->centres + c * l->D));
    }
    return MST_OK;
}

/* From the places before the last two steps, by r and then r + v, on to where these point, but not beyond
 * reach; false if they point nowhere. */
static bool leap(rounds *s)
{
    const double longest = 64; /* steps at once */
    const kmeans_lloyd *l = s->l;
    size_t size = l->k * l->d;
    double rr = 0, vv = 0, part = 1, *from = s->past, *over = from + size;
    for (size_t a = 0; a < size; a++) {
        double r = over[a] - from[a], v = s->place[a] - over[a] - r;
        rr += r * r;
        vv += v * v;
    }
    double ratio = fmin(sqrt(rr / vv), longest);
    if (!(ratio > 1))
        return false;
    for (size_t c = 0; c < l->k; c++) {
        double way2 = 0, here2 = 0;
        for (size_t a = c * l->d; a < (c + 1) * l->d; a++) {
            double r = over[a] - from[a], v = s->place[a] - over[a] - r;
            s->next[a] = from[a] + 2 * ratio * r + ratio * ratio * v - s->place[a];
            way2 += s->next[a] * s->next[a];
            here2 += s->place[a] * s->place[a];
        }
        if (way2 > 0)
            part = fmin(part, (reach_of(l, c) - sqrt(here2)) / sqrt(way2));
    }
    for (size_t a = 0; a < size; a++)
        s->next[a] = s->place[a] + part * s->next[a];
    return part > 0;
}

/* Labels and sums for the places in `next`. */
static mst_status go(rounds *s, bool *too_many)
{
    kmeans_lloyd *l = s->l;
    memcpy(s->place, s->next, l->k * l->d * sizeof *s->place);
    MST_TRY(put_centres(s));
    kmeans_assignment a = {l->m, l->distances, l->k, l->centres, s->x, s->labels, s->squared};
    MST_TRY(kmeans_assign_loosely(a, s->n, l->threads, &s->bounds));
    return move_rows(s, too_many);
}

static mst_status run(rounds *s)
{
    kmeans_lloyd *l = s->l;
    size_t size = l->k * l->d, since = 0;
    bool on = true, too_many = false;
    for (size_t c = 0; c < l->k; c++)
        MST_TRY(add_rows(s, c, l->first[c + 1] - l->first[c], l->rows + l->first[c] * l->D,
                         l->weights + l->first[c]));
    double before = inertia_of(s);
    for (size_t round = 0; round < MOST_ROUNDS && on; round++) {
        memcpy(s->past + since * size, s->place, size * sizeof *s->past);
        MST_TRY(find_maxima(s, &on));
        if (!on)
            break;
        MST_TRY(go(s, &too_many));
        double inertia = inertia_of(s);
        l->rounded = !(before - inertia > kmeans_least_gain * before);
        on = !too_many && !l->rounded;
        before = inertia;
        since = since + 1;
        if (!on || since < 2)
            continue;
        since = 0;
        if (!leap(s))
            continue;
        memcpy(s->past, s->place, size * sizeof *s->past);
        MST_TRY(go(s, &too_many));
        inertia = inertia_of(s);
        if (!too_many && inertia < before) {
            before = inertia;
            continue;
        }
        memcpy(s->next, s->past, size * sizeof *s->next);
        MST_TRY(go(s, &too_many));
        before = inertia_of(s);
        on = !too_many;
    }
    return MST_OK;
}

mst_status kmeans_rounds(kmeans_lloyd *l)
{
    rounds s;
    size_t size = l->k * l->D;
    memcpy(l->past, l->centres, size * sizeof *l->past);
    mst_status status = rounds_new(&s, l);
    if (status == MST_OK)
        status = run(&s);
    if (status == MST_OK)
        keep_labels(&s);
    rounds_free(&s);
    memset(l->settled, 0, l->k);
    l->leapt = memcmp(l->past, l->centres, size * sizeof *l->past) != 0;
    return status == MST_UNABLE ? MST_OK : status;
}
