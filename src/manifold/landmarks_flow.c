/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics of landmarks by Hamilton's equations, with their derivatives:
 *   q' = K p,  p'_a = −Σ_b 2k'_ab (p_a·p_b) D_ab,  D_ab = q_a − q_b,
 *   M' = A M,  A = (C, K; −H_qq, −Cᵀ),  C = ∂q'/∂q. */
#include "manifold/landmarks.h"
#include "manifold/runge_kutta.h"

#include <math.h>
#include <string.h>

mst_status landmark_flow_new(landmark_flow *f, const landmark_shape *s, size_t width)
{
    size_t d = s->count * s->space, square = s->count * s->wide;
    *f = (landmark_flow){.shape = s,
                         .kernels = MST_PICK(landmark_kernels),
                         .half = s->space * s->wide,
                         .d = d,
                         .lead = (d + 7) / 8 * 8};
    f->width = width * f->lead;
    size_t matrix = 2 * d * f->width, slope = width > 0 ? 4 * d * f->lead : 0;
    MST_TRY(mst_allocate_zero(&f->memory, (RK_STAGES + 2) * (2 * f->half + matrix) + 2 * f->half +
                                              LANDMARK_ORDERS * square + 4 * s->wide + slope));
    double *at = f->memory;
    for (int o = 0; o < LANDMARK_ORDERS; o++, at += square)
        f->pair[o] = at;
    double **const parts[] = {&f->base, &f->point, &f->state,  &f->trial, &f->stage,
                              &f->room, &f->slope, &f->matrix, &f->moved, &f->matrix_stage};
    const size_t sizes[] = {f->half,     f->half, 2 * f->half, 2 * f->half, RK_STAGES * 2 * f->half,
                            4 * s->wide, slope,   matrix,      matrix,      0};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; at += sizes[k++])
        *parts[k] = at;
    return MST_OK;
}

void landmark_flow_free(landmark_flow *f)
{
    mst_release(f->memory);
    *f = (landmark_flow){0};
}

void landmark_flow_start(landmark_flow *f, const double *y, const double *p)
{
    memcpy(f->base, y, f->half * sizeof *y);
    memset(f->state, 0, f->half * sizeof *y);
    if (p != NULL)
        memcpy(f->state + f->half, p, f->half * sizeof *p);
}

static double *place(landmark_flow *f, const double *state)
{
    for (size_t k = 0; k < f->half; k++)
        f->point[k] = f->base[k] + state[k];
    return f->point;
}

double *landmark_flow_point(landmark_flow *f)
{
    return place(f, f->state);
}

void landmark_flow_begin(landmark_flow *f)
{
    memset(f->matrix, 0, 2 * f->d * f->width * sizeof *f->matrix);
    for (size_t i = 0; i < f->d; i++) {
        f->matrix[(f->d + i) * f->width + i] = 1;
        if (f->width > f->lead)
            f->matrix[i * f->width + f->lead + i] = 1;
    }
}

double landmark_energy(landmark_flow *f, const double *q, const double *p)
{
    double *dq = f->trial, *dp = dq + f->half, sum = 0;
    f->kernels->slopes(f->shape, q, p, dq, dp, f->room);
    for (size_t k = 0; k < f->half; k++)
        sum += p[k] * dq[k];
    return sum;
}

void landmark_linearise(landmark_flow *f, const double *q, const double *p)
{
    f->kernels->linearise(f->shape, q, p, f->pair, 2 * f->lead, f->slope);
}

/* The pair 5(4) of Dormand and Prince (1980), less its last stage. */
enum { FIVE = 6 };
static const double five_weights[FIVE][RK_STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
};
static const double five_sum[FIVE] = {35.0 / 384,     0,        500.0 / 1113, 125.0 / 192,
                                      -2187.0 / 6784, 11.0 / 84};

/* The classical method of order four. */
enum { FOUR = 4 };
static const double four_weights[FOUR][RK_STAGES - 1] = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}};
static const double four_sum[FOUR] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

/* The slopes of all stages of one step. */
static void run_stages(landmark_flow *f, size_t stages, const double (*weights)[RK_STAGES - 1],
                       double h, bool with_matrix)
{
    size_t size = 2 * f->half, matrix = 2 * f->d * f->width;
    for (size_t s = 0; s < stages; s++) {
        f->kernels->blend(size, s, h, weights[s], size, f->state, f->stage, f->trial);
        const double *q = place(f, f->trial), *p = f->trial + f->half;
        f->kernels->slopes(f->shape, q, p, f->stage + s * size, f->stage + s * size + f->half,
                           f->room);
        if (!with_matrix)
            continue;
        f->kernels->blend(matrix, s, h, weights[s], matrix, f->matrix, f->matrix_stage, f->moved);
        landmark_linearise(f, q, p);
        f->kernels->multiply(2 * f->d, 2 * f->d, f->width, f->slope, 2 * f->lead, f->moved,
                             f->width, f->matrix_stage + s * matrix, f->width, false);
    }
}

static void arrive(landmark_flow *f, size_t stages, const double *weights, double h,
                   bool with_matrix)
{
    size_t size = 2 * f->half, matrix = 2 * f->d * f->width;
    f->kernels->blend(size, stages, h, weights, size, f->state, f->stage, f->state);
    if (with_matrix)
        f->kernels->blend(matrix, stages, h, weights, matrix, f->matrix, f->matrix_stage,
                          f->matrix);
}

void landmark_advance(landmark_flow *f, double h, bool with_matrix)
{
    size_t size = 2 * f->half;
    run_stages(f, RK_STAGES, rk_weights, h, with_matrix);
    f->error = 0;
    for (size_t k = 0; k < f->half; k++) {
        double error = 0;
        for (size_t s = 0; s < RK_STAGES; s++)
            error += (rk_eighth[s] - rk_seventh[s]) * f->stage[s * size + k];
        f->error = fmax(f->error, fabs(h * error));
    }
    arrive(f, RK_STAGES, rk_eighth, h, with_matrix);
}

void landmark_advance_roughly(landmark_flow *f, double h, bool with_matrix)
{
    run_stages(f, FIVE, five_weights, h, with_matrix);
    arrive(f, FIVE, five_sum, h, with_matrix);
}

void landmark_advance_shortly(landmark_flow *f, double h, bool with_matrix)
{
    run_stages(f, FOUR, four_weights, h, with_matrix);
    arrive(f, FOUR, four_sum, h, with_matrix);
}
