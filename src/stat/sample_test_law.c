/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* May the χ² law of the likelihood ratio be relied on? Not in small samples, and not where points are spread
 * otherwise than the model says. */
#include "stat/distributions.h"
#include "stat/model_spread.h"
#include "stat/sample_test_parts.h"

#include <math.h>

/* Of how many parameters the hypothesis leaves one in place of k. */
static size_t common_parameters(const samples *t)
{
    return (null_means(t) == 1 ? t->d : 0) + (null_times(t) == 1 && t->time_is_free ? 1 : 0);
}

bool samples_have_law(const samples *t)
{
    size_t freedom = (t->groups - 1) * common_parameters(t);
    return !t->time_is_free || freedom + t->groups <= t->n;
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

/* What the gradients of the rows of a group say of the model. */
static mst_status find_spread(const samples *t, const fit_rows *rows, const double *state,
                              model_spread *out)
{
    size_t q = t->d + 1;
    double *gradient;
    MST_TRY(mst_allocate(&gradient, q + 2 * q * q));
    double *hessian = gradient + q, *outer = hessian + q * q;
    fit_means model = fit_one_mean(t->source, rows, true, t->threads);
    fit_sums sums = {.gradient = gradient, .hessian = hessian, .outer = outer};
    mst_status status = fit_evaluate(&model.model, state, &sums);
    if (status == MST_OK)
        status = model_spread_find(t->d, q, (double)rows->n, hessian, outer, out);
    mst_release(gradient);
    return status;
}

/* The statistic is a sum of λ χ² then, once for each sample but one. */
static double false_alarms(const samples *t, double sum, double squares)
{
    double others = (double)t->groups - 1, freedom = others * (double)common_parameters(t);
    return model_survival(mst_chi_square_quantile(0.95, freedom), others * sum, others * squares);
}

static mst_status is_spread_otherwise(const samples *t, const comparison *c, bool *otherwise)
{
    double n = (double)t->n, d = (double)t->d, sphericity = 0;
    model_spread all = {0};
    *otherwise = false;
    for (size_t g = 0; g < t->groups; g++) {
        model_spread one;
        double share = (double)c->rows[g].n / n;
        MST_TRY(find_spread(t, &c->rows[g], c->separate + g * (t->D + 1), &one));
        all.sum += share * one.sum;
        all.squares += share * one.squares;
        all.tails += share * one.tails;
        sphericity += one.sphericity;
    }
    double freedom = (double)t->groups * (d * (d + 1) / 2 - 1), sum = 0, squares = 0;
    bool directions = model_directions_differ(sphericity, freedom);
    bool tails = model_tails_are_heavy(t->d, n, all.tails);
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
