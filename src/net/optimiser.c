/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "net/optimiser.h"

#include "net/optimiser_kernels.h"

#include <math.h>

void adam_update(const adam_settings *s, size_t begin, size_t end, size_t count,
                 float *const *gradients, float *first, float *second, float *theta)
{
    double steps = (double)s->step;
    /* 1 − beta^step without cancellation: the first steps matter, and beta is near 1. */
    double correct1 = -expm1(steps * log((double)s->beta1));
    double correct2 = -expm1(steps * log((double)s->beta2));
    struct adam_numbers numbers = {.rate = (float)((double)s->rate / correct1),
                                   .beta1 = s->beta1,
                                   .beta2 = s->beta2,
                                   .epsilon = s->epsilon,
                                   .scale = s->scale,
                                   .root = (float)(1 / sqrt(correct2))};
    MST_PICK(optimiser_kernels)->adam(&numbers, begin, end, count, gradients, first, second, theta);
}

double gradient_square(size_t begin, size_t end, size_t count, float *const *gradients)
{
    return MST_PICK(optimiser_kernels)->square(begin, end, count, gradients);
}

void average_update(float decay, size_t begin, size_t end, const float *theta, float *average)
{
    MST_PICK(optimiser_kernels)->average(decay, begin, end, theta, average);
}

double schedule_factor(uint64_t step, uint64_t warm_up, double progress)
{
    const double pi = 3.14159265358979323846, least = 50;
    double used = progress < 0 ? 0 : progress > 1 ? 1 : progress, at = (double)step;
    double cosine = used < 1 ? 0.5 * (1 + cos(pi * used)) : 0;
    double warmth = step < warm_up ? at / (double)warm_up : 1;
    return cosine * fmax(warmth, fmin(1, fmin(at / least, 10 * used)));
}
