/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Pairs of positive definite matrices with their distances in 80 digits, of
 * tests/data/reference/spd_metrics.csv. */
#ifndef TEST_SPD_REFERENCE_H
#define TEST_SPD_REFERENCE_H

#include "support/support.h"

enum { SPD_LARGEST = 8, SPD_ENTRIES = SPD_LARGEST * SPD_LARGEST };

typedef struct spd_pair {
    size_t n;
    double condition;
    double p[SPD_ENTRIES], q[SPD_ENTRIES];
    double log_cholesky, bures;    /* distances */
    double bures_log[SPD_ENTRIES]; /* Log_P(Q) */
} spd_pair;

/* Calls `check` for every pair; fails the test if there are not as many as the file should have. */
void for_spd_pairs(void (*check)(const spd_pair *pair));

/* A random point: eigenvalues from 1 to 1/condition in a random basis, times `scale`. */
void random_spd(dice *d, size_t n, double condition, double scale, double *p);
/* A random rotation or reflection. */
void random_orthogonal(dice *d, size_t n, double *q);
/* out = A P Aᵀ, symmetric. */
void congruent(size_t n, const double *a, const double *p, double *out);

#endif
