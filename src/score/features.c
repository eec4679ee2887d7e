/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/features.h"

#include "base/columns.h"

#include <math.h>
#include <string.h>

/* What a factor of the manifold shows of its points. D, the stand-in for Log_y(x), is mst_manifold_toward on
 * all of them. */
typedef enum part_kind {
    PART_UNIT,   /* the unit vectors; outputs are ambient */
    PART_ANGLES, /* cosines and sines */
    /* No cut locus and a closed logarithm: normal coordinates at the default start; D = Log. */
    PART_NORMAL,
    PART_AMBIENT, /* the ambient coordinates */
} part_kind;

struct features_part {
    const mst_manifold *m;
    part_kind kind;
    size_t d, D, coordinates, outputs;
    /* Compact in R^D: the network reads 1 − ½ chord², cos r on spheres and so3, which tells near points from
     * opposite ones though D vanishes at both; elsewhere √(1 + |D|²). */
    bool round;
    double embedding;
    size_t stand;                                   /* length of D */
    size_t ambient_at, x_at, y_at, d_at, output_at; /* where its share of a row begins */
    double *start;                                  /* (D), of PART_NORMAL */
    /* The short-time expansion of the score is Log/t − Ric Log/6 + …; D κ/(e^κt − 1) with κ a third of the
     * mean Ricci curvature has these two terms and decays where the score does. */
    double kappa;
};

static part_kind kind_of(const mst_manifold *m)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    if (t->unit_rows)
        return PART_UNIT;
    if (t->angles)
        return PART_ANGLES;
    return (t->closed & MST_CLOSED_LOG) != 0 && isinf(mst_manifold_injectivity(m)) ? PART_NORMAL
                                                                                   : PART_AMBIENT;
}

static size_t count_parts(const mst_manifold *m)
{
    if (mst_manifold_factor(m, 0) == m)
        return 1;
    size_t count = 0;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        count += count_parts(mst_manifold_factor(m, f));
    return count;
}

/* A third of the mean Ricci curvature at the default start. */
static mst_status find_kappa(features_part *p)
{
    size_t d = p->d, D = p->D;
    double *work, trace = 0;
    if (mst_manifold_is_flat(p->m))
        return MST_OK;
    MST_TRY(mst_allocate(&work, d * (3 * D + 1)));
    double *points = work, *frame = points + d * D, *ricci = frame + d * D, *inner = ricci + d * D;
    for (size_t k = 0; k < d; k++)
        memcpy(points + k * D, p->start, D * sizeof *points);
    mst_status status = mst_manifold_frame(p->m, 1, p->start, frame);
    if (status == MST_OK)
        status = mst_manifold_ricci(p->m, d, points, frame, ricci);
    if (status == MST_OK)
        status = mst_manifold_inner(p->m, d, points, frame, ricci, inner);
    for (size_t k = 0; status == MST_OK && k < d; k++)
        trace += inner[k];
    p->kappa = trace / (3 * (double)d);
    mst_release(work);
    return status;
}

/* The factor on D. */
static double approach(const features_part *p, double t)
{
    double x = p->kappa * t;
    return fabs(x) < 1e-8 ? 1 / t : p->kappa / expm1(x);
}

/* Append the leaves of m. */
static mst_status add_parts(features *s, const mst_manifold *m)
{
    if (mst_manifold_factor(m, 0) != m) {
        for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
            MST_TRY(add_parts(s, mst_manifold_factor(m, f)));
        return MST_OK;
    }
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    features_part *p = &s->part[s->parts];
    *p = (features_part){.m = m, .kind = kind_of(m), .d = mst_manifold_dim(m)};
    p->D = mst_manifold_ambient(m);
    p->round = t->compact == MST_YES && !isnan(t->embedding);
    p->embedding = t->embedding;
    p->stand = p->kind == PART_UNIT ? p->D : p->d;
    p->outputs = s->energy ? p->d : p->stand;
    p->coordinates = p->kind == PART_NORMAL ? p->d : p->kind == PART_ANGLES ? 2 * p->d : p->D;
    if (s->plain)
        p->coordinates = p->D;
    if (s->parts > 0) {
        p->ambient_at = p[-1].ambient_at + p[-1].D;
        p->output_at = p[-1].output_at + p[-1].outputs;
    }
    s->parts++;
    s->outputs += p->outputs;
    MST_TRY(mst_allocate(&p->start, p->D));
    mst_manifold_start(m, p->start);
    return find_kappa(p);
}

/* Inputs: √t and ½ log t (plain: t), then of each part x, y, D/√t and a measure of
 * nearness (plain: x and y). */
static void place_inputs(features *s)
{
    s->inputs = s->plain ? 1 : 2;
    for (features_part *p = s->part; p < s->part + s->parts; p++) {
        p->x_at = s->inputs;
        p->y_at = p->x_at + p->coordinates;
        p->d_at = p->y_at + p->coordinates;
        s->inputs = p->d_at + (s->plain ? 0 : p->stand + 1);
    }
}

mst_status features_new(features **out, const mst_manifold *m, bool plain, bool energy)
{
    MST_TRY(mst_allocate_zero(out, 1));
    features *s = *out;
    *s = (features){.m = m,
                    .d = mst_manifold_dim(m),
                    .D = mst_manifold_ambient(m),
                    .plain = plain,
                    .energy = energy};
    mst_status status = mst_allocate_zero(&s->part, count_parts(m));
    if (status == MST_OK)
        status = add_parts(s, m);
    if (status != MST_OK) {
        features_free(s);
        *out = NULL;
        return status;
    }
    s->normals = s->outputs - s->d;
    s->base = energy ? 1 : s->outputs;
    place_inputs(s);
    return MST_OK;
}

void features_free(features *s)
{
    if (s == NULL)
        return;
    for (size_t k = 0; s->part != NULL && k < s->parts; k++)
        mst_release(s->part[k].start);
    mst_release(s->part);
    mst_release(s);
}

double features_scale(const features *s, double t)
{
    return s->plain ? 1 : 1 / sqrt(t);
}

double features_time_scale(const features *s, double t)
{
    return s->plain ? 1 : 1 / t;
}

double features_time_baseline(const features *s, double t, const double *baseline)
{
    if (s->plain)
        return 0;
    double sum = 0;
    for (const features_part *p = s->part; p < s->part + s->parts; p++) {
        double factor = approach(p, t), square = 0;
        for (size_t k = 0; k < p->stand && !s->energy; k++)
            square += baseline[p->output_at + k] * baseline[p->output_at + k];
        sum += square / (factor * factor * t * t);
    }
    if (s->energy) /* e₀ ≈ −r²/2t */
        sum = -2 * baseline[0] / t;
    return 0.5 * (sum - (double)s->d / t);
}

/* ---- Reading ---- */

/* One part's rows x, y (n, D) to D (n, stand), ambient on unit rows and in the frame elsewhere, and, unless
 * it is null, the potential f (n) with the gradient −D in y. `work` has (n, D). */
static mst_status stand_in(const features_part *p, size_t n, const double *x, const double *y,
                           double *work, double *f, double *out)
{
    if (p->kind == PART_UNIT)
        return mst_manifold_toward(p->m, n, y, x, f, out, NULL);
    MST_TRY(mst_manifold_toward(p->m, n, y, x, f, work, NULL));
    return mst_manifold_to_frame(p->m, n, y, work, out);
}

static double half_chord_square(const features_part *p, const double *x, const double *y)
{
    double sum = 0;
    for (size_t k = 0; k < p->D; k++)
        sum += 0.5 * (x[k] - y[k]) * (x[k] - y[k]);
    return p->embedding * sum;
}

/* The coordinates of points (n, D) that the network reads, into columns `at` … of the inputs. */
static mst_status show_points(const features *s, const features_part *p, size_t n, const double *x,
                              double *work, size_t at, double *inputs)
{
    size_t D = p->D, d = p->d;
    if (!s->plain && p->kind == PART_ANGLES) {
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < d; k++) {
                inputs[i * s->inputs + at + 2 * k] = cos(x[i * d + k]);
                inputs[i * s->inputs + at + 2 * k + 1] = sin(x[i * d + k]);
            }
    } else if (!s->plain && p->kind == PART_NORMAL) {
        double *origin = work, *v = work + n * D;
        for (size_t i = 0; i < n; i++)
            memcpy(origin + i * D, p->start, D * sizeof *origin);
        MST_TRY(mst_manifold_log(p->m, n, origin, x, v, NULL));
        double *c = v + n * D;
        MST_TRY(mst_manifold_to_frame(p->m, n, origin, v, c));
        mst_put_columns(n, s->inputs, at, d, c, inputs);
    } else {
        mst_put_columns(n, s->inputs, at, D, x, inputs);
    }
    return MST_OK;
}

static mst_status read_part(const features *s, const features_part *p, size_t n, const double *x,
                            const double *y, const double *t, double *work, double *inputs,
                            double *baseline)
{
    double *px = work, *py = px + n * p->D, *stand = py + n * p->D, *rest = stand + n * p->D;
    mst_take_columns(n, s->D, p->ambient_at, p->D, x, px);
    mst_take_columns(n, s->D, p->ambient_at, p->D, y, py);
    MST_TRY(show_points(s, p, n, px, rest, p->x_at, inputs));
    MST_TRY(show_points(s, p, n, py, rest, p->y_at, inputs));
    if (s->plain)
        return MST_OK;
    /* Where D is the logarithm, its length has told the potential, ½|D|². */
    double *potential = s->energy && p->kind != PART_NORMAL ? rest + n * p->D : NULL;
    MST_TRY(stand_in(p, n, px, py, rest, potential, stand));
    for (size_t i = 0; i < n; i++) {
        double *in = inputs + i * s->inputs + p->d_at, *c = baseline + i * s->base;
        double root = sqrt(t[i]), factor = approach(p, t[i]), square = 0;
        for (size_t k = 0; k < p->stand; k++) {
            double value = stand[i * p->stand + k];
            in[k] = value / root;
            if (!s->energy)
                c[p->output_at + k] = value * factor;
            square += value * value;
        }
        in[p->stand] =
            p->round ? 1 - half_chord_square(p, px + i * p->D, py + i * p->D) : sqrt(1 + square);
        if (s->energy)
            c[0] -= (potential != NULL ? potential[i] : 0.5 * square) * factor;
    }
    return MST_OK;
}

mst_status features_read(const features *s, size_t n, const double *x, const double *y,
                         const double *t, double *inputs, double *baseline)
{
    double *work;
    MST_TRY(mst_allocate(&work, n * 6 * s->D));
    for (size_t i = 0; i < n; i++) {
        double *in = inputs + i * s->inputs;
        in[0] = s->plain ? t[i] : sqrt(t[i]);
        if (!s->plain)
            in[1] = 0.5 * log(t[i]);
    }
    memset(baseline, 0, n * s->base * sizeof *baseline);
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < s->parts; k++)
        status = read_part(s, &s->part[k], n, x, y, t, work, inputs, baseline);
    mst_release(work);
    return status;
}

/* ---- Outputs ---- */

/* Rows of one kind to the other, part by part; `there`: vectors to outputs. */
static mst_status exchange(const features *s, size_t n, const double *y, const double *from,
                           double *to, bool there)
{
    double *work;
    MST_TRY(mst_allocate(&work, n * 3 * s->D));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < s->parts; k++) {
        const features_part *p = &s->part[k];
        double *py = work, *a = py + n * p->D, *b = a + n * p->D;
        size_t from_at = there ? p->ambient_at : p->output_at;
        size_t to_at = there ? p->output_at : p->ambient_at;
        size_t from_count = there ? p->D : p->outputs, to_count = there ? p->outputs : p->D;
        mst_take_columns(n, s->D, p->ambient_at, p->D, y, py);
        mst_take_columns(n, there ? s->D : s->outputs, from_at, from_count, from, a);
        status = p->outputs > p->d ? mst_manifold_tangent(p->m, n, py, a, b)
                 : there           ? mst_manifold_to_frame(p->m, n, py, a, b)
                                   : mst_manifold_from_frame(p->m, n, py, a, b);
        mst_put_columns(n, there ? s->outputs : s->D, to_at, to_count, b, to);
    }
    mst_release(work);
    return status;
}

mst_status features_to_outputs(const features *s, size_t n, const double *y, const double *v,
                               double *c)
{
    return exchange(s, n, y, v, c, true);
}

mst_status features_from_outputs(const features *s, size_t n, const double *y, const double *c,
                                 double *v)
{
    return exchange(s, n, y, c, v, false);
}

void features_normals(const features *s, size_t n, const double *y, double *normals)
{
    size_t q = s->outputs, number = 0;
    memset(normals, 0, n * s->normals * q * sizeof *normals);
    for (size_t k = 0; k < s->parts; k++) {
        const features_part *p = &s->part[k];
        if (p->outputs == p->d)
            continue;
        for (size_t i = 0; i < n; i++)
            memcpy(normals + (i * s->normals + number) * q + p->output_at,
                   y + i * s->D + p->ambient_at, p->D * sizeof *y);
        number++;
    }
}

/* −d <y, c> for the projection on unit rows. */
bool features_closed_divergence(const features *s, size_t n, const double *y, double *delta)
{
    for (const features_part *p = s->part; p < s->part + s->parts; p++)
        if (p->outputs == p->d && !mst_manifold_traits_of(p->m)->frame_is_divergence_free)
            return false;
    memset(delta, 0, n * s->outputs * sizeof *delta);
    for (const features_part *p = s->part; p < s->part + s->parts; p++)
        for (size_t i = 0; p->outputs > p->d && i < n; i++)
            for (size_t k = 0; k < p->D; k++)
                delta[i * s->outputs + p->output_at + k] =
                    -(double)p->d * y[i * s->D + p->ambient_at + k];
    return true;
}
