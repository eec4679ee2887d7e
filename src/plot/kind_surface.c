/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Surfaces in R^3 that formulas give, shaded; what is behind them is dimmed. */
#include "plot/relief.h"

#include "base/internal.h"
#include "manifold/in_space.h"

#include <math.h>
#include <string.h>

static bool suits(const mst_picture *p)
{
    return p->m != NULL && (p->n > 0 || p->mean_count > 0 || p->curve_count > 0) &&
           relief_suits(p->m);
}

typedef struct surface_view {
    relief_view view;
    const mst_manifold *m;
} surface_view;

static void place(const projection *p, size_t n, const double *x, double *xy, unsigned char *front)
{
    const surface_view *s = p->data;
    size_t D = mst_manifold_ambient(s->m);
    for (size_t i = 0; i < n; i++) {
        double at[3];
        if (relief_points(s->m, 1, x + i * D, at) != MST_OK)
            at[0] = NAN;
        front[i] = relief_view_place(&s->view, at, xy + 2 * i);
    }
}

/* A normal at a point of the manifold, by its tangent vectors in space. */
static mst_status normal_at(const mst_manifold *m, const double *x, double *normal)
{
    if (mst_has_equations(m))
        return mst_normals(m, 1, x, normal);
    double step[2][2] = {{1, 0}, {0, 1}}, moved[2], at[3], side[2][3];
    MST_TRY(mst_map_points(m, 1, x, at));
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++)
            moved[j] = x[j] + 1e-5 * (1 + fabs(x[j])) * step[k][j];
        MST_TRY(mst_map_points(m, 1, moved, side[k]));
        for (int i = 0; i < 3; i++)
            side[k][i] -= at[i];
    }
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        normal[i] = side[0][a] * side[1][b] - side[0][b] * side[1][a];
    }
    return MST_OK;
}

static mst_status turn_to(surface_view *s, const mst_picture *p, const relief *g)
{
    double middle[3] = {0}, at[3], normal[3];
    const double *x = plot_centre(p);
    x = x != NULL ? x : p->n > 0 ? p->x : p->curves[0].points;
    for (size_t i = 0; i < g->count; i++)
        for (int k = 0; k < 3; k++)
            middle[k] += g->at[3 * i + (size_t)k] / (double)g->count;
    MST_TRY(relief_points(p->m, 1, x, at));
    MST_TRY(normal_at(p->m, x, normal));
    relief_view_turn(&s->view, middle, at, normal);
    return MST_OK;
}

static mst_status draw_surface(canvas *c, const mst_picture *p, const relief *g, bool part)
{
    surface_view s = {.m = p->m};
    mst_status status = turn_to(&s, p, g);
    canvas_set_height(c, canvas_width(c)); /* until it is known */
    if (status == MST_OK)
        status = relief_draw(&s.view, c, g, 2, 2, canvas_width(c) - 4);
    if (status == MST_OK) {
        double high = s.view.scale * (s.view.high[1] - s.view.low[1]);
        projection to = {.m = p->m,
                         .data = &s,
                         .place = place,
                         .seam = 0.25 * canvas_width(c),
                         .left = 2,
                         .top = 2,
                         .width = canvas_width(c) - 4,
                         .height = high,
                         .back = "data behind"};
        canvas_set_height(c, high + 4);
        status = plot_layers(c, p, &to);
        canvas_note(
            c, "The surface in space, seen from %s, from afar; what is behind it is dimmed.%s",
            p->mean_count > 0 ? "about the side of the mean" : "the side of the first points",
            part ? " It is drawn as far as the points go." : "");
    }
    mst_release(s.view.depth);
    return status;
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    relief g = {0};
    bool part = false;
    mst_status status =
        mst_has_equations(p->m) ? relief_of_equation(&g, p, &part) : relief_of_map(&g, p, &part);
    if (status == MST_OK)
        status = draw_surface(c, p, &g, part);
    relief_free(&g);
    return status;
}

const plot_kind kind_surface = {
    .info = {"surface", "a surface in space, shaded", "formulas: surfaces in R^3"},
    .suits = suits,
    .draw = draw,
};
