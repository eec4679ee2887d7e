/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Epochs from tables: the readers of tables do the reading, and what is left is which way the axes run. */
#include "base/options.h"
#include "io/internal.h"

#include <inttypes.h>
#include <manistat/signals.h>
#include <math.h>
#include <stdio.h>

enum { MOST_CHANNELS = 8192 };

struct mst_signals {
    mst_reader *reader;
    mst_signals_options options;
    size_t channels, samples;
    bool epochs;
    bool by_sample; /* numbers of one sample stand together, in an epoch as in a recording */
    double *row;    /* an epoch of the file, if it holds epochs and they have to be turned */
    double *all;    /* else the recording, (length, channels) or (channels, length) */
    size_t length, count, rest;
    uint64_t next, dropped;
};

mst_signals_options mst_signals_options_default(void)
{
    return (mst_signals_options){.size = sizeof(mst_signals_options)};
}

/* ---- Shapes ---- */

static mst_status refuse_shape(const mst_reader *r)
{
    char shape[120] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->axes && i < READER_AXES; i++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%" PRIu64, i > 0 ? ", " : "",
                                 r->shape[i]);
    return mst_fail(MST_FORMAT,
                    "%s has %zu axes, of shape (%s%s); signals are (epochs, channels, samples) or "
                    "(channels, samples)",
                    r->source.name, r->axes, shape, r->axes > READER_AXES ? ", …" : "");
}

static mst_status check_channels(const mst_signals *s)
{
    if (s->channels <= MOST_CHANNELS)
        return MST_OK;
    return mst_fail(MST_FORMAT,
                    "%s: %zu channels of %zu sample%s are too many; if channels and samples have "
                    "changed places, pass `transpose`",
                    s->reader->source.name, s->channels, s->samples, s->samples == 1 ? "" : "s");
}

/* ---- Recordings ---- */

/* All rows of the file: channels or samples. */
static mst_status read_all(mst_signals *s, size_t *rows)
{
    mst_reader *r = s->reader;
    size_t cols = mst_reader_cols(r), capacity = 0, got = 1;
    *rows = 0;
    while (got > 0) {
        MST_TRY(mst_grow_bytes((void **)&s->all, *rows, &capacity, cols * sizeof *s->all));
        MST_TRY(mst_reader_next(r, capacity - *rows, s->all + *rows * cols, &got));
        for (size_t i = 0; i < got * cols && !s->options.drop_missing; i++) {
            double x = s->all[*rows * cols + i];
            if (isfinite(x))
                continue;
            uint64_t row, line;
            char text[40] = "", quoted[MST_QUOTED_TEXT] = "";
            const char *name = s->by_sample ? mst_reader_name(r, i % cols) : NULL;
            if (name != NULL)
                mst_quote_text(name, strlen(name), quoted);
            mst_reader_where(r, i / cols, &row, &line);
            if (line > 0)
                snprintf(text, sizeof text, " (line %" PRIu64 ")", line);
            uint64_t col = i % cols + 1, channel = s->by_sample ? col : row,
                     sample = s->by_sample ? row : col;
            return mst_fail(MST_FORMAT,
                            "%s, channel %" PRIu64 "%s%s, sample %" PRIu64
                            "%s: %s is not a finite number; `drop_missing` leaves such windows out",
                            r->source.name, channel, name != NULL ? " " : "", quoted, sample, text,
                            isnan(x) ? "nan" : (x < 0 ? "-inf" : "inf"));
        }
        *rows += got;
    }
    return MST_OK;
}

static mst_status open_recording(mst_signals *s)
{
    const mst_signals_options *o = &s->options;
    size_t rows;
    if (s->reader->axes == 2)
        s->by_sample = o->transpose;
    else
        s->by_sample = !o->transpose;
    MST_TRY(read_all(s, &rows));
    size_t cols = mst_reader_cols(s->reader);
    s->channels = s->by_sample ? cols : rows;
    s->length = s->by_sample ? rows : cols;
    s->samples = o->window > 0 ? o->window : s->length;
    size_t step = o->step > 0 ? o->step : s->samples;
    if (s->samples > s->length)
        return mst_fail(MST_ARGUMENT,
                        "`window` %zu is longer than the recording: %s has %zu channel%s of %zu "
                        "sample%s; if these have changed places, pass `transpose`",
                        s->samples, s->reader->source.name, s->channels,
                        s->channels == 1 ? "" : "s", s->length, s->length == 1 ? "" : "s");
    s->count = (s->length - s->samples) / step + 1;
    s->rest = s->length - s->samples - (s->count - 1) * step;
    return MST_OK;
}

static mst_status open_epochs(mst_signals *s)
{
    const mst_reader *r = s->reader;
    if (s->options.window > 0)
        return mst_fail(MST_ARGUMENT,
                        "`window` cuts one recording; %s holds %" PRIu64 " epochs already",
                        r->source.name, r->shape[0]);
    s->epochs = true;
    s->by_sample = s->options.transpose;
    s->channels = (size_t)r->shape[s->by_sample ? 2 : 1];
    s->samples = (size_t)r->shape[s->by_sample ? 1 : 2];
    return MST_OK;
}

mst_status mst_signals_open(mst_signals **out, const char *path, const mst_signals_options *options)
{
    mst_signals *s;
    MST_TRY(mst_allocate_zero(&s, 1));
    mst_status status = MST_TAKE_OPTIONS(&s->options, mst_signals_options, options);
    if (status == MST_OK && s->options.step > 0 && s->options.window == 0)
        status = mst_fail(MST_ARGUMENT, "`step` is from window to window and needs `window`");
    if (status == MST_OK)
        status = mst_reader_open(&s->reader, path);
    if (status == MST_OK && s->reader->landmark_dim > 0)
        status = mst_fail(MST_FORMAT, "%s holds landmarks and no signals", path);
    if (status == MST_OK && s->reader->axes > 3)
        status = refuse_shape(s->reader);
    if (status == MST_OK)
        status = s->reader->axes == 3 ? open_epochs(s) : open_recording(s);
    if (status == MST_OK)
        status = check_channels(s);
    if (status == MST_OK && s->epochs && s->by_sample)
        status = mst_allocate(&s->row, s->channels * s->samples);
    if (status != MST_OK) {
        mst_signals_free(s);
        return status;
    }
    *out = s;
    return MST_OK;
}

/* ---- Epochs ---- */

/* (samples, channels) to (channels, samples). */
static void turn(const mst_signals *s, const double *from, double *x)
{
    for (size_t t = 0; t < s->samples; t++)
        for (size_t c = 0; c < s->channels; c++)
            x[c * s->samples + t] = from[t * s->channels + c];
}

static mst_status next_epoch(mst_signals *s, double *x, bool *got)
{
    size_t n;
    MST_TRY(mst_reader_next(s->reader, 1, s->by_sample ? s->row : x, &n));
    *got = n > 0;
    if (*got && s->by_sample)
        turn(s, s->row, x);
    return MST_OK;
}

static void next_window(const mst_signals *s, double *x, bool *got)
{
    size_t step = s->options.step > 0 ? s->options.step : s->samples;
    *got = s->next < s->count;
    if (!*got)
        return;
    size_t first = (size_t)s->next * step;
    if (s->by_sample)
        turn(s, s->all + first * s->channels, x);
    for (size_t c = 0; c < s->channels && !s->by_sample; c++)
        memcpy(x + c * s->samples, s->all + c * s->length + first, s->samples * sizeof *x);
}

mst_status mst_signals_next(mst_signals *s, double *x, uint64_t *epoch, bool *got)
{
    for (;;) {
        if (s->epochs)
            MST_TRY(next_epoch(s, x, got));
        else
            next_window(s, x, got);
        if (!*got)
            return MST_OK;
        *epoch = s->next++;
        size_t k = 0, size = s->channels * s->samples;
        while (k < size && isfinite(x[k]))
            k++;
        if (k == size)
            return MST_OK;
        if (!s->options.drop_missing)
            return mst_fail(MST_FORMAT,
                            "%s, epoch %" PRIu64
                            ", channel %zu, sample %zu: %s is not a finite number; `drop_missing` "
                            "leaves such epochs out",
                            s->reader->source.name, *epoch + 1, k / s->samples + 1,
                            k % s->samples + 1, isnan(x[k]) ? "nan" : (x[k] < 0 ? "-inf" : "inf"));
        s->dropped++;
    }
}

size_t mst_signals_channels(const mst_signals *s)
{
    return s->channels;
}

size_t mst_signals_samples(const mst_signals *s)
{
    return s->samples;
}

bool mst_signals_has_epochs(const mst_signals *s)
{
    return s->epochs;
}

const char *mst_signals_name(const mst_signals *s, size_t channel)
{
    return s->by_sample && !s->epochs ? mst_reader_name(s->reader, channel) : NULL;
}

size_t mst_signals_rest(const mst_signals *s)
{
    return s->rest;
}

uint64_t mst_signals_dropped(const mst_signals *s)
{
    return s->dropped;
}

void mst_signals_free(mst_signals *s)
{
    if (s == NULL)
        return;
    mst_reader_free(s->reader);
    mst_release(s->row);
    mst_release(s->all);
    mst_release(s);
}
