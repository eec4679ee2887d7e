/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Eight numbers side by side, one for each geodesic that is worked on. What happens to one of them never
 * depends on the others. Never passed by value: without AVX-512 that has no fixed convention. */
#ifndef MST_GEODESIC_EIGHT_H
#define MST_GEODESIC_EIGHT_H

enum { EIGHT = 8 };

typedef double eight __attribute__((vector_size(8 * sizeof(double))));

/* What comparisons of them give, −1 or 0 in each lane, and a choice by it. */
typedef long long eight_mask __attribute__((vector_size(8 * sizeof(long long))));
#define EIGHT_CHOOSE(mask, yes, no) \
    ((eight)(((mask) & (eight_mask)(yes)) | (~(mask) & (eight_mask)(no))))

#define EACH_LANE for (size_t k = 0; k < EIGHT; k++)

#endif
