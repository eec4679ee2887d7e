/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Sums of log-likelihood, gradient and Hessian over the rows, in fixed blocks that are added up in order, so that the
 * result does not depend on the number of threads. */
#include "manifold/internal.h"
#include "stat/fit.h"

#include <math.h>
#include <string.h>

enum { ROWS = 256, BLOCK = 16 * ROWS };

/* Rows of one block. Slow ones are worth a thread's start for fewer. */
static size_t block_rows(const mst_score *source)
{
    return fit_is_slow(source) ? ROWS : BLOCK;
}

size_t fit_parameters(const fit_problem *p)
{
    return p->means * mst_manifold_dim(mst_score_manifold(p->source)) +
           (p->time_is_free ? p->times : 0);
}

void fit_units(const fit_problem *p, const fit_state *state, double *units)
{
    size_t d = mst_manifold_dim(mst_score_manifold(p->source));
    for (size_t k = 0; k < fit_parameters(p); k++)
        units[k] = 1;
    for (size_t g = p->groups; mst_score_gives(p->source, MST_GIVES_TIME) && g-- > 0;)
        for (size_t k = 0; k < d; k++)
            units[p->group[g].mean * d + k] = sqrt(state->time[p->group[g].time]);
}

/* Sums of one group: value, Σ w, Σ w(|s|²t + a²), gradient (d + 1: mean, log t), Hessian of the mean (d, d), outer
 * (d + 1, d + 1), each part only if it is wanted. */
typedef struct layout {
    size_t d, q; /* q = d + 1 */
    size_t gradient, hessian, outer, size;
} layout;

static layout layout_of(size_t d, bool hessian, bool outer)
{
    layout l = {.d = d, .q = d + 1, .gradient = 3};
    l.hessian = l.gradient + l.q;
    l.outer = l.hessian + (hessian ? d * d : 0);
    l.size = l.outer + (outer ? l.q * l.q : 0);
    return l;
}

typedef struct job {
    const fit_problem *p;
    const fit_group *g;
    const double *mean;
    double time;
    layout l;
    bool want_hessian, want_outer, want_value;
    double *partial; /* (blocks, l.size) */
} job;

/* Scratch of one thread for up to ROWS rows. */
typedef struct scratch {
    double *log_p, *dt, *score, *hessian, *c, *block;
} scratch;

static mst_status scratch_new(scratch *s, size_t rows, size_t d, size_t D, bool hessian)
{
    MST_TRY(mst_allocate(&s->block, rows * (2 + D + d + (hessian ? d * d : 0))));
    s->log_p = s->block;
    s->dt = s->log_p + rows;
    s->score = s->dt + rows;
    s->c = s->score + rows * D;
    s->hessian = hessian ? s->c + rows * d : NULL;
    memset(s->log_p, 0, 2 * rows * sizeof *s->log_p);
    return MST_OK;
}

static void add_rows(const job *j, const scratch *s, const double *w, size_t n, double *sum)
{
    const layout *l = &j->l;
    size_t d = l->d;
    double *gradient = sum + l->gradient, *hessian = sum + l->hessian, *outer = sum + l->outer;
    for (size_t i = 0; i < n; i++) {
        double weight = w != NULL ? w[i] : 1, a = j->time * s->dt[i], square = 0;
        if (weight == 0) /* whatever the row is, even beyond the range of doubles */
            continue;
        const double *c = s->c + i * d;
        sum[0] += weight * s->log_p[i];
        sum[1] += weight;
        for (size_t k = 0; k < d; k++) {
            gradient[k] += weight * c[k];
            square += c[k] * c[k];
        }
        gradient[d] += weight * a;
        sum[2] += weight * (square * j->time + a * a);
        for (size_t k = 0; j->want_hessian && k < d * d; k++)
            hessian[k] += weight * s->hessian[i * d * d + k];
        for (size_t u = 0; j->want_outer && u < l->q; u++)
            for (size_t v = 0; v < l->q; v++)
                outer[u * l->q + v] += weight * weight * (u < d ? c[u] : a) * (v < d ? c[v] : a);
    }
}

static mst_status run_block(void *context, size_t begin, size_t end)
{
    const job *j = context;
    const mst_manifold *m = mst_score_manifold(j->p->source);
    size_t d = j->l.d, D = mst_manifold_ambient(m);
    scratch s;
    MST_TRY(scratch_new(&s, end - begin < ROWS ? end - begin : ROWS, d, D, j->want_hessian));
    double *sum = j->partial + begin / block_rows(j->p->source) * j->l.size;
    memset(sum, 0, j->l.size * sizeof *sum);
    mst_heat_values values = {
        .log_p = mst_score_gives(j->p->source, MST_GIVES_LOG_P) && j->want_value ? s.log_p : NULL,
        .dt_log_p =
            mst_score_gives(j->p->source, MST_GIVES_TIME) && j->p->time_is_free ? s.dt : NULL,
        .score = s.score,
        .hessian = s.hessian};
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        mst_pairs pairs = {
            .n = n, .x = j->g->x + at * D, .y = j->mean, .t = &j->time, .first = j->g->first + at};
        status = mst_score_evaluate(j->p->source, &pairs, &values);
        if (status == MST_OK)
            status = mst_to_frame_at(m, n, j->mean, s.score, s.c);
        if (status == MST_OK)
            add_rows(j, &s, j->g->weights != NULL ? j->g->weights + at : NULL, n, sum);
    }
    mst_release(s.block);
    return status;
}

/* The sums of group g into sum (l.size). */
static mst_status sum_group(const fit_problem *p, const fit_group *g, const double *mean,
                            double time, layout l, bool hessian, bool outer, bool value,
                            double *sum)
{
    size_t block = block_rows(p->source), blocks = g->n / block + (g->n % block != 0);
    job j = {p, g, mean, time, l, hessian, outer, value, NULL};
    MST_TRY(mst_allocate(&j.partial, (blocks > 0 ? blocks : 1) * l.size));
    mst_status status =
        mst_parallel_blocks(g->n, block, p->threads, (mst_progress){0}, run_block, &j);
    memset(sum, 0, l.size * sizeof *sum);
    for (size_t b = 0; status == MST_OK && b < blocks; b++)
        for (size_t k = 0; k < l.size; k++)
            sum[k] += j.partial[b * l.size + k];
    mst_release(j.partial);
    return status;
}

/* Where the parameters of a group stand in the whole vector. */
static size_t place(const fit_problem *p, const fit_group *g, size_t d, size_t k)
{
    return k < d ? g->mean * d + k : p->means * d + g->time;
}

/* Step of the forward difference in log t: its truncation (the step itself) and its rounding (1e-16/step) leave the
 * Hessian seven digits, more than Newton's method and standard errors need, for one more sweep over the rows. A source
 * of less precision needs the longer step √precision, which is taken in 1/t: in flat space the gradient is linear in that,
 * and so the difference has no truncation at all. Where the range of the source ends the step goes backwards. */
static const double time_step = 1e-7;

/* The other time of the difference, and what the change of the gradient is to be divided by. */
static double time_beside(const mst_score *source, double time, double *divisor)
{
    const mst_score_info *info = mst_score_describe(source);
    double precision = info->precision;
    if (!(precision > 0)) {
        double there = time * exp(time_step);
        *divisor = time_step;
        if (fit_clamp_time(source, there) == there)
            return there;
    }
    double step = precision > 0 ? sqrt(precision) : time_step;
    bool back = time * exp(step) > info->t_largest && time / info->t_least > info->t_largest / time;
    double there = fit_clamp_time(source, time * exp(back ? -step : step));
    *divisor = 1 - time / there;
    return there;
}

/* Second derivatives that involve log t: the change of the gradient `now` (d + 1). */
static mst_status time_derivative(const fit_problem *p, const fit_group *g, const double *mean,
                                  double time, const double *now, double *cross)
{
    layout l = layout_of(mst_manifold_dim(mst_score_manifold(p->source)), false, false);
    double *sum;
    MST_TRY(mst_allocate(&sum, l.size));
    double divisor, there = time_beside(p->source, time, &divisor);
    mst_status status = sum_group(p, g, mean, there, l, false, false, false, sum);
    for (size_t k = 0; status == MST_OK && k < l.q; k++)
        cross[k] = (sum[l.gradient + k] - now[k]) / divisor;
    mst_release(sum);
    return status;
}

static mst_status add_group(const fit_problem *p, const fit_state *state, const fit_group *g,
                            fit_sums *out)
{
    const mst_manifold *m = mst_score_manifold(p->source);
    size_t d = mst_manifold_dim(m), D = mst_manifold_ambient(m), parameters = fit_parameters(p);
    bool exact = mst_score_gives(p->source, MST_GIVES_HESSIAN),
         fisher = out->hessian != NULL && !exact;
    bool outer = out->outer != NULL || fisher;
    layout l = layout_of(d, out->hessian != NULL && exact, outer);
    size_t used = p->time_is_free ? l.q : d;
    const double *mean = state->mean + g->mean * D;
    double time = mst_score_gives(p->source, MST_GIVES_TIME) ? state->time[g->time] : 1, *sum;
    MST_TRY(mst_allocate(&sum, l.size + l.q));
    double *cross = sum + l.size;
    mst_status status =
        sum_group(p, g, mean, time, l, out->hessian != NULL && exact, outer, true, sum);
    memset(cross, 0, l.q * sizeof *cross);
    if (status == MST_OK && out->hessian != NULL && exact && p->time_is_free && out->near == NULL)
        status = time_derivative(p, g, mean, time, sum + l.gradient, cross);
    if (status == MST_OK) {
        out->value += sum[0];
        out->total_weight += sum[1];
        out->score_square += sum[2];
        for (size_t k = 0; k < used; k++)
            out->gradient[place(p, g, d, k)] += sum[l.gradient + k];
        for (size_t u = 0; u < used; u++)
            for (size_t v = 0; v < used; v++) {
                size_t at = place(p, g, d, u) * parameters + place(p, g, d, v);
                if (out->outer != NULL)
                    out->outer[at] += sum[l.outer + u * l.q + v];
                if (out->hessian != NULL)
                    out->hessian[at] += fisher           ? -sum[l.outer + u * l.q + v]
                                        : u < d && v < d ? sum[l.hessian + u * d + v]
                                                         : cross[u < d ? u : v];
            }
    }
    mst_release(sum);
    return status;
}

/* Whatever involves a log time. */
static void copy_time_rows(const fit_problem *p, const double *from, double *to)
{
    size_t parameters = fit_parameters(p);
    size_t first = p->means * mst_manifold_dim(mst_score_manifold(p->source));
    for (size_t a = 0; a < parameters; a++)
        for (size_t b = 0; b < parameters; b++)
            if (a >= first || b >= first)
                to[a * parameters + b] = from[a * parameters + b];
}

mst_status fit_evaluate(const fit_problem *p, const fit_state *state, fit_sums *out)
{
    size_t parameters = fit_parameters(p);
    out->value = out->total_weight = out->score_square = 0;
    memset(out->gradient, 0, parameters * sizeof *out->gradient);
    if (out->hessian != NULL)
        memset(out->hessian, 0, parameters * parameters * sizeof *out->hessian);
    if (out->outer != NULL)
        memset(out->outer, 0, parameters * parameters * sizeof *out->outer);
    for (size_t g = 0; g < p->groups; g++)
        MST_TRY(add_group(p, state, &p->group[g], out));
    if (out->hessian != NULL && out->near != NULL && mst_score_gives(p->source, MST_GIVES_HESSIAN))
        copy_time_rows(p, out->near, out->hessian);
    return MST_OK;
}
