/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "clusters.h"

#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const option option_labels = {
    .name = "labels",
    .kind = OPTION_FLAG,
    .help = "write the labels, on a terminal as well, and no summary",
};

/* ---- Where the result goes ---- */

mst_status cluster_output_open(cluster_output *o, invocation *inv)
{
    const char *path = option_get(inv, &option_output)->text;
    bool file = strcmp(path, "-") != 0, json = option_given(inv, &option_json);
    bool summary = !json && !option_given(inv, &option_labels) && (file || isatty(STDOUT_FILENO));
    *o = (cluster_output){.inv = inv};
    if (json && option_given(inv, &option_labels))
        return mst_fail(MST_ARGUMENT, "--json has the labels; leave out --labels");
    if (summary) {
        mst_status status = mst_text_open(&o->stream);
        if (status != MST_OK)
            return status;
        o->text = mst_text_file(o->stream);
    }
    if (summary && !file)
        return MST_OK;
    return result_open(&o->labels, inv, &(result_layout){.lead = "labels"});
}

mst_status cluster_output_labels(cluster_output *o, const char *manifold, size_t n,
                                 const size_t *labels, mst_json **json)
{
    *json = NULL;
    if (o->labels == NULL)
        return MST_OK;
    *json = result_json(o->labels, manifold);
    return result_labels(o->labels, n, labels);
}

static mst_status send_summary(cluster_output *o)
{
    char *text;
    size_t length;
    mst_status status = mst_text_close(o->stream, &text, &length);
    o->stream = NULL;
    if (status == MST_OK)
        status = write_text_to(o->inv, "-", text, length);
    free(text);
    return status;
}

mst_status cluster_output_finish(cluster_output *o)
{
    mst_status status = o->labels != NULL ? result_finish(o->labels) : MST_OK;
    return status == MST_OK && o->text != NULL ? send_summary(o) : status;
}

void cluster_output_close(cluster_output *o)
{
    mst_text_discard(o->stream);
    result_free(o->labels);
}

/* ---- The summary ---- */

mst_status print_clusters(const estimation *e, FILE *out, const cluster_table *c)
{
    size_t shown = columns_shown(e);
    bool wide = shown > MOST_POINT_COLUMNS;
    table t = {.cols = wide ? 3 : 3 + shown};
    t.cols += c->weights != NULL;
    t.cols += c->times != NULL;
    char name[COLUMN_NAME];
    double *coded;
    mst_status status = new_doubles(&coded, c->k, e->width);
    if (status == MST_OK)
        status = mst_points_encode(e->m, c->k, c->centres, &e->points, coded);
    table_cell(&t, "%s", c->name);
    table_cell(&t, "size");
    if (c->weights != NULL)
        table_cell(&t, "weight");
    table_cell(&t, "spread%s", lengths_in_degrees(e) ? " (deg)" : "");
    if (c->times != NULL)
        table_cell(&t, "time%s", squared_unit(e));
    for (size_t i = 0; !wide && i < e->width; i++)
        if (column_shown(e, i))
            table_cell(&t, "%s", column_name(e, i, name));
    for (size_t k = 0; k < c->k && status == MST_OK; k++) {
        table_cell(&t, "%zu", k);
        table_cell(&t, "%zu", c->sizes[k]);
        if (c->weights != NULL)
            table_number(&t, c->weights[k], 4);
        table_number(&t, c->spreads[k] / length_unit(e), 4);
        if (c->times != NULL)
            table_number(&t, c->times[k], 4);
        for (size_t i = 0; !wide && i < e->width; i++)
            if (column_shown(e, i))
                table_number(&t, coded[k * e->width + i], 6);
    }
    free(coded);
    mst_status printed = table_print(&t, out);
    if (wide)
        fprintf(out, "\nthe centres have %zu numbers each; --json has them\n", shown);
    return status == MST_OK ? printed : status;
}

/* ---- Spreads ---- */

enum { ROWS = 512 };

typedef struct spread_sum {
    double squares, mass;
} spread_sum;

/* Rows at … at + n − 1 to centre k. work: (ROWS, 2 D + 2). */
static mst_status add_squares(const estimation *e, size_t n, const double *x, const double *masses,
                              const double *centre, double *work, spread_sum *sum)
{
    size_t D = e->ambient, count = 0;
    double *rows = work, *centres = rows + ROWS * D, *mass = centres + ROWS * D, *r = mass + ROWS;
    for (size_t i = 0; i < n; i++) {
        if (!(masses[i] > 0))
            continue;
        memcpy(rows + count * D, x + i * D, D * sizeof *rows);
        memcpy(centres + count * D, centre, D * sizeof *centres);
        mass[count++] = masses[i];
    }
    mst_status status = count > 0 ? mst_manifold_dist(e->m, count, rows, centres, r) : MST_OK;
    for (size_t i = 0; i < count && status == MST_OK; i++) {
        sum->squares += mass[i] * r[i] * r[i];
        sum->mass += mass[i];
    }
    return status;
}

/* What row i has of centre k. */
static double mass_of(size_t i, size_t k, size_t count, const double *weights, const size_t *labels,
                      const double *shares)
{
    double weight = weights != NULL ? weights[i] : 1;
    return weight * (labels != NULL ? (double)(labels[i] == k) : shares[i * count + k]);
}

mst_status cluster_spreads(const estimation *e, size_t n, const double *x, const double *weights,
                           size_t k, const double *centres, const size_t *labels,
                           const double *shares, double *spreads)
{
    double *work, masses[ROWS];
    mst_status status = new_doubles(&work, ROWS, 2 * e->ambient + 2);
    for (size_t j = 0; j < k && status == MST_OK; j++) {
        spread_sum sum = {0};
        for (size_t at = 0; at < n && status == MST_OK; at += ROWS) {
            size_t count = n - at < ROWS ? n - at : ROWS;
            for (size_t i = 0; i < count; i++)
                masses[i] = mass_of(at + i, j, k, weights, labels, shares);
            status = add_squares(e, count, x + at * e->ambient, masses, centres + j * e->ambient,
                                 work, &sum);
        }
        spreads[j] = sqrt(sum.squares / sum.mass);
    }
    free(work);
    if (status == MST_OK || status == MST_MEMORY)
        return status;
    for (size_t j = 0; j < k; j++)
        spreads[j] = NAN; /* there are no distances here */
    return MST_OK;
}

mst_status json_spreads(const estimation *e, mst_json *j, size_t k, const double *spreads)
{
    double *scaled;
    mst_status status = new_doubles(&scaled, k, 1);
    for (size_t i = 0; i < k && status == MST_OK; i++)
        scaled[i] = spreads[i] / length_unit(e);
    if (status == MST_OK)
        json_member_numbers(j, "spreads", k, scaled);
    if (status == MST_OK && lengths_in_degrees(e))
        json_member_string(j, "units", "degrees");
    free(scaled);
    return status;
}

/* ---- What the source does not know ---- */

mst_status judge_clusters(estimation *e, size_t n, const double *x, const size_t *labels, size_t k,
                          const double *centres, const double *times)
{
    size_t D = e->ambient;
    double *rows;
    if (!model_judges(&e->model))
        return MST_OK;
    mst_status status = new_doubles(&rows, n, D);
    for (size_t c = 0; c < k && status == MST_OK; c++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c)
                memcpy(rows + count++ * D, x + i * D, D * sizeof *rows);
        const mst_pairs pairs = {.n = count, .x = rows, .y = centres + c * D};
        status = model_judge(&e->model, MODEL_NO_ROWS, &pairs, times[c]);
    }
    free(rows);
    return status;
}
