/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Points all over a compact manifold are looked at, and the best of them climb. */
#include "base/linalg.h"
#include "stat/distances.h"
#include "stat/mean_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Streams of random numbers; lower ones belong to mean_starts.c. */
enum { STREAM_POINTS = 4, STREAM_ROWS = 5, STREAM_LOOK = 6, STREAM_BESIDE = 12 };

/* How many points are looked at, on how many rows, and how many of them climb. Where the rows are close to
 * each other a few points are enough to see that there is one maximum; in many dimensions points at random
 * are all alike. Where maxima lie in every cell (mean_flips.c), the value at a point says little about the
 * best of those around it: there, neighbours of the best points are looked at, too. Without them 2 % of the
 * sets of 500 uniform rotations were missed. */
typedef struct effort {
    size_t points, rows, climbs;
    size_t rounds, best, around; /* so often: so many more points around each of the best */
} effort;

static const effort little = {.points = 32, .rows = 128, .climbs = 2},
                    much = {.points = 2000, .rows = 1000, .climbs = 32},
                    cells = {2000, 1000, 32, .rounds = 2, .best = 40, .around = 25},
                    wide = {.points = 200, .rows = 1000, .climbs = 6};
enum { UNKNOWN = 5, WIDE = 6, MOST_MOMENTS = 32 };

/* ---- Rows to look at ---- */

/* Every Σw/count along the running sum of the weights. */
static void choose_by_weight(const fit_rows *rows, double total, size_t count, size_t *chosen)
{
    double step = total / (double)count, sum = 0;
    size_t row = 0;
    for (size_t k = 0; k < count; k++) {
        while (row + 1 < rows->n && sum + rows->weights[row] < ((double)k + 0.5) * step)
            sum += rows->weights[row++];
        chosen[k] = row;
    }
}

/* All rows, or `most` of them, the heavier the more often; *x holds them. */
static mst_status look_at(const mean_search *s, size_t most, fit_rows *rows, double **x)
{
    size_t *chosen;
    *rows = s->rows;
    *x = NULL;
    if (s->rows.n <= most)
        return MST_OK;
    MST_TRY(mst_allocate(&chosen, most));
    mst_status status = mst_allocate(x, most * s->D);
    if (status == MST_OK && s->rows.weights != NULL)
        choose_by_weight(&s->rows, s->total_weight, most, chosen);
    else if (status == MST_OK)
        status = mst_random_choice((mst_random){s->o->seed, STREAM_LOOK}, s->rows.n, most, chosen);
    for (size_t k = 0; status == MST_OK && k < most; k++)
        memcpy(*x + k * s->D, s->rows.x + chosen[k] * s->D, s->D * sizeof **x);
    *rows = (fit_rows){.n = most, .first = FIT_DRAWN_FIRST, .x = *x};
    mst_release(chosen);
    return status;
}

/* ---- Points to look from ---- */

typedef struct sight {
    double value;
    size_t point;
} sight;

typedef struct pool {
    size_t count;
    double *points; /* (count, D) */
    sight *sights;  /* (count), the best first */
} pool;

static void pool_free(pool *p)
{
    mst_release(p->points);
    mst_release(p->sights);
}

static int by_value(const void *a, const void *b)
{
    const sight *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->point > y->point) - (x->point < y->point);
}

/* The principal axes of unit vectors, both ends: where axes, girdles and their poles have their means. */
static mst_status add_axes(const mean_search *s, const fit_rows *rows, double *points,
                           size_t *count)
{
    size_t D = s->D;
    double *moments;
    MST_TRY(mst_allocate_zero(&moments, D * D + D));
    for (size_t i = 0; i < rows->n; i++)
        for (size_t a = 0; a < D; a++)
            for (size_t b = 0; b < D; b++)
                moments[a * D + b] += (rows->weights != NULL ? rows->weights[i] : 1) *
                                      rows->x[i * D + a] * rows->x[i * D + b];
    mst_status status = mst_eigen_symmetric(1, D, moments, moments + D * D, moments, NULL);
    for (size_t k = 0; status == MST_OK && k < 2 * D; k++, ++*count)
        for (size_t a = 0; a < D; a++)
            points[*count * D + a] = (k % 2 == 0 ? 1 : -1) * moments[k / 2 * D + a];
    mst_release(moments);
    return status;
}

/* Rows, points at random, and what else a sphere suggests: the point opposite to each mean that is known. */
static mst_status pool_new(pool *p, const mean_search *s, const fit_rows *rows, effort e)
{
    size_t D = s->D, own = e.points / 4, special = 2 * D + s->count + e.rounds * e.best * e.around;
    bool sphere = mst_manifold_traits_of(s->m)->unit_rows;
    own = own < rows->n ? own : rows->n;
    *p = (pool){0};
    MST_TRY(mst_allocate(&p->points, (e.points + own + special) * D));
    MST_TRY(mst_allocate(&p->sights, e.points + own + special));
    MST_TRY(mst_manifold_random_point(s->m, (mst_random){s->o->seed, STREAM_POINTS}, 0, e.points,
                                      p->points));
    p->count = e.points;
    mst_random stream = {s->o->seed, STREAM_ROWS};
    for (size_t k = 0; k < own; k++, p->count++) {
        size_t row = k;
        if (own < rows->n) {
            uint64_t bits;
            mst_random_bits(stream, k, 1, &bits);
            row = (size_t)(bits % rows->n);
        }
        memcpy(p->points + p->count * D, rows->x + row * D, D * sizeof *p->points);
    }
    for (size_t k = 0; sphere && k < s->count; k++, p->count++)
        for (size_t a = 0; a < D; a++)
            p->points[p->count * D + a] = -s->candidates[k].state[a];
    return sphere && D <= MOST_MOMENTS ? add_axes(s, rows, p->points, &p->count) : MST_OK;
}

/* ---- The search ---- */

/* A time at which to compare points. */
static mst_status time_to_look(const mean_search *s, double *time)
{
    const mean_candidate *c = &s->candidates[0];
    if (fit_has_converged(c->outcome.end)) {
        *time = *mean_time(s, c);
        return MST_OK;
    }
    return mean_first_time(s, &s->rows, c->state, time);
}

/* A rough climb at the time of the first mean, on the rows that are looked at: does it end at a mean that is
 * known? Most do where there is one. */
static mst_status look_ahead(const mean_search *s, const fit_rows *rows, double time,
                             mean_candidate *c, bool *known)
{
    const double same = 0.3; /* of the scatter, of which means of so many rows are a tenth off */
    fit_means model = fit_with_fixed_times(&s->model);
    fit_options rough = s->climb;
    model.model.rows = rows;
    rough.tolerance = 1e-2;
    *mean_time(s, c) = time;
    MST_TRY(fit_climb(&model.model, c->state, &rough, &c->outcome));
    return mean_is_known(s, c, same, known);
}

typedef struct climber {
    mean_search *s;
    const fit_rows *rows;
    double time;
    bool ahead; /* look ahead first */
} climber;

static mst_status climb_from(const climber *climb, const double *point)
{
    mean_search *s = climb->s;
    mean_candidate *c;
    bool known = false;
    MST_TRY(mean_next_candidate(s, &c));
    memcpy(c->state, point, s->D * sizeof *point);
    if (climb->ahead)
        MST_TRY(look_ahead(s, climb->rows, climb->time, c, &known));
    return known ? MST_OK : mean_climb_next(s, !climb->ahead);
}

/* The best of all, and half as many of those that are not beside the first mean; more where nobody knows how
 * far geodesics are minimal, for then theorems do not help. */
static mst_status climb_best(const climber *climb, const pool *p, size_t climbs)
{
    mean_search *s = climb->s;
    bool unknown = isnan(mst_manifold_injectivity(s->m));
    double beside = 2 * mean_same_place(s), r;
    for (size_t k = 0; k < climbs && k < p->count; k++)
        MST_TRY(climb_from(climb, p->points + p->sights[k].point * s->D));
    for (size_t k = climbs, more = unknown ? UNKNOWN : (climbs + 1) / 2; k < p->count && more > 0;
         k++) {
        const double *point = p->points + p->sights[k].point * s->D;
        MST_TRY(distance_about(s->m, s->candidates[0].state, point, &r));
        if (r < beside)
            continue;
        MST_TRY(climb_from(climb, point));
        more--;
    }
    return MST_OK;
}

/* The values at the points from number `first` on, which are new, and the order of all. */
static mst_status sight_points(const mean_search *s, const fit_rows *rows, double time,
                               size_t first, pool *p)
{
    size_t count = p->count - first;
    double *values;
    MST_TRY(mst_allocate(&values, count));
    mst_status status = mean_values(s, rows, time, count, p->points + first * s->D, values);
    for (size_t k = 0; status == MST_OK && k < count; k++)
        p->sights[first + k] = (sight){isnan(values[k]) ? -INFINITY : values[k], first + k};
    qsort(p->sights, p->count, sizeof *p->sights, by_value);
    mst_release(values);
    return status;
}

/* Points around the best ones, normal with the deviation `apart`. */
static mst_status add_beside(const mean_search *s, effort e, double apart, pool *p)
{
    size_t d = s->d, D = s->D, even = d + d % 2;
    double *c;
    MST_TRY(mst_allocate(&c, even + D));
    mst_random stream = {s->o->seed, STREAM_BESIDE};
    mst_status status = MST_OK;
    size_t first = p->count;
    for (size_t k = 0; status == MST_OK && k < e.best * e.around; k++) {
        const double *from = p->points + p->sights[k / e.around].point * D;
        mst_random_normals(stream, (first + k) * even, even, c);
        for (size_t a = 0; a < d; a++)
            c[a] *= apart;
        status = mst_manifold_from_frame(s->m, 1, from, c, c + even);
        if (status == MST_OK)
            status = mst_manifold_exp(s->m, 1, from, c + even, p->points + p->count++ * D);
    }
    mst_release(c);
    return status;
}

static mst_status look(mean_search *s, effort e)
{
    fit_rows rows;
    pool p = {0};
    double *x, time;
    MST_TRY(time_to_look(s, &time));
    mst_status status = look_at(s, e.rows, &rows, &x);
    if (status == MST_OK)
        status = pool_new(&p, s, &rows, e);
    if (status == MST_OK)
        status = sight_points(s, &rows, time, 0, &p);
    double apart = mst_manifold_injectivity(s->m) * pow((double)e.points, -1 / (double)s->d);
    for (size_t round = 0, first; status == MST_OK && round < e.rounds; round++, apart /= 2) {
        first = p.count;
        status = add_beside(s, e, apart, &p);
        if (status == MST_OK)
            status = sight_points(s, &rows, time, first, &p);
    }
    if (status == MST_OK) {
        climber climb = {s, &rows, time, e.climbs == little.climbs};
        status = climb_best(&climb, &p, e.climbs);
    }
    pool_free(&p);
    mst_release(x);
    return status;
}

mst_status mean_explore(mean_search *s)
{
    bool rough;
    bool walls = mst_manifold_traits_of(s->m)->cut_is_wall;
    effort all = s->d > WIDE ? wide : walls ? cells : much;
    MST_TRY(mean_is_rough(s, 0, &rough));
    MST_TRY(look(s, rough ? all : little));
    if (!rough && s->count > 1) /* there are others: then look again, and harder */
        MST_TRY(look(s, all));
    MST_TRY(mean_flip(s));
    s->scope = MEAN_SEARCHED;
    return MST_OK;
}
