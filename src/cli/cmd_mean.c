/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "estimate.h"
#include "kernel.h"
#include "labelled.h"
#include "mean_examined.h"
#include "mean_holds.h"
#include "plotting.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of mst_mean_method and mst_covariance_kind. */
static const char *const methods[] = {"newton", "gradient", "adam", NULL};

static const option option_mean_kind = {
    .name = "kind",
    .kind = OPTION_CHOICE,
    .choices = mean_kinds,
    .value = "KIND",
    .example = "frechet",
    .help = "diffusion (maximum likelihood, with a time) or frechet (least squared distances); "
            "default: diffusion with a model and where the heat kernel has a closed form",
};

static const option option_method = {
    .name = "method",
    .kind = OPTION_CHOICE,
    .choices = methods,
    .value = "METHOD",
    .fallback = "newton",
    .example = "gradient",
    .help = "the optimiser: newton (in a trust region), gradient (plain ascent) or adam",
};

static const option option_start = {
    .name = "start",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "P",
    .example = "0,0,1",
    .help = "begin at this point, numbers joined by commas or a file with one row (default: the "
            "projected mean of the coordinates)",
};

static const option option_step_rate = {
    .name = "rate",
    .kind = OPTION_POSITIVE,
    .value = "R",
    .fallback = "0.1",
    .example = "0.01",
    .help = "step of the methods gradient and adam",
};

static const option option_normalise = {
    .name = "normalise",
    .kind = OPTION_FLAG,
    .help = "steps of --method gradient are --rate long, however long the gradient is: with --rate "
            "0.01 --iterations 100 the published Frechet step",
};

static const option option_start_time = {
    .name = "start-time",
    .kind = OPTION_POSITIVE,
    .value = "T",
    .example = "0.2",
    .help = "begin with this time (default: as the scatter of the points tells)",
};

static const option option_starts = {
    .name = "starts",
    .kind = OPTION_COUNT,
    .value = "K",
    .fallback = "4",
    .example = "10",
    .minimum = 1,
    .maximum = 1000,
    .help =
        "1: one climb, and nobody looks for other maxima; above 4: that many more climbs besides "
        "the search",
};

static const option option_time_per_factor = {
    .name = "time-per-factor",
    .kind = OPTION_FLAG,
    .help = "on a product, or a torus as the product of its circles: fit a time for each factor "
            "instead of one for all",
};

static const option option_retract = {
    .name = "retract",
    .kind = OPTION_FLAG,
    .help = "move by a retraction, a step in a chart or a projection, instead of along geodesics: "
            "cheaper where those are integrated, and the mean is the same. Not with models",
};

/* Rows of one group stand together. */
typedef struct group {
    const char *name; /* null: the whole file */
    size_t n;
    const double *x, *weights;
    const size_t *cluster;
    mst_mean_result *result;
    bool examined;
    mst_mean_examination examination;
    signed char *held; /* (asked.n) */
    char why[HOLDS_REASON];
} group;

typedef struct averaging {
    estimation e;
    bool frechet;
    mst_mean_options options;
    report report;
    size_t n, count;
    labelled_rows rows;
    double *weights, *start;
    asked_points asked;
    double *sorted, *sorted_weights; /* by group; null without groups */
    size_t *sorted_cluster;
    group *groups; /* (count) */
    kernel_choice kernel;
    plotting plot;
} averaging;

static mst_status check_time_per_factor(const averaging *a)
{
    const char *why = mst_manifold_factor_count(a->e.m) < 2 ? "the manifold is not a product"
                      : a->frechet                          ? "the Frechet mean has no time"
                      : a->options.time > 0                 ? "the time is fixed by --time"
                      : a->e.model.net != NULL ? "a network knows one time only; leave out --score"
                                               : NULL;
    return why == NULL ? MST_OK : mst_fail(MST_ARGUMENT, "--time-per-factor: %s", why);
}

static mst_status set_options(averaging *a)
{
    const invocation *inv = a->e.inv;
    mst_mean_options *o = &a->options;
    *o = mst_mean_options_default();
    o->method = (mst_mean_method)option_get(inv, &option_method)->choice;
    o->covariance = option_given(inv, &option_covariance)
                        ? (mst_covariance_kind)option_get(inv, &option_covariance)->choice
                        : mst_mean_default_covariance(a->e.m);
    o->weights_are = (mst_weight_meaning)option_get(inv, &option_weights_are)->choice;
    o->starts = (size_t)option_get(inv, &option_starts)->count;
    o->resamples = (size_t)option_get(inv, &option_resamples)->count;
    o->confidence = option_get(inv, &option_confidence)->number;
    o->rate = option_get(inv, &option_step_rate)->number;
    o->normalise = option_given(inv, &option_normalise);
    o->start_time = option_get(inv, &option_start_time)->number;
    o->seed = a->e.seed;
    o->threads = a->e.threads;
    if (option_given(inv, &option_iterations))
        o->iterations = (size_t)option_get(inv, &option_iterations)->count;
    if (o->method == MST_MEAN_NEWTON && (option_given(inv, &option_step_rate) || o->normalise))
        return mst_fail(MST_ARGUMENT, "--%s is for --method gradient%s",
                        o->normalise ? "normalise" : "rate", o->normalise ? "" : " or adam");
    if (!(o->confidence < 1))
        return mst_fail(
            MST_ARGUMENT,
            "--confidence must lie between 0 and 1, not %s; for example --confidence %s",
            option_get(inv, &option_confidence)->text, option_confidence.example);
    a->frechet = option_given(inv, &option_mean_kind)
                     ? option_get(inv, &option_mean_kind)->choice == KIND_FRECHET
                     : default_is_frechet(&a->e);
    mst_status status = given_time(&a->e, &o->time);
    if (status != MST_OK)
        return status;
    o->retract = option_given(inv, &option_retract);
    o->time_per_factor = option_given(inv, &option_time_per_factor);
    if (o->time_per_factor)
        status = check_time_per_factor(a);
    if (status != MST_OK)
        return status;
    if (a->frechet && o->time > 0)
        return mst_fail(
            MST_ARGUMENT, "the Frechet mean has no time; leave out --time%s",
            option_given(inv, &option_mean_kind) ? "" : " (there is no exact heat kernel here)");
    return open_source(&a->e, a->frechet, "--kind frechet works everywhere");
}

/* ---- Reading ---- */

static mst_status read_start(averaging *a)
{
    size_t count;
    if (!option_given(a->e.inv, &option_start))
        return MST_OK;
    mst_status status = read_point_option(a->e.inv, &option_start, a->e.m, &a->start, &count);
    if (status == MST_OK && count != 1)
        status = mst_fail(MST_FORMAT, "--start: %s holds %zu points; one is needed",
                          option_get(a->e.inv, &option_start)->text, count);
    a->options.start = a->start;
    return status;
}

/* Copies the rows group by group, in their order within each. */
static mst_status sort_rows(averaging *a)
{
    size_t D = a->e.ambient, at = 0;
    mst_status status = new_doubles(&a->sorted, a->n, D);
    if (status == MST_OK && a->weights != NULL)
        status = new_doubles(&a->sorted_weights, a->n, 1);
    size_t *next = calloc(a->count, sizeof *next);
    a->sorted_cluster = calloc(a->n + 1, sizeof *a->sorted_cluster);
    if (status == MST_OK && (next == NULL || a->sorted_cluster == NULL))
        status = mst_fail(MST_MEMORY, "not enough memory for %zu groups", a->count);
    const mst_labels *labels = a->rows.by;
    if (status == MST_OK) {
        for (size_t i = 0; i < a->n; i++)
            a->groups[labels->index[i]].n++;
        for (size_t g = 0; g < a->count; at += a->groups[g].n, g++) {
            a->groups[g].name = labels->names[g];
            a->groups[g].x = a->sorted + at * D;
            a->groups[g].weights = a->weights != NULL ? a->sorted_weights + at : NULL;
            a->groups[g].cluster = a->rows.cluster != NULL ? a->sorted_cluster + at : NULL;
            next[g] = at;
        }
        for (size_t i = 0; i < a->n; i++) {
            size_t to = next[labels->index[i]]++;
            memcpy(a->sorted + to * D, a->rows.x + i * D, D * sizeof *a->sorted);
            if (a->weights != NULL)
                a->sorted_weights[to] = a->weights[i];
            if (a->rows.cluster != NULL)
                a->sorted_cluster[to] = a->rows.cluster[i];
        }
    }
    free(next);
    return status;
}

static mst_status make_groups(averaging *a)
{
    a->count = a->rows.by != NULL ? a->rows.by->count : 1;
    a->groups = calloc(a->count, sizeof *a->groups);
    if (a->groups == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu groups", a->count);
    if (a->rows.by != NULL)
        return sort_rows(a);
    a->groups[0] =
        (group){.n = a->n, .x = a->rows.x, .weights = a->weights, .cluster = a->rows.cluster};
    return MST_OK;
}

/* ---- Computing ---- */

static mst_status fit_all(averaging *a)
{
    /* Iterations have no foreseeable end; groups and resamples do. */
    bool bootstrap = a->options.covariance == MST_COVARIANCE_BOOTSTRAP, groups = a->count > 1;
    double piece = bootstrap ? (double)a->options.resamples : groups ? 1 : 100;
    progress p = progress_start(a->e.inv,
                                bootstrap ? "resamples"
                                : groups  ? "groups"
                                          : "iterations",
                                bootstrap || groups ? piece * (double)a->count : 0);
    mst_status status = MST_OK;
    for (size_t i = 0; i < a->count && status == MST_OK; i++) {
        group *g = &a->groups[i];
        a->options.weights = g->weights;
        a->options.clusters = g->cluster;
        a->options.progress = progress_callback(&p, piece);
        status = mst_mean_fit(&g->result, a->e.source, g->n, g->x, &a->options);
        if (status == MST_CONVERGENCE && g->result != NULL)
            status = MST_OK; /* the result tells */
        else if (status != MST_OK && g->name != NULL)
            status = mst_fail(status, "group '%s': %s", g->name, mst_error_detail());
        if (status == MST_OK)
            status = progress_advance(&p, piece);
    }
    progress_end(&p);
    return status;
}

/* Fits by the expansion on manifolds that have their own way to check it. */
static mst_status examine_all(averaging *a)
{
    enum { PATHS = 150 };
    mst_status status = MST_OK;
    bool force = option_given(a->e.inv, &option_force);
    for (size_t i = 0; !a->frechet && i < a->count && status == MST_OK; i++) {
        group *g = &a->groups[i];
        if (!g->result->converged || !(g->result->time > 0))
            continue;
        status = mst_mean_examine(&g->examination, a->e.source, g->n, g->x, g->result, PATHS,
                                  a->e.seed, a->e.threads);
        g->examined = status == MST_OK;
        if (status == MST_UNABLE) /* nothing of the kind */
            return MST_OK;
        if (status == MST_OK && !force)
            status = examined_refuse(&g->examination);
    }
    return status;
}

/* A model may not know where the points are. */
static mst_status compare_with_training(averaging *a)
{
    mst_status status = MST_OK;
    for (size_t i = 0; i < a->count && status == MST_OK; i++) {
        const group *g = &a->groups[i];
        status = judge_mean(&a->e, a->rows.by != NULL ? MODEL_NO_ROWS : 0, g->n, g->x, g->result);
    }
    return status;
}

static mst_status answer_all(averaging *a)
{
    mst_status status = MST_OK;
    for (size_t i = 0; i < a->count && a->asked.n > 0 && status == MST_OK; i++) {
        group *g = &a->groups[i];
        g->held = calloc(a->asked.n, sizeof *g->held);
        if (g->held == NULL)
            return mst_fail(MST_MEMORY, "not enough memory for %zu points", a->asked.n);
        a->options.weights = g->weights;
        a->options.clusters = g->cluster;
        status = find_held(&a->e, &a->asked, g->result, g->n, g->x, &a->options, g->held, g->why);
    }
    return status;
}

/* ---- Writing ---- */

static mst_status write_json(const averaging *a, mst_json *j)
{
    mst_status status = MST_OK;
    json_member_string(j, "manifold", mst_manifold_spec(a->e.m));
    json_member_string(j, "kind", mean_kinds[a->frechet ? KIND_FRECHET : KIND_DIFFUSION]);
    json_member_string(j, "score", score_name(&a->e));
    json_member_string(j, "method", methods[a->options.method]);
    json_member_string(j, "covariance", covariance_words[a->groups[0].result->covariance_kind]);
    json_forms(&a->e, j);
    model_json_outside(&a->e.model, j);
    kernel_json(&a->kernel, j);
    if (a->rows.by == NULL && a->groups[0].examined)
        examined_json(j, &a->groups[0].examination);
    if (a->rows.by == NULL) {
        status = json_mean(&a->e, j, a->groups[0].result, a->options.confidence);
        return status != MST_OK
                   ? status
                   : json_held(&a->e, j, &a->asked, a->groups[0].held, a->groups[0].why);
    }
    json_member_integer(j, "n", a->n);
    mst_json_key(j, "groups");
    mst_json_array(j);
    for (size_t g = 0; g < a->count && status == MST_OK; g++) {
        mst_json_object(j);
        json_member_string(j, "group", a->groups[g].name);
        if (a->groups[g].examined)
            examined_json(j, &a->groups[g].examination);
        status = json_mean(&a->e, j, a->groups[g].result, a->options.confidence);
        if (status == MST_OK)
            status = json_held(&a->e, j, &a->asked, a->groups[g].held, a->groups[g].why);
        mst_json_end(j);
    }
    mst_json_end(j);
    return status;
}

static mst_status print_groups(const averaging *a, FILE *out)
{
    size_t times = a->options.time_per_factor ? mst_manifold_factor_count(a->e.m) : 1;
    named_mean *means = calloc(a->count, sizeof *means);
    if (means == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu groups", a->count);
    for (size_t g = 0; g < a->count; g++)
        means[g] = (named_mean){a->groups[g].name, a->groups[g].result};
    mst_status status = print_means(&a->e, out, a->count, means, a->frechet ? 0 : times);
    free(means);
    return status;
}

static mst_status write_page(averaging *a)
{
    FILE *out = a->report.text;
    kernel_print(&a->kernel, out);
    fprintf(out, "%s mean on %s, %zu point%s", a->frechet ? "Frechet" : "diffusion",
            mst_manifold_spec(a->e.m), a->n, a->n == 1 ? "" : "s");
    if (a->rows.by != NULL)
        fprintf(out, " in %zu group%s", a->count, a->count == 1 ? "" : "s");
    if (a->e.model.net != NULL)
        fprintf(out, ", by %s", a->e.model.score);
    fprintf(out, "\n\n");
    mst_status status = a->rows.by != NULL
                            ? print_groups(a, out)
                            : print_mean(&a->e, out, a->groups[0].result, a->options.confidence);
    for (size_t g = 0; g < a->count && status == MST_OK; g++)
        status = print_held(&a->e, out, &a->asked, a->groups[g].name, a->groups[g].held,
                            a->groups[g].why);
    if (a->rows.by == NULL && a->groups[0].examined)
        examined_print(out, mst_manifold_dim(a->e.m), &a->groups[0].examination);
    model_print_outside(&a->e.model, out);
    return status;
}

/* A row for each mean, to -o FILE.csv and the like. */
static mst_status write_means(averaging *a)
{
    mst_status status = MST_OK;
    for (size_t g = 0; g < a->count && status == MST_OK; g++)
        status = report_points(&a->report, &a->e, 1, a->groups[g].result->mean,
                               a->rows.by != NULL ? &a->groups[g].name : NULL);
    return status;
}

/* Which group each of the sorted rows is of. */
static mst_status draw(averaging *a)
{
    size_t *labels = NULL, at = 0;
    if (a->plot.path == NULL)
        return MST_OK;
    if (a->rows.by != NULL && (labels = calloc(a->n + 1, sizeof *labels)) == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu labels", a->n);
    for (size_t g = 0; labels != NULL && g < a->count; g++)
        for (size_t i = 0; i < a->groups[g].n; i++)
            labels[at++] = g;
    mst_status status = plotting_begin(&a->plot);
    if (status == MST_OK)
        status = write_json(a, a->plot.json);
    if (status == MST_OK)
        status = plotting_end(&a->plot, a->e.m, a->n, a->sorted != NULL ? a->sorted : a->rows.x,
                              a->sorted != NULL ? a->sorted_weights : a->weights, labels);
    free(labels);
    return status;
}

static void warn_of_set(const averaging *a, const group *g)
{
    const mst_mean_result *r = g->result;
    bool known = r->uniqueness != MST_UNIQUENESS_NOT_ESTABLISHED;
    char text[200];
    if (known && r->set_size > 1)
        snprintf(text, sizeof text, "the mean is not unique; %zu were found", r->set_size);
    else if (known)
        snprintf(text, sizeof text, "the mean is not unique; points next to it are equally good");
    else if (r->set_size > 1)
        snprintf(text, sizeof text,
                 "the mean may not be unique: the data do not tell it from %zu other%s",
                 r->set_size - 1, r->set_size > 2 ? "s" : "");
    else if ((r->notes & MST_NOTE_MAYBE_UNIFORM) != 0)
        return; /* which has been said */
    else if (r->bridge_paths > 0 && mst_manifold_traits_of(a->e.m)->hadamard == MST_YES)
        snprintf(text, sizeof text,
                 "the noise of %zu paths hides the mean; take more, --score bridge?paths=M",
                 r->bridge_paths);
    else if (isnan(mst_manifold_injectivity(a->e.m)))
        snprintf(
            text, sizeof text,
            "whether the mean is unique was not established: how far geodesics are minimal is not "
            "known here; compare means from several --start points");
    else
        snprintf(text, sizeof text,
                 "whether the mean is unique was not established; try more --starts");
    warn(a->e.inv, "warning: %s%s%s%s", g->name != NULL ? "group '" : "",
         g->name != NULL ? g->name : "", g->name != NULL ? "': " : "", text);
}

/* What the user should know besides the numbers: means that are not unique, and the first that is none. */
static mst_status conclude(averaging *a)
{
    const char *name = NULL;
    char text[PROBLEM_TEXT], first[PROBLEM_TEXT] = "";
    size_t problems = 0;
    for (size_t i = 0; i < a->count; i++) {
        const char *problem = mean_problem(&a->e, a->groups[i].result, text);
        if (problem == NULL)
            warn_of_notes(&a->e, a->groups[i].name, a->groups[i].result);
        if (a->groups[i].examined)
            examined_warn(&a->e, &a->groups[i].examination);
        if (problem == NULL && !a->groups[i].result->unique)
            warn_of_set(a, &a->groups[i]);
        if (problem != NULL && problems++ == 0) {
            name = a->groups[i].name;
            snprintf(first, sizeof first, "%s", problem);
        }
    }
    if (problems == 0)
        return MST_OK;
    if (name == NULL)
        return mst_fail(MST_CONVERGENCE, "%s", first);
    return mst_fail(MST_CONVERGENCE, "%zu of %zu groups; the first is '%s': %s", problems, a->count,
                    name, first);
}

static mst_status run(invocation *inv)
{
    averaging a = {0};
    mst_status status = kernel_resolve(&a.kernel, inv);
    if (status == MST_OK && option_given(inv, &option_time_per_factor))
        status = torus_as_product(inv);
    if (status == MST_OK)
        status = estimation_open(&a.e, inv);
    if (status == MST_OK)
        status = set_options(&a);
    if (status == MST_OK)
        status = plotting_open(&a.plot, inv);
    if (status == MST_OK)
        status = report_open_points(&a.report, &a.e, option_given(inv, &option_by));
    if (status == MST_OK)
        status = read_start(&a);
    if (status == MST_OK)
        status = asked_points_read(&a.e, &a.asked);
    if (status == MST_OK)
        status = read_labelled(&a.e, &a.rows);
    a.n = a.rows.n;
    if (status == MST_OK)
        status = read_weights(&a.e, a.n, &a.weights);
    if (status == MST_OK)
        status = make_groups(&a);
    if (status == MST_OK)
        status = fit_all(&a);
    if (status == MST_OK)
        status = examine_all(&a);
    if (status == MST_OK)
        status = compare_with_training(&a);
    if (status == MST_OK)
        status = answer_all(&a);
    if (status == MST_OK)
        status = a.report.json != NULL ? write_json(&a, a.report.json) : write_page(&a);
    if (status == MST_OK)
        status = write_means(&a);
    if (status == MST_OK)
        status = draw(&a);
    if (status == MST_OK)
        status = report_finish(&a.report);
    if (status == MST_OK)
        status = plotting_conclude(&a.plot, model_conclude(&a.e.model, conclude(&a)));
    for (size_t g = 0; a.groups != NULL && g < a.count; g++) {
        mst_mean_result_free(a.groups[g].result);
        free(a.groups[g].held);
    }
    asked_points_free(&a.asked);
    free(a.groups);
    free(a.sorted);
    free(a.sorted_weights);
    free(a.sorted_cluster);
    free(a.weights);
    free(a.start);
    labelled_free(&a.rows);
    report_close(&a.report);
    plotting_close(&a.plot);
    estimation_close(&a.e);
    kernel_free(&a.kernel);
    return status;
}

const command command_mean = {
    .name = "mean",
    .summary = "estimates means with error bars",
    .usage = "--manifold SPEC [options] [FILE]",
    .description =
        "Estimates the centre of points on a manifold, one point per row of the FILE. The "
        "diffusion mean is the start from which Brownian motion (generator half the "
        "Laplace-Beltrami operator) would most likely have reached the points after the time t, "
        "the diffusion variance, which is estimated with it: the maximum of the sum of "
        "log p_t(x_i, mean). In flat space these are the ordinary mean and the variance per "
        "coordinate. The Frechet mean minimises the sum of squared distances; it needs no heat "
        "kernel and has no time.\n\n"
        "The standard error is the root of the trace of the covariance of the mean in its tangent "
        "space; --json has the whole matrix with its basis, the confidence region, AIC and BIC. If "
        "the mean is not unique, all equally good ones are reported; if the data do not tell it "
        "from "
        "another, those that they do not tell apart. If all points coincide the "
        "time goes to zero, and if they look uniform it goes to infinity; the exit status is then "
        "1.",
    .options =
        (const option *const[]){&option_space,           &option_mean_kind,   &option_time_fit,
                                &option_time_per_factor, &option_by,          &option_cluster,
                                &option_weights,         &option_weights_are, &option_covariance,
                                &option_confidence,      &option_holds,       &option_resamples,
                                &option_method,          &option_sigma,       &option_nugget,
                                &option_start,           &option_starts,      &option_iterations,
                                &option_step_rate,       &option_normalise,   &option_start_time,
                                &option_retract,         &option_score,       POINT_OPTIONS,
                                SHRINK_OPTIONS,          PLOT_OPTIONS,        &option_seed,
                                &option_threads,         OUTPUT_OPTIONS,      NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Where do these directions come from, and how far do they spread?",
             "manistat mean --manifold sphere:2 data.csv"},
            {"The Frechet mean of covariance matrices, for a script:",
             "manistat mean --manifold spd:3 --kind frechet --json matrices.csv"},
            {"One mean per group, by the column 'group' of the same file:",
             "manistat mean --manifold sphere:2 --by group labelled.csv"},
            {"Angles in degrees; errors that do not rely on the model:",
             "manistat mean --manifold circle --degrees --covariance sandwich angles.csv"},
            {"With a model made by 'manistat train', which knows its manifold:",
             "manistat mean --score model.safetensors data.csv"},
            {NULL, NULL},
        },
    .run = run,
};
