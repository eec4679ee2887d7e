/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* On manifolds from formulas or a metric the expansion along geodesics is far better than a network at short
 * times, and on closed surfaces the sum over eigenfunctions is at long ones; both know how good they are. So
 * they answer where their validity number is below the limit, the network where it is twice the limit or
 * more, and in between both have a share, so that estimators see no jump. */
#include "score/network_beside.h"

#include "heat/kernel_parts.h"
#include "manifold/in_space.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { ROWS = 128, PAIRS = 6 };

struct network_beside {
    const mst_network *net;
    mst_score *expansion; /* or null */
    double until;         /* it is asked up to this time */
    /* Made when they are first needed, which takes a second or so. */
    pthread_mutex_t lock;
    bool sought;
    mst_score *spectral; /* or null */
    double from;         /* they are asked from this time on */
};

/* Of the one beside the network. */
static double share_of(double validity)
{
    double beyond = validity / MST_VALIDITY_LIMIT - 1;
    return isnan(beyond) ? 0 : fmin(fmax(1 - beyond, 0), 1);
}

/* Rows of `width` numbers, null if they are not wanted. A share of nothing may be of what is no number. */
static void blend(size_t n, size_t width, const double *share, const double *from, double *to)
{
    for (size_t k = 0; to != NULL && k < n * width; k++)
        if (share[k / width] > 0)
            to[k] += share[k / width] * (from[k] - to[k]);
}

/* A pair about as far apart as Brownian motion goes in a time t, number k of a few that lie about; false:
 * there is none, because the way leaves the domain. */
static bool make_pair(const mst_manifold *m, size_t k, double t, double *x, double *y, double *work)
{
    const uint64_t seed = 5;
    size_t d = mst_manifold_dim(m);
    double *c = work, *v = work + d, *z;
    mst_manifold_start(m, x);
    for (int move = 0; move < 2; move++, z = x, x = y, y = z) {
        mst_random_normals((mst_random){seed, (uint64_t)move}, k * d, d, c);
        for (size_t a = 0; a < d; a++)
            c[a] *= move == 0 ? (k > 0) : sqrt(t);
        if (mst_manifold_from_frame(m, 1, x, c, v) != MST_OK ||
            mst_manifold_exp(m, 1, x, v, y) != MST_OK || isnan(y[0]))
            return false;
    }
    return true;
}

/* Does the source have a share in one of a few pairs? */
static mst_status has_share(const mst_score *source, double t, double *work, bool *any)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = mst_manifold_ambient(m);
    *any = false;
    for (size_t k = 0; k < PAIRS && !*any; k++) {
        double v, *x = work, *y = x + D;
        if (!make_pair(m, k, t, x, y, y + D)) {
            *any = true;
            break;
        }
        mst_pairs pair = mst_pairs_rows(m, 1, x, y, &t);
        MST_TRY(mst_score_validity(source, &pair, &(mst_heat_values){0}, &v));
        *any = share_of(v) > 0;
    }
    return MST_OK;
}

/* From the time *t on, by factors, until the source has no share or the time is beyond `end`. */
static mst_status follow(const mst_score *source, double factor, double end, double *t)
{
    const mst_manifold *m = mst_score_manifold(source);
    double *work;
    bool any = true;
    mst_status status = MST_OK;
    MST_TRY(mst_allocate(&work, 3 * mst_manifold_ambient(m) + mst_manifold_dim(m)));
    while (status == MST_OK && any && (factor > 1 ? *t < end : *t > end)) {
        *t *= factor;
        status = has_share(source, *t, work, &any);
    }
    mst_release(work);
    return status;
}

/* ---- Rows ---- */

/* Some of the rows, side by side: those with times in an interval whose answer is not settled. */
typedef struct run {
    double from, until;
    unsigned char *settled; /* (rows) */
} run;

static bool belongs(const run *r, const mst_pairs *pairs, size_t row)
{
    double t = pairs->t[row * pairs->t_stride];
    return t >= r->from && t <= r->until && !r->settled[row];
}

/* From row `at` on, up to ROWS rows; *at moves to their first. */
static size_t next_run(const run *r, const mst_pairs *pairs, size_t *at)
{
    while (*at < pairs->n && !belongs(r, pairs, *at))
        ++*at;
    size_t end = *at;
    while (end < pairs->n && end - *at < ROWS && belongs(r, pairs, end))
        end++;
    return end - *at;
}

/* `given` (rows), null if it is not wanted: the shares of the source. */
static mst_status join(const mst_score *source, const run *r, const mst_pairs *pairs,
                       const mst_heat_values *out, double *given)
{
    const mst_manifold *m = mst_score_manifold(source);
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    size_t matrix = out->hessian != NULL ? d * d : 0;
    double *work;
    MST_TRY(mst_allocate(&work, ROWS * (D + 2 + matrix)));
    double *share = work + ROWS, *score = share + ROWS;
    mst_heat_values better = {
        .dt_log_p = work, .score = score, .hessian = matrix > 0 ? score + ROWS * D : NULL};
    mst_status status = MST_OK;
    for (size_t at = 0, n; status == MST_OK && (n = next_run(r, pairs, &at)) > 0; at += n) {
        mst_pairs part = mst_pairs_part(m, pairs, at, n);
        mst_heat_values values = heat_values_at(out, m, at);
        status = mst_score_validity(source, &part, &better, share);
        if (status != MST_OK)
            break;
        for (size_t i = 0; i < n; i++) {
            share[i] = share_of(share[i]);
            r->settled[at + i] = share[i] == 1;
        }
        if (given != NULL)
            memcpy(given + at, share, n * sizeof *share);
        blend(n, D, share, better.score, values.score);
        blend(n, 1, share, better.dt_log_p, values.dt_log_p);
        blend(n, d * d, share, better.hessian, values.hessian);
    }
    mst_release(work);
    return status;
}

/* ---- The object ---- */

static mst_status seek_spectral(network_beside *b)
{
    mst_status status = mst_score_spectral_new(&b->spectral, b->net->m, 0);
    if (status !=
        MST_OK) /* there are none, for whatever reason; memory may be there another time */
        return status == MST_MEMORY ? status : MST_OK;
    b->from = b->net->info.t_max;
    return follow(b->spectral, M_SQRT1_2, b->net->info.t_min, &b->from);
}

static mst_status spectral_of(network_beside *b, const mst_score **out)
{
    mst_status status = MST_OK;
    pthread_mutex_lock(&b->lock);
    if (!b->sought)
        status = seek_spectral(b);
    b->sought = status == MST_OK;
    *out = status == MST_OK ? b->spectral : NULL;
    pthread_mutex_unlock(&b->lock);
    return status;
}

/* Is one of the rows late enough for the sum over eigenfunctions to be worth its making? Where the expansion
 * is far from its end it needs no help. */
static bool has_long_times(const network_beside *b, const mst_pairs *pairs)
{
    size_t times = pairs->t_stride > 0 ? pairs->n : 1;
    for (size_t i = 0; i < times; i++)
        if (pairs->t[i] > 0.1 * b->until)
            return true;
    return false;
}

/* `given` as in `join`, of the sum over eigenfunctions and of the expansion; null if not wanted. */
static mst_status join_all(network_beside *b, const mst_pairs *pairs, const mst_heat_values *out,
                           double *given[2])
{
    const mst_score *spectral = NULL;
    run r = {.until = INFINITY};
    MST_TRY(mst_allocate_zero(&r.settled, pairs->n));
    mst_status status = has_long_times(b, pairs) ? spectral_of(b, &spectral) : MST_OK;
    r.from = b->from;
    if (status == MST_OK && spectral != NULL)
        status = join(spectral, &r, pairs, out, given[0]);
    r.from = 0;
    r.until = b->until;
    if (status == MST_OK && b->expansion != NULL)
        status = join(b->expansion, &r, pairs, out, given[1]);
    mst_release(r.settled);
    return status;
}

mst_status network_beside_join(network_beside *b, const mst_pairs *pairs,
                               const mst_heat_values *out)
{
    return join_all(b, pairs, out, (double *[2]){NULL, NULL});
}

mst_status network_beside_shares(network_beside *b, const mst_pairs *pairs, double *spectral,
                                 double *expansion)
{
    double *given[2] = {NULL, NULL};
    *spectral = *expansion = 0;
    MST_TRY(mst_allocate_zero(&given[0], 2 * pairs->n));
    given[1] = given[0] + pairs->n;
    mst_status status = join_all(b, pairs, &(mst_heat_values){0}, given);
    for (size_t i = 0; i < pairs->n; i++) {
        /* The expansion comes last and takes its share of what was there. */
        *expansion += given[1][i];
        *spectral += given[0][i] * (1 - given[1][i]);
    }
    *expansion /= (double)pairs->n;
    *spectral /= (double)pairs->n;
    mst_release(given[0]);
    return status;
}

double network_beside_cost(const network_beside *b)
{
    return b->expansion != NULL ? mst_score_describe(b->expansion)->cost : 0;
}

mst_status network_beside_new(network_beside **out, const mst_network *net)
{
    *out = NULL;
    if (net->info.plain || !(net->features->sharp || mst_has_root(net->m)))
        return MST_OK;
    MST_TRY(mst_allocate_zero(out, 1));
    network_beside *b = *out;
    b->net = net;
    pthread_mutex_init(&b->lock, NULL);
    mst_status status = mst_score_expansion_new(&b->expansion, net->m);
    if (status == MST_OK) {
        b->until = fmax(net->info.t_min, 1e-4);
        status = follow(b->expansion, M_SQRT2, net->info.t_max, &b->until);
    } else if (status == MST_UNABLE) {
        status = MST_OK;
    }
    if (status != MST_OK) {
        network_beside_free(b);
        *out = NULL;
    }
    return status;
}

void network_beside_free(network_beside *b)
{
    if (b == NULL)
        return;
    pthread_mutex_destroy(&b->lock);
    mst_score_free(b->expansion);
    mst_score_free(b->spectral);
    mst_release(b);
}
