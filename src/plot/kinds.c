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
static const plot_kind *const all_kinds[] = {PLOT_KIND_LIST(KIND_ENTRY)};
#undef KIND_ENTRY
enum { KIND_COUNT = sizeof all_kinds / sizeof *all_kinds, MOST_PANELS = 26, MOST_COLUMNS = 3 };

mst_picture mst_picture_default(void)
{
    return (mst_picture){.size = sizeof(mst_picture), .mean_word = "mean", .point_word = "data"};
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
    return i < KIND_COUNT ? &all_kinds[i]->info : NULL;
}

static const plot_kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(all_kinds[i]->info.name, name) == 0)
            return all_kinds[i];
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
        if (p == NULL || is_suited(all_kinds[i], p))
            used += (size_t)snprintf(text + used, LIST_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                     all_kinds[i]->info.name);
    return text;
}

static mst_status no_kind(const mst_picture *p)
{
    char list[LIST_SIZE];
    return mst_fail(MST_UNABLE, "there is no picture of %.80s yet; the kinds that there are: %s",
                    p->m != NULL ? mst_manifold_spec(p->m) : "this result", list_kinds(NULL, list));
}

static const plot_kind *first_that_suits(const mst_picture *p)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (is_suited(all_kinds[i], p) &&
            (all_kinds[i]->only_by_name == NULL || !all_kinds[i]->only_by_name(p)))
            return all_kinds[i];
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
    if ((p->mean_count > 0 || p->curve_count > 0 || p->field_count > 0) && p->m == NULL)
        return mst_fail(MST_ARGUMENT, "a picture of means, curves or fields needs their manifold");
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

/* Cairo and fontconfig crash or loop where an allocation of theirs fails, and so nothing is begun without
 * room for all of it. */
static mst_status find_room(void)
{
    enum { ROOM = 1 << 26 };
    char *room;
    MST_TRY(mst_allocate(&room, ROOM));
    mst_release(room);
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
    MST_TRY(find_room());
    MST_TRY(canvas_new(&c, &o));
    mst_status status = kind->draw(c, &p);
    if (status == MST_OK)
        status =
            canvas_finish(c, format, o.title != NULL ? o.title : p.title, p.caption, bytes, length);
    canvas_free(c);
    return status;
}

/* Of the file as a whole: "A; B". */
static void join_titles(size_t count, const mst_picture *const *pictures, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t k = 0; k < count && used < room; k++)
        if (pictures[k]->title != NULL)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used > 0 ? "; " : "",
                                     pictures[k]->title);
}

static mst_status draw_panels(char **bytes, size_t *length, size_t count,
                              const mst_picture *const *pictures, const plot_kind *const *chosen,
                              mst_plot_format format, const mst_plot_options *o)
{
    canvas *c;
    char *words = NULL, titles[1024];
    MST_TRY(canvas_new(&c, o));
    mst_status status =
        plot_sheet(c, count, pictures, chosen, o->columns > 0 ? o->columns : MOST_COLUMNS, &words);
    join_titles(count, pictures, titles, sizeof titles);
    canvas_name(c, titles);
    if (status == MST_OK)
        status = canvas_finish(c, format, o->title, words, bytes, length);
    mst_release(words);
    canvas_free(c);
    return status;
}

mst_status mst_plot_draw_sheet(char **bytes, size_t *length, size_t count,
                               const mst_picture *const *pictures, const char *const *kinds,
                               mst_plot_format format, const mst_plot_options *options)
{
    mst_plot_options o;
    mst_picture taken[MOST_PANELS];
    const mst_picture *each[MOST_PANELS];
    const plot_kind *chosen[MOST_PANELS];
    *bytes = NULL;
    *length = 0;
    MST_TRY(MST_TAKE_OPTIONS(&o, mst_plot_options, options));
    MST_TRY(check_options(&o));
    if (count < 1 || count > MOST_PANELS)
        return mst_fail(MST_ARGUMENT, "a sheet has 1 to %d pictures, not %zu", MOST_PANELS, count);
    for (size_t k = 0; k < count; k++) {
        MST_TRY(MST_TAKE_OPTIONS(&taken[k], mst_picture, pictures[k]));
        MST_TRY(check_picture(&taken[k]));
        MST_TRY(choose(&chosen[k], kinds != NULL ? kinds[k] : NULL, &taken[k]));
        each[k] = &taken[k];
    }
    return draw_panels(bytes, length, count, each, chosen, format, &o);
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
