/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The order of a Cholesky factor and its supernodes, before there are any numbers. */
#include "pde/cholesky.h"

#include <math.h>
#include <string.h>

void pde_factor_free(pde_factor *f)
{
    mst_release(f->order);
    mst_release(f->super);
    mst_release(f->begin);
    mst_release(f->at);
    mst_release(f->row);
    mst_release(f->value);
    *f = (pde_factor){0};
}

typedef struct analysis {
    const pde_graph *g;
    int *numbers;       /* what the next ones are parts of */
    int *order, *place; /* (n): order[k] is the old number of row k, place its inverse */
    int *parent;        /* (n): in the elimination tree, or −1 */
    int *spare;         /* (3n) */
    int *mark;          /* (n): the last supernode with this row */
    /* Supernodes: the first column (supers + 1), where the rows of that column below it begin in `list`
     * (supers + 1), and the next supernode with the same parent. */
    size_t supers;
    int *super, *next;
    size_t *begin;
    int *list;
    size_t capacity;
    /* Groups that become one: the first and the last supernode of each. */
    size_t groups;
    int *bottom, *top;
    /* Of the columns, without the zeros of groups. */
    double cost;
} analysis;

static void analysis_free(analysis *a)
{
    mst_release(a->numbers);
    mst_release(a->begin);
    mst_release(a->list);
    *a = (analysis){0};
}

static mst_status analysis_new(analysis *a, const pde_graph *g)
{
    *a = (analysis){.g = g};
    size_t n = g->n;
    MST_TRY(mst_allocate(&a->numbers, 11 * n + 1));
    a->order = a->numbers;
    a->place = a->order + n;
    a->parent = a->place + n;
    a->spare = a->parent + n;
    a->mark = a->spare + 3 * n;
    a->next = a->mark + n;
    a->bottom = a->next + n;
    a->top = a->bottom + n;
    a->super = a->top + n;
    return mst_allocate(&a->begin, n + 1);
}

/* ---- The elimination tree ---- */

static void find_places(analysis *a)
{
    for (size_t k = 0; k < a->g->n; k++)
        a->place[a->order[k]] = (int)k;
}

/* Liu's algorithm: shortcuts lead from a row towards the root of what is known of its tree. */
static void find_parents(analysis *a)
{
    const pde_graph *g = a->g;
    int *shortcut = a->spare;
    for (int k = 0; k < (int)g->n; k++) {
        a->parent[k] = shortcut[k] = -1;
        int old = a->order[k];
        for (size_t e = g->line[old]; e < g->line[old + 1]; e++)
            for (int i = a->place[g->column[e]], up; i >= 0 && i < k; i = up) {
                up = shortcut[i];
                shortcut[i] = k;
                if (up < 0)
                    a->parent[i] = k;
            }
    }
}

/* Children before parents, and all of a subtree in a row: the factor is the same, and supernodes are
 * consecutive columns. */
static void order_by_tree(analysis *a)
{
    int n = (int)a->g->n, *child = a->spare, *sibling = child + n, *post = child + 2 * n;
    memset(child, -1, (size_t)n * sizeof *child);
    int roots = -1, count = 0;
    for (int k = n; k-- > 0;) {
        int *first = a->parent[k] < 0 ? &roots : &child[a->parent[k]];
        sibling[k] = *first;
        *first = k;
    }
    for (int k = roots; k >= 0;) {
        while (child[k] >= 0) { /* down, and no second time */
            int down = child[k];
            child[k] = -1;
            k = down;
        }
        post[count++] = k;
        k = sibling[k] >= 0 ? sibling[k] : a->parent[k];
    }
    int *back = child, *moved = sibling;
    for (int k = 0; k < n; k++) {
        back[post[k]] = k;
        moved[k] = a->order[post[k]];
    }
    memcpy(a->order, moved, (size_t)n * sizeof *moved);
    for (int k = 0; k < n; k++)
        moved[k] = a->parent[post[k]] < 0 ? -1 : back[a->parent[post[k]]];
    memcpy(a->parent, moved, (size_t)n * sizeof *moved);
    find_places(a);
}

/* ---- Supernodes ---- */

static int last_column(const analysis *a, size_t s)
{
    return a->super[s + 1] - 1;
}

/* Are all neighbours of row k among the rows of supernode s? */
static bool belongs(const analysis *a, int k, size_t s)
{
    int old = a->order[k];
    for (size_t e = a->g->line[old]; e < a->g->line[old + 1]; e++) {
        int i = a->place[a->g->column[e]];
        if (i > k && a->mark[i] != (int)s)
            return false;
    }
    return true;
}

static mst_status add_row(analysis *a, size_t s, int k, int i, size_t *count)
{
    if (i <= k || a->mark[i] == (int)s)
        return MST_OK;
    MST_TRY(mst_grow(&a->list, *count, &a->capacity));
    a->mark[i] = (int)s;
    a->list[(*count)++] = i;
    return MST_OK;
}

/* The rows of a new supernode s: the neighbours of its first column k, and the rows of its children. */
static mst_status find_rows(analysis *a, size_t s, int k, int child, size_t *count)
{
    int old = a->order[k];
    a->begin[s] = *count;
    for (size_t e = a->g->line[old]; e < a->g->line[old + 1]; e++)
        MST_TRY(add_row(a, s, k, a->place[a->g->column[e]], count));
    for (; child >= 0; child = a->next[child])
        for (size_t e = a->begin[child]; e < a->begin[child + 1]; e++)
            MST_TRY(add_row(a, s, k, a->list[e], count));
    return MST_OK;
}

/* Multiplications for a column of the factor with that many rows, and a few for each number, which solutions
 * read. */
static double cost_of_column(double rows)
{
    return rows * rows + 500 * rows;
}

/* Has column k the rows of the one before it, without that, and no other children? */
static bool goes_on(const analysis *a, int k, const int *children)
{
    return k > 0 && a->parent[k - 1] == k && children[k] == 1 && belongs(a, k, a->supers - 1);
}

/* Fundamental supernodes. Stops when the cost is above `most`: bands of wide domains would need more memory
 * than their factor in a better order. */
static mst_status find_supernodes(analysis *a, double most)
{
    int n = (int)a->g->n, *children = a->spare, *first = a->spare + n;
    size_t count = 0;
    memset(children, 0, (size_t)n * sizeof *children);
    memset(first, -1, (size_t)n * sizeof *first);
    memset(a->mark, -1, (size_t)n * sizeof *a->mark);
    for (int k = 0; k < n; k++)
        if (a->parent[k] >= 0)
            children[a->parent[k]]++;
    a->supers = 0;
    a->cost = 0;
    for (int k = 0; k < n && a->cost <= most; k++) {
        size_t s = a->supers;
        if (!goes_on(a, k, children)) {
            int parent = k > 0 ? a->parent[k - 1] : -1;
            if (parent >= 0) { /* of the supernode before, which is complete */
                a->next[s - 1] = first[parent];
                first[parent] = (int)s - 1;
            }
            a->super[s] = k;
            MST_TRY(find_rows(a, s, k, first[k], &count));
            a->begin[s + 1] = count;
            a->supers++;
        }
        s = a->supers - 1;
        a->cost += cost_of_column((double)(1 + count - a->begin[s]) - (k - a->super[s]));
    }
    a->super[a->supers] = n;
    return MST_OK;
}

/* ---- Merging ---- */

/* Blocks with a few zeros are faster than many small ones (Ashcraft and Grimes 1989, "The influence of
 * relaxed supernode partitions on the multifrontal method"); the limits are those of CHOLMOD. */
static bool is_worth_merging(size_t columns, size_t size, size_t zeros)
{
    double share = (double)zeros / (double)size;
    return columns <= 4 || zeros == 0 || (columns <= 16 && share < 0.8) ||
           (columns <= 48 && share < 0.1) || share < 0.05;
}

/* Groups of supernodes: each is merged into the group after it if its parent is the first column of that. */
static void merge(analysis *a)
{
    size_t at = a->supers, columns = 0, rows = 0, zeros = 0;
    for (size_t s = a->supers; s-- > 0;) {
        size_t own = (size_t)(a->super[s + 1] - a->super[s]);
        size_t high = 1 + a->begin[s + 1] - a->begin[s], all = own + columns;
        size_t new_zeros = zeros + own * (rows + own - high);
        size_t size = all * (all + 1) / 2 + all * (rows - columns);
        if (at < a->supers && a->parent[last_column(a, s)] == a->super[s + 1] &&
            is_worth_merging(all, size, new_zeros)) {
            rows += own;
            columns = all;
            zeros = new_zeros;
        } else {
            a->top[--at] = (int)s;
            rows = high;
            columns = own;
            zeros = 0;
        }
        a->bottom[at] = (int)s;
    }
    a->groups = a->supers - at;
    a->bottom += at;
    a->top += at;
}

/* The rows below the columns of a group: those of its last supernode. */
static size_t rows_below(const analysis *a, size_t group)
{
    size_t t = (size_t)a->top[group];
    return a->begin[t + 1] - a->begin[t] - (size_t)(last_column(a, t) - a->super[t]);
}

static size_t columns_of(const analysis *a, size_t group)
{
    return (size_t)(a->super[a->top[group] + 1] - a->super[a->bottom[group]]);
}

static double cost_of(const analysis *a)
{
    double cost = 0;
    for (size_t s = 0; s < a->groups; s++)
        for (size_t rows = columns_of(a, s) + rows_below(a, s); rows > rows_below(a, s); rows--)
            cost += cost_of_column((double)rows);
    return cost;
}

static mst_status analyse(analysis *a, const pde_graph *g, size_t leaf, double most)
{
    MST_TRY(analysis_new(a, g));
    MST_TRY(pde_dissect(g, leaf, a->order));
    find_places(a);
    find_parents(a);
    order_by_tree(a);
    MST_TRY(find_supernodes(a, most));
    if (a->cost <= most)
        merge(a);
    return MST_OK;
}

/* The cheapest of several orders. Small leaves suit compact domains; a domain that is long and narrow is best
 * left whole, so that the factor is a band. */
static mst_status analyse_best(analysis *best, const pde_graph *g)
{
    static const size_t leaves[] = {32, 600, SIZE_MAX};
    mst_status status = MST_OK;
    double least = INFINITY;
    *best = (analysis){0};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves && status == MST_OK; i++) {
        analysis a;
        status = analyse(&a, g, leaves[i], least);
        double cost = status == MST_OK && a.cost <= least ? cost_of(&a) : INFINITY;
        if (cost < least) {
            analysis worse = *best;
            *best = a;
            a = worse;
            least = cost;
        }
        analysis_free(&a);
    }
    return status;
}

/* ---- The factor ---- */

/* The rows of all groups in ascending order: first the groups of each row, then the rows of each group. */
static mst_status sort_rows(const analysis *a, pde_factor *f)
{
    size_t n = a->g->n, *begin, count = 0;
    int *group = NULL;
    MST_TRY(mst_allocate_zero(&begin, n + 2));
    for (size_t s = 0; s < a->groups; s++)
        count += rows_below(a, s);
    mst_status status = mst_allocate(&group, count);
    for (int pass = 0; pass < 2 && status == MST_OK; pass++) {
        for (size_t s = 0; s < a->groups; s++) {
            size_t t = (size_t)a->top[s];
            for (size_t e = a->begin[t]; e < a->begin[t + 1]; e++) {
                size_t row = (size_t)a->list[e];
                if (a->list[e] <= last_column(a, t))
                    continue;
                if (pass == 0)
                    begin[row + 2]++;
                else
                    group[begin[row + 1]++] = (int)s;
            }
        }
        for (size_t row = 0; row <= n && pass == 0; row++)
            begin[row + 1] += begin[row];
    }
    int *end = a->spare; /* of the rows of a group that are there already */
    for (size_t s = 0; s < a->groups; s++)
        end[s] = 0;
    for (size_t s = 0; s < a->groups && status == MST_OK; s++)
        for (int k = f->super[s]; k < f->super[s + 1]; k++)
            f->row[f->begin[s] + (size_t)end[s]++] = k;
    for (size_t row = 0; row < n && status == MST_OK; row++)
        for (size_t e = begin[row]; e < begin[row + 1]; e++)
            f->row[f->begin[group[e]] + (size_t)end[group[e]]++] = (int)row;
    mst_release(begin);
    mst_release(group);
    return status;
}

static mst_status describe(const analysis *a, pde_factor *f)
{
    f->n = a->g->n;
    f->supers = a->groups;
    MST_TRY(mst_allocate(&f->order, f->n));
    MST_TRY(mst_allocate(&f->super, f->supers + 1));
    MST_TRY(mst_allocate(&f->begin, f->supers + 1));
    MST_TRY(mst_allocate(&f->at, f->supers + 1));
    memcpy(f->order, a->order, f->n * sizeof *f->order);
    f->begin[0] = f->at[0] = 0;
    for (size_t s = 0; s < f->supers; s++) {
        size_t columns = columns_of(a, s), rows = columns + rows_below(a, s);
        f->super[s] = a->super[a->bottom[s]];
        f->begin[s + 1] = f->begin[s] + rows;
        f->at[s + 1] = f->at[s] + rows * columns;
    }
    f->super[f->supers] = (int)f->n;
    MST_TRY(mst_allocate(&f->row, f->begin[f->supers]));
    return sort_rows(a, f);
}

mst_status pde_factor_analyse(pde_factor *f, const pde_graph *g)
{
    analysis a;
    *f = (pde_factor){0};
    mst_status status = analyse_best(&a, g);
    if (status == MST_OK)
        status = describe(&a, f);
    analysis_free(&a);
    if (status != MST_OK)
        pde_factor_free(f);
    return status;
}

mst_status pde_factor_new(pde_factor *f, const pde_graph *g, const double *value)
{
    MST_TRY(pde_factor_analyse(f, g));
    mst_status status = mst_allocate_zero(&f->value, f->at[f->supers]);
    if (status == MST_OK)
        status = pde_cholesky(f, g, value);
    if (status != MST_OK)
        pde_factor_free(f);
    return status;
}
