/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/spd_reference.h"

#include "base/linalg.h"
#include "manifold/symmetric.h"

#include <stdio.h>

enum { PAIRS = 30 };

static void read_numbers(FILE *file, size_t count, double *out)
{
    for (size_t k = 0; k < count; k++) {
        ck_assert_int_eq(fscanf(file, "%lf", &out[k]), 1);
        (void)getc(file); /* the comma, or the end of the line */
    }
}

void for_spd_pairs(void (*check)(const spd_pair *pair))
{
    FILE *file = fopen(MST_TEST_DATA "/reference/spd_metrics.csv", "r");
    ck_assert_ptr_nonnull(file);
    for (size_t row = 0; row < PAIRS; row++) {
        spd_pair pair;
        double head[2];
        read_numbers(file, 2, head);
        pair.n = (size_t)head[0];
        ck_assert_uint_le(pair.n, SPD_LARGEST);
        pair.condition = head[1];
        read_numbers(file, pair.n * pair.n, pair.p);
        read_numbers(file, pair.n * pair.n, pair.q);
        read_numbers(file, 1, &pair.log_cholesky);
        read_numbers(file, 1, &pair.bures);
        read_numbers(file, pair.n * pair.n, pair.bures_log);
        check(&pair);
    }
    ck_assert_int_eq(getc(file), EOF);
    fclose(file);
}

void random_orthogonal(dice *d, size_t n, double *q)
{
    double a[SPD_ENTRIES], sigma[SPD_LARGEST], vt[SPD_ENTRIES];
    for (size_t k = 0; k < n * n; k++)
        a[k] = dice_normal(d);
    ASSERT_OK(mst_svd(1, n, a, q, sigma, vt, NULL));
}

void congruent(size_t n, const double *a, const double *p, double *out)
{
    double work[SPD_ENTRIES];
    mst_multiply(n, a, p, work);
    mst_multiply_nt(n, work, a, out);
    symmetric_part(n, out, out);
}

void random_spd(dice *d, size_t n, double condition, double scale, double *p)
{
    double basis[SPD_ENTRIES], values[SPD_ENTRIES] = {0};
    random_orthogonal(d, n, basis);
    for (size_t k = 0; k < n; k++)
        values[k * (n + 1)] = scale * pow(condition, -dice_uniform(d, 0, 1));
    congruent(n, basis, values, p);
}
