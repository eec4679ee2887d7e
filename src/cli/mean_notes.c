/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a user should know about a mean besides its numbers. */
#include "estimate.h"
#include "util/json.h"

#include <math.h>

typedef struct note {
    mst_mean_note bit;
    const char *word; /* in JSON */
    const char *text;
} note;

static const note notes[] = {
    {MST_NOTE_MAYBE_UNIFORM, "maybe-uniform",
     "the points cannot be told from the uniform law: neither mean nor time is determined by them"},
    {MST_NOTE_TIME_BIASED, "time-biased",
     "the mean follows the noise, and the time is too low for it; \"time_corrected\" and the "
     "interval "
     "allow for that"},
    {MST_NOTE_HARDLY_DETERMINED, "hardly-determined",
     "the mean is hardly determined: its error or its region is of the size of the space"},
    {MST_NOTE_SMEARY, "smeary",
     "many points lie near the cut locus of the mean, so that its error shrinks more slowly than "
     "1/sqrt(n); compare --covariance bootstrap"},
    {MST_NOTE_UNEQUAL_TIMES, "unequal-times",
     "the factors scatter on different scales, and one time does not fit them all; the errors are "
     "those "
     "of the sandwich; try --time-per-factor"},
    {MST_NOTE_WEIGHTS_SUM_TO_ONE, "weights-sum-to-one",
     "the weights sum to about 1 and are taken as counts, so the errors are those of one "
     "observation; "
     "did you mean --weights-are relative?"},
    {MST_NOTE_CUT_LOCUS, "cut-locus",
     "some points lie beyond the injectivity radius, and the errors do not allow for a cut locus "
     "there; compare --covariance bootstrap"},
    {MST_NOTE_FEW_CLUSTERS, "few-clusters",
     "there are too few clusters for the errors to be relied on"},
};
enum { NOTES = sizeof notes / sizeof *notes };

/* Networks have no likelihood that could be integrated. */
static const char *text_of(const note *n, const mst_mean_result *r)
{
    return n->bit == MST_NOTE_TIME_BIASED && isnan(r->time_corrected)
               ? "the mean follows the noise, and the time is too low for it; give more rows"
               : n->text;
}

void warn_of_notes(const estimation *e, const char *group, const mst_mean_result *r)
{
    unsigned said = r->notes;
    if ((said & MST_NOTE_MAYBE_UNIFORM) != 0) /* which says it all */
        said &= ~(unsigned)(MST_NOTE_HARDLY_DETERMINED | MST_NOTE_TIME_BIASED);
    for (size_t i = 0; i < NOTES; i++)
        if ((said & notes[i].bit) != 0)
            warn(e->inv, "warning: %s%s%s%s", group != NULL ? "group '" : "",
                 group != NULL ? group : "", group != NULL ? "': " : "", text_of(&notes[i], r));
}

void json_notes(mst_json *j, const mst_mean_result *r)
{
    mst_json_key(j, "warnings");
    mst_json_array(j);
    for (size_t i = 0; i < NOTES; i++)
        if ((r->notes & notes[i].bit) != 0)
            mst_json_string(j, notes[i].word);
    mst_json_end(j);
}

const char *missing_errors(const mst_mean_result *r)
{
    switch (r->no_errors) {
    case MST_ERRORS_GIVEN:
        return NULL;
    case MST_ERRORS_NOT_CONVERGED:
        if (r->time_limit == MST_TIME_ZERO)
            return "all points are one, and the time runs to zero; fix it with --time";
        if (r->time_limit == MST_TIME_INFINITY)
            return "the time runs to infinity, where every point is a mean; fix it with --time";
        return "the fit has not converged; try more --iterations or another --start";
    case MST_ERRORS_NOT_UNIQUE:
        return "the mean is not unique, and no error is that of a set; look at its members, or fit "
               "the groups that they stand for by --by";
    case MST_ERRORS_TOO_FEW_ROWS:
        return r->clusters == 1 ? "one cluster has no spread; give rows of more clusters"
               : r->n == 1      ? "one row has no spread; give more rows"
                                : "all rows are one point, which has no spread; give more rows";
    case MST_ERRORS_SINGULAR:
        return "the information matrix is singular, so that some direction is not determined; try "
               "--covariance bootstrap";
    case MST_ERRORS_TOO_DEAR:
        return "too many dimensions for second derivatives; try --covariance bootstrap";
    case MST_ERRORS_RESAMPLES:
        return "too many resamples have no mean of their own; try --covariance sandwich";
    case MST_ERRORS_UNIFORM:
        return "the points cannot be told from the uniform law; give more rows";
    }
    return NULL;
}
