/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/wide_matrices.h"
#include "base/hot.h"
#include "base/wide.h"

/* Blocks of 3 × 4 sums stay in registers. */
enum { TALL = 3, BROAD = 4 };

/* A matrix of which only entry (row, column) of a product is asked at a time: how far apart its rows and
 * columns are stored; lanes share it if it is `plain`. */
typedef struct operand {
    const wide *wide;
    const double *plain;
    size_t row, column;
} operand;

/* What is known of a product C = A B: which of its entries are wanted, and how many terms they have. */
typedef enum terms { ALL_TERMS, TERMS_TO_ROW, TERMS_TO_COLUMN, TERMS_FROM_COLUMN } terms;

typedef struct product {
    size_t n;
    operand a, b;
    terms terms; /* entry (i, j) has those k ≤ i, k ≤ j or k ≥ j */
    bool lower;  /* only j ≤ i is wanted */
    bool add;    /* to what stands there */
} product;

INLINE void block(const product *p, size_t i, size_t j, size_t tall, size_t broad, wide *c)
{
    size_t n = p->n, begin = 0, end = n;
    if (p->terms == TERMS_TO_ROW)
        end = i + tall;
    if (p->terms == TERMS_TO_COLUMN)
        end = j + broad;
    if (p->terms == TERMS_FROM_COLUMN)
        begin = j;
    wide sum[TALL][BROAD];
    for (size_t e = 0; e < tall; e++)
        for (size_t f = 0; f < broad; f++)
            sum[e][f] = zero;
    for (size_t k = begin; k < end; k++) {
        wide left[TALL];
        for (size_t e = 0; e < tall; e++) {
            size_t at = (i + e) * p->a.row + k * p->a.column;
            left[e] = p->a.plain != NULL ? zero + p->a.plain[at] : p->a.wide[at];
        }
        for (size_t f = 0; f < broad; f++) {
            size_t at = k * p->b.row + (j + f) * p->b.column;
            wide right = p->b.plain != NULL ? zero + p->b.plain[at] : p->b.wide[at];
            for (size_t e = 0; e < tall; e++)
                sum[e][f] += left[e] * right;
        }
    }
    for (size_t e = 0; e < tall; e++)
        for (size_t f = 0; f < broad; f++) {
            wide *out = &c[(i + e) * n + j + f];
            *out = p->add ? *out + sum[e][f] : sum[e][f];
        }
}

/* Rows i … i + tall − 1 of it. */
INLINE void band(const product *p, size_t i, size_t tall, wide *c)
{
    size_t end = p->lower ? i + tall : p->n, j = 0;
    for (; j < end && j + BROAD <= p->n; j += BROAD)
        block(p, i, j, tall, BROAD, c);
    for (; j < end && j + 2 <= p->n; j += 2)
        block(p, i, j, tall, 2, c);
    for (; j < end; j++)
        block(p, i, j, tall, 1, c);
}

INLINE void multiply(const product *p, wide *c)
{
    size_t i = 0;
    for (; i + TALL <= p->n; i += TALL)
        band(p, i, TALL, c);
    if (i + 2 == p->n)
        band(p, i, 2, c);
    if (i + 1 == p->n)
        band(p, i, 1, c);
}

static operand straight(const double *a, size_t n)
{
    return (operand){.wide = (const wide *)a, .row = n, .column = 1};
}

static operand transposed(const double *a, size_t n)
{
    return (operand){.wide = (const wide *)a, .row = 1, .column = n};
}

static operand shared(const double *a, size_t n)
{
    return (operand){.plain = a, .row = n, .column = 1};
}

static operand shared_transposed(const double *a, size_t n)
{
    return (operand){.plain = a, .row = 1, .column = n};
}

/* The upper triangle from the lower one. */
static void mirror(size_t n, wide *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[j * n + i] = a[i * n + j];
}

static unsigned cholesky(size_t n, double *matrices)
{
    wide *a = (wide *)matrices, ok = zero + 1;
    for (size_t j = 0; j < n; j++) {
        wide *row = a + j * n, pivot = row[j];
        for (size_t k = 0; k < j; k++)
            pivot -= row[k] * row[k];
        ok = WIDE_CHOOSE((pivot > zero) & (pivot < zero + INFINITY), ok, zero);
        pivot = WIDE_CHOOSE(ok != zero, pivot, zero + 1);
        wide_root(&pivot);
        row[j] = pivot;
        wide inverse = 1 / pivot;
        size_t i = j + 1;
        for (; i + 4 <= n; i += 4) {
            wide *b = a + i * n, s0 = b[j], s1 = b[n + j], s2 = b[2 * n + j], s3 = b[3 * n + j];
            for (size_t k = 0; k < j; k++) {
                s0 -= b[k] * row[k];
                s1 -= b[n + k] * row[k];
                s2 -= b[2 * n + k] * row[k];
                s3 -= b[3 * n + k] * row[k];
            }
            b[j] = s0 * inverse;
            b[n + j] = s1 * inverse;
            b[2 * n + j] = s2 * inverse;
            b[3 * n + j] = s3 * inverse;
        }
        for (; i < n; i++) {
            wide *b = a + i * n, sum = b[j];
            for (size_t k = 0; k < j; k++)
                sum -= b[k] * row[k];
            b[j] = sum * inverse;
        }
        for (size_t k = j + 1; k < n; k++)
            row[k] = zero;
    }
    unsigned bad = 0;
    EACH_WIDE bad |= ok[k] == 0 ? 1U << k : 0;
    return bad;
}

static void lower_solve(size_t n, const double *lower, bool triangular, double *b)
{
    const wide *l = (const wide *)lower;
    wide *x = (wide *)b;
    for (size_t i = 0; i < n; i++) {
        wide *restrict row = x + i * n, inverse = 1 / l[i * n + i];
        size_t end = triangular ? i + 1 : n, k = 0;
        for (; k + 4 <= i; k += 4) {
            const wide *from = x + k * n;
            wide s0 = l[i * n + k], s1 = l[i * n + k + 1], s2 = l[i * n + k + 2],
                 s3 = l[i * n + k + 3];
            for (size_t j = 0; j < end; j++)
                row[j] -= (s0 * from[j] + s1 * from[n + j]) +
                          (s2 * from[2 * n + j] + s3 * from[3 * n + j]);
        }
        for (; k < i; k++)
            for (size_t j = 0; j < end; j++)
                row[j] -= l[i * n + k] * x[k * n + j];
        for (size_t j = 0; j < end; j++)
            row[j] *= inverse;
    }
}

static void add_inverse(size_t n, const double *l, const double *w, double *out, double *room)
{
    wide *v = (wide *)room, *sum = (wide *)out, weight;
    memcpy(&weight, w, sizeof weight);
    wide_root(&weight);
    for (size_t i = 0; i < n * n; i++)
        v[i] = zero;
    for (size_t i = 0; i < n; i++)
        v[i * n + i] = weight;
    lower_solve(n, l, true, room);
    multiply(&(product){n, transposed(room, n), straight(room, n), ALL_TERMS, true, true}, sum);
}

static void shared_congruence(size_t n, const double *w, const double *a, double *out, double *room)
{
    multiply(&(product){n, shared(w, n), straight(a, n), TERMS_TO_ROW, false, false}, (wide *)room);
    multiply(
        &(product){n, straight(room, n), shared_transposed(w, n), TERMS_TO_COLUMN, true, false},
        (wide *)out);
}

/* Both lower triangular; zeros above are part of the product. */
static void shared_times_lower(size_t n, const double *w, const double *b, double *out)
{
    memset(out, 0, n * n * sizeof(wide));
    multiply(&(product){n, shared(w, n), straight(b, n), TERMS_TO_ROW, true, false}, (wide *)out);
}

static void lower_gram(size_t n, const double *b, double *out)
{
    multiply(&(product){n, straight(b, n), transposed(b, n), TERMS_TO_COLUMN, true, false},
             (wide *)out);
}

static void times_lower(size_t n, const double *z, const double *b, double *out)
{
    multiply(&(product){n, transposed(z, n), straight(b, n), TERMS_FROM_COLUMN, false, false},
             (wide *)out);
}

static void lower_times(size_t n, const double *l, const double *z, double *out)
{
    multiply(&(product){n, straight(l, n), straight(z, n), TERMS_TO_ROW, false, false},
             (wide *)out);
}

static void gram(size_t n, const double *c, double *out)
{
    multiply(&(product){n, straight(c, n), transposed(c, n), ALL_TERMS, true, false}, (wide *)out);
}

static void spectral(size_t n, const double *z, const double *f, bool add, double *out,
                     double *room)
{
    const wide *from = (const wide *)z, *by = (const wide *)f;
    wide *scaled = (wide *)room;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            scaled[i * n + j] = from[i * n + j] * by[j];
    multiply(&(product){n, straight(room, n), transposed(z, n), ALL_TERMS, true, add}, (wide *)out);
}

static void turned(size_t n, const double *z, double *s, bool add, double *out, double *room)
{
    mirror(n, (wide *)s);
    multiply(&(product){n, straight(z, n), straight(s, n), ALL_TERMS, false, false}, (wide *)room);
    multiply(&(product){n, straight(room, n), transposed(z, n), ALL_TERMS, true, add}, (wide *)out);
}

static void between(size_t n, const double *z, const double *phi, const double *d, double *out,
                    double *room)
{
    double *first = room, *second = room + n * n * WIDE;
    const wide *by = (const wide *)phi;
    wide *inside = (wide *)second;
    multiply(&(product){n, shared(d, n), straight(z, n), ALL_TERMS, false, false}, (wide *)first);
    multiply(&(product){n, transposed(z, n), straight(first, n), ALL_TERMS, true, false}, inside);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            inside[i * n + j] *= by[i * n + j];
    turned(n, z, second, true, out, first);
}

const struct wide_kernels HOT(wide_kernels) = {.cholesky = cholesky,
                                               .add_inverse = add_inverse,
                                               .lower_solve = lower_solve,
                                               .shared_congruence = shared_congruence,
                                               .shared_times_lower = shared_times_lower,
                                               .lower_gram = lower_gram,
                                               .times_lower = times_lower,
                                               .lower_times = lower_times,
                                               .gram = gram,
                                               .spectral = spectral,
                                               .turned = turned,
                                               .between = between};
