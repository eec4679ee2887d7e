/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The third and fourth term of the expansion where the curvature is 1: b₃ and b₄ as power series in z = r²,
 * which converge up to the conjugate point at z = π². With curvature κ they are κ³ b₃(κr²) and κ⁴ b₄(κr²). */
#ifndef MST_SCORE_EXPANSION_SERIES_H
#define MST_SCORE_EXPANSION_SERIES_H

#include <stddef.h>

enum { EXPANSION_TERMS = 48 };

typedef struct expansion_series {
    double third[EXPANSION_TERMS], fourth[EXPANSION_TERMS];
} expansion_series;

/* In dimension `dim`. */
void expansion_series_make(size_t dim, expansion_series *s);

/* t³b₃ + t⁴b₄ and its derivatives by z and t. They fade out beyond seven tenths of the way to the conjugate
 * point, and where (dim − 1)t is so large that terms no longer fall. z ≥ 0. */
typedef struct expansion_more {
    double value, by_z, by_t;
} expansion_more;
expansion_more expansion_series_at(const expansion_series *s, size_t dim, double z, double t);

#endif
