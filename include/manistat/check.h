/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How wrong is a score source? Measured on fresh simulated data and, where there is one,
 * against another source, in bands of t; the result of a network is its certificate. */
#ifndef MANISTAT_CHECK_H
#define MANISTAT_CHECK_H

#include <manistat/network.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_check_options {
    size_t size;    /* set by the default: how much of the struct the program knows */
    size_t samples; /* default 65536 a band, at least 256; all of them are independent paths */
    /* default true, mst_network_check only: compare with the exact kernel where there is one */
    bool exact;
    bool recover;  /* default true: means of simulated data */
    uint64_t seed; /* default 4711: not that of a training */
    /* default null: paths start as they do in a training without `start`; else those of
     * the training, (starts, D) */
    const double *start;
    size_t starts;
    int threads;           /* default 0: all cores; the result does not depend on it */
    mst_progress progress; /* default none; in samples. Stopped: MST_INTERRUPTED */
    /* default 0: the times that source and reference both know; 0.005 and 1 where they know no bound */
    double t_min, t_max;
} mst_check_options;

MST_API mst_check_options mst_check_options_default(void);

/* One band of times, the samples' times being spread evenly over it. With the source's score ŝ and time
 * derivative φ̂ = ∂_t log p, and with random targets w and u whose conditional means given (x, y, t) are the
 * true s and ∂_t log p. Relative errors are √(Σ|ŝ − s|²/Σ|s|²). A source
 * without a time counts as t·ŝ: the small-time limit is measured at each t. NAN where it
 * could not be measured. */
typedef struct mst_check_band {
    double t_low, t_high;
    /* Held-out loss E t|ŝ − w|²/d minus that of the baseline alone, over the latter's: −1 is perfect without
     * noise. NAN where the baseline is exact to single precision, and for sources that are no network. */
    double excess;
    double slope;       /* E<w, ŝ>/E|ŝ|², 1 if the source is unbiased */
    double slope_error; /* its standard error */
    double time_slope; /* E u φ̂/E φ̂², 1 if the source is unbiased; a quarter of the samples */
    double time_slope_error;
    /* Does ŝ come from a symmetric p? RMS of φ̂(x, y) − φ̂(y, x) over that of φ̂(x, y); a
     * quarter of the samples. */
    double asymmetry;
    /* Does ŝ solve the heat equation? RMS of <∂_t ŝ − ½∇(div ŝ + |ŝ|²), v> over that of <∂_t ŝ, v>, with v a
     * random unit vector at y and derivatives by differences (of 0.01 t and 0.01 √t, without a Hessian 0.05
     * √t); an eighth of the samples. It needs no targets and so has no noise. Unless φ̂ is that formula by
     * its making, as it is in a network without a time head, the larger of this and of the RMS of φ̂ − ½(div
     * ŝ + |ŝ|²) over that of φ̂; for a fixed time only the latter. */
    double heat_residual;
    double
        score_error; /* relative, against the reference; see mst_score_check where that is random */
    double time_error; /* of φ̂, relative, against the reference; a quarter of the samples */
    /* 1000 points simulated from a random start μ for the time in the middle of the band; the source's mean
     * and time of them. Standard errors are those of the reference's estimate, or of the source's without
     * one; that of the mean is the root of the trace of its covariance. INFINITY where the source's fit
     * failed, NAN where that of the reference did. */
    double mean_shift; /* distance of the source's mean from μ, in standard errors: about 1 */
    double time_shift; /* its time from the truth, in standard errors; NAN for a fixed time */
    /* distance of the source's mean from the reference's for the same points, in standard errors */
    double mean_gap;
    double time_gap; /* the same for the time */
    /* Where the reference is random: the standard errors of score_error and time_error, and what score_error
     * exceeds in one case of 40. NAN otherwise. */
    double score_error_se, time_error_se, score_bound;
    /* The share of the pairs that score_error is of: a reference with a validity number answers for those
     * that it trusts. NAN without a reference. */
    double compared;
    bool usable; /* every number that could be measured is good enough, see mst_score_check */
    /* Else the name of the first of these numbers that is not, "time_gap"; a constant. Null if usable. */
    const char *fault;
} mst_check_band;

/* The numbers of a band by name, in the order of the text of a certificate. */
#define MST_CHECK_NUMBERS(X) \
    X(t_low)                 \
    X(t_high)                \
    X(excess)                \
    X(slope)                 \
    X(slope_error)           \
    X(time_slope)            \
    X(time_slope_error)      \
    X(asymmetry)             \
    X(heat_residual)         \
    X(score_error)           \
    X(time_error)            \
    X(mean_shift)            \
    X(time_shift)            \
    X(mean_gap)              \
    X(time_gap)              \
    X(score_error_se)        \
    X(time_error_se)         \
    X(score_bound)           \
    X(compared)

enum { MST_CHECK_BANDS = 6 };

typedef struct mst_certificate {
    size_t bands;
    mst_check_band band[MST_CHECK_BANDS];
    mst_check_band all; /* over t uniform in [max(0.02, t_min), t_max]; t_min … t_max below 0.02 */
    /* The times for which the source may be used, the longest run of usable bands (by the
     * ratio of its ends); NAN: none. */
    double t_low, t_high;
    char against[64]; /* the name of the reference, "exact", or "none" */
    size_t samples;   /* a band */
    uint64_t seed;
    char network[MST_FINGERPRINT]; /* of the network it is of; empty: it does not say */
} mst_certificate;

/* The subject, any source, against the reference, any other on the same manifold, or null. A network is
 * measured beyond the ends of its times where differences need that, and without the option t_min … t_max
 * between them. A band is usable if
 *   excess ≤ 3: the network's error is at most about twice that of the baseline that it stands on,
 *   slope is within max(0.02, 4 standard errors) of 1, and time_slope within max(0.05, 4 standard errors),
 *   asymmetry ≤ 0.05 and heat_residual ≤ 0.2,
 *   score_error ≤ 0.05 and time_error ≤ 0.1,
 *   mean_gap and time_gap ≤ 0.5 with a reference, else mean_shift and time_shift ≤ 4.
 * A reference whose values are random (noise > 0, as bridges are) is a judge: with its score s̃ and the
 * target w of the path that made the pair, both of mean s and independent, the mean of <w − ŝ, s̃ − ŝ> is |s
 * − ŝ|², free of the noise of both, so that few paths a pair are enough and errors below that noise are seen.
 * Bridges of 64 paths or more are cut into halves in the places of w and s̃, on a quarter of the pairs.
 * score_error and time_error then have standard errors, by two of which they may exceed their limits, and
 * means are not compared. Rows that a reference does not trust (validity) are left out of its comparison. */
MST_API MST_MUST_USE mst_status mst_score_check(mst_certificate *out, const mst_score *subject,
                                                const mst_score *reference,
                                                const mst_check_options *options);
/* The same for a network, which is only read, against the exact kernel where there is one. */
MST_API MST_MUST_USE mst_status mst_network_check(mst_certificate *out, const mst_network *net,
                                                  const mst_check_options *options);
/* As a JSON text, for mst_network_certify; release with free. One object: version, network (its fingerprint),
 * against (the name of the reference, or "none"), samples, seed, t_low, t_high, bands (an array of objects)
 * and all, the members of a band under their names here; what is not finite is null. */
MST_API MST_MUST_USE mst_status mst_certificate_json(char **out,
                                                     const mst_certificate *certificate);
/* Back from the text. What it does not tell is NAN, and a seed above 2^53 is rounded. MST_FORMAT if it is no
 * certificate, and for an empty text. */
MST_API MST_MUST_USE mst_status mst_certificate_parse(mst_certificate *out, const char *text);

/* Is the certificate that a network carries worth anything? */
typedef enum mst_certificate_standing {
    MST_CERTIFICATE_VALID,
    MST_CERTIFICATE_NONE,
    MST_CERTIFICATE_UNREADABLE,
    MST_CERTIFICATE_FOREIGN, /* of other weights, or it does not say of which */
} mst_certificate_standing;
/* *out (or null) is set if it is valid. */
MST_API mst_certificate_standing mst_network_certificate(const mst_network *net,
                                                         mst_certificate *out);

/* What training and certificate of a network say of a time. */
typedef enum mst_time_standing {
    MST_TIME_USABLE,      /* certified; without a certificate: trained */
    MST_TIME_UNCERTIFIED, /* trained, but not found good enough */
    MST_TIME_UNTRAINED,
    MST_TIME_HOPELESS, /* the certificate finds no time usable */
} mst_time_standing;
/* *low … *high (or null) is the range that decides: that of the training for MST_TIME_UNTRAINED and
 * MST_TIME_HOPELESS, else what the certificate leaves of it. A certificate that is not valid
 * restricts nothing. */
MST_API mst_time_standing mst_network_time(const mst_network *net, double t, double *low,
                                           double *high);

#ifdef __cplusplus
}
#endif
#endif
