/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The certificate of a model: from its text, which is what files hold, as a table for people and as JSON. */
#ifndef MST_CLI_CERTIFICATE_H
#define MST_CLI_CERTIFICATE_H

#include "options.h"
#include "util/json.h"

#include <stdio.h>

/* The numbers of a band of times, under their names in mst_check_band. */
#define BAND_NUMBERS(X) \
    X(t_low)            \
    X(t_high)           \
    X(excess)           \
    X(slope)            \
    X(slope_error)      \
    X(time_slope)       \
    X(time_slope_error) \
    X(asymmetry)        \
    X(heat_residual)    \
    X(score_error)      \
    X(time_error)       \
    X(mean_shift)       \
    X(time_shift)       \
    X(mean_gap)         \
    X(time_gap)

typedef struct certificate_band {
#define BAND_MEMBER(name) double name;
    BAND_NUMBERS(BAND_MEMBER)
#undef BAND_MEMBER
    bool usable;
    char fault[24]; /* why not, a name of the above, or empty */
} certificate_band;

/* NAN is what the text does not tell. */
typedef struct certificate {
    size_t bands;
    certificate_band band[MST_CHECK_BANDS], all;
    double t_low, t_high; /* times to use the model for */
    char against[64];     /* "exact", another source, or "none" */
} certificate;

/* False if there is none or it is no certificate. */
bool certificate_read(certificate *out, const char *text);
MST_MUST_USE mst_status certificate_print(const certificate *c, FILE *out);
/* The member "certificate"; null if `c` is. */
void certificate_json(const certificate *c, mst_json *j);

#endif
