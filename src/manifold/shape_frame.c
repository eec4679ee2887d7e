/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Orthonormal frames of the horizontal space by Householder's reflections: those of the QR decomposition of
 * what is orthogonal to it, the translations, x itself where sizes do not count, and the turns x A. The last
 * columns of Q are the frame. */
#include "manifold/shape_space.h"

#include <math.h>
#include <string.h>

size_t shape_normals(const shape_space *s)
{
    return s->dim + s->unit + s->dim * (s->dim - 1) / 2;
}

/* v less twice its part along the reflector h, which is 0 before `first`. */
static void reflect(const shape_space *s, size_t first, const double *h, double *v)
{
    double sum = 0;
    for (size_t j = first; j < s->width; j++)
        sum += h[j] * v[j];
    for (size_t j = first; j < s->width; j++)
        v[j] -= 2 * sum * h[j];
}

/* Column c of what is orthogonal to the horizontal space. */
static void normal_column(const shape_space *s, const double *x, size_t c, double *out)
{
    memset(out, 0, s->width * sizeof *out);
    if (c < s->dim) {
        for (size_t p = c; p < s->width; p += s->dim)
            out[p] = 1;
        return;
    }
    c -= s->dim;
    if (s->unit && c-- == 0) {
        memcpy(out, x, s->width * sizeof *out);
        return;
    }
    shape_turn t = {{0}};
    t.a[c] = 1;
    shape_add_turn(s, 1, x, t, out);
}

bool shape_reflectors(const shape_space *s, const double *x, double *h)
{
    for (size_t c = 0; c < shape_normals(s); c++) {
        double *column = h + c * s->width, norm = 0;
        normal_column(s, x, c, column);
        for (size_t b = 0; b < c; b++)
            reflect(s, b, h + b * s->width, column);
        memset(column, 0, c * sizeof *column);
        norm = shape_norm(s, column);
        column[c] += column[c] < 0 ? -norm : norm;
        norm = shape_norm(s, column);
        if (!(norm > 0))
            return false;
        for (size_t j = c; j < s->width; j++)
            column[j] /= norm;
    }
    return true;
}

void shape_normal(const shape_space *s, const double *h, size_t c, double *out)
{
    memset(out, 0, s->width * sizeof *out);
    out[c] = 1;
    for (size_t b = shape_normals(s); b-- > 0;)
        reflect(s, b, h + b * s->width, out);
}

void shape_from_frame(const shape_space *s, const double *h, const double *c, double *v)
{
    size_t normals = shape_normals(s);
    memset(v, 0, normals * sizeof *v);
    memcpy(v + normals, c, (s->width - normals) * sizeof *v);
    for (size_t b = normals; b-- > 0;)
        reflect(s, b, h + b * s->width, v);
}

void shape_to_frame(const shape_space *s, const double *h, const double *v, double *work, double *c)
{
    size_t normals = shape_normals(s);
    memcpy(work, v, s->width * sizeof *work);
    for (size_t b = 0; b < normals; b++)
        reflect(s, b, h + b * s->width, work);
    memcpy(c, work + normals, (s->width - normals) * sizeof *c);
}
