/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The numbers of a result as tables: which keys, in which order, and what they are called. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

static const mst_json_value *get(const mst_json_value *object, const char *key)
{
    return key != NULL ? mst_json_member(object, key) : NULL;
}

static bool is_there(const mst_json_value *v)
{
    return mst_json_kind_of(v) != MST_JSON_NULL;
}

static void put_cell(page *p, const mst_json_value *object, const char *key)
{
    if (key == NULL) {
        put_text(p, "<td></td>");
        return;
    }
    put_format(p, "<td data-key=\"%s\">", key);
    put_value(p, get(object, key));
    put_text(p, "</td>");
}

/* ---- Estimates with their errors ---- */

typedef struct quantity {
    const char *value, *label, *error, *interval;
} quantity;

static const quantity quantities[] = {
    {"mean", "mean", "mean_standard_error", "region_semi_axes"},
    {"time", "time t (diffusion variance)", "time_standard_error", "time_interval"},
    {"time_corrected", "time, corrected for the mean", NULL, NULL},
    {"times", "times", "times_standard_error", NULL},
    {"variance", "mean squared distance", NULL, NULL},
    {"intercept", "intercept", NULL, NULL},
    {"noise", "noise \xcf\x83\xc2\xb2", "noise_standard_error", "noise_interval"},
    {"noise_unbiased", "noise, unbiased", NULL, NULL},
    {"statistic", "statistic", NULL, NULL},
    {"degrees_of_freedom", "degrees of freedom", NULL, NULL},
    {"p_value", "p-value", NULL, NULL},
    {"least_p_value", "least p-value that there can be", NULL, NULL},
    {"common_mean", "common mean", NULL, NULL},
    {"common_time", "common time", NULL, NULL},
    {"inertia", "inertia (sum of squared distances)", NULL, NULL},
    {"r_squared", "R\xc2\xb2", NULL, NULL},
    {"excess", "excess loss", NULL, NULL},
};

static bool any_quantity(const mst_json_value *o)
{
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
        if (is_there(get(o, quantities[i].value)))
            return true;
    return false;
}

static void put_estimates(page *p, const mst_json_value *o)
{
    if (!any_quantity(o))
        return;
    bool clusters = is_there(get(o, "centres")); /* whose times have a table of their own */
    put_text(
        p, "<div class=\"wide\"><table class=\"estimates\"><caption>Estimates</caption><thead><tr>"
           "<th scope=\"col\">quantity</th><th scope=\"col\">estimate</th>"
           "<th scope=\"col\">standard error</th><th scope=\"col\">interval, or semi-axes of "
           "the region</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const quantity *q = &quantities[i];
        if (get(o, q->value) == NULL || (!is_there(get(o, q->value)) && q->error == NULL) ||
            (clusters && strcmp(q->value, "times") == 0))
            continue;
        bool floor =
            strcmp(q->value, "p_value") == 0 && mst_json_as_bool(get(o, "p_value_is_floor"));
        put_format(p, "<tr><th scope=\"row\">%s%s</th>", q->label, floor ? ", at most" : "");
        put_cell(p, o, q->value);
        put_cell(p, o, q->error);
        put_cell(p, o, q->interval);
        put_text(p, "</tr>\n");
    }
    put_text(p, "</tbody></table></div>\n");
}

/* ---- One row for each group, cluster or term ---- */

typedef struct column {
    const char *key, *label;
} column;

static void put_head(page *p, const char *caption, const char *first, const column *columns)
{
    put_format(
        p, "<div class=\"wide\"><table><caption>%s</caption><thead><tr><th scope=\"col\">%s</th>",
        caption, first);
    for (; columns->key != NULL; columns++)
        put_format(p, "<th scope=\"col\">%s</th>", columns->label);
    put_text(p, "</tr></thead><tbody>\n");
}

/* Objects of an array, named by a member of each, or by their number. */
static void put_objects(page *p, const mst_json_value *array, const char *caption,
                        const char *first, const char *name, const column *columns)
{
    if (mst_json_length(array) == 0)
        return;
    put_head(p, caption, first, columns);
    size_t number = 0;
    for (const mst_json_value *v = mst_json_first(array); v != NULL; v = mst_json_next(v)) {
        put_text(p, "<tr><th scope=\"row\">");
        if (name != NULL)
            put_value(p, get(v, name));
        else
            put_format(p, "%zu", number);
        put_text(p, "</th>");
        for (const column *c = columns; c->key != NULL; c++)
            put_cell(p, v, c->key);
        put_text(p, "</tr>\n");
        number++;
    }
    put_text(p, "</tbody></table></div>\n");
}

/* Arrays of the object, side by side. */
static void put_arrays(page *p, const mst_json_value *o, const char *caption, const char *first,
                       const column *columns)
{
    size_t rows = mst_json_length(get(o, columns->key)), used = 0;
    const mst_json_value *at[8];
    column there[9] = {{NULL, NULL}};
    for (const column *c = columns; c->key != NULL && used < 8; c++)
        if (mst_json_length(get(o, c->key)) == rows && rows > 0) {
            at[used] = mst_json_first(get(o, c->key));
            there[used++] = *c;
        }
    if (used == 0)
        return;
    put_head(p, caption, first, there);
    for (size_t i = 0; i < rows; i++) {
        put_format(p, "<tr><th scope=\"row\">%zu</th>", i);
        for (size_t k = 0; k < used; k++) {
            put_format(p, "<td data-key=\"%s\">", there[k].key);
            put_value(p, at[k]);
            put_text(p, "</td>");
            at[k] = mst_json_next(at[k]);
        }
        put_text(p, "</tr>\n");
    }
    put_text(p, "</tbody></table></div>\n");
}

static const column group_columns[] = {{"n", "n"},
                                       {"mean", "mean"},
                                       {"mean_standard_error", "standard error"},
                                       {"time", "time"},
                                       {"time_standard_error", "standard error"},
                                       {"variance", "mean squared distance"},
                                       {"converged", "converged"},
                                       {"uniqueness", "uniqueness"},
                                       {NULL, NULL}};
static const column cluster_columns[] = {{"centres", "centre"}, {"sizes", "rows"},
                                         {"weights", "weight"}, {"times", "time"},
                                         {"spreads", "spread"}, {NULL, NULL}};
static const column test_columns[] = {{"method", "method"},
                                      {"statistic", "statistic"},
                                      {"degrees_of_freedom", "degrees of freedom"},
                                      {"p_value", "p-value"},
                                      {NULL, NULL}};
static const column velocity_columns[] = {
    {"terms", "term"}, {"velocities", "velocity"}, {"p_values", "p-value"}, {NULL, NULL}};
static const column candidate_columns[] = {
    {"log_likelihood", "log-likelihood"}, {"bic", "BIC"}, {"converged", "converged"}, {NULL, NULL}};
static const column band_columns[] = {{"t_low", "from t"},
                                      {"t_high", "to t"},
                                      {"score_error", "score error"},
                                      {"time_error", "error of dt"},
                                      {"excess", "excess"},
                                      {"usable", "usable"},
                                      {"fault", "fault"},
                                      {NULL, NULL}};

void page_certificate(page *p, const mst_json_value *c)
{
    if (mst_json_kind_of(c) != MST_JSON_OBJECT)
        return;
    put_objects(p, get(c, "bands"), "Certificate of the score network, in bands of the time",
                "band", NULL, band_columns);
    put_text(p, "<p>Measured against ");
    put_value(p, get(c, "against"));
    if (is_there(get(c, "t_low"))) {
        put_text(p, "; usable for times from ");
        put_number(p, get(c, "t_low"));
        put_text(p, " to ");
        put_number(p, get(c, "t_high"));
    } else {
        put_text(p, "; usable for no time");
    }
    put_text(p, ".</p>\n");
}

/* ---- The rest, name and value ---- */

static const column facts[] = {{"n", "points"},
                               {"effective_n", "effective number of points"},
                               {"k", "components"},
                               {"kind", "kind of mean"},
                               {"score", "score source"},
                               {"method", "method"},
                               {"covariance", "errors from"},
                               {"covariance_kind", "errors from"},
                               {"confidence", "confidence"},
                               {"region_kind", "region"},
                               {"log_likelihood", "log-likelihood"},
                               {"aic", "AIC"},
                               {"bic", "BIC"},
                               {"converged", "converged"},
                               {"end", "how it ended"},
                               {"iterations", "iterations"},
                               {"restarts", "restarts"},
                               {"gradient_norm", "norm of the gradient"},
                               {"newton_decrement", "Newton decrement"},
                               {"bridge_paths", "paths of a bridge"},
                               {"bridge_share", "share of their noise in the errors"},
                               {"unique", "unique"},
                               {"uniqueness", "uniqueness"},
                               {"finished", "training finished"},
                               {"steps", "training steps"},
                               {"samples", "samples"},
                               {"loss", "loss"},
                               {"t_min", "least time"},
                               {"t_max", "largest time"},
                               {"units", "lengths in"},
                               {NULL, NULL}};

static void put_facts(page *p, const mst_json_value *o)
{
    put_text(p, "<div class=\"wide\"><table class=\"facts\"><caption>Fit, convergence and "
                "uniqueness</caption><tbody>\n");
    for (const column *c = facts; c->key != NULL; c++) {
        if (get(o, c->key) == NULL)
            continue;
        put_format(p, "<tr><th scope=\"row\">%s</th>", c->label);
        put_cell(p, o, c->key);
        put_text(p, "</tr>\n");
    }
    const mst_json_value *uniform = get(o, "uniformity");
    if (is_there(get(uniform, "p_value"))) {
        put_text(p, "<tr><th scope=\"row\">uniform law: p-value</th><td data-key=\"uniformity\">");
        put_number(p, get(uniform, "p_value"));
        put_text(p, "</td></tr>\n");
    }
    put_text(p, "</tbody></table></div>\n");
}

void page_tables(page *p, const saved_result *r)
{
    const mst_json_value *o = r->top;
    put_estimates(p, o);
    put_objects(p, get(o, "groups"), "Groups", "group", "group", group_columns);
    put_arrays(p, o, "Clusters", "cluster", cluster_columns);
    put_arrays(p, o, "Velocities", "column", velocity_columns);
    put_objects(p, get(o, "tests"), "Tests", "term", "term", test_columns);
    put_objects(p, get(o, "candidates"), "Numbers of components", "k", "k", candidate_columns);
    page_certificate(p, get(o, "certificate"));
    put_facts(p, o);
}
