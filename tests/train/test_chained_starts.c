/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Chained starts, the published sampler: the paths of a batch begin where those of the batch before ended,
 * whatever the threads and however often the training is interrupted; and the published
 * training otherwise. */
#include "manifold/formula_metric.h"
#include "sample_sets.h"
#include "small_training.h"
#include "support/scratch.h"

#include <math.h>
#include <string.h>

/* ---- One draw after the other ---- */

static const struct {
    const char *spec;
    bool sweep, fixed;
    sample_kind kind;
} kinds[] = {{"sphere:2", false, false, SAMPLE_LAST_STEP},
             {"product(sphere:2,spd:2)", false, false, SAMPLE_LAST_STEP},
             {"so3", false, true, SAMPLE_LAST_STEP},
             {"torus:3", false, false, SAMPLE_BEL},
             {"hyperbolic:2", false, false, SAMPLE_BEL},
             {"sphere:2", true, true, SAMPLE_BEL},
             {"product(sphere:2,euclidean:2)", false, true, SAMPLE_BEL}};
enum { KINDS = sizeof kinds / sizeof *kinds, N = 70 };

/* Ends are brought back onto the manifold, which changes some roundings. */
static void assert_near_row(size_t D, const double *got, const double *want, const char *what)
{
    for (size_t a = 0; a < D; a++)
        assert_near(got[a], want[a], 64 * DBL_EPSILON * (1 + max_abs(D, want)), "%s", what);
}

/* Every third path begins anew, as it would without the others. Slots are as many as
 * steps, so that there is a sample of the last step; with one fixed time there is nothing else. */
START_TEST(paths_go_on)
{
    bool last = kinds[_i].kind == SAMPLE_LAST_STEP;
    sample_options o = sample_test_options();
    o.kind = kinds[_i].kind;
    o.steps = o.slots = 12;
    o.t_min = kinds[_i].fixed ? o.t_max : o.t_max / 12;
    sample_set s = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
    sample_set next = sample_set_plan(kinds[_i].spec, kinds[_i].sweep, &o);
    size_t D = s.D, ended = 0;
    double *end = doubles(N * D), *from = doubles(N * D);
    sample_set_draw(&s, 0, N);
    sample_set_draw(&next, N, N);
    sample_rows rows = s.at;
    rows.end = end;
    ASSERT_OK(sample_draw(s.plan, 0, N, &rows));
    ASSERT_OK(mst_manifold_validate(s.m, N, end, NULL));
    for (size_t r = 0; r < s.rows; r++)
        if (last ? r / N == 0 && kinds[_i].fixed : r / N == 0) {
            assert_near_row(D, end + r * D, (last ? s.at.y : s.at.x) + r * D, "end");
            ended++;
        } else if (last && !kinds[_i].fixed && s.at.t[r] > o.t_max * (1 - 1e-9)) {
            assert_near_row(D, end + r % N * D, s.at.y + r * D, "end of the last step");
            ended++;
        }
    ck_assert_uint_eq(ended, N);
    memcpy(from, end, N * D * sizeof *from);
    for (size_t i = 0; i < N; i += 3)
        from[i * D + 1] = NAN;
    rows.from = from;
    ASSERT_OK(sample_draw(s.plan, N, N, &rows));
    const double *begin = last ? s.at.x : s.at.y, *own = last ? next.at.x : next.at.y;
    for (size_t r = 0; r < s.rows; r++) {
        bool anew = r % N % 3 == 0;
        const double *want = anew ? own + r * D : from + r % N * D;
        ck_assert_msg(memcmp(begin + r * D, want, D * sizeof *want) == 0, "path %zu, slot %zu",
                      r % N, r / N);
    }
    free(end);
    free(from);
    sample_set_free(&s);
    sample_set_free(&next);
}
END_TEST

/* Single precision moves a point at the distance r by up to e^r/2 · 6e-8, which is √t_min/100 at r = 10.4; by
 * less than a hundredth of that only with luck. */
START_TEST(who_is_too_far_out_begins_anew)
{
    sample_options o = sample_test_options();
    o.kind = SAMPLE_LAST_STEP;
    o.t_min = 0.01;
    sample_set s = sample_set_plan("hyperbolic:2", false, &o);
    for (double r = 0; r < 30; r += 0.25) {
        double x[] = {cosh(r), sinh(r) * cos(1 + r), sinh(r) * sin(1 + r)};
        ASSERT_OK(sample_settle(s.plan, 1, x));
        ck_assert_msg(r > 8 || isfinite(x[0]), "%g is near", r);
        ck_assert_msg(r < 18 || (isnan(x[0]) && isnan(x[2])), "%g is far", r);
    }
    double outside[] = {1, NAN, 0, INFINITY, 1, 1};
    ASSERT_OK(sample_settle(s.plan, 2, outside));
    for (size_t k = 0; k < 6; k++)
        ck_assert(isnan(outside[k]));
    sample_set_free(&s);
}
END_TEST

/* A start that no path can be simulated from: all of them begin anew. */
START_TEST(hopeless_starts)
{
    sample_options o = sample_test_options();
    o.kind = SAMPLE_LAST_STEP;
    sample_set s = sample_set_plan("hyperbolic:2", false, &o);
    double from[N * 3], end[N * 3], *x = doubles(N * o.slots * 3);
    for (size_t i = 0; i < N; i++)
        memcpy(from + 3 * i, (double[]){1, 0, 0}, 3 * sizeof *from);
    sample_set_draw(&s, 5, N);
    memcpy(x, s.at.x, N * o.slots * 3 * sizeof *x);
    sample_rows rows = s.at;
    rows.from = from;
    rows.end = end;
    ASSERT_OK(sample_draw(s.plan, 5, N, &rows));
    ck_assert(s.at.x[0] == 1 && memcmp(s.at.x, x, 3 * sizeof *x) != 0);
    from[0] = from[1] = 1e200;
    ASSERT_OK(sample_draw(s.plan, 5, N, &rows));
    ck_assert(memcmp(s.at.x, x, N * o.slots * 3 * sizeof *x) == 0);
    ck_assert(all_finite(N * 3, end));
    free(x);
    sample_set_free(&s);
}
END_TEST

/* A disc is left by some; they have no end, and the others end inside. */
START_TEST(who_left_begins_anew)
{
    static const char text[] = "coordinates x y\ndomain x^2 + y^2 < 0.36\nmetric = 1\nstart = 0";
    mst_manifold *m;
    sample_plan *plan;
    double x[4 * N * 2], end[N * 2];
    uint64_t left = 0;
    ASSERT_OK(mst_formula_manifold_new(&m, "test", "test", text, strlen(text), 0, NULL));
    for (int kind = SAMPLE_BEL; kind <= SAMPLE_LAST_STEP; kind++) {
        size_t lost = 0;
        sample_options o = sample_test_options();
        o.kind = (sample_kind)kind;
        o.t_max = 0.2;
        o.steps = 8;
        ASSERT_OK(sample_plan_new(&plan, m, &o));
        ASSERT_OK(sample_draw(plan, 0, N, &(sample_rows){.x = x, .end = end, .left = &left}));
        for (size_t i = 0; i < N; i++) {
            bool gone = isnan(end[2 * i]);
            ck_assert(gone || hypot(end[2 * i], end[2 * i + 1]) < 0.6);
            lost += gone;
        }
        ck_assert_uint_gt(lost, 0);
        ck_assert_uint_lt(lost, N);
        sample_plan_free(plan);
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Batch after batch ---- */

/* Small, but with the published loss and network, which reads (x, y, t) as they are. */
static mst_train_options small_paper(const mst_manifold *m)
{
    mst_train_options o = mst_train_options_paper_for(m);
    o.width = 8;
    o.depth = 2;
    o.warm_up = 1;
    o.path_steps = o.path_samples = 20;
    o.t_min = 0.05;
    o.batch = 128 * o.path_samples;
    o.threads = 1;
    return o;
}

/* The inputs of the batches themselves: at t = t_max y is where a path ended, and x is where the same path of
 * the next batch begins, in all its samples. */
START_TEST(batches_go_on)
{
    static const char *const specs[] = {"sphere:2", "euclidean:3", "spd:2"};
    mst_manifold *m = open_manifold(specs[_i]);
    mst_train_options o = small_paper(m);
    trainer r = {.o = &o, .m = m, .threads = 1};
    ASSERT_OK(trainer_prepare(&r));
    ASSERT_OK(trainer_work_new(&r));
    feeder *f = &r.feeder;
    ck_assert(f->paths == 128 && f->steps == 1);
    size_t D = mst_manifold_ambient(m), inputs = r.net->shape.inputs, rows = f->paths * f->slots;
    ck_assert_uint_eq(inputs, 2 * D + 1);
    float *end = calloc(f->paths * D, sizeof *end);
    for (uint64_t pool = 0; pool < 7; pool++) {
        size_t ended = 0;
        for (size_t block = 0; block < f->blocks; block++)
            ASSERT_OK(feeder_fill(f, pool, block, &r.work[0].feeder));
        for (size_t row = 0; row < rows; row++) {
            const float *x = feeder_at(f, pool, row).inputs + 1, *before = end + row % 128 * D;
            for (size_t a = 0; pool > 0 && a < D; a++)
                assert_near((double)x[a], (double)before[a],
                            4 * (double)FLT_EPSILON * fabs((double)before[a]) + 1e-12,
                            "batch %llu, row %zu", (unsigned long long)pool, row);
        }
        for (size_t row = 0; row < rows; row++) {
            const float *sample = feeder_at(f, pool, row).inputs;
            if (sample[0] < 1) /* t, x, y */
                continue;
            memcpy(end + row % 128 * D, sample + 1 + D, D * sizeof *end);
            ended++;
        }
        ck_assert_uint_eq(ended, f->paths);
    }
    free(end);
    mst_network_free(r.net);
    trainer_work_free(&r);
    trainer_release(&r);
    mst_manifold_free(m);
}
END_TEST

/* Batches that are pools; two to a pool, of all losses' paths and where paths are lost; and
 * fewer samples than the start is judged by. */
static const struct {
    const char *spec;
    mst_loss loss;
    size_t batch, slots;
    double t_max;
} trainings[] = {
    {"sphere:2", MST_LOSS_DSM, 128 * 20, 20, 1},
    {"hyperbolic:3", MST_LOSS_DSMVR, 64 * 5, 10, 3},
    {"euclidean:2", MST_LOSS_BEL, 64 * 4, 8, 1},
    {"sphere:3", MST_LOSS_SSM, 30, 2, 1},
    {MST_TEST_DATA "/../../examples/manifolds/half-plane.manifold", MST_LOSS_DSM, 128, 2, 1},
};
enum { TRAININGS = sizeof trainings / sizeof *trainings, STEPS = 7 };

static mst_train_options training_of(const mst_manifold *m, size_t k)
{
    mst_train_options o = small_paper(m);
    o.loss = trainings[k].loss;
    o.batch = trainings[k].batch;
    o.path_samples = trainings[k].slots;
    o.t_max = trainings[k].t_max;
    o.steps = STEPS;
    return o;
}

START_TEST(interruptions_and_threads_do_not_matter)
{
    mst_manifold *m = open_manifold(trainings[_i].spec);
    mst_train_options o = training_of(m, (size_t)_i);
    mst_network *whole, *net, *fresh;
    ASSERT_OK(mst_train(&whole, m, &o));
    o.threads = 3;
    ASSERT_OK(mst_train(&net, m, &o));
    same_weights(whole, net);
    mst_network_free(net);
    o.chained_starts = false;
    ASSERT_OK(mst_train(&fresh, m, &o));
    ck_assert(memcmp(fresh->theta, whole->theta, mlp_parameters(&fresh->shape) * sizeof(float)) !=
              0);
    ck_assert(!fresh->info.chained_starts && whole->info.chained_starts);
    o.chained_starts = true;
    scratch_open();
    o.checkpoint = scratch("checkpoint");
    for (uint64_t stop = 1; stop < STEPS; stop++) {
        o.resume = false;
        train_and_save(m, &o, stop);
        o.resume = true;
        if (stop == 2)
            train_and_save(m, &o, 2);
        o.threads = 2;
        ASSERT_OK(mst_train(&net, m, &o));
        same_weights(whole, net);
        mst_network_free(net);
    }
    scratch_close();
    mst_network_free(whole);
    mst_network_free(fresh);
    mst_manifold_free(m);
}
END_TEST

START_TEST(checkpoints_are_checked)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_train_options o = training_of(m, 0);
    mst_network *net;
    scratch_open();
    o.checkpoint = scratch("good");
    train_and_save(m, &o, 2);
    tensors *t;
    ASSERT_OK(tensors_read(&t, o.checkpoint));
    size_t count = tensors_count(t), texts = tensors_text_count(t), at = 0;
    tensor list[20];
    tensor_text text[30];
    ck_assert(count <= 20 && texts <= 30);
    for (size_t k = 0; k < texts; k++)
        text[k] = tensors_text_at(t, k);
    for (size_t k = 0; k < count; k++) {
        list[k] = *tensors_at(t, k);
        at = strcmp(list[k].name, "training.starts") == 0 ? k : at;
    }
    ck_assert_uint_eq(tensor_size(&list[at]), 128 * 3);
    double starts[128 * 3];
    memcpy(starts, list[at].data, sizeof starts);
    o.resume = true;
    o.checkpoint = scratch("changed");
    for (int k = 0; k < 5; k++) {
        size_t kept = count;
        memcpy(starts, tensors_find(t, "training.starts")->data, sizeof starts);
        list[at].data = starts;
        list[at].shape[0] = 128;
        if (k == 1)
            starts[30] += 0.1;
        else if (k == 2)
            starts[40] = NAN; /* that path begins anew */
        else if (k == 3)
            list[at].shape[0] = 127;
        else if (k == 4)
            list[at] = list[--kept];
        ASSERT_OK(tensors_write(o.checkpoint, true, kept, list, texts, text));
        mst_status status = mst_train(&net, m, &o);
        ck_assert_int_eq(status, k == 0 || k == 2 ? MST_OK : MST_FORMAT);
        mst_network_free(net);
    }
    tensors_free(t);
    o.checkpoint = scratch("good");
    o.chained_starts = false;
    ASSERT_FAILS(MST_ARGUMENT, mst_train(&net, m, &o));
    ck_assert_detail("`chained_starts` 1, now 0");
    scratch_close();
    mst_manifold_free(m);
}
END_TEST

/* ---- The published training ---- */

START_TEST(published_networks)
{
    static const struct {
        const char *spec;
        size_t width, depth;
    } cases[] = {
        {"euclidean:1", 128, 3},
        {"euclidean:10", 128, 3},
        {"circle", 512, 5},
        {"sphere:2", 512, 5},
        {"sphere:20", 512, 5},
        {"sym:3", 512, 3},
        {"spd:2", 512, 3},
        {"spd:3?metric=frobenius", 512, 3},
        {"landmarks:5x2?sigma=0.5", 512, 3},
        {"so3", 512, 3},
        {"torus:2", 512, 3},
        {"torus:1", 512, 5},
        {"hyperbolic:2", 512, 3},
        {"product(euclidean:1,euclidean:2)", 128, 3},
        {"product(sphere:2,euclidean:1)", 512, 3},
        {MST_TEST_DATA "/../../examples/manifolds/half-plane.manifold", 512, 3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_manifold *m = open_manifold(cases[k].spec);
        mst_train_options o = mst_train_options_paper_for(m), common = mst_train_options_paper();
        ck_assert_msg(o.width == cases[k].width && o.depth == cases[k].depth, "%s", cases[k].spec);
        ck_assert(o.chained_starts && common.chained_starts && o.size == sizeof o);
        common.width = o.width;
        common.depth = o.depth;
        ck_assert_mem_eq(&o, &common, sizeof o);
        mst_manifold_free(m);
    }
    ck_assert(!mst_train_options_default().chained_starts);
}
END_TEST

START_TEST(models_know_it)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_train_options o = training_of(m, 0);
    o.steps = 1;
    scratch_open();
    for (int chained = 0; chained < 2; chained++) {
        mst_network *net, *back;
        o.chained_starts = chained == 1;
        ASSERT_OK(mst_train(&net, m, &o));
        ASSERT_OK(mst_network_write(net, scratch("model"), true));
        ASSERT_OK(mst_network_read(&back, scratch("model"), NULL));
        ck_assert_int_eq(mst_network_describe(back).chained_starts, chained);
        mst_network_free(net);
        mst_network_free(back);
    }
    scratch_close();
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    return RUN_SUITE("chained_starts", 120, {paths_go_on, KINDS},
                     {who_is_too_far_out_begins_anew, 0}, {hopeless_starts, 0},
                     {who_left_begins_anew, 0}, {batches_go_on, 3},
                     {interruptions_and_threads_do_not_matter, TRAININGS},
                     {checkpoints_are_checked, 0}, {published_networks, 0}, {models_know_it, 0});
}
