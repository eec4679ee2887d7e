/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Any source against any other: errors that are known beforehand are the ones that are measured. */
#include "support/score_support.h"

#include <manistat/check.h>

static mst_check_options quick(void)
{
    mst_check_options o = mst_check_options_default();
    o.samples = 2048;
    o.t_min = 0.1;
    o.t_max = 1;
    return o;
}

static mst_certificate check(const mst_score *subject, const mst_score *reference,
                             mst_check_options o)
{
    mst_certificate c;
    ASSERT_OK(mst_score_check(&c, subject, reference, &o));
    ck_assert(c.bands >= 1 && c.samples == o.samples);
    ck_assert_str_eq(c.against, reference != NULL ? mst_score_name(reference) : "none");
    return c;
}

static const char *const specs[] = {"sphere:2", "so3", "hyperbolic:2", "euclidean:2", "spd:2"};
enum { SPECS = sizeof specs / sizeof *specs };

START_TEST(the_exact_kernel_has_no_error)
{
    mst_manifold *m = open_manifold(specs[_i]);
    mst_score *exact;
    ASSERT_OK(mst_score_exact_new(&exact, m));
    mst_certificate c = check(exact, exact, quick());
    ck_assert(c.band[0].t_low == 0.1 && c.band[c.bands - 1].t_high == 1);
    for (size_t k = 0; k <= c.bands; k++) {
        const mst_check_band *b = k < c.bands ? &c.band[k] : &c.all;
        ck_assert_msg(b->usable, "%s: %s", specs[_i], b->fault);
        ck_assert(b->score_error == 0 && b->time_error == 0);
        ck_assert(b->mean_gap == 0 && b->time_gap == 0);
        ck_assert(isnan(b->excess));
        assert_near(b->asymmetry, 0, 1e-9, "%s: asymmetry", specs[_i]);
        /* Differences of 0.01 t leave a few 1e-4. */
        ck_assert_msg(b->heat_residual > 1e-6 && b->heat_residual < 3e-3, "%s: %g", specs[_i],
                      b->heat_residual);
        assert_near(b->slope, 1, 5 * b->slope_error + 1e-9, "%s: slope", specs[_i]);
        assert_near(b->time_slope, 1, 5 * b->time_slope_error + 1e-9, "%s: of the time", specs[_i]);
        ck_assert(b->mean_shift > 0.01 && b->mean_shift < 4 && b->time_shift < 4);
    }
    ck_assert(c.t_low == 0.1 && c.t_high == 1);
    /* Without a reference only what needs none is measured. */
    c = check(exact, NULL, quick());
    ck_assert(c.all.usable && isnan(c.all.score_error) && isnan(c.all.mean_gap));
    ck_assert(c.all.mean_shift < 4);
    mst_score_free(exact);
    mst_manifold_free(m);
}
END_TEST

/* ---- A source of the user's own ---- */

typedef struct wrong {
    double factor, least, largest;
    unsigned gives;
} wrong;

static void describe(const mst_score *s, mst_score_info *info)
{
    const wrong *w = mst_score_data(s);
    info->gives = w->gives;
    info->t_least = w->least;
    info->t_largest = w->largest;
}

static mst_status evaluate(const mst_score *s, const mst_pairs *pairs, const mst_heat_values *out)
{
    const wrong *w = mst_score_data(s);
    const mst_manifold *m = mst_score_manifold(s);
    for (size_t i = 0; i < pairs->n; i++) {
        double t = pairs->t[i * pairs->t_stride];
        if (t < w->least || t > w->largest)
            return mst_fail(MST_DOMAIN, "time %g", t);
    }
    ck_assert(out->hessian == NULL || (w->gives & MST_GIVES_HESSIAN) != 0);
    size_t D = mst_manifold_ambient(m), d = mst_manifold_dim(m);
    mst_status status = mst_heat_pairs(m, pairs, 1, out);
    for (size_t k = 0; status == MST_OK && out->score != NULL && k < pairs->n * D; k++)
        out->score[k] *= w->factor;
    for (size_t k = 0; status == MST_OK && out->hessian != NULL && k < pairs->n * d * d; k++)
        out->hessian[k] *= w->factor;
    for (size_t i = 0; status == MST_OK && out->dt_log_p != NULL && i < pairs->n; i++)
        out->dt_log_p[i] *= w->factor;
    return status;
}

static const mst_score_ops ops = {
    .size = sizeof ops,
    .name = "wro\"ng",
    .describe = describe,
    .evaluate = evaluate,
};

START_TEST(a_factor_is_measured)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_score *exact, *source;
    ASSERT_OK(mst_score_exact_new(&exact, m));
    /* With and without a Hessian; it refuses times beyond its range, also those that
     * differences would like. */
    for (unsigned k = 0; k < 2; k++) {
        wrong data = {1.1, 0.1, 1, MST_GIVES_TIME | (k == 0 ? MST_GIVES_HESSIAN : 0)};
        ASSERT_OK(mst_score_new(&source, &ops, m, &data));
        mst_check_options o = quick();
        o.t_min = o.t_max = 0;
        mst_certificate c = check(source, exact, o);
        ck_assert(c.band[0].t_low == 0.1 && c.band[c.bands - 1].t_high == 1);
        for (size_t i = 0; i < c.bands; i++) {
            const mst_check_band *b = &c.band[i];
            assert_near(b->score_error, 0.1, 1e-12, "score");
            assert_near(b->time_error, 0.1, 1e-12, "time");
            assert_near(b->slope, 1 / 1.1, 5 * b->slope_error, "slope");
            /* 1.1 ∂_t s is not half the gradient of 1.1 div s + 1.21 |s|². */
            ck_assert_msg(b->heat_residual > 0.02, "%g", b->heat_residual);
            /* The root of the likelihood's gradient stays where it is. */
            assert_near(b->mean_gap, 0, 1e-3, "mean");
            ck_assert(!b->usable);
            ck_assert_str_eq(b->fault, b->heat_residual > 0.2 ? "heat_residual"
                                       : fabs(b->slope - 1) > fmax(0.02, 4 * b->slope_error)
                                           ? "slope"
                                           : "score_error");
        }
        ck_assert(isnan(c.t_low) && isnan(c.t_high));
        /* The other way round: the error is relative to the reference. */
        mst_certificate back;
        o = quick();
        ASSERT_OK(mst_score_check(&back, exact, source, &o));
        assert_near(back.all.score_error, 0.1 / 1.1, 1e-12, "reference");
        ck_assert_str_eq(back.against, "wro_ng");
        mst_score_free(source);
    }
    mst_score_free(exact);
    mst_manifold_free(m);
}
END_TEST

/* The small-time limit is exact in flat space and comes near as t → 0 elsewhere. */
START_TEST(the_logarithm_against_the_kernel)
{
    static const struct {
        const char *spec;
        double t, least, largest; /* bounds of the error */
    } cases[] = {{"euclidean:2", 0.5, 0, 1e-12},
                 {"sphere:2", 0.01, 1e-5, 0.01},
                 {"sphere:2", 0.5, 0.05, 0.5}};
    mst_manifold *m = open_manifold(cases[_i].spec);
    mst_score *exact, *log;
    ASSERT_OK(mst_score_exact_new(&exact, m));
    ASSERT_OK(mst_score_log_new(&log, m));
    mst_check_options o = quick();
    o.t_min = o.t_max = cases[_i].t;
    for (int swap = 0; swap < 2; swap++) {
        mst_certificate c = check(swap ? exact : log, swap ? log : exact, o);
        const mst_check_band *b = &c.band[0];
        ck_assert_msg(b->score_error >= cases[_i].least && b->score_error <= cases[_i].largest,
                      "%s at %g: %g", cases[_i].spec, cases[_i].t, b->score_error);
        ck_assert(c.bands == 1 && isnan(b->time_error) && isnan(b->time_gap));
        ck_assert(isnan(b->asymmetry) == (swap == 0) && isnan(b->heat_residual) == (swap == 0));
        /* Fréchet means estimate the same centre. */
        ck_assert_msg(b->mean_shift > 0.01 && b->mean_shift < 4 && b->mean_gap < 0.5, "%g, %g",
                      b->mean_shift, b->mean_gap);
        ck_assert(b->usable == (b->score_error < 0.05));
    }
    mst_score_free(log);
    mst_score_free(exact);
    mst_manifold_free(m);
}
END_TEST

START_TEST(networks_against_networks)
{
    mst_manifold *m = open_manifold("euclidean:2"), *other = open_manifold("euclidean:3");
    mst_network *net = random_network(m, (network_design){0}, 3),
                *bare = random_network(m, (network_design){0}, 4);
    memset(bare->theta, 0, mlp_parameters(&bare->shape) * sizeof *bare->theta);
    net->info.t_min = 0.01;
    net->info.t_max = 0.5;
    bare->info.t_min = 0.1;
    bare->info.t_max = 2;
    mst_score *subject, *reference, *exact, *elsewhere;
    ASSERT_OK(mst_score_network_new(&subject, net, false));
    ASSERT_OK(mst_score_network_new(&reference, bare, false));
    ASSERT_OK(mst_score_exact_new(&exact, m));
    ASSERT_OK(mst_score_exact_new(&elsewhere, other));
    mst_check_options o = quick();
    o.t_min = o.t_max = 0;
    o.recover = false;
    mst_certificate same = check(subject, subject, o), c = check(subject, reference, o), d;
    ck_assert(same.all.score_error == 0 && same.all.time_error == 0);
    /* The times that both know, and there the baseline of flat space is the kernel itself. */
    ck_assert(c.band[0].t_low == 0.1 && c.band[c.bands - 1].t_high == 0.5);
    o.t_min = 0.1;
    o.t_max = 0.5;
    d = check(subject, exact, o);
    for (size_t k = 0; k < c.bands; k++) {
        ck_assert_msg(c.band[k].score_error > 0.01, "%g", c.band[k].score_error);
        assert_near(c.band[k].score_error, d.band[k].score_error, 1e-5, "score");
        assert_near(c.band[k].time_error, d.band[k].time_error, 1e-5, "time");
        ck_assert(c.band[k].slope == d.band[k].slope);
    }
    /* As mst_network_check does it. */
    ASSERT_OK(mst_network_check(&same, net, &o));
    ck_assert(same.all.score_error == d.all.score_error && same.all.slope == d.all.slope);
    ck_assert(same.all.heat_residual == d.all.heat_residual);

    o.t_min = 0.6;
    o.t_max = 0.8;
    ASSERT_FAILS(MST_ARGUMENT, mst_score_check(&c, subject, reference, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "the sources know 0.1 to 0.5"));
    ASSERT_FAILS(MST_ARGUMENT, mst_score_check(&c, subject, elsewhere, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "euclidean:3"));
    mst_score_free(subject);
    mst_score_free(reference);
    mst_score_free(exact);
    mst_score_free(elsewhere);
    mst_network_free(net);
    mst_network_free(bare);
    mst_manifold_free(m);
    mst_manifold_free(other);
}
END_TEST

int main(void)
{
    return RUN_SUITE("check_sources", 120, {the_exact_kernel_has_no_error, SPECS},
                     {a_factor_is_measured, 0}, {the_logarithm_against_the_kernel, 3},
                     {networks_against_networks, 0});
}
