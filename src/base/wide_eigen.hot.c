/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Eigenproblems of some symmetric matrices side by side: Householder's reduction to tridiagonal form, then QL
 * with implicit shifts (Golub and Van Loan, 8.3). All lanes take a sweep together, but each has its own block
 * [l, m] of the matrix, so that none waits until another has found an eigenvalue; beyond its block a lane
 * takes part with rotations by nothing. The rotations of a sweep are kept and applied to the vectors
 * afterwards, some rows at a time with the running column in registers. */
#include "base/hot.h"
#include "base/vecmath.h"
#include "base/wide.h"
#include "base/wide_matrices.h"

/* ---- to tridiagonal form ---- */

/* p += A v for the symmetric A of rows `from` … n − 1; p must be zero. Two rows at a time: every number that
 * is read is used four times. */
static void symmetric_product(size_t n, size_t from, const wide *a, const wide *v, wide *restrict p)
{
    size_t i = from;
    if ((n - from) % 2 == 1) {
        p[i] += a[i * n + i] * v[i];
        i++;
    }
    for (; i < n; i += 2) {
        const wide *first = a + i * n, *second = first + n;
        wide u = v[i], w = v[i + 1], sum = zero, other = zero;
        for (size_t j = from; j < i; j++) {
            sum += first[j] * v[j];
            other += second[j] * v[j];
            p[j] += first[j] * u + second[j] * w;
        }
        p[i] += sum + first[i] * u + second[i] * w;
        p[i + 1] += other + second[i] * u + second[i + 1] * w;
    }
}

/* A ← A − v wᵀ − w vᵀ */
static void subtract_pair(size_t n, size_t from, const wide *v, const wide *w, wide *a)
{
    for (size_t i = from; i < n; i++) {
        wide *restrict row = a + i * n;
        wide s = v[i], t = w[i];
        for (size_t j = from; j <= i; j++)
            row[j] -= s * w[j] + t * v[j];
    }
}

/* The reflection I − β v vᵀ that leaves of column k below the diagonal only its first entry, which becomes
 * e[k]. v takes the place of the column. */
INLINE void reflector(size_t n, size_t k, wide *a, wide *v, wide *e, wide *beta)
{
    wide square = zero, head = a[(k + 1) * n + k];
    for (size_t i = k + 2; i < n; i++) {
        v[i] = a[i * n + k];
        square += v[i] * v[i];
    }
    wide length = head * head + square;
    wide_root(&length);
    wide_mask none = square == zero, negative = head < zero;
    wide size = WIDE_CHOOSE(negative, -head, head), whole = length * (length + size);
    whole = WIDE_CHOOSE(none, zero + 1, whole);
    *beta = WIDE_CHOOSE(none, zero, 1 / whole);
    wide signed_length = WIDE_CHOOSE(negative, length, -length);
    e[k] = WIDE_CHOOSE(none, head, signed_length);
    v[k + 1] = head - signed_length;
    a[(k + 1) * n + k] = v[k + 1];
}

static void tridiagonalise(size_t n, wide *a, wide *d, wide *e, wide *beta, wide *v, wide *p)
{
    for (size_t k = 0; k + 2 < n; k++) {
        reflector(n, k, a, v, e, &beta[k]);
        for (size_t i = k + 1; i < n; i++)
            p[i] = zero;
        symmetric_product(n, k + 1, a, v, p);
        wide dot = zero, b = beta[k];
        for (size_t i = k + 1; i < n; i++) {
            p[i] *= b;
            dot += p[i] * v[i];
        }
        dot *= 0.5 * b;
        for (size_t i = k + 1; i < n; i++)
            p[i] -= dot * v[i];
        subtract_pair(n, k + 1, v, p, a);
    }
    for (size_t i = 0; i < n; i++)
        d[i] = a[i * n + i];
    if (n > 1)
        e[n - 2] = a[(n - 1) * n + n - 2];
    e[n - 1] = zero;
}

/* z = H_0 H_1 …, from the last reflection on. */
static void reflections(size_t n, const wide *a, const wide *beta, wide *v, wide *y, wide *z)
{
    for (size_t i = 0; i < n * n; i++)
        z[i] = zero;
    for (size_t i = 0; i < n; i++)
        z[i * n + i] += 1;
    for (size_t k = n < 3 ? 0 : n - 2; k-- > 0;) {
        wide b = beta[k];
        for (size_t i = k + 1; i < n; i++) {
            v[i] = a[i * n + k];
            y[i] = zero;
        }
        size_t i = k + 1;
        for (; i + 1 < n; i += 2) {
            const wide *restrict first = z + i * n, *restrict second = first + n;
            wide s = v[i], t = v[i + 1];
            for (size_t j = k + 1; j < n; j++)
                y[j] += s * first[j] + t * second[j];
        }
        for (; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                y[j] += v[i] * z[i * n + j];
        for (i = k + 1; i < n; i++) {
            wide *restrict row = z + i * n, s = b * v[i];
            for (size_t j = k + 1; j < n; j++)
                row[j] -= s * y[j];
        }
    }
}

/* ---- QL ---- */

typedef struct blocks {
    wide l, m; /* the block [l, m] of each lane; done: l = n − 1 */
    size_t low, high;
} blocks;

INLINE void size_of(const wide *a, wide *out)
{
    *out = WIDE_CHOOSE(*a < zero, -*a, *a);
}

/* Eigenvalues at the beginning of what is left that stand alone are done with; the block of each lane ends
 * where the next off-diagonal entry counts as zero. False if all lanes are done. */
static bool find_blocks(size_t n, const wide *d, const wide *e, blocks *b)
{
    const double tiny = 0x1p-53, least = 0x1p-104;
    double last = (double)(n - 1);
    wide l = b->l, m = zero + last, left, right, off;
    size_of(&d[b->low], &left);
    for (size_t i = b->low; i + 1 < n; i++, left = right) {
        double at = (double)i;
        size_of(&e[i], &off);
        size_of(&d[i + 1], &right);
        wide_mask small = off <= tiny * (left + right) + least;
        wide_mask here = l == at, ends = small & (l < at) & (m == last);
        l = WIDE_CHOOSE(small & here, l + 1, l);
        m = WIDE_CHOOSE(ends, zero + at, m);
    }
    double low = last, high = 0;
    EACH_WIDE
    {
        m[k] = l[k] < last ? m[k] : last;
        low = l[k] < low ? l[k] : low;
        high = l[k] < last && m[k] > high ? m[k] : high;
    }
    *b = (blocks){l, m, (size_t)low, (size_t)high};
    return low < last;
}

/* Wilkinson's shift, and with it the entry g that begins the sweep of every lane. */
INLINE void shift(const blocks *b, const wide *d, const wide *e, wide *g)
{
    EACH_WIDE
    {
        size_t l = (size_t)b->l[k], m = (size_t)b->m[k];
        double first = d[l][k], second = l == m ? 0 : d[l + 1][k], off = l == m ? 1 : e[l][k];
        double h = (second - first) / (2 * off), r = sqrt(h * h + 1);
        (*g)[k] = d[m][k] - first + off / (h < 0 ? h - r : h + r);
    }
}

/* A sweep over the blocks; the cosines and sines of its rotations. */
static void sweep(const blocks *b, wide *restrict d, wide *restrict e, wide *restrict cosine,
                  wide *restrict sine)
{
    wide g, s = zero + 1, c = s, p = zero, l = b->l, m = b->m;
    shift(b, d, e, &g);
    for (size_t i = b->high; i-- > b->low;) {
        double at = (double)i;
        wide_mask active = (m > at) & (l <= at), last = l == at, inside = active & (m > at + 1);
        wide off = e[i], f = s * off, h = c * off, r = f * f + g * g;
        wide_mask nothing = r == zero;
        wide_root(&r);
        wide inverse = 1 / WIDE_CHOOSE(nothing, zero + 1, r);
        wide s_new = f * inverse, c_new = WIDE_CHOOSE(nothing, zero + 1, g * inverse);
        wide g_new = d[i + 1] - p, q = (d[i] - g_new) * s_new + 2 * c_new * h, p_new = s_new * q;
        /* The entry beyond the block is zero, and stays so. */
        e[i + 1] = WIDE_CHOOSE(inside, r, e[i + 1]);
        d[i + 1] = WIDE_CHOOSE(active, g_new + p_new, d[i + 1]);
        g = WIDE_CHOOSE(active, c_new * q - h, g);
        s = WIDE_CHOOSE(active, s_new, s);
        c = WIDE_CHOOSE(active, c_new, c);
        p = WIDE_CHOOSE(active, p_new, p);
        sine[i] = WIDE_CHOOSE(active, s_new, zero);
        cosine[i] = WIDE_CHOOSE(active, c_new, zero + 1);
        last &= active;
        d[i] = WIDE_CHOOSE(last, d[i] - p, d[i]);
        e[i] = WIDE_CHOOSE(last, g, off);
    }
}

/* Rows of z through the rotations of columns i, i + 1, from the highest i down. */
INLINE void rotate_rows(size_t rows, size_t n, size_t low, size_t high, const wide *cosine,
                        const wide *sine, wide *z)
{
    wide running[8];
    for (size_t r = 0; r < rows; r++)
        running[r] = z[r * n + high];
    for (size_t i = high; i-- > low;) {
        wide c = cosine[i], s = sine[i];
        for (size_t r = 0; r < rows; r++) {
            wide here = z[r * n + i], up = running[r];
            z[r * n + i + 1] = s * here + c * up;
            running[r] = c * here - s * up;
        }
    }
    for (size_t r = 0; r < rows; r++)
        z[r * n + low] = running[r];
}

static void rotate(size_t n, size_t low, size_t high, const wide *cosine, const wide *sine, wide *z)
{
    size_t r = 0;
    for (; r + 8 <= n; r += 8)
        rotate_rows(8, n, low, high, cosine, sine, z + r * n);
    for (; r < n; r++)
        rotate_rows(1, n, low, high, cosine, sine, z + r * n);
}

/* Powers of two, so that the largest entry of every lane is about 1: squares must not over- or underflow. */
static void scale(size_t n, wide *a, wide *inverse)
{
    _Alignas(64) double size[WIDE] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            EACH_WIDE size[k] = vm_max(vm_abs(a[i * n + j][k]), size[k]);
    wide factor;
    EACH_WIDE
    {
        double bounded = vm_min(vm_max(size[k], 0x1p-1022), 0x1p1022);
        uint64_t exponent = vm_bits(bounded) & UINT64_C(0x7ff0000000000000);
        (*inverse)[k] = vm_double(exponent);
        factor[k] = vm_double(UINT64_C(0x7fe0000000000000) - exponent);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            a[i * n + j] *= factor;
}

static unsigned eigen(size_t n, double *matrices, double *values, double *vectors, double *room)
{
    wide *a = (wide *)matrices, *z = (wide *)vectors, *d = (wide *)values, *e = (wide *)room,
         *beta = e + n, *v = beta + n, *p = v + n, *c = p + n, *s = c + n;
    wide inverse;
    scale(n, a, &inverse);
    tridiagonalise(n, a, d, e, beta, v, p);
    if (z != NULL)
        reflections(n, a, beta, v, p, z);
    blocks b = {.low = 0};
    unsigned failed = 0;
    size_t left = 30 * n;
    while (find_blocks(n, d, e, &b)) {
        if (left-- == 0) {
            EACH_WIDE failed |= b.l[k] < (double)(n - 1) ? 1U << k : 0;
            break;
        }
        sweep(&b, d, e, c, s);
        if (z != NULL)
            rotate(n, b.low, b.high, c, s, z);
    }
    for (size_t i = 0; i < n; i++)
        d[i] *= inverse;
    return failed;
}

const struct wide_eigen_kernels HOT(wide_eigen_kernels) = {.lanes = WIDE, .eigen = eigen};
