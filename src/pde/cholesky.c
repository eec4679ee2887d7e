/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Supernode by supernode, each taken from those that it touches as soon as it is done. */
#include "pde/cholesky.h"

#include <math.h>

/* Columns that are done one by one, before the others get their product. */
enum { PANEL = 16 };

typedef struct factoring {
    const pde_factor *f;
    const pde_cholesky_kernels *k;
    double *value;
    int *home;    /* (n): the supernode of a column */
    int *place;   /* (n): of a row in the supernode that is looked at */
    double *room; /* products, (rows, columns) of the largest */
} factoring;

static size_t columns_of(const pde_factor *f, size_t s)
{
    return (size_t)(f->super[s + 1] - f->super[s]);
}

static size_t rows_of(const pde_factor *f, size_t s)
{
    return (size_t)(f->begin[s + 1] - f->begin[s]);
}

static void find_places(factoring *j, size_t s)
{
    const int *row = j->f->row + j->f->begin[s];
    for (size_t i = 0; i < rows_of(j->f, s); i++)
        j->place[row[i]] = (int)i;
}

/* The matrix itself; what is above the diagonal stays 0. */
static void scatter(factoring *j, size_t s, const pde_graph *g, const double *matrix,
                    const int *number)
{
    const pde_factor *f = j->f;
    double *block = j->value + f->at[s];
    find_places(j, s);
    for (size_t c = 0; c < columns_of(f, s); c++) {
        size_t k = (size_t)f->super[s] + c, old = (size_t)f->order[k];
        for (size_t e = g->line[old]; e < g->line[old + 1]; e++) {
            int row = number[g->column[e]];
            if ((size_t)row >= k)
                block[(size_t)j->place[row] + c * rows_of(f, s)] = matrix[e];
        }
    }
}

/* Columns first … last − 1 of a block, those before them subtracted already. */
static bool panel(double *block, size_t rows, size_t first, size_t last)
{
    for (size_t c = first; c < last; c++) {
        double *own = block + c * rows;
        for (size_t k = first; k < c; k++) {
            const double *other = block + k * rows;
            double factor = other[c];
            for (size_t i = c; i < rows; i++)
                own[i] -= factor * other[i];
        }
        if (!(own[c] > 0))
            return false;
        double root = sqrt(own[c]);
        for (size_t i = c; i < rows; i++)
            own[i] /= root;
    }
    return true;
}

static bool factorise(const factoring *j, size_t s)
{
    size_t rows = rows_of(j->f, s), columns = columns_of(j->f, s);
    double *block = j->value + j->f->at[s];
    for (size_t first = 0; first < columns; first += PANEL) {
        size_t last = first + PANEL < columns ? first + PANEL : columns;
        if (first > 0)
            j->k->subtract(rows - first, last - first, first, block + first, block + first, rows,
                           block + first + first * rows, rows);
        if (!panel(block, rows, first, last))
            return false;
    }
    return true;
}

/* Its product with itself from the columns `first` … of supernode t, which are its rows from `at` on. */
static void take_from(factoring *j, size_t s, size_t t, size_t at, size_t count)
{
    const pde_factor *f = j->f;
    size_t rows = rows_of(f, s), high = rows - at, tall = rows_of(f, t);
    const double *block = j->value + f->at[s] + at;
    const int *row = f->row + f->begin[s] + at;
    double *to = j->value + f->at[t];
    for (size_t e = 0; e < high * count; e++)
        j->room[e] = 0;
    j->k->subtract(high, count, columns_of(f, s), block, block, rows, j->room, high);
    find_places(j, t);
    for (size_t c = 0; c < count; c++) {
        double *own = to + (size_t)(row[c] - f->super[t]) * tall;
        for (size_t i = c; i < high; i++)
            own[j->place[row[i]]] += j->room[c * high + i];
    }
}

static void take_from_all(factoring *j, size_t s)
{
    const pde_factor *f = j->f;
    const int *row = f->row + f->begin[s];
    size_t rows = rows_of(f, s);
    for (size_t at = columns_of(f, s), next; at < rows; at = next) {
        int t = j->home[row[at]];
        for (next = at + 1; next < rows && j->home[row[next]] == t;)
            next++;
        take_from(j, s, (size_t)t, at, next - at);
    }
}

static size_t largest_product(const pde_factor *f)
{
    size_t most = 1;
    for (size_t s = 0; s < f->supers; s++) {
        size_t below = rows_of(f, s) - columns_of(f, s);
        most = below * below > most ? below * below : most;
    }
    return most;
}

static mst_status run(factoring *j, const pde_graph *g, const double *matrix, int *number)
{
    const pde_factor *f = j->f;
    for (size_t k = 0; k < f->n; k++)
        number[f->order[k]] = (int)k;
    for (size_t s = 0; s < f->supers; s++) {
        for (int k = f->super[s]; k < f->super[s + 1]; k++)
            j->home[k] = (int)s;
        scatter(j, s, g, matrix, number);
    }
    for (size_t s = 0; s < f->supers; s++) {
        if (!factorise(j, s))
            return mst_fail(MST_BREAKDOWN,
                            "the matrix of the heat equation is not positive definite");
        take_from_all(j, s);
    }
    return MST_OK;
}

mst_status pde_cholesky(const pde_factor *f, const pde_graph *g, const double *matrix)
{
    factoring j = {.f = f, .k = MST_PICK(pde_cholesky_kernels), .value = f->value};
    int *numbers;
    MST_TRY(mst_allocate(&numbers, 3 * f->n));
    j.home = numbers;
    j.place = numbers + f->n;
    mst_status status = mst_allocate(&j.room, largest_product(f));
    if (status == MST_OK)
        status = run(&j, g, matrix, numbers + 2 * f->n);
    mst_release(j.room);
    mst_release(numbers);
    return status;
}
