/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesics between given points of manifolds that come as a metric in one chart, an embedding or equations.
 * Paths are piecewise polynomials whose energy is minimised by Newton's method from coarse to fine, many
 * pairs at once. Lengths come with an error estimate, and every pair with a status: what is claimed is a
 * minimum of the energy, and the least of those that several first paths lead to. It is the minimal geodesic
 * for certain only if the manifold is known to have no other, or the length is below the injectivity
 * radius.
 *
 * Shapes: n pairs, d the dimension, D the numbers of a row. */
#ifndef MANISTAT_GEODESIC_H
#define MANISTAT_GEODESIC_H

#include <manistat/manifold.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, word, has it an answer? */
#define MST_GEODESIC_STATUS_LIST(X)      \
    X(MINIMAL, "minimal")                \
    X(LEAST, "minimal among its starts") \
    X(LOCAL, "locally minimal")          \
    X(SADDLE, "saddle")                  \
    X(NOT_CONVERGED, "not converged")    \
    X(NO_PATH, "no path")                \
    X(LEFT_DOMAIN, "left the domain")    \
    X(NO_OTHER, "no other")              \
    X(ARRIVED, "arrived")

typedef enum mst_geodesic_status {
#define MST_GEODESIC_ENUM(name, words) MST_GEODESIC_##name,
    MST_GEODESIC_STATUS_LIST(MST_GEODESIC_ENUM)
#undef MST_GEODESIC_ENUM
} mst_geodesic_status;
/* The words above: MINIMAL no other geodesic is shorter, LEAST the shortest of those that `starts` first
 * paths led to, LOCAL one first path only; these three have a length. SADDLE: only a geodesic that is no
 * minimum was found. NO_PATH: the points lie in different components. LEFT_DOMAIN: the first path leaves the
 * domain, or the metric is not positive definite on it. NO_OTHER, where several were asked for: the first
 * paths led to no more. ARRIVED: of mst_geodesic_exp, it has an end. */
MST_API const char *mst_geodesic_status_words(mst_geodesic_status status);

/* ---- Paths kept from one solution to the next, for ends that move little ---- */
typedef struct mst_geodesics mst_geodesics;
/* For n pairs of points of m, which must live as long. It keeps as many paths of a pair as are asked for. */
MST_API MST_MUST_USE mst_status mst_geodesics_new(mst_geodesics **out, const mst_manifold *m,
                                                  size_t n);
MST_API void mst_geodesics_free(mst_geodesics *g);

/* ---- Solving ---- */
typedef struct mst_geodesic_options {
    size_t size;      /* set by the default: how much of the struct the program knows */
    double tolerance; /* default 1e-8: of the estimated error of a length, against the length */
    /* default 0: none; of vectors, against their length: ten times the estimated error divided by 1 − c² is
     * held below it, c the fraction of the way to a conjugate point */
    double log_tolerance;
    int starts; /* default 0: as many as seem to be needed; 1: one; more: at most so many, and always tried */
    mst_geodesics *warm; /* default null; else the paths to begin with, and to keep */
    /* default false; with `warm`: look for other geodesics again, not only where a
     * conjugate point came near */
    bool again;
    int threads;           /* default 0: all cores */
    mst_progress progress; /* default none */
    /* default 0, as 1: the shortest. More: for every pair up to so many different geodesics that are minima
     * of the energy, which are those without a conjugate point, the shortest first; of what the first paths
     * lead to, which are more then. */
    int several;
    /* default infinite; with `several`: only those with length² ≤ least length² + window */
    double window;
    /* default false: rows without an answer are NAN; true: they have what the path with the least error says,
     * if there was one at all. Their status is the same. */
    bool best;
} mst_geodesic_options;
MST_API mst_geodesic_options mst_geodesic_options_default(void);

/* Where to put what; null: not wanted. Rows without an answer get NAN. With `several` geodesics a pair all
 * arrays are (n, several, ...), and the second of a pair and those after it are LOCAL or NO_OTHER. */
typedef struct mst_geodesic_output {
    double *length;              /* (n) */
    double *error;               /* (n), estimated, of the length */
    double *log_x, *log_y;       /* (n, D): velocities at x towards y, and at y towards x */
    mst_geodesic_status *status; /* (n) */
    /* (n), how many first paths were tried, and how many of them led to this geodesic */
    int *starts, *agreed;
    unsigned char
        *tie; /* (n), 1: another geodesic is as long to 1e-8, or a conjugate point is as near */
    double *
        conjugate; /* (n), c: 1 at the first conjugate point; in a chart, below 1 a rough measure */
    size_t points; /* of `path` a pair, at equal times from x to y */
    double *path;  /* (n, points, D) */
    /* (n, D, D): the covariant Hessian of ½d²(·, y) at x as a bilinear form of rows, and the mixed derivative
     * −∂²(½d²)/∂x∂y with x by rows */
    double *hessian, *mixed;
    /* (n), van Vleck's determinant, det(mixed)/√(det g_x det g_y): 1 over the Jacobian of Exp */
    double *van_vleck;
} mst_geodesic_output;

/* Are log and dist of the manifold found by this? */
MST_API bool mst_geodesic_is_searched(const mst_manifold *m);

/* Geodesics from x (n, D) to y (n, D). MST_OK also if some have no answer, see their status; MST_UNABLE if
 * the manifold is given in another way than this can use. */
MST_API MST_MUST_USE mst_status mst_geodesic_solve(const mst_manifold *m, size_t n, const double *x,
                                                   const double *y,
                                                   const mst_geodesic_options *options,
                                                   const mst_geodesic_output *out);

/* y = Exp_x(v) (n, D) with a status (n) for each row: ARRIVED; or why the row of y is NAN: LEFT_DOMAIN, the
 * geodesic leaves the domain or comes where the metric is not positive definite, or NOT_CONVERGED, it is too
 * long to be followed. MST_OK also if there are such rows. y may alias x or v. */
MST_API MST_MUST_USE mst_status mst_geodesic_exp(const mst_manifold *m, size_t n, const double *x,
                                                 const double *v, double *y,
                                                 mst_geodesic_status *status);

#ifdef __cplusplus
}
#endif
#endif
