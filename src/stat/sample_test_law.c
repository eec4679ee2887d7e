/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* May the χ² law of the likelihood ratio be relied on? Not in small samples, and not where points are spread
 * otherwise than the model says. */
#include "base/linalg.h"
#include "stat/distributions.h"
#include "stat/sample_test_parts.h"

#include <math.h>

/* Of how many parameters the hypothesis leaves one in place of k. */
static size_t common_parameters(const samples *t)
{
    return (null_means(t) == 1 ? t->d : 0) + (null_times(t) == 1 && t->time_is_free ? 1 : 0);
}

/* In flat space the mean of the statistic is about 1 + 1.2 h/(k − 1) times that of χ², with
 * h = Σ_g (1 − w_g/Σw)/(n_g − 1) and w_g = n_g/t_g (simulated for 2 … 8 samples in 1 … 10 dimensions, to
 * 20 %), which shifts it by that excess times √(ν/2) of its standard deviations. A shift of 0.12 makes
 * 5 % about 7 %. A fixed time leaves nothing to estimate but means: then χ² is the law itself. */
static bool is_small(const samples *t, const comparison *c)
{
    double total = 0, h = 0, others = (double)t->groups - 1;
    for (size_t g = 0; g < t->groups; g++)
        total += (double)c->rows[g].n / c->separate[g * (t->D + 1) + t->D];
    for (size_t g = 0; g < t->groups; g++) {
        double n = (double)c->rows[g].n, weight = n / c->separate[g * (t->D + 1) + t->D];
        h += (1 - weight / total) / fmax(n - 1, 0.1);
    }
    double freedom = others * (double)common_parameters(t);
    return t->time_is_free && 1.2 * h / others * sqrt(freedom / 2) > 0.12;
}

/* What the gradients of the rows of a group say of the model. λ are the eigenvalues of A⁻¹B, information A
 * and spread B of the gradients by the mean, which are 1 if the model is right. */
typedef struct gradient_spread {
    double sum,
        squares; /* Σλ, and Σλ² less what the n directions of rows would be unequal by chance */
    double sphericity; /* John's statistic, χ² if directions are alike */
    double tails;      /* the same ratio for log t */
} gradient_spread;

static void spread_of_ratio(size_t d, double n, const double *ratio, gradient_spread *out)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < d; i++) {
        sum += ratio[i * d + i];
        for (size_t k = 0; k < d; k++)
            squares += ratio[i * d + k] * ratio[k * d + i];
    }
    out->sum = sum;
    out->squares = fmax(squares - sum * sum / n, sum * sum / (double)d);
    out->sphericity = 0.5 * n * (double)d * ((double)d * squares / (sum * sum) - 1);
}

/* NANs where the information is not positive definite. */
static mst_status find_spread(const samples *t, const fit_rows *rows, const double *state,
                              gradient_spread *out)
{
    size_t q = t->d + 1, d = t->d;
    double *gradient;
    *out = (gradient_spread){NAN, NAN, NAN, NAN};
    MST_TRY(mst_allocate(&gradient, q + 2 * q * q + 2 * d * d));
    double *hessian = gradient + q, *outer = hessian + q * q, *a = outer + q * q, *b = a + d * d;
    fit_means model = fit_one_mean(t->source, rows, true, t->threads);
    fit_sums sums = {.gradient = gradient, .hessian = hessian, .outer = outer};
    mst_status status = fit_evaluate(&model.model, state, &sums);
    for (size_t i = 0; status == MST_OK && i < d; i++)
        for (size_t k = 0; k < d; k++) {
            a[i * d + k] = -hessian[i * q + k];
            b[i * d + k] = outer[i * q + k];
        }
    double information = -hessian[q * q - 1];
    if (status == MST_OK)
        status = mst_solve(1, d, d, a, b, b, NULL);
    if (status == MST_OK && information > 0) {
        spread_of_ratio(d, (double)rows->n, b, out);
        out->tails = outer[q * q - 1] / information;
    }
    mst_release(gradient);
    return status == MST_DOMAIN ? MST_OK : status;
}

/* The statistic is a sum of λ χ² then, which a χ² of other scale and freedom comes near (Satterthwaite). */
static double false_alarms(const samples *t, double sum, double squares)
{
    double others = (double)t->groups - 1, freedom = others * (double)common_parameters(t);
    double limit = mst_chi_square_quantile(0.95, freedom);
    return mst_chi_square_survival(limit * sum / squares, others * sum * sum / squares);
}

/* Only what cannot be chance counts: directions by John's test, tails by the kurtosis of Mardia, both at
 * 0.5 %; the ratio of log t has the variance 2 (d + 2)/(d n) in flat space. */
static mst_status is_spread_otherwise(const samples *t, const comparison *c, bool *otherwise)
{
    double n = (double)t->n, d = (double)t->d, sphericity = 0;
    gradient_spread all = {0};
    *otherwise = false;
    for (size_t g = 0; g < t->groups; g++) {
        gradient_spread one;
        double share = (double)c->rows[g].n / n;
        MST_TRY(find_spread(t, &c->rows[g], c->separate + g * (t->D + 1), &one));
        all.sum += share * one.sum;
        all.squares += share * one.squares;
        all.tails += share * one.tails;
        sphericity += one.sphericity;
    }
    double freedom = (double)t->groups * (d * (d + 1) / 2 - 1), sum = 0, squares = 0;
    bool directions = freedom > 0 && mst_chi_square_survival(sphericity, freedom) < 0.005;
    bool tails = all.tails > 1 + 2.6 * sqrt(2 * (d + 2) / (d * n));
    if (null_means(t) == 1) {
        sum += directions ? all.sum : d;
        squares += directions ? all.squares : d;
    }
    if (null_times(t) == 1 && t->time_is_free) {
        sum += tails ? all.tails : 1;
        squares += tails ? all.tails * all.tails : 1;
    }
    *otherwise = (directions || tails) && false_alarms(t, sum, squares) > 0.07;
    return MST_OK;
}

mst_status samples_judge_law(const samples *t, const comparison *c, unsigned *notes)
{
    bool otherwise;
    MST_TRY(is_spread_otherwise(t, c, &otherwise));
    if (otherwise)
        *notes |= MST_TEST_NOTE_MODEL;
    if (is_small(t, c))
        *notes |= MST_TEST_NOTE_SMALL;
    return MST_OK;
}
