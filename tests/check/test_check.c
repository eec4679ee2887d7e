/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Certificates. In flat space the baseline is exact, and a network that is a constant makes errors that are
 * known in closed form: weights are then set by hand, and only one test trains. */
#include "check/parts.h"
#include "support/manifolds.h"

#include <manistat/brownian.h>
#include <manistat/check.h>
#include <manistat/train.h>
#include <stdlib.h>

static const network_design small = {.width = 16, .depth = 1};

/* Zero weights: the baseline. */
static mst_network *bare_network(const mst_manifold *m, network_design design, double t_min,
                                 double t_max)
{
    mst_network *net;
    ASSERT_OK(network_new(&net, m, &design));
    net->info.t_min = t_min;
    net->info.t_max = t_max;
    return net;
}

static mst_manifold *parse(const char *spec)
{
    mst_manifold *m;
    ASSERT_OK(mst_manifold_parse(&m, spec));
    return m;
}

static void set_bias(mst_network *net, size_t output, double bias)
{
    net->theta[mlp_layer_at(&net->shape, net->shape.depth).bias + output] = (float)bias;
}

static mst_check_options quick(size_t samples)
{
    mst_check_options o = mst_check_options_default();
    o.samples = samples;
    o.recover = false;
    return o;
}

static mst_certificate check(const mst_network *net, mst_check_options o)
{
    mst_certificate c;
    ASSERT_OK(mst_network_check(&c, net, &o));
    ck_assert(c.bands >= 1 && c.bands <= MST_CHECK_BANDS);
    ck_assert(c.band[0].t_low == net->info.t_min);
    ck_assert(c.band[c.bands - 1].t_high == net->info.t_max);
    for (size_t k = 1; k < c.bands; k++)
        ck_assert(c.band[k].t_low == c.band[k - 1].t_high);
    ck_assert(c.samples == o.samples && c.seed == o.seed);
    return c;
}

START_TEST(bands)
{
    static const struct {
        double low, high;
        size_t count;
        double ends[MST_CHECK_BANDS];
        double all;
    } cases[] = {
        {0.005, 1, 6, {0.02, 0.05, 0.1, 0.2, 0.5, 1}, 0.02},
        {0.019, 0.021, 1, {0.021}, 0.02},
        {0.05, 0.05, 1, {0.05}, 0.05},
        {0.001, 0.01, 3, {0.002, 0.005, 0.01}, 0.001},
        {0.1, 3, 5, {0.2, 0.5, 1, 2, 3}, 0.1},
        {1e-4, 1e3, 6, {0}, 0.02},
    };
    mst_manifold *m = parse("euclidean:2");
    mst_network *net = bare_network(m, small, cases[_i].low, cases[_i].high);
    mst_certificate c = check(net, quick(256));
    ck_assert_uint_eq(c.bands, cases[_i].count);
    for (size_t k = 0; k < c.bands && cases[_i].ends[0] > 0; k++)
        ck_assert(c.band[k].t_high == cases[_i].ends[k]);
    ck_assert(c.all.t_low == cases[_i].all && c.all.t_high == cases[_i].high);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* The baseline of flat space is exact, however its time derivative is made. */
START_TEST(perfect)
{
    static const char *const specs[] = {"euclidean:2", "sym:2"};
    network_design design = small;
    design.time_head = _i > 0;
    design.energy = _i == 2;
    for (size_t k = 0; k < 2; k++) {
        mst_manifold *m = parse(specs[k]);
        mst_network *net = bare_network(m, design, 0.1, 1);
        mst_check_options o = quick(512);
        o.recover = true;
        mst_certificate c = check(net, o);
        ck_assert(strcmp(c.against, "exact") == 0 && c.t_low == 0.1 && c.t_high == 1 &&
                  c.all.usable);
        for (size_t i = 0; i < c.bands; i++) {
            const mst_check_band *b = &c.band[i];
            ck_assert(b->usable);
            assert_near(b->slope, 1, 1e-9, "slope");
            assert_near(b->time_slope, 1, 1e-9, "slope of the time");
            assert_near(b->asymmetry, 0, 1e-6, "asymmetry");
            /* Central differences in t: 1 + 0.01². */
            assert_near(b->heat_residual, 1e-4, 5e-5, "heat residual");
            assert_near(b->score_error, 0, 1e-6, "score");
            assert_near(b->time_error, 0, 1e-6, "time");
            assert_near(b->mean_gap, 0, 1e-3, "mean");
            assert_near(b->time_gap, 0, 1e-3, "time");
            ck_assert(b->mean_shift > 0.05 && b->mean_shift < 4 && b->time_shift < 4);
            ck_assert(isnan(b->excess));
        }
        mst_network_free(net);
        mst_manifold_free(m);
    }
}
END_TEST

/* ŝ = (x − y)/t + g b with a constant b: everything follows from y − x being normal with variance t. */
START_TEST(constant_error)
{
    double t = _i == 0 ? 0.04 : 0.6, d = 2;
    mst_manifold *m = parse("euclidean:2");
    mst_network *net = bare_network(m, small, t, t * (1 + 1e-6));
    set_bias(net, 0, 0.3 / features_scale(net->features, t) / sqrt(t));
    mst_check_options o = quick(16384);
    o.recover = true;
    mst_certificate c = check(net, o);
    ck_assert_uint_eq(c.bands, 1);
    const mst_check_band *b = &c.band[0];
    double step = 1e-4 * t, bias = net->theta[mlp_layer_at(&net->shape, 1).bias];
    double g = bias * features_scale(net->features, t);
    double slope =
        bias * (features_scale(net->features, t + step) - features_scale(net->features, t - step)) /
        (2 * step);
    double square = g * g, phi = d / (2 * t * t) + square / t + square * square / 4;
    assert_near(b->score_error, fabs(g) / sqrt(d / t), 0.01 * b->score_error, "score error");
    assert_near(b->slope, d / t / (d / t + square), 5 * b->slope_error, "slope");
    /* Of <w, ŝ> − slope |ŝ|² over the samples, with w = (x − y)/t and β² = g²t. */
    double beta = square * t, rest = 1 - b->slope,
           scatter = beta * (rest - b->slope) * (rest - b->slope);
    assert_near(b->slope_error, sqrt((4 * rest * rest + scatter) / 16384) / (2 + beta),
                0.03 * b->slope_error, "its error");
    assert_near(b->time_error, sqrt((square / t + square * square / 4) / (d / (2 * t * t))),
                0.05 * b->time_error, "time error");
    assert_near(b->time_slope, d / (2 * t * t) / phi, 5 * b->time_slope_error, "slope of the time");
    ck_assert(b->time_slope_error > 1e-4 && b->time_slope_error < 0.02);
    assert_near(b->asymmetry, sqrt(4 * square / t / phi), 0.05 * b->asymmetry, "asymmetry");
    assert_near(b->heat_residual, fabs(slope + g / t) / sqrt(d / (t * t * t) + slope * slope),
                0.04 * b->heat_residual, "heat residual");
    assert_near(b->mean_gap, fabs(g) * t / sqrt(d * t / 1000), 0.15 * b->mean_gap, "mean");
    ck_assert(fabs(b->mean_gap - b->mean_shift) < 4);
    ck_assert(!b->usable && isnan(c.t_low) && isnan(c.t_high));
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* A time head that is off by a constant. */
START_TEST(head_error)
{
    double t = 0.2;
    network_design design = small;
    design.time_head = true;
    mst_manifold *m = parse("euclidean:2");
    /* One fixed time has no ∂_t s, but a head to compare. */
    mst_network *net = bare_network(m, design, t, _i == 0 ? t : t * (1 + 1e-6));
    set_bias(net, net->shape.outputs - 1, 0.5 / t / features_time_scale(net->features, t));
    mst_certificate c = check(net, quick(8192));
    /* E φ̂² = 1/t² + (0.5/t)². */
    assert_near(c.band[0].heat_residual, 0.5 / sqrt(1.25), 0.03, "head against formula");
    assert_near(c.band[0].time_error, 0.5, 0.03, "head against exact");
    assert_near(c.band[0].asymmetry, 0, 1e-6, "asymmetry");
    assert_near(c.band[0].score_error, 0, 1e-6, "score");
    ck_assert(!c.band[0].usable);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Every bound of the verdict: just inside, just outside, and not a number. */
START_TEST(verdict)
{
    static const struct {
        size_t at;
        double inside, outside;
        bool exact; /* counts only with an exact kernel; false: only without */
        bool always;
    } bounds[] = {
#define MEMBER(name) offsetof(mst_check_band, name)
        {MEMBER(slope), 1.019, 1.021, true, true},
        {MEMBER(slope), 0.981, 0.979, true, true},
        {MEMBER(time_slope), 1.049, 1.051, true, true},
        {MEMBER(asymmetry), 0.049, 0.051, true, true},
        {MEMBER(heat_residual), 0.19, 0.21, true, true},
        {MEMBER(score_error), 0.049, 0.051, true, false},
        {MEMBER(time_error), 0.09, 0.11, true, false},
        {MEMBER(mean_gap), 0.49, 0.51, true, false},
        {MEMBER(time_gap), 0.49, INFINITY, true, false},
        {MEMBER(mean_shift), 3.9, 4.1, false, false},
        {MEMBER(time_shift), 3.9, INFINITY, false, false},
#undef MEMBER
    };
    mst_check_options o = mst_check_options_default();
    mst_manifold *m = parse("euclidean:2");
    mst_score *kernel;
    ASSERT_OK(mst_score_exact_new(&kernel, m));
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
        for (int exact = 0; exact < 2; exact++) {
            check_subject s = {
                .o = &o, .time = true, .formula = true, .reference = exact == 1 ? kernel : NULL};
            mst_check_band b = {.slope = 1, .time_slope = 1};
            double *member = (double *)((char *)&b + bounds[k].at);
            bool counts = bounds[k].always || bounds[k].exact == (exact == 1);
            *member = bounds[k].inside;
            ck_assert_msg(check_fault(&s, &b) == NULL, "bound %zu", k);
            *member = bounds[k].outside;
            ck_assert_msg((check_fault(&s, &b) == NULL) == !counts, "bound %zu", k);
            *member = NAN; /* a fit may be impossible, anything else is a broken network */
            bool fit = bounds[k].inside == 0.49 || bounds[k].inside == 3.9;
            ck_assert_msg((check_fault(&s, &b) == NULL) == (fit || !counts), "bound %zu", k);
        }
    /* What the noise of the targets explains is no error. */
    check_subject s = {.o = &o, .time = true, .formula = true};
    mst_check_band b = {
        .slope = 1.2, .slope_error = 0.06, .time_slope = 0.7, .time_slope_error = 0.1};
    ck_assert(check_fault(&s, &b) == NULL);
    b.slope = 1.25;
    ck_assert(check_fault(&s, &b) != NULL);
    /* Worse than the baseline, whatever else; where the baseline is exact there is no excess. */
    static const double excess[] = {-0.9, 2.9, NAN, 3.1, 18, INFINITY};
    for (size_t k = 0; k < sizeof excess / sizeof *excess; k++) {
        b = (mst_check_band){.slope = 1, .time_slope = 1, .excess = excess[k]};
        const char *fault = check_fault(&s, &b);
        ck_assert_msg((fault == NULL) == (k < 3), "excess %g", excess[k]);
        ck_assert(fault == NULL || strcmp(fault, "excess") == 0);
    }
    mst_score_free(kernel);
    mst_manifold_free(m);
}
END_TEST

/* The longest run of usable bands, wherever it begins. */
START_TEST(longest_run)
{
    static const struct {
        bool usable[5];
        double low, high;
    } cases[] = {
        {{true, true, true, true, true}, 1, 100},   {{false, true, true, false, true}, 10, 100},
        {{true, false, false, true, true}, 5, 100}, {{true, true, false, true, false}, 1, 4},
        {{false, false, true, false, false}, 4, 5}, {{false, false, false, false, false}, NAN, NAN},
    };
    static const double ends[] = {1, 2, 4, 5, 10, 100};
    mst_certificate c = {.bands = 5};
    for (size_t k = 0; k < 5; k++) {
        c.band[k].t_low = ends[k];
        c.band[k].t_high = ends[k + 1];
        c.band[k].usable = cases[_i].usable[k];
    }
    check_range(&c);
    ck_assert(c.t_low == cases[_i].low || (isnan(c.t_low) && isnan(cases[_i].low)));
    ck_assert(c.t_high == cases[_i].high || (isnan(c.t_high) && isnan(cases[_i].high)));
}
END_TEST

/* The short-time baseline of the sphere is good for short times, and the range says for which. */
START_TEST(range)
{
    mst_manifold *m = parse("sphere:2");
    mst_network *net = bare_network(m, small, 0.005, 1);
    mst_certificate c = check(net, quick(2048));
    size_t good = 0;
    while (good < c.bands && c.band[good].usable)
        good++;
    ck_assert(good > 0 && good < c.bands);
    for (size_t k = good; k < c.bands; k++) {
        ck_assert(!c.band[k].usable);
        ck_assert(c.band[k].score_error > c.band[k - 1].score_error);
        ck_assert(c.band[k].heat_residual > c.band[k - 1].heat_residual);
    }
    ck_assert(c.t_low == 0.005 && c.t_high == c.band[good - 1].t_high);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Relative errors of score and time derivative over [low, high], with end points of another simulator. */
static void direct_errors(const mst_network *net, double low, double high, double *score_error,
                          double *time_error)
{
    enum { N = 512, SLICES = 16, D = 3 };
    const mst_manifold *m = mst_network_manifold(net);
    mst_score *source;
    double *x = doubles(N * D), *y = doubles(N * D), *s = doubles(2 * N * D), *dt = doubles(2 * N);
    double *t = doubles(N), sum[4] = {0};
    ASSERT_OK(mst_score_network_new(&source, net, false));
    for (size_t k = 0; k < SLICES; k++) {
        double time = low + ((double)k + 0.5) / SLICES * (high - low);
        for (size_t i = 0; i < N; i++)
            t[i] = time;
        mst_brownian_options o = mst_brownian_options_default();
        o.method = MST_BROWNIAN_EXACT;
        o.first_path = k * N;
        ASSERT_OK(mst_manifold_random_point(m, (mst_random){5, 6}, k * N, N, x));
        ASSERT_OK(mst_brownian_endpoints(m, N, x, time, &o, y));
        ASSERT_OK(mst_score_evaluate_rows(source, N, x, y, t,
                                          &(mst_heat_values){.score = s, .dt_log_p = dt}));
        ASSERT_OK(mst_heat_kernel(m, N, x, y, time, 1,
                                  &(mst_heat_values){.score = s + N * D, .dt_log_p = dt + N}));
        for (size_t i = 0; i < N * D; i++) {
            sum[0] += (s[i] - s[N * D + i]) * (s[i] - s[N * D + i]);
            sum[1] += s[N * D + i] * s[N * D + i];
        }
        for (size_t i = 0; i < N; i++) {
            sum[2] += (dt[i] - dt[N + i]) * (dt[i] - dt[N + i]);
            sum[3] += dt[N + i] * dt[N + i];
        }
    }
    *score_error = sqrt(sum[0] / sum[1]);
    *time_error = sqrt(sum[2] / sum[3]);
    mst_score_free(source);
    free(x);
    free(y);
    free(s);
    free(dt);
    free(t);
}

START_TEST(random_weights)
{
    mst_manifold *m = parse("sphere:2");
    mst_network *net = bare_network(m, small, 0.05, 0.5);
    mlp_initialise(&net->shape, (mst_random){1, 2}, 0.3F, net->theta);
    mst_certificate c = check(net, quick(8192));
    for (size_t k = 0; k < c.bands; k++) {
        double score_error, time_error;
        direct_errors(net, c.band[k].t_low, c.band[k].t_high, &score_error, &time_error);
        assert_near(c.band[k].score_error, score_error, 0.06 * score_error, "score, band %zu", k);
        assert_near(c.band[k].time_error, time_error, 0.15 * time_error, "time, band %zu", k);
        ck_assert(c.band[k].score_error > 0.1 && !c.band[k].usable);
    }
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

static void scale_weights(mst_network *net, float factor)
{
    for (size_t k = 0; k < mlp_parameters(&net->shape); k++)
        net->theta[k] *= factor;
}

START_TEST(trained)
{
    mst_manifold *m = parse("sphere:2");
    mst_train_options train = mst_train_options_default();
    train.width = 48;
    train.depth = 2;
    train.steps = 600;
    train.batch = 512;
    train.warm_up = 50;
    train.average = 0.99;
    train.t_min = 0.05;
    train.t_max = 0.5;
    mst_network *net;
    ASSERT_OK(mst_train(&net, m, &train));
    mst_check_options o = quick(4096);
    o.recover = true;
    mst_certificate good = check(net, o);
    ck_assert(strcmp(good.against, "exact") == 0 && good.bands == 3);
    /* Longer times take longer to learn. */
    for (size_t k = 0; k < 2; k++) {
        const mst_check_band *b = &good.band[k];
        double score_error, time_error;
        direct_errors(net, b->t_low, b->t_high, &score_error, &time_error);
        assert_near(b->score_error, score_error, 0.2 * score_error, "score, band %zu", k);
        /* Dominated by few far points. */
        assert_near(b->time_error, time_error, 0.5 * time_error, "time, band %zu", k);
        ck_assert_msg(b->usable, "band %zu", k);
        ck_assert(b->excess < 0 && b->excess > -1);
        ck_assert(b->heat_residual > 1e-3 && b->heat_residual < 0.2);
        ck_assert(b->asymmetry > 1e-3 && b->asymmetry < 0.05);
        ck_assert(b->mean_gap < 0.5 && b->time_gap < 0.5 && b->mean_shift < 4);
    }
    ck_assert(good.t_low == 0.05 && good.t_high >= 0.2);

    scale_weights(net, 2);
    o.recover = false;
    mst_certificate bad = check(net, o);
    for (size_t k = 0; k < bad.bands; k++) {
        ck_assert_msg(!bad.band[k].usable, "band %zu", k);
        ck_assert(bad.band[k].score_error > 3 * good.band[k].score_error);
        ck_assert(bad.band[k].heat_residual > good.band[k].heat_residual);
        ck_assert(bad.band[k].excess > good.band[k].excess);
    }
    ck_assert(fabs(bad.band[1].slope - 1) > 0.02 &&
              fabs(bad.band[1].slope - 1) > 5 * bad.band[1].slope_error);
    ck_assert(isnan(bad.t_low) && isnan(bad.t_high));
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Random weights; several blocks, the last one short. */
START_TEST(threads_and_seeds)
{
    mst_manifold *m = parse("hyperbolic:2");
    mst_network *net = bare_network(m, small, 0.05, 0.2);
    mlp_initialise(&net->shape, (mst_random){1, 2}, 0.05F, net->theta);
    mst_check_options o = quick(1300);
    o.recover = true;
    o.threads = 1;
    mst_certificate one = check(net, o), other;
    o.threads = 3;
    other = check(net, o);
    char *first, *second;
    ASSERT_OK(mst_certificate_json(&first, &one));
    ASSERT_OK(mst_certificate_json(&second, &other));
    ck_assert_str_eq(first, second);
    free(second);
    o.recover = false;
    o.samples = 1536; /* only the last block has more */
    other = check(net, o);
    ck_assert(other.band[0].slope != one.band[0].slope);
    o.samples = 1300;
    o.seed++;
    other = check(net, o);
    ck_assert(other.band[0].score_error != one.band[0].score_error);
    assert_near(other.band[0].score_error, one.band[0].score_error, 0.2 * one.band[0].score_error,
                "another seed");
    /* The intervals of one certificate have samples of their own. */
    ck_assert(one.all.slope != one.band[0].slope && one.all.slope != one.band[1].slope);
    free(first);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

START_TEST(without_exact_kernel)
{
    mst_manifold *m;
    if (_i == 0)
        m = parse("spd:3");
    else
        ASSERT_OK(scaled_new(&m, "sphere:2", 2));
    mst_network *net = bare_network(m, small, 0.1, 0.15);
    mst_check_options o = quick(256);
    o.exact = _i == 0; /* there is none on spd:3, and a scaled sphere has one that is not wanted */
    o.recover = true;
    mst_certificate c = check(net, o);
    const mst_check_band *b = &c.band[0];
    ck_assert(strcmp(c.against, "none") == 0);
    ck_assert(isnan(b->score_error) && isnan(b->time_error) && isnan(b->mean_gap));
    ck_assert(isnan(b->time_gap));
    assert_near(b->excess, 0, 1e-12, "the baseline is no better than itself");
    assert_near(b->slope, 1, 0.1, "slope");
    ck_assert(b->slope_error > 0 && b->slope_error < 0.1);
    ck_assert(b->heat_residual > 0 && b->heat_residual < 0.2);
    ck_assert(b->mean_shift < 4 && b->time_shift < 10);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

START_TEST(fixed_time)
{
    mst_manifold *m = parse("sphere:2");
    mst_network *net = bare_network(m, small, 0.01, 0.01);
    mst_check_options o = quick(2048);
    o.recover = true;
    mst_certificate c = check(net, o);
    const mst_check_band *b = &c.band[0];
    ck_assert_uint_eq(c.bands, 1);
    ck_assert(isnan(b->heat_residual) && isnan(b->time_shift) && isnan(b->time_gap));
    ck_assert(b->mean_gap < 0.1 && b->mean_shift < 4 && b->score_error < 0.02);
    ck_assert(b->usable && c.t_low == 0.01 && c.t_high == 0.01);
    o.exact = false;
    c = check(net, o);
    ck_assert(strcmp(c.against, "none") == 0 && isnan(c.band[0].score_error) &&
              isnan(c.band[0].mean_gap));
    ck_assert(c.band[0].mean_shift < 4);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* A broken network gives a certificate that says so. */
START_TEST(not_a_number)
{
    mst_manifold *m = parse("sphere:2");
    mst_network *net = bare_network(m, small, 0.1, 0.15);
    set_bias(net, 0, NAN);
    mst_check_options o = quick(256);
    o.recover = true;
    mst_certificate c = check(net, o);
    ck_assert(!c.band[0].usable && !c.all.usable && isnan(c.t_low));
    ck_assert(isnan(c.band[0].slope) && isinf(c.band[0].mean_gap));
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

typedef struct watcher {
    double done, total;
    size_t calls, stop; /* stop at this call; 0: never */
} watcher;

static int watch(void *user, double done, double total)
{
    watcher *w = user;
    ck_assert(done >= w->done && done <= total && (w->calls == 0 || total == w->total));
    w->done = done;
    w->total = total;
    return ++w->calls == w->stop;
}

START_TEST(progress)
{
    mst_manifold *m = parse("euclidean:2");
    mst_network *net = bare_network(m, small, 0.05, 0.2);
    mst_check_options o = quick(2048);
    watcher w = {0};
    o.threads = 1; /* the calling thread alone reports, and others may be quicker than it */
    o.progress = (mst_progress){watch, &w};
    (void)check(net, o);
    size_t without = w.calls;
    o.recover = true;
    w = (watcher){0};
    mst_certificate all = check(net, o);
    ck_assert(w.calls > 3 && w.done == w.total);
    /* Simulations of the recovery tell how far they are, besides that each has ended. */
    ck_assert_uint_ge(w.calls, without + 2 * (all.bands + 1));
    size_t calls[] = {1, 3};
    for (size_t k = 0; k < 2; k++) {
        w = (watcher){.stop = calls[k]};
        o.recover = k == 1;
        mst_certificate c = {.bands = 77};
        ASSERT_FAILS(MST_INTERRUPTED, mst_network_check(&c, net, &o));
        ck_assert_uint_eq(c.bands, 77);
    }
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

START_TEST(arguments)
{
    static const double far[2] = {30, 40}, off[3] = {1, 1, 1};
    mst_manifold *m = parse("euclidean:2"), *sphere = parse("sphere:2");
    mst_network *net = bare_network(m, small, 0.1, 0.15);
    mst_network *round = bare_network(sphere, small, 0.1, 0.15);
    mst_certificate c;
    mst_check_options o = quick(255);
    ASSERT_FAILS(MST_ARGUMENT, mst_network_check(&c, net, &o));
    o = quick(256);
    o.starts = 1;
    o.start = off;
    ASSERT_FAILS(MST_DOMAIN, mst_network_check(&c, round, &o));
    /* Paths from far away: a network that reads no coordinates does not mind. */
    o.start = far;
    ck_assert(check(net, o).band[0].usable);
    mst_network_free(net);
    mst_network_free(round);
    mst_manifold_free(m);
    mst_manifold_free(sphere);
}
END_TEST

int main(void)
{
    return RUN_SUITE("check", 120, {bands, 6}, {perfect, 3}, {constant_error, 2}, {head_error, 2},
                     {verdict, 0}, {longest_run, 6}, {range, 0}, {random_weights, 0}, {trained, 0},
                     {threads_and_seeds, 0}, {without_exact_kernel, 2}, {fixed_time, 0},
                     {not_a_number, 0}, {progress, 0}, {arguments, 0});
}
