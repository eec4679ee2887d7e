/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmarks of one specimen that are the same point: sorted by their coordinates they stand side by side. */
#include "base/internal.h"

#include <manistat/align.h>
#include <stdlib.h>

typedef struct place {
    const double *x;
    size_t dim, index;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (size_t c = 0; c < p->dim; c++)
        if (p->x[c] != q->x[c])
            return p->x[c] < q->x[c] ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static bool is_same(const place *p, const place *q)
{
    for (size_t c = 0; c < p->dim; c++)
        if (p->x[c] != q->x[c])
            return false;
    return true;
}

mst_status mst_landmarks_coincide(size_t landmarks, size_t dim, const double *x, bool *found,
                                  size_t *first, size_t *second)
{
    place *list;
    MST_TRY(mst_allocate(&list, landmarks));
    for (size_t p = 0; p < landmarks; p++)
        list[p] = (place){x + p * dim, dim, p};
    if (landmarks > 0)
        qsort(list, landmarks, sizeof *list, compare);
    *found = false;
    for (size_t p = 1; p < landmarks; p++)
        if (is_same(&list[p - 1], &list[p]) && (!*found || list[p - 1].index < *first)) {
            *found = true;
            *first = list[p - 1].index;
            *second = list[p].index;
        }
    mst_release(list);
    return MST_OK;
}
