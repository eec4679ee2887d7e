/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "learned_report.h"

#include "common.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABEL "  %-16s"

mst_status read_shape(const invocation *inv, const option *o, size_t *height, size_t *width)
{
    const char *text = option_get(inv, o)->text;
    char *end = NULL;
    unsigned long h = 0, w = 0;
    *height = *width = 0;
    if (text == NULL)
        return MST_OK;
    if (*text >= '0' && *text <= '9')
        h = strtoul(text, &end, 10);
    if (end != NULL && *end == 'x' && end[1] >= '0' && end[1] <= '9')
        w = strtoul(end + 1, &end, 10);
    if (h == 0 || w == 0 || h > 65535 || w > 65535 || *end != '\0')
        return mst_fail(MST_ARGUMENT, "--shape must be rows x columns such as %s, not '%s'",
                        o->example, text);
    *height = h;
    *width = w;
    return MST_OK;
}

mst_status check_shape(const option *o, size_t outputs, size_t height, size_t width)
{
    if (width == 0 || height * width == outputs)
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "--%s %zux%zu has %zu pixels, but rows have %zu numbers", o->name,
                    height, width, height * width, outputs);
}

/* ---- Warnings ---- */

typedef struct concern {
    const char *word; /* in JSON */
    bool given;
    char text[320];
} concern;
enum { CONCERNS = 2 };

static void find_concerns(const mst_learned_info *i, concern list[CONCERNS])
{
    const double half_turn = 1.5707963267948966;
    list[0] = (concern){"short-cuts", i->ratio < half_turn * half_turn, ""};
    snprintf(list[0].text, sizeof list[0].text,
             "away from the data ways cost only %.2g times as much as along them, and below 2.5 "
             "short ways cross what is empty; a larger --length-scale with more --noise, or "
             "FILE?uncertainty=4, raises it",
             i->ratio);
    double share = i->along_mean / i->along;
    list[1] = (concern){"ignores-the-data", share < 0.01, ""};
    snprintf(list[1].text, sizeof list[1].text,
             "the metric ignores the data: along them the mean map makes %.2g %% of it, and the "
             "rest is the variance; is the --scale of the data right?",
             100 * share);
}

static void json_concerns(mst_json *j, const concern *list)
{
    mst_json_key(j, "warnings");
    mst_json_array(j);
    for (size_t k = 0; k < CONCERNS; k++)
        if (list[k].given)
            mst_json_string(j, list[k].word);
    mst_json_end(j);
}

/* ---- Pages ---- */

static void print_metric(FILE *out, const mst_learned_info *i)
{
    if (!isnan(i->along)) {
        fprintf(out, LABEL "%.5g (mean map %.5g, variance %.3g)\n", "g along data", i->along,
                i->along_mean, i->along_variance);
        fprintf(out, LABEL "%.5g, %.3g times that along the data\n", "g far away", i->far,
                i->ratio);
    }
    if (!isnan(i->curvature))
        fprintf(out, LABEL "%.3g, the mean of Gauss's at the data\n", "curvature", i->curvature);
    if (!isnan(i->tube))
        fprintf(out, LABEL "%.3g wide: as far as this, the data are seen\n", "tube", i->tube);
}

static void print_page(FILE *out, const char *path, const mst_manifold *m,
                       const mst_learned_info *i)
{
    bool gp = !isnan(i->variance);
    fprintf(out, "%s, a manifold learned by %s\n\n", path,
            gp ? "Gaussian processes" : "a decoder network");
    fprintf(out, LABEL "%zu coordinates, %zu points\n", "latent space", mst_manifold_dim(m), i->n);
    fprintf(out, LABEL "%zu numbers", "data", i->outputs);
    if (i->width > 0)
        fprintf(out, ", images of %zux%zu", i->height, i->width);
    fprintf(out, "%s\n", gp && i->centred ? ", centred" : "");
    if (i->network != NULL)
        fprintf(out, LABEL "%s\n", "network", i->network);
    if (gp) {
        fprintf(out, LABEL "%.5g\n", "variance", i->variance);
        fprintf(out, LABEL "%.5g\n", "length scale", i->length_scale);
        fprintf(out, LABEL "%.3g of the variance, standard deviation %.3g\n", "noise", i->noise,
                sqrt(i->noise * i->variance));
        fprintf(out, LABEL "%.7g (log marginal)\n", "likelihood", i->log_likelihood);
        fprintf(out, LABEL "%.1e\n", "condition", i->condition);
        if (i->uncertainty != 1)
            fprintf(out, LABEL "the variance counts %g times\n", "uncertainty", i->uncertainty);
    }
    print_metric(out, i);
}

static void page_members(mst_json *j, const char *path, const mst_manifold *m,
                         const mst_learned_info *i)
{
    json_member_string(j, "manifold", mst_manifold_spec(m));
    json_member_string(j, "file", path);
    json_member_string(j, "kind", i->kind);
    json_member_integer(j, "dim", mst_manifold_dim(m));
    json_member_integer(j, "n", i->n);
    json_member_integer(j, "outputs", i->outputs);
    json_member_integer(j, "height", i->height);
    json_member_integer(j, "width", i->width);
    if (i->network != NULL)
        json_member_string(j, "network", i->network);
    json_member_bool(j, "centred", i->centred);
    json_member_number(j, "variance", i->variance);
    json_member_number(j, "length_scale", i->length_scale);
    json_member_number(j, "noise", i->noise);
    json_member_number(j, "uncertainty", i->uncertainty);
    json_member_number(j, "log_likelihood", i->log_likelihood);
    json_member_number(j, "condition", i->condition);
    json_member_number(j, "along", i->along);
    json_member_number(j, "along_mean", i->along_mean);
    json_member_number(j, "along_variance", i->along_variance);
    json_member_number(j, "far", i->far);
    json_member_number(j, "ratio", i->ratio);
    json_member_number(j, "curvature", i->curvature);
    json_member_number(j, "tube", i->tube);
    json_member_number(j, "unit", i->unit);
}

mst_status learned_tell(report *r, const char *path, const mst_manifold *m)
{
    mst_learned_info info;
    concern list[CONCERNS];
    mst_status status = mst_learned_describe(m, &info);
    if (status != MST_OK)
        return status;
    find_concerns(&info, list);
    if (r->json != NULL) {
        page_members(r->json, path, m, &info);
        json_concerns(r->json, list);
    } else {
        print_page(r->text, path, m, &info);
    }
    for (size_t k = 0; k < CONCERNS; k++)
        if (list[k].given)
            warn(r->inv, "warning: %s", list[k].text);
    return MST_OK;
}
