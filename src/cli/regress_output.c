/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "regress_output.h"

#include "learned_reach.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"none", "likelihood ratio", "wald", "permutation"};

/* ---- Predictions ---- */

mst_status regress_predictions_new(regress_predictions *p, size_t n, size_t d, size_t D)
{
    p->n = n;
    mst_status status = new_doubles(&p->at.points, n, D);
    if (status == MST_OK)
        status = new_doubles(&p->at.noise, n, 1);
    if (status == MST_OK)
        status = new_doubles(&p->at.covariance, n, d * d);
    if (status == MST_OK)
        status = new_doubles(&p->at.band, n, 1);
    if (status == MST_OK)
        status = new_doubles(&p->at.region, n, 1);
    p->at.beyond = calloc(n + 1, 1);
    if (status == MST_OK && p->at.beyond == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu predictions", n);
    return status;
}

void regress_predictions_free(regress_predictions *p)
{
    free(p->at.points);
    free(p->at.noise);
    free(p->at.covariance);
    free(p->at.band);
    free(p->at.region);
    free(p->at.beyond);
}

mst_status regress_json_predictions(const estimation *e, mst_json *j, const regress_predictions *p)
{
    if (p->n == 0)
        return MST_OK;
    mst_status status = json_member_points(e, j, "predictions", p->n, p->at.points);
    json_member_numbers(j, "prediction_noise", p->n, p->at.noise);
    if (p->at.band != NULL)
        json_member_numbers(j, "prediction_band", p->n, p->at.band);
    if (p->at.region != NULL)
        json_member_numbers(j, "prediction_region", p->n, p->at.region);
    if (p->at.beyond != NULL) {
        mst_json_key(j, "prediction_beyond");
        mst_json_array(j);
        for (size_t i = 0; i < p->n; i++)
            mst_json_bool(j, p->at.beyond[i] != 0);
        mst_json_end(j);
    }
    return status;
}

mst_status regress_print_predictions(const estimation *e, FILE *out, const regress_predictions *p,
                                     double confidence)
{
    if (p->n == 0)
        return MST_OK;
    bool wide = columns_shown(e) > MOST_POINT_COLUMNS, bands = p->at.band != NULL,
         regions = p->at.region != NULL;
    double *coded, unit = length_unit(e);
    char name[COLUMN_NAME];
    mst_status status = new_doubles(&coded, p->n, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, p->n, p->at.points, &e->points, coded);
    table t = {.cols = 1 + (wide ? 0 : columns_shown(e)) + 1 + bands + regions};
    table_cell(&t, "row");
    for (size_t c = 0; !wide && c < e->width; c++)
        if (column_shown(e, c))
            table_cell(&t, "%s", column_name(e, c, name));
    if (bands)
        table_cell(&t, "curve +-");
    if (regions)
        table_cell(&t, "new point +-");
    table_cell(&t, "sigma^2");
    for (size_t i = 0; status == MST_OK && i < p->n; i++) {
        table_cell(&t, "%zu", i + 1);
        for (size_t c = 0; !wide && c < e->width; c++)
            if (column_shown(e, c))
                table_number(&t, coded[i * e->width + c], 6);
        if (bands)
            table_number(&t, p->at.band[i] / unit, 3);
        if (regions)
            table_number(&t, p->at.region[i] / unit, 3);
        table_number(&t, p->at.noise[i], 4);
    }
    fprintf(out,
            "\npredictions, with the distance that holds %sa new point with probability "
            "%g%s\n",
            bands ? "the curve and " : "", confidence, wide ? "; --json has the points" : "");
    if (status == MST_OK)
        status = table_print(&t, out);
    free(coded);
    return status;
}

/* ---- Calibration ---- */

void regress_json_calibration(mst_json *j, const mst_calibration *c)
{
    mst_json_key(j, "calibration");
    mst_json_object(j);
    json_member_number(j, "statistic", c->statistic);
    json_member_number(j, "p_value", c->p_value);
    json_member_number(j, "mean", c->mean);
    mst_json_end(j);
}

void regress_print_calibration(FILE *out, const mst_calibration *c)
{
    fprintf(out, "calibration    p = %.3g (the distances of the points from their predictions)\n",
            c->p_value);
}

/* ---- JSON ---- */

/* Permutations cannot have given less. */
static bool is_floor(const mst_regress_result *r, double p)
{
    return fabs(p - r->least_p_value) < 1e-9 * p;
}

static void json_test(mst_json *j, const mst_regress_result *r, const mst_regress_test *t)
{
    json_member_string(j, "method", methods[t->method]);
    json_member_number(j, "statistic", t->statistic);
    json_member_integer(j, "degrees_of_freedom", t->degrees);
    json_member_number(j, "p_value", t->p_value);
    json_member_bool(j, "p_value_is_floor", is_floor(r, t->p_value));
}

static void json_terms(mst_json *j, const regress_rows *rows, const mst_regress_result *r)
{
    mst_json_key(j, "terms");
    mst_json_array(j);
    for (size_t c = 0; c < rows->k; c++)
        mst_json_string(j, rows->names[c]);
    mst_json_end(j);
    mst_json_key(j, "references");
    mst_json_object(j);
    for (size_t t = 0; t < mst_terms_count(rows->terms); t++)
        if (mst_terms_reference(rows->terms, t) != NULL)
            json_member_string(j, mst_terms_text(rows->terms, t),
                               mst_terms_reference(rows->terms, t));
    mst_json_end(j);
    json_member_numbers(j, "origin", rows->k, r->origin);
}

static mst_status json_vectors(const estimation *e, mst_json *j, const char *key, size_t n,
                               const double *v)
{
    double *coded;
    mst_status status = new_doubles(&coded, n, e->ambient);
    if (status == MST_OK)
        status = mst_points_encode_vectors(e->m, n, v, &e->points, coded);
    if (status == MST_OK)
        json_member_matrix(j, key, n, e->ambient, coded);
    free(coded);
    return status;
}

static void json_tests(mst_json *j, const regress_rows *rows, const mst_regress_result *r)
{
    json_member_numbers(j, "p_values", rows->k, r->p_values);
    mst_json_key(j, "tests");
    mst_json_array(j);
    for (size_t t = 0; t < r->groups; t++) {
        mst_json_object(j);
        json_member_string(j, "term", mst_terms_text(rows->terms, t));
        json_test(j, r, &r->tests[t]);
        mst_json_end(j);
    }
    mst_json_end(j);
    mst_json_key(j, "whole_model");
    mst_json_object(j);
    json_test(j, r, &r->whole);
    mst_json_end(j);
    if (r->equal_noise.method == MST_REGRESS_NO_TEST)
        return;
    mst_json_key(j, "constant_noise");
    mst_json_object(j);
    json_test(j, r, &r->equal_noise);
    mst_json_end(j);
}

static void json_noise(mst_json *j, const mst_regress_result *r)
{
    bool away = r->noise_limit == MST_TIME_ZERO || r->noise_limit == MST_TIME_INFINITY;
    json_member_number(j, "noise", away ? NAN : r->noise);
    if (away)
        json_member_string(j, "noise_limit", r->noise_limit == MST_TIME_ZERO ? "zero" : "infinity");
    json_member_number(j, "noise_standard_error", r->noise_standard_error);
    json_member_number(j, "noise_unbiased", away ? NAN : r->noise_unbiased);
    json_member_numbers(j, "noise_interval", 2, (double[]){r->noise_low, r->noise_high});
    if (r->noise_slopes != NULL)
        json_member_numbers(j, "noise_slopes", r->columns, r->noise_slopes);
}

/* Intervals of the coordinates in the basis, in the order of the covariance; the last is
 * that of log sigma^2. */
static mst_status json_intervals(const estimation *e, mst_json *j, const mst_regress_result *r)
{
    size_t d = r->dim, curve = d * (r->columns + 1);
    double *estimate;
    mst_status status = new_doubles(&estimate, r->parameters, 1);
    if (status != MST_OK)
        return status;
    memset(estimate, 0, r->parameters * sizeof *estimate);
    for (size_t c = 0; status == MST_OK && c < r->columns; c++)
        status = mst_manifold_to_frame(e->m, 1, r->intercept, r->velocities + c * r->ambient,
                                       estimate + (1 + c) * d);
    for (size_t k = curve; k < r->parameters; k++)
        estimate[k] = k == curve ? log(r->noise) : r->noise_slopes[k - curve - 1];
    mst_json_key(j, "intervals");
    mst_json_array(j);
    for (size_t k = 0; k < r->parameters && !isnan(r->interval_factor); k++) {
        double reach = r->interval_factors[k] * r->standard_errors[k];
        mst_json_array(j);
        mst_json_number(j, estimate[k] - reach);
        mst_json_number(j, estimate[k] + reach);
        mst_json_end(j);
    }
    mst_json_end(j);
    free(estimate);
    return status;
}

static void json_aliases(mst_json *j, const regress_rows *rows, const mst_regress_result *r)
{
    mst_json_key(j, "aliases");
    mst_json_object(j);
    for (size_t c = 0; c < rows->k; c++)
        if (!isnan(r->aliases[c]))
            json_member_number(j, rows->names[c], r->aliases[c]);
    mst_json_end(j);
}

/* The words of what regress_warn says in sentences. */
static void json_warnings(mst_json *j, const mst_regress_result *r)
{
    static const struct {
        mst_regress_note bit;
        const char *word;
    } words[] = {
        {MST_REGRESS_BEYOND_CUT, "beyond-cut-locus"},
        {MST_REGRESS_RESIDUALS_AT_CUT, "residuals-at-cut-locus"},
        {MST_REGRESS_FEW_CLUSTERS, "few-clusters"},
        {MST_REGRESS_FEW_LABELLINGS, "few-labellings"},
        {MST_REGRESS_NO_CURVE, "no-curve"},
        {MST_REGRESS_SPREAD, "spread"},
        {MST_REGRESS_INFLUENTIAL, "influential-row"},
        {MST_REGRESS_HEAVY_TAILS, "heavy-tails"},
        {MST_REGRESS_UNEQUAL_SPREAD, "unequal-spread"},
        {MST_REGRESS_STEEPER, "steeper-curves"},
        {MST_REGRESS_NO_COVARIANCE, "no-errors"},
    };
    mst_json_key(j, "warnings");
    mst_json_array(j);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((r->notes & words[i].bit) != 0)
            mst_json_string(j, words[i].word);
    mst_json_end(j);
}

static void json_doubts(mst_json *j, const regress_rows *rows, const mst_regress_result *r)
{
    if (!isnan(r->uniform_p_value)) {
        mst_json_key(j, "uniformity");
        mst_json_object(j);
        json_member_number(j, "statistic", r->uniform_statistic);
        json_member_number(j, "p_value", r->uniform_p_value);
        mst_json_end(j);
    }
    json_member_number(j, "kurtosis", r->kurtosis);
    json_member_number(j, "equal_spread_p_value", r->spread_p_value);
    json_member_bool(j, "curve_found", (r->notes & MST_REGRESS_NO_CURVE) == 0);
    if ((r->notes & MST_REGRESS_INFLUENTIAL) == 0)
        return;
    mst_json_key(j, "influential");
    mst_json_object(j);
    json_member_integer(j, "row", rows->kept[r->influential] + 1);
    json_member_number(j, "leverage", r->leverage[r->influential]);
    json_member_number(j, "cook", r->influence);
    mst_json_end(j);
}

mst_status regress_json(const estimation *e, mst_json *j, const regress_rows *rows,
                        const mst_regress_result *r, const regress_predictions *p)
{
    json_member_integer(j, "n", r->n);
    json_member_integer(j, "dropped", rows->dropped);
    json_terms(j, rows, r);
    mst_status status = json_member_point(e, j, "intercept", r->intercept);
    if (status == MST_OK)
        status = json_vectors(e, j, "velocities", rows->k, r->velocities);
    json_noise(j, r);
    json_member_matrix(j, "basis", r->dim, r->ambient, r->basis);
    json_member_matrix(j, "covariance", r->parameters, r->parameters, r->covariance);
    json_member_string(j, "covariance_kind", covariance_words[r->covariance_kind]);
    if (isnan(r->standard_errors[0]))
        json_member_number(j, "standard_errors", NAN);
    else
        json_member_numbers(j, "standard_errors", r->parameters, r->standard_errors);
    if (status == MST_OK)
        status = json_intervals(e, j, r);
    json_member_number(j, "degrees_of_freedom", r->degrees_of_freedom);
    if (r->clusters > 0)
        json_member_integer(j, "clusters", r->clusters);
    json_tests(j, rows, r);
    json_member_number(j, "log_likelihood", r->log_likelihood);
    json_member_number(j, "aic", r->aic);
    json_member_number(j, "bic", r->bic);
    json_member_number(j, "r_squared", r->r_squared);
    json_member_number(j, "confidence", r->confidence);
    json_member_bool(j, "converged", r->converged);
    json_member_string(j, "end", fit_end_word(r->end));
    json_member_integer(j, "iterations", r->iterations);
    json_member_number(j, "gradient_norm", r->gradient_norm);
    json_member_integer(j, "beyond_cut_locus", r->beyond_cut);
    json_doubts(j, rows, r);
    json_aliases(j, rows, r);
    json_warnings(j, r);
    if (status == MST_OK)
        status = json_member_points(e, j, "fitted", r->n, r->fitted);
    if (status == MST_OK)
        status = json_vectors(e, j, "residuals", r->n, r->residuals);
    json_member_numbers(j, "residual_lengths", r->n, r->distances);
    json_member_numbers(j, "leverage", r->n, r->leverage);
    return status == MST_OK ? regress_json_predictions(e, j, p) : status;
}

/* ---- A page ---- */

/* Root of the trace of the block of a velocity. */
static double block_error(const mst_regress_result *r, size_t first)
{
    double trace = 0;
    for (size_t a = 0; a < r->dim; a++)
        trace += r->standard_errors[first + a] * r->standard_errors[first + a];
    return sqrt(trace);
}

static mst_status print_terms(const estimation *e, FILE *out, const regress_rows *rows,
                              const mst_regress_result *r)
{
    double unit = length_unit(e);
    char p[P_VALUE_TEXT];
    table t = {.cols = 5};
    const char *heads[] = {"term", "origin", "speed", "error", "p"};
    for (size_t k = 0; k < t.cols; k++)
        table_cell(&t, "%s", heads[k]);
    mst_status status = MST_OK;
    for (size_t c = 0; status == MST_OK && c < rows->k; c++) {
        double speed;
        status = mst_manifold_norm(e->m, 1, r->intercept, r->velocities + c * r->ambient, &speed);
        table_cell(&t, "%s", rows->names[c]);
        table_number(&t, r->origin[c], 6);
        table_number(&t, speed / unit, 5);
        table_number(&t, block_error(r, (1 + c) * r->dim) / unit, 3);
        if (isnan(r->p_values[c]))
            table_cell(&t, "-");
        else
            table_cell(&t, "%s", p_value_text(r->p_values[c], is_floor(r, r->p_values[c]), 3, p));
    }
    mst_status printed = table_print(&t, out);
    return status == MST_OK ? printed : status;
}

/* "p = 0.03", or "p <= 0.001". */
static void print_p_value(FILE *out, const mst_regress_result *r, double p)
{
    char text[P_VALUE_TEXT];
    const char *value = p_value_text(p, is_floor(r, p), 3, text);
    fprintf(out, "p %s%s", value[0] == '<' ? "" : "= ", value);
}

/* Other slopes on circles that fit as well. */
static void print_aliases(const estimation *e, FILE *out, const regress_rows *rows,
                          const mst_regress_result *r)
{
    for (size_t c = 0; c < rows->k; c++)
        if (!isnan(r->aliases[c]))
            fprintf(out,
                    "%s lies on a grid of step %.6g: velocities that are %.6g more or less along "
                    "a circle fit the points as well\n",
                    rows->names[c], 2 * M_PI / r->aliases[c], r->aliases[c] / length_unit(e));
}

static void print_factors(FILE *out, const regress_rows *rows, const mst_regress_result *r)
{
    for (size_t t = 0; t < r->groups; t++) {
        const char *reference = mst_terms_reference(rows->terms, t);
        if (reference == NULL)
            continue;
        fprintf(out, "%s: compared with %s", mst_terms_text(rows->terms, t), reference);
        if (!isnan(r->tests[t].p_value)) {
            fprintf(out, "; all levels together: ");
            print_p_value(out, r, r->tests[t].p_value);
        }
        fprintf(out, "\n");
    }
}

static void print_noise(const estimation *e, FILE *out, const mst_regress_result *r)
{
    if (r->noise_limit == MST_TIME_ZERO) {
        fprintf(out, "noise          none but rounding\n");
        return;
    }
    fprintf(out, "noise          sigma^2 = %.6g%s", r->noise, squared_unit(e));
    if (!isnan(r->noise_standard_error))
        fprintf(out, " +- %.2g; corrected for the fit %.6g, interval %.5g to %.5g",
                r->noise_standard_error, r->noise_unbiased, r->noise_low, r->noise_high);
    fprintf(out, "\n");
    if (r->equal_noise.method == MST_REGRESS_NO_TEST)
        return;
    fprintf(out, "noise slopes   is it the same everywhere? ");
    print_p_value(out, r, r->equal_noise.p_value);
    fprintf(out, "\n");
}

mst_status regress_page(const estimation *e, FILE *out, const regress_rows *rows,
                        const mst_regress_result *r, const regress_predictions *p)
{
    fprintf(out, "intercept      ");
    mst_status status = print_point(e, out, r->intercept, 15);
    if (!isnan(r->standard_errors[0]))
        fprintf(out, "               +- %.3g (standard error%s)\n",
                block_error(r, 0) / length_unit(e), r->clusters > 0 ? ", by clusters" : "");
    fprintf(out, "\n");
    if (status == MST_OK)
        status = print_terms(e, out, rows, r);
    print_factors(out, rows, r);
    print_aliases(e, out, rows, r);
    fprintf(out, "\n");
    print_noise(e, out, r);
    if (isnan(r->r_squared))
        fprintf(out, "R^2            none: the points are all the same\n");
    else
        fprintf(out, "R^2            %.4f\n", r->r_squared);
    if (r->whole.method != MST_REGRESS_NO_TEST) {
        fprintf(out, "all terms      ");
        print_p_value(out, r, r->whole.p_value);
        fprintf(out, " (%s, %zu degrees of freedom)\n", methods[r->whole.method], r->whole.degrees);
    }
    if (!isnan(r->log_likelihood))
        fprintf(out, "log-likelihood %.6g", r->log_likelihood);
    if (!isnan(r->aic))
        fprintf(out, ", AIC %.6g, BIC %.6g", r->aic, r->bic);
    fprintf(out, "%s", isnan(r->log_likelihood) ? "" : "\n");
    return status == MST_OK ? regress_print_predictions(e, out, p, r->confidence) : status;
}

/* ---- Warnings ---- */

/* A learned metric is that of data: elsewhere it is what the prior of the processes makes it. */
static void warn_of_lost(const estimation *e, const regress_rows *rows, const mst_regress_result *r,
                         const regress_predictions *p)
{
    size_t first = 0, lost = learned_count_lost(e->m, r->n, rows->y, &first);
    if (lost > 0)
        warn(e->inv,
             "warning: %zu point%s, the first in row %zu, lie%s away from the data that the "
             "manifold was learned from: what distances are there is not known",
             lost, lost == 1 ? "" : "s", rows->kept[first] + 1, lost == 1 ? "s" : "");
    lost = p->n > 0 ? learned_count_lost(e->m, p->n, p->at.points, &first) : 0;
    if (lost > 0)
        warn(e->inv,
             "warning: %zu prediction%s, the first in row %zu, lie%s away from the data that the "
             "manifold was learned from: neither the points nor their errors are to be relied on",
             lost, lost == 1 ? "" : "s", first + 1, lost == 1 ? "s" : "");
}

static void warn_of_no_test(const estimation *e, const mst_regress_result *r)
{
    if (r->labellings > 0)
        warn(e->inv,
             "warning: %zu clusters are too few for a test of terms that do not vary within them: "
             "there are %g ways to permute them, and p at most %.2g needs %.0f",
             r->clusters, r->labellings, 1 - r->confidence, ceil(1 / (1 - r->confidence) - 1e-9));
    else
        warn(e->inv, "warning: %zu clusters are too few for a test of all terms", r->clusters);
}

void regress_warn(const estimation *e, const regress_rows *rows, const mst_regress_result *r,
                  const regress_predictions *p)
{
    size_t beyond = 0, first = 0;
    if ((r->notes & MST_REGRESS_BEYOND_CUT) != 0)
        warn(e->inv,
             "warning: the curve passes the cut locus of its intercept within the data (%zu row%s, "
             "the first is %zu): other velocities may describe the same points",
             r->beyond_cut, r->beyond_cut == 1 ? "" : "s", rows->kept[r->first_beyond] + 1);
    if ((r->notes & MST_REGRESS_RESIDUALS_AT_CUT) != 0)
        warn(e->inv, "warning: some points lie at the cut locus of their prediction: their "
                     "residuals have no direction");
    if ((r->notes & MST_REGRESS_FEW_CLUSTERS) != 0)
        warn(e->inv, "warning: %zu clusters are too few for errors to be relied on", r->clusters);
    if ((r->notes & MST_REGRESS_FEW_LABELLINGS) != 0)
        warn_of_no_test(e, r);
    bool none = (r->notes & MST_REGRESS_NO_CURVE) != 0;
    if (none)
        warn(e->inv,
             "warning: the points cannot be told from uniform ones (p = %.2g) that have nothing to "
             "do "
             "with the terms: no curve is found, and no errors are given",
             r->uniform_p_value);
    else if ((r->notes & MST_REGRESS_SPREAD) != 0)
        warn(e->inv, r->clusters > 0
                         ? "warning: the points are spread so far over the space that errors and "
                           "tests by clusters do not hold: there are no p values"
                         : "warning: the points are spread far over the space: p values are those "
                           "of permutations, and standard errors may be too small");
    if ((r->notes & MST_REGRESS_STEEPER) != 0)
        warn(e->inv, "warning: steeper curves may fit the points where this one does not: the "
                     "search looks for none that go round a circle more than once to either side "
                     "of the intercept; take a shorter range of the terms, or unroll the angles");
    if ((r->notes & MST_REGRESS_INFLUENTIAL) != 0)
        warn(e->inv,
             "warning: the curve depends on row %zu more than on all others (leverage %.2g): see "
             "what becomes of it without that row",
             rows->kept[r->influential] + 1, r->leverage[r->influential]);
    /* Sandwiches and least squares do not rest on the law. */
    bool robust = r->covariance_kind != MST_COVARIANCE_OBSERVED && isnan(r->spread_p_value);
    if ((r->notes & MST_REGRESS_HEAVY_TAILS) != 0 && !robust)
        warn(e->inv,
             "warning: the residuals have heavier tails than Brownian motion (kurtosis %.2g times "
             "that "
             "of a normal law), or outliers: look at residual_lengths of --json; --covariance "
             "sandwich "
             "has errors that do not rest on the model",
             r->kurtosis);
    if ((r->notes & MST_REGRESS_UNEQUAL_SPREAD) != 0)
        warn(
            e->inv,
            "warning: the points are not spread alike where the terms differ, or far from their "
            "middle (p = %.2g by the test of Breusch and Pagan): errors and tests are those of the "
            "sandwich, but those of the noise and of new points rest on one noise; try --noise "
            "loglinear",
            r->spread_p_value);
    if ((r->notes & MST_REGRESS_NO_COVARIANCE) != 0 && r->converged && !none)
        warn(e->inv, "warning: there are no standard errors: the parameters are too many for the "
                     "rows, or for a matrix");
    warn_of_lost(e, rows, r, p);
    for (size_t i = p->n; p->at.beyond != NULL && i-- > 0;)
        if (p->at.beyond[i]) {
            beyond++;
            first = i;
        }
    if (beyond > 0)
        warn(e->inv,
             "warning: %zu prediction%s, the first in row %zu, lie%s farther from the intercept "
             "than "
             "geodesics are known to be shortest: the curve may have passed its cut locus",
             beyond, beyond == 1 ? "" : "s", first + 1, beyond == 1 ? "s" : "");
}
