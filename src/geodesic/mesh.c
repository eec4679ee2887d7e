/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/mesh.h"

#include <math.h>
#include <string.h>

/* P_p and P_{p−1} at x. */
static void legendre(size_t p, double x, double *value, double *before)
{
    double a = 1, b = x;
    for (size_t k = 1; k < p; k++) {
        double next = (((double)(2 * k) + 1) * x * b - (double)k * a) / ((double)k + 1);
        a = b;
        b = next;
    }
    *value = p == 0 ? 1 : b;
    *before = p == 0 ? 0 : a;
}

/* The zeros of (1 − x²) P_p', from Chebyshev's; x − P_{p−1}/P_p, so to say, is 0 there:
 * x P_p − P_{p−1} = −(1 − x²) P_p'/p. */
static void find_nodes(size_t p, double *xi)
{
    xi[0] = -1;
    xi[p] = 1;
    for (size_t i = 1; i < p; i++) {
        double x = -cos(M_PI * (double)i / (double)p), value, before;
        for (int round = 0; round < 100; round++) {
            legendre(p, x, &value, &before);
            double step = (x * value - before) / ((double)(p + 1) * value);
            x -= step;
            if (fabs(step) < 1e-16)
                break;
        }
        xi[i] = x;
    }
    for (size_t i = 0; i <= p / 2; i++) { /* symmetric to the last bit */
        double x = 0.5 * (xi[p - i] - xi[i]);
        xi[i] = -x;
        xi[p - i] = x;
    }
}

static void fill_derivatives(rule *r, const double *xi)
{
    size_t p = r->p, P = p + 1;
    for (size_t q = 0; q < P; q++) {
        double sum = 0;
        for (size_t j = 0; j < P; j++)
            if (j != q) {
                double entry = r->barycentric[j] / r->barycentric[q] / (xi[q] - xi[j]);
                r->d[q * P + j] = 2 * entry;
                sum += 2 * entry;
            }
        r->d[q * P + q] = -sum;
    }
    for (size_t i = 0; i < P; i++)
        for (size_t j = 0; j < P; j++) {
            double sum = 0;
            for (size_t q = 0; q < P; q++) {
                double term = r->w[q] * r->d[q * P + i] * r->d[q * P + j];
                r->square[(i * P + j) * P + q] = term;
                sum += term;
            }
            r->stiffness[i * P + j] = sum;
        }
}

mst_status rule_new(rule *r, size_t p)
{
    size_t P = p + 1;
    *r = (rule){.p = p};
    MST_TRY(mst_allocate(&r->block, P * P * P + 2 * P * P + 7 * P));
    r->square = r->block;
    r->d = r->square + P * P * P;
    r->stiffness = r->d + P * P;
    r->t = r->stiffness + P * P;
    r->w = r->t + P;
    r->barycentric = r->w + P;
    r->legendre = r->barycentric + P;
    double *xi = r->legendre + 3 * P, value, before;
    find_nodes(p, xi);
    for (size_t q = 0; q < P; q++) {
        legendre(p, xi[q], &value, &before);
        r->t[q] = 0.5 * (1 + xi[q]);
        r->w[q] = 1 / ((double)p * (double)P * value * value);
        /* With ω = (x² − 1) P_p', ∏_{j≠q} (ξ_q − ξ_j) ~ ω'(ξ_q) = p (p + 1) P_p(ξ_q). */
        r->barycentric[q] = 1 / value;
        for (size_t k = 0; k < 3; k++) {
            size_t degree = p + k >= 2 ? p + k - 2 : 0;
            double norm = degree == p ? (double)p : 2 * (double)degree + 1;
            double of, unused;
            legendre(degree, xi[q], &of, &unused);
            r->legendre[k * P + q] = norm * r->w[q] * of;
        }
    }
    r->t[0] = 0;
    r->t[p] = 1;
    fill_derivatives(r, xi);
    return MST_OK;
}

void rule_free(rule *r)
{
    mst_release(r->block);
    r->block = NULL;
}

mst_status mesh_new(mesh *g, const rule *r, size_t elements, size_t d)
{
    size_t nodes = elements * r->p + 1;
    *g = (mesh){.r = r, .elements = elements, .nodes = nodes, .d = d};
    g->unknowns = (nodes - 2) * d;
    MST_TRY(mst_allocate(&g->first, 2 * nodes));
    MST_TRY(mst_allocate(&g->line, g->unknowns));
    g->row = g->first + nodes;
    g->first[0] = g->row[0] = 0;
    size_t at = 0;
    for (size_t i = 1; i < nodes; i++) {
        size_t begin = (i - 1) / r->p * r->p;
        g->first[i] = begin > 0 ? (begin - 1) * d : 0;
        g->row[i] = at;
        size_t width = i * d - g->first[i];
        for (size_t a = 0; i + 1 < nodes && a < d; a++, at += width)
            g->line[(i - 1) * d + a] = (ptrdiff_t)at - (ptrdiff_t)g->first[i];
    }
    g->size = at;
    return MST_OK;
}

void mesh_free(mesh *g)
{
    mst_release(g->first);
    mst_release(g->line);
    g->first = NULL;
    g->line = NULL;
}

/* ---- Paths ---- */

mst_status path_reserve(path *p, size_t elements, size_t degree, size_t width)
{
    size_t need = (elements * degree + 1) * width, breaks = elements + 1;
    need = need < 13 * width ? 13 * width : need; /* most paths never need more */
    breaks = breaks < 4 ? 4 : breaks;
    if (need > p->room) {
        mst_release(p->x);
        p->room = 0;
        MST_TRY(mst_allocate(&p->x, need));
        p->room = need;
    }
    if (breaks > p->break_room) {
        mst_release(p->breaks);
        p->break_room = 0;
        MST_TRY(mst_allocate(&p->breaks, breaks));
        p->break_room = breaks;
    }
    p->elements = elements;
    p->p = degree;
    p->width = width;
    return MST_OK;
}

void path_free(path *p)
{
    mst_release(p->x);
    mst_release(p->breaks);
    *p = (path){0};
}

enum { MOST_NODES = 16 };

/* Weights (P) of the nodes of an element for the value at s ∈ [0, 1]. */
static void weigh(const rule *r, double s, double *weights)
{
    size_t P = r->p + 1;
    double sum = 0;
    for (size_t j = 0; j < P; j++)
        weights[j] = r->barycentric[j] / (s - r->t[j]);
    for (size_t j = 0; j < P; j++)
        sum += weights[j];
    double share = 1 / sum;
    for (size_t j = 0; j < P; j++)
        weights[j] *= share;
    for (size_t j = 0; !isfinite(sum) && j < P; j++) /* at a node */
        weights[j] = s == r->t[j] ? 1 : 0;
}

void path_at(const path *p, const rule *r, double t, double *x)
{
    size_t P = r->p + 1, e = 0, width = p->width;
    double weights[MOST_NODES];
    while (e + 1 < p->elements && t > p->breaks[e + 1])
        e++;
    double h = p->breaks[e + 1] - p->breaks[e];
    weigh(r, (t - p->breaks[e]) / h, weights);
    const double *values = p->x + e * r->p * width;
    for (size_t k = 0; k < width; k++) {
        double sum = 0;
        for (size_t j = 0; j < P; j++)
            sum += weights[j] * (values[j * width + k] - values[k]);
        x[k] = values[k] + sum;
    }
}

static double norm(size_t n, const double *a)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * a[k];
    return sqrt(sum);
}

/* 2 + |x''|/|x'| at the nodes, into (nodes); of polygons by differences. room: 2 P width. */
static void find_density(const path *from, const rule *old, double *room, double *density)
{
    size_t p = old->p, P = p + 1, width = from->width, nodes = path_nodes(from);
    double *v = room, *a = v + P * width;
    for (size_t e = 0; p > 1 && e < from->elements; e++) {
        const double *x = from->x + e * p * width;
        double h = from->breaks[e + 1] - from->breaks[e];
        memset(room, 0, 2 * P * width * sizeof *room);
        for (size_t q = 0; q < P; q++)
            for (size_t j = 0; j < P; j++)
                for (size_t k = 0; k < width; k++)
                    v[q * width + k] += old->d[q * P + j] / h * (x[j * width + k] - x[k]);
        for (size_t q = 0; q < P; q++)
            for (size_t j = 0; j < P; j++)
                for (size_t k = 0; k < width; k++)
                    a[q * width + k] += old->d[q * P + j] / h * v[j * width + k];
        for (size_t q = 0; q < P; q++)
            density[e * p + q] = 2 + norm(width, a + q * width) / norm(width, v + q * width);
    }
    for (size_t i = 0; p == 1 && i < nodes; i++) {
        size_t at = i == 0 ? 1 : i + 1 == nodes ? nodes - 2 : i;
        const double *x = from->x + at * width;
        double h = from->breaks[at] - from->breaks[at - 1]; /* they are even */
        for (size_t k = 0; k < width; k++) {
            v[k] = (x[k + width] - x[k - width]) / (2 * h);
            a[k] = (x[k + width] - 2 * x[k] + x[k - width]) / (h * h);
        }
        density[i] = 2 + norm(width, a) / norm(width, v);
    }
    for (size_t i = 0; i < nodes; i++)
        if (!(density[i] < 1e6))
            density[i] = 1e6;
}

static double time_of(const path *p, const rule *r, size_t node)
{
    size_t e = node / r->p == p->elements ? p->elements - 1 : node / r->p;
    return p->breaks[e] + (p->breaks[e + 1] - p->breaks[e]) * r->t[node - e * r->p];
}

/* Breaks that share the density out, by the trapezium rule between nodes. */
static mst_status choose_breaks(const path *from, const rule *old, path *to)
{
    size_t nodes = path_nodes(from), m = to->elements, i = 0;
    double *room;
    MST_TRY(mst_allocate(&room, 2 * (old->p + 1) * from->width + 3 * nodes));
    double *density = room + 2 * (old->p + 1) * from->width, *sum = density + nodes,
           *t = sum + nodes;
    find_density(from, old, room, density);
    sum[0] = t[0] = 0;
    for (size_t k = 1; k < nodes; k++) {
        t[k] = time_of(from, old, k);
        sum[k] = sum[k - 1] + 0.5 * (density[k] + density[k - 1]) * (t[k] - t[k - 1]);
    }
    to->breaks[0] = 0;
    to->breaks[m] = 1;
    for (size_t e = 1; e < m; e++) {
        double want = sum[nodes - 1] * (double)e / (double)m;
        while (sum[i + 1] < want)
            i++;
        to->breaks[e] = t[i] + (want - sum[i]) / (sum[i + 1] - sum[i]) * (t[i + 1] - t[i]);
    }
    mst_release(room);
    return MST_OK;
}

mst_status path_refine(const path *from, const rule *old, path *to, const rule *r, size_t elements)
{
    size_t width = from->width;
    MST_TRY(path_reserve(to, elements, r->p, width));
    to->breaks[0] = 0;
    to->breaks[elements] = 1;
    if (elements > 1)
        MST_TRY(choose_breaks(from, old, to));
    for (size_t e = 0; e < elements; e++)
        for (size_t q = e == 0; q < r->p; q++) {
            double h = to->breaks[e + 1] - to->breaks[e];
            path_at(from, old, to->breaks[e] + h * r->t[q], to->x + (e * r->p + q) * width);
        }
    size_t bytes = width * sizeof *to->x;
    memcpy(to->x, from->x, bytes);
    memcpy(to->x + (path_nodes(to) - 1) * width, from->x + (path_nodes(from) - 1) * width, bytes);
    return MST_OK;
}
