/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

#include "support/score_support.h"

#include <manistat/mean.h>
#include <manistat/network.h>

static mst_mean_kind kind_of(mst_score *source)
{
    mst_mean_kind kind = mst_mean_default_kind(mst_score_manifold(source), source);
    mst_score_free(source);
    return kind;
}

START_TEST(sources_of_their_own)
{
    mst_manifold *sphere = open_manifold("sphere:2"), *spd = open_manifold("spd:3");
    mst_score *s;
    ck_assert_int_eq(mst_mean_default_kind(sphere, NULL), MST_MEAN_DIFFUSION);
    ck_assert_int_eq(mst_mean_default_kind(spd, NULL), MST_MEAN_FRECHET);
    ASSERT_OK(mst_score_exact_new(&s, sphere));
    ck_assert_int_eq(kind_of(s), MST_MEAN_DIFFUSION);
    ASSERT_OK(mst_score_log_new(&s, sphere));
    ck_assert_int_eq(kind_of(s), MST_MEAN_FRECHET);
    mst_manifold_free(sphere);
    mst_manifold_free(spd);
}
END_TEST

START_TEST(networks)
{
    mst_manifold *m = open_manifold("spd:3");
    mst_network *net = random_network(m, (network_design){.width = 4}, 1);
    mst_score *s;
    ASSERT_OK(mst_score_network_new(&s, net, false));
    ck_assert_int_eq(kind_of(s), MST_MEAN_DIFFUSION);
    ASSERT_OK(mst_score_network_log_new(&s, net, 0));
    ck_assert_int_eq(kind_of(s), MST_MEAN_FRECHET);
    net->info.t_max = net->info.t_min;
    for (int beyond = 0; beyond < 2; beyond++) {
        ASSERT_OK(mst_score_network_new(&s, net, beyond));
        ck_assert_int_eq(kind_of(s), MST_MEAN_FRECHET);
    }
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("mean_kind", 30, {sources_of_their_own, 0}, {networks, 0});
}
