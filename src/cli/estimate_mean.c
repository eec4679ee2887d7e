/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A mean in JSON and for people. */
#include "estimate.h"
#include "table.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *limit_word(mst_time_limit limit)
{
    switch (limit) {
    case MST_TIME_ZERO:
        return "zero";
    case MST_TIME_INFINITY:
        return "infinity";
    case MST_TIME_LEAST:
        return "t-min";
    case MST_TIME_LARGEST:
        return "t-max";
    case MST_TIME_LONG:
        return "long";
    case MST_TIME_FINITE:
        break;
    }
    return "";
}

static bool at_edge(const mst_mean_result *r)
{
    return r->time_limit == MST_TIME_LEAST || r->time_limit == MST_TIME_LARGEST;
}

static bool ran_away(const mst_mean_result *r)
{
    return r->time_limit == MST_TIME_ZERO || r->time_limit == MST_TIME_INFINITY;
}

const char *mean_problem(const estimation *e, const mst_mean_result *r, char text[PROBLEM_TEXT])
{
    if (r->time_limit == MST_TIME_ZERO)
        return "the time runs to zero, because all points are one; fix it with --time T";
    if (r->time_limit == MST_TIME_INFINITY)
        return "the time runs to infinity, because the points are spread no less than the uniform "
               "law; fix it with --time T";
    if (r->time_limit == MST_TIME_LONG) {
        snprintf(
            text, PROBLEM_TEXT,
            "the time runs to longer ones than those for which the %.80s holds; --score pde or "
            "spectral knows them, or fix it with --time T",
            score_name(e));
        return text;
    }
    if (at_edge(r)) {
        snprintf(text, PROBLEM_TEXT,
                 "the best time lies %s %g, the %s of %.80s; train with another --%s, or pass "
                 "--force to go beyond it",
                 r->time_limit == MST_TIME_LEAST ? "below" : "above", r->time,
                 limit_word(r->time_limit), score_name(e), limit_word(r->time_limit));
        return text;
    }
    if (r->converged)
        return NULL;
    snprintf(text, PROBLEM_TEXT,
             "no convergence after %zu iteration%s, the gradient is still %.2g; try more "
             "--iterations or another --start",
             r->iterations, r->iterations == 1 ? "" : "s", r->gradient_norm);
    return text;
}

const char *fit_end_word(mst_fit_end end)
{
    static const char *const words[] = {"settled", "rounding",  "edge",    "saddle",
                                        "uniform", "collapsed", "stalled", "out of steps"};
    return words[end];
}

mst_status judge_mean(estimation *e, uint64_t before, size_t n, const double *x,
                      const mst_mean_result *r)
{
    if (r->validity != NULL && r->n == n) {
        model_count_invalid(&e->model, before, n, r->validity);
        return MST_OK;
    }
    return model_judge(&e->model, before, &(mst_pairs){.n = n, .x = x, .y = r->mean}, r->time);
}

static mst_status json_set(const estimation *e, mst_json *j, const mst_mean_result *r)
{
    mst_status status = MST_OK;
    mst_json_key(j, "mean_set");
    mst_json_array(j);
    for (size_t i = 0; i < r->set_size && status == MST_OK; i++) {
        mst_json_object(j);
        status = json_member_point(e, j, "mean", r->set[i].mean);
        json_member_number(j, "time", r->set[i].time);
        json_member_number(j, "log_likelihood", r->set[i].log_likelihood);
        mst_json_end(j);
    }
    mst_json_end(j);
    return status;
}

/* Times that run away are no numbers in JSON. */
static void json_times(mst_json *j, const mst_mean_result *r)
{
    json_member_numbers(j, "times", r->times_count, r->times);
    if (r->times_standard_error != NULL) {
        json_member_numbers(j, "times_standard_error", r->times_count, r->times_standard_error);
        mst_json_key(j, "times_interval");
        mst_json_array(j);
        for (size_t i = 0; i < r->times_count; i++) {
            mst_json_array(j);
            mst_json_number(j, r->times_low[i]);
            mst_json_number(j, r->times_high[i]);
            mst_json_end(j);
        }
        mst_json_end(j);
    }
    if (isnan(r->equal_times_p_value))
        return;
    mst_json_key(j, "equal_times");
    mst_json_object(j);
    json_member_number(j, "statistic", r->equal_times_statistic);
    json_member_number(j, "p_value", r->equal_times_p_value);
    mst_json_end(j);
}

static mst_status json_errors(const estimation *e, mst_json *j, const mst_mean_result *r,
                              double confidence)
{
    json_member_number(j, "time_standard_error", r->time_standard_error);
    if (isnan(r->time_low) || isnan(r->time_high)) {
        mst_json_key(j, "time_interval");
        mst_json_null(j);
    } else {
        json_member_numbers(j, "time_interval", 2, (const double[]){r->time_low, r->time_high});
    }
    return json_region(e, j, r, confidence);
}

static void json_uniqueness(mst_json *j, const mst_mean_result *r)
{
    static const char *const words[] = {"proven", "searched", "not established"};
    if (r->uniqueness == MST_UNIQUENESS_NOT_ESTABLISHED) {
        mst_json_key(j, "unique");
        mst_json_null(j);
    } else {
        json_member_bool(j, "unique", r->unique);
    }
    json_member_string(j, "uniqueness", words[r->uniqueness]);
}

static void json_uniformity(mst_json *j, const mst_mean_result *r)
{
    if (!isnan(r->uniform_p_value)) {
        mst_json_key(j, "uniformity");
        mst_json_object(j);
        json_member_number(j, "statistic", r->uniform_statistic);
        json_member_number(j, "p_value", r->uniform_p_value);
        json_member_bool(j, "p_value_is_floor", r->uniform_p_value_is_floor);
        if (!isnan(r->axial_p_value))
            json_member_number(j, "axial_p_value", r->axial_p_value);
        mst_json_end(j);
    }
    if (r->uniform_count > 0) {
        mst_json_key(j, "uniform_part");
        mst_json_object(j);
        json_member_integer(j, "first", r->uniform_first + 1);
        json_member_integer(j, "coordinates", r->uniform_count);
        json_member_number(j, "p_value", r->uniform_part_p_value);
        mst_json_end(j);
    }
}

static void json_time_corrected(mst_json *j, const mst_mean_result *r)
{
    if (isnan(r->time_corrected))
        return;
    json_member_number(j, "time_corrected", r->time_corrected);
    if (isinf(r->time_corrected))
        json_member_string(j, "time_corrected_limit", "infinity");
}

mst_status json_mean(const estimation *e, mst_json *j, const mst_mean_result *r, double confidence)
{
    json_member_integer(j, "n", r->n);
    json_member_number(j, "effective_n", r->effective_n);
    if (r->different_rows < r->n)
        json_member_integer(j, "different_rows", r->different_rows);
    else if (r->clusters > 0)
        json_member_integer(j, "clusters", r->clusters);
    if (isfinite(r->degrees_of_freedom))
        json_member_number(j, "degrees_of_freedom", r->degrees_of_freedom);
    mst_status status = json_member_point(e, j, "mean", r->mean);
    if (status != MST_OK)
        return status;
    json_member_number(j, "time", r->time);
    if (r->time_limit != MST_TIME_FINITE)
        json_member_string(j, "time_limit", limit_word(r->time_limit));
    if (r->times_count > 0)
        json_times(j, r);
    json_time_corrected(j, r);
    json_member_number(j, "log_likelihood", r->log_likelihood);
    json_member_number(j, "variance", r->variance);
    json_member_bool(j, "converged", r->converged);
    json_member_string(j, "end", fit_end_word(r->end));
    json_member_integer(j, "iterations", r->iterations);
    json_member_number(j, "gradient_norm", r->gradient_norm);
    json_member_number(j, "newton_decrement", r->decrement);
    status = json_errors(e, j, r, confidence);
    if (r->bridge_paths > 0) {
        json_member_integer(j, "bridge_paths", r->bridge_paths);
        json_member_number(j, "bridge_share", r->bridge_share);
    }
    json_uniqueness(j, r);
    if (status == MST_OK)
        status = json_set(e, j, r);
    json_member_integer(j, "parameters", r->parameters);
    json_member_number(j, "aic", r->aic);
    json_member_number(j, "bic", r->bic);
    json_uniformity(j, r);
    json_notes(e, j, r);
    return status;
}

/* ---- For people ---- */

#define LABEL "  %-16s"
enum { LABEL_WIDTH = 18 };

/* "0.21 to 0.35" or "0.21 to infinity". */
static void print_interval(FILE *out, double low, double high, double confidence)
{
    if (isinf(high))
        fprintf(out, "%.6g to infinity (confidence %g)", low, confidence);
    else
        fprintf(out, "%.6g to %.6g (confidence %g)", low, high, confidence);
}

/* A line per factor, named by its spec. */
static void print_times(const estimation *e, FILE *out, const mst_mean_result *r, double confidence)
{
    for (size_t i = 0; i < r->times_count; i++) {
        fprintf(out, LABEL "%.10g", i == 0 ? "times" : "", r->times[i]);
        if (!isnan(r->times_standard_error[i]))
            fprintf(out, " +- %.4g", r->times_standard_error[i]);
        if (!isnan(r->times_low[i]) && !isnan(r->times_high[i])) {
            fputs(", ", out);
            print_interval(out, r->times_low[i], r->times_high[i], confidence);
        }
        fprintf(out, ", factor %zu: %s\n", i + 1, mst_manifold_spec(mst_manifold_factor(e->m, i)));
    }
}

/* The times that the factors have by themselves, where one time does not fit them all. */
static void print_unequal(const estimation *e, FILE *out, const mst_mean_result *r)
{
    if ((r->notes & MST_NOTE_UNEQUAL_TIMES) == 0)
        return;
    fprintf(out, LABEL "differ (p %.2g):", "times", r->equal_times_p_value);
    for (size_t i = 0; i < r->times_count; i++)
        fprintf(out, "%s %.6g on %s", i > 0 ? "," : "", r->times[i],
                mst_manifold_spec(mst_manifold_factor(e->m, i)));
    fputc('\n', out);
}

static void print_uniformity(FILE *out, const mst_mean_result *r)
{
    bool part = r->uniform_count > 0, whole = !isnan(r->uniform_p_value);
    char where[UNIFORM_PART_SIZE], p[P_VALUE_TEXT];
    if (!whole && !part)
        return;
    fprintf(out, LABEL "p-value ", "uniform law");
    if (whole)
        fprintf(out, "%s", p_value_text(r->uniform_p_value, r->uniform_p_value_is_floor, 4, p));
    if (part) {
        name_uniform_part(r, where);
        fprintf(out, "%s%.4g in %s", whole ? ", but " : "", r->uniform_part_p_value, where);
    }
    bool open = part || (r->notes & MST_NOTE_MAYBE_UNIFORM) != 0;
    fprintf(out, "%s\n", open ? ": not rejected" : "");
}

/* Squares of lengths stay what --time takes. */
static const char *squared_words(const estimation *e)
{
    return lengths_in_degrees(e) ? " radians squared" : "";
}

static void print_time(const estimation *e, FILE *out, const mst_mean_result *r, double confidence)
{
    if (ran_away(r))
        fprintf(out, LABEL "runs to %s\n", "time", limit_word(r->time_limit));
    else if (r->time_limit == MST_TIME_LONG)
        fprintf(out, LABEL "long, beyond what the %s holds for\n", "time", score_name(e));
    else if (at_edge(r))
        fprintf(out, LABEL "%.10g, the %s of the model\n", "time", r->time,
                limit_word(r->time_limit));
    else if (!isnan(r->time_standard_error))
        fprintf(out, LABEL "%.10g +- %.4g%s\n", "time", r->time, r->time_standard_error,
                squared_words(e));
    else if (!isnan(r->time))
        fprintf(out, LABEL "%.10g%s\n", "time", r->time, squared_words(e));
    if (isinf(r->time_corrected))
        fprintf(out, LABEL "infinity: the uniform law is as good\n", "corrected time");
    else if (!isnan(r->time_corrected) && (r->notes & MST_NOTE_TIME_BIASED) != 0)
        fprintf(out, LABEL "%.6g\n", "corrected time", r->time_corrected);
    if (!isnan(r->time_low) && !isnan(r->time_high)) {
        fprintf(out, LABEL, "time interval");
        print_interval(out, r->time_low, r->time_high, confidence);
        fputc('\n', out);
    }
}

static mst_status print_set(const estimation *e, FILE *out, const mst_mean_result *r)
{
    enum { SHOWN = 10 };
    mst_status status = MST_OK;
    if (ran_away(r))
        return MST_OK; /* without a time there is nothing to compare */
    bool known = r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED;
    fprintf(out, LABEL "%s\n", "unique",
            r->unique ? "yes"
            : !known  ? (r->set_size > 1 ? "not established, the data do not tell these apart:"
                                         : "not established")
            : r->set_size > 1 ? "no, these are equally good:"
                              : "no, points next to it are equally good");
    for (size_t i = 0;
         !r->unique && r->set_size > 1 && i < r->set_size && i < SHOWN && status == MST_OK; i++) {
        fprintf(out, LABEL, "");
        status = print_point(e, out, r->set[i].mean, LABEL_WIDTH);
    }
    if (!r->unique && r->set_size > SHOWN)
        fprintf(out, LABEL "and %zu more\n", "", r->set_size - SHOWN);
    return status;
}

mst_status print_mean(const estimation *e, FILE *out, const mst_mean_result *r, double confidence)
{
    fprintf(out, LABEL, "mean");
    mst_status status = print_point(e, out, r->mean, LABEL_WIDTH);
    if (status == MST_OK)
        status = print_errors(e, out, r, confidence);
    if (status != MST_OK)
        return status;
    if (r->times_standard_error != NULL)
        print_times(e, out, r, confidence);
    else
        print_time(e, out, r, confidence);
    print_unequal(e, out, r);
    if (!isnan(r->variance))
        fprintf(out, LABEL "%.6g%s (mean squared distance)\n", "variance", r->variance,
                squared_words(e));
    if (isfinite(r->log_likelihood))
        fprintf(out, LABEL "%.8g (AIC %.8g, BIC %.8g)\n", "log-likelihood", r->log_likelihood,
                r->aic, r->bic);
    if (r->clusters == 0 && fabs(r->effective_n - (double)r->n) > 1e-9 * (double)r->n)
        fprintf(out, LABEL "%.6g of equal weight\n", "rows worth", r->effective_n);
    if (r->bridge_paths > 0 && r->bridge_share >= 0)
        fprintf(out, LABEL "%zu a pair, whose noise is %.2g %% of the errors\n", "paths",
                r->bridge_paths, 100 * r->bridge_share);
    else if (r->bridge_paths > 0)
        fprintf(out, LABEL "%zu a pair\n", "paths", r->bridge_paths);
    print_uniformity(out, r);
    bool hardly = (r->notes & MST_NOTE_HARDLY_DETERMINED) != 0;
    fprintf(out, LABEL "%s, %zu iteration%s", "converged",
            hardly && r->converged ? "yes, but the mean is hardly determined"
            : r->converged         ? "yes"
                                   : "no",
            r->iterations, r->iterations == 1 ? "" : "s");
    if (isnan(r->gradient_norm)) /* there was no climb */
        fprintf(out, "\n");
    else
        fprintf(out, ", gradient %.2g\n", r->gradient_norm);
    return print_set(e, out, r);
}
