/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fields of tangent vectors as arrows. All have one scale, in which the longest is as long as it can be
 * without reaching its neighbours. */
#include "plot/picture.h"

#include "base/internal.h"

#include <math.h>

/* Where the page goes if the point moves along the vector, by differences: at and there (n, 2). */
static mst_status move_rows(const mst_picture *p, const projection *to, double step, double *x,
                            double *at, double *there, unsigned char *front)
{
    size_t n = p->field_count, D = mst_manifold_ambient(p->m);
    for (size_t i = 0; i < n * D; i++)
        x[i] = step * p->field_vectors[i];
    MST_TRY(mst_manifold_exp(p->m, n, p->field_at, x, x + n * D));
    to->place(to, n, x + n * D, there, front);
    to->place(to, n, p->field_at, at, front);
    return MST_OK;
}

static double longest(const mst_picture *p)
{
    size_t D = mst_manifold_ambient(p->m);
    double most = 0;
    for (size_t i = 0; i < p->field_count; i++) {
        double sum = 0;
        for (size_t j = 0; j < D; j++)
            sum += p->field_vectors[i * D + j] * p->field_vectors[i * D + j];
        most = fmax(most, isfinite(sum) ? sqrt(sum) : 0);
    }
    return most;
}

mst_status plot_field(canvas *c, const mst_picture *p, const projection *to)
{
    const double longest_arrow = 16, epsilon = 1e-5;
    size_t n = p->field_count, D = p->m != NULL ? mst_manifold_ambient(p->m) : 0;
    double *x, *at, *there, most = 0;
    unsigned char *front;
    size_t hidden = 0;
    if (n == 0 || D == 0 || !(longest(p) > 0))
        return MST_OK;
    double step = epsilon / longest(p);
    MST_TRY(mst_allocate(&x, n * (2 * D + 4)));
    at = x + 2 * n * D;
    there = at + 2 * n;
    mst_status status = mst_allocate(&front, n);
    if (status == MST_OK)
        status = move_rows(p, to, step, x, at, there, front);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double length = hypot(there[2 * i] - at[2 * i], there[2 * i + 1] - at[2 * i + 1]);
        most = isfinite(length) && front[i] ? fmax(most, length) : most;
        hidden += !front[i];
    }
    for (size_t i = 0; i < n && status == MST_OK && most > 0; i++) {
        double scale = longest_arrow / most, *from = at + 2 * i, *end = there + 2 * i;
        double tip[2] = {from[0] + scale * (end[0] - from[0]),
                         from[1] + scale * (end[1] - from[1])};
        if (front[i] && isfinite(tip[0]) && isfinite(tip[1]))
            canvas_arrow(c, from, tip, (pen){paint_ink, 0.6, false});
    }
    if (status == MST_OK && hidden > 0)
        canvas_note(c, "Arrows behind are not drawn.");
    if (status == MST_OK && p->field_name != NULL)
        canvas_legend(c, p->field_name, MARKER_LINE, paint_ink, true);
    mst_release(front);
    mst_release(x);
    return status;
}
