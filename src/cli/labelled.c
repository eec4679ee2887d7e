/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "labelled.h"

#include "util/number_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

const option option_by = {
    .name = "by",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "FILE|COLUMN",
    .example = "species",
    .help = "the groups: a file with a label per row, or a column of the input, by its name or "
            "number, that is not part of the points",
};

const option option_cluster = {
    .name = "cluster",
    .kind = OPTION_TEXT,
    .reads = true,
    .value = "FILE|COLUMN",
    .example = "subject",
    .help = "which rows depend on each other because they are of one subject: a file with a label "
            "per row, or a column of the input, by its name or number",
};

/* Whole numbers, and names that are no file, are columns. */
static bool is_column(const char *text)
{
    double number;
    return text != NULL && (mst_parse_double(text, strlen(text), &number) ||
                            (strcmp(text, "-") != 0 && access(text, F_OK) != 0));
}

/* Words for a label that nobody knows. */
static bool is_missing(const char *name)
{
    static const char *const words[] = {"", "na", "n/a", "nan", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcasecmp(name, words[k]) == 0)
            return true;
    return false;
}

/* Rows of unknown clusters are not all of one, which is what their labels would make of them. */
static mst_status refuse_missing(const mst_labels *labels, size_t n, const char *path)
{
    size_t count = 0, first = 0;
    for (size_t i = n; i-- > 0;)
        if (is_missing(labels->names[labels->index[i]])) {
            count++;
            first = i;
        }
    if (count == 0)
        return MST_OK;
    return mst_fail(MST_FORMAT,
                    "--cluster: %s, row %zu: \"%s\" is no cluster (%zu row%s); give each such row "
                    "a name of its own, or leave it out",
                    path, first + 1, labels->names[labels->index[first]], count,
                    count == 1 ? "" : "s");
}

/* One file with the labels of its columns; a label set is null where there is none. */
typedef struct part {
    double *x;
    size_t n;
    mst_labels *by, *cluster;
} part;

static mst_status read_part(estimation *e, size_t index, part *p)
{
    const char *by = option_get(e->inv, &option_by)->text, *path, *columns[2];
    const char *cluster = option_get(e->inv, &option_cluster)->text;
    mst_labels *labels[2] = {NULL};
    size_t count = 0;
    mst_status status = input_path(e->inv, index, &path);
    if (status != MST_OK)
        return status;
    if (is_column(by))
        columns[count++] = by;
    if (is_column(cluster))
        columns[count++] = cluster;
    status = mst_points_read_labelled(&p->x, &p->n, count, columns, labels, e->m, path, &e->points);
    if (status == MST_ARGUMENT && count > 0)
        return mst_fail(status, "%s: %s",
                        count == 2      ? "--by, --cluster"
                        : is_column(by) ? "--by"
                                        : "--cluster",
                        mst_error_detail());
    if (status != MST_OK)
        return status;
    p->by = is_column(by) ? labels[0] : NULL;
    p->cluster = is_column(cluster) ? labels[count - 1] : NULL;
    if (p->cluster != NULL)
        status = refuse_missing(p->cluster, p->n, shown_path(path));
    if (status != MST_OK)
        return status;
    tell_points(e->inv, e->m, path, &e->report);
    return MST_OK;
}

/* ---- The same label in different files ---- */

typedef struct named_cluster {
    const char *name;
    size_t part, index, number;
} named_cluster;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named_cluster *)a)->name, ((const named_cluster *)b)->name);
}

static int by_place(const void *a, const void *b)
{
    const named_cluster *p = a, *q = b;
    return p->part != q->part ? (p->part > q->part) - (p->part < q->part)
                              : (p->index > q->index) - (p->index < q->index);
}

static mst_status join_clusters(size_t count, const part *parts, size_t *cluster)
{
    size_t names = 0, at = 0;
    for (size_t k = 0; k < count; k++)
        names += parts[k].cluster->count;
    named_cluster *list = calloc(names, sizeof *list);
    if (list == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu clusters", names);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < parts[k].cluster->count; i++)
            list[at++] = (named_cluster){parts[k].cluster->names[i], k, i, 0};
    qsort(list, names, sizeof *list, by_name);
    for (size_t i = 1; i < names; i++)
        list[i].number = list[i - 1].number + (strcmp(list[i].name, list[i - 1].name) != 0);
    qsort(list, names, sizeof *list, by_place);
    const named_cluster *mine = list;
    for (size_t k = 0; k < count; mine += parts[k].cluster->count, k++)
        for (size_t i = 0; i < parts[k].n; i++)
            *cluster++ = mine[parts[k].cluster->index[i]].number;
    free(list);
    return MST_OK;
}

/* ---- All files ---- */

/* The labels of the file of --cluster. */
static mst_status read_clusters(const char *path, size_t n, size_t *cluster)
{
    mst_labels *labels;
    mst_status status = mst_labels_read(&labels, path, n);
    if (status != MST_OK)
        return status;
    status = refuse_missing(labels, n, shown_path(path));
    memcpy(cluster, labels->index, n * sizeof *cluster);
    mst_labels_free(labels);
    return status;
}

static mst_status join(const estimation *e, size_t count, const part *parts, labelled_rows *rows)
{
    const char *by = option_get(e->inv, &option_by)->text;
    const char *cluster = option_get(e->inv, &option_cluster)->text;
    size_t row = e->ambient * sizeof *rows->x;
    rows->first = calloc(count + 1, sizeof *rows->first);
    if (rows->first == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu files", count);
    rows->files = count;
    for (size_t k = 0; k < count; k++)
        rows->first[k + 1] = rows->first[k] + parts[k].n;
    rows->n = rows->first[count];
    mst_status status = new_doubles(&rows->x, rows->n, e->ambient);
    for (size_t k = 0; k < count && status == MST_OK; k++)
        if (parts[k].n > 0)
            memcpy(rows->x + rows->first[k] * e->ambient, parts[k].x, parts[k].n * row);
    if (status == MST_OK && by != NULL && !is_column(by))
        status = mst_labels_read(&rows->by, by, rows->n);
    if (status != MST_OK || cluster == NULL)
        return status;
    rows->cluster = calloc(rows->n + 1, sizeof *rows->cluster);
    if (rows->cluster == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for the clusters of %zu rows", rows->n);
    return is_column(cluster) ? join_clusters(count, parts, rows->cluster)
                              : read_clusters(cluster, rows->n, rows->cluster);
}

mst_status read_labelled(estimation *e, labelled_rows *rows)
{
    size_t count = e->inv->operand_count > 0 ? e->inv->operand_count : 1;
    *rows = (labelled_rows){0};
    part *parts = calloc(count, sizeof *parts);
    if (parts == NULL)
        return mst_fail(MST_MEMORY, "not enough memory for %zu files", count);
    mst_status status = MST_OK;
    for (size_t k = 0; k < count && status == MST_OK; k++)
        status = read_part(e, k, &parts[k]);
    if (status == MST_OK)
        status = join(e, count, parts, rows);
    if (status == MST_OK && parts[0].by != NULL) {
        rows->by = parts[0].by;
        parts[0].by = NULL;
    }
    for (size_t k = 0; k < count; k++) {
        mst_points_free(parts[k].x);
        mst_labels_free(parts[k].by);
        mst_labels_free(parts[k].cluster);
    }
    free(parts);
    return status;
}

void labelled_free(labelled_rows *rows)
{
    free(rows->x);
    free(rows->cluster);
    free(rows->first);
    mst_labels_free(rows->by);
}
