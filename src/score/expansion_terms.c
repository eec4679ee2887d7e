/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/expansion_search.h"

#include <math.h>
#include <string.h>

enum { SEVERAL = SEARCH_SEVERAL, WIDEST = 16 };

size_t search_ray_numbers(size_t d)
{
    return 4 * d + 2 * d * d;
}

void search_ray_place(search_ray *a, size_t d, double *numbers)
{
    a->log = numbers;
    a->slope = numbers + d;
    a->simpson_slope = numbers + 2 * d;
    a->ahead = numbers + 3 * d;
    a->bend = numbers + 4 * d;
    a->square_bend = a->bend + d * d;
    memset(numbers, 0, search_ray_numbers(d) * sizeof *numbers);
}

static double dot(size_t d, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ---- One ray ---- */

/* What a ray gives at time t. */
typedef struct ray_value {
    double log_p, dt;
    double score[WIDEST];
    double bend, first, apart; /* |∇b₀|, t|∇a₁| and t times the gradient of what Simpson misses */
    double rate;               /* |∇b₀|/r */
    double doubt;
} ray_value;

/* Θ = fᵏ: the part of the way to a conjugate point in the direction in which it is nearest, and how many
 * directions are like it, 1 … d − 1. */
static double nearest(size_t d, const search_ray *a, double *k)
{
    double most = (double)(d - 1), log_theta = -2 * a->b0;
    *k = a->least < 1 && log_theta < 0 ? fmin(fmax(log_theta / log(a->least), 1), most) : most;
    return exp(log_theta / *k);
}

/* b₀ and its derivatives, by t too. Next to a conjugate point, where f → 0, all geodesics that come within
 * g = t/r of it add up and p stays finite: below L = g/r (f² + L²)/2L takes the place of f. Adds the gradient
 * to the score. */
static double soften(size_t d, const search_ray *a, double t, double *score, double *dt)
{
    double many, f = nearest(d, a, &many), wide = t / (a->r * a->r), limit = fmin(wide, 0.5);
    *dt = 0;
    if (f >= limit) {
        for (size_t k = 0; k < d; k++)
            score[k] += a->slope[k];
        return a->b0;
    }
    double ratio = f / limit, soft = 0.5 * limit * (1 + ratio * ratio);
    double by_limit = 0.5 * many * (1 - ratio * ratio) / 2;
    /* ∇f = −2f ∇b₀/k; ∇L = 2L Log_y(x)/r². */
    for (size_t k = 0; k < d; k++) {
        double limit_slope = wide < 0.5 ? 2 * limit * a->log[k] / (a->r * a->r) : 0;
        score[k] += (ratio * f * a->slope[k] - by_limit * limit_slope) / soft;
    }
    if (wide < 0.5)
        *dt = -by_limit * limit / (t * soft);
    return -0.5 * many * log(soft);
}

/* What a₁ is beyond Simpson's rule: e with e + r ∂_r e = −ρ, which begins with r², so that it is −ρ/3 and
 * rises by −2ρ/3r along the geodesic; across, as much as b₀ does. It fades out on the way
 * to a conjugate point. */
typedef struct missing {
    double value, size;   /* and the norm of the gradient, before it fades */
    double slope[WIDEST]; /* the gradient */
} missing;

static missing what_simpson_misses(size_t d, const search_ray *a, double near)
{
    const double none = 0.25, all = 0.6;
    double r = fmax(a->r, near), square = dot(d, a->slope, a->slope);
    double q = 0.5 * (a->laplacian + square);
    double rho = a->simpson - dot(d, a->simpson_slope, a->log) - q;
    double many, f = nearest(d, a, &many), x = fmin(fmax((f - none) / (all - none), 0), 1);
    double fade = x * x * (3 - 2 * x), along = -dot(d, a->slope, a->log);
    missing e = {.value = -fade * rho / 3};
    bool as_b0 = fabs(along) > 0.3 * a->r * sqrt(square) && a->r > near;
    for (size_t k = 0; k < d; k++)
        e.slope[k] = -2 * rho / 3 * (as_b0 ? a->slope[k] / along : -a->log[k] / (r * r));
    e.size = fmax(sqrt(dot(d, e.slope, e.slope)), 2 * fabs(rho) / (3 * r) * fmin(1, a->r / near));
    for (size_t k = 0; k < d; k++)
        e.slope[k] *= fade;
    return e;
}

static ray_value value_of(size_t d, const search_ray *a, double t, double near)
{
    const double two_pi_log = 1.8378770664093454836, most = 0.1;
    ray_value v = {0};
    double soft_dt, b0 = soften(d, a, t, v.score, &soft_dt), first[WIDEST];
    missing e = what_simpson_misses(d, a, near);
    double z = t * e.value / most, share = 1 / (1 + z * z);
    double rate = (1 - z * z) * share * share; /* the derivative of z share(z) */
    v.log_p = -a->r * a->r / (2 * t) - 0.5 * (double)d * (two_pi_log + log(t)) + b0 +
              t * a->simpson + most * z * share;
    v.dt = (a->r * a->r / t - (double)d) / (2 * t) + soft_dt + a->simpson + rate * e.value;
    for (size_t k = 0; k < d; k++) {
        v.score[k] += a->log[k] / t + t * (a->simpson_slope[k] + rate * e.slope[k]);
        first[k] = a->simpson_slope[k] + e.slope[k];
    }
    v.bend = sqrt(dot(d, a->slope, a->slope));
    v.rate = v.bend / fmax(a->r, near);
    v.first = t * sqrt(dot(d, first, first));
    v.apart = t * e.size;
    /* Where x = y the next term is t²(12ΔScal − 2|Ric|² + 2|R|²)/1440. */
    v.doubt = 0.25 * t * t * (a->ricci * a->ricci / 720 + fabs(a->spread) / 120) +
              0.1 * t * fabs(e.value);
    return v;
}

/* What the geodesic that comes from behind the conjugate point may add to p, relative to this one, and to the
 * score: where that lies at R, it has about the length 2R − r, and comes as on a sphere. */
static double behind(size_t d, const search_ray *a, double t, double *slope)
{
    *slope = 0;
    double focal = a->conjugate > 0 ? a->r / a->conjugate : INFINITY, other = 2 * focal - a->r;
    if (!isfinite(focal) || !(other > 0))
        return 0;
    double power = 0.5 * (double)(d - 1) * fmax(log(other / fmax(a->r, t / other)), 0);
    double share = exp(fmin(power - (other - a->r) * (other + a->r) / (2 * t), 300));
    *slope = share * 2 * focal / t;
    return share;
}

/* Next to x the score is small, and what the next term adds to it, t²∇b₂, is not: half of the derivative of
 * what stands above for x = y, of which the derivatives of Scal tell the size. */
static double near_slope(const search_ray *a, double t, double radius)
{
    double size = fabs(a->spread) / radius + a->rise / (radius * radius);
    return t * t * size / 60 * exp(-a->r * a->r / t);
}

/* ---- Rows ---- */

/* −∇²½r²/t + ∇²b₀ of each ray, and what their weights do; s is the score. */
static void bend_row(size_t d, double t, const search_ray *rays, const ray_value *values,
                     const double *weight, const double *s, double *h)
{
    for (size_t e = 0; e < d * d; e++) {
        h[e] = -s[e / d] * s[e % d];
        for (size_t k = 0; k < SEVERAL; k++)
            if (rays[k].good)
                h[e] += weight[k] * (rays[k].bend[e] - rays[k].square_bend[e] / t +
                                     values[k].score[e / d] * values[k].score[e % d]);
    }
}

/* What rays that are no good would add to p, about. */
static double lost_share(const search_ray *rays, double t)
{
    double least = INFINITY, lost = 0;
    for (size_t k = 0; k < SEVERAL; k++)
        if (rays[k].good)
            least = fmin(least, rays[k].r);
    for (size_t k = 0; k < SEVERAL; k++)
        if (!rays[k].good && isfinite(rays[k].r))
            lost += exp(fmin((least - rays[k].r) * (least + rays[k].r) / (2 * t), 300));
    return lost;
}

mst_status search_sum_row(const mst_manifold *m, const expansion_block *b, size_t i,
                          const search_ray *rays, double radius)
{
    size_t d = m->dim;
    ray_value values[SEVERAL] = {0};
    double weight[SEVERAL] = {0}, s[WIDEST] = {0}, t = b->t[i], high = -INFINITY, total = 0;
    double turns = 0, wrong = 0, best = 0, rate = 0, first = 0, slope = 0;
    for (size_t k = 0; k < SEVERAL; k++)
        if (rays[k].good) {
            values[k] = value_of(d, &rays[k], t, 0.1 * radius);
            high = fmax(high, values[k].log_p);
        }
    if (!isfinite(high))
        return expansion_give_up(m, b, i);
    for (size_t k = 0; k < SEVERAL; k++)
        total += weight[k] = rays[k].good ? exp(values[k].log_p - high) : 0;
    b->dt[i] = 0;
    b->doubt[i] = lost_share(rays, t);
    for (size_t k = 0; k < SEVERAL; k++) {
        const ray_value *v = &values[k];
        double w = weight[k] /= total;
        for (size_t e = 0; e < d; e++)
            s[e] += w * v->score[e];
        b->dt[i] += w * v->dt;
        b->doubt[i] += w * v->doubt;
        turns += w * v->bend;
        wrong += w * v->apart;
        if (w > 0) {
            double off;
            b->doubt[i] += w * behind(d, &rays[k], t, &off);
            wrong += w * off;
            slope += w * near_slope(&rays[k], t, radius);
        }
        rate += w * v->rate;
        first += w * v->first;
        best = fmax(best, w);
    }
    b->log_p[i] = high + log(total);
    double size = sqrt(dot(d, s, s));
    double parameter = fmax(t * rate, turns / fmax(size, EXPANSION_LEAST_SCORE / sqrt(t)));
    b->error[i] = fmax(1.25 * wrong + parameter * first, slope) + (1 - best) * turns;
    if (b->hessian != NULL)
        bend_row(d, t, rays, values, weight, s, b->hessian + i * d * d);
    return mst_manifold_from_frame(m, 1, b->y + i * m->ambient, s, b->score + i * m->ambient);
}
