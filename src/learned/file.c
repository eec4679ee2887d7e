/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A learned manifold from the path of its file, or from the text that a model carries. */
#include "learned/content.h"
#include "manifold/spec.h"
#include "util/fields.h"

#include <stdio.h>
#include <string.h>

static mst_status read_options(const mst_spec_arguments *a, content_options *o)
{
    const named_field field = {.name = LEARNED_OPTIONS, .kind = FIELD_NUMBER};
    *o = (content_options){.uncertainty = 1};
    if (a->value[0] == NULL)
        return MST_OK;
    if (field_read(&field, a->value[0], &o->uncertainty) != NULL ||
        !(o->uncertainty > 0 && o->uncertainty <= 1e12))
        return mst_fail(MST_ARGUMENT,
                        "%.60s?" LEARNED_OPTIONS "=%.40s: how often the variance counts must be a "
                        "positive number",
                        a->path, a->value[0]);
    return MST_OK;
}

/* "path?uncertainty=16", as it parses back. */
static mst_status write_spec(const mst_spec_arguments *a, const content_options *o, char **spec)
{
    enum { MORE = sizeof LEARNED_OPTIONS + FIELD_TEXT + 8 };
    const named_field field = {.name = LEARNED_OPTIONS, .kind = FIELD_NUMBER};
    bool quoted = strpbrk(a->path, " \t?,()") != NULL;
    size_t room = strlen(a->path) + MORE;
    char number[FIELD_TEXT];
    MST_TRY(mst_allocate(spec, room));
    field_write(&field, &o->uncertainty, number);
    snprintf(*spec, room, "%s%s%s%s%s", quoted ? "\"" : "", a->path, quoted ? "\"" : "",
             o->uncertainty != 1 ? "?" LEARNED_OPTIONS "=" : "", o->uncertainty != 1 ? number : "");
    return MST_OK;
}

mst_status mst_learned_from_spec(mst_manifold **out, const mst_spec_arguments *a)
{
    content_options o;
    tensors *t;
    char *spec;
    *out = NULL;
    MST_TRY(read_options(a, &o));
    MST_TRY(tensors_read(&t, a->path));
    mst_status status = write_spec(a, &o, &spec);
    if (status == MST_OK) {
        status = content_read(out, t, a->path, spec, &o);
        mst_release(spec);
    }
    tensors_free(t);
    return status;
}

mst_status mst_learned_from_text(mst_manifold **out, const mst_spec_arguments *a, const char *text)
{
    content_options o;
    char *spec;
    *out = NULL;
    MST_TRY(read_options(a, &o));
    MST_TRY(write_spec(a, &o, &spec));
    mst_status status = content_parse(out, text, a->path, spec, &o);
    mst_release(spec);
    return status;
}
