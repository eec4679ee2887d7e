/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How often an interval holds the truth, or a test rejects a true hypothesis, over simulated data sets; and
 * what is promised of that rate.
 *
 * An answer is *flagged* when it comes with a warning that names what is wrong with the data, or with a
 * refusal to answer that says why. Of laws that the method cannot handle, 95 % of the sets are flagged or the
 * rate is as good as that of any other law. Of laws that follow the model the rate is right, and at most 2 %
 * of the sets are flagged. */
#ifndef TEST_RATES_H
#define TEST_RATES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct outcome {
    bool answered; /* there is a region, an interval or a p-value */
    bool hit;      /* it holds the truth; or, for a test, p < 0.05 */
    bool flagged;  /* a warning or a refusal names the cause */
} outcome;

/* Data set number `set`, counted from 0; called from several threads at once. */
typedef outcome (*simulated_set)(const void *law, size_t set);

typedef struct rates {
    size_t sets, answered, hits, flagged;
} rates;

/* Simulates 400 sets, or as many as MST_SETS says, beginning with number MST_FIRST_SET. */
rates simulate(simulated_set f, const void *law);

/* Each prints a line with the counts and fails if a promise is broken. Limits are 92 to 98 % for coverage and
 * 2 to 8 % for rejections, of the answers; with 400 sets right code of the nominal rate leaves them about
 * once in 150 fresh seeds. They widen with fewer sets, to three standard deviations. */
void assert_coverage(const char *name, rates r); /* any law */
void assert_coverage_of_model(const char *name,
                              rates r);            /* data follow the model: few are flagged */
void assert_rejections(const char *name, rates r); /* any law */
void assert_rejections_of_model(const char *name, rates r);

#endif
