/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/muon.h"
#include "support/support.h"

#include <manistat/random.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 48 * 20 };

static void fill(uint64_t stream, size_t n, float *out)
{
    double z[MOST];
    mst_random_normals((mst_random){5, stream}, 0, n, z);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)z[i];
}

/* Against the gradient G = U S Vᵀ the step is U f(S) Vᵀ with f in 0.6 … 1.3, so S' = GᵀX = V S f(S) Vᵀ is
 * symmetric, and <X, G>, Σ s f(s), lies between these factors times the sum of the singular values. Of a
 * matrix with orthogonal rows of lengths s these are known. */
static void check_step(size_t rows, size_t columns)
{
    size_t size = rows * columns, least = rows < columns ? rows : columns;
    float gradient[2][MOST] = {{0}}, first[MOST] = {0}, theta[MOST] = {0};
    float *parts[] = {gradient[0], gradient[1]},
          *room = malloc(muon_room(rows, columns) * sizeof *room);
    /* Entry (k, k) alone: the singular values are 1, ½, ⅓, … */
    for (size_t k = 0; k < least; k++) {
        gradient[0][k * columns + k] = 3 / (float)(k + 1);
        gradient[1][k * columns + k] = -1 / (float)(k + 1);
    }
    muon_settings s = {.rate = 0.5F, .momentum = 0.95F, .scale = 0.5F};
    muon_update(&s, rows, columns, 2, parts, first, theta, room);
    double unit = 0.5 * 0.2 * sqrt((double)(rows > columns ? rows : columns));
    for (size_t i = 0; i < size; i++) {
        bool diagonal = i / columns == i % columns;
        double step = -(double)theta[i] / unit;
        ck_assert_msg(diagonal ? step > 0.6 && step < 1.3 : fabs(step) < 1e-5,
                      "entry %zu of %zu x %zu: %g", i, rows, columns, step);
        ck_assert_float_eq(gradient[0][i], 0);
        ck_assert_float_eq(gradient[1][i], 0);
        /* (3 − 1)·scale/(k + 1), of which a twentieth is new */
        double want = diagonal ? 0.05 / (double)(i / columns + 1) : 0;
        ck_assert_double_eq_tol((double)first[i], want, 1e-7);
    }
    free(room);
}

START_TEST(singular_values_become_equal)
{
    check_step(20, 20);
    check_step(48, 20);
    check_step(20, 48);
}
END_TEST

/* The step turns with the gradient: M ↦ Q M for a reflection Q. */
START_TEST(steps_turn_with_gradients)
{
    enum { N = 20 };
    float plain[N * N], turned[N * N], first[2][N * N] = {{0}}, theta[2][N * N] = {{0}}, q[N];
    fill(1, N * N, plain);
    fill(2, N, q);
    double square = 0;
    for (size_t k = 0; k < N; k++)
        square += (double)q[k] * (double)q[k];
    for (size_t j = 0; j < N; j++) {
        double along = 0;
        for (size_t k = 0; k < N; k++)
            along += (double)q[k] * (double)plain[k * N + j];
        for (size_t k = 0; k < N; k++)
            turned[k * N + j] =
                (float)((double)plain[k * N + j] - 2 * along / square * (double)q[k]);
    }
    float *room = malloc(muon_room(N, N) * sizeof *room), *one = plain, *two = turned;
    muon_settings s = {.rate = 1, .momentum = 0.9F, .scale = 1};
    muon_update(&s, N, N, 1, &one, first[0], theta[0], room);
    muon_update(&s, N, N, 1, &two, first[1], theta[1], room);
    for (size_t j = 0; j < N; j++) {
        double along = 0;
        for (size_t k = 0; k < N; k++)
            along += (double)q[k] * (double)theta[0][k * N + j];
        for (size_t k = 0; k < N; k++)
            ck_assert_double_eq_tol((double)theta[1][k * N + j],
                                    (double)theta[0][k * N + j] - 2 * along / square * (double)q[k],
                                    1e-4);
    }
    free(room);
}
END_TEST

START_TEST(nothing_moves_without_a_gradient)
{
    float gradient[12] = {0}, first[12] = {0}, theta[12] = {1, 2, 3}, *one = gradient;
    float *room = malloc(muon_room(3, 4) * sizeof *room);
    muon_settings s = {.rate = 1, .momentum = 0.9F, .scale = 1};
    muon_update(&s, 3, 4, 1, &one, first, theta, room);
    ck_assert(theta[0] == 1 && theta[1] == 2 && theta[2] == 3 && theta[3] == 0);
    free(room);
}
END_TEST

int main(void)
{
    return RUN_SUITE("muon", 60, {singular_values_become_equal, 0}, {steps_turn_with_gradients, 0},
                     {nothing_moves_without_a_gradient, 0});
}
