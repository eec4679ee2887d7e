/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "score/features.h"

#include "base/columns.h"
#include "geodesic/log.h"
#include "learned/learned.h"
#include "manifold/in_space.h"
#include "manifold/internal.h"

#include <math.h>
#include <string.h>

/* What a factor of the manifold shows of its points. D, the stand-in for Log_y(x), is mst_manifold_toward on
 * all of them. */
typedef enum part_kind {
    PART_UNIT,   /* the unit vectors; outputs are ambient */
    PART_ANGLES, /* cosines and sines */
    /* No cut locus and a closed logarithm: normal coordinates at the default start; D = Log. */
    PART_NORMAL,
    PART_SPACE,    /* from equations: the points of R^D; outputs are ambient */
    PART_MAPPED,   /* a map into Euclidean space: the images of points */
    PART_PERIODIC, /* coordinates, cosines and sines for those with a period */
    PART_AMBIENT,  /* the ambient coordinates */
} part_kind;

struct features_part {
    const mst_manifold *m;
    part_kind kind;
    size_t d, D, coordinates, outputs;
    /* Compact in R^D: the network reads 1 − ½ chord², cos r on spheres and so3, which tells near points from
     * opposite ones though D vanishes at both; elsewhere √(1 + |D|²). */
    bool round;
    double embedding;
    size_t pairs;                                             /* functions of both points */
    size_t stand;                                             /* length of D */
    size_t ambient_at, x_at, y_at, d_at, sharp_at, output_at; /* where its share of a row begins */
    double *start;                                            /* (D), of PART_NORMAL */
    double *period;                                           /* (d), of coordinates; 0: none */
    bool log; /* D is the logarithm, a search where it has no closed form */
    bool learned;
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
    if ((t->closed & MST_CLOSED_LOG) != 0 && isinf(mst_manifold_injectivity(m)))
        return PART_NORMAL;
    return mst_has_equations(m) ? PART_SPACE : mst_map_dim(m) > 0 ? PART_MAPPED : PART_AMBIENT;
}

/* The coordinates that a network reads of a point. */
static size_t shown_coordinates(const features_part *p)
{
    size_t count = p->D;
    switch (p->kind) {
    case PART_NORMAL:
        return p->d;
    case PART_ANGLES:
        return 2 * p->d;
    case PART_MAPPED:
        return mst_map_dim(p->m);
    case PART_PERIODIC:
        for (size_t k = 0; k < p->d; k++)
            count += p->period[k] > 0;
        return count;
    case PART_UNIT:
    case PART_SPACE:
    case PART_AMBIENT:
        break;
    }
    return count;
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
    double *work, trace = 0, curvature = mst_manifold_traits_of(p->m)->curvature;
    /* The curvature of a valley of data says nothing of times that see beyond it. */
    if (mst_manifold_is_flat(p->m) || p->learned)
        return MST_OK;
    if (!isnan(curvature)) {
        p->kappa = curvature * (double)(d - 1) / 3;
        return MST_OK;
    }
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

/* Are outputs ambient? */
static bool is_projected(const features_part *p)
{
    return p->kind == PART_UNIT || p->kind == PART_SPACE;
}

/* Does the network read magnified points? */
static bool is_sharp(const features *s, const features_part *p)
{
    return !s->plain && !p->log &&
           (p->kind == PART_SPACE || p->kind == PART_MAPPED || p->kind == PART_PERIODIC);
}

/* Functions of both points that the network reads where the score turns sharply and on learned manifolds:
 * products of coordinates, and cosines and sines of differences of those with a period. A layer could form
 * them, but learns it slowly. */
enum { PAIRED = 4 };
static size_t pair_count(const features *s, const features_part *p)
{
    size_t count = p->coordinates <= PAIRED ? p->coordinates * p->coordinates : 0;
    for (size_t k = 0; k < p->d; k++)
        count += p->period[k] > 0 ? 2 : 0;
    return is_sharp(s, p) || (p->learned && !s->plain) ? count : 0;
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
    *p = (features_part){
        .m = m, .kind = kind_of(m), .d = mst_manifold_dim(m), .D = mst_manifold_ambient(m)};
    p->round = t->compact == MST_YES && (!isnan(t->embedding) || p->kind == PART_MAPPED);
    p->learned = mst_manifold_is_learned(m);
    p->log = p->kind == PART_NORMAL || (mst_has_root(m) && t->hadamard == MST_YES);
    p->embedding = t->embedding;
    p->stand = is_projected(p) ? p->D : p->d;
    p->outputs = s->energy ? p->d : p->stand;
    if (s->parts > 0) {
        p->ambient_at = p[-1].ambient_at + p[-1].D;
        p->output_at = p[-1].output_at + p[-1].outputs;
    }
    s->parts++;
    s->outputs += p->outputs;
    MST_TRY(mst_allocate(&p->start, p->D));
    mst_manifold_start(m, p->start);
    MST_TRY(mst_allocate_zero(&p->period, p->d));
    bool chart = p->kind == PART_AMBIENT || p->kind == PART_MAPPED;
    if (chart && mst_periods(m, p->period) && p->kind == PART_AMBIENT)
        p->kind = PART_PERIODIC;
    p->coordinates = s->plain ? p->D : shown_coordinates(p);
    return MST_OK;
}

/* Inputs: √t and ½ log t (plain: t), then of each part x, y, D/√t and a measure of nearness (plain: x and y).
 * Where several geodesics are equally long the score turns within a width of about t, so points of space also
 * come magnified by 1/t, about, and so do the signs of D; then functions of both points, plain and
 * magnified, on learned manifolds plain. Their times and lengths are in units of their own. */
static void place_inputs(features *s)
{
    s->inputs = s->plain ? 1 : 2;
    for (features_part *p = s->part; p < s->part + s->parts; p++) {
        p->x_at = s->inputs;
        p->y_at = p->x_at + p->coordinates;
        p->d_at = p->y_at + p->coordinates;
        s->inputs = p->d_at + (s->plain ? 0 : p->stand + 1);
        p->sharp_at = s->inputs;
        p->pairs = pair_count(s, p);
        s->inputs += p->pairs;
        if (is_sharp(s, p))
            s->inputs += 2 * p->coordinates + p->stand + p->pairs;
        s->sharp |= is_sharp(s, p);
    }
}

/* All but the curvature, which takes memory and time in high dimension. */
static mst_status lay_out(features **out, const mst_manifold *m, bool plain, bool energy)
{
    if (mst_manifold_ambient(m) > FEATURES_MOST_COORDINATES)
        return mst_fail(MST_ARGUMENT, "networks read points of at most %d coordinates; %s has %zu",
                        FEATURES_MOST_COORDINATES, mst_manifold_spec(m), mst_manifold_ambient(m));
    MST_TRY(mst_allocate_zero(out, 1));
    features *s = *out;
    *s = (features){.m = m,
                    .d = mst_manifold_dim(m),
                    .D = mst_manifold_ambient(m),
                    .unit = m->dim <= PAIRED ? learned_time(m) : 1,
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

mst_status features_new(features **out, const mst_manifold *m, bool plain, bool energy)
{
    *out = NULL;
    MST_TRY(lay_out(out, m, plain, energy));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < (*out)->parts; k++)
        status = find_kappa(&(*out)->part[k]);
    if (status != MST_OK) {
        features_free(*out);
        *out = NULL;
    }
    return status;
}

mst_status features_sizes(const mst_manifold *m, bool plain, bool energy, size_t *inputs,
                          size_t *outputs, bool *sharp)
{
    features *s;
    MST_TRY(lay_out(&s, m, plain, energy));
    *inputs = s->inputs;
    *outputs = energy ? 1 : s->outputs;
    *sharp = s->sharp;
    features_free(s);
    return MST_OK;
}

void features_free(features *s)
{
    if (s == NULL)
        return;
    for (size_t k = 0; s->part != NULL && k < s->parts; k++)
        mst_release(s->part[k].start), mst_release(s->part[k].period);
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
    double *v = is_projected(p) ? out : work;
    if (p->log && p->kind != PART_NORMAL)
        MST_TRY(geodesic_log_or_toward(p->m, n, y, x, v));
    else if (f == NULL)
        MST_TRY(mst_near_log(p->m, n, y, x, v));
    else
        MST_TRY(mst_manifold_toward(p->m, n, y, x, f, v, NULL));
    return is_projected(p) ? MST_OK : mst_manifold_to_frame(p->m, n, y, work, out);
}

/* Of the points themselves, or of what the network reads of them: images of a map. */
static double half_chord_square(const features_part *p, const double *x, const double *y,
                                const double *inputs)
{
    size_t count = p->D;
    double sum = 0, scale = p->embedding;
    if (p->kind == PART_MAPPED) {
        x = inputs + p->x_at, y = inputs + p->y_at, scale = 1;
        count = p->coordinates;
    }
    for (size_t k = 0; k < count; k++)
        sum += 0.5 * (x[k] - y[k]) * (x[k] - y[k]);
    return scale * sum;
}

static void show_periodic(const features_part *p, const double *x, double *shown)
{
    for (size_t k = 0; k < p->D; k++) {
        if (k < p->d && p->period[k] > 0) {
            double angle = 6.283185307179586 * x[k] / p->period[k];
            *shown++ = cos(angle);
            *shown++ = sin(angle);
        } else {
            *shown++ = x[k];
        }
    }
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
    } else if (!s->plain && p->kind == PART_MAPPED) {
        MST_TRY(mst_map_points(p->m, n, x, work));
        mst_put_columns(n, s->inputs, at, p->coordinates, work, inputs);
    } else if (!s->plain && p->kind == PART_PERIODIC) {
        for (size_t i = 0; i < n; i++)
            show_periodic(p, x + i * D, inputs + i * s->inputs + at);
    } else {
        mst_put_columns(n, s->inputs, at, D, x, inputs);
    }
    return MST_OK;
}

/* The functions of both points. */
static void show_pairs(const features_part *p, const double *x, const double *y, const double *row,
                       double *out)
{
    size_t count = p->coordinates <= PAIRED ? p->coordinates : 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++)
            *out++ = row[p->x_at + i] * row[p->y_at + k];
    for (size_t k = 0; k < p->d; k++)
        if (p->period[k] > 0) {
            double angle = 6.283185307179586 * (x[k] - y[k]) / p->period[k];
            *out++ = cos(angle);
            *out++ = sin(angle);
        }
}

/* Of one row (x, y), from what stands there already. */
static void sharpen(const features_part *p, double t, const double *x, const double *y,
                    const double *stand, double *row)
{
    const double unit = 0.2, least = 0.02;
    double *out = row + p->sharp_at, width = t + least;
    for (size_t k = 0; k < 2 * p->coordinates; k++)
        *out++ = unit / width * row[p->x_at + k];
    for (size_t k = 0; k < p->stand; k++)
        *out++ = stand[k] / sqrt(width * width + stand[k] * stand[k]);
    show_pairs(p, x, y, row, out);
    for (size_t k = 0; k < p->pairs; k++)
        out[p->pairs + k] = unit / width * out[k];
}

static mst_status read_part(const features *s, const features_part *p, size_t n, const double *x,
                            const double *y, const double *t, double *work, double *inputs,
                            double *baseline)
{
    double *px = work, *py = px + n * p->D, *stand = py + n * p->D, *rest = stand + n * p->D;
    mst_take_columns(n, s->D, p->ambient_at, p->D, x, px);
    mst_take_columns(n, s->D, p->ambient_at, p->D, y, py);
    if (!s->plain)
        mst_move_together(p->m, n, py, px);
    MST_TRY(show_points(s, p, n, px, rest, p->x_at, inputs));
    MST_TRY(show_points(s, p, n, py, rest, p->y_at, inputs));
    if (s->plain)
        return MST_OK;
    /* Where D is the logarithm, its length has told the potential, ½|D|². */
    double *potential = s->energy && !p->log ? rest + n * p->D : NULL;
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
        in[p->stand] = p->round ? 1 - half_chord_square(p, px + i * p->D, py + i * p->D,
                                                        inputs + i * s->inputs)
                                : sqrt(1 + square / s->unit);
        double *row = inputs + i * s->inputs;
        if (is_sharp(s, p))
            sharpen(p, t[i], px + i * p->D, py + i * p->D, stand + i * p->stand, row);
        else if (p->pairs > 0)
            show_pairs(p, px + i * p->D, py + i * p->D, row, row + p->sharp_at);
        if (s->energy)
            c[0] -= (potential != NULL ? potential[i] : 0.5 * square) * factor;
    }
    return MST_OK;
}

mst_status features_read(const features *s, size_t n, const double *x, const double *y,
                         const double *t, double *inputs, double *baseline)
{
    double *work;
    MST_TRY(mst_allocate(&work, n * (6 * s->D + s->inputs)));
    for (size_t i = 0; i < n; i++) {
        double *in = inputs + i * s->inputs;
        in[0] = s->plain ? t[i] : sqrt(t[i] / s->unit);
        if (!s->plain)
            in[1] = 0.5 * log(t[i] / s->unit);
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

mst_status features_normals(const features *s, size_t n, const double *y, double *normals)
{
    size_t q = s->outputs, number = 0;
    double *work;
    memset(normals, 0, n * s->normals * q * sizeof *normals);
    if (s->normals == 0)
        return MST_OK;
    MST_TRY(mst_allocate(&work, n * s->D * (1 + s->normals)));
    mst_status status = MST_OK;
    for (size_t k = 0; status == MST_OK && k < s->parts; k++) {
        const features_part *p = &s->part[k];
        size_t count = p->outputs - p->d;
        double *points = work, *own = points + n * p->D;
        if (count == 0)
            continue;
        mst_take_columns(n, s->D, p->ambient_at, p->D, y, points);
        if (p->kind == PART_SPACE)
            status = mst_normals(p->m, n, points, own);
        else
            memcpy(own, points, n * p->D * sizeof *own);
        for (size_t i = 0; status == MST_OK && i < n; i++)
            mst_put_columns(count, q, p->output_at, p->D, own + i * count * p->D,
                            normals + (i * s->normals + number) * q);
        number += count;
    }
    mst_release(work);
    return status;
}

/* −d <y, c> for the projection on unit rows, and <H, c> with the mean curvature vector for others. */
static mst_status part_divergence(const features_part *p, size_t n, const double *y, double *delta)
{
    size_t d = p->d;
    double *omega;
    if (p->kind == PART_SPACE)
        return mst_mean_curvature(p->m, n, y, delta);
    memset(delta, 0, n * p->outputs * sizeof *delta);
    for (size_t i = 0; p->kind == PART_UNIT && i < n * p->D; i++)
        delta[i] = -(double)d * y[i];
    if (p->kind == PART_UNIT || mst_manifold_traits_of(p->m)->frame_is_divergence_free)
        return MST_OK;
    MST_TRY(mst_allocate(&omega, d * d * d));
    mst_status status = MST_OK;
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        status = mst_frame_connection(p->m, y + i * p->D, omega);
        for (size_t k = 0; status == MST_OK && k < d; k++)
            for (size_t a = 0; a < d; a++)
                delta[i * d + k] += omega[(a * d + a) * d + k];
    }
    mst_release(omega);
    return status;
}

/* Frames of equations are no fields: the next point may have another. */
static bool has_smooth_frame(const features_part *p)
{
    return mst_has_root(p->m) && !mst_has_equations(p->m);
}

mst_status features_closed_divergence(const features *s, size_t n, const double *y, double *delta,
                                      bool *done)
{
    double *work;
    *done = false;
    for (const features_part *p = s->part; p < s->part + s->parts; p++)
        if (p->outputs == p->d && !has_smooth_frame(p) &&
            !mst_manifold_traits_of(p->m)->frame_is_divergence_free)
            return MST_OK;
    *done = true;
    MST_TRY(mst_allocate(&work, n * 2 * s->D));
    mst_status status = MST_OK;
    for (const features_part *p = s->part; status == MST_OK && p < s->part + s->parts; p++) {
        double *points = work, *own = points + n * p->D;
        mst_take_columns(n, s->D, p->ambient_at, p->D, y, points);
        status = part_divergence(p, n, points, own);
        mst_put_columns(n, s->outputs, p->output_at, p->outputs, own, delta);
    }
    mst_release(work);
    return status;
}

mst_status features_closed_connection(const features *s, const double *y, double *omega, bool *done)
{
    const features_part *p = s->part;
    size_t d = s->d;
    double *frame;
    bool projected = p->kind == PART_SPACE && p->outputs > d;
    *done = s->parts == 1 && (projected || has_smooth_frame(p));
    if (!*done)
        return MST_OK;
    if (!projected)
        return mst_frame_connection(p->m, y, omega);
    MST_TRY(mst_allocate(&frame, d * s->D));
    mst_status status = mst_manifold_frame(p->m, 1, y, frame);
    if (status == MST_OK)
        status = mst_second_form(p->m, y, frame, omega);
    mst_release(frame);
    return status;
}
