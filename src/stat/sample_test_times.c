/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Equal times by permutation. Groups have their own means, so rows cannot change places as they came: each is
 * first moved to the mean of its group, as a tangent vector that parallel transport takes to the pooled mean.
 * The statistic compares logarithms of times in units of their own standard errors (Brown and Forsythe 1974
 * divide by such errors as well), so that tails, and errors that differ between groups, cancel to first
 * order. */
#include "base/internal.h"
#include "stat/fit.h"
#include "stat/sample_test_parts.h"

#include <math.h>
#include <string.h>

/* The tangent vectors c (n, d), in the frame at `from`, to the frame at the pooled mean. Without a logarithm
 * they keep their coordinates: the frame enters the statistic by the mean of a group only. */
static mst_status carry(const samples *t, const double *from, size_t n, double *c)
{
    size_t D = t->D, d = t->d;
    double *v;
    MST_TRY(mst_allocate(&v, 3 * D));
    mst_status status = mst_manifold_log(t->m, 1, from, t->pooled, v, NULL);
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        double *u = v + D, *carried = u + D;
        status = mst_manifold_from_frame(t->m, 1, from, c + i * d, u);
        if (status == MST_OK)
            status = mst_manifold_transport(t->m, 1, from, v, u, carried);
        if (status == MST_OK)
            status = mst_manifold_to_frame(t->m, 1, t->pooled, carried, c + i * d);
    }
    mst_release(v);
    return status == MST_MEMORY ? status : MST_OK;
}

/* Of the rows of group g, in the order of the arrangement: t times the score by the mean, which is the
 * logarithm in flat space, and t (1 + the influence on log t), there |log|²/d. */
static mst_status find_residuals(const samples *t, const comparison *c, size_t g, double *vectors,
                                 double *squares)
{
    size_t d = t->d, q = d + 1, n = c->rows[g].n;
    const double *state = c->separate + g * (t->D + 1);
    double *gradient, time = state[t->D];
    MST_TRY(mst_allocate(&gradient, n * q + q + q * q));
    double *hessian = gradient + n * q + q;
    fit_means model = fit_one_mean(t->source, &c->rows[g], true, t->threads);
    fit_sums sums = {.gradient = gradient + n * q, .hessian = hessian};
    mst_status status = fit_evaluate(&model.model, state, &sums);
    if (status == MST_OK)
        status = fit_row_gradients(&model.model, state, 0, gradient);
    double information = -hessian[q * q - 1] / (double)n;
    for (size_t i = 0; i < n && status == MST_OK; i++) {
        for (size_t a = 0; a < d; a++)
            vectors[i * d + a] = time * gradient[i * q + a];
        squares[i] = time * (1 + gradient[i * q + d] / information);
    }
    mst_release(gradient);
    return status == MST_OK ? carry(t, state, n, vectors) : status;
}

bool samples_can_move(const samples *t, const comparison *c)
{
    bool can = t->o->hypothesis == MST_EQUAL_TIMES && c->separate_converged;
    for (size_t g = 0; g < t->groups; g++) {
        double time = c->separate[g * (t->D + 1) + t->D];
        size_t units = t->units->group_places[g + 1] - t->units->group_places[g];
        can = can && time > 0 && isfinite(time) && units > 1;
    }
    return can;
}

/* log t of the rows that stand in group g, and its squared standard error; mean (d) is for work. */
static void group_time(const samples *t, const size_t *at, size_t g, double *mean, double *log_time,
                       double *error)
{
    const test_units *u = t->units;
    size_t d = t->d, begin = u->group_places[g], end = u->group_places[g + 1];
    double units = (double)(end - begin), total = 0, square = 0, apart = 0, spread = 0;
    double typical = (double)u->rows / (double)u->units;
    memset(mean, 0, d * sizeof *mean);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t p = begin; p < end; p++) {
            size_t unit = at[u->by_group[p]], rows = u->first[unit + 1] - u->first[unit];
            double weight = t->unequal_cells ? typical / (double)rows : 1, sum = 0;
            for (size_t i = u->first[unit]; i < u->first[unit + 1]; i++) {
                const double *row = t->moved + u->row[i] * (d + 1);
                double about = row[d];
                for (size_t a = 0; pass == 0 && a < d; a++)
                    mean[a] += weight * row[a];
                for (size_t a = 0; pass == 1 && a < d; a++)
                    about -= 2 * row[a] * mean[a] / (double)d;
                sum += weight * (pass == 0 ? about : about + apart - square);
                total += pass == 0 ? weight : 0;
            }
            if (pass == 0)
                square += sum;
            else
                spread += sum * sum;
        }
        for (size_t a = 0; pass == 0 && a < d; a++) {
            mean[a] /= total;
            apart += mean[a] * mean[a] / (double)d;
        }
        if (pass == 0)
            square = square / total - apart; /* the mean of squares about the group's mean */
    }
    double scale = units / (units - 1);
    *log_time = square > 0 ? log(scale * square) : NAN;
    *error = scale * spread / (total * total * square * square);
}

/* Σ_g (log t_g − their mean)²/s_g², the mean weighted by 1/s_g². */
mst_status samples_times_apart(const samples *t, const size_t *at, double *out)
{
    double *work, total = 0, mean = 0;
    MST_TRY(mst_allocate(&work, 2 * t->groups + t->d));
    double *time = work, *error = work + t->groups;
    for (size_t g = 0; g < t->groups; g++) {
        group_time(t, at, g, work + 2 * t->groups, &time[g], &error[g]);
        total += 1 / error[g];
        mean += time[g] / error[g];
    }
    *out = 0;
    for (size_t g = 0; g < t->groups; g++)
        *out += (time[g] - mean / total) * (time[g] - mean / total) / error[g];
    if (!isfinite(*out))
        *out = INFINITY;
    mst_release(work);
    return MST_OK;
}

/* Rows have lost 1/units of their scatter to the mean of their own group. */
static void widen(const samples *t, double *moved)
{
    const test_units *u = t->units;
    size_t d = t->d;
    for (size_t k = 0; k < u->units; k++) {
        size_t g = u->group[k];
        double units = (double)(u->group_places[g + 1] - u->group_places[g]);
        for (size_t i = u->first[k]; i < u->first[k + 1]; i++) {
            double *row = moved + u->row[i] * (d + 1);
            for (size_t a = 0; a < d; a++)
                row[a] *= sqrt(units / (units - 1));
            row[d] *= units / (units - 1);
        }
    }
}

mst_status samples_move(samples *t, const test_arrangement *a, const comparison *c, double **memory)
{
    const test_units *u = t->units;
    size_t d = t->d;
    MST_TRY(mst_allocate(memory, t->n * (2 * d + 2)));
    double *vectors = *memory + t->n * (d + 1), *squares = vectors + t->n * d;
    for (size_t g = 0; g < t->groups; g++) {
        MST_TRY(find_residuals(t, c, g, vectors, squares));
        size_t k = 0;
        for (size_t p = u->group_places[g]; p < u->group_places[g + 1]; p++)
            for (size_t i = u->first[u->by_group[p]]; i < u->first[u->by_group[p] + 1]; i++, k++) {
                double *out = *memory + u->row[i] * (d + 1);
                memcpy(out, vectors + k * d, d * sizeof *out);
                out[d] = squares[k];
            }
    }
    t->moved = *memory;
    MST_TRY(samples_times_apart(t, a->at, &t->observed));
    widen(t, *memory);
    return MST_OK;
}
