/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The parts of k-means. */
#ifndef MST_STAT_KMEANS_PARTS_H
#define MST_STAT_KMEANS_PARTS_H

#include "stat/bfgs.h"
#include "stat/distances.h"

#include <manistat/cluster.h>

static const size_t kmeans_no_label = SIZE_MAX;

/* With millions of rows some label always moves: an iteration that gains less than this share of the inertia
 * is the last one. */
static const double kmeans_least_gain = 1e-8;

/* What manifolds that search for geodesics in a way of their own keep of those from k centres to n rows, so
 * that the search for the next, of a centre that has moved a little, is short. */
typedef struct kmeans_kept {
    size_t n, keep;
    double *numbers; /* (k, n, keep); NAN: nothing yet. Null: nothing is kept */
} kmeans_kept;
/* No numbers where nothing can be kept, or it would be too much. */
MST_MUST_USE mst_status kmeans_kept_new(kmeans_kept *kept, const mst_manifold *m,
                                        distance_function *distances, size_t n, size_t k);
void kmeans_kept_free(kmeans_kept *kept);
/* That of centre c alone. */
kmeans_kept kmeans_kept_of(const kmeans_kept *kept, size_t c);
/* How exact distances are that come from there. */
static const double kmeans_kept_tolerance = 1e-6;

/* Each row to the nearest of k centres. */
typedef struct kmeans_assignment {
    const mst_manifold *m;
    distance_function *distances;
    size_t k;
    const double *centres, *x;
    size_t *labels;  /* read as well: a label stays where another centre is as near */
    double *squared; /* or null */
    kmeans_kept kept;
} kmeans_assignment;
/* Distances r (count) from centre c to rows, whose numbers count from `at`; x (count, D) has them. `rows`
 * null: they stand one after the other. */
MST_MUST_USE mst_status kmeans_measure(const kmeans_assignment *a, size_t c, size_t at,
                                       size_t count, const size_t *rows, const double *x,
                                       double *r);
MST_MUST_USE mst_status kmeans_assign(kmeans_assignment a, size_t n, int threads);

/* The same with bounds by the triangle inequality (Hamerly 2010), for centres that move a little from one
 * call to the next: a row whose own centre is nearer than any other can be looks at no other. Labels and
 * distances are those of kmeans_assign. */
typedef struct kmeans_bounds {
    double *lower;  /* (n): distances from centres other than that of the label are not less */
    double *upper;  /* (n): that from the centre of the label is not more; null: not wanted */
    double *before; /* (k, D): the centres of the last call */
    double slack;   /* rows that are surer than this of their centre need no new bounds */
    bool begun;     /* there was one */
} kmeans_bounds;
/* Do distances on the manifold obey that inequality to rounding? */
bool kmeans_can_bound(const mst_manifold *m, distance_function *distances);
MST_MUST_USE mst_status kmeans_assign_near(kmeans_assignment a, size_t n, int threads,
                                           kmeans_bounds *bounds);

/* After a call of that: labels only, for centres that have moved little. Rows that upper bounds make sure of
 * are not looked at, and their squared distances stay as they were. */
MST_MUST_USE mst_status kmeans_assign_loosely(kmeans_assignment a, size_t n, int threads,
                                              kmeans_bounds *bounds);

/* One restart: labels and centres improved in turn. */
typedef struct kmeans_lloyd {
    const mst_manifold *m;
    distance_function *distances;
    const mst_score *source;
    const mst_kmeans_options *o;
    size_t n, d, D, k;
    const double *x;
    int threads;
    size_t *labels, *previous; /* (n) */
    double *squared;           /* (n), to the own centre */
    double *rows, *weights;    /* that carry weight, by cluster: (n, D), (n) */
    size_t *first;             /* (k + 1): where those of each cluster begin */
    double *spread;            /* (k): mean of their squared distances from their centres */
    double *centres, *times;   /* the caller's: (k, D), (k) */
    double *mass;              /* (k), Σ w of the clusters */
    unsigned char *settled;    /* (k): the centre is the mean of these very rows */
    kmeans_bounds bounds;      /* lower null: none */
    kmeans_kept kept;
    double *past; /* (2, k, D): the centres of two steps, for leaps; null: none are made */
    bfgs steps;   /* what rounds have learnt, in the frames of the centres; with `past` */
    bool leapt;   /* the centres come from a leap, and those before it are in `past` */
    bool rounded; /* rounds have nothing more to gain, or were taken back */
    bool careful; /* centres look at where their steps lead */
} kmeans_lloyd;

static inline double kmeans_weight(const kmeans_lloyd *l, size_t i)
{
    return l->o->weights != NULL ? l->o->weights[i] : 1;
}

typedef struct kmeans_outcome {
    double inertia;
    size_t iterations;
    mst_fit_end end;
} kmeans_outcome;

/* From the seeds of number `restart` to the end; what is allocated in `l` is gone then. */
MST_MUST_USE mst_status kmeans_run(kmeans_lloyd l, size_t restart, kmeans_outcome *out);
/* The same from centres that are nearly right. */
MST_MUST_USE mst_status kmeans_go_on(kmeans_lloyd l, kmeans_outcome *out);

/* After two steps, from the states of `past` to the present centres: as far on as they point. */
MST_MUST_USE mst_status kmeans_leap(kmeans_lloyd *l);

/* Lloyd's iteration, with leaps, on sums over the clusters that labels change and centres do not: from where
 * all distances and labels are known to where centres have gone too far for that, or hardly move. The centres
 * before are in `past`, and `leapt` is set; `rounded` in the latter case. Nothing moves
 * if it is not possible. */
MST_MUST_USE mst_status kmeans_rounds(kmeans_lloyd *l);
bool kmeans_has_rounds(const kmeans_lloyd *l);

/* The rows of all clusters, those of each next to each other, in their order, and their spreads. */
void kmeans_gather(kmeans_lloyd *l);
/* One step along the mean logarithm of cluster c at its centre, by what is kept; its length against the root
 * of the mean squared distance. INFINITY, and the centre stays: some row has no geodesic. */
MST_MUST_USE mst_status kmeans_kept_step(kmeans_lloyd *l, size_t c, double *part);
/* What is kept of the rows of cluster c, in their order, (count, keep). */
void kmeans_kept_gather(const kmeans_lloyd *l, size_t c, double *numbers);
/* The centre of cluster c, of rows that were gathered, and its time: one Newton step, or
 * with `tight` all it takes. */
MST_MUST_USE mst_status kmeans_fit_centre(kmeans_lloyd *l, size_t c, bool tight);

#endif
