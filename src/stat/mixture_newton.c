/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's method for the log-likelihood of a mixture, where EM creeps: its Hessian is known from the
 * components' own (Louis 1982). Each component has u = d + 2 parameters: its centre in units of √t in the
 * frame there, log t and the logarithm of its share, up to a constant of all. Steps are those of a trust
 * region and are taken back unless they raise the log-likelihood. */
#include "base/linalg.h"
#include "heat/radial_table.h"
#include "manifold/internal.h"
#include "stat/fit_sums.h"
#include "stat/mixture_parts.h"

#include <math.h>
#include <string.h>

enum { ROWS = FIT_ROWS, BLOCK = 16 * ROWS };
/* With more parameters a matrix costs more than the steps that it saves. */
enum { MOST_PARAMETERS = 200 };

typedef struct newton {
    const mixture_em *e;
    size_t u, q;
    double *partial;            /* a block's gradient (q) and Hessian (q, q), one after another */
    double *values, *step;      /* (q) */
    double *gradient, *vectors; /* (q), (q, q) */
    double *memory;
} newton;

bool mixture_can_newton(const mixture_em *e)
{
    return e->k > 1 && e->k * (e->d + 2) <= MOST_PARAMETERS &&
           mst_score_gives(e->source, MST_GIVES_HESSIAN) && fit_given_time(e->source, 0) == 0 &&
           mixture_is_regular(e);
}

/* Of some rows and one component: scores in the frame, derivatives by t, Hessians; the first two beside as
 * well, at another time. */
typedef struct derivatives {
    double *score, *c, *dt, *hessian; /* (ROWS, D), (ROWS, d), (ROWS), (ROWS, d, d) */
    double *beside_c, *beside_dt;
    double *all;  /* (ROWS, q): of all components */
    double *sums; /* (2 (d + 1) + d² + (d + 1)²), of tables */
    double *memory;
} derivatives;

static mst_status derivatives_new(const newton *w, derivatives *f)
{
    size_t d = w->e->d, D = w->e->D + 1, width = d + 1; /* the scores have room for gradients */
    MST_TRY(mst_allocate(&f->memory, ROWS * (D + 2 * d + 2 + d * d + w->q) + 2 * width + d * d +
                                         width * width));
    f->score = f->memory;
    f->c = f->score + ROWS * D;
    f->beside_c = f->c + ROWS * d;
    f->dt = f->beside_c + ROWS * d;
    f->beside_dt = f->dt + ROWS;
    f->hessian = f->beside_dt + ROWS;
    f->all = f->hessian + ROWS * d * d;
    f->sums = f->all + ROWS * w->q;
    return MST_OK;
}

/* What component j of row i adds: w r (H + g gᵀ) on its own block of the Hessian; g r goes into `all`. */
static void add_own(const newton *w, size_t row, size_t i, size_t j, double divisor,
                    const derivatives *f, double *hessian)
{
    const mixture_em *e = w->e;
    size_t d = e->d, u = w->u, q = w->q;
    double t = e->times[j], unit = sqrt(t), r = e->responsibilities[row * e->k + j];
    double *g = f->all + i * q + j * u;
    for (size_t a = 0; a < d; a++)
        g[a] = unit * f->c[i * d + a];
    g[d] = t * f->dt[i];
    g[d + 1] = 1;
    double weight = mixture_weight(e, row) * r, *own = hessian + j * u * q + j * u;
    for (size_t a = 0; a < u; a++)
        for (size_t b = 0; b < u; b++)
            own[a * q + b] += weight * g[a] * g[b];
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++)
            own[a * q + b] += weight * t * f->hessian[(i * d + a) * d + b];
    for (size_t a = 0; a <= d; a++) {
        double change = a < d ? unit * (f->beside_c[i * d + a] - f->c[i * d + a])
                              : f->beside_dt[i] - t * f->dt[i];
        own[a * q + d] += weight * change / divisor;
        if (a < d)
            own[d * q + a] += weight * change / divisor;
    }
    for (size_t a = 0; a < u; a++)
        g[a] *= r;
}

/* The same of all rows of a block from a table; f->score takes gradients by (y, log t). */
static mst_status add_tabled(const newton *w, size_t at, size_t n, size_t j, const derivatives *f,
                             double *hessian)
{
    const mixture_em *e = w->e;
    size_t d = e->d, u = w->u, q = w->q, width = d + 1;
    const double *x = e->x + at * e->D;
    double t = e->times[j], unit = sqrt(t);
    double weights[ROWS], log_p = 0, square = 0, mass = 0, *own = hessian + j * u * q + j * u;
    double *gradient = f->sums, *cross = gradient + width, *by_y = cross + width,
           *outer = by_y + d * d;
    for (size_t i = 0; i < n; i++)
        mass += weights[i] = mixture_weight(e, at + i) * e->responsibilities[(at + i) * e->k + j];
    memset(gradient, 0, (2 * width + d * d + width * width) * sizeof *gradient);
    MST_TRY(radial_tables_add(e->tables[j], n, x, weights,
                              &(radial_sums){&log_p, &square, gradient, by_y, outer, cross}));
    MST_TRY(radial_tables_rows(e->tables[j], n, x, NULL, f->score));
    for (size_t a = 0; a < width; a++) {
        double scale = a < d ? unit : 1;
        for (size_t b = 0; b < width; b++)
            own[a * q + b] += scale * (b < d ? unit : 1) * outer[a * width + b];
        for (size_t b = 0; a < d && b < d; b++)
            own[a * q + b] += t * by_y[a * d + b];
        own[a * q + d] += scale * cross[a];
        own[d * q + a] += a < d ? scale * cross[a] : 0;
        own[a * q + u - 1] += scale * gradient[a];
        own[(u - 1) * q + a] += scale * gradient[a];
    }
    own[(u - 1) * q + u - 1] += mass;
    for (size_t i = 0; i < n; i++) {
        double *g = f->all + i * q + j * u, r = e->responsibilities[(at + i) * e->k + j];
        for (size_t a = 0; a < width; a++)
            g[a] = r * (a < d ? unit : 1) * f->score[i * width + a];
        g[u - 1] = r;
    }
    return MST_OK;
}

static mst_status differentiate(const newton *w, size_t at, size_t n, size_t j,
                                const derivatives *f, double *hessian)
{
    const mixture_em *e = w->e;
    if (e->tables[j] != NULL)
        return add_tabled(w, at, n, j, f, hessian);
    const mst_manifold *m = mst_score_manifold(e->source);
    const double *y = e->centres + j * e->D;
    double divisor, beside = fit_time_beside(e->source, e->times[j], &divisor);
    mst_pairs pairs = {.n = n, .x = e->x + at * e->D, .y = y, .t = &e->times[j], .first = at};
    MST_TRY(mst_score_evaluate(
        e->source, &pairs,
        &(mst_heat_values){.dt_log_p = f->dt, .score = f->score, .hessian = f->hessian}));
    MST_TRY(mst_to_frame_at(m, n, y, f->score, f->c));
    pairs.t = &beside;
    MST_TRY(mst_score_evaluate(e->source, &pairs,
                               &(mst_heat_values){.dt_log_p = f->beside_dt, .score = f->score}));
    MST_TRY(mst_to_frame_at(m, n, y, f->score, f->beside_c));
    for (size_t i = 0; i < n; i++) {
        f->beside_dt[i] *= beside;
        add_own(w, at + i, i, j, divisor, f, hessian);
    }
    return MST_OK;
}

static mst_status sum_block(void *context, size_t begin, size_t end)
{
    const newton *w = context;
    size_t q = w->q;
    double *gradient = w->partial + begin / BLOCK * (q + q * q), *hessian = gradient + q;
    derivatives f;
    MST_TRY(derivatives_new(w, &f));
    memset(gradient, 0, (q + q * q) * sizeof *gradient);
    mst_status status = MST_OK;
    for (size_t at = begin; status == MST_OK && at < end; at += ROWS) {
        size_t n = end - at < ROWS ? end - at : ROWS;
        for (size_t j = 0; status == MST_OK && j < w->e->k; j++)
            status = differentiate(w, at, n, j, &f, hessian);
        for (size_t i = 0; status == MST_OK && i < n; i++) {
            const double *g = f.all + i * q;
            double weight = mixture_weight(w->e, at + i);
            for (size_t a = 0; a < q; a++) {
                gradient[a] += weight * g[a];
                for (size_t b = 0; b < q; b++)
                    hessian[a * q + b] -= weight * g[a] * g[b];
            }
        }
    }
    mst_release(f.memory);
    return status;
}

/* The shares add up to 1: −W log Σ e^α for their logarithms α. */
static void normalise_shares(const newton *w)
{
    const mixture_em *e = w->e;
    size_t u = w->u, q = w->q;
    for (size_t j = 0; j < e->k; j++) {
        size_t a = j * u + u - 1;
        w->gradient[a] -= e->total * e->shares[j];
        for (size_t l = 0; l < e->k; l++)
            w->vectors[a * q + l * u + u - 1] -=
                e->total * e->shares[j] * ((j == l ? 1 : 0) - e->shares[l]);
    }
}

static mst_status sum_all(newton *w)
{
    const mixture_em *e = w->e;
    size_t q = w->q, size = q + q * q;
    MST_TRY(mst_parallel_blocks(e->n, BLOCK, e->threads, (mst_progress){0}, sum_block, w));
    memset(w->gradient, 0, size * sizeof *w->gradient);
    for (size_t b = 0; b * BLOCK < e->n; b++)
        for (size_t a = 0; a < size; a++)
            w->gradient[a] += w->partial[b * size + a];
    normalise_shares(w);
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < a; b++)
            w->vectors[a * q + b] = w->vectors[b * q + a] =
                0.5 * (w->vectors[a * q + b] + w->vectors[b * q + a]);
    return mst_eigen_symmetric(1, q, w->vectors, w->values, w->vectors, NULL);
}

/* The step (H − μ)⁻¹ with the sign of an ascent; gives its length. */
static double shifted_step(const newton *w, double shift)
{
    double square = 0;
    memset(w->step, 0, w->q * sizeof *w->step);
    for (size_t k = 0; k < w->q; k++) {
        const double *v = w->vectors + k * w->q;
        double along = 0;
        for (size_t a = 0; a < w->q; a++)
            along += v[a] * w->gradient[a];
        along /= shift - w->values[k];
        square += along * along;
        for (size_t a = 0; a < w->q; a++)
            w->step[a] += along * v[a];
    }
    return sqrt(square);
}

/* The best step of a parabola no longer than `radius` (Moré and Sorensen 1983). */
static void choose_step(const newton *w, double radius)
{
    double largest = fmax(fabs(w->values[0]), fabs(w->values[w->q - 1]));
    double least = fmax(0, w->values[w->q - 1]) + 1e-10 * largest, above = least;
    if (shifted_step(w, least) <= radius)
        return;
    for (above = 2 * least; shifted_step(w, above) > radius; above *= 4)
        least = above;
    for (int k = 0; k < 12; k++) {
        double middle = sqrt(least * above);
        *(shifted_step(w, middle) > radius ? &least : &above) = middle;
    }
    shifted_step(w, above);
}

static mst_status newton_new(newton *w, const mixture_em *e)
{
    size_t u = e->d + 2, q = e->k * u, size = q + q * q;
    *w = (newton){.e = e, .u = u, .q = q};
    MST_TRY(mst_allocate(&w->memory, (e->n / BLOCK + 2) * size + 2 * q));
    w->gradient = w->memory;
    w->vectors = w->gradient + q;
    w->values = w->gradient + size;
    w->step = w->values + q;
    w->partial = w->step + q;
    return MST_OK;
}

static mst_status try_steps(mixture_em *e, const newton *w)
{
    const double widest = 2, narrowest = 1e-3;
    mixture_keep(e);
    for (; e->radius > narrowest; e->radius /= 4) {
        choose_step(w, e->radius);
        mst_status status = mixture_move(e, e->kept, w->step);
        if (status == MST_OK)
            status = mixture_expect(e);
        if (status == MST_MEMORY || status == MST_INTERRUPTED)
            return status;
        if (status == MST_OK && e->log_likelihood >= e->kept_log_likelihood) {
            e->radius = fmin(widest, 2 * e->radius);
            return MST_OK;
        }
        mixture_return(e);
    }
    e->radius = 0.1;
    return MST_OK;
}

mst_status mixture_newton(mixture_em *e)
{
    newton w;
    MST_TRY(newton_new(&w, e));
    mst_status status = mixture_make_tables(e);
    if (status == MST_OK)
        status = sum_all(&w);
    mixture_drop_tables(e);
    if (status == MST_OK)
        status = try_steps(e, &w);
    else if (status != MST_MEMORY && status != MST_INTERRUPTED)
        status = MST_OK; /* EM goes on where second derivatives are not known */
    mst_release(w.memory);
    return status;
}
