/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Training: the same seed gives the same weights whatever the threads and however often it is interrupted;
 * bad options, checkpoints that do not fit and missing memory are refused. */
#include "small_training.h"
#include "support/scratch.h"

#include <errno.h>

/* ---- Memory that fails on demand, and is full of NaN: the library allocates through
 * aligned_alloc only ---- */

static size_t fail_at = SIZE_MAX, asked;

void *aligned_alloc(size_t alignment, size_t size)
{
    void *p = NULL;
    if (fail_at != SIZE_MAX && asked++ == fail_at) {
        errno = ENOMEM;
        return NULL;
    }
    return posix_memalign(&p, alignment, size) == 0 ? memset(p, 0xff, size) : NULL;
}

/* ---- The same weights ---- */

/* Two batches a pool, so that pools change, and several shards. */
static mst_train_options many_pools(mst_loss loss)
{
    mst_train_options o = small_options();
    o.loss = loss;
    o.batch = 60000;
    o.steps = 3;
    o.warm_up = 1;
    o.path_steps = 4;
    o.path_samples = 16;
    return o;
}

static const mst_loss some_losses[] = {MST_LOSS_BEL, MST_LOSS_SSM, MST_LOSS_DSMVR};

START_TEST(threads_do_not_matter)
{
    mst_train_options o = many_pools(some_losses[_i]);
    o.clip = _i == 1 ? 0 : 0.05;
    mst_network *net[3];
    mst_manifold *m[3];
    int runs = _i == 0 ? 3 : 2;
    for (int k = 0; k < runs; k++) {
        o.threads = k == 0 ? 1 : 4 - k;
        net[k] = trained("sphere:2", &o, &m[k]);
        same_weights(net[0], net[k]);
    }
    for (int k = 0; k < runs; k++) {
        mst_network_free(net[k]);
        mst_manifold_free(m[k]);
    }
}
END_TEST

START_TEST(what_decides_the_weights)
{
    mst_train_options o = small_options();
    mst_manifold *m, *other;
    mst_network *net = trained("sphere:2", &o, &m), *back;
    size_t size = mlp_parameters(&net->shape) * sizeof(float);
    mst_network_info info = mst_network_describe(net);
    ck_assert_uint_eq(info.steps, 30);
    ck_assert_uint_eq(info.samples, 30 * 64);
    ck_assert_uint_eq(info.seed, o.seed);
    ck_assert(info.finished && info.seconds > 0 && isfinite(info.excess));
    ck_assert(info.t_min == 0.005 && info.t_max == 1 && info.loss == MST_LOSS_BEL);
    for (int k = 0; k < 10; k++) {
        mst_train_options p = o;
        double start[] = {0, 0, 1};
        switch (k) {
        case 0:
            break; /* the same */
        case 1:
            p.seed++;
            break;
        case 2:
            p.loss = MST_LOSS_DSM;
            break;
        case 3:
            p.rate *= 2;
            break;
        case 4:
            p.clip = 1e-3;
            break;
        case 5:
            p.average = 0;
            break;
        case 6:
            p.activation = MST_TANH;
            break;
        case 7:
            p.t = 0.1;
            break;
        case 8:
            p.start = start;
            p.starts = 1;
            break;
        default:
            p.path_steps = 16;
        }
        back = trained("sphere:2", &p, &other);
        bool same = memcmp(net->theta, back->theta, size) == 0;
        ck_assert_msg(same == (k == 0), "variant %d", k);
        if (k == 7)
            ck_assert(back->info.t_min == 0.1 && back->info.t_max == 0.1);
        mst_network_free(back);
        mst_manifold_free(other);
    }
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* Without averaging the network has the last weights; the excess is that of its weights,
 * whichever they are. */
START_TEST(average_and_excess)
{
    mst_train_options o = small_options();
    mst_manifold *m = open_manifold("sphere:2");
    for (int k = 0; k < 2; k++) {
        o.average = k == 0 ? 0 : 0.999;
        trainer r = {.o = &o, .m = m, .threads = 1};
        ASSERT_OK(trainer_prepare(&r));
        ASSERT_OK(trainer_work_new(&r));
        ASSERT_OK(trainer_fill(&r));
        for (size_t i = 0; i < r.parameters; i++)
            ck_assert_msg(r.gradients[0][i] == 0, "a gradient before the first step");
        ASSERT_OK(trainer_run(&r, INFINITY));
        ck_assert_uint_eq(r.step, o.steps);
        size_t size = r.parameters * sizeof(float);
        ck_assert((memcmp(r.theta, r.net->theta, size) == 0) == (k == 0));
        ASSERT_OK(trainer_measure(&r));
        double excess = r.net->info.excess;
        memset(r.theta, 0, size);
        ASSERT_OK(trainer_measure(&r));
        ck_assert(r.net->info.excess == excess && excess != 0);
        memset(r.net->theta, 0, size);
        ASSERT_OK(trainer_measure(&r));
        ck_assert(r.net->info.excess == 0);
        mst_network_free(r.net);
        trainer_work_free(&r);
        trainer_release(&r);
    }
    mst_manifold_free(m);
}
END_TEST

/* ---- Interruptions ---- */

/* Stopped inside a pool of samples, or there and at its end. */
START_TEST(resumed_trainings_end_the_same)
{
    mst_train_options o = many_pools(some_losses[_i]);
    o.clip = 0.1;
    mst_manifold *m;
    mst_network *whole = trained("sphere:2", &o, &m), *net;
    scratch_open();
    o.checkpoint = scratch("checkpoint");
    train_and_save(m, &o, 1);
    o.resume = true;
    if (_i == 1)
        train_and_save(m, &o, 1);
    o.threads = 2;
    ASSERT_OK(mst_train(&net, m, &o));
    same_weights(whole, net);
    ck_assert(net->info.finished);
    mst_network_free(net);
    mst_network_free(whole);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* Paths start at the identity, and diag(e, e) is √2 away from it; their reach is a few standard deviations,
 * √(2 d t) at most on the average, and says where the training was. */
START_TEST(reach_of_the_training)
{
    static const double starts[] = {M_E, 0, 0, M_E, M_E * M_E * M_E, 0, 0, M_E * M_E * M_E};
    mst_train_options o = small_options();
    o.steps = 1;
    mst_manifold *m = open_manifold("spd:2");
    for (size_t given = 0; given <= 2; given++) {
        mst_network *net;
        double identity[] = {1, 0, 0, 1}, away, want = sqrt(2) * (double)given;
        o.start = starts;
        o.starts = given;
        ASSERT_OK(mst_train(&net, m, &o));
        mst_network_info i = mst_network_describe(net);
        ck_assert(i.reach > 2 && i.reach < 9);
        ASSERT_OK(mst_manifold_dist(m, 1, identity, i.centre, &away));
        /* 2048 points with a standard deviation below 2: five standard errors. */
        assert_near(away, want, given == 0 ? 0 : 0.25, "centre of %zu starts", given);
        mst_network_free(net);
    }
    mst_manifold_free(m);
    mst_network *net;
    o.starts = 0;
    m = open_manifold(MST_TEST_DATA "/../../examples/manifolds/half-plane.manifold");
    ASSERT_OK(mst_train(&net, m, &o));
    ck_assert(mst_network_describe(net).reach > 2 && mst_network_describe(net).reach < 9);
    mst_network_free(net);
    mst_manifold_free(m);
    m = open_manifold("sphere:2");
    ASSERT_OK(mst_train(&net, m, &o));
    ck_assert(isnan(mst_network_describe(net).reach));
    ck_assert_ptr_null(mst_network_describe(net).centre);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

typedef struct listener {
    int calls, stop_at;
    mst_train_state state;
} listener;

static int listen(void *user, const mst_train_state *state)
{
    listener *l = user;
    if (state->step == 0) /* a slow machine still makes samples */
        return 0;
    l->state = *state;
    return ++l->calls == l->stop_at;
}

/* In tests/support; its header has another `scratch`. */
mst_status bare_graph_new(mst_manifold **out);

static int stop_at_once(void *user, const mst_train_state *state)
{
    ++*(int *)user;
    ck_assert_uint_eq(state->step, 0);
    return 1;
}

/* Samples alone take seconds here, and nobody has to wait for the first step. */
START_TEST(interrupted_while_it_prepares)
{
    int calls = 0;
    mst_train_options o = small_options();
    o.steps = 1;
    o.path_steps = 2;
    o.report = (mst_train_report){stop_at_once, &calls};
    mst_manifold *m;
    mst_network *net;
    ASSERT_OK(bare_graph_new(&m));
    ASSERT_FAILS(MST_INTERRUPTED, mst_train(&net, m, &o));
    ck_assert_ptr_null(net);
    ck_assert_int_eq(calls, 1);
    ck_assert_str_eq(mst_error_detail(), "interrupted before the first step");
    mst_manifold_free(m);
}
END_TEST

/* Through the reports: a usable network, a checkpoint, and the same end. */
START_TEST(interrupted)
{
    listener l = {.stop_at = 1};
    mst_train_options o = small_options();
    o.batch = 256;
    o.steps = 20000;
    o.threads = 0;
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net, *back;
    scratch_open();
    o.checkpoint = scratch("checkpoint");
    o.report = (mst_train_report){listen, &l};
    ASSERT_FAILS(MST_INTERRUPTED, mst_train(&net, m, &o));
    ck_assert_ptr_nonnull(net);
    ck_assert_int_eq(l.calls, 1);
    ck_assert(!net->info.finished);
    ck_assert_uint_eq(net->info.steps, l.state.step);
    ck_assert_uint_eq(l.state.samples, l.state.step * 256);
    ck_assert(l.state.seconds > 0 && l.state.samples_per_second > 0 && l.state.rate > 0);
    ck_assert(isfinite(l.state.loss) && isfinite(l.state.excess));
    assert_near(l.state.progress, (double)l.state.step / 20000, 1e-12, "progress");
    ASSERT_OK(mst_network_read(&back, o.checkpoint, NULL)); /* a model like any other */
    ck_assert(!back->info.finished);
    same_weights(net, back);
    mst_network_free(back);
    mst_network_free(net);
    /* A few steps more and no further: the length is no part of what must agree. */
    o.resume = true;
    o.steps = l.state.step + 3;
    l.stop_at = 0;
    ASSERT_OK(mst_train(&net, m, &o));
    ck_assert_uint_eq(net->info.steps, o.steps);
    ck_assert(net->info.finished);
    ck_assert_double_eq(l.state.progress, 1);
    mst_network_free(net);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* A training with these options, but for the change, is refused. */
#define REFUSED_WITH(m, options, ...)                \
    do {                                             \
        mst_train_options changed = (options);       \
        __VA_ARGS__;                                 \
        assert_refused((m), &changed, #__VA_ARGS__); \
    } while (0)

static void assert_refused(const mst_manifold *m, const mst_train_options *o, const char *change)
{
    mst_network *net = (mst_network *)&net;
    mst_status status = mst_train(&net, m, o);
    ck_assert_msg(status == MST_ARGUMENT, "%s: %s", change, mst_status_name(status));
    assert_one_line(change);
    ck_assert_ptr_null(net);
}

START_TEST(resuming_with_other_options)
{
    mst_train_options o = small_options();
    mst_manifold *m = open_manifold("sphere:2"), *other = open_manifold("sphere:3");
    mst_network *net;
    double start[] = {1, 0, 0};
    scratch_open();
    o.checkpoint = scratch("checkpoint");
    o.steps = 3;
    train_and_save(m, &o, 2);
    o.resume = true;
    REFUSED_WITH(m, o, changed.loss = MST_LOSS_ISM);
    REFUSED_WITH(m, o, changed.width = 9);
    REFUSED_WITH(m, o, changed.depth = 3);
    REFUSED_WITH(m, o, changed.activation = MST_TANH);
    REFUSED_WITH(m, o, changed.t_min = 0.006);
    REFUSED_WITH(m, o, changed.t_max = 0.9);
    REFUSED_WITH(m, o, changed.t = 0.1);
    REFUSED_WITH(m, o, changed.energy = true);
    REFUSED_WITH(m, o, changed.time_head = true);
    REFUSED_WITH(m, o, changed.plain = true);
    REFUSED_WITH(m, o, changed.batch = 65);
    REFUSED_WITH(m, o, changed.rate = 0.0021);
    REFUSED_WITH(m, o, changed.warm_up++);
    REFUSED_WITH(m, o, changed.clip = 1);
    REFUSED_WITH(m, o, changed.average = 0.99);
    REFUSED_WITH(m, o, changed.path_samples = 5);
    REFUSED_WITH(m, o, changed.seed++);
    REFUSED_WITH(m, o, changed.start = start, changed.starts = 1);
    REFUSED_WITH(m, o, changed.width = 9, changed.batch = 65, changed.seed = 3);
    ck_assert_detail("`batch` 64, now 65; `seed` ");
    ck_assert_detail("(`width` 8, now 9; ");
    ASSERT_FAILS(MST_ARGUMENT, mst_train(&net, other, &o));
    ASSERT_OK(mst_train(&net, m, &o));
    /* A finished model is no checkpoint, and no file is none either. */
    ASSERT_OK(mst_network_write(net, scratch("model"), false));
    mst_network_free(net);
    o.checkpoint = scratch("model");
    ASSERT_FAILS(MST_FORMAT, mst_train(&net, m, &o));
    o.checkpoint = scratch("nothing");
    ASSERT_FAILS(MST_IO, mst_train(&net, m, &o));
    ck_assert_ptr_null(net);
    mst_manifold_free(m);
    mst_manifold_free(other);
    scratch_close();
}
END_TEST

/* A checkpoint without one of its tensors, or with one of another size. */
START_TEST(damaged_checkpoints)
{
    static const char *const names[] = {"training.theta", "training.first", "training.second",
                                        "training.state", "training.step",  "layers.1.bias"};
    mst_train_options o = small_options();
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net;
    scratch_open();
    o.checkpoint = scratch("good");
    o.steps = 3;
    train_and_save(m, &o, 2);
    tensors *t;
    ASSERT_OK(tensors_read(&t, o.checkpoint));
    tensor list[20];
    tensor_text text[30];
    size_t texts = tensors_text_count(t);
    for (size_t k = 0; k < texts; k++)
        text[k] = tensors_text_at(t, k);
    o.checkpoint = scratch("bad");
    o.resume = true;
    for (size_t k = 0; k < 2 * sizeof names / sizeof *names; k++) {
        size_t count = 0;
        for (size_t i = 0; i < tensors_count(t); i++) {
            tensor now = *tensors_at(t, i);
            if (strcmp(now.name, names[k / 2]) == 0) {
                if (k % 2 == 0)
                    continue;
                now.shape[0]--;
            }
            list[count++] = now;
        }
        ASSERT_OK(tensors_write(o.checkpoint, true, count, list, texts, text));
        ASSERT_FAILS(MST_FORMAT, mst_train(&net, m, &o));
        ck_assert_ptr_null(net);
    }
    /* Numbers that no training has. */
    for (size_t k = 0; k < 4; k++) {
        size_t count = tensors_count(t);
        float numbers[4096];
        double state[8] = {NAN};
        for (size_t i = 0; i < count; i++) {
            list[i] = *tensors_at(t, i);
            if (strcmp(list[i].name, names[k]) != 0)
                continue;
            if (k < 3) {
                ck_assert_uint_le(tensor_size(&list[i]), 4096);
                memcpy(numbers, list[i].data, tensor_size(&list[i]) * sizeof *numbers);
                numbers[3] = k < 2 ? NAN : -1;
            }
            list[i].data = k < 3 ? (const void *)numbers : state;
        }
        ASSERT_OK(tensors_write(o.checkpoint, true, count, list, texts, text));
        ASSERT_FAILS(MST_FORMAT, mst_train(&net, m, &o));
        ck_assert_ptr_null(net);
    }
    tensors_free(t);
    /* Fewer steps than were done. */
    o.checkpoint = scratch("good");
    o.steps = 1;
    ASSERT_FAILS(MST_ARGUMENT, mst_train(&net, m, &o));
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* ---- Refusals ---- */

START_TEST(bad_options)
{
    mst_manifold *m = open_manifold("sphere:2");
    mst_train_options o = small_options();
    REFUSED_WITH(m, o, changed.steps = 0, changed.minutes = 0);
    REFUSED_WITH(m, o, changed.steps = 0, changed.minutes = NAN);
    REFUSED_WITH(m, o, changed.width = 65537);
    REFUSED_WITH(m, o, changed.width = 65537);
    REFUSED_WITH(m, o, changed.depth = 0);
    REFUSED_WITH(m, o, changed.depth = 65);
    REFUSED_WITH(m, o, changed.t_min = 0);
    REFUSED_WITH(m, o, changed.t_min = 2);
    REFUSED_WITH(m, o, changed.t_max = 1e4);
    REFUSED_WITH(m, o, changed.t_min = NAN);
    REFUSED_WITH(m, o, changed.t = 1e-6);
    REFUSED_WITH(m, o, changed.t = 1e6);
    REFUSED_WITH(m, o, changed.batch = (1 << 22) + 1);
    REFUSED_WITH(m, o, changed.rate = 0);
    REFUSED_WITH(m, o, changed.rate = INFINITY);
    REFUSED_WITH(m, o, changed.rate = NAN);
    REFUSED_WITH(m, o, changed.clip = -1);
    REFUSED_WITH(m, o, changed.clip = NAN);
    REFUSED_WITH(m, o, changed.average = 1);
    REFUSED_WITH(m, o, changed.average = -0.1);
    REFUSED_WITH(m, o, changed.path_steps = 100002);
    REFUSED_WITH(m, o, changed.path_steps = 100001);
    REFUSED_WITH(m, o, changed.path_samples = 5000);
    REFUSED_WITH(m, o, changed.path_samples = 1001);
    REFUSED_WITH(m, o, changed.resume = true);
    REFUSED_WITH(m, o, changed.loss = (mst_loss)77);
    REFUSED_WITH(m, o, changed.loss = MST_LOSS_DSM, changed.time_head = true);
    REFUSED_WITH(m, o, changed.loss = MST_LOSS_SSM, changed.energy = true);
    REFUSED_WITH(m, o, changed.t_max = NAN);
    mst_manifold_free(m);
}
END_TEST

/* Every allocation of a tiny training fails once, the later ones more sparsely. */
START_TEST(without_memory)
{
    static const mst_loss losses[] = {MST_LOSS_BEL, MST_LOSS_DSMVR, MST_LOSS_SSM};
    mst_train_options o = small_options();
    mst_manifold *m = open_manifold("sphere:2");
    size_t failures = 0;
    scratch_open();
    o.loss = losses[_i];
    o.energy = _i == 0;
    o.chained_starts = _i == 1;
    o.path_steps = 2;
    o.path_samples = 64;
    o.batch = 65536;
    o.width = 1;
    o.depth = 1;
    o.steps = 1;
    o.checkpoint = scratch("checkpoint");
    o.every = 0;
    for (size_t k = 0;; k += 1 + k / 4) {
        mst_network *net = (mst_network *)&net;
        asked = 0;
        fail_at = k;
        mst_status status = mst_train(&net, m, &o);
        bool reached = asked > k;
        fail_at = SIZE_MAX;
        ck_assert_msg(status == (reached ? MST_MEMORY : MST_OK), "allocation %zu: %s", k,
                      mst_status_name(status));
        ck_assert((net != NULL) == !reached);
        mst_network_free(net);
        if (!reached)
            break;
        assert_one_line("memory");
        failures++;
    }
    ck_assert_uint_gt(failures, 30);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* As published, and with a smaller network it trains. */
START_TEST(paper)
{
    mst_manifold *m;
    mst_train_options o = mst_train_options_paper();
    ck_assert(o.loss == MST_LOSS_DSM && o.activation == MST_TANH && o.plain);
    ck_assert(o.depth == 5 && o.width == 512 && o.batch == 1024 * 100 && o.path_steps == 100);
    ck_assert(o.warm_up == 1000 && o.seed == 2712 && o.t_max == 1);
    o.width = 8;
    o.batch = 3200;
    o.steps = 2;
    mst_network *net = trained("sphere:2", &o, &m);
    mst_network_info info = mst_network_describe(net);
    ck_assert(info.plain && info.inputs == 7 && info.outputs == 3 && info.depth == 5);
    ck_assert_uint_eq(info.samples, 6400);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

/* A model knows where its targets came from. */
START_TEST(targets)
{
    static const struct {
        const char *spec, *name;
    } cases[] = {
        {"euclidean:2", "exact"}, {"sphere:2", "closed"}, {"product(sphere:2,circle)", "mixed"}};
    mst_train_options o = small_options();
    mst_manifold *m;
    o.steps = 1;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_network *net = trained(cases[k].spec, &o, &m);
        mst_targets where = mst_network_describe(net).targets;
        ck_assert_str_eq(mst_targets_name(where), cases[k].name);
        for (int other = 0; other < (int)where; other++)
            ck_assert_str_ne(mst_targets_text((mst_targets)other), mst_targets_text(where));
        mst_network_free(net);
        mst_manifold_free(m);
    }
}
END_TEST

int main(void)
{
    return RUN_SUITE("train", 120, {threads_do_not_matter, 3}, {what_decides_the_weights, 0},
                     {average_and_excess, 0}, {resumed_trainings_end_the_same, 2}, {interrupted, 0},
                     {interrupted_while_it_prepares, 0}, {reach_of_the_training, 0},
                     {resuming_with_other_options, 0}, {damaged_checkpoints, 0}, {bad_options, 0},
                     {without_memory, 3}, {paper, 0}, {targets, 0});
}
