/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Which landmarks are joined by lines. */
#include "plot/shapes.h"

#include "base/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void join_piece(shapes *s, size_t first, size_t last, bool closed)
{
    for (size_t i = first; i < last; i++)
        s->next[i] = i + 1;
    s->next[last] = closed && last > first + 1 ? first : s->landmarks;
    s->joined = s->joined || last > first;
}

/* ---- By a text ---- */

static mst_status bad_outline(const char *text)
{
    return mst_fail(MST_ARGUMENT,
                    "`outline` is none, open or closed, or pieces such as closed:1-25,26-50, not "
                    "'%.60s'",
                    text);
}

static mst_status join_by_text(shapes *s, const char *text)
{
    bool closed = strncmp(text, "closed", 6) == 0;
    if (strcmp(text, "none") == 0)
        return MST_OK;
    if (!closed && strncmp(text, "open", 4) != 0)
        return bad_outline(text);
    const char *at = text + (closed ? 6 : 4);
    if (*at == '\0') {
        join_piece(s, 0, s->landmarks - 1, closed);
        return MST_OK;
    }
    if (*at != ':')
        return bad_outline(text);
    do {
        char *end;
        unsigned long first = strtoul(at + 1, &end, 10), last;
        if (end == at + 1 || *end != '-')
            return bad_outline(text);
        at = end + 1;
        last = strtoul(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0'))
            return bad_outline(text);
        if (first < 1 || last <= first || last > s->landmarks)
            return mst_fail(MST_ARGUMENT, "`outline`: there are no landmarks %lu to %lu of %zu",
                            first, last, s->landmarks);
        join_piece(s, first - 1, last - 1, closed);
        at = end;
    } while (*at == ',');
    return MST_OK;
}

/* ---- By the first mean ---- */

static double apart(const shapes *s, size_t i, size_t j)
{
    double square = 0;
    for (size_t k = 0; k < s->dim; k++) {
        double by = s->means[i * s->dim + k] - s->means[j * s->dim + k];
        square += by * by;
    }
    return sqrt(square);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many landmarks are nearer to i than its next one. */
static size_t nearer_than_next(const shapes *s, size_t i)
{
    size_t count = 0;
    for (size_t j = 0; j < s->landmarks; j++)
        count += j != i && j != i + 1 && apart(s, i, j) < apart(s, i, i + 1);
    return count;
}

/* Rows along outlines have the next landmark among the two nearest nearly everywhere. They are cut where the
 * next is four times as far as it usually is, and closed where the ends are as near. */
static mst_status join_by_mean(shapes *s)
{
    const double far = 4;
    size_t near = 0, first = 0, steps = s->landmarks - 1;
    double *sorted;
    if (s->landmarks < 12)
        return MST_OK;
    for (size_t i = 0; i < steps; i++)
        near += nearer_than_next(s, i) < 2;
    if (10 * near < 9 * steps)
        return MST_OK;
    MST_TRY(mst_allocate(&sorted, steps));
    for (size_t i = 0; i < steps; i++)
        sorted[i] = apart(s, i, i + 1);
    qsort(sorted, steps, sizeof *sorted, by_size);
    double most = far * sorted[steps / 2];
    mst_release(sorted);
    for (size_t i = 0; i < s->landmarks; i++)
        if (i == steps || apart(s, i, i + 1) > most) {
            join_piece(s, first, i, apart(s, first, i) <= most);
            first = i + 1;
        }
    return MST_OK;
}

mst_status shapes_join(shapes *s, const char *outline)
{
    for (size_t i = 0; i < s->landmarks; i++)
        s->next[i] = s->landmarks;
    s->joined = false;
    return outline != NULL ? join_by_text(s, outline) : join_by_mean(s);
}
