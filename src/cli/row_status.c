/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "row_status.h"

void row_tally_add(row_tally *t, uint64_t row, const char *why)
{
    if (t->none++ == 0) {
        t->first = row;
        t->why = why;
    }
}

mst_status row_tally_conclude(const row_tally *t, const invocation *inv, uint64_t of,
                              const char *things, mst_status status)
{
    if (status != MST_OK || t->none == 0)
        return status;
    if (option_given(inv, &option_force)) {
        warn(inv,
             "warning: %llu of %llu %s have no answer (the first is %llu: %s); where there is a "
             "best value it was taken",
             (unsigned long long)t->none, (unsigned long long)of, things,
             (unsigned long long)t->first, t->why);
        return MST_OK;
    }
    return mst_fail(MST_CONVERGENCE,
                    "%llu of %llu %s have no answer and are nan (the first is %llu: %s)",
                    (unsigned long long)t->none, (unsigned long long)of, things,
                    (unsigned long long)t->first, t->why);
}
