/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A certificate as text. The writer of io.h writes to files only, and this is a text for
 * a file's metadata. */
#include "base/internal.h"
#include "util/number_text.h"

#include <inttypes.h>
#include <manistat/check.h>
#include <manistat/io.h>
#include <manistat/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_number(FILE *to, const char *key, double x)
{
    char text[MST_DOUBLE_TEXT];
    mst_format_double(x, text);
    fprintf(to, "\"%s\":%s", key, isfinite(x) ? text : "null");
}

static void put_band(FILE *to, const mst_check_band *b)
{
    const struct {
        const char *key;
        double x;
    } member[] = {{"t_low", b->t_low},
                  {"t_high", b->t_high},
                  {"excess", b->excess},
                  {"slope", b->slope},
                  {"slope_error", b->slope_error},
                  {"time_slope", b->time_slope},
                  {"time_slope_error", b->time_slope_error},
                  {"asymmetry", b->asymmetry},
                  {"heat_residual", b->heat_residual},
                  {"score_error", b->score_error},
                  {"time_error", b->time_error},
                  {"mean_shift", b->mean_shift},
                  {"time_shift", b->time_shift},
                  {"mean_gap", b->mean_gap},
                  {"time_gap", b->time_gap}};
    fputc('{', to);
    for (size_t k = 0; k < sizeof member / sizeof *member; k++) {
        put_number(to, member[k].key, member[k].x);
        fputc(',', to);
    }
    fprintf(to, "\"usable\":%s,\"fault\":", b->usable ? "true" : "false");
    if (b->fault != NULL)
        fprintf(to, "\"%s\"}", b->fault);
    else
        fputs("null}", to);
}

static void put_certificate(FILE *to, const mst_certificate *c)
{
    fprintf(to, "{\"version\":\"%s\",\"against\":\"%s\",\"samples\":%zu,\"seed\":%" PRIu64 ",",
            mst_version(), c->against, c->samples, c->seed);
    put_number(to, "t_low", c->t_low);
    fputc(',', to);
    put_number(to, "t_high", c->t_high);
    fputs(",\"bands\":[", to);
    for (size_t k = 0; k < c->bands; k++) {
        if (k > 0)
            fputc(',', to);
        put_band(to, &c->band[k]);
    }
    fputs("],\"all\":", to);
    put_band(to, &c->all);
    fputc('}', to);
}

mst_status mst_certificate_json(char **out, const mst_certificate *certificate)
{
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return mst_fail(MST_MEMORY, "not enough memory");
    put_certificate(to, certificate);
    bool failed = ferror(to) != 0;
    if (fclose(to) != 0 || failed) {
        free(text);
        return mst_fail(MST_MEMORY, "not enough memory");
    }
    *out = text;
    return MST_OK;
}
