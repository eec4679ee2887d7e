/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold from the path of a formula file. */
#include "formula/text.h"
#include "manifold/formula_atlas.h"
#include "manifold/formula_content.h"
#include "manifold/formula_metric.h"
#include "manifold/internal.h"
#include "manifold/spec.h"
#include "util/source.h"

#include <stdio.h>
#include <string.h>

mst_status mst_formula_manifold_new(mst_manifold **out, const char *spec, const char *path,
                                    const char *text, size_t length, size_t overrides,
                                    const formula_override *given)
{
    formula_file f;
    formula_text place = {.path = path, .bytes = text, .length = length};
    *out = NULL;
    mst_status status = formula_file_read(&f, path, text, length, overrides, given);
    mst_formula_content *content = NULL;
    if (status == MST_OK)
        status = mst_formula_content_new(&content, &f, text, length);
    if (status == MST_OK)
        status = f.charts > 0                   ? formula_atlas_new(out, &f, spec, &place)
                 : f.kind == FORMULA_CONSTRAINT ? formula_constraint_new(out, &f, spec)
                                                : formula_metric_new(out, &f, spec);
    if (status == MST_DOMAIN) /* derivatives blow up */
        status = formula_complain(&place, f.kind_at, "%s", mst_error_detail());
    if (status == MST_OK) {
        (*out)->formula = content;
        status = formula_check_start(*out, &f, &place);
        if (status != MST_OK) {
            mst_manifold_free(*out);
            *out = NULL;
        }
    } else {
        mst_formula_content_free(content);
    }
    formula_file_release(&f);
    return status;
}

/* "path?R=3&r=1", as it parses back. */
static mst_status write_spec(const mst_spec_arguments *a, char **spec)
{
    bool quoted = strpbrk(a->path, " \t?,()") != NULL;
    size_t length = strlen(a->path) + 3;
    for (size_t i = 0; i < a->given; i++)
        length += strlen(a->keys[i]) + strlen(a->values[i]) + 2;
    MST_TRY(mst_allocate(spec, length));
    char *at = *spec;
    at += sprintf(at, quoted ? "\"%s\"" : "%s", a->path);
    for (size_t i = 0; i < a->given; i++)
        at += sprintf(at, "%c%s=%s", i == 0 ? '?' : '&', a->keys[i], a->values[i]);
    return MST_OK;
}

static mst_status from_text(mst_manifold **out, const mst_spec_arguments *a, const char *name,
                            const char *text, size_t length)
{
    char *spec;
    formula_override given[SPEC_OPTIONS];
    for (size_t i = 0; i < a->given; i++)
        given[i] = (formula_override){a->keys[i], a->values[i]};
    MST_TRY(write_spec(a, &spec));
    mst_status status = mst_formula_manifold_new(out, spec, name, text, length, a->given, given);
    mst_release(spec);
    return status;
}

mst_status mst_formula_from_spec(mst_manifold **out, const mst_spec_arguments *a)
{
    mst_source file;
    enum { MOST = FORMULA_LONGEST_FILE + 1 };
    *out = NULL;
    MST_TRY(mst_source_open(&file, a->path));
    mst_status status = mst_source_fill(&file, MOST);
    if (status == MST_OK)
        status = from_text(out, a, file.name, mst_source_bytes(&file), mst_source_available(&file));
    mst_source_close(&file);
    return status;
}

/* The texts that are left. */
typedef struct text_queue {
    size_t count;
    const char *const *texts;
} text_queue;

static mst_status take_text(const mst_spec_arguments *a, const char **text)
{
    text_queue *left = a->user;
    if (left->count == 0)
        return mst_fail(MST_FORMAT, "the text of %.60s is missing", a->path);
    left->count--;
    *text = *left->texts++;
    return MST_OK;
}

static mst_status from_queue(mst_manifold **out, const mst_spec_arguments *a)
{
    const char *text = NULL;
    *out = NULL;
    MST_TRY(take_text(a, &text));
    return from_text(out, a, a->path, text, strlen(text));
}

static mst_status learned_from_queue(mst_manifold **out, const mst_spec_arguments *a)
{
    const char *text = NULL;
    *out = NULL;
    MST_TRY(take_text(a, &text));
    return mst_learned_from_text(out, a, text);
}

mst_status mst_manifold_parse_texts(mst_manifold **out, const char *spec, size_t count,
                                    const char *const *texts)
{
    text_queue left = {count, texts};
    const mst_manifold_file_kind kinds[] = {
        {"manifold", SPEC_ANY, from_queue, &left},
        {"gp", LEARNED_OPTIONS, learned_from_queue, &left},
        {"decoder", LEARNED_OPTIONS, learned_from_queue, &left}};
    return mst_manifold_parse_with(out, spec, sizeof kinds / sizeof *kinds, kinds);
}
