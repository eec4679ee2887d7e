/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which of the maxima the data tell from the best.
 *
 * The difference of two values is a sum over rows, and its standard error comes from their own differences.
 * The best maximum has been chosen from all points of the manifold: were all equally good for the law, the
 * best difference would be no normal number but the largest over about d of them, whose square is χ² of d
 * degrees of freedom; its quantile 0.999 is the limit. Two maxima are the same estimate if they are no
 * farther apart than a quarter of the injectivity radius, or of the scatter where that is unknown, and no
 * point of the geodesic between them can be told from the best either: where the cut loci of rows run there
 * are maxima 1/n apart, which mean nothing. */
#include "manifold/internal.h"
#include "stat/distances.h"
#include "stat/distributions.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

static const double level = 0.999;
/* Axes are common, and a mean of them looks like any other: the opposite has the quantile 0.9999 of two
 * degrees of freedom for a limit, or in many dimensions 0.99 of d. */
static const double opposite_level = 0.9999, opposite_level_of_many = 0.99;
/* Candidates to compare row by row, and those to report. */
enum { COMPARED = 24, REPORTED = 8, STOPS = 4 };

typedef struct jury {
    mean_search *s;
    double *best;  /* (n) log p of the rows */
    double *other; /* (n) */
    double *state; /* (D + 1) */
    double *v;     /* (2, D) */
} jury;

/* Where the source has no values, those of the small-time limit: they will do to compare a point with its
 * opposite. */
static mst_status limit_values(const mean_search *s, const double *state, double *log_p)
{
    MST_TRY(mst_dist_to(s->m, s->rows.n, s->rows.x, state, log_p));
    for (size_t i = 0; i < s->rows.n; i++)
        log_p[i] *= -0.5 * log_p[i];
    return MST_OK;
}

static mst_status row_values(const mean_search *s, const double *state, double *log_p)
{
    return mst_score_gives(s->model.model.source, MST_GIVES_LOG_P)
               ? mean_row_values(s, state, log_p)
               : limit_values(s, state, log_p);
}

/* Dimensions of the factors in which the two differ. */
static mst_status differing(const mean_search *s, const double *a, const double *b, double *d)
{
    *d = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(s->m); f++) {
        const mst_manifold *factor = mst_manifold_factor(s->m, f);
        double r;
        MST_TRY(distance_about(factor, a, b, &r));
        *d += r > 1e-6 ? (double)mst_manifold_dim(factor) : 0;
        a += mst_manifold_ambient(factor);
        b += mst_manifold_ambient(factor);
    }
    *d = fmax(*d, 1);
    return MST_OK;
}

/* Do the data fail to tell the state from the best: is the squared difference below `limit` times its
 * variance? Weights count by their ratios only. */
static mst_status is_tied(const jury *j, const double *state, double limit, bool *tied)
{
    const mean_search *s = j->s;
    const double *w = s->rows.weights;
    double sum = 0, square = 0, rows = 0;
    MST_TRY(row_values(s, state, j->other));
    for (size_t i = 0; i < s->rows.n; i++) {
        double weight = w != NULL ? w[i] : 1;
        rows += weight > 0 ? 1 : 0;
        sum += weight > 0 ? weight * (j->best[i] - j->other[i]) : 0;
    }
    for (size_t i = 0; i < s->rows.n; i++) {
        double weight = w != NULL ? w[i] : 1;
        double off = weight > 0 ? weight * (j->best[i] - j->other[i] - sum / s->total_weight) : 0;
        square += off * off;
    }
    square *= rows > 1 ? rows / (rows - 1) : 1;
    *tied = sum * fabs(sum) <= limit * square;
    return MST_OK;
}

double mean_same_place(const mean_search *s)
{
    double radius = mst_manifold_injectivity(s->m);
    return 0.25 * (isnan(radius) ? mean_scatter(s, &s->candidates[0]) : radius);
}

/* Is it the same estimate as the best? */
static mst_status is_same(const jury *j, const double *state, double limit, bool *same)
{
    const mean_search *s = j->s;
    const mst_manifold *m = s->m;
    const double *from = s->candidates[0].state;
    double r;
    *same = false;
    MST_TRY(distance_about(m, from, state, &r));
    if (r > mean_same_place(s))
        return MST_OK;
    *same = true;
    for (int k = 1; *same && k < STOPS; k++) {
        double share = (double)k / STOPS;
        MST_TRY(mst_manifold_log(m, 1, from, state, j->v, NULL));
        for (size_t a = 0; a < s->D; a++)
            j->v[a] *= share;
        MST_TRY(mst_manifold_exp(m, 1, from, j->v, j->state));
        j->state[s->D] = from[s->D] + share * (state[s->D] - from[s->D]);
        MST_TRY(is_tied(j, j->state, limit, same));
    }
    return MST_OK;
}

/* Candidate number k becomes number `to`, the others keep their order. */
static void move_up(mean_search *s, size_t k, size_t to)
{
    mean_candidate kept = s->candidates[k];
    memmove(s->candidates + to + 1, s->candidates + to, (k - to) * sizeof kept);
    s->candidates[to] = kept;
}

static mst_status is_beside_members(const mean_search *s, const double *state, bool *beside)
{
    double r;
    *beside = false;
    for (size_t k = 1; !*beside && k < s->members; k++) {
        MST_TRY(distance_about(s->m, s->candidates[k].state, state, &r));
        *beside = r <= mean_same_place(s);
    }
    return MST_OK;
}

static mst_status judge_rivals(const jury *j)
{
    mean_search *s = j->s;
    size_t compared = 0;
    for (size_t k = s->members; k < s->count && compared < COMPARED && s->members < REPORTED; k++) {
        const double *state = s->candidates[k].state;
        bool skip, tied;
        double d;
        if (!fit_has_converged(s->candidates[k].outcome.end))
            continue;
        MST_TRY(is_beside_members(s, state, &skip));
        if (skip)
            continue;
        compared++;
        MST_TRY(differing(s, s->candidates[0].state, state, &d));
        double limit = mst_chi_square_quantile(level, d);
        MST_TRY(is_tied(j, state, limit, &tied));
        if (tied)
            MST_TRY(is_same(j, state, limit, &skip));
        if (tied && !skip)
            move_up(s, k, s->members++);
    }
    return MST_OK;
}

/* A sphere, or one of the circles of a torus, among the coordinates. */
typedef struct round_part {
    size_t first, count;
    bool angle; /* else a unit vector */
} round_part;

static void turn_over(const round_part *p, double *state)
{
    for (size_t a = p->first; a < p->first + p->count; a++)
        state[a] = !p->angle ? -state[a] : state[a] > 0 ? state[a] - M_PI : state[a] + M_PI;
}

static mst_status judge_part(const jury *j, const round_part *p)
{
    mean_search *s = j->s;
    bool beside, tied;
    mean_candidate *c;
    MST_TRY(mean_next_candidate(s, &c));
    const mean_candidate *best = &s->candidates[0];
    memcpy(c->state, best->state, (s->D + 1) * sizeof *c->state);
    turn_over(p, c->state);
    MST_TRY(is_beside_members(s, c->state, &beside));
    if (beside)
        return MST_OK;
    double d = p->angle ? 1 : (double)p->count - 1;
    double limit = fmax(mst_chi_square_quantile(opposite_level, 2),
                        mst_chi_square_quantile(opposite_level_of_many, d));
    MST_TRY(is_tied(j, c->state, limit, &tied));
    if (!tied)
        return MST_OK;
    c->outcome = best->outcome;
    c->outcome.value = 0;
    for (size_t i = 0; i < s->rows.n; i++)
        c->outcome.value += (s->rows.weights != NULL ? s->rows.weights[i] : 1) * j->other[i];
    move_up(s, s->count++, s->members++);
    return MST_OK;
}

static bool is_round(const mst_manifold *factor)
{
    const mst_manifold_traits *traits = mst_manifold_traits_of(factor);
    return traits->unit_rows || traits->rows == MST_ROWS_ANGLES;
}

/* Opposite points: where x and −x are equally likely the law cannot tell y from −y, though there may be no
 * second maximum. The point is reported like one. */
static mst_status judge_opposite(const jury *j)
{
    const mst_manifold *m = j->s->m;
    size_t at = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        size_t end = at + mst_manifold_ambient(factor);
        bool angles = !mst_manifold_traits_of(factor)->unit_rows;
        while (is_round(factor) && at < end) {
            round_part part = {.first = at, .count = angles ? 1 : end - at, .angle = angles};
            MST_TRY(judge_part(j, &part));
            at += part.count;
        }
        at = end;
    }
    return MST_OK;
}

static bool has_round_parts(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (is_round(mst_manifold_factor(m, f)))
            return true;
    return false;
}

static mst_status compare_rows(mean_search *s)
{
    jury j = {.s = s};
    MST_TRY(mst_allocate(&j.best, 2 * s->rows.n + 3 * s->D + 1));
    j.other = j.best + s->rows.n;
    j.state = j.other + s->rows.n;
    j.v = j.state + s->D + 1;
    bool valued = mst_score_gives(s->model.model.source, MST_GIVES_LOG_P);
    mst_status status = row_values(s, s->candidates[0].state, j.best);
    if (status == MST_OK && valued)
        status = judge_rivals(&j);
    if (status == MST_OK)
        status = judge_opposite(&j);
    mst_release(j.best);
    return status;
}

mst_status mean_judge(mean_search *s)
{
    const mean_candidate *best = &s->candidates[0], *c = best + 1;
    while (c < best + s->count && fit_has_converged(c->outcome.end) &&
           c->outcome.value >= best->outcome.value - fmax(best->doubt, c->doubt))
        c++;
    s->ties = s->members = (size_t)(c - best);
    bool valued = mst_score_gives(s->model.model.source, MST_GIVES_LOG_P);
    if (s->scope == MEAN_ONLY || !fit_has_converged(best->outcome.end) ||
        !(valued || has_round_parts(s->m)))
        return MST_OK;
    return compare_rows(s);
}
