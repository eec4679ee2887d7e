/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What is wrong with the signals that `cov` has read: singular covariances and the
 * channels that make them so. */
#ifndef MST_CLI_COV_FAULTS_H
#define MST_CLI_COV_FAULTS_H

#include "common.h"
#include "util/json.h"

typedef struct cov_faults {
    const invocation *inv;
    const mst_signals *signals;
    size_t channels;
    uint64_t singular, first_singular; /* epochs, the first counted from 0 */
    size_t rank;                       /* of the first */
    uint64_t referenced;               /* whose channels sum to zero */
    uint64_t *constant;                /* (channels): in how many epochs */
    uint64_t *copied;                  /* (channels): likewise, */
    size_t *original;                  /* (channels): and of which channel it was a copy first */
} cov_faults;

/* Close it in either case. */
MST_MUST_USE mst_status cov_faults_open(cov_faults *f, const invocation *inv,
                                        const mst_signals *signals);
void cov_faults_close(cov_faults *f);
/* An epoch more; `twin` as of mst_covariance. */
void cov_faults_add(cov_faults *f, uint64_t epoch, const mst_covariance_info *info,
                    const size_t *twin);
/* Of so many epochs of so many samples; a line for each kind of fault. */
void cov_faults_tell(const cov_faults *f, size_t count, size_t samples, size_t divisor,
                     bool shrunk);
/* "singular", "constant_channels", "copied_channels". */
void cov_faults_json(const cov_faults *f, mst_json *j);

#endif
