/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The Fréchet mean of positive definite matrices with the affine-invariant metric, unique by the theorem of
 * Cartan and Hadamard, by Newton's method. With the mean P = L Lᵀ and Aᵢ = L⁻¹Xᵢ L⁻ᵀ = Z Λ Zᵀ, the gradient
 * of half the mean squared distance is −S, S = ⟨log Aᵢ⟩, and its Hessian (Ferreira, Xavier, Costeira and
 * Barroso, 2013)
 *
 *     H[D] = ⟨Z (Φ ∘ (Zᵀ D Z)) Zᵀ⟩,   Φ_jk = ½x coth ½x,  x = log λ_j − log λ_k.
 *
 * A pass takes the eigenvectors of all matrices, some side by side (wide_matrices.h), and keeps them;
 * conjugate gradients then find D = H⁻¹S with products only, and P ← L e^D Lᵀ. H is between 1 and the largest
 * Φ, so they need few steps. Sums are made in a fixed order: threads do not change bits. */
#include "base/linalg.h"
#include "base/wide_matrices.h"
#include "manifold/barycentre.h"
#include "manifold/internal.h"
#include "manifold/spd_kernels.h"
#include "manifold/symmetric.h"

#include <math.h>
#include <string.h>

/* Sums are made of so many parts, each in its own memory. */
enum { PARTS = 16, USUAL_PASSES = 6, MOST_PASSES = 60 };

/* Doubles for matrices and vectors together, beyond which the search row by row, which keeps nothing, takes
 * over. */
static const double most_memory = 1e8;

/* Fewer products than this, some milliseconds of one core, are often done before another
 * thread has woken up. */
static const double worth_a_team = 8e5;

/* The condition of A to which its small eigenvalues keep enough digits for a gradient of 1e-10; beyond it
 * the singular values of L⁻¹L_X take their place. */
static const double most_condition = 1e7;

typedef struct centre {
    mst_barycentre base;
    size_t n, side, batches, count; /* order; batches of `side` matrices; rows */
    const double *rows;             /* (count, n, n) */
    int threads;
    double *x, *z, *phi; /* (batches, n, n, side) */
    double *weight;      /* (batches, side), of sum 1 */
    double *log;         /* (batches, n, side) */
    double *sum;         /* (PARTS, n, n, side) */
    double *square;      /* (PARTS) */
    double *l, *w;       /* the factor of the mean, and its inverse */
    double *gradient;    /* S */
    double *memory;
} centre;

/* What a batch needs. */
typedef struct room {
    double *a, *values, *work, *f;
    double *memory;
} room;

static mst_status room_new(room *r, const centre *c)
{
    size_t n = c->n, side = c->side, matrix = n * n * side;
    MST_TRY(mst_allocate(&r->memory, 3 * matrix + 8 * n * side));
    r->a = r->memory;
    r->work = r->a + matrix;
    r->values = r->work + 2 * matrix + 6 * n * side; /* the larger of the two would do */
    r->f = r->values + n * side;
    return MST_OK;
}

static const struct wide_kernels *kernels(void)
{
    return MST_PICK(wide_kernels);
}

static size_t part_begin(const centre *c, size_t part)
{
    return c->batches * part / PARTS;
}

/* ---- A pass ---- */

/* Eigenvalues and vectors of lane k of a batch by the singular values of L⁻¹L_X, which keep twice as many
 * digits. */
static mst_status decompose_carefully(const centre *c, size_t batch, size_t k, double *values,
                                      double *z)
{
    size_t n = c->n, side = c->side, row = batch * side + k;
    mst_dense dense = {0};
    double *work;
    MST_TRY(mst_allocate(&work, 3 * n * n + n));
    double *b = work, *u = b + n * n, *vt = u + n * n, *sigma = vt + n * n;
    mst_status status = mst_dense_new(&dense, n);
    if (status == MST_OK && !mst_dense_cholesky(n, c->rows + row * n * n, b))
        status = mst_fail(MST_DOMAIN, "row %zu: the point is not positive definite", row + 1);
    if (status == MST_OK) {
        mst_lower_solve(n, c->l, b);
        status = mst_all_finite(n * n, b)
                     ? mst_dense_svd(&dense, b, u, sigma, vt)
                     : mst_fail(MST_BREAKDOWN, "row %zu: out of the range of double", row + 1);
    }
    for (size_t e = 0; status == MST_OK && e < n * n; e++)
        z[e * side + k] = u[e];
    for (size_t j = 0; status == MST_OK && j < n; j++)
        values[j * side + k] = sigma[j] * sigma[j];
    for (size_t j = 0; status == MST_OK && j < n; j++)
        if (!(sigma[j] * sigma[j] > 0))
            status = mst_fail(MST_BREAKDOWN, "row %zu: out of the range of double", row + 1);
    mst_dense_release(&dense);
    mst_release(work);
    return status;
}

static mst_status decompose(const centre *c, size_t batch, room *r, double *z)
{
    size_t n = c->n, side = c->side, matrix = n * n * side;
    kernels()->shared_congruence(n, c->w, c->x + batch * matrix, r->a, r->work);
    unsigned failed = MST_PICK(wide_eigen_kernels)->eigen(n, r->a, r->values, z, r->work);
    for (size_t k = 0; k < side && batch * side + k < c->count; k++) {
        double least = INFINITY, largest = 0;
        for (size_t j = 0; j < n; j++) {
            double value = r->values[j * side + k];
            least = value < least ? value : least;
            largest = value > largest ? value : largest;
        }
        bool known = (failed >> k & 1U) == 0 && least > 0 && largest <= most_condition * least;
        if (!known)
            MST_TRY(decompose_carefully(c, batch, k, r->values, z));
    }
    return MST_OK;
}

/* Φ times the weight, the lower triangle. */
static void fill_phi(const centre *c, const double *values, const double *log, const double *weight,
                     double *phi)
{
    size_t n = c->n, side = c->side;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            for (size_t k = 0; k < side; k++) {
                double p = values[i * side + k], q = values[j * side + k];
                double x = log[i * side + k] - log[j * side + k], gap = p - q;
                bool near = fabs(x) < 1e-3;
                double far = 0.5 * x * (p + q) / (near ? 1 : gap);
                phi[(i * n + j) * side + k] = weight[k] * (near ? 1 + x * x / 12 : far);
            }
}

static mst_status pass_part(const centre *c, size_t part, room *r)
{
    size_t n = c->n, side = c->side, matrix = n * n * side;
    double *sum = c->sum + part * matrix, square = 0;
    memset(sum, 0, matrix * sizeof *sum);
    for (size_t b = part_begin(c, part); b < part_begin(c, part + 1); b++) {
        const double *weight = c->weight + b * side;
        double *log_values = c->log + b * n * side, *z = c->z + b * matrix;
        MST_TRY(decompose(c, b, r, z));
        for (size_t e = 0; e < n * side; e++) {
            double value = log(r->values[e]);
            log_values[e] = value;
            r->f[e] = weight[e % side] * value;
            square += r->f[e] * value;
        }
        fill_phi(c, r->values, log_values, weight, c->phi + b * matrix);
        kernels()->spectral(n, z, r->f, true, sum, r->work);
    }
    c->square[part] = square;
    return MST_OK;
}

static mst_status pass_parts(void *context, size_t begin, size_t end)
{
    const centre *c = context;
    room r;
    MST_TRY(room_new(&r, c));
    mst_status status = MST_OK;
    for (size_t part = begin; status == MST_OK && part < end; part++)
        status = pass_part(c, part, &r);
    mst_release(r.memory);
    return status;
}

/* Lanes and parts together, both triangles. */
static void gather(const centre *c, double *out)
{
    size_t n = c->n, side = c->side, matrix = n * n * side;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t part = 0; part < PARTS; part++)
                for (size_t k = 0; k < side; k++)
                    sum += c->sum[part * matrix + (i * n + j) * side + k];
            out[i * n + j] = out[j * n + i] = sum;
        }
}

/* S and the mean squared distance at the mean L Lᵀ. */
static mst_status pass(centre *c, mst_progress progress)
{
    if (progress.report != NULL &&
        progress.report(progress.user, (double)c->base.passes, USUAL_PASSES) != 0)
        return mst_fail(MST_INTERRUPTED, "stopped on request");
    MST_TRY(mst_parallel_blocks(PARTS, 1, c->threads, (mst_progress){0}, pass_parts, c));
    gather(c, c->gradient);
    c->base.square = 0;
    for (size_t part = 0; part < PARTS; part++)
        c->base.square += c->square[part];
    double square = 0;
    for (size_t e = 0; e < c->n * c->n; e++)
        square += c->gradient[e] * c->gradient[e];
    c->base.gradient_norm = sqrt(square);
    c->base.passes++;
    return MST_OK;
}

/* ---- The Hessian ---- */

typedef struct product_job {
    const centre *c;
    const double *d;
} product_job;

static mst_status product_parts(void *context, size_t begin, size_t end)
{
    const product_job *j = context;
    const centre *c = j->c;
    size_t n = c->n, matrix = n * n * c->side;
    room r;
    MST_TRY(room_new(&r, c));
    for (size_t part = begin; part < end; part++) {
        double *sum = c->sum + part * matrix;
        memset(sum, 0, matrix * sizeof *sum);
        for (size_t b = part_begin(c, part); b < part_begin(c, part + 1); b++)
            kernels()->between(n, c->z + b * matrix, c->phi + b * matrix, j->d, sum, r.work);
    }
    mst_release(r.memory);
    return MST_OK;
}

/* out = H[d], both (n, n). */
static mst_status hessian_product(const centre *c, const double *d, double *out)
{
    product_job job = {c, d};
    MST_TRY(mst_parallel_blocks(PARTS, 1, c->threads, (mst_progress){0}, product_parts, &job));
    gather(c, out);
    return MST_OK;
}

static double dot(size_t size, const double *a, const double *b)
{
    double sum = 0;
    for (size_t e = 0; e < size; e++)
        sum += a[e] * b[e];
    return sum;
}

/* Conjugate gradients: d = H⁻¹ s. */
static mst_status solve_one(const centre *c, double tolerance, const double *s, double *d)
{
    enum { MOST = 200 };
    size_t size = c->n * c->n;
    double *r, first = dot(size, s, s), now = first;
    MST_TRY(mst_allocate(&r, 3 * size));
    double *p = r + size, *q = p + size;
    memcpy(r, s, size * sizeof *r);
    memcpy(p, s, size * sizeof *p);
    memset(d, 0, size * sizeof *d);
    mst_status status = MST_OK;
    for (int k = 0; k < MOST && status == MST_OK && now > tolerance * tolerance * first; k++) {
        status = hessian_product(c, p, q);
        if (status != MST_OK)
            break;
        double step = now / dot(size, p, q), before = now;
        for (size_t e = 0; e < size; e++) {
            d[e] += step * p[e];
            r[e] -= step * q[e];
        }
        now = dot(size, r, r);
        for (size_t e = 0; e < size; e++)
            p[e] = r[e] + now / before * p[e];
    }
    mst_release(r);
    return status;
}

/* ---- The mean ---- */

/* L and its inverse from the mean. */
static mst_status factor(centre *c)
{
    size_t n = c->n;
    if (!mst_dense_cholesky(n, c->base.mean, c->l))
        return mst_fail(MST_BREAKDOWN, "the mean is not positive definite in double precision");
    memset(c->w, 0, n * n * sizeof *c->w);
    for (size_t i = 0; i < n; i++)
        c->w[i * n + i] = 1;
    mst_lower_solve(n, c->l, c->w);
    return MST_OK;
}

/* mean ← L e^{share·D} Lᵀ */
static mst_status move(centre *c, const double *d, double share)
{
    size_t n = c->n, size = n * n;
    double *work;
    MST_TRY(mst_allocate(&work, 2 * size + n));
    double *vectors = work, *b = vectors + size, *values = b + size;
    for (size_t e = 0; e < size; e++)
        b[e] = share * d[e];
    mst_status status = mst_eigen_symmetric(1, n, b, values, vectors, NULL);
    if (status == MST_OK) {
        mst_multiply_nt(n, c->l, vectors, b);
        for (size_t e = 0; e < size; e++)
            b[e] *= exp(0.5 * values[e % n]);
        mst_multiply_nt(n, b, b, c->base.mean);
        status = factor(c);
    }
    mst_release(work);
    return status;
}

static void arithmetic_mean(centre *c)
{
    size_t size = c->n * c->n;
    memset(c->base.mean, 0, size * sizeof *c->base.mean);
    for (size_t i = 0; i < c->count; i++)
        for (size_t e = 0; e < size; e++)
            c->base.mean[e] += c->weight[i] * c->rows[i * size + e];
    symmetric_part(c->n, c->base.mean, c->base.mean);
}

static mst_status invert_parts(void *context, size_t begin, size_t end)
{
    const centre *c = context;
    size_t n = c->n, side = c->side, matrix = n * n * side;
    room r;
    MST_TRY(room_new(&r, c));
    for (size_t part = begin; part < end; part++) {
        double *sum = c->sum + part * matrix;
        memset(sum, 0, matrix * sizeof *sum);
        for (size_t b = part_begin(c, part); b < part_begin(c, part + 1); b++) {
            memcpy(r.a, c->x + b * matrix, matrix * sizeof *r.a);
            (void)kernels()->cholesky(n, r.a); /* what fails is seen in the sum, or does no harm */
            kernels()->add_inverse(n, r.a, c->weight + b * side, sum, r.work);
        }
    }
    mst_release(r.memory);
    return MST_OK;
}

/* From the arithmetic mean A to the middle of A and the harmonic mean, which is nearer by a pass: by −½ log
 * of Lᵀ⟨X⁻¹⟩L. Not if that has no digits. */
static mst_status start_between(centre *c, double *d, double *before)
{
    size_t n = c->n, size = n * n;
    double *vectors;
    MST_TRY(mst_parallel_blocks(PARTS, 1, c->threads, (mst_progress){0}, invert_parts, c));
    gather(c, d);
    mst_multiply(n, d, c->l, before);
    mst_multiply_tn(n, c->l, before, d);
    if (!mst_all_finite(size, d))
        return MST_OK;
    symmetric_part(n, d, d);
    MST_TRY(mst_allocate(&vectors, size + n));
    double *values = vectors + size;
    mst_status status = mst_eigen_symmetric(1, n, d, values, vectors, NULL);
    bool good = status == MST_OK && values[0] > 1e-9 * values[n - 1];
    if (good) {
        for (size_t e = 0; e < size; e++)
            before[e] = -0.5 * log(values[e / n]) * vectors[e];
        mst_multiply_tn(n, vectors, before, d);
        symmetric_part(n, d, d);
        status = move(c, d, 1);
    }
    mst_release(vectors);
    return status;
}

/* Newton's steps, halved as long as the squared distance grows: it is convex, so in the end it falls. */
static mst_status iterate(centre *c, double tolerance, mst_progress progress, double *d,
                          double *before)
{
    size_t size = c->n * c->n;
    double last = INFINITY;
    MST_TRY(pass(c, progress));
    while (c->base.passes < MOST_PASSES) {
        double norm = c->base.gradient_norm, square = c->base.square;
        /* Rounding: the gradient no longer halves though it is small beside the rows' own. */
        double scatter = fmin(1, fmax(1e-2, sqrt(square)));
        c->base.settled =
            norm <= tolerance * scatter || (norm > 0.5 * last && norm <= 1e-7 * scatter);
        if (c->base.settled)
            return MST_OK;
        last = norm;
        /* Newton squares the error of about this size; and nobody needs more than was asked for. */
        double enough = fmax(fmin(0.1, 0.3 * norm), 0.3 * tolerance * scatter / norm);
        MST_TRY(solve_one(c, enough, c->gradient, d));
        memcpy(before, c->l, size * sizeof *before);
        double share = 1;
        MST_TRY(move(c, d, share));
        MST_TRY(pass(c, progress));
        while (c->base.square > square * (1 + 1e-12) && c->base.gradient_norm > norm &&
               c->base.passes < MOST_PASSES) {
            share *= 0.5;
            memcpy(c->l, before, size * sizeof *before);
            MST_TRY(move(c, d, share));
            MST_TRY(pass(c, progress));
        }
    }
    return MST_OK;
}

/* ---- The slots ---- */

static void centre_free(mst_barycentre *b)
{
    if (b == NULL)
        return;
    mst_release(((centre *)b)->memory);
    mst_release(b);
}

static size_t doubles_of(size_t n, size_t count, size_t side)
{
    size_t batches = (count + side - 1) / side, matrix = n * n * side;
    return batches * (3 * matrix + (n + 1) * side) + PARTS * (matrix + 1) + 4 * n * n + 64;
}

static size_t centre_size(const mst_manifold *m, size_t count)
{
    size_t n = symmetric_order(m->ambient);
    double doubles = 3 * (double)count * (double)(n * n);
    if (n < 2 || n > WIDE_ORDER || doubles > most_memory)
        return 0;
    return doubles_of(n, count, MST_PICK(wide_eigen_kernels)->lanes) * sizeof(double);
}

static void load(centre *c)
{
    size_t n = c->n, side = c->side;
    for (size_t b = 0; b < c->batches; b++)
        for (size_t k = 0; k < side; k++) {
            size_t row = b * side + k;
            double *to = c->x + b * n * n * side + k;
            for (size_t e = 0; e < n * n; e++)
                to[e * side] = row < c->count ? c->rows[row * n * n + e]
                                              : c->base.mean[e]; /* harmless, of weight 0 */
        }
}

static mst_status centre_new(centre **out, const mst_manifold *m, size_t count, const double *x,
                             const double *weights, int threads)
{
    MST_TRY(mst_allocate_zero(out, 1));
    centre *c = *out;
    size_t n = symmetric_order(m->ambient), side = MST_PICK(wide_eigen_kernels)->lanes;
    *c = (centre){.n = n, .side = side, .count = count, .rows = x, .threads = threads};
    if ((double)(count * n * n * n) < worth_a_team)
        c->threads = 1;
    c->batches = (count + side - 1) / side;
    size_t all = c->batches * n * n * side;
    MST_TRY(mst_allocate(&c->memory, doubles_of(n, count, side)));
    c->x = c->memory;
    c->z = c->x + all;
    c->phi = c->z + all;
    c->sum = c->phi + all;
    c->weight = c->sum + PARTS * n * n * side;
    c->log = c->weight + c->batches * side;
    c->square = c->log + c->batches * n * side;
    c->l = c->square + PARTS;
    c->w = c->l + n * n;
    c->gradient = c->w + n * n;
    c->base.mean = c->gradient + n * n;
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += weights != NULL ? weights[i] : 1;
    for (size_t i = 0; i < c->batches * side; i++)
        c->weight[i] = i >= count ? 0 : (weights != NULL ? weights[i] : 1) / total;
    return MST_OK;
}

static mst_status centre_find(mst_barycentre **out, const mst_manifold *m, size_t count,
                              const double *x, const double *weights, const double *start,
                              double tolerance, int threads, mst_progress progress)
{
    centre *c = NULL;
    double *work = NULL;
    size_t D = m->ambient;
    mst_status status = centre_new(&c, m, count, x, weights, threads);
    if (status == MST_OK)
        status = mst_allocate(&work, 2 * D);
    if (status == MST_OK) {
        c->base.ops = &mst_spd_barycentre;
        if (start != NULL)
            memcpy(c->base.mean, start, D * sizeof *start);
        else
            arithmetic_mean(c);
        load(c);
        status = factor(c);
    }
    if (status == MST_OK && start == NULL)
        status = start_between(c, work, work + D);
    if (status == MST_OK)
        status = iterate(c, tolerance, progress, work, work + D);
    mst_release(work);
    if (status != MST_OK && c != NULL)
        centre_free(&c->base);
    *out = status == MST_OK ? &c->base : NULL;
    return status;
}

static mst_status centre_logs(const mst_barycentre *b, double *out)
{
    const centre *c = (const centre *)b;
    size_t n = c->n, side = c->side, matrix = n * n * side, d = symmetric_dim(n);
    double *work;
    MST_TRY(mst_allocate(&work, 2 * matrix + n * n));
    double *s = work + matrix, *one = s + matrix;
    for (size_t batch = 0; batch < c->batches; batch++) {
        kernels()->spectral(n, c->z + batch * matrix, c->log + batch * n * side, false, s, work);
        for (size_t k = 0; k < side && batch * side + k < c->count; k++) {
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j <= i; j++)
                    one[i * n + j] = one[j * n + i] = s[(i * n + j) * side + k];
            symmetric_pack(n, one, out + (batch * side + k) * d);
        }
    }
    mst_release(work);
    return MST_OK;
}

static mst_status centre_solve(const mst_barycentre *b, double tolerance, size_t sides, double *v)
{
    const centre *c = (const centre *)b;
    size_t n = c->n, d = symmetric_dim(n);
    double *s;
    MST_TRY(mst_allocate(&s, 2 * n * n));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < sides; k++) {
        symmetric_unpack(n, v + k * d, s);
        status = solve_one(c, tolerance, s, s + n * n);
        if (status == MST_OK)
            symmetric_pack(n, s + n * n, v + k * d);
    }
    mst_release(s);
    return status;
}

static mst_status centre_hessian(const mst_barycentre *b, double *h)
{
    const centre *c = (const centre *)b;
    size_t n = c->n, d = symmetric_dim(n);
    double *e;
    MST_TRY(mst_allocate(&e, 2 * n * n + d));
    double *out = e + n * n, *one = out + n * n;
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < d; k++) {
        memset(one, 0, d * sizeof *one);
        one[k] = 1;
        symmetric_unpack(n, one, e);
        status = hessian_product(c, e, out);
        if (status == MST_OK)
            symmetric_pack(n, out, h + k * d);
    }
    mst_release(e);
    return status;
}

const mst_barycentre_ops mst_spd_barycentre = {.size = centre_size,
                                               .find = centre_find,
                                               .logs = centre_logs,
                                               .solve = centre_solve,
                                               .hessian = centre_hessian,
                                               .free = centre_free};
