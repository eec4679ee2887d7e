/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The squared distance has a ridge at the cut locus C(μ): where a row lies on it and μ moves, the gradient
 * jumps from one minimal geodesic to the other. The mean of the squared distances is smooth all the same if
 * rows have a density f, but its Hessian is that of the single rows, which an average sees, less
 *     T = ∫_C f(x) r²(u₁ − u₂)(u₁ − u₂)ᵀ / (r |w₁ − w₂|) dS(x),
 * u the unit vectors at μ, w those of arrival at x, of the two geodesics of length r. Where these leave in
 * opposite directions T = ∫ 2 r f u uᵀ dS: on closed curves, on real projective spaces, of which so3 is one,
 * and for the coordinates of a flat torus one by one. A cut locus of higher codimension, as the antipode on a
 * sphere, counts for nothing. See Hotz and Huckemann (2015), "Intrinsic means on the circle".
 *
 * f on C is estimated by the rows in the shell r − h < dist, with no model: T = (r/ε) E[u uᵀ; shell], where ε
 * is the volume of the shell over the area of C, which it has on both sides.
 *
 * Where C is unknown and geodesics are searched for, the second shortest one to each row shows it: with
 * v₁, v₂ the logarithms of a row and φ = ½(|v₂|² − |v₁|²), which is 0 on C and grows by r|w₁ − w₂| there,
 *     T = E[(v₁ − v₂)(v₁ − v₂)ᵀ/2δ; φ < δ]. */
#include "stat/mean_cut_locus.h"

#include "base/columns.h"
#include "manifold/internal.h"
#include "stat/rows.h"

#include <manistat/geodesic.h>

#include <math.h>
#include <string.h>

/* Width of the shell on a space whose cut locus is π away. Coverage of 95 % regions, circle with t = 2 and
 * n = 1000, so3 with t = 1.5 and n = 500: 94.3 and 95.5 % at 0.3, 95.4 and 95.7 % at 0.5, 96.9 and 98.2 % at
 * 0.8. */
static const double shell = 0.5;

/* δ in units of the squared length; the shell above is 0.45 of it on a circle. Coverage of 95 % regions of
 * 200 rows on a torus in space, deviations of 0.5: 95.3, 95.3 and 96.3 % of 300 at 0.15, 0.3 and 0.45. */
static const double shell_of_squares = 0.3;
/* Only conjugate points as near as that tell how far away they are. */
static const double near_conjugate = 0.8;
/* Geodesics to look for, and rows to look at: a row takes half a millisecond. */
enum { SEVERAL = 4, MOST_SEARCHED = 2000 };

typedef enum cut_kind {
    CUT_NONE,        /* none, or of higher codimension */
    CUT_OPPOSITE,    /* the two geodesics leave in opposite directions */
    CUT_COORDINATES, /* the same for each coordinate */
    CUT_SEARCHED,    /* unknown, but other geodesics can be found */
    CUT_UNKNOWN,
} cut_kind;

static cut_kind unknown_kind(const mst_manifold *m)
{
    return mst_geodesic_is_searched(m) && mst_manifold_traits_of(m)->landmark_dim == 0
               ? CUT_SEARCHED
               : CUT_UNKNOWN;
}

static cut_kind kind_of(const mst_manifold *m)
{
    const mst_manifold_traits *t = mst_manifold_traits_of(m);
    double radius = mst_manifold_injectivity(m), turn = radius * sqrt(t->curvature);
    if (t->hadamard == MST_YES || isinf(radius))
        return CUT_NONE;
    if (t->angles)
        return CUT_COORDINATES;
    if (mst_manifold_dim(m) == 1)
        return isnan(radius) ? unknown_kind(m) : CUT_OPPOSITE;
    /* Of constant curvature κ > 0: geodesics of spheres meet at π/√κ, those of projective spaces at half. */
    if (t->curvature > 0 && fabs(turn - M_PI) < 1e-6)
        return CUT_NONE;
    return t->curvature > 0 && fabs(turn - M_PI / 2) < 1e-6 ? CUT_OPPOSITE : unknown_kind(m);
}

/* ∫₀^h cos^(k−1)(√κ s) ds, by Simpson's rule: the shell beside a totally geodesic hypersurface. */
static double shell_volume(double curvature, size_t k, double h)
{
    enum { PIECES = 64 };
    double sum = 0, root = k > 1 ? sqrt(curvature) : 0;
    for (int i = 0; i <= PIECES; i++) {
        double weight = i == 0 || i == PIECES ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * pow(cos(root * h * i / PIECES), (double)(k - 1));
    }
    return sum * h / (3 * PIECES);
}

/* The rows' logarithms, coordinates at … at + k − 1 of `width` columns. */
typedef struct columns {
    const fit_rows *rows;
    const double *logs;
    size_t width, at, k;
} columns;

static double weight_of(const fit_rows *rows, size_t i)
{
    return rows->weights != NULL ? rows->weights[i] : 1;
}

static double length_of(const columns *c, size_t i)
{
    double square = 0;
    for (size_t a = 0; a < c->k; a++)
        square += pow(c->logs[i * c->width + c->at + a], 2);
    return sqrt(square);
}

/* Adds (r/ε) Σ w u uᵀ over the shell to the block of these columns. */
static void add_opposite(const columns *c, double radius, double curvature, size_t d, double *term,
                         mean_cut_term *out)
{
    double h = shell * radius / M_PI, factor = radius / shell_volume(curvature, c->k, h);
    for (size_t i = 0; i < c->rows->n; i++) {
        double length = length_of(c, i), w = weight_of(c->rows, i);
        if (!(length > radius - h) || w == 0)
            continue;
        const double *v = c->logs + i * c->width + c->at;
        for (size_t a = 0; a < c->k; a++)
            for (size_t b = 0; b < c->k; b++)
                term[(c->at + a) * d + c->at + b] += w * factor * (v[a] / length) * (v[b] / length);
        out->present = true;
    }
}

/* Share of the weight at `radius` or farther away; none where that is not known. */
static double share_beyond(const columns *c, double radius)
{
    double beyond = 0, total = 0;
    for (size_t i = 0; i < c->rows->n; i++) {
        double w = weight_of(c->rows, i);
        total += w;
        beyond += length_of(c, i) >= radius ? w : 0;
    }
    return beyond / total;
}

/* Geodesics from the mean to n rows, the shortest of each row first. */
typedef struct rays {
    mst_geodesic_status *status;    /* (n, SEVERAL) */
    double *length, *conjugate, *v; /* (n, SEVERAL), the same, (n, SEVERAL, D) */
    double *from, *to;              /* (n, D) each */
    double *c;                      /* (SEVERAL, k): those of one row in the frame */
} rays;

static void rays_free(rays *g)
{
    mst_release(g->status);
    mst_release(g->length);
}

static mst_status rays_new(rays *g, size_t n, size_t D, size_t k)
{
    size_t all = n * SEVERAL;
    *g = (rays){0};
    MST_TRY(mst_allocate(&g->status, all));
    MST_TRY(mst_allocate(&g->length, all * (2 + D) + 2 * n * D + SEVERAL * k));
    g->conjugate = g->length + all;
    g->v = g->conjugate + all;
    g->from = g->v + all * D;
    g->to = g->from + n * D;
    g->c = g->to + n * D;
    return MST_OK;
}

/* Every so many-th row of x (…, D). */
static mst_status find_rays(const mst_manifold *m, size_t n, size_t step, const double *x,
                            const double *mean, rays *g)
{
    size_t D = mst_manifold_ambient(m);
    mst_geodesic_options o = mst_geodesic_options_default();
    o.several = SEVERAL;
    mst_repeat_point(n, D, mean, g->from);
    for (size_t i = 0; i < n; i++)
        memcpy(g->to + i * D, x + i * step * D, D * sizeof *x);
    mst_geodesic_output out = {
        .length = g->length, .conjugate = g->conjugate, .log_x = g->v, .status = g->status};
    return mst_geodesic_solve(m, n, g->from, g->to, &o, &out);
}

/* Half the loop that two geodesics make, or the distance of a conjugate point. */
static double minimal_to(const double *length, size_t count, double conjugate)
{
    double loop = count > 1 ? (length[0] + length[1]) / 2 : INFINITY;
    return conjugate > near_conjugate ? fmin(loop, length[0] / conjugate) : loop;
}

/* Adds w (v₁ − v₂)(v₁ − v₂)ᵀ/2δ to block (k, k) for each v₂ of the `count` logarithms (count, k) of a row
 * that is nearly as short as the first. Is there one? */
static bool add_pairs(size_t k, size_t count, double w, const double *length, const double *logs,
                      double *block)
{
    double delta = shell_of_squares * length[0] * length[0];
    bool inside = false;
    for (size_t g = 1; g < count; g++) {
        const double *other = logs + g * k;
        if (!((length[g] * length[g] - length[0] * length[0]) / 2 < delta))
            continue;
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                block[a * k + b] += w * (logs[a] - other[a]) * (logs[b] - other[b]) / (2 * delta);
        inside = true;
    }
    return inside;
}

/* Row i of these geodesics, with the weight w. */
static mst_status add_row(const mst_manifold *m, const rays *g, size_t i, double w, double *block,
                          mean_cut_term *out)
{
    size_t D = mst_manifold_ambient(m), at = i * SEVERAL, count = 0;
    while (count < SEVERAL && g->status[at + count] <= MST_GEODESIC_LOCAL)
        count++;
    if (w == 0 || count == 0)
        return MST_OK;
    out->radius = fmin(out->radius, minimal_to(g->length + at, count, g->conjugate[at]));
    out->farthest = fmax(out->farthest, g->length[at]);
    if (count == 1)
        return MST_OK;
    MST_TRY(mst_to_frame_at(m, count, g->from, g->v + at * D, g->c));
    out->present |= add_pairs(mst_manifold_dim(m), count, w, g->length + at, g->c, block);
    return MST_OK;
}

/* Rows x (n, D) and the mean (D) of one factor; term: its block of (d, d). */
static mst_status add_searched(const mst_manifold *m, const fit_rows *rows, const double *x,
                               const double *mean, size_t d, double *term, mean_cut_term *out)
{
    size_t k = mst_manifold_dim(m), step = (rows->n + MOST_SEARCHED - 1) / MOST_SEARCHED;
    size_t n = (rows->n + step - 1) / step;
    double *block, looked = 0;
    rays g;
    MST_TRY(mst_allocate_zero(&block, k * k));
    mst_status status = rays_new(&g, n, mst_manifold_ambient(m), k);
    if (status == MST_OK)
        status = find_rays(m, n, step, x, mean, &g);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        looked += weight_of(rows, i * step);
        status = add_row(m, &g, i, weight_of(rows, i * step), block, out);
    }
    double share = looked > 0 ? rows_weight(rows->n, rows->weights) / looked : 0;
    for (size_t a = 0; status == MST_OK && a < k; a++)
        for (size_t b = 0; b < k; b++)
            term[a * d + b] += block[a * k + b] * share;
    rays_free(&g);
    mst_release(block);
    return status;
}

static mst_status add_factor(const mst_manifold *m, const columns *c, const double *x,
                             const double *mean, size_t d, double *term, mean_cut_term *out)
{
    double radius = mst_manifold_injectivity(m), curvature = mst_manifold_traits_of(m)->curvature;
    columns one = *c;
    switch (kind_of(m)) {
    case CUT_NONE:
        break;
    case CUT_OPPOSITE:
        add_opposite(c, radius, curvature, d, term, out);
        break;
    case CUT_COORDINATES:
        one.k = 1;
        for (size_t a = 0; a < c->k; a++) {
            one.at = c->at + a;
            add_opposite(&one, radius, 0, d, term, out);
        }
        break;
    case CUT_SEARCHED:
        return add_searched(m, c->rows, x, mean, d, term + c->at * d + c->at, out);
    case CUT_UNKNOWN:
        out->unknown = fmax(out->unknown, share_beyond(c, radius));
        break;
    }
    return MST_OK;
}

bool mean_has_cut_locus(const mst_score *source)
{
    const mst_manifold *m = mst_score_manifold(source);
    if (mst_score_gives(source, MST_GIVES_TIME) || !mst_score_gives(source, MST_GIVES_LOG_P))
        return false;
    for (size_t f = 0; f < mst_manifold_factor_count(m); f++)
        if (kind_of(mst_manifold_factor(m, f)) != CUT_NONE)
            return true;
    return false;
}

mst_status mean_see_cut_locus(const mst_manifold *m, const fit_rows *rows, const double *mean,
                              mean_cut_term *out)
{
    size_t d = mst_manifold_dim(m);
    double *term;
    *out = (mean_cut_term){.radius = NAN, .farthest = NAN};
    if (mst_manifold_factor(m, 0) != m || kind_of(m) != CUT_SEARCHED)
        return MST_OK;
    MST_TRY(mst_allocate_zero(&term, d * d));
    mst_status status = add_searched(m, rows, rows->x, mean, d, term, out);
    mst_release(term);
    return status;
}

mst_status mean_cut_locus(const fit_model *model, const double *state, double *term,
                          mean_cut_term *out)
{
    const mst_manifold *m = mst_score_manifold(model->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), n = model->rows[0].n, at = 0;
    *out = (mean_cut_term){.radius = NAN, .farthest = NAN};
    memset(term, 0, d * d * sizeof *term);
    if (!mean_has_cut_locus(model->source))
        return MST_OK;
    double *logs;
    MST_TRY(mst_allocate(&logs, n * (d + 1 + D)));
    double *x = logs + n * (d + 1);
    mst_status status = fit_row_gradients(model, state, 0, logs);
    columns c = {.rows = &model->rows[0], .logs = logs, .width = d + 1};
    for (size_t f = 0; status == MST_OK && f < mst_manifold_factor_count(m); f++, c.at += c.k) {
        const mst_manifold *factor = mst_manifold_factor(m, f);
        c.k = mst_manifold_dim(factor);
        mst_take_columns(n, D, at, mst_manifold_ambient(factor), model->rows[0].x, x);
        status = add_factor(factor, &c, x, state + at, d, term, out);
        at += mst_manifold_ambient(factor);
    }
    mst_release(logs);
    return status;
}
