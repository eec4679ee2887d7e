/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/problem.h"

#include "manifold/constraint.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* ---- Construction ---- */

static mst_status begin(geodesic_problem *p, const mst_manifold *m)
{
    *p = (geodesic_problem){.m = m, .d = m->dim, .width = m->dim};
    p->hadamard = m->traits.hadamard == MST_YES;
    p->injectivity = mst_manifold_injectivity(m);
    if (m->columns != NULL)
        p->columns = *m->columns;
    return MST_OK;
}

mst_status problem_of_metric(geodesic_problem *p, const mst_manifold *m)
{
    MST_TRY(begin(p, m));
    if (m->metric == NULL || m->ambient > m->dim)
        return mst_fail(MST_UNABLE, "%s is not given by a metric in one chart", m->spec);
    p->metric = &m->metric->ops;
    if (p->metric->period == NULL)
        return MST_OK;
    MST_TRY(mst_allocate(&p->period, p->d));
    p->metric->period(m, p->period);
    bool any = false;
    for (size_t k = 0; k < p->d; k++)
        any = any || p->period[k] > 0;
    if (!any) {
        mst_release(p->period);
        p->period = NULL;
    }
    return MST_OK;
}

mst_status problem_of_constraint(geodesic_problem *p, const mst_manifold *m,
                                 const mst_constraint_ops *ops, size_t space, size_t count)
{
    MST_TRY(begin(p, m));
    p->form = FORM_CONSTRAINT;
    p->d = space - count;
    p->width = p->space = space;
    p->count = count;
    p->constraint = ops;
    return MST_OK;
}

mst_status problem_new(geodesic_problem *p, const mst_manifold *m)
{
    if (m->constraint != NULL)
        return problem_of_constraint(p, m, &m->constraint->ops, m->ambient, m->constraint->count);
    MST_TRY(problem_of_metric(p, m));
    if (p->metric->embedded > 0 && p->metric->embedding != NULL) {
        p->form = FORM_EMBEDDING;
        p->space = p->metric->embedded;
    }
    return MST_OK;
}

void problem_free(geodesic_problem *p)
{
    mst_release(p->period);
    p->period = NULL;
}

void problem_rows_free(problem_rows *r)
{
    mst_release(r->block);
    mst_release(r->inside);
    for (size_t k = 0; k < sizeof r->ready / sizeof *r->ready; k++)
        mst_release(r->ready[k].registers);
    mst_release(r->in);
    mst_release(r->out);
    *r = (problem_rows){0};
}

/* ---- Columns to the rows of slots and back ---- */

static mst_status reserve(problem_rows *r, size_t n, size_t numbers)
{
    if (n * numbers > r->size) {
        mst_release(r->block);
        r->block = NULL;
        r->size = 0;
        MST_TRY(mst_allocate(&r->block, n * numbers));
        r->size = n * numbers;
    }
    return MST_OK;
}

static void to_rows(size_t n, size_t width, const double *columns, double *rows)
{
    if (width == 1)
        memcpy(rows, columns, n * sizeof *rows);
    else if (width == 2)
        for (size_t i = 0; i < n; i++) {
            rows[2 * i] = columns[i];
            rows[2 * i + 1] = columns[n + i];
        }
    else
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < width; k++)
                rows[i * width + k] = columns[k * n + i];
}

static void to_columns(size_t n, size_t width, const double *rows, double *columns)
{
    if (width == 1)
        memcpy(columns, rows, n * sizeof *rows);
    else if (width == 2)
        for (size_t i = 0; i < n; i++) {
            columns[i] = rows[2 * i];
            columns[n + i] = rows[2 * i + 1];
        }
    else
        for (size_t k = 0; k < width; k++)
            for (size_t i = 0; i < n; i++)
                columns[k * n + i] = rows[i * width + k];
}

/* A slot with up to two inputs and three outputs of rows, null beyond. */
enum { INPUTS = 2, OUTPUTS = 3 };
typedef struct call {
    const geodesic_problem *p;
    size_t in_width[INPUTS], out_width[OUTPUTS];
    double *in[INPUTS], *out[OUTPUTS];
} call;
typedef mst_status slot(const call *c, size_t n, size_t row);

/* All rows at once; if that fails, one by one, to find those that do. */
static mst_status run(call *c, slot *s, size_t n)
{
    mst_status status = s(c, n, 0);
    if (status == MST_OK || status == MST_MEMORY)
        return status;
    for (size_t i = 0; i < n; i++) {
        status = s(c, 1, i);
        if (status == MST_MEMORY)
            return status;
        for (size_t k = 0; status != MST_OK && k < OUTPUTS; k++)
            for (size_t j = 0; c->out[k] != NULL && j < c->out_width[k]; j++)
                c->out[k][i * c->out_width[k] + j] = NAN;
    }
    return MST_OK;
}

/* With rows of its own for columns `from` and `to`. */
static mst_status transposed(call *c, problem_rows *r, slot *s, size_t n,
                             const double *const from[INPUTS], double *const to[OUTPUTS])
{
    size_t numbers = 0;
    for (size_t k = 0; k < INPUTS; k++)
        numbers += c->in_width[k];
    for (size_t k = 0; k < OUTPUTS; k++)
        numbers += c->out_width[k];
    MST_TRY(reserve(r, n, numbers));
    double *next = r->block;
    for (size_t k = 0; k < INPUTS && from[k] != NULL; k++, next += n * c->in_width[k - 1]) {
        c->in[k] = next;
        to_rows(n, c->in_width[k], from[k], next);
    }
    for (size_t k = 0; k < OUTPUTS; k++)
        if (to[k] != NULL) {
            c->out[k] = next;
            next += n * c->out_width[k];
        }
    MST_TRY(run(c, s, n));
    for (size_t k = 0; k < OUTPUTS; k++)
        if (to[k] != NULL)
            to_columns(n, c->out_width[k], c->out[k], to[k]);
    return MST_OK;
}

/* ---- Programs ---- */

/* Columns of n numbers, `width` of them. */
typedef struct span {
    size_t width;
    const double *from;
    double *to; /* null: not wanted */
} span;

/* No problem has more than five programs. */
static mst_status reserve_ports(problem_rows *r, const formula_program *f, size_t ports,
                                double **registers)
{
    size_t k = 0;
    while (r->ready[k].program != f && r->ready[k].program != NULL)
        k++;
    if (r->ready[k].program == NULL) {
        MST_TRY(mst_allocate(&r->ready[k].registers, formula_room(f)));
        r->ready[k].program = f;
        formula_prepare(f, r->ready[k].registers);
    }
    *registers = r->ready[k].registers;
    if (ports > r->ports) {
        mst_release(r->in);
        mst_release(r->out);
        r->out = NULL;
        r->ports = 0;
        MST_TRY(mst_allocate(&r->in, ports));
        MST_TRY(mst_allocate(&r->out, ports));
        r->ports = ports;
    }
    return MST_OK;
}

static mst_status run_program(problem_rows *r, const formula_program *f, size_t n, size_t ins,
                              const span *in, size_t outs, const span *out)
{
    size_t ports = 0;
    double *registers;
    for (size_t b = 0; b < ins; b++)
        ports += in[b].width;
    for (size_t b = 0; b < outs; b++)
        ports += out[b].width;
    MST_TRY(reserve_ports(r, f, ports, &registers));
    size_t next = 0;
    for (size_t b = 0; b < ins; b++)
        for (size_t k = 0; k < in[b].width; k++)
            r->in[next++] = (formula_input){in[b].from + k * n, 1};
    next = 0;
    for (size_t b = 0; b < outs; b++)
        for (size_t k = 0; k < out[b].width; k++)
            r->out[next++] = (formula_output){out[b].to != NULL ? out[b].to + k * n : NULL, 1};
    formula_run_in(f, n, r->in, r->out, registers);
    return MST_OK;
}

/* ---- Slots ---- */

/* Row `row` of an array of rows, or null. */
static double *at(double *rows, size_t width, size_t row)
{
    return rows != NULL ? rows + row * width : NULL;
}
#define IN(k) at(c->in[k], c->in_width[k], row)
#define OUT(k) at(c->out[k], c->out_width[k], row)

static mst_status call_lagrangian(const call *c, size_t n, size_t row)
{
    return c->p->metric->lagrangian(c->p->m, n, IN(0), IN(1), OUT(0), OUT(1), OUT(2));
}

mst_status problem_lagrangian(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                              const double *v, double *l, double *l_x, double *l_v)
{
    size_t d = p->d;
    if (p->columns.slope != NULL)
        return run_program(
            r, p->columns.slope, n, 2, (span[]){{.width = d, .from = x}, {.width = d, .from = v}},
            3, (span[]){{.width = 1, .to = l}, {.width = d, .to = l_x}, {.width = d, .to = l_v}});
    call c = {.p = p, .in_width = {d, d}, .out_width = {1, d, d}};
    return transposed(&c, r, call_lagrangian, n, (const double *[]){x, v},
                      (double *[]){l, l_x, l_v});
}

static mst_status call_blocks(const call *c, size_t n, size_t row)
{
    return c->p->metric->lagrangian_blocks(c->p->m, n, IN(0), IN(1), OUT(0), OUT(1), OUT(2));
}

/* Column a of the Hessian from products with the a-th unit vectors. */
static mst_status by_products(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                              const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    size_t d = p->d, wide = n * d;
    MST_TRY(reserve(r, n, 6 * d));
    double *rows = r->block, *speeds = rows + wide, *zero = speeds + wide, *unit = zero + wide,
           *first = unit + wide, *second = first + wide;
    to_rows(n, d, x, rows);
    to_rows(n, d, v, speeds);
    memset(zero, 0, wide * sizeof *zero);
    for (size_t a = 0; a < d; a++) {
        memset(unit, 0, wide * sizeof *unit);
        for (size_t i = 0; i < n; i++)
            unit[i * d + a] = 1;
        MST_TRY(p->metric->lagrangian_hvp(p->m, n, rows, speeds, zero, unit, first, second));
        for (size_t b = 0; b < d; b++)
            for (size_t i = 0; i < n; i++) {
                l_xv[(b * d + a) * n + i] = first[i * d + b];
                l_vv[(b * d + a) * n + i] = second[i * d + b];
            }
        MST_TRY(p->metric->lagrangian_hvp(p->m, n, rows, speeds, unit, zero, first, second));
        for (size_t b = 0; b < d; b++)
            for (size_t i = 0; i < n; i++)
                l_xx[(b * d + a) * n + i] = first[i * d + b];
    }
    return MST_OK;
}

mst_status problem_blocks(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                          const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    size_t d = p->d, square = d * d;
    if (p->metric->lagrangian_blocks == NULL || d > METRIC_DENSE)
        return by_products(p, r, n, x, v, l_vv, l_xv, l_xx);
    call c = {.p = p, .in_width = {d, d}, .out_width = {square, square, square}};
    return transposed(&c, r, call_blocks, n, (const double *[]){x, v},
                      (double *[]){l_vv, l_xv, l_xx});
}

mst_status problem_hvp(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                       const double *v, const double *dx, const double *dv, double *dl_x,
                       double *dl_v)
{
    size_t d = p->d, wide = n * d;
    if (p->columns.product != NULL)
        return run_program(r, p->columns.product, n, 4,
                           (span[]){{.width = d, .from = x},
                                    {.width = d, .from = v},
                                    {.width = d, .from = dx},
                                    {.width = d, .from = dv}},
                           2, (span[]){{.width = d, .to = dl_x}, {.width = d, .to = dl_v}});
    MST_TRY(reserve(r, n, 6 * d));
    double *in = r->block, *out = in + 4 * wide;
    to_rows(n, d, x, in);
    to_rows(n, d, v, in + wide);
    to_rows(n, d, dx, in + 2 * wide);
    to_rows(n, d, dv, in + 3 * wide);
    MST_TRY(p->metric->lagrangian_hvp(p->m, n, in, in + wide, in + 2 * wide, in + 3 * wide, out,
                                      out + wide));
    to_columns(n, d, out, dl_x);
    to_columns(n, d, out + wide, dl_v);
    return MST_OK;
}

/* L is quadratic in v: L_v = L_vv v, and L and L_x are halves of L_v·v and L_xv v. */
static void lagrangian_of_blocks(size_t d, size_t n, const double *v, double *const out[6])
{
    double *l = out[0], *l_x = out[1], *l_v = out[2];
    const double *l_vv = out[3], *l_xv = out[4];
    for (size_t i = 0; i < n; i++)
        l[i] = 0;
    for (size_t a = 0; a < d; a++) {
        for (size_t i = 0; i < n; i++)
            l_x[a * n + i] = l_v[a * n + i] = 0;
        for (size_t b = 0; b < d; b++)
            for (size_t i = 0; i < n; i++) {
                l_v[a * n + i] += l_vv[(a * d + b) * n + i] * v[b * n + i];
                l_x[a * n + i] += 0.5 * l_xv[(a * d + b) * n + i] * v[b * n + i];
            }
        for (size_t i = 0; i < n; i++)
            l[i] += 0.5 * l_v[a * n + i] * v[a * n + i];
    }
}

mst_status problem_second_order(const geodesic_problem *p, problem_rows *r, size_t n,
                                const double *x, const double *v, double *const out[6])
{
    size_t d = p->d, square = d * d;
    if (p->columns.lagrangian != NULL)
        return run_program(r, p->columns.lagrangian, n, 2,
                           (span[]){{.width = d, .from = x}, {.width = d, .from = v}}, 6,
                           (span[]){{.width = 1, .to = out[0]},
                                    {.width = d, .to = out[1]},
                                    {.width = d, .to = out[2]},
                                    {.width = square, .to = out[3]},
                                    {.width = square, .to = out[4]},
                                    {.width = square, .to = out[5]}});
    if (p->metric->lagrangian_blocks == NULL) {
        MST_TRY(problem_lagrangian(p, r, n, x, v, out[0], out[1], out[2]));
        return problem_blocks(p, r, n, x, v, out[3], out[4], out[5]);
    }
    MST_TRY(problem_blocks(p, r, n, x, v, out[3], out[4], out[5]));
    lagrangian_of_blocks(d, n, v, out);
    return MST_OK;
}

static mst_status call_embedding(const call *c, size_t n, size_t row)
{
    return c->p->metric->embedding(c->p->m, n, IN(0), OUT(0), OUT(1));
}

mst_status problem_embedding(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                             double *f, double *jacobian)
{
    if (p->columns.map != NULL)
        return run_program(
            r, p->columns.map, n, 1, (span[]){{.width = p->d, .from = x}}, 2,
            (span[]){{.width = p->space, .to = f}, {.width = p->space * p->d, .to = jacobian}});
    call c = {.p = p, .in_width = {p->d}, .out_width = {p->space, p->space * p->d}};
    return transposed(&c, r, call_embedding, n, (const double *[]){x, NULL},
                      (double *[]){f, jacobian, NULL});
}

static mst_status call_bend(const call *c, size_t n, size_t row)
{
    return c->p->metric->embedding_bend(c->p->m, n, IN(0), IN(1), OUT(0));
}

mst_status problem_bend(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                        const double *force, double *bend)
{
    if (p->columns.bend != NULL)
        return run_program(r, p->columns.bend, n, 2,
                           (span[]){{.width = p->d, .from = x}, {.width = p->space, .from = force}},
                           1, (span[]){{.width = p->d * p->d, .to = bend}});
    call c = {.p = p, .in_width = {p->d, p->space}, .out_width = {p->d * p->d}};
    return transposed(&c, r, call_bend, n, (const double *[]){x, force},
                      (double *[]){bend, NULL, NULL});
}

static mst_status call_constraint(const call *c, size_t n, size_t row)
{
    return c->p->constraint->constraint(c->p->m, n, IN(0), OUT(0), OUT(1));
}

mst_status problem_constraint(const geodesic_problem *p, problem_rows *r, size_t n, const double *x,
                              double *h, double *gradient)
{
    size_t wide = p->count * p->space;
    if (p->columns.value != NULL)
        return run_program(r, p->columns.value, n, 1, (span[]){{.width = p->space, .from = x}}, 2,
                           (span[]){{.width = p->count, .to = h}, {.width = wide, .to = gradient}});
    call c = {.p = p, .in_width = {p->space}, .out_width = {p->count, wide}};
    return transposed(&c, r, call_constraint, n, (const double *[]){x, NULL},
                      (double *[]){h, gradient, NULL});
}

static mst_status call_hessian(const call *c, size_t n, size_t row)
{
    return c->p->constraint->constraint_hessian(c->p->m, n, IN(0), IN(1), OUT(0));
}

mst_status problem_constraint_hessian(const geodesic_problem *p, problem_rows *r, size_t n,
                                      const double *x, const double *lambda, double *hessian)
{
    size_t square = p->space * p->space;
    if (p->columns.curl != NULL)
        return run_program(
            r, p->columns.curl, n, 2,
            (span[]){{.width = p->space, .from = x}, {.width = p->count, .from = lambda}}, 1,
            (span[]){{.width = square, .to = hessian}});
    call c = {.p = p, .in_width = {p->space, p->count}, .out_width = {square}};
    return transposed(&c, r, call_hessian, n, (const double *[]){x, lambda},
                      (double *[]){hessian, NULL, NULL});
}

bool problem_is_bounded(const geodesic_problem *p)
{
    if (p->columns.here)
        return p->columns.bounds != NULL;
    return p->constraint != NULL ? p->constraint->domain != NULL : p->metric->domain != NULL;
}

mst_status problem_inside(const geodesic_problem *p, problem_rows *r, size_t n, const double *x)
{
    size_t width = p->width, kept = 0;
    size_t bounds = p->columns.bounds != NULL ? p->columns.bounds->outputs : 0;
    MST_TRY(reserve(r, n, width + bounds));
    if (n > r->inside_size) {
        mst_release(r->inside);
        r->inside_size = 0;
        MST_TRY(mst_allocate(&r->inside, 2 * n));
        r->inside_size = n;
    }
    if (p->columns.here) {
        memset(r->inside, 1, n);
        for (size_t k = 0; k < width; k++)
            for (size_t i = 0; i < n; i++)
                r->inside[i] &= isfinite(x[k * n + i]) != 0;
        if (bounds > 0)
            MST_TRY(run_program(r, p->columns.bounds, n, 1, (span[]){{.width = width, .from = x}},
                                1, (span[]){{.width = bounds, .to = r->block}}));
        for (size_t k = 0; k < bounds; k++)
            for (size_t i = 0; i < n; i++)
                r->inside[i] &= r->block[k * n + i] > 0;
        return MST_OK;
    }
    /* The slot gets the finite rows only. */
    unsigned char *answer = r->inside + n;
    for (size_t i = 0; i < n; i++) {
        bool finite = true;
        for (size_t k = 0; k < width; k++) {
            r->block[kept * width + k] = x[k * n + i];
            finite = finite && isfinite(x[k * n + i]);
        }
        r->inside[i] = finite;
        kept += finite;
    }
    if (!problem_is_bounded(p) || kept == 0)
        return MST_OK;
    if (p->constraint != NULL)
        p->constraint->domain(p->m, kept, r->block, answer);
    else
        p->metric->domain(p->m, kept, r->block, answer);
    for (size_t i = 0, next = 0; i < n; i++)
        if (r->inside[i])
            r->inside[i] = answer[next++];
    return MST_OK;
}
