/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Riemannian products: rows, frames and charts are those of the factors side by side. No factor is a product.
 * Each operation copies a block of the columns of a factor out, runs the factor's batch
 * on it and copies the result back. */
#include "manifold/product.h"
#include "base/columns.h"
#include "manifold/internal.h"

#include <math.h>
#include <string.h>

typedef struct mst_product {
    size_t count;
    mst_manifold **factors;
    size_t *ambient_offset, *dim_offset; /* first column of each factor in a row of D, of d */
} product;

enum { BLOCK = 256 };

static void free_product(void *data)
{
    product *p = data;
    for (size_t f = 0; p != NULL && f < p->count; f++)
        mst_manifold_free(p->factors[f]);
    mst_release(p);
}

/* What a factor's operation takes and gives: up to three inputs and an output, each ambient ('D'), in the
 * frame or chart ('d'), a number per row ('1') or absent (0). */
typedef struct shape {
    char in[3], out;
} shape;

typedef mst_status factor_run(const mst_manifold *m, size_t n, const double *const *in, double *out,
                              void *extra);

/* Run `run` on every factor and block. Numbers per row are added up over the factors. */
static mst_status for_factors(const mst_manifold *m, size_t n, shape s, const double *const *in,
                              double *out, factor_run *run, void *extra)
{
    const product *p = m->data;
    double *work;
    MST_TRY(mst_allocate(&work, 4 * BLOCK * m->ambient));
    double *pieces[3], *result = work + 3 * BLOCK * m->ambient;
    for (int k = 0; k < 3; k++)
        pieces[k] = work + (size_t)k * BLOCK * m->ambient;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        if (s.out == '1')
            memset(out + i, 0, count * sizeof *out);
        for (size_t f = 0; status == MST_OK && f < p->count; f++) {
            const mst_manifold *factor = p->factors[f];
            for (int k = 0; k < 3; k++)
                if (s.in[k] == 'D')
                    mst_take_columns(count, m->ambient, p->ambient_offset[f], factor->ambient,
                                     in[k] + i * m->ambient, pieces[k]);
                else if (s.in[k] == 'd')
                    mst_take_columns(count, m->dim, p->dim_offset[f], factor->dim,
                                     in[k] + i * m->dim, pieces[k]);
            status = run(factor, count, (const double *const *)pieces, result, extra);
            if (status != MST_OK)
                break;
            if (s.out == 'D')
                mst_put_columns(count, m->ambient, p->ambient_offset[f], factor->ambient, result,
                                out + i * m->ambient);
            else if (s.out == 'd')
                mst_put_columns(count, m->dim, p->dim_offset[f], factor->dim, result,
                                out + i * m->dim);
            else
                for (size_t k = 0; k < count; k++)
                    out[i + k] += result[k];
        }
    }
    mst_release(work);
    return status;
}

static void start(const mst_manifold *m, double *x)
{
    const product *p = m->data;
    for (size_t f = 0; f < p->count; f++)
        mst_manifold_start(p->factors[f], x + p->ambient_offset[f]);
}

/* One adapter per slot from the general form above. An output may alias an input: for_factors reads the block
 * of a factor before it writes the same columns. */
#define ADAPT(slot, ...)                                                                   \
    static mst_status run_##slot(const mst_manifold *m, size_t n, const double *const *in, \
                                 double *out, void *extra)                                 \
    {                                                                                      \
        (void)extra;                                                                       \
        return mst_manifold_##slot(m, n, __VA_ARGS__, out);                                \
    }

ADAPT(project, in[0])
ADAPT(tangent, in[0], in[1])
ADAPT(inner, in[0], in[1], in[2])
ADAPT(exp, in[0], in[1])
ADAPT(from_frame, in[0], in[1])
ADAPT(to_frame, in[0], in[1])
ADAPT(transport, in[0], in[1], in[2])
ADAPT(ricci, in[0], in[1])
ADAPT(chart_coords, in[0], in[1])
ADAPT(chart_point, in[0], in[1])

static mst_status project(const mst_manifold *m, size_t n, const double *x, double *y)
{
    return for_factors(m, n, (shape){{'D', 0, 0}, 'D'}, (const double *[]){x}, y, run_project,
                       NULL);
}

#define SLOT2(slot, second, result)                                                                \
    static mst_status product_##slot(const mst_manifold *m, size_t n, const double *a,             \
                                     const double *b, double *out)                                 \
    {                                                                                              \
        return for_factors(m, n, (shape){{'D', second, 0}, result}, (const double *[]){a, b}, out, \
                           run_##slot, NULL);                                                      \
    }

#define SLOT3(slot, result)                                                                     \
    static mst_status product_##slot(const mst_manifold *m, size_t n, const double *a,          \
                                     const double *b, const double *c, double *out)             \
    {                                                                                           \
        return for_factors(m, n, (shape){{'D', 'D', 'D'}, result}, (const double *[]){a, b, c}, \
                           out, run_##slot, NULL);                                              \
    }

SLOT2(tangent, 'D', 'D')
SLOT2(exp, 'D', 'D')
SLOT2(from_frame, 'd', 'D')
SLOT2(to_frame, 'D', 'd')
SLOT2(ricci, 'D', 'D')
SLOT2(chart_coords, 'D', 'd')
SLOT2(chart_point, 'd', 'D')
SLOT3(inner, '1')
SLOT3(transport, 'D')

static mst_status validate(const mst_manifold *m, size_t n, const double *x, size_t *row)
{
    const product *p = m->data;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        for (size_t f = 0; status == MST_OK && f < p->count; f++) {
            size_t unused;
            status = mst_manifold_validate(p->factors[f], 1,
                                           x + i * m->ambient + p->ambient_offset[f], &unused);
            if (status == MST_DOMAIN)
                mst_fail(status, "factor %zu, %s: %s", f + 1, p->factors[f]->spec,
                         mst_error_detail());
            if (status != MST_OK)
                *row = i;
        }
    return status;
}

/* The flags of the factors are joined. */
static mst_status run_log(const mst_manifold *m, size_t n, const double *const *in, double *out,
                          void *extra)
{
    unsigned char *joined = extra, flag[BLOCK];
    MST_TRY(mst_manifold_log(m, n, in[0], in[1], out, flag));
    for (size_t i = 0; joined != NULL && i < n; i++)
        joined[i] |= flag[i];
    return MST_OK;
}

static mst_status logarithm(const mst_manifold *m, size_t n, const double *x, const double *y,
                            double *v, unsigned char *flag)
{
    if (flag != NULL)
        memset(flag, 0, n);
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t at = i * m->ambient;
        MST_TRY(for_factors(m, n - i < BLOCK ? n - i : BLOCK, (shape){{'D', 'D', 0}, 'D'},
                            (const double *[]){x + at, y + at}, v + at, run_log,
                            flag != NULL ? flag + i : NULL));
    }
    return MST_OK;
}

static mst_status run_squared_dist(const mst_manifold *m, size_t n, const double *const *in,
                                   double *out, void *extra)
{
    (void)extra;
    MST_TRY(mst_manifold_dist(m, n, in[0], in[1], out));
    for (size_t i = 0; i < n; i++)
        out[i] *= out[i];
    return MST_OK;
}

static mst_status distance(const mst_manifold *m, size_t n, const double *x, const double *y,
                           double *r)
{
    MST_TRY(for_factors(m, n, (shape){{'D', 'D', 0}, '1'}, (const double *[]){x, y}, r,
                        run_squared_dist, NULL));
    for (size_t i = 0; i < n; i++)
        r[i] = sqrt(r[i]);
    return MST_OK;
}

static double injectivity(const mst_manifold *m)
{
    const product *p = m->data;
    double least = INFINITY;
    for (size_t f = 0; f < p->count; f++) {
        double radius = mst_manifold_injectivity(p->factors[f]);
        if (!(radius >= least)) /* unknown (NAN) in one factor is unknown in all */
            least = radius;
        if (isnan(radius))
            return NAN;
    }
    return least;
}

/* Each factor draws from a stream of its own: the low bits of the number tell the factors apart. */
static mst_status random_point(const mst_manifold *m, mst_random r, uint64_t first, size_t n,
                               double *x)
{
    const product *p = m->data;
    double *piece;
    MST_TRY(mst_allocate(&piece, n * m->ambient));
    mst_status status = MST_OK;
    for (size_t f = 0; status == MST_OK && f < p->count; f++) {
        mst_random own = {r.seed, (r.stream + 1) * UINT64_C(0x9E3779B97F4A7C15) + f};
        status = mst_manifold_random_point(p->factors[f], own, first, n, piece);
        if (status == MST_OK)
            mst_put_columns(n, m->ambient, p->ambient_offset[f], p->factors[f]->ambient, piece, x);
    }
    mst_release(piece);
    return status;
}

/* Block-diagonal tensors of the chart: `rank` indices, each running over the d of the factor. */
static mst_status chart_tensor(const mst_manifold *m, size_t n, const double *c, const double *u,
                               int rank,
                               mst_status (*run)(const mst_manifold *, size_t, const double *,
                                                 const double *, double *),
                               double *out)
{
    const product *p = m->data;
    size_t d = m->dim, size = rank == 2 ? d * d : d * d * d;
    double *piece;
    MST_TRY(mst_allocate(&piece, size));
    memset(out, 0, n * size * sizeof *out);
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++)
        for (size_t f = 0; status == MST_OK && f < p->count; f++) {
            size_t k = p->factors[f]->dim, at = p->dim_offset[f], outer = rank == 2 ? 1 : k;
            status = run(p->factors[f], 1, c + i * m->ambient + p->ambient_offset[f],
                         u + i * d + at, piece);
            for (size_t a = 0; status == MST_OK && a < outer; a++)
                for (size_t b = 0; b < k; b++) {
                    size_t row = rank == 2 ? at + b : (at + a) * d + at + b;
                    memcpy(out + i * size + row * d + at, piece + (a * k + b) * k, k * sizeof *out);
                }
        }
    mst_release(piece);
    return status;
}

static mst_status chart_metric(const mst_manifold *m, size_t n, const double *c, const double *u,
                               double *g)
{
    return chart_tensor(m, n, c, u, 2, mst_manifold_chart_metric, g);
}

static mst_status chart_christoffel(const mst_manifold *m, size_t n, const double *c,
                                    const double *u, double *gamma)
{
    return chart_tensor(m, n, c, u, 3, mst_manifold_chart_christoffel, gamma);
}

static double chart_radius(const mst_manifold *m)
{
    const product *p = m->data;
    double least = INFINITY;
    for (size_t f = 0; f < p->count; f++)
        least = fmin(least, mst_manifold_chart_radius(p->factors[f]));
    return least;
}

/* What is true of a product because it is true of all factors, and false because it is false of one. */
static mst_answer both(mst_answer a, mst_answer b)
{
    return a == MST_NO || b == MST_NO     ? MST_NO
           : a == MST_YES && b == MST_YES ? MST_YES
                                          : MST_UNKNOWN;
}

static void traits(const mst_manifold *m, mst_manifold_traits *out)
{
    const product *p = m->data;
    *out = p->factors[0]->traits;
    for (size_t f = 1; f < p->count; f++) {
        const mst_manifold_traits *t = &p->factors[f]->traits;
        out->closed &= t->closed;
        out->compact = both(out->compact, t->compact);
        out->flat = both(out->flat, t->flat);
        out->hadamard = both(out->hadamard, t->hadamard);
        /* Planes across two factors have curvature 0, and an unknown bound remains unknown. */
        out->curvature_above = isnan(out->curvature_above) || isnan(t->curvature_above)
                                   ? NAN
                                   : fmax(0, fmax(out->curvature_above, t->curvature_above));
        out->angles = out->angles && t->angles;
        out->frame_is_divergence_free =
            out->frame_is_divergence_free && t->frame_is_divergence_free;
        out->curvature = out->flat == MST_YES ? 0 : NAN;
        out->unit_rows = out->cut_is_wall = false;
        out->rows = MST_ROWS_PLAIN;
        out->embedding = out->embedding == t->embedding ? out->embedding : NAN;
        out->unrolls = out->unrolls && t->unrolls;
        out->has_border = out->has_border || t->has_border;
        out->line = NULL;
        out->landmark_dim = 0;
        out->kernel_width = 0;
        out->moves_together = false;
        out->positive_definite = false;
        out->any_row = out->any_row && t->any_row;
        out->beside_line = NAN;
    }
}

static const mst_manifold_ops product_ops = {
    .size = sizeof(mst_manifold_ops),
    .name = "product",
    .traits = traits,
    .start = start,
    .project = project,
    .tangent = product_tangent,
    .inner = product_inner,
    .exp = product_exp,
    .validate = validate,
    .from_frame = product_from_frame,
    .to_frame = product_to_frame,
    .log = logarithm,
    .dist = distance,
    .transport = product_transport,
    .ricci = product_ricci,
    .injectivity = injectivity,
    .random_point = random_point,
    .chart_coords = product_chart_coords,
    .chart_point = product_chart_point,
    .chart_metric = chart_metric,
    .chart_christoffel = chart_christoffel,
    .chart_radius = chart_radius,
    .exp_derivative = mst_product_exp_derivative,
    .exp_adjoint = mst_product_exp_adjoint,
    .retract = mst_product_retract,
    .toward = mst_product_toward,
    .free_data = free_product,
    .prepared_size = mst_product_prepared_size,
    .prepare = mst_product_prepare,
    .dist_prepared = mst_product_dist_prepared,
};

/* "product(a,b)" of the specs of the factors' factors. */
static mst_status product_spec(size_t count, mst_manifold *const *factors, char **out)
{
    size_t length = sizeof "product()";
    for (size_t f = 0; f < count; f++)
        length += strlen(factors[f]->spec) + 1;
    MST_TRY(mst_allocate(out, length));
    char *end = stpcpy(*out, "product");
    for (size_t f = 0; f < count; f++)
        for (size_t i = 0; i < mst_manifold_factor_count(factors[f]); i++) {
            *end++ = f + i == 0 ? '(' : ',';
            end = stpcpy(end, mst_manifold_factor(factors[f], i)->spec);
        }
    stpcpy(end, ")");
    return MST_OK;
}

/* One block: the struct, then its three arrays. */
static mst_status product_allocate(size_t count, product **out)
{
    product *p;
    MST_TRY(mst_allocate_bytes((void **)&p, 1,
                               sizeof *p + count * (sizeof *p->factors + 2 * sizeof(size_t))));
    *p = (product){.factors = (mst_manifold **)(p + 1)};
    p->ambient_offset = (size_t *)(p->factors + count);
    p->dim_offset = p->ambient_offset + count;
    *out = p;
    return MST_OK;
}

/* Appends the factors of m, which loses them, or m itself. */
static void take_factors(product *p, mst_manifold *m, size_t *dim, size_t *ambient)
{
    size_t count = mst_manifold_factor_count(m);
    for (size_t i = 0; i < count; i++) {
        mst_manifold *factor = m->product != NULL ? m->product->factors[i] : m;
        p->factors[p->count] = factor;
        p->dim_offset[p->count] = *dim;
        p->ambient_offset[p->count++] = *ambient;
        *dim += factor->dim;
        *ambient += factor->ambient;
    }
    if (m->product != NULL) {
        ((product *)m->data)->count = 0;
        mst_manifold_free(m);
    }
}

mst_status mst_product_new(mst_manifold **out, size_t count, mst_manifold **factors)
{
    *out = NULL;
    if (count == 1) {
        *out = factors[0];
        return MST_OK;
    }
    product *p = NULL;
    char *spec = NULL;
    size_t total = 0, dim = 0, ambient = 0;
    for (size_t f = 0; f < count; f++)
        total += mst_manifold_factor_count(factors[f]);
    mst_status status = total == 0 ? mst_fail(MST_ARGUMENT, "a product needs at least one factor")
                                   : product_spec(count, factors, &spec);
    if (status == MST_OK)
        status = product_allocate(total, &p);
    for (size_t f = 0; f < count; f++)
        if (status == MST_OK)
            take_factors(p, factors[f], &dim, &ambient);
        else
            mst_manifold_free(factors[f]);
    if (status == MST_OK)
        status = mst_manifold_new(out, &product_ops, spec, dim, ambient, p);
    if (status == MST_OK)
        (*out)->product = p;
    mst_release(spec);
    return status;
}

size_t mst_manifold_factor_count(const mst_manifold *m)
{
    return m->product != NULL ? m->product->count : 1;
}

const mst_manifold *mst_manifold_factor(const mst_manifold *m, size_t i)
{
    return m->product != NULL ? m->product->factors[i] : m;
}
