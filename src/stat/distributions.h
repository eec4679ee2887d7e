/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The normal and the chi-square law, with relative accuracy about 1e-12 also far in the tails. Arguments
 * outside the domain (p not in [0, 1], k ≤ 0, NAN) give NAN. */
#ifndef MANISTAT_STAT_DISTRIBUTIONS_H
#define MANISTAT_STAT_DISTRIBUTIONS_H

/* P(Z ≤ x). */
double mst_normal_cdf(double x);
/* The x with P(Z ≤ x) = p; ∓∞ at 0 and 1. */
double mst_normal_quantile(double p);

/* P(X ≤ x) and P(X > x) for X of chi-square law with k > 0 degrees of freedom, k not
 * necessarily a whole number. */
double mst_chi_square_cdf(double x, double k);
double mst_chi_square_survival(double x, double k);
/* The x with P(X ≤ x) = p; 0 at 0 and ∞ at 1. */
double mst_chi_square_quantile(double p, double k);

/* P(X > x) for X = (A/k)/(B/l), A and B independent of chi-square laws with k and l degrees of freedom, and
 * the x with P(X ≤ x) = p. T² of Student's law with l degrees of freedom is the case k = 1. About 1e-12 for
 * up to a thousand degrees of freedom. */
double mst_f_survival(double x, double k, double l);
double mst_f_quantile(double p, double k, double l);

#endif
