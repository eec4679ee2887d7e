/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is a manifold what it is said to be? One that is given by a metric, an embedding or equations, in a formula
 * file or in C, is tested on random points: is the metric finite, positive and smooth, are its periods
 * periods, has the embedding or have the equations full rank, is it connected and complete, and are the
 * statements about it (compact, Hadamard, injectivity radius) possible? A test on points can find what is
 * wrong; that it finds nothing is no proof. */
#ifndef MANISTAT_EXAMINE_H
#define MANISTAT_EXAMINE_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, word: OK as it should be; NOTE good to know; WARNING a statement that is wrong, or a property that
 * answers will suffer from; ERROR places where nothing can be computed. */
#define MST_FINDING_LEVELS(X) \
    X(OK, "ok")               \
    X(NOTE, "note")           \
    X(WARNING, "warning")     \
    X(ERROR, "error")
typedef enum mst_finding_level {
#define MST_FINDING_ENUM(name, word) MST_FINDING_##name,
    MST_FINDING_LEVELS(MST_FINDING_ENUM)
#undef MST_FINDING_ENUM
} mst_finding_level;
MST_API const char *mst_finding_word(mst_finding_level level);

typedef struct mst_finding {
    mst_finding_level level;
    const char *topic; /* "metric", "smoothness", "periods", "rank", "curvature", "connectedness",
                          "completeness", "compactness", "hadamard", "injectivity" */
    char *text;        /* one line */
    double *point;     /* (D), where it was seen, or null */
} mst_finding;

typedef struct mst_examination {
    size_t count;
    mst_finding *findings;
    mst_finding_level worst; /* of the findings */
    size_t points;           /* that were usable */
    /* Of the metric in coordinates, or of G Gᵀ for the gradients G of equations */
    double least_eigenvalue, greatest_eigenvalue, worst_condition;
    /* Eigenvalues of the Ricci tensor, which on surfaces are the Gauss curvature, and the scalar curvature;
     * NAN: not computed, in more than 12 dimensions */
    double ricci_min, ricci_max, scalar_min, scalar_max;
} mst_examination;
MST_API void mst_examination_free(mst_examination *e);

typedef struct mst_examine_options {
    size_t size;           /* set by the default: how much of the struct the program knows */
    size_t points;         /* default 512; 16 … 1000000 */
    uint64_t seed;         /* default 2712 */
    int threads;           /* default 0: all cores; for geodesics between points */
    mst_progress progress; /* default none; in tests */
} mst_examine_options;
MST_API mst_examine_options mst_examine_options_default(void);

/* Findings in a fixed order, one at least for each test. MST_UNABLE if the manifold is not given by a metric
 * or equations; MST_DOMAIN if its start is no point of it, so that nothing can be examined. */
MST_API MST_MUST_USE mst_status mst_manifold_examine(mst_examination **out, const mst_manifold *m,
                                                     const mst_examine_options *options);

#ifdef __cplusplus
}
#endif
#endif
