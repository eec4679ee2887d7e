/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "formula/special.h"

#include <math.h>

enum { MOST_DERIVATIVES = 20, BERNOULLI = 12 };

double formula_lgamma(double x)
{
    return x > 0 ? lgamma(x) : NAN;
}

/* x^n by squaring, which costs a tenth of pow. */
static double whole_power(double x, unsigned n)
{
    double power = 1;
    for (; n > 0; n >>= 1, x *= x)
        if ((n & 1) != 0)
            power *= x;
    return power;
}

/* By the recurrence ψ^(k)(x) = ψ^(k)(x + 1) − (−1)^k k! x^(−k−1) up to where the asymptotic series has
 * double precision. */
double formula_polygamma(double order, double x)
{
    static const double bernoulli[BERNOULLI] = {
        1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
        7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730,
    };
    if (!(x > 0) || !(order >= 0) || order > MOST_DERIVATIVES || order != floor(order))
        return NAN;
    double sign = fmod(order, 2) == 0 ? -1 : 1, factorial = 1, sum = 0;
    for (double j = 2; j <= order; j++)
        factorial *= j;
    unsigned k = (unsigned)order;
    for (; x < 15 + order; x += 1)
        sum += factorial / whole_power(x, k + 1);
    /* (−1)^(k+1) [(k−1)!/x^k + k!/(2x^(k+1)) + Σ B_2j (2j+k−1)!/((2j)! x^(2j+k))]; for k
     * = 0 the first is −log x. */
    double power = whole_power(x, k), square = x * x;
    double series = order == 0 ? -log(x) : factorial / (order * power);
    series += factorial / (2 * power * x);
    double factor =
        factorial * (order + 1) / (2 * power * square); /* (2j+k−1)!/(2j)! x^−(2j+k) at j = 1 */
    for (int j = 1; j <= BERNOULLI; j++) {
        series += bernoulli[j - 1] * factor;
        factor *= (2 * j + order) * (2 * j + order + 1) / ((2 * j + 1.0) * (2 * j + 2.0) * square);
    }
    return sign * (series + sum);
}
