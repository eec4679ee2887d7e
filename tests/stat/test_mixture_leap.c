/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Newton's steps and leaps of EM: the end is a fixed point of its plain steps, and they get there sooner. */
#include "stat/mean_support.h"

#include <manistat/cluster.h>

enum { N = 300, K = 3 };

/* One plain step from the components of a result raises the log-likelihood by next to nothing: the shares are
 * the mean responsibilities, and each centre with its time the weighted diffusion mean. */
/* Newton's method on the sphere, where plain steps are 313; leaps in 70 dimensions, where it is too much. */
static const struct {
    const char *spec;
    size_t steps;
} cases[] = {{"sphere:2", 40}, {"euclidean:70", 200}};
enum { CASES = sizeof cases / sizeof *cases };

START_TEST(the_end_is_a_fixed_point)
{
    setting s = setting_open(cases[_i].spec);
    static const double starts[2][70] = {{0, 0, 1}, {0.8, 0, 0.6}};
    double *x = draw(&s, N, starts[0], 0.1, 1), *other = draw(&s, N / 2, starts[1], 0.1, 2);
    memcpy(x, other, N / 2 * s.D * sizeof *x);
    mst_mixture_options o = mst_mixture_options_default();
    o.k = K; /* one too many */
    o.restarts = 1;
    o.tolerance = 1e-13;
    o.iterations = 5000;
    mst_mixture_result *r;
    ASSERT_OK(mst_mixture_fit(&r, s.exact, N, x, &o));
    ck_assert(r->converged && !r->degenerate);
    double *weights = doubles(N);
    for (size_t j = 0; j < K; j++) {
        double mass = 0, apart;
        for (size_t i = 0; i < N; i++)
            mass += weights[i] = r->responsibilities[i * K + j];
        assert_near(r->weights[j], mass / N, 1e-5, "share %zu", j);
        mst_mean_options mean = mst_mean_options_default();
        mean.weights = weights;
        mean.start = r->centres + j * s.D;
        mean.starts = 1;
        mst_mean_result *m;
        ASSERT_OK(mst_mean_fit(&m, s.exact, N, x, &mean));
        ASSERT_OK(mst_manifold_dist(s.m, 1, m->mean, r->centres + j * s.D, &apart));
        assert_near(apart, 0, 1e-4, "centre %zu", j);
        assert_near(r->times[j], m->time, 1e-4 * m->time, "time %zu", j);
        mst_mean_result_free(m);
    }
    ck_assert_msg(r->iterations < cases[_i].steps, "%zu steps", r->iterations);
    free(weights);
    free(other);
    free(x);
    mst_mixture_result_free(r);
    setting_close(&s);
}
END_TEST

/* Eight components for three heaps: EM creeps for hundreds of steps, whatever it starts from. */
START_TEST(too_many_components_settle)
{
    enum { HEAP = 300, MANY = 8 };
    setting s = setting_open("sphere:2");
    double *x = doubles(3 * HEAP * s.D);
    for (size_t h = 0; h < 3; h++) {
        double start[3] = {h == 0, h == 1, h == 2};
        double *heap = draw(&s, HEAP, start, 0.05 + 0.03 * (double)h, (uint64_t)h + 1);
        memcpy(x + h * HEAP * s.D, heap, HEAP * s.D * sizeof *x);
        free(heap);
    }
    mst_mixture_options o = mst_mixture_options_default();
    o.k = MANY;
    o.restarts = 1;
    o.seed = (uint64_t)_i;
    mst_mixture_result *r;
    ASSERT_OK(mst_mixture_fit(&r, s.exact, 3 * HEAP, x, &o));
    ck_assert_msg(r->converged && r->iterations < 100, "%zu steps", r->iterations);
    free(x);
    mst_mixture_result_free(r);
    setting_close(&s);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mixture_leap", 60, {the_end_is_a_fixed_point, CASES},
                     {too_many_components_settle, 4});
}
