/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Completeness. In a chart lines are followed to the border of the domain and to infinity: if one of them has
 * a finite length, the manifold ends there. And geodesics are followed, on equations past the border. */
#include "examine/examine.h"

#include <manistat/brownian.h>
#include <math.h>
#include <string.h>

/* The length of the line from x along `way` between s = a and s = b, or NAN. */
static double length_of(const examiner *e, const double *x, const double *way, double a, double b,
                        double *room)
{
    static const double node[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                   0.9602898564975363};
    static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    const mst_metric_ops *ops = &e->m->metric->ops;
    double sum = 0, *at = room, *l_x = at + e->D, *l_v = l_x + e->D, l;
    for (size_t k = 0; k < 8; k++) {
        double s = (a + b) / 2 + (k % 2 == 0 ? 1 : -1) * node[k / 2] * (b - a) / 2;
        for (size_t c = 0; c < e->D; c++)
            at[c] = x[c] + s * way[c];
        if (!examine_inside(e, at) || ops->lagrangian(e->m, 1, at, way, &l, l_x, l_v) != MST_OK ||
            !(l >= 0) || isinf(l))
            return NAN;
        sum += weight[k / 2] * sqrt(2 * l);
    }
    return sum * fabs(b - a) / 2;
}

/* Where the line leaves the domain; infinite if it does not. */
static double exit_of(const examiner *e, const double *x, const double *way, double *at)
{
    double inside = 0, outside = INFINITY;
    for (double s = 1.0 / 64; s < 1e7 && isinf(outside); s *= 1.5) {
        for (size_t c = 0; c < e->D; c++)
            at[c] = x[c] + s * way[c];
        if (examine_inside(e, at))
            inside = s;
        else
            outside = s;
    }
    for (size_t k = 0; isfinite(outside) && k < 70; k++) {
        double middle = inside + (outside - inside) / 2;
        for (size_t c = 0; c < e->D; c++)
            at[c] = x[c] + middle * way[c];
        *(examine_inside(e, at) ? &inside : &outside) = middle;
    }
    return outside;
}

/* The length of the line up to its end at s = `end`, or infinity: pieces that shrink by a factor have a
 * finite sum, others are taken to have none. INFINITY also where it cannot be told. */
static double length_to_end(const examiner *e, const double *x, const double *way, double end,
                            double *room)
{
    enum { PIECES = 34, JUDGED = 8 };
    double sum = 0, last = NAN;
    size_t shrinking = 0;
    for (size_t k = 0; k < PIECES; k++) {
        double a = isinf(end) ? (k == 0 ? 0 : ldexp(1, (int)k - 1)) : end * (1 - ldexp(1, -(int)k));
        double b = isinf(end) ? ldexp(1, (int)k) : end * (1 - ldexp(1, -(int)k - 1));
        double piece = length_of(e, x, way, a, b, room);
        if (!isfinite(piece))
            break;
        shrinking = piece < 0.9 * last ? shrinking + 1 : 0;
        last = piece;
        sum += piece;
    }
    /* Something is left only if the pieces shrink slowly. */
    return shrinking >= JUDGED && last < 1e-2 * sum ? sum : INFINITY;
}

typedef struct ending {
    double length; /* the least found */
    bool border;   /* of the domain, or else infinity */
    double *x;     /* (D) where the line begins */
} ending;

static void follow_line(const examiner *e, const double *x, const double *way, double *room,
                        ending *found)
{
    bool periodic = true;
    for (size_t k = 0; k < e->d; k++)
        periodic = periodic && (way[k] == 0 || e->extents[k].period > 0);
    double end = exit_of(e, x, way, room);
    if (isinf(end) && periodic)
        return; /* round and round */
    double length = length_to_end(e, x, way, end, room);
    if (length < found->length) {
        found->length = length;
        found->border = isfinite(end);
        memcpy(found->x, x, e->D * sizeof *x);
    }
}

static void follow_lines(examiner *e, double *room, ending *found)
{
    enum { POINTS = 12, MORE = 6 };
    double *way = room + 3 * e->D;
    for (size_t i = 0; i < POINTS && i < e->n; i++)
        for (size_t k = 0; k < 2 * e->d + MORE; k++) {
            for (size_t a = 0; a < e->D; a++)
                way[a] = k >= 2 * e->d ? examine_normal(e) : a != k / 2 ? 0 : k % 2 == 0 ? 1 : -1;
            for (size_t a = 0; a < e->d; a++)
                way[a] *= e->extents[a].scale;
            follow_line(e, e->x + i * e->D, way, room, found);
        }
}

/* ---- Geodesics ---- */

/* Can the geodesic be followed so far, in the domain all the way? */
static bool can_follow(const examiner *e, const double *x, const double *v, double length,
                       double *room)
{
    enum { PARTS = 8 };
    double *part = room, *y = room + e->D;
    size_t parts = e->m->constraint != NULL ? PARTS : 1;
    for (size_t k = 1; k <= parts; k++) {
        for (size_t a = 0; a < e->D; a++)
            part[a] = v[a] * length * (double)k / (double)parts;
        if (mst_manifold_exp(e->m, 1, x, part, y) != MST_OK || !examine_inside(e, y))
            return false;
    }
    return true;
}

/* How many geodesics of this length cannot be followed, and the shortest of them; two are enough, for they
 * take long. */
static size_t follow_geodesics(examiner *e, size_t count, double length, double *room,
                               double *shortest, double *from)
{
    enum { ENOUGH = 2 };
    double *v = room + 2 * e->D;
    size_t lost = 0;
    for (size_t i = 0; i < count && lost < ENOUGH; i++) {
        /* In a chart from the start: at far points the formulas may have lost their digits, and geodesics
         * from there get slow. */
        size_t far = e->m->metric == NULL || i % 8 == 7 ? examine_index(e, e->n) : 0;
        const double *x = e->x + far * e->D;
        if (!examine_tangent(e, x, 1, v) || can_follow(e, x, v, length, room))
            continue;
        double good = 0, bad = length;
        lost++;
        for (size_t k = 0; k < 8; k++) {
            double middle = (good + bad) / 2;
            *(can_follow(e, x, v, middle, room) ? &good : &bad) = middle;
        }
        if (bad < *shortest) {
            *shortest = bad;
            memcpy(from, x, e->D * sizeof *x);
        }
    }
    return lost;
}

/* Brownian paths from the start that do not arrive. */
static size_t lost_paths(const examiner *e, size_t count, double time)
{
    size_t lost = 0;
    double *end;
    mst_brownian_options o = mst_brownian_options_default();
    if (mst_allocate(&end, e->D) != MST_OK)
        return 0;
    o.seed = e->o.seed;
    o.threads = 1;
    o.steps = 50;
    for (size_t i = 0; i < count; i++) {
        o.first_path = i;
        lost += mst_brownian_endpoints(e->m, 1, e->x, time, &o, end) != MST_OK ||
                !examine_inside(e, end);
    }
    mst_release(end);
    return lost;
}

static mst_status report_ending(examiner *e, const ending *found)
{
    enum { PATHS = 64 };
    char text[POINT_TEXT];
    e->incomplete = true;
    size_t lost = e->rough ? 0 : lost_paths(e, PATHS, 1);
    return finding_add(
        e, MST_FINDING_NOTE, "completeness", found->x,
        "%s is only %.3g from %s away: not complete, geodesics can end there; of Brownian "
        "paths from the start %.0f %% leave within time 1",
        found->border ? "the border of the domain" : "infinity", found->length,
        finding_point(e, found->x, text), 100 * (double)lost / PATHS);
}

static mst_status report_complete(examiner *e, size_t geodesics, double length)
{
    const char *lines = e->extents != NULL
                            ? "lines to the ends of the coordinates are infinitely long"
                            : "no border was met";
    if (geodesics == 0)
        return finding_add(e, MST_FINDING_NOTE, "completeness", NULL,
                           "%s, but geodesics were not followed, because of what is said above",
                           lines);
    return finding_add(e, MST_FINDING_OK, "completeness", NULL,
                       "%zu geodesics of length %.3g could be followed; %s", geodesics, length,
                       lines);
}

static mst_status report_lost(examiner *e, const double *from, double length)
{
    char text[POINT_TEXT];
    return finding_add(e, MST_FINDING_NOTE, "completeness", from,
                       "a geodesic from %s could be followed over a length of %.3g only",
                       finding_point(e, from, text), length);
}

mst_status examine_completeness(examiner *e)
{
    double *room, shortest = INFINITY, length = e->m->constraint != NULL ? 3 * e->size : 3;
    MST_TRY(mst_allocate(&room, 6 * e->D));
    double *from = room + 5 * e->D;
    ending found = {.length = INFINITY, .x = room + 4 * e->D};
    if (e->extents != NULL)
        follow_lines(e, room, &found);
    /* Where the metric is none or has kinks geodesics stop in tiny steps, which take long. */
    size_t count = isfinite(found.length) || e->rough ? 0 : 32;
    size_t lost = follow_geodesics(e, count, length, room, &shortest, from);
    if (lost > 0 && e->m->constraint != NULL)
        found = (ending){.length = shortest, .border = true, .x = from};
    mst_status status = isfinite(found.length) ? report_ending(e, &found)
                        : lost > 0             ? report_lost(e, from, shortest)
                                               : report_complete(e, count, length);
    mst_release(room);
    return status;
}
