/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion as a score source: blocks of rows, products, validity numbers. */
#include "score/expansion.h"

#include "base/columns.h"
#include "geodesic/own.h"
#include "heat/kernel_parts.h"
#include "score/expansion_paths.h"
#include "score/score_internal.h"

#include <manistat/score.h>
#include <math.h>
#include <string.h>

/* First match wins. */
static const expansion_part parts[] = {
    {expansion_gaussian_fits, NULL, NULL, expansion_gaussian, 0.1, 0, NULL, 0},
    {expansion_torus_fits, NULL, NULL, expansion_torus, 0.3, 0, NULL, 0},
    {expansion_circle_fits, NULL, NULL, expansion_circle, 0.3, 0, NULL, 0},
    {expansion_round_fits, expansion_round_open, mst_release, expansion_round, 0.2, 0, NULL, 0},
    {expansion_line_fits, NULL, NULL, expansion_line, 0.3, 0, NULL, 0},
    {expansion_matrices_fits, NULL, NULL, expansion_matrices, 3, 0, NULL, 0},
    {expansion_surface_fits, expansion_surface_open, expansion_surface_close, expansion_surface,
     100, 1e-6, NULL, EXPANSION_SURFACE_RAYS},
    {expansion_rays_fits, NULL, NULL, expansion_rays, 1000, 1e-6, expansion_rays_keep, 0},
    {expansion_search_fits, NULL, NULL, expansion_search, 1000, 1e-4, NULL, 0},
};

/* A part and its data for each factor. */
typedef struct expansion {
    size_t count;
    size_t rows, keep; /* rows whose geodesics are kept, and numbers of each */
    double *kept;
    expansion_paths *paths; /* or the geodesics themselves */
    struct {
        const expansion_part *part;
        void *data;
    } factor[];
} expansion;

static const expansion_part *find_part(const mst_manifold *m)
{
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (parts[k].fits(m))
            return &parts[k];
    return NULL;
}

static void free_data(void *data)
{
    expansion *e = data;
    for (size_t f = 0; e != NULL && f < e->count; f++)
        if (e->factor[f].part != NULL && e->factor[f].part->close != NULL)
            e->factor[f].part->close(e->factor[f].data);
    if (e != NULL) {
        mst_release(e->kept);
        expansion_paths_free(e->paths);
    }
    mst_release(e);
}

/* ---- Rows ---- */

/* The numbers of a block's factor, and of the whole. */
typedef struct room {
    double *x, *y, *t, *score, *whole;                  /* (n, D), and t (n) */
    double *log_p, *dt, *error, *doubt, *square, *norm; /* (n) */
    double *hessian;                                    /* (n, d, d) of a factor, or null */
    double *block;
} room;

static mst_status room_new(room *r, size_t n, const mst_manifold *m, bool curved)
{
    size_t D = m->ambient, matrix = curved ? m->dim * m->dim : 0;
    MST_TRY(mst_allocate(&r->block, n * (4 * D + 7 + matrix)));
    double *at = r->block;
    double **const wide[] = {&r->x, &r->y, &r->score, &r->whole};
    double **const narrow[] = {&r->t,     &r->log_p,  &r->dt,  &r->error,
                               &r->doubt, &r->square, &r->norm};
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++, at += n * D)
        *wide[k] = at;
    for (size_t k = 0; k < sizeof narrow / sizeof *narrow; k++, at += n)
        *narrow[k] = at;
    r->hessian = curved ? at : NULL;
    return MST_OK;
}

/* Beyond these, derivatives of size 1/t² leave the range of doubles on the way. */
static const double least_time = 1e-50, largest_time = 1e50;

static mst_status check_rows(const mst_manifold *m, const mst_pairs *p, const double *y,
                             const double *t, size_t at)
{
    for (size_t i = 0; i < p->n; i++) {
        if (!(t[i] >= least_time && t[i] <= largest_time))
            return mst_fail(MST_ARGUMENT,
                            "row %zu: the time must be from %g to %g for the expansion, not %g",
                            at + i + 1, least_time, largest_time, t[i]);
        for (int k = 0; k < 2; k++)
            for (size_t a = 0; a < m->ambient; a++)
                if (!isfinite((k == 0 ? p->x : y)[i * m->ambient + a]))
                    return mst_fail(MST_DOMAIN, "row %zu: a coordinate of %c is not finite",
                                    at + i + 1, "xy"[k]);
    }
    return MST_OK;
}

/* Matrices (n, d, d) as the block from row and column `side` on of larger ones, which are
 * zero beside and above it. */
static void put_hessians(size_t n, size_t whole, size_t d, size_t side, const double *from,
                         double *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++) {
            double *row = to + (i * whole + side + a) * whole;
            memset(row, 0, whole * sizeof *row);
            memcpy(row + side, from + (i * d + a) * d, d * sizeof *row);
        }
}

/* Factor f of n rows, whose results join those of the others: numbers add up, and so do squares. */
static mst_status run_factor(const mst_manifold *m, const expansion *e, size_t f, size_t column,
                             size_t side, size_t n, const double *x, const double *y,
                             const double *t, const mst_pairs *rows, room *r,
                             const mst_heat_values *out, double *error, double *doubt)
{
    const mst_manifold *factor = mst_manifold_factor(m, f);
    size_t D = m->ambient, width = factor->ambient;
    bool whole = width == D, known = rows->first < e->rows && n <= e->rows - rows->first;
    if (!whole) {
        mst_take_columns(n, D, column, width, x, r->x);
        mst_take_columns(n, D, column, width, y, r->y);
    }
    const expansion_block b = {.n = n,
                               .x = whole ? x : r->x,
                               .y = whole ? y : r->y,
                               .t = t,
                               .log_p = r->log_p,
                               .dt = r->dt,
                               .score = r->score,
                               .error = r->error,
                               .doubt = r->doubt,
                               .hessian = r->hessian,
                               .kept = known && e->kept != NULL ? e->kept + rows->first * e->keep
                                                                : NULL,
                               .paths = known ? e->paths : NULL,
                               .first = known ? (size_t)rows->first : 0};
    MST_TRY(e->factor[f].part->run(factor, e->factor[f].data, &b));
    MST_TRY(mst_manifold_inner(factor, n, b.y, b.score, b.score, r->norm));
    for (size_t i = 0; i < n; i++) {
        if (out->log_p != NULL)
            out->log_p[i] = (f > 0 ? out->log_p[i] : 0) + r->log_p[i];
        if (out->dt_log_p != NULL)
            out->dt_log_p[i] = (f > 0 ? out->dt_log_p[i] : 0) + r->dt[i];
        r->square[i] = (f > 0 ? r->square[i] : 0) + r->norm[i];
        error[i] = (f > 0 ? error[i] : 0) + r->error[i] * r->error[i];
        doubt[i] = (f > 0 ? doubt[i] : 0) + r->doubt[i];
    }
    if (out->score != NULL)
        mst_put_columns(n, D, column, width, r->score, out->score);
    if (out->hessian != NULL)
        put_hessians(n, m->dim, factor->dim, side, r->hessian, out->hessian);
    return MST_OK;
}

/* n ≤ EXPANSION_BLOCK rows; v (n) or null. */
static mst_status run_block(const mst_score *s, const mst_pairs *p, const double *y,
                            const double *t, room *r, const mst_heat_values *out, double *v)
{
    const mst_manifold *m = mst_score_manifold(s);
    const expansion *e = mst_score_data(s);
    double error[EXPANSION_BLOCK], doubt[EXPANSION_BLOCK];
    size_t column = 0, side = 0;
    for (size_t f = 0; f < e->count; f++) {
        MST_TRY(run_factor(m, e, f, column, side, p->n, p->x, y, t, p, r, out, error, doubt));
        column += mst_manifold_factor(m, f)->ambient;
        side += mst_manifold_factor(m, f)->dim;
    }
    for (size_t i = 0; v != NULL && i < p->n; i++) {
        double size = fmax(sqrt(r->square[i]), EXPANSION_LEAST_SCORE / sqrt(t[i]));
        v[i] = fmax(doubt[i], sqrt(error[i]) / size);
        if (isnan(v[i]))
            v[i] = INFINITY;
    }
    return MST_OK;
}

static mst_status run(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out,
                      double *v)
{
    const mst_manifold *m = mst_score_manifold(s);
    bool shared = pairs->y_stride == 0;
    size_t D = m->ambient, most = pairs->n < EXPANSION_BLOCK ? pairs->n : EXPANSION_BLOCK;
    room r;
    MST_TRY(room_new(&r, most, m, out->hessian != NULL));
    if (shared)
        mst_repeat_point(most, D, pairs->y, r.whole);
    for (size_t i = 0; i < most; i++)
        r.t[i] = *pairs->t;
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < pairs->n; at += EXPANSION_BLOCK) {
        size_t n = pairs->n - at < EXPANSION_BLOCK ? pairs->n - at : EXPANSION_BLOCK;
        mst_pairs part = mst_pairs_part(m, pairs, at, n);
        mst_heat_values values = heat_values_at(out, m, at);
        const double *y = shared ? r.whole : part.y, *t = pairs->t_stride == 0 ? r.t : part.t;
        status = check_rows(m, &part, y, t, at);
        if (status == MST_OK)
            status = run_block(s, &part, y, t, &r, &values, v != NULL ? v + at : NULL);
    }
    mst_release(r.block);
    return status;
}

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    return run(s, pairs, out, NULL);
}

/* ---- The object ---- */

static void describe(const mst_score *s, mst_score_info *info)
{
    const expansion *e = mst_score_data(s);
    info->gives = MST_GIVES_LOG_P | MST_GIVES_TIME | MST_GIVES_HESSIAN;
    info->beyond = "beyond the expansion's validity";
    info->none = "no geodesic found";
    info->cost = 0;
    for (size_t f = 0; f < e->count; f++) {
        info->cost += e->factor[f].part->cost;
        info->precision = fmax(info->precision, e->factor[f].part->precision);
    }
}

static mst_status factor(const mst_score *s, size_t i, mst_score **out)
{
    return mst_score_expansion_new(out, mst_manifold_factor(mst_score_manifold(s), i));
}

static mst_status remember(const mst_score *s, size_t rows, mst_score **out);

static const mst_score_ops expansion_ops = {
    .size = sizeof expansion_ops,
    .name = "expansion",
    .describe = describe,
    .evaluate = evaluate,
    .free_data = free_data,
    .factor = factor,
    .validity = run,
    .remember = remember,
};

static mst_status remember(const mst_score *s, size_t rows, mst_score **out)
{
    const expansion *old = mst_score_data(s);
    const mst_manifold *m = mst_score_manifold(s);
    const expansion_part *part = old->factor[0].part;
    if (old->count != 1 || (part->keep == NULL && part->paths == 0))
        return MST_OK;
    size_t keep = part->keep != NULL ? part->keep(m) : 0;
    double *kept = NULL;
    expansion_paths *paths = NULL;
    mst_status status = MST_OK;
    if (keep > 0)
        status = mst_allocate(&kept, rows * keep);
    for (size_t i = 0; status == MST_OK && i < rows * keep; i++)
        kept[i] = NAN;
    if (status == MST_OK && part->paths > 0)
        status = expansion_paths_new(&paths, m, rows, part->paths);
    if (status == MST_OK)
        status = mst_score_expansion_new(out, m);
    if (status != MST_OK) {
        mst_release(kept);
        expansion_paths_free(paths);
        return status;
    }
    expansion *e = mst_score_data(*out);
    e->kept = kept;
    e->keep = keep;
    e->paths = paths;
    e->rows = rows;
    return MST_OK;
}

void score_hint(const mst_score *memory, const double *guesses)
{
    const mst_manifold *m = mst_score_manifold(memory);
    expansion *e = mst_score_data(memory);
    size_t own = m->own->keep(m);
    for (size_t i = 0; i < e->rows; i++)
        memcpy(e->kept + i * e->keep, guesses + i * own, own * sizeof *guesses);
}

mst_status mst_score_expansion_new(mst_score **out, const mst_manifold *m)
{
    expansion *e;
    size_t count = mst_manifold_factor_count(m);
    *out = NULL;
    MST_TRY(mst_allocate_zero_bytes((void **)&e, 1, sizeof *e + count * sizeof *e->factor));
    e->count = count;
    mst_status status = MST_OK;
    for (size_t f = 0; status == MST_OK && f < count; f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        const expansion_part *part = find_part(factor);
        if (part == NULL)
            status = mst_fail(MST_UNABLE,
                              "there is no expansion for %s: it is known where the curvature is "
                              "constant, for positive definite matrices, for manifolds from "
                              "formulas or a metric in one chart, of up to 12 dimensions, and for "
                              "landmarks",
                              factor->spec);
        else if (part->open != NULL)
            status = part->open(factor, &e->factor[f].data);
        if (status == MST_OK)
            e->factor[f].part = part;
    }
    if (status != MST_OK) {
        free_data(e);
        return status;
    }
    return mst_score_new(out, &expansion_ops, m, e);
}
