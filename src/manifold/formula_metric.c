/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A metric from formulas: the Lagrangian L(x, v) = ½ g_x(v, v) is one formula of 2d variables, and what
 * mst_metric_new wants are its derivatives. Of a cometric K the same formula is the Hamiltonian
 * H(x, p) = ½ pᵀK p, and L and its derivatives follow from it by p = K⁻¹v. */
#include "manifold/formula_metric.h"

#include "base/linalg.h"
#include "formula/columns.h"
#include "manifold/internal.h"
#include "manifold/rolling.h"

#include <manistat/metric.h>
#include <math.h>
#include <string.h>

/* Up to this dimension second derivatives are formed as matrices. */
enum { DENSE = 12 };

/* Variables of the programs: x, v, dx, dv (d of each); of `bend` x, c. */
typedef struct formula_metric {
    formula_common common; /* first */
    size_t embedded;
    formula_program slope, product, blocks; /* (L, L_x, L_v); Hessian times a vector; Hessian */
    formula_program map, bend;              /* of an embedding: f, ∂f; Σ c ∂²f */
    formula_program matrix;                 /* of a cometric: K */
    formula_program whole;                  /* slope and blocks */
    rolling rolling;
    formula_columns columns;
} formula_metric;

static void free_data(void *data)
{
    formula_metric *f = data;
    formula_common_release(&f->common);
    formula_program_release(&f->slope);
    formula_program_release(&f->product);
    formula_program_release(&f->blocks);
    formula_program_release(&f->map);
    formula_program_release(&f->bend);
    formula_program_release(&f->matrix);
    formula_program_release(&f->whole);
    rolling_release(&f->rolling);
    mst_release(f);
}

/* ---- Building ---- */

/* ½ Σ g_ij v_i v_j, or ½ |∂_v f|²; variables d … 2d − 1 are v. */
static mst_status make_lagrangian(formula_file *f, formula_node *out)
{
    formula_graph *g = &f->graph;
    size_t d = f->coordinates;
    bool embedded = f->kind == FORMULA_EMBEDDING;
    formula_node *v, term;
    MST_TRY(mst_allocate(&v, d + f->count));
    formula_node *moved = v + d;
    mst_status status = formula_constant(g, 0, out);
    for (size_t k = 0; status == MST_OK && k < d; k++)
        status = formula_variable(g, d + k, &v[k]);
    if (status == MST_OK && embedded)
        status = formula_tangents(g, d, v, f->count, f->formulas, moved);
    for (size_t k = 0; status == MST_OK && k < f->count; k++) {
        status = embedded ? formula_apply(g, FORMULA_MULTIPLY, moved[k], moved[k], &term)
                          : formula_apply(g, FORMULA_MULTIPLY, v[k / d], v[k % d], &term);
        if (status == MST_OK && !embedded)
            status = formula_apply(g, FORMULA_MULTIPLY, f->formulas[k], term, &term);
        if (status == MST_OK)
            status = formula_apply(g, FORMULA_ADD, *out, term, out);
    }
    if (status == MST_OK)
        status = formula_constant(g, 0.5, &term);
    if (status == MST_OK)
        status = formula_apply(g, FORMULA_MULTIPLY, term, *out, out);
    mst_release(v);
    return status;
}

/* The second derivatives as matrices: L_vv, L_xv with x by rows, L_xx. `slope` is (L, L_x, L_v). */
static mst_status compile_blocks(formula_metric *f, formula_graph *g, size_t d,
                                 const formula_node *slope)
{
    size_t square = d * d, first = 1 + 2 * d;
    formula_node *all;
    MST_TRY(mst_allocate(&all, first + 3 * square + 4 * d));
    formula_node *room = all + first;
    memcpy(all, slope, first * sizeof *all);
    formula_node *rows = room + 3 * square, *seeds = rows + 2 * d;
    mst_status status = MST_OK;
    for (size_t a = 0; status == MST_OK && a < 2 * d; a++) {
        status = formula_unit_seeds(g, 2 * d, a, seeds);
        if (status == MST_OK)
            status = formula_tangents(g, 2 * d, seeds, 2 * d, slope + 1, rows);
        for (size_t b = 0; status == MST_OK && b < d; b++) {
            if (a < d) {
                room[square + a * d + b] = rows[d + b];
                room[2 * square + a * d + b] = rows[b];
            } else {
                room[(a - d) * d + b] = rows[d + b];
            }
        }
    }
    if (status == MST_OK)
        status = formula_compile(&f->blocks, g, 3 * square, room);
    if (status == MST_OK)
        status = formula_compile(&f->whole, g, first + 3 * square, all);
    mst_release(all);
    return status;
}

static mst_status compile_lagrangian(formula_metric *f, formula_file *file)
{
    formula_graph *g = &file->graph;
    size_t d = file->coordinates;
    formula_node *slope;
    MST_TRY(mst_allocate(&slope, 1 + 6 * d));
    formula_node *seeds = slope + 1 + 2 * d, *products = seeds + 2 * d;
    mst_status status = make_lagrangian(file, slope);
    if (status == MST_OK)
        status = formula_gradient(g, slope[0], 0, 2 * d, slope + 1);
    for (size_t k = 0; status == MST_OK && k < 2 * d; k++)
        status = formula_variable(g, 2 * d + k, &seeds[k]);
    if (status == MST_OK)
        status = formula_tangents(g, 2 * d, seeds, 2 * d, slope + 1, products);
    if (status == MST_OK)
        status = formula_compile(&f->slope, g, 1 + 2 * d, slope);
    if (status == MST_OK)
        status = formula_compile(&f->product, g, 2 * d, products);
    if (status == MST_OK && d <= DENSE && file->kind != FORMULA_COMETRIC)
        status = compile_blocks(f, g, d, slope);
    mst_release(slope);
    return status;
}

/* f and its first derivatives, and the second ones of Σ c f, whose c are the variables after x. */
static mst_status compile_embedding(formula_metric *f, formula_file *file)
{
    formula_graph *g = &file->graph;
    size_t d = file->coordinates, E = file->count;
    formula_node *nodes, sum;
    MST_TRY(mst_allocate(&nodes, 2 * E + E * d + d + d * d));
    formula_node *jacobian = nodes + E, *column = jacobian + E * d, *seeds = column + E,
                 *bend = seeds + d;
    memcpy(nodes, file->formulas, E * sizeof *nodes);
    mst_status status = formula_combine(g, d, E, nodes, &sum);
    for (size_t a = 0; status == MST_OK && a < d; a++) {
        status = formula_unit_seeds(g, d, a, seeds);
        if (status == MST_OK)
            status = formula_tangents(g, d, seeds, E, nodes, column);
        for (size_t k = 0; status == MST_OK && k < E; k++)
            jacobian[k * d + a] = column[k];
    }
    if (status == MST_OK)
        status = formula_second(g, sum, d, bend);
    if (status == MST_OK)
        status = formula_compile(&f->map, g, E + E * d, nodes);
    if (status == MST_OK)
        status = formula_compile(&f->bend, g, d * d, bend);
    f->embedded = E;
    mst_release(nodes);
    return status;
}

/* ---- Slots of metrics and embeddings ---- */

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    return formula_run_blocks(&f->slope, n, 2, (formula_block[]){{d, x}, {d, v}}, 3,
                              (formula_block_out[]){{1, l}, {d, l_x}, {d, l_v}});
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    return formula_run_blocks(&f->product, n, 4,
                              (formula_block[]){{d, x}, {d, v}, {d, dx}, {d, dv}}, 2,
                              (formula_block_out[]){{d, dl_x}, {d, dl_v}});
}

static mst_status lagrangian_blocks(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    return formula_run_blocks(&f->blocks, n, 2, (formula_block[]){{d, x}, {d, v}}, 3,
                              (formula_block_out[]){{d * d, l_vv}, {d * d, l_xv}, {d * d, l_xx}});
}

static mst_status embedding(const mst_manifold *m, size_t n, const double *x, double *map,
                            double *jacobian)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns, E = f->embedded;
    return formula_run_blocks(&f->map, n, 1, &(formula_block){d, x}, 2,
                              (formula_block_out[]){{E, map}, {E * d, jacobian}});
}

static mst_status embedding_bend(const mst_manifold *m, size_t n, const double *x, const double *c,
                                 double *bend)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    return formula_run_blocks(&f->bend, n, 2, (formula_block[]){{d, x}, {f->embedded, c}}, 1,
                              &(formula_block_out){d * d, bend});
}

/* ---- Slots of cometrics ---- */

/* p = K⁻¹ w, row by row; NAN where K is singular. `k` is (n, d, d). */
static void raise_rows(size_t n, size_t d, const double *k, const double *w, double *p)
{
    for (size_t i = 0; i < n; i++)
        if (!mst_all_finite(d * d, k + i * d * d) || !mst_all_finite(d, w + i * d) ||
            mst_solve(1, d, 1, k + i * d * d, w + i * d, p + i * d, NULL) != MST_OK)
            for (size_t a = 0; a < d; a++)
                p[i * d + a] = NAN;
}

/* K (n, d, d) and p = K⁻¹v (n, d). */
static mst_status momenta(const formula_metric *f, size_t n, const double *x, const double *v,
                          double *k, double *p)
{
    size_t d = f->common.columns;
    MST_TRY(formula_run_blocks(&f->matrix, n, 1, &(formula_block){d, x}, 1,
                               &(formula_block_out){d * d, k}));
    raise_rows(n, d, k, v, p);
    return MST_OK;
}

/* L = H, L_v = p, L_x = −H_x at (x, p). */
static mst_status dual_lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                                  double *l, double *l_x, double *l_v)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    double *k;
    MST_TRY(mst_allocate(&k, n * d * d));
    mst_status status = momenta(f, n, x, v, k, l_v);
    if (status == MST_OK)
        status = formula_run_blocks(&f->slope, n, 2, (formula_block[]){{d, x}, {d, l_v}}, 3,
                                    (formula_block_out[]){{1, l}, {d, l_x}, {d, NULL}});
    for (size_t i = 0; i < n * d; i++)
        l_x[i] = -l_x[i];
    mst_release(k);
    return status;
}

/* dp = K⁻¹(dv − H_px dx); dL_v = dp, dL_x = −(H_xx dx + H_xp dp). */
static mst_status dual_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                           const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    const formula_metric *f = mst_manifold_data(m);
    size_t d = f->common.columns;
    double *k;
    MST_TRY(mst_allocate_zero(&k, n * d * (d + 3)));
    double *p = k + n * d * d, *none = p + n * d, *turn = none + n * d;
    formula_block in[4] = {{d, x}, {d, p}, {d, dx}, {d, none}};
    mst_status status = momenta(f, n, x, v, k, p);
    if (status == MST_OK)
        status = formula_run_blocks(&f->product, n, 4, in, 2,
                                    (formula_block_out[]){{d, NULL}, {d, turn}});
    for (size_t i = 0; i < n * d; i++)
        turn[i] = dv[i] - turn[i];
    raise_rows(n, d, k, turn, dl_v);
    in[3].base = dl_v;
    if (status == MST_OK)
        status = formula_run_blocks(&f->product, n, 4, in, 2,
                                    (formula_block_out[]){{d, dl_x}, {d, NULL}});
    for (size_t i = 0; i < n * d; i++)
        dl_x[i] = -dl_x[i];
    mst_release(k);
    return status;
}

/* ---- Construction ---- */

static mst_metric_ops table_of(const formula_metric *f, formula_kind kind)
{
    mst_metric_ops ops = {
        .size = sizeof ops,
        .name = "formula",
        .start = formula_start,
        .lagrangian = kind == FORMULA_COMETRIC ? dual_lagrangian : lagrangian,
        .lagrangian_hvp = kind == FORMULA_COMETRIC ? dual_hvp : lagrangian_hvp,
        .lagrangian_blocks = f->blocks.outputs > 0 ? lagrangian_blocks : NULL,
        .domain = formula_inside,
        .traits = formula_traits,
        .injectivity = formula_injectivity,
        .free_data = free_data,
        .period = formula_period,
    };
    if (f->embedded > 0) {
        ops.embedded = f->embedded;
        ops.embedding = embedding;
        ops.embedding_bend = embedding_bend;
    }
    return ops;
}

static mst_status build(formula_metric *f, formula_file *file)
{
    MST_TRY(compile_lagrangian(f, file));
    if (file->kind == FORMULA_EMBEDDING && file->coordinates <= DENSE)
        MST_TRY(compile_embedding(f, file));
    if (file->kind == FORMULA_COMETRIC)
        MST_TRY(formula_compile(&f->matrix, &file->graph, file->count, file->formulas));
    MST_TRY(rolling_of_surface(&f->rolling, file));
    return formula_common_take(&f->common, file);
}

mst_status formula_metric_new(mst_manifold **out, formula_file *file, const char *spec)
{
    formula_metric *f;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&f, 1));
    mst_status status = build(f, file);
    if (status != MST_OK) {
        free_data(f);
        return status;
    }
    mst_metric_ops ops = table_of(f, file->kind);
    MST_TRY(mst_metric_new(out, &ops, spec, file->coordinates, f));
    f->columns =
        (formula_columns){.lagrangian = f->whole.outputs > 0 ? &f->whole : NULL,
                          .slope = file->kind == FORMULA_COMETRIC ? NULL : &f->slope,
                          .product = file->kind == FORMULA_COMETRIC ? NULL : &f->product,
                          .map = f->embedded > 0 ? &f->map : NULL,
                          .bend = f->embedded > 0 ? &f->bend : NULL,
                          .bounds = f->common.domain.count > 0 ? &f->common.domain.bounds : NULL,
                          .here = true};
    (*out)->columns = &f->columns;
    rolling_attach(*out, &f->rolling, &f->columns, f->common.period);
    return MST_OK;
}
