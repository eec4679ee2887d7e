/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Results of `kmeans` and `mixture`. */
#include "plot/saved.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static mst_status read_centres(mst_saved *s, const mst_json_value *top, mst_picture_mean **means)
{
    const double *centres, *sizes;
    size_t count, others, D = mst_manifold_ambient(s->picture.m);
    MST_TRY(stored_points(s, top, "centres", &centres, &count));
    MST_TRY(stored_numbers(s, top, "sizes", &sizes, &others));
    if (count == 0 || others != count)
        return mst_fail(MST_FORMAT, "%s: there are %zu centres and %zu sizes", s->name, count,
                        others);
    MST_TRY(stored_new(s, means, count));
    for (size_t k = 0; k < count; k++) {
        mst_picture_mean *mean = &(*means)[k];
        *mean = (mst_picture_mean){.at = centres + k * D, .time = NAN, .weight = NAN};
        MST_TRY(stored_text(s, &mean->name, "cluster %zu (%.0f)", k, sizes[k]));
    }
    s->picture.means = *means;
    s->picture.mean_count = count;
    s->picture.mean_word = "centre";
    return MST_OK;
}

static mst_status check_rows(const mst_saved *s, size_t labels)
{
    if (labels == s->rows)
        return MST_OK;
    return mst_fail(MST_FORMAT, "%s: there are %zu labels for %zu rows", s->name, labels, s->rows);
}

mst_status stored_read_kmeans(mst_saved *s, const mst_json_value *top)
{
    mst_picture_mean *means;
    size_t count;
    const char *kind = stored_string(top, "kind");
    MST_TRY(read_centres(s, top, &means));
    MST_TRY(stored_labels(s, top, "labels", s->picture.mean_count, &s->picture.labels, &count));
    MST_TRY(check_rows(s, count));
    MST_TRY(stored_text(s, &s->picture.title, "k-means on %s, k = %zu", s->space,
                        s->picture.mean_count));
    return stored_text(
        s, &s->picture.caption,
        "n = %zu; each point is of the cluster whose centre (%s mean) is nearest; "
        "sizes in brackets. k-means has no error bars.",
        s->rows, kind != NULL && strcmp(kind, "diffusion") == 0 ? "diffusion" : "Fr\u00e9chet");
}

/* The most responsible component of each row. */
static mst_status label_rows(mst_saved *s, const double *responsibilities, size_t count)
{
    size_t k = s->picture.mean_count, n = count / k, *labels;
    MST_TRY(check_rows(s, n));
    MST_TRY(stored_new(s, &labels, n + 1));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 1; j < k; j++)
            if (responsibilities[i * k + j] > responsibilities[i * k + labels[i]])
                labels[i] = j;
    s->picture.labels = labels;
    return MST_OK;
}

mst_status stored_read_mixture(mst_saved *s, const mst_json_value *top)
{
    mst_picture_mean *means;
    const double *weights, *times, *responsibilities;
    size_t count, others;
    MST_TRY(read_centres(s, top, &means));
    MST_TRY(stored_numbers(s, top, "weights", &weights, &count));
    MST_TRY(stored_numbers(s, top, "times", &times, &others));
    if (count != s->picture.mean_count || others != count)
        return mst_fail(MST_FORMAT, "%s: there are not as many weights and times as centres",
                        s->name);
    for (size_t k = 0; k < count; k++) {
        means[k].time = times[k];
        means[k].weight = weights[k];
        MST_TRY(stored_text(s, &means[k].name, "component %zu (%.2g)", k, weights[k]));
    }
    MST_TRY(stored_numbers(s, top, "responsibilities", &responsibilities, &others));
    MST_TRY(label_rows(s, responsibilities, others));
    stored_open_source(s, top);
    MST_TRY(stored_text(s, &s->picture.title, "Mixture of %zu Brownian motions on %s", count,
                        s->space));
    return stored_text(
        s, &s->picture.caption,
        "n = %zu; points are drawn as of the component that is most likely to have made "
        "them; weights in brackets. Centres have no error bars here.",
        s->rows);
}
