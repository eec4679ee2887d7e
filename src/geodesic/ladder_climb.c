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
    *j = (job){.pair = i, .path = j->path, .error = INFINITY};
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
    ladder_enqueue(l, j, level);
    pair *p = &l->pairs[i];
    if (level == RESCUE)
        p->open++;
    else
        p->waiting++;
    return MST_OK;
}

/* ---- Answers ---- */

bool ladder_is_certain(const ladder *l, const pair *p)
{
    return l->p->hadamard || sqrt(2 * p->energy) < l->p->injectivity;
}

static void middle_of(const ladder *l, const path *p, size_t level, double *x)
{
    path_at(p, ladder_rule(l, level), 0.5, x);
}

/* Is this path, roughly, the best of its pair? */
static bool is_same(ladder *l, const pair *p, const job *j, double closeness)
{
    size_t width = l->p->width;
    double *a = l->ends + l->task->n * width, *b = a + width, gap = 0, size = 0, end = 0;
    if (fabs(j->energy - p->energy) > closeness * p->energy)
        return false;
    middle_of(l, &j->path, j->level, a);
    middle_of(l, &p->best, p->level, b);
    const double *last = p->best.x + (path_nodes(&p->best) - 1) * width,
                 *mine = j->path.x + (path_nodes(&j->path) - 1) * width;
    for (size_t k = 0; k < width; k++) {
        gap += (a[k] - b[k]) * (a[k] - b[k]);
        size += (b[k] - p->best.x[k]) * (b[k] - p->best.x[k]) + (last[k] - b[k]) * (last[k] - b[k]);
        end += (last[k] - mine[k]) * (last[k] - mine[k]);
    }
    return gap <= 4e-4 * size && end <= 4e-4 * size;
}

void ladder_write_row(const ladder *l, size_t i, const landing *landed)
{
    const mst_geodesic_output *out = l->task->out;
    size_t width = l->p->width, d = l->p->d, square = width * width;
    if (out->length != NULL)
        out->length[i] = landed->length;
    if (out->error != NULL)
        out->error[i] = landed->error;
    if (out->log_x != NULL)
        memcpy(out->log_x + i * width, landed->log_x, width * sizeof(double));
    if (out->log_y != NULL)
        memcpy(out->log_y + i * width, landed->log_y, width * sizeof(double));
    if (out->conjugate != NULL)
        out->conjugate[i] = landed->conjugate;
    if (out->van_vleck != NULL)
        out->van_vleck[i] = landed->van_vleck;
    for (size_t a = 0; landed->hessian != NULL && a < width; a++)
        for (size_t b = 0; b < width; b++) {
            double whole = 0, mixed = 0;
            if (l->p->form != FORM_CONSTRAINT) {
                whole = landed->hessian[a * d + b];
                mixed = landed->mixed[a * d + b];
            } else {
                for (size_t e = 0; e < d; e++)
                    for (size_t f = 0; f < d; f++) {
                        double left = landed->frame_x[a * d + e];
                        whole += left * landed->hessian[e * d + f] * landed->frame_x[b * d + f];
                        mixed += left * landed->mixed[e * d + f] * landed->frame_y[b * d + f];
                    }
            }
            if (out->hessian != NULL)
                out->hessian[i * square + a * width + b] = whole;
            if (out->mixed != NULL)
                out->mixed[i * square + a * width + b] = mixed;
        }
}

static mst_status settle(ladder *l, size_t i);

/* A geodesic was found: is it the best? */
static mst_status accept(ladder *l, job *j, const landing *landed)
{
    pair *p = &l->pairs[j->pair];
    bool tied = p->found && fabs(landed->energy - p->energy) <= 2e-8 * p->energy;
    if (p->found && is_same(l, p, j, 1e-6))
        p->agreed++;
    else if (!p->found || landed->energy < p->energy) {
        p->tie = tied;
        p->found = true;
        p->energy = landed->energy;
        p->conjugate = landed->conjugate;
        p->agreed = j->warm ? l->task->kept[j->pair].agreed : 1;
        p->level = j->level;
        path best = p->best;
        p->best = j->path;
        j->path = best;
        ladder_write_row(l, j->pair, landed);
    } else {
        p->tie = p->tie || tied;
    }
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

/* Cold starts. */
mst_status ladder_begin_pair(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    const double *y = l->task->y + i * l->p->width;
    double *wrapped = l->ends + (l->task->n + 2) * l->p->width;
    if (l->p->period == NULL || l->task->options->starts == 1) {
        memcpy(p->y, y, l->p->width * sizeof *y);
        if (l->p->period != NULL)
            start_wrap(l->p, ladder_end_x(l, i), y, 0, p->y);
        p->starts++;
        return send(l, i, p->y, NULL, 0);
    }
    start_wrap(l->p, ladder_end_x(l, i), y, 0, p->y);
    for (size_t k = 0; start_wrap(l->p, ladder_end_x(l, i), y, k, wrapped); k++) {
        p->starts++;
        MST_TRY(send(l, i, wrapped, NULL, 0));
    }
    return MST_OK;
}

/* All coarse paths of a pair have ended: those that may be the shortest go on. */
static mst_status rank(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    double least = p->found ? p->energy : INFINITY;
    for (job *j = p->parked; j != NULL; j = j->next)
        least = fmin(least, j->energy);
    for (job *j = p->parked, *next; j != NULL; j = next) {
        next = j->next;
        if (p->found && is_same(l, p, j, 0.02)) {
            p->agreed++;
            job_free(l, j);
        } else if (j->energy > 1.3 * least) {
            job_free(l, j);
        } else {
            p->open++;
            MST_TRY(climb(l, j, 1));
        }
    }
    p->parked = NULL;
    return settle(l, i);
}

/* More starts where a conjugate point is not far, or where they were asked for. */
static mst_status spread(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    int wanted = l->task->options->starts;
    size_t most = wanted > 0 ? (size_t)wanted - 1 : 4, all = start_others(l->p, most);
    double *bend = l->ends + (l->task->n + 2) * l->p->width;
    p->spread = true;
    for (size_t k = 0; k < all; k++) {
        MST_TRY(start_bend(&l->room, l->p, ladder_end_x(l, i), p->y, k, bend));
        p->starts++;
        MST_TRY(send(l, i, p->y, bend, 0));
    }
    return MST_OK;
}

static bool wants_others(const ladder *l, const pair *p)
{
    int wanted = l->task->options->starts;
    if (p->spread || wanted == 1 || ladder_is_certain(l, p))
        return false;
    if (wanted > 1)
        return true;
    bool free = l->p->period == NULL;
    for (size_t k = 0; !free && k < l->p->d; k++)
        free = !(l->p->period[k] > 0);
    return free && p->conjugate >= 0.5;
}

static mst_status settle(ladder *l, size_t i)
{
    pair *p = &l->pairs[i];
    if (p->open > 0 || p->waiting > 0 || !p->found)
        return MST_OK;
    return wants_others(l, p) ? spread(l, i) : MST_OK;
}

/* ---- Ends of sweeps ---- */

static mst_status end_coarse(ladder *l, job *j, const landing *landed)
{
    size_t i = j->pair;
    pair *p = &l->pairs[i];
    p->waiting--;
    if (landed->end == LANE_CONVERGED) {
        j->energy = landed->energy;
        j->next = p->parked;
        p->parked = j;
    } else if (p->waiting == 0 && p->parked == NULL && !p->found) {
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
    p->failure = failure_of(end);
    p->open--;
    if (j->warm) {
        job_free(l, j);
        p->starts = 0;
        p->spread = false;
        return ladder_begin_pair(l, i);
    }
    if (!j->rescued && !p->found && exists(l, RESCUE))
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

static mst_status end_fine(ladder *l, job *j, const landing *landed)
{
    pair *p = &l->pairs[j->pair];
    if (landed->end != LANE_CONVERGED)
        return give_up(l, j, landed->end);
    j->energy = landed->energy;
    if (j->level == RESCUE)
        return climb(l, j, RESCUED);
    double error = landed->error / landed->length, before = j->error;
    bool tolerable = error <= fmax(l->task->options->tolerance, 1e-8);
    bool top = j->level == LAST || !exists(l, j->level + 1);
    /* Rounding: more nodes do not help. */
    bool stalls = error <= 1e-9 && error > 0.3 * before && j->level > 2;
    j->error = error;
    if (is_enough(l, landed) || (tolerable && (top || stalls)))
        return accept(l, j, landed);
    if (p->found && landed->energy > 1.1 * p->energy && error < 1e-3) { /* will not be the best */
        size_t i = j->pair;
        p->open--;
        job_free(l, j);
        return settle(l, i);
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
                          .enough = fmax(l->task->options->tolerance, 1e-8)};
    *out = &j->path;
    return true;
}

mst_status ladder_job_done(void *user, const flight_plan *plan, const landing *landed)
{
    ladder *l = user;
    job *j = plan->job;
    return l->level == 0 ? end_coarse(l, j, landed) : end_fine(l, j, landed);
}
