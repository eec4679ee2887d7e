/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Paths of learned manifolds that take a frame along, against the operations of the manifold, which go other
 * ways: Exp by steps of its own, parallel transport by the momenta, walks by geodesic steps. */
#include "io/tensors.h"
#include "manifold/fallback.h"
#include "manifold/metric.h"
#include "ring.h"
#include "support/rolled_paths.h"
#include "support/scratch.h"

#include <string.h>

enum { SUBJECTS = 4, MOST = 3, PATHS = ROLLED_PATHS, STEPS = ROLLED_STEPS };

static const char *const names[SUBJECTS] = {"ring", "wide ring", "helix", "decoder"};

static void setup(void)
{
    scratch_open();
}

static void teardown(void)
{
    scratch_close();
}

/* Three latent coordinates: the ring, wound up. */
static mst_manifold *helix(void)
{
    ring r;
    double latent[RING * 3];
    mst_manifold *m;
    mst_gp_options o = mst_gp_options_default();
    o.variance = 0.5;
    o.length_scale = 0.4;
    o.noise = 1e-4;
    ring_make(&r);
    for (size_t i = 0; i < RING; i++) {
        latent[3 * i] = r.latent[2 * i];
        latent[3 * i + 1] = r.latent[2 * i + 1];
        latent[3 * i + 2] = 0.02 * (double)i;
    }
    ASSERT_OK(mst_gp_learn(&m, "helix.gp", RING, 3, latent, WIDE, r.data, &o));
    return m;
}

/* 2-6-5, tanh between. */
static mst_manifold *decoder(void)
{
    float first[12], second[30], zero[6] = {0};
    dice die = {4};
    mst_manifold *m;
    mst_decoder_options o = mst_decoder_options_default();
    for (size_t i = 0; i < 12; i++)
        first[i] = (float)dice_normal(&die);
    for (size_t i = 0; i < 30; i++)
        second[i] = (float)dice_normal(&die);
    const tensor list[] = {{"0.weight", TENSOR_F32, 2, {6, 2}, first},
                           {"0.bias", TENSOR_F32, 1, {6}, zero},
                           {"1.weight", TENSOR_F32, 2, {5, 6}, second},
                           {"1.bias", TENSOR_F32, 1, {5}, zero}};
    tensor_text text[] = {{"activation", "tanh"}};
    const char *path = scratch("weights.safetensors");
    ASSERT_OK(tensors_write(path, true, 4, list, 1, text));
    ASSERT_OK(mst_decoder_learn(&m, "small.decoder", path, &o));
    return m;
}

static mst_manifold *make(int which)
{
    return which == 0   ? ring_learn(0.3, 0.25, 1e-4)
           : which == 1 ? ring_learn(2, 0.6, 1e-2)
           : which == 2 ? helix()
                        : decoder();
}

static void draw(dice *die, size_t d, double *x)
{
    double angle = dice_uniform(die, -M_PI, M_PI), r = dice_uniform(die, 0.6, 1.2);
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    for (size_t k = 2; k < d; k++)
        x[k] = dice_uniform(die, 0, 1);
}

/* ---- Derivatives in all directions, against those along one vector ---- */

START_TEST(derivatives_are_those_along_vectors)
{
    mst_manifold *m = make(_i);
    const mst_metric_ops *ops = &m->metric->ops;
    size_t d = mst_manifold_dim(m), square = d * d;
    dice die = {11};
    for (size_t trial = 0; trial < 40; trial++) {
        double x[MOST], v[MOST], g[9], first[27], second[81], l_vv[9], l_xv[9], l_xx[9], size = 0;
        draw(&die, d, x);
        for (size_t k = 0; k < d; k++)
            v[k] = dice_normal(&die);
        ASSERT_OK(ops->derivatives(m, 1, x, g, first, second));
        ASSERT_OK(ops->lagrangian_blocks(m, 1, x, v, l_vv, l_xv, l_xx));
        for (size_t k = 0; k < square; k++)
            size = fmax(size, fmax(fabs(l_xv[k]), fabs(l_xx[k])));
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++) {
                double mixed = 0, twice = 0;
                for (size_t i = 0; i < d; i++) {
                    mixed += first[a * square + b * d + i] * v[i];
                    for (size_t j = 0; j < d; j++)
                        twice += 0.5 * second[(a * d + b) * square + i * d + j] * v[i] * v[j];
                }
                assert_near(g[a * d + b], l_vv[a * d + b], 1e-11 * size, "%s: g", names[_i]);
                assert_near(mixed, l_xv[a * d + b], 1e-11 * size, "%s: dg", names[_i]);
                assert_near(twice, l_xx[a * d + b], 1e-11 * size, "%s: ddg", names[_i]);
            }
        double alone[9], less[9], slope[27];
        ASSERT_OK(ops->derivatives(m, 1, x, alone, NULL, NULL));
        ASSERT_OK(ops->derivatives(m, 1, x, less, slope, NULL));
        for (size_t k = 0; k < square; k++) {
            assert_near(alone[k], g[k], 1e-13 * size, "%s: g alone", names[_i]);
            assert_near(less[k], g[k], 1e-13 * size, "%s: g with slopes", names[_i]);
        }
        for (size_t k = 0; k < square * d; k++)
            assert_near(slope[k], first[k], 1e-13 * size, "%s: slopes alone", names[_i]);
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Paths ---- */

/* Steps of a length of about √part of the unit vector of the latent space at each start. */
static void roll(rolled *r, int which, double part, bool plain)
{
    mst_manifold *m = make(which);
    size_t d = mst_manifold_dim(m);
    rolled_new(r, m, d == 2 ? 1 : d * (d + 1) / 2, plain);
    dice die = {77};
    for (size_t i = 0; i < PATHS; i++) {
        double x[MOST], g[9];
        draw(&die, d, x);
        ASSERT_OK(m->metric->ops.derivatives(m, 1, x, g, NULL, NULL));
        r->h[i] = part * fmin(g[0], g[d + 1]);
        for (size_t k = 0; k < d; k++)
            r->x[k * PATHS + i] = x[k];
    }
    rolled_go(r);
}

START_TEST(frames_are_orthonormal_and_their_curvature_is_right)
{
    rolled r;
    roll(&r, _i, 0.003, false);
    assert_rolled_frames(&r, 1e-10, 1e-8);
    rolled_free(&r);
}
END_TEST

/* A method of order four against the exact geodesics: errors fall with the fifth power of the length. */
START_TEST(plain_steps_are_geodesics_and_frames_parallel)
{
    double worst[2] = {0};
    for (int half = 0; half < 2; half++) {
        rolled r;
        roll(&r, _i, half ? 0.0000625 : 0.00025, true);
        size_t d = r.d;
        for (size_t i = 0; i < PATHS; i++) {
            double x[MOST], y[MOST], e[MOST * MOST], to[MOST * MOST], v[MOST] = {0}, w[MOST];
            double length = 0;
            rolled_row(r.x, d, i, x);
            rolled_row(r.frame, d * d, i, e);
            rolled_row(r.frame + d * d * PATHS, d * d, i, to);
            for (size_t a = 0; a < d * d; a++)
                v[a % d] += r.increment[a / d * PATHS + i] * e[a];
            ASSERT_OK(mst_manifold_exp(r.m, 1, x, v, y));
            for (size_t c = 0; c < d; c++)
                worst[half] = fmax(worst[half], fabs(y[c] - r.x[(d + c) * PATHS + i]));
            for (size_t a = 0; a < d; a++) {
                ASSERT_OK(mst_manifold_transport(r.m, 1, x, v, e + a * d, w));
                for (size_t c = 0; c < d; c++)
                    length = fmax(length, fabs(e[a * d + c]));
                for (size_t c = 0; c < d; c++)
                    worst[half] = fmax(worst[half], fabs(w[c] - to[a * d + c]) / length);
            }
        }
        rolled_free(&r);
    }
    ck_assert_msg(worst[0] < 1e-4, "%s: off by %g", names[_i], worst[0]);
    ck_assert_msg(worst[1] < worst[0] / 12, "%s: off by %g, then %g", names[_i], worst[0],
                  worst[1]);
}
END_TEST

/* One step each from the same noise: they differ by the drift of the curvature's gradient, of order h², and
 * by what is odd in the noise. */
START_TEST(walks_are_the_general_walk)
{
    mst_manifold *m = make(_i);
    size_t d = mst_manifold_dim(m);
    double worst[2] = {0}, moved = 0;
    for (int quarter = 0; quarter < 2; quarter++) {
        dice die = {31};
        for (size_t i = 0; i < 60; i++) {
            double x[MOST], y[MOST], own[MOST], g[9];
            draw(&die, d, x);
            ASSERT_OK(m->metric->ops.derivatives(m, 1, x, g, NULL, NULL));
            double h = (quarter ? 0.00025 : 0.001) * fmin(g[0], g[d + 1]);
            memcpy(y, x, sizeof x);
            memcpy(own, x, sizeof x);
            mst_noise noise = {.seed = 8, .first_path = i};
            ASSERT_OK(m->ops.walk(m, 1, own, h, 1, noise));
            ASSERT_OK(mst_fallback_walk(m, 1, y, h, 1, noise));
            for (size_t k = 0; k < d; k++) {
                worst[quarter] = fmax(worst[quarter], fabs(own[k] - y[k]));
                moved = fmax(moved, fabs(own[k] - x[k]));
            }
        }
    }
    ck_assert_msg(worst[0] < 0.02 * moved, "%s: off by %g of %g", names[_i], worst[0], moved);
    ck_assert_msg(worst[1] < worst[0] / 10, "%s: off by %g, then %g", names[_i], worst[0],
                  worst[1]);
    mst_manifold_free(m);
}
END_TEST

/* Near a point they agree to higher order than the straight line does; along the ring a parabola is still
 * good where a straight line has left the data. */
START_TEST(near_logarithms_are_logarithms)
{
    mst_manifold *m = make(_i);
    size_t d = mst_manifold_dim(m);
    double worst[2] = {0};
    for (int half = 0; half < 2; half++) {
        dice die = {51};
        for (size_t i = 0; i < 40; i++) {
            double x[MOST], y[MOST], v[MOST], w[MOST], size, off;
            draw(&die, d, x);
            double turn = half ? 0.04 : 0.08;
            memcpy(y, x, sizeof y);
            y[0] = x[0] * cos(turn) - x[1] * sin(turn);
            y[1] = x[0] * sin(turn) + x[1] * cos(turn);
            ASSERT_OK(mst_manifold_log(m, 1, x, y, v, NULL));
            ASSERT_OK(m->ops.near_log(m, 1, x, y, w));
            for (size_t k = 0; k < d; k++)
                w[k] -= v[k];
            ASSERT_OK(mst_manifold_norm(m, 1, x, v, &size));
            ASSERT_OK(mst_manifold_norm(m, 1, x, w, &off));
            worst[half] = fmax(worst[half], off / size);
        }
    }
    ck_assert_msg(worst[0] < 5e-3, "%s: off by %g", names[_i], worst[0]);
    ck_assert_msg(worst[1] < worst[0] / 5, "%s: off by %g, then %g", names[_i], worst[0], worst[1]);
    mst_manifold_free(m);
}
END_TEST

/* What happens to a path does not depend on those beside it. */
START_TEST(paths_are_alone)
{
    rolled all, one;
    roll(&all, _i, 0.01, false);
    roll(&one, _i, 0.01, false);
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
    rolled_free(&all);
    rolled_free(&one);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("learned_roll");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, derivatives_are_those_along_vectors, 0, SUBJECTS);
    tcase_add_loop_test(c, frames_are_orthonormal_and_their_curvature_is_right, 0, SUBJECTS);
    tcase_add_loop_test(c, plain_steps_are_geodesics_and_frames_parallel, 0, SUBJECTS);
    tcase_add_loop_test(c, walks_are_the_general_walk, 0, SUBJECTS);
    tcase_add_loop_test(c, near_logarithms_are_logarithms, 0, SUBJECTS);
    tcase_add_loop_test(c, paths_are_alone, 0, SUBJECTS);
    return run_case("learned_roll", c);
}
