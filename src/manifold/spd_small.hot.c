/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Positive definite matrices of order ≤ 4 with the affine-invariant metric, MST_LANES rows at a time. With
 * P = L Lᵀ everything happens at the identity: a vector v at P is the symmetric matrix S
 * = L⁻¹ v L⁻ᵀ there. */
#include "base/linalg_small.h"
#include "base/random_lanes.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <float.h>

enum { COORDINATES = LANES_ORDER * (LANES_ORDER + 1) / 2 };

/* S = L⁻¹ V L⁻ᵀ; r holds the reciprocals of the diagonal of L. */
static void whiten(size_t n, const lanes *l, const lanes *r, const lanes *v, lanes *s)
{
    LANES(t, LANES_ENTRIES); /* L⁻¹ V */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double *restrict out = t[i * n + j];
            lanes_copy(v[lanes_lower(n, i, j)], out);
            for (size_t m = 0; m < i; m++)
                lanes_subtract_product(l[i * n + m], t[m * n + j], out);
            lanes_scale(r[i], out);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double *restrict out = s[i * n + j];
            lanes_copy(t[i * n + j], out);
            for (size_t m = 0; m < j; m++)
                lanes_subtract_product(s[i * n + m], l[j * n + m], out);
            lanes_scale(r[j], out);
        }
}

/* V = L S Lᵀ */
static void colour(size_t n, const lanes *l, const lanes *s, lanes *v)
{
    LANES(t, LANES_ENTRIES);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            lanes_fill(&t[i * n + j], 1, 0);
            for (size_t m = 0; m <= i; m++)
                lanes_add_product(l[i * n + m], s[lanes_lower(n, m, j)], t[i * n + j]);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            lanes_fill(&v[i * n + j], 1, 0);
            for (size_t m = 0; m <= j; m++)
                lanes_add_product(t[i * n + m], l[j * n + m], v[i * n + j]);
        }
}

/* Y = B diag(weights) Bᵀ */
static void weighted_gram(size_t n, const lanes *b, const lanes *weights, lanes *y)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double *restrict sum = y[i * n + j];
            lanes_fill(&y[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++) {
                const double *w = weights[m], *p = b[i * n + m], *q = b[j * n + m];
                LANES_LOOP sum[k] += w[k] * p[k] * q[k];
            }
        }
}

/* Y = L exp(S) Lᵀ as B Bᵀ, B = L Vᵀ e^{λ/2}, so that it is positive definite; s is overwritten. A row fails
 * if its diagonal, which bounds all of it, over- or underflows. */
static void exp_at(size_t n, const lanes *l, lanes *s, lanes *y, double *ok)
{
    LANES(vectors, LANES_ENTRIES);
    LANES(values, LANES_ORDER);
    LANES(b, LANES_ENTRIES);
    lanes_eigen(n, s, values, vectors);
    for (size_t j = 0; j < n; j++) {
        double *restrict e = values[j];
        LANES_LOOP e[k] = vm_exp(0.5 * e[k]);
        for (size_t i = 0; i < n; i++) {
            lanes_fill(&b[i * n + j], 1, 0);
            for (size_t m = 0; m <= i; m++)
                lanes_add_product(l[i * n + m], vectors[j * n + m], b[i * n + j]);
            lanes_scale(e, b[i * n + j]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            lanes_fill(&y[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(b[i * n + m], b[j * n + m], y[i * n + j]);
        }
        const double *diagonal = y[i * n + i];
        LANES_LOOP ok[k] = diagonal[k] >= DBL_MIN && diagonal[k] <= DBL_MAX ? ok[k] : 0;
    }
}

/* Base points and their Cholesky factors. */
typedef struct base {
    LANES(p, LANES_ENTRIES);
    LANES(l, LANES_ENTRIES);
    LANES(r, LANES_ORDER);
    _Alignas(64) lanes ok;
} base;

static void load_base(size_t n, size_t count, const double *x, base *at)
{
    lanes_load(n, count, x, 1, at->p);
    lanes_fill(&at->ok, 1, 1);
    lanes_cholesky(n, at->p, at->l, at->r, at->ok);
}

/* Write the rows unless one has failed. */
static size_t store_symmetric(size_t n, size_t count, const base *at, const lanes *v, double *out)
{
    size_t bad = lanes_first_bad(at->ok, count);
    if (bad == count)
        lanes_store_symmetric(n, count, v, out);
    return bad;
}

static size_t inner(size_t n, size_t count, const double *x, const double *a, const double *b,
                    double *out)
{
    base at;
    LANES(v, LANES_ENTRIES);
    LANES(s, LANES_ENTRIES);
    LANES(t, LANES_ENTRIES);
    LANES(sum, 1);
    load_base(n, count, x, &at);
    lanes_load(n, count, a, 0, v);
    whiten(n, at.l, at.r, v, s);
    lanes_load(n, count, b, 0, v);
    whiten(n, at.l, at.r, v, t);
    lanes_fill(sum, 1, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            lanes_add_product(s[lanes_lower(n, i, j)], t[lanes_lower(n, i, j)], sum[0]);
    size_t bad = lanes_first_bad(at.ok, count);
    if (bad == count)
        lanes_store_rows(1, count, sum, out);
    return bad;
}

static size_t exponential(size_t n, size_t count, const double *x, const double *a, const double *b,
                          double *out)
{
    (void)b;
    base at;
    LANES(v, LANES_ENTRIES);
    LANES(s, LANES_ENTRIES);
    load_base(n, count, x, &at);
    lanes_load(n, count, a, 0, v);
    whiten(n, at.l, at.r, v, s);
    exp_at(n, at.l, s, v, at.ok);
    return store_symmetric(n, count, &at, v, out);
}

/* log(1 + x) for |x| ≤ ½ (Kahan): the error of 1 + x cancels in the quotient. */
static inline double log_plus_one(double x)
{
    double sum = 1 + x, step = sum - 1;
    return step == 0 ? x : vm_log(sum) * x / step;
}

/* Log_P(Q) = Σ_i weight_i b_i b_iᵀ with b_i the columns of L A; its eigenvalues, in an orthonormal frame, are
 * `values`. */
typedef struct relative {
    LANES(a, LANES_ENTRIES);
    LANES(values, LANES_ORDER);
    LANES(weights, LANES_ORDER);
} relative;

/* L_P⁻¹ L_Q = U Σ Wᵀ: A = U Σ times a power of two, values 2 log σ, weights those over the squared lengths of
 * the columns. The power of two is 1 unless the matrix is beyond 2^±64. */
static void relative_of_factors(size_t n, const base *at, const base *other, relative *out,
                                double *ok)
{
    lanes *a = out->a;
    _Alignas(64) lanes f, inverse, shift;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double *restrict entry = a[i * n + j];
            if (j > i) {
                lanes_fill(&a[i * n + j], 1, 0);
                continue;
            }
            lanes_copy(other->l[i * n + j], entry);
            for (size_t m = j; m < i; m++)
                lanes_subtract_product(at->l[i * n + m], a[m * n + j], entry);
            lanes_scale(at->r[i], entry);
        }
    lanes_range(n * n, a, f, inverse);
    LANES_LOOP
    {
        int far = inverse[k] > 0x1p64 || inverse[k] < 0x1p-64;
        f[k] = far ? f[k] : 1;
        shift[k] = far ? 2 * vm_log(inverse[k]) : 0;
    }
    for (size_t e = 0; e < n * n; e++)
        lanes_scale(f, a[e]);
    lanes_orthogonalise(n, a, NULL, out->values);
    for (size_t i = 0; i < n; i++) {
        double *restrict value = out->values[i], *restrict weight = out->weights[i];
        LANES_LOOP
        {
            double square = value[k];
            ok[k] = square >= DBL_MIN && square <= DBL_MAX ? ok[k] : 0;
            value[k] = vm_log(square) + shift[k];
            weight[k] = value[k] / square;
        }
    }
}

/* S = L_P⁻¹ (Q − P) L_P⁻ᵀ = Vᵀ diag(λ) V: A = Vᵀ, values and weights log(1 + λ). */
static void relative_of_difference(size_t n, lanes *s, relative *out)
{
    LANES(vectors, LANES_ENTRIES);
    lanes_eigen(n, s, out->values, vectors);
    for (size_t i = 0; i < n; i++) {
        double *restrict value = out->values[i], *restrict weight = out->weights[i];
        LANES_LOOP value[k] = weight[k] = log_plus_one(value[k]);
        for (size_t j = 0; j < n; j++)
            lanes_copy(vectors[i * n + j], out->a[j * n + i]);
    }
}

static void choose(const double *first, size_t entries, const lanes *from, lanes *to)
{
    for (size_t e = 0; e < entries; e++) {
        const double *in = from[e];
        double *restrict out = to[e];
        LANES_LOOP out[k] = first[k] != 0 ? in[k] : out[k];
    }
}

/* For neighbours, |S| ≤ ¼, Q − P is exact and gives a Log that is accurate relative to their distance; for
 * others the factors do not square the condition number. A block takes both ways only if its rows differ. */
static void relative_spectrum(size_t n, size_t count, const base *at, const double *y,
                              relative *out, double *ok)
{
    base other;
    relative difference;
    LANES(s, LANES_ENTRIES);
    _Alignas(64) lanes near;
    load_base(n, count, y, &other);
    LANES_LOOP ok[k] *= other.ok[k];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            LANES_LOOP other.p[i * n + j][k] -= at->p[i * n + j][k];
    whiten(n, at->l, at->r, other.p, s);
    lanes_fill(&near, 1, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            lanes_add_product(s[lanes_lower(n, i, j)], s[lanes_lower(n, i, j)], near);
    size_t neighbours = 0;
    LANES_LOOP near[k] = near[k] <= 1.0 / 16 ? 1 : 0;
    for (size_t k = 0; k < count; k++)
        neighbours += near[k] != 0;
    if (neighbours < count)
        relative_of_factors(n, at, &other, out, ok);
    if (neighbours == count)
        relative_of_difference(n, s, out);
    else if (neighbours > 0) {
        relative_of_difference(n, s, &difference);
        choose(near, n * n, difference.a, out->a);
        choose(near, n, difference.values, out->values);
        choose(near, n, difference.weights, out->weights);
    }
}

static size_t logarithm(size_t n, size_t count, const double *x, const double *y, const double *b,
                        double *out)
{
    (void)b;
    base at;
    relative to;
    LANES(c, LANES_ENTRIES);
    LANES(v, LANES_ENTRIES);
    load_base(n, count, x, &at);
    relative_spectrum(n, count, &at, y, &to, at.ok);
    for (size_t i = 0; i < n; i++) /* L A */
        for (size_t j = 0; j < n; j++) {
            lanes_fill(&c[i * n + j], 1, 0);
            for (size_t m = 0; m <= i; m++)
                lanes_add_product(at.l[i * n + m], to.a[m * n + j], c[i * n + j]);
        }
    weighted_gram(n, c, to.weights, v);
    return store_symmetric(n, count, &at, v, out);
}

static size_t distance(size_t n, size_t count, const double *x, const double *y, const double *b,
                       double *out)
{
    (void)b;
    base at;
    relative to;
    LANES(sum, 1);
    load_base(n, count, x, &at);
    relative_spectrum(n, count, &at, y, &to, at.ok);
    lanes_fill(sum, 1, 0);
    for (size_t i = 0; i < n; i++)
        lanes_add_product(to.values[i], to.values[i], sum[0]);
    LANES_LOOP sum[0][k] = sqrt(sum[0][k]);
    size_t bad = lanes_first_bad(at.ok, count);
    if (bad == count)
        lanes_store_rows(1, count, sum, out);
    return bad;
}

/* L F (L⁻¹ u L⁻ᵀ) F Lᵀ with F = exp(S/2). */
static size_t transport(size_t n, size_t count, const double *x, const double *a, const double *b,
                        double *out)
{
    base at;
    LANES(v, LANES_ENTRIES);
    LANES(s, LANES_ENTRIES);
    LANES(u, LANES_ENTRIES);
    LANES(f, LANES_ENTRIES);
    LANES(vectors, LANES_ENTRIES);
    LANES(values, LANES_ORDER);
    load_base(n, count, x, &at);
    lanes_load(n, count, a, 0, v);
    whiten(n, at.l, at.r, v, s);
    lanes_eigen(n, s, values, vectors);
    for (size_t m = 0; m < n; m++)
        LANES_LOOP values[m][k] = vm_exp(0.5 * values[m][k]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            lanes_copy(vectors[i * n + j], v[j * n + i]);
    weighted_gram(n, v, values, f);
    lanes_load(n, count, b, 0, v);
    whiten(n, at.l, at.r, v, u);
    for (size_t i = 0; i < n; i++) /* v = F u */
        for (size_t j = 0; j < n; j++) {
            lanes_fill(&v[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(f[lanes_lower(n, i, m)], u[lanes_lower(n, m, j)], v[i * n + j]);
        }
    for (size_t i = 0; i < n; i++) /* s = F u F */
        for (size_t j = 0; j <= i; j++) {
            lanes_fill(&s[i * n + j], 1, 0);
            for (size_t m = 0; m < n; m++)
                lanes_add_product(v[i * n + m], f[lanes_lower(n, m, j)], s[i * n + j]);
        }
    colour(n, at.l, s, v);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *entry = v[i * n + j];
            LANES_LOOP at.ok[k] = vm_abs(entry[k]) <= DBL_MAX ? at.ok[k] : 0;
        }
    return store_symmetric(n, count, &at, v, out);
}

/* −(n/4) (v − tr(P⁻¹v)/n P) */
static size_t ricci(size_t n, size_t count, const double *x, const double *a, const double *b,
                    double *out)
{
    (void)b;
    base at;
    LANES(v, LANES_ENTRIES);
    LANES(s, LANES_ENTRIES);
    _Alignas(64) lanes trace;
    load_base(n, count, x, &at);
    lanes_load(n, count, a, 0, v);
    whiten(n, at.l, at.r, v, s);
    lanes_fill(&trace, 1, 0);
    for (size_t i = 0; i < n; i++)
        LANES_LOOP trace[k] += s[i * (n + 1)][k];
    double quarter = -0.25 * (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double *restrict entry = v[i * n + j];
            const double *p = at.p[i * n + j];
            LANES_LOOP entry[k] = quarter * entry[k] + 0.25 * trace[k] * p[k];
        }
    return store_symmetric(n, count, &at, v, out);
}

/* The frame: coordinates c of S in the basis of symmetric.h. */
static size_t from_frame(size_t n, size_t count, const double *x, const double *a, const double *b,
                         double *out)
{
    (void)b;
    base at;
    LANES(c, COORDINATES);
    LANES(s, LANES_ENTRIES);
    LANES(v, LANES_ENTRIES);
    load_base(n, count, x, &at);
    lanes_load_rows(symmetric_dim(n), count, a, 0, c);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *in = c[symmetric_index(n, i, j)];
            double factor = i == j ? 1 : SYMMETRIC_SQRT_HALF, *restrict entry = s[i * n + j];
            LANES_LOOP entry[k] = factor * in[k];
        }
    colour(n, at.l, s, v);
    return store_symmetric(n, count, &at, v, out);
}

static size_t to_frame(size_t n, size_t count, const double *x, const double *a, const double *b,
                       double *out)
{
    (void)b;
    base at;
    LANES(c, COORDINATES);
    LANES(s, LANES_ENTRIES);
    LANES(v, LANES_ENTRIES);
    load_base(n, count, x, &at);
    lanes_load(n, count, a, 0, v);
    whiten(n, at.l, at.r, v, s);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *in = s[i * n + j];
            double factor = i == j ? 1 : 2 * SYMMETRIC_SQRT_HALF, *restrict entry =
                                                                      c[symmetric_index(n, i, j)];
            LANES_LOOP entry[k] = factor * in[k];
        }
    size_t bad = lanes_first_bad(at.ok, count);
    if (bad == count)
        lanes_store_rows(symmetric_dim(n), count, c, out);
    return bad;
}

/* The factor is computed anew from the rounded point in every step: so many calls with one step give the
 * bits of one call with many. */
static size_t walk(size_t n, size_t count, double *x, double root_h, double factor, size_t steps,
                   mst_noise noise)
{
    base at;
    LANES(z, COORDINATES);
    LANES(s, LANES_ENTRIES);
    _Alignas(64) lanes mean;
    size_t d = symmetric_dim(n), bad = count;
    lanes_load(n, count, x, 1, at.p);
    lanes_fill(&at.ok, 1, 1);
    for (size_t step = 0; step < steps && bad == count; step++) {
        lanes_cholesky(n, at.p, at.l, at.r, at.ok);
        noise_step(noise.seed, noise.first_path, noise.first_step + step, d, z);
        lanes_fill(&mean, 1, 0);
        for (size_t i = 0; i < n; i++) {
            const double *diagonal = z[symmetric_index(n, i, i)];
            LANES_LOOP mean[k] += diagonal[k] * (1 / (double)n);
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                const double *in = z[symmetric_index(n, i, j)];
                double scale = root_h * (i == j ? factor : factor * SYMMETRIC_SQRT_HALF);
                double rest = i == j ? root_h * (1 - factor) : 0, *restrict entry = s[i * n + j];
                LANES_LOOP entry[k] = scale * in[k] + rest * mean[k];
            }
        exp_at(n, at.l, s, at.p, at.ok);
        /* Lanes beyond the rows of the batch walk along; theirs may fail without harm. */
        bad = lanes_first_bad(at.ok, count);
    }
    if (bad == count)
        lanes_store_symmetric(n, count, at.p, x);
    return bad;
}

const struct spd_kernels HOT(spd_kernels) = {
    .inner = inner,
    .exp = exponential,
    .log = logarithm,
    .dist = distance,
    .transport = transport,
    .ricci = ricci,
    .from_frame = from_frame,
    .to_frame = to_frame,
    .walk = walk,
};
