/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "certificate.h"
#include "commands.h"
#include "learned_reach.h"
#include "model.h"
#include "plotting.h"
#include "result.h"
#include "util/json.h"
#include "util/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const references[] = {"exact", "expansion", "spectral", "bridge", "none", NULL};

/* Few paths a pair are enough, and more pairs are better. */
static const char judge[] = "bridge?paths=64&steps=32";
static const size_t judged_samples = 16384;
/* The same of models that search for geodesics, whose rows take this many microseconds or more. */
static const size_t searched_samples = 1024;
static const double searching = 10;

static const option option_against = {
    .name = "against",
    .kind = OPTION_FILE,
    .choices = references,
    .value = "exact|expansion|spectral|bridge|none|FILE",
    .example = "exact",
    .help =
        "what the score is compared with: exact (the closed form of the heat kernel; the "
        "default where there is one), expansion or spectral (at pairs that they trust), bridge "
        "(simulated "
        "bridges, on any manifold: errors with standard errors; bridge?paths=M&steps=N), none, or "
        "another model FILE",
};

static const option option_samples = {
    .name = "samples",
    .kind = OPTION_COUNT,
    .value = "N",
    .fallback = "65536",
    .example = "10000",
    .minimum = 256,
    .maximum = 67108864,
    .help =
        "simulated points for each band of times; 16384 against bridges, 1024 of models that leave "
        "short times to the expansion",
};

static const option option_start = {
    .name = "start",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "P",
    .example = "0,0,1",
    .help = "the start that the model was trained with, if any: numbers joined by commas, or a "
            "file",
};

static const option option_around = {
    .name = "around",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "data.csv",
    .help = "the points that it was trained around, if any",
};

static const option option_dry_run = {
    .name = "dry-run",
    .kind = OPTION_FLAG,
    .help = "leave the model as it is",
};

static const option option_alone = {
    .name = "alone",
    .kind = OPTION_FLAG,
    .help =
        "the same as FILE?alone: measure the network without the expansion and the eigenfunctions "
        "that the model leaves rows to, and leave the model as it is: its certificate is of both",
};

/* Not the seed of a training, whose data should not be seen again. */
static const option option_check_seed = {
    .name = "seed",
    .kind = OPTION_COUNT,
    .value = "N",
    .fallback = "4711",
    .example = "7",
    .maximum = UINT64_MAX,
    .group = "Common options",
    .help = "seed of the random numbers, other than that of the training",
};

typedef struct checking {
    invocation *inv;
    char *path; /* without options */
    bool alone; /* FILE?alone or --alone */
    mst_network *net;
    mst_score *reference; /* or null */
    bool write;           /* the certificate into the model */
    char *text;           /* of the certificate */
    double *start;
    size_t starts;
    report report;
    size_t samples; /* of a band */
    plotting plot;
} checking;

static mst_status open_reference(checking *c)
{
    const mst_manifold *m = mst_network_manifold(c->net);
    const char *text = option_get(c->inv, &option_against)->text;
    if (text == NULL)
        text = mst_heat_has_exact(m) ? "exact" : "none";
    if (strcmp(text, "none") == 0)
        return MST_OK;
    if (strcmp(text, "bridge") == 0)
        text = judge;
    mst_status status = mst_score_open(&c->reference, text, m);
    if (status == MST_OK && strcmp(mst_score_name(c->reference), "pde") == 0)
        return mst_fail(MST_ARGUMENT, "--against pde would solve the heat equation anew for every "
                                      "simulated point, for hours; use --against bridge, or "
                                      "compare some pairs by 'heat --score pde'");
    return status == MST_ARGUMENT ? mst_fail(status, "--against %s", mst_error_detail()) : status;
}

/* FILE, or FILE?alone as --score has it. */
static mst_status read_operand(checking *c)
{
    static const char *const words[] = {"?alone", "?alone=yes", "?expansion=no"};
    const char *text = c->inv->operands[0];
    const char *options = access(text, F_OK) == 0 ? NULL : strrchr(text, '?');
    c->alone = option_given(c->inv, &option_alone);
    for (size_t k = 0; options != NULL && k < sizeof words / sizeof *words; k++)
        c->alone |= strcmp(options, words[k]) == 0;
    if (options != NULL && !c->alone)
        return mst_fail(MST_ARGUMENT, "a check is of FILE or FILE?alone; it has no option '%s'",
                        options + 1);
    c->write = !c->alone && !option_given(c->inv, &option_dry_run);
    c->path = strndup(text, options != NULL ? (size_t)(options - text) : strlen(text));
    return c->path != NULL ? MST_OK : mst_fail(MST_MEMORY, "not enough memory");
}

static mst_status open_all(checking *c)
{
    mst_output *probe = NULL;
    if (c->inv->operand_count == 0)
        return mst_fail(MST_ARGUMENT,
                        "no FILE given; for example 'manistat check model.safetensors'");
    if (option_given(c->inv, &option_start) && option_given(c->inv, &option_around))
        return mst_fail(MST_ARGUMENT, "--start and --around exclude each other; give one of them");
    mst_status status = read_operand(c);
    if (status == MST_OK)
        status = read_model(c->inv, &c->net, c->path, NULL);
    if (status == MST_OK)
        status = open_reference(c);
    if (status == MST_OK && c->write) {
        status = mst_output_open(&probe, c->path, true); /* rather now than after the work */
        c->inv->output_failed = status != MST_OK;
        mst_output_free(probe);
    }
    if (status == MST_OK)
        status = plotting_open(&c->plot, c->inv);
    return status == MST_OK ? report_open(&c->report, c->inv) : status;
}

static mst_status read_starts(checking *c)
{
    const option *o = option_given(c->inv, &option_start) ? &option_start : &option_around;
    if (!option_given(c->inv, o))
        return MST_OK;
    return read_point_option(c->inv, o, mst_network_manifold(c->net), &c->start, &c->starts);
}

static size_t samples_of(const checking *c, const mst_score *subject)
{
    bool judged = c->reference != NULL && mst_score_bridge(c->reference) != NULL;
    if (option_given(c->inv, &option_samples))
        return (size_t)option_get(c->inv, &option_samples)->count;
    return mst_score_describe(subject)->cost >= searching ? searched_samples
           : judged                                       ? judged_samples
                    : (size_t)option_get(c->inv, &option_samples)->count;
}

static mst_status measure(checking *c)
{
    mst_certificate measured;
    mst_check_options o = mst_check_options_default();
    o.seed = option_get(c->inv, &option_check_seed)->count;
    o.start = c->start;
    o.starts = c->starts;
    o.threads = (int)option_get(c->inv, &option_threads)->count;
    progress p = progress_start(c->inv, "bands", MST_CHECK_BANDS);
    o.progress = progress_callback(&p, MST_CHECK_BANDS);
    mst_score *subject;
    mst_status status = c->alone ? mst_score_network_alone_new(&subject, c->net, true)
                                 : mst_score_network_new(&subject, c->net, true);
    if (status == MST_OK) {
        c->samples = o.samples = samples_of(c, subject);
        status = mst_score_check(&measured, subject, c->reference, &o);
    }
    mst_score_free(subject);
    progress_end(&p);
    if (status != MST_OK)
        return status;
    mst_network_fingerprint(c->net, measured.network);
    return mst_certificate_json(&c->text, &measured);
}

static mst_status certify(checking *c)
{
    mst_status status = mst_network_certify(c->net, c->text);
    if (status != MST_OK)
        return status;
    status = mst_network_write(c->net, c->path, true);
    c->inv->output_failed = status != MST_OK;
    return status;
}

static void write_json(const checking *c, const mst_certificate *shown, mst_json *j)
{
    json_member_string(j, "manifold", mst_network_describe(c->net).manifold);
    json_member_string(j, "file", c->path);
    json_member_integer(j, "samples", c->samples);
    json_member_bool(j, "written", c->write);
    json_member_bool(j, "alone", c->alone);
    learned_json_warnings(j, mst_network_manifold(c->net), mst_network_describe(c->net).t_max);
    certificate_json(shown, j);
    json_member_integer(j, "seed", option_get(c->inv, &option_check_seed)->count);
}

static mst_status draw(checking *c, const mst_certificate *shown)
{
    if (c->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&c->plot);
    if (status != MST_OK)
        return status;
    write_json(c, shown, c->plot.json);
    return plotting_end(&c->plot, mst_network_manifold(c->net), 0, NULL, NULL, NULL);
}

static mst_status write_result(checking *c)
{
    mst_network_info info = mst_network_describe(c->net);
    mst_json *j = c->report.json;
    mst_certificate shown; /* as files have it */
    mst_status status = mst_certificate_parse(&shown, c->text);
    if (status == MST_OK)
        status = draw(c, &shown);
    if (status != MST_OK)
        return status;
    if (j != NULL) {
        write_json(c, &shown, j);
        return report_finish(&c->report);
    }
    fprintf(c->report.text, "%s, a score network for %s\n\n", c->path, info.manifold);
    status = certificate_print(&shown, c->report.text);
    if (c->write)
        fprintf(c->report.text, "This certificate is now part of %s.\n", c->path);
    else
        fprintf(c->report.text, "Nothing was written into %s (%s).\n", c->path,
                c->alone ? "the network alone" : "--dry-run");
    return status == MST_OK ? report_finish(&c->report) : status;
}

/* A checkpoint would lose the state of its training, and a model is to be measured where it was trained. */
static mst_status check_kind(const checking *c)
{
    mst_network_info info = mst_network_describe(c->net);
    if (info.checkpoint && c->write)
        return mst_fail(MST_ARGUMENT,
                        "%s is the checkpoint of a training, which a certificate would spoil; "
                        "--dry-run measures it",
                        c->path);
    if (info.starts > 0 && !option_given(c->inv, &option_start) &&
        !option_given(c->inv, &option_around))
        warn(c->inv,
             "warning: %s was trained around %zu given point%s; without --start or --around it is "
             "measured elsewhere",
             c->path, info.starts, info.starts == 1 ? "" : "s");
    return MST_OK;
}

static mst_status run(invocation *inv)
{
    checking c = {.inv = inv};
    mst_status status = open_all(&c);
    if (status == MST_OK)
        status = check_kind(&c);
    if (status == MST_OK)
        status = read_starts(&c);
    if (status == MST_OK)
        status = measure(&c);
    if (status == MST_OK && c.write)
        status = certify(&c);
    if (status == MST_OK)
        status = plotting_conclude(&c.plot, write_result(&c));
    if (status == MST_OK)
        learned_warn(inv, mst_network_manifold(c.net), mst_network_describe(c.net).t_max);
    report_close(&c.report);
    plotting_close(&c.plot);
    free(c.path);
    free(c.text);
    free(c.start);
    mst_score_free(c.reference);
    mst_network_free(c.net);
    return status;
}

const command command_check = {
    .name = "check",
    .summary = "measures how wrong a model is and certifies it",
    .usage = "FILE[?alone] [options]",
    .description =
        "Measures a model written by train on freshly simulated data, in bands of the time "
        "t, and writes the result into the model as its certificate. Estimates with the model "
        "at times outside the certified range then have exit status 1.\n\n"
        "Columns: the excess is the loss compared with that of the short-time approximation alone, "
        "less 1: below 0 the network is better; the noise of the targets sets the floor. The slope "
        "is 1 if the score is unbiased. "
        "Asymmetry and heat residual tell whether the network is the gradient of a heat kernel; "
        "0 is perfect. Score and dt errors are relative to the source of --against; against "
        "bridges they are unbiased estimates with standard errors, on any manifold. "
        "Shifts are how far the network's means and times of simulated data are from the truth, in "
        "standard errors: a perfect network has about 1, by chance. --json has more.",
    .options =
        (const option *const[]){&option_against, &option_samples, &option_start, &option_around,
                                &option_alone, &option_dry_run, POINT_OPTIONS, &option_check_seed,
                                &option_threads, PLOT_OPTIONS, OUTPUT_OPTIONS, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"How good is this model, and for which times?", "manistat check model.safetensors"},
            {"Where no closed form is known, against simulated bridges:",
             "manistat check model.safetensors --against bridge"},
            {"The same for a script, without changing the model:",
             "manistat check model.safetensors --dry-run --json"},
            {NULL, NULL},
        },
    .run = run,
};
