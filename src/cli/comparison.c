/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What `test` writes of samples that it has compared. */
#include "comparison.h"

#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In the order of mst_test_method and mst_hypothesis. */
const char *const test_methods[] = {"lr", "permutation", NULL};
const char *const test_hypotheses[] = {"mean", "time", "both", NULL};

static mst_status json_fit(comparison *c, mst_json *j, size_t g)
{
    return json_mean(&c->e, j, c->result->fits[g], mst_mean_options_default().confidence);
}

static mst_status json_groups(comparison *c, mst_json *j)
{
    mst_status status = MST_OK;
    mst_json_key(j, "groups");
    mst_json_array(j);
    for (size_t g = 0; g < c->groups && status == MST_OK; g++) {
        mst_json_object(j);
        json_member_string(j, "group", c->names[g]);
        status = json_fit(c, j, g);
        mst_json_end(j);
    }
    mst_json_end(j);
    /* Two samples have had names before groups had. */
    for (size_t g = 0; c->groups == 2 && g < 2 && status == MST_OK; g++) {
        mst_json_key(j, g == 0 ? "first" : "second");
        mst_json_object(j);
        status = json_fit(c, j, g);
        mst_json_end(j);
    }
    return status;
}

static void json_test_notes(const comparison *c, mst_json *j)
{
    static const struct {
        mst_test_note bit;
        const char *word;
    } words[] = {{MST_TEST_NOTE_SMALL, "small-samples"},
                 {MST_TEST_NOTE_MODEL, "not-brownian"},
                 {MST_TEST_NOTE_COPIES, "copies"},
                 {MST_TEST_NOTE_TOO_FEW, "too-few"}};
    mst_json_key(j, "warnings");
    mst_json_array(j);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((c->result->notes & words[i].bit) != 0)
            mst_json_string(j, words[i].word);
    mst_json_end(j);
}

mst_status comparison_json(comparison *c, mst_json *j)
{
    const mst_test_result *r = c->result;
    mst_status status = MST_OK;
    json_member_string(j, "manifold", mst_manifold_spec(c->e.m));
    json_member_string(j, "kind", mean_kinds[c->frechet ? KIND_FRECHET : KIND_DIFFUSION]);
    json_member_string(j, "score", score_name(&c->e));
    json_member_string(j, "method", test_methods[r->method]);
    json_member_string(j, "hypothesis", test_hypotheses[c->options.hypothesis]);
    json_forms(&c->e, j);
    model_json_outside(&c->e.model, j);
    json_member_sizes(j, "n", c->groups, c->sizes);
    json_member_number(j, "statistic", r->statistic);
    json_member_number(j, "degrees_of_freedom", r->degrees_of_freedom);
    json_member_number(j, "p_value", r->p_value);
    json_member_bool(j, "p_value_is_floor", r->p_value_is_floor);
    json_member_integer(j, "permutations", r->permutations);
    json_member_bool(j, "exhaustive", r->exhaustive);
    json_member_number(j, "least_p_value", r->least_p_value);
    json_member_integer(j, "clusters", r->clusters);
    json_member_bool(j, "paired", r->paired);
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
    json_test_notes(c, j);
    return status == MST_OK ? json_groups(c, j) : status;
}

/* Means (groups + 1, width) as they are written, the common one last; NANs where there is none. */
static mst_status encode_means(const comparison *c, double **out)
{
    const mst_test_result *r = c->result;
    size_t width = c->e.width;
    mst_status status = new_doubles(out, c->groups + 1, width);
    for (size_t g = 0; g <= c->groups && status == MST_OK; g++) {
        const double *mean = g < c->groups ? r->fits[g]->mean : r->common_mean;
        for (size_t i = 0; i < width; i++)
            (*out)[g * width + i] = NAN;
        if (mean != NULL)
            status = mst_points_encode(c->e.m, 1, mean, &c->e.points, *out + g * width);
    }
    return status;
}

static double spread(const comparison *c, size_t g)
{
    return c->frechet ? c->result->fits[g]->variance : c->result->fits[g]->time;
}

/* Both samples beside what they have in common. */
static mst_status print_two(const comparison *c, FILE *out)
{
    const mst_test_result *r = c->result;
    size_t width = c->e.width;
    bool named = c->rows.by != NULL;
    char name[COLUMN_NAME];
    table t = {.cols = 4};
    double *coded = NULL;
    mst_status status = encode_means(c, &coded);
    table_cell(&t, "%s", "");
    table_cell(&t, "%s", named ? c->names[0] : "first");
    table_cell(&t, "%s", named ? c->names[1] : "second");
    table_cell(&t, "common");
    table_cell(&t, "points");
    table_cell(&t, "%zu", c->sizes[0]);
    table_cell(&t, "%zu", c->sizes[1]);
    table_cell(&t, "%zu", c->rows.n);
    for (size_t i = 0; i < width && status == MST_OK; i++) {
        if (!column_shown(&c->e, i))
            continue;
        table_cell(&t, "%s", column_name(&c->e, i, name));
        for (size_t g = 0; g < 3; g++)
            table_number(&t, coded[g * width + i], 8);
    }
    for (size_t f = 0; f < error_columns(&c->e); f++) {
        table_cell(&t, "%s", error_name(&c->e, f, "standard error", name));
        table_number(&t, error_in_column(&c->e, r->fits[0], f), 4);
        table_number(&t, error_in_column(&c->e, r->fits[1], f), 4);
        table_cell(&t, "-");
    }
    table_cell(&t, "%s%s", c->frechet ? "variance" : "time", squared_unit(&c->e));
    table_number(&t, spread(c, 0), 6);
    table_number(&t, spread(c, 1), 6);
    table_number(&t, r->common_time, 6);
    free(coded);
    mst_status printed = table_print(&t, out);
    return status == MST_OK ? printed : status;
}

/* A line for each sample, and one for what they have in common. */
static mst_status print_many(const comparison *c, FILE *out)
{
    const mst_test_result *r = c->result;
    size_t width = c->e.width, shown = columns_shown(&c->e);
    shown = shown <= MOST_POINT_COLUMNS ? shown : 0;
    char name[COLUMN_NAME];
    table t = {.cols = shown + error_columns(&c->e) + 3};
    double *coded = NULL;
    mst_status status = encode_means(c, &coded);
    table_cell(&t, "sample");
    table_cell(&t, "points");
    for (size_t i = 0; shown > 0 && i < width; i++)
        if (column_shown(&c->e, i))
            table_cell(&t, "%s", column_name(&c->e, i, name));
    for (size_t f = 0; f < error_columns(&c->e); f++)
        table_cell(&t, "%s", error_name(&c->e, f, "error", name));
    table_cell(&t, "%s%s", c->frechet ? "variance" : "time", squared_unit(&c->e));
    for (size_t g = 0; g <= c->groups && status == MST_OK; g++) {
        bool common = g == c->groups;
        table_cell(&t, "%s", common ? "common" : c->names[g]);
        table_cell(&t, "%zu", common ? c->rows.n : c->sizes[g]);
        for (size_t i = 0; shown > 0 && i < width; i++)
            if (column_shown(&c->e, i))
                table_number(&t, coded[g * width + i], 8);
        for (size_t f = 0; f < error_columns(&c->e); f++)
            table_number(&t, common ? NAN : error_in_column(&c->e, r->fits[g], f), 4);
        table_number(&t, common ? r->common_time : spread(c, g), 6);
    }
    free(coded);
    mst_status printed = table_print(&t, out);
    return status == MST_OK ? printed : status;
}

static void print_reference(const mst_test_result *r, FILE *out)
{
    if (r->permutations == 0) {
        fprintf(out, "chi-squared with %g degree%s of freedom", r->degrees_of_freedom,
                r->degrees_of_freedom == 1 ? "" : "s");
        return;
    }
    if (r->exhaustive)
        fprintf(out, "all %zu labellings", r->permutations + 1);
    else
        fprintf(out, "%zu permutation%s", r->permutations, r->permutations == 1 ? "" : "s");
    if (r->clusters > 0)
        fprintf(out, " %s %zu %s", r->paired ? "within" : "of", r->clusters,
                (r->notes & MST_TEST_NOTE_COPIES) != 0 ? "different rows" : "clusters");
}

mst_status comparison_page(comparison *c, FILE *out)
{
    static const char *const questions[] = {"Are the means equal?", "Are the times equal?",
                                            "Are means and times equal?"};
    const mst_test_result *r = c->result;
    fprintf(out, "%s ", questions[c->options.hypothesis]);
    if (c->groups == 2)
        fprintf(out, "Two");
    else
        fprintf(out, "%zu", c->groups);
    fprintf(out, " samples on %s", mst_manifold_spec(c->e.m));
    if (c->frechet)
        fprintf(out, ", by Frechet means");
    if (c->e.model.net != NULL)
        fprintf(out, ", by %s", c->e.model.score);
    fprintf(out, "\n\n");
    char p[P_VALUE_TEXT];
    fprintf(out, "p-value     %s\n", p_value_text(r->p_value, r->p_value_is_floor, 6, p));
    fprintf(out, "statistic   %.6g, against ", r->statistic);
    print_reference(r, out);
    fprintf(out, "\n\n");
    mst_status status = c->groups == 2 ? print_two(c, out) : print_many(c, out);
    model_print_outside(&c->e.model, out);
    return status;
}
