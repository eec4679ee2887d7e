/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What the noise of a simulated source does to a mean. The gradient of a row is g + e, e with the random
 * numbers of the row; the same row with others is g + e', so half of the spread of the difference is the
 * variance of e. Summed over the rows that is well determined, however few paths a row has. */
#include "base/linalg.h"
#include "heat/bridge_parts.h"
#include "stat/fit_steps.h"
#include "stat/mean_search.h"

#include <math.h>
#include <string.h>

static mst_bridge_options with_other_numbers(const mst_bridge_options *bridge)
{
    mst_bridge_options other = *bridge;
    other.seed ^=
        UINT64_C(0x9e3779b97f4a7c15); /* bits of the golden ratio: no neighbour of the seed */
    return other;
}

/* Σ w² ½ δ δᵀ (q, q), δ the differences (n, d + 1) that stand in `one`. */
static void add_up(const fit_model *m, size_t d, const double *one, double *outer)
{
    const fit_rows *rows = &m->rows[0];
    size_t q = m->parameters;
    memset(outer, 0, q * q * sizeof *outer);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        const double *delta = one + i * (d + 1);
        for (size_t a = 0; w > 0 && a < q; a++)
            for (size_t b = 0; b < q; b++)
                outer[a * q + b] += 0.5 * w * w * delta[a] * delta[b];
    }
}

mst_status mean_simulation_spread(const fit_means *model, const double *state, double *outer,
                                  bool *random)
{
    const fit_model *m = &model->model;
    const mst_bridge_options *bridge = mst_score_bridge(m->source);
    *random = bridge != NULL;
    if (!*random)
        return MST_OK;
    mst_bridge_options other = with_other_numbers(bridge);
    size_t d = mst_manifold_dim(mst_score_manifold(m->source)), n = m->rows[0].n;
    double *one, *two;
    mst_score *source;
    MST_TRY(mst_score_bridge_new(&source, mst_score_manifold(m->source), &other));
    mst_status status = mst_allocate(&one, 2 * n * (d + 1));
    if (status == MST_OK) {
        two = one + n * (d + 1);
        fit_means again = *model;
        again.model.source = source;
        again.model.memory = NULL;
        status = fit_row_gradients(m, state, 0, one);
        if (status == MST_OK)
            status = fit_row_gradients(&again.model, state, 0, two);
        for (size_t k = 0; status == MST_OK && k < n * (d + 1); k++)
            one[k] -= two[k];
        if (status == MST_OK)
            add_up(m, d, one, outer);
        mst_release(one);
    }
    mst_score_free(source);
    return status;
}

/* ---- How many paths? ---- */

/* Two trials of so many paths at the first start tell the noise. */
enum { TRIED = 16, FEWEST = 16, MOST = 1000 };

/* Noise is to be this share of the standard errors, and the variance that it gives the log-likelihood this,
 * unless that takes more than the usual number of paths. */
static const double wanted_share = 0.1, wanted_variance = 0.2;

/* Gradients (n, q) of rows in natural units and log p (n), by bridges with these options. score: (n, D). */
static mst_status try_rows(const fit_means *model, const double *state, const mst_bridge_options *o,
                           double *gradients, double *log_p, double *dt, double *score)
{
    const fit_model *m = &model->model;
    const fit_rows *rows = &m->rows[0];
    const mst_manifold *manifold = mst_score_manifold(m->source);
    size_t d = manifold->dim, D = manifold->ambient, q = m->parameters;
    double t = state[D];
    mst_pairs pairs = {.n = rows->n, .first = rows->first, .x = rows->x, .y = state, .t = &t};
    MST_TRY(mst_bridge_pairs(
        manifold, &pairs, o,
        &(mst_bridge_values){.log_p = log_p, .dt_log_p = q > d ? dt : NULL, .score = score}));
    for (size_t i = 0; i < rows->n; i++) {
        double *g = gradients + i * q;
        MST_TRY(mst_manifold_to_frame(manifold, 1, state, score + i * D, g));
        for (size_t a = 0; a < d; a++)
            g[a] *= sqrt(t);
        if (q > d)
            g[d] = t * dt[i];
    }
    return MST_OK;
}

/* The squared share that the noise of TRIED paths has of the errors, tr(J⁻¹ B)/q, from two trials (2, n, q).
 * Of few rows J is next to singular; the information 1 of q/n of them, which the model has in natural
 * units, is added. */
static mst_status find_share(const fit_rows *rows, size_t q, const double *trials, double *square)
{
    size_t n = rows->n;
    const double *one = trials, *two = trials + n * q;
    double *j, total = 0;
    MST_TRY(mst_allocate_zero(&j, 3 * q * q));
    double *b = j + q * q, *ratio = b + q * q;
    for (size_t i = 0; i < n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] * rows->weights[i] : 1;
        const double *g = one + i * q, *h = two + i * q;
        total += w;
        for (size_t k = 0; w > 0 && k < q * q; k++) {
            size_t u = k / q, v = k % q;
            j[k] += 0.5 * w * (g[u] * g[v] + h[u] * h[v]);
            b[k] += 0.5 * w * (g[u] - h[u]) * (g[v] - h[v]);
        }
    }
    for (size_t a = 0; a < q; a++)
        j[a * q + a] += total * (double)q / (double)n;
    mst_status status = mst_solve(1, q, q, j, b, ratio, NULL);
    *square = 0;
    for (size_t a = 0; a < q; a++)
        *square += ratio[a * q + a] / (double)q;
    mst_release(j);
    return status;
}

static size_t enough_paths(const fit_rows *rows, double scale, double share2, const double *log_p)
{
    double variance = 0, share = share2 / (wanted_share * wanted_share);
    for (size_t i = 0; i < rows->n; i++) {
        double w = rows->weights != NULL ? rows->weights[i] : 1;
        double delta = w > 0 ? w * (log_p[i] - log_p[rows->n + i]) : 0;
        variance += 0.5 * scale * delta * delta;
    }
    double paths = fmin(ceil(TRIED * variance / wanted_variance), BRIDGE_USUAL_PATHS);
    paths = fmax(fmax(ceil(TRIED * share), paths), FEWEST);
    return isfinite(paths) ? (size_t)fmin(paths, MOST) : BRIDGE_USUAL_PATHS;
}

mst_status mean_choose_paths(const mean_search *s, const double *state, size_t *paths)
{
    const fit_rows *rows = &s->sample;
    fit_means model = s->model;
    model.model.rows = rows;
    size_t n = rows->n, q = model.model.parameters;
    mst_bridge_options first = *mst_score_bridge(model.model.source), second;
    first.paths = TRIED;
    first.threads = s->o->threads;
    second = with_other_numbers(&first);
    double *trials, share2;
    MST_TRY(mst_allocate(&trials, n * (2 * q + 3 + s->D)));
    double *log_p = trials + 2 * n * q, *dt = log_p + 2 * n, *score = dt + n;
    mst_status status = try_rows(&model, state, &first, trials, log_p, dt, score);
    if (status == MST_OK)
        status = try_rows(&model, state, &second, trials + n * q, log_p + n, dt, score);
    if (status == MST_OK)
        status = find_share(rows, q, trials, &share2);
    *paths = status != MST_OK ? BRIDGE_USUAL_PATHS
                              : enough_paths(rows, (double)s->rows.n / (double)n, share2, log_p);
    mst_release(trials);
    /* What cannot be tried is left to the fit. */
    return fit_is_too_far(status) ? MST_OK : status;
}

size_t mean_more_paths(const mst_mean_result *r)
{
    const double least = 2,
                 most = 4; /* a few more change nothing, and the noise is not known well */
    double share = r->bridge_share / wanted_share, gain = share * share;
    bool stopped = !r->converged && r->end != MST_FIT_UNIFORM && r->end != MST_FIT_COLLAPSED;
    bool enough = isnan(gain) || gain <= least || (r->notes & MST_NOTE_MAYBE_UNIFORM) != 0;
    if ((enough && !stopped) || r->bridge_paths >= MOST)
        return r->bridge_paths;
    gain = stopped ? most : fmin(gain, most);
    return (size_t)fmin(ceil((double)r->bridge_paths * gain), MOST);
}
