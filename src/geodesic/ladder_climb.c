/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which path goes where next, and what is believed. */
#include "geodesic/ladder_parts.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

const rung ladder_rungs[RUNGS] = {
    {1, 6, 1e-4, 16}, {1, 8, 0, 60},   {1, 12, 0, 60},  {2, 12, 0, 60},     {4, 12, 0, 60},
    {8, 12, 0, 60},   {16, 12, 0, 80}, {32, 12, 0, 80}, {64, 1, 1e-6, 300},
};

static const size_t degrees[DEGREES] = {1, 6, 8, 12};

/* Matrices of eight paths larger than this are not tried. */
static const size_t MOST_NUMBERS = (size_t)1 << 22;

static size_t rule_number(size_t level)
{
    size_t k = 0;
    while (degrees[k] != ladder_rungs[level].degree)
        k++;
    return k;
}

const rule *ladder_rule(const ladder *l, size_t level)
{
    return &l->rules[rule_number(level)];
}

/* Before a path comes to a rung for the first time. */
mst_status ladder_make_rule(ladder *l, size_t level)
{
    size_t k = rule_number(level);
    return l->rules[k].block == NULL ? rule_new(&l->rules[k], degrees[k]) : MST_OK;
}

/* Is the rung within reach of memory? */
static bool exists(const ladder *l, size_t level)
{
    size_t d = l->p->d, p = ladder_rungs[level].degree, wide = (p + 1) * d;
    if (l->p->form == FORM_METRIC && d > METRIC_DENSE)
        return true; /* there is none */
    return ladder_rungs[level].elements * p * d <= MOST_NUMBERS / wide;
}

bool ladder_wants_second(const ladder *l)
{
    const mst_geodesic_output *out = l->task->out;
    return out->hessian != NULL || out->mixed != NULL || out->van_vleck != NULL;
}

bool ladder_wants_conjugate(const ladder *l)
{
    const mst_geodesic_output *out = l->task->out;
    const mst_geodesic_options *o = l->task->options;
    return out->conjugate != NULL || out->tie != NULL || o->log_tolerance > 0 ||
           (o->starts == 0 && !l->p->hadamard);
}

/* ---- Jobs ---- */

mst_status ladder_job_new(ladder *l, size_t i, job **out)
{
    job *j = l->spare;
    if (j != NULL) {
        l->spare = j->next;
    } else {
        MST_TRY(mst_grow(&l->jobs, l->job_count, &l->job_room));
        MST_TRY(mst_allocate_zero(&j, 1));
        l->jobs[l->job_count++] = j;
    }
    *j = (job){.pair = i, .path = j->path, .error = INFINITY, .agreed = 1};
    *out = j;
    return MST_OK;
}

static void job_free(ladder *l, job *j)
{
    j->next = l->spare;
    l->spare = j;
}

void ladder_enqueue(ladder *l, job *j, size_t level)
{
    j->level = level;
    j->next = NULL;
    if (l->first[level] == NULL)
        l->first[level] = j;
    else
        l->last[level]->next = j;
    l->last[level] = j;
}

const double *ladder_end_x(const ladder *l, size_t i)
{
    return l->task->x + i * l->p->width;
}

/* A job from the line to the wrapped end, or bent. */
static mst_status send(ladder *l, size_t i, const double *y, const double *bend, size_t level)
{
    job *j;
    MST_TRY(ladder_make_rule(l, level));
    MST_TRY(ladder_job_new(l, i, &j));
    start_line line = {ladder_end_x(l, i), y, bend};
    MST_TRY(start_path(&l->room, l->p, &line, ladder_rule(l, level), ladder_rungs[level].elements,
                       &j->path));
    j->rescued = level == RESCUE;
    j->bent = bend != NULL;
    ladder_enqueue(l, j, level);
    pair *p = &l->pairs[i];
    if (level == RESCUE)
        p->open++;
    else
        p->waiting++;
    return MST_OK;
}

mst_status ladder_send_way(ladder *l, size_t i, const graph_way *way)
{
    size_t width = l->p->width, nodes = ladder_rungs[RESCUE].elements + 1;
    job *j;
    MST_TRY(ladder_make_rule(l, RESCUE));
    MST_TRY(ladder_job_new(l, i, &j));
    MST_TRY(path_reserve(&j->path, nodes - 1, 1, width));
    for (size_t node = 0, at = 0; node < nodes; node++) {
        double t = (double)node / (double)(nodes - 1), want = t * way->along[way->count - 1];
        while (at + 2 < way->count && way->along[at + 1] < want)
            at++;
        double part = (want - way->along[at]) / (way->along[at + 1] - way->along[at]);
        const double *a = way->x + at * width, *b = a + width;
        j->path.breaks[node] = t;
        for (size_t k = 0; k < width; k++)
            j->path.x[node * width + k] = a[k] + part * (b[k] - a[k]);
    }
    memcpy(j->path.x, way->x, width * sizeof *way->x);
    memcpy(j->path.x + (nodes - 1) * width, way->x + (way->count - 1) * width,
           width * sizeof *way->x);
    j->rescued = j->way = true;
    l->pairs[i].open++;
    l->pairs[i].starts++;
    ladder_enqueue(l, j, RESCUE);
    return MST_OK;
}

static mst_status settle(ladder *l, size_t i);

static mst_status accept(ladder *l, job *j, const landing *landed)
{
    pair *p = &l->pairs[j->pair];
    if (!ladder_take(l, j, landed) && j->warm)
        p->spread = p->wrapped = false; /* two have become one: what else is there now? */
    size_t i = j->pair;
    p->open--;
    job_free(l, j);
    return settle(l, i);
}

/* ---- Climbing ---- */

static mst_status rescue(ladder *l, job *j)
{
    size_t i = j->pair, width = l->p->width;
    double *y = l->ends + i * width;
    const path *old = &j->path; /* the same wrap */
    memcpy(y, old->x + (path_nodes(old) - 1) * width, width * sizeof *y);
    job_free(l, j);
    MST_TRY(send(l, i, y, NULL, RESCUE));
    return MST_OK;
}

static mst_geodesic_status failure_of(lane_end end)
{
    return end == LANE_SADDLE    ? MST_GEODESIC_SADDLE
           : end == LANE_OUTSIDE ? MST_GEODESIC_LEFT_DOMAIN
                                 : MST_GEODESIC_NOT_CONVERGED;
}

static mst_status climb(ladder *l, job *j, size_t level)
{
    MST_TRY(ladder_make_rule(l, level));
    MST_TRY(path_refine(&j->path, ladder_rule(l, j->level), &l->scratch, ladder_rule(l, level),
                        ladder_rungs[level].elements));
    path old = j->path;
    j->path = l->scratch;
    l->scratch = old;
    ladder_enqueue(l, j, level);
    return MST_OK;
}

/* Along the polygon that the metric itself knows, if it does. */
static mst_status send_known_way(ladder *l, size_t i)
{
    const mst_metric_ops *metric = l->p->metric;
    if (l->p->form != FORM_METRIC || metric->way == NULL || l->task->options->starts == 1)
        return MST_OK;
    graph_way known = {0};
    size_t most = metric->way_points, width = l->p->width;
    MST_TRY(mst_allocate(&known.x, most * (width + 1)));
    known.along = known.x + most * width;
    mst_status status = metric->way(l->p->m, ladder_end_x(l, i), l->task->y + i * width, known.x,
                                    known.along, &known.count);
    if (status == MST_OK && known.count > 1)
        status = ladder_send_way(l, i, &known);
    graph_way_free(&known);
    return status;
}

/* Cold starts. */
mst_status ladder_begin_pair(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    const double *y = l->task->y + i * l->p->width;
    p->wrapped = true;
    MST_TRY(send_known_way(l, i));
    if (l->p->period == NULL || l->task->options->starts == 1) {
        memcpy(p->y, y, l->p->width * sizeof *y);
        if (l->p->period != NULL)
            start_wrap(l->p, ladder_end_x(l, i), y, 2, 0, p->y);
        p->starts++;
        return send(l, i, p->y, NULL, 0);
    }
    return ladder_begin_wraps(l, i, 0);
}

mst_status ladder_begin_wraps(ladder *l, size_t i, size_t skip)
{
    pair *p = &l->pairs[i];
    const double *x = ladder_end_x(l, i), *y = l->task->y + i * l->p->width;
    double *wrapped = l->ends + (l->task->n + 2) * l->p->width;
    size_t each = start_wraps(l->p, l->several);
    p->wrapped = true;
    start_wrap(l->p, x, y, each, 0, p->y);
    for (size_t k = skip; start_wrap(l->p, x, y, each, k, wrapped); k++) {
        p->starts++;
        MST_TRY(send(l, i, wrapped, NULL, 0));
    }
    return MST_OK;
}

/* Coarse paths that are like an answer, or like one another, go on once. */
static void drop_doubles(ladder *l, pair *p)
{
    job *list = p->parked, *next;
    p->parked = NULL;
    for (job *j = list; j != NULL; j = next) {
        bool known = false;
        next = j->next;
        for (size_t k = 0; !known && k < p->count; k++)
            if ((known = ladder_is_same(l, &p->answers[k], j, 0.02)))
                p->answers[k].agreed++;
        for (job *o = p->parked; l->several > 1 && !known && o != NULL; o = o->next) {
            answer other = {.path = o->path, .level = o->level, .energy = o->energy};
            if ((known = ladder_is_same(l, &other, j, 0.02)))
                o->agreed++;
        }
        if (known) {
            job_free(l, j);
        } else {
            j->next = p->parked;
            p->parked = j;
        }
    }
}

/* The energy of the last that is wanted, of answers and coarse paths together. */
static double highest_wanted(const ladder *l, const pair *p)
{
    size_t count = 0;
    double *lowest = l->lowest;
    for (; count < p->count; count++)
        lowest[count] = p->answers[count].energy;
    for (const job *j = p->parked; j != NULL; j = j->next) {
        size_t at = count < l->several ? count++ : l->several;
        for (; at > 0 && lowest[at - 1] > j->energy; at--)
            if (at < l->several)
                lowest[at] = lowest[at - 1];
        if (at < l->several)
            lowest[at] = j->energy;
    }
    double least = count > 0 ? lowest[0] : INFINITY;
    double last = count == l->several ? lowest[count - 1] : INFINITY;
    return fmin(last, least + 0.5 * l->task->options->window);
}

/* The first rung in space whose polynomials can follow the turns of a coarse path. */
static size_t first_fine(const ladder *l, const job *j)
{
    const path *own = &j->path;
    const double *last = own->x + (path_nodes(own) - 1) * own->width;
    double turns = 0;
    for (size_t k = 0; l->p->form == FORM_EMBEDDING && l->p->period != NULL && k < own->width; k++)
        if (l->p->period[k] > 0)
            turns = fmax(turns, fabs(last[k] - own->x[k]) / l->p->period[k]);
    size_t level = turns <= 1 ? 1 : turns <= 2 ? 3 : turns <= 4 ? 4 : 5;
    return exists(l, level) ? level : 1;
}

/* All coarse paths of a pair have ended: those that may be among the shortest go on. */
static mst_status rank(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    drop_doubles(l, p);
    double highest = 1.3 * highest_wanted(l, p);
    for (job *j = p->parked, *next; j != NULL; j = next) {
        next = j->next;
        if (j->energy > highest) {
            ladder_note_rival(p, j->energy);
            job_free(l, j);
        } else {
            p->open++;
            MST_TRY(climb(l, j, first_fine(l, j)));
        }
    }
    p->parked = NULL;
    return settle(l, i);
}

static bool is_periodic(const geodesic_problem *p)
{
    bool any = false;
    for (size_t k = 0; p->period != NULL && k < p->d; k++)
        any = any || p->period[k] > 0;
    return any;
}

static mst_status send_bends(ladder *l, size_t i, const double *y)
{
    pair *p = &l->pairs[i];
    int wanted = l->task->options->starts;
    size_t most = wanted > 0       ? (size_t)wanted - 1
                  : l->several > 1 ? 6
                                   : 4,
           all = start_others(l->p, l->several, most);
    double *bend = l->ends + (l->task->n + 2) * l->p->width;
    for (size_t k = 0; k < all; k++) {
        MST_TRY(start_bend(&l->room, l->p, ladder_end_x(l, i), y, k, bend));
        p->starts++;
        MST_TRY(send(l, i, y, bend, 0));
    }
    return MST_OK;
}

/* More starts where a conjugate point is not far, or where they were asked for. Where ends have wraps all of
 * these come first, and then bent lines to those that geodesics were found to. */
static mst_status spread(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    size_t width = l->p->width;
    p->spread = true;
    bool again = p->warm;
    if (again) { /* all is known anew */
        p->starts = 1;
        p->rival = INFINITY;
        p->drift = 0;
        p->warm = false;
    }
    if (!is_periodic(l->p)) {
        if (again)
            MST_TRY(send_known_way(l, i));
        return send_bends(l, i, p->y);
    }
    if (again || !p->wrapped) {
        p->spread = false;
        return ladder_begin_wraps(l, i, 0);
    }
    for (size_t k = 0; k < p->count; k++) {
        const path *own = &p->answers[k].path;
        if (p->answers[k].conjugate >= 0.5)
            MST_TRY(send_bends(l, i, own->x + (path_nodes(own) - 1) * width));
    }
    return MST_OK;
}

static bool wants_others(const ladder *l, const pair *p)
{
    int wanted = l->task->options->starts;
    bool overtaken = l->several == 1 && p->warm && ladder_is_risky(p);
    if ((p->spread && !overtaken) || wanted == 1 || ladder_is_only(l, p))
        return false;
    if (wanted > 1 || l->several > 1)
        return true;
    return (is_periodic(l->p) && (!p->wrapped || overtaken)) || p->answers[0].conjugate >= 0.5;
}

static mst_status settle(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    if (p->open > 0 || p->waiting > 0 || p->count == 0)
        return MST_OK;
    return wants_others(l, p) ? spread(l, i) : MST_OK;
}

/* ---- Ends of sweeps ---- */

/* The line to one of several ends may lie on a ridge between two geodesics, and find neither. */
static mst_status go_round(ladder *l, job *j)
{
    size_t i = j->pair, width = l->p->width;
    double *y = l->ends + (l->task->n + 2) * width, *bend = l->ends + l->task->n * width;
    memcpy(y, j->path.x + (path_nodes(&j->path) - 1) * width, width * sizeof *y);
    job_free(l, j);
    for (size_t k = 0; k < 2; k++) {
        MST_TRY(start_bend(&l->room, l->p, ladder_end_x(l, i), y, k, bend));
        l->pairs[i].starts++;
        MST_TRY(send(l, i, y, bend, 0));
    }
    return MST_OK;
}

static mst_status end_coarse(ladder *l, job *j, const landing *landed)
{
    size_t i = j->pair;
    pair *p = &l->pairs[i];
    p->waiting--;
    if (landed->end != LANE_CONVERGED && !j->bent && l->p->d > 1 && is_periodic(l->p) &&
        l->task->options->starts != 1)
        return go_round(l, j);
    if (landed->end == LANE_CONVERGED) {
        j->energy = landed->energy;
        j->next = p->parked;
        p->parked = j;
    } else if (p->waiting == 0 && p->parked == NULL && p->count == 0) {
        p->failure = failure_of(landed->end);
        return rescue(l, j);
    } else {
        job_free(l, j);
    }
    return p->waiting == 0 ? rank(l, i) : MST_OK;
}

static mst_status give_up(ladder *l, job *j, lane_end end)
{
    size_t i = j->pair;
    pair *p = &l->pairs[i];
    if (!j->way)
        p->failure = failure_of(end);
    p->open--;
    if (j->warm) {
        job_free(l, j);
        p->spread = p->wrapped = false;
        if (p->open > 0 || p->count > 0)
            return settle(l, i);
        p->starts = 0;
        return ladder_begin_pair(l, i);
    }
    ladder_note_rival(p, j->energy);
    if (j->error < 1e-3)
        p->overlooked = fmin(p->overlooked, j->energy);
    bool wanted = p->count == 0 || (l->several > 1 && !j->bent);
    if (!j->rescued && wanted && exists(l, RESCUE))
        return rescue(l, j);
    job_free(l, j);
    return settle(l, i);
}

static bool is_enough(const ladder *l, const landing *landed)
{
    const mst_geodesic_options *o = l->task->options;
    double error = landed->error / landed->length, c = landed->conjugate;
    if (!(error <= o->tolerance))
        return false;
    return !(o->log_tolerance > 0) || 10 * error <= o->log_tolerance * fmax(1 - c * c, 1e-4);
}

/* The error of polynomials falls like a power of the number of nodes: with that of this rung it is to be seen
 * whether the next will do, or should be left out. */
static size_t next_level(const ladder *l, const job *j)
{
    const mst_geodesic_options *o = l->task->options;
    double wanted =
        o->log_tolerance > 0 ? fmin(o->tolerance, 0.1 * o->log_tolerance) : o->tolerance;
    const double careful = 30; /* the estimate is about so many times the error */
    size_t next = j->level + 1;
    const rung *here = &ladder_rungs[j->level], *there = &ladder_rungs[next];
    double more =
        (double)(there->elements * there->degree) / (double)(here->elements * here->degree);
    bool enough = careful * pow(j->error / careful, more) <= wanted;
    return enough || next + 1 > LAST || !exists(l, next + 1) ? next : next + 1;
}

/* The derivative of the path's polynomial at its first or last node, less `v`, against v. */
static double turn_at(const ladder *l, const job *j, bool last, const double *v)
{
    const path *p = &j->path;
    const rule *r = ladder_rule(l, j->level);
    size_t P = r->p + 1, e = last ? p->elements - 1 : 0, node = last ? r->p : 0;
    const double *x = p->x + e * r->p * p->width;
    double h = p->breaks[e + 1] - p->breaks[e], gap = 0, size = 0;
    for (size_t k = 0; k < p->width; k++) {
        double slope = 0;
        for (size_t i = 0; i < P; i++)
            slope += r->d[node * P + i] * (x[i * p->width + k] - x[node * p->width + k]) / h;
        slope = (last ? -slope : slope) - v[k];
        gap += slope * slope;
        size += v[k] * v[k];
    }
    return sqrt(gap / size);
}

/* Paths in space do not see a coordinate that goes round once more between two nodes: where coordinates are
 * periodic they must follow the path that was found. */
static bool follows(const ladder *l, const job *j, const landing *landed)
{
    if (l->p->form != FORM_EMBEDDING || l->p->period == NULL)
        return true;
    return turn_at(l, j, false, landed->log_x) < 0.5 && turn_at(l, j, true, landed->log_y) < 0.5;
}

static mst_status end_fine(ladder *l, job *j, const landing *landed)
{
    pair *p = &l->pairs[j->pair];
    if (landed->end != LANE_CONVERGED)
        return give_up(l, j, landed->end);
    j->energy = landed->energy;
    if (j->level == RESCUE)
        return climb(l, j, j->way ? RESCUED + 1 : RESCUED);
    double error = landed->error / landed->length, before = j->error;
    bool tolerable = error <= fmax(l->task->options->tolerance, 1e-8);
    bool top = j->level == LAST || !exists(l, j->level + 1);
    /* Rounding: more nodes do not help. */
    bool stalls = error <= 1e-9 && error > 0.3 * before && j->level > 2;
    j->error = error;
    bool true_to = follows(l, j, landed) || ladder_known(l, p, landed->log_x) != NULL;
    if ((true_to && (is_enough(l, landed) || (tolerable && stalls))) || (tolerable && top))
        return accept(l, j, landed);
    if (l->task->options->best && p->count == 0 && landed->error < p->best_error) {
        ladder_write_row(l, j->pair * l->several, landed);
        p->best_error = landed->error;
    }
    if (p->count > 0 && error < 1e-3 &&
        landed->energy >
            1.1 * ladder_highest(l, p, p->answers[0].energy)) { /* will not be wanted */
        size_t i = j->pair;
        ladder_note_rival(p, j->energy);
        p->open--;
        job_free(l, j);
        return settle(l, i);
    }
    if (top && !j->remeshed && error < 1e-3) { /* breaks that this path chooses may do better */
        j->remeshed = true;
        return climb(l, j, j->level);
    }
    if (top)
        return give_up(l, j, LANE_STUCK);
    return climb(l, j, next_level(l, j));
}

bool ladder_next_job(void *user, flight_plan *plan, path **out)
{
    ladder *l = user;
    job *j = l->first[l->level];
    if (j == NULL)
        return false;
    l->first[l->level] = j->next;
    double own = ladder_rungs[l->level].tolerance;
    *plan = (flight_plan){.job = j,
                          .tolerance = own > 0 ? own : l->tolerance,
                          .most = ladder_rungs[l->level].most,
                          .whole = !(own > 0),
                          .enough = fmax(l->task->options->tolerance, 1e-8),
                          .shifts = j->way || l->level == RESCUE};
    *out = &j->path;
    return true;
}

mst_status ladder_job_done(void *user, const flight_plan *plan, const landing *landed)
{
    ladder *l = user;
    job *j = plan->job;
    return l->level == 0 ? end_coarse(l, j, landed) : end_fine(l, j, landed);
}
