/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Most starts lead to a mean that is known already: a first look on a sample of the rows, or with steps that
 * need no second derivatives, tells. */
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

/* Means of a sample and of the whole are the same if they are closer than this share of the scatter: they
 * differ by the sampling error, about √(dt/4000), or √(dt/256). */
static const double same_for_sample = 0.3;

/* A probe stops where its step would be this share of the scatter. Where the law is nearly uniform that is
 * far from the maximum still, several steps. */
static const double level_ground = 0.02;
enum { PROBE_STEPS = 30 };

static bool is_sampled(const mean_search *s)
{
    return s->sample.x != s->rows.x;
}

/* Of a sample that is small for the dimension, as where rows take so long that they are remembered, the error
 * is √(dt/n), and twice that is allowed. */
static double same_mean(const mean_search *s)
{
    double error =
        s->memory != NULL && is_sampled(s) ? sqrt((double)s->d / (double)s->sample.n) : 0;
    return fmax(same_for_sample, 2 * error);
}

/* The maxima of a sample lie within its sampling error of those of the whole. */
static mst_status climb_sample(const mean_search *s, mean_candidate *c, bool *known)
{
    fit_means model = s->model;
    fit_options rough = s->climb;
    model.model.rows = &s->sample;
    rough.tolerance = 1e-6;
    MST_TRY(mean_first_time(s, &s->sample, c->state, mean_time(s, c)));
    MST_TRY(fit_climb(&model.model, c->state, &rough, &c->outcome));
    return mean_is_known(s, c, same_for_sample, known);
}

/* One step of a probe in `c`; work: gradient (d), the last one (d), step (d), state (D + 1). */
static mst_status probe_step(const mean_search *s, const fit_model *m, mean_candidate *c,
                             double *work, double *rate, bool *level)
{
    size_t d = s->d;
    double *gradient = work, *last = work + d, *step = work + 2 * d, *state = work + 3 * d;
    const mean_candidate *known = &s->candidates[0];
    double scale = mst_score_gives(m->source, MST_GIVES_TIME) ? *mean_time(s, c) : 1;
    double turn = 0, square = 0;
    fit_sums sums = {.gradient = gradient};
    MST_TRY(fit_evaluate(m, c->state, &sums));
    for (size_t a = 0; a < d; a++) {
        square += gradient[a] * gradient[a];
        turn += gradient[a] * last[a];
    }
    double length = scale * sqrt(square) / sums.total_weight;
    *level = !(length > level_ground * mean_scatter(s, known));
    if (*level)
        return MST_OK;
    *rate = turn < 0 ? *rate / 2 : *rate;
    for (size_t a = 0; a < d; a++)
        step[a] = *rate * gradient[a] / sums.total_weight;
    memcpy(last, gradient, d * sizeof *last);
    MST_TRY(m->ops->move(m, c->state, step, state));
    memcpy(c->state, state, s->D * sizeof *state);
    return MST_OK;
}

/* Where sweeps take long: up by the score alone, at the time of the first mean, until a known mean is near or
 * the ground is level. In flat space a step of t·score leads to the mean at once; in negative curvature it
 * may lead too far, which the slope there tells. */
static mst_status probe(const mean_search *s, mean_candidate *c, bool *known)
{
    fit_means model = fit_with_fixed_times(&s->model);
    fit_rows rows = s->sample;
    model.model.rows = &rows;
    *mean_time(s, c) = *mean_time(s, &s->candidates[0]);
    /* What the first climb remembers stays as it is. */
    mst_score *memory = NULL;
    if (s->memory != NULL) {
        rows.first = 0;
        MST_TRY(mst_score_remember(&memory, model.model.source, rows.n));
    }
    model.model.memory = memory;
    double *work, rate = mst_score_gives(model.model.source, MST_GIVES_TIME) ? *mean_time(s, c) : 1;
    mst_status status = mst_allocate_zero(&work, 3 * s->d + s->D + 1);
    bool level = false;
    for (size_t k = 0; status == MST_OK && k < PROBE_STEPS; k++) {
        status = mean_is_known(s, c, same_mean(s), known);
        if (status != MST_OK || *known)
            break;
        status = probe_step(s, &model.model, c, work, &rate, &level);
        if (level)
            break;
    }
    mst_release(work);
    mst_score_free(memory);
    /* A way that cannot be gone leads to no mean. */
    bool lost = status == MST_DOMAIN || status == MST_BREAKDOWN || status == MST_CONVERGENCE;
    *known |= lost;
    return lost ? MST_OK : status;
}

mst_status mean_look_first(const mean_search *s, mean_candidate *c, bool *known)
{
    if (fit_is_slow(s->model.model.source))
        return probe(s, c, known);
    return is_sampled(s) ? climb_sample(s, c, known) : MST_OK;
}
