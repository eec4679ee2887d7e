/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "targets.h"

#include <manistat/covariance.h>
#include <manistat/signals.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void stop_unless(bool holds, const char *property)
{
    if (holds)
        return;
    fprintf(stderr, "property does not hold: %s (%s)\n", property, mst_error_detail());
    abort();
}

/* Reads a few epochs and makes their covariances. */
static void use_signals(mst_signals *s)
{
    enum { MOST = 1 << 14, EPOCHS = 20 };
    size_t p = mst_signals_channels(s), T = mst_signals_samples(s);
    stop_unless(p > 0 && T > 0, "signals have channels and samples");
    if (p > 64 || T > MOST / p)
        return;
    double *x = malloc(p * T * sizeof *x), *c = malloc(p * p * sizeof *c);
    mst_covariance_options o = mst_covariance_options_default();
    o.centre = T > 1;
    o.shrink = MST_SHRINK_LEDOIT_WOLF;
    bool got = x != NULL && c != NULL;
    for (int k = 0; got && k < EPOCHS; k++) {
        uint64_t epoch;
        mst_covariance_info info;
        mst_status status = mst_signals_next(s, x, &epoch, &got);
        stop_unless(status == MST_OK || status == MST_FORMAT, "an epoch, or FORMAT");
        if (status != MST_OK || !got)
            break;
        status = mst_covariance(p, T, x, &o, c, &info, NULL);
        stop_unless(status == MST_OK || status == MST_BREAKDOWN, "a covariance, or BREAKDOWN");
        if (status != MST_OK)
            continue;
        stop_unless(info.rank <= p && info.intensity >= 0 && info.intensity <= 1, "an intensity");
        for (size_t i = 0; i < p * p; i++)
            stop_unless(isfinite(c[i]) && c[i] == c[i % p * p + i / p], "finite and symmetric");
    }
    free(x);
    free(c);
}

int fuzz_signals(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    char path[40];
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        exit(1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    for (int way = 0; way < 4; way++) {
        mst_signals *s;
        mst_signals_options o = mst_signals_options_default();
        o.transpose = way % 2 == 1;
        o.drop_missing = way > 1;
        o.window = way == 3 ? 2 : 0;
        o.step = way == 3 ? 1 : 0;
        mst_status status = mst_signals_open(&s, path, &o);
        stop_unless(status == MST_OK || status == MST_FORMAT || status == MST_MEMORY ||
                        (way == 3 && status == MST_ARGUMENT),
                    "signals, or FORMAT");
        if (status != MST_OK)
            continue;
        use_signals(s);
        mst_signals_free(s);
    }
    close(fd);
    return 0;
}
