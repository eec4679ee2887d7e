/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/expansion_paths.h"

#include "geodesic/solve.h"

#include <math.h>
#include <string.h>

/* When others were looked for last: within which window, and the length of the shortest; NAN: never. */
typedef struct looked {
    double window, length;
} looked;

struct expansion_paths {
    const mst_manifold *m;
    geodesic_problem problem;
    mst_geodesics *kept;
    size_t several;
    looked *last; /* (rows) */
    double *from; /* (rows, D): the ends then */
    double *y;    /* (rows, D): the ends of the last time */
    /* what was found for them: (rows, several), and (rows, several, D) */
    double *length, *log_x, *log_y;
    mst_geodesic_status *status;
};

mst_status expansion_paths_new(expansion_paths **out, const mst_manifold *m, size_t rows,
                               size_t several)
{
    expansion_paths *p;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&p, 1));
    p->m = m;
    p->several = several;
    mst_status status = problem_new(&p->problem, m);
    if (status == MST_OK)
        status = geodesics_new_several(&p->kept, m, rows, several);
    if (status == MST_OK)
        status = mst_allocate(&p->last, rows);
    size_t all = rows * several;
    if (status == MST_OK)
        status = mst_allocate(&p->status, all);
    if (status == MST_OK)
        status = mst_allocate_zero(&p->y, 2 * (rows + all) * m->ambient + all);
    if (status != MST_OK) {
        expansion_paths_free(p);
        return status;
    }
    p->from = p->y + rows * m->ambient;
    p->log_x = p->from + rows * m->ambient;
    p->log_y = p->log_x + all * m->ambient;
    p->length = p->log_y + all * m->ambient;
    for (size_t i = 0; i < rows; i++)
        p->last[i] = (looked){NAN, NAN};
    *out = p;
    return MST_OK;
}

void expansion_paths_free(expansion_paths *p)
{
    if (p == NULL)
        return;
    mst_geodesics_free(p->kept);
    problem_free(&p->problem);
    mst_release(p->last);
    mst_release(p->status);
    mst_release(p->y);
    mst_release(p);
}

/* Steps in coordinates are measured at both of their ends: so many times that is more than the way between
 * them, unless a coordinate goes once round, which is a long way. */
static const double caution = 1.5;

/* How far the ends y have moved since others were looked for. */
static mst_status measure_moves(const expansion_paths *p, size_t first, size_t n, const double *y,
                                double *moved)
{
    size_t D = p->m->ambient;
    double *step;
    const double *from = p->from + first * D;
    MST_TRY(mst_allocate(&step, n * (D + 1)));
    double *size = step + n * D;
    for (size_t k = 0; k < n * D; k++)
        step[k] = y[k] - from[k];
    mst_status status = mst_manifold_norm(p->m, n, y, step, moved);
    if (status == MST_OK)
        status = mst_manifold_norm(p->m, n, from, step, size);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        moved[i] = caution * fmax(moved[i], size[i]);
    mst_release(step);
    return status;
}

/* May geodesics that were left out be within the window now, where the shortest has these lengths? Then they
 * were longer than L = √(l² + w), l that of the shortest and w the window; after a move by δ they are
 * longer than L − δ. */
static mst_status may_be_missed(const expansion_paths *p, size_t first, size_t n, const double *y,
                                const double *length, double window, bool *missed)
{
    double *moved;
    MST_TRY(mst_allocate(&moved, n));
    mst_status status = measure_moves(p, first, n, y, moved);
    *missed = false;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const looked *last = &p->last[first + i];
        double now = length[i * p->several];
        double least = sqrt(last->length * last->length + last->window) - moved[i];
        *missed = *missed || !(least > 0 && least * least >= now * now + window);
    }
    mst_release(moved);
    return status;
}

static bool are_new(const expansion_paths *p, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (isnan(p->last[i].window))
            return true;
    return false;
}

/* What is kept of the rows is copied to `out`, or from there. */
static void copy_answers(expansion_paths *p, size_t first, size_t n, const mst_geodesic_output *out,
                         bool recall)
{
    size_t D = p->m->ambient, from = first * p->several, all = n * p->several;
    double *const kept[] = {p->length + from, p->log_x + from * D, p->log_y + from * D};
    double *const given[] = {out->length, out->log_x, out->log_y};
    for (size_t k = 0; k < 3; k++)
        memcpy(recall ? given[k] : kept[k], recall ? kept[k] : given[k],
               all * (k == 0 ? 1 : D) * sizeof **given);
    memcpy(recall ? out->status : p->status + from, recall ? p->status + from : out->status,
           all * sizeof *out->status);
}

/* A wider window lasts longer, for ends that move and times that grow. */
static const double widening = 2;

/* All that there are, from scratch or beside those that are kept. */
static mst_status look_again(expansion_paths *p, size_t first, size_t n, const double *x,
                             const double *y, const mst_geodesic_options *options,
                             const mst_geodesic_output *out)
{
    size_t D = p->m->ambient;
    mst_geodesic_options o = *options;
    o.again = true;
    o.window *= widening;
    MST_TRY(geodesic_solve_from(&p->problem, first, n, x, y, &o, out));
    for (size_t i = 0; i < n; i++)
        p->last[first + i] = (looked){o.window, out->length[i * p->several]};
    memcpy(p->from + first * D, y, n * D * sizeof *y);
    return MST_OK;
}

mst_status expansion_paths_find(expansion_paths *p, size_t first, size_t n, const double *x,
                                const double *y, const mst_geodesic_options *options,
                                const mst_geodesic_output *out)
{
    size_t D = p->m->ambient;
    mst_geodesic_options o = *options;
    o.warm = p->kept;
    bool missed = are_new(p, first, n);
    if (!missed) {
        bool still = memcmp(p->y + first * D, y, n * D * sizeof *y) == 0;
        if (still)
            copy_answers(p, first, n, out, true);
        else
            MST_TRY(geodesic_solve_from(&p->problem, first, n, x, y, &o, out));
        MST_TRY(may_be_missed(p, first, n, y, out->length, o.window, &missed));
    }
    if (missed)
        MST_TRY(look_again(p, first, n, x, y, &o, out));
    memcpy(p->y + first * D, y, n * D * sizeof *y);
    copy_answers(p, first, n, out, false);
    return MST_OK;
}
