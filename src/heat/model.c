/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/model.h"

#include "heat/kernel_parts.h"
#include "manifold/internal.h"

#include <math.h>

static const double pi = 3.141592653589793;

heat_model heat_model_simply_connected(size_t dim, double curvature)
{
    heat_model model = {.dim = dim, .scale = sqrt(fabs(curvature))};
    model.kind = curvature > 0 ? HEAT_SPHERE : curvature < 0 ? HEAT_HYPERBOLIC : HEAT_NO_MODEL;
    return model;
}

heat_model heat_model_of(const mst_manifold *m)
{
    double curvature = mst_round_curvature(m), radius = mst_manifold_injectivity(m);
    heat_model model = heat_model_simply_connected(m->dim, curvature);
    if (model.kind == HEAT_HYPERBOLIC && !isinf(radius))
        model.kind = HEAT_NO_MODEL;
    if (model.kind == HEAT_SPHERE) {
        double reach = radius * model.scale / pi; /* 1 on a sphere, else at most ½ */
        if (m->dim == 3 && fabs(reach - 0.5) < 1e-9) {
            model.kind = HEAT_ROTATIONS;
            model.scale *= 2;
        } else if (!(fabs(reach - 1) < 1e-9)) {
            model.kind = HEAT_NO_MODEL;
        }
    }
    return model;
}

double heat_model_cut_distance(const heat_model *model)
{
    return model->kind == HEAT_HYPERBOLIC ? INFINITY : pi / model->scale;
}

double heat_model_sine(const heat_model *model, double r)
{
    double x = model->scale * r;
    return (model->kind == HEAT_SPHERE       ? sin(x)
            : model->kind == HEAT_HYPERBOLIC ? sinh(x)
                                             : 2 * sin(x / 2)) /
           model->scale;
}

double heat_model_cosine(const heat_model *model, double r, double rest)
{
    double x = model->scale * r;
    if (model->kind == HEAT_SPHERE)
        return x < 1.6 ? cos(x) : -cos(model->scale * rest);
    return model->kind == HEAT_HYPERBOLIC ? cosh(x) : cos(x / 2);
}

static void unit_kernel(const heat_model *model, size_t n, const double *r, const double *rest,
                        const double *t, const mst_radial_out *out)
{
    if (model->kind == HEAT_SPHERE)
        mst_radial_sphere(model->dim, n, r, rest, t, out);
    else if (model->kind == HEAT_HYPERBOLIC)
        mst_radial_hyperbolic(model->dim, n, r, t, out);
    else
        mst_radial_so3(n, r, rest, t, out);
}

static void multiply(size_t n, const double *from, double by, double *to)
{
    for (size_t i = 0; to != NULL && i < n; i++)
        to[i] = by * from[i];
}

static double *at_row(double *rows, size_t i)
{
    return rows != NULL ? rows + i : NULL;
}

void heat_model_kernel(const heat_model *model, size_t n, const double *r, const double *rest,
                       const double *t, const mst_radial_out *out)
{
    double s = model->scale, r_unit[HEAT_BLOCK], rest_unit[HEAT_BLOCK], t_unit[HEAT_BLOCK];
    if (s == 1) {
        unit_kernel(model, n, r, rest, t, out);
        return;
    }
    double log_volume = (double)model->dim * log(s);
    for (size_t i = 0; i < n; i += HEAT_BLOCK) {
        size_t count = n - i < HEAT_BLOCK ? n - i : HEAT_BLOCK;
        mst_radial_out part = {.logp = at_row(out->logp, i),
                               .dr = at_row(out->dr, i),
                               .dr_over_sin = at_row(out->dr_over_sin, i),
                               .dt = at_row(out->dt, i),
                               .drr = at_row(out->drr, i)};
        multiply(count, r + i, s, r_unit);
        multiply(count, rest + i, s, rest_unit);
        multiply(count, t + i, s * s, t_unit);
        unit_kernel(model, count, r_unit, rest_unit, t_unit, &part);
        for (size_t k = 0; part.logp != NULL && k < count; k++)
            part.logp[k] += log_volume;
        multiply(count, part.dr, s, part.dr);
        multiply(count, part.dr_over_sin, s * s, part.dr_over_sin);
        multiply(count, part.dt, s * s, part.dt);
        multiply(count, part.drr, s * s, part.drr);
    }
}
