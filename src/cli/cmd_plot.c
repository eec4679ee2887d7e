/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "drawn.h"
#include "plotting.h"

#include <stdlib.h>
#include <string.h>

static const option option_picture_kind = {
    .name = "kind",
    .kind = OPTION_TEXT,
    .value = "KIND",
    .example = "stereonet",
    .help = "the kind of picture (default: the first of --kinds that suits the result); of several "
            "results one for all, or one for each, joined by commas, '-' for the default",
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
    .help = "width in millimetres; 84 is the column of a journal (several results: 174)",
};
/* Of a journal's page. */
static const double two_columns = 174;

static const option option_columns = {
    .name = "columns",
    .kind = OPTION_COUNT,
    .minimum = 1,
    .maximum = 8,
    .value = "N",
    .example = "2",
    .help = "of several results, how many beside each other (default: up to 3)",
};

static const option option_title = {
    .name = "title",
    .kind = OPTION_TEXT,
    .value = "TEXT",
    .example = "Wind",
    .help = "the title of the whole (default: one result's own; several have theirs over each)",
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

static const option option_note = {
    .name = "note",
    .kind = OPTION_TEXT,
    .value = "TEXT",
    .example = "A substitute.",
    .help = "sentences that the caption begins with",
};

/* ---- Drawing ---- */

/* "sphere,map": the kind of panel k, or the only one, in `text`; null: whichever suits. */
enum { KIND_NAME = 64 };
static mst_status kind_of_panel(const invocation *inv, size_t k, size_t count, char text[KIND_NAME],
                                const char **kind)
{
    const char *at = option_get(inv, &option_picture_kind)->text;
    *kind = NULL;
    if (at == NULL)
        return MST_OK;
    size_t commas = 0;
    for (const char *c = at; *c != '\0'; c++)
        commas += *c == ',';
    if (commas > 0 && commas + 1 != count)
        return mst_fail(MST_ARGUMENT, "--kind %s names %zu kinds for %zu pictures", at, commas + 1,
                        count);
    for (size_t i = 0; i < k && commas > 0; i++)
        at = strchr(at, ',') + 1;
    snprintf(text, KIND_NAME, "%.*s", (int)strcspn(at, ","), at);
    if (strcmp(text, "-") != 0)
        *kind = text;
    return MST_OK;
}

typedef struct drawing {
    invocation *inv;
    size_t count;
    drawn *panels;            /* (count) */
    char (*kinds)[KIND_NAME]; /* (count) */
    const char **kind;        /* (count), in `kinds`; or null */
    const mst_picture **pictures;
    mst_plot_format format;
    mst_output *file;
} drawing;

static mst_status read_panels(drawing *d)
{
    const char *data = option_get(d->inv, &option_data)->text;
    mst_status status = MST_OK;
    if (d->count > 1 && data != NULL)
        return mst_fail(MST_ARGUMENT,
                        "--data is of one result, and there are %zu; draw them one by one",
                        d->count);
    for (size_t k = 0; k < d->count && status == MST_OK; k++) {
        const char *path = NULL;
        status = input_path(d->inv, k, &path);
        if (status == MST_OK)
            status = kind_of_panel(d->inv, k, d->count, d->kinds[k], &d->kind[k]);
        if (status == MST_OK)
            status = drawn_read(&d->panels[k], path, d->kind[k], data,
                                option_given(d->inv, &option_no_data),
                                option_given(d->inv, &option_force));
        d->pictures[k] = &d->panels[k].picture;
    }
    return status;
}

static mst_status draw(drawing *d)
{
    mst_plot_options o = mst_plot_options_default();
    o.width = option_given(d->inv, &option_width) || d->count == 1
                  ? option_get(d->inv, &option_width)->number
                  : two_columns;
    o.resolution = option_get(d->inv, &option_resolution)->number;
    o.outline = option_get(d->inv, &option_outline)->text;
    o.title = option_get(d->inv, &option_title)->text;
    o.note = option_get(d->inv, &option_note)->text;
    if (option_given(d->inv, &option_columns))
        o.columns = option_get(d->inv, &option_columns)->count;
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
        status = read_panels(d);
    if (status == MST_OK && d->count == 1) {
        o.kind = d->kind[0];
        return plotting_draw(d->inv, d->pictures[0], d->format, &o, d->file);
    }
    return status == MST_OK
               ? plotting_draw_sheet(d->inv, d->count, d->pictures, d->kind, d->format, &o, d->file)
               : status;
}

static mst_status run(invocation *inv)
{
    if (option_given(inv, &option_kinds))
        return list_kinds(inv);
    drawing d = {.inv = inv, .count = inv->operand_count > 0 ? inv->operand_count : 1};
    d.panels = calloc(d.count, sizeof *d.panels);
    d.kinds = calloc(d.count, sizeof *d.kinds);
    d.kind = calloc(d.count, sizeof *d.kind);
    d.pictures = calloc(d.count, sizeof *d.pictures);
    mst_status status = d.panels != NULL && d.kinds != NULL && d.kind != NULL && d.pictures != NULL
                            ? draw(&d)
                            : mst_fail(MST_MEMORY, "not enough memory");
    for (size_t k = 0; d.panels != NULL && k < d.count; k++)
        drawn_close(&d.panels[k]);
    free(d.panels);
    free(d.kinds);
    free(d.kind);
    free(d.pictures);
    mst_output_free(d.file);
    return status;
}

const command command_plot = {
    .name = "plot",
    .summary = "draws a saved result",
    .usage = "[options] RESULT.json... -o FILE",
    .description = "Draws what a command has written with --json: the data, the means with their "
                   "confidence regions, "
                   "clusters, curves and the density of the fitted law, as far as the result has "
                   "them, in one of the ways "
                   "that --kinds lists. The data are read again from the files that the result "
                   "names. The picture is as wide "
                   "as the column of a journal; its caption says how many points there are and "
                   "what was estimated, and "
                   "what is not drawn and why. Several results are panels (a), (b), ... of one "
                   "picture.\n\n"
                   "The same picture comes from --plot FILE of the command that estimates. The "
                   "same result gives the same "
                   "bytes.",
    .options =
        (const option *const[]){
            &option_picture_kind,   &option_kinds,    &option_data,       &option_no_data,
            &option_width,          &option_columns,  &option_resolution, &option_title,
            &option_note,           &option_specimen, &option_outline,    &option_seed_unused,
            &option_threads_unused, &option_json,     &option_picture,    &option_force,
            &option_quiet,          &option_help,     &option_version,    NULL},
    .max_operands = 26,
    .examples =
        (const example[]){
            {"Clusters that 'manistat kmeans --json' has saved:",
             "manistat plot clusters.json -o clusters.svg"},
            {"Two results side by side:",
             "manistat plot mean.json clusters.json -o both.svg --kind sphere,map"},
            {"Draw a mean at once, without a saved result:",
             "manistat mean --manifold sphere:2 data.csv --plot mean.svg"},
            {"On a map:",
             "manistat mean --manifold sphere:2 data.csv --plot map.pdf --plot-kind map"},
            {"What kinds of pictures are there?", "manistat plot --kinds"},
            {NULL, NULL},
        },
    .run = run,
};
