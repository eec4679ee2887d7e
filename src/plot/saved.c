/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "plot/saved.h"

#include "base/internal.h"

#include <manistat/version.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Memory ---- */

struct stored_block {
    stored_block *next;
    void *memory;
};

mst_status stored_allocate(mst_saved *s, void **out, size_t count, size_t size)
{
    stored_block *block;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&block, 1));
    mst_status status = mst_allocate_zero_bytes(&block->memory, count, size);
    if (status != MST_OK) {
        mst_release(block);
        return status;
    }
    block->next = s->blocks;
    s->blocks = block;
    *out = block->memory;
    return MST_OK;
}

mst_status stored_text(mst_saved *s, const char **out, const char *format, ...)
{
    char text[1024], *copy;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    MST_TRY(stored_new(s, &copy, strlen(text) + 1));
    strcpy(copy, text);
    *out = copy;
    return MST_OK;
}

/* The spec of the manifold; files lose their folders, which are of no use to a reader. */
static mst_status name_space(mst_saved *s)
{
    const char *spec = mst_manifold_spec(s->picture.m);
    char *copy, *end;
    MST_TRY(stored_new(s, &copy, strlen(spec) + 1));
    s->space = end = copy;
    for (char *word = copy; *spec != '\0'; spec++) {
        if (*spec == '/') {
            end = word;
            continue;
        }
        *end++ = *spec;
        if (*spec == '(' || *spec == ',')
            word = end;
    }
    *end = '\0';
    return MST_OK;
}

void mst_saved_free(mst_saved *s)
{
    if (s == NULL)
        return;
    mst_score_free(s->source);
    mst_manifold_free(s->owned);
    for (stored_block *block = s->blocks, *next; block != NULL; block = next) {
        next = block->next;
        mst_release(block->memory);
        mst_release(block);
    }
    mst_release(s);
}

/* ---- Members ---- */

static const char *const kind_words[] = {"null",   "true or false", "a number",
                                         "a text", "an array",      "an object"};

mst_status stored_need(const mst_saved *s, const mst_json_value *where, const char *key,
                       mst_json_kind kind, const mst_json_value **out)
{
    char writer[80] = "";
    *out = mst_json_member(where, key);
    if (s->version != NULL && strcmp(s->version, mst_version()) != 0)
        snprintf(writer, sizeof writer, " (it is of version %.20s, and this is %s)", s->version,
                 mst_version());
    if (*out == NULL)
        return mst_fail(MST_FORMAT, "%s has no \"%s\"%s; run its command again", s->name, key,
                        writer);
    if (mst_json_kind_of(*out) != kind)
        return mst_fail(MST_FORMAT, "%s: \"%s\" is not %s%s", s->name, key, kind_words[kind],
                        writer);
    return MST_OK;
}

double stored_number(const mst_json_value *where, const char *key)
{
    const mst_json_value *v = mst_json_member(where, key);
    return mst_json_kind_of(v) == MST_JSON_NUMBER ? mst_json_as_number(v) : NAN;
}

const char *stored_string(const mst_json_value *where, const char *key)
{
    return mst_json_as_string(mst_json_member(where, key));
}

/* How many numbers there are in v, at any depth. */
static size_t count_numbers(const mst_json_value *v)
{
    size_t count = 0;
    if (mst_json_kind_of(v) != MST_JSON_ARRAY)
        return 1;
    for (const mst_json_value *e = mst_json_first(v); e != NULL; e = mst_json_next(e))
        count += count_numbers(e);
    return count;
}

static bool take_numbers(const mst_json_value *v, double **to)
{
    bool good = true;
    switch (mst_json_kind_of(v)) {
    case MST_JSON_ARRAY:
        for (const mst_json_value *e = mst_json_first(v); e != NULL && good; e = mst_json_next(e))
            good = take_numbers(e, to);
        return good;
    case MST_JSON_NUMBER:
        *(*to)++ = mst_json_as_number(v);
        return true;
    case MST_JSON_NULL:
        *(*to)++ = NAN;
        return true;
    default:
        return false;
    }
}

mst_status stored_numbers(mst_saved *s, const mst_json_value *where, const char *key,
                          const double **x, size_t *count)
{
    const mst_json_value *v;
    double *numbers, *next;
    *x = NULL;
    *count = 0;
    MST_TRY(stored_need(s, where, key, MST_JSON_ARRAY, &v));
    MST_TRY(stored_new(s, &numbers, count_numbers(v) + 1));
    next = numbers;
    if (!take_numbers(v, &next))
        return mst_fail(MST_FORMAT, "%s: \"%s\" holds what is not a number", s->name, key);
    *x = numbers;
    *count = (size_t)(next - numbers);
    return MST_OK;
}

mst_status stored_point(const mst_saved *s, const mst_json_value *v, const char *key, double *x)
{
    double *numbers, *next;
    size_t count = count_numbers(v);
    MST_TRY(mst_allocate(&numbers, count + 1));
    next = numbers;
    mst_status status = MST_OK;
    if (mst_json_kind_of(v) != MST_JSON_ARRAY || !take_numbers(v, &next))
        status = mst_fail(MST_FORMAT, "it is not an array of numbers");
    else
        status = mst_points_decode(s->picture.m, count, numbers, &s->forms, x);
    if (status != MST_OK && status != MST_MEMORY)
        status = mst_fail(MST_FORMAT, "%s, \"%s\": %s", s->name, key, mst_error_detail());
    mst_release(numbers);
    return status;
}

mst_status stored_points(mst_saved *s, const mst_json_value *where, const char *key,
                         const double **x, size_t *count)
{
    const mst_json_value *v;
    size_t D = mst_manifold_ambient(s->picture.m);
    double *rows;
    *count = 0;
    MST_TRY(stored_need(s, where, key, MST_JSON_ARRAY, &v));
    MST_TRY(stored_new(s, &rows, mst_json_length(v) * D + 1));
    for (const mst_json_value *e = mst_json_first(v); e != NULL; e = mst_json_next(e))
        MST_TRY(stored_point(s, e, key, rows + D * (*count)++));
    *x = rows;
    return MST_OK;
}

mst_status stored_labels(mst_saved *s, const mst_json_value *where, const char *key, size_t below,
                         const size_t **labels, size_t *count)
{
    const double *numbers;
    size_t *whole;
    MST_TRY(stored_numbers(s, where, key, &numbers, count));
    MST_TRY(stored_new(s, &whole, *count + 1));
    for (size_t i = 0; i < *count; i++) {
        if (!(numbers[i] >= 0 && numbers[i] < (double)below))
            return mst_fail(MST_FORMAT, "%s: number %zu of \"%s\" is none from 0 to %zu", s->name,
                            i + 1, key, below - 1);
        whole[i] = (size_t)numbers[i];
    }
    *labels = whole;
    return MST_OK;
}

double stored_length_unit(const mst_json_value *where)
{
    const char *units = stored_string(where, "units");
    return units != NULL && strcmp(units, "degrees") == 0 ? M_PI / 180 : 1;
}

const char *stored_squared_unit(const mst_manifold *m)
{
    mst_row_kind rows = mst_manifold_traits_of(m)->rows;
    bool angles =
        rows == MST_ROWS_ANGLES || rows == MST_ROWS_UNIT_VECTORS || rows == MST_ROWS_ROTATIONS;
    return angles ? " rad\u00b2" : "";
}

void stored_open_source(mst_saved *s, const mst_json_value *top)
{
    const char *name = stored_string(top, "score");
    if (name == NULL || mst_score_open(&s->source, name, s->picture.m) != MST_OK)
        s->source = NULL; /* a model that has moved, say: there is no density then */
    s->picture.source = s->source;
}

/* ---- Files ---- */

static const struct {
    const char *command;
    stored_reader *read;
} readers[] = {{"mean", stored_read_mean},          {"kmeans", stored_read_kmeans},
               {"mixture", stored_read_mixture},    {"test", stored_read_test},
               {"regress", stored_read_regress},    {"train", stored_read_train},
               {"check", stored_read_check},        {"sample", stored_read_sample},
               {"reproduce", stored_read_reproduce}};
enum { READERS = sizeof readers / sizeof *readers };

static mst_status not_known(const mst_saved *s, const char *command)
{
    char list[200];
    size_t used = 0;
    for (size_t i = 0; i < READERS && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                 readers[i].command);
    if (command == NULL)
        return mst_fail(
            MST_FORMAT,
            "%s has no \"command\": it is not a result that manistat has written as JSON", s->name);
    return mst_fail(MST_FORMAT,
                    "%s is a result of '%.40s', of which there is no picture; there are of %s",
                    s->name, command, list);
}

/* Tables of run times are of none. */
static mst_status open_manifold(mst_saved *s, const mst_json_value *top, const mst_manifold *m,
                                bool needed)
{
    const mst_json_value *spec;
    s->picture.m = m;
    s->forms = mst_points_options_default();
    s->forms.project = true; /* written numbers are off by rounding at most */
    s->forms.degrees = mst_json_as_bool(mst_json_member(top, "degrees"));
    s->forms.latlon = mst_json_as_bool(mst_json_member(top, "latlon"));
    s->forms.quaternion = mst_json_as_bool(mst_json_member(top, "quaternion"));
    s->picture.degrees = s->forms.degrees || s->forms.latlon;
    if (m != NULL || (!needed && mst_json_member(top, "manifold") == NULL))
        return MST_OK;
    MST_TRY(stored_need(s, top, "manifold", MST_JSON_STRING, &spec));
    mst_status status = mst_manifold_parse(&s->owned, mst_json_as_string(spec));
    if (status != MST_OK)
        return mst_fail(status, "%s: %s", s->name, mst_error_detail());
    s->picture.m = s->owned;
    return MST_OK;
}

static mst_status read_top(mst_saved *s, const mst_json_value *top, const mst_manifold *m)
{
    const char *command = stored_string(top, "command"), *version = stored_string(top, "version");
    if (version != NULL)
        MST_TRY(stored_text(s, &s->version, "%s", version));
    for (size_t i = 0; i < READERS && command != NULL; i++)
        if (strcmp(command, readers[i].command) == 0) {
            MST_TRY(open_manifold(s, top, m, readers[i].read != stored_read_reproduce));
            if (s->picture.m != NULL)
                MST_TRY(name_space(s));
            double n = stored_number(top, "n");
            s->rows = n >= 1 && n < 1e15 ? (size_t)n : 0;
            return readers[i].read(s, top);
        }
    return not_known(s, command);
}

static mst_status read_value(mst_saved **out, const char *name, const mst_json_value *top,
                             const mst_manifold *m)
{
    mst_saved *s;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&s, 1));
    s->picture = mst_picture_default();
    mst_status status =
        stored_text(s, &s->name, "%s", strcmp(name, "-") == 0 ? "standard input" : name);
    if (status == MST_OK)
        status = read_top(s, top, m);
    if (status == MST_OK)
        *out = s;
    else
        mst_saved_free(s);
    return status;
}

mst_status mst_saved_read(mst_saved **out, const char *path)
{
    mst_json_value *top;
    *out = NULL;
    MST_TRY(mst_json_read(&top, path));
    mst_status status = read_value(out, path, top, NULL);
    mst_json_value_free(top);
    return status;
}

mst_status mst_saved_parse(mst_saved **out, const char *name, size_t n, const char *text,
                           const mst_manifold *m)
{
    mst_json_value *top;
    *out = NULL;
    MST_TRY(mst_json_parse(&top, name, n, text));
    mst_status status = read_value(out, name, top, m);
    mst_json_value_free(top);
    return status;
}

const mst_picture *mst_saved_picture(const mst_saved *s)
{
    return &s->picture;
}

mst_points_options mst_saved_forms(const mst_saved *s)
{
    mst_points_options forms = s->forms;
    forms.project = false;
    return forms;
}

size_t mst_saved_rows(const mst_saved *s)
{
    return s->rows;
}
