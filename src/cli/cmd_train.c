/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "commands.h"
#include "common.h"
#include "learned_reach.h"
#include "plotting.h"
#include "result.h"
#include "shares.h"
#include "util/json.h"
#include "util/lock.h"
#include "util/output.h"

#include <errno.h>
#include <manistat/learned.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY = 400 };

/* In the order of mst_loss and mst_activation. */
static const char *const losses[] = {
#define LOSS_NAME(constant, name, what) #name,
    MST_LOSS_LIST(LOSS_NAME)
#undef LOSS_NAME
        NULL};
#define LOSS_HELP(constant, name, what) "; " #name " is " what
static const char *const activations[] = {"silu", "tanh", NULL};
static const char *const divergences[] = {"hutchinson", "exact", NULL};
static const char *const presets[] = {"paper", NULL};
enum { STARTS_FRESH, STARTS_CHAINED };
static const char *const kinds_of_starts[] = {
    [STARTS_FRESH] = "fresh", [STARTS_CHAINED] = "chained", NULL};

#define GROUP_NETWORK "The network"
#define GROUP_LEARNING "How it is learned"

#define COUNT(identifier, word, letters, usual, sample, most, heading, text) \
    static const option identifier = {.name = word,                          \
                                      .kind = OPTION_COUNT,                  \
                                      .value = letters,                      \
                                      .fallback = usual,                     \
                                      .example = sample,                     \
                                      .minimum = 1,                          \
                                      .maximum = most,                       \
                                      .group = heading,                      \
                                      .help = text}
#define POSITIVE(identifier, word, letters, usual, sample, heading, text) \
    static const option identifier = {.name = word,                       \
                                      .kind = OPTION_POSITIVE,            \
                                      .value = letters,                   \
                                      .fallback = usual,                  \
                                      .example = sample,                  \
                                      .group = heading,                   \
                                      .help = text}
#define CHOICE(identifier, word, letters, words, usual, sample, heading, text) \
    static const option identifier = {.name = word,                            \
                                      .kind = OPTION_CHOICE,                   \
                                      .choices = words,                        \
                                      .value = letters,                        \
                                      .fallback = usual,                       \
                                      .example = sample,                       \
                                      .group = heading,                        \
                                      .help = text}
#define FLAG(identifier, word, heading, text) \
    static const option identifier = {        \
        .name = word, .kind = OPTION_FLAG, .group = heading, .help = text}

static const option option_model = {
    .letter = 'o',
    .kind = OPTION_FILE,
    .writes = true,
    .required = true,
    .value = "FILE",
    .example = "model.safetensors",
    .help = "write the model to FILE, which appears when it is complete; until then there is a "
            "FILE.checkpoint. Required.",
};

FLAG(option_again, "force", "Common options",
     "overwrite FILE if it exists, and start over even if there is a FILE.checkpoint");

POSITIVE(option_minutes, "minutes", "M", "1", "10", NULL, "train for M minutes");
COUNT(option_steps, "steps", "N", NULL, "20000", 1000000000000, NULL,
      "train for N steps instead; the model then depends on the options alone");
POSITIVE(option_t_min, "t-min", "A", "0.005", "0.01", NULL,
         "the smallest time that the model is for");
POSITIVE(option_t_max, "t-max", "B", "1", "2", NULL,
         "the largest (learned manifolds: the square of their unit, and --t-min 0.005 of --t-max)");
POSITIVE(option_t, "t", "T", NULL, "0.01", NULL,
         "one fixed, small time instead of a range: a model for log, dist and Frechet means");
static const option option_start = {
    .name = "start",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "P",
    .example = "0,0,1",
    .help = "start the Brownian paths around this point, numbers joined by commas, or around each "
            "point of a file (default: uniform on compact manifolds, else around the point "
            "that 'manistat manifolds SPEC' shows)",
};
static const option option_around = {
    .name = "around",
    .kind = OPTION_FILE,
    .value = "FILE",
    .example = "data.csv",
    .help = "start them around the points of a data file, which the model should cover",
};
CHOICE(option_starts, "starts", "HOW", kinds_of_starts, "fresh", "chained", NULL,
       "fresh: every path begins there; chained: only those of the first batch do, and then each "
       "where one of the batch before ended. Outside of compact manifolds they go away for ever");
FLAG(option_resume, "resume", NULL,
     "continue from FILE.checkpoint with the same options as before; only --steps or --minutes may "
     "differ");
POSITIVE(option_checkpoint, "checkpoint", "SECONDS", "5", "60", NULL,
         "time between two checkpoints");

COUNT(option_width, "width", "W", NULL, "256", 65536, GROUP_NETWORK,
      "neurons in a hidden layer (default: 128; 64 on manifolds from formulas that have no closed "
      "logarithm)");
COUNT(option_depth, "depth", "L", "3", "5", 64, GROUP_NETWORK, "hidden layers");
CHOICE(option_activation, "activation", "NAME", activations, "silu", "tanh", GROUP_NETWORK,
       "of the hidden layers: silu or tanh");
FLAG(option_energy, "energy", GROUP_NETWORK,
     "the score is the gradient of the network's output, so that it has no curl; slower");
FLAG(option_time_head, "time-head", GROUP_NETWORK,
     "learn the time derivative as a separate output instead of computing it from the divergence "
     "of the score; faster to use");

CHOICE(option_preset, "preset", "NAME", presets, NULL, "paper", GROUP_LEARNING,
       "other defaults: paper (the published training: 3 layers of 128 for R^n, 5 of 512 for S^n, "
       "3 of 512 for sym, spd, landmarks and what the paper has not; tanh, dsm, chained starts, "
       "batches of 102400, t from 0.01); options that are given take precedence");
CHOICE(option_loss, "loss", "NAME", losses, "bel", "dsm", GROUP_LEARNING,
       "what training minimises" MST_LOSS_LIST(LOSS_HELP));
CHOICE(option_divergence, "divergence", "HOW", divergences, "hutchinson", "exact", GROUP_LEARNING,
       "of --loss ism: hutchinson (a random estimate) or exact");
COUNT(option_batch, "batch", "N", NULL, "8192", 4194304, GROUP_LEARNING,
      "samples in a step (default: 4096)");
POSITIVE(option_rate, "rate", "R", "0.003", "0.001", GROUP_LEARNING, "the largest learning rate");
COUNT(option_path_steps, "path-steps", "K", NULL, "64", 100000, GROUP_LEARNING,
      "steps of a Brownian path (default: 24; 48 on manifolds from formulas that have no closed "
      "logarithm; 100 for losses other than bel)");
COUNT(option_path_samples, "path-samples", "N", NULL, "24", 1000, GROUP_LEARNING,
      "samples taken from a path, each at a time of its own (default: 4, or 24 with paths of 48 "
      "steps; 25 for losses other than bel): more are cheaper to make but less independent");
POSITIVE(option_clip, "clip", "C", NULL, "1", GROUP_LEARNING,
         "shorten gradients to this norm (default: never)");

typedef struct training {
    invocation *inv;
    const char *path;
    char *checkpoint;
    bool resume, force, replace; /* replace: a file at `path` may be overwritten */
    bool stale;                  /* a checkpoint of another training is in the way */
    mst_manifold *m;
    double *start;
    mst_train_options options;
    mst_network *net;
    mst_lock *lock;      /* on `path` */
    share_survey shares; /* once there is a network */
    progress progress;
    plotting plot;
    size_t reports; /* so far, and those of them that are kept */
    size_t kept, stride;
    double history[3][HISTORY]; /* step, loss, excess */
} training;

/* ---- Options ---- */

static size_t given_count(const invocation *inv, const option *o, size_t usual)
{
    return option_given(inv, o) ? (size_t)option_get(inv, o)->count : usual;
}

static double given_number(const invocation *inv, const option *o, double usual)
{
    return option_given(inv, o) ? option_get(inv, o)->number : usual;
}

static mst_status refuse_both(const invocation *inv, const option *a, const option *b)
{
    char first[OPTION_WORD], second[OPTION_WORD];
    if (!option_given(inv, a) || !option_given(inv, b))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "%s and %s exclude each other; give one of them",
                    option_word(a, first), option_word(b, second));
}

static mst_status check_choices(const invocation *inv)
{
    const option *const pairs[][2] = {{&option_minutes, &option_steps},
                                      {&option_t, &option_t_min},
                                      {&option_t, &option_t_max},
                                      {&option_start, &option_around}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        mst_status status = refuse_both(inv, pairs[k][0], pairs[k][1]);
        if (status != MST_OK)
            return status;
    }
    if (option_given(inv, &option_divergence) &&
        option_get(inv, &option_loss)->choice != MST_LOSS_ISM)
        return mst_fail(MST_ARGUMENT, "--divergence is for --loss ism; leave it out");
    return MST_OK;
}

static void set_options(training *t)
{
    const invocation *inv = t->inv;
    mst_train_options o = option_given(inv, &option_preset) ? mst_train_options_paper_for(t->m)
                                                            : mst_train_options_default();
    if (option_given(inv, &option_loss))
        o.loss = (mst_loss)option_get(inv, &option_loss)->choice;
    if (option_given(inv, &option_activation))
        o.activation = (mst_activation)option_get(inv, &option_activation)->choice;
    if (option_given(inv, &option_divergence))
        o.hutchinson = option_get(inv, &option_divergence)->choice == 0;
    if (option_given(inv, &option_starts))
        o.chained_starts = option_get(inv, &option_starts)->choice == STARTS_CHAINED;
    o.minutes = given_number(inv, &option_minutes, o.minutes);
    o.steps = given_count(inv, &option_steps, 0);
    o.width = given_count(inv, &option_width, o.width);
    o.depth = given_count(inv, &option_depth, o.depth);
    o.t_min = given_number(inv, &option_t_min, o.t_min);
    o.t_max = given_number(inv, &option_t_max, o.t_max);
    o.t = given_number(inv, &option_t, o.t);
    o.energy = option_given(inv, &option_energy);
    o.time_head = option_given(inv, &option_time_head);
    o.batch = given_count(inv, &option_batch, o.batch);
    o.rate = given_number(inv, &option_rate, o.rate);
    o.path_steps = given_count(inv, &option_path_steps, o.path_steps);
    o.path_samples = given_count(inv, &option_path_samples, o.path_samples);
    o.clip = given_number(inv, &option_clip, o.clip);
    o.every = given_number(inv, &option_checkpoint, o.every);
    o.seed = option_given(inv, &option_seed) ? option_get(inv, &option_seed)->count : o.seed;
    o.threads = (int)option_get(inv, &option_threads)->count;
    o.checkpoint = t->checkpoint;
    o.resume = t->resume;
    t->options = o;
}

/* The usual times are of spaces with a size of about 1. A learned manifold has the units of its data. */
static mst_status scale_times(training *t)
{
    mst_learned_info info;
    mst_train_options *o = &t->options;
    const invocation *inv = t->inv;
    if (!mst_manifold_is_learned(t->m) || option_given(inv, &option_t))
        return MST_OK;
    mst_status status = mst_learned_describe(t->m, &info);
    if (status != MST_OK)
        return status;
    double share = o->t_min / mst_train_options_default().t_max;
    if (!option_given(inv, &option_t_max))
        o->t_max *= info.unit * info.unit;
    if (!option_given(inv, &option_t_min))
        o->t_min = share * o->t_max;
    return MST_OK;
}

static mst_status read_starts(training *t)
{
    const option *o = option_given(t->inv, &option_start) ? &option_start : &option_around;
    if (!option_given(t->inv, o))
        return MST_OK;
    mst_status status = read_point_option(t->inv, o, t->m, &t->start, &t->options.starts);
    t->options.start = t->start;
    return status;
}

/* ---- Files: everything that can be in the way is found before the work ---- */

/* What an interrupted training has left may be replaced by what follows from it. */
static bool unfinished_model(const training *t)
{
    mst_network *net;
    if (!t->resume || mst_network_read(&net, t->path, t->m) != MST_OK)
        return false;
    bool unfinished = !mst_network_describe(net).finished;
    mst_network_free(net);
    return unfinished;
}

static mst_status check_checkpoint(training *t)
{
    bool there = access(t->checkpoint, F_OK) == 0;
    if (t->resume && !there)
        return mst_fail(MST_ARGUMENT,
                        "there is no %s to go on from; leave out --resume to begin a training",
                        t->checkpoint);
    if (there && !t->resume && !t->force)
        return mst_fail(MST_ARGUMENT,
                        "%s is there, of a training that was stopped; pass --resume to go on with "
                        "it, or --force to begin again",
                        t->checkpoint);
    t->stale = there && !t->resume;
    return MST_OK;
}

static mst_status check_files(training *t)
{
    mst_output *probe = NULL;
    if (strcmp(t->path, "-") == 0)
        return mst_fail(MST_ARGUMENT,
                        "a model does not go to standard output; name a file, for "
                        "example -o %s",
                        option_model.example);
    if (asprintf(&t->checkpoint, "%s.checkpoint", t->path) < 0) {
        t->checkpoint = NULL;
        return mst_fail(MST_MEMORY, "not enough memory");
    }
    t->replace = t->force || unfinished_model(t);
    mst_status status = mst_output_open(&probe, t->path, t->replace);
    mst_output_free(probe);
    if (status == MST_OK)
        status = mst_lock_take(&t->lock, t->path);
    t->inv->output_failed = status != MST_OK;
    return status == MST_OK ? check_checkpoint(t) : status;
}

static mst_status prepare(training *t)
{
    invocation *inv = t->inv;
    t->path = option_get(inv, &option_model)->text;
    t->resume = option_given(inv, &option_resume);
    t->force = option_given(inv, &option_again);
    mst_status status = open_manifold(inv, &t->m);
    if (status == MST_OK)
        status = check_choices(inv);
    if (status == MST_OK)
        status = check_files(t);
    if (status != MST_OK)
        return status;
    set_options(t);
    status = scale_times(t);
    return status == MST_OK ? read_starts(t) : status;
}

/* ---- Training ---- */

/* Keeps every report, then every second one and so on, so that they fit. */
static void keep_state(training *t, const mst_train_state *state)
{
    if (t->kept == HISTORY) {
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < HISTORY / 2; i++)
                t->history[k][i] = t->history[k][2 * i];
        t->kept = HISTORY / 2;
        t->stride *= 2;
    }
    if (t->reports++ % t->stride != 0)
        return;
    t->history[0][t->kept] = (double)state->step;
    t->history[1][t->kept] = state->loss;
    t->history[2][t->kept++] = state->excess;
}

static int report_state(void *user, const mst_train_state *state)
{
    training *t = user;
    char left[DURATION_TEXT] = "?", excess[32] = "";
    if (t->stale) /* the options were sound, and this training is the one to resume from now on */
        unlink(t->checkpoint);
    t->stale = false;
    keep_state(t, state);
    if (state->progress > 0)
        duration_text(state->seconds * (1 - state->progress) / state->progress, left);
    if (!isnan(state->excess))
        snprintf(excess, sizeof excess, ", excess %.4f", state->excess);
    progress_line(&t->progress, "%.0f%%, %.3g k samples/s, loss %.4g%s, %s left",
                  floor(100 * state->progress), state->samples_per_second / 1000, state->loss,
                  excess, left);
    return interrupted();
}

/* A failure keeps the last checkpoint; say so. */
static mst_status keep_checkpoint(const training *t, mst_status status)
{
    if (t->stale || access(t->checkpoint, F_OK) != 0)
        return status;
    return mst_fail(status, "%s; %s is kept", mst_error_detail(), t->checkpoint);
}

/* The checkpoint is all there is until the model has been seen to be one. */
static mst_status read_back(const training *t)
{
    mst_network *net;
    struct stat info;
    if (stat(t->path, &info) != 0 || !S_ISREG(info.st_mode))
        return MST_OK; /* a pipe or device */
    mst_status status = mst_network_read(&net, t->path, t->m);
    if (status != MST_OK)
        return status;
    mst_network_free(net);
    return MST_OK;
}

static mst_status train(training *t)
{
    allow_slow_stop();
    t->progress = progress_start(t->inv, "samples", 0);
    t->options.report = (mst_train_report){.report = report_state, .user = t};
    mst_status status = mst_train(&t->net, t->m, &t->options);
    progress_end(&t->progress);
    t->inv->output_failed = status == MST_IO; /* of the checkpoint */
    if (t->net == NULL)
        return status == MST_BREAKDOWN ? keep_checkpoint(t, status) : status;
    /* From here on there is a model, interrupted or not. */
    t->inv->stopped_well = true;
    status = mst_network_write(t->net, t->path, t->replace);
    if (status != MST_OK) {
        t->inv->output_failed = true;
        return keep_checkpoint(t, status);
    }
    if (!mst_network_describe(t->net).finished)
        return MST_OK;
    status = read_back(t);
    if (status != MST_OK)
        return keep_checkpoint(t, status);
    unlink(t->checkpoint); /* there need not be one */
    return MST_OK;
}

/* ---- The result ---- */

static void write_json(const training *t, mst_json *j)
{
    mst_network_info i = mst_network_describe(t->net);
    json_member_string(j, "manifold", i.manifold);
    json_member_string(j, "loss", mst_loss_name(i.loss));
    json_member_integer(j, "steps", i.steps);
    json_member_integer(j, "samples", i.samples);
    if (i.left > 0)
        json_member_integer(j, "left", i.left);
    json_member_number(j, "training_seconds", i.seconds);
    json_member_number(j, "samples_per_second", (double)i.samples / i.seconds);
    json_member_number(j, "excess", i.excess);
    json_member_string(j, "targets", mst_targets_name(i.targets));
    json_member_number(j, "kappa", i.kappa);
    json_member_bool(j, "finished", i.finished);
    json_member_number(j, "t_min", i.t_min);
    json_member_number(j, "t_max", i.t_max);
    json_member_integer(j, "width", i.width);
    json_member_integer(j, "depth", i.depth);
    json_member_integer(j, "parameters", i.parameters);
    json_member_string(j, "file", t->path);
    shares_json(&t->shares, j);
    learned_json_warnings(j, t->m, i.t_max);
    static const char *const keys[] = {"step", "loss", "excess"};
    mst_json_key(j, "history");
    mst_json_object(j);
    for (size_t k = 0; k < 3; k++)
        json_member_numbers(j, keys[k], t->kept, t->history[k]);
    mst_json_end(j);
}

static mst_status draw(training *t)
{
    if (t->plot.path == NULL)
        return MST_OK;
    mst_status status = plotting_begin(&t->plot);
    if (status != MST_OK)
        return status;
    write_json(t, t->plot.json);
    return plotting_end(&t->plot, t->m, 0, NULL, NULL, NULL);
}

static void write_page(const training *t, FILE *out)
{
    mst_network_info i = mst_network_describe(t->net);
    fprintf(out, "%s, a score network for %s%s\n\n", t->path, i.manifold,
            i.finished ? "" : ", not finished");
    if (i.t_min == i.t_max)
        fprintf(out, "  time      %g, fixed\n", i.t_min);
    else
        fprintf(out, "  times     %g to %g\n", i.t_min, i.t_max);
    fprintf(out, "  network   %zu x %zu %s, %zu parameters\n", i.depth, i.width,
            activations[i.activation], i.parameters);
    fprintf(out, "  training  %s, %llu step%s, %.4g samples in %.1f s (%.3g k samples/s)\n",
            mst_loss_name(i.loss), (unsigned long long)i.steps, i.steps == 1 ? "" : "s",
            (double)i.samples, i.seconds, (double)i.samples / i.seconds / 1000);
    if (i.left > 0)
        fprintf(out, "  left out  %llu samples, whose paths left the domain\n",
                (unsigned long long)i.left);
    if (!isnan(i.kappa))
        fprintf(out, "  targets   by %s; kappa %.3g\n", mst_targets_text(i.targets), i.kappa);
    if (!isnan(i.excess))
        fprintf(
            out,
            "  excess    %.4f (held-out loss over that of the short-time approximation, less 1)\n",
            i.excess);
    if (i.excess > 0)
        fprintf(out, "            above 0: worse than that approximation alone; train longer\n");
    shares_print(&t->shares, out, 10);
    const option *where = option_given(t->inv, &option_start) ? &option_start : &option_around;
    bool given = option_given(t->inv, where);
    fprintf(out,
            "\nHow good is it?  manistat check %s%s%s%s%s\n"
            "Use it:          manistat mean %s--score %s data.csv\n",
            t->path, given ? " --" : "", given ? where->name : "", given ? " " : "",
            given ? option_get(t->inv, where)->text : "",
            i.t_min == i.t_max ? "--kind frechet " : "", t->path);
}

static mst_status conclude(const training *t)
{
    mst_network_info i = mst_network_describe(t->net);
    learned_warn(t->inv, t->m, i.t_max);
    if (i.finished)
        return MST_OK;
    return mst_fail(MST_INTERRUPTED,
                    "interrupted after %llu steps; %s holds what was learned, and the same command "
                    "with --resume goes on",
                    (unsigned long long)i.steps, t->path);
}

static mst_status run(invocation *inv)
{
    training t = {.inv = inv, .stride = 1};
    report r = {0};
    mst_status status = prepare(&t);
    if (status == MST_OK)
        status = plotting_open(&t.plot, inv);
    if (status == MST_OK)
        status = report_open(&r, inv);
    if (status == MST_OK && !t.resume)
        status = shares_warn_before(inv, t.m, &t.options);
    if (status == MST_OK)
        status = train(&t);
    if (status == MST_OK)
        status = shares_survey(&t.shares, t.net);
    if (status == MST_OK && r.json != NULL)
        write_json(&t, r.json);
    else if (status == MST_OK)
        write_page(&t, r.text);
    if (status == MST_OK)
        status = draw(&t);
    if (status == MST_OK)
        status = report_finish(&r);
    if (status == MST_OK)
        status = plotting_conclude(&t.plot, conclude(&t));
    report_close(&r);
    plotting_close(&t.plot);
    mst_network_free(t.net);
    free(t.start);
    free(t.checkpoint);
    mst_lock_free(t.lock);
    mst_manifold_free(t.m);
    return status;
}

const command command_train = {
    .name = "train",
    .summary = "learns a score network for a manifold",
    .usage = "--manifold SPEC -o FILE [options]",
    .description =
        "Learns the score, the gradient of the log of the heat kernel, from simulated Brownian "
        "paths, once per manifold. With --score FILE, mean, test, kmeans, heat, log, dist and "
        "geodesic then use it: for any data on compact manifolds, elsewhere for data where the "
        "paths went (--around). The model knows its manifold and the times and places it is "
        "for.\n\n"
        "The excess compares the loss on held-out samples with that of the short-time "
        "approximation that the network starts from: below 0 is better, and the noise of the "
        "targets sets the floor. 'manistat check' measures more.\n\n"
        "Ctrl-C stops at the next step and leaves a usable model; a killed training leaves "
        "FILE.checkpoint. In both cases the same command with --resume continues; with --steps it "
        "ends with the same weights as an uninterrupted run.",
    .options =
        (const option *const[]){
            &option_manifold,  &option_model,  &option_minutes,    &option_steps,
            &option_t_min,     &option_t_max,  &option_t,          &option_start,
            &option_around,    &option_starts, &option_resume,     &option_checkpoint,
            &option_width,     &option_depth,  &option_activation, &option_energy,
            &option_time_head, &option_preset, &option_loss,       &option_divergence,
            &option_batch,     &option_rate,   &option_path_steps, &option_path_samples,
            &option_clip,      POINT_OPTIONS,  SHRINK_OPTIONS,     &option_seed,
            &option_threads,   PLOT_OPTIONS,   &option_json,       &option_again,
            &option_quiet,     &option_help,   &option_version,    NULL},
    .max_operands = 0,
    .examples =
        (const example[]){
            {"A model of covariance matrices of order three, in five minutes:",
             "manistat train --manifold spd:3 --minutes 5 -o model.safetensors"},
            {"One that covers the points of a file:",
             "manistat train --manifold spd:3 --around matrices.csv -o model.safetensors"},
            {"A number of steps instead of minutes gives the same model every time:",
             "manistat train --manifold so3 --steps 500 -o model.safetensors"},
            {NULL, NULL},
        },
    .run = run,
};
