/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "geodesic/start.h"

#include <math.h>
#include <string.h>

enum { PARTS = 16, KNOTS = PARTS + 1 };

mst_status start_room_new(start_room *s, const geodesic_problem *p)
{
    size_t space = p->space > p->width ? p->space : p->width;
    *s = (start_room){0};
    return mst_allocate(&s->block, KNOTS * (4 * space + 2 + p->count * (p->space + 1)) + 4 * space +
                                       p->count * (p->count + 1));
}

void start_room_free(start_room *s)
{
    mst_release(s->block);
    problem_rows_free(&s->rows);
}

static void point_at(const geodesic_problem *p, const start_line *l, double s, double *x,
                     size_t stride)
{
    for (size_t k = 0; k < p->width; k++) {
        double bent = l->bend != NULL ? 4 * s * (1 - s) * l->bend[k] : 0;
        x[k * stride] = l->x[k] + s * (l->y[k] - l->x[k]) + bent;
    }
}

/* ---- Lengths of the parts ---- */

static mst_status metric_parts(start_room *r, const geodesic_problem *p, const start_line *l,
                               double *length)
{
    size_t d = p->d;
    double *x = r->block, *v = x + PARTS * d, *l_x = v + PARTS * d, *l_v = l_x + PARTS * d;
    for (size_t i = 0; i < PARTS; i++) {
        double s = ((double)i + 0.5) / PARTS;
        point_at(p, l, s, x + i, PARTS);
        for (size_t k = 0; k < d; k++)
            v[k * PARTS + i] =
                l->y[k] - l->x[k] + (l->bend != NULL ? 4 * (1 - 2 * s) * l->bend[k] : 0);
    }
    MST_TRY(problem_lagrangian(p, &r->rows, PARTS, x, v, length, l_x, l_v));
    for (size_t i = 0; i < PARTS; i++)
        length[i] = sqrt(2 * length[i]) / PARTS;
    return MST_OK;
}

static void polygon_parts(size_t width, const double *f, double *length)
{
    for (size_t i = 0; i < PARTS; i++) {
        double sum = 0;
        for (size_t k = 0; k < width; k++) {
            double gap = f[k * KNOTS + i + 1] - f[k * KNOTS + i];
            sum += gap * gap;
        }
        length[i] = sqrt(sum);
    }
}

/* a ← a⁻¹ b for the Gram matrix a (c, c) of gradients, by Cholesky. */
static void solve_gram(size_t c, double *a, double *b)
{
    for (size_t j = 0; j < c; j++)
        for (size_t i = j; i < c; i++) {
            for (size_t k = 0; k < j; k++)
                a[i * c + j] -= a[i * c + k] * a[j * c + k];
            a[i * c + j] = i == j ? sqrt(a[i * c + j]) : a[i * c + j] / a[j * c + j];
        }
    for (size_t i = 0; i < c; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= a[i * c + k] * b[k];
        b[i] /= a[i * c + i];
    }
    for (size_t i = c; i-- > 0;) {
        for (size_t k = i + 1; k < c; k++)
            b[i] -= a[k * c + i] * b[k];
        b[i] /= a[i * c + i];
    }
}

/* Newton's method along the gradients, with steps no longer than `longest`, on n ≤ KNOTS points. */
static mst_status onto(start_room *r, const geodesic_problem *p, size_t n, double longest,
                       double *x, double *room)
{
    size_t D = p->space, c = p->count;
    double *h = room, *gradient = h + c * n, *gram = gradient + c * D * n, *b = gram + c * c,
           *move = b + c;
    for (int round = 0; round < 40; round++) {
        double most = 0;
        MST_TRY(problem_constraint(p, &r->rows, n, x, h, gradient));
        for (size_t i = 0; i < n; i++) {
            for (size_t a = 0; a < c; a++) {
                b[a] = h[a * n + i];
                for (size_t e = 0; e <= a; e++) {
                    gram[a * c + e] = 0;
                    for (size_t k = 0; k < D; k++)
                        gram[a * c + e] +=
                            gradient[(a * D + k) * n + i] * gradient[(e * D + k) * n + i];
                }
            }
            solve_gram(c, gram, b);
            double size = 0;
            for (size_t k = 0; k < D; k++) {
                move[k] = 0;
                for (size_t a = 0; a < c; a++)
                    move[k] -= b[a] * gradient[(a * D + k) * n + i];
                size += move[k] * move[k];
            }
            size = sqrt(size);
            double part = size > longest ? longest / size : 1;
            for (size_t k = 0; k < D; k++)
                x[k * n + i] += part * move[k];
            most = fmax(most, size);
        }
        if (!(most > 0.01 * longest)) /* the sweeps do the rest */
            break;
    }
    return MST_OK;
}

static double distance(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* ---- The path ---- */

/* The position s ∈ [0, 1] where a part `share` of the length lies behind. */
static double position(const double *length, double total, double share)
{
    double want = share * total, sum = 0;
    for (size_t i = 0; i < PARTS; i++) {
        if (sum + length[i] >= want)
            return ((double)i + (length[i] > 0 ? (want - sum) / length[i] : 0)) / PARTS;
        sum += length[i];
    }
    return 1;
}

/* Between the knots (width, KNOTS) along straight lines. */
static void between(size_t width, const double *knots, double s, double *x)
{
    size_t i = (size_t)(s * PARTS);
    i = i < PARTS ? i : PARTS - 1;
    double part = s * PARTS - (double)i;
    for (size_t k = 0; k < width; k++)
        x[k] = knots[k * KNOTS + i] + part * (knots[k * KNOTS + i + 1] - knots[k * KNOTS + i]);
}

static mst_status measure(start_room *r, const geodesic_problem *p, const start_line *l,
                          double *knots, double *length, double *room)
{
    if (p->form == FORM_METRIC)
        return metric_parts(r, p, l, length);
    for (size_t i = 0; i < KNOTS; i++)
        point_at(p, l, (double)i / PARTS, knots + i, KNOTS);
    if (p->form == FORM_EMBEDDING) {
        MST_TRY(problem_embedding(p, &r->rows, KNOTS, knots, room, NULL));
        polygon_parts(p->space, room, length);
        return MST_OK;
    }
    MST_TRY(onto(r, p, KNOTS, distance(p->width, l->x, l->y), knots, room));
    polygon_parts(p->space, knots, length);
    return MST_OK;
}

/* b less its part along a. */
static void orthogonalise(size_t n, const double *a, double *b)
{
    double dot = 0, square = 0;
    for (size_t k = 0; k < n; k++) {
        dot += a[k] * b[k];
        square += a[k] * a[k];
    }
    for (size_t k = 0; square > 0 && k < n; k++)
        b[k] -= dot / square * a[k];
}

/* The axis number `rank` of those that are most nearly orthogonal to `chord`, made so, of length 1. */
static void choose_axis(size_t n, const double *chord, size_t rank, double *out)
{
    size_t best = 0;
    for (size_t axis = 0; axis < n; axis++) {
        size_t before = 0;
        for (size_t other = 0; other < n; other++) {
            double a = fabs(chord[axis]), b = fabs(chord[other]);
            before += b < a || (b == a && other < axis);
        }
        if (before == rank)
            best = axis;
    }
    memset(out, 0, n * sizeof *out);
    out[best] = 1;
    orthogonalise(n, chord, out);
    double length = 0;
    for (size_t k = 0; k < n; k++)
        length += out[k] * out[k];
    for (size_t k = 0; k < n; k++)
        out[k] /= sqrt(length);
}

/* Where the line passes a place from which there is no way onto the manifold, such as the centre of a sphere,
 * a bent one may not. */
static mst_status measure_any(start_room *r, const geodesic_problem *p, const start_line *l,
                              double *knots, double *length, double *room)
{
    size_t n = p->width;
    MST_TRY(measure(r, p, l, knots, length, room));
    double total = 0, chord[3 * PARTS];
    for (size_t i = 0; i < PARTS; i++)
        total += length[i];
    if (isfinite(total) || p->form != FORM_CONSTRAINT || 2 * n > 3 * PARTS)
        return MST_OK;
    double *bend = chord + n, size = distance(n, l->x, l->y);
    for (size_t k = 0; k < n; k++)
        chord[k] = l->y[k] - l->x[k];
    choose_axis(n, chord, 0, bend);
    for (size_t k = 0; k < n; k++)
        bend[k] = 0.1 * size * bend[k] + (l->bend != NULL ? l->bend[k] : 0);
    start_line other = {l->x, l->y, bend};
    return measure(r, p, &other, knots, length, room);
}

mst_status start_path(start_room *r, const geodesic_problem *p, const start_line *l, const rule *of,
                      size_t elements, path *out)
{
    size_t width = p->width, nodes = elements * of->p + 1;
    double length[PARTS], total = 0;
    double *knots = r->block, *room = knots + KNOTS * width;
    MST_TRY(path_reserve(out, elements, of->p, width));
    MST_TRY(measure_any(r, p, l, knots, length, room));
    for (size_t i = 0; i < PARTS; i++)
        total += length[i];
    bool fine = isfinite(total) && total > 0;
    for (size_t e = 0; e <= elements; e++)
        out->breaks[e] = (double)e / (double)elements;
    for (size_t i = 1; i + 1 < nodes; i++) {
        size_t element = i / of->p;
        double t = ((double)element + of->t[i % of->p]) / (double)elements;
        double s = fine ? position(length, total, t) : t;
        if (p->form == FORM_CONSTRAINT)
            between(width, knots, s, out->x + i * width);
        else
            point_at(p, l, s, out->x + i * width, 1);
    }
    memcpy(out->x, l->x, width * sizeof *out->x);
    memcpy(out->x + (nodes - 1) * width, l->y, width * sizeof *out->x);
    return MST_OK;
}

/* ---- Others ---- */

size_t start_others(const geodesic_problem *p, size_t several, size_t most)
{
    size_t count = p->d == 1 ? 0 : 4;
    if (p->form == FORM_CONSTRAINT && p->d > 1 && p->space == 3)
        count = several > 1 ? 6 : 2;
    return count < most ? count : most;
}

enum { MOST_WRAPS = 16 };

static size_t count_periods(const geodesic_problem *p)
{
    size_t count = 0;
    for (size_t k = 0; p->period != NULL && k < p->d; k++)
        count += p->period[k] > 0;
    return count;
}

size_t start_wraps(const geodesic_problem *p, size_t several)
{
    size_t count = count_periods(p);
    if (several <= 1 || count > 3)
        return 2;
    if (count == 1)
        return several < 3 ? 4 : several + 1;
    return count == 3 ? 3 : several > 9 ? 6 : 4;
}

bool start_wrap(const geodesic_problem *p, const double *x, const double *y, size_t each,
                size_t which, double *wrapped)
{
    size_t all = 1, rest = which;
    for (size_t k = 0; k < p->d; k++) {
        double period = p->period != NULL ? p->period[k] : 0;
        wrapped[k] = y[k];
        if (!(period > 0))
            continue;
        double gap = y[k] - x[k], turns = nearbyint(gap / period);
        if (each > 2 || all < MOST_WRAPS) { /* else the nearest is enough */
            double side = gap - turns * period > 0 ? 1 : -1;
            size_t number = rest % each, far = (number + 1) / 2; /* 0, 1, −1, 2, −2 … */
            turns += number % 2 == 1 ? side * (double)far : -side * (double)far;
            rest /= each;
            all *= each;
        }
        wrapped[k] = turns == 0 ? y[k] : y[k] - turns * period;
    }
    return which < all;
}

/* On a surface in space: to its sides, as seen along the normal in the middle. */
static mst_status sideways(start_room *r, const geodesic_problem *p, const double *x,
                           const double *chord, double *out)
{
    double *middle = r->block, *room = middle + 3, h, normal[3],
           length = distance(3, chord, (double[3]){0});
    for (size_t k = 0; k < 3; k++)
        middle[k] = x[k] + 0.5 * chord[k];
    MST_TRY(onto(r, p, 1, length, middle, room));
    MST_TRY(problem_constraint(p, &r->rows, 1, middle, &h, normal));
    for (size_t k = 0; k < 3; k++)
        out[k] =
            normal[(k + 1) % 3] * chord[(k + 2) % 3] - normal[(k + 2) % 3] * chord[(k + 1) % 3];
    double size = distance(3, out, (double[3]){0});
    if (!(size > 0))
        choose_axis(3, chord, 1, out); /* the first path has gone along the other */
    else
        for (size_t k = 0; k < 3; k++)
            out[k] /= size;
    return MST_OK;
}

mst_status start_bend(start_room *r, const geodesic_problem *p, const double *x, const double *y,
                      size_t which, double *bend)
{
    size_t n = p->width;
    double *chord = r->block + KNOTS * (2 * n), length = distance(n, x, y);
    double side = which % 2 == 0 ? 1 : -1, height = 0.7;
    for (size_t k = 0; k < n; k++)
        chord[k] = y[k] - x[k];
    if (p->form == FORM_CONSTRAINT && n == 3 && p->count == 1) {
        /* To the sides, farther, and over or under what is between the ends. */
        if (which < 4)
            MST_TRY(sideways(r, p, x, chord, bend));
        else
            choose_axis(3, chord, 0, bend);
        height = which < 2 ? 1 : 2;
    } else if (n == 2) {
        bend[0] = -chord[1] / length;
        bend[1] = chord[0] / length;
        height = which < 2 ? 0.5 : 1.2;
    } else {
        choose_axis(n, chord, which / 2, bend);
    }
    for (size_t k = 0; k < n; k++)
        bend[k] *= side * height * length;
    return MST_OK;
}
