/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "row_status.h"

#include <inttypes.h>
#include <stdio.h>

void row_tally_add_pair(row_tally *t, uint64_t row, uint64_t with, const char *why)
{
    if (t->none++ == 0) {
        t->first = row;
        t->with = with;
        t->why = why;
    }
}

void row_tally_add(row_tally *t, uint64_t row, const char *why)
{
    row_tally_add_pair(t, row, 0, why);
}

mst_status row_tally_conclude(const row_tally *t, const invocation *inv, uint64_t of,
                              const char *things, mst_status status)
{
    if (status != MST_OK || t->none == 0)
        return status;
    char first[64];
    int length = snprintf(first, sizeof first, "%" PRIu64, t->first);
    if (t->with > 0)
        snprintf(first + length, sizeof first - (size_t)length, " and %" PRIu64, t->with);
    if (option_given(inv, &option_force)) {
        warn(inv,
             "warning: %llu of %llu %s have no answer (the first is %s: %s); where there is a "
             "best value it was taken",
             (unsigned long long)t->none, (unsigned long long)of, things, first, t->why);
        return MST_OK;
    }
    return mst_fail(MST_CONVERGENCE,
                    "%llu of %llu %s have no answer and are nan (the first is %s: %s)",
                    (unsigned long long)t->none, (unsigned long long)of, things, first, t->why);
}
