/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* One time for all factors of a product is a model of its own: does it fit? The likelihood ratio against a
 * time per factor tells. The means differ, too, but by as many parameters on both sides. */
#include "stat/distributions.h"
#include "stat/factors.h"
#include "stat/mean_search.h"

#include <math.h>

/* Below this p-value a result is called into question. Lower than usual, for a wrong alarm costs errors that
 * are somewhat less precise. */
static const double doubt_below = 0.01;

/* The best fit of one factor, begun at its part of the common mean: value and time. */
static mst_status fit_factor(const mst_mean_result *r, const mst_score *source, size_t f, size_t n,
                             const double *x, const mst_mean_options *o, double *value,
                             double *time)
{
    factor_view v;
    mean_search s = {0};
    mst_mean_options one = *o;
    mst_status status = factor_open(&v, source, f, n, x);
    one.starts = 1;
    one.start = r->mean + v.first_at;
    if (status == MST_OK)
        status = mean_search_new(&s, v.source, n, v.x, &one, NULL);
    if (status == MST_OK)
        status = mean_search_run(&s);
    if (status == MST_OK) {
        const mean_candidate *c = &s.candidates[0];
        mst_time_limit limit = fit_time_limit(&c->outcome);
        *value = c->outcome.value;
        *time = limit == MST_TIME_ZERO       ? 0
                : limit == MST_TIME_INFINITY ? INFINITY
                                             : *mean_time(&s, c);
    }
    mean_search_free(&s);
    factor_close(&v);
    return status;
}

mst_status mean_compare_times(mst_mean_result *r, const fit_means *model, const mst_mean_options *o)
{
    const fit_rows *rows = &model->model.rows[0];
    const mst_score *source = model->model.source;
    size_t factors = mst_manifold_factor_count(mst_score_manifold(source));
    mst_score *probe;
    /* Dependent rows make the ratio larger than it should be. */
    if (factors < 2 || !model->model.time_is_free || !r->converged || o->clusters != NULL ||
        o->method != MST_MEAN_NEWTON || !mst_score_gives(source, MST_GIVES_LOG_P))
        return MST_OK;
    if (mst_score_factor(&probe, source, 0) != MST_OK)
        return MST_OK;
    mst_score_free(probe);
    MST_TRY(mst_allocate_zero(&r->times, 4 * factors));
    double separate = 0;
    for (size_t f = 0; f < factors; f++) {
        double value;
        MST_TRY(fit_factor(r, source, f, rows->n, rows->x, o, &value, &r->times[f]));
        separate += value;
    }
    r->times_count = factors;
    r->equal_times_statistic = fmax(0, 2 * (separate - r->log_likelihood));
    r->equal_times_p_value =
        mst_chi_square_survival(r->equal_times_statistic, (double)(factors - 1));
    if (r->equal_times_p_value < doubt_below)
        r->notes |= MST_NOTE_UNEQUAL_TIMES;
    return MST_OK;
}
