/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Real spherical harmonics, orthonormal on the unit sphere, as polynomials in R³ that have no singular
 * derivatives anywhere: Q(z) times the real and the imaginary part of (x + iy)^m. */
#ifndef MST_SPECTRAL_HARMONICS_H
#define MST_SPECTRAL_HARMONICS_H

#include <stdbool.h>
#include <stddef.h>

/* Value, derivatives x, y, z, and xx, yy, zz, xy, xz, yz. */
enum { HARMONICS_ROWS = 10 };

/* Of all degrees up to this one. */
size_t harmonics_count(size_t degree);
size_t harmonics_work(size_t degree);
/* At a unit vector: out (HARMONICS_ROWS, count), the first four rows unless `second`; degree by degree. */
void harmonics_at(size_t degree, const double *omega, bool second, double *work, double *out);

#endif
