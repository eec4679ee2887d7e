/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "shares.h"

#include "result.h"

#include <manistat/brownian.h>
#include <manistat/learned.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

mst_status shares_count(share_tally *a, const mst_score *source, const mst_pairs *pairs)
{
    mst_source_share found[MST_SOURCE_SHARES];
    mst_status status = mst_score_shares(source, pairs, found, &a->count);
    double before = (double)a->rows, now = (double)pairs->n;
    for (size_t k = 0; status == MST_OK && k < a->count && pairs->n > 0; k++)
        a->of[k] = (mst_source_share){
            found[k].name, (a->of[k].share * before + found[k].share * now) / (before + now)};
    a->rows += pairs->n;
    return status;
}

const char *shares_text(const share_tally *a, char text[SHARES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t k = 0; k < a->count && length < SHARES_TEXT; k++)
        length += (size_t)snprintf(text + length, SHARES_TEXT - length, "%s%s %.3g %%",
                                   k > 0 ? ", " : "", a->of[k].name, 100 * a->of[k].share);
    return text;
}

void shares_members(const share_tally *a, mst_json *j)
{
    for (size_t k = 0; k < a->count; k++)
        json_member_number(j, a->of[k].name, a->of[k].share);
}

/* ---- Simulated pairs ---- */

enum { PAIRS = 64 };

static double time_number(size_t k, size_t count, double t_min, double t_max)
{
    return count > 1 ? t_min * pow(t_max / t_min, (double)k / (double)(count - 1)) : t_max;
}

static bool is_whole(size_t D, const double *x)
{
    for (size_t k = 0; k < D; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

/* Points y (n, D) that Brownian motion reaches from x (n, D) in a time t; rows whose path left the domain are
 * taken out of both. */
static mst_status move(const mst_manifold *m, size_t *n, double *x, double t, uint64_t seed,
                       double *y)
{
    size_t D = mst_manifold_ambient(m), kept = 0;
    mst_brownian_options o = mst_brownian_options_default();
    o.steps = 24;
    o.seed = seed;
    o.method = mst_brownian_has_exact(m) ? MST_BROWNIAN_EXACT : o.method;
    mst_status status = mst_brownian_endpoints(m, *n, x, t, &o, y);
    for (size_t i = 0; status == MST_OK && i < *n; i++) {
        if (!is_whole(D, y + i * D))
            continue;
        memmove(x + kept * D, x + i * D, D * sizeof *x);
        memmove(y + kept * D, y + i * D, D * sizeof *y);
        kept++;
    }
    *n = kept;
    return status;
}

/* Pairs (x, y) a time t apart, x as far from the starts as paths go in the time `away`; *n of them. */
static mst_status make_pairs(const mst_manifold *m, size_t starts, const double *start, double away,
                             double t, size_t *n, double *x, double *y)
{
    size_t D = mst_manifold_ambient(m);
    *n = PAIRS;
    for (size_t i = 0; i < PAIRS; i++)
        if (starts > 0)
            memcpy(y + i * D, start + i % starts * D, D * sizeof *y);
        else
            mst_manifold_start(m, y + i * D);
    mst_status status = move(m, n, y, away, 1, x);
    return status == MST_OK ? move(m, n, x, t, 2, y) : status;
}

/* What comes of a survey that is only to inform. */
static mst_status forgive(mst_status status)
{
    return status == MST_MEMORY || status == MST_INTERRUPTED ? status : MST_OK;
}

typedef struct survey_work {
    double *x, *y, *v; /* (PAIRS, D), (PAIRS, D), (PAIRS) */
    size_t n;
} survey_work;

static mst_status survey_times(share_survey *s, const mst_score *source, const double *centre,
                               double t_min, double t_max, survey_work *w)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t count = t_min < t_max ? SHARE_TIMES : 1;
    for (size_t k = 0; k < count; k++) {
        double t = s->t[k] = time_number(k, count, t_min, t_max);
        mst_status status = make_pairs(m, centre != NULL, centre, t_max, t, &w->n, w->x, w->y);
        mst_pairs pairs = {
            .n = w->n, .x = w->x, .y = w->y, .y_stride = mst_manifold_ambient(m), .t = &t};
        if (status == MST_OK && w->n > 0)
            status = shares_count(&s->at[k], source, &pairs);
        if (status != MST_OK || w->n == 0)
            return status;
    }
    s->count = count;
    return MST_OK;
}

static mst_status work_new(survey_work *w, const mst_manifold *m)
{
    size_t D = mst_manifold_ambient(m);
    mst_status status = new_doubles(&w->x, PAIRS, 2 * D + 1);
    w->y = w->x + PAIRS * D;
    w->v = w->y + PAIRS * D;
    return status;
}

mst_status shares_survey(share_survey *s, const mst_network *net)
{
    mst_network_info info = mst_network_describe(net);
    mst_source_share none[MST_SOURCE_SHARES];
    survey_work w = {0};
    mst_score *source;
    size_t count;
    *s = (share_survey){0};
    mst_status status = mst_score_network_new(&source, net, true);
    if (status != MST_OK)
        return status;
    status = mst_score_shares(source, &(mst_pairs){0}, none, &count);
    if (status == MST_OK && count > 1)
        status = work_new(&w, mst_network_manifold(net));
    if (status == MST_OK && count > 1)
        status = forgive(survey_times(s, source, info.centre, info.t_min, info.t_max, &w));
    free(w.x);
    mst_score_free(source);
    return status;
}

void shares_print(const share_survey *s, FILE *out, int width)
{
    char text[SHARES_TEXT];
    for (size_t k = 0; k < s->count; k++)
        fprintf(out, "  %-*sat time %.3g %s\n", width, k == 0 ? "sources" : "", s->t[k],
                shares_text(&s->at[k], text));
    if (s->count > 0)
        fprintf(out, "  %-*sof simulated pairs; FILE?alone uses the network only\n", width, "");
}

void shares_json(const share_survey *s, mst_json *j)
{
    if (s->count == 0)
        return;
    mst_json_key(j, "source_shares");
    mst_json_array(j);
    for (size_t k = 0; k < s->count; k++) {
        mst_json_object(j);
        json_member_number(j, "time", s->t[k]);
        shares_members(&s->at[k], j);
        mst_json_end(j);
    }
    mst_json_end(j);
}

/* ---- Before a training ---- */

/* The sources with validity numbers, and which of them a manifold has. */
enum { JUDGES = 2 };
typedef struct judges {
    mst_score *source[JUDGES]; /* or null */
    double share[JUDGES + 1];  /* of pairs that each is right for, and that at least one is */
} judges;

static mst_status judge_times(judges *js, const mst_manifold *m, double t_min, double t_max,
                              size_t starts, const double *start, survey_work *w)
{
    size_t count = t_min < t_max ? SHARE_TIMES : 1;
    for (size_t k = 0; k < count; k++) {
        bool right[PAIRS] = {false};
        double t = time_number(k, count, t_min, t_max);
        mst_status status = make_pairs(m, starts, start, t_max, t, &w->n, w->x, w->y);
        mst_pairs pairs = {
            .n = w->n, .x = w->x, .y = w->y, .y_stride = mst_manifold_ambient(m), .t = &t};
        for (size_t s = 0; status == MST_OK && s < JUDGES; s++) {
            if (js->source[s] == NULL)
                continue;
            status = mst_score_validity(js->source[s], &pairs, &(mst_heat_values){0}, w->v);
            for (size_t i = 0; status == MST_OK && i < w->n; i++) {
                bool good = w->v[i] < MST_VALIDITY_LIMIT;
                js->share[s] += good / (double)(w->n * count);
                right[i] |= good;
            }
        }
        for (size_t i = 0; status == MST_OK && i < w->n; i++)
            js->share[JUDGES] += right[i] / (double)(w->n * count);
        if (status != MST_OK || w->n == 0)
            return status != MST_OK ? status : MST_UNABLE;
    }
    return MST_OK;
}

static void tell_judged(const invocation *inv, const judges *js, double t_min, double t_max)
{
    static const char *const names[JUDGES] = {"expansion", "spectral"};
    const double most = 0.9; /* below it the network has work of its own */
    size_t best = js->share[1] > js->share[0];
    if (js->share[best] >= most)
        warn(
            inv,
            "warning: --score %s needs no training and answers %.3g %% of pairs at times from %.3g "
            "to %.3g to 1 %% or better by its own estimate: a network can improve on the rest only",
            names[best], 100 * js->share[best], t_min, t_max);
    else if (js->share[JUDGES] >= most)
        warn(inv,
             "warning: the expansion and the eigenfunctions, which a model asks first, answer %.3g "
             "%% of pairs at times from %.3g to %.3g to 1 %% or better by their own estimate: a "
             "network can improve on the rest only",
             100 * js->share[JUDGES], t_min, t_max);
}

mst_status shares_warn_before(const invocation *inv, const mst_manifold *m,
                              const mst_train_options *o)
{
    survey_work w = {0};
    judges js = {0};
    double t_min = o->t > 0 ? o->t : o->t_min, t_max = o->t > 0 ? o->t : o->t_max;
    if (mst_heat_has_exact(m)) {
        warn(inv,
             "warning: the heat kernel of %s has a closed form, which --score exact has without an "
             "error: a network cannot improve on it",
             mst_manifold_spec(m));
        return MST_OK;
    }
    if (mst_manifold_is_learned(m) && mst_manifold_dim(m) == 2) {
        warn(inv,
             "warning: %s has two dimensions: --score pde solves the heat equation there to a "
             "known error, which a network does not improve on",
             mst_manifold_spec(m));
        return MST_OK;
    }
    mst_status status = forgive(mst_score_expansion_new(&js.source[0], m));
    if (status == MST_OK)
        status = forgive(mst_score_spectral_new(&js.source[1], m, 0));
    if (status == MST_OK && (js.source[0] != NULL || js.source[1] != NULL)) {
        status = work_new(&w, m);
        if (status == MST_OK)
            status = judge_times(&js, m, t_min, t_max, o->starts, o->start, &w);
        if (status == MST_OK)
            tell_judged(inv, &js, t_min, t_max);
        status = forgive(status);
    }
    free(w.x);
    mst_score_free(js.source[0]);
    mst_score_free(js.source[1]);
    return status;
}
