/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/manifolds.h"
#include "manifold/metric.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static mst_status full_sphere_new(mst_manifold **out)
{
    return scaled_new(out, "sphere:2", 2);
}

static mst_status scaled_spd_new(mst_manifold **out)
{
    return scaled_new(out, "spd:2", 2);
}

mst_status ambient_inner(const mst_manifold *m, size_t n, const double *x, const double *u,
                         const double *v, double *out)
{
    (void)x;
    size_t D = mst_manifold_ambient(m);
    for (size_t i = 0; i < n; i++)
        out[i] = dot(D, u + i * D, v + i * D);
    return MST_OK;
}

/* A new manifold is tested by adding its spec. */
const manifold_case manifold_cases[] = {
    {.spec = "euclidean:1"},
    {.spec = "euclidean:3"},
    {.spec = "circle"},
    {.spec = "torus:1"},
    {.spec = "torus:3"},
    {.spec = "sphere:1"},
    {.spec = "sphere:2"},
    {.spec = "sphere:3"},
    {.spec = "sphere:10"},
    {.spec = "hyperbolic:1"},
    {.spec = "hyperbolic:2"},
    {.spec = "hyperbolic:3"},
    {.spec = "hyperbolic:10"},
    {.spec = "spd:1"},
    {.spec = "spd:2"},
    {.spec = "spd:3"},
    {.spec = "spd:4"},
    {.spec = "spd:6"},
    {.spec = "spd:3?metric=log-euclidean"},
    {.spec = "spd:6?metric=log-euclidean"},
    {.spec = "spd:1?metric=log-cholesky"},
    {.spec = "spd:3?metric=log-cholesky"},
    {.spec = "spd:6?metric=log-cholesky"},
    /* The points of the suite come within 0.8 of the border. */
    {.spec = "spd:1?metric=frobenius", .spreads = true, .longest = 0.75},
    {.spec = "spd:3?metric=frobenius", .spreads = true, .longest = 0.75},
    {.spec = "spd:1?metric=bures-wasserstein", .spreads = true, .longest = 0.75},
    {.spec = "spd:3?metric=bures-wasserstein",
     .spreads = true,
     .longest = 0.75,
     .slow_chart = true},
    {.spec = "sym:1"},
    {.spec = "sym:3"},
    {.spec = "so3"},
    {.spec = "kendall:3x2", .chart_error = {1e-9, 1e-5, 1e-5}, .bends = 4},
    {.spec = "kendall:6x2", .chart_error = {1e-9, 1e-7, 1e-6}, .bends = 4},
    {.spec = "kendall:5x3",
     .reach = 0.3,
     .longest = 1,
     .carry_error = 1e-11,
     .chart_error = {1e-7, 1e-6, 1e-4},
     .slow_chart = true,
     .bends = 40},
    {.spec = "size-and-shape:4x2", .reach = 0.5, .chart_error = {1e-7, 1e-7, 1e-5}, .bends = 4},
    {.spec = "size-and-shape:5x3",
     .reach = 0.3,
     .longest = 1,
     .carry_error = 1e-11,
     .chart_error = {1e-7, 1e-6, 1e-4},
     .slow_chart = true,
     .bends = 40},
    {.spec = "product(sphere:2,euclidean:1)"},
    {.spec = "product(spd:2,circle,hyperbolic:2)"},
    {.spec = "product(so3,sphere:3,torus:2)"},
    {.spec = "landmarks:3x2?sigma=4&nugget=0.1",
     .rolls = true,
     .reach = 2.5,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11},
    {.spec = "landmarks:2x3?sigma=4&alpha=2&kernel=matern52",
     .rolls = true,
     .reach = 2.5,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11},
    {.spec = "scaled sphere", .make = full_sphere_new},
    {.spec = "scaled spd", .make = scaled_spd_new},
    {.spec = "bare sphere",
     .make = bare_sphere_new,
     .reach = 3,
     .log_error = 1e-13,
     .carry_error = 1e-11,
     .chart_error = {1e-10, 1e-9, 1e-6}},
    {.spec = "half-plane",
     .make = half_plane_new,
     .reach = 4,
     .log_error = 1e-12,
     .carry_error = 1e-12},
    {.spec = "chart sphere",
     .make = chart_sphere_new,
     .reach = 3,
     .longest = 100,
     .log_error = 1e-12,
     .carry_error = 1e-12},
    {.spec = "torus by an embedding",
     .make = formula_torus_new,
     .rolls = true,
     .reach = 2.5,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11},
    {.spec = "half-plane by a metric",
     .make = formula_half_plane_new,
     .rolls = true,
     .reach = 4,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11,
     .spreads = true},
    {.spec = "half-plane by a cometric",
     .make = formula_cometric_new,
     .rolls = true,
     .reach = 4,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11,
     .spreads = true},
    {.spec = "ellipsoid by an equation",
     .make = formula_ellipsoid_new,
     .rolls = true,
     .slow_chart = true,
     .reach = 1.7,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11,
     .chart_error = {1e-9, 1e-8, 1e-5}},
    {.spec = "flat torus by two equations",
     .make = formula_clifford_new,
     .rolls = true,
     .slow_chart = true,
     .reach = 3,
     .longest = 100,
     .log_error = 1e-10,
     .carry_error = 1e-11,
     .chart_error = {1e-9, 1e-8, 1e-5}},
};
const size_t manifold_case_count = sizeof manifold_cases / sizeof *manifold_cases;

void tangent_of_length(const subject *s, dice *d, const double *x, double length, double *v)
{
    double *c = doubles(s->d);
    bool one = dice_below(d, 3) == 0;
    size_t which = dice_below(d, s->d);
    for (size_t k = 0; k < s->d; k++)
        c[k] = one ? (k == which) : dice_normal(d);
    double norm = euclidean_norm(s->d, c);
    for (size_t k = 0; k < s->d; k++)
        c[k] *= length / norm;
    ASSERT_OK(mst_manifold_from_frame(s->m, 1, x, c, v));
    free(c);
}

void corner_point(const subject *s, dice *d, size_t kind, double *x)
{
    double *from = doubles(s->D), *c = doubles(s->d), *v = doubles(s->D);
    double far = s->spreads ? 4 : 40;
    const double lengths[POINT_KINDS] = {0, 0, 1e-9, 0.7, far, 13, 2};
    mst_manifold_start(s->m, from);
    memset(c, 0, s->d * sizeof *c);
    size_t which = dice_below(d, s->d);
    for (size_t k = 0; k < s->d; k++)
        c[k] = kind == 4 || kind == 6 ? dice_normal(d) : (k == which);
    double scale = lengths[kind] / euclidean_norm(s->d, c);
    for (size_t k = 0; k < s->d; k++)
        c[k] *= scale;
    ASSERT_OK(mst_manifold_from_frame(s->m, 1, from, c, v));
    if (kind == 1)
        ASSERT_OK(mst_manifold_random_point(s->m, (mst_random){dice_bits(d), 7}, 3, 1, x));
    else
        ASSERT_OK(mst_manifold_exp(s->m, 1, from, v, x));
    free(from);
    free(c);
    free(v);
}

static bool is_family(const mst_manifold *m, const char *name)
{
    return strcmp(mst_manifold_table(m)->name, name) == 0;
}

/* The parts of a row that belong to the factors: calls `part` for each and adds up. */
typedef double part_function(const mst_manifold *m, const double *a, const double *b, double *out);
static double over_factors(part_function *part, const mst_manifold *m, const double *a,
                           const double *b, double *out)
{
    size_t count = mst_manifold_factor_count(m), at = 0;
    if (count == 1 && mst_manifold_factor(m, 0) == m)
        return part(m, a, b, out);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const mst_manifold *factor = mst_manifold_factor(m, i);
        sum += over_factors(part, factor, a + at, b + at, out == NULL ? NULL : out + at);
        at += mst_manifold_ambient(factor);
    }
    return sum;
}

/* Do rows run away exponentially along geodesics? Not if they stay bounded, nor if exp is addition. */
static double spreads_part(const mst_manifold *m, const double *a, const double *b, double *out)
{
    (void)a;
    (void)b;
    (void)out;
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *x = doubles(D), *v = doubles(D), *y = doubles(D), *c = doubles(d);
    for (size_t k = 0; k < d; k++)
        c[k] = 2 / sqrt((double)d);
    mst_manifold_start(m, x);
    ASSERT_OK(mst_manifold_from_frame(m, 1, x, c, v));
    ASSERT_OK(mst_manifold_exp(m, 1, x, v, y));
    bool addition = true;
    for (size_t k = 0; k < D; k++)
        addition = addition && fabs(x[k] + v[k] - y[k]) < 1e-9;
    free(x);
    free(v);
    free(y);
    free(c);
    return isinf(mst_manifold_injectivity(m)) && !addition;
}

subject subject_open(size_t index)
{
    return subject_of(&manifold_cases[index]);
}

subject subject_of(const manifold_case *entry)
{
    subject s = {.entry = entry};
    ASSERT_OK(entry->make != NULL ? entry->make(&s.m) : mst_manifold_parse(&s.m, entry->spec));
    s.d = mst_manifold_dim(s.m);
    s.D = mst_manifold_ambient(s.m);
    s.injectivity = mst_manifold_injectivity(s.m);
    if (isnan(s.injectivity) || entry->reach > 0)
        s.injectivity = entry->reach;
    s.c = 8 * (double)(s.D + 8);
    s.bends = fmax(1, entry->bends);
    double *any = doubles(s.D);
    s.spreads = entry->spreads || over_factors(spreads_part, s.m, any, any, NULL) > 0;
    free(any);
    return s;
}

struct scratch_block {
    struct scratch_block *next;
    double values[];
};

double *scratch(subject *s, size_t n)
{
    struct scratch_block *block = malloc(sizeof *block + n * sizeof *block->values);
    ck_assert_ptr_nonnull(block);
    block->next = s->blocks;
    s->blocks = block;
    return block->values;
}

void subject_close(subject *s)
{
    mst_manifold_free(s->m);
    while (s->blocks != NULL) {
        struct scratch_block *next = s->blocks->next;
        free(s->blocks);
        s->blocks = next;
    }
}

static double difference_part(const mst_manifold *m, const double *a, const double *b, double *out)
{
    bool angles = is_family(m, "circle") || is_family(m, "torus");
    double other[3], period[3] = {0};
    if (m->metric != NULL && m->metric->ops.period != NULL)
        m->metric->ops.period(m, period);
    if (is_family(m, "chart sphere") && a[2] != b[2]) { /* b in the chart of a */
        for (size_t i = 0; i < 2; i++)
            other[i] = 4 * b[i] / dot(2, b, b);
        other[2] = a[2];
        b = other;
    }
    for (size_t i = 0; i < mst_manifold_ambient(m); i++)
        out[i] = angles                   ? remainder(b[i] - a[i], 2 * M_PI)
                 : i < 3 && period[i] > 0 ? remainder(b[i] - a[i], period[i])
                                          : b[i] - a[i];
    return 0;
}

void ambient_difference(const mst_manifold *m, const double *a, const double *b, double *out)
{
    over_factors(difference_part, m, a, b, out);
}

static double form_part(const mst_manifold *m, const double *a, const double *b, double *out)
{
    (void)out;
    double sum = dot(mst_manifold_ambient(m), a, b);
    return is_family(m, "hyperbolic") ? sum - 2 * a[0] * b[0] : sum;
}

double ambient_form(const mst_manifold *m, const double *a, const double *b)
{
    return over_factors(form_part, m, a, b, NULL);
}

static double cut_part(const mst_manifold *m, const double *a, const double *b, double *out)
{
    (void)b;
    size_t D = mst_manifold_ambient(m);
    memcpy(out, a, D * sizeof *out);
    if (is_family(m, "sphere")) {
        for (size_t i = 0; i < D; i++)
            out[i] = -a[i];
    } else if (is_family(m, "so3")) {
        for (size_t i = 0; i < D; i++) /* half a turn about the third axis */
            out[i] = i % 3 == 2 ? a[i] : -a[i];
    } else if (is_family(m, "circle") || is_family(m, "torus")) {
        out[0] = a[0] + M_PI;
    } else {
        return 0;
    }
    return 1;
}

bool exact_cut_point(const mst_manifold *m, const double *x, double *y)
{
    return over_factors(cut_part, m, x, x, y) > 0;
}

double vector_inner(const subject *s, const double *x, const double *u, const double *v)
{
    double out;
    ASSERT_OK(mst_manifold_inner(s->m, 1, x, u, v, &out));
    return out;
}

double vector_norm(const subject *s, const double *x, const double *v)
{
    double out;
    ASSERT_OK(mst_manifold_norm(s->m, 1, x, v, &out));
    return out;
}

double vector_gap(const subject *s, const double *x, const double *v, const double *w)
{
    double *difference = doubles(s->D);
    for (size_t a = 0; a < s->D; a++)
        difference[a] = w[a] - v[a];
    ASSERT_OK(mst_manifold_tangent(s->m, 1, x, difference, difference));
    double gap = vector_norm(s, x, difference);
    free(difference);
    return gap;
}

double point_gap(const subject *s, const double *x, const double *y)
{
    double *difference = doubles(s->D);
    ambient_difference(s->m, x, y, difference);
    ASSERT_OK(mst_manifold_tangent(s->m, 1, x, difference, difference));
    double gap = vector_norm(s, x, difference);
    free(difference);
    return gap;
}

double off_manifold(const subject *s, const double *x)
{
    double *y = doubles(s->D);
    ASSERT_OK(mst_manifold_project(s->m, 1, x, y));
    ambient_difference(s->m, x, y, y);
    double gap = euclidean_norm(s->D, y) / fmax(1e-300, euclidean_norm(s->D, x));
    free(y);
    return gap;
}

/* |x| over the smallest singular value of the frame: the Riemannian length of a move by |x|. */
static double condition_part(const mst_manifold *m, const double *x, const double *b, double *out)
{
    (void)b;
    (void)out;
    if (is_family(m, "hyperbolic"))
        return x[0] * x[0];
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m);
    double *e = doubles(d * D), *values = doubles(d), *work = doubles(d);
    ASSERT_OK(mst_manifold_frame(m, 1, x, e));
    lapack_int status =
        LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', (lapack_int)d, (lapack_int)D, e, (lapack_int)D,
                       values, NULL, (lapack_int)d, NULL, (lapack_int)D, work);
    ck_assert_int_eq(status, 0);
    double size = euclidean_norm(D, x), smallest = values[d - 1];
    free(e);
    free(values);
    free(work);
    return 1 + size / smallest;
}

double condition(const subject *s, const double *x)
{
    return over_factors(condition_part, s->m, x, x, NULL);
}

double rounding(const subject *s, const double *x, const double *y, double r)
{
    double growth = s->spreads ? exp(M_SQRT2 * r) : 1;
    return s->c * DBL_EPSILON * (condition(s, x) + condition(s, y)) * (1 + r) * growth;
}

static const double first_weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
static const double second_weights[] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

void curve_derivative(int order, double h, size_t width, const double *f, double *out)
{
    for (size_t a = 0; a < width; a++) {
        double sum = order == 1 ? 0 : second_weights[0] * f[4 * width + a];
        for (size_t k = 1; k <= 4; k++) {
            double right = f[(4 + k) * width + a], left = f[(4 - k) * width + a];
            sum += order == 1 ? first_weights[k - 1] * (right - left)
                              : second_weights[k] * (right + left);
        }
        out[a] = sum / (order == 1 ? h : h * h);
    }
}

void chart_derivative(const subject *s, chart_field *field, size_t width, const double *c,
                      const double *u, double *out)
{
    size_t d = s->d;
    double *centres = doubles(9 * s->D), *at = doubles(9 * d), *f = doubles(9 * width);
    for (size_t k = 0; k < 9; k++)
        memcpy(centres + k * s->D, c, s->D * sizeof *c);
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < 9; k++) {
            memcpy(at + k * d, u, d * sizeof *u);
            at[k * d + j] += ((double)k - 4) * CHART_STEP;
        }
        ASSERT_OK(field(s->m, 9, centres, at, f));
        if (field == mst_manifold_chart_point) /* angles may jump by 2π on the way */
            for (size_t k = 0; k < 9; k++)
                ambient_difference(s->m, c, f + k * width, f + k * width);
        curve_derivative(1, CHART_STEP, width, f, out + j * width);
    }
    /* Rows of quotients also move along the fibres, which is no part of the tangent vector. */
    if (field == mst_manifold_chart_point) {
        double *x = doubles(s->D);
        ASSERT_OK(mst_manifold_chart_point(s->m, 1, c, u, x));
        for (size_t j = 0; j < d; j++)
            ASSERT_OK(mst_manifold_tangent(s->m, 1, x, out + j * width, out + j * width));
        free(x);
    }
    free(centres);
    free(at);
    free(f);
}

void invert_metric(size_t d, const double *g, double *inverse)
{
    double *a = doubles(d * d);
    memcpy(a, g, d * d * sizeof *a);
    memset(inverse, 0, d * d * sizeof *inverse);
    for (size_t i = 0; i < d; i++)
        inverse[i * d + i] = 1;
    lapack_int n = (lapack_int)d;
    ck_assert_int_eq(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', n, n, a, n, inverse, n), 0);
    free(a);
}
