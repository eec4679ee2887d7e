/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "common.h"
#include "cov_faults.h"
#include "result.h"
#include "shrinkage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const option option_window = {
    .name = "window",
    .kind = OPTION_COUNT,
    .minimum = 2,
    .maximum = (uint64_t)1 << 53,
    .value = "SAMPLES",
    .example = "512",
    .help = "cut one recording into windows of so many samples; default: it is one window",
};

static const option option_step = {
    .name = "step",
    .kind = OPTION_COUNT,
    .minimum = 1,
    .maximum = (uint64_t)1 << 53,
    .value = "SAMPLES",
    .example = "256",
    .help = "samples from the beginning of a window to that of the next; default: as --window, no "
            "overlap",
};

static const option option_transpose = {
    .name = "transpose",
    .kind = OPTION_FLAG,
    .help = "channels and samples have changed places: an NPY array is (epochs, samples, channels) "
            "or (samples, channels), a text has a line for each channel",
};

static const char *const centres[] = {"mean", "none", NULL};
static const option option_centre = {
    .name = "centre",
    .kind = OPTION_CHOICE,
    .choices = centres,
    .fallback = "mean",
    .value = "WHAT",
    .example = "none",
    .help = "what is subtracted from each channel of an epoch: its mean or, if the signals are "
            "known to vary about zero, none",
};

static const char *const divisors[] = {"unbiased", "samples", NULL};
static const option option_divisor = {
    .name = "divisor",
    .kind = OPTION_CHOICE,
    .choices = divisors,
    .fallback = "unbiased",
    .value = "WHAT",
    .example = "samples",
    .help = "what sums of products are divided by: the number T of samples or, unbiased, T - 1 if "
            "the mean was subtracted; it is also the number of samples for oas and ledoit-wolf",
};

static const option option_drop_missing = {
    .name = "drop-missing",
    .kind = OPTION_FLAG,
    .help = "leave out epochs or windows with numbers that are not finite; default: they are an "
            "error",
};

static const option option_report = {
    .name = "report",
    .kind = OPTION_FILE,
    .writes = true,
    .value = "FILE",
    .example = "report.csv",
    .help = "write a table to FILE: the number of each epoch, the rank of its covariance before "
            "shrinkage, and the intensity",
};

enum { REPORT_COLS = 3 };

typedef struct job {
    invocation *inv;
    const char *path;
    mst_signals *signals;
    mst_covariance_options options;
    size_t channels, samples, count, divisor;
    double *x, *s;      /* an epoch and its covariance */
    size_t *twin;       /* (channels) */
    mst_writer *writer; /* without --json */
    mst_output *sink;   /* with it */
    mst_json *json;
    double *triangles; /* with it: (count, channels (channels + 1)/2) */
    double *report;    /* (count, REPORT_COLS) */
    size_t triangles_capacity, report_capacity;
    cov_faults faults;
} job;

/* Room for one more row of `cols` numbers behind `count` of them. */
static mst_status reserve_row(double **rows, size_t count, size_t cols, size_t *capacity)
{
    if (count < *capacity)
        return MST_OK;
    size_t more = *capacity == 0 ? 64 : 2 * *capacity, bytes;
    double *moved = NULL;
    if (!__builtin_mul_overflow(more, cols * sizeof **rows, &bytes))
        moved = realloc(*rows, bytes);
    if (moved == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu rows of %zu numbers", more, cols);
    *rows = moved;
    *capacity = more;
    return MST_OK;
}

static mst_status job_open(job *j, invocation *inv)
{
    *j = (job){.inv = inv, .options = mst_covariance_options_default()};
    mst_signals_options options = mst_signals_options_default();
    options.window = (size_t)option_get(inv, &option_window)->count;
    options.step = (size_t)option_get(inv, &option_step)->count;
    options.transpose = option_given(inv, &option_transpose);
    options.drop_missing = option_given(inv, &option_drop_missing);
    j->options.centre = option_get(inv, &option_centre)->choice == 0;
    j->options.unbiased = option_get(inv, &option_divisor)->choice == 0;
    j->options.shrink = shrink_of(inv);
    j->options.intensity = shrink_intensity(inv);
    mst_status status = input_path(inv, 0, &j->path);
    if (status == MST_OK)
        status = mst_signals_open(&j->signals, j->path, &options);
    if (status != MST_OK)
        return status;
    j->channels = mst_signals_channels(j->signals);
    j->samples = mst_signals_samples(j->signals);
    status = new_doubles(&j->x, j->channels, j->samples);
    if (status == MST_OK)
        status = new_doubles(&j->s, j->channels, j->channels);
    if (status == MST_OK)
        status = cov_faults_open(&j->faults, inv, j->signals);
    j->twin = calloc(j->channels + 1, sizeof *j->twin);
    if (status == MST_OK && j->twin == NULL)
        status = mst_fail(MST_MEMORY, "not enough memory for %zu channels", j->channels);
    if (status == MST_OK && option_given(inv, &option_json))
        return json_begin(inv, &j->sink, &j->json);
    if (status == MST_OK)
        status = note_output(
            inv, mst_writer_open_matrices(&j->writer, option_get(inv, &option_output)->text,
                                          j->channels, option_given(inv, &option_force)));
    return status;
}

static void job_close(job *j)
{
    cov_faults_close(&j->faults);
    mst_signals_free(j->signals);
    mst_writer_free(j->writer);
    mst_json_free(j->json);
    mst_output_free(j->sink);
    free(j->x);
    free(j->s);
    free(j->twin);
    free(j->triangles);
    free(j->report);
}

/* Keeps the upper triangle for the object. */
static mst_status keep(job *j)
{
    size_t p = j->channels, entries = p * (p + 1) / 2;
    mst_status status = reserve_row(&j->triangles, j->count, entries, &j->triangles_capacity);
    if (status != MST_OK)
        return status;
    double *to = j->triangles + j->count * entries;
    for (size_t i = 0; i < p; i++) {
        memcpy(to, j->s + i * p + i, (p - i) * sizeof *to);
        to += p - i;
    }
    return MST_OK;
}

/* "epochs.npy, epoch 3: what is wrong". */
static mst_status name_epoch(const job *j, uint64_t epoch, mst_status status)
{
    if (status != MST_BREAKDOWN && status != MST_ARGUMENT && status != MST_DOMAIN)
        return status;
    return mst_fail(status, "%s, %s %" PRIu64 ": %s", shown_path(j->path),
                    mst_signals_has_epochs(j->signals) ? "epoch" : "window", epoch + 1,
                    mst_error_detail());
}

static mst_status work(job *j, progress *p)
{
    for (;;) {
        uint64_t epoch;
        bool got;
        mst_covariance_info info;
        mst_status status = mst_signals_next(j->signals, j->x, &epoch, &got);
        if (status != MST_OK || !got)
            return status;
        status = mst_covariance(j->channels, j->samples, j->x, &j->options, j->s, &info, j->twin);
        if (status != MST_OK)
            return name_epoch(j, epoch, status);
        if (j->options.shrink != MST_SHRINK_NONE)
            count_shrunk(j->inv, 1, info.intensity, info.intensity);
        cov_faults_add(&j->faults, epoch, &info, j->twin);
        j->divisor = info.divisor;
        status = reserve_row(&j->report, j->count, REPORT_COLS, &j->report_capacity);
        if (status == MST_OK)
            status = j->json != NULL ? keep(j)
                                     : note_output(j->inv, mst_writer_rows(j->writer, 1, j->s));
        if (status != MST_OK)
            return status;
        const double row[REPORT_COLS] = {(double)epoch + 1, (double)info.rank, info.intensity};
        memcpy(j->report + j->count * REPORT_COLS, row, sizeof row);
        j->count++;
        status = progress_advance(p, 1);
        if (status != MST_OK)
            return status;
    }
}

/* ---- Output ---- */

static void write_column(const job *j, const char *key, size_t col)
{
    mst_json_key(j->json, key);
    mst_json_numbers(j->json, j->count, j->report + col, REPORT_COLS);
}

static mst_status send_json(job *j)
{
    mst_json *json = j->json;
    json_member_integer(json, "n", j->count);
    json_member_integer(json, "channels", j->channels);
    json_member_integer(json, "samples", j->samples);
    json_member_string(json, "centre", option_get(j->inv, &option_centre)->text);
    json_member_integer(json, "divisor", j->divisor);
    json_member_integer(json, "dropped", mst_signals_dropped(j->signals));
    write_column(j, "epochs", 0);
    write_column(j, "ranks", 1);
    write_column(j, "intensities", 2);
    cov_faults_json(&j->faults, json);
    json_member_matrix(json, "covariances", j->count, j->channels * (j->channels + 1) / 2,
                       j->triangles);
    json_end(j->inv, &j->sink, &j->json);
    return MST_OK;
}

static mst_status write_report(job *j)
{
    static const char *const names[] = {"epoch", "rank", "intensity"};
    const char *path = option_get(j->inv, &option_report)->text;
    mst_writer *w = NULL;
    if (path == NULL)
        return MST_OK;
    mst_status status =
        mst_writer_open(&w, path, REPORT_COLS, names, option_given(j->inv, &option_force));
    if (status == MST_OK)
        status = mst_writer_rows(w, j->count, j->report);
    if (status == MST_OK)
        status = mst_writer_commit(w);
    mst_writer_free(w);
    return note_output(j->inv, status);
}

static void tell(const job *j)
{
    char shrunk[SHRINK_TEXT];
    size_t rest = mst_signals_rest(j->signals);
    warn(j->inv, "%zu covariance%s of %zu channel%s from %zu samples each (%s, divided by %zu)",
         j->count, j->count == 1 ? "" : "s", j->channels, j->channels == 1 ? "" : "s", j->samples,
         j->options.centre ? "mean subtracted" : "about zero", j->divisor);
    if (*shrink_text(j->inv, shrunk) != '\0')
        warn(j->inv, "%s", shrunk);
    if (mst_signals_dropped(j->signals) > 0)
        warn(j->inv, "%" PRIu64 " of %" PRIu64 " have numbers that are not finite and are left out",
             mst_signals_dropped(j->signals), mst_signals_dropped(j->signals) + j->count);
    if (rest > 0)
        warn(j->inv, "%zu sample%s at the end of the recording %s in no window", rest,
             rest == 1 ? "" : "s", rest == 1 ? "is" : "are");
    cov_faults_tell(&j->faults, j->count, j->samples, j->divisor,
                    j->options.shrink != MST_SHRINK_NONE);
}

static mst_status run(invocation *inv)
{
    job j;
    progress p = progress_start(inv, "epochs", 0);
    mst_status status = job_open(&j, inv);
    if (status == MST_OK)
        status = work(&j, &p);
    progress_end(&p);
    if (status == MST_OK && j.count == 0)
        status = mst_fail(MST_FORMAT, "%s: every epoch has numbers that are not finite",
                          shown_path(j.path));
    if (status == MST_OK)
        status = write_report(&j);
    if (status == MST_OK)
        status = j.json != NULL ? send_json(&j) : note_output(inv, mst_writer_commit(j.writer));
    if (status == MST_OK)
        tell(&j);
    job_close(&j);
    return status;
}

const command command_cov = {
    .name = "cov",
    .summary = "makes covariance matrices from signals",
    .usage = "[options] [FILE]",
    .description =
        "Writes the covariance matrix of the channels for each epoch of FILE: an NPY array "
        "(epochs, channels, samples), or one recording, an NPY array (channels, samples) or a text "
        "with a column for each channel and a line for each sample, cut into windows by --window. "
        "The output can be read as points of spd:n, n the number of channels: to a .npy file the "
        "matrices are written whole, (epochs, n, n), else as upper triangles, one per line.\n\n"
        "The plain covariance is the sum of products of the samples, less their mean, divided by "
        "their number less one. It is singular where there are not more samples than channels, "
        "with an average reference, and where channels are constant or copies of others; standard "
        "error tells, and names them. --shrink makes such matrices positive definite. The "
        "intensities of oas and ledoit-wolf hold for independent samples; neighbouring samples of "
        "a signal are not, so they come out too small rather than too large.",
    .options = (const option *const[]){&option_window, &option_step, &option_signal_shrink,
                                       &option_centre, &option_divisor, &option_transpose,
                                       &option_drop_missing, &option_report, OUTPUT_OPTIONS,
                                       &option_seed_unused, &option_threads_unused, NULL},
    .max_operands = 1,
    .examples =
        (const example[]){
            {"Epochs, for 'manistat mean --manifold spd:n covs.npy', n channels:",
             "manistat cov epochs.npy --shrink oas --quiet -o covs.npy"},
            {"One recording, half-overlapping windows:",
             "manistat cov recording.csv --window 50 --step 25 --shrink oas --quiet"},
            {NULL, NULL},
        },
    .run = run,
};
