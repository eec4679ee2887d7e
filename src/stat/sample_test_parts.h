/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of tests of several samples. */
#ifndef MST_STAT_SAMPLE_TEST_PARTS_H
#define MST_STAT_SAMPLE_TEST_PARTS_H

#include "stat/fit.h"

#include <manistat/sample_test.h>

/* ---- What changes places ---- */

/* A unit is what keeps together when labels are permuted: a row, a cluster, or the rows of a cluster in one
 * group. Labels are permuted among the units of a block: one of all units, or in paired tests each cluster.
 * Units are sorted by block and by group within it, and places are numbered as they are. */
typedef struct test_units {
    size_t groups, rows, units, blocks;
    size_t *row;          /* (rows) the rows of unit after unit */
    size_t *first;        /* (units + 1) where the rows of a unit begin in it */
    size_t *group;        /* (units) which group it is of, as the samples came */
    size_t *block;        /* (blocks + 1) the first unit of each */
    size_t *by_group;     /* (units) places, group after group */
    size_t *group_places; /* (groups + 1) where those of a group begin */
    size_t clusters;      /* 0: none were given */
    bool paired;
    double labellings; /* how many there are, the one that came included; may be INFINITY */
    double alike;      /* so many of them differ from it by the names of the groups only */
    size_t *memory;
} test_units;

/* `group` (n) and `clusters` (n) or null. */
MST_MUST_USE mst_status test_units_new(test_units *u, size_t n, size_t groups, const size_t *group,
                                       const size_t *clusters);
void test_units_free(test_units *u);
/* Which unit stands at each place (units): drawn at random, or the one of that number among all. work is
 * (units + groups). */
void test_units_draw(const test_units *u, mst_random random, size_t number, size_t *at,
                     size_t *work);
void test_units_list(const test_units *u, size_t number, size_t *at, size_t *work);

/* ---- A labelling of the rows ---- */

/* Rows group after group, unit after unit within them. */
typedef struct test_arrangement {
    size_t *at;       /* (units) which unit stands at each place */
    size_t *sizes;    /* (groups) rows */
    size_t *ends;     /* (units) where each unit ends among the rows, in their order here */
    double *x;        /* (n, D) */
    double *weights;  /* (n) or null: in paired tests a cluster weighs the same in each group */
    double *standard; /* (n): room for other weights */
    size_t *work;     /* (units + groups) */
    void *memory[2];
} test_arrangement;

/* See samples_rank. */
typedef struct test_rank {
    double p, freedom;
} test_rank;

typedef struct samples {
    const mst_score *source;
    const mst_manifold *m;
    const mst_test_options *o;
    const test_units *units;
    size_t groups, n, d, D;
    const double *x;      /* (n, D) as they came */
    const double *pooled; /* (D): the mean of all rows */
    const double
        *flat; /* (n, d): coordinates of x about it, where they are all it takes; or null */
    /* (n, d + 1), rows as they came: see samples_move; or null */
    const double *moved;
    double pooled_square; /* Σ |log|² of all rows about it; sources without a time only */
    bool timed, time_is_free;
    bool unequal_cells; /* of a paired test */
    /* the groups' terms are in units of their own errors; sources without a time only */
    bool standardised;
    double time; /* the fixed one, else 0; 1 where there is none */
    int threads;
    double observed;        /* statistic of the samples as they came */
    test_rank rank;         /* of it */
    unsigned char *exceeds; /* (permutations) */
} samples;

MST_MUST_USE mst_status test_arrangement_new(test_arrangement *a, const samples *t);
void test_arrangement_free(test_arrangement *a);
/* Copies the rows to where `at` says. */
void test_arrange(test_arrangement *a, const samples *t);

/* Of the hypothesis. */
static inline size_t null_means(const samples *t)
{
    return t->o->hypothesis == MST_EQUAL_TIMES ? t->groups : 1;
}
static inline size_t null_times(const samples *t)
{
    return t->o->hypothesis == MST_EQUAL_MEANS ? t->groups : 1;
}

/* ---- The fits of one labelling ---- */

/* `null` is a state of the common model: its means, then its times; `separate` holds a mean and a time for
 * each group. */
typedef struct comparison {
    double null_value, separate_value;
    double *null, *separate, *trial;
    double *value, *start_time; /* (groups) */
    double *precision; /* (groups) 1/s² of the means, where the groups' terms are standardised */
    fit_rows *rows;    /* (groups) */
    size_t *mean_of, *time_of; /* (groups) */
    bool null_converged, separate_converged;
    mst_fit_end null_end;
    bool values_only; /* nobody asks for the states */
    void *memory[3];
} comparison;

MST_MUST_USE mst_status comparison_new(comparison *c, const samples *t);
void comparison_free(comparison *c);

/* The fits as a function of the labelling and of nothing else but the pooled mean, which no labelling
 * changes: that makes the permutation test exact. With `thorough` the common fit starts at the separate means
 * as well. */
MST_MUST_USE mst_status samples_compare(const samples *t, const test_arrangement *a, bool thorough,
                                        comparison *c);
double samples_statistic(const comparison *c);
/* What labellings are ranked by: the p-value of the statistic by its approximate law, an F whose degrees of
 * freedom are Welch's (1951), d (n_g − 1) for each group. If one small group has nearly all the scatter, it
 * has half the degrees of freedom that its relabellings have, and the statistic itself would be above theirs
 * more often than it should. Statistics that are not in units of the groups' own spreads are ranked as they
 * are: then p is 1/(1 + T), and `freedom` INFINITY. `slack` is added to the statistic first. */
test_rank samples_rank(const samples *t, const comparison *c, double slack);

/* The same without fits, where means are averages. Needs nothing of the arrangement but where units stand. */
MST_MUST_USE mst_status samples_compare_flat(const samples *t, const test_arrangement *a,
                                             bool thorough, comparison *c);
/* Makes that possible, if it is; release *memory. */
MST_MUST_USE mst_status samples_unroll(samples *t, double **memory);
/* Σ |log|² of rows about a mean, clusters summed first if `ends` (units) tells where they end. */
MST_MUST_USE mst_status samples_scatter(const samples *t, const fit_rows *rows, const double *mean,
                                        size_t units, const size_t *ends, double *out);

/* What rows of a group count, 1/(n s²) with s the standard error of its mean, so that Σ d² about a point
 * grows by its squared distance from that mean in units of s². Where rows are independent, s² is Σ d²/(n (n −
 * 1)); clusters are summed first: `scatter` is samples_scatter. */
double samples_scale(const samples *t, double n, size_t units, double scatter);

/* ---- May the χ² law be relied on? ---- */

/* The law needs at least as many rows, less a mean per group, as it has degrees of freedom: fewer do not
 * show whether they are spread equally in all the directions that it counts. With a fixed time nothing is
 * estimated from their spread. */
bool samples_have_law(const samples *t);
/* MST_TEST_NOTE_SMALL and MST_TEST_NOTE_MODEL, of the fits of the samples as they came. */
MST_MUST_USE mst_status samples_judge_law(const samples *t, const comparison *c, unsigned *notes);

/* ---- Equal times, each row about the mean of its group ---- */

/* Are all groups' times finite, and their means found? */
bool samples_can_move(const samples *t, const comparison *c);
/* Finds the observed statistic of times. From here on labellings exchange what is left of rows
 * without the means of their groups; release *memory also after a failure. */
MST_MUST_USE mst_status samples_move(samples *t, const test_arrangement *a, const comparison *c,
                                     double **memory);
/* How far times of the groups are apart, in units of their errors; `at` (units) as in an arrangement.
 * INFINITY where a group has no positive time. */
MST_MUST_USE mst_status samples_times_apart(const samples *t, const size_t *at, double *out);

/* ---- Permutations ---- */

/* Of the labellings, or of as many as the options say: how many there were, and how many of these have at
 * least the observed statistic, which those of equal times (samples_move) have in place of that of the fits.
 * The labelling that came is not among them. */
typedef struct test_count {
    size_t labellings, above;
    size_t fewer; /* with no more degrees of freedom: small if the spreads are not equal */
    bool all;
} test_count;
MST_MUST_USE mst_status samples_count(samples *t, test_count *out);
/* (1 + #{T* ≥ T})/(1 + B): the samples as they came are one of the labellings. */
double test_p_value(const test_count *count);
/* p-value, least p-value, number of permutations and whether these are all, into the result. */
MST_MUST_USE mst_status samples_permute(samples *t, mst_test_result *r);

#endif
