/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Integrals over cells by Gauss's rule, one coordinate after the other. */
#include "base/gauss.h"
#include "pde/grid.h"

#include <math.h>
#include <string.h>

enum { S = PDE_SIDE, Q = PDE_SIDE, POINTS = Q * Q };

typedef struct rule {
    double node[Q], weight[Q]; /* on [0, 1] */
} rule;

static double width(const pde_axis *a, size_t cell)
{
    return pde_axis_begin(a, cell + 1) - pde_axis_begin(a, cell);
}

typedef struct metric_job {
    pde_region *r;
    const pde_plane *p;
    rule gauss;
    double *metric;
} metric_job;

static mst_status cell_metrics(void *context, size_t begin, size_t end)
{
    const metric_job *job = context;
    const pde_axis *u = &job->r->axis[0], *v = &job->r->axis[1];
    for (size_t cell = begin; cell < end; cell++) {
        double x[POINTS][2];
        unsigned char inside[POINTS];
        size_t i = cell / v->cells, j = cell % v->cells;
        if (!job->r->active[cell])
            continue;
        for (size_t k = 0; k < POINTS; k++) {
            x[k][0] = pde_axis_begin(u, i) + job->gauss.node[k / Q] * width(u, i);
            x[k][1] = pde_axis_begin(v, j) + job->gauss.node[k % Q] * width(v, j);
        }
        MST_TRY(pde_plane_metric(job->p, POINTS, x[0], job->metric + cell * POINTS * 3, inside));
        for (size_t k = 0; k < POINTS; k++)
            if (!inside[k])
                job->r->active[cell] = 0;
    }
    return MST_OK;
}

mst_status pde_cells_metric(pde_region *r, const pde_plane *p, double **metric)
{
    size_t cells = r->axis[0].cells * r->axis[1].cells;
    metric_job job = {.r = r, .p = p};
    mst_gauss_rule(Q, job.gauss.node, job.gauss.weight);
    MST_TRY(mst_allocate(metric, cells * POINTS * 3));
    job.metric = *metric;
    return mst_parallel_blocks(cells, 64, 0, (mst_progress){0}, cell_metrics, &job);
}

/* ---- One cell ---- */

/* Values and slopes of the functions at the nodes of an axis. */
typedef struct side {
    double value[Q][S], slope[Q][S], weight[Q];
} side;

static void side_make(side *s, const rule *r, const pde_axis *a, size_t cell)
{
    for (size_t q = 0; q < Q; q++) {
        double b[3][S];
        pde_axis_values(a, cell, pde_axis_begin(a, cell) + r->node[q] * width(a, cell), b);
        memcpy(s->value[q], b[0], sizeof b[0]);
        memcpy(s->slope[q], b[1], sizeof b[1]);
        s->weight[q] = r->weight[q] * width(a, cell);
    }
}

/* √det g and √det g times the inverse of g, with the weights of the rule. */
typedef struct form {
    double one[Q], uu[Q], uv[Q], vv[Q];
} form;

static void form_make(form *f, const side *u, const side *v, const double *metric)
{
    for (size_t k = 0; k < POINTS; k++) {
        const double *g = metric + 3 * k;
        double root = sqrt(g[0] * g[2] - g[1] * g[1]), w = u->weight[k / Q] * v->weight[k % Q];
        f[k / Q].one[k % Q] = w * root;
        f[k / Q].uu[k % Q] = w * g[2] / root;
        f[k / Q].uv[k % Q] = -w * g[1] / root;
        f[k / Q].vv[k % Q] = w * g[0] / root;
    }
}

/* The functions a and b of u, integrated over u at the nodes of v. */
typedef struct strip {
    double one[Q], uu[Q], uv[Q], vu[Q], vv[Q];
} strip;

static void strip_make(strip *t, const side *u, const form *f, size_t a, size_t b)
{
    memset(t, 0, sizeof *t);
    for (size_t q = 0; q < Q; q++) {
        double both = u->value[q][a] * u->value[q][b], slopes = u->slope[q][a] * u->slope[q][b];
        double first = u->slope[q][a] * u->value[q][b], second = u->value[q][a] * u->slope[q][b];
        for (size_t k = 0; k < Q; k++) {
            t->one[k] += both * f[q].one[k];
            t->uu[k] += slopes * f[q].uu[k];
            t->uv[k] += first * f[q].uv[k];
            t->vu[k] += second * f[q].uv[k];
            t->vv[k] += both * f[q].vv[k];
        }
    }
}

/* Functions c and d of v: M and K of the products (a, c) and (b, d). */
static void cross(const strip *t, const side *v, size_t c, size_t d, double *mass, double *stiff)
{
    double m = 0, k = 0;
    for (size_t q = 0; q < Q; q++) {
        double both = v->value[q][c] * v->value[q][d];
        m += t->one[q] * both;
        k += t->uu[q] * both + t->uv[q] * v->value[q][c] * v->slope[q][d] +
             t->vu[q] * v->slope[q][c] * v->value[q][d] +
             t->vv[q] * v->slope[q][c] * v->slope[q][d];
    }
    *mass = m;
    *stiff = k;
}

static void add_cell(const side *u, const side *v, const form *f, const int unknown[S][S],
                     double *mass, double *stiff)
{
    for (size_t a = 0; a < S; a++)
        for (size_t b = a; b < S; b++) {
            strip t;
            strip_make(&t, u, f, a, b);
            for (size_t c = 0; c < S; c++)
                for (size_t d = 0; d < S; d++) {
                    int from = unknown[a][c], to = unknown[b][d];
                    double m, k;
                    if (from < 0 || to < 0)
                        continue;
                    cross(&t, v, c, d, &m, &k);
                    size_t near = (b + PDE_DEGREE - a) * PDE_BAND + d + PDE_DEGREE - c;
                    mass[(size_t)from * PDE_NEAR + near] += m;
                    stiff[(size_t)from * PDE_NEAR + near] += k;
                    if (a == b)
                        continue;
                    near = PDE_NEAR - 1 - near;
                    mass[(size_t)to * PDE_NEAR + near] += m;
                    stiff[(size_t)to * PDE_NEAR + near] += k;
                }
        }
}

static void add_integrals(const side *u, const side *v, const form *f, const int unknown[S][S],
                          double *integral)
{
    for (size_t k = 0; k < S * S; k++) {
        double sum = 0;
        for (size_t q = 0; q < POINTS; q++)
            sum += f[q / Q].one[q % Q] * u->value[q / Q][k / S] * v->value[q % Q][k % S];
        if (unknown[k / S][k % S] >= 0)
            integral[unknown[k / S][k % S]] += sum;
    }
}

void pde_cells_matrices(const pde_region *r, const int *unknown, const double *metric, double *mass,
                        double *stiff, double *integral)
{
    const pde_axis *u = &r->axis[0], *v = &r->axis[1];
    rule gauss;
    mst_gauss_rule(Q, gauss.node, gauss.weight);
    for (size_t i = 0; i < u->cells; i++) {
        side across, along;
        side_make(&across, &gauss, u, i);
        for (size_t j = 0; j < v->cells; j++) {
            form f[Q];
            int numbers[S][S];
            size_t cell = i * v->cells + j;
            bool any = false;
            for (size_t k = 0; r->active[cell] && k < S * S; k++) {
                size_t a = pde_axis_function(u, i, k / S), b = pde_axis_function(v, j, k % S);
                numbers[k / S][k % S] = unknown[a * v->count + b];
                any = any || numbers[k / S][k % S] >= 0;
            }
            if (!any)
                continue;
            side_make(&along, &gauss, v, j);
            form_make(f, &across, &along, metric + cell * POINTS * 3);
            add_cell(&across, &along, f, numbers, mass, stiff);
            add_integrals(&across, &along, f, numbers, integral);
        }
    }
}
