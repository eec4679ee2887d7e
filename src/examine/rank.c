/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Is the metric finite and positive, and does the embedding or do the equations have full rank? Places where
 * they have not are mostly too small to be hit by random points, so the search goes downhill to them. */
#include "examine/examine.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

static size_t order_of(const examiner *e)
{
    return e->m->constraint != NULL ? e->m->constraint->count : e->d;
}

static bool gram_at(const examiner *e, const double *x, double *gram)
{
    size_t c = e->m->constraint->count, D = e->D;
    double *h;
    if (mst_allocate(&h, c + c * D) != MST_OK)
        return false;
    double *g = h + c;
    bool good = e->m->constraint->ops.constraint(e->m, 1, x, h, g) == MST_OK;
    for (size_t i = 0; good && i < c * c; i++) {
        gram[i] = 0;
        for (size_t a = 0; a < D; a++)
            gram[i] += g[i / c * D + a] * g[i % c * D + a];
    }
    mst_release(h);
    return good;
}

static bool tensor_at(const examiner *e, const double *x, double *g)
{
    metric_work w;
    bool good = metric_work_new(&w, e->m, 1, e->d) == MST_OK;
    good = good && metric_tensor(e->m, 1, x, &w, g) == MST_OK;
    metric_work_free(&w);
    return good;
}

bool examine_eigenvalues(const examiner *e, const double *x, double *values)
{
    size_t k = order_of(e);
    double *a;
    if (mst_allocate(&a, 2 * k * k) != MST_OK)
        return false;
    bool good = e->m->constraint != NULL ? gram_at(e, x, a) : tensor_at(e, x, a);
    good = good && mst_all_finite(k * k, a) &&
           mst_eigen_symmetric(1, k, a, values, a + k * k, NULL) == MST_OK;
    mst_release(a);
    return good;
}

/* ---- The metric on the points ---- */

static mst_status report_bad_points(examiner *e)
{
    char text[POINT_TEXT];
    bool equations = e->m->constraint != NULL;
    const char *what = equations ? "the gradients of the equations are not finite, or depend on "
                                   "each other,"
                       : e->undefined > 0 ? "the metric is not finite"
                                          : "the metric is not positive definite";
    return finding_add(e, MST_FINDING_ERROR, "metric", e->bad,
                       "%s at %zu of %zu points%s, e.g. %s; a 'domain' can leave them out", what,
                       e->undefined + e->indefinite, e->tried,
                       e->m->metric != NULL && e->m->metric->ops.domain != NULL ? " of the domain"
                                                                                : "",
                       finding_point(e, e->bad, text));
}

mst_status examine_metric(examiner *e)
{
    size_t k = order_of(e), low = 0, ill = 0;
    double *values, least = INFINITY, greatest = 0, worst = 0;
    char first[POINT_TEXT], second[POINT_TEXT];
    if (e->undefined + e->indefinite > 0)
        MST_TRY(report_bad_points(e));
    MST_TRY(mst_allocate(&values, k));
    for (size_t i = 0; i < e->n; i++) {
        if (!examine_eigenvalues(e, e->x + i * e->D, values))
            continue;
        double condition = values[k - 1] / values[0];
        low = values[0] < least ? i : low;
        ill = condition > worst ? i : ill;
        least = fmin(least, values[0]);
        greatest = fmax(greatest, values[k - 1]);
        worst = fmax(worst, condition);
    }
    mst_release(values);
    e->out->least_eigenvalue = least;
    e->out->greatest_eigenvalue = greatest;
    e->out->worst_condition = worst;
    if (e->m->constraint != NULL)
        return finding_add(e, MST_FINDING_OK, "metric", NULL,
                           "%zu points solve the equations; gradients from %.3g (at %s) to %.3g",
                           e->n, sqrt(least), finding_point(e, e->x + low * e->D, first),
                           sqrt(greatest));
    return finding_add(e, MST_FINDING_OK, "metric", NULL,
                       "finite and positive on %zu points: eigenvalues from %.3g (at %s) to %.3g, "
                       "condition up to %.3g (at %s)",
                       e->n, least, finding_point(e, e->x + low * e->D, first), greatest, worst,
                       finding_point(e, e->x + ill * e->D, second));
}

/* ---- Downhill to where the rank drops ---- */

/* How near to losing rank: the least eigenvalue against what is usual, 0 where the rank is lost or the metric
 * is none, INFINITY outside. */
static double fullness(const examiner *e, const double *x, double usual, double *values)
{
    if (!examine_inside(e, x))
        return INFINITY;
    if (!examine_eigenvalues(e, x, values))
        return INFINITY;
    return fmax(values[0], 0) / usual;
}

/* Where the search may look: not beyond where the points are. */
static void find_box(const examiner *e, double *low, double *high)
{
    memcpy(low, e->x, e->D * sizeof *low);
    memcpy(high, e->x, e->D * sizeof *high);
    for (size_t i = 1; i < e->n; i++)
        for (size_t k = 0; k < e->D; k++) {
            low[k] = fmin(low[k], e->x[i * e->D + k]);
            high[k] = fmax(high[k], e->x[i * e->D + k]);
        }
}

typedef struct descent {
    double *x, *trial, *way, *values, *low, *high; /* (D) each, values (k) */
    double usual, value;
} descent;

/* A random step of this size; taken if it leads down. */
static bool try_step(examiner *e, descent *s, double step)
{
    bool good = true;
    for (size_t k = 0; k < e->D; k++) {
        double scale = e->D == e->d ? s->high[k] - s->low[k] : e->size;
        s->trial[k] =
            s->x[k] + (k < e->d || e->m->constraint != NULL ? step * scale * examine_normal(e) : 0);
        good = good && s->trial[k] >= s->low[k] && s->trial[k] <= s->high[k];
    }
    if (e->m->constraint != NULL)
        good = examine_home(e, s->trial, s->trial);
    double value = good ? fullness(e, s->trial, s->usual, s->values) : INFINITY;
    if (!(value < s->value))
        return false;
    memcpy(s->x, s->trial, e->D * sizeof *s->x);
    s->value = value;
    return true;
}

static void go_down(examiner *e, descent *s)
{
    enum { TRIES = 600, PATIENCE = 6 };
    double step = 0.1;
    for (size_t k = 0, failed = 0; k < TRIES && s->value > 1e-16 && step > 1e-10; k++) {
        if (try_step(e, s, step)) {
            failed = 0;
            step *= 1.6;
        } else if (++failed >= PATIENCE) {
            failed = 0;
            step *= 0.4;
        }
    }
}

/* Is there room around, or is it the border of the domain that the search ran into? */
static bool is_interior(examiner *e, const descent *s)
{
    for (size_t k = 0; k < e->d && e->m->constraint == NULL; k++)
        for (double sign = -1; sign <= 1; sign += 2) {
            memcpy(s->trial, s->x, e->D * sizeof *s->x);
            s->trial[k] += sign * 1e-3 * (s->high[k] - s->low[k]);
            if (!examine_inside(e, s->trial))
                return false;
        }
    return true;
}

static mst_status report_rank(examiner *e, const descent *s)
{
    char text[POINT_TEXT];
    const char *what = e->m->constraint != NULL
                           ? "the gradients of the equations vanish, or depend "
                             "on each other,"
                       : e->m->metric->ops.embedded > 0 ? "the embedding loses rank"
                                                        : "the metric degenerates";
    if (s->value > 1e-12)
        return finding_add(e, MST_FINDING_OK, "rank", NULL,
                           "full, also where a search for the least eigenvalue led");
    if (!is_interior(e, s))
        return finding_add(e, MST_FINDING_NOTE, "rank", s->x,
                           "%s at the border of the domain, near %s", what,
                           finding_point(e, s->x, text));
    e->incomplete = true;
    return finding_add(e, MST_FINDING_ERROR, "rank", s->x,
                       "%s at %s inside the domain: geodesics and Brownian motion break down there",
                       what, finding_point(e, s->x, text));
}

mst_status examine_rank(examiner *e)
{
    enum { STARTS = 8 };
    size_t k = order_of(e);
    double *room, *usual, worst = INFINITY;
    MST_TRY(mst_allocate(&room, 7 * e->D + k + e->n));
    descent s = {
        room, room + e->D, room + 2 * e->D, room + 7 * e->D, room + 3 * e->D, room + 4 * e->D, 0,
        0};
    double *best = room + 5 * e->D;
    usual = s.values + k;
    find_box(e, s.low, s.high);
    s.usual = 0;
    for (size_t i = 0; i < e->n; i++) {
        usual[i] = examine_eigenvalues(e, e->x + i * e->D, s.values) ? s.values[0] : INFINITY;
        double greatest = s.values[k - 1];
        s.usual += isfinite(usual[i]) ? log(greatest) / (double)e->n : 0;
    }
    s.usual = exp(s.usual);
    for (size_t run = 0; run < STARTS && worst > 1e-12; run++) {
        size_t from = 0;
        for (size_t i = 1; i < e->n; i++)
            from = usual[i] < usual[from] ? i : from;
        memcpy(s.x, e->x + from * e->D, e->D * sizeof *s.x);
        s.value = usual[from] / s.usual;
        usual[from] = INFINITY;
        go_down(e, &s);
        if (s.value < worst) {
            worst = s.value;
            memcpy(best, s.x, e->D * sizeof *best);
        }
    }
    memcpy(s.x, best, e->D * sizeof *best);
    s.value = worst;
    mst_status status = report_rank(e, &s);
    mst_release(room);
    return status;
}
