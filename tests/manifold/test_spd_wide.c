/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* spd:n of orders 5 to 128 in lanes: against values of high precision, against LAPACK, and failures. */
#include "base/isa.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- High precision ---- */

/* The matrices of make_spd_reference.py, exact in double precision. */
static void reference_point(size_t n, size_t number, size_t octaves, size_t shift, double *p)
{
    double *l = doubles(n * n);
    memset(l, 0, n * n * sizeof *l);
    for (size_t j = 0; j < n; j++) {
        double scale = ldexp(1, -(int)((j * 7 + number * shift) % (octaves + 1) + j * number % 3));
        l[j * n + j] = scale;
        for (size_t i = j + 1; i < n; i++)
            l[i * n + j] =
                scale * ((double)((i * 13 + j * 29 + number * 17 + i * j) % 15) - 7) / 64;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            p[i * n + j] = p[j * n + i] = dot(n, l + i * n, l + j * n);
    free(l);
}

/* One row of the table: the numbers of it. */
static size_t read_row(FILE *file, double *numbers)
{
    static char line[8192];
    size_t count = 0;
    if (fgets(line, sizeof line, file) == NULL)
        return 0;
    for (char *at = line, *end;; at = end + 1) {
        numbers[count++] = strtod(at, &end);
        if (*end != ',')
            return count;
    }
}

/* |A u − want| relative to |want|, u = (1, −1/2, 1/3, …). */
static double product_error(size_t n, const double *a, const double *want)
{
    double error = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += a[i * n + j] * (j % 2 == 0 ? 1 : -1) / (double)(j + 1);
        error += (sum - want[i]) * (sum - want[i]);
        size += want[i] * want[i];
    }
    return sqrt(error / size);
}

/* Distance and logarithm to 1e-13 for points of condition 1e6. In the norm at P what is left of the digits of
 * the logarithm is another thing: its entries, rounded, have errors of up to ε times the condition there,
 * 1e-10; those of scaled columns are smaller. */
static void assert_reference(const double *row)
{
    size_t n = (size_t)row[0], pair = (size_t)row[1], octaves = (size_t)row[2];
    size_t shift = (size_t)row[3], D = n * n;
    double *p = doubles(5 * D), *q = p + D, *v = q + D, *c = v + D, *s = c + D, r, back;
    mst_manifold *m;
    reference_point(n, 2 * pair, octaves, shift, p);
    reference_point(n, 2 * pair + 1, octaves, shift, q);
    ASSERT_OK(mst_spd_new(&m, n));
    ASSERT_OK(mst_manifold_dist(m, 1, p, q, &r));
    ASSERT_OK(mst_manifold_log(m, 1, p, q, v, NULL));
    ASSERT_OK(mst_manifold_to_frame(m, 1, p, v, c));
    symmetric_unpack(n, c, s);
    double white = product_error(n, s, row + 7), error = product_error(n, v, row + 7 + n);
    assert_near(r / row[6], 1, 1e-13, "distance, order %zu, pair %zu", n, pair);
    ck_assert_msg(error <= 1e-13, "log, order %zu, pair %zu: %.2g", n, pair, error);
    ck_assert_msg(white <= 1e-11, "log in its norm, order %zu, pair %zu: %.2g", n, pair, white);
    /* And home again: what a logarithm of length r loses is e^r of it in the worst direction. */
    ASSERT_OK(mst_manifold_exp(m, 1, p, v, c));
    ASSERT_OK(mst_manifold_dist(m, 1, c, q, &back));
    ck_assert_msg(back <= 1e-8, "exp, order %zu: %.2g", n, back);
    mst_manifold_free(m);
    free(p);
}

START_TEST(high_precision)
{
    static const char *const sets[] = {NULL, "v3", "generic"};
    double row[160];
    FILE *file = fopen(MST_TEST_DATA "/reference/spd_logs.csv", "r");
    ck_assert_ptr_nonnull(file);
    mst_isa_choose(sets[_i]);
    (void)read_row(file, row); /* the header */
    size_t rows = 0;
    for (; read_row(file, row) > 1; rows++)
        assert_reference(row);
    ck_assert_uint_eq(rows, 13);
    fclose(file);
    mst_isa_choose(NULL);
}
END_TEST

/* ---- Against LAPACK ---- */

/* Gram matrices of `freedom` normal rows: the fewer of them, the worse the condition. */
static void wishart(dice *d, size_t n, size_t freedom, double scale, double *x)
{
    double *g = doubles(n * freedom);
    for (size_t k = 0; k < n * freedom; k++)
        g[k] = dice_normal(d);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            x[i * n + j] = x[j * n + i] =
                scale * dot(freedom, g + i * freedom, g + j * freedom) / (double)freedom;
    free(g);
}

enum { PAIRS = 7, ORDERS = 5, KINDS = 4 };

START_TEST(as_lapack)
{
    static const size_t orders[ORDERS] = {5, 11, 22, 32, 65};
    static const double bounds[KINDS] = {1e-13, 1e-12, 1e-9, 1e-13};
    size_t n = orders[_i % ORDERS], kind = (size_t)_i / ORDERS, D = n * n;
    size_t freedom = kind == 0 ? 8 * n : kind == 1 ? 2 * n : kind == 2 ? n + 1 : 8 * n;
    dice d = {37};
    double *x = doubles(4 * PAIRS * D), *y = x + PAIRS * D, *v = y + PAIRS * D, *u = v + PAIRS * D;
    double r[PAIRS], want[PAIRS], square[PAIRS];
    mst_manifold *m, *plain;
    ASSERT_OK(mst_spd_new(&m, n));
    ASSERT_OK(mst_spd_plain_new(&plain, n));
    ck_assert_ptr_ne(m->ops.log, plain->ops.log);
    for (size_t i = 0; i < PAIRS; i++) {
        wishart(&d, n, freedom, 1e-27, x + i * D);
        wishart(&d, n, freedom, 1e-27, y + i * D);
        for (size_t k = 0; kind == 3 && i % 2 == 0 && k < D; k++) /* neighbours, beside others */
            y[i * D + k] = x[i * D + k] + 1e-9 * y[i * D + k];
    }
    ASSERT_OK(mst_manifold_dist(m, PAIRS, x, y, r));
    ASSERT_OK(mst_manifold_dist(plain, PAIRS, x, y, want));
    ASSERT_OK(mst_manifold_log(m, PAIRS, x, y, v, NULL));
    ASSERT_OK(mst_manifold_log(plain, PAIRS, x, y, u, NULL));
    for (size_t k = 0; k < PAIRS * D; k++)
        u[k] -= v[k];
    ASSERT_OK(mst_manifold_inner(plain, PAIRS, x, u, u, square));
    for (size_t i = 0; i < PAIRS; i++) {
        assert_near(r[i] / want[i], 1, bounds[kind], "dist, order %zu, kind %zu", n, kind);
        ck_assert_msg(sqrt(square[i]) <= bounds[kind] * want[i], "log, order %zu, kind %zu: %.2g",
                      n, kind, sqrt(square[i]) / want[i]);
    }
    for (size_t k = 0; k < PAIRS * D; k++) /* a third of the way is no long way */
        v[k] /= 3;
    ASSERT_OK(mst_manifold_exp(m, PAIRS, x, v, y));
    ASSERT_OK(mst_manifold_exp(plain, PAIRS, x, v, u));
    ASSERT_OK(mst_manifold_dist(plain, PAIRS, y, u, r));
    for (size_t i = 0; i < PAIRS; i++)
        ck_assert_msg(r[i] <= 100 * bounds[kind], "exp, order %zu, kind %zu: %.2g", n, kind, r[i]);
    mst_manifold_free(m);
    mst_manifold_free(plain);
    free(x);
}
END_TEST

/* A point and itself, beside others. */
START_TEST(no_way_at_all)
{
    enum { N = 9, D = N * N, ROWS = 6 };
    dice d = {43};
    double x[ROWS * D], y[ROWS * D], v[ROWS * D], r[ROWS];
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, N));
    for (size_t i = 0; i < ROWS; i++) {
        wishart(&d, N, 3 * N, 1e-27, x + i * D);
        wishart(&d, N, 3 * N, 1e-27, y + i * D);
        if (i % 3 == 1)
            memcpy(y + i * D, x + i * D, D * sizeof *y);
    }
    ASSERT_OK(mst_manifold_log(m, ROWS, x, y, v, NULL));
    ASSERT_OK(mst_manifold_dist(m, ROWS, x, y, r));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < D; k++)
            ck_assert(i % 3 == 1 ? v[i * D + k] == 0 && r[i] == 0 : isfinite(v[i * D + k]));
    ASSERT_OK(mst_manifold_exp(m, ROWS, x, v, y));
    ASSERT_OK(mst_manifold_dist(m, ROWS, x, y, v));
    for (size_t i = 0; i < ROWS; i++)
        assert_near(v[i], r[i], 1e-12, "there and no farther");
    mst_manifold_free(m);
}
END_TEST

START_TEST(failures_name_the_row)
{
    enum { N = 6, D = N * N, ROWS = 9 };
    dice d = {41};
    double x[ROWS * D], y[ROWS * D], v[ROWS * D], r[ROWS];
    mst_manifold *m;
    ASSERT_OK(mst_spd_new(&m, N));
    for (size_t i = 0; i < ROWS; i++) {
        wishart(&d, N, 3 * N, 1, x + i * D);
        wishart(&d, N, 3 * N, 1, y + i * D);
    }
    y[6 * D] = -1;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_log(m, ROWS, x, y, v, NULL));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 7: the second point"));
    x[2 * D] = 0;
    ASSERT_FAILS(MST_DOMAIN, mst_manifold_dist(m, ROWS, x, y, r));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 3: the base point"));
    x[2 * D] = 9;
    memset(v, 0, sizeof v);
    v[4 * D] = 1e5;
    ASSERT_FAILS(MST_BREAKDOWN, mst_manifold_exp(m, ROWS, x, v, y));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "row 5"));
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("spd in lanes", 60, {high_precision, 3}, {as_lapack, ORDERS * KINDS},
                     {no_way_at_all, 0}, {failures_name_the_row, 0});
}
