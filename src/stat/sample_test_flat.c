/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Comparisons where the manifold is R^d by its chart: means of groups are averages, times mean squares, and
 * all that the common fit knows of the data are sizes, sums of squares and inner products of these means. */
#include "stat/flat.h"
#include "stat/sample_test_parts.h"

#include <math.h>
#include <string.h>

typedef struct sums {
    double *size;    /* (k) rows */
    double *squares; /* (k) Σ |u − m_g|² */
    double *inner;   /* (k, k) <m_g, m_h> */
    double *share;   /* (k) of m_g in the common mean */
    double *time;    /* (k) of the common fit */
    double *best;    /* (2 k) shares and times of the best so far */
    double *mean;    /* (k, d) m_g */
    double *common;  /* (d) */
} sums;

static mst_status sums_new(sums *s, size_t k, size_t d)
{
    MST_TRY(mst_allocate_zero(&s->size, 6 * k + k * k + (k + 1) * d));
    s->squares = s->size + k;
    s->share = s->squares + k;
    s->time = s->share + k;
    s->best = s->time + k;
    s->inner = s->best + 2 * k;
    s->mean = s->inner + k * k;
    s->common = s->mean + k * d;
    return MST_OK;
}

/* The rows of the groups as `at` places the units; with `squares` of their differences from the means. */
static void add_rows(const samples *t, const size_t *at, bool squares, sums *s)
{
    const test_units *u = t->units;
    for (size_t g = 0; g < t->groups; g++)
        for (size_t p = u->group_places[g]; p < u->group_places[g + 1]; p++) {
            size_t unit = at[u->by_group[p]];
            for (size_t i = u->first[unit]; i < u->first[unit + 1]; i++) {
                const double *row = t->flat + u->row[i] * t->d;
                double *mean = s->mean + g * t->d, sum = 0;
                for (size_t a = 0; !squares && a < t->d; a++)
                    mean[a] += row[a];
                for (size_t a = 0; squares && a < t->d; a++)
                    sum += (row[a] - mean[a]) * (row[a] - mean[a]);
                s->size[g] += squares ? 0 : 1;
                s->squares[g] += sum;
            }
        }
}

static void add_up(const samples *t, const size_t *at, sums *s)
{
    size_t k = t->groups, d = t->d;
    add_rows(t, at, false, s);
    for (size_t g = 0; g < k; g++)
        for (size_t a = 0; a < d; a++)
            s->mean[g * d + a] /= s->size[g];
    add_rows(t, at, true, s);
    for (size_t g = 0; g < k; g++)
        for (size_t h = 0; h < k; h++)
            for (size_t a = 0; a < d; a++)
                s->inner[g * k + h] += s->mean[g * d + a] * s->mean[h * d + a];
}

/* log p of n rows with this sum of squares about their mean. */
static double value_of(const samples *t, double n, double squares, double time)
{
    return -n * (double)t->d / 2 * log(2 * M_PI * time) - squares / (2 * time);
}

/* Σ |u − μ|² of group g about the mean of these shares. */
static double squares_about(const samples *t, const sums *s, size_t g)
{
    size_t k = t->groups;
    double apart = s->inner[g * k + g];
    for (size_t h = 0; h < k; h++) {
        apart -= 2 * s->share[h] * s->inner[g * k + h];
        for (size_t i = 0; i < k; i++)
            apart += s->share[h] * s->share[i] * s->inner[h * k + i];
    }
    return s->squares[g] + s->size[g] * fmax(0, apart);
}

/* Times for the shares, as the hypothesis has them, and the value there. */
static double fit_times(const samples *t, sums *s)
{
    double d = (double)t->d, total = 0, value = 0;
    bool one_mean = null_means(t) == 1, one_time = null_times(t) == 1;
    for (size_t g = 0; g < t->groups; g++) {
        double squares = one_mean ? squares_about(t, s, g) : s->squares[g];
        s->time[g] = t->time_is_free ? squares / (s->size[g] * d) : t->time;
        total += squares;
    }
    for (size_t g = 0; g < t->groups; g++) {
        double squares = one_mean ? squares_about(t, s, g) : s->squares[g];
        if (t->time_is_free && one_time)
            s->time[g] = total / ((double)t->n * d);
        value += value_of(t, s->size[g], squares, s->time[g]);
    }
    return value;
}

/* The common mean weighs groups by n/t, and t depends on it: in turn, which only ever gains. */
static double climb(const samples *t, sums *s)
{
    enum { MOST = 10000 };
    double value = fit_times(t, s), before = -INFINITY;
    bool turns = null_means(t) == 1 && null_times(t) > 1 && t->time_is_free;
    for (size_t step = 0; turns && step < MOST && value - before > 1e-15 * fabs(value); step++) {
        double total = 0;
        for (size_t g = 0; g < t->groups; g++)
            total += s->share[g] = s->size[g] / s->time[g];
        for (size_t g = 0; g < t->groups; g++)
            s->share[g] /= total;
        before = value;
        value = fit_times(t, s);
    }
    return value;
}

static void try_null(const samples *t, sums *s, comparison *c)
{
    size_t k = t->groups;
    double value = climb(t, s);
    if (!(value > c->null_value))
        return;
    c->null_value = value;
    memcpy(s->best, s->share, k * sizeof *s->best);
    memcpy(s->best + k, s->time, k * sizeof *s->best);
}

static void fit_all(const samples *t, bool thorough, sums *s, comparison *c)
{
    size_t k = t->groups, starts = thorough && null_means(t) == 1 ? k + 1 : 1;
    c->separate_value = 0;
    for (size_t g = 0; g < k; g++) {
        double time = t->time_is_free ? s->squares[g] / (s->size[g] * (double)t->d) : t->time;
        c->separate[g * (t->D + 1) + t->D] = time;
        c->value[g] =
            time >= 1e-29 ? value_of(t, s->size[g], s->squares[g], time) : (double)INFINITY;
        c->separate_value += c->value[g];
    }
    for (size_t start = 0; start < starts && isfinite(c->separate_value); start++) {
        for (size_t g = 0; g < k; g++)
            s->share[g] = start == 0 ? s->size[g] / (double)t->n : g + 1 == start;
        try_null(t, s, c);
    }
}

/* ---- Without a time: squared distances alone ---- */

/* Σ_c |Σ_{i in c} u_i − m|² over the clusters of group g. */
static double cluster_squares(const samples *t, const size_t *at, size_t g, sums *s)
{
    const test_units *u = t->units;
    const double *mean = s->mean + g * t->d;
    double squares = 0;
    for (size_t p = u->group_places[g]; p < u->group_places[g + 1]; p++) {
        size_t unit = at[u->by_group[p]];
        memset(s->common, 0, t->d * sizeof *s->common);
        for (size_t i = u->first[unit]; i < u->first[unit + 1]; i++)
            for (size_t a = 0; a < t->d; a++)
                s->common[a] += t->flat[u->row[i] * t->d + a] - mean[a];
        for (size_t a = 0; a < t->d; a++)
            squares += s->common[a] * s->common[a];
    }
    memset(s->common, 0, t->d * sizeof *s->common);
    return squares;
}

/* What the rows of a group count: see samples_scale. */
static double row_scale(const samples *t, const size_t *at, size_t g, sums *s)
{
    const size_t *place = t->units->group_places + g;
    if (!t->standardised)
        return 1;
    double scatter = t->units->clusters > 0 ? cluster_squares(t, at, g, s) : s->squares[g];
    return samples_scale(t, s->size[g], place[1] - place[0], scatter);
}

static void compare_distances(const samples *t, const size_t *at, sums *s, comparison *c)
{
    double total = 0;
    size_t k = t->groups;
    for (size_t g = 0; g < k; g++) {
        s->time[g] = row_scale(t, at, g, s);
        total += s->share[g] = c->precision[g] = s->time[g] * s->size[g];
        c->separate[g * (t->D + 1) + t->D] = 1;
    }
    c->null_value = c->separate_value = 0;
    for (size_t g = 0; g < k; g++)
        s->share[g] /= total;
    for (size_t g = 0; g < k; g++) {
        c->value[g] = -0.5 * s->time[g] * s->squares[g];
        c->separate_value += c->value[g];
        c->null_value -= 0.5 * s->time[g] * squares_about(t, s, g);
    }
    memcpy(s->best, s->share, k * sizeof *s->best);
}

/* From coordinates to the states that climbs would have left. */
static mst_status place_states(const samples *t, sums *s, comparison *c)
{
    size_t k = t->groups, d = t->d, D = t->D, means = null_means(t);
    for (size_t g = 0; g < k; g++) {
        const double *mean = s->mean + g * d;
        MST_TRY(mst_manifold_chart_point(t->m, 1, t->pooled, mean, c->separate + g * (D + 1)));
        if (means > 1)
            memcpy(c->null + g * D, c->separate + g * (D + 1), D * sizeof *c->null);
        for (size_t a = 0; a < d; a++)
            s->common[a] += s->best[g] * mean[a];
        if (g < null_times(t))
            c->null[means * D + g] = s->best[k + g];
    }
    return means == 1 ? mst_manifold_chart_point(t->m, 1, t->pooled, s->common, c->null) : MST_OK;
}

mst_status samples_unroll(samples *t, double **memory)
{
    *memory = NULL;
    if (t->unequal_cells || !flat_source(t->source))
        return MST_OK;
    MST_TRY(mst_allocate(memory, t->n * t->d));
    MST_TRY(flat_coordinates(t->m, t->pooled, t->n, t->x, t->threads, *memory));
    t->flat = *memory;
    return MST_OK;
}

mst_status samples_compare_flat(const samples *t, const test_arrangement *a, bool thorough,
                                comparison *c)
{
    sums s;
    MST_TRY(sums_new(&s, t->groups, t->d));
    c->null_converged = c->separate_converged = true;
    c->null_value = -INFINITY;
    c->null_end = MST_FIT_SETTLED;
    add_up(t, a->at, &s);
    if (t->timed)
        fit_all(t, thorough, &s, c);
    else
        compare_distances(t, a->at, &s, c);
    mst_status status =
        c->values_only || isinf(c->separate_value) ? MST_OK : place_states(t, &s, c);
    mst_release(s.size);
    return status;
}
