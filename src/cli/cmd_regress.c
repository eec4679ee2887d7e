/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "plotting.h"
#include "regress_line.h"
#include "regress_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const curves[] = {"geodesic", "network", NULL};
enum { CURVE_GEODESIC, CURVE_NETWORK };
static const char *const noises[] = {"constant", "loglinear"};

static const option option_curve = {
    .name = "curve",
    .kind = OPTION_CHOICE,
    .choices = curves,
    .value = "CURVE",
    .fallback = "geodesic",
    .example = "geodesic",
    .help =
        "what the points follow: geodesic (Exp of a linear combination of velocities) or network "
        "(a multilayer perceptron)",
};

const option option_calibration = {
    .name = "calibration",
    .kind = OPTION_FLAG,
    .help = "test whether the points are as far from their predictions as the model says",
};

static const option option_regress_kind = {
    .name = "kind",
    .kind = OPTION_CHOICE,
    .choices = mean_kinds,
    .value = "KIND",
    .example = "frechet",
    .help = "diffusion (maximum likelihood) or frechet (least squared distances, the limit of "
            "little noise); default: diffusion with a model and where the heat kernel has a closed "
            "form",
};

typedef struct regression {
    estimation e;
    bool frechet;
    mst_regress_options options;
    report report;
    regress_rows rows;
    double *origin, *new_x;
    size_t new_n;
    mst_regress_result *result;
    regress_predictions predictions;
    regress_line line;
    plotting plot;
    bool calibrated;
    mst_calibration calibration;
} regression;

static mst_status set_options(regression *a)
{
    const invocation *inv = a->e.inv;
    mst_regress_options *o = &a->options;
    *o = mst_regress_options_default();
    bool network = option_get(inv, &option_curve)->choice == CURVE_NETWORK;
    size_t noise = option_get(inv, &option_noise)->choice;
    if (!network && noise == NOISE_NETWORK)
        return mst_fail(MST_ARGUMENT, "--noise network goes with --curve network");
    o->noise = noise == NOISE_LOGLINEAR ? MST_REGRESS_LOGLINEAR : MST_REGRESS_CONSTANT;
    o->covariance = (mst_covariance_kind)option_get(inv, &option_covariance)->choice;
    o->resamples = (size_t)option_get(inv, &option_resamples)->count;
    o->confidence = option_get(inv, &option_confidence)->number;
    o->seed = a->e.seed;
    o->threads = a->e.threads;
    if (option_given(inv, &option_iterations))
        o->iterations = (size_t)option_get(inv, &option_iterations)->count;
    if (!(o->confidence < 1))
        return mst_fail(
            MST_ARGUMENT,
            "--confidence must lie between 0 and 1, not %s; for example --confidence %s",
            option_get(inv, &option_confidence)->text, option_confidence.example);
    a->frechet = option_given(inv, &option_regress_kind)
                     ? option_get(inv, &option_regress_kind)->choice == KIND_FRECHET
                     : default_is_frechet(&a->e);
    if (a->frechet && o->noise != MST_REGRESS_CONSTANT)
        return mst_fail(MST_ARGUMENT, "--noise %s needs a likelihood; --kind diffusion has one",
                        noises[o->noise]);
    return open_source(&a->e, a->frechet, "--kind frechet works everywhere");
}

static mst_status check_files(const invocation *inv)
{
    if (!option_given(inv, &option_y))
        return mst_fail(MST_ARGUMENT,
                        "--y is missing: the file with the points, for example --y %s",
                        option_y.example);
    if (!option_given(inv, &option_x))
        return mst_fail(MST_ARGUMENT,
                        "--x is missing: the file with the covariates, for example --x %s",
                        option_x.example);
    return MST_OK;
}

static mst_status read_all(regression *a)
{
    mst_status status = regress_read(&a->e, &a->rows);
    if (status == MST_OK)
        status = regress_read_origin(a->e.inv, a->rows.k, &a->origin);
    if (status == MST_OK)
        status = regress_read_predict(a->e.inv, a->rows.terms, &a->new_n, &a->new_x);
    a->options.origin = a->origin;
    a->options.names = a->rows.names;
    a->options.groups = a->rows.groups;
    a->options.clusters = a->rows.cluster;
    return status;
}

static mst_status fit(regression *a)
{
    bool bootstrap = a->options.covariance == MST_COVARIANCE_BOOTSTRAP;
    progress p = progress_start(a->e.inv, bootstrap ? "resamples" : "iterations",
                                bootstrap ? (double)a->options.resamples : 0);
    a->options.progress = progress_callback(&p, bootstrap ? (double)a->options.resamples : 100);
    mst_status status = mst_regress_fit(&a->result, a->e.source, a->rows.n, a->rows.y, a->rows.k,
                                        a->rows.x, &a->options);
    progress_end(&p);
    if (status == MST_CONVERGENCE && a->result != NULL)
        status = MST_OK; /* the result tells */
    if (status != MST_OK || a->new_n == 0)
        return status;
    status = regress_predictions_new(&a->predictions, a->new_n, a->result->dim, a->e.ambient);
    return status == MST_OK
               ? mst_regress_predict(a->result, a->e.source, a->new_n, a->new_x, &a->predictions.at)
               : status;
}

/* Noise that was fitted to the same points. */
static mst_status calibrate(regression *a)
{
    const mst_regress_result *r = a->result;
    a->calibrated = option_given(a->e.inv, &option_calibration) && r->converged &&
                    r->noise_limit == MST_TIME_FINITE;
    if (!a->calibrated)
        return MST_OK;
    return mst_regress_calibrate(&a->calibration, a->e.m, r->n, a->rows.y, r->fitted,
                                 r->fitted_noise, true, a->e.seed, NULL);
}

/* A model may not know where the points are. */
static mst_status compare_with_training(regression *a)
{
    const mst_regress_result *r = a->result;
    mst_pairs pairs = {.n = r->n, .x = a->rows.y, .y = r->fitted, .y_stride = a->e.ambient};
    return model_judge(&a->e.model, a->rows.dropped > 0 ? MODEL_NO_ROWS : 0, &pairs, r->noise);
}

static mst_status write_json(const regression *a, mst_json *j)
{
    json_member_string(j, "manifold", mst_manifold_spec(a->e.m));
    json_member_string(j, "kind", mean_kinds[a->frechet ? KIND_FRECHET : KIND_DIFFUSION]);
    json_member_string(j, "score", score_name(&a->e));
    json_member_string(j, "curve", curves[option_get(a->e.inv, &option_curve)->choice]);
    json_member_string(j, "noise_model", noises[a->options.noise]);
    json_forms(&a->e, j);
    model_json_outside(&a->e.model, j);
    if (a->calibrated)
        regress_json_calibration(j, &a->calibration);
    mst_status status = regress_json(&a->e, j, &a->rows, a->result, &a->predictions);
    return status == MST_OK ? regress_line_json(&a->e, j, &a->rows, &a->line) : status;
}

static mst_status draw(regression *a)
{
    if (a->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&a->plot);
    if (status == MST_OK)
        status = write_json(a, a->plot.json);
    return status == MST_OK ? plotting_end(&a->plot, a->e.m, a->rows.n, a->rows.y, NULL, NULL)
                            : status;
}

static mst_status write_result(regression *a)
{
    if (a->report.json != NULL)
        return write_json(a, a->report.json);
    FILE *out = a->report.text;
    fprintf(out, "%s regression on %s, %zu points, %s\n\n",
            curves[option_get(a->e.inv, &option_curve)->choice], mst_manifold_spec(a->e.m),
            a->rows.n, a->frechet ? "least squares" : "maximum likelihood");
    mst_status status = regress_page(&a->e, out, &a->rows, a->result, &a->predictions);
    if (a->calibrated)
        regress_print_calibration(out, &a->calibration);
    model_print_outside(&a->e.model, out);
    return status;
}

static mst_status conclude(const regression *a)
{
    const mst_regress_result *r = a->result;
    regress_warn(&a->e, &a->rows, r, &a->predictions);
    if (r->converged)
        return MST_OK;
    if (r->noise_limit == MST_TIME_ZERO)
        return mst_fail(MST_CONVERGENCE, "the points lie on a curve but for rounding: there is no "
                                         "noise to estimate; --kind frechet needs none");
    if (r->noise_limit == MST_TIME_INFINITY)
        return mst_fail(MST_CONVERGENCE,
                        "about the curve the points are spread uniformly: the noise "
                        "runs to infinity");
    if (r->uniform_p_value > 0.05)
        return mst_fail(
            MST_CONVERGENCE,
            "the points cannot be told from uniform ones, which have no mean (p = %.2g): "
            "there is no curve, and the fit has not converged to one",
            r->uniform_p_value);
    return mst_fail(MST_CONVERGENCE,
                    "no convergence after %zu iterations, the gradient is still %.2g; try more "
                    "--iterations",
                    r->iterations, r->gradient_norm);
}

static mst_status run(invocation *inv)
{
    regression a = {0};
    if (!option_given(inv, &option_y) && option_given(inv, &option_model))
        return regress_reuse(inv, option_get(inv, &option_confidence)->number);
    mst_status status = check_files(inv);
    if (status != MST_OK)
        return status;
    status = estimation_open(&a.e, inv);
    if (status == MST_OK)
        status = set_options(&a);
    if (status == MST_OK)
        status = plotting_open(&a.plot, inv);
    if (status == MST_OK)
        status = report_open_points(&a.report, &a.e, false);
    if (status == MST_OK && option_get(inv, &option_curve)->choice == CURVE_NETWORK) {
        status = regress_train(&a.e, a.frechet, &a.report, a.options.confidence);
        if (status == MST_OK && a.plot.path != NULL)
            status = mst_fail(MST_UNABLE, "no picture: there is none of --curve network itself; "
                                          "draw the predictions of a saved result by plot");
        report_close(&a.report);
        plotting_close(&a.plot);
        estimation_close(&a.e);
        return status;
    }
    if (status == MST_OK)
        status = read_all(&a);
    if (status == MST_OK)
        status = fit(&a);
    if (status == MST_OK)
        status = regress_density(&a.e, &a.predictions);
    if (status == MST_OK)
        status = calibrate(&a);
    if (status == MST_OK)
        status = compare_with_training(&a);
    bool drawn = a.report.json != NULL || a.plot.path != NULL; /* a page does not show the line */
    if (status == MST_OK && drawn)
        status = regress_line_make(&a.line, &a.e, &a.rows, a.result);
    if (status == MST_OK)
        status = write_result(&a);
    if (status == MST_OK && a.predictions.n > 0)
        status = report_points(&a.report, &a.e, a.predictions.n, a.predictions.at.points, NULL);
    else if (status == MST_OK)
        status = report_points(&a.report, &a.e, a.rows.n, a.result->fitted, NULL);
    if (status == MST_OK)
        status = draw(&a);
    if (status == MST_OK)
        status = report_finish(&a.report);
    if (status == MST_OK)
        status = plotting_conclude(&a.plot, model_conclude(&a.e.model, conclude(&a)));
    mst_regress_result_free(a.result);
    regress_predictions_free(&a.predictions);
    regress_line_free(&a.line);
    regress_rows_free(&a.rows);
    free(a.origin);
    free(a.new_x);
    report_close(&a.report);
    plotting_close(&a.plot);
    estimation_close(&a.e);
    return status;
}

const command command_regress = {
    .name = "regress",
    .summary = "fits curves to points and covariates",
    .usage = "--manifold SPEC --y FILE --x FILE [options]",
    .description =
        "Regression of points on a manifold against covariates, by maximum likelihood: the point "
        "of "
        "row i is where Brownian motion from f(x_i) is at the time sigma^2. The curve is "
        "f(x) = Exp_m(sum of (x_j - o_j) v_j), with the intercept m at the origin o and a velocity "
        "v_j for each term. In flat space this is linear regression. --kind frechet minimises the "
        "squared distances instead, which needs no heat kernel.\n\n"
        "Each term has the speed at which it moves the point, a standard error and a p value, by "
        "the likelihood ratio or, for least squares and clusters, from the covariance. --json has "
        "the velocities, the covariance of all parameters with its basis, residuals and leverage. "
        "With one term another --origin is the same curve seen from elsewhere; with several on a "
        "curved space it is another model.",
    .options = (const option *const[]){&option_space,
                                       &option_y,
                                       &option_x,
                                       &option_columns,
                                       &option_terms,
                                       &option_curve,
                                       &option_noise,
                                       &option_regress_kind,
                                       &option_origin,
                                       &option_predict,
                                       &option_density,
                                       &option_calibration,
                                       &option_regress_cluster,
                                       &option_drop_missing,
                                       &option_covariance,
                                       &option_confidence,
                                       &option_resamples,
                                       &option_iterations,
                                       NETWORK_OPTIONS,
                                       &option_score,
                                       POINT_OPTIONS,
                                       SHRINK_OPTIONS,
                                       &option_seed,
                                       &option_threads,
                                       PLOT_OPTIONS,
                                       OUTPUT_OPTIONS,
                                       NULL},
    .max_operands = 0,
    .examples =
        (const example[]){
            {"How do directions move with a number and a factor?",
             "manistat regress --manifold sphere:2 --y y.csv --x x.csv --terms 'age + sex'"},
            {"Rows of one subject depend on each other:",
             "manistat regress --manifold sphere:2 --y y.csv --x x.csv --cluster subject"},
            {"Where are other rows to be expected?",
             "manistat regress --manifold sphere:2 --y y.csv --x x.csv --predict x.csv"},
            {NULL, NULL},
        },
    .run = run,
};
