/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Surfaces in R³ by an equation that every ray from a centre meets once. Functions are spherical harmonics of
 * the direction; Gauss's rule along the axis and the trapezoidal one about it integrate them. */
#include "base/gauss.h"
#include "manifold/in_space.h"
#include "spectral/harmonics.h"
#include "spectral/surface.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 16, STEPS = 100 }; /* looks in a width */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- The functions ---- */

static void divide(const double *v, const double *width, double *out)
{
    for (size_t k = 0; k < 3; k++)
        out[k] = v[k] / width[k];
}

/* Derivatives of ω = w/|w|, w = (x − centre)/width, along the frame: first (2, 3); second (3, 3), 11, 12, 22,
 * with the second fundamental form of the surface. */
static mst_status direction_at(const closed_surface *s, const double *x, const double *frame,
                               bool second, double *omega, double first[2][3], double bent[3][3])
{
    double e[2][3], form[2][2][3], h[3], along[2];
    for (size_t k = 0; k < 3; k++)
        omega[k] = (x[k] - s->centre[k]) / s->width[k];
    double r = sqrt(dot(omega, omega));
    for (size_t k = 0; k < 3; k++)
        omega[k] /= r;
    for (size_t a = 0; a < 2; a++) {
        divide(frame + 3 * a, s->width, e[a]);
        along[a] = dot(omega, e[a]);
        for (size_t k = 0; k < 3; k++)
            first[a][k] = (e[a][k] - along[a] * omega[k]) / r;
    }
    if (!second)
        return MST_OK;
    MST_TRY(mst_second_form(s->m, x, frame, form[0][0]));
    for (size_t j = 0; j < 3; j++) {
        size_t a = j / 2, b = (j + 1) / 2;
        divide(form[a][b], s->width, h);
        double outward = dot(omega, h), both = 3 * along[a] * along[b] - dot(e[a], e[b]);
        for (size_t k = 0; k < 3; k++)
            bent[j][k] = (both * omega[k] - along[b] * e[a][k] - along[a] * e[b][k]) / (r * r) +
                         (h[k] - outward * omega[k]) / r;
    }
    return MST_OK;
}

/* D²F(v, w) with second derivatives xx, yy, zz, xy, xz, yz at stride n. */
static double second_along(const double *d, size_t n, const double *v, const double *w)
{
    return d[0] * v[0] * w[0] + d[n] * v[1] * w[1] + d[2 * n] * v[2] * w[2] +
           d[3 * n] * (v[0] * w[1] + v[1] * w[0]) + d[4 * n] * (v[0] * w[2] + v[2] * w[0]) +
           d[5 * n] * (v[1] * w[2] + v[2] * w[1]);
}

static mst_status functions(const closed_surface *s, const double *x, const double *frame,
                            size_t rows, double *work, double *out)
{
    size_t n = s->functions;
    double omega[3], first[2][3], bent[3][3];
    bool second = rows > SURFACE_SECOND;
    MST_TRY(direction_at(s, x, frame, second, omega, first, bent));
    harmonics_at(s->degree, omega, second, work + HARMONICS_ROWS * n, work);
    const double *slope = work + n, *curve = work + 4 * n;
    memcpy(out, work, n * sizeof *out);
    for (size_t a = 0; a < 2 && rows > SURFACE_FIRST; a++)
        for (size_t j = 0; j < n; j++)
            out[(SURFACE_FIRST + a) * n + j] = slope[j] * first[a][0] + slope[n + j] * first[a][1] +
                                               slope[2 * n + j] * first[a][2];
    for (size_t k = 0; k < 3 && second; k++)
        for (size_t j = 0; j < n; j++)
            out[(SURFACE_SECOND + k) * n + j] =
                second_along(curve + j, n, first[k / 2], first[(k + 1) / 2]) +
                slope[j] * bent[k][0] + slope[n + j] * bent[k][1] + slope[2 * n + j] * bent[k][2];
    return MST_OK;
}

/* ---- Where rays meet the surface ---- */

static mst_status no_star(const closed_surface *s)
{
    return mst_fail(
        MST_UNABLE,
        "eigenfunctions are found on surfaces that every ray from their middle meets once, "
        "and that of %s is no such; take the expansion or a network",
        mst_manifold_spec(s->m));
}

static void along_rays(const closed_surface *s, size_t n, const double *omega, const double *r,
                       double *x)
{
    for (size_t k = 0; k < 3 * n; k++)
        x[k] = s->centre[k % 3] + r[k / 3] * s->width[k % 3] * omega[k];
}

/* The interval [low, high] of radii in which the left side of the equation changes its sign, once for each of
 * the directions (n, 3), and its values there. The first look may find no number: formulas that divide by the
 * radius. */
static mst_status look_along(const closed_surface *s, size_t n, const double *omega, double *work,
                             double *low, double *high, double *at_low, double *at_high)
{
    double *x = work, *h = x + 3 * n, *before = h + n, *r = before + n;
    for (size_t k = 0; k < n; k++)
        low[k] = before[k] = NAN;
    for (size_t look = 1; look <= LOOKS * s->far; look++) {
        double at = (double)look / LOOKS;
        for (size_t k = 0; k < n; k++)
            r[k] = at;
        along_rays(s, n, omega, r, x);
        MST_TRY(mst_equations(s->m, n, x, h));
        for (size_t k = 0; k < n; k++) {
            bool crossed = look > 1 && (before[k] < 0) != (h[k] < 0);
            if (!isfinite(h[k]) ? look > 1 : crossed && !isnan(low[k]))
                return no_star(s);
            if (crossed && isfinite(before[k])) {
                low[k] = at - 1.0 / LOOKS, at_low[k] = before[k];
                high[k] = at, at_high[k] = h[k];
            }
            before[k] = h[k];
        }
    }
    for (size_t k = 0; k < n; k++)
        if (isnan(low[k]))
            return no_star(s);
    return MST_OK;
}

/* Where it is, by false position with the end that stays worth half (Illinois). `work` has 9n numbers. */
static mst_status find_radii(const closed_surface *s, size_t n, const double *omega, double *work,
                             double *r)
{
    double *low = work, *high = low + n, *at_low = high + n, *at_high = at_low + n,
           *x = at_high + n, *h = x + 3 * n;
    bool again = true;
    MST_TRY(look_along(s, n, omega, x, low, high, at_low, at_high));
    for (size_t step = 0; step < STEPS && again; step++) {
        for (size_t k = 0; k < n; k++)
            r[k] = low[k] - at_low[k] * (high[k] - low[k]) / (at_high[k] - at_low[k]);
        along_rays(s, n, omega, r, x);
        MST_TRY(mst_equations(s->m, n, x, h));
        again = false;
        for (size_t k = 0; k < n; k++) {
            bool inner = (h[k] < 0) == (at_low[k] < 0);
            double moved = fmin(r[k] - low[k], high[k] - r[k]);
            if (h[k] == 0 || moved <= 1e-15) {
                low[k] = high[k] = r[k];
                at_low[k] = 1, at_high[k] = 2; /* stays there */
                continue;
            }
            again = true;
            *(inner ? &low[k] : &high[k]) = r[k];
            *(inner ? &at_low[k] : &at_high[k]) = h[k];
            *(inner ? &at_high[k] : &at_low[k]) *= 0.5;
        }
    }
    return again ? no_star(s) : MST_OK;
}

/* Directions (n, 3) with weights, n = count · 2 count. */
static mst_status directions(size_t count, double *omega, double *weight)
{
    double *node;
    size_t around = 2 * count;
    MST_TRY(mst_allocate(&node, 2 * count));
    mst_gauss_rule(count, node, node + count);
    for (size_t k = 0; k < count * around; k++) {
        double z = 2 * node[k / around] - 1,
               turn = 2 * M_PI * (double)(k % around) / (double)around;
        double flat = sqrt(1 - z * z);
        memcpy(omega + 3 * k, (double[]){flat * cos(turn), flat * sin(turn), z}, 3 * sizeof z);
        weight[k] = node[count + k / around] * 4 * M_PI / (double)around;
    }
    mst_release(node);
    return MST_OK;
}

/* Points x (n, 3) of the surface in the directions, whose weights become those of the area: for x = centre +
 * r width·ω the area is r² Π width/<ω, width·normal> times that of the directions. */
static mst_status place_nodes(const closed_surface *s, size_t n, const double *omega, double *work,
                              double *x, double *weight)
{
    const double least = 0.02; /* rays that graze the surface would need too many functions */
    double *r = work, *normal = r + n;
    MST_TRY(find_radii(s, n, omega, normal, r));
    along_rays(s, n, omega, r, x);
    MST_TRY(mst_normals(s->m, n, x, normal));
    for (size_t k = 0; k < n; k++) {
        double wide[3];
        for (size_t a = 0; a < 3; a++)
            wide[a] = s->width[a] * normal[3 * k + a];
        double across = fabs(dot(omega + 3 * k, wide));
        if (!(across > least * sqrt(dot(wide, wide))))
            return no_star(s);
        weight[k] *= r[k] * r[k] * s->width[0] * s->width[1] * s->width[2] / across;
    }
    return MST_OK;
}

static mst_status nodes_of(const closed_surface *s, size_t count, size_t *n, double **points,
                           double **weights)
{
    double *omega = NULL;
    *n = 2 * count * count;
    *points = *weights = NULL;
    MST_TRY(mst_allocate(points, 3 * *n));
    MST_TRY(mst_allocate(weights, *n));
    MST_TRY(mst_allocate(&omega, 14 * *n));
    mst_status status = directions(count, omega, *weights);
    if (status == MST_OK)
        status = place_nodes(s, *n, omega, omega + 3 * *n, *points, *weights);
    mst_release(omega);
    return status;
}

static mst_status nodes(const closed_surface *s, size_t *n, double **points, double **weights)
{
    return nodes_of(s, s->degree + s->degree / 2 + 12, n, points, weights);
}

/* ---- The centre ---- */

/* How far a step goes from x: half of the size of what is known, but not more than once or so about where the
 * surface bends. */
static mst_status step_at(const closed_surface *s, const double *x, double size, double *step)
{
    double frame[2][3], form[2][2][3], square = 0;
    MST_TRY(mst_manifold_frame(s->m, 1, x, frame[0]));
    MST_TRY(mst_second_form(s->m, x, frame[0], form[0][0]));
    for (size_t k = 0; k < 4; k++)
        square += dot(form[k / 2][k % 2], form[k / 2][k % 2]);
    *step = fmin(0.5 * size, 3 / sqrt(square));
    return MST_OK;
}

/* The middle of a box around the surface is the centre: of the points that a few walks by geodesics visit,
 * until it grows no more. */
static mst_status find_box(closed_surface *s)
{
    enum { WALKS = 24, ENOUGH = 8, MOST = 100 };
    double low[3], high[3], at[WALKS][3], v[WALKS][3], c[WALKS][2], before, size = 0.02, step;
    mst_manifold_start(s->m, at[0]);
    for (size_t w = 1; w < WALKS; w++)
        memcpy(at[w], at[0], sizeof at[w]);
    memcpy(low, at[0], sizeof low);
    memcpy(high, at[0], sizeof high);
    for (size_t round = 0, same = 0; same < ENOUGH; round++) {
        if (round == MOST)
            return no_star(s);
        for (size_t w = 0; w < WALKS; w++) {
            double turn = 2 * M_PI * (double)w / WALKS + (double)round;
            MST_TRY(step_at(s, at[w], size, &step));
            c[w][0] = step * cos(turn);
            c[w][1] = step * sin(turn);
        }
        MST_TRY(mst_manifold_from_frame(s->m, WALKS, at[0], c[0], v[0]));
        MST_TRY(mst_manifold_exp(s->m, WALKS, at[0], v[0], at[0]));
        before = size, size = 0;
        for (size_t k = 0; k < 3; k++) {
            for (size_t w = 0; w < WALKS; w++)
                low[k] = fmin(low[k], at[w][k]), high[k] = fmax(high[k], at[w][k]);
            s->centre[k] = 0.5 * (low[k] + high[k]);
            s->width[k] = 0.5 * (high[k] - low[k]);
            size += 4 * s->width[k] * s->width[k];
        }
        size = sqrt(size);
        same = fabs(size - before) <= 0.01 * before ? same + 1 : 0;
    }
    return MST_OK;
}

/* The centre of gravity and the spread about it in place of the middle and the widths of the box, which have
 * the symmetries of the surface roughly only. */
static mst_status centre_once(closed_surface *s)
{
    enum { COUNT = 24 };
    size_t n;
    double *points = NULL, *weights = NULL, area = 0, sum[3] = {0}, square[3] = {0};
    mst_status status = nodes_of(s, COUNT, &n, &points, &weights);
    for (size_t k = 0; status == MST_OK && k < n; k++) {
        area += weights[k];
        for (size_t a = 0; a < 3; a++) {
            double v = points[3 * k + a] - s->centre[a];
            sum[a] += weights[k] * v;
            square[a] += weights[k] * v * v;
        }
    }
    for (size_t a = 0; status == MST_OK && a < 3; a++) {
        double mean = sum[a] / area;
        s->centre[a] += mean;
        s->width[a] = sqrt(3 * (square[a] / area - mean * mean));
    }
    mst_release(points);
    mst_release(weights);
    return status;
}

/* Until the symmetries are there to rounding; back to the box if rays from there meet the surface more than
 * once. */
static mst_status find_middle(closed_surface *s)
{
    enum { ROUNDS = 5 };
    closed_surface box = *s;
    mst_status first = centre_once(s);
    if (first == MST_UNABLE) { /* the walks may have missed the ends of something long */
        s->far = box.far = 32;
        first = centre_once(s);
    }
    MST_TRY(first);
    s->far = 4; /* in widths, which are those of a box now: its corners are √3 away */
    for (size_t round = 1; round < ROUNDS; round++) {
        mst_status status = centre_once(s);
        if (status == MST_UNABLE) {
            *s = box;
            return MST_OK;
        }
        MST_TRY(status);
    }
    return MST_OK;
}

mst_status surface_of_rays(closed_surface *s, size_t wanted)
{
    static const surface_kind rays = {nodes, functions};
    if (mst_manifold_ambient(s->m) != 3)
        return mst_fail(
            MST_UNABLE,
            "eigenfunctions of surfaces by equations are found in three coordinates, and %s has "
            "%zu; take the expansion or a network",
            mst_manifold_spec(s->m), mst_manifold_ambient(s->m));
    if (mst_manifold_traits_of(s->m)->compact != MST_YES)
        return mst_fail(
            MST_UNABLE,
            "eigenfunctions are found on closed surfaces; if %s is one, say 'compact = yes' in "
            "its file",
            mst_manifold_spec(s->m));
    s->kind = &rays;
    s->degree = (size_t)fmax(2, rint(sqrt((double)wanted)) - 1);
    s->functions = harmonics_count(s->degree);
    s->work = HARMONICS_ROWS * s->functions + harmonics_work(s->degree);
    s->far = 4;
    mst_status status = find_box(s);
    if (status == MST_OK)
        status = find_middle(s);
    return status == MST_OK || status == MST_MEMORY ? status : no_star(s);
}
