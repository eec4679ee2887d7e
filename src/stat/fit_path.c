/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Differences of log-likelihoods from the gradient alone, for sources that have no log p:
 * its integral along a way. */
#include "stat/fit_steps.h"

#include <math.h>

/* Two gradients are the ends of a trapezium. */
mst_status fit_gain(const double *from, const double *gradient, const double *step,
                    const double *to, const double *gradient_there, fit_work *r, double *gain)
{
    const fit_model *m = r->model;
    const double *leaving = step, *arriving = step;
    if (m->ops->velocities != NULL) {
        MST_TRY(m->ops->velocities(m, from, step, to, r->leaving, r->arriving));
        leaving = r->leaving;
        arriving = r->arriving;
    }
    double sum = 0;
    for (size_t k = 0; k < m->parameters; k++)
        sum += gradient[k] * leaving[k] + gradient_there[k] * arriving[k];
    *gain = sum / 2;
    return MST_OK;
}

/* Gauss and Legendre's nodes and weights on (0, 1), eight of them, from the middle outwards. */
static const double nodes[] = {0.18343464249564980 / 2, 0.52553240991632899 / 2,
                               0.79666647741362674 / 2, 0.96028985649753623 / 2};
static const double node_weights[] = {0.36268378337836198 / 2, 0.31370664587788729 / 2,
                                      0.22238103445337447 / 2, 0.10122853629037626 / 2};

/* The slope at `share` of the way; work: velocity (q), gradient (q), a state. */
static mst_status slope_at(const fit_model *m, const double *from, const double *to, double share,
                           double *work, double *slope)
{
    size_t q = m->parameters;
    double *velocity = work, *state = work + 2 * q;
    fit_sums sums = {.gradient = work + q};
    MST_TRY(m->ops->between(m, from, to, share, state, velocity));
    MST_TRY(fit_evaluate(m, state, &sums));
    *slope = 0;
    for (size_t k = 0; k < q; k++)
        *slope += sums.gradient[k] * velocity[k];
    return MST_OK;
}

mst_status fit_difference(const fit_model *m, const double *from, const double *to,
                          double *difference, double *variation)
{
    *difference = *variation = 0;
    if (m->ops->between == NULL)
        return mst_fail(MST_UNABLE, "the model knows no way from one state to another");
    double *work;
    MST_TRY(mst_allocate(&work, 2 * m->parameters + m->size));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < 8; k++) {
        double slope = 0, share = 0.5 + (k < 4 ? nodes[k] : -nodes[k - 4]);
        status = slope_at(m, from, to, share, work, &slope);
        *difference += node_weights[k % 4] * slope;
        *variation += node_weights[k % 4] * fabs(slope);
    }
    mst_release(work);
    return status;
}
