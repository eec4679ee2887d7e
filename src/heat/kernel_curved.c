/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Curved spaces whose kernel is radial, a line beside such a space, and products. */
#include "base/columns.h"
#include "heat/kernel_parts.h"
#include "heat/model.h"

#include <math.h>
#include <string.h>

bool heat_radial_fits(const mst_manifold *m)
{
    return heat_model_of(m).kind != HEAT_NO_MODEL;
}

void heat_radial_hessian(size_t d, const double *c, double along, double across, double *h)
{
    double largest = 0, square = 0;
    for (size_t k = 0; k < d; k++)
        largest = fmax(largest, fabs(c[k]));
    double scale = largest > 0 ? 1 / largest : 0;
    if (isinf(scale)) /* c is subnormal: along = across to rounding */
        scale = 0;
    for (size_t k = 0; k < d; k++)
        square += scale * c[k] * (scale * c[k]);
    double mixed = square > 0 ? (along - across) / square : 0;
    for (size_t i = 0; i < d; i++) {
        double unit = scale * c[i];
        for (size_t k = 0; k < d; k++)
            h[i * d + k] =
                mixed * (unit * (scale * c[k])); /* in this order: symmetric to the bit */
        h[i * d + i] += across;
    }
}

mst_status heat_radial(const mst_manifold *m, size_t n, const double *x, const double *y,
                       const double *t, const mst_heat_values *out)
{
    heat_model model = heat_model_of(m);
    size_t d = m->dim, D = m->ambient;
    double r[HEAT_BLOCK], rest[HEAT_BLOCK], slope[HEAT_BLOCK], bend[HEAT_BLOCK], *toward;
    MST_TRY(mst_allocate(&toward, n * (D + d)));
    double *coordinates = toward + n * D;
    mst_status status = mst_manifold_polar(m, n, y, x, toward, r, rest);
    if (status == MST_OK)
        heat_model_kernel(&model, n, r, rest, t,
                          &(mst_radial_out){.logp = out->log_p,
                                            .dt = out->dt_log_p,
                                            .dr_over_sin = slope,
                                            .drr = out->hessian != NULL ? bend : NULL});
    for (size_t i = 0; status == MST_OK && out->score != NULL && i < n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            out->score[a] = -slope[i] * toward[a];
    if (status == MST_OK && out->hessian != NULL) {
        status = mst_manifold_to_frame(m, n, y, toward, coordinates);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            heat_radial_hessian(d, coordinates + i * d, bend[i],
                                slope[i] * heat_model_cosine(&model, r[i], rest[i]),
                                out->hessian + i * d * d);
    }
    mst_release(toward);
    return status;
}

static heat_model beside_line(const mst_manifold *m)
{
    return heat_model_simply_connected(m->dim - 1, m->traits.beside_line);
}

bool heat_line_fits(const mst_manifold *m)
{
    return m->traits.line != NULL && m->dim > 2 && beside_line(m).kind != HEAT_NO_MODEL;
}

/* Frame coordinates c (d) of Log_y(x), split: the part along the line is the result, and
 * is taken out of c. */
static double take_line(size_t d, const double *line, double *c)
{
    double along = 0;
    for (size_t k = 0; k < d; k++)
        along += c[k] * line[k];
    for (size_t k = 0; k < d; k++)
        c[k] -= along * line[k];
    return along;
}

/* What a block of pairs has in the two directions. */
typedef struct line_rows {
    double along[HEAT_BLOCK];                 /* signed distance on the line */
    double rho[HEAT_BLOCK], rest[HEAT_BLOCK]; /* beside it, and from there to the cut locus */
    double log_p[HEAT_BLOCK], dt[HEAT_BLOCK]; /* of the space beside it */
    double slope[HEAT_BLOCK], bend[HEAT_BLOCK];
} line_rows;

/* Row i of the results from the part c (d) of Log_y(x) beside the line, which becomes the
 * score in the frame. */
static void line_row(const mst_manifold *m, const heat_model *model, const line_rows *rows,
                     size_t i, double t, double *c, const mst_heat_values *out)
{
    size_t d = m->dim;
    const double *line = m->traits.line;
    double along = rows->along[i], rho = rows->rho[i];
    if (out->log_p != NULL)
        out->log_p[i] = rows->log_p[i] - along * along / (2 * t) - 0.5 * log(2 * M_PI * t);
    if (out->dt_log_p != NULL)
        out->dt_log_p[i] = rows->dt[i] + (along * along / t - 1) / (2 * t);
    if (out->hessian != NULL) {
        double *h = out->hessian + i * d * d;
        double across = rows->slope[i] * heat_model_cosine(model, rho, rows->rest[i]);
        heat_radial_hessian(d, c, rows->bend[i], across, h);
        /* The line: take its direction out of the isotropic part and put −1/t in. */
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                h[a * d + b] += (-1 / t - across) * (line[a] * line[b]);
    }
    double sinc = model->scale * rho > 1e-9 ? heat_model_sine(model, rho) / rho : 1;
    for (size_t k = 0; k < d; k++)
        c[k] = -rows->slope[i] * sinc * c[k] + along / t * line[k];
}

/* p = (2πt)^(−1/2) e^(−σ²/2t) · p_t(ρ), σ along the line and ρ the distance beside it. */
mst_status heat_line(const mst_manifold *m, size_t n, const double *x, const double *y,
                     const double *t, const mst_heat_values *out)
{
    size_t d = m->dim;
    heat_model model = beside_line(m);
    line_rows rows;
    double *v;
    MST_TRY(mst_allocate(&v, n * (m->ambient + d)));
    double *c = v + n * m->ambient;
    mst_status status = mst_manifold_log(m, n, y, x, v, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, n, y, v, c);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        double square = 0;
        rows.along[i] = take_line(d, m->traits.line, c + i * d);
        for (size_t k = i * d; k < (i + 1) * d; k++)
            square += c[k] * c[k];
        rows.rho[i] = sqrt(square);
        rows.rest[i] = fmax(heat_model_cut_distance(&model) - rows.rho[i], 0);
    }
    if (status == MST_OK) {
        heat_model_kernel(
            &model, n, rows.rho, rows.rest, t,
            &(mst_radial_out){
                .logp = rows.log_p, .dt = rows.dt, .dr_over_sin = rows.slope, .drr = rows.bend});
        for (size_t i = 0; i < n; i++)
            line_row(m, &model, &rows, i, t[i], c + i * d, out);
        if (out->score != NULL)
            status = mst_manifold_from_frame(m, n, y, c, out->score);
    }
    mst_release(v);
    return status;
}

bool heat_product_fits(const mst_manifold *m)
{
    if (mst_manifold_factor(m, 0) == m)
        return false;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (!mst_heat_has_exact(mst_manifold_factor(m, f)))
            return false;
    return true;
}

mst_status heat_add_factors(const mst_manifold *m, size_t n, const double *x, const double *y,
                            const double *t, const mst_heat_values *out, heat_block_function *run)
{
    size_t d = m->dim, D = m->ambient;
    double *work, log_p[HEAT_BLOCK], dt[HEAT_BLOCK];
    MST_TRY(mst_allocate(&work, n * (3 * D + d * d)));
    double *px = work, *py = px + n * D, *score = py + n * D, *hessian = score + n * D;
    mst_heat_values piece = {log_p, dt, out->score != NULL ? score : NULL,
                             out->hessian != NULL ? hessian : NULL};
    if (out->log_p != NULL)
        memset(out->log_p, 0, n * sizeof *out->log_p);
    if (out->dt_log_p != NULL)
        memset(out->dt_log_p, 0, n * sizeof *out->dt_log_p);
    if (out->hessian != NULL)
        memset(out->hessian, 0, n * d * d * sizeof *out->hessian);
    mst_status status = MST_OK;
    size_t column = 0, row = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        size_t width = factor->ambient, k = factor->dim;
        mst_take_columns(n, D, column, width, x, px);
        mst_take_columns(n, D, column, width, y, py);
        status = run(factor, n, px, py, t, &piece);
        if (status != MST_OK)
            break;
        for (size_t i = 0; i < n; i++) {
            if (out->log_p != NULL)
                out->log_p[i] += log_p[i];
            if (out->dt_log_p != NULL)
                out->dt_log_p[i] += dt[i];
            for (size_t a = 0; out->hessian != NULL && a < k; a++)
                memcpy(out->hessian + (i * d + row + a) * d + row, hessian + (i * k + a) * k,
                       k * sizeof *hessian);
        }
        if (out->score != NULL)
            mst_put_columns(n, D, column, width, score, out->score);
        column += width;
        row += k;
    }
    mst_release(work);
    return status;
}

mst_status heat_product(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const double *t, const mst_heat_values *out)
{
    return heat_add_factors(m, n, x, y, t, out, heat_block);
}
