/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Derivatives, retractions and potentials of products: those of the factors side by side, potentials and
 * their Laplacians added up. */
#include "base/columns.h"
#include "manifold/internal.h"
#include "manifold/product.h"

enum { BLOCK = 64, INPUTS = 4, OUTPUTS = 2 };

/* The arguments of an operation: rows that it reads, rows and numbers that it gives. Any may be null. */
typedef struct call {
    const double *in[INPUTS];
    double *out[OUTPUTS], *number[OUTPUTS];
} call;

typedef mst_status factor_run(const mst_manifold *factor, size_t n, const call *c);

/* The columns at … of one factor, on rows `first` … of the call; `own` has room for a
 * block of each argument. */
static mst_status run_factor(const mst_manifold *m, const mst_manifold *factor, size_t at,
                             size_t first, size_t n, const call *all, call *own, factor_run *run)
{
    size_t D = m->ambient, width = factor->ambient;
    for (int k = 0; k < INPUTS; k++)
        if (all->in[k] != NULL)
            mst_take_columns(n, D, at, width, all->in[k] + first * D, (double *)own->in[k]);
    MST_TRY(run(factor, n, own));
    for (int k = 0; k < OUTPUTS; k++) {
        if (all->out[k] != NULL)
            mst_put_columns(n, D, at, width, own->out[k], all->out[k] + first * D);
        for (size_t i = 0; all->number[k] != NULL && i < n; i++)
            all->number[k][first + i] =
                (at > 0 ? all->number[k][first + i] : 0) + own->number[k][i];
    }
    return MST_OK;
}

static mst_status for_factors(const mst_manifold *m, size_t n, const call *all, factor_run *run)
{
    size_t size = BLOCK * m->ambient;
    double *work;
    call own = {0};
    MST_TRY(mst_allocate(&work, (INPUTS + OUTPUTS) * size + OUTPUTS * BLOCK));
    for (int k = 0; k < INPUTS; k++)
        own.in[k] = all->in[k] != NULL ? work + (size_t)k * size : NULL;
    for (int k = 0; k < OUTPUTS; k++) {
        own.out[k] = all->out[k] != NULL ? work + (size_t)(INPUTS + k) * size : NULL;
        own.number[k] =
            all->number[k] != NULL ? work + (INPUTS + OUTPUTS) * size + (size_t)k * BLOCK : NULL;
    }
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK, at = 0;
        for (size_t f = 0; status == MST_OK && f < mst_manifold_factor_count(m); f++) {
            const mst_manifold *factor = mst_manifold_factor(m, f);
            status = run_factor(m, factor, at, i, count, all, &own, run);
            at += factor->ambient;
        }
    }
    mst_release(work);
    return status;
}

static mst_status run_exp_derivative(const mst_manifold *m, size_t n, const call *c)
{
    return mst_manifold_exp_derivative(m, n, c->in[0], c->in[1], c->in[2], c->in[3], c->out[0]);
}

mst_status mst_product_exp_derivative(const mst_manifold *m, size_t n, const double *x,
                                      const double *v, const double *dx, const double *dv,
                                      double *dy)
{
    return for_factors(m, n, &(call){.in = {x, v, dx, dv}, .out = {dy}}, run_exp_derivative);
}

static mst_status run_exp_adjoint(const mst_manifold *m, size_t n, const call *c)
{
    return mst_manifold_exp_adjoint(m, n, c->in[0], c->in[1], c->in[2], c->out[0], c->out[1]);
}

mst_status mst_product_exp_adjoint(const mst_manifold *m, size_t n, const double *x,
                                   const double *v, const double *w, double *dx, double *dv)
{
    return for_factors(m, n, &(call){.in = {x, v, w}, .out = {dx, dv}}, run_exp_adjoint);
}

static mst_status run_retract(const mst_manifold *m, size_t n, const call *c)
{
    return mst_manifold_retract(m, n, c->in[0], c->in[1], c->out[0]);
}

mst_status mst_product_retract(const mst_manifold *m, size_t n, const double *x, const double *v,
                               double *y)
{
    return for_factors(m, n, &(call){.in = {x, v}, .out = {y}}, run_retract);
}

static mst_status run_toward(const mst_manifold *m, size_t n, const call *c)
{
    return mst_manifold_toward(m, n, c->in[0], c->in[1], c->number[0], c->out[0], c->number[1]);
}

mst_status mst_product_toward(const mst_manifold *m, size_t n, const double *x, const double *y,
                              double *f, double *v, double *laplacian)
{
    return for_factors(m, n, &(call){.in = {x, y}, .out = {v}, .number = {f, laplacian}},
                       run_toward);
}
