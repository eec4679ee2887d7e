/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmarks as Rohlf's programs (tpsDig, tpsRelw) write them. A specimen begins with LM=K (LM3=K in space),
 * has K lines of coordinates, and then lines KEY=value: CURVES=C followed by C blocks POINTS=P, whose points
 * are appended to the landmarks, ID=, IMAGE=, SCALE= (coordinates are multiplied by it; empty: not known),
 * and others that say nothing about the points. A row is a specimen: x1, y1, x2, y2, … */
#include "io/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

enum { LONGEST_ID = 120, MOST_POINTS = 1 << 24 };

typedef struct specimen {
    uint64_t line;    /* of its LM= */
    size_t landmarks; /* that it promises */
    bool is_3d;       /* LM3= */
    double *x;        /* (count), unscaled; not-a-number: said to be missing */
    size_t count, capacity;
    double scale; /* 0: not known */
    char id[LONGEST_ID + 1], image[LONGEST_ID + 1];
} specimen;

typedef struct tps_file {
    uint64_t line;     /* of the last line taken */
    uint64_t number;   /* of the specimen that is being read, from 1 */
    bool more;         /* another specimen begins: its LM= has been taken */
    uint64_t promised; /* by that LM= */
    bool promised_3d;
    uint64_t promised_line;
    specimen now;
    bool first_waits;  /* `now` is the first specimen, which told the number of columns */
    bool first_scaled; /* it has a scale */
    uint64_t *lines;   /* of the rows of the last batch */
    size_t line_count, line_capacity;
} tps_file;

/* ---- Messages ---- */

enum { PLACE = 320 };

/* "file.tps, specimen 3 (line 40)". */
static const char *place(const mst_reader *r, uint64_t line, char text[PLACE])
{
    const tps_file *f = r->data;
    snprintf(text, PLACE, "%s, specimen %" PRIu64 " (line %" PRIu64 ")", r->source.name, f->number,
             line);
    return text;
}

#define REFUSE(r, line, ...)                                                                  \
    do {                                                                                      \
        char refuse_place[PLACE], refuse_what[240];                                           \
        snprintf(refuse_what, sizeof refuse_what, __VA_ARGS__);                               \
        return mst_fail(MST_FORMAT, "%s: %s", place((r), (line), refuse_place), refuse_what); \
    } while (0)

/* ---- Lines ---- */

typedef struct text {
    const char *at;
    size_t length;
} text;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static text strip(const char *at, size_t length)
{
    while (length > 0 && is_blank(at[length - 1]))
        length--;
    while (length > 0 && is_blank(*at))
        at++, length--;
    return (text){at, length};
}

/* The next line that is not blank; `at` is null at the end. */
static mst_status take_line(mst_reader *r, text *out)
{
    tps_file *f = r->data;
    do {
        const char *line;
        size_t length;
        MST_TRY(mst_source_line(&r->source, &line, &length));
        if (line == NULL) {
            *out = (text){NULL, 0};
            return MST_OK;
        }
        f->line++;
        if (f->line == 1 && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
            line += 3;
            length -= 3;
        }
        *out = strip(line, length);
    } while (out->length == 0);
    return MST_OK;
}

/* "KEY = value"; false if the line is not of that kind. */
static bool split(text line, text *key, text *value)
{
    const char *equals = memchr(line.at, '=', line.length);
    if (equals == NULL || !isalpha((unsigned char)*line.at))
        return false;
    size_t before = (size_t)(equals - line.at);
    *key = strip(line.at, before);
    *value = strip(equals + 1, line.length - before - 1);
    return true;
}

static bool is_key(text key, const char *word)
{
    return key.length == strlen(word) && strncasecmp(key.at, word, key.length) == 0;
}

static mst_status read_count(const mst_reader *r, text key, text value, uint64_t *count)
{
    const tps_file *f = r->data;
    double number;
    char quoted[MST_QUOTED_TEXT];
    if (!mst_parse_double(value.at, value.length, &number) || !(number >= 0) ||
        number > MOST_POINTS || number != floor(number))
        REFUSE(r, f->line, "%.*s=%s is not a number of points", (int)key.length, key.at,
               mst_quote_text(value.at, value.length, quoted));
    *count = (uint64_t)number;
    return MST_OK;
}

/* Remembers the LM= or LM3= of the next specimen; *is false if the line is none. */
static mst_status take_promise(mst_reader *r, text key, text value, bool *is)
{
    tps_file *f = r->data;
    bool is_3d = is_key(key, "LM3");
    *is = is_3d || is_key(key, "LM");
    if (!*is)
        return MST_OK;
    f->number++; /* what is wrong with the line is wrong with the next specimen */
    MST_TRY(read_count(r, key, value, &f->promised));
    f->number--;
    f->more = true;
    f->promised_3d = is_3d;
    f->promised_line = f->line;
    return MST_OK;
}

/* ---- A specimen ---- */

static bool says_missing(text word)
{
    return is_key(word, "NA") || is_key(word, "NaN");
}

/* The next word of the line; false at its end. */
static bool take_word(text *line, text *word)
{
    *line = strip(line->at, line->length);
    size_t n = 0;
    while (n < line->length && !is_blank(line->at[n]))
        n++;
    *word = (text){line->at, n};
    line->at += n;
    line->length -= n;
    return n > 0;
}

static mst_status read_point(mst_reader *r, text line, size_t index)
{
    tps_file *f = r->data;
    specimen *s = &f->now;
    char quoted[MST_QUOTED_TEXT];
    size_t found = 0;
    double x[3];
    text rest = line, word;
    while (take_word(&rest, &word)) {
        double value = NAN;
        if (!says_missing(word) &&
            (!mst_parse_double(word.at, word.length, &value) || !isfinite(value)))
            REFUSE(r, f->line, "point %zu: %s is not a number%s", index,
                   mst_quote_text(word.at, word.length, quoted),
                   memchr(word.at, ',', word.length) != NULL ? "; write decimals with a point"
                                                             : "");
        if (found < 3)
            x[found] = value;
        found++;
    }
    /* Some programs write LM= before points of space, too. */
    size_t dim = s->is_3d ? 3 : r->landmark_dim > 0 ? r->landmark_dim : found == 3 ? 3 : 2;
    if (found != dim)
        REFUSE(r, f->line, "point %zu has %zu number%s, not %zu", index, found,
               found == 1 ? "" : "s", dim);
    r->landmark_dim = dim;
    for (size_t k = 0; k < dim; k++) {
        MST_TRY(mst_grow(&s->x, s->count, &s->capacity));
        s->x[s->count++] = x[k];
    }
    return MST_OK;
}

/* `count` points, as `key` promised in line `at`. */
static mst_status read_points(mst_reader *r, const char *key, uint64_t count, uint64_t at)
{
    tps_file *f = r->data;
    for (uint64_t k = 0; k < count; k++) {
        text line, name, value;
        MST_TRY(take_line(r, &line));
        if (line.at == NULL || split(line, &name, &value))
            REFUSE(r, at, "%s=%" PRIu64 ", but %" PRIu64 " point%s before %s", key, count, k,
                   k == 1 ? " stands" : "s stand",
                   line.at == NULL ? "the end of the file" : "the next line with a =");
        MST_TRY(
            read_point(r, line, f->now.count / (r->landmark_dim > 0 ? r->landmark_dim : 2) + 1));
    }
    return MST_OK;
}

static mst_status read_scale(const mst_reader *r, text value, double *scale)
{
    const tps_file *f = r->data;
    char quoted[MST_QUOTED_TEXT];
    *scale = 0;
    if (value.length == 0)
        return MST_OK;
    if (!mst_parse_double(value.at, value.length, scale) || !(*scale > 0) || !isfinite(*scale))
        REFUSE(r, f->line, "SCALE=%s is not a positive number",
               mst_quote_text(value.at, value.length, quoted));
    return MST_OK;
}

static void copy_text(char out[LONGEST_ID + 1], text value)
{
    size_t n = value.length < LONGEST_ID ? value.length : LONGEST_ID;
    memcpy(out, value.at, n);
    out[n] = '\0';
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
}

/* What comes behind the landmarks, up to the next LM= or the end. */
static mst_status read_rest(mst_reader *r)
{
    tps_file *f = r->data;
    specimen *s = &f->now;
    uint64_t curves = 0, blocks = 0, curves_line = 0;
    char quoted[MST_QUOTED_TEXT];
    for (;;) {
        text line, key, value;
        MST_TRY(take_line(r, &line));
        if (line.at == NULL)
            break;
        if (!split(line, &key, &value)) {
            double x;
            if (mst_parse_prefix(line.at, line.at + line.length, &x) != NULL)
                REFUSE(r, f->line, "another point, but LM=%zu has had all of its points",
                       s->landmarks);
            REFUSE(r, f->line, "%s is neither a point nor of the form KEY=value",
                   mst_quote_text(line.at, line.length, quoted));
        }
        bool next;
        MST_TRY(take_promise(r, key, value, &next));
        if (next)
            break;
        if (is_key(key, "CURVES") || is_key(key, "OUTLINES")) {
            uint64_t more;
            MST_TRY(read_count(r, key, value, &more));
            curves += more;
            curves_line = f->line;
        } else if (is_key(key, "POINTS") || is_key(key, "POINTS3")) {
            uint64_t count;
            MST_TRY(read_count(r, key, value, &count));
            blocks++;
            MST_TRY(read_points(r, "POINTS", count, f->line));
        } else if (is_key(key, "SCALE")) {
            MST_TRY(read_scale(r, value, &s->scale));
        } else if (is_key(key, "ID")) {
            copy_text(s->id, value);
        } else if (is_key(key, "IMAGE")) {
            copy_text(s->image, value);
        }
    }
    if (curves != blocks)
        REFUSE(r, curves_line > 0 ? curves_line : s->line,
               "CURVES=%" PRIu64 ", but %" PRIu64 " block%s POINTS=", curves, blocks,
               blocks == 1 ? "" : "s");
    return MST_OK;
}

/* The specimen whose LM= has been taken. */
static mst_status read_specimen(mst_reader *r)
{
    tps_file *f = r->data;
    specimen *s = &f->now;
    f->more = false;
    f->number++;
    s->line = f->promised_line;
    s->landmarks = (size_t)f->promised;
    s->is_3d = f->promised_3d;
    s->count = 0;
    s->scale = 0;
    s->id[0] = s->image[0] = '\0';
    if (s->is_3d && r->landmark_dim == 2)
        REFUSE(r, s->line, "LM3=, but the specimens before have points of two coordinates");
    MST_TRY(read_points(r, s->is_3d ? "LM3" : "LM", s->landmarks, s->line));
    MST_TRY(read_rest(r));
    if (s->count == 0)
        REFUSE(r, s->line, "no points");
    if (r->cols > 0 && s->count != r->cols)
        REFUSE(r, s->line, "%zu points, but the specimens before have %zu",
               s->count / r->landmark_dim, r->cols / r->landmark_dim);
    if (r->cols > 0 && (s->scale > 0) != f->first_scaled)
        REFUSE(r, s->line, "%s a SCALE, unlike the specimens before; the units would differ",
               s->scale > 0 ? "it has" : "it has not");
    return MST_OK;
}

/* ---- The table ---- */

static reader_answer recognise(const char *bytes, size_t n)
{
    static const char *const openings[] = {"LM=", "LM3="};
    size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && (is_blank(bytes[i]) || bytes[i] == '\n'))
        i++;
    for (size_t k = 0; k < 2; k++) {
        size_t j = i;
        const char *word = openings[k];
        for (; j < n && *word != '\0'; j++) {
            if (*word == '=' && (bytes[j] == ' ' || bytes[j] == '\t'))
                continue;
            if (toupper((unsigned char)bytes[j]) != *word)
                break;
            word++;
        }
        if (*word == '\0')
            return READER_YES;
        if (j == n)
            return READER_MORE;
    }
    return READER_NO;
}

static mst_status open_file(mst_reader *r)
{
    tps_file *f;
    text line, key, value;
    bool is;
    MST_TRY(mst_allocate_zero(&f, 1));
    r->data = f;
    MST_TRY(take_line(r, &line));
    /* As `recognise` has seen. */
    if (line.at == NULL || !split(line, &key, &value))
        return mst_fail(MST_FORMAT, "%s does not begin with LM=", r->source.name);
    MST_TRY(take_promise(r, key, value, &is));
    MST_TRY(read_specimen(r));
    r->cols = f->now.count;
    f->first_scaled = f->now.scale > 0;
    f->first_waits = true;
    return MST_OK;
}

static mst_status add_label(const mst_reader *r, const specimen *s)
{
    const tps_file *f = r->data;
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, f->number);
    const char *label = s->id[0] != '\0' ? s->id : s->image[0] != '\0' ? s->image : number;
    return mst_labels_add(r->labels[0].to, label, strlen(label));
}

/* A point is missing if one of its coordinates is. */
static mst_status hand_out(const mst_reader *r, const specimen *s, double *row)
{
    size_t dim = r->landmark_dim;
    double scale = s->scale > 0 ? s->scale : 1;
    for (size_t p = 0; p < r->cols; p += dim) {
        bool missing = false;
        for (size_t k = 0; k < dim; k++)
            missing |= isnan(s->x[p + k]) || (r->missing_negative && s->x[p + k] < 0);
        for (size_t k = 0; k < dim; k++) {
            row[p + k] = s->x[p + k] * scale;
            if (missing && !reader_missing(r, &row[p + k]))
                REFUSE(r, s->line, "point %zu is missing%s%s%s; leave the specimen out",
                       p / dim + 1, s->id[0] != '\0' ? " (ID=" : "", s->id,
                       s->id[0] != '\0' ? ")" : "");
        }
    }
    return r->label_rows ? add_label(r, s) : MST_OK;
}

static mst_status next_rows(mst_reader *r, size_t max, double *rows, size_t *got)
{
    tps_file *f = r->data;
    size_t n = 0;
    f->line_count = 0;
    for (; n < max && (f->first_waits || f->more); n++) {
        if (!f->first_waits)
            MST_TRY(read_specimen(r));
        f->first_waits = false;
        MST_TRY(hand_out(r, &f->now, rows + n * r->cols));
        MST_TRY(mst_grow(&f->lines, f->line_count, &f->line_capacity));
        f->lines[f->line_count++] = f->now.line;
    }
    *got = n;
    return MST_OK;
}

static uint64_t line_of(const mst_reader *r, size_t k)
{
    const tps_file *f = r->data;
    return k < f->line_count ? f->lines[k] : 0;
}

static void close_file(mst_reader *r)
{
    tps_file *f = r->data;
    if (f == NULL)
        return;
    mst_release(f->now.x);
    mst_release(f->lines);
    mst_release(f);
}

const reader_format reader_tps = {
    .name = "TPS",
    .text = true,
    .row_labels = true,
    .recognise = recognise,
    .open = open_file,
    .next = next_rows,
    .line = line_of,
    .close = close_file,
};
