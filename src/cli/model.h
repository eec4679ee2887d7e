/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* --score: the exact kernel, or a model that knows its manifold and the times it may be used for. */
#ifndef MST_CLI_MODEL_H
#define MST_CLI_MODEL_H

#include "common.h"

/* In help: for likelihoods, and for the geometry of pairs. */
extern const option option_score, option_score_limit;

/* What a command computes on, and with. */
typedef struct model {
    const invocation *inv;
    const char *score; /* "exact", or the model's path, with options */
    const mst_manifold *m;
    mst_manifold *owned;    /* that of --manifold */
    mst_score *source;      /* null: exact or log, which is opened when it is needed */
    const mst_network *net; /* behind it, or null */
    double limit; /* the time of its small-time limit if that was asked for, else 0: the least */
    mst_network_info info;
    bool beyond; /* --force: times outside the range are allowed */
    bool warned; /* of such a time */
    bool warned_reach;
} model;

/* The manifold of --manifold or of the model; MST_ARGUMENT if they differ. Close it in either case. */
MST_MUST_USE mst_status model_open(model *o, const invocation *inv);
void model_close(model *o);

/* May the model be asked about this time? `what` names it in the message: "--time 3". */
MST_MUST_USE mst_status model_check_time(const model *o, const char *what, double t);
/* Not if --score is a small-time limit. */
bool model_has_time(const model *o);
/* MST_ARGUMENT then. */
MST_MUST_USE mst_status model_require_time(const model *o);
/* A warning, once, if the time is one that the model was not trained or is not certified for. */
void model_warn_time(model *o, double t);

/* A warning, once, if points (n, ambient) of a file lie farther out than the training
 * went; `before` rows came earlier. */
MST_MUST_USE mst_status model_warn_reach(model *o, const char *path, uint64_t before, size_t n,
                                         const double *x);

/* MST_ARGUMENT for the words that are no file, and if the result is to replace the model. */
MST_MUST_USE mst_status read_model(const invocation *inv, mst_network **net, const char *path,
                                   const mst_manifold *m);

#endif
