/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A training's options, its network and its held-out samples. */
#include "base/lanes.h"
#include "learned/learned.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HELD_OUT = 16384, HELD_BATCH = 512, LARGEST_BATCH = 1 << 22 };

/* Streams of the seed; that of the held-out paths is nobody's choice. */
enum { WEIGHTS = 1 };
static const uint64_t held_seed = 0x6d616e6973746174;

static network_design design_of(const mst_train_options *o)
{
    network_design design = {
#define TAKEN(type, name, ...) .name = o->name,
        NETWORK_DESIGN(TAKEN)
#undef TAKEN
    };
    design.time_head |= design.energy;
    return design;
}

static mst_status check_design(const network_design *design)
{
    for (const named_field *f = design_fields; f < design_fields + DESIGN_FIELDS; f++) {
        char text[FIELD_TEXT];
        field_write(f, design, text);
        if (!field_fits(f, design) && f->kind == FIELD_CHOICE)
            return mst_fail(MST_ARGUMENT, "there is no `%s` number %s", f->name, text);
        if (!field_fits(f, design))
            return mst_fail(MST_ARGUMENT, "`%s` must be %zu to %zu, not %s", f->name, f->least,
                            f->largest, text);
    }
    return MST_OK;
}

static mst_status check_options(const mst_manifold *m, const mst_train_options *o)
{
    const double unit = learned_time(m);
    char of[40] = "";
    if (unit != 1)
        snprintf(of, sizeof of, " times %.4g", unit);
    if (o->steps == 0 && !(o->minutes > 0 && o->minutes <= 1e6))
        return mst_fail(MST_ARGUMENT, "minutes must be positive, not %g", o->minutes);
    double least = o->t > 0 ? o->t : o->t_min, largest = o->t > 0 ? o->t : o->t_max;
    if (!(least >= 1e-4 * unit && least <= largest && largest <= 1e3 * unit))
        return mst_fail(MST_ARGUMENT,
                        "times must lie in 1e-4 … 1e3%s, `t_min` below `t_max`; not %g, %g", of,
                        least, largest);
    if (o->batch > LARGEST_BATCH)
        return mst_fail(MST_ARGUMENT, "batch is 1 … %d, not %zu", LARGEST_BATCH, o->batch);
    if (!(o->rate > 0 && o->rate < INFINITY))
        return mst_fail(MST_ARGUMENT, "the learning rate must be positive, not %g", o->rate);
    if (!(o->clip >= 0) || !(o->average >= 0 && o->average < 1))
        return mst_fail(MST_ARGUMENT, "clip must not be negative and average lie in [0, 1)");
    if (o->path_steps > 100000 || o->path_samples > 1000)
        return mst_fail(MST_ARGUMENT,
                        "`path_steps` is 1 … 100000 and `path_samples` 1 … 1000, not %zu, %zu",
                        o->path_steps, o->path_samples);
    if (o->resume && o->checkpoint == NULL)
        return mst_fail(MST_ARGUMENT, "there is no checkpoint to resume from");
    return MST_OK;
}

/* Paths of learned manifolds are dear, and curvature varies along them: they have more steps and samples, and
 * batches are smaller, so that there are enough of them. */
static bool has_dear_paths(const trainer *r)
{
    return mst_manifold_is_learned(r->m);
}

/* Steps of a path. Those of bel are exact enough to be few; the last step of the others
 * is the published one. */
static size_t path_steps(const trainer *r, sample_kind kind)
{
    static const size_t usual[] = {[SAMPLE_BEL] = 24, [SAMPLE_LAST_STEP] = 100};
    bool more = r->net->features->sharp || has_dear_paths(r);
    size_t own = kind == SAMPLE_BEL && more ? 48 : usual[kind];
    return r->o->path_steps > 0 ? r->o->path_steps : own;
}

/* Where targets are chained, more samples of a path have shorter chains, and less noise. */
static size_t path_slots(const trainer *r, sample_kind kind)
{
    static const size_t usual[] = {[SAMPLE_BEL] = 4, [SAMPLE_LAST_STEP] = 25};
    bool more = r->net->features->sharp || has_dear_paths(r);
    size_t own = kind == SAMPLE_BEL && more ? 24 : usual[kind];
    return r->o->path_samples > 0 ? r->o->path_samples : own;
}

static size_t batch_of(const trainer *r)
{
    return r->o->batch > 0 ? r->o->batch : has_dear_paths(r) ? 1024 : 4096;
}

/* The ends of pushed paths have nine times the variance. Of all pairs in the plane one in twelve is then more
 * than three √(2t) apart, instead of one in ten thousand. */
static const double usual_push = 8;

static mst_status plan_samples(const trainer *r, sample_kind kind, uint64_t seed, size_t slots,
                               double push, sample_plan **out)
{
    const mst_train_options *o = r->o;
    sample_options options = {.kind = kind,
                              .t_min = o->t > 0 ? o->t : o->t_min,
                              .t_max = o->t > 0 ? o->t : o->t_max,
                              .steps = path_steps(r, kind),
                              .slots = slots,
                              .seed = seed,
                              .starts = o->starts,
                              .start = o->start,
                              .spread = o->t > 0 ? o->t : o->t_max,
                              .push = push};
    return sample_plan_new(out, r->m, &options);
}

static mst_status new_network(trainer *r)
{
    const mst_train_options *o = r->o;
    network_design design = design_of(o);
    size_t inputs, outputs;
    bool sharp;
    MST_TRY(features_sizes(r->m, o->plain, o->energy, &inputs, &outputs, &sharp));
    if (design.width == 0)
        design.width = sharp ? 64 : 128;
    MST_TRY(check_design(&design));
    MST_TRY(network_new(&r->net, r->m, &design));
    r->net->info.t_min = o->t > 0 ? o->t : o->t_min;
    r->net->info.t_max = o->t > 0 ? o->t : o->t_max;
    r->net->info.loss = o->loss;
    r->net->info.seed = o->seed;
    r->net->info.starts = o->starts;
    r->net->info.chained_starts = o->chained_starts;
    r->parameters = mlp_parameters(&r->net->shape);
    MST_TRY(mst_allocate_zero(&r->theta, 3 * r->parameters));
    r->first = r->theta + r->parameters;
    r->second = r->first + r->parameters;
    mlp_initialise(&r->net->shape, (mst_random){o->seed, WEIGHTS}, o->plain ? 1 : 0.1F, r->theta);
    memcpy(r->net->theta, r->theta, r->parameters * sizeof *r->theta);
    return MST_OK;
}

static mst_status fill_held(void *context, size_t begin, size_t end)
{
    feeder *held = context;
    feeder_work work;
    MST_TRY(feeder_work_new(&work, held));
    mst_status status = MST_OK;
    for (size_t b = begin; status == MST_OK && b < end; b++)
        status = feeder_fill(held, 0, b, &work);
    feeder_work_free(&work);
    return status;
}

mst_status trainer_failed(mst_status status, const char *detail)
{
    char kept[300];
    snprintf(kept, sizeof kept, "%s", detail);
    if (status != MST_DOMAIN)
        return mst_fail(status, "%s", kept);
    return mst_fail(MST_BREAKDOWN, "a simulated path went astray (%s): take a smaller `t_max`",
                    kept);
}

/* On a slow manifold the held-out samples alone take long enough to be told of, and to be stopped. */
static int report_preparation(void *user, double done, double total)
{
    (void)done, (void)total;
    trainer *r = user;
    trainer_report(r);
    return r->stop;
}

static mst_status draw_held_out(trainer *r)
{
    sample_plan *plan;
    size_t slots = has_dear_paths(r) ? 8 : 1;
    r->held_setup = (loss_setup){.net = r->net, .score_only = true};
    MST_TRY(loss_bel.plan(&r->held_setup));
    MST_TRY(plan_samples(r, SAMPLE_BEL, held_seed, slots, 0, &plan));
    mst_status status =
        feeder_new(&r->held, &loss_bel, &r->held_setup, plan, HELD_OUT, slots, false);
    /* A pool may be larger than what is looked at. */
    r->held.paths = HELD_OUT / slots;
    r->held.blocks = r->held.paths / MST_LANES;
    if (status == MST_OK)
        status = mst_parallel_blocks(r->held.blocks, 1, r->threads,
                                     (mst_progress){report_preparation, r}, fill_held, &r->held);
    if (status == MST_OK)
        status = trainer_measure_reach(r, plan);
    sample_plan_free(plan);
    if (status == MST_INTERRUPTED)
        return mst_fail(status, "interrupted before the first step");
    return status == MST_OK ? MST_OK : trainer_failed(status, mst_error_detail());
}

mst_status trainer_prepare(trainer *r)
{
    const mst_train_options *o = r->o;
    const loss_ops *loss = loss_find(o->loss);
    MST_TRY(check_options(r->m, o));
    if (loss == NULL)
        return mst_fail(MST_ARGUMENT, "unknown loss %d", (int)o->loss);
    MST_TRY(new_network(r));
    r->by_matrices = r->net->features->sharp;
    r->setup = (loss_setup){.net = r->net, .hutchinson = o->hutchinson, .seed = o->seed};
    size_t slots = path_slots(r, loss->kind);
    MST_TRY(plan_samples(r, loss->kind, o->seed, slots, usual_push, &r->plan));
    r->setup.chained = sample_plan_has_chains(r->plan) && loss == &loss_bel ? MST_LANES : 0;
    MST_TRY(loss->plan(&r->setup));
    r->net->info.targets = sample_plan_targets(r->plan, &r->net->info.kappa);
    MST_TRY(
        feeder_new(&r->feeder, loss, &r->setup, r->plan, batch_of(r), slots, o->chained_starts));
    return draw_held_out(r);
}

void trainer_release(trainer *r)
{
    feeder_free(&r->feeder);
    feeder_free(&r->held);
    sample_plan_free(r->plan);
    mst_release(r->theta);
}

/* Losses of the held-out samples, block by block. */
typedef struct held_job {
    const trainer *r;
    const float *theta;
    double sum[HELD_OUT / HELD_BATCH];
} held_job;

static mst_status held_block(void *context, size_t begin, size_t end)
{
    held_job *j = context;
    const trainer *r = j->r;
    loss_work work;
    float *gradient;
    MST_TRY(loss_work_new(&work, &r->held_setup, HELD_BATCH));
    mst_status status = mst_allocate_zero(&gradient, r->parameters);
    if (status == MST_OK) {
        loss_samples samples = feeder_at(&r->held, 0, begin);
        j->sum[begin / HELD_BATCH] =
            loss_bel.gradient(&r->held_setup, j->theta, end - begin, &samples, &work, gradient);
    }
    mst_release(gradient);
    loss_work_free(&work);
    return status;
}

static mst_status held_loss(const trainer *r, const float *theta, double *out)
{
    held_job j = {.r = r, .theta = theta};
    MST_TRY(
        mst_parallel_blocks(HELD_OUT, HELD_BATCH, r->threads, (mst_progress){0}, held_block, &j));
    *out = 0;
    for (size_t k = 0; k < HELD_OUT / HELD_BATCH; k++)
        *out += j.sum[k] / HELD_OUT;
    return MST_OK;
}

mst_status trainer_measure(trainer *r)
{
    double loss;
    if (r->held_baseline == 0) {
        float *zero;
        MST_TRY(mst_allocate_zero(&zero, r->parameters));
        mst_status status = held_loss(r, zero, &r->held_baseline);
        mst_release(zero);
        MST_TRY(status);
    }
    MST_TRY(held_loss(r, r->net->theta, &loss));
    /* In flat space the baseline is exact, and there is nothing to compare with but rounding. */
    r->net->info.excess = r->held_baseline > 1e-10 ? loss / r->held_baseline - 1 : NAN;
    return MST_OK;
}
