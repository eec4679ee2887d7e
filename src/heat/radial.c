/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/radial.h"
#include "heat/radial_kernels.h"

#include <math.h>

#define PI 3.14159265358979323846
#define PI_LOW 1.2246467991473532e-16 /* π − PI */

double mst_radial_eps(double r)
{
    return r >= PI ? 0 : (PI - r) + PI_LOW;
}

/* Rows of one region, waiting until the lanes are full. */
typedef struct group {
    radial_kernel *kernel;
    size_t count;
    size_t row[RADIAL_LANES];
    radial_lanes lanes;
} group;

static void scatter(const group *g, const double *values, double *out)
{
    if (out != NULL)
        for (size_t i = 0; i < g->count; i++)
            out[g->row[i]] = values[i];
}

static void flush(const radial_space *space, group *g, const mst_radial_out *out)
{
    if (g->count == 0)
        return;
    radial_lanes *x = &g->lanes;
    for (size_t i = g->count; i < RADIAL_LANES; i++) {
        x->r[i] = x->r[0];
        x->eps[i] = x->eps[0];
        x->t[i] = x->t[0];
    }
    g->kernel(space, out->drr != NULL, x);
    scatter(g, x->logp, out->logp);
    scatter(g, x->dr, out->dr);
    scatter(g, x->dr_over_sin, out->dr_over_sin);
    scatter(g, x->dt, out->dt);
    scatter(g, x->drr, out->drr);
    g->count = 0;
}

void radial_run(const radial_space *space, radial_regions regions, size_t n, const double *r,
                const double *eps, const double *t, const mst_radial_out *out)
{
    group groups[2];
    groups[0].kernel = regions.early;
    groups[1].kernel = regions.late;
    groups[0].count = groups[1].count = 0;
    for (size_t i = 0; i < n; i++) {
        group *g = &groups[t[i] < regions.t_switch ? 0 : 1];
        g->row[g->count] = i;
        g->lanes.r[g->count] = r[i];
        g->lanes.eps[g->count] = eps != NULL ? eps[i] : 0;
        g->lanes.t[g->count] = t[i];
        if (++g->count == RADIAL_LANES)
            flush(space, g, out);
    }
    flush(space, &groups[0], out);
    flush(space, &groups[1], out);
}

static void store(double *out, size_t i, double value)
{
    if (out != NULL)
        out[i] = value;
}

void mst_radial_euclidean(size_t m, size_t n, const double *r, const double *t,
                          const mst_radial_out *out)
{
    double half = (double)m / 2;
    for (size_t i = 0; i < n; i++) {
        double slope = r[i] / t[i];
        store(out->logp, i, -0.5 * r[i] * slope - half * log(2 * PI * t[i]));
        store(out->dr, i, -slope);
        store(out->dr_over_sin, i, -1 / t[i]);
        store(out->dt, i, 0.5 * slope * slope - half / t[i]);
        store(out->drr, i, -1 / t[i]);
    }
}
