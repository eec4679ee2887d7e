/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/ladder.h"

#include "geodesic/ladder_parts.h"
#include "geodesic/near.h"

#include <math.h>
#include <string.h>

static mst_status ladder_new(ladder *l, ladder_task *task)
{
    size_t n = task->n, width = task->problem->width;
    *l = (ladder){.task = task, .p = task->problem};
    /* A polynomial of low degree takes short cuts through space, and then the wrong wrap looks shortest. */
    l->coarse = *l->p;
    if (l->p->form == FORM_EMBEDDING && l->p->period != NULL) {
        l->coarse.form = FORM_METRIC;
        l->coarse.space = 0;
    }
    /* Newton's error is squared once more by the last step. */
    l->tolerance = fmin(1e-11, 0.01 * task->options->tolerance);
    if (task->options->log_tolerance > 0)
        l->tolerance = fmin(l->tolerance, fmax(1e-16, 1e-4 * task->options->log_tolerance));
    /* Second derivatives are those before the last step. */
    if (ladder_wants_second(l))
        l->tolerance = 1e-22;
    MST_TRY(start_room_new(&l->room, l->p));
    MST_TRY(mst_allocate(&l->ends, (n + 3) * width));
    MST_TRY(mst_allocate_zero(&l->pairs, n));
    for (size_t i = 0; i < n; i++)
        l->pairs[i].y = l->ends + i * width;
    return MST_OK;
}

static void ladder_free(ladder *l)
{
    for (size_t k = 0; k < RUNGS; k++)
        if (l->made[k]) {
            l->task->sweeps += l->sweepers[k].sweeps;
            sweeper_free(&l->sweepers[k]);
        }
    for (size_t k = 0; k < l->job_count; k++) {
        path_free(&l->jobs[k]->path);
        mst_release(l->jobs[k]);
    }
    for (size_t i = 0; l->pairs != NULL && i < l->task->n; i++)
        path_free(&l->pairs[i].best);
    path_free(&l->scratch);
    mst_release(l->jobs);
    mst_release(l->pairs);
    mst_release(l->ends);
    start_room_free(&l->room);
    for (size_t k = 0; k < DEGREES; k++)
        rule_free(&l->rules[k]);
}

/* Equal points to rounding: an answer at once. */
static bool begin_trivial(ladder *l, size_t i)
{
    const double *x = ladder_end_x(l, i), *y = l->task->y + i * l->p->width;
    double *nearest = l->ends + (l->task->n + 2) * l->p->width;
    double gap = 0, size = 0;
    memcpy(nearest, y, l->p->width * sizeof *y);
    if (l->p->period != NULL)
        start_wrap(l->p, x, y, 0, nearest);
    for (size_t k = 0; k < l->p->width; k++) {
        gap += (x[k] - nearest[k]) * (x[k] - nearest[k]);
        size += x[k] * x[k];
    }
    return gap <= 1e-28 * size || gap == 0;
}

/* Near points, where the form of the problem asks for it. */
static mst_status begin_near(ladder *l, size_t i, bool *found)
{
    size_t width = l->p->width;
    double *nearest = l->ends + (l->task->n + 2) * width, *room = l->ends + l->task->n * width;
    const double *y = l->task->y + i * width;
    near_answer answer = {.log_x = room, .log_y = room + width};
    memcpy(nearest, y, width * sizeof *y);
    if (l->p->period != NULL)
        start_wrap(l->p, ladder_end_x(l, i), y, 0, nearest);
    *found = false;
    if (ladder_wants_second(l))
        return MST_OK;
    MST_TRY(near_solve(l->p, ladder_end_x(l, i), nearest, &answer, found));
    if (!*found)
        return MST_OK;
    landing landed = {
        .length = answer.length, .error = answer.error, .log_x = room, .log_y = room + width};
    ladder_write_row(l, i, &landed);
    pair *p = &l->pairs[i];
    p->found = true;
    p->starts = p->agreed = 1;
    p->energy = 0.5 * answer.length * answer.length;
    p->level = 1;
    start_line line = {ladder_end_x(l, i), nearest, NULL};
    MST_TRY(ladder_make_rule(l, 1));
    return start_path(&l->room, l->p, &line, ladder_rule(l, 1), 1, &p->best);
}

static mst_status run_queues(ladder *l)
{
    sweep_source source = {.user = l, .next = ladder_next_job, .done = ladder_job_done};
    for (;;) {
        size_t level = 0;
        while (level < RUNGS && l->first[level] == NULL)
            level++;
        if (level == RUNGS)
            return MST_OK;
        if (!l->made[level]) {
            l->made[level] = true;
            MST_TRY(sweeper_new(&l->sweepers[level], level == 0 ? &l->coarse : l->p,
                                ladder_rule(l, level), ladder_rungs[level].elements,
                                ladder_wants_second(l)));
            l->sweepers[level].conjugate = ladder_wants_conjugate(l);
        }
        l->level = level;
        MST_TRY(sweeper_run(&l->sweepers[level], &source));
    }
}

/* The path kept from the last time, its nodes moved with the ends. It changes hands: if it fails, the pair
 * begins anew. */
static mst_status begin_warm(ladder *l, size_t i)
{
    kept_path *kept = &l->task->kept[i];
    size_t width = l->p->width, nodes = path_nodes(&kept->path);
    const double *x = ladder_end_x(l, i), *y = l->task->y + i * width,
                 *last = kept->path.x + (nodes - 1) * width;
    double *end = l->ends + i * width, *at_x = l->ends + l->task->n * width, *at_y = at_x + width;
    MST_TRY(ladder_make_rule(l, kept->level));
    const rule *r = ladder_rule(l, kept->level);
    for (size_t k = 0; k < width;
         k++) { /* the same wrap: the end moved by less than half a period */
        double period = l->p->period != NULL ? l->p->period[k] : 0;
        end[k] = period > 0 ? y[k] + period * nearbyint((last[k] - y[k]) / period) : y[k];
        at_x[k] = x[k] - kept->path.x[k];
        at_y[k] = end[k] - last[k];
    }
    job *j;
    MST_TRY(ladder_job_new(l, i, &j));
    path other = j->path;
    j->path = kept->path;
    kept->path = other;
    kept->filled = false;
    for (size_t node = 1; node + 1 < nodes; node++) {
        size_t e = node / r->p;
        double begin = j->path.breaks[e], h = j->path.breaks[e + 1] - begin;
        double t = begin + h * r->t[node - e * r->p];
        for (size_t k = 0; k < width; k++)
            j->path.x[node * width + k] += (1 - t) * at_x[k] + t * at_y[k];
    }
    memcpy(j->path.x, x, width * sizeof *x);
    memcpy(j->path.x + (nodes - 1) * width, end, width * sizeof *end);
    j->warm = true;
    pair *p = &l->pairs[i];
    p->open = 1;
    p->starts = kept->starts;
    p->spread = !l->task->options->again && kept->conjugate >= 0.5;
    ladder_enqueue(l, j, kept->level);
    return MST_OK;
}

static void write_nothing(const ladder *l, size_t i, double value)
{
    size_t width = l->p->width;
    const mst_geodesic_output *out = l->task->out;
    if (out->van_vleck != NULL)
        out->van_vleck[i] = 1 + value;
    if (out->length != NULL)
        out->length[i] = value;
    if (out->error != NULL)
        out->error[i] = value;
    if (out->conjugate != NULL)
        out->conjugate[i] = value;
    for (size_t k = 0; k < width; k++) {
        if (out->log_x != NULL)
            out->log_x[i * width + k] = value;
        if (out->log_y != NULL)
            out->log_y[i * width + k] = value;
    }
    for (size_t k = 0; k < width * width; k++) {
        if (out->hessian != NULL)
            out->hessian[i * width * width + k] = NAN;
        if (out->mixed != NULL)
            out->mixed[i * width * width + k] = NAN;
    }
}

static void write_path(const ladder *l, size_t i, const pair *p, bool trivial)
{
    const mst_geodesic_output *out = l->task->out;
    size_t width = l->p->width;
    for (size_t k = 0; out->path != NULL && k < out->points; k++) {
        double *to = out->path + (i * out->points + k) * width;
        double t = out->points > 1 ? (double)k / (double)(out->points - 1) : 0;
        if (p->found)
            path_at(&p->best, ladder_rule(l, p->level), t, to);
        else
            for (size_t a = 0; a < width; a++)
                to[a] = trivial ? ladder_end_x(l, i)[a] : NAN;
    }
}

static mst_geodesic_status status_of(const ladder *l, const pair *p)
{
    if (!p->found)
        return p->failure;
    if (ladder_is_certain(l, p))
        return MST_GEODESIC_MINIMAL;
    return p->starts > 1 ? MST_GEODESIC_LEAST : MST_GEODESIC_LOCAL;
}

static mst_status finish_pair(ladder *l, size_t i, bool trivial)
{
    const mst_geodesic_output *out = l->task->out;
    pair *p = &l->pairs[i];
    mst_geodesic_status status = trivial ? MST_GEODESIC_MINIMAL : status_of(l, p);
    if (!p->found)
        write_nothing(l, i, trivial ? 0 : NAN);
    if (out->status != NULL)
        out->status[i] = status;
    if (out->starts != NULL)
        out->starts[i] = p->starts;
    if (out->agreed != NULL)
        out->agreed[i] = p->agreed;
    if (out->tie != NULL)
        out->tie[i] = p->tie || (p->found && p->conjugate >= 1 - 1e-8);
    write_path(l, i, p, trivial);
    if (l->task->kept == NULL)
        return MST_OK;
    kept_path *kept = &l->task->kept[i];
    kept->filled = p->found;
    if (p->found) {
        path old = kept->path;
        kept->path = p->best;
        p->best = old;
        kept->level = p->level;
        kept->starts = p->starts;
        kept->agreed = p->agreed;
        kept->status = status;
        kept->conjugate = p->conjugate;
    }
    return MST_OK;
}

static mst_status run(ladder *l)
{
    size_t n = l->task->n;
    unsigned char *trivial;
    MST_TRY(mst_allocate(&trivial, n));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        trivial[i] = begin_trivial(l, i);
        l->pairs[i].failure = MST_GEODESIC_NOT_CONVERGED;
        bool near = false;
        if (!trivial[i])
            status = begin_near(l, i, &near);
        if (status == MST_OK && !trivial[i] && !near)
            status = l->task->kept != NULL && l->task->kept[i].filled ? begin_warm(l, i)
                                                                      : ladder_begin_pair(l, i);
    }
    if (status == MST_OK)
        status = run_queues(l);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        status = finish_pair(l, i, trivial[i]);
    mst_release(trivial);
    return status;
}

mst_status ladder_run(ladder_task *task)
{
    ladder l;
    task->sweeps = 0;
    mst_status status = ladder_new(&l, task);
    if (status == MST_OK)
        status = run(&l);
    ladder_free(&l);
    return status;
}
