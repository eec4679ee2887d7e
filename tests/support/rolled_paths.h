/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths that roll a frame along, from chosen starts, and what holds of them on every manifold. */
#ifndef MST_TESTS_ROLLED_PATHS_H
#define MST_TESTS_ROLLED_PATHS_H

#include "manifold/internal.h"
#include "support/support.h"

#include <math.h>
#include <stdlib.h>

enum { ROLLED_PATHS = 11, ROLLED_STEPS = 3, ROLLED_MOST = 12 };

typedef struct rolled {
    mst_manifold *m;
    size_t d, ricci; /* numbers of the Ricci tensor; 1: it is a multiple of the metric */
    double h[ROLLED_PATHS];
    unsigned char left[ROLLED_PATHS];
    mst_rolling_paths p;
    double *x, *frame, *tensor, *increment;
} rolled;

/* Room for paths of m, which they own from now on; h and the starts x (d, ROLLED_PATHS) are to be filled. */
static void rolled_new(rolled *r, mst_manifold *m, size_t ricci, bool plain)
{
    size_t d = mst_manifold_dim(m);
    *r = (rolled){.m = m, .d = d, .ricci = ricci};
    r->x = doubles((ROLLED_STEPS + 1) * d * ROLLED_PATHS);
    r->frame = doubles((ROLLED_STEPS + 1) * d * d * ROLLED_PATHS);
    r->tensor = doubles((ROLLED_STEPS + 1) * ricci * ROLLED_PATHS);
    r->increment = doubles(ROLLED_STEPS * d * ROLLED_PATHS);
    r->p = (mst_rolling_paths){.n = ROLLED_PATHS,
                               .steps = ROLLED_STEPS,
                               .h = r->h,
                               .noise = {.seed = 5},
                               .plain = plain,
                               .x = r->x,
                               .frame = r->frame,
                               .increment = r->increment,
                               .ricci = r->tensor,
                               .left = r->left};
}

static void rolled_go(rolled *r)
{
    ck_assert_msg(r->m->ops.roll != NULL, "%s does not roll", mst_manifold_spec(r->m));
    ASSERT_OK(r->m->ops.roll(r->m, &r->p));
    for (size_t i = 0; i < ROLLED_PATHS; i++)
        ck_assert_int_eq(r->left[i], 0);
}

static void rolled_free(rolled *r)
{
    mst_manifold_free(r->m);
    free(r->x), free(r->frame), free(r->tensor), free(r->increment);
}

/* The numbers of path i. */
static void rolled_row(const double *columns, size_t count, size_t i, double *row)
{
    for (size_t k = 0; k < count; k++)
        row[k] = columns[k * ROLLED_PATHS + i];
}

/* Frames are orthonormal, and the Ricci tensor in them is that of the manifold. */
static void assert_rolled_frames(const rolled *r, double frame_error, double ricci_error)
{
    const char *name = mst_manifold_spec(r->m);
    size_t d = r->d, N = ROLLED_PATHS;
    for (size_t k = 0; k <= ROLLED_STEPS; k++)
        for (size_t i = 0; i < N; i++) {
            double x[ROLLED_MOST], e[ROLLED_MOST * ROLLED_MOST], v[ROLLED_MOST], inner;
            rolled_row(r->x + k * d * N, d, i, x);
            rolled_row(r->frame + k * d * d * N, d * d, i, e);
            for (size_t a = 0, at = 0; a < d; a++)
                for (size_t b = 0; b <= a; b++, at++) {
                    ASSERT_OK(mst_manifold_inner(r->m, 1, x, e + a * d, e + b * d, &inner));
                    assert_near(inner, a == b, frame_error, "%s: frame %zu, %zu", name, a, b);
                    ASSERT_OK(mst_manifold_ricci(r->m, 1, x, e + a * d, v));
                    ASSERT_OK(mst_manifold_inner(r->m, 1, x, v, e + b * d, &inner));
                    double got = r->ricci > 1 ? r->tensor[(k * r->ricci + at) * N + i]
                                 : a == b     ? r->tensor[k * N + i]
                                              : 0;
                    assert_near(got, inner, ricci_error * (1 + fabs(inner)), "%s: Ric %zu, %zu",
                                name, a, b);
                }
        }
}

#endif
