/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The training from options to network: prepare or restore, then bursts of steps between
 * reports and checkpoints. */
#include "base/options.h"
#include "train/trainer.h"
#include "util/clock.h"

#include <math.h>

mst_train_options mst_train_options_default(void)
{
    return (mst_train_options){.size = sizeof(mst_train_options),
                               .loss = MST_LOSS_BEL,
                               .minutes = 1,
                               .t_min = 0.005,
                               .t_max = 1,
                               .hutchinson = true,
                               .rate = 3e-3,
                               .warm_up = 500,
                               .average = 0.999,
                               .seed = 2712,
                               .every = 5,
#define USUAL(type, name, usual, ...) .name = usual,
                               NETWORK_DESIGN(USUAL)
#undef USUAL
    };
}

/* Share of the budget that is used up. */
double trainer_used(const trainer *r)
{
    return r->o->steps > 0 ? (double)r->step / (double)r->o->steps
                           : r->seconds / fmax(60 * r->o->minutes - r->reserve, 1e-3);
}

static const double report_every = 0.5;

void trainer_report(trainer *r)
{
    double now = mst_clock_seconds();
    if (r->o->report.report == NULL || now - r->reported < report_every)
        return;
    r->reported = now;
    mst_train_state state = {.step = r->step,
                             .samples = r->step * r->feeder.batch,
                             .progress = fmin(trainer_used(r), 1),
                             .seconds = r->seconds,
                             .samples_per_second = r->speed,
                             .loss = r->smooth,
                             .excess = r->net->info.excess,
                             .rate = r->rate};
    if (r->o->report.report(r->o->report.user, &state) != 0)
        r->stop = true;
}

static void note_progress(trainer *r)
{
    mst_network_info *i = &r->net->info;
    i->steps = r->step;
    i->samples = r->step * r->feeder.batch;
    i->seconds = r->seconds;
    i->left = atomic_load(&r->feeder.left);
}

/* Evaluations and checkpoints are time of the user as well; what they have taken so far is kept for those at
 * the end. */
static mst_status spend(trainer *r, mst_status (*work)(trainer *), double *cost)
{
    double begin = mst_clock_seconds();
    mst_status status = work(r);
    *cost = mst_clock_seconds() - begin;
    r->seconds += *cost;
    return status;
}

/* A large network may take longer to look at than a burst of steps takes: a tenth of the time is for that. */
static bool may_measure(const trainer *r)
{
    return r->measured == 0 || r->measuring + r->measure_cost <= 0.1 * r->seconds;
}

static mst_status save(trainer *r)
{
    return trainer_save(r);
}

static mst_status measure(trainer *r)
{
    MST_TRY(spend(r, trainer_measure, &r->measure_cost));
    r->measuring += r->measure_cost;
    r->measures++;
    r->measured = r->step;
    return MST_OK;
}

/* The last evaluation takes what they have taken on average: one alone says little on a busy machine. Steps
 * may be long, too: half of one is as likely to be missing at the end as to be too much. */
static void keep_reserve(trainer *r, double step_cost)
{
    r->reserve = r->save_cost + 0.5 * step_cost;
    if (r->measures > 0)
        r->reserve += r->measuring / (double)r->measures;
}

static mst_status loop(trainer *r)
{
    double saved = r->seconds;
    /* One step at least, though the preparations may have taken all of a short budget. */
    while ((trainer_used(r) < 1 || r->step == 0) && !r->stop) {
        uint64_t step = r->step;
        double seconds = r->seconds;
        MST_TRY(trainer_run(r, r->seconds + report_every));
        double taken = r->seconds - seconds, steps = (double)(r->step - step);
        r->speed = steps * (double)r->feeder.batch / taken;
        if (may_measure(r))
            MST_TRY(measure(r));
        r->reported = 0; /* the end of a burst is always told */
        trainer_report(r);
        if (r->o->checkpoint != NULL && (r->seconds - saved >= r->o->every || r->stop)) {
            note_progress(r);
            MST_TRY(spend(r, save, &r->save_cost));
            saved = r->seconds;
        }
        keep_reserve(r, taken / fmax(steps, 1));
    }
    if (r->measured != r->step)
        MST_TRY(measure(r));
    note_progress(r);
    r->net->info.finished = !r->stop;
    return MST_OK;
}

/* Preparations count as training: they may take a while, and the budget is the user's time. */
static mst_status train(trainer *r)
{
    double begin = r->reported = mst_clock_seconds();
    MST_TRY(trainer_prepare(r));
    MST_TRY(trainer_work_new(r));
    if (r->o->resume)
        MST_TRY(trainer_restore(r));
    MST_TRY(trainer_fill(r));
    r->seconds += mst_clock_seconds() - begin;
    return loop(r);
}

mst_status mst_train(mst_network **out, const mst_manifold *m, const mst_train_options *options)
{
    *out = NULL;
    mst_train_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_train_options, options));
    trainer r = {.o = &o, .m = m, .threads = mst_thread_count(o.threads)};
    mst_status status = train(&r);
    trainer_work_free(&r);
    trainer_release(&r);
    if (status == MST_OK && r.step == 0)
        status = mst_fail(MST_INTERRUPTED, "interrupted before the first step");
    if (status != MST_OK) {
        mst_network_free(r.net);
        return status;
    }
    *out = r.net;
    return r.stop ? mst_fail(MST_INTERRUPTED, "interrupted after %llu steps",
                             (unsigned long long)r.step)
                  : MST_OK;
}
