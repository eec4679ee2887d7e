/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Manifolds whose paths take a parallel frame along (the slot `roll`). All that is needed of a path are its
 * increments c_k and its Ricci tensors R_k in the frame, so the backward sweep is arithmetic with a few
 * numbers a step:
 *
 *     λ_k = ((I − ¼hR_k + …) c_k + e^(−κh) G_{j−1} M_k λ_{k+1})/G_j,   G_j = h Σ_{n<j} e^(−κhn),  j = K − k,
 *
 * is a target for (X_k, X_K); M_k = I − ½hR̄ + …, R̄ = ½(R_k + R_{k+1}), see
 * samples_walk.c. The time target is
 *
 *     v_k = ½ (e^(−κh) G_{j−1} <(I + ¼hR_k + …) c_k, M_k λ_{k+1}> + ½(|c_k|² − dh)/(1 + ρ_k h/6))/P_j
 *           + (P_{j−1}/P_j) v_{k+1},   P_j = Σ_{i≤j} h (e^(−κh) G_{i−1} + ½h),   ρ_k = tr R_k/d.
 *
 * A rate that follows the curvature from point to point was tried (each step takes a share
 * of what the steps before have left, which the theory allows): it gains less than 1 % on the torus and
 * nothing on ellipsoids. */
#include "manifold/leaving.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

typedef struct rolls {
    const mst_manifold *m;
    size_t d, D, R;
    mst_rolling_paths p;
    unsigned char left[MST_LANES];
    double *lambda, *time, *room; /* (d, n), (n), (3·d) */
    double *way;                  /* (d, n): the sum of the increments of the sweep so far */
    double *push;                 /* (d, n) */
    double *chain;                /* (d, d, n): what λ makes of that of the last sample */
    double *memory;
} rolls;

static mst_status rolls_new(rolls *r, const mst_manifold *m, size_t n, size_t steps)
{
    size_t d = m->dim, D = m->ambient, R = d == 2 ? 1 : d * (d + 1) / 2;
    *r = (rolls){.m = m, .d = d, .D = D, .R = R, .p = {.n = n, .steps = steps}};
    size_t columns = (steps + 1) * (D + d * D + R) + steps * d + 3 * d + 1 + d * d;
    MST_TRY(mst_allocate(&r->memory, columns * n + 3 * d));
    r->p.x = r->memory;
    r->p.frame = r->p.x + (steps + 1) * D * n;
    r->p.ricci = r->p.frame + (steps + 1) * d * D * n;
    r->p.increment = r->p.ricci + (steps + 1) * R * n;
    r->lambda = r->p.increment + steps * d * n;
    r->time = r->lambda + d * n;
    r->way = r->time + n;
    r->push = r->way + d * n;
    r->chain = r->push + d * n;
    r->room = r->chain + d * d * n;
    return MST_OK;
}

/* Paths from y (n, D). Those that leave the domain are marked, and so are those whose start has. */
static mst_status roll(rolls *r, const double *y, const double *h, mst_noise noise)
{
    size_t n = r->p.n;
    double *start = r->p.frame; /* which is not known yet */
    mst_manifold_start(r->m, start);
    for (size_t i = 0; i < n; i++) {
        const double *from = mst_is_lost(r->D, y + i * r->D) ? start : y + i * r->D;
        for (size_t c = 0; c < r->D; c++)
            r->p.x[c * n + i] = from[c];
    }
    r->p.h = h;
    r->p.noise = noise;
    r->p.left = r->left;
    MST_TRY(r->m->ops.roll(r->m, &r->p));
    for (size_t i = 0; i < n; i++)
        r->left[i] |= mst_is_lost(r->D, y + i * r->D);
    return MST_OK;
}

static double entry(const rolls *r, const double *ricci, size_t a, size_t b, size_t i)
{
    if (r->R == 1)
        return a == b ? ricci[i] : 0;
    size_t row = a > b ? a : b, column = a > b ? b : a;
    return ricci[(row * (row + 1) / 2 + column) * r->p.n + i];
}

/* tr Ric / d of path i after k steps. */
static double mean_ricci(const rolls *r, size_t k, size_t i)
{
    const double *ricci = r->p.ricci + k * r->R * r->p.n;
    double sum = 0;
    for (size_t a = 0; a < r->d; a++)
        sum += entry(r, ricci, a, a, i);
    return sum / (double)r->d;
}

/* G_{j−1}/h and P_{j−1}/h² of the sweep, and e^(−κh). */
typedef struct weights {
    double growth[MST_LANES], sum[MST_LANES], pairs[MST_LANES];
} weights;

static void weights_begin(const rolls *r, double kappa, weights *w)
{
    const double most = 600; /* e^600 is far from the largest double */
    for (size_t i = 0; i < r->p.n; i++) {
        w->growth[i] = exp(fmin(-kappa * r->p.h[i], most / (double)r->p.steps));
        w->sum[i] = w->pairs[i] = 0;
    }
}

/* The weights of a step: of its increment and of what comes after, in both targets. */
typedef struct share {
    double own, rest, pair, self, above;
} share;

static share next_share(weights *w, size_t i, double h)
{
    double before = w->growth[i] * w->sum[i], fewer = w->pairs[i];
    w->sum[i] = before + 1;
    w->pairs[i] = fewer + before + 0.5;
    return (share){.own = 1 / (h * w->sum[i]),
                   .rest = before / w->sum[i],
                   .pair = 0.5 * before / (h * w->pairs[i]),
                   .self = 0.25 / (h * h * w->pairs[i]),
                   .above = fewer / w->pairs[i]};
}

/* M is 1 − ½hK to second order on surfaces; it must not change its sign where steps are coarse. */
static double damping(double half)
{
    return half <= 0 ? 1 - half : 1 / (1 + half + half * half);
}

static void back_surface(rolls *r, size_t k, weights *w)
{
    size_t n = r->p.n;
    const double *now = r->p.ricci + k * n, *next = now + n, *b = r->p.increment + 2 * k * n;
    for (size_t i = 0; i < n; i++) {
        double h = r->p.h[i], bent = 0.25 * h * now[i],
               damped = damping(0.25 * h * (now[i] + next[i]));
        share s = next_share(w, i, h);
        double *first = r->lambda + i, *second = r->lambda + n + i;
        double one = b[i], two = b[n + i], later = damped * *first, other = damped * *second;
        double self = (one * one + two * two - 2 * h) / (1 + bent * 2 / 3);
        double even = 1 + 0.5 * bent * bent;
        r->time[i] = s.pair * (even + bent) * (one * later + two * other) + s.self * self +
                     s.above * r->time[i];
        r->chain[i] *= s.rest * damped; /* a multiple of the identity, whose first entry will do */
        *first = s.own * (even - bent) * one + s.rest * later;
        *second = s.own * (even - bent) * two + s.rest * other;
    }
}

/* v ← M v of path i. */
static void damp(const rolls *r, size_t k, size_t i, double *v)
{
    const double *now = r->p.ricci + k * r->R * r->p.n, *next = now + r->R * r->p.n;
    double h = r->p.h[i], *first = r->room, *second = r->room + r->d;
    for (size_t a = 0; a < r->d; a++) {
        first[a] = 0;
        for (size_t b = 0; b < r->d; b++)
            first[a] += 0.5 * (entry(r, now, a, b, i) + entry(r, next, a, b, i)) * v[b];
    }
    for (size_t a = 0; a < r->d; a++) {
        second[a] = 0;
        for (size_t b = 0; b < r->d; b++)
            second[a] += 0.5 * (entry(r, now, a, b, i) + entry(r, next, a, b, i)) * first[b];
    }
    double curl = 1 / ((double)r->d - 1);
    for (size_t a = 0; a < r->d; a++)
        v[a] += 0.5 * h * (0.25 * h * (1 - curl) * second[a] - first[a]);
}

static void back_path(rolls *r, size_t k, size_t i, weights *w)
{
    size_t n = r->p.n;
    double h = r->p.h[i], square = 0, pair = 0, *later = r->room + 2 * r->d;
    const double *ricci = r->p.ricci + k * r->R * n, *b = r->p.increment + k * r->d * n;
    share s = next_share(w, i, h);
    for (size_t column = 0; column < r->d; column++) {
        for (size_t a = 0; a < r->d; a++)
            later[a] = r->chain[(a * r->d + column) * n + i];
        damp(r, k, i, later);
        for (size_t a = 0; a < r->d; a++)
            r->chain[(a * r->d + column) * n + i] = s.rest * later[a];
    }
    for (size_t a = 0; a < r->d; a++)
        later[a] = r->lambda[a * n + i];
    damp(r, k, i, later);
    for (size_t a = 0; a < r->d; a++) {
        double c = b[a * n + i], bent = 0;
        for (size_t e = 0; e < r->d; e++)
            bent += 0.25 * h * entry(r, ricci, a, e, i) * b[e * n + i];
        square += c * c;
        pair += (c + bent) * later[a];
        r->lambda[a * n + i] = s.own * (c - bent) + s.rest * later[a];
    }
    double self = (square - (double)r->d * h) / (1 + mean_ricci(r, k, i) * h / 6);
    r->time[i] = s.pair * pair + s.self * self + s.above * r->time[i];
}

/* What a sweep hands over at each step: the targets of the paths, j steps before the end. */
typedef void rolls_visit(void *context, const rolls *r, size_t j);

static void sweep(rolls *r, double kappa, rolls_visit *visit, void *context)
{
    size_t n = r->p.n;
    weights w;
    weights_begin(r, kappa, &w);
    memset(r->lambda, 0, r->d * n * sizeof *r->lambda);
    memset(r->time, 0, n * sizeof *r->time);
    memset(r->way, 0, r->d * n * sizeof *r->way);
    memset(r->chain, 0, r->d * r->d * n * sizeof *r->chain);
    for (size_t j = 1; j <= r->p.steps; j++) {
        size_t k = r->p.steps - j;
        for (size_t a = 0; a < r->d * n; a++)
            r->way[a] += r->p.increment[k * r->d * n + a];
        if (r->R == 1)
            back_surface(r, k, &w);
        else
            for (size_t i = 0; i < n; i++)
                back_path(r, k, i, &w);
        visit(context, r, j);
    }
}

/* |B|² of path i. */
static double squared_way(const rolls *r, size_t i)
{
    double sum = 0;
    for (size_t a = 0; a < r->d; a++)
        sum += r->way[a * r->p.n + i] * r->way[a * r->p.n + i];
    return sum;
}

/* The chain of a sample to the one before, and the beginning of the next one. Of two samples at the same
 * point neither knows more than the other: the second one, in the order of the chain, stays without. */
static void take_chain(const rolls *r, const sample_job *job, size_t row, mst_path_event e)
{
    size_t n = r->p.n, d = r->d, i = e.path, before = (e.slot + job->slots - 1) % job->slots;
    double *out = job->chain + row * d * d;
    bool tied = job->at[before * MST_LANES + i] == job->at[e.slot * MST_LANES + i];
    double common = r->chain[i];
    for (size_t a = 0; a < d; a++)
        for (size_t b = 0; b < d; b++) {
            double *chain = r->chain + (a * d + b) * n + i;
            out[a * d + b] = tied ? 0 : r->R > 1 ? *chain : a == b ? common : 0;
            if (!tied)
                *chain = a == b;
        }
}

static void take(const rolls *r, const sample_job *job, size_t k, mst_path_event e)
{
    size_t n = r->p.n, D = r->D, row = e.slot * job->n + e.path, i = e.path;
    const double *end = r->p.x + r->p.steps * D * n, *begin = r->p.x + k * D * n,
                 *frame = r->p.frame + k * r->d * D * n;
    if (r->left[i]) {
        mst_lose(D, job->x + row * D);
        mst_lose(D, job->y + row * D);
        return;
    }
    for (size_t c = 0; c < D; c++) {
        double sum = 0;
        for (size_t a = 0; a < r->d; a++)
            sum += r->lambda[a * n + i] * frame[(a * D + c) * n + i];
        job->x[row * D + c] = end[c * n + i];
        job->y[row * D + c] = begin[c * n + i];
        job->target[row * D + c] = sum;
    }
    job->time_target[row] = r->time[i];
    if (job->chain == NULL)
        return;
    for (size_t c = 0; c < r->d * D; c++)
        job->frame[row * r->d * D + c] = frame[c * n + i];
    take_chain(r, job, row, e);
}

typedef struct taker {
    const sample_job *job;
    uint32_t *begin;
    mst_path_event *event;
    double *square; /* (slots·n): |B|² of the samples */
} taker;

static void take_all(void *context, const rolls *r, size_t j)
{
    const taker *t = context;
    for (size_t e = t->begin[j]; e < t->begin[j + 1]; e++) {
        take(r, t->job, r->p.steps - j, t->event[e]);
        t->square[t->event[e].slot * t->job->n + t->event[e].path] =
            squared_way(r, t->event[e].path);
    }
}

mst_status sample_rolling(const sample_job *job)
{
    size_t steps = job->plan->options.steps, n = job->n;
    uint64_t seed = sample_seed(job->root, SAMPLE_SEED_NOISE, job->factor->index);
    taker t = {.job = job};
    rolls r = {0};
    MST_TRY(mst_allocate(&t.begin, steps + 2));
    mst_status status = mst_allocate(&t.event, job->slots * n);
    if (status == MST_OK)
        status = mst_allocate(&t.square, job->slots * n);
    if (status == MST_OK)
        status = rolls_new(&r, job->factor->m, n, steps);
    if (status == MST_OK && job->plan->options.push > 0) {
        sample_push(job, r.push);
        r.p.push = r.push;
    }
    if (status == MST_OK)
        status = sample_starts(job, 0, job->y);
    if (status == MST_OK)
        status = roll(&r, job->y, job->h, (mst_noise){seed, job->first, 0});
    if (status == MST_OK) {
        sample_events(job, t.begin, t.event);
        sweep(&r, job->factor->kappa, take_all, &t);
        if (job->plan->options.push > 0)
            status = sample_push_weights(job, t.square);
    }
    mst_release(r.memory);
    mst_release(t.square);
    mst_release(t.event);
    mst_release(t.begin);
    return status;
}

/* ---- The pilot run ---- */

/* Σ t|w|² over paths and times: it is noise plus signal, and the signal does not depend on the weights. */
static void add_moment(void *context, const rolls *r, size_t j)
{
    double *sum = context;
    for (size_t a = 0; a < r->d; a++)
        for (size_t i = 0; i < r->p.n; i++) {
            double w = r->left[i] ? 0 : r->lambda[a * r->p.n + i];
            *sum += (double)j * r->p.h[i] * w * w;
        }
}

/* The mean curvature is the best rate if the Ricci tensor is constant, and another must beat it
 * clearly: the pilot is small. */
static void choose_kappa(rolls *r, sample_factor *f)
{
    const double margin = 0.95, choices[] = {-f->mean_ricci, 0, 2, 5, 10, 20, 50};
    double least = INFINITY;
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        double moment = 0;
        sweep(r, choices[k], add_moment, &moment);
        if (!(moment < least))
            continue;
        least = k == 0 ? margin * moment : moment;
        f->kappa = choices[k];
    }
}

/* |B|² by squared chords, by least squares over the whole paths of the pilot. */
static mst_status find_stretch(const rolls *r, sample_factor *f)
{
    size_t n = r->p.n, D = r->D, last = r->p.steps * D * n;
    double *work, product = 0, square = 0;
    MST_TRY(mst_allocate(&work, n * (2 * D + 1)));
    double *x = work, *y = x + n * D, *half = y + n * D;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < D; c++) {
            x[i * D + c] = r->p.x[last + c * n + i];
            y[i * D + c] = r->p.x[c * n + i];
        }
    mst_status status = mst_manifold_toward(r->m, n, y, x, half, NULL, NULL);
    for (size_t i = 0; status == MST_OK && i < n; i++) {
        product += 2 * half[i] * squared_way(r, i);
        square += 4 * half[i] * half[i];
    }
    f->stretch = square > 0 ? fmin(fmax(product / square, 1), 2) : 1;
    mst_release(work);
    return status;
}

mst_status sample_rolling_tune(const sample_plan *plan, sample_factor *f)
{
    enum { STEPS = 32 };
    size_t steps = plan->options.steps < STEPS ? plan->options.steps : STEPS, n = MST_LANES;
    uint64_t root = sample_seed(plan->options.seed, SAMPLE_SEED_SUB, UINT64_MAX);
    uint64_t seed = sample_seed(root, SAMPLE_SEED_NOISE, f->index);
    double h[MST_LANES], sum = 0, *y;
    for (size_t i = 0; i < n; i++)
        h[i] = plan->options.t_max / (double)steps;
    rolls r = {0};
    MST_TRY(mst_allocate(&y, n * f->m->ambient));
    sample_job job = {.plan = plan, .factor = f, .root = root, .n = n};
    mst_status status = rolls_new(&r, f->m, n, steps);
    if (status == MST_OK)
        status = sample_starts(&job, 0, y);
    if (status == MST_OK)
        status = roll(&r, y, h, (mst_noise){seed, 0, 0});
    for (size_t k = 0; status == MST_OK && k <= steps; k++)
        for (size_t i = 0; i < n; i++)
            sum += r.left[i] ? 0 : mean_ricci(&r, k, i);
    if (status == MST_OK) {
        f->mean_ricci = sum / (double)((steps + 1) * n);
        choose_kappa(&r, f);
        if (plan->options.push > 0)
            status = find_stretch(&r, f);
    }
    mst_release(r.memory);
    mst_release(y);
    return status;
}
