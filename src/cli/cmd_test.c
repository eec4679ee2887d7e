/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "comparison.h"
#include "plotting.h"
#include "test_uniform.h"

#include <stdlib.h>
#include <string.h>

static const option option_test_kind = {
    .name = "kind",
    .kind = OPTION_CHOICE,
    .choices = mean_kinds,
    .value = "KIND",
    .example = "frechet",
    .help = "diffusion (means and times by maximum likelihood) or frechet (means of least squared "
            "distances, on every manifold, by permutation); default: diffusion with a model and "
            "where the heat kernel has a closed form",
};

static const option option_method = {
    .name = "method",
    .kind = OPTION_CHOICE,
    .choices = test_methods,
    .value = "METHOD",
    .example = "permutation",
    .help = "lr (likelihood ratio against the chi-squared law, for large samples) or permutation "
            "(against relabelled samples, for any size); default: lr for equal means, but "
            "permutation with --kind frechet or --cluster, for --hypothesis time and both, and "
            "where rows are fewer than the degrees of freedom",
};

static const option option_hypothesis = {
    .name = "hypothesis",
    .kind = OPTION_CHOICE,
    .choices = test_hypotheses,
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
    .help = "for --method permutation, all of them if there are no more; the smallest p-value is "
            "1/(B+1)",
};

/* ---- Options ---- */

static mst_status check_operands(const invocation *inv)
{
    char words[SPACE_WORDS];
    bool by = option_given(inv, &option_by);
    if (by && inv->operand_count <= 1)
        return MST_OK;
    if (by)
        return mst_fail(MST_ARGUMENT,
                        "--by tells the groups of one file, but %zu are given; leave out one of "
                        "the two",
                        inv->operand_count);
    if (inv->operand_count >= 2)
        return MST_OK;
    return mst_fail(MST_ARGUMENT,
                    "two files or more are compared, but %zu %s given; for example 'manistat test "
                    "%s a.csv b.csv', or name the groups of one file: --by COLUMN",
                    inv->operand_count, inv->operand_count == 1 ? "is" : "are",
                    space_words(inv, words));
}

static mst_status choose_method(comparison *c)
{
    const invocation *inv = c->e.inv;
    bool clusters = option_given(inv, &option_cluster);
    c->options.method = MST_TEST_AUTOMATIC;
    if (!option_given(inv, &option_method))
        return MST_OK;
    c->options.method = (mst_test_method)option_get(inv, &option_method)->choice;
    if (c->options.method == MST_TEST_PERMUTATION)
        return MST_OK;
    if (c->frechet)
        return mst_fail(
            MST_ARGUMENT, "the Frechet mean has no likelihood%s; leave out --method lr",
            option_given(inv, &option_test_kind) ? "" : ", and there is no exact heat kernel here");
    if (clusters)
        return mst_fail(MST_ARGUMENT,
                        "--method lr takes rows for independent, which those of a cluster are "
                        "not; leave out --method lr, and whole clusters are permuted");
    return MST_OK;
}

static mst_status check_time(comparison *c)
{
    const mst_network_info *info = &c->e.model.info;
    const char *hypothesis = test_hypotheses[c->options.hypothesis];
    mst_status status = given_time(&c->e, &c->options.time);
    if (status != MST_OK)
        return status;
    if (c->frechet && c->options.time > 0)
        return mst_fail(MST_ARGUMENT, "the Frechet mean has no time; leave out --time%s",
                        option_given(c->e.inv, &option_test_kind)
                            ? ""
                            : " (there is no exact heat kernel here)");
    if (c->frechet && c->options.hypothesis != MST_EQUAL_MEANS)
        return mst_fail(
            MST_ARGUMENT, "the Frechet mean has no time to test%s; leave out --hypothesis %s",
            option_given(c->e.inv, &option_test_kind) ? ""
                                                      : ", and there is no exact heat kernel here",
            hypothesis);
    if (!c->frechet && c->e.model.net != NULL && info->t_min == info->t_max &&
        !(c->options.time > 0))
        return mst_fail(MST_ARGUMENT,
                        "%s knows one small time only, and the test of diffusion means needs the "
                        "time that the data have; train a model without --t",
                        c->e.model.score);
    if (c->options.time > 0 && c->options.hypothesis != MST_EQUAL_MEANS)
        return mst_fail(MST_ARGUMENT,
                        "with a fixed --time there is no time to test; leave out --hypothesis %s",
                        hypothesis);
    return MST_OK;
}

static mst_status set_options(comparison *c)
{
    const invocation *inv = c->e.inv;
    c->options = mst_test_options_default();
    c->options.hypothesis = (mst_hypothesis)option_get(inv, &option_hypothesis)->choice;
    c->options.permutations = (size_t)option_get(inv, &option_permutations)->count;
    c->options.seed = c->e.seed;
    c->options.threads = c->e.threads;
    c->frechet = option_given(inv, &option_test_kind)
                     ? option_get(inv, &option_test_kind)->choice == KIND_FRECHET
                     : default_is_frechet(&c->e);
    mst_status status = check_operands(inv);
    if (status == MST_OK)
        status = check_time(c);
    if (status == MST_OK)
        status = choose_method(c);
    return status == MST_OK ? open_source(&c->e, c->frechet, "--kind frechet works everywhere")
                            : status;
}

/* ---- Groups ---- */

static mst_status make_groups(comparison *c)
{
    const labelled_rows *rows = &c->rows;
    c->groups = rows->by != NULL ? rows->by->count : rows->files;
    if (c->groups < 2)
        return mst_fail(MST_ARGUMENT, "--by %s: there is one group only, '%s'; two are compared",
                        option_get(c->e.inv, &option_by)->text, rows->by->names[0]);
    c->names = calloc(c->groups, sizeof *c->names);
    c->sizes = calloc(c->groups, sizeof *c->sizes);
    c->group = calloc(rows->n, sizeof *c->group);
    if (c->names == NULL || c->sizes == NULL || c->group == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu groups", c->groups);
    for (size_t g = 0; g < c->groups; g++) {
        c->names[g] = rows->by != NULL ? rows->by->names[g] : operand_name(c->e.inv, g);
        for (size_t i = rows->first[g < rows->files ? g : 0];
             rows->by == NULL && i < rows->first[g + 1]; i++)
            c->group[i] = g;
    }
    for (size_t i = 0; i < rows->n; i++) {
        if (rows->by != NULL)
            c->group[i] = rows->by->index[i];
        c->sizes[c->group[i]]++;
    }
    c->options.clusters = rows->cluster;
    return MST_OK;
}

/* ---- Computing ---- */

static mst_status compute(comparison *c)
{
    bool many = c->options.method != MST_TEST_LR;
    double piece = many ? (double)c->options.permutations : 100;
    progress p = progress_start(c->e.inv, many ? "permutations" : "iterations", many ? piece : 0);
    c->options.progress = progress_callback(&p, piece);
    mst_status status = mst_sample_test(&c->result, c->e.source, c->rows.n, c->rows.x, c->groups,
                                        c->group, &c->options);
    progress_end(&p);
    return status == MST_CONVERGENCE && c->result != NULL ? MST_OK : status;
}

/* What a model does not know of the samples and their means. */
static mst_status judge_samples(comparison *c)
{
    size_t D = c->e.ambient;
    double *x;
    mst_status status = new_doubles(&x, c->rows.n, D);
    for (size_t g = 0; g < c->groups && status == MST_OK; g++) {
        size_t n = 0;
        for (size_t i = 0; i < c->rows.n; i++)
            if (c->group[i] == g)
                memcpy(x + D * n++, c->rows.x + D * i, D * sizeof *x);
        status = judge_mean(&c->e, MODEL_NO_ROWS, n, x, c->result->fits[g]);
    }
    free(x);
    return status;
}

/* ---- What there is to say ---- */

static void warn_of_test(const comparison *c)
{
    const mst_test_result *r = c->result;
    if ((r->notes & MST_TEST_NOTE_MODEL) != 0)
        warn(c->e.inv, "warning: the points are not spread like Brownian motion, equally in all "
                       "directions and with its tails, and the p-value is too small for that "
                       "reason; use --method permutation");
    else if ((r->notes & MST_TEST_NOTE_SMALL) != 0)
        warn(c->e.inv, "warning: the samples are too small for the chi-squared law, and the "
                       "p-value is too small for that reason; use --method permutation");
    if ((r->notes & MST_TEST_NOTE_COPIES) != 0)
        warn(c->e.inv,
             r->method == MST_TEST_LR
                 ? "warning: rows of a sample were written down several times, and the "
                   "p-value is too small for that reason; use --method permutation"
                 : "warning: rows of a sample were written down several times, and copies "
                   "of a row are taken for one");
    if ((r->notes & MST_TEST_NOTE_TOO_FEW) != 0 && !r->exhaustive)
        warn(c->e.inv,
             "warning: %zu permutations cannot have a p-value below %.3g; ask for more, such as "
             "--permutations 999",
             r->permutations, r->least_p_value);
    else if ((r->notes & MST_TEST_NOTE_TOO_FEW) != 0)
        warn(c->e.inv,
             "warning: so few %s cannot have a p-value below %.3g, however different the samples "
             "are",
             r->clusters > 0 ? "clusters" : "points", r->least_p_value);
}

/* Samples that have no mean to compare. */
static void warn_of_samples(const comparison *c)
{
    for (size_t g = 0; g < c->groups; g++) {
        const mst_mean_result *fit = c->result->fits[g];
        if ((fit->notes & MST_NOTE_MAYBE_UNIFORM) != 0)
            warn(c->e.inv,
                 "warning: %s: the points cannot be told from the uniform law, which has no mean",
                 c->names[g]);
        else if (fit->converged && !fit->unique)
            warn(c->e.inv, "warning: %s: the mean may not be unique, and one of them is compared",
                 c->names[g]);
    }
}

static mst_status conclude(comparison *c)
{
    char text[PROBLEM_TEXT];
    warn_of_samples(c);
    warn_of_test(c);
    for (size_t g = 0; g < c->groups; g++) {
        const char *problem = mean_problem(&c->e, c->result->fits[g], text);
        if (problem != NULL)
            return mst_fail(MST_CONVERGENCE, "%s: %s", c->names[g], problem);
    }
    return c->result->converged
               ? MST_OK
               : mst_fail(MST_CONVERGENCE, "the fit of what the samples have in common did not "
                                           "converge");
}

/* What has no meaning for one of the two kinds of tests is not left out in silence. */
static mst_status check_kind(const invocation *inv, bool uniform)
{
    const option *const of_samples[] = {&option_by,     &option_test_kind,    &option_hypothesis,
                                        &option_method, &option_permutations, &option_time_fit,
                                        &option_score,  &option_plot,         &option_plot_kind};
    char word[OPTION_WORD];
    for (size_t i = 0; uniform && i < sizeof of_samples / sizeof *of_samples; i++)
        if (option_given(inv, of_samples[i]))
            return mst_fail(MST_ARGUMENT, "--uniform is about one sample by itself; leave out %s",
                            option_word(of_samples[i], word));
    if (!uniform && (option_given(inv, &option_weights) || option_given(inv, &option_weights_are)))
        return mst_fail(MST_ARGUMENT, "samples are compared without weights; leave out --weights");
    return MST_OK;
}

/* The samples with the mean of each. */
static mst_status draw(comparison *c, plotting *p)
{
    mst_status status = plotting_begin(p);
    if (status == MST_OK)
        status = comparison_json(c, p->json);
    return status == MST_OK ? plotting_end(p, c->e.m, c->rows.n, c->rows.x, NULL, c->group)
                            : status;
}

static mst_status run(invocation *inv)
{
    bool uniform = option_given(inv, &option_uniform);
    mst_status sense = check_kind(inv, uniform);
    if (sense != MST_OK || uniform)
        return sense != MST_OK ? sense : test_uniform(inv);
    comparison c = {0};
    plotting p = {0};
    mst_status status = estimation_open(&c.e, inv);
    if (status == MST_OK)
        status = set_options(&c);
    if (status == MST_OK)
        status = report_open(&c.report, inv);
    if (status == MST_OK)
        status = plotting_open(&p, inv);
    if (status == MST_OK)
        status = read_labelled(&c.e, &c.rows);
    if (status == MST_OK)
        status = make_groups(&c);
    if (status == MST_OK)
        status = compute(&c);
    if (status == MST_OK)
        status = judge_samples(&c);
    if (status == MST_OK)
        status = c.report.json != NULL ? comparison_json(&c, c.report.json)
                                       : comparison_page(&c, c.report.text);
    if (status == MST_OK && p.path != NULL)
        status = draw(&c, &p);
    if (status == MST_OK)
        status = report_finish(&c.report);
    if (status == MST_OK)
        status = model_conclude(&c.e.model, conclude(&c));
    mst_test_result_free(c.result);
    free(c.names);
    free(c.sizes);
    free(c.group);
    labelled_free(&c.rows);
    plotting_close(&p);
    report_close(&c.report);
    estimation_close(&c.e);
    return status;
}

const command command_test = {
    .name = "test",
    .summary = "asks whether samples have the same mean or time",
    .usage = "--manifold SPEC [options] FILE FILE... | --by COLUMN [FILE]",
    .description =
        "Compares two or more samples of points on a manifold, one file each or the groups of one "
        "file (--by). Diffusion means and times are fitted to each sample alone and again under "
        "the hypothesis; the statistic is twice the difference of the log-likelihoods. With --kind "
        "frechet it is the sum of the squared distances of the means from their common one, each "
        "in units of its own squared standard error. A small p-value speaks against the "
        "hypothesis.\n\n"
        "The likelihood ratio (--method lr) assumes that samples are large and that points are "
        "spread like Brownian motion; permutations (--method permutation) assume only that under "
        "the hypothesis the samples are exchangeable.\n\n"
        "Rows that are repeated measures of one subject are not independent: name the subject with "
        "--cluster. If each subject lies in one sample, whole subjects are permuted; if each has "
        "rows in several (before and after, left and right), the test is paired, and they change "
        "places within the subjects.",
    .options =
        (const option *const[]){&option_space, &option_by, &option_cluster, &option_test_kind,
                                &option_hypothesis, &option_uniform, &option_weights,
                                &option_weights_are, &option_method, &option_permutations,
                                &option_time_fit, &option_score, POINT_OPTIONS, SHRINK_OPTIONS,
                                &option_seed, &option_threads, PLOT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 1000,
    .examples =
        (const example[]){
            {"Do two sets of directions have the same mean?",
             "manistat test --manifold sphere:2 data.csv new.csv"},
            {"The same for small samples, by permutation:",
             "manistat test --manifold sphere:2 --method permutation data.csv new.csv"},
            {"Are they spread equally far?", "manistat test --manifold sphere:2 --hypothesis time "
                                             "--json data.csv new.csv"},
            {"Groups of one file, by its column 'group':",
             "manistat test --manifold sphere:2 --kind frechet --by group labelled.csv"},
            {"Is there a mean at all, or are the directions uniform?",
             "manistat test --manifold sphere:2 --uniform data.csv"},
            {NULL, NULL},
        },
    .run = run,
};
