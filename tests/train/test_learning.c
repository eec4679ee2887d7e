/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Networks learn the score, with every loss; a training that diverges is stopped, and a noisy one is not. */
#include "small_training.h"

/* ---- Divergence ---- */

static mst_status train_at(const char *spec, const mst_train_options *o, double *excess)
{
    mst_manifold *m = open_manifold(spec);
    mst_network *net = (mst_network *)&net;
    mst_status status = mst_train(&net, m, o);
    ck_assert((status == MST_OK) == (net != NULL));
    if (net != NULL)
        *excess = net->info.excess;
    mst_network_free(net);
    mst_manifold_free(m);
    return status;
}

/* Networks of tanh saturate, and their loss is then large for good. Those of SiLU may
 * also die, and the excess tells. */
START_TEST(divergence_is_noticed)
{
    for (int k = 0; k < 3; k++) {
        mst_train_options o = small_options();
        double excess = NAN;
        o.rate = 10;
        o.width = 32;
        o.batch = 128;
        o.steps = 250;
        o.seed = 1 + (uint64_t)k;
        o.loss = (mst_loss)_i;
        o.activation = k < 2 ? MST_TANH : MST_SILU;
        o.clip = k == 0 ? 1 : 0;
        o.warm_up = k == 1 ? 0 : 200;
        mst_status status = train_at("sphere:2", &o, &excess);
        if (k < 2 || status != MST_OK) {
            ck_assert_msg(status == MST_BREAKDOWN, "variant %d of %s: %s", k, mst_loss_name(o.loss),
                          mst_status_name(status));
            ck_assert_ptr_nonnull(strstr(mst_error_detail(), "learning rate (`rate`) than 10"));
            assert_one_line("divergence");
        } else {
            ck_assert_msg(excess > -0.2, "%s: excess %g", mst_loss_name(o.loss), excess);
        }
    }
}
END_TEST

/* Small batches, noisy losses, small times: still no divergence. */
START_TEST(noise_is_not_divergence)
{
    static const struct {
        const char *spec;
        mst_loss loss;
        bool plain, energy;
        size_t batch;
        double rate, t_min;
    } cases[] = {
        {"sphere:2", MST_LOSS_BEL, false, false, 1, 2e-3, 0.005},
        {"sphere:2", MST_LOSS_DSM, false, false, 1, 2e-3, 0.005},
        {"sphere:2", MST_LOSS_DSM, true, false, 4, 2e-3, 5e-4},
        {"sphere:2", MST_LOSS_BEL, true, false, 4, 2e-3, 5e-4},
        {"sphere:2", MST_LOSS_ISM, true, false, 4, 2e-3, 0.001},
        {"sphere:2", MST_LOSS_SSM, false, false, 4, 2e-3, 0.001},
        {"sphere:5", MST_LOSS_DSM, false, false, 16, 2e-3, 0.005},
        {"sphere:5", MST_LOSS_ISM, false, false, 16, 2e-2, 0.005},
        {"sphere:5", MST_LOSS_DSMVR, false, false, 16, 2e-3, 0.001},
        {"sphere:2", MST_LOSS_BEL, false, true, 16, 2e-2, 0.005},
        {"euclidean:2", MST_LOSS_BEL, false, false, 64, 0.1, 0.005},
        {"hyperbolic:2", MST_LOSS_BEL, true, false, 16, 1e-2, 0.001},
        {"so3", MST_LOSS_BEL, false, false, 16, 1e-1, 0.005},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_train_options o = small_options();
        o.loss = cases[k].loss;
        o.plain = cases[k].plain;
        o.energy = cases[k].energy;
        o.batch = cases[k].batch;
        o.rate = cases[k].rate;
        o.t_min = cases[k].t_min;
        o.path_steps = 32;
        o.steps = 400;
        double excess;
        mst_status status = train_at(cases[k].spec, &o, &excess);
        ck_assert_msg(status == MST_OK, "case %zu: %s: %s", k, mst_status_name(status),
                      mst_error_detail());
    }
}
END_TEST

/* ---- Learning ---- */

/* Root of E t|s − s*|² over E t|s*|², s* the exact score, on fresh samples. */
static double score_error(const mst_manifold *m, const mst_score *score)
{
    enum { N = 4096, SLOTS = 8 };
    size_t D = mst_manifold_ambient(m);
    sample_options o = {.kind = SAMPLE_BEL,
                        .t_min = 0.01,
                        .t_max = 1,
                        .steps = 64,
                        .slots = SLOTS,
                        .seed = 555,
                        .spread = 1};
    sample_plan *plan;
    ASSERT_OK(sample_plan_new(&plan, m, &o));
    double *x = doubles(N * D), *y = doubles(N * D), *t = doubles(N), *w = doubles(N * D);
    double *got = doubles(N * D), *want = doubles(N * D), error = 0, size = 0;
    ASSERT_OK(sample_draw(plan, 0, N / SLOTS, &(sample_rows){.x = x, .y = y, .t = t, .target = w}));
    ASSERT_OK(mst_score_evaluate_rows(score, N, x, y, t, &(mst_heat_values){.score = got}));
    ASSERT_OK(mst_heat_kernel_times(m, N, x, y, t, 1, &(mst_heat_values){.score = want}));
    for (size_t i = 0; i < N; i++) {
        double scale = mst_score_gives(score, MST_GIVES_TIME) ? 1 : 1 / t[i], square = 0, own = 0;
        for (size_t k = i * D; k < (i + 1) * D; k++)
            got[k] = scale * got[k] - want[k];
        ASSERT_OK(mst_manifold_inner(m, 1, y + i * D, got + i * D, got + i * D, &square));
        ASSERT_OK(mst_manifold_inner(m, 1, y + i * D, want + i * D, want + i * D, &own));
        error += t[i] * square;
        size += t[i] * own;
    }
    sample_plan_free(plan);
    free(x), free(y), free(t), free(w), free(got), free(want);
    return sqrt(error / size);
}

START_TEST(bel_learns_the_score)
{
    mst_train_options o = mst_train_options_default();
    o.width = 32;
    o.depth = 2;
    o.batch = 512;
    o.steps = 1500;
    o.rate = 5e-3;
    o.t_min = 0.01;
    o.path_steps = 32;
    mst_manifold *m;
    mst_score *score, *log;
    mst_network *net = trained("sphere:2", &o, &m);
    ASSERT_OK(mst_score_network_new(&score, net, false));
    ASSERT_OK(mst_score_log_new(&log, m));
    double error = score_error(m, score), baseline = score_error(m, log);
    ck_assert_msg(error < 0.03, "relative error %g", error);
    ck_assert_msg(error < 0.5 * baseline, "relative error %g, of Log %g", error, baseline);
    ck_assert_msg(net->info.excess < -0.1, "excess %g", net->info.excess);
    mst_score_free(score);
    mst_score_free(log);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* The other designs come near in few steps. The other losses begin with nothing, plain:
 * an error of 1 is that of no score. */
START_TEST(others_learn_too)
{
    static const struct {
        mst_loss loss;
        bool energy, time_head, plain;
        double worst;
    } cases[] = {
        {MST_LOSS_BEL, false, true, false, 0.05}, {MST_LOSS_BEL, true, true, false, 0.04},
        {MST_LOSS_DSM, false, false, true, 0.55}, {MST_LOSS_DSMVR, false, false, true, 0.55},
        {MST_LOSS_ISM, false, false, true, 0.55}, {MST_LOSS_SSM, false, false, true, 0.55},
    };
    mst_train_options o = mst_train_options_default();
    o.loss = cases[_i].loss;
    o.energy = cases[_i].energy;
    o.time_head = cases[_i].time_head;
    o.plain = cases[_i].plain;
    o.width = 16;
    o.depth = 2;
    o.batch = 1024;
    o.steps = 350;
    o.warm_up = 50;
    o.rate = 1e-2;
    o.average = 0.99;
    o.t_min = 0.01;
    o.path_steps = 32;
    mst_manifold *m;
    mst_score *score;
    mst_network *net = trained("sphere:2", &o, &m);
    ASSERT_OK(mst_score_network_new(&score, net, false));
    double error = score_error(m, score);
    ck_assert_msg(error < cases[_i].worst, "%s: relative error %g", mst_loss_name(o.loss), error);
    mst_score_free(score);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Where the baseline is exact there is nothing to be better than. */
START_TEST(flat_space_has_no_excess)
{
    mst_train_options o = small_options();
    mst_manifold *m;
    mst_network *net = trained("euclidean:2", &o, &m);
    ck_assert(isnan(net->info.excess));
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("learning", 120, {divergence_is_noticed, 5}, {noise_is_not_divergence, 0},
                     {bel_learns_the_score, 0}, {others_learn_too, 6},
                     {flat_space_has_no_excess, 0});
}
