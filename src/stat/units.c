/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "stat/units.h"

#include <stdlib.h>

typedef struct numbered {
    size_t cluster, row;
} numbered;

/* By cluster, then by row: the order does not depend on the sort. */
static int compare(const void *a, const void *b)
{
    const numbered *first = a, *second = b;
    if (first->cluster != second->cluster)
        return first->cluster < second->cluster ? -1 : 1;
    return (first->row > second->row) - (first->row < second->row);
}

static mst_status sort_clusters(stat_units *out, size_t n, const size_t *clusters)
{
    numbered *list;
    MST_TRY(mst_allocate(&list, n));
    for (size_t i = 0; i < n; i++)
        list[i] = (numbered){clusters[i], i};
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++) {
        out->order[i] = list[i].row;
        if (i + 1 == n || list[i + 1].cluster != list[i].cluster)
            out->end[out->count++] = i + 1;
    }
    mst_release(list);
    return MST_OK;
}

mst_status stat_units_new(stat_units *out, size_t n, const size_t *clusters)
{
    *out = (stat_units){0};
    MST_TRY(mst_allocate(&out->order, 2 * n));
    out->end = out->order + n;
    if (clusters != NULL) {
        mst_status status = sort_clusters(out, n, clusters);
        if (status != MST_OK)
            stat_units_free(out);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        out->order[i] = i;
        out->end[i] = i + 1;
    }
    out->count = n;
    return MST_OK;
}

void stat_units_free(stat_units *units)
{
    mst_release(units->order);
    *units = (stat_units){0};
}
