/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds that find their geodesics in a way of their own: mst_geodesic_solve asks them in the place of the
 * general solver. */
#ifndef MST_GEODESIC_OWN_H
#define MST_GEODESIC_OWN_H

#include <manistat/geodesic.h>

/* What is kept (n, keep) of the geodesics of a manifold with a way of its own, after one geodesic of each
 * pair was asked for; null: nothing. */
const double *geodesics_own(const mst_geodesics *g);
/* Takes such numbers as first guesses. */
void geodesics_put_own(mst_geodesics *g, const double *numbers);
/* From now on pairs that the quick ways do not join have no geodesic, as is enough for a rough start. */
void geodesics_hasten(mst_geodesics *g);

/* What the expansion of the heat kernel takes from one geodesic from y to x: −r²/2t − (d/2) log 2πt + b + t
 * a, with gradients in y as tangent vectors. */
typedef struct mst_ray {
    double square, b, a;             /* r², b₀ = −½ log Θ, a₁ */
    double *log, *slope_b, *slope_a; /* (D) */
    double *hessian;                 /* (d, d) of ½r² in the frame at y; null: not wanted */
    double *keep;                    /* what to keep of it, (keep) */
} mst_ray;

typedef struct mst_own_geodesics {
    /* Numbers to keep of a geodesic for one who asks again. Times s they are a guess for it cut short, s of
     * its length. */
    size_t (*keep)(const mst_manifold *m);
    /* As mst_geodesic_solve, on one thread, without hessian and mixed. kept (n, several, keep) or null: first
     * guesses, NAN where there is none, and what was found. `hasty`: who takes long has none. */
    mst_status (*solve)(const mst_manifold *m, size_t n, const double *x, const double *y,
                        const mst_geodesic_options *options, bool hasty, double *kept,
                        const mst_geodesic_output *out);
    const char *advice; /* what to do where geodesics are not found */
    /* The strongest tie between parts of the point x that would be alone in flat space, 0 … 1; or null. */
    mst_status (*coupling)(const mst_manifold *m, const double *x, double *coupling);
    /* For the expansion, or null: room for one thread; then for a pair up to `several` geodesics without a
     * conjugate point, the shortest first, *count of them. warm (keep) or null: a first guess of the
     * shortest; then no others are looked for. `hasty` as above. A guess for next time, or NAN, is left in
     * rays[0].keep even if there are none. */
    mst_status (*room)(const mst_manifold *m, void **room);
    void (*release)(void *room);
    mst_status (*rays)(const mst_manifold *m, void *room, const double *y, const double *x,
                       const double *warm, bool hasty, size_t several, mst_ray *rays,
                       size_t *count);
} mst_own_geodesics;

#endif
