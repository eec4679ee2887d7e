/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Predictive densities on a grid, for plots: the circle, the two-sphere and the plane. */
#include "regress_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const option option_density = {
    .name = "density",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "density.csv",
    .help = "write the predictive density of each row of --predict on a grid (circle, sphere:2, "
            "euclidean:2): row, point, log of the density",
};

/* What can be drawn. */
typedef enum grid_kind { GRID_NONE, GRID_CIRCLE, GRID_SPHERE, GRID_PLANE } grid_kind;

static grid_kind kind_of(const mst_manifold *m)
{
    const mst_manifold_traits *traits = mst_manifold_traits_of(m);
    size_t d = mst_manifold_dim(m);
    if (traits->angles && d == 1)
        return GRID_CIRCLE;
    if (traits->unit_rows && d == 2)
        return GRID_SPHERE;
    return traits->unrolls && d == 2 && mst_manifold_ambient(m) == 2 ? GRID_PLANE : GRID_NONE;
}

/* Points in steps of 1 and 2 degrees; of the plane a square of four standard deviations to each side. */
enum { CIRCLE = 360, LATITUDES = 90, LONGITUDES = 180, SIDE = 81 };

static size_t grid_size(grid_kind kind)
{
    return kind == GRID_CIRCLE   ? CIRCLE
           : kind == GRID_SPHERE ? LATITUDES * LONGITUDES
                                 : SIDE * SIDE;
}

static void fill_grid(grid_kind kind, const double *centre, double noise, double *x)
{
    const double step = M_PI / 90;
    for (size_t k = 0; k < grid_size(kind); k++) {
        if (kind == GRID_CIRCLE) {
            x[k] = -M_PI + ((double)k + 0.5) * 2 * M_PI / CIRCLE;
        } else if (kind == GRID_SPHERE) {
            size_t row = k / LONGITUDES;
            double latitude = -M_PI / 2 + ((double)row + 0.5) * step;
            double longitude = -M_PI + ((double)(k % LONGITUDES) + 0.5) * step;
            x[3 * k] = cos(latitude) * cos(longitude);
            x[3 * k + 1] = cos(latitude) * sin(longitude);
            x[3 * k + 2] = sin(latitude);
        } else {
            double unit = 8 * sqrt(noise) / (SIDE - 1);
            x[2 * k] = centre[0] + ((double)(k % SIDE) - (SIDE - 1) / 2.0) * unit;
            size_t row = k / SIDE;
            x[2 * k + 1] = centre[1] + ((double)row - (SIDE - 1) / 2.0) * unit;
        }
    }
}

/* Area of the cell of a grid point, to make a density of an energy. */
static double cell(grid_kind kind, const double *x, double noise)
{
    const double step = M_PI / 90, unit = 8 * sqrt(noise) / (SIDE - 1);
    return kind == GRID_CIRCLE   ? 2 * M_PI / CIRCLE
           : kind == GRID_SPHERE ? step * step * sqrt(fmax(0, 1 - x[2] * x[2]))
                                 : unit * unit;
}

/* An energy is log p but for a constant: the grid knows the constant. */
static void normalise(grid_kind kind, size_t n, size_t D, const double *x, double noise,
                      double *log_p)
{
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, log_p[k]);
    for (size_t k = 0; k < n; k++)
        sum += exp(log_p[k] - most) * cell(kind, x + k * D, noise);
    for (size_t k = 0; k < n; k++)
        log_p[k] -= most + log(sum);
}

/* log_p (n) of the grid x (n, D) seen from one prediction. */
static mst_status densities(const estimation *e, const mst_score *source, grid_kind kind, size_t n,
                            const double *x, const double *centre, double noise, double *log_p)
{
    const mst_network *net = mst_score_network(source);
    if (mst_score_gives(source, MST_GIVES_LOG_P)) {
        mst_pairs pairs = {.n = n, .x = x, .y = centre, .t = &noise};
        mst_heat_values values = {.log_p = log_p};
        return mst_score_evaluate(source, &pairs, &values);
    }
    if (net == NULL || !mst_network_describe(net).energy)
        return mst_fail(MST_UNABLE, "--density needs log p: the exact kernel, or a model that was "
                                    "trained with --energy");
    double *y, *t;
    mst_status status = new_doubles(&y, n, e->ambient);
    if (status == MST_OK)
        status = new_doubles(&t, n, 1);
    else
        return status;
    /* The energy is known up to a function of the point that is held fixed, which must be the prediction. */
    for (size_t k = 0; status == MST_OK && k < n; k++) {
        memcpy(y + k * e->ambient, centre, e->ambient * sizeof *y);
        t[k] = noise;
    }
    if (status == MST_OK)
        status = mst_network_energy(net, n, y, x, t, log_p);
    if (status == MST_OK)
        normalise(kind, n, e->ambient, x, noise, log_p);
    free(y);
    free(t);
    return status;
}

static mst_status open_writer(const estimation *e, mst_writer **w)
{
    static const char *const names[] = {"row", "x_1", "x_2", "x_3"};
    const char *columns[5];
    for (size_t c = 0; c <= e->ambient; c++)
        columns[c] = names[c];
    columns[e->ambient + 1] = "log_density";
    return mst_writer_open(w, option_get(e->inv, &option_density)->text, e->ambient + 2, columns,
                           option_given(e->inv, &option_force));
}

static mst_status write_all(const estimation *e, const mst_score *source, grid_kind kind,
                            const regress_predictions *p, mst_writer *w)
{
    size_t n = grid_size(kind), D = e->ambient;
    double *x, *rows = NULL, *log_p = NULL;
    mst_status status = new_doubles(&x, n, D);
    if (status == MST_OK)
        status = new_doubles(&rows, n, D + 2);
    if (status == MST_OK)
        status = new_doubles(&log_p, n, 1);
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        fill_grid(kind, p->at.points + i * D, p->at.noise[i], x);
        status = densities(e, source, kind, n, x, p->at.points + i * D, p->at.noise[i], log_p);
        for (size_t k = 0; status == MST_OK && k < n; k++) {
            rows[k * (D + 2)] = (double)(i + 1);
            memcpy(rows + k * (D + 2) + 1, x + k * D, D * sizeof *x);
            rows[k * (D + 2) + D + 1] = log_p[k];
        }
        if (status == MST_OK)
            status = mst_writer_rows(w, n, rows);
    }
    free(x);
    free(rows);
    free(log_p);
    return status;
}

mst_status regress_density(const estimation *e, const regress_predictions *p)
{
    mst_score *own = NULL;
    mst_writer *w = NULL;
    if (!option_given(e->inv, &option_density))
        return MST_OK;
    if (p->n == 0)
        return mst_fail(MST_ARGUMENT, "--density is of predictions: give --predict FILE as well");
    grid_kind kind = kind_of(e->m);
    if (kind == GRID_NONE)
        return mst_fail(MST_UNABLE,
                        "--density draws on circle, sphere:2 and euclidean:2, not on %s",
                        mst_manifold_spec(e->m));
    bool timed = e->source != NULL && mst_score_gives(e->source, MST_GIVES_TIME);
    mst_status status = timed ? MST_OK : mst_score_exact_new(&own, e->m);
    if (status == MST_OK)
        status = open_writer(e, &w);
    if (status == MST_OK)
        status = write_all(e, timed ? e->source : own, kind, p, w);
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    mst_score_free(own);
    return status;
}
