/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "manifold/shape_space.h"

#include "base/linalg.h"
#include "base/rotation.h"

#include <math.h>
#include <string.h>

double shape_dot(const shape_space *s, const double *x, const double *y)
{
    double sum = 0;
    for (size_t j = 0; j < s->width; j++)
        sum += x[j] * y[j];
    return sum;
}

double shape_norm(const shape_space *s, const double *x)
{
    double most = 0, sum = 0;
    for (size_t j = 0; j < s->width; j++)
        most = fmax(most, fabs(x[j]));
    if (!(most > 0) || !isfinite(most))
        return most;
    for (size_t j = 0; j < s->width; j++)
        sum += (x[j] / most) * (x[j] / most);
    return most * sqrt(sum);
}

void shape_centre(const shape_space *s, double *x)
{
    for (size_t c = 0; c < s->dim; c++) {
        double mean = 0;
        for (size_t p = c; p < s->width; p += s->dim)
            mean += x[p] / (double)s->k;
        for (size_t p = c; p < s->width; p += s->dim)
            x[p] -= mean;
    }
}

void shape_rotate(const shape_space *s, const double *y, const double *r, double *out)
{
    size_t dim = s->dim;
    for (size_t p = 0; p < s->width; p += dim) {
        double row[3];
        memcpy(row, y + p, dim * sizeof *row);
        for (size_t c = 0; c < dim; c++) {
            double sum = 0;
            for (size_t b = 0; b < dim; b++)
                sum += row[b] * r[b * dim + c];
            out[p + c] = sum;
        }
    }
}

void shape_product(const shape_space *s, const double *x, const double *y, double *g)
{
    size_t dim = s->dim;
    memset(g, 0, dim * dim * sizeof *g);
    for (size_t p = 0; p < s->width; p += dim)
        for (size_t a = 0; a < dim; a++)
            for (size_t b = 0; b < dim; b++)
                g[a * dim + b] += x[p + a] * y[p + b];
}

/* ---- Skew matrices ---- */

bool shape_spin_open(const shape_space *s, const double *x, shape_spin *out)
{
    double g[9];
    shape_product(s, x, x, g);
    if (s->dim == 2) {
        out->factor[0] = g[0] + g[3];
        return out->factor[0] > 0;
    }
    /* S [a]× + [a]× S = [((tr S) I − S) a]×. */
    double *l = out->factor, m00 = g[4] + g[8], m11 = g[0] + g[8], m22 = g[0] + g[4];
    l[0] = sqrt(m00);
    l[1] = -g[1] / l[0];
    l[2] = sqrt(m11 - l[1] * l[1]);
    l[3] = -g[2] / l[0];
    l[4] = (-g[5] - l[3] * l[1]) / l[2];
    l[5] = sqrt(m22 - l[3] * l[3] - l[4] * l[4]);
    return l[0] > 0 && l[2] > 0 && l[5] > 0;
}

shape_turn shape_torque(const shape_space *s, const double *x, const double *w)
{
    shape_turn t = {{0}};
    for (size_t p = 0; p < s->width; p += s->dim) {
        const double *a = x + p, *b = w + p;
        if (s->dim == 2) {
            t.a[0] += a[1] * b[0] - a[0] * b[1];
            continue;
        }
        t.a[0] += b[1] * a[2] - b[2] * a[1]; /* x wᵀ − w xᵀ = [w × x]× */
        t.a[1] += b[2] * a[0] - b[0] * a[2];
        t.a[2] += b[0] * a[1] - b[1] * a[0];
    }
    return t;
}

shape_turn shape_solve(const shape_space *s, const shape_spin *spin, shape_turn b)
{
    const double *l = spin->factor;
    if (s->dim == 2)
        return (shape_turn){{b.a[0] / l[0]}};
    double y0 = b.a[0] / l[0], y1 = (b.a[1] - l[1] * y0) / l[2],
           y2 = (b.a[2] - l[3] * y0 - l[4] * y1) / l[5];
    shape_turn a;
    a.a[2] = y2 / l[5];
    a.a[1] = (y1 - l[4] * a.a[2]) / l[2];
    a.a[0] = (y0 - l[1] * a.a[1] - l[3] * a.a[2]) / l[0];
    return a;
}

void shape_add_turn(const shape_space *s, double f, const double *x, shape_turn t, double *out)
{
    const double *a = t.a;
    for (size_t p = 0; p < s->width; p += s->dim) {
        const double *y = x + p;
        if (s->dim == 2) {
            double first = y[1] * a[0], second = -y[0] * a[0];
            out[p] += f * first;
            out[p + 1] += f * second;
            continue;
        }
        double row[3] = {y[1] * a[2] - y[2] * a[1], y[2] * a[0] - y[0] * a[2],
                         y[0] * a[1] - y[1] * a[0]}; /* y [a]× = y × a */
        for (size_t c = 0; c < 3; c++)
            out[p + c] += f * row[c];
    }
}

/* Twice: the first pass leaves rounding of the size of w, which may be large against what is left. */
void shape_horizontal(const shape_space *s, const double *x, const shape_spin *spin, double *w)
{
    for (int pass = 0; pass < 2; pass++) {
        shape_centre(s, w);
        if (s->unit) {
            double along = shape_dot(s, x, w);
            for (size_t j = 0; j < s->width; j++)
                w[j] -= along * x[j];
        }
        shape_add_turn(s, -1, x, shape_solve(s, spin, shape_torque(s, x, w)), w);
    }
}

/* ---- Rotations ---- */

mst_status shape_has_rank(const shape_space *s, const double *x, bool *has)
{
    double g[9], values[3], vectors[9], size = shape_norm(s, x);
    *has = size > 0;
    if (s->dim == 2 || !*has)
        return MST_OK;
    double *unit;
    MST_TRY(mst_allocate(&unit, s->width));
    for (size_t j = 0; j < s->width; j++)
        unit[j] = x[j] / size;
    shape_product(s, unit, unit, g);
    mst_release(unit);
    MST_TRY(mst_eigen_symmetric(1, 3, g, values, vectors, NULL));
    *has = values[1] > SHAPE_RANK * SHAPE_RANK;
    return MST_OK;
}

mst_status shape_place(const shape_space *s, const double *x, double *r)
{
    double g[9];
    shape_product(s, x, s->reference, g);
    return mst_fit_rotation(1, s->dim, g, false, r, NULL, NULL);
}

/* y (e^A − I), with the digits of small A. */
static void add_small_rotation(const shape_space *s, const double *y, shape_turn t, double *work,
                               double *out)
{
    double angle = sqrt(t.a[0] * t.a[0] + t.a[1] * t.a[1] + t.a[2] * t.a[2]);
    double half = sin(angle / 2), first = angle > 0 ? sin(angle) / angle : 1,
           second = angle > 0 ? 2 * half * half / (angle * angle) : 0.5;
    memset(work, 0, s->width * sizeof *work);
    shape_add_turn(s, 1, y, t, work);
    for (size_t j = 0; j < s->width; j++)
        out[j] += first * work[j];
    shape_add_turn(s, second, work, t, out);
}

/* In space, for neighbours: the rotation vector a with torque(x, y e^A) = 0 from that of the exact difference
 * d = y − x, which has its digits. Each step takes an error to about |d| times itself. */
static bool difference_of_neighbours(const shape_space *s, const double *x, const double *y,
                                     double *work, double *out)
{
    shape_spin spin;
    shape_turn a = {{0}};
    if (!shape_spin_open(s, x, &spin))
        return false;
    double last = INFINITY;
    for (int step = 0; step < 30; step++) {
        for (size_t j = 0; j < s->width; j++)
            out[j] = y[j] - x[j];
        add_small_rotation(s, y, a, work, out);
        shape_turn change = shape_solve(s, &spin, shape_torque(s, x, out));
        double size = 0, whole = 0;
        for (int c = 0; c < 3; c++) {
            a.a[c] -= change.a[c];
            size += change.a[c] * change.a[c];
            whole += a.a[c] * a.a[c];
        }
        if (size <= 1e-32 * whole || (size >= last && step > 4))
            return true;
        last = size;
    }
    return false;
}

/* In the plane, as complex numbers: c = <x, y>, and y turned by c̄/|c|. */
static void difference_in_plane(const shape_space *s, const double *x, const double *y, double *out,
                                double *gap)
{
    double real = 0, imaginary = 0;
    for (size_t p = 0; p < s->width; p += 2) {
        double d0 = y[p] - x[p], d1 = y[p + 1] - x[p + 1];
        real += x[p] * y[p] + x[p + 1] * y[p + 1];
        imaginary += x[p] * d1 - x[p + 1] * d0;
    }
    double size = hypot(real, imaginary);
    *gap = size / (shape_norm(s, x) * shape_norm(s, y));
    if (!(size > 0)) {
        for (size_t j = 0; j < s->width; j++)
            out[j] = y[j] - x[j];
        return;
    }
    /* e = c̄/|c| − 1 */
    double e0 = (real > 0 ? -imaginary * (imaginary / (real + size)) : real - size) / size;
    double e1 = -imaginary / size;
    for (size_t p = 0; p < s->width; p += 2) {
        double y0 = y[p], y1 = y[p + 1];
        out[p] = (y0 - x[p]) + (e0 * y0 - e1 * y1);
        out[p + 1] = (y1 - x[p + 1]) + (e0 * y1 + e1 * y0);
    }
}

mst_status shape_difference(const shape_space *s, const double *x, const double *y, double *out,
                            double *gap)
{
    const double near = 1e-3;
    double unused;
    gap = gap != NULL ? gap : &unused;
    if (s->dim == 2) {
        difference_in_plane(s, x, y, out, gap);
        return MST_OK;
    }
    double g[9], r[9], size = shape_norm(s, x), apart = 0;
    double *work;
    MST_TRY(mst_allocate(&work, s->width));
    for (size_t j = 0; j < s->width; j++)
        apart = fmax(apart, fabs(y[j] - x[j]));
    shape_product(s, y, x, g);
    mst_status status = mst_fit_rotation(1, 3, g, false, r, NULL, gap);
    *gap /= size * shape_norm(s, y);
    bool done = status == MST_OK && apart<near * size && * gap> near &&
                difference_of_neighbours(s, x, y, work, out);
    if (status == MST_OK && !done) {
        shape_rotate(s, y, r, out);
        for (size_t j = 0; j < s->width; j++)
            out[j] -= x[j];
    }
    mst_release(work);
    return status;
}

mst_status shape_lower_rank(size_t row)
{
    return mst_fail(MST_DOMAIN, "row %zu: a shape of too low a rank", row + 1);
}

mst_status shape_arrive(const shape_space *s, size_t row, const double *x, const double *v,
                        double *y)
{
    double r = shape_norm(s, v), c = s->unit ? cos(r) : 1, f = s->unit && r > 0 ? sin(r) / r : 1;
    if (!isfinite(r))
        return mst_fail(MST_DOMAIN, "row %zu: a vector that is not finite", row + 1);
    if (!s->unit && r > 0) {
        /* The straight line must not run through the point where all landmarks coincide. */
        double along = shape_dot(s, x, v) / r, size = shape_norm(s, x);
        if (-along <= r && size + along <= 1e-14 * size)
            return mst_fail(MST_DOMAIN,
                            "row %zu: the geodesic runs into the configuration of size 0", row + 1);
    }
    for (size_t j = 0; j < s->width; j++)
        y[j] = c * x[j] + f * v[j];
    return MST_OK;
}
