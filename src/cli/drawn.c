/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "drawn.h"

#include <stdlib.h>
#include <string.h>

/* Groups of --by are numbered as the means of the result are: by the first row of each. */
static mst_status take_labels(drawn *d)
{
    const mst_labels *by = d->rows.by;
    if (by == NULL || d->picture.labels != NULL || by->count != d->picture.mean_count)
        return MST_OK;
    d->labels = calloc(d->rows.n + 1, sizeof *d->labels);
    if (d->labels == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu labels", d->rows.n);
    for (size_t i = 0; i < d->rows.n; i++)
        d->labels[i] = by->index[i];
    d->picture.labels = d->labels;
    return MST_OK;
}

/* The samples of a test, one file each. */
static mst_status read_samples(drawn *d)
{
    size_t D = 0;
    mst_status status = estimation_open(&d->e, &d->result.inv);
    if (status == MST_OK)
        D = d->e.ambient;
    for (size_t g = 0; g < d->result.inv.operand_count && status == MST_OK; g++) {
        double *x = NULL;
        size_t n = 0, total;
        status = read_points(&d->e, g, &x, &n);
        total = d->sample_rows + n;
        double *all = status == MST_OK ? realloc(d->samples, (total * D + 1) * sizeof *all) : NULL;
        if (all != NULL)
            d->samples = all;
        size_t *labels = all != NULL ? realloc(d->labels, (total + 1) * sizeof *labels) : NULL;
        if (labels != NULL) {
            d->labels = labels;
            memcpy(d->samples + d->sample_rows * D, x, n * D * sizeof *x);
            for (size_t i = d->sample_rows; i < total; i++)
                labels[i] = g;
            d->sample_rows = total;
        } else if (status == MST_OK) {
            status = mst_fail(MST_MEMORY, "not enough memory for %zu points", total);
        }
        mst_points_free(x);
    }
    d->picture.x = d->samples;
    d->picture.n = d->sample_rows;
    if (d->result.inv.operand_count == d->picture.mean_count)
        d->picture.labels = d->labels;
    return status;
}

static mst_status read_data(drawn *d, const char *data, bool force)
{
    mst_status status = saved_find_inputs(&d->result, data, force);
    d->opened = status == MST_OK;
    if (status == MST_OK && d->result.inv.operand_count > 1)
        return read_samples(d);
    if (status == MST_OK)
        status = saved_points(&d->result, &d->e, &d->rows);
    if (status == MST_OK)
        status = read_weights(&d->e, d->rows.n, &d->weights);
    if (status != MST_OK)
        return status;
    d->picture.x = d->rows.x;
    d->picture.n = d->rows.n;
    d->picture.weights = d->weights;
    return take_labels(d);
}

/* Numbers have none, and samples and panels of figures bring theirs. */
static bool needs_data(const drawn *d)
{
    const mst_picture *p = &d->picture;
    return p->series_count == 0 && p->n == 0 && mst_saved_rows(d->saved) > 0 &&
           (p->mean_count > 0 || p->s != NULL);
}

mst_status drawn_read(drawn *d, const char *path, const char *kind, const char *data, bool no_data,
                      bool force)
{
    mst_status status = saved_open(&d->result, path);
    if (status == MST_OK)
        status = mst_saved_read(&d->saved, path);
    if (status != MST_OK)
        return status;
    d->picture = *mst_saved_picture(d->saved);
    /* What cannot be drawn is said before files are looked for. */
    if (kind != NULL || mst_plot_default_kind(&d->picture) == NULL)
        status = mst_plot_suits(kind, &d->picture);
    return status == MST_OK && needs_data(d) && !no_data ? read_data(d, data, force) : status;
}

void drawn_close(drawn *d)
{
    free(d->weights);
    free(d->labels);
    free(d->samples);
    if (d->opened) {
        labelled_free(&d->rows);
        estimation_close(&d->e);
    }
    saved_close(&d->result);
    mst_saved_free(d->saved);
}
