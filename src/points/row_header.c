/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "points/row_header.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- Latitude and longitude ---- */

/* Does a word of the name begin so? "start_lon" has the words start and lon. */
static bool has_word(const char *name, const char *beginning)
{
    size_t length = strlen(beginning);
    bool inside = false;
    for (; *name != '\0'; name++) {
        if (!inside && strncasecmp(name, beginning, length) == 0)
            return true;
        inside = isalpha((unsigned char)*name);
    }
    return false;
}

bool mst_header_longitude_first(const char *first, const char *second)
{
    return first != NULL && second != NULL && (has_word(first, "lon") || has_word(first, "lng")) &&
           has_word(second, "lat") && !has_word(first, "lat");
}

/* ---- Triangles ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The number that ends before `end`; *begin is where it starts. */
static bool last_number(const char *name, const char *end, const char **begin, size_t *number)
{
    size_t power = 1;
    *number = 0;
    for (*begin = end; *begin > name && is_digit((*begin)[-1]) && power <= 10000; power *= 10)
        *number += power * (size_t)(*--*begin - '0');
    return *begin < end;
}

/* Row and column from "xy", "D_yz", "a12", "x_1_2", "c10.3"; numbers as they are, x is 1. */
static bool entry_of(const char *name, size_t *row, size_t *col)
{
    static const char letters[] = "xyz";
    size_t length = strlen(name);
    const char *end = name + length, *begin;
    if (length < 2)
        return false;
    const char *i = strchr(letters, tolower((unsigned char)end[-2]));
    const char *j = strchr(letters, tolower((unsigned char)end[-1]));
    if (i != NULL && j != NULL) {
        *row = (size_t)(i - letters) + 1;
        *col = (size_t)(j - letters) + 1;
        return true;
    }
    if (!last_number(name, end, &begin, col))
        return false;
    if (begin > name + 1 && strchr("_.,- ", begin[-1]) != NULL && is_digit(begin[-2]))
        return last_number(name, begin - 1, &begin, row);
    /* Two digits without anything between them: one each. */
    *row = *col / 10;
    *col %= 10;
    return end - begin == 2;
}

/* The least number that names a row or column; SIZE_MAX if a name does not tell its entry. */
static size_t least_index(size_t entries, const char *const *names)
{
    size_t least = SIZE_MAX, row, col;
    for (size_t k = 0; k < entries; k++) {
        if (names[k] == NULL || !entry_of(names[k], &row, &col))
            return SIZE_MAX;
        least = row < least ? row : least;
        least = col < least ? col : least;
    }
    return least;
}

mst_status mst_header_triangle(size_t order, const char *const *names, size_t *place, bool *told)
{
    size_t entries = order * (order + 1) / 2, least = least_index(entries, names), row, col;
    bool *seen;
    *told = false;
    if (least > 1)
        return MST_OK;
    MST_TRY(mst_allocate_zero(&seen, order * order));
    *told = true;
    for (size_t k = 0; k < entries && *told; k++) {
        *told = entry_of(names[k], &row, &col) && row - least < order && col - least < order;
        if (!*told)
            break;
        size_t i = (row < col ? row : col) - least, j = (row < col ? col : row) - least;
        place[k] = i * order + j;
        *told = !seen[place[k]];
        seen[place[k]] = true;
    }
    mst_release(seen);
    return MST_OK;
}

void mst_upper_triangle(size_t order, size_t *place)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i; j < order; j++)
            *place++ = i * order + j;
}

void mst_lower_triangle(size_t order, size_t *place)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j <= i; j++)
            *place++ = j * order + i;
}
