/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the two oracles of radial heat kernels share: a kernel and its derivatives as balls. */
#ifndef MST_TEST_ARB_JET_H
#define MST_TEST_ARB_JET_H

#include "support/arb_oracle.h"

#include <arb.h>
#include <stdbool.h>

/* p, ∂_r p, ∂_r p/sin_k, ∂_t p, ∂²_r p */
enum { VALUE, SLOPE, OVER, TIME, SECOND, JET };

void jet_init(arb_t jet[JET]);
void jet_clear(arb_t jet[JET]);
/* Are the radii below 2^−67 of the values? */
bool jet_is_accurate(arb_t jet[JET]);
/* Derivatives of log p, rounded to double. */
oracle_row jet_row(arb_t jet[JET]);

/* Is |x| certainly below 2^−bits |y|? */
bool is_negligible(const arb_t x, const arb_t y, slong bits);

/* r if r < 1.6, otherwise π − eps */
void set_distance(arb_t out, double r, double eps, slong bits);

#endif
