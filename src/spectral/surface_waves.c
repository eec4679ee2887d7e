/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Charts with two periods. Functions are products of cosines and sines, as many in each direction as the
 * surface is long there; the trapezoidal rule integrates them. */
#include "spectral/surface.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;

/* Of number j of 0, cos 1, sin 1, cos 2 …: how many periods. */
static size_t periods_of(size_t j)
{
    return (j + 1) / 2;
}

/* The functions of one coordinate, numbers 0 … 2·waves, with two derivatives: (3, 2·waves + 1). */
static void one_coordinate(size_t waves, double period, double x, double *out)
{
    size_t count = 2 * waves + 1;
    double unit = two_pi / period, turn = unit * x, c1 = cos(turn), s1 = sin(turn), c = 1, s = 0;
    out[0] = 1, out[count] = 0, out[2 * count] = 0;
    for (size_t k = 1; k <= waves; k++) {
        double next = c * c1 - s * s1, rate = unit * (double)k;
        s = s * c1 + c * s1;
        c = next;
        double *to = out + 2 * k - 1;
        to[0] = c, to[1] = s;
        to[count] = -rate * s, to[count + 1] = rate * c;
        to[2 * count] = -rate * rate * c, to[2 * count + 1] = -rate * rate * s;
    }
}

/* The frame's derivatives from those of the chart: rows 11, 12, 22 of second derivatives are forms of
 * f_uu, f_uv, f_vv and, for the connection, of f_u, f_v. */
typedef struct chart_rules {
    double first[2][2], second[3][3], bend[3][2];
} chart_rules;

static mst_status rules_at(const pde_plane *p, const double *x, const double *frame, bool second,
                           chart_rules *r)
{
    double g[3], turn[3][2];
    unsigned char inside;
    memcpy(r->first, frame, sizeof r->first);
    if (!second)
        return MST_OK;
    MST_TRY(pde_plane_metric(p, 1, x, g, &inside));
    MST_TRY(pde_plane_bend(p, x, turn));
    double det = g[0] * g[2] - g[1] * g[1];
    for (size_t k = 0; k < 3; k++) {
        const double *e = frame + k / 2 * 2, *f = frame + (k + 1) / 2 * 2;
        double form[3] = {e[0] * f[0], e[0] * f[1] + e[1] * f[0], e[1] * f[1]};
        double along[2] = {0, 0};
        for (size_t j = 0; j < 3; j++)
            for (size_t a = 0; a < 2; a++)
                along[a] += form[j] * turn[j][a];
        memcpy(r->second[k], form, sizeof form);
        r->bend[k][0] = -(g[2] * along[0] - g[1] * along[1]) / det;
        r->bend[k][1] = -(g[0] * along[1] - g[1] * along[0]) / det;
    }
    return MST_OK;
}

static mst_status functions(const closed_surface *s, const double *x, const double *frame,
                            size_t rows, double *work, double *out)
{
    size_t n = s->functions, count[2] = {2 * s->waves[0] + 1, 2 * s->waves[1] + 1};
    double *u = work, *v = u + 3 * count[0];
    chart_rules r;
    one_coordinate(s->waves[0], s->plane.period[0], x[0], u);
    one_coordinate(s->waves[1], s->plane.period[1], x[1], v);
    if (rows > SURFACE_FIRST)
        MST_TRY(rules_at(&s->plane, x, frame, rows > SURFACE_SECOND, &r));
    for (size_t j = 0; j < n; j++) {
        const double *a = u + s->pair[2 * j], *b = v + s->pair[2 * j + 1];
        double a1 = a[count[0]], b1 = b[count[1]];
        out[j] = a[0] * b[0];
        for (size_t k = 0; k < 2 && rows > SURFACE_FIRST; k++)
            out[(SURFACE_FIRST + k) * n + j] =
                r.first[k][0] * a1 * b[0] + r.first[k][1] * a[0] * b1;
        for (size_t k = 0; k < 3 && rows > SURFACE_SECOND; k++)
            out[(SURFACE_SECOND + k) * n + j] = r.second[k][0] * a[2 * count[0]] * b[0] +
                                                r.second[k][1] * a1 * b1 +
                                                r.second[k][2] * a[0] * b[2 * count[1]] +
                                                r.bend[k][0] * a1 * b[0] + r.bend[k][1] * a[0] * b1;
    }
    return MST_OK;
}

/* A grid of the chart, per[0] × per[1] points. */
static mst_status grid(const closed_surface *s, const size_t per[2], double **points,
                       double **metric)
{
    size_t n = per[0] * per[1];
    unsigned char *inside;
    MST_TRY(mst_allocate(points, 2 * n));
    MST_TRY(mst_allocate(metric, 3 * n));
    MST_TRY(mst_allocate(&inside, n));
    for (size_t k = 0; k < n; k++) {
        size_t i = k / per[1], j = k % per[1];
        (*points)[2 * k] = s->plane.period[0] * (double)i / (double)per[0];
        (*points)[2 * k + 1] = s->plane.period[1] * (double)j / (double)per[1];
    }
    mst_status status = pde_plane_metric(&s->plane, n, *points, *metric, inside);
    for (size_t k = 0; status == MST_OK && k < n; k++)
        if (!inside[k])
            status = mst_fail(MST_UNABLE,
                              "%s has no metric at %g, %g, so its periods make no closed surface",
                              mst_manifold_spec(s->m), (*points)[2 * k], (*points)[2 * k + 1]);
    mst_release(inside);
    return status;
}

static mst_status nodes(const closed_surface *s, size_t *n, double **points, double **weights)
{
    /* Products have twice as many periods as the functions; the rest is for the metric. */
    size_t per[2];
    for (size_t a = 0; a < 2; a++)
        per[a] = 3 * s->waves[a] + 16;
    double *metric = NULL, cell = 1;
    *n = per[0] * per[1];
    *points = *weights = NULL;
    mst_status status = grid(s, per, points, &metric);
    if (status == MST_OK)
        status = mst_allocate(weights, *n);
    for (size_t a = 0; a < 2; a++)
        cell *= s->plane.period[a] / (double)per[a];
    for (size_t k = 0; status == MST_OK && k < *n; k++) {
        const double *g = metric + 3 * k;
        (*weights)[k] = cell * sqrt(g[0] * g[2] - g[1] * g[1]);
    }
    mst_release(metric);
    return status;
}

/* How long the coordinates' periods are at the most. */
static mst_status lengths(const closed_surface *s, double length[2])
{
    const size_t per[2] = {24, 24};
    double *points = NULL, *metric = NULL;
    mst_status status = grid(s, per, &points, &metric);
    length[0] = length[1] = 0;
    for (size_t k = 0; status == MST_OK && k < per[0] * per[1]; k++)
        for (size_t a = 0; a < 2; a++)
            length[a] = fmax(length[a], s->plane.period[a] * sqrt(metric[3 * k + 2 * a]));
    mst_release(points);
    mst_release(metric);
    return status;
}

/* Eigenfunctions are no waves: each needs a few shorter ones beside its own, whatever its length. */
enum { MARGIN = 8 };

static double beyond_margin(size_t k)
{
    return k > MARGIN ? (double)(k - MARGIN) : 0;
}

/* Waves k, l with (k/limit₀)² + (l/limit₁)² ≤ 1, both beyond the margin; the pairs are
 * put down unless null. */
static size_t choose_waves(const double limit[2], unsigned short *pair)
{
    size_t count = 0, most[2];
    for (size_t a = 0; a < 2; a++)
        most[a] = 2 * ((size_t)limit[a] + MARGIN);
    for (size_t i = 0; i <= most[0]; i++)
        for (size_t j = 0; j <= most[1]; j++)
            if (hypot(beyond_margin(periods_of(i)) / limit[0],
                      beyond_margin(periods_of(j)) / limit[1]) <= 1) {
                if (pair != NULL)
                    pair[2 * count] = (unsigned short)i, pair[2 * count + 1] = (unsigned short)j;
                count++;
            }
    return count;
}

mst_status surface_of_waves(closed_surface *s, size_t wanted)
{
    static const surface_kind waves = {nodes, functions};
    double length[2], limit[2];
    MST_TRY(pde_plane_of(&s->plane, s->m));
    for (size_t a = 0; a < 2; a++)
        if (!(s->plane.period[a] > 0))
            return mst_fail(
                MST_UNABLE,
                "eigenfunctions are found on closed surfaces, and coordinate %zu of %s has "
                "no period; take the heat equation (pde), the expansion or a network",
                a + 1, mst_manifold_spec(s->m));
    MST_TRY(lengths(s, length));
    double unit = 0.5 / fmax(length[0], length[1]);
    do {
        unit *= 1.05;
        for (size_t a = 0; a < 2; a++) {
            limit[a] = unit * length[a];
            s->waves[a] = (size_t)limit[a] + MARGIN;
        }
        s->functions = choose_waves(limit, NULL);
    } while (s->functions < wanted);
    s->kind = &waves;
    s->work = 6 * (s->waves[0] + s->waves[1] + 1);
    MST_TRY(mst_allocate(&s->pair, 2 * s->functions));
    (void)choose_waves(limit, s->pair);
    return MST_OK;
}
