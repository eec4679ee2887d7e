/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned/gp.h"

#include "base/linalg.h"
#include "base/options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

mst_gp_options mst_gp_options_default(void)
{
    return (mst_gp_options){.size = sizeof(mst_gp_options),
                            .variance = NAN,
                            .length_scale = NAN,
                            .noise = NAN,
                            .uncertainty = 1};
}

/* ---- Order: near points get near numbers, by halving the list along its widest coordinate ---- */

typedef struct by_coordinate {
    const double *x; /* (n, d) */
    size_t d, k;
} by_coordinate;

static int compare(const void *a, const void *b, void *user)
{
    const by_coordinate *by = user;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    double p = by->x[i * by->d + by->k], q = by->x[j * by->d + by->k];
    return p != q ? (p > q) - (p < q) : (i > j) - (i < j);
}

static void sort_near(size_t d, const double *x, size_t count, size_t *order)
{
    if (count <= GP_LANES)
        return;
    by_coordinate by = {.x = x, .d = d};
    double widest = -1;
    for (size_t k = 0; k < d; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, x[order[i] * d + k]);
            high = fmax(high, x[order[i] * d + k]);
        }
        if (high - low > widest) {
            widest = high - low;
            by.k = k;
        }
    }
    qsort_r(order, count, sizeof *order, compare, &by);
    sort_near(d, x, count / 2, order);
    sort_near(d, x, count - count / 2, order + count / 2);
}

/* ---- The matrices ---- */

void gp_mean(const gp_data *g, bool centre, double *mean)
{
    for (size_t j = 0; j < g->D; j++)
        mean[j] = 0;
    for (size_t i = 0; centre && i < g->n; i++)
        for (size_t j = 0; j < g->D; j++)
            mean[j] += g->data[i * g->D + j] / (double)g->n;
}

mst_status gp_refuse_constant(size_t n, size_t D, const double *data)
{
    /* Numbers that went through a few operations agree to this part of the largest. */
    const double rounding = 1e-12;
    double size = 0, gap = 0;
    for (size_t i = 0; i < n * D; i++) {
        size = fmax(size, fabs(data[i]));
        gap = fmax(gap, fabs(data[i] - data[i % D]));
    }
    if (gap > rounding * size)
        return MST_OK;
    if (gap == 0)
        return mst_fail(MST_DOMAIN,
                        "the rows of the data are all equal; there is nothing to learn");
    return mst_fail(
        MST_DOMAIN,
        "the rows of the data are equal to rounding: numbers of up to %.3g differ by at "
        "most %.2g; there is nothing to learn",
        size, gap);
}

void gp_distances(size_t n, size_t m, const double *x, double *square)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < m; k++)
                sum += (x[i * m + k] - x[j * m + k]) * (x[i * m + k] - x[j * m + k]);
            square[i * n + j] = square[j * n + i] = sum;
        }
}

bool gp_coincident(const gp_data *g, size_t rows[2])
{
    double size = 0;
    for (size_t i = 0; i < g->n * g->d; i++)
        size = fmax(size, fabs(g->latent[i]));
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = 0; j < i; j++) {
            double gap = 0;
            for (size_t k = 0; k < g->d; k++)
                gap = fmax(gap, fabs(g->latent[i * g->d + k] - g->latent[j * g->d + k]));
            if (gap <= 1e-12 * size) {
                rows[0] = j;
                rows[1] = i;
                return true;
            }
        }
    return false;
}

/* The largest eigenvalue of a symmetric positive definite matrix, from below, by powers of it. */
static double largest_eigenvalue(size_t n, const double *a, double *room)
{
    enum { ROUNDS = 60 };
    double *x = room, *y = room + n, size = 0;
    for (size_t i = 0; i < n; i++)
        x[i] = 1 + 0.3 * sin((double)(i * i + 1));
    for (int round = 0; round < ROUNDS; round++) {
        double before = size;
        size = 0;
        for (size_t i = 0; i < n; i++) {
            y[i] = 0;
            for (size_t j = 0; j < n; j++)
                y[i] += a[i * n + j] * x[j];
            size += y[i] * y[i];
        }
        size = sqrt(size);
        if (!(size > 0))
            return size;
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] / size;
        if (fabs(size - before) < 1e-3 * size)
            break;
    }
    return size;
}

static mst_status refuse_condition(const gp *g, const gp_data *data, double condition)
{
    size_t rows[2];
    if (gp_coincident(data, rows))
        return mst_fail(MST_DOMAIN,
                        "latent points %zu and %zu coincide, which takes `noise` to explain; give "
                        "some, 1e-6 for instance",
                        rows[0] + 1, rows[1] + 1);
    if (isfinite(condition))
        return mst_fail(MST_DOMAIN,
                        "the matrix of kernels has condition %.1e, and rounding would be seen; a "
                        "larger `noise` than %g or a smaller `length_scale` than %g lowers it",
                        condition, g->noise, g->length_scale);
    return mst_fail(MST_DOMAIN,
                    "the matrix of kernels is singular to rounding; a larger `noise` than %g or a "
                    "smaller `length_scale` than %g helps",
                    g->noise, g->length_scale);
}

/* K, its inverse, α, the likelihood and the condition. */
static mst_status solve(gp *g, const gp_data *data, double *k, double *room)
{
    size_t n = data->n, d = data->d, D = data->D;
    double scale = 0.5 / (g->length_scale * g->length_scale), log_det = 0, fit = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t a = 0; a < d; a++)
                square += (g->z[a * n + i] - g->z[a * n + j]) * (g->z[a * n + i] - g->z[a * n + j]);
            k[i * n + j] = exp(-scale * square) + (i == j ? g->noise : 0);
        }
    double top = largest_eigenvalue(n, k, room);
    if (!mst_dense_cholesky(n, k, g->inverse))
        return refuse_condition(g, data, INFINITY);
    for (size_t i = 0; i < n; i++)
        log_det += 2 * log(g->inverse[i * n + i]);
    /* Right-hand sides are columns of the data, which LAPACK wants one after the other: k
     * has done its work. */
    double *sides = NULL;
    MST_TRY(mst_allocate(&sides, n * D));
    for (size_t j = 0; j < D; j++)
        for (size_t i = 0; i < n; i++)
            sides[j * n + i] = data->data[g->order[i] * D + j] - g->mean[j];
    mst_dense_cholesky_solve(n, g->inverse, D, sides);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++) {
            g->alpha[i * D + j] = sides[j * n + i];
            fit += g->alpha[i * D + j] * (data->data[g->order[i] * D + j] - g->mean[j]);
        }
    mst_release(sides);
    mst_dense_cholesky_invert(n, g->inverse);
    g->condition = top * largest_eigenvalue(n, g->inverse, room);
    if (!(g->condition <= GP_MOST_CONDITION))
        return refuse_condition(g, data, g->condition);
    double all = (double)n * (double)D;
    g->log_likelihood =
        -0.5 * (all * log(2 * M_PI * g->variance) + (double)D * log_det + fit / g->variance);
    return MST_OK;
}

/* B and the field of the kernels. */
static void make_field(gp *g)
{
    size_t n = g->base.n, d = g->base.d, D = g->base.D;
    double weight = g->uncertainty * (double)D * g->variance;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            g->b[i * n + j] = g->b[j * n + i] =
                learned_dot(D, g->alpha + i * D, g->alpha + j * D) - weight * g->inverse[i * n + j];
    double scale = 1 / (g->length_scale * g->length_scale);
    g->field = (gp_field){.n = n,
                          .d = d,
                          .stride = (n / GP_LANES + 2) * GP_LANES,
                          .scale = scale,
                          .reach = GP_WINDOW * GP_WINDOW / scale,
                          .far = weight * scale,
                          .z = g->z,
                          .b = g->b};
}

/* The relative rounding of r_vᵀBr_v + c|v|² at latent points, whose large terms cancel: as if the errors of
 * the products were independent. */
static double rounding_of(const gp *g, double *r)
{
    enum { LOOKS = 16 };
    size_t n = g->base.n, d = g->base.d;
    double worst = 0;
    for (size_t look = 0; look < LOOKS; look++)
        for (size_t a = 0; a < d; a++) {
            size_t at = look * n / LOOKS;
            double all = g->field.far, squares = all * all;
            for (size_t i = 0; i < n; i++) {
                double square = 0;
                for (size_t k = 0; k < d; k++)
                    square +=
                        (g->z[k * n + at] - g->z[k * n + i]) * (g->z[k * n + at] - g->z[k * n + i]);
                r[i] = (g->z[a * n + i] - g->z[a * n + at]) * g->field.scale *
                       exp(-0.5 * g->field.scale * square);
            }
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    double term = r[i] * g->b[i * n + j] * r[j];
                    all += term;
                    squares += term * term;
                }
            if (all > 0)
                worst = fmax(worst, DBL_EPSILON * sqrt(squares) / all);
        }
    return fmin(2 * worst, 1e-6);
}

/* Nearly constant data that are not centred: the process fits their offset, and beside its variance and noise
 * how they differ may not show. The residuals of the map are Y − mean − Rα = να. */
static mst_status refuse_offset(const gp *g, const gp_data *data)
{
    const double nearly = 0.01, ignored = 0.01; /* the latter as in the warning of `learn` */
    enum { LOOKS = 16 };
    size_t n = data->n, D = data->D;
    double *column, spread = 0, along, variance;
    if (g->centred)
        return MST_OK;
    MST_TRY(mst_allocate(&column, D));
    gp_mean(data, true, column);
    for (size_t i = 0; i < n * D; i++)
        spread += (data->data[i] - column[i % D]) * (data->data[i] - column[i % D]);
    mst_release(column);
    double size = learned_dot(n * D, data->data, data->data), count = (double)n * (double)D;
    if (spread > nearly * nearly * size)
        return MST_OK;
    double left = g->noise * g->noise * learned_dot(n * D, g->alpha, g->alpha);
    MST_TRY(gp_along(g, LOOKS, &along, &variance));
    if (left <= spread && along >= ignored * (along + variance))
        return MST_OK;
    return mst_fail(MST_DOMAIN,
                    "the rows of the data differ by only %.2g at numbers of %.3g, and the map has "
                    "learned nothing of how they differ; `centre` them",
                    sqrt(spread / count), sqrt(size / count));
}

/* ---- Construction ---- */

static void release(learned *l)
{
    gp *g = (gp *)l;
    mst_release(g->data);
    mst_release(g->mean);
    mst_release(g->order);
    mst_release(g->z);
    mst_release(g->b);
    mst_release(g->alpha);
    mst_release(g->inverse);
}

static const learned_ops ops = {.kind = "gp",
                                .format = GP_FORMAT,
                                .pack = gp_pack,
                                .describe = gp_describe,
                                .decode = gp_decode,
                                .release = release};

static mst_status fill(gp *g, const gp_data *data)
{
    size_t n = data->n, d = data->d, D = data->D;
    MST_TRY(mst_allocate(&g->base.latent, n * d));
    MST_TRY(mst_allocate(&g->data, n * D));
    MST_TRY(mst_allocate(&g->mean, D));
    MST_TRY(mst_allocate(&g->order, n));
    MST_TRY(mst_allocate(&g->z, n * d));
    MST_TRY(mst_allocate(&g->b, n * n));
    MST_TRY(mst_allocate(&g->alpha, n * D));
    MST_TRY(mst_allocate(&g->inverse, n * n));
    memcpy(g->base.latent, data->latent, n * d * sizeof *data->latent);
    memcpy(g->data, data->data, n * D * sizeof *data->data);
    gp_mean(data, g->centred, g->mean);
    for (size_t i = 0; i < n; i++)
        g->order[i] = i;
    sort_near(d, data->latent, n, g->order);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++)
            g->z[a * n + i] = data->latent[g->order[i] * d + a];
    double *room;
    MST_TRY(mst_allocate(&room, 2 * n));
    mst_status status = solve(g, data, g->b, room);
    if (status == MST_OK) {
        make_field(g);
        g->base.unit = g->length_scale * sqrt(g->field.far);
        g->rounding = rounding_of(g, room);
        status = refuse_offset(g, data);
    }
    mst_release(room);
    return status;
}

mst_status gp_new(mst_manifold **out, const char *spec, const gp_data *data,
                  const gp_numbers *numbers, const mst_gp_options *o)
{
    gp *g;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&g, 1));
    g->base = (learned){.ops = &ops,
                        .d = data->d,
                        .D = data->D,
                        .n = data->n,
                        .height = o->height,
                        .width = o->width};
    g->variance = numbers->variance;
    g->length_scale = numbers->length_scale;
    g->noise = numbers->noise;
    g->uncertainty = o->uncertainty;
    g->centred = o->centre;
    mst_status status = fill(g, data);
    if (status != MST_OK) {
        learned_free(g);
        return status;
    }
    mst_metric_ops table = gp_metric;
    table.precision = g->rounding;
    return learned_manifold(out, &table, spec, &g->base);
}

/* ---- From data ---- */

static mst_status check_number(const char *name, double value, bool zero)
{
    if (isnan(value) || (isfinite(value) && (value > 0 || (zero && value == 0))))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "`%s` must be a %s number, not %g", name,
                    zero ? "finite, not negative" : "finite, positive", value);
}

static mst_status check_data(const gp_data *g, const mst_gp_options *o)
{
    enum { MOST = GP_MOST_POINTS };
    MST_TRY(check_number("variance", o->variance, false));
    MST_TRY(check_number("length_scale", o->length_scale, false));
    MST_TRY(check_number("noise", o->noise, true));
    if (!(o->uncertainty > 0 && isfinite(o->uncertainty)))
        return mst_fail(MST_ARGUMENT, "`uncertainty` must be positive, not %g", o->uncertainty);
    if (g->n < 2 || g->n > MOST || g->d < 1 || g->D < 1)
        return mst_fail(MST_ARGUMENT,
                        "%zu rows of data of %zu numbers at %zu latent coordinates; 2 to %d rows "
                        "can be learned from",
                        g->n, g->D, g->d, MOST);
    if ((o->height != 0 || o->width != 0) &&
        (o->width == 0 || g->D % o->width != 0 || g->D / o->width != o->height))
        return mst_fail(MST_ARGUMENT, "rows of %zu numbers are no images of %zu by %zu", g->D,
                        o->height, o->width);
    for (size_t i = 0; i < g->n; i++)
        if (!mst_all_finite(g->d, g->latent + i * g->d) ||
            !mst_all_finite(g->D, g->data + i * g->D))
            return mst_fail(MST_DOMAIN, "row %zu of the %s has numbers that are not finite", i + 1,
                            mst_all_finite(g->d, g->latent + i * g->d) ? "data" : "latent points");
    return gp_refuse_constant(g->n, g->D, g->data);
}

mst_status mst_gp_learn(mst_manifold **out, const char *spec, size_t n, size_t d,
                        const double *latent, size_t D, const double *data,
                        const mst_gp_options *options)
{
    mst_gp_options o;
    *out = NULL;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_gp_options, options));
    gp_data g = {.n = n, .d = d, .D = D, .latent = latent, .data = data};
    gp_numbers numbers = {o.variance, o.length_scale, o.noise};
    size_t rows[2];
    MST_TRY(check_data(&g, &o));
    if (o.noise == 0 && gp_coincident(&g, rows))
        return mst_fail(MST_DOMAIN,
                        "latent points %zu and %zu coincide, which takes `noise` to explain",
                        rows[0] + 1, rows[1] + 1);
    MST_TRY(gp_fit(&g, o.centre, &numbers));
    return gp_new(out, spec, &g, &numbers, &o);
}
