/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "clusters.h"
#include "commands.h"
#include "plotting.h"
#include "table.h"
#include "util/json.h"
#include "util/number_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option option_k = {
    .letter = 'k',
    .kind = OPTION_TEXT,
    .value = "K",
    .example = "3",
    .help = "number of components; a range such as 1-5 fits all of them and keeps the one with "
            "the least BIC. Required, unless --assign is given",
};

static const option option_restarts = {
    .name = "restarts",
    .kind = OPTION_COUNT,
    .value = "R",
    .fallback = "5",
    .example = "20",
    .minimum = 1,
    .maximum = 1000000,
    .help = "start R times from random centres and keep the best",
};

typedef struct candidate {
    double log_likelihood, bic;
    bool converged, degenerate;
} candidate;

typedef struct mixing {
    estimation e;
    cluster_output output;
    plotting plot;
    size_t n, least, most; /* points; range of k */
    double *x, *weights;
    candidate *candidates;    /* (most − least + 1) */
    mst_mixture_result *best; /* of least BIC; null with --assign */
    saved_clusters saved;     /* with --assign, and what follows */
    size_t *labels;
    double *responsibilities, log_likelihood;
    size_t *sizes;   /* (k) */
    double *spreads; /* (k), if somebody wants to see them */
} mixing;

/* What was found, or read and applied. */
typedef struct components {
    size_t k;
    const double *weights, *centres, *times, *responsibilities;
    const size_t *labels;
} components;

static components components_of(const mixing *m)
{
    const mst_mixture_result *r = m->best;
    if (r != NULL)
        return (components){r->k, r->weights, r->centres, r->times, r->responsibilities, r->labels};
    return (components){m->saved.k,     m->saved.weights,    m->saved.centres,
                        m->saved.times, m->responsibilities, m->labels};
}

/* "3" or "2-5". */
static mst_status parse_k(mixing *m)
{
    const double limit = 1e6;
    const char *text = option_get(m->e.inv, &option_k)->text;
    size_t length = strcspn(text, "-");
    const char *second = text[length] == '-' ? text + length + 1 : text;
    double a, b;
    if (mst_parse_double(text, length, &a) && mst_parse_double(second, strlen(second), &b) &&
        a >= 1 && a <= b && b <= limit && a == (double)(size_t)a && b == (double)(size_t)b) {
        m->least = (size_t)a;
        m->most = (size_t)b;
        return MST_OK;
    }
    return mst_fail(
        MST_ARGUMENT,
        "-k must be a whole number from 1 on, or a range of them, not '%s'; for example "
        "-k 3 or -k 1-5",
        text);
}

static mst_status check_assign(const invocation *inv)
{
    const option *const of_fits[] = {&option_k, &option_restarts, &option_iterations,
                                     &option_weights, &option_weights_are};
    char word[OPTION_WORD];
    for (size_t i = 0; i < sizeof of_fits / sizeof *of_fits; i++)
        if (option_given(inv, of_fits[i]))
            return mst_fail(MST_ARGUMENT, "--assign has its components already; leave out %s",
                            option_word(of_fits[i], word));
    return MST_OK;
}

static mst_status prepare(mixing *m)
{
    const invocation *inv = m->e.inv;
    if (!option_given(inv, &option_assign) && !option_given(inv, &option_k))
        return mst_fail(MST_ARGUMENT, "-k K is missing; for example -k %s", option_k.example);
    mst_status status = option_given(inv, &option_assign) ? check_assign(inv) : parse_k(m);
    if (status == MST_OK && m->e.model.net != NULL)
        return mst_fail(
            MST_UNABLE,
            "a mixture needs log p, and a network gives its derivatives only; 'manistat "
            "kmeans --kind diffusion' takes a model");
    if (status == MST_OK)
        status = open_source(&m->e, false, "kmeans works everywhere");
    if (status == MST_OK)
        status = plotting_open(&m->plot, m->e.inv);
    if (status == MST_OK)
        status = cluster_output_open(&m->output, m->e.inv);
    return status;
}

static mst_status fit_one(mixing *m, const mst_mixture_options *o)
{
    mst_mixture_result *r = NULL;
    mst_status status = mst_mixture_fit(&r, m->e.source, m->n, m->x, o);
    if (r == NULL)
        return status;
    if (status == MST_CONVERGENCE)
        status = MST_OK; /* the result tells */
    m->candidates[o->k - m->least] =
        (candidate){r->log_likelihood, r->bic, r->converged, r->degenerate};
    if (m->best == NULL ||
        (r->degenerate != m->best->degenerate ? m->best->degenerate : r->bic < m->best->bic)) {
        mst_mixture_result_free(m->best);
        m->best = r;
    } else {
        mst_mixture_result_free(r);
    }
    return status;
}

static mst_status fit_all(mixing *m)
{
    const invocation *inv = m->e.inv;
    mst_mixture_options o = mst_mixture_options_default();
    o.restarts = (size_t)option_get(inv, &option_restarts)->count;
    if (option_given(inv, &option_iterations))
        o.iterations = (size_t)option_get(inv, &option_iterations)->count;
    o.weights = m->weights;
    o.weights_are = (mst_weight_meaning)option_get(inv, &option_weights_are)->choice;
    o.seed = m->e.seed;
    o.threads = m->e.threads;
    size_t count = m->most - m->least + 1;
    m->candidates = calloc(count, sizeof *m->candidates);
    if (m->candidates == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu mixtures", count);
    mst_status status = check_k(inv, m->most, m->n);
    double piece = (double)o.restarts;
    progress p = progress_start(inv, "restarts", piece * (double)count);
    for (o.k = m->least; o.k <= m->most && status == MST_OK; o.k++) {
        o.progress = progress_callback(&p, piece);
        status = fit_one(m, &o);
        if (status == MST_OK)
            status = progress_advance(&p, piece);
    }
    progress_end(&p);
    return status;
}

static mst_status assign(mixing *m)
{
    const saved_clusters *s = &m->saved;
    mst_status status = new_doubles(&m->responsibilities, m->n, s->k);
    m->labels = calloc(m->n, sizeof *m->labels);
    if (status == MST_OK && m->labels == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu labels", m->n);
    if (status != MST_OK)
        return status;
    return mst_mixture_assign(m->e.source, s->k, s->weights, s->centres, s->times, m->n, m->x,
                              m->e.threads, m->labels, m->responsibilities, &m->log_likelihood);
}

/* Sizes by labels, and spreads by responsibilities. */
static mst_status measure(mixing *m)
{
    const components c = components_of(m);
    m->sizes = calloc(c.k, sizeof *m->sizes);
    mst_status status = new_doubles(&m->spreads, c.k, 1);
    if (status == MST_OK && m->sizes == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu components", c.k);
    for (size_t i = 0; i < m->n && status == MST_OK; i++)
        m->sizes[c.labels[i]]++;
    return status == MST_OK ? cluster_spreads(&m->e, m->n, m->x, m->weights, c.k, c.centres, NULL,
                                              c.responsibilities, m->spreads)
                            : status;
}

static void write_candidates(const mixing *m, mst_json *j)
{
    mst_json_key(j, "candidates");
    mst_json_array(j);
    for (size_t k = m->least; k <= m->most; k++) {
        const candidate *c = &m->candidates[k - m->least];
        mst_json_object(j);
        json_member_integer(j, "k", k);
        json_member_number(j, "log_likelihood", c->log_likelihood);
        json_member_number(j, "bic", c->bic);
        json_member_bool(j, "converged", c->converged);
        json_member_bool(j, "degenerate", c->degenerate);
        mst_json_end(j);
    }
    mst_json_end(j);
}

/* Is the uniform law, which has no components, the better model? */
static bool is_uniform(const mixing *m)
{
    return -2 * m->best->uniform_log_likelihood < m->best->bic;
}

static mst_status print_candidates(const mixing *m, FILE *out)
{
    table t = {.cols = 4};
    const char *const headings[] = {"k", "log-likelihood", "BIC", ""};
    double uniform = m->best->uniform_log_likelihood;
    for (size_t i = 0; i < t.cols; i++)
        table_cell(&t, "%s", headings[i]);
    if (!isnan(uniform)) {
        table_cell(&t, "0");
        table_number(&t, uniform, 8);
        table_number(&t, -2 * uniform, 8);
        table_cell(&t, "uniform law%s", is_uniform(m) ? ", the least of all" : "");
    }
    for (size_t k = m->least; k <= m->most; k++) {
        const candidate *c = &m->candidates[k - m->least];
        table_cell(&t, "%zu", k);
        table_number(&t, c->log_likelihood, 8);
        table_number(&t, c->bic, 8);
        table_cell(&t, "%s",
                   k == m->best->k ? "least"
                   : c->degenerate ? "degenerate"
                   : c->converged  ? ""
                                   : "not converged");
    }
    return table_print(&t, out);
}

/* Is the least BIC at an end of the range? Then it may not be the least of all. */
static bool is_at_edge(const mixing *m)
{
    size_t k = m->best->k;
    return m->most > m->least && ((k == m->most && k < m->n) || (k == m->least && k > 1));
}

static void write_warnings(const mixing *m, mst_json *j)
{
    mst_json_key(j, "warnings");
    mst_json_array(j);
    if (is_uniform(m))
        mst_json_string(j, "no-components");
    else if (m->best->is_elongated)
        mst_json_string(j, "elongated");
    else if (is_at_edge(m))
        mst_json_string(j, "edge-of-range");
    if (m->best->degenerate)
        mst_json_string(j, "degenerate");
    mst_json_end(j);
}

static mst_status write_members(const mixing *m, mst_json *j)
{
    const mst_mixture_result *r = m->best;
    const components c = components_of(m);
    json_member_string(j, "score", score_name(&m->e));
    json_forms(&m->e, j);
    model_json_outside(&m->e.model, j);
    json_member_integer(j, "k", c.k);
    json_member_integer(j, "n", m->n);
    json_member_numbers(j, "weights", c.k, c.weights);
    mst_status status = json_member_points(&m->e, j, "centres", c.k, c.centres);
    json_member_numbers(j, "times", c.k, c.times);
    json_member_sizes(j, "sizes", c.k, m->sizes);
    if (status == MST_OK)
        status = json_spreads(&m->e, j, c.k, m->spreads);
    json_member_number(j, "log_likelihood", r != NULL ? r->log_likelihood : m->log_likelihood);
    if (r != NULL) {
        json_member_number(j, "aic", r->aic);
        json_member_number(j, "bic", r->bic);
        json_member_integer(j, "parameters", r->parameters);
        json_member_bool(j, "converged", r->converged);
        json_member_string(j, "end", fit_end_word(r->end));
        json_member_bool(j, "degenerate", r->degenerate);
        json_member_integer(j, "iterations", r->iterations);
        if (!isnan(r->uniform_log_likelihood))
            json_member_number(j, "uniform_bic", -2 * r->uniform_log_likelihood);
        json_member_integer(j, "elongated", r->elongated);
        json_member_number(j, "elongated_bic", r->elongated_bic);
        write_warnings(m, j);
    }
    if (m->most > m->least)
        write_candidates(m, j);
    json_member_matrix(j, "responsibilities", m->n, c.k, c.responsibilities);
    return status;
}

static mst_status summarise(const mixing *m, FILE *out)
{
    const mst_mixture_result *r = m->best;
    const components c = components_of(m);
    cluster_table t = {.k = c.k,
                       .centres = c.centres,
                       .sizes = m->sizes,
                       .weights = c.weights,
                       .times = c.times,
                       .spreads = m->spreads,
                       .name = "component"};
    mst_status status = MST_OK;
    if (m->most > m->least) {
        status = print_candidates(m, out);
        fputc('\n', out);
    }
    fprintf(out, "mixture of %zu component%s on %s, %zu point%s%s\n\n", c.k, c.k == 1 ? "" : "s",
            mst_manifold_spec(m->e.m), m->n, m->n == 1 ? "" : "s",
            r == NULL ? ", by a saved result" : "");
    if (status == MST_OK)
        status = print_clusters(&m->e, out, &t);
    fprintf(out, "\nlog-likelihood %.8g", r != NULL ? r->log_likelihood : m->log_likelihood);
    if (r != NULL)
        fprintf(out, " (AIC %.8g, BIC %.8g); %s after %zu iteration%s", r->aic, r->bic,
                r->converged ? "converged" : "not converged", r->iterations,
                r->iterations == 1 ? "" : "s");
    fputc('\n', out);
    return status;
}

/* The least BIC at an end of the range may not be the least of all. */
static void warn_of_edge(const mixing *m)
{
    size_t k = m->best->k;
    if (!is_at_edge(m))
        return;
    if (k == m->most)
        warn(m->e.inv,
             "warning: the least BIC is that of the last k, %zu, and may fall further; go on with "
             "-k %zu-%zu",
             k, k, 2 * k < m->n ? 2 * k : m->n);
    else
        warn(m->e.inv,
             "warning: the least BIC is that of the first k, %zu, and smaller ones were not tried; "
             "go on with -k 1-%zu",
             k, k);
}

/* A result that is not degenerate goes before those that are, however much better they fit. A component that
 * shrinks onto a point a thousand times gains log 1000 per dimension with any data; more than that is a
 * property of these. */
static void warn_of_degenerate(const mixing *m)
{
    size_t best = 0;
    double least = m->best->bic, spike = (double)mst_manifold_dim(m->e.m) * log(1000);
    for (size_t k = m->least; k <= m->most; k++) {
        const candidate *c = &m->candidates[k - m->least];
        if (c->degenerate && c->bic < least &&
            c->log_likelihood - m->best->log_likelihood > (double)k * spike) {
            best = k;
            least = c->bic;
        }
    }
    if (best > 0 && !m->best->degenerate)
        warn(
            m->e.inv,
            "warning: -k %zu has a lower BIC, %.8g, but a component there has shrunk to a point or "
            "lost its points, as where few points lie far from all others; look at those first",
            best, least);
}

/* Components are round. */
static void warn_of_long_heaps(const mixing *m)
{
    const mst_mixture_result *r = m->best;
    bool one = r->elongated == 1;
    const char *what = r->elongated < r->k ? "are pieces of" : "do not show the shape of";
    warn(m->e.inv,
         "warning: %zu heap%s that may be longer in some directions than in others ha%s a lower "
         "BIC, "
         "%.8g: components are round, and these %s %s",
         r->elongated, one ? "" : "s", one ? "s" : "ve", r->elongated_bic, what,
         one ? "it" : "them");
}

/* Everything but the result. */
static mst_status conclude(const mixing *m)
{
    const mst_mixture_result *r = m->best;
    if (r == NULL)
        return MST_OK;
    if (is_uniform(m))
        warn(m->e.inv, "warning: the uniform law has a lower BIC, %.8g: the points do not show %s",
             -2 * r->uniform_log_likelihood, r->k == 1 ? "a component" : "components");
    else if (r->is_elongated)
        warn_of_long_heaps(m);
    else
        warn_of_edge(m);
    warn_of_degenerate(m);
    if (r->degenerate)
        warn(m->e.inv, "warning: a component has shrunk to a point or lost its points; try a "
                       "smaller -k");
    return r->converged
               ? MST_OK
               : mst_fail(MST_CONVERGENCE,
                          "no convergence with -k %zu after %zu iterations; try more --iterations",
                          r->k, r->iterations);
}

static mst_status draw(mixing *m)
{
    if (m->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&m->plot);
    if (status == MST_OK)
        status = write_members(m, m->plot.json);
    return status == MST_OK ? plotting_end(&m->plot, m->e.m, m->n, m->x, m->weights, NULL) : status;
}

static mst_status finish(mixing *m)
{
    mst_json *j = NULL;
    const components c = components_of(m);
    mst_status status = judge_clusters(&m->e, m->n, m->x, c.labels, c.k, c.centres, c.times);
    if (status == MST_OK)
        status = cluster_output_labels(&m->output, mst_manifold_spec(m->e.m), m->n, c.labels, &j);
    bool summary = m->output.text != NULL;
    if (status == MST_OK && (j != NULL || summary || m->plot.path != NULL))
        status = measure(m);
    if (status == MST_OK && j != NULL)
        status = write_members(m, j);
    if (status == MST_OK && summary)
        status = summarise(m, m->output.text);
    if (status == MST_OK)
        status = draw(m);
    if (status == MST_OK)
        status = cluster_output_finish(&m->output);
    if (status == MST_OK && j == NULL && !summary && m->most > m->least &&
        !option_given(m->e.inv, &option_quiet))
        status = print_candidates(m, stderr);
    status = model_conclude(&m->e.model, status == MST_OK ? conclude(m) : status);
    return plotting_conclude(&m->plot, status);
}

static mst_status run(invocation *inv)
{
    mixing m = {0};
    mst_status status = estimation_open(&m.e, inv);
    if (status == MST_OK)
        status = prepare(&m);
    bool saved = option_given(inv, &option_assign);
    if (status == MST_OK && saved)
        status = saved_read(&m.e, true, &m.saved);
    if (status == MST_OK)
        status = read_points(&m.e, 0, &m.x, &m.n);
    if (status == MST_OK)
        status = read_weights(&m.e, m.n, &m.weights);
    if (status == MST_OK)
        status = saved ? assign(&m) : fit_all(&m);
    if (status == MST_OK)
        status = finish(&m);
    mst_mixture_result_free(m.best);
    free(m.candidates);
    free(m.weights);
    mst_points_free(m.x);
    saved_free(&m.saved);
    free(m.labels);
    free(m.responsibilities);
    free(m.sizes);
    free(m.spreads);
    cluster_output_close(&m.output);
    plotting_close(&m.plot);
    estimation_close(&m.e);
    return status;
}

const command command_mixture = {
    .name = "mixture",
    .summary = "fits mixtures of Brownian motions",
    .usage = "--manifold SPEC -k K [options] [FILE]",
    .description =
        "Fits the density sum_j w_j p_{t_j}(x, mu_j) to the points of the FILE by the EM "
        "algorithm: K Brownian motions with a start mu_j, a time t_j and a weight w_j each. In "
        "flat space this is a mixture of normal laws with one variance per component. On a "
        "terminal, a summary is printed: size, weight, spread, time and centre of each. A pipe "
        "gets one label per row, the most responsible component, counted from 0; with -o FILE the "
        "labels go there and the summary to standard output. Components are numbered by decreasing "
        "weight. --json has the parameters and all responsibilities.\n\n"
        "With a range of K all of them are fitted and the smallest BIC wins; the table goes to "
        "standard error, or into the summary or the JSON.\n\n"
        "--assign labels new points by the components of an earlier result.",
    .options =
        (const option *const[]){&option_space, &option_k, &option_restarts, &option_iterations,
                                &option_weights, &option_weights_are, &option_assign,
                                &option_labels, &option_score, POINT_OPTIONS, SHRINK_OPTIONS,
                                &option_seed, &option_threads, PLOT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Two components, a label for each point in a file, and a summary:",
             "manistat mixture --manifold sphere:2 -k 2 data.csv -o labels.csv"},
            {"How many are there? The least BIC of 1 to 3, saved with everything:",
             "manistat mixture --manifold sphere:2 -k 1-3 --json data.csv -o mixture.json"},
            {"Label new points by that result:",
             "manistat mixture --manifold sphere:2 --assign mixture.json new.csv"},
            {NULL, NULL},
        },
    .run = run,
};
