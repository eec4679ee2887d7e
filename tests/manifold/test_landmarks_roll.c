/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Landmarks that roll, against the operations of the manifold, which go other ways: Exp by steps of its own,
 * parallel transport by the general equations of a metric, the Ricci tensor by polarisation. */
#include "base/lanes.h"
#include "manifold/internal.h"
#include "manifold/landmarks.h"
#include "support/rolled_paths.h"

#include <math.h>

static const char *const specs[] = {
    "landmarks:2x2?sigma=0.5",
    "landmarks:3x2?sigma=0.5&nugget=0.02",
    "landmarks:5x2?sigma=0.6&alpha=0.7",
    "landmarks:4x3?sigma=0.9&kernel=matern52",
};
enum {
    SPECS = sizeof specs / sizeof *specs,
    MOST = ROLLED_MOST,
    PATHS = ROLLED_PATHS,
    STEPS = ROLLED_STEPS
};

/* Crowded starts, a different one for each path. */
static void roll(rolled *r, const char *spec, double h, bool plain)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    const landmark_shape *s = &((const landmarks *)mst_manifold_data(m))->shape;
    size_t d = mst_manifold_dim(m);
    rolled_new(r, m, d * (d + 1) / 2, plain);
    dice die = {77};
    for (size_t i = 0; i < PATHS; i++) {
        r->h[i] = h * (1 + 0.1 * (double)i);
        for (size_t k = 0; k < d; k++)
            r->x[k * PATHS + i] = s->sigma * (k % s->space == 0 ? (double)(k / s->space) : 0) +
                                  0.1 * dice_normal(&die);
    }
    rolled_go(r);
}

START_TEST(frames_are_orthonormal_and_their_curvature_is_right)
{
    rolled r;
    roll(&r, specs[_i], 0.02, false);
    assert_rolled_frames(&r, 1e-9, 1e-7);
    rolled_free(&r);
}
END_TEST

/* A method of order four against the exact geodesics: errors fall with the fifth power of the length. */
START_TEST(plain_steps_are_geodesics_and_frames_parallel)
{
    double worst[2] = {0};
    for (int half = 0; half < 2; half++) {
        rolled r;
        roll(&r, specs[_i], half ? 0.0000625 : 0.00025, true);
        size_t d = r.d;
        for (size_t i = 0; i < PATHS; i++) {
            double x[MOST], y[MOST], e[MOST * MOST], to[MOST * MOST], v[MOST] = {0}, w[MOST];
            rolled_row(r.x, d, i, x);
            rolled_row(r.frame, d * d, i, e);
            rolled_row(r.frame + d * d * PATHS, d * d, i, to);
            for (size_t a = 0; a < d; a++)
                for (size_t c = 0; c < d; c++)
                    v[c] += r.increment[a * PATHS + i] * e[a * d + c];
            ASSERT_OK(mst_manifold_exp(r.m, 1, x, v, y));
            for (size_t c = 0; c < d; c++)
                worst[half] = fmax(worst[half], fabs(y[c] - r.x[(d + c) * PATHS + i]));
            for (size_t a = 0; a < d; a++) {
                ASSERT_OK(mst_manifold_transport(r.m, 1, x, v, e + a * d, w));
                for (size_t c = 0; c < d; c++)
                    worst[half] = fmax(worst[half], fabs(w[c] - to[a * d + c]));
            }
        }
        rolled_free(&r);
    }
    ck_assert_msg(worst[0] < 1e-6, "%s: off by %g", specs[_i], worst[0]);
    ck_assert_msg(worst[1] < worst[0] / 12, "%s: off by %g, then %g", specs[_i], worst[0],
                  worst[1]);
}
END_TEST

/* What happens to a path does not depend on those beside it. */
START_TEST(paths_are_alone)
{
    rolled all, one;
    roll(&all, specs[_i], 0.02, false);
    roll(&one, specs[_i], 0.02, false);
    size_t d = all.d;
    for (size_t k = 0; k < d; k++)
        one.x[k] = all.x[k * PATHS + PATHS - 1];
    double h = all.h[PATHS - 1];
    one.p.n = 1;
    one.p.h = &h;
    one.p.noise.first_path = PATHS - 1;
    ASSERT_OK(one.m->ops.roll(one.m, &one.p));
    for (size_t k = 0; k < (STEPS + 1) * d; k++)
        ck_assert_double_eq(one.x[k], all.x[k * PATHS + PATHS - 1]);
    for (size_t k = 0; k < (STEPS + 1) * all.ricci; k++)
        ck_assert_double_eq(one.tensor[k], all.tensor[k * PATHS + PATHS - 1]);
    rolled_free(&all);
    rolled_free(&one);
}
END_TEST

/* Where landmarks are on each other there is no metric, and the path says so; those beside it go on. */
START_TEST(singular_starts_are_left)
{
    rolled r;
    roll(&r, specs[0], 0.02, false);
    for (size_t c = 0; c < 2; c++)
        r.x[(2 + c) * PATHS + 4] = r.x[c * PATHS + 4];
    ASSERT_OK(r.m->ops.roll(r.m, &r.p));
    for (size_t i = 0; i < PATHS; i++)
        ck_assert_int_eq(r.left[i], i == 4);
    rolled_free(&r);
}
END_TEST

int main(void)
{
    return RUN_SUITE("landmarks_roll", 60,
                     {frames_are_orthonormal_and_their_curvature_is_right, SPECS},
                     {plain_steps_are_geodesics_and_frames_parallel, SPECS},
                     {paths_are_alone, SPECS}, {singular_starts_are_left, 0});
}
