/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/window.h"

#include <math.h>
#include <string.h>

enum { TERMS = 36, SAMPLES = 256, L = PDE_LANES, T = PDE_TIMES };

/* γ against the least time. Smaller and the series is longer for short times, larger and
 * it is for long ones. */
static const double gamma_share = 1.0 / 12;

/* Rows down to e^{−depth} of the peak are resolved. */
static const double depth = 14;
/* Cell lengths times wave numbers: splines of degree 7 are right to 2e-4 there. */
static const double phase = 2.2;
/* Heat within this many √t of a source is kept; the rest is less than 1e-8 of it in the plane. */
static const double far_away = 6.2;
/* The second grid. */
static const double coarser = 1.4, farther = 1.05;

static const double pi = 3.14159265358979323846;

static double kept_time(double time, size_t k)
{
    return time * (1.5 + 0.5 * cos(pi * ((double)k + 0.5) / T));
}

/* Chebyshev coefficients of g for the times that are kept, (TERMS, T). */
static mst_status make_series(double time, double **out)
{
    double *g, gamma = gamma_share * time;
    MST_TRY(mst_allocate(out, TERMS * T));
    MST_TRY(mst_allocate(&g, SAMPLES));
    for (size_t k = 0; k < T; k++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            double x = 0.5 * (1 + cos(pi * ((double)i + 0.5) / SAMPLES));
            g[i] = exp(-kept_time(time, k) / gamma * (1 / x - 1)) / x;
        }
        for (size_t j = 0; j < TERMS; j++) {
            double sum = 0;
            for (size_t i = 0; i < SAMPLES; i++)
                sum += g[i] * cos(pi * (double)j * ((double)i + 0.5) / SAMPLES);
            (*out)[j * T + k] = (j == 0 ? 1 : 2) * sum / SAMPLES;
        }
    }
    mst_release(g);
    return MST_OK;
}

/* ---- Solutions ---- */

typedef struct solver {
    double *now, *before, *next; /* (n, L) */
    double *sum;                 /* (n, T, L) */
    double *block;
} solver;

static mst_status solver_new(solver *s, size_t n)
{
    MST_TRY(mst_allocate_zero(&s->block, n * L * (3 + T)));
    s->now = s->block;
    s->before = s->now + n * L;
    s->next = s->before + n * L;
    s->sum = s->next + n * L;
    return MST_OK;
}

/* Up to L sources, into sum. A source in no active cell has no heat. */
static void propagate(const pde_grid *g, const double *series, size_t count, const double *x,
                      solver *s)
{
    const pde_kernels *k = MST_PICK(pde_kernels);
    size_t n = g->n;
    for (size_t l = 0; l < count; l++) {
        pde_stencil at;
        if (!pde_grid_stencil(g, x + 2 * l, &at))
            continue;
        for (size_t e = 0; e < PDE_STENCIL; e++)
            if (at.unknown[e] >= 0)
                s->before[(size_t)at.unknown[e] * L + l] = at.value[0][e];
    }
    k->solve(&g->factor, s->before);
    k->multiply(g, s->before, s->now);
    k->solve(&g->factor, s->now);
    for (size_t e = 0; e < n * L; e++)
        s->now[e] = 2 * s->now[e] - s->before[e];
    for (size_t e = 0; e < n; e++)
        for (size_t t = 0; t < T; t++)
            for (size_t l = 0; l < L; l++)
                s->sum[(e * T + t) * L + l] =
                    series[t] * s->before[e * L + l] + series[T + t] * s->now[e * L + l];
    for (size_t j = 2; j < TERMS; j++) {
        k->multiply(g, s->now, s->next);
        k->solve(&g->factor, s->next);
        k->advance(n, s->now, s->before, s->next, series + j * T, s->sum);
        double *old = s->before;
        s->before = s->now;
        s->now = s->next;
        s->next = old;
    }
}

/* From (n, T, L) to fields (count, n, T) and lost (count, T): the heat next to the ends of the rectangle,
 * which reflect it, and that which has left by the edge of the domain. */
static void hand_out(const pde_grid *g, size_t count, const solver *s, double *fields, double *lost)
{
    for (size_t l = 0; l < count; l++) {
        double *own = fields + l * g->n * T, all[T] = {0}, rim[T] = {0};
        for (size_t e = 0; e < g->n; e++)
            for (size_t t = 0; t < T; t++) {
                double u = s->sum[(e * T + t) * L + l], part = u * g->integral[e];
                own[e * T + t] = u;
                all[t] += part;
                rim[t] += g->on_rim[e] ? fabs(part) : 0;
            }
        for (size_t t = 0; t < T; t++)
            lost[l * T + t] = rim[t] + fabs(1 - all[t]);
    }
}

static mst_status run(const pde_grid *g, const double *series, size_t count, const double *x,
                      double *fields, double *lost)
{
    solver s;
    MST_TRY(solver_new(&s, g->n));
    propagate(g, series, count, x, &s);
    hand_out(g, count, &s, fields, lost);
    mst_release(s.block);
    return MST_OK;
}

/* ---- Grids ---- */

static mst_status make_grid(pde_window *w, size_t which, const pde_plane *p, const double *x,
                            double stretch, const pde_limits *limits)
{
    double root = sqrt(w->time), grow = which == 1 ? coarser : 1;
    double spacing = grow * phase * root / sqrt(2 * depth) / limits->refine;
    double reach = stretch * (which == 1 ? farther : 1) * far_away * sqrt(2.0) * root;
    reach += 2 * spacing; /* what is beyond is reflected */
    double around = 32 * limits->refine / grow;
    pde_wish wish = {.spacing = spacing,
                     .change = 0.3 * grow / limits->refine,
                     .around = around > PDE_LEAST_CELLS ? (size_t)around : PDE_LEAST_CELLS,
                     .reach = reach,
                     .most = limits->unknowns};
    pde_region region;
    MST_TRY(pde_region_new(&region, p, w->n, x, &wish));
    w->at_edge = w->at_edge || region.at_edge;
    return pde_grid_new(&w->grid[which], p, &region, gamma_share * w->time, limits->unknowns);
}

/* How much heat is lost of some of the sources, on the coarser grid? */
static mst_status try_out(const pde_window *w, const double *x, double *worst)
{
    const pde_grid *g = &w->grid[1];
    size_t count = w->n < L ? w->n : L;
    double some[2 * L], lost[L * T], *fields;
    for (size_t k = 0; k < count; k++)
        memcpy(some + 2 * k, x + 2 * (k * (w->n - 1) / (count > 1 ? count - 1 : 1)), 2 * sizeof *x);
    MST_TRY(mst_allocate(&fields, count * g->n * T));
    mst_status status = run(g, w->series, count, some, fields, lost);
    mst_release(fields);
    *worst = 0;
    for (size_t k = 0; status == MST_OK && k < count * T; k++)
        *worst = fmax(*worst, lost[k]);
    return status;
}

static mst_status make_grids(pde_window *w, const pde_plane *p, const double *x,
                             const pde_limits *limits)
{
    const double enough = 1e-8;
    double stretch = 1, lost, before = INFINITY;
    for (size_t k = 0;; k++) {
        MST_TRY(make_grid(w, 1, p, x, stretch, limits));
        MST_TRY(try_out(w, x, &lost));
        /* What does not fall as the rectangle grows is the error of the grid, not heat that is cut off. */
        if (lost < enough || lost > 0.7 * before || w->at_edge || k == 4)
            break;
        before = lost;
        stretch = 1.01 * sqrt(stretch * stretch + 2 * log(lost / enough) / (far_away * far_away));
        pde_grid_free(&w->grid[1]);
    }
    return make_grid(w, 0, p, x, stretch, limits);
}

mst_status pde_window_new(pde_window **out, const pde_plane *p, size_t n, const double *x,
                          double time, const pde_limits *limits)
{
    pde_window *w;
    MST_TRY(mst_allocate_zero(&w, 1));
    w->time = time;
    w->n = n;
    mst_status status = make_series(time, &w->series);
    if (status == MST_OK)
        status = make_grids(w, p, x, limits);
    if (status == MST_OK && pde_window_bytes(w) > limits->bytes)
        status =
            mst_fail(MST_MEMORY,
                     "the heat kernels of %zu points at times from %g to %g take %.3g GB, more "
                     "than the option memory allows",
                     n, time, 2 * time, 1e-9 * (double)pde_window_bytes(w));
    for (size_t k = 0; status == MST_OK && k < 2; k++) {
        status = mst_allocate(&w->fields[k], n * w->grid[k].n * T);
        if (status == MST_OK)
            status = mst_allocate(&w->lost[k], n * T);
    }
    if (status != MST_OK) {
        pde_window_free(w);
        return status;
    }
    *out = w;
    return MST_OK;
}

void pde_window_free(pde_window *w)
{
    for (size_t k = 0; w != NULL && k < 2; k++) {
        pde_grid_free(&w->grid[k]);
        mst_release(w->fields[k]);
        mst_release(w->lost[k]);
    }
    if (w != NULL)
        mst_release(w->series);
    mst_release(w);
}

size_t pde_window_bytes(const pde_window *w)
{
    return w->n * (w->grid[0].n + w->grid[1].n) * T * sizeof(double);
}

size_t pde_window_blocks(const pde_window *w)
{
    return 2 * ((w->n + L - 1) / L);
}

mst_status pde_window_block(pde_window *w, const double *x, size_t block)
{
    size_t which = block % 2, first = block / 2 * L;
    const pde_grid *g = &w->grid[which];
    size_t count = w->n - first < L ? w->n - first : L;
    return run(g, w->series, count, x + 2 * first, w->fields[which] + first * g->n * T,
               w->lost[which] + first * T);
}

/* ---- Values ---- */

void pde_window_weights(const pde_window *w, double t, double weight[2 * T])
{
    /* Σ_j T_j(s_k) T_j(s)·2/T, the first by half, with the recurrences of T_j and its derivative. */
    double s = 2 * t / w->time - 3, value[T], slope[T];
    value[0] = 1;
    slope[0] = 0;
    value[1] = s;
    slope[1] = 1;
    for (size_t j = 2; j < T; j++) {
        value[j] = 2 * s * value[j - 1] - value[j - 2];
        slope[j] = 2 * value[j - 1] + 2 * s * slope[j - 1] - slope[j - 2];
    }
    for (size_t k = 0; k < T; k++) {
        double angle = pi * ((double)k + 0.5) / T, sum = 0.5, rate = 0;
        for (size_t j = 1; j < T; j++) {
            double c = cos((double)j * angle);
            sum += c * value[j];
            rate += c * slope[j];
        }
        weight[k] = 2 * sum / T;
        weight[T + k] = 2 * rate / T * 2 / w->time;
    }
}

pde_value pde_window_value(const pde_window *w, size_t grid, size_t source, const pde_stencil *s,
                           const double *weight)
{
    _Alignas(64) double with[2 * T];
    double part[2 * PDE_STENCIL], sum[6] = {0};
    memcpy(with, weight, sizeof with);
    MST_PICK(pde_kernels)->gather(s, w->fields[grid] + source * w->grid[grid].n * T, with, part);
    pde_value v = {0};
    for (size_t e = 0; e < 6; e++)
        for (size_t k = 0; k < PDE_STENCIL; k++)
            sum[e] += s->value[e][k] * part[k];
    for (size_t k = 0; k < PDE_STENCIL; k++)
        v.dt += s->value[0][k] * part[PDE_STENCIL + k];
    v.p = sum[0];
    memcpy(v.first, sum + 1, sizeof v.first);
    memcpy(v.second, sum + 3, sizeof v.second);
    return v;
}

double pde_window_lost(const pde_window *w, size_t source, const double *weight)
{
    double lost = 0;
    for (size_t t = 0; t < T; t++)
        lost += w->lost[0][source * T + t] * weight[t];
    return lost;
}
