/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The metric of a decoder. Derivatives in directions of the latent space go forward through the layers beside
 * the values, as channels: all first ones h_a, the second ones h_ab, and the third ones along a vector v,
 * h_vab. With them L = ½|f_v|² has L_v = f_a·f_v, L_x = f_va·f_v and
 *
 *     L_vv = f_a·f_b,   L_xv = f_ab·f_v + f_va·f_b,   L_xx = f_vab·f_v + f_va·f_vb. */
#include "learned/decoder.h"
#include "learned/decoder_kernels.h"
#include "manifold/metric.h"

#include <math.h>
#include <string.h>

const char *const bend_names[] = {"linear", "tanh", "silu", "softplus", "half-exp", NULL};

static double logistic(double x)
{
    return x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

void bend_values(bend b, double x, double out[4])
{
    double s = logistic(x), s1 = s * (1 - s), s2 = s1 * (1 - 2 * s),
           s3 = s2 * (1 - 2 * s) - 2 * s1 * s1, t = tanh(x), u = 1 - t * t, e = exp(0.5 * x);
    const double values[][4] = {
        [BEND_LINEAR] = {x, 1, 0, 0},
        [BEND_TANH] = {t, u, -2 * t * u, u * (6 * t * t - 2)},
        [BEND_SILU] = {x * s, s + x * s1, 2 * s1 + x * s2, 3 * s2 + x * s3},
        [BEND_SOFTPLUS] = {fmax(x, 0) + log1p(exp(-fabs(x))), s, s1, s2},
        [BEND_HALF_EXP] = {e, 0.5 * e, 0.25 * e, 0.125 * e},
    };
    memcpy(out, values[b], sizeof values[b]);
}

/* ---- Channels ---- */

/* 0: the value; then d first derivatives; with `second` d(d + 1)/2 of h_ab, and as many of h_vab; without, d
 * of h_va. */
typedef struct jet {
    size_t d, channels, stride;
    bool second;
    const double *v;
    double *now, *next; /* (channels, stride) */
    double *products;   /* (2d, stride) */
    double *block;
} jet;

static size_t pair_of(size_t a, size_t b)
{
    return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

static double *first_of(const jet *j, double *of, size_t a)
{
    return of + (1 + a) * j->stride;
}

static double *second_of(const jet *j, double *of, size_t k)
{
    return of + (1 + j->d + k) * j->stride;
}

static double *third_of(const jet *j, double *of, size_t k)
{
    return of + (1 + j->d + j->d * (j->d + 1) / 2 + k) * j->stride;
}

static mst_status jet_new(jet *j, const decoder *m, bool second)
{
    size_t d = m->base.d, pairs = d * (d + 1) / 2,
           widest = m->mean.widest > m->sd.widest ? m->mean.widest : m->sd.widest;
    *j = (jet){.d = d, .second = second, .channels = 1 + d + (second ? 2 * pairs : d)};
    j->stride = widest;
    MST_TRY(mst_allocate(&j->block, (2 * j->channels + 2 * d) * widest));
    j->now = j->block;
    j->next = j->now + j->channels * widest;
    j->products = j->next + j->channels * widest;
    return MST_OK;
}

static void begin(jet *j, const double *x)
{
    for (size_t c = 0; c < j->channels; c++)
        for (size_t k = 0; k < j->d; k++)
            j->now[c * j->stride + k] = c == 0 ? x[k] : c == k + 1 ? 1 : 0;
}

/* One unit through a function, by the chain rule; channels are `stride` apart. */
static void bend_unit(const jet *j, bend b, double *z)
{
    size_t d = j->d, s = j->stride;
    double f[4], along = 0, by[DECODER_DIM] = {0};
    bend_values(b, z[0], f);
    for (size_t a = 0; a < d; a++)
        along += j->v[a] * z[(1 + a) * s];
    if (!j->second) {
        for (size_t a = 0; a < d; a++) {
            double *mixed = z + (1 + d + a) * s;
            *mixed = f[2] * along * z[(1 + a) * s] + f[1] * *mixed;
        }
    } else {
        for (size_t a = 0; a < d; a++)
            for (size_t c = 0; c < d; c++)
                by[a] += j->v[c] * z[(1 + d + pair_of(a, c)) * s];
        size_t pairs = d * (d + 1) / 2;
        for (size_t a = 0; a < d; a++)
            for (size_t c = 0; c <= a; c++) {
                double *two = z + (1 + d + pair_of(a, c)) * s, *three = two + pairs * s,
                       za = z[(1 + a) * s], zc = z[(1 + c) * s];
                *three = f[3] * along * za * zc + f[2] * (by[a] * zc + by[c] * za + along * *two) +
                         f[1] * *three;
                *two = f[2] * za * zc + f[1] * *two;
            }
    }
    for (size_t a = 0; a < d; a++)
        z[(1 + a) * s] *= f[1];
    z[0] = f[0];
}

/* Up to the inputs of a linear last layer, or to the outputs. How many units there are. */
static size_t forward(jet *j, const perceptron *p, bend hidden, const double *x)
{
    const struct decoder_kernels *kernels = MST_PICK(decoder_kernels);
    size_t layers = p->gram != NULL ? p->layers - 1 : p->layers, width = j->d;
    begin(j, x);
    for (size_t k = 0; k < layers; k++) {
        const dense_layer *l = &p->layer[k];
        kernels->multiply(l->rows, l->columns, l->weight, l->bias, j->channels, j->stride, j->now,
                          j->next);
        for (size_t i = 0; i < l->rows; i++)
            bend_unit(j, k + 1 < p->layers ? hidden : p->output, j->next + i);
        double *other = j->now;
        j->now = j->next;
        j->next = other;
        width = l->rows;
    }
    return width;
}

/* h_va of channels with second derivatives, into products (d + a). */
static void contract(const jet *j, size_t n)
{
    for (size_t a = 0; a < j->d; a++) {
        double *to = j->products + (j->d + a) * j->stride;
        memset(to, 0, n * sizeof *to);
        for (size_t c = 0; c < j->d; c++) {
            const double *two = second_of(j, j->now, pair_of(a, c));
            for (size_t i = 0; i < n; i++)
                to[i] += j->v[c] * two[i];
        }
    }
}

/* WᵀW times `count` vectors, or the vectors themselves. */
static const double *raise_rows(const perceptron *p, const jet *j, size_t n, size_t count,
                                const double *from, double *to)
{
    if (p->gram == NULL)
        return from;
    MST_PICK(decoder_kernels)->multiply(n, n, p->gram, NULL, count, j->stride, from, to);
    return to;
}

/* ---- The Lagrangian ---- */

static void add_lagrangian(jet *j, const perceptron *p, bend hidden, const double *x,
                           const double *v, double *l, double *l_x, double *l_v)
{
    if (p->layers == 0)
        return;
    j->v = v;
    size_t n = forward(j, p, hidden, x), d = j->d;
    double *along = j->products;
    memset(along, 0, n * sizeof *along);
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++)
            along[i] += v[a] * first_of(j, j->now, a)[i];
    const double *raised = raise_rows(p, j, n, 1, along, j->next);
    *l += 0.5 * learned_dot(n, along, raised);
    for (size_t a = 0; a < d; a++) {
        l_v[a] += learned_dot(n, first_of(j, j->now, a), raised);
        l_x[a] += learned_dot(n, second_of(j, j->now, a), raised);
    }
}

static mst_status lagrangian(const mst_manifold *m, size_t n, const double *x, const double *v,
                             double *l, double *l_x, double *l_v)
{
    const decoder *own = mst_manifold_data(m);
    size_t d = own->base.d;
    jet j;
    memset(l, 0, n * sizeof *l);
    memset(l_x, 0, n * d * sizeof *l_x);
    memset(l_v, 0, n * d * sizeof *l_v);
    MST_TRY(jet_new(&j, own, false));
    for (size_t i = 0; i < n; i++) {
        add_lagrangian(&j, &own->mean, own->hidden, x + i * d, v + i * d, l + i, l_x + i * d,
                       l_v + i * d);
        add_lagrangian(&j, &own->sd, own->hidden, x + i * d, v + i * d, l + i, l_x + i * d,
                       l_v + i * d);
    }
    mst_release(j.block);
    return MST_OK;
}

static void add_blocks(jet *j, const perceptron *p, bend hidden, const double *x, const double *v,
                       double *l_vv, double *l_xv, double *l_xx)
{
    if (p->layers == 0)
        return;
    j->v = v;
    size_t n = forward(j, p, hidden, x), d = j->d, stride = j->stride;
    for (size_t a = 0; a < d; a++)
        memcpy(j->products + a * stride, first_of(j, j->now, a), n * sizeof *j->products);
    contract(j, n);
    const double *own = j->products, *raised = raise_rows(p, j, n, 2 * d, own, j->next);
    double *along = j->now; /* the value is not needed any more: G f_v */
    memset(along, 0, n * sizeof *along);
    for (size_t a = 0; a < d; a++)
        for (size_t i = 0; i < n; i++)
            along[i] += v[a] * raised[a * stride + i];
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            const double *va = raised + (d + a) * stride;
            l_vv[a * d + b] += learned_dot(n, own + b * stride, raised + a * stride);
            l_xv[a * d + b] += learned_dot(n, second_of(j, j->now, pair_of(a, b)), along) +
                               learned_dot(n, own + b * stride, va);
            l_xx[a * d + b] += learned_dot(n, third_of(j, j->now, pair_of(a, b)), along) +
                               learned_dot(n, own + (d + b) * stride, va);
        }
}

static mst_status lagrangian_blocks(const mst_manifold *m, size_t n, const double *x,
                                    const double *v, double *l_vv, double *l_xv, double *l_xx)
{
    const decoder *own = mst_manifold_data(m);
    size_t d = own->base.d, square = d * d;
    jet j;
    memset(l_vv, 0, n * square * sizeof *l_vv);
    memset(l_xv, 0, n * square * sizeof *l_xv);
    memset(l_xx, 0, n * square * sizeof *l_xx);
    MST_TRY(jet_new(&j, own, true));
    for (size_t i = 0; i < n; i++) {
        add_blocks(&j, &own->mean, own->hidden, x + i * d, v + i * d, l_vv + i * square,
                   l_xv + i * square, l_xx + i * square);
        add_blocks(&j, &own->sd, own->hidden, x + i * d, v + i * d, l_vv + i * square,
                   l_xv + i * square, l_xx + i * square);
    }
    mst_release(j.block);
    return MST_OK;
}

static mst_status lagrangian_hvp(const mst_manifold *m, size_t n, const double *x, const double *v,
                                 const double *dx, const double *dv, double *dl_x, double *dl_v)
{
    size_t d = m->dim, square = d * d;
    double *room;
    MST_TRY(mst_allocate(&room, 3 * n * square));
    double *l_vv = room, *l_xv = l_vv + n * square, *l_xx = l_xv + n * square;
    mst_status status = lagrangian_blocks(m, n, x, v, l_vv, l_xv, l_xx);
    for (size_t i = 0; status == MST_OK && i < n; i++)
        for (size_t a = 0; a < d; a++) {
            double along_x = 0, along_v = 0;
            for (size_t b = 0; b < d; b++) {
                size_t at = i * square + a * d + b, turned = i * square + b * d + a;
                along_x += l_xx[at] * dx[i * d + b] + l_xv[at] * dv[i * d + b];
                along_v += l_xv[turned] * dx[i * d + b] + l_vv[at] * dv[i * d + b];
            }
            dl_x[i * d + a] = along_x;
            dl_v[i * d + a] = along_v;
        }
    mst_release(room);
    return status;
}

const mst_metric_ops decoder_metric = {
    .size = sizeof(mst_metric_ops),
    .name = "decoder",
    .start = learned_start,
    .lagrangian = lagrangian,
    .lagrangian_hvp = lagrangian_hvp,
    .lagrangian_blocks = lagrangian_blocks,
    .traits = learned_traits,
    .free_data = learned_free,
    .derivatives = metric_derivatives_by_blocks,
};

/* ---- Values ---- */

mst_status perceptron_value(const perceptron *p, bend hidden, const double *x, double *y)
{
    const struct decoder_kernels *kernels = MST_PICK(decoder_kernels);
    double *now, *next, f[4];
    MST_TRY(mst_allocate(&now, 2 * p->widest));
    double *block = now;
    next = now + p->widest;
    memcpy(now, x, p->layer[0].columns * sizeof *x);
    for (size_t k = 0; k < p->layers; k++) {
        const dense_layer *l = &p->layer[k];
        kernels->multiply(l->rows, l->columns, l->weight, l->bias, 1, p->widest, now, next);
        for (size_t i = 0; i < l->rows; i++) {
            bend_values(k + 1 < p->layers ? hidden : p->output, next[i], f);
            next[i] = f[0];
        }
        double *other = now;
        now = next;
        next = other;
    }
    memcpy(y, now, p->layer[p->layers - 1].rows * sizeof *y);
    mst_release(block);
    return MST_OK;
}
