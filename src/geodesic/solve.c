/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/solve.h"

#include "base/options.h"
#include "geodesic/ladder.h"
#include "geodesic/own.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

const char *mst_geodesic_status_words(mst_geodesic_status status)
{
    static const char *const words[] = {
#define WORDS(name, text) text,
        MST_GEODESIC_STATUS_LIST(WORDS)
#undef WORDS
    };
    size_t at = (size_t)status;
    return at < sizeof words / sizeof *words ? words[at] : "unknown";
}

mst_geodesic_options mst_geodesic_options_default(void)
{
    return (mst_geodesic_options){
        .size = sizeof(mst_geodesic_options), .tolerance = 1e-8, .window = INFINITY};
}

/* ---- Kept paths ---- */

struct mst_geodesics {
    const mst_manifold *m;
    size_t n, several;
    kept_path *kept; /* (n, several) */
    double *own;     /* (n, several, keep) of a manifold with a way of its own, else null */
    bool hasty;
};

const double *geodesics_own(const mst_geodesics *g)
{
    return g->several == 1 ? g->own : NULL;
}

void geodesics_put_own(mst_geodesics *g, const double *numbers)
{
    memcpy(g->own, numbers, g->n * g->m->own->keep(g->m) * sizeof *numbers);
}

void geodesics_hasten(mst_geodesics *g)
{
    g->hasty = true;
}

static void drop_kept(mst_geodesics *g)
{
    for (size_t i = 0; g->kept != NULL && i < g->n * g->several; i++)
        path_free(&g->kept[i].path);
    mst_release(g->kept);
    mst_release(g->own);
    g->kept = NULL;
    g->own = NULL;
    g->several = 0;
}

/* Room for so many of each pair; with another number nothing is kept. */
static mst_status keep_several(mst_geodesics *g, size_t several)
{
    if (g->several == several)
        return MST_OK;
    drop_kept(g);
    if (g->m->own == NULL) {
        MST_TRY(mst_allocate_zero(&g->kept, g->n * several));
        g->several = several;
        return MST_OK;
    }
    size_t numbers = g->n * several * g->m->own->keep(g->m);
    MST_TRY(mst_allocate(&g->own, numbers));
    for (size_t i = 0; i < numbers; i++)
        g->own[i] = NAN;
    g->several = several;
    return MST_OK;
}

mst_status mst_geodesics_new(mst_geodesics **out, const mst_manifold *m, size_t n)
{
    return geodesics_new_several(out, m, n, 1);
}

mst_status geodesics_new_several(mst_geodesics **out, const mst_manifold *m, size_t n,
                                 size_t several)
{
    *out = NULL;
    mst_geodesics *g;
    MST_TRY(mst_allocate_zero(&g, 1));
    g->m = m;
    g->n = n;
    mst_status status = keep_several(g, several);
    if (status != MST_OK) {
        mst_release(g);
        return status;
    }
    *out = g;
    return MST_OK;
}

kept_path *geodesics_kept(mst_geodesics *g, size_t first)
{
    return g->kept + first * g->several;
}

void mst_geodesics_free(mst_geodesics *g)
{
    if (g == NULL)
        return;
    drop_kept(g);
    mst_release(g);
}

/* ---- From the Hessian of coordinates to the covariant one ---- */

/* Γ_ab,c v^c of an embedding is Σ ∂_a∂_b f · (J v). */
static mst_status bend_by_embedding(const geodesic_problem *p, problem_rows *r, size_t n,
                                    const double *x, const double *v, double *room, double *out)
{
    size_t d = p->d, D = p->space;
    double *f = room, *jacobian = f + D * n, *pushed = jacobian + D * d * n;
    MST_TRY(problem_embedding(p, r, n, x, f, jacobian));
    for (size_t k = 0; k < D; k++)
        for (size_t i = 0; i < n; i++) {
            pushed[k * n + i] = 0;
            for (size_t a = 0; a < d; a++)
                pushed[k * n + i] += jacobian[(k * d + a) * n + i] * v[a * n + i];
        }
    return problem_bend(p, r, n, x, pushed, out);
}

/* Of a metric ½(∂_a g(v)_b + ∂_b g(v)_a − ∂_v g_ab), the last from products with unit velocities. */
static mst_status bend_by_metric(const geodesic_problem *p, problem_rows *r, size_t n,
                                 const double *x, const double *v, double *room, double *out)
{
    size_t d = p->d;
    double *g = room, *l_xv = g + d * d * n, *l_xx = l_xv + d * d * n;
    MST_TRY(problem_blocks(p, r, n, x, v, g, l_xv, l_xx));
    double *rows = l_xx + d * d * n, *along = rows + d * n, *unit = along + d * n,
           *zero = unit + d * n, *dl_x = zero + d * n, *dl_v = dl_x + d * n;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            for (size_t i = 0; i < n; i++)
                out[(a * d + b) * n + i] =
                    0.5 * (l_xv[(a * d + b) * n + i] + l_xv[(b * d + a) * n + i]);
    memset(zero, 0, d * n * sizeof *zero);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++) {
            rows[i * d + a] = x[a * n + i];
            along[i * d + a] = v[a * n + i];
        }
    for (size_t b = 0; b < d; b++) {
        for (size_t j = 0; j < d * n; j++)
            unit[j] = j % d == b ? 1 : 0;
        MST_TRY(p->metric->lagrangian_hvp(p->m, n, rows, unit, along, zero, dl_x, dl_v));
        for (size_t a = 0; a < d; a++)
            for (size_t i = 0; i < n; i++)
                out[(a * d + b) * n + i] -= 0.5 * dl_v[i * d + a];
    }
    return MST_OK;
}

static mst_status make_covariant(const geodesic_problem *p, const double *x, const double *v,
                                 double *hessian)
{
    size_t d = p->d, D = p->space;
    problem_rows r = {0};
    double *room, *out;
    size_t needed = D * (d + 2) + 3 * d * (d + 2);
    MST_TRY(mst_allocate(&room, needed + d * d));
    out = room + needed;
    mst_status status = p->form == FORM_EMBEDDING ? bend_by_embedding(p, &r, 1, x, v, room, out)
                                                  : bend_by_metric(p, &r, 1, x, v, room, out);
    for (size_t k = 0; status == MST_OK && k < d * d; k++)
        hessian[k] += out[k];
    problem_rows_free(&r);
    mst_release(room);
    return status;
}

/* ---- Blocks of pairs ---- */

typedef struct work {
    const geodesic_problem *p;
    const mst_geodesic_options *options;
    const mst_geodesic_output *out;
    const double *x, *y;
    size_t first; /* of the kept paths */
    bool general; /* not by the manifold's own way, though it has one */
} work;

#define SHIFTED(member, width) (out->member != NULL ? out->member + first * (width) : NULL)

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const work *w = context;
    const mst_geodesic_output *out = w->out;
    size_t width = w->p->width, n = end - begin, square = width * width,
           several = ladder_several(w->options), first = begin * several, rows = n * several;
    mst_geodesic_output part = {
        .length = SHIFTED(length, 1),
        .error = SHIFTED(error, 1),
        .log_x = SHIFTED(log_x, width),
        .log_y = SHIFTED(log_y, width),
        .status = SHIFTED(status, 1),
        .starts = SHIFTED(starts, 1),
        .agreed = SHIFTED(agreed, 1),
        .tie = SHIFTED(tie, 1),
        .conjugate = SHIFTED(conjugate, 1),
        .points = out->points,
        .path = SHIFTED(path, out->points * width),
        .hessian = SHIFTED(hessian, square),
        .mixed = SHIFTED(mixed, square),
        .van_vleck = SHIFTED(van_vleck, 1),
    };
    mst_geodesics *warm = w->options->warm;
    const mst_own_geodesics *special = w->p->m->own;
    if (special != NULL && !w->general) {
        size_t keep = special->keep(w->p->m) * several;
        return special->solve(w->p->m, n, w->x + begin * width, w->y + begin * width, w->options,
                              warm != NULL && warm->hasty,
                              warm != NULL ? warm->own + (w->first + begin) * keep : NULL, &part);
    }
    double *own = NULL;
    if (part.hessian != NULL && part.log_x == NULL && w->p->form != FORM_CONSTRAINT) {
        MST_TRY(mst_allocate(&own, rows * width));
        part.log_x = own;
    }
    ladder_task task = {.problem = w->p,
                        .options = w->options,
                        .out = &part,
                        .n = n,
                        .x = w->x + begin * width,
                        .y = w->y + begin * width,
                        .kept = warm != NULL && !w->general ? geodesics_kept(warm, w->first + begin)
                                                            : NULL};
    mst_status status = ladder_run(&task);
    if (part.hessian != NULL && w->p->form != FORM_CONSTRAINT)
        for (size_t i = 0; status == MST_OK && i < rows; i++)
            if (!isnan(part.log_x[i * width]))
                status = make_covariant(w->p, task.x + i / several * width, part.log_x + i * width,
                                        part.hessian + i * square);
    mst_release(own);
    return status;
}

mst_status geodesic_solve(const geodesic_problem *p, size_t n, const double *x, const double *y,
                          const mst_geodesic_options *given, const mst_geodesic_output *out)
{
    if (given != NULL && given->warm != NULL && given->warm->n != n)
        return mst_fail(MST_ARGUMENT, "`warm` is for %zu pairs, not %zu", given->warm->n, n);
    return geodesic_solve_from(p, 0, n, x, y, given, out);
}

mst_status geodesic_solve_from(const geodesic_problem *p, size_t first, size_t n, const double *x,
                               const double *y, const mst_geodesic_options *given,
                               const mst_geodesic_output *out)
{
    mst_geodesic_options options;
    MST_TRY(MST_TAKE_OPTIONS(&options, mst_geodesic_options, given));
    if (!(options.tolerance > 0) || !(options.log_tolerance >= 0) || options.starts < 0)
        return mst_fail(MST_ARGUMENT, "`tolerance`, `log_tolerance` or `starts` is out of range");
    if (options.several < 0 || options.several > 1000 || !(options.window >= 0))
        return mst_fail(MST_ARGUMENT, "`several` or `window` is out of range");
    if (options.warm != NULL && options.warm->m != p->m)
        return mst_fail(MST_ARGUMENT, "`warm` is for pairs of another manifold");
    if (options.warm != NULL)
        MST_TRY(keep_several(options.warm, ladder_several(&options)));
    bool second = out->hessian != NULL || out->mixed != NULL || out->van_vleck != NULL;
    bool limited = p->m->own == NULL || out->hessian != NULL || out->mixed != NULL;
    if (second && limited && p->form == FORM_METRIC && p->d > METRIC_DENSE)
        return mst_fail(MST_UNABLE, "second derivatives of the distance in %zu dimensions", p->d);
    /* Rows do not depend on each other, so the blocks may be what suits the threads. */
    size_t threads = (size_t)mst_thread_count(options.threads), block = (n / threads + 8) / 8 * 8;
    block = block > 512 ? 512 : block < 8 ? 8 : block;
    work w = {.p = p, .options = &options, .out = out, .x = x, .y = y, .first = first};
    w.general = p->m->own != NULL && (out->hessian != NULL || out->mixed != NULL || p->general);
    return mst_parallel_blocks(n, block, options.threads, options.progress, run_block, &w);
}

mst_status mst_geodesic_solve(const mst_manifold *m, size_t n, const double *x, const double *y,
                              const mst_geodesic_options *options, const mst_geodesic_output *out)
{
    geodesic_problem p;
    mst_status status = problem_new(&p, m);
    if (status == MST_OK)
        status = geodesic_solve(&p, n, x, y, options, out);
    problem_free(&p);
    return status;
}
