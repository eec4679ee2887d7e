/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Any manifold, by its public operations: a geodesic walk X_0 … X_K forward, then one sweep backward, which
 * makes every (X_k, X_K) a sample of time j h, j = K − k. With c_k = √h ξ the increment, P the transport back
 * along the step, R the Ricci tensor and κ the decay rate of the weights,
 *
 *     λ_k = (I − ¼hR + …) c_k + μ_k,   μ_k = e^(−κh) M P λ_{k+1},
 *     target λ_k / (h G_j),  G_j = Σ_{n<j} e^(−κhn).
 *
 * M damps: it is e^(−hR/2) to second order, less (h²/16) C, because transport along a random geodesic of time
 * h is e^(h∇²/2) (1 + (h²/16) C) on the average, C_ab = Σ R_ijca R_ijcb being the squared curvature. Only the
 * Ricci tensor is known here, so we take C = 2R²/(d − 1), which is right on surfaces and
 * for constant curvature.
 *
 * The time target has the weights e^(−κr) and e^(κr) of its two integrals, whose product depends on the
 * difference of the times alone, as the sweep needs:
 *
 *     V_k = V_{k+1} + ⟨(I + ¼hR + …) c_k, μ_k⟩ + ½(|c_k|² − dh),
 *     ½ V_k / (h² (S_j + ½j (1 + ρh/6))),  S_j = Σ_{0<n<j} (j − n) e^(−κhn),  ρ the mean of R.
 *
 * The factor at c_k is the one of λ without a half of M: a pair of increments n steps
 * apart meets n − 1 transports. */
#include "base/random_kernels.h"
#include "manifold/internal.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

mst_status sample_walk_step(const mst_manifold *m, size_t n, const double *x, const double *h,
                            const double *xi, double *c, double *v, double *first, double *second,
                            double *y)
{
    size_t D = m->ambient;
    MST_TRY(mst_manifold_from_frame(m, n, x, xi, c));
    for (size_t i = 0; i < n; i++)
        for (size_t a = i * D; a < (i + 1) * D; a++)
            v[a] = c[a] *= sqrt(h[i]);
    if (!mst_manifold_is_flat(m)) {
        MST_TRY(mst_ricci_twice(m, n, x, c, first, second));
        for (size_t i = 0; i < n; i++) {
            double part = h[i] / 12;
            for (size_t a = i * D; a < (i + 1) * D; a++)
                v[a] += part * (part / 2 * second[a] - first[a]);
        }
    }
    return mst_manifold_exp(m, n, x, v, y);
}

/* n paths and what the sweep needs of their steps. */
typedef struct paths {
    const mst_manifold *m;
    size_t n, steps;
    const double *h;
    double *x;                   /* (steps + 1, n, D): the points */
    double *v;                   /* (steps, n, D): the vectors walked */
    double *damped, *grown;      /* (steps, n, D): (I ∓ ¼hR + …) c */
    double *square;              /* (steps, n): |c|² */
    double *xi, *c, *r, *r2;     /* workspace: rows */
    double *lambda, *back, *sum; /* workspace: rows of the sweep, and V (n) */
    double (*z)[MST_LANES];
    double *memory;
} paths;

static mst_status paths_new(paths *p, const mst_manifold *m, size_t most, size_t steps)
{
    size_t row = most * m->ambient, noise = sample_noise_size(m->dim);
    *p = (paths){.m = m, .steps = steps};
    MST_TRY(mst_allocate(&p->memory, noise + (4 * steps + 6) * row + most * (steps + m->dim + 1)));
    double *next = p->memory + noise;
    p->z = (double(*)[MST_LANES])p->memory;
    double **rows[] = {&p->x, &p->v,  &p->damped, &p->grown, &p->c,
                       &p->r, &p->r2, &p->lambda, &p->back};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        *rows[k] = next;
        next += row * (k == 0 ? steps + 1 : k < 4 ? steps : 1);
    }
    p->square = next;
    p->xi = next + most * steps;
    p->sum = p->xi + most * m->dim;
    return MST_OK;
}

/* From the points that stand in x; adds ⟨c, Rc⟩ and |c|² to *ricci and *size. */
static mst_status walk_forward(paths *p, uint64_t seed, uint64_t first, double *ricci, double *size)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient, row = n * D;
    for (size_t k = 0; k < p->steps; k++) {
        double *x = p->x + k * row, *damped = p->damped + k * row, *grown = p->grown + k * row;
        MST_PICK(random_kernels)->step(seed, first, k, m->dim, p->z);
        sample_noise_rows(n, m->dim, p->z, p->xi);
        MST_TRY(sample_walk_step(m, n, x, p->h, p->xi, p->c, p->v + k * row, p->r, p->r2, x + row));
        MST_TRY(mst_manifold_inner(m, n, x, p->c, p->c, p->square + k * n));
        MST_TRY(mst_manifold_inner(m, n, x, p->c, p->r, p->sum));
        for (size_t i = 0; i < n; i++) {
            double quarter = p->h[i] / 4;
            *ricci += p->sum[i];
            *size += p->square[k * n + i];
            for (size_t a = i * D; a < (i + 1) * D; a++) {
                double even = p->c[a] + quarter * quarter / 2 * p->r2[a], odd = quarter * p->r[a];
                damped[a] = even - odd;
                grown[a] = even + odd;
            }
        }
    }
    return MST_OK;
}

/* λ in place from step k + 1 to k, without the new increment: e^(−κh) M P λ. */
static mst_status carry_back(paths *p, size_t k, double kappa)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, D = m->ambient, row = n * D;
    const double *x = p->x + k * row, *v = p->v + k * row;
    MST_TRY(mst_manifold_transport(m, n, x, v, v, p->back));
    for (size_t a = 0; a < row; a++)
        p->back[a] = -p->back[a];
    MST_TRY(mst_manifold_transport(m, n, x + row, p->back, p->lambda, p->lambda));
    MST_TRY(mst_ricci_twice(m, n, x, p->lambda, p->r, p->r2));
    double curl = m->dim > 1 ? 1 / ((double)m->dim - 1) : 0;
    for (size_t i = 0; i < n; i++) {
        double half = p->h[i] / 2, decay = exp(-kappa * p->h[i]);
        for (size_t a = i * D; a < (i + 1) * D; a++)
            p->lambda[a] =
                decay * (p->lambda[a] + half * (half / 2 * (1 - curl) * p->r2[a] - p->r[a]));
    }
    return MST_OK;
}

/* What a sweep hands over at each step: λ and V of the paths, j steps before the end. */
typedef mst_status sweep_visit(void *context, const paths *p, size_t j);

static mst_status sweep_back(paths *p, double kappa, sweep_visit *visit, void *context)
{
    const mst_manifold *m = p->m;
    size_t n = p->n, row = n * m->ambient;
    memset(p->lambda, 0, row * sizeof *p->lambda);
    memset(p->sum, 0, n * sizeof *p->sum);
    for (size_t k = p->steps; k-- > 0;) {
        if (k + 1 < p->steps) {
            MST_TRY(carry_back(p, k, kappa));
            double pair[MST_LANES];
            MST_TRY(mst_manifold_inner(m, n, p->x + k * row, p->grown + k * row, p->lambda, pair));
            for (size_t i = 0; i < n; i++)
                p->sum[i] += pair[i];
        }
        for (size_t a = 0; a < row; a++)
            p->lambda[a] += p->damped[k * row + a];
        for (size_t i = 0; i < n; i++)
            p->sum[i] += 0.5 * (p->square[k * n + i] - (double)m->dim * p->h[i]);
        MST_TRY(visit(context, p, p->steps - k));
    }
    return MST_OK;
}

/* G_j and S_j of the comment above. */
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

static mst_status take(void *context, const paths *p, size_t j)
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
    paths p = {0};
    mst_status status = paths_new(&p, m, most, steps);
    if (status == MST_OK)
        status = sample_starts(job, 0, start);
    for (size_t i = 0; status == MST_OK && i < job->n; i += most) {
        p.n = job->n - i < most ? job->n - i : most;
        p.h = job->h + i;
        memcpy(p.x, start + i * m->ambient, p.n * m->ambient * sizeof *start);
        status = walk_forward(&p, seed, job->first + i, &ricci, &size);
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
static mst_status add_moment(void *context, const paths *p, size_t j)
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
static mst_status choose_kappa(paths *p, sample_factor *f)
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
    paths p = {0};
    MST_TRY(paths_new(&p, f->m, n, steps));
    p.n = n;
    p.h = h;
    sample_job job = {.plan = plan, .factor = f, .root = root, .n = n};
    mst_status status = sample_starts(&job, 0, p.x);
    if (status == MST_OK)
        status = walk_forward(&p, seed, 0, &ricci, &size);
    if (status == MST_OK) {
        f->mean_ricci = ricci / size;
        status = choose_kappa(&p, f);
    }
    mst_release(p.memory);
    return status;
}
