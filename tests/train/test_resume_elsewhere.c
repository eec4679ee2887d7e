/* SPDX-License-Identifier: MIT
 * Copyright (c) 2026 the manistat authors */

/* Checkpoints and networks go from one machine to another: other instruction sets and other libraries of
 * matrix products round otherwise, and that is all. */
#include "base/isa.h"
#include "small_training.h"
#include "support/scratch.h"

#include <float.h>
#include <unistd.h>

enum { BEFORE = 2, STEPS = 6 };

static mst_train_options few_steps(void)
{
    mst_train_options o = small_options();
    o.steps = STEPS;
    o.warm_up = 1;
    return o;
}

/* A step of Adam moves a weight by the rate at most, about. Weights that are a hundredth of that apart saw
 * the same samples with the same moments: without the moments, or one step out, they are
 * as far apart as a step. */
static void near_weights(const mst_network *a, const mst_network *b, const mst_train_options *o,
                         const char *what)
{
    double farthest = 0;
    for (size_t k = 0; k < mlp_parameters(&a->shape); k++)
        farthest = fmax(farthest, fabs((double)a->theta[k] - (double)b->theta[k]));
    ck_assert_uint_eq(a->info.steps, b->info.steps);
    ck_assert_msg(farthest <= 0.01 * o->rate, "%s: weights differ by %g", what, farthest);
}

START_TEST(another_instruction_set)
{
    mst_train_options o = few_steps();
    mst_manifold *m, *same;
    mst_network *here, *there, *net;
    scratch_open();
    mst_isa_choose("generic");
    there = trained("sphere:2", &o, &m);
    o.checkpoint = scratch("checkpoint");
    train_and_save(m, &o, BEFORE);
    mst_isa_choose(NULL);
    o.resume = true;
    ASSERT_OK(mst_train(&net, m, &o));
    o.resume = false;
    o.checkpoint = NULL;
    here = trained("sphere:2", &o, &same);
    near_weights(there, here, &o, "generic and the best");
    near_weights(here, net, &o, "begun as generic");
    mst_network_free(here);
    mst_network_free(there);
    mst_network_free(net);
    mst_manifold_free(m);
    mst_manifold_free(same);
    scratch_close();
}
END_TEST

/* Of the file below: its state of 8 doubles and its step are the last numbers, the
 * moments stand before them. */
enum { SECOND_FROM_END = 4 * 240 + 8 * 8 + 8, FIRST_FROM_END = SECOND_FROM_END + 4 * 240 };

static void change_end(const char *path, long from_end, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "r+b");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, -from_end, SEEK_END), 0);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
}

/* The file in tests/data, whose README says how it was made, changed at one place; null: nowhere. */
static const char *onednn_checkpoint(const char *old, const char *changed)
{
    enum { MOST = 1 << 16 };
    static char bytes[MOST];
    FILE *f = fopen(MST_TEST_DATA "/models/onednn_checkpoint.safetensors", "rb");
    ck_assert_ptr_nonnull(f);
    size_t size = fread(bytes, 1, MOST, f);
    fclose(f);
    ck_assert_uint_lt(size, MOST);
    if (old != NULL) {
        char *at = memmem(bytes, size, old, strlen(old));
        ck_assert_ptr_nonnull(at);
        ck_assert_uint_eq(strlen(old), strlen(changed));
        memcpy(at, changed, strlen(changed));
    }
    const char *path = scratch("checkpoint");
    f = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    ck_assert_int_eq(fclose(f), 0);
    return path;
}

static void refused_as_older(mst_status status)
{
    ck_assert_int_eq(status, MST_FORMAT);
    ck_assert_ptr_nonnull(
        strstr(mst_error_detail(), "a checkpoint of an older version cannot be resumed"));
}

START_TEST(another_library_of_products)
{
    mst_train_options o = few_steps();
    mst_manifold *m;
    mst_network *whole = trained("sphere:2", &o, &m), *net;
    scratch_open();
    o.checkpoint = onednn_checkpoint(NULL, NULL);
    o.resume = true;
    mst_status status = mst_train(&net, m, &o);
    if (status == MST_OK)
        near_weights(whole, net, &o, "begun with oneDNN");
    else /* once there are options that it does not know */
        refused_as_older(status);
    mst_network_free(net);
    mst_network_free(whole);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* A version that did not know an option wrote nothing of it. */
START_TEST(an_older_version)
{
    mst_train_options o = few_steps();
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net;
    scratch_open();
    o.checkpoint = onednn_checkpoint(", clip ", ", clap ");
    o.resume = true;
    refused_as_older(mst_train(&net, m, &o));
    ck_assert_ptr_null(net);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* State that no training has would go into the model; and the file is still there afterwards. */
START_TEST(state_that_cannot_be)
{
    static const struct {
        long from_end;
        float value;
    } cases[] = {{FIRST_FROM_END, NAN}, {SECOND_FROM_END, INFINITY}, {SECOND_FROM_END, -1}};
    mst_train_options o = few_steps();
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net;
    scratch_open();
    o.checkpoint = onednn_checkpoint(NULL, NULL);
    o.resume = true;
    change_end(o.checkpoint, cases[_i].from_end, &cases[_i].value, sizeof(float));
    ASSERT_FAILS(MST_FORMAT, mst_train(&net, m, &o));
    ck_assert_ptr_nonnull(strstr(mst_error_detail(), "numbers that cannot be"));
    ck_assert_ptr_null(net);
    ck_assert_int_eq(access(o.checkpoint, R_OK), 0);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

START_TEST(fewer_steps_than_done)
{
    mst_train_options o = few_steps();
    mst_manifold *m = open_manifold("sphere:2");
    mst_network *net;
    scratch_open();
    o.checkpoint = onednn_checkpoint(NULL, NULL);
    o.resume = true;
    o.steps = BEFORE - 1;
    ASSERT_FAILS(MST_ARGUMENT, mst_train(&net, m, &o));
    ck_assert_ptr_nonnull(
        strstr(mst_error_detail(), "has done 2 steps already, more than the 1 of"));
    ck_assert_int_eq(access(o.checkpoint, R_OK), 0);
    mst_manifold_free(m);
    scratch_close();
}
END_TEST

/* One network, evaluated by every instruction set: three products of at most 8 + 1 terms, whose weights are
 * of the order 1, and activations of two roundings: 64 roundings of floats cover them generously. */
START_TEST(networks_agree_to_rounding)
{
    enum { N = 200 };
    static double x[N * 3], y[N * 3], t[N], first[N * 3], score[N * 3];
    mst_train_options o = few_steps();
    mst_manifold *m;
    mst_network *net = trained("sphere:2", &o, &m);
    enum mst_isa best = mst_isa();
    for (size_t i = 0; i < N; i++) {
        double u = 0.1 * (double)i, v = 0.03 * (double)i;
        memcpy(x + 3 * i, (double[]){cos(u), sin(u), 0}, 3 * sizeof *x);
        memcpy(y + 3 * i, (double[]){cos(v), 0, sin(v)}, 3 * sizeof *y);
        t[i] = 0.05 + 0.004 * (double)i;
    }
    mst_pairs pairs = mst_pairs_rows(m, N, x, y, t);
    for (enum mst_isa isa = MST_ISA_GENERIC; isa <= best; isa++) {
        mst_score *s;
        mst_isa_choose(mst_isa_name(isa));
        ASSERT_OK(mst_score_network_new(&s, net, true));
        ASSERT_OK(
            mst_score_evaluate(s, &pairs, &(mst_heat_values){.score = isa == 0 ? first : score}));
        mst_score_free(s);
        for (size_t k = 0; isa > 0 && k < 3 * N; k++) {
            /* What the network adds is divided by √t or t; the largest score has that, too. */
            double most = fmax(1 / t[k / 3], fabs(first[k]));
            ck_assert_msg(fabs(score[k] - first[k]) <= 64 * FLT_EPSILON * most,
                          "%s, row %zu: %g and %g", mst_isa_name(isa), k / 3, score[k], first[k]);
        }
    }
    mst_isa_choose(NULL);
    mst_network_free(net);
    mst_manifold_free(m);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("all");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, another_instruction_set);
    tcase_add_test(c, another_library_of_products);
    tcase_add_test(c, an_older_version);
    tcase_add_loop_test(c, state_that_cannot_be, 0, 3);
    tcase_add_test(c, fewer_steps_than_done);
    tcase_add_test(c, networks_agree_to_rounding);
    return run_case("resume_elsewhere", c);
}
