/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* How long paths are and where they are cut into samples. */
#include "base/random_kernels.h"
#include "train/samples_parts.h"

#include <math.h>

/* The horizon of a path is uniform between these parts of t_max, so that short times have small steps
 * (shorter if t_min would not be reached by one), but not beyond t_max: half of the paths reach it, lest it
 * be the edge where samples are rare. */
static const double shortest_horizon = 0.1, longest_horizon = 2;

static double horizon(const sample_options *o, double u)
{
    if (o->kind == SAMPLE_LAST_STEP || o->t_min == o->t_max)
        return o->t_max;
    double low = fmin(shortest_horizon * o->t_max, (double)o->steps * o->t_min);
    low = fmax(low, o->t_min);
    return fmin(low + (longest_horizon * o->t_max - low) * u, o->t_max);
}

/* The step of a sample: u in (0, 1) cuts the admissible steps, those of times ≥ t_min, into equal parts. */
static uint32_t cut(const sample_options *o, double h, double u)
{
    if (o->t_min == o->t_max)
        return (uint32_t)o->steps;
    double steps = (double)o->steps;
    double low = fmin(fmax(ceil(o->t_min / h * (1 - 1e-12)), 1), steps);
    return (uint32_t)fmin(low + floor(u * (steps - low + 1)), steps);
}

void sample_times(const sample_options *o, uint64_t root, uint64_t first, size_t slots, double *h,
                  uint32_t *at)
{
    const struct random_kernels *random = MST_PICK(random_kernels);
    uint64_t seed = sample_seed(root, SAMPLE_SEED_TIMES, 0);
    double u[MST_LANES];
    random->step_uniform(seed, first, 0, u);
    for (size_t i = 0; i < MST_LANES; i++)
        h[i] = horizon(o, u[i]) / (double)o->steps;
    for (size_t s = 0; s < slots; s++) {
        random->step_uniform(seed, first, 1 + s, u);
        for (size_t i = 0; i < MST_LANES; i++) {
            double stratum = (double)((s + (first + i) % slots) % slots);
            at[s * MST_LANES + i] = cut(o, h[i], (stratum + u[i]) / (double)slots);
        }
    }
}

/* Counting sort. */
void sample_events(const sample_job *job, uint32_t *begin, mst_path_event *event)
{
    size_t steps = job->plan->options.steps;
    for (size_t k = 0; k < steps + 2; k++)
        begin[k] = 0;
    for (size_t s = 0; s < job->slots; s++)
        for (size_t i = 0; i < job->n; i++)
            begin[job->at[s * MST_LANES + i] + 1]++;
    for (size_t k = 1; k < steps + 2; k++)
        begin[k] += begin[k - 1];
    for (size_t s = 0; s < job->slots; s++)
        for (size_t i = 0; i < job->n; i++)
            event[begin[job->at[s * MST_LANES + i]]++] = (mst_path_event){(uint32_t)i, (uint32_t)s};
    /* Each begin has moved to its end, which is the next one's begin. */
    for (size_t k = steps + 1; k > 0; k--)
        begin[k] = begin[k - 1];
    begin[0] = 0;
}
