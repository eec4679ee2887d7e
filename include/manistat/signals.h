/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Signals in files: several channels, measured at the same times. An NPY array (epochs, channels, samples) is
 * a sequence of epochs and is streamed. An NPY array (channels, samples), or a text with a column for each
 * channel and a line for each sample, is one recording, which may be cut into windows; it
 * is held in memory. */
#ifndef MANISTAT_SIGNALS_H
#define MANISTAT_SIGNALS_H

#include <manistat/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mst_signals_options {
    size_t size;   /* set by the default: how much of the struct the program knows */
    size_t window; /* default 0: a recording is one epoch; else samples of a window */
    size_t
        step; /* default 0: as `window`; else samples from the beginning of one to that of the next */
    /* default false; true: samples and channels have changed places, in arrays (…, samples, channels), in a
     * text a line for each channel */
    bool transpose;
    /* default false: numbers that are not finite are MST_FORMAT; true: leave out epochs that have some */
    bool drop_missing;
} mst_signals_options;

MST_API mst_signals_options mst_signals_options_default(void);

typedef struct mst_signals mst_signals;
/* `path` "-" is standard input. MST_FORMAT for files that hold no signals, MST_ARGUMENT for windows that are
 * longer than the recording, or of files that hold epochs already. */
MST_API MST_MUST_USE mst_status mst_signals_open(mst_signals **out, const char *path,
                                                 const mst_signals_options *options);
MST_API size_t mst_signals_channels(const mst_signals *s);
MST_API size_t mst_signals_samples(const mst_signals *s); /* of an epoch */
/* Does the file hold epochs, rather than one recording? */
MST_API bool mst_signals_has_epochs(const mst_signals *s);
/* The name of a channel in the header of a text, or null. */
MST_API const char *mst_signals_name(const mst_signals *s, size_t channel);
/* Samples at the end of a recording that are in no window. */
MST_API size_t mst_signals_rest(const mst_signals *s);
/* The next epoch, x (channels, samples); *got is false at the end. *epoch is its number, counted from 0;
 * those that were left out have one, too. MST_FORMAT for a number that is not finite; the detail names epoch,
 * channel and sample. */
MST_API MST_MUST_USE mst_status mst_signals_next(mst_signals *s, double *x, uint64_t *epoch,
                                                 bool *got);
/* How many epochs were left out so far. */
MST_API uint64_t mst_signals_dropped(const mst_signals *s);
MST_API void mst_signals_free(mst_signals *s);

#ifdef __cplusplus
}
#endif
#endif
