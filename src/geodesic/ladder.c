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
    *l = (ladder){.task = task, .p = task->problem, .several = ladder_several(task->options)};
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
    MST_TRY(mst_allocate_zero(&l->answers, n * l->several));
    MST_TRY(mst_allocate(&l->lowest, l->several));
    MST_TRY(mst_allocate_zero(&l->logs, n * l->several * width));
    for (size_t i = 0; i < n * l->several; i++)
        l->answers[i].log_x = l->logs + i * width;
    for (size_t i = 0; i < n; i++) {
        l->pairs[i].y = l->ends + i * width;
        l->pairs[i].answers = l->answers + i * l->several;
        l->pairs[i].failure = MST_GEODESIC_NOT_CONVERGED;
        l->pairs[i].rival = l->pairs[i].overlooked = l->pairs[i].best_error = INFINITY;
    }
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
    for (size_t i = 0; l->answers != NULL && i < l->task->n * l->several; i++)
        path_free(&l->answers[i].path);
    mst_release(l->answers);
    mst_release(l->lowest);
    mst_release(l->logs);
    path_free(&l->scratch);
    mst_release(l->jobs);
    mst_release(l->pairs);
    mst_release(l->ends);
    start_room_free(&l->room);
    for (size_t k = 0; k < DEGREES; k++)
        rule_free(&l->rules[k]);
}

/* Equal points to rounding. */
static bool is_trivial(ladder *l, size_t i)
{
    const double *x = ladder_end_x(l, i), *y = l->task->y + i * l->p->width;
    double *nearest = l->ends + (l->task->n + 2) * l->p->width;
    double gap = 0, size = 0;
    memcpy(nearest, y, l->p->width * sizeof *y);
    if (l->p->period != NULL)
        start_wrap(l->p, x, y, 2, 0, nearest);
    for (size_t k = 0; k < l->p->width; k++) {
        gap += (x[k] - nearest[k]) * (x[k] - nearest[k]);
        size += x[k] * x[k];
    }
    return gap <= 1e-28 * size || gap == 0;
}

/* The line, as the first answer of the pair. */
static mst_status take_line(ladder *l, size_t i, const double *y, const double *log_x,
                            double energy)
{
    size_t at;
    answer *a = ladder_insert(l, i, energy, &at);
    start_line line = {ladder_end_x(l, i), y, NULL};
    a->level = 1;
    for (size_t k = 0; k < l->p->width; k++)
        a->log_x[k] = log_x != NULL ? log_x[k] : 0;
    l->pairs[i].starts = 1;
    MST_TRY(ladder_make_rule(l, 1));
    return start_path(&l->room, l->p, &line, ladder_rule(l, 1), 1, &a->path);
}

/* An answer at once. */
static mst_status begin_trivial(ladder *l, size_t i)
{
    l->pairs[i].trivial = true;
    ladder_write_nothing(l, i * l->several, 0);
    return take_line(l, i, ladder_end_x(l, i), NULL, 0);
}

/* Near points, where the form of the problem asks for it. */
static mst_status begin_near(ladder *l, size_t i, bool *found)
{
    size_t width = l->p->width;
    double *nearest = l->ends + (l->task->n + 2) * width, *room = l->ends + l->task->n * width;
    const double *y = l->task->y + i * width;
    near_answer near = {.log_x = room, .log_y = room + width};
    memcpy(nearest, y, width * sizeof *y);
    if (l->p->period != NULL)
        start_wrap(l->p, ladder_end_x(l, i), y, 2, 0, nearest);
    *found = false;
    if (ladder_wants_second(l))
        return MST_OK;
    MST_TRY(near_solve(l->p, ladder_end_x(l, i), nearest, &near, found));
    if (!*found)
        return MST_OK;
    landing landed = {
        .length = near.length, .error = near.error, .log_x = room, .log_y = room + width};
    ladder_write_row(l, i * l->several, &landed);
    return take_line(l, i, nearest, near.log_x, 0.5 * near.length * near.length);
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

/* How long a move is by the metric at an end, which is near enough for small ones. */
static mst_status length_of_move(ladder *l, const double *x, const double *move, double *length)
{
    size_t width = l->p->width;
    double square = 0, half = 0, *l_x = l->room.block, *l_v = l_x + width;
    for (size_t k = 0; k < width; k++)
        square += move[k] * move[k];
    if (square > 0 && l->p->form != FORM_CONSTRAINT) {
        MST_TRY(problem_lagrangian(l->p, &l->room.rows, 1, x, move, &half, l_x, l_v));
        square = 2 * half;
    }
    *length = sqrt(square);
    return MST_OK;
}

static mst_status add_drift(ladder *l, size_t i, const double *at_x, const double *at_y)
{
    double moved_x, moved_y;
    pair *p = &l->pairs[i];
    MST_TRY(length_of_move(l, ladder_end_x(l, i), at_x, &moved_x));
    MST_TRY(length_of_move(l, p->y, at_y, &moved_y));
    p->drift += moved_x + moved_y;
    return MST_OK;
}

/* A path kept from the last time, its nodes moved with the ends. It changes hands: if all fail, the pair
 * begins anew. */
static mst_status send_kept(ladder *l, size_t i, kept_path *kept)
{
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
    j->agreed = l->task->options->again ? 1 : kept->agreed;
    l->pairs[i].open++;
    ladder_enqueue(l, j, kept->level);
    return l->p->hadamard || l->several > 1 ? MST_OK : add_drift(l, i, at_x, at_y);
}

static mst_status begin_warm(ladder *l, size_t i)
{
    kept_path *kept = l->task->kept + i * l->several;
    pair *p = &l->pairs[i];
    bool again = l->task->options->again;
    p->starts = again ? 1 : kept->starts;
    p->wrapped = !again;
    p->warm = true;
    p->rival = kept->rival;
    p->drift = kept->drift;
    p->spread = !again && (l->several > 1 || kept->conjugate >= 0.5);
    /* The shortest last, whose end is then that of the pair. */
    for (size_t k = l->several; k-- > 0;)
        if (kept[k].filled)
            MST_TRY(send_kept(l, i, &kept[k]));
    return MST_OK;
}

static mst_status begin(ladder *l, size_t i)
{
    bool near = false;
    const pair *p = &l->pairs[i];
    if (is_trivial(l, i))
        MST_TRY(begin_trivial(l, i));
    else
        MST_TRY(begin_near(l, i, &near));
    if (p->trivial || near) { /* loops through the point */
        bool others = l->several > 1 && l->p->period != NULL && l->task->options->starts != 1;
        return others && !ladder_is_only(l, p) ? ladder_begin_wraps(l, i, 1) : MST_OK;
    }
    bool warm = l->task->kept != NULL && l->task->kept[i * l->several].filled;
    return warm ? begin_warm(l, i) : ladder_begin_pair(l, i);
}

/* Nothing was found: is there a way at all? If so it is the last first path. */
static mst_status look_for_way(ladder *l, size_t i)
{
    graph_way way;
    graph_answer is;
    pair *p = &l->pairs[i];
    const double *y = l->task->y + i * l->p->width;
    memcpy(p->y, y, l->p->width * sizeof *y);
    if (l->p->period != NULL)
        start_wrap(l->p, ladder_end_x(l, i), y, 2, 0, p->y);
    mst_status status = graph_find(l->p, ladder_end_x(l, i), p->y, &way, &is);
    if (status == MST_OK && is == GRAPH_APART)
        p->failure = MST_GEODESIC_NO_PATH;
    if (status == MST_OK && is == GRAPH_WAY)
        status = ladder_send_way(l, i, &way);
    graph_way_free(&way);
    return status;
}

static mst_status run(ladder *l)
{
    for (size_t i = 0; i < l->task->n; i++)
        MST_TRY(begin(l, i));
    MST_TRY(run_queues(l));
    for (size_t i = 0; i < l->task->n; i++)
        if (l->pairs[i].count == 0)
            MST_TRY(look_for_way(l, i));
    MST_TRY(run_queues(l));
    for (size_t i = 0; i < l->task->n; i++)
        ladder_finish_pair(l, i);
    return MST_OK;
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
