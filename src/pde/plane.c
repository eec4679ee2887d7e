/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "pde/plane.h"

#include "manifold/metric.h"

#include <math.h>
#include <string.h>

/* Rows of one call of the metric. */
enum { ROWS = 256 };

mst_status pde_plane_of(pde_plane *p, const mst_manifold *m)
{
    *p = (pde_plane){.m = m};
    if (m->dim != 2)
        return mst_fail(MST_UNABLE,
                        "the heat equation is solved in 2 dimensions, and %s has %zu; take the "
                        "expansion or a network",
                        m->spec, m->dim);
    if (m->metric == NULL)
        return mst_fail(MST_UNABLE,
                        "%s has no chart in which to solve the heat equation: that takes a metric "
                        "in coordinates (a formula file with an embedding, a metric or a cometric, "
                        "or a learned plane); take the closed form, the expansion or a network",
                        m->spec);
    if (m->ambient != 2 || m->metric->ops.charts > 1)
        return mst_fail(MST_UNABLE,
                        "%s has several charts, and the heat equation is solved in one; take the "
                        "expansion or a network",
                        m->spec);
    if (m->metric->ops.period != NULL)
        m->metric->ops.period(m, p->period);
    return MST_OK;
}

void pde_plane_wrap(const pde_plane *p, double *x)
{
    for (size_t a = 0; a < 2; a++)
        if (p->period[a] > 0) {
            x[a] -= p->period[a] * rint(x[a] / p->period[a]);
            if (x[a] >= 0.5 * p->period[a])
                x[a] -= p->period[a];
        }
}

/* Up to ROWS points, all of the domain: p = g v for the two unit vectors. */
static mst_status some(const pde_plane *p, size_t n, const double *x, double *g)
{
    double at[ROWS][4], v[ROWS][4], l[2 * ROWS], l_x[2 * ROWS][2], l_v[2 * ROWS][2];
    for (size_t i = 0; i < n; i++) {
        memcpy(at[i], x + 2 * i, 2 * sizeof *x);
        memcpy(at[i] + 2, x + 2 * i, 2 * sizeof *x);
        memcpy(v[i], (double[]){1, 0, 0, 1}, sizeof v[i]);
    }
    MST_TRY(p->m->metric->ops.lagrangian(p->m, 2 * n, at[0], v[0], l, l_x[0], l_v[0]));
    for (size_t i = 0; i < n; i++) {
        g[3 * i] = l_v[2 * i][0];
        g[3 * i + 1] = 0.5 * (l_v[2 * i][1] + l_v[2 * i + 1][0]);
        g[3 * i + 2] = l_v[2 * i + 1][1];
    }
    return MST_OK;
}

static bool is_definite(const double *g)
{
    double size = g[0] + g[2];
    return isfinite(size) && g[0] > 0 && g[2] > 0 &&
           g[0] * g[2] - g[1] * g[1] > 1e-14 * g[0] * g[2];
}

mst_status pde_plane_metric(const pde_plane *p, size_t n, const double *x, double *g,
                            unsigned char *inside)
{
    double kept[ROWS][2], made[ROWS][3];
    size_t which[ROWS], count = 0;
    metric_inside(p->m, n, x, inside);
    for (size_t i = 0; i < n; i++) {
        memset(g + 3 * i, 0, 3 * sizeof *g);
        if (inside[i]) {
            memcpy(kept[count], x + 2 * i, sizeof kept[count]);
            which[count++] = i;
        }
        if (count == ROWS || (count > 0 && i + 1 == n)) {
            MST_TRY(some(p, count, kept[0], made[0]));
            for (size_t k = 0; k < count; k++) {
                inside[which[k]] = is_definite(made[k]);
                if (inside[which[k]])
                    memcpy(g + 3 * which[k], made[k], sizeof made[k]);
            }
            count = 0;
        }
    }
    return MST_OK;
}

mst_status pde_plane_bend(const pde_plane *p, const double *x, double turn[3][2])
{
    /* g Γ(u, u) is a quadratic form of u, known from three vectors. */
    static const double vectors[3][2] = {{1, 0}, {1, 1}, {0, 1}};
    metric_work work;
    MST_TRY(metric_work_new(&work, p->m, 1, 3));
    mst_status status = metric_bend(p->m, 1, 3, x, vectors[0], &work, turn[0]);
    metric_work_free(&work);
    for (size_t a = 0; a < 2; a++)
        turn[1][a] = 0.5 * (turn[1][a] - turn[0][a] - turn[2][a]);
    return status;
}
