/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "estimate.h"
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

static const option option_assign = {
    .name = "assign",
    .kind = OPTION_FILE,
    .value = "RESULT",
    .example = "clusters.json",
    .help = "label the points by the nearest centre in RESULT, a file written by kmeans --json, "
            "instead of finding clusters",
};

typedef struct clustering {
    estimation e;
    result *result;
    size_t n, k;
    double *x, *weights;
    mst_kmeans_result *fit; /* null with --assign */
    double *centres;        /* (k, D), with --assign */
    size_t *labels, *sizes; /* with --assign */
    double inertia;
} clustering;

/* ---- Centres from a saved result ---- */

static mst_status unfit(const char *path, const char *what)
{
    return mst_fail(MST_FORMAT, "--assign: %s %s; give a file that kmeans --json has written", path,
                    what);
}

/* One centre, in the form that its file says it has. */
static mst_status read_centre(const clustering *c, const char *path, const mst_json_value *row,
                              const mst_points_options *form, double *numbers, double *x)
{
    size_t cols = 0;
    for (const mst_json_value *v = mst_json_first(row); v != NULL; v = mst_json_next(v)) {
        if (mst_json_kind_of(v) != MST_JSON_NUMBER)
            return unfit(path, "has centres that are not numbers");
        numbers[cols++] = mst_json_as_number(v);
    }
    mst_status status = mst_points_decode(c->e.m, cols, numbers, form, x);
    return status == MST_OK
               ? status
               : mst_fail(status, "--assign: %s, a centre: %s", path, mst_error_detail());
}

static mst_status read_centres(clustering *c, const char *path, const mst_json_value *top)
{
    const mst_json_value *rows = mst_json_member(top, "centres");
    mst_points_options form = mst_points_options_default();
    form.project = true; /* written numbers are off by rounding at most */
    form.degrees = mst_json_as_bool(mst_json_member(top, "degrees"));
    form.latlon = mst_json_as_bool(mst_json_member(top, "latlon"));
    size_t longest = 1;
    double *numbers;
    c->k = mst_json_length(rows);
    if (c->k == 0)
        return unfit(path, "has no centres");
    for (const mst_json_value *row = mst_json_first(rows); row != NULL; row = mst_json_next(row))
        longest = mst_json_length(row) > longest ? mst_json_length(row) : longest;
    mst_status status = new_doubles(&c->centres, c->k, c->e.ambient);
    if (status != MST_OK)
        return status;
    status = new_doubles(&numbers, longest, 1);
    size_t k = 0;
    for (const mst_json_value *row = mst_json_first(rows); row != NULL && status == MST_OK;
         row = mst_json_next(row))
        status = read_centre(c, path, row, &form, numbers, c->centres + k++ * c->e.ambient);
    free(numbers);
    return status;
}

static mst_status open_saved(clustering *c)
{
    const char *path = option_get(c->e.inv, &option_assign)->text;
    mst_json_value *top;
    mst_status status = mst_json_read(&top, path);
    if (status != MST_OK)
        return status;
    const char *writer = mst_json_as_string(mst_json_member(top, "command"));
    const char *spec = mst_json_as_string(mst_json_member(top, "manifold"));
    if (writer == NULL || strcmp(writer, "kmeans") != 0 || spec == NULL)
        status = unfit(path, "is not a result of kmeans");
    else if (strcmp(spec, mst_manifold_spec(c->e.m)) != 0)
        status = mst_fail(MST_ARGUMENT, "%s is about %s, not %s; pass --manifold '%s'", path, spec,
                          mst_manifold_spec(c->e.m), spec);
    else
        status = read_centres(c, path, top);
    mst_json_value_free(top);
    return status;
}

static mst_status assign(clustering *c)
{
    double *squared;
    mst_status status = new_doubles(&squared, c->n, 1);
    c->labels = calloc(c->n, sizeof *c->labels);
    c->sizes = calloc(c->k, sizeof *c->sizes);
    if (status == MST_OK && (c->labels == NULL || c->sizes == NULL))
        status = mst_fail(MST_MEMORY, "not enough memory for %zu labels", c->n);
    if (status == MST_OK)
        status = mst_kmeans_assign(c->e.m, c->k, c->centres, c->n, c->x, c->e.threads, c->labels,
                                   squared);
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

/* Each cluster with its centre. */
static mst_status compare_with_training(clustering *c)
{
    const mst_kmeans_result *f = c->fit;
    size_t D = c->e.ambient;
    double *x;
    if (c->e.model.net == NULL)
        return MST_OK;
    mst_status status = new_doubles(&x, c->n, D);
    for (size_t k = 0; k < f->k && status == MST_OK; k++) {
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++)
            if (f->labels[i] == k)
                memcpy(x + n++ * D, c->x + i * D, D * sizeof *x);
        const mst_pairs pairs = {.n = n, .x = x, .y = f->centres + k * D};
        status = model_judge(&c->e.model, MODEL_NO_ROWS, &pairs, f->times[k]);
    }
    free(x);
    return status;
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
    return result_open(&c->result, c->e.inv, &(result_layout){.lead = "labels"});
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
    mst_status status =
        json_member_points(&c->e, j, "centres", c->k, f != NULL ? f->centres : c->centres);
    json_member_number(j, "inertia", f != NULL ? f->inertia : c->inertia);
    json_member_sizes(j, "sizes", c->k, f != NULL ? f->sizes : c->sizes);
    if (f != NULL) {
        json_member_numbers(j, "times", f->k, f->times);
        json_member_integer(j, "iterations", f->iterations);
        json_member_integer(j, "restarts", f->restarts);
        json_member_bool(j, "converged", f->converged);
        json_member_string(j, "end", fit_end_word(f->end));
    }
    return status;
}

static mst_status finish(clustering *c)
{
    mst_json *j = result_json(c->result, mst_manifold_spec(c->e.m));
    mst_status status = result_labels(c->result, c->n, c->fit != NULL ? c->fit->labels : c->labels);
    if (status == MST_OK && j != NULL)
        status = write_members(c, j);
    if (status == MST_OK)
        status = result_finish(c->result);
    if (status == MST_OK && c->fit != NULL && !c->fit->converged)
        status = mst_fail(MST_CONVERGENCE,
                          "labels still change after %zu iterations; try more --iterations",
                          c->fit->iterations);
    return model_conclude(&c->e.model, status);
}

static mst_status run(invocation *inv)
{
    clustering c = {0};
    mst_status status = estimation_open(&c.e, inv);
    if (status == MST_OK)
        status = prepare(&c);
    bool saved = option_given(inv, &option_assign);
    if (status == MST_OK && saved)
        status = open_saved(&c);
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
    free(c.centres);
    free(c.labels);
    free(c.sizes);
    free(c.weights);
    mst_points_free(c.x);
    result_free(c.result);
    estimation_close(&c.e);
    return status;
}

const command command_kmeans = {
    .name = "kmeans",
    .summary = "finds clusters by Riemannian k-means",
    .usage = "--manifold SPEC -k K [options] [FILE]",
    .description =
        "Splits the points of the FILE into K clusters, each point with its nearest centre and "
        "each centre the mean of its points. Prints one label per row, counted from 0; "
        "clusters are numbered by decreasing size. --json has the centres, the sizes and the "
        "inertia, which is the sum of squared distances to the centres.\n\n"
        "--assign labels new points by the centres of an earlier result.",
    .options =
        (const option *const[]){&option_space, &option_k, &option_centre_kind, &option_restarts,
                                &option_iterations, &option_weights, &option_weights_are,
                                &option_assign, &option_score, POINT_OPTIONS, &option_seed,
                                &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Two clusters of directions, a label for each:",
             "manistat kmeans --manifold sphere:2 -k 2 data.csv"},
            {"Save the centres and everything else:",
             "manistat kmeans --manifold sphere:2 -k 2 --json data.csv -o clusters.json"},
            {"Label new points by those centres:",
             "manistat kmeans --manifold sphere:2 --assign clusters.json new.csv"},
            {NULL, NULL},
        },
    .run = run,
};
