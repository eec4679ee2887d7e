/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the files of the certificate share. */
#ifndef MST_STAT_CHECK_PARTS_H
#define MST_STAT_CHECK_PARTS_H

#include "score/network.h"
#include "train/samples.h"

#include <manistat/check.h>

/* The source under test. */
typedef struct check_subject {
    const mst_score
        *source; /* networks at all times: differences step over the ends of the range */
    const mst_score *reference; /* to compare with; null: none */
    /* A reference of random values, with which the random targets make an estimate of the squared error that
     * is free of both noises; null: none. Then `reference` is null. */
    const mst_score *judge;
    /* Of bridges with many paths, the other half of them: in place of the random targets, whose noise is that
     * of one path; null: there are too few. */
    const mst_score *twin;
    const mst_score *baseline; /* a network without its weights; null: the source is none */
    const mst_manifold *m;
    const mst_check_options *o;
    size_t d, D;
    double t_min, t_max;
    bool fixed_time; /* one time only */
    bool time;       /* the source has a time, and so a derivative by it */
    bool formula; /* which is ½(div ŝ + |ŝ|²) by its making, and needs no comparison with it */
} check_subject;

/* Scores of rows x, y (n, D) at the times t (n), numbered from `first`. Sources without a time are small-time
 * limits of t·s, and the score that they stand for is divided by t. */
MST_MUST_USE mst_status check_score(const mst_score *source, size_t n, const double *x,
                                    const double *y, const double *t, uint64_t first,
                                    double *score);
/* Do source and reference both have a derivative by t? */
bool check_times_compare(const check_subject *s);

/* Random numbers are functions of the seed, the number of the interval and the purpose. */
typedef enum check_purpose {
    CHECK_PATHS,
    CHECK_DIRECTIONS,
    CHECK_START,
    CHECK_POINTS
} check_purpose;
uint64_t check_seed(const check_subject *s, size_t interval, check_purpose purpose);

/* A plan for independent samples of one time. */
MST_MUST_USE mst_status check_plan(const check_subject *s, double t, uint64_t seed,
                                   sample_plan **out);

/* Sums over the samples of a block, or of an interval. */
typedef struct check_sums {
    double rows, loss, baseline_loss;
    double ws, ss, ws_ws, ws_ss, ss_ss; /* of <w, ŝ> and |ŝ|² */
    double error, size;                 /* of |ŝ − s|² and |s|² */
    double left_out;                    /* rows that the reference does not trust */
    double up, pp, up_up, up_pp, pp_pp; /* the same of u φ̂ and φ̂² */
    double twist;                       /* of (φ̂(x, y) − φ̂(y, x))² */
    double time_error, time_size;       /* of (φ̂ − ∂_t log p)² and (∂_t log p)² */
    double residual, motion;            /* of the heat equation and of <∂_t ŝ, v>, squared */
    double head_error, head_size;       /* of (φ̂ − ½(div ŝ + |ŝ|²))² and φ̂² */
    /* With the judge's score s̃ and derivative φ̃, independent of w and u: of a = <w − ŝ, s̃ − ŝ> and b =
     * <w, s̃>, whose means are |s − ŝ|² and |s|², their squares and products; and the same for the times. */
    double a, b, a_a, a_b, b_b;
    double c, e, c_c, c_e, e_e;
} check_sums;

enum { CHECK_BLOCK = 256, CHECK_TIME_ROWS = CHECK_BLOCK / 4, CHECK_HEAT_ROWS = CHECK_BLOCK / 8 };

/* `n` samples of time t, the block number `block` of an interval, n ≤ CHECK_BLOCK. */
MST_MUST_USE mst_status check_block(const check_subject *s, size_t interval, size_t block, size_t n,
                                    double t, check_sums *sums);
/* The share of the heat equation in it: rows x, y (n, D) of time t with the source's
 * time derivatives (n). */
MST_MUST_USE mst_status check_heat(const check_subject *s, size_t n, const double *x,
                                   const double *y, double t, const double *time_derivative,
                                   uint64_t seed, uint64_t first, check_sums *sums);
/* The numbers of a band from its sums. */
void check_summarise(const check_subject *s, const check_sums *u, mst_check_band *b);
/* Its shifts and gaps; the progress is that of the simulation. */
MST_MUST_USE mst_status check_recover(const check_subject *s, size_t interval,
                                      mst_progress progress, mst_check_band *band);

/* Is every number of the band good enough that could be measured? */
const char *check_fault(const check_subject *s, const mst_check_band *b);
/* t_low and t_high from what is usable. */
void check_range(mst_certificate *c);

#endif
