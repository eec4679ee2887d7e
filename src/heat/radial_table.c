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

/* The octaves of w: down to 2^−20 of the distance to the cut locus, or up to cosh r = 2^20. */
enum { UNIFORM = 32, EIGHTHS = 8, OCTAVES = 20 };
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
    k->rest[i] = 2 * asin(sqrt(w / 2)) / model->scale;
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
    bool near = piece < t->uniform;
    double z = near ? at : t->top > 0 ? t->top - at : at - 1;
    put_node(model, k, z, t->top <= 0 ? INFINITY : near ? t->top - at : at);
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
    for (int v = 0; v < RADIAL_VALUES; v++)
        error[v] = found[v] - exact[v];
    double root = 1 / sqrt(t);
    return close_to(error[RADIAL_LOG_P], 2e-12, exact[RADIAL_LOG_P], 1) &&
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
    uint64_t bits[2] = {(t->first + (piece - t->uniform)) << RADIAL_OCTAVE_SHIFT,
                        (t->first + (piece - t->uniform) + 1) << RADIAL_OCTAVE_SHIFT};
    double w[2];
    memcpy(w, bits, sizeof w);
    t->centre[piece] = (w[0] + w[1]) / 2;
    t->steepness[piece] = 2 / (w[1] - w[0]);
}

/* Leave a piece to the kernel, and all that is farther away: next to the cut locus the noise of the kernel
 * may be more than what is asked for. False if that is too much. */
static bool leave_out(radial_table *t, size_t piece)
{
    double half = 1 / t->steepness[piece], at = t->centre[piece];
    t->last = fmin(t->last,
                   t->top > 0 ? t->top - (at + half) * (1 + 1e-9) : (at - half) * (1 - 1e-9) - 1);
    return piece >= t->uniform && t->last >= (t->top > 0 ? t->top - 0.02 : 1000);
}

/* Coefficients of some pieces; *good becomes false where they do not hold. */
static void fill(const heat_model *model, radial_table *t, double time, size_t begin, size_t end,
                 bool *good)
{
    enum { EACH = RADIAL_TERMS + PROBES };
    double node[RADIAL_TERMS], matrix[RADIAL_TERMS][RADIAL_TERMS];
    double values[HEAT_BLOCK * RADIAL_VALUES], found[RADIAL_VALUES];
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
            MST_PICK(radial_table_kernels)->look_up(t, 1, &k.z[i], found);
            if (k.z[i] <= t->last &&
                !is_accurate(model, &k, i, time, values + i * RADIAL_VALUES, found))
                *good = leave_out(t, piece) && *good;
        }
    }
}

static mst_status table_new(radial_table *t, const heat_model *model, double time, bool *good)
{
    enum { TOGETHER = HEAT_BLOCK / (RADIAL_TERMS + PROBES) };
    bool circle = model->kind == HEAT_NO_MODEL, open = model->kind == HEAT_HYPERBOLIC;
    double least = open ? 2 : ldexp(1, -OCTAVES);
    uint64_t bits;
    memcpy(&bits, &least, sizeof bits);
    *t = (radial_table){.edge = circle ? pi - 1 : 1,
                        .top = circle ? pi
                               : open ? 0
                                      : 2,
                        .first = bits >> RADIAL_OCTAVE_SHIFT,
                        .uniform = UNIFORM,
                        .pieces = UNIFORM + EIGHTHS * OCTAVES};
    t->per_unit = UNIFORM / t->edge;
    /* A step inside, so that rounding leaves z on the last piece. */
    t->last = open ? ldexp(2, OCTAVES) * (1 - 1e-15) - 1 : t->top - least * (1 + 1e-9);
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

static void add_factor(const radial_tables *r, const factor *f, size_t n, const double *values,
                       const double *c, const radial_rows *out)
{
    size_t d = r->m->dim, k = f->place.dim;
    double t = r->t;
    for (size_t i = 0; i < n; i++) {
        const double *v = values + i * RADIAL_VALUES;
        if (out->log_p != NULL)
            out->log_p[i] += v[RADIAL_LOG_P];
        if (out->dt != NULL)
            out->dt[i] += v[RADIAL_DT];
        for (size_t a = 0; out->score != NULL && a < k; a++)
            out->score[i * d + f->first + a] = -v[RADIAL_G] * c[a * HEAT_BLOCK + i];
        if (out->cross != NULL) {
            double *cross = out->cross + i * (d + 1);
            for (size_t a = 0; a < k; a++)
                cross[f->first + a] = -t * v[RADIAL_G_DT] * c[a * HEAT_BLOCK + i];
            cross[d] += t * (v[RADIAL_DT] + t * v[RADIAL_DTT]);
        }
        for (size_t a = 0; out->hessian != NULL && a < k; a++) {
            double *row = out->hessian + (i * d + f->first + a) * d + f->first;
            double by = v[RADIAL_MIXED] * c[a * HEAT_BLOCK + i];
            for (size_t b = 0; b < k; b++)
                row[b] = by * c[b * HEAT_BLOCK + i];
            row[a] += v[RADIAL_ACROSS];
        }
    }
}

/* A row beyond a table: the kernel, and its differences by time. */
static mst_status exact_row(const radial_tables *r, const double *y, const double *x, size_t i,
                            const radial_rows *out)
{
    const mst_manifold *m = r->m;
    size_t d = m->dim, D = m->ambient;
    double *work, log_p, dt[3];
    MST_TRY(mst_allocate(&work, 3 * (D + d) + d * d));
    double *score[3] = {work, work + D, work + 2 * D}, *c[3], *hessian = work + 3 * (D + d);
    mst_status status = MST_OK;
    for (int k = 2; status == MST_OK && k >= 0; k--) {
        double t = r->t * (k == 0 ? 1 : k == 1 ? 1 + time_step : 1 - time_step);
        c[k] = work + 3 * D + (size_t)k * d;
        status =
            mst_heat_kernel(m, 1, x, y, t, 1,
                            &(mst_heat_values){&log_p, &dt[k], score[k], k == 0 ? hessian : NULL});
        if (status == MST_OK)
            status = mst_manifold_to_frame(m, 1, y, score[k], c[k]);
    }
    double by = 1 / (2 * time_step);
    for (size_t a = 0; status == MST_OK && a < d; a++) {
        if (out->score != NULL)
            out->score[i * d + a] = c[0][a];
        if (out->cross != NULL)
            out->cross[i * (d + 1) + a] = (c[1][a] - c[2][a]) * by;
    }
    if (status == MST_OK && out->cross != NULL)
        out->cross[i * (d + 1) + d] = r->t * (dt[0] + (dt[1] - dt[2]) * by);
    if (status == MST_OK && out->log_p != NULL)
        out->log_p[i] = log_p;
    if (status == MST_OK && out->dt != NULL)
        out->dt[i] = dt[0];
    if (status == MST_OK && out->hessian != NULL)
        memcpy(out->hessian + i * d * d, hessian, d * d * sizeof *hessian);
    mst_release(work);
    return status;
}

static void clear(size_t d, size_t n, const radial_rows *out)
{
    if (out->log_p != NULL)
        memset(out->log_p, 0, n * sizeof *out->log_p);
    if (out->dt != NULL)
        memset(out->dt, 0, n * sizeof *out->dt);
    if (out->hessian != NULL)
        memset(out->hessian, 0, n * d * d * sizeof *out->hessian);
    for (size_t i = 0; out->cross != NULL && i < n; i++)
        out->cross[i * (d + 1) + d] = 0;
}

mst_status radial_tables_rows(const radial_tables *r, size_t n, const double *x,
                              const radial_rows *out)
{
    const struct radial_table_kernels *kernels = MST_PICK(radial_table_kernels);
    size_t d = r->m->dim, D = r->m->ambient;
    double z[HEAT_BLOCK], *values, *y;
    bool beyond[HEAT_BLOCK] = {false}, any = false;
    MST_TRY(mst_allocate(&values, HEAT_BLOCK * (RADIAL_VALUES + d) + D));
    double *c = values + HEAT_BLOCK * RADIAL_VALUES;
    y = c + HEAT_BLOCK * d;
    clear(d, n, out);
    for (size_t f = 0; f < r->count; f++) {
        const factor *one = &r->factors[f];
        kernels->place(&one->place, n, x, z, c);
        kernels->look_up(one->table, n, z, values);
        add_factor(r, one, n, values, c, out);
        memcpy(y + one->place.column, one->place.y, one->place.ambient * sizeof *y);
        for (size_t i = 0; i < n; i++) {
            beyond[i] |= !(z[i] <= one->table->last);
            any |= beyond[i];
        }
    }
    mst_status status = MST_OK;
    for (size_t i = 0; any && status == MST_OK && i < n; i++)
        if (beyond[i])
            status = exact_row(r, y, x + i * D, i, out);
    mst_release(values);
    return status;
}
