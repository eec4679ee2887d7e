/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths on spaces of constant curvature, MST_LANES at a time, all from the base point. A new step is put
 * before the others, as a rotation (boost) of all that comes after it; so after j steps z is the end of a
 * path of j steps, and the newest increment is its first. With ξ_j the newest, and f the
 * growth of the weights,
 *
 *     U_j = f U_{j−1} + ξ_j,   V_j = V_{j−1} + f ⟨ξ_j, U_{j−1}⟩ + ½(|ξ_j|² − m),
 *
 * and their normalisers are the sums G_j = Σ_{n<j} f^2n and S_j = Σ_{0<n<j} (j − n) f^(2n−1). */
#include "base/random_lanes.h"
#include "manifold/weighted_kernels.h"

typedef struct sums {
    lanes time, squares, pairs;
} sums;

/* ⟨ξ, ξ⟩, ⟨ξ, z'⟩ and ⟨ξ, U⟩. */
static void products(size_t m, const lanes *xi, const lanes *z, const lanes *u,
                     double *restrict square, double *restrict along, double *restrict weight)
{
    MST_SIMD
    for (int i = 0; i < MST_LANES; i++) {
        square[i] = xi[0][i] * xi[0][i];
        along[i] = xi[0][i] * z[0][i];
        weight[i] = xi[0][i] * u[0][i];
    }
    for (size_t a = 1; a < m; a++) {
        MST_SIMD
        for (int i = 0; i < MST_LANES; i++) {
            square[i] += xi[a][i] * xi[a][i];
            along[i] += xi[a][i] * z[a][i];
            weight[i] += xi[a][i] * u[a][i];
        }
    }
}

/* The turn in the plane of the base point and ξ: `shift` is what each ξ_a adds to z_a, `last` the component
 * of z along the base point. */
static void turn(bool sphere, const double *angle, const double *square, const double *along,
                 double *restrict last, double *restrict shift)
{
    if (sphere) {
        MST_SIMD
        for (int i = 0; i < MST_LANES; i++) {
            double length = sqrt(square[i] + 1e-300), inverse = 1 / length, s, c;
            vm_sincos(angle[i] * length, &s, &c);
            double part = along[i] * inverse, old = last[i];
            last[i] = c * old - s * part;
            shift[i] = (s * old + (c - 1) * part) * inverse;
        }
    } else {
        MST_SIMD
        for (int i = 0; i < MST_LANES; i++) {
            double length = sqrt(square[i] + 1e-300), inverse = 1 / length;
            double e = vm_exp(angle[i] * length), s = 0.5 * (e - 1 / e), c = 0.5 * (e + 1 / e);
            double part = along[i] * inverse, old = last[i];
            last[i] = c * old + s * part;
            shift[i] = (s * old + (c - 1) * part) * inverse;
        }
    }
}

static void record(const curved_block *b, size_t step, const lanes *z, const lanes *u,
                   const sums *total)
{
    const mst_weighted_paths *p = b->paths;
    size_t m = b->m, width = curved_width(m);
    for (size_t e = p->begin[step]; e < p->begin[step + 1]; e++) {
        size_t i = p->event[e].path;
        double *row = b->out + (p->event[e].slot * p->n + i) * width;
        for (size_t a = 0; a <= m; a++)
            row[a] = z[a][i];
        for (size_t a = 0; a < m; a++)
            row[m + 1 + a] = u[a][i];
        row[2 * m + 1 + CURVED_TIME_WEIGHT] = total->time[i];
        row[2 * m + 1 + CURVED_SQUARES] = total->squares[i];
        row[2 * m + 1 + CURVED_PAIRS] = total->pairs[i];
    }
}

static void run(const curved_block *b)
{
    size_t m = b->m;
    lanes *z = (lanes *)b->work, *u = z + m + 1, *xi = u + m;
    sums total;
    lanes square, along, weight, shift;
    const double *f = b->growth;
    for (int i = 0; i < MST_LANES; i++) {
        for (size_t a = 0; a < m; a++)
            z[a][i] = u[a][i] = 0;
        z[m][i] = 1;
        total.time[i] = total.squares[i] = total.pairs[i] = 0;
    }
    double half = 0.5 * (double)m;
    mst_noise noise = b->paths->noise;
    for (size_t k = 0; k < b->paths->steps; k++) {
        noise_step(noise.seed, noise.first_path, noise.first_step + k, m, xi);
        products(m, (const lanes *)xi, (const lanes *)z, (const lanes *)u, square, along, weight);
        turn(b->sphere, b->angle, square, along, z[m], shift);
        MST_SIMD
        for (int i = 0; i < MST_LANES; i++) {
            total.time[i] += f[i] * weight[i] + (0.5 * square[i] - half);
            total.pairs[i] += f[i] * total.squares[i];
            total.squares[i] = f[i] * f[i] * total.squares[i] + 1;
        }
        for (size_t a = 0; a < m; a++) {
            double *restrict za = z[a], *restrict ua = u[a];
            const double *xa = xi[a];
            MST_SIMD
            for (int i = 0; i < MST_LANES; i++) {
                za[i] += shift[i] * xa[i];
                ua[i] = f[i] * ua[i] + xa[i];
            }
        }
        record(b, k + 1, (const lanes *)z, (const lanes *)u, &total);
    }
}

const struct curved_path_kernels HOT(curved_path_kernels) = {.run = run};
