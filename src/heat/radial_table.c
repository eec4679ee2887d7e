/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "heat/radial_table.h"

#include "heat/kernel_parts.h"
#include "heat/model.h"
#include "heat/radial_kernels.h"

#include <manistat/heat.h>
#include <math.h>
#include <string.h>

static const double pi = 3.141592653589793;

/* w goes down to 2^−20, and z up to 2^20. */
enum { UNIFORM = 8, OCTAVES = 20 };
/* Step of the central differences by log t, whose error is its square. */
static const double time_step = 1e-4;

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

/* ---- Exact values ---- */

/* Arguments and results of the kernel at up to HEAT_BLOCK nodes. */
typedef struct nodes {
    size_t n;
    double z[HEAT_BLOCK], r[HEAT_BLOCK], rest[HEAT_BLOCK], t[HEAT_BLOCK];
    double log_p[HEAT_BLOCK], dr[HEAT_BLOCK], slope[HEAT_BLOCK], dt[HEAT_BLOCK], drr[HEAT_BLOCK];
} nodes;

/* From z, or from w where that is the small one. */
static void put_node(const heat_model *model, nodes *k, double z, double w)
{
    size_t i = k->n++;
    k->z[i] = z;
    if (model->kind == HEAT_NO_MODEL) {
        k->r[i] = z;
        k->rest[i] = w;
        return;
    }
    if (model->kind == HEAT_HYPERBOLIC) {
        k->r[i] = 2 * asinh(sqrt(z / 2)) / model->scale;
        k->rest[i] = INFINITY;
        return;
    }
    k->r[i] = 2 * asin(sqrt(z / 2)) / model->scale;
    k->rest[i] = 2 * asin(sqrt(fmin(w / 2, 1))) / model->scale;
    if (w < 1)
        k->r[i] = pi / model->scale - k->rest[i];
    else
        k->rest[i] = pi / model->scale - k->r[i];
}

static void ask_kernel(const heat_model *model, nodes *k, double t)
{
    mst_radial_out out = {k->log_p, k->dr, k->slope, k->dt, k->drr};
    for (size_t i = 0; i < k->n; i++)
        k->t[i] = t;
    if (model->kind == HEAT_NO_MODEL)
        mst_radial_sphere(1, k->n, k->r, k->rest, k->t, &out);
    else
        heat_model_kernel(model, k->n, k->r, k->rest, k->t, &out);
}

/* ∂_r log p over the length of c, which on rotations is the sine of the whole angle. */
static double slope_by_c(const heat_model *model, const nodes *k, size_t i)
{
    if (model->kind == HEAT_NO_MODEL)
        return k->dr[i] / k->r[i];
    if (model->kind == HEAT_ROTATIONS)
        return k->slope[i] / sin(k->rest[i] * model->scale / 2);
    return k->slope[i];
}

/* sin_κ² of the length of c. */
static double square_of_c(const heat_model *model, double z)
{
    double c = model->scale;
    return model->kind == HEAT_NO_MODEL     ? z * z
           : model->kind == HEAT_HYPERBOLIC ? z * (2 + z) / (c * c)
                                            : z * (2 - z) / (c * c);
}

static void exact_values(const heat_model *model, nodes *k, double t, double *values)
{
    double before[HEAT_BLOCK][2];
    ask_kernel(model, k, t * (1 - time_step));
    for (size_t i = 0; i < k->n; i++) {
        before[i][0] = slope_by_c(model, k, i);
        before[i][1] = k->dt[i];
    }
    ask_kernel(model, k, t * (1 + time_step));
    for (size_t i = 0; i < k->n; i++) {
        double *v = values + i * RADIAL_VALUES;
        v[RADIAL_G_DT] = (slope_by_c(model, k, i) - before[i][0]) / (2 * time_step * t);
        v[RADIAL_DTT] = (k->dt[i] - before[i][1]) / (2 * time_step * t);
    }
    ask_kernel(model, k, t);
    for (size_t i = 0; i < k->n; i++) {
        double *v = values + i * RADIAL_VALUES;
        bool circle = model->kind == HEAT_NO_MODEL;
        double across =
            circle ? k->drr[i] : k->slope[i] * heat_model_cosine(model, k->r[i], k->rest[i]);
        v[RADIAL_LOG_P] = k->log_p[i];
        v[RADIAL_G] = slope_by_c(model, k, i);
        v[RADIAL_DT] = k->dt[i];
        v[RADIAL_ACROSS] = across;
        v[RADIAL_MIXED] = circle ? 0 : (k->drr[i] - across) / square_of_c(model, k->z[i]);
        v[RADIAL_VALUES - 1] = 0;
    }
}

/* ---- Pieces ---- */

/* Coefficients of the polynomial through the values at Chebyshev's nodes, by powers of s: the inverse of the
 * matrix of powers, by Lagrange's polynomials multiplied out. */
static void interpolation_matrix(double node[RADIAL_TERMS],
                                 double matrix[RADIAL_TERMS][RADIAL_TERMS])
{
    for (int j = 0; j < RADIAL_TERMS; j++)
        node[j] = cos(pi * (j + 0.5) / RADIAL_TERMS);
    for (int j = 0; j < RADIAL_TERMS; j++) {
        double product[RADIAL_TERMS + 1] = {1}, divisor = 1;
        for (int k = 0, degree = 0; k < RADIAL_TERMS; k++) {
            if (k == j)
                continue;
            for (int e = ++degree; e >= 0; e--)
                product[e] = (e > 0 ? product[e - 1] : 0) - node[k] * product[e];
            divisor *= node[j] - node[k];
        }
        for (int e = 0; e < RADIAL_TERMS; e++)
            matrix[e][j] = product[e] / divisor;
    }
}

/* z and w at s of a piece. */
static void put_at(const heat_model *model, const radial_table *t, size_t piece, double s, nodes *k)
{
    double at = t->centre[piece] + s / t->steepness[piece];
    bool far = piece >= t->far;
    put_node(model, k, far ? t->top - at : at, far ? at : t->top - at);
}

/* Between the nodes, and near the ends. */
static const double probe[] = {-0.999, -0.77, 0.17, 0.94};
enum { PROBES = sizeof probe / sizeof *probe };

static bool close_to(double error, double bound, double value, double unit)
{
    return fabs(error) <= bound * fmax(fabs(value), unit);
}

/* Is the table as good as the kernel at its probes? Differences by t are of the precision
 * of a second pass. */
static bool is_accurate(const heat_model *model, const nodes *k, size_t i, double t,
                        const double *exact, const double *found)
{
    double error[RADIAL_VALUES], square = square_of_c(model, k->z[i]), c = sqrt(square);
    for (int v = 0; v < RADIAL_VALUES - 1; v++)
        error[v] = found[v] - exact[v];
    double root = 1 / sqrt(t);
    return close_to(error[RADIAL_LOG_P], 4e-13, exact[RADIAL_LOG_P], 1) &&
           close_to(error[RADIAL_G] * c, 1e-10, exact[RADIAL_G] * c, root) &&
           close_to(error[RADIAL_DT], 1e-10, exact[RADIAL_DT], 1 / t) &&
           close_to(error[RADIAL_ACROSS], 2e-10, exact[RADIAL_ACROSS], 1 / t) &&
           close_to(error[RADIAL_MIXED] * square, 2e-10, exact[RADIAL_MIXED] * square, 1 / t) &&
           close_to(error[RADIAL_G_DT] * c * t, 1e-6, exact[RADIAL_G] * c, root) &&
           close_to(error[RADIAL_DTT] * t, 1e-6, exact[RADIAL_DT], 1 / t);
}

static void place_piece(radial_table *t, size_t piece)
{
    if (piece < t->uniform) {
        double width = 1 / t->per_unit;
        t->centre[piece] = ((double)piece + 0.5) * width;
        t->steepness[piece] = 2 / width;
        return;
    }
    uint64_t eighth =
        piece < t->far ? t->first_z + (piece - t->uniform) : t->first_w + (piece - t->far);
    uint64_t bits[2] = {eighth << RADIAL_OCTAVE_SHIFT, (eighth + 1) << RADIAL_OCTAVE_SHIFT};
    double end[2];
    memcpy(end, bits, sizeof end);
    t->centre[piece] = (end[0] + end[1]) / 2;
    t->steepness[piece] = 2 / (end[1] - end[0]);
}

/* Leave a piece to the kernel, and all that is farther away: next to the cut locus the noise of the kernel
 * may be more than what is asked for. False if that is too much. */
static bool leave_out(radial_table *t, size_t piece)
{
    double half = 1 / t->steepness[piece], at = t->centre[piece];
    double last = piece >= t->far ? t->top - (at + half) : at - half;
    t->last = fmin(t->last, last * (1 - 1e-9));
    return t->last >= (t->top > 0 ? t->top - 0.02 : 1000);
}

/* Coefficients of some pieces; *good becomes false where they do not hold. */
static void fill(const heat_model *model, radial_table *t, double time, size_t begin, size_t end,
                 bool *good)
{
    enum { EACH = RADIAL_TERMS + PROBES };
    double node[RADIAL_TERMS], matrix[RADIAL_TERMS][RADIAL_TERMS];
    double values[HEAT_BLOCK * RADIAL_VALUES], column[RADIAL_VALUES * RADIAL_ROWS];
    nodes k = {.n = 0};
    interpolation_matrix(node, matrix);
    for (size_t piece = begin; piece < end; piece++)
        for (int j = 0; j < EACH; j++)
            put_at(model, t, piece, j < RADIAL_TERMS ? node[j] : probe[j - RADIAL_TERMS], &k);
    exact_values(model, &k, time, values);
    for (size_t piece = begin; piece < end; piece++) {
        const double *v = values + (piece - begin) * EACH * RADIAL_VALUES;
        double *term = t->term + piece * RADIAL_TERMS * RADIAL_VALUES;
        for (int e = 0; e < RADIAL_TERMS; e++)
            for (int a = 0; a < RADIAL_VALUES; a++) {
                double sum = 0;
                for (int j = 0; j < RADIAL_TERMS; j++)
                    sum += matrix[e][j] * v[j * RADIAL_VALUES + a];
                term[e * RADIAL_VALUES + a] = sum;
            }
        for (int p = 0; p < PROBES; p++) {
            size_t i = (piece - begin) * EACH + RADIAL_TERMS + (size_t)p;
            MST_PICK(radial_table_kernels)->look_up(t, 1, &k.z[i], column);
            double found[RADIAL_VALUES];
            for (int a = 0; a < RADIAL_VALUES - 1; a++)
                found[a] = column[a * RADIAL_ROWS];
            bool beyond = piece < t->far && t->top > 0 && t->top - k.z[i] < 1; /* w answers there */
            if (!beyond && k.z[i] <= t->last &&
                !is_accurate(model, &k, i, time, values + i * RADIAL_VALUES, found))
                *good = leave_out(t, piece) && *good;
        }
    }
}

static uint64_t eighth_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> RADIAL_OCTAVE_SHIFT;
}

static mst_status table_new(radial_table *t, const heat_model *model, double time, bool *good)
{
    enum { TOGETHER = HEAT_BLOCK / (RADIAL_TERMS + PROBES) };
    bool circle = model->kind == HEAT_NO_MODEL, open = model->kind == HEAT_HYPERBOLIC;
    /* log p is of order one where r² is t: there pieces are small, so that its digits are. */
    double low = ldexp(1, (int)floor(log2(circle ? sqrt(time) : time)));
    *t = (radial_table){.low = fmin(low, 0.5),
                        .uniform = UNIFORM,
                        .top = circle ? pi
                               : open ? 0
                                      : 2};
    t->per_unit = UNIFORM / t->low;
    t->first_z = eighth_of(t->low);
    t->first_w = eighth_of(ldexp(1, -OCTAVES));
    /* With w = 1 z is 1, or π − 1 < 2.25 on circles. */
    t->far = UNIFORM + (open ? eighth_of(ldexp(1, OCTAVES)) : eighth_of(circle ? 2 : 1) + 1) -
             t->first_z;
    t->pieces = t->far + (open ? 0 : eighth_of(1) - t->first_w);
    /* A step inside, so that rounding leaves z on the last piece. */
    t->last = open ? ldexp(1, OCTAVES) * (1 - 1e-15) : t->top - ldexp(1, -OCTAVES) * (1 + 1e-9);
    MST_TRY(mst_allocate_zero(&t->centre, t->pieces * (2 + RADIAL_TERMS * RADIAL_VALUES)));
    t->steepness = t->centre + t->pieces;
    t->term = t->steepness + t->pieces;
    for (size_t k = 0; k < t->pieces; k++)
        place_piece(t, k);
    for (size_t k = 0; *good && k < t->pieces; k += TOGETHER)
        fill(model, t, time, k, k + TOGETHER < t->pieces ? k + TOGETHER : t->pieces, good);
    return MST_OK;
}

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
        MST_TRY(table_new(table, &one->model, r->t, good));
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
    MST_TRY(gradient_at(r, e, x, r->t * (1 + time_step), NULL, after));
    MST_TRY(gradient_at(r, e, x, r->t * (1 - time_step), NULL, before));
    for (size_t k = 0; k < width; k++)
        e->cross[k] = (after[k] - before[k]) / (2 * time_step);
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
