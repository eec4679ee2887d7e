/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The table of one factor at one time. */
#include "heat/radial_kernels.h"

#include "base/internal.h"
#include "heat/kernel_parts.h"
#include "heat/model.h"

#include <math.h>
#include <string.h>

static const double pi = 3.141592653589793;

/* w goes down to 2^−20, and z up to 2^20. */
enum { UNIFORM = 8, OCTAVES = 20 };
/* ---- Exact values ---- */

/* Arguments and results of the kernel at up to HEAT_BLOCK nodes. */
typedef struct nodes {
    size_t n;
    double z[HEAT_BLOCK], r[HEAT_BLOCK], rest[HEAT_BLOCK], t[HEAT_BLOCK];
    double log_p[HEAT_BLOCK], dr[HEAT_BLOCK], slope[HEAT_BLOCK], dt[HEAT_BLOCK], drr[HEAT_BLOCK];
} nodes;

/* From z, or from w where that is the small one. */
static void put_node(const heat_model *model, nodes *k, double z, double w)
{
    size_t i = k->n++;
    k->z[i] = z;
    if (model->kind == HEAT_NO_MODEL) {
        k->r[i] = z;
        k->rest[i] = w;
        return;
    }
    if (model->kind == HEAT_HYPERBOLIC) {
        k->r[i] = 2 * asinh(sqrt(z / 2)) / model->scale;
        k->rest[i] = INFINITY;
        return;
    }
    k->r[i] = 2 * asin(sqrt(z / 2)) / model->scale;
    k->rest[i] = 2 * asin(sqrt(fmin(w / 2, 1))) / model->scale;
    if (w < 1)
        k->r[i] = pi / model->scale - k->rest[i];
    else
        k->rest[i] = pi / model->scale - k->r[i];
}

static void ask_kernel(const heat_model *model, nodes *k, double t)
{
    mst_radial_out out = {k->log_p, k->dr, k->slope, k->dt, k->drr};
    for (size_t i = 0; i < k->n; i++)
        k->t[i] = t;
    if (model->kind == HEAT_NO_MODEL)
        mst_radial_sphere(1, k->n, k->r, k->rest, k->t, &out);
    else
        heat_model_kernel(model, k->n, k->r, k->rest, k->t, &out);
}

/* ∂_r log p over the length of c, which on rotations is the sine of the whole angle. */
static double slope_by_c(const heat_model *model, const nodes *k, size_t i)
{
    if (model->kind == HEAT_NO_MODEL)
        return k->dr[i] / k->r[i];
    if (model->kind == HEAT_ROTATIONS)
        return k->slope[i] / sin(k->rest[i] * model->scale / 2);
    return k->slope[i];
}

/* sin_κ² of the length of c. */
static double square_of_c(const heat_model *model, double z)
{
    double c = model->scale;
    return model->kind == HEAT_NO_MODEL     ? z * z
           : model->kind == HEAT_HYPERBOLIC ? z * (2 + z) / (c * c)
                                            : z * (2 - z) / (c * c);
}

static void exact_values(const heat_model *model, nodes *k, double t, double *values)
{
    double before[HEAT_BLOCK][2];
    ask_kernel(model, k, t * (1 - RADIAL_TIME_STEP));
    for (size_t i = 0; i < k->n; i++) {
        before[i][0] = slope_by_c(model, k, i);
        before[i][1] = k->dt[i];
    }
    ask_kernel(model, k, t * (1 + RADIAL_TIME_STEP));
    for (size_t i = 0; i < k->n; i++) {
        double *v = values + i * RADIAL_VALUES;
        v[RADIAL_G_DT] = (slope_by_c(model, k, i) - before[i][0]) / (2 * RADIAL_TIME_STEP * t);
        v[RADIAL_DTT] = (k->dt[i] - before[i][1]) / (2 * RADIAL_TIME_STEP * t);
    }
    ask_kernel(model, k, t);
    for (size_t i = 0; i < k->n; i++) {
        double *v = values + i * RADIAL_VALUES;
        bool circle = model->kind == HEAT_NO_MODEL;
        double across =
            circle ? k->drr[i] : k->slope[i] * heat_model_cosine(model, k->r[i], k->rest[i]);
        v[RADIAL_LOG_P] = k->log_p[i];
        v[RADIAL_G] = slope_by_c(model, k, i);
        v[RADIAL_DT] = k->dt[i];
        v[RADIAL_ACROSS] = across;
        v[RADIAL_MIXED] = circle ? 0 : (k->drr[i] - across) / square_of_c(model, k->z[i]);
        v[RADIAL_VALUES - 1] = 0;
    }
}

/* ---- Pieces ---- */

/* Coefficients of the polynomial through the values at Chebyshev's nodes, by powers of s: the inverse of the
 * matrix of powers, by Lagrange's polynomials multiplied out. */
static void interpolation_matrix(double node[RADIAL_TERMS],
                                 double matrix[RADIAL_TERMS][RADIAL_TERMS])
{
    for (int j = 0; j < RADIAL_TERMS; j++)
        node[j] = cos(pi * (j + 0.5) / RADIAL_TERMS);
    for (int j = 0; j < RADIAL_TERMS; j++) {
        double product[RADIAL_TERMS + 1] = {1}, divisor = 1;
        for (int k = 0, degree = 0; k < RADIAL_TERMS; k++) {
            if (k == j)
                continue;
            for (int e = ++degree; e >= 0; e--)
                product[e] = (e > 0 ? product[e - 1] : 0) - node[k] * product[e];
            divisor *= node[j] - node[k];
        }
        for (int e = 0; e < RADIAL_TERMS; e++)
            matrix[e][j] = product[e] / divisor;
    }
}

/* z and w at s of a piece. */
static void put_at(const heat_model *model, const radial_table *t, size_t piece, double s, nodes *k)
{
    double at = t->centre[piece] + s / t->steepness[piece];
    bool far = piece >= t->far;
    put_node(model, k, far ? t->top - at : at, far ? at : t->top - at);
}

/* Between the nodes, and near the ends. */
static const double probe[] = {-0.999, -0.77, 0.17, 0.94};
enum { PROBES = sizeof probe / sizeof *probe };

static bool close_to(double error, double bound, double value, double unit)
{
    return fabs(error) <= bound * fmax(fabs(value), unit);
}

/* Is the table as good as the kernel at its probes? Differences by t are of the precision
 * of a second pass. */
static bool is_accurate(const heat_model *model, const nodes *k, size_t i, double t,
                        const double *exact, const double *found)
{
    double error[RADIAL_VALUES], square = square_of_c(model, k->z[i]), c = sqrt(square);
    for (int v = 0; v < RADIAL_VALUES - 1; v++)
        error[v] = found[v] - exact[v];
    double root = 1 / sqrt(t);
    return close_to(error[RADIAL_LOG_P], 4e-13, exact[RADIAL_LOG_P], 1) &&
           close_to(error[RADIAL_G] * c, 1e-10, exact[RADIAL_G] * c, root) &&
           close_to(error[RADIAL_DT], 1e-10, exact[RADIAL_DT], 1 / t) &&
           close_to(error[RADIAL_ACROSS], 2e-10, exact[RADIAL_ACROSS], 1 / t) &&
           close_to(error[RADIAL_MIXED] * square, 2e-10, exact[RADIAL_MIXED] * square, 1 / t) &&
           close_to(error[RADIAL_G_DT] * c * t, 1e-6, exact[RADIAL_G] * c, root) &&
           close_to(error[RADIAL_DTT] * t, 1e-6, exact[RADIAL_DT], 1 / t);
}

static void place_piece(radial_table *t, size_t piece)
{
    if (piece < t->uniform) {
        double width = 1 / t->per_unit;
        t->centre[piece] = ((double)piece + 0.5) * width;
        t->steepness[piece] = 2 / width;
        return;
    }
    uint64_t eighth =
        piece < t->far ? t->first_z + (piece - t->uniform) : t->first_w + (piece - t->far);
    uint64_t bits[2] = {eighth << RADIAL_OCTAVE_SHIFT, (eighth + 1) << RADIAL_OCTAVE_SHIFT};
    double end[2];
    memcpy(end, bits, sizeof end);
    t->centre[piece] = (end[0] + end[1]) / 2;
    t->steepness[piece] = 2 / (end[1] - end[0]);
}

/* Leave a piece to the kernel, and all that is farther away: next to the cut locus the noise of the kernel
 * may be more than what is asked for. False if that is too much. */
static bool leave_out(radial_table *t, size_t piece)
{
    double half = 1 / t->steepness[piece], at = t->centre[piece];
    double last = piece >= t->far ? t->top - (at + half) : at - half;
    t->last = fmin(t->last, last * (1 - 1e-9));
    return t->last >= (t->top > 0 ? t->top - 0.02 : 1000);
}

/* Coefficients of some pieces; *good becomes false where they do not hold. */
static void fill(const heat_model *model, radial_table *t, double time, size_t begin, size_t end,
                 bool *good)
{
    enum { EACH = RADIAL_TERMS + PROBES };
    double node[RADIAL_TERMS], matrix[RADIAL_TERMS][RADIAL_TERMS];
    double values[HEAT_BLOCK * RADIAL_VALUES], column[RADIAL_VALUES * RADIAL_ROWS];
    nodes k = {.n = 0};
    interpolation_matrix(node, matrix);
    for (size_t piece = begin; piece < end; piece++)
        for (int j = 0; j < EACH; j++)
            put_at(model, t, piece, j < RADIAL_TERMS ? node[j] : probe[j - RADIAL_TERMS], &k);
    exact_values(model, &k, time, values);
    for (size_t piece = begin; piece < end; piece++) {
        const double *v = values + (piece - begin) * EACH * RADIAL_VALUES;
        double *term = t->term + piece * RADIAL_TERMS * RADIAL_VALUES;
        for (int e = 0; e < RADIAL_TERMS; e++)
            for (int a = 0; a < RADIAL_VALUES; a++) {
                double sum = 0;
                for (int j = 0; j < RADIAL_TERMS; j++)
                    sum += matrix[e][j] * v[j * RADIAL_VALUES + a];
                term[e * RADIAL_VALUES + a] = sum;
            }
        for (int p = 0; p < PROBES; p++) {
            size_t i = (piece - begin) * EACH + RADIAL_TERMS + (size_t)p;
            MST_PICK(radial_table_kernels)->look_up(t, 1, &k.z[i], column);
            double found[RADIAL_VALUES];
            for (int a = 0; a < RADIAL_VALUES - 1; a++)
                found[a] = column[a * RADIAL_ROWS];
            bool beyond = piece < t->far && t->top > 0 && t->top - k.z[i] < 1; /* w answers there */
            if (!beyond && k.z[i] <= t->last &&
                !is_accurate(model, &k, i, time, values + i * RADIAL_VALUES, found))
                *good = leave_out(t, piece) && *good;
        }
    }
}

static uint64_t eighth_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> RADIAL_OCTAVE_SHIFT;
}

mst_status radial_table_new(radial_table *t, const heat_model *model, double time, bool *good)
{
    enum { TOGETHER = HEAT_BLOCK / (RADIAL_TERMS + PROBES) };
    bool circle = model->kind == HEAT_NO_MODEL, open = model->kind == HEAT_HYPERBOLIC;
    /* log p is of order one where r² is t: there pieces are small, so that its digits are. */
    double low = ldexp(1, (int)floor(log2(circle ? sqrt(time) : time)));
    *t = (radial_table){.low = fmin(low, 0.5),
                        .uniform = UNIFORM,
                        .top = circle ? pi
                               : open ? 0
                                      : 2};
    t->per_unit = UNIFORM / t->low;
    t->first_z = eighth_of(t->low);
    t->first_w = eighth_of(ldexp(1, -OCTAVES));
    /* With w = 1 z is 1, or π − 1 < 2.25 on circles. */
    t->far = UNIFORM + (open ? eighth_of(ldexp(1, OCTAVES)) : eighth_of(circle ? 2 : 1) + 1) -
             t->first_z;
    t->pieces = t->far + (open ? 0 : eighth_of(1) - t->first_w);
    /* A step inside, so that rounding leaves z on the last piece. */
    t->last = open ? ldexp(1, OCTAVES) * (1 - 1e-15) : t->top - ldexp(1, -OCTAVES) * (1 + 1e-9);
    MST_TRY(mst_allocate_zero(&t->centre, t->pieces * (2 + RADIAL_TERMS * RADIAL_VALUES)));
    t->steepness = t->centre + t->pieces;
    t->term = t->steepness + t->pieces;
    for (size_t k = 0; k < t->pieces; k++)
        place_piece(t, k);
    for (size_t k = 0; *good && k < t->pieces; k += TOGETHER)
        fill(model, t, time, k, k + TOGETHER < t->pieces ? k + TOGETHER : t->pieces, good);
    return MST_OK;
}
