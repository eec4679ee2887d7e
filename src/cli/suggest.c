/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "options.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t smallest(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours (optimal string alignment); words above LONGEST are far from
 * everything. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    size_t table[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= n; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            size_t best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = smallest(best, smallest(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = smallest(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    return table[m][n];
}

const char *closest_word(const char *word, const char *const *words)
{
    /* The dashes of options do not count, or -x would be near to -n. */
    word += strspn(word, "-");
    size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = length < 4 ? 2 : 3;
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *other = words[i] + strspn(words[i], "-");
        size_t distance = edit_distance(word, other);
        if (distance < best_distance && distance < smallest(length, strlen(other))) {
            best = words[i];
            best_distance = distance;
        }
    }
    for (size_t i = 0; best == NULL && length > 1 && words[i] != NULL; i++)
        if (strncmp(word, words[i] + strspn(words[i], "-"), length) == 0)
            best = words[i];
    return best;
}
