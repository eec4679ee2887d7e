/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "learned_report.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option option_decode_shape = {
    .name = "shape",
    .kind = OPTION_TEXT,
    .value = "HxW",
    .example = "28x28",
    .help = "size of the images (default: what the manifold was learned with)",
};
static const option option_columns = {
    .name = "columns",
    .kind = OPTION_COUNT,
    .value = "K",
    .example = "5",
    .minimum = 1,
    .maximum = 1000,
    .help = "images beside each other (default: as many as make a square)",
};
static const option option_range = {
    .name = "range",
    .kind = OPTION_TEXT,
    .value = "LOW,HIGH",
    .example = "0,1",
    .help = "numbers that become black and white (default: the least and the largest of the data)",
};
static const option option_sd = {
    .name = "sd",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "sd.npy",
    .help = "write standard deviations, too, a table of the same size",
};

typedef struct decoding {
    invocation *inv;
    mst_manifold *m;
    mst_learned_info info;
    size_t n;
    double *x, *mean, *sd;
} decoding;

/* ---- Images ---- */

static mst_status read_range(const decoding *d, double *low, double *high)
{
    const char *text = option_get(d->inv, &option_range)->text;
    *low = d->info.low;
    *high = d->info.high;
    if (text != NULL) {
        char *end, *last;
        *low = strtod(text, &end);
        *high = *end == ',' ? strtod(end + 1, &last) : NAN;
        if (!(*end == ',' && *last == '\0' && end > text && isfinite(*low) && isfinite(*high) &&
              *low < *high))
            return mst_fail(MST_ARGUMENT, "--range must be two numbers such as %s, not '%s'",
                            option_range.example, text);
        return MST_OK;
    }
    for (size_t i = 0; !(*low < *high) && i < d->n * d->info.outputs; i++) {
        *low = i == 0 ? d->mean[0] : fmin(*low, d->mean[i]);
        *high = i == 0 ? d->mean[0] + 1e-300 : fmax(*high, d->mean[i]);
    }
    return MST_OK;
}

/* All points in one image, row by row. */
static mst_status write_images(const decoding *d, const char *path)
{
    size_t height, width;
    double low, high, *all;
    mst_status status = read_shape(d->inv, &option_decode_shape, &height, &width);
    if (status == MST_OK)
        status = check_shape(&option_decode_shape, d->info.outputs, height, width);
    if (status != MST_OK)
        return status;
    if (width == 0) {
        height = d->info.height;
        width = d->info.width;
    }
    if (width == 0)
        return mst_fail(MST_ARGUMENT,
                        "%s: how many rows and columns has an image? for example --shape %s", path,
                        option_decode_shape.example);
    status = read_range(d, &low, &high);
    size_t columns = (size_t)option_get(d->inv, &option_columns)->count;
    if (!option_given(d->inv, &option_columns))
        columns = (size_t)ceil(sqrt((double)d->n));
    columns = columns < d->n ? columns : d->n;
    size_t rows = (d->n + columns - 1) / columns, wide = columns * width;
    if (status == MST_OK)
        status = new_doubles(&all, rows * height, wide);
    if (status != MST_OK)
        return status;
    memset(all, 0, rows * height * wide * sizeof *all);
    for (size_t i = 0; i < d->n; i++)
        for (size_t a = 0; a < height; a++)
            for (size_t b = 0; b < width; b++)
                all[(i / columns * height + a) * wide + i % columns * width + b] =
                    (d->mean[i * d->info.outputs + a * width + b] - low) / (high - low);
    status = mst_image_write(path, rows * height, wide, all, option_given(d->inv, &option_force));
    d->inv->output_failed = status != MST_OK && status != MST_ARGUMENT;
    free(all);
    return status;
}

/* ---- Tables ---- */

static mst_status write_table(const decoding *d)
{
    result *r;
    result_layout layout = {.prefix = "y", .width = d->info.outputs};
    mst_status status = result_open(&r, d->inv, &layout);
    if (status != MST_OK)
        return status;
    status = result_rows(r, d->n, d->mean);
    if (status == MST_OK && option_given(d->inv, &option_json))
        (void)result_json(r, mst_manifold_spec(d->m));
    if (status == MST_OK)
        status = result_finish(r);
    result_free(r);
    return status;
}

static mst_status write_sd(const decoding *d)
{
    mst_writer *w;
    mst_status status = mst_writer_open(&w, option_get(d->inv, &option_sd)->text, d->info.outputs,
                                        NULL, option_given(d->inv, &option_force));
    if (status == MST_OK)
        status = mst_writer_rows(w, d->n, d->sd);
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    d->inv->output_failed = status != MST_OK;
    return status;
}

/* ---- The command ---- */

static mst_status open_all(decoding *d)
{
    const char *path;
    mst_status status = open_manifold(d->inv, &d->m);
    if (status == MST_OK && !mst_manifold_is_learned(d->m))
        status = mst_fail(MST_ARGUMENT,
                          "--manifold %s is not learned from data: there is nothing to decode",
                          mst_manifold_spec(d->m));
    if (status == MST_OK)
        status = mst_learned_describe(d->m, &d->info);
    if (status == MST_OK)
        status = input_path(d->inv, 0, &path);
    if (status == MST_OK) {
        mst_points_options o = points_options(d->inv);
        status = mst_points_read(&d->x, &d->n, d->m, path, &o);
    }
    return status;
}

static mst_status decode(decoding *d)
{
    bool sd = option_given(d->inv, &option_sd);
    mst_status status = new_doubles(&d->mean, d->n, d->info.outputs);
    if (status == MST_OK && sd)
        status = new_doubles(&d->sd, d->n, d->info.outputs);
    if (status == MST_OK)
        status = mst_learned_decode(d->m, d->n, d->x, d->mean, d->sd);
    return status;
}

static mst_status run(invocation *inv)
{
    decoding d = {.inv = inv};
    const char *path = option_get(inv, &option_output)->text;
    bool image = path != NULL && mst_image_is_name(path);
    mst_status status = open_all(&d);
    if (status == MST_OK && image && option_given(inv, &option_json))
        status =
            mst_fail(MST_ARGUMENT, "-o %s is an image, and --json a text; give one of them", path);
    if (status == MST_OK)
        status = decode(&d);
    if (status == MST_OK)
        status = image ? write_images(&d, path) : write_table(&d);
    if (status == MST_OK && d.sd != NULL)
        status = write_sd(&d);
    mst_points_free(d.x);
    free(d.mean);
    free(d.sd);
    mst_manifold_free(d.m);
    return status;
}

const command command_decode = {
    .name = "decode",
    .summary = "leads latent points of a learned manifold back to data",
    .usage = "--manifold FILE.gp [FILE] [options]",
    .description =
        "Rows of FILE are points of a manifold made by learn; the result are rows of data, the "
        "mean "
        "of what the learned map says of them. The ending of -o tells the form: .npy, .tsv, "
        "otherwise CSV; .png and .pgm are images, one beside the other, of the size of --shape. "
        "Grey values are those of the data the manifold was learned from, so that a point which is "
        "not among them is dark rather than clear.",
    .options = (const option *const[]){&option_manifold, &option_decode_shape, &option_columns,
                                       &option_range, &option_sd, &option_seed_unused,
                                       &option_threads_unused, POINT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Points as images:", "manistat decode --manifold rot.gp latent.csv --shape 2x4 -o "
                                  "pictures.png"},
            {NULL, NULL},
        },
    .run = run,
};
