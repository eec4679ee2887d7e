/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/model_spread.h"

#include "base/linalg.h"
#include "stat/distributions.h"

#include <math.h>

void model_spread_set(size_t d, double n, double sum, double squares, model_spread *out)
{
    out->sum = sum;
    out->squares = fmax(squares - sum * sum / n, sum * sum / (double)d);
    out->sphericity = 0.5 * (n - 1) * (double)d * ((double)d * squares / (sum * sum) - 1);
    out->tails = 1;
}

mst_status model_spread_find(size_t d, size_t q, double n, const double *hessian,
                             const double *outer, model_spread *out)
{
    double *a, information = q > d ? -hessian[q * q - 1] : 1, sum = 0, squares = 0;
    *out = (model_spread){NAN, NAN, NAN, NAN};
    MST_TRY(mst_allocate(&a, 2 * d * d));
    double *ratio = a + d * d;
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++) {
            a[i * d + k] = -hessian[i * q + k];
            ratio[i * d + k] = outer[i * q + k];
        }
    mst_status status = mst_solve(1, d, d, a, ratio, ratio, NULL);
    for (size_t i = 0; status == MST_OK && i < d; i++) {
        sum += ratio[i * d + i];
        for (size_t k = 0; k < d; k++)
            squares += ratio[i * d + k] * ratio[k * d + i];
    }
    if (status == MST_OK && information > 0) {
        model_spread_set(d, n, sum, squares, out);
        out->tails = q > d ? outer[q * q - 1] / information : 1;
    }
    mst_release(a);
    return status == MST_DOMAIN ? MST_OK : status;
}

bool model_directions_differ(double sphericity, double freedom)
{
    return freedom > 0 && mst_chi_square_survival(sphericity, freedom) < 0.005;
}

bool model_tails_are_heavy(size_t d, double n, double tails)
{
    double size = (double)d, deviation = sqrt(2 * (size + 2) / (size * n));
    return tails > 1 + 2.6 * deviation + (2 + 4 / size) * deviation * deviation;
}

double model_survival(double limit, double sum, double squares)
{
    return mst_chi_square_survival(limit * sum / squares, sum * sum / squares);
}
