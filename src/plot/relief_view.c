/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Triangles as a shaded image, seen from afar, with the depth of every pixel. */
#include "plot/relief.h"

#include "base/internal.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void make_unit(double *a)
{
    double length = sqrt(dot(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= length > 0 ? length : 1;
}

void relief_view_turn(relief_view *v, const double *middle, const double *x, const double *normal)
{
    double n[3], out[3];
    memcpy(n, normal, sizeof n);
    make_unit(n);
    for (int i = 0; i < 3; i++)
        out[i] = x[i] - middle[i];
    bool flat = fabs(n[2]) > 0.75;
    /* Outward; of a hill or a bowl, from above. */
    if (flat ? dot(n, out) < -0.2 * sqrt(dot(out, out)) ||
                   (fabs(dot(n, out)) < 0.2 * sqrt(dot(out, out)) && n[2] < 0)
             : dot(n, out) < 0)
        for (int i = 0; i < 3; i++)
            n[i] = -n[i];
    const double above[3] = {0.45, -0.75, n[2] < 0 ? -0.8 : 0.8};
    for (int i = 0; i < 3; i++)
        v->toward[i] = flat ? above[i] : n[i] + (i == 2 ? 0.5 : 0);
    make_unit(v->toward);
    double along = v->toward[2];
    for (int i = 0; i < 3; i++)
        v->up[i] = (i == 2 ? 1 : 0) - along * v->toward[i];
    make_unit(v->up);
    v->right[0] = v->up[1] * v->toward[2] - v->up[2] * v->toward[1];
    v->right[1] = v->up[2] * v->toward[0] - v->up[0] * v->toward[2];
    v->right[2] = v->up[0] * v->toward[1] - v->up[1] * v->toward[0];
}

static void turn(const relief_view *v, const double *at, double out[3])
{
    out[0] = dot(v->right, at);
    out[1] = dot(v->up, at);
    out[2] = dot(v->toward, at);
}

/* ---- Pixels ---- */

static paint shade(const relief_view *v, const double *normal)
{
    double n[3], length;
    turn(v, normal, n);
    length = sqrt(dot(n, n));
    if (n[2] < 0)
        length = -length; /* the side that is seen */
    double light = (-0.45 * n[0] + 0.5 * n[1] + 0.74 * n[2]) / (length != 0 ? length : 1);
    double bright = 0.6 + 0.4 * fmax(0, light);
    return (paint){bright * 0.95, bright * 0.965, bright * 0.985, 1};
}

static void fill_triangle(const relief_view *v, const double p[3][3], const double *const normal[3],
                          uint32_t *pixels)
{
    double det =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (!(fabs(det) > 0))
        return;
    double low = fmin(p[0][1], fmin(p[1][1], p[2][1])),
           high = fmax(p[0][1], fmax(p[1][1], p[2][1]));
    double left = fmin(p[0][0], fmin(p[1][0], p[2][0])),
           right = fmax(p[0][0], fmax(p[1][0], p[2][0]));
    for (size_t row = (size_t)fmax(0, floor(low)); (double)row <= high && row < v->rows; row++)
        for (size_t column = (size_t)fmax(0, floor(left));
             (double)column <= right && column < v->columns; column++) {
            double x = (double)column + 0.5 - p[0][0], y = (double)row + 0.5 - p[0][1];
            double b = (x * (p[2][1] - p[0][1]) - y * (p[2][0] - p[0][0])) / det;
            double c = (y * (p[1][0] - p[0][0]) - x * (p[1][1] - p[0][1])) / det, a = 1 - b - c;
            const double least = -1e-6;
            if (a < least || b < least || c < least)
                continue;
            double depth = a * p[0][2] + b * p[1][2] + c * p[2][2], n[3];
            size_t at = row * v->columns + column;
            if (depth <= v->depth[at])
                continue;
            v->depth[at] = depth;
            double first = dot(normal[0], normal[1]) < 0 ? -1 : 1,
                   second = dot(normal[0], normal[2]) < 0 ? -1 : 1;
            for (int i = 0; i < 3; i++)
                n[i] = a * normal[0][i] + b * first * normal[1][i] + c * second * normal[2][i];
            pixels[at] = paint_pixel(shade(v, n));
        }
}

/* A line where the surface ends, or where it passes in front of itself. */
static void draw_edges(const relief_view *v, uint32_t *pixels)
{
    uint32_t ink = paint_pixel(paint_dimmed(paint_quiet, 0.1));
    double jump = 0.04 * v->deep;
    for (size_t i = 1; i + 1 < v->rows; i++)
        for (size_t j = 1; j + 1 < v->columns; j++) {
            size_t at = i * v->columns + j;
            double here = v->depth[at];
            if (!isfinite(here))
                continue;
            double least = fmin(fmin(v->depth[at - 1], v->depth[at + 1]),
                                fmin(v->depth[at - v->columns], v->depth[at + v->columns]));
            if (here - least > jump)
                pixels[at] = ink;
        }
}

static void take_ranges(relief_view *v, const relief *g)
{
    double deepest = INFINITY, nearest = -INFINITY;
    for (int k = 0; k < 2; k++) {
        v->low[k] = INFINITY;
        v->high[k] = -INFINITY;
    }
    for (size_t i = 0; i < g->count; i++) {
        double at[3];
        turn(v, g->at + 3 * i, at);
        for (int k = 0; k < 2; k++) {
            v->low[k] = fmin(v->low[k], at[k]);
            v->high[k] = fmax(v->high[k], at[k]);
        }
        deepest = fmin(deepest, at[2]);
        nearest = fmax(nearest, at[2]);
    }
    v->deep = nearest - deepest;
}

mst_status relief_draw(relief_view *v, canvas *c, const relief *g, double left, double top,
                       double width)
{
    const double border = 3; /* in dots */
    if (g->count == 0)
        return mst_fail(MST_UNABLE, "nothing of the surface is near the points");
    take_ranges(v, g);
    v->left = left;
    v->top = top;
    double high_limit = 1.05 * width, wide = v->high[0] - v->low[0], tall = v->high[1] - v->low[1];
    v->scale = fmin(width / wide, high_limit / tall);
    v->left += (width - v->scale * wide) / 2;
    v->dots = canvas_options(c)->resolution / 72;
    v->columns = canvas_dots(c, v->scale * wide) + 2 * (size_t)border;
    v->rows = canvas_dots(c, v->scale * tall) + 2 * (size_t)border;
    uint32_t *pixels;
    MST_TRY(mst_allocate_zero(&pixels, v->columns * v->rows));
    mst_status status = mst_allocate(&v->depth, v->columns * v->rows);
    for (size_t i = 0; i < v->columns * v->rows && status == MST_OK; i++)
        v->depth[i] = -INFINITY;
    for (size_t i = 0; i + 2 < g->count && status == MST_OK; i += 3) {
        double p[3][3];
        const double *normal[3];
        for (size_t k = 0; k < 3; k++) {
            turn(v, g->at + 3 * (i + k), p[k]);
            p[k][0] = border + v->dots * v->scale * (p[k][0] - v->low[0]);
            p[k][1] = border + v->dots * v->scale * (v->high[1] - p[k][1]);
            normal[k] = g->normal + 3 * (i + k);
        }
        fill_triangle(v, p, normal, pixels);
    }
    if (status == MST_OK) {
        draw_edges(v, pixels);
        status = canvas_image(c, v->left - border / v->dots, v->top - border / v->dots,
                              (double)v->columns / v->dots, (double)v->rows / v->dots, v->columns,
                              v->rows, pixels);
    }
    mst_release(pixels);
    return status;
}

bool relief_view_place(const relief_view *v, const double *at, double xy[2])
{
    const double border = 3;
    double turned[3];
    turn(v, at, turned);
    double x = v->scale * (turned[0] - v->low[0]), y = v->scale * (v->high[1] - turned[1]);
    xy[0] = v->left + x;
    xy[1] = v->top + y;
    double column = border + v->dots * x, row = border + v->dots * y;
    if (!(column >= 0 && row >= 0 && column < (double)v->columns && row < (double)v->rows))
        return true;
    /* At the rim a point may be beside the pixels of its own surface by rounding. */
    return turned[2] >= v->depth[(size_t)row * v->columns + (size_t)column] - 0.03 * v->deep;
}
