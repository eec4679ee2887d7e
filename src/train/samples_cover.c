/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Starts all over a compact manifold that can draw none by itself: end points of long chains from the default
 * start. A chain makes geodesic jumps in random directions, which leave the uniform law as it is however long
 * they are, so there is no bias but that of the start, and jumps as long as the manifold is wide forget it
 * soon. How wide it is, is found by doubling them until coordinates and their squares no longer change. */
#include "manifold/leaving.h"
#include "train/samples_parts.h"

#include <math.h>
#include <string.h>

/* Chains; jumps in a round, of which each has twice the length of those before; and jumps after that. When
 * a round changes no mean by more than what so many chains show (some 10 %), its four jumps
 * have forgotten what they came from to that extent, and three times as many leave 1e-3 of the start. */
enum { CHAINS = 2048, JUMPS = 4, MORE = 3, ROUNDS = 24 };
/* A geodesic many times as long as the manifold is wide may turn too often to be followed. From then on there
 * are more jumps, in the place of longer ones. */
enum { SHORTER = 16, MOST_JUMPS = 4096 };

typedef struct chains {
    const mst_manifold *m;
    double *x, *back; /* (CHAINS, D) where they are, and were before the last jumps */
    size_t jumps;
    double time; /* of a jump */
    bool shorter;
    mst_noise noise;
} chains;

/* MST_DOMAIN if a chain is lost on the way. */
static mst_status jump(chains *c, size_t jumps)
{
    size_t D = c->m->ambient;
    double h[MST_LANES];
    for (size_t i = 0; i < MST_LANES; i++)
        h[i] = c->time;
    memcpy(c->back, c->x, CHAINS * D * sizeof *c->x);
    for (size_t at = 0; at < CHAINS; at += MST_LANES) {
        mst_noise own = c->noise;
        own.first_path += at;
        MST_TRY(sample_move(c->m, MST_LANES, jumps, h, own, c->x + at * D));
    }
    c->noise.first_step += jumps;
    if (mst_is_lost(CHAINS * D, c->x))
        return mst_fail(MST_DOMAIN,
                        "long paths leave the domain of %s, which is said to be compact",
                        c->m->spec);
    return MST_OK;
}

/* So many rounds; where they are too long, once, again in short jumps. */
static mst_status go_on(chains *c, size_t rounds)
{
    mst_status status = jump(c, rounds * c->jumps);
    if (status != MST_DOMAIN || c->shorter)
        return status;
    c->shorter = true;
    c->jumps *= SHORTER;
    c->time /= SHORTER;
    memcpy(c->x, c->back, CHAINS * c->m->ambient * sizeof *c->x);
    return jump(c, rounds * c->jumps);
}

/* Means and variances of what tells where chains are: columns, less the start, and their squares. */
typedef struct spot {
    double mean[2], variance[2];
} spot;

static void look(size_t D, const double *start, const double *x, spot *out)
{
    for (size_t c = 0; c < D; c++) {
        double sum[4] = {0};
        for (size_t i = 0; i < CHAINS; i++) {
            double off = x[i * D + c] - start[c], power = 1;
            for (size_t k = 0; k < 4; k++)
                sum[k] += power *= off;
        }
        for (size_t k = 0; k < 2; k++) {
            out[c].mean[k] = sum[k] / CHAINS;
            out[c].variance[k] = sum[2 * k + 1] / CHAINS - out[c].mean[k] * out[c].mean[k];
        }
    }
}

/* Differences of means in their standard errors; constants are where they are. */
static bool is_settled(size_t D, const spot *before, const spot *after)
{
    const double most = 4;
    for (size_t c = 0; c < D; c++)
        for (size_t k = 0; k < 2; k++) {
            double variance = (before[c].variance[k] + after[c].variance[k]) / CHAINS;
            double change = after[c].mean[k] - before[c].mean[k];
            if (!(change * change <= most * most * variance + 1e-24))
                return false;
        }
    return true;
}

/* *apart is a time in which paths from the points of a pool come across each other. */
static mst_status cover(chains *c, spot *spots, bool *settled, double *apart)
{
    const double overlap = 32;
    size_t D = c->m->ambient;
    double *start = c->x + CHAINS * D;
    spot *before = spots, *after = spots + D;
    mst_manifold_start(c->m, start);
    mst_repeat_point(CHAINS, D, start, c->x);
    look(D, start, c->x, before);
    *settled = false;
    for (size_t round = 0; round < ROUNDS && c->jumps <= MOST_JUMPS; round++) {
        MST_TRY(go_on(c, 1));
        look(D, start, c->x, after);
        *settled = is_settled(D, before, after);
        if (*settled)
            break;
        memcpy(before, after, D * sizeof *before);
        c->jumps *= c->shorter ? 4 : 1;
        c->time *= c->shorter ? 1 : 4;
    }
    if (*settled)
        MST_TRY(go_on(c, MORE));
    *apart = overlap * c->time * (double)c->jumps / JUMPS / CHAINS;
    return MST_OK;
}

mst_status sample_cover(const sample_plan *plan, sample_factor *f)
{
    size_t D = f->m->ambient;
    chains c = {.m = f->m, .jumps = JUMPS, .time = plan->options.t_max / 16};
    c.noise.seed = sample_seed(plan->options.seed, SAMPLE_SEED_POOL, f->index);
    spot *spots;
    bool settled = false;
    MST_TRY(mst_allocate_zero(&spots, 2 * D));
    mst_status status = mst_allocate(&f->pool, (2 * CHAINS + 1) * D);
    if (status == MST_OK) {
        c.x = f->pool;
        c.back = f->pool + (CHAINS + 1) * D;
        status = cover(&c, spots, &settled, &f->apart);
    }
    f->pooled = status == MST_OK && settled ? CHAINS : 0;
    f->uniform = f->pooled > 0;
    mst_release(spots);
    return status;
}
