/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training of network curves: several restarts side by side, each a function of its number and the seed, so
 * that neither threads nor interruptions change the result. */
#include "stat/curve_train.h"
#include "base/options.h"
#include "net/optimiser.h"
#include "stat/rows.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

/* Streams of random numbers: what is held out, first weights, the order of rows in an epoch. */
static const uint64_t split_stream = UINT64_C(0x6375727665) << 20;
static const uint64_t order_stream = UINT64_C(0x6f72646572) << 20;

enum { BLOCK = 256, EPOCHS_AT_ONCE = 5 };

mst_curve_options mst_curve_options_default(void)
{
    return (mst_curve_options){.size = sizeof(mst_curve_options),
                               .width = 128,
                               .depth = 2,
                               .batch = 64,
                               .rate = 3e-3,
                               .decay = 0.3,
                               .validation = 0.15,
                               .epochs = 300,
                               .patience = 40,
                               .restarts = 3,
                               .seed = 2712,
                               .every = 5};
}

/* ---- Values ---- */

/* The loss of rows `index` (n) at weights theta: −log p, or ½ dist² for least squares; for sources with a
 * time but no log p that of a normal law with the same distance. */
static mst_status loss_of(const curve_trainer *r, const float *theta, size_t n, const size_t *index,
                          double *loss, double *square, curve_work *w)
{
    const mst_manifold *m = r->c->m;
    size_t D = mst_manifold_ambient(m), in = r->k;
    double d = (double)mst_manifold_dim(m), *x;
    bool timed = mst_score_gives(r->source, MST_GIVES_TIME);
    bool known = timed && mst_score_gives(r->source, MST_GIVES_LOG_P);
    MST_TRY(mst_allocate(&x, BLOCK * (in + 2 * D + 3)));
    double *y = x + BLOCK * in, *f = y + BLOCK * D, *t = f + BLOCK * D, *log_p = t + BLOCK,
           *dist = log_p + BLOCK;
    mst_status status = MST_OK;
    *loss = *square = 0;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t some = n - at < BLOCK ? n - at : BLOCK;
        curve_gather(r, some, index + at, x, y);
        status = curve_forward(r->c, theta, some, x, f, t, w);
        for (size_t i = 0; i < some && timed; i++)
            t[i] = fit_clamp_time(r->source, t[i]);
        if (status == MST_OK)
            status = mst_manifold_dist(m, some, f, y, dist);
        mst_heat_values values = {.log_p = log_p};
        if (status == MST_OK && known)
            status = mst_score_evaluate_rows(r->source, some, y, f, t, &values);
        for (size_t i = 0; status == MST_OK && i < some; i++) {
            double r2 = dist[i] * dist[i];
            *square += r2;
            *loss += known   ? -log_p[i]
                     : timed ? r2 / (2 * t[i]) + d / 2 * log(2 * M_PI * t[i])
                             : r2 / 2;
        }
    }
    mst_release(x);
    return status;
}

/* ---- A restart ---- */

/* One step on the rows `index` (n). */
static mst_status step(const curve_trainer *r, curve_restart *s, size_t n, const size_t *index,
                       curve_work *w, double *room)
{
    const mst_manifold *m = r->c->m;
    size_t D = mst_manifold_ambient(m), in = r->k, parameters = curve_parameters(&r->c->shape);
    double *x = room, *y = x + n * in, *f = y + n * D, *score = f + n * D, *t = score + n * D,
           *dt = t + n;
    bool timed = mst_score_gives(r->source, MST_GIVES_TIME);
    curve_gather(r, n, index, x, y);
    MST_TRY(curve_forward(r->c, s->theta, n, x, f, t, w));
    for (size_t i = 0; timed && i < n; i++)
        t[i] = fit_clamp_time(r->source, t[i]);
    mst_heat_values values = {.score = score, .dt_log_p = timed ? dt : NULL};
    MST_TRY(mst_score_evaluate_rows(r->source, n, y, f, timed ? t : NULL, &values));
    for (size_t i = 0; i < n; i++)
        dt[i] = timed ? t[i] * dt[i] : 0;
    double factor = -1 / ((double)n * (double)mst_manifold_dim(m));
    if (!timed) /* squared distances have the unit of the spread */
        factor /= r->c->spread * r->c->spread;
    MST_TRY(curve_backward(r->c, s->theta, n, score, dt, factor, s->gradient, w));
    double progress = (double)s->epoch / (double)r->o->epochs;
    double norm = sqrt(gradient_square(0, parameters, 1, &s->gradient));
    s->step++;
    adam_settings adam = {.rate = (float)(r->o->rate * schedule_factor(s->step, 100, progress)),
                          .beta1 = 0.9F,
                          .beta2 = 0.999F,
                          .epsilon = 1e-8F,
                          .scale = isfinite(norm) && norm > 1 ? (float)(1 / norm) : 1,
                          .step = s->step};
    if (!isfinite(norm))
        return mst_fail(MST_BREAKDOWN, "the training diverges in epoch %zu; lower `rate`",
                        s->epoch + 1);
    /* Weights decay on their own, apart from the moments. */
    float keep = 1 - adam.rate * (float)r->o->decay;
    for (size_t k = 0; k < mlp_parameters(&r->c->shape); k++)
        s->theta[k] *= keep;
    adam_update(&adam, 0, parameters, 1, &s->gradient, s->first, s->second, s->theta);
    return MST_OK;
}

static mst_status run_epoch(const curve_trainer *r, curve_restart *s, curve_work *w, size_t *order,
                            double *room)
{
    size_t number = (size_t)(s - r->restarts), batch = r->o->batch;
    mst_random stream = {r->o->seed + number, order_stream + s->epoch};
    mst_random_permutation(stream, r->train, order);
    for (size_t i = 0; i < r->train; i++)
        order[i] = r->index[order[i]];
    for (size_t at = 0; at < r->train; at += batch) {
        size_t n = r->train - at < batch ? r->train - at : batch;
        MST_TRY(step(r, s, n, order + at, w, room));
    }
    double loss, square;
    MST_TRY(loss_of(r, s->theta, r->n - r->train, r->index + r->train, &loss, &square, w));
    s->epoch++;
    if (loss < s->best_loss) {
        s->best_loss = loss;
        s->best_epoch = s->epoch;
        memcpy(s->best, s->theta, curve_parameters(&r->c->shape) * sizeof *s->best);
    }
    s->done = s->epoch >= r->o->epochs || s->epoch - s->best_epoch >= r->o->patience;
    return MST_OK;
}

static mst_status run_restart(void *context, size_t begin, size_t end)
{
    const curve_trainer *r = context;
    size_t D = mst_manifold_ambient(r->c->m), *order;
    size_t rows = r->o->batch > BLOCK ? r->o->batch : BLOCK;
    curve_work w;
    double *room;
    MST_TRY(curve_work_new(&w, r->c, rows));
    mst_status status = mst_allocate(&order, r->n);
    if (status == MST_OK)
        status = mst_allocate(&room, r->o->batch * (r->k + 3 * D + 2));
    if (status != MST_OK) {
        curve_work_free(&w);
        return status;
    }
    for (size_t k = begin; status == MST_OK && k < end; k++)
        for (size_t e = 0; status == MST_OK && e < EPOCHS_AT_ONCE && !r->restarts[k].done; e++)
            status = run_epoch(r, &r->restarts[k], &w, order, room);
    mst_release(room);
    mst_release(order);
    curve_work_free(&w);
    return status;
}

/* ---- The trainer ---- */

static mst_status check(const mst_score *source, size_t n, const double *y, size_t k,
                        const double *x, const mst_curve_options *o)
{
    MST_TRY(rows_check(mst_score_manifold(source), n, y, NULL));
    for (size_t i = 0; i < n * k; i++)
        if (!isfinite(x[i]))
            return mst_fail(MST_ARGUMENT, "row %zu: %g is not a covariate", i / k + 1, x[i]);
    if (k == 0)
        return mst_fail(MST_ARGUMENT, "a regression needs at least one covariate");
    if (!(o->validation > 0 && o->validation < 1) || o->width < 1 || o->depth < 1 || o->batch < 1 ||
        o->epochs < 1 || o->patience < 1 || o->restarts < 1 || !(o->rate > 0) || !(o->decay >= 0))
        return mst_fail(
            MST_ARGUMENT,
            "`validation` must lie between 0 and 1; `width`, `depth`, `batch`, `epochs`, "
            "`patience`, `restarts` and `rate` must be positive, `decay` at least 0");
    double held = ceil(o->validation * (double)n);
    if ((double)n - held < 2 || held < 2)
        return mst_fail(MST_ARGUMENT,
                        "%zu rows are too few to hold a share of %g of them out; a geodesic needs "
                        "fewer",
                        n, o->validation);
    if (o->noise_network && !mst_score_gives(source, MST_GIVES_TIME))
        return mst_fail(MST_ARGUMENT, "a network for the noise needs a likelihood; least squares "
                                      "has none");
    return MST_OK;
}

/* Means and sizes of the columns of the rows that are trained on; those that are constant
 * there keep their unit. */
static void measure_columns(curve_trainer *r)
{
    for (size_t c = 0; c < r->k; c++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < r->train; i++)
            mean += r->x[r->index[i] * r->k + c] / (double)r->train;
        for (size_t i = 0; i < r->train; i++) {
            double z = r->x[r->index[i] * r->k + c] - mean;
            square += z * z / (double)r->train;
        }
        r->c->centre[c] = mean;
        r->c->scale[c] = square > 0 ? sqrt(square) : 1;
    }
}

/* The Fréchet mean of the rows that are trained on, and how far they are from it. */
static mst_status find_base(curve_trainer *r)
{
    const mst_manifold *m = r->c->m;
    size_t D = mst_manifold_ambient(m);
    mst_score *log_source;
    double *y;
    MST_TRY(mst_score_log_new(&log_source, m));
    mst_status status = mst_allocate(&y, r->train * D);
    for (size_t i = 0; status == MST_OK && i < r->train; i++)
        memcpy(y + i * D, r->y + r->index[i] * D, D * sizeof *y);
    mst_mean_options o = mst_mean_options_default();
    o.starts = 1;
    o.threads = r->o->threads;
    mst_mean_result *mean = NULL;
    if (status == MST_OK)
        status = mst_mean_fit(&mean, log_source, r->train, y, &o);
    if (mean != NULL) {
        status = MST_OK; /* any point near the rows will do */
        memcpy(r->c->base, mean->mean, D * sizeof *y);
        r->c->spread = sqrt(mean->variance);
    }
    mst_mean_result_free(mean);
    mst_release(y);
    mst_score_free(log_source);
    if (status == MST_OK && !(r->c->spread > 0))
        status = mst_fail(MST_ARGUMENT, "all points are one: there is nothing to learn");
    bool timed = mst_score_gives(r->source, MST_GIVES_TIME);
    r->c->time =
        timed ? fit_clamp_time(r->source, r->c->spread * r->c->spread / (double)mst_manifold_dim(m))
              : NAN;
    return status;
}

static mst_status open_restarts(curve_trainer *r)
{
    size_t count = r->o->restarts, p = curve_parameters(&r->c->shape);
    MST_TRY(mst_allocate_zero(&r->restarts, count));
    MST_TRY(mst_allocate_zero(&r->floats, count * 5 * p));
    for (size_t k = 0; k < count; k++) {
        curve_restart *s = &r->restarts[k];
        s->theta = r->floats + k * 5 * p;
        s->first = s->theta + p;
        s->second = s->first + p;
        s->best = s->second + p;
        s->gradient = s->best + p;
        s->best_loss = INFINITY;
        mlp_initialise(&r->c->shape, (mst_random){r->o->seed + k, split_stream + 1}, 0.1F,
                       s->theta);
        memcpy(s->best, s->theta, p * sizeof *s->best);
    }
    return MST_OK;
}

/* ---- The result ---- */

/* The factor of all times that the held-out rows like best: where the sum of t ∂_t log p is 0. */
static mst_status time_slope(const curve_trainer *r, double log_factor, double *slope,
                             curve_work *w)
{
    const mst_manifold *m = r->c->m;
    size_t D = mst_manifold_ambient(m), in = r->k, n = r->n - r->train;
    double *x;
    MST_TRY(mst_allocate(&x, BLOCK * (in + 3 * D + 2)));
    double *y = x + BLOCK * in, *f = y + BLOCK * D, *score = f + BLOCK * D, *t = score + BLOCK * D,
           *dt = t + BLOCK;
    mst_status status = MST_OK;
    *slope = 0;
    for (size_t at = 0; status == MST_OK && at < n; at += BLOCK) {
        size_t some = n - at < BLOCK ? n - at : BLOCK;
        curve_gather(r, some, r->index + r->train + at, x, y);
        status = curve_forward(r->c, r->c->theta, some, x, f, t, w);
        for (size_t i = 0; i < some; i++)
            t[i] = fit_clamp_time(r->source, t[i] * exp(log_factor));
        mst_heat_values values = {.dt_log_p = dt, .score = score};
        if (status == MST_OK)
            status = mst_score_evaluate_rows(r->source, some, y, f, t, &values);
        for (size_t i = 0; i < some; i++)
            *slope += t[i] * dt[i];
    }
    mst_release(x);
    return status;
}

static mst_status fit_noise(curve_trainer *r, curve_work *w)
{
    double low = -6, high = 6, slope;
    if (!mst_score_gives(r->source, MST_GIVES_TIME))
        return MST_OK;
    for (size_t k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        MST_TRY(time_slope(r, middle, &slope, w));
        if (slope > 0)
            low = middle;
        else
            high = middle;
    }
    r->c->theta[mlp_parameters(&r->c->shape)] += (float)((low + high) / 2);
    return MST_OK;
}

static mst_status describe(curve_trainer *r, curve_work *w)
{
    mst_curve_info *info = &r->c->info;
    const float *theta = r->c->theta;
    size_t held = r->n - r->train, D = mst_manifold_ambient(r->c->m);
    bool timed = mst_score_gives(r->source, MST_GIVES_TIME);
    bool known = timed && mst_score_gives(r->source, MST_GIVES_LOG_P);
    double loss, square, sums[2] = {0, 0}, *dist;
    MST_TRY(mst_allocate(&dist, r->n));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < r->n; i++) {
        status = mst_manifold_dist(r->c->m, 1, r->c->base, r->y + r->index[i] * D, &dist[i]);
        sums[i >= r->train] += dist[i] * dist[i];
    }
    mst_release(dist);
    if (status == MST_OK)
        status = loss_of(r, theta, r->train, r->index, &loss, &square, w);
    if (status != MST_OK)
        return status;
    info->rows = r->n;
    info->held_out = held;
    info->log_likelihood = known ? -loss / (double)r->train : NAN;
    info->r_squared = 1 - square / sums[0];
    MST_TRY(loss_of(r, theta, held, r->index + r->train, &loss, &square, w));
    info->held_out_log_likelihood = known ? -loss / (double)held : NAN;
    info->held_out_r_squared = 1 - square / sums[1];
    return MST_OK;
}

/* The geometric mean of the noise over the rows that were held out. */
static mst_status mean_noise(curve_trainer *r)
{
    double sum = 0, noise, *x;
    size_t held = r->n - r->train;
    MST_TRY(mst_allocate(&x, r->k));
    mst_status status = MST_OK;
    for (size_t i = r->train; status == MST_OK && i < r->n; i++) {
        status = mst_curve_predict(r->c, 1, r->x + r->index[i] * r->k, NULL, &noise);
        sum += log(noise) / (double)held;
    }
    r->c->info.noise = exp(sum);
    mst_release(x);
    return status;
}

static mst_status conclude(curve_trainer *r, bool finished)
{
    size_t best = 0;
    curve_work w;
    for (size_t k = 1; k < r->o->restarts; k++)
        if (r->restarts[k].best_loss < r->restarts[best].best_loss)
            best = k;
    memcpy(r->c->theta, r->restarts[best].best,
           curve_parameters(&r->c->shape) * sizeof *r->c->theta);
    r->c->info.epochs = r->restarts[best].best_epoch;
    r->c->info.restart = best;
    r->c->info.seed = r->o->seed;
    r->c->info.finished = finished;
    MST_TRY(curve_work_new(&w, r->c, BLOCK));
    mst_status status = fit_noise(r, &w);
    if (status == MST_OK)
        status = describe(r, &w);
    if (status == MST_OK && mst_score_gives(r->source, MST_GIVES_TIME))
        status = mean_noise(r);
    curve_work_free(&w);
    return status;
}

/* ---- Rounds ---- */

static bool is_done(const curve_trainer *r)
{
    for (size_t k = 0; k < r->o->restarts; k++)
        if (!r->restarts[k].done)
            return false;
    return true;
}

static bool wants_to_stop(const curve_trainer *r, double seconds)
{
    mst_curve_state state = {.epochs = r->o->epochs, .best = INFINITY, .seconds = seconds};
    double rows = (double)(r->n - r->train) * (double)mst_manifold_dim(r->c->m);
    for (size_t k = 0; k < r->o->restarts; k++) {
        state.epoch = r->restarts[k].epoch > state.epoch ? r->restarts[k].epoch : state.epoch;
        state.best = fmin(state.best, r->restarts[k].best_loss / rows);
    }
    return r->o->report.report != NULL && r->o->report.report(r->o->report.user, &state) != 0;
}

static mst_status run(curve_trainer *r, double begin)
{
    double saved = mst_clock_seconds(), before = r->c->info.seconds;
    bool stopped = false;
    while (!is_done(r) && !stopped) {
        MST_TRY(mst_parallel_blocks(r->o->restarts, 1, r->o->threads, (mst_progress){0},
                                    run_restart, r));
        double now = mst_clock_seconds();
        r->c->info.seconds = before + now - begin;
        stopped = wants_to_stop(r, r->c->info.seconds);
        if (r->o->checkpoint != NULL && (stopped || now - saved >= r->o->every)) {
            MST_TRY(curve_checkpoint_save(r));
            saved = now;
        }
    }
    MST_TRY(conclude(r, !stopped));
    return stopped ? mst_fail(MST_INTERRUPTED, "stopped on request") : MST_OK;
}

/* index (n): the rows that are trained on first. */
static size_t split_rows(size_t n, const mst_curve_options *o, size_t *index)
{
    mst_random_permutation((mst_random){o->seed, split_stream}, n, index);
    return n - (size_t)ceil(o->validation * (double)n);
}

mst_status mst_curve_held_out(size_t n, const mst_curve_options *options, size_t *rows,
                              size_t *count)
{
    mst_curve_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_curve_options, options));
    if (!(o.validation > 0 && o.validation < 1))
        return mst_fail(MST_ARGUMENT, "`validation` must lie between 0 and 1, not %g",
                        o.validation);
    size_t train = split_rows(n, &o, rows);
    memmove(rows, rows + train, (n - train) * sizeof *rows);
    *count = n - train;
    return MST_OK;
}

mst_status mst_curve_train(mst_curve **out, const mst_score *source, size_t n, const double *y,
                           size_t k, const double *x, const mst_curve_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    mst_curve_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_curve_options, options));
    MST_TRY(check(source, n, y, k, x, &o));
    curve_trainer r = {.source = source, .o = &o, .n = n, .k = k, .y = y, .x = x};
    mst_status status =
        curve_new(&r.c, mst_score_manifold(source), k, o.width, o.depth, o.noise_network);
    if (status == MST_OK)
        status = mst_allocate(&r.index, n);
    if (status == MST_OK) {
        r.train = split_rows(n, &o, r.index);
        measure_columns(&r);
        status = find_base(&r);
    }
    if (status == MST_OK && o.terms != NULL) {
        mst_release(r.c->terms);
        r.c->terms = NULL;
        status = mst_copy_string(&r.c->terms, o.terms);
    }
    if (status == MST_OK)
        status = open_restarts(&r);
    if (status == MST_OK && o.resume)
        status = curve_checkpoint_read(&r);
    if (status == MST_OK)
        status = run(&r, begin);
    mst_release(r.restarts);
    mst_release(r.floats);
    mst_release(r.index);
    if (status != MST_OK && status != MST_INTERRUPTED) {
        mst_curve_free(r.c);
        return status;
    }
    *out = r.c;
    return status;
}
