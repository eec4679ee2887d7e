/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* regress --curve network: training, and predictions by a curve that was saved. */
#ifndef MST_CLI_REGRESS_NETWORK_H
#define MST_CLI_REGRESS_NETWORK_H

#include "regress_output.h"

extern const option option_model, option_width, option_depth, option_batch, option_rate,
    option_epochs, option_patience, option_restarts, option_validation, option_resume,
    option_density, option_calibration, option_noise;
#define NETWORK_OPTIONS                                                                       \
    &option_model, &option_resume, &option_width, &option_depth, &option_batch, &option_rate, \
        &option_epochs, &option_patience, &option_restarts, &option_validation

/* In the order of the choices of --noise. */
enum { NOISE_CONSTANT, NOISE_LOGLINEAR, NOISE_NETWORK };

/* Trains, writes the model of --model and the result. */
MST_MUST_USE mst_status regress_train(estimation *e, bool frechet, report *out, double confidence);
/* --model without --y: predictions only. */
MST_MUST_USE mst_status regress_reuse(invocation *inv, double confidence);
/* --density: writes the predictive densities of points on a grid; nothing without it. */
MST_MUST_USE mst_status regress_density(const estimation *e, const regress_predictions *p);

#endif
