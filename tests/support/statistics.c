/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/statistics.h"
#include "support/support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Welford's update: no cancellation for large means. */
void moments_add(moments *s, double x)
{
    s->n += 1;
    double delta = x - s->mean;
    s->mean += delta / s->n;
    s->m2 += delta * (x - s->mean);
}

double moments_variance(const moments *s)
{
    return s->m2 / (s->n - 1);
}

double moments_error(const moments *s)
{
    return sqrt(moments_variance(s) / s->n);
}

void assert_mean(const moments *s, double want, double bias, const char *format, ...)
{
    char name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    double error = moments_error(s);
    ck_assert_msg(isfinite(s->mean) && isfinite(error), "%s: not finite", name);
    assert_near(s->mean, want, Z_LIMIT * error + bias, "%s (standard error %.3g, z %.1f)", name,
                error, (s->mean - want) / error);
}

void covariance_add(covariance *c, const double *x)
{
    for (size_t a = 0; a < c->width; a++) {
        moments_add(&c->mean[a], x[a]);
        for (size_t b = 0; b <= a; b++)
            moments_add(&c->product[a][b], x[a] * x[b]);
    }
}

void assert_isotropic(const covariance *c, double variance, const char *what)
{
    for (size_t a = 0; a < c->width; a++) {
        assert_mean(&c->mean[a], 0, 0, "%s: coordinate %zu", what, a);
        for (size_t b = 0; b <= a; b++)
            assert_mean(&c->product[a][b], a == b ? variance : 0, 0, "%s: covariance %zu, %zu",
                        what, a, b);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void assert_distribution(size_t n, double *x, double (*cdf)(double), const char *what)
{
    qsort(x, n, sizeof *x, ascending);
    double most = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) {
        double p = cdf(x[i]);
        most = fmax(most, fmax((double)(i + 1) / count - p, p - (double)i / count));
    }
    /* Kolmogorov: P(√n D > z) ≈ 2 exp(−2z²), which is 1e-7 at z = 2.9. */
    ck_assert_msg(most * sqrt(count) < 2.9, "%s: Kolmogorov distance %.3g with %zu numbers", what,
                  most, n);
}

double normal_cdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}

double uniform_cdf(double x)
{
    return x;
}

void assert_equally_likely(size_t k, const size_t *counts, const char *what)
{
    double total = 0, square = 0, freedom = (double)k - 1;
    for (size_t i = 0; i < k; i++)
        total += (double)counts[i];
    double expected = total / (double)k;
    for (size_t i = 0; i < k; i++)
        square += pow((double)counts[i] - expected, 2) / expected;
    double z = (cbrt(square / freedom) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom));
    ck_assert_msg(fabs(z) < Z_LIMIT, "%s: chi-square %.3g for %.0f degrees of freedom, z %.1f",
                  what, square, freedom, z);
}
