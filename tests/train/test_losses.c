/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* The losses: their values against their definitions in terms of the score that the network gives, their
 * gradients against differences, and the exact score as their minimiser. */
#include "support/score_support.h"
#include "train/feeder.h"

#include <manistat/heat.h>
#include <manistat/score.h>
#include <stdlib.h>

typedef struct loss_case {
    const char *spec;
    mst_loss loss;
    bool exact; /* divergence */
    network_design design;
} loss_case;

static const loss_case cases[] = {
    {.spec = "sphere:2", .loss = MST_LOSS_BEL},
    {.spec = "sphere:2", .loss = MST_LOSS_DSM},
    {.spec = "sphere:2", .loss = MST_LOSS_DSMVR},
    {.spec = "sphere:2", .loss = MST_LOSS_ISM},
    {.spec = "sphere:2", .loss = MST_LOSS_ISM, .exact = true},
    {.spec = "sphere:2", .loss = MST_LOSS_SSM},
    {.spec = "sphere:2", .loss = MST_LOSS_BEL, .design = {.activation = MST_TANH, .plain = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_DSM, .design = {.activation = MST_TANH, .plain = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_DSMVR, .design = {.plain = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_ISM, .exact = true, .design = {.plain = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_BEL, .design = {.time_head = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_BEL, .design = {.time_head = true, .plain = true}},
    {.spec = "sphere:2", .loss = MST_LOSS_BEL, .design = {.time_head = true, .energy = true}},
    {.spec = "torus:2", .loss = MST_LOSS_ISM, .exact = true},
    {.spec = "circle", .loss = MST_LOSS_ISM},
    {.spec = "hyperbolic:2", .loss = MST_LOSS_BEL, .design = {.time_head = true, .energy = true}},
    {.spec = "hyperbolic:2", .loss = MST_LOSS_DSMVR},
    {.spec = "hyperbolic:2", .loss = MST_LOSS_ISM, .exact = true},
    {.spec = "so3", .loss = MST_LOSS_BEL},
    {.spec = "so3", .loss = MST_LOSS_DSMVR},
    {.spec = "so3", .loss = MST_LOSS_ISM, .exact = true},
    {.spec = "so3", .loss = MST_LOSS_SSM},
    {.spec = "spd:2", .loss = MST_LOSS_BEL, .design = {.activation = MST_TANH}},
    {.spec = "spd:2", .loss = MST_LOSS_DSM},
    {.spec = "spd:2", .loss = MST_LOSS_DSMVR},
    {.spec = "spd:2", .loss = MST_LOSS_ISM, .exact = true},
    {.spec = "spd:2", .loss = MST_LOSS_SSM},
    {.spec = "product(sphere:2,hyperbolic:2)", .loss = MST_LOSS_BEL},
    {.spec = "product(sphere:2,sphere:2)", .loss = MST_LOSS_DSMVR},
    {.spec = "product(sphere:2,hyperbolic:2)", .loss = MST_LOSS_ISM, .exact = true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* A loss with simulated and prepared samples of it. */
typedef struct bench {
    mst_loss loss;
    mst_manifold *m;
    mst_network *net;
    const loss_ops *ops;
    loss_setup setup;
    size_t n, D;
    sample_rows rows;
    double *block;
    loss_samples samples;
    loss_work work;
    float *gradient;
} bench;

static void draw(bench *b, double t_min)
{
    sample_options o = {.kind = b->ops->kind,
                        .t_min = t_min,
                        .t_max = 1,
                        .steps = 32,
                        .slots = 4,
                        .seed = 99,
                        .spread = 1};
    sample_plan *plan;
    ASSERT_OK(sample_plan_new(&plan, b->m, &o));
    size_t D = b->D, n = b->n;
    sample_rows *r = &b->rows;
    b->block = doubles(n * (6 * D + 3));
    r->x = b->block;
    r->y = r->x + n * D;
    r->t = r->y + n * D;
    r->h = r->t + n;
    double *rest = r->h + n;
    if (o.kind == SAMPLE_BEL) {
        r->time_target = rest;
        r->target = rest + n;
    } else {
        r->previous = rest;
        r->step = rest + n * D;
        r->arrived = rest + 2 * n * D;
    }
    ASSERT_OK(sample_draw(plan, 0, n / o.slots, r));
    sample_plan_free(plan);
}

static bench open_bench(const loss_case *c, size_t n, double t_min)
{
    bench b = {.m = open_manifold(c->spec), .loss = c->loss, .ops = loss_find(c->loss), .n = n};
    b.D = mst_manifold_ambient(b.m);
    b.net = random_network(b.m, c->design, 5);
    b.setup = (loss_setup){.net = b.net, .hutchinson = !c->exact, .seed = 4};
    ASSERT_OK(b.ops->plan(&b.setup));
    draw(&b, t_min);
    size_t inputs = b.setup.rows * b.net->shape.inputs;
    size_t tangents = inputs * b.setup.tangents;
    b.samples.inputs = calloc(n * (inputs + tangents + b.setup.extra) + 1, sizeof(float));
    b.samples.tangents = b.samples.inputs + n * inputs;
    b.samples.extra = b.samples.tangents + n * tangents;
    ASSERT_OK(b.ops->prepare(&b.setup, 0, n, &b.rows, &b.samples));
    ASSERT_OK(loss_work_new(&b.work, &b.setup, n));
    b.gradient = calloc(mlp_parameters(&b.net->shape), sizeof(float));
    return b;
}

static void close_bench(bench *b)
{
    free(b->block);
    free(b->samples.inputs);
    free(b->gradient);
    loss_work_free(&b->work);
    mst_network_free(b->net);
    mst_manifold_free(b->m);
}

static double value_at(bench *b, const float *theta, float *gradient)
{
    return b->ops->gradient(&b->setup, theta, b->n, &b->samples, &b->work, gradient);
}

/* ---- Values ---- */

/* Score and, if `dt` is not null, time derivative of the network at rows (x, y, t). */
static void scores(const bench *b, const double *y, double *s, double *dt)
{
    mst_score *source;
    ASSERT_OK(mst_score_network_new(&source, b->net, true));
    ASSERT_OK(mst_score_evaluate_rows(source, b->n, b->rows.x, y, b->rows.t,
                                      &(mst_heat_values){.score = s, .dt_log_p = dt}));
    mst_score_free(source);
}

static double inner(const bench *b, const double *y, size_t i, const double *u, const double *v)
{
    double out;
    size_t at = i * b->D;
    ASSERT_OK(mst_manifold_inner(b->m, 1, y + at, u + at, v + at, &out));
    return out;
}

/* The loss of sample i by its definition, without the weight. */
static double defined_value(const bench *b, size_t i, const double *s, const double *before,
                            const double *dt)
{
    const sample_rows *r = &b->rows;
    double square = inner(b, r->y, i, s, s);
    switch (b->loss) {
    case MST_LOSS_BEL:
        return square - 2 * inner(b, r->y, i, s, r->target) +
               inner(b, r->y, i, r->target, r->target);
    case MST_LOSS_DSM:
        return square + 2 * inner(b, r->y, i, s, r->arrived) / r->h[i] +
               inner(b, r->y, i, r->arrived, r->arrived) / (r->h[i] * r->h[i]);
    case MST_LOSS_DSMVR:
        return square +
               2 / r->h[i] *
                   (inner(b, r->y, i, s, r->arrived) - inner(b, r->previous, i, before, r->step));
    default: /* |s|² + 2 div s, and ∂_t = ½(div s + |s|²) */
        return 4 * dt[i] - square;
    }
}

START_TEST(values)
{
    const loss_case *c = &cases[_i];
    if (c->loss == MST_LOSS_SSM || (c->loss == MST_LOSS_ISM && !c->exact))
        return; /* random directions: see below */
    bench b = open_bench(c, 64, 0.01);
    bool ism = c->loss == MST_LOSS_ISM, head = c->design.time_head;
    double *s = doubles(b.n * b.D), *before = doubles(b.n * b.D), *dt = doubles(b.n);
    double d = (double)mst_manifold_dim(b.m), want = 0, size = 0;
    scores(&b, b.rows.y, s, ism || head ? dt : NULL);
    if (c->loss == MST_LOSS_DSMVR)
        scores(&b, b.rows.previous, before, NULL);
    for (size_t i = 0; i < b.n; i++) {
        double t = b.rows.t[i], weight = c->design.plain ? 1 : t;
        double value = weight / d * defined_value(&b, i, s, before, dt);
        if (head)
            value +=
                0.25 / d * (c->design.plain ? 1 : t * t) * pow(dt[i] - b.rows.time_target[i], 2);
        want += value;
        size += fabs(value);
    }
    double got = value_at(&b, b.net->theta, b.gradient);
    assert_near(got, want, 1e-4 * size, "%s %s", c->spec, mst_loss_name(c->loss));
    if (head) { /* and without the time head */
        b.setup.score_only = true;
        ASSERT_OK(b.ops->prepare(&b.setup, 0, b.n, &b.rows, &b.samples));
        double less = 0;
        for (size_t i = 0; i < b.n; i++)
            less += (c->design.plain ? 1 : b.rows.t[i]) / d * defined_value(&b, i, s, NULL, NULL);
        assert_near(value_at(&b, b.net->theta, b.gradient), less, 1e-4 * size, "score only");
    }
    free(s), free(before), free(dt);
    close_bench(&b);
}
END_TEST

/* One sample many times: the mean over random directions is the loss with the exact divergence. */
START_TEST(random_directions)
{
    static const char *const specs[] = {"sphere:2", "so3", "spd:2", "torus:2", "circle"};
    const char *spec = specs[_i / 2];
    loss_case exact = {.spec = spec, .loss = MST_LOSS_ISM, .exact = true};
    loss_case sliced = {.spec = spec, .loss = _i % 2 == 0 ? MST_LOSS_ISM : MST_LOSS_SSM};
    bench b = open_bench(&exact, 64, 0.1), s = open_bench(&sliced, 2048, 0.1);
    size_t D = b.D;
    ck_assert_uint_eq(s.setup.tangents, 1);
    ck_assert_uint_eq(b.setup.tangents, mst_manifold_dim(b.m));
    for (size_t i = 0; i < s.n; i++) {
        memcpy(s.rows.x + i * D, b.rows.x, D * sizeof(double));
        memcpy(s.rows.y + i * D, b.rows.y, D * sizeof(double));
        s.rows.t[i] = b.rows.t[0];
    }
    ASSERT_OK(s.ops->prepare(&s.setup, 7, s.n, &s.rows, &s.samples));
    b.n = 1;
    double want = value_at(&b, b.net->theta, b.gradient), mean = 0, square = 0, least = INFINITY;
    double count = (double)s.n;
    loss_samples at = s.samples;
    for (size_t i = 0; i < s.n; i++) {
        double value = s.ops->gradient(&s.setup, s.net->theta, 1, &at, &s.work, s.gradient);
        mean += value / count;
        square += value * value / count;
        least = fmin(least, value);
        at.inputs += s.net->shape.inputs;
        at.tangents += s.net->shape.inputs;
        at.extra += s.setup.extra;
    }
    /* A sample's directions hang on its number. */
    size_t inputs = s.net->shape.inputs;
    float *tangents = malloc(s.n * inputs * sizeof *tangents);
    memcpy(tangents, s.samples.tangents, s.n * inputs * sizeof *tangents);
    ASSERT_OK(s.ops->prepare(&s.setup, 0, s.n, &s.rows, &s.samples));
    ck_assert_mem_eq(s.samples.tangents + 7 * inputs, tangents,
                     (s.n - 7) * inputs * sizeof *tangents);
    free(tangents);
    double spread = sqrt(fmax(0, square - mean * mean));
    assert_near(mean, want, 5 * spread / sqrt(count) + 1e-4 * fabs(want), "%s %s", spec,
                mst_loss_name(sliced.loss));
    if (mst_manifold_dim(b.m) > 1)
        ck_assert_msg(spread > 1e-3 && least < mean, "%s: directions do not vary", spec);
    close_bench(&b);
    close_bench(&s);
}
END_TEST

/* ---- Gradients ---- */

/* The derivative of the value in the direction u by differences of order four. */
static double slope_along(bench *b, const double *u, double h)
{
    size_t count = mlp_parameters(&b->net->shape);
    float *theta = malloc(count * sizeof *theta), *waste = calloc(count, sizeof *waste);
    double f[4];
    for (size_t j = 0; j < 4; j++) {
        for (size_t k = 0; k < count; k++)
            theta[k] = (float)((double)b->net->theta[k] + stencil_at[j] * h * u[k]);
        f[j] = value_at(b, theta, waste);
    }
    free(theta), free(waste);
    return stencil(f, 1, 0, h);
}

START_TEST(gradients)
{
    const loss_case *c = &cases[_i];
    bench b = open_bench(c, 64, 0.02);
    size_t count = mlp_parameters(&b.net->shape);
    double *u = doubles(count), norm = 0;
    dice die = {7 + (uint64_t)_i};
    value_at(&b, b.net->theta, b.gradient);
    for (size_t k = 0; k < count; k++)
        norm = hypot(norm, (double)b.gradient[k]);
    ck_assert_msg(norm > 0.1, "%s %s: gradient of length %g", c->spec, mst_loss_name(c->loss),
                  norm);
    /* Along the gradient itself, with random signs, and with random subsets of its entries. */
    for (size_t trial = 0; trial < 8; trial++) {
        double want = 0;
        for (size_t k = 0; k < count; k++) {
            double g = (double)b.gradient[k], r = dice_uniform(&die, -1, 1);
            u[k] = g / norm * (trial == 0 ? 1 : trial < 4 ? copysign(1, r) : r > 0 ? 1 : 0);
            want += u[k] * g;
        }
        assert_near(slope_along(&b, u, 0.02), want, 2e-3 * norm, "%s %s, trial %zu", c->spec,
                    mst_loss_name(c->loss), trial);
    }
    /* Gradients are added up, and samples are independent of each other. */
    float *sum = calloc(count, sizeof *sum);
    double total = 0;
    size_t inputs = b.setup.rows * b.net->shape.inputs;
    for (size_t at = 0; at < b.n; at += 16) {
        loss_samples part = {.inputs = b.samples.inputs + at * inputs,
                             .tangents = b.samples.tangents + at * inputs * b.setup.tangents,
                             .extra = b.samples.extra + at * b.setup.extra};
        total += b.ops->gradient(&b.setup, b.net->theta, 16, &part, &b.work, sum);
    }
    double whole = value_at(&b, b.net->theta, b.gradient); /* the second time: twice the gradient */
    assert_near(total, whole, 1e-4 * fabs(whole) + 1e-3, "sum of parts");
    for (size_t k = 0; k < count; k++)
        assert_near((double)b.gradient[k], 2 * (double)sum[k], 1e-3 * norm, "parameter %zu", k);
    free(u), free(sum);
    close_bench(&b);
}
END_TEST

static const char *const small_time_specs[] = {"sphere:2", "spd:2", "so3", "hyperbolic:2"};
#define COUNT_LOSS(constant, name, what) +1
enum { SMALL_TIME_SPECS = 4, LOSSES = 0 MST_LOSS_LIST(COUNT_LOSS) };
#undef COUNT_LOSS

START_TEST(small_times)
{
    for (mst_loss loss = 0; (int)loss < LOSSES; loss++)
        for (int exact = 0; exact < 2; exact++) {
            loss_case c = {.spec = small_time_specs[_i], .loss = loss, .exact = exact != 0};
            bench b = open_bench(&c, 1024, 0.001);
            double value = value_at(&b, b.net->theta, b.gradient) / (double)b.n;
            /* Weighted by t, losses are of order one at all times, the noise of dsm aside. */
            ck_assert_msg(fabs(value) < 200, "%s %s: %g", c.spec, mst_loss_name(loss), value);
            for (size_t k = 0; k < mlp_parameters(&b.net->shape); k++)
                ck_assert_msg(isfinite(b.gradient[k]), "%s %s", c.spec, mst_loss_name(loss));
            close_bench(&b);
        }
}
END_TEST

/* ---- The minimiser ---- */

/* Half the derivative of the loss of a·s by a at a = 1, s being the exact score, has mean zero. */
START_TEST(exact_score_is_the_minimiser)
{
    loss_case c = {.spec = "sphere:2", .loss = (mst_loss)_i};
    bench b = open_bench(&c, 16384, 0.1);
    const sample_rows *r = &b.rows;
    double *s = doubles(b.n * b.D), *before = doubles(b.n * b.D), *dt = doubles(b.n);
    mst_heat_values here = {.score = s, .dt_log_p = dt}, there = {.score = before};
    ASSERT_OK(mst_heat_kernel_times(b.m, b.n, r->x, r->y, r->t, 1, &here));
    if (b.ops->kind == SAMPLE_LAST_STEP)
        ASSERT_OK(mst_heat_kernel_times(b.m, b.n, r->x, r->previous, r->t, 1, &there));
    double mean = 0, square = 0, signal = 0, n = (double)b.n;
    for (size_t i = 0; i < b.n; i++) {
        double own = inner(&b, r->y, i, s, s), value = own;
        if (c.loss == MST_LOSS_BEL)
            value -= inner(&b, r->y, i, s, r->target);
        else if (c.loss == MST_LOSS_DSM || c.loss == MST_LOSS_DSMVR)
            value += inner(&b, r->y, i, s, r->arrived) / r->h[i];
        else
            value = 2 * dt[i]; /* |s|² + div s */
        if (c.loss == MST_LOSS_DSMVR)
            value -= inner(&b, r->previous, i, before, r->step) / r->h[i];
        value *= r->t[i];
        mean += value / n;
        square += value * value / n;
        signal += r->t[i] * own / n;
    }
    /* The samples of a path hang together, and steps are finite: twice the error of
     * independent ones, and a part in 100. */
    double error = 2 * sqrt(square / n);
    assert_near(mean, 0, 4 * error + 0.01 * signal, "%s", mst_loss_name(c.loss));
    ck_assert_msg(error < 0.1 * signal, "%s: error %g, signal %g", mst_loss_name(c.loss), error,
                  signal);
    free(s), free(before), free(dt);
    close_bench(&b);
}
END_TEST

/* ---- What cannot be done, and the feeder ---- */

START_TEST(time_heads_need_targets)
{
    mst_manifold *m = open_manifold("sphere:2");
    for (mst_loss loss = MST_LOSS_BEL; loss <= MST_LOSS_SSM; loss++)
        for (int energy = 0; energy < 2; energy++) {
            network_design design = {.time_head = true, .energy = energy != 0};
            mst_network *net = random_network(m, design, 1);
            loss_setup setup = {.net = net};
            if (loss == MST_LOSS_BEL)
                ASSERT_OK(loss_find(loss)->plan(&setup));
            else
                ASSERT_FAILS(MST_ARGUMENT, loss_find(loss)->plan(&setup));
            mst_network_free(net);
        }
    ck_assert_ptr_null(loss_find((mst_loss)17));
    mst_manifold_free(m);
}
END_TEST

START_TEST(names)
{
    mst_loss back;
    for (mst_loss loss = MST_LOSS_BEL; loss <= MST_LOSS_SSM; loss++) {
        ck_assert(mst_loss_parse(&back, mst_loss_name(loss)));
        ck_assert_int_eq(back, loss);
        ck_assert_ptr_nonnull(loss_find(loss));
    }
    ck_assert(!mst_loss_parse(&back, "belle"));
    ck_assert(!mst_loss_parse(&back, ""));
    ck_assert_str_eq(mst_loss_name((mst_loss)17), "unknown");
}
END_TEST

/* A pool holds what sample_draw and prepare give, slot after slot; every block falls due
 * once; two pools do not touch. */
START_TEST(feeder_holds_the_samples)
{
    static const mst_loss losses[] = {MST_LOSS_BEL, MST_LOSS_DSMVR, MST_LOSS_SSM};
    loss_case c = {.spec = "sphere:2", .loss = losses[_i]};
    enum { SLOTS = 4, BLOCK = 64, BATCH = 1000 };
    bench b = open_bench(&c, SLOTS * BLOCK, 0.01);
    sample_options o = {.kind = b.ops->kind,
                        .t_min = 0.01,
                        .t_max = 1,
                        .steps = 32,
                        .slots = SLOTS,
                        .seed = 99,
                        .spread = 1};
    sample_plan *plan;
    feeder f;
    feeder_work work;
    ASSERT_OK(sample_plan_new(&plan, b.m, &o));
    ASSERT_OK(feeder_new(&f, b.ops, &b.setup, plan, BATCH, SLOTS, false));
    ASSERT_OK(feeder_work_new(&work, &f));
    ck_assert_uint_ge(f.paths * SLOTS, f.steps * BATCH);
    ck_assert_uint_eq(f.blocks * BLOCK, f.paths);
    for (size_t step = 0, next = 0; step < f.steps; step++) {
        size_t begin, end;
        feeder_due(&f, step, &begin, &end);
        ck_assert_uint_eq(begin, next);
        next = end;
        if (step + 1 == f.steps)
            ck_assert_uint_eq(end, f.blocks);
    }
    size_t inputs = b.setup.rows * b.net->shape.inputs, extra = b.setup.extra, block = 3;
    for (uint64_t pool = 2; pool < 4; pool++)
        ASSERT_OK(feeder_fill(&f, pool, block, &work));
    for (uint64_t pool = 2; pool < 4; pool++) {
        uint64_t first = pool * f.paths + block * BLOCK;
        ASSERT_OK(sample_draw(plan, first, BLOCK, &b.rows));
        ASSERT_OK(b.ops->prepare(&b.setup, first * SLOTS, SLOTS * BLOCK, &b.rows, &b.samples));
        for (size_t s = 0; s < SLOTS; s++) {
            loss_samples at = feeder_at(&f, pool, s * f.paths + block * BLOCK);
            size_t row = s * BLOCK;
            ck_assert_mem_eq(at.inputs, b.samples.inputs + row * inputs,
                             BLOCK * inputs * sizeof(float));
            ck_assert_mem_eq(at.extra, b.samples.extra + row * extra,
                             BLOCK * extra * sizeof(float));
            ck_assert_mem_eq(at.tangents, b.samples.tangents + row * inputs * b.setup.tangents,
                             BLOCK * inputs * b.setup.tangents * sizeof(float));
        }
    }
    feeder_work_free(&work);
    feeder_free(&f);
    sample_plan_free(plan);
    close_bench(&b);
}
END_TEST

int main(void)
{
    return RUN_SUITE("losses", 60, {values, CASES}, {random_directions, 10}, {gradients, CASES},
                     {small_times, SMALL_TIME_SPECS}, {exact_score_is_the_minimiser, LOSSES},
                     {time_heads_need_targets, 0}, {names, 0}, {feeder_holds_the_samples, 3});
}
