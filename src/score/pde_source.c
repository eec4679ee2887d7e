/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The heat equation itself as a score source, in two dimensions. */
#include "base/options.h"
#include "heat/kernel_parts.h"
#include "pde/sources.h"
#include "score/solved.h"

#include <manistat/score.h>
#include <math.h>
#include <string.h>

typedef struct pde_data {
    pde_plane plane;
    pde_sources *sources;
} pde_data;

static const double pi = 3.14159265358979323846;

/* Where p is less than this part of 1/2πt nothing is left of it but the error of the grid. */
static const double least_share = 1e-9;
/* Errors of scores are compared with their own size, or with this part of 1/√t. */
static const double least_score = 0.02;
/* What the finer grid is wrong by, against the difference of the two: 1.4⁻⁸ in theory. */
static const double finer_share = 0.3;

/* What rows at one y and one time have in common. */
typedef struct place {
    const double *y;
    double t;
    const pde_window *window;
    bool known[2]; /* by the grid */
    pde_stencil stencil[2];
    double g[3], turn[3][2], frame[4];
    double weight[2 * PDE_TIMES];
} place;

static mst_status place_new(place *p, const pde_data *d, const pde_window *w, const double *y,
                            double t, bool judged, bool bent)
{
    unsigned char inside;
    bool same = p->y == y && p->window == w;
    if (same && p->t == t)
        return MST_OK;
    p->t = t;
    pde_window_weights(w, t, p->weight);
    if (same)
        return MST_OK;
    p->y = y;
    p->window = w;
    p->known[0] = pde_grid_stencil(&w->grid[0], y, &p->stencil[0]);
    p->known[1] = judged && pde_grid_stencil(&w->grid[1], y, &p->stencil[1]);
    MST_TRY(pde_plane_metric(&d->plane, 1, y, p->g, &inside));
    p->known[0] = p->known[0] && inside;
    if (!p->known[0] || !bent)
        return MST_OK;
    MST_TRY(pde_plane_bend(&d->plane, y, p->turn));
    return mst_manifold_frame(d->plane.m, 1, y, p->frame);
}

/* log p and its derivatives from those of p; slope is a covector, score the vector. */
typedef struct answer {
    double log_p, dt, slope[2], score[2];
    bool known;
} answer;

static answer answer_of(const place *p, const pde_value *v)
{
    answer a = {.known = v->p * 2 * pi * p->t > least_share};
    if (!a.known)
        return a;
    double det = p->g[0] * p->g[2] - p->g[1] * p->g[1];
    a.log_p = log(v->p);
    a.dt = v->dt / v->p;
    for (size_t k = 0; k < 2; k++)
        a.slope[k] = v->first[k] / v->p;
    a.score[0] = (p->g[2] * a.slope[0] - p->g[1] * a.slope[1]) / det;
    a.score[1] = (p->g[0] * a.slope[1] - p->g[1] * a.slope[0]) / det;
    return a;
}

/* The second covariant derivative of log p in the frame. */
static void bend(const place *p, const pde_value *v, const answer *a, double *hessian)
{
    double form[3]; /* uu, uv, vv */
    for (size_t k = 0; k < 3; k++)
        form[k] = v->second[k] / v->p - a->slope[k / 2] * a->slope[(k + 1) / 2] -
                  (p->turn[k][0] * a->score[0] + p->turn[k][1] * a->score[1]);
    for (size_t k = 0; k < 4; k++) {
        const double *e = p->frame + k / 2 * 2, *f = p->frame + k % 2 * 2;
        hessian[k] =
            form[0] * e[0] * f[0] + form[1] * (e[0] * f[1] + e[1] * f[0]) + form[2] * e[1] * f[1];
    }
}

static double norm(const double *g, double a, double b)
{
    return sqrt(fmax(0, g[0] * a * a + 2 * g[1] * a * b + g[2] * b * b));
}

/* The relative error of the score, from the second grid and from the heat that is lost. */
static double judge(const place *p, size_t source, const answer *fine)
{
    if (!p->known[1])
        return INFINITY;
    pde_value v = pde_window_value(p->window, 1, source, &p->stencil[1], p->weight);
    answer coarse = answer_of(p, &v);
    if (!coarse.known)
        return INFINITY;
    double apart = norm(p->g, fine->score[0] - coarse.score[0], fine->score[1] - coarse.score[1]);
    double size = fmax(norm(p->g, fine->score[0], fine->score[1]), least_score / sqrt(p->t));
    double wrong = fmax(apart / size, fabs(fine->log_p - coarse.log_p));
    return fmax(finer_share * wrong, 100 * fabs(pde_window_lost(p->window, source, p->weight)));
}

static mst_status run_row(const pde_data *d, const pde_window *w, size_t source, place *p,
                          const double *x, const double *y, double t, const mst_heat_values *out,
                          double *v)
{
    if (v != NULL)
        *v = INFINITY;
    if (w != NULL)
        MST_TRY(place_new(p, d, w, y, t, v != NULL, out->hessian != NULL));
    if (w == NULL || !p->known[0])
        return solved_stand_in(d->plane.m, x, y, t, out);
    pde_value value = pde_window_value(w, 0, source, &p->stencil[0], p->weight);
    answer a = answer_of(p, &value);
    if (!a.known)
        return solved_stand_in(d->plane.m, x, y, t, out);
    if (out->log_p != NULL)
        *out->log_p = a.log_p;
    if (out->dt_log_p != NULL)
        *out->dt_log_p = a.dt;
    if (out->score != NULL)
        memcpy(out->score, a.score, sizeof a.score);
    if (out->hessian != NULL)
        bend(p, &value, &a, out->hessian);
    if (v != NULL)
        *v = judge(p, source, &a);
    return MST_OK;
}

/* ---- Rows ---- */

/* All rows whose time belongs to window `number`. */
static mst_status run_window(const pde_data *d, pde_set *set, const mst_pairs *p, const double *x,
                             int number, const mst_heat_values *out, double *v)
{
    pde_entry *entry;
    const pde_window *w;
    place *here;
    MST_TRY(mst_allocate_zero(&here, 1));
    mst_status status = pde_set_window(d->sources, set, ldexp(1, number), &entry, &w);
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        double t = p->t[i * p->t_stride];
        if (pde_window_number(t) != number)
            continue;
        mst_heat_values values = heat_values_at(out, d->plane.m, i);
        status = run_row(d, w, pde_set_find(set, x + 2 * i), here, x + 2 * i,
                         p->y + i * p->y_stride, t, &values, v != NULL ? v + i : NULL);
    }
    pde_entry_give_back(d->sources, entry);
    mst_release(here);
    return status;
}

static mst_status run_windows(const pde_data *d, pde_set *set, const mst_pairs *p, const double *x,
                              const mst_heat_values *out, double *v)
{
    int next = pde_window_number(p->t[0]);
    for (size_t i = 1; i < p->n; i++) {
        int number = pde_window_number(p->t[i * p->t_stride]);
        next = number < next ? number : next;
    }
    for (bool more = true; more;) {
        int now = next;
        MST_TRY(run_window(d, set, p, x, now, out, v));
        more = false;
        for (size_t i = 0; i < p->n; i++) {
            int number = pde_window_number(p->t[i * p->t_stride]);
            if (number > now && (!more || number < next)) {
                next = number;
                more = true;
            }
        }
    }
    return MST_OK;
}

/* The points x by their periods, and a set that has them. */
static mst_status take_set(const pde_data *d, size_t n, const double *x, double **wrapped,
                           pde_set **set)
{
    MST_TRY(mst_allocate(wrapped, 2 * n));
    memcpy(*wrapped, x, 2 * n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        pde_plane_wrap(&d->plane, *wrapped + 2 * i);
    return pde_sources_take(d->sources, n, *wrapped, set);
}

static mst_status run(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out,
                      double *v)
{
    const pde_data *d = mst_score_data(s);
    pde_set *set = NULL;
    double *x = NULL, least;
    MST_TRY(solved_check_rows(d->plane.m, pairs, "the heat equation", &least));
    mst_status status = take_set(d, pairs->n, pairs->x, &x, &set);
    if (status == MST_OK) {
        status = run_windows(d, set, pairs, x, out, v);
        pde_sources_give_back(d->sources, set);
    }
    mst_release(x);
    return status;
}

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    return run(s, pairs, out, NULL);
}

static mst_status prepare(const mst_score *s, size_t n, const double *x)
{
    const pde_data *d = mst_score_data(s);
    pde_set *set = NULL;
    double *wrapped = NULL;
    mst_status status = take_set(d, n, x, &wrapped, &set);
    if (status == MST_OK)
        pde_sources_give_back(d->sources, set);
    mst_release(wrapped);
    return status;
}

/* ---- The object ---- */

static void describe(const mst_score *s, mst_score_info *info)
{
    (void)s;
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN;
    info->precision = 1e-8;
    info->cost = 4;
    info->beyond = "beyond the precision of the grid";
    info->none = "beyond the grid: too far apart, or a time that needs a larger one";
}

static void free_data(void *data)
{
    pde_data *d = data;
    if (d != NULL)
        pde_sources_free(d->sources);
    mst_release(d);
}

static const mst_score_ops pde_ops = {
    .size = sizeof pde_ops,
    .name = "pde",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_data,
    .validity = run,
    .prepare = prepare,
};

mst_pde_options mst_pde_options_default(void)
{
    return (mst_pde_options){
        .size = sizeof(mst_pde_options), .grid = 1, .unknowns = 60000, .memory = 4e9};
}

mst_status mst_score_pde_new(mst_score **out, const mst_manifold *m, const mst_pde_options *options)
{
    mst_pde_options o;
    pde_data *d;
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_pde_options, options));
    if (!(o.grid >= 0.25 && o.grid <= 8))
        return mst_fail(MST_ARGUMENT, "the option grid must be from 0.25 to 8, not %g", o.grid);
    if (!(o.memory >= 1e6 && o.memory <= 1e15))
        return mst_fail(MST_ARGUMENT, "the option memory must be from 1e6 to 1e15 bytes, not %g",
                        o.memory);
    if (o.unknowns < 100 || o.unknowns > 1000000)
        return mst_fail(MST_ARGUMENT, "the option unknowns must be from 100 to 1000000, not %zu",
                        o.unknowns);
    MST_TRY(mst_allocate_zero(&d, 1));
    mst_status status = pde_plane_of(&d->plane, m);
    if (status == MST_OK)
        status = pde_sources_new(
            &d->sources, &d->plane,
            &(pde_limits){.refine = o.grid, .unknowns = o.unknowns, .bytes = (size_t)o.memory});
    if (status != MST_OK) {
        free_data(d);
        return status;
    }
    return mst_score_new(out, &pde_ops, m, d);
}
