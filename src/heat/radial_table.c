/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/radial_table.h"

#include "heat/kernel_parts.h"
#include "heat/model.h"
#include "heat/radial_kernels.h"

#include <manistat/heat.h>
#include <math.h>
#include <string.h>

typedef struct factor {
    const mst_manifold *m;
    heat_model model; /* HEAT_NO_MODEL: a circle */
    radial_place place;
    size_t first;              /* of its coordinates among those of the frame */
    const radial_table *table; /* of the first factor of its kind */
} factor;

struct radial_tables {
    const mst_manifold *m;
    double t;
    size_t count, made;
    factor *factors;
    radial_table *table; /* (made) */
    double *memory;
};

/* ---- The space ---- */

/* The model of a factor, and how its rows tell z. */
static bool place_of(const mst_manifold *m, heat_model *model, radial_place *place)
{
    const mst_manifold_traits *traits = mst_manifold_traits_of(m);
    *model = traits->angles ? (heat_model){.scale = 1} : heat_model_of(m);
    *place = (radial_place){.ambient = m->ambient, .dim = m->dim};
    if (traits->angles) {
        place->kind = RADIAL_ANGLE;
        return true;
    }
    if (m->dim > 64)
        return false;
    place->kind = model->kind == HEAT_HYPERBOLIC ? RADIAL_BOOST : RADIAL_CHORD;
    place->half = model->kind == HEAT_ROTATIONS ? 0.25 : 0.5;
    return (model->kind == HEAT_SPHERE && traits->unit_rows && model->scale == 1) ||
           (model->kind == HEAT_ROTATIONS && traits->rows == MST_ROWS_ROTATIONS) ||
           (model->kind == HEAT_HYPERBOLIC && traits->rows == MST_ROWS_HYPERBOLOID &&
            model->scale == 1);
}

bool radial_tables_fit(const mst_manifold *m)
{
    heat_model model;
    radial_place place;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (!place_of(mst_manifold_factor(m, f), &model, &place))
            return false;
    return true;
}

void radial_tables_free(radial_tables *r)
{
    if (r == NULL)
        return;
    for (size_t k = 0; k < r->made; k++)
        mst_release(r->table[k].centre);
    mst_release(r->table);
    mst_release(r->factors);
    mst_release(r->memory);
    mst_release(r);
}

/* The matrix that makes c of x − y: the frame in the product of the rows' space, or the boost. */
static mst_status fill_place(const factor *f, const double *y)
{
    const radial_place *p = &f->place;
    size_t D = p->ambient, d = p->dim;
    memcpy(p->y, y, D * sizeof *y);
    for (size_t k = 0; p->kind != RADIAL_ANGLE && k < d; k++) {
        double *row = p->c + k * D;
        double *unit;
        MST_TRY(mst_allocate_zero(&unit, d));
        unit[k] = 1;
        mst_status status = mst_manifold_from_frame(f->m, 1, y, unit, row);
        mst_release(unit);
        MST_TRY(status);
        for (size_t a = 0; a < D; a++)
            row[a] *= f->model.kind == HEAT_ROTATIONS     ? 0.5
                      : p->kind == RADIAL_BOOST && a == 0 ? -1
                                                          : 1;
    }
    return MST_OK;
}

/* The factors, an angle being one each. */
static mst_status list_factors(radial_tables *r, const double *y)
{
    const mst_manifold *m = r->m;
    size_t column = 0, first = 0;
    double *memory = r->memory;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++) {
        const mst_manifold *one = mst_manifold_factor(m, f);
        factor found = {.m = one};
        place_of(one, &found.model, &found.place);
        found.place.stride = m->ambient;
        size_t parts = found.place.kind == RADIAL_ANGLE ? one->dim : 1;
        if (parts > 1 || found.place.kind == RADIAL_ANGLE)
            found.place.ambient = found.place.dim = 1;
        for (size_t k = 0; k < parts; k++) {
            factor *to = &r->factors[r->count++];
            *to = found;
            to->place.column = column;
            to->first = first;
            to->place.y = memory;
            to->place.c = memory + to->place.ambient;
            memory += to->place.ambient * (1 + to->place.dim);
            MST_TRY(fill_place(to, y + column));
            column += to->place.ambient;
            first += to->place.dim;
        }
    }
    return MST_OK;
}

static mst_status fill_tables(radial_tables *r, bool *good)
{
    for (size_t f = 0; *good && f < r->count; f++) {
        factor *one = &r->factors[f];
        for (size_t k = 0; k < f && one->table == NULL; k++)
            if (r->factors[k].model.kind == one->model.kind &&
                r->factors[k].model.dim == one->model.dim)
                one->table = r->factors[k].table;
        if (one->table != NULL)
            continue;
        radial_table *table = &r->table[r->made];
        MST_TRY(radial_table_new(table, &one->model, r->t, good));
        one->table = table;
        r->made++;
    }
    return MST_OK;
}

mst_status radial_tables_new(radial_tables **out, const mst_manifold *m, const double *y, double t)
{
    bool good = true;
    radial_tables *r;
    *out = NULL;
    MST_TRY(mst_allocate_zero(&r, 1));
    *r = (radial_tables){.m = m, .t = t};
    mst_status status = mst_allocate_zero(&r->factors, m->dim);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->table, m->dim);
    if (status == MST_OK)
        status = mst_allocate_zero(&r->memory, m->ambient * (1 + m->dim));
    if (status == MST_OK)
        status = list_factors(r, y);
    if (status == MST_OK)
        status = fill_tables(r, &good);
    if (status == MST_OK && good)
        *out = r;
    else
        radial_tables_free(r);
    return status;
}

/* ---- Rows ---- */

/* The columns of a block of n rows. */
typedef struct columns {
    radial_block block;
    bool *beyond; /* (n): rows for the kernel */
    bool any;
} columns;

static mst_status columns_open(columns *k, const radial_tables *r, size_t n)
{
    size_t d = r->m->dim, per_factor = RADIAL_ROWS * (1 + RADIAL_VALUES);
    *k = (columns){.block = {.n = (n + 7) / 8 * 8, .d = d, .factors = r->count, .t = r->t}};
    radial_block *b = &k->block;
    MST_TRY(mst_allocate(&b->weights, RADIAL_ROWS * (1 + d) + r->count * per_factor +
                                          RADIAL_ROWS * (2 * d + 4)));
    mst_status status = mst_allocate(&b->factor, r->count);
    if (status == MST_OK)
        status = mst_allocate_zero(&k->beyond, RADIAL_ROWS);
    double *c = b->weights + RADIAL_ROWS, *memory = c + d * RADIAL_ROWS;
    for (size_t f = 0; status == MST_OK && f < r->count; f++, memory += per_factor)
        b->factor[f] = (radial_factor_rows){.first = r->factors[f].first,
                                            .dim = r->factors[f].place.dim,
                                            .z = memory,
                                            .values = memory + RADIAL_ROWS,
                                            .c = c + r->factors[f].first * RADIAL_ROWS};
    b->room = memory;
    return status;
}

static void columns_close(columns *k)
{
    mst_release(k->block.weights);
    mst_release(k->block.factor);
    mst_release(k->beyond);
}

/* Row i has no part in the sums. */
static void leave_row(radial_block *b, size_t i)
{
    b->weights[i] = 0;
    for (size_t f = 0; f < b->factors; f++) {
        b->factor[f].z[i] = 0;
        for (size_t a = 0; a < b->factor[f].dim; a++)
            b->factor[f].c[a * RADIAL_ROWS + i] = 0;
    }
}

static void fill_columns(const radial_tables *r, size_t n, const double *x, const double *weights,
                         columns *k)
{
    const struct radial_table_kernels *kernels = MST_PICK(radial_table_kernels);
    radial_block *b = &k->block;
    for (size_t i = 0; i < b->n; i++)
        b->weights[i] = i < n ? (weights != NULL ? weights[i] : 1) : 0;
    for (size_t f = 0; f < r->count; f++) {
        const factor *one = &r->factors[f];
        kernels->place(&one->place, n, x, b->factor[f].z, b->factor[f].c);
        for (size_t i = 0; i < n; i++)
            k->beyond[i] |= !(b->factor[f].z[i] <= one->table->last);
    }
    for (size_t i = 0; i < b->n; i++) {
        if (i < n && b->weights[i] != 0 && !k->beyond[i])
            continue;
        k->beyond[i] &= i < n && b->weights[i] != 0;
        k->any |= k->beyond[i];
        leave_row(b, i);
    }
    for (size_t f = 0; f < r->count; f++)
        kernels->look_up(r->factors[f].table, b->n, b->factor[f].z, b->factor[f].values);
}

/* What the kernel, and its differences by time, give for a row. */
typedef struct exact_row {
    double log_p, *gradient, *hessian, *cross; /* (d + 1), (d, d), (d + 1) */
    double *y, *score;                         /* (D) */
} exact_row;

static mst_status exact_row_open(exact_row *e, const radial_tables *r)
{
    size_t d = r->m->dim, D = r->m->ambient;
    MST_TRY(mst_allocate(&e->gradient, 2 * (d + 1) + d * d + 2 * D + 2 * (d + 1)));
    e->cross = e->gradient + d + 1;
    e->hessian = e->cross + 3 * (d + 1);
    e->y = e->hessian + d * d;
    e->score = e->y + D;
    for (size_t f = 0; f < r->count; f++)
        memcpy(e->y + r->factors[f].place.column, r->factors[f].place.y,
               r->factors[f].place.ambient * sizeof *e->y);
    return MST_OK;
}

/* By (y, log t). */
static mst_status gradient_at(const radial_tables *r, exact_row *e, const double *x, double t,
                              double *hessian, double *gradient)
{
    double dt;
    MST_TRY(mst_heat_kernel(r->m, 1, x, e->y, t, 1,
                            &(mst_heat_values){&e->log_p, &dt, e->score, hessian}));
    gradient[r->m->dim] = t * dt;
    return mst_manifold_to_frame(r->m, 1, e->y, e->score, gradient);
}

static mst_status exact_row_at(const radial_tables *r, exact_row *e, const double *x)
{
    size_t width = r->m->dim + 1;
    double *after = e->cross + width, *before = after + width;
    MST_TRY(gradient_at(r, e, x, r->t * (1 + RADIAL_TIME_STEP), NULL, after));
    MST_TRY(gradient_at(r, e, x, r->t * (1 - RADIAL_TIME_STEP), NULL, before));
    for (size_t k = 0; k < width; k++)
        e->cross[k] = (after[k] - before[k]) / (2 * RADIAL_TIME_STEP);
    return gradient_at(r, e, x, r->t, e->hessian, e->gradient);
}

static void add_vector(size_t n, double w, const double *from, double *to)
{
    for (size_t k = 0; to != NULL && k < n; k++)
        to[k] += w * from[k];
}

static void add_exact_row(const radial_tables *r, const exact_row *e, double w,
                          const radial_sums *sums)
{
    size_t d = r->m->dim, width = d + 1;
    const double *g = e->gradient;
    add_vector(1, w, &e->log_p, sums->log_p);
    add_vector(width, w, g, sums->gradient);
    add_vector(d * d, w, e->hessian, sums->hessian);
    add_vector(width, w, e->cross, sums->cross);
    for (size_t k = 0; sums->square != NULL && k < width; k++)
        *sums->square += w * g[k] * g[k] * (k < d ? r->t : 1);
    for (size_t k = 0; sums->outer != NULL && k < width; k++)
        add_vector(width, w * g[k], g, sums->outer + k * width);
}

mst_status radial_tables_add(const radial_tables *r, size_t n, const double *x,
                             const double *weights, const radial_sums *sums)
{
    columns k;
    exact_row e = {.gradient = NULL};
    mst_status status = columns_open(&k, r, n);
    if (status == MST_OK) {
        fill_columns(r, n, x, weights, &k);
        MST_PICK(radial_table_kernels)->add(&k.block, sums);
    }
    if (status == MST_OK && k.any)
        status = exact_row_open(&e, r);
    for (size_t i = 0; status == MST_OK && k.any && i < n; i++) {
        if (!k.beyond[i])
            continue;
        status = exact_row_at(r, &e, x + i * r->m->ambient);
        if (status == MST_OK)
            add_exact_row(r, &e, weights != NULL ? weights[i] : 1, sums);
    }
    mst_release(e.gradient);
    columns_close(&k);
    return status;
}

static void put_rows(const columns *k, size_t n, double *log_p, double *gradient)
{
    const radial_block *b = &k->block;
    size_t width = b->d + 1;
    if (log_p != NULL)
        memset(log_p, 0, n * sizeof *log_p);
    for (size_t i = 0; gradient != NULL && i < n; i++)
        gradient[i * width + b->d] = 0;
    for (size_t f = 0; f < b->factors; f++) {
        const radial_factor_rows *r = &b->factor[f];
        const double *values = r->values;
        for (size_t i = 0; log_p != NULL && i < n; i++)
            log_p[i] += values[RADIAL_LOG_P * RADIAL_ROWS + i];
        for (size_t i = 0; gradient != NULL && i < n; i++) {
            for (size_t a = 0; a < r->dim; a++)
                gradient[i * width + r->first + a] =
                    -values[RADIAL_G * RADIAL_ROWS + i] * r->c[a * RADIAL_ROWS + i];
            gradient[i * width + b->d] += b->t * values[RADIAL_DT * RADIAL_ROWS + i];
        }
    }
}

mst_status radial_tables_rows(const radial_tables *r, size_t n, const double *x, double *log_p,
                              double *gradient)
{
    columns k;
    exact_row e = {.gradient = NULL};
    size_t width = r->m->dim + 1;
    mst_status status = columns_open(&k, r, n);
    if (status == MST_OK) {
        fill_columns(r, n, x, NULL, &k);
        put_rows(&k, n, log_p, gradient);
    }
    if (status == MST_OK && k.any)
        status = exact_row_open(&e, r);
    for (size_t i = 0; status == MST_OK && k.any && i < n; i++) {
        if (!k.beyond[i])
            continue;
        status = gradient_at(r, &e, x + i * r->m->ambient, r->t, NULL, e.gradient);
        if (status == MST_OK && log_p != NULL)
            log_p[i] = e.log_p;
        if (status == MST_OK && gradient != NULL)
            memcpy(gradient + i * width, e.gradient, width * sizeof *gradient);
    }
    mst_release(e.gradient);
    columns_close(&k);
    return status;
}
