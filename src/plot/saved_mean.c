/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results of `mean`, one or one for each group. */
#include "plot/saved.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static mst_region_kind region_kind(const char *word)
{
    static const char *const words[] = {"none", "ellipsoid", "score", "whole"};
    for (int i = 0; word != NULL && i < 4; i++)
        if (strcmp(word, words[i]) == 0)
            return (mst_region_kind)i;
    return MST_REGION_NONE;
}

/* The edge of a score region; a result without one is no failure. */
static mst_status read_boundary(mst_saved *s, const mst_json_value *where, mst_picture_mean *mean)
{
    const mst_json_value *parts = mst_json_member(where, "region_boundary");
    size_t D = mst_manifold_ambient(s->picture.m), total = 0, *end, count;
    double *all;
    for (const mst_json_value *e = mst_json_first(parts); e != NULL; e = mst_json_next(e))
        total += mst_json_length(mst_json_member(e, "points"));
    if (total == 0)
        return MST_OK;
    MST_TRY(stored_new(s, &end, mst_json_length(parts)));
    MST_TRY(stored_new(s, &all, total * D));
    for (const mst_json_value *e = mst_json_first(parts); e != NULL; e = mst_json_next(e)) {
        const double *points;
        size_t first = mean->boundary_parts > 0 ? end[mean->boundary_parts - 1] : 0;
        MST_TRY(stored_points(s, e, "points", &points, &count));
        if (count < 2 || (mst_manifold_dim(s->picture.m) == 1 && count > 2))
            return mst_fail(MST_FORMAT,
                            "%s: a part of \"region_boundary\" has %zu points; 2 is the least",
                            s->name, count);
        memcpy(all + first * D, points, count * D * sizeof *all);
        end[mean->boundary_parts++] = first + count;
    }
    mean->boundary_end = end;
    mean->boundary = all;
    return MST_OK;
}

/* Lengths are written in degrees where points are; a picture has those of the manifold. */
static mst_status read_region(mst_saved *s, const mst_json_value *where, mst_picture_mean *mean)
{
    const mst_json_value *kind;
    size_t d = mst_manifold_dim(s->picture.m), D = mst_manifold_ambient(s->picture.m), count;
    double unit = stored_length_unit(where), *scaled;
    const double *covariance;
    MST_TRY(stored_need(s, where, "region_kind", MST_JSON_STRING, &kind));
    mean->region = region_kind(mst_json_as_string(kind));
    mean->confidence = stored_number(where, "confidence");
    mean->radius2 = stored_number(where, "region_radius2");
    const char *reason = stored_string(where, "missing_region");
    if (reason == NULL)
        reason = stored_string(where, "missing_errors");
    if (reason != NULL)
        MST_TRY(stored_text(s, &mean->no_region, "%s", reason));
    if (mean->region == MST_REGION_SCORE)
        return read_boundary(s, where, mean);
    if (mean->region != MST_REGION_ELLIPSOID)
        return MST_OK;
    MST_TRY(stored_numbers(s, where, "mean_covariance", &covariance, &count));
    if (count != d * d)
        return mst_fail(MST_FORMAT, "%s: \"mean_covariance\" has %zu numbers, not %zu", s->name,
                        count, d * d);
    MST_TRY(stored_new(s, &scaled, d * d));
    for (size_t i = 0; i < d * d; i++)
        scaled[i] = covariance[i] * unit * unit;
    mean->covariance = scaled;
    MST_TRY(stored_numbers(s, where, "basis", &mean->basis, &count));
    if (count != d * D)
        return mst_fail(MST_FORMAT, "%s: \"basis\" has %zu numbers, not %zu", s->name, count,
                        d * D);
    return MST_OK;
}

/* The members of the set after the first, which is the mean itself. */
static mst_status read_set(mst_saved *s, const mst_json_value *where, mst_picture_mean *mean)
{
    const mst_json_value *set = mst_json_member(where, "mean_set"), *e = mst_json_first(set);
    size_t D = mst_manifold_ambient(s->picture.m), count = mst_json_length(set);
    double *points;
    if (e == NULL || count < 2)
        return MST_OK;
    MST_TRY(stored_new(s, &points, (count - 1) * D));
    for (e = mst_json_next(e); e != NULL; e = mst_json_next(e)) {
        const mst_json_value *at;
        MST_TRY(stored_need(s, e, "mean", MST_JSON_ARRAY, &at));
        MST_TRY(stored_point(s, at, "mean_set", points + D * mean->others++));
    }
    mean->set = points;
    return MST_OK;
}

static mst_status read_one(mst_saved *s, const mst_json_value *where, mst_picture_mean *mean)
{
    const mst_json_value *at;
    double *point;
    MST_TRY(stored_need(s, where, "mean", MST_JSON_ARRAY, &at));
    MST_TRY(stored_new(s, &point, mst_manifold_ambient(s->picture.m)));
    MST_TRY(stored_point(s, at, "mean", point));
    mean->at = point;
    mean->time = stored_number(where, "time");
    mean->weight = 1;
    MST_TRY(read_set(s, where, mean));
    return read_region(s, where, mean);
}

static mst_status read_groups(mst_saved *s, const mst_json_value *groups, mst_picture_mean *means)
{
    /* A law of all groups together is what nobody has fitted: there is no density. */
    for (const mst_json_value *g = mst_json_first(groups); g != NULL;
         g = mst_json_next(g), means++) {
        const char *name = stored_string(g, "group");
        MST_TRY(stored_text(s, &means->name, "%s", name != NULL ? name : "?"));
        MST_TRY(read_one(s, g, means));
        means->weight = NAN;
    }
    return MST_OK;
}

static mst_status describe(mst_saved *s, const mst_json_value *top, size_t groups)
{
    const char *kind = stored_string(top, "kind");
    bool frechet = kind != NULL && strcmp(kind, "frechet") == 0;
    const char *score = stored_string(top, "score");
    bool network = score != NULL && strstr(score, ".safetensors") != NULL;
    const mst_picture_mean *mean = s->picture.means;
    char time[64] = "", in[64] = "", state[160] = "";
    MST_TRY(stored_text(s, &s->picture.title, "%s mean%s on %s%s",
                        frechet ? "Fr\u00e9chet" : "Diffusion", groups > 0 ? "s" : "", s->space,
                        network ? ", by a network" : ""));
    if (groups > 0)
        snprintf(in, sizeof in, " in %zu groups", groups);
    else if (isfinite(mean->time))
        snprintf(time, sizeof time, ", diffusion variance t = %.3g%s", mean->time,
                 stored_squared_unit(s->picture.m));
    if (groups == 0 && !mst_json_as_bool(mst_json_member(top, "converged")))
        snprintf(state, sizeof state,
                 " The fit did not converge: the mean is the best point found.");
    else if (groups == 0 && mean->others > 0)
        snprintf(state, sizeof state, " The data do not single out one mean.");
    return stored_text(s, &s->picture.caption, "n = %zu%s; %s%s.%s", s->rows, in,
                       frechet ? "the mean has the least sum of squared distances"
                               : "the mean is the most likely start of a Brownian motion",
                       time, state);
}

mst_status stored_read_mean(mst_saved *s, const mst_json_value *top)
{
    const mst_json_value *groups = mst_json_member(top, "groups"), *n;
    size_t count = groups != NULL ? mst_json_length(groups) : 1;
    mst_picture_mean *means;
    MST_TRY(stored_need(s, top, "n", MST_JSON_NUMBER, &n));
    MST_TRY(stored_new(s, &means, count));
    s->picture.means = means;
    s->picture.mean_count = count;
    if (groups != NULL) {
        MST_TRY(read_groups(s, groups, means));
    } else {
        MST_TRY(read_one(s, top, means));
    }
    stored_open_source(s, top);
    return describe(s, top, groups != NULL ? count : 0);
}

/* Results of `test`: the means of the samples, each by itself. */
mst_status stored_read_test(mst_saved *s, const mst_json_value *top)
{
    const mst_json_value *groups;
    mst_picture_mean *means;
    const double *sizes;
    size_t count;
    const char *hypothesis = stored_string(top, "hypothesis");
    if (mst_json_member(top, "groups") == NULL && mst_json_member(top, "uniformity") != NULL)
        return mst_fail(MST_UNABLE, "%s is a test of uniformity, of which there is no picture",
                        s->name);
    MST_TRY(stored_need(s, top, "groups", MST_JSON_ARRAY, &groups));
    MST_TRY(stored_numbers(s, top, "n", &sizes, &count));
    if (count == 0 || count != mst_json_length(groups))
        return mst_fail(MST_FORMAT, "%s: there are %zu groups and %zu sizes", s->name,
                        mst_json_length(groups), count);
    for (size_t i = 0; i < count; i++)
        s->rows += sizes[i] > 0 ? (size_t)sizes[i] : 0;
    MST_TRY(stored_new(s, &means, count));
    MST_TRY(read_groups(s, groups, means));
    stored_open_source(s, top);
    s->picture.means = means;
    s->picture.mean_count = count;
    MST_TRY(stored_text(s, &s->picture.title, "%zu samples on %s", count, s->space));
    bool times = hypothesis != NULL && strcmp(hypothesis, "time") == 0,
         both = hypothesis != NULL && strcmp(hypothesis, "both") == 0;
    return stored_text(
        s, &s->picture.caption,
        "n = %zu in %zu samples; means of each by itself. Test of equal %s: p = %.2g.", s->rows,
        count,
        both    ? "means and times"
        : times ? "times"
                : "means",
        stored_number(top, "p_value"));
}
