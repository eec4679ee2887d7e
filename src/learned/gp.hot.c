/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hot loops of Gaussian processes. Latent points stand such that near ones have near numbers: what a point
 * sees are a few runs of them, and the products with B go over blocks of it. */
#include "base/hot.h"
#include "base/vecmath.h"
#include "learned/gp_kernels.h"

/* What x sees, by columns of `stride`. */
typedef struct view {
    const gp_field *f;
    size_t count, runs;           /* points, filled up to GP_LANES; runs of them */
    const size_t *first, *length; /* (runs) */
    double *e, *k;                /* (d, stride), (stride) */
    double *in, *out;             /* (gp_columns, stride): factors and products with B */
    double *one, *two, *three;    /* (stride) */
} view;

/* The runs of latent points nearer than `reach`; gaps too short to be worth a new run are seen as well. */
static void find_runs(const gp_field *f, const double *square, size_t *first, size_t *length,
                      size_t *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (!(square[i] <= f->reach))
            continue;
        if (count > 0 && i - (first[count - 1] + length[count - 1]) < GP_LANES) {
            length[count - 1] = i + 1 - first[count - 1];
        } else {
            first[count] = i;
            length[count++] = 1;
        }
    }
    *runs = count;
}

static view look(const gp_field *f, const double *x, double *room, size_t *runs)
{
    size_t d = f->d, stride = f->stride, half = gp_runs(f) / 2;
    view w = {.f = f, .first = runs, .length = runs + half, .e = room};
    w.k = w.e + d * stride;
    w.in = w.k + stride;
    w.out = w.in + gp_columns(f) * stride;
    w.one = w.out + gp_columns(f) * stride;
    w.two = w.one + stride;
    w.three = w.two + stride;
    double *restrict square = w.one, *restrict k = w.k;
    for (size_t i = 0; i < f->n; i++)
        square[i] = 0;
    for (size_t a = 0; a < d; a++) {
        const double *restrict z = f->z + a * f->n;
        for (size_t i = 0; i < f->n; i++)
            square[i] += (x[a] - z[i]) * (x[a] - z[i]);
    }
    find_runs(f, square, runs, runs + half, &w.runs);
    for (size_t r = 0; r < w.runs; r++) {
        size_t begin = w.first[r];
        for (size_t i = 0; i < w.length[r]; i++)
            k[w.count + i] = square[begin + i];
        for (size_t a = 0; a < d; a++)
            for (size_t i = 0; i < w.length[r]; i++)
                w.e[a * stride + w.count + i] = (x[a] - f->z[a * f->n + begin + i]) * f->scale;
        w.count += w.length[r];
    }
    double half_scale = 0.5 * f->scale;
    MST_SIMD
    for (size_t i = 0; i < w.count; i++)
        k[i] = vm_exp(-half_scale * k[i]);
    for (; w.count % GP_LANES != 0; w.count++) {
        k[w.count] = 0;
        for (size_t a = 0; a < d; a++)
            w.e[a * stride + w.count] = 0;
    }
    return w;
}

static double sum(size_t n, const double *restrict a)
{
    double part[GP_LANES] = {0}, all = 0;
    for (size_t i = 0; i < n; i += GP_LANES)
        for (size_t l = 0; l < GP_LANES; l++)
            part[l] += a[i + l];
    for (size_t l = 0; l < GP_LANES; l++)
        all += part[l];
    return all;
}

static double dot(size_t n, const double *restrict a, const double *restrict b)
{
    double part[GP_LANES] = {0}, all = 0;
    for (size_t i = 0; i < n; i += GP_LANES)
        for (size_t l = 0; l < GP_LANES; l++)
            part[l] += a[i + l] * b[i + l];
    for (size_t l = 0; l < GP_LANES; l++)
        all += part[l];
    return all;
}

/* out += Σ of four rows of B, times a number each. */
static void add_rows(size_t n, const double *restrict b, size_t stride, const double *v,
                     double *restrict out)
{
    const double *restrict b1 = b + stride, *restrict b2 = b1 + stride, *restrict b3 = b2 + stride;
    double v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
    for (size_t i = 0; i < n; i++)
        out[i] += (b[i] * v0 + b1[i] * v1) + (b2[i] * v2 + b3[i] * v3);
}

static void add_row(size_t n, const double *restrict b, double v, double *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += b[i] * v;
}

/* The first m columns of `in` times B. */
static void multiply(const view *w, size_t m)
{
    size_t n = w->f->n, stride = w->f->stride;
    for (size_t q = 0; q < m; q++)
        for (size_t i = 0; i < w->count; i++)
            w->out[q * stride + i] = 0;
    for (size_t r = 0, row = 0; r < w->runs; row += w->length[r], r++)
        for (size_t i = 0; i < w->length[r];) {
            const double *b = w->f->b + (w->first[r] + i) * n;
            size_t rows = w->length[r] - i >= 4 ? 4 : 1;
            for (size_t s = 0, column = 0; s < w->runs; column += w->length[s], s++)
                for (size_t q = 0; q < m; q++) {
                    const double *v = w->in + q * stride + row + i;
                    double *out = w->out + q * stride + column;
                    if (rows == 4)
                        add_rows(w->length[s], b + w->first[s], n, v, out);
                    else
                        add_row(w->length[s], b + w->first[s], *v, out);
                }
            i += rows;
        }
}

/* Σ_a v_a e_a. */
static void along(const view *w, const double *v, double *restrict out)
{
    for (size_t i = 0; i < w->count; i++)
        out[i] = 0;
    for (size_t a = 0; a < w->f->d; a++) {
        const double *restrict e = w->e + a * w->f->stride;
        double part = v[a];
        for (size_t i = 0; i < w->count; i++)
            out[i] += part * e[i];
    }
}

static double inner(size_t d, const double *u, const double *v)
{
    double all = 0;
    for (size_t a = 0; a < d; a++)
        all += u[a] * v[a];
    return all;
}

static void lagrangian(const gp_field *f, const double *x, const double *v, double *l, double *l_x,
                       double *l_v, double *room, size_t *runs)
{
    view w = look(f, x, room, runs);
    size_t n = w.count;
    double *restrict ev = w.one, *restrict ku = w.two, *restrict kue = w.three;
    along(&w, v, ev);
    for (size_t i = 0; i < n; i++)
        w.in[i] = -ev[i] * w.k[i];
    multiply(&w, 1);
    *l = 0.5 * (f->far * inner(f->d, v, v) + dot(n, w.in, w.out));
    for (size_t i = 0; i < n; i++) {
        ku[i] = w.k[i] * w.out[i];
        kue[i] = ku[i] * ev[i];
    }
    double all = sum(n, ku);
    for (size_t a = 0; a < f->d; a++) {
        const double *e = w.e + a * f->stride;
        l_v[a] = f->far * v[a] - dot(n, e, ku);
        l_x[a] = dot(n, e, kue) - f->scale * v[a] * all;
    }
}

static void product(const gp_field *f, const double *x, const double *v, const double *dx,
                    const double *dv, double *dl_x, double *dl_v, double *room, size_t *runs)
{
    view w = look(f, x, room, runs);
    size_t n = w.count, stride = f->stride;
    double s = f->scale, vx = inner(f->d, v, dx);
    double *restrict ev = w.one, *restrict ex = w.two, *restrict ew = w.three;
    double *r = w.in, *dr = w.in + stride, *u = w.out, *du = w.out + stride;
    along(&w, v, ev);
    along(&w, dx, ex);
    along(&w, dv, ew);
    MST_SIMD
    for (size_t i = 0; i < n; i++) {
        r[i] = -ev[i] * w.k[i];
        dr[i] = (ev[i] * ex[i] - s * vx - ew[i]) * w.k[i];
    }
    multiply(&w, 2);
    double *both = r, *bend = dr; /* what multiplies e_a in dL_v and dL_x */
    MST_SIMD
    for (size_t i = 0; i < n; i++) {
        u[i] *= w.k[i];
        du[i] *= w.k[i];
        both[i] = ex[i] * u[i] - du[i];
        bend[i] = (s * vx + ew[i] - ev[i] * ex[i]) * u[i] + ev[i] * du[i];
    }
    double sum_u = sum(n, u), sum_du = sum(n, du), sum_ex = dot(n, ex, u), sum_ev = dot(n, ev, u);
    for (size_t a = 0; a < f->d; a++) {
        const double *e = w.e + a * stride;
        dl_v[a] = f->far * dv[a] + dot(n, e, both) - s * dx[a] * sum_u;
        dl_x[a] = dot(n, e, bend) + s * (v[a] * sum_ex + dx[a] * sum_ev - dv[a] * sum_u) -
                  s * v[a] * sum_du;
    }
}

static void blocks(const gp_field *f, const double *x, const double *v, double *l_vv, double *l_xv,
                   double *l_xx, double *room, size_t *runs)
{
    view w = look(f, x, room, runs);
    size_t n = w.count, d = f->d, stride = f->stride;
    double s = f->scale, *restrict ev = w.one, *restrict ku = w.two, *restrict part = w.three;
    along(&w, v, ev);
    for (size_t a = 0; a < d; a++) {
        const double *restrict e = w.e + a * stride;
        double *restrict r = w.in + a * stride, *restrict rv = w.in + (d + a) * stride;
        double shift = s * v[a];
        for (size_t i = 0; i < n; i++) {
            r[i] = -e[i] * w.k[i];
            rv[i] = (e[i] * ev[i] - shift) * w.k[i];
        }
    }
    multiply(&w, 2 * d);
    for (size_t i = 0; i < n; i++)
        ku[i] = 0;
    for (size_t a = 0; a < d; a++)
        add_row(n, w.out + a * stride, v[a], ku);
    for (size_t i = 0; i < n; i++)
        ku[i] *= w.k[i];
    double all = sum(n, ku), all_ev = dot(n, ev, ku);
    for (size_t a = 0; a < d; a++) {
        const double *restrict e = w.e + a * stride;
        for (size_t i = 0; i < n; i++)
            part[i] = e[i] * ku[i];
        double own = sum(n, part);
        for (size_t b = 0; b < d; b++) {
            const double *other = w.e + b * stride, *rb = w.in + b * stride,
                         *out = w.out + (d + a) * stride;
            l_vv[a * d + b] = dot(n, rb, w.out + a * stride) + (a == b ? f->far : 0);
            l_xv[a * d + b] = dot(n, other, part) - (a == b ? s * all : 0) + dot(n, rb, out);
            l_xx[a * d + b] = dot(n, w.in + (d + b) * stride, out) + s * v[b] * own;
        }
    }
    for (size_t a = 0; a < d; a++) {
        const double *restrict e = w.e + a * stride;
        for (size_t i = 0; i < n; i++)
            part[i] = e[i] * ku[i];
        double own = sum(n, part);
        for (size_t i = 0; i < n; i++)
            part[i] *= ev[i];
        for (size_t b = 0; b < d; b++)
            l_xx[b * d + a] +=
                s * v[b] * own - dot(n, w.e + b * stride, part) + (a == b ? s * all_ev : 0);
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < a; b++) {
            double mean = 0.5 * (l_xx[a * d + b] + l_xx[b * d + a]);
            l_xx[a * d + b] = l_xx[b * d + a] = mean;
        }
}

/* Where r_ab stands. */
static size_t pair_of(size_t d, size_t a, size_t b)
{
    return d + (a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a);
}

/* Σ r_acd u, from the column u times r. */
static double third(const view *w, size_t a, size_t c, size_t d, const double *restrict ku)
{
    size_t n = w->count, stride = w->f->stride;
    const double *restrict ea = w->e + a * stride, *restrict ec = w->e + c * stride,
                           *restrict ed = w->e + d * stride;
    double on_a = c == d ? w->f->scale : 0, on_c = a == d ? w->f->scale : 0,
           on_d = a == c ? w->f->scale : 0, part[GP_LANES] = {0}, all = 0;
    for (size_t i = 0; i < n; i += GP_LANES)
        for (size_t l = 0; l < GP_LANES; l++) {
            size_t k = i + l;
            part[l] += ku[k] * (on_a * ea[k] + on_c * ec[k] + on_d * ed[k] - ea[k] * ec[k] * ed[k]);
        }
    for (size_t l = 0; l < GP_LANES; l++)
        all += part[l];
    return all;
}

/* ∂_c ∂_d g_ab = r_acdᵀ u_b + r_acᵀ B r_bd + r_adᵀ B r_bc + r_bcdᵀ u_a, u = B r. */
static void second_derivatives(const view *w, double *out)
{
    size_t n = w->count, d = w->f->d, stride = w->f->stride;
    double turned[GP_DIRECTIONS][GP_DIRECTIONS][GP_DIRECTIONS][GP_DIRECTIONS];
    for (size_t b = 0; b < d; b++) {
        double *ku = w->one;
        for (size_t i = 0; i < n; i++)
            ku[i] = w->k[i] * w->out[b * stride + i];
        for (size_t a = 0; a < d; a++)
            for (size_t i = 0; i < d; i++)
                for (size_t j = 0; j <= i; j++)
                    turned[b][a][i][j] = turned[b][a][j][i] = third(w, a, i, j, ku);
    }
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++)
            for (size_t i = 0; i < d; i++)
                for (size_t j = 0; j <= i; j++) {
                    size_t ai = pair_of(d, a, i), bj = pair_of(d, b, j), aj = pair_of(d, a, j),
                           bi = pair_of(d, b, i);
                    double value = turned[b][a][i][j] + turned[a][b][i][j] +
                                   dot(n, w->in + ai * stride, w->out + bj * stride) +
                                   dot(n, w->in + aj * stride, w->out + bi * stride);
                    out[((i * d + j) * d + a) * d + b] = out[((i * d + j) * d + b) * d + a] =
                        out[((j * d + i) * d + a) * d + b] = out[((j * d + i) * d + b) * d + a] =
                            value;
                }
}

static void first_derivatives(const view *w, double *first)
{
    size_t n = w->count, d = w->f->d, stride = w->f->stride;
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++)
            for (size_t c = 0; c < d; c++)
                first[(c * d + a) * d + b] = first[(c * d + b) * d + a] =
                    dot(n, w->in + pair_of(d, a, c) * stride, w->out + b * stride) +
                    dot(n, w->in + pair_of(d, b, c) * stride, w->out + a * stride);
}

/* first and second may be null. */
static void derivatives(const gp_field *f, const double *x, double *g, double *first,
                        double *second, double *room, size_t *runs)
{
    view w = look(f, x, room, runs);
    size_t n = w.count, d = f->d, stride = f->stride;
    for (size_t a = 0; a < d; a++) {
        const double *restrict ea = w.e + a * stride;
        double *restrict r = w.in + a * stride;
        for (size_t i = 0; i < n; i++)
            r[i] = -ea[i] * w.k[i];
        for (size_t b = 0; first != NULL && b <= a; b++) {
            const double *restrict eb = w.e + b * stride;
            double *restrict rab = w.in + pair_of(d, a, b) * stride, shift = a == b ? f->scale : 0;
            for (size_t i = 0; i < n; i++)
                rab[i] = (ea[i] * eb[i] - shift) * w.k[i];
        }
    }
    multiply(&w, second != NULL ? d + d * (d + 1) / 2 : d);
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b <= a; b++)
            g[a * d + b] = g[b * d + a] =
                dot(n, w.in + a * stride, w.out + b * stride) + (a == b ? f->far : 0);
    if (first != NULL)
        first_derivatives(&w, first);
    if (second != NULL)
        second_derivatives(&w, second);
}

const struct gp_kernels HOT(gp_kernels) = {
    .lagrangian = lagrangian, .product = product, .blocks = blocks, .derivatives = derivatives};
