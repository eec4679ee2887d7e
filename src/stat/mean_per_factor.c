/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A mean on a product with a time per factor. The log-likelihood is then a sum of which each term has a
 * factor's mean and time to itself, so the joint fit is the fits of the factors. What is joint is the
 * covariance: rows may be related across factors, which the robust kinds see. */
#include "base/linalg.h"
#include "stat/factors.h"
#include "stat/mean_clusters.h"
#include "stat/mean_search.h"
#include "stat/rows.h"

#include <math.h>
#include <string.h>

/* Of ties in several factors any combination is a mean; so many are listed. */
enum { MOST_MEMBERS = 64 };

typedef struct factor_fits {
    size_t n, count, d, D;
    const double *x;
    const mst_mean_options *o;
    factor_view *views;        /* (count) */
    mst_mean_result **results; /* (count) */
} factor_fits;

static void close_fits(factor_fits *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (f->results != NULL)
            mst_mean_result_free(f->results[i]);
        if (f->views != NULL)
            factor_close(&f->views[i]);
    }
    mst_release(f->views);
    mst_release(f->results);
}

static mst_status fit_factors(factor_fits *f, const mst_score *source)
{
    MST_TRY(mst_allocate_zero(&f->views, f->count));
    MST_TRY(mst_allocate_zero(&f->results, f->count));
    for (size_t i = 0; i < f->count; i++) {
        mst_mean_options one = *f->o;
        factor_view *v = &f->views[i];
        MST_TRY(factor_open(v, source, i, f->n, f->x));
        one.time_per_factor = false;
        one.start = f->o->start != NULL ? f->o->start + v->first_at : NULL;
        MST_TRY(mst_score_prepare(v->source, f->n, v->x));
        mst_status status = mean_fit_rows(&f->results[i], v->source, f->n, v->x, &one);
        if (status != MST_OK && f->results[i] == NULL)
            return status;
    }
    return MST_OK;
}

/* ---- The joint covariance ---- */

/* What each row moves the mean of a factor by, (n, d) in its frame: H⁻¹ times its gradient, to first order.
 * Rows of one cluster move it together, so all of theirs goes to the first of them. */
static mst_status influence(const factor_fits *f, size_t i, double *out)
{
    const factor_view *v = &f->views[i];
    const mst_mean_result *r = f->results[i];
    fit_rows rows = {.n = f->n, .x = v->x, .weights = f->o->weights};
    fit_means model = fit_one_mean(v->source, &rows, true, f->o->threads);
    size_t q = model.model.parameters, n = f->n;
    double *state;
    MST_TRY(mst_allocate(&state, v->D + 1 + q + q * q + n * (v->D + v->d + 1 + 2 * q)));
    double *gradient = state + v->D + 1, *hessian = gradient + q, *score = hessian + q * q,
           *c = score + n * v->D, *dt = c + n * v->d, *rhs = dt + n, *moved = rhs + n * q;
    memcpy(state, r->mean, v->D * sizeof *state);
    state[v->D] = r->time;
    fit_sums sums = {.gradient = gradient, .hessian = hessian};
    mst_pairs pairs = {.n = n, .x = v->x, .y = state, .t = state + v->D};
    mst_status status = fit_evaluate(&model.model, state, &sums);
    if (status == MST_OK)
        status = mst_score_evaluate(v->source, &pairs,
                                    &(mst_heat_values){.score = score, .dt_log_p = dt});
    for (size_t row = 0; status == MST_OK && row < n; row++) {
        double w = f->o->weights != NULL ? f->o->weights[row] : 1;
        status = mst_manifold_to_frame(v->m, 1, state, score + row * v->D, c + row * v->d);
        for (size_t k = 0; k < v->d; k++)
            rhs[row * q + k] = w * c[row * v->d + k];
        rhs[row * q + v->d] = w * r->time * dt[row];
    }
    if (status == MST_OK)
        status = mst_solve(1, q, n, hessian, rhs, moved, NULL);
    for (size_t row = 0; status == MST_OK && row < n; row++)
        for (size_t k = 0; k < v->d; k++)
            out[row * f->d + v->first + k] = moved[row * q + k];
    mst_release(state);
    return status;
}

/* Rows of a cluster become one, which stands where its number says: no row has one above its own, so that the
 * place is free by then. */
static mst_status add_up_clusters(const factor_fits *f, double *moves)
{
    mean_clusters clusters;
    MST_TRY(mean_clusters_new(&clusters, f->n, f->o->weights, f->o->clusters));
    for (size_t i = 0; clusters.of != NULL && i < f->n; i++) {
        size_t to = clusters.of[i];
        for (size_t a = 0; to < i && a < f->d; a++) {
            moves[to * f->d + a] += moves[i * f->d + a];
            moves[i * f->d + a] = 0;
        }
    }
    mean_clusters_free(&clusters);
    return MST_OK;
}

/* Relations across factors, as the rows' influence shows them, for the covariances C of the factors that are
 * in place: with V the covariance of the influence, C = L V Lᵀ for L = C^½ V^-½ of each factor, which keeps
 * the blocks as they are and the whole positive. */
static mst_status relate_factors(const factor_fits *f, const double *v, double *covariance)
{
    size_t d = f->d;
    double *l, *side;
    MST_TRY(mst_allocate_zero(&l, 2 * d * d));
    side = l + d * d;
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < f->count; i++) {
        size_t k = f->views[i].d, at = f->views[i].first;
        double *block;
        status = mst_allocate(&block, 3 * k * k);
        if (status != MST_OK)
            break;
        double *lc = block + k * k, *lv = lc + k * k;
        for (size_t a = 0; a < k * k; a++)
            block[a] = v[(at + a / k) * d + at + a % k];
        status = mst_cholesky(1, k, block, lv, NULL);
        if (status == MST_OK)
            status = mst_cholesky(1, k, f->results[i]->covariance, lc, NULL);
        /* Lc Lv⁻¹ = (Lv⁻ᵀ Lcᵀ)ᵀ; column by column of the identity. */
        memset(block, 0, k * k * sizeof *block);
        for (size_t a = 0; a < k; a++)
            block[a * k + a] = 1;
        if (status == MST_OK)
            mst_lower_solve(k, lv, block);
        for (size_t a = 0; status == MST_OK && a < k; a++)
            for (size_t b = 0; b < k; b++) {
                double sum = 0;
                for (size_t e = 0; e < k; e++)
                    sum += lc[a * k + e] * block[e * k + b];
                l[(at + a) * d + at + b] = sum;
            }
        mst_release(block);
    }
    if (status == MST_OK) {
        mst_multiply(d, l, v, side);
        mst_multiply_nt(d, side, l, covariance);
    }
    mst_release(l);
    /* A block that is singular has no relations to tell of. */
    return status == MST_DOMAIN ? MST_OK : status;
}

/* A count of w is w independent rows, which together moved the mean by what is written down. */
static double copies_of(const factor_fits *f, size_t row)
{
    bool counts = f->o->weights != NULL && f->o->weights_are == MST_WEIGHTS_COUNTS;
    return counts && f->o->clusters == NULL && f->o->weights[row] > 0 ? f->o->weights[row] : 1;
}

static mst_status join_covariance(const factor_fits *f, mst_mean_result *r)
{
    size_t d = f->d;
    memset(r->covariance, 0, d * d * sizeof *r->covariance);
    for (size_t i = 0; i < f->count; i++)
        for (size_t a = 0; a < f->views[i].d; a++)
            memcpy(r->covariance + (f->views[i].first + a) * d + f->views[i].first,
                   f->results[i]->covariance + a * f->views[i].d, f->views[i].d * sizeof(double));
    if (r->covariance_kind != MST_COVARIANCE_OBSERVED) {
        double *moves;
        MST_TRY(mst_allocate_zero(&moves, f->n * d + d * d));
        double *v = moves + f->n * d;
        mst_status status = MST_OK;
        for (size_t i = 0; status == MST_OK && i < f->count; i++)
            status = influence(f, i, moves);
        if (status == MST_OK)
            status = add_up_clusters(f, moves);
        for (size_t row = 0; row < f->n; row++)
            for (size_t a = 0; a < d; a++)
                for (size_t b = 0; b < d; b++)
                    v[a * d + b] += moves[row * d + a] * moves[row * d + b] / copies_of(f, row);
        if (status == MST_OK)
            status = relate_factors(f, v, r->covariance);
        mst_release(moves);
        MST_TRY(status);
    }
    /* The time that is known least is that of the factor of least dimension. */
    size_t spread = d;
    for (size_t i = 0; i < f->count; i++)
        spread = f->views[i].d < spread ? f->views[i].d : spread;
    MST_TRY(mean_fill_region(r, d, spread, f->o->confidence));
    /* A factor without an ellipsoid leaves the whole without one. */
    bool whole = r->region_kind == MST_REGION_ELLIPSOID;
    for (size_t i = f->count; i-- > 0;) {
        mst_region_kind kind = f->results[i]->region_kind;
        if (kind == MST_REGION_ELLIPSOID)
            continue;
        if (whole)
            r->no_region = kind == MST_REGION_NONE ? MST_REGION_OF_FACTOR : MST_REGION_FACTOR_WIDE;
        r->no_region_factor = i;
        r->region_kind = MST_REGION_NONE;
        r->region_radius2 = r->region_volume = NAN;
    }
    return MST_OK;
}

/* ---- The rest ---- */

/* The k-th combination of the factors' means. */
static void fill_member(const factor_fits *f, size_t k, mst_mean_point *out)
{
    out->time = NAN;
    out->log_likelihood = 0;
    for (size_t i = 0; i < f->count; i++) {
        const mst_mean_result *part = f->results[i];
        const mst_mean_point *member = &part->set[k % part->set_size];
        memcpy(out->mean + f->views[i].first_at, member->mean, f->views[i].D * sizeof(double));
        out->log_likelihood += member->log_likelihood;
        k /= part->set_size;
    }
}

static mst_status add_times(const factor_fits *f, mst_mean_result *r)
{
    MST_TRY(mst_allocate_zero(&r->times, 4 * f->count));
    r->times_count = f->count;
    r->times_standard_error = r->times + f->count;
    r->times_low = r->times_standard_error + f->count;
    r->times_high = r->times_low + f->count;
    for (size_t i = 0; i < f->count; i++) {
        const mst_mean_result *part = f->results[i];
        r->times[i] = part->time_limit == MST_TIME_ZERO       ? 0
                      : part->time_limit == MST_TIME_INFINITY ? INFINITY
                                                              : part->time;
        r->times_standard_error[i] = part->time_standard_error;
        r->times_low[i] = part->time_low;
        r->times_high[i] = part->time_high;
    }
    return MST_OK;
}

static bool has_ties(const mst_mean_result *r)
{
    return !r->unique && r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED;
}

/* What is uniform in a factor, or all of it, is a part of the whole. */
static void add_uniform(mst_mean_result *r, const mst_mean_result *part, const factor_view *view)
{
    bool all = (part->notes & MST_NOTE_MAYBE_UNIFORM) != 0;
    double p = all ? part->uniform_p_value : part->uniform_part_p_value;
    if (!(p >= 0) || p <= r->uniform_part_p_value)
        return;
    r->notes |= MST_NOTE_UNIFORM_PART;
    r->uniform_part_p_value = p;
    r->uniform_first = view->first_at + (all ? 0 : part->uniform_first);
    r->uniform_count = all ? view->D : part->uniform_count;
}

/* A verdict on all factors is the worst on any of them. */
static void add_part(mst_mean_result *r, const mst_mean_result *part, const factor_view *view)
{
    double norm = isnan(r->gradient_norm) ? 0 : r->gradient_norm;
    r->gradient_norm = hypot(norm, part->gradient_norm);
    r->decrement = (isnan(r->decrement) ? 0 : r->decrement) + part->decrement;
    r->log_likelihood += part->log_likelihood;
    r->variance += part->variance;
    r->parameters += part->parameters;
    r->notes |= part->notes & ~(unsigned)(MST_NOTE_MAYBE_UNIFORM | MST_NOTE_UNIFORM_PART);
    add_uniform(r, part, view);
    r->bridge_paths = part->bridge_paths > r->bridge_paths ? part->bridge_paths : r->bridge_paths;
    r->bridge_share = fmax(r->bridge_share, part->bridge_share);
    r->effective_n = fmin(r->effective_n, part->effective_n);
    r->degrees_of_freedom = fmin(r->degrees_of_freedom, part->degrees_of_freedom);
    r->iterations = part->iterations > r->iterations ? part->iterations : r->iterations;
    r->end = part->end > r->end ? part->end : r->end;
    r->converged = r->converged && part->converged;
    bool tied = has_ties(r) || has_ties(part);
    r->unique = r->unique && part->unique;
    r->uniqueness = part->uniqueness > r->uniqueness ? part->uniqueness : r->uniqueness;
    if (tied && r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED)
        r->uniqueness = MST_UNIQUENESS_SEARCHED; /* whatever the other factors are */
    if (r->time_limit == MST_TIME_FINITE)
        r->time_limit = part->time_limit;
    if (r->no_errors == MST_ERRORS_GIVEN)
        r->no_errors = part->no_errors;
}

static mst_status join(const factor_fits *f, const mst_score *source, mst_mean_result **out)
{
    size_t members = 1;
    for (size_t i = 0; i < f->count; i++)
        members *= members <= MOST_MEMBERS ? f->results[i]->set_size : 1;
    mst_mean_result *r;
    MST_TRY(mean_result_new(&r, f->d, f->D, true, members < MOST_MEMBERS ? members : MOST_MEMBERS));
    *out = r;
    for (size_t k = 0; k < r->set_size; k++)
        fill_member(f, k, &r->set[k]);
    memcpy(r->mean, r->set[0].mean, f->D * sizeof *r->mean);
    const mst_mean_result *first = f->results[0];
    r->n = f->n;
    r->seed = f->o->seed;
    r->effective_n = first->effective_n;
    r->clusters = first->clusters;
    r->degrees_of_freedom = first->degrees_of_freedom;
    r->covariance_kind = first->covariance_kind;
    r->log_likelihood = r->variance = 0;
    r->converged = r->unique = true;
    for (size_t i = 0; i < f->count; i++)
        add_part(r, f->results[i], &f->views[i]);
    r->aic = 2 * (double)r->parameters - 2 * r->log_likelihood;
    r->bic = log(rows_weight(f->n, f->o->weights)) * (double)r->parameters - 2 * r->log_likelihood;
    MST_TRY(add_times(f, r));
    MST_TRY(mst_manifold_frame(mst_score_manifold(source), 1, r->mean, r->basis));
    return r->no_errors == MST_ERRORS_GIVEN ? join_covariance(f, r) : MST_OK;
}

mst_status mean_fit_per_factor(mst_mean_result **out, const mst_score *source, size_t n,
                               const double *x, const mst_mean_options *o)
{
    const mst_manifold *m = mst_score_manifold(source);
    factor_fits f = {.n = n,
                     .count = mst_manifold_factor_count(m),
                     .d = mst_manifold_dim(m),
                     .D = mst_manifold_ambient(m),
                     .x = x,
                     .o = o};
    if (f.count < 2)
        return mst_fail(MST_ARGUMENT, "a time per factor needs a product; %s is none",
                        mst_manifold_spec(m));
    if (!mst_score_gives(source, MST_GIVES_TIME) || o->time > 0)
        return mst_fail(MST_ARGUMENT, "a time per factor can be had only where times are fitted");
    mst_status status = fit_factors(&f, source);
    if (status == MST_OK)
        status = join(&f, source, out);
    close_fits(&f);
    return status;
}
