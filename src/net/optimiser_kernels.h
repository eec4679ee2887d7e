/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#ifndef MST_NET_OPTIMISER_KERNELS_H
#define MST_NET_OPTIMISER_KERNELS_H

#include "base/isa.h"

#include <stddef.h>

/* What a step of Adam needs, the corrections of the first steps included: theta −= rate·m
 * / (√v·root + epsilon). */
struct adam_numbers {
    float rate, beta1, beta2, epsilon, scale, root;
};

/* Parameters begin … end − 1, both multiples of 16. See net/optimiser.h. */
struct optimiser_kernels {
    void (*adam)(const struct adam_numbers *numbers, size_t begin, size_t end, size_t count,
                 float *const *gradients, float *first, float *second, float *theta);
    double (*square)(size_t begin, size_t end, size_t count, float *const *gradients);
    void (*average)(float decay, size_t begin, size_t end, const float *theta, float *average);
};
MST_DECLARE_HOT(struct optimiser_kernels, optimiser_kernels);

#endif
