/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "plotting.h"
#include "saved_result.h"

#include <stdlib.h>
#include <string.h>

static const option option_picture_kind = {
    .name = "kind",
    .kind = OPTION_TEXT,
    .value = "KIND",
    .example = "stereonet",
    .help = "the kind of picture (default: the first of --kinds that suits the result)",
};

static const option option_kinds = {
    .name = "kinds",
    .kind = OPTION_FLAG,
    .help = "list the kinds of pictures and what each is for",
};

static const option option_data = {
    .name = "data",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "data.csv",
    .help =
        "the points that the result was made from, if the file that it names is not there any more",
};

static const option option_no_data = {
    .name = "no-data",
    .kind = OPTION_FLAG,
    .help = "draw the estimates alone",
};

static const option option_width = {
    .name = "width",
    .kind = OPTION_POSITIVE,
    .value = "MM",
    .fallback = "84",
    .example = "174",
    .help = "width in millimetres; 84 is the column of a journal",
};

static const option option_resolution = {
    .name = "resolution",
    .kind = OPTION_POSITIVE,
    .value = "DPI",
    .fallback = "300",
    .example = "150",
    .help = "dots per inch of PNG, and of images within the other formats",
};

static const option option_specimen = {
    .name = "specimen",
    .kind = OPTION_COUNT,
    .minimum = 1,
    .maximum = UINT32_MAX,
    .value = "ROW",
    .example = "3",
    .help = "the row of the data, from 1, that a picture of one specimen shows (default: the one "
            "farthest from the mean)",
};

static const option option_outline = {
    .name = "outline",
    .kind = OPTION_TEXT,
    .value = "KIND",
    .example = "closed:1-25,26-50",
    .help = "how landmarks are joined: none, open or closed, all in a row or in pieces, as in "
            "closed:1-25,26-50 (default: where neighbours in a row are neighbours in space)",
};

static const option option_picture = {
    .name = "output",
    .letter = 'o',
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "picture.svg",
    .help = "the picture, a file that ends in .svg, .pdf or .png",
};

static mst_status list_kinds(invocation *inv)
{
    report r;
    mst_status status = report_open(&r, inv);
    if (status == MST_OK && r.json != NULL) {
        mst_json_key(r.json, "kinds");
        mst_json_array(r.json);
        for (size_t i = 0; i < mst_plot_kind_count(); i++) {
            const mst_plot_kind *k = mst_plot_kind_at(i);
            mst_json_object(r.json);
            json_member_string(r.json, "kind", k->name);
            json_member_string(r.json, "suits", k->suits);
            json_member_string(r.json, "what", k->what);
            mst_json_end(r.json);
        }
        mst_json_end(r.json);
    }
    for (size_t i = 0; status == MST_OK && r.json == NULL && i < mst_plot_kind_count(); i++) {
        const mst_plot_kind *k = mst_plot_kind_at(i);
        fprintf(r.text, "%-13s  %-24s  %s\n", k->name, k->suits, k->what);
    }
    if (status == MST_OK)
        status = report_finish(&r);
    report_close(&r);
    return status;
}

typedef struct drawing {
    invocation *inv;
    const char *path;
    mst_saved *saved;
    mst_picture picture;
    saved_result result;
    estimation e;
    bool opened;
    labelled_rows rows;
    double *weights;
    size_t *labels;
    double *samples; /* of several files */
    size_t sample_rows;
    mst_plot_format format;
    mst_output *file;
} drawing;

/* Groups of --by are numbered as the means of the result are: by the first row of each. */
static mst_status take_labels(drawing *d)
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
static mst_status read_samples(drawing *d)
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

static mst_status read_data(drawing *d)
{
    mst_status status = saved_find_inputs(&d->result, option_get(d->inv, &option_data)->text,
                                          option_given(d->inv, &option_force));
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

/* Numbers have none, and samples bring theirs. */
static bool needs_data(const mst_picture *p)
{
    return p->series_count == 0 && p->n == 0 && (p->mean_count > 0 || p->s != NULL);
}

static mst_status draw(drawing *d)
{
    mst_plot_options o = mst_plot_options_default();
    o.kind = option_get(d->inv, &option_picture_kind)->text;
    o.width = option_get(d->inv, &option_width)->number;
    o.resolution = option_get(d->inv, &option_resolution)->number;
    o.outline = option_get(d->inv, &option_outline)->text;
    if (option_given(d->inv, &option_specimen))
        o.specimen = option_get(d->inv, &option_specimen)->count;
    const char *out = option_get(d->inv, &option_picture)->text;
    if (out == NULL)
        return mst_fail(MST_ARGUMENT, "where to? pass -o FILE, which ends in .svg, .pdf or .png");
    mst_status status = mst_plot_format_of(&d->format, out);
    if (status == MST_OK)
        status = note_output(d->inv,
                             mst_output_open(&d->file, out, option_given(d->inv, &option_force)));
    if (status == MST_OK)
        status = saved_open(&d->result, d->path);
    if (status == MST_OK)
        status = mst_saved_read(&d->saved, d->path);
    if (status != MST_OK)
        return status;
    d->picture = *mst_saved_picture(d->saved);
    /* What cannot be drawn is said before files are looked for. */
    if (o.kind != NULL || mst_plot_default_kind(&d->picture) == NULL)
        status = mst_plot_suits(o.kind, &d->picture);
    if (status == MST_OK && needs_data(&d->picture) && !option_given(d->inv, &option_no_data))
        status = read_data(d);
    if (status == MST_OK)
        status = plotting_draw(d->inv, &d->picture, d->format, &o, d->file);
    return status;
}

static mst_status run(invocation *inv)
{
    if (option_given(inv, &option_kinds))
        return list_kinds(inv);
    drawing d = {.inv = inv};
    mst_status status = input_path(inv, 0, &d.path);
    if (status == MST_OK)
        status = draw(&d);
    free(d.weights);
    free(d.labels);
    free(d.samples);
    if (d.opened) {
        labelled_free(&d.rows);
        estimation_close(&d.e);
    }
    saved_close(&d.result);
    mst_saved_free(d.saved);
    mst_output_free(d.file);
    return status;
}

const command command_plot = {
    .name = "plot",
    .summary = "draws a saved result",
    .usage = "[options] RESULT.json -o FILE",
    .description = "Draws what a command has written with --json: the data, the means with their "
                   "confidence regions, "
                   "clusters, curves and the density of the fitted law, as far as the result has "
                   "them, in one of the ways "
                   "that --kinds lists. The data are read again from the files that the result "
                   "names. The picture is as wide "
                   "as the column of a journal; its caption says how many points there are and "
                   "what was estimated, and "
                   "what is not drawn and why.\n\n"
                   "The same picture comes from --plot FILE of the command that estimates. The "
                   "same result gives the same "
                   "bytes.",
    .options =
        (const option *const[]){&option_picture_kind, &option_kinds, &option_data, &option_no_data,
                                &option_width, &option_resolution, &option_specimen,
                                &option_outline, &option_seed_unused, &option_threads_unused,
                                &option_json, &option_picture, &option_force, &option_quiet,
                                &option_help, &option_version, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Clusters that 'manistat kmeans --json' has saved:",
             "manistat plot clusters.json -o clusters.svg"},
            {"Draw a mean at once, without a saved result:",
             "manistat mean --manifold sphere:2 data.csv --plot mean.svg"},
            {"On a map:",
             "manistat mean --manifold sphere:2 data.csv --plot map.pdf --plot-kind map"},
            {"What kinds of pictures are there?", "manistat plot --kinds"},
            {NULL, NULL},
        },
    .run = run,
};
