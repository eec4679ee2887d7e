/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* What changes places in a permutation test, and the labellings of it. */
#include "stat/sample_test_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct row_key {
    size_t cluster, group, row;
} row_key;

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_cluster(const void *a, const void *b)
{
    const row_key *p = a, *q = b;
    int order = compare_sizes(p->cluster, q->cluster);
    if (order == 0)
        order = compare_sizes(p->group, q->group);
    return order != 0 ? order : compare_sizes(p->row, q->row);
}

static int by_group(const void *a, const void *b)
{
    const row_key *p = a, *q = b;
    int order = compare_sizes(p->group, q->group);
    if (order == 0)
        order = compare_sizes(p->cluster, q->cluster);
    return order != 0 ? order : compare_sizes(p->row, q->row);
}

/* Does each cluster lie in one group, or each in several? Keys are sorted by cluster. */
static mst_status find_design(test_units *u, const row_key *key)
{
    size_t within = 0, across = 0;
    for (size_t i = 0, end; i < u->rows; i = end) {
        for (end = i; end < u->rows && key[end].cluster == key[i].cluster;)
            end++;
        if (key[i].group == key[end - 1].group)
            within++;
        else
            across++;
    }
    u->clusters = within + across;
    u->paired = across > 0;
    if (within > 0 && across > 0)
        return mst_fail(MST_ARGUMENT,
                        "%zu clusters lie in one group and %zu in several: a test is either of "
                        "groups of clusters or paired, within clusters; leave out one kind",
                        within, across);
    return MST_OK;
}

/* Units, and blocks of them, from sorted keys. Without clusters each row is a cluster of its own. */
static void fill_units(test_units *u, const row_key *key)
{
    u->units = u->blocks = 0;
    for (size_t i = 0; i < u->rows; i++) {
        bool other_cluster = i == 0 || key[i].cluster != key[i - 1].cluster;
        if (i == 0 || (u->paired && other_cluster))
            u->block[u->blocks++] = u->units;
        if (other_cluster || key[i].group != key[i - 1].group) {
            u->group[u->units] = key[i].group;
            u->first[u->units++] = i;
        }
        u->row[i] = key[i].row;
    }
    u->block[u->blocks] = u->units;
    u->first[u->units] = u->rows;
}

static void sort_places(test_units *u)
{
    size_t at = 0;
    for (size_t g = 0; g < u->groups; g++) {
        u->group_places[g] = at;
        for (size_t k = 0; k < u->units; k++)
            if (u->group[k] == g)
                u->by_group[at++] = k;
    }
    u->group_places[u->groups] = at;
}

/* Labellings of a block: m!/∏ m_g! of its m units, of which m_g are of group g. */
static double block_labellings(const test_units *u, size_t block)
{
    double count = 1;
    size_t same = 0;
    for (size_t k = u->block[block]; k < u->block[block + 1]; k++) {
        same = k > u->block[block] && u->group[k] == u->group[k - 1] ? same + 1 : 1;
        count *= (double)(k - u->block[block] + 1) / (double)same;
    }
    return count < 0x1p52 ? round(count) : count;
}

static void count_labellings(test_units *u)
{
    bool complete = true;
    u->labellings = u->alike = 1;
    for (size_t b = 0; b < u->blocks; b++) {
        u->labellings *= block_labellings(u, b);
        complete = complete && u->block[b + 1] - u->block[b] == u->groups;
    }
    /* Groups of as many units may exchange their names. In paired tests those that every cluster meets may,
     * and of incomplete ones nothing is claimed. */
    for (size_t g = 0; g < u->groups; g++) {
        size_t as_many = 0;
        for (size_t e = 0; e <= g; e++)
            as_many += u->group_places[e + 1] - u->group_places[e] ==
                       u->group_places[g + 1] - u->group_places[g];
        if (!u->paired || complete)
            u->alike *= (double)as_many;
    }
}

mst_status test_units_new(test_units *u, size_t n, size_t groups, const size_t *group,
                          const size_t *clusters)
{
    row_key *key;
    *u = (test_units){.groups = groups, .rows = n};
    MST_TRY(mst_allocate(&key, n));
    mst_status status = mst_allocate(&u->memory, 5 * n + groups + 3);
    if (status != MST_OK) {
        mst_release(key);
        return status;
    }
    u->row = u->memory;
    u->first = u->row + n;
    u->group = u->first + n + 1;
    u->block = u->group + n;
    u->by_group = u->block + n + 1;
    u->group_places = u->by_group + n;
    for (size_t i = 0; i < n; i++)
        key[i] = (row_key){clusters != NULL ? clusters[i] : i, group[i], i};
    qsort(key, n, sizeof *key, by_cluster);
    if (clusters != NULL)
        status = find_design(u, key);
    if (!u->paired)
        qsort(key, n, sizeof *key, by_group);
    if (status == MST_OK) {
        fill_units(u, key);
        sort_places(u);
        count_labellings(u);
    }
    mst_release(key);
    if (status != MST_OK)
        test_units_free(u);
    return status;
}

void test_units_free(test_units *u)
{
    mst_release(u->memory);
    u->memory = NULL;
}

void test_units_draw(const test_units *u, mst_random random, size_t number, size_t *at,
                     size_t *work)
{
    for (size_t b = 0; b < u->blocks; b++) {
        size_t first = u->block[b], count = u->block[b + 1] - first;
        random.stream = number * u->blocks + b;
        mst_random_permutation(random, count, work);
        for (size_t k = 0; k < count; k++)
            at[first + k] = first + work[k];
    }
}

/* The labelling of that number of a block: unit after unit gets a label, those of lower groups first, so that
 * number 0 is the one that came. `left` (groups) counts the places that a group has left. Products are below
 * 2^53, and each quotient is whole. */
static void list_block(const test_units *u, size_t block, double number, size_t *at, size_t *next,
                       size_t *left)
{
    size_t first = u->block[block], end = u->block[block + 1];
    double ways = block_labellings(u, block);
    memset(left, 0, u->groups * sizeof *left);
    for (size_t k = end; k-- > first;) {
        left[u->group[k]]++;
        next[u->group[k]] = k;
    }
    for (size_t k = first; k < end; k++) {
        for (size_t g = 0; g < u->groups; g++) {
            if (left[g] == 0)
                continue;
            double here = ways * (double)left[g] / (double)(end - k);
            if (number < here) {
                ways = here;
                left[g]--;
                at[next[g]++] = k;
                break;
            }
            number -= here;
        }
    }
}

void test_units_list(const test_units *u, size_t number, size_t *at, size_t *work)
{
    double rest = (double)number;
    for (size_t b = 0; b < u->blocks; b++) {
        double ways = block_labellings(u, b), digit = fmod(rest, ways);
        list_block(u, b, digit, at, work, work + u->groups);
        rest = (rest - digit) / ways;
    }
}
