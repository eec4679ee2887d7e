/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Stiefel manifold St(n, p) of orthonormal p-frames in R^n, n×p matrices X with XᵀX = I, written by rows,
 * with the metric <U, V> = tr UᵀV of the matrices. docs/new-manifold.md builds it step by
 * step; this is the whole of it.
 *
 * Tangent vectors are V = X Ω + X⊥ K with Ω skew, that is XᵀV + VᵀX = 0. Geodesics
 * (Edelman, Arias and Smith 1998) are
 *
 *     Exp_X(V) = (X  V) exp((A  −S; I  A)) (I; 0) exp(−A),   A = XᵀV,  S = VᵀV.
 *
 * The program compares St(n, 1) with the built-in sphere, Brownian motion with a closed
 * form, and finds a mean. */
#include <manistat.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8 }; /* p at most; n has no limit */

typedef struct stiefel {
    size_t n, p;
} stiefel;

static stiefel shape_of(const mst_manifold *m)
{
    return *(const stiefel *)mst_manifold_data(m);
}

/* ---- Small dense matrices by rows ---- */

/* c = aᵀb, a (n, p), b (n, q). */
static void multiply_tn(size_t n, size_t p, size_t q, const double *a, const double *b, double *c)
{
    memset(c, 0, p * q * sizeof *c);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < q; j++)
                c[i * q + j] += a[k * p + i] * b[k * q + j];
}

/* c = factor·ab + c, a (n, p), b (p, q). */
static void add_product(size_t n, size_t p, size_t q, double factor, const double *a,
                        const double *b, double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p; k++)
            for (size_t j = 0; j < q; j++)
                c[i * q + j] += factor * a[i * p + k] * b[k * q + j];
}

/* e = exp(a), (q, q): a Taylor polynomial of a/2^s, whose norm is at most ½, squared s times. */
static void exponential_of(size_t q, const double *a, double *e)
{
    enum { TERMS = 18, MOST = 4 * LARGEST * LARGEST };
    double small[MOST], term[MOST], next[MOST], norm = 0;
    for (size_t k = 0; k < q * q; k++)
        norm += a[k] * a[k];
    int squarings = norm > 0.25 ? (int)ceil(log2(2 * sqrt(norm))) : 0;
    memset(e, 0, q * q * sizeof *e);
    memset(term, 0, q * q * sizeof *term);
    for (size_t k = 0; k < q; k++)
        e[k * (q + 1)] = term[k * (q + 1)] = 1;
    for (size_t k = 0; k < q * q; k++)
        small[k] = ldexp(a[k], -squarings);
    for (int k = 1; k <= TERMS; k++) {
        memset(next, 0, q * q * sizeof *next);
        add_product(q, q, q, 1.0 / k, term, small, next);
        memcpy(term, next, q * q * sizeof *term);
        for (size_t i = 0; i < q * q; i++)
            e[i] += term[i];
    }
    for (int k = 0; k < squarings; k++) {
        memset(next, 0, q * q * sizeof *next);
        add_product(q, q, q, 1, e, e, next);
        memcpy(e, next, q * q * sizeof *e);
    }
}

/* ---- The five required slots ---- */

static void start(const mst_manifold *m, double *x)
{
    stiefel s = shape_of(m);
    memset(x, 0, s.n * s.p * sizeof *x);
    for (size_t k = 0; k < s.p; k++)
        x[k * s.p + k] = 1;
}

/* Gram–Schmidt on the columns, twice, so that it is orthogonal to rounding. */
static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    stiefel s = shape_of(m);
    size_t D = s.n * s.p;
    memmove(y, x, n * D * sizeof *y);
    for (double *row = y; row < y + n * D; row += D)
        for (size_t j = 0; j < s.p; j++) {
            for (size_t pass = 0; pass < 2; pass++)
                for (size_t i = 0; i < j; i++) {
                    double along = 0;
                    for (size_t k = 0; k < D; k += s.p)
                        along += row[k + i] * row[k + j];
                    for (size_t k = 0; k < D; k += s.p)
                        row[k + j] -= along * row[k + i];
                }
            double square = 0;
            for (size_t k = 0; k < D; k += s.p)
                square += row[k + j] * row[k + j];
            if (!(square > 1e-24) || !isfinite(square))
                return mst_fail(MST_DOMAIN, "the columns are not independent");
            for (size_t k = 0; k < D; k += s.p)
                row[k + j] /= sqrt(square);
        }
    return MST_OK;
}

/* V = W − X sym(XᵀW). */
static mst_status tangent(const mst_manifold *m, size_t n, const double *x, const double *w,
                          double *v)
{
    stiefel s = shape_of(m);
    size_t p = s.p, D = s.n * p;
    memmove(v, w, n * D * sizeof *v);
    for (size_t at = 0; at < n * D; at += D) {
        double product[LARGEST * LARGEST], symmetric[LARGEST * LARGEST];
        multiply_tn(s.n, p, p, x + at, v + at, product);
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++)
                symmetric[i * p + j] = 0.5 * (product[i * p + j] + product[j * p + i]);
        add_product(s.n, p, p, -1, x + at, symmetric, v + at);
    }
    return MST_OK;
}

static mst_status inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                        const double *v, double *out)
{
    (void)x;
    size_t D = mst_manifold_ambient(m);
    for (size_t i = 0; i < n; i++) {
        out[i] = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++)
            out[i] += u[k] * v[k];
    }
    return MST_OK;
}

static mst_status exponential(const mst_manifold *m, size_t n, const double *x, const double *v,
                              double *y)
{
    stiefel s = shape_of(m);
    size_t p = s.p, q = 2 * p, D = s.n * p;
    double *moved = calloc(D, sizeof *moved);
    if (moved == NULL)
        return mst_fail(MST_MEMORY, "out of memory");
    for (size_t at = 0; at < n * D; at += D) {
        double a[LARGEST * LARGEST], square[LARGEST * LARGEST], minus[LARGEST * LARGEST],
            back[LARGEST * LARGEST];
        double block[4 * LARGEST * LARGEST] = {0}, e[4 * LARGEST * LARGEST];
        double upper[LARGEST * LARGEST] = {0}, lower[LARGEST * LARGEST] = {0};
        multiply_tn(s.n, p, p, x + at, v + at, a);
        multiply_tn(s.n, p, p, v + at, v + at, square);
        for (size_t i = 0; i < p; i++) {
            for (size_t j = 0; j < p; j++) {
                block[i * q + j] = block[(p + i) * q + p + j] = a[i * p + j];
                block[i * q + p + j] = -square[i * p + j];
                minus[i * p + j] = -a[i * p + j];
            }
            block[(p + i) * q + i] = 1;
        }
        exponential_of(q, block, e);
        exponential_of(p, minus, back);
        /* The left half of e, times exp(−A). */
        for (size_t i = 0; i < p; i++)
            for (size_t k = 0; k < p; k++)
                for (size_t j = 0; j < p; j++) {
                    upper[i * p + j] += e[i * q + k] * back[k * p + j];
                    lower[i * p + j] += e[(p + i) * q + k] * back[k * p + j];
                }
        memset(moved, 0, D * sizeof *moved);
        add_product(s.n, p, p, 1, x + at, upper, moved);
        add_product(s.n, p, p, 1, v + at, lower, moved);
        memcpy(y + at, moved, D * sizeof *y);
    }
    free(moved);
    return MST_OK;
}

/* ---- Three optional ones: what it is, uniform points, which compact manifolds owe, and the Ricci tensor,
 * without which a Brownian step would take hundreds of exponentials ---- */

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    stiefel s = shape_of(m);
    out->compact = MST_YES;
    out->flat = mst_manifold_dim(m) == 1 ? MST_YES : MST_NO;
    out->hadamard = MST_NO;
    out->unit_rows = s.p == 1;
    if (s.p == 1 && s.n > 2)
        out->curvature = out->curvature_above = 1;
}

/* Gram–Schmidt of normal columns is uniform. */
static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    size_t D = mst_manifold_ambient(m);
    mst_random_normals(r, first * D, n * D, x);
    return project(m, n, x, x);
}

/* By Gauss' equation, Ric(X Ω + X⊥ K) = (n − p + (p − 2)/4) X Ω + (n − p − 1) X⊥ K. */
static mst_status ricci(const mst_manifold *m, size_t n, const double *x, const double *v,
                        double *out)
{
    stiefel s = shape_of(m);
    size_t p = s.p, D = s.n * p;
    double across = (double)(s.n - p) - 1, along = across + 1 + ((double)p - 2) / 4;
    for (size_t at = 0; at < n * D; at += D) {
        double omega[LARGEST * LARGEST];
        multiply_tn(s.n, p, p, x + at, v + at, omega);
        for (size_t k = at; k < at + D; k++)
            out[k] = across * v[k];
        add_product(s.n, p, p, along - across, x + at, omega, out + at);
    }
    return MST_OK;
}

static const mst_manifold_ops stiefel_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "stiefel",
    .start = start,
    .project = project,
    .tangent = tangent,
    .inner = inner,
    .exp = exponential,
    .traits = traits,
    .random_point = random_point,
    .ricci = ricci,
    .free_data = free,
};

static mst_status stiefel_new(mst_manifold **out, size_t n, size_t p)
{
    *out = NULL;
    if (p < 1 || p > LARGEST || n <= p)
        return mst_fail(MST_ARGUMENT, "stiefel:%zux%zu needs 1 ≤ p ≤ %d and n > p", n, p, LARGEST);
    stiefel *s = malloc(sizeof *s);
    if (s == NULL)
        return mst_fail(MST_MEMORY, "out of memory");
    *s = (stiefel){n, p};
    char spec[60];
    snprintf(spec, sizeof spec, "stiefel:%zux%zu", n, p);
    return mst_manifold_new(out, &stiefel_ops, spec, n * p - p * (p + 1) / 2, n * p, s);
}

/* ---- Is it right? ---- */

static void check(mst_status status)
{
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", mst_status_sentence(status), mst_error_detail());
        exit(1);
    }
}

/* St(5, 1) is the sphere S⁴: largest difference of Exp and distance. */
static double against_sphere(void)
{
    enum { N = 20, D = 5 };
    mst_manifold *frames, *sphere;
    check(stiefel_new(&frames, D, 1));
    check(mst_sphere_new(&sphere, D - 1));
    double x[N * D], v[N * D], y[2][N * D], r[2][N], largest = 0;
    check(mst_manifold_random_point(sphere, (mst_random){1, 0}, 0, N, x));
    mst_random_normals((mst_random){1, 1}, 0, N * D, v);
    check(mst_manifold_tangent(sphere, N, x, v, v));
    for (size_t k = 0; k < N * D; k++)
        v[k] *= 0.5;
    for (int k = 0; k < 2; k++) {
        const mst_manifold *m = k == 0 ? sphere : frames;
        check(mst_manifold_exp(m, N, x, v, y[k]));
        check(mst_manifold_dist(m, N, x, y[0], r[k]));
    }
    for (size_t k = 0; k < N * D; k++)
        largest = fmax(largest, fabs(y[0][k] - y[1][k]));
    for (size_t k = 0; k < N; k++)
        largest = fmax(largest, fabs(r[0][k] - r[1][k]));
    printf("St(5,1) and S^4: Exp and distance agree to %.1e\n", largest);
    mst_manifold_free(sphere);
    mst_manifold_free(frames);
    return largest;
}

/* The Ricci tensor against the fall-back, which finds it by differences of Exp: the same
 * table without the slot. */
static double against_differences(const mst_manifold *m)
{
    enum { MOST = 64 };
    mst_manifold_ops table = *mst_manifold_table(m);
    mst_manifold *bare;
    double x[MOST], v[MOST], closed[MOST], differences[MOST], largest = 0;
    size_t D = mst_manifold_ambient(m);
    table.ricci = NULL;
    table.free_data = NULL;
    check(mst_manifold_new(&bare, &table, "bare", mst_manifold_dim(m), D, mst_manifold_data(m)));
    check(mst_manifold_random_point(m, (mst_random){2, 0}, 0, 1, x));
    mst_random_normals((mst_random){2, 1}, 0, D, v);
    check(mst_manifold_tangent(m, 1, x, v, v));
    check(mst_manifold_ricci(m, 1, x, v, closed));
    check(mst_manifold_ricci(bare, 1, x, v, differences));
    for (size_t k = 0; k < D; k++)
        largest = fmax(largest, fabs(closed[k] - differences[k]));
    printf("Ricci tensor of %s: closed form and differences agree to %.1e\n", mst_manifold_spec(m),
           largest);
    mst_manifold_free(bare);
    return largest;
}

/* The entries of X are eigenfunctions, ΔX = −((n − p) + (p − 1)/2) X, and so E X_t = e^(−λt/2) X_0. Deviation
 * of the mean of <X_t, X_0>/p in standard errors. */
static double against_eigenfunction(const mst_manifold *m)
{
    enum { PATHS = 4000, MOST = 64 };
    stiefel s = shape_of(m);
    static double begin[PATHS * MOST], end[PATHS * MOST];
    size_t D = s.n * s.p;
    const double time = 0.3, p = (double)s.p, n = (double)s.n;
    for (size_t i = 0; i < PATHS; i++)
        mst_manifold_start(m, begin + i * D);
    mst_brownian_options options = mst_brownian_options_default();
    options.steps = 20;
    check(mst_brownian_endpoints(m, PATHS, begin, time, &options, end));
    double mean = 0, square = 0, expected = exp(-time * ((n - p) + (p - 1) / 2) / 2);
    for (size_t i = 0; i < PATHS; i++) {
        double value = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++)
            value += begin[k] * end[k] / p;
        mean += value / PATHS;
        square += value * value / PATHS;
    }
    double error = sqrt((square - mean * mean) / PATHS);
    printf("Brownian motion on %s to time %g: E <X, start>/p = %.4f ± %.4f, exactly %.4f\n",
           mst_manifold_spec(m), time, mean, error, expected);
    return fabs(mean - expected) / error;
}

/* The Fréchet mean of a cloud of frames: distance to where the cloud was made, in standard errors. */
static double mean_of_cloud(const mst_manifold *m)
{
    enum { N = 60, MOST = 64 };
    double centre[MOST], begin[N * MOST], cloud[N * MOST], distance;
    size_t D = mst_manifold_ambient(m);
    check(mst_manifold_random_point(m, (mst_random){3, 0}, 0, 1, centre));
    for (size_t i = 0; i < N; i++)
        memcpy(begin + i * D, centre, D * sizeof *begin);
    mst_brownian_options options = mst_brownian_options_default();
    options.steps = 10;
    check(mst_brownian_endpoints(m, N, begin, 0.02, &options, cloud));
    mst_score *source;
    mst_mean_result *mean;
    mst_mean_options fit = mst_mean_options_default();
    check(mst_score_log_new(&source, m));
    check(mst_mean_fit(&mean, source, N, cloud, &fit));
    check(mst_manifold_dist(m, 1, mean->mean, centre, &distance));
    printf("Mean of %d frames: %.4f from their centre, standard error %.4f\n", N, distance,
           mean->standard_error);
    double off = distance / mean->standard_error;
    mst_mean_result_free(mean);
    mst_score_free(source);
    return off;
}

int main(void)
{
    mst_manifold *m;
    check(stiefel_new(&m, 4, 2));
    double sphere = against_sphere(), curvature = against_differences(m);
    double motion = against_eigenfunction(m), mean = mean_of_cloud(m);
    mst_manifold_free(m);
    /* Five standard errors of one number, and of a vector in five dimensions: one false alarm in a million
     * seeds and in ten thousand; the seeds are fixed. */
    return sphere < 1e-9 && curvature < 1e-5 && motion < 5 && mean < 5 ? 0 : 1;
}
