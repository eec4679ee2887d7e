/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A certificate as text, and back. The writer of io.h writes to files only, and this is a text for
 * a file's metadata. */
#include "util/json.h"
#include "base/internal.h"
#include "util/number_text.h"
#include "util/text_stream.h"

#include <inttypes.h>
#include <manistat/check.h>
#include <manistat/io.h>
#include <manistat/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_number(FILE *to, const char *key, double x)
{
    char text[MST_DOUBLE_TEXT];
    mst_format_double(x, text);
    fprintf(to, "\"%s\":%s", key, isfinite(x) ? text : "null");
}

static void put_band(FILE *to, const mst_check_band *b)
{
    fputc('{', to);
#define PUT(name)                   \
    put_number(to, #name, b->name); \
    fputc(',', to);
    MST_CHECK_NUMBERS(PUT)
#undef PUT
    fprintf(to, "\"usable\":%s,\"fault\":", b->usable ? "true" : "false");
    if (b->fault != NULL)
        fprintf(to, "\"%s\"}", b->fault);
    else
        fputs("null}", to);
}

static void put_certificate(FILE *to, const mst_certificate *c)
{
    fprintf(to, "{\"version\":\"%s\",\"network\":\"%s\",\"against\":\"%s\",", mst_version(),
            c->network, c->against);
    fprintf(to, "\"samples\":%zu,\"seed\":%" PRIu64 ",", c->samples, c->seed);
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
    size_t length;
    mst_text_stream *to;
    *out = NULL;
    MST_TRY(mst_text_open(&to));
    put_certificate(mst_text_file(to), certificate);
    return mst_text_close(to, out, &length);
}

/* ---- From the text ---- */

static double number_of(const mst_json_value *object, const char *key)
{
    const mst_json_value *v = mst_json_member(object, key);
    return v != NULL && mst_json_kind_of(v) == MST_JSON_NUMBER ? mst_json_as_number(v) : NAN;
}

static uint64_t count_of(const mst_json_value *object, const char *key)
{
    double x = number_of(object, key);
    return x >= 0 && x < 0x1p64 ? (uint64_t)x : 0;
}

/* A text that may go to terminals: what no certificate of ours holds becomes a question mark. */
static void text_of(const mst_json_value *object, const char *key, const char *usual, size_t size,
                    char *out)
{
    const char *text = mst_json_as_string(mst_json_member(object, key));
    snprintf(out, size, "%s", text != NULL ? text : usual);
    for (char *c = out; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

/* The constant that says the same. */
static const char *fault_of(const mst_json_value *object)
{
    static const char *const names[] = {
#define NAME(name) #name,
        MST_CHECK_NUMBERS(NAME)
#undef NAME
    };
    const char *text = mst_json_as_string(mst_json_member(object, "fault"));
    for (size_t k = 0; text != NULL && k < sizeof names / sizeof *names; k++)
        if (strcmp(text, names[k]) == 0)
            return names[k];
    return text != NULL ? "unknown" : NULL;
}

static mst_check_band band_of(const mst_json_value *object)
{
    return (mst_check_band){
#define READ(name) .name = number_of(object, #name),
        MST_CHECK_NUMBERS(READ)
#undef READ
            .usable = mst_json_as_bool(mst_json_member(object, "usable")),
        .fault = fault_of(object),
    };
}

mst_status mst_certificate_parse(mst_certificate *out, const char *text)
{
    mst_certificate c = {0};
    mst_json_value *top;
    MST_TRY(mst_json_parse(&top, "the certificate", strlen(text), text));
    const mst_json_value *bands = mst_json_kind_of(top) == MST_JSON_OBJECT
                                      ? mst_json_first(mst_json_member(top, "bands"))
                                      : NULL;
    for (; bands != NULL && c.bands < MST_CHECK_BANDS; bands = mst_json_next(bands))
        c.band[c.bands++] = band_of(bands);
    c.all = band_of(mst_json_member(top, "all"));
    c.t_low = number_of(top, "t_low");
    c.t_high = number_of(top, "t_high");
    text_of(top, "against", "none", sizeof c.against, c.against);
    text_of(top, "network", "", sizeof c.network, c.network);
    c.samples = count_of(top, "samples");
    c.seed = count_of(top, "seed");
    mst_json_value_free(top);
    if (c.bands == 0)
        return mst_fail(MST_FORMAT, "a certificate has bands of times, and this text has none");
    *out = c;
    return MST_OK;
}
