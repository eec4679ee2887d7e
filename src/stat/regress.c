/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Geodesic regression: the fit, and what is made of it. */
#include "base/options.h"
#include "stat/regress_parts.h"
#include "stat/rows.h"
#include "util/clock.h"

#include <math.h>
#include <string.h>

mst_regress_options mst_regress_options_default(void)
{
    return (mst_regress_options){.size = sizeof(mst_regress_options),
                                 .noise = MST_REGRESS_CONSTANT,
                                 .covariance = MST_COVARIANCE_OBSERVED,
                                 .resamples = 1000,
                                 .confidence = 0.95,
                                 .tolerance = 1e-10,
                                 .iterations = 200,
                                 .seed = 2712};
}

static mst_status check(regress_job *j)
{
    const mst_regress_options *o = j->o;
    MST_TRY(rows_check(j->m, j->n, j->y, NULL));
    MST_TRY(rows_rounding(j->m, j->n, j->y, NULL, &j->rounding));
    if (j->k == 0)
        return mst_fail(MST_ARGUMENT, "a regression needs at least one covariate");
    if (!(o->confidence > 0 && o->confidence < 1))
        return mst_fail(MST_ARGUMENT, "`confidence` must lie between 0 and 1, not %g",
                        o->confidence);
    if (o->resamples < 2 || o->iterations < 1 || !(o->tolerance > 0))
        return mst_fail(MST_ARGUMENT,
                        "`resamples` must be at least 2, `iterations` at least 1 and `tolerance` "
                        "positive");
    for (size_t c = 0; o->origin != NULL && c < j->k; c++)
        if (!isfinite(o->origin[c]))
            return mst_fail(MST_ARGUMENT, "`origin`: %g is not a number", o->origin[c]);
    if (o->noise == MST_REGRESS_LOGLINEAR && !j->timed)
        return mst_fail(MST_ARGUMENT,
                        "log-linear noise needs a likelihood; least squares has none");
    return MST_OK;
}

/* The state of the constant-noise model in that with slopes, which are 0. */
static void add_slopes(const regress_model *from, const double *state, const regress_model *to,
                       double *out)
{
    memset(out, 0, to->model.size * sizeof *out);
    memcpy(out, state, from->model.size * sizeof *out);
}

/* Instead of a curve that winds: one from the mean that stands still, unless it winds as well. */
static mst_status climb_from_mean(const regress_job *j, const regress_model *m, double *state,
                                  fit_outcome *out)
{
    size_t place = (1 + m->curve) * j->D;
    double *other;
    fit_outcome ended;
    bool winds;
    MST_TRY(mst_allocate_zero(&other, m->model.size));
    memcpy(other, j->mean, j->D * sizeof *other);
    other[place] = j->mean[j->D];
    mst_status status = regress_climb(j, m, &m->model, other, &ended);
    if (status == MST_OK)
        status = regress_winds(j, m, other, &winds);
    if (status == MST_OK && !winds) {
        memcpy(state, other, m->model.size * sizeof *state);
        *out = ended;
    }
    mst_release(other);
    return status;
}

mst_status regress_fit_columns(const regress_job *j, bool loglinear, double *state,
                               fit_outcome *out)
{
    regress_model m = regress_job_model(j, j->k, NULL, false);
    double *plain;
    bool winds = false;
    MST_TRY(mst_allocate(&plain, m.model.size));
    mst_status status = regress_start(j, &m, NULL, plain);
    if (status == MST_OK)
        status = regress_climb(j, &m, &m.model, plain, out);
    if (status == MST_OK)
        status = regress_winds(j, &m, plain, &winds);
    if (status == MST_OK && winds)
        status = climb_from_mean(j, &m, plain, out);
    memcpy(state, plain, m.model.size * sizeof *state);
    if (status == MST_OK && loglinear) {
        regress_model full = regress_job_model(j, j->k, NULL, true);
        add_slopes(&m, plain, &full, state);
        status = regress_climb(j, &full, &full.model, state, out);
    }
    mst_release(plain);
    return status;
}

/* The mean of all rows: the curve without columns, whose state a mean has too. */
static mst_status fit_mean(regress_job *j)
{
    regress_model m = regress_job_model(j, 0, NULL, false);
    fit_means mean = fit_one_mean(j->climbs, &j->rows, j->free_time, j->o->threads);
    fit_outcome out;
    mean.model.memory = j->memory;
    MST_TRY(regress_start(j, &m, NULL, j->mean));
    MST_TRY(regress_climb(j, &m, &mean.model, j->mean, &out));
    j->mean_value = out.value;
    return MST_OK;
}

/* The same curve from another origin: the point moves along it, the velocities with it in parallel. With one
 * column that is exact, with several a start. `state` is in units of the design that is replaced. */
static mst_status change_origin(regress_job *j, bool loglinear, double *state, fit_outcome *out)
{
    size_t D = j->D, k = j->k, place = (1 + k) * D;
    double *old;
    MST_TRY(mst_allocate(&old, 2 * k + D));
    double *scale = old + k, *v = scale + k;
    memcpy(old, j->origin, k * sizeof *old);
    memcpy(scale, j->scale, k * sizeof *scale);
    regress_centre(j, j->o->origin);
    memset(v, 0, D * sizeof *v);
    for (size_t c = 0; c < k; c++) {
        for (size_t a = 0; a < D; a++) {
            double *velocity = &state[(1 + c) * D + a];
            *velocity /= scale[c];
            v[a] += (j->origin[c] - old[c]) * *velocity;
            *velocity *= j->scale[c];
        }
        if (loglinear && j->free_time) {
            double *slope = &state[place + 1 + c];
            *slope /= scale[c];
            state[place] *= exp((j->origin[c] - old[c]) * *slope);
            *slope *= j->scale[c];
        }
    }
    mst_status status = MST_OK;
    for (size_t c = 1; status == MST_OK && c <= k; c++)
        status = mst_manifold_transport(j->m, 1, state, v, state + c * D, state + c * D);
    if (status == MST_OK)
        status = mst_manifold_exp(j->m, 1, state, v, state);
    regress_model m = regress_job_model(j, k, NULL, loglinear);
    if (status == MST_OK)
        status = regress_climb(j, &m, &m.model, state, out);
    mst_release(old);
    return status;
}

static void fill_curve(const regress_job *j, const double *state, const fit_outcome *out,
                       mst_regress_result *r)
{
    size_t D = j->D, k = j->k, place = (1 + k) * D;
    memcpy(r->intercept, state, D * sizeof *state);
    memcpy(r->origin, j->origin, k * sizeof *r->origin);
    for (size_t c = 0; c < k; c++) {
        for (size_t a = 0; a < D; a++)
            r->velocities[c * D + a] = state[(1 + c) * D + a] / j->scale[c];
        if (r->noise_slopes != NULL)
            r->noise_slopes[c] = state[place + 1 + c] / j->scale[c];
    }
    if (j->timed)
        r->noise = state[place];
    r->end = out->end;
    r->converged = fit_has_converged(out->end);
    r->iterations = out->iterations;
    r->gradient_norm = out->gradient_norm;
    r->noise_limit = fit_time_limit(out);
    if (j->timed && mst_score_gives(j->source, MST_GIVES_LOG_P)) {
        double q = (double)r->parameters - (j->free_time ? 0 : 1);
        r->log_likelihood = out->value;
        if (j->o->clusters == NULL) {
            r->aic = 2 * q - 2 * out->value;
            r->bic = q * log((double)j->n) - 2 * out->value;
        }
    }
}

/* No noise is left but that of rounding: the rows lie on the curve. */
static bool has_collapsed(const regress_job *j, const mst_regress_result *r)
{
    double square = 0;
    for (size_t i = 0; i < j->n; i++)
        square += r->distances[i] * r->distances[i] / (double)j->n;
    return square <= j->rounding;
}

static mst_status describe(regress_job *j, const double *state, const fit_outcome *out,
                           mst_regress_result *r)
{
    bool loglinear = j->o->noise == MST_REGRESS_LOGLINEAR;
    regress_model m = regress_job_model(j, j->k, NULL, loglinear);
    double K = (double)(j->k + 1), n = (double)j->n;
    fill_curve(j, state, out, r);
    MST_TRY(mst_manifold_frame(j->m, 1, r->intercept, r->basis));
    MST_TRY(regress_add_residuals(j, &m, state, r));
    r->noise_unbiased = r->noise * n / (n - K);
    if (has_collapsed(j, r)) {
        r->noise_limit = MST_TIME_ZERO;
        r->end = MST_FIT_COLLAPSED;
        r->converged = !j->timed;
        r->notes |= MST_REGRESS_NO_COVARIANCE;
        return MST_OK;
    }
    MST_TRY(regress_add_doubts(j, r));
    if (!r->converged)
        return MST_OK;
    MST_TRY(regress_add_errors(j, &m, state, r));
    if (!j->o->without_tests)
        MST_TRY(regress_add_tests(j, &m, state, r));
    regress_conclude_doubts(j, r);
    return MST_OK;
}

static mst_status verdict(const mst_regress_result *r)
{
    if (r->converged)
        return MST_OK;
    if (r->end == MST_FIT_COLLAPSED)
        return mst_fail(MST_CONVERGENCE,
                        "the rows lie on a curve but for rounding: there is no noise to estimate");
    if (r->end == MST_FIT_UNIFORM)
        return mst_fail(
            MST_CONVERGENCE,
            "about the curve the rows are spread uniformly: the noise runs to infinity");
    return mst_fail(MST_CONVERGENCE, "not converged after %zu iterations: gradient norm %.2g",
                    r->iterations, r->gradient_norm);
}

static mst_status run(regress_job *j, mst_regress_result **out)
{
    bool loglinear = j->o->noise == MST_REGRESS_LOGLINEAR;
    double *state;
    fit_outcome outcome;
    regress_centre(j, NULL);
    MST_TRY(regress_check_columns(j));
    MST_TRY(regress_result_new(out, j));
    MST_TRY(mst_allocate(&state, (1 + j->k) * j->D + 1 + j->k));
    mst_status status = fit_mean(j);
    if (status == MST_OK)
        status = regress_fit_columns(j, loglinear, state, &outcome);
    if (status == MST_OK && j->o->origin != NULL)
        status = change_origin(j, loglinear, state, &outcome);
    if (status == MST_OK)
        status = describe(j, state, &outcome, *out);
    mst_release(state);
    return status;
}

/* Sources: one for many climbs at once, one that remembers. */
typedef struct regress_sources {
    mst_score *remembering, *gauss, *gauss_remembering;
} regress_sources;

static mst_status open_sources(regress_job *j, regress_sources *s)
{
    MST_TRY(mst_score_remember(&s->remembering, j->source, j->n));
    MST_TRY(regress_gauss_source(&s->gauss, j->source));
    if (s->gauss != NULL && s->remembering != NULL)
        MST_TRY(regress_gauss_source(&s->gauss_remembering, s->remembering));
    j->gauss = s->gauss != NULL;
    j->climbs = j->gauss ? s->gauss : j->source;
    j->memory = j->gauss ? s->gauss_remembering : s->remembering;
    return MST_OK;
}

mst_status mst_regress_fit(mst_regress_result **out, const mst_score *source, size_t n,
                           const double *y, size_t k, const double *x,
                           const mst_regress_options *options)
{
    *out = NULL;
    double begin = mst_clock_seconds();
    mst_regress_options o;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_regress_options, options));
    const mst_manifold *m = mst_score_manifold(source);
    regress_job j = {.source = source,
                     .m = m,
                     .o = &o,
                     .n = n,
                     .k = k,
                     .d = mst_manifold_dim(m),
                     .D = mst_manifold_ambient(m),
                     .y = y,
                     .x = x,
                     .timed = mst_score_gives(source, MST_GIVES_TIME)};
    MST_TRY(check(&j));
    const mst_score_info *info = mst_score_describe(source);
    j.free_time = j.timed && info->t_least < info->t_largest;
    MST_TRY(mst_allocate(&j.z, n * k + 2 * k + j.D + 1));
    j.origin = j.z + n * k;
    j.scale = j.origin + k;
    j.mean = j.scale + k;
    j.design = (regress_design){.n = n, .columns = k, .z = j.z};
    j.rows = (fit_rows){.n = n, .x = y};
    regress_sources s = {0};
    mst_regress_result *r = NULL;
    mst_status status = stat_pieces_new(&j.pieces, m);
    if (status == MST_OK)
        status = open_sources(&j, &s);
    if (status == MST_OK)
        status = run(&j, &r);
    mst_score_free(s.gauss_remembering);
    mst_score_free(s.gauss);
    mst_score_free(s.remembering);
    stat_pieces_free(&j.pieces);
    mst_release(j.z);
    if (status != MST_OK) {
        mst_regress_result_free(r);
        return status == MST_CONVERGENCE ? mst_fail(MST_BREAKDOWN, "%s", mst_error_detail())
                                         : status;
    }
    r->seconds = mst_clock_seconds() - begin;
    *out = r;
    return verdict(r);
}
