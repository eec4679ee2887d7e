/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "learned_report.h"
#include "result.h"
#include "table_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const latent_words[] = {"pca", "laplacian", NULL};
static const char *const noise_words[] = {"none", NULL};

static const option option_data = {
    .name = "data",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "X.npy",
    .help = "gp: the data, a row for each observation",
};
static const option option_latent = {
    .name = "latent",
    .kind = OPTION_FILE,
    .choices = latent_words,
    .value = "FILE|pca|laplacian",
    .fallback = "pca",
    .example = "Z.csv",
    .help = "gp: the latent points, a row for each row of the data; or how to find them: pca "
            "(principal components) or laplacian (of the graph of nearest rows)",
};
static const option option_dim = {
    .name = "dim",
    .kind = OPTION_COUNT,
    .value = "D",
    .fallback = "2",
    .example = "3",
    .minimum = 1,
    .maximum = 12,
    .help = "gp: how many latent coordinates are found",
};
static const option option_neighbours = {
    .name = "neighbours",
    .kind = OPTION_COUNT,
    .value = "K",
    .fallback = "8",
    .example = "12",
    .minimum = 1,
    .maximum = 1000,
    .help = "gp: nearest rows that the graph of --latent laplacian links to each",
};
static const option option_save_latent = {
    .name = "save-latent",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "Z.csv",
    .help = "gp: write the latent points that were found",
};
static const option option_scale = {
    .name = "scale",
    .kind = OPTION_POSITIVE,
    .value = "S",
    .fallback = "1",
    .example = "255",
    .help = "gp: multiply the data by S",
};
static const option option_centre = {
    .name = "centre",
    .kind = OPTION_FLAG,
    .help = "gp: the processes have the mean of the data instead of 0",
};
static const option option_variance = {
    .name = "variance",
    .kind = OPTION_POSITIVE,
    .value = "V",
    .example = "1.4",
    .help = "gp: variance of the processes; without it by marginal likelihood, as the next two",
};
static const option option_length_scale = {
    .name = "length-scale",
    .kind = OPTION_POSITIVE,
    .value = "L",
    .example = "0.2",
    .help = "gp: length scale of the kernel exp(-|x-z|^2/2L^2)",
};
static const option option_noise = {
    .name = "noise",
    .kind = OPTION_POSITIVE,
    .choices = noise_words,
    .value = "R|none",
    .example = "1e-4",
    .help = "gp: variance of the noise, as a share of --variance",
};
static const option option_shape = {
    .name = "shape",
    .kind = OPTION_TEXT,
    .value = "HxW",
    .example = "28x28",
    .help = "rows of the data are images of H rows of W pixels, for decode",
};
static const char *const activation_words[] = {"tanh", "silu", "softplus", "linear", NULL};
static const option option_weights_file = {
    .name = "weights",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "decoder.safetensors",
    .help = "decoder: its layers",
};
static const option option_activation = {
    .name = "activation",
    .kind = OPTION_CHOICE,
    .choices = activation_words,
    .value = "NAME",
    .example = "tanh",
    .help = "decoder: what is between the layers (default: what the file says)",
};
static const option option_learned_output = {
    .name = "output",
    .letter = 'o',
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "rot.gp",
    .help = "where the manifold goes; its name ends in .gp or .decoder",
    .group = "Common options",
};

typedef struct learning {
    invocation *inv;
    const char *path;
    table_file latent, data;
    bool found; /* the latent points */
    mst_manifold *m;
    report report;
} learning;

/* ---- Input ---- */

static mst_status read_latent(learning *l)
{
    const option_value *given = option_get(l->inv, &option_latent);
    size_t d = (size_t)option_get(l->inv, &option_dim)->count;
    bool pca = strcmp(given->text, "pca") == 0, graph = strcmp(given->text, "laplacian") == 0;
    l->found = pca || graph;
    if (!l->found) {
        if (option_given(l->inv, &option_dim) || option_given(l->inv, &option_save_latent))
            return mst_fail(MST_ARGUMENT,
                            "--dim and --save-latent belong to --latent pca and "
                            "laplacian; the file says how many coordinates there are");
        mst_status status = table_file_read(&l->latent, given->text);
        if (status == MST_OK && l->latent.rows != l->data.rows)
            status =
                mst_fail(MST_FORMAT,
                         "%s has %zu latent points, but %s has %zu rows; there must be one for "
                         "each row",
                         shown_path(given->text), l->latent.rows,
                         shown_path(option_get(l->inv, &option_data)->text), l->data.rows);
        return status;
    }
    l->latent = (table_file){.rows = l->data.rows, .cols = d};
    mst_status status = new_doubles(&l->latent.x, l->latent.rows, d);
    if (status == MST_OK)
        status = pca ? mst_latent_pca(l->data.rows, l->data.cols, l->data.x, d, l->latent.x)
                     : mst_latent_laplacian(l->data.rows, l->data.cols, l->data.x,
                                            (size_t)option_get(l->inv, &option_neighbours)->count,
                                            d, l->latent.x);
    return status;
}

static mst_status read_data(learning *l)
{
    const char *path = option_get(l->inv, &option_data)->text;
    if (path == NULL)
        return mst_fail(MST_ARGUMENT, "no data given; for example --data %s", option_data.example);
    mst_status status = table_file_read(&l->data, path);
    double scale = option_get(l->inv, &option_scale)->number;
    for (size_t i = 0; status == MST_OK && i < l->data.rows * l->data.cols; i++)
        l->data.x[i] *= scale;
    return status;
}

static mst_status gp_options(const learning *l, mst_gp_options *o)
{
    *o = mst_gp_options_default();
    if (option_given(l->inv, &option_variance))
        o->variance = option_get(l->inv, &option_variance)->number;
    if (option_given(l->inv, &option_length_scale))
        o->length_scale = option_get(l->inv, &option_length_scale)->number;
    if (option_given(l->inv, &option_noise)) {
        const option_value *noise = option_get(l->inv, &option_noise);
        o->noise = strcmp(noise->text, "none") == 0 ? 0 : noise->number;
    }
    o->centre = option_given(l->inv, &option_centre);
    mst_status status = read_shape(l->inv, &option_shape, &o->height, &o->width);
    return status == MST_OK ? check_shape(&option_shape, l->data.cols, o->height, o->width)
                            : status;
}

static mst_status learn_gp(learning *l)
{
    mst_gp_options o;
    mst_status status = read_data(l);
    if (status == MST_OK)
        status = read_latent(l);
    if (status == MST_OK)
        status = gp_options(l, &o);
    if (status == MST_OK)
        status = mst_gp_learn(&l->m, l->path, l->data.rows, l->latent.cols, l->latent.x,
                              l->data.cols, l->data.x, &o);
    return status;
}

static mst_status learn_decoder(learning *l)
{
    mst_decoder_options o = mst_decoder_options_default();
    const char *weights = option_get(l->inv, &option_weights_file)->text;
    mst_status status = MST_OK;
    if (weights == NULL)
        return mst_fail(MST_ARGUMENT, "no weights given; for example --weights %s",
                        option_weights_file.example);
    if (option_given(l->inv, &option_latent))
        status = table_file_read(&l->latent, option_get(l->inv, &option_latent)->text);
    o.activation = option_get(l->inv, &option_activation)->text;
    o.latent = l->latent.x;
    o.n = l->latent.rows;
    o.dim = l->latent.cols;
    if (status == MST_OK)
        status = read_shape(l->inv, &option_shape, &o.height, &o.width);
    return status == MST_OK ? mst_decoder_learn(&l->m, l->path, weights, &o) : status;
}

/* ---- Output ---- */

static mst_status write_latent(learning *l)
{
    mst_writer *w;
    if (!option_given(l->inv, &option_save_latent))
        return MST_OK;
    mst_status status = mst_writer_open(&w, option_get(l->inv, &option_save_latent)->text,
                                        l->latent.cols, NULL, option_given(l->inv, &option_force));
    if (status == MST_OK)
        status = mst_writer_rows(w, l->latent.rows, l->latent.x);
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return status;
}

static mst_status write_all(learning *l)
{
    mst_status status = write_latent(l);
    if (status == MST_OK)
        status = mst_learned_write(l->m, l->path, option_given(l->inv, &option_force));
    l->inv->output_failed = status != MST_OK;
    return status;
}

static mst_status check_output(learning *l)
{
    static const char *const endings[] = {".gp", ".decoder"};
    l->path = option_get(l->inv, &option_learned_output)->text;
    if (l->path == NULL)
        return mst_fail(MST_ARGUMENT, "no file for the manifold; for example -o %s",
                        option_learned_output.example);
    size_t length = strlen(l->path);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t own = strlen(endings[k]);
        if (length > own && strcmp(l->path + length - own, endings[k]) == 0)
            return MST_OK;
    }
    return mst_fail(MST_ARGUMENT,
                    "-o %s: the name of a learned manifold ends in .gp or .decoder, by which "
                    "--manifold knows it",
                    l->path);
}

/* An option of the other kind would be without effect. */
static mst_status check_options(const learning *l, bool gp)
{
    static const option *const of_gp[] = {
        &option_data,   &option_dim,      &option_neighbours,   &option_scale, &option_save_latent,
        &option_centre, &option_variance, &option_length_scale, &option_noise};
    static const option *const of_decoder[] = {&option_weights_file, &option_activation};
    const option *const *other = gp ? of_decoder : of_gp;
    size_t count = gp ? sizeof of_decoder / sizeof *of_decoder : sizeof of_gp / sizeof *of_gp;
    for (size_t k = 0; k < count; k++)
        if (option_given(l->inv, other[k]))
            return mst_fail(MST_ARGUMENT, "--%s does not belong to learn %s", other[k]->name,
                            gp ? "gp" : "decoder");
    return MST_OK;
}

static mst_status run(invocation *inv)
{
    learning l = {.inv = inv};
    bool gp = inv->operand_count > 0 && strcmp(inv->operands[0], "gp") == 0;
    if (!gp && (inv->operand_count == 0 || strcmp(inv->operands[0], "decoder") != 0))
        return mst_fail(MST_ARGUMENT,
                        "what is to be learned, gp or decoder? for example 'manistat learn gp "
                        "--data X.npy -o X.gp'");
    mst_status status = check_options(&l, gp);
    if (status == MST_OK)
        status = check_output(&l);
    if (status == MST_OK)
        status = gp ? learn_gp(&l) : learn_decoder(&l);
    if (status == MST_OK)
        status = write_all(&l);
    if (status == MST_OK)
        status = report_open(&l.report, inv);
    if (status == MST_OK)
        status = learned_tell(&l.report, l.path, l.m);
    if (status == MST_OK)
        status = report_finish(&l.report);
    report_close(&l.report);
    table_file_free(&l.latent);
    table_file_free(&l.data);
    mst_manifold_free(l.m);
    return status;
}

const command command_learn = {
    .name = "learn",
    .summary = "makes a manifold from data",
    .usage = "gp|decoder [options]",
    .description =
        "gp: rows of --data are values of an unknown map of the --latent points, for which there "
        "are "
        "independent Gaussian processes, one for each column. The latent space with the metric "
        "that "
        "the map is expected to have, mean and variance together, is the manifold: short ways keep "
        "to where the data are. Hyper-parameters that are not given are those of maximal marginal "
        "likelihood.\n\n"
        "decoder: the layers of --weights, a safetensors file, map the latent space to data, and "
        "those of a second network, if there is one, to standard deviations; the metric is the one "
        "that both pull back. --latent may tell where the data are.\n\n"
        "The manifold goes to the file of -o; --manifold FILE.gp takes it from there in every "
        "other "
        "command, decode leads back to the space of the data, and info tells again what is printed "
        "here. FILE.gp?uncertainty=16 lets the part of the metric that is variance count sixteen "
        "times.",
    .options = (const option *const[]){&option_data,
                                       &option_latent,
                                       &option_dim,
                                       &option_neighbours,
                                       &option_save_latent,
                                       &option_scale,
                                       &option_centre,
                                       &option_variance,
                                       &option_length_scale,
                                       &option_noise,
                                       &option_weights_file,
                                       &option_activation,
                                       &option_shape,
                                       &option_seed_unused,
                                       &option_threads_unused,
                                       &option_json,
                                       &option_learned_output,
                                       &option_force,
                                       &option_quiet,
                                       &option_help,
                                       &option_version,
                                       NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"A plane from data with latent points, hyper-parameters by likelihood:",
             "manistat learn gp --latent Z.csv --data X.npy -o rot.gp"},
            {"The same with latent points that are found:",
             "manistat learn gp --data X.npy --latent laplacian -o rot.gp"},
            {NULL, NULL},
        },
    .run = run,
};
