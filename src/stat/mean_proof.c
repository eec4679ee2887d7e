/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Let r_i be the distances of the rows to a local minimum μ of F(y) = Σ w ½d(x_i, y)²/Σw, R the injectivity
 * radius and K ≥ 0 a bound of the curvatures.
 *
 * Afsari (2011): if all r_i < ½ min(R, π/√K), μ is the only minimum.
 *
 * For a point y at distance D, |D − r_i| ≤ d(x_i, y) makes F(y) − F(μ) ≥ ½D² − D r̄: no y beyond 2r̄ is as
 * good as μ. On the geodesic from μ to y the slope of F begins with 0. Row i changes it by at least D h(r_i +
 * D), h(r) = √K r cot √K r, where r_i + D < R (Hessian comparison), and by at least −(2r_i + D) wherever cut
 * points lie, because the slope of ½d² is no more than d. If these bounds add up to something positive for
 * all D up to 2r̄, F only rises on the way, and μ is the only minimum. That allows for a few rows far away,
 * even at the cut locus, if the others are close.
 *
 * Spaces of shapes have no injectivity radius, and no bound of curvatures near configurations on a line.
 * Along the horizontal geodesic Y(s) from μ, |Y'| = 1, the distance from X is that of the sphere or of flat
 * space less max_R tr RᵀXᵀY, whose second derivative has the term Σ A²ᵢⱼ/(λᵢ + λⱼ), A = XᵀY' − Y'ᵀX for the X
 * that fits Y best, λ the eigenvalues of XᵀY. Y is horizontal, and so X may be replaced by X − Y; in R² and
 * R³ one pair of entries of A in its normal form is not 0, and ΣA² ≤ |X − Y|² =: ρ², on the sphere sin² ρ.
 * With σ the least λᵢ + λⱼ, where that is positive, ½ρ² has at least the second derivative 1 − ρ²/σ; on the
 * sphere ρ cot ρ − ρ sin ρ/σ. Below, ρ ≤ r_i + s, and σ is at least what it is at μ less the rate at which it
 * can fall, and at least α(α − ρ): 4σ ≥ |(X + Y)Q|² − ρ² for some plane Q, |YQ| ≥ α. */
#include "stat/mean_proof.h"

#include <math.h>
#include <string.h>

enum { BINS = 64, MOST_STEPS = 200, STAIRS = 64 };

/* Distances in bins, each at its upper edge. */
typedef struct distances {
    double share[BINS]; /* of the weight */
    double mean, largest;
} distances;

static double weight_of(const double *weights, size_t i)
{
    return weights != NULL ? weights[i] : 1;
}

static distances collect(size_t n, const double *r, const double *weights)
{
    distances out = {0};
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(weights, i);
        total += w;
        out.mean += w > 0 ? w * r[i] : 0;
        out.largest = w > 0 ? fmax(out.largest, r[i]) : out.largest;
    }
    out.mean /= total;
    double width = out.largest / BINS;
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(weights, i);
        size_t bin = w > 0 && width > 0 ? (size_t)(r[i] / width) : 0;
        out.share[bin < BINS ? bin : BINS - 1] += w / total;
    }
    return out;
}

/* √K r cot √K r. */
static double curved(double curvature, double r)
{
    double x = sqrt(curvature) * r;
    return x < 1e-4 ? 1 : x < M_PI ? x / tan(x) : -INFINITY;
}

/* Σ h(r_i + D), a lower bound of slope/D where no row meets its cut locus. */
static double least_curvature(const distances *rows, double curvature, double reach)
{
    double sum = 0;
    for (size_t k = 0; k < BINS; k++)
        if (rows->share[k] > 0)
            sum +=
                rows->share[k] * curved(curvature, rows->largest * (double)(k + 1) / BINS + reach);
    return sum;
}

/* A lower bound of the slope at all distances from D = `low` to `high`. */
static double least_slope(const distances *rows, double radius, double curvature, double low,
                          double high)
{
    double sum = 0;
    for (size_t k = 0; k < BINS; k++) {
        if (rows->share[k] == 0)
            continue;
        double r = rows->largest * (double)(k + 1) / BINS, worst = -(2 * r + high);
        double h = r + high < radius ? curved(curvature, r + high) : -INFINITY;
        sum += rows->share[k] * fmax(worst, h * (h > 0 ? low : high));
    }
    return sum;
}

static bool slope_is_positive(const distances *rows, double radius, double curvature)
{
    const double growth = 1.1;
    double end = 2 * rows->mean, high = fmin(end, radius - rows->largest) / 4;
    if (!(high > 0))
        return false;
    if (!(least_curvature(rows, curvature, high) > 0))
        return false;
    for (size_t k = 0; high < end; k++) {
        double low = high;
        high *= growth;
        if (k == MOST_STEPS || !(least_slope(rows, radius, curvature, low, high) > 0))
            return false;
    }
    return true;
}

bool frechet_mean_is_only(double radius, double curvature_above, size_t n, const double *r,
                          const double *weights)
{
    if (isnan(radius) || isnan(curvature_above))
        return false;
    double curvature = fmax(0, curvature_above);
    distances rows = collect(n, r, weights);
    /* Rounding of the distances is nothing to prove by. */
    if (rows.largest * (1 + 1e-9) < 0.5 * fmin(radius, M_PI / sqrt(curvature)))
        return true;
    return slope_is_positive(&rows, radius, curvature);
}

double shape_bend(bool unit, double r, double gap, double rate, double rank, double s)
{
    double rho = r + s, alpha = rank - s;
    double sigma = fmax(gap - rate * s, alpha > rho ? alpha * (alpha - rho) : 0);
    if (!(sigma > 0) || (unit && rho >= M_PI / 2))
        return -INFINITY;
    return unit ? curved(1, rho) - rho * sin(rho) / sigma : 1 - rho * rho / sigma;
}

bool shape_mean_is_only(bool unit, size_t n, const double *r, const double *gap, const double *rate,
                        double rank, const double *weights)
{
    double slope[STAIRS] = {0}, end = 2 * collect(n, r, weights).mean * (1 + 1e-9);
    double step = end / STAIRS;
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(weights, i), change = 0;
        for (size_t k = 0; w > 0 && k < STAIRS; k++) {
            /* On this stair the slope is between its values at both ends, or more where it is held: it is
             * never less than minus the distance, and was at most r at the mean. */
            double high = step * (double)(k + 1), before = change, least = -(2 * r[i] + high);
            change += step * shape_bend(unit, r[i], gap[i], rate[i], rank, high);
            slope[k] += w * (k == 0 ? change : fmax(fmin(before, change), least));
        }
    }
    for (size_t k = 0; end > 0 && k < STAIRS; k++)
        if (!(slope[k] > 0))
            return false;
    return true;
}

/* The density on the wall is estimated from a shell of this share of the radius. */
static const double shell = 0.16;

double frechet_curvature(double radius, double curvature_above, bool wall, size_t d, size_t n,
                         const double *r, const double *weights)
{
    double sum = 0, near = 0, total = 0, curvature = fmax(0, curvature_above);
    for (size_t i = 0; i < n; i++) {
        double w = weight_of(weights, i);
        if (!(w > 0))
            continue;
        total += w;
        sum += w * fmax(curved(curvature, r[i]), -2); /* a single row at the cut locus is not all */
        near += r[i] > (1 - shell) * radius ? w : 0;
    }
    double spread = d > 2 ? 2.0 / (double)d : 1; /* over the directions, though not evenly */
    return (sum - (wall ? near / shell * spread : 0)) / total;
}

bool diffusion_mean_is_only(const mst_manifold *m)
{
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold_traits *t = mst_manifold_traits_of(mst_manifold_factor(m, f));
        if (t->hadamard != MST_YES || isnan(t->curvature))
            return false;
    }
    return true;
}
