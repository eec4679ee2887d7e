/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "estimate.h"
#include "table.h"
#include "util/json.h"
#include "util/number_text.h"

#include <stdlib.h>
#include <string.h>

static const option option_k = {
    .letter = 'k',
    .kind = OPTION_TEXT,
    .required = true,
    .value = "K",
    .example = "3",
    .help = "number of components; a range such as 1-5 fits all of them and keeps the one with "
            "the least BIC. Required.",
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
    result *result;
    size_t n, least, most; /* points; range of k */
    double *x, *weights;
    candidate *candidates;    /* (most − least + 1) */
    mst_mixture_result *best; /* of least BIC */
} mixing;

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

static mst_status prepare(mixing *m)
{
    mst_status status = parse_k(m);
    if (status == MST_OK && m->e.model.net != NULL)
        return mst_fail(
            MST_UNABLE,
            "a mixture needs log p, and a network gives its derivatives only; 'manistat "
            "kmeans --kind diffusion' takes a model");
    if (status == MST_OK)
        status = open_source(&m->e, false, "kmeans works everywhere");
    if (status == MST_OK)
        status = result_open(&m->result, m->e.inv, &(result_layout){.lead = "labels"});
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

static mst_status print_candidates(const mixing *m)
{
    table t = {.cols = 4};
    const char *const headings[] = {"k", "log-likelihood", "BIC", ""};
    for (size_t i = 0; i < t.cols; i++)
        table_cell(&t, "%s", headings[i]);
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
    return table_print(&t, stderr);
}

static mst_status write_members(const mixing *m, mst_json *j)
{
    const mst_mixture_result *r = m->best;
    json_member_string(j, "score", score_name(&m->e));
    json_forms(&m->e, j);
    json_member_integer(j, "k", r->k);
    json_member_integer(j, "n", r->n);
    json_member_numbers(j, "weights", r->k, r->weights);
    mst_status status = json_member_points(&m->e, j, "centres", r->k, r->centres);
    json_member_numbers(j, "times", r->k, r->times);
    json_member_number(j, "log_likelihood", r->log_likelihood);
    json_member_number(j, "aic", r->aic);
    json_member_number(j, "bic", r->bic);
    json_member_integer(j, "parameters", r->parameters);
    json_member_bool(j, "converged", r->converged);
    json_member_string(j, "end", fit_end_word(r->end));
    json_member_bool(j, "degenerate", r->degenerate);
    json_member_integer(j, "iterations", r->iterations);
    if (m->most > m->least)
        write_candidates(m, j);
    json_member_matrix(j, "responsibilities", r->n, r->k, r->responsibilities);
    return status;
}

static mst_status finish(mixing *m)
{
    const mst_mixture_result *r = m->best;
    mst_json *j = result_json(m->result, mst_manifold_spec(m->e.m));
    mst_status status = result_labels(m->result, r->n, r->labels);
    if (status == MST_OK && j != NULL)
        status = write_members(m, j);
    if (status == MST_OK)
        status = result_finish(m->result);
    if (status == MST_OK && j == NULL && m->most > m->least &&
        !option_given(m->e.inv, &option_quiet))
        status = print_candidates(m);
    if (status == MST_OK && r->degenerate)
        warn(m->e.inv, "warning: a component has shrunk to a point or lost its points; try a "
                       "smaller -k");
    if (status == MST_OK && !r->converged)
        status = mst_fail(MST_CONVERGENCE,
                          "no convergence with -k %zu after %zu iterations; try more --iterations",
                          r->k, r->iterations);
    return status;
}

static mst_status run(invocation *inv)
{
    mixing m = {0};
    mst_status status = estimation_open(&m.e, inv);
    if (status == MST_OK)
        status = prepare(&m);
    if (status == MST_OK)
        status = read_points(&m.e, 0, &m.x, &m.n);
    if (status == MST_OK)
        status = read_weights(&m.e, m.n, &m.weights);
    if (status == MST_OK)
        status = fit_all(&m);
    if (status == MST_OK)
        status = finish(&m);
    mst_mixture_result_free(m.best);
    free(m.candidates);
    free(m.weights);
    mst_points_free(m.x);
    result_free(m.result);
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
        "flat space this is a mixture of normal laws with one variance per component. Prints one "
        "label per row, the most responsible component, counted from 0; components are numbered "
        "by decreasing weight. --json has the parameters and all responsibilities.\n\n"
        "With a range of K all of them are fitted and the smallest BIC wins; the table goes to "
        "standard error, or into the JSON.",
    .options =
        (const option *const[]){&option_space, &option_k, &option_restarts, &option_iterations,
                                &option_weights, &option_weights_are, &option_score, POINT_OPTIONS,
                                &option_seed, &option_threads, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Two components, a label for each point:",
             "manistat mixture --manifold sphere:2 -k 2 data.csv"},
            {"How many are there? The least BIC of 1 to 3, saved with all parameters:",
             "manistat mixture --manifold sphere:2 -k 1-3 --json data.csv -o result.json"},
            {NULL, NULL},
        },
    .run = run,
};
