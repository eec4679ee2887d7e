/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Differences of log-likelihoods from the gradient alone, for sources that have no log p: its integral along a path. */
#include "stat/fit_steps.h"

#include <math.h>

/* Two gradients are the ends of a trapezium. The step arrives with the velocity that it left with, carried along. */
mst_status fit_gain(const fit_problem *p, const fit_state *from, const double *gradient,
                    const double *step, const fit_state *to, const double *gradient_there,
                    fit_room *r, double *gain)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    double sum = 0;
    for (size_t k = 0; k < p->means; k++) {
        const double *mean = from->mean + k * r->D, *s = step + k * r->d;
        MST_TRY(mst_manifold_from_frame(m, 1, mean, s, r->tangent));
        MST_TRY(mst_manifold_transport(m, 1, mean, r->tangent, r->tangent, r->carried));
        MST_TRY(mst_manifold_to_frame(m, 1, to->mean + k * r->D, r->carried, r->arrived));
        for (size_t a = 0; a < r->d; a++)
            sum += gradient[k * r->d + a] * s[a] + gradient_there[k * r->d + a] * r->arrived[a];
    }
    for (size_t k = 0, at = p->means * r->d; at < r->parameters; k++, at++)
        sum += (gradient[at] + gradient_there[at]) * log(to->time[k] / from->time[k]);
    *gain = sum / 2;
    return MST_OK;
}

/* Gauss and Legendre's nodes and weights on (0, 1), eight of them, from the middle outwards. */
static const double nodes[] = {0.18343464249564980 / 2, 0.52553240991632899 / 2,
                               0.79666647741362674 / 2, 0.96028985649753623 / 2};
static const double node_weights[] = {0.36268378337836198 / 2, 0.31370664587788729 / 2,
                                      0.22238103445337447 / 2, 0.10122853629037626 / 2};

/* The slope at `share` of the way: the mean along a geodesic with the velocity v (D), the log time in a straight line. */
static mst_status slope_at(const fit_problem *p, const fit_state *from, const double *v,
                           double log_ratio, double share, fit_room *r, double *slope)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    fit_sums sums = {.gradient = r->gradient};
    for (size_t a = 0; a < r->D; a++)
        r->tangent[a] = share * v[a];
    MST_TRY(mst_manifold_exp(m, 1, from->mean, r->tangent, r->trial.mean));
    MST_TRY(mst_manifold_transport(m, 1, from->mean, r->tangent, v, r->carried));
    MST_TRY(mst_manifold_to_frame(m, 1, r->trial.mean, r->carried, r->arrived));
    r->trial.time[0] = fit_clamp_time(p->source, from->time[0] * exp(share * log_ratio));
    MST_TRY(fit_evaluate(p, &r->trial, &sums));
    *slope = p->time_is_free ? r->gradient[r->d] * log_ratio : 0;
    for (size_t a = 0; a < r->d; a++)
        *slope += r->gradient[a] * r->arrived[a];
    return MST_OK;
}

mst_status fit_difference(const fit_problem *p, const fit_state *from, const fit_state *to,
                          double *difference, double *variation)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    fit_room r;
    double *v;
    *difference = *variation = 0;
    MST_TRY(fit_room_new(&r, p));
    mst_status status = mst_allocate(&v, r.D);
    if (status == MST_OK)
        status = mst_manifold_log(m, 1, from->mean, to->mean, v, NULL);
    double log_ratio = p->time_is_free ? log(to->time[0] / from->time[0]) : 0;
    for (size_t k = 0; status == MST_OK && k < 8; k++) {
        double slope = 0, share = 0.5 + (k < 4 ? nodes[k] : -nodes[k - 4]);
        status = slope_at(p, from, v, log_ratio, share, &r, &slope);
        *difference += node_weights[k % 4] * slope;
        *variation += node_weights[k % 4] * fabs(slope);
    }
    mst_release(v);
    mst_release(r.block);
    return status;
}
