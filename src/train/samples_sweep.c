/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths forward, then one sweep backward, which makes every (X_k, X_K) a sample of time j h, j = K − k: see
 * samples_sweep.h. A small pilot run chooses the decay rate of the weights. */
#include "train/samples_sweep.h"

#include "manifold/leaving.h"

#include <math.h>
#include <string.h>

static mst_status paths_new(sweep_paths *p, const mst_manifold *m, size_t most, size_t steps)
{
    size_t row = most * m->ambient, noise = sample_noise_size(m->dim);
    *p = (sweep_paths){
        .ops = m->ops.step != NULL ? &sweep_steps : &sweep_walk, .m = m, .steps = steps};
    MST_TRY(mst_allocate(&p->memory, noise + (4 * steps + 6) * row + most * (steps + m->dim + 1)));
    double *next = p->memory + noise;
    p->z = (double(*)[MST_LANES])p->memory;
    double **rows[] = {&p->x, &p->walked, &p->own,    &p->partner, &p->c,
                       &p->r, &p->r2,     &p->lambda, &p->back};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = next;
        next += row * (k == 0 ? steps + 1 : k < 4 ? steps : 1);
    }
    p->square = next;
    p->xi = next + most * steps;
    p->sum = p->xi + most * m->dim;
    return MST_OK;
}

/* Point k of the paths: where there is none the path is lost, and rests at the start. */
static void lose_at(sweep_paths *p, size_t k)
{
    size_t D = p->m->ambient;
    for (size_t i = 0; i < p->n; i++) {
        double *x = p->x + (k * p->n + i) * D;
        p->lost[i] = p->lost[i] || mst_is_lost(D, x);
        if (p->lost[i])
            mst_manifold_start(p->m, x);
    }
}

void sweep_lose(sweep_paths *p, size_t k)
{
    lose_at(p, k + 1);
}

/* The whole paths forward; what the sweep reads of lost ones is that they rested all the time. */
static mst_status go_forward(sweep_paths *p, uint64_t seed, uint64_t first, double *ricci,
                             double *size)
{
    size_t D = p->m->ambient, row = p->n * D;
    memset(p->lost, 0, sizeof p->lost);
    lose_at(p, 0);
    MST_TRY(p->ops->forward(p, seed, first, ricci, size));
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; p->lost[i] && k < p->steps; k++) {
            size_t at = k * row + i * D, bytes = D * sizeof *p->own;
            mst_manifold_start(p->m, p->x + at);
            memset(p->own + at, 0, bytes);
            memset(p->partner + at, 0, bytes);
            p->square[k * p->n + i] = 0;
            p->ops->rest(p, k, i);
        }
    return MST_OK;
}

/* What a sweep hands over at each step: λ and V of the paths, j steps before the end. */
typedef mst_status sweep_visit(void *context, const sweep_paths *p, size_t j);

static mst_status sweep_back(sweep_paths *p, double kappa, sweep_visit *visit, void *context)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, row = n * m->ambient;
    memset(p->lambda, 0, row * sizeof *p->lambda);
    memset(p->sum, 0, n * sizeof *p->sum);
    for (size_t k = p->steps; k-- > 0;) {
        if (k + 1 < p->steps) {
            double pair[MST_LANES];
            MST_TRY(p->ops->back(p, k, kappa, pair));
            for (size_t i = 0; i < n; i++)
                p->sum[i] += pair[i];
        }
        for (size_t a = 0; a < row; a++)
            p->lambda[a] += p->own[k * row + a];
        for (size_t i = 0; i < n; i++)
            p->sum[i] += 0.5 * (p->square[k * n + i] - (double)m->dim * p->h[i]);
        MST_TRY(visit(context, p, p->steps - k));
    }
    return MST_OK;
}

/* G_j = Σ_{n<j} e^(−κhn) and S_j = Σ_{0<n<j} (j − n) e^(−κhn). */
static void normalisers(double kappa, double h, size_t j, double *single, double *pairs)
{
    double decay = exp(-kappa * h);
    *single = *pairs = 0;
    for (size_t n = 0; n < j; n++) {
        *pairs += decay * *single;
        *single = decay * *single + 1;
    }
}

/* Paths offset … offset + n − 1 of the job. */
typedef struct part {
    const sample_job *job;
    size_t offset;
} part;

static mst_status take(void *context, const sweep_paths *p, size_t j)
{
    const part *at = context;
    const sample_job *job = at->job;
    const sample_factor *f = job->factor;
    size_t D = p->m->ambient;
    const double *end = p->x + p->steps * p->n * D, *begin = p->x + (p->steps - j) * p->n * D;
    for (size_t s = 0; s < job->slots; s++)
        for (size_t i = 0; i < p->n; i++) {
            if (job->at[s * MST_LANES + at->offset + i] != j)
                continue;
            size_t row = s * job->n + at->offset + i;
            if (p->lost[i]) {
                mst_lose(D, job->x + row * D);
                mst_lose(D, job->y + row * D);
                continue;
            }
            double single, pairs, h = p->h[i];
            normalisers(f->kappa, h, j, &single, &pairs);
            memcpy(job->x + row * D, end + i * D, D * sizeof *end);
            memcpy(job->y + row * D, begin + i * D, D * sizeof *begin);
            for (size_t a = 0; a < D; a++)
                job->target[row * D + a] = p->lambda[i * D + a] / (h * single);
            double self = 0.5 * (double)j * (1 + f->mean_ricci * h / 6);
            job->time_target[row] = 0.5 * p->sum[i] / (h * h * (pairs + self));
        }
    return MST_OK;
}

/* Fewer paths at a time where their points are large; a power of two. */
static size_t paths_at_once(size_t steps, size_t D)
{
    size_t n = MST_LANES;
    while (n > 4 && n * steps * D > (size_t)1 << 20)
        n /= 2;
    return n;
}

mst_status sample_sweep(const sample_job *job)
{
    const mst_manifold *m = job->factor->m;
    size_t steps = job->plan->options.steps, most = paths_at_once(steps, m->ambient);
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index);
    double *start, ricci = 0, size = 0;
    MST_TRY(mst_allocate(&start, job->n * m->ambient));
    sweep_paths p = {0};
    mst_status status = paths_new(&p, m, most, steps);
    if (status == MST_OK)
        status = sample_starts(job, 0, start);
    for (size_t i = 0; status == MST_OK && i < job->n; i += most) {
        p.n = job->n - i < most ? job->n - i : most;
        p.h = job->h + i;
        memcpy(p.x, start + i * m->ambient, p.n * m->ambient * sizeof *start);
        status = go_forward(&p, seed, job->first + i, &ricci, &size);
        if (status == MST_OK)
            status = sweep_back(&p, job->factor->kappa, take, &(part){job, i});
    }
    mst_release(p.memory);
    mst_release(start);
    return status;
}

/* ---- The pilot run ---- */

typedef struct pilot {
    double kappa, moment;
} pilot;

/* E[t|w|²], summed over paths and times: it is noise plus signal, and the signal does not depend on κ. */
static mst_status add_moment(void *context, const sweep_paths *p, size_t j)
{
    pilot *s = context;
    double square[MST_LANES], single, pairs;
    const double *x = p->x + (p->steps - j) * p->n * p->m->ambient;
    MST_TRY(mst_manifold_inner(p->m, p->n, x, p->lambda, p->lambda, square));
    for (size_t i = 0; i < p->n; i++) {
        normalisers(s->kappa, p->h[i], j, &single, &pairs);
        s->moment += (double)j * square[i] / (p->h[i] * single * single);
    }
    return MST_OK;
}

/* The mean Ricci curvature is the best rate if the Ricci tensor is constant, and another must beat it
 * clearly: the pilot is small. */
static mst_status choose_kappa(sweep_paths *p, sample_factor *f)
{
    const double margin = 0.95, choices[] = {-f->mean_ricci, 0, 2, 5, 10, 20, 50};
    double least = INFINITY;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        pilot s = {choices[k], 0};
        MST_TRY(sweep_back(p, s.kappa, add_moment, &s));
        if (s.moment < least) {
            least = k == 0 ? margin * s.moment : s.moment;
            f->kappa = s.kappa;
        }
    }
    return MST_OK;
}

mst_status sample_sweep_tune(const sample_plan *plan, sample_factor *f)
{
    enum { STEPS = 32 };
    size_t steps = plan->options.steps < STEPS ? plan->options.steps : STEPS;
    size_t n = paths_at_once(steps, f->m->ambient);
    uint64_t root = sample_seed(plan->options.seed, SAMPLE_SEED_SUB, UINT64_MAX);
    uint64_t seed = sample_seed(root, SAMPLE_SEED_NOISE, f->index);
    double h[MST_LANES], ricci = 0, size = 0;
    for (size_t i = 0; i < MST_LANES; i++)
        h[i] = plan->options.t_max / (double)steps;
    sweep_paths p = {0};
    MST_TRY(paths_new(&p, f->m, n, steps));
    p.n = n;
    p.h = h;
    sample_job job = {.plan = plan, .factor = f, .root = root, .n = n};
    mst_status status = sample_starts(&job, 0, p.x);
    if (status == MST_OK)
        status = go_forward(&p, seed, 0, &ricci, &size);
    if (status == MST_OK) {
        f->mean_ricci = size > 0 ? ricci / size : 0;
        status = choose_kappa(&p, f);
    }
    mst_release(p.memory);
    return status;
}
