/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "util/number_text.h"
#include "targets.h"

#include <manistat/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* What strtod takes and we do not. */
static bool only_strtod_takes(const char *text)
{
    return strpbrk(text, " \t\n\v\f\rxX()") != NULL;
}

int fuzz_number_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    double x = 0.125;
    bool taken = mst_parse_double(text, size, &x);
    char *end;
    double expected = strtod(text, &end);
    bool whole = size > 0 && strlen(text) == size && end == text + size;
    if (!taken) {
        bool too_large = isinf(expected) && strpbrk(text, "0123456789") != NULL;
        require(x == 0.125);
        require(!whole || only_strtod_takes(text) || too_large);
    } else {
        require(whole);
        require(isnan(x) ? isnan(expected) != 0 : memcmp(&x, &expected, sizeof x) == 0);
        char shortest[MST_DOUBLE_TEXT];
        double y;
        size_t length = mst_format_double(x, shortest);
        require(length < MST_DOUBLE_TEXT && shortest[length] == '\0');
        require(mst_parse_double(shortest, length, &y));
        require(isnan(x) ? isnan(y) != 0 : memcmp(&x, &y, sizeof x) == 0);
    }
    free(text);
    return 0;
}
