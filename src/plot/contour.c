/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Level sets of the density by marching squares on a grid of the page. */
#include "base/internal.h"
#include "plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In points: a letter is 5 wide. */
#define GRID_STEP 1.5

typedef struct grid {
    size_t cols, rows;
    double left, top, dx, dy;
    double *value; /* (rows, cols); NAN where there is no point */
} grid;

/* A function of points of the manifold. */
typedef mst_status function_at(const void *context, size_t n, const double *x, double *out);

static mst_status density_at(const void *picture, size_t n, const double *x, double *out)
{
    return plot_log_density(picture, n, x, out);
}

static mst_status fill_grid(const mst_picture *p, const projection *to, function_at *f,
                            const void *context, grid *g)
{
    size_t n = g->rows * g->cols, D = mst_manifold_ambient(p->m), kept = 0;
    double *xy, *x, *value;
    unsigned char *inside;
    MST_TRY(mst_allocate(&xy, n * (3 + D)));
    x = xy + 2 * n;
    value = x + D * n;
    mst_status status = mst_allocate(&inside, n);
    if (status == MST_OK) {
        for (size_t i = 0; i < n; i++) {
            size_t row = i / g->cols, col = i % g->cols;
            xy[2 * i] = g->left + g->dx * (double)col;
            xy[2 * i + 1] = g->top + g->dy * (double)row;
        }
        to->lift(to, n, xy, x, inside);
        for (size_t i = 0; i < n; i++)
            if (inside[i]) {
                for (size_t j = 0; j < D; j++)
                    x[kept * D + j] = x[i * D + j];
                kept++;
            }
        status = f(context, kept, x, value);
    }
    for (size_t i = n; i-- > 0 && status == MST_OK;)
        g->value[i] = inside[i] ? value[--kept] : NAN;
    mst_release(inside);
    mst_release(xy);
    return status;
}

/* Where the level is crossed between two corners, 0 … 1. */
static double crossing(double a, double b, double level)
{
    double s = (level - a) / (b - a);
    return s >= 0 && s <= 1 ? s : 0.5;
}

/* Says whether there was anything to draw. */
static bool draw_cell(canvas *c, const grid *g, size_t row, size_t col, double level)
{
    /* Corners and edges in turn: upper left, upper right, lower right, lower left. */
    const double *v = g->value + row * g->cols + col;
    const double corner[4] = {v[0], v[1], v[g->cols + 1], v[g->cols]};
    static const double cx[4] = {0, 1, 1, 0}, cy[4] = {0, 0, 1, 1};
    double at[4][2];
    int count = 0, above[4];
    for (int k = 0; k < 4; k++) {
        if (isnan(corner[k]))
            return false;
        above[k] = corner[k] > level;
    }
    for (int k = 0; k < 4; k++) {
        int next = (k + 1) % 4;
        if (above[k] == above[next])
            continue;
        double s = crossing(corner[k], corner[next], level);
        at[count][0] = g->left + g->dx * ((double)col + cx[k] + s * (cx[next] - cx[k]));
        at[count][1] = g->top + g->dy * ((double)row + cy[k] + s * (cy[next] - cy[k]));
        count++;
    }
    /* Four crossings: a saddle, whose pieces go around the corners that are above if the middle is not. */
    double middle = (corner[0] + corner[1] + corner[2] + corner[3]) / 4;
    int turn = count == 4 && (middle > level) == (above[0] != 0) ? 0 : 3;
    for (int k = 0; k + 1 < count; k += 2) {
        int from = count == 4 ? (k + turn) % 4 : k, to = count == 4 ? (k + turn + 1) % 4 : k + 1;
        canvas_move(c, at[from][0], at[from][1]);
        canvas_draw_to(c, at[to][0], at[to][1]);
    }
    return count > 0;
}

static bool draw_level(canvas *c, const grid *g, double level)
{
    bool drawn = false;
    for (size_t row = 0; row + 1 < g->rows; row++)
        for (size_t col = 0; col + 1 < g->cols; col++)
            drawn |= draw_cell(c, g, row, col, level);
    return drawn;
}

static mst_status open_grid(grid *g, const projection *to)
{
    *g = (grid){.cols = (size_t)(to->width / GRID_STEP) + 2,
                .rows = (size_t)(to->height / GRID_STEP) + 2,
                .left = to->left,
                .top = to->top};
    g->dx = to->width / (double)(g->cols - 1);
    g->dy = to->height / (double)(g->rows - 1);
    return mst_allocate(&g->value, g->rows * g->cols);
}

mst_status plot_contours(canvas *c, const mst_picture *p, const projection *to)
{
    static const double shares[] = {0.5, 0.8, 0.95};
    enum { LEVELS = sizeof shares / sizeof *shares };
    const paint look = {0, 0.45, 0.33, 1};
    double levels[LEVELS];
    if (to->lift == NULL || !plot_has_density(p))
        return MST_OK;
    grid g;
    MST_TRY(open_grid(&g, to));
    mst_status status = plot_density_levels(p, LEVELS, shares, levels);
    if (status == MST_OK)
        status = fill_grid(p, to, density_at, p, &g);
    char name[80] = "", hidden[40] = "";
    for (size_t k = 0; k < LEVELS && status == MST_OK; k++) {
        bool drawn = draw_level(c, &g, levels[k]);
        char *list = drawn ? name : hidden;
        size_t used = strlen(list);
        snprintf(list + used, sizeof hidden - used, "%s%g", used > 0 ? ", " : "", 100 * shares[k]);
        canvas_stroke(c, (pen){paint_dimmed(look, 0.2 * (double)k), 0.7, false});
    }
    if (status == MST_OK && *name != '\0') {
        snprintf(name + strlen(name), sizeof name - strlen(name),
                 " %% of the fitted law (dark to light)");
        canvas_legend(c, name, MARKER_LINE, look, true);
    }
    if (status == MST_OK && *hidden != '\0')
        canvas_note(c, "The contour%s of %s %% of the law %s not in sight.",
                    strchr(hidden, ',') != NULL ? "s" : "", hidden,
                    strchr(hidden, ',') != NULL ? "are" : "is");
    mst_release(g.value);
    return status;
}
