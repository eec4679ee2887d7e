/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Adam on one block of parameters, with the sum over the threads' gradients fused into the update. */
#ifndef MST_NET_OPTIMISER_H
#define MST_NET_OPTIMISER_H

#include <stddef.h>
#include <stdint.h>

typedef struct adam_settings {
    float rate;         /* of this step, the schedule's business */
    float beta1, beta2; /* 0.9, 0.999 */
    float epsilon;      /* 1e-8 */
    float scale;        /* factor on the summed gradient: 1/batch, and clipping */
    uint64_t step;      /* 1, 2, …: for the correction of the first steps */
} adam_settings;

/* Parameters begin … end−1 (multiples of 16): gradient = Σ_k gradients[k], k < count in that order; first and
 * second moments and theta are updated; the gradients are cleared for the next step. */
void adam_update(const adam_settings *settings, size_t begin, size_t end, size_t count,
                 float *const *gradients, float *first, float *second, float *theta);
/* Σ over begin … end−1 of (Σ_k gradients[k])², for clipping and for noticing trouble: NaN if any gradient is.
 * The bits of a total of several pieces depend on the pieces; take fixed ones where that matters. */
double gradient_square(size_t begin, size_t end, size_t count, float *const *gradients);
/* average ← decay·average + (1 − decay)·theta. */
void average_update(float decay, size_t begin, size_t end, const float *theta, float *average);

/* Learning rate over the budget, a factor in [0, 1]: a linear warm-up, then a cosine from 1 to 0 in
 * `progress` ∈ [0, 1], the share of the budget (steps or time) that is used up. The warm-up takes `warm_up`
 * steps, or a tenth of the budget if that ends first, but then 50 steps at least. */
double schedule_factor(uint64_t step, uint64_t warm_up, double progress);

#endif
