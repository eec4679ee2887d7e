/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* --score: the exact kernel, or a model that knows its manifold and the times it may be used for. */
#ifndef MST_CLI_MODEL_H
#define MST_CLI_MODEL_H

#include "common.h"
#include "shares.h"
#include "util/json.h"

#include <manistat/check.h>
#include <stdio.h>

/* In help: for likelihoods, and for the geometry of pairs. */
extern const option option_score, option_score_limit;

/* What an estimate leaned on that a model does not know, added up. */
typedef struct outside_tally {
    uint64_t rows, of;      /* rows outside by place or by time, of so many */
    uint64_t apart;         /* by place */
    double farthest, reach; /* of the row that is farthest out; reach 0: no distance is known */
    double at_time;         /* at which that is so */
    uint64_t row;           /* its number, from 1; 0: none */
    bool between; /* it is the distance from the mean, or of a pair; else from the centre */
    mst_time_standing standing;
    double time, t_low, t_high; /* the first time that is not usable, and those that are */
    bool told;                  /* what its certificate is worth */
} outside_tally;

/* Rows whose source itself says that it cannot answer them. */
typedef struct validity_tally {
    uint64_t rows, of;
    uint64_t first; /* number of the first, from 1; 0: none, or numbers say nothing */
} validity_tally;

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
    bool pairs; /* rows are pairs of points, not points with a mean */
    outside_tally outside;
    validity_tally validity;
    share_tally shares; /* of estimates by a network: which source answers their rows */
} model;

/* The manifold of --manifold or of the model; MST_ARGUMENT if they differ. Close it in either case. */
MST_MUST_USE mst_status model_open(model *o, const invocation *inv);
void model_close(model *o);
/* Is --score bridge? */
bool asks_for_bridges(const invocation *inv);
/* For likelihoods: where --score is not given and there is no closed form, the source is the expansion. */
MST_MUST_USE mst_status model_open_likelihood(model *o);

/* May the model be asked about this time? `what` names it in the message: "--time 3". */
MST_MUST_USE mst_status model_check_time(const model *o, const char *what, double t);
/* Not if --score is a small-time limit. */
bool model_has_time(const model *o);
/* MST_ARGUMENT then. */
MST_MUST_USE mst_status model_require_time(const model *o);
/* The rows of an estimate, each with the mean that it has, at the time t (not positive: that of the
 * small-time limit): what of them does the model not know? Rows are numbered after the `before` that came
 * earlier; MODEL_NO_ROWS: their numbers say nothing. Their own times are not read. */
#define MODEL_NO_ROWS UINT64_MAX
MST_MUST_USE mst_status model_judge(model *o, uint64_t before, const mst_pairs *pairs, double t);
/* The same of rows whose validity numbers v (n) are known. */
void model_count_invalid(model *o, uint64_t before, size_t n, const double *v);
/* Has the source anything to say about rows? */
bool model_judges(const model *o);
/* The members "outside" and "source_shares", if there is a model, or "beyond_validity", if the source
 * estimates its errors; lines of a page, if anything is outside, and if other sources answer rows too. */
void model_json_outside(const model *o, mst_json *j);
void model_print_outside(const model *o, FILE *out);
/* Once the result is written: MST_CONVERGENCE with the reason if anything is outside, or with --force a
 * warning. A failure that there is already stays what it is. */
MST_MUST_USE mst_status model_conclude(const model *o, mst_status status);

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
