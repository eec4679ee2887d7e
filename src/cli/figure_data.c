/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The data of figures, as they are made from the files of --data, or simulated. */
#include "figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The digit that turns: image i of 200 is at the angle 2 pi i / 199 ---- */

static mst_status write_ring(const char *path, size_t count, size_t every)
{
    enum { IMAGES = 200 };
    double x[2 * IMAGES];
    for (size_t i = 0; i < count; i++) {
        double angle = 2 * M_PI * (double)(every * i) / (IMAGES - 1);
        x[2 * i] = cos(angle);
        x[2 * i + 1] = sin(angle);
    }
    return figure_write(path, NULL, count, 2, x);
}

mst_status figure_ring(const figure_run *run, const char *path)
{
    (void)run;
    return write_ring(path, 200, 1);
}

mst_status figure_half_ring(const figure_run *run, const char *path)
{
    (void)run;
    return write_ring(path, 25, 4);
}

/* ---- Heads ---- */

/* The file has the rotation R of the camera; the head that is seen is turned by its transpose. */
static mst_status read_poses(const figure_run *run, double **q, size_t *n)
{
    size_t cols;
    mst_status status = figure_table(run, "data:headpose/aflw2000_quat_s3.csv", q, n, &cols);
    if (status == MST_OK && cols != 4)
        status = mst_fail(MST_FORMAT, "poses have four columns, not %zu", cols);
    for (size_t i = 0; i < 4 * *n && status == MST_OK; i++)
        (*q)[i] *= i % 4 == 0 ? 1 : -1;
    return status;
}

mst_status figure_poses(const figure_run *run, const char *path)
{
    double *q;
    size_t n;
    mst_status status = read_poses(run, &q, &n);
    if (status == MST_OK)
        status = figure_write(path, NULL, n, 4, q);
    free(q);
    return status;
}

/* Where a head looks: what the unit quaternion makes of (0, 0, 1), toward the reader, with x to the right and
 * y up. It is written as ahead, right, up, so that latitude and longitude of a picture are pitch and yaw. */
static void look_of(const double *q, double look[3])
{
    look[0] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
    look[1] = 2 * (q[1] * q[3] + q[0] * q[2]);
    look[2] = 2 * (q[2] * q[3] - q[0] * q[1]);
}

/* Every fifth face is held out. */
static bool is_held_out(size_t i)
{
    return i % 5 == 4;
}

typedef struct faces {
    double *poses, *x, *looks; /* (n, 4), (n, cols), (n, 3) */
    size_t n, cols;
} faces;

static mst_status read_faces(const figure_run *run, faces *f)
{
    size_t n = 0;
    *f = (faces){0};
    mst_status status = read_poses(run, &f->poses, &f->n);
    if (status == MST_OK)
        status = figure_table(run, "data:headpose/aflw2000_landmarks68x2.csv", &f->x, &n, &f->cols);
    if (status == MST_OK && n != f->n)
        status = mst_fail(MST_FORMAT, "there are %zu poses and %zu faces", f->n, n);
    if (status == MST_OK)
        status = new_doubles(&f->looks, f->n, 3);
    for (size_t i = 0; i < f->n && status == MST_OK; i++)
        look_of(f->poses + 4 * i, f->looks + 3 * i);
    return status;
}

static void free_faces(faces *f)
{
    free(f->poses);
    free(f->x);
    free(f->looks);
}

/* Rows of the table that are fitted, one after the other. */
static mst_status write_fitted(const char *path, const char *header, const faces *f,
                               const double *rows, size_t cols)
{
    double *kept;
    size_t count = 0;
    mst_status status = new_doubles(&kept, f->n + 1, cols);
    for (size_t i = 0; i < f->n && status == MST_OK; i++)
        if (!is_held_out(i))
            memcpy(kept + cols * count++, rows + cols * i, cols * sizeof *kept);
    if (status == MST_OK)
        status = figure_write(path, header, count, cols, kept);
    free(kept);
    return status;
}

/* "x1,y1,x2,…" */
static mst_status landmark_header(size_t cols, char **header)
{
    *header = calloc(8 * cols + 1, 1);
    if (*header == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    for (size_t j = 0, used = 0; j < cols; j++)
        used += (size_t)snprintf(*header + used, 8 * cols + 1 - used, "%s%c%zu", j > 0 ? "," : "",
                                 j % 2 == 0 ? 'x' : 'y', j / 2 + 1);
    return MST_OK;
}

mst_status figure_faces(const figure_run *run, const char *path)
{
    faces f;
    char *header = NULL;
    mst_status status = read_faces(run, &f);
    if (status == MST_OK)
        status = landmark_header(f.cols, &header);
    if (status == MST_OK)
        status = write_fitted(path, header, &f, f.x, f.cols);
    free(header);
    free_faces(&f);
    return status;
}

mst_status figure_looks(const figure_run *run, const char *path)
{
    faces f;
    mst_status status = read_faces(run, &f);
    if (status == MST_OK)
        status = write_fitted(path, NULL, &f, f.looks, 3);
    free_faces(&f);
    return status;
}

/* The face that is held out and whose look is nearest to 45° left, ahead, and 45° right. */
static size_t find_face(const faces *f, int side)
{
    const double wanted[3] = {side == 0 ? 1 : M_SQRT1_2, M_SQRT1_2 * side, 0};
    size_t best = 0;
    double most = -2;
    for (size_t i = 0; i < f->n; i++) {
        const double *look = f->looks + 3 * i;
        double cosine = look[0] * wanted[0] + look[1] * wanted[1] + look[2] * wanted[2];
        if (is_held_out(i) && cosine > most) {
            most = cosine;
            best = i;
        }
    }
    return best;
}

mst_status figure_new_faces(const figure_run *run, const char *path)
{
    faces f;
    char *header = NULL;
    double *rows = NULL;
    mst_status status = read_faces(run, &f);
    if (status == MST_OK)
        status = landmark_header(f.cols, &header);
    if (status == MST_OK)
        status = new_doubles(&rows, 3, f.cols);
    for (int side = -1; side <= 1 && status == MST_OK; side++)
        memcpy(rows + f.cols * (size_t)(side + 1), f.x + f.cols * find_face(&f, side),
               f.cols * sizeof *rows);
    if (status == MST_OK)
        status = figure_write(path, header, 3, f.cols, rows);
    free(rows);
    free(header);
    free_faces(&f);
    return status;
}

mst_status figure_true_look(const figure_run *run, int side, double look[3], size_t *row)
{
    faces f;
    mst_status status = read_faces(run, &f);
    if (status == MST_OK) {
        *row = find_face(&f, side);
        memcpy(look, f.looks + 3 * *row, 3 * sizeof *look);
    }
    free_faces(&f);
    return status;
}

/* ---- Outlines of 20 landmarks, taken from 100 as the paper takes 30 ---- */

mst_status figure_outlines(const figure_run *run, const char *path)
{
    enum { TAKEN = 20 };
    double *x, *rows = NULL;
    size_t n, cols;
    mst_status status = figure_table(run, "data:landmarks/butterfly_100x2.csv", &x, &n, &cols);
    if (status == MST_OK)
        status = new_doubles(&rows, n, 2 * TAKEN);
    size_t last = cols / 2 - 1;
    for (size_t i = 0; i < n && status == MST_OK; i++)
        for (size_t k = 0; k < TAKEN; k++) {
            size_t from = (size_t)lround((double)(k * last) / (TAKEN - 1));
            memcpy(rows + 2 * (TAKEN * i + k), x + cols * i + 2 * from, 2 * sizeof *rows);
        }
    if (status == MST_OK)
        status = figure_write(path, NULL, n, 2 * TAKEN, rows);
    free(rows);
    free(x);
    return status;
}

/* ---- Simulated data on the sphere ---- */

static mst_status simulate(const figure_run *run, size_t n, const double *starts, double time,
                           const char *path)
{
    mst_manifold *m = NULL;
    double *x = NULL;
    mst_brownian_options o = mst_brownian_options_default();
    o.seed = run->seed;
    o.threads = run->threads;
    o.method = MST_BROWNIAN_EXACT;
    mst_status status = parse_manifold(&m, "sphere:2");
    if (status == MST_OK)
        status = new_doubles(&x, n, 3);
    if (status == MST_OK)
        status = mst_brownian_endpoints(m, n, starts, time, &o, x);
    if (status == MST_OK)
        status = figure_write(path, NULL, n, 3, x);
    free(x);
    mst_manifold_free(m);
    return status;
}

mst_status figure_swarms(const figure_run *run, const char *path)
{
    enum { EACH = 150 };
    static const double centres[4][3] = {
        {0.6, 0.3, 0.7}, {-0.3, 0.6, 0.7}, {-0.6, -0.3, 0.7}, {0.3, -0.6, 0.7}};
    double starts[4 * EACH * 3];
    for (size_t i = 0; i < (size_t)4 * EACH; i++) {
        const double *c = centres[i / EACH];
        double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        for (size_t j = 0; j < 3; j++)
            starts[3 * i + j] = c[j] / length;
    }
    return simulate(run, (size_t)4 * EACH, starts, 0.03, path);
}

/* A geodesic through the covariates x from −1 to 1, an arc of 2.4. */
enum { LINE_ROWS = 120 };

static double line_x(size_t i)
{
    return -1 + 2 * ((double)i + 0.5) / LINE_ROWS;
}

mst_status figure_line_x(const figure_run *run, const char *path)
{
    double x[LINE_ROWS];
    (void)run;
    for (size_t i = 0; i < LINE_ROWS; i++)
        x[i] = line_x(i);
    return figure_write(path, "x", LINE_ROWS, 1, x);
}

mst_status figure_line_y(const figure_run *run, const char *path)
{
    double starts[3 * LINE_ROWS];
    for (size_t i = 0; i < LINE_ROWS; i++) {
        double angle = 1.2 * line_x(i);
        starts[3 * i] = 0.8 * sin(angle);
        starts[3 * i + 1] = 0.6 * sin(angle);
        starts[3 * i + 2] = cos(angle);
    }
    return simulate(run, LINE_ROWS, starts, 0.03, path);
}
