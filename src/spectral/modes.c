/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "spectral/modes.h"

#include "base/linalg.h"
#include "spectral/kernels.h"

#include <math.h>
#include <string.h>

/* ---- The matrices ∫fg and ∫<∇f, ∇g> ---- */

/* Nodes of one product. */
enum { BLOCK = 64, W = SPECTRAL_WIDTH };

/* What the products of a block of nodes need: values, and derivatives along the frame, times the root of the
 * nodes' weights, in panels. */
typedef struct node_panels {
    double *work, *table, *frame, *value, *slope;
} node_panels;

static mst_status put_node(const closed_surface *s, const double *x, double weight, size_t i,
                           node_panels *p)
{
    size_t m = s->functions;
    double root = sqrt(weight);
    MST_TRY(mst_manifold_frame(s->m, 1, x, p->frame));
    MST_TRY(s->kind->functions(s, x, p->frame, SURFACE_SECOND, p->work, p->table));
    for (size_t j = 0; j < m; j++) {
        size_t panel = j / W * W * BLOCK, at = j % W;
        p->value[panel + i * W + at] = root * p->table[j];
        p->slope[2 * panel + 2 * i * W + at] = root * p->table[m + j];
        p->slope[2 * panel + (2 * i + 1) * W + at] = root * p->table[2 * m + j];
    }
    return MST_OK;
}

/* Sums over nodes; lower triangles of matrices (width, width), of which (functions, functions) are used. */
static mst_status assemble(const closed_surface *s, size_t n, const double *points,
                           const double *weights, size_t width, double *mass, double *stiffness)
{
    const spectral_kernels *k = MST_PICK(spectral_kernels);
    size_t m = s->functions, D = mst_manifold_ambient(s->m);
    node_panels p;
    MST_TRY(mst_allocate_zero(&p.work, s->work + 3 * m + 2 * D + 3 * BLOCK * width));
    p.table = p.work + s->work;
    p.frame = p.table + 3 * m;
    p.value = p.frame + 2 * D;
    p.slope = p.value + BLOCK * width;
    mst_status status = MST_OK;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        for (size_t i = 0; status == MST_OK && i < BLOCK; i++) {
            size_t node = at + i < n ? at + i : at; /* nodes beyond the last weigh nothing */
            status = put_node(s, points + node * D, at + i < n ? weights[node] : 0, i, &p);
        }
        k->gram(BLOCK, width, p.value, mass);
        k->gram(2 * BLOCK, width, p.slope, stiffness);
    }
    mst_release(p.work);
    return status;
}

/* ---- Blocks ---- */

static bool is_tied(size_t width, const double *a, size_t i, size_t j)
{
    const double least = 1e-12;
    return fabs(a[i * width + j]) > least * sqrt(a[i * width + i] * a[j * width + j]);
}

static size_t root_of(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The functions in an order in which those that are tied to each other by either matrix stand together. */
static mst_status find_blocks(spectral_modes *s, size_t width, const double *mass,
                              const double *stiffness)
{
    size_t n = s->count, *parent, placed = 0;
    MST_TRY(mst_allocate(&parent, n));
    for (size_t i = 0; i < n; i++)
        parent[i] = i;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (is_tied(width, mass, i, j) || is_tied(width, stiffness, i, j))
                parent[root_of(parent, i)] = root_of(parent, j);
    for (size_t i = 0; i < n; i++) {
        if (root_of(parent, i) != i)
            continue;
        spectral_block *b = &s->block[s->blocks++];
        b->first = placed;
        for (size_t j = 0; j < n; j++)
            if (root_of(parent, j) == i)
                s->order[placed++] = j;
        b->size = placed - b->first;
    }
    mst_release(parent);
    return MST_OK;
}

/* ---- Eigenvectors ---- */

static void take_block(const spectral_modes *s, const spectral_block *b, size_t width,
                       const double *from, double *to)
{
    const size_t *order = s->order + b->first;
    for (size_t i = 0; i < b->size; i++)
        for (size_t j = 0; j < b->size; j++) {
            size_t k = order[i] > order[j] ? order[i] : order[j], l = order[i] + order[j] - k;
            to[i * b->size + j] = from[k * width + l];
        }
}

/* K c = λ M c: with M = LLᵀ the eigenvectors v of L⁻¹KL⁻ᵀ give c = L⁻ᵀv = M⁻¹Lv. */
static mst_status solve_block(const spectral_modes *s, size_t n, double *mass, double *stiffness,
                              double *lambda, double *coefficient)
{
    if (mst_cholesky(1, n, mass, mass, NULL) != MST_OK)
        return mst_fail(MST_UNABLE, "the functions on %s cannot be told apart; take fewer",
                        mst_manifold_spec(s->surface->m));
    mst_lower_solve(n, mass, stiffness);
    mst_transpose(n, stiffness);
    mst_lower_solve(n, mass, stiffness);
    MST_TRY(mst_eigen_symmetric(1, n, stiffness, lambda, stiffness, NULL));
    for (size_t k = 0; k < n; k++) { /* row k becomes L v, from its end on */
        double *v = stiffness + k * n;
        for (size_t i = n; i-- > 0;) {
            double sum = 0;
            for (size_t j = 0; j <= i; j++)
                sum += mass[i * n + j] * v[j];
            v[i] = sum;
        }
    }
    mst_dense_cholesky_solve(n, mass, n, stiffness);
    mst_transpose(n, stiffness);
    memcpy(coefficient, stiffness, n * n * sizeof *stiffness);
    return MST_OK;
}

/* Exactly one mode is constant, on a connected surface. */
static mst_status settle_constant(spectral_modes *s)
{
    size_t least = 0;
    double next = INFINITY;
    for (size_t k = 1; k < s->count; k++)
        least = s->lambda[k] < s->lambda[least] ? k : least;
    for (size_t k = 0; k < s->count; k++)
        s->largest = fmax(s->largest, s->lambda[k]);
    for (size_t k = 0; k < s->count; k++)
        next = k != least ? fmin(next, s->lambda[k]) : next;
    if (!(fabs(s->lambda[least]) < 1e-8 * next))
        return mst_fail(MST_UNABLE, "%s has no constant function among its eigenfunctions",
                        mst_manifold_spec(s->surface->m));
    s->lambda[least] = 0;
    return MST_OK;
}

static mst_status solve(spectral_modes *s, size_t width, const double *mass,
                        const double *stiffness)
{
    size_t largest = 0, numbers = 0;
    double *work;
    MST_TRY(find_blocks(s, width, mass, stiffness));
    for (size_t k = 0; k < s->blocks; k++) {
        size_t size = s->block[k].size;
        largest = size > largest ? size : largest;
        numbers += size * size;
    }
    MST_TRY(mst_allocate(&s->coefficient, numbers));
    MST_TRY(mst_allocate(&work, 2 * largest * largest));
    mst_status status = MST_OK;
    double *next = s->coefficient;
    for (size_t k = 0; status == MST_OK && k < s->blocks; k++) {
        spectral_block *b = &s->block[k];
        size_t numbers_here = b->size * b->size;
        take_block(s, b, width, mass, work);
        take_block(s, b, width, stiffness, work + numbers_here);
        status = solve_block(s, b->size, work, work + numbers_here, s->lambda + b->first, next);
        b->coefficient = next;
        next += numbers_here;
    }
    mst_release(work);
    return status == MST_OK ? settle_constant(s) : status;
}

static mst_status find_modes(spectral_modes *s)
{
    const closed_surface *surface = s->surface;
    size_t n, width = (s->count + W - 1) / W * W;
    double *points = NULL, *weights = NULL, *mass = NULL;
    mst_status status = surface->kind->nodes(surface, &n, &points, &weights);
    if (status == MST_OK)
        status = mst_allocate_zero(&mass, 2 * width * width);
    if (status == MST_OK)
        status = assemble(surface, n, points, weights, width, mass, mass + width * width);
    for (size_t k = 0; status == MST_OK && k < n; k++)
        s->area += weights[k];
    if (status == MST_OK)
        status = solve(s, width, mass, mass + width * width);
    mst_release(points);
    mst_release(weights);
    mst_release(mass);
    return status;
}

/* ---- The object ---- */

mst_status spectral_modes_new(spectral_modes **out, const mst_manifold *m, size_t functions)
{
    MST_TRY(mst_allocate_zero(out, 1));
    spectral_modes *s = *out;
    mst_status status = closed_surface_new(&s->surface, m, functions);
    if (status == MST_OK) {
        s->count = s->surface->functions;
        status = mst_allocate(&s->lambda, s->count);
    }
    if (status == MST_OK)
        status = mst_allocate(&s->order, s->count);
    if (status == MST_OK)
        status = mst_allocate_zero(&s->block, s->count);
    if (status == MST_OK)
        status = find_modes(s);
    if (status != MST_OK) {
        spectral_modes_free(s);
        *out = NULL;
    }
    return status;
}

void spectral_modes_free(spectral_modes *s)
{
    if (s == NULL)
        return;
    closed_surface_free(s->surface);
    mst_release(s->block);
    mst_release(s->order);
    mst_release(s->lambda);
    mst_release(s->coefficient);
    mst_release(s);
}

size_t spectral_modes_keep(const spectral_modes *s, double t, size_t *keep, double *lambda)
{
    const double least = 45; /* e⁻⁴⁵ = 3e-20 */
    size_t kept = 0;
    for (size_t k = 0; k < s->blocks; k++) {
        const spectral_block *b = &s->block[k];
        keep[k] = 0;
        while (keep[k] < b->size && 0.5 * s->lambda[b->first + keep[k]] * t < least)
            lambda[kept++] = s->lambda[b->first + keep[k]++];
    }
    return kept;
}

size_t spectral_modes_work(const spectral_modes *s)
{
    return s->surface->work + 2 * SURFACE_ROWS * s->count + 2 * mst_manifold_ambient(s->surface->m);
}

mst_status spectral_modes_values(const spectral_modes *s, const double *x, size_t rows,
                                 const size_t *keep, size_t kept, double *work, double *out)
{
    const spectral_kernels *kernels = MST_PICK(spectral_kernels);
    const closed_surface *surface = s->surface;
    double *table = work + surface->work, *part = table + rows * s->count,
           *frame = part + rows * s->count;
    MST_TRY(mst_manifold_frame(surface->m, 1, x, frame));
    MST_TRY(surface->kind->functions(surface, x, frame, rows, work, table));
    for (size_t k = 0; k < s->blocks; k++) {
        const spectral_block *b = &s->block[k];
        for (size_t r = 0; r < rows && keep[k] > 0; r++)
            for (size_t j = 0; j < b->size; j++)
                part[r * b->size + j] = table[r * s->count + s->order[b->first + j]];
        kernels->multiply(rows, b->size, keep[k], b->size, part, b->coefficient, kept, out);
        out += keep[k];
    }
    return MST_OK;
}
