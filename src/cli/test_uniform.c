/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "test_uniform.h"

#include "labelled.h"
#include "table.h"
#include "util/json.h"

#include <math.h>
#include <stdlib.h>

const option option_uniform = {
    .name = "uniform",
    .kind = OPTION_FLAG,
    .help = "of one file: can its points be told from the uniform law? For circle, tori, spheres, "
            "so3 and their products",
};

static void write_json(const estimation *e, mst_json *j, size_t n, const mst_uniformity *u)
{
    json_member_string(j, "manifold", mst_manifold_spec(e->m));
    json_member_string(j, "hypothesis", "uniform");
    json_member_string(j, "method", u->simulated ? "simulation" : "chi-squared");
    json_member_integer(j, "n", n);
    json_member_number(j, "effective_n", u->effective_n);
    json_member_number(j, "statistic", u->statistic);
    json_member_number(j, "degrees_of_freedom", u->degrees_of_freedom);
    json_member_number(j, "p_value", u->p_value);
    json_member_bool(j, "p_value_is_floor", u->p_value_is_floor);
    mst_json_key(j, "axial");
    if (isnan(u->axial_p_value)) {
        mst_json_null(j);
        return;
    }
    mst_json_object(j);
    json_member_number(j, "statistic", u->axial_statistic);
    json_member_number(j, "degrees_of_freedom", u->axial_degrees_of_freedom);
    json_member_number(j, "p_value", u->axial_p_value);
    mst_json_end(j);
}

static void write_page(const estimation *e, FILE *out, size_t n, const mst_uniformity *u)
{
    fprintf(out, "Are the points uniform? %zu point%s on %s\n\n", n, n == 1 ? "" : "s",
            mst_manifold_spec(e->m));
    char p[P_VALUE_TEXT];
    fprintf(out, "p-value     %s\n", p_value_text(u->p_value, u->p_value_is_floor, 6, p));
    if (option_given(e->inv, &option_weights) || option_given(e->inv, &option_cluster))
        fprintf(out, "worth       %.6g independent rows\n", u->effective_n);
    if (u->simulated)
        fprintf(out, "statistic   %.6g, against simulated uniform samples\n", u->statistic);
    else
        fprintf(out, "statistic   %.6g, against chi-squared with %g degrees of freedom\n",
                u->statistic, u->degrees_of_freedom);
    if (!isnan(u->axial_p_value))
        fprintf(out,
                "axial       p-value %s, statistic %.6g, against chi-squared with %g degrees of "
                "freedom\n",
                p_value_text(u->axial_p_value, false, 6, p), u->axial_statistic,
                u->axial_degrees_of_freedom);
    if (u->p_value > 0.05 && u->axial_p_value <= 0.05)
        fprintf(out, "\nThe points are not uniform, but they have no mean: opposite points are "
                     "alike.\n");
}

mst_status test_uniform(invocation *inv)
{
    estimation e;
    report page = {0};
    labelled_rows rows = {0};
    double *weights = NULL;
    mst_uniformity found;
    mst_status status = estimation_open(&e, inv);
    if (status == MST_OK && inv->operand_count > 1)
        status = mst_fail(MST_ARGUMENT, "--uniform is about one sample, but %zu files are given",
                          inv->operand_count);
    if (status == MST_OK)
        status = report_open(&page, inv);
    if (status == MST_OK)
        status = read_labelled(&e, &rows);
    if (status == MST_OK)
        status = read_weights(&e, rows.n, &weights);
    if (status == MST_OK) {
        mst_uniformity_options o = mst_uniformity_options_default();
        o.seed = e.seed;
        o.clusters = rows.cluster;
        o.weights = weights;
        o.weights_are = (mst_weight_meaning)option_get(inv, &option_weights_are)->choice;
        status = mst_uniformity_test(&found, e.m, rows.n, rows.x, &o);
    }
    if (status == MST_OK && page.json != NULL)
        write_json(&e, page.json, rows.n, &found);
    else if (status == MST_OK)
        write_page(&e, page.text, rows.n, &found);
    if (status == MST_OK)
        status = report_finish(&page);
    free(weights);
    labelled_free(&rows);
    report_close(&page);
    estimation_close(&e);
    return status;
}
