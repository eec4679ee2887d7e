/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "base/options.h"
#include "stat/fit_steps.h"
#include "stat/mean_parts.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* More rows than this: look for other maxima on a sample of them first. */
enum { MANY_ROWS = 20000, SAMPLE_ROWS = 4000 };
/* The same where a row takes long; and the most steps of such a look. */
enum { PROBE_ROWS = 256, PROBE_STEPS = 30 };

/* Streams of random numbers, one purpose each. */
enum { STREAM_STARTS = 1, STREAM_SAMPLE = 2, STREAM_MOVES = 3 };

mst_mean_options mst_mean_options_default(void)
{
    return (mst_mean_options){.size = sizeof(mst_mean_options),
                              .method = MST_MEAN_NEWTON,
                              .starts = 4,
                              .tolerance = 1e-10,
                              .rate = 0.1,
                              .resamples = 1000,
                              .confidence = 0.95,
                              .seed = 2712};
}

static mst_status check_points(const mst_manifold *m, size_t n, const double *x,
                               const mst_mean_options *o)
{
    size_t D = mst_manifold_ambient(m), row;
    MST_TRY(rows_check(m, n, x, o->weights));
    for (size_t k = 0; o->start != NULL && k < D; k++)
        if (!isfinite(o->start[k]))
            return mst_fail(MST_ARGUMENT, "start: %g is not a coordinate", o->start[k]);
    return o->start != NULL ? mst_manifold_validate(m, 1, o->start, &row) : MST_OK;
}

static mst_status check_options(const mst_score *source, const mst_mean_options *o)
{
    if (mst_score_gives(source, MST_GIVES_TIME) && (o->time < 0 || !isfinite(o->time)))
        return mst_fail(MST_ARGUMENT, "the time must be positive, not %g", o->time);
    MST_TRY(fit_check_time(source, o->time));
    if (o->starts < 1 || o->starts > 1000)
        return mst_fail(MST_ARGUMENT, "the number of starts must be from 1 to 1000, not %zu",
                        o->starts);
    if (!(o->tolerance > 0) || !(o->rate > 0))
        return mst_fail(MST_ARGUMENT, "tolerance and rate must be positive");
    if (!(o->confidence > 0 && o->confidence < 1))
        return mst_fail(MST_ARGUMENT, "the confidence must lie between 0 and 1, not %g",
                        o->confidence);
    return MST_OK;
}

/* A climb and where it ended. */
typedef struct candidate {
    fit_state state;
    fit_outcome outcome;
    double *hessian; /* (q, q) at the end */
    double doubt;    /* values that differ by less are the same */
} candidate;

typedef struct search {
    fit_problem problem;
    fit_group group;
    fit_options climb;
    const mst_mean_options *o;
    const mst_manifold *m;
    double time;           /* the fixed one, 0: to be fitted */
    size_t count;          /* candidates */
    candidate *candidates; /* (starts) */
    double *block;         /* their states */
    double *sample;        /* (sample_rows, D) for the first look, or null */
    size_t sample_rows;
    double *sample_weights; /* or null */
    double total_weight;
    double
        spread; /* root of the mean squared distance from the first mean; sources without time and log p */
    size_t different; /* rows that are drawn as starts before they repeat */
} search;

static mst_status search_new(search *s, const mst_score *source, size_t n, const double *x,
                             const mst_mean_options *o)
{
    *s = (search){.o = o, .m = mst_score_manifold(source)};
    size_t D = mst_manifold_ambient(s->m);
    s->time = mst_score_gives(source, MST_GIVES_TIME) ? fit_given_time(source, o->time) : 0;
    s->group = (fit_group){.n = n, .x = x, .weights = o->weights};
    s->total_weight = rows_weight(n, o->weights);
    s->problem =
        (fit_problem){.source = source,
                      .groups = 1,
                      .group = &s->group,
                      .means = 1,
                      .times = 1,
                      .time_is_free = mst_score_gives(source, MST_GIVES_TIME) && s->time == 0,
                      .threads = o->threads};
    size_t most = o->method == MST_MEAN_NEWTON ? 100 : 10000;
    s->climb = (fit_options){.method = o->method,
                             .tolerance = o->tolerance,
                             .rate = o->rate,
                             .iterations = o->iterations > 0 ? o->iterations : most,
                             .progress = o->progress};
    size_t q = fit_parameters(&s->problem), each = D + 1 + q * q;
    MST_TRY(mst_allocate_zero(&s->candidates, o->starts));
    MST_TRY(mst_allocate(&s->block, o->starts * each));
    for (size_t k = 0; k < o->starts; k++) {
        double *at = s->block + k * each;
        s->candidates[k].state = (fit_state){at, at + D};
        s->candidates[k].hessian = at + D + 1;
    }
    return MST_OK;
}

static void search_free(search *s)
{
    mst_release(s->candidates);
    mst_release(s->block);
    mst_release(s->sample);
    mst_release(s->sample_weights);
}

/* x moved in a random direction by about one radian (curvature makes no difference on smaller scales). */
static mst_status move_at_random(const search *s, size_t number, double *x)
{
    size_t d = mst_manifold_dim(s->m), D = mst_manifold_ambient(s->m);
    double *c;
    MST_TRY(mst_allocate(&c, d + D));
    mst_random_normals((mst_random){s->o->seed, STREAM_MOVES}, number * (d + d % 2), d, c);
    mst_status status = mst_manifold_from_frame(s->m, 1, x, c, c + d);
    if (status == MST_OK)
        status = mst_manifold_exp(s->m, 1, x, c + d, x);
    mst_release(c);
    return status;
}

/* Point number k to start from: the given or extrinsic mean first, then rows of the data drawn at random, and when there
 * are no more of them, points around them. */
static mst_status choose_start(const search *s, size_t k, const size_t *rows, double *mean)
{
    size_t D = mst_manifold_ambient(s->m);
    if (k == 0 && s->o->start != NULL) {
        memcpy(mean, s->o->start, D * sizeof *mean);
        return MST_OK;
    }
    if (k == 0) {
        size_t row;
        mst_status status = mean_extrinsic(s->m, s->group.n, s->group.x, s->group.weights, mean);
        /* A mean of matrices that are very far apart may be singular to rounding. */
        if (status == MST_OK)
            status = mst_manifold_validate(s->m, 1, mean, &row);
        if (status != MST_DOMAIN)
            return status;
    }
    memcpy(mean, s->group.x + rows[k] * D, D * sizeof *mean);
    return k < s->different ? MST_OK : move_at_random(s, k, mean);
}

/* In flat space t is the mean squared distance per dimension; curvature is left to the climb. */
static mst_status first_time(const search *s, const fit_group *g, const double *mean, double *time)
{
    if (s->time > 0) {
        *time = s->time;
        return MST_OK;
    }
    MST_TRY(mean_squared_distance(s->m, g->n, g->x, g->weights, mean, s->o->threads, time));
    *time = fit_clamp_time(s->problem.source, *time / (double)mst_manifold_dim(s->m));
    if (!(*time > 0) || !isfinite(*time))
        *time = 1;
    return MST_OK;
}

/* Rows that carry weight, `starts` of them in random order. */
static mst_status draw_rows(search *s, size_t *rows)
{
    size_t n = s->group.n, wanted = s->o->starts;
    mst_random stream = {s->o->seed, STREAM_STARTS};
    if (s->group.weights == NULL) {
        s->different = wanted < n ? wanted : n;
        MST_TRY(mst_random_choice(stream, n, s->different, rows));
    } else {
        size_t *order;
        MST_TRY(mst_allocate(&order, n));
        mst_random_permutation(stream, n, order);
        for (size_t i = 0; i < n && s->different < wanted; i++)
            if (s->group.weights[order[i]] > 0)
                rows[s->different++] = order[i];
        mst_release(order);
    }
    for (size_t i = s->different; i < wanted; i++)
        rows[i] = rows[i % s->different];
    return MST_OK;
}

/* A random sample of the rows for a first look at other maxima; none where hardly any row has a weight. */
static mst_status draw_sample(search *s)
{
    size_t D = mst_manifold_ambient(s->m), *rows;
    double weight = 0;
    s->sample_rows = fit_is_slow(s->problem.source) ? PROBE_ROWS : SAMPLE_ROWS;
    MST_TRY(mst_allocate(&s->sample, s->sample_rows * D));
    if (s->group.weights != NULL)
        MST_TRY(mst_allocate(&s->sample_weights, s->sample_rows));
    MST_TRY(mst_allocate(&rows, s->sample_rows));
    mst_status status = mst_random_choice((mst_random){s->o->seed, STREAM_SAMPLE}, s->group.n,
                                          s->sample_rows, rows);
    for (size_t i = 0; status == MST_OK && i < s->sample_rows; i++) {
        memcpy(s->sample + i * D, s->group.x + rows[i] * D, D * sizeof *s->sample);
        if (s->sample_weights != NULL)
            weight += s->sample_weights[i] = s->group.weights[rows[i]];
    }
    mst_release(rows);
    if (s->sample_weights != NULL && !(weight > 0)) {
        mst_release(s->sample);
        s->sample = NULL;
    }
    return status;
}

/* Means closer than this share of the spread are the same one (or, with a source of low precision, closer than what the
 * least tolerance leaves open), those of a sample and of the whole closer than that: they differ by the sampling error,
 * about √(dt/4000), or √(dt/256). */
static const double same_mean = 1e-5, same_for_sample = 0.3;

static double same_mean_for(const search *s)
{
    return fmax(same_mean, 1e3 * mst_score_describe(s->problem.source)->precision);
}

/* How far rows scatter: √t, or the root of the mean squared distance without a time. */
static double scatter(const search *s, const candidate *c)
{
    if (mst_score_gives(s->problem.source, MST_GIVES_TIME))
        return sqrt(c->state.time[0]);
    return mst_score_gives(s->problem.source, MST_GIVES_LOG_P)
               ? sqrt(fmax(0, -2 * c->outcome.value / s->total_weight))
               : s->spread;
}

static mst_status measure_spread(search *s)
{
    if (mst_score_gives(s->problem.source, MST_GIVES_TIME) ||
        mst_score_gives(s->problem.source, MST_GIVES_LOG_P))
        return MST_OK;
    MST_TRY(mean_squared_distance(s->m, s->group.n, s->group.x, s->group.weights,
                                  s->candidates[0].state.mean, s->o->threads, &s->spread));
    s->spread = sqrt(s->spread);
    return MST_OK;
}

/* Is the mean of `c` one of the candidates already? Where all rows are one, rounding alone tells means apart. */
static mst_status is_known(const search *s, const candidate *c, double tolerance, bool *known)
{
    double rounding = 1e-12;
    for (size_t k = 0; k < mst_manifold_ambient(s->m); k++)
        rounding = fmax(rounding, 1e-12 * fabs(c->state.mean[k]));
    *known = false;
    for (size_t k = 0; !*known && k < s->count; k++) {
        double r;
        MST_TRY(mst_manifold_dist(s->m, 1, s->candidates[k].state.mean, c->state.mean, &r));
        *known = r <= fmax(rounding, tolerance * scatter(s, &s->candidates[k]));
    }
    return MST_OK;
}

/* The rows for a first look: the sample, or all. */
static fit_group first_look(const search *s)
{
    return s->sample == NULL
               ? s->group
               : (fit_group){.n = s->sample_rows, .x = s->sample, .weights = s->sample_weights};
}

static mst_status climb_sample(const search *s, candidate *c, bool *known)
{
    fit_group group = first_look(s);
    fit_problem problem = s->problem;
    fit_options rough = s->climb;
    problem.group = &group;
    rough.tolerance = 1e-6;
    MST_TRY(first_time(s, &group, c->state.mean, c->state.time));
    MST_TRY(fit_climb(&problem, &c->state, &rough, &c->outcome));
    /* The maxima of a sample lie within its sampling error of those of the whole. */
    return is_known(s, c, same_for_sample, known);
}

/* A probe stops where its step would be this share of the spread. Where the law is nearly uniform that is far from the
 * maximum still, several steps. */
static const double level_ground = 0.02;

/* Where sweeps take long: up by the score alone, at the time of the first mean, until a known mean is near or the
 * ground is level. In flat space a step of t·score leads to the mean at once; in negative curvature it may lead too far,
 * which the slope there tells. */
static mst_status probe(const search *s, candidate *c, bool *known)
{
    fit_group group = first_look(s);
    fit_problem problem = s->problem;
    problem.group = &group;
    problem.time_is_free = false;
    *c->state.time = *s->candidates[0].state.time;
    fit_room r;
    MST_TRY(fit_room_new(&r, &problem));
    bool timed = mst_score_gives(problem.source, MST_GIVES_TIME);
    double scale = timed ? *c->state.time : 1, rate = scale;
    double unit = timed ? sqrt(scale) : s->spread;
    mst_status status = MST_OK;
    memset(r.arrived, 0, r.d * sizeof *r.arrived);
    for (size_t k = 0; status == MST_OK && k < PROBE_STEPS; k++) {
        fit_sums sums = {.gradient = r.gradient};
        status = is_known(s, c, same_for_sample, known);
        if (status != MST_OK || *known)
            break;
        status = fit_evaluate(&problem, &c->state, &sums);
        double turn = 0, length = scale * fit_norm(r.d, r.gradient) / sums.total_weight;
        if (status != MST_OK || !(length > level_ground * unit))
            break;
        for (size_t a = 0; a < r.d; a++)
            turn += r.gradient[a] * r.arrived[a];
        rate = turn < 0 ? rate / 2 : rate;
        for (size_t a = 0; a < r.d; a++)
            r.step[a] = rate * r.gradient[a] / sums.total_weight;
        memcpy(r.arrived, r.gradient, r.d * sizeof *r.arrived);
        status = fit_move(&problem, &c->state, r.step, &r, &r.trial);
        if (status == MST_OK)
            memcpy(c->state.mean, r.trial.mean, r.D * sizeof *r.trial.mean);
    }
    mst_release(r.block);
    /* A way that cannot be gone leads to no mean. */
    *known |= fit_is_too_far(status);
    return fit_is_too_far(status) ? MST_OK : status;
}

/* A look from another start: has it led to a mean that is known? */
static mst_status look_first(const search *s, candidate *c, bool *known)
{
    if (fit_is_slow(s->problem.source))
        return probe(s, c, known);
    return s->sample != NULL ? climb_sample(s, c, known) : MST_OK;
}

static mst_status run_start(search *s, size_t k, const size_t *rows)
{
    candidate *c = &s->candidates[s->count];
    fit_options climb = s->climb;
    climb.hessian = c->hessian;
    MST_TRY(choose_start(s, k, rows, c->state.mean));
    bool known = false;
    if (k > 0)
        MST_TRY(look_first(s, c, &known));
    if (known)
        return MST_OK;
    MST_TRY(first_time(s, &s->group, c->state.mean, c->state.time));
    MST_TRY(fit_climb(&s->problem, &c->state, &climb, &c->outcome));
    MST_TRY(is_known(s, c, same_mean_for(s), &known));
    if (known)
        return MST_OK;
    s->count++;
    return s->count == 1 ? measure_spread(s) : MST_OK;
}

static bool is_settled(const candidate *c)
{
    return c->outcome.converged || c->outcome.limit == MST_TIME_INFINITY;
}

/* The share of the ups and downs on a way by which a score may fail to be a gradient. */
static const double doubtful_share = 0.01;

/* Values of the candidates and what differences of them mean. Without log p only differences are known, from the first
 * one to each of the others; where there is no way to go, nothing is known and they count as the same. */
static mst_status rate_candidates(search *s)
{
    for (size_t k = 0; k < s->count; k++) {
        candidate *c = &s->candidates[k];
        double variation = 0;
        c->doubt = 1e-9 * fmax(1, fabs(c->outcome.value));
        if (mst_score_gives(s->problem.source, MST_GIVES_LOG_P) || k == 0)
            continue;
        mst_status status = fit_difference(&s->problem, &s->candidates[0].state, &c->state,
                                           &c->outcome.value, &variation);
        if (status != MST_OK && !fit_is_too_far(status))
            return status;
        c->outcome.value = status == MST_OK ? c->outcome.value : 0;
        c->doubt = doubtful_share * variation +
                   (1e-9 + 10 * mst_score_describe(s->problem.source)->precision) * s->total_weight;
    }
    return MST_OK;
}

/* The higher value first, settled or not: a lower maximum must not hide a higher one that was not reached. */
static bool is_better(const candidate *a, const candidate *b)
{
    double one = a->outcome.value, two = b->outcome.value;
    if (isnan(one) || isnan(two))
        return !isnan(one);
    if (fabs(one - two) > fmax(a->doubt, b->doubt))
        return one > two;
    return is_settled(a) != is_settled(b) ? is_settled(a) : one > two;
}

static void sort_candidates(search *s)
{
    for (size_t i = 1; i < s->count; i++)
        for (size_t k = i; k > 0 && is_better(&s->candidates[k], &s->candidates[k - 1]); k--) {
            candidate kept = s->candidates[k];
            s->candidates[k] = s->candidates[k - 1];
            s->candidates[k - 1] = kept;
        }
}

/* How many candidates share the highest value. */
static size_t count_ties(const search *s)
{
    size_t ties = 1;
    double best = s->candidates[0].outcome.value;
    while (ties < s->count && s->candidates[ties].outcome.converged &&
           s->candidates[ties].outcome.value >=
               best - fmax(s->candidates[0].doubt, s->candidates[ties].doubt))
        ties++;
    return ties;
}

static mst_status result_new(mst_mean_result **out, const mst_manifold *m, size_t set_size)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    mst_mean_result *r;
    MST_TRY(mst_allocate_zero(&r, 1));
    mst_status status = mst_allocate(&r->set, set_size);
    if (status == MST_OK)
        status = mst_allocate(&r->mean, (1 + set_size) * D + d * D + d * d);
    if (status != MST_OK) {
        mst_release(r->set);
        mst_release(r);
        return status;
    }
    r->basis = r->mean + D;
    r->covariance = r->basis + d * D;
    for (size_t k = 0; k < set_size; k++)
        r->set[k].mean = r->covariance + d * d + k * D;
    r->set_size = set_size;
    for (size_t k = 0; k < d * d; k++)
        r->covariance[k] = NAN;
    r->time = r->log_likelihood = r->variance = r->standard_error = r->time_standard_error = NAN;
    r->time_low = r->time_high = r->region_radius2 = r->region_volume = r->aic = r->bic = NAN;
    r->gradient_norm = r->decrement = NAN;
    *out = r;
    return MST_OK;
}

void mst_mean_result_free(mst_mean_result *r)
{
    if (r == NULL)
        return;
    mst_release(r->mean);
    mst_release(r->set);
    mst_release(r);
}

static void fill_set(const search *s, mst_mean_result *r)
{
    for (size_t k = 0; k < r->set_size; k++) {
        const candidate *c = &s->candidates[k];
        memcpy(r->set[k].mean, c->state.mean, mst_manifold_ambient(s->m) * sizeof *c->state.mean);
        bool timed =
            mst_score_gives(s->problem.source, MST_GIVES_TIME) && mean_has_time(c->outcome.limit);
        r->set[k].time = timed ? c->state.time[0] : NAN;
        r->set[k].log_likelihood = mst_score_gives(s->problem.source, MST_GIVES_TIME) &&
                                           mst_score_gives(s->problem.source, MST_GIVES_LOG_P)
                                       ? c->outcome.value
                                       : NAN;
    }
}

/* From the sorted candidates to the result, without error bars. */
static mst_status describe(const search *s, mst_mean_result **out)
{
    const candidate *best = &s->candidates[0];
    mst_mean_result *r;
    MST_TRY(result_new(&r, s->m, count_ties(s)));
    fill_set(s, r);
    memcpy(r->mean, best->state.mean, mst_manifold_ambient(s->m) * sizeof *r->mean);
    r->n = s->group.n;
    r->time_limit = best->outcome.limit;
    r->converged = best->outcome.converged;
    r->iterations = best->outcome.iterations;
    r->gradient_norm = best->outcome.gradient_norm;
    r->decrement = best->outcome.decrement;
    r->unique = r->set_size == 1 && r->time_limit != MST_TIME_INFINITY &&
                !(best->outcome.least_curvature <
                  fmax(1e-10, 10 * mst_score_describe(s->problem.source)->precision));
    r->parameters = fit_parameters(&s->problem);
    if (mst_score_gives(s->problem.source, MST_GIVES_TIME) && mean_has_time(r->time_limit))
        r->time = best->state.time[0];
    if (mst_score_gives(s->problem.source, MST_GIVES_TIME) &&
        mst_score_gives(s->problem.source, MST_GIVES_LOG_P)) {
        r->log_likelihood = best->outcome.value;
        r->aic = 2 * (double)r->parameters - 2 * r->log_likelihood;
        /* A weight is a number of repetitions. */
        r->bic = log(s->total_weight) * (double)r->parameters - 2 * r->log_likelihood;
    }
    /* A manifold of the user's own may have no logarithm here: then there is no variance. */
    if (mean_squared_distance(s->m, r->n, s->group.x, s->group.weights, r->mean, s->o->threads,
                              &r->variance) != MST_OK)
        r->variance = NAN;
    *out = r;
    return MST_OK;
}

/* One point, or the same one many times: any time fits better than a larger one. The mean is then that point, which is
 * compared with the others by coordinates too, because distances of far points carry rounding of their own. */
static mst_status collapse(const search *s, bool *collapsed)
{
    size_t D = mst_manifold_ambient(s->m), first = 0;
    const double *x = s->group.x, *w = s->group.weights;
    while (w != NULL && w[first] == 0)
        first++;
    bool same = true;
    for (size_t i = first + 1; same && i < s->group.n; i++)
        same = (w != NULL && w[i] == 0) || memcmp(x + i * D, x + first * D, D * sizeof *x) == 0;
    double square = 0;
    if (!same)
        MST_TRY(
            mean_squared_distance(s->m, s->group.n, x, w, x + first * D, s->o->threads, &square));
    *collapsed = same || square < rows_rounding(s->m, s->group.n, x, w);
    if (*collapsed)
        memcpy(s->candidates[0].state.mean, x + first * D, D * sizeof *x);
    return MST_OK;
}

static mst_status find_candidates(search *s)
{
    if (s->problem.time_is_free && !(mst_score_describe(s->problem.source)->t_least > 0)) {
        bool collapsed = false;
        MST_TRY(collapse(s, &collapsed));
        if (collapsed) {
            s->candidates[0].outcome = (fit_outcome){.limit = MST_TIME_ZERO,
                                                     .value = INFINITY,
                                                     .gradient_norm = NAN,
                                                     .decrement = NAN,
                                                     .least_curvature = NAN};
            s->count = 1;
            return MST_OK;
        }
    }
    size_t *rows;
    MST_TRY(mst_allocate(&rows, s->o->starts));
    mst_status status = draw_rows(s, rows);
    if (status == MST_OK &&
        s->group.n > (fit_is_slow(s->problem.source) ? PROBE_ROWS : MANY_ROWS) && s->o->starts > 1)
        status = draw_sample(s);
    for (size_t k = 0; status == MST_OK && k < s->o->starts; k++)
        status = run_start(s, k, rows);
    mst_release(rows);
    return status;
}

/* The status of a result: not converged is said, with the reason. */
static mst_status verdict(const mst_mean_result *r)
{
    if (r->time_limit == MST_TIME_ZERO)
        return mst_fail(MST_CONVERGENCE, "all the points are one: the time runs to zero");
    if (r->time_limit == MST_TIME_INFINITY)
        return mst_fail(MST_CONVERGENCE,
                        "the points are spread uniformly: the time runs to infinity and "
                        "the mean is undetermined");
    if (!r->converged)
        return mst_fail(MST_CONVERGENCE, "not converged after %zu iterations: gradient norm %.2g",
                        r->iterations, r->gradient_norm);
    return MST_OK;
}

mst_status mst_mean_fit(mst_mean_result **out, const mst_score *source, size_t n, const double *x,
                        const mst_mean_options *options)
{
    *out = NULL;
    double begin = rows_clock();
    mst_mean_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_mean_options, options));
    MST_TRY(check_options(source, &o));
    MST_TRY(check_points(mst_score_manifold(source), n, x, &o));
    search s;
    mst_mean_result *r = NULL;
    mst_status status = search_new(&s, source, n, x, &o);
    if (status == MST_OK)
        status = find_candidates(&s);
    if (status == MST_OK)
        status = rate_candidates(&s);
    if (status == MST_OK) {
        sort_candidates(&s);
        status = describe(&s, &r);
    }
    if (status == MST_OK)
        status = mean_add_errors(r, &s.problem, &o, s.candidates[0].hessian);
    search_free(&s);
    if (status != MST_OK) {
        mst_mean_result_free(r);
        /* MST_CONVERGENCE promises a result; a logarithm that could not be found leaves none. */
        return status == MST_CONVERGENCE ? mst_fail(MST_BREAKDOWN, "%s", mst_error_detail())
                                         : status;
    }
    r->seconds = rows_clock() - begin;
    *out = r;
    return verdict(r);
}
