/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "estimate.h"
#include "table.h"
#include "test_uniform.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of mst_test_method and mst_hypothesis. */
static const char *const methods[] = {"lr", "permutation", NULL};
static const char *const hypotheses[] = {"mean", "time", "both", NULL};

static const option option_method = {
    .name = "method",
    .kind = OPTION_CHOICE,
    .choices = methods,
    .value = "METHOD",
    .fallback = "lr",
    .example = "permutation",
    .help = "lr (likelihood ratio against the chi-squared law, for large samples) or permutation "
            "(the same statistic against relabelled samples, for any size)",
};

static const option option_hypothesis = {
    .name = "hypothesis",
    .kind = OPTION_CHOICE,
    .choices = hypotheses,
    .value = "WHAT",
    .fallback = "mean",
    .example = "both",
    .help = "what is equal if the hypothesis holds: mean (each sample keeps its own time), time "
            "or both",
};

static const option option_permutations = {
    .name = "permutations",
    .kind = OPTION_COUNT,
    .value = "B",
    .fallback = "999",
    .example = "9999",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "for --method permutation; the smallest p-value is 1/(B+1)",
};

typedef struct comparison {
    estimation e;
    mst_test_options options;
    report report;
    size_t n[2];
    double *x[2];
    mst_test_result *result;
} comparison;

static mst_status set_options(comparison *c)
{
    const invocation *inv = c->e.inv;
    char words[SPACE_WORDS];
    c->options = mst_test_options_default();
    c->options.method = (mst_test_method)option_get(inv, &option_method)->choice;
    c->options.hypothesis = (mst_hypothesis)option_get(inv, &option_hypothesis)->choice;
    c->options.permutations = (size_t)option_get(inv, &option_permutations)->count;
    c->options.seed = c->e.seed;
    c->options.threads = c->e.threads;
    if (inv->operand_count != 2)
        return mst_fail(MST_ARGUMENT,
                        "two files are compared, but %zu %s given; for example 'manistat test "
                        "%s a.csv b.csv'",
                        inv->operand_count, inv->operand_count == 1 ? "is" : "are",
                        space_words(inv, words));
    mst_status status = given_time(&c->e, &c->options.time);
    if (status != MST_OK)
        return status;
    const mst_network_info *info = &c->e.model.info;
    if (c->e.model.net != NULL && info->t_min == info->t_max && !(c->options.time > 0))
        return mst_fail(MST_ARGUMENT,
                        "%s knows one small time only, and a test needs the time that the data "
                        "have; train a model without --t",
                        c->e.model.score);
    if (c->options.time > 0 && c->options.hypothesis != MST_EQUAL_MEANS)
        return mst_fail(MST_ARGUMENT,
                        "with a fixed --time there is no time to test; leave out --hypothesis %s",
                        hypotheses[c->options.hypothesis]);
    return open_source(&c->e, false, "the test needs its likelihood");
}

static mst_status compute(comparison *c)
{
    bool many = c->options.method == MST_TEST_PERMUTATION;
    double piece = many ? (double)c->options.permutations : 100;
    progress p = progress_start(c->e.inv, many ? "permutations" : "iterations", many ? piece : 0);
    c->options.progress = progress_callback(&p, piece);
    mst_status status = mst_two_sample_test(&c->result, c->e.source, c->n[0], c->x[0], c->n[1],
                                            c->x[1], &c->options);
    progress_end(&p);
    return status == MST_CONVERGENCE && c->result != NULL ? MST_OK : status;
}

static mst_status write_json(comparison *c)
{
    mst_json *j = c->report.json;
    const mst_test_result *r = c->result;
    const mst_mean_result *const fits[] = {r->first, r->second};
    const char *const names[] = {"first", "second"};
    mst_status status = MST_OK;
    json_member_string(j, "manifold", mst_manifold_spec(c->e.m));
    json_member_string(j, "score", score_name(&c->e));
    json_member_string(j, "method", methods[c->options.method]);
    json_member_string(j, "hypothesis", hypotheses[c->options.hypothesis]);
    json_forms(&c->e, j);
    model_json_outside(&c->e.model, j);
    json_member_sizes(j, "n", 2, c->n);
    json_member_number(j, "statistic", r->statistic);
    json_member_number(j, "degrees_of_freedom", r->degrees_of_freedom);
    json_member_number(j, "p_value", r->p_value);
    json_member_integer(j, "permutations", r->permutations);
    if (r->common_mean != NULL) {
        status = json_member_point(&c->e, j, "common_mean", r->common_mean);
    } else {
        mst_json_key(j, "common_mean");
        mst_json_null(j);
    }
    json_member_number(j, "common_time", r->common_time);
    json_member_number(j, "log_likelihood_null", r->log_likelihood_null);
    json_member_number(j, "log_likelihood_alternative", r->log_likelihood_alternative);
    json_member_bool(j, "converged", r->converged);
    for (int k = 0; k < 2 && status == MST_OK; k++) {
        mst_json_key(j, names[k]);
        mst_json_object(j);
        status = json_mean(&c->e, j, fits[k], mst_mean_options_default().confidence);
        mst_json_end(j);
    }
    return status;
}

/* Both samples beside what they have in common. */
static mst_status print_samples(const comparison *c, FILE *out)
{
    const mst_test_result *r = c->result;
    const double *const means[] = {r->first->mean, r->second->mean, r->common_mean};
    size_t width = c->e.width;
    table t = {.cols = 4};
    double *coded;
    mst_status status = new_doubles(&coded, 3, width);
    for (size_t k = 0; k < 3 && status == MST_OK; k++) {
        for (size_t i = 0; i < width; i++)
            coded[k * width + i] = NAN;
        if (means[k] != NULL)
            status = mst_points_encode(c->e.m, 1, means[k], &c->e.points, coded + k * width);
    }
    const char *const heading[] = {"", "first", "second", "common"};
    for (size_t k = 0; k < 4; k++)
        table_cell(&t, "%s", heading[k]);
    table_cell(&t, "points");
    table_cell(&t, "%zu", c->n[0]);
    table_cell(&t, "%zu", c->n[1]);
    table_cell(&t, "%zu", c->n[0] + c->n[1]);
    for (size_t i = 0; i < width && status == MST_OK; i++) {
        table_cell(&t, "x_%zu", i + 1);
        for (size_t k = 0; k < 3; k++)
            table_number(&t, coded[k * width + i], 8);
    }
    table_cell(&t, "standard error");
    table_number(&t, r->first->standard_error, 4);
    table_number(&t, r->second->standard_error, 4);
    table_cell(&t, "-");
    table_cell(&t, "time");
    table_number(&t, r->first->time, 6);
    table_number(&t, r->second->time, 6);
    table_number(&t, r->common_time, 6);
    free(coded);
    mst_status printed = table_print(&t, out);
    return status == MST_OK ? printed : status;
}

static mst_status write_page(comparison *c)
{
    static const char *const questions[] = {"Are the means equal?", "Are the times equal?",
                                            "Are means and times equal?"};
    FILE *out = c->report.text;
    const mst_test_result *r = c->result;
    fprintf(out, "%s Two samples on %s", questions[c->options.hypothesis],
            mst_manifold_spec(c->e.m));
    if (c->e.model.net != NULL)
        fprintf(out, ", by %s", c->e.model.score);
    fprintf(out, "\n\n");
    fprintf(out, "p-value     %.6g\n", r->p_value);
    if (c->options.method == MST_TEST_LR)
        fprintf(out, "statistic   %.6g, against chi-squared with %g degree%s of freedom\n\n",
                r->statistic, r->degrees_of_freedom, r->degrees_of_freedom == 1 ? "" : "s");
    else
        fprintf(out, "statistic   %.6g, against %zu permutation%s\n\n", r->statistic,
                r->permutations, r->permutations == 1 ? "" : "s");
    mst_status status = print_samples(c, out);
    model_print_outside(&c->e.model, out);
    return status;
}

static mst_status conclude(comparison *c)
{
    const mst_mean_result *const fits[] = {c->result->first, c->result->second};
    char text[PROBLEM_TEXT];
    for (int k = 0; k < 2; k++) {
        const char *problem = mean_problem(&c->e, fits[k], text);
        if (problem != NULL)
            return mst_fail(MST_CONVERGENCE, "%s: %s", operand_name(c->e.inv, (size_t)k), problem);
    }
    return c->result->converged
               ? MST_OK
               : mst_fail(MST_CONVERGENCE, "the fit of what the samples have in common did not "
                                           "converge");
}

static mst_status run(invocation *inv)
{
    if (option_given(inv, &option_uniform))
        return test_uniform(inv);
    comparison c = {0};
    mst_status status = estimation_open(&c.e, inv);
    if (status == MST_OK)
        status = set_options(&c);
    if (status == MST_OK)
        status = report_open(&c.report, inv);
    for (size_t k = 0; k < 2 && status == MST_OK; k++)
        status = read_points(&c.e, k, &c.x[k], &c.n[k]);
    if (status == MST_OK)
        status = compute(&c);
    for (size_t k = 0; k < 2 && status == MST_OK; k++)
        status = judge_mean(&c.e, MODEL_NO_ROWS, c.n[k], c.x[k],
                            k == 0 ? c.result->first : c.result->second);
    if (status == MST_OK)
        status = c.report.json != NULL ? write_json(&c) : write_page(&c);
    if (status == MST_OK)
        status = report_finish(&c.report);
    if (status == MST_OK)
        status = model_conclude(&c.e.model, conclude(&c));
    mst_test_result_free(c.result);
    mst_points_free(c.x[0]);
    mst_points_free(c.x[1]);
    report_close(&c.report);
    estimation_close(&c.e);
    return status;
}

const command command_test = {
    .name = "test",
    .summary = "asks whether two samples have the same mean or time",
    .usage = "--manifold SPEC [options] [FILE] [FILE]",
    .description =
        "Compares two samples of points on a manifold, one file each. Diffusion means and times "
        "are fitted to each sample alone and again under the hypothesis; the statistic is twice "
        "the difference of the log-likelihoods. A small p-value speaks against the hypothesis.\n\n"
        "The likelihood ratio (--method lr) assumes that samples are large and that points are "
        "spread like Brownian motion; permutations (--method permutation) assume only that under "
        "the hypothesis the samples are exchangeable.",
    .options =
        (const option *const[]){&option_space, &option_hypothesis, &option_uniform, &option_method,
                                &option_permutations, &option_time_fit, &option_score,
                                POINT_OPTIONS, &option_seed, &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = 2,
    .examples =
        (const example[]){
            {"Do two sets of directions have the same mean?",
             "manistat test --manifold sphere:2 data.csv new.csv"},
            {"The same for small samples, by permutation:",
             "manistat test --manifold sphere:2 --method permutation data.csv new.csv"},
            {"Are they spread equally far?", "manistat test --manifold sphere:2 --hypothesis time "
                                             "--json data.csv new.csv"},
            {"Is there a mean at all, or are the directions uniform?",
             "manistat test --manifold sphere:2 --uniform data.csv"},
            {NULL, NULL},
        },
    .run = run,
};
