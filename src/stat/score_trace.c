/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The whole edge of a score region in one or two dimensions, however many pieces and holes it has: on a
 * grid in the tangent space at the mean that covers the manifold. A sphere has rows at one distance from
 * the mean, and a product of two circles has the two angles, either going round. The edge crosses grid
 * lines where one of two neighbours is held, and is found there by halving. Cells join the crossings
 * (marching squares). */
#include "stat/score_region.h"

#include "manifold/internal.h"

#include <math.h>
#include <string.h>

typedef struct lattice {
    const score_region *g;
    const double *mean;
    size_t rows, cols; /* of nodes; columns go round, rows if they are angles too */
    bool polar;
    unsigned char *held; /* (rows, cols) */
    /* The line from each node to the next column, and to the next row: the crossing, NAN if there is none. */
    double *crossing; /* (2 · rows · cols) */
    /* The two lines (or −1) that each line's crossing is joined to. */
    ptrdiff_t *joined; /* (2 · rows · cols, 2) */
} lattice;

/* The point at row `i` and column `j`, which may lie between nodes. */
static mst_status lattice_point(const lattice *t, double i, double j, double *y)
{
    const stat_piece *piece = t->g->pieces->piece;
    double *v, turn = 2 * M_PI * j / (double)t->cols;
    MST_TRY(mst_allocate(&v, 2 + t->g->D));
    if (t->polar) {
        double s = M_PI / piece->scale * i / (double)(t->rows - 1);
        v[0] = s * cos(turn);
        v[1] = s * sin(turn);
    } else { /* angles from −π on, the mean being in the middle */
        v[t->g->d - 1] = (turn - M_PI) / piece[t->g->d - 1].scale;
        if (t->g->d == 2)
            v[0] = (2 * M_PI * i / (double)t->rows - M_PI) / piece->scale;
    }
    mst_status status = mst_manifold_from_frame(t->g->m, 1, t->mean, v, v + 2);
    if (status == MST_OK)
        status = mst_manifold_exp(t->g->m, 1, t->mean, v + 2, y);
    mst_release(v);
    return status;
}

static mst_status is_held(const lattice *t, double i, double j, bool *out)
{
    double *y;
    MST_TRY(mst_allocate(&y, t->g->D));
    mst_status status = lattice_point(t, i, j, y);
    if (status == MST_OK)
        status = score_region_holds(t->g, y, out);
    mst_release(y);
    return status;
}

static mst_status ask_nodes(void *context, size_t begin, size_t end)
{
    const lattice *t = context;
    for (size_t k = begin; k < end; k++) {
        size_t row = k / t->cols, col = k % t->cols;
        bool held;
        if (t->polar && (row == 0 || row + 1 == t->rows))
            col = 0; /* one point */
        MST_TRY(is_held(t, (double)row, (double)col, &held));
        t->held[k] = held;
    }
    return MST_OK;
}

/* The node at the other end of line k, and the place of a point s of the way along it. */
static size_t other_end(const lattice *t, size_t k)
{
    size_t node = k / 2, row = node / t->cols, col = node % t->cols;
    return k % 2 == 0 ? row * t->cols + (col + 1) % t->cols : (row + 1) % t->rows * t->cols + col;
}

static void place(const lattice *t, size_t k, double s, double at[2])
{
    size_t row = k / 2 / t->cols;
    at[0] = (double)row + (k % 2 == 1 ? s : 0);
    at[1] = (double)(k / 2 % t->cols) + (k % 2 == 0 ? s : 0);
}

static mst_status find_crossings(void *context, size_t begin, size_t end)
{
    const lattice *t = context;
    for (size_t k = begin; k < end; k++) {
        double low = 0, high = 1, at[2];
        bool first = t->held[k / 2] != 0;
        t->crossing[k] = NAN;
        if ((t->polar && k % 2 == 1 && k / 2 / t->cols + 1 == t->rows) ||
            (t->g->d == 1 && k % 2 == 1) || first == (t->held[other_end(t, k)] != 0))
            continue;
        for (int step = 0; step < (t->g->d == 1 ? 12 : 6); step++) {
            bool held;
            place(t, k, (low + high) / 2, at);
            MST_TRY(is_held(t, at[0], at[1], &held));
            *(held == first ? &low : &high) = (low + high) / 2;
        }
        t->crossing[k] = first ? high : low; /* the end that is not held */
    }
    return MST_OK;
}

static mst_status lattice_open(lattice *t, const score_region *g, const double *mean, size_t rows,
                               size_t cols, bool polar, int threads)
{
    *t = (lattice){.g = g, .mean = mean, .rows = rows, .cols = cols, .polar = polar};
    size_t nodes = rows * cols;
    MST_TRY(mst_allocate_zero(&t->held, nodes));
    MST_TRY(mst_allocate(&t->crossing, 2 * nodes));
    MST_TRY(mst_allocate(&t->joined, 4 * nodes));
    for (size_t k = 0; k < 4 * nodes; k++)
        t->joined[k] = -1;
    MST_TRY(mst_parallel_blocks(nodes, 8, threads, (mst_progress){0}, ask_nodes, t));
    return mst_parallel_blocks(2 * nodes, 16, threads, (mst_progress){0}, find_crossings, t);
}

static void lattice_close(lattice *t)
{
    mst_release(t->held);
    mst_release(t->crossing);
    mst_release(t->joined);
}

static void join(lattice *t, size_t a, size_t b)
{
    t->joined[2 * a + (t->joined[2 * a] < 0 ? 0 : 1)] = (ptrdiff_t)b;
    t->joined[2 * b + (t->joined[2 * b] < 0 ? 0 : 1)] = (ptrdiff_t)a;
}

/* The crossings of a cell's four lines. Of four the middle tells which belong together. */
static mst_status join_cell(lattice *t, size_t row, size_t col)
{
    size_t right = (col + 1) % t->cols, below = (row + 1) % t->rows;
    const size_t lines[4] = {2 * (row * t->cols + col), 2 * (row * t->cols + right) + 1,
                             2 * (below * t->cols + col), 2 * (row * t->cols + col) + 1};
    size_t crossed[4], count = 0;
    for (size_t k = 0; k < 4; k++)
        if (!isnan(t->crossing[lines[k]]))
            crossed[count++] = lines[k];
    if (count == 2)
        join(t, crossed[0], crossed[1]);
    if (count != 4)
        return MST_OK;
    bool middle;
    MST_TRY(is_held(t, (double)row + 0.5, (double)col + 0.5, &middle));
    bool first = middle == (t->held[row * t->cols + col] != 0);
    join(t, lines[0], lines[first ? 1 : 3]);
    join(t, lines[2], lines[first ? 3 : 1]);
    return MST_OK;
}

/* From crossing to crossing, until the first again. */
static mst_status walk_curve(lattice *t, size_t first, unsigned char *seen, size_t *count,
                             double *points)
{
    size_t D = t->g->D, at = first, begin = *count;
    for (;;) {
        double where[2];
        place(t, at, t->crossing[at], where);
        MST_TRY(lattice_point(t, where[0], where[1], points + (*count)++ * D));
        seen[at] = 1;
        ptrdiff_t next = -1;
        for (size_t side = 0; side < 2 && next < 0; side++)
            if (t->joined[2 * at + side] >= 0 && !seen[t->joined[2 * at + side]])
                next = t->joined[2 * at + side];
        if (next < 0)
            break;
        at = (size_t)next;
    }
    memcpy(points + (*count)++ * D, points + begin * D, D * sizeof *points);
    return MST_OK;
}

static mst_status put_curves(lattice *t, score_edge *out)
{
    size_t lines = 2 * t->rows * t->cols, crossings = 0, count = 0;
    unsigned char *seen;
    for (size_t k = 0; k < lines; k++)
        crossings += isnan(t->crossing[k]) ? 0 : 1;
    if (crossings == 0)
        return MST_OK;
    MST_TRY(mst_allocate_zero(&seen, lines));
    mst_status status = mst_allocate(&out->end, crossings);
    if (status == MST_OK)
        status = mst_allocate(&out->points, 2 * crossings * t->g->D);
    for (size_t k = 0; k < lines && status == MST_OK; k++)
        if (!isnan(t->crossing[k]) && !seen[k]) {
            status = walk_curve(t, k, seen, &count, out->points);
            out->end[out->parts++] = count;
        }
    mst_release(seen);
    return status;
}

mst_status score_trace_curves(score_edge *out, const score_region *g, const double *mean,
                              size_t count, int threads)
{
    lattice t;
    bool polar = g->pieces->count == 1;
    /* Cells are squares at the equator. */
    size_t cols = (size_t)sqrt(polar ? 2 * (double)count : (double)count),
           rows = polar ? cols / 2 + 1 : cols;
    mst_status status = lattice_open(&t, g, mean, rows, cols, polar, threads);
    for (size_t row = 0; row + (polar ? 1 : 0) < rows && status == MST_OK; row++)
        for (size_t col = 0; col < cols && status == MST_OK; col++)
            status = join_cell(&t, row, col);
    if (status == MST_OK)
        status = put_curves(&t, out);
    lattice_close(&t);
    return status;
}

/* Of each arc the end before it and the end behind it. */
static mst_status put_arcs(const lattice *t, score_edge *out)
{
    size_t n = t->cols, first = 0;
    while (first < n && (t->held[first] || !t->held[(first + 1) % n]))
        first++; /* the line before the first arc */
    if (first == n)
        return MST_OK;
    MST_TRY(mst_allocate(&out->end, n));
    MST_TRY(mst_allocate(&out->points, (n + 1) * t->g->D));
    for (size_t i = 0, points = 0; i < n; i++) {
        size_t k = (first + i) % n;
        double at[2];
        if (isnan(t->crossing[2 * k]))
            continue;
        place(t, 2 * k, t->crossing[2 * k], at);
        MST_TRY(lattice_point(t, at[0], at[1], out->points + points++ * t->g->D));
        if (points % 2 == 0)
            out->end[out->parts++] = points;
    }
    return MST_OK;
}

mst_status score_trace_arcs(score_edge *out, const score_region *g, const double *mean,
                            size_t count, int threads)
{
    lattice t;
    count += count % 2; /* so that the mean is a node */
    mst_status status = lattice_open(&t, g, mean, 1, count, false, threads);
    if (status == MST_OK)
        status = put_arcs(&t, out);
    bool about = status == MST_OK && out->parts == 1 && t.held[count / 2] != 0;
    out->no_axes = !about ? MST_AXES_PIECES : t.held[0] ? MST_AXES_ROUND : MST_AXES_GIVEN;
    if (about && !t.held[0])
        status = mst_allocate_zero(&out->ellipsoid, 1);
    for (size_t k = 0; status == MST_OK && out->ellipsoid != NULL && k < count; k++) {
        double step = 2 * M_PI / (double)count / g->pieces->piece->scale,
               v = step * ((double)k + t.crossing[2 * k] - (double)count / 2);
        out->ellipsoid[0] = fmax(out->ellipsoid[0], isnan(v) ? 0 : v * v);
    }
    lattice_close(&t);
    return status;
}
