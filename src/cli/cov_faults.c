/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "cov_faults.h"

#include "result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { CHANNEL = 48, LIST = 240 };

mst_status cov_faults_open(cov_faults *f, const invocation *inv, const mst_signals *signals)
{
    size_t p = mst_signals_channels(signals);
    *f = (cov_faults){.inv = inv, .signals = signals, .channels = p};
    f->constant = calloc(p, sizeof *f->constant);
    f->copied = calloc(p, sizeof *f->copied);
    f->original = calloc(p, sizeof *f->original);
    if (f->constant == NULL || f->copied == NULL || f->original == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu channels", p);
    return MST_OK;
}

void cov_faults_close(cov_faults *f)
{
    free(f->constant);
    free(f->copied);
    free(f->original);
}

void cov_faults_add(cov_faults *f, uint64_t epoch, const mst_covariance_info *info,
                    const size_t *twin)
{
    if (info->rank < f->channels && f->singular++ == 0) {
        f->first_singular = epoch;
        f->rank = info->rank;
    }
    f->referenced += info->sums_to_zero;
    for (size_t c = 0; c < f->channels; c++) {
        bool copy = twin[c] != c && twin[c] != SIZE_MAX;
        f->constant[c] += twin[c] == SIZE_MAX;
        if (copy && f->copied[c]++ == 0)
            f->original[c] = twin[c];
    }
}

/* ---- Texts ---- */

/* "5 (Fz)". */
static const char *channel_text(const cov_faults *f, size_t channel, char text[CHANNEL])
{
    const char *name = mst_signals_name(f->signals, channel);
    snprintf(text, CHANNEL, "%zu%s%.24s%s", channel + 1, name != NULL ? " (" : "",
             name != NULL ? name : "", name != NULL ? ")" : "");
    return text;
}

/* "channel 5 (Fz) in 3 epochs, channel 7 in 1"; 0 of them: false. */
static bool list_channels(const cov_faults *f, const uint64_t *epochs, const size_t *original,
                          char list[LIST])
{
    enum { MOST = 4 };
    size_t used = 0, found = 0;
    for (size_t c = 0; c < f->channels; c++) {
        char text[CHANNEL], of[CHANNEL + 8] = "";
        if (epochs[c] == 0 || found++ >= MOST)
            continue;
        if (original != NULL)
            snprintf(of, sizeof of, " of %s", channel_text(f, original[c], text));
        used += (size_t)snprintf(list + used, LIST - used, "%s%s%s in %" PRIu64,
                                 used > 0 ? ", " : "", channel_text(f, c, text), of, epochs[c]);
    }
    if (found > MOST)
        snprintf(list + used, LIST - used, " and %zu more", found - MOST);
    return found > 0;
}

/* A column that counts time would be the strongest channel of all. */
static void tell_time_column(const cov_faults *f)
{
    static const char *const names[] = {"time", "t", "times", "timestamp", "sample", "index"};
    const char *first = mst_signals_name(f->signals, 0);
    for (size_t i = 0; first != NULL && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(first, names[i]) == 0)
            warn(f->inv,
                 "warning: the first column is called %s and is taken for a channel; leave it out "
                 "(cut -d, -f2-) if it is none",
                 first);
}

void cov_faults_tell(const cov_faults *f, size_t count, size_t samples, size_t divisor, bool shrunk)
{
    char list[LIST];
    const char *unit = mst_signals_has_epochs(f->signals) ? "epoch" : "window";
    tell_time_column(f);
    if (list_channels(f, f->constant, NULL, list))
        warn(f->inv, "warning: constant channels: %s of %zu %ss", list, count, unit);
    if (list_channels(f, f->copied, f->original, list))
        warn(f->inv, "warning: channels that are copies, up to a factor: %s of %zu %ss", list,
             count, unit);
    if (divisor < f->channels)
        warn(f->inv,
             "warning: %zu samples for %zu channels: the rank is %zu at most; take longer epochs, "
             "or --transpose if channels and samples have changed places",
             samples, f->channels, divisor);
    if (f->singular > 0 && !shrunk)
        warn(f->inv,
             "warning: %" PRIu64
             " of %zu covariances are singular (the first is that of %s %" PRIu64
             ", of rank %zu instead of %zu%s): other commands refuse such; pass --shrink",
             f->singular, count, unit, f->first_singular + 1, f->rank, f->channels,
             f->referenced > 0 ? "; the channels sum to zero, as with an average reference" : "");
}

/* ---- JSON ---- */

static void json_channels(const cov_faults *f, mst_json *j, const char *key, const uint64_t *epochs)
{
    mst_json_key(j, key);
    mst_json_array(j);
    for (size_t c = 0; c < f->channels; c++)
        if (epochs[c] > 0)
            mst_json_integer(j, c + 1);
    mst_json_end(j);
}

void cov_faults_json(const cov_faults *f, mst_json *j)
{
    json_member_integer(j, "singular", f->singular);
    json_channels(f, j, "constant_channels", f->constant);
    json_channels(f, j, "copied_channels", f->copied);
}
