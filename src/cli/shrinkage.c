/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "shrinkage.h"

#include "result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* In the order of mst_shrink, without a value. */
static const char *const words[] = {"none", "oas", "ledoit-wolf", NULL};

const option option_shrink = {
    .name = "shrink",
    .kind = OPTION_SHARE,
    .choices = words,
    .value = "A",
    .fallback = "none",
    .example = "0.05",
    .group = "Points in files",
    .help =
        "spd: shrink every matrix S of order n that is read to (1 - A) S + A trace(S)/n I; A is "
        "a number from 0 to 1, or oas, which needs --samples. Makes singular covariances "
        "positive definite (ledoit-wolf: 'manistat cov', from signals)",
};

const option option_shrink_samples = {
    .name = "samples",
    .kind = OPTION_COUNT,
    .value = "N",
    .example = "200",
    .minimum = 1,
    .maximum = (uint64_t)1 << 53,
    .group = "Points in files",
    .help = "for --shrink oas: each matrix is the covariance of N independent samples (one less "
            "than there are if their mean was subtracted)",
};

const option option_signal_shrink = {
    .name = "shrink",
    .kind = OPTION_SHARE,
    .choices = words,
    .value = "A",
    .fallback = "none",
    .example = "oas",
    .help = "shrink each covariance S of p channels to (1 - A) S + A trace(S)/p I: A is none, a "
            "number from 0 to 1, or found from the data by oas (Chen and others, 2010) or "
            "ledoit-wolf (2004)",
};

/* The one that the command has. */
static const option_value *shrink_value(const invocation *inv)
{
    return option_given(inv, &option_signal_shrink) ? option_get(inv, &option_signal_shrink)
                                                    : option_get(inv, &option_shrink);
}

mst_shrink shrink_of(const invocation *inv)
{
    static const mst_shrink kinds[] = {MST_SHRINK_VALUE, MST_SHRINK_NONE, MST_SHRINK_OAS,
                                       MST_SHRINK_LEDOIT_WOLF};
    const option_value *value = shrink_value(inv);
    return value->given ? kinds[value->choice] : MST_SHRINK_NONE;
}

double shrink_intensity(const invocation *inv)
{
    return shrink_value(inv)->number;
}

void count_shrunk(const invocation *inv, uint64_t rows, double least, double most)
{
    struct shrink_tally *t = inv->shrunk;
    if (rows == 0)
        return;
    t->least = t->rows == 0 ? least : fmin(t->least, least);
    t->most = t->rows == 0 ? most : fmax(t->most, most);
    t->rows += rows;
}

const char *shrink_text(const invocation *inv, char text[SHRINK_TEXT])
{
    const struct shrink_tally *t = inv->shrunk;
    mst_shrink kind = shrink_of(inv);
    const char *rows = t->rows == 1 ? "matrix" : "matrices";
    char from[40] = "";
    text[0] = '\0';
    if (t->rows == 0)
        return text;
    if (option_given(inv, &option_shrink_samples) && kind == MST_SHRINK_OAS)
        snprintf(from, sizeof from, ", %" PRIu64 " samples",
                 option_get(inv, &option_shrink_samples)->count);
    if (kind == MST_SHRINK_VALUE)
        snprintf(text, SHRINK_TEXT, "%" PRIu64 " %s shrunk, intensity %.6g", t->rows, rows,
                 t->most);
    else
        snprintf(text, SHRINK_TEXT, "%" PRIu64 " %s shrunk (%s%s), intensities %.4g to %.4g",
                 t->rows, rows, mst_shrink_name(kind), from, t->least, t->most);
    return text;
}

void json_shrink(const invocation *inv, mst_json *j)
{
    const struct shrink_tally *t = inv->shrunk;
    if (t->rows == 0)
        return;
    mst_json_key(j, "shrink");
    mst_json_object(j);
    json_member_string(j, "estimator", mst_shrink_name(shrink_of(inv)));
    if (shrink_of(inv) == MST_SHRINK_OAS && option_given(inv, &option_shrink_samples))
        json_member_integer(j, "samples", option_get(inv, &option_shrink_samples)->count);
    json_member_numbers(j, "intensity", 2, (const double[]){t->least, t->most});
    json_member_integer(j, "rows", t->rows);
    mst_json_end(j);
}
