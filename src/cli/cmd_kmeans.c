/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "clusters.h"
#include "commands.h"
#include "plotting.h"
#include "util/json.h"

#include <stdlib.h>
#include <string.h>

static const option option_k = {
    .letter = 'k',
    .kind = OPTION_COUNT,
    .value = "K",
    .example = "3",
    .minimum = 1,
    .maximum = 1000000000,
    .help = "number of clusters; required, unless --assign is given",
};

static const option option_centre_kind = {
    .name = "kind",
    .kind = OPTION_CHOICE,
    .choices = mean_kinds,
    .value = "KIND",
    .fallback = "frechet",
    .example = "diffusion",
    .help = "centres are frechet means, or diffusion means with a time each",
};

static const option option_restarts = {
    .name = "restarts",
    .kind = OPTION_COUNT,
    .value = "R",
    .fallback = "10",
    .example = "50",
    .minimum = 1,
    .maximum = 1000000,
    .help = "start R times from random centres and keep the best",
};

typedef struct clustering {
    estimation e;
    cluster_output output;
    plotting plot;
    size_t n, k;
    double *x, *weights;
    mst_kmeans_result *fit; /* null with --assign */
    saved_clusters saved;   /* with --assign */
    size_t *labels, *sizes; /* with --assign */
    double inertia;
    double *spreads; /* (k), if somebody wants to see them */
} clustering;

static mst_status assign(clustering *c)
{
    double *squared;
    c->k = c->saved.k;
    mst_status status = new_doubles(&squared, c->n, 1);
    c->labels = calloc(c->n, sizeof *c->labels);
    c->sizes = calloc(c->k, sizeof *c->sizes);
    if (status == MST_OK && (c->labels == NULL || c->sizes == NULL))
        status = mst_fail(MST_MEMORY, "not enough memory for %zu labels", c->n);
    if (status == MST_OK)
        status = mst_kmeans_assign(c->e.m, c->k, c->saved.centres, c->n, c->x, c->e.threads,
                                   c->labels, squared);
    for (size_t i = 0; i < c->n && status == MST_OK; i++) {
        c->inertia += squared[i];
        c->sizes[c->labels[i]]++;
    }
    free(squared);
    return status;
}

/* ---- Clusters from the points ---- */

static mst_status fit(clustering *c)
{
    const invocation *inv = c->e.inv;
    mst_kmeans_options o = mst_kmeans_options_default();
    o.k = c->k;
    o.kind = c->e.source;
    o.restarts = (size_t)option_get(inv, &option_restarts)->count;
    if (option_given(inv, &option_iterations))
        o.iterations = (size_t)option_get(inv, &option_iterations)->count;
    o.weights = c->weights;
    o.weights_are = (mst_weight_meaning)option_get(inv, &option_weights_are)->choice;
    o.seed = c->e.seed;
    o.threads = c->e.threads;
    progress p = progress_start(inv, "restarts", (double)o.restarts);
    o.progress = progress_callback(&p, (double)o.restarts);
    mst_status status = check_k(inv, c->k, c->n);
    if (status == MST_OK)
        status = mst_kmeans_fit(&c->fit, c->e.m, c->n, c->x, &o);
    progress_end(&p);
    return status == MST_CONVERGENCE && c->fit != NULL ? MST_OK : status;
}

static mst_status compare_with_training(clustering *c)
{
    const mst_kmeans_result *f = c->fit;
    return judge_clusters(&c->e, c->n, c->x, f->labels, f->k, f->centres, f->times);
}

static mst_status prepare(clustering *c)
{
    const invocation *inv = c->e.inv;
    bool saved = option_given(inv, &option_assign);
    const option *const of_fits[] = {&option_k,          &option_centre_kind, &option_restarts,
                                     &option_iterations, &option_weights,     &option_weights_are,
                                     &option_score};
    char word[OPTION_WORD];
    for (size_t i = 0; saved && i < sizeof of_fits / sizeof *of_fits; i++)
        if (option_given(inv, of_fits[i]))
            return mst_fail(MST_ARGUMENT, "--assign has its centres already; leave out %s",
                            option_word(of_fits[i], word));
    if (!saved && !option_given(inv, &option_k))
        return mst_fail(MST_ARGUMENT, "-k K is missing; for example -k %s", option_k.example);
    c->k = (size_t)option_get(inv, &option_k)->count;
    bool frechet = option_get(inv, &option_centre_kind)->choice == KIND_FRECHET;
    if (!frechet || c->e.model.net != NULL) {
        mst_status status = open_source(&c->e, frechet, "--kind frechet works everywhere");
        if (status != MST_OK)
            return status;
    }
    mst_status status = plotting_open(&c->plot, c->e.inv);
    return status == MST_OK ? cluster_output_open(&c->output, c->e.inv) : status;
}

static const double *centres_of(const clustering *c)
{
    return c->fit != NULL ? c->fit->centres : c->saved.centres;
}

static const size_t *labels_of(const clustering *c)
{
    return c->fit != NULL ? c->fit->labels : c->labels;
}

static mst_status write_members(const clustering *c, mst_json *j)
{
    const mst_kmeans_result *f = c->fit;
    json_forms(&c->e, j);
    if (f != NULL)
        json_member_string(j, "kind", option_get(c->e.inv, &option_centre_kind)->text);
    if (c->e.source != NULL)
        json_member_string(j, "score", score_name(&c->e));
    model_json_outside(&c->e.model, j);
    json_member_integer(j, "k", c->k);
    json_member_integer(j, "n", c->n);
    mst_status status = json_member_points(&c->e, j, "centres", c->k, centres_of(c));
    json_member_number(j, "inertia", f != NULL ? f->inertia : c->inertia);
    json_member_sizes(j, "sizes", c->k, f != NULL ? f->sizes : c->sizes);
    if (status == MST_OK)
        status = json_spreads(&c->e, j, c->k, c->spreads);
    if (f != NULL) {
        json_member_numbers(j, "times", f->k, f->times);
        json_member_integer(j, "iterations", f->iterations);
        json_member_integer(j, "restarts", f->restarts);
        json_member_bool(j, "converged", f->converged);
        json_member_string(j, "end", fit_end_word(f->end));
    }
    return status;
}

static mst_status summarise(const clustering *c, FILE *out)
{
    const mst_kmeans_result *f = c->fit;
    bool diffusion = f != NULL && option_get(c->e.inv, &option_centre_kind)->choice != KIND_FRECHET;
    cluster_table t = {.k = c->k,
                       .centres = centres_of(c),
                       .sizes = f != NULL ? f->sizes : c->sizes,
                       .times = diffusion ? f->times : NULL,
                       .spreads = c->spreads,
                       .name = "cluster"};
    fprintf(out, "%zu cluster%s on %s, %zu point%s%s\n\n", c->k, c->k == 1 ? "" : "s",
            mst_manifold_spec(c->e.m), c->n, c->n == 1 ? "" : "s",
            f == NULL ? ", by the centres of a saved result" : "");
    mst_status status = print_clusters(&c->e, out, &t);
    fprintf(out, "\ninertia %.8g%s (sum of squared distances)", f != NULL ? f->inertia : c->inertia,
            lengths_in_degrees(&c->e) ? " radians squared" : "");
    if (f != NULL)
        fprintf(out, "; best of %zu start%s, %s after %zu iteration%s", f->restarts,
                f->restarts == 1 ? "" : "s", f->converged ? "converged" : "not converged",
                f->iterations, f->iterations == 1 ? "" : "s");
    fputc('\n', out);
    return status;
}

static mst_status draw(clustering *c)
{
    if (c->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&c->plot);
    if (status == MST_OK)
        status = write_members(c, c->plot.json);
    if (status == MST_OK)
        json_member_sizes(c->plot.json, "labels", c->n, labels_of(c));
    return status == MST_OK ? plotting_end(&c->plot, c->e.m, c->n, c->x, c->weights, NULL) : status;
}

static mst_status finish(clustering *c)
{
    mst_json *j;
    mst_status status =
        cluster_output_labels(&c->output, mst_manifold_spec(c->e.m), c->n, labels_of(c), &j);
    if (status == MST_OK && (j != NULL || c->output.text != NULL || c->plot.path != NULL)) {
        status = new_doubles(&c->spreads, c->k, 1);
        if (status == MST_OK)
            status = cluster_spreads(&c->e, c->n, c->x, c->weights, c->k, centres_of(c),
                                     labels_of(c), NULL, c->spreads);
    }
    if (status == MST_OK && j != NULL)
        status = write_members(c, j);
    if (status == MST_OK && c->output.text != NULL)
        status = summarise(c, c->output.text);
    if (status == MST_OK)
        status = draw(c);
    if (status == MST_OK)
        status = cluster_output_finish(&c->output);
    if (status == MST_OK && c->fit != NULL && !c->fit->converged)
        status = mst_fail(MST_CONVERGENCE,
                          "labels still change after %zu iterations; try more --iterations",
                          c->fit->iterations);
    return plotting_conclude(&c->plot, model_conclude(&c->e.model, status));
}

static mst_status run(invocation *inv)
{
    clustering c = {0};
    mst_status status = estimation_open(&c.e, inv);
    if (status == MST_OK)
        status = prepare(&c);
    bool saved = option_given(inv, &option_assign);
    if (status == MST_OK && saved)
        status = saved_read(&c.e, false, &c.saved);
    if (status == MST_OK)
        status = read_points(&c.e, 0, &c.x, &c.n);
    if (status == MST_OK)
        status = read_weights(&c.e, c.n, &c.weights);
    if (status == MST_OK)
        status = saved ? assign(&c) : fit(&c);
    if (status == MST_OK && !saved)
        status = compare_with_training(&c);
    if (status == MST_OK)
        status = finish(&c);
    mst_kmeans_result_free(c.fit);
    saved_free(&c.saved);
    free(c.spreads);
    free(c.labels);
    free(c.sizes);
    free(c.weights);
    mst_points_free(c.x);
    cluster_output_close(&c.output);
    plotting_close(&c.plot);
    estimation_close(&c.e);
    return status;
}

const command command_kmeans = {
    .name = "kmeans",
    .summary = "finds clusters by Riemannian k-means",
    .usage = "--manifold SPEC -k K [options] [FILE]",
    .description =
        "Splits the points of the FILE into K clusters, each point with its nearest centre and "
        "each centre the mean of its points. On a terminal, a summary is printed: size, spread "
        "(root mean squared distance) and centre of each. A pipe gets one label per row, counted "
        "from 0; with -o FILE the labels go there and the summary to standard output. Clusters are "
        "numbered by decreasing size. --json has all of it, with the inertia, which is the sum of "
        "squared distances to the centres.\n\n"
        "--assign labels new points by the centres of an earlier result.",
    .options = (const option *const[]){&option_space, &option_k, &option_centre_kind,
                                       &option_restarts, &option_iterations, &option_weights,
                                       &option_weights_are, &option_assign, &option_labels,
                                       &option_score, POINT_OPTIONS, SHRINK_OPTIONS, &option_seed,
                                       &option_threads, PLOT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Two clusters of directions, a label for each in a file, and a summary:",
             "manistat kmeans --manifold sphere:2 -k 2 data.csv -o labels.csv"},
            {"Save the centres and everything else:",
             "manistat kmeans --manifold sphere:2 -k 2 --json data.csv -o clusters.json"},
            {"Label new points by those centres:",
             "manistat kmeans --manifold sphere:2 --assign clusters.json new.csv"},
            {NULL, NULL},
        },
    .run = run,
};
