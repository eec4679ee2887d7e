/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How wrong is a score network? Measured on fresh simulated data, in bands of t; the result is the model's certificate. */
#ifndef MANISTAT_CHECK_H
#define MANISTAT_CHECK_H

#include <manistat/network.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_check_options {
    size_t samples; /* default 65536 a band */
    bool exact;     /* default true: compare with the exact kernel where there is one */
    bool recover;   /* default true: means of simulated data */
    uint64_t seed;  /* default 4711: not that of a training */
    int threads;    /* default 0: all cores */
    mst_progress progress;
} mst_check_options;

MST_API mst_check_options mst_check_options_default(void);

/* One band of times. Relative errors are √(Σ|ŝ − s|²/Σ|s|²). NAN where it could not be measured. */
typedef struct mst_check_band {
    double t_low, t_high;
    double
        excess; /* held-out loss E t|ŝ − w|²/d minus that of the baseline alone, over the latter's: −1 is perfect without noise */
    double slope;       /* E<w, ŝ>/E|ŝ|², 1 if the network is unbiased */
    double slope_error; /* its standard error */
    double
        asymmetry; /* does ŝ come from a symmetric p? relative size of the difference of ∂_t log p at (x, y) and (y, x) */
    double
        heat_residual; /* relative size of ∂_t log p by the divergence minus by the held-out target's slope */
    double score_error; /* relative, against the exact kernel */
    double time_error;  /* of ∂_t log p, relative, against the exact kernel */
    double
        mean_shift; /* distance of the network's mean from the truth, in standard errors; simulated data, t in the middle of the band */
    double time_shift; /* its time from the truth, in standard errors */
    bool usable;
} mst_check_band;

enum { MST_CHECK_BANDS = 6 };

typedef struct mst_certificate {
    size_t bands;
    mst_check_band band[MST_CHECK_BANDS];
    mst_check_band all;   /* over t uniform in [max(0.02, t_min), t_max] */
    double t_low, t_high; /* the times for which the model may be used */
    bool against_exact;
} mst_certificate;

MST_API MST_MUST_USE mst_status mst_network_check(mst_certificate *out, const mst_network *net,
                                                  const mst_check_options *options);
/* As a JSON text, for mst_network_certify; release with free. */
MST_API MST_MUST_USE mst_status mst_certificate_json(char **out,
                                                     const mst_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
