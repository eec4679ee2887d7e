/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What a user should know about a mean besides its numbers. */
#include "estimate.h"
#include "learned_reach.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct note {
    mst_mean_note bit;
    const char *word; /* in JSON */
    const char *text;
} note;

static const note notes[] = {
    {MST_NOTE_MAYBE_UNIFORM, "maybe-uniform",
     "the points cannot be told from the uniform law: neither mean nor time is determined by them"},
    {MST_NOTE_UNIFORM_PART, "uniform-part",
     " of the points cannot be told from the uniform law: this part of the mean is not determined"},
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
    {MST_NOTE_MODEL, "model",
     "the points are not spread like Brownian motion, so that some errors of the model are too "
     "short; compare --covariance sandwich"},
    {MST_NOTE_COPIES, "copies",
     " rows are different, and chance would not make so many equal: the errors take copies of a "
     "row for one; --weights gives rows that are independent and equal"},
    {MST_NOTE_SIMULATION, "simulation",
     " of the errors is simulation noise, which they count; take more paths, --score "
     "bridge?paths=M"},
    {MST_NOTE_FAR_ROWS, "far-rows",
     "some rows lie farther out than any Brownian motion takes them: they carry the time, and its "
     "interval does not know how many more of them there may be"},
    {MST_NOTE_FEW_CLUSTERS, "few-clusters",
     "there are too few clusters, or different rows, for the errors to be relied on"},
    {MST_NOTE_FEW_WEIGHTS, "few-weights",
     "the weights are so unequal that few rows count, too few for the errors to be relied on"},
};
enum { NOTES = sizeof notes / sizeof *notes };

/* The same of `test` and `mixture`. */
static const struct {
    const char *word, *text;
} other_notes[] = {
    {"small-samples", "the samples are too small for the chi-squared law, and the p-value is too "
                      "small for that reason; use --method permutation"},
    {"not-brownian", "the points are not spread like Brownian motion, and the p-value is too small "
                     "for that reason; use --method permutation"},
    {"too-few", "no labelling, or no result of so few permutations, could have had a p-value below "
                "0.05"},
    {"no-components", "the uniform law has a lower BIC: the points do not show components"},
    {"elongated", "heaps that may be longer in some directions than in others have a lower BIC: "
                  "components are round, and these are pieces of such heaps or do not show their "
                  "shape"},
    {"edge-of-range", "the least BIC is at an end of the range of -k, and may fall further beyond"},
    {"degenerate", "a component has shrunk to a point or lost its points; try a smaller -k"},
};

static bool is_axial(const mst_mean_result *r)
{
    return r->axial_p_value < 0.01;
}

/* Networks have no likelihood that could be integrated. */
static const char *text_of(const note *n, const mst_mean_result *r)
{
    if (n->bit == MST_NOTE_TIME_BIASED && isnan(r->time_corrected))
        return "the mean follows the noise, and the time is too low for it; give more rows";
    if (n->bit == MST_NOTE_MAYBE_UNIFORM && is_axial(r))
        return "the points are not uniform, but those about opposite points are alike, as of axes: "
               "neither mean nor time is determined by them";
    return n->text;
}

void name_uniform_part(const mst_mean_result *r, char text[UNIFORM_PART_SIZE])
{
    size_t first = r->uniform_first + 1, last = r->uniform_first + r->uniform_count;
    if (last > first)
        snprintf(text, UNIFORM_PART_SIZE, "coordinates %zu to %zu", first, last);
    else
        snprintf(text, UNIFORM_PART_SIZE, "coordinate %zu", first);
}

/* ---- Regions of manifolds that end ---- */

/* The point C a √(ρ²/aᵀC a) of the region's surface that is the farthest along a, as a tangent vector v (D):
 * a is the unit vector number k, forward or back, and after these a random one. */
enum { MOST_AXES = 32, SURFACE_POINTS = 4 * MOST_AXES };
static void surface_vector(const mst_mean_result *r, size_t d, size_t D, size_t k, double *a,
                           double *v)
{
    size_t axes = 2 * (d < MOST_AXES ? d : MOST_AXES);
    double along = 0;
    mst_random_normals((mst_random){r->seed, 0}, k * (d + d % 2), d, a);
    for (size_t i = 0; k < axes && i < d; i++)
        a[i] = i == k / 2 ? (k % 2 == 0 ? 1 : -1) : 0;
    memset(v, 0, D * sizeof *v);
    for (size_t i = 0; i < d; i++) {
        double component = 0;
        for (size_t j = 0; j < d; j++)
            component += r->covariance[i * d + j] * a[j];
        along += component * a[i];
        for (size_t c = 0; c < D; c++)
            v[c] += component * r->basis[i * D + c];
    }
    for (size_t c = 0; c < D; c++)
        v[c] *= along > 0 ? sqrt(r->region_radius2 / along) : 0;
}

/* Do geodesics from the mean leave the manifold before they leave the region? */
static bool reaches_over(const mst_manifold *m, const mst_mean_result *r)
{
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *a = NULL;
    if (!mst_manifold_traits_of(m)->has_border || r->region_kind != MST_REGION_ELLIPSOID ||
        isnan(r->covariance[0]) || new_doubles(&a, d + 2 * D, 1) != MST_OK)
        return false;
    bool over = false;
    for (size_t k = 0; k < SURFACE_POINTS && !over; k++) {
        surface_vector(r, d, D, k, a, a + d);
        over = mst_manifold_exp(m, 1, r->mean, a + d, a + d + D) == MST_DOMAIN;
    }
    free(a);
    return over;
}

/* What the manifold itself has to say, and what is known of networks on it. */
enum { REMARKS = 5 };
static size_t remarks_on(const estimation *e, const mst_mean_result *r, mst_remark *out)
{
    size_t count = mst_manifold_remarks(e->m, r->mean, r->time, REMARKS - 2, out);
    char text[LONG_TIME_TEXT];
    if (e->model.net != NULL && r->time >= learned_long_time(e->m)) {
        snprintf(out[count].word, sizeof out->word, LONG_TIME_WORD);
        snprintf(out[count++].text, sizeof out->text, "%s", learned_long_time_text(e->m, text));
    }
    if (!reaches_over(e->m, r))
        return count;
    snprintf(out[count].word, sizeof out->word, "region-over-border");
    snprintf(out[count].text, sizeof out->text,
             "the region reaches over the border of %s, where it means nothing, and so near to it "
             "errors are rough; give more rows, or take a metric without a border",
             mst_manifold_spec(e->m));
    return count + 1;
}

/* What comes before the text of a note. */
static void lead_to(mst_mean_note bit, const mst_mean_result *r, char text[UNIFORM_PART_SIZE])
{
    text[0] = '\0';
    if (bit == MST_NOTE_UNIFORM_PART)
        name_uniform_part(r, text);
    if (bit == MST_NOTE_COPIES)
        snprintf(text, UNIFORM_PART_SIZE, "only %zu of %zu", r->different_rows, r->n);
    if (bit == MST_NOTE_SIMULATION)
        snprintf(text, UNIFORM_PART_SIZE, "%.0f %% with %zu paths (10 %% with %.2g)",
                 100 * r->bridge_share, r->bridge_paths,
                 (double)r->bridge_paths * pow(r->bridge_share / 0.1, 2));
}

void warn_of_notes(const estimation *e, const char *group, const mst_mean_result *r)
{
    mst_remark remarks[REMARKS];
    size_t count = remarks_on(e, r, remarks);
    unsigned said = r->notes;
    if ((said & MST_NOTE_MAYBE_UNIFORM) != 0) /* which says it all */
        said &= ~(unsigned)(MST_NOTE_HARDLY_DETERMINED | MST_NOTE_TIME_BIASED);
    const char *lead = group != NULL ? "group '" : "", *trail = group != NULL ? "': " : "";
    char part[UNIFORM_PART_SIZE];
    group = group != NULL ? group : "";
    for (size_t i = 0; i < NOTES; i++)
        if ((said & notes[i].bit) != 0) {
            lead_to(notes[i].bit, r, part);
            warn(e->inv, "warning: %s%s%s%s%s", lead, group, trail, part, text_of(&notes[i], r));
        }
    for (size_t i = 0; i < count; i++)
        warn(e->inv, "warning: %s%s%s%s", lead, group, trail, remarks[i].text);
}

void json_notes(const estimation *e, mst_json *j, const mst_mean_result *r)
{
    mst_remark remarks[REMARKS];
    size_t count = remarks_on(e, r, remarks);
    mst_json_key(j, "warnings");
    mst_json_array(j);
    for (size_t i = 0; i < NOTES; i++)
        if ((r->notes & notes[i].bit) != 0)
            mst_json_string(j, notes[i].word);
    for (size_t i = 0; i < count; i++)
        mst_json_string(j, remarks[i].word);
    mst_json_end(j);
}

const char *warning_sentence(const char *word)
{
    for (size_t i = 0; i < NOTES; i++)
        if (strcmp(notes[i].word, word) == 0)
            switch (notes[i].bit) { /* whose sentences begin with what the data are like */
            case MST_NOTE_UNIFORM_PART:
                return "a part of the coordinates of the points cannot be told from the uniform "
                       "law: "
                       "this part of the mean is not determined";
            case MST_NOTE_COPIES:
                return "rows were written down several times, and the errors take copies of a row "
                       "for one";
            case MST_NOTE_SIMULATION:
                return "a good part of the errors is simulation noise, which they count; take more "
                       "paths, --score bridge?paths=M";
            default:
                return notes[i].text;
            }
    if (strcmp(word, LONG_TIME_WORD) == 0)
        return "networks on manifolds of Gaussian processes make times as long as this too short; "
               "compare --score pde or --score bridge";
    for (size_t i = 0; i < sizeof other_notes / sizeof *other_notes; i++)
        if (strcmp(other_notes[i].word, word) == 0)
            return other_notes[i].text;
    return NULL;
}

const char *missing_errors(const mst_mean_result *r)
{
    switch (r->no_errors) {
    case MST_ERRORS_GIVEN:
        return NULL;
    case MST_ERRORS_NOT_CONVERGED:
        if (r->time_limit == MST_TIME_ZERO)
            return "all points are one, and the time runs to zero; fix it with --time";
        if (r->time_limit == MST_TIME_LONG)
            return "the time is longer than those for which the source holds";
        if (r->time_limit == MST_TIME_INFINITY)
            return "the time runs to infinity, where every point is a mean; fix it with --time";
        if (r->bridge_paths > 0)
            return "the fit has not converged, as simulation noise may keep it from doing; take "
                   "four "
                   "times as many paths, --score bridge?paths=M";
        return "the fit has not converged; try more --iterations or another --start";
    case MST_ERRORS_NOT_UNIQUE:
        return "the mean is not unique, and no error is that of a set; look at its members, or fit "
               "the groups that they stand for by --by";
    case MST_ERRORS_TOO_FEW_ROWS:
        return r->clusters == 1 ? "one cluster has no spread; give rows of more clusters"
               : r->n == 1      ? "one row has no spread; give more rows"
                                : "all rows are one point, which has no spread; give more rows";
    case MST_ERRORS_SINGULAR:
        if (r->bridge_paths > 0)
            return "simulation noise makes the information matrix singular; take four times as "
                   "many "
                   "paths, --score bridge?paths=M";
        return "the information matrix is singular, so that some direction is not determined; try "
               "--covariance bootstrap";
    case MST_ERRORS_TOO_DEAR:
        return "too many dimensions for second derivatives; try --covariance bootstrap";
    case MST_ERRORS_RESAMPLES:
        return "too many resamples have no mean of their own; try --covariance sandwich";
    case MST_ERRORS_UNIFORM:
        if (is_axial(r))
            return "the points about opposite points are alike, and there is no mean";
        return "the points cannot be told from the uniform law; give more rows";
    }
    return NULL;
}
