/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which source answers what share of the rows where commands leave rows of a network to others. */
#ifndef MST_CLI_SHARES_H
#define MST_CLI_SHARES_H

#include "common.h"
#include "util/json.h"

#include <manistat/train.h>
#include <stdio.h>

/* Shares of rows, added up. */
typedef struct share_tally {
    size_t count; /* sources; 0: no rows were counted */
    mst_source_share of[MST_SOURCE_SHARES];
    uint64_t rows;
} share_tally;
/* The shares of one more batch. */
MST_MUST_USE mst_status shares_count(share_tally *a, const mst_score *source,
                                     const mst_pairs *pairs);
/* "network 3 %, expansion 12 %, spectral 85 %" */
enum { SHARES_TEXT = 120 };
const char *shares_text(const share_tally *a, char text[SHARES_TEXT]);
/* The members of an object: a share for each source. */
void shares_members(const share_tally *a, mst_json *j);

/* The same of pairs that Brownian motion makes, at times spread over the logarithm of a range. */
enum { SHARE_TIMES = 5 };
typedef struct share_survey {
    size_t count; /* times; 0: one source answers all rows */
    double t[SHARE_TIMES];
    share_tally at[SHARE_TIMES];
} share_survey;
/* Where a simulation or a source fails there is no survey; interruptions and want of memory are errors. */
MST_MUST_USE mst_status shares_survey(share_survey *s, const mst_network *net);
void shares_print(const share_survey *s, FILE *out, int width);
void shares_json(const share_survey *s, mst_json *j);

/* Before a training: warns where a source that exists answers what the network is for. */
MST_MUST_USE mst_status shares_warn_before(const invocation *inv, const mst_manifold *m,
                                           const mst_train_options *o);

#endif
