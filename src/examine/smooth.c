/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Smoothness: derivatives against differences at points, and jumps between points. What is looked at is
 * L(x, v) for a fixed v, or Σ λ h for fixed λ, with its first and second derivatives. */
#include "examine/examine.h"

#include <math.h>
#include <string.h>

/* Of the metric or the equations values, first and second derivatives; of an embedding the first ones. */
enum { ORDERS = 4 };

/* Value, first and second derivatives along fixed directions, as one row of numbers. */
typedef struct probe {
    const examiner *e;
    size_t width[ORDERS];              /* numbers of each order */
    double *v, *along, *zero, *lambda; /* (D), (D), (D), (c) */
    double *room;                      /* c + c D + D² */
    double *block;
} probe;

static size_t constraints_of(const examiner *e)
{
    return e->m->constraint != NULL ? e->m->constraint->count : 0;
}

static mst_status probe_new(probe *p, examiner *e)
{
    size_t D = e->D, c = constraints_of(e);
    *p = (probe){.e = e};
    p->width[3] = c > 0 ? 0 : e->m->metric->ops.embedded * e->d;
    MST_TRY(mst_allocate_zero(&p->block, 3 * D + 2 * c + c * D + D * D));
    p->v = p->block;
    p->along = p->v + D;
    p->zero = p->along + D;
    p->lambda = p->zero + D;
    p->room = p->lambda + c;
    for (size_t k = 0; k < D; k++) {
        double scale = e->extents != NULL ? e->extents[k].scale : e->size;
        p->v[k] = k < e->d || c > 0 ? examine_normal(e) : 0;
        p->along[k] = k < e->d || c > 0 ? scale * examine_normal(e) : 0;
    }
    for (size_t k = 0; k < c; k++)
        p->lambda[k] = examine_normal(e);
    p->width[0] = c > 0 ? c : 1 + e->d; /* h; L and g v */
    p->width[1] = c > 0 ? c * D : e->d; /* ∇h; L_x */
    p->width[2] = c > 0 ? D : 2 * e->d; /* Σ λ ∇²h along; the derivatives of L_x and g v along */
    return MST_OK;
}

static void probe_free(probe *p)
{
    mst_release(p->block);
}

static size_t probe_width(const probe *p)
{
    return p->width[0] + p->width[1] + p->width[2] + p->width[3];
}

static bool probe_equations(const probe *p, const double *x, double *out)
{
    const mst_manifold *m = p->e->m;
    size_t D = p->e->D, c = constraints_of(p->e);
    double *bend = p->room, *second = out + c + c * D;
    if (m->constraint->ops.constraint(m, 1, x, out, out + c) != MST_OK ||
        m->constraint->ops.constraint_hessian(m, 1, x, p->lambda, bend) != MST_OK)
        return false;
    for (size_t i = 0; i < D; i++) {
        second[i] = 0;
        for (size_t k = 0; k < D; k++)
            second[i] += bend[i * D + k] * p->along[k];
    }
    return true;
}

static bool probe_metric(const probe *p, const double *x, double *out)
{
    const mst_manifold *m = p->e->m;
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = p->e->d, D = p->e->D;
    double *first = p->room, *second = first + D;
    if (ops->lagrangian(m, 1, x, p->v, out, first, second) != MST_OK)
        return false;
    memcpy(out + 1, second, d * sizeof *out);
    memcpy(out + 1 + d, first, d * sizeof *out);
    if (ops->lagrangian_hvp(m, 1, x, p->v, p->along, p->zero, first, second) != MST_OK)
        return false;
    memcpy(out + 1 + 2 * d, first, d * sizeof *out);
    memcpy(out + 1 + 3 * d, second, d * sizeof *out);
    return ops->embedded == 0 || ops->embedding(m, 1, x, NULL, out + 1 + 4 * d) == MST_OK;
}

static bool probe_at(const probe *p, const double *x, double *out)
{
    bool good = p->e->m->constraint != NULL ? probe_equations(p, x, out) : probe_metric(p, x, out);
    for (size_t k = 0; k < probe_width(p); k++)
        good = good && isfinite(out[k]);
    return good;
}

/* ---- Differences ---- */

/* The derivative along p->along of what has one among the probe's numbers, as the formulas have it and as
 * differences of step h have it: the largest gap against the largest number. NAN: cannot be told. */
static double gap_at(const probe *p, const double *x, double h, double *room)
{
    const examiner *e = p->e;
    size_t width = probe_width(p), D = e->D, d = e->d, c = constraints_of(e), count;
    double *here = room, *left = here + width, *right = left + width, *moved = right + width;
    for (int side = -1; side <= 1; side += 2) {
        for (size_t k = 0; k < D; k++)
            moved[k] = x[k] + side * h * p->along[k];
        if ((c == 0 && !examine_inside(e, moved)) || !probe_at(p, moved, side < 0 ? left : right))
            return NAN;
    }
    if (!probe_at(p, x, here))
        return NAN;
    double *formula = moved + D, *difference = formula + width, gap = 0, scale = 0;
    count = c > 0 ? c + D : 1 + 2 * d;
    memset(formula, 0, count * sizeof *formula);
    memset(difference, 0, count * sizeof *difference);
    for (size_t k = 0; k < count; k++) {
        if (c > 0 && k < c) { /* h_k by ∇h_k */
            for (size_t a = 0; a < D; a++)
                formula[k] += here[c + k * D + a] * p->along[a];
            difference[k] = right[k] - left[k];
        } else if (c > 0) { /* Σ λ ∇h by Σ λ ∇²h */
            formula[k] = here[c + c * D + (k - c)];
            for (size_t j = 0; j < c; j++)
                difference[k] +=
                    p->lambda[j] * (right[c + j * D + k - c] - left[c + j * D + k - c]);
        } else if (k == 0) { /* L by L_x */
            for (size_t a = 0; a < d; a++)
                formula[0] += here[1 + d + a] * p->along[a];
            difference[0] = right[0] - left[0];
        } else { /* g v, then L_x, by the products with the Hessian */
            size_t a = (k - 1) % d;
            bool momentum = k <= d;
            formula[k] = here[(momentum ? 1 + 3 * d : 1 + 2 * d) + a];
            difference[k] =
                momentum ? right[1 + a] - left[1 + a] : right[1 + d + a] - left[1 + d + a];
        }
        difference[k] /= 2 * h;
        gap = fmax(gap, fabs(formula[k] - difference[k]));
        scale = fmax(scale, fabs(formula[k]));
    }
    for (size_t k = 0; k < p->width[0]; k++)
        scale = fmax(scale, fabs(here[k]));
    return gap / fmax(scale, 1e-300);
}

mst_status examine_derivatives(examiner *e)
{
    enum { MOST = 200, STEPS = 5 };
    size_t count = e->n < MOST ? e->n : MOST, tested = 0, wrong = 0, where = 0;
    char text[POINT_TEXT];
    probe p;
    double *room, worst = 0;
    MST_TRY(probe_new(&p, e));
    mst_status status = mst_allocate(&room, 5 * probe_width(&p) + 2 * e->D + 8);
    for (size_t i = 0; status == MST_OK && i < count; i++) {
        double best = NAN, h = 1e-2;
        /* Near a singular place only short steps tell anything, and these are noisy elsewhere. */
        for (size_t k = 0; k < STEPS; k++, h /= 10)
            best = fmin(best, gap_at(&p, e->x + i * e->D, h, room));
        if (isnan(best))
            continue;
        tested++;
        wrong += best > 1e-4;
        where = best > worst ? i : where;
        worst = fmax(worst, best);
    }
    if (status == MST_OK && wrong > 0)
        status = finding_add(
            e, MST_FINDING_WARNING, "smoothness", e->x + where * e->D,
            "derivatives are not those of differences at %zu of %zu points, worst at %s "
            "by %.1g",
            wrong, tested, finding_point(e, e->x + where * e->D, text), worst);
    else if (status == MST_OK)
        status =
            finding_add(e, MST_FINDING_OK, "smoothness", NULL,
                        "derivatives agree with differences at %zu points, to %.1g", tested, worst);
    mst_release(room);
    probe_free(&p);
    return status;
}

/* ---- Jumps ---- */

/* A stretch of a path between two points, and the probe's numbers at its ends. */
typedef struct stretch {
    const double *from, *way;
    double begin, end;
    double *left, *right, *middle, *x; /* (width) three times, (D) */
} stretch;

/* The difference of the numbers of one order at the ends, against their size. */
static double step_between(const probe *p, size_t order, const double *a, const double *b)
{
    size_t first = 0;
    for (size_t k = 0; k < order; k++)
        first += p->width[k];
    double most = 0, scale = 1e-300;
    for (size_t k = first; k < first + p->width[order]; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        scale = fmax(scale, fmax(fabs(a[k]), fabs(b[k])));
    }
    /* What vanishes does not jump by rounding: derivatives beside values, and solutions of equations beside
     * their gradients. */
    size_t other = p->e->m->constraint != NULL ? p->width[0] : 0;
    size_t count = p->width[other > 0 ? 1 : 0];
    for (size_t k = other; k < other + count; k++)
        scale = fmax(scale, (order == 0 ? 1 : 1e-3) * p->e->size * fabs(a[k]));
    return most / scale;
}

/* Is the path itself without a jump there? On equations the way home may lead to different pieces. */
static bool is_one_place(const examiner *e, stretch *s)
{
    double *other = s->middle, gap = 0;
    if (!examine_between(e, s->from, s->way, s->begin, other) ||
        !examine_between(e, s->from, s->way, s->end, s->x))
        return false;
    for (size_t k = 0; k < e->D; k++)
        gap = fmax(gap, fabs(other[k] - s->x[k]));
    return e->m->constraint == NULL || gap < 1e-6 * e->size;
}

/* Halves the stretch again and again, keeping the half over which the numbers change more: over a jump the
 * change stays. True, with the place in s->x, if it does. */
static bool has_jump(const probe *p, size_t order, stretch *s)
{
    enum { HALVES = 34, EARLY = 7 };
    size_t width = probe_width(p);
    double first = step_between(p, order, s->left, s->right), now = first;
    for (size_t k = 0; k < HALVES; k++) {
        double at = s->begin + (s->end - s->begin) / 2;
        if (!(now > 1e-5) || (k == EARLY && !(now > 0.15 * first)) ||
            !examine_between(p->e, s->from, s->way, at, s->x) || !probe_at(p, s->x, s->middle))
            return false;
        double one = step_between(p, order, s->left, s->middle);
        double other = step_between(p, order, s->middle, s->right);
        memcpy(one > other ? s->right : s->left, s->middle, width * sizeof *s->left);
        *(one > other ? &s->end : &s->begin) = at;
        now = fmax(one, other);
    }
    return now > 1e-5 && is_one_place(p->e, s);
}

typedef struct jumps {
    size_t count[ORDERS];
    double *where; /* (ORDERS, D) */
} jumps;

static void look_along(const probe *p, const double *from, const double *way, double *room,
                       jumps *j)
{
    enum { PARTS = 12 };
    const examiner *e = p->e;
    size_t width = probe_width(p);
    double *values = room, *x = values + (PARTS + 1) * width + 3 * width;
    bool good[PARTS + 1];
    for (size_t k = 0; k <= PARTS; k++)
        good[k] = examine_between(e, from, way, (double)k / PARTS, x) &&
                  probe_at(p, x, values + k * width);
    for (size_t k = 0; k < PARTS; k++)
        for (size_t order = 0; order < ORDERS && good[k] && good[k + 1]; order++) {
            double *copies = values + (PARTS + 1) * width;
            memcpy(copies, values + k * width, 2 * width * sizeof *copies);
            stretch s = {from,
                         way,
                         (double)k / PARTS,
                         (double)(k + 1) / PARTS,
                         copies,
                         copies + width,
                         copies + 2 * width,
                         x};
            if (!has_jump(p, order, &s))
                continue;
            if (j->count[order]++ == 0)
                memcpy(j->where + order * e->D, x, e->D * sizeof *x);
            break; /* what jumps makes its derivatives jump */
        }
}

static mst_status report_jumps(examiner *e, const jumps *j, size_t paths)
{
    static const char *const metric[ORDERS] = {
        "the metric jumps", "the metric has a kink: its first derivatives jump",
        "second derivatives of the metric, and so the curvature, jump",
        "the embedding has a kink, though the metric has none: its first derivatives jump"};
    static const char *const equation[ORDERS] = {
        "the equations jump", "the equations have a kink: their gradients jump",
        "second derivatives of the equations, and so the curvature, jump", ""};
    char text[POINT_TEXT];
    bool found = false;
    for (size_t order = 0; order < ORDERS; order++) {
        if (j->count[order] == 0)
            continue;
        found = true;
        const double *x = j->where + order * e->D;
        MST_TRY(finding_add(e, MST_FINDING_WARNING, "smoothness", x,
                            "%s at %s; between %zu pairs of points %zu such places were met",
                            (e->m->constraint != NULL ? equation : metric)[order],
                            finding_point(e, x, text), paths, j->count[order]));
    }
    return found ? MST_OK
                 : finding_add(e, MST_FINDING_OK, "smoothness", NULL,
                               "no jumps and kinks on the way between %zu pairs of points", paths);
}

/* The nearest of a few points, for equations: far chords lead off. */
static size_t partner_of(examiner *e, size_t i, double *way)
{
    size_t best = examine_index(e, e->n);
    double least = INFINITY;
    for (size_t k = 0; k < 16 && e->m->constraint != NULL; k++) {
        size_t other = examine_index(e, e->n);
        examine_way(e, e->x + i * e->D, e->x + other * e->D, way);
        double far = metric_length(e->D, way);
        if (far > 0.05 * e->size && far < least) {
            least = far;
            best = other;
        }
    }
    return best;
}

mst_status examine_kinks(examiner *e)
{
    enum { PATHS = 96, ROWS = 16 };
    probe p;
    jumps j = {0};
    double *room;
    size_t width, D = e->D;
    MST_TRY(probe_new(&p, e));
    width = probe_width(&p);
    mst_status status = mst_allocate(&room, (ROWS + 4) * width + (ORDERS + 4) * D);
    if (status == MST_OK) {
        double *way = room + (ROWS + 4) * width + D;
        j.where = way + D;
        for (size_t k = 0; k < PATHS; k++) {
            size_t a = k % 8 == 0 ? 0 : examine_index(e, e->n), b = partner_of(e, a, way);
            const double *x = e->x + a * D, *y = e->x + b * D;
            examine_way(e, x, y, way);
            if (e->m->metric == NULL || D == e->d || x[e->d] == y[e->d])
                look_along(&p, x, way, room, &j);
        }
        status = report_jumps(e, &j, PATHS);
    }
    mst_release(room);
    probe_free(&p);
    return status;
}
