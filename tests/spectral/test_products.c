/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The products against plain loops, by every instruction set; and Gauss's rule. */
#include "base/gauss.h"
#include "spectral/kernels.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

static const char *const sets[] = {"generic", "v3", "v4"};

START_TEST(gram_equals_plain_loops)
{
    static const size_t rows[] = {1, 2, 7, 64, 128}, columns[] = {8, 16, 40, 72};
    dice die = {3};
    mst_isa_choose(sets[_i]);
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 4; b++) {
            size_t n = rows[a], m = columns[b], W = SPECTRAL_WIDTH;
            double *panels = doubles(n * m), *sum = doubles(m * m), *before = doubles(m * m);
            for (size_t k = 0; k < n * m; k++)
                panels[k] = dice_normal(&die);
            for (size_t k = 0; k < m * m; k++)
                sum[k] = before[k] = dice_normal(&die);
            MST_PICK(spectral_kernels)->gram(n, m, panels, sum);
            for (size_t r = 0; r < m; r++)
                for (size_t c = 0; c <= r; c++) {
                    double plain = before[r * m + c];
                    for (size_t i = 0; i < n; i++)
                        plain += panels[r / W * W * n + i * W + r % W] *
                                 panels[c / W * W * n + i * W + c % W];
                    ck_assert_double_eq_tol(sum[r * m + c], plain, 1e-12 * (double)n);
                }
            free(panels), free(sum), free(before);
        }
    mst_isa_choose(NULL);
}
END_TEST

START_TEST(multiply_equals_plain_loops)
{
    static const size_t sizes[][3] = {{1, 1, 1}, {6, 9, 4}, {3, 31, 17}, {1, 40, 40}, {2, 5, 0}};
    dice die = {5};
    mst_isa_choose(sets[_i]);
    for (size_t a = 0; a < 5; a++) {
        size_t n = sizes[a][0], m = sizes[a][1], k = sizes[a][2], stride = m + 3, step = k + 5;
        stride = stride > k ? stride : k;
        double *rows = doubles(n * m), *matrix = doubles(m * stride), *out = doubles(n * step);
        for (size_t j = 0; j < n * m; j++)
            rows[j] = dice_normal(&die);
        for (size_t j = 0; j < m * stride; j++)
            matrix[j] = dice_normal(&die);
        for (size_t j = 0; j < n * step; j++)
            out[j] = 7;
        MST_PICK(spectral_kernels)->multiply(n, m, k, stride, rows, matrix, step, out);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < step; j++) {
                double plain = 0;
                for (size_t r = 0; r < m && j < k; r++)
                    plain += rows[i * m + r] * matrix[r * stride + j];
                ck_assert_double_eq_tol(out[i * step + j], j < k ? plain : 7, 1e-12);
            }
        free(rows), free(matrix), free(out);
    }
    mst_isa_choose(NULL);
}
END_TEST

START_TEST(gauss_is_exact_to_its_degree)
{
    double node[40], weight[40];
    for (size_t n = 1; n <= 40; n += 3) {
        mst_gauss_rule(n, node, weight);
        for (size_t k = 0; k < 2 * n; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += weight[i] * pow(node[i], (double)k);
            ck_assert_double_eq_tol(sum, 1 / ((double)k + 1), 1e-14);
        }
        for (size_t i = 1; i < n; i++)
            ck_assert_double_gt(node[i], node[i - 1]);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("products", 60, {gram_equals_plain_loops, 3}, {multiply_equals_plain_loops, 3},
                     {gauss_is_exact_to_its_degree, 0});
}
