/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The gamma function and its logarithmic derivatives, which information geometry needs. */
#ifndef MST_FORMULA_SPECIAL_H
#define MST_FORMULA_SPECIAL_H

/* log Γ(x) for x > 0, else NAN. */
double formula_lgamma(double x);
/* The derivative of digamma at x > 0 of that order, a whole number from 0 to 20, else NAN: digamma itself
 * for 0, trigamma for 1. */
double formula_polygamma(double order, double x);

#endif
