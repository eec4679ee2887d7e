/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/text.h"

#include "manifold/formula_atlas.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

static void free_data(void *data)
{
    formula_atlas *a = data;
    for (size_t k = 0; a->chart != NULL && k < a->charts; k++)
        mst_manifold_free(a->chart[k]);
    for (size_t k = 0; a->leave != NULL && k < a->charts; k++)
        formula_program_release(&a->leave[k]);
    for (size_t k = 0; a->target != NULL && k < a->charts; k++)
        mst_release(a->target[k]);
    for (size_t k = 0; a->way != NULL && k < a->ways; k++)
        formula_program_release(&a->way[k].map);
    mst_release(a->chart);
    mst_release(a->leave);
    mst_release(a->target);
    mst_release(a->way);
    mst_release(a->start);
    mst_release(a);
}

const atlas_way *formula_atlas_way(const formula_atlas *a, size_t from, size_t to)
{
    for (size_t k = 0; k < a->ways; k++)
        if (a->way[k].from == from && a->way[k].to == to)
            return &a->way[k];
    return NULL;
}

/* ---- Rows by charts ---- */

/* Inputs (n, D) of up to four kinds; the columns of the charts are taken from the first. */
enum { MOST_IN = 4, MOST_OUT = 3, FEW = 32 };

typedef mst_status chart_run(const mst_manifold *chart, size_t n, const double *const *in,
                             double *const *out);

/* An output of `size` numbers a row, which stand first in rows of `stride`. */
typedef struct shape {
    size_t size, stride;
    double *base;
} shape;

/* Rows of chart k: their numbers into `rows`. */
static size_t pick(const mst_manifold *m, size_t n, const double *x, size_t k, size_t *rows)
{
    size_t D = m->ambient, count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i * D + D - 1] == (double)k)
            rows[count++] = i;
    return count;
}

/* Runs each chart on its own rows. */
static mst_status by_charts(const mst_manifold *m, size_t n, size_t ins, const double *const *in,
                            size_t outs, const shape *out, chart_run *run)
{
    const formula_atlas *a = mst_manifold_data(m);
    size_t d = a->d, D = m->ambient, wide = ins * d, *rows;
    for (size_t k = 0; k < outs; k++)
        wide += out[k].size;
    double *work, *to[MOST_OUT];
    const double *from[MOST_IN];
    mst_status status = MST_OK;
    /* Geodesics ask for a few rows very often. */
    size_t few_rows[FEW];
    double few_numbers[16 * FEW];
    bool few = n <= FEW && n * wide <= 16 * FEW;
    rows = few_rows;
    work = few_numbers;
    if (!few) {
        MST_TRY(mst_allocate(&rows, n));
        status = mst_allocate(&work, n * wide);
    }
    for (size_t c = 0; status == MST_OK && c < a->charts; c++) {
        size_t count = pick(m, n, in[0], c, rows);
        double *next = work;
        for (size_t k = 0; k < ins; k++, next += count * d) {
            for (size_t i = 0; i < count; i++)
                memcpy(next + i * d, in[k] + rows[i] * D, d * sizeof *next);
            from[k] = next;
        }
        for (size_t k = 0; k < outs; next += count * out[k++].size)
            to[k] = next;
        if (count > 0)
            status = run(a->chart[c], count, from, to);
        for (size_t k = 0; status == MST_OK && k < outs; k++)
            for (size_t i = 0; i < count; i++)
                memcpy(out[k].base + rows[i] * out[k].stride, to[k] + i * out[k].size,
                       out[k].size * sizeof **to);
    }
    if (!few) {
        mst_release(work);
        mst_release(rows);
    }
    return status;
}

static mst_status run_lagrangian(const mst_manifold *c, size_t n, const double *const *in,
                                 double *const *out)
{
    return c->metric->ops.lagrangian(c, n, in[0], in[1], out[0], out[1], out[2]);
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    size_t d = m->dim, D = m->ambient;
    return by_charts(m, n, 2, (const double *[]){x, v}, 3,
                     (shape[]){{1, 1, l}, {d, D, l_x}, {d, D, l_v}}, run_lagrangian);
}

static mst_status run_hvp(const mst_manifold *c, size_t n, const double *const *in,
                          double *const *out)
{
    return c->metric->ops.lagrangian_hvp(c, n, in[0], in[1], in[2], in[3], out[0], out[1]);
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    size_t d = m->dim, D = m->ambient;
    return by_charts(m, n, 4, (const double *[]){x, v, dx, dv}, 2,
                     (shape[]){{d, D, dl_x}, {d, D, dl_v}}, run_hvp);
}

static mst_status run_blocks(const mst_manifold *c, size_t n, const double *const *in,
                             double *const *out)
{
    return c->metric->ops.lagrangian_blocks(c, n, in[0], in[1], out[0], out[1], out[2]);
}

static mst_status lagrangian_blocks(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    size_t square = m->dim * m->dim;
    return by_charts(
        m, n, 2, (const double *[]){x, v}, 3,
        (shape[]){{square, square, l_vv}, {square, square, l_xv}, {square, square, l_xx}},
        run_blocks);
}

/* ---- The other slots ---- */

static void start(const mst_manifold *m, double *x)
{
    const formula_atlas *a = mst_manifold_data(m);
    memcpy(x, a->start, a->d * sizeof *x);
    x[a->d] = 0;
}

static void domain(const mst_manifold *m, size_t n, const double *x, unsigned char *inside)
{
    const formula_atlas *a = mst_manifold_data(m);
    for (size_t i = 0; i < n; i++, x += m->ambient) {
        const mst_manifold *c = a->chart[(size_t)x[a->d]];
        c->metric->ops.domain(c, 1, x, inside + i);
    }
}

static void traits(const mst_manifold *m, mst_manifold_traits *t)
{
    const formula_atlas *a = mst_manifold_data(m);
    t->compact = a->compact;
    t->hadamard = a->hadamard;
}

static double injectivity(const mst_manifold *m)
{
    return ((const formula_atlas *)mst_manifold_data(m))->injectivity;
}

/* The first condition that holds; without memory a point stays where it is. */
static void leave(const mst_manifold *m, size_t n, const double *x, double *chart)
{
    const formula_atlas *a = mst_manifold_data(m);
    for (size_t i = 0; i < n; i++, x += m->ambient) {
        size_t from = (size_t)x[a->d], count = a->leave[from].outputs;
        double *positive;
        chart[i] = x[a->d];
        if (count == 0 || mst_allocate(&positive, count) != MST_OK)
            continue;
        if (formula_run_blocks(&a->leave[from], 1, 1, &(formula_block){a->d, x}, 1,
                               &(formula_block_out){count, positive}) == MST_OK)
            for (size_t k = count; k-- > 0;)
                if (positive[k] > 0)
                    chart[i] = (double)a->target[from][k];
        mst_release(positive);
    }
}

static void change(const mst_manifold *m, const double *x, const double *v, double to, double *y,
                   double *w)
{
    const formula_atlas *a = mst_manifold_data(m);
    const atlas_way *way = formula_atlas_way(a, (size_t)x[a->d], (size_t)to);
    size_t d = a->d;
    unsigned char inside = 0;
    y[d] = to;
    if (way != NULL &&
        formula_run_blocks(&way->map, 1, 2, (formula_block[]){{d, x}, {d, v != NULL ? v : x}}, 2,
                           (formula_block_out[]){{d, y}, {d, w}}) == MST_OK)
        domain(m, 1, y, &inside);
    for (size_t k = 0; !inside && k < d; k++)
        y[k] = NAN;
}

static void transition(const mst_manifold *m, size_t n, const double *x, const double *v,
                       const double *to, double *y, double *w)
{
    size_t D = m->ambient;
    for (size_t i = 0; i < n; i++) {
        double *vector = w != NULL ? w + i * D : NULL;
        if (x[i * D + D - 1] != to[i]) {
            change(m, x + i * D, v != NULL ? v + i * D : NULL, to[i], y + i * D, vector);
            continue;
        }
        memcpy(y + i * D, x + i * D, D * sizeof *y);
        if (vector != NULL)
            memcpy(vector, v + i * D, D * sizeof *vector);
    }
}

/* ---- Construction ---- */

/* The chart as a manifold of its own, whose formulas are in the same graph. */
static mst_status make_chart(formula_atlas *a, formula_file *file, size_t k, const char *spec)
{
    formula_chart *c = &file->chart[k];
    formula_file part = *file;
    part.charts = 0;
    part.kind = c->kind;
    part.count = c->count;
    part.formulas = c->formulas;
    part.bounds_count = c->bounds_count;
    part.bounds = c->bounds;
    part.start = part.period = NULL;
    mst_status status = mst_allocate_zero(&part.start, a->d);
    if (status == MST_OK)
        status = mst_allocate_zero(&part.period, a->d);
    if (status == MST_OK)
        status = formula_metric_new(&a->chart[k], &part, spec);
    file->graph = part.graph; /* which may have grown */
    mst_release(part.start);
    mst_release(part.period);
    return status;
}

static mst_status make_leave(formula_atlas *a, const formula_file *file, size_t k)
{
    formula_node *nodes;
    size_t count = 0;
    MST_TRY(mst_allocate(&a->target[k], file->leaves));
    MST_TRY(mst_allocate(&nodes, file->leaves));
    for (size_t i = 0; i < file->leaves; i++)
        if (file->leave[i].from == k) {
            a->target[k][count] = file->leave[i].to;
            nodes[count++] = file->leave[i].positive;
        }
    mst_status status =
        count > 0 ? formula_compile(&a->leave[k], &file->graph, count, nodes) : MST_OK;
    mst_release(nodes);
    return status;
}

/* y(x) and its derivative along v, the variables behind x. */
static mst_status make_way(atlas_way *way, formula_file *file, const formula_transition *t)
{
    size_t d = file->coordinates;
    formula_node *nodes;
    *way = (atlas_way){.from = t->from, .to = t->to};
    MST_TRY(mst_allocate(&nodes, 3 * d));
    memcpy(nodes, t->formulas, d * sizeof *nodes);
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < d; k++)
        status = formula_variable(&file->graph, d + k, &nodes[2 * d + k]);
    if (status == MST_OK)
        status = formula_tangents(&file->graph, d, nodes + 2 * d, d, nodes, nodes + d);
    if (status == MST_OK)
        status = formula_compile(&way->map, &file->graph, 2 * d, nodes);
    mst_release(nodes);
    return status;
}

static mst_answer answer_of(formula_answer said)
{
    return said == FORMULA_YES ? MST_YES : said == FORMULA_NO ? MST_NO : MST_UNKNOWN;
}

static mst_status build(formula_atlas *a, formula_file *file, const char *spec)
{
    a->d = file->coordinates;
    a->compact = answer_of(file->compact);
    a->hadamard = answer_of(file->hadamard);
    a->injectivity = file->injectivity;
    MST_TRY(mst_allocate(&a->start, a->d));
    memcpy(a->start, file->start, a->d * sizeof *a->start);
    MST_TRY(mst_allocate_zero(&a->chart, file->charts));
    MST_TRY(mst_allocate_zero(&a->leave, file->charts));
    MST_TRY(mst_allocate_zero(&a->target, file->charts));
    MST_TRY(mst_allocate_zero(&a->way, file->transitions));
    a->charts = file->charts;
    a->ways = file->transitions;
    for (size_t k = 0; k < a->charts; k++) {
        MST_TRY(make_chart(a, file, k, spec));
        MST_TRY(make_leave(a, file, k));
    }
    for (size_t k = 0; k < a->ways; k++)
        MST_TRY(make_way(&a->way[k], file, &file->transition[k]));
    return MST_OK;
}

mst_status formula_atlas_new(mst_manifold **out, formula_file *file, const char *spec,
                             const formula_text *text)
{
    formula_atlas *a;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&a, 1));
    mst_status status = build(a, file, spec);
    if (status != MST_OK) {
        free_data(a);
        return status;
    }
    mst_metric_ops ops = {
        .size = sizeof ops,
        .name = "formula",
        .start = start,
        .lagrangian = lagrangian,
        .lagrangian_hvp = lagrangian_hvp,
        .lagrangian_blocks = lagrangian_blocks,
        .domain = domain,
        .traits = traits,
        .injectivity = injectivity,
        .charts = a->charts,
        .leave = leave,
        .transition = transition,
        .free_data = free_data,
    };
    for (size_t k = 0; k < a->charts; k++)
        if (a->chart[k]->metric->ops.lagrangian_blocks == NULL)
            ops.lagrangian_blocks = NULL;
    MST_TRY(mst_metric_new(out, &ops, spec, a->d, a));
    status = formula_atlas_check(*out, file, text);
    if (status != MST_OK) {
        mst_manifold_free(*out);
        *out = NULL;
    }
    return status;
}
