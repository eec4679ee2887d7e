/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The reference tables of the heat kernels of three surfaces of revolution, and the errors of a score source
 * against them; for bench_surfaces and a slow test. `folder` is where the tables are. */
#ifndef MST_BENCH_SURFACES_H
#define MST_BENCH_SURFACES_H

#include "util/json.h"

#include <manistat.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Relative errors √(Σt|ŝ − s|²/Σt|s|²) of the score and the like of ∂ₜ, for rows with r ≤ 3√(2t) and for all,
 * 0.05 ≤ t ≤ 1; distances of mean and time from the reference's, NAN without data. */
typedef struct surface_errors {
    size_t rows, near_rows;
    double near_score, near_dt, score, dt;
    double mean, time;
} surface_errors;

enum { SURFACE_COLUMNS = 16, SURFACE_MOST = 4096 };
enum {
    COLUMN_POINT = 4,
    COLUMN_TIME = 10,
    COLUMN_SCORE = 12,
    COLUMN_DT = 14,
    COLUMN_DISTANCE = 15
};

/* The unit vectors along the parameters at (u, v), by the profile (ρ, z) of the surface. */
static inline void surface_frame(const char *name, double u, double v, double *along_u,
                                 double *along_v)
{
    double rho = cos(v), z = -0.6 * sin(v); /* derivatives by v */
    if (strcmp(name, "torus") == 0) {
        rho = -0.5 * sin(v), z = 0.5 * cos(v);
    } else if (strcmp(name, "bumpy") == 0) {
        double s = 1 + 0.15 * cos(3 * v), slope = -0.45 * sin(3 * v);
        rho = slope * sin(v) + s * cos(v), z = slope * cos(v) - s * sin(v);
    }
    double length = sqrt(rho * rho + z * z);
    along_u[0] = -sin(u), along_u[1] = cos(u), along_u[2] = 0;
    along_v[0] = rho * cos(u) / length, along_v[1] = rho * sin(u) / length;
    along_v[2] = z / length;
}

/* All rows of a table; free(). */
static inline mst_status surface_read(double **rows, size_t *n, size_t *columns, const char *path)
{
    mst_reader *r;
    *rows = NULL;
    mst_status status = mst_reader_open(&r, path);
    if (status != MST_OK)
        return status;
    *columns = mst_reader_cols(r);
    *rows = malloc(SURFACE_MOST * *columns * sizeof **rows);
    status = *rows != NULL ? mst_reader_next(r, SURFACE_MOST, *rows, n) : MST_MEMORY;
    mst_reader_free(r);
    return status;
}

/* Rows of the manifold's kind: the parameters (u, v), or the points of space three columns on. */
static inline void surface_points(const mst_manifold *m, const double *row, size_t parameters,
                                  size_t space, double *x)
{
    size_t D = mst_manifold_ambient(m);
    memcpy(x, row + (D == 2 ? parameters : space), D * sizeof *x);
}

static inline mst_status surface_row_errors(const mst_score *s, const char *name, const double *row,
                                            double *error, double *size, double *dt)
{
    const mst_manifold *m = mst_score_manifold(s);
    size_t D = mst_manifold_ambient(m);
    double x[3], y[3], score[3], want[3], t = row[COLUMN_TIME], along[2][3];
    surface_points(m, row, 0, COLUMN_POINT, x);
    surface_points(m, row, 2, COLUMN_POINT + 3, y);
    mst_status status =
        mst_score_evaluate_rows(s, 1, x, y, &t, &(mst_heat_values){.score = score, .dt_log_p = dt});
    surface_frame(name, row[2], row[3], along[0], along[1]);
    for (size_t k = 0; k < D; k++)
        want[k] = row[COLUMN_SCORE] * along[0][k] + row[COLUMN_SCORE + 1] * along[1][k];
    if (D == 2) { /* coordinates of the torus */
        want[0] = row[COLUMN_SCORE] / (1 + 0.5 * cos(row[3]));
        want[1] = row[COLUMN_SCORE + 1] / 0.5;
    }
    for (size_t k = 0; k < D; k++)
        score[k] -= want[k];
    if (status == MST_OK)
        status = mst_manifold_inner(m, 1, y, score, score, error);
    return status == MST_OK ? mst_manifold_inner(m, 1, y, want, want, size) : status;
}

/* Into e, but for mean and time. */
static inline mst_status surface_score_errors(const mst_score *s, const char *name,
                                              const char *folder, surface_errors *e)
{
    char path[400];
    double *rows, sum[2][4] = {{0}};
    size_t n = 0, columns = 0;
    snprintf(path, sizeof path, "%s/surface_%s.csv", folder, name);
    mst_status status = surface_read(&rows, &n, &columns, path);
    *e = (surface_errors){.mean = NAN, .time = NAN};
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        const double *row = rows + i * columns;
        double t = row[COLUMN_TIME], error, size, dt;
        if (t < 0.05 || t > 1)
            continue;
        status = surface_row_errors(s, name, row, &error, &size, &dt);
        bool near = row[COLUMN_DISTANCE] <= 3 * sqrt(2 * t);
        double off = dt - row[COLUMN_DT];
        for (int k = near ? 0 : 1; k < 2; k++) {
            sum[k][0] += t * error, sum[k][1] += t * size;
            sum[k][2] += t * off * off, sum[k][3] += t * row[COLUMN_DT] * row[COLUMN_DT];
        }
        e->rows++;
        e->near_rows += near;
    }
    e->near_score = sqrt(sum[0][0] / sum[0][1]), e->near_dt = sqrt(sum[0][2] / sum[0][3]);
    e->score = sqrt(sum[1][0] / sum[1][1]), e->dt = sqrt(sum[1][2] / sum[1][3]);
    free(rows);
    return status;
}

/* Diffusion mean and variance of the data against the maximum of the exact likelihood. */
static inline mst_status surface_mean_errors(const mst_score *s, const char *name,
                                             const char *folder, surface_errors *e)
{
    const mst_manifold *m = mst_score_manifold(s);
    size_t n = 0, columns = 0, D = mst_manifold_ambient(m), k = 0;
    char path[400];
    double *rows, *x, mu[3] = {0};
    mst_json_value *truth;
    mst_mean_result *fit;
    mst_mean_options o = mst_mean_options_default();
    snprintf(path, sizeof path, "%s/surface_%s_mean.json", folder, name);
    mst_status status = mst_json_read(&truth, path);
    if (status != MST_OK)
        return status;
    const mst_json_value *centre = mst_json_member(truth, D == 2 ? "mu_uv" : "mu_xyz");
    for (const mst_json_value *v = mst_json_first(centre); v != NULL && k < D; v = mst_json_next(v))
        mu[k++] = mst_json_as_number(v);
    e->time = mst_json_as_number(mst_json_member(truth, "t"));
    mst_json_value_free(truth);
    snprintf(path, sizeof path, "%s/surface_%s_data.csv", folder, name);
    status = surface_read(&rows, &n, &columns, path);
    x = malloc((n + 1) * D * sizeof *x);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        surface_points(m, rows + i * columns, 0, 2, x + i * D);
    if (status == MST_OK)
        status = mst_mean_fit(&fit, s, n, x, &o);
    if (status == MST_OK) {
        e->time = fabs(fit->time - e->time);
        status = mst_manifold_dist(m, 1, fit->mean, mu, &e->mean);
        mst_mean_result_free(fit);
    }
    free(x);
    free(rows);
    return status;
}

#endif
