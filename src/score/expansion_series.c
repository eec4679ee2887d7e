/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/expansion_series.h"

#include <math.h>
#include <string.h>

enum { N = EXPANSION_TERMS };

/* For functions f of r, as series in z = r²: r f' = 2 z f_z, |∇f|² = 4 z f_z², and
 *   Δf = 2 f_z + 4 z f_zz + 2(m − 1) C f_z,  C = r cot r = 1 − Σ 2ζ(2k) (z/π²)ᵏ,
 *   n b_n + r b_n' = ½Δb_(n−1) + ½ Σ_(i+j = n−1) <∇b_i, ∇b_j>. */
static void make_cotangent(double *c)
{
    const double square = 9.869604401089358; /* π² */
    double power = 1;
    c[0] = 1;
    for (int k = 1; k < N; k++) {
        double zeta = k == 1   ? square / 6
                      : k == 2 ? square * square / 90
                      : k == 3 ? square * square * square / 945
                               : 1;
        for (int j = 2; k > 3 && j < 200; j++)
            zeta += pow(j, -2 * k);
        power *= square;
        c[k] = -2 * zeta / power;
    }
}

static void slope_of(const double *f, double *out)
{
    for (int k = 0; k + 1 < N; k++)
        out[k] = (k + 1) * f[k + 1];
    out[N - 1] = 0;
}

/* out += scale·zᵖ·a·b */
static void add_product(double scale, int shift, const double *a, const double *b, double *out)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; i + j + shift < N; j++)
            out[i + j + shift] += scale * a[i] * b[j];
}

void expansion_series_make(size_t dim, expansion_series *s)
{
    double c[N], b[5][N] = {{0}}, slope[5][N], second[N], one[N] = {1};
    double m = (double)dim;
    make_cotangent(c);
    for (int k = 1; k < N; k++) /* b₀ = −(m − 1)/2 log(sin r/r), and r (log sin r/r)' = C − 1 */
        b[0][k] = -(m - 1) / 2 * c[k] / (2 * k);
    slope_of(b[0], slope[0]);
    for (int n = 1; n < 5; n++) {
        double right[N] = {0};
        slope_of(slope[n - 1], second);
        add_product(1, 0, one, slope[n - 1], right);
        add_product(2, 1, one, second, right);
        add_product(m - 1, 0, c, slope[n - 1], right);
        for (int i = 0; i < n; i++)
            add_product(2, 1, slope[i], slope[n - 1 - i], right);
        for (int k = 0; k < N; k++)
            b[n][k] = right[k] / (n + 2 * k);
        slope_of(b[n], slope[n]);
    }
    memcpy(s->third, b[3], sizeof s->third);
    memcpy(s->fourth, b[4], sizeof s->fourth);
}

static double value_at(const double *f, double z, double *slope)
{
    double value = 0;
    *slope = 0;
    /* Each derivative has lost one coefficient, and b₄ has seen eight. */
    for (int k = N - 9; k >= 0; k--) {
        *slope = *slope * z + value;
        value = value * z + f[k];
    }
    return value;
}

/* From 1 at `all` down to 0 at `none`. */
static double fade(double x, double all, double none, double *slope)
{
    double u = (none - x) / (none - all);
    *slope = u > 0 && u < 1 ? -6 * u * (1 - u) / (none - all) : 0;
    return u <= 0 ? 0 : u >= 1 ? 1 : u * u * (3 - 2 * u);
}

expansion_more expansion_series_at(const expansion_series *s, size_t dim, double z, double t)
{
    const double square = 9.869604401089358;
    double near_z, near_t, third_z, fourth_z, scale = (double)dim - 1;
    double near = fade(z, 0.5 * square, 0.7 * square, &near_z);
    double soon = fade(scale * t, 1.2, 2, &near_t);
    if (near == 0 || soon == 0)
        return (expansion_more){0};
    double third = value_at(s->third, z, &third_z), fourth = value_at(s->fourth, z, &fourth_z);
    double sum = t * t * t * (third + t * fourth);
    double sum_z = t * t * t * (third_z + t * fourth_z);
    double sum_t = t * t * (3 * third + 4 * t * fourth);
    return (expansion_more){
        .value = near * soon * sum,
        .by_z = soon * (near * sum_z + near_z * sum),
        .by_t = near * (soon * sum_t + scale * near_t * sum),
    };
}
