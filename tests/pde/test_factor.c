/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Cholesky factors of matrices on lattices: solutions against a dense factorisation, what a factor promises
 * of its order and its rows, and its size against known bounds. */
#include "pde/cholesky.h"
#include "pde/kernels.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

/* Points of a lattice; each is joined with those at most `reach` lines away in both coordinates. */
typedef struct shape {
    const char *name;
    int high, wide, reach;
    bool around[2];              /* is the coordinate periodic? */
    bool (*has)(double, double); /* in [−1, 1]²; null: everything */
} shape;

static bool in_disc(double x, double y)
{
    return x * x + y * y < 1;
}

static bool in_ring(double x, double y)
{
    return in_disc(x, y) && x * x + y * y > 0.3;
}

static bool in_islands(double x, double y)
{
    return (x < -0.5 || x > 0.5) && fabs(y) > 0.3;
}

static bool nowhere_but_once(double x, double y)
{
    return fabs(x) < 0.1 && fabs(y) < 0.1;
}

static const shape shapes[] = {
    {"a point", 1, 1, 1, {0}, NULL},
    {"a line", 1, 90, 2, {0}, NULL},
    {"a dense matrix", 5, 5, 7, {0}, NULL},
    {"a square of nine-point stencils", 17, 17, 1, {0}, NULL},
    {"a square of wide stencils", 20, 20, 7, {0}, NULL},
    {"a strip", 60, 5, 2, {0}, NULL},
    {"a torus", 18, 15, 2, {true, true}, NULL},
    {"a cylinder", 12, 25, 3, {false, true}, NULL},
    {"a disc", 20, 20, 1, {0}, in_disc},
    {"a ring", 22, 22, 2, {0}, in_ring},
    {"four islands", 24, 20, 2, {0}, in_islands},
    {"a point in the middle", 11, 11, 2, {0}, nowhere_but_once},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The graph of a shape, and a positive definite matrix on it. */
typedef struct lattice {
    pde_graph graph;
    size_t *line;
    int *column;
    int (*at)[2];
    double *value;
} lattice;

static int wrapped(const shape *s, size_t axis, int c)
{
    int count = axis == 0 ? s->high : s->wide;
    if (s->around[axis])
        return (c + count) % count;
    return c >= 0 && c < count ? c : -1;
}

static lattice new_lattice(const shape *s)
{
    size_t places = (size_t)s->high * (size_t)s->wide, n = 0, count = 0;
    int *number = malloc(places * sizeof *number);
    for (int k = 0; k < s->high * s->wide; k++) {
        double x = (k / s->wide + 0.5) / s->high * 2 - 1, y = (k % s->wide + 0.5) / s->wide * 2 - 1;
        number[k] = s->has == NULL || s->has(x, y) ? (int)n++ : -1;
    }
    size_t most = (size_t)(2 * s->reach + 1) * (size_t)(2 * s->reach + 1);
    lattice l = {.line = malloc((n + 1) * sizeof *l.line),
                 .column = malloc(n * most * sizeof *l.column),
                 .at = malloc(n * sizeof *l.at),
                 .value = doubles(n * most)};
    for (int k = 0; k < s->high * s->wide; k++) {
        if (number[k] < 0)
            continue;
        int row = number[k], a = k / s->wide, b = k % s->wide;
        l.line[row] = count;
        l.at[row][0] = a;
        l.at[row][1] = b;
        for (int i = -s->reach; i <= s->reach; i++)
            for (int j = -s->reach; j <= s->reach; j++) {
                int x = wrapped(s, 0, a + i), y = wrapped(s, 1, b + j);
                if (x < 0 || y < 0 || number[x * s->wide + y] < 0)
                    continue;
                int to = number[x * s->wide + y];
                /* Symmetric, and with a dominant diagonal. */
                double off = sin(1 + (row < to ? row + 7 * to : to + 7 * row));
                l.column[count] = to;
                l.value[count++] = to == row ? 1.1 * (double)most : off;
            }
    }
    l.line[n] = count;
    l.graph = (pde_graph){n, l.line, l.column, (const int(*)[2])l.at, s->reach};
    free(number);
    return l;
}

static void free_lattice(lattice *l)
{
    free(l->line), free(l->column), free(l->at), free(l->value);
}

/* a (n, n) x = b by elimination; a and b are overwritten. */
static void solve_densely(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n && factor != 0; j++)
                a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

START_TEST(solves_as_dense_elimination_does)
{
    lattice l = new_lattice(&shapes[_i]);
    size_t n = l.graph.n;
    pde_factor f;
    dice d = {(uint64_t)_i + 1};
    ASSERT_OK(pde_factor_new(&f, &l.graph, l.value));
    double *a = calloc(n * n, sizeof *a), *b = doubles(n);
    double *x = aligned_alloc(64, n * PDE_LANES * sizeof *x);
    for (size_t k = 0; k < n; k++)
        for (size_t e = l.line[k]; e < l.line[k + 1]; e++)
            a[k * n + (size_t)l.column[e]] = l.value[e];
    for (size_t k = 0; k < n; k++)
        b[k] = dice_normal(&d);
    for (size_t k = 0; k < n; k++)
        for (size_t lane = 0; lane < PDE_LANES; lane++)
            x[k * PDE_LANES + lane] = (double)(lane + 1) * b[f.order[k]];
    solve_densely(n, a, b);
    MST_PICK(pde_kernels)->solve(&f, x);
    for (size_t k = 0; k < n; k++)
        for (size_t lane = 0; lane < PDE_LANES; lane++)
            assert_near(x[k * PDE_LANES + lane], (double)(lane + 1) * b[f.order[k]],
                        1e-13 * (double)(lane + 1), "%s, row %zu", shapes[_i].name, k);
    free(a), free(b), free(x);
    pde_factor_free(&f);
    free_lattice(&l);
}
END_TEST

/* The order is a permutation, supernodes cover all columns, and their rows ascend from the columns on. */
static void assert_well_formed(const char *name, const pde_factor *f, size_t n)
{
    bool *seen = calloc(n, sizeof *seen);
    ck_assert_uint_eq(f->n, n);
    for (size_t k = 0; k < n; k++) {
        ck_assert_msg(f->order[k] >= 0 && (size_t)f->order[k] < n && !seen[f->order[k]],
                      "%s: order %zu", name, k);
        seen[f->order[k]] = true;
    }
    ck_assert(f->super[0] == 0 && f->super[f->supers] == (int)n);
    for (size_t s = 0; s < f->supers; s++) {
        size_t columns = (size_t)(f->super[s + 1] - f->super[s]);
        size_t rows = f->begin[s + 1] - f->begin[s];
        ck_assert_msg(columns >= 1 && rows >= columns, "%s: block %zu", name, s);
        ck_assert_uint_eq(f->at[s + 1] - f->at[s], rows * columns);
        for (size_t i = 0; i < rows; i++) {
            int row = f->row[f->begin[s] + i];
            ck_assert_msg(i < columns ? row == f->super[s] + (int)i
                                      : row > f->row[f->begin[s] + i - 1] && row < (int)n,
                          "%s: row %zu of block %zu", name, i, s);
        }
    }
    free(seen);
}

START_TEST(orders_are_permutations_and_rows_ascend)
{
    lattice l = new_lattice(&shapes[_i]);
    pde_factor f;
    ASSERT_OK(pde_factor_analyse(&f, &l.graph));
    assert_well_formed(shapes[_i].name, &f, l.graph.n);
    pde_factor_free(&f);
    free_lattice(&l);
}
END_TEST

/* Numbers in the blocks, and multiplications for them: half of the squared heights of the columns. */
static void measure(const shape *s, double *stored, double *operations)
{
    lattice l = new_lattice(s);
    pde_factor f;
    ASSERT_OK(pde_factor_analyse(&f, &l.graph));
    assert_well_formed(s->name, &f, l.graph.n);
    *stored = (double)f.at[f.supers];
    *operations = 0;
    for (size_t k = 0; k < f.supers; k++)
        for (int c = 0; c < f.super[k + 1] - f.super[k]; c++) {
            double rows = (double)(f.begin[k + 1] - f.begin[k]) - c;
            *operations += rows * rows / 2;
        }
    pde_factor_free(&f);
    free_lattice(&l);
}

/* Nested dissection of a square of k × k nine-point stencils has 7.75 k² log₂ k numbers and 829/84 k³
 * multiplications (George 1973; Duff, Erisman and Reid 1976) to leading order. Blocks have zeros besides,
 * whose share falls like 1/k. */
START_TEST(squares_have_the_fill_of_nested_dissection)
{
    for (int k = 32; k <= 256; k *= 2) {
        double stored, operations;
        measure(&(shape){"a square", k, k, 1, {0}, NULL}, &stored, &operations);
        ck_assert_double_le(stored, 7.75 * k * k * log2(k));
        ck_assert_double_le(operations, 829 / 84.0 * pow(k, 3) * (1 + 24.0 / k));
    }
}
END_TEST

/* A matrix of bandwidth b has n (b + 1) numbers at most. Strips are no worse than that, whichever coordinate
 * is the long one. */
START_TEST(strips_are_bands)
{
    for (int width = 20; width <= 40; width += 20)
        for (int turned = 0; turned < 2; turned++) {
            shape s = {"a strip", 300, width, 3, {0}, NULL};
            if (turned == 1)
                s = (shape){"a turned strip", width, 300, 3, {0}, NULL};
            double stored, operations, band = 3 * width + 3;
            measure(&s, &stored, &operations);
            ck_assert_double_le(stored, 1.25 * 300 * width * (band + 1));
            ck_assert_double_le(operations, 1.25 * 300 * width * pow(band + 1, 2) / 2);
        }
}
END_TEST

/* On a ring of lines two separators cut a period: no more than three times the band that is open. */
START_TEST(periods_are_cut_twice)
{
    double stored, operations, open, open_operations;
    measure(&(shape){"a strip", 300, 20, 3, {0}, NULL}, &open, &open_operations);
    measure(&(shape){"a closed strip", 300, 20, 3, {true, false}, NULL}, &stored, &operations);
    ck_assert_double_le(stored, 3 * open);
    ck_assert_double_le(operations, 5 * open_operations);
}
END_TEST

START_TEST(matrices_that_are_not_positive_definite_are_refused)
{
    lattice l = new_lattice(&shapes[3]);
    pde_factor f;
    for (size_t e = l.line[100]; e < l.line[101]; e++)
        if (l.column[e] == 100)
            l.value[e] = -1;
    ASSERT_FAILS(MST_BREAKDOWN, pde_factor_new(&f, &l.graph, l.value));
    ck_assert_ptr_null(f.value);
    free_lattice(&l);
}
END_TEST

int main(void)
{
    return RUN_SUITE("factor", 30, {solves_as_dense_elimination_does, SHAPES},
                     {orders_are_permutations_and_rows_ascend, SHAPES},
                     {squares_have_the_fill_of_nested_dissection, 0}, {strips_are_bands, 0},
                     {periods_are_cut_twice, 0},
                     {matrices_that_are_not_positive_definite_are_refused, 0});
}
