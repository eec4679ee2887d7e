/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The table of kinds, and drawing by them. */
#include "base/internal.h"
#include "base/options.h"
#include "plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KIND_ENTRY(name) &kind_##name,
static const plot_kind *const kinds[] = {PLOT_KIND_LIST(KIND_ENTRY)};
#undef KIND_ENTRY
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

mst_picture mst_picture_default(void)
{
    return (mst_picture){.size = sizeof(mst_picture), .mean_word = "mean"};
}

mst_plot_options mst_plot_options_default(void)
{
    return (mst_plot_options){
        .size = sizeof(mst_plot_options), .width = 84, .resolution = 300, .words = true};
}

size_t mst_plot_kind_count(void)
{
    return KIND_COUNT;
}

const mst_plot_kind *mst_plot_kind_at(size_t i)
{
    return i < KIND_COUNT ? &kinds[i]->info : NULL;
}

static const plot_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i]->info.name, name) == 0)
            return kinds[i];
    return NULL;
}

/* Numbers are about a manifold, but they are no points of it. */
static bool is_suited(const plot_kind *kind, const mst_picture *p)
{
    mst_picture alone = *p;
    if (p->series_count > 0)
        alone.m = NULL;
    return kind->suits(&alone);
}

/* "sphere, map": those that suit the picture, or all of them. */
enum { LIST_SIZE = 256 };
static const char *list_kinds(const mst_picture *p, char text[LIST_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < KIND_COUNT && used < LIST_SIZE; i++)
        if (p == NULL || is_suited(kinds[i], p))
            used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                     kinds[i]->info.name);
    return text;
}

/* "sphere (sphere:2), rose (circle)" */
static mst_status no_kind(const mst_picture *p)
{
    char list[1000];
    size_t used = 0;
    for (size_t i = 0; i < KIND_COUNT && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s (%s)", i > 0 ? ", " : "",
                                 kinds[i]->info.name, kinds[i]->info.suits);
    return mst_fail(MST_UNABLE, "there is no picture of %.80s yet; kinds: %s",
                    p->m != NULL ? mst_manifold_spec(p->m) : "this result", list);
}

static const plot_kind *first_that_suits(const mst_picture *p)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (is_suited(kinds[i], p) &&
            (kinds[i]->only_by_name == NULL || !kinds[i]->only_by_name(p)))
            return kinds[i];
    return NULL;
}

const char *mst_plot_default_kind(const mst_picture *p)
{
    const plot_kind *kind = first_that_suits(p);
    return kind != NULL ? kind->info.name : NULL;
}

static mst_status choose(const plot_kind **out, const char *name, const mst_picture *p)
{
    char list[LIST_SIZE];
    *out = name != NULL ? find_kind(name) : first_that_suits(p);
    if (*out == NULL && name != NULL)
        return mst_fail(MST_ARGUMENT, "there is no kind of picture '%.40s'; there are %s", name,
                        list_kinds(NULL, list));
    if (first_that_suits(p) == NULL)
        return no_kind(p);
    if (!is_suited(*out, p))
        return mst_fail(MST_UNABLE, "the kind '%s' is for %s; for %.80s there is %s", name,
                        (*out)->info.suits, p->m != NULL ? mst_manifold_spec(p->m) : "this result",
                        list_kinds(p, list));
    return MST_OK;
}

mst_status mst_plot_suits(const char *kind, const mst_picture *p)
{
    const plot_kind *found;
    return choose(&found, kind, p);
}

mst_status mst_plot_format_of(mst_plot_format *out, const char *path)
{
    static const char *const endings[] = {".svg", ".pdf", ".png"}; /* as mst_plot_format */
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) {
            *out = (mst_plot_format)i;
            return MST_OK;
        }
    return mst_fail(MST_ARGUMENT, "%s: pictures end in .svg, .pdf or .png", path);
}

/* ---- Drawing ---- */

static mst_status check_picture(const mst_picture *p)
{
    if (p->n > 0 && (p->m == NULL || p->x == NULL))
        return mst_fail(MST_ARGUMENT, "a picture of points needs their manifold and coordinates");
    if ((p->mean_count > 0 || p->curve_count > 0) && p->m == NULL)
        return mst_fail(MST_ARGUMENT, "a picture of means or curves needs their manifold");
    for (size_t i = 0; p->labels != NULL && i < p->n; i++)
        if (p->labels[i] >= p->mean_count)
            return mst_fail(MST_ARGUMENT, "the label of row %zu is %zu, but there are %zu means",
                            i + 1, p->labels[i], p->mean_count);
    return MST_OK;
}

static mst_status check_options(const mst_plot_options *o)
{
    if (!(o->width >= 40 && o->width <= 400))
        return mst_fail(MST_ARGUMENT, "`width` is 40 to 400 mm, not %g", o->width);
    if (!(o->resolution >= 72 && o->resolution <= 1200))
        return mst_fail(MST_ARGUMENT, "`resolution` is 72 to 1200 dots per inch, not %g",
                        o->resolution);
    return MST_OK;
}

mst_status mst_plot_draw(char **bytes, size_t *length, const mst_picture *given,
                         mst_plot_format format, const mst_plot_options *options)
{
    mst_picture p;
    mst_plot_options o;
    const plot_kind *kind;
    canvas *c;
    *bytes = NULL;
    *length = 0;
    MST_TRY(MST_TAKE_OPTIONS(&p, mst_picture, given));
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_plot_options, options));
    MST_TRY(check_options(&o));
    MST_TRY(check_picture(&p));
    MST_TRY(choose(&kind, o.kind, &p));
    MST_TRY(canvas_new(&c, &o));
    mst_status status = kind->draw(c, &p);
    if (status == MST_OK)
        status = canvas_finish(c, format, p.title, p.caption, bytes, length);
    canvas_free(c);
    return status;
}

void mst_plot_free(char *bytes)
{
    mst_release(bytes);
}

mst_status mst_plot_write(const char *path, const mst_picture *p, const mst_plot_options *options)
{
    mst_plot_options o;
    mst_plot_format format;
    mst_output *sink = NULL;
    char *bytes = NULL;
    size_t length;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_plot_options, options));
    MST_TRY(mst_plot_format_of(&format, path));
    MST_TRY(mst_output_open(&sink, path, o.force ? MST_OUTPUT_FORCE : MST_OUTPUT_NEW));
    mst_status status = mst_plot_draw(&bytes, &length, p, format, &o);
    if (status == MST_OK)
        status = mst_output_write(sink, bytes, length);
    if (status == MST_OK)
        status = mst_output_commit(sink);
    mst_output_free(sink);
    mst_plot_free(bytes);
    return status;
}
