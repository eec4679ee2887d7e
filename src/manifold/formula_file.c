/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* A manifold from the path of a formula file. */
#include "formula/text.h"
#include "manifold/formula_metric.h"
#include "manifold/spec.h"
#include "util/source.h"

#include <stdio.h>
#include <string.h>

mst_status mst_formula_manifold_new(mst_manifold **out, const char *spec, const char *path,
                                    const char *text, size_t length, size_t overrides,
                                    const formula_override *given)
{
    formula_file f;
    *out = NULL;
    mst_status status = formula_file_read(&f, path, text, length, overrides, given);
    if (status == MST_OK)
        status = f.kind == FORMULA_CONSTRAINT ? formula_constraint_new(out, &f, spec)
                                              : formula_metric_new(out, &f, spec);
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

mst_status mst_formula_from_spec(mst_manifold **out, const mst_spec_arguments *a)
{
    mst_source file;
    char *spec = NULL;
    formula_override given[SPEC_OPTIONS];
    enum { MOST = FORMULA_LONGEST_FILE + 1 };
    *out = NULL;
    MST_TRY(mst_source_open(&file, a->path));
    mst_status status = mst_source_fill(&file, MOST);
    for (size_t i = 0; i < a->given; i++)
        given[i] = (formula_override){a->keys[i], a->values[i]};
    if (status == MST_OK)
        status = write_spec(a, &spec);
    if (status == MST_OK)
        status = mst_formula_manifold_new(out, spec, file.name, mst_source_bytes(&file),
                                          mst_source_available(&file), a->given, given);
    mst_release(spec);
    mst_source_close(&file);
    return status;
}
