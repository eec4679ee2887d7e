/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* cairo numbers the surfaces of a process, and these numbers are in the ids of its SVG: the same picture
 * would be another file the second time, and two on one page would take each other's letters. */
#include "base/internal.h"
#include "plot/canvas_parts.h"
#include "util/text_stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IDS = 64 };
typedef struct renumbering {
    FILE *out;
    const char *prefix;
    size_t count;
    unsigned long old[MOST_IDS]; /* number i + 1 was this one */
} renumbering;

static unsigned long renumber(renumbering *r, unsigned long number)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->old[i] == number)
            return i + 1;
    if (r->count == MOST_IDS)
        return number;
    r->old[r->count] = number;
    return ++r->count;
}

/* An id without quotes: letters, then a number; glyphs have two, which begin from 0 in every file. */
static const char *put_id(renumbering *r, const char *id)
{
    size_t letters = strcspn(id, "0123456789\")");
    fprintf(r->out, "%s%.*s", r->prefix, (int)letters, id);
    const char *rest = id + letters;
    bool counted = (letters == 7 && memcmp(id, "surface", 7) == 0) ||
                   (letters == 5 && memcmp(id, "image", 5) == 0);
    if (counted && isdigit((unsigned char)*rest)) {
        char *end;
        fprintf(r->out, "%lu", renumber(r, strtoul(rest, &end, 10)));
        rest = end;
    }
    return rest;
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '&' ? "&amp;"
                                            : NULL;
        if (entity != NULL)
            fputs(entity, out);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

/* Where the next id is: behind one of the marks, of which the second and third refer to it. */
static const char *next_id(const char *at)
{
    static const char *const marks[] = {" id=\"", "href=\"#", "url(#"};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = strstr(at, marks[i]);
        if (found != NULL && (first == NULL || found + strlen(marks[i]) < first))
            first = found + strlen(marks[i]);
    }
    return first;
}

/* strstr of what is not there reads to the end: look at one line at a time, though those
 * of images are long. */
static void put_line(renumbering *r, char *line)
{
    const char *at = line;
    for (const char *id; (id = next_id(at)) != NULL;) {
        fwrite(at, 1, (size_t)(id - at), r->out);
        at = put_id(r, id);
    }
    fprintf(r->out, "%s\n", at);
}

mst_status plot_svg_text(char **out, size_t *length, const char *svg, size_t n, const char *id,
                         const char *title, const char *caption)
{
    mst_text_stream *stream;
    char *copy;
    MST_TRY(mst_allocate(&copy, n + 1));
    memcpy(copy, svg, n);
    copy[n] = '\0';
    mst_status status = mst_text_open(&stream);
    if (status != MST_OK) {
        mst_release(copy);
        return status;
    }
    renumbering r = {.out = mst_text_file(stream), .prefix = id != NULL ? id : ""};
    bool described = false;
    for (char *line = copy, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        if (*end != '\0')
            *end++ = '\0';
        put_line(&r, line);
        if (!described && strncmp(line, "<svg ", 5) == 0) {
            described = true;
            fputs("<title>", r.out);
            put_escaped(r.out, title != NULL ? title : "");
            fputs("</title>\n<desc>", r.out);
            put_escaped(r.out, caption);
            fputs("</desc>\n", r.out);
        }
    }
    mst_release(copy);
    return mst_text_close(stream, out, length);
}
