/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Lloyd's iteration where rows have no clusters is long, and from one step to the next hardly anything
 * changes: few rows change their labels, and centres creep. So value, gradient and Hessian of Σ −½ w dist²
 * are taken once, at the centres of the beginning. Rows that go from one cluster to another take their terms
 * along, exactly. Lloyd's step, to the maxima of the quadratics that clusters have now, takes labels for
 * given and creeps where they are not, and so it is BFGS that goes, with that step in place of the Hessian.
 * Centres stay within reach of where they were, and most rows cannot change their labels and are not looked
 * at. */
#include "base/linalg.h"
#include "stat/bfgs.h"
#include "stat/fit.h"
#include "stat/kmeans_parts.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 60 };

/* How far a centre may go, in units of the root of its mean squared distance, until the
 * third order counts. */
static const double reach = 0.2;
typedef struct rounds {
    kmeans_lloyd *l;
    double *at;                        /* (k, D): where sums are taken */
    double *value, *gradient, *matrix; /* (k), (k, d), (k, d, d) of the clusters */
    double *place;                     /* (k, d): where centres are, in the frames of `at` */
    double *from;                      /* (k, d): places before the step */
    double *slope, *before;            /* (k, d): gradients at the places, and before the step */
    double *step, *change;             /* (k, d): of places, and of gradients */
    bfgs *memory;
    double *work;              /* state, gradient and Hessian: D + 1 + d + d² */
    size_t *first;             /* (k + 1) */
    size_t n, *row;            /* rows that may change their labels: (n) their numbers, */
    size_t *labels, *previous; /* labels now and a round ago, */
    double *x, *squared;       /* coordinates (n, D), a place for squared distances, */
    kmeans_bounds bounds;      /* and bounds */
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

static double farthest_reach(const kmeans_lloyd *l)
{
    double farthest = 0;
    for (size_t c = 0; c < l->k; c++)
        farthest = fmax(farthest, reach_of(l, c));
    return farthest;
}

/* The rows that may change their labels while centres stay within reach. */
static mst_status choose_rows(rounds *s)
{
    kmeans_lloyd *l = s->l;
    double farthest = farthest_reach(l);
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
    MST_TRY(mst_allocate_zero(&s->at, k * (D + 1 + 7 * d + d * d) + D + 1 + d + d * d));
    s->value = s->at + k * D;
    s->gradient = s->value + k;
    s->matrix = s->gradient + k * d;
    s->place = s->matrix + k * d * d;
    s->from = s->place + k * d;
    s->slope = s->from + k * d;
    s->before = s->slope + k * d;
    s->step = s->before + k * d;
    s->change = s->step + k * d;
    s->work = s->change + k * d;
    memcpy(s->at, l->centres, k * D * sizeof *s->at);
    MST_TRY(mst_allocate(&s->first, k + 1));
    s->memory = &l->steps;
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

/* −2 Σ of the quadratics at the present places, and the gradients of the quadratics. */
static double look(rounds *s)
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
            s->slope[c * d + a] = reach_of(s->l, c) > 0 ? s->gradient[c * d + a] - curved : 0;
        }
    }
    return -2 * sum;
}

/* From a gradient to the way to the maxima of the quadratics, in place; false if one has none. */
static mst_status solve(rounds *s, double *v, bool *found)
{
    const kmeans_lloyd *l = s->l;
    size_t d = l->d;
    *found = true;
    for (size_t c = 0; *found && c < l->k; c++) {
        if (!(reach_of(l, c) > 0))
            continue; /* it is empty, or one point */
        memcpy(s->work, v + c * d, d * sizeof *v);
        mst_status status = mst_solve(1, d, 1, s->matrix + c * d * d, s->work, v + c * d, NULL);
        if (status != MST_OK && status != MST_DOMAIN)
            return status;
        *found = status == MST_OK;
    }
    return MST_OK;
}

static double uphill(const rounds *s, const double *slope)
{
    double sum = 0;
    for (size_t a = 0; a < s->l->k * s->l->d; a++)
        sum += slope[a] * s->step[a];
    return sum;
}

/* The step that BFGS takes from here, or Lloyd's if that one does not lead uphill. */
static mst_status find_step(rounds *s, bool *found)
{
    double alpha[BFGS_MOST];
    for (;;) {
        memcpy(s->step, s->slope, s->l->k * s->l->d * sizeof *s->step);
        bfgs_begin(s->memory, s->step, alpha);
        MST_TRY(solve(s, s->step, found));
        bfgs_end(s->memory, alpha, s->step);
        *found = *found && uphill(s, s->slope) > 0;
        if (*found || s->memory->count == 0)
            return MST_OK;
        s->memory->count = 0;
    }
}

/* How many steps from `from` on the centres stay within reach. */
static double most_steps(const rounds *s)
{
    const kmeans_lloyd *l = s->l;
    double most = INFINITY;
    for (size_t c = 0; c < l->k; c++) {
        double ss = 0, sv = 0, vv = 0, r = reach_of(l, c);
        for (size_t a = c * l->d; a < (c + 1) * l->d; a++) {
            ss += s->step[a] * s->step[a];
            sv += s->step[a] * s->from[a];
            vv += s->from[a] * s->from[a];
        }
        if (ss > 0)
            most = fmin(most, (sqrt(fmax(sv * sv + ss * (r * r - vv), 0)) - sv) / ss);
    }
    return most;
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

/* Labels, sums and inertia where `share` of the step leads. */
static mst_status go(rounds *s, double share, double *inertia, bool *too_many)
{
    kmeans_lloyd *l = s->l;
    for (size_t a = 0; a < l->k * l->d; a++)
        s->place[a] = s->from[a] + share * s->step[a];
    MST_TRY(put_centres(s));
    kmeans_assignment a = {l->m, l->distances, l->k, l->centres, s->x, s->labels, s->squared, {0}};
    MST_TRY(kmeans_assign_loosely(a, s->n, l->threads, &s->bounds));
    MST_TRY(move_rows(s, too_many));
    *inertia = look(s);
    return MST_OK;
}

/* Along the step: shorter where the inertia does not fall, on where it falls as steeply as at the beginning.
 * Nowhere, and `lowered` false, if that does not help. */
static mst_status search_line(rounds *s, double most, double *inertia, bool *lowered,
                              bool *too_many)
{
    double share = fmin(1, most), first = *inertia, steep = uphill(s, s->before), further;
    for (size_t trial = 0;; trial++, share /= 4) {
        MST_TRY(go(s, trial < 4 ? share : 0, inertia, too_many));
        *lowered = trial < 4;
        if (*too_many || !*lowered || first - *inertia > 1e-4 * share * steep)
            break;
    }
    while (*lowered && !*too_many && uphill(s, s->slope) > 0.7 * steep && share < 0.9 * most) {
        double here = *inertia;
        further = fmin(4 * share, most);
        MST_TRY(go(s, further, inertia, too_many));
        if (!*too_many && *inertia > here)
            return go(s, share, inertia, too_many);
        share = further;
    }
    return MST_OK;
}

static void remember(rounds *s)
{
    for (size_t a = 0; a < s->l->k * s->l->d; a++) {
        s->step[a] = s->place[a] - s->from[a];
        s->change[a] = s->before[a] - s->slope[a];
    }
    bfgs_remember(s->memory, s->step, s->change);
}

static mst_status run(rounds *s)
{
    kmeans_lloyd *l = s->l;
    size_t size = l->k * l->d, idle = 0;
    bool found, lowered, too_many = false;
    for (size_t c = 0; c < l->k; c++)
        MST_TRY(add_rows(s, c, l->first[c + 1] - l->first[c], l->rows + l->first[c] * l->D,
                         l->weights + l->first[c]));
    double inertia = look(s);
    for (size_t round = 0; round < MOST_ROUNDS && !too_many && idle < 2; round++) {
        double before = inertia;
        MST_TRY(find_step(s, &found));
        memcpy(s->from, s->place, size * sizeof *s->from);
        memcpy(s->before, s->slope, size * sizeof *s->before);
        double most = most_steps(s);
        if (!found || most < (s->memory->count == 0 ? 1 : 0.01)) {
            l->rounded = !found;
            return MST_OK;
        }
        MST_TRY(search_line(s, most, &inertia, &lowered, &too_many));
        remember(s);
        if (!lowered)
            s->memory->count = 0;
        idle = before - inertia > kmeans_least_gain * before ? 0 : idle + 1;
        l->rounded = idle >= 2;
    }
    return MST_OK;
}

/* Steps and gradients that belong to the frames of `at` go along to those of the centres. */
static mst_status carry(const rounds *s)
{
    const kmeans_lloyd *l = s->l;
    size_t kept = s->memory->count < s->memory->capacity ? s->memory->count : s->memory->capacity;
    double *way, *u;
    MST_TRY(mst_allocate(&way, 3 * l->D));
    u = way + l->D;
    mst_status status = MST_OK;
    for (size_t c = 0; status == MST_OK && c < l->k; c++) {
        const double *from = s->at + c * l->D, *to = l->centres + c * l->D;
        status = mst_manifold_from_frame(l->m, 1, from, s->place + c * l->d, way);
        for (size_t i = 0; status == MST_OK && i < 2 * kept; i++) {
            double *v = (i < kept ? s->memory->s : s->memory->y) + (i % kept * l->k + c) * l->d;
            status = mst_manifold_from_frame(l->m, 1, from, v, u);
            if (status == MST_OK)
                status = mst_manifold_transport(l->m, 1, from, way, u, u + l->D);
            if (status == MST_OK)
                status = mst_manifold_to_frame(l->m, 1, to, u + l->D, v);
        }
    }
    mst_release(way);
    return status;
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
    if (status == MST_OK)
        status = carry(&s);
    rounds_free(&s);
    memset(l->settled, 0, l->k);
    /* The next rounds choose by the bounds that the next iteration leaves. */
    l->bounds.slack = l->rounded ? 0 : 2 * farthest_reach(l);
    l->leapt = memcmp(l->past, l->centres, size * sizeof *l->past) != 0;
    return status == MST_UNABLE ? MST_OK : status;
}
