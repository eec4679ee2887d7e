/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The expansion where the curvature κ is constant, dimension m. With z = κr², C = √z cot √z and A = (C −
 * 1)/z, which are entire but for poles at the conjugate points,
 *   b₀ = −(m−1)/2 log(sin √z / √z),  b₀'/r = −(m−1)/2 κA,
 *   a₁ = κ((m−1)²/8 + e A),  e = (m−1)(m−3)/8,
 *   b₂ = κ²e (A_z + (m−2)/2 (A − A(0))/z),
 * from 2z A_z = −(3A + zA² + 1). The last term, t² b₂, is also the estimate of the error. Where κ > 0 two
 * more terms are added as series; they are smaller, and the estimate stays on the safe side. */
#include "heat/kernel_parts.h"
#include "score/expansion.h"
#include "score/expansion_series.h"

#include <math.h>

static const double pi = 3.141592653589793, two_pi_log = 1.8378770664093454836;

/* A and its first two derivatives; (A − A(0))/z and its derivative. */
typedef struct cotangent {
    double a, a1, a2, d, d1;
} cotangent;

/* 1 − √z cot √z = Σ c_k zᵏ, k = 1, 2, …; the radius of convergence is π². */
static const double series[] = {
    0.33333333333333331,    0.022222222222222223,   0.0021164021164021165,  0.00021164021164021165,
    2.1377799155576935e-05, 2.1644042808063972e-06, 2.1925947851873778e-07, 2.2214608789979678e-08,
    2.2507846516808994e-09, 2.2805151204592183e-10, 2.3106432599002624e-11, 2.3411706819824882e-12,
    2.3721017400233653e-13, 2.4034415333307705e-14, 2.4351954029183367e-15, 2.4673688045172075e-16,
    2.499967277122081e-17,  2.5329964357406349e-18, 2.5664619702826288e-19, 2.6003696460137274e-20,
    2.6347253044153801e-21, 2.6695348641573951e-22, 2.7048043221090312e-23, 2.7405397543699514e-24,
};
enum { TERMS = sizeof series / sizeof *series };

static cotangent near_zero(double z)
{
    cotangent c = {0};
    for (size_t k = TERMS; k-- > 0;) {
        double n = (double)k;
        c.a = c.a * z - series[k];
        if (k >= 1) {
            c.a1 = c.a1 * z - n * series[k];
            c.d = c.d * z - series[k];
        }
        if (k >= 2) {
            c.a2 = c.a2 * z - n * (n - 1) * series[k];
            c.d1 = c.d1 * z - (n - 1) * series[k];
        }
    }
    return c;
}

static cotangent cotangent_at(double z)
{
    if (fabs(z) < 1.5) /* the last term is below 1e-19 */
        return near_zero(z);
    double x = sqrt(fabs(z)), big = z > 0 ? x / tan(x) : x / tanh(x);
    cotangent c = {.a = (big - 1) / z};
    c.a1 = -(3 * c.a + z * c.a * c.a + 1) / (2 * z);
    c.a2 = -(5 * c.a1 + c.a * c.a + 2 * z * c.a * c.a1) / (2 * z);
    c.d = (c.a + 1.0 / 3) / z;
    c.d1 = (c.a1 - c.d) / z;
    return c;
}

/* log(sin √z / √z). */
static double log_sinc(double z)
{
    double x = sqrt(fabs(z));
    if (x < 1e-6)
        return -z / 6;
    if (z > 0)
        return log(sin(x) / x);
    return x < 1 ? log(sinh(x) / x) : x + log1p(-exp(-2 * x)) - log(2 * x);
}

/* What one geodesic gives; slopes by r are divided by r. */
typedef struct radial {
    double log_p, dt, slope, bend; /* bend: b₀'/r */
    double along, across;          /* second derivatives, without that of b₂ */
    double error, doubt;           /* t²|b₂'|/r, t²|b₂| */
} radial;

/* As far as b₀ and a₁ are followed. They run to infinity at the conjugate point, and p does not: all
 * geodesics that come within about t/r of it add up there, and nearer than that b₀ and a₁
 * stay what they are. */
static double followed(double curvature, double t)
{
    if (!(curvature > 0))
        return INFINITY;
    return pi / sqrt(curvature) * fmax(0.5, 1 - curvature * t / (pi * pi));
}

static radial radial_at(double curvature, size_t dim, const expansion_series *more, double r,
                        double t)
{
    double m = (double)dim, e = (m - 1) * (m - 3) / 8;
    double reach = followed(curvature, t), most = fmin(r, reach);
    double z = curvature * most * most, a0 = (m - 1) * (m - 1) / 8;
    cotangent c = cotangent_at(z);
    double a1 = curvature * (a0 + e * c.a);
    double b2 = curvature * curvature * e * (c.a1 + (m - 2) / 2 * c.d);
    double b2_z = curvature * curvature * e * (c.a2 + (m - 2) / 2 * c.d1);
    radial out = {.bend = -(m - 1) / 2 * curvature * c.a};
    out.log_p = -r * r / (2 * t) - m / 2 * (two_pi_log + log(t)) - (m - 1) / 2 * log_sinc(z) +
                t * (a1 + t * b2);
    out.dt = (r * r / t - m) / (2 * t) + a1 + 2 * t * b2;
    out.slope = -1 / t;
    if (r <= reach)
        out.slope += out.bend + 2 * curvature * t * (curvature * e * c.a1 + t * b2_z);
    if (more != NULL && r <= reach) {
        expansion_more add = expansion_series_at(more, dim, z, curvature * t);
        out.log_p += add.value;
        out.dt += curvature * add.by_t;
        out.slope += 2 * curvature * add.by_z;
    }
    out.along = out.slope;
    if (r <= reach)
        out.along += curvature * z * (4 * curvature * e * t * c.a2 - (m - 1) * c.a1);
    out.across = out.slope * (1 + z * c.a);
    out.error = t * t * fabs(2 * curvature * b2_z);
    out.doubt = t * t * fabs(b2);
    return out;
}

/* What a geodesic of length `other` that is left out may add to p, relative to it. Beyond a conjugate point
 * its amplitude is that of the first one, but for the lengths; at x itself geodesics from all sides meet
 * within about t/other. */
static double image_share(size_t dim, double r, double other, double t)
{
    if (isinf(other))
        return 0;
    double focus = other / fmax(r, t / other);
    double power = ((double)dim - 1) / 2 * fmax(log(focus), 0);
    return exp(fmin(power - (other - r) * (other + r) / (2 * t), 300));
}

/* log p, ∂ₜ, −(slope of log p)/r and the errors of one row, `radius` being the injectivity radius. */
static radial radial_row(const mst_manifold *m, double curvature, size_t dim,
                         const expansion_series *more, double radius, double r, double t)
{
    radial one = radial_at(curvature, dim, more, r, t), out = one;
    double opposite = 2 * radius - r, missing = opposite;
    out.error = one.error * r;
    /* Where the cut locus is a wall, the opposite geodesic comes to it without a conjugate point. */
    if (m->traits.cut_is_wall && r > 0 && sqrt(fabs(curvature)) * opposite < pi * (1 - 1e-6)) {
        radial two = radial_at(curvature, dim, more, opposite, t);
        double high = fmax(one.log_p, two.log_p);
        double p = exp(one.log_p - high), q = exp(two.log_p - high), w = q / (p + q);
        double turns = (1 - w) * fabs(one.bend) * r + w * fabs(two.bend) * opposite;
        out.log_p = high + log(p + q);
        out.dt = (1 - w) * one.dt + w * two.dt;
        out.slope = (1 - w) * one.slope - w * two.slope * opposite / r;
        double s1 = one.slope * r, s2 = -two.slope * opposite, s = out.slope * r;
        out.along = (1 - w) * (one.along + s1 * s1) + w * (two.along + s2 * s2) - s * s;
        out.across = (1 - w) * one.across + w * two.across;
        out.error = (1 - w) * out.error + w * two.error * opposite + w * turns;
        out.doubt = (1 - w) * one.doubt + w * two.doubt;
        missing = 2 * radius + r;
    }
    double share = image_share(dim, r, missing, t);
    out.error += share * (r + fmin(missing, 1e100)) / t;
    out.doubt += share;
    return out;
}

bool expansion_round_fits(const mst_manifold *m)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    return m->dim > 1 && !isnan(t->curvature) && t->curvature != 0 &&
           (t->closed & MST_CLOSED_LOG) != 0 && !isnan(mst_manifold_injectivity(m));
}

mst_status expansion_round_open(const mst_manifold *m, void **data)
{
    expansion_series *s;
    *data = NULL;
    if (!(mst_manifold_traits_of(m)->curvature > 0))
        return MST_OK;
    MST_TRY(mst_allocate(&s, 1));
    expansion_series_make(m->dim, s);
    *data = s;
    return MST_OK;
}

static mst_status round_rows(const mst_manifold *m, const expansion_series *more,
                             const expansion_block *b, double *c)
{
    size_t D = m->ambient, d = m->dim;
    double radius = mst_manifold_injectivity(m), r[EXPANSION_BLOCK];
    MST_TRY(mst_manifold_log(m, b->n, b->y, b->x, b->score, NULL));
    MST_TRY(mst_manifold_norm(m, b->n, b->y, b->score, r));
    if (c != NULL)
        MST_TRY(mst_manifold_to_frame(m, b->n, b->y, b->score, c));
    for (size_t i = 0; i < b->n; i++) {
        radial row = radial_row(m, m->traits.curvature, m->dim, more, radius, r[i], b->t[i]);
        b->log_p[i] = row.log_p;
        b->dt[i] = row.dt;
        b->error[i] = row.error;
        b->doubt[i] = row.doubt;
        for (size_t a = i * D; a < (i + 1) * D; a++)
            b->score[a] *= -row.slope;
        if (c != NULL)
            heat_radial_hessian(d, c + i * d, row.along, row.across, b->hessian + i * d * d);
    }
    return MST_OK;
}

mst_status expansion_round(const mst_manifold *m, const void *data, const expansion_block *b)
{
    double *c = NULL;
    if (b->hessian != NULL)
        MST_TRY(mst_allocate(&c, b->n * m->dim));
    mst_status status = round_rows(m, data, b, c);
    mst_release(c);
    return status;
}

/* ---- A line beside such a space ---- */

bool expansion_line_fits(const mst_manifold *m)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    return t->line != NULL && m->dim > 2 && (t->closed & MST_CLOSED_LOG) != 0 &&
           t->beside_line != 0;
}

/* Row i, c (d) being Log_y(x) in the frame, which becomes the score. */
static void line_row(const mst_manifold *m, const expansion_block *b, size_t i, double *c)
{
    size_t d = m->dim;
    const double *line = m->traits.line;
    double curvature = m->traits.beside_line, t = b->t[i], along = 0, square = 0;
    for (size_t k = 0; k < d; k++)
        along += c[k] * line[k];
    for (size_t k = 0; k < d; k++) {
        c[k] -= along * line[k];
        square += c[k] * c[k];
    }
    /* Simply connected. */
    double radius = curvature > 0 ? pi / sqrt(curvature) : INFINITY;
    radial row = radial_row(m, curvature, d - 1, NULL, radius, sqrt(square), t);
    b->log_p[i] = row.log_p - along * along / (2 * t) - 0.5 * (two_pi_log + log(t));
    b->dt[i] = row.dt + (along * along / t - 1) / (2 * t);
    b->error[i] = row.error;
    b->doubt[i] = row.doubt;
    if (b->hessian != NULL) {
        double *h = b->hessian + i * d * d;
        heat_radial_hessian(d, c, row.along, row.across, h);
        /* The line: take its direction out of the isotropic part and put −1/t in. */
        for (size_t k = 0; k < d * d; k++)
            h[k] += (-1 / t - row.across) * line[k / d] * line[k % d];
    }
    for (size_t k = 0; k < d; k++)
        c[k] = -row.slope * c[k] + along / t * line[k];
}

mst_status expansion_line(const mst_manifold *m, const void *data, const expansion_block *b)
{
    (void)data;
    double *c;
    MST_TRY(mst_allocate(&c, b->n * m->dim));
    mst_status status = mst_manifold_log(m, b->n, b->y, b->x, b->score, NULL);
    if (status == MST_OK)
        status = mst_manifold_to_frame(m, b->n, b->y, b->score, c);
    for (size_t i = 0; status == MST_OK && i < b->n; i++)
        line_row(m, b, i, c + i * m->dim);
    if (status == MST_OK)
        status = mst_manifold_from_frame(m, b->n, b->y, c, b->score);
    mst_release(c);
    return status;
}
