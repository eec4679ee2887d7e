/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Statistical checks. Seeds are fixed, so a test that passes passes for ever; the limits say how likely a
 * correct program is to fail for a freshly chosen seed. */
#ifndef TEST_STATISTICS_H
#define TEST_STATISTICS_H

#include <stddef.h>

/* A standard normal leaves ±5 with probability 5.7e-7. */
#define Z_LIMIT 5.0

typedef struct moments {
    double n, mean, m2;
} moments;
void moments_add(moments *s, double x);
double moments_variance(const moments *s);
/* The standard error of the mean. */
double moments_error(const moments *s);

/* The mean is `want`, up to Z_LIMIT standard errors and a known bias. */
void assert_mean(const moments *s, double want, double bias, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Means and products of up to COORDINATES coordinates. */
enum { COORDINATES = 24 };
typedef struct covariance {
    size_t width;
    moments mean[COORDINATES], product[COORDINATES][COORDINATES];
} covariance;
void covariance_add(covariance *c, const double *x);
/* All means are zero, and the covariance is `variance` times the identity. */
void assert_isotropic(const covariance *c, double variance, const char *what);

/* Sorts x in place and compares with the distribution function; false-alarm rate 1e-7. */
void assert_distribution(size_t n, double *x, double (*cdf)(double), const char *what);
double normal_cdf(double x);
double uniform_cdf(double x);

/* Counts of k equally likely cells: chi-square by Wilson and Hilferty's normal approximation, Z_LIMIT. */
void assert_equally_likely(size_t k, const size_t *counts, const char *what);

#endif
