/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Heat kernels of the spaces where p depends on the distance r alone: Rᵐ, Sᵐ, Hᵐ, the circle (S¹) and
 * SO(3). Generator ½Δ, density with respect to the Riemannian volume.
 *
 * Accuracy for 1e-6 ≤ t ≤ 100 (tests/heat): log p to 1e-12 max(1, |log p|); ∂_r and ∂_t to 1e-10, of
 * max(|value|, 1/√t) and max(|value|, 1/t). ∂_r is 0 exactly where it vanishes by symmetry and keeps its
 * relative accuracy near those points, and so does dr_over_sin everywhere. ∂²_r is good to 1e-10 of
 * max(|value|, 1/t); on Hᵐ for t > 10 only to 1e-8. Rows are independent: not a bit of one depends on the
 * others. */
#ifndef MST_HEAT_RADIAL_H
#define MST_HEAT_RADIAL_H

#include <stddef.h>

/* Arrays (n) of results; any may be null, and what is null is not computed where that saves time.
 *
 * sin_k(r) is the radius of a geodesic sphere: r, sin r, sinh r, and 2 sin(r/2) for SO(3); cos_k is its
 * derivative. With them the score is a smooth vector, dr_over_sin·sin_k(r)·(unit vector away from x), and
 * the Hessian of log p has the eigenvalue drr once, in the radial direction, and dr_over_sin·cos_k(r)
 * m − 1 times, across it. (On Hᵐ dr_over_sin is below the range of doubles for r > 700.) */
typedef struct mst_radial_out {
    double *logp;
    double *dr;          /* ∂_r log p */
    double *dr_over_sin; /* ∂_r log p / sin_k(r); finite, also at r = 0 and at the cut locus */
    double *dt;          /* ∂_t log p */
    double *drr;         /* ∂²_r log p */
} mst_radial_out;

/* Rows r ≥ 0, t > 0 (n), all finite; outputs must not overlap inputs. eps is π − r ≥ 0 with full relative
 * accuracy, also close to the cut locus r = π, where the digits of r itself are not enough.
 *
 * Sᵐ: m ≥ 1, tested to 200. Hᵐ: m ≥ 1; the accuracy above holds to m = 50, and to m = 100 for t ≤ 10. */
void mst_radial_euclidean(size_t m, size_t n, const double *r, const double *t,
                          const mst_radial_out *out);
void mst_radial_sphere(size_t m, size_t n, const double *r, const double *eps, const double *t,
                       const mst_radial_out *out);
void mst_radial_hyperbolic(size_t m, size_t n, const double *r, const double *t,
                           const mst_radial_out *out);
/* r is the rotation angle. */
void mst_radial_so3(size_t n, const double *r, const double *eps, const double *t,
                    const mst_radial_out *out);

/* π − r for a double r in [0, π]; the double nearest to π stands for the cut point and gives 0. */
double mst_radial_eps(double r);

#endif
