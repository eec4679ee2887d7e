/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Two crowded landmarks in the plane, whose kernel is known by separation of variables
 * (tests/data/reference/landmarks2.csv). */
#ifndef TESTS_SUPPORT_LANDMARKS_REFERENCE_H
#define TESTS_SUPPORT_LANDMARKS_REFERENCE_H

#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 180, COLUMNS = 16 };

typedef struct reference {
    double sigma, x[4], y[4], t, log_p, score[4];
} reference;

static inline size_t read_reference(reference *rows)
{
    FILE *f = fopen(MST_TEST_DATA "/reference/landmarks2.csv", "r");
    char line[1024];
    size_t n = 0;
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f) != NULL) {
        double v[COLUMNS];
        char *at = line;
        ck_assert_uint_lt(n, ROWS);
        for (size_t k = 0; k < COLUMNS; k++, at++)
            v[k] = strtod(at, &at);
        reference *r = &rows[n++];
        ck_assert(v[1] == 0); /* no nugget */
        *r = (reference){.sigma = v[0], .t = v[10], .log_p = v[11]};
        memcpy(r->x, v + 2, sizeof r->x);
        memcpy(r->y, v + 6, sizeof r->y);
        memcpy(r->score, v + 12, sizeof r->score);
    }
    fclose(f);
    return n;
}

#endif
