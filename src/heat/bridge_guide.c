/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How paths are pulled. The best guide is τ∇log p_τ, τ being the time that is left; any other gives the same
 * means of larger scatter. What is known of it beyond Log costs little:
 *
 * - log p = −r²/2τ − ½ log Θ + … with the Jacobian Θ of Exp: for a constant curvature κ the pull is Log
 *   times 1 − ½τ(d − 1)κ q, q = (1 − θ cot θ)/θ², θ = √κ r. Near a conjugate point that is far below 0,
 *   and 1/(1 + …) goes to 0 there instead, as it should. In general it is I − τRic/6.
 * - At a cut locus where two geodesics meet (circles, tori, so3) the kernel is a sum over the ways, r and
 *   2i ∓ r long with the injectivity radius i. A step goes by one of them, drawn by what they carry, and its
 *   density is that of the mixture: on flat tori this is the very law of the bridge. */
#include "heat/bridge_parts.h"

#include <math.h>

/* (1 − θ cot θ)/θ² for κ > 0, (θ coth θ − 1)/θ² for κ < 0; 1/3 at 0. */
static double bend(double curvature, double square)
{
    double x = fabs(curvature) * square;
    if (x < 1e-3)
        return 1.0 / 3 + copysign(x, curvature) / 45;
    double theta = sqrt(x);
    if (curvature > 0)
        return theta < 3.141592653589793 ? (1 - theta / tan(theta)) / x : INFINITY;
    return (theta / tanh(theta) - 1) / x;
}

double bridge_pull(double ricci_bend, double tau)
{
    double change = 0.5 * tau * ricci_bend;
    return change > 0 ? 1 / (1 + change) : 1 - change;
}

static double round_pull(const mst_manifold *m, double r, double tau)
{
    double curvature = m->traits.curvature;
    return curvature == 0 || m->dim == 1
               ? 1
               : bridge_pull((double)(m->dim - 1) * curvature * bend(curvature, r * r), tau);
}

/* The other ways around: −(2i − r) and, where nothing is conjugate, 2i + r. */
static void add_ways(double r, double radius, double tau, bool both, bridge_ways *w)
{
    if (!(r > 1e-6 * radius))
        return;
    double back = fmax(2 * radius - r, r), round = 2 * radius + r;
    w->by[1] = -back / r;
    w->mass[1] = exp(-0.5 * (back * back - r * r) / tau);
    w->by[2] = round / r;
    w->mass[2] = both ? exp(-0.5 * (round * round - r * r) / tau) : 0;
    w->count = w->mass[1] < 1e-30 ? 1 : w->mass[2] < 1e-30 ? 2 : 3;
    double sum = 0;
    for (size_t k = 0; k < w->count; k++)
        sum += w->mass[k];
    for (size_t k = 0; k < w->count; k++)
        w->mass[k] /= sum;
}

bridge_ways bridge_round_ways(const mst_manifold *m, double r, double tau)
{
    bridge_ways w = {.count = 1, .by = {1}, .mass = {1}};
    double radius = mst_manifold_injectivity(m);
    bool flat = m->traits.curvature == 0 || m->dim == 1;
    if (m->traits.cut_is_wall && isfinite(radius))
        add_ways(r, radius, tau, flat, &w);
    for (size_t k = 0; !flat && k < w.count; k++)
        w.by[k] *= round_pull(m, fabs(w.by[k]) * r, tau);
    return w;
}

bridge_ways bridge_angle_ways(double angle, double tau)
{
    bridge_ways w = {.count = 1, .by = {1}, .mass = {1}};
    add_ways(fabs(angle), 3.141592653589793, tau, true, &w);
    return w;
}

/* b = c by g + √(h(1 − c)) z with `by` drawn by u; the ratio of the densities of the free step and the led
 * one is (1 − c)^(d/2) e^(−|b|²/2h) over Σ mass e^(−|b − c by g|²/2h(1 − c)). */
double bridge_lead(size_t d, const bridge_ways *w, double share, double h, double u,
                   const double *z, double *g)
{
    size_t way = 0;
    double spread = h * (1 - share), root = sqrt(spread), square = 0, noise = 0, sum = 0;
    for (double mass = w->mass[0]; way + 1 < w->count && u >= mass; mass += w->mass[way])
        way++;
    double along = 0, size = 0;
    for (size_t a = 0; a < d; a++) {
        double guide = g[a];
        g[a] = share * w->by[way] * guide + root * z[a];
        square += g[a] * g[a];
        noise += z[a] * z[a];
        along += z[a] * guide;
        size += guide * guide;
    }
    for (size_t k = 0; k < w->count; k++) {
        double other = share * (w->by[way] - w->by[k]);
        double off = noise + (2 * root * along * other + other * other * size) / spread;
        sum += w->mass[k] * exp(-0.5 * (off - noise));
    }
    return 0.5 * ((double)d * log1p(-share) + noise - square / h) - (w->count > 1 ? log(sum) : 0);
}

double bridge_unseen(const mst_manifold *m, double r, double t)
{
    double radius = mst_manifold_injectivity(m);
    return isinf(radius) ? 0 : isnan(radius) ? 1 : exp(-2 * radius * fmax(radius - r, 0) / t);
}

bool bridge_by_log(const mst_manifold *m, mst_bridge_guide guide)
{
    const mst_manifold_traits *t = &m->traits;
    bool closed = (t->closed & MST_CLOSED_LOG) != 0;
    bool understood = t->angles || !isnan(t->curvature) || isinf(mst_manifold_injectivity(m));
    return guide == MST_GUIDE_BEST ? closed && understood : guide == MST_GUIDE_LOG;
}
