/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/angle_mean.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.141592653589793, two_pi = 6.283185307179586;

/* Variances closer than this may be the same. */
static const double tie = 1e-11;
/* The derivative of ½F/Σw at a minimum, to rounding. */
static const double level = 1e-9;

typedef struct weighted {
    double angle, weight;
} weighted;

/* The mean of the angles cut in one place, and V/Σw. */
typedef struct cut {
    double mean, value;
} cut;

static int by_angle(const void *a, const void *b)
{
    double x = ((const weighted *)a)->angle, y = ((const weighted *)b)->angle;
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
    double x = ((const cut *)a)->value, y = ((const cut *)b)->value;
    return (x > y) - (x < y);
}

static int by_variance(const void *a, const void *b)
{
    double x = ((const angle_mean *)a)->variance, y = ((const angle_mean *)b)->variance;
    return (x > y) - (x < y);
}

/* F(μ)/Σw itself, and half its derivative. */
static double variance_about(size_t n, const weighted *p, double total, double mean, double *slope)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        double r = remainder(p[i].angle - mean, two_pi);
        sum += p[i].weight * r;
        square += p[i].weight * r * r;
    }
    *slope = -sum / total;
    return square / total;
}

/* Running sums of a million terms have lost digits that differences between minima need:
 * long ones have them. */
static void find_cuts(size_t n, const weighted *p, double total, cut *cuts)
{
    long double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (long double)p[i].weight * p[i].angle;
        square += (long double)p[i].weight * p[i].angle * p[i].angle;
    }
    for (size_t k = 0; k < n; k++) {
        if (k > 0) {
            long double w = p[k - 1].weight;
            sum += two_pi * w;
            square += w * two_pi * (2 * p[k - 1].angle + two_pi);
        }
        long double mean = sum / total;
        cuts[k] = (cut){(double)mean, (double)(square / total - mean * mean)};
    }
}

static bool is_near(size_t count, const angle_mean *known, double mean, double reach)
{
    for (size_t k = 0; k < count; k++)
        if (fabs(remainder(known[k].mean - mean, two_pi)) < reach)
            return true;
    return false;
}

/* Cuts by rising value. Each look at all the angles costs, and so they are counted: where everything is as
 * good as everything else, not all of it is listed. */
static size_t choose(size_t n, const weighted *p, double total, const cut *cuts, size_t most,
                     angle_mean *out)
{
    size_t count = 0, looks = most + 64;
    for (size_t k = 0; k < n && count < most && looks > 0; k++) {
        bool tied = cuts[k].value <= cuts[0].value + tie;
        double at = remainder(cuts[k].mean, two_pi), slope;
        if (is_near(count, out, at, tied ? level : pi / 8))
            continue;
        double variance = variance_about(n, p, total, at, &slope);
        looks--;
        if (fabs(slope) <= level) /* else its antipode lies in another cut */
            out[count++] = (angle_mean){at <= -pi ? pi : at, variance};
    }
    qsort(out, count, sizeof *out, by_variance);
    return count;
}

mst_status angle_means(size_t n, const double *x, size_t stride, const double *weights, size_t most,
                       angle_mean *out, size_t *count)
{
    weighted *p;
    cut *cuts = NULL;
    *count = 0;
    MST_TRY(mst_allocate(&p, n));
    mst_status status = mst_allocate(&cuts, n);
    if (status == MST_OK) {
        double total = 0;
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            double w = weights != NULL ? weights[i] : 1;
            if (!(w > 0)) /* a point without weight is no place to cut */
                continue;
            p[kept++] = (weighted){remainder(x[i * stride], two_pi), w};
            total += w;
        }
        qsort(p, kept, sizeof *p, by_angle);
        find_cuts(kept, p, total, cuts);
        qsort(cuts, kept, sizeof *cuts, by_value);
        *count = choose(kept, p, total, cuts, most, out);
    }
    mst_release(cuts);
    mst_release(p);
    return status;
}
