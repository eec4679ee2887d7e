/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "spectral/harmonics.h"

#include <math.h>

size_t harmonics_count(size_t degree)
{
    return (degree + 1) * (degree + 1);
}

size_t harmonics_work(size_t degree)
{
    return 2 * (degree + 1);
}

/* Of the polynomial Q of degree l and order m, three derivatives from 0 on. */
typedef struct legendre {
    double q[3];
} legendre;

/* Q_l = a (z Q_{l−1} − b Q_{l−2}), and its derivatives. */
static legendre next_legendre(size_t l, size_t m, double z, const legendre *one,
                              const legendre *two)
{
    double L = (double)l, M = (double)m, K = L - 1;
    double a = sqrt((4 * L * L - 1) / (L * L - M * M)), b = sqrt((K * K - M * M) / (4 * K * K - 1));
    legendre out;
    for (size_t k = 0; k < 3; k++)
        out.q[k] = a * (z * one->q[k] + (k > 0 ? (double)k * one->q[k - 1] : 0) - b * two->q[k]);
    return out;
}

/* Re or Im of (x + iy)^m with its derivatives; powers of x + iy as (m + 1, 2). */
typedef struct plane_power {
    double value, x, y, xx, xy;
} plane_power;

static plane_power power_of(const double *powers, size_t m, bool imaginary)
{
    double rate = (double)m, twice = rate * (rate - 1), sign = imaginary ? 1 : -1;
    const double *one = m > 0 ? powers + 2 * (m - 1) : powers,
                 *two = m > 1 ? powers + 2 * (m - 2) : powers;
    return (plane_power){.value = powers[2 * m + imaginary],
                         .x = rate * one[imaginary],
                         .y = sign * rate * one[!imaginary],
                         .xx = twice * two[imaginary],
                         .xy = sign * twice * two[!imaginary]};
}

static void put(const legendre *l, const plane_power *p, bool second, size_t n, double *out)
{
    out[0] = l->q[0] * p->value;
    out[n] = l->q[0] * p->x;
    out[2 * n] = l->q[0] * p->y;
    out[3 * n] = l->q[1] * p->value;
    if (!second)
        return;
    out[4 * n] = l->q[0] * p->xx;
    out[5 * n] = -l->q[0] * p->xx; /* powers of x + iy are harmonic */
    out[6 * n] = l->q[2] * p->value;
    out[7 * n] = l->q[0] * p->xy;
    out[8 * n] = l->q[1] * p->x;
    out[9 * n] = l->q[1] * p->y;
}

void harmonics_at(size_t degree, const double *omega, bool second, double *work, double *out)
{
    size_t n = harmonics_count(degree);
    double lead = sqrt(1 / (4 * M_PI));
    work[0] = 1, work[1] = 0;
    for (size_t m = 1; m <= degree; m++) {
        const double *before = work + 2 * (m - 1);
        work[2 * m] = omega[0] * before[0] - omega[1] * before[1];
        work[2 * m + 1] = omega[0] * before[1] + omega[1] * before[0];
    }
    for (size_t m = 0; m <= degree; m++) {
        plane_power even = power_of(work, m, false), odd = power_of(work, m, true);
        legendre two = {{0, 0, 0}}, one = {{lead, 0, 0}};
        for (size_t l = m; l <= degree; l++) {
            if (l > m) {
                legendre now = next_legendre(l, m, omega[2], &one, &two);
                two = one;
                one = now;
            }
            double *to = out + l * l + (m > 0 ? 2 * m - 1 : 0);
            put(&one, &even, second, n, to);
            if (m > 0)
                put(&one, &odd, second, n, to + 1);
        }
        /* √2 once, from order 0 to all the others */
        lead *= sqrt((2 * (double)m + 3) / (2 * (double)m + 2)) * (m == 0 ? M_SQRT2 : 1);
    }
}
