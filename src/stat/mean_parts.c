/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Where log p is a sum over parts of the mean, factors of a product or angles of a torus, each part has
 * maxima of its own, at a given time, and the maxima of the whole are all their combinations. */
#include "base/columns.h"
#include "score/score_internal.h"
#include "stat/angle_mean.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* Maxima of a part that are kept, and combinations of those that are equally good. */
enum { KEPT = 12, COMBINED = 64 };
/* Second derivatives of so many numbers in all are kept for the combinations. */
static const double most_numbers = 1e7;

typedef struct part {
    const mst_manifold *m; /* null: one angle, whose means can be listed */
    mst_score *source;
    mst_manifold *circle; /* what m and source are of, if it is one angle of a torus */
    size_t at, width;     /* its columns */
    double *maxima;       /* (KEPT, width), best first */
    size_t count, ties;   /* the first are equally good */
    mean_scope scope;
} part;

typedef struct parts {
    size_t count;
    part *part;
    double *memory;
} parts;

static void parts_free(parts *p)
{
    for (size_t k = 0; k < p->count; k++) {
        mst_score_free(p->part[k].source);
        mst_manifold_free(p->part[k].circle);
    }
    mst_release(p->part);
    mst_release(p->memory);
}

/* Parts of one factor from column `at`: its angles, or all of it. */
static mst_status add_factor(parts *p, const mst_score *source, size_t f, size_t at)
{
    const mst_manifold *m = mst_manifold_factor(mst_score_manifold(source), f);
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    size_t D = mst_manifold_ambient(m);
    if (score_is_log(source) && t->unit_rows && mst_manifold_dim(m) == 1) {
        p->part[p->count++] = (part){.at = at, .width = D};
        return MST_OK;
    }
    for (size_t a = 0; t->angles && a < D; a++) {
        part *one = &p->part[p->count++];
        *one = (part){.at = at + a, .width = 1};
        if (score_is_log(source))
            continue;
        MST_TRY(mst_circle_new(&one->circle));
        one->m = one->circle;
        MST_TRY(mst_score_exact_new(&one->source, one->circle));
    }
    if (t->angles)
        return MST_OK;
    part *one = &p->part[p->count++];
    *one = (part){.m = m, .at = at, .width = D};
    return mst_score_factor(&one->source, source, f);
}

static mst_status parts_new(parts *p, const mean_search *s)
{
    const mst_score *source = s->model.model.source;
    *p = (parts){0};
    MST_TRY(mst_allocate_zero(&p->part, s->D));
    MST_TRY(mst_allocate(&p->memory, KEPT * s->D));
    size_t at = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(s->m); f++) {
        MST_TRY(add_factor(p, source, f, at));
        at += mst_manifold_ambient(mst_manifold_factor(s->m, f));
    }
    for (size_t k = 0; k < p->count; k++)
        p->part[k].maxima = p->memory + KEPT * p->part[k].at;
    return MST_OK;
}

/* An angle, or a unit vector of the plane. */
static mst_status list_angles(const mean_search *s, part *p)
{
    angle_mean means[KEPT];
    const double *x = s->rows.x + p->at, *w = s->rows.weights;
    double *angles = NULL;
    if (p->width == 2) {
        MST_TRY(mst_allocate(&angles, s->rows.n));
        for (size_t i = 0; i < s->rows.n; i++)
            angles[i] = atan2(x[i * s->D + 1], x[i * s->D]);
    }
    mst_status status = angle_means(s->rows.n, angles != NULL ? angles : x,
                                    angles != NULL ? 1 : s->D, w, KEPT, means, &p->count);
    mst_release(angles);
    for (size_t k = 0; status == MST_OK && k < p->count; k++) {
        p->ties += means[k].variance <= means[0].variance + 1e-9 * (1e-3 + means[0].variance);
        if (p->width == 1) {
            p->maxima[k] = means[k].mean;
        } else {
            p->maxima[2 * k] = cos(means[k].mean);
            p->maxima[2 * k + 1] = sin(means[k].mean);
        }
    }
    p->scope = MEAN_LISTED;
    return status;
}

/* A search of its own, at the time of the first candidate; x (n, width) is the part of the rows. */
static mst_status search_part(const mean_search *s, part *p, const double *x)
{
    const mean_candidate *c = &s->candidates[0];
    mst_mean_options o = *s->o;
    mean_search sub;
    o.start = c->state + p->at;
    o.time = mst_score_gives(p->source, MST_GIVES_TIME) ? *mean_time(s, c) : 0;
    o.progress = (mst_progress){0};
    mst_status status = mean_search_new(&sub, p->source, s->rows.n, x, &o, NULL);
    if (status == MST_OK)
        status = mean_search_run(&sub);
    if (status == MST_OK)
        status = mean_rank(&sub);
    for (size_t k = 0; status == MST_OK && k < sub.count && p->count < KEPT; k++) {
        const mean_candidate *one = &sub.candidates[k], *best = &sub.candidates[0];
        if (k > 0 && !fit_has_converged(one->outcome.end))
            continue;
        p->ties += one->outcome.value >= best->outcome.value - fmax(one->doubt, best->doubt);
        memcpy(p->maxima + p->count++ * p->width, one->state, p->width * sizeof *one->state);
    }
    p->scope = sub.scope;
    mean_search_free(&sub);
    return status;
}

static mst_status search_parts(const mean_search *s, parts *p)
{
    double *x;
    MST_TRY(mst_allocate(&x, s->rows.n * s->D));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < p->count; k++) {
        part *one = &p->part[k];
        if (one->m == NULL) {
            status = list_angles(s, one);
            continue;
        }
        mst_take_columns(s->rows.n, s->D, one->at, one->width, s->rows.x, x);
        status = search_part(s, one, x);
    }
    mst_release(x);
    return status;
}

/* A climb of the whole from the maximum number choice[k] of each part. */
static mst_status combine(mean_search *s, const parts *p, const size_t *choice)
{
    mean_candidate *c;
    MST_TRY(mean_next_candidate(s, &c));
    for (size_t k = 0; k < p->count; k++) {
        const part *one = &p->part[k];
        memcpy(c->state + one->at, one->maxima + choice[k] * one->width,
               one->width * sizeof *c->state);
    }
    return mean_climb_next(s, false);
}

/* The next choice among the ties; false after the last. */
static bool next_choice(const parts *p, size_t *choice)
{
    for (size_t k = 0; k < p->count; k++) {
        if (++choice[k] < p->part[k].ties)
            return true;
        choice[k] = 0;
    }
    return false;
}

/* All that are equally good, as far as they can be listed, and of the others those that
 * differ in one part only. */
static mst_status combine_all(mean_search *s, const parts *p)
{
    size_t *choice, q = s->model.model.parameters;
    double room = fmax(1, fmin(COMBINED, most_numbers / ((double)q * (double)q)));
    MST_TRY(mst_allocate_zero(&choice, p->count));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < (size_t)room; k++) {
        status = combine(s, p, choice);
        if (!next_choice(p, choice))
            break;
    }
    memset(choice, 0, p->count * sizeof *choice);
    for (size_t k = 0; status == MST_OK && k < p->count; k++) {
        for (size_t l = p->part[k].ties; l < p->part[k].count && (double)s->count < room; l++) {
            choice[k] = l;
            status = combine(s, p, choice);
            if (status != MST_OK)
                break;
        }
        choice[k] = 0;
    }
    mst_release(choice);
    return status;
}

mst_status mean_look_in_parts(mean_search *s)
{
    parts p;
    mst_status status = parts_new(&p, s);
    if (status == MST_OK)
        status = search_parts(s, &p);
    if (status == MST_OK)
        status = combine_all(s, &p);
    mean_scope scope = MEAN_ONLY;
    for (size_t k = 0; status == MST_OK && k < p.count; k++)
        scope = p.part[k].scope < scope ? p.part[k].scope : scope;
    /* At another time the maxima of the parts may be others. */
    if (status == MST_OK)
        s->scope = scope == MEAN_ONLY ? MEAN_LISTED : scope;
    parts_free(&p);
    return status;
}
