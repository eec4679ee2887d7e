/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The network object: what training makes, files hold and score sources evaluate. */
#ifndef MST_SCORE_NETWORK_H
#define MST_SCORE_NETWORK_H

#include "io/tensors.h"
#include "net/mlp.h"
#include "score/design.h"
#include "score/features.h"

#include <manistat/network.h>

struct mst_network {
    const mst_manifold *m;
    mst_manifold *owned; /* the same, if it was made for the network */
    features *features;
    mlp_shape shape;
    float *theta;          /* (mlp_parameters): what evaluations use, the averaged weights */
    mst_network_info info; /* without its texts and centre, which are these: */
    char *spec, *version, *certificate;
    double *centre; /* null: none */
    /* When it was read or certified: hashing all weights for each question of a time would be dear. */
    char fingerprint[MST_FINGERPRINT];
};

/* The metadata of a checkpoint that a finished model has not. */
#define CHECKPOINT_KEY "training"

/* Zero weights; the manifold is borrowed. The output of the time head, if there is one, is the last. */
MST_MUST_USE mst_status network_new(mst_network **out, const mst_manifold *m,
                                    const network_design *design);

/* Takes a copy of the centre (D); a reach that is not a positive number means that there is none. */
MST_MUST_USE mst_status network_set_reach(mst_network *net, const double *centre, double reach);

/* mst_score_network_new and mst_score_network_log_new that own the network, also when they fail. */
MST_MUST_USE mst_status network_source_take(mst_score **out, mst_network *net, bool beyond,
                                            bool alone);
MST_MUST_USE mst_status network_limit_take(mst_score **out, mst_network *net, double t, bool alone);
/* Is it the source of a network that answers alone? */
bool network_is_alone(const mst_score *s);
/* The network's source behind a small-time limit; null if `s` is none. */
const mst_score *network_limit_of(const mst_score *s);

/* MST_DOMAIN names the first row whose time is not among those it was trained for. */
MST_MUST_USE mst_status network_check_times(const mst_network *net, size_t n, const double *t);

/* Writes the network and, for checkpoints, `count` tensors and `texts` metadata more. */
MST_MUST_USE mst_status network_save(const mst_network *net, const char *path, mst_output_rule rule,
                                     size_t count, const tensor *tensors, size_t texts,
                                     const tensor_text *text);
/* From a file that has been read; `name` for messages. */
MST_MUST_USE mst_status network_from_tensors(mst_network **out, const char *name, const tensors *t,
                                             const mst_manifold *m);
#endif
