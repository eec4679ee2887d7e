/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Fréchet means of manifolds that know a way of their own to them (manifold/barycentre.h), and the errors of
 * those in so many dimensions that nobody wants the whole covariance. */
#include "manifold/barycentre.h"
#include "manifold/internal.h"
#include "score/score_internal.h"
#include "stat/mean_search.h"

#include <manistat/random.h>
#include <math.h>
#include <string.h>

/* Beyond this dimension, order 7 of matrices, the covariance is formed for those who ask for it; beyond the
 * other for nobody. */
enum { MOST_FORMED = 30, MOST_ASKED = 2500 };

bool fit_has_centre(const mst_score *source, size_t n)
{
    const mst_manifold *m = mst_score_manifold(source);
    return m->barycentre != NULL && score_is_log(source) && m->barycentre->size(m, n) > 0;
}

mst_status fit_centre(const mst_score *source, const fit_rows *rows, const double *start,
                      double tolerance, int threads, double *mean, double *value, bool *found)
{
    const mst_manifold *m = mst_score_manifold(source);
    mst_barycentre *b;
    double total = 0;
    *found = false;
    mst_status status = m->barycentre->find(&b, m, rows->n, rows->x, rows->weights, start,
                                            tolerance, threads, (mst_progress){0});
    if (status != MST_OK)
        return status == MST_MEMORY ? status : MST_OK;
    for (size_t i = 0; i < rows->n; i++)
        total += rows->weights != NULL ? rows->weights[i] : 1;
    *found = b->settled;
    *value = -0.5 * total * b->square;
    memcpy(mean, b->mean, mst_manifold_ambient(m) * sizeof *mean);
    b->ops->free(b);
    return MST_OK;
}

void mean_plan_centre(mean_search *s)
{
    const mst_mean_options *o = s->o;
    bool relative = o->weights != NULL && o->weights_are == MST_WEIGHTS_RELATIVE;
    s->by_centre = o->method == MST_MEAN_NEWTON && o->iterations == 0 &&
                   fit_has_centre(s->model.model.source, s->rows.n);
    s->total_only = s->by_centre && s->d > MOST_FORMED && !relative && o->clusters == NULL &&
                    o->covariance == MST_COVARIANCE_OBSERVED;
}

/* The Hessian of the log-likelihood −½ Σ w dist². */
static mst_status fill_hessian(const mean_search *s, double *hessian)
{
    MST_TRY(s->centre->ops->hessian(s->centre, hessian));
    for (size_t k = 0; k < s->d * s->d; k++)
        hessian[k] *= -s->total_weight;
    return MST_OK;
}

static mst_status describe(mean_search *s, mean_candidate *c)
{
    const mst_barycentre *b = s->centre;
    double norm = b->gradient_norm, asked = s->tolerances.asked * fmax(1e-2, sqrt(b->square));
    memcpy(c->state, b->mean, s->D * sizeof *c->state);
    *mean_time(s, c) = 1;
    c->outcome = (fit_outcome){.end = norm <= asked ? MST_FIT_SETTLED : MST_FIT_ROUNDING,
                               .edge = MST_TIME_FINITE,
                               .iterations = b->passes,
                               .value = -0.5 * s->total_weight * b->square,
                               .gradient_norm = norm,
                               .decrement = 0.5 * norm * norm,
                               .least_curvature = NAN,
                               .row_size = sqrt(b->square)};
    s->squared_distance = b->square;
    s->count = 1;
    if (!s->total_only && s->d > MOST_ASKED)
        return MST_OK;
    s->model.centre = b;
    return s->total_only ? MST_OK : fill_hessian(s, c->hessian);
}

/* The rows' logarithms in the frame at the mean, for the spread of their gradients. */
static mst_status keep_logs(mean_search *s)
{
    MST_TRY(mst_allocate(&s->about, s->rows.n * s->d));
    s->rows.about = s->about;
    return s->centre->ops->logs(s->centre, s->about);
}

mst_status mean_by_centre(mean_search *s, bool *found)
{
    mean_candidate *c;
    *found = false;
    mst_status status =
        s->m->barycentre->find(&s->centre, s->m, s->rows.n, s->rows.x, s->rows.weights, NULL,
                               s->tolerances.asked, s->o->threads, s->o->progress);
    if (status == MST_MEMORY || status == MST_INTERRUPTED)
        return status;
    *found = status == MST_OK && s->centre->settled;
    if (!*found) { /* rows at the ends of the range of double: the climb has its own ways */
        s->total_only = false;
        return MST_OK;
    }
    MST_TRY(mean_next_candidate(s, &c));
    MST_TRY(describe(s, c));
    return keep_logs(s);
}

/* ---- The total error ---- */

/* tr H⁻¹B H⁻¹ for B = Σ w g gᵀ from random sums of the rows' gradients, Σ ±√w g, whose products have the mean
 * B: of the length of H⁻¹ such a sum only its ratio to that of the sum itself is taken, which hardly varies
 * from one to the next, because H lies between 1 and 2 or 3. */
static mst_status ratio_of_lengths(const fit_means *model, uint64_t seed, double *ratio)
{
    enum { PROBES = 4 };
    const double tolerance = 0.1; /* of H⁻¹g; that of its length is the square of it */
    const mst_barycentre *b = model->centre;
    const fit_rows *rows = &model->model.rows[0];
    size_t n = rows->n, d = model->model.parameters;
    double *sum, before = 0, after = 0;
    uint64_t *bits;
    MST_TRY(mst_allocate(&bits, n));
    mst_status status = mst_allocate(&sum, d);
    for (size_t p = 0; status == MST_OK && p < PROBES; p++) {
        mst_random_bits((mst_random){.seed = seed, .stream = p}, 0, n, bits);
        memset(sum, 0, d * sizeof *sum);
        for (size_t i = 0; i < n; i++) {
            double root = rows->weights != NULL ? sqrt(rows->weights[i]) : 1;
            double sign = (bits[i] & 1U) != 0 ? root : -root;
            for (size_t a = 0; a < d; a++)
                sum[a] += sign * rows->about[i * d + a];
        }
        for (size_t a = 0; a < d; a++)
            before += sum[a] * sum[a];
        status = b->ops->solve(b, tolerance, 1, sum);
        for (size_t a = 0; a < d; a++)
            after += sum[a] * sum[a];
    }
    mst_release(sum);
    mst_release(bits);
    *ratio = after / before;
    return status;
}

mst_status mean_total_error(mst_mean_result *r, const fit_means *model)
{
    const fit_rows *rows = &model->model.rows[0];
    size_t d = model->model.parameters;
    double trace = 0, total = 0, ratio;
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1, square = 0;
        for (size_t a = 0; a < d; a++)
            square += rows->about[i * d + a] * rows->about[i * d + a];
        trace += w * square;
        total += w;
    }
    MST_TRY(ratio_of_lengths(model, r->seed, &ratio));
    r->standard_error = sqrt(trace * ratio) / total;
    r->no_region = r->effective_n > (double)d ? MST_REGION_NOT_ASKED : MST_REGION_FEW_ROWS;
    return MST_OK;
}
