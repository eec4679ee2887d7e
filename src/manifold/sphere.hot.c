/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Hot loops of the sphere: MST_LANES points at a time, component by component. */
#include "base/random_lanes.h"
#include "manifold/sphere_kernels.h"

static void dot(size_t D, const lanes *x, const lanes *y, double *restrict out)
{
    for (int i = 0; i < MST_LANES; i++)
        out[i] = 0;
    for (size_t a = 0; a < D; a++)
        for (int i = 0; i < MST_LANES; i++)
            out[i] += x[a][i] * y[a][i];
}

/* x ← cos r x + (sin r / r) v with r = length, renormalised: the square of the norm is 1 + O(1e-16), so one
 * Newton step of the inverse root is exact to rounding. */
static void move(size_t D, lanes *restrict x, const lanes *restrict v,
                 const double *restrict length)
{
    lanes sinc, cosine, square;
    MST_SIMD
    for (int i = 0; i < MST_LANES; i++) {
        double s, c, r = length[i];
        vm_sincos(r, &s, &c);
        sinc[i] = r > 1e-9 ? s / r : 1;
        cosine[i] = c;
        square[i] = 0;
    }
    for (size_t a = 0; a < D; a++)
        for (int i = 0; i < MST_LANES; i++) {
            x[a][i] = cosine[i] * x[a][i] + sinc[i] * v[a][i];
            square[i] += x[a][i] * x[a][i];
        }
    for (size_t a = 0; a < D; a++)
        for (int i = 0; i < MST_LANES; i++)
            x[a][i] *= 1.5 - 0.5 * square[i];
}

/* A vector that winds around many times, or whose square overflows: replace it by the short one with the same
 * end point. */
static void shorten(size_t D, lanes *v, double *length, int lane)
{
    double largest = 0, sum = 0;
    for (size_t a = 0; a < D; a++)
        largest = fmax(largest, fabs(v[a][lane]));
    for (size_t a = 0; a < D; a++)
        sum += v[a][lane] / largest * (v[a][lane] / largest);
    double r = largest * sqrt(sum), rest = atan2(sin(r), cos(r));
    for (size_t a = 0; a < D; a++)
        v[a][lane] = v[a][lane] / r * rest;
    length[lane] = fabs(rest);
}

static void exp_rows(size_t n, size_t D, const double *x, const double *v, double *y, double *work)
{
    lanes *p = (lanes *)work, *w = p + D, length;
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        lanes_repeat_rows(D, count, x + i * D, p);
        lanes_repeat_rows(D, count, v + i * D, w);
        dot(D, w, w, length);
        double longest = 0;
        for (int k = 0; k < MST_LANES; k++) {
            length[k] = sqrt(length[k]);
            longest = vm_max(longest, length[k]);
        }
        for (int k = 0; longest > VM_SINCOS_LIMIT && k < MST_LANES; k++)
            if (length[k] > VM_SINCOS_LIMIT)
                shorten(D, w, length, k);
        move(D, p, w, length);
        lanes_store_rows(D, count, p, y + i * D);
    }
}

/* The part w of y normal to x, its length sin r, and cos r, of `count` rows. Taking w from y − x (or y + x,
 * beyond a right angle) instead of y keeps all digits of short (or nearly antipodal)
 * vectors. p is left with x. */
static void normal_part(size_t count, size_t D, const double *x, const double *y, lanes *p,
                        lanes *w, double *restrict sine, double *restrict cosine)
{
    lanes along;
    lanes_repeat_rows(D, count, x, p);
    lanes_repeat_rows(D, count, y, w);
    dot(D, p, w, cosine);
    for (size_t a = 0; a < D; a++)
        for (int k = 0; k < MST_LANES; k++)
            w[a][k] += cosine[k] < 0 ? p[a][k] : -p[a][k];
    dot(D, p, w, along);
    for (int k = 0; k < MST_LANES; k++)
        sine[k] = 0;
    for (size_t a = 0; a < D; a++)
        for (int k = 0; k < MST_LANES; k++) {
            w[a][k] -= along[k] * p[a][k];
            sine[k] += w[a][k] * w[a][k];
        }
    for (int k = 0; k < MST_LANES; k++)
        sine[k] = sqrt(sine[k]);
}

/* Log_x(y) = (r / sin r) w. */
static void log_rows(size_t n, size_t D, const double *x, const double *y, double *v, double *sine,
                     double *cosine, double *work)
{
    lanes *p = (lanes *)work, *w = p + D, s, c, scale;
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        normal_part(count, D, x + i * D, y + i * D, p, w, s, c);
        MST_SIMD
        for (int k = 0; k < MST_LANES; k++)
            scale[k] = s[k] > SPHERE_LOST ? vm_angle(s[k], c[k]) / s[k] : 1;
        for (size_t a = 0; a < D; a++)
            for (int k = 0; k < MST_LANES; k++)
                w[a][k] *= scale[k];
        lanes_store_rows(D, count, w, v + i * D);
        for (size_t k = 0; k < count; k++) {
            sine[i + k] = s[k];
            cosine[i + k] = c[k];
        }
    }
}

static void polar_rows(size_t n, size_t D, const double *x, const double *y, double *toward,
                       double *r, double *rest, double *work)
{
    lanes *p = (lanes *)work, *w = p + D, s, c;
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        normal_part(count, D, x + i * D, y + i * D, p, w, s, c);
        lanes_store_rows(D, count, w, toward + i * D);
        MST_SIMD
        for (int k = 0; k < MST_LANES; k++) {
            double angle = vm_angle(s[k], c[k]);
            c[k] = vm_angle(s[k], -c[k]);
            s[k] = angle;
        }
        for (size_t k = 0; k < count; k++) {
            r[i + k] = s[k];
            rest[i + k] = c[k];
        }
    }
}

/* r = 2 atan(|x − y| / |x + y|): no digits lost near 0 or π. */
static void dist_rows(size_t n, size_t D, const double *x, const double *y, double *r)
{
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        lanes minus = {0}, plus = {0};
        for (size_t a = 0; a < D; a++)
            for (size_t k = 0; k < MST_LANES; k++) {
                size_t at = (i + (k < count ? k : count - 1)) * D + a;
                double difference = x[at] - y[at], sum = x[at] + y[at];
                minus[k] += difference * difference;
                plus[k] += sum * sum;
            }
        MST_SIMD
        for (int k = 0; k < MST_LANES; k++)
            minus[k] = 2 * vm_angle(sqrt(minus[k]), sqrt(plus[k]));
        for (size_t k = 0; k < count; k++)
            r[i + k] = minus[k];
    }
}

/* Frame coordinates z to the tangent vector at x, both in lanes: the reflection of sphere.c. z has one spare
 * column. */
static void tangent_from_frame(size_t D, const lanes *restrict x, lanes *restrict z)
{
    lanes product, sign;
    dot(D - 1, x, z, product);
    MST_SIMD
    for (int i = 0; i < MST_LANES; i++) {
        double last = x[D - 1][i];
        product[i] /= 1 + vm_abs(last);
        sign[i] = last < 0 ? -1 : 1;
    }
    for (size_t a = 0; a + 1 < D; a++)
        for (int i = 0; i < MST_LANES; i++)
            z[a][i] -= x[a][i] * product[i];
    for (int i = 0; i < MST_LANES; i++)
        z[D - 1][i] = -(x[D - 1][i] + sign[i]) * product[i];
}

static void walk_rows(size_t n, size_t D, double *x, double factor, size_t steps, mst_noise noise,
                      double *work)
{
    lanes *p = (lanes *)work, *z = p + D, length;
    for (size_t i = 0; i < n; i += MST_LANES) {
        size_t count = n - i < MST_LANES ? n - i : MST_LANES;
        lanes_repeat_rows(D, count, x + i * D, p);
        for (size_t k = 0; k < steps; k++) {
            noise_step(noise.seed, noise.first_path + i, noise.first_step + k, D - 1, z);
            for (size_t a = 0; a + 1 < D; a++)
                for (int l = 0; l < MST_LANES; l++)
                    z[a][l] *= factor;
            dot(D - 1, z, z, length);
            for (int l = 0; l < MST_LANES; l++)
                length[l] = sqrt(length[l]);
            tangent_from_frame(D, p, z);
            move(D, p, z, length);
        }
        lanes_store_rows(D, count, p, x + i * D);
    }
}

const struct sphere_kernels HOT(sphere_kernels) = {
    .exp = exp_rows,
    .log = log_rows,
    .polar = polar_rows,
    .dist = dist_rows,
    .walk = walk_rows,
};
