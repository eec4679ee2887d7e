/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plotting.h"

#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const option option_resolution = {
    .name = "resolution",
    .kind = OPTION_POSITIVE,
    .value = "DPI",
    .fallback = "300",
    .example = "150",
    .help = "dots per inch of PNG, and of images within the other formats",
};

const option option_plot = {
    .name = "plot",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "mean.svg",
    .help = "also draw the data and the result to a file that ends in .svg, .pdf or .png",
};

const option option_plot_kind = {
    .name = "plot-kind",
    .kind = OPTION_TEXT,
    .value = "KIND",
    .example = "stereonet",
    .help = "the kind of picture for --plot; 'manistat plot --kinds' lists them (default: the "
            "first that "
            "suits the manifold)",
};

/* A name that is mistyped should not wait for the end of the work. */
static mst_status check_kind(const char *kind)
{
    for (size_t i = 0; i < mst_plot_kind_count(); i++)
        if (strcmp(mst_plot_kind_at(i)->name, kind) == 0)
            return MST_OK;
    mst_picture none = mst_picture_default();
    return mst_plot_suits(kind, &none);
}

/* Commands have a --force of their own where it does more. */
static bool forced(const invocation *inv)
{
    for (size_t i = 0; inv->command->options[i] != NULL; i++) {
        const option *o = inv->command->options[i];
        if (inv->values[i].given && o->name != NULL && strcmp(o->name, "force") == 0)
            return true;
    }
    return false;
}

mst_status plotting_open(plotting *p, invocation *inv)
{
    *p = (plotting){.inv = inv, .path = option_get(inv, &option_plot)->text};
    p->options = mst_plot_options_default();
    p->options.kind = option_get(inv, &option_plot_kind)->text;
    if (p->path == NULL && p->options.kind != NULL)
        return mst_fail(MST_ARGUMENT,
                        "--plot-kind says how to draw what --plot FILE asks for; give both");
    if (p->path == NULL)
        return MST_OK;
    mst_status status = mst_plot_format_of(&p->format, p->path);
    if (status == MST_OK && p->options.kind != NULL)
        status = check_kind(p->options.kind);
    if (status == MST_OK)
        status = note_output(inv, mst_output_open(&p->file, p->path, forced(inv)));
    return status;
}

mst_status plotting_begin(plotting *p)
{
    mst_status status = mst_output_open_memory(&p->memory);
    if (status == MST_OK)
        status = mst_json_new(&p->json, p->memory);
    if (status != MST_OK)
        return status;
    mst_json_object(p->json);
    json_member_string(p->json, "command", p->inv->command->name);
    return MST_OK;
}

/* Writes and releases what was drawn, if it was. */
static mst_status send(invocation *inv, mst_status status, char *bytes, size_t length,
                       mst_output *file)
{
    if (status == MST_OK) {
        status = mst_output_write(file, bytes, length);
        if (status == MST_OK)
            status = mst_output_commit(file);
        (void)note_output(inv, status);
    }
    mst_plot_free(bytes);
    return status;
}

mst_status plotting_draw(invocation *inv, const mst_picture *picture, mst_plot_format format,
                         const mst_plot_options *options, mst_output *file)
{
    char *bytes = NULL;
    size_t length;
    mst_status status = mst_plot_draw(&bytes, &length, picture, format, options);
    return send(inv, status, bytes, length, file);
}

mst_status plotting_draw_sheet(invocation *inv, size_t count, const mst_picture *const *pictures,
                               const char *const *kinds, mst_plot_format format,
                               const mst_plot_options *options, mst_output *file)
{
    char *bytes = NULL;
    size_t length;
    mst_status status =
        mst_plot_draw_sheet(&bytes, &length, count, pictures, kinds, format, options);
    return send(inv, status, bytes, length, file);
}

mst_status plotting_end(plotting *p, const mst_manifold *m, size_t n, const double *x,
                        const double *weights, const size_t *labels)
{
    mst_saved *saved = NULL;
    char *text = NULL;
    size_t length;
    json_member_string(p->json, "version", mst_version());
    mst_json_end(p->json);
    mst_status status = mst_json_finish(p->json);
    if (status == MST_OK)
        status = mst_output_text(p->memory, &text, &length);
    if (status == MST_OK)
        status = mst_saved_parse(&saved, "the result", length, text, m);
    if (status == MST_OK) {
        mst_picture picture = *mst_saved_picture(saved);
        if (n > 0) {
            picture.n = n;
            picture.x = x;
        }
        picture.weights = weights;
        if (picture.labels == NULL)
            picture.labels = labels;
        status = plotting_draw(p->inv, &picture, p->format, &p->options, p->file);
    }
    mst_saved_free(saved);
    free(text);
    if (status == MST_OK || status == MST_INTERRUPTED)
        return status;
    p->failed = status;
    snprintf(p->why, sizeof p->why, "no picture: %s", mst_error_detail());
    return MST_OK;
}

mst_status plotting_conclude(const plotting *p, mst_status status)
{
    if (p->failed == MST_OK)
        return status;
    if (status == MST_OK)
        return mst_fail(p->failed, "%s", p->why);
    print_message(p->inv, p->why);
    return status;
}

void plotting_close(plotting *p)
{
    mst_json_free(p->json);
    mst_output_free(p->memory);
    mst_output_free(p->file);
}
