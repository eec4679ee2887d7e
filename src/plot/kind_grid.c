/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The thin-plate spline from a mean to a specimen, as it bends a square grid (Bookstein 1989). */
#include "plot/shapes.h"

#include "base/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool suits(const mst_picture *p)
{
    return shapes_suits(p) && mst_manifold_traits_of(p->m)->landmark_dim == 2;
}

/* ---- The spline: f(x) = a + A x + Σ w_k U(|x − p_k|), U = r² log r², with f(p_k) = q_k ---- */

typedef struct spline {
    size_t k;
    const double *from; /* (k, 2) */
    double *weights;    /* (2, k + 3): of U, then of 1, x and y, for both coordinates */
    double bending;     /* Σ wᵀ U w: the energy */
} spline;

static double bump(double dx, double dy)
{
    double square = dx * dx + dy * dy;
    return square > 0 ? square * log(square) : 0;
}

static void fill_system(const spline *t, const double *to, double *a, double *b)
{
    size_t k = t->k, order = k + 3;
    memset(a, 0, order * order * sizeof *a);
    memset(b, 0, 2 * order * sizeof *b);
    for (size_t i = 0; i < k; i++) {
        const double row[3] = {1, t->from[2 * i], t->from[2 * i + 1]};
        for (size_t j = 0; j < k; j++)
            a[i * order + j] =
                bump(t->from[2 * i] - t->from[2 * j], t->from[2 * i + 1] - t->from[2 * j + 1]);
        for (size_t j = 0; j < 3; j++)
            a[i * order + k + j] = a[(k + j) * order + i] = row[j];
        b[i] = to[2 * i];
        b[order + i] = to[2 * i + 1];
    }
}

static mst_status fit_spline(spline *t, size_t k, const double *from, const double *to)
{
    size_t order = k + 3;
    double *a, *b;
    *t = (spline){.k = k, .from = from};
    MST_TRY(mst_allocate(&t->weights, 2 * order));
    MST_TRY(mst_allocate(&a, order * order + 2 * order));
    b = a + order * order;
    fill_system(t, to, a, b);
    mst_status status = mst_solve(1, order, 2, a, b, t->weights, NULL);
    for (size_t side = 0; side < 2 && status == MST_OK; side++)
        for (size_t i = 0; i < k; i++)
            t->bending += t->weights[side * order + i] * b[side * order + i];
    mst_release(a);
    if (status == MST_DOMAIN)
        return mst_fail(MST_UNABLE,
                        "two landmarks of the mean coincide, or all are on a line: there is "
                        "no spline from it");
    return status;
}

static void map_point(const spline *t, double x, double y, double out[2])
{
    for (size_t side = 0; side < 2; side++) {
        const double *w = t->weights + side * (t->k + 3), *affine = w + t->k;
        double sum = affine[0] + affine[1] * x + affine[2] * y;
        for (size_t i = 0; i < t->k; i++)
            sum += w[i] * bump(x - t->from[2 * i], y - t->from[2 * i + 1]);
        out[side] = sum;
    }
}

/* ---- Which specimen ---- */

static double distance2(const shapes *s, const double *x, const double *y)
{
    double sum = 0;
    for (size_t j = 0; j < s->D; j++)
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    return sum;
}

/* Its configuration, and what it is, in words. `from` is the mean of its group. */
static mst_status choose(canvas *c, const mst_picture *p, const shapes *s, size_t *from,
                         const double **to, paint *look, char what[120])
{
    size_t row = canvas_options(c)->specimen, best = 0;
    double most = -1;
    *from = 0;
    *look = style_of_group(0).paint;
    if (row == 0 && p->mean_count > 1) {
        *to = s->means + s->D;
        *look = plot_mean_paint(p, 1);
        snprintf(what, 120, "the %s of %.60s", p->mean_word,
                 p->means[1].name != NULL ? p->means[1].name : "the second");
        return MST_OK;
    }
    if (s->n == 0)
        return mst_fail(MST_UNABLE,
                        "a grid is bent towards a specimen, and the data are not at hand");
    if (row > s->n)
        return mst_fail(MST_ARGUMENT, "there is no specimen %zu of %zu", row, s->n);
    for (size_t i = 0; i < s->n; i++) {
        double far = distance2(s, s->x + i * s->D, s->means);
        if (far > most) { /* not for one that is not a number */
            most = far;
            best = i;
        }
    }
    snprintf(what, 120, "specimen %zu%s", row > 0 ? row : best + 1,
             row > 0 ? "" : ", the farthest from the mean");
    best = row > 0 ? row - 1 : best;
    if (p->labels != NULL)
        *from = p->labels[best];
    *to = s->x + best * s->D;
    if (!isfinite((*to)[0]))
        return mst_fail(MST_UNABLE, "specimen %zu cannot be laid over the mean", best + 1);
    return MST_OK;
}

/* ---- The two sides ---- */

enum { CELLS = 18, STEPS = 6 };

typedef struct net {
    double left, bottom, cell; /* in the mean's coordinates */
    int columns, rows;
} net;

static net net_of(const shape_view *mean)
{
    double width = mean->high[0] - mean->low[0], height = mean->high[1] - mean->low[1];
    net g = {.cell = fmax(width, height) / CELLS};
    g.columns = (int)ceil(width / g.cell) + 2;
    g.rows = (int)ceil(height / g.cell) + 2;
    g.left = (mean->low[0] + mean->high[0] - g.columns * g.cell) / 2;
    g.bottom = (mean->low[1] + mean->high[1] - g.rows * g.cell) / 2;
    return g;
}

/* The lines of the net, mapped by the spline or, if it is null, as they are. */
typedef void point_taker(void *context, bool begins, const double at[2]);
static void walk_net(const net *g, const spline *t, point_taker *take, void *context)
{
    for (int upward = 0; upward < 2; upward++) {
        int lines = upward ? g->columns : g->rows, steps = STEPS * (upward ? g->rows : g->columns);
        for (int i = 0; i <= lines; i++)
            for (int j = 0; j <= steps; j++) {
                double across = upward ? i : (double)j / STEPS, up = upward ? (double)j / STEPS : i;
                double at[2] = {g->left + g->cell * across, g->bottom + g->cell * up};
                if (t != NULL)
                    map_point(t, at[0], at[1], at);
                take(context, j == 0, at);
            }
    }
}

/* By comparisons, as gcc 12 for arm64 fails on loops of fmin and fmax. */
static void widen_view(void *context, bool begins, const double at[2])
{
    shape_view *v = context;
    (void)begins;
    for (int k = 0; k < 2; k++) {
        v->low[k] = at[k] < v->low[k] ? at[k] : v->low[k];
        v->high[k] = at[k] > v->high[k] ? at[k] : v->high[k];
    }
}

typedef struct line_drawer {
    canvas *c;
    const shape_view *v;
} line_drawer;

static void draw_line(void *context, bool begins, const double at[2])
{
    const line_drawer *d = context;
    double xy[2];
    shape_view_place(d->v, at, xy);
    if (begins)
        canvas_move(d->c, xy[0], xy[1]);
    else
        canvas_draw_to(d->c, xy[0], xy[1]);
}

static void draw_side(canvas *c, const shapes *s, const shape_view *v, const net *g,
                      const spline *t, const double *x, paint look)
{
    line_drawer d = {c, v};
    double xy[2];
    walk_net(g, t, draw_line, &d);
    canvas_stroke(c, (pen){paint_dimmed(paint_quiet, 0.3), 0.35, false});
    shape_path(c, s, v, x);
    canvas_stroke(c, (pen){look, 1.2, false});
    for (size_t k = 0; k < s->landmarks; k++) {
        shape_view_place(v, x + 2 * k, xy);
        canvas_marker(c, MARKER_DISC, xy[0], xy[1], s->landmarks <= 40 ? 1.6 : 0.9, look,
                      (pen){paint_paper, 0.3, false});
    }
}

static shape_view empty_view(void)
{
    return (shape_view){
        .a = 0, .b = 1, .low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
}

static void draw_sides(canvas *c, const mst_picture *p, const shapes *s, size_t from,
                       const double *to, paint look, const spline *t, const char *what)
{
    const double gap = 8;
    const double *mean = s->means + from * s->D;
    shape_view left = empty_view(), right = empty_view();
    shape_view_take(&left, s, 1, mean);
    net g = net_of(&left);
    walk_net(&g, NULL, widen_view, &left);
    walk_net(&g, t, widen_view, &right);
    double wide = left.high[0] - left.low[0] + right.high[0] - right.low[0];
    left.scale = right.scale = (canvas_width(c) - gap - 2) / wide;
    left.left = 1;
    right.left = 1 + left.scale * (left.high[0] - left.low[0]) + gap;
    double height = left.scale * fmax(left.high[1] - left.low[1], right.high[1] - right.low[1]);
    left.top = 1 + (height - left.scale * (left.high[1] - left.low[1])) / 2;
    right.top = 1 + (height - right.scale * (right.high[1] - right.low[1])) / 2;
    canvas_set_height(c, height + 14);
    draw_side(c, s, &left, &g, NULL, mean, plot_mean_paint(p, from));
    draw_side(c, s, &right, &g, t, to, look);
    (void)shape_scale_bar(c, s, 2, height + 3, canvas_width(c), left.scale);
    canvas_legend(c, p->means[from].name != NULL ? p->means[from].name : p->mean_word, MARKER_DISC,
                  plot_mean_paint(p, from), true);
    canvas_legend(c, what, MARKER_DISC, look, true);
    canvas_note(
        c,
        "The thin-plate spline takes the %s%s%s (left) to %s (right), and the square grid with "
        "it. The bending energy is %.3g.",
        p->mean_word, p->means[from].name != NULL ? " of " : "",
        p->means[from].name != NULL ? p->means[from].name : "", what, t->bending);
}

static mst_status draw(canvas *c, const mst_picture *p)
{
    shapes s;
    spline t = {0};
    const double *to = NULL;
    paint look = {0};
    size_t from = 0;
    char what[120];
    mst_status status = shapes_open(&s, c, p);
    if (status == MST_OK)
        status = choose(c, p, &s, &from, &to, &look, what);
    if (status == MST_OK)
        status = fit_spline(&t, s.landmarks, s.means + from * s.D, to);
    if (status == MST_OK)
        draw_sides(c, p, &s, from, to, look, &t, what);
    mst_release(t.weights);
    shapes_close(&s);
    return status;
}

const plot_kind kind_grid = {
    .info = {"grid", "a grid bent from the mean to a specimen", "landmarks, kendall in the plane"},
    .suits = suits,
    .draw = draw,
};
