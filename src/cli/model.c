/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char exact[] = "exact";
static const char logarithm[] = "log";
static const char expansion[] = "expansion";
static const char bridge[] = "bridge";
static const char pde[] = "pde";
static const char spectral[] = "spectral";
static const char *const words[] = {exact, logarithm, expansion, bridge, pde, spectral, NULL};

/* How --score is called, whatever it is for. */
#define SCORE_OPTION                                                            \
    .name = "score", .kind = OPTION_FILE, .choices = words,                     \
    .value = "exact|log|expansion|bridge|pde|spectral|FILE", .fallback = exact, \
    .example = "model.safetensors"

const option option_score = {
    SCORE_OPTION,
    .help =
        "where the score comes from: exact (the closed form of the heat kernel, where there is "
        "one), expansion (that for small times along geodesics; the default for likelihoods where "
        "there is no closed form), bridge (simulated bridges, on any manifold; "
        "bridge?paths=M&steps=N for M paths a pair, 200 but for means, which choose, of N steps, "
        "48), pde (the heat equation, "
        "solved on a grid: surfaces with one chart; pde?grid=1.5 is finer), spectral "
        "(eigenfunctions, "
        "for long times on closed surfaces), log (the logarithm, "
        "which has no time: Frechet means) or a "
        "model FILE written by train; FILE?alone uses its network only, FILE?beyond=yes allows "
        "times outside the model's range, "
        "FILE?t=0.01 is its "
        "small-time limit there; --force allows times and data that the model does not know",
};

const option option_score_limit = {
    SCORE_OPTION,
    .help = "exact, expansion, pde, spectral or log (the geometry of the manifold), or a model "
            "FILE written by "
            "train, whose "
            "score at its least time, or at that of FILE?t=0.01, takes the place of the logarithm; "
            "FILE?alone uses its network only; "
            "--force accepts pairs that the model does not know",
};

static const char *score_text(const invocation *inv)
{
    const char *text = option_get(inv, &option_score)->text;
    if (text == NULL)
        text = option_get(inv, &option_score_limit)->text;
    return text != NULL ? text : exact;
}

static bool same_file(const char *path, const char *other)
{
    struct stat a, b;
    return path != NULL && stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static mst_status check_model_path(const invocation *inv, const char *path)
{
    if (same_file(option_get(inv, &option_output)->text, path))
        return mst_fail(MST_ARGUMENT, "-o %s is the model itself; name another file", path);
    if (strcmp(path, "-") == 0)
        return mst_fail(MST_ARGUMENT, "a model is not read from standard input; name its file");
    return MST_OK;
}

mst_status read_model(const invocation *inv, mst_network **net, const char *path,
                      const mst_manifold *m)
{
    *net = NULL;
    mst_status status = check_model_path(inv, path);
    return status == MST_OK ? mst_network_read(net, path, m) : status;
}

/* Those that a command opens when it is needed: where there is no closed form there are
 * still Frechet means. */
static bool opens_later(const char *score)
{
    return strcmp(score, exact) == 0 || strcmp(score, logarithm) == 0;
}

bool asks_for_bridges(const invocation *inv)
{
    const char *text = score_text(inv);
    size_t length = strlen(bridge);
    return strncmp(text, bridge, length) == 0 && (text[length] == '\0' || text[length] == '?');
}

/* With one option more; free(). */
static mst_status add_option(const char *score, const char *more, char **out)
{
    bool file = access(score, F_OK) == 0;
    if (asprintf(out, "%s%c%s", score, file || strchr(score, '?') == NULL ? '?' : '&', more) >= 0)
        return MST_OK;
    *out = NULL;
    return mst_fail(MST_MEMORY, "not enough memory");
}

/* The text of --score with what other options say about it; *more: null if they say nothing. */
static mst_status complete_score(const model *o, bool named, char **more)
{
    const option_value *seed = option_get(o->inv, &option_seed);
    *more = NULL;
    if (o->beyond && !named)
        return add_option(o->score, "beyond=yes", more);
    if (!asks_for_bridges(o->inv) || !seed->given || strstr(o->score, "seed=") != NULL)
        return MST_OK;
    char text[32];
    snprintf(text, sizeof text, "seed=%" PRIu64, seed->count);
    return add_option(o->score, text, more);
}

static mst_status open_score(model *o)
{
    char *more = NULL;
    bool named = mst_score_is_name(o->score);
    mst_status status = named ? MST_OK : check_model_path(o->inv, o->score);
    if (status == MST_OK)
        status = complete_score(o, named, &more);
    if (status != MST_OK)
        return status;
    status = mst_score_open(&o->source, more != NULL ? more : o->score, named ? o->owned : NULL);
    free(more);
    return status == MST_ARGUMENT ? mst_fail(status, "--score %s", mst_error_detail()) : status;
}

static mst_status read_score(model *o)
{
    mst_status status = open_score(o);
    if (status != MST_OK)
        return status;
    o->net = mst_score_network(o->source);
    o->limit = mst_score_limit_time(o->source);
    o->beyond |= o->limit == 0 && isinf(mst_score_describe(o->source)->t_largest);
    o->m = mst_score_manifold(o->source);
    if (o->owned != NULL && !mst_manifold_is_same(o->m, o->owned) &&
        strcmp(mst_manifold_spec(o->m), mst_manifold_spec(o->owned)) == 0)
        return mst_fail(MST_ARGUMENT,
                        "%s: a model for another %s: it says something else now; leave out "
                        "--manifold to take that of the model",
                        o->score, mst_manifold_spec(o->m));
    if (o->owned != NULL && !mst_manifold_is_same(o->m, o->owned))
        return mst_fail(
            MST_ARGUMENT,
            "%s: a model for %s, not for %s; leave out --manifold or take another model", o->score,
            mst_manifold_spec(o->m), mst_manifold_spec(o->owned));
    if (o->net != NULL)
        o->info = mst_network_describe(o->net);
    return MST_OK;
}

mst_status model_open(model *o, const invocation *inv)
{
    *o = (model){.inv = inv, .score = score_text(inv), .beyond = option_given(inv, &option_force)};
    const char *spec = manifold_text(inv);
    if (spec == NULL && mst_score_is_name(o->score))
        return mst_fail(MST_ARGUMENT, "--manifold SPEC is missing; for example --manifold %s",
                        option_manifold.example);
    mst_status status = spec != NULL ? parse_manifold(&o->owned, spec) : MST_OK;
    o->m = o->owned;
    return status == MST_OK && !opens_later(o->score) ? read_score(o) : status;
}

mst_status model_open_likelihood(model *o)
{
    bool given = option_get(o->inv, &option_score)->given;
    if (o->source != NULL || given || mst_heat_has_exact(o->m))
        return MST_OK;
    /* With a closed logarithm Fréchet means are at hand, and the expansion must be asked for. */
    if ((mst_manifold_traits_of(o->m)->closed & MST_CLOSED_LOG) != 0)
        return mst_heat_require_exact(o->m);
    o->score = expansion;
    mst_status status = read_score(o);
    return status == MST_UNABLE ? mst_heat_require_exact(o->m) : status;
}

void model_close(model *o)
{
    mst_score_free(o->source);
    mst_manifold_free(o->owned);
}

mst_status model_check_time(const model *o, const char *what, double t)
{
    if (o->net == NULL || o->beyond || mst_time_within(t, o->info.t_min, o->info.t_max))
        return MST_OK;
    if (o->info.t_min == o->info.t_max)
        return mst_fail(
            MST_DOMAIN,
            "%s is not %g, the only time for which %s was trained; --force accepts it anyway", what,
            o->info.t_min, o->score);
    return mst_fail(
        MST_DOMAIN,
        "%s lies outside %g to %g, the times for which %s was trained; --force accepts it anyway",
        what, o->info.t_min, o->info.t_max, o->score);
}

bool model_has_time(const model *o)
{
    return o->source != NULL ? mst_score_gives(o->source, MST_GIVES_TIME)
                             : strcmp(o->score, logarithm) != 0;
}

mst_status model_require_time(const model *o)
{
    if (model_has_time(o))
        return MST_OK;
    return mst_fail(MST_ARGUMENT, "--score %s has no time and so no likelihood", o->score);
}

void model_warn_time(model *o, double t)
{
    double low, high;
    if (o->net == NULL || o->warned || !isfinite(t))
        return;
    mst_time_standing standing = mst_network_time(o->net, t, &low, &high);
    if (standing == MST_TIME_HOPELESS)
        warn(o->inv, "warning: the certificate of %s finds it good for no time; train longer",
             o->score);
    else if (standing != MST_TIME_USABLE)
        warn(o->inv, "warning: the time %g lies outside %g to %g, the times for which %s %s", t,
             low, high, o->score,
             standing == MST_TIME_UNCERTIFIED ? "is certified" : "was trained");
    o->warned = standing != MST_TIME_USABLE;
}

mst_status model_warn_reach(model *o, const char *path, uint64_t before, size_t n, const double *x)
{
    mst_outside found;
    if (o->net == NULL || o->warned_reach)
        return MST_OK;
    mst_status status = mst_network_outside(o->net, n, x, &found);
    if (status != MST_OK || found.rows == 0)
        return status;
    unsigned long long row = before + found.farthest + 1, more = found.rows - 1;
    char others[64] = "";
    if (more > 0)
        snprintf(others, sizeof others, " and %llu other%s", more, more == 1 ? "" : "s");
    warn(o->inv,
         "warning: %s, row %llu%s: %.3g from the centre of the training of %s, whose paths reached "
         "%.3g; beyond that it extrapolates: train one with --around",
         shown_path(path), row, others, found.distance, o->score, o->info.reach);
    o->warned_reach = true;
    return MST_OK;
}
